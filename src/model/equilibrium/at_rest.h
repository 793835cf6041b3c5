/* SPDX-License-Identifier: MIT */
/* Elements at rest: their states after a slow motion, and their stiffness along it. */
#pragma once

#include "model/model.h"

typedef struct ifd__rest {
    const ifd_model *m;
    double *q0;    /* nq: start of the path: 0, or the gravity state */
    bool there;    /* the states were accepted there: a load in them may have changed since */
    double *q, *r; /* nq; q is q0 after make */
    double *s;     /* ns */
    double *k;     /* nq_e x nq_e blocks at mm_of[e]: dr/dq with the states following */
    double *w;     /* scratch */
    bool *held;    /* ne: its states cannot come to rest and keep their initial values */
} ifd__rest;

ifd_status ifd__rest_make(ifd_arena *arena, const ifd_model *m, ifd__rest *out);

/* Moves slowly from q0 (with the initial states) to q and fills r, s, k, held. */
void ifd__rest_eval(ifd__rest *rest, double t);

/* a (n x n by columns, both triangles) += B k B^T of element e. */
void ifd__rest_add(const ifd__rest *rest, int e, double *a);

/* out := K + B k B^T, with the symmetric part of k, without the elements for which skip[e] is set; skip may be NULL.
 * K must be symmetric. */
ifd_status ifd__rest_stiffness(ifd_arena *arena, const ifd__rest *rest, const bool *skip, ifd_sparse *out);

/* mm (nq_e x nq_e) := m(0) of element e; false if it has no mass. */
bool ifd__rest_element_mass(const ifd_model *m, int e, double *mm);

/* M (n x n by columns, both triangles) := the mass matrix with the mass of elements at q = 0; the same, sparse. */
void ifd__rest_mass(const ifd_model *m, double *M);
ifd_status ifd__rest_sparse_mass(ifd_arena *arena, const ifd_model *m, ifd_sparse *out);
