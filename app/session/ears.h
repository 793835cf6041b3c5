/* SPDX-License-Identifier: MIT */
/* The terminal of a test: a thread that reads words from standard input and gives them as orders. It waits neither
 * for the record nor for what the program prints. Reading ends with standard input; this is no order. */
#pragma once

#include "control.h"

typedef struct ears ears;

/* The order of this name; NONE: unknown. */
ifd_order order_find(const char *name);

/* real: some words are asked differently. NULL: no memory or no thread. */
ears *ears_open(const app *a, control *c);
/* The present state, for the words that the terminal proposes. */
void ears_state(ears *e, ifd_machine state);
/* The next line answers line k of the checklist, unless it is an order that stops; -1: lines are orders. */
void ears_ask(ears *e, int k);
/* Whether the question is to be printed again: it was answered by something else than Enter. */
bool ears_repeat(ears *e);
/* Whether standard input has ended: nobody types. */
bool ears_ended(const ears *e);
/* Whether standard input has something to read, or has ended, within so many ms. Reading from a terminal in the
 * background would stop the program. */
bool ears_may_read(int patience);
void ears_close(ears *e);
/* Reads and forgets what was typed before a question; whether there was anything. No ears are open. */
bool ears_forget(void);
