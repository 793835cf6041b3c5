/* SPDX-License-Identifier: MIT */
/* What a test in the state idle waits for, in words. */
#ifndef APP_WAITING_H
#define APP_WAITING_H

#include "progress.h"

/* "position of 'bearing' is 1.5 m, outside its stroke of -50 mm to 50 mm; nothing is commanded until it is inside";
 * empty when the test does not wait. */
void waiting_print(char *out, size_t size, const progress *l);

/* What was said last, and when (ns). */
typedef struct waiting {
    ifd_wait said;
    uint64_t when;
} waiting;

/* Whether it is to be said now: half a second after the test began to wait, which most rigs do not take, and again
 * when the reason changes or ten seconds have passed. With "(12 s of 60 s)" behind it where the test ends when it has
 * waited too long. */
bool waiting_due(waiting *w, const progress *l, const ifd_hybrid_options *o, uint64_t now, char *out, size_t size);

#endif
