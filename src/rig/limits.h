/* SPDX-License-Identifier: MIT */
/* The limits of a test in one table. A row defines the quantity, the members of ifd_limits, the states and the fault.
 * Interfaces, actuators of drives and the rig server use the same rows. "No limit" is INFINITY; 0 is refused at
 * set-up. A value equal to its limit is permitted. */
#pragma once

#include <interfield/hybrid.h>

#include "rig/governor.h"

/* A bit of a set of states. */
#define IFD__IN(state) (1u << IFD_MACHINE_##state)

/* Compared quantities, in the order in which faults of one tick are reported. */
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
    size_t low, high; /* offsets in ifd_limits; equal: symmetric about zero */
    unsigned states;  /* states in which it acts: a bit for each ifd_machine */
} ifd__limit;

extern const ifd__limit ifd__limit_rows[IFD__SEEN];

/* Whether a value exceeds the limit of a row; *edge is then the limit. A value that is not finite exceeds none, as it
 * is a separate fault. */
IFD_RT bool ifd__limit_broken(const ifd__limit *row, const ifd_limits *l, double value, double *edge);

/* Limits checked in addition to stroke, velocity and acceleration of the command: bits of the rows. Limits that are
 * not checked must be INFINITY, so that nobody relies on them. */
enum {
    IFD__KEPT_INTERFACE = (1 << IFD__SEEN) - 1,
    IFD__KEPT_ACTUATOR =
        1 << IFD__SEEN_POSITION | 1 << IFD__SEEN_FORCE | 1 << IFD__SEEN_FORCE_RATE | 1 << IFD__SEEN_TRACKING,
    IFD__KEPT_SERVER = 1 << IFD__SEEN_POSITION | 1 << IFD__SEEN_FORCE | 1 << IFD__SEEN_TRACKING
};

/* Stroke, velocity and acceleration are finite; the others above zero, INFINITY if not checked. real: the rig moves
 * something, and force and tracking limits are required. who: "interface 'bearing'". */
ifd_status ifd__limits_check(const ifd_limits *l, const char *who, unsigned kept, bool real, ifd_note *note);

/* Bounds for a governor with a command every dt seconds. */
ifd__bounds ifd__limits_bounds(const ifd_limits *l, double dt);

/* Thresholds of the guard.
 *
 * A sensor is stuck if its value is constant while the command (position) or the position (force) moves by this
 * fraction of the stroke (sensors.h). This is ten times the resolution of a 14-bit converter over the stroke, so that
 * rounding is not mistaken for a stuck sensor, and small relative to harmful motion. */
#define IFD__STUCK_TRAVEL 1e-3
/* s, lag of an actuator of which the case states nothing: the slowest servo-hydraulic rigs in the literature. */
#define IFD__UNKNOWN_LAG 0.05
/* s, time constant of the slowest actuator that may follow uncompensated commands of ramp-out: twice the delay of the
 * slowest servo-hydraulic rigs in the literature, about 50 ms. */
#define IFD__UNCOMPENSATED_LAG 0.1
/* Speed of ramp-out without a value in the case, as a fraction of the velocity limit: slow enough for an operator to
 * react. */
#define IFD__CREEP_FRACTION 0.1
/* Arming: number and duration (s) of successive samples that must agree, and their scatter as a fraction of the
 * stroke. Ten: one spike has little weight. 0.1 s: slow motion of the rig exceeds the scatter, and the wait is short.
 * 1/200 of the stroke: the noise of a usable position sensor is one third of it (peak to peak, at five times the
 * noise of the shipped cases); a rig that moves by 1/20 of its stroke per second exceeds it. A test that cannot be
 * armed ends after 60 s, within which pumps start. */
#define IFD__ARM_SAMPLES 10
#define IFD__ARM_TIME 0.1
#define IFD__ARM_SPREAD 0.005
#define IFD__ARM_TIMEOUT 60.0
/* Fraction of the stroke within which an actuator of a drive has reached the pose of its block: rounding of a
 * kinematic transformation. */
#define IFD__MET_ROUNDING 1e-9
/* The rig is lost after this number of ticks without a new measurement, and not before this time (s): fast rigs on
 * slow kernels. */
#define IFD__STALE_TICKS 10
#define IFD__STALE_TIME 0.01
#define IFD__STALE_FRACTION 0.05 /* of the ticks of a second, or of a run */
