/* SPDX-License-Identifier: MIT */
/* Coupled: parts and their coupling, ready to be ticked.
 *
 * A cycle is one step between synchronisations; it has c->ticks ticks, each of which ends where a measured force would be
 * needed next. At the end of a cycle the state of part p stands at x + member[p].at as u, v, s. Everything that must be known
 * to go on is in x at that moment, described by rows. */
#ifndef IFD_COUPLE_COUPLED_H
#define IFD_COUPLE_COUPLED_H

#include <interfield/couple.h>

#include "couple/interface.h"

enum { IFD__COUPLED_ROWS = 256 };

typedef struct ifd__member {
    const char *name;
    const ifd_model *model;
    int at;         /* offset of u, v, s in x */
    double h;       /* its own step */
} ifd__member;

typedef struct ifd__coupled {
    const ifd_coupling *coupling;
    double h;
    int parts;
    ifd__member *member;
    ifd__interface I;
    ifd_drift drift;
    int ticks;
    int size, rows;
    ifd_state_row *row;
    int lambda; /* offset of the multipliers of the last synchronisation */
    bool multipliers_are_state; /* make sets it when the recurrence needs them */
    int fault;  /* offset of the latch */
    ifd__sight *sight;         /* one per part: scratch of gap and of the multipliers at a synchronisation */
    const ifd__sight **seen;   /* pointers to them */
    double *theta, *wgap;      /* parts zeros; 4 rows */
    void *data;
} ifd__coupled;

ifd_status ifd__coupled_make(ifd_arena *arena, const ifd_couple_options *opt, ifd__coupled **out, ifd_note *note);
IFD_RT void ifd__coupled_begin(ifd__coupled *c, double t, double *x);
IFD_RT void ifd__coupled_tick(ifd__coupled *c, int k, double t, double *x);
void ifd__coupled_close(ifd__coupled *c);

/* During make: appends a row of count numbers; its offset. */
int ifd__coupled_row(ifd__coupled *c, const char *name, int count, ifd_state_kind kind);

/* A stepper for part p with step h. */
ifd_status ifd__coupled_stepper(ifd_arena *arena, const ifd_couple_options *opt, int p, double h, ifd_stepper **out,
                                ifd_note *note);

/* Sees every part as it stands in x and solves for the multipliers at t, into x. */
IFD_RT void ifd__coupled_multipliers(ifd__coupled *c, double t, double *x);

/* The end of a cycle: projection when the drift control says so, then the multipliers at t. */
IFD_RT void ifd__coupled_synchronise(ifd__coupled *c, double t, double *x);

/* The joint's gaps at the end of a cycle: out[0..2] the largest |sum G u|, |sum G v|, |sum G a|; out[3] power created at the
 * joint, Lam . sum G v (W). */
IFD_RT void ifd__coupled_gap(ifd__coupled *c, double t, const double *x, double out[4]);

#endif
