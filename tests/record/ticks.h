/* SPDX-License-Identifier: MIT */
/* Made-up ticks for the tests of the journal: every field of tick k follows from k alone. */
#pragma once

#include <interfield/journal.h>

enum { TICKS_SENSED = 3, TICKS_AUX = 2, TICKS_TARGETS = 2, TICKS_COLUMNS = 5 };

typedef struct ticks {
    double values[TICKS_COLUMNS];
    ifd_tick_trace trace;
    ifd_tick_record record;
} ticks;

/* The record of tick k, from 1; valid until the next call with the same t. */
const ifd_tick_record *ticks_make(ticks *t, uint64_t k);
/* Fails the test when r is not tick k, bit by bit; dropped is not looked at. */
void ticks_check(const ifd_tick_record *r, uint64_t k);

/* The head of a journal of such ticks. */
ifd_journal_facts ticks_facts(double period);

/* Numbers that look random, the same every time. */
uint64_t ticks_random(uint64_t *state);
