/* SPDX-License-Identifier: MIT */
#ifndef IFD_RIG_COMPENSATOR_COMPENSATOR_H
#define IFD_RIG_COMPENSATOR_COMPENSATOR_H

#include <interfield/compensator.h>

#include "base/arena.h"
#include "base/params.h"

#define COMPENSATOR(x) extern const ifd_compensator_kind ifd__compensator_##x;
#include "rig/compensator/compensators.def"

#define IFD__COMPENSATOR_PARAMS                                                                                      \
    IFD__OPTION("look-ahead", TIME, -10, 10, 0, "aims so much ahead of no delay, for the way of the force back"),    \
        IFD__OPTION("resolution", LENGTH, 0, 1, 0, "step of the converter of the command; 0 for none"),              \
        IFD__OPTION("range", LENGTH, 0, 1e3, 0, "of that converter; 0 for no limit")

#define IFD__COEFFICIENT_PARAMS(plants)                                                                              \
    {.name = "coefficients",                                                                                         \
     .shape = IFD_SHAPE_LIST,                                                                                        \
     .dim = IFD_DIM_ANY,                                                                                             \
     IFD_WITHIN(-1e12, 1e12),                                                                                        \
     .doc = "of x, x', x'' ... in the command"},                                                                     \
        IFD__WORD("plant", plants,                                                                                   \
                  "whose inverse gives the coefficients that are not given: the benchmark's plant, or it without "   \
                  "specimen")

double ifd__compensator_number(const ifd_compensator *c, const ifd_value *values, const char *name);
int ifd__compensator_states(ifd_compensator *c, const char *name, int count, ifd_state_kind kind);
/* The first count coefficients of a plant's inverse, from `coefficients` or `plant`. */
ifd_status ifd__compensator_plant(const ifd_compensator *c, const ifd_value *values, int count, double *a,
                                  ifd_note *note);

/* b := a times the Taylor series of e^{T s}, kept to the same order (count - 1). */
IFD_RT void ifd__ahead(int count, const double *a, double T, double *b);
/* The target itself T ahead: x + T x' + T^2/2 x'' + T^3/6 x'''. */
IFD_RT double ifd__target_ahead(const double target[4], double T);

#endif
