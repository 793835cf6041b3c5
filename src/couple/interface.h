/* SPDX-License-Identifier: MIT */
/* Interface problem: the multipliers that make the accelerations at the joints equal.
 *
 *     Lam = -H^-1 sum_p G_p M_p^-1 (P_p - R_p),     H = sum_p G_p M_p^-1 G_p^T
 *
 * Lam is explicit in the states. Only the projection of each substructure onto the joint rows is needed, so set-up
 * reduces the products with K and C to a few numbers per row: Qk = K^T M^-1 G^T, Qc likewise. A `sight` holds the
 * data of a substructure at one state that the interface needs. Between two sights a substructure is interpolated
 * linearly; loads and element forces are evaluated at the instant itself with the interpolated state. Materials that
 * remember reversals keep the memory of the first sight: the path from there to the second has no reversal.
 *
 * For a substructure whose mass depends on its configuration, the sight holds the complete state, and H is factored
 * at every instant.
 *
 * The forces of a measured substructure belong to the instant for which Lam is solved: they are given, never
 * interpolated. */
#pragma once

#include <interfield/couple.h>

#include "method/tangent.h"
#include "model/model.h"

typedef struct ifd__sight {
    double *lin;        /* rows: - Qk^T u - Qc^T v */
    double *q, *qd, *s; /* element coordinates without the contribution of supports, and element states */
    double *u, *v;      /* inertial substructures only */
} ifd__sight;

/* One list of (dof, value) per joint row. A list that would hold most of the n dofs holds all of them, in order. */
typedef struct ifd__lists {
    int n, *start, *dof;
    double *value;
} ifd__lists;

/* y += alpha L x, row by row. */
IFD_RT void ifd__lists_add(const ifd__lists *L, int rows, double alpha, const double *x, double *y);

/* Instant t, and one pair of sights per substructure, each interpolated at theta[p] between them. */
typedef struct ifd__views {
    double t;
    const ifd__sight *const *from, *const *to;
    const double *theta;
} ifd__views;

typedef struct ifd__seen_part {
    const ifd_model *m;
    bool away;            /* another process has this substructure: only its rows are known here */
    bool accepts;         /* an element remembers reversals */
    ifd__lists G, Qk, Qc; /* by joint row */
    double *MG;           /* n x rows: M^-1 G^T; NULL without projection and measurement */
    double *E;            /* rows x nq: G M^-1 B */
    double *in;           /* rows x inputs: projected loads, supports (u, v, a each) and ground directions */
    int inputs;
    ifd__tangent *mass; /* inertial substructures */
    double *w, *F, *g;  /* scratch */
    ifd__sight mean;    /* scratch: the interpolated sight */
    double *measured;   /* n: forces measured at the instant; NULL without measurement */
} ifd__seen_part;

struct ifd__coupled;

typedef struct ifd__interface {
    int rows, parts;
    ifd__seen_part *part;
    bool inertial;
    double feedback;       /* a = c / (coarse step), 1/s; 0: no feedback */
    double *bias;          /* rows: added to every computed multiplier */
    double *H, *Hnow, *LU; /* rows x rows: constant contribution, if it is not the sum; sum; its factors */
    int *pivot;
    double *H0, *LU0; /* sum with the constant base mass of every substructure; its factors. The same as Hnow and LU
                       * unless inertial */
    int *pivot0;
    double *term; /* rows: scratch, what one substructure adds */
    /* Substructures in several processes: the sum over all of them (ifd__interface_free). NULL: all are here. */
    struct ifd__coupled *over;
    bool (*sum)(struct ifd__coupled *over, struct ifd__interface *I, const ifd__views *at, double *y);
} ifd__interface;

/* Refuses linearly dependent joints (IFD_SINGULAR, with their names), dofs without mass and terms that do not
 * exist. over: NULL, or the set whose substructures are in several processes; then this is collective. */
ifd_status ifd__interface_make(ifd_arena *arena, const ifd_couple_options *opt, double feedback,
                               struct ifd__coupled *over, ifd__interface *out, ifd_note *note);

/* The same interface with separate scratch, for another thread. */
ifd_status ifd__interface_twin(ifd_arena *arena, const ifd__interface *I, ifd__interface *out, ifd_note *note);

ifd_status ifd__sight_make(ifd_arena *arena, const ifd__interface *I, int part, ifd__sight *out);

/* Fills the sight of substructure p at the state y = u, v, s. */
IFD_RT void ifd__interface_see(const ifd__interface *I, int p, const double *y, ifd__sight *out);

/* Lam at time t from one pair of sights per substructure, each interpolated at theta[p] between them. False if the
 * factorisation of H failed (inertial substructures only). */
IFD_RT bool ifd__interface_solve(ifd__interface *I, double t, const ifd__sight *const *from,
                                 const ifd__sight *const *to, const double *theta, double *lambda);

/* The end of solve: lambda := bias - H^-1 lambda, with H of the last call of free, which returned ok. */
IFD_RT bool ifd__interface_react(ifd__interface *I, bool ok, double *lambda);

/* y := sum_p G_p M_p^-1 (P_p - R_p). */
IFD_RT bool ifd__interface_free(ifd__interface *I, double t, const ifd__sight *const *from,
                                const ifd__sight *const *to, const double *theta, double *y);
/* y := G_p M_p^-1 (P_p - R_p) of one substructure; an inertial one adds its H to Hnow. */
IFD_RT bool ifd__interface_term(ifd__interface *I, int p, const ifd__views *at, double *y);

/* load := G_p^T Lam + measured forces, n numbers. */
IFD_RT void ifd__interface_load(const ifd__interface *I, int p, const double *lambda, double *load);

/* y += G_p x */
IFD_RT void ifd__interface_gap(const ifd__interface *I, int p, const double *x, double *y);

/* Feedback of a gap at a synchronised end of a step (rows each): until ifd__interface_rest, every computed multiplier
 * includes delta = -H0^-1 (2 a gap' + a^2 gap). */
IFD_RT void ifd__interface_feed_back(ifd__interface *I, const double *gap, const double *rate);
IFD_RT void ifd__interface_rest(ifd__interface *I);
