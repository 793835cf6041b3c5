/* SPDX-License-Identifier: MIT */
#ifndef IFD_ANALYSIS_MOVING_MASS_H
#define IFD_ANALYSIS_MOVING_MASS_H

#include <interfield/hybrid.h>
#include <interfield/virtual.h>

/* Mass that the actuator of interface k carries and the model does not hold: what `mass`
 * of the interface says it holds. */
double ifd__moving_mass(const ifd_hybrid_options *test, const ifd_laboratory *laboratory, int k);

/* The models of a test with such mass, and the damping and stiffness that come with it, put into them: the structure
 * in one piece has it there, and a perfect rig need not measure inertia. Changes model, or couple, of out. */
ifd_status ifd__carry(ifd_arena *arena, const ifd_hybrid_options *test, const ifd_laboratory *laboratory,
                      ifd_hybrid_options *out);

#endif
