/* SPDX-License-Identifier: MIT */
#pragma once

#include <interfield/benchmark.h>

#include "algebra/discretisation.h"
#include "substructure/substructure.h"

/* Matrices of a building, 3 x 3. */
typedef struct ifd__building {
    double m; /* per floor, kg */
    double K[9], C[9];
} ifd__building;

/* Building 1 to 4. */
ifd__building ifd__building_of(int number);

/* Signals of a run for the criteria, count samples each. */
typedef struct ifd__rths_log {
    int count;
    double *xm, *y[3], *r[3];
} ifd__rths_log;

/* Settings of a compensator or sensor, up to the row without a name. */
ifd_status ifd__rths_set(const ifd_param *params, const ifd_rths_setting *setting, ifd_value *v, ifd_note *note);

/* Exact response of the whole building to ground acceleration that is linear between samples. */
ifd_status ifd__rths_reference(const ifd__building *b, const double *ug, ifd_arena *arena, ifd__rths_log *log,
                               ifd_rths_result *out);
/* Fills out->J from the log. */
void ifd__rths_criteria(const ifd__rths_log *log, ifd_rths_result *out);

/* y' = A y + B (ug, f): floors and their velocities under the ground and a force on the first floor; m of the first
 * floor, ground loads by the full mass of each floor. Column-major, 6 x 6 and 6 x 2. */
void ifd__building_system(double m, const double first[3], const double *K, const double *C, double *A, double *B);

/* The numerical substructure: floors without the specimen. */
typedef struct ifd__rths_numeric {
    double A[36], B[12];
    ifd__discretisation hold;
    ifd__substructure s; /* without a stepper: the exact discretisation */
    double *x, load[3];
    double z[6]; /* displacements, velocities */
} ifd__rths_numeric;

ifd_status ifd__rths_numeric_make(const ifd_rths_options *opt, const ifd__building *of, const double specimen[3],
                                  ifd_arena *arena, ifd__rths_numeric *n, ifd_note *note);
/* From sample k to k + 1, with ground accelerations at both; the force is held. */
IFD_RT void ifd__rths_numeric_step(ifd__rths_numeric *n, int k, const double ug[2], double f);
/* Acceleration of the first floor under the ground and a force. */
IFD_RT double ifd__rths_acceleration(const ifd__rths_numeric *n, double ug, double f);
