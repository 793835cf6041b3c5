/* SPDX-License-Identifier: MIT */
/* The state in which a structure with constant loads of its members starts: in equilibrium with them, at rest,
 * without other loads. Displacements count from the unloaded geometry. */
#pragma once

#include "model/model.h"

/* Whether some load is a part of it (ifd__load.weight). */
bool ifd__model_weighs(const ifd_model *m);

/* u (n) and element states s (ns), reached in ten equal steps of the load. IFD_DIVERGED and IFD_SINGULAR are
 * explained by an error. */
ifd_status ifd__gravity_state(const ifd_model *m, double *u, double *s, ifd_note *note);

enum { IFD__GRAVITY_STEPS = 10 };

/* Loads of members with fibre sections, times factor, into their states s. False: there are none. */
bool ifd__load_members(const ifd_model *m, double factor, double *s);

/* Members with fibre sections of m iterate until nothing is left over, as an equilibrium needs it: two passes leave a
 * remainder, with which Newton's method has no tangent and may never end. Set-up only. */
ifd_status ifd__iterate_members(ifd_arena *arena, ifd_model *m);

/* The model starts at u more than it did, with the element states s. Both are copied. IFD_DIVERGED: the dofs without
 * mass have no equilibrium where the others start. */
ifd_status ifd__gravity_start(ifd_arena *arena, ifd_model *m, const double *u, const double *s, ifd_note *note);
