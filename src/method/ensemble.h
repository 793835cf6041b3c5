/* SPDX-License-Identifier: MIT */
/* Ensemble: LSRT2 for up to eight variants of a model at once, one in each lane of the vector unit (algebra/lanes.h).
 *
 *     if (!ifd__ensemble_refuses(s[k]) && ifd__ensemble_joins(s[0], s[k])) ...      // which variants may be together
 *     IFD_TRY(ifd__ensemble_make(arena, s, ifd__lanes_best(), &e));                  // s[k] NULL: an idle lane
 *     ifd__ensemble_take(e, x);                                                      // states of the steppers
 *     for (long k = 0; k < steps; k++) {
 *         ifd__ensemble_step(e, h * k);
 *         ifd__ensemble_give(e, x);
 *     }
 *
 * Variants have the same matrices, step, coordinates of elements and Jacobian. Ground motion, forces, initial state
 * and all parameters of elements that the Jacobian does not contain may differ. The Jacobian is constant: that of the
 * initial state (`jacobian: frozen`). The numbers of a variant depend on this variant only: they have the same bits
 * alone, in any lane and beside one that diverges. Against the stepper itself they differ by round-off. */
#ifndef IFD_METHOD_ENSEMBLE_H
#define IFD_METHOD_ENSEMBLE_H

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
/* u, v and s of the states x of the steppers; NULL: zeros, and not stored. */
IFD_RT void ifd__ensemble_take(ifd__ensemble *e, const double *const *x);
IFD_RT void ifd__ensemble_give(const ifd__ensemble *e, double *const *x);
/* The step from t to t + h. */
IFD_RT void ifd__ensemble_step(ifd__ensemble *e, double t);

#endif
