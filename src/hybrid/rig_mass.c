/* SPDX-License-Identifier: MIT */
/* Mass of the structure that stands on the rig.
 *
 * Left to the rig, it is taken out of the computed part and comes back in the measured force:
 *
 *     (M - m) u'' + R(u, u') + (m u'' + r) = P
 *
 * with the loads of the whole: the ground shakes all of M, while an actuator moves relative to it. Taken out of the
 * measured force, (m u'' + r) - m a with the measured acceleration a, it stays where it was, in M. */
#include <math.h>
#include <string.h>

#include "model/support_motion.h"
#include "hybrid/hybrid.h"

static ifd_status check(const ifd_hybrid_options *o, const ifd_interface_options *c, ifd_note *note)
{
    if (!(c->mass > 0.0) || !isfinite(c->mass))
        return ifd_note_add(note, IFD_RANGE, NULL, "channel '%s' carries %g kg, expected zero or more", c->name,
                            c->mass);
    if (c->from >= 0 || c->to < 0)
        return ifd_note_add(
            note, IFD_UNSUPPORTED, NULL,
            "channel '%s' carries mass between two dofs: expected a specimen between the ground and a dof", c->name);
    if (c->taken_out && (c->accelerometer < 0 || c->accelerometer >= IFD_RIG_AUX))
        return ifd_note_add(note, IFD_RANGE, NULL, "channel '%s': auxiliary input %d does not exist", c->name,
                            c->accelerometer);
    if (!c->taken_out && o->lambda > 0.0 && o->lambda != 1.0)
        return ifd_note_add(
            note, IFD_UNSUPPORTED, NULL,
            "channel '%s' leaves mass to the rig, where inertia is right in real time only; lambda is %g: "
            "take it out of the measured force, or give it to the model",
            c->name, o->lambda);
    return IFD_OK;
}

static ifd_status lighten(ifd_arena *arena, const ifd_interface_options *c, const ifd_model **m, ifd_note *note)
{
    ifd_model *copy = NULL;
    double there = ifd__sparse_get(&(*m)->M, c->to, c->to);
    if (!(there > c->mass))
        return ifd_note_add(note, IFD_RANGE, NULL,
                            "channel '%s' leaves %g kg to the rig, but dof '%s' has %g: expected less than that",
                            c->name, c->mass, (*m)->dof_name[c->to], there);
    IFD_TRY(ifd__model_with_mass(arena, *m, c->to, -c->mass, &copy, note));
    *m = copy;
    return IFD_OK;
}

ifd_status ifd__rig_mass_take(ifd_arena *arena, ifd_hybrid_options *o, ifd_note *note)
{
    ifd_part_options *part = NULL;
    ifd_couple_options *couple = NULL;
    for (int k = 0; k < o->interfaces; k++) {
        const ifd_interface_options *c = &o->interface[k];
        if (c->mass == 0.0)
            continue;
        IFD_TRY(check(o, c, note));
        if (c->taken_out)
            continue;
        if (o->couple && !couple) {
            IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(couple, 1), IFD__ARRAY(part, o->couple->parts)));
            *couple = *o->couple;
            memcpy(part, couple->part, sizeof *part * (size_t)couple->parts);
            couple->part = part;
            o->couple = couple;
        }
        IFD_TRY(lighten(arena, c, part ? &part[c->part].model : &o->model, note));
    }
    return IFD_OK;
}

ifd_status ifd_hybrid_computed(ifd_arena *arena, const ifd_hybrid_options *opt, const ifd_model **out, ifd_note *note)
{
    ifd_hybrid_options o = *opt;
    IFD_TRY(ifd__rig_mass_take(arena, &o, note));
    *out = o.model;
    return IFD_OK;
}
