/* SPDX-License-Identifier: MIT */
/* Collects what preflight judges: margins, demands, times, error. */
#include "qualify/preflight.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>

#include "base/os_linux.h"
#include "hybrid/hybrid.h"
#include "realtime/doctor/doctor.h"
#include "statistics/statistics.h"
#include "substructure/loading_protocol.h"

static const char *const names[] = {
#define ROW(name, text) text,
    IFD_VERDICT_LIST(ROW)
#undef ROW
};

const char *ifd_verdict_name(ifd_verdict verdict)
{
    return (unsigned)verdict < IFD_VERDICT_COUNT ? names[verdict] : "unknown";
}

static ifd__loop loop_of(const ifd_preflight_options *o)
{
    return (ifd__loop){.test = o->test, .laboratory = o->twin};
}

/* At rest, and at the largest deformation. A specimen without stiffness at rest that resists a velocity is a damper:
 * its secant is force over velocity. */
static void take_stiffness(const ifd_virtual_actuator *bench, ifd_preflight_interface *c)
{
    double damping = 0.0;
    bool tangent = ifd__specimen_tangent(bench, &c->stiffness, &damping),
         damper = tangent && c->stiffness == 0.0 && damping > 0.0;
    c->viscous = damper ? c->viscous : 0.0;
    c->secant = damper ? 0.0 : c->secant;
    if (!tangent && c->linear && bench->specimen)
        c->stiffness = c->secant = ifd__value_of(bench->specimen->params, bench->specimen_values, "stiffness", 0.0);
}

bool ifd__dof_turns(ifd_dof_kind kind)
{
    return kind > IFD_DOF_Z && kind != IFD_DOF_DEFORMATION;
}

bool ifd__preflight_turns(const ifd_hybrid_options *test, int k)
{
    const ifd_interface_options *c = &test->interface[k];
    const ifd_model *m = test->couple ? test->couple->part[c->part].model : test->model;
    int dof = c->to >= 0 ? c->to : c->from;
    return dof >= 0 && ifd__dof_turns(ifd_model_dof_kind(m, dof));
}

static void take_channel(const ifd_preflight_options *o, const ifd__dry *d, int k, ifd_preflight_interface *c)
{
    const ifd_virtual_actuator bench = ifd__bench_of(o->test, o->twin, k);
    *c = d->interface[k].seen;
    c->name = o->test->interface[k].name;
    c->angular = ifd__preflight_turns(o->test, k);
    c->linear = ifd__specimen_linear(&bench);
    take_stiffness(&bench, c);
}

void ifd__preflight_interfaces(const ifd_preflight_options *o, const ifd__dry *d, ifd_preflight *out)
{
    out->interfaces = o->test->interfaces;
    for (int k = 0; k < out->interfaces; k++)
        take_channel(o, d, k, &out->interface[k]);
    for (int i = 0; i < o->test->drives; i++) {
        const ifd__movers m = ifd__movers_of(o->test, o->test->drive[i].interface[0]);
        for (int j = 0; j < m.count; j++) {
            out->actuator[m.first + j] = d->actuator[m.first + j].seen;
            out->actuator[m.first + j].name = o->test->drive[i].name[j];
        }
    }
}

/* Number of ticks with stored durations: sufficient for a 99th percentile, and few enough to be quick. */
enum { TIMED = 20000, PASSES = 3 };

/* The same tick does the same work in every run: its smallest duration is its own; longer ones include other
 * programs. */
static void take_times(double *time, long count, ifd_preflight *out)
{
    ifd__sort((int)count, time);
    out->tick_p99 = count ? time[(count - 1) * 99 / 100] : 0.0;
    out->tick_max = count ? time[count - 1] : 0.0;
}

/* On an ideal rig at real velocities, as a run, at a quarter of the step; the rows are those of the whole steps of
 * the test. */
static ifd_status compare(ifd_arena *arena, const ifd_preflight_options *o, const ifd__dry *d, ifd_preflight *out)
{
    enum { FINER = 4 };
    const ifd__loop l = loop_of(o);
    const ifd__dry_options plan = {
        .variant = {.perfect = true, .real_time = true, .unlimited = true, .step = 1.0 / FINER}, .every = FINER};
    ifd__dry perfect;
    out->error_peak = out->error_rms = (double)NAN;
    ifd_status status = ifd__dry_run(arena, &l, &plan, &perfect, NULL);
    if (status == IFD_NO_MEMORY)
        return status;
    ifd__dry_error e;
    if (status == IFD_OK && perfect.finished && d->finished && ifd__dry_compare(d, &perfect, &e)) {
        out->error_peak = e.peak;
        out->error_rms = e.rms;
        snprintf(out->error_of, sizeof out->error_of, "%s", perfect.column[e.column].name);
    }
    return IFD_OK;
}

/* A force within its noise from the start is not assessed. */
static void take_ramp_out(const ifd_preflight_options *o, const ifd__dry *d, ifd_preflight *out)
{
    const double least = 0.01; /* of the largest force: below it there is no overshoot */
    out->out_done = d->out_done;
    out->out_time = d->out_time;
    out->out_trip = d->out_trip;
    out->actuators = d->actuators;
    memcpy(out->last_force, d->last_force, sizeof out->last_force);
    memcpy(out->last_limit, d->last_limit, sizeof out->last_limit);
    for (int k = 0; k < o->test->interfaces; k++) {
        const ifd__dry_interface *c = &d->interface[k];
        out->out_acceleration = fmax(out->out_acceleration, c->out_acceleration);
        if (c->seen.acceleration > 0.0)
            out->out_rougher = fmax(out->out_rougher, c->out_acceleration / c->seen.acceleration);
        if (fabs(c->out_began) > least * c->seen.force)
            out->out_overshoot = fmax(out->out_overshoot, c->out_across / fabs(c->out_began));
    }
}

static void take_stops(const ifd_preflight_options *o, const ifd__dry *d, ifd_preflight *out)
{
    out->stops = d->stops;
    out->stop_trip = d->stop_trip;
    out->stop_runs = d->stop_runs;
    out->stop_time = d->stop_time;
    for (int k = 0; k < o->test->interfaces; k++) {
        const ifd__dry_interface *c = &d->interface[k];
        out->stop_position[k] = fmax(-c->stop_low, c->stop_high);
        out->stop_force[k] = c->stop_force;
    }
}

/* With its limits: the predicted test. */
static ifd_status limited(ifd_arena *arena, const ifd_preflight_options *o, double *time, ifd_preflight *out,
                          ifd_note *note)
{
    const ifd__loop l = loop_of(o);
    ifd__dry_options plan = {
        .variant = {.delay = out->delay, .gain = out->gain}, .every = 1, .time = time, .times = TIMED, .out = true};
    ifd__dry d = {0};
    for (int pass = 0; pass < PASSES - 1; pass++) {
        plan.stops = pass == PASSES - 2;
        IFD_TRY(ifd__dry_run(arena, &l, &plan, &d, note));
    }
    take_stops(o, &d, out);
    out->finished = d.finished;
    out->reached = d.reached;
    out->trip = d.trip;
    out->governed = d.governed;
    out->ticks = d.ticks;
    take_ramp_out(o, &d, out);
    out->error_peak = out->error_rms = (double)NAN;
    return o->test->protocol ? IFD_OK : compare(arena, o, &d, out);
}

/* Without them: the demand on the actuators. */
static ifd_status unlimited(ifd_arena *arena, const ifd_preflight_options *o, double *time, ifd_preflight *out,
                            ifd_note *note)
{
    const ifd__loop l = loop_of(o);
    const ifd__dry_options plan = {
        .variant = {.delay = out->delay, .gain = out->gain, .unlimited = true}, .time = time, .times = TIMED};
    ifd__dry d;
    IFD_TRY(ifd__dry_run(arena, &l, &plan, &d, note));
    out->diverged = d.diverged;
    ifd__preflight_interfaces(o, &d, out);
    take_times(time, d.ticks < TIMED ? d.ticks : TIMED, out);
    return IFD_OK;
}

/* Dry runs: peaks, limits, errors, times of ticks. */
static ifd_status run_dry(const ifd_preflight_options *o, ifd_preflight *out, ifd_note *note)
{
    ifd_arena *scratch IFD__CLOSED = ifd_arena_open();
    double *time = scratch ? ifd_arena_array(scratch, TIMED, sizeof *time) : NULL;
    IFD__HAVE(time);
    for (int i = 0; i < TIMED; i++)
        time[i] = 1e9;
    IFD_TRY(limited(scratch, o, time, out, note));
    return unlimited(scratch, o, time, out, note);
}

/* A row of the result contains the time, three numbers of the clock and the columns of the test, eight bytes each. */
static ifd_status weigh(const ifd_preflight_options *o, ifd_preflight *out, ifd_note *note)
{
    ifd_arena *scratch IFD__CLOSED = ifd_arena_open();
    ifd_hybrid *h IFD__TEST_CLOSED = NULL;
    ifd_hybrid_options options;
    const ifd__variant plain = {0};
    struct statvfs disk;
    if (statvfs(o->folder ? o->folder : ".", &disk) == 0)
        out->room = (double)disk.f_bavail * (double)disk.f_frsize;
    IFD_TRY(scratch ? ifd__variant_make(scratch, o->test, o->twin, &plain, &options) : IFD_NO_MEMORY);
    if (o->master)
        IFD_TRY(ifd_remote_make(scratch, o->master, &options.remote, note));
    IFD_TRY(ifd_hybrid_make(scratch, &options, &h, note));
    int columns, every = o->record_every > 0 ? o->record_every : 1;
    ifd_hybrid_columns(h, &columns);
    out->period = ifd_hybrid_period(h);
    out->rate = 8.0 * (columns + 4) / (out->period * every);
    out->duration = o->test->end * (o->test->lambda > 0.0 ? o->test->lambda : 1.0);
    out->bytes = out->rate * (out->duration + o->test->ramp_in);
    out->threads = o->test->couple && o->test->couple->threads > 1;
    return IFD_OK;
}

/* A rig that is ahead of its twin is treated as the twin, which is conservative. */
static bool correct(const ifd_preflight_options *o, ifd_preflight *out)
{
    double later = 0.0, gain = 1.0;
    for (int k = 0; k < out->interfaces && o->seen_delay; k++)
        later = fmax(later, o->seen_delay[k] - out->interface[k].delay);
    for (int k = 0; k < out->interfaces && o->seen_amplitude; k++)
        gain = fmax(gain, o->seen_amplitude[k] / out->interface[k].amplitude);
    out->delay += later;
    out->gain = isfinite(gain) ? gain : 1.0;
    return later > 0.0 || gain > 1.0;
}

/* A structure that another program computes: stability and error depend on that program and cannot be examined here.
 * The twins of the specimens are moved through two cycles at a quarter of their limits, as a master would move them,
 * then ramped out. Durations of ticks, machine and disk are examined as for any test. */
static const double QUARTER = 0.25; /* of a limit, amplitude of the cycles: far from every trip */
enum { SWINGS = 2, MOST_SWUNG = 200000 };

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

static void swing(swinging *s, const ifd_hybrid_options *o, ifd_preflight *out)
{
    ifd_ticked t = ifd_hybrid_ticked(s->h);
    ifd_run_state going = IFD_RUN_GOING;
    for (; going == IFD_RUN_GOING && out->ticks < MOST_SWUNG; out->ticks++) {
        say(s, o);
        int64_t began = ifd__clock_now();
        going = t.tick(t.self, &(ifd_tick_in){0});
        double took = 1e-9 * (double)(ifd__clock_now() - began);
        s->time[out->ticks] = took;
        watch(s->h, out);
    }
    take_times(s->time, out->ticks, out);
    out->trip = ifd_hybrid_trip(s->h);
    out->reached = ifd_hybrid_time(s->h);
    out->governed = ifd_hybrid_count(s->h, IFD_TRIP_GOVERNED);
    out->out_done = out->finished = ifd_hybrid_state(s->h) == IFD_MACHINE_STOPPED && out->trip.trip == IFD_TRIP_NONE;
}

static ifd_status run_master(const ifd_preflight_options *o, ifd_preflight *out, ifd_note *note)
{
    ifd_arena *scratch IFD__CLOSED = ifd_arena_open();
    ifd_hybrid *h IFD__TEST_CLOSED = NULL;
    swinging s = {0};
    ifd_hybrid_options options;
    const ifd__variant plain = {.delay = out->delay, .gain = out->gain};
    IFD_TRY(scratch ? ifd__variant_make(scratch, o->test, o->twin, &plain, &options) : IFD_NO_MEMORY);
    IFD_TRY(IFD__TAKE(scratch, IFD__ARRAY(s.time, MOST_SWUNG)));
    IFD_TRY(ifd_remote_make(scratch, o->master, &s.remote, note));
    options.remote = s.remote;
    IFD_TRY(ifd_hybrid_make(scratch, &options, &h, note));
    s.h = h;
    out->interfaces = o->test->interfaces;
    for (int k = 0; k < out->interfaces; k++)
        out->interface[k].name = o->test->interface[k].name;
    out->error_peak = out->error_rms = (double)NAN;
    choose(&s, &options);
    swing(&s, &options, out);
    return IFD_OK;
}

void ifd_preflight_defaults(ifd_preflight_options *o)
{
    memset(o, 0, sizeof *o);
    o->error_bound = 0.1;
}

/* A test with elastic time is that of a rig with its constant delay. The measured position is compared with the
 * command that it answers, so that this delay is not part of the tracking error, which is not predicted. */
static ifd_status without_elastic(ifd_arena *arena, const ifd_preflight_options *o, ifd_preflight_options *out)
{
    ifd_hybrid_options *test;
    ifd_interface_options *interface;
    *out = *o;
    if (!o->test->elastic)
        return IFD_OK;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(test, 1), IFD__ARRAY(interface, o->test->interfaces)));
    *test = *o->test;
    for (int k = 0; k < test->interfaces; k++) {
        interface[k] = o->test->interface[k];
        interface[k].limits.tracking = interface[k].limits.energy = (double)INFINITY;
    }
    test->interface = interface;
    test->elastic = NULL;
    test->stuck_limit = INT_MAX; /* the position of that rig does not change before its delay has passed */
    test->force_stuck = IFD_STUCK_OFF;
    out->test = test;
    out->delay = o->delay + o->test->elastic->delay * o->test->lambda;
    return IFD_OK;
}

/* A protocol beyond a limit, which a test refuses, is only examined. */
static ifd_status with_protocol(ifd_arena *arena, ifd_preflight_options *o, ifd_note *note)
{
    ifd_hybrid_options *test;
    const char *who, *what;
    IFD_TRY(ifd__protocol_drives(arena, o->test, &who, &what, note));
    bool beyond = who != NULL;
    for (int k = 0; o->test->protocol && k < o->test->interfaces; k++) {
        ifd__demand d;
        beyond = beyond || ifd__protocol_beyond(o->test, k, &d) != NULL;
    }
    if (!beyond)
        return IFD_OK;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(test, 1)));
    *test = *o->test;
    test->observe = true;
    o->test = test;
    return IFD_OK;
}

ifd_status ifd_preflight_run(ifd_arena *arena, const ifd_preflight_options *of, ifd_preflight *out, ifd_note *note)
{
    ifd_preflight_options plain;
    const ifd_preflight_options *o = &plain;
    memset(out, 0, sizeof *out);
    IFD_TRY(without_elastic(arena, of, &plain));
    IFD_TRY(with_protocol(arena, &plain, note));
    if (!(o->error_bound > 0.0))
        return ifd_note_add(note, IFD_RANGE, NULL,
                            "the bound of the predicted error is %g, expected a number above zero; "
                            "ifd_preflight_defaults() sets it",
                            o->error_bound);
    out->gain = 1.0;
    out->error_bound = o->error_bound;
    IFD_TRY(weigh(o, out, note));
    const ifd__wake w = {.period = out->period, .duration = fmin(0.3, 2000.0 * out->period), .core = -1};
    IFD_TRY(ifd__wake_measure(&w, &out->granted, note));
    out->delay = o->delay + o->ticks * out->period;
    if (o->master) {
        IFD_TRY(run_master(o, out, note));
        ifd__preflight_judge(arena, o, out);
        return IFD_OK;
    }
    IFD_TRY(run_dry(o, out, note));
    if (correct(o, out))
        IFD_TRY(run_dry(o, out, note));
    if (!o->test->protocol) /* its loop is open */
        IFD_TRY(ifd__preflight_loop(o, out, note));
    ifd__preflight_judge(arena, of, out);
    return IFD_OK;
}
