/* SPDX-License-Identifier: MIT */
/* Tests on virtual rigs whose structures are stepped in lanes: ensemble.h. */
#include "hybrid/ensemble.h"

#include <string.h>

#include "hybrid/hybrid.h"
#include "substructure/lockstep.h"

struct ifd__hybrid_ensemble {
    ifd__lockstep *numerical;
    ifd_hybrid *test[IFD__LANES];
};

const char *ifd__hybrid_refuses(const ifd_hybrid *h)
{
    if (h->pace->elsewhere)
        return "another program computes the structure";
    return ifd__lockstep_refuses(&h->numerical);
}

bool ifd__hybrid_joins(const ifd_hybrid *a, const ifd_hybrid *b)
{
    return ifd__lockstep_joins(&a->numerical, &b->numerical);
}

ifd_status ifd__hybrid_ensemble_make(ifd_arena *arena, ifd_hybrid *const *test, ifd__hybrid_ensemble **out,
                                     ifd_note *note)
{
    ifd__hybrid_ensemble *e = ifd_arena_take(arena, sizeof *e);
    const ifd__substructure *s[IFD__LANES];
    if (!e)
        return IFD_NO_MEMORY;
    memcpy(e->test, test, sizeof e->test);
    for (int l = 0; l < IFD__LANES; l++)
        s[l] = test[l] ? &test[l]->numerical : NULL;
    *out = e;
    return ifd__lockstep_make(arena, s, &e->numerical, note);
}

void ifd__hybrid_ensemble_tick(ifd__hybrid_ensemble *e, const ifd_tick_in *const *in, ifd_run_state *state)
{
    ifd__lane_exchange due[IFD__LANES] = {{0, NULL, NULL}};
    ifd__tick tick[IFD__LANES];
    for (int l = 0; l < IFD__LANES; l++) {
        ifd_hybrid *h = e->test[l];
        if (!in[l])
            continue;
        tick[l] = ifd__hybrid_tick_begin(h, in[l]);
        if (tick[l].exchange)
            due[l] = (ifd__lane_exchange){(int)h->test->exchange, &h->test->step, h->x};
    }
    ifd__lockstep_exchange(e->numerical, due);
    for (int l = 0; l < IFD__LANES; l++)
        if (in[l])
            state[l] = ifd__hybrid_tick_end(e->test[l], &tick[l]);
}
