/* SPDX-License-Identifier: MIT */
/* Internal data of the reference solution: exact propagation of linear models, CVODE for others. Not for the tick
 * path: it allocates while running and frees the memory when the arena of its stepper is closed. */
#pragma once

#include "method/stepper.h"

/* The first instant after t at which a load, the ground or a support has a corner, a jump or a sample; HUGE_VAL
 * without one. */
double ifd__next_corner(const ifd_model *m, double t);

enum { IFD__NODES = 8 }; /* of the Gauss-Legendre rule that samples the loads of one interval */

typedef struct ifd__gauss {
    double x[IFD__NODES];                  /* nodes on (0, 1) */
    double left[IFD__NODES * IFD__NODES];  /* [i + k NODES]: basis polynomial k at x_i / 2 */
    double right[IFD__NODES * IFD__NODES]; /* and at (1 + x_i) / 2 */
    double check[2 * IFD__NODES];          /* and at two instants between the nodes, ifd__check */
} ifd__gauss;

extern const double ifd__check[2];

void ifd__gauss_make(ifd__gauss *g);

/* y' = A y + B p(t), y: dim, p: inputs. Over a time tau, exactly for polynomials p of degree below NODES:
 *     y(tau) = E y(0) + sum_k W_k p(x_k tau). */
typedef struct ifd__propagator {
    double tau;
    double *E; /* dim x dim */
    double *W; /* NODES matrices dim x inputs */
} ifd__propagator;

/* Fills E and W, which the caller provides. False without memory. */
bool ifd__propagate_make(const ifd__gauss *g, int dim, int inputs, const double *A, const double *B,
                         ifd__propagator *p);

typedef struct ifd__linear ifd__linear;

typedef enum ifd__linear_kind { IFD__LINEAR_AUTO, IFD__LINEAR_DENSE, IFD__LINEAR_MODAL } ifd__linear_kind;

/* Modal if the matrices are symmetric and the damping is classical, otherwise dense. */
ifd_status ifd__linear_make(ifd_arena *arena, const ifd_model *m, double h, ifd__linear_kind kind, ifd__linear **out,
                            ifd_note *note);
/* y = (u, v) from t to t + h. False without memory. */
bool ifd__linear_step(ifd__linear *r, double t, const double *load, double *y);

typedef struct ifd__cvode ifd__cvode;
ifd_status ifd__cvode_make(ifd_arena *arena, const ifd_model *m, double h, double tolerance, ifd__cvode **out,
                           ifd_note *note);
/* y = (u, v, s) from t to t + h. IFD_STEP_SOLVER: CVODE failed; IFD_STEP_WORK: its evaluations are exhausted. */
ifd_step_fault ifd__cvode_step(ifd__cvode *r, double t, const double *load, double *y);
