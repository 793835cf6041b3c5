/* SPDX-License-Identifier: MIT */
#include "run/ensemble.h"

#include <string.h>

#include "method/ensemble.h"
#include "run/run.h"

struct ifd__run_ensemble {
    ifd__ensemble *lanes;
    ifd_run *run[IFD__LANES];
    double *x[IFD__LANES]; /* NULL: the lane is idle */
};

const char *ifd__run_refuses(const ifd_run *r)
{
    if (r->specimens)
        return "a specimen is connected";
    if (!r->numerical.stepper)
        return "the structure is not one model";
    return ifd__ensemble_refuses(r->numerical.stepper);
}

bool ifd__run_joins(const ifd_run *a, const ifd_run *b)
{
    return ifd__ensemble_joins(a->numerical.stepper, b->numerical.stepper);
}

ifd_status ifd__run_ensemble_make(ifd_arena *arena, ifd_run *const *run, ifd__run_ensemble **out, ifd_note *note)
{
    ifd__run_ensemble *e = ifd_arena_take(arena, sizeof *e);
    const ifd_stepper *member[IFD__LANES] = {NULL};
    if (!e)
        return IFD_NO_MEMORY;
    for (int l = 0; l < IFD__LANES; l++) {
        e->run[l] = run[l];
        e->x[l] = run[l] ? run[l]->x : NULL; /* the state of the model comes first */
        member[l] = run[l] ? run[l]->numerical.stepper : NULL;
    }
    *out = e;
    IFD_TRY(ifd__ensemble_make(arena, member, ifd__lanes_best(), &e->lanes, note));
    ifd__ensemble_take(e->lanes, (const double *const *)e->x);
    return IFD_OK;
}

bool ifd__run_ensemble_tick(ifd__run_ensemble *e, ifd_run_state *state)
{
    ifd_run *any = NULL;
    for (int l = 0; l < IFD__LANES; l++) {
        if (!e->x[l])
            continue;
        state[l] = ifd__run_next(e->run[l]);
        e->x[l] = state[l] == IFD_RUN_GOING ? e->x[l] : NULL;
        any = e->x[l] ? e->run[l] : any;
    }
    if (!any)
        return false;
    ifd__ensemble_step(e->lanes, ifd_run_time(any));
    ifd__ensemble_give(e->lanes, e->x);
    for (int l = 0; l < IFD__LANES; l++)
        if (e->x[l]) {
            ifd__run_own(e->run[l])->step += 1.0;
            state[l] = ifd__run_stepped(e->run[l]);
        }
    return true;
}
