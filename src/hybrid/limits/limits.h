/* SPDX-License-Identifier: MIT */
/* The limits of a test, one table. A row says which quantity is compared with which fields of ifd_limits, in which
 * states, and which fault it raises. Interfaces, actuators of drives and the rig server use the same rows. "No limit"
 * is INFINITY; 0 is refused at set-up. A value equal to its limit is inside. */
#ifndef IFD_HYBRID_LIMITS_H
#define IFD_HYBRID_LIMITS_H

#include <interfield/hybrid.h>

#include "rig/governor.h"

/* What is compared, in the order in which faults of one tick are reported. */
enum {
    IFD__SEEN_POSITION,     /* m, measured */
    IFD__SEEN_VELOCITY,     /* m/s, of the measured position */
    IFD__SEEN_ACCELERATION, /* m/s2, of the measured position */
    IFD__SEEN_FORCE,        /* N, measured */
    IFD__SEEN_FORCE_RATE,   /* N/s, of the measured force */
    IFD__SEEN_TRACKING,     /* m, measured minus target */
    IFD__SEEN_ENERGY,       /* J, of the tracking error */
    IFD__SEEN
};

typedef struct ifd__limit {
    const char *key, *unit; /* as in a case file */
    ifd_trip trip;
    size_t low, high; /* offsets in ifd_limits; the same one: to both sides of zero */
    unsigned states;  /* in which it acts: a bit for each ifd_machine */
} ifd__limit;

extern const ifd__limit ifd__limit_rows[IFD__SEEN];

/* Whether a value breaks the limit of a row; *edge is then the limit. A value that is no number breaks none: it is a
 * fault of its own. */
IFD_RT bool ifd__limit_broken(const ifd__limit *row, const ifd_limits *l, double value, double *edge);

/* Who keeps which limits beyond stroke, velocity and acceleration of the command: bits of the rows. What is not kept
 * must be INFINITY, so that nobody relies on it. */
enum {
    IFD__KEPT_INTERFACE = (1 << IFD__SEEN) - 1,
    IFD__KEPT_ACTUATOR =
        1 << IFD__SEEN_POSITION | 1 << IFD__SEEN_FORCE | 1 << IFD__SEEN_FORCE_RATE | 1 << IFD__SEEN_TRACKING,
    IFD__KEPT_SERVER = 1 << IFD__SEEN_POSITION | 1 << IFD__SEEN_FORCE | 1 << IFD__SEEN_TRACKING
};

/* Stroke, velocity and acceleration are finite; the others above zero, INFINITY where they are not kept. real: the
 * rig moves something, and force and tracking limits are required. who: "interface 'bearing'". */
ifd_status ifd__limits_check(const ifd_limits *l, const char *who, unsigned kept, bool real, ifd_note *note);

/* What a governor keeps of them, with a command every dt seconds. */
ifd__bounds ifd__limits_bounds(const ifd_limits *l, double dt);

/* Thresholds of the guard.
 *
 * A position sensor counts as stuck when its value stays the same to the bit for stuck_limit ticks while the command
 * travels this share of the stroke: ten times the resolution of a 14-bit converter over the stroke, so that rounding
 * alone never looks stuck, and small against any motion that could harm. */
#define IFD__STUCK_TRAVEL 1e-3
/* s, time constant of the slowest actuator that may follow its command uncompensated on the way out: twice the delay
 * of the slowest servo-hydraulic rigs in the literature, some 50 ms. */
#define IFD__UNCOMPENSATED_LAG 0.1
/* Of the velocity limit: the speed of ramp-out where the case gives none. Slow enough that a person can follow it. */
#define IFD__CREEP_FRACTION 0.1
/* Arming: how many samples in a row must agree, for which time (s), and by which share of the stroke they may
 * scatter. Ten: in a shorter series one spike would be a good part of it. 0.1 s: a rig that creeps by more than the
 * scatter in it is seen to move, and nobody minds the wait. 1/200 of the stroke: a usable position sensor has a third
 * of it (peak to peak, at five times the noise of the shipped cases), a rig that moves by 1/20 of its stroke per
 * second has all of it. A test that cannot be armed gives up after 60 s: pumps start within it. */
#define IFD__ARM_SAMPLES 10
#define IFD__ARM_TIME 0.1
#define IFD__ARM_SPREAD 0.005
#define IFD__ARM_TIMEOUT 60.0
/* Of the stroke: an actuator of a drive has met what its block asks for. Round-off of a kinematic transformation. */
#define IFD__MET_ROUNDING 1e-9
/* The rig is lost after this many ticks without news, and not before this time (s): fast rigs run on slow kernels. */
#define IFD__STALE_TICKS 10
#define IFD__STALE_TIME 0.01

#endif
