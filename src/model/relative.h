/* SPDX-License-Identifier: MIT */
/* Damping against the ground. Mass-proportional and modal damping stand for losses that have no place in the
 * structure; they act on the motion relative to the ground, whichever way the shaking is given:
 *
 *     ground acceleration    C w',          w = u - r d_g
 *     moved supports         C (u' - R s'), R = -K_ff^-1 K_fs: what the supports do to the structure at rest
 *
 * Dashpots and stiffness-proportional damping act between their own two ends in both. A support that follows another
 * part is not the ground: it has none of this. */
#ifndef IFD_MODEL_RELATIVE_H
#define IFD_MODEL_RELATIVE_H

#include "model/build/making.h"

/* Adds the columns above to Cs of a model that is otherwise complete, and keeps them in Cr. before: C without the
 * modal damping. A remark when the stiffness does not tell R. */
ifd_status ifd__relative_damping(ifd__making *k, const ifd_sparse *before);

/* Column j of Cs as the matrices alone give it, entry i. */
static inline double ifd__support_damping(const ifd_model *m, int j, int i)
{
    size_t at = (size_t)j * (size_t)m->n + (size_t)i;
    return m->Cs[at] - (m->Cr ? m->Cr[at] : 0.0);
}

/* Takes Cr out of the columns of the supports marked: they follow another part. m is a copy that may be changed. */
ifd_status ifd__absolute_damping(ifd_arena *arena, ifd_model *m, const bool *of);

#endif
