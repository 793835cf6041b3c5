/* SPDX-License-Identifier: MIT */
#include "hybrid/drives/drives.h"

#include <assert.h>
#include <math.h>

#include "hybrid/hybrid.h"
#include "hybrid/limits/limits.h"
#include "hybrid/observe.h"

ifd__actuator_state *ifd__actuator_of(const ifd_hybrid *h, const ifd__driven *d, int j)
{
    return (ifd__actuator_state *)(h->x + d->at + 1) + j;
}

/* Pose and forces of the block from its actuators. The last pose is the guess; without a solution it remains, and the
 * test trips. */
static void sense_drive(ifd_hybrid *h, const ifd__driven *d)
{
    double s[IFD_DRIVE_ACTUATORS], f[IFD_DRIVE_ACTUATORS], q[IFD_DRIVE_DOFS], fq[IFD_DRIVE_DOFS];
    for (int j = 0; j < d->o->drive.actuators; j++) {
        ifd__actuator_state *a = ifd__actuator_of(h, d, j);
        a->last_x = a->measured_x;
        a->last_f = a->measured_f;
        a->measured_x = s[j] = h->measure.position[d->first + j];
        a->measured_f = f[j] = h->measure.force[d->first + j];
    }
    ifd__io_gather(&h->io, d, IFD__MEMBER_AT(ifd__interface_state, measured_x), q);
    h->x[d->at] = ifd_drive_pose(d->drive, s, q) ? 0.0 : 1.0;
    ifd_drive_force(d->drive, q, f, fq);
    for (int i = 0; i < d->o->drive.dofs; i++) {
        ifd__interface_of(h, d->o->interface[i])->measured_x = q[i];
        ifd__interface_of(h, d->o->interface[i])->measured_f = fq[i];
    }
}

void ifd__drives_sense(ifd_hybrid *h)
{
    for (int d = 0; d < h->drives; d++)
        sense_drive(h, &h->drive[d]);
}

/* Whether the case contains the stiffness of a dof of the block, so that its motion must change the force of its
 * actuators. */
IFD_RT static bool stiffness_known(const ifd_hybrid *h, const ifd__driven *d)
{
    bool known = false;
    for (int i = 0; i < d->o->drive.dofs; i++)
        known = known || h->interface[d->o->interface[i]].stiffness > 0.0;
    return known;
}

/* s, the largest lag of the dofs of the block. */
IFD_RT static double slowest(const ifd_hybrid *h, const ifd__driven *d)
{
    double lag = 0.0;
    for (int i = 0; i < d->o->drive.dofs; i++)
        lag = fmax(lag, h->interface[d->o->interface[i]].o->lag);
    return lag;
}

static ifd_action guard_actuator(ifd_hybrid *h, const ifd__driven *d, int j, double ticks, ifd_action worst)
{
    ifd__actuator_state *a = ifd__actuator_of(h, d, j);
    const ifd__watched w = {.who = h->interfaces + d->first + j,
                            .limits = &d->o->limits[j],
                            .owes = h->facts.real || stiffness_known(h, d),
                            .known = true,
                            .actuator = true,
                            .xm = a->measured_x,
                            .xm_old = a->last_x,
                            .fm = a->measured_f,
                            .force_rate = (a->measured_f - a->last_f) / (ticks * h->period),
                            .off = a->error,
                            .step = a->step,
                            .slow_lag = &a->slow_lag,
                            .lag = slowest(h, d),
                            .reading = &a->reading,
                            .load_cell = &a->load_cell,
                            .peak_tracking = &a->peak_tracking,
                            .peak_force = &a->peak_force};
    return ifd__guard_watched(h, &w, worst);
}

static ifd_action guard_drive(ifd_hybrid *h, const ifd__driven *d, double ticks, ifd_action worst)
{
    double q[IFD_DRIVE_DOFS], s[IFD_DRIVE_ACTUATORS];
    ifd__io_gather(&h->io, d, IFD__MEMBER_AT(ifd__interface_state, target), q);
    ifd_drive_reach(d->drive, q, s);
    for (int j = 0; j < d->o->drive.actuators; j++) {
        ifd__actuator_state *a = ifd__actuator_of(h, d, j);
        a->error = a->measured_x - s[j] - a->sharing;
        worst = guard_actuator(h, d, j, ticks, worst);
    }
    if (h->x[d->at] > 0.0)
        worst = ifd__fault_note(&h->faults, IFD_TRIP_POSE, d->o->interface[0], 0.0, 0.0, worst);
    return worst;
}

ifd_action ifd__drives_guard(ifd_hybrid *h, const double *ticks, ifd_action worst)
{
    for (int d = 0; d < h->drives; d++)
        worst = guard_drive(h, &h->drive[d], ticks[ifd__rigs_of(h, h->drive[d].o->interface[0])], worst);
    return worst;
}

void ifd__drives_couple(const ifd_hybrid *h, ifd_compensator_in *in, ifd_compensator_in *coupled)
{
    for (int d = 0; d < h->drives; d++) {
        const ifd_driven *o = h->drive[d].o;
        for (int i = 0; i < o->drive.dofs; i++) {
            coupled[i] = in[o->interface[i]];
            in[o->interface[i]].axes = o->drive.dofs;
            in[o->interface[i]].axis = coupled;
        }
        coupled += o->drive.dofs;
    }
}

static void command_drive(ifd_hybrid *h, const ifd__driven *d, ifd_command *c)
{
    ifd__test_state *t = ifd__test_of(h);
    double q[IFD_DRIVE_DOFS], s[IFD_DRIVE_ACTUATORS];
    bool first = t->armed_tick == t->tick; /* exactly the position found */
    ifd__sharing_step(h, d, false);
    ifd__io_gather(&h->io, d, IFD__MEMBER_AT(ifd__interface_state, command), q);
    ifd_drive_reach(d->drive, q, s);
    for (int j = 0; j < d->o->drive.actuators; j++) {
        const int at = d->first + j; /* index among the actuators of the rig */
        ifd__actuator_state *a = ifd__actuator_of(h, d, j);
        s[j] += a->sharing;
        ifd__governed g = {a->command, a->step};
        const ifd__bounds b = ifd__return_bounds(ifd__state_of(h), &d->bounds[j], h->finding[at].at);
        if (!first && !ifd__governor_step(&b, s[j], s[j] - a->requested, &g)) {
            ifd__fault_note(&h->faults, IFD_TRIP_GOVERNED, h->interfaces + at, s[j], g.p, IFD_ACTION_NOTE);
            if (h->opt.observe && isfinite(s[j]))
                g = (ifd__governed){s[j], s[j] - a->command};
        }
        a->requested = s[j];
        ifd__observe_motion(&h->io, g.w, a->step, &a->a, &a->peak_a, &a->peak_v);
        c->position[at] = a->command = g.p;
        a->step = g.w;
        c->velocity[at] = g.w / h->period;
        a->peak_command = fmax(a->peak_command, fabs(g.p));
    }
}

void ifd__drives_command(ifd_hybrid *h, ifd_command *c)
{
    for (int d = 0; d < h->drives; d++)
        command_drive(h, &h->drive[d], c);
}

void ifd__drives_still(ifd_hybrid *h)
{
    for (int d = 0; d < h->drives; d++)
        for (int j = 0; j < h->drive[d].o->drive.actuators; j++)
            ifd__actuator_of(h, &h->drive[d], j)->step = 0.0;
}

IFD_RT static bool met(const ifd_hybrid *h, const ifd__driven *d, int j)
{
    const ifd__actuator_state *a = ifd__actuator_of(h, d, j);
    const ifd__bounds *b = &d->bounds[j];
    return fabs(a->command - a->requested) <= IFD__MET_ROUNDING * (b->high - b->low);
}

/* Whether a dof is moved to a position. */
IFD_RT static bool positions(const ifd_hybrid *h, const ifd__driven *d)
{
    bool any = false;
    for (int i = 0; i < d->o->drive.dofs; i++)
        any = any || !h->interface[d->o->interface[i]].o->force;
    return any;
}

int ifd__drives_awaited(const ifd_hybrid *h, bool all)
{
    int who = -1;
    for (int d = 0; d < h->drives; d++)
        for (int j = 0; j < h->drive[d].o->drive.actuators && (all || positions(h, &h->drive[d])); j++)
            if (who < 0 && !met(h, &h->drive[d], j))
                who = h->interfaces + h->drive[d].first + j;
    return who;
}
