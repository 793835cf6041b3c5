/* SPDX-License-Identifier: MIT */
/* Ensemble: LSRT2 for up to eight variants of a model at once, one in each lane of the vector unit (algebra/lanes.h).
 *
 *     if (!ifd__ensemble_refuses(s[k]) && ifd__ensemble_joins(s[0], s[k])) ...      // which variants may be together
 *     IFD_TRY(ifd__ensemble_make(arena, s, ifd__lanes_best(), &e));                  // s[k] NULL: an idle lane
 *     for (long k = 0; k < steps; k++) {
 *         lane[l].t = h * k;                                                         // of all lanes with a state x
 *         ifd__ensemble_stages(e, 0, 2, lane);
 *     }
 *
 * Variants have the same matrices, step, coordinates of elements and Jacobian. Ground motion, forces, measured forces
 * of specimens, initial state and all parameters of elements that the Jacobian does not contain may differ. The
 * Jacobian is constant: that of the initial state (`jacobian: frozen`). The numbers of a variant depend on this
 * variant only: they have the same bits alone, in any lane, beside one that diverges and beside one that is at
 * another stage or step. Against the stepper itself they differ by round-off. */
#pragma once

#include <interfield/method.h>

#include "algebra/lanes.h"

typedef struct ifd__ensemble ifd__ensemble;

/* Why a stepper cannot be part of an ensemble; NULL: it can. */
const char *ifd__ensemble_refuses(const ifd_stepper *s);
/* Whether two steppers that can may be in the same one. */
bool ifd__ensemble_joins(const ifd_stepper *a, const ifd_stepper *b);

/* member: IFD__LANES steppers, NULL for idle lanes. */
ifd_status ifd__ensemble_make(ifd_arena *arena, const ifd_stepper *const *member, const ifd__lane_kernels *kernels,
                              ifd__ensemble **out, ifd_note *note);

typedef struct ifd__lane_task {
    double *x;          /* state of the stepper; NULL: this lane is idle */
    const double *load; /* n: measured forces; NULL: none */
    double t;           /* start of the step */
} ifd__lane_task;

/* Stages `stage` to `stage + count - 1` in all lanes with a state, which the results enter. */
IFD_RT void ifd__ensemble_stages(ifd__ensemble *e, int stage, int count, const ifd__lane_task *lane);

/* Steps of all lanes at once, whose states remain in the lanes: begin reads those of the lanes with an x; a step has
 * given[d], the ground acceleration in direction d of both stages (2 x IFD__LANES numbers; NULL without motion); give
 * returns the states of lanes with an x. Numbers are those of ifd__ensemble_stages. Not for models with forces, nor
 * for elements other than Bouc-Wen and one slider. */
void ifd__ensemble_begin(ifd__ensemble *e, double *const *x);
IFD_RT void ifd__ensemble_advance(ifd__ensemble *e, const double *const given[3]);
IFD_RT void ifd__ensemble_give(ifd__ensemble *e, double *const *x);
/* The displacement or velocity of a dof in all lanes; and the sum of the squares of all. */
IFD_RT const double *ifd__ensemble_row(const ifd__ensemble *e, int dof, bool velocity);
IFD_RT void ifd__ensemble_squares(const ifd__ensemble *e, double *sum);
/* Models of one dof: the direction of their ground motion if count (1 or 2) ensembles may be advanced by
 * ifd__ensemble_oscillate, otherwise -1. It makes many steps, with the bits of ifd__ensemble_advance; false, and
 * nothing is done: the sum of the squares of all u and v of a used lane is above `most`. */
typedef struct ifd__lane_piece {
    const double *ground; /* steps x 2 x lanes */
    double *out;          /* steps x 2 x lanes: u and v after each step */
    bool used[IFD__LANES];
    double most;
} ifd__lane_piece;
int ifd__ensemble_oscillates(ifd__ensemble *const *e, int count);
IFD_RT bool ifd__ensemble_oscillate(ifd__ensemble *const *e, int count, int steps, const ifd__lane_piece *piece);
/* Where the second stage of a step is: a fraction of the step. */
double ifd__ensemble_second(void);
