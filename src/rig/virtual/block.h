/* SPDX-License-Identifier: MIT */
/* Block: in the virtual rig, a rigid block between several actuators and its specimens.
 *
 * The extensions of the actuators determine the pose of the block. A specimen on each of its dofs, an element or a
 * support of a model, returns a force, and the actuators share the forces by virtual work; with more actuators than
 * dofs by the smallest forces, plus the forces between the actuators. For impossible extensions the block keeps its
 * pose, and a test trips. */
#pragma once

#include <interfield/virtual.h>

#include "rig/virtual/ideal.h"

typedef struct ifd__block {
    const ifd_virtual_block *setup;
    ifd_drive *drive;
    ifd__ideal specimen[IFD_DRIVE_DOFS];
    int specimen_at[IFD_DRIVE_DOFS]; /* offsets in its state; -1: none */
    int size;
} ifd__block;

ifd_status ifd__block_make(ifd__block *b, ifd_arena *arena, const ifd_virtual_block *setup, ifd_note *note);

/* State in the array of the rig: force of each actuator, from IFD__BLOCK_SHARE on; the pose; the states of the
 * specimens. */
enum { IFD__BLOCK_SHARE = 0, IFD__BLOCK_POSE = IFD_DRIVE_ACTUATORS };

/* At rest with its actuators extended by s, and one tick later: the pose, and the elements on its dofs. */
IFD_RT void ifd__block_begin(const ifd__block *b, const double *s, double *x);
IFD_RT void ifd__block_move(const ifd__block *b, ifd__instant at, const double *s, double *x);
/* Position, velocity and acceleration of a dof, from velocities and accelerations of the actuators. */
IFD_RT void ifd__block_motion(const ifd__block *b, int dof, const double *vs, const double *as, const double *x,
                              double *out);
/* Forces of the actuators at these extensions; model: those of models on its dofs. */
IFD_RT void ifd__block_share(const ifd__block *b, const double *s, const double *model, double *x);
