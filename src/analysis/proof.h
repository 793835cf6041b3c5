/* SPDX-License-Identifier: MIT */
/* Proof that every matrix within the errors of a probed matrix A is stable.
 *
 * Let the true matrix be A + E, with E E' <= W (a bound of the errors, direction by direction). No such matrix has a
 * root of modulus r or more if and only if (z I - A)^-1 W^1/2 has a norm below one on the whole circle |z| = r: the
 * complex stability radius (Hinrichsen and Pritchard, 1986). By the bounded real lemma this is the case when
 *
 *     X = A' X (I - W X)^-1 A / r^2 + I
 *
 * has a symmetric solution with W X < r^2 I. The bound is exact for a simple root (it moves by e / s), for a Jordan
 * block (two roots with the coupling c move by sqrt(e c)) and for everything in between; nothing is assumed about
 * the position of the roots. The smallest r - 1 that is proven is the resolution of the probe. Where X has values of
 * 1e15 rounding may settle on a matrix that is no solution; the norm itself, at the angles of the largest roots, must
 * therefore be below one too.
 *
 * The errors are measured: A is probed again with 8 amplitudes from 17/16 to 3/2 of its own. D are the differences.
 * An error of curvature grows with the square of the amplitude: |E| is 0.8 of the last |D|. Errors of rounding are
 * other numbers of the same size. For a unit vector u
 *
 *     |u'E| <= 5 max |u'D|
 *
 * fails when all 8 other errors are within a fifth of |u'E| from it. Of normal errors with t standard deviations in A
 * that is (Phi(1.2 t) - Phi(0.8 t))^8, which is below 1e-8 for every t.
 *
 * A root equal to one often belongs to a number that every step keeps (the hysteresis of an element less the motion
 * that caused it). Rounding keeps it too: |u'E| is zero for its left eigenvector u, whatever the noise of the others.
 * Therefore the left eigenvectors of the roots that the circle does not clear have error bounds of their own. */
#pragma once

#include <interfield/status.h>

enum { IFD__PROOF_SAMPLES = 8 };
#define IFD__PROOF_FACTOR 5.0 /* of the largest difference */

typedef struct ifd__errors {
    int samples;     /* IFD__PROOF_SAMPLES, or 0: `solver` is all */
    const double *D; /* n x n for each of them */
    double solver;   /* norm of errors that no sample shows: the backward error of the eigenvalue solver */
} ifd__errors;

/* out: the smallest growth r - 1 that no matrix within the errors has, from `least` on; INFINITY when none below one
 * is proven. A (n x n by columns) must have no root outside 1 + least. */
ifd_status ifd__resolution(int n, const double *A, const ifd__errors *e, double least, double *out);
