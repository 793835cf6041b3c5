/* SPDX-License-Identifier: MIT */
/* The error of position, command and force through a spring: spring.h. */
#include "hybrid/limits/spring.h"

#include <math.h>
#include <string.h>

#include "hybrid/chain/effective_force.h"

static const double deviations = 6.0, ticks_of_travel = 2.0;

static int line_ticks(const ifd_hybrid *h, int k)
{
    return (int)lround(h->interface[k].o->force->computed->delay / h->period) + 1;
}

void ifd__spring_make(ifd_hybrid *h, int k)
{
    ifd__state_reserve(h, line_ticks(h, k), &h->line[k]);
}

void ifd__spring_begin(ifd_hybrid *h, int k)
{
    double *line = h->line[k], p = h->each[k]->command;
    for (int i = 0; i < line_ticks(h, k); i++)
        line[i] = p;
    memset(&h->io.pushed[k]->spring, 0, sizeof(ifd__spring_fit));
}

/* The command that has acted at the instant of this measurement, and its step. */
static double acted(const ifd_hybrid *h, int k, double *step)
{
    double *line = h->line[k];
    int n = line_ticks(h, k);
    double before = line[0];
    memmove(line, line + 1, sizeof *line * (size_t)(n - 1));
    line[n - 1] = h->each[k]->command;
    *step = line[0] - before;
    return line[0];
}

/* Mean of the last values, and their standard deviation from successive differences: a drift has no effect on it. */
static double mean(const ifd__spring_fit *s, double *deviation)
{
    double sum = 0.0, squares = 0.0;
    int n = IFD__SPRING_MEAN, from = (int)s->next; /* the oldest one */
    for (int i = 0; i < n; i++) {
        double e = s->off[(from + i) % n], last = s->off[(from + i + n - 1) % n];
        sum += e;
        squares += i > 0 ? (e - last) * (e - last) : 0.0;
    }
    *deviation = sqrt(0.5 * squares / (n - 1));
    return sum / n;
}

ifd_action ifd__spring_guard(ifd_hybrid *h, int k, ifd_action worst)
{
    const ifd_force_control *f = h->interface[k].o->force;
    ifd__spring_fit *s = &h->io.pushed[k]->spring;
    ifd_machine state = ifd__state_of(h);
    double step, deviation, at = acted(h, k, &step);
    bool armed = state == IFD_MACHINE_READY || state == IFD_MACHINE_RAMP_IN || state == IFD_MACHINE_RUN ||
                 state == IFD_MACHINE_HOLD || state == IFD_MACHINE_RAMP_OUT;
    if (!armed || ifd__rigs_stale(h, k) > 0.0 || !ifd__push_known(&h->io, k))
        return worst;
    s->off[(int)s->next] = h->io.pushed[k]->x - at + h->each[k]->measured_f / f->stiffness;
    s->next = (double)(((int)s->next + 1) % IFD__SPRING_MEAN);
    s->travel = fmax(fabs(step), s->travel * (1.0 - 1.0 / IFD__SPRING_MEAN));
    s->known += 1.0;
    double off = mean(s, &deviation);
    if (s->known <= IFD__SPRING_MEAN) {
        s->first = off;
        return worst;
    }
    double most = fmax(fmax(f->error / f->stiffness, deviations * deviation), ticks_of_travel * s->travel);
    off -= s->first;
    return fabs(off) > most ? ifd__fault_note(&h->faults, IFD_TRIP_SPRING, k, off, most, worst) : worst;
}
