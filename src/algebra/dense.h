/* SPDX-License-Identifier: MIT */
/* Small dense kernels for the tick path: column-major, no BLAS, fixed operation counts. */
#pragma once

#include <interfield/status.h>
#include <stdbool.h>

/* A (n x n, leading dimension n) := its LU factors with partial pivoting; pivot: n row indices. Returns false if a
 * pivot is zero or not finite (A is then undefined). */
IFD_RT bool ifd__lu_factor(int n, double *A, int *pivot);

/* b := A^-1 b for nrhs columns (leading dimension n), from the factors above. */
IFD_RT void ifd__lu_solve(int n, const double *A, const int *pivot, int nrhs, double *b);

/* y += alpha A x, A m x n with leading dimension m. */
IFD_RT void ifd__mul_add(int m, int n, double alpha, const double *A, const double *x, double *y);

/* C += alpha A B, A m x k, B k x n, C m x n, all packed column-major. */
IFD_RT void ifd__matmul_add(int m, int n, int k, double alpha, const double *A, const double *B, double *C);

/* x . y */
IFD_RT double ifd__dot(int n, const double *x, const double *y);

/* The largest |x_i|, 0 if n is 0; the largest sum of |A_ij| in a column of A, n x n. */
IFD_RT double ifd__largest(int n, const double *x);
double ifd__norm1(int n, const double *A);

/* Solution of one dense system at set-up; reports an undetermined unknown. */

enum { IFD__SOLVED = -1, IFD__SOLVE_NO_MEMORY = -2 };

/* B := A^-1 B (A n x n, B n x nrhs, by columns) by LU after scaling the diagonal of A to one; A is overwritten.
 * Returns IFD__SOLVED, IFD__SOLVE_NO_MEMORY, or the index of the unknown with a pivot below 1e-13 of its diagonal. */
int ifd__scaled_solve(int n, double *A, int nrhs, double *B);
