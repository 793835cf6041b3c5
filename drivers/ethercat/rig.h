/* SPDX-License-Identifier: MIT */
/* The rig: axes by CiA-402 on the bus of the master, cycled by the tick.
 *
 * command sends the frame with the set points, and the next sense takes its answer without waiting: one tick of
 * pure delay, no thread, no second clock. When sense is called and command was not, sense sends the frame, and the
 * set points come to rest. A stop is final: set points to rest, quick stop, voltage off; why contains the reason.
 *
 * Power: to read, the devices stay in SAFE-OP with control words 0. To move, warm brings them to OP and the drives to
 * "ready to switch on"; IFD_OUTPUT_ENABLE of a command enables them, and its absence disables them. The input
 * IFD_INPUT_HYDRAULICS means that all drives are ready to switch on, IFD_INPUT_UNPOWERED that not all are enabled. */
#pragma once

#include <stdatomic.h>

#include <interfield/exchange.h>

#include "bus_file.h"
#include "cia402.h"
#include "master.h"

/* Reasons of a stop. %s: device of an axis, %d: axis, %x: a code. */
#define BUS_STOP_LIST(X)                                                                                             \
    X(NONE, "")                                                                                                      \
    X(MISSING, "answers from the bus are missing: cable, power of the devices, or load of this machine")             \
    X(NOT_SENT, "the network interface does not send: it is down or disconnected")                                   \
    X(COUNTER, "the working counter is short (0x%x): a device is disconnected or exchanges no process data")         \
    X(STATE, "a device left the state OP (AL status code 0x%x)")                                                     \
    X(FAULT, "axis %d, device '%s': the drive reports fault 0x%x (object 0x603F)")                                   \
    X(FAULT_UNKNOWN, "axis %d, device '%s': the drive reports a fault; map object 0x603F to see its code")           \
    X(DISABLED, "axis %d, device '%s': the drive is no longer enabled (status word 0x%x)")                           \
    X(MODE, "axis %d, device '%s': the drive is in another mode of operation (object 0x6061: 0x%x)")                 \
    X(JUMP, "axis %d, device '%s': the first command is farther than 'jump' from the set point")                     \
    X(COMMAND, "axis %d, device '%s': a command is not a finite number, or too large for the drive")                 \
    X(STROKE, "axis %d, device '%s': a command is outside 'stroke' of the bus file")                                 \
    X(QUIET, "no commands arrived for the time of 'watchdog'")                                                       \
    X(SIDE, "frames arrive outside 20 to 80 per cent of a tick before SYNC0: load of this machine, or its clock")    \
    X(CLOSED, "the rig is closed")

typedef enum bus_stop {
#define BUS_STOP_ENUM(name, text) BUS_STOP_##name,
    BUS_STOP_LIST(BUS_STOP_ENUM)
#undef BUS_STOP_ENUM
} bus_stop;

enum { BUS_PHASES = 200 }; /* frames of warm that are judged together */

typedef struct rig_axis {
    cia402_axis logic;
    int device, mode;
    double counts, most; /* increments per unit; largest magnitude of the target object */
    const ec_entry *control, *status, *mode_out, *mode_in, *target, *actual, *error, *force;
    const ec_entry *speed; /* velocity of the set point (0x60B1), NULL: not mapped */
} rig_axis;

typedef struct bus_rig {
    ec bus;
    bus_file file;
    int axes, silent_for; /* ticks without a whole answer */
    double tick, watchdog;
    bool reads;                             /* nothing receives power */
    double acceleration[IFD_RIG_ACTUATORS]; /* limits, for braking without commands; 0: not known */
    rig_axis axis[IFD_RIG_ACTUATORS];
    const ec_entry *stop_input, *power_input, *aux[BUS_AUX];
    ec_entry output[BUS_OUTPUT_COUNT]; /* one bit each; bits 0: not mapped */
    uint32_t outputs;                  /* of the newest command */
    bool operational;                  /* all devices in OP, or in SAFE-OP to read */
    bool ready;                        /* warm has ended */
    bool request;                      /* the newest command requests power */
    bool enabled;                      /* all axes were enabled since */
    bool closing;
    bool commanded; /* a command, or warm, sent a frame since the last sense */
    bool awaiting;  /* a frame was sent since the last answer was looked for */
    bool unsent;    /* the network refused the last frame */
    bus_stop stop;
    uint64_t heard;                  /* tick of the newest command */
    long whole, bad, quiet, missing; /* answers; in a row not whole; ticks in a row without a command; not in time */
    int64_t clock_zero, due;         /* ns: of `time`; of the next tick by the clock of the bus */
    bool placed;                     /* SYNC0 is at its phase to the grid */
    bool phased;                     /* frames arrive well before SYNC0 */
    double ahead[BUS_PHASES];        /* ns before SYNC0 of the last frames of warm */
    int aheads;
    long limited;      /* ticks in which a drive limited its motion by itself */
    long side, beside; /* frames outside 20 to 80 % of a tick; in a row */
    char off[2][120];  /* texts of it, used in turn */
    int offs;
    long settled; /* cycles of warm in OP without a fault */
    double drift; /* ns, integral of the phase */
    _Atomic(const char *) why;
    char text[200];
} bus_rig;

/* file is read, its line complete, reads, acceleration and silent_for are set, and the rest of r is zero. */
ifd_status bus_rig_open(bus_rig *r, int actuators, double tick, ifd_note *note);
/* s: frames of a tick that starts later arrive beside SYNC0; 0: no SYNC0. */
double bus_rig_late_after(const bus_rig *r);
extern const ifd_rig_ops ifd_user_rig;
