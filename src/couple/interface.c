/* SPDX-License-Identifier: MIT */
/* Evaluates and solves the interface problem of a coupled set. */
#include "couple/interface.h"

#include <string.h>

#include "algebra/dense.h"

void ifd__lists_add(const ifd__lists *L, int rows, double alpha, const double *x, double *y)
{
    enum { SHORT = 16 }; /* below this length a call costs more than it saves */
    for (int j = 0; j < rows; j++) {
        int from = L->start[j], end = L->start[j + 1];
        double sum = 0.0;
        if (end - from == L->n && L->n >= SHORT)
            sum = ifd__dot(L->n, L->value + from, x);
        else
            for (int k = from; k < end; k++)
                sum += L->value[k] * x[L->dof[k]];
        y[j] += alpha * sum;
    }
}

void ifd__interface_see(const ifd__interface *I, int p, const double *u, const double *v, const double *s,
                        ifd__sight *out)
{
    const ifd__seen_part *part = &I->part[p];
    const ifd_model *m = part->m;
    memset(out->lin, 0, sizeof(double) * (size_t)I->rows);
    ifd__lists_add(&part->Qk, I->rows, -1.0, u, out->lin);
    ifd__lists_add(&part->Qc, I->rows, -1.0, v, out->lin);
    ifd__model_gather(m, u, out->q);
    ifd__model_gather(m, v, out->qd);
    memcpy(out->s, s, sizeof(double) * (size_t)m->ns);
    if (m->inertial) {
        memcpy(out->u, u, sizeof(double) * (size_t)m->n);
        memcpy(out->v, v, sizeof(double) * (size_t)m->n);
    }
}

/* Interpolation of a substructure: the fraction theta between two sights. */
typedef struct view {
    const ifd__sight *a, *b;
    double theta;
} view;

IFD_RT static void between(int n, const double *a, const double *b, double theta, double *out)
{
    for (int i = 0; i < n; i++)
        out[i] = a[i] + theta * (b[i] - a[i]);
}

IFD_RT static void add_inputs(const ifd__seen_part *s, int rows, double t, double *y)
{
    const ifd_model *m = s->m;
    double value[3];
    for (int i = 0; i < m->nload; i++) {
        ifd_signal_eval(m->load[i].signal, t, value);
        for (int j = 0; j < rows; j++)
            y[j] += s->in[j + i * rows] * value[0];
    }
    for (int i = 0; i < m->nsupport; i++) {
        ifd_signal_eval(m->support[i], t, value);
        for (int d = 0; d < 3; d++)
            for (int j = 0; j < rows; j++)
                y[j] += s->in[j + (m->nload + 3 * i + d) * rows] * value[d];
    }
    for (int d = 0; d < 3; d++)
        if (m->ground[d].signal) {
            ifd_signal_eval(m->ground[d].signal, t, value);
            for (int j = 0; j < rows; j++)
                y[j] += s->in[j + (m->nload + 3 * m->nsupport + d) * rows] * value[0];
        }
}

/* y += G M^-1 (P - R) of a substructure with constant mass. */
IFD_RT static void add_constant(const ifd__interface *I, const ifd__seen_part *s, double t, view at, double *y)
{
    const ifd__sight *a = at.a, *b = at.b;
    double theta = at.theta;
    const ifd_model *m = s->m;
    int rows = I->rows;
    for (int j = 0; j < rows; j++)
        y[j] += a->lin[j] + theta * (b->lin[j] - a->lin[j]);
    add_inputs(s, rows, t, y);
    for (int j = 0; s->measured && j < rows; j++)
        y[j] += ifd__dot(m->n, s->MG + (size_t)j * (size_t)m->n, s->measured);
    if (!m->ne)
        return;
    double *r = s->w;
    between(m->nq, a->q, b->q, theta, s->mean.q);
    between(m->nq, a->qd, b->qd, theta, s->mean.qd);
    between(m->ns, a->s, b->s, theta, s->mean.s);
    if (s->accepts)
        ifd__model_recall(m, a->s, s->mean.s);
    ifd__model_add_supports(m, t, s->mean.q, s->mean.qd);
    ifd__model_forces(m, &(ifd_element_in){.t = t, .q = s->mean.q, .qd = s->mean.qd, .s = s->mean.s}, r, s->g);
    ifd__mul_add(rows, m->nq, -1.0, s->E, r, y);
}

/* The same for a substructure whose mass depends on its configuration; adds its contribution to H. */
IFD_RT static bool add_inertial(ifd__interface *I, const ifd__seen_part *s, double t, view at, double *y)
{
    const ifd__sight *a = at.a, *b = at.b;
    double theta = at.theta;
    const ifd_model *m = s->m;
    between(m->n, a->u, b->u, theta, s->mean.u);
    between(m->n, a->v, b->v, theta, s->mean.v);
    between(m->ns, a->s, b->s, theta, s->mean.s);
    if (s->accepts)
        ifd__model_recall(m, a->s, s->mean.s);
    const ifd__point p = {.t = t, .u = s->mean.u, .v = s->mean.v, .s = s->mean.s};
    ifd__model_balance(m, &p, s->F, s->g, s->w);
    for (int i = 0; s->measured && i < m->n; i++)
        s->F[i] += s->measured[i];
    bool ok = ifd__tangent_update(s->mass, &p);
    ifd__tangent_solve(s->mass, s->F);
    ifd__lists_add(&s->G, I->rows, 1.0, s->F, y);
    for (int j = 0; j < I->rows; j++) {
        memset(s->F, 0, sizeof(double) * (size_t)m->n);
        for (int k = s->G.start[j]; k < s->G.start[j + 1]; k++)
            s->F[s->G.dof[k]] += s->G.value[k];
        ifd__tangent_solve(s->mass, s->F);
        ifd__lists_add(&s->G, I->rows, 1.0, s->F, I->Hnow + (size_t)j * (size_t)I->rows);
    }
    return ok;
}

bool ifd__interface_term(ifd__interface *I, int p, const ifd__views *at, double *y)
{
    const ifd__seen_part *s = &I->part[p];
    const view between_them = {at->from[p], at->to[p], at->theta[p]};
    memset(y, 0, sizeof(double) * (size_t)I->rows);
    if (s->m->inertial)
        return add_inertial(I, s, at->t, between_them, y);
    add_constant(I, s, at->t, between_them, y);
    return true;
}

/* Each term is summed on its own: the bits do not depend on the process that has the substructure. */
bool ifd__interface_free(ifd__interface *I, double t, const ifd__sight *const *from, const ifd__sight *const *to,
                         const double *theta, double *y)
{
    const ifd__views at = {t, from, to, theta};
    bool ok = true;
    if (I->inertial)
        memcpy(I->Hnow, I->H, sizeof(double) * (size_t)(I->rows * I->rows));
    if (I->sum)
        return I->sum(I->over, I, &at, y);
    memset(y, 0, sizeof(double) * (size_t)I->rows);
    for (int p = 0; p < I->parts; p++) {
        ok = ifd__interface_term(I, p, &at, I->term) && ok;
        for (int j = 0; j < I->rows; j++)
            y[j] += I->term[j];
    }
    return ok;
}

bool ifd__interface_solve(ifd__interface *I, double t, const ifd__sight *const *from, const ifd__sight *const *to,
                          const double *theta, double *lambda)
{
    return !I->rows || ifd__interface_react(I, ifd__interface_free(I, t, from, to, theta, lambda), lambda);
}

bool ifd__interface_react(ifd__interface *I, bool ok, double *lambda)
{
    if (I->inertial) {
        memcpy(I->LU, I->Hnow, sizeof(double) * (size_t)(I->rows * I->rows));
        ok = ifd__lu_factor(I->rows, I->LU, I->pivot) && ok;
    }
    ifd__lu_solve(I->rows, I->LU, I->pivot, 1, lambda);
    for (int j = 0; j < I->rows; j++)
        lambda[j] = I->bias[j] - lambda[j];
    return ok;
}

void ifd__interface_response(const ifd__interface *I, const double *lambda, double *y)
{
    ifd__mul_add(I->rows, I->rows, 1.0, I->Hnow, lambda, y);
}

void ifd__interface_load(const ifd__interface *I, int p, const double *lambda, double *load)
{
    const ifd__lists *G = &I->part[p].G;
    memset(load, 0, sizeof(double) * (size_t)I->part[p].m->n);
    for (int j = 0; j < I->rows; j++)
        for (int k = G->start[j]; k < G->start[j + 1]; k++)
            load[G->dof[k]] += G->value[k] * lambda[j];
    const double *measured = I->part[p].measured;
    for (int i = 0; measured && i < I->part[p].m->n; i++)
        load[i] += measured[i];
}

void ifd__interface_gap(const ifd__interface *I, int p, const double *x, double *y)
{
    ifd__lists_add(&I->part[p].G, I->rows, 1.0, x, y);
}

void ifd__interface_feed_back(ifd__interface *I, const double *gap, const double *rate)
{
    double a = I->feedback;
    for (int j = 0; j < I->rows; j++)
        I->bias[j] = -(2.0 * a * rate[j] + a * a * gap[j]);
    ifd__lu_solve(I->rows, I->LU0, I->pivot0, 1, I->bias);
}

void ifd__interface_rest(ifd__interface *I)
{
    memset(I->bias, 0, sizeof *I->bias * (size_t)I->rows);
}

void ifd__interface_reaction(const ifd__interface *I, double *gap)
{
    ifd__lu_solve(I->rows, I->LU0, I->pivot0, 1, gap);
}

void ifd__interface_correct(const ifd__interface *I, int p, const double *gap, double *x)
{
    ifd__mul_add(I->part[p].m->n, I->rows, -1.0, I->part[p].MG, gap, x);
}
