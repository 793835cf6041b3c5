/* SPDX-License-Identifier: MIT */
/* Internal data of a tangent, shared by tangent.c and tangent_element.c only. */
#ifndef IFD_METHOD_TANGENT_INSIDE_H
#define IFD_METHOD_TANGENT_INSIDE_H

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

/* Consecutive entries of a column of U^-T B: indices at .. at + count - 1, values from y[first] and z[first]. */
typedef struct ifd__run {
    int at, count, first;
} ifd__run;

typedef enum ifd__tangent_mode { TANGENT_LINEAR, TANGENT_DENSE, TANGENT_CAPACITANCE } ifd__tangent_mode;

struct ifd__tangent {
    const ifd_model *m;
    ifd__tangent_options opt;
    ifd__tangent_mode mode;
    bool mass_only;
    int ne;            /* elements in the system */
    ifd__block *block; /* ne */
    ifd_solver *base;  /* linear, capacitance */
    double *wbase;
    double *S0, *S; /* dense: n x n; capacitance: S is nq x nq */
    int *pivot;
    double *F;                         /* capacitance: nq x nq */
    double *Z;                         /* n x nq; NULL if the base solves in halves, with the following data */
    int *path;                         /* nq + 1 starts into run */
    ifd__run *run;                     /* nonzero entries of U^-T B */
    double *y, *z;                     /* their values, and those of D^-1 U^-T B */
    double *wq, *wq2, *wq3, *wqa, *ws; /* nq, nq, nq, nq, ns scratch */
};

ifd_status ifd__tangent_blocks(ifd__tangent *T, ifd_arena *arena);

/* Evaluates and condenses every element at p; false if the states of an element cannot be eliminated. */
IFD_RT bool ifd__tangent_elements(ifd__tangent *T, const ifd__point *p);

#endif
