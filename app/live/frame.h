/* SPDX-License-Identifier: MIT */
/* What the live page is told of a test: one description, then a frame about every 50 ms made of the records between.
 * Both are server-sent events whose data is JSON.
 *
 * A frame holds samples some milliseconds apart. Positions and forces are those of the sample's tick; lateness,
 * tracking error and the shares of limits are the largest since the sample before, so that no peak is lost however
 * far apart samples are. */
#ifndef APP_FRAME_H
#define APP_FRAME_H

#include "session/progress.h"

#include <interfield/executor.h>
#include <interfield/hybrid.h>

enum { FRAME_SAMPLES = 64, FRAME_EVENTS = 64, FRAME_TEXT = 128 * 1024, FRAME_EVENT_TEXT = 96 };

/* What is sent of a channel, in this order. */
enum { SEEN_TARGET, SEEN_COMMAND, SEEN_MEASURED, SEEN_FORCE, SEEN_TRACKING, SEEN_COUNT };

/* The limits a channel may have, in the order of their bars. */
enum { BAR_STROKE, BAR_VELOCITY, BAR_ACCELERATION, BAR_FORCE, BAR_FORCE_RATE, BAR_TRACKING, BAR_ENERGY, BAR_COUNT };

typedef struct frame_channel {
    const char *name;
    bool turns; /* a rotation: rad for m, N m for N */
    ifd_limits limits;
    int column[SEEN_COUNT], energy, delay, amplitude; /* of a record; -1 where there is none */
} frame_channel;

/* What stands where in a record, and what the page says about it. */
typedef struct frame_plan {
    const char *title, *about; /* "14 dofs · lsrt2 · rig virtual" */
    const char *no_resume;     /* why a hold cannot be resumed; NULL: it can */
    bool replay, limited;      /* limited: the limits are known */
    bool clocked;              /* ticks had their times */
    double end, period;        /* s, simulated end; s of wall clock between ticks */
    double spacing;            /* s between samples, at least */
    double arm_timeout;        /* s after which a test that cannot be armed ends */
    double arm_spread;         /* of the stroke, by which positions may scatter before it is armed */
    test_columns at;
    int channels;
    frame_channel channel[IFD_RIG_CHANNELS];
} frame_plan;

typedef struct frame_event {
    double wall;
    int state, fault; /* state -1: an order */
    int order, answer;
} frame_event;

/* What one channel did just before. */
typedef struct frame_past {
    double command, velocity, force;
    uint64_t force_tick;
    int known; /* 0: nothing, 1: command, 2: velocity too */
} frame_past;

typedef struct frame {
    const frame_plan *plan;
    double spacing, next; /* s: doubles when a frame is full; wall clock of the next sample */
    int samples;
    double wall[FRAME_SAMPLES], late[FRAME_SAMPLES], duration[FRAME_SAMPLES];
    double seen[IFD_RIG_CHANNELS][SEEN_COUNT][FRAME_SAMPLES];
    double share[IFD_RIG_CHANNELS][BAR_COUNT];                           /* largest since the frame before */
    double peak[IFD_RIG_CHANNELS][BAR_COUNT];                            /* largest since the start */
    double worst_late, worst_duration, worst_tracking[IFD_RIG_CHANNELS]; /* since the sample before */
    frame_past past[IFD_RIG_CHANNELS];
    int events;
    frame_event event[FRAME_EVENTS];
    double now_wall, now_time, now_rate; /* of the newest record */
    int now_state, now_fault, now_wait, wait_channel;
    double wait_value, idle_since, waited; /* s of wall clock, the last two */
    double now_delay[IFD_RIG_CHANNELS],
        now_amplitude[IFD_RIG_CHANNELS]; /* of the actuator, as its indicators see it */
    uint64_t tick, skipped, dropped, late_ticks;
    double late_max, duration_max; /* s, since the start */
} frame;

/* Finds the columns of the plan's channels by their names: "simulated time", "NAME measured", ...; false when these
 * are not the columns of a test. */
bool frame_plan_find(frame_plan *plan, const ifd_column *channel, int count);

void frame_begin(frame *f, const frame_plan *plan);
void frame_add(frame *f, const ifd_tick_record *r);
/* After the last record, which is the one that ends the way out: from there on the test is stopped. */
void frame_finish(frame *f);
/* The event that describes the test; NULL when memory ran out. */
const char *frame_hello(ifd_arena *arena, const frame_plan *plan);
/* The JSON of an event, at most FRAME_EVENT_TEXT characters; how many. */
int frame_event_print(const frame_event *e, char *out, size_t size);
/* An event of this name with a JSON object for its data; NULL when memory ran out. */
const char *frame_event_text(ifd_arena *arena, const char *name, const char *json);
/* Writes the event of this frame and begins the next one. now: ms of a clock, by which the page sees its own delay.
 * Returns the length, at most FRAME_TEXT. */
size_t frame_write(frame *f, uint64_t now, char *out);

#endif
