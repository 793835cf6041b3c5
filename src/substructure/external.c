/* SPDX-License-Identifier: MIT */
/* A structure with its own time stepping: the same exchanges, computed elsewhere. Its state is a fault and the values
 * of its columns after the last step. */
#include <math.h>
#include <string.h>

#include "substructure/substructure.h"

enum { FAULT, VALUES };

static void initial(const ifd__substructure *s, double *x)
{
    x[FAULT] = s->outside.values(s->outside.self, x + VALUES) ? IFD_FAULT_NONE : IFD_FAULT_PART;
}

/* Values are read at every step: a value that is not finite ends the run there, recorded or not. */
static void exchange(const ifd__substructure *s, int k, double *step, double *x)
{
    const double limit = 1e12; /* the limit for displacements and velocities of models */
    const ifd_external *o = &s->outside;
    (void)k;
    if (!o->step(o->self)) {
        x[FAULT] = o->diverged && o->diverged(o->self) ? IFD_FAULT_DIVERGED : IFD_FAULT_PART;
        return;
    }
    initial(s, x);
    if (x[FAULT] != IFD_FAULT_NONE)
        return;
    *step += 1.0;
    for (int i = 0; i < o->columns; i++)
        if (strcmp(o->column[i].group, "displacement") == 0 && fabs(x[VALUES + i]) > limit)
            x[FAULT] = IFD_FAULT_DIVERGED;
}

const double *ifd__external_values(const double *x)
{
    return x + VALUES;
}

static ifd_fault fault(const ifd__substructure *s, const double *x)
{
    (void)s;
    return (ifd_fault)(int)x[FAULT];
}

static const ifd__substructure_ops steps_itself = {
    .name = "external", .held_elsewhere = true, .initial = initial, .exchange = exchange, .fault = fault};

ifd_status ifd__substructure_external(ifd_arena *arena, const ifd_external_options *opt, double step,
                                      ifd__substructure *s, ifd_note *note)
{
    *s = (ifd__substructure){.ops = &steps_itself, .step = step, .exchanges = 1, .period = 1};
    IFD_TRY(opt->open(arena, opt->spec, &s->outside, note));
    s->size = VALUES + s->outside.columns;
    return IFD_OK;
}
