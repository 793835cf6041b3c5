/* SPDX-License-Identifier: MIT */
/* Sensitivities of a number f(x1 ... xd) to its variables, from evaluations at designed points.
 *
 * Sobol indices: with independent samples A and B, and AB_i equal to A except for variable i, which is from B,
 *
 *     S_i  = mean(f(B) (f(AB_i) - f(A))) / V         (Saltelli et al., 2010)
 *     ST_i = mean((f(A) - f(AB_i))^2) / (2 V)        (Jansen, 1999)
 *
 * S_i is the fraction of the variance V that variable i explains alone, ST_i with all its interactions. Elementary
 * effects (Morris, 1991): mean, mean of absolute values and standard deviation of (f(x + delta e_i) - f(x)) / delta
 * over random trajectories. */
#pragma once

#include <stdint.h>

#include <interfield/arena.h>
#include <interfield/status.h>

typedef struct ifd__sobol {
    int variables, samples;
    const double *a, *b; /* f at the points of A and of B */
    const double *ab;    /* ab[i * samples + k]: f at point k of AB_i */
} ifd__sobol;

typedef struct ifd__index {
    double first, total;
    double first_band[2], total_band[2];
} ifd__index;

/* out has an index for each variable; IFD_RANGE: fewer than two samples, or a variance of zero or not finite. */
ifd_status ifd__sobol_indices(const ifd__sobol *s, ifd__index *out);

/* The same, with intervals from replicates of the samples drawn with replacement. */
typedef struct ifd__sobol_bootstrap {
    int replicates;
    uint64_t seed;
    double level;
} ifd__sobol_bootstrap;
ifd_status ifd__sobol_intervals(ifd_arena *arena, const ifd__sobol *s, const ifd__sobol_bootstrap *b,
                                ifd__index *out);

/* Trajectory of Morris with that number in the unit cube: variables + 1 points, x[point * variables + i], on a grid
 * of an even number of levels; consecutive points differ in one variable by delta = levels / (2 (levels - 1)). It
 * depends on (seed, trajectory) only. order: scratch of `variables` numbers. */
typedef struct ifd__morris_design {
    int variables, levels;
    uint64_t seed;
} ifd__morris_design;
void ifd__morris_trajectory(const ifd__morris_design *d, int trajectory, int *order, double *x);

typedef struct ifd__effect {
    double mean, absolute,
        deviation; /* of the elementary effects: mean, mean of absolute values, standard deviation */
} ifd__effect;

/* x: the trajectories one after the other; f: trajectories * (variables + 1) values. IFD_RANGE: no trajectory, or
 * consecutive points that do not differ in exactly one variable. */
ifd_status ifd__morris_effects(int variables, int trajectories, const double *x, const double *f, ifd__effect *out);

/* From any sample of one variable x and f: the fraction of the variance of f that x explains alone, the first-order
 * Sobol index. Means of f in `bins` groups of equal size by x are compared with the mean of all, corrected for the
 * scatter within the groups (epsilon squared; Kelley, 1935). 0 to 1 except for sampling errors, which are about
 * sqrt(2 bins) / n. IFD_RANGE: fewer than two values in a group, or equal f. */
ifd_status ifd__explained_variance(ifd_arena *arena, int n, const double *x, const double *f, int bins, double *out);

/* Spearman's rank correlation of x and f; equal values have their mean rank. IFD_RANGE: fewer than 3, or equal values
 * only. */
ifd_status ifd__rank_correlation(ifd_arena *arena, int n, const double *x, const double *f, double *out);
