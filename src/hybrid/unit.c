/* SPDX-License-Identifier: MIT */
/* The list of the units of a test, and its walks. */
#include "hybrid/unit.h"

#define UNIT(name) extern const ifd__unit ifd__unit_##name;
#include "hybrid/units.def"
#undef UNIT

#define UNIT(name) &ifd__unit_##name,
static const ifd__unit *const all[] = {
#include "hybrid/units.def"
};
#undef UNIT

enum { UNITS = sizeof all / sizeof *all };

#define STAGES(X) X(restart) X(sense) X(observe) X(judge) X(step) X(begin) X(resume) X(order) X(aim)

/* The units of a test, and of each stage those with a function for it. */
#define STAGE(stage)                                                                                                 \
    const ifd__unit *stage[UNITS];                                                                                   \
    int stage##s;
struct ifd__units {
    STAGE(unit)
    STAGES(STAGE)
    int column[UNITS + 1]; /* the first of each, and the end */
};

ifd_status ifd__units_make(ifd_hybrid *h, ifd_arena *arena, ifd_note *note)
{
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(h->units, 1)));
    struct ifd__units *u = h->units;
    for (int i = 0; i < UNITS; i++) {
        if (all[i]->asked && !all[i]->asked(h))
            continue;
        u->unit[u->units++] = all[i];
        if (all[i]->make)
            IFD_TRY(all[i]->make(h, arena, note));
#define TAKE(stage)                                                                                                  \
    if (all[i]->stage)                                                                                               \
        u->stage[u->stage##s++] = all[i];
        STAGES(TAKE)
    }
    return IFD_OK;
}

const ifd__unit *ifd__units_at(const ifd_hybrid *h, int i)
{
    return i < h->units->units ? h->units->unit[i] : NULL;
}

int ifd__units_column(const ifd_hybrid *h, int i, int *count)
{
    *count = h->units->column[i + 1] - h->units->column[i];
    return h->units->column[i];
}

ifd_status ifd__units_columns(ifd_hybrid *h, ifd_arena *arena)
{
    struct ifd__units *u = h->units;
    for (int i = 0; i < u->units; i++) {
        u->column[i] = h->columns;
        if (u->unit[i]->columns)
            IFD_TRY(u->unit[i]->columns(h, arena));
        u->column[i + 1] = h->columns;
    }
    return IFD_OK;
}

#define EACH(stage)                                                                                                  \
    for (const ifd__unit *const *u = h->units->stage, *const *end = u + h->units->stage##s; u < end; u++)

void ifd__units_restart(ifd_hybrid *h)
{
    EACH(restart)
    (*u)->restart(h);
}

void ifd__units_sense(ifd_hybrid *h)
{
    EACH(sense)
    (*u)->sense(h);
}

void ifd__units_observe(ifd_hybrid *h, bool fresh)
{
    EACH(observe)
    (*u)->observe(h, fresh);
}

ifd_action ifd__units_judge(ifd_hybrid *h, const ifd_tick_in *in, bool fresh)
{
    ifd_action worst = IFD_ACTION_NOTE;
    EACH(judge)
    worst = (*u)->judge(h, in, fresh, worst);
    return worst;
}

void ifd__units_step(ifd_hybrid *h)
{
    EACH(step)
    (*u)->step(h);
}

void ifd__units_begin(ifd_hybrid *h)
{
    EACH(begin)
    (*u)->begin(h);
}

void ifd__units_resume(ifd_hybrid *h)
{
    EACH(resume)
    (*u)->resume(h);
}

void ifd__units_order(ifd_hybrid *h, ifd_order order)
{
    EACH(order)
    (*u)->order(h, order);
}

void ifd__units_aim(const ifd_hybrid *h, ifd_compensator_in *in)
{
    EACH(aim)
    (*u)->aim(h, in);
}
