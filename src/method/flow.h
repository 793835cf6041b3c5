/* SPDX-License-Identifier: MIT */
/* Flow: advances the linear part of a model by one step with one product.
 *
 *     y' = A y + B f(t),   y = (u, v),   A = [0 I; -M^-1 K, -M^-1 C],   B = [0; M^-1]
 *     y(theta h) = E y(0) + sum_k W_k f_k,       f the polynomial through f_k at k h / grid, k = 0 .. grid
 *
 * E and W are computed once, for the end of the step or for every instant of its grid, in one of three forms:
 *
 *     exact    e^{Ah} by scaling and doubling, f integrated exactly
 *     taylor   e^{Ah} to (Ah)^p, e^{-As} under the integral to s^{p-1}
 *     alpha    the term of order p taken between both ends: [I - a (Ah)^p/p!] y1 = [... + (1 - a) (Ah)^p/p!] y0
 *
 * Matrices are dense: the memory grows with the square of the dofs, the time of set-up with their cube. */
#pragma once

#include "model/model.h"

enum { IFD__FLOW_GRID = 8, IFD__FLOW_ORDER = 12 };

typedef enum ifd__flow_kind { IFD__FLOW_EXACT, IFD__FLOW_TAYLOR, IFD__FLOW_ALPHA } ifd__flow_kind;

typedef struct ifd__flow_options {
    ifd__flow_kind kind;
    double h;
    int grid;     /* sub-intervals, 1 to IFD__FLOW_GRID */
    bool inner;   /* E and W for every instant of the grid, not only for the end */
    int order;    /* p; taylor and alpha */
    double alpha; /* a; alpha */
} ifd__flow_options;

typedef struct ifd__flow {
    ifd__flow_options opt;
    int n, grid;
    double *E;        /* per instant: 2n x 2n */
    double *W;        /* per instant: grid + 1 matrices 2n x n */
    double *A, *B;    /* 2n x 2n, 2n x n */
    double *monomial; /* [j + k (grid + 1)]: coefficient of x^j in the basis polynomial of node k, x = t/h */
    double *integral; /* [j + k grid]: its integral from 0 to instant j + 1 */
    int pieces;       /* exact flow between instants: a step is divided until the series below converges */
    double *w;        /* scratch of inside */
} ifd__flow;

/* IFD_NO_MEMORY, with the memory it needs in the note, if the matrices have no room. */
ifd_status ifd__flow_make(ifd_arena *arena, const ifd_model *m, const ifd__flow_options *opt, ifd__flow **out,
                          ifd_note *note);

/* free: y := E y0 at the end of the step, or at instant j = 1 .. grid if `inner`. Then y += sum_k W_k f_k. f: grid +
 * 1 rows of n. */
IFD_RT void ifd__flow_free(const ifd__flow *f, int j, const double *y0, double *y);
IFD_RT void ifd__flow_force(const ifd__flow *f, int j, const double *force, double *y);

/* y at theta h inside the step from y0 to y1 under f: exact, or of the order of the flow and continuous at the
 * steps. */
IFD_RT void ifd__flow_inside(const ifd__flow *f, double theta, const double *y0, const double *y1,
                             const double *force, double *y);
