/* SPDX-License-Identifier: MIT */
/* A structure that another program computes: the way of the specimens from target to target.
 *
 * All paths are in ticks. At a target the force is measured and answered; then, tau steps later,
 *
 *     predict   p(tau) = u0 + tau d1 + tau (tau + 1)/2 d2 + tau (tau + 1)(tau + 2)/6 d3
 *
 * continues the polynomial through the past targets (d: backward differences) for at most SHARE of a step. As soon as the
 * next target is known,
 *
 *     correct   the cubic from where the specimen is and how fast it goes, to the target with the slope p'(0) of the
 *               polynomial that now includes it: prediction will take over there with the same velocity.
 *
 * Without a target in time the specimen brakes evenly and rests. A path that would break a limit of velocity or
 * acceleration is given more ticks. A target that needs several steps is no motion but a jump (a script that sets initial
 * displacements): it is approached from rest to rest, and nothing is extrapolated from it. */
#include <math.h>
#include <string.h>

#include "run/hybrid.h"
#include "run/remote.h"

typedef enum phase { START, REST, PREDICT, BRAKE, CORRECT } phase;

static const double SHARE = 0.6;   /* of a step, that is predicted */
static const double MARGIN = 0.95; /* of the limits, that a planned path uses */
static const double JUMP = 3.0;    /* steps; a longer way to a target is a jump */

static int dofs(const ifd_hybrid *h)
{
    return h->computed.piece[0].m->n;
}

static double *rem(const ifd_hybrid *h, int row)
{
    return &h->x[2 * dofs(h) + row];
}

static double *past(const ifd_hybrid *h, int j)
{
    return &h->x[2 * dofs(h) + REM_ROWS + j * dofs(h)];
}

static phase phase_of(const ifd_hybrid *h)
{
    return (phase)(int)*rem(h, REM_PHASE);
}

static ifd_machine state_of(const ifd_hybrid *h)
{
    return (ifd_machine)(int)*ifd__hyb(h, HYB_STATE);
}

static bool paced(const ifd_hybrid *h)
{
    return ifd__remote_options(h->opt.remote)->paced;
}

/* Backward differences of channel k's targets, d[0] the newest itself; those of unknown targets are zero. */
static void differences(const ifd_hybrid *h, int k, double d[IFD__REMOTE_PAST])
{
    double s[IFD__REMOTE_PAST];
    int order = ifd__remote_options(h->opt.remote)->order, known = (int)*rem(h, REM_KNOWN);
    int p = order < known - 1 ? order : known - 1;
    for (int j = 0; j < IFD__REMOTE_PAST; j++) {
        s[j] = ifd__stretch(h->way[k].o, past(h, j));
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

/* Of the polynomial at its newest target, m per tick. */
static double slope(const ifd_hybrid *h, int k)
{
    double d[IFD__REMOTE_PAST];
    differences(h, k, d);
    return (d[1] + d[2] / 2.0 + d[3] / 3.0) / h->opt.ticks_per_stage;
}

static void predicted(const ifd_hybrid *h, int k, double out[3])
{
    double d[IFD__REMOTE_PAST], m = h->opt.ticks_per_stage, tau = *ifd__hyb(h, HYB_K) / m;
    differences(h, k, d);
    out[0] = d[0] + tau * (d[1] + (tau + 1.0) / 2.0 * (d[2] + (tau + 2.0) / 3.0 * d[3]));
    out[1] = (d[1] + (2.0 * tau + 1.0) / 2.0 * d[2] + (3.0 * tau * tau + 6.0 * tau + 2.0) / 6.0 * d[3]) / m;
    out[2] = (d[2] + (tau + 1.0) * d[3]) / (m * m);
}

/* The cubic of channel k: c[0] + x (c[1] + x (c[2] + x c[3])), x = ticks / N. */
static void cubic(const ifd_hybrid *h, int k, double N, double c[4])
{
    double a = *ifd__way_row(h, k, CH_FROM_U), b = *ifd__way_row(h, k, CH_TO_U);
    double va = N * *ifd__way_row(h, k, CH_FROM_V), vb = N * *ifd__way_row(h, k, CH_TO_V);
    c[0] = a;
    c[1] = va;
    c[2] = 3.0 * (b - a) - 2.0 * va - vb;
    c[3] = 2.0 * (a - b) + va + vb;
}

/* In m and ticks. */
static void on_path(const ifd_hybrid *h, int k, double out[3])
{
    if (phase_of(h) == PREDICT) {
        predicted(h, k, out);
        return;
    }
    double N = *ifd__hyb(h, HYB_N), x = *ifd__hyb(h, HYB_K) / N, c[4];
    cubic(h, k, N, c);
    if (x > 1.0) {
        out[0] = *ifd__way_row(h, k, CH_TO_U);
        out[1] = out[2] = 0.0;
        return;
    }
    out[0] =
        x == 1.0 ? *ifd__way_row(h, k, CH_TO_U) : c[0] + x * (c[1] + x * (c[2] + x * c[3])); /* the end to the bit */
    out[1] = (c[1] + x * (2.0 * c[2] + 3.0 * c[3] * x)) / N;
    out[2] = (2.0 * c[2] + 6.0 * c[3] * x) / (N * N);
}

void ifd__remote_path(const ifd_hybrid *h, int k, double out[3])
{
    on_path(h, k, out);
    out[1] /= h->period;
    out[2] /= h->period * h->period;
}

/* Whether the cubic over N ticks keeps velocity and acceleration. The velocities at its ends are given and not judged. */
static bool fits(const ifd_hybrid *h, int k, double N)
{
    const ifd__bounds *b = &h->way[k].bounds;
    double c[4], most = MARGIN * b->acceleration * b->dt * b->dt;
    cubic(h, k, N, c);
    double at = c[3] != 0.0 ? -c[2] / (3.0 * c[3]) : -1.0;
    bool slow =
        !(at > 0.0 && at < 1.0) || fabs(c[1] - c[2] * c[2] / (3.0 * c[3])) / N <= MARGIN * b->velocity * b->dt;
    return slow && fabs(2.0 * c[2]) / (N * N) <= most && fabs(2.0 * c[2] + 6.0 * c[3]) / (N * N) <= most;
}

static double fit(const ifd_hybrid *h, double N)
{
    bool fine = false;
    for (int i = 0; i < 60 && !fine; i++) {
        fine = true;
        for (int k = 0; k < h->channels; k++)
            fine = fine && fits(h, k, N);
        N = fine ? N : ceil(1.25 * N);
    }
    return N;
}

/* Where the channels are and how fast they go becomes the start of a new path. */
static void start_here(ifd_hybrid *h)
{
    for (int k = 0; k < h->channels; k++) {
        double y[3];
        on_path(h, k, y);
        *ifd__way_row(h, k, CH_FROM_U) = y[0];
        *ifd__way_row(h, k, CH_FROM_V) = y[1];
    }
}

static void go(ifd_hybrid *h, phase next, double N)
{
    *rem(h, REM_PHASE) = (double)next;
    *ifd__hyb(h, HYB_N) = N;
    *ifd__hyb(h, HYB_K) = 0.0;
}

/* A master that tries several displacements per step is followed without running ahead of it: order 0. Then, and on hold,
 * a target is reached at rest. */
static void correct(ifd_hybrid *h)
{
    const ifd_remote_options *o = ifd__remote_options(h->opt.remote);
    double m = h->opt.ticks_per_stage, left = m;
    bool rests = (o->paced && o->order == 0) || state_of(h) == IFD_MACHINE_HOLD;
    if (phase_of(h) == PREDICT)
        left = fmax(m - *ifd__hyb(h, HYB_K), ceil(0.5 * m));
    start_here(h);
    for (int k = 0; k < h->channels; k++) {
        *ifd__way_row(h, k, CH_TO_U) = ifd__stretch(h->way[k].o, past(h, 0));
        *ifd__way_row(h, k, CH_TO_V) = rests ? 0.0 : slope(h, k);
    }
    double N = fit(h, left);
    if (N > JUMP * m) {
        *rem(h, REM_KNOWN) = 1.0;
        for (int k = 0; k < h->channels; k++)
            *ifd__way_row(h, k, CH_TO_V) = 0.0;
        N = fit(h, left);
    }
    go(h, CORRECT, N);
    *rem(h, REM_GOAL) = *rem(h, REM_TAKEN);
}

/* Evenly to rest within half a step, or as fast as the limits allow. */
static void brake(ifd_hybrid *h)
{
    double N = ceil(0.5 * h->opt.ticks_per_stage);
    start_here(h);
    for (int k = 0; k < h->channels; k++) {
        const ifd__bounds *b = &h->way[k].bounds;
        N = fmax(N, ceil(fabs(*ifd__way_row(h, k, CH_FROM_V)) / (MARGIN * b->acceleration * b->dt * b->dt)));
    }
    for (int k = 0; k < h->channels; k++) {
        const ifd__bounds *b = &h->way[k].bounds;
        double end = *ifd__way_row(h, k, CH_FROM_U) + 0.5 * N * *ifd__way_row(h, k, CH_FROM_V);
        *ifd__way_row(h, k, CH_TO_U) = fmin(fmax(end, b->low), b->high);
        *ifd__way_row(h, k, CH_TO_V) = 0.0;
    }
    go(h, BRAKE, N);
}

/* On hold a target that is under way is still reached, at rest. */
static void settle(ifd_hybrid *h)
{
    bool moving = false;
    for (int k = 0; k < h->channels; k++)
        moving = moving || *ifd__way_row(h, k, CH_TO_V) != 0.0;
    if (!moving)
        return;
    double left = fmax(*ifd__hyb(h, HYB_N) - *ifd__hyb(h, HYB_K), ceil(0.5 * h->opt.ticks_per_stage));
    start_here(h);
    for (int k = 0; k < h->channels; k++)
        *ifd__way_row(h, k, CH_TO_V) = 0.0;
    go(h, CORRECT, fit(h, left));
}

/* The end of a path was commanded, and not held back by a governor. */
static bool arrived(const ifd_hybrid *h)
{
    bool met = *ifd__hyb(h, HYB_K) >= *ifd__hyb(h, HYB_N);
    for (int k = 0; k < h->channels && met; k++)
        met = *ifd__way_row(h, k, CH_P) == *ifd__way_row(h, k, CH_ASKED);
    return met;
}

/* Measured displacements of the dofs: the specimens between them are followed from the ground on. A dof that none of them
 * reaches is where the target says. */
static void displacements(const ifd_hybrid *h, double *u)
{
    bool known[IFD_REMOTE_DOFS] = {false};
    memcpy(u, h->x, sizeof(double) * (size_t)dofs(h));
    for (int pass = 0; pass < h->channels; pass++)
        for (int k = 0; k < h->channels; k++) {
            int from = h->way[k].o->from, to = h->way[k].o->to;
            bool a = from < 0 || known[from], b = to < 0 || known[to];
            double xm = *ifd__way_row(h, k, CH_XM);
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
    ifd_remote_answer a = {.number = (uint64_t)*rem(h, REM_GOAL)};
    const double *load = h->computed.piece[0].load;
    ifd__hybrid_load(h);
    displacements(h, a.u);
    for (int i = 0; i < dofs(h); i++)
        a.f[i] = 0.0 - load[i];
    ifd__remote_answer(h->opt.remote, &a);
}

static void arrive(ifd_hybrid *h)
{
    bool first = phase_of(h) == START;
    if (first)
        *rem(h, REM_GOAL) = *rem(h, REM_TAKEN);
    answer(h);
    if (!first)
        *ifd__hyb(h, HYB_STEP) += *rem(h, REM_STEP);
    bool on = paced(h) && state_of(h) == IFD_MACHINE_RUN && *rem(h, REM_KNOWN) >= 2.0 &&
              ifd__remote_options(h->opt.remote)->order > 0;
    if (on)
        go(h, PREDICT, h->opt.ticks_per_stage);
    else
        *rem(h, REM_PHASE) = REST;
}

static void remember(ifd_hybrid *h, const ifd_remote_target *t)
{
    size_t n = sizeof(double) * (size_t)dofs(h);
    double *known = rem(h, REM_KNOWN);
    if (t->step || *known == 0.0) {
        memmove(past(h, 1), past(h, 0), (IFD__REMOTE_PAST - 1) * n);
        *known = fmin(*known + 1.0, IFD__REMOTE_PAST);
    }
    memcpy(past(h, 0), t->u, n);
    memcpy(h->x, t->u, n);
    *rem(h, REM_TAKEN) = (double)t->number;
    *rem(h, REM_STEP) = t->step ? 1.0 : 0.0;
    *rem(h, REM_TIME) = t->time;
}

/* A fault of the master; before anything moves there is no state that would latch it. */
static ifd_action fail(ifd_hybrid *h, ifd_trip trip, int channel, const double value[2], ifd_action worst)
{
    worst = ifd__guard_note(h, trip, channel, value[0], value[1], worst);
    *rem(h, REM_ENDED) = 1.0;
    if (state_of(h) == IFD_MACHINE_IDLE && *ifd__hyb(h, HYB_TRIP) == IFD_TRIP_NONE) {
        *ifd__hyb(h, HYB_TRIP) = (double)trip;
        *ifd__hyb(h, HYB_TRIP_TICK) = *ifd__hyb(h, HYB_TICK);
        *ifd__hyb(h, HYB_TRIP_CHANNEL) = channel;
        *ifd__hyb(h, HYB_TRIP_VALUE) = value[0];
        *ifd__hyb(h, HYB_TRIP_LIMIT) = value[1];
    }
    return worst;
}

/* The channel whose stroke the target leaves, -1 when none. */
static int outside(const ifd_hybrid *h, const double *u, double value[2])
{
    for (int k = 0; k < h->channels; k++) {
        const ifd__bounds *b = &h->way[k].bounds;
        value[0] = ifd__stretch(h->way[k].o, u);
        value[1] = value[0] > b->high ? b->high : b->low;
        if (!(value[0] >= b->low && value[0] <= b->high))
            return k;
    }
    return -1;
}

static ifd_action heed(ifd_hybrid *h, const ifd_remote_target *t, ifd_action worst)
{
    double value[2] = {0.0, 0.0};
    if (t->kind == IFD_REMOTE_END) {
        *rem(h, REM_ENDED) = 1.0;
        return worst;
    }
    if (t->kind != IFD_REMOTE_TARGET)
        return fail(h, t->kind == IFD_REMOTE_LOST ? IFD_TRIP_MASTER_LOST : IFD_TRIP_MASTER_WRONG, -1, value, worst);
    int k = outside(h, t->u, value);
    if (k >= 0)
        return fail(h, IFD_TRIP_MASTER_WRONG, k, value, worst);
    remember(h, t);
    if (state_of(h) == IFD_MACHINE_RUN) {
        if (phase_of(h) == REST && paced(h) && *rem(h, REM_KNOWN) > 2.0)
            *rem(h, REM_LATE) += 1.0;
        correct(h);
        return worst;
    }
    for (k = 0; k < h->channels; k++) /* where ramp-in leads */
        *ifd__way_row(h, k, CH_FROM_U) = *ifd__way_row(h, k, CH_TO_U) = ifd__stretch(h->way[k].o, t->u);
    return worst;
}

static ifd_action take(ifd_hybrid *h, ifd_action worst)
{
    ifd_machine s = state_of(h);
    bool first = s == IFD_MACHINE_IDLE && *rem(h, REM_TAKEN) == 0.0 && *rem(h, REM_ENDED) == 0.0;
    bool urgent = (s == IFD_MACHINE_RAMP_IN || s == IFD_MACHINE_HOLD) && ifd__remote_urgent(h->opt.remote);
    if (!first && !urgent && !(s == IFD_MACHINE_RUN && phase_of(h) != START))
        return worst;
    h->took = ifd__remote_take(h->opt.remote, ifd__remote_stands(h), &h->taken);
    return h->took ? heed(h, &h->taken, worst) : worst;
}

ifd_action ifd__remote_step(ifd_hybrid *h, ifd_action worst)
{
    ifd_machine s = state_of(h);
    bool moves = (s == IFD_MACHINE_RUN || s == IFD_MACHINE_HOLD) && worst < IFD_ACTION_RAMP_OUT;
    h->took = false;
    if (moves && (phase_of(h) == START || (phase_of(h) == CORRECT && arrived(h))))
        arrive(h);
    worst = take(h, worst);
    if (!moves)
        return worst;
    bool holds = s == IFD_MACHINE_HOLD, spent = *ifd__hyb(h, HYB_K) >= floor(SHARE * h->opt.ticks_per_stage);
    if (phase_of(h) == PREDICT && (holds || spent)) {
        if (!holds)
            worst = ifd__guard_note(h, IFD_TRIP_MASTER_LATE, -1, 0.0, 0.0, worst);
        brake(h);
    }
    if (phase_of(h) == BRAKE && *ifd__hyb(h, HYB_K) >= *ifd__hyb(h, HYB_N))
        *rem(h, REM_PHASE) = REST;
    if (holds && phase_of(h) == CORRECT)
        settle(h);
    *ifd__hyb(h, HYB_RATE1) = phase_of(h) == REST ? 0.0 : 1.0;
    return worst;
}

bool ifd__remote_stands(const ifd_hybrid *h)
{
    if (!h->opt.remote || paced(h) || *rem(h, REM_ENDED) > 0.0)
        return false;
    ifd_machine s = state_of(h);
    return (s == IFD_MACHINE_RUN && phase_of(h) == REST) || (s == IFD_MACHINE_IDLE && *rem(h, REM_TAKEN) == 0.0);
}

ifd_order ifd__remote_order(const ifd_hybrid *h)
{
    ifd_machine s = state_of(h);
    bool moves = s == IFD_MACHINE_RAMP_IN || s == IFD_MACHINE_RUN || s == IFD_MACHINE_HOLD;
    return h->opt.remote && moves && *rem(h, REM_ENDED) > 0.0 ? IFD_ORDER_RAMP_OUT : IFD_ORDER_NONE;
}

bool ifd__remote_known(const ifd_hybrid *h)
{
    return !h->opt.remote || *rem(h, REM_TAKEN) > 0.0;
}

bool ifd__remote_gone(const ifd_hybrid *h)
{
    return h->opt.remote && *rem(h, REM_ENDED) > 0.0 && state_of(h) == IFD_MACHINE_IDLE;
}

void ifd__remote_tell(ifd_hybrid *h)
{
    ifd_machine s = state_of(h);
    bool over =
        s == IFD_MACHINE_RAMP_OUT || s == IFD_MACHINE_STOPPED || s == IFD_MACHINE_TRIPPED || ifd__remote_gone(h);
    if (!h->opt.remote || !over || *rem(h, REM_OVER) > 0.0)
        return;
    *rem(h, REM_OVER) = 1.0;
    ifd__remote_answer(h->opt.remote, &(ifd_remote_answer){.number = (uint64_t)*rem(h, REM_TAKEN), .over = true});
}

bool ifd_hybrid_complete(const ifd_hybrid *h)
{
    if (h->opt.remote)
        return *rem(h, REM_ENDED) > 0.0 && *ifd__hyb(h, HYB_TRIP) == IFD_TRIP_NONE;
    return ifd_hybrid_time(h) >= h->opt.end - 0.5 * h->computed.step;
}

const ifd_remote_target *ifd_hybrid_taken(const ifd_hybrid *h)
{
    return h->opt.remote && h->took ? &h->taken : NULL;
}

static void initial(const ifd__computed *s, double *x)
{
    memset(x, 0, sizeof(double) * (size_t)s->size);
}

static void begin(const ifd__computed *s, double *x)
{
    (void)s;
    (void)x;
}

static void exchange(const ifd__computed *s, int k, double *step, double *x)
{
    (void)s;
    (void)k;
    (void)step;
    (void)x;
}

static void aim(const ifd__computed *s, int k, double step, const double *x)
{
    (void)s;
    (void)k;
    (void)step;
    (void)x;
}

static ifd_step_fault fault(const ifd__computed *s, const double *x)
{
    (void)s;
    (void)x;
    return IFD_STEP_OK;
}

static const ifd__computed_ops remote_master = {
    .name = "remote", .initial = initial, .begin = begin, .exchange = exchange, .aim = aim, .fault = fault};

ifd_status ifd__computed_remote(ifd_arena *arena, const ifd_hybrid_options *opt, ifd__computed *s, ifd_note *note)
{
    int n = opt->model->n;
    if (n != ifd__remote_options(opt->remote)->dofs)
        return ifd_note_add(note, IFD_SHAPE, NULL, "the master moves %d dofs, the model has %d",
                            ifd__remote_options(opt->remote)->dofs, n);
    s->ops = &remote_master;
    s->step = opt->step.h;
    s->exchanges = 1;
    s->size = 2 * n + REM_ROWS + IFD__REMOTE_PAST * n;
    s->pieces = 1;
    s->piece = ifd_arena_take(arena, sizeof *s->piece);
    if (!s->piece)
        return IFD_NO_MEMORY;
    s->piece[0] = (ifd__computed_piece){.m = opt->model, .measured = true};
    return IFD_OK;
}
