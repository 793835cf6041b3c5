/* SPDX-License-Identifier: MIT */
/* The dofs that a specimen, the estimate of its stiffness or a row of the interface of an FMU connects: two of them,
 * or those of a chord, each with a coefficient. A negative index is the ground or a support. */
#pragma once

#include <interfield/model.h>

typedef struct ifd__ends {
    int from, to;
    const ifd_coordinate *row; /* of a chord; NULL: from and to */
} ifd__ends;

/* Those of a struct that has from, to and row. */
#define IFD__ENDS(of) ((ifd__ends){(of)->from, (of)->to, (of)->row})

/* Number of terms, and the dof of term i with its coefficient: the displacements of all, times these, add up to the
 * deformation. */
IFD_RT static inline int ifd__ends_count(ifd__ends e)
{
    return e.row ? e.row->count : 2;
}

IFD_RT static inline int ifd__end(ifd__ends e, int i, double *coefficient)
{
    *coefficient = e.row ? e.row->coefficient[i] : i ? 1.0 : -1.0;
    return e.row ? e.row->ref[i] : i ? e.to : e.from;
}

/* Sum of the displacements in u: the deformation of the connection (m, rad). */
IFD_RT static inline double ifd__deformation(ifd__ends e, const double *u)
{
    double q = 0.0;
    if (!e.row)
        return (e.to >= 0 ? u[e.to] : 0.0) - (e.from >= 0 ? u[e.from] : 0.0);
    for (int k = 0; k < e.row->count; k++)
        q += e.row->ref[k] >= 0 ? e.row->coefficient[k] * u[e.row->ref[k]] : 0.0;
    return q;
}

/* The same of a specimen or an interface, which may count from an origin. */
#define IFD__ELONGATION(of, u) (ifd__deformation(IFD__ENDS(of), u) - ((of)->origin ? *(of)->origin : 0.0))

/* load += the restoring force f (N, N m), which acts against a positive deformation. */
IFD_RT static inline void ifd__add_restoring_force(ifd__ends e, double f, double *load)
{
    if (!e.row && e.to >= 0)
        load[e.to] -= f;
    if (!e.row && e.from >= 0)
        load[e.from] += f;
    for (int k = 0; e.row && k < e.row->count; k++)
        if (e.row->ref[k] >= 0)
            load[e.row->ref[k]] -= e.row->coefficient[k] * f;
}

/* Whether the connection has this dof. */
static inline bool ifd__ends_have(ifd__ends e, int dof)
{
    bool has = false;
    double c;
    for (int i = 0; i < ifd__ends_count(e); i++)
        has = has || (dof >= 0 && ifd__end(e, i, &c) == dof);
    return has;
}

static inline bool ifd__ends_equal(ifd__ends a, ifd__ends b)
{
    bool same = ifd__ends_count(a) == ifd__ends_count(b) && !a.row == !b.row;
    for (int i = 0; same && i < ifd__ends_count(a); i++) {
        double x, y;
        same = ifd__end(a, i, &x) == ifd__end(b, i, &y) && x == y;
    }
    return same;
}
