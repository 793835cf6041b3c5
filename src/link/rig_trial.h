/* SPDX-License-Identifier: MIT */
/* A rig while it is checked: one tick after the other, without a test. */
#pragma once

#include <interfield/rig_check.h>

typedef struct ifd__trial {
    const ifd_rig_check_options *o;
    ifd_rig_check_row *row;
    ifd_rig rig;
    double *x;
    ifd_measure m, raw; /* the newest, in m and N, and as received */
    ifd_command c;
    double home[IFD_RIG_ACTUATORS]; /* found position */
    int64_t due;                    /* ns */
    long ticks, news, old_news;     /* old: reported as new, but not newer than before */
    double behind;                  /* largest number of ticks between a command and its acknowledgement */
    long untrue;                    /* acknowledged ticks that were never sent or decreased */
    double slowest_sense, slowest_command, sum;
    long calls, preempted; /* included in sum; calls with a preemption */
    long waits, late;      /* ticks, and late ticks of this program */
    bool enabled;          /* drives are requested */
    double lateness;       /* s, largest */
    double lateness_now;   /* the same since the start of a check */
} ifd__trial;

/* Opens the rig for a purpose; the text of a failure is in note. Close it afterwards. */
ifd_status ifd__trial_open(ifd__trial *t, const ifd_rig_check_options *o, ifd_purpose purpose, ifd_arena *arena,
                           ifd_note *note);
void ifd__trial_close(ifd__trial *t);
/* warm until the rig is ready; 0: not within o->ready, -1: it gives up. took: s. */
int ifd__trial_warm(ifd__trial *t, double *took, ifd_note *note);
/* A first measurement within a second. */
bool ifd__trial_hear(ifd__trial *t);

/* Missed instants are skipped: a rig cannot follow a burst of commands and has no new measurement within a tick.
 * Lateness of this program is counted separately. Instants are whole periods of the clock, as in a test. */
void ifd__trial_wait(ifd__trial *t);
bool ifd__trial_sense(ifd__trial *t);
/* Requests drives, as the order arm does, and waits up to 5 s for those that are off until then. A rig that keeps
 * them off fails to follow. */
void ifd__trial_request_power(ifd__trial *t);
/* Whether stop, power and the rig permit a motion. */
bool ifd__trial_free(const ifd__trial *t);
/* All channels at `offset` from the found position; in the state idle no position is commanded. */
void ifd__trial_command(ifd__trial *t, ifd_machine state, double offset, double velocity);
/* A tick: measurement, then command. Returns the distance of a new position from `from`; 0 without one. */
double ifd__trial_tick(ifd__trial *t, ifd_machine state, double from, double offset, double velocity);
/* Smooth path from 0 to 1 and its slope, of s in 0 to 1. */
double ifd__trial_ramp(double s, double *slope);

void ifd__trial_judge(ifd__trial *t, int which, ifd_rig_verdict v, const char *format, ...) IFD_PRINTF(4, 5);
