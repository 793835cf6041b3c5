/* SPDX-License-Identifier: MIT */
/* Declarations shared by the files that reduce a model: reduce.c finds interface, inputs and rows and makes the
 * superelement; reduced_system.c puts it in the place of the system. */
#pragma once

#include "model/build/making.h"
#include "superelement/stored.h"

enum { IFD__KEPT_STRUCTURE = 2000 }; /* dofs up to which the full structure is kept, for comparisons */

typedef struct ifd__reducing {
    ifd__making *k;
    const ifd_reduction *how;
    int n, p;       /* dofs of the system, interface dofs */
    int *place;     /* by dof of the builder: its dof of the system, -1: condensed */
    int *number;    /* n: index among the interface dofs, -1: reduced */
    int *interface; /* p dofs of the system */
    int inputs, watched, room;
    double *column;             /* n x (inputs, watched) */
    const char **label;         /* of these columns (superelement/stored.h) */
    int ground[3];              /* the input of each direction, -1: none */
    int *own_row;               /* by watched row of the builder: its column */
    int *row_of;                /* by dof of the builder: its column, -1: none */
    int *support_k, *support_m; /* by support: input of its stiffness and mass, -1: none */
    int start, motion;          /* inputs K u0, M v0, -1: none */
    int modal;                  /* the last watched rows are those of modal damping, */
    double background;          /* which has b K besides (model/damping.h) */
    int base[3];                /* by direction: watched row of the base shear, -1: none */
    ifd_sparse M, C, K;
    ifd__superelement element;
    const ifd_superelement *stored; /* NULL: a new one is made */
} ifd__reducing;

/* The system, the ground's load, the initial state and the dofs of the builder, from the superelement. */
ifd_status ifd__reduced_system(ifd__reducing *x);
