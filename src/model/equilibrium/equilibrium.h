/* SPDX-License-Identifier: MIT */
/* Static equilibrium by Newton's method; element states follow slowly from their initial values:
 *
 *     K u + B r(B^T u) + sum_k k_k b_k b_k^T u = P,      k_k: springs in place of specimens. */
#pragma once

#include "model/dof_pair.h"
#include "model/equilibrium/at_rest.h"

typedef struct ifd__spring {
    ifd__ends ends;
    double stiffness; /* N/m */
} ifd__spring;

typedef struct ifd__equilibrium {
    const ifd_model *m;
    double t;  /* s */
    double *P; /* n: loads, zero after make */
    double *a; /* nq: acceleration of the ground at the elements; NULL without */
    int springs;
    const ifd__spring *spring;
    int largest_dense;         /* dofs: larger models use a sparse factor; if K is unsymmetric always the preset */
    double change;             /* relative change of displacements in a step that counts as none */
    int most;                  /* steps; IFD__EQUILIBRIUM_STEPS by default */
    bool refine;               /* ends only without change; otherwise also if the forces balance */
    int loose;                 /* after IFD_SINGULAR: the dof that can move without resistance, -1 if not known */
    ifd__rest rest;            /* element states at the last residual */
    double *F;                 /* n: the last residual */
    double scale;              /* N: largest force in the residual */
    double *du, *trial, *zero; /* n */
    double *from;              /* n: where it began; NULL: no member turns */
    bool whole;                /* steps are not halved */
} ifd__equilibrium;

ifd_status ifd__equilibrium_make(ifd_arena *arena, const ifd_model *m, ifd__equilibrium *out);

/* F := P - K u - B r, without springs. */
IFD_RT void ifd__equilibrium_residual(ifd__equilibrium *e, const double *u);

/* K + B r' B^T + springs at the last residual, factored. */
ifd_status ifd__equilibrium_factor(const ifd__equilibrium *e, ifd_arena *arena, ifd_arena *scratch, ifd_solver **out);

/* u: first estimate, then the equilibrium. IFD_DIVERGED: none found in `most` steps; IFD_SINGULAR. */
enum { IFD__EQUILIBRIUM_STEPS = 60 };
ifd_status ifd__equilibrium_find(ifd__equilibrium *e, double *u);
