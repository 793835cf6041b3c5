/* SPDX-License-Identifier: MIT */
/* What each of several rigs reported in a tick. The numbers are inputs of a test: they are recorded, and a replay
 * supplies them again. */
#pragma once

#include <interfield/several.h>

enum { IFD__RIGS = IFD_RIG_ACTUATORS, IFD__EQUALISE_MOST = 4096 /* ticks */ };

/* Doubles, in the order of their columns (column.h). */
typedef struct ifd__rig_heard {
    double fresh;    /* a new measurement is in use; the engine resets it */
    double answered; /* tick of the command that the measurement in use answers */
    double arrived;  /* the same of the newest measurement that has arrived: with `equalise` it is not yet in use */
    double inputs;   /* IFD_INPUT_... */
    double time;     /* s, of the measurement in use on the clock of its rig */
    double taken;    /* s, its stamp */
    double clock;    /* ifd_clock of the stamp */
} ifd__rig_heard;
enum { IFD__HEARD = sizeof(ifd__rig_heard) / sizeof(double) };

/* Whether each actuator of a test belongs to one rig, within the largest numbers. */
ifd_status ifd__several_check(const ifd_several *s, int actuators, ifd_note *note);
/* Of an open ifd_several_rig: an array with one entry per rig. */
IFD_RT ifd__rig_heard *ifd__several_heard(const ifd_rig *rig);
/* Rig r of them; NULL: no such number. */
IFD_RT const ifd_rig *ifd__several_rig(const ifd_rig *rig, int r);
/* After a call of warm that did not return 1: a rig that is not ready. */
int ifd__several_cold(const ifd_rig *rig);
/* Whether the clock of one of them paces the test. */
bool ifd__several_leads(const ifd_several *s);
/* Ticks of wall-clock time after a command at which its answer is used: 1 without `equalise`. */
int ifd__several_delay(const ifd_rig_part *o, double tick);
/* Before open: every rig holds its position and its twin supplies the response. */
ifd_status ifd__several_rehearse(ifd_arena *arena, ifd_rig *rig);
