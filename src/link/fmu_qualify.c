/* SPDX-License-Identifier: MIT */
/* What FMI has no flag for: how long a step takes, whether it allocates, whether going back is exact. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <interfield/fmu.h>

#include "run/os_linux.h"

enum { MOST = 32, KEPT = 1 << 16 };

typedef struct ports {
    int in[MOST], out[MOST], ins, outs, time;
} ports;

static ports ports_of(const ifd_fmu *f)
{
    const ifd_fmu_facts *facts = ifd_fmu_facts_of(f);
    ports p = {.time = -1};
    for (int i = 0; i < facts->variables; i++) {
        const ifd_fmu_variable *v = &facts->variable[i];
        if (v->real && v->role == IFD_FMU_INPUT && p.ins < MOST)
            p.in[p.ins++] = i;
        if (v->real && v->role == IFD_FMU_OUTPUT && p.outs < MOST)
            p.out[p.outs++] = i;
        if (v->real && v->role == IFD_FMU_INDEPENDENT)
            p.time = i;
    }
    return p;
}

static int rising(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Set, step, get; the same again from a saved state, which must give the same bits. */
static bool once(ifd_fmu *f, const ports *p, double now, double h, const double *in, double *out, bool twice,
                 bool *same)
{
    double again[MOST];
    if (twice && !ifd_fmu_save(f))
        return false;
    if (!ifd_fmu_set(f, p->ins, p->in, in) || !ifd_fmu_step(f, now, h) || !ifd_fmu_get(f, p->outs, p->out, out))
        return false;
    if (!twice)
        return true;
    if (!ifd_fmu_restore(f) || !ifd_fmu_set(f, p->ins, p->in, in) || !ifd_fmu_step(f, now, h) ||
        !ifd_fmu_get(f, p->outs, p->out, again))
        return false;
    *same = *same && memcmp(out, again, sizeof *out * (size_t)p->outs) == 0;
    return true;
}

static void times_of(double *time, long kept, ifd_fmu_quality *q)
{
    qsort(time, (size_t)kept, sizeof *time, rising);
    q->p50 = time[kept / 2];
    q->p999 = time[(long)(0.999 * (double)(kept - 1))];
    q->worst = fmax(q->worst, time[kept - 1]);
}

/* A step in which the kernel gave the core to others says nothing of the FMU. Only long ones are asked about: to ask
 * costs more than a short one. */
static bool disturbed(double took, long *seen)
{
    const double brief = 20e-6;
    long faults, now = *seen;
    if (took > brief)
        ifd__thread_disturbances(&faults, &now);
    bool more = now > *seen;
    *seen = now;
    return more;
}

void ifd_fmu_qualify(ifd_fmu *f, long steps, double h, double amplitude, long (*count)(void), ifd_fmu_quality *out)
{
    const ports p = ports_of(f);
    bool rolls = ifd_fmu_facts_of(f)->rolls_back;
    double *time = malloc(sizeof *time * KEPT), in[MOST], values[MOST];
    long before = 0, kept = 0, seen = 0;
    (void)disturbed(HUGE_VAL, &seen);
    *out = (ifd_fmu_quality){.finite = true, .rolled_back = rolls, .allocations = count ? 0 : -1};
    for (long k = 0; k < steps && time; k++) {
        const long warm = 16; /* the first steps may take memory for good */
        for (int i = 0; i < p.ins; i++)
            in[i] = amplitude * sin(0.05 * (double)k + i);
        if (k == warm && count)
            before = count();
        int64_t began = ifd__clock_now();
        bool good = once(f, &p, h * (double)k, h, in, values, rolls && k % 4 == 0, &out->rolled_back);
        double took = 1e-9 * (double)(ifd__clock_now() - began) / (rolls && k % 4 == 0 ? 2.0 : 1.0);
        if (disturbed(took, &seen))
            out->preempted++;
        else {
            time[kept++ % KEPT] = took;
            out->worst = k >= warm ? fmax(out->worst, took) : out->worst;
        }
        out->steps = k + 1;
        if (!good) {
            out->finite = false;
            break;
        }
    }
    if (count && out->steps > 16)
        out->allocations = count() - before;
    if (time && kept > 0)
        times_of(time, kept < KEPT ? kept : KEPT, out);
    if (p.time >= 0 && out->finite && ifd_fmu_get(f, 1, &p.time, values))
        out->drift = values[0] - h * (double)out->steps;
    bool judged = 20 * out->preempted <= out->steps; /* long steps are interrupted most: they must not hide so */
    out->fit = out->finite && out->steps == steps && out->allocations == 0 && out->worst < h && judged;
    free(time);
}
