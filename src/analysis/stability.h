/* SPDX-License-Identifier: MIT */
/* Data shared by the files of the stability analysis. */
#pragma once

#include <interfield/analysis.h>
#include <interfield/run.h>

#include "analysis/probe.h"
#include "rig/virtual/ideal.h"

/* The exact roots of a structure linearised at rest: y' = J y, y = (u, v, s), s the states of its elements. */
/* Roots with imag >= 0, slowest first: one of each conjugate pair. */
typedef struct ifd__exact {
    int n, ns; /* of the model */
    int count;
    double *real, *imag; /* 1/s */
    double *re, *im;     /* (n + ns) x count: u and s of the eigenvectors */
    int zeros;           /* roots equal to zero, among all: rigid-body motion, slips */
    bool complete;       /* all roots; otherwise the lowest modes with their damping by projection */
    double highest;      /* largest modulus found, 1/s; a bound from the diagonals if the model is too large for all
                          * roots */
} ifd__exact;

/* Specimens of the model; their stiffness and damping enter J. */
typedef struct ifd__linear_specimens {
    int count;
    const ifd_specimen *specimen;
    const ifd__ideal *rig;
} ifd__linear_specimens;

ifd_status ifd__exact_make(ifd_arena *arena, const ifd_model *at_rest, const ifd__linear_specimens *specimens,
                           ifd__exact *out, ifd_note *note);

/* Eigenvalues of an amplification matrix, largest modulus first. */
typedef struct ifd__roots {
    int n;
    double *real, *imag;
    double *blur;    /* possible change of each by errors, negative for a root equal to one (verdict.h); NULL:
                      * exact */
    double *re, *im; /* n x n eigenvectors by columns, NULL if there are too many */
} ifd__roots;

/* A is balanced: scaled so that rows and columns have the same size. scale (n): x = scale * balanced x. */
ifd_status ifd__balance(int n, double *A, double *scale);
ifd_status ifd__roots_find(ifd_arena *arena, int n, const double *A, bool vectors, ifd__roots *out, ifd_note *note);

/* Distinct roots near or on the unit circle with fewer eigenvectors than their multiplicity; noise: relative error of
 * A. -1 if A is too large. */
ifd_status ifd__count_defective(const ifd__roots *r, const double *A, double noise, int *count);

/* The lowest nonzero and the highest frequency (rad/s), and coarse over step. */
typedef struct ifd__range {
    double lowest, highest, ratio;
} ifd__range;

ifd_status ifd__stability_range(const ifd_run_options *opt, ifd__range *out, ifd_note *note);

/* State variables that are displacements and element states of the whole, in the order of the substructures. */
typedef struct ifd__view {
    int dofs, states;
    const int *at;           /* dofs + states indices into the state variables */
    const double *scale;     /* of ifd__balance */
    const ifd_assembly *map; /* z to the dofs of the substructures; NULL for one model */
} ifd__view;

/* Fills the modes of out and the field mode of its roots. */
ifd_status ifd__match_modes(ifd_arena *arena, const ifd__exact *exact, const ifd__roots *r, const ifd__view *view,
                            ifd_root *root, ifd_stability *out);

/* Reduces substructures (of options at rest) to their joints and lowest modes, so that about `numbers` of `states`
 * state variables remain; *dofs: their number before. */
ifd_status ifd__reduce_parts(ifd_arena *arena, ifd_run_options *at_rest, int states, int numbers, int *dofs,
                             ifd_note *note);
