/* SPDX-License-Identifier: MIT */
#include "hybrid/learning.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "hybrid/limits/limits.h"
#include "hybrid/unit.h"

static int doubles(const ifd_hybrid *h)
{
    return h->interfaces;
}

static IFD_RT void restart(ifd_hybrid *h)
{
    memset(h->x + h->learning_at, 0, sizeof *h->x * (size_t)h->interfaces);
}

void ifd__learning_tick(ifd_hybrid *h, bool fresh)
{
    double *lost = h->x + h->learning_at;
    ifd_machine state = ifd__state_of(h);
    if (state != IFD_MACHINE_RUN && state != IFD_MACHINE_HOLD) {
        memset(lost, 0, sizeof *lost * (size_t)h->interfaces);
        return;
    }
    for (int k = 0; k < h->interfaces; k++) {
        const ifd__interface_state *s = ifd__interface_of(h, k);
        bool known = ifd__rigs_fresh(h, k, fresh) && isfinite(s->measured_x) && isfinite(s->measured_f);
        lost[k] = known ? (lost[k] > 0.0 ? lost[k] + 1.0 : 0.0) : 1.0;
    }
    for (int d = 0; d < h->drives; d++)
        for (int i = 0; i < h->drive[d].o->drive.dofs && h->x[h->drive[d].at] > 0.0; i++)
            lost[h->drive[d].o->interface[i]] = 1.0;
}

/* Whether a governor of an actuator has changed what the dofs of the drive require; s: the extensions sent, without
 * those of load sharing. */
static IFD_RT bool reduced(const ifd_hybrid *h, const ifd__driven *d, double *s)
{
    bool any = false;
    for (int j = 0; j < d->o->drive.actuators; j++) {
        const ifd__actuator_state *a = ifd__actuator_of(h, d, j);
        const ifd__bounds *b = &d->bounds[j];
        s[j] = a->command - a->sharing;
        any = any || fabs(a->command - a->requested) > IFD__MET_ROUNDING * (b->high - b->low);
    }
    return any;
}

void ifd__learning_from(const ifd_hybrid *h, ifd_compensator_in *in)
{
    const double *lost = h->x + h->learning_at;
    for (int k = 0; k < h->interfaces; k++)
        in[k].lost = lost[k];
    for (int n = 0; n < h->drives; n++) {
        const ifd__driven *d = &h->drive[n];
        double s[IFD_DRIVE_ACTUATORS], q[IFD_DRIVE_DOFS];
        if (!reduced(h, d, s))
            continue;
        ifd__drives_gather(h, d, IFD__MEMBER_AT(ifd__interface_state, command), q);
        bool known = ifd_drive_pose(d->drive, s, q);
        for (int i = 0; i < d->o->drive.dofs; i++) {
            ifd_compensator_in *one = &in[d->o->interface[i]];
            one->now_u = q[i];
            one->lost = known ? one->lost : 1.0;
        }
    }
}

static bool compensates(const ifd_hybrid *h)
{
    bool any = false;
    for (int k = 0; k < h->interfaces; k++)
        any = any || h->interface[k].compensator;
    return any;
}

const ifd__unit ifd__unit_learning = {.name = "learning",
                                      .about = "measurements and commands from which compensators learn",
                                      .asked = compensates,
                                      .doubles = doubles,
                                      .at = offsetof(ifd_hybrid, learning_at),
                                      .restart = restart,
                                      .observe = ifd__learning_tick,
                                      .aim = ifd__learning_from};
