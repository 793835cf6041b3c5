/* SPDX-License-Identifier: MIT */
/* Functions of an MG-alpha stepper for the PG-alpha coupling: the link solution, which is the response to forces on
 * the joints alone, with the matrix D of the last free step.
 *
 *     D Yd_l = L f - K Yt_l,   Y_l = Yt_l + b Yd_l,   V_l as in a step
 *
 * A link is one array of ifd__mg_link_size numbers: Y, Yd, V. It is zero at the start of a coarse step. */
#pragma once

#include <interfield/method.h>

int ifd__mg_link_size(const ifd_stepper *s);

/* A complete step without the correction of element states to their bounds: the links are added first. */
IFD_RT void ifd__mg_free_step(const ifd_stepper *s, double t, const double *load, double *x);

/* The same in two calls: the prediction (stage 0), which determines the state of the measured force, and the rest. */
IFD_RT void ifd__mg_predict(const ifd_stepper *s, double *x);
IFD_RT void ifd__mg_finish(const ifd_stepper *s, double t, const double *load, double *x);

/* One (sub)step of the link under force (n numbers at the end of the substep). */
IFD_RT void ifd__mg_link_step(const ifd_stepper *s, const double *force, double *link);

/* Y, Yd, V of x += factor * link. */
IFD_RT void ifd__mg_link_add(const ifd_stepper *s, double factor, const double *link, double *x);

/* The same for a linear model with one step per coarse step, where a link is its rate of velocity alone: z (n) is the
 * sum of factor times those. */
IFD_RT void ifd__mg_link_add_rate(const ifd_stepper *s, const double *z, double *x);

/* Corrects element states to their bounds after the links are added. */
IFD_RT void ifd__mg_settle(const ifd_stepper *s, double *x);
