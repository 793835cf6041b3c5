/* SPDX-License-Identifier: MIT */
/* Mass of the structure on the rig.
 *
 * If the rig carries it, it is subtracted from the numerical substructure and included in the measured force:
 *
 *     (M - m) u'' + R(u, u') + (m u'' + r) = P
 *
 * with the loads of the complete structure: the ground motion acts on all of M, while an actuator moves relative to
 * the ground. Otherwise it remains in M and is subtracted from the measured force, (m u'' + r) - m a with the
 * measured acceleration a. */
#include <math.h>
#include <string.h>

#include "model/support_motion.h"
#include "hybrid/hybrid.h"

static ifd_status check(const ifd_hybrid_options *o, const ifd_interface_options *c, ifd_note *note)
{
    if (!(c->mass > 0.0) || !isfinite(c->mass))
        return ifd_note_add(note, IFD_RANGE, NULL,
                            "interface '%s' has a mass of %g kg on the rig, expected zero or more", c->name, c->mass);
    if (c->from >= 0 || c->to < 0)
        return ifd_note_add(
            note, IFD_UNSUPPORTED, NULL,
            "interface '%s' has mass between two dofs, expected a specimen between the ground and a dof", c->name);
    if (c->row && !c->taken_out)
        return ifd_note_add(
            note, IFD_UNSUPPORTED, NULL,
            "interface '%s' is along a chord, and the rig carries mass in one direction only: subtract "
            "it from the measured force",
            c->name);
    if (c->taken_out && (c->accelerometer < 0 || c->accelerometer >= IFD_RIG_AUX))
        return ifd_note_add(note, IFD_RANGE, NULL, "interface '%s': auxiliary input %d does not exist", c->name,
                            c->accelerometer);
    if (!c->taken_out && o->lambda > 0.0 && o->lambda != 1.0)
        return ifd_note_add(
            note, IFD_UNSUPPORTED, NULL,
            "interface '%s' has mass on the rig, which is correct only in real time, but lambda is %g. "
            "Subtract it from the measured force, or add it to the model",
            c->name, o->lambda);
    return IFD_OK;
}

static ifd_status lighten(ifd_arena *arena, const ifd_interface_options *c, const ifd_model **m, ifd_note *note)
{
    ifd_model *copy = NULL;
    double there = ifd__sparse_get(&(*m)->M, c->to, c->to);
    if (!(there > c->mass))
        return ifd_note_add(note, IFD_RANGE, NULL,
                            "interface '%s' has %g kg on the rig, expected less than the mass of dof '%s', %g kg",
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
