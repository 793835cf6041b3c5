/* SPDX-License-Identifier: MIT */
/* Matrices: what a model is made of, for other programs.
 *
 *     M u'' + C u' + K u + (elements) = P(t)
 *
 *     ifd_triplets K;
 *     IFD_TRY(ifd_model_matrix(arena, model, IFD_STIFFNESS, false, &K, note));
 *     IFD_TRY(ifd_matrices_write(arena, model, "tower", false, note));
 *
 * M, C and K are those of the run: massless dofs condensed, springs, dashpots and Rayleigh or modal damping
 * assembled. What is not linear stays outside, except the mass of inertial elements, which M holds as it is at
 * rest. With tangent set K also holds the stiffness of the elements at rest, as the modes do.
 *
 * The folder gets M.mtx, C.mtx, K.mtx (Matrix Market, all digits), dofs.csv (index from 1, name, kind, unit) and
 * model.yaml, which a case file includes: `model: {include: tower/model.yaml}`. */
#ifndef INTERFIELD_MATRICES_H
#define INTERFIELD_MATRICES_H

#include <interfield/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Entries that are not zero, each once, both triangles; indices from 0. */
typedef struct ifd_triplets {
    int n, count;
    bool symmetric;
    const int *row, *column;
    const double *value;
} ifd_triplets;

/* IFD_UNSUPPORTED: tangent of a model whose stiffness is not symmetric. */
IFD_API ifd_status ifd_model_matrix(ifd_arena *arena, const ifd_model *m, ifd_matrix_kind which, bool tangent,
                                    ifd_triplets *out, ifd_note *note);

/* The folder is made where it is missing; one that holds such files already is refused (IFD_CONFLICT). */
IFD_API ifd_status ifd_matrices_write(ifd_arena *arena, const ifd_model *m, const char *folder, bool tangent,
                                      ifd_note *note);

/* "x", "ry", "stretch": the kind of a dof as a case file writes it. */
IFD_API const char *ifd_dof_kind_name(ifd_dof_kind kind);

#ifdef __cplusplus
}
#endif
#endif
