/* SPDX-License-Identifier: MIT */
/* Newton's iteration of one implicit step, or of a part of it. The unknown is the acceleration a1:
 *
 *     u1 = up + cu a1,   v1 = vp + cv a1,   s1 = sb + cs g1,   z1 = zp + cm a1
 *     M(u1) z1 + R(u1, v1, s1) = P(t1) + load
 *
 * with up, vp, zp and sb known. Rate-independent elements advance exactly from the start of the step (q0, sp). */
#pragma once

#include "method/stepper.h"
#include "method/tangent.h"

typedef struct ifd__implicit {
    double tolerance;
    int cap;
    double *up, *vp, *zp;     /* n: terms that do not depend on a1; zp is zero unless the caller changes it */
    double *u, *v, *acc, *z1; /* n: the iterate; acc is a1, which the caller initialises */
    double *sb, *sp, *s1;     /* ns: known term; states at the start, then those of the iteration; the result */
    double *g, *g0, *rs;      /* ns; g0: rates at the start */
    double *q0, *dq;          /* nq */
    double *F, *du, *dv, *w;  /* n; scratch of the model */
    double *acc0, *sp0;       /* n, ns: where the second iteration begins */
    double *dir, *ds;         /* n, ns: a correction of the second iteration */
    double *acc_k, *sp_k;     /* n, ns: and where it begins */
} ifd__implicit;

typedef struct ifd__implicit_rule {
    double cm, cv, cu, cs;
    ifd__tangent *T; /* of these coefficients */
} ifd__implicit_rule;

/* The options `iterations` and `tolerance` of methods that iterate. */
#define IFD__ITERATION_PARAMS                                                                                        \
    {.name = "iterations",                                                                                           \
     .preset = 20,                                                                                                   \
     IFD_WITHIN(1, 100),                                                                                             \
     .doc = "largest number of Newton iterations in a step"},                                                        \
    {                                                                                                                \
        .name = "tolerance", .preset = 1e-10, IFD_WITHIN(1e-15, 1),                                                  \
        .doc = "relative change of the displacements at which the iteration ends"                                    \
    }

ifd_status ifd__implicit_make(const ifd_stepper *s, ifd_arena *arena, const ifd_step_options *opt,
                              ifd__implicit *out);

/* The state at t, from which elements advance: q0, g0, sp. x: u, v, s. */
IFD_RT void ifd__implicit_begin(const ifd_stepper *s, const ifd__implicit *d, double t, const double *x);

typedef struct ifd__implicit_end {
    double t;           /* t1 */
    const double *load; /* n, or NULL */
} ifd__implicit_end;

/* Iterates and computes u, v, acc, z1 and s1. If Newton's iteration does not converge, it begins again with a line
 * search, `iterations` times at most. Faults are latched in x. */
IFD_RT void ifd__implicit_solve(const ifd_stepper *s, const ifd__implicit *d, const ifd__implicit_rule *rule,
                                ifd__implicit_end end, double *x);
