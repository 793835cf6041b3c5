/* SPDX-License-Identifier: MIT */
/* Evaluates and solves the interface problem of a coupled set. */
#include "couple/interface.h"

#include <lapacke.h>
#undef I /* of complex.h */

#include <math.h>
#include <string.h>

#include "algebra/dense.h"
#include "base/arena.h"
#include "couple/distributed.h"

static const double LEAST_PIVOT = 1e-11; /* of joint rows that are independent */

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

static bool counts(double value, double largest)
{
    return value != 0.0 && fabs(value) >= 1e-19 * largest;
}

static int entries(int n, const double *column, double *largest)
{
    int count = 0;
    *largest = 0.0;
    for (int i = 0; i < n; i++)
        *largest = fmax(*largest, fabs(column[i]));
    for (int i = 0; i < n; i++)
        count += counts(column[i], *largest);
    return count;
}

/* The joint rows of a substructure, in their order. Dense matrices of set-up have one column for each of them. */
typedef struct own_rows {
    int count, *row, rows; /* rows: of all substructures */
} own_rows;

static ifd_status find_own(ifd_arena *scratch, const ifd_couple_options *opt, int p, own_rows *out)
{
    out->rows = opt->joints;
    IFD_TRY(IFD__TAKE(scratch, IFD__ARRAY(out->row, (size_t)opt->joints + 1)));
    for (int j = 0; j < opt->joints; j++)
        for (int k = 0; k < opt->joint[j].terms; k++)
            if (opt->joint[j].term[k].part == p) {
                out->row[out->count++] = j;
                break;
            }
    return IFD_OK;
}

/* Lists of the entries of an n x own matrix that are not negligible relative to the largest of their row. A
 * consistent mass makes M^-1 G^T full, but the entries decay so fast that most are below round-off. */
static ifd_status lists_make(ifd_arena *arena, int n, const own_rows *own, const double *A, ifd__lists *out)
{
    int rows = own->rows;
    int count = 0;
    out->n = n;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(out->start, (size_t)rows + 1)));
    for (int pass = 0; pass < 2; pass++) {
        count = 0;
        for (int j = 0, k = 0; j < rows; j++) {
            out->start[j] = count;
            if (k == own->count || own->row[k] != j)
                continue;
            const double *column = A + (size_t)k++ * (size_t)n;
            double largest;
            bool most = entries(n, column, &largest) > n / 3; /* then access without indices is faster */
            for (int i = 0; i < n; i++) {
                if (!most && !counts(column[i], largest))
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
        IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(out->dof, count), IFD__ARRAY(out->value, count)));
    }
    return IFD_OK;
}

/* G_p^T as a dense n x own matrix in scratch. */
static void constraint(const ifd_couple_options *opt, int p, const own_rows *own, double *G)
{
    size_t n = (size_t)opt->part[p].model->n;
    for (int l = 0; l < own->count; l++) {
        const ifd_joint *joint = &opt->joint[own->row[l]];
        for (int k = 0; k < joint->terms; k++)
            if (joint->term[k].part == p)
                G[(size_t)joint->term[k].dof + (size_t)l * n] += joint->term[k].coefficient;
    }
}

/* Projected inputs, column by column: forces, then supports (u, v, a), then ground x, y, z. */
static ifd_status project_inputs(ifd_arena *arena, ifd__seen_part *s, const own_rows *own, const double *MG)
{
    const ifd_model *m = s->m;
    size_t n = (size_t)m->n;
    int rows = own->rows;
    s->inputs = m->nload + 3 * m->nsupport + 3;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(s->in, (size_t)s->inputs * (size_t)rows)));
    for (int l = 0; l < own->count; l++) {
        const double *column = MG + (size_t)l * n;
        int j = own->row[l];
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

static void project_elements(ifd__seen_part *s, const own_rows *own, const double *MG)
{
    const ifd_model *m = s->m;
    for (int c = 0; c < m->nq; c++)
        for (int l = 0; l < own->count; l++)
            for (int k = m->b_start[c]; k < m->b_start[c + 1]; k++)
                s->E[own->row[l] + c * own->rows] +=
                    m->b_value[k] * MG[(size_t)m->b_dof[k] + (size_t)l * (size_t)m->n];
}

/* Qk := K^T MG, Qc := C^T MG with Rayleigh damping. */
static ifd_status project_matrices(ifd_arena *arena, ifd_arena *scratch, ifd__seen_part *s, const own_rows *own,
                                   const double *MG)
{
    const ifd_model *m = s->m;
    size_t n = (size_t)m->n, all = n * (size_t)own->count;
    double *Qk, *Qc;
    IFD_TRY(IFD__TAKE(scratch, IFD__ARRAY(Qk, all), IFD__ARRAY(Qc, all)));
    for (int j = 0; j < own->count; j++) {
        const double *column = MG + (size_t)j * n;
        double *k = Qk + (size_t)j * n, *c = Qc + (size_t)j * n;
        mul_transposed(&m->K, 1.0, column, k);
        for (size_t i = 0; i < n; i++)
            c[i] = m->ray_k * k[i];
        if (m->damped)
            mul_transposed(&m->C, 1.0, column, c);
        if (m->ray_m != 0.0)
            ifd__sparse_mul_add(&m->M, m->ray_m, column, c);
    }
    IFD_TRY(lists_make(arena, m->n, own, Qk, &s->Qk));
    return lists_make(arena, m->n, own, Qc, &s->Qc);
}

static ifd_status part_scratch(ifd_arena *arena, ifd__interface *I, int p, ifd_note *note)
{
    ifd__seen_part *s = &I->part[p];
    const ifd_model *m = s->m;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(s->w, ifd__model_work(m) + (size_t)I->rows),
                      IFD__ARRAY(s->F, (size_t)m->n + 1), IFD__ARRAY(s->g, (size_t)(m->ns + m->nq) + 1)));
    if (m->inertial)
        IFD_TRY(ifd__tangent_make(arena, m, &(ifd__tangent_options){.cm = 1.0}, &s->mass, note));
    return ifd__sight_make(arena, I, p, &s->mean);
}

/* A substructure of another process. A rank that records all has its G, for the gaps of the joints. */
static ifd_status part_away(ifd_arena *arena, ifd_arena *scratch, const ifd_couple_options *opt, int p,
                            ifd__interface *I)
{
    ifd__seen_part *s = &I->part[p];
    own_rows own = {0};
    double *G;
    if (opt->ranks->rank == 0 && opt->ranks->whole) {
        IFD_TRY(find_own(scratch, opt, p, &own));
        IFD_TRY(IFD__TAKE(scratch, IFD__ARRAY(G, (size_t)s->m->n * (size_t)own.count)));
        constraint(opt, p, &own, G);
        IFD_TRY(lists_make(arena, s->m->n, &own, G, &s->G));
    } else
        IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(s->G.start, (size_t)I->rows + 1)));
    return ifd__sight_make(arena, I, p, &s->mean);
}

/* M^-1 G^T of all rows remains where ticks need it: projections, and forces that are measured. */
static ifd_status keep_projection(ifd_arena *arena, const ifd_couple_options *opt, int p, const own_rows *own,
                                  const double *MG, ifd__seen_part *s)
{
    size_t n = (size_t)s->m->n;
    bool projects = opt->drift == IFD_DRIFT_PROJECT || opt->project_start;
    if (!projects && !opt->part[p].measured)
        return IFD_OK;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(s->MG, n * (size_t)own->rows)));
    for (int l = 0; l < own->count; l++)
        memcpy(s->MG + (size_t)own->row[l] * n, MG + (size_t)l * n, n * sizeof *MG);
    return IFD_OK;
}

/* H0 and H += G M^-1 G^T; with several processes the block of the exchange that adds them. */
static void add_inertia(ifd__interface *I, int p, const own_rows *own, const double *MG)
{
    const ifd__seen_part *s = &I->part[p];
    size_t n = (size_t)s->m->n, rows = (size_t)I->rows;
    for (int l = 0; l < own->count; l++) {
        const double *column = MG + (size_t)l * n;
        size_t at = (size_t)own->row[l] * rows;
        ifd__lists_add(&s->G, I->rows, 1.0, column, I->H0 + at);
        if (I->inertial && !s->m->inertial)
            ifd__lists_add(&s->G, I->rows, 1.0, column, I->H + at);
        if (I->over)
            ifd__distributed_column(I->over, I, p, own->row[l], column);
    }
}

static ifd_status part_make(ifd_arena *arena, ifd_arena *scratch, const ifd_couple_options *opt, int p,
                            ifd__interface *I, ifd_note *note)
{
    ifd__seen_part *s = &I->part[p];
    if (s->away)
        return part_away(arena, scratch, opt, p, I);
    const ifd_model *m = s->m;
    own_rows own = {0};
    s->accepts = ifd__model_accepts(m);
    size_t n = (size_t)m->n;
    if (opt->part[p].measured && !(s->measured = ifd_arena_array(arena, n, sizeof *s->measured)))
        return IFD_NO_MEMORY;
    double *MG, *w;
    const ifd_solver *mass;
    IFD_TRY(ifd__model_mass(arena, m, &mass, note));
    IFD_TRY(find_own(scratch, opt, p, &own));
    IFD_TRY(IFD__TAKE(scratch, IFD__ARRAY(MG, n * (size_t)own.count), IFD__ARRAY(w, ifd__solver_work(mass))));
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(s->E, (size_t)I->rows * (size_t)m->nq)));
    constraint(opt, p, &own, MG);
    IFD_TRY(lists_make(arena, m->n, &own, MG, &s->G));
    for (size_t j = 0; j < (size_t)own.count; j++)
        ifd__solver_solve(mass, MG + j * n, w);
    IFD_TRY(project_inputs(arena, s, &own, MG));
    project_elements(s, &own, MG);
    IFD_TRY(project_matrices(arena, scratch, s, &own, MG));
    add_inertia(I, p, &own, MG);
    IFD_TRY(keep_projection(arena, opt, p, &own, MG, s));
    return part_scratch(arena, I, p, note);
}

/* Names of up to three joints in the combination T (scaled by d) with `row`, except `row` itself. */
static const char *others(ifd_arena *scratch, const ifd_couple_options *opt, int row, const double *T,
                          const double *d)
{
    const char *text = NULL;
    int named = 0;
    for (int k = 0; k < opt->joints; k++) {
        if (k == row || !(fabs(T[k]) * sqrt(d[k]) > 1e-6 * sqrt(d[row])))
            continue;
        named++;
        if (named <= 3)
            text = ifd_arena_print(scratch, "%s%s'%s'", text ? text : "", text ? ", " : "", opt->joint[k].name);
    }
    return named > 3 ? ifd_arena_print(scratch, "%s and %d more", text ? text : "", named - 3) : text;
}

/* True if the smallest eigenvalue of H0, scaled to a unit diagonal, is far above the limit of check_rank: it is a
 * lower bound of every pivot there. The factor 100 covers the error of the estimate. Most rows of a large structure
 * pass here, at the cost of a Cholesky factorisation. */
static ifd_status far_from_singular(ifd_arena *scratch, const ifd__interface *I, bool *far)
{
    size_t n = (size_t)I->rows;
    double *A, *d, inverse = 0.0;
    *far = n == 0;
    if (n == 0)
        return IFD_OK;
    IFD_TRY(IFD__TAKE(scratch, IFD__ARRAY(A, n * n), IFD__ARRAY(d, n)));
    for (size_t i = 0; i < n; i++) {
        if (!(I->H0[i + i * n] > 0.0))
            return IFD_OK;
        d[i] = 1.0 / sqrt(I->H0[i + i * n]);
    }
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++)
            A[i + j * n] = I->H0[i + j * n] * d[i] * d[j];
    double norm = ifd__norm1(I->rows, A);
    if (LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', I->rows, A, I->rows) == 0 &&
        LAPACKE_dpocon(LAPACK_COL_MAJOR, 'L', I->rows, A, I->rows, norm, &inverse) == 0)
        *far = inverse * norm > 100.0 * LEAST_PIVOT;
    return IFD_OK;
}

/* Pivoted elimination on a copy of H0, scaled to a unit diagonal because rows may have different units. A row with a
 * vanishing pivot is a combination of others; T records which. */
static ifd_status check_rank(ifd_arena *scratch, const ifd__interface *I, const ifd_couple_options *opt,
                             ifd_note *note)
{
    size_t n = (size_t)I->rows;
    double *A, *d, *T; /* T by rows */
    bool *used, far;
    IFD_TRY(far_from_singular(scratch, I, &far));
    if (far)
        return IFD_OK;
    IFD_TRY(IFD__TAKE(scratch, IFD__ARRAY(A, n * n), IFD__ARRAY(d, n), IFD__ARRAY(T, n * n), IFD__ARRAY(used, n)));
    memcpy(A, I->H0, sizeof(double) * n * n);
    for (size_t i = 0; i < n; i++) {
        d[i] = A[i + i * n];
        T[i + i * n] = 1.0;
    }
    for (size_t step = 0; step < n; step++) {
        size_t best = n;
        double most = LEAST_PIVOT;
        for (size_t i = 0; i < n; i++)
            if (!used[i] && A[i + i * n] > most * d[i]) {
                best = i;
                most = A[i + i * n] / d[i];
            }
        if (best == n)
            break;
        used[best] = true;
        for (size_t i = 0; i < n; i++) {
            double share = A[i + best * n] / A[best + best * n];
            for (size_t j = 0; j < n && !used[i]; j++) {
                A[i + j * n] -= share * A[best + j * n];
                T[j + i * n] -= share * T[j + best * n];
            }
        }
    }
    ifd_status status = IFD_OK;
    for (size_t i = 0; i < n; i++)
        if (!used[i]) {
            const char *rest = others(scratch, opt, (int)i, T + i * n, d);
            status = ifd_note_add(note, IFD_SINGULAR, &opt->joint[i].place,
                                  "joint '%s' is a combination of %s: remove one of them", opt->joint[i].name,
                                  rest ? rest : "other joints");
        }
    return status;
}

/* Terms must refer to existing dofs, and a row must constrain something. */
static ifd_status check_terms(const ifd_couple_options *opt, ifd_note *note)
{
    ifd_status status = IFD_OK;
    for (int j = 0; j < opt->joints; j++) {
        const ifd_joint *joint = &opt->joint[j];
        double size = 0.0;
        for (int k = 0; k < joint->terms; k++) {
            const ifd_joint_term *t = &joint->term[k];
            if (t->part < 0 || t->part >= opt->parts)
                status = ifd_note_add(note, IFD_UNKNOWN_NAME, &joint->place,
                                      "joint '%s' refers to substructure %d of %d", joint->name, t->part, opt->parts);
            else if (t->dof < 0 || t->dof >= opt->part[t->part].model->n)
                status = ifd_note_add(note, IFD_UNKNOWN_NAME, &joint->place,
                                      "joint '%s' refers to a dof that substructure '%s' does not have (a dof "
                                      "without mass is condensed and cannot be joined: give it mass)",
                                      joint->name, opt->part[t->part].name);
            if (!isfinite(t->coefficient))
                status = ifd_note_add(note, IFD_NOT_FINITE, &joint->place,
                                      "joint '%s' has a coefficient that is not finite", joint->name);
            size += fabs(t->coefficient);
        }
        if (size == 0.0)
            status = ifd_note_add(note, IFD_RANGE, &joint->place,
                                  "joint '%s' has only zero coefficients: it joins nothing", joint->name);
    }
    return status;
}

/* H of the instant and its factors: those of the constant mass, or copies if it changes. */
static ifd_status own_factor(ifd_arena *arena, const ifd__interface *I, ifd__interface *out)
{
    size_t rows = (size_t)I->rows;
    out->Hnow = I->H0;
    out->LU = I->LU0;
    out->pivot = I->pivot0;
    if (!I->inertial)
        return IFD_OK;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(out->Hnow, rows * rows), IFD__ARRAY(out->LU, rows * rows),
                      IFD__ARRAY(out->pivot, rows)));
    memcpy(out->Hnow, I->H0, rows * rows * sizeof *I->H0);
    memcpy(out->LU, I->LU0, rows * rows * sizeof *I->LU0);
    memcpy(out->pivot, I->pivot0, rows * sizeof *I->pivot0);
    return IFD_OK;
}

ifd_status ifd__interface_make(ifd_arena *arena, const ifd_couple_options *opt, double feedback,
                               struct ifd__coupled *over, ifd__interface *I, ifd_note *note)
{
    *I = (ifd__interface){.rows = opt->joints,
                          .parts = opt->parts,
                          .feedback = feedback,
                          .over = over,
                          .sum = over ? ifd__distributed_sum : NULL};
    ifd_arena *scratch IFD__CLOSED = ifd_arena_open();
    size_t rows = (size_t)I->rows;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(I->part, I->parts), IFD__ARRAY(I->H0, rows * rows),
                      IFD__ARRAY(I->LU0, rows * rows), IFD__ARRAY(I->pivot0, rows), IFD__ARRAY(I->bias, rows),
                      IFD__ARRAY(I->term, rows)));
    IFD_TRY(check_terms(opt, note));
    for (int p = 0; p < I->parts; p++) {
        I->part[p].m = opt->part[p].model;
        I->part[p].away = I->over && !ifd__coupled_mine(I->over, p);
        I->inertial = I->inertial || opt->part[p].model->inertial;
    }
    if (I->inertial)
        IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(I->H, rows * rows)));
    for (int p = 0; p < I->parts; p++) {
        ifd_arena *own IFD__CLOSED = ifd_arena_open();
        IFD_TRY(part_make(arena, own, opt, p, I, note));
    }
    if (I->over && !ifd__distributed_inertia(I->over, I))
        return ifd_note_add(note, IFD_PEER, &opt->place, "a process does not answer");
    IFD_TRY(check_rank(scratch, I, opt, note));
    memcpy(I->LU0, I->H0, rows * rows * sizeof *I->H0);
    if (I->rows && !ifd__lu_factor(I->rows, I->LU0, I->pivot0))
        return ifd_note_add(note, IFD_SINGULAR, &opt->place, "the equations of the joints are singular");
    return own_factor(arena, I, I);
}

ifd_status ifd__interface_twin(ifd_arena *arena, const ifd__interface *I, ifd__interface *out, ifd_note *note)
{
    size_t rows = (size_t)I->rows;
    *out = *I;
    IFD_TRY(
        IFD__TAKE(arena, IFD__ARRAY(out->part, I->parts), IFD__ARRAY(out->bias, rows), IFD__ARRAY(out->term, rows)));
    IFD_TRY(own_factor(arena, I, out));
    memcpy(out->part, I->part, (size_t)I->parts * sizeof *I->part);
    for (int p = 0; p < I->parts; p++)
        IFD_TRY(out->part[p].away ? ifd__sight_make(arena, out, p, &out->part[p].mean)
                                  : part_scratch(arena, out, p, note));
    return IFD_OK;
}

ifd_status ifd__sight_make(ifd_arena *arena, const ifd__interface *I, int part, ifd__sight *out)
{
    const ifd_model *m = I->part[part].m;
    size_t n = m->inertial ? (size_t)m->n : 0, nq = (size_t)m->nq, ns = (size_t)m->ns;
    return IFD__TAKE(arena, IFD__ARRAY(out->lin, I->rows), IFD__ARRAY(out->q, nq), IFD__ARRAY(out->qd, nq),
                     IFD__ARRAY(out->s, ns), IFD__ARRAY(out->u, n), IFD__ARRAY(out->v, n));
}

void ifd__lists_add(const ifd__lists *L, int rows, double alpha, const double *x, double *y)
{
    enum { SHORT = 16 }; /* below this length a call costs more than it saves */
    for (int j = 0; j < rows; j++) {
        int from = L->start[j], end = L->start[j + 1];
        double sum = 0.0;
        if (end - from == L->n && L->n >= SHORT)
            sum = ifd__dot(L->n, L->value + from, x);
        else
            for (int k = from; k < end; k++)
                sum += L->value[k] * x[L->dof[k]];
        y[j] += alpha * sum;
    }
}

void ifd__interface_see(const ifd__interface *I, int p, const double *u, ifd__sight *out)
{
    const ifd__seen_part *part = &I->part[p];
    const ifd_model *m = part->m;
    const double *v = u + m->n, *s = v + m->n;
    memset(out->lin, 0, sizeof(double) * (size_t)I->rows);
    ifd__lists_add(&part->Qk, I->rows, -1.0, u, out->lin);
    ifd__lists_add(&part->Qc, I->rows, -1.0, v, out->lin);
    ifd__model_gather(m, u, out->q);
    ifd__model_gather(m, v, out->qd);
    memcpy(out->s, s, sizeof(double) * (size_t)m->ns);
    if (m->inertial) {
        memcpy(out->u, u, sizeof(double) * (size_t)m->n);
        memcpy(out->v, v, sizeof(double) * (size_t)m->n);
    }
}

/* Interpolation of a substructure: the fraction theta between two sights. */
typedef struct view {
    const ifd__sight *a, *b;
    double theta;
} view;

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

/* y += G M^-1 (P - R) of a substructure with constant mass. */
IFD_RT static void add_constant(const ifd__interface *I, const ifd__seen_part *s, double t, view at, double *y)
{
    const ifd__sight *a = at.a, *b = at.b;
    double theta = at.theta;
    const ifd_model *m = s->m;
    int rows = I->rows;
    for (int j = 0; j < rows; j++)
        y[j] += a->lin[j] + theta * (b->lin[j] - a->lin[j]);
    add_inputs(s, rows, t, y);
    for (int j = 0; s->measured && j < rows; j++)
        y[j] += ifd__dot(m->n, s->MG + (size_t)j * (size_t)m->n, s->measured);
    if (!m->ne)
        return;
    double *r = s->w;
    between(m->nq, a->q, b->q, theta, s->mean.q);
    between(m->nq, a->qd, b->qd, theta, s->mean.qd);
    between(m->ns, a->s, b->s, theta, s->mean.s);
    if (s->accepts)
        ifd__model_recall(m, a->s, s->mean.s);
    ifd__model_add_supports(m, t, s->mean.q, s->mean.qd);
    ifd__model_forces(m, &(ifd_element_in){.t = t, .q = s->mean.q, .qd = s->mean.qd, .s = s->mean.s}, r, s->g);
    ifd__mul_add(rows, m->nq, -1.0, s->E, r, y);
}

/* The same for a substructure whose mass depends on its configuration; adds its contribution to H. */
IFD_RT static bool add_inertial(ifd__interface *I, const ifd__seen_part *s, double t, view at, double *y)
{
    const ifd__sight *a = at.a, *b = at.b;
    double theta = at.theta;
    const ifd_model *m = s->m;
    between(m->n, a->u, b->u, theta, s->mean.u);
    between(m->n, a->v, b->v, theta, s->mean.v);
    between(m->ns, a->s, b->s, theta, s->mean.s);
    if (s->accepts)
        ifd__model_recall(m, a->s, s->mean.s);
    const ifd__point p = {.t = t, .u = s->mean.u, .v = s->mean.v, .s = s->mean.s};
    ifd__model_balance(m, &p, s->F, s->g, s->w);
    for (int i = 0; s->measured && i < m->n; i++)
        s->F[i] += s->measured[i];
    bool ok = ifd__tangent_update(s->mass, &p);
    ifd__tangent_solve(s->mass, s->F);
    ifd__lists_add(&s->G, I->rows, 1.0, s->F, y);
    for (int j = 0; j < I->rows; j++) {
        memset(s->F, 0, sizeof(double) * (size_t)m->n);
        for (int k = s->G.start[j]; k < s->G.start[j + 1]; k++)
            s->F[s->G.dof[k]] += s->G.value[k];
        ifd__tangent_solve(s->mass, s->F);
        ifd__lists_add(&s->G, I->rows, 1.0, s->F, I->Hnow + (size_t)j * (size_t)I->rows);
    }
    return ok;
}

bool ifd__interface_term(ifd__interface *I, int p, const ifd__views *at, double *y)
{
    const ifd__seen_part *s = &I->part[p];
    const view between_them = {at->from[p], at->to[p], at->theta[p]};
    memset(y, 0, sizeof(double) * (size_t)I->rows);
    if (s->m->inertial)
        return add_inertial(I, s, at->t, between_them, y);
    add_constant(I, s, at->t, between_them, y);
    return true;
}

/* Each term is summed on its own: the bits do not depend on the process that has the substructure. */
bool ifd__interface_free(ifd__interface *I, double t, const ifd__sight *const *from, const ifd__sight *const *to,
                         const double *theta, double *y)
{
    const ifd__views at = {t, from, to, theta};
    bool ok = true;
    if (I->inertial)
        memcpy(I->Hnow, I->H, sizeof(double) * (size_t)(I->rows * I->rows));
    if (I->sum)
        return I->sum(I->over, I, &at, y);
    memset(y, 0, sizeof(double) * (size_t)I->rows);
    for (int p = 0; p < I->parts; p++) {
        ok = ifd__interface_term(I, p, &at, I->term) && ok;
        for (int j = 0; j < I->rows; j++)
            y[j] += I->term[j];
    }
    return ok;
}

bool ifd__interface_solve(ifd__interface *I, double t, const ifd__sight *const *from, const ifd__sight *const *to,
                          const double *theta, double *lambda)
{
    return !I->rows || ifd__interface_react(I, ifd__interface_free(I, t, from, to, theta, lambda), lambda);
}

bool ifd__interface_react(ifd__interface *I, bool ok, double *lambda)
{
    if (I->inertial) {
        memcpy(I->LU, I->Hnow, sizeof(double) * (size_t)(I->rows * I->rows));
        ok = ifd__lu_factor(I->rows, I->LU, I->pivot) && ok;
    }
    ifd__lu_solve(I->rows, I->LU, I->pivot, 1, lambda);
    for (int j = 0; j < I->rows; j++)
        lambda[j] = I->bias[j] - lambda[j];
    return ok;
}

void ifd__interface_load(const ifd__interface *I, int p, const double *lambda, double *load)
{
    const ifd__lists *G = &I->part[p].G;
    memset(load, 0, sizeof(double) * (size_t)I->part[p].m->n);
    for (int j = 0; j < I->rows; j++)
        for (int k = G->start[j]; k < G->start[j + 1]; k++)
            load[G->dof[k]] += G->value[k] * lambda[j];
    const double *measured = I->part[p].measured;
    for (int i = 0; measured && i < I->part[p].m->n; i++)
        load[i] += measured[i];
}

void ifd__interface_gap(const ifd__interface *I, int p, const double *x, double *y)
{
    ifd__lists_add(&I->part[p].G, I->rows, 1.0, x, y);
}

void ifd__interface_feed_back(ifd__interface *I, const double *gap, const double *rate)
{
    double a = I->feedback;
    for (int j = 0; j < I->rows; j++)
        I->bias[j] = -(2.0 * a * rate[j] + a * a * gap[j]);
    ifd__lu_solve(I->rows, I->LU0, I->pivot0, 1, I->bias);
}

void ifd__interface_rest(ifd__interface *I)
{
    memset(I->bias, 0, sizeof *I->bias * (size_t)I->rows);
}
