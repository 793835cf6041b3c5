/* SPDX-License-Identifier: MIT */
/* Large substructures reduced to their connected dofs and their lowest modes with these fixed (Craig and Bampton
 * 1968):
 *
 *     u_kept = z_kept,   u_inside = -K_ii^-1 K_ik z_kept + Phi z_modes,   K_ii Phi = M_ii Phi omega^2 */
#include <lapacke.h>
#include <string.h>

#include "model/build/derive.h"
#include "model/equilibrium/at_rest.h"
#include "analysis/stability.h"

enum { LARGEST_PART = 4000, LEAST_MODES = 4 };

typedef struct reducing {
    ifd_arena *arena, *scratch;
    const ifd_model *m;
    bool *keep;  /* n */
    int *number; /* n: index in z of a kept dof, otherwise index among the inside ones */
    int kept, inside, modes;
    ifd_note *note;
} reducing;

static void mark(bool *keep, int dof)
{
    if (dof >= 0)
        keep[dof] = true;
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
    for (int k = 0; k < step->estimates; k++) {
        mark(keep, step->estimate[k].from);
        mark(keep, step->estimate[k].to);
    }
    for (int k = 0; !couple && k < opt->specimens; k++) {
        mark(keep, opt->specimen[k].from);
        mark(keep, opt->specimen[k].to);
    }
    for (int k = 0; k < m->b_start[m->nq]; k++)
        mark(keep, m->b_dof[k]);
}

static void count(reducing *r)
{
    r->kept = r->inside = 0;
    for (int i = 0; i < r->m->n; i++)
        r->number[i] = r->keep[i] ? r->kept++ : r->inside++;
}

/* The columns of -K_ii^-1 K_ik (inside x kept), then Phi (inside x modes). */
static ifd_status basis(reducing *r, double *V)
{
    size_t n = (size_t)r->m->n, in = (size_t)r->inside, kept = (size_t)r->kept;
    double *whole = ifd_arena_array(r->scratch, n * n, sizeof *whole);
    double *K = ifd_arena_array(r->scratch, in * in, sizeof *K), *M = ifd_arena_array(r->scratch, in * in, sizeof *M);
    double *F = ifd_arena_array(r->scratch, in * in, sizeof *F),
           *lambda = ifd_arena_array(r->scratch, in, sizeof *lambda);
    lapack_int found, *fail = ifd_arena_array(r->scratch, in, sizeof *fail);
    if (!whole || !K || !M || !F || !lambda || !fail)
        return IFD_NO_MEMORY;
    for (int pass = 0; pass < 2; pass++) {
        double *part = pass ? M : K;
        ifd__sparse_fill(pass ? &r->m->M : &r->m->K, whole);
        for (size_t j = 0; j < n; j++)
            for (size_t i = 0; i < n; i++) {
                size_t row = (size_t)r->number[i], column = (size_t)r->number[j];
                if (!r->keep[i] && !r->keep[j])
                    part[row + column * in] = whole[i + j * n];
                else if (!r->keep[i] && !pass)
                    V[row + column * in] = -whole[i + j * n];
            }
    }
    memcpy(F, K, in * in * sizeof *F);
    if (kept && LAPACKE_dposv(LAPACK_COL_MAJOR, 'L', (int)in, (int)kept, F, (int)in, V, (int)in) != 0)
        return ifd_note_add(
            r->note, IFD_SINGULAR, NULL,
            "a substructure of %d dofs can move freely even if its joints are fixed: it cannot be reduced to them",
            r->m->n);
    if (r->modes && LAPACKE_dsygvx(LAPACK_COL_MAJOR, 1, 'V', 'I', 'L', (int)in, K, (int)in, M, (int)in, 0.0, 0.0, 1,
                                   r->modes, 0.0, &found, lambda, V + kept * in, (int)in, fail) != 0)
        return ifd_note_add(r->note, IFD_INTERNAL, NULL,
                            "the modes of a substructure of %d dofs could not be computed", r->m->n);
    return IFD_OK;
}

static ifd_status rows(const reducing *r, const double *V, ifd__rows *T)
{
    size_t n = (size_t)r->m->n, in = (size_t)r->inside;
    int columns = r->kept + r->modes, at = 0;
    size_t entries = (size_t)r->kept + in * (size_t)columns;
    IFD_TRY(ifd__rows_take(r->scratch, r->m->n, entries, T));
    for (size_t i = 0; i < n; i++) {
        for (int c = 0; c < columns && !r->keep[i]; c++, at++) {
            T->column[at] = c;
            T->value[at] = V[(size_t)r->number[i] + (size_t)c * in];
        }
        if (r->keep[i]) {
            T->column[at] = r->number[i];
            T->value[at++] = 1.0;
        }
        T->start[i + 1] = at;
    }
    return IFD_OK;
}

static ifd_status reduce(reducing *r, ifd_model **out)
{
    size_t z = (size_t)(r->kept + r->modes);
    double *V = ifd_arena_array(r->scratch, (size_t)r->inside * z, sizeof *V);
    const char **name = ifd_arena_array(r->arena, z, sizeof *name);
    ifd_dof_kind *kind = ifd_arena_array(r->arena, z, sizeof *kind);
    double *zero = ifd_arena_array(r->arena, z, sizeof *zero);
    if (!V || !name || !kind || !zero)
        return IFD_NO_MEMORY;
    for (size_t i = 0; i < z; i++) {
        name[i] = "mode";
        kind[i] = IFD_DOF_DEFORMATION;
    }
    for (int i = 0; i < r->m->n; i++)
        if (r->keep[i]) {
            name[r->number[i]] = r->m->dof_name[i];
            kind[r->number[i]] = r->m->dof_kind[i];
        }
    IFD_TRY(basis(r, V));
    ifd__derivation how = {.substructures = 1,
                           .substructure = &r->m,
                           .n = (int)z,
                           .dof_name = name,
                           .dof_kind = kind,
                           .u0 = zero,
                           .v0 = zero};
    IFD_TRY(rows(r, V, &how.T));
    return ifd__model_derive(r->arena, &how, out, r->note);
}

static int renumber(const reducing *r, int dof)
{
    return dof >= 0 ? r->number[dof] : dof;
}

static bool renumber_estimates(ifd_arena *arena, const reducing *r, ifd_step_options *step)
{
    ifd_estimate *estimate = ifd_arena_array(arena, (size_t)step->estimates, sizeof *estimate);
    for (int k = 0; estimate && k < step->estimates; k++) {
        estimate[k] = step->estimate[k];
        estimate[k].from = renumber(r, estimate[k].from);
        estimate[k].to = renumber(r, estimate[k].to);
    }
    step->estimate = estimate;
    return estimate != NULL;
}

static bool renumber_joints(ifd_arena *arena, const reducing *r, ifd_couple_options *couple)
{
    ifd_joint *joint = ifd_arena_array(arena, (size_t)couple->joints, sizeof *joint);
    for (int j = 0; joint && j < couple->joints; j++) {
        ifd_joint_term *term = ifd_arena_array(arena, (size_t)couple->joint[j].terms, sizeof *term);
        if (!term)
            return false;
        joint[j] = couple->joint[j];
        for (int k = 0; k < joint[j].terms; k++) {
            term[k] = couple->joint[j].term[k];
            term[k].dof = renumber(&r[term[k].part], term[k].dof);
        }
        joint[j].term = term;
    }
    couple->joint = joint;
    return joint != NULL;
}

static bool renumber_specimens(ifd_arena *arena, const reducing *r, ifd_run_options *opt)
{
    ifd_specimen *specimen = ifd_arena_array(arena, (size_t)opt->specimens, sizeof *specimen);
    for (int k = 0; specimen && k < opt->specimens; k++) {
        specimen[k] = opt->specimen[k];
        specimen[k].from = renumber(r, specimen[k].from);
        specimen[k].to = renumber(r, specimen[k].to);
    }
    opt->specimen = specimen;
    return specimen != NULL;
}

/* Distributes the remaining dofs among the substructures. */
static ifd_status plan(reducing *r, int parts, const ifd_run_options *opt, double share, ifd_note *note)
{
    int kept = 0, inside = 0, total = 0;
    for (int p = 0; p < parts; p++) {
        IFD_TRY(IFD__TAKE(r[p].arena, IFD__ARRAY(r[p].keep, r[p].m->n), IFD__ARRAY(r[p].number, r[p].m->n)));
        mark_touched(opt, p, r[p].m, r[p].keep);
        count(&r[p]);
        kept += r[p].kept;
        inside += r[p].inside;
        total += r[p].m->n;
        if (r[p].m->n > LARGEST_PART || !r[p].m->symmetric)
            return ifd_note_add(
                note, IFD_TOO_LARGE, NULL,
                "a substructure has %d dofs; the analysis reduces substructures of at most %d dofs with "
                "symmetric matrices",
                r[p].m->n, LARGEST_PART);
    }
    double left = share * total - kept;
    if (left < LEAST_MODES * parts)
        return ifd_note_add(note, IFD_TOO_LARGE, NULL,
                            "%d of %d dofs are in joints or elements: too many for the analysis", kept, total);
    for (int p = 0; p < parts; p++) {
        r[p].modes = (int)(left * r[p].inside / inside);
        r[p].modes = r[p].modes < r[p].inside ? r[p].modes : r[p].inside;
    }
    return IFD_OK;
}

/* Reduces substructure p (or the only model) in place. */
static ifd_status apply(reducing *r, ifd_run_options *opt, ifd_part_options *part)
{
    ifd_model *small;
    r->scratch = ifd_arena_open();
    ifd_status status = r->scratch ? reduce(r, &small) : IFD_NO_MEMORY;
    ifd_arena_close(r->scratch);
    IFD_TRY(status);
    if (!part) {
        opt->model = small;
        return renumber_estimates(r->arena, r, &opt->step) && renumber_specimens(r->arena, r, opt) ? IFD_OK
                                                                                                   : IFD_NO_MEMORY;
    }
    part->model = small;
    return renumber_estimates(r->arena, r, &part->step) ? IFD_OK : IFD_NO_MEMORY;
}

ifd_status ifd__reduce_parts(ifd_arena *arena, ifd_run_options *at_rest, int states, int numbers, int *dofs,
                             ifd_note *note)
{
    int parts = at_rest->couple ? at_rest->couple->parts : 1;
    reducing *r;
    ifd_couple_options *couple;
    ifd_part_options *part;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(r, parts), IFD__ARRAY(couple, 1), IFD__ARRAY(part, parts)));
    *dofs = 0;
    for (int p = 0; p < parts; p++) {
        r[p] = (reducing){.arena = arena, .note = note};
        r[p].m = at_rest->couple ? at_rest->couple->part[p].model : at_rest->model;
        *dofs += r[p].m->n;
    }
    IFD_TRY(plan(r, parts, at_rest, (double)numbers / states, note));
    for (int p = 0; p < parts; p++) {
        if (at_rest->couple)
            part[p] = at_rest->couple->part[p];
        IFD_TRY(apply(&r[p], at_rest, at_rest->couple ? &part[p] : NULL));
    }
    if (!at_rest->couple)
        return IFD_OK;
    *couple = *at_rest->couple;
    couple->part = part;
    at_rest->couple = couple;
    return renumber_joints(arena, r, couple) ? IFD_OK : IFD_NO_MEMORY;
}
