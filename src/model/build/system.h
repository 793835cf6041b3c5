/* SPDX-License-Identifier: MIT */
/* The linear system during the construction of a model: the three matrices over dofs and supports, and their
 * condensation. */
#pragma once

#include "algebra/sparse.h"
#include "model/build/builder.h"

/* Displacement of row i = sum of value[k] * column[k], k from start[i] to start[i + 1]. */
typedef struct ifd__rows {
    int count;
    int *start, *column;
    double *value;
} ifd__rows;

/* Allocates count rows with a total number of entries. */
ifd_status ifd__rows_take(ifd_arena *arena, int count, size_t entries, ifd__rows *out);

/* Columns n, n + 1, ... belong to the supports; their rows are empty. Indexed by ifd_matrix_kind. */
typedef struct ifd__system {
    int n, nsupport;
    ifd_sparse A[3]; /* n + nsupport, both triangles stored */
    bool symmetric[3];
    int *dof;     /* n: index in the builder */
    ifd__rows T;  /* for every dof of the builder, in the columns above */
    ifd__rows *F; /* of every dof of the builder: displacement per force of the builder on condensed dofs */
    /* nsupport x nsupport: contribution of condensed dofs to the block of supports of a symmetric matrix; NULL:
     * none */
    double *own[3];
} ifd__system;

extern const char *const ifd__matrix_name[3];

/* Assembles the data of the builder. Refuses numbers that are not finite and an unsymmetric mass. Symmetrises
 * matrices that are symmetric within 1e-12 of the largest entry. */
ifd_status ifd__system_make(ifd_arena *arena, const ifd_builder *b, ifd__system *out, ifd_note *note);

/* Once: T^T A T of the matrices, T over the n dofs that remain, which are dof[] of the builder. Symmetric matrices
 * remain so to the last bit. All memory is from the arena. */
ifd_status ifd__system_tie(ifd_arena *arena, const ifd__rows *T, int n, int *dof, ifd__system *s);

/* Refuses a mass with a diagonal that cannot be positive definite. */
ifd_status ifd__system_check(const ifd_builder *b, const ifd__system *s, ifd_note *note);

/* Reports the entries that make matrix k unsymmetric. */
ifd_status ifd__system_unsymmetric(const ifd_builder *b, const ifd__system *s, int k, ifd_note *note);

/* Static condensation of the dofs marked slave: with u = T u_kept, T = [I; -Kss^-1 Ksk] (supports are kept), the
 * matrices become T^T A T. Unconnected blocks of slaves are condensed separately, so that a few local slaves leave a
 * large model sparse. All memory is from the arena. */
ifd_status ifd__condense(ifd_arena *arena, const ifd_builder *b, const bool *slave, ifd__system *s, ifd_note *note);

/* T^T p: p over the dofs of the builder, out over the dofs of the system (set here). */
void ifd__system_project(const ifd__system *s, const double *p, double *out);

/* Of a builder with ties: the row of every dof over masters, and the dof of each master. All memory is from the
 * arena. An error of the ties gives no message: it comes when the model is made. */
ifd_status ifd__tied_rows(ifd_arena *arena, const ifd_builder *b, ifd__rows *T, int **master);
