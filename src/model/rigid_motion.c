/* SPDX-License-Identifier: MIT */
/* Finds whether a model can move as a whole with its supports. */
#include "model/rigid_motion.h"

#include <math.h>

#include "model/relative.h"

typedef struct rigid_motion {
    const ifd_model *m;
    double *all, *none, *w, *f; /* n */
    double *moved;              /* nsupport */
} rigid_motion;

/* True if the forces A iota - As iota_s are not small relative to their terms. */
static bool resists(const rigid_motion *r, bool damping, const double *u, const double *v)
{
    const ifd_model *m = r->m;
    const double small = 1e-9;
    double most = 0.0, sum = 0.0;
    for (int i = 0; i < m->n; i++)
        r->f[i] = 0.0;
    ifd__model_linear(m, 1.0, u, v, r->w, r->f);
    for (int i = 0; i < m->n; i++) {
        double f = r->f[i], size = fabs(f);
        for (int j = 0; j < m->nsupport; j++) {
            double per = damping ? ifd__support_damping(m, j, i) : m->Ks[(size_t)j * (size_t)m->n + (size_t)i];
            double share = per * r->moved[j];
            f -= share;
            size += fabs(share);
        }
        sum = fmax(sum, fabs(f));
        most = fmax(most, size);
    }
    return sum > small * most;
}

/* The forces on the moved supports themselves. */
static bool holds_supports(const rigid_motion *r, bool damping, const double *Ass)
{
    const ifd_model *m = r->m;
    for (int j = 0; j < m->nsupport; j++) {
        double f = 0.0, most;
        for (int i = 0; i < m->n; i++)
            f -= (damping ? ifd__support_damping(m, j, i) : m->Ks[(size_t)j * (size_t)m->n + (size_t)i]) * r->all[i];
        most = fabs(f);
        for (int k = 0; k < m->nsupport; k++) {
            double share = Ass[j + k * m->nsupport] * r->moved[k];
            f += share;
            most = fmax(most, fabs(share));
        }
        if (r->moved[j] != 0.0 && fabs(f) > 1e-9 * most)
            return true;
    }
    return false;
}

/* Coordinates of elements without mass are deformations: a rigid-body motion does not change them. */
static bool stretches(const rigid_motion *r)
{
    const ifd_model *m = r->m;
    for (int e = 0; e < m->ne; e++)
        for (int c = m->q_of[e]; c < m->q_of[e + 1]; c++) {
            double q = 0.0;
            for (int k = m->b_start[c]; k < m->b_start[c + 1]; k++)
                q += m->b_value[k] * r->all[m->b_dof[k]];
            for (int k = m->bs_start[c]; k < m->bs_start[c + 1]; k++)
                q += m->bs_value[k] * r->moved[m->bs_support[k]];
            if (fabs(q) > 1e-9 && !(m->element[e].ops->flags & IFD_ELEMENT_INERTIAL))
                return true;
        }
    return false;
}

ifd_status ifd__model_rigid_motion(const ifd_model *m, int count, const int *support, const ifd_dof_kind *kind,
                                   ifd_dof_kind direction, bool *rigid)
{
    ifd_arena *scratch IFD__CLOSED = ifd_arena_open();
    size_t n = (size_t)m->n;
    double *pool;
    IFD_TRY(IFD__TAKE(scratch, IFD__ARRAY(pool, 4 * n + (size_t)m->nsupport)));
    rigid_motion r = {m, pool, pool + n, pool + 2 * n, pool + 3 * n, pool + 4 * n};
    for (int i = 0; i < m->n; i++)
        r.all[i] = m->dof_kind[i] == direction ? 1.0 : 0.0;
    for (int k = 0; k < count; k++)
        r.moved[support[k]] = kind[k] == direction ? 1.0 : 0.0;
    *rigid = !resists(&r, false, r.all, r.none) && !resists(&r, true, r.none, r.all) && !stretches(&r) &&
             (!m->Kss || (!holds_supports(&r, false, m->Kss) && !holds_supports(&r, true, m->Css)));
    return IFD_OK;
}
