/* SPDX-License-Identifier: MIT */
/* Modal damping. Up to 1,000 dofs all modes have their ratio, C += M Phi diag(2 zeta omega) Phi^T M, a dense matrix.
 * Above, and wherever a number of modes is given, these modes have it:
 *
 *     C += b K + Z Z^T,    Z_i = M phi_i sqrt(2 zeta_i omega_i - b omega_i^2)
 *
 * with b the largest number for which no square root is of a negative number, if the last ratio applies to all higher
 * modes, and b = 0 otherwise. The modes given have exactly their ratios; a higher one has b omega / 2, which begins
 * at the last ratio. Modes of one frequency have the mean of their ratios, because their shapes are arbitrary; if the
 * last one of them would be a higher mode, all of them are. With elements, K is K + B k B^T at rest. */
#pragma once

#include "algebra/eigen.h"
#include "model/build/builder.h"
#include "model/model.h"

typedef struct ifd__modal_part {
    int count;      /* columns of Z: modes with damping */
    double *Z;      /* n x count */
    double b;       /* s */
    double highest; /* Hz: of the last mode that has its own ratio */
    int own;        /* modes with a ratio of their own */
} ifd__modal_part;

/* Modes with a ratio of their own in a model of n dofs; n: all of them. */
int ifd__modal_own(const ifd_builder *b, int n, bool reduced);

/* The lowest pairs of a structure, by LAPACK or ARPACK: lambda (n), shape (n x count), M-orthonormal. */
ifd_status ifd__pencil_modes(ifd_arena *scratch, const ifd__pencil *p, int count, double *lambda, double *shape,
                             ifd_note *note);

/* From the lowest pairs of the structure with mass M, one more than have a ratio. */
ifd_status ifd__modal_part_make(ifd_arena *arena, const ifd_builder *b, const ifd_sparse *M,
                                const ifd__eigenpairs *pairs, ifd__modal_part *out);

/* `rayleigh: {elements: initial}`, for a model that is otherwise complete; before the modal damping. */
ifd_status ifd__rayleigh_elements(ifd_arena *arena, ifd_arena *scratch, const ifd_builder *b, ifd_model *m,
                                  ifd_note *note);

/* For a model that is otherwise complete. */
ifd_status ifd__modal_damping(ifd_arena *arena, ifd_arena *scratch, const ifd_builder *b, ifd_model *m,
                              ifd_note *note);

void ifd__modal_remark(const ifd__modal_part *part, ifd_note *note);

/* Ratios must not be negative. */
ifd_status ifd__modal_check(const ifd_builder *b, ifd_note *note);
