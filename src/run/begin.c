/* SPDX-License-Identifier: MIT */
/* Set-up of a run, up to its first row at t = 0. */
#include <math.h>

#include "run/preload_run.h"
#include "run/run.h"
#include "run/touch.h"

static ifd_status check_options(const ifd_run_options *opt, ifd_note *note)
{
    double h = opt->couple ? opt->couple->h : opt->step.h;
    if (!(opt->end > 0.0) || !isfinite(opt->end))
        return ifd_note_add(note, IFD_RANGE, NULL, "the end is %g s, expected a positive time", opt->end);
    if (opt->end < 0.5 * h)
        return ifd_note_add(note, IFD_RANGE, NULL, "the end (%g s) comes before the first step (%g s)", opt->end, h);
    if (opt->end / h > 1e9)
        return ifd_note_add(note, IFD_RANGE, NULL, "%.3g steps are more than the limit of 1e9", opt->end / h);
    if (opt->preload && (opt->couple || opt->tared))
        return ifd_note_add(note, IFD_UNSUPPORTED, NULL,
                            opt->couple ? "preload needs a structure in one piece"
                                        : "a tared force offset is known in a test only");
    return IFD_OK;
}

/* One model, its stepper, schedule and specimens. */
static ifd_status make_single(ifd_run *r, ifd_arena *arena, const ifd_run_options *opt, ifd_note *note)
{
    IFD_TRY(ifd_stepper_make(arena, &opt->step, opt->model, &r->stepper, note));
    r->h = opt->step.h;
    r->part = ifd__part_of_stepper(r->stepper);
    ifd_status s = ifd__schedule_make(arena, &r->part, opt->specimens > 0, &r->schedule);
    if (s == IFD_UNSUPPORTED)
        return ifd_note_add(note, s, NULL, "method %s iterates on the force and cannot work with a specimen",
                            opt->step.method->name);
    IFD_TRY(s);
    r->ticks = r->schedule.ticks;
    r->size = r->part.ops->size(&r->part);
    r->piece[0] = (ifd__piece){.m = opt->model};
    return IFD_OK;
}

static ifd_status make_coupled(ifd_run *r, ifd_arena *arena, const ifd_run_options *opt, ifd_note *note)
{
    ifd_couple_options couple;
    ifd__touch *touch = ifd_arena_array(arena, (size_t)opt->specimens, sizeof *touch);
    if (!touch)
        return IFD_NO_MEMORY;
    for (int k = 0; k < opt->specimens; k++)
        touch[k] = (ifd__touch){opt->specimen[k].part, opt->specimen[k].from, opt->specimen[k].to};
    IFD_TRY(ifd__couple_touched(arena, opt->couple, opt->specimens, touch, &couple, note));
    IFD_TRY(ifd__coupled_make(arena, &couple, &r->coupled, note));
    r->h = opt->couple->h;
    r->ticks = r->coupled->ticks;
    r->size = r->coupled->size;
    int dof = 0;
    for (int p = 0; p < r->pieces; p++) {
        const ifd__member *m = &r->coupled->member[p];
        r->piece[p] = (ifd__piece){.name = m->name, .m = m->model, .at = m->at, .first_dof = dof};
        dof += m->model->n;
    }
    return IFD_OK;
}

/* Ideal specimens, their states behind those of the structure. */
static ifd_status make_specimens(ifd_run *r, ifd_arena *arena, const ifd_run_options *opt, ifd_note *note)
{
    size_t count = (size_t)opt->specimens;
    int *at = ifd_arena_array(arena, count, sizeof *at);
    r->specimens = opt->specimens;
    r->specimen = opt->specimen;
    r->rig = ifd_arena_array(arena, count, sizeof *r->rig);
    r->rig_at = at;
    if (!r->rig || !at)
        return IFD_NO_MEMORY;
    for (int k = 0; k < opt->specimens; k++) {
        const ifd_specimen *e = &opt->specimen[k];
        ifd__piece *b = &r->piece[e->part];
        if (!e->ops)
            return ifd_note_add(note, IFD_UNSUPPORTED, NULL,
                                "specimen '%s' is a whole model that follows dofs of two parts: a run cannot hold "
                                "it, `interfield test` can",
                                e->name);
        IFD_TRY(ifd__ideal_make(&r->rig[k], arena, e->ops, e->name, e->values, note));
        at[k] = r->size;
        r->size += ifd__ideal_size(&r->rig[k]);
        if (!b->felt && !(b->felt = ifd_arena_array(arena, (size_t)b->m->n, sizeof(double))))
            return IFD_NO_MEMORY;
    }
    return IFD_OK;
}

/* Specimens stand at the initial state, and their forces are known. */
static void begin_specimens(ifd_run *r, bool there)
{
    for (int k = 0; k < r->specimens && !there; k++) {
        const ifd__piece *b = &r->piece[r->specimen[k].part];
        const double *u = r->x + b->at, *v = u + b->m->n;
        const ifd_specimen *one = &r->specimen[k];
        ifd__ideal_begin(&r->rig[k], 0.0, ifd__deformation(one->from, one->to, u) - ifd__run_support(r, one, 0.0, 0),
                         ifd__deformation(one->from, one->to, v) - ifd__run_support(r, one, 0.0, 1),
                         r->x + r->rig_at[k]);
    }
    if (r->specimens)
        ifd__run_sense(r);
}

/* Brings the run to t = 0: initial state, first measurement, lead-in stages, first command, first row. */
static ifd_status begin(ifd_run *r, ifd_arena *arena, const ifd_run_options *opt, ifd_note *note)
{
    if (r->coupled) {
        ifd__coupled_initial(r->coupled, r->x);
        begin_specimens(r, false);
        ifd__coupled_start(r->coupled, 0.0, r->x);
        if (r->specimens)
            ifd__run_command_parts(r, 0);
    } else {
        ifd_stepper_initial(r->stepper, r->x);
        if (opt->preload)
            IFD_TRY(ifd__preload_run(r, arena, opt, note));
        begin_specimens(r, opt->preload);
        const double *load = r->piece[0].felt;
        r->part.ops->begin(&r->part, 0.0, load, r->x);
        for (int i = 0; i < r->schedule.lead_in; i++)
            r->part.ops->stage(&r->part, i, 0.0, load, r->x);
        if (r->specimens)
            ifd__run_command(r, r->schedule.due[0].stage);
    }
    ifd__run_own(r)->specimens = 0.0;
    ifd__publish_energy(r, 0.0, true);
    ifd__publish_values(r, 0.0);
    r->fresh = true;
    return IFD_OK;
}

ifd_status ifd_run_make(ifd_arena *arena, const ifd_run_options *opt, ifd_run **out, ifd_note *note)
{
    IFD_TRY(check_options(opt, note));
    ifd_run *r = ifd_arena_take(arena, sizeof *r);
    if (!r)
        return IFD_NO_MEMORY;
    if (opt->outside) {
        *out = r;
        return ifd__outside_make(r, arena, opt, note);
    }
    r->pieces = opt->couple ? opt->couple->parts : 1;
    r->piece = ifd_arena_array(arena, (size_t)r->pieces, sizeof *r->piece);
    if (!r->piece)
        return IFD_NO_MEMORY;
    IFD_TRY(opt->couple ? make_coupled(r, arena, opt, note) : make_single(r, arena, opt, note));
    IFD_TRY(make_specimens(r, arena, opt, note));
    r->own = r->size;
    r->size += IFD__DOUBLES(ifd__run_state);
    r->steps = lround(opt->end / r->h);
    r->every = opt->every > 0 ? opt->every : 1;
    size_t n = 0;
    for (int p = 0; p < r->pieces; p++)
        n = (size_t)r->piece[p].m->n > n ? (size_t)r->piece[p].m->n : n;
    r->x = ifd_arena_array(arena, (size_t)r->size, sizeof *r->x);
    r->u = ifd_arena_array(arena, n, sizeof *r->u);
    r->v = ifd_arena_array(arena, n, sizeof *r->v);
    if (!r->x || !r->u || !r->v)
        return IFD_NO_MEMORY;
    IFD_TRY(ifd__publish_make(r, arena, opt, note));
    IFD_TRY(begin(r, arena, opt, note));
    *out = r;
    return IFD_OK;
}
