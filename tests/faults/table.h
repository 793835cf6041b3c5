/* SPDX-License-Identifier: MIT */
/* The campaign as one table: what goes wrong, which fault of ifd_trip that is, and where it leads from each state. */
#ifndef TESTS_FAULTS_TABLE_H
#define TESTS_FAULTS_TABLE_H

#include "faults/scene.h"

/* A state by its letter, in the order of ifd_machine: idle, ready, ramp-in, run, hold, ramp-out, stopped, tripped. */
#define FAULT_LETTERS "irnuhost"
enum { FAULT_STATES = 8 }; /* the state return, which no test passes through, is struck by test_random.c */

typedef struct fault_row {
    const char *what;
    ifd_trip fault;   /* IFD_TRIP_NONE: is borne without a word */
    const char *ends; /* per state it strikes in, the letter of the one it leads to; '-': cannot be met there */
    scene_kind scene;
    const char *set[4]; /* overrides of the case */
    trouble t;
    int channel;     /* that is named, -1: none */
    double limit;    /* that is named, in SI units; 0: none. NaN: some */
    int window;      /* ticks in which it shows; 0: as most do */
    ifd_order after; /* that leads on from hold when it was repaired; NONE: resume */
} fault_row;

extern const fault_row fault_rows[];
extern const int fault_row_count;

#endif
