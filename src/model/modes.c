/* SPDX-License-Identifier: MIT */
/* Modes of (K + tangents of elements at rest) phi = omega^2 M phi, M with the mass of elements there. */
#include "model/model.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "algebra/dense.h"
#include "model/equilibrium/at_rest.h"

enum { LARGEST = 4000 };

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

/* K += stiffness of elements at rest. */
static ifd_status add_stiffness(const ifd_model *m, ifd_arena *scratch, double *K, ifd_note *note)
{
    ifd__rest rest;
    IFD_TRY(ifd__rest_make(scratch, m, &rest));
    ifd__rest_eval(&rest, 0.0);
    for (int e = 0; e < m->ne; e++) {
        const ifd_element *element = &m->element[e];
        if (symmetric_block(element->nq, rest.k + m->mm_of[e]))
            ifd__rest_add(&rest, e, K);
        else
            ifd_note_remark(note, NULL, "the modes do not include element '%s' (%s): its stiffness is not symmetric",
                            element->name, element->ops->name);
    }
    return IFD_OK;
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

/* K phi = lambda M phi */
typedef struct pencil {
    int n;
    double *K, *M;
} pencil;

/* Its lowest count eigenpairs: lambda (n), shape (n x count). K and M are overwritten. */
static ifd_status solve(const pencil *p, int count, double *lambda, double *shape, ifd_arena *scratch, ifd_note *note)
{
    int n = p->n;
    lapack_int info, found = count, *fail = ifd_arena_array(scratch, (size_t)n, sizeof *fail);
    if (!fail)
        return IFD_NO_MEMORY;
    if (2 * count > n) {
        info = LAPACKE_dsygvd(LAPACK_COL_MAJOR, 1, 'V', 'L', n, p->K, n, p->M, n, lambda);
        memcpy(shape, p->K, (size_t)n * (size_t)count * sizeof *shape);
    } else
        info = LAPACKE_dsygvx(LAPACK_COL_MAJOR, 1, 'V', 'I', 'L', n, p->K, n, p->M, n, 0.0, 0.0, 1, count, 0.0,
                              &found, lambda, shape, n, fail);
    if (info == LAPACK_WORK_MEMORY_ERROR || info == LAPACK_TRANSPOSE_MEMORY_ERROR)
        return IFD_NO_MEMORY;
    if (info > n)
        return ifd_note_add(note, IFD_NOT_POSITIVE, NULL, "the mass matrix at rest is not positive definite");
    if (info != 0 || found < count)
        return ifd_note_add(note, IFD_INTERNAL, NULL, "the eigenvalues could not be computed (%d)", (int)info);
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

static ifd_status find_modes(const ifd_model *m, ifd_dof_kind direction, ifd_arena *arena, ifd_arena *scratch,
                             ifd_modes *out, ifd_note *note)
{
    size_t n = (size_t)m->n, count = (size_t)out->count;
    double *K, *M, *lambda, *gamma, *frequency, *shape, *participation;
    IFD_TRY(
        IFD__TAKE(scratch, IFD__ARRAY(K, n * n), IFD__ARRAY(M, n * n), IFD__ARRAY(lambda, n), IFD__ARRAY(gamma, n)));
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(frequency, count), IFD__ARRAY(shape, n * count),
                      IFD__ARRAY(participation, 2 * count)));
    ifd__sparse_fill(&m->K, K);
    ifd__rest_mass(m, M);
    const ifd__ground *ground = &m->ground[direction];
    for (size_t i = 0; i < n; i++)
        gamma[i] = -ground->p[i];
    out->total_mass = ground->mass;
    add_participation(m, ground->q, gamma, &out->total_mass);
    IFD_TRY(add_stiffness(m, scratch, K, note));
    double largest = 0.0;
    for (size_t i = 0; i < n; i++)
        largest = fmax(largest, fabs(K[i * (n + 1)] / M[i * (n + 1)]));
    IFD_TRY(solve(&(pencil){m->n, K, M}, out->count, lambda, shape, scratch, note));
    for (size_t i = 0; i < count; i++) {
        orient(m->n, shape + i * n);
        frequency[i] = to_hertz(lambda[i], largest);
        participation[i] = ifd__dot(m->n, shape + i * n, gamma);
        participation[count + i] = participation[i] * participation[i];
    }
    out->n = m->n;
    out->frequency = frequency;
    out->shape = shape;
    out->participation = participation;
    out->effective_mass = participation + count;
    return IFD_OK;
}

ifd_status ifd_model_modes(const ifd_model *m, ifd_dof_kind direction, int count, ifd_arena *arena, ifd_modes *out,
                           ifd_note *note)
{
    memset(out, 0, sizeof *out);
    if (direction > IFD_DOF_Z)
        return ifd_note_add(note, IFD_RANGE, NULL, "the direction of the ground motion must be x, y or z");
    if (m->n > LARGEST)
        return ifd_note_add(note, IFD_TOO_LARGE, NULL, "modes of a model with %d dofs; the limit is %d", m->n,
                            LARGEST);
    if (!m->K.symmetric)
        return ifd_note_add(note, IFD_NOT_SYMMETRIC, NULL, "the modes need a symmetric stiffness matrix");
    ifd_arena *scratch = ifd_arena_open();
    if (!scratch)
        return IFD_NO_MEMORY;
    out->count = count < 0 || count > m->n ? m->n : count;
    ifd_status status = find_modes(m, direction, arena, scratch, out, note);
    ifd_arena_close(scratch);
    return status;
}
