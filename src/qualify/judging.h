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

/* Whether the case describes the rig as it is. */
void ifd__judge_rig(ifd__judging *j);
/* Network between the test and its rig. */
void ifd__preflight_network(ifd__judging *j);
/* Travel and force beyond a limit after its trip. */
void ifd__preflight_stopping(ifd__judging *j);
/* True forces with wrong load cells of controlled forces. */
void ifd__preflight_cells(ifd__judging *j);
/* An actuator and the way of a trip to it. */
typedef struct ifd__stopping {
    double lag;           /* s, tau */
    double w, damping;    /* rad/s, z; w 0: no second-order actuator */
    double acceleration;  /* m/s2, A, of the brake */
    double period, ticks; /* s, T; n, of transport */
} ifd__stopping;
/* m: from a limit to rest, at the velocity v (m/s) when it trips. */
double ifd__stopping_travel(const ifd__stopping *s, double v);
