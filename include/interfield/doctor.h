/* SPDX-License-Identifier: MIT */
/* Examination of a Linux machine for real time. It changes nothing and needs no privileges.
 *
 *     ifd_doctor_options o;
 *     ifd_doctor_defaults(&o);
 *     o.measure = 10.0;                            // s; also measures wake-ups and gaps, alone and beside a load
 *     ifd_doctor *d;
 *     IFD_TRY(ifd_doctor_examine(arena, &o, &d, note));
 *     for (int i = 0; i < d->rows; i++)
 *         printf("%s: %s, expected %s\n", d->row[i].what, d->row[i].found, d->row[i].expected);
 *
 * The rows are in the order of their effect on lateness. docs/guide/doctor.md describes each. */
#ifndef INTERFIELD_DOCTOR_H
#define INTERFIELD_DOCTOR_H

#include <stddef.h>

#include <interfield/arena.h>
#include <interfield/status.h>

IFD_BEGIN_DECLS

/* State of one row, and its word. */
#define IFD_DOCTOR_STATE_LIST(X)                                                                                     \
    X(FINE, "ok")                                                                                                    \
    X(NOTE, "note")       /* information without a demand */                                                         \
    X(UNKNOWN, "unknown") /* could not be read; never counts as fine */                                              \
    X(CHANGE, "change")                                                                                              \
    X(UNFIT, "UNFIT")

typedef enum ifd_doctor_state {
#define IFD_DOCTOR_STATE_ENUM(name, word) IFD_DOCTOR_##name,
    IFD_DOCTOR_STATE_LIST(IFD_DOCTOR_STATE_ENUM)
#undef IFD_DOCTOR_STATE_ENUM
        IFD_DOCTOR_STATE_COUNT
} ifd_doctor_state;
IFD_API const char *ifd_doctor_state_name(ifd_doctor_state state);

typedef struct ifd_doctor_options {
    int core;              /* core of the tick; -1: the first isolated core, otherwise the last one */
    const char *interface; /* network card of the rig; NULL: none */
    const char *folder;    /* of the records; NULL: current folder */
    double tick;           /* s, period of the test */
    double measure;        /* s, duration of each measurement of wake-ups; 0: nothing is measured */
    bool brief;            /* without trials that take time: only what the kernel reports */
    const char *root;      /* a folder with /proc and /sys of another machine; NULL: this machine */
    /* Called during the measurement with the present part and the completed fraction; NULL: none. */
    void (*progress)(void *self, const char *part, double fraction);
    void *self;
} ifd_doctor_options;
/* core -1, tick 1 ms, nothing else. */
IFD_API void ifd_doctor_defaults(ifd_doctor_options *o);

typedef struct ifd_doctor_row {
    const char *what;     /* "preemption model" */
    const char *found;    /* one line */
    const char *expected; /* one line */
    const char *advice;   /* the command that changes it, or the action; NULL: none */
    ifd_doctor_state state;
} ifd_doctor_row;

/* Lateness of wake-ups, or interruptions of a thread that reads the clock without pause; s. */
typedef struct ifd_doctor_times {
    long count; /* wake-ups; gaps above 5 us */
    double p50, p999, max;
} ifd_doctor_times;

enum { IFD_DOCTOR_ROWS = 40 };

typedef struct ifd_doctor {
    int rows;
    ifd_doctor_row row[IFD_DOCTOR_ROWS];
    ifd_doctor_state verdict; /* FINE; CHANGE if a row is to be changed or unknown; UNFIT */
    int core;                 /* the examined core; -1: unknown */
    bool preempt_rt;
    const char *kernel;       /* "6.1 PREEMPT_RT"; "unknown" */
    const char *boot;         /* words for the kernel command line that unite the advice; "" if there are none */
    const char *limits;       /* lines of a file in /etc/security/limits.d; "" if none are needed */
    bool measured;            /* the following are valid */
    ifd_doctor_times wake[2]; /* alone, beside the load */
    ifd_doctor_times gap[2];
} ifd_doctor;

/* IFD_RANGE: the core is not in use. IFD_UNKNOWN_NAME: there is no such network card. */
IFD_API ifd_status ifd_doctor_examine(ifd_arena *arena, const ifd_doctor_options *o, ifd_doctor **out,
                                      ifd_note *note);
/* "fine", "something to do", "unfit". */
IFD_API const char *ifd_doctor_verdict(const ifd_doctor *d);
/* One line for the start of a test: "6.1 PREEMPT_RT", "6.18 PREEMPT_DYNAMIC: expect milliseconds under load". */
IFD_API void ifd_doctor_kernel(char *out, size_t size);

IFD_END_DECLS
#endif
