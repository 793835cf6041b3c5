/* SPDX-License-Identifier: MIT */
/* The row of a response: one number per column, at the end of a step. */
#include "substructure/response.h"

#include <string.h>

#include "algebra/dense.h"
#include "model/dof_pair.h"
#include "model/gravity.h"

/* Deformations and forces of the elements of a model. */
static IFD_RT void elements(const ifd__response *r, int p, const double *x, double t)
{
    const ifd__response_model *b = &r->model[p];
    const ifd__point at = ifd__response_point(b, x, t);
    if (!b->m->ne)
        return;
    ifd__model_coordinates(b->m, t, at.u, at.v, b->q, b->qd);
    ifd__model_forces(b->m, &(ifd_element_in){.t = t, .q = b->q, .qd = b->qd, .s = at.s}, b->r, b->g);
}

/* load := K u + C v + B r minus the contribution of moved supports: all resisting forces without inertia. Forces of
 * inertial elements are included: they act on dofs. */
static IFD_RT void resistance(const ifd__response_model *b, const double *x, double t)
{
    const ifd_model *m = b->m;
    const ifd__point at = ifd__response_point(b, x, t);
    memset(b->load, 0, (size_t)m->n * sizeof *b->load);
    ifd__model_linear(m, 1.0, at.u, at.v, b->w, b->load);
    for (int j = 0; j < m->nsupport; j++) {
        double y[3];
        const size_t column = (size_t)j * (size_t)m->n;
        ifd_signal_eval(m->support[j], t, y);
        for (int i = 0; i < m->n; i++)
            b->load[i] -= y[0] * m->Ks[column + (size_t)i] + y[1] * m->Cs[column + (size_t)i];
    }
    for (int e = 0; e < m->ne; e++)
        for (int c = m->q_of[e]; !(m->element[e].ops->flags & IFD_ELEMENT_INERTIAL) && c < m->q_of[e + 1]; c++)
            for (int k = m->b_start[c]; k < m->b_start[c + 1]; k++)
                b->load[m->b_dof[k]] += m->b_value[k] * b->r[c];
}

/* Additional effect of a force on a condensed dof on the supports: the sum over dofs does not contain it. */
static IFD_RT double past_dofs(const ifd_model *m, int direction, double t)
{
    double sum = 0.0, y[3];
    for (int l = 0; l < m->nload; l++)
        if (m->load[l].past[direction] != 0.0) {
            ifd_signal_eval(m->load[l].signal, t, y);
            sum += m->load[l].past[direction] * y[0];
        }
    return sum;
}

static IFD_RT double along(const ifd_model *m, int dof, int direction, double f)
{
    return dof >= 0 && (int)m->dof_kind[dof] == direction ? f : 0.0;
}

/* Force without inertia of a support that follows a dof of another substructure. */
static IFD_RT double followed(const ifd__response_model *b, int support, const double *x, double t)
{
    const ifd_model *m = b->m;
    const ifd__point at = ifd__response_point(b, x, t);
    const size_t column = (size_t)support * (size_t)m->n;
    double f = -ifd__dot(m->n, m->Ks + column, at.u) - ifd__dot(m->n, m->Cs + column, at.v), y[3];
    for (int j = 0; j < m->nsupport; j++) {
        const size_t own = (size_t)j * (size_t)m->nsupport + (size_t)support;
        ifd_signal_eval(m->support[j], t, y);
        f += m->Kss[own] * y[0] + m->Css[own] * y[1];
    }
    for (int e = 0; e < m->ne; e++)
        for (int c = m->q_of[e]; !(m->element[e].ops->flags & IFD_ELEMENT_INERTIAL) && c < m->q_of[e + 1]; c++)
            for (int k = m->bs_start[c]; k < m->bs_start[c + 1]; k++)
                f += m->bs_support[k] == support ? m->bs_value[k] * b->r[c] : 0.0;
    return f;
}

/* These supports act between two substructures: the sum over the dofs of the follower contains the opposite. */
static IFD_RT double between(const ifd__response *r, int direction, const double *x, double t)
{
    const ifd_rts_options *rts = r->opt.couple ? r->opt.couple->rts : NULL;
    double sum = 0.0;
    for (int l = 0; rts && l < rts->links; l++) {
        const ifd_rts_link *link = &rts->link[l];
        if (link->follower >= 0 && (int)r->model[link->leader].m->dof_kind[link->dof] == direction)
            sum += followed(&r->model[link->follower], link->support, x, t);
    }
    return sum;
}

/* Sum of all resisting forces over the dofs of a direction: forces between two dofs cancel, and the supports carry
 * the rest. Multipliers of joints act between two substructures. The force of a specimen that the structure alone
 * supports is the inertia of its mass. Mass of the structure that is on the rig accelerates with its dof, and the
 * measured force contains that inertia too. Neither is a force of supports. */
static IFD_RT double base_shear(const ifd__response *r, int direction, const double *x, double t, const double *force)
{
    double sum = between(r, direction, x, t);
    for (int p = 0; p < r->s->models; p++) {
        const ifd__response_model *b = &r->model[p];
        const double *share = b->m->ground[direction].along;
        for (int i = 0; i < b->m->n; i++)
            sum += share ? share[i] * b->load[i] : along(b->m, i, direction, b->load[i]);
        sum += past_dofs(b->m, direction, t);
    }
    for (int k = 0; k < r->opt.links; k++) {
        const ifd__specimen_link *l = &r->opt.link[k];
        const ifd__response_model *b = &r->model[l->part];
        double f = l->mass != 0.0 ? force[k] - l->mass * b->a[l->to] : force[k];
        if (!l->carried)
            sum += along(b->m, l->to, direction, f) - along(b->m, l->from, direction, f);
    }
    return sum;
}

static IFD_RT void ground(ifd__response_model *b, double t)
{
    for (int d = 0; d < 3; d++) {
        double y[3] = {0.0, 0.0, 0.0};
        if (b->m->ground[d].signal)
            ifd_signal_eval(b->m->ground[d].signal, t, y);
        b->ground[d] = y[0];
    }
}

/* A derivative of the prescribed motion of a support. */
static IFD_RT double support_value(const ifd__response_model *b, int support, int derivative, double t)
{
    double y[3];
    ifd_signal_eval(b->m->support[support], t, y);
    return y[derivative];
}

/* What a row is computed from. */
enum { ENERGIES = IFD_COLUMN_ENERGY_NUMERICAL - IFD_COLUMN_ENERGY_INPUT + 1 };
typedef struct instant {
    double *x, t;
    const double *force;
    double energy[ENERGIES];
} instant;

static IFD_RT void energies(const ifd__response *r, instant *now)
{
    const ifd_energy e = ifd__balance_energy(ifd__energy_state_of(r, now->x));
    const double all[ENERGIES] = {e.input, e.kinetic, e.stored, e.dissipated, e.specimens, e.joints, e.numerical};
    memcpy(now->energy, all, sizeof all);
}

static IFD_RT double gravity_value(const ifd__response *r, const double *x, double t)
{
    double sum = 0.0;
    for (int p = 0; p < r->s->models; p++) {
        const ifd__point now = ifd__response_point(&r->model[p], x, t);
        if (r->model[p].m->gravity)
            sum += ifd__gravity_work(r->model[p].m, t, now.u, now.s);
    }
    return sum;
}

/* Displacements and quantities that follow from them. */
static IFD_RT double motion_value(const ifd__response *r, int column, double *x, double t)
{
    const ifd__column_place at = r->place[column];
    const ifd__response_model *b = &r->model[at.model];
    const ifd__point now = ifd__response_point(b, x, t);
    switch ((int)r->column[column].quantity) {
    case IFD_COLUMN_DISPLACEMENT:
        return at.condensed ? ifd__model_gone(b->m, at.index, t, now.u, now.s) : now.u[at.index];
    case IFD_COLUMN_VELOCITY:
        return now.v[at.index];
    case IFD_COLUMN_ELEMENT_DEFORMATION:
        return at.gauged ? r->gauge.now[at.index] : b->q[at.index];
    case IFD_COLUMN_ELEMENT_FORCE:
        return at.gauged ? r->gauge.now[at.index] : b->r[at.index];
    case IFD_COLUMN_ELEMENT_STATE:
        return now.s[at.index];
    case IFD_COLUMN_STOREY_DRIFT:
        return r->gauge.now[at.index];
    case IFD_COLUMN_SUPPORT_DISPLACEMENT:
    case IFD_COLUMN_SUPPORT_VELOCITY:
    case IFD_COLUMN_SUPPORT_ACCELERATION:
        return support_value(b, at.index, (int)(r->column[column].quantity - IFD_COLUMN_SUPPORT_DISPLACEMENT), t);
    default:
        return x[at.index];
    }
}

static IFD_RT double value_of(const ifd__response *r, int column, const instant *now)
{
    double *x = now->x, t = now->t;
    const ifd__column_place at = r->place[column];
    const ifd__response_model *b = &r->model[at.model];
    ifd_quantity quantity = r->column[column].quantity;
    switch ((int)quantity) {
    case IFD_COLUMN_ACCELERATION:
        return b->a[at.index];
    case IFD_COLUMN_ABSOLUTE_VELOCITY:
        return x[b->at + b->m->n + at.index] + ifd__energy_state_of(r, x)->ground[2 * b->m->dof_kind[at.index] + 1];
    case IFD_COLUMN_ABSOLUTE_ACCELERATION:
        return b->a[at.index] + b->ground[b->m->dof_kind[at.index]];
    case IFD_COLUMN_GROUND_X:
    case IFD_COLUMN_GROUND_Y:
    case IFD_COLUMN_GROUND_Z:
        return b->ground[at.index];
    case IFD_COLUMN_BASE_SHEAR_X:
    case IFD_COLUMN_BASE_SHEAR_Y:
    case IFD_COLUMN_BASE_SHEAR_Z:
        return base_shear(r, at.index, x, t, now->force);
    case IFD_COLUMN_ENERGY_GRAVITY:
        return gravity_value(r, x, t);
    default:
        return quantity >= IFD_COLUMN_ENERGY_INPUT && quantity <= IFD_COLUMN_ENERGY_NUMERICAL
                   ? now->energy[quantity - IFD_COLUMN_ENERGY_INPUT]
                   : motion_value(r, column, x, t);
    }
}

void ifd__response_values(const ifd__response *r, double *x, double t, const double *force, double *values)
{
    for (int p = 0; p < r->s->models; p++) {
        if (r->model[p].mass)
            ifd__response_accelerations(r, p, x, t, force);
        if (r->opt.what & (IFD_RECORD_ELEMENTS | IFD_RECORD_BASE_SHEAR))
            elements(r, p, x, t);
        if (r->opt.what & IFD_RECORD_BASE_SHEAR)
            resistance(&r->model[p], x, t);
        if (r->opt.what & (IFD_RECORD_ACCELERATION | IFD_RECORD_GROUND))
            ground(&r->model[p], t);
    }
    ifd__gauges_eval(r, x, t);
    instant now = {.x = x, .t = t, .force = force};
    if (r->opt.what & IFD_RECORD_ENERGY)
        energies(r, &now);
    for (int k = 0; k < r->columns; k++)
        values[k] = value_of(r, k, &now);
}

static IFD_RT bool stands(ifd_quantity q)
{
    return q == IFD_COLUMN_DISPLACEMENT || q == IFD_COLUMN_VELOCITY || q == IFD_COLUMN_STOREY_DRIFT ||
           q == IFD_COLUMN_SUPPORT_DISPLACEMENT ||
           (q >= IFD_COLUMN_ELEMENT_DEFORMATION && q <= IFD_COLUMN_ELEMENT_STATE);
}

void ifd__response_rest(const ifd__response *r, double *x, double *values)
{
    for (int p = 0; p < r->s->models && r->opt.what & IFD_RECORD_ELEMENTS; p++)
        elements(r, p, x, 0.0);
    ifd__gauges_eval(r, x, 0.0);
    for (int k = 0; k < r->columns; k++)
        values[k] = stands(r->column[k].quantity) ? motion_value(r, k, x, 0.0) : 0.0;
}
