/* SPDX-License-Identifier: MIT */
/* The equation of motion times v gives d/dt (T + V) = input - dissipated. With qr = B^T v, qs the contribution of the
 * supports to the coordinate rates, and a the acceleration of ground and supports,
 *
 *     T = 1/2 v M_lin v + 1/2 qr m(q) qr,    V = 1/2 u K u + elements,
 *     input = P v - qr m a + qs r - qs m' (qr + qs / 2).
 *
 * The last two terms are the work of moving supports through elements: qd r = V' + dissipated + 1/2 qd m' qd holds
 * for the complete rate qd = qr + qs, while T contains qr only. m' x = m_q(x) qd.
 *
 * With supports y, the forces Ks y + Cs y' are part of P. V contains the strain of springs that end at supports, and
 * the dissipated power that of their dashpots:
 *
 *     V += -u Ks y + 1/2 y Kss y,    dissipated += -2 v Cs y' + y' Css y'.
 *
 * Both are added to the input too, V by its rate: the input is then the work of the supports. */
#include <string.h>

#include "algebra/dense.h"
#include "algebra/packed.h"
#include "base/arena.h"
#include "model/equilibrium/relax.h"
#include "model/gravity.h"
#include "model/model.h"
#include "model/relative.h"

enum { MOST = IFD__INERTIAL_COORDINATES };

typedef struct motion {
    const ifd_element *element;
    ifd_element_in in;
    const double *qr, *a, *r; /* rate without the supports, acceleration of ground and supports, force */
    bool supported;           /* a coordinate depends on a support */
} motion;

/* x m' y */
static IFD_RT double mass_rate(const motion *p, const double *x, const double *y)
{
    double m_q[MOST * MOST] = {0.0}, rate[MOST] = {0.0};
    ifd_element_in in = p->in;
    ifd_element_out out = {.m_q = m_q};
    int nq = p->element->nq;
    in.qdd = y;
    p->element->ops->eval(p->element, &in, &out);
    ifd__mul_add(nq, nq, 1.0, m_q, in.qd, rate);
    return ifd__dot(nq, x, rate);
}

static IFD_RT void add_inertia(const motion *p, const double *m0, ifd__energy *out)
{
    double m[MOST * MOST] = {0.0}, y[MOST] = {0.0}, qs[MOST], mean[MOST];
    int nq = p->element->nq;
    ifd_element_out want = {.m = m};
    p->element->ops->eval(p->element, &p->in, &want);
    ifd__mul_add(nq, nq, 1.0, m, p->qr, y);
    out->input -= ifd__dot(nq, y, p->a);
    ifd__mul_add(nq, nq, -1.0, m0, p->qr, y); /* 1/2 v M v already contains the base mass */
    out->kinetic += 0.5 * ifd__dot(nq, y, p->qr);
    for (int i = 0; p->supported && i < nq; i++) {
        qs[i] = p->in.qd[i] - p->qr[i];
        mean[i] = p->qr[i] + 0.5 * qs[i];
    }
    if (p->supported)
        out->input -= mass_rate(p, qs, mean);
    if (!p->element->ops->energy)
        out->dissipated -= 0.5 * mass_rate(p, p->in.qd, p->in.qd);
}

static IFD_RT void add_element(const motion *p, ifd__energy *out)
{
    double stored = 0.0, dissipated = 0.0;
    if (p->element->ops->energy)
        p->element->ops->energy(p->element, &p->in, &stored, &dissipated);
    else
        dissipated = ifd__dot(p->element->nq, p->r, p->in.qd);
    out->stored += stored;
    out->dissipated += dissipated;
    if (ifd__relaxation_loaded(p->element))
        out->input += ifd__relaxation_power(p->element, &p->in);
    for (int i = 0; p->supported && i < p->element->nq; i++)
        out->input += (p->in.qd[i] - p->qr[i]) * p->r[i];
}

static IFD_RT void add_elements(const ifd_model *m, const ifd__point *at, ifd__energy *out, double *w)
{
    double *q = w, *qd = q + m->nq, *qr = qd + m->nq, *r = qr + m->nq, *a = r + m->nq;
    ifd__model_coordinates(m, at->t, at->u, at->v, q, qd);
    ifd__model_gather(m, at->v, qr);
    ifd__model_ground_q(m, at->t, a);
    memset(r, 0, (size_t)m->nq * sizeof *r);
    for (int e = 0; e < m->ne; e++) {
        int c = m->q_of[e];
        motion p = {.element = &m->element[e], .qr = qr + c, .a = a + c, .r = r + c};
        p.in = (ifd_element_in){.t = at->t, .q = q + c, .qd = qd + c, .qdd = qd + c, .s = at->s + m->s_of[e]};
        p.supported = m->bs_start[m->q_of[e + 1]] > m->bs_start[c];
        ifd_element_out want = {.r = r + c};
        p.element->ops->eval(p.element, &p.in, &want);
        add_element(&p, out);
        if (p.element->ops->flags & IFD_ELEMENT_INERTIAL)
            add_inertia(&p, m->m0 + m->mm_of[e], out);
    }
}

/* Adds the entries of factor times A, each pair below the diagonal. */
static void add_half(ifd__triplets *t, double factor, const ifd_sparse *A)
{
    for (int j = 0; j < A->n; j++)
        for (int k = A->p[j]; k < A->p[j + 1]; k++) {
            int i = A->i[k], low = i < j ? j : i, right = i < j ? i : j;
            ifd__triplet(t, low, right, (A->symmetric && i != j ? 2.0 : 1.0) * factor * A->x[k]);
        }
}

/* factors[k] times A[k], summed and packed: half of the entries, or the whole matrix if it is an arrow, which has a
 * faster product. */
static ifd_status form_make(ifd_arena *arena, const double factors[3], const ifd_sparse *const A[3], ifd_sparse *out)
{
    ifd_arena *scratch IFD__CLOSED = ifd_arena_open();
    ifd__triplets t = {.arena = scratch};
    bool whole = true;
    for (int k = 0; k < 3; k++)
        whole = whole &&
                (factors[k] == 0.0 || (A[k]->symmetric && A[k]->packed && A[k]->packed->kind == IFD__PACK_ARROW));
    for (int k = 0; k < 3; k++)
        if (factors[k] != 0.0 && whole)
            ifd__triplet_columns(&t, 0, A[k]->n, factors[k], A[k]);
        else if (factors[k] != 0.0)
            add_half(&t, factors[k], A[k]);
    IFD_TRY(ifd__sparse_make(arena, A[0]->n, &t, whole, out));
    return ifd__sparse_pack(arena, out);
}

ifd_status ifd__forms_make(ifd_arena *arena, const ifd_model *m, ifd__forms *out)
{
    const ifd_sparse *const A[3] = {&m->M, &m->C, &m->K};
    const double damping[3] = {m->ray_m, m->damped ? 1.0 : 0.0, m->ray_k};
    out->damped = m->damped || m->ray_m != 0.0 || m->ray_k != 0.0;
    IFD_TRY(form_make(arena, (const double[]){1.0, 0.0, 0.0}, A, &out->M));
    IFD_TRY(form_make(arena, (const double[]){0.0, 0.0, 1.0}, A, &out->K));
    if (!out->damped)
        return IFD_OK;
    IFD_TRY(form_make(arena, damping, A, &out->C));
    out->C.rank = m->C.rank;
    out->C.Z = m->C.Z;
    out->C.weight = m->C.weight;
    return IFD_OK;
}

static IFD_RT double form(const ifd_sparse *A, const double *x, double *w)
{
    memset(w, 0, (size_t)A->n * sizeof *w);
    ifd__sparse_mul_add(A, 1.0, x, w);
    return ifd__dot(A->n, x, w);
}

/* Support j, against all supports i. Damping relative to the ground (Cr) has no part at the supports. */
static IFD_RT void add_support(const ifd_model *m, const ifd__point *p, int j, ifd__energy *out)
{
    double y[3], z[3], Ku = 0.0, Kv = 0.0, Cv = 0.0;
    const double *Ks = m->Ks + (size_t)j * (size_t)m->n;
    for (int i = 0; i < m->n; i++) {
        Ku += Ks[i] * p->u[i];
        Kv += Ks[i] * p->v[i];
        Cv += ifd__support_damping(m, j, i) * p->v[i];
    }
    ifd_signal_eval(m->support[j], p->t, y);
    double stored = -y[0] * Ku, rate = -y[1] * Ku - y[0] * Kv, dissipated = -2.0 * y[1] * Cv;
    for (int i = 0; i < m->nsupport; i++) {
        size_t at = (size_t)j * (size_t)m->nsupport + (size_t)i;
        if (m->Kss[at] == 0.0 && m->Css[at] == 0.0)
            continue;
        ifd_signal_eval(m->support[i], p->t, z);
        stored += 0.5 * y[0] * m->Kss[at] * z[0];
        rate += y[1] * m->Kss[at] * z[0];
        dissipated += y[1] * m->Css[at] * z[1];
    }
    out->stored += stored;
    out->dissipated += dissipated;
    out->input += rate + dissipated;
}

void ifd__model_energy(const ifd_model *m, const ifd__forms *forms, const ifd__point *p, ifd__energy *out, double *w)
{
    const double *v = p->v;
    ifd__model_load(m, p->t, w);
    out->input = ifd__dot(m->n, w, v);
    out->kinetic = 0.5 * form(&forms->M, v, w);
    out->stored = 0.5 * form(&forms->K, p->u, w);
    out->dissipated = forms->damped ? form(&forms->C, v, w) : 0.0;
    for (int j = 0; m->symmetric && m->Kss && j < m->nsupport; j++)
        add_support(m, p, j, out);
    if (m->ne)
        add_elements(m, p, out, w + m->n);
}

/* The work of gravity on a deformed structure. */

void ifd__builder_gravity(ifd_builder *b, int i, int j, double value)
{
    if (i == IFD_GROUND || j == IFD_GROUND || value == 0.0 || ifd__builder_failed(b))
        return;
    ifd__entry *e = ifd__builder_push(b, &b->gravity, sizeof *e);
    if (e)
        *e = (ifd__entry){.i = i, .j = j, .value = value};
}

/* Place of every dof of the builder in the model, then of every support. */
static ifd_status places(ifd_arena *arena, const ifd_builder *b, const ifd_model *m, int **out)
{
    int ref;
    size_t count = (size_t)(b->dof.count + b->support.count);
    int *place = *out = ifd_arena_array(arena, count, sizeof *place);
    if (!place)
        return IFD_NO_MEMORY;
    for (size_t k = 0; k < count; k++)
        place[k] = (int)k < b->dof.count ? -1 : m->n + (int)k - b->dof.count;
    for (int k = 0; k < m->n; k++)
        if (ifd_builder_find(b, m->dof_name[k], &ref) && ref >= 0)
            place[ref] = k;
    for (int k = 0; k < m->ngone; k++)
        if (ifd_builder_find(b, m->gone[k], &ref) && ref >= 0)
            place[ref] = m->n + m->nsupport + k;
    return IFD_OK;
}

ifd_status ifd__gravity_make(ifd_arena *arena, const ifd_builder *b, ifd_model *m)
{
    int *place, *i, *j, entries = b->gravity.count;
    double *value;
    ifd__gravity *g;
    if (entries == 0 || m->reduced)
        return IFD_OK;
    size_t count = (size_t)entries;
    IFD_TRY(places(arena, b, m, &place));
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(g, 1), IFD__ARRAY(i, count), IFD__ARRAY(j, count), IFD__ARRAY(value, count)));
    for (int k = 0; k < entries; k++) {
        const ifd__entry *e = &IFD__AT(b->gravity, ifd__entry, k);
        i[k] = place[e->i >= 0 ? e->i : b->dof.count + IFD_SUPPORT(e->i)];
        j[k] = place[e->j >= 0 ? e->j : b->dof.count + IFD_SUPPORT(e->j)];
        value[k] = e->value;
        if (i[k] < 0 || j[k] < 0)
            return IFD_OK; /* a dof that the model has lost: no work is shown instead of a wrong one */
    }
    *g = (ifd__gravity){entries, i, j, value};
    m->gravity = g;
    return IFD_OK;
}

static IFD_RT double displacement(const ifd_model *m, int at, double t, const double *u, const double *s)
{
    double y[3];
    if (at < m->n)
        return u[at];
    if (at >= m->n + m->nsupport)
        return ifd__model_gone(m, at - m->n - m->nsupport, t, u, s);
    ifd_signal_eval(m->support[at - m->n], t, y);
    return y[0];
}

double ifd__gravity_work(const ifd_model *m, double t, const double *u, const double *s)
{
    const ifd__gravity *g = m->gravity;
    double sum = 0.0;
    for (int k = 0; k < g->count; k++)
        sum -= 0.5 * displacement(m, g->i[k], t, u, s) * g->value[k] * displacement(m, g->j[k], t, u, s);
    return sum;
}

/* The forces at supports and their work. */

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
static IFD_RT void react_inertia(const ifd_model *m, int e, const ifd__point *y, const double *q, const double *qd,
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

static IFD_RT void react_elements(const ifd_model *m, const ifd__point *y, double *f, double *w)
{
    double *q = w, *qd = q + m->nq, *r = qd + m->nq, *g = r + m->nq;
    ifd__model_coordinates(m, y->t, y->u, y->v, q, qd);
    ifd__model_forces(m, &(ifd_element_in){.t = y->t, .q = q, .qd = qd, .s = y->s}, r, g);
    for (int e = 0; e < m->ne; e++)
        if (m->element[e].ops->flags & IFD_ELEMENT_INERTIAL)
            react_inertia(m, e, y, q, qd, r);
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
    double moved[3];
    memset(f, 0, sizeof(double) * (size_t)m->nsupport);
    for (int j = 0; j < m->nsupport; j++) {
        size_t column = (size_t)j * (size_t)m->n, own = (size_t)j * (size_t)m->nsupport;
        f[j] -= ifd__dot(m->n, m->Ms + column, y->a);
        f[j] -= ifd__dot(m->n, m->Cs + column, y->v);
        f[j] -= ifd__dot(m->n, m->Ks + column, y->u);
        ifd_signal_eval(m->support[j], y->t, moved);
        for (int i = 0; i < m->nsupport; i++)
            f[i] += m->Mss[own + (size_t)i] * moved[2] + m->Css[own + (size_t)i] * moved[1] +
                    m->Kss[own + (size_t)i] * moved[0];
    }
    for (int d = 0; d < 3; d++)
        if (m->ground[d].signal && m->ground[d].ps) {
            ifd_signal_eval(m->ground[d].signal, y->t, moved);
            for (int i = 0; i < m->nsupport; i++)
                f[i] -= m->ground[d].ps[i] * moved[0];
        }
    if (m->ne)
        react_elements(m, y, f, w);
}
