/* SPDX-License-Identifier: MIT */
#include "run/drives.h"

#include <assert.h>
#include <math.h>

#include "run/hybrid.h"
#include "run/limits.h"
#include "run/observe.h"

static_assert(ACT_STUCK_LAST == ACT_STUCK + IFD__STUCK - 1, "rows of a load cell");

IFD_RT static double *row_of(const ifd_hybrid *h, const ifd__driven *d, int j)
{
    return h->x + d->at + 1 + j * ACT_ROWS;
}

double *ifd__drives_row(const ifd_hybrid *h, int d, int j)
{
    return row_of(h, &h->drive[d], j);
}

void ifd__drives_gather(const ifd_hybrid *h, const ifd__driven *d, int row, double *q)
{
    for (int i = 0; i < d->o->drive.dofs; i++)
        q[i] = *ifd__way_row(h, d->o->channel[i], row);
}

/* Where the block is and what it feels, from its actuators. Where it was is the guess; a pose that is lost stays, and
 * trips. */
static void sense_drive(ifd_hybrid *h, const ifd__driven *d)
{
    double s[IFD_DRIVE_ACTUATORS], f[IFD_DRIVE_ACTUATORS], q[IFD_DRIVE_DOFS], fq[IFD_DRIVE_DOFS];
    for (int j = 0; j < d->o->drive.actuators; j++) {
        double *a = row_of(h, d, j);
        a[ACT_XM_OLD] = a[ACT_XM];
        a[ACT_FM_OLD] = a[ACT_FM];
        a[ACT_XM] = s[j] = h->measure.position[d->first + j];
        a[ACT_FM] = f[j] = h->measure.force[d->first + j];
    }
    ifd__drives_gather(h, d, CH_XM, q);
    h->x[d->at] = ifd_drive_pose(d->drive, s, q) ? 0.0 : 1.0;
    ifd_drive_force(d->drive, q, f, fq);
    for (int i = 0; i < d->o->drive.dofs; i++) {
        *ifd__way_row(h, d->o->channel[i], CH_XM) = q[i];
        *ifd__way_row(h, d->o->channel[i], CH_FM) = fq[i];
    }
}

void ifd__drives_sense(ifd_hybrid *h)
{
    for (int k = 0; k < h->channels; k++) {
        int a = h->way[k].actuator;
        *ifd__way_row(h, k, CH_XM_OLD) = *ifd__way_row(h, k, CH_XM);
        *ifd__way_row(h, k, CH_FM_OLD) = *ifd__way_row(h, k, CH_FM);
        if (a < 0)
            continue;
        *ifd__way_row(h, k, CH_XM) = h->measure.position[a];
        *ifd__way_row(h, k, CH_FM) = h->measure.force[a];
    }
    for (int d = 0; d < h->drives; d++)
        sense_drive(h, &h->drive[d]);
}

/* Whether the case gives the stiffness of a dof of the block: its motion must change the force of its actuators. */
IFD_RT static bool stiffness_known(const ifd_hybrid *h, const ifd__driven *d)
{
    bool known = false;
    for (int i = 0; i < d->o->drive.dofs; i++)
        known = known || h->way[d->o->channel[i]].stiffness > 0.0;
    return known;
}

static ifd_action guard_actuator(ifd_hybrid *h, const ifd__driven *d, int j, double ticks, ifd_action worst)
{
    double *a = row_of(h, d, j);
    const ifd__watched w = {.who = h->channels + d->first + j,
                            .limits = &d->o->limits[j],
                            .owes = h->real || stiffness_known(h, d),
                            .known = true,
                            .actuator = true,
                            .xm = a[ACT_XM],
                            .xm_old = a[ACT_XM_OLD],
                            .fm = a[ACT_FM],
                            .force_rate = (a[ACT_FM] - a[ACT_FM_OLD]) / (ticks * h->period),
                            .off = a[ACT_OFF],
                            .step = a[ACT_W],
                            .behind = &a[ACT_BEHIND],
                            .frozen = &a[ACT_FROZEN],
                            .moved = &a[ACT_MOVED],
                            .stuck = &a[ACT_STUCK],
                            .peak_tracking = &a[ACT_PEAK_TRACKING],
                            .peak_force = &a[ACT_PEAK_FORCE]};
    return ifd__guard_watched(h, &w, worst);
}

static ifd_action guard_drive(ifd_hybrid *h, const ifd__driven *d, double ticks, ifd_action worst)
{
    double q[IFD_DRIVE_DOFS], s[IFD_DRIVE_ACTUATORS];
    ifd__drives_gather(h, d, CH_WANTED, q);
    ifd_drive_reach(d->drive, q, s);
    for (int j = 0; j < d->o->drive.actuators; j++) {
        double *a = row_of(h, d, j);
        a[ACT_OFF] = a[ACT_XM] - s[j] - a[ACT_SHARE];
        worst = guard_actuator(h, d, j, ticks, worst);
    }
    if (h->x[d->at] > 0.0)
        worst = ifd__guard_note(h, IFD_TRIP_POSE, d->o->channel[0], 0.0, 0.0, worst);
    return worst;
}

ifd_action ifd__drives_guard(ifd_hybrid *h, double ticks, ifd_action worst)
{
    const ifd_channel_map *map = h->opt.map;
    for (int d = 0; d < h->drives; d++)
        worst = guard_drive(h, &h->drive[d], ticks, worst);
    for (int i = 0; map && i < map->rows; i++)
        if (*ifd__hyb(h, HYB_HEARD) > 0.0 && ifd_channel_outside(&map->row[i], h->value[i]))
            worst = ifd__guard_note(h, IFD_TRIP_RANGE, h->channels + h->actuators + i, h->value[i],
                                    h->value[i] > map->row[i].high ? map->row[i].high : map->row[i].low, worst);
    return worst;
}

/* As see_command of observe.c: what the brake of a hold is measured by. */
static void see_command(const ifd_hybrid *h, double *a, double w)
{
    ifd_machine state = (ifd_machine)(int)*ifd__hyb(h, HYB_STATE);
    a[ACT_A] += ((w - a[ACT_W]) / (h->period * h->period) - a[ACT_A]) * ifd__observing_share(h);
    if (state != IFD_MACHINE_RAMP_IN && state != IFD_MACHINE_RUN)
        return;
    a[ACT_PEAK_A] = fmax(a[ACT_PEAK_A], fabs(a[ACT_A]));
    a[ACT_PEAK_V] = fmax(a[ACT_PEAK_V], fabs(w) / h->period);
}

static void command_drive(ifd_hybrid *h, const ifd__driven *d, ifd_command *c)
{
    double q[IFD_DRIVE_DOFS], s[IFD_DRIVE_ACTUATORS];
    bool first = *ifd__hyb(h, HYB_ARMED_TICK) == *ifd__hyb(h, HYB_TICK); /* where it was found, to the bit */
    ifd__share_step(h, d, false);
    ifd__drives_gather(h, d, CH_P, q);
    ifd_drive_reach(d->drive, q, s);
    for (int j = 0; j < d->o->drive.actuators; j++) {
        const int at = d->first + j; /* among the actuators of the rig */
        double *a = row_of(h, d, j);
        s[j] += a[ACT_SHARE];
        ifd__governed g = {a[ACT_P], a[ACT_W]};
        const ifd__bounds b = ifd__return_bounds(h, &d->bounds[j], ifd__find_place(h, at));
        if (!first && !ifd__governor_step(&b, s[j], s[j] - a[ACT_ASKED], &g)) {
            ifd__guard_note(h, IFD_TRIP_GOVERNED, h->channels + at, s[j], g.p, IFD_ACTION_NOTE);
            if (h->opt.observe && isfinite(s[j]))
                g = (ifd__governed){s[j], s[j] - a[ACT_P]};
        }
        a[ACT_ASKED] = s[j];
        see_command(h, a, g.w);
        c->position[at] = a[ACT_P] = g.p;
        a[ACT_W] = g.w;
        c->velocity[at] = g.w / h->period;
        a[ACT_PEAK_COMMAND] = fmax(a[ACT_PEAK_COMMAND], fabs(g.p));
    }
}

void ifd__drives_command(ifd_hybrid *h, ifd_command *c)
{
    for (int k = 0; k < h->channels; k++) {
        double p = *ifd__way_row(h, k, CH_P);
        int a = h->way[k].actuator;
        *ifd__way_row(h, k, CH_PEAK_COMMAND) = fmax(*ifd__way_row(h, k, CH_PEAK_COMMAND), fabs(p));
        if (a < 0)
            continue;
        c->position[a] = p;
        c->velocity[a] = *ifd__way_row(h, k, CH_W) / h->period;
    }
    for (int d = 0; d < h->drives; d++)
        command_drive(h, &h->drive[d], c);
}

void ifd__drives_still(ifd_hybrid *h)
{
    for (int d = 0; d < h->drives; d++)
        for (int j = 0; j < h->drive[d].o->drive.actuators; j++)
            row_of(h, &h->drive[d], j)[ACT_W] = 0.0;
}

bool ifd__drives_rest(const ifd_hybrid *h)
{
    bool rest = true;
    for (int d = 0; d < h->drives; d++)
        for (int j = 0; j < h->drive[d].o->drive.actuators; j++)
            rest = rest && row_of(h, &h->drive[d], j)[ACT_W] == 0.0;
    return rest;
}

bool ifd__drives_met(const ifd_hybrid *h)
{
    bool met = true;
    for (int d = 0; d < h->drives; d++)
        for (int j = 0; j < h->drive[d].o->drive.actuators; j++) {
            const double *a = row_of(h, &h->drive[d], j);
            const ifd__bounds *b = &h->drive[d].bounds[j];
            met = met && fabs(a[ACT_P] - a[ACT_ASKED]) <= IFD__MET_ROUNDING * (b->high - b->low);
        }
    return met;
}

double *ifd__drives_publish(const ifd_hybrid *h, double *v)
{
    for (int d = 0; d < h->drives; d++)
        for (int j = 0; j < h->drive[d].o->drive.actuators; j++) {
            const double *a = row_of(h, &h->drive[d], j);
            *v++ = a[ACT_P];
            *v++ = a[ACT_XM];
            *v++ = a[ACT_FM];
            *v++ = a[ACT_OFF];
            if (h->drive[d].o->sharing)
                *v++ = a[ACT_SHARE];
        }
    for (int i = 0; h->opt.map && i < h->opt.map->rows; i++) {
        *v++ = ifd_channel_read(&h->opt.map->row[i], &h->raw);
        *v++ = h->value[i];
    }
    return v;
}
