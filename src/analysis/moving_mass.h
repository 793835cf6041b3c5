/* SPDX-License-Identifier: MIT */
#pragma once

#include <interfield/hybrid.h>
#include <interfield/virtual.h>

/* Mass that the actuator of interface k moves and that is not in the model; `mass` of the interface is the part that
 * the model contains. */
double ifd__moving_mass(const ifd_hybrid_options *test, const ifd_laboratory *laboratory, int k);

/* Adds such mass, with its damping and stiffness, to the models of a test: the structure of one model contains it,
 * and a perfect rig need not measure inertia. Changes model, or couple, of out. */
ifd_status ifd__carry(ifd_arena *arena, const ifd_hybrid_options *test, const ifd_laboratory *laboratory,
                      ifd_hybrid_options *out);
