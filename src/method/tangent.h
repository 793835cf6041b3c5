/* SPDX-License-Identifier: MIT */
/* Tangent: the linear system of every implicit method, reduced to n x n.
 *
 *     S = cm M(q) + cv Ceff + cu Keff,  Keff = R_u + cs R_s N^-1 g_u,  Ceff = R_v + cs R_s N^-1 g_v,  N = I - cs g_s
 *
 * Element states are eliminated inside each element; configuration-dependent mass adds (dM/du) a to R_u. The linear
 * part is factored once at make. Each update corrects the elements at a fixed cost: a dense LU of S for a small
 * model, otherwise a capacitance system of the size of all element coordinates on top of the constant factor:
 *
 *     S = S0 + B D B^T,   S^-1 b = x0 - S0^-1 B (I + D F)^-1 D B^T x0,   x0 = S0^-1 b,  F = B^T S0^-1 B.
 *
 * Rosenbrock and MG-alpha use cm = 1, cv = cs = c, cu = c^2 and ifd__tangent_stage; the Newmark family has other
 * coefficients; cm = 1 alone is the mass operator. The results of update are scratch: they are valid until the next
 * update. */
#pragma once

#include <interfield/method.h>

#include "model/model.h"

typedef struct ifd__tangent ifd__tangent;

typedef enum ifd__jacobian {
    IFD__JACOBIAN_EXACT,   /* every element is linearised at every update */
    IFD__JACOBIAN_FROZEN,  /* linearised once, at the initial state */
    IFD__JACOBIAN_BOUNDED, /* at most `cap` coordinates are corrected; the others keep their stiffest tangent */
    IFD__JACOBIAN_REFACTOR /* exact; S is factored again at every update: a fixed cost for any number of elements */
} ifd__jacobian;

typedef struct ifd__tangent_options {
    double cm, cv, cu, cs;
    int estimates;
    const ifd_estimate *estimate;
    bool follow; /* states of elements with `follow` are known after a stage: their r_s must be zero */
    ifd__jacobian jacobian;
    double step;             /* bounded: h, s */
    double tolerance;        /* bounded: change of an element's tangent from which it is corrected; 0: always */
    int cap;                 /* bounded: largest number of corrected coordinates */
    bool all_beyond;         /* bounded: correct all elements where the budget is exceeded; no fixed cost */
    const ifd_value *single; /* where the factor is asked for in single precision; NULL: double */
} ifd__tangent_options;

ifd_status ifd__tangent_make(ifd_arena *arena, const ifd_model *m, const ifd__tangent_options *opt,
                             ifd__tangent **out, ifd_note *note);

/* Linearises at p again. False if the factorisation failed. Without elements it has no effect (true). */
IFD_RT bool ifd__tangent_update(ifd__tangent *T, const ifd__point *p);

typedef enum ifd__choice {
    IFD__CHOICE_OK,
    IFD__CHOICE_ALL,     /* beyond the budget, and all elements but contact are corrected (all_beyond) */
    IFD__CHOICE_BEYOND,  /* the elements left out may stiffen the system by more than the budget of stability */
    IFD__CHOICE_SINGULAR /* the matrix could not be factored */
} ifd__choice;

/* Bounded: re-linearises at p with the elements whose tangent differs most from their base (tangent_bound.c). active:
 * ne flags, 1 for a corrected element: the choice of the last update on entry, of this one on return. */
IFD_RT ifd__choice ifd__tangent_choose(ifd__tangent *T, const ifd__point *p, double *active);
/* The same linearisation again at the same p, with the choice of that update: for a state that comes from elsewhere.
 * Not bounded: as update. */
IFD_RT bool ifd__tangent_resume(ifd__tangent *T, const ifd__point *p, const double *active);

/* Numbers that a solution reads; 0 if S is not constant. */
long ifd__tangent_reads(const ifd__tangent *T);

/* Factor in single precision (tangent_factor.c): the last solution is part of the state of the method, in three parts
 * that follow each other, of so many numbers (0: double precision): its n numbers, the n of its right-hand side, and
 * measures. */
enum { IFD__LAST_LARGEST, IFD__LAST_RESIDUAL, IFD__LAST_MEASURES };
#define IFD__LAST_ROW "factor.measures" /* of the state: the measures */
int ifd__tangent_last(const ifd__tangent *T, int part);
/* Before each solution: the state. */
IFD_RT void ifd__tangent_from(ifd__tangent *T, double *last);
/* False: the residual of an earlier solution has exceeded the limit. */
IFD_RT bool ifd__tangent_precise(const ifd__tangent *T);

/* x := S^-1 x */
IFD_RT void ifd__tangent_solve(ifd__tangent *T, double *x);

/* Solves the stage system
 *     k_u - c k_v = r_u,   k_s - c (g_u k_u + g_v k_v + g_s k_s) = r_s,
 *     M k_v + c (R_u k_u + R_v k_v + R_s k_s) = r_v
 * for given r_u (n), r_s (ns, becomes k_s) and r_v (n, becomes k_v). The caller has already subtracted c K r_u of the
 * linear stiffness from r_v. k_u: n. */
IFD_RT void ifd__tangent_stage(ifd__tangent *T, const double *ru, double *rs, double *rv, double *ku);

/* The two halves of a Newton step of the Newmark family on s - cs g(u, v, s) = const, with rs the residual of the
 * states: rs := N^-1 rs and y += alpha R_s rs before the solution, rs += cs N^-1 (g_u du + g_v dv) after it; rs is
 * then the change of the states. Elements with an exact update (dq) are excluded: their rs must be zero. */
IFD_RT void ifd__tangent_reduce(ifd__tangent *T, double alpha, double *rs, double *y);
IFD_RT void ifd__tangent_expand(ifd__tangent *T, const double *du, const double *dv, double *rs);

/* y += alpha (R_u ku + R_v kv + R_s ks) of elements and estimates (without the linear matrices). */
IFD_RT void ifd__tangent_force(ifd__tangent *T, double alpha, const double *ku, const double *kv, const double *ks,
                               double *y);
/* y += alpha (g_u ku + g_v kv + g_s ks), ns numbers. */
IFD_RT void ifd__tangent_rate(ifd__tangent *T, double alpha, const double *ku, const double *kv, const double *ks,
                              double *y);

/* y += alpha M(q) x with the mass of the last update. */
IFD_RT void ifd__tangent_mass(ifd__tangent *T, double alpha, const double *x, double *y);
