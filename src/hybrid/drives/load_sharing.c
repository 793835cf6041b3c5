/* SPDX-License-Identifier: MIT */
/* More actuators than dofs can act against each other. With J = ds/dq, extensions d with J^T d = 0 cause no motion
 * and forces f with J^T f = 0 cause no load: both are residuals of a least-squares fit. The loop changes these
 * extensions until these forces vanish. The measured forces are then J (J^T J)^-1 f_q, the smallest that balance
 * f_q. */
#include <math.h>

#include "hybrid/drives/drives.h"
#include "hybrid/hybrid.h"

/* y := y - J (J^T J)^-1 J^T y; false if the drive is singular. */
static IFD_RT bool leave_over(const ifd__driven *d, const double *q, double *y)
{
    double carried[IFD_DRIVE_DOFS], part[IFD_DRIVE_ACTUATORS];
    ifd_drive_force(d->drive, q, y, carried);
    if (!ifd_drive_share(d->drive, q, carried, part))
        return false;
    for (int j = 0; j < d->o->drive.actuators; j++)
        y[j] -= part[j];
    return true;
}

/* Scales all by the same factor, so that they still cause no motion. Inconsistent sensors can show more than the
 * limit when the drive is found. An immediate reduction to the limit would then cause large forces. */
static IFD_RT void keep(ifd_hybrid *h, const ifd__driven *d, bool anew, double *y)
{
    double most = 0.0, limit = d->o->sharing ? d->o->sharing->limit : 0.0;
    for (int j = 0; j < d->o->drive.actuators; j++) {
        double *found = &ifd__actuator_of(h, d, j)->found_off;
        *found = anew ? y[j] : *found;
        limit = fmax(limit, fabs(*found));
        most = fmax(most, fabs(y[j]));
    }
    if (most > limit)
        ifd__fault_note(&h->faults, IFD_TRIP_GOVERNED, h->interfaces + d->first, most, limit, IFD_ACTION_NOTE);
    for (int j = 0; j < d->o->drive.actuators; j++)
        ifd__actuator_of(h, d, j)->sharing = most > limit ? y[j] * limit / most : y[j];
}

void ifd__sharing_step(ifd_hybrid *h, const ifd__driven *d, bool anew)
{
    ifd__test_state *t = ifd__test_of(h);
    const ifd_sharing *o = d->o->sharing;
    double q[IFD_DRIVE_DOFS], y[IFD_DRIVE_ACTUATORS], f[IFD_DRIVE_ACTUATORS];
    ifd_machine state = (ifd_machine)(int)t->state;
    bool moves = state == IFD_MACHINE_RAMP_IN || state == IFD_MACHINE_RUN || state == IFD_MACHINE_HOLD ||
                 state == IFD_MACHINE_RAMP_OUT;
    bool shares = o && moves && ifd__rigs_stale(h, d->o->interface[0]) == 0.0;
    if (h->x[d->at] > 0.0 || d->o->drive.actuators == d->o->drive.dofs || !(anew || shares))
        return;
    ifd__io_gather(
        &h->io, d,
        anew ? IFD__MEMBER_AT(ifd__interface_state, command) : IFD__MEMBER_AT(ifd__interface_state, measured_x), q);
    ifd_drive_reach(d->drive, q, y);
    for (int j = 0; j < d->o->drive.actuators; j++) {
        const ifd__actuator_state *a = ifd__actuator_of(h, d, j);
        f[j] = a->measured_f;
        y[j] = anew ? a->command - y[j] : a->sharing; /* loaded when found: arming causes no motion */
    }
    if (!leave_over(d, q, f))
        return;
    for (int j = 0; j < d->o->drive.actuators && !anew; j++)
        y[j] -= 6.28318530717958647693 * o->bandwidth * h->period / o->stiffness * f[j];
    if (leave_over(d, q, y)) /* J has changed slightly */
        keep(h, d, anew, y);
}

ifd_status ifd__sharing_check(const ifd_driven *o, ifd_note *note)
{
    const ifd_sharing *s = o->sharing;
    if (!s)
        return IFD_OK;
    if (o->drive.actuators <= o->drive.dofs)
        return ifd_note_add(
            note, IFD_CONFLICT, NULL,
            "drive '%s' has %d actuators for %d dofs: their forces are statically determinate, so no load can "
            "be shared. Remove 'sharing'",
            o->drive.name, o->drive.actuators, o->drive.dofs);
    if (!(s->stiffness > 0.0) || !(s->bandwidth > 0.0) || !(s->limit > 0.0))
        return ifd_note_add(note, IFD_RANGE, NULL,
                            "drive '%s': sharing needs a stiffness, a bandwidth and a limit above zero",
                            o->drive.name);
    return IFD_OK;
}
