/* SPDX-License-Identifier: MIT */
/* Kernels for eight vectors at a time: number l of row i is at 8 i + l. Eight variants of one model that share their
 * matrices are stepped together, one in each lane.
 *
 * Lanes never mix, and every number has one order of operations with explicit fused multiply-adds. A lane therefore
 * has the same bits in any place, beside any content of the other lanes (also not-a-number), and with every variant
 * of the kernels. The kernels of single vectors (kernels.h) sum in another order: they agree up to round-off only. */
#pragma once

#include "algebra/kernels.h"
#include "algebra/solver.h"
#include "algebra/sparse.h"

enum { IFD__LANES = 8 };

/* Rows of a matrix: values and places of row i from start[i] to start[i + 1]. Also the coordinates of elements, one
 * row for each, with the dofs as places. */
typedef struct ifd__lane_rows {
    int n;
    int *start, *at;
    double *value;
} ifd__lane_rows;

/* Coefficients of the vector operations of one step of LSRT2. */
typedef struct ifd__lane_step {
    double h, c, share,
        reach; /* c = gamma h; share of k1 in stage 2; reach = c plus the factor of K in the damping */
} ifd__lane_step;

/* A model of one dof with one direction of ground motion and at most one element, which has one coordinate and one
 * state: the coefficients of its step. Same names as the blocks of the tangent. */
typedef enum ifd__oscillator_law {
    IFD__OSCILLATOR_LINEAR,
    IFD__OSCILLATOR_SLIDER,
    IFD__OSCILLATOR_BOUC_WEN_1, /* exponent 1 */
    IFD__OSCILLATOR_BOUC_WEN_2
} ifd__oscillator_law;
typedef struct ifd__lane_oscillator {
    ifd__oscillator_law law;
    bool damped;
    ifd__lane_step step;
    double alpha, a, b2;        /* of the method; a = gamma21 c */
    double K, D, p, B, inverse; /* stiffness, damping, load of unit acceleration, coordinate, 1 / mass of the step */
    double Ke, N, rq, rv, rs, gq, gv, gs, Xq, Xv;
} ifd__lane_oscillator;

/* Eight of them. */
typedef struct ifd__lane_motion {
    double *u, *v, *z;       /* state at the start, then at the end */
    double *sum;             /* of the squares of u and v of all steps */
    const double *parameter; /* of the element: fields x lanes */
    const double *ground;    /* accelerations of both stages of every step */
    double *out;             /* u and v after every step */
} ifd__lane_motion;

typedef struct ifd__lane_kernels {
    const char *name;
    /* Panels as in kernels.h, in rising and falling order; z: all rows of all lanes. */
    IFD_RT void (*forward)(const ifd__panels *P, double *x, double *z);
    IFD_RT void (*backward)(const ifd__panels *P, double *z);
    /* y += alpha A x: even and odd entries of a row are two sums. */
    IFD_RT void (*product)(const ifd__lane_rows *A, double alpha, const double *x, double *y);
    /* y = A x, entry by entry, and y_at += alpha A^T x: coordinates of elements and their forces. */
    IFD_RT void (*gather)(const ifd__lane_rows *A, const double *x, double *y);
    IFD_RT void (*scatter)(const ifd__lane_rows *A, double alpha, const double *x, double *y);
    /* out = a x + b y; out may be x or y. */
    IFD_RT void (*combine)(int rows, double a, const double *x, double b, const double *y, double *out);
    /* y_i += p_i a, with a number for each lane in a. */
    IFD_RT void (*load)(int rows, const double *p, const double *a, double *y);
    /* Before stage 2: vm = v + share k, w = u + share (h v + c k) + reach vm. */
    IFD_RT void (*middle)(int rows, const ifd__lane_step *s, const double *const uvk[3], double *vm, double *w);
    /* After stage 2: u += h vm + c k, v += k. */
    IFD_RT void (*finish)(int rows, const ifd__lane_step *s, const double *const vmk[2], double *u, double *v);
    /* sum += x_i y_i over all rows, for each lane. */
    IFD_RT void (*dot)(int rows, const double *x, const double *y, double *sum);
    /* y += alpha M x, M rows x columns by columns: the blocks of elements. */
    IFD_RT void (*block)(const int size[2], double alpha, const double *M, const double *x, double *y);
    /* Steps of one or two times eight oscillators, with the bits of the kernels above. */
    IFD_RT void (*oscillate)(const ifd__lane_oscillator *o, int steps, int count, const ifd__lane_motion *motion);
} ifd__lane_kernels;

extern const ifd__lane_kernels ifd__lanes_plain;
#if defined(__x86_64__)
extern const ifd__lane_kernels ifd__lanes_avx2, ifd__lanes_avx512;
#endif
/* The fastest variant of this processor; by name, NULL if this processor does not have it. */
IFD_RT const ifd__lane_kernels *ifd__lanes_best(void);
const ifd__lane_kernels *ifd__lanes_pick(const char *name);

/* A solver for eight right sides. place[i]: row of dof i. One without panels (a diagonal, an arrow, LU) keeps the
 * order of the dofs; an arrow and LU solve lane by lane. */
typedef struct ifd__lane_solver {
    const ifd__lane_kernels *kernels;
    const ifd_solver *solver;
    int n;
    int *place;
    double *z; /* n rows */
    double *x, *w;
} ifd__lane_solver;
ifd_status ifd__lane_solver_make(ifd_arena *arena, const ifd_solver *solver, const ifd__lane_kernels *kernels,
                                 ifd__lane_solver *out);
/* x := A^-1 x, rows in the order of place. */
IFD_RT void ifd__lane_solver_solve(const ifd__lane_solver *s, double *x);

/* alpha A + beta B (B may be NULL) by rows, both halves, in the order of place. */
ifd_status ifd__lane_rows_make(ifd_arena *arena, double alpha, const ifd_sparse *A, double beta, const ifd_sparse *B,
                               ifd__lane_rows *out);
/* Renumbers rows and places. */
ifd_status ifd__lane_rows_place(ifd_arena *arena, const int *place, ifd__lane_rows *rows);

/* Eight vectors of n numbers to rows, and back. from[l] NULL: this lane stays as it is; to[l] NULL: not stored. */
IFD_RT void ifd__lanes_read(int n, const int *place, const double *const *from, double *to);
IFD_RT void ifd__lanes_give(int n, const int *place, const double *from, double *const *to);
