/* SPDX-License-Identifier: MIT */
/* Where the preloaded structure lies in the state of a test. */
#include "substructure/preload_place.h"

#include <string.h>

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
    ifd_estimate *e = ifd_arena_array(arena, (size_t)count, sizeof *e);
    if (!e)
        return IFD_NO_MEMORY;
    for (int k = 0; k < couple->parts; k++)
        for (int i = 0; i < couple->part[k].step.estimates; i++, n++) {
            e[n] = couple->part[k].step.estimate[i];
            if (!ifd__place_dof(p, k, e[n].from, &e[n].from))
                return sum(&s->model[k], couple->part[k].step.estimate[i].from, note);
            if (!ifd__place_dof(p, k, e[n].to, &e[n].to))
                return sum(&s->model[k], couple->part[k].step.estimate[i].to, note);
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
    ifd__place *p = ifd_arena_take(arena, sizeof *p);
    if (!p)
        return IFD_NO_MEMORY;
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
