/* SPDX-License-Identifier: MIT */
/* Probing: the amplification matrix of anything that is stepped on a flat state, by stepping it from unit states. */
#ifndef IFD_ANALYSIS_PROBE_H
#define IFD_ANALYSIS_PROBE_H

#include <interfield/run.h>

typedef struct ifd__probe {
    int size;                            /* numbers in x */
    int n;                               /* of these, what the recurrence depends on */
    const int *state;                    /* n offsets in x */
    const double *rest;                  /* x about which it is linear; NULL: zero */
    double amplitude;                    /* of a unit state */
    const double *unit;                  /* n, powers of two: how many amplitudes it is; NULL: one */
    bool central;                        /* differences on both sides, for what is only nearly linear */
    bool (*step)(void *what, double *x); /* one whole step; false when it failed */
    void *what;
} ifd__probe;

/* Appends the offsets of the rows that a step depends on; stages: also of those that live inside a step. How many
 * there are. */
int ifd__probe_rows(int rows, const ifd_state_row *row, bool stages, int *state);

/* A (n x n by columns): the answer to each unit state less the answer to none. IFD_DIVERGED when a step failed. */
ifd_status ifd__probe_matrix(const ifd__probe *p, double *A);

/* A run from rest, without its loads. */
typedef struct ifd__probed_run {
    ifd_run_options opt; /* with models at rest */
    ifd_run *run;
    ifd__probe probe;
    double step, coarse; /* s */
    bool linear;
} ifd__probed_run;

/* Whether every element of a model at rest is its own tangent, so that differences of any width are exact. */
bool ifd__probe_exact(const ifd_model *m);

/* opt with every model at rest and one thread, elements and specimens replaced by their tangents at rest
 * (model/linearised.h). */
ifd_status ifd__probe_options(ifd_arena *arena, const ifd_run_options *opt, ifd_run_options *out);

/* Makes the run of options at rest, ready to be probed past any start-up. */
ifd_status ifd__probe_run(ifd_arena *arena, const ifd_run_options *at_rest, ifd__probed_run *out, ifd_note *note);

#endif
