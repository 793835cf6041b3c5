/* SPDX-License-Identifier: MIT */
/* Matrices of a model for other programs.
 *
 *     M u'' + C u' + K u + (elements) = P(t)
 *
 *     ifd_triplets K;
 *     IFD_TRY(ifd_model_matrix(arena, model, IFD_STIFFNESS, false, &K, note));
 *     IFD_TRY(ifd_matrices_write(arena, model, "tower", false, note));
 *
 * M, C and K are those of the run: massless dofs are condensed; springs, dashpots and Rayleigh or modal damping are
 * assembled. Nonlinear elements are not included, except the mass of inertial elements at rest in M. With tangent
 * set, K includes the stiffness of the elements at rest, as in the modal analysis.
 *
 * The folder contains M.mtx, C.mtx, K.mtx (Matrix Market, all digits), dofs.csv (index from 1, name, kind, unit) and
 * model.yaml, which a case file includes: `model: {include: tower/model.yaml}`. Above 4,000 dofs with modal damping
 * C-sparse.mtx and C-modal.mtx have C = C-sparse + Z Z^T, and C.mtx and model.yaml are not written; ifd_model_matrix
 * returns IFD_NO_MEMORY if there is no memory for this C. */
#ifndef INTERFIELD_MATRICES_H
#define INTERFIELD_MATRICES_H

#include <interfield/model.h>

IFD_BEGIN_DECLS

/* Nonzero entries, each once, both triangles; indices from 0. */
typedef struct ifd_triplets {
    int n, count;
    bool symmetric;
    const int *row, *column;
    const double *value;
} ifd_triplets;

/* IFD_UNSUPPORTED: tangent of a model with unsymmetric stiffness. */
IFD_API ifd_status ifd_model_matrix(ifd_arena *arena, const ifd_model *m, ifd_matrix_kind which, bool tangent,
                                    ifd_triplets *out, ifd_note *note);

/* The folder is created if missing; a folder with such files is refused (IFD_CONFLICT). */
IFD_API ifd_status ifd_matrices_write(ifd_arena *arena, const ifd_model *m, const char *folder, bool tangent,
                                      ifd_note *note);

/* "x", "ry", "stretch": the kind of a dof as in a case file. */
IFD_API const char *ifd_dof_kind_name(ifd_dof_kind kind);

IFD_END_DECLS
#endif
