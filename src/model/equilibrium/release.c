/* SPDX-License-Identifier: MIT */
/* With f for dofs, r for released supports and s for the remaining ones, the stored columns of a support are minus
 * the matrix:
 *
 *     A' = [A_ff, -As_r; -As_r^T, Ass_rr],    columns of the others [As_s; -Ass_rs]
 *
 * The base mass m0 of elements, which M contains for the dofs, is completed for the coordinates that depend on r. */
#include "model/equilibrium/release.h"

#include <string.h>

#include "base/arena.h"
#include "model/build/attach.h"
#include "model/relative.h"

typedef struct releasing {
    ifd_arena *arena, *scratch;
    const ifd_model *m;
    ifd_model *out;
    int count;
    const int *support;
    int *place; /* per support: index among the released ones, -1 if it remains */
} releasing;

/* -M_sf iota_f in direction d; the stored columns are -M_fs. */
static const double *loads_of_supports(ifd_arena *arena, const ifd_model *m, int d)
{
    double *ps = ifd_arena_array(arena, (size_t)m->nsupport, sizeof *ps);
    for (int j = 0; ps && j < m->nsupport; j++)
        for (int i = 0; i < m->n; i++)
            if (m->dof_kind[i] == (ifd_dof_kind)d)
                ps[j] += m->Ms[(size_t)j * (size_t)m->n + (size_t)i];
    return ps;
}

/* The support itself, in its direction: -M_ss for the supports and -M_fs for the dofs. */
static ifd_status shake(ifd_arena *arena, const ifd_model *m, int support, ifd__ground *g)
{
    size_t n = (size_t)m->n, ns = (size_t)m->nsupport, j = (size_t)support;
    double *p, *ps;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(p, n), IFD__ARRAY(ps, ns)));
    g->mass -= g->ps[j];
    for (size_t i = 0; i < n; i++)
        p[i] = g->p[i] + m->Ms[j * n + i];
    for (size_t i = 0; i < ns; i++)
        ps[i] = g->ps[i] - m->Mss[i + j * ns];
    g->mass -= ps[j];
    g->p = p;
    g->ps = ps;
    return IFD_OK;
}

ifd_status ifd__model_share_ground(ifd_arena *arena, ifd_model *m, int support, ifd_dof_kind kind)
{
    for (int d = 0; d < 3; d++)
        if (m->Mss && !m->ground[d].ps && !(m->ground[d].ps = loads_of_supports(arena, m, d)))
            return IFD_NO_MEMORY;
    if (kind > IFD_DOF_Z)
        return IFD_OK;
    double *q;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(q, m->nq)));
    memcpy(q, m->ground[kind].q, (size_t)m->nq * sizeof *q);
    for (int c = 0; c < m->nq; c++)
        for (int k = m->bs_start[c]; k < m->bs_start[c + 1]; k++)
            if (m->bs_support[k] == support)
                q[c] += m->bs_value[k];
    m->ground[kind].q = q;
    return m->Mss ? shake(arena, m, support, &m->ground[kind]) : IFD_OK;
}

/* Rows and columns of the released supports. */
static void put_released(const releasing *r, const double *As, const double *Ass, ifd__triplets *t)
{
    int n = r->m->n;
    for (int l = 0; l < r->count; l++) {
        int j = r->support[l];
        for (int i = 0; i < n; i++) {
            double value = -As[(size_t)j * (size_t)n + (size_t)i];
            if (value == 0.0)
                continue;
            ifd__triplet(t, i, n + l, value);
            ifd__triplet(t, n + l, i, value);
        }
        for (int k = 0; k < r->count; k++)
            ifd__triplet(t, n + k, n + l, Ass[r->support[k] + j * r->m->nsupport]);
    }
}

static void put_base_mass(const releasing *r, ifd__triplets *t)
{
    const ifd_model *m = r->m;
    for (int e = 0; e < m->ne; e++)
        for (int c = 0; c < m->element[e].nq; c++) {
            double base = m->m0[m->mm_of[e] + c * (m->element[e].nq + 1)];
            int q = m->q_of[e] + c;
            for (int k = m->bs_start[q]; k < m->bs_start[q + 1] && base != 0.0; k++) {
                int l = r->place[m->bs_support[k]];
                double value = base * m->bs_value[k];
                for (int i = m->b_start[q]; l >= 0 && i < m->b_start[q + 1]; i++) {
                    ifd__triplet(t, m->b_dof[i], m->n + l, value * m->b_value[i]);
                    ifd__triplet(t, m->n + l, m->b_dof[i], value * m->b_value[i]);
                }
                for (int i = m->bs_start[q]; l >= 0 && i < m->bs_start[q + 1]; i++)
                    if (r->place[m->bs_support[i]] >= 0)
                        ifd__triplet(t, m->n + r->place[m->bs_support[i]], m->n + l, value * m->bs_value[i]);
            }
        }
}

static ifd_status make_matrices(releasing *r)
{
    const ifd_model *m = r->m;
    ifd_model *out = r->out;
    ifd__triplets M = {.arena = r->scratch}, C = M, K = M;
    ifd__triplet_columns(&M, 0, m->n, 1.0, &m->M);
    put_released(r, m->Ms, m->Mss, &M);
    put_base_mass(r, &M);
    ifd__triplet_columns(&K, 0, m->n, 1.0, &m->K);
    put_released(r, m->Ks, m->Kss, &K);
    ifd__triplet_columns(&C, 0, m->n, 1.0, &m->C);
    ifd__triplet_columns(&C, 0, m->n, m->ray_m, &m->M);
    ifd__triplet_columns(&C, 0, m->n, m->ray_k, &m->K);
    put_released(r, m->Cs, m->Css, &C);
    out->ray_m = out->ray_k = 0.0; /* the damping of supports already contains its Rayleigh contribution, and so does
                                    * C */
    out->damped = true;
    IFD_TRY(ifd__sparse_make(r->arena, out->n, &M, true, &out->M));
    IFD_TRY(ifd__sparse_make(r->arena, out->n, &K, true, &out->K));
    IFD_TRY(ifd__sparse_make(r->arena, out->n, &C, true, &out->C));
    if (!m->C.rank)
        return IFD_OK;
    double *Z;
    IFD_TRY(IFD__TAKE(r->arena, IFD__ARRAY(Z, (size_t)out->n * (size_t)m->C.rank)));
    for (size_t k = 0; k < (size_t)m->C.rank; k++)
        memcpy(Z + k * (size_t)out->n, m->C.Z + k * (size_t)m->n, (size_t)m->n * sizeof *Z);
    out->C.rank = m->C.rank;
    out->C.Z = Z;
    out->C.weight = m->C.weight;
    return IFD_OK;
}

/* Columns of the remaining supports over the longer list of dofs. */
static ifd_status make_supports(releasing *r)
{
    const ifd_model *m = r->m;
    ifd_model *out = r->out;
    size_t n = (size_t)m->n, wide = (size_t)out->n, ns = (size_t)m->nsupport, at = 0;
    const ifd_signal **signal = ifd_arena_array(r->arena, ns, sizeof *signal);
    const double *from[] = {m->Ms, m->Cs, m->Ks}, *own[] = {m->Mss, m->Css, m->Kss};
    double *to[3];
    for (int a = 0; a < 3; a++)
        if (!(to[a] = ifd_arena_array(r->arena, wide * ns, sizeof(double))) || !signal)
            return IFD_NO_MEMORY;
    for (size_t j = 0; j < ns; j++) {
        if (r->place[j] >= 0)
            continue;
        signal[at] = m->support[j];
        for (int a = 0; a < 3; a++) {
            memcpy(to[a] + at * wide, from[a] + j * n, n * sizeof(double));
            for (int l = 0; l < r->count; l++)
                to[a][at * wide + n + (size_t)l] = -own[a][(size_t)r->support[l] + j * ns];
        }
        at++;
    }
    out->support = signal;
    out->nsupport = (int)at;
    out->Ms = to[0];
    out->Cs = to[1];
    out->Cr = NULL; /* for remaining supports it is in Cs */
    out->Ks = to[2];
    return IFD_OK;
}

static ifd_status make_coordinates(releasing *r)
{
    const ifd_model *m = r->m;
    ifd__coordinates list;
    int stay = 0, *renumber;
    IFD_TRY(IFD__TAKE(r->scratch, IFD__ARRAY(renumber, m->nsupport)));
    IFD_TRY(ifd__coordinates_begin(r->arena, m->nq, &list));
    for (int j = 0; j < m->nsupport; j++)
        renumber[j] = r->place[j] < 0 ? stay++ : -1;
    for (int c = 0; c < m->nq; c++) {
        for (int k = m->b_start[c]; k < m->b_start[c + 1]; k++)
            ifd__triplet(&list.dof, m->b_dof[k], 0, m->b_value[k]);
        for (int k = m->bs_start[c]; k < m->bs_start[c + 1]; k++) {
            int l = r->place[m->bs_support[k]];
            if (l >= 0)
                ifd__triplet(&list.dof, m->n + l, 0, m->bs_value[k]);
            else
                ifd__triplet(&list.support, renumber[m->bs_support[k]], 0, m->bs_value[k]);
        }
        ifd__coordinate_end(&list);
    }
    return ifd__coordinates_give(&list, r->out);
}

static ifd_status make_ground(releasing *r)
{
    for (int d = 0; d < 3; d++) {
        double *p;
        IFD_TRY(IFD__TAKE(r->arena, IFD__ARRAY(p, r->out->n)));
        if (r->m->ground[d].p)
            memcpy(p, r->m->ground[d].p, (size_t)r->m->n * sizeof *p);
        for (int l = 0; l < r->count && r->m->ground[d].ps; l++)
            p[r->m->n + l] = r->m->ground[d].ps[r->support[l]];
        r->out->ground[d].p = p;
    }
    return IFD_OK;
}

ifd_status ifd__model_release(ifd_arena *arena, const ifd_model *m, int count, const int *support, ifd_model **out)
{
    ifd_arena *scratch IFD__CLOSED = ifd_arena_open();
    ifd_model copy = *m;
    releasing r = {.arena = arena, .scratch = scratch, .m = &copy, .count = count, .support = support};
    bool *follows;
    IFD_TRY(IFD__TAKE(scratch, IFD__ARRAY(follows, m->nsupport), IFD__ARRAY(r.place, m->nsupport)));
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(r.out, 1)));
    for (int j = 0; j < m->nsupport; j++)
        r.place[j] = -1;
    for (int l = 0; l < count; l++) {
        follows[support[l]] = true;
        r.place[support[l]] = l;
    }
    IFD_TRY(ifd__absolute_damping(scratch, &copy, follows));
    *out = r.out;
    *r.out = copy;
    r.out->n = m->n + count;
    r.out->mass = NULL;
    r.out->Mss = r.out->Css = r.out->Kss = NULL;
    IFD_TRY(make_supports(&r));
    IFD_TRY(make_coordinates(&r));
    IFD_TRY(make_ground(&r));
    return make_matrices(&r);
}
