/* SPDX-License-Identifier: MIT */
/* Set-up of a run, up to its first row at t = 0. */
#include <math.h>
#include <string.h>

#include "run/run.h"

static ifd_status check_options(const ifd_run_options *opt, ifd_note *note)
{
    double h = opt->couple ? opt->couple->h : opt->step.h;
    if (!(opt->end > 0.0) || !isfinite(opt->end))
        return ifd_note_add(note, IFD_RANGE, NULL, "the end is %g s, expected a positive time", opt->end);
    if (opt->end < 0.5 * h)
        return ifd_note_add(note, IFD_RANGE, NULL, "the end (%g s) comes before the first step (%g s)", opt->end, h);
    if (opt->end / h > 1e9)
        return ifd_note_add(note, IFD_RANGE, NULL, "%.3g steps are more than the limit of 1e9", opt->end / h);
    if (opt->couple && opt->specimens)
        return ifd_note_add(note, IFD_UNSUPPORTED, NULL, "specimens of a structure in parts stand on a rig: `interfield test`");
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
    r->specimens = opt->specimens;
    r->specimen = opt->specimen;
    r->rig = ifd_arena_array(arena, (size_t)opt->specimens, sizeof *r->rig);
    int *at = ifd_arena_array(arena, (size_t)opt->specimens, sizeof *at);
    if (!r->rig || !at)
        return IFD_NO_MEMORY;
    r->rig_at = at;
    r->size = r->part.ops->size(&r->part);
    for (int k = 0; k < opt->specimens; k++) {
        const ifd_specimen *e = &opt->specimen[k];
        IFD_TRY(ifd__ideal_make(&r->rig[k], arena, e->ops, e->name, e->values, note));
        at[k] = r->size;
        r->size += ifd__ideal_size(&r->rig[k]);
    }
    r->piece[0] = (ifd__piece){.m = opt->model};
    return IFD_OK;
}

static ifd_status make_coupled(ifd_run *r, ifd_arena *arena, const ifd_run_options *opt, ifd_note *note)
{
    IFD_TRY(ifd__coupled_make(arena, opt->couple, &r->coupled, note));
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

/* Brings the run to t = 0: initial state, first measurement, lead-in stages, first command, first row. */
static void begin(ifd_run *r)
{
    if (r->coupled) {
        ifd__coupled_begin(r->coupled, 0.0, r->x);
    } else {
        const ifd_model *m = r->piece[0].m;
        ifd_stepper_initial(r->stepper, r->x);
        for (int k = 0; k < r->specimens; k++)
            ifd__ideal_begin(&r->rig[k], 0.0, ifd__run_stretch(&r->specimen[k], m->u0),
                             ifd__run_stretch(&r->specimen[k], m->v0), r->x + r->rig_at[k]);
        ifd__run_sense(r);
        const double *load = r->specimens ? r->load : NULL;
        r->part.ops->begin(&r->part, 0.0, load, r->x);
        for (int i = 0; i < r->schedule.lead_in; i++)
            r->part.ops->stage(&r->part, i, 0.0, load, r->x);
        if (r->specimens)
            ifd__run_command(r, r->schedule.due[0].stage);
        *ifd__run_own(r, RUN_SPECIMENS) = 0.0;
    }
    ifd__publish_energy(r, 0.0, true);
    ifd__publish_values(r, 0.0);
    r->fresh = true;
}

ifd_status ifd_run_make(ifd_arena *arena, const ifd_run_options *opt, ifd_run **out, ifd_note *note)
{
    IFD_TRY(check_options(opt, note));
    ifd_run *r = ifd_arena_take(arena, sizeof *r);
    if (!r)
        return IFD_NO_MEMORY;
    r->pieces = opt->couple ? opt->couple->parts : 1;
    r->piece = ifd_arena_array(arena, (size_t)r->pieces, sizeof *r->piece);
    if (!r->piece)
        return IFD_NO_MEMORY;
    IFD_TRY(opt->couple ? make_coupled(r, arena, opt, note) : make_single(r, arena, opt, note));
    r->own = r->size;
    r->size += RUN_ROWS;
    r->steps = lround(opt->end / r->h);
    r->every = opt->every > 0 ? opt->every : 1;
    size_t n = (size_t)r->piece[0].m->n;
    r->x = ifd_arena_array(arena, (size_t)r->size, sizeof *r->x);
    r->load = ifd_arena_array(arena, n, sizeof *r->load);
    r->u = ifd_arena_array(arena, n, sizeof *r->u);
    r->v = ifd_arena_array(arena, n, sizeof *r->v);
    if (!r->x || !r->load || !r->u || !r->v)
        return IFD_NO_MEMORY;
    IFD_TRY(ifd__publish_make(r, arena, opt, note));
    begin(r);
    *out = r;
    return IFD_OK;
}
