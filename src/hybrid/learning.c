/* SPDX-License-Identifier: MIT */
/* Compensators in a test: what they may learn from, and forces that they correct.
 *
 * They learn from a measurement that has arrived in this tick, and the command that left
 * the program for it.
 *
 * Without a new measurement of its rig the last one is kept. A measured value that is not finite and a pose of a
 * drive without solution count as lost too. In a drive each actuator has a governor: where one reduces its extension,
 * the command of the dofs is the pose of the extensions that were sent. */
#include <math.h>
#include <string.h>

#include "hybrid/unit.h"

/* For each interface: ticks since its last lost measurement, that one included; 0: none. */
static int doubles(const ifd__facts *f, const void *data)
{
    (void)data;
    return f->interfaces;
}

static IFD_RT void restart(const ifd__io *io, const void *data, void *own)
{
    (void)data;
    memset(own, 0, sizeof(double) * (size_t)io->f->interfaces);
}

/* Outside of run and hold nothing is learnt. */
static IFD_RT void observe(const ifd__io *io, const void *data, void *own)
{
    double *lost = own;
    if (!ifd__io_simulates(io)) {
        restart(io, data, own);
        return;
    }
    for (int k = 0; k < io->f->interfaces; k++) {
        const ifd__interface_state *s = io->interface[k];
        bool known = io->renewed[k] && isfinite(s->measured_x) && isfinite(s->measured_f);
        lost[k] = known ? (lost[k] > 0.0 ? lost[k] + 1.0 : 0.0) : 1.0;
    }
    for (int d = 0; d < io->f->drives; d++)
        for (int i = 0; i<io->f->drive[d].o->drive.dofs && * io->drive[d].lost> 0.0; i++)
            lost[io->f->drive[d].o->interface[i]] = 1.0;
}

/* Whether a governor of an actuator has changed what the dofs of the drive require; s: the extensions sent, without
 * those of load sharing. */
static IFD_RT bool reduced(const ifd__io *io, int n, double *s)
{
    bool any = false;
    for (int j = 0; j < io->f->drive[n].o->drive.actuators; j++) {
        const ifd__actuator_state *a = &io->drive[n].actuator[j];
        const ifd__bounds *b = &io->f->drive[n].bounds[j];
        s[j] = a->command - a->sharing;
        any = any || fabs(a->command - a->requested) > IFD__MET_ROUNDING * (b->high - b->low);
    }
    return any;
}

static IFD_RT void aim(const ifd__io *io, const void *data, const void *own, ifd_compensator_in *in)
{
    const double *lost = own;
    (void)data;
    for (int k = 0; k < io->f->interfaces; k++)
        in[k].lost = lost[k];
    for (int n = 0; n < io->f->drives; n++) {
        const ifd__driven *d = &io->f->drive[n];
        double s[IFD_DRIVE_ACTUATORS], q[IFD_DRIVE_DOFS];
        if (!reduced(io, n, s))
            continue;
        ifd__io_gather(io, d, IFD__MEMBER_AT(ifd__interface_state, command), q);
        bool known = ifd_drive_pose(d->drive, s, q);
        for (int i = 0; i < d->o->drive.dofs; i++) {
            ifd_compensator_in *one = &in[d->o->interface[i]];
            one->now_u = q[i];
            one->lost = known ? one->lost : 1.0;
        }
    }
}

/* In a drive also compensators that do not adapt compare measurements with the command that was sent. */
static bool asked(const ifd__facts *f)
{
    bool any = false;
    for (int k = 0; k < f->interfaces; k++) {
        const ifd_compensator *c = f->interface[k].compensator;
        any = any || (c && (c->kind->adapts || f->drives));
    }
    return any;
}

const ifd__unit ifd__unit_learning = {.name = "learning",
                                      .about = "measurements and commands from which compensators learn",
                                      .asked = asked,
                                      .doubles = doubles,
                                      .restart = restart,
                                      .observe = observe,
                                      .aim = aim};

/* The force of compensators that correct it (rig/compensator/predict.c), from the newest measurement. */

/* own: the state of the compensator of each interface. */
static IFD_RT void correct(const ifd__io *io, const void *data, void *own)
{
    void *const *state = own;
    (void)data;
    for (int k = 0; k < io->f->interfaces; k++) {
        const ifd__interface_state *s = io->interface[k];
        const ifd_compensator_in in = {
            .x = s->target, .v = s->target_v, .xm = s->measured_x, .fm = s->measured_f, .frozen = io->f->frozen};
        if (io->f->interface[k].corrects)
            ifd_compensator_correct(io->f->interface[k].compensator, &in, state[k]);
    }
}

static bool any_corrects(const ifd__facts *f)
{
    bool any = false;
    for (int k = 0; k < f->interfaces; k++)
        any = any || f->interface[k].corrects;
    return any;
}

const ifd__unit ifd__unit_corrected_force = {.name = "corrected force",
                                             .about = "force of compensators that correct it",
                                             .asked = any_corrects,
                                             .in = IFD__IN(RUN) | IFD__IN(HOLD),
                                             .each = sizeof(ifd__interface_state),
                                             .observe = correct};
