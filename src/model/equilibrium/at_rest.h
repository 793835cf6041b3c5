/* SPDX-License-Identifier: MIT */
/* Elements at rest: states that a slow motion leaves behind, and the stiffness it meets. */
#ifndef IFD_MODEL_AT_REST_H
#define IFD_MODEL_AT_REST_H

#include "model/model.h"

typedef struct ifd__rest {
    const ifd_model *m;
    double *q0;    /* nq: where the path starts */
    double *q, *r; /* nq */
    double *s;     /* ns */
    double *k;     /* nq_e x nq_e blocks at mm_of[e]: dr/dq with the states following */
    double *w;     /* scratch */
    bool *held;    /* ne: its states cannot come to rest and stay at their initial values */
} ifd__rest;

ifd_status ifd__rest_make(ifd_arena *arena, const ifd_model *m, ifd__rest *out);

/* Moves from q0 (with the initial states) to q slowly and fills r, s, k, held. */
void ifd__rest_eval(ifd__rest *rest, double t);

/* a (n x n by columns, whole) += B k B^T of element e. */
void ifd__rest_add(const ifd__rest *rest, int e, double *a);

/* out := K + B k B^T, its symmetric part when k is not. K must be symmetric. */
ifd_status ifd__rest_stiffness(ifd_arena *arena, const ifd__rest *rest, ifd_sparse *out);

/* mm (nq_e x nq_e) := m(0) of element e; false when it has none. */
bool ifd__rest_element_mass(const ifd_model *m, int e, double *mm);

/* M (n x n by columns, whole) := the mass matrix with the elements' mass at q = 0. */
void ifd__rest_mass(const ifd_model *m, double *M);

#endif
