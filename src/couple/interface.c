/* SPDX-License-Identifier: MIT */
#include "couple/interface.h"

#include <math.h>
#include <string.h>

#include "base/dense.h"

/* y += K^T x for a matrix that may be unsymmetric. Set-up only. */
static void mul_transposed(const ifd_sparse *A, double alpha, const double *x, double *y)
{
    if (A->symmetric) {
        ifd__sparse_mul_add(A, alpha, x, y);
        return;
    }
    for (int j = 0; j < A->n; j++)
        for (int k = A->p[j]; k < A->p[j + 1]; k++)
            y[j] += alpha * A->x[k] * x[A->i[k]];
}

/* Lists of the entries of an n x rows matrix that are not negligible beside the largest of their row: a consistent mass
 * makes M^-1 G^T full, but it decays so fast that most entries are below round-off. */
static ifd_status lists_make(ifd_arena *arena, int n, int rows, const double *A, ifd__lists *out)
{
    int count = 0;
    out->start = ifd_arena_array(arena, (size_t)rows + 1, sizeof *out->start);
    if (!out->start)
        return IFD_NO_MEMORY;
    for (int pass = 0; pass < 2; pass++) {
        count = 0;
        for (int j = 0; j < rows; j++) {
            const double *column = A + (size_t)j * (size_t)n;
            double largest = 0.0;
            for (int i = 0; i < n; i++)
                largest = fmax(largest, fabs(column[i]));
            out->start[j] = count;
            for (int i = 0; i < n; i++) {
                if (column[i] == 0.0 || fabs(column[i]) < 1e-19 * largest)
                    continue;
                if (pass) {
                    out->dof[count] = i;
                    out->value[count] = column[i];
                }
                count++;
            }
        }
        out->start[rows] = count;
        if (pass)
            break;
        out->dof = ifd_arena_array(arena, (size_t)count, sizeof *out->dof);
        out->value = ifd_arena_array(arena, (size_t)count, sizeof *out->value);
        if (!out->dof || !out->value)
            return IFD_NO_MEMORY;
    }
    return IFD_OK;
}

IFD_RT static void lists_add(const ifd__lists *L, int rows, double alpha, const double *x, double *y)
{
    for (int j = 0; j < rows; j++) {
        double sum = 0.0;
        for (int k = L->start[j]; k < L->start[j + 1]; k++)
            sum += L->value[k] * x[L->dof[k]];
        y[j] += alpha * sum;
    }
}

/* G_p^T as a dense n x rows matrix in scratch. */
static ifd_status constraint(const ifd_couple_options *opt, int p, double *G, ifd_note *note)
{
    size_t n = (size_t)opt->part[p].model->n;
    for (int j = 0; j < opt->joints; j++)
        for (int k = 0; k < opt->joint[j].terms; k++) {
            const ifd_joint_term *t = &opt->joint[j].term[k];
            if (t->part != p)
                continue;
            if (t->dof < 0 || t->dof >= opt->part[p].model->n)
                return ifd_note_add(note, IFD_UNKNOWN_NAME, NULL, "joint '%s' names a dof that part '%s' does not have",
                                    opt->joint[j].name, opt->part[p].name);
            G[(size_t)t->dof + (size_t)j * n] += t->coefficient;
        }
    return IFD_OK;
}

/* Projected inputs, column by column: forces, then supports (u, v, a), then ground x, y, z. */
static ifd_status project_inputs(ifd_arena *arena, ifd__seen_part *s, int rows)
{
    const ifd_model *m = s->m;
    size_t n = (size_t)m->n;
    s->inputs = m->nload + 3 * m->nsupport + 3;
    s->in = ifd_arena_array(arena, (size_t)s->inputs * (size_t)rows, sizeof *s->in);
    if (!s->in)
        return IFD_NO_MEMORY;
    for (int j = 0; j < rows; j++) {
        const double *column = s->MG + (size_t)j * n;
        for (int i = 0; i < m->nload; i++)
            for (int k = 0; k < m->load[i].count; k++)
                s->in[j + i * rows] += m->load[i].value[k] * column[m->load[i].dof[k]];
        for (int i = 0; i < m->nsupport; i++) {
            const double *of[3] = {m->Ks + (size_t)i * n, m->Cs + (size_t)i * n, m->Ms + (size_t)i * n};
            for (int d = 0; d < 3; d++)
                s->in[j + (m->nload + 3 * i + d) * rows] = ifd__dot(m->n, of[d], column);
        }
        for (int d = 0; d < 3; d++)
            if (m->ground[d].signal)
                s->in[j + (m->nload + 3 * m->nsupport + d) * rows] = ifd__dot(m->n, m->ground[d].p, column);
    }
    return IFD_OK;
}

static void project_elements(ifd__seen_part *s, int rows)
{
    const ifd_model *m = s->m;
    for (int c = 0; c < m->nq; c++)
        for (int j = 0; j < rows; j++)
            for (int k = m->b_start[c]; k < m->b_start[c + 1]; k++)
                s->E[j + c * rows] += m->b_value[k] * s->MG[(size_t)m->b_dof[k] + (size_t)j * (size_t)m->n];
}

/* Qk := K^T MG, Qc := C^T MG with Rayleigh damping, less Baumgarte's a^2 G and 2 a G (so that lin = -Qk u - Qc v holds both). */
static ifd_status project_matrices(ifd_arena *arena, ifd_arena *scratch, ifd__seen_part *s, int rows, double a,
                                   const double *G)
{
    const ifd_model *m = s->m;
    size_t n = (size_t)m->n, all = n * (size_t)rows;
    double *Qk = ifd_arena_array(scratch, all, sizeof *Qk), *Qc = ifd_arena_array(scratch, all, sizeof *Qc);
    if (!Qk || !Qc)
        return IFD_NO_MEMORY;
    for (int j = 0; j < rows; j++) {
        const double *column = s->MG + (size_t)j * n;
        double *k = Qk + (size_t)j * n, *c = Qc + (size_t)j * n;
        mul_transposed(&m->K, 1.0, column, k);
        for (size_t i = 0; i < n; i++)
            c[i] = m->ray_k * k[i];
        if (m->damped)
            mul_transposed(&m->C, 1.0, column, c);
        if (m->ray_m != 0.0)
            ifd__sparse_mul_add(&m->M, m->ray_m, column, c);
        for (size_t i = 0; i < n; i++) {
            k[i] -= a * a * G[(size_t)j * n + i];
            c[i] -= 2.0 * a * G[(size_t)j * n + i];
        }
    }
    IFD_TRY(lists_make(arena, m->n, rows, Qk, &s->Qk));
    return lists_make(arena, m->n, rows, Qc, &s->Qc);
}

static ifd_status part_scratch(ifd_arena *arena, ifd__interface *I, int p, ifd_note *note)
{
    ifd__seen_part *s = &I->part[p];
    const ifd_model *m = s->m;
    s->w = ifd_arena_array(arena, ifd__model_work(m) + (size_t)I->rows, sizeof *s->w);
    s->F = ifd_arena_array(arena, (size_t)m->n + 1, sizeof *s->F);
    s->g = ifd_arena_array(arena, (size_t)(m->ns + m->nq) + 1, sizeof *s->g);
    if (!s->w || !s->F || !s->g)
        return IFD_NO_MEMORY;
    if (m->inertial)
        IFD_TRY(ifd__tangent_make(arena, m, &(ifd__tangent_options){.cm = 1.0}, &s->mass, note));
    return ifd__sight_make(arena, I, p, &s->mean);
}

static ifd_status part_make(ifd_arena *arena, ifd_arena *scratch, const ifd_couple_options *opt, int p,
                            ifd__interface *I, ifd_note *note)
{
    ifd__seen_part *s = &I->part[p];
    const ifd_model *m = s->m = opt->part[p].model;
    size_t n = (size_t)m->n, rows = (size_t)I->rows;
    double *G = ifd_arena_array(scratch, n * rows, sizeof *G);
    double *w = ifd_arena_array(scratch, ifd__solver_work(m->mass), sizeof *w);
    s->MG = ifd_arena_array(arena, n * rows, sizeof *s->MG);
    s->E = ifd_arena_array(arena, rows * (size_t)m->nq, sizeof *s->E);
    if (!G || !w || !s->MG || !s->E)
        return IFD_NO_MEMORY;
    IFD_TRY(constraint(opt, p, G, note));
    IFD_TRY(lists_make(arena, m->n, I->rows, G, &s->G));
    memcpy(s->MG, G, n * rows * sizeof *G);
    for (size_t j = 0; j < rows; j++)
        ifd__solver_solve(m->mass, s->MG + j * n, w);
    IFD_TRY(project_inputs(arena, s, I->rows));
    project_elements(s, I->rows);
    IFD_TRY(project_matrices(arena, scratch, s, I->rows, I->baumgarte, G));
    I->inertial = I->inertial || m->inertial;
    for (size_t j = 0; j < rows && !m->inertial; j++)
        lists_add(&s->G, I->rows, 1.0, s->MG + j * n, I->H + j * rows);
    return part_scratch(arena, I, p, note);
}

/* Pivoted Cholesky of a copy of H: rows whose pivot vanishes repeat what others say. */
static ifd_status check_rank(ifd_arena *scratch, const ifd__interface *I, const ifd_couple_options *opt, ifd_note *note)
{
    int n = I->rows, found = 0;
    double *A = ifd_arena_array(scratch, (size_t)(n * n), sizeof *A), *d = ifd_arena_array(scratch, (size_t)n, sizeof *d);
    bool *used = ifd_arena_array(scratch, (size_t)n, sizeof *used);
    if (!A || !d || !used)
        return IFD_NO_MEMORY;
    memcpy(A, I->H, sizeof(double) * (size_t)(n * n));
    for (int i = 0; i < n; i++)
        d[i] = A[i + i * n];
    for (int step = 0; step < n; step++) {
        int best = -1;
        for (int i = 0; i < n; i++)
            if (!used[i] && A[i + i * n] > 1e-12 * d[i] && (best < 0 || A[i + i * n] > A[best + best * n]))
                best = i;
        if (best < 0)
            break;
        used[best] = true;
        found++;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                if (!used[i] && !used[j])
                    A[i + j * n] -= A[i + best * n] * A[j + best * n] / A[best + best * n];
    }
    ifd_status status = IFD_OK;
    for (int i = 0; i < n && found < n; i++)
        if (!used[i])
            status = ifd_note_add(note, IFD_SINGULAR, NULL,
                                  "joint '%s' repeats what other joints already say: remove it or one of them",
                                  opt->joint[i].name);
    return status;
}

static ifd_status make_inside(ifd_arena *arena, ifd_arena *scratch, const ifd_couple_options *opt, ifd__interface *I,
                              ifd_note *note)
{
    size_t rows = (size_t)I->rows;
    I->part = ifd_arena_array(arena, (size_t)I->parts, sizeof *I->part);
    I->H = ifd_arena_array(arena, rows * rows, sizeof *I->H);
    I->Hnow = ifd_arena_array(arena, rows * rows, sizeof *I->Hnow);
    I->LU = ifd_arena_array(arena, rows * rows, sizeof *I->LU);
    I->pivot = ifd_arena_array(arena, rows, sizeof *I->pivot);
    I->w = ifd_arena_array(arena, rows + 1, sizeof *I->w);
    if (!I->part || !I->H || !I->Hnow || !I->LU || !I->pivot || !I->w)
        return IFD_NO_MEMORY;
    for (int p = 0; p < I->parts; p++)
        IFD_TRY(part_make(arena, scratch, opt, p, I, note));
    if (!I->inertial)
        IFD_TRY(check_rank(scratch, I, opt, note));
    memcpy(I->LU, I->H, rows * rows * sizeof *I->H);
    memcpy(I->Hnow, I->H, rows * rows * sizeof *I->H);
    if (!I->inertial && I->rows && !ifd__lu_factor(I->rows, I->LU, I->pivot))
        return ifd_note_add(note, IFD_SINGULAR, NULL, "the joints' equations cannot be solved");
    return IFD_OK;
}

ifd_status ifd__interface_make(ifd_arena *arena, const ifd_couple_options *opt, double baumgarte, ifd__interface *I,
                               ifd_note *note)
{
    *I = (ifd__interface){.rows = opt->joints, .parts = opt->parts, .baumgarte = baumgarte};
    ifd_arena *scratch = ifd_arena_open();
    ifd_status status = scratch ? make_inside(arena, scratch, opt, I, note) : IFD_NO_MEMORY;
    ifd_arena_close(scratch);
    return status;
}

ifd_status ifd__interface_twin(ifd_arena *arena, const ifd__interface *I, ifd__interface *out, ifd_note *note)
{
    size_t rows = (size_t)I->rows;
    *out = *I;
    out->part = ifd_arena_array(arena, (size_t)I->parts, sizeof *out->part);
    out->Hnow = ifd_arena_array(arena, rows * rows, sizeof *out->Hnow);
    out->LU = ifd_arena_array(arena, rows * rows, sizeof *out->LU);
    out->pivot = ifd_arena_array(arena, rows, sizeof *out->pivot);
    out->w = ifd_arena_array(arena, rows + 1, sizeof *out->w);
    if (!out->part || !out->Hnow || !out->LU || !out->pivot || !out->w)
        return IFD_NO_MEMORY;
    memcpy(out->part, I->part, (size_t)I->parts * sizeof *I->part);
    memcpy(out->Hnow, I->Hnow, rows * rows * sizeof *I->Hnow);
    memcpy(out->LU, I->LU, rows * rows * sizeof *I->LU);
    memcpy(out->pivot, I->pivot, rows * sizeof *I->pivot);
    for (int p = 0; p < I->parts; p++)
        IFD_TRY(part_scratch(arena, out, p, note));
    return IFD_OK;
}

ifd_status ifd__sight_make(ifd_arena *arena, const ifd__interface *I, int part, ifd__sight *out)
{
    const ifd_model *m = I->part[part].m;
    size_t n = m->inertial ? (size_t)m->n : 0, nq = (size_t)m->nq, ns = (size_t)m->ns;
    double *pool = ifd_arena_array(arena, (size_t)I->rows + 2 * nq + ns + 2 * n + 1, sizeof *pool);
    if (!pool)
        return IFD_NO_MEMORY;
    out->lin = pool;
    out->q = out->lin + I->rows;
    out->qd = out->q + nq;
    out->s = out->qd + nq;
    out->u = out->s + ns;
    out->v = out->u + n;
    return IFD_OK;
}

void ifd__interface_see(const ifd__interface *I, int p, const double *u, const double *v, const double *s,
                        ifd__sight *out)
{
    const ifd__seen_part *part = &I->part[p];
    const ifd_model *m = part->m;
    memset(out->lin, 0, sizeof(double) * (size_t)I->rows);
    lists_add(&part->Qk, I->rows, -1.0, u, out->lin);
    lists_add(&part->Qc, I->rows, -1.0, v, out->lin);
    ifd__model_gather(m, u, out->q);
    ifd__model_gather(m, v, out->qd);
    memcpy(out->s, s, sizeof(double) * (size_t)m->ns);
    if (m->inertial) {
        memcpy(out->u, u, sizeof(double) * (size_t)m->n);
        memcpy(out->v, v, sizeof(double) * (size_t)m->n);
    }
}

IFD_RT static void between(int n, const double *a, const double *b, double theta, double *out)
{
    for (int i = 0; i < n; i++)
        out[i] = a[i] + theta * (b[i] - a[i]);
}

IFD_RT static void add_inputs(const ifd__seen_part *s, int rows, double t, double *y)
{
    const ifd_model *m = s->m;
    double value[3];
    for (int i = 0; i < m->nload; i++) {
        ifd_signal_eval(m->load[i].signal, t, value);
        for (int j = 0; j < rows; j++)
            y[j] += s->in[j + i * rows] * value[0];
    }
    for (int i = 0; i < m->nsupport; i++) {
        ifd_signal_eval(m->support[i], t, value);
        for (int d = 0; d < 3; d++)
            for (int j = 0; j < rows; j++)
                y[j] += s->in[j + (m->nload + 3 * i + d) * rows] * value[d];
    }
    for (int d = 0; d < 3; d++)
        if (m->ground[d].signal) {
            ifd_signal_eval(m->ground[d].signal, t, value);
            for (int j = 0; j < rows; j++)
                y[j] += s->in[j + (m->nload + 3 * m->nsupport + d) * rows] * value[0];
        }
}

/* y += G M^-1 (P - R) of a part with constant mass. */
IFD_RT static void add_constant(const ifd__interface *I, const ifd__seen_part *s, double t, const ifd__sight *a,
                                const ifd__sight *b, double theta, double *y)
{
    const ifd_model *m = s->m;
    int rows = I->rows;
    for (int j = 0; j < rows; j++)
        y[j] += a->lin[j] + theta * (b->lin[j] - a->lin[j]);
    add_inputs(s, rows, t, y);
    if (!m->ne)
        return;
    double *r = s->w;
    between(m->nq, a->q, b->q, theta, s->mean.q);
    between(m->nq, a->qd, b->qd, theta, s->mean.qd);
    between(m->ns, a->s, b->s, theta, s->mean.s);
    ifd__model_add_supports(m, t, s->mean.q, s->mean.qd);
    ifd__model_forces(m, t, s->mean.q, s->mean.qd, s->mean.s, r, s->g);
    ifd__mul_add(rows, m->nq, -1.0, s->E, r, y);
}

/* The same for a part whose mass depends on its configuration; adds its share to H. */
IFD_RT static bool add_inertial(ifd__interface *I, const ifd__seen_part *s, double t, const ifd__sight *a,
                                const ifd__sight *b, double theta, double *y)
{
    const ifd_model *m = s->m;
    double c = I->baumgarte;
    between(m->n, a->u, b->u, theta, s->mean.u);
    between(m->n, a->v, b->v, theta, s->mean.v);
    between(m->ns, a->s, b->s, theta, s->mean.s);
    ifd__model_balance(m, t, s->mean.u, s->mean.v, s->mean.s, s->F, s->g, s->w);
    bool ok = ifd__tangent_update(s->mass, &(ifd__point){.t = t, .u = s->mean.u, .v = s->mean.v, .s = s->mean.s});
    ifd__tangent_solve(s->mass, s->F);
    lists_add(&s->G, I->rows, 1.0, s->F, y);
    lists_add(&s->G, I->rows, c * c, s->mean.u, y);
    lists_add(&s->G, I->rows, 2.0 * c, s->mean.v, y);
    for (int j = 0; j < I->rows; j++) {
        memset(s->F, 0, sizeof(double) * (size_t)m->n);
        for (int k = s->G.start[j]; k < s->G.start[j + 1]; k++)
            s->F[s->G.dof[k]] += s->G.value[k];
        ifd__tangent_solve(s->mass, s->F);
        lists_add(&s->G, I->rows, 1.0, s->F, I->Hnow + (size_t)j * (size_t)I->rows);
    }
    return ok;
}

bool ifd__interface_free(ifd__interface *I, double t, const ifd__sight *const *from, const ifd__sight *const *to,
                         const double *theta, double *y)
{
    bool ok = true;
    memset(y, 0, sizeof(double) * (size_t)I->rows);
    if (I->inertial)
        memcpy(I->Hnow, I->H, sizeof(double) * (size_t)(I->rows * I->rows));
    for (int p = 0; p < I->parts; p++) {
        const ifd__seen_part *s = &I->part[p];
        if (s->m->inertial)
            ok = add_inertial(I, s, t, from[p], to[p], theta[p], y) && ok;
        else
            add_constant(I, s, t, from[p], to[p], theta[p], y);
    }
    return ok;
}

bool ifd__interface_solve(ifd__interface *I, double t, const ifd__sight *const *from, const ifd__sight *const *to,
                          const double *theta, double *lambda)
{
    if (!I->rows)
        return true;
    bool ok = ifd__interface_free(I, t, from, to, theta, lambda);
    if (I->inertial) {
        memcpy(I->LU, I->Hnow, sizeof(double) * (size_t)(I->rows * I->rows));
        ok = ifd__lu_factor(I->rows, I->LU, I->pivot) && ok;
    }
    ifd__lu_solve(I->rows, I->LU, I->pivot, 1, lambda);
    for (int j = 0; j < I->rows; j++)
        lambda[j] = -lambda[j];
    return ok;
}

void ifd__interface_response(const ifd__interface *I, const double *lambda, double *y)
{
    ifd__mul_add(I->rows, I->rows, 1.0, I->Hnow, lambda, y);
}

void ifd__interface_load(const ifd__interface *I, int p, const double *lambda, double *load)
{
    const ifd__lists *G = &I->part[p].G;
    memset(load, 0, sizeof(double) * (size_t)I->part[p].m->n);
    for (int j = 0; j < I->rows; j++)
        for (int k = G->start[j]; k < G->start[j + 1]; k++)
            load[G->dof[k]] += G->value[k] * lambda[j];
}

void ifd__interface_gap(const ifd__interface *I, int p, const double *x, double *y)
{
    lists_add(&I->part[p].G, I->rows, 1.0, x, y);
}

void ifd__interface_correct(const ifd__interface *I, int p, double *gap, bool first, double *x)
{
    if (first)
        ifd__lu_solve(I->rows, I->LU, I->pivot, 1, gap);
    ifd__mul_add(I->part[p].m->n, I->rows, -1.0, I->part[p].MG, gap, x);
}
