/* SPDX-License-Identifier: MIT */
/* Runs a test on its virtual rig and keeps demands and peaks. */
#include "qualify/preflight.h"

#include <math.h>
#include <string.h>

#include "hybrid/columns.h"
#include "hybrid/hybrid.h"
#include "hybrid/ramp_out/ramp_out.h"
#include "base/os_linux.h"

/* Stops of a dry run: the order stop at the instants of the largest velocity, force and change of force, and at ten
 * more, in ramp-in and in run. The states of these instants are kept while the test runs and are continued after it,
 * each until its specimens are at rest: a fraction of a second instead of a whole run. */
enum { EXTREMES = 3, MORE = 10, PLACES = EXTREMES + MORE };
/* A state is kept anew when an extreme grows by this fraction: a few hundred copies instead of one in every tick. */
static const double grown = 1.01;
static const double longest_stop = 30.0; /* s of wall-clock time of one stop */

typedef struct kept {
    double size, time; /* of the extreme; s: of ramp-in, or simulated */
    ifd_measure raw, measure;
    double *x;
} kept;

typedef struct stops {
    kept place[2][PLACES]; /* of ramp-in and of run */
    int taken[2];          /* of the instants that are not extremes */
} stops;

/* NULL in *out: not possible, because another program or a worker thread has a part of the state. */
static ifd_status stops_make(ifd_arena *arena, const ifd_hybrid *h, stops **out)
{
    stops *s;
    *out = NULL;
    if (h->opt.remote || h->numerical.ops->held_elsewhere || (h->opt.couple && h->opt.couple->threads > 1))
        return IFD_OK;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(s, 1)));
    for (int i = 0; i < 2 * PLACES; i++) {
        kept *p = &s->place[i / PLACES][i % PLACES];
        p->time = -1.0;
        IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(p->x, h->size)));
    }
    *out = s;
    return IFD_OK;
}

static double time_of(const ifd_hybrid *h, bool runs)
{
    return runs ? ifd_hybrid_time(h) : ifd__test_of(h)->state_time;
}

static void keep(kept *p, const ifd_hybrid *h, bool runs, double size)
{
    p->size = size;
    p->time = time_of(h, runs);
    p->raw = h->raw;
    p->measure = h->measure;
    memcpy(p->x, h->x, (size_t)h->size * sizeof *p->x);
}

/* Velocity, force and change of force of the specimen for which they are largest, relative to its limits. A force
 * without a limit is relative to that of its stiffness at the end of the stroke. */
static void sizes(const ifd_hybrid *h, double size[EXTREMES])
{
    size[0] = size[1] = size[2] = 0.0;
    for (int k = 0; k < h->interfaces; k++) {
        const ifd__interface_state *s = ifd__interface_of(h, k);
        const ifd__test_interface *w = &h->interface[k];
        double limit = w->o->limits.force, stiff = w->stiffness * (w->bounds.high - w->bounds.low);
        double force = isfinite(limit) ? limit : stiff > 0.0 ? stiff : 1.0;
        size[0] = fmax(size[0], fabs(s->step) / (w->bounds.velocity * h->period));
        size[1] = fmax(size[1], fabs(s->measured_f) / force);
        size[2] = fmax(size[2], fabs(s->measured_f - s->last_f) / force);
    }
}

/* After each tick of ramp-in and run. */
static void stops_watch(stops *s, const ifd_hybrid *h)
{
    ifd_machine state = ifd__state_of(h);
    bool runs = state == IFD_MACHINE_RUN, ramps = state == IFD_MACHINE_RAMP_IN;
    double size[EXTREMES], end = runs ? h->opt.end : h->opt.ramp_in;
    if ((!runs && !ramps) || !ifd__substructure_whole(&h->numerical, (int)ifd__test_of(h)->exchange))
        return;
    kept *p = s->place[runs];
    sizes(h, size);
    for (int i = 0; i < EXTREMES; i++)
        if (size[i] > grown * p[i].size)
            keep(&p[i], h, runs, size[i]);
    int *more = &s->taken[runs];
    if (*more < MORE && time_of(h, runs) >= (*more + 0.5) / MORE * end)
        keep(&p[EXTREMES + (*more)++], h, runs, 0.0);
}

static void put_back(ifd_hybrid *h, const kept *p)
{
    h->raw = p->raw;
    h->measure = p->measure;
    memcpy(h->x, p->x, (size_t)h->size * sizeof *p->x);
    h->command.tick = (uint64_t)ifd__test_of(h)->tick; /* which the rig acknowledges next */
}

static void see_peaks(const ifd_hybrid *h, ifd__dry *out)
{
    for (int k = 0; k < h->interfaces; k++) {
        const ifd__interface_state *s = ifd__interface_of(h, k);
        ifd__dry_interface *d = &out->interface[k];
        d->stop_low = fmin(d->stop_low, fmin(s->command, s->measured_x));
        d->stop_high = fmax(d->stop_high, fmax(s->command, s->measured_x));
        d->stop_force = fmax(d->stop_force, fabs(s->measured_f));
    }
}

/* Until everything is at rest, or it trips. */
static void stop(ifd_hybrid *h, const kept *p, bool runs, ifd__dry *out)
{
    ifd_ticked t = ifd_hybrid_ticked(h);
    ifd_order order = IFD_ORDER_STOP;
    put_back(h, p);
    for (double time = 0.0; time < longest_stop; time += h->period) {
        (void)t.tick(t.self, &(ifd_tick_in){.order = order});
        order = IFD_ORDER_NONE;
        see_peaks(h, out);
        ifd_machine state = ifd__state_of(h);
        bool rests = state == IFD_MACHINE_RAMP_OUT && ifd__test_of(h)->braked > 0.0;
        if (rests || state == IFD_MACHINE_STOPPED || state == IFD_MACHINE_TRIPPED)
            break;
    }
    if (ifd__state_of(h) == IFD_MACHINE_TRIPPED && out->stop_trip.trip == IFD_TRIP_NONE) {
        out->stop_trip = ifd_hybrid_trip(h);
        out->stop_runs = runs;
        out->stop_time = p->time;
    }
    out->stops++;
}

/* After the test, whose state it replaces. */
static void stops_try(stops *s, ifd_hybrid *h, ifd__dry *out)
{
    for (int i = 0; i < 2 * PLACES; i++) {
        const kept *p = &s->place[i / PLACES][i % PLACES];
        if (p->time >= 0.0)
            stop(h, p, i / PLACES, out);
    }
}

enum { MOST_NUMBERS = 20000000 };

/* Sums and extremes of one interface. */
typedef struct watched {
    double w;                /* of the tick before: step of the command */
    double x;                /* m, measured in the tick before; NAN before the first tick */
    double most_x, force;    /* m: the largest deformation; N: the force there */
    double most_v, at_speed; /* m/s: the largest velocity; N: the force there */
} watched;

typedef struct watching {
    ifd_hybrid *h;
    const ifd_limits *limits; /* of the test, per interface */
    const ifd__dry_options *o;
    ifd__dry *out;
    watched interface[IFD_RIG_ACTUATORS];
    double w[IFD_RIG_ACTUATORS]; /* of the tick before: step of each actuator of a drive */
    double step;                 /* the last recorded one */
    stops *stops;                /* NULL: none */
    int stretches;
} watching;

static double larger(double a, double b)
{
    return fmax(a, fabs(b));
}

/* The largest deformation inside the stroke, the largest velocity, and the forces there. */
static void watch_run(watched *c, const ifd_limits *l, double x, double f, double tick)
{
    double v = (x - c->x) / tick;
    c->x = x;
    if (!(x >= l->low && x <= l->high))
        return;
    if (fabs(x) > fabs(c->most_x)) {
        c->most_x = x;
        c->force = f;
    }
    if (fabs(v) > fabs(c->most_v)) {
        c->most_v = v;
        c->at_speed = f;
    }
}

static void watch_channel(watching *s, int k)
{
    const ifd_hybrid *h = s->h;
    ifd_preflight_interface *d = &s->out->interface[k].seen;
    watched *c = &s->interface[k];
    double p = ifd__interface_of(h, k)->command, w = ifd__interface_of(h, k)->step,
           x = ifd__interface_of(h, k)->measured_x, f = ifd__interface_of(h, k)->measured_f, T = h->period;
    d->low = fmin(d->low, fmin(p, x));
    d->high = fmax(d->high, fmax(p, x));
    d->velocity = larger(d->velocity, w / T);
    d->acceleration = larger(d->acceleration, (w - c->w) / (T * T));
    d->force = larger(d->force, f);
    d->force_rate = larger(d->force_rate, (f - ifd__interface_of(h, k)->last_f) / T);
    d->energy = larger(d->energy, ifd__interface_of(h, k)->energy);
    if (ifd_hybrid_state(h) == IFD_MACHINE_RUN) {
        d->tracking = larger(d->tracking, x - ifd__interface_of(h, k)->target);
        if (isfinite(c->x))
            d->absorbed += 0.5 * (f + ifd__interface_of(h, k)->last_f) * (x - c->x);
        watch_run(c, &s->limits[k], x, f, T);
    }
    c->w = w;
    double far = 100.0 * larger(larger(0.0, s->limits[k].low), s->limits[k].high);
    if (!isfinite(p) || !isfinite(x) || !isfinite(f) || fabs(p) > far || fabs(x) > far)
        s->out->diverged = true;
}

static void watch_drives(watching *s)
{
    const ifd_hybrid *h = s->h;
    const double T = h->period;
    for (int d = 0; d < h->drives; d++)
        for (int j = 0; j < h->drive[d].o->drive.actuators; j++) {
            int n = h->drive[d].first + j;
            const ifd__actuator_state *a = ifd__actuator_of(h, &h->drive[d], j);
            ifd_preflight_interface *out = &s->out->actuator[n].seen;
            out->low = fmin(out->low, fmin(a->command, a->measured_x));
            out->high = fmax(out->high, fmax(a->command, a->measured_x));
            out->velocity = larger(out->velocity, a->step / T);
            out->acceleration = larger(out->acceleration, (a->step - s->w[n]) / (T * T));
            out->force = larger(out->force, a->measured_f);
            out->force_rate = larger(out->force_rate, (a->measured_f - a->last_f) / T);
            if (ifd_hybrid_state(h) == IFD_MACHINE_RUN)
                out->tracking = larger(out->tracking, a->error);
            s->w[n] = a->step;
        }
}

/* Records a row at the end of a whole step: deformations of specimens and displacements of dofs. */
static void keep_row(watching *s)
{
    const ifd_hybrid *h = s->h;
    double step = ifd__test_of(h)->step;
    if (s->o->every == 0 || step <= s->step || ifd__test_of(h)->exchange != 0.0)
        return;
    s->step = step;
    if (fmod(step, (double)s->o->every) != 0.0)
        return;
    double *row = s->out->series + s->out->rows++ * s->out->columns;
    for (int k = 0; k < s->stretches; k++) {
        const ifd_interface_options *c = h->interface[k].o;
        const double *u = h->x + h->numerical.model[c->part].at;
        *row++ = IFD__ELONGATION(c, u);
    }
    for (int i = 0; i < s->out->columns - s->stretches; i++)
        *row++ = ifd__columns_shown(h, i);
}

static const double settled = 0.1; /* s after the brake until the actuators have arrived */

static const long patient = 100; /* ticks: 10 s contain a few long ones only */

static bool over(const watching *s)
{
    const ifd_hybrid *h = s->h;
    ifd_machine state = ifd_hybrid_state(h);
    if (s->out->diverged || state == IFD_MACHINE_TRIPPED || state == IFD_MACHINE_RAMP_OUT ||
        state == IFD_MACHINE_STOPPED)
        return true;
    bool stuck = state == IFD_MACHINE_IDLE && s->out->ticks > patient && (double)s->out->ticks * h->period > 10.0;
    return stuck || state == IFD_MACHINE_HOLD; /* nothing resumes it here */
}

/* A tick of ramp-out. The smoothed force counts from the end of the brake. */
static void watch_ramp_out(watching *s)
{
    const ifd_hybrid *h = s->h;
    bool braked = ifd__test_of(h)->braked > settled;
    s->out->out_time += h->period;
    for (int k = 0; k < h->interfaces; k++) {
        ifd__dry_interface *d = &s->out->interface[k];
        double w = ifd__interface_of(h, k)->step, F = ifd__out(h, k)->force;
        d->out_acceleration = larger(d->out_acceleration, (w - s->interface[k].w) / (h->period * h->period));
        s->interface[k].w = w;
        if (braked && d->out_began == 0.0)
            d->out_began = F;
        if (braked && F * d->out_began < 0.0)
            d->out_across = larger(d->out_across, F);
    }
}

/* Executes ramp-out to its end or to a trip, after its first tick. */
static void lead_out(watching *s)
{
    const double longest = 3600.0; /* s of wall-clock time; unloading has a limit, a return at creep speed may not */
    ifd_ticked t = ifd_hybrid_ticked(s->h);
    while (ifd_hybrid_state(s->h) == IFD_MACHINE_RAMP_OUT && s->out->out_time < longest) {
        (void)t.tick(t.self, &(ifd_tick_in){0});
        watch_ramp_out(s);
    }
    s->out->out_done = ifd_hybrid_state(s->h) == IFD_MACHINE_STOPPED;
    s->out->actuators = s->h->actuators;
    for (int a = 0; a < s->h->actuators; a++) {
        ifd_limits l;
        ifd_hybrid_rig_limits(s->h, a, &l);
        s->out->last_force[a] = s->h->measure.force[a];
        s->out->last_limit[a] = l.force;
    }
    s->out->out_trip = ifd_hybrid_trip(s->h);
}

static void tick_through(watching *s)
{
    ifd_ticked t = ifd_hybrid_ticked(s->h);
    ifd__dry *out = s->out;
    ifd_run_state state = IFD_RUN_GOING;
    while (state == IFD_RUN_GOING && !over(s)) {
        int64_t began = ifd__clock_now();
        state = t.tick(t.self, &(ifd_tick_in){0});
        double took = 1e-9 * (double)(ifd__clock_now() - began);
        if (s->o->time && out->ticks < s->o->times)
            s->o->time[out->ticks] = fmin(s->o->time[out->ticks], took);
        out->ticks++;
        keep_row(s);
        if (s->stops)
            stops_watch(s->stops, s->h);
        ifd_machine now = ifd_hybrid_state(s->h);
        bool moves = now == IFD_MACHINE_RAMP_IN || now == IFD_MACHINE_RUN;
        for (int k = 0; k < s->h->interfaces && moves; k++)
            watch_channel(s, k);
        if (moves)
            watch_drives(s);
        if (now == IFD_MACHINE_RAMP_OUT)
            watch_ramp_out(s);
    }
}

static void conclude(watching *s)
{
    const ifd_hybrid *h = s->h;
    ifd__dry *out = s->out;
    out->reached = ifd_hybrid_time(h);
    out->trip = ifd_hybrid_trip(h);
    out->diverged = out->diverged || (out->trip.trip == IFD_TRIP_SOLVER && out->trip.limit > 0.0); /* ran away */
    out->finished = ifd__test_of(h)->step >= (double)h->steps && !out->diverged;
    out->governed = ifd_hybrid_count(h, IFD_TRIP_GOVERNED);
    for (int k = 0; k < h->interfaces; k++) {
        const watched *c = &s->interface[k];
        ifd_preflight_interface *d = &out->interface[k].seen;
        ifd_tracking t = ifd_hybrid_tracking(h, k);
        out->interface[k].deformation = c->most_x;
        d->secant = c->force * c->most_x > 0.0 ? c->force / c->most_x : 0.0;
        d->viscous = c->at_speed * c->most_v > 0.0 ? c->at_speed / c->most_v : 0.0;
        d->delay = t.delay;
        d->amplitude = t.amplitude;
    }
}

static ifd__dry_column named(ifd_arena *arena, const char *part, const char *dof, ifd_dof_kind kind)
{
    return (ifd__dry_column){part ? ifd_arena_print(arena, "%s.%s", part, dof) : ifd_arena_text(arena, dof),
                             ifd__dof_turns(kind), false};
}

/* The recorded displacement i. */
static ifd__dry_column moving(const ifd_hybrid *h, ifd_arena *arena, int i)
{
    int at = h->shown[i], gone = -1 - at;
    for (int p = 0; p < h->numerical.models; p++) {
        const ifd__numerical_model *b = &h->numerical.model[p];
        if (at >= b->at && at < b->at + b->m->n)
            return named(arena, b->name, b->m->dof_name[at - b->at], b->m->dof_kind[at - b->at]);
        if (at < 0 && gone < b->m->ngone)
            return named(arena, b->name, b->m->gone[gone], b->m->gone_kind[gone]);
        gone -= b->m->ngone;
    }
    return (ifd__dry_column){0};
}

static ifd_status make_series(watching *s, ifd_arena *arena)
{
    const ifd_hybrid *h = s->h;
    if (s->o->every == 0)
        return IFD_OK;
    size_t rows = (size_t)(h->steps / s->o->every) + 2;
    s->stretches = h->interfaces;
    s->out->columns = h->interfaces + h->moves;
    if (rows * (size_t)s->out->columns > MOST_NUMBERS)
        s->out->columns = s->stretches;
    s->out->series = ifd_arena_array(arena, rows * (size_t)s->out->columns, sizeof *s->out->series);
    s->out->column = ifd_arena_array(arena, (size_t)s->out->columns, sizeof *s->out->column);
    if (!s->out->series || !s->out->column)
        return IFD_NO_MEMORY;
    for (int i = 0; i < s->out->columns; i++)
        s->out->column[i] = i < s->stretches
                                ? (ifd__dry_column){h->interface[i].o->name, ifd__preflight_turns(&h->opt, i), true}
                                : moving(h, arena, i - s->stretches);
    return IFD_OK;
}

static ifd_status prepare(watching *s, ifd_arena *arena, ifd_arena *scratch, const ifd__loop *l, ifd_note *note)
{
    ifd_hybrid_options options;
    IFD_TRY(ifd__variant_make(scratch, l->test, l->laboratory, &s->o->variant, &options));
    if (!s->o->time) /* the times of ticks are those of a recorded test; otherwise its rows are not used */
        options.what = IFD_RECORD_GROUND;
    IFD_TRY(ifd_hybrid_make(scratch, &options, &s->h, note));
    if (!s->o->time)
        ifd__hybrid_untraced(s->h);
    ifd_limits *limits = ifd_arena_array(scratch, (size_t)l->test->interfaces, sizeof *limits);
    for (int k = 0; limits && k < l->test->interfaces; k++)
        limits[k] = l->test->interface[k].limits;
    s->limits = limits;
    if (s->o->stops)
        IFD_TRY(stops_make(scratch, s->h, &s->stops));
    for (int k = 0; k < l->test->interfaces; k++)
        s->interface[k].x = (double)NAN;
    return limits ? make_series(s, arena) : IFD_NO_MEMORY;
}

ifd_status ifd__dry_run(ifd_arena *arena, const ifd__loop *l, const ifd__dry_options *o, ifd__dry *out,
                        ifd_note *note)
{
    ifd_arena *scratch IFD__CLOSED = ifd_arena_open();
    watching s = {.o = o, .out = out};
    memset(out, 0, sizeof *out);
    ifd_status status = scratch ? prepare(&s, arena, scratch, l, note) : IFD_NO_MEMORY;
    if (status == IFD_OK) {
        tick_through(&s);
        conclude(&s);
        if (o->out)
            lead_out(&s);
        if (s.stops && out->finished)
            stops_try(s.stops, s.h, out);
    }
    ifd_hybrid_close(s.h);
    return status;
}

/* Largest value and sum of squares of column c. */
static void size_of(const ifd__dry *d, int c, long rows, double *most, double *sum)
{
    *most = *sum = 0.0;
    for (long r = 0; r < rows; r++) {
        double y = d->series[r * d->columns + c];
        *most = fmax(*most, fabs(y));
        *sum += y * y;
    }
}

/* The largest column of each kind: lengths, angles. */
typedef struct largest {
    double most[2], sum[2];
} largest;

static largest largest_of(const ifd__dry *d, long rows)
{
    largest all = {{0.0}, {0.0}};
    for (int c = 0; c < d->columns; c++) {
        double most, sum;
        int kind = d->column[c].turns;
        size_of(d, c, rows, &most, &sum);
        all.most[kind] = fmax(all.most[kind], most);
        all.sum[kind] = fmax(all.sum[kind], sum);
    }
    return all;
}

static const double at_rest = 1e-3, minor = 0.1;

bool ifd__dry_compare(const ifd__dry *a, const ifd__dry *b, ifd__dry_error *out)
{
    long rows = a->rows < b->rows ? a->rows : b->rows;
    *out = (ifd__dry_error){0};
    if (a->columns != b->columns || rows < 2)
        return false;
    const largest all = largest_of(b, rows);
    for (int c = 0; c < a->columns; c++) {
        const ifd__dry_column *column = &b->column[c];
        double most, sum, off = 0.0, sum_off = 0.0, least = column->specimen ? at_rest : minor;
        size_of(b, c, rows, &most, &sum);
        most = fmax(most, fmax(least * all.most[column->turns], at_rest * all.most[!column->turns]));
        sum = fmax(sum, fmax(least * least * all.sum[column->turns], at_rest * at_rest * all.sum[!column->turns]));
        for (long r = 0; r < rows; r++) {
            double e = a->series[r * a->columns + c] - b->series[r * b->columns + c];
            off = fmax(off, fabs(e));
            sum_off += e * e;
        }
        double rms = sum > 0.0 ? sqrt(sum_off / sum) : 0.0;
        out->peak = fmax(out->peak, most > 0.0 ? off / most : 0.0);
        out->column = rms > out->rms ? c : out->column;
        out->rms = fmax(out->rms, rms);
    }
    return true;
}
