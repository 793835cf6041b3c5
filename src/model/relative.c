/* SPDX-License-Identifier: MIT */
/* Damping that acts on the motion relative to the ground. */
#include "model/relative.h"

#include <string.h>

#include "model/equilibrium/at_rest.h"
#include "base/arena.h"

/* Forces on the dofs per unit of support j, with the stiffness of elements at rest. */
static void support_column(const ifd_model *m, const ifd__rest *rest, int j, double *column)
{
    memcpy(column, m->Ks + (size_t)j * (size_t)m->n, (size_t)m->n * sizeof *column);
    for (int e = 0; e < m->ne; e++) {
        int nq = m->element[e].nq, at = m->q_of[e];
        const double *k = rest->k + m->mm_of[e];
        for (int d = 0; d < nq; d++)
            for (int l = m->bs_start[at + d]; l < m->bs_start[at + d + 1]; l++)
                for (int c = 0; m->bs_support[l] == j && c < nq; c++)
                    for (int i = m->b_start[at + c]; i < m->b_start[at + c + 1]; i++)
                        column[m->b_dof[i]] -= 0.5 * m->b_value[i] * (k[c + d * nq] + k[d + c * nq]) * m->bs_value[l];
    }
}

/* out += alpha (M_ff R + M_fs) + (C - before) R */
static void add_damping(const ifd__making *k, const ifd_sparse *before, int j, const double *R, double *out)
{
    const ifd_model *m = k->m;
    const ifd_sparse *M = &k->s.A[IFD_MASS];
    double alpha = k->b->ray_m;
    for (int c = 0; c < m->n; c++)
        for (int l = M->p[c]; l < M->p[c + 1]; l++)
            out[M->i[l]] += alpha * M->x[l] * R[c];
    if (k->added_mass.n)
        ifd__sparse_mul_add(&k->added_mass, -alpha, R, out);
    for (int i = 0; i < m->n; i++)
        out[i] -= alpha * m->Ms[(size_t)j * (size_t)m->n + (size_t)i];
    ifd__sparse_mul_add(&m->C, 1.0, R, out);
    ifd__sparse_mul_add(before, -1.0, R, out);
}

static ifd_status unknown(const ifd__making *k)
{
    ifd_note_remark(k->note, NULL,
                    "the stiffness matrix does not determine the motion of the structure with its supports: "
                    "mass-proportional and modal damping act on absolute velocities");
    return IFD_OK;
}

ifd_status ifd__relative_damping(ifd__making *k, const ifd_sparse *before)
{
    ifd_model *m = k->m;
    size_t n = (size_t)m->n, all = n * (size_t)m->nsupport;
    if (!m->nsupport || (k->b->ray_m == 0.0 && !k->b->nzeta && !m->C.rank))
        return IFD_OK;
    if (!m->K.symmetric)
        return unknown(k);
    ifd__rest rest;
    ifd_sparse K;
    ifd_solver *solver;
    IFD_TRY(ifd__rest_make(k->scratch, m, &rest));
    ifd__rest_eval(&rest, 0.0);
    IFD_TRY(ifd__rest_stiffness(k->scratch, &rest, NULL, &K));
    ifd_status made = ifd__solver_make(k->scratch, &K, IFD__SOLVER_AUTO, &solver, NULL);
    if (made == IFD_NOT_POSITIVE || made == IFD_SINGULAR)
        return unknown(k);
    IFD_TRY(made);
    double *w, *R, *Cr, *Cs;
    IFD_TRY(IFD__TAKE(k->scratch, IFD__ARRAY(w, ifd__solver_work(solver)), IFD__ARRAY(R, n)));
    IFD_TRY(IFD__TAKE(k->arena, IFD__ARRAY(Cr, all), IFD__ARRAY(Cs, all)));
    for (int j = 0; j < m->nsupport; j++) {
        support_column(m, &rest, j, R);
        ifd__solver_solve(solver, R, w);
        add_damping(k, before, j, R, Cr + (size_t)j * n);
    }
    for (size_t i = 0; i < all; i++)
        Cs[i] = m->Cs[i] + Cr[i];
    m->Cs = Cs;
    m->Cr = Cr;
    return IFD_OK;
}

ifd_status ifd__absolute_damping(ifd_arena *arena, ifd_model *m, const bool *of)
{
    size_t n = (size_t)m->n, all = n * (size_t)m->nsupport;
    if (!m->Cr)
        return IFD_OK;
    double *Cs, *Cr;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(Cs, all), IFD__ARRAY(Cr, all)));
    for (int j = 0; j < m->nsupport; j++)
        for (int i = 0; i < m->n; i++) {
            size_t at = (size_t)j * n + (size_t)i;
            Cs[at] = of[j] ? ifd__support_damping(m, j, i) : m->Cs[at];
            Cr[at] = of[j] ? 0.0 : m->Cr[at];
        }
    m->Cs = Cs;
    m->Cr = Cr;
    return IFD_OK;
}
