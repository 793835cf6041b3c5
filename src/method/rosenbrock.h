/* SPDX-License-Identifier: MIT */
/* Functions of the Rosenbrock methods that couplings need. */
#pragma once

#include <interfield/method.h>

/* gamma in the options of LSRT1 or LSRT2. */
double ifd__rosenbrock_gamma(const ifd_step_options *opt);

/* State at the middle of a step, after stage 0 of LSRT2 and before stage 1. u, v: n; es: ns. */
IFD_RT void ifd__rosenbrock_middle(const ifd_stepper *s, const double *x, double *u, double *v, double *es);

struct ifd__tangent;

/* For an ensemble: gamma, and the tangent of an LSRT2 stepper if it never changes (no elements, or a frozen
 * Jacobian); otherwise NULL. */
const struct ifd__tangent *ifd__rosenbrock_constant(const ifd_stepper *s, double *gamma);
