/* SPDX-License-Identifier: MIT */
/* Element states are eliminated inside each element. From
 *     (I - c g_s) k_s = r_s + c (g_q k_q + g_v k_v)
 * the element force M k_v + c (R_q k_q + R_v k_v + R_s k_s) has
 *     Keff = R_q + c R_s N^-1 g_q,   Ceff = R_v + c R_s N^-1 g_v,   and the known term c R_s N^-1 r_s.
 * A rate-independent element under a known motion of its coordinates is condensed by its exact update instead. With
 * `follow`, the states of an element that advances them itself are not unknowns: Keff and Ceff remain. */
#include "method/tangent_inside.h"

#include <string.h>

#include "algebra/dense.h"
#include "base/wide.h"
#include "model/dof_pair.h"

ifd_status ifd__tangent_block(ifd__block *b, const ifd_model *m, int e, ifd_arena *arena)
{
    b->q = m->q_of[e];
    b->s = m->s_of[e];
    b->nq = m->q_of[e + 1] - b->q;
    /* What a material remembers is constant within a step: it is no unknown. */
    b->ns = m->element[e].ops->accept ? 0 : m->s_of[e + 1] - b->s;
    size_t q = (size_t)b->nq, s = (size_t)b->ns;
    b->raw_count = 4 * q * q + 3 * q * s + s * s;
    /* One array: the numbers of a small element share cache lines. */
    double *raw;
    IFD_TRY(
        IFD__TAKE(arena, IFD__ARRAY(raw, b->raw_count + s * s + 2 * q * s + 4 * q * q + s), IFD__ARRAY(b->pivot, s)));
    b->r_q = raw;
    b->r_v = b->r_q + q * q;
    b->m = b->r_v + q * q;
    b->m_q = b->m + q * q;
    b->r_s = b->m_q + q * q;
    b->g_q = b->r_s + q * s;
    b->g_v = b->g_q + q * s;
    b->g_s = b->g_v + q * s;
    b->N = raw + b->raw_count;
    b->X = b->N + s * s;
    b->K = b->X + 2 * q * s;
    b->C = b->K + q * q;
    b->D = b->C + q * q;
    b->D0 = b->D + q * q;
    b->s1 = b->D0 + q * q;
    return IFD_OK;
}

ifd_status ifd__tangent_blocks(ifd__tangent *T, ifd_arena *arena)
{
    size_t nq = (size_t)T->m->nq;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(T->block, T->ne), IFD__ARRAY(T->used, T->ne), IFD__ARRAY(T->active, T->ne),
                      IFD__ARRAY(T->aq, nq), IFD__ARRAY(T->wq, nq), IFD__ARRAY(T->wq2, nq), IFD__ARRAY(T->wq3, nq),
                      IFD__ARRAY(T->wqa, nq), IFD__ARRAY(T->ws, T->m->ns)));
    for (int e = 0; e < T->ne; e++) {
        IFD_TRY(ifd__tangent_block(&T->block[e], T->m, e, arena));
        T->used[e] = &T->block[e];
        ifd__tangent_activate(T, e);
    }
    return IFD_OK;
}

/* K += r_s s_q, s_q in b->X. */
static void condense_exact(ifd__block *b)
{
    ifd__matmul_add(b->nq, b->nq, b->ns, 1.0, b->r_s, b->X, b->K);
}

static bool condense_states(ifd__block *b, double cs)
{
    int nq = b->nq, ns = b->ns;
    for (int k = 0; k < ns * ns; k++)
        b->N[k] = -cs * b->g_s[k];
    for (int i = 0; i < ns; i++)
        b->N[i + i * ns] += 1.0;
    if (!ifd__lu_factor(ns, b->N, b->pivot))
        return false;
    memcpy(b->X, b->g_q, sizeof(double) * (size_t)(ns * nq));
    memcpy(b->X + ns * nq, b->g_v, sizeof(double) * (size_t)(ns * nq));
    ifd__lu_solve(ns, b->N, b->pivot, 2 * nq, b->X);
    ifd__matmul_add(nq, nq, ns, cs, b->r_s, b->X, b->K);
    ifd__matmul_add(nq, nq, ns, cs, b->r_s, b->X + ns * nq, b->C);
    return true;
}

/* The effect of the states during a stage remains in K and C; the system contains nothing else of them. Any K and C
 * keep the order of LSRT methods; these also keep the damping of fast states. */
static void leave_states(ifd__block *b)
{
    size_t nq = (size_t)b->nq, ns = (size_t)b->ns;
    memcpy(b->r_q, b->K, nq * nq * sizeof(double));
    memcpy(b->r_v, b->C, nq * nq * sizeof(double));
    memset(b->r_s, 0, nq * ns * sizeof(double));
    memset(b->g_q, 0, nq * ns * sizeof(double));
    memset(b->g_v, 0, nq * ns * sizeof(double));
    memset(b->g_s, 0, ns * ns * sizeof(double));
}

static void evaluate(ifd__tangent *T, int e, const ifd_element_in *in)
{
    const ifd_element *el = &T->m->element[e];
    ifd__block *b = &T->block[e];
    bool inertial = el->ops->flags & IFD_ELEMENT_INERTIAL;
    memset(b->r_q, 0, sizeof(double) * b->raw_count);
    ifd_element_out out = {.m = inertial ? b->m : NULL};
    if (!T->mass_only) {
        out.r_q = b->r_q;
        out.r_v = b->r_v;
        out.m_q = inertial ? b->m_q : NULL;
        if (b->ns) {
            out.r_s = b->r_s;
            out.g_q = b->g_q;
            out.g_v = b->g_v;
            out.g_s = b->g_s;
        }
    }
    if (out.m || !T->mass_only)
        el->ops->eval(el, in, &out);
}

static bool condense(ifd__tangent *T, int e, bool exact)
{
    const ifd_element *el = &T->m->element[e];
    ifd__block *b = &T->block[e];
    const ifd__tangent_options *c = &T->opt;
    int nn = b->nq * b->nq;
    for (int k = 0; k < nn; k++) {
        b->r_q[k] += b->m_q[k];
        b->K[k] = b->r_q[k];
        b->C[k] = b->r_v[k];
    }
    if (exact)
        condense_exact(b);
    else if (b->ns && !T->mass_only && !condense_states(b, c->cs))
        return false;
    b->followed = c->follow && el->ops->follow && b->ns;
    if (b->followed)
        leave_states(b);
    const double *m0 = T->m->m0 + T->m->mm_of[e];
    for (int k = 0; k < nn; k++) {
        if (el->ops->flags & IFD_ELEMENT_INERTIAL)
            b->m[k] -= m0[k];
        b->D[k] = c->cm * b->m[k] + c->cv * b->C[k] + c->cu * b->K[k] - b->D0[k];
    }
    return true;
}

bool ifd__tangent_element_at(ifd__tangent *T, int e, const ifd_element_in *in)
{
    T->block[e].exact = false;
    evaluate(T, e, in);
    return condense(T, e, false);
}

static bool element(ifd__tangent *T, int e, const ifd__point *p)
{
    const ifd_element *el = &T->m->element[e];
    ifd__block *b = &T->block[e];
    bool exact = p->dq && el->ops->advance;
    b->exact = exact;
    if (exact) {
        memcpy(b->s1, p->s + b->s, sizeof(double) * (size_t)b->ns);
        el->ops->advance(el, p->dq + b->q, b->s1, b->X);
    }
    evaluate(T, e,
             &(ifd_element_in){.t = p->t,
                               .q = T->wq + b->q,
                               .qd = T->wq2 + b->q,
                               .qdd = T->wqa + b->q,
                               .s = exact ? b->s1 : p->s + b->s});
    return condense(T, e, exact);
}

bool ifd__tangent_elements(ifd__tangent *T, const ifd__point *p)
{
    const ifd_model *m = T->m;
    ifd__model_coordinates(m, p->t, p->u, p->v, T->wq, T->wq2);
    if (m->inertial) {
        ifd__model_ground_q(m, p->t, T->wqa);
        if (p->a) {
            ifd__model_gather(m, p->a, T->wq3);
            for (int q = 0; q < m->nq; q++)
                T->wqa[q] += T->wq3[q];
        }
    }
    bool ok = true;
    for (int e = 0; e < T->ne; e++)
        ok = element(T, e, p) && ok;
    return ok;
}

static void estimates(const ifd__tangent *T, double alpha, const double *ku, const double *kv, double *y)
{
    for (int k = 0; k < T->opt.estimates; k++) {
        const ifd_estimate *e = &T->opt.estimate[k];
        double du = ifd__deformation(e->from, e->to, ku), dv = kv ? ifd__deformation(e->from, e->to, kv) : 0.0;
        ifd__add_restoring_force(e->from, e->to, -(alpha * (e->stiffness * du + e->damping * dv)), y);
    }
}

/* z := x + c y */
static IFD__WIDE IFD_RT void add_scaled(int n, const double *x, double c, const double *y, double *z)
{
    for (int i = 0; i < n; i++)
        z[i] = x[i] + c * y[i];
}

void ifd__tangent_stage(ifd__tangent *T, const double *ru, double *rs, double *rv, double *ku)
{
    const ifd_model *m = T->m;
    double c = T->opt.cs;
    estimates(T, -c, ru, NULL, rv);
    if (T->ne) {
        ifd__model_gather(m, ru, T->wq);
        memset(T->wq2, 0, sizeof(double) * (size_t)m->nq);
        for (int e = 0; e < T->ne; e++) {
            const ifd__block *b = T->used[e];
            ifd__mul_add(b->nq, b->nq, c, b->K, T->wq + b->q, T->wq2 + b->q);
            if (b->ns && !b->followed) {
                ifd__lu_solve(b->ns, b->N, b->pivot, 1, rs + b->s);
                ifd__mul_add(b->nq, b->ns, c, b->r_s, rs + b->s, T->wq2 + b->q);
            }
        }
        ifd__model_scatter(m, -1.0, T->wq2, rv);
    }
    ifd__tangent_solve(T, rv);
    add_scaled(m->n, ru, c, rv, ku);
    ifd__tangent_expand(T, ku, rv, rs); /* rs already contains N^-1 r_s */
}

void ifd__tangent_reduce(ifd__tangent *T, double alpha, double *rs, double *y)
{
    const ifd_model *m = T->m;
    if (!T->ne || !m->ns)
        return;
    memset(T->wq2, 0, sizeof(double) * (size_t)m->nq);
    for (int e = 0; e < T->ne; e++) {
        const ifd__block *b = T->used[e];
        if (!b->ns || b->exact)
            continue;
        ifd__lu_solve(b->ns, b->N, b->pivot, 1, rs + b->s);
        ifd__mul_add(b->nq, b->ns, alpha, b->r_s, rs + b->s, T->wq2 + b->q);
    }
    ifd__model_scatter(m, 1.0, T->wq2, y);
}

void ifd__tangent_expand(ifd__tangent *T, const double *du, const double *dv, double *rs)
{
    const ifd_model *m = T->m;
    if (!T->ne || !m->ns)
        return;
    ifd__model_gather(m, du, T->wq);
    ifd__model_gather(m, dv, T->wq2);
    for (int e = 0; e < T->ne; e++) {
        const ifd__block *b = T->used[e];
        if (!b->ns || b->exact || b->followed)
            continue;
        ifd__mul_add(b->ns, b->nq, T->opt.cs, b->X, T->wq + b->q, rs + b->s);
        ifd__mul_add(b->ns, b->nq, T->opt.cs, b->X + b->ns * b->nq, T->wq2 + b->q, rs + b->s);
    }
}

void ifd__tangent_force(ifd__tangent *T, double alpha, const double *ku, const double *kv, const double *ks,
                        double *y)
{
    const ifd_model *m = T->m;
    estimates(T, alpha, ku, kv, y);
    if (!T->ne)
        return;
    ifd__model_gather(m, ku, T->wq);
    ifd__model_gather(m, kv, T->wq2);
    memset(T->wq3, 0, sizeof(double) * (size_t)m->nq);
    for (int e = 0; e < T->ne; e++) {
        const ifd__block *b = T->used[e];
        double *f = T->wq3 + b->q;
        ifd__mul_add(b->nq, b->nq, alpha, b->r_q, T->wq + b->q, f);
        ifd__mul_add(b->nq, b->nq, alpha, b->r_v, T->wq2 + b->q, f);
        ifd__mul_add(b->nq, b->ns, alpha, b->r_s, ks + b->s, f);
    }
    ifd__model_scatter(m, 1.0, T->wq3, y);
}

void ifd__tangent_rate(ifd__tangent *T, double alpha, const double *ku, const double *kv, const double *ks, double *y)
{
    const ifd_model *m = T->m;
    if (!T->ne || !m->ns)
        return;
    ifd__model_gather(m, ku, T->wq);
    ifd__model_gather(m, kv, T->wq2);
    for (int e = 0; e < T->ne; e++) {
        const ifd__block *b = T->used[e];
        ifd__mul_add(b->ns, b->nq, alpha, b->g_q, T->wq + b->q, y + b->s);
        ifd__mul_add(b->ns, b->nq, alpha, b->g_v, T->wq2 + b->q, y + b->s);
        ifd__mul_add(b->ns, b->ns, alpha, b->g_s, ks + b->s, y + b->s);
    }
}

void ifd__tangent_mass(ifd__tangent *T, double alpha, const double *x, double *y)
{
    const ifd_model *m = T->m;
    ifd__sparse_mul_add(&m->M, alpha, x, y);
    if (!T->ne || !m->inertial)
        return;
    ifd__model_gather(m, x, T->wq);
    memset(T->wq2, 0, sizeof(double) * (size_t)m->nq);
    for (int e = 0; e < T->ne; e++) {
        const ifd__block *b = T->used[e];
        ifd__mul_add(b->nq, b->nq, alpha, b->m, T->wq + b->q, T->wq2 + b->q);
    }
    ifd__model_scatter(m, 1.0, T->wq2, y);
}
