/* SPDX-License-Identifier: MIT */
/* Matrices that the tests of the linear algebra share. Numbers come from a small generator, the same every time. */
#pragma once

#include "algebra/sparse.h"

/* In [-1, 1). */
double matrix_random(uint64_t *state);
void matrix_random_vector(uint64_t *state, int n, double *x);

/* Symmetric positive definite with about `links` random off-diagonal entries per row; not weakly coupled: the
 * smallest eigenvalue is about a hundredth of the largest. */
ifd_sparse matrix_spd(ifd_arena *arena, uint64_t *state, int n, int links);

/* Symmetric positive definite: diagonal but for the first `border` rows, which couple with each other and, when
 * coupled, with all others. */
ifd_sparse matrix_arrow(ifd_arena *arena, uint64_t *state, int n, int border, bool coupled);

/* Unsymmetric, full diagonal. */
ifd_sparse matrix_unsymmetric(ifd_arena *arena, uint64_t *state, int n, int links);

/* Nodes on an nx x ny x nz grid, each tied to its neighbours by a full block of `dofs` dofs, the lowest layer to the
 * ground: the pattern of a frame. */
ifd_sparse matrix_frame(ifd_arena *arena, uint64_t *state, const int grid[3], int dofs);

/* A symmetric matrix plus a random skew one of its pattern, with entries up to size: a gyroscopic structure. */
ifd_sparse matrix_skewed(ifd_arena *arena, uint64_t *state, const ifd_sparse *S, double size);

/* A cantilever of Euler-Bernoulli elements with bending stiffness EI spread over four decades: condition beyond
 * 1e10. */
ifd_sparse matrix_cantilever(ifd_arena *arena, uint64_t *state, int elements);

/* Of count entries, given by row, column and value. */
ifd_sparse matrix_of(ifd_arena *arena, int n, int count, const int *row, const int *column, const double *value,
                     bool symmetric);

/* The whole matrix, column-major. */
double *matrix_full(ifd_arena *arena, const ifd_sparse *A);

/* Largest |b - A x|_i / (|A| |x| + |b|)_i: the componentwise backward error. Computed in long double. */
double matrix_backward_error(const ifd_sparse *A, const double *x, const double *b);
