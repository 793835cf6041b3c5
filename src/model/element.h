/* SPDX-License-Identifier: MIT */
/* The rows of the element table, and what their files share. */
#ifndef IFD_MODEL_ELEMENT_H
#define IFD_MODEL_ELEMENT_H

#include <interfield/element.h>

extern const ifd_element_ops ifd__spring, ifd__dashpot, ifd__mass;
extern const ifd_element_ops ifd__cubic_spring, ifd__power_dashpot, ifd__gap;
extern const ifd_element_ops ifd__bilinear, ifd__sliders, ifd__bouc_wen;
extern const ifd_element_ops ifd__pendulum, ifd__spring_pendulum, ifd__double_pendulum;
extern const ifd_element_ops ifd__block, ifd__pid, ifd__low_pass, ifd__high_pass, ifd__washout, ifd__lead_lag;
extern const ifd_element_ops ifd__mr_damper, ifd__maxwell;

/* Parameters of a pair element are described for a translation: N/m, N s/m, m. Between two rotations the same numbers
 * are N m/rad, N m s/rad, rad: this is the dimension to expect there (for STIFFNESS, ROTATIONAL_STIFFNESS). */
ifd_dimension ifd__dimension_rotational(ifd_dimension dim);

/* e->data := a copy of bytes at data; IFD_NO_MEMORY when memory is out. */
ifd_status ifd__element_keep(ifd_element *e, ifd_arena *arena, const void *data, size_t bytes);

/* z of Bouc and Wen, z' = v - beta |v| |z|^(n-1) z - gamma v |z|^n, after a move by dq; slope := dz/dq there. */
IFD_RT double ifd__bouc_wen_move(double beta, double gamma, double n, double z, double dq, double *slope);

/* How often z of an mr-damper relaxes in a part of a step h, at its stated velocity; followed: its states are
 * advanced by `follow`. Above 20 its force is wrong. 0 of other elements. */
double ifd__mr_damper_load(const ifd_element *e, double h, bool followed);

/* Coordinate 0 of a move at the share x of its time: the cubic through both ends. */
IFD_RT double ifd__move_at(const ifd_element_move *move, double x);

/* The number of a parameter. */
double ifd__element_number(const ifd_param *params, const ifd_value *values, const char *name);

#endif
