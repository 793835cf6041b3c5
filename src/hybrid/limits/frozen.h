/* SPDX-License-Identifier: MIT */
/* Detection of a position that does not change although the command moves.
 *
 * A digital sensor without noise is constant between two of its steps, and a position follows its command only after
 * the dead time of the actuator. Neither is a fault. With
 *
 *     q      smallest change of this reading so far; before any: least/3
 *     R      largest minus smallest command since the reading changed
 *     least  0.001 of the stroke
 *     t      time in which R > q
 *     tau    lag of the actuator
 *
 * the reading is frozen if t > max(`frozen-for`, 4 tau) and R > max(least, 3 q). A sound sensor has changed before:
 * the position has followed a command that left the step by q, and R of three steps leaves it on one side by at least
 * one. t begins with the motion and not with the last change, so that a rest before it does not count. */
#pragma once

#include "hybrid/limits/watched.h"

/* True: a fault, with R and its limit (m). */
IFD_RT bool ifd__frozen(const ifd__facts *facts, const ifd__watched *w, double range[2]);
