/* SPDX-License-Identifier: MIT */
/* Laws of straight branches that remember reversals: hinges, pinching, flags.
 *
 * A law gives, at a point of its memory and for a direction, the straight branch that follows and where it ends. A
 * move is divided at the ends of the branches; there are at most six in a monotone move, so that its cost is bounded.
 * The state after a move does not depend on its division into steps. */
#pragma once

#include "model/element.h"

enum { IFD__PATH_STATES = 12 };

/* First numbers of every memory: current point, direction of the last move (-1, 1; 0: no move yet). */
enum { IFD__PATH_Q, IFD__PATH_R, IFD__PATH_WAY, IFD__PATH_OWN };

/* A branch of slope k up to (q, r); q is infinite for a branch without end. */
typedef struct ifd__branch {
    double k, q, r;
} ifd__branch;

/* g: direction, 1 or -1. data of the element begins with a pointer to the law. */
typedef struct ifd__path_law {
    int states;
    IFD_RT ifd__branch (*next)(const void *data, const double *m, double g);
    /* The direction changes to g, from that in m. May be NULL. */
    IFD_RT void (*reverse)(const void *data, double g, double *m);
    /* After a move along a branch; end: its end was reached. May be NULL. */
    IFD_RT void (*moved)(const void *data, double g, bool end, double *m);
    /* Unloading stiffness at m, for the stored energy r^2/(2 ku); change := its derivative in a move of slope k. */
    IFD_RT double (*unloading)(const void *data, const double *m, double k, double *change);
} ifd__path_law;

/* The bilinear backbone of hinges on the side x >= 0: stiffness k0 up to dy, then p k0. */
typedef struct ifd__backbone {
    double k0, fy, dy, p;
} ifd__backbone;
IFD_RT double ifd__backbone_at(const ifd__backbone *b, double x);
/* The branch from (x, y) below the backbone with slope k until it meets it. */
IFD_RT ifd__branch ifd__backbone_meet(const ifd__backbone *b, double x, double y, double k);
/* The branch on the backbone at x. */
IFD_RT ifd__branch ifd__backbone_follow(const ifd__backbone *b, double x);

ifd_status ifd__path_keep(ifd_element *e, ifd_arena *arena, const ifd__path_law *law, const void *data, size_t bytes);

/* The row of such an element, with its own name, texts, parameters and make. */
#define IFD__PATH_ROW                                                                                                \
    .abi = IFD_ELEMENT_ABI, .flags = IFD_ELEMENT_STOREY, .eval = ifd__path_eval, .energy = ifd__path_energy,         \
    .accept = ifd__path_accept, .events = ifd__path_events
IFD_RT void ifd__path_eval(const ifd_element *e, const ifd_element_in *in, const ifd_element_out *out);
IFD_RT void ifd__path_energy(const ifd_element *e, const ifd_element_in *in, double *stored, double *dissipated);
IFD_RT void ifd__path_accept(const ifd_element *e, const ifd_element_in *in, double *s);
void ifd__path_events(const ifd_element *e, const ifd_element_in *in, double *root);
