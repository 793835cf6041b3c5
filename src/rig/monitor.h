/* SPDX-License-Identifier: MIT */
/* Observers of the stability of the loop at one interface, during the test.
 *
 * Energy: what the tracking error adds to the structure, and what is dissipated, over a window.
 *
 *     Et += (f_i + f_i+1)/2 (xm_i+1 - xm_i) - F (x_i+1 - x_i),   ratio = Et / Ed over the window
 *
 * F is the force that the method integrates: f_i if it is held over the tick, otherwise the mean. Ed is the energy
 * that the numerical substructure dissipates, plus what the specimen dissipates by its measured work without stored
 * energy f^2/2k. A loop of one dof is unstable above a ratio of 1 (Mosqueda, Stojadinovic, Mahin 2007; Galmez,
 * Fermandois 2020).
 *
 * Passivity: E += D f v; E - k (x^2 - x_0^2)/2 < 0 is energy that a spring k could not have stored (Hannaford, Ryu
 * 2002).
 *
 * The same with the energy f^2/2k of the measured force in the place of k x^2/2 also holds for a specimen that
 * yields; it is the one that is judged.
 *
 * Growth: the envelope of the target near one frequency, by demodulation and two lags of one period. Its largest
 * value in three periods over that of the three periods before, while that of the excitation does not grow. Only an
 * envelope of a tenth of the largest target counts.
 *
 * Amplitude A and delay d: least squares of xm - A x + A d x' with a forgetting factor. A is smaller than the
 * amplitude by (w d)^2/2. A second opinion is the frequency evaluation index over a window (fei.h). */
#pragma once

#include <stdbool.h>

#include <interfield/status.h>

#include "base/state_block.h"
#include "rig/fei.h"

/* Factor of the envelope in three periods above which it grows. */
#define IFD__GROWTH 1.5

typedef struct ifd__monitor {
    double h;         /* s, tick */
    double forget;    /* of the least squares in a tick */
    double stiffness; /* N/m, of the specimen; 0: unknown */
    double factor;    /* devices in the structure */
    bool held;        /* the method holds the force over a tick */
    int slots, every; /* samples of the window, and ticks between them */
    double turn;      /* rad in a tick at full rate, of the oscillation whose growth is watched; 0: none */
    ifd__fei fei;
} ifd__monitor;

#define IFD__MONITORED(ONE, MANY, BLOCK)                                                                             \
    ONE(ticks, "", OF_TEST) /* at full rate, of simulated time; -1: none yet */                                      \
    ONE(x, "m", OF_TEST)    /* of the last tick; at the start */                                                     \
    ONE(xm, "m", OF_TEST)                                                                                            \
    ONE(f, "N", OF_TEST)                                                                                             \
    ONE(x0, "m", OF_TEST)                                                                                            \
    ONE(energy, "J", OF_TEST)  /* Et */                                                                              \
    ONE(work, "J", OF_TEST)    /* of the measured force over the measured motion */                                  \
    ONE(passive, "J", OF_TEST) /* E of the passivity observer */                                                     \
    ONE(stored, "J", OF_TEST)  /* largest stored energy so far */                                                    \
    MANY(H, 3, "", OF_TEST)    /* normal matrix of the least squares: 11, 12, 22; its right-hand side */             \
    MANY(g, 2, "", OF_TEST)                                                                                          \
    ONE(square, "m2", OF_TEST)  /* mean of x^2 */                                                                    \
    ONE(amplitude, "", OF_TEST) /* results */                                                                        \
    ONE(delay, "s", OF_TEST)                                                                                         \
    ONE(deficit, "J", OF_TEST)                                                                                       \
    ONE(added, "J", OF_TEST) /* over the window: Et, Ed, dissipated by the specimen; whether they are known */       \
    ONE(dissipated, "J", OF_TEST)                                                                                    \
    ONE(specimen, "J", OF_TEST)                                                                                      \
    ONE(known, "", OF_TEST)                                                                                          \
    ONE(f0, "N", OF_TEST) /* force at the start; deficit with the energy of the force */                             \
    ONE(lack, "J", OF_TEST)                                                                                          \
    ONE(phase, "rad", OF_TEST)                                                                                       \
    MANY(wave, 8, "", OF_TEST)  /* demodulated target, then excitation: first lag re, im, second lag re, im */       \
    ONE(spent, "tick", OF_TEST) /* of the present three periods */                                                   \
    MANY(peak, 4, "", OF_TEST)  /* target, excitation: now, in the three periods before */                           \
    ONE(largest, "m", OF_TEST)  /* target so far */                                                                  \
    ONE(growth, "", OF_TEST)    /* last factor; 0: none yet */                                                       \
    ONE(grown, "", OF_TEST)     /* successive three periods with growth */                                           \
    MANY(count, IFD__FEI_COUNTERS, "", OF_TEST)                                                                      \
    ONE(fei_delay, "s", OF_TEST) /* of the index; amplitude 0: none yet */                                           \
    ONE(fei_amplitude, "", OF_TEST)
IFD__STATE_BLOCK(ifd__monitored, IFD__MONITORED);

typedef struct ifd__monitor_in {
    double x, v, xm, f; /* target, its velocity (m/s of wall clock), measured position and force */
    double dissipated;  /* J, by the numerical substructure since the start */
    double rate;        /* of simulated time, 1 at full rate: the window is simulated time */
    double excitation;  /* sum of the time functions that excite the structure */
} ifd__monitor_in;

/* Doubles of the state: the block, then the samples of the window, then the sums of the index. */
int ifd__monitor_size(const ifd__monitor *c);
IFD_RT void ifd__monitor_begin(const ifd__monitor *c, double *s);
IFD_RT void ifd__monitor_step(const ifd__monitor *c, const ifd__monitor_in *in, double *s);
