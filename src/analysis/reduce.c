/* SPDX-License-Identifier: MIT */
/* Large substructures reduced to their connected dofs and their lowest modes with these fixed (Craig and Bampton
 * 1968):
 *
 *     u_kept = z_kept,   u_inside = -K_ii^-1 K_ik z_kept + Phi z_modes,   K_ii Phi = M_ii Phi omega^2 */
#include <lapacke.h>
#include <string.h>

#include "model/build/derive.h"
#include "analysis/superelements.h"
#include "analysis/stability.h"

enum { LARGEST_PART = 4000, LEAST_MODES = 4 };

typedef struct reducing {
    ifd_arena *arena, *scratch;
    const ifd_model *m;
    const bool *keep; /* n, as in ifd__connected */
    const int *number;
    int kept, inside, modes;
    ifd_note *note;
} reducing;

/* The columns of -K_ii^-1 K_ik (inside x kept), then Phi (inside x modes). */
static ifd_status basis(reducing *r, double *V)
{
    size_t n = (size_t)r->m->n, in = (size_t)r->inside, kept = (size_t)r->kept;
    double *whole, *K, *M, *F, *lambda;
    lapack_int found, *fail;
    IFD_TRY(IFD__TAKE(r->scratch, IFD__ARRAY(whole, n * n), IFD__ARRAY(K, in * in), IFD__ARRAY(M, in * in),
                      IFD__ARRAY(F, in * in), IFD__ARRAY(lambda, in), IFD__ARRAY(fail, in)));
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
    IFD__HAVE(V && name && kind && zero);
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

/* Distributes the remaining dofs among the substructures. */
static ifd_status plan(reducing *r, int parts, double share, ifd_note *note)
{
    int kept = 0, inside = 0, total = 0;
    for (int p = 0; p < parts; p++) {
        kept += r[p].kept;
        inside += r[p].inside;
        total += r[p].m->n;
        if (r[p].m->n > LARGEST_PART || !r[p].m->symmetric)
            return ifd_note_add(
                note, IFD_TOO_LARGE, NULL,
                "a substructure has %d dofs; the analysis reduces substructures of at most %d dofs with "
                "symmetric matrices to their lowest modes",
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

ifd_status ifd__reduce_parts(ifd_arena *arena, ifd_run_options *at_rest, int states, int numbers, int *dofs,
                             ifd_note *note)
{
    int parts = ifd__parts_of(at_rest);
    reducing *r;
    ifd__connected *of;
    const ifd_model **small;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(r, parts), IFD__ARRAY(of, parts), IFD__ARRAY(small, parts)));
    IFD_TRY(ifd__connected_find(arena, at_rest, of));
    *dofs = 0;
    for (int p = 0; p < parts; p++) {
        r[p] = (reducing){.arena = arena, .m = of[p].m, .keep = of[p].keep, .number = of[p].number, .note = note};
        r[p].kept = of[p].kept;
        r[p].inside = of[p].inside;
        *dofs += r[p].m->n;
    }
    IFD_TRY(plan(r, parts, (double)numbers / states, note));
    for (int p = 0; p < parts; p++) {
        ifd_model *made = NULL;
        ifd_arena *scratch IFD__CLOSED = r[p].scratch = ifd_arena_open();
        IFD_TRY(scratch ? reduce(&r[p], &made) : IFD_NO_MEMORY);
        small[p] = made;
    }
    return ifd__connected_replace(arena, of, small, at_rest);
}
