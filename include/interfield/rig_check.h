/* SPDX-License-Identifier: MIT */
/* Conformance check of a rig: opens it, reads it, times its functions and optionally moves it; one row per
 * requirement.
 *
 *     ifd_rig_check_options o;
 *     ifd_rig_check_defaults(&o);
 *     o.rig = ops;  o.values = values;
 *     ifd_rig_check_row row[IFD_RIG_CHECKS];
 *     int failed;
 *     IFD_TRY(ifd_rig_check(arena, &o, row, &failed, note));
 *
 * With `move` all actuators move by this distance from their present position. Commands then stop during a motion, to
 * check the watchdog of the rig. Use it only with free space around the actuators. */
#ifndef INTERFIELD_RIG_CHECK_H
#define INTERFIELD_RIG_CHECK_H

#include <interfield/channels.h>

IFD_BEGIN_DECLS

/* Requirements, in the order of the checks. */
#define IFD_RIG_CHECK_LIST(X)                                                                                        \
    X(OPENS, "opens")                                                                                                \
    X(WARMS, "becomes ready")                                                                                        \
    X(SPEAKS, "measures finite numbers within a second")                                                             \
    X(INPUTS, "emergency stop released, hydraulics on")                                                              \
    X(AGREES, "first measurement agrees with the next ones")                                                         \
    X(NEWS, "reports only newer measurements as new")                                                                \
    X(PUNCTUAL, "sends a new measurement in most ticks")                                                             \
    X(HEARS, "acknowledges commands")                                                                                \
    X(STANDS, "is at rest with a constant command")                                                                  \
    X(IGNORES, "keeps its position without a command")                                                               \
    X(QUICK, "sense and command take a small fraction of a tick")                                                    \
    X(FRUGAL, "sense and command allocate no memory")                                                                \
    X(WAITS, "waits for its sample no longer than permitted")                                                        \
    X(FOLLOWS, "follows a smooth motion")                                                                            \
    X(WATCHES, "comes to rest by itself when commands stop")                                                         \
    X(REPORTS, "reports the stop and ignores commands")                                                              \
    X(CLOSES, "closes")                                                                                              \
    X(OWN, "late ticks of this program (not assessed)")

enum {
#define IFD_RIG_CHECK_ENUM(name, text) IFD_RIG_CHECK_##name,
    IFD_RIG_CHECK_LIST(IFD_RIG_CHECK_ENUM)
#undef IFD_RIG_CHECK_ENUM
        IFD_RIG_CHECKS
};

typedef enum ifd_rig_verdict { IFD_RIG_SKIPPED, IFD_RIG_PASSED, IFD_RIG_FAILED } ifd_rig_verdict;

typedef struct ifd_rig_check_row {
    const char *what;
    ifd_rig_verdict verdict;
    char text[160]; /* observation */
} ifd_rig_check_row;

typedef struct ifd_rig_check_options {
    const ifd_rig_ops *rig;
    const ifd_value *values; /* of its parameters */
    void *setup;             /* expected by its open function in rig->data */
    int actuators;
    double tick;                            /* s */
    double move;                            /* m, travel of the actuators; 0: no motion */
    double duration;                        /* s, of the motion */
    double watchdog;                        /* s, within which the rig must come to rest by itself */
    const ifd_channel_map *map;             /* meaning of its numbers; NULL: the rig uses m and N */
    double ready;                           /* s, within which the rig must become ready */
    const char *folder;                     /* of the case, for files of the rig; NULL: the working folder */
    double acceleration[IFD_RIG_ACTUATORS]; /* limits, m/s2, with which the rig brakes by itself; 0: not known */
    ifd_beat *beat;                         /* of a supervisor (supervisor.h); NULL: none */
} ifd_rig_check_options;

/* One actuator, 1 ms, no motion, 1 s of motion time, 1 s for the watchdog, 60 s to become ready. */
IFD_API void ifd_rig_check_defaults(ifd_rig_check_options *o);

/* Fails only if no check is possible; failures of the rig are in the rows. */
IFD_API ifd_status ifd_rig_check(ifd_arena *arena, const ifd_rig_check_options *o,
                                 ifd_rig_check_row row[IFD_RIG_CHECKS], int *failed, ifd_note *note);

/* Whether a rig with ops, actuators, tick and folder of `rig` moves no iron: opens it for reading, asks and closes
 * it. A rig that cannot be opened is a real one. */
IFD_API bool ifd_rig_simulated(const ifd_rig *rig, const ifd_value *values);

/* Proof of the stop chain. A person presses, releases and unplugs; nothing moves, and the rig is only read.
 * Convention: current flows = 1 = released, on; an open wire = pressed, off. */
#define IFD_STOP_CHECK_LIST(X)                                                                                       \
    X(BEGIN, "emergency stop released, power on")                                                                    \
    X(PRESS, "the stop falls, and power with it")                                                                    \
    X(RELEASE, "release makes nothing ready by itself")                                                              \
    X(WIRE, "an open wire of the stop reads pressed")                                                                \
    X(PRESSURE, "power or pressure off is read")                                                                     \
    X(PRESSURE_WIRE, "an open wire of power or pressure reads off")

/* Proof of the stop after a kill: a process moves the rig and is killed. */
#define IFD_KILL_CHECK_LIST(X)                                                                                       \
    X(MOVES, "moved when its process was killed")                                                                    \
    X(RESTS, "is at rest after its watchdog")                                                                        \
    X(TRAVEL, "travel after the kill")                                                                               \
    X(REPORTS, "reports its stop, or power off")

enum {
#define IFD_RIG_CHECK_ENUM(name, text) IFD_STOP_CHECK_##name,
    IFD_STOP_CHECK_LIST(IFD_RIG_CHECK_ENUM)
#undef IFD_RIG_CHECK_ENUM
        IFD_STOP_CHECKS
};
enum {
#define IFD_RIG_CHECK_ENUM(name, text) IFD_KILL_CHECK_##name,
    IFD_KILL_CHECK_LIST(IFD_RIG_CHECK_ENUM)
#undef IFD_RIG_CHECK_ENUM
        IFD_KILL_CHECKS
};

typedef struct ifd_stop_check_options {
    double within;    /* s, for each step of the person (60) */
    bool keeps_power; /* the stop brakes, but cuts no power */
    double lag;       /* s, of the actuators (0.05) */
    /* Receives what the person does next, and each row when it is decided. */
    void (*ask)(void *self, const char *text);
    void (*tell)(void *self, const ifd_rig_check_row *row);
    void *self;
} ifd_stop_check_options;

IFD_API void ifd_stop_check_defaults(ifd_stop_check_options *s);

/* The rows after the first failure are skipped. Fails only if no check is possible. */
IFD_API ifd_status ifd_stop_check(ifd_arena *arena, const ifd_rig_check_options *o, const ifd_stop_check_options *s,
                                  ifd_rig_check_row row[IFD_STOP_CHECKS], int *failed, ifd_note *note);
/* Needs move, duration, watchdog and acceleration of the options. Every actuator travels at most `move`. */
IFD_API ifd_status ifd_kill_check(ifd_arena *arena, const ifd_rig_check_options *o, const ifd_stop_check_options *s,
                                  ifd_rig_check_row row[IFD_KILL_CHECKS], int *failed, ifd_note *note);

IFD_END_DECLS
#endif
