/* SPDX-License-Identifier: MIT */
/* Supervisor: an ordinary thread that notices when the code of a rig, of a solver or of this program does not return.
 *
 *     ifd_supervisor_options o;
 *     ifd_supervisor_defaults(&o);
 *     o.self = me;  o.print = print;  o.end = end;                // both are called on its thread
 *     IFD_TRY(ifd_supervisor_open(arena, &o, &s, note));      // before the rig is opened
 *     options.beat = ifd_supervisor_beat(s);                  // of a test, a rig server or a rig
 *     ifd_supervisor_pace(s, period, simulated, timeout);     // before the first tick; again when more is known
 *     ...
 *     ifd_supervisor_close(s);                                // after the rig is closed
 *
 * The tick stores its number and its place in one atomic word. Without a change of this word:
 *
 *                                    with a clock               free-running
 *     alarm after                    50 ms, 10 periods if more  1 s, the timeout of the rig if more
 *     ends by itself after           2 s, a simulated rig 30 s  never
 *     ends after the alarm           at once, as soon as `asked` grows or ifd_supervisor_end is called
 *     open, warm; close              alarm after 1 s; ends after `open_within`; 5 s
 *
 * A tick that returns ends the alarm. Time is counted in wake-ups of its own of 10 ms, so that a process that was
 * stopped as a whole is silent. After the alarm the hung thread can own any lock: `print` and `end` may neither
 * allocate nor use stdio. `end` ends the process; it is called up to 1 s after the decision, in which
 * another thread can close files (ifd_supervised.ending, ifd_supervisor_closed). The library itself never ends a
 * process. */
#ifndef INTERFIELD_SUPERVISOR_H
#define INTERFIELD_SUPERVISOR_H

#include <interfield/exchange.h>

IFD_BEGIN_DECLS

/* Places of a tick, and before and after all ticks: name, word. */
#define IFD_AT_LIST(X)                                                                                               \
    X(NONE, "")                                                                                                      \
    X(OPEN, "open")                                                                                                  \
    X(WARM, "warm")                                                                                                  \
    X(CLOSE, "close")                                                                                                \
    X(WAIT, "wait")                                                                                                  \
    X(SENSE, "sense")                                                                                                \
    X(SOLVE, "solve")                                                                                                \
    X(WORKER, "worker")                                                                                              \
    X(COMMAND, "command")                                                                                            \
    X(PUBLISH, "publish")

typedef enum ifd_tick_place {
#define IFD_AT_ENUM(name, word) IFD_AT_##name,
    IFD_AT_LIST(IFD_AT_ENUM)
#undef IFD_AT_ENUM
        IFD_AT_COUNT
} ifd_tick_place;

/* The word of the list above. */
IFD_API const char *ifd_tick_place_name(ifd_tick_place place);

/* A time without a tick. */
typedef struct ifd_hang {
    uint64_t tick; /* the last complete one */
    ifd_tick_place place;
    int rig;        /* of several rigs, from 0; -1: not in a rig */
    double seconds; /* at most 10 ms more than the true time */
} ifd_hang;

typedef enum ifd_alarm {
    IFD_ALARM_STOPPED, /* no tick */
    IFD_ALARM_GOES_ON, /* a tick has returned */
    IFD_ALARM_ENDS     /* the process ends within a second */
} ifd_alarm;

typedef struct ifd_supervisor_options {
    void *self;
    void (*print)(void *self, ifd_alarm what, const ifd_hang *hang);
    void (*end)(void *self, const ifd_hang *hang, bool closed); /* must end the process */
    void (*wake)(void *self);                                   /* at every wake-up; may be NULL */
    int (*asked)(const void *self);                             /* the number of signals so far; may be NULL */
    double open_within;                                         /* s, for open and warm */
    int core; /* of the tick, which the supervisor avoids; -1: any */
} ifd_supervisor_options;

/* 60 s for open and warm, any core. */
IFD_API void ifd_supervisor_defaults(ifd_supervisor_options *o);

typedef struct ifd_supervisor ifd_supervisor;

IFD_API ifd_status ifd_supervisor_open(ifd_arena *arena, const ifd_supervisor_options *o, ifd_supervisor **out,
                                       ifd_note *note);
IFD_API ifd_beat *ifd_supervisor_beat(ifd_supervisor *s);
/* s between ticks, 0: free-running; whether the rig is simulated; s that a rig in lockstep may take. */
IFD_API void ifd_supervisor_pace(ifd_supervisor *s, double period, bool simulated, double timeout);

/* The alarms so far; from any thread. */
typedef struct ifd_supervised {
    unsigned alarms; /* their number */
    bool stopped;    /* the last one is not over */
    bool ending;
    ifd_hang last, longest; /* of the alarms; seconds of a present one: so far */
} ifd_supervised;
IFD_API void ifd_supervisor_now(const ifd_supervisor *s, ifd_supervised *out);
/* After an alarm: ends at once. Otherwise without effect. */
IFD_API void ifd_supervisor_end(ifd_supervisor *s);
/* Ends the process this number of seconds from now, whatever happens; the first call decides. Also from a signal
 * handler. */
IFD_API void ifd_supervisor_end_within(ifd_supervisor *s, double seconds);
/* Whether this is so and the last second before it has begun: a test then ends between two ticks. */
IFD_API bool ifd_supervisor_hurries(const ifd_supervisor *s);
/* With `ending`: all files are closed. */
IFD_API void ifd_supervisor_closed(ifd_supervisor *s);
/* NULL: nothing. The arena closes it at the latest. */
IFD_API void ifd_supervisor_close(ifd_supervisor *s);

IFD_END_DECLS
#endif
