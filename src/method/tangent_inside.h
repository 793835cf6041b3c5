/* SPDX-License-Identifier: MIT */
/* Internal data of a tangent, shared by tangent*.c only. */
#pragma once

#include <stdint.h>

#include "method/tangent.h"

/* One element: derivatives, their condensed form, and its contribution to S. All matrices are column-major. */
typedef struct ifd__block {
    int nq, ns, q, s;              /* sizes; offsets of its coordinates and states */
    size_t raw_count;              /* doubles from r_q on, zeroed before each evaluation */
    double *r_q, *r_v, *m, *m_q;   /* nq x nq */
    double *r_s, *g_q, *g_v, *g_s; /* nq x ns, ns x nq, ns x nq, ns x ns */
    double *N, *X;                 /* LU of I - cs g_s; N^-1 [g_q g_v] */
    int *pivot;                    /* ns */
    bool exact;                    /* X is the derivative of the exact update of the states */
    bool followed;                 /* the element advances its states itself, outside the system */
    double *K, *C, *D, *D0;        /* nq x nq */
    double *s1;                    /* ns: states after an exact update */
} ifd__block;

/* How a bounded tangent may treat an element (tangent_bound.c). */
typedef enum ifd__bound_class { BOUND_ALWAYS, BOUND_HELD, BOUND_FREE } ifd__bound_class;

/* The choice of a bounded tangent. Arrays of ne elements unless said otherwise. */
typedef struct ifd__bound {
    ifd__bound_class *kind;
    ifd__block *base; /* blocks at the base tangent; their D is zero */
    double *mu, *pi, *before;
    double *F; /* F_ee of every element, one after the other: in the whole F each lies on a page of its own */
    uint64_t *key;
    int capacity; /* coordinates: the largest number of active ones */
} ifd__bound;

/* Consecutive entries of a column of U^-T B: indices at .. at + count - 1, values from y[first] and z[first]. */
typedef struct ifd__run {
    int at, count, first;
} ifd__run;

/* The matrix of a tangent that is factored at every update (tangent_factor.c). */
typedef struct ifd__factored {
    ifd_sparse A;       /* as factored last */
    double *linear;     /* numbers of A without elements ... */
    double *first;      /* ... and at the initial state */
    int *start, *place; /* element e adds weight[k] times entry[k] of D_e at place[k], k from start[e] to ... */
    int *entry;         /* ... start[e + 1] */
    double *weight;
    ifd_solver *solver; /* the base */
} ifd__factored;

/* The factor in single precision (tangent_factor.c). */
typedef struct ifd__single {
    ifd_sparse S;   /* the base in double precision */
    double *weight; /* 1 / sqrt(S_ii) */
    double *r, *q;  /* n scratch */
    double contraction;
    double *last; /* state of the method */
} ifd__single;

typedef enum ifd__tangent_mode {
    TANGENT_LINEAR,
    TANGENT_DENSE,
    TANGENT_CAPACITANCE,
    TANGENT_FACTORED
} ifd__tangent_mode;

struct ifd__tangent {
    const ifd_model *m;
    ifd__tangent_options opt;
    ifd__tangent_mode mode;
    bool mass_only;
    int ne;            /* elements in the system */
    ifd__block *block; /* ne: as evaluated last */
    ifd__block **used; /* ne: what stages use, block[e] or its base */
    int actives, na;   /* elements that correct the base, and their coordinates ... */
    int *active, *aq;  /* ... in rising order */
    ifd__bound *bound; /* NULL: all elements are active */
    ifd__factored *factored;
    ifd__single *single;    /* NULL: double precision */
    const ifd_solver *base; /* all but dense */
    double *wbase;
    double *S0, *S; /* dense: n x n; capacitance: S is nq x nq */
    int *pivot;
    double *F;                         /* capacitance: nq x nq; factored: na x na */
    double *Z;                         /* n x nq; NULL if the base solves in halves, with the following data */
    int *path;                         /* nq + 1 starts into run */
    ifd__run *run;                     /* nonzero entries of U^-T B */
    double *y, *z;                     /* their values, and those of D^-1 U^-T B */
    double *wq, *wq2, *wq3, *wqa, *ws; /* nq, nq, nq, nq, ns scratch */
};

ifd_status ifd__tangent_blocks(ifd__tangent *T, ifd_arena *arena);

/* Evaluates and condenses every element at p; false if the states of an element cannot be eliminated. */
IFD_RT bool ifd__tangent_elements(ifd__tangent *T, const ifd__point *p);

bool ifd__tangent_symmetric(int n, const double *D);

/* Takes element e into the active list; elements come in rising order. */
IFD_RT void ifd__tangent_activate(ifd__tangent *T, int e);
/* wq2 := (I + D F)^-1 D wq, both over the active coordinates. */
IFD_RT void ifd__tangent_capacitance(ifd__tangent *T);
/* Factors I + D F over the active coordinates; *positive: whether its determinant is. */
IFD_RT bool ifd__tangent_refactor(ifd__tangent *T, bool *positive);

/* Factored: set-up with the linear part S; the factor of the elements as evaluated last, false if it does not exist;
 * x := S^-1 x. */
ifd_status ifd__tangent_make_factored(ifd__tangent *T, ifd_arena *arena, const ifd_sparse *S, ifd_note *note);
IFD_RT bool ifd__tangent_factor(ifd__tangent *T);
IFD_RT void ifd__tangent_factored_solve(ifd__tangent *T, double *x);

/* Single: set-up after the factor of the base S; x := S^-1 x from the last solution; x := the same with the factor
 * alone. */
ifd_status ifd__tangent_make_single(ifd__tangent *T, ifd_arena *arena, const ifd_sparse *S, ifd_note *note);
IFD_RT void ifd__tangent_single_solve(ifd__tangent *T, double *x);
IFD_RT void ifd__tangent_base_solve(ifd__tangent *T, double *x);

/* Set-up, bounded: the class of each element, and its base tangent in block[e].D. False when the states of
 * an element cannot be eliminated there. */
ifd_status ifd__bound_classes(ifd__tangent *T, ifd_arena *arena, bool *ok);
/* mu_e, and pi_e in *pi, of an element with the change D of its tangent; F: its F_ee. */
IFD_RT double ifd__bound_change(const ifd__block *b, const double *F, double *pi);
/* After the base was factored, while block[] still holds the base tangents: keeps them. */
ifd_status ifd__bound_keep(ifd__tangent *T, ifd_arena *arena);
/* A remark if the base is so stiff that it costs accuracy at the initial state. */
void ifd__bound_remark(ifd__tangent *T, const ifd__point *initial, ifd_note *note);
