/* SPDX-License-Identifier: MIT */
/* Rehearsal: the rig is commanded nothing (state idle) and its twin answers instead.
 * The exchange with the rig goes on tick by tick, so that a silent rig, a lost link or a wrong tick shows as it
 * would in the test. */
#ifndef IFD_RIG_REHEARSE_H
#define IFD_RIG_REHEARSE_H

#include <interfield/virtual.h>

/* Puts a rehearsal in the place of a rig that was not opened yet. */
ifd_status ifd__rehearse(ifd_arena *arena, const ifd_laboratory *twin, ifd_rig *rig);

#endif
