/* SPDX-License-Identifier: MIT */
/* Solution of one dense system at set-up; reports an undetermined unknown. */
#pragma once

enum { IFD__SOLVED = -1, IFD__SOLVE_NO_MEMORY = -2 };

/* B := A^-1 B (A n x n, B n x nrhs, by columns) by LU after scaling the diagonal of A to one; A is overwritten.
 * Returns IFD__SOLVED, IFD__SOLVE_NO_MEMORY, or the index of the unknown with a pivot below 1e-13 of its diagonal. */
int ifd__scaled_solve(int n, double *A, int nrhs, double *B);
