/* SPDX-License-Identifier: MIT */
/* Indicators: tracking quality of an actuator in every tick, during the test.
 *
 * Near its dominant frequency w (w^2 = var x' / var x of the target) the measured motion is A x(t - tau):
 *
 *     x_m = A cos(w tau) x - A sin(w tau)/w x'  + noise
 *
 * Least squares gives both coefficients, hence A and tau, signed and with a resolution below one tick; a lead is a
 * negative delay. The target is free of noise, so the noise of x_m causes no bias. The weight of data decays with the
 * time constant `memory`.
 *
 *     ifd_indicator *c;
 *     IFD_TRY(ifd_indicator_make(arena, 2.0, h, &c));
 *     ifd_indicator_begin(c, s);
 *     ifd_indicator_step(c, &(ifd_indicator_in){x, v, xm, fm}, s);              // IFD_RT
 *     delay = ifd_indicator_read(s).delay; */
#ifndef INTERFIELD_INDICATOR_H
#define INTERFIELD_INDICATOR_H

#include <interfield/rig.h>

IFD_BEGIN_DECLS

typedef struct ifd_indicator {
    double h, forget;
    int size, rows;
    ifd_state_row row[IFD_RIG_ROWS];
} ifd_indicator;

typedef struct ifd_indicator_in {
    double x, v;   /* target, m, m/s */
    double xm, fm; /* measured, m, N */
} ifd_indicator_in;

/* Indicators of a state. */
typedef struct ifd_indicated {
    double delay;     /* tau, s; positive: measured after target */
    double amplitude; /* A */
    double nrms;      /* rms of x_m - x over rms of x */
    double peak;      /* largest |x_m - x| over largest |x|, since begin */
    double energy;    /* integral of f_m d(x_m - x) since begin, J: added to the structure by the error */
    double work;      /* integral of |f_m dx_m| since begin, J: for comparison */
    double area;      /* half the integral of x dx_m - x_m dx, m2: increases with delay, decreases with lead */
} ifd_indicated;

/* memory in s; 0: no decay. */
IFD_API ifd_status ifd_indicator_make(ifd_arena *arena, double memory, double h, ifd_indicator **out, ifd_note *note);
IFD_API IFD_RT void ifd_indicator_begin(const ifd_indicator *c, double *s);
IFD_API IFD_RT void ifd_indicator_step(const ifd_indicator *c, const ifd_indicator_in *in, double *s);
IFD_API IFD_RT ifd_indicated ifd_indicator_read(const double *s);

IFD_END_DECLS
#endif
