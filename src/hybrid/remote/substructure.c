/* SPDX-License-Identifier: MIT */
/* A structure computed by another program: takes targets, answers with measurements, and selects the next path
 * (path.c). */
#include <math.h>
#include <string.h>

#include "hybrid/orders.h"
#include "hybrid/remote/path.h"

static bool paced(const ifd_hybrid *h)
{
    return ifd__remote_options(h->opt.remote)->paced;
}

/* Measured displacements of the dofs, summed over the specimens from the ground. A dof without such a chain has the
 * displacement of the target. */
static void displacements(const ifd_hybrid *h, double *u)
{
    bool known[IFD_REMOTE_DOFS] = {false};
    memcpy(u, h->x, sizeof(double) * (size_t)ifd__rem_dofs(h));
    for (int pass = 0; pass < h->interfaces; pass++)
        for (int k = 0; k < h->interfaces; k++) {
            int from = h->interface[k].o->from, to = h->interface[k].o->to;
            bool a = from < 0 || known[from], b = to < 0 || known[to];
            double xm = ifd__interface_of(h, k)->measured_x;
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
    ifd_remote_answer a = {.number = (uint64_t)ifd__rem(h)->goal};
    const double *load = h->numerical.model[0].load;
    ifd__exchange_load(h);
    displacements(h, a.u);
    for (int i = 0; i < ifd__rem_dofs(h); i++)
        a.f[i] = 0.0 - load[i];
    ifd__remote_answer(h->opt.remote, &a);
}

static void arrive(ifd_hybrid *h)
{
    ifd__remote_state *r = ifd__rem(h);
    bool first = ifd__rem_phase(h) == IFD__PHASE_START;
    if (first)
        r->goal = r->taken;
    answer(h);
    if (!first)
        ifd__test_of(h)->step += r->step;
    bool on = paced(h) && ifd__state_of(h) == IFD_MACHINE_RUN && r->known >= 2.0 &&
              ifd__remote_options(h->opt.remote)->order > 0 && ifd__path_leads_on(h);
    if (on)
        ifd__path_go(h, IFD__PHASE_PREDICT, h->opt.ticks_per_stage);
    else
        r->phase = IFD__PHASE_REST;
}

static void remember(ifd_hybrid *h, const ifd_remote_target *t)
{
    ifd__remote_state *r = ifd__rem(h);
    size_t n = sizeof(double) * (size_t)ifd__rem_dofs(h);
    double *known = &r->known;
    if (t->step & IFD_REMOTE_STATIC) /* no extrapolation; reached at rest */
        *known = 0.0;
    if (t->step || *known == 0.0) {
        memmove(ifd__rem_past(h, 1), ifd__rem_past(h, 0), (IFD__REMOTE_PAST - 1) * n);
        *known = fmin(*known + 1.0, IFD__REMOTE_PAST);
    }
    memcpy(ifd__rem_past(h, 0), t->u, n);
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
    ifd__rem(h)->ended = 1.0;
    if (before_motion(h) && ifd__test_of(h)->fault == IFD_TRIP_NONE)
        ifd__fault_latch(&h->faults, trip, channel, value[0], value[1]);
    return worst;
}

/* The interface with a target outside its stroke; -1: none. */
static int outside(const ifd_hybrid *h, const double *u, double value[2])
{
    for (int k = 0; k < h->interfaces; k++) {
        const ifd__bounds *b = &h->interface[k].bounds;
        value[0] = ifd__deformation(h->interface[k].o->from, h->interface[k].o->to, u);
        value[1] = value[0] > b->high ? b->high : b->low;
        if (!h->interface[k].o->force && !(value[0] >= b->low && value[0] <= b->high))
            return k;
    }
    return -1;
}

static ifd_trip fault_of(uint32_t kind)
{
    switch (kind) {
    case IFD_REMOTE_LOST:
        return IFD_TRIP_MASTER_LOST;
    case IFD_REMOTE_MISMATCH:
        return IFD_TRIP_MASTER_MISMATCH;
    case IFD_REMOTE_EARLY:
        return IFD_TRIP_MASTER_EARLY;
    default:
        return IFD_TRIP_MASTER_WRONG;
    }
}

/* A path that limits lengthen has other velocities than the structure. Not of the start, of static steps, of targets
 * that are reached at rest, and of a specimen that rests because its target was late, which is noted as such. */
static ifd_action follow(ifd_hybrid *h, const ifd_remote_target *t, ifd_action worst)
{
    ifd__test_state *test = ifd__test_of(h);
    bool late = paced(h) && (ifd__rem_phase(h) == IFD__PHASE_REST || ifd__rem_phase(h) == IFD__PHASE_BRAKE);
    bool going = test->step > 0.0 && !(t->step & IFD_REMOTE_STATIC) && !late;
    double due = ifd__path_correct(h);
    if (!going || ifd__remote_options(h->opt.remote)->order == 0 || test->path_ticks <= due)
        return worst;
    return ifd__fault_note(&h->faults, IFD_TRIP_MASTER_FAST, -1, test->path_ticks, due, worst);
}

static ifd_action heed(ifd_hybrid *h, const ifd_remote_target *t, ifd_action worst)
{
    ifd__remote_state *r = ifd__rem(h);
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
        ifd__path_start_here(h); /* on the old path, which does not include the target */
    remember(h, t);
    if (ifd__state_of(h) == IFD_MACHINE_RUN) {
        if (ifd__rem_phase(h) == IFD__PHASE_REST && paced(h) && r->known > 2.0)
            r->late += 1.0;
        return follow(h, t, worst);
    }
    for (k = 0; k < h->interfaces; k++) /* end of ramp-in */
        ifd__interface_of(h, k)->from_u = ifd__interface_of(h, k)->to_u =
            ifd__deformation(h->interface[k].o->from, h->interface[k].o->to, t->u);
    return worst;
}

static ifd_action take(ifd_hybrid *h, ifd_action worst)
{
    ifd__remote_state *r = ifd__rem(h);
    ifd_machine s = ifd__state_of(h);
    bool first = before_motion(h) && r->taken == 0.0 && r->ended == 0.0;
    uint32_t word = ifd__remote_word(h->opt.remote);
    bool done = word == IFD_REMOTE_END || word == IFD_REMOTE_EARLY; /* of a script that sends only its start */
    bool waits = (before_motion(h) && !done) || s == IFD_MACHINE_RAMP_IN || s == IFD_MACHINE_HOLD;
    bool follows = first || (s == IFD_MACHINE_RUN && ifd__rem_phase(h) != IFD__PHASE_START);
    if (follows)
        h->took = ifd__remote_take(h->opt.remote, ifd__remote_stands(h), &h->taken);
    else if (waits && r->ended == 0.0) /* no target is taken, but the end of the master is detected */
        h->took = ifd__remote_take_word(h->opt.remote, &h->taken);
    return h->took ? heed(h, &h->taken, worst) : worst;
}

/* A target inside the stroke can still be unreachable, as the compensated command exceeds the target. The force is
 * then not measured at the target, and the master would wait forever. */
static ifd_action reach(ifd_hybrid *h, ifd_action worst)
{
    double value[2];
    int k = ifd__rem_phase(h) == IFD__PHASE_CORRECT ? ifd__path_in_vain(h, value) : -1;
    return k < 0 ? worst : fail(h, IFD_TRIP_UNREACHED, k, value, worst);
}

ifd_action ifd__remote_step(ifd_hybrid *h, ifd_action worst)
{
    ifd__test_state *t = ifd__test_of(h);
    ifd_machine s = ifd__state_of(h);
    bool moves = (s == IFD_MACHINE_RUN || s == IFD_MACHINE_HOLD) && worst < IFD_ACTION_RAMP_OUT;
    h->took = false;
    if (moves &&
        (ifd__rem_phase(h) == IFD__PHASE_START || (ifd__rem_phase(h) == IFD__PHASE_CORRECT && ifd__path_arrived(h))))
        arrive(h);
    else if (moves && s == IFD_MACHINE_RUN)
        worst = reach(h, worst);
    worst = take(h, worst);
    if (!moves)
        return worst;
    if (ifd__rem_phase(h) == IFD__PHASE_PREDICT && t->path_tick >= ifd__path_predictable(h)) {
        worst = ifd__fault_note(&h->faults, IFD_TRIP_MASTER_LATE, -1, 0.0, 0.0, worst);
        ifd__path_brake(h);
    }
    if (ifd__rem_phase(h) == IFD__PHASE_BRAKE && t->path_tick >= t->path_ticks)
        ifd__rem(h)->phase = IFD__PHASE_REST;
    t->rate = t->rate_to = ifd__rem_phase(h) == IFD__PHASE_REST ? 0.0 : 1.0;
    return worst;
}

/* In the tick of the order: a target reached in the next tick would be left immediately. A free-running test waits
 * for a master that computes even during a motion. */
void ifd__remote_hold(ifd_hybrid *h)
{
    if (ifd__rem_phase(h) == IFD__PHASE_CORRECT)
        ifd__path_settle(h);
    else if (ifd__rem_phase(h) == IFD__PHASE_PREDICT || ifd__path_moves(h))
        ifd__path_brake(h);
}

bool ifd__remote_stands(const ifd_hybrid *h)
{
    ifd__remote_state *r = ifd__rem(h);
    if (!h->opt.remote || paced(h) || r->ended > 0.0)
        return false;
    ifd_machine s = ifd__state_of(h);
    return (s == IFD_MACHINE_RUN && ifd__rem_phase(h) == IFD__PHASE_REST) ||
           (s == IFD_MACHINE_IDLE && r->taken == 0.0);
}

ifd_order ifd__remote_order(const ifd_hybrid *h)
{
    ifd_machine s = ifd__state_of(h);
    bool armed = s == IFD_MACHINE_READY || s == IFD_MACHINE_RAMP_IN || s == IFD_MACHINE_RUN || s == IFD_MACHINE_HOLD;
    return h->opt.remote && armed && ifd__rem(h)->ended > 0.0 ? IFD_ORDER_RAMP_OUT : IFD_ORDER_NONE;
}

bool ifd__remote_known(const ifd_hybrid *h)
{
    return !h->opt.remote || ifd__rem(h)->taken > 0.0;
}

bool ifd__remote_gone(const ifd_hybrid *h)
{
    return h->opt.remote && ifd__rem(h)->ended > 0.0 && ifd__state_of(h) == IFD_MACHINE_IDLE;
}

void ifd__remote_tell(ifd_hybrid *h)
{
    ifd__remote_state *r = ifd__rem(h);
    ifd_machine s = ifd__state_of(h);
    bool over =
        s == IFD_MACHINE_RAMP_OUT || s == IFD_MACHINE_STOPPED || s == IFD_MACHINE_TRIPPED || ifd__remote_gone(h);
    if (!h->opt.remote || !over || r->over > 0.0)
        return;
    r->over = 1.0;
    ifd__remote_answer(h->opt.remote, &(ifd_remote_answer){.number = (uint64_t)r->taken, .over = true});
}

/* A script that closes while a stop is under way completes nothing. */
bool ifd_hybrid_complete(const ifd_hybrid *h)
{
    if (h->opt.remote)
        return ifd__rem(h)->ended > 0.0 && ifd__test_of(h)->fault == IFD_TRIP_NONE &&
               ifd__orders_of(h)->stop_tick == 0.0;
    return ifd_hybrid_time(h) >= h->opt.end - 0.5 * h->numerical.step;
}

const ifd_remote_options *ifd_hybrid_remote(const ifd_hybrid *h)
{
    return h->opt.remote ? ifd__remote_options(h->opt.remote) : NULL;
}

const ifd_remote_target *ifd_hybrid_taken(const ifd_hybrid *h)
{
    return h->opt.remote && h->took ? &h->taken : NULL;
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
