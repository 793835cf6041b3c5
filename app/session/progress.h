/* SPDX-License-Identifier: MIT */
/* What a person sees of a running test: one line that is written over, fed by the records of the tick. */
#ifndef APP_PROGRESS_H
#define APP_PROGRESS_H

#include "app.h"

#include <interfield/executor.h>
#include <interfield/hybrid.h>

/* Where the columns of a test stand in a record; -1: nowhere. */
typedef struct test_columns {
    int time, state, rate, fault, commanded, waiting, waiting_channel, waiting_value;
} test_columns;
test_columns test_columns_find(const ifd_column *column, int count);
/* A value of a record; 0 where it has no such column. */
double record_value(const ifd_tick_record *r, int column);

typedef struct progress {
    const ifd_hybrid *h; /* only what does not change is asked of it */
    const ifd_hybrid_options *o;
    double end;
    test_columns at;
    int measured[IFD_RIG_CHANNELS], force[IFD_RIG_CHANNELS]; /* per channel of the rig */
    int tracking[IFD_RIG_CHANNELS], energy[IFD_RIG_CHANNELS], delay[IFD_RIG_CHANNELS];
    double now_time, now_rate; /* of the newest record */
    ifd_machine now_state;
    ifd_trip now_fault;
    ifd_wait now_wait;
    int wait_channel;
    double wait_value, waited; /* waited: s since the first record of the present state idle */
    double idle_since;         /* s of wall clock */
    double worst_tracking;     /* m, since it was last shown */
    double worst_delay;        /* s, of the newest record: that of the channel furthest from none */
    double worst_fraction;     /* of a limit, since it was last shown */
    const char *worst_name, *worst_what;
} progress;
/* Finds the columns by their names. */
void progress_init(progress *l, const ifd_hybrid *h, const ifd_hybrid_options *o);
void progress_add(progress *l, const ifd_tick_record *r);
/* Writes the line over the one before; the worst values start afresh. */
void progress_show(progress *l, const ifd_executor *e);
void progress_clear(void);

/* "FIFO 80 granted · memory locked · core 1 (not isolated: expect rare late ticks)" */
void granted_print(char *out, int size, const ifd_executor_options *o, const ifd_executor_report *r);

#endif
