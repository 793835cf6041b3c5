/* SPDX-License-Identifier: MIT */
/* Modes of (K + tangents of elements at rest) phi = omega^2 M phi, M with the mass of elements there. */
#include "model/model.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "algebra/dense.h"
#include "algebra/eigen.h"
#include "base/memory.h"
#include "model/damping.h"
#include "model/equilibrium/at_rest.h"
#include "base/arena.h"

/* Up to FEW dofs, and for more than a quarter of the modes, LAPACK computes the modes; else ARPACK. */
enum { FEW = 1000 };

static bool symmetric_block(int nq, const double *k)
{
    double most = 0.0, off = 0.0;
    for (int j = 0; j < nq; j++)
        for (int i = 0; i < nq; i++) {
            most = fmax(most, fabs(k[i + j * nq]));
            off = fmax(off, fabs(k[i + j * nq] - k[j + i * nq]));
        }
    return off <= 1e-10 * most;
}

/* out := K + stiffness of elements at rest. */
static ifd_status add_stiffness(const ifd_model *m, ifd_arena *scratch, ifd_sparse *out, ifd_note *note)
{
    ifd__rest rest;
    bool *skip;
    IFD_TRY(ifd__rest_make(scratch, m, &rest));
    IFD_TRY(IFD__TAKE(scratch, IFD__ARRAY(skip, m->ne)));
    ifd__rest_eval(&rest, 0.0);
    for (int e = 0; e < m->ne; e++) {
        const ifd_element *element = &m->element[e];
        skip[e] = !symmetric_block(element->nq, rest.k + m->mm_of[e]);
        if (skip[e])
            ifd_note_remark(note, NULL, "the modes do not include element '%s' (%s): its stiffness is not symmetric",
                            element->name, element->ops->name);
    }
    return ifd__rest_stiffness(scratch, &rest, skip, out);
}

/* gamma (n) += B m iota, mass += iota m iota of the inertial elements. */
static void add_participation(const ifd_model *m, const double *iota, double *gamma, double *mass)
{
    for (int e = 0; e < m->ne; e++) {
        int nq = m->element[e].nq, at = m->q_of[e];
        double mm[IFD__INERTIAL_COORDINATES * IFD__INERTIAL_COORDINATES], y[IFD__INERTIAL_COORDINATES] = {0.0};
        if (!ifd__rest_element_mass(m, e, mm))
            continue;
        ifd__mul_add(nq, nq, 1.0, mm, iota + at, y);
        *mass += ifd__dot(nq, y, iota + at);
        for (int d = 0; d < nq; d++)
            for (int j = m->b_start[at + d]; j < m->b_start[at + d + 1]; j++)
                gamma[m->b_dof[j]] += m->b_value[j] * y[d];
    }
}

static bool few(int n, int count)
{
    return n <= FEW || count > n / 4;
}

/* Full matrices, with the work of dsygvd for more than half of the modes; or the vectors of ARPACK. The shapes. */
static ifd_status check_memory(int n, int count, ifd_note *note)
{
    double full = (2 * count > n ? 4.0 : 2.0) * n, vectors = few(n, count) ? full : 4.0 * count + 100.0;
    ifd_status status = ifd__memory_check(8.0 * n * (vectors + count), "the computation of these modes", note);
    if (status != IFD_OK)
        ifd_note_hint(note,
                      "compute fewer modes (up to %d need no full matrices), or reduce the model (reduce: "
                      "{frequency: 50 Hz})",
                      n / 4);
    return status;
}

/* The lowest count eigenpairs of K phi = lambda M phi by LAPACK: lambda (n), shape (n x count). */
static ifd_status solve_dense(const ifd__pencil *p, int count, double *lambda, double *shape, ifd_arena *scratch,
                              ifd_note *note)
{
    int n = p->K->n;
    size_t all = (size_t)n * (size_t)n;
    double *K, *M;
    lapack_int info, found = count, *fail;
    IFD_TRY(check_memory(n, count, note));
    IFD_TRY(IFD__TAKE(scratch, IFD__ARRAY(K, all), IFD__ARRAY(M, all), IFD__ARRAY(fail, n)));
    ifd__sparse_fill(p->K, K);
    ifd__sparse_fill(p->M, M);
    if (2 * count > n) {
        info = LAPACKE_dsygvd(LAPACK_COL_MAJOR, 1, 'V', 'L', n, K, n, M, n, lambda);
        memcpy(shape, K, (size_t)n * (size_t)count * sizeof *shape);
    } else
        info = LAPACKE_dsygvx(LAPACK_COL_MAJOR, 1, 'V', 'I', 'L', n, K, n, M, n, 0.0, 0.0, 1, count, 0.0, &found,
                              lambda, shape, n, fail);
    if (info == LAPACK_WORK_MEMORY_ERROR || info == LAPACK_TRANSPOSE_MEMORY_ERROR)
        return IFD_NO_MEMORY;
    if (info > n)
        return ifd_note_add(note, IFD_NOT_POSITIVE, NULL, "the mass matrix at rest is not positive definite");
    if (info != 0 || found < count)
        return ifd_note_add(note, IFD_INTERNAL, NULL, "the eigenvalues could not be computed (%d)", (int)info);
    return IFD_OK;
}

static ifd_status solve_sparse(const ifd__pencil *p, int count, double *lambda, double *shape, ifd_arena *scratch,
                               ifd_note *note)
{
    ifd_sparse K = *p->K, M = *p->M;
    ifd__eigenpairs pairs;
    IFD_TRY(ifd__sparse_pack(scratch, &K));
    IFD_TRY(ifd__sparse_pack(scratch, &M));
    IFD_TRY(ifd__eigenpairs_lowest(scratch, &(ifd__pencil){&K, &M}, count, &pairs, note));
    memcpy(lambda, pairs.lambda, (size_t)count * sizeof *lambda);
    memcpy(shape, pairs.shape, (size_t)p->K->n * (size_t)count * sizeof *shape);
    return IFD_OK;
}

/* Defined sign: the largest component of a shape is positive. */
static void orient(int n, double *shape)
{
    int largest = 0;
    for (int i = 1; i < n; i++)
        if (fabs(shape[i]) > fabs(shape[largest]) * (1.0 + 1e-9))
            largest = i;
    double sign = shape[largest] < 0.0 ? -1.0 : 1.0;
    for (int i = 0; i < n; i++)
        shape[i] *= sign;
}

static double to_hertz(double lambda, double largest)
{
    if (fabs(lambda) <= 1e-12 * largest)
        return 0.0; /* rigid-body motion, within round-off */
    return copysign(sqrt(fabs(lambda)), lambda) / (2.0 * acos(-1.0));
}

/* The same with dofs without mass, whose modes have no frequency: M phi = mu K phi, lambda = 1/mu, and shapes of unit
 * mass. K must hold all dofs. */
static ifd_status solve_inverse(const ifd__pencil *p, int count, double *lambda, double *shape, ifd_arena *scratch,
                                ifd_note *note)
{
    size_t n = (size_t)p->K->n;
    double *K, *M;
    IFD_TRY(check_memory((int)n, (int)n, note));
    IFD_TRY(IFD__TAKE(scratch, IFD__ARRAY(K, n * n), IFD__ARRAY(M, n * n)));
    ifd__sparse_fill(p->K, K);
    ifd__sparse_fill(p->M, M);
    if (LAPACKE_dsygvd(LAPACK_COL_MAJOR, 1, 'V', 'L', (int)n, M, (int)n, K, (int)n, lambda) != 0)
        return ifd_note_add(note, IFD_NOT_POSITIVE, NULL,
                            "the stiffness at rest is not positive definite, and dofs have no mass");
    for (int i = 0; i < count; i++) {
        double mu = lambda[n - 1 - (size_t)i];
        for (size_t j = 0; j < n; j++)
            shape[(size_t)i * n + j] = M[(n - 1 - (size_t)i) * n + j] / sqrt(mu);
        K[i] = 1.0 / mu;
    }
    memcpy(lambda, K, (size_t)count * sizeof *lambda);
    return IFD_OK;
}

ifd_status ifd__pencil_modes(ifd_arena *scratch, const ifd__pencil *p, int count, double *lambda, double *shape,
                             ifd_note *note)
{
    return (few(p->K->n, count) ? solve_dense : solve_sparse)(p, count, lambda, shape, scratch, note);
}

/* Names the entry that differs most from the transposed one. */
static void say_unsymmetric(const ifd_model *m, ifd_note *note)
{
    const ifd_sparse *K = &m->K;
    double worst = -1.0;
    int row = 0, column = 0;
    for (int j = 0; j < m->n; j++)
        for (int k = K->p[j]; k < K->p[j + 1]; k++) {
            double difference = K->i[k] < m->n ? fabs(K->x[k] - ifd__sparse_get(K, j, K->i[k])) : 0.0;
            if (difference > worst) {
                worst = difference;
                row = K->i[k];
                column = j;
            }
        }
    const char *a = m->dof_name[row], *b = m->dof_name[column];
    ifd_note_add(
        note, IFD_NOT_SYMMETRIC, NULL,
        "the modes need a symmetric stiffness matrix: entry ('%s', '%s') is %.9g, entry ('%s', '%s') is %.9g", a, b,
        ifd__sparse_get(K, row, column), b, a, ifd__sparse_get(K, column, row));
    if (note)
        ifd_note_hint(note, "interfield stability prints frequencies and damping of an unsymmetric model");
}

ifd_status ifd_model_modes(const ifd_model *m, ifd_dof_kind direction, int count, ifd_arena *arena, ifd_modes *out,
                           ifd_note *note)
{
    ifd_arena *scratch IFD__CLOSED = ifd_arena_open();
    ifd_sparse K, M;
    double *lambda, *gamma, *frequency, *shape, *participation, largest = 0.0;
    memset(out, 0, sizeof *out);
    if (direction > IFD_DOF_Z)
        return ifd_note_add(note, IFD_RANGE, NULL, "the direction of the ground motion must be x, y or z");
    if (!m->K.symmetric) {
        say_unsymmetric(m, note);
        return IFD_NOT_SYMMETRIC;
    }
    int heavy = m->n;
    for (int i = 0; m->massless && i < m->n; i++)
        heavy -= m->massless[i];
    out->count = count < 0 || count > heavy ? heavy : count;
    IFD_TRY(check_memory(m->n, out->count, note));
    size_t n = (size_t)m->n, kept = (size_t)out->count;
    IFD_TRY(IFD__TAKE(scratch, IFD__ARRAY(lambda, n), IFD__ARRAY(gamma, n)));
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(frequency, kept), IFD__ARRAY(shape, n * kept),
                      IFD__ARRAY(participation, 2 * kept)));
    IFD_TRY(ifd__rest_sparse_mass(scratch, m, &M));
    const ifd__ground *ground = &m->ground[direction];
    for (size_t i = 0; i < n; i++)
        gamma[i] = -ground->p[i];
    out->total_mass = ground->mass;
    add_participation(m, ground->q, gamma, &out->total_mass);
    IFD_TRY(add_stiffness(m, scratch, &K, note));
    for (int i = 0; i < m->n; i++)
        if (!m->massless || !m->massless[i])
            largest = fmax(largest, fabs(ifd__sparse_get(&K, i, i) / ifd__sparse_get(&M, i, i)));
    const ifd__pencil pencil = {&K, &M};
    IFD_TRY(m->massless ? solve_inverse(&pencil, out->count, lambda, shape, scratch, note)
                        : ifd__pencil_modes(scratch, &pencil, out->count, lambda, shape, note));
    for (size_t i = 0; i < kept; i++) {
        orient(m->n, shape + i * n);
        frequency[i] = to_hertz(lambda[i], largest);
        participation[i] = ifd__dot(m->n, shape + i * n, gamma);
        participation[kept + i] = participation[i] * participation[i];
    }
    out->n = m->n;
    out->frequency = frequency;
    out->shape = shape;
    out->participation = participation;
    out->effective_mass = participation + kept;
    return IFD_OK;
}
