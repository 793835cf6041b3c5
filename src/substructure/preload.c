/* SPDX-License-Identifier: MIT */
/* Static equilibrium of a structure and its specimens. */
#include "substructure/preload.h"
#include "base/arena.h"
#include "model/equilibrium/gravity_state.h"

#include <string.h>

static bool constant(const ifd_signal *s)
{
    return s && ifd_signal_end(s) <= 0.0;
}

/* Constant forces and ground accelerations, and the initial positions of supports. */
static ifd_status static_load(const ifd_model *m, double *P, ifd_note *note)
{
    double y[3];
    for (int i = 0; i < m->nload; i++) {
        if (!constant(m->load[i].signal))
            continue;
        ifd_signal_eval(m->load[i].signal, 0.0, y);
        for (int k = 0; k < m->load[i].count; k++)
            P[m->load[i].dof[k]] += m->load[i].value[k] * y[0];
    }
    for (int j = 0; j < m->nsupport; j++) {
        ifd_signal_eval(m->support[j], 0.0, y);
        for (int i = 0; i < m->n; i++)
            P[i] += y[0] * m->Ks[(size_t)i + (size_t)j * (size_t)m->n];
    }
    for (int d = 0; d < 3; d++) {
        if (!constant(m->ground[d].signal))
            continue;
        if (m->inertial)
            return ifd_note_add(
                note, IFD_UNSUPPORTED, NULL,
                "preload: a constant ground acceleration is not supported with elements that have mass");
        ifd_signal_eval(m->ground[d].signal, 0.0, y);
        for (int i = 0; i < m->n; i++)
            P[i] += y[0] * m->ground[d].p[i];
    }
    return IFD_OK;
}

static ifd_status explain(ifd_status status, ifd_note *note)
{
    if (status == IFD_DIVERGED)
        ifd_note_add(note, status, NULL,
                     "preload: no static equilibrium was found with the estimated stiffness of the specimens");
    if (status != IFD_SINGULAR)
        return status;
    return ifd_note_advise(note, status, NULL,
                           "if only a specimen supports it, set `estimate: {stiffness: ...}` of the specimen",
                           "preload: the structure is not stable under its constant loads (singular stiffness)");
}

/* Stores the factor for the test. */
static ifd_status keep_factor(ifd__preload *p, ifd_arena *arena)
{
    ifd_arena *scratch IFD__CLOSED = ifd_arena_open();
    ifd__equilibrium_residual(&p->e, p->u);
    IFD_TRY(ifd__equilibrium_factor(&p->e, arena, scratch, &p->solver));
    return IFD__TAKE(arena, IFD__ARRAY(p->w, ifd__solver_work(p->solver)));
}

/* Deformation of every specimen per unit force of each specimen. */
static void find_flexibility(ifd__preload *p)
{
    for (int k = 0; k < p->interfaces; k++) {
        memset(p->du, 0, (size_t)p->m->n * sizeof *p->du);
        ifd__add_restoring_force(p->end[k], -1.0, p->du);
        ifd__solver_solve(p->solver, p->du, p->w);
        for (int j = 0; j < p->interfaces; j++)
            p->flexibility[j + k * p->interfaces] = ifd__preload_deformation(p, j, p->du);
    }
}

/* Members with fibres come to the equilibrium in steps of the load, and iterate. From there the test corrects it by
 * small motions, with the passes of a step. *some: false if there are none. */
static ifd_status load_fibres(ifd__preload *p, ifd_arena *arena, bool *some)
{
    const ifd_model *m = p->m;
    size_t n = (size_t)m->n;
    ifd_model *own = ifd__arena_copy(arena, m, 1, sizeof *own), *step;
    double *s = ifd__arena_copy(arena, m->s0, m->ns, sizeof *s), *P = ifd__arena_copy(arena, p->e.P, m->n, sizeof *P);
    *some = s && ifd__load_members(m, 0.0, s);
    if (!*some)
        return own && P && (s || !m->ns) ? IFD_OK : IFD_NO_MEMORY;
    IFD__HAVE(own && P);
    own->s0 = s;
    step = ifd__arena_copy(arena, own, 1, sizeof *step);
    IFD_TRY(step ? ifd__iterate_members(arena, step) : IFD_NO_MEMORY);
    p->e.m = p->e.rest.m = step;
    p->e.rest.there = true;
    ifd_status status = IFD_OK;
    for (int k = 1; k <= IFD__GRAVITY_STEPS && status == IFD_OK; k++) {
        double factor = (double)k / IFD__GRAVITY_STEPS;
        for (size_t i = 0; i < n; i++)
            p->e.P[i] = factor * P[i];
        (void)ifd__load_members(m, factor, s);
        status = ifd__equilibrium_find(&p->e, p->u);
        memcpy(p->e.rest.q0, p->e.rest.q, (size_t)m->nq * sizeof *s);
        memcpy(s, p->e.rest.s, (size_t)m->ns * sizeof *s);
    }
    p->e.m = p->e.rest.m = own;
    return status;
}

ifd_status ifd__preload_make(ifd_arena *arena, const ifd__preload *of, const ifd_step_options *step,
                             ifd__preload **out, ifd_note *note)
{
    const ifd_model *m = of->m;
    ifd__preload *p;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(p, 1)));
    *p = *of;
    ifd__spring *spring;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(spring, step->estimates), IFD__ARRAY(p->u, m->n),
                      IFD__ARRAY(p->flexibility, p->interfaces * p->interfaces)));
    if (!m->symmetric)
        return ifd_note_add(note, IFD_NOT_SYMMETRIC, NULL, "preload: the matrices of the model are not symmetric");
    IFD_TRY(ifd__equilibrium_make(arena, m, &p->e));
    p->du = p->e.F;
    p->e.spring = spring;
    p->e.springs = step->estimates;
    p->e.largest_dense = 0; /* a sparse factor needs no allocation in a tick */
    p->e.change = 1e-12;
    p->e.refine = true;
    for (int k = 0; k < step->estimates; k++)
        spring[k] = (ifd__spring){IFD__ENDS(&step->estimate[k]), step->estimate[k].stiffness};
    IFD_TRY(static_load(m, p->e.P, note));
    bool fibres;
    IFD_TRY(explain(load_fibres(p, arena, &fibres), note));
    if (!fibres)
        IFD_TRY(explain(ifd__equilibrium_find(&p->e, p->u), note));
    IFD_TRY(explain(keep_factor(p, arena), note));
    find_flexibility(p);
    *out = p;
    return IFD_OK;
}

void ifd__preload_correct(ifd__preload *p, const double *u, const double *f)
{
    ifd__equilibrium_residual(&p->e, u);
    for (int k = 0; k < p->interfaces; k++)
        ifd__add_restoring_force(p->end[k], f[k], p->du);
    ifd__solver_solve(p->solver, p->du, p->w);
}

/* Where the preloaded structure lies in the state of a test. */

bool ifd__place_dof(const ifd__place *p, int part, int dof, int *out)
{
    *out = dof;
    if (dof < 0 || !p->whole.model)
        return true;
    int i = p->first[part] + dof, at = p->whole.start[i];
    if (p->whole.start[i + 1] - at != 1 || p->whole.value[at] != 1.0)
        return false;
    *out = p->whole.dof[at];
    return true;
}

ifd_status ifd__place_ends(ifd_arena *arena, const ifd__place *p, int part, ifd__ends in, ifd__ends *out,
                           int *missing)
{
    *out = in;
    *missing = !ifd__place_dof(p, part, in.from, &out->from) ? in.from
               : !ifd__place_dof(p, part, in.to, &out->to)   ? in.to
                                                             : -1;
    if (!in.row)
        return IFD_OK;
    ifd_coordinate *row;
    int *ref;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(row, 1), IFD__ARRAY(ref, in.row->count)));
    for (int k = 0; k < in.row->count; k++)
        if (!ifd__place_dof(p, part, in.row->ref[k], &ref[k]))
            *missing = in.row->ref[k];
    *row = (ifd_coordinate){in.row->count, ref, in.row->coefficient};
    out->row = row;
    return IFD_OK;
}

static ifd_status sum(const ifd__numerical_model *model, int dof, ifd_note *note)
{
    return ifd_note_add(
        note, IFD_UNSUPPORTED, NULL,
        "preload: dof '%s' of substructure '%s' is a sum of other dofs because of its joints; a specimen "
        "cannot act there",
        model->m->dof_name[dof], model->name);
}

/* Estimates of all substructures, between dofs of the assembled structure. */
static ifd_status take_estimates(ifd_arena *arena, ifd__place *p, const ifd_couple_options *couple,
                                 const ifd__substructure *s, ifd_note *note)
{
    int count = 0, n = 0;
    for (int k = 0; k < couple->parts; k++)
        count += couple->part[k].step.estimates;
    ifd_estimate *e;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(e, count)));
    for (int k = 0; k < couple->parts; k++)
        for (int i = 0; i < couple->part[k].step.estimates; i++, n++) {
            const ifd_estimate *from = &couple->part[k].step.estimate[i];
            ifd__ends ends;
            int missing = -1;
            IFD_TRY(ifd__place_ends(arena, p, k, IFD__ENDS(from), &ends, &missing));
            if (missing >= 0)
                return sum(&s->model[k], missing, note);
            e[n] = (ifd_estimate){ends.from, ends.to, from->stiffness, from->damping, ends.row};
        }
    p->step.estimates = n;
    p->step.estimate = e;
    return IFD_OK;
}

static ifd_status of_parts(ifd_arena *arena, ifd__place *p, const ifd_hybrid_options *opt, const ifd__substructure *s,
                           ifd_note *note)
{
    if (opt->couple->rts)
        return ifd_note_add(note, IFD_UNSUPPORTED, NULL, "preload is not supported with coupling rts");
    IFD_TRY(ifd_couple_assemble(arena, opt->couple, &p->whole, note));
    p->m = p->whole.model;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(p->first, (size_t)s->models + 1), IFD__ARRAY(p->all, p->whole.dofs)));
    for (int k = 0; k < s->models; k++)
        p->first[k + 1] = p->first[k] + s->model[k].m->n;
    return take_estimates(arena, p, opt->couple, s, note);
}

ifd_status ifd__place_make(ifd_arena *arena, const ifd_hybrid_options *opt, const ifd__substructure *s,
                           ifd__place **out, ifd_note *note)
{
    ifd__place *p;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(p, 1)));
    p->m = opt->model;
    p->step = opt->step;
    if (opt->couple)
        IFD_TRY(of_parts(arena, p, opt, s, note));
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(p->home, p->m->n), IFD__ARRAY(p->u, p->m->n)));
    for (int k = 0; k < s->models; k++)
        for (int i = 0, dof; i < s->model[k].m->n; i++)
            if (ifd__place_dof(p, k, i, &dof))
                p->home[dof] = s->model[k].at + i;
    *out = p;
    return IFD_OK;
}

void ifd__place_get(const ifd__place *p, const double *x)
{
    for (int i = 0; i < p->m->n; i++)
        p->u[i] = x[p->home[i]];
}

void ifd__place_put(const ifd__place *p, const ifd__substructure *s, double *x)
{
    const double *from = p->u;
    if (p->whole.model) {
        ifd_assembly_expand(&p->whole, p->u, p->all);
        from = p->all;
    }
    for (int k = 0; k < s->models; k++) {
        size_t n = (size_t)s->model[k].m->n;
        memcpy(x + s->model[k].at, from, n * sizeof *x);
        from += n;
    }
}

void ifd__place_states(const ifd__substructure *s, const double *states, double *x)
{
    for (int k = 0; k < s->models; k++) {
        const ifd_model *m = s->model[k].m;
        if (m->ns)
            memcpy(x + s->model[k].at + 2 * m->n, states, (size_t)m->ns * sizeof *x);
        states += m->ns;
    }
}
