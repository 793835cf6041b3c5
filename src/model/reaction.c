/* SPDX-License-Identifier: MIT */
/* The forces at supports and their work. */
#include "model/reaction.h"

#include <string.h>

#include "algebra/dense.h"

ifd_status ifd__model_reaction_check(const ifd_model *m, const char *name, ifd_note *note)
{
    if (!m->symmetric)
        return ifd_note_add(note, IFD_UNSUPPORTED, NULL,
                            "'%s' has unsymmetric matrices: the reactions at its supports cannot be computed", name);
    if (!m->Mss)
        return ifd_note_add(note, IFD_UNSUPPORTED, NULL,
                            "'%s' was derived from other models: reactions at its supports are not available", name);
    return IFD_OK;
}

/* Adds m(q) B^T a of element e to its forces. Effects of ground and supports are already in them. */
static IFD_RT void add_inertia(const ifd_model *m, int e, const ifd__point *y, const double *q, const double *qd,
                               double *r)
{
    double mm[IFD__INERTIAL_COORDINATES * IFD__INERTIAL_COORDINATES] = {0.0}, a[IFD__INERTIAL_COORDINATES];
    const ifd_element *element = &m->element[e];
    int first = m->q_of[e];
    ifd_element_in in = {.t = y->t, .q = q + first, .qd = qd + first, .qdd = qd + first, .s = y->s + m->s_of[e]};
    ifd_element_out out = {.m = mm};
    element->ops->eval(element, &in, &out);
    for (int c = 0; c < element->nq; c++) {
        a[c] = 0.0;
        for (int k = m->b_start[first + c]; k < m->b_start[first + c + 1]; k++)
            a[c] += m->b_value[k] * y->a[m->b_dof[k]];
    }
    ifd__mul_add(element->nq, element->nq, 1.0, mm, a, r + first);
}

static IFD_RT void add_elements(const ifd_model *m, const ifd__point *y, double *f, double *w)
{
    double *q = w, *qd = q + m->nq, *r = qd + m->nq, *g = r + m->nq;
    ifd__model_coordinates(m, y->t, y->u, y->v, q, qd);
    ifd__model_forces(m, &(ifd_element_in){.t = y->t, .q = q, .qd = qd, .s = y->s}, r, g);
    for (int e = 0; e < m->ne; e++)
        if (m->element[e].ops->flags & IFD_ELEMENT_INERTIAL)
            add_inertia(m, e, y, q, qd, r);
    for (int c = 0; c < m->nq; c++)
        for (int k = m->bs_start[c]; k < m->bs_start[c + 1]; k++)
            f[m->bs_support[k]] += m->bs_value[k] * r[c];
}

size_t ifd__model_reaction_work(const ifd_model *m)
{
    return 3 * (size_t)m->nq + (size_t)m->ns + 1;
}

void ifd__model_reaction(const ifd_model *m, const ifd__point *y, double *f, double *w)
{
    double motion[3];
    memset(f, 0, sizeof(double) * (size_t)m->nsupport);
    for (int j = 0; j < m->nsupport; j++) {
        size_t column = (size_t)j * (size_t)m->n, own = (size_t)j * (size_t)m->nsupport;
        f[j] -= ifd__dot(m->n, m->Ms + column, y->a);
        f[j] -= ifd__dot(m->n, m->Cs + column, y->v);
        f[j] -= ifd__dot(m->n, m->Ks + column, y->u);
        ifd_signal_eval(m->support[j], y->t, motion);
        for (int i = 0; i < m->nsupport; i++)
            f[i] += m->Mss[own + (size_t)i] * motion[2] + m->Css[own + (size_t)i] * motion[1] +
                    m->Kss[own + (size_t)i] * motion[0];
    }
    for (int d = 0; d < 3; d++)
        if (m->ground[d].signal && m->ground[d].ps) {
            ifd_signal_eval(m->ground[d].signal, y->t, motion);
            for (int i = 0; i < m->nsupport; i++)
                f[i] -= m->ground[d].ps[i] * motion[0];
        }
    if (m->ne)
        add_elements(m, y, f, w);
}
