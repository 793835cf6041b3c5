/* SPDX-License-Identifier: MIT */
#ifndef IFD_RUN_CARRY_H
#define IFD_RUN_CARRY_H

#include <interfield/hybrid.h>
#include <interfield/virtual.h>

/* The models of a test with what the actuators carry besides their specimens (mass, damping, stiffness) put into
 * them: the structure in one piece has it there, and a perfect rig need not measure inertia. Changes model, or
 * couple, of out. */
ifd_status ifd__carry(ifd_arena *arena, const ifd_laboratory *laboratory, ifd_hybrid_options *out);

#endif
