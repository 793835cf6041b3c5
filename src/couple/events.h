/* SPDX-License-Identifier: MIT */
/* Events: parts with Rosenbrock methods and steps of their own, advanced in the order of time.
 *
 * Every stage of a part is due at the instant its force is evaluated: LSRT2 at the start and the middle of its step,
 * LSRT1 at the start. Its result reaches ahead to the next such instant, so at any instant every part is known,
 * linearly between the two ends of its current segment, and Lam can be evaluated from states at that instant. For
 * one coarse and one fine part this is exactly the staggered procedure of Bursi, Jia and Wang; it needs no order
 * between parts, so any number may take part, each with its own subcycles. Parts without a stepper here (passive)
 * are given by their segment alone.
 *
 * A measured part must have a stage at every instant: its force is known where its stages stand, not between them. */
#ifndef IFD_COUPLE_EVENTS_H
#define IFD_COUPLE_EVENTS_H

#include "couple/interface.h"

typedef struct ifd__due_stage {
    int part, substep, stage;
} ifd__due_stage;

typedef struct ifd__instant {
    double at;        /* fraction of the cycle */
    int first, count; /* of the due stages */
} ifd__instant;

typedef struct ifd__segment {
    ifd__sight sight[2], *from, *to;
    double begins, ends; /* fractions of the cycle */
} ifd__segment;

typedef struct ifd__events {
    ifd__interface *I;
    double h; /* the cycle, s */
    int parts;
    ifd_stepper **stepper; /* NULL: passive */
    const int *at;         /* offset of each active part's state in x */
    const int *subcycles;
    ifd__segment *segment;
    int instants;
    ifd__instant *instant;
    ifd__due_stage *due;
    const ifd__sight **from, **to; /* scratch */
    double *theta, *load, *u, *v, *s, *lambda;
} ifd__events;

typedef struct ifd__events_options {
    ifd__interface *I;
    double h;
    const ifd_couple_options *couple;
    const bool *active;   /* per part */
    const int *subcycles; /* per part: steps in a cycle */
    const int *at;
    ifd_stepper **stepper; /* per part */
} ifd__events_options;

/* IFD_TOO_LARGE when the subcycles have no small common multiple, IFD_CONFLICT when a measured part has too few. */
ifd_status ifd__events_make(ifd_arena *arena, const ifd__events_options *opt, ifd__events *out, ifd_note *note);

/* Latches the faults of the active parts' steppers into *fault. */
IFD_RT void ifd__events_latch(const ifd__events *e, const double *x, double *fault);

/* u, v (n each) of active part p at which its stage at instant k wants a measured force. */
IFD_RT void ifd__events_aim(const ifd__events *e, int k, const double *x, int p, double *u, double *v);

/* Start of a cycle: active parts are seen as they stand in x; passive segments are the caller's. */
IFD_RT void ifd__events_begin(ifd__events *e, const double *x);
/* All stages due at instant k of the cycle that began at t. False when something could not be factored. lambda
 * (rows) gets the multipliers of this instant; it may be NULL. */
IFD_RT bool ifd__events_instant(ifd__events *e, int k, double t, double *x, double *lambda);
/* Tick k of a coupling whose ticks are these instants, faults latched; whether it was the last one of the cycle. */
struct ifd__coupled;
IFD_RT bool ifd__events_tick(ifd__events *e, struct ifd__coupled *c, int k, double t, double *x);

#endif
