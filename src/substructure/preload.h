/* SPDX-License-Identifier: MIT */
/* Preload: static equilibrium of a model and its specimens under the loads that are constant in time,
 *
 *     K u + B r(B^T u) + sum_k b_k f_k = P,      b_k^T u the deformation of specimen k, f_k its force.
 *
 * f_k is known only after the specimen has moved, so the iteration alternates: the rig moves to b_k^T u, the force is
 * measured, and u is corrected by one step of Newton's method with a fixed tangent,
 *
 *     A du = P - K u - B r - sum_k b_k f_k,      A = K + B r' B^T + sum_k k_k b_k b_k^T,
 *
 * where k_k is the estimated stiffness of the specimen. A step reduces the error to the fraction |1 - k/k_k| or less
 * (stiffness of the structure helps): an estimate above half of the actual stiffness converges. The iteration starts
 * from the equilibrium with the estimates in place of the specimens. */
#pragma once

#include <interfield/analysis.h>
#include <interfield/hybrid.h>
#include <interfield/method.h>

#include "model/equilibrium/equilibrium.h"
#include "substructure/substructure.h"

/* Positions of the dofs and states of the preloaded structure in the state of a test: those of one model, or of the
 * substructures from which it is assembled. */

typedef struct ifd__place {
    const ifd_model *m;
    ifd_step_options step; /* with the estimates, between dofs of m */
    ifd_assembly whole;    /* of substructures; model is NULL without coupling */
    int *first;            /* first dof of each substructure, counted over all */
    int *home;             /* n: offset in x of the displacement of a dof of m */
    double *u, *all;       /* n; dofs of all substructures: scratch */
} ifd__place;

ifd_status ifd__place_make(ifd_arena *arena, const ifd_hybrid_options *opt, const ifd__substructure *s,
                           ifd__place **out, ifd_note *note);
/* The dof of m that equals a dof of a substructure, IFD_GROUND for IFD_GROUND; false if it is a sum of several. */
bool ifd__place_dof(const ifd__place *p, int part, int dof, int *out);
/* The same for the ends of a specimen, those of a chord in the arena; *missing: the dof that is a sum. */
ifd_status ifd__place_ends(ifd_arena *arena, const ifd__place *p, int part, ifd__ends in, ifd__ends *out,
                           int *missing);

/* p->u := the displacements in x; and back, without change of velocities. */
IFD_RT void ifd__place_get(const ifd__place *p, const double *x);
IFD_RT void ifd__place_put(const ifd__place *p, const ifd__substructure *s, double *x);
/* Element states of m into x. */
IFD_RT void ifd__place_states(const ifd__substructure *s, const double *states, double *x);

typedef struct ifd__preload {
    const ifd_model *m;
    int interfaces;
    const ifd__ends *end; /* of each specimen */
    ifd__equilibrium e;   /* with the estimates as springs */
    double *u;            /* n: current displacements */
    double *flexibility;  /* channels x channels: b_j^T A^-1 b_k */
    ifd_solver *solver;   /* factor of A */
    double *du, *w;       /* n: the correction; scratch */
} ifd__preload;

/* of: m, channels and end. Only the estimates of the step options are used. */
ifd_status ifd__preload_make(ifd_arena *arena, const ifd__preload *of, const ifd_step_options *step,
                             ifd__preload **out, ifd_note *note);

/* p->du := correction of u for the forces f (N, against a positive deformation, all devices together). */
IFD_RT void ifd__preload_correct(ifd__preload *p, const double *u, const double *f);

IFD_RT static inline double ifd__preload_deformation(const ifd__preload *p, int k, const double *u)
{
    return ifd__deformation(p->end[k], u);
}
