/* SPDX-License-Identifier: MIT */
/* Interface of a program for comparison: free vibration of M u'' + K u = 0 with a fixed step h.
 *
 * Every method has two stages, order 2 and is L-stable. On a linear model its amplification is therefore (1 + (1 - 2
 * gamma) z) / (1 - gamma z)^2, and all of them must agree with LSRT2 to rounding. */
#pragma once

#include <stdbool.h>

#include "algebra/sparse.h"

#define GAMMA_MINUS 0.29289321881345247560 /* 1 - sqrt2/2 */

typedef struct problem {
    int n;
    double h;
    ifd_sparse M, K; /* every entry stored, so columns are rows */
    ifd_sparse S;    /* M + (gamma h)^2 K, lower triangle */
    const double *u, *v;
} problem;

typedef struct rival {
    const char *name; /* NULL ends a list */
    bool plus;        /* gamma = 1 + sqrt2/2 instead of minus */
    bool large;       /* on the large frames, too */
    void *(*open)(const struct rival *r, const problem *p);
    void (*steps)(void *self, int count);
    void (*state)(void *self, double *u); /* n displacements */
    void (*close)(void *self);
} rival;

/* Empty if the library is not found. */
extern const rival cholmod_rivals[], arkode_rivals[], petsc_rivals[];

/* y = alpha A x over rows, in the plain form. */
static inline void product_by_rows(const ifd_sparse *A, double alpha, const double *restrict x, double *restrict y)
{
    for (int i = 0; i < A->n; i++) {
        double dot = 0.0;
        for (int k = A->p[i]; k < A->p[i + 1]; k++)
            dot += A->x[k] * x[A->i[k]];
        y[i] = alpha * dot;
    }
}
