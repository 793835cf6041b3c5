/* SPDX-License-Identifier: MIT */
/* A free-running hybrid case to its end, compared with a reference: the same case with ideal specimens, or another
 * case, at an eighth of the step. */
#pragma once

#include <stdbool.h>

#include <interfield/hybrid.h>

enum { HYBRID_DOFS = 16, HYBRID_SETS = 8 };

typedef struct hybrid_run {
    const char *path, *truth; /* truth NULL: the same file */
    int sets, truth_sets;
    const char *set[HYBRID_SETS], *truth_set[HYBRID_SETS + 1];
    double later; /* s, delay of arming, for other noise */
} hybrid_run;

typedef struct hybrid_outcome {
    ifd_machine state;
    ifd_trip trip;
    long late, governed;
    long outside; /* commands outside stroke, velocity or acceleration */
    double end;   /* s, of the last complete step */
    int dofs;
    char name[HYBRID_DOFS][64];
    double error[HYBRID_DOFS];          /* root mean square of the difference over that of the reference */
    double peak[HYBRID_DOFS];           /* largest difference over the largest value of the reference */
    double tracking[IFD_RIG_ACTUATORS]; /* m, largest */
} hybrid_outcome;

/* False, with the reason on stderr: a case cannot be read or made. */
bool hybrid_error(const hybrid_run *r, hybrid_outcome *out);
/* Frees memory kept between two calls. */
void hybrid_error_end(void);
