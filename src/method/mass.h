/* SPDX-License-Identifier: MIT */
/* Accelerations by forces at a given state, where a method starts and where its load jumps. */
#ifndef IFD_METHOD_MASS_H
#define IFD_METHOD_MASS_H

#include "method/stepper.h"
#include "method/tangent.h"

/* f := M(u)^-1 f at the state x. mass: a tangent with cm = 1 and nothing else. */
IFD_RT static inline void ifd__mass_solve(const ifd_stepper *s, ifd__tangent *mass, double t, double *x, double *f)
{
    const ifd__point at = {.t = t, .u = ifd__x_u(s, x), .v = ifd__x_v(s, x), .s = ifd__x_s(s, x)};
    if (!ifd__tangent_update(mass, &at))
        ifd__latch(s, x, IFD_STEP_SINGULAR);
    ifd__tangent_solve(mass, f);
}

#endif
