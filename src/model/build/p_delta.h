/* SPDX-License-Identifier: MIT */
/* Geometric stiffness of a frame under gravity (P-Delta). */
#pragma once

#include <interfield/structures.h>

typedef struct ifd__frame_gravity {
    double gravity;     /* m/s2, on the mass of the members */
    const double *load; /* N, downwards, one per node */
    bool members;       /* the loads of members too */
    bool current;       /* the axial force of a member follows its elongation during the motion */
} ifd__frame_gravity;

/* With current, a member also has one element p-delta-member in each plane of bending, for the change of N.
 *
 * Adds the geometric stiffness of the members of a frame that was added to b, for the axial forces under gravity. The
 * members are Euler-Bernoulli elements with the consistent matrix
 * N/(30 L) [36, 3L, -36, 3L; 3L, 4L^2, -3L, -L^2; -36, -3L, 36, -3L; 3L, -L^2, -3L, 4L^2] in both planes.
 * IFD_NOT_POSITIVE: unstable, with the critical factor in the note. */
ifd_status ifd__frame_p_delta(ifd_builder *b, const ifd_frame *f, const ifd__frame_gravity *g, ifd_note *note);
