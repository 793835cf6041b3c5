/* SPDX-License-Identifier: MIT */
/* Bounded tangent: the base S0 holds the stiffest tangent of every element, and an update corrects only the elements
 * whose tangent differs most from it.
 *
 * LSRT methods keep their order with any Jacobian, so an element that is not corrected costs accuracy, not order. It
 * costs stability only where its tangent is stiffer than its base: the method is stable while the largest eigenvalue
 * of D F over the elements left out stays below 0.10 (scalar test equation, worst h^2 k/m), and the sum of pi_e,
 *
 *     pi_e = sum_i max(0, D_ii + sum_j |D_ij|) F_ii >= largest eigenvalue of the positive part of D_e F_ee,
 *
 * bounds it. An update takes, in this order and as long as `cap` coordinates allow: elements that are always active;
 * where the sum exceeds BUDGET, those with the largest pi_e; those with mu_e = sum_ij |D_ij| |F_ij| above the
 * tolerance, largest first. The sum of the rest is then formed with F of the corrected matrix; more than BUDGET is
 * reported to the caller.
 *
 * States of an element left out, z' = g_s z + ..., are advanced explicitly: stable for h |g_s| <= 2. Beyond
 * STATE_LIMIT such an element alone exceeds the budget. For a Bouc-Wen element that is a motion of about one yield
 * deformation in a step.
 *
 * Always active: elements without a known stiffest tangent, such as viscous ones (a Jacobian with more damping than
 * the element may be unstable), and those with an unsymmetric base. Never corrected: contact. Its exact tangent is
 * that of the wrong side of the gap in the step where the gap closes. */
#include <math.h>
#include <string.h>

#include "algebra/dense.h"
#include "base/arena.h"
#include "base/wide.h"
#include "method/tangent_inside.h"
#include "model/dof_pair.h"

/* Element states are eliminated inside each element. From
 *     (I - c g_s) k_s = r_s + c (g_q k_q + g_v k_v)
 * the element force M k_v + c (R_q k_q + R_v k_v + R_s k_s) has
 *     Keff = R_q + c R_s N^-1 g_q,   Ceff = R_v + c R_s N^-1 g_v,   and the known term c R_s N^-1 r_s.
 * A rate-independent element under a known motion of its coordinates is condensed by its exact update instead. With
 * `follow`, the states of an element that advances them itself are not unknowns: Keff and Ceff remain. */

static ifd_status tangent_block(ifd__block *b, const ifd_model *m, int e, ifd_arena *arena)
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
        IFD_TRY(tangent_block(&T->block[e], T->m, e, arena));
        T->used[e] = &T->block[e];
        ifd__tangent_activate(T, e);
    }
    return IFD_OK;
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
        ifd__matmul_add(b->nq, b->nq, b->ns, 1.0, b->r_s, b->X, b->K); /* K += r_s s_q */
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

static bool tangent_element_at(ifd__tangent *T, int e, const ifd_element_in *in)
{
    T->block[e].exact = false;
    evaluate(T, e, in);
    return condense(T, e, false);
}

/* A frozen Jacobian of a structure that starts in its gravity state takes elements where they are stiffest: cracks
 * that are open at the start close, and a structure stiffer than its Jacobian would be unstable. */
static bool element(ifd__tangent *T, int e, const ifd__point *p)
{
    const ifd_element *el = &T->m->element[e];
    ifd__block *b = &T->block[e];
    bool exact = p->dq && el->ops->advance;
    if (T->opt.jacobian == IFD__JACOBIAN_FROZEN && T->m->settled && el->stiffest)
        return tangent_element_at(T, e, el->stiffest);
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
        double du = ifd__deformation(IFD__ENDS(e), ku), dv = kv ? ifd__deformation(IFD__ENDS(e), kv) : 0.0;
        ifd__add_restoring_force(IFD__ENDS(e), -(alpha * (e->stiffness * du + e->damping * dv)), y);
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

#define BUDGET 0.05 /* half of the smallest limit */

#define STATE_LIMIT 1.0 /* half of the limit of the explicit midpoint rule on the real axis */

#define ROUNDING 1e-12

/* Tolerance of an element that was corrected in the last step: the choice does not flicker. */
#define KEEP 0.5

ifd_status ifd__bound_classes(ifd__tangent *T, ifd_arena *arena, bool *ok)
{
    ifd__bound *B;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(B, 1)));
    T->bound = B;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(B->kind, T->ne), IFD__ARRAY(B->base, T->ne), IFD__ARRAY(B->mu, T->ne),
                      IFD__ARRAY(B->pi, T->ne), IFD__ARRAY(B->before, T->ne), IFD__ARRAY(B->key, T->ne)));
    int always = 0;
    for (int e = 0; e < T->ne; e++) {
        const ifd_element *el = &T->m->element[e];
        B->kind[e] = BOUND_ALWAYS;
        if (el->stiffest) {
            B->kind[e] = el->ops->flags & IFD_ELEMENT_CONTACT ? BOUND_HELD : BOUND_FREE;
            *ok = tangent_element_at(T, e, el->stiffest) && *ok;
        }
        if (!ifd__tangent_symmetric(T->block[e].nq, T->block[e].D))
            B->kind[e] = BOUND_ALWAYS;
        always += B->kind[e] == BOUND_ALWAYS ? T->block[e].nq : 0;
    }
    B->capacity = always > T->opt.cap ? always : T->opt.cap < T->m->nq ? T->opt.cap : T->m->nq;
    return IFD_OK;
}

ifd_status ifd__bound_keep(ifd__tangent *T, ifd_arena *arena)
{
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(T->bound->F, (size_t)T->m->mm_of[T->ne])));
    for (int e = 0; e < T->ne; e++) {
        const ifd__block *from = &T->block[e];
        ifd__block *b = &T->bound->base[e];
        for (int j = 0; j < from->nq; j++)
            memcpy(T->bound->F + T->m->mm_of[e] + j * from->nq,
                   T->F + (size_t)(from->q + j) * (size_t)T->m->nq + from->q, (size_t)from->nq * sizeof(double));
        if (T->bound->kind[e] == BOUND_ALWAYS)
            continue;
        IFD_TRY(tangent_block(b, T->m, e, arena));
        size_t nn = (size_t)(b->nq * b->nq), ns = (size_t)b->ns;
        memcpy(b->r_q, from->r_q, b->raw_count * sizeof(double));
        memcpy(b->N, from->N, ns * ns * sizeof(double));
        memcpy(b->X, from->X, 2 * (size_t)b->nq * ns * sizeof(double));
        memcpy(b->pivot, from->pivot, ns * sizeof(int));
        memcpy(b->K, from->K, nn * sizeof(double));
        memcpy(b->C, from->C, nn * sizeof(double));
        b->followed = from->followed;
        T->used[e] = b;
    }
    T->actives = T->na = 0; /* nothing is factored before the first choice */
    return IFD_OK;
}

/* Row i of the symmetric part of D: diagonal plus the magnitudes beside it. */
static double row_bound(const ifd__block *b, int i)
{
    double sum = b->D[i + i * b->nq];
    for (int j = 0; j < b->nq; j++)
        if (j != i)
            sum += 0.5 * fabs(b->D[i + j * b->nq] + b->D[j + i * b->nq]);
    return sum;
}

double ifd__bound_change(const ifd__block *b, const double *F, double *pi)
{
    double mu = 0.0;
    *pi = 0.0;
    for (int i = 0; i < b->nq; i++) {
        for (int j = 0; j < b->nq; j++)
            mu += fabs(b->D[i + j * b->nq]) * fabs(F[i + j * b->nq]);
        double g = row_bound(b, i);
        *pi += g > 0.0 ? g * F[i + i * b->nq] : 0.0;
    }
    return mu;
}

/* Larger values first, then the smaller index; never zero. */
static uint64_t key_of(double value, int e)
{
    float f = (float)value;
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return (uint64_t)bits << 32 | (uint32_t)~e;
}

/* The key below which elements no longer fit into `room` coordinates: the largest key that does not fit, 0 when all
 * do. Eight passes over the keys, whatever they are; a key of 0 is no candidate. */
static uint64_t threshold(const ifd__tangent *T, int room)
{
    const uint64_t *key = T->bound->key;
    uint64_t prefix = 0;
    for (int shift = 56; shift >= 0; shift -= 8) {
        int count[256] = {0};
        uint64_t mask = shift == 56 ? 0 : ~UINT64_C(0) << (shift + 8);
        for (int e = 0; e < T->ne; e++)
            if (key[e] && (key[e] & mask) == prefix)
                count[key[e] >> shift & 255] += T->block[e].nq;
        int digit = 255;
        while (digit >= 0 && count[digit] <= room)
            room -= count[digit--];
        if (digit < 0)
            return prefix; /* of the first pass: all fit */
        prefix |= (uint64_t)digit << shift;
    }
    return prefix;
}

/* active[e] := 1 for candidates that fit; returns the coordinates they take. */
static int take(const ifd__tangent *T, int room, double *active)
{
    const ifd__bound *B = T->bound;
    uint64_t limit = threshold(T, room);
    int taken = 0;
    for (int e = 0; e < T->ne; e++)
        if (B->key[e] > limit) {
            active[e] = 1.0;
            taken += T->block[e].nq;
        }
    return taken;
}

/* Largest sum of a row of h |g_s - g_s of the base|. */
static double state_change(const ifd__tangent *T, int e)
{
    const ifd__block *b = &T->block[e], *base = &T->bound->base[e];
    double most = 0.0;
    for (int i = 0; i < b->ns; i++) {
        double sum = 0.0;
        for (int j = 0; j < b->ns; j++)
            sum += fabs(b->g_s[i + j * b->ns] - base->g_s[i + j * b->ns]);
        most = sum > most ? sum : most;
    }
    return T->opt.step * most;
}

static double left_out(const ifd__tangent *T, const double *active)
{
    double sum = 0.0;
    for (int e = 0; e < T->ne; e++)
        if (active[e] == 0.0)
            sum += T->bound->pi[e];
    return sum;
}

/* Measures all elements; returns the coordinates of those that are always active. */
static int begin(ifd__tangent *T, double *active)
{
    const ifd__bound *B = T->bound;
    int taken = 0;
    for (int e = 0; e < T->ne; e++) {
        const ifd__block *b = &T->block[e];
        bool always = B->kind[e] == BOUND_ALWAYS;
        B->mu[e] = ifd__bound_change(b, B->F + T->m->mm_of[e], &B->pi[e]);
        if (!always && state_change(T, e) > STATE_LIMIT)
            B->pi[e] += 2.0 * BUDGET;
        active[e] = always ? 1.0 : 0.0;
        taken += always ? b->nq : 0;
    }
    return taken;
}

static void use(ifd__tangent *T, const double *active)
{
    T->actives = T->na = 0;
    for (int e = 0; e < T->ne; e++) {
        T->used[e] = active[e] != 0.0 ? &T->block[e] : &T->bound->base[e];
        if (active[e] != 0.0)
            ifd__tangent_activate(T, e);
    }
}

/* Candidates: elements that are left out and stiffer than their base. The others together have at most half the
 * budget. */
static void stiffer(const ifd__tangent *T, const double *active)
{
    const ifd__bound *B = T->bound;
    for (int e = 0; e < T->ne; e++) {
        bool candidate = active[e] == 0.0 && B->kind[e] == BOUND_FREE && B->pi[e] > 0.5 * BUDGET / T->ne;
        B->key[e] = candidate ? key_of(B->pi[e], e) : 0;
    }
}

/* The elements for this update: those that stability needs, then those that accuracy needs. */
static void choose(ifd__tangent *T, double *active)
{
    const ifd__bound *B = T->bound;
    double *before = B->before;
    memcpy(before, active, sizeof *before * (size_t)T->ne);
    int room = B->capacity - begin(T, active);
    if (left_out(T, active) > BUDGET) {
        stiffer(T, active);
        room -= take(T, room, active);
    }
    for (int e = 0; e < T->ne; e++) {
        double limit = before[e] != 0.0 ? KEEP * T->opt.tolerance : T->opt.tolerance;
        bool candidate = active[e] == 0.0 && B->kind[e] == BOUND_FREE && B->mu[e] >= limit;
        B->key[e] = candidate ? key_of(fmax(B->mu[e], 2.0 * B->pi[e]), e) : 0;
    }
    take(T, room, active);
}

/* pi_e of a left-out element with F of the corrected matrix, F - F B (I + D F)^-1 D B^T F: where active elements have
 * softened, it is larger than F of the base. */
static double pi_corrected(ifd__tangent *T, const ifd__block *b)
{
    size_t nq = (size_t)T->m->nq;
    double pi = 0.0;
    for (int i = 0; i < b->nq; i++) {
        const double *f = T->F + (size_t)(b->q + i) * nq;
        double g = row_bound(b, i), F = f[b->q + i];
        if (!(g > 0.0))
            continue;
        for (int k = 0; k < T->na; k++)
            T->wq[k] = f[T->aq[k]];
        ifd__tangent_capacitance(T);
        for (int k = 0; k < T->na; k++)
            F -= f[T->aq[k]] * T->wq2[k];
        pi += g * F;
    }
    return pi;
}

/* Whether the elements left out are within the budget. At most `capacity` of them are examined with the corrected
 * matrix, a bounded number of operations; more stiffened elements than that are beyond it. pi below ROUNDING is the
 * rounding of an unchanged tangent. */
static bool within_budget(ifd__tangent *T, const double *active)
{
    const ifd__bound *B = T->bound;
    double sum = 0.0;
    int examined = 0;
    for (int e = 0; e < T->ne; e++) {
        if (active[e] != 0.0 || !(B->pi[e] > ROUNDING || isnan(B->pi[e])))
            continue;
        double pi = B->pi[e];
        if (T->na && ++examined > B->capacity)
            return false;
        sum += T->na ? fmax(pi, pi_corrected(T, &T->block[e])) : pi;
    }
    return sum <= BUDGET;
}

bool ifd__tangent_resume(ifd__tangent *T, const ifd__point *p, const double *active)
{
    bool positive;
    if (!T->bound)
        return ifd__tangent_update(T, p);
    bool good = ifd__tangent_elements(T, p);
    use(T, active);
    return (T->na == 0 || ifd__tangent_refactor(T, &positive)) && good;
}

/* A base above 10 times the initial stiffness changes frequencies noticeably from omega h = 0.1 on. For one dof the
 * change of the matrix relative to its initial value is then (10 - 1) gamma^2 0.1^2 = 0.0077, and the frequency falls
 * by about two thirds of the change. */
void ifd__bound_remark(ifd__tangent *T, const ifd__point *initial, ifd_note *note)
{
    const double stiff = 10.0, small = 7.7e-3, of_frequency = 0.68;
    double worst = small, pi;
    int at = -1;
    if (!ifd__tangent_elements(T, initial))
        return;
    for (int e = 0; e < T->ne; e++) {
        const ifd__block *b = &T->block[e], *base = &T->bound->base[e];
        if (T->bound->kind[e] == BOUND_ALWAYS || b->nq != 1 || base->K[0] <= stiff * b->K[0])
            continue;
        double mu = ifd__bound_change(b, T->bound->F + T->m->mm_of[e], &pi);
        double change = mu < 1.0 ? mu / (1.0 - mu) : HUGE_VAL;
        if (change > worst) {
            worst = change;
            at = e;
        }
    }
    if (at >= 0)
        ifd_note_remark(note, NULL,
                        "'jacobian: bounded' holds element '%s' at more than %g times its initial stiffness, which "
                        "lowers frequencies of its motion by up to %.2g %% at this step: use a smaller step or "
                        "'jacobian: refactor'",
                        T->m->element[at].name, stiff, 100.0 * fmin(of_frequency * worst, 1.0));
}

ifd__choice ifd__tangent_choose(ifd__tangent *T, const ifd__point *p, double *active)
{
    if (T->mode == TANGENT_LINEAR)
        return IFD__CHOICE_OK;
    bool positive = true;
    if (!ifd__tangent_elements(T, p))
        return IFD__CHOICE_SINGULAR;
    choose(T, active);
    use(T, active);
    if (T->na && !ifd__tangent_refactor(T, &positive))
        return IFD__CHOICE_SINGULAR;
    if (positive && within_budget(T, active))
        return IFD__CHOICE_OK;
    if (!T->opt.all_beyond)
        return IFD__CHOICE_BEYOND;
    for (int e = 0; e < T->ne; e++)
        active[e] = T->bound->kind[e] == BOUND_HELD ? 0.0 : 1.0;
    use(T, active);
    return T->na && !ifd__tangent_refactor(T, &positive) ? IFD__CHOICE_SINGULAR : IFD__CHOICE_ALL;
}
