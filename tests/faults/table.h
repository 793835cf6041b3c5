/* SPDX-License-Identifier: MIT */
/* The campaign as one table: the disturbance, its fault of ifd_trip, and the resulting state from each state. */
#pragma once

#include "faults/scene.h"

/* A state by its letter, in the order of ifd_machine: idle, ready, ramp-in, run, hold, ramp-out, stopped, tripped. */
#define FAULT_LETTERS "irnuhost"
enum { FAULT_STATES = 8 }; /* test_random.c covers the state return, which is not part of a normal test */

typedef struct fault_row {
    const char *what;
    ifd_trip fault;   /* IFD_TRIP_NONE: tolerated without a message */
    const char *ends; /* per initial state, the letter of the resulting one; '-': impossible there */
    scene_kind scene;
    const char *set[5]; /* overrides of the case */
    trouble t;
    int channel;     /* that is reported, -1: none */
    double limit;    /* that is reported, in SI units; 0: none. NaN: any */
    int window;      /* ticks for detection; 0: default */
    ifd_order after; /* order that continues from hold after the repair; NONE: resume */
} fault_row;

extern const fault_row fault_rows[];
extern const int fault_row_count;
