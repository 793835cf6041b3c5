/* SPDX-License-Identifier: MIT */
/* Snapshots of a test and continuation from them: checkpoint.h. */
#include "hybrid/checkpoint.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "rig/replay.h"
#include "hybrid/columns.h"
#include "hybrid/chain/effective_force.h"
#include "hybrid/observe.h"
#include "hybrid/orders.h"
#include "hybrid/hold_force.h"

static const double ROUND_OFF = 1e-12;   /* relative, for a simulated time that is a whole number of steps */
enum { PLACES = 3, PLACE = 3, NEW = 4 }; /* middle: index of a place, plus NEW if it was not yet taken */

struct ifd__mailbox {
    struct {
        double *x, *values;
        ifd_snapshot letter;
    } place[PLACES];
    int mine;   /* of the tick: written next */
    int theirs; /* of the watcher: being read */
    bool lent;  /* to the watcher */
    _Atomic int middle;
};

ifd_status ifd__checkpoint_make(ifd_hybrid *h, ifd_arena *arena)
{
    struct ifd__mailbox *m;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(m, 1)));
    for (int i = 0; i < PLACES; i++)
        IFD_TRY(
            IFD__TAKE(arena, IFD__ARRAY(m->place[i].x, h->size), IFD__ARRAY(m->place[i].values, h->step_columns)));
    m->theirs = 1;
    atomic_init(&m->middle, 2);
    h->mailbox = m;
    return IFD_OK;
}

/* Whether a specimen that is loaded by a force still moves, although simulated time rests. */
static IFD_RT bool swings(const ifd_hybrid *h)
{
    bool any = false;
    for (int k = 0; k < h->interfaces; k++)
        any = any || ifd__push_swings(&h->io, k);
    return any;
}

/* Every command can stop within a tick. Compensation comes to rest later than the path, and with noise never exactly.
 * The saved state contains the forces with which a resume on another day is compared. */
bool ifd__checkpoint_at_rest(const ifd_hybrid *h)
{
    return h->pace->rests(h) && ifd__io_slower(&h->io, 1.0) && (!h->io.hold || ifd__rest_known(&h->io)) &&
           (!h->pace->complete || h->pace->complete(h)) && !(h->forces && swings(h));
}

ifd_order ifd__checkpoint_wish(const void *self)
{
    const ifd_hybrid *h = self;
    if (ifd_hybrid_time(h) < h->opt.until * (1.0 - ROUND_OFF) || h->going_on)
        return IFD_ORDER_NONE;
    if (ifd__state_of(h) == IFD_MACHINE_RUN)
        return IFD_ORDER_PARK;
    if (h->orders->wants != IFD__WANTS_NOTHING)
        return IFD_ORDER_NONE;
    return ifd__checkpoint_rests(h) && h->test->checkpoint_held > 0.0 ? IFD_ORDER_PARK : IFD_ORDER_NONE;
}

static IFD_RT void send(ifd_hybrid *h)
{
    struct ifd__mailbox *m = h->mailbox;
    double *x = m->place[m->mine].x, *values = m->place[m->mine].values;
    memcpy(x, h->x, (size_t)h->size * sizeof *x);
    memcpy(values, h->step_values, (size_t)h->step_columns * sizeof *values);
    m->place[m->mine].letter = (ifd_snapshot){.tick = (uint64_t)h->test->tick,
                                              .time = ifd_hybrid_time(h),
                                              .state = ifd__state_of(h),
                                              .interfaces = h->interfaces,
                                              .count = h->size,
                                              .rig_at = h->rig_at,
                                              .rig_size = h->rig.size,
                                              .x = x,
                                              .raw = h->raw,
                                              .measure = h->measure,
                                              .columns = h->step_columns,
                                              .values = values};
    m->mine = atomic_exchange_explicit(&m->middle, m->mine | NEW, memory_order_acq_rel) & PLACE;
}

void ifd__checkpoint_tick(ifd_hybrid *h, ifd_order order)
{
    ifd__test_state *t = h->test;
    ifd_machine state = ifd__state_of(h);
    double *wanted = &t->checkpoint, *age = &t->checkpoint_age;
    double *held = &t->checkpoint_held;
    if (state == IFD_MACHINE_RUN)
        *age += h->period;
    if (state != IFD_MACHINE_RUN && state != IFD_MACHINE_HOLD)
        return;
    bool rests = ifd__checkpoint_rests(h);
    if (order == IFD_ORDER_CHECKPOINT || (rests && *held == 0.0) || *age >= h->opt.checkpoint_every)
        *wanted = 1.0;
    if (rests)
        *held = 1.0;
    if (*wanted == 0.0 || (h->pace->awaits && !rests) || h->numerical.ops->held_elsewhere ||
        !ifd__substructure_whole(&h->numerical, (int)t->exchange))
        return;
    *wanted = *age = 0.0;
    send(h);
}

bool ifd_hybrid_snapshot(ifd_hybrid *h, ifd_snapshot *out)
{
    struct ifd__mailbox *m = h->mailbox;
    if (m->lent || !(atomic_load_explicit(&m->middle, memory_order_relaxed) & NEW))
        return false;
    m->theirs = atomic_exchange_explicit(&m->middle, m->theirs, memory_order_acq_rel) & PLACE;
    m->lent = true;
    *out = m->place[m->theirs].letter;
    return true;
}

void ifd_hybrid_give_back(ifd_hybrid *h)
{
    h->mailbox->lent = false;
}

bool ifd_hybrid_paused(const ifd_hybrid *h)
{
    return ifd__state_of(h) == IFD_MACHINE_STOPPED && h->test->checkpoint_held > 0.0;
}

/* An interface in a saved state. Offsets after the slice of the rig are shifted if this rig has another state
 * size. */
static IFD_RT const ifd__interface_state *saved(const ifd_snapshot *s, const ifd_hybrid *h, int k)
{
    return (const ifd__interface_state *)(s->x + ifd__place_of(h, h->each[k]));
}

/* Permitted changes: of a position as at arming; of a force 10 % of it, or 2 % of its limit. Without a limit its
 * largest value in the test counts. */
static const double of_force = 0.1, of_limit = 0.02;

bool ifd_hybrid_stored(const ifd_hybrid *h, int channel, double stored[2], double permitted[2])
{
    if (!h->going_on || channel < 0 || channel >= h->interfaces)
        return false;
    const ifd__interface_state *s = saved(h->going_on, h, channel);
    const ifd_limits *l = &h->interface[channel].o->limits;
    double most = isfinite(l->force) ? of_limit * l->force : of_force * s->peak_force;
    stored[0] = s->measured_x;
    stored[1] = s->measured_f;
    permitted[0] = h->opt.arm_spread * (h->interface[channel].bounds.high - h->interface[channel].bounds.low);
    permitted[1] = fmax(of_force * fabs(s->measured_f), most);
    return true;
}

/* The state of a rig in this process is restored. */
bool ifd__checkpoint_changed(const ifd_hybrid *h, ifd__checkpoint_change *out)
{
    const double certain = 3.0; /* standard deviations of the noise of one reading */
    double stored[2], permitted[2];
    bool compares = h->going_on && h->going_on->rig_size == 0 && !(h->gate & IFD_GATE_CHANGED);
    for (int k = 0; compares && k < h->interfaces; k++) {
        const double found[2] = {h->each[k]->measured_x, h->each[k]->measured_f};
        (void)ifd_hybrid_stored(h, k, stored, permitted);
        permitted[1] += certain * ifd__observed_force_noise(&h->io, k);
        for (int i = 0; i < 2; i++)
            if (!(fabs(found[i] - stored[i]) <= permitted[i])) {
                *out = (ifd__checkpoint_change){.force = i == 1,
                                                .interface = k,
                                                .found = found[i],
                                                .stored = stored[i],
                                                .permitted = permitted[i]};
                return true;
            }
    }
    return false;
}

/* From rest, a command can reach a given step only within the acceleration limit. */
static ifd_status check_motion(const ifd_hybrid *h, const ifd_snapshot *s, ifd_note *note)
{
    for (int k = 0; k < h->interfaces && s->rig_size == 0; k++) {
        const ifd__bounds *b = &h->interface[k].bounds;
        double w = fabs(saved(s, h, k)->step);
        if (w > b->acceleration * b->dt * b->dt)
            return ifd_note_add(
                note, IFD_UNSUPPORTED, NULL,
                "the checkpoint was taken in motion (interface '%s' at %.3g m/s). A rig at rest cannot reach "
                "this motion. Continue from a checkpoint that was taken on hold",
                h->interface[k].o->name, w / b->dt);
    }
    return IFD_OK;
}

/* A rig in this process continues with its saved state, another rig from its present position. A replay has no rig
 * and follows the recorded test. */
static ifd_status check_rig(const ifd_hybrid *h, const ifd_snapshot *s, ifd_note *note)
{
    if (!ifd__rigs_continue(h))
        return ifd_note_add(
            note, IFD_UNSUPPORTED, NULL,
            "rigs in this process have a saved state, and others continue from their present position: a test "
            "with both, or with `equalise` in this process, cannot be continued");
    if (h->rig.size == s->rig_size || h->opt.rig == &ifd__replay_rig)
        return IFD_OK;
    return ifd_note_add(note, IFD_CONFLICT, NULL, "the checkpoint belongs to a test with a rig other than '%s'",
                        h->opt.rig->name);
}

void ifd__checkpoint_aim(ifd_hybrid *h)
{
    for (int k = 0; k < h->interfaces && h->going_on; k++)
        h->each[k]->from_u = h->each[k]->to_u = saved(h->going_on, h, k)->command;
}

double ifd__checkpoint_force(const ifd_hybrid *h, int k)
{
    return saved(h->going_on, h, k)->force_target;
}

/* A test with a bound of the relaxation on hold has additional numbers, the forces of the hold. */
static ifd_status refuse_shape(const ifd_hybrid *h, const ifd_snapshot *from, ifd_note *note)
{
    bool bounded = h->opt.hold_relaxation > 0.0;
    int more = (from->count - from->rig_size) - (h->size - h->rig.size),
        forces = h->interfaces * IFD__DOUBLES(ifd__hold_force);
    if (from->interfaces != h->interfaces || from->columns != h->step_columns || more != (bounded ? -forces : forces))
        return ifd_note_add(
            note, IFD_CONFLICT, NULL,
            "the checkpoint belongs to a test with other dimensions (dofs, interfaces, actuators or method)");
    ifd_note_add(note, IFD_CONFLICT, NULL,
                 bounded ? "the checkpoint was written without `test: {hold-relaxation: ...}`, which the case has: "
                           "the forces at the beginning of the hold are not in it"
                         : "the checkpoint was written with `test: {hold-relaxation: ...}`, which the case does "
                           "not have");
    ifd_note_hint(note, bounded ? "remove the key from the case to continue this test without a bound"
                                : "add the key to the case. Its value may differ, up to 100 %%");
    return IFD_CONFLICT;
}

ifd_status ifd_hybrid_continue(ifd_hybrid *h, const ifd_snapshot *from, ifd_note *note)
{
    if (from->interfaces != h->interfaces || from->columns != h->step_columns || from->rig_at != h->rig_at ||
        from->count - from->rig_size != h->size - h->rig.size)
        return refuse_shape(h, from, note);
    IFD_TRY(check_rig(h, from, note));
    IFD_TRY(check_motion(h, from, note));
    h->going_on = from;
    ifd__checkpoint_aim(h);
    if (h->rig.size && h->rig.size == from->rig_size)
        memcpy(h->x + h->rig_at, from->x + from->rig_at, (size_t)from->rig_size * sizeof *h->x);
    return IFD_OK;
}

/* Restores the members of a block that belong to the rig from the state `old`, as the rig moved on meanwhile. */
static IFD_RT void leave_to_rig(ifd_hybrid *h, const ifd__state_list *list, void *block, const double *old,
                                ifd__state_owner owner)
{
    ifd__state_put(list, block, old + ifd__place_of(h, block), owner);
}

static IFD_RT void leave_all_to_rig(ifd_hybrid *h, const double *old)
{
    leave_to_rig(h, &ifd__test_members, h->test, old, IFD__OF_RIG);
    for (int k = 0; k < h->interfaces; k++)
        leave_to_rig(h, &ifd__interface_members, h->each[k], old,
                     h->interface[k].o->force ? IFD__OF_FORCE : IFD__OF_RIG);
    for (int k = 0; k < h->interfaces; k++) {
        if (h->io.walled[k])
            leave_to_rig(h, &ifd__walled_members, h->io.walled[k], old, IFD__OF_RIG);
        if (h->io.pushed[k])
            leave_to_rig(h, &ifd__pushed_members, h->io.pushed[k], old, IFD__OF_RIG);
    }
    for (int d = 0; d < h->drives; d++)
        for (int j = 0; j < h->drive[d].o->drive.actuators; j++)
            leave_to_rig(h, &ifd__actuator_members, ifd__actuator_of(h, &h->drive[d], j), old, IFD__OF_RIG);
    for (int r = 0; h->rigs.several && r < h->rigs.several->rigs; r++)
        leave_to_rig(h, &ifd__rig_members, &h->rigs.block[r], old, IFD__OF_RIG);
}

/* Everything except the slice of the rig and, for a rig outside this process, its measurements, acknowledgements and
 * actuator positions. */
static IFD_RT void put_back(ifd_hybrid *h, const ifd_snapshot *s)
{
    double *old = h->mailbox->place[h->mailbox->mine].x; /* the place of the tick, written next */
    memcpy(old, h->x, (size_t)h->size * sizeof *old);
    memcpy(h->x, s->x, (size_t)s->rig_at * sizeof *h->x);
    memcpy(h->step_values, s->values, (size_t)s->columns * sizeof *h->step_values);
    memcpy(h->orders, old + ifd__place_of(h, h->orders), sizeof(ifd__orders));
    ifd__rigs_reported(h, old);
    if (s->rig_size == 0) {
        leave_all_to_rig(h, old);
        if (h->pace->continues)
            h->pace->continues(h, old);
    }
}

bool ifd__checkpoint_resume(ifd_hybrid *h)
{
    const ifd_snapshot *s = h->going_on;
    if (ifd__state_of(h) != IFD_MACHINE_RAMP_IN)
        return false;
    put_back(h, s);
    if (h->io.hold)
        ifd__rest_again(&h->io);
    ifd__columns_record(h);
    if (s->rig_size > 0) {
        h->raw = s->raw;
        h->measure = s->measure;
    }
    if (h->rig.size && h->rig.size == s->rig_size)
        memcpy(h->x + h->rig_at, s->x + s->rig_at, (size_t)s->rig_size * sizeof *h->x);
    h->command.tick = (uint64_t)h->test->tick; /* number of the command that the rig acknowledged then */
    h->going_on = NULL;
    return true;
}
