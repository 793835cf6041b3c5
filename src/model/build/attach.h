/* SPDX-License-Identifier: MIT */
/* Elements during the construction of a model: their initial mass, and their coordinates in the model. */
#pragma once

#include "model/model.h"
#include "model/build/system.h"

/* Blocks m(q) at the initial displacements, nq_e x nq_e at mm_of[e]; zero for elements without mass. */
typedef struct ifd__start_mass {
    int *mm_of;
    double *m;
} ifd__start_mass;

ifd_status ifd__start_mass_make(ifd_arena *arena, const ifd_builder *b, ifd__start_mass *out);

/* has[i] := true if the mass of an element acts on dof i of the builder. */
void ifd__start_mass_mark(const ifd_builder *b, const ifd__start_mass *mass, bool *has);

/* Refuses, with code, elements and initial velocities on the dofs of the system marked slave. why: "has no mass". */
ifd_status ifd__refuse_slaves(const ifd_builder *b, const ifd__system *s, const bool *slave, ifd_status code,
                              const char *why, ifd_note *note);

/* Fills all data of elements in m: offsets, B, contribution of supports, initial states, q of the ground, base
 * mass. */
ifd_status ifd__attach(ifd_arena *arena, const ifd_builder *b, const ifd__system *s, const ifd__start_mass *mass,
                       ifd_model *m);

/* The lower triangle of the mass of the system plus B block B^T, block being nq_e x nq_e at mm_of[e]. */
ifd_status ifd__mass_with_elements(ifd_arena *arena, ifd_arena *scratch, const ifd__system *s, const ifd_model *m,
                                   const double *block, ifd_sparse *out);

/* Coordinates of elements during listing: dofs and supports of each with their factors (columns of the triplets are
 * not used). */
typedef struct ifd__coordinates {
    int count;
    int *dof_start, *support_start;
    ifd__triplets dof, support;
} ifd__coordinates;

ifd_status ifd__coordinates_begin(ifd_arena *arena, int nq, ifd__coordinates *out);
/* Completes one coordinate from the terms listed since the last call. */
void ifd__coordinate_end(ifd__coordinates *c);
/* Copies the coordinates into the model, after the last one. */
ifd_status ifd__coordinates_give(const ifd__coordinates *c, ifd_model *m);
