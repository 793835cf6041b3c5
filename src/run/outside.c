/* SPDX-License-Identifier: MIT */
/* A run of a structure that steps itself: the same ticks and the same record, the solving elsewhere. */
#include <math.h>
#include <string.h>

#include "run/run.h"

/* Values are asked for at every step: one that is not finite must end the run there, recorded or not. */
ifd_fault ifd__outside_step(ifd_run *r)
{
    const double limit = 1e12; /* as of displacements and velocities of models */
    const ifd_outside *o = &r->outside;
    if (!o->step(o->self))
        return o->diverged && o->diverged(o->self) ? IFD_FAULT_DIVERGED : IFD_FAULT_PART;
    if (!o->values(o->self, r->values))
        return IFD_FAULT_PART;
    ifd__run_own(r)->step += 1.0;
    for (int k = 0; k < r->channels; k++)
        if (strcmp(r->channel[k].group, "displacement") == 0 && fabs(r->values[k]) > limit)
            return IFD_FAULT_DIVERGED;
    return IFD_FAULT_NONE;
}

/* Energy that the method made, and that is too little to call the run diverged (run.c). */
const char *ifd_run_caution(const ifd_run *r)
{
    const double much = 0.1 /* of the largest energy in the balance: useful methods make a few percent */;
    if (r->outside.step)
        return r->outside.caution;
    ifd_energy e = ifd_run_energy(r);
    return e.scale > 0.0 && -e.numerical > much * e.scale
               ? "the method made more than a tenth of the energy of the run, which no load put in: the motion may "
                 "be growing by itself; compare with a run at half the step"
               : NULL;
}

ifd_status ifd__outside_make(ifd_run *r, ifd_arena *arena, const ifd_run_options *opt, ifd_note *note)
{
    IFD_TRY(opt->outside->open(arena, opt->outside->spec, &r->outside, note));
    r->h = opt->step.h;
    r->steps = lround(opt->end / r->h);
    r->every = opt->every > 0 ? opt->every : 1;
    r->ticks = 1;
    r->size = IFD__DOUBLES(ifd__run_state);
    r->channels = r->outside.channels;
    size_t count = (size_t)r->channels;
    r->x = ifd_arena_array(arena, (size_t)r->size, sizeof *r->x);
    r->values = ifd_arena_array(arena, count, sizeof *r->values);
    r->channel = ifd_arena_array(arena, count, sizeof *r->channel);
    if (!r->x || !r->values || !r->channel)
        return IFD_NO_MEMORY;
    for (size_t k = 0; k < count; k++)
        r->channel[k] = r->outside.channel[k];
    if (!r->outside.values(r->outside.self, r->values))
        return ifd_note_add(note, IFD_PLUGIN, NULL, "%s: %s", opt->outside->summary, r->outside.why(r->outside.self));
    r->fresh = true;
    return IFD_OK;
}
