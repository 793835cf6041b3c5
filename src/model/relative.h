/* SPDX-License-Identifier: MIT */
/* Damping relative to the ground. Mass-proportional and modal damping represent losses that have no location in the
 * structure. They act on the motion relative to the ground for both kinds of excitation:
 *
 *     ground acceleration    C w',          w = u - r d_g
 *     moved supports         C (u' - R s'), R = -K_ff^-1 K_fs: static displacements per support motion
 *
 * Dashpots and stiffness-proportional damping act between their two ends in both. A support that follows another
 * substructure is not the ground and has no such term. */
#pragma once

#include "model/build/making.h"

/* Adds the columns above to Cs of a model that is otherwise complete, and stores them in Cr. before: C without the
 * modal damping. Adds a remark if the stiffness does not determine R. */
ifd_status ifd__relative_damping(ifd__making *k, const ifd_sparse *before);

/* Entry i of column j of Cs from the matrices alone. */
static inline double ifd__support_damping(const ifd_model *m, int j, int i)
{
    size_t at = (size_t)j * (size_t)m->n + (size_t)i;
    return m->Cs[at] - (m->Cr ? m->Cr[at] : 0.0);
}

/* Removes Cr from the columns of the marked supports, which follow another substructure. m is a copy that may be
 * changed. */
ifd_status ifd__absolute_damping(ifd_arena *arena, ifd_model *m, const bool *of);
