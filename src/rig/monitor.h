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
 * Amplitude A and delay d: least squares of xm - A x + A d x' with a forgetting factor. A is smaller than the
 * amplitude by (w d)^2/2. */
#ifndef IFD_RIG_MONITOR_H
#define IFD_RIG_MONITOR_H

#include <stdbool.h>

#include <interfield/status.h>

#include "base/state_block.h"

typedef struct ifd__monitor {
    double h;         /* s, tick */
    double forget;    /* of the least squares in a tick */
    double stiffness; /* N/m, of the specimen; 0: unknown */
    double factor;    /* devices in the structure */
    bool held;        /* the method holds the force over a tick */
    int slots, every; /* samples of the window, and ticks between them */
} ifd__monitor;

#define IFD__MONITORED(ONE, MANY, BLOCK)                                                                             \
    ONE(ticks, "", OF_TEST) /* at full rate, of simulated time; -1: none yet */                                      \
    ONE(x, "m", OF_TEST) /* of the last tick; at the start */                                                        \
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
    ONE(known, "", OF_TEST)
IFD__STATE_BLOCK(ifd__monitored, IFD__MONITORED);

typedef struct ifd__monitor_in {
    double x, v, xm, f; /* target, its velocity (m/s of wall clock), measured position and force */
    double dissipated;  /* J, by the numerical substructure since the start */
    double rate;        /* of simulated time, 1 at full rate: the window is simulated time */
} ifd__monitor_in;

/* Doubles of the state: the block, then the samples of the window. */
int ifd__monitor_size(const ifd__monitor *c);
IFD_RT void ifd__monitor_begin(const ifd__monitor *c, double *s);
IFD_RT void ifd__monitor_step(const ifd__monitor *c, const ifd__monitor_in *in, double *s);

#endif
