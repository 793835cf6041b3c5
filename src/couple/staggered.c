/* SPDX-License-Identifier: MIT */
/* Staggered LSRT coupling with subcycling: one coarse substructure and any number of finer ones, advanced by events
 * (events.h).
 *
 * Bursi, Jia, Wang (2009), ACES; Jia, Bursi, Bonelli, Wang (2011), Int. J. Numer. Methods Engng 87:1148-1182. */
#include "couple/coupled.h"
#include "couple/events.h"
#include "method/stepper.h"

static ifd_status subcycles_of(const ifd_part_options *part, ifd_note *note, int *out)
{
    *out = part->subcycles ? part->subcycles : 1;
    if (*out == 1 || *out % 2 == 0)
        return IFD_OK;
    return ifd_note_add(note, IFD_RANGE, &part->place,
                        "substructure '%s' has %d subcycles; expected 1 or an even number, because the coarse "
                        "substructure needs the states of the others at its half step",
                        part->name, *out);
}

static ifd_status make(ifd__coupled *c, ifd_arena *arena, const ifd_couple_options *opt, ifd_note *note)
{
    ifd__events *e;
    bool *active;
    int *subcycles, *at;
    ifd_stepper **stepper;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(e, 1), IFD__ARRAY(active, c->parts), IFD__ARRAY(subcycles, c->parts),
                      IFD__ARRAY(at, c->parts), IFD__ARRAY(stepper, c->parts)));
    c->data = e;
    IFD_TRY(ifd__coupled_interface(c, arena, opt, opt->h, note));
    for (int p = 0; p < c->parts; p++) {
        active[p] = true;
        IFD_TRY(subcycles_of(&opt->part[p], note, &subcycles[p]));
        c->member[p].h = opt->h / subcycles[p];
        IFD_TRY(ifd__coupled_stepper(arena, opt, p, c->member[p].h, &stepper[p], note));
        at[p] = c->member[p].at = ifd__coupled_stepper_rows(c, stepper[p]);
    }
    *e = (ifd__events){.I = &c->I,
                       .h = opt->h,
                       .couple = opt,
                       .active = active,
                       .subcycles = subcycles,
                       .at = at,
                       .stepper = stepper};
    IFD_TRY(ifd__events_make(arena, e, note));
    c->ticks = e->instants;
    return IFD_OK;
}

static void tick(ifd__coupled *c, int k, double t, double *x)
{
    if (k == 0) {
        ifd__coupled_feed_back(c, NULL, x, &c->I);
        ifd__events_begin(c->data, x);
    }
    if (ifd__events_tick(c->data, c, k, t, x))
        ifd__coupled_synchronise(c, t + c->h, x);
}

static void aim(ifd__coupled *c, int k, const double *x, int p, double *u, double *v)
{
    ifd__events_aim(c->data, k, x, p, u, v);
}

const ifd_coupling ifd__coupling_staggered = {
    .name = "staggered",
    .title = "staggered LSRT coupling with subcycling",
    .citation = "Bursi, Jia, Wang (2009); Jia, Bursi, Bonelli, Wang (2011)",
    .summary = "The structure has one coarse substructure and finer ones. The accelerations at a joint are equal.",
    .order = 2,
    .methods = "lsrt1|lsrt2",
    .make = make,
    .begin = ifd__coupled_multipliers,
    .tick = tick,
    .aim = aim,
};
