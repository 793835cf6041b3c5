/* SPDX-License-Identifier: MIT */
/* First-order dofs: dofs without mass that dashpots support. With these dofs d and all others k,
 *
 *     C_dd u_d' + C_dk u_k' + K_dd u_d + K_dk u_k = f_d,       u_d = z + X u_k,  X = -C_dd^-1 C_dk
 *
 * the rows of z contain no velocity: C_dd z' + K_dd z + H u_k = f_d with H = K_dk + K_dd X, and the matrices of k
 * become T^T A T, T = [I; X]. The eigenvectors K_dd phi = rate C_dd phi, phi^T C_dd phi = 1, uncouple the states z =
 * Phi y:
 *
 *     y' = phi^T f_d - rate y - h u_k,     force on k: h^T y,     h = phi^T H
 *
 * Each is a small linear element (`ifd__relaxation`), so every method, coupling and analysis that supports element
 * states supports these. C includes the stiffness-proportional part of Rayleigh damping. */
#pragma once

#include <interfield/element.h>

#include "model/build/system.h"

typedef struct ifd__relaxed {
    int count;          /* states */
    double *rate, *y0;  /* 1/s; initial value */
    ifd__rows h;        /* count rows over the columns of the system: dofs, then supports */
    ifd__rows Y;        /* for every dof of the builder: its displacement per state */
    const char **group; /* names of the dofs of a state */
} ifd__relaxed;

/* Initial values of the slaves. */
typedef struct ifd__relax_start {
    const double *q;          /* by dof of the builder: given displacement of a slave */
    const bool *given;        /* by dof of the builder; otherwise at rest with its connections */
    const char *const *label; /* by dof of the builder: its name if it differs from that of the dof */
    double beta;              /* of Rayleigh damping */
} ifd__relax_start;

/* Removes the slaves from the system. Their damping must be positive definite. */
ifd_status ifd__relax(ifd_arena *arena, const ifd_builder *b, const bool *slave, const ifd__relax_start *start,
                      ifd__system *s, ifd__relaxed *out);

/* One state: q = h u (and supports), r = y, y' = f(t) - rate y - q. Not in the table of elements. */
extern const ifd_element_ops ifd__relaxation;

/* A force on a first-order dof. */
typedef struct ifd__relax_load {
    const ifd_signal *signal;
    double factor;
} ifd__relax_load;

/* Elements of the states, in the arena, attached like those of a builder. values contain the rate. */
ifd_status ifd__relaxation_make(ifd_arena *arena, const ifd_builder *b, const ifd__system *s, const ifd__relaxed *r,
                                ifd__attached *out);

/* Largest rate of an element of this kind (1/s), 0 for others; and the power of its forces. */
double ifd__relaxation_rate(const ifd_element *e);
IFD_RT double ifd__relaxation_power(const ifd_element *e, const ifd_element_in *in);
bool ifd__relaxation_loaded(const ifd_element *e);
