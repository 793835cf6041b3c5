/* SPDX-License-Identifier: MIT */
/* Renumbers dofs of joints, specimens and estimates after a reduction. */
#include "analysis/superelements.h"

#include "model/dof_pair.h"

int ifd__parts_of(const ifd_run_options *o)
{
    return o->couple ? o->couple->parts : 1;
}

const ifd_model *ifd__part_model(const ifd_run_options *o, int p)
{
    return o->couple ? o->couple->part[p].model : o->model;
}

static void mark(bool *keep, int dof)
{
    if (dof >= 0)
        keep[dof] = true;
}

static void mark_ends(bool *keep, ifd__ends ends)
{
    double c;
    for (int i = 0; i < ifd__ends_count(ends); i++)
        mark(keep, ifd__end(ends, i, &c));
}

/* Dofs of joints, estimates, specimens and elements. */
static void mark_touched(const ifd_run_options *opt, int p, const ifd_model *m, bool *keep)
{
    const ifd_couple_options *couple = opt->couple;
    const ifd_step_options *step = couple ? &couple->part[p].step : &opt->step;
    for (int j = 0; couple && j < couple->joints; j++)
        for (int k = 0; k < couple->joint[j].terms; k++)
            if (couple->joint[j].term[k].part == p)
                mark(keep, couple->joint[j].term[k].dof);
    for (int k = 0; k < step->estimates; k++)
        mark_ends(keep, IFD__ENDS(&step->estimate[k]));
    for (int k = 0; !couple && k < opt->specimens; k++)
        mark_ends(keep, IFD__ENDS(&opt->specimen[k]));
    for (int k = 0; k < m->b_start[m->nq]; k++)
        mark(keep, m->b_dof[k]);
}

ifd_status ifd__connected_find(ifd_arena *arena, const ifd_run_options *o, ifd__connected *of)
{
    for (int p = 0; p < ifd__parts_of(o); p++) {
        ifd__connected *c = &of[p];
        c->m = ifd__part_model(o, p);
        if (!c->keep)
            IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(c->keep, c->m->n)));
        IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(c->number, c->m->n)));
        mark_touched(o, p, c->m, c->keep);
        c->kept = c->inside = 0;
        for (int i = 0; i < c->m->n; i++)
            c->number[i] = c->keep[i] ? c->kept++ : c->inside++;
    }
    return IFD_OK;
}

static int renumber(const ifd__connected *c, int dof)
{
    return dof >= 0 ? c->number[dof] : dof;
}

bool ifd__renumber_row(ifd_arena *arena, const int *number, const ifd_coordinate **row)
{
    size_t count = *row ? (size_t)(*row)->count : 0;
    ifd_coordinate *copy = ifd_arena_take(arena, sizeof *copy);
    int *ref = ifd_arena_array(arena, count, sizeof *ref);
    if (!count)
        return true;
    if (!copy || !ref)
        return false;
    for (size_t i = 0; i < count; i++)
        ref[i] = (*row)->ref[i] >= 0 ? number[(*row)->ref[i]] : (*row)->ref[i];
    *copy = (ifd_coordinate){(int)count, ref, (*row)->coefficient};
    *row = copy;
    return true;
}

static bool renumber_estimates(ifd_arena *arena, const ifd__connected *c, ifd_step_options *step)
{
    ifd_estimate *estimate = ifd__arena_copy(arena, step->estimate, step->estimates, sizeof *estimate);
    bool ok = estimate != NULL;
    for (int k = 0; ok && k < step->estimates; k++) {
        estimate[k].from = renumber(c, estimate[k].from);
        estimate[k].to = renumber(c, estimate[k].to);
        ok = ifd__renumber_row(arena, c->number, &estimate[k].row);
    }
    step->estimate = estimate;
    return ok;
}

static bool renumber_joints(ifd_arena *arena, const ifd__connected *of, ifd_couple_options *couple)
{
    ifd_joint *joint = ifd__arena_copy(arena, couple->joint, couple->joints, sizeof *joint);
    for (int j = 0; joint && j < couple->joints; j++) {
        ifd_joint_term *term = ifd__arena_copy(arena, joint[j].term, joint[j].terms, sizeof *term);
        if (!term)
            return false;
        for (int k = 0; k < joint[j].terms; k++)
            term[k].dof = renumber(&of[term[k].part], term[k].dof);
        joint[j].term = term;
    }
    couple->joint = joint;
    return joint != NULL;
}

static bool renumber_specimens(ifd_arena *arena, const ifd__connected *c, ifd_run_options *opt)
{
    ifd_specimen *specimen = ifd__arena_copy(arena, opt->specimen, opt->specimens, sizeof *specimen);
    bool ok = specimen != NULL;
    for (int k = 0; ok && k < opt->specimens; k++) {
        specimen[k].from = renumber(c, specimen[k].from);
        specimen[k].to = renumber(c, specimen[k].to);
        ok = ifd__renumber_row(arena, c->number, &specimen[k].row);
    }
    opt->specimen = specimen;
    return ok;
}

ifd_status ifd__connected_replace(ifd_arena *arena, const ifd__connected *of, const ifd_model *const *small,
                                  ifd_run_options *o)
{
    ifd_couple_options *couple;
    ifd_part_options *part;
    bool ok = true;
    if (!o->couple) {
        o->model = small[0];
        ok = renumber_estimates(arena, of, &o->step) && renumber_specimens(arena, of, o);
        return ok ? IFD_OK : IFD_NO_MEMORY;
    }
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(couple, 1), IFD__ARRAY(part, o->couple->parts)));
    *couple = *o->couple;
    couple->part = part;
    for (int p = 0; p < couple->parts; p++) {
        part[p] = o->couple->part[p];
        part[p].model = small[p];
        ok = ok && renumber_estimates(arena, &of[p], &part[p].step);
    }
    o->couple = couple;
    return ok && renumber_joints(arena, of, couple) ? IFD_OK : IFD_NO_MEMORY;
}
