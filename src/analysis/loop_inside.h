/* SPDX-License-Identifier: MIT */
/* A loop prepared for probing, from which roots and noise gains are computed. */
#pragma once

#include "analysis/loop.h"
#include "analysis/probe.h"

#define IFD__LOOP_SMALL 0x1p-20 /* m: terms that are not replaced by a tangent are smooth, such as a pendulum */

typedef struct ifd__probed_loop {
    ifd_arena *scratch; /* of the caller */
    ifd_hybrid *h;      /* closed by the caller, also if make failed */
    int ticks;          /* per cycle */
    double cycle;       /* s, simulated */
    ifd__probe probe;
    double *rest;
} ifd__probed_loop;

/* At rest in the state run, at the start of a cycle. IFD_DIVERGED: it does not reach this state. */
ifd_status ifd__probed_loop_make(ifd__probed_loop *p, const ifd__loop *l, const ifd__variant *v, ifd_note *note);
