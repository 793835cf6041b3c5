/* SPDX-License-Identifier: MIT */
/* The damping that a compensator assumes of its specimen. */
#include "qualify/compensate.h"

#include "model/model.h"

static void set(const ifd_compensator_kind *kind, ifd_value *v, const char *name, double number)
{
    v[ifd_param_find(kind->params, name)] = ifd_number(ifd__compensate_rounded(number));
}

void ifd__compensate_damping(const ifd_preflight_options *o, const ifd_compensator_kind *kind, int k,
                             const double times[2], ifd_value *v, const char **why)
{
    const ifd_hybrid_options *t = o->test;
    const ifd_interface_options *c = &t->interface[k];
    const ifd_step_options *step = t->couple ? &t->couple->part[c->part].step : &t->step;
    const ifd_model *m = t->couple ? t->couple->part[c->part].model : t->model;
    double stiffness = 0.0, mass = m && c->to >= 0 ? ifd__sparse_get(&m->M, c->to, c->to) : 0.0;
    for (int e = 0; e < step->estimates; e++)
        stiffness = step->estimate[e].to == c->to ? step->estimate[e].stiffness / c->force_factor : stiffness;
    if (!(stiffness > 0.0) || !(mass > 0.0)) {
        *why = stiffness > 0.0 ? "the dof of the specimen has no mass"
                               : "it needs the stiffness of the specimen: estimate: {stiffness: ...}";
        return;
    }
    set(kind, v, "stiffness", stiffness);
    set(kind, v, "most", 0.2 * mass / (times[0] * c->force_factor));
    set(kind, v, "look-ahead", times[1]);
}
