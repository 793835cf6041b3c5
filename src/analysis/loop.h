/* SPDX-License-Identifier: MIT */
/* Loop: a complete test with its rig as a linear recurrence.
 *
 * The hybrid test is made on its virtual rig, brought to rest in the state `run`, and ticked through one cycle from
 * every unit state, with the code of the test for model, method, coupling, path, compensation, delay, actuator,
 * specimen and sensors. Adaptation, noise, rounding, saturation and limits are switched off; nonlinear elements and
 * specimens are replaced by their tangents at rest (model/linearised.h), or by secants (variant.h). */
#pragma once

#include "analysis/variant.h"
#include "analysis/probe.h"

typedef struct ifd__loop {
    const ifd_hybrid_options *test;
    const ifd_laboratory *laboratory;
} ifd__loop;

typedef struct ifd__loop_roots {
    int states;
    double radius;      /* spectral radius over a cycle */
    bool stable;        /* no root grows by more than rounding explains */
    double cycle;       /* s, simulated time */
    double frequency;   /* Hz, of the oscillating root with the least damping; NAN if none oscillates */
    double damping;     /* its damping ratio, -ln|root| / arg */
    int count;          /* number of oscillating roots, least damped first */
    double *at, *ratio; /* their frequencies (Hz) and damping ratios, in the given arena, or NULL */
    bool decide;        /* in: true for a proof of stability (verdict.h); false: from the roots, as for margins */
    bool undecided;     /* with decide: the errors of the probe allow growth as well as decay */
    double resolution;  /* growth per cycle that is excluded (ifd__decision) */
} ifd__loop_roots;

/* arena: for the lists of roots; NULL if they are not needed. IFD_DIVERGED if a cycle failed. */
ifd_status ifd__loop_probe(const ifd__loop *l, const ifd__variant *v, ifd_arena *arena, ifd__loop_roots *out,
                           ifd_note *note);

/* Per actuator of the rig: RMS of its command for white noise of RMS one in the force (m/N), and in the position (1),
 * of the sensors of every actuator, independent of each other; mean over the ticks of a cycle. NAN if a response does
 * not decay. */
typedef struct ifd__noise_gains {
    double force[IFD_RIG_ACTUATORS], position[IFD_RIG_ACTUATORS];
} ifd__noise_gains;

/* By the covariance of the state of the loop; by the squares of the responses to impulses, which takes less time for
 * loops with very many numbers; or by the faster one. */
typedef enum ifd__noise_way { IFD__NOISE_QUICKER, IFD__NOISE_COVARIANCE, IFD__NOISE_RESPONSES } ifd__noise_way;

/* v: as for ifd__loop_probe; the loop must be stable. */
ifd_status ifd__loop_noise(const ifd__loop *l, const ifd__variant *v, ifd__noise_way way, ifd__noise_gains *out,
                           ifd_note *note);

/* The largest of some gains, and its index; NAN if one of them is unknown. */
double ifd__noise_worst(const double *gain, int count, int *at);

/* Limit of the state variables of a loop for a fine search of margins; added delay adds some. */
enum { IFD__LOOP_FEW = 160 };

/* Change of a quantity at which the loop becomes unstable. */
typedef struct ifd__reach {
    double value; /* the largest stable value, or the largest tried */
    bool found;   /* an unstable value follows it */
    int probes;
} ifd__reach;

/* member: of ifd__variant, by its offset; from: the smallest value tried beyond `start`, which is stable; most: end
 * of the search, above or below start. The search is that of windows.h: in the logarithm of the value, or with
 * `added` in its distance from start. Windows narrower than 5 % are not searched; the edge is bisected to 1e-3. For
 * loops with many numbers only the largest roots are known: values in steps of a quarter, edge to 1e-2. */
typedef struct ifd__search {
    size_t member;
    /* In place of member: the value is a power s of several quantities together: delay increased by s times that of
     * unit, gain and stiffness multiplied by theirs to the power s. */
    const ifd__variant *unit;
    double start, from, most;
    bool added;
    bool coarse; /* for loops with many numbers */
} ifd__search;

ifd_status ifd__loop_reach(const ifd__loop *l, const ifd__variant *v, const ifd__search *s, ifd__reach *out,
                           ifd_note *note);

/* A loop prepared for probing, from which roots and noise gains are computed. */

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
