/* SPDX-License-Identifier: MIT */
/* Rig server: lends a rig to a test in another process (link.h), on its own clock and thread.
 *
 *     ifd_rig_server_options o;
 *     ifd_rig_server_defaults(&o);
 *     o.rig = &ifd_virtual_rig;  o.setup = &laboratory;  o.channels = 1;  o.limits = limits;
 *     o.port = 4711;                                     // or o.shm = "bearing"
 *     ifd_rig_server *s;
 *     IFD_TRY(ifd_rig_server_open(arena, &o, &s, note)); // serves until closed
 *     ...  ifd_rig_server_report_now(s, &report);  ...
 *     ifd_rig_server_close(s);
 *
 * Every tick it measures, sends, takes the newest command and moves: whatever is asked for, position, velocity and
 * acceleration stay within its own limits. Its watchdog does not depend on the test: when commands stop, when the
 * emergency stop is pressed, when a force or a position is too large, it brakes to rest by itself, stays there,
 * ignores commands and says so in every measurement (IFD_INPUT_RIG_STOPPED) until the test has ended. One test at a
 * time; another one is refused.
 *
 * A command that does not arrive is bridged with its last velocity for two ticks; then the rig brakes. */
#ifndef INTERFIELD_RIG_SERVER_H
#define INTERFIELD_RIG_SERVER_H

#include <interfield/hybrid.h>
#include <interfield/link.h>

#ifdef __cplusplus
extern "C" {
#endif

#define IFD_RIG_SERVER_STATES(X)                                                                                     \
    X(FREE, "free", "at rest, or coming to rest; waits for a test")                                                  \
    X(SERVES, "serves", "follows the commands of a test")                                                            \
    X(STOPPED, "stopped", "brakes, or stands, and ignores commands until the test has ended")

typedef enum ifd_rig_server_state {
#define IFD_RIG_SERVER_ENUM(name, word, text) IFD_RIG_SERVER_##name,
    IFD_RIG_SERVER_STATES(IFD_RIG_SERVER_ENUM)
#undef IFD_RIG_SERVER_ENUM
} ifd_rig_server_state;

/* Why a rig stopped by itself, or ended its service. */
#define IFD_RIG_STOP_LIST(X)                                                                                         \
    X(NONE, "has not stopped")                                                                                       \
    X(FAREWELL, "the test ended")                                                                                    \
    X(WATCHDOG, "commands stopped coming")                                                                           \
    X(UNMATCHED, "the first command was not where the rig stands")                                                   \
    X(INPUTS, "the emergency stop is pressed or the hydraulics are off")                                             \
    X(FORCE, "a force exceeded its limit")                                                                           \
    X(POSITION, "a position left its stroke")                                                                        \
    X(NOT_FINITE, "a measurement is not a finite number")

typedef enum ifd_rig_stop {
#define IFD_RIG_STOP_ENUM(name, text) IFD_RIG_STOP_##name,
    IFD_RIG_STOP_LIST(IFD_RIG_STOP_ENUM)
#undef IFD_RIG_STOP_ENUM
} ifd_rig_stop;

/* The words of the lists above. */
IFD_API const char *ifd_rig_server_state_name(ifd_rig_server_state state);
IFD_API const char *ifd_rig_stop_text(ifd_rig_stop stop);

typedef struct ifd_rig_server_options {
    const ifd_rig_ops *rig;
    const ifd_value *values; /* of its parameters; NULL when it has none */
    void *setup;             /* what its open expects in rig->data */
    int channels;
    double tick; /* s */
    /* One per channel: stroke, velocity, acceleration; force; tracking: how far the first command may be from where
     * the rig stands, without one 2 % of the stroke. Others must be INFINITY: ifd_limits_defaults(). */
    const ifd_limits *limits;
    double watchdog;    /* s without a command */
    const char *host;   /* address to serve */
    int port;           /* 0: the system chooses; unused with shm */
    const char *shm;    /* name of shared memory instead; NULL: datagrams */
    int priority, core; /* as of an executor */
    bool lock_memory;
    const char *key; /* file of the key that a test must have too; NULL: none, and served to this machine only */
    bool insecure;   /* without a key, to the network all the same */
} ifd_rig_server_options;

/* 1 ms, watchdog 100 ms, 127.0.0.1, FIFO 85, any core, memory locked. */
IFD_API void ifd_rig_server_defaults(ifd_rig_server_options *o);

typedef struct ifd_rig_server_report {
    ifd_rig_server_state state;
    ifd_rig_stop stop; /* the last one */
    bool rest;         /* nothing is commanded to move */
    bool lockstep;     /* of the test that is served, or was last */
    bool fifo, locked;
    uint64_t ticks, late_ticks, skipped; /* late: by more than a tenth of a tick */
    uint64_t clients, refused, stops;
    uint64_t bridged;  /* ticks without a new command while serving */
    uint64_t governed; /* commands held back by a limit */
    ifd_link_counts link;
    double position[IFD_RIG_CHANNELS], force[IFD_RIG_CHANNELS]; /* as last measured */
    uint64_t strangers; /* who spoke with another key, or without one where one is needed; times */
} ifd_rig_server_report;

typedef struct ifd_rig_server ifd_rig_server;

/* Opens rig and port, finds out where the rig stands, starts to serve, and seals the arena. Fails when a rig stands
 * outside its limits. What real-time privilege is not granted is no error: the report tells. */
IFD_API ifd_status ifd_rig_server_open(ifd_arena *arena, const ifd_rig_server_options *o, ifd_rig_server **out,
                                       ifd_note *note);
IFD_API int ifd_rig_server_port(const ifd_rig_server *s);
/* From any thread. */
IFD_API void ifd_rig_server_report_now(const ifd_rig_server *s, ifd_rig_server_report *out);
/* Brakes to rest, then ends and closes rig and port. */
IFD_API void ifd_rig_server_close(ifd_rig_server *s);

#ifdef __cplusplus
}
#endif
#endif
