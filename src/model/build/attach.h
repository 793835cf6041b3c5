/* SPDX-License-Identifier: MIT */
/* Elements while a model is made: their mass at the start, and their place in the model. */
#ifndef IFD_MODEL_BUILD_ATTACH_H
#define IFD_MODEL_BUILD_ATTACH_H

#include "model/model.h"
#include "model/build/system.h"

/* Blocks m(q) at the initial displacements, nq_e x nq_e at mm_of[e]; zero for elements without mass. */
typedef struct ifd__start_mass {
    int *mm_of;
    double *m;
} ifd__start_mass;

ifd_status ifd__start_mass_make(ifd_arena *arena, const ifd_builder *b, ifd__start_mass *out);

/* has[i] := whether a mass of some element acts on dof i of the builder. */
void ifd__start_mass_mark(const ifd_builder *b, const ifd__start_mass *mass, bool *has);

/* Refuses elements and initial velocities on the dofs of the system marked slave, with code. why: "has no mass". */
ifd_status ifd__refuse_slaves(const ifd_builder *b, const ifd__system *s, const bool *slave, ifd_status code,
                              const char *why, ifd_note *note);

/* Fills everything about elements in m: offsets, B, the supports' part, initial states, the ground's q, base mass. */
ifd_status ifd__attach(ifd_arena *arena, const ifd_builder *b, const ifd__system *s, const ifd__start_mass *mass,
                       ifd_model *m);

/* The lower triangle of the system's mass plus B block B^T, block being nq_e x nq_e at mm_of[e]. */
ifd_status ifd__mass_with_elements(ifd_arena *arena, ifd_arena *scratch, const ifd__system *s, const ifd_model *m,
                                   const double *block, ifd_sparse *out);

/* Coordinates of elements while they are listed, one after the other: what each is made of, dofs and supports with
 * their factors (columns of the triplets are not used). */
typedef struct ifd__coordinates {
    int count;
    int *dof_start, *support_start;
    ifd__triplets dof, support;
} ifd__coordinates;

ifd_status ifd__coordinates_begin(ifd_arena *arena, int nq, ifd__coordinates *out);
/* What was listed since the last call is one coordinate. */
void ifd__coordinate_end(ifd__coordinates *c);
/* Into the model, after the last one. */
ifd_status ifd__coordinates_give(const ifd__coordinates *c, ifd_model *m);

#endif
