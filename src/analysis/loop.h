/* SPDX-License-Identifier: MIT */
/* Loop: a whole test, rig and all, as a linear recurrence.
 *
 * The hybrid test is made on its virtual rig, brought to rest in the state `run`, and ticked through one cycle from
 * every unit state: model, method, coupling, path, compensation, delay, actuator, specimen and sensors are the code
 * that runs. Adaptation, noise, rounding, saturation and limits are frozen; nonlinear elements and specimens are
 * replaced by their tangents at rest (model/linearised.h), or by secants (variant.h). */
#ifndef IFD_ANALYSIS_LOOP_H
#define IFD_ANALYSIS_LOOP_H

#include "analysis/variant.h"

typedef struct ifd__loop {
    const ifd_hybrid_options *test;
    const ifd_laboratory *laboratory;
} ifd__loop;

typedef struct ifd__loop_roots {
    int states;
    double radius;      /* spectral radius over a cycle */
    bool stable;        /* no root grows by more than rounding may */
    double cycle;       /* s, simulated */
    double frequency;   /* Hz, of the oscillating root that is damped least; NAN when none oscillates */
    double damping;     /* its damping ratio, -ln|root| / arg */
    int count;          /* oscillating roots, least damped first */
    double *at, *ratio; /* their frequencies (Hz) and damping ratios, in the arena given, or NULL */
} ifd__loop_roots;

/* arena: of the lists of roots, may be NULL when they are not wanted. IFD_DIVERGED when a cycle failed. */
ifd_status ifd__loop_probe(const ifd__loop *l, const ifd__variant *v, ifd_arena *arena, ifd__loop_roots *out,
                           ifd_note *note);

/* Of every interface: RMS of its command for white noise of RMS one in the force (m/N), and in the position (1), that
 * every actuator's sensors measure, independent of each other; as a mean over the ticks of a cycle. NAN where a
 * response does not die out. */
typedef struct ifd__noise_gains {
    double force[IFD_RIG_CHANNELS], position[IFD_RIG_CHANNELS];
} ifd__noise_gains;

/* By the covariance of the loop's state; by the squares of the responses to impulses, one after the other, which a
 * loop of very many numbers takes less time for; or by whichever is quicker. */
typedef enum ifd__noise_way { IFD__NOISE_QUICKER, IFD__NOISE_COVARIANCE, IFD__NOISE_RESPONSES } ifd__noise_way;

/* v: as for ifd__loop_probe; the loop must be stable. */
ifd_status ifd__loop_noise(const ifd__loop *l, const ifd__variant *v, ifd__noise_way way, ifd__noise_gains *out,
                           ifd_note *note);

/* State numbers of a loop as configured up to which margins are searched finely; a delay that is added adds some. */
enum { IFD__LOOP_FEW = 160 };

/* How far something can go before the loop becomes unstable. */
typedef struct ifd__reach {
    double value; /* the largest stable one, or the largest tried */
    bool found;   /* an unstable one lies behind it */
    int probes;
} ifd__reach;

/* member: of ifd__variant, by its offset; from: the least tried beyond `start`, which is known to be stable; most:
 * where to stop, above start or below it. The search is that of windows.h: in the logarithm of the value, or with
 * `added` of its distance from start. Windows narrower than 5 % of it are not looked for; the edge is bisected to
 * 1e-3. Of loops of many numbers only the largest roots are known: values in steps of a quarter, edge to 1e-2. */
typedef struct ifd__search {
    size_t member;
    /* In place of member: the value is a power s of several at once, delay later by s times that of unit, gain and
     * stiffness by theirs to the power s. */
    const ifd__variant *unit;
    double start, from, most;
    bool added;
    bool coarse; /* for loops of many numbers */
} ifd__search;

ifd_status ifd__loop_reach(const ifd__loop *l, const ifd__variant *v, const ifd__search *s, ifd__reach *out,
                           ifd_note *note);

#endif
