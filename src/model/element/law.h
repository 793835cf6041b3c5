/* SPDX-License-Identifier: MIT */
/* Laws with parameters that may change during a test: copies of a specimen, whose parameters are identified from its
 * measurements (rig/identify.h).
 *
 * An updated element has the parameters of its kind. Its states are a normalised memory z and the relative deviation
 * d_i of each identified parameter from its start value, p_i = p0_i (1 + d_i). The deviations have the rate zero: an
 * update writes them between two steps. Zero states are the start. Numbers of the case that are not identified follow
 * the parameters in p. */
#pragma once

#include <interfield/element.h>

enum { IFD__LAW_PARAMS = 5, IFD__LAW_NUMBERS = 7 }; /* most parameters; with the fixed numbers */

/* All laws are r = elastic q + plastic z with |z| <= 1 and, for a law with memory,
 * y z' = v [1 - |z|^n (b sgn(v z) + 1 - b)], or y z' = v up to |z| = 1 for n = infinity. */
typedef struct ifd__hysteresis {
    double elastic, plastic; /* N/m, N */
    double y;                /* m */
    double b, n;
} ifd__hysteresis;

typedef struct ifd__law {
    const char *kind; /* the element of a case */
    int params, fixed;
    const char *const *name;        /* of each parameter */
    const double *least, *most;     /* bounds of each parameter that no identification may leave */
    const ifd_element_ops *updated; /* takes the parameters of the kind */
    const char *const *given;       /* parameter of the kind that each number of p is; NULL: `read` sets it */
    /* The others. Notes a value that is not supported. May be NULL. */
    ifd_status (*read)(const ifd_element *e, const ifd_value *values, double *p, ifd_note *note);
    IFD_RT ifd__hysteresis (*shape)(const double *p);
    IFD_RT double (*move)(const double *p, double dq, double z); /* of ifd__law_move; NULL: the exact solution */
} ifd__law;

/* The law of a kind of element, or of an updated element; NULL: none. */
const ifd__law *ifd__law_of(const ifd_element_ops *ops);
/* "bouc-wen, lead-rubber, ..." */
const char *ifd__law_kinds(void);
/* p0 of an updated element. */
void ifd__law_start(const ifd_element *e, double *p0);
/* z after an increment dq of the deformation. */
IFD_RT double ifd__law_move(const ifd__law *law, const double *p, double dq, double z);
IFD_RT double ifd__law_force(const ifd__law *law, const double *p, double q, double z);
/* N/m, at rest. */
IFD_RT double ifd__law_stiffness(const ifd__law *law, const double *p);
