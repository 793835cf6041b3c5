/* SPDX-License-Identifier: MIT */
/* The search for unstable steps compared with a dense scan, on random structures of two substructures: number of
 * missed windows.
 *
 *     bench_windows [COUNT [FIRST [FACTOR]]]      1000 structures from number 0 on, dense scan of factor 1.003 */
#include <stdio.h>
#include <stdlib.h>

#include "analysis/random_splits.h"

typedef struct tally {
    int right, earlier, late, missed, failed, unstable, old_wrong;
    int *probes;
    long scanned;
} tally;

static int by_size(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* Result of a scan by 2^(1/4), the former search. */
static bool quarter_scan_is_right(const split *s, double dense)
{
    double width, radius, first = split_scan(s, exp2(0.25), &width, &radius);
    if (dense == 0.0)
        return true;
    /* It bisects between the last stable and the first unstable step: correct if the window extends between them. */
    return first > 0.0 && first / exp2(0.25) < dense * 1.003;
}

static void say(const split *s, unsigned k, const char *what, double dense, double width, double radius,
                const ifd_critical_step *c)
{
    printf("structure %u: %s; %s, gamma %s, ss %d, %d and %d dofs, %s; first unstable %.6g s (window %.2f %% wide, "
           "radius %.6f), search finds %.6g s\n",
           k, what, s->couple.coupling->name, s->plus ? "plus" : "minus", s->ss, s->n[0], s->n[1],
           s->damped ? "damped" : "undamped", dense, 100.0 * (width - 1.0), radius, c->found ? c->step : 0.0);
}

static void one(unsigned k, double factor, int *probes, tally *t)
{
    ifd_arena *arena = ifd_arena_open();
    split s;
    ifd_critical_step c = {0};
    if (!split_make(arena, k, &s)) {
        t->failed++;
        ifd_arena_close(arena);
        return;
    }
    const ifd_critical_options o = {.from = s.from, .to = s.to};
    double width, radius, dense = split_scan(&s, factor, &width, &radius);
    if (ifd_stability_critical(arena, &s.run, &o, &c, NULL) != IFD_OK)
        t->failed++;
    *probes = c.evaluations;
    t->unstable += dense > 0.0;
    t->old_wrong += !quarter_scan_is_right(&s, dense);
    if (dense > 0.0 && !c.found) {
        t->missed++;
        say(&s, k, "MISSED", dense, width, radius, &c);
    } else if (dense > 0.0 && c.step > dense * (1.0 + 1e-9)) {
        t->late++;
        say(&s, k, "LATE", dense, width, radius, &c);
    } else if (c.found && (dense == 0.0 || (c.step > 0.0 && c.step < dense / factor / 1.0001))) {
        t->earlier++;
        say(&s, k, "earlier than the scan", dense, width, c.radius, &c);
    } else {
        t->right++;
    }
    ifd_arena_close(arena);
}

int main(int argc, char **argv)
{
    int count = argc > 1 ? atoi(argv[1]) : 1000;
    int first = argc > 2 ? atoi(argv[2]) : 0;
    double factor = argc > 3 ? atof(argv[3]) : 1.003;
    if (count < 1 || first < 0 || !(factor > 1.0)) {
        fprintf(stderr, "usage: bench_windows [COUNT [FIRST [FACTOR]]]\n");
        return 2;
    }
    tally t = {.probes = calloc((size_t)count, sizeof(int))};
    for (int k = 0; k < count; k++)
        one((unsigned)(first + k), factor, &t.probes[k], &t);
    qsort(t.probes, (size_t)count, sizeof(int), by_size);
    printf("%d structures, %d with an instability; dense scan of factor %g\n", count, t.unstable, factor);
    printf(
        "search: %d right, %d earlier than the scan (a window that the scan skips), %d late, %d missed, %d failed\n",
        t.right, t.earlier, t.late, t.missed, t.failed);
    printf("probes: median %d, 90 %% %d, largest %d\n", t.probes[count / 2], t.probes[count * 9 / 10],
           t.probes[count - 1]);
    printf("scan of factor 2^(1/4): %d missed or late\n", t.old_wrong);
    free(t.probes);
    return t.failed > 0;
}
