/* SPDX-License-Identifier: MIT */
/* A control law of a damper: its voltage is the output of a linear first-order system (block.c),
 *
 *     z' = A z + B y + g0,   V = C z + D y + f0
 *
 * y: displacements or velocities, coordinates 1, 2 ... of the damper, on which it applies no force; z: the last
 * states of the damper. */
#pragma once

#include "model/element.h"

enum { IFD__CONTROL_STATES = 8, IFD__CONTROL_INPUTS = 8 };
/* Numbers of a packed law: inputs, states, kinds, A, B, C, D by columns, g0, f0. */
enum {
    IFD__CONTROL_NUMBERS =
        3 + 2 * IFD__CONTROL_INPUTS + IFD__CONTROL_STATES * (IFD__CONTROL_STATES + IFD__CONTROL_INPUTS + 2)
};

#define IFD__CONTROL_PARAM IFD_LIST("law", ANY, -1e21, 1e21, "set from `control:`: the law as a list of numbers")

typedef struct ifd__control {
    int nin, ns, first; /* first: of z, among the states of the damper */
    const double *kinds, *A, *B, *C, *D, *g0, *f0;
} ifd__control;

/* The numbers of an element of block.c with one output, for the parameter `law`; 0: it is too large. */
int ifd__control_pack(const ifd_element *block, double out[IFD__CONTROL_NUMBERS]);

/* Reads the parameter `law`; nin is 0 without one. The damper has `own` states of its own. */
ifd_status ifd__control_make(const ifd_element *e, const ifd_value *given, int own, ifd_arena *arena,
                             ifd__control *out, ifd_note *note);

/* V, not limited. */
IFD_RT double ifd__control_output(const ifd__control *d, const ifd_element_in *in);
/* The rows of z in g, g_q, g_v and g_s, and `gain` times the derivatives of V in row `row`. */
IFD_RT void ifd__control_rates(const ifd__control *d, const ifd_element *e, const ifd_element_in *in,
                               const ifd_element_out *out);
IFD_RT void ifd__control_gradient(const ifd__control *d, const ifd_element *e, int row, double gain,
                                  const ifd_element_out *out);
/* z of s after the part of a move from the fraction a of its time to b, by the implicit midpoint rule; returns V in
 * the middle. */
IFD_RT double ifd__control_follow(const ifd__control *d, const ifd_element_move *move, double a, double b, double *s);
