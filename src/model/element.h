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

/* Parameters of a pair element are described for a translation: N/m, N s/m, m. Between two rotations the same numbers
 * are N m/rad, N m s/rad, rad: this is the dimension to expect there (for STIFFNESS, ROTATIONAL_STIFFNESS). */
ifd_dimension ifd__dimension_rotational(ifd_dimension dim);

/* e->data := a copy of bytes at data; IFD_NO_MEMORY when memory is out. */
ifd_status ifd__element_keep(ifd_element *e, ifd_arena *arena, const void *data, size_t bytes);

/* The number of a parameter. */
double ifd__element_number(const ifd_param *params, const ifd_value *values, const char *name);

#endif
