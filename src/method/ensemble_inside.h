/* SPDX-License-Identifier: MIT */
/* Internal data of an ensemble, shared by ensemble*.c only. All vectors have eight lanes. */
#pragma once

#include "method/ensemble.h"
#include "method/stepper.h"
#include "method/tangent_inside.h"

typedef enum ifd__lane_law { LAW_BOUC_WEN, LAW_SLIDER, LAW_OTHER } ifd__lane_law;

/* An element of all variants. The blocks of the Jacobian are those of the first one. */
typedef struct ifd__lane_element {
    const ifd__block *block;
    double *inverse; /* of N, ns x ns */
    ifd__lane_law law;
    double *parameter; /* fields x lanes */
    double power;      /* Bouc-Wen: n if it is the same in all lanes, otherwise 0 */
} ifd__lane_element;

typedef struct ifd__lane_elements {
    int count, others; /* others: those of LAW_OTHER */
    ifd__lane_element *element;
    const ifd_model *model[IFD__LANES]; /* NULL: idle */
    /* Coordinates, rates, forces, and their increments k1; then states, rates and increments. */
    double *q, *qd, *r, *f, *kq, *kv, *qm, *qdm;
    double *s, *g, *k1, *rs, *sm;
    double *one; /* one lane: 3 nq + 3 ns */
} ifd__lane_elements;

/* What a lane holds: the state before this stage of the step that begins at t; -1: nothing. */
typedef struct ifd__lane_held {
    int stage;
    double t;
} ifd__lane_held;

struct ifd__ensemble {
    const ifd__lane_kernels *kernels;
    const ifd_stepper *member[IFD__LANES];
    int n, nq, ns;
    double gamma;
    bool loaded, damped; /* forces besides ground motion; D is not zero */
    ifd__lane_step step;
    ifd__lane_solver solver;
    ifd__lane_rows K, D, B; /* D: damping without the part proportional to K; B: coordinates of elements */
    double *p[3];           /* load of unit ground acceleration, or NULL */
    const double *given[3]; /* ground acceleration of both stages of a step, lanes side by side; NULL: from signals */
    double *u, *v, *k1, *k2, *vm, *w;
    double *one; /* n: load of one lane */
    ifd__lane_elements elements;
    ifd__lane_rows A; /* deformations of the specimens whose stiffness is estimated, and their numbers */
    const ifd_estimate *estimate;
    double *av, *ak; /* of each estimate */
    int k1_at;       /* offset of k1 (u, v, s) in the states */
    ifd__lane_held held[IFD__LANES];
};

ifd_status ifd__lane_elements_make(ifd_arena *arena, const ifd_stepper *const *member, const ifd__tangent *T,
                                   ifd__lane_elements *out);
