/* SPDX-License-Identifier: MIT */
/* Element states during a slow motion from q0 to q:
 *   advance  a rate-independent element with an exact update
 *   relax    g(q, 0, s) = 0 has a solution nearby (g_s is regular): k = r_q - r_s g_s^-1 g_q
 *   path     g vanishes with the rate, so ds/dq does not depend on it: s' = g(q, dq, s) over a unit of time, and
 *            k = r_q + r_s g_v
 *   held     none of these (an integrator): the states are constant */
#include "model/equilibrium/at_rest.h"

#include <math.h>
#include <string.h>

#include "algebra/dense.h"
#include "model/fibre/element.h"

enum { RELAX_STEPS = 50, PATH_STEPS = 64 };

/* One element, with storage for its derivatives. */
typedef struct piece {
    const ifd_element *e;
    ifd_element_in in;
    const double *zero; /* nq */
    double *s, *r, *k, *g;
    double *r_s, *g_q, *g_v, *g_s; /* last derivatives */
    double *x;                     /* ns x (nq + 1), and 5 ns for the path */
} piece;

static size_t piece_room(int nq, int ns)
{
    return (size_t)(ns + 3 * nq * ns + ns * ns + ns * ns + ns * (nq + 1) + 5 * ns);
}

static void clear(double *x, int n)
{
    memset(x, 0, (size_t)n * sizeof *x);
}

static void derivatives(piece *p, const double *qd)
{
    int nq = p->e->nq, ns = p->e->ns;
    clear(p->r, nq);
    clear(p->k, nq * nq);
    p->in.qd = qd;
    p->in.s = p->s;
    ifd_element_out out = {.r = p->r, .r_q = p->k};
    if (!p->e->ops->accept) {                    /* what it remembers has no derivatives */
        clear(p->g, ns + 3 * nq * ns + ns * ns); /* g, r_s, g_q, g_v, g_s are adjacent */
        out = (ifd_element_out){
            .r = p->r, .g = p->g, .r_q = p->k, .r_s = p->r_s, .g_q = p->g_q, .g_v = p->g_v, .g_s = p->g_s};
    }
    p->e->ops->eval(p->e, &p->in, &out);
}

/* k += factor r_s x, x ns x nq */
static void follow(piece *p, double factor, const double *x)
{
    int nq = p->e->nq, ns = p->e->ns;
    for (int j = 0; j < nq; j++)
        for (int l = 0; l < ns; l++)
            for (int i = 0; i < nq; i++)
                p->k[i + j * nq] += factor * p->r_s[i + l * nq] * x[l + j * ns];
}

/* x := g_s^-1 x for nrhs columns; false if g_s is singular. */
static bool solve_states(piece *p, int nrhs, double *x)
{
    int ns = p->e->ns;
    double *copy = p->g_s + ns * ns;
    memcpy(copy, p->g_s, (size_t)(ns * ns) * sizeof *copy);
    return ifd__scaled_solve(ns, copy, nrhs, x) == IFD__SOLVED;
}

static bool relax(piece *p)
{
    int nq = p->e->nq, ns = p->e->ns;
    for (int step = 0; step < RELAX_STEPS; step++) {
        double change = 0.0, size = 0.0;
        derivatives(p, p->zero);
        memcpy(p->x, p->g, (size_t)ns * sizeof *p->x);
        if (!solve_states(p, 1, p->x))
            return false;
        for (int i = 0; i < ns; i++) {
            p->s[i] -= p->x[i];
            change = fmax(change, fabs(p->x[i]));
            size = fmax(size, fabs(p->s[i]));
        }
        if (change <= 1e-14 * size)
            break;
    }
    derivatives(p, p->zero);
    memcpy(p->x, p->g_q, (size_t)(ns * nq) * sizeof *p->x);
    if (!solve_states(p, nq, p->x))
        return false;
    follow(p, -1.0, p->x);
    return true;
}

/* True if g vanishes at rest for any states and changes them with the rate. */
static bool follows_rate(const piece *p)
{
    int nq = p->e->nq, ns = p->e->ns;
    double still = 0.0, moving = 0.0;
    for (int i = 0; i < ns; i++)
        still += fabs(p->g[i]);
    for (int i = 0; i < ns * nq; i++) {
        still += fabs(p->g_q[i]);
        moving += fabs(p->g_v[i]);
    }
    for (int i = 0; i < ns * ns; i++)
        still += fabs(p->g_s[i]);
    return still == 0.0 && moving > 0.0;
}

/* The classical Runge-Kutta method along the straight path; dq = q - q0. */
static void follow_path(piece *p, const double *q0, const double *dq, const double *q1)
{
    static const double node[4] = {0.0, 0.5, 0.5, 1.0}, weight[4] = {1 / 6.0, 1 / 3.0, 1 / 3.0, 1 / 6.0};
    int nq = p->e->nq, ns = p->e->ns;
    double *start = p->x, *sum = start + ns, *rate = sum + ns, h = 1.0 / PATH_STEPS,
           *q = p->k; /* k is unused until the end */
    ifd_element_in in = p->in;
    ifd_element_out out = {.g = rate};
    in.q = q;
    in.qd = dq;
    in.s = p->s;
    for (int step = 0; step < PATH_STEPS; step++) {
        memcpy(start, p->s, (size_t)ns * sizeof *start);
        clear(sum, ns);
        clear(rate, ns);
        for (int stage = 0; stage < 4; stage++) {
            for (int i = 0; i < nq; i++)
                q[i] = q0[i] + h * (step + node[stage]) * dq[i];
            for (int i = 0; i < ns; i++)
                p->s[i] = start[i] + h * node[stage] * rate[i];
            clear(rate, ns);
            p->e->ops->eval(p->e, &in, &out);
            for (int i = 0; i < ns; i++)
                sum[i] += weight[stage] * rate[i];
        }
        for (int i = 0; i < ns; i++)
            p->s[i] = start[i] + h * sum[i];
        if (p->e->ops->settle)
            p->e->ops->settle(p->e, p->s, NULL, NULL);
    }
    p->in.q = q1;
    derivatives(p, dq);
    follow(p, 1.0, p->g_v);
    /* The force is that of the element at rest at q. */
    clear(p->r, nq);
    ifd_element_out force = {.r = p->r};
    p->in.qd = p->zero;
    p->e->ops->eval(p->e, &p->in, &force);
}

/* Fills s, r, k; false if the states were held. s contains the initial states; there: they were accepted at q0. */
static bool come_to_rest(piece *p, const double *q0, const double *dq, const double *s0, bool there)
{
    int ns = p->e->ns;
    derivatives(p, p->zero);
    if (ns == 0)
        return true;
    if (p->e->ops->accept) {
        ifd_element_in at = p->in;
        at.q = q0;
        at.qd = p->zero;
        at.s = p->s;
        if (!there && !ifd__fibre_member_of(p->e)) { /* a new share of its load and the motion are one move */
            p->e->ops->accept(p->e, &at, p->s);
            derivatives(p, p->zero);
        }
        at.q = p->in.q;
        p->e->ops->accept(p->e, &at, p->s);
        return true;
    }
    if (p->e->ops->advance) {
        clear(p->x, ns * p->e->nq);
        p->e->ops->advance(p->e, dq, p->s, p->x);
        derivatives(p, p->zero);
        follow(p, 1.0, p->x);
        return true;
    }
    if (follows_rate(p)) {
        follow_path(p, q0, dq, p->in.q);
        return true;
    }
    if (relax(p))
        return true;
    memcpy(p->s, s0, (size_t)ns * sizeof *p->s);
    derivatives(p, p->zero);
    return false;
}

ifd_status ifd__rest_make(ifd_arena *arena, const ifd_model *m, ifd__rest *out)
{
    size_t most = 0, nq = (size_t)m->nq;
    for (int e = 0; e < m->ne; e++) {
        size_t room = m->element[e].ops->accept ? 0 : piece_room(m->element[e].nq, m->element[e].ns);
        most = room > most ? room : most;
    }
    *out = (ifd__rest){.m = m};
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(out->q0, nq), IFD__ARRAY(out->q, nq), IFD__ARRAY(out->r, nq),
                      IFD__ARRAY(out->s, m->ns), IFD__ARRAY(out->k, m->mm_of[m->ne]),
                      IFD__ARRAY(out->w, 2 * nq + most), IFD__ARRAY(out->held, m->ne)));
    if (m->settled) { /* its states are those there */
        ifd__model_start(m, out->q0);
        ifd__model_start(m, out->q);
        out->there = true;
    }
    return IFD_OK;
}

void ifd__rest_eval(ifd__rest *rest, double t)
{
    const ifd_model *m = rest->m;
    double *dq = rest->w, *zero = dq + m->nq, *room = zero + m->nq;
    for (int c = 0; c < m->nq; c++)
        dq[c] = rest->q[c] - rest->q0[c];
    clear(zero, m->nq);
    for (int e = 0; e < m->ne; e++) {
        int c = m->q_of[e], nq = m->element[e].nq, ns = m->element[e].ns;
        piece p = {.e = &m->element[e], .zero = zero + c, .s = rest->s + m->s_of[e], .r = rest->r + c};
        p.in = (ifd_element_in){.t = t, .q = rest->q + c, .qdd = zero + c};
        p.k = rest->k + m->mm_of[e];
        if (!p.e->ops->accept) {
            p.g = room;
            p.r_s = p.g + ns;
            p.g_q = p.r_s + nq * ns;
            p.g_v = p.g_q + nq * ns;
            p.g_s = p.g_v + nq * ns;
            p.x = p.g_s + 2 * ns * ns;
        }
        const double *s0 = m->s0 + m->s_of[e];
        if (ns)
            memcpy(p.s, s0, (size_t)ns * sizeof *p.s);
        rest->held[e] = !come_to_rest(&p, rest->q0 + c, dq + c, s0, rest->there);
    }
}

/* a += B block B^T */
static void add_block(const ifd_model *m, int e, const double *block, double *a)
{
    int nq = m->element[e].nq, at = m->q_of[e];
    for (int d = 0; d < nq; d++)
        for (int c = 0; c < nq; c++)
            for (int i = m->b_start[at + c]; i < m->b_start[at + c + 1]; i++)
                for (int j = m->b_start[at + d]; j < m->b_start[at + d + 1]; j++)
                    a[(size_t)m->b_dof[i] + (size_t)m->b_dof[j] * (size_t)m->n] +=
                        m->b_value[i] * block[c + d * nq] * m->b_value[j];
}

void ifd__rest_add(const ifd__rest *rest, int e, double *a)
{
    add_block(rest->m, e, rest->k + rest->m->mm_of[e], a);
}

/* t += the symmetric part of B block B^T */
static void add_triplets(const ifd_model *m, int e, const double *block, ifd__triplets *t)
{
    int nq = m->element[e].nq, q = m->q_of[e];
    for (int d = 0; d < nq; d++)
        for (int c = 0; c < nq; c++)
            for (int i = m->b_start[q + c]; i < m->b_start[q + c + 1]; i++)
                for (int j = m->b_start[q + d]; j < m->b_start[q + d + 1]; j++)
                    ifd__triplet(t, m->b_dof[i], m->b_dof[j],
                                 0.5 * m->b_value[i] * (block[c + d * nq] + block[d + c * nq]) * m->b_value[j]);
}

ifd_status ifd__rest_stiffness(ifd_arena *arena, const ifd__rest *rest, const bool *skip, ifd_sparse *out)
{
    const ifd_model *m = rest->m;
    ifd__triplets t = {.arena = arena};
    for (int e = 0; e < m->ne; e++)
        if (!skip || !skip[e])
            add_triplets(m, e, rest->k + m->mm_of[e], &t);
    ifd_sparse B;
    IFD_TRY(ifd__sparse_make(arena, m->n, &t, true, &B));
    return ifd__sparse_add(arena, 1.0, &m->K, 1.0, &B, out);
}

bool ifd__rest_element_mass(const ifd_model *m, int e, double *mm)
{
    const ifd_element *element = &m->element[e];
    double zero[IFD__INERTIAL_COORDINATES] = {0.0};
    if (!(element->ops->flags & IFD_ELEMENT_INERTIAL))
        return false;
    clear(mm, element->nq * element->nq);
    ifd_element_in in = {.q = zero, .qd = zero, .qdd = zero, .s = m->s0 + m->s_of[e]};
    ifd_element_out out = {.m = mm};
    element->ops->eval(element, &in, &out);
    return true;
}

/* mm := m(0) - m0 of element e; false if it has no mass. */
static bool mass_at_rest(const ifd_model *m, int e, double *mm)
{
    if (!ifd__rest_element_mass(m, e, mm))
        return false;
    for (int i = m->mm_of[e]; i < m->mm_of[e + 1]; i++)
        mm[i - m->mm_of[e]] -= m->m0[i];
    return true;
}

void ifd__rest_mass(const ifd_model *m, double *M)
{
    double mm[IFD__INERTIAL_COORDINATES * IFD__INERTIAL_COORDINATES];
    ifd__sparse_fill(&m->M, M);
    for (int e = 0; e < m->ne; e++)
        if (mass_at_rest(m, e, mm))
            add_block(m, e, mm, M);
}

ifd_status ifd__rest_sparse_mass(ifd_arena *arena, const ifd_model *m, ifd_sparse *out)
{
    double mm[IFD__INERTIAL_COORDINATES * IFD__INERTIAL_COORDINATES];
    ifd__triplets t = {.arena = arena};
    ifd_sparse B;
    *out = m->M;
    if (!m->inertial)
        return IFD_OK;
    for (int e = 0; e < m->ne; e++)
        if (mass_at_rest(m, e, mm))
            add_triplets(m, e, mm, &t);
    IFD_TRY(ifd__sparse_make(arena, m->n, &t, true, &B));
    return ifd__sparse_add(arena, 1.0, &m->M, 1.0, &B, out);
}
