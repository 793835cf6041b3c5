/* SPDX-License-Identifier: MIT */
#pragma once

#include <interfield/compensator.h>

#include "base/arena.h"

#define COMPENSATOR(x) extern const ifd_compensator_kind ifd__compensator_##x;
#include "rig/compensator/compensators.def"

#define IFD__COMPENSATOR_PARAMS                                                                                      \
    IFD_OPTION("look-ahead", TIME, -10, 10, 0, "additional lead, for the delay of the force measurement"),           \
        IFD_OPTION("resolution", LENGTH, 0, 1, 0, "resolution of the converter of the command; 0: none"),            \
        IFD_OPTION("range", LENGTH, 0, 1e3, 0, "range of the converter; 0: unlimited")

#define IFD__COEFFICIENT_PARAMS(plants)                                                                              \
    IFD_LIST("coefficients", ANY, -1e12, 1e12, "coefficients of x, x', x'', ... in the command"),                    \
        IFD_WORD("plant", plants,                                                                                    \
                 "source of absent coefficients: the plant of the benchmark, with or without (bare) its specimen")

double ifd__compensator_number(const ifd_compensator *c, const ifd_value *values, const char *name);
int ifd__compensator_states(ifd_compensator *c, const char *name, int count, ifd_state_kind kind);
/* The first count coefficients of the inverse of a plant, from `coefficients` or `plant`. */
ifd_status ifd__compensator_plant(const ifd_compensator *c, const ifd_value *values, int count, double *a,
                                  ifd_note *note);
/* Rows of the first matrix given; 1 without any. */
int ifd__decoupling_size(const ifd_value *values);
/* Number of dofs that the compensator couples, 0: none; and its row, from 1. */
int ifd__decoupling_axes(const ifd_compensator *c, int *row);

/* Target and command of the instant of the measurement; u: the command of this tick. */
static inline IFD_RT double ifd__now_x(const ifd_compensator_in *in)
{
    return in->next ? in->now_x : in->x;
}

static inline IFD_RT double ifd__now_u(const ifd_compensator_in *in, double u)
{
    return in->next ? in->now_u : u;
}

/* memory: ticks after which a measurement has left all filters and histories of the adaptation. Until then a kept
 * one, in the place of a lost one, would still have an effect. */
static inline IFD_RT bool ifd__learns(const ifd_compensator_in *in, double memory)
{
    return !in->frozen && !in->rests && (in->lost == 0.0 || in->lost > 1.0 + memory);
}

/* b := a times the Taylor series of e^{T s}, truncated to the same order (count - 1). */
IFD_RT void ifd__ahead(int count, const double *a, double T, double *b);
/* The command of the present coefficients, the look-ahead ahead; count: of them. */
IFD_RT double ifd__compensator_inverse(const ifd_compensator *c, int count, const double target[4], const double *s);
/* A step whose command is the target, the look-ahead ahead. */
IFD_RT double ifd__compensator_ahead(const ifd_compensator *c, const ifd_compensator_in *in, const double target[4],
                                     double *s);
/* The target T ahead: x + T x' + T^2/2 x'' + T^3/6 x'''. */
IFD_RT double ifd__target_ahead(const double target[4], double T);
