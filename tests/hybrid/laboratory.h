/* SPDX-License-Identifier: MIT */
/* A shipped case as a test with ticks called by the program, saved and continued. */
#pragma once

#include <interfield/case.h>

#include "hybrid/scenario.h"

typedef struct lab {
    ifd_arena *arena;
    ifd_case *c;
    ifd_hybrid_options o;
    ifd_hybrid *h;
    ifd_ticked t;
    player script;
    ifd_run_state last;
    /* For the check of steps: command and step of the last tick that was not idle. */
    double p[IFD_RIG_ACTUATORS], w[IFD_RIG_ACTUATORS];
    bool led;
} lab;

/* cases/<name>.yaml with overrides up to a NULL; rig NULL: that of the case, in this process. */
lab *lab_make(const char *name, const char *const *set, const ifd_rig_ops *rig);
void lab_close(lab *l);

/* Ticks, at most so many, until the test ends; the order is given in the first of them. */
ifd_run_state lab_go(lab *l, long ticks, ifd_order order);
void lab_go_for(lab *l, double time);
void lab_tick(lab *l, ifd_order order);
/* Until a state, which must be reached. */
void lab_until(lab *l, ifd_machine state);
double lab_value(const lab *l, const char *column);

/* Commands to an actuator, m, from the first one on: inside the stroke, velocity and acceleration. */
void assert_commands_within(const double *position, long count, double tick, const ifd_limits *limits);

/* The laboratory as a rig with a separate state: it keeps its position between tests until it is reset. */
extern const ifd_rig_ops own_rig;
void own_rig_reset(void);
/* What its channel 0 measures in addition, m and N. */
void own_rig_shift(double position, double force);

/* A copy that outlives its test. */
ifd_snapshot *snapshot_copy(const ifd_snapshot *s);
void snapshot_free(ifd_snapshot *s);
