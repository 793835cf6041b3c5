/* SPDX-License-Identifier: MIT */
#include "rig_of_case.h"

#include <interfield/virtual.h>

ifd_status rig_of_case_find(app *a, const ifd_case *c, rig_of_case *out)
{
    ifd_hybrid_options o = *c->test;
    ifd_hybrid *h = NULL;
    o.rig = &ifd_virtual_rig;
    o.rig_setup = c->laboratory;
    o.rig_values = NULL;
    ifd_status status = IFD_OK;
    if (c->opensees) {
        const ifd_remote_options master = {.dofs = c->opensees->dofs, .paced = true, .trials = c->opensees->trials};
        status = ifd_remote_make(a->arena, &master, &o.remote, &a->note);
    }
    if (status == IFD_OK)
        status = ifd_hybrid_make(a->arena, &o, &h, &a->note);
    *out = (rig_of_case){0};
    if (status == IFD_OK)
        *out = (rig_of_case){.tick = ifd_hybrid_period(h), .channels = ifd_hybrid_actuators(h)};
    for (int k = 0; k < out->channels; k++)
        ifd_hybrid_rig_limits(h, k, &out->limits[k]);
    ifd_hybrid_close(h);
    return status;
}
