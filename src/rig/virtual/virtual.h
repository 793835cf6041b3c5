/* SPDX-License-Identifier: MIT */
#pragma once

#include <interfield/virtual.h>

/* Appends the offsets (from `at` on) of the state on which the next tick of the laboratory depends, without clock and
 * random generators; returns their number. state has room for rig->size of them. */
int ifd__virtual_states(const ifd_rig *rig, int at, int *state);
/* Of a rig that moves nothing. */
bool ifd__rig_always_simulated(const ifd_rig *rig);
