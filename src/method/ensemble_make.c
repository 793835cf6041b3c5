/* SPDX-License-Identifier: MIT */
/* Which variants may be stepped together, and what they share. */
#include <string.h>

#include "method/ensemble_inside.h"
#include "method/stepper.h"
#include "model/dof_pair.h"

enum { L = IFD__LANES };

static const ifd__rosenbrock_table *const table = &ifd__lsrt2_table;

const char *ifd__ensemble_refuses(const ifd_stepper *s)
{
    double gamma;
    const ifd_model *m = s->model;
    const ifd__tangent *T;
    if (s->method != &ifd__method_lsrt2)
        return "the method is not lsrt2";
    if (!(T = ifd__rosenbrock_constant(s, &gamma)))
        return "the Jacobian changes: use 'jacobian: frozen'";
    if (m->C.rank)
        return "the model has modal damping of its lowest modes";
    if (T->single)
        return "the factor is in single precision: use 'factor: double'";
    if (m->inertial || m->nsupport || !m->symmetric)
        return m->inertial   ? "a mass depends on the motion"
               : m->nsupport ? "supports move by themselves"
                             : "a matrix is not symmetric";
    for (int e = 0; e < m->ne; e++)
        if (m->element[e].ops->accept || (m->element[e].ns && m->element[e].ops->follow))
            return "an element advances its states itself";
    bool held = T->mode != TANGENT_CAPACITANCE || !T->na;
    for (int e = 0; e < m->ne; e++)
        held = held && ifd__tangent_symmetric(T->used[e]->nq, T->used[e]->D);
    return held ? NULL : "the initial tangent of an element is not symmetric, or makes the matrix indefinite";
}

static bool same(const void *a, const void *b, size_t count, size_t size)
{
    return a == b || (a && b && memcmp(a, b, count * size) == 0);
}

static bool same_matrix(const ifd_sparse *a, const ifd_sparse *b)
{
    return a->n == b->n && a->symmetric == b->symmetric && same(a->p, b->p, (size_t)a->n + 1, sizeof *a->p) &&
           same(a->i, b->i, (size_t)a->p[a->n], sizeof *a->i) && same(a->x, b->x, (size_t)a->p[a->n], sizeof *a->x);
}

static bool same_blocks(const ifd_model *a, const ifd__tangent *T, const ifd_model *b, const ifd__tangent *S)
{
    for (int e = 0; e < a->ne; e++) {
        const ifd__block *x = T->used[e], *y = S->used[e];
        size_t nq = (size_t)x->nq, ns = (size_t)x->ns;
        if (a->element[e].ops != b->element[e].ops || x->nq != y->nq || x->ns != y->ns ||
            !same(x->r_q, y->r_q, x->raw_count, sizeof *x->r_q) || !same(x->K, y->K, nq * nq, sizeof *x->K) ||
            !same(x->C, y->C, nq * nq, sizeof *x->C) || !same(x->X, y->X, 2 * nq * ns, sizeof *x->X) ||
            !same(x->N, y->N, ns * ns, sizeof *x->N))
            return false;
    }
    return true;
}

static bool same_estimates(const ifd__tangent_options *a, const ifd__tangent_options *b)
{
    if (a->estimates != b->estimates)
        return false;
    for (int k = 0; k < a->estimates; k++) {
        const ifd_estimate *x = &a->estimate[k], *y = &b->estimate[k];
        if (!ifd__ends_equal(IFD__ENDS(x), IFD__ENDS(y)) || x->stiffness != y->stiffness || x->damping != y->damping)
            return false;
    }
    return true;
}

static bool same_ground(const ifd_model *a, const ifd_model *b)
{
    for (int d = 0; d < 3; d++)
        if (!a->ground[d].signal != !b->ground[d].signal ||
            (a->ground[d].signal && !same(a->ground[d].p, b->ground[d].p, (size_t)a->n, sizeof(double))))
            return false;
    return true;
}

bool ifd__ensemble_joins(const ifd_stepper *s, const ifd_stepper *t)
{
    const ifd_model *a = s->model, *b = t->model;
    double g, f;
    const ifd__tangent *T = ifd__rosenbrock_constant(s, &g), *S = ifd__rosenbrock_constant(t, &f);
    if (s->h != t->h || g != f || a->n != b->n || a->nq != b->nq || a->ns != b->ns || a->ne != b->ne ||
        a->ray_m != b->ray_m || a->ray_k != b->ray_k || a->damped != b->damped || !a->nload != !b->nload)
        return false;
    size_t nq = (size_t)a->nq;
    return same_matrix(&a->M, &b->M) && same_matrix(&a->K, &b->K) && (!a->damped || same_matrix(&a->C, &b->C)) &&
           same_ground(a, b) && same_estimates(&T->opt, &S->opt) &&
           same(a->b_start, b->b_start, nq + 1, sizeof(int)) &&
           same(a->b_dof, b->b_dof, (size_t)a->b_start[nq], sizeof(int)) &&
           same(a->b_value, b->b_value, (size_t)a->b_start[nq], sizeof(double)) && same_blocks(a, T, b, S);
}

/* A small tangent is a dense matrix: its sparse form with the blocks of all elements. */
static ifd_status sparse_of(ifd_arena *arena, const ifd__tangent *T, ifd_sparse *out)
{
    const ifd_model *m = T->m;
    ifd__triplets t = {.arena = arena};
    for (int j = 0; j < m->n; j++)
        for (int i = j; i < m->n; i++)
            if (T->S0[i + j * m->n] != 0.0)
                ifd__triplet(&t, i, j, T->S0[i + j * m->n]);
    for (int e = 0; e < T->ne; e++) {
        const ifd__block *b = T->used[e];
        for (int j = 0; j < b->nq; j++)
            for (int i = 0; i < b->nq; i++)
                for (int l = m->b_start[b->q + j]; l < m->b_start[b->q + j + 1]; l++)
                    for (int k = m->b_start[b->q + i]; k < m->b_start[b->q + i + 1]; k++)
                        ifd__triplet(&t, m->b_dof[k], m->b_dof[l],
                                     m->b_value[k] * b->D[i + j * b->nq] * m->b_value[l]);
    }
    return ifd__sparse_make(arena, m->n, &t, true, out);
}

static ifd_status make_solver(ifd_arena *arena, const ifd__tangent *T, ifd__ensemble *e, ifd_note *note)
{
    const ifd_solver *base = T->base;
    if (T->mode == TANGENT_DENSE) {
        ifd_sparse S;
        ifd_solver *solver = NULL;
        IFD_TRY(sparse_of(arena, T, &S));
        IFD_TRY(ifd__solver_make(arena, &S, IFD__SOLVER_AUTO, &solver, note));
        base = solver;
    }
    return ifd__lane_solver_make(arena, base, e->kernels, &e->solver);
}

/* The deformations of the estimates as rows, with dofs in the order of the factor. */
static ifd_status make_estimates(ifd_arena *arena, const ifd__tangent_options *o, ifd__ensemble *e)
{
    size_t count = (size_t)o->estimates, lanes = L * count, terms = 0;
    ifd__lane_rows *A = &e->A;
    for (int k = 0; k < o->estimates; k++)
        terms += (size_t)ifd__ends_count(IFD__ENDS(&o->estimate[k]));
    e->estimate = o->estimate;
    A->n = o->estimates;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(A->start, count + 1), IFD__ARRAY(A->at, terms), IFD__ARRAY(A->value, terms),
                      IFD__ARRAY(e->av, lanes), IFD__ARRAY(e->ak, lanes)));
    for (int k = 0, at = 0; k < A->n; k++) {
        const ifd__ends ends = IFD__ENDS(&o->estimate[k]);
        for (int i = ifd__ends_count(ends) - 1; i >= 0; i--) {
            double value;
            int dof = ifd__end(ends, i, &value);
            if (dof >= 0) {
                A->at[at] = e->solver.place[dof];
                A->value[at++] = value;
            }
        }
        A->start[k + 1] = at;
    }
    return IFD_OK;
}

/* The coordinates of elements as rows, with dofs in the order of the factor. */
static ifd_status make_coordinates(ifd_arena *arena, const ifd_model *m, ifd__ensemble *e)
{
    size_t entries = (size_t)m->b_start[m->nq];
    e->B.n = m->nq;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(e->B.start, m->nq + 1), IFD__ARRAY(e->B.at, entries),
                      IFD__ARRAY(e->B.value, entries)));
    memcpy(e->B.start, m->b_start, ((size_t)m->nq + 1) * sizeof *e->B.start);
    for (size_t k = 0; k < entries; k++) {
        e->B.at[k] = e->solver.place[m->b_dof[k]];
        e->B.value[k] = m->b_value[k];
    }
    return IFD_OK;
}

static ifd_status make_matrices(ifd_arena *arena, const ifd_model *m, ifd__ensemble *e)
{
    IFD_TRY(ifd__lane_rows_make(arena, 1.0, &m->K, 0.0, NULL, &e->K));
    IFD_TRY(ifd__lane_rows_place(arena, e->solver.place, &e->K));
    e->damped = m->damped || m->ray_m != 0.0;
    if (e->damped) {
        IFD_TRY(ifd__lane_rows_make(arena, m->ray_m, &m->M, 1.0, m->damped ? &m->C : NULL, &e->D));
        IFD_TRY(ifd__lane_rows_place(arena, e->solver.place, &e->D));
    }
    for (int d = 0; d < 3; d++) {
        if (!m->ground[d].signal)
            continue;
        IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(e->p[d], m->n)));
        for (int i = 0; i < m->n; i++)
            e->p[d][e->solver.place[i]] = m->ground[d].p[i];
    }
    return make_coordinates(arena, m, e);
}

/* Offset of the increments of stage 1 (u, v, s) in the state. */
static int k1_of(const ifd_stepper *s)
{
    int k = 0;
    while (strcmp(s->row[k].name, "k1.u") != 0)
        k++;
    return s->row[k].offset;
}

ifd_status ifd__ensemble_make(ifd_arena *arena, const ifd_stepper *const *member, const ifd__lane_kernels *kernels,
                              ifd__ensemble **out, ifd_note *note)
{
    ifd__ensemble *e = ifd_arena_take(arena, sizeof *e);
    int first = 0;
    if (!e)
        return IFD_NO_MEMORY;
    while (!member[first])
        first++;
    const ifd_model *m = member[first]->model;
    const ifd__tangent *T = ifd__rosenbrock_constant(member[first], &e->gamma);
    memcpy(e->member, member, sizeof e->member);
    e->kernels = kernels;
    e->n = m->n;
    e->nq = m->nq;
    e->ns = m->ns;
    e->loaded = m->nload > 0;
    double h = member[first]->h, c = e->gamma * h;
    e->step = (ifd__lane_step){h, c, table->alpha21 + table->gamma21 * e->gamma, c + m->ray_k};
    e->k1_at = k1_of(member[first]);
    for (int l = 0; l < L; l++)
        e->held[l].stage = -1;
    size_t n = L * (size_t)m->n;
    IFD_TRY(make_solver(arena, T, e, note));
    IFD_TRY(make_matrices(arena, m, e));
    IFD_TRY(make_estimates(arena, &T->opt, e));
    IFD_TRY(ifd__lane_elements_make(arena, member, T, &e->elements));
    *out = e;
    return IFD__TAKE(arena, IFD__ARRAY(e->u, n), IFD__ARRAY(e->v, n), IFD__ARRAY(e->k1, n), IFD__ARRAY(e->k2, n),
                     IFD__ARRAY(e->vm, n), IFD__ARRAY(e->w, n), IFD__ARRAY(e->one, m->n));
}
