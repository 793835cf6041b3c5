/* SPDX-License-Identifier: MIT */
/* Orders to a test: who may give them, and how they reach the tick and the log.
 *
 * One holder at a time has control: the terminal at the start, then the one who takes it. All others are viewers,
 * who may only stop and trip. An order goes directly from the thread that received it to the tick; the thread that
 * watches the test logs it later and may meanwhile wait for a disk or a terminal. An order that cannot reach the next
 * tick is refused and forgotten. */
#pragma once

#include "clearance.h"
#include "app.h"

#include <interfield/executor.h>
#include <interfield/hybrid.h>

enum { GIVER_TERMINAL = 0, GIVER_TEXT = 80, GIVEN_TEXT = 320 };

/* Who gives an order: the terminal (number 0), or a browser. */
typedef struct giver {
    uint32_t number;
    char address[GIVER_TEXT], name[GIVER_TEXT]; /* "": not known */
} giver;

/* Something to log, and for the terminal if word is not empty. */
typedef struct given {
    ifd_order order; /* NONE: no order */
    char word[24];   /* label of the line on the terminal; "": only in the log */
    char text[GIVEN_TEXT];
} given;

typedef struct control control;

/* terminal: its operator; NULL: no name. */
control *control_make(ifd_arena *arena, const char *terminal, clearance *cleared);
clearance *control_clearance(control *c);
/* From here on orders reach the test; before its first tick only those that end it. NULL: no longer. */
void control_attach(control *c, ifd_executor *e);
void control_began(control *c);
bool control_has_begun(control *c);

/* Gives an order; NULL: the next tick receives it, otherwise the reason for which it is refused. May be called from
 * any thread. */
const char *control_order(control *c, ifd_order order, const giver *who);
/* Answers line k of the checklist, for the holder only; NULL, or why not. */
const char *control_check(control *c, int k, bool done, const giver *who);
/* A second person, at the terminal or at a browser, who needs no control. A run that waits for it is given. */
const char *control_confirm(control *c, const char *name, const giver *who);
/* Whether the next tick can receive an order that does not stop. */
bool control_free(control *c);
/* An order of the program itself, with its reason. */
void control_order_itself(control *c, ifd_order order, const char *why);
/* Takes control; false: it had it already. */
bool control_take(control *c, const giver *who);
bool control_holds(control *c, uint32_t number);
/* "the terminal, A. Smith"; "nobody"; and the number of the holder, UINT32_MAX: nobody. */
void control_holder(control *c, char *out, size_t size, uint32_t *number);
/* A browser is there, as seen now or by an open stream. */
void control_seen(control *c, uint32_t number, bool stream);
void control_left(control *c, uint32_t number);
/* Takes control from a browser that is gone for 10 s, for the terminal or, without one, for nobody. */
void control_poll(control *c, bool terminal, uint64_t now);
/* The present state; a run that waits for a second person is forgotten with ready, and after 60 s. */
void control_state(control *c, ifd_machine state);
/* Whether somebody with control can answer: the terminal, if it is there, or a browser. */
bool control_attended(control *c, bool terminal);

/* The next thing to log, in order; for the thread that watches. */
bool control_next(control *c, given *out);
/* For the log and the terminal. */
void control_note(control *c, const char *word, const char *format, ...) IFD_PRINTF(3, 4);
