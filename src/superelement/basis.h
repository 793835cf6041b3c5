/* SPDX-License-Identifier: MIT */
/* The space in which a large linear structure is reduced.
 *
 *     M u'' + C u' + K u = B f + G a,    C = ray_m M + ray_k K + dashpots on interface dofs + modal damping
 *
 * The input block W has one column for each interface dof (B) and each further input (G), scaled to a static
 * compliance w^T K^-1 w of 1, so that metres and radians compare. The basis V is M-orthonormal and spans the static
 * shapes K^-1 W and the block Krylov space Q^-1 W, (Q^-1 M) Q^-1 W, ... of Q = K + shift^2 M. It grows by blocks.
 * Closed, it also spans the static shapes of the watched rows: they come last, because a Krylov block made from them
 * would not belong to W. The static shape of a row M phi c of modal damping is the mode phi; these are the first
 * columns. The same calls give the same bits. */
#pragma once

#include <interfield/factoriser.h>

#include "algebra/solver.h"

/* A factor of the structure: the library's own, or one of another program (interfield/factoriser.h). */

typedef struct ifd__basis_factor {
    int n;
    ifd_solver *own;
    double *work; /* of own */
    const ifd_factoriser *away;
    int id;
} ifd__basis_factor;

/* X (n x columns) := A^-1 X */
void ifd__basis_factor_solve(const ifd__basis_factor *f, int columns, double *X);

/* Symmetric matrices. C is without its Rayleigh part and has entries on interface dofs only. */
typedef struct ifd__linear_structure {
    const ifd_sparse *M, *C, *K;
    double ray_m, ray_k;
    int interfaces;
    const int *interface; /* dofs */
    int inputs, watched;
    const double *input, *row;        /* n x inputs, n x watched: force per unit input; displacement = row^T u */
    int modal;                        /* the last of these rows are M phi_i c_i of modes: C has row row^T of each */
    const ifd_factoriser *factoriser; /* NULL: factors of the library */
} ifd__linear_structure;

typedef struct ifd__basis {
    ifd__linear_structure of;
    double shift; /* rad/s */
    ifd_arena *arena;
    int n, driven, columns; /* driven: interface dofs and inputs; columns: watched rows too */
    double *W, *scale;      /* n x columns; factor of each column */
    ifd__basis_factor *stiffness, *shifted;
    int order, most, room; /* room: most and the watched rows */
    int modes;             /* damped modes, the first columns of V */
    int still, last;       /* order after the static shapes; where the last block begins */
    int open;              /* order without the static shapes of the watched rows */
    bool complete;         /* nothing new can be added: the reduced structure is exact for its inputs */
    double *V;             /* n x room */
    double *K, *P;         /* room x room: V^T K V; room x columns: V^T W */
    double *X, *MX;        /* n x columns */
    double *H;             /* room x columns */
    double *L;             /* n x watched rows that are not modal: their static shapes */
} ifd__basis;

/* Static shapes only. most: largest order. IFD_NOT_POSITIVE when K is not positive definite. */
ifd_status ifd__basis_make(ifd_arena *arena, const ifd__linear_structure *of, double shift, int most, ifd__basis *out,
                           ifd_note *note);

/* Adds whole blocks until the order is reached, the basis is complete, or the next block exceeds the largest order.
 * The certificate needs whole blocks. */
void ifd__basis_extend(ifd__basis *b, int order);

/* Adds the static shapes of the watched rows, and removes them again. */
void ifd__basis_close(ifd__basis *b);
void ifd__basis_open(ifd__basis *b);

/* Y (n x count) := A X */
void ifd__sparse_times(const ifd_sparse *A, int count, const double *X, double *Y);

/* The reduced structure in its own modes: M = I, K = diag(lambda), u = Phi z, Phi = V A.
 *
 * Modes ascend in frequency. The first entry of a mode among the columns of W that exceeds 1e-8 of its largest one is
 * positive, so that two constructions give the same bits. */

typedef struct ifd__diagonal {
    int order, columns;
    double *lambda; /* order: squares of the angular frequencies */
    double *A;      /* order x order */
    double *P;      /* order x columns: Phi^T W, with W scaled */
} ifd__diagonal;

ifd_status ifd__diagonal_make(ifd_arena *arena, const ifd__basis *b, ifd__diagonal *out, ifd_note *note);

/* The reduced structure with its interface dofs as the first coordinates: u = T z. The other coordinates are modes
 * with the interface held.
 *
 *     M = [ mass      coupling ]     K = [ stiffness   0  ]
 *         [ coupling^T    I    ]         [ 0       lambda ]
 *
 * The static shapes of the interface are in the basis, so that T = V A X with X of the size of the basis. */

typedef struct ifd__physical {
    int order, interfaces;
    double *mass, *stiffness; /* p x p */
    double *coupling;         /* p x (order - p) */
    double *lambda;           /* order - p */
    double *P;                /* order x columns: T^T W with the columns of W as they were given */
} ifd__physical;

ifd_status ifd__physical_make(ifd_arena *arena, ifd_arena *scratch, const ifd__basis *b, const ifd__diagonal *d,
                              ifd__physical *out);

/* M and K, both triangles. */
void ifd__physical_triplets(const ifd__physical *f, ifd__triplets *M, ifd__triplets *K);
