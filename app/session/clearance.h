/* SPDX-License-Identifier: MIT */
/* Clearance of a real rig: what people state before it moves. After `arm` the holder of control answers a checklist
 * line by line; from a given scale on a second person confirms; a channel whose calibration has ended prevents `arm`.
 * The tick itself refuses `run` without clearance, from whatever source (IFD_GATE_CHECKED). A clearance belongs to
 * one arming: a trip clears it. All functions may be called from any thread; texts are constant. */
#pragma once

#include "app.h"

#include <interfield/case.h>
#include <interfield/executor.h>
#include <interfield/hybrid.h>

enum { CLEARANCE_LINES = 64, CLEARANCE_NAME = 80 };

typedef struct clearance_rules {
    const ifd_day *day;
    const ifd_channel_map *map; /* whose dates count; may be NULL */
    bool real;                  /* otherwise nothing is asked */
    bool scaled;                /* the motion is that of the test: a second person can be required */
} clearance_rules;

typedef struct clearance clearance;

/* NULL: no memory. */
clearance *clearance_make(ifd_arena *arena, const clearance_rules *rules);
/* The test whose run is refused without it; NULL: no longer. */
void clearance_attach(clearance *c, ifd_executor *e);
/* The present state, by the thread that watches: a list begins with ready and is cleared by all other states. */
void clearance_state(clearance *c, ifd_machine state);

/* Why an order of this person is refused; NULL: it is not. */
const char *clearance_refuses(clearance *c, ifd_order order);
/* Whether a second person is needed at all; whether only this is missing for run. */
bool clearance_second(const clearance *c);
bool clearance_waits(clearance *c);

/* The lines; whether they are asked now; the first one without an answer, or the number of lines. */
int clearance_lines(const clearance *c, const char *const **line);
bool clearance_asks(clearance *c, int *next);
/* The line that the terminal was asked, by the thread that watches; -1: none. */
void clearance_terminal(clearance *c, int k);
/* Answers line k (from 0); NULL, or why not. */
const char *clearance_answer(clearance *c, int k, bool done, const char *name);
/* A second person, who is not `first`, the one who has control; NULL: nobody. */
const char *clearance_confirm(clearance *c, const char *name, const char *first);
/* Another person has control, who may be the one that confirmed. */
void clearance_unconfirm(clearance *c);
/* A new arming begins: earlier answers do not count, also if the thread that watches has not seen its end. */
void clearance_begin(clearance *c);
/* For a page: {"asked": ..., "terminal": k, "done": [name or null, ...], "second": ..., "confirmed": name or null} */
void clearance_json(clearance *c, char *out, size_t size);
/* For the log: what is not asked, or how much. */
void clearance_print(const clearance *c, char *out, size_t size);
