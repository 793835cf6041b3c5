/* SPDX-License-Identifier: MIT */
/* Functions shared by the convergence of one model and of coupled substructures. */
#pragma once

#include <interfield/analysis.h>

#include "substructure/substructure.h"

/* Numbers at every instant of the coarsest grid, in rows of size: u, v, s of the model, or of each substructure and
 * then the multipliers. */
typedef struct ifd__track {
    int size;
    long instants;
    double *y;
} ifd__track;

/* The reference solution of m on the grid of step h; out receives the agreement of two such solutions and of a second
 * opinion for `levels` levels. */
ifd_status ifd__converge_reference(const ifd_model *m, double h, int levels, ifd__track *exact, ifd_convergence *out,
                                   ifd_note *note);

/* The structure of opt from its start, without specimens; an instant is every divide-th step. */
ifd_status ifd__converge_run(const ifd__substructure_options *opt, int divide, ifd__track *t, ifd_note *note);

/* Observed order between two levels; 0 if an error is 0. */
double ifd__converge_order(double coarse, double fine);
/* Slope of the error at byte `field` of a row over the first levels whose error exceeds ten times `doubt`; *used (may
 * be NULL) := their number. 0 with fewer than two. */
double ifd__converge_fit(int levels, const ifd_converge_row *row, size_t field, double doubt, int *used);

/* For options that were checked. */
ifd_status ifd__converge_cut(ifd_arena *arena, const ifd_run_options *opt, int levels, ifd_convergence *out,
                             ifd_note *note);
