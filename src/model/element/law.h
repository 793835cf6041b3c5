/* SPDX-License-Identifier: MIT */
/* Laws with parameters that may change during a test: copies of a specimen, whose parameters are identified from its
 * measurements (rig/identify.h).
 *
 * An updated element has the parameters of its kind. Its states are a normalised memory z and the relative deviation
 * d_i of each parameter from its start value, p_i = p0_i (1 + d_i). The deviations have the rate zero: an
 * update writes them between two steps. Zero states are the start. */
#ifndef IFD_MODEL_ELEMENT_LAW_H
#define IFD_MODEL_ELEMENT_LAW_H

#include <interfield/element.h>

enum { IFD__LAW_PARAMS = 5 }; /* most */

typedef struct ifd__law {
    const char *kind; /* the element of a case */
    int params;
    const char *const *name; /* of each parameter */
    const char *const *unit;
    int stiffness, length;      /* parameters whose product scales the force; the second one scales the deformation */
    const double *least, *most; /* bounds of each parameter that no identification may leave */
    const ifd_element_ops *updated; /* takes the parameters of the kind */
    /* The start values of an updated element. */
    void (*start)(const ifd_element *e, double *p0);
    /* z after an increment dq of the deformation: one step of the classical Runge-Kutta method in dq. */
    IFD_RT double (*move)(const double *p, double dq, double z);
    IFD_RT double (*force)(const double *p, double q, double z);
} ifd__law;

/* The law of a kind of element, or of an updated element; NULL: none. */
const ifd__law *ifd__law_of(const ifd_element_ops *ops);
/* "bouc-wen|..." */
const char *ifd__law_kinds(void);

#endif
