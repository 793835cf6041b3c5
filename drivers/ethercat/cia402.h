/* SPDX-License-Identifier: MIT */
/* One axis of a CiA-402 drive: the table of states and the rules for its set point, for any fieldbus.
 *
 *     cia402_start(&a, &settings);
 *     ...                                               without a request for power, in every cycle:
 *     control = cia402_down(&a, status, here);          at most "ready to switch on"; an enabled drive is disabled
 *     ...                                               with one, until all axes of the rig are enabled:
 *     control = cia402_up(&a, status, here);            the set point a.set follows the measured position
 *     ...                                               then, in every cycle, one of:
 *     cia402_command(&a, target);                       a new set point, or a reason to stop
 *     cia402_coast(&a, missed);                         without a command: the set point comes to rest
 *     control = cia402_run(status);                     0x0F while the drive is enabled, otherwise voltage off
 *     ...                                               after a stop, in every cycle:
 *     cia402_coast(&a, CIA402_GRACE + 1);
 *     control = cia402_stop(&a, status);                to rest, then quick stop, then voltage off
 *     ...                                               at the end, in every cycle:
 *     cia402_coast(&a, CIA402_GRACE + 1);
 *     control = cia402_end(&a, status);                 to rest, 0x07, after the time of the brake 0x06, 0x00
 *
 * A fault is reset before the test only (cia402_reset): once per second, at most three times. No function allocates,
 * waits or fails. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <interfield/status.h>

enum { CIA402_POSITION = 8, CIA402_TORQUE = 10 }; /* modes of operation, 0x6060: CSP and CST */
enum { CIA402_GRACE = 2, CIA402_RESETS = 3 };     /* missed commands at full velocity; resets of a fault */

/* States of the drive: name, mask and value of the status word, control words with a request for power, without one,
 * during the test and after a stop. */
#define CIA402_STATE_LIST(X)                                                                                         \
    X(NOT_READY, "not ready to switch on", 0x4f, 0x00, 0x00, 0x00, 0x00, 0x00)                                       \
    X(DISABLED, "switch on disabled", 0x4f, 0x40, 0x06, 0x06, 0x00, 0x00)                                            \
    X(READY, "ready to switch on", 0x6f, 0x21, 0x07, 0x06, 0x00, 0x00)                                               \
    X(SWITCHED_ON, "switched on", 0x6f, 0x23, 0x0f, 0x06, 0x00, 0x00)                                                \
    X(ENABLED, "operation enabled", 0x6f, 0x27, 0x0f, 0x07, 0x0f, 0x02)                                              \
    X(QUICK_STOP, "quick stop active", 0x6f, 0x07, 0x00, 0x00, 0x00, 0x02)                                           \
    X(REACTION, "fault reaction active", 0x4f, 0x0f, 0x00, 0x00, 0x00, 0x00)                                         \
    X(FAULT, "fault", 0x4f, 0x08, 0x00, 0x00, 0x00, 0x00)                                                            \
    X(UNKNOWN, "no state of CiA-402", 0x00, 0x00, 0x00, 0x00, 0x00, 0x00)

typedef enum cia402_state {
#define CIA402_STATE_ENUM(name, text, mask, value, up, down, run, stop) CIA402_##name,
    CIA402_STATE_LIST(CIA402_STATE_ENUM)
#undef CIA402_STATE_ENUM
} cia402_state;

/* After a stop: brakes and switches off; brakes and holds; without a quick stop as at the end. */
enum { CIA402_QUICK_OFF, CIA402_QUICK_HOLD, CIA402_QUICK_NONE };

typedef struct cia402_settings {
    double tick;       /* s */
    double grain;      /* unit of the set point per increment of the drive */
    double jump;       /* largest distance of a first command from the set point */
    double low, high;  /* stroke; no set point is outside it once the axis is inside */
    double brake;      /* unit/s2, of a set point without commands; 0: not known */
    double brake_time; /* s, of the mechanical brake, between "switched on" and "ready to switch on" */
    int quick_stop;    /* CIA402_QUICK_...: after a stop */
} cia402_settings;

typedef struct cia402_axis {
    cia402_settings s;
    double decay;         /* of the velocity in one tick without a command, if `brake` is not known */
    double set, velocity; /* the set point of this cycle, its change per s */
    bool first;           /* the next command must be near the set point */
    bool holds;           /* with power: enabled, at the position where it became so */
    bool refused;         /* the fault remains after the last reset */
    int resets, since;    /* resets of a fault; cycles since the last one */
    int braking, braked;  /* cycles in the states quick stop active; switched on, after the end */
} cia402_axis;

typedef enum cia402_verdict { CIA402_FOLLOWS, CIA402_TOO_FAR, CIA402_NOT_FINITE, CIA402_OUTSIDE } cia402_verdict;

IFD_RT cia402_state cia402_state_of(uint16_t status);

void cia402_start(cia402_axis *a, const cia402_settings *s);

/* The next control word, with and without a request for power. Up to "operation enabled" the set point follows the
 * measured position. */
IFD_RT uint16_t cia402_up(cia402_axis *a, uint16_t status, double here);
IFD_RT uint16_t cia402_down(cia402_axis *a, uint16_t status, double here);
/* Before the test, with the state fault: 0x80 once a second, otherwise 0. */
IFD_RT uint16_t cia402_reset(cia402_axis *a);

/* A commanded set point. Any verdict but CIA402_FOLLOWS leaves the set point as it was: the caller stops the rig. */
IFD_RT cia402_verdict cia402_command(cia402_axis *a, double target);

/* A cycle without a commanded position; missed counts them from 1. The velocity is kept for CIA402_GRACE cycles and
 * then decreases by `brake`, or with a time constant of 20 ms if that is not known; from then on the next command
 * counts as a first one. */
IFD_RT void cia402_coast(cia402_axis *a, long missed);

IFD_RT uint16_t cia402_run(uint16_t status);
IFD_RT uint16_t cia402_stop(cia402_axis *a, uint16_t status);
IFD_RT uint16_t cia402_end(cia402_axis *a, uint16_t status);
