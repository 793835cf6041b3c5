/* SPDX-License-Identifier: MIT */
/* Whether the force of a specimen depends on velocity. */
#include "case/rig/channels.h"

#include "model/rate.h"

static bool element_depends(const ifd_virtual_channel *c, ifd_arena *scratch)
{
    ifd_element e = {.ops = c->specimen, .name = "specimen", .nq = 1};
    if (!c->specimen)
        return false;
    if (c->specimen->carry || c->specimen->flags & IFD_ELEMENT_INERTIAL ||
        c->specimen->make(&e, c->specimen_values, scratch, NULL) != IFD_OK)
        return true;
    return ifd__element_rate_dependent(&e, scratch);
}

void ifd__find_rate(ifd__reader *r, const ifd_value *stated, const ifd_laboratory *lab, ifd_hybrid_options *o)
{
    o->rate_dependent = stated->number > 0.0;
    if (r->note->errors) /* values that were refused are not used */
        return;
    ifd_arena *scratch = ifd_arena_open();
    if (!scratch)
        return;
    for (int k = 0; k < lab->channels && k < r->c->run.specimens && !o->rate_from; k++)
        if (element_depends(&lab->channel[k], scratch))
            o->rate_from = r->c->run.specimen[k].name;
    for (int i = 0; i < lab->models && !o->rate_from; i++)
        if (lab->model[i].model && ifd__model_rate_dependent(lab->model[i].model, scratch))
            o->rate_from = lab->model[i].name;
    ifd_arena_close(scratch);
    if (!stated->given)
        o->rate_dependent = o->rate_from != NULL;
}
