/* SPDX-License-Identifier: MIT */
/* Identification of a specimen during the test: an unscented Kalman filter estimates the parameters of a law from
 * measured deformation and force.
 *
 * The state is x = (z, p/p0): the memory of the law and its parameters relative to their start values, with the
 * covariance P. In a tick with the measured deformation q, its increment dq and the measured force f:
 *
 *     2 n points x +- sqrt(n) columns of chol(P), clipped to the box; z moves by dq; x, P := mean, covariance + Q
 *     2 n points again; y_j = r(q, z_j, p_j)/scale; K = Pxy / (Pyy + R);
 *     x += K (f/scale - y), P -= K K' (Pyy + R)
 *
 * All weights are 1/(2 n): P remains positive definite except for rounding. Where clipped points would break this,
 * less is subtracted from P. The filter is driven by increments of the deformation, so that no velocity is needed.
 * The cost of a tick is fixed.
 *
 * Julier, Uhlmann (2004), Proc. IEEE 92; Wu, Smyth (2007), Struct. Control Health Monit. 14; Kandepu, Foss, Imsland
 * (2008), J. Process Control 18 (points clipped to bounds). */
#pragma once

#include "base/state_block.h"
#include "model/element/law.h"

enum { IFD__IDENTIFIED = 1 + IFD__LAW_PARAMS }; /* most numbers in x */

typedef struct ifd__identifier {
    const ifd__law *law;
    double p0[IFD__LAW_NUMBERS];
    bool constrained;                                   /* points and x are clipped to the box */
    double low[IFD__LAW_PARAMS], high[IFD__LAW_PARAMS]; /* of p/p0 */
    double start[IFD__IDENTIFIED];                      /* variances at the start: P0 */
    double drift[IFD__IDENTIFIED];                      /* variances added in a tick: Q */
    double scale;                                       /* N, of forces */
    double noise;                                       /* R, variance of the measured force over the scale */
    double outlier; /* innovations above this number of standard deviations do not change x and P; 0: all do */
} ifd__identifier;

#define IFD__ESTIMATE(ONE, MANY, BLOCK)                                                                              \
    MANY(x, IFD__IDENTIFIED, "", OF_TEST)                                                                            \
    MANY(P, IFD__IDENTIFIED *IFD__IDENTIFIED, "", OF_TEST)
IFD__STATE_BLOCK(ifd__estimate, IFD__ESTIMATE);

typedef enum ifd__identify_result {
    IFD__IDENTIFY_TAKEN,
    IFD__IDENTIFY_OUTLIER,  /* the force does not fit: x and P are those of the prediction */
    IFD__IDENTIFY_RESET,    /* a covariance was not positive definite: x is kept, P is that of the start */
    IFD__IDENTIFY_UNUSABLE, /* an input or a result is not finite: x and P are unchanged */
} ifd__identify_result;

typedef struct ifd__identify_out {
    ifd__identify_result result;
    double innovation; /* f - y, N */
    double normalised; /* innovation over its predicted standard deviation; 0 if it is unknown */
} ifd__identify_out;

IFD_RT void ifd__identify_begin(const ifd__identifier *c, ifd__estimate *s);
/* One tick: deformation q (m) after an increment dq, and the force f (N). */
IFD_RT ifd__identify_out ifd__identify_step(const ifd__identifier *c, double q, double dq, double f,
                                            ifd__estimate *s);
/* z follows an increment without a use of the force: x and P are otherwise kept. */
IFD_RT void ifd__identify_follow(const ifd__identifier *c, double dq, ifd__estimate *s);
