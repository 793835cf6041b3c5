/* SPDX-License-Identifier: MIT */
/* Fragility: the probability P(x) = Phi(ln(x / theta) / beta) that a motion of intensity x exceeds a limit.
 *
 *     ifd__stripes s = {.count = 8, .x = x, .n = n, .k = k};       // k[i] of n[i] motions exceed at x[i]
 *     ifd__fragility f;
 *     IFD_TRY(ifd__fragility_fit(&s, &f));
 *     ifd__fragility_band(&f, x, 0.95, &low, &high);
 *
 * theta and beta maximise the binomial likelihood. It is the likelihood of the probit model P = Phi(c0 + c1 ln x),
 * which is concave in c0 and c1: Newton's method finds its only maximum. The covariance of (ln theta, ln beta) is the
 * inverse of the observed information; bands are from the delta method. */
#pragma once

#include <stdint.h>

#include <interfield/arena.h>
#include <interfield/status.h>

typedef struct ifd__stripes {
    int count;
    const double *x;  /* intensities, > 0 */
    const int *n, *k; /* motions, and those that exceed */
} ifd__stripes;

typedef struct ifd__fragility {
    double theta, beta;
    double likelihood; /* logarithm, with binomial coefficients */
    double cov[3];     /* of ln theta, of both, of ln beta */
} ifd__fragility;

/* IFD_RANGE: a number is invalid. IFD_SINGULAR: there is no finite maximum, because every intensity that exceeds is
 * above all that do not, or the fraction does not increase with intensity. */
ifd_status ifd__fragility_fit(const ifd__stripes *s, ifd__fragility *out);

double ifd__fragility_probability(const ifd__fragility *f, double x);
double ifd__fragility_quantile(const ifd__fragility *f, double p);
/* Interval of P(x) with that level. */
void ifd__fragility_band(const ifd__fragility *f, double x, double level, double *low, double *high);

/* Motions drawn with replacement. exceeds[i * motions + m]: whether motion m exceeds at x[i]. NULL: the stripes have
 * different motions, and each stripe is drawn separately from its counts. */
typedef struct ifd__bootstrap {
    int motions;
    const unsigned char *exceeds;
    int replicates;
    uint64_t seed;
} ifd__bootstrap;

typedef struct ifd__fragilities {
    int count, failed; /* replicates with and without a maximum */
    ifd__fragility *fit;
} ifd__fragilities;

/* Replicate r depends on (seed, r) only. IFD_NO_MEMORY. */
ifd_status ifd__fragility_bootstrap(ifd_arena *arena, const ifd__stripes *s, const ifd__bootstrap *b,
                                    ifd__fragilities *out);
/* Interval of P(x): empirical quantiles over the replicates; scratch has count values. */
void ifd__fragilities_band(const ifd__fragilities *all, double x, double level, double *scratch, double band[2]);
