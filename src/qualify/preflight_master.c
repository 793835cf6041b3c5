/* SPDX-License-Identifier: MIT */
/* Preflight of a test with a structure that another program computes. Stability and error depend on that program and
 * cannot be examined here. The twins of the specimens are moved through two cycles at a quarter of their limits, as
 * a master would move them, then ramped out. Durations of ticks, machine and disk are examined as for any test. */
#include <math.h>
#include <stdlib.h>

#include "hybrid/hybrid.h"
#include "base/os_linux.h"
#include "qualify/preflight.h"
#include "hybrid/pace/master.h"

static const double QUARTER = 0.25; /* of a limit, amplitude of the cycles: far from every trip */
enum { SWINGS = 2, MOST_TICKS = 200000 };

typedef struct swinging {
    ifd_hybrid *h;
    ifd_remote *remote;
    double amplitude, omega; /* m; rad/s, simulated */
    uint64_t said, heard;
    double *time; /* s, of each tick */
} swinging;

/* All dofs move together, the last one farthest: no deformation between them is larger than the amplitude. */
static void choose(swinging *s, const ifd_hybrid_options *o)
{
    s->amplitude = (double)INFINITY;
    s->omega = (double)INFINITY;
    for (int k = 0; k < o->interfaces; k++)
        s->amplitude =
            fmin(s->amplitude, QUARTER * fmin(fabs(o->interface[k].limits.low), o->interface[k].limits.high));
    s->amplitude = isfinite(s->amplitude) && s->amplitude > 0.0 ? s->amplitude : 0.0;
    for (int k = 0; k < o->interfaces && s->amplitude > 0.0; k++) {
        const ifd_limits *l = &o->interface[k].limits;
        s->omega = fmin(s->omega, QUARTER * l->velocity / s->amplitude);
        s->omega = fmin(s->omega, sqrt(QUARTER * l->acceleration / s->amplitude));
    }
    s->omega *= o->lambda;                                    /* limits refer to wall-clock time */
    s->omega = fmin(s->omega, 0.05 * 2.0 * M_PI / o->step.h); /* at least twenty steps per cycle */
}

static void say(swinging *s, const ifd_hybrid_options *o)
{
    ifd_remote_answer a;
    while (ifd_remote_hear(s->remote, &a))
        s->heard = a.over ? s->heard : a.number;
    if (s->said != s->heard)
        return;
    int n = o->model->n;
    double t = o->step.h * (double)s->said;
    ifd_remote_target next = {.number = ++s->said, .step = s->said > 1, .time = t};
    for (int i = 0; i < n; i++)
        next.u[i] = s->amplitude * sin(s->omega * t) * (double)(i + 1) / (double)n;
    if (s->omega * t > 2.0 * M_PI * SWINGS)
        next.kind = IFD_REMOTE_END;
    (void)ifd_remote_say(s->remote, &next);
}

static void watch(const ifd_hybrid *h, ifd_preflight *out)
{
    for (int k = 0; k < h->interfaces; k++) {
        ifd__interface_state *s = ifd__interface_of(h, k);
        ifd_preflight_interface *c = &out->interface[k];
        double x = s->measured_x;
        c->low = fmin(c->low, x);
        c->high = fmax(c->high, x);
        c->force = fmax(c->force, fabs(s->measured_f));
        if (ifd_hybrid_state(h) == IFD_MACHINE_RUN)
            c->tracking = fmax(c->tracking, fabs(x - s->target));
    }
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void swing(swinging *s, const ifd_hybrid_options *o, ifd_preflight *out)
{
    ifd_ticked t = ifd_hybrid_ticked(s->h);
    ifd_run_state going = IFD_RUN_GOING;
    for (; going == IFD_RUN_GOING && out->ticks < MOST_TICKS; out->ticks++) {
        say(s, o);
        int64_t began = ifd__clock_now();
        going = t.tick(t.self, &(ifd_tick_in){0});
        double took = 1e-9 * (double)(ifd__clock_now() - began);
        s->time[out->ticks] = took;
        watch(s->h, out);
    }
    qsort(s->time, (size_t)out->ticks, sizeof *s->time, by_value);
    out->tick_p99 = out->ticks ? s->time[(out->ticks - 1) * 99 / 100] : 0.0;
    out->tick_max = out->ticks ? s->time[out->ticks - 1] : 0.0;
    out->trip = ifd_hybrid_trip(s->h);
    out->reached = ifd_hybrid_time(s->h);
    out->governed = ifd_hybrid_count(s->h, IFD_TRIP_GOVERNED);
    out->out_done = out->finished = ifd_hybrid_state(s->h) == IFD_MACHINE_STOPPED && out->trip.trip == IFD_TRIP_NONE;
}

ifd_status ifd__preflight_master(const ifd_preflight_options *o, ifd_preflight *out, ifd_note *note)
{
    ifd_arena *scratch = ifd_arena_open();
    swinging s = {0};
    ifd_hybrid_options options;
    const ifd__variant plain = {.delay = out->delay, .gain = out->gain};
    ifd_status status = scratch ? ifd__variant_make(scratch, o->test, o->twin, &plain, &options) : IFD_NO_MEMORY;
    if (status == IFD_OK && !(s.time = ifd_arena_array(scratch, MOST_TICKS, sizeof *s.time)))
        status = IFD_NO_MEMORY;
    if (status == IFD_OK)
        status = ifd_remote_make(scratch, o->master, &s.remote, note);
    if (status == IFD_OK) {
        options.remote = s.remote;
        status = ifd_hybrid_make(scratch, &options, &s.h, note);
    }
    if (status == IFD_OK) {
        out->interfaces = o->test->interfaces;
        for (int k = 0; k < out->interfaces; k++)
            out->interface[k].name = o->test->interface[k].name;
        out->error_peak = out->error_rms = (double)NAN;
        choose(&s, &options);
        swing(&s, &options, out);
    }
    ifd_hybrid_close(s.h);
    ifd_arena_close(scratch);
    return status;
}
