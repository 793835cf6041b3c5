/* SPDX-License-Identifier: MIT */
/* Forces of a test on hold, from the records of the tick: for the progress line and the live page. */
#pragma once

#include <interfield/hybrid.h>

typedef struct rest_watch {
    bool rests;                     /* on hold, with simulated time stopped */
    double began[IFD_RIG_CHANNELS]; /* N, when that began */
    double now[IFD_RIG_CHANNELS];   /* N */
    double peak[IFD_RIG_CHANNELS];  /* N, largest since the state idle ended */
    bool judged[IFD_RIG_CHANNELS];
    double relaxation[IFD_RIG_CHANNELS]; /* if judged */
} rest_watch;

/* force: N, of this tick, one for each channel. */
void rest_add(rest_watch *w, ifd_machine state, double rate, int channels, const double *force);
/* The relaxation of force k as recorded with a bound, which a resume judges; after rest_add. */
void rest_judged(rest_watch *w, int k, double relaxation);
/* N: the force that a change of force k is compared with: the force when the hold began, or a tenth of the largest
 * force, as `hold-relaxation` compares it. A share of a force near zero is noise. */
double rest_compared(const rest_watch *w, int k);
/* The relaxation that a resume judges; without a bound the change of force k as a fraction of that force, NAN if no
 * force was measured. */
double rest_relaxation(const rest_watch *w, int k);
