/* SPDX-License-Identifier: MIT */
/* The force of compensators that correct it (rig/compensator/predict.c), from the newest measurement. */
#include "hybrid/unit.h"

/* own: the state of the compensator of each interface. */
static IFD_RT void observe(const ifd__io *io, const void *data, void *own)
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

static bool asked(const ifd__facts *f)
{
    bool any = false;
    for (int k = 0; k < f->interfaces; k++)
        any = any || f->interface[k].corrects;
    return any;
}

const ifd__unit ifd__unit_corrected_force = {.name = "corrected force",
                                             .about = "force of compensators that correct it",
                                             .asked = asked,
                                             .in = IFD__IN(RUN) | IFD__IN(HOLD),
                                             .each = sizeof(ifd__interface_state),
                                             .observe = observe};
