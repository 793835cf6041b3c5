/* SPDX-License-Identifier: MIT */
#pragma once

#include <interfield/preflight.h>

#include "qualify/dry_run.h"
#include "analysis/loop.h"

/* Limits of caution: delay margin relative to the assumed delay, margins of gain, of stiffness and mass. */
#define IFD__LEAST_DELAY 0.1
#define IFD__LEAST_GAIN 1.05
#define IFD__LEAST_FACTOR 1.2

/* True if a model with nonlinear elements has a bounded Jacobian: the loop is examined with linear elements, which
 * are in the Jacobian exactly. */
bool ifd__preflight_bounded(const ifd_hybrid_options *test);

/* s: phase lag over frequency (Hz) of an actuator. */
double ifd__actuator_lag(const ifd_virtual_channel *c, double tick, double frequency);
/* u = (a0 + a1 s + a2 s^2 + a3 s^3) x at low frequency: the response of an actuator to commands that arrive a tick
 * before they are due. False: unknown. */
bool ifd__actuator_series(const ifd_virtual_channel *c, bool ramps, double period, double out[4]);
/* s: the largest assumed delay of an interface, with that of the rig beyond its twin. */
double ifd__preflight_assumed(const ifd_preflight *p);
/* Stability and margins. out->interface[].stiffness must be set: it represents nonlinear specimens. */
ifd_status ifd__preflight_loop(const ifd_preflight_options *o, ifd_preflight *out, ifd_note *note);
/* Only the delay margin of the above, and whether the loop is stable. */
ifd_status ifd__preflight_delay(const ifd_preflight_options *o, ifd_preflight *out, ifd_note *note);
/* The demand of a dry run without limits on the interfaces. */
void ifd__preflight_interfaces(const ifd_preflight_options *o, const ifd__dry *d, ifd_preflight *out);
/* True if the loop has so many numbers that only the limits of caution are tried, not the margins beyond them. */
bool ifd__preflight_vast(const ifd_preflight *p);
/* Whether a delay margin requires caution. */
bool ifd__preflight_little(const ifd_preflight *p, const ifd_reach *delay);
/* The line of a loop of which neither growth nor decay is proven. */
const char *ifd__preflight_undecided(const ifd_preflight *p, char *text, size_t room);
/* Makes the checks and the verdict. */
void ifd__preflight_judge(ifd_arena *arena, const ifd_preflight_options *o, ifd_preflight *out);

/* Checks of preflight while they are made. */
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
