/* SPDX-License-Identifier: MIT */
/* Modal damping as a dense matrix or a part of low rank. */
#include "model/damping.h"

#include <cblas.h>
#include <math.h>

#include "model/element/large_member.h"
#include "model/equilibrium/at_rest.h"

enum { ALL = 1000, USUAL = 100 }; /* dofs up to which all modes are damped; modes above, unless given */

static const double EQUAL = 1e-6; /* of lambda: one frequency */
static const double NONE = 1e-9;  /* of the damping of a mode: nothing is left besides b K */

static double ratio_of(const ifd_builder *b, int mode)
{
    return mode < b->nzeta ? b->zeta[mode] : b->zeta_rest ? b->zeta[b->nzeta - 1] : 0.0;
}

/* Z (n x modes) := M phi_i sqrt(2 zeta_i omega_i), so that C += Z Z^T; returns the number of damped modes. */
static int scaled_shapes(const ifd_builder *b, const double *M, const ifd_modes *modes, double *Z)
{
    int n = modes->n, used = 0;
    for (int i = 0; i < modes->count; i++) {
        double zeta = ratio_of(b, i);
        double omega = 2.0 * acos(-1.0) * modes->frequency[i];
        if (!(zeta * omega > 0.0))
            continue;
        cblas_dsymv(CblasColMajor, CblasLower, n, sqrt(2.0 * zeta * omega), M, n,
                    modes->shape + (size_t)i * (size_t)n, 1, 0.0, Z + (size_t)used++ * (size_t)n, 1);
    }
    return used;
}

/* out := C + D, D dense n x n with its lower triangle set. */
static ifd_status add_dense(ifd_arena *arena, ifd_arena *scratch, const ifd_sparse *C, const double *D,
                            ifd_sparse *out)
{
    int n = C->n;
    ifd__triplets t = {.arena = scratch};
    ifd_sparse modal;
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++)
            ifd__triplet(&t, i, j, D[(size_t)i + (size_t)j * (size_t)n]);
    IFD_TRY(ifd__sparse_make(scratch, n, &t, true, &modal));
    return ifd__sparse_add(arena, 1.0, C, 1.0, &modal, out);
}

ifd_status ifd__modal_check(const ifd_builder *b, ifd_note *note)
{
    for (int i = 0; i < b->nzeta; i++)
        if (!(b->zeta[i] >= 0.0) || !isfinite(b->zeta[i]))
            return ifd_note_about(note, IFD_RANGE, "modal-damping",
                                  "modal damping ratio %d is %.9g; expected zero or more", i + 1, b->zeta[i]);
    return IFD_OK;
}

int ifd__modal_own(const ifd_builder *b, int n, bool reduced)
{
    int own = b->modal_count;
    if (!own && n <= ALL && !reduced)
        return n;
    if (!own)
        own = USUAL < n / 4 ? USUAL : n / 4;
    if (own < b->nzeta || !b->zeta_rest)
        own = b->nzeta;
    return own < n - reduced ? own : n - reduced;
}

static double omega_of(double lambda)
{
    return sqrt(fmax(0.0, lambda));
}

/* True if pairs i and i + 1 have one frequency: their shapes are arbitrary within a plane. */
static bool equal_next(const ifd__eigenpairs *pairs, int i)
{
    return pairs->lambda[i + 1] - pairs->lambda[i] <= EQUAL * pairs->lambda[i + 1];
}

/* The mean ratio of the modes that have the frequency of this one; the last of the pairs is not among them. */
static double mean_ratio(const ifd_builder *b, const ifd__eigenpairs *pairs, int own, int mode)
{
    int first = mode, last = mode;
    double sum = 0.0;
    while (first > 0 && equal_next(pairs, first - 1))
        first--;
    while (last + 1 < own && equal_next(pairs, last))
        last++;
    for (int i = first; i <= last; i++)
        sum += ratio_of(b, i);
    return sum / (last - first + 1);
}

/* The largest b that leaves no mode with more damping than its own. */
static double background(const ifd__eigenpairs *pairs, int own, const double *zeta)
{
    double least = HUGE_VAL;
    for (int i = 0; i < own; i++)
        if (omega_of(pairs->lambda[i]) > 0.0)
            least = fmin(least, 2.0 * zeta[i] / omega_of(pairs->lambda[i]));
    return isfinite(least) ? least : 0.0;
}

ifd_status ifd__modal_part_make(ifd_arena *arena, const ifd_builder *b, const ifd_sparse *M,
                                const ifd__eigenpairs *pairs, ifd__modal_part *out)
{
    size_t n = (size_t)M->n;
    int own = pairs->count - 1;
    double *zeta;
    while (own > 1 && equal_next(pairs, own - 1))
        own--;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(out->Z, n * (size_t)own), IFD__ARRAY(zeta, own)));
    for (int i = 0; i < own; i++)
        zeta[i] = mean_ratio(b, pairs, own, i);
    *out = (ifd__modal_part){.own = own, .Z = out->Z, .b = b->zeta_rest ? background(pairs, own, zeta) : 0.0};
    for (int i = 0; i < own; i++) {
        double omega = omega_of(pairs->lambda[i]), d = 2.0 * zeta[i] * omega - out->b * omega * omega;
        out->highest = omega / (2.0 * acos(-1.0));
        if (d > NONE * 2.0 * zeta[i] * omega)
            ifd__sparse_mul_add(M, sqrt(d), pairs->shape + (size_t)i * n, out->Z + (size_t)out->count++ * n);
    }
    return IFD_OK;
}

/* All modes, and a dense matrix. */
static ifd_status damp_all(ifd_arena *arena, ifd_arena *scratch, const ifd_builder *b, ifd_model *m, ifd_note *note)
{
    size_t n = (size_t)m->n;
    ifd_modes modes;
    int wanted = b->zeta_rest ? m->n : b->nzeta;
    IFD_TRY(ifd_model_modes(m, IFD_DOF_X, wanted, scratch, &modes, note));
    double *Z, *D, *M;
    IFD_TRY(IFD__TAKE(scratch, IFD__ARRAY(Z, n * (size_t)modes.count), IFD__ARRAY(D, n * n), IFD__ARRAY(M, n * n)));
    ifd__rest_mass(m, M);
    int used = scaled_shapes(b, M, &modes, Z);
    if (used == 0)
        return IFD_OK;
    cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, m->n, used, 1.0, Z, m->n, 0.0, D, m->n);
    ifd_sparse C = m->C;
    return add_dense(arena, scratch, &C, D, &m->C);
}

/* C += b times the stiffness at rest of the elements; skip (ne): but not of these, or NULL. */
static ifd_status damp_elements(ifd_arena *arena, ifd_arena *scratch, double b, const bool *skip, ifd_model *m)
{
    ifd__rest rest;
    ifd_sparse K, elements, C = m->C;
    if (!m->ne)
        return IFD_OK;
    IFD_TRY(ifd__rest_make(scratch, m, &rest));
    ifd__rest_eval(&rest, 0.0);
    IFD_TRY(ifd__rest_stiffness(scratch, &rest, skip, &K));
    IFD_TRY(ifd__sparse_add(scratch, 1.0, &K, -1.0, &m->K, &elements));
    return ifd__sparse_add(arena, 1.0, &C, b, &elements, &m->C);
}

/* C += b K: a part of the Rayleigh damping, with the supports; of the elements a part of C. */
static ifd_status add_background(ifd_arena *arena, ifd_arena *scratch, double b, ifd_model *m)
{
    size_t columns = (size_t)m->n * (size_t)m->nsupport, own = (size_t)m->nsupport * (size_t)m->nsupport;
    double *Cs, *Css;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(Cs, columns), IFD__ARRAY(Css, own)));
    for (size_t i = 0; i < columns; i++)
        Cs[i] = m->Cs[i] + b * m->Ks[i];
    for (size_t i = 0; i < own && m->Css; i++)
        Css[i] = m->Css[i] + b * m->Kss[i];
    m->Cs = m->Cs ? Cs : NULL;
    m->Css = m->Css ? Css : NULL;
    m->ray_k += b;
    return damp_elements(arena, scratch, b, NULL, m);
}

ifd_status ifd__rayleigh_elements(ifd_arena *arena, ifd_arena *scratch, const ifd_builder *b, ifd_model *m,
                                  ifd_note *note)
{
    bool *skip, some = false;
    if (m->ne == 0 || m->ray_k == 0.0)
        return IFD_OK;
    IFD_TRY(IFD__TAKE(scratch, IFD__ARRAY(skip, m->ne)));
    for (int e = 0; e < m->ne; e++) {
        const ifd__large_member *large = ifd__large_member_of(&m->element[e]);
        skip[e] = !b->ray_elements && !(large && !large->fibres);
        some = some || !skip[e];
    }
    if (!some)
        return IFD_OK;
    if (m->bs_start && m->bs_start[m->nq] > 0)
        return ifd_note_about(note, IFD_UNSUPPORTED, "rayleigh",
                              "%s cannot be used with elements between a dof and a moving support",
                              b->ray_elements ? "'elements: initial'" : "'stiffness' of a frame that turns");
    return damp_elements(arena, scratch, m->ray_k, skip, m);
}

void ifd__modal_remark(const ifd__modal_part *part, ifd_note *note)
{
    const char *above = part->b > 0.0 ? "higher ones have damping proportional to the stiffness" : "others have none";
    ifd_note_remark(note, NULL, "modal damping: the %d lowest modes, up to %.4g Hz, have their ratios; %s", part->own,
                    part->highest, above);
}

static ifd_status damp_lowest(ifd_arena *arena, ifd_arena *scratch, const ifd_builder *b, ifd_model *m,
                              ifd_note *note)
{
    ifd_modes modes;
    ifd_sparse M;
    ifd__modal_part part;
    if (!m->C.symmetric)
        return ifd_note_add(note, IFD_NOT_SYMMETRIC, NULL,
                            "modal damping of the lowest modes (modal-count) needs a symmetric damping matrix");
    IFD_TRY(ifd_model_modes(m, IFD_DOF_X, ifd__modal_own(b, m->n, false) + 1, scratch, &modes, note));
    ifd__eigenpairs pairs = {.count = modes.count, .shape = modes.shape};
    IFD_TRY(IFD__TAKE(scratch, IFD__ARRAY(pairs.lambda, modes.count)));
    for (int i = 0; i < modes.count; i++)
        pairs.lambda[i] = copysign(pow(2.0 * acos(-1.0) * modes.frequency[i], 2.0), modes.frequency[i]);
    IFD_TRY(ifd__rest_sparse_mass(scratch, m, &M));
    IFD_TRY(ifd__modal_part_make(arena, b, &M, &pairs, &part));
    if (part.b > 0.0)
        IFD_TRY(add_background(arena, scratch, part.b, m));
    m->C.rank = part.count;
    m->C.Z = part.Z;
    m->C.weight = 1.0;
    ifd__modal_remark(&part, note);
    return IFD_OK;
}

ifd_status ifd__modal_damping(ifd_arena *arena, ifd_arena *scratch, const ifd_builder *b, ifd_model *m,
                              ifd_note *note)
{
    if (b->nzeta == 0)
        return IFD_OK;
    IFD_TRY(ifd__modal_check(b, note));
    return (ifd__modal_own(b, m->n, false) == m->n ? damp_all : damp_lowest)(arena, scratch, b, m, note);
}
