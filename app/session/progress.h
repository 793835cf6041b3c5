/* SPDX-License-Identifier: MIT */
/* The progress line of a running test, updated with the records of the tick. */
#pragma once

#include "app.h"
#include "working.h"

#include <interfield/executor.h>
#include <interfield/hybrid.h>

/* Forces of a test on hold, from the records of the tick: for the progress line and the live page. */

typedef struct rest_watch {
    bool rests;                      /* on hold, with simulated time stopped */
    double began[IFD_RIG_ACTUATORS]; /* N, when that began */
    double now[IFD_RIG_ACTUATORS];   /* N */
    double peak[IFD_RIG_ACTUATORS];  /* N, largest since the state idle ended */
    double step[IFD_RIG_ACTUATORS];  /* N2, sum of the squares of its changes from tick to tick on hold */
    long steps[IFD_RIG_ACTUATORS];   /* of which there were so many; an unchanged force is no new one */
    bool judged[IFD_RIG_ACTUATORS];
    double relaxation[IFD_RIG_ACTUATORS]; /* if judged */
} rest_watch;

/* force: N, of this tick, one for each channel. */
void rest_add(rest_watch *w, ifd_machine state, double rate, int channels, const double *force);
/* The relaxation of force k as recorded with a bound, which a resume judges; after rest_add. */
void rest_judged(rest_watch *w, int k, double relaxation);
/* The relaxation that a resume judges; without a bound the change of force k as a fraction of that force, NAN if no
 * force was measured. */
double rest_relaxation(const rest_watch *w, int k);

/* N: standard deviation of force k on hold, from its changes from tick to tick, to which relaxation hardly adds. */
double rest_noise(const rest_watch *w, int k);

/* Columns of a test in a record; -1: absent. */
typedef struct test_columns {
    int time, state, rate, age, fault, commanded, waiting, waiting_owner, waiting_value;
} test_columns;
test_columns test_columns_find(const ifd_column *column, int count);
/* A value of a record; 0 if the column is absent. */
double record_value(const ifd_tick_record *r, int column);

typedef struct progress {
    const ifd_hybrid *h; /* used for constant data only */
    const ifd_hybrid_options *o;
    double end;
    test_columns at;
    int measured[IFD_RIG_ACTUATORS], force[IFD_RIG_ACTUATORS]; /* per channel of the rig */
    int tracking[IFD_RIG_ACTUATORS], energy[IFD_RIG_ACTUATORS], delay[IFD_RIG_ACTUATORS];
    int relaxation[IFD_RIG_ACTUATORS];
    int commanded[IFD_RIG_ACTUATORS];
    double now_time, now_rate, now_age;                                            /* of the newest record */
    double x[IFD_RIG_ACTUATORS], f[IFD_RIG_ACTUATORS], command[IFD_RIG_ACTUATORS]; /* m, N, m, likewise */
    ifd_machine now_state;
    ifd_trip now_fault;
    double fault_value, fault_limit; /* of it; limit 0: none */
    ifd_wait now_wait;
    int wait_owner;
    double rig_period;         /* s, mean period of a rig whose clock leads; 0: not known */
    double wait_value, waited; /* waited: s since the first record of the present state idle */
    double idle_since;         /* s of wall clock */
    double worst_tracking;     /* m, since it was last shown */
    double worst_delay;        /* s, of the newest record: the largest magnitude of all channels */
    double worst_fraction;     /* fraction of a limit, since it was last shown */
    rest_watch rest;
    const char *worst_name, *worst_what;
} progress;
/* Finds the columns by their names. */
void progress_init(progress *l, const ifd_hybrid *h, const ifd_hybrid_options *o);
void progress_add(progress *l, const ifd_tick_record *r);
/* Prints the line; the largest values are reset. */
void progress_show(progress *l, const ifd_executor *e, const status_line *line);

/* "FIFO 80 granted · memory locked · core 1 (not isolated: expect rare late ticks)" */
void granted_print(char *out, int size, const ifd_executor_options *o, const ifd_executor_report *r);
