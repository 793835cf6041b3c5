/* SPDX-License-Identifier: MIT */
/* Components of a laboratory made from names and numbers, in the arena of the test. */
#pragma once

#include "check.h"

#include <interfield/compensator.h>
#include <interfield/indicator.h>
#include <interfield/rig.h>

typedef struct setting {
    const char *name; /* NULL ends the list */
    double number;
    const char *word; /* also a list of three numbers in brackets */
} setting;

/* A component and its state. */
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

/* Fail the test if the component cannot be made; started at 0. */
actuator actuator_of(ifd_arena *arena, const char *kind, const setting *settings, double h);
sensor sensor_of(ifd_arena *arena, const setting *settings, double h);
compensator compensator_of(ifd_arena *arena, const char *kind, const setting *settings, double h);

/* The status of making it, for refused settings. */
ifd_status actuator_refusal(ifd_arena *arena, const char *kind, const setting *settings, double h);
ifd_status compensator_refusal(ifd_arena *arena, const char *kind, const setting *settings, double h);

/* Valid settings of a row: its required parameters. */
const setting *some_settings(const char *kind);

/* The rows cover size doubles without gaps. */
void check_states(int size, int rows, const ifd_state_row *row, const char *name);
