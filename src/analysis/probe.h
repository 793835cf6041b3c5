/* SPDX-License-Identifier: MIT */
/* Probing: the amplification matrix of a computation with a flat state, from steps of unit states. */
#pragma once

#include <interfield/run.h>

#include "base/arena.h"

typedef struct ifd__probe {
    int size;                            /* numbers in x */
    int n;                               /* number of values that the recurrence depends on */
    const int *state;                    /* n offsets in x */
    const double *rest;                  /* state of linearisation; NULL: zero */
    double amplitude;                    /* of a unit state */
    const double *unit;                  /* n, powers of two: multiples of the amplitude; NULL: one */
    bool central;                        /* central differences, for steps that are only nearly linear */
    bool (*step)(void *what, double *x); /* one complete step; false if it failed */
    void *what;
} ifd__probe;

/* Appends the offsets of the rows that a step depends on; stages: also of those used only inside a step. Returns
 * their number. */
int ifd__probe_rows(int rows, const ifd_state_row *row, bool stages, int *state);

double ifd__norm(int n, const double *x);
/* x := the state at rest. */
void ifd__probe_rest(const ifd__probe *p, double *x);
/* A (n x n by columns): the response to each unit state minus the response to a zero state. IFD_DIVERGED if a step
 * failed. */
ifd_status ifd__probe_matrix(const ifd__probe *p, double *A);

/* A run from rest, without its loads. */
typedef struct ifd__probed_run {
    ifd_run_options opt; /* with models at rest */
    ifd_run *run;
    ifd__probe probe;
    double step, coarse; /* s */
    bool linear;
} ifd__probed_run;

/* True if every element of a model at rest is linear, so that differences of any width are exact. */
bool ifd__probe_exact(const ifd_model *m);

/* Freezes the Jacobian of a model at rest whose many elements all have constant tangents. */
void ifd__probe_freeze(const ifd_model *m, ifd_step_options *step);

/* opt with every model at rest and one thread, elements and specimens replaced by their tangents at rest
 * (model/linearised.h). */
ifd_status ifd__probe_options(ifd_arena *arena, const ifd_run_options *opt, ifd_run_options *out);

/* Makes the run of options at rest, stepped past the start-up. */
ifd_status ifd__probe_run(ifd_arena *arena, const ifd_run_options *at_rest, ifd__probed_run *out, ifd_note *note);
