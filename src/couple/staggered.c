/* SPDX-License-Identifier: MIT */
/* Staggered LSRT coupling with subcycling: one coarse part, any number of finer ones, advanced by events (events.h).
 *
 * Bursi, Jia, Wang (2009), ACES; Jia, Bursi, Bonelli, Wang (2011), Int. J. Numer. Methods Engng 87:1148-1182. */
#include "couple/staggered.h"

#include "couple/events.h"
#include "couple/rows.h"
#include "method/stepper.h"

typedef struct staggered {
    ifd__events events;
} staggered;

/* Baumgarte's preset c, a = c / coarse step. */
static const double preset_c = 0.2;

static ifd_status subcycles_of(const ifd_part_options *part, ifd_note *note, int *out)
{
    *out = part->subcycles ? part->subcycles : 1;
    if (*out == 1 || *out % 2 == 0)
        return IFD_OK;
    return ifd_note_add(note, IFD_RANGE, NULL,
                        "part '%s' has %d subcycles; expected 1 or an even number, because the coarse part needs its "
                        "neighbours at its half step",
                        part->name, *out);
}

ifd_status ifd__lsrt_interface(ifd__coupled *c, ifd_arena *arena, const ifd_couple_options *opt, double coarse,
                               ifd_note *note)
{
    double factor = opt->drift_factor > 0.0 ? opt->drift_factor : preset_c;
    c->drift = opt->drift == IFD_DRIFT_DEFAULT ? IFD_DRIFT_NONE : opt->drift;
    return ifd__interface_make(arena, opt, c->drift == IFD_DRIFT_BAUMGARTE ? factor / coarse : 0.0, &c->I, note);
}

int ifd__lsrt_rows(ifd__coupled *c, const ifd_stepper *stepper)
{
    int at = c->size;
    for (int r = 0; r < stepper->rows; r++)
        ifd__coupled_row(c, stepper->row[r].name, stepper->row[r].count, stepper->row[r].kind);
    return at;
}

static ifd_status make(ifd__coupled *c, ifd_arena *arena, const ifd_couple_options *opt, ifd_note *note)
{
    staggered *s = ifd_arena_take(arena, sizeof *s);
    size_t parts = (size_t)c->parts;
    bool *active = ifd_arena_array(arena, parts, sizeof *active);
    int *subcycles = ifd_arena_array(arena, parts, sizeof *subcycles), *at = ifd_arena_array(arena, parts, sizeof *at);
    ifd_stepper **stepper = ifd_arena_array(arena, parts, sizeof *stepper);
    if (!s || !active || !subcycles || !at || !stepper)
        return IFD_NO_MEMORY;
    c->data = s;
    IFD_TRY(ifd__lsrt_interface(c, arena, opt, opt->h, note));
    for (int p = 0; p < c->parts; p++) {
        active[p] = true;
        IFD_TRY(subcycles_of(&opt->part[p], note, &subcycles[p]));
        c->member[p].h = opt->h / subcycles[p];
        IFD_TRY(ifd__coupled_stepper(arena, opt, p, c->member[p].h, &stepper[p], note));
        at[p] = c->member[p].at = ifd__lsrt_rows(c, stepper[p]);
    }
    IFD_TRY(ifd__events_make(arena,
                             &(ifd__events_options){.I = &c->I,
                                                    .h = opt->h,
                                                    .couple = opt,
                                                    .active = active,
                                                    .subcycles = subcycles,
                                                    .at = at,
                                                    .stepper = stepper},
                             &s->events));
    c->ticks = s->events.instants;
    return IFD_OK;
}

static void begin(ifd__coupled *c, double t, double *x)
{
    ifd__coupled_multipliers(c, t, x);
}

static void latch_parts(ifd__coupled *c, const ifd__events *e, double *x)
{
    for (int p = 0; p < c->parts; p++) {
        ifd_step_fault fault = ifd_stepper_fault(e->stepper[p], x + e->at[p]);
        if (fault != IFD_STEP_OK && x[c->fault] == 0.0)
            x[c->fault] = (double)fault;
    }
}

static void tick(ifd__coupled *c, int k, double t, double *x)
{
    staggered *s = c->data;
    if (k == 0)
        ifd__events_begin(&s->events, x);
    if (!ifd__events_instant(&s->events, k, t, x, NULL) && x[c->fault] == 0.0)
        x[c->fault] = IFD_STEP_SINGULAR;
    if (k == c->ticks - 1) {
        latch_parts(c, &s->events, x);
        ifd__coupled_synchronise(c, t + c->h, x);
    }
}

const ifd_coupling ifd__staggered = {
    .name = "staggered",
    .title = "staggered LSRT coupling with subcycling",
    .citation = "Bursi, Jia, Wang (2009); Jia, Bursi, Bonelli, Wang (2011)",
    .summary = "One coarse part and finer ones, acceleration continuity, no iteration.",
    .order = 2,
    .methods = "lsrt1|lsrt2",
    .make = make,
    .begin = begin,
    .tick = tick,
};
