/* SPDX-License-Identifier: MIT */
/* The shipped cases solved a second time, from their equations of motion written out by hand, with a fine classical
 * scheme: no element, no model and no method of the library takes part, only the signal of the ground. The numbers of
 * cases/<name>/expected.json marked "independent" come from here. */
#pragma once

#include <stdbool.h>

enum { INDEPENDENT_STATES = 20 };

/* What happened, sampled at every step of the case. */
typedef struct independent_result {
    int count;
    const char *const *channel;      /* count names, as the run calls them */
    double peak[INDEPENDENT_STATES]; /* value of largest size */
    double final[INDEPENDENT_STATES];
} independent_result;

/* name: "shear-pendulum/free". False when the case is not among them. refine: steps of the scheme per step of it. */
bool independent_solve(const char *name, int refine, independent_result *out);
