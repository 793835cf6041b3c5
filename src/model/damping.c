/* SPDX-License-Identifier: MIT */
#include "model/damping.h"

#include <cblas.h>
#include <math.h>

#include "model/equilibrium/at_rest.h"

enum { LARGEST = 1000 };

/* Z (n x modes) := M phi_i sqrt(2 zeta_i omega_i), so that C += Z Z^T; returns the number of damped modes. */
static int scaled_shapes(const ifd_builder *b, const double *M, const ifd_modes *modes, double *Z)
{
    int n = modes->n, used = 0;
    for (int i = 0; i < modes->count; i++) {
        double zeta = i < b->nzeta ? b->zeta[i] : b->zeta_rest ? b->zeta[b->nzeta - 1] : 0.0;
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

static ifd_status check_ratios(const ifd_builder *b, const ifd_model *m, ifd_note *note)
{
    for (int i = 0; i < b->nzeta; i++)
        if (!(b->zeta[i] >= 0.0) || !isfinite(b->zeta[i]))
            return ifd_note_about(note, IFD_RANGE, "modal-damping",
                                  "modal damping ratio %d is %.9g; expected zero or more", i + 1, b->zeta[i]);
    if (m->n > LARGEST) {
        ifd_note_about(note, IFD_TOO_LARGE, "modal-damping", "modal damping of a model with %d dofs; the limit is %d",
                       m->n, LARGEST);
        ifd_note_hint(note, "use Rayleigh damping");
        return IFD_TOO_LARGE;
    }
    return IFD_OK;
}

ifd_status ifd__modal_damping(ifd_arena *arena, ifd_arena *scratch, const ifd_builder *b, ifd_model *m,
                              ifd_note *note)
{
    if (b->nzeta == 0)
        return IFD_OK;
    IFD_TRY(check_ratios(b, m, note));
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
