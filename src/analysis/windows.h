/* SPDX-License-Identifier: MIT */
/* Windows: the first value of a setting at which a recurrence is unstable, without missing narrow windows.
 *
 * The setting is x, from a stable value upwards (the logarithm of a step, of a gain; its negative to search
 * downwards). At both ends of an interval the eigenvalues of the step are known; they are matched by least total
 * distance. An interval with stable ends is cleared if no matched root can have left the unit circle between them:
 *
 *     max(|a|, |b|) + kappa (||a| - |b|| / 2 + d^2 / 8) <= 1 + tolerance,     d = |a - b|
 *
 * d^2/8 bounds the distance of a curve from its chord if its curvature is at most kappa times that of the unit
 * circle. Near another root, where branches meet and separate like a square root, the second term is at least kappa d
 * / 2; with more than 24 roots only those that move towards each other count. A complex pair may meet on the real
 * axis between the ends, one branch may leave through +1 or -1, and both may be a pair again at the other end. |1 -
 * z|^2 and |1 + z|^2 of the pair are smooth through that (negative while a branch is outside): a parabola through
 * both ends and the nearest outer neighbour must remain above zero.
 *
 * A root that is on the circle at both ends within round-off belongs to a method that conserves energy. Such a root
 * leaves the circle only where it meets another one, so only meetings are searched.
 *
 * An interval that is not cleared is halved, left half first, down to `width`; an interval of that width with stable
 * ends counts as stable. Two passes use different grids and kappa; the earlier result counts. The test is an
 * estimate, not a theorem: docs/reference/stability.md states the misses on random systems.
 *
 * The edge found is that of the verdict, which allows growth of 1e-9 per step. A slow mode with little damping may
 * lose no more than that over much of its margin. With `crossing`, the root that grows is followed back to where it
 * is inside the circle beyond its doubt, and windows are searched down to a radius of 1 + IFD__LEAST_DOUBT. */
#pragma once

#include <stdbool.h>

#include "analysis/stability.h"

#define IFD__WINDOW_RADIUS 1e-6      /* above one: windows with a smaller radius may be missed */
#define IFD__WINDOW_RESOLUTION 1.002 /* factor of the setting below which windows are not searched */

typedef struct ifd__window_search {
    /* Roots at x, judged (verdict.h), in the arena. IFD_DIVERGED: the step itself failed, which is unstable. */
    ifd_status (*probe)(void *what, double x, ifd_arena *arena, ifd__roots *out, ifd_note *note);
    void *what;
    double from, to; /* in x, from < to; from is probed first */
    double width;    /* in x: narrowest interval */
    double edge;     /* in x: width to which an edge is bisected */
    bool uniform;    /* every `width`; the test clears nothing */
    double base;     /* in x: one pass with initial intervals of that size; 0: the two passes */
    bool crossing;   /* `stable` is where the root that grows is inside the circle beyond its doubt */
    ifd_note *note;
} ifd__window_search;

typedef struct ifd__window {
    bool found;      /* a value in [from, to] is unstable */
    double stable;   /* the largest x below it that is known to be stable; `to` if nothing was found */
    double unstable; /* the smallest unstable x found; `from` if that is unstable; NAN if nothing was found */
    bool before;   /* with `crossing`: the root is not inside at `from` either, so `stable` is that of the verdict */
    double radius; /* at the edge; the largest found if nothing is unstable */
    int probes;
    int open; /* intervals of `width` with stable ends that the test did not clear */
} ifd__window;

ifd_status ifd__windows_first(const ifd__window_search *s, ifd__window *out);

/* to[i]: the column assigned to row i, each column once, with the least sum of cost[i * n + to[i]]. False without
 * memory. */
bool ifd__assign(int n, const double *cost, int *to);
