/* SPDX-License-Identifier: MIT */
/* A superelement with what identifies it: the structure it was made of, and the meaning of its columns. A file stores
 * it (HDF5). */
#pragma once

#include <stdint.h>

#include <interfield/superelement.h>

#include "superelement/superelement.h"

#define IFD__MODAL_LABEL "modal damping " /* and a number: the last watched rows */

/* The columns are those of W: interface dofs, inputs, watched rows. A label is "dof NAME", "ground x", "base x",
 * "support NAME stiffness", "support NAME mass", "initial displacement", "initial velocity", "row NAME" or "modal
 * damping I". */
struct ifd_superelement {
    ifd__superelement element;
    int full;                    /* dofs of the structure */
    double frequency, tolerance; /* of the goal */
    double ray_m, ray_k;
    double mass[3];    /* kg: mass that moves with the ground */
    double *damping;   /* p x p: dashpots on interface dofs */
    uint64_t matrices; /* hash of M, C, K and the Rayleigh coefficients */
    int inputs, watched;
    const char **label;              /* columns */
    int *kind;                       /* columns: the kind of a dof, else -1 */
    uint64_t *hash;                  /* columns: hash of the column */
    const ifd__linear_structure *of; /* the full structure; NULL: not kept */
};

int ifd__stored_columns(const ifd_superelement *s);
/* The column of that label, -1: none. */
int ifd__stored_find(const ifd_superelement *s, const char *label);
/* The dof of a column; NULL: it is no dof. */
const char *ifd__stored_dof(const ifd_superelement *s, int column);

/* Watched rows of modal damping, the last ones. */
int ifd__stored_modal(const ifd_superelement *s);

uint64_t ifd__structure_hash(const ifd__linear_structure *of);
/* Of column c of W. */
uint64_t ifd__column_hash(const ifd__linear_structure *of, int c);
