/* SPDX-License-Identifier: MIT */
/* The exact roots of a structure linearised at rest: y' = J y, y = (u, v, s), s the states of its elements. */
#pragma once

#include <interfield/run.h>

#include "rig/virtual/ideal.h"

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
