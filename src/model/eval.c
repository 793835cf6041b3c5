/* SPDX-License-Identifier: MIT */
/* Evaluates loads, supports and element forces of a model. */
#include "model/model.h"

#include <string.h>

#include "algebra/dense.h"
#include "base/wide.h"

static void clear(double *x, int n)
{
    memset(x, 0, (size_t)n * sizeof *x);
}

static IFD__WIDE IFD_RT void add_column(int n, double alpha, const double *column, double *y)
{
    for (int i = 0; i < n; i++)
        y[i] += alpha * column[i];
}

void ifd__model_load(const ifd_model *m, double t, double *P)
{
    double y[3];
    clear(P, m->n);
    for (int i = 0; i < m->nload; i++) {
        const ifd__load *load = &m->load[i];
        ifd_signal_eval(load->signal, t, y);
        for (int k = 0; k < load->count; k++)
            P[load->dof[k]] += load->value[k] * y[0];
    }
    for (int j = 0; j < m->nsupport; j++) {
        size_t at = (size_t)j * (size_t)m->n;
        ifd_signal_eval(m->support[j], t, y);
        add_column(m->n, y[0], m->Ks + at, P);
        add_column(m->n, y[1], m->Cs + at, P);
        add_column(m->n, y[2], m->Ms + at, P);
    }
    for (int d = 0; d < 3; d++)
        if (m->ground[d].signal) {
            ifd_signal_eval(m->ground[d].signal, t, y);
            add_column(m->n, y[0], m->ground[d].p, P);
        }
}

void ifd__model_load_with(const ifd_model *m, double t, const double *load, double *P)
{
    ifd__model_load(m, t, P);
    for (int i = 0; load && i < m->n; i++)
        P[i] += load[i];
}

void ifd__model_linear(const ifd_model *m, double alpha, const double *u, const double *v, double *w, double *y)
{
    if (m->ray_k != 0.0) {
        for (int i = 0; i < m->n; i++)
            w[i] = u[i] + m->ray_k * v[i];
        u = w;
    }
    ifd__sparse_mul_add(&m->K, alpha, u, y);
    if (m->damped)
        ifd__sparse_mul_add(&m->C, alpha, v, y);
    if (m->ray_m != 0.0)
        ifd__sparse_mul_add(&m->M, alpha * m->ray_m, v, y);
}

void ifd__model_gather(const ifd_model *m, const double *x, double *q)
{
    for (int c = 0; c < m->nq; c++) {
        double sum = 0.0;
        for (int k = m->b_start[c]; k < m->b_start[c + 1]; k++)
            sum += m->b_value[k] * x[m->b_dof[k]];
        q[c] = sum;
    }
}

void ifd__model_scatter(const ifd_model *m, double alpha, const double *r, double *y)
{
    for (int c = 0; c < m->nq; c++)
        for (int k = m->b_start[c]; k < m->b_start[c + 1]; k++)
            y[m->b_dof[k]] += alpha * m->b_value[k] * r[c];
}

/* Adds derivative which (0, 1, 2) of the motion of supports to the coordinates. */
static IFD_RT void add_supports(const ifd_model *m, double t, int which, double *q)
{
    double y[3];
    for (int c = 0; m->nsupport && c < m->nq; c++)
        for (int k = m->bs_start[c]; k < m->bs_start[c + 1]; k++) {
            ifd_signal_eval(m->support[m->bs_support[k]], t, y);
            q[c] += m->bs_value[k] * y[which];
        }
}

void ifd__model_add_supports(const ifd_model *m, double t, double *q, double *qd)
{
    for (int c = 0; m->origin && c < m->nq; c++)
        q[c] -= m->origin[c];
    add_supports(m, t, 0, q);
    add_supports(m, t, 1, qd);
}

void ifd__model_coordinates(const ifd_model *m, double t, const double *u, const double *v, double *q, double *qd)
{
    ifd__model_gather(m, u, q);
    ifd__model_gather(m, v, qd);
    ifd__model_add_supports(m, t, q, qd);
}

void ifd__model_ground_q(const ifd_model *m, double t, double *out)
{
    double y[3];
    clear(out, m->nq);
    for (int d = 0; d < 3; d++)
        if (m->ground[d].signal) {
            ifd_signal_eval(m->ground[d].signal, t, y);
            add_column(m->nq, y[0], m->ground[d].q, out);
        }
    add_supports(m, t, 2, out);
}

static bool has_mass(const ifd_model *m, int e)
{
    return (m->element[e].ops->flags & IFD_ELEMENT_INERTIAL) != 0;
}

/* ifd__model_ground_q for element e, which has mass. */
static IFD_RT void ground_of(const ifd_model *m, int e, const double y[3], double t, double *a)
{
    double motion[3];
    for (int i = 0; i < m->element[e].nq; i++) {
        int c = m->q_of[e] + i;
        a[i] = y[0] * m->ground[0].q[c] + y[1] * m->ground[1].q[c] + y[2] * m->ground[2].q[c];
        for (int k = m->bs_start[c]; k < m->bs_start[c + 1]; k++) {
            ifd_signal_eval(m->support[m->bs_support[k]], t, motion);
            a[i] += m->bs_value[k] * motion[2];
        }
    }
}

static IFD_RT void ground_now(const ifd_model *m, double t, double y[3])
{
    double motion[3];
    for (int d = 0; d < 3; d++) {
        motion[0] = 0.0;
        if (m->ground[d].signal)
            ifd_signal_eval(m->ground[d].signal, t, motion);
        y[d] = motion[0];
    }
}

void ifd__model_forces(const ifd_model *m, const ifd_element_in *in, double *r, double *g)
{
    double y[3] = {0.0}, a[IFD__INERTIAL_COORDINATES], mm[IFD__INERTIAL_COORDINATES * IFD__INERTIAL_COORDINATES];
    clear(r, m->nq);
    clear(g, m->ns);
    if (m->inertial)
        ground_now(m, in->t, y);
    for (int e = 0; e < m->ne; e++) {
        const ifd_element *element = &m->element[e];
        int c = m->q_of[e], nq = element->nq;
        ifd_element_in own = {
            .t = in->t, .q = in->q + c, .qd = in->qd + c, .qdd = in->qd + c, .s = in->s + m->s_of[e]};
        ifd_element_out out = {.r = r + c, .g = g + m->s_of[e]};
        if (has_mass(m, e)) {
            out.m = mm;
            clear(mm, nq * nq);
        }
        element->ops->eval(element, &own, &out);
        if (has_mass(m, e)) {
            ground_of(m, e, y, in->t, a);
            ifd__mul_add(nq, nq, 1.0, mm, a, r + c);
        }
    }
}

size_t ifd__model_work(const ifd_model *m)
{
    return (size_t)m->n + 5 * (size_t)m->nq; /* energy needs the most */
}

void ifd__model_balance(const ifd_model *m, const ifd__point *p, double *F, double *g, double *w)
{
    double *q = w + m->n, *qd = q + m->nq, *r = qd + m->nq;
    ifd__model_load(m, p->t, F);
    ifd__model_linear(m, -1.0, p->u, p->v, w, F);
    if (m->ne == 0)
        return;
    ifd__model_coordinates(m, p->t, p->u, p->v, q, qd);
    ifd__model_forces(m, &(ifd_element_in){.t = p->t, .q = q, .qd = qd, .s = p->s}, r, g);
    ifd__model_scatter(m, -1.0, r, F);
}

double ifd__model_gone(const ifd_model *m, int i, double t, const double *u, const double *s)
{
    double sum = 0.0, y[3];
    for (int k = m->gone_start[i]; k < m->gone_start[i + 1]; k++) {
        int at = m->gone_dof[k];
        int state = at - m->n - m->nsupport;
        y[0] = at < m->n ? u[at] : 0.0;
        if (state >= m->relaxing)
            ifd_signal_eval(m->load[state - m->relaxing].signal, t, y);
        else if (state >= 0)
            y[0] = s[m->first_state + state];
        else if (at >= m->n)
            ifd_signal_eval(m->support[at - m->n], t, y);
        sum += m->gone_value[k] * y[0];
    }
    return sum;
}

bool ifd__model_gone_moves(const ifd_model *m, int i)
{
    for (int k = m->gone_start[i]; k < m->gone_start[i + 1]; k++)
        if (m->gone_dof[k] >= m->n + m->nsupport && m->gone_dof[k] < m->n + m->nsupport + m->relaxing)
            return true;
    return false;
}

bool ifd__model_gone_recorded(const ifd_model *m, int i)
{
    return m->gone_tied[i] || ifd__model_gone_moves(m, i);
}

bool ifd__model_gone_follows(const ifd_model *m, int i)
{
    for (int k = m->gone_start[i]; k < m->gone_start[i + 1]; k++)
        if (m->gone_dof[k] >= m->n)
            return false;
    return m->gone_tied[i];
}

double ifd__model_gone_sum(const ifd_model *m, int i, const double *x)
{
    double sum = 0.0;
    for (int k = m->gone_start[i]; k < m->gone_start[i + 1]; k++)
        sum += m->gone_value[k] * x[m->gone_dof[k]];
    return sum;
}

void ifd__model_start(const ifd_model *m, double *q)
{
    ifd__model_gather(m, m->u0, q);
    for (int c = 0; m->origin && c < m->nq; c++)
        q[c] -= m->origin[c];
}

void ifd__model_initial(const ifd_model *m, double *y)
{
    size_t n = (size_t)m->n;
    memcpy(y, m->u0, n * sizeof *y);
    memcpy(y + n, m->v0, n * sizeof *y);
    memcpy(y + 2 * n, m->s0, (size_t)m->ns * sizeof *y);
}

bool ifd__model_accepts(const ifd_model *m)
{
    bool some = false;
    for (int e = 0; e < m->ne; e++)
        some = some || m->element[e].ops->accept;
    return some;
}

bool ifd__model_remembers(const ifd_model *m, int state)
{
    int e = 0;
    while (m->s_of[e + 1] <= state)
        e++;
    return m->element[e].ops->accept;
}

void ifd__model_accept(const ifd_model *m, double t, const double *u, const double *v, double *s, double *w)
{
    double *q = w, *qd = w + m->nq;
    ifd__model_coordinates(m, t, u, v, q, qd);
    for (int e = 0; e < m->ne; e++) {
        const ifd_element *element = &m->element[e];
        int c = m->q_of[e];
        double *at = s + m->s_of[e];
        if (element->ops->accept)
            element->ops->accept(element, &(ifd_element_in){.t = t, .q = q + c, .qd = qd + c, .qdd = qd + c, .s = at},
                                 at);
    }
}

void ifd__model_recall(const ifd_model *m, const double *from, double *s)
{
    for (int e = 0; e < m->ne; e++)
        if (m->element[e].ops->accept)
            memcpy(s + m->s_of[e], from + m->s_of[e], sizeof *s * (size_t)m->element[e].ns);
}

void ifd__model_settle(const ifd_model *m, double *s, double *rate, double *pseudo)
{
    for (int e = 0; e < m->ne; e++) {
        const ifd_element *element = &m->element[e];
        int at = m->s_of[e];
        if (element->ops->settle)
            element->ops->settle(element, s + at, rate ? rate + at : NULL, pseudo ? pseudo + at : NULL);
    }
}
