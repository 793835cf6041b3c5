/* SPDX-License-Identifier: MIT */
/* The matrices and loads of a reduced model. */
#include "model/build/reducing.h"

#include <string.h>

#include "algebra/dense.h"
#include "base/arena.h"

/* Column of T^T W; c: interface dofs, inputs, watched rows. */
static const double *reduced_column(const ifd__reducing *x, int c)
{
    return x->element.form.P + (size_t)c * (size_t)x->element.form.order;
}

/* A (r + supports): its dofs are set in t; adds the columns of the supports. */
static ifd_status finish_matrix(ifd__reducing *x, int which, ifd__triplets *t)
{
    ifd__system *s = &x->k->s;
    const ifd_sparse *A = &s->A[which];
    int r = x->element.form.order;
    for (int j = 0; j < s->nsupport; j++) {
        int input = which == IFD_STIFFNESS ? x->support_k[j] : which == IFD_MASS ? x->support_m[j] : -1;
        for (int i = 0; i < r && input >= 0; i++)
            ifd__triplet(t, i, r + j, reduced_column(x, x->p + input)[i]);
        for (int l = A->p[x->n + j]; l < A->p[x->n + j + 1] && (which == IFD_DAMPING || x->k->b->alone); l++)
            if (A->i[l] < x->n && A->x[l] != 0.0)
                ifd__triplet(t, x->number[A->i[l]], r + j, A->x[l]);
    }
    ifd_sparse out;
    IFD_TRY(ifd__sparse_make(x->k->scratch, r + s->nsupport, t, false, &out));
    s->A[which] = out;
    return IFD_OK;
}

/* What the builder of a stored superelement holds besides the units in its place. */
static double added(const ifd__reducing *x, int which, int i, int j)
{
    return ifd__sparse_get(&x->k->s.A[which], i, j) - (double)(i == j);
}

/* The Rayleigh damping is that of the stored structure: the matrix C takes it from what was added to the interface
 * dofs a (number i) and to the supports, to which the model gives it with all of M and K. */
static void undamp(const ifd__reducing *x, int i, int a, ifd__triplets *C)
{
    const ifd_builder *b = x->k->b;
    const ifd_sparse *M = &x->k->s.A[IFD_MASS], *K = &x->k->s.A[IFD_STIFFNESS];
    for (int j = 0; j < x->p; j++) {
        int c = x->interface[j];
        ifd__triplet(C, i, j, -b->ray_m * added(x, IFD_MASS, a, c) - b->ray_k * added(x, IFD_STIFFNESS, a, c));
    }
    for (int j = 0; j < x->k->s.nsupport; j++)
        ifd__triplet(C, i, x->element.form.order + j,
                     -b->ray_m * ifd__sparse_get(M, a, x->n + j) - b->ray_k * ifd__sparse_get(K, a, x->n + j));
}

static ifd_status make_matrices(ifd__reducing *x)
{
    const ifd__physical *f = &x->element.form;
    int p = x->p;
    ifd__triplets M = {.arena = x->k->scratch}, C = M, K = M, more = M;
    ifd__physical_triplets(f, &M, &K);
    for (int i = 0; i < p && x->k->b->alone; i++)
        undamp(x, i, x->interface[i], &C);
    for (int j = 0; j < p; j++)
        for (int i = 0; i < p; i++) {
            int a = x->interface[i], b = x->interface[j];
            ifd__triplet(&C, i, j, ifd__sparse_get(&x->k->s.A[IFD_DAMPING], a, b));
            if (!x->k->b->alone)
                continue;
            ifd__triplet(&M, i, j, added(x, IFD_MASS, a, b));
            ifd__triplet(&more, i, j, added(x, IFD_MASS, a, b));
            ifd__triplet(&K, i, j, added(x, IFD_STIFFNESS, a, b));
            ifd__triplet(&C, i, j, x->stored->damping[i + j * p]);
        }
    if (x->k->b->alone)
        IFD_TRY(ifd__sparse_make(x->k->scratch, f->order, &more, true, &x->k->added_mass));
    IFD_TRY(finish_matrix(x, IFD_MASS, &M));
    IFD_TRY(finish_matrix(x, IFD_STIFFNESS, &K));
    return finish_matrix(x, IFD_DAMPING, &C);
}

/* Rows of T: units of what stays, dense ones of watched and loaded dofs, none of the others, units of the modes,
 * dense ones of watched sums. */
static ifd_status make_rows(ifd__reducing *x, bool *lost)
{
    ifd__system *s = &x->k->s;
    const ifd__rows *old = &s->T;
    int r = x->element.form.order, all = old->count, at = 0;
    int sums = x->own_row ? x->k->b->row.count : 0;
    size_t room = (size_t)(all + r) + (size_t)old->start[all] + (size_t)(x->inputs + x->watched) * (size_t)r;
    ifd__rows T;
    IFD_TRY(ifd__rows_take(x->k->scratch, all + r - x->p + sums, room, &T));
    for (int i = 0; i < all; i++) {
        int place = x->place[i], c = x->row_of[i];
        bool stays = place >= 0 && x->number[place] >= 0;
        lost[i] = !stays && c < 0;
        if (stays) {
            T.column[at] = x->number[place];
            T.value[at++] = 1.0;
        }
        for (int l = 0; l < r && c >= 0 && !stays; l++, at++) {
            T.column[at] = l;
            T.value[at] = reduced_column(x, x->p + c)[l];
        }
        for (int l = old->start[i]; l < old->start[i + 1] && c >= 0 && !stays; l++)
            if (old->column[l] >= x->n) {
                T.column[at] = old->column[l] - x->n + r;
                T.value[at++] = old->value[l];
            }
        T.start[i + 1] = at;
    }
    for (int j = x->p; j < r; j++, at++) {
        T.column[at] = j;
        T.value[at] = 1.0;
        T.start[all + j - x->p + 1] = at + 1;
    }
    for (int i = 0; i < sums; i++) {
        for (int l = 0; l < r; l++, at++) {
            T.column[at] = l;
            T.value[at] = reduced_column(x, x->p + x->own_row[i])[l];
        }
        T.start[all + r - x->p + i + 1] = at;
    }
    s->T = T;
    return IFD_OK;
}

/* to := M^-1 times a reduced column. */
static ifd_status over_mass(const ifd__reducing *x, int column, double *to)
{
    int r = x->element.form.order;
    ifd_sparse A;
    ifd_solver *solver;
    ifd__triplets t = {.arena = x->k->scratch};
    ifd__triplet_columns(&t, 0, r, 1.0, &x->k->s.A[IFD_MASS]);
    IFD_TRY(ifd__sparse_make(x->k->scratch, r, &t, true, &A));
    IFD_TRY(ifd__solver_make(x->k->scratch, &A, IFD__SOLVER_AUTO, &solver, NULL));
    double *w;
    IFD_TRY(IFD__TAKE(x->k->scratch, IFD__ARRAY(w, ifd__solver_work(solver))));
    memcpy(to, reduced_column(x, x->p + column), (size_t)r * sizeof *to);
    ifd__solver_solve(solver, to, w);
    return IFD_OK;
}

/* to := K^-1 times a reduced column, K of the superelement alone. */
static ifd_status over_stiffness(const ifd__reducing *x, int column, double *to)
{
    const ifd__physical *f = &x->element.form;
    size_t r = (size_t)f->order, p = (size_t)x->p;
    double *K;
    IFD_TRY(IFD__TAKE(x->k->scratch, IFD__ARRAY(K, p * p)));
    memcpy(to, reduced_column(x, x->p + column), r * sizeof *to);
    if (p)
        memcpy(K, f->stiffness, p * p * sizeof *K);
    int solved = p ? ifd__scaled_solve(x->p, K, 1, to) : IFD__SOLVED;
    for (size_t i = p; i < r; i++)
        to[i] /= f->lambda[i - p];
    return solved == IFD__SOLVED ? IFD_OK : solved == IFD__SOLVE_NO_MEMORY ? IFD_NO_MEMORY : IFD_SINGULAR;
}

/* Initial state, u0 in the norm of K, v0 in that of M; and the uniform motions. */
static ifd_status solve_columns(const ifd__reducing *x, double *u, double *v)
{
    if (x->start >= 0)
        IFD_TRY(over_stiffness(x, x->start, u));
    if (x->motion >= 0)
        IFD_TRY(over_mass(x, x->motion, v));
    for (int d = 0; d < 3; d++) {
        double *along;
        IFD_TRY(IFD__TAKE(x->k->arena, IFD__ARRAY(along, x->element.form.order)));
        if (x->base[d] < 0)
            continue;
        IFD_TRY(over_stiffness(x, x->base[d], along));
        x->k->along[d] = along;
    }
    return IFD_OK;
}

/* "mode1", or with more underscores where a dof has that name. */
static const char *prefix_of(const ifd_builder *b, ifd_arena *arena)
{
    int ref;
    char *name = ifd_arena_text(arena, "mode1");
    while (name && ifd_builder_find(b, name, &ref))
        name = ifd_arena_print(arena, "_%s", name);
    if (name)
        name[strlen(name) - 1] = '\0';
    return name;
}

/* A copy of the builder that has the modes as dofs too, and watched sums as condensed ones. */
static ifd_status make_builder(ifd__reducing *x, const double *u, const double *v)
{
    ifd__making *k = x->k;
    int all = k->b->dof.count, r = x->element.form.order, p = x->p;
    ifd_builder *copy;
    ifd__dof *dof;
    int sums = x->own_row ? k->b->row.count : 0, total = all + r - p + sums;
    IFD_TRY(IFD__TAKE(k->arena, IFD__ARRAY(copy, 1), IFD__ARRAY(dof, total)));
    for (int i = 0; i < sums; i++)
        dof[all + r - p + i] =
            (ifd__dof){.name = IFD__AT(k->b->row, ifd__watched_row, i).name, .kind = IFD_DOF_DEFORMATION};
    memcpy(dof, k->b->dof.data, (size_t)all * sizeof *dof);
    const char *prefix = prefix_of(k->b, k->scratch);
    for (int j = 0; j < r && prefix; j++) {
        ifd__dof *to = j < p ? &dof[k->s.dof[x->interface[j]]] : &dof[all + j - p];
        if (j >= p)
            *to =
                (ifd__dof){.name = ifd_arena_print(k->arena, "%s%d", prefix, j - p + 1), .kind = IFD_DOF_DEFORMATION};
        if (!to->name)
            return IFD_NO_MEMORY;
        to->u0 = u[j];
        to->v0 = v[j];
    }
    *copy = *k->b;
    copy->ray_k += x->background;
    copy->dof = (ifd__list){.count = total, .room = total, .data = dof};
    k->b = copy;
    return prefix ? IFD_OK : IFD_NO_MEMORY;
}

/* The dofs of the system and the ground's load, now by dof of the enlarged builder. */
static ifd_status make_dofs(ifd__reducing *x, int all)
{
    ifd__making *k = x->k;
    int r = x->element.form.order, p = x->p;
    size_t stride = (size_t)k->b->dof.count;
    double *ground;
    int *dof;
    IFD_TRY(IFD__TAKE(k->scratch, IFD__ARRAY(ground, 3 * stride), IFD__ARRAY(dof, r)));
    for (int j = 0; j < r; j++) {
        dof[j] = j < p ? k->s.dof[x->interface[j]] : all + j - p;
        for (size_t d = 0; d < 3; d++)
            if (x->ground[d] >= 0)
                ground[d * stride + (size_t)dof[j]] = reduced_column(x, p + x->ground[d])[j];
        for (size_t d = 0; d < 3 && j < p && k->b->alone; d++)
            ground[d * stride + (size_t)dof[j]] += k->ground[d * (size_t)all + (size_t)dof[j]];
    }
    k->ground = ground;
    k->s.dof = dof;
    k->s.n = r;
    return IFD_OK;
}

static ifd_status take_modal(ifd__reducing *x)
{
    size_t count = (size_t)x->modal * (size_t)x->element.form.order;
    double *Z;
    IFD_TRY(IFD__TAKE(x->k->arena, IFD__ARRAY(Z, count)));
    if (count)
        memcpy(Z, reduced_column(x, x->p + x->inputs + x->watched - x->modal), count * sizeof *Z);
    x->k->modal = x->modal;
    x->k->modal_Z = Z;
    return IFD_OK;
}

ifd_status ifd__reduced_system(ifd__reducing *x)
{
    ifd__making *k = x->k;
    int all = k->b->dof.count, r = x->element.form.order;
    bool *lost;
    double *u, *v;
    IFD_TRY(IFD__TAKE(k->scratch, IFD__ARRAY(lost, (size_t)(all + r + k->b->row.count))));
    IFD_TRY(IFD__TAKE(k->scratch, IFD__ARRAY(u, r), IFD__ARRAY(v, r)));
    IFD_TRY(make_matrices(x));
    IFD_TRY(make_rows(x, lost));
    IFD_TRY(solve_columns(x, u, v));
    IFD_TRY(make_builder(x, u, v));
    k->lost = lost;
    IFD_TRY(take_modal(x));
    return make_dofs(x, all);
}
