/* SPDX-License-Identifier: MIT */
/* Moves states to the nearest ones without gap at the joints. */
#include "couple/nearest.h"

#include <string.h>

#include "algebra/dense.h"
#include "method/rosenbrock.h"

/* The values of gamma are 1.71 (plus), 0.29 (minus) and 1 (LSRT1). */
static const double least_gamma = 1.0;

static ifd_status check_gamma(const ifd_couple_options *opt, ifd_note *note)
{
    for (int p = 0; p < opt->parts; p++) {
        const ifd_part_options *part = &opt->part[p];
        double gamma = ifd__rosenbrock_gamma(&part->step);
        if (gamma < least_gamma)
            return ifd_note_add(
                note, IFD_CONFLICT, &opt->place,
                "'drift: project' is unstable with gamma below 1; substructure '%s' has gamma %.4g: use "
                "'drift: feedback', or method: {lsrt2: {gamma: plus}}",
                part->name, gamma);
    }
    return IFD_OK;
}

/* W := M + c C + c^2 K of a substructure at its initial state, c = gamma times the coarse step. */
static ifd_status metric(ifd_arena *scratch, const ifd_part_options *part, double coarse, ifd__tangent **out,
                         ifd_note *note)
{
    const ifd_model *m = part->model;
    const ifd_step_options *step = &part->step;
    double c = ifd__rosenbrock_gamma(step) * coarse, *rest = ifd_arena_array(scratch, (size_t)m->n + 1, sizeof *rest);
    if (!rest)
        return IFD_NO_MEMORY;
    IFD_TRY(ifd__tangent_make(
        scratch, m,
        &(ifd__tangent_options){
            .cm = 1.0, .cv = c, .cu = c * c, .cs = c, .estimates = step->estimates, .estimate = step->estimate},
        out, note));
    if (!ifd__tangent_update(*out, &(ifd__point){.u = m->u0, .v = m->v0, .s = m->s0, .a = rest}))
        return ifd_note_add(note, IFD_SINGULAR, &part->place,
                            "substructure '%s': the matrix of the projection is singular", part->name);
    return IFD_OK;
}

/* WG := W^-1 G^T of substructure p; H += G WG. */
static void add_part(const ifd__interface *I, int p, ifd__tangent *W, double *WG, double *H)
{
    const ifd__seen_part *s = &I->part[p];
    for (int j = 0; j < I->rows; j++) {
        double *column = WG + (size_t)j * (size_t)s->m->n;
        for (int k = s->G.start[j]; k < s->G.start[j + 1]; k++)
            column[s->G.dof[k]] += s->G.value[k];
        ifd__tangent_solve(W, column);
        ifd__lists_add(&s->G, I->rows, 1.0, column, H + (size_t)j * (size_t)I->rows);
    }
}

ifd_status ifd__nearest_make(ifd_arena *arena, const ifd_couple_options *opt, const ifd__interface *I, double coarse,
                             ifd__nearest *out, ifd_note *note)
{
    size_t rows = (size_t)I->rows;
    IFD_TRY(check_gamma(opt, note));
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(out->WG, I->parts), IFD__ARRAY(out->LU, rows * rows + 1),
                      IFD__ARRAY(out->pivot, rows + 1)));
    for (int p = 0; p < I->parts; p++) {
        out->WG[p] = ifd_arena_array(arena, rows * (size_t)I->part[p].m->n + 1, sizeof **out->WG);
        ifd_arena *scratch = ifd_arena_open();
        ifd__tangent *W = NULL;
        ifd_status status = scratch && out->WG[p] ? metric(scratch, &opt->part[p], coarse, &W, note) : IFD_NO_MEMORY;
        if (status == IFD_OK)
            add_part(I, p, W, out->WG[p], out->LU);
        ifd_arena_close(scratch);
        IFD_TRY(status);
    }
    if (I->rows && !ifd__lu_factor(I->rows, out->LU, out->pivot))
        return ifd_note_add(note, IFD_SINGULAR, &opt->place,
                            "the equations of the projection at the joints are singular");
    return IFD_OK;
}

void ifd__nearest_reaction(const ifd__nearest *N, int rows, double *gap)
{
    ifd__lu_solve(rows, N->LU, N->pivot, 1, gap);
}

void ifd__nearest_correct(const ifd__nearest *N, const ifd__interface *I, int p, const double *gap, double *x)
{
    ifd__mul_add(I->part[p].m->n, I->rows, -1.0, N->WG[p], gap, x);
}
