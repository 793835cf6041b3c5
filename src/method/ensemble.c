/* SPDX-License-Identifier: MIT */
/* The equations are those of rosenbrock.c with a constant Jacobian. k1_u = h v + c k1_v is never stored, and the
 * coordinates of the increments follow from those of v and k_v. */
#include <string.h>

#include "method/ensemble_inside.h"
#include "method/rosenbrock.h"
#include "method/tables.h"

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
    if (T->opt.estimates)
        return "a specimen is connected";
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
           same_ground(a, b) && same(a->b_start, b->b_start, nq + 1, sizeof(int)) &&
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
    size_t n = L * (size_t)m->n;
    IFD_TRY(make_solver(arena, T, e, note));
    IFD_TRY(make_matrices(arena, m, e));
    IFD_TRY(ifd__lane_elements_make(arena, member, T, &e->elements));
    *out = e;
    return IFD__TAKE(arena, IFD__ARRAY(e->u, n), IFD__ARRAY(e->v, n), IFD__ARRAY(e->k1, n), IFD__ARRAY(e->k2, n),
                     IFD__ARRAY(e->vm, n), IFD__ARRAY(e->w, n), IFD__ARRAY(e->one, m->n));
}

/* The parts of the states that begin at an offset. */
static IFD_RT void parts(double *const *x, int offset, double **out)
{
    for (int l = 0; l < L; l++)
        out[l] = x[l] ? x[l] + offset : NULL;
}

void ifd__ensemble_take(ifd__ensemble *e, const double *const *x)
{
    double *part[L];
    const int *place = e->solver.place;
    parts((double *const *)x, 0, part);
    ifd__lanes_take(e->n, place, (const double *const *)part, e->u);
    parts((double *const *)x, e->n, part);
    ifd__lanes_take(e->n, place, (const double *const *)part, e->v);
    parts((double *const *)x, 2 * e->n, part);
    ifd__lanes_take(e->ns, NULL, (const double *const *)part, e->elements.s);
}

void ifd__ensemble_give(const ifd__ensemble *e, double *const *x)
{
    double *part[L];
    parts(x, 0, part);
    ifd__lanes_give(e->n, e->solver.place, e->u, part);
    parts(x, e->n, part);
    ifd__lanes_give(e->n, e->solver.place, e->v, part);
    parts(x, 2 * e->n, part);
    ifd__lanes_give(e->ns, NULL, e->elements.s, part);
}

/* k := h P(t) of every lane. */
static IFD_RT void load(const ifd__ensemble *e, double t, double *k)
{
    double a[L], y[3];
    memset(k, 0, L * (size_t)e->n * sizeof *k);
    for (int l = 0; e->loaded && l < L; l++) {
        if (!e->member[l])
            continue;
        ifd__model_load(e->member[l]->model, t, e->one);
        for (int i = 0; i < e->n; i++)
            k[L * (size_t)e->solver.place[i] + (size_t)l] = e->step.h * e->one[i];
    }
    for (int d = 0; d < 3 && !e->loaded; d++) {
        if (!e->p[d])
            continue;
        for (int l = 0; l < L; l++) {
            y[0] = 0.0;
            if (e->member[l])
                ifd_signal_eval(e->member[l]->model->ground[d].signal, t, y);
            a[l] = e->step.h * y[0];
        }
        e->kernels->load(e->n, e->p[d], a, k);
    }
}

/* k -= h (K w + D v), then the forces f of the elements, then the solution. */
static IFD_RT void solve(const ifd__ensemble *e, const double *v, double *k)
{
    e->kernels->product(&e->K, -e->step.h, e->w, k);
    if (e->damped)
        e->kernels->product(&e->D, -e->step.h, v, k);
    if (e->nq)
        e->kernels->scatter(&e->B, -1.0, e->elements.f, k);
    ifd__lane_solver_solve(&e->solver, k);
}

/* f += c (K_e wq + r_s N^-1 rs), rs := N^-1 rs. */
static IFD_RT void reduce(const ifd__ensemble *e, const double *wq)
{
    const ifd__lane_elements *E = &e->elements;
    for (int i = 0; i < E->count; i++) {
        const ifd__block *b = E->element[i].block;
        size_t q = L * (size_t)b->q, s = L * (size_t)b->s;
        double *rs = E->rs + s, *g = E->g + s;
        e->kernels->block((const int[]){b->nq, b->nq}, e->step.c, b->K, wq + q, E->f + q);
        if (!b->ns)
            continue;
        memcpy(g, rs, L * (size_t)b->ns * sizeof *g);
        memset(rs, 0, L * (size_t)b->ns * sizeof *rs);
        e->kernels->block((const int[]){b->ns, b->ns}, 1.0, E->element[i].inverse, g, rs);
        e->kernels->block((const int[]){b->nq, b->ns}, e->step.c, b->r_s, rs, E->f + q);
    }
}

/* rs += c (X_q kq + X_v kv): the increments of the states. */
static IFD_RT void expand(const ifd__ensemble *e, const double *kq, const double *kv)
{
    const ifd__lane_elements *E = &e->elements;
    for (int i = 0; i < E->count; i++) {
        const ifd__block *b = E->element[i].block;
        const int size[2] = {b->ns, b->nq};
        size_t q = L * (size_t)b->q, s = L * (size_t)b->s;
        if (!b->ns)
            continue;
        e->kernels->block(size, e->step.c, b->X, kq + q, E->rs + s);
        e->kernels->block(size, e->step.c, b->X + b->ns * b->nq, kv + q, E->rs + s);
    }
}

/* f += a (r_q kq + r_v kv + r_s ks) and rs += a (g_q kq + g_v kv + g_s ks) of the increments of stage 1. */
static IFD_RT void add_increments(const ifd__ensemble *e, double a)
{
    const ifd__lane_elements *E = &e->elements;
    const ifd__lane_kernels *k = e->kernels;
    for (int i = 0; i < E->count; i++) {
        const ifd__block *b = E->element[i].block;
        const int qq[2] = {b->nq, b->nq}, qs[2] = {b->nq, b->ns}, sq[2] = {b->ns, b->nq}, ss[2] = {b->ns, b->ns};
        size_t q = L * (size_t)b->q, s = L * (size_t)b->s;
        k->block(qq, a, b->r_q, E->kq + q, E->f + q);
        k->block(qq, a, b->r_v, E->kv + q, E->f + q);
        if (!b->ns)
            continue;
        k->block(qs, a, b->r_s, E->k1 + s, E->f + q);
        k->block(sq, a, b->g_q, E->kq + q, E->rs + s);
        k->block(sq, a, b->g_v, E->kv + q, E->rs + s);
        k->block(ss, a, b->g_s, E->k1 + s, E->rs + s);
    }
}

static IFD_RT void scale(int rows, double h, const double *x, double *out)
{
    for (int i = 0; i < L * rows; i++)
        out[i] = h * x[i];
}

static IFD_RT void elements1(const ifd__ensemble *e, double t)
{
    ifd__lane_elements *E = (ifd__lane_elements *)&e->elements;
    e->kernels->gather(&e->B, e->u, E->q);
    e->kernels->gather(&e->B, e->v, E->qd);
    ifd__lane_elements_eval(E, t, (const double *const[]){E->q, E->qd}, E->s, E->s);
    scale(e->nq, e->step.h, E->r, E->f);
    scale(e->ns, e->step.h, E->g, E->rs);
    scale(e->nq, e->step.h, E->qd, E->kq);
    reduce(e, E->kq);
}

static IFD_RT void elements1_end(const ifd__ensemble *e)
{
    const ifd__lane_elements *E = &e->elements;
    e->kernels->gather(&e->B, e->k1, E->kv);
    e->kernels->combine(e->nq, e->step.h, E->qd, e->step.c, E->kv, E->kq);
    expand(e, E->kq, E->kv);
    memcpy(E->k1, E->rs, L * (size_t)e->ns * sizeof *E->k1);
}

static IFD_RT void elements2(const ifd__ensemble *e, double t)
{
    ifd__lane_elements *E = (ifd__lane_elements *)&e->elements;
    const ifd__lane_kernels *k = e->kernels;
    k->combine(e->nq, 1.0, E->q, table->alpha21, E->kq, E->qm);
    k->combine(e->nq, 1.0, E->qd, table->alpha21, E->kv, E->qdm);
    k->combine(e->ns, 1.0, E->s, table->alpha21, E->k1, E->sm);
    ifd__lane_elements_settle(E, E->sm);
    ifd__lane_elements_eval(E, t, (const double *const[]){E->qm, E->qdm}, E->sm, E->s);
    scale(e->nq, e->step.h, E->r, E->f);
    scale(e->ns, e->step.h, E->g, E->rs);
    add_increments(e, table->gamma21 * e->step.c);
    k->combine(e->nq, e->step.h, E->qd, e->step.h * e->step.share, E->kv, E->qm);
    reduce(e, E->qm);
}

static IFD_RT void elements2_end(const ifd__ensemble *e)
{
    ifd__lane_elements *E = (ifd__lane_elements *)&e->elements;
    e->kernels->gather(&e->B, e->k2, E->kv);
    e->kernels->combine(e->nq, 1.0, E->qm, e->step.c, E->kv, E->kq);
    expand(e, E->kq, E->kv);
    e->kernels->combine(e->ns, 1.0, E->s, table->b2, E->rs, E->s);
    ifd__lane_elements_settle(E, E->s);
}

void ifd__ensemble_step(ifd__ensemble *e, double t)
{
    const ifd__lane_kernels *k = e->kernels;
    double tm = t + table->alpha21 * e->step.h;
    if (e->nq)
        elements1(e, t);
    k->combine(e->n, 1.0, e->u, e->step.reach, e->v, e->w);
    load(e, t, e->k1);
    solve(e, e->v, e->k1);
    if (e->nq) {
        elements1_end(e);
        elements2(e, tm);
    }
    k->middle(e->n, &e->step, (const double *const[]){e->u, e->v, e->k1}, e->vm, e->w);
    load(e, tm, e->k2);
    solve(e, e->vm, e->k2);
    k->finish(e->n, &e->step, (const double *const[]){e->vm, e->k2}, e->u, e->v);
    if (e->nq)
        elements2_end(e);
}
