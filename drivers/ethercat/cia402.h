/* SPDX-License-Identifier: MIT */
/* One axis of a CiA-402 drive: the table of states and the rules for its set point, for any fieldbus.
 *
 *     cia402_start(&a, &settings);
 *     ...                                               before all axes of the rig are enabled, in every cycle:
 *     control = cia402_bring_up(&a, status, here);      the set point a.set follows the measured position
 *     ...                                               then, in every cycle, one of:
 *     cia402_command(&a, target);                       a new set point, or a reason to stop
 *     cia402_coast(&a, missed);                         without a command: the set point comes to rest
 *     control = cia402_run(status);                     0x0F while the drive is enabled, otherwise voltage off
 *     ...                                               after a stop, in every cycle:
 *     cia402_coast(&a, CIA402_GRACE + 1);
 *     control = cia402_stop(&a, status);                to rest, then quick stop, then voltage off
 *
 * A fault is reset before the test only: once per second, at most three times. No function allocates, waits or
 * fails. */
#ifndef ETHERCAT_CIA402_H
#define ETHERCAT_CIA402_H

#include <stdbool.h>
#include <stdint.h>

#include <interfield/status.h>

enum { CIA402_POSITION = 8, CIA402_TORQUE = 10 }; /* modes of operation, 0x6060: CSP and CST */
enum { CIA402_GRACE = 2, CIA402_RESETS = 3 };     /* missed commands at full velocity; resets of a fault */

/* States of the drive: name, mask and value of the status word, control words before the test, during the test and
 * after a stop. */
#define CIA402_STATE_LIST(X)                                                                                         \
    X(NOT_READY, "not ready to switch on", 0x4f, 0x00, 0x00, 0x00, 0x00)                                             \
    X(DISABLED, "switch on disabled", 0x4f, 0x40, 0x06, 0x00, 0x00)                                                  \
    X(READY, "ready to switch on", 0x6f, 0x21, 0x07, 0x00, 0x00)                                                     \
    X(SWITCHED_ON, "switched on", 0x6f, 0x23, 0x0f, 0x00, 0x00)                                                      \
    X(ENABLED, "operation enabled", 0x6f, 0x27, 0x0f, 0x0f, 0x02)                                                    \
    X(QUICK_STOP, "quick stop active", 0x6f, 0x07, 0x00, 0x00, 0x02)                                                 \
    X(REACTION, "fault reaction active", 0x4f, 0x0f, 0x00, 0x00, 0x00)                                               \
    X(FAULT, "fault", 0x4f, 0x08, 0x80, 0x00, 0x00)                                                                  \
    X(UNKNOWN, "no state of CiA-402", 0x00, 0x00, 0x00, 0x00, 0x00)

typedef enum cia402_state {
#define CIA402_STATE_ENUM(name, text, mask, value, up, run, stop) CIA402_##name,
    CIA402_STATE_LIST(CIA402_STATE_ENUM)
#undef CIA402_STATE_ENUM
} cia402_state;

typedef struct cia402_settings {
    double tick;      /* s */
    double grain;     /* unit of the set point per increment of the drive */
    double jump;      /* largest distance of a first command from the set point */
    double low, high; /* stroke; no set point is outside it once the axis is inside */
} cia402_settings;

typedef struct cia402_axis {
    cia402_settings s;
    double decay;         /* of the velocity in one tick without a command */
    double set, velocity; /* the set point of this cycle, its change per s */
    bool first;           /* the next command must be near the set point */
    bool holds;           /* before the test: enabled, at the position where it became so */
    bool refused;         /* the fault remains after the last reset */
    int resets, since;    /* resets of a fault; cycles since the last one */
    int braking;          /* cycles in the state quick stop active */
} cia402_axis;

typedef enum cia402_verdict { CIA402_FOLLOWS, CIA402_TOO_FAR, CIA402_NOT_FINITE, CIA402_OUTSIDE } cia402_verdict;

IFD_RT cia402_state cia402_state_of(uint16_t status);
const char *cia402_state_name(cia402_state state);

void cia402_start(cia402_axis *a, const cia402_settings *s);

/* Before the test: the set point follows the measured position; returns the next control word. */
IFD_RT uint16_t cia402_bring_up(cia402_axis *a, uint16_t status, double here);

/* A commanded set point. Any verdict but CIA402_FOLLOWS leaves the set point as it was: the caller stops the rig. */
IFD_RT cia402_verdict cia402_command(cia402_axis *a, double target);

/* A cycle without a commanded position; missed counts them from 1. The velocity is kept for CIA402_GRACE cycles and
 * then decays with a time constant of 20 ms; from then on the next command counts as a first one. */
IFD_RT void cia402_coast(cia402_axis *a, long missed);

IFD_RT uint16_t cia402_run(uint16_t status);
IFD_RT uint16_t cia402_stop(cia402_axis *a, uint16_t status);

#endif
