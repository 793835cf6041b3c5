/* SPDX-License-Identifier: MIT */
/* One fault of the random campaign: a row of the table, drawn with state, instant, size, side, channel, duration and
 * what is ordered afterwards, all from one number. What must come of it is what the row says, and nothing else. */
#ifndef TESTS_FAULTS_INJECTED_H
#define TESTS_FAULTS_INJECTED_H

#include "faults/table.h"

enum { MOST_INJECTED_SETS = 6 };

/* Besides rows of the table. */
typedef enum injected_kind {
    OF_THE_TABLE,
    UNFOUND, /* the first samples are wrong: nothing may be commanded before they agree, inside the stroke */
    OUTSIDE, /* a rig that stands outside its stroke is brought back by the order return */
    RETURNED /* and a row of the table that trips in every state strikes on its way */
} injected_kind;

typedef struct injected {
    uint64_t dice;
    injected_kind kind;
    const fault_row *row;
    ifd_machine state;
    trouble t;
    trouble strikes; /* of RETURNED, besides t */
    int channel;     /* that must be named */
    double limit;    /* as in fault_row */
    int onset;       /* ticks in the state before it strikes; -1: where the table has it */
    int orders;      /* ticks of random orders after the repair */
    bool second;     /* a second fault strikes when the first has acted */
    const char *set[MOST_INJECTED_SETS];
    char text[MOST_INJECTED_SETS][80]; /* of sets that were rewritten */
    char words[240];                   /* what it is */
} injected;

/* A number below n, and one between two; splitmix64. */
int injected_dice(injected *j, int n);
double injected_between(injected *j, double low, double high);

/* Everything of fault number, drawn. The state follows from the number: each in turn. */
void injected_draw(injected *j, uint64_t seed, long number);

#endif
