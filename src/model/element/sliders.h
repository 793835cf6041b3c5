/* SPDX-License-Identifier: MIT */
/* Sliders in parallel with a spring (hysteresis.c), for the rows that are made of them. */
#pragma once

#include "model/element.h"

/* pairs: n rows [stiffness, largest slip]; all stiffnesses times scale. */
ifd_status ifd__sliders_keep(ifd_element *e, ifd_arena *arena, int n, double spring, const double *pairs,
                             double scale);

/* Functions of the row. */
IFD_RT void ifd__sliders_eval(const ifd_element *e, const ifd_element_in *in, const ifd_element_out *out);
IFD_RT void ifd__sliders_energy(const ifd_element *e, const ifd_element_in *in, double *stored, double *dissipated);
IFD_RT void ifd__sliders_settle(const ifd_element *e, double *s, double *rate, double *pseudo);
IFD_RT void ifd__sliders_advance(const ifd_element *e, const double *dq, double *s, double *s_q);
void ifd__sliders_events(const ifd_element *e, const ifd_element_in *in, double *root);
