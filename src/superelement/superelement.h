/* SPDX-License-Identifier: MIT */
/* Superelement: a large linear structure reduced to a small one, stable and passive by construction, with a bound on
 * its error (certificate.h). The order grows until the bound meets the tolerance. */
#pragma once

#include "superelement/basis.h"

/* A bound on the error of a reduced structure over a range of frequencies.
 *
 * H(s) = W^T (K + s C + s^2 M)^-1 W of the full and H_r(s) of the reduced structure, s = j omega, differ by
 *
 *     |H_ij - H_r,ij| <= alpha rho_i rho_j,    alpha = sqrt(omega^2 + ray_m^2) / (ray_m + ray_k omega^2)
 *
 * for any dashpots besides, with rho_i the K^-1 norm of the residual of column i. The residual is orthogonal to the
 * basis, which contains K^-1 W. Its norm is |s^2 + s ray_m| times the K-norm of the part of K^-1 M u outside of the
 * basis; with modal damping each reduced mode has its own factor. Modal damping is not negative, so that the bound
 * holds with the Rayleigh coefficients as without it. That part has few directions U, those of one more Krylov block,
 * so that a frequency costs no solve. A few frequencies are checked with the residual itself. */

typedef struct ifd__certificate {
    double bound;     /* the largest bound, of the largest |H_r| in its row */
    double frequency; /* Hz, where it is */
    int row, column;  /* columns of W: an interface dof or a watched row; an interface dof or an input */
    double below;     /* share of the reduced modes that lie below the highest frequency of the range */
} ifd__certificate;

/* One frequency: H_r (columns x columns, complex) and rho (columns). */
typedef struct ifd__transfer {
    double *H; /* real, imaginary; real, imaginary; ... */
    double *rho, alpha;
} ifd__transfer;

typedef struct ifd__certifier ifd__certifier;

/* Finds U. Rayleigh damping must not be zero. IFD_UNSUPPORTED: the rows of modal damping are not those of modes. */
ifd_status ifd__certifier_make(ifd_arena *arena, const ifd__basis *b, const ifd__diagonal *d, ifd__certifier **out);
/* At omega, rad/s. to->H may be NULL. */
ifd_status ifd__certifier_at(ifd__certifier *c, double omega, ifd__transfer *to);
/* rho (columns) from the residuals themselves: two solves for each column. */
ifd_status ifd__certifier_direct(ifd__certifier *c, double omega, double *rho);

/* Over 0 .. highest Hz: 200 frequencies and the reduced structure's own ones. */
ifd_status ifd__certify(ifd_arena *scratch, ifd__certifier *c, double highest, ifd__certificate *out);

typedef struct ifd__superelement_goal {
    double frequency; /* Hz, of the range 0 .. frequency */
    double tolerance; /* of the certificate's bound */
    double shift;     /* Hz; 0: 0.3 of the frequency, or 0.75 of it where that needs a smaller order */
    int order;        /* 0: the smallest that meets the tolerance; else this one */
    int most;         /* largest order; the static shapes of interface, inputs and rows may exceed it */
} ifd__superelement_goal;

typedef struct ifd__superelement {
    ifd__physical form;
    ifd__certificate certificate;
    double shift;  /* Hz */
    bool complete; /* exact for its inputs */
} ifd__superelement;

/* Set-up only. A tolerance that is not met at the largest order is no error: compare the certificate. */
ifd_status ifd__superelement_make(ifd_arena *arena, const ifd__linear_structure *of,
                                  const ifd__superelement_goal *goal, ifd__superelement *out, ifd_note *note);
