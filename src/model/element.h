/* SPDX-License-Identifier: MIT */
/* What the files of the element table share. */
#pragma once

#include <interfield/element.h>

/* The table of elements prescribes the arguments of their functions, also those that a row does not use. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* Rows that other files name; elements.def lists all of them. */
extern const ifd_element_ops ifd__element_spring, ifd__element_bilinear, ifd__element_bouc_wen,
    ifd__element_lead_rubber, ifd__element_friction_pendulum, ifd__element_high_pass;

/* Parameters of a pair element are described for a translation: N/m, N s/m, m. Between two rotations the same numbers
 * are N m/rad, N m s/rad, rad. Returns the dimension there (for STIFFNESS, ROTATIONAL_STIFFNESS). */
ifd_dimension ifd__dimension_rotational(ifd_dimension dim);

/* e->data := a copy of bytes at data. */
ifd_status ifd__element_keep(ifd_element *e, ifd_arena *arena, const void *data, size_t bytes);

/* The tangent of e is stiffest at rest, without deformation. For elements of one coordinate and at most 64 states. */
void ifd__element_stiffest_at_rest(ifd_element *e);
/* It is stiffest at a deformation q, a rate of the sign of qd and, with one state, the state s. */
ifd_status ifd__element_stiffest_at(ifd_element *e, ifd_arena *arena, double q, double qd, double s);

/* The parameters of elements whose parameters a test may identify (element/law.h). */
extern const ifd_param ifd__bouc_wen_params[], ifd__lead_rubber_params[], ifd__pendulum_params[],
    ifd__bilinear_params[], ifd__spring_params[];

/* z of Bouc and Wen, z' = v - beta |v| |z|^(n-1) z - gamma v |z|^n, after a move by dq; slope := dz/dq there. */
IFD_RT double ifd__bouc_wen_move(double beta, double gamma, double n, double z, double dq, double *slope);

/* Elements that an ensemble evaluates in lanes. False: e is another one. Bouc-Wen: alpha k, (1 - alpha) k, beta,
 * gamma, n. A slider with a spring (bilinear): stiffness of the spring and of the slider, largest slip. */
bool ifd__element_is_bouc_wen(const ifd_element *e, double out[5]);
bool ifd__element_is_slider(const ifd_element *e, double out[3]);

/* Coordinate c of a move at the fraction x of its time: the cubic through both ends. */
IFD_RT double ifd__move_at(const ifd_element_move *move, int c, double x);

/* -1, 0 or 1 */
IFD_RT static inline double ifd__sign(double x)
{
    return (double)((x > 0) - (x < 0));
}

/* A flag besides those of interfield/element.h: a slider without an exact update. */
enum { IFD__ELEMENT_STOPS = 1 << 16 };

/* A slider: its rate-independent states stop at a limit. Other states that `settle` limits approach it smoothly. */
IFD_RT static inline bool ifd__element_stops(const ifd_element *e)
{
    return e->ns > 0 && e->ops->settle && (e->ops->advance || e->ops->flags & IFD__ELEMENT_STOPS);
}

/* An element of one coordinate along a chord that turns; X (axes): the line between its ends at rest, m. Its
 * coordinates are the displacements of the second end against the first. NULL: no memory. */
const ifd_element_ops *ifd__chord_ops(ifd_arena *arena, const ifd_element_ops *law, int axes, const double *X);
/* Whether an element is such a chord; and whether it is shorter than 0.05 of its length at rest. */
IFD_RT bool ifd__element_turns(const ifd_element *e);
IFD_RT bool ifd__element_short(const ifd_element *e, const double *q);

/* What the row of a file with one element has besides its texts. */
#define IFD__ELEMENT_OWN .abi = IFD_ELEMENT_ABI, .params = params, .make = make, .eval = eval, .energy = energy

/* The number of a parameter. */
double ifd__element_number(const ifd_param *params, const ifd_value *values, const char *name);
