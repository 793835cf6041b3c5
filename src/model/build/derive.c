/* SPDX-License-Identifier: MIT */
/* Makes models from models: reduced, joined, at rest. */
#include <math.h>
#include <string.h>

#include "model/build/attach.h"
#include "base/arena.h"
#include "model/build/derive.h"
#include "model/equilibrium/massless.h"

typedef struct deriving {
    ifd_arena *arena, *scratch;
    const ifd__derivation *how;
    ifd_model *m;
    int *first;       /* pieces + 1: first dof of each substructure */
    ifd__rows T_t;    /* T by columns */
    double *y, *z;    /* dense accumulators: rows of T; n */
    int *y_at, *z_at; /* indices of their nonzero entries */
    bool *y_in, *z_in;
    ifd_note *note;
} deriving;

/* Adds value to a sparse vector stored dense, with the list of its indices. */
static void accumulate(double *x, bool *in, int *at, int *count, int i, double value)
{
    if (!in[i]) {
        in[i] = true;
        at[(*count)++] = i;
    }
    x[i] += value;
}

/* T^T A T, column by column: sparse if T and A are. */

/* T by columns: count starts, then fill. */
static ifd_status transpose(deriving *d)
{
    const ifd__rows *T = &d->how->T;
    size_t n = (size_t)d->how->n, entries = (size_t)T->start[T->count];
    IFD_TRY(ifd__rows_take(d->scratch, d->how->n + 1, entries, &d->T_t)); /* one more start, for counting */
    int *next = d->T_t.start + 1;
    for (size_t k = 0; k < entries; k++)
        next[T->column[k] + 1]++;
    for (size_t i = 0; i < n; i++)
        next[i + 1] += next[i];
    for (int i = 0; i < T->count; i++)
        for (int k = T->start[i]; k < T->start[i + 1]; k++) {
            int at = next[T->column[k]]++;
            d->T_t.column[at] = i;
            d->T_t.value[at] = T->value[k];
        }
    return IFD_OK;
}

/* Fills first, T_t and the accumulators. */
static ifd_status deriving_prepare(deriving *d)
{
    const ifd__derivation *how = d->how;
    size_t rows = (size_t)how->T.count, n = (size_t)how->n;
    IFD_TRY(IFD__TAKE(d->scratch, IFD__ARRAY(d->first, how->substructures + 1), IFD__ARRAY(d->y, rows),
                      IFD__ARRAY(d->z, n), IFD__ARRAY(d->y_at, rows), IFD__ARRAY(d->z_at, n),
                      IFD__ARRAY(d->y_in, rows), IFD__ARRAY(d->z_in, n)));
    for (int p = 0; p < how->substructures; p++)
        d->first[p + 1] = d->first[p] + how->substructure[p]->n;
    return transpose(d);
}

/* Column b of T^T A T, appended to t. */
static void derive_column(deriving *d, const ifd_sparse *A, int b, ifd__triplets *t)
{
    const ifd__rows *T = &d->how->T, *T_t = &d->T_t;
    int ny = 0, nz = 0;
    for (int k = T_t->start[b]; k < T_t->start[b + 1]; k++) {
        int j = T_t->column[k];
        for (int l = A->p[j]; l < A->p[j + 1]; l++)
            accumulate(d->y, d->y_in, d->y_at, &ny, A->i[l], T_t->value[k] * A->x[l]);
    }
    for (int k = 0; k < ny; k++) {
        int i = d->y_at[k];
        for (int l = T->start[i]; l < T->start[i + 1]; l++)
            accumulate(d->z, d->z_in, d->z_at, &nz, T->column[l], T->value[l] * d->y[i]);
        d->y[i] = 0.0;
        d->y_in[i] = false;
    }
    for (int k = 0; k < nz; k++) {
        int i = d->z_at[k];
        ifd__triplet(t, i, b, d->z[i]);
        d->z[i] = 0.0;
        d->z_in[i] = false;
    }
}

static ifd_status derive_matrix(deriving *d, const ifd__triplets *given, bool symmetric, ifd_sparse *out)
{
    ifd_sparse whole;
    ifd__triplets t = {.arena = d->scratch};
    IFD_TRY(ifd__sparse_make(d->scratch, d->how->T.count, given, false, &whole));
    for (int b = 0; b < d->how->n; b++)
        derive_column(d, &whole, b, &t);
    return ifd__sparse_make(d->arena, d->how->n, &t, symmetric, out);
}

/* Z := T^T Z of all substructures, or the one given. */
static ifd_status derive_low_rank(deriving *d)
{
    const ifd__derivation *how = d->how;
    size_t n = (size_t)how->n, rank = 0;
    for (int p = 0; p < how->substructures; p++)
        rank += (size_t)how->substructure[p]->C.rank;
    if (!rank)
        return IFD_OK;
    double *Z, *z;
    IFD_TRY(IFD__TAKE(d->arena, IFD__ARRAY(Z, n * rank)));
    z = Z;
    if (how->Z)
        memcpy(Z, how->Z, n * rank * sizeof *Z);
    for (int p = 0; p < how->substructures && !how->Z; p++) {
        const ifd_sparse *C = &how->substructure[p]->C;
        for (size_t k = 0; k < (size_t)C->rank; k++, z += n)
            for (int i = 0; i < C->n; i++)
                for (int l = how->T.start[d->first[p] + i]; l < how->T.start[d->first[p] + i + 1]; l++)
                    z[how->T.column[l]] += how->T.value[l] * sqrt(C->weight) * C->Z[(size_t)i + k * (size_t)C->n];
    }
    d->m->C.rank = (int)rank;
    d->m->C.Z = Z;
    d->m->C.weight = 1.0;
    return IFD_OK;
}

/* M, C, K and the factor of M. */
static ifd_status derive_matrices(deriving *d)
{
    const ifd__derivation *how = d->how;
    const ifd_model *one = how->substructure[0];
    bool same = true; /* equal Rayleigh damping of all substructures remains a factor */
    d->m->symmetric = true;
    for (int p = 0; p < how->substructures; p++) {
        same = same && how->substructure[p]->ray_m == one->ray_m && how->substructure[p]->ray_k == one->ray_k;
        d->m->symmetric = d->m->symmetric && how->substructure[p]->symmetric;
    }
    d->m->ray_m = same ? one->ray_m : 0.0;
    d->m->ray_k = same ? one->ray_k : 0.0;
    ifd__triplets M = {.arena = d->scratch}, C = M, K = M;
    for (int p = 0; p < how->substructures; p++) {
        const ifd_model *m = how->substructure[p];
        ifd__triplet_columns(&M, d->first[p], m->n, 1.0, &m->M);
        ifd__triplet_columns(&K, d->first[p], m->n, 1.0, &m->K);
        ifd__triplet_columns(&C, d->first[p], m->n, 1.0, &m->C);
        if (!same && m->ray_m != 0.0)
            ifd__triplet_columns(&C, d->first[p], m->n, m->ray_m, &m->M);
        if (!same && m->ray_k != 0.0)
            ifd__triplet_columns(&C, d->first[p], m->n, m->ray_k, &m->K);
        d->m->damped = d->m->damped || m->damped || (!same && (m->ray_m != 0.0 || m->ray_k != 0.0));
    }
    if (how->M) {
        d->m->M = *how->M;
        d->m->K = *how->K;
    } else {
        IFD_TRY(derive_matrix(d, &M, true, &d->m->M));
        IFD_TRY(derive_matrix(d, &K, d->m->symmetric, &d->m->K));
    }
    IFD_TRY(derive_matrix(d, &C, d->m->symmetric, &d->m->C));
    IFD_TRY(derive_low_rank(d));
    const ifd_solver *factor;
    for (int p = 0; p < how->substructures; p++)
        if (how->substructure[p]->massless)
            IFD_TRY(ifd__massless_find(d->arena, d->m));
    IFD_TRY(ifd__model_mass_later(d->arena, d->m));
    return ifd__model_mass(d->arena, d->m, &factor, d->note);
}

/* out (n) += T_p^T x */
static void project_add(const deriving *d, int p, const double *x, double *out)
{
    const ifd__rows *T = &d->how->T;
    for (int i = 0; i < d->how->substructure[p]->n; i++)
        for (int k = T->start[d->first[p] + i]; k < T->start[d->first[p] + i + 1]; k++)
            out[T->column[k]] += T->value[k] * x[i];
}

/* Transforms a sparse force on substructure p to z. */
static bool derive_load(deriving *d, int p, int count, const int *dof, const double *value, ifd__load *out)
{
    const ifd__rows *T = &d->how->T;
    int nz = 0;
    for (int k = 0; k < count; k++) {
        int i = d->first[p] + (dof ? dof[k] : k);
        for (int l = T->start[i]; l < T->start[i + 1]; l++)
            accumulate(d->z, d->z_in, d->z_at, &nz, T->column[l], T->value[l] * value[k]);
    }
    int *at = ifd_arena_array(d->arena, (size_t)nz, sizeof *at);
    double *x = ifd_arena_array(d->arena, (size_t)nz, sizeof *x);
    for (int k = 0; k < nz; k++) {
        int i = d->z_at[k];
        if (at && x) {
            at[k] = i;
            x[k] = d->z[i];
        }
        d->z[i] = 0.0;
        d->z_in[i] = false;
    }
    out->count = nz;
    out->dof = at;
    out->value = x;
    return at && x;
}

static ifd_status derive_supports(deriving *d)
{
    const ifd__derivation *how = d->how;
    int total = 0;
    for (int p = 0; p < how->substructures; p++)
        total += how->substructure[p]->nsupport;
    size_t n = (size_t)how->n, all = n * (size_t)total;
    const ifd_signal **signal;
    double *Ms, *Cs, *Ks;
    IFD_TRY(IFD__TAKE(d->arena, IFD__ARRAY(signal, total), IFD__ARRAY(Ms, all), IFD__ARRAY(Cs, all),
                      IFD__ARRAY(Ks, all)));
    size_t at = 0;
    for (int p = 0; p < how->substructures; p++)
        for (int j = 0; j < how->substructure[p]->nsupport; j++, at++) {
            const ifd_model *m = how->substructure[p];
            size_t from = (size_t)j * (size_t)m->n;
            signal[at] = m->support[j];
            project_add(d, p, m->Ms + from, Ms + at * n);
            project_add(d, p, m->Cs + from, Cs + at * n);
            project_add(d, p, m->Ks + from, Ks + at * n);
        }
    d->m->nsupport = total;
    d->m->support = signal;
    d->m->Ms = Ms;
    d->m->Cs = Cs;
    d->m->Ks = Ks;
    return IFD_OK;
}

/* The first signal found is that of the whole. A substructure with another one gets it as a load, which is valid only
 * for substructures without pendulums. */
static ifd_status derive_ground(deriving *d, int direction, ifd__load *extra, int *extras)
{
    const ifd__derivation *how = d->how;
    ifd__ground *whole = &d->m->ground[direction];
    double *load, *q;
    IFD_TRY(IFD__TAKE(d->arena, IFD__ARRAY(load, how->n), IFD__ARRAY(q, d->m->nq)));
    for (int p = how->substructures - 1; p >= 0; p--)
        whole->signal = how->substructure[p]->ground[direction].signal
                            ? how->substructure[p]->ground[direction].signal
                            : whole->signal;
    for (int p = 0, at = 0; p < how->substructures; at += how->substructure[p]->nq, p++) {
        const ifd__ground *g = &how->substructure[p]->ground[direction];
        whole->mass += g->mass;
        if (g->signal == whole->signal) {
            project_add(d, p, g->p, load);
            memcpy(q + at, g->q, sizeof(double) * (size_t)how->substructure[p]->nq);
            continue;
        }
        if (how->substructure[p]->inertial)
            return ifd_note_add(d->note, IFD_UNSUPPORTED, NULL,
                                "the ground motion acts differently on the substructures, and one of them has "
                                "pendulums: this is not supported");
        if (!g->signal)
            continue;
        extra[*extras].signal = g->signal;
        if (!derive_load(d, p, how->substructure[p]->n, NULL, g->p, &extra[(*extras)++]))
            return IFD_NO_MEMORY;
    }
    whole->p = load;
    whole->q = q;
    return IFD_OK;
}

static ifd_status derive_loads(deriving *d)
{
    const ifd__derivation *how = d->how;
    int most = 3 * how->substructures, count = 0;
    for (int p = 0; p < how->substructures; p++)
        most += how->substructure[p]->nload;
    ifd__load *load;
    IFD_TRY(IFD__TAKE(d->arena, IFD__ARRAY(load, most)));
    for (int p = 0; p < how->substructures; p++)
        for (int k = 0; k < how->substructure[p]->nload; k++) {
            const ifd__load *l = &how->substructure[p]->load[k];
            load[count].signal = l->signal;
            load[count].weight = l->weight;
            memcpy(load[count].past, l->past, sizeof l->past);
            if (!derive_load(d, p, l->count, l->dof, l->value, &load[count++]))
                return IFD_NO_MEMORY;
        }
    for (int direction = 0; direction < 3; direction++)
        IFD_TRY(derive_ground(d, direction, load, &count));
    d->m->load = load;
    d->m->nload = count;
    return IFD_OK;
}

typedef struct counts {
    int ne, nq, ns, mm, support_refs;
} counts;

static counts count_elements(const ifd__derivation *how)
{
    counts c = {0};
    for (int p = 0; p < how->substructures; p++) {
        const ifd_model *m = how->substructure[p];
        c.ne += m->ne;
        c.nq += m->nq;
        c.ns += m->ns;
        c.mm += m->mm_of[m->ne];
        c.support_refs += m->bs_start[m->nq];
    }
    return c;
}

/* One coordinate of an element: its dofs through T, its supports renumbered. */
static bool derive_coordinate(deriving *d, int p, int c, int support, ifd__coordinates *list)
{
    const ifd_model *m = d->how->substructure[p];
    ifd__load row = {0};
    int from = m->b_start[c], count = m->b_start[c + 1] - from;
    if (!derive_load(d, p, count, m->b_dof + from, m->b_value + from, &row))
        return false;
    for (int k = 0; k < row.count; k++)
        ifd__triplet(&list->dof, row.dof[k], 0, row.value[k]);
    for (int k = m->bs_start[c]; k < m->bs_start[c + 1]; k++)
        ifd__triplet(&list->support, m->bs_support[k] + support, 0, m->bs_value[k]);
    ifd__coordinate_end(list);
    return true;
}

static ifd_status derive_coordinates(deriving *d)
{
    ifd__coordinates list;
    int support = 0;
    IFD_TRY(ifd__coordinates_begin(d->arena, d->m->nq, &list));
    for (int p = 0; p < d->how->substructures; support += d->how->substructure[p]->nsupport, p++)
        for (int c = 0; c < d->how->substructure[p]->nq; c++)
            if (!derive_coordinate(d, p, c, support, &list))
                return IFD_NO_MEMORY;
    return ifd__coordinates_give(&list, d->m);
}

static ifd_status derive_elements(deriving *d)
{
    const ifd__derivation *how = d->how;
    counts c = count_elements(how);
    ifd_element *element;
    int *q_of, *s_of, *mm_of;
    double *s0, *m0, *origin;
    bool counted = false;
    IFD_TRY(IFD__TAKE(d->arena, IFD__ARRAY(element, c.ne), IFD__ARRAY(q_of, (size_t)c.ne + 1),
                      IFD__ARRAY(s_of, (size_t)c.ne + 1), IFD__ARRAY(mm_of, (size_t)c.ne + 1), IFD__ARRAY(s0, c.ns),
                      IFD__ARRAY(m0, c.mm), IFD__ARRAY(origin, c.nq)));
    int at = 0;
    for (int p = 0; p < how->substructures; p++) {
        const ifd_model *m = how->substructure[p];
        memcpy(s0 + s_of[at], m->s0, sizeof(double) * (size_t)m->ns);
        memcpy(m0 + mm_of[at], m->m0, sizeof(double) * (size_t)m->mm_of[m->ne]);
        if (m->origin)
            memcpy(origin + q_of[at], m->origin, sizeof(double) * (size_t)m->nq);
        counted = counted || m->origin;
        d->m->inertial = d->m->inertial || m->inertial;
        for (int e = 0; e < m->ne; e++, at++) {
            element[at] = m->element[e];
            if (how->substructure_name && *how->substructure_name[p])
                element[at].name = ifd_arena_print(d->arena, "%s.%s", how->substructure_name[p], m->element[e].name);
            if (!element[at].name)
                return IFD_NO_MEMORY;
            q_of[at + 1] = q_of[at] + m->q_of[e + 1] - m->q_of[e];
            s_of[at + 1] = s_of[at] + m->s_of[e + 1] - m->s_of[e];
            mm_of[at + 1] = mm_of[at] + m->mm_of[e + 1] - m->mm_of[e];
        }
    }
    ifd_model *m = d->m;
    m->ne = c.ne;
    m->nq = c.nq;
    m->ns = c.ns;
    m->element = element;
    m->q_of = q_of;
    m->s_of = s_of;
    m->mm_of = mm_of;
    m->s0 = s0;
    m->m0 = m0;
    m->origin = counted ? origin : NULL;
    return derive_coordinates(d);
}

ifd_status ifd__model_derive(ifd_arena *arena, const ifd__derivation *how, ifd_model **out, ifd_note *note)
{
    ifd_arena *scratch IFD__CLOSED = ifd_arena_open();
    deriving d = {.arena = arena, .scratch = scratch, .how = how, .note = note};
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(d.m, 1)));
    *out = d.m;
    IFD_TRY(deriving_prepare(&d));
    d.m->n = how->n;
    d.m->dof_name = how->dof_name;
    d.m->dof_kind = how->dof_kind;
    d.m->u0 = how->u0;
    d.m->v0 = how->v0;
    for (int p = 0; p < how->substructures; p++)
        d.m->settled = d.m->settled || how->substructure[p]->settled;
    IFD_TRY(derive_elements(&d));
    IFD_TRY(derive_supports(&d));
    IFD_TRY(derive_loads(&d));
    return derive_matrices(&d);
}

/* A support without motion. */
static ifd_status still_supports(ifd_arena *arena, ifd_model *m)
{
    const ifd_signal_kind *kind = ifd_signal_find("step");
    const ifd_signal **signal = ifd_arena_array(arena, (size_t)m->nsupport, sizeof *signal), *zero;
    ifd_value value[IFD_SIGNAL_PARAMS];
    if (!signal)
        return IFD_NO_MEMORY;
    ifd_param_preset(kind->params, value);
    value[ifd_param_find(kind->params, "amplitude")] = ifd_number(0.0);
    IFD_TRY(ifd_signal_make(arena, kind, value, NULL, &zero, NULL));
    for (int j = 0; j < m->nsupport; j++)
        signal[j] = zero;
    m->support = signal;
    return IFD_OK;
}

ifd_status ifd__model_at_rest(ifd_arena *arena, const ifd_model *m, ifd_model **out)
{
    ifd_model *still;
    double *zero;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(still, 1), IFD__ARRAY(zero, m->n)));
    *still = *m;
    still->nload = 0;
    still->u0 = still->v0 = zero;
    for (int d = 0; d < 3; d++)
        still->ground[d].signal = NULL;
    *out = still;
    return still->nsupport ? still_supports(arena, still) : IFD_OK;
}
