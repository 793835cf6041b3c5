/* SPDX-License-Identifier: MIT */
/* The space in which a large linear structure is reduced.
 *
 *     M u'' + C u' + K u = B f + G a,    C = ray_m M + ray_k K + dashpots on interface dofs
 *
 * The input block W has one column for each interface dof (B) and each further input (G), scaled to a static
 * compliance w^T K^-1 w of 1, so that metres and radians compare. The basis V is M-orthonormal and spans the static
 * shapes K^-1 W, those of the watched rows, and the block Krylov space Q^-1 W, (Q^-1 M) Q^-1 W, ... of
 * Q = K + shift^2 M. It grows block by block; the same calls give the same bits. */
#ifndef IFD_SUPERELEMENT_BASIS_H
#define IFD_SUPERELEMENT_BASIS_H

#include "algebra/solver.h"

/* Symmetric matrices. C is without its Rayleigh part and has entries on interface dofs only. */
typedef struct ifd__structure {
    const ifd_sparse *M, *C, *K;
    double ray_m, ray_k;
    int interfaces;
    const int *interface; /* dofs */
    int inputs, watched;
    const double *input, *row; /* n x inputs, n x watched: force per unit input; displacement = row^T u */
} ifd__structure;

typedef struct ifd__basis {
    ifd__structure of;
    double shift; /* rad/s */
    ifd_arena *arena;
    int n, driven, columns; /* driven: interface dofs and inputs; columns: watched rows too */
    double *W, *scale;      /* n x columns; factor of each column */
    ifd_solver *stiffness, *shifted;
    double *work;
    int order, most;
    int still, last; /* order after the static shapes; where the last block begins */
    bool complete;   /* nothing new can be added: the reduced structure is exact for its inputs */
    double *V;       /* n x most */
    double *K, *P;   /* most x most: V^T K V; most x columns: V^T W */
    double *X, *MX;  /* n x columns */
    double *H;       /* most x columns */
} ifd__basis;

/* Static shapes only. most: largest order. IFD_NOT_POSITIVE when K is not positive definite. */
ifd_status ifd__basis_make(ifd_arena *arena, const ifd__structure *of, double shift, int most, ifd__basis *out,
                           ifd_note *note);

/* Adds whole blocks until the order is reached, the basis is complete, or the next block exceeds the largest order.
 * The certificate needs whole blocks. */
void ifd__basis_extend(ifd__basis *b, int order);

/* Y (n x count) := A X */
void ifd__sparse_times(const ifd_sparse *A, int count, const double *X, double *Y);

#endif
