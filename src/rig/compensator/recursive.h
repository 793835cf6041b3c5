/* SPDX-License-Identifier: MIT */
/* Recursive least squares with an instrument and forgetting. */
#pragma once

#include <stdbool.h>

#include <interfield/status.h>

enum { IFD__RECURSIVE_MOST = 24 };

typedef struct ifd__recursive {
    int count;                         /* of coefficients */
    double forget;                     /* weight of the past, per sample */
    double prior[IFD__RECURSIVE_MOST]; /* initial variances relative to that of the noise */
    bool bounded;                      /* th_i is kept within start_i -+ bound_i */
    double start[IFD__RECURSIVE_MOST], bound[IFD__RECURSIVE_MOST];
} ifd__recursive;

/* K = P z / (lambda + phi' P z), th += K e, P := (P - K phi' P) / lambda; z = phi is least squares, another z an
 * instrument. Without excitation there is no forgetting: no variance exceeds its initial value. */
IFD_RT void ifd__recursive_step(const ifd__recursive *r, const double *phi, const double *z, double e, double *th,
                                double *P);
