/* SPDX-License-Identifier: MIT */
/* Linearised elements: the tangent of an element at rest in place of the element.
 *
 * Probing with a finite amplitude a does not give the tangent if the law has a kink at rest: for z' = v - beta |v| z
 * of Bouc and Wen the relative error is beta a. Central differences do not cancel it, because the term is odd.
 * Probing therefore uses the exact derivatives of every element. */
#pragma once

#include "model/model.h"

/* True if an element may be replaced: one coordinate, no mass that depends on it, no internal stepping. */
bool ifd__linearisable(const ifd_element_ops *ops);

/* True if an element is linear. */
bool ifd__linearised(const ifd_element *e);

/* The tangent at rest at the coordinate q0 with the initial states; its force is multiplied by factor. Where the
 * tangent jumps (limit of a slider, a contact that just closes, a reversal) the stiffer branch is used. Its values
 * are those of ops. The states of a rate-independent element are condensed: r = r0 + (r_q + r_s ds/dq) (q - q0). NULL
 * without memory. */
const ifd_element_ops *ifd__linearised_specimen(ifd_arena *arena, const ifd_element_ops *ops, double q0,
                                                double factor);

/* Replaces the elements of a model at rest (u = 0) by their tangents; they keep their states, but those that remember
 * reversals, which have none. m then has its own
 * array of elements. The tangents of a model in its gravity state are those there, and u counts from there: they
 * have no forces at u = 0. */
ifd_status ifd__linearise_elements(ifd_arena *arena, ifd_model *m);

/* Replaces the tangent of an element that ifd__linearise_elements made of `from` by that at q (NULL: 0) and the
 * states s. What a method computed from the first tangent remains. */
ifd_status ifd__linearised_at(ifd_arena *arena, const ifd_element *from, const double *q, const double *s,
                              const ifd_element *e);
