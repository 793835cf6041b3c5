/* SPDX-License-Identifier: MIT */
/* Rig server: makes a rig available to a test in another process (link.h), with a separate clock and thread.
 *
 *     ifd_rig_server_options o;
 *     ifd_rig_server_defaults(&o);
 *     o.rig = &ifd_virtual_rig;  o.setup = &laboratory;  o.actuators = 1;  o.limits = limits;
 *     o.port = 4711;                                     // or o.shm = "bearing"
 *     ifd_rig_server *s;
 *     IFD_TRY(ifd_rig_server_open(arena, &o, &s, note)); // serves until closed
 *     ...  ifd_rig_server_report_now(s, &report);  ...
 *     ifd_rig_server_close(s);
 *
 * In every tick it measures, sends, takes the newest command and moves. Position, velocity and acceleration remain
 * within its limits for every command. Its watchdog is independent of the test: without commands, with the emergency
 * stop pressed, or with a force or position beyond its limit, it brakes to rest. It then ignores commands and reports
 * the stop in every measurement (IFD_INPUT_RIG_STOPPED) until the test has ended. It serves one test at a time and
 * refuses others.
 *
 * A real rig at another address than 127.0.0.1 moves only after its operator has allowed the connection
 * (ifd_rig_server_allow). Until then it measures, passes no outputs on and reports IFD_INPUT_NOT_ALLOWED; a command
 * with a position stops it. A new connection is allowed anew.
 *
 * For a test with elastic simulated time (hybrid.h) it follows the commands smoothly, whenever they arrive. Without
 * commands it comes to rest and waits (IFD_INPUT_RIG_WAITING) until the test would give up; then it stops.
 *
 * A missing command is replaced for two ticks by motion with the last velocity; then the rig brakes. */
#ifndef INTERFIELD_RIG_SERVER_H
#define INTERFIELD_RIG_SERVER_H

#include <interfield/hybrid.h>
#include <interfield/link.h>

IFD_BEGIN_DECLS

#define IFD_RIG_SERVER_STATES(X)                                                                                     \
    X(FREE, "free", "at rest, or coming to rest; waits for a test")                                                  \
    X(SERVES, "serves", "follows the commands of a test")                                                            \
    X(STOPPED, "stopped", "brakes or is at rest, and ignores commands until the test has ended")                     \
    X(WAITING, "waiting", "comes to rest without commands; follows its test again when they arrive")

typedef enum ifd_rig_server_state {
#define IFD_RIG_SERVER_ENUM(name, word, text) IFD_RIG_SERVER_##name,
    IFD_RIG_SERVER_STATES(IFD_RIG_SERVER_ENUM)
#undef IFD_RIG_SERVER_ENUM
} ifd_rig_server_state;

/* Reason for which a rig stopped by itself or ended its service. */
#define IFD_RIG_STOP_LIST(X)                                                                                         \
    X(NONE, "has not stopped")                                                                                       \
    X(FAREWELL, "the test ended")                                                                                    \
    X(WATCHDOG, "no commands arrived")                                                                               \
    X(UNMATCHED, "the first command differed from the position of the rig")                                          \
    X(INPUTS, "the emergency stop is pressed or the hydraulics are off")                                             \
    X(FORCE, "a force exceeded its limit")                                                                           \
    X(POSITION, "a position was outside its stroke")                                                                 \
    X(NOT_FINITE, "a measurement is not a finite number")                                                            \
    X(RIG, "the rig stopped by itself")                                                                              \
    X(ENDED, "its operator ended it")                                                                                \
    X(NOT_ALLOWED, "its operator had not allowed this connection to move it")

typedef enum ifd_rig_stop {
#define IFD_RIG_STOP_ENUM(name, text) IFD_RIG_STOP_##name,
    IFD_RIG_STOP_LIST(IFD_RIG_STOP_ENUM)
#undef IFD_RIG_STOP_ENUM
} ifd_rig_stop;

/* The words of the list above. */
IFD_API const char *ifd_rig_stop_text(ifd_rig_stop stop);

typedef struct ifd_rig_server_options {
    const ifd_rig_ops *rig;
    const ifd_value *values; /* of its parameters; NULL: none */
    void *setup;             /* expected by its open function in rig->data */
    int actuators;
    double tick; /* s */
    /* One per actuator: stroke, velocity, acceleration; force. tracking: largest difference between the first command
     * and the position of the rig, by default 2 % of the stroke. Others must be INFINITY: ifd_limits_defaults(). */
    const ifd_limits *limits;
    double watchdog;    /* s without a command */
    const char *host;   /* local address */
    int port;           /* 0: chosen by the system; unused with shm */
    const char *shm;    /* name of shared memory; NULL: datagrams */
    int priority, core; /* as for an executor */
    bool lock_memory;
    const char *key;    /* key file that a test must have too; NULL: none, and only this machine is served */
    bool insecure;      /* network service without a key */
    const char *folder; /* of the case, for files of the rig; NULL: the working folder */
    ifd_beat *beat;     /* of a supervisor (supervisor.h); NULL: none */
} ifd_rig_server_options;

/* 1 ms, watchdog 100 ms, 127.0.0.1, FIFO 85, any core, memory locked. */
IFD_API void ifd_rig_server_defaults(ifd_rig_server_options *o);

typedef struct ifd_rig_server_report {
    ifd_rig_server_state state;
    ifd_rig_stop stop; /* the last one */
    bool rest;         /* no motion is commanded */
    bool lockstep;     /* of the present or last test */
    bool fifo, locked;
    uint64_t ticks, late_ticks, skipped; /* late: by more than IFD_LATE_AFTER */
    uint64_t clients, refused, stops;
    uint64_t bridged;  /* ticks without a new command during service */
    uint64_t governed; /* commands reduced by a limit */
    ifd_link_counts link;
    double position[IFD_RIG_ACTUATORS], force[IFD_RIG_ACTUATORS]; /* last measured values */
    uint64_t strangers; /* number of messages with another key, or without a required one */
    const char *why;    /* what the rig reported when it stopped (exchange.h); NULL: nothing */
} ifd_rig_server_report;

typedef struct ifd_rig_server ifd_rig_server;

/* Opens rig and port, measures the position of the rig, starts to serve, and seals the arena. Fails if the rig is
 * outside its limits. Missing real-time rights are no error; the report contains them. */
IFD_API ifd_status ifd_rig_server_open(ifd_arena *arena, const ifd_rig_server_options *o, ifd_rig_server **out,
                                       ifd_note *note);
IFD_API int ifd_rig_server_port(const ifd_rig_server *s);
/* Whether its rig moves no iron: a virtual one, or one that declares it. */
IFD_API bool ifd_rig_server_simulated(const ifd_rig_server *s);
/* From any thread. */
IFD_API void ifd_rig_server_report_now(const ifd_rig_server *s, ifd_rig_server_report *out);
/* Whether the connection of this report waits for its operator (NULL: whether any does), and his consent to it. It is
 * without effect on a connection that began after the report. */
IFD_API bool ifd_rig_server_asks(const ifd_rig_server *s, const ifd_rig_server_report *r);
IFD_API void ifd_rig_server_allow(ifd_rig_server *s, const ifd_rig_server_report *r);
/* Brakes to rest, then ends and closes rig and port. */
IFD_API void ifd_rig_server_close(ifd_rig_server *s);

IFD_END_DECLS
#endif
