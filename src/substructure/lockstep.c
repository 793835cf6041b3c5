/* SPDX-License-Identifier: MIT */
/* Steps the structures of several runs or tests together, one in each lane. */
#include "substructure/lockstep.h"

#include <string.h>

#include "method/ensemble.h"

enum { L = IFD__LANES };

struct ifd__lockstep {
    ifd__ensemble *lanes;
    const ifd__substructure *s[L];
};

const char *ifd__lockstep_refuses(const ifd__substructure *s)
{
    return s->stepper ? ifd__ensemble_refuses(s->stepper) : "the structure is not one model";
}

bool ifd__lockstep_joins(const ifd__substructure *a, const ifd__substructure *b)
{
    return a->exchanges == b->exchanges && ifd__ensemble_joins(a->stepper, b->stepper);
}

ifd_status ifd__lockstep_make(ifd_arena *arena, const ifd__substructure *const *s, ifd__lockstep **out,
                              ifd_note *note)
{
    ifd__lockstep *e = ifd_arena_take(arena, sizeof *e);
    const ifd_stepper *member[L];
    if (!e)
        return IFD_NO_MEMORY;
    memcpy(e->s, s, sizeof e->s);
    for (int l = 0; l < L; l++)
        member[l] = s[l] ? s[l]->stepper : NULL;
    *out = e;
    return ifd__ensemble_make(arena, member, ifd__lanes_best(), &e->lanes, note);
}

/* Exchange k of the lanes for which it is due. LSRT2 measures at both stages, so that an exchange never passes the
 * end of a step. */
static IFD_RT void exchange(ifd__lockstep *e, int k, const ifd__due *stages, const ifd__lane_exchange *due)
{
    ifd__lane_task lane[L] = {{NULL, NULL, 0.0}};
    for (int l = 0; l < L; l++)
        if (due[l].x && due[l].k == k)
            lane[l] = (ifd__lane_task){due[l].x, e->s[l]->model[0].load, e->s[l]->step * *due[l].step};
    ifd__ensemble_stages(e->lanes, stages->stage, stages->count, lane);
    for (int l = 0; l < L && stages->stage + stages->count == 2; l++)
        if (lane[l].x)
            *due[l].step += 1.0;
}

void ifd__lockstep_exchange(ifd__lockstep *e, const ifd__lane_exchange *due)
{
    bool done[IFD_METHOD_STAGES] = {false};
    for (int l = 0; l < L; l++)
        if (due[l].x && !done[due[l].k]) {
            exchange(e, due[l].k, &e->s[l]->schedule.due[due[l].k], due);
            done[due[l].k] = true;
        }
}

ifd__ensemble *ifd__lockstep_lanes(const ifd__lockstep *e)
{
    return e->lanes;
}
