/* SPDX-License-Identifier: MIT */
/* One fault of the random campaign: a row of the table, with state, instant, size, side, channel, duration and later
 * orders drawn from one number. The expected result is that of the row, and nothing else. */
#pragma once

#include "faults/table.h"

enum { MOST_INJECTED_SETS = 6 };

/* In addition to rows of the table. */
typedef enum injected_kind {
    OF_THE_TABLE,
    UNFOUND, /* the first samples are wrong: no command before they agree, inside the stroke */
    OUTSIDE, /* a rig outside its stroke returns by the order return */
    RETURNED /* a row of the table that trips in every state occurs during the return */
} injected_kind;

typedef struct injected {
    uint64_t dice;
    injected_kind kind;
    const fault_row *row;
    ifd_machine state;
    trouble t;
    trouble strikes; /* of RETURNED, in addition to t */
    int channel;     /* that must be reported */
    double limit;    /* as in fault_row */
    int onset;       /* ticks in the state before the onset; -1: as in the table */
    int orders;      /* ticks of random orders after the repair */
    bool second;     /* a second fault occurs after the reaction to the first */
    const char *set[MOST_INJECTED_SETS];
    char text[MOST_INJECTED_SETS][80]; /* of modified sets */
    char words[240];                   /* description */
} injected;

/* A number below n, and one between two; splitmix64. */
int injected_dice(injected *j, int n);
double injected_between(injected *j, double low, double high);

/* All data of a fault by its number. The state follows from the number, in sequence. */
void injected_draw(injected *j, uint64_t seed, long number);
