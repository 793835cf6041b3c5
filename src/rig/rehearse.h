/* SPDX-License-Identifier: MIT */
/* Rehearsal: no position is commanded to the rig (state idle), and its twin supplies the response. The exchange with
 * the rig continues in every tick, so that a silent rig, a lost link or a wrong tick is detected as in the test. */
#pragma once

#include <interfield/virtual.h>

/* Replaces a rig that is not yet open by a rehearsal. */
ifd_status ifd__rehearse(ifd_arena *arena, const ifd_laboratory *twin, ifd_rig *rig);
