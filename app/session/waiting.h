/* SPDX-License-Identifier: MIT */
/* The message about the condition for which a test in the state idle waits. */
#pragma once

#include "progress.h"

/* "position of 'bearing' is 1.5 m, outside its stroke of -50 mm to 50 mm; no command is sent until it is inside";
 * empty if the test does not wait. */
void waiting_print(char *out, size_t size, const progress *l);

/* The last message and its time (ns). */
typedef struct waiting {
    ifd_wait said;
    uint64_t when;
    uint64_t since; /* start of the program of the test */
    bool ordered;   /* the test waits for orders, without end */
} waiting;

/* The same before the first tick, while the rig prepares its hardware. */
bool waiting_cold(waiting *w, const ifd_hybrid *h, uint64_t now, char *out, size_t size);

/* Whether the message is due: half a second after the start of the wait, which is longer than most rigs need, and
 * again when the reason changes or ten seconds have passed. "(12 s of 60 s)" is appended if the test ends after a
 * maximum wait. */
bool waiting_due(waiting *w, const progress *l, const ifd_hybrid_options *o, uint64_t now, char *out, size_t size);
