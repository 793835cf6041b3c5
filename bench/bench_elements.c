/* SPDX-License-Identifier: MIT */
/* Time of one evaluation of every element: force, rates and all tangents; for a law with memory also its acceptance.
 *
 *     bench_elements [name]
 *
 * Each number is over 20,000 random points of the samples of the tests. The 99.9th percentile is nearly free of
 * interruptions; the largest is not. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"
#include "model/element_samples.c"

enum { TIMES = 20000 };

static int ascending(const void *a, const void *b)
{
    double one = *(const double *)a, other = *(const double *)b;
    return (one > other) - (one < other);
}

static double clock_alone(void)
{
    double least = 1.0;
    for (int i = 0; i < 1000; i++) {
        double before = now(), after = now();
        least = after - before < least ? after - before : least;
    }
    return least;
}

static void measure(const sample *s, const ifd_element *e, double idle)
{
    static double took[TIMES];
    static answer a;
    for (int i = 0; i < TIMES; i++) {
        point p;
        point_random(s, e, &p);
        const ifd_element_in in = point_in(&p);
        ifd_element_out out = answer_out(&a);
        if (e->ns > SAMPLE_MAX)
            out.r_s = out.g_q = out.g_v = out.g_s = NULL;
        memset(&a, 0, sizeof a);
        double before = now();
        e->ops->eval(e, &in, &out);
        if (e->ops->accept)
            e->ops->accept(e, &in, p.s);
        took[i] = now() - before - idle;
    }
    qsort(took, TIMES, sizeof *took, ascending);
    printf("%-26s %3d %4d %9.0f %9.0f %9.0f\n", e->name, e->nq, e->ns, 1e9 * took[TIMES / 2],
           1e9 * took[TIMES - TIMES / 1000], 1e9 * took[TIMES - 1]);
}

int main(int argc, char **argv)
{
    ifd_arena *arena = ifd_arena_open();
    double idle = clock_alone();
    if (!arena)
        return 1;
    printf("element                     nq   ns median ns  99.9 %% ns   most ns\n");
    for (int i = 0; i < sample_count; i++) {
        ifd_element e;
        if ((argc < 2 || strcmp(argv[1], samples[i].element) == 0) &&
            sample_make(&samples[i], arena, &e, NULL) == IFD_OK)
            measure(&samples[i], &e, idle);
    }
    ifd_arena_close(arena);
    return 0;
}
