/* SPDX-License-Identifier: MIT */
/* Parts of a laboratory made from names and numbers. Everything lives in the arena of the test. */
#ifndef TESTS_RIG_BENCH_H
#define TESTS_RIG_BENCH_H

#include "check.h"

#include <interfield/compensator.h>
#include <interfield/indicator.h>
#include <interfield/rig.h>

typedef struct setting {
    const char *name; /* NULL ends the list */
    double number;
    const char *word;
} setting;

/* A part and its state. */
typedef struct actuator {
    ifd_actuator *a;
    double *s;
} actuator;

typedef struct sensor {
    ifd_sensor *c;
    double *s;
} sensor;

typedef struct compensator {
    ifd_compensator *c;
    double *s;
} compensator;

/* Fail the test when the part cannot be made; begun at 0. */
actuator actuator_of(ifd_arena *arena, const char *kind, const setting *settings, double h);
sensor sensor_of(ifd_arena *arena, const setting *settings, double h);
compensator compensator_of(ifd_arena *arena, const char *kind, const setting *settings, double h);

/* The status of making it, for what must be refused. */
ifd_status actuator_refusal(ifd_arena *arena, const char *kind, const setting *settings, double h);
ifd_status compensator_refusal(ifd_arena *arena, const char *kind, const setting *settings, double h);

/* Settings with which a row can be made: its required parameters. */
const setting *some_settings(const char *kind);

/* The rows cover size doubles, one after the other. */
void check_states(int size, int rows, const ifd_state_row *row, const char *name);

#endif
