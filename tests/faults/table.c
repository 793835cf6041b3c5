/* SPDX-License-Identifier: MIT */
#include "check.h"

#include "faults/table.h"

enum { UPPER = 1 }; /* the second of two specimens, so that a channel that is named was looked for */

#define NO_NUMBER ((double)NAN)
#define INFINITE ((double)INFINITY)

/* clang-format off */
const fault_row fault_rows[] = {
    /* what a sensor says                                      irnuhost */
    {"a position far above its stroke", IFD_TRIP_POSITION,    "itttttst", SPRINGS, {NULL},
     {.who = UPPER, .position = 0.2}, UPPER, 0.04, 0},
    {"a position far below its stroke", IFD_TRIP_POSITION,    "itttttst", SPRINGS, {NULL},
     {.who = UPPER, .position = -0.2}, UPPER, -0.04, 0},
    {"a position that runs away", IFD_TRIP_VELOCITY,          "-tttttst", SPRINGS,
     {"specimen.1.limits.measured-velocity=0.6 m/s", NULL}, {.who = UPPER, .drift = 2.0}, UPPER, 0.6, 0},
    {"a position that jumps", IFD_TRIP_ACCELERATION,          "-tttttst", SPRINGS,
     {"specimen.1.limits.measured-acceleration=50 m/s2", NULL}, {.who = UPPER, .position = 0.006}, UPPER, 50.0, 0},
    {"a force too large", IFD_TRIP_FORCE,                     "itttttst", SPRINGS,
     {"specimen.1.limits.force=3 kN", NULL}, {.who = UPPER, .force = 5e4}, UPPER, 3e3, 0},
    {"a force too large the other way", IFD_TRIP_FORCE,       "itttttst", SPRINGS,
     {"specimen.1.limits.force=3 kN", NULL}, {.who = UPPER, .force = -5e4}, UPPER, 3e3, 0},
    {"a force that jumps for one tick", IFD_TRIP_FORCE_RATE,  "-tttttst", SPRINGS,
     {"specimen.1.limits.force-rate=5e5", NULL}, {.ticks = 1, .who = UPPER, .force = 1e4}, UPPER, 5e5, 0},
    {"a position that is off", IFD_TRIP_TRACKING,             "-tttt---", SPRINGS,
     {"specimen.1.limits.tracking=3 mm", NULL}, {.who = UPPER, .position = 0.005}, UPPER, 3e-3, 0},
    {"a position that is off on the way out", IFD_TRIP_TRACKING, "-----t--", SPRINGS,
     {"specimen.1.limits.tracking=3 mm", NULL}, {.who = UPPER, .position = 0.005}, UPPER, 4e-3, 0},
    {"a position that jumps under force", IFD_TRIP_ENERGY,    "---h----", SPRINGS,
     {"specimen.1.limits.energy=1 J", NULL}, {.who = UPPER, .position = 0.005}, UPPER, 1.0, IFD_ORDER_RAMP_OUT},
    {"a position that is no number", IFD_TRIP_NOT_FINITE,     "itttttst", SPRINGS, {NULL},
     {.who = UPPER, .position = NO_NUMBER}, UPPER, 0.0, 0},
    {"an infinite position", IFD_TRIP_NOT_FINITE,             "itttttst", SPRINGS, {NULL},
     {.who = UPPER, .position = INFINITE}, UPPER, 0.0, 0},
    {"a force that is no number", IFD_TRIP_NOT_FINITE,        "itttttst", SPRINGS, {NULL},
     {.who = UPPER, .force = NO_NUMBER}, UPPER, 0.0, 0},
    {"an infinite force", IFD_TRIP_NOT_FINITE,                "itttttst", SPRINGS, {NULL},
     {.who = UPPER, .force = -INFINITE}, UPPER, 0.0, 0},
    {"one measurement that is no number", IFD_TRIP_NOT_FINITE, "itttttst", SPRINGS, {NULL},
     {.ticks = 1, .who = UPPER, .force = NO_NUMBER}, UPPER, 0.0, 0},
    {"a stuck position sensor", IFD_TRIP_FROZEN,              "--tttt--", SPRINGS, {NULL},
     {.who = UPPER, .stuck = true}, UPPER, 8e-5, 0},
    {"a sensor out of its range", IFD_TRIP_RANGE,             "itttttst", RAW, {NULL}, {.force = 10.0}, 3, 8.0, 0},
    {"an actuator whose place fits no pose", IFD_TRIP_POSE,   "itttttst", BLOCK,
     {"drives.0.actuators.1.limits={stroke: 50 m, velocity: 4 m/s, acceleration: 150 m/s2}", NULL},
     {.who = 1, .position = 30.0}, 0, 0.0, 0},
    /* the rig */
    {"a saturated actuator", IFD_TRIP_TRACKING,               "--tt----", SPRINGS,
     {"specimen.1.limits.tracking=2 mm", NULL}, {.who = UPPER, .weak = 5e-4}, UPPER, 2e-3, 0},
    {"an actuator that stays behind", IFD_TRIP_TRACKING,      "-----t--", SPRINGS,
     {"specimen.1.limits.tracking=1 mm", "test.creep=15 mm/s", "test.frozen-limit=1000", NULL},
     {.who = UPPER, .weak = 5e-4}, UPPER, 2.5e-3, 0},
    {"a controlled force that is not kept", IFD_TRIP_FORCE_ERROR, "---tt---", COLUMN, {NULL},
     {.who = 1, .force = 5e4}, 1, 2e4, 0},
    {"the emergency stop", IFD_TRIP_STOP_PRESSED,             "itttttst", SPRINGS, {NULL},
     {.clear = IFD_INPUT_NO_STOP}, -1, 0.0, 0},
    {"hydraulics that go off", IFD_TRIP_HYDRAULICS,           "itttttst", SPRINGS, {NULL},
     {.clear = IFD_INPUT_HYDRAULICS}, -1, 0.0, 0},
    {"a rig that stopped by itself", IFD_TRIP_RIG_STOPPED,    "itttttst", SPRINGS, {NULL},
     {.set = IFD_INPUT_RIG_STOPPED}, -1, 0.0, 0},
    /* the line to it */
    {"a pause in the news", IFD_TRIP_STALE,                   "irnuhost", SPRINGS, {NULL},
     {.ticks = 5, .silent = true}, -1, 0.0, 0},
    {"a rig that falls silent", IFD_TRIP_LOST,                "itttttst", SPRINGS, {NULL},
     {.silent = true}, -1, 10.0, 0},
    {"a rig that does not hear", IFD_TRIP_LOST,               "itttttst", SPRINGS, {NULL},
     {.deaf = true}, -1, 10.0, 0},
    {"measurements that come twice", IFD_TRIP_NONE,           "irnuhost", SPRINGS, {NULL},
     {.twice = true}, -1, 0.0, 0},
    {"measurements out of order", IFD_TRIP_NONE,              "irnuhost", SPRINGS, {NULL},
     {.swapped = true}, -1, 0.0, 0},
    /* time */
    {"a late tick", IFD_TRIP_LATE,                            "irnhhost", SPRINGS, {NULL},
     {.ticks = 1, .late = 1.5}, -1, 0.002, 0},
    {"late ticks that are to stop the test", IFD_TRIP_LATE,   "iroooost", SPRINGS, {"test.overrun=stop", NULL},
     {.ticks = 1, .late = 1.5}, -1, 0.002, 0},
    {"a few late ticks that are borne", IFD_TRIP_LATE,        "irnuhost", SPRINGS, {"test.overrun=extrapolate", NULL},
     {.ticks = 5, .late = 3.0}, -1, 0.0, 0},
    {"more late ticks than are borne", IFD_TRIP_LATE,         "irnhhost", SPRINGS, {"test.overrun=extrapolate", NULL},
     {.late = 3.0}, -1, 0.002, 0},
    {"a part that is not ready", IFD_TRIP_LATE_JOB,           "---hh---", PARTS, {NULL},
     {.job_late = true}, -1, 0.0, 0},
    {"a part that is not ready and must be", IFD_TRIP_LATE_JOB, "---oo---", PARTS, {"test.overrun=stop", NULL},
     {.job_late = true}, -1, 0.0, 0},
    /* who computes, who orders */
    {"a solver that diverges", IFD_TRIP_SOLVER,               "---oo---", SPRINGS, {"specimen.1.devices=100", NULL},
     {.who = UPPER, .force = 1e308}, -1, 0.0, 0},
    {"a solver that asks for too much", IFD_TRIP_GOVERNED,    "---uh---", SPRINGS, {NULL},
     {.ticks = 20, .who = UPPER, .force = 3e4}, -1, 0.0, 0},
    {"a preload that does not converge", IFD_TRIP_PRELOAD,    "--o-----", LOADED, {NULL},
     {.who = UPPER, .gain = -3.0}, UPPER, NO_NUMBER, 0},
    {"an order to trip", IFD_TRIP_ORDERED,                    "tttttttt", SPRINGS, {NULL},
     {.ticks = 1, .order = IFD_ORDER_TRIP}, -1, 0.0, 0},
    {"a master that goes away", IFD_TRIP_MASTER_LOST,         "i-ooo---", REMOTE, {NULL},
     {.master = MASTER_GOES}, -1, 0.0, 0},
    {"a master that talks nonsense", IFD_TRIP_MASTER_WRONG,   "i-ooo---", REMOTE, {NULL},
     {.master = MASTER_TALKS_NONSENSE}, -1, 0.0, 0},
    {"a master that asks for too much", IFD_TRIP_MASTER_WRONG, "i--o----", REMOTE, {NULL},
     {.master = MASTER_ASKS_TOO_MUCH}, UPPER, 0.04, 0},
    {"a master that takes its time", IFD_TRIP_MASTER_LATE,    "---u----", REMOTE, {NULL},
     {.master = MASTER_SILENT}, -1, 0.0, 0},
};
/* clang-format on */

const int fault_row_count = COUNT(fault_rows);
