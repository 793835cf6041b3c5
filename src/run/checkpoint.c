/* SPDX-License-Identifier: MIT */
#include "run/checkpoint.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "rig/replay.h"
#include "run/pace.h"

static const double ROUND_OFF = 1e-12;   /* relative, of a simulated time that is a number of steps */
enum { PLACES = 3, PLACE = 3, NEW = 4 }; /* middle: a place, and whether it was written since it was last taken */

struct ifd__mailbox {
    struct {
        double *x, *values;
        ifd_snapshot letter;
    } place[PLACES];
    int mine;   /* the tick's: written next */
    int theirs; /* the watcher's: read */
    bool lent;  /* the watcher's */
    _Atomic int middle;
};

ifd_status ifd__checkpoint_make(ifd_hybrid *h, ifd_arena *arena)
{
    struct ifd__mailbox *m = ifd_arena_take(arena, sizeof *m);
    if (!m)
        return IFD_NO_MEMORY;
    for (int i = 0; i < PLACES; i++) {
        m->place[i].x = ifd_arena_array(arena, (size_t)h->size, sizeof(double));
        m->place[i].values = ifd_arena_array(arena, (size_t)h->columns, sizeof(double));
        if (!m->place[i].x || !m->place[i].values)
            return IFD_NO_MEMORY;
    }
    m->theirs = 1;
    atomic_init(&m->middle, 2);
    h->mailbox = m;
    return IFD_OK;
}

static IFD_RT ifd_machine state_of(const ifd_hybrid *h)
{
    return (ifd_machine)(int)*ifd__hyb(h, HYB_STATE);
}

/* No part of the structure is on its way between two ends of a step. */
static bool is_whole(const ifd_hybrid *h)
{
    return !h->computed.coupled || *ifd__hyb(h, HYB_DUE) == 0.0;
}

/* Every command could stop within a tick. Compensation comes to rest later than the
 * path, and with noise never quite. */
static IFD_RT bool calm(const ifd_hybrid *h)
{
    bool calm = true;
    for (int k = 0; k < h->channels; k++) {
        const ifd__bounds *b = &h->way[k].bounds;
        calm = calm && fabs(*ifd__way_row(h, k, CH_W)) <= b->acceleration * b->dt * b->dt;
    }
    for (int d = 0; d < h->drives; d++)
        for (int j = 0; j < h->drive[d].o->drive.actuators; j++) {
            const ifd__bounds *b = &h->drive[d].bounds[j];
            calm = calm && fabs(ifd__drives_row(h, d, j)[ACT_W]) <= b->acceleration * b->dt * b->dt;
        }
    return calm;
}

bool ifd__checkpoint_rests(const ifd_hybrid *h)
{
    return state_of(h) == IFD_MACHINE_HOLD && ifd__pace_rests(h) && calm(h);
}

ifd_order ifd__checkpoint_wish(const void *self)
{
    const ifd_hybrid *h = self;
    if (ifd_hybrid_time(h) < h->opt.until * (1.0 - ROUND_OFF) || h->going_on)
        return IFD_ORDER_NONE;
    if (state_of(h) == IFD_MACHINE_RUN)
        return IFD_ORDER_HOLD;
    return ifd__checkpoint_rests(h) && *ifd__hyb(h, HYB_CHECKPOINT_HELD) > 0.0 ? IFD_ORDER_STOP : IFD_ORDER_NONE;
}

static IFD_RT void send(ifd_hybrid *h)
{
    struct ifd__mailbox *m = h->mailbox;
    double *x = m->place[m->mine].x, *values = m->place[m->mine].values;
    memcpy(x, h->x, (size_t)h->size * sizeof *x);
    memcpy(values, h->values, (size_t)h->columns * sizeof *values);
    m->place[m->mine].letter = (ifd_snapshot){.tick = (uint64_t)*ifd__hyb(h, HYB_TICK),
                                              .time = ifd_hybrid_time(h),
                                              .state = state_of(h),
                                              .channels = h->channels,
                                              .count = h->size,
                                              .rig_at = h->rig_at,
                                              .rig_size = h->rig.size,
                                              .x = x,
                                              .raw = h->raw,
                                              .measure = h->measure,
                                              .columns = h->columns,
                                              .values = values};
    m->mine = atomic_exchange_explicit(&m->middle, m->mine | NEW, memory_order_acq_rel) & PLACE;
}

void ifd__checkpoint_tick(ifd_hybrid *h, ifd_order order)
{
    ifd_machine state = state_of(h);
    double *wanted = ifd__hyb(h, HYB_CHECKPOINT), *age = ifd__hyb(h, HYB_CHECKPOINT_AGE);
    double *held = ifd__hyb(h, HYB_CHECKPOINT_HELD);
    if (state == IFD_MACHINE_RUN || state == IFD_MACHINE_RAMP_OUT || state == IFD_MACHINE_TRIPPED)
        *held = 0.0;
    if (state == IFD_MACHINE_RUN)
        *age += h->period;
    if (state != IFD_MACHINE_RUN && state != IFD_MACHINE_HOLD)
        return;
    bool rests = ifd__checkpoint_rests(h);
    if (order == IFD_ORDER_CHECKPOINT || (rests && *held == 0.0) || *age >= h->opt.checkpoint_every)
        *wanted = 1.0;
    if (rests)
        *held = 1.0;
    if (*wanted == 0.0 || !is_whole(h) || h->opt.remote)
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
    return state_of(h) == IFD_MACHINE_STOPPED && *ifd__hyb(h, HYB_CHECKPOINT_HELD) > 0.0;
}

/* A row of a channel in a saved state. What stands behind the rig's slice has moved when this test's rig has
 * another size. */
static IFD_RT double saved(const ifd_snapshot *s, const ifd_hybrid *h, int k, int row)
{
    return s->x[h->way[k].at + row];
}

/* From rest a command may take up a step only as far as the limit of acceleration lets it. */
static ifd_status check_motion(const ifd_hybrid *h, const ifd_snapshot *s, ifd_note *note)
{
    for (int k = 0; k < h->channels && s->rig_size == 0; k++) {
        const ifd__bounds *b = &h->way[k].bounds;
        double w = fabs(saved(s, h, k, CH_W));
        if (w > b->acceleration * b->dt * b->dt)
            return ifd_note_add(
                note, IFD_UNSUPPORTED, NULL,
                "the checkpoint was taken in motion (channel '%s' at %.3g m/s): a rig at rest cannot take it "
                "up; go on from one that was taken on hold",
                h->way[k].o->name, w / b->dt);
    }
    return IFD_OK;
}

/* A rig in this process goes on with its own saved state, one elsewhere from where it stands; a replay has none and
 * does as the recorded test did. */
static ifd_status check_rig(const ifd_hybrid *h, const ifd_snapshot *s, ifd_note *note)
{
    if (h->rig.size == s->rig_size || h->opt.rig == &ifd__replay_rig)
        return IFD_OK;
    return ifd_note_add(note, IFD_CONFLICT, NULL, "the checkpoint belongs to a test with another rig than '%s'",
                        h->opt.rig->name);
}

void ifd__checkpoint_aim(ifd_hybrid *h)
{
    for (int k = 0; k < h->channels && h->going_on; k++)
        *ifd__way_row(h, k, CH_FROM_U) = *ifd__way_row(h, k, CH_TO_U) = saved(h->going_on, h, k, CH_P);
}

double ifd__checkpoint_force(const ifd_hybrid *h, int k)
{
    return saved(h->going_on, h, k, CH_FORCE_AIM);
}

ifd_status ifd_hybrid_continue(ifd_hybrid *h, const ifd_snapshot *from, ifd_note *note)
{
    if (from->channels != h->channels || from->columns != h->columns || from->rig_at != h->rig_at ||
        from->count - from->rig_size != h->size - h->rig.size)
        return ifd_note_add(note, IFD_CONFLICT, NULL, "the checkpoint belongs to a test of another shape");
    IFD_TRY(check_rig(h, from, note));
    IFD_TRY(check_motion(h, from, note));
    h->going_on = from;
    ifd__checkpoint_aim(h);
    if (h->rig.size && h->rig.size == from->rig_size)
        memcpy(h->x + h->rig_at, from->x + from->rig_at, (size_t)from->rig_size * sizeof *h->x);
    return IFD_OK;
}

/* Rows that belong to a rig which went on living meanwhile, and not to the test: of every channel, and of those whose
 * position follows from a force. */
static const int measured[] = {CH_XM, CH_FM, CH_XM_OLD, CH_FM_OLD, CH_FROZEN, CH_MOVED};
static const int driven[] = {CH_P, CH_W, CH_WANTED, CH_AIMED};
enum { MEASURED = sizeof measured / sizeof *measured, DRIVEN = sizeof driven / sizeof *driven };

/* What the rig's rows were before the saved state took their place. */
typedef struct present {
    double channel[IFD_RIG_CHANNELS][CH_ROWS], actuator[IFD_RIG_CHANNELS][ACT_ROWS], tick, heard, acknowledged;
} present;

static IFD_RT void look_around(const ifd_hybrid *h, present *p)
{
    p->tick = *ifd__hyb(h, HYB_TICK);
    p->heard = *ifd__hyb(h, HYB_HEARD);
    p->acknowledged = *ifd__hyb(h, HYB_ACKNOWLEDGED);
    for (int k = 0; k < h->channels; k++)
        memcpy(p->channel[k], ifd__way_row(h, k, 0), sizeof p->channel[k]);
    for (int d = 0; d < h->drives; d++)
        for (int j = 0; j < h->drive[d].o->drive.actuators; j++)
            memcpy(p->actuator[h->drive[d].first + j], ifd__drives_row(h, d, j), sizeof *p->actuator);
}

static IFD_RT void leave_to_rig(ifd_hybrid *h, const present *p)
{
    *ifd__hyb(h, HYB_TICK) = p->tick;
    *ifd__hyb(h, HYB_HEARD) = p->heard;
    *ifd__hyb(h, HYB_ACKNOWLEDGED) = p->acknowledged;
    for (int k = 0; k < h->channels; k++) {
        for (int i = 0; i < MEASURED; i++)
            *ifd__way_row(h, k, measured[i]) = p->channel[k][measured[i]];
        for (int i = 0; i < DRIVEN && h->way[k].o->force; i++)
            *ifd__way_row(h, k, driven[i]) = p->channel[k][driven[i]];
        memcpy(ifd__way_row(h, k, CH_PAST), p->channel[k] + CH_PAST, IFD__FITTED * sizeof *h->x);
        memcpy(ifd__way_row(h, k, CH_STUCK), p->channel[k] + CH_STUCK, IFD__STUCK * sizeof *h->x);
        *ifd__way_row(h, k, CH_SEEN + SEEN_FM_OLDER) = p->channel[k][CH_SEEN + SEEN_FM_OLDER];
        for (int i = SEEN_TICKS; i <= SEEN_NOISE_X; i++)
            *ifd__way_row(h, k, CH_SEEN + i) = p->channel[k][CH_SEEN + i];
    }
    for (int d = 0; d < h->drives; d++)
        for (int j = 0; j < h->drive[d].o->drive.actuators; j++) /* all but the peaks */
            memcpy(ifd__drives_row(h, d, j), p->actuator[h->drive[d].first + j], ACT_PEAK_TRACKING * sizeof *h->x);
}

/* Everything but the rig's slice and, when the rig is elsewhere, what it measures, how its answers are numbered and
 * where its actuators are. */
static IFD_RT void put_back(ifd_hybrid *h, const ifd_snapshot *s)
{
    present now;
    look_around(h, &now);
    memcpy(h->x, s->x, (size_t)s->rig_at * sizeof *h->x);
    memcpy(h->x + h->own, s->x + s->rig_at + s->rig_size, (size_t)(h->size - h->own) * sizeof *h->x);
    memcpy(h->values, s->values, (size_t)s->columns * sizeof *h->values);
    if (s->rig_size == 0)
        leave_to_rig(h, &now);
}

bool ifd__checkpoint_resume(ifd_hybrid *h)
{
    const ifd_snapshot *s = h->going_on;
    if (!s || state_of(h) != IFD_MACHINE_RAMP_IN)
        return false;
    put_back(h, s);
    if (s->rig_size > 0) {
        h->raw = s->raw;
        h->measure = s->measure;
    }
    if (h->rig.size && h->rig.size == s->rig_size)
        memcpy(h->x + h->rig_at, s->x + s->rig_at, (size_t)s->rig_size * sizeof *h->x);
    h->command.tick = (uint64_t)*ifd__hyb(h, HYB_TICK); /* acknowledged by the rig as it was then */
    h->going_on = NULL;
    return true;
}
