/* SPDX-License-Identifier: MIT */
/* Steps several runs together, one in each lane. */
#include "run/ensemble.h"

#include <string.h>

#include "run/run.h"
#include "substructure/lockstep.h"

const char *ifd__run_refuses(const ifd_run *r)
{
    return ifd__lockstep_refuses(&r->numerical);
}

bool ifd__run_joins(const ifd_run *a, const ifd_run *b)
{
    return ifd__lockstep_joins(&a->numerical, &b->numerical);
}

ifd_status ifd__run_ensemble_make(ifd_arena *arena, ifd_run *const *run, ifd__run_ensemble **out, ifd_note *note)
{
    ifd__run_ensemble *e = ifd_arena_take(arena, sizeof *e);
    const ifd__substructure *s[IFD__LANES];
    if (!e)
        return IFD_NO_MEMORY;
    memcpy(e->run, run, sizeof e->run);
    for (int l = 0; l < IFD__LANES; l++)
        s[l] = run[l] ? &run[l]->numerical : NULL;
    *out = e;
    return ifd__lockstep_make(arena, s, &e->numerical, note);
}

bool ifd__run_ensemble_tick(ifd__run_ensemble *e, ifd_run_state *state)
{
    ifd__lane_exchange due[IFD__LANES] = {{0, NULL, NULL}};
    bool any = false;
    for (int l = 0; l < IFD__LANES; l++) {
        ifd_run *r = e->run[l];
        if (!r || (state[l] = ifd__run_next(r)) != IFD_RUN_GOING)
            continue;
        ifd__run_sense(r);
        due[l] = (ifd__lane_exchange){(int)ifd__run_own(r)->tick, &ifd__run_own(r)->step, r->x};
        any = true;
    }
    if (any)
        ifd__lockstep_exchange(e->numerical, due);
    for (int l = 0; l < IFD__LANES; l++)
        if (due[l].x)
            state[l] = ifd__run_exchanged(e->run[l]);
    return any;
}
