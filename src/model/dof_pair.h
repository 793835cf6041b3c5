/* SPDX-License-Identifier: MIT */
/* Two dofs that a specimen, the estimate of its stiffness or a row of the interface of an FMU connects. A negative
 * index is the ground or a support. */
#pragma once

#include <interfield/status.h>

/* Difference of their displacements in u: the deformation of the connection (m, rad). */
IFD_RT static inline double ifd__deformation(int from, int to, const double *u)
{
    return (to >= 0 ? u[to] : 0.0) - (from >= 0 ? u[from] : 0.0);
}

/* load += the restoring force f (N, N m), which acts against a positive deformation. */
IFD_RT static inline void ifd__add_restoring_force(int from, int to, double f, double *load)
{
    if (to >= 0)
        load[to] -= f;
    if (from >= 0)
        load[from] += f;
}
