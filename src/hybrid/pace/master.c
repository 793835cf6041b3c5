/* SPDX-License-Identifier: MIT */
/* A structure computed by another program: takes targets, answers with measurements, and moves the specimens between
 * targets.
 *
 * All paths are in ticks. At a target the force is measured and answered; then, tau steps later,
 *
 *     predict   p(tau) = u0 + tau d1 + tau (tau + 1)/2 d2 + tau (tau + 1)(tau + 2)/6 d3
 *
 * continues the polynomial through the past targets (d: backward differences) for at most SHARE of a step. As soon as
 * the next target is known,
 *
 *     correct   the cubic from the present position and velocity to the target with the slope p'(0) of the polynomial
 *               that includes it: prediction then starts with the same velocity.
 *
 * Without a target in time, and on hold, the specimen brakes on a quintic that starts with the acceleration of the
 * present path and ends with zero (quintic.h). A path from there, or to rest at a target, is also a quintic and ends
 * with p'(0) and p''(0) where prediction starts, so that acceleration is as continuous as in a run. (In a run with a
 * late target the cubic has smaller accelerations: it need not undo a wrongly predicted acceleration.) A path that
 * would exceed a limit of velocity or acceleration takes more ticks. A target that needs several steps is a jump (a
 * script that sets initial displacements): the path is from rest to rest, without extrapolation. */
#include "hybrid/pace/master.h"

#include <math.h>
#include <string.h>

#include "hybrid/columns.h"
#include "hybrid/orders.h"
#include "hybrid/pace/scaled.h"
#include "rig/quintic.h"

typedef enum phase {
    START,   /* at the starting position, not yet answered */
    REST,    /* waits */
    PREDICT, /* continues the past targets */
    BRAKE,   /* the target is late */
    CORRECT  /* moves to a target */
} phase;

/* State and past targets of a remote. */
static int dofs_of(const ifd_hybrid *h)
{
    return h->numerical.model[0].m->n;
}

static ifd__remote_state *master_of(const ifd_hybrid *h)
{
    return (ifd__remote_state *)(h->x + 2 * dofs_of(h));
}

static double *past_of(const ifd_hybrid *h, int j)
{
    return (double *)(master_of(h) + 1) + j * dofs_of(h);
}

static phase phase_of(const ifd_hybrid *h)
{
    return (phase)(int)master_of(h)->phase;
}

static const ifd_remote_options *options_of(const ifd_hybrid *h)
{
    return ifd__remote_options(h->opt.remote);
}

static bool paced(const ifd_hybrid *h)
{
    return options_of(h)->paced;
}

static const double SHARE = 0.6;   /* largest predicted fraction of a step */
static const double MARGIN = 0.95; /* fraction of the limits that a planned path uses */
static const double JUMP = 3.0;    /* steps; a longer path to a target is a jump */
static const double BRAKING = 0.5; /* fraction of a step for a brake; longer if limits require it */
/* A path that exceeds a limit is extended by this factor, up to LENGTHENINGS times: 1.25^60 is 650,000 steps. */
static const double LONGER = 1.25;
enum { LENGTHENINGS = 60, POINTS = 12 }; /* points: between them a quintic deviates by 0.01 of its peak */
static const double ROUND_OFF = 1e-12;   /* of the stroke: rounding of a sum of steps */
static const double SETTLE = 5.0;        /* steps in which a compensator comes to rest after the end of a path */

/* Ticks of a step that may pass before its target is known. */
static double predictable(const ifd_hybrid *h)
{
    return floor(SHARE * h->opt.ticks_per_stage);
}

/* Backward differences of the targets of interface k, d[0] is the newest target; those of unknown targets are
 * zero. */
static void differences(const ifd_hybrid *h, int k, double d[IFD__REMOTE_PAST])
{
    double s[IFD__REMOTE_PAST];
    int order = options_of(h)->order, known = (int)master_of(h)->known;
    int p = order < known - 1 ? order : known - 1;
    for (int j = 0; j < IFD__REMOTE_PAST; j++) {
        s[j] = ifd__deformation(IFD__ENDS(h->interface[k].o), past_of(h, j));
        d[j] = 0.0;
    }
    d[0] = s[0];
    if (p >= 1)
        d[1] = s[0] - s[1];
    if (p >= 2)
        d[2] = s[0] - 2.0 * s[1] + s[2];
    if (p >= 3)
        d[3] = s[0] - 3.0 * (s[1] - s[2]) - s[3];
}

/* The polynomial tau steps after its newest target, in m and ticks. */
static void predicted(const ifd_hybrid *h, int k, double tau, double out[3])
{
    double d[IFD__REMOTE_PAST], m = h->opt.ticks_per_stage;
    differences(h, k, d);
    out[0] = d[0] + tau * (d[1] + (tau + 1.0) / 2.0 * (d[2] + (tau + 2.0) / 3.0 * d[3]));
    out[1] = (d[1] + (2.0 * tau + 1.0) / 2.0 * d[2] + (3.0 * tau * tau + 6.0 * tau + 2.0) / 6.0 * d[3]) / m;
    out[2] = (d[2] + (tau + 1.0) * d[3]) / (m * m);
}

/* The quintic of interface k over x = ticks / N. */
static ifd__quintic quintic(const ifd_hybrid *h, int k, double N)
{
    const double *from = &h->each[k]->from_u, *to = &h->each[k]->to_u;
    const double a[3] = {from[0], N * from[1], N * N * from[2]}, b[3] = {to[0], N * to[1], N * N * to[2]};
    return ifd__quintic_of(a, b);
}

/* In m and ticks. */
static void on_path(const ifd_hybrid *h, int k, double out[3])
{
    ifd__interface_state *s = h->each[k];
    if (phase_of(h) == PREDICT) {
        predicted(h, k, h->test->path_tick / h->opt.ticks_per_stage, out);
        return;
    }
    double N = h->test->path_ticks, x = h->test->path_tick / N;
    if (x > 1.0) {
        out[0] = s->to_u;
        out[1] = out[2] = 0.0;
        return;
    }
    if (master_of(h)->smooth > 0.0) {
        const ifd__quintic p = quintic(h, k, N);
        ifd__quintic_at(&p, x, out);
        out[1] /= N;
        out[2] /= N * N;
    } else {
        const ifd__cubic p = ifd__cubic_of(s->from_u, N * s->from_v, s->to_u, N * s->to_v);
        ifd__cubic_at(&p, x, N, out);
    }
    out[0] = x == 1.0 ? s->to_u : out[0]; /* exact end */
}

static void path(const ifd_hybrid *h, int k, double out[3])
{
    on_path(h, k, out);
    out[1] /= h->period;
    out[2] /= h->period * h->period;
}

/* Whether the cubic over N ticks keeps velocity and acceleration. The velocities at its ends are given and not
 * checked. */
static bool fits_cubic(const ifd_hybrid *h, int k, double N)
{
    const ifd__bounds *b = &h->interface[k].bounds;
    const ifd__interface_state *s = h->each[k];
    const ifd__cubic p = ifd__cubic_of(s->from_u, N * s->from_v, s->to_u, N * s->to_v);
    double most = MARGIN * b->acceleration * b->dt * b->dt, at = p.c3 != 0.0 ? -p.c2 / (3.0 * p.c3) : -1.0;
    bool slow =
        !(at > 0.0 && at < 1.0) || fabs(p.v0 - p.c2 * p.c2 / (3.0 * p.c3)) / N <= MARGIN * b->velocity * b->dt;
    return slow && fabs(2.0 * p.c2) / (N * N) <= most && fabs(2.0 * p.c2 + 6.0 * p.c3) / (N * N) <= most;
}

/* The same for the quintic, at discrete points. Its end conditions are given and not checked. */
static bool fits_smoothly(const ifd_hybrid *h, int k, double N)
{
    const ifd__bounds *b = &h->interface[k].bounds;
    const double *from = &h->each[k]->from_u, *to = &h->each[k]->to_u;
    double fast = fmax(MARGIN * b->velocity * b->dt, fmax(fabs(from[1]), fabs(to[1])));
    double sharp = fmax(MARGIN * b->acceleration * b->dt * b->dt, fmax(fabs(from[2]), fabs(to[2])));
    const ifd__quintic p = quintic(h, k, N);
    bool fine = true;
    for (int i = 1; i < POINTS; i++) {
        double y[3];
        ifd__quintic_at(&p, (double)i / POINTS, y);
        fine = fine && fabs(y[1]) / N <= fast && fabs(y[2]) / (N * N) <= sharp;
    }
    return fine;
}

static bool all_fit(const ifd_hybrid *h, double N)
{
    bool fine = true;
    for (int k = 0; k < h->interfaces; k++)
        fine = fine && (master_of(h)->smooth > 0.0 ? fits_smoothly : fits_cubic)(h, k, N);
    return fine;
}

static double fit(const ifd_hybrid *h, double N)
{
    for (int i = 0; i < LENGTHENINGS && !all_fit(h, N); i++)
        N = ceil(LONGER * N);
    return N;
}

/* Present positions and velocities of the interfaces become the start of a new path. */
static void start_here(ifd_hybrid *h)
{
    for (int k = 0; k < h->interfaces; k++) {
        double y[3];
        on_path(h, k, y);
        memcpy(&h->each[k]->from_u, y, sizeof y);
    }
}

/* Whether the path does not end at rest. */
static bool moves_on(const ifd_hybrid *h)
{
    bool moves = false;
    for (int k = 0; k < h->interfaces; k++)
        moves = moves || h->each[k]->to_v != 0.0;
    return moves;
}

/* Whether it ends as prediction starts. */
static bool leads_on(const ifd_hybrid *h)
{
    bool on = true;
    for (int k = 0; k < h->interfaces; k++) {
        double y[3];
        predicted(h, k, 0.0, y);
        on = on && h->each[k]->to_v == y[1];
    }
    return on;
}

/* Makes the planned path a quintic that ends at rest. */
static void end_at_rest(ifd_hybrid *h)
{
    master_of(h)->smooth = 1.0;
    for (int k = 0; k < h->interfaces; k++)
        h->each[k]->to_v = h->each[k]->to_a = 0.0;
}

/* Starts a path of N ticks. */
static void set_out(ifd_hybrid *h, phase next, double N)
{
    master_of(h)->phase = (double)next;
    h->test->path_ticks = N;
    h->test->path_tick = 0.0;
}

/* From the end of the last path to the newest target. A master with several trials per step (order 0) is followed
 * without prediction: every target is reached at rest. Returns the ticks that the path would take without limits. */
static double correct(ifd_hybrid *h)
{
    ifd__remote_state *r = master_of(h);
    const ifd_remote_options *o = options_of(h);
    double m = h->opt.ticks_per_stage, left = m;
    bool predicts = phase_of(h) == PREDICT;
    if (predicts)
        left = fmax(m - h->test->path_tick, m - predictable(h));
    r->smooth = predicts || moves_on(h) ? 0.0 : 1.0;
    for (int k = 0; k < h->interfaces; k++) {
        ifd__interface_state *s = h->each[k];
        double y[3];
        predicted(h, k, 0.0, y);
        s->to_u = y[0];
        s->to_v = y[1];
        s->to_a = y[2];
    }
    if ((o->paced && o->order == 0) || !moves_on(h))
        end_at_rest(h);
    double N = fit(h, left);
    if (N > JUMP * m) {
        r->known = 1.0;
        end_at_rest(h);
        N = fit(h, left);
    }
    set_out(h, CORRECT, N);
    r->goal = r->taken;
    return left;
}

/* End of a quintic of N ticks from the present motion to rest without reversal: its length is N v/2 + N^2 a/12, or
 * that of constant deceleration if the acceleration would cause a reversal. */
static void aim_at_rest(ifd_hybrid *h, double N)
{
    for (int k = 0; k < h->interfaces; k++) {
        ifd__interface_state *s = h->each[k];
        double v = s->from_v, even = 0.5 * N * v, bent = N * N * s->from_a / 12.0;
        double travel = (even + bent) * even > 0.0 ? even + bent : even;
        s->to_u = fmin(fmax(s->from_u + travel, h->interface[k].bounds.low), h->interface[k].bounds.high);
    }
}

/* To rest within half a step, or as fast as the limits permit. */
static void brake(ifd_hybrid *h)
{
    double N = ceil(BRAKING * h->opt.ticks_per_stage);
    start_here(h);
    end_at_rest(h);
    aim_at_rest(h, N);
    for (int i = 1; i < LENGTHENINGS && !all_fit(h, N); i++) {
        N = ceil(LONGER * N);
        aim_at_rest(h, N);
    }
    set_out(h, BRAKE, N);
}

/* On hold, a target in progress is still reached, at rest. */
static void settle(ifd_hybrid *h)
{
    if (!moves_on(h))
        return;
    double left = fmax(h->test->path_ticks - h->test->path_tick, ceil(BRAKING * h->opt.ticks_per_stage));
    start_here(h);
    end_at_rest(h);
    set_out(h, CORRECT, fit(h, left));
}

/* Whether the governor reduces the command of interface k. A governed position is a rounded sum of steps. */
static bool held_back(const ifd_hybrid *h, int k)
{
    const ifd__bounds *b = &h->interface[k].bounds;
    double off = h->each[k]->command - h->each[k]->requested;
    return !h->interface[k].o->force && !(fabs(off) <= ROUND_OFF * (b->high - b->low));
}

/* The end of the path was commanded and not reduced by a governor. */
static bool path_ended(const ifd_hybrid *h)
{
    bool met = h->test->path_tick >= h->test->path_ticks;
    for (int k = 0; k < h->interfaces && met; k++)
        met = !held_back(h, k);
    return met;
}

/* After the end of a path its target is constant. A governed command reaches it within the time to cross the stroke,
 * s/v + v/a; a command that rests before it is at a limit and remains there. Returns the interface with such a
 * command, -1: none; value: requested position, and the limit. */
static int in_vain(const ifd_hybrid *h, double value[2])
{
    double over = h->test->path_tick - h->test->path_ticks - SETTLE * h->opt.ticks_per_stage;
    for (int k = 0; k < h->interfaces && over > 0.0; k++) {
        ifd__interface_state *s = h->each[k];
        const ifd__bounds *b = &h->interface[k].bounds;
        double cross = (b->high - b->low) / b->velocity + b->velocity / b->acceleration;
        if (!held_back(h, k) || (s->step != 0.0 && over * b->dt <= cross))
            continue;
        value[0] = s->requested;
        value[1] = value[0] > b->high ? b->high : value[0] < b->low ? b->low : s->command;
        return k;
    }
    return -1;
}

/* Measured displacements of the dofs, summed over the specimens from the ground. A dof without such a chain has the
 * displacement of the target. */
static void displacements(const ifd_hybrid *h, double *u)
{
    bool known[IFD_REMOTE_DOFS] = {false};
    memcpy(u, h->x, sizeof(double) * (size_t)dofs_of(h));
    for (int pass = 0; pass < h->interfaces; pass++)
        for (int k = 0; k < h->interfaces; k++) {
            int from = h->interface[k].o->from, to = h->interface[k].o->to;
            bool a = from < 0 || known[from], b = to < 0 || known[to];
            double xm = h->each[k]->measured_x;
            if (a && !b) {
                u[to] = (from < 0 ? 0.0 : u[from]) + xm;
                known[to] = true;
            } else if (b && !a) {
                u[from] = (to < 0 ? 0.0 : u[to]) - xm;
                known[from] = true;
            }
        }
}

static void answer(ifd_hybrid *h)
{
    ifd_remote_answer a = {.number = (uint64_t)master_of(h)->goal};
    const double *load = h->numerical.model[0].load;
    ifd__exchange_load(h);
    displacements(h, a.u);
    for (int i = 0; i < dofs_of(h); i++)
        a.f[i] = 0.0 - load[i];
    ifd__remote_answer(h->opt.remote, &a);
}

static void arrive(ifd_hybrid *h)
{
    ifd__remote_state *r = master_of(h);
    bool first = phase_of(h) == START;
    if (first)
        r->goal = r->taken;
    answer(h);
    if (!first)
        h->test->step += r->step;
    bool on =
        paced(h) && ifd__state_of(h) == IFD_MACHINE_RUN && r->known >= 2.0 && options_of(h)->order > 0 && leads_on(h);
    if (on)
        set_out(h, PREDICT, h->opt.ticks_per_stage);
    else
        r->phase = REST;
}

static void remember(ifd_hybrid *h, const ifd_remote_target *t)
{
    ifd__remote_state *r = master_of(h);
    size_t n = sizeof(double) * (size_t)dofs_of(h);
    double *known = &r->known;
    if (t->step & IFD_REMOTE_STATIC) /* no extrapolation; reached at rest */
        *known = 0.0;
    if (t->step || *known == 0.0) {
        memmove(past_of(h, 1), past_of(h, 0), (IFD__REMOTE_PAST - 1) * n);
        *known = fmin(*known + 1.0, IFD__REMOTE_PAST);
    }
    memcpy(past_of(h, 0), t->u, n);
    memcpy(h->x, t->u, n);
    r->taken = (double)t->number;
    r->step = (double)(t->step & IFD_REMOTE_STEPS);
    r->time = t->time;
}

static bool before_motion(const ifd_hybrid *h)
{
    return ifd__state_of(h) == IFD_MACHINE_IDLE || ifd__state_of(h) == IFD_MACHINE_READY;
}

/* A fault of the master; before motion no state of the test would latch it. */
static ifd_action fail(ifd_hybrid *h, ifd_trip trip, int channel, const double value[2], ifd_action worst)
{
    worst = ifd__fault_note(&h->faults, trip, channel, value[0], value[1], worst);
    master_of(h)->ended = 1.0;
    if (before_motion(h) && h->test->fault == IFD_TRIP_NONE)
        ifd__fault_latch(&h->faults, trip, channel, value[0], value[1]);
    return worst;
}

/* The interface with a target outside its stroke; -1: none. */
static int outside(const ifd_hybrid *h, const double *u, double value[2])
{
    for (int k = 0; k < h->interfaces; k++) {
        const ifd__bounds *b = &h->interface[k].bounds;
        value[0] = ifd__deformation(IFD__ENDS(h->interface[k].o), u);
        value[1] = value[0] > b->high ? b->high : b->low;
        if (!h->interface[k].o->force && !(value[0] >= b->low && value[0] <= b->high))
            return k;
    }
    return -1;
}

static ifd_trip fault_of(uint32_t kind)
{
    return kind == IFD_REMOTE_LOST       ? IFD_TRIP_MASTER_LOST
           : kind == IFD_REMOTE_MISMATCH ? IFD_TRIP_MASTER_MISMATCH
           : kind == IFD_REMOTE_EARLY    ? IFD_TRIP_MASTER_EARLY
                                         : IFD_TRIP_MASTER_WRONG;
}

/* A path that limits lengthen has other velocities than the structure. Not of the start, of static steps, of targets
 * that are reached at rest, and of a specimen that rests because its target was late, which is noted as such. */
static ifd_action follow(ifd_hybrid *h, const ifd_remote_target *t, ifd_action worst)
{
    bool late = paced(h) && (phase_of(h) == REST || phase_of(h) == BRAKE);
    bool going = h->test->step > 0.0 && !(t->step & IFD_REMOTE_STATIC) && !late;
    double due = correct(h);
    if (!going || options_of(h)->order == 0 || h->test->path_ticks <= due)
        return worst;
    return ifd__fault_note(&h->faults, IFD_TRIP_MASTER_FAST, -1, h->test->path_ticks, due, worst);
}

static ifd_action heed(ifd_hybrid *h, const ifd_remote_target *t, ifd_action worst)
{
    ifd__remote_state *r = master_of(h);
    double value[2] = {0.0, 0.0};
    const double said[2] = {t->kind >= IFD_REMOTE_MISMATCH ? t->u[0] : 0.0,
                            t->kind >= IFD_REMOTE_MISMATCH ? t->time : 0.0};
    if (t->kind == IFD_REMOTE_END) {
        r->ended = 1.0;
        return worst;
    }
    if (t->kind != IFD_REMOTE_TARGET)
        return fail(h, fault_of(t->kind), -1, said, worst);
    int k = outside(h, t->u, value);
    if (k >= 0)
        return fail(h, IFD_TRIP_MASTER_WRONG, k, value, worst);
    if (ifd__state_of(h) == IFD_MACHINE_RUN)
        start_here(h); /* on the old path, which does not include the target */
    remember(h, t);
    if (ifd__state_of(h) == IFD_MACHINE_RUN) {
        if (phase_of(h) == REST && paced(h) && r->known > 2.0)
            r->late += 1.0;
        return follow(h, t, worst);
    }
    for (k = 0; k < h->interfaces; k++) /* end of ramp-in */
        h->each[k]->from_u = h->each[k]->to_u = ifd__deformation(IFD__ENDS(h->interface[k].o), t->u);
    return worst;
}

/* Free-running: nothing to do before the next target. */
static bool stands(const ifd_hybrid *h)
{
    ifd__remote_state *r = master_of(h);
    if (paced(h) || r->ended > 0.0)
        return false;
    ifd_machine s = ifd__state_of(h);
    return (s == IFD_MACHINE_RUN && phase_of(h) == REST) || (s == IFD_MACHINE_IDLE && r->taken == 0.0);
}

static ifd_action take(ifd_hybrid *h, ifd_action worst)
{
    ifd__remote_state *r = master_of(h);
    ifd_machine s = ifd__state_of(h);
    bool first = before_motion(h) && r->taken == 0.0 && r->ended == 0.0;
    uint32_t word = ifd__remote_word(h->opt.remote);
    bool done = word == IFD_REMOTE_END || word == IFD_REMOTE_EARLY; /* of a script that sends only its start */
    bool waits = (before_motion(h) && !done) || s == IFD_MACHINE_RAMP_IN || s == IFD_MACHINE_HOLD;
    bool follows = first || (s == IFD_MACHINE_RUN && phase_of(h) != START);
    if (follows)
        h->took = ifd__remote_take(h->opt.remote, stands(h), &h->taken);
    else if (waits && r->ended == 0.0) /* no target is taken, but the end of the master is detected */
        h->took = ifd__remote_take_word(h->opt.remote, &h->taken);
    return h->took ? heed(h, &h->taken, worst) : worst;
}

/* A target inside the stroke can still be unreachable, as the compensated command exceeds the target. The force is
 * then not measured at the target, and the master would wait forever. */
static ifd_action reach(ifd_hybrid *h, ifd_action worst)
{
    double value[2];
    int k = phase_of(h) == CORRECT ? in_vain(h, value) : -1;
    return k < 0 ? worst : fail(h, IFD_TRIP_UNREACHED, k, value, worst);
}

/* Takes a target, answers, plans. */
static ifd_action meet(ifd_hybrid *h, ifd_action worst)
{
    ifd__test_state *t = h->test;
    ifd_machine s = ifd__state_of(h);
    bool moves = (s == IFD_MACHINE_RUN || s == IFD_MACHINE_HOLD) && worst < IFD_ACTION_RAMP_OUT;
    h->took = false;
    if (moves && (phase_of(h) == START || (phase_of(h) == CORRECT && path_ended(h))))
        arrive(h);
    else if (moves && s == IFD_MACHINE_RUN)
        worst = reach(h, worst);
    worst = take(h, worst);
    if (!moves)
        return worst;
    if (phase_of(h) == PREDICT && t->path_tick >= predictable(h)) {
        worst = ifd__fault_note(&h->faults, IFD_TRIP_MASTER_LATE, -1, 0.0, 0.0, worst);
        brake(h);
    }
    if (phase_of(h) == BRAKE && t->path_tick >= t->path_ticks)
        master_of(h)->phase = REST;
    t->rate = t->rate_to = phase_of(h) == REST ? 0.0 : 1.0;
    return worst;
}

/* In the tick of the order: a target reached in the next tick would be left immediately. A free-running test waits
 * for a master that computes even during a motion. */
static void hold(ifd_hybrid *h)
{
    if (phase_of(h) == CORRECT)
        settle(h);
    else if (phase_of(h) == PREDICT || moves_on(h))
        brake(h);
}

static ifd_order given(const ifd_hybrid *h)
{
    ifd_machine s = ifd__state_of(h);
    bool armed = s == IFD_MACHINE_READY || s == IFD_MACHINE_RAMP_IN || s == IFD_MACHINE_RUN || s == IFD_MACHINE_HOLD;
    return armed && master_of(h)->ended > 0.0 ? IFD_ORDER_RAMP_OUT : IFD_ORDER_NONE;
}

static bool known(const ifd_hybrid *h)
{
    return master_of(h)->taken > 0.0;
}

static bool gone(const ifd_hybrid *h)
{
    return master_of(h)->ended > 0.0 && ifd__state_of(h) == IFD_MACHINE_IDLE;
}

static void tell(ifd_hybrid *h)
{
    ifd__remote_state *r = master_of(h);
    ifd_machine s = ifd__state_of(h);
    bool over = s == IFD_MACHINE_RAMP_OUT || s == IFD_MACHINE_STOPPED || s == IFD_MACHINE_TRIPPED || gone(h);
    if (!over || r->over > 0.0)
        return;
    r->over = 1.0;
    ifd__remote_answer(h->opt.remote, &(ifd_remote_answer){.number = (uint64_t)r->taken, .over = true});
}

/* A script that closes while a stop is under way completes nothing. */
static bool complete(const ifd_hybrid *h)
{
    return master_of(h)->ended > 0.0 && h->test->fault == IFD_TRIP_NONE && h->orders->stop_tick == 0.0;
}

const ifd_remote_options *ifd_hybrid_remote(const ifd_hybrid *h)
{
    return h->opt.remote ? options_of(h) : NULL;
}

static void initial(const ifd__substructure *s, double *x)
{
    memset(x, 0, sizeof(double) * (size_t)s->size);
}

/* Its exchanges are those of ifd__remote_step, when the master sends a target. */
static const ifd__substructure_ops remote_master = {.name = "remote", .held_elsewhere = true, .initial = initial};

ifd_status ifd__substructure_remote(ifd_arena *arena, const ifd_hybrid_options *opt, ifd__substructure *s,
                                    ifd_note *note)
{
    int n = opt->model->n, trials = ifd__remote_options(opt->remote)->trials;
    if (n != ifd__remote_options(opt->remote)->dofs)
        return ifd_note_add(note, IFD_SHAPE, NULL, "the master has %d dofs, but the model has %d",
                            ifd__remote_options(opt->remote)->dofs, n);
    IFD_TRY(ifd__numerical_models(arena, s, 1));
    s->ops = &remote_master;
    s->step = opt->step.h;
    s->exchanges = trials > 1 ? trials : 1;
    s->period = 1;
    s->size = 2 * n + IFD__DOUBLES(ifd__remote_state) + IFD__REMOTE_PAST * n;
    s->model[0] = (ifd__numerical_model){.m = opt->model, .measured = true};
    return ifd__substructure_room(arena, s);
}

/* State of the master, in addition to the displacements of its newest target. */
static ifd_status columns(ifd_hybrid *h, ifd_arena *arena)
{
    static const ifd__column_row row[] = {
        IFD__COLUMN(MASTER_TARGET, ifd__remote_state, taken), IFD__COLUMN(MASTER_TIME, ifd__remote_state, time),
        IFD__COLUMN(MASTER_STEP, ifd__remote_state, step), IFD__COLUMN(MASTER_PHASE, ifd__remote_state, phase),
        IFD__COLUMN(MASTER_ENDED, ifd__remote_state, ended)};
    const ifd__column_set led = {.owner = "", .block = master_of(h), IFD__ROWS(row)};
    return ifd__columns_add(h, arena, &led);
}

static void advance(ifd_hybrid *h)
{
    h->test->path_tick += 1.0;
}

/* Its targets are in wall-clock time. */
static double scale(const ifd_hybrid *h)
{
    (void)h;
    return 1.0;
}

static bool asked(const ifd_hybrid_options *o)
{
    return o->remote != NULL;
}

const ifd__pace ifd__pace_master = {.name = "master",
                                    .about = "another program sends the targets",
                                    .elsewhere = true,
                                    .asked = asked,
                                    .targets = columns,
                                    .begin = ifd__time_start,
                                    .stands = stands,
                                    .meet = meet,
                                    .due = ifd__time_due,
                                    .rests = ifd__time_rests,
                                    .given = given,
                                    .known = known,
                                    .gone = gone,
                                    .tell = tell,
                                    .finished = complete,
                                    .hold = hold,
                                    .advance = advance,
                                    .scale = scale,
                                    .path = path,
                                    .calmed = ifd__time_calmed};
