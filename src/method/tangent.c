/* SPDX-License-Identifier: MIT */
/* Set-up and the n x n solution; tangent_bound.c condenses the elements. */
#include "method/tangent_inside.h"

#include <string.h>

#include "algebra/dense.h"
#include "algebra/kernels.h"
#include "base/arena.h"
#include "base/memory.h"
#include "model/dof_pair.h"
#include "model/equilibrium/massless.h"

/* Below this number of dofs a nonlinear model is refactored as a dense matrix, which costs less than a correction. */
enum { DENSE_LIMIT = 64 };

/* So is one with as many coordinates of elements as dofs, unless its Jacobian is frozen and it has more dofs than
 * this: the sparse factor of a frozen Jacobian has few corrections or none. */
enum { LARGE = 2000 };

/* Number of zeros allowed inside a run: they cost less than another run. */
enum { BRIDGED = 8 };

static ifd_status estimate_matrix(ifd_arena *arena, int n, const ifd__tangent_options *opt, ifd_sparse *out)
{
    ifd__triplets t = {.arena = arena};
    for (int k = 0; k < opt->estimates; k++) {
        const ifd_estimate *e = &opt->estimate[k];
        const ifd__ends ends = IFD__ENDS(e);
        for (int i = 0; i < ifd__ends_count(ends); i++)
            for (int j = 0; j < ifd__ends_count(ends); j++) {
                double left, right;
                int row = ifd__end(ends, i, &left), column = ifd__end(ends, j, &right);
                if (row >= 0 && column >= 0)
                    ifd__triplet(&t, row, column, left * right * (opt->cv * e->damping + opt->cu * e->stiffness));
            }
    }
    return ifd__sparse_make(arena, n, &t, true, out);
}

/* The constant part: cm M + cv C + cu K, with Rayleigh damping and the estimates. */
static ifd_status linear_matrix(ifd_arena *arena, const ifd_model *m, const ifd__tangent_options *opt, ifd_sparse *S)
{
    IFD_TRY(ifd__sparse_add(arena, opt->cm + opt->cv * m->ray_m, &m->M, opt->cu + opt->cv * m->ray_k, &m->K, S));
    if (m->damped && opt->cv != 0.0) {
        ifd_sparse sum;
        IFD_TRY(ifd__sparse_add(arena, 1.0, S, opt->cv, &m->C, &sum));
        *S = sum;
    }
    if (opt->estimates) {
        ifd_sparse extra, sum;
        IFD_TRY(estimate_matrix(arena, m->n, opt, &extra));
        IFD_TRY(ifd__sparse_add(arena, 1.0, S, 1.0, &extra, &sum));
        *S = sum;
    }
    return IFD_OK;
}

static ifd_status check_memory(double numbers, const char *what, ifd_note *note)
{
    ifd_status status = ifd__memory_check(8.0 * numbers, what, note);
    if (status != IFD_OK && note)
        ifd_note_hint(note, "use fewer nonlinear elements, or a method with 'jacobian: refactor' or 'bounded'");
    return status;
}

static ifd_status make_dense(ifd__tangent *T, ifd_arena *arena, const ifd_sparse *S, ifd_note *note)
{
    size_t n = (size_t)T->m->n;
    T->mode = TANGENT_DENSE;
    IFD_TRY(check_memory(2.0 * T->m->n * T->m->n, "the full Jacobian of a nonlinear model", note));
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(T->S0, n * n), IFD__ARRAY(T->S, n * n), IFD__ARRAY(T->pivot, n)));
    ifd__sparse_fill(S, T->S0);
    return IFD_OK;
}

bool ifd__tangent_symmetric(int n, const double *D)
{
    double largest = 0.0, skew = 0.0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double d = D[i + j * n] - D[j + i * n], a = D[i + j * n];
            largest = a * a > largest ? a * a : largest;
            skew = d * d > skew ? d * d : skew;
        }
    return skew <= 1e-24 * largest;
}

/* Adds the initial tangent of every element with a symmetric block to S0, so that a model near its initial state
 * needs no correction; D0 records the added blocks. Unsymmetric blocks are excluded, because S0 has a Cholesky
 * factor. */
static ifd_status base_with_elements(ifd__tangent *T, ifd_arena *arena, const ifd_sparse *S, ifd_sparse *out)
{
    const ifd_model *m = T->m;
    ifd__triplets t = {.arena = arena};
    for (int e = 0; e < m->ne; e++) {
        ifd__block *b = &T->block[e];
        if (!ifd__tangent_symmetric(b->nq, b->D))
            continue;
        memcpy(b->D0, b->D, sizeof(double) * (size_t)(b->nq * b->nq));
        for (int i = 0; i < b->nq; i++)
            for (int j = 0; j < b->nq; j++)
                for (int k = m->b_start[b->q + i]; k < m->b_start[b->q + i + 1]; k++)
                    for (int l = m->b_start[b->q + j]; l < m->b_start[b->q + j + 1]; l++)
                        ifd__triplet(&t, m->b_dof[k], m->b_dof[l],
                                     m->b_value[k] * b->D0[i + j * b->nq] * m->b_value[l]);
    }
    ifd_sparse extra;
    IFD_TRY(ifd__sparse_make(arena, m->n, &t, true, &extra));
    return ifd__sparse_add(arena, 1.0, S, 1.0, &extra, out);
}

/* T->base := the factor of S. */
static ifd_status factor_of(ifd__tangent *T, ifd_arena *arena, const ifd_sparse *S, ifd_note *note)
{
    ifd_solver *solver = NULL;
    ifd_status status = T->opt.single ? ifd__solver_make_single(arena, S, ifd__kernels_best(), &solver, note)
                                      : ifd__solver_make(arena, S, IFD__SOLVER_AUTO, &solver, note);
    T->base = solver;
    return status;
}

/* Scratch of the base, which is the factor of S. */
static ifd_status base_made(ifd__tangent *T, ifd_arena *arena, const ifd_sparse *S, ifd_note *note)
{
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(T->wbase, ifd__solver_work(T->base))));
    return T->opt.single ? ifd__tangent_make_single(T, arena, S, note) : IFD_OK;
}

/* The base matrix with the initial tangents of elements; without them if they make it indefinite. */
static ifd_status make_base(ifd__tangent *T, ifd_arena *arena, const ifd_sparse *S, ifd_note *note)
{
    ifd_sparse base;
    IFD_TRY(base_with_elements(T, arena, S, &base));
    ifd_status status = factor_of(T, arena, &base, S->symmetric ? NULL : note);
    if (status == IFD_NOT_POSITIVE && T->bound)
        return ifd_note_add(note, IFD_NOT_POSITIVE, NULL,
                            "the matrix of the method is not positive definite with the stiffest tangents of all "
                            "elements, expected for 'jacobian: bounded': use 'jacobian: exact'");
    if (status == IFD_NOT_POSITIVE || (T->opt.single && status != IFD_OK && status != IFD_NO_MEMORY)) {
        for (int e = 0; e < T->ne; e++)
            memset(T->block[e].D0, 0, sizeof(double) * (size_t)(T->block[e].nq * T->block[e].nq));
        base = *S;
        status = factor_of(T, arena, S, note);
    }
    IFD_TRY(status);
    return base_made(T, arena, &base, note);
}

/* S0 holds D0: what is left of D is the correction. */
static bool corrected(const ifd__block *b)
{
    for (int k = 0; k < b->nq * b->nq; k++)
        if (b->D[k] - b->D0[k] != 0.0)
            return true;
    return false;
}

/* Frozen: only elements that the base could not hold are active, from now on. */
static void freeze(ifd__tangent *T)
{
    T->actives = T->na = 0;
    for (int e = 0; e < T->ne; e++)
        if (corrected(&T->block[e]))
            ifd__tangent_activate(T, e);
}

/* Whether coordinate q may ever be corrected. */
static bool may_correct(const ifd__tangent *T, int q)
{
    bool found = T->opt.jacobian != IFD__JACOBIAN_FROZEN;
    for (int k = 0; k < T->na && !found; k++)
        found = T->aq[k] == q;
    return found;
}

/* x := column q of B. */
static void column_of_B(const ifd_model *m, int q, double *x)
{
    memset(x, 0, sizeof(double) * (size_t)m->n);
    for (int k = m->b_start[q]; k < m->b_start[q + 1]; k++)
        x[m->b_dof[k]] += m->b_value[k];
}

/* Appends the runs of column q, with its y and z computed by the base; counts only if there is no room. */
static void append_runs(ifd__tangent *T, int *runs, int *used)
{
    const double *y = ifd__solver_y(T->base, T->wbase), *z = ifd__solver_z(T->base, T->wbase);
    for (int i = 0, end; i < T->m->n; i = end) {
        end = i + 1;
        if (y[i] == 0.0 && z[i] == 0.0)
            continue;
        for (int k = end; k < T->m->n && k <= end + BRIDGED; k++)
            if (y[k] != 0.0 || z[k] != 0.0)
                end = k + 1;
        if (T->run) {
            T->run[*runs] = (ifd__run){.at = i, .count = end - i, .first = *used};
            memcpy(T->y + *used, y + i, sizeof(double) * (size_t)(end - i));
            memcpy(T->z + *used, z + i, sizeof(double) * (size_t)(end - i));
        }
        *runs += 1;
        *used += end - i;
    }
}

/* The nonzero entries of U^-T B and D^-1 U^-T B: a coordinate belongs to few supernodes and those above them. */
static ifd_status make_paths(ifd__tangent *T, ifd_arena *arena, double *x)
{
    const ifd_model *m = T->m;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(T->path, (size_t)m->nq + 1)));
    for (int pass = 0; pass < 2; pass++) {
        int runs = 0, used = 0;
        for (int q = 0; q < m->nq; q++) {
            T->path[q] = runs;
            if (!may_correct(T, q))
                continue;
            column_of_B(m, q, x);
            ifd__solver_forward(T->base, x, T->wbase);
            append_runs(T, &runs, &used);
        }
        T->path[m->nq] = runs;
        if (pass)
            break;
        IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(T->y, used), IFD__ARRAY(T->z, used), IFD__ARRAY(T->run, runs)));
    }
    return IFD_OK;
}

static ifd_status make_capacitance(ifd__tangent *T, ifd_arena *arena, const ifd_sparse *S, ifd_note *note)
{
    const ifd_model *m = T->m;
    size_t n = (size_t)m->n, nq = (size_t)m->nq;
    T->mode = TANGENT_CAPACITANCE;
    double *x;
    IFD_TRY(make_base(T, arena, S, note));
    if (T->opt.jacobian == IFD__JACOBIAN_FROZEN)
        freeze(T);
    size_t most = (size_t)(T->bound && !T->opt.all_beyond ? T->bound->capacity : T->na);
    size_t rows = T->opt.jacobian == IFD__JACOBIAN_FROZEN && !T->na ? 0 : nq; /* nothing is ever corrected: no F */
    bool halves = ifd__solver_has_halves(T->base);
    double numbers = (double)rows * (double)nq + (double)most * (double)most + (halves ? 0.0 : (double)(n * rows));
    IFD_TRY(check_memory(numbers, "the corrections of the Jacobian", note));
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(T->F, rows * nq), IFD__ARRAY(T->S, most * most), IFD__ARRAY(T->pivot, most),
                      IFD__ARRAY(x, n)));
    if (halves)
        IFD_TRY(make_paths(T, arena, x));
    else if (rows && !(T->Z = ifd_arena_array(arena, n * rows, sizeof(double))))
        return IFD_NO_MEMORY;
    for (size_t q = 0; q < nq; q++) {
        if (!may_correct(T, (int)q))
            continue;
        column_of_B(m, (int)q, x);
        ifd__solver_solve(T->base, x, T->wbase);
        ifd__model_gather(m, x, T->F + q * nq);
        if (T->Z)
            memcpy(T->Z + q * n, x, n * sizeof *x);
    }
    return IFD_OK;
}

/* S is M itself if the tangent is that of the accelerations: the model has its factor. */
static ifd_status make_linear(ifd__tangent *T, ifd_arena *arena, const ifd_sparse *S, ifd_note *note)
{
    T->mode = TANGENT_LINEAR;
    if (T->opt.cm == 1.0 && T->opt.cv == 0.0 && T->opt.cu == 0.0)
        IFD_TRY(ifd__model_mass(arena, T->m, &T->base, note));
    else
        IFD_TRY(factor_of(T, arena, S, note));
    return base_made(T, arena, S, note);
}

static ifd_status make_mode(ifd__tangent *T, ifd_arena *arena, const ifd_sparse *S, ifd_note *note)
{
    int n = T->m->n;
    bool bounded = T->opt.jacobian == IFD__JACOBIAN_BOUNDED, refactor = T->opt.jacobian == IFD__JACOBIAN_REFACTOR;
    bool many = n <= T->m->nq && !refactor && !(T->opt.jacobian == IFD__JACOBIAN_FROZEN && n > LARGE);
    bool dense = !bounded && (n <= DENSE_LIMIT || many);
    if (T->opt.single && (dense || refactor))
        return ifd_note_add(note, IFD_CONFLICT, &T->opt.single->place,
                            "'factor: single' needs a factor that is made once, found %s: use 'factor: double'",
                            dense ? "a small nonlinear model, which is factored in each step"
                                  : "'jacobian: refactor'");
    if (dense)
        return make_dense(T, arena, S, note);
    return refactor ? ifd__tangent_make_factored(T, arena, S, note) : make_capacitance(T, arena, S, note);
}

ifd_status ifd__tangent_make(ifd_arena *arena, const ifd_model *m, const ifd__tangent_options *opt,
                             ifd__tangent **out, ifd_note *note)
{
    ifd__tangent *T;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(T, 1)));
    T->m = m;
    T->opt = *opt;
    ifd_sparse S;
    IFD_TRY(linear_matrix(arena, m, opt, &S));
    bool mass_only = opt->cv == 0.0 && opt->cu == 0.0;
    if (mass_only && m->massless) {
        ifd_sparse filled;
        IFD_TRY(ifd__massless_filled(arena, m, &S, &filled));
        S = filled;
    }
    if (m->ne == 0 || (mass_only && !m->inertial)) {
        T->ne = 0;
        IFD_TRY(ifd__tangent_blocks(T, arena));
        IFD_TRY(make_linear(T, arena, &S, note));
    } else {
        T->ne = m->ne;
        T->mass_only = mass_only;
        IFD_TRY(ifd__tangent_blocks(T, arena));
        double *rest = ifd_arena_array(arena, (size_t)m->n, sizeof *rest); /* zero acceleration */
        if (!rest)
            return IFD_NO_MEMORY;
        const ifd__point initial = {.t = 0.0, .u = m->u0, .v = m->v0, .s = m->s0, .a = rest};
        bool bounded = opt->jacobian == IFD__JACOBIAN_BOUNDED, ok = ifd__tangent_elements(T, &initial);
        if (bounded && ok)
            IFD_TRY(ifd__bound_classes(T, arena, &ok));
        if (!ok)
            return ifd_note_add(note, IFD_SINGULAR, NULL,
                                "the states of an element cannot be eliminated at the initial state");
        IFD_TRY(make_mode(T, arena, &S, note));
        if (bounded) {
            IFD_TRY(ifd__bound_keep(T, arena));
            ifd__bound_remark(T, &initial, note);
        } else if (!ifd__tangent_update(T, &initial))
            return ifd_note_add(note, IFD_SINGULAR, NULL, "the tangent matrix is singular at the initial state");
    }
    *out = T;
    return IFD_OK;
}

/* S := S0 + B D B^T, factored. */
static bool refactor_dense(ifd__tangent *T)
{
    const ifd_model *m = T->m;
    int n = m->n;
    memcpy(T->S, T->S0, sizeof(double) * (size_t)n * (size_t)n);
    for (int e = 0; e < T->ne; e++) {
        const ifd__block *b = &T->block[e];
        for (int j = 0; j < b->nq; j++)
            for (int i = 0; i < b->nq; i++)
                for (int l = m->b_start[b->q + j]; l < m->b_start[b->q + j + 1]; l++)
                    for (int k = m->b_start[b->q + i]; k < m->b_start[b->q + i + 1]; k++)
                        T->S[(size_t)m->b_dof[k] + (size_t)m->b_dof[l] * (size_t)n] +=
                            m->b_value[k] * b->D[i + j * b->nq] * m->b_value[l];
    }
    return ifd__lu_factor(n, T->S, T->pivot);
}

void ifd__tangent_activate(ifd__tangent *T, int e)
{
    T->active[T->actives++] = e;
    for (int i = 0; i < T->block[e].nq; i++)
        T->aq[T->na++] = T->block[e].q + i;
}

/* column := D f; D is block diagonal, so each element combines its own rows only. */
static void times_blocks(const ifd__tangent *T, const double *f, double *column)
{
    for (int k = 0; k < T->actives; k++) {
        const ifd__block *b = &T->block[T->active[k]];
        for (int i = 0; i < b->nq; i++) {
            double sum = 0.0;
            for (int j = 0; j < b->nq; j++)
                sum += b->D[i + j * b->nq] * f[b->q + j];
            *column++ = sum;
        }
    }
}

/* The sign of the determinant of an LU factor: of its pivots, and of the exchanges of rows. */
static bool lu_positive(int n, const double *A, const int *pivot)
{
    bool positive = true;
    for (int k = 0; k < n; k++)
        positive ^= (A[(size_t)k * ((size_t)n + 1)] < 0.0) ^ (pivot[k] != k);
    return positive;
}

/* If every active element has one coordinate, D is a diagonal, gathered in wq3. */
bool ifd__tangent_refactor(ifd__tangent *T, bool *positive)
{
    int na = T->na, nq = T->m->nq;
    bool diagonal = na == T->actives;
    for (int k = 0; diagonal && k < na; k++)
        T->wq3[k] = T->block[T->active[k]].D[0];
    for (int c = 0; c < na; c++) {
        double *column = T->S + (size_t)c * (size_t)na;
        const double *f = T->F + (size_t)T->aq[c] * (size_t)nq;
        if (diagonal)
            for (int i = 0; i < na; i++)
                column[i] = T->wq3[i] * f[T->aq[i]];
        else
            times_blocks(T, f, column);
        column[c] += 1.0;
    }
    if (!ifd__lu_factor(na, T->S, T->pivot))
        return false;
    *positive = lu_positive(na, T->S, T->pivot);
    return true;
}

long ifd__tangent_reads(const ifd__tangent *T)
{
    return T->mode == TANGENT_LINEAR ? ifd__solver_facts_of(T->base).reads : 0;
}

bool ifd__tangent_update(ifd__tangent *T, const ifd__point *p)
{
    if (T->mode == TANGENT_LINEAR)
        return true;
    if (!ifd__tangent_elements(T, p))
        return false;
    if (T->mode == TANGENT_FACTORED)
        return ifd__tangent_factor(T);
    bool positive;
    return T->mode == TANGENT_DENSE ? refactor_dense(T) : ifd__tangent_refactor(T, &positive);
}

void ifd__tangent_capacitance(ifd__tangent *T)
{
    int at = 0;
    for (int k = 0; k < T->actives; k++) {
        const ifd__block *b = &T->block[T->active[k]];
        double *y = T->wq2 + at;
        memset(y, 0, sizeof(double) * (size_t)b->nq);
        ifd__mul_add(b->nq, b->nq, 1.0, b->D, T->wq + at, y);
        at += b->nq;
    }
    ifd__lu_solve(T->na, T->S, T->pivot, 1, T->wq2);
}

/* Between the two halves of a solution with the base: B^T x0 = (U^-T B)^T z, then z -= D^-1 U^-T B c, so that x = x0
 * - S0^-1 B c. */
static void solve_between_halves(ifd__tangent *T, double *x)
{
    double *z = ifd__solver_z(T->base, T->wbase);
    ifd__solver_forward(T->base, x, T->wbase);
    for (int k = 0; k < T->na; k++) {
        const int *path = T->path + T->aq[k];
        double sum = 0.0;
        for (const ifd__run *r = T->run + path[0], *end = T->run + path[1]; r < end; r++)
            sum += ifd__dot(r->count, T->y + r->first, z + r->at);
        T->wq[k] = sum;
    }
    if (T->na)
        ifd__tangent_capacitance(T);
    for (int k = 0; k < T->na; k++) {
        const int *path = T->path + T->aq[k];
        for (const ifd__run *r = T->run + path[0], *end = T->run + path[1]; r < end; r++)
            ifd__mul_add(r->count, 1, -1.0, T->z + r->first, T->wq2 + k, z + r->at);
    }
    ifd__solver_backward(T->base, T->wbase, x);
}

static void solve_capacitance(ifd__tangent *T, double *x)
{
    int n = T->m->n, nq = T->m->nq;
    if (T->path) {
        solve_between_halves(T, x);
        return;
    }
    ifd__solver_solve(T->base, x, T->wbase);
    if (!T->na)
        return;
    ifd__model_gather(T->m, x, T->wq);
    for (int k = 0; k < T->na; k++) /* aq rises: what is overwritten was read */
        T->wq[k] = T->wq[T->aq[k]];
    ifd__tangent_capacitance(T);
    if (T->na == nq)
        ifd__mul_add(n, nq, -1.0, T->Z, T->wq2, x);
    for (int k = 0; T->na < nq && k < T->na; k++)
        ifd__mul_add(n, 1, -1.0, T->Z + (size_t)T->aq[k] * (size_t)n, T->wq2 + k, x);
}

void ifd__tangent_solve(ifd__tangent *T, double *x)
{
    if (T->single)
        ifd__tangent_single_solve(T, x);
    else
        ifd__tangent_base_solve(T, x);
}

void ifd__tangent_base_solve(ifd__tangent *T, double *x)
{
    if (T->mode == TANGENT_LINEAR)
        ifd__solver_solve(T->base, x, T->wbase);
    else if (T->mode == TANGENT_DENSE)
        ifd__lu_solve(T->m->n, T->S, T->pivot, 1, x);
    else if (T->mode == TANGENT_FACTORED)
        ifd__tangent_factored_solve(T, x);
    else
        solve_capacitance(T, x);
}
