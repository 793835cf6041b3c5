/* SPDX-License-Identifier: MIT */
/* Accelerations at the end of a step. A constant symmetric mass matrix and few recorded dofs: rows of its inverse,
 * made at set-up, each one a sum over the dofs. Otherwise a solution with the mass matrix. */
#include <string.h>

#include "algebra/dense.h"
#include "model/dof_pair.h"
#include "substructure/response.h"

/* Recorded, or needed for the base shear, from which the inertia of mass on the rig is subtracted. */
static bool needs(const ifd__response *r, int p, int dof)
{
    bool some = r->opt.what & IFD_RECORD_ACCELERATION && ifd__response_selects(r, r->model[p].first_dof + dof);
    for (int k = 0; k < r->opt.links && r->opt.what & IFD_RECORD_BASE_SHEAR; k++) {
        const ifd__specimen_link *l = &r->opt.link[k];
        some = some || (l->part == p && l->mass != 0.0 && l->to == dof);
    }
    return some;
}

/* The row of each listed dof, which is the column of the symmetric inverse. */
static ifd_status make_rows(ifd__response_model *b, ifd_arena *arena)
{
    size_t n = (size_t)b->m->n;
    b->inverse = ifd_arena_array(arena, (size_t)b->inverted * n, sizeof *b->inverse);
    if (!b->inverse)
        return IFD_NO_MEMORY;
    for (int k = 0; k < b->inverted; k++) {
        double *row = b->inverse + (size_t)k * n;
        row[b->inverted_dof[k]] = 1.0;
        ifd__tangent_solve(b->mass, row);
    }
    return IFD_OK;
}

ifd_status ifd__response_inertia(ifd__response *r, ifd_arena *arena, int p, ifd_note *note)
{
    ifd__response_model *b = &r->model[p];
    int needed = 0;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(b->inverted_dof, b->m->n)));
    for (int dof = 0; dof < b->m->n; dof++)
        if (needs(r, p, dof))
            b->inverted_dof[needed++] = dof;
    if (!needed)
        return IFD_OK;
    IFD_TRY(ifd__tangent_make(arena, b->m, &(ifd__tangent_options){.cm = 1.0}, &b->mass, note));
    if (b->m->M.symmetric && (long)needed * b->m->n < ifd__tangent_reads(b->mass)) {
        b->inverted = needed;
        IFD_TRY(make_rows(b, arena));
    }
    return IFD_OK;
}

static IFD_RT void apply_rows(const ifd__response_model *b)
{
    for (int k = 0; k < b->inverted; k++)
        b->w[k] = ifd__dot(b->m->n, b->inverse + (size_t)k * (size_t)b->m->n, b->a);
    for (int k = 0; k < b->inverted; k++)
        b->a[b->inverted_dof[k]] = b->w[k];
}

/* a := M(u)^-1 (P - R + measured forces or multipliers), the accelerations of a model. With rows of the inverse only
 * those of their dofs. */
void ifd__response_accelerations(const ifd__response *r, int p, const double *x, double t, const double *force)
{
    const ifd__response_model *b = &r->model[p];
    const ifd__point at = ifd__response_point(b, x, t);
    ifd__model_balance(b->m, &at, b->a, b->g, b->w);
    if (r->s->coupled) { /* measured forces are in its load; without a lead-in the specimens are at the end of the
                          * step */
        if (r->s->model[p].measured && !r->s->coupled->lead_in)
            ifd__coupled_measured(r->s->coupled, p, r->s->model[p].load);
        ifd__coupled_load(r->s->coupled, p, x, b->load);
        for (int i = 0; i < b->m->n; i++)
            b->a[i] += b->load[i];
    }
    for (int k = 0; !r->s->coupled && k < r->opt.links; k++)
        ifd__add_restoring_force(r->opt.link[k].from, r->opt.link[k].to, force[k], b->a);
    if (b->inverted) {
        apply_rows(b);
        return;
    }
    ifd__tangent_update(b->mass, &at);
    ifd__tangent_solve(b->mass, b->a);
}
