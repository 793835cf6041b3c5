/* SPDX-License-Identifier: MIT */
/* Linearised elements: the tangent of an element at rest in place of the element.
 *
 * A probe that moves an element by a finite amplitude a does not find its tangent where the law has a kink at rest:
 * z' = v - beta |v| z of Bouc and Wen is off by the relative amount beta a, which central differences do not cancel,
 * because the term is odd. So probing takes the exact derivatives that every element gives. */
#ifndef IFD_MODEL_LINEARISED_H
#define IFD_MODEL_LINEARISED_H

#include "model/model.h"

/* Whether an element may be replaced: one coordinate, no mass that depends on it, and it does not step itself. */
bool ifd__linearisable(const ifd_element_ops *ops);

/* Whether an element is its own tangent. */
bool ifd__linearised(const ifd_element *e);

/* The tangent at rest at the coordinate q0 with the initial states, its force multiplied by factor. Where the tangent
 * jumps (at a limit of a slider, at a contact that just closes, at a reversal) the stiffer branch is taken. Its
 * values are those of ops. The states of a rate-independent element are condensed: r = r0 + (r_q + r_s ds/dq) (q -
 * q0). NULL when memory is out. */
const ifd_element_ops *ifd__linearised_specimen(ifd_arena *arena, const ifd_element_ops *ops, double q0,
                                                double factor);

/* Replaces the elements of a model at rest (u = 0) by their tangents; they keep their states. m has an array of
 * elements of its own afterwards. */
ifd_status ifd__linearise_elements(ifd_arena *arena, ifd_model *m);

#endif
