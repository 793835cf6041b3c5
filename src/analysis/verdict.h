/* SPDX-License-Identifier: MIT */
/* Verdict: the definition of stable.
 *
 * A recurrence is stable if no root of its amplification matrix A is outside the unit circle by more than the
 * possible effect of errors of A and of the eigenvalue solver. A perturbation of A of size e moves a simple root by
 *
 *     e / s,     s = |y^H x| of its unit left and right eigenvectors.
 *
 * If it has split a defective root by d, s is so small that e / s is d / 2. The bound depends on the size of the
 * matrix, its norm and its defectiveness, and not on the step: growth of rate sigma is detected at every step h above
 * e / (s sigma). e has two contributions: the backward error of the solver, a small multiple of eps |A|; and the
 * error of the probed A itself, which is measured: a random state is stepped and compared with its product with A.
 *
 * Norms include only numbers that the roots depend on. State variables that no other one depends on, or that depend
 * only on themselves, are omitted (their zeros are exact), and the rest is scaled by its off-diagonal numbers.
 * Otherwise a force stored beside a displacement, 1e7 times as large, makes e / s 1e6 times the effect of errors. */
#pragma once

#include <interfield/status.h>

#include "analysis/probe.h"
#include "analysis/stability.h"

/* Proof that every matrix within the errors of a probed matrix A is stable.
 *
 * Let the true matrix be A + E, with E E' <= W (a bound of the errors, direction by direction). No such matrix has a
 * root of modulus r or more if and only if (z I - A)^-1 W^1/2 has a norm below one on the whole circle |z| = r: the
 * complex stability radius (Hinrichsen and Pritchard, 1986). By the bounded real lemma this is the case when
 *
 *     X = A' X (I - W X)^-1 A / r^2 + I
 *
 * has a symmetric solution with W X < r^2 I. The bound is exact for a simple root (it moves by e / s), for a Jordan
 * block (two roots with the coupling c move by sqrt(e c)) and for everything in between; nothing is assumed about
 * the position of the roots. The smallest r - 1 that is proven is the resolution of the probe. Where X has values of
 * 1e15 rounding may settle on a matrix that is no solution; the norm itself, at the angles of the largest roots, must
 * therefore be below one too.
 *
 * The errors are measured: A is probed again with 8 amplitudes from 17/16 to 3/2 of its own. D are the differences.
 * An error of curvature grows with the square of the amplitude: |E| is 0.8 of the last |D|. Errors of rounding are
 * other numbers of the same size. For a unit vector u
 *
 *     |u'E| <= 5 max |u'D|
 *
 * fails when all 8 other errors are within a fifth of |u'E| from it. Of normal errors with t standard deviations in A
 * that is (Phi(1.2 t) - Phi(0.8 t))^8, which is below 1e-8 for every t.
 *
 * A root equal to one often belongs to a number that every step keeps (the hysteresis of an element less the motion
 * that caused it). Rounding keeps it too: |u'E| is zero for its left eigenvector u, whatever the noise of the others.
 * Therefore the left eigenvectors of the roots that the circle does not clear have error bounds of their own. */

enum { IFD__PROOF_SAMPLES = 8 };
#define IFD__PROOF_FACTOR 5.0 /* of the largest difference */

typedef struct ifd__errors {
    int samples;     /* IFD__PROOF_SAMPLES, or 0: `solver` is all */
    const double *D; /* n x n for each of them */
    double solver;   /* norm of errors that no sample shows: the backward error of the eigenvalue solver */
} ifd__errors;

/* out: the smallest growth r - 1 that no matrix within the errors has, from `least` on; INFINITY when none below one
 * is proven. A (n x n by columns) must have no root outside 1 + least. */
ifd_status ifd__resolution(int n, const double *A, const ifd__errors *e, double least, double *out);

/* Upper limit of every bound, for any condition: growth of 1e-6 per step always counts. */
#define IFD__LEAST_GROWTH 1e-6

/* Lower limit of every bound: the rounding of a factored step is the same in every probe, so no sample shows it. On
 * the stiffest shipped model (cut-frame-10 at 50 us) the error of roots is 1.1e-10. Smaller growth takes 1e9 steps
 * for a factor of e: 11 days of ticks of 1 ms. */
#define IFD__LEAST_DOUBT 1e-9

/* Fills blur of the roots of A: their possible change by errors. Roots that errors have split off a multiple root
 * equal to one (drift of a joint, rigid-body motion, constant states) get a negative blur. noise: the
 * Frobenius norm of the error of A, balanced (ifd__balance), as steps from random states show it. */
ifd_status ifd__roots_judge(int n, const double *A, double noise, ifd__roots *r);

/* True if root i is outside the circle by more than its blur; true if no root is. */
bool ifd__root_grows(const ifd__roots *r, int i);
bool ifd__roots_stable(const ifd__roots *r);
/* True if all roots are inside the circle beyond doubt, except those equal to one: a margin ends there. */
bool ifd__roots_inside(const ifd__roots *r);

/* Possible change of root i by errors, at most IFD__LEAST_GROWTH. */
double ifd__root_doubt(const ifd__roots *r, int i);

/* True if a root has a doubt above the least one and is no farther from the circle than that. */
bool ifd__roots_doubtful(const ifd__roots *r);

/* True if root i equals one within its blur; its modulus, which is one then. */
bool ifd__root_is_one(const ifd__roots *r, int i);
double ifd__root_modulus(const ifd__roots *r, int i);

/* Sets roots that are one to one. */
void ifd__roots_join(ifd__roots *r);

/* Removes the mark of roots that equal one only within errors above IFD__LEAST_GROWTH: they may grow. Callers that
 * must be safe use it. A search over steps does not, because rounding alone splits multiple roots. */
void ifd__roots_distrust(ifd__roots *r);

/* Stable, unstable (neither flag), or not decided. */
typedef struct ifd__decision {
    bool stable, undecided;
    double resolution; /* smallest growth per step that is excluded or found */
} ifd__decision;

/* By the blur of the roots alone: a root outside the circle within its blur is not decided. */
void ifd__roots_decide(const ifd__roots *r, ifd__decision *out);

/* Largest number of state variables for a proof of stability: its time grows with their cube, 2 s at this
 * number. */
enum { IFD__PROOF_MOST = 400 };

/* Provided by the caller: A (n x n) and scale (n) of ifd__balance; decision, or NULL if it is not needed. Up to
 * IFD__PROOF_MOST numbers it is a proof: no matrix within the measured errors grows by more than the resolution,
 * which is at most IFD__LEAST_GROWTH. */
typedef struct ifd__balanced {
    double *A, *scale;
    ifd__decision *decision;
} ifd__balanced;

/* Probes, balances, computes the roots (largest first) and judges them, as every analysis of few numbers does. m
 * receives the balanced matrix. IFD_DIVERGED if a step failed or A is not finite. */
ifd_status ifd__verdict_of(const ifd__probe *p, ifd_arena *arena, const ifd__balanced *m, bool vectors,
                           ifd__roots *out, ifd_note *note);
