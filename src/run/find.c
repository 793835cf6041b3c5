/* SPDX-License-Identifier: MIT */
#include "run/find.h"

#include <math.h>

#include "run/hybrid.h"
#include "run/remote.h"

static const uint32_t needed = IFD_INPUT_NO_STOP | IFD_INPUT_HYDRAULICS;

static const char *const wait_names[] = {
#define ROW(name, text) #name,
    IFD_WAIT_LIST(ROW)
#undef ROW
};

static const char *const wait_texts[] = {
#define ROW(name, text) text,
    IFD_WAIT_LIST(ROW)
#undef ROW
};

const char *ifd_wait_name(ifd_wait wait)
{
    return (unsigned)wait < IFD_WAIT_COUNT ? wait_names[wait] : "UNKNOWN";
}

const char *ifd_wait_text(ifd_wait wait)
{
    return (unsigned)wait < IFD_WAIT_COUNT ? wait_texts[wait] : "something unknown";
}

void ifd__find_make(ifd_hybrid *h)
{
    h->opt.arm_samples = (int)fmax(h->opt.arm_samples, ceil(h->opt.arm_time / h->period));
    h->find_at = h->size;
    h->size += h->actuators * FIND_ROWS;
}

IFD_RT static double *row_of(const ifd_hybrid *h, int actuator)
{
    return h->x + h->find_at + actuator * FIND_ROWS;
}

/* The bounds of an actuator of the rig; who: its number as a fault names it. */
IFD_RT static const ifd__bounds *bounds_of(const ifd_hybrid *h, int actuator, int *who)
{
    for (int k = 0; k < h->channels; k++)
        if (h->way[k].actuator == actuator) {
            *who = k;
            return &h->way[k].bounds;
        }
    *who = h->channels + actuator;
    for (int d = 0; d < h->drives; d++)
        if (actuator >= h->drive[d].first && actuator < h->drive[d].first + h->drive[d].o->drive.actuators)
            return &h->drive[d].bounds[actuator - h->drive[d].first];
    return &h->way[0].bounds; /* not reached: every actuator is a channel's or a drive's */
}

static IFD_RT void wait_for(ifd_hybrid *h, ifd_wait wait, int channel, double value, double low, double high)
{
    *ifd__hyb(h, HYB_WAIT) = (double)wait;
    *ifd__hyb(h, HYB_WAIT_CHANNEL) = channel;
    *ifd__hyb(h, HYB_WAIT_VALUE) = value;
    *ifd__hyb(h, HYB_WAIT_LOW) = low;
    *ifd__hyb(h, HYB_WAIT_HIGH) = high;
}

void ifd__find_forget(ifd_hybrid *h)
{
    *ifd__hyb(h, HYB_AGREE) = *ifd__hyb(h, HYB_FOUND) = *ifd__hyb(h, HYB_COMMANDED) = 0.0;
    *ifd__hyb(h, HYB_WAITED) = 0.0;
    *ifd__hyb(h, HYB_SEARCHED) = *ifd__hyb(h, HYB_TICK);
    wait_for(h, IFD_WAIT_NO_MEASUREMENT, -1, 0.0, 0.0, 0.0);
}

/* What keeps the newest sample from counting, and more than that it stands outside. */
static IFD_RT bool unsound(ifd_hybrid *h)
{
    const ifd_channel_map *map = h->opt.map;
    uint32_t inputs = h->measure.inputs;
    int who;
    if (*ifd__hyb(h, HYB_HEARD) == 0.0)
        wait_for(h, IFD_WAIT_NO_MEASUREMENT, -1, 0.0, 0.0, 0.0);
    else if (*ifd__hyb(h, HYB_LEADS) > 0.0)
        wait_for(h, IFD_WAIT_COMMUNICATION, -1, *ifd__hyb(h, HYB_LEADS), 0.0, 0.0);
    else if (*ifd__hyb(h, HYB_SILENT) > h->opt.stale_limit)
        wait_for(h, IFD_WAIT_COMMUNICATION, -1, *ifd__hyb(h, HYB_SILENT), 0.0, h->opt.stale_limit);
    else if (!(inputs & IFD_INPUT_NO_STOP))
        wait_for(h, IFD_WAIT_STOP_PRESSED, -1, 0.0, 0.0, 0.0);
    else if (!(inputs & IFD_INPUT_HYDRAULICS))
        wait_for(h, IFD_WAIT_HYDRAULICS, -1, 0.0, 0.0, 0.0);
    else if (inputs != needed)
        wait_for(h, IFD_WAIT_RIG_STOPPED, -1, 0.0, 0.0, 0.0);
    else {
        for (int a = 0; a < h->actuators; a++) {
            (void)bounds_of(h, a, &who);
            if (!isfinite(h->measure.position[a])) {
                wait_for(h, IFD_WAIT_NOT_FINITE, who, h->measure.position[a], 0.0, 0.0);
                return true;
            }
        }
        for (int i = 0; map && i < map->rows; i++)
            if (ifd_channel_outside(&map->row[i], h->value[i])) {
                wait_for(h, IFD_WAIT_RANGE, h->channels + h->actuators + i, h->value[i], map->row[i].low,
                         map->row[i].high);
                return true;
            }
        for (int d = 0; d < h->drives; d++)
            if (h->x[h->drive[d].at] > 0.0) {
                wait_for(h, IFD_WAIT_POSE, h->drive[d].o->channel[0], 0.0, 0.0, 0.0);
                return true;
            }
        return false;
    }
    return true;
}

/* The present sample is the first of a series. */
static IFD_RT void begin_series(ifd_hybrid *h)
{
    for (int a = 0; a < h->actuators; a++) {
        double *r = row_of(h, a), x = h->measure.position[a];
        r[FIND_FIRST] = r[FIND_LOW] = r[FIND_HIGH] = x;
        r[FIND_SUM] = 0.0;
    }
    *ifd__hyb(h, HYB_AGREE) = 1.0;
    *ifd__hyb(h, HYB_FOUND) = 0.0;
}

/* Adds the present sample to the series; false when it does not agree with what was measured before. */
static IFD_RT bool add_sample(ifd_hybrid *h)
{
    bool found = *ifd__hyb(h, HYB_FOUND) > 0.0;
    for (int a = 0; a < h->actuators; a++) {
        int who;
        const ifd__bounds *b = bounds_of(h, a, &who);
        double *r = row_of(h, a), x = h->measure.position[a], most = h->opt.arm_spread * (b->high - b->low);
        r[FIND_LOW] = fmin(r[FIND_LOW], x);
        r[FIND_HIGH] = fmax(r[FIND_HIGH], x);
        r[FIND_SUM] += x - r[FIND_FIRST];
        double off = found ? fabs(x - r[FIND_AT]) : r[FIND_HIGH] - r[FIND_LOW];
        if (off > most) {
            wait_for(h, IFD_WAIT_NOT_AT_REST, who, off, 0.0, most);
            return false;
        }
    }
    if (found)
        return true;
    *ifd__hyb(h, HYB_AGREE) += 1.0;
    if (*ifd__hyb(h, HYB_AGREE) < h->opt.arm_samples)
        return true;
    for (int a = 0; a < h->actuators; a++)
        row_of(h, a)[FIND_AT] = row_of(h, a)[FIND_FIRST] + row_of(h, a)[FIND_SUM] / *ifd__hyb(h, HYB_AGREE);
    *ifd__hyb(h, HYB_FOUND) = 1.0;
    return true;
}

/* The first position outside a stroke: of an actuator, found or as measured now, or of a dof that a drive moves. */
static IFD_RT bool outside(ifd_hybrid *h)
{
    bool found = *ifd__hyb(h, HYB_FOUND) > 0.0;
    for (int a = 0; a < h->actuators; a++) {
        int who;
        const ifd__bounds *b = bounds_of(h, a, &who);
        double at = row_of(h, a)[FIND_AT], x = h->measure.position[a];
        double p = found && x >= b->low && x <= b->high ? at : x;
        if (!(p >= b->low && p <= b->high)) {
            wait_for(h, IFD_WAIT_OUTSIDE, who, p, b->low, b->high);
            return true;
        }
    }
    for (int k = 0; k < h->channels; k++) {
        const ifd__bounds *b = &h->way[k].bounds;
        double x = *ifd__way_row(h, k, CH_XM);
        if (h->way[k].actuator < 0 && !(x >= b->low && x <= b->high)) {
            wait_for(h, IFD_WAIT_OUTSIDE, k, x, b->low, b->high);
            return true;
        }
    }
    return false;
}

bool ifd__find_heard(const ifd_hybrid *h)
{
    return *ifd__hyb(h, HYB_ACKNOWLEDGED) > *ifd__hyb(h, HYB_SEARCHED);
}

/* What a sound rig is waited for: agreement, its stroke, the master, the operator. */
static IFD_RT void judge(ifd_hybrid *h, bool agrees)
{
    bool moved = (int)*ifd__hyb(h, HYB_WAIT) == IFD_WAIT_NOT_AT_REST;
    if (outside(h) || !agrees)
        return;
    if (*ifd__hyb(h, HYB_FOUND) == 0.0) {
        if (!moved) /* what did not agree is said until the series is whole */
            wait_for(h, IFD_WAIT_MEASURING, -1, *ifd__hyb(h, HYB_AGREE), 0.0, h->opt.arm_samples);
        return;
    }
    if (!ifd__find_heard(h)) {
        wait_for(h, IFD_WAIT_COMMUNICATION, -1, *ifd__hyb(h, HYB_TICK) - *ifd__hyb(h, HYB_SEARCHED), 0.0, 0.0);
        return;
    }
    bool by_itself = h->opt.automatic && *ifd__hyb(h, HYB_ARMED) == 0.0;
    wait_for(h,
             !ifd__remote_known(h) ? IFD_WAIT_MASTER
             : by_itself           ? IFD_WAIT_NONE
                                   : IFD_WAIT_ORDER,
             -1, 0.0, 0.0, 0.0);
}

/* A master may take its time: the test gives up for its own reasons only. */
static IFD_RT void grow_impatient(ifd_hybrid *h)
{
    bool by_itself = h->opt.automatic && *ifd__hyb(h, HYB_ARMED) == 0.0;
    double *waited = ifd__hyb(h, HYB_WAITED);
    *waited = by_itself && ifd__remote_known(h) ? *waited + h->period : 0.0;
    if (!(*waited > h->opt.arm_timeout) || *ifd__hyb(h, HYB_TRIP) != IFD_TRIP_NONE)
        return;
    double value = *ifd__hyb(h, HYB_WAIT_VALUE), low = *ifd__hyb(h, HYB_WAIT_LOW);
    (void)ifd__guard_note(h, IFD_TRIP_NOT_ARMED, -1, 0.0, 0.0, IFD_ACTION_NOTE);
    *ifd__hyb(h, HYB_TRIP) = IFD_TRIP_NOT_ARMED; /* idle has nothing to do about it, so it is latched here */
    *ifd__hyb(h, HYB_TRIP_TICK) = *ifd__hyb(h, HYB_TICK);
    *ifd__hyb(h, HYB_TRIP_CHANNEL) = *ifd__hyb(h, HYB_WAIT_CHANNEL);
    *ifd__hyb(h, HYB_TRIP_VALUE) = value;
    *ifd__hyb(h, HYB_TRIP_LIMIT) = value < low ? low : *ifd__hyb(h, HYB_WAIT_HIGH);
}

void ifd__find_step(ifd_hybrid *h, bool fresh)
{
    if ((int)*ifd__hyb(h, HYB_STATE) != IFD_MACHINE_IDLE)
        return;
    if (unsound(h)) {
        *ifd__hyb(h, HYB_AGREE) = *ifd__hyb(h, HYB_FOUND) = 0.0;
    } else if (fresh) {
        bool first = *ifd__hyb(h, HYB_AGREE) == 0.0, agrees = first || add_sample(h);
        if (first || !agrees)
            begin_series(h);
        judge(h, agrees);
    }
    grow_impatient(h);
}

bool ifd__find_ready(const ifd_hybrid *h)
{
    ifd_wait wait = (ifd_wait)(int)*ifd__hyb(h, HYB_WAIT);
    bool nothing_else = wait == IFD_WAIT_NONE || wait == IFD_WAIT_ORDER || wait == IFD_WAIT_MASTER;
    return *ifd__hyb(h, HYB_FOUND) > 0.0 && nothing_else && *ifd__hyb(h, HYB_STALE) == 0.0;
}

bool ifd__find_given_up(const ifd_hybrid *h)
{
    return (int)*ifd__hyb(h, HYB_STATE) == IFD_MACHINE_IDLE && *ifd__hyb(h, HYB_TRIP) == (double)IFD_TRIP_NOT_ARMED;
}

double ifd__find_place(const ifd_hybrid *h, int actuator)
{
    return row_of(h, actuator)[FIND_AT];
}

bool ifd__find_pose(const ifd_hybrid *h, const ifd__driven *d, double *s, double *q)
{
    for (int j = 0; j < d->o->drive.actuators; j++)
        s[j] = row_of(h, d->first + j)[FIND_AT];
    ifd__drives_gather(h, d, CH_XM, q);
    return ifd_drive_pose(d->drive, s, q);
}

/* The block of a drive where its actuators were found. */
static IFD_RT void take_drive(ifd_hybrid *h, const ifd__driven *d)
{
    double s[IFD_DRIVE_ACTUATORS], q[IFD_DRIVE_DOFS];
    (void)ifd__find_pose(h, d, s, q); /* known for every sample of the series, between which these lie */
    for (int i = 0; i < d->o->drive.dofs; i++)
        *ifd__way_row(h, d->o->channel[i], CH_P) = q[i];
    for (int j = 0; j < d->o->drive.actuators; j++) {
        double *a = h->x + d->at + 1 + j * ACT_ROWS;
        a[ACT_P] = a[ACT_ASKED] = s[j];
        a[ACT_W] = 0.0;
    }
    ifd__share_step(h, d, true);
}

void ifd__find_take(ifd_hybrid *h)
{
    for (int k = 0; k < h->channels; k++)
        if (h->way[k].actuator >= 0)
            *ifd__way_row(h, k, CH_P) = row_of(h, h->way[k].actuator)[FIND_AT];
    for (int d = 0; d < h->drives; d++)
        take_drive(h, &h->drive[d]);
    for (int k = 0; k < h->channels; k++) {
        double p = *ifd__way_row(h, k, CH_P);
        *ifd__way_row(h, k, CH_START) = *ifd__way_row(h, k, CH_AIMED) = *ifd__way_row(h, k, CH_WANTED) = p;
        *ifd__way_row(h, k, CH_W) = *ifd__way_row(h, k, CH_AIMED_V) = *ifd__way_row(h, k, CH_WANTED_V) = 0.0;
    }
    wait_for(h, IFD_WAIT_NONE, -1, 0.0, 0.0, 0.0);
    *ifd__hyb(h, HYB_COMMANDED) = 1.0;
    *ifd__hyb(h, HYB_ARMED) += 1.0;
    *ifd__hyb(h, HYB_ARMED_TICK) = *ifd__hyb(h, HYB_TICK);
}

/* Whether anybody knows where the rig is, and whether it listens. */
static IFD_RT bool in_touch(const ifd_hybrid *h)
{
    bool known = *ifd__hyb(h, HYB_SILENT) <= h->opt.stale_limit && *ifd__hyb(h, HYB_LEADS) == 0.0 &&
                 !(h->measure.inputs & IFD_INPUT_RIG_STOPPED);
    for (int a = 0; a < h->actuators; a++)
        known = known && isfinite(h->measure.position[a]);
    for (int d = 0; d < h->drives; d++)
        known = known && h->x[h->drive[d].at] == 0.0;
    return known;
}

void ifd__find_power(ifd_hybrid *h, bool rests)
{
    ifd_machine s = (ifd_machine)(int)*ifd__hyb(h, HYB_STATE);
    bool over = s == IFD_MACHINE_TRIPPED || s == IFD_MACHINE_STOPPED;
    bool pressure = h->measure.inputs & IFD_INPUT_HYDRAULICS;
    if (s == IFD_MACHINE_IDLE || !pressure || (over && rests && !in_touch(h)))
        *ifd__hyb(h, HYB_COMMANDED) = 0.0;
}

bool ifd__find_commanded(const ifd_hybrid *h)
{
    return *ifd__hyb(h, HYB_COMMANDED) > 0.0;
}

ifd_wait_facts ifd_hybrid_wait(const ifd_hybrid *h)
{
    return (ifd_wait_facts){.wait = (ifd_wait)(int)*ifd__hyb(h, HYB_WAIT),
                            .channel = (int)*ifd__hyb(h, HYB_WAIT_CHANNEL),
                            .value = *ifd__hyb(h, HYB_WAIT_VALUE),
                            .low = *ifd__hyb(h, HYB_WAIT_LOW),
                            .high = *ifd__hyb(h, HYB_WAIT_HIGH),
                            .seconds = *ifd__hyb(h, HYB_WAITED),
                            .timeout = h->opt.arm_timeout};
}

void ifd_hybrid_wait_limits(const ifd_hybrid *h, int channel, double *low, double *high)
{
    const ifd__bounds *b = NULL;
    int who;
    if (channel >= 0 && channel < h->channels)
        b = &h->way[channel].bounds;
    else if (channel >= h->channels && channel < h->channels + h->actuators)
        b = bounds_of(h, channel - h->channels, &who);
    *low = b ? b->low : 0.0;
    *high = b ? b->high : 0.0;
}
