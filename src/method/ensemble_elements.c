/* SPDX-License-Identifier: MIT */
/* Elements in lanes. Bouc-Wen and one slider are evaluated for all lanes at once, with the operations of their own
 * functions; every other element lane by lane through its functions. */
#include <math.h>
#include <string.h>

#include "algebra/dense.h"
#include "method/ensemble_inside.h"
#include "model/element.h"

enum { L = IFD__LANES, FIELDS = 5 };

static ifd_status inverse_of(ifd_arena *arena, const ifd__block *b, double **out)
{
    size_t ns = (size_t)b->ns;
    if (!(*out = ifd_arena_array(arena, ns * ns, sizeof **out)))
        return IFD_NO_MEMORY;
    for (size_t i = 0; i < ns; i++)
        (*out)[i * (ns + 1)] = 1.0;
    ifd__lu_solve(b->ns, b->N, b->pivot, b->ns, *out);
    return IFD_OK;
}

static ifd__lane_law law_of(const ifd_element *e, double *out)
{
    return ifd__element_is_bouc_wen(e, out) ? LAW_BOUC_WEN : ifd__element_is_slider(e, out) ? LAW_SLIDER : LAW_OTHER;
}

/* Parameters of element e in all lanes; idle lanes have those of `first`. */
static void parameters(const ifd__lane_elements *E, int e, int first, ifd__lane_element *to)
{
    for (int l = 0; l < L; l++) {
        double own[FIELDS] = {0.0};
        ifd__lane_law law = law_of(&E->model[E->model[l] ? l : first]->element[e], own);
        to->law = l == 0 || law == to->law ? law : LAW_OTHER;
        for (int f = 0; f < FIELDS; f++)
            to->parameter[f * L + l] = own[f];
    }
    const double *n = to->parameter + 4 * L;
    to->power = to->law == LAW_BOUC_WEN ? n[0] : 0.0;
    for (int l = 1; l < L; l++)
        to->power = n[l] == to->power ? to->power : 0.0;
}

ifd_status ifd__lane_elements_make(ifd_arena *arena, const ifd_stepper *const *member, const ifd__tangent *T,
                                   ifd__lane_elements *E)
{
    int first = 0;
    while (!member[first])
        first++;
    const ifd_model *m = member[first]->model;
    size_t q = L * (size_t)m->nq, s = L * (size_t)m->ns;
    E->count = m->ne;
    for (int l = 0; l < L; l++)
        E->model[l] = member[l] ? member[l]->model : NULL;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(E->element, m->ne), IFD__ARRAY(E->q, q), IFD__ARRAY(E->qd, q),
                      IFD__ARRAY(E->r, q), IFD__ARRAY(E->f, q), IFD__ARRAY(E->kq, q), IFD__ARRAY(E->kv, q),
                      IFD__ARRAY(E->qm, q), IFD__ARRAY(E->qdm, q), IFD__ARRAY(E->s, s), IFD__ARRAY(E->g, s),
                      IFD__ARRAY(E->k1, s), IFD__ARRAY(E->rs, s), IFD__ARRAY(E->sm, s),
                      IFD__ARRAY(E->one, 3 * (size_t)m->nq + 3 * (size_t)m->ns)));
    for (int e = 0; e < m->ne; e++) {
        ifd__lane_element *to = &E->element[e];
        to->block = T->used[e];
        IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(to->parameter, FIELDS * L)));
        parameters(E, e, first, to);
        E->others += to->law == LAW_OTHER;
        IFD_TRY(inverse_of(arena, to->block, &to->inverse));
    }
    return IFD_OK;
}

/* |z|^(n-1) as the element computes it. */
static IFD_RT double power(double z, double n)
{
    double p = n - 1.0;
    return p <= 0.0 ? 1.0 : p == 1.0 ? z : p == 2.0 ? z * z : pow(z, p);
}

static IFD_RT void bouc_wen(const ifd__lane_elements *E, const ifd__lane_element *e, const double *const qv[2],
                            const double *s)
{
    const double *p = e->parameter, *q = qv[0] + L * (size_t)e->block->q, *v = qv[1] + L * (size_t)e->block->q;
    const double *z = s + L * (size_t)e->block->s;
    double *r = E->r + L * (size_t)e->block->q, *g = E->g + L * (size_t)e->block->s, size[L], zn1[L];
    for (int l = 0; l < L; l++) {
        size[l] = fabs(z[l]);
        r[l] = p[l] * q[l] + p[L + l] * z[l];
    }
    if (e->power == 1.0 || e->power == 2.0)
        for (int l = 0; l < L; l++)
            zn1[l] = e->power == 1.0 ? 1.0 : size[l];
    else
        for (int l = 0; l < L; l++)
            zn1[l] = power(size[l], p[4 * L + l]);
    for (int l = 0; l < L; l++)
        g[l] = v[l] - zn1[l] * (p[2 * L + l] * fabs(v[l]) * z[l] + p[3 * L + l] * v[l] * size[l]);
}

/* s0 decides if the slider sticks or slips in this step. */
static IFD_RT void slider(const ifd__lane_elements *E, const ifd__lane_element *e, const double *const qv[2],
                          const double *const s[2])
{
    const double *p = e->parameter, *q = qv[0] + L * (size_t)e->block->q, *v = qv[1] + L * (size_t)e->block->q;
    const double *z = s[0] + L * (size_t)e->block->s, *z0 = s[1] + L * (size_t)e->block->s, *limit = p + 2 * L;
    double *r = E->r + L * (size_t)e->block->q, *g = E->g + L * (size_t)e->block->s;
    for (int l = 0; l < L; l++) {
        bool slips = (v[l] > 0.0 && z0[l] >= limit[l]) || (v[l] < 0.0 && z0[l] <= -limit[l]);
        r[l] = p[l] * q[l] + p[L + l] * z[l];
        g[l] = slips ? 0.0 : v[l];
    }
}

static IFD_RT void pick(int count, const double *from, int lane, double *to)
{
    for (int i = 0; i < count; i++)
        to[i] = from[L * i + lane];
}

static IFD_RT void put(int count, const double *from, int lane, double *to)
{
    for (int i = 0; i < count; i++)
        to[L * i + lane] = from[i];
}

/* One element of one lane, by its own function. */
static IFD_RT void other(const ifd__lane_elements *E, int e, int lane, const ifd_element_in *at, const double *s0)
{
    const ifd_element *el = &E->model[lane]->element[e];
    const ifd__block *b = E->element[e].block;
    size_t q0 = L * (size_t)b->q, s_at = L * (size_t)b->s;
    double *q = E->one, *qd = q + b->nq, *r = qd + b->nq, *s = r + b->nq, *g = s + b->ns;
    pick(b->nq, at->q + q0, lane, q);
    pick(b->nq, at->qd + q0, lane, qd);
    pick(b->ns, at->s + s_at, lane, s);
    memset(r, 0, sizeof *r * (size_t)b->nq);
    memset(g, 0, sizeof *g * (size_t)b->ns);
    ifd_element_in in = {.t = at->t, .q = q, .qd = qd, .qdd = qd, .s = s};
    el->ops->eval(el, &in, &(ifd_element_out){.r = r, .g = g});
    if (ifd__element_stops(el)) {
        pick(b->ns, s0 + s_at, lane, s);
        memset(g, 0, sizeof *g * (size_t)b->ns);
        el->ops->eval(el, &in, &(ifd_element_out){.g = g});
    }
    put(b->nq, r, lane, E->r + q0);
    put(b->ns, g, lane, E->g + s_at);
}

void ifd__lane_elements_eval(ifd__lane_elements *E, const double *t, const double *const qv[2], const double *s,
                             const double *s0)
{
    for (int e = 0; e < E->count; e++) {
        const ifd__lane_element *el = &E->element[e];
        if (el->law == LAW_BOUC_WEN)
            bouc_wen(E, el, qv, s);
        else if (el->law == LAW_SLIDER)
            slider(E, el, qv, (const double *const[]){s, s0});
        for (int l = 0; el->law == LAW_OTHER && l < L; l++)
            if (E->model[l])
                other(E, e, l, &(ifd_element_in){.t = t[l], .q = qv[0], .qd = qv[1], .s = s}, s0);
    }
}

static IFD_RT void settle_other(const ifd__lane_elements *E, int e, double *s)
{
    const ifd__block *b = E->element[e].block;
    double *one = E->one;
    for (int l = 0; l < L; l++) {
        if (!E->model[l] || !E->model[l]->element[e].ops->settle || !b->ns)
            continue;
        pick(b->ns, s + L * (size_t)b->s, l, one);
        E->model[l]->element[e].ops->settle(&E->model[l]->element[e], one, NULL, NULL);
        put(b->ns, one, l, s + L * (size_t)b->s);
    }
}

void ifd__lane_elements_settle(ifd__lane_elements *E, double *s)
{
    for (int e = 0; e < E->count; e++) {
        const ifd__lane_element *el = &E->element[e];
        double *z = s + L * (size_t)el->block->s, *limit = el->parameter + 2 * L;
        if (el->law == LAW_OTHER)
            settle_other(E, e, s);
        for (int l = 0; el->law == LAW_SLIDER && l < L; l++)
            z[l] = fabs(z[l]) <= limit[l] ? z[l] : copysign(limit[l], z[l]);
    }
}
