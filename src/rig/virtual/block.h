/* SPDX-License-Identifier: MIT */
/* Block: in the virtual laboratory, a rigid block between several actuators and its specimens.
 *
 * Actuators go where they go; the block is where their extensions put it, a specimen on each of its dofs
 * answers, and the actuators share the forces by virtual work (where there are more of them than dofs the
 * smallest share, and what they press against each other). A pose that the actuators cannot have leaves the
 * block where it was: a test trips then. */
#ifndef IFD_RIG_VIRTUAL_BLOCK_H
#define IFD_RIG_VIRTUAL_BLOCK_H

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

/* State in the rig's array: what each actuator feels, from IFD__BLOCK_SHARE on; the pose; the specimens'. */
enum { IFD__BLOCK_SHARE = 0 };

/* At rest with its actuators extended by s, and one tick later. */
IFD_RT void ifd__block_begin(const ifd__block *b, const double *s, double *x);
IFD_RT void ifd__block_step(const ifd__block *b, ifd__instant at, const double *s, double *x);

#endif
