/* SPDX-License-Identifier: MIT */
/* Laws of fibres: stress over strain. Their memory is that of the last accepted step, and a trial is one monotone
 * move from there; the stress after it does not depend on its division. */
#pragma once

#include "model/element/multilinear.h"
#include "model/element/steel.h"
#include "model/fibre/concrete.h"

typedef enum ifd__fibre_kind {
    IFD__FIBRE_ELASTIC,
    IFD__FIBRE_STEEL,
    IFD__FIBRE_CONCRETE,
    IFD__FIBRE_MULTILINEAR
} ifd__fibre_kind;

/* Every memory begins with the strain and the stress. */
enum { IFD__FIBRE_STRAIN, IFD__FIBRE_STRESS, IFD__FIBRE_STATES = IFD__MULTILINEAR_STATES };

typedef struct ifd__fibre_law {
    ifd__fibre_kind kind;
    double young, density; /* Pa, at rest; kg/m3 */
    ifd__steel steel;
    ifd__concrete concrete;
    ifd__multilinear multilinear;
} ifd__fibre_law;

int ifd__fibre_states(const ifd__fibre_law *law);

/* Stress after a move from the memory s to the strain e; k := the tangent there. s1: the memory after it, or NULL; it
 * may be s. */
IFD_RT double ifd__fibre_move(const ifd__fibre_law *law, const double *s, double e, double *k, double *s1);
