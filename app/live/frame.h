/* SPDX-License-Identifier: MIT */
/* Data of the live page: one description of the test, then a frame about every 50 ms with the records of that time.
 * Both are server-sent events with JSON data.
 *
 * A frame contains samples at intervals of some milliseconds. Positions and forces are those of the tick of the
 * sample; lateness, tracking error and fractions of limits are the largest since the previous sample, so that no peak
 * is lost. */
#pragma once

#include "session/progress.h"

#include <interfield/executor.h>
#include <interfield/hybrid.h>

enum { FRAME_SAMPLES = 64, FRAME_EVENTS = 64, FRAME_TEXT = 128 * 1024, FRAME_EVENT_TEXT = 480, FRAME_WHY = 256 };

/* Values of a specimen, in this order. */
enum { SEEN_TARGET, SEEN_COMMAND, SEEN_MEASURED, SEEN_FORCE, SEEN_TRACKING, SEEN_COUNT };

/* Limits of a specimen, in the order of their bars. */
enum { BAR_STROKE, BAR_VELOCITY, BAR_ACCELERATION, BAR_FORCE, BAR_FORCE_RATE, BAR_TRACKING, BAR_ENERGY, BAR_COUNT };

typedef struct frame_specimen {
    const char *name;
    bool turns; /* a rotation: rad for m, N m for N */
    ifd_limits limits;
    int column[SEEN_COUNT], energy, delay, amplitude, relaxation; /* columns of a record; -1: absent */
} frame_specimen;

/* Columns of a record and the description for the page. */
typedef struct frame_plan {
    const ifd_hybrid *test;    /* knows the sentences of its faults; NULL: a replay */
    const char *title, *about; /* "14 dofs · lsrt2 · rig virtual" */
    const char *started, *why; /* of a replay: the date of the test, the sentence of its fault; NULL: unknown */
    int fault;                 /* which it is */
    const char *no_resume;     /* why a hold cannot be resumed; NULL: it can */
    bool replay, limited;      /* limited: limits are known */
    bool automatic;            /* the test starts by itself */
    bool real;                 /* a rig moves iron: orders that cause motion are confirmed */
    bool clocked;              /* the test had a clock */
    double end, period;        /* s, simulated end; s of wall clock between ticks */
    double late_after;         /* s: a tick that starts later is late; 0: the preset */
    double lambda;             /* of the case; 0: not known */
    double spacing;            /* s between samples, at least */
    double arm_timeout;        /* s; a test that cannot be armed ends after this time */
    double arm_spread;         /* permitted scatter of positions before arming, as a fraction of the stroke */
    int checks;                /* lines of the checklist */
    const char *const *check;
    double hold_relaxation; /* permitted relaxation of a force on hold, as a fraction; 0: unlimited */
    const char *picture;    /* of the structure, as SVG; NULL: none */
    size_t picture_length;
    test_columns at;
    const ifd_column *column; /* all columns of a record */
    int columns;
    int specimens;
    frame_specimen specimen[IFD_RIG_ACTUATORS];
} frame_plan;

/* A fault with its value and limit in SI; limit 0: without numbers. */
typedef struct frame_fault {
    const char *name, *owner, *text;
    double value, limit;
} frame_fault;

typedef struct frame_event {
    double wall;
    int state, fault; /* state -1: an order */
    int order, answer;
    double value, limit; /* of the answer, for its sentence */
    char why[FRAME_WHY]; /* of the fault: its sentence, where it has numbers */
} frame_event;

/* Previous values of one specimen. */
typedef struct frame_past {
    double command, velocity, force;
    uint64_t force_tick;
    int known; /* valid values: 0 none, 1 command, 2 also velocity */
} frame_past;

typedef struct frame {
    const frame_plan *plan;
    const char *control;  /* who has control; NULL: a replay */
    unsigned holder;      /* the number of its browser; 0: the terminal */
    const char *cleared;  /* state of the checklist as JSON (session/clearance.h); NULL: none */
    double spacing, next; /* s: doubled when a frame is full; wall-clock time of the next sample */
    int samples;
    uint64_t row; /* samples before this frame */
    float *value; /* [FRAME_SAMPLES][columns of the plan] */
    double wall[FRAME_SAMPLES], time[FRAME_SAMPLES], late[FRAME_SAMPLES], duration[FRAME_SAMPLES];
    double seen[IFD_RIG_ACTUATORS][SEEN_COUNT][FRAME_SAMPLES];
    double share[IFD_RIG_ACTUATORS][BAR_COUNT];                           /* largest since the previous frame */
    double peak[IFD_RIG_ACTUATORS][BAR_COUNT];                            /* largest since the start */
    double worst_late, worst_duration, worst_tracking[IFD_RIG_ACTUATORS]; /* largest since the previous sample */
    frame_past past[IFD_RIG_ACTUATORS];
    rest_watch rest;
    int events;
    frame_event event[FRAME_EVENTS];
    double now_wall, now_time, now_rate, now_age; /* of the newest record; age -1: not recorded */
    int now_state, now_fault, now_wait, wait_owner;
    char why[FRAME_WHY];                                                   /* of now_fault */
    double wait_value, idle_since, waited;                                 /* s of wall clock, the last two */
    double now_delay[IFD_RIG_ACTUATORS], now_amplitude[IFD_RIG_ACTUATORS]; /* of the actuator, from its indicators */
    uint64_t tick, skipped, dropped, late_ticks;
    double late_max, duration_max; /* s, since the start */
} frame;

/* Finds the columns of the specimens by their names: "simulated time", "NAME deformation", ...; false if these
 * are not the columns of a test. */
bool frame_plan_find(frame_plan *plan, const ifd_column *column, int count);

/* "bearing1: a measured force exceeds its limit (1203 N, limit 1000 N)". */
void frame_fault_print(const frame_plan *plan, const frame_fault *fault, char *out, size_t size);
/* False: out of memory. */
bool frame_begin(frame *f, ifd_arena *arena, const frame_plan *plan);
void frame_add(frame *f, const ifd_tick_record *r);
/* After the last record, which ends the ramp-out: the test is in the state stopped. */
void frame_finish(frame *f);
/* The event with the description of the test; NULL: out of memory. */
const char *frame_hello(ifd_arena *arena, const frame_plan *plan);
/* Writes the JSON of an event, at most FRAME_EVENT_TEXT characters; returns the length. */
int frame_event_print(const frame_event *e, char *out, size_t size);
/* An event of this name with a JSON object as data; NULL: out of memory. */
const char *frame_event_text(ifd_arena *arena, const char *name, const char *json);
/* Writes the event of this frame and begins the next one. now: ms of a clock, for the delay of the page.
 * Returns the length, at most FRAME_TEXT. */
size_t frame_write(frame *f, uint64_t now, char *out);
