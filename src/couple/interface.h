/* SPDX-License-Identifier: MIT */
/* Interface problem: the multipliers that make accelerations meet at the joints.
 *
 *     Lam = -H^-1 sum_p G_p M_p^-1 (P_p - R_p),     H = sum_p G_p M_p^-1 G_p^T
 *
 * Lam is explicit in the states. Of each part only a projection onto the joint rows is needed, so the products with
 * K and C are folded into few numbers per row at set-up: Qk = K^T M^-1 G^T, Qc likewise. What the interface sees of
 * a part at one state is a `sight`; between two sights a part is interpolated linearly, while loads and element
 * forces are evaluated at the instant itself with the interpolated state. Materials that remember reversals keep the
 * memory of the first sight: from there the way to the second is one move.
 *
 * A part whose mass depends on its configuration is seen whole, and H is refactored.
 *
 * The forces of a measured part are those of the instant for which Lam is solved: they
 * are given, never interpolated. */
#ifndef IFD_COUPLE_INTERFACE_H
#define IFD_COUPLE_INTERFACE_H

#include <interfield/couple.h>

#include "method/tangent.h"
#include "model/model.h"

typedef struct ifd__sight {
    double *lin;        /* rows: - Qk^T u - Qc^T v */
    double *q, *qd, *s; /* element coordinates without the supports' share, and states */
    double *u, *v;      /* inertial parts only */
} ifd__sight;

/* One list of (dof, value) per joint row; a list that would hold most of the n dofs holds all of them, in order. */
typedef struct ifd__lists {
    int n, *start, *dof;
    double *value;
} ifd__lists;

/* y += alpha L x, row by row. */
IFD_RT void ifd__lists_add(const ifd__lists *L, int rows, double alpha, const double *x, double *y);

typedef struct ifd__seen_part {
    const ifd_model *m;
    bool accepts;         /* some element remembers reversals */
    ifd__lists G, Qk, Qc; /* by joint row */
    double *MG;           /* n x rows: M^-1 G^T */
    double *E;            /* rows x nq: G M^-1 B */
    double *in;           /* rows x inputs: projected loads, supports (u, v, a each) and ground directions */
    int inputs;
    ifd__tangent *mass; /* inertial parts */
    double *w, *F, *g;  /* scratch */
    ifd__sight mean;    /* scratch: the interpolated sight */
    double *measured;   /* n: forces measured at the instant; NULL when none are */
} ifd__seen_part;

typedef struct ifd__interface {
    int rows, parts;
    ifd__seen_part *part;
    bool inertial;
    double feedback;       /* a = c / (step of the coarse side), 1/s; 0: none */
    double *bias;          /* rows: added to every multiplier that is solved for */
    double *H, *Hnow, *LU; /* rows x rows: constant share; the sum; its factors */
    int *pivot;
    double *H0, *LU0; /* the sum with every part's constant base mass; its factors */
    int *pivot0;
} ifd__interface;

/* Refuses joints that say the same twice (IFD_SINGULAR, naming them), dofs without mass, terms that do not exist. */
ifd_status ifd__interface_make(ifd_arena *arena, const ifd_couple_options *opt, double feedback, ifd__interface *out,
                               ifd_note *note);

/* The same interface with scratch of its own, for another thread. */
ifd_status ifd__interface_twin(ifd_arena *arena, const ifd__interface *I, ifd__interface *out, ifd_note *note);

ifd_status ifd__sight_make(ifd_arena *arena, const ifd__interface *I, int part, ifd__sight *out);

/* What is to be seen of part p at the state u, v, s. */
IFD_RT void ifd__interface_see(const ifd__interface *I, int p, const double *u, const double *v, const double *s,
                               ifd__sight *out);

/* Lam at time t from one pair of sights per part, each taken at theta[p] between its first and second. False when H
 * could not be factored (inertial parts only). */
IFD_RT bool ifd__interface_solve(ifd__interface *I, double t, const ifd__sight *const *from,
                                 const ifd__sight *const *to, const double *theta, double *lambda);

/* y := sum_p G_p M_p^-1 (P_p - R_p) alone; and y += H Lam. H is that of the last solve
 * or free. */
IFD_RT bool ifd__interface_free(ifd__interface *I, double t, const ifd__sight *const *from,
                                const ifd__sight *const *to, const double *theta, double *y);
IFD_RT void ifd__interface_response(const ifd__interface *I, const double *lambda, double *y);

/* load := G_p^T Lam + what is measured, n numbers. */
IFD_RT void ifd__interface_load(const ifd__interface *I, int p, const double *lambda, double *load);

/* y += G_p x */
IFD_RT void ifd__interface_gap(const ifd__interface *I, int p, const double *x, double *y);

/* Feedback of a gap at a synchronised step end (rows each): until ifd__interface_rest every multiplier that is solved
 * for carries delta = -H0^-1 (2 a gap' + a^2 gap). */
IFD_RT void ifd__interface_feed_back(ifd__interface *I, const double *gap, const double *rate);
IFD_RT void ifd__interface_rest(ifd__interface *I);

/* The nearest state without gap, in the sense of the (constant base) mass: gap (rows) := H0^-1 gap once, then for
 * every part x -= M_p^-1 G_p^T gap. */
IFD_RT void ifd__interface_reaction(const ifd__interface *I, double *gap);
IFD_RT void ifd__interface_correct(const ifd__interface *I, int p, const double *gap, double *x);

#endif
