/* SPDX-License-Identifier: MIT */
/* Simulated time as a multiple of wall-clock time: hold, resume, ordered pace, overtime. */
#include "hybrid/pace/scaled.h"

#include <math.h>

#include "hybrid/observe.h"
#include "rig/quintic.h"
#include "hybrid/chain/effective_force.h"

/* A hold takes `brake`, and longer after a slow run: a rate r that decreases to zero within T changes the
 * acceleration of the command to r^2 a + r' v, with r' up to 1.5/T. For a motion v = V sin, a = A cos it is below A
 * if T is at least sqrt(3) V/A; rounded up. If v and a are both large and of opposite sign, the change of rate adds
 * to the deceleration: with r = 1 - 3x^2, r' = 6x/T it is at most a + 3/2 v^2/(a T^2), which is below A if T is at
 * least v sqrt(1.5/(a (A - a))), with A - a at least this fraction of A. An addition below 0.01 of the limit does not
 * extend the hold: in a slow test a longer hold would include stages with interpolated forces (error 3e-4 of the
 * force in tests/app/test_day.sh), while a short one ends at the next stage and changes no later bit. A hold can then
 * exceed the peak of the run: in bridge/hybrid-slow, at 13.3 s, the hold has 0.54 m/s2 and the resume 0.57 m/s2, the
 * run 0.33 m/s2, with a limit of 200 m/s2. Without the exception the longest hold takes 2.2 s instead of 0.5 s. */
static const double slow_brake = 1.75; /* of V/A of the run */
static const double steepest = 1.5;    /* largest slope of the smooth rate, over 1/T */
static const double gentle = 0.01;     /* of the acceleration limit */
static const double room = 0.02;       /* of A */

/* A command: peaks of velocity and acceleration in the run, its present ones, and the limit of its acceleration. */
typedef struct motion {
    double V, A, v, a, limit;
} motion;

/* s, duration of the brake of a command. */
static double time_of_brake(const ifd_hybrid *h, const motion *m)
{
    (void)h;
    if (!(m->V > 0.0) || !(m->A > 0.0))
        return 0.0;
    double time = slow_brake * m->V / m->A, slows = m->v * m->a < 0.0 ? fmin(fabs(m->a), m->A) : 0.0;
    if (slows > 0.0)
        time = fmax(time, fabs(m->v) * sqrt(steepest / (slows * fmax(m->A - slows, room * m->A))));
    return fmin(time, steepest * m->V / (gentle * m->limit));
}

/* s, at least `time`: of the slowest interface or actuator of a drive. */
static double slowest(const ifd_hybrid *h, double time, double (*time_of)(const ifd_hybrid *, const motion *))
{
    for (int k = 0; k < h->interfaces; k++) {
        const ifd__interface_state *s = h->each[k];
        const motion m = {s->seen.peak_v, s->seen.peak_a, s->step / h->period, ifd__observed_present(&h->io, k),
                          h->interface[k].bounds.acceleration};
        time = h->interface[k].o->force ? time : fmax(time, time_of(h, &m));
    }
    for (int d = 0; d < h->drives; d++)
        for (int j = 0; j < h->drive[d].o->drive.actuators; j++) {
            const ifd__actuator_state *a = ifd__actuator_of(h, &h->drive[d], j);
            const motion m = {a->peak_v, a->peak_a, a->step / h->period, a->a, h->drive[d].bounds[j].acceleration};
            time = fmax(time, time_of(h, &m));
        }
    return time;
}

static double ticks_of_brake(const ifd_hybrid *h)
{
    double time = slowest(h, h->opt.brake, time_of_brake);
    return fmax(2.0, round(fmin(time, IFD__LONGEST_BRAKE * h->opt.brake) / h->period));
}

/* Upper bound of the weight of the newest force at a stage half a tick ahead, while the rate of a resumed test
 * increases. */
static const double most_ahead = 2.0;

/* Whether the force of the due stage is the kept one. */
static bool keeps(const ifd_hybrid *h)
{
    return ifd__overtime(h) && h->test->solved == 0.0;
}

static double at_least(double low, double x)
{
    return x > low ? x : low;
}

void ifd__time_begin(ifd_hybrid *h)
{
    ifd__test_state *t = h->test;
    t->phase = t->last_phase = h->numerical.lead_in ? 0.0 : h->opt.ticks_per_stage;
    t->rate_from = t->rate_to = 1.0;
    t->slope_from = t->calm = 0.0;
    t->path_tick = t->path_ticks = h->opt.ticks_per_stage; /* no plan; a remote path is complete */
}

void ifd__time_start(ifd_hybrid *h)
{
    ifd__time_begin(h);
    h->test->rate = 1.0;
    h->test->slope = 0.0;
}

/* Ticks in which a rate changes smoothly from r0, with the slope `slope` per tick, to r1 with slope zero over a given
 * distance: the quintic covers N (r0 + r1)/2 + N^2 slope/12. */
static double ticks_of_travel(double travel, double r0, double r1, double slope)
{
    double b = 0.5 * (r0 + r1);
    return 2.0 * travel / (b + sqrt(at_least(0.0, b * b + slope * travel / 3.0)));
}

static double pace_of(const ifd_hybrid *h)
{
    return h->test->pace;
}

/* With a given end, the number of ticks follows; the quintic corrects for its rounding. From near rest the number
 * would be infinite: the rate then increases first, not beyond the ordered pace. */
static void plan(ifd_hybrid *h, double to, double r1)
{
    ifd__test_state *t = h->test;
    double from = t->phase, r0 = t->rate, slope = t->slope;
    double even = ticks_of_travel(to - from, r0, r1, slope),
           most = at_least(ticks_of_brake(h), 2.0 * (to - from) / pace_of(h));
    t->rate_from = r0;
    t->rate_to = r1;
    t->slope_from = slope;
    t->phase_from = from;
    t->phase_to = to;
    t->path_tick = 0.0;
    t->path_ticks = at_least(1.0, ceil(even < most ? even : most)); /* not faster than with a linear rate */
}

/* Distance in which `ticks` at full rate change the present rate to r1. */
static double travel_of(const ifd_hybrid *h, double r1)
{
    double r = h->test->rate, N = fabs(r1 - r) * ticks_of_brake(h);
    return at_least(0.0, 0.5 * (r + r1) * N + h->test->slope * N * N / 12.0);
}

/* The plan as a quintic over x, 0..1, in ticks. */
static ifd__quintic plan_of(const ifd_hybrid *h)
{
    ifd__test_state *t = h->test;
    double N = t->path_ticks;
    const double a[3] = {t->phase_from, N * t->rate_from, N * N * t->slope_from};
    const double b[3] = {t->phase_to, N * t->rate_to, 0.0};
    return ifd__quintic_of(a, b);
}

/* Whether the rate of the plan stays between rest and full rate, with a tolerance. */
static bool sound(const ifd_hybrid *h)
{
    enum { POINTS = 16 };
    const double tolerance = 1e-3, half = 0.5, most = 1.0 + tolerance - half;
    const ifd__quintic p = plan_of(h);
    double N = h->test->path_ticks, y[3];
    bool all = true;
    for (int i = 1; i < POINTS; i++) {
        ifd__quintic_at(&p, (double)i / POINTS, y);
        all = all && fabs(y[1] - half * N) <= most * N;
    }
    return all;
}

/* A plan that begins with the slope of an unfinished change can overshoot: the change then ends first, and `follow`
 * plans again. */
static bool plan_soundly(ifd_hybrid *h, double to, double r1)
{
    ifd__test_state *t = h->test, before = *t;
    plan(h, to, r1);
    if (before.slope == 0.0 || before.path_tick >= before.path_ticks || sound(h))
        return true;
    *t = before;
    return false;
}

/* Rest is at the first sufficiently distant stage, with substructures at the last stage of a step. */
static void hold(ifd_hybrid *h)
{
    double phase = h->test->phase, m = h->opt.ticks_per_stage;
    double exchanges = h->numerical.exchanges;
    double more = ceil(at_least(0.0, phase + travel_of(h, 0.0) - m) / m), due = h->test->exchange;
    if (ifd__overtime(h))
        return; /* it ends at rest */
    if (h->numerical.coupled)
        more += fmod(2.0 * exchanges - fmod(due + more, exchanges), exchanges);
    (void)plan_soundly(h, m * (1.0 + more), 0.0);
}

/* The ordered pace, or less if the monitor has slowed the test. */
static double goal_of(const ifd_hybrid *h)
{
    return fmin(pace_of(h), h->test->cap);
}

/* At full rate all ticks are whole, and at the ordered pace, a negative power of two, every stage is on a tick. */
static bool go_on(ifd_hybrid *h)
{
    const double shortest =
        0.25; /* of the ticks of the brake: over this distance the remainder of a whole tick is corrected */
    double goal = goal_of(h);
    double travel = at_least(shortest * ticks_of_brake(h) * goal, travel_of(h, goal));
    return !ifd__overtime(h) && plan_soundly(h, ceil(h->test->phase + travel), goal);
}

static void resume(ifd_hybrid *h)
{
    h->test->cap = 1.0;
    (void)go_on(h);
}

/* After a change: what was asked for during it. */
static void follow(ifd_hybrid *h)
{
    const ifd__test_state *t = h->test;
    ifd_machine state = ifd__state_of(h);
    if (t->path_tick < t->path_ticks)
        return;
    if (state == IFD_MACHINE_RUN && t->rate_to != goal_of(h))
        (void)go_on(h);
    if (state == IFD_MACHINE_HOLD && t->rate_to != 0.0)
        hold(h);
}

bool ifd__time_slowest(const ifd_hybrid *h)
{
    return pace_of(h) <= IFD__SLOWEST;
}

bool ifd__time_watched(const ifd_hybrid *h)
{
    return ifd__state_of(h) == IFD_MACHINE_RUN && h->test->cap < 1.0 && h->test->pace >= h->test->cap;
}

void ifd__time_order(ifd_hybrid *h, ifd_order order)
{
    double *pace = &h->test->pace;
    if (order == IFD_ORDER_SLOWER)
        *pace = at_least(IFD__SLOWEST, 0.5 * *pace);
    if (order == IFD_ORDER_FASTER)
        *pace = fmin(1.0, 2.0 * *pace);
    ifd_slowdown_order(&h->slowdown, order);
}

static void order_pace(ifd_hybrid *h, ifd_order order)
{
    double before = goal_of(h);
    ifd__time_order(h, order);
    if (goal_of(h) != before && ifd__state_of(h) == IFD_MACHINE_RUN)
        (void)go_on(h); /* a hold resumes with it */
}

bool ifd__time_slow(ifd_hybrid *h, double share)
{
    double rate = share * pace_of(h);
    bool slower = rate < goal_of(h);
    if (!slower)
        return false;
    h->test->cap = rate;
    (void)go_on(h);
    return true;
}

bool ifd__time_rests(const ifd_hybrid *h)
{
    return h->test->rate_to == 0.0 && h->test->path_tick >= h->test->path_ticks && !ifd__overtime(h);
}

/* Whether the rate of simulated time changes or differs from the ordered pace, at which stages are on ticks. */
static bool changes(const ifd_hybrid *h)
{
    return h->test->rate_to < pace_of(h) || h->test->path_tick < h->test->path_ticks || ifd__overtime(h);
}

/* Taken over within this number of stages; released as slowly as the rate changed, when the memory of a compensator
 * has decayed. */
static const double takeover = 16.0;

void ifd__time_calm(ifd_hybrid *h)
{
    double *calm = &h->test->calm;
    *calm = changes(h) ? fmin(1.0, *calm + 1.0 / (takeover * h->opt.ticks_per_stage))
                       : at_least(0.0, *calm - 1.0 / ticks_of_brake(h));
}

/* 1 - q of the calm command. The memory is three stages or less: 0.05 of a brake, which is then followed, and 0.1 of
 * 1/w = V/A of the run, with an error of 0.001. */
static double forgets(const ifd_hybrid *h, int k)
{
    const double each_stage = 0.25, each_brake = 20.0, each_radian = 10.0;
    double V = h->each[k]->seen.peak_v, A = h->each[k]->seen.peak_a, turns = V > 0.0 ? A / V : 0.0;
    double rate = fmax(each_radian * turns, each_brake / h->opt.brake) * h->period;
    return fmin(1.0, fmax(each_stage / h->opt.ticks_per_stage, rate));
}

bool ifd__time_calmed(ifd_hybrid *h, int k, double last, double *u)
{
    const ifd__bounds *b = &h->interface[k].bounds;
    ifd__calm *follows = &h->each[k]->calm;
    double calm = h->test->calm;
    ifd__calm_step(follows, *u, last, forgets(h, k));
    if (!(calm > 0.0))
        return false;
    double led = ifd__calm_position(follows, *u, calm, b->acceleration * b->dt * b->dt);
    h->each[k]->next_target += led - *u;
    *u = led;
    return true;
}

double ifd__time_rate(const ifd_hybrid *h)
{
    ifd__test_state *t = h->test;
    if (ifd__overtime(h))
        return t->phase - t->last_phase; /* the sum of all rates is simulated time */
    return t->not_ready > 0.0 ? 0.0 : t->rate;
}

double ifd__time_scale(const ifd_hybrid *h)
{
    return ifd__time_rate(h) / h->opt.lambda;
}

void ifd__time_stage(ifd_hybrid *h)
{
    ifd__test_state *t = h->test;
    t->phase -= h->opt.ticks_per_stage;
    t->last_phase -= h->opt.ticks_per_stage;
    t->phase_from -= h->opt.ticks_per_stage;
    t->phase_to -= h->opt.ticks_per_stage;
}

/* The phase one tick later, its rate and slope; the phase never decreases. */
static void next(const ifd_hybrid *h, double out[3])
{
    ifd__test_state *t = h->test;
    double N = t->path_ticks, K = t->path_tick + 1.0, phase = t->phase;
    if (K < N) {
        const ifd__quintic p = plan_of(h);
        ifd__quintic_at(&p, K / N, out);
        out[0] = at_least(phase, out[0]);
        out[1] = fmin(1.0, at_least(0.0, out[1] / N));
        out[2] /= N * N;
        return;
    }
    out[0] = K == N ? t->phase_to : phase + t->rate_to;
    out[1] = t->rate_to;
    out[2] = 0.0;
}

/* A stage between two ticks is due at the nearer one: a path is extended past its end by at most half a tick, and a
 * force is extrapolated by at most half a tick. */
bool ifd__time_due(const ifd_hybrid *h)
{
    double y[3], left = h->opt.ticks_per_stage - h->test->phase;
    if (ifd__overtime(h))
        return keeps(h);
    next(h, y);
    return left <= 0.0 || left < y[0] - h->opt.ticks_per_stage;
}

/* At rest, or the due stage could not be solved. A stage that becomes due by an order of this tick does not wait: it
 * is solved in the next one. */
static bool waits(const ifd_hybrid *h)
{
    const ifd__test_state *t = h->test;
    return ifd__time_due(h) && (ifd__overtime(h) || t->not_ready > 0.0 || t->phase >= h->opt.ticks_per_stage);
}

/* Proportional to the distance if the specimen passes the displacement of the stage, or will within a tick; this is
 * exact for linear forces, also if the calm command is off the path. Proportional to time if the specimen reverses in
 * between. */
double ifd__time_fraction(const ifd_hybrid *h, int k)
{
    double m = h->opt.ticks_per_stage, now = h->test->phase, old = h->test->last_phase;
    if (now <= old || old >= m)
        return 1.0;
    double u = h->each[k]->force_at, time = fmin((m - old) / (now - old), most_ahead);
    if (h->interface[k].o->force)
        return time; /* the command is not the motion of the dof */
    double travel = (h->each[k]->to_u - u) / (h->each[k]->next_target - u);
    return fabs(travel - time) <= 0.5 ? travel : time;
}

/* Between stages a cubic through displacement and velocity at both. */
void ifd__time_path_at(const ifd__io *io, int k, double phase, double out[3])
{
    const ifd__interface_state *c = io->interface[k];
    double T = io->f->stage_time, s = phase / io->f->opt->ticks_per_stage, past = s - 1.0;
    double va = T * c->from_v, vb = T * c->to_v;
    if (past > 0.0) {
        out[0] = c->to_u + past * (vb + 0.5 * past * (vb - va));
        out[1] = (vb + past * (vb - va)) / T;
        out[2] = (vb - va) / (T * T);
        return;
    }
    const ifd__cubic p = ifd__cubic_of(c->from_u, va, c->to_u, vb);
    ifd__cubic_at(&p, s, T, out);
    out[0] = s == 1.0 ? c->to_u : out[0]; /* exact end */
}

static const double fraction = 0.9;  /* of the acceleration limit */
static const double continues = 0.5; /* of the ordered pace: a smaller rate returns first */
static const double reach = 0.25;    /* of a stage */

/* s, T/2 of one command; `gentle` accelerations are permitted whatever the run had. */
static double time_of_return(const ifd_hybrid *h, const motion *m)
{
    double own = m->V > 0.0 && m->A > 0.0 ? m->V / m->A : h->opt.brake;
    return fmax(fmin(own, fmax(h->opt.brake, 2.0 * m->V / (gentle * m->limit))),
                2.0 * fabs(m->v) / (fraction * m->limit));
}

/* From the present rate to rest at a phase, also backwards; then each tick of it: whether it has ended. */
static void go_back(ifd_hybrid *h, double to, double ticks)
{
    ifd__test_state *t = h->test;
    t->rate_from = t->rate;
    t->slope_from = t->slope;
    t->phase_from = t->phase;
    t->phase_to = to;
    t->rate_to = t->path_tick = 0.0;
    t->path_ticks = ticks;
}

static bool goes_back(ifd_hybrid *h)
{
    ifd__test_state *t = h->test;
    double y[3] = {t->phase_to, 0.0, 0.0}, N = t->path_ticks;
    t->path_tick += 1.0;
    if (t->path_tick < N) {
        const ifd__quintic p = plan_of(h);
        ifd__quintic_at(&p, t->path_tick / N, y);
    }
    t->last_phase = t->phase;
    t->phase = y[0];
    t->rate = y[1] / N;
    t->slope = y[2] / (N * N);
    return t->path_tick >= N;
}

/* A share of the change of the force since the last tick is kept for the next one. */
static void keep_force(ifd_hybrid *h, int k, double share)
{
    double f = ifd__chain_force(&h->io, k);
    h->each[k]->force = share == 1.0 ? f : h->each[k]->force + share * (f - h->each[k]->force);
    if (ifd__between_walls(&h->io, k))
        ifd__wall_keep(&h->io, k, share);
}

/* With less than a tick in reach a test that tolerates late ticks waits at the stage, braked by the governor. */
static void late(ifd_hybrid *h, ifd_action action)
{
    ifd__test_state *t = h->test;
    bool held = action >= IFD_ACTION_HOLD || ifd__state_of(h) == IFD_MACHINE_HOLD;
    if (ifd__overtime(h) || (!held && reach * h->opt.ticks_per_stage < 1.0))
        return;
    if (t->not_ready > 1.0) /* it has waited there */
        t->rate = t->slope = 0.0;
    for (int k = 0; k < h->interfaces; k++)
        keep_force(h, k, ifd__time_fraction(h, k)); /* the force of the stage, as it would be used now */
    t->overtime = 1.0;
    t->solved = 0.0;
    go_back(h, h->opt.ticks_per_stage, ceil(2.0 * slowest(h, 2.0 * h->period, time_of_return) / h->period));
}

/* The place of the stage is the end of the present path, or the beginning of the next one. */
static double past(const ifd__io *io)
{
    return io->test->solved > 0.0 ? io->test->phase : io->test->phase - io->f->opt->ticks_per_stage;
}

static void overtime_path(const ifd__io *io, int k, double out[3])
{
    const ifd__interface_state *s = io->interface[k];
    bool solved = io->test->solved > 0.0;
    double u = solved ? s->from_u : s->to_u, v = solved ? s->from_v : s->to_v;
    out[0] = u + past(io) / io->f->opt->ticks_per_stage * io->f->stage_time * v;
    out[1] = v;
    out[2] = 0.0;
}

/* The path of the stage becomes the cubic through the present point of the tangent: from_u and from_v are its
 * continuation to the beginning of the stage. */
static void join(ifd_hybrid *h, int k)
{
    ifd__interface_state *s = h->each[k];
    double now[3], y[3], share = past(&h->io) / h->opt.ticks_per_stage, T = (1.0 - share) * h->stage_time;
    overtime_path(&h->io, k, now);
    const ifd__cubic p = ifd__cubic_of(now[0], T * now[1], s->to_u, T * s->to_v);
    ifd__cubic_at(&p, -share / (1.0 - share), T, y);
    s->from_u = y[0];
    s->from_v = y[1];
}

void ifd__overtime_solved(ifd_hybrid *h)
{
    ifd__test_state *t = h->test;
    t->solved = 1.0;
    double y = past(&h->io);
    if (ifd__state_of(h) != IFD_MACHINE_RUN || y > reach * h->opt.ticks_per_stage || t->rate < continues * t->pace)
        return;
    t->overtime = 0.0;
    if (!go_on(h)) {
        t->overtime = 1.0; /* they return first */
        return;
    }
    for (int k = 0; k < h->interfaces; k++)
        join(h, k);
    t->overtime = t->solved = 0.0;
}

/* At the place of the stage, which is solved, a run continues with the next tick. */
static void overtime_tick(ifd_hybrid *h)
{
    ifd__test_state *t = h->test;
    if (!goes_back(h) || !(t->solved > 0.0))
        return;
    t->overtime = t->solved = 0.0;
    t->phase_from = t->phase_to = t->phase;
    t->rate = t->rate_from = t->rate_to = t->slope = t->slope_from = 0.0;
    t->path_tick = t->path_ticks = 1.0;
}

void ifd__time_tick(ifd_hybrid *h)
{
    ifd__test_state *t = h->test;
    double y[3];
    if (ifd__overtime(h)) {
        overtime_tick(h);
        return;
    }
    follow(h);
    if (waits(h))
        return;
    next(h, y);
    t->path_tick += 1.0;
    t->last_phase = t->phase;
    t->phase = y[0];
    t->rate = y[1];
    t->slope = y[2];
}

/* The force of this tick becomes that of the last one. */
static void advance(ifd_hybrid *h)
{
    bool moves = !waits(h);
    for (int k = 0; k < h->interfaces && moves; k++) {
        keep_force(h, k, 1.0);
        h->each[k]->force_at = h->each[k]->next_target;
    }
    ifd__time_tick(h);
    ifd__time_calm(h);
}

void ifd__time_path(const ifd__io *io, int k, double out[3])
{
    if (io->test->overtime > 0.0)
        overtime_path(io, k, out);
    else
        ifd__time_path_at(io, k, io->test->phase, out);
}

void ifd__time_now(const ifd_hybrid *h, int k, double out[3])
{
    ifd__time_path(&h->io, k, out);
}

static double share(const ifd_hybrid *h, int k)
{
    return keeps(h) ? 0.0 : ifd__time_fraction(h, k);
}

static void solved(ifd_hybrid *h)
{
    ifd__time_stage(h);
    if (ifd__overtime(h))
        ifd__overtime_solved(h);
}

static bool always(const ifd_hybrid_options *o)
{
    (void)o;
    return true;
}

const ifd__pace ifd__pace_scaled = {.name = "scaled",
                                    .about = "a constant multiple of wall-clock time",
                                    .asked = always,
                                    .begin = ifd__time_start,
                                    .due = ifd__time_due,
                                    .rests = ifd__time_rests,
                                    .late = late,
                                    .solved = solved,
                                    .hold = hold,
                                    .resume = resume,
                                    .order = order_pace,
                                    .advance = advance,
                                    .scale = ifd__time_scale,
                                    .path = ifd__time_now,
                                    .calmed = ifd__time_calmed,
                                    .share = share};
