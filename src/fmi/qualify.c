/* SPDX-License-Identifier: MIT */
/* Measures properties without a flag in FMI: the duration of a step, and whether it allocates. */
#include <math.h>
#include <stdlib.h>

#include "fmi/ports.h"
#include "base/os_linux.h"

enum { MOST = IFD__FMU_PORTS, KEPT = 1 << 16, WARM = 16 /* the first steps may allocate memory permanently */ };

static int rising(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void times_of(double *time, long kept, ifd_fmu_quality *q)
{
    qsort(time, (size_t)kept, sizeof *time, rising);
    q->p50 = time[kept / 2];
    q->p999 = time[(long)(0.999 * (double)(kept - 1))];
    q->worst = fmax(q->worst, time[kept - 1]);
}

/* A step in which the kernel preempted the thread gives no information about the FMU. Only long steps are checked:
 * the check takes longer than a short step. */
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
    const ifd__fmu_ports p = ifd__fmu_ports_of(f);
    double *time = malloc(sizeof *time * KEPT), in[MOST], values[MOST];
    long before = 0, kept = 0, seen = 0;
    (void)disturbed(HUGE_VAL, &seen);
    *out = (ifd_fmu_quality){.finite = true, .allocations = count ? 0 : -1, .inputs = p.ins, .outputs = p.outs};
    for (long k = 0; k < steps && time; k++) {
        ifd__fmu_swing(&p, amplitude, k, in);
        if (k == WARM && count)
            before = count();
        int64_t began = ifd__clock_now();
        bool good = ifd__fmu_once(f, &p, h * (double)k, h, in, values);
        double took = 1e-9 * (double)(ifd__clock_now() - began);
        if (disturbed(took, &seen))
            out->preempted++;
        else {
            time[kept++ % KEPT] = took;
            out->worst = k >= WARM ? fmax(out->worst, took) : out->worst;
        }
        out->steps = k + 1;
        if (!good) {
            out->finite = false;
            break;
        }
    }
    if (count && out->steps > WARM)
        out->allocations = count() - before;
    if (time && kept > 0)
        times_of(time, kept < KEPT ? kept : KEPT, out);
    if (p.time >= 0 && out->finite && ifd_fmu_get(f, 1, &p.time, values))
        out->drift = values[0] - h * (double)out->steps;
    bool judged = 20 * out->preempted <= out->steps; /* preemption must not hide long steps */
    out->fit = p.ins > 0 && p.outs > 0 && out->finite && out->steps == steps && out->allocations == 0 &&
               out->worst < h && judged;
    free(time);
}
