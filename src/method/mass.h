/* SPDX-License-Identifier: MIT */
/* Forces at a given state, and the resulting accelerations at the start of a method and at a jump of its load. */
#pragma once

#include "method/stepper.h"
#include "method/tangent.h"

/* f := M(u)^-1 f at the state x. mass: a tangent with cm = 1 and no other terms. */
IFD_RT static inline void ifd__mass_solve(const ifd_stepper *s, ifd__tangent *mass, double t, double *x, double *f)
{
    const ifd__point at = {.t = t, .u = ifd__x_u(s, x), .v = ifd__x_v(s, x), .s = ifd__x_s(s, x)};
    if (!ifd__tangent_update(mass, &at))
        ifd__latch(s, x, IFD_STEP_SINGULAR);
    ifd__tangent_solve(mass, f);
}

/* F := P(t) + load - element forces at p, g := rates; the caller adds the linear force. w: scratch. */
IFD_RT static inline void ifd__element_balance(const ifd_model *m, const ifd__point *p, const double *load, double *w,
                                               double *F, double *g)
{
    double *q = w, *qd = q + m->nq, *force = qd + m->nq;
    ifd__model_load_with(m, p->t, load, F);
    if (!m->ne)
        return;
    ifd__model_coordinates(m, p->t, p->u, p->v, q, qd);
    ifd__model_forces(m, &(ifd_element_in){.t = p->t, .q = q, .qd = qd, .s = p->s}, force, g);
    ifd__model_scatter(m, -1.0, force, F);
}
