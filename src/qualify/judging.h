/* SPDX-License-Identifier: MIT */
/* Checks of preflight while they are made. */
#pragma once

#include "qualify/preflight.h"

typedef struct ifd__judging {
    ifd_arena *arena;
    const ifd_preflight_options *o;
    ifd_preflight *out;
} ifd__judging;

/* Adds a check; the advice is dropped if the verdict is GO. A part of an advice in [[ ]] proposes a slower test: it
 * is dropped where the force of a specimen depends on velocity. */
void ifd__judge_add(ifd__judging *j, const char *topic, ifd_verdict verdict, const char *advice, const char *format,
                    ...) IFD_PRINTF(5, 6);
const char *ifd__judge_print(ifd__judging *j, const char *format, ...) IFD_PRINTF(2, 3);
/* "12.3 ms", "84 mm/s", "1.5 MN": three digits and a prefix. */
const char *ifd__judge_quantity(ifd__judging *j, double value, const char *unit);

/* Whether the case describes the rig as it is (preflight_rig.c). */
void ifd__judge_rig(ifd__judging *j);
/* Network between the test and its rig (preflight_network.c). */
void ifd__preflight_network(ifd__judging *j);
/* Travel and force beyond a limit after its trip (preflight_stopping.c). */
void ifd__preflight_stopping(ifd__judging *j);
/* True forces with wrong load cells of controlled forces (bad_cells.c). */
void ifd__preflight_cells(ifd__judging *j);
/* Clock, duration of ticks and disk of this machine. */
void ifd__judge_machine(ifd__judging *j);
