/* SPDX-License-Identifier: MIT */
/* The equations are those of rosenbrock.c with a constant Jacobian. k1_u = h v + c k1_v is stored in the states of
 * the steppers only, and the coordinates of the increments follow from those of v and k_v. The last states remain in
 * the lanes: a lane is read again if it comes back with another stage or another step than the next one. */
#include <math.h>
#include <string.h>

#include "algebra/dense.h"
#include "algebra/solver_parts.h"
#include "method/ensemble_inside.h"
#include "method/stepper.h"
#include "model/element.h"

/* Elements in lanes. Bouc-Wen and one slider are evaluated for all lanes at once, with the operations of their own
 * functions; every other element lane by lane through its functions. */

enum { L = IFD__LANES, FIELDS = 5 };

static const ifd__rosenbrock_table *const table = &ifd__lsrt2_table;

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

IFD_RT static void lane_elements_eval(ifd__lane_elements *E, const double *t, const double *const qv[2],
                                      const double *s, const double *s0)
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

/* r and g at q, qd and s at the time of each lane; rates of elements that settle with the states s0. */
IFD_RT static void lane_elements_settle(ifd__lane_elements *E, double *s)
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

/* The measured forces act on few dofs. */
static IFD_RT void add_measured(const ifd__ensemble *e, const ifd__lane_task *lane, double *k)
{
    for (int l = 0; l < L; l++)
        for (int i = 0; lane[l].x && lane[l].load && i < e->n; i++)
            if (lane[l].load[i] != 0.0)
                k[L * (size_t)e->solver.place[i] + (size_t)l] += e->step.h * lane[l].load[i];
}

/* k := h P of every lane, `after` the start of its step. */
static IFD_RT void load(const ifd__ensemble *e, const ifd__lane_task *lane, double after, double *k)
{
    double a[L], y[3];
    memset(k, 0, L * (size_t)e->n * sizeof *k);
    for (int l = 0; e->loaded && l < L; l++) {
        if (!lane[l].x)
            continue;
        ifd__model_load(e->member[l]->model, lane[l].t + after, e->one);
        for (int i = 0; i < e->n; i++)
            k[L * (size_t)e->solver.place[i] + (size_t)l] = e->step.h * e->one[i];
    }
    for (int d = 0; d < 3 && !e->loaded; d++) {
        if (!e->p[d])
            continue;
        for (int l = 0; l < L; l++) {
            y[0] = e->given[d] ? e->given[d][(after > 0.0 ? L : 0) + l] : 0.0;
            if (lane[l].x && !e->given[d])
                ifd_signal_eval(e->member[l]->model->ground[d].signal, lane[l].t + after, y);
            a[l] = e->step.h * y[0];
        }
        e->kernels->load(e->n, e->p[d], a, k);
    }
    add_measured(e, lane, k);
}

/* k -= c K_E h v of the estimates; in stage 2 also - c (K_E k1_u + C_E k1_v), with the sign of gamma21. */
static IFD_RT void estimates(const ifd__ensemble *e, const double *v, bool second, double *k)
{
    const ifd__lane_kernels *K = e->kernels;
    double h = e->step.h, c = e->step.c, c21 = table->gamma21 * c;
    K->gather(&e->A, v, e->av);
    for (int i = 0; i < e->A.n; i++)
        for (int l = 0; l < L; l++)
            e->av[L * i + l] *= c * h * e->estimate[i].stiffness;
    K->scatter(&e->A, -1.0, e->av, k);
    if (!second)
        return;
    K->gather(&e->A, e->v, e->av);
    K->gather(&e->A, e->k1, e->ak);
    for (int i = 0; i < e->A.n; i++)
        for (int l = 0; l < L; l++) {
            double kv = e->ak[L * i + l], ku = h * e->av[L * i + l] + c * kv;
            e->av[L * i + l] = c21 * (e->estimate[i].stiffness * ku + e->estimate[i].damping * kv);
        }
    K->scatter(&e->A, -1.0, e->av, k);
}

/* k -= h (K w + D v), then the forces f of the elements, then the solution. */
static IFD_RT void solve(const ifd__ensemble *e, const double *v, double *k)
{
    e->kernels->product(&e->K, -e->step.h, e->w, k);
    if (e->damped)
        e->kernels->product(&e->D, -e->step.h, v, k);
    if (e->A.n)
        estimates(e, v, k == e->k2, k);
    if (e->nq)
        e->kernels->scatter(&e->B, -1.0, e->elements.f, k);
    ifd__lane_solver_solve(&e->solver, k);
}

/* f += c (K_e wq + r_s N^-1 rs), rs := N^-1 rs. */
static IFD_RT void reduce(const ifd__ensemble *e, const double *wq)
{
    const ifd__lane_elements *E = &e->elements;
    for (int i = 0; i < E->count; i++) {
        const ifd__block *b = E->element[i].block;
        size_t q = L * (size_t)b->q, s = L * (size_t)b->s;
        double *rs = E->rs + s, *g = E->g + s;
        e->kernels->block((const int[]){b->nq, b->nq}, e->step.c, b->K, wq + q, E->f + q);
        if (!b->ns)
            continue;
        memcpy(g, rs, L * (size_t)b->ns * sizeof *g);
        memset(rs, 0, L * (size_t)b->ns * sizeof *rs);
        e->kernels->block((const int[]){b->ns, b->ns}, 1.0, E->element[i].inverse, g, rs);
        e->kernels->block((const int[]){b->nq, b->ns}, e->step.c, b->r_s, rs, E->f + q);
    }
}

/* rs += c (X_q kq + X_v kv): the increments of the states. */
static IFD_RT void expand(const ifd__ensemble *e, const double *kq, const double *kv)
{
    const ifd__lane_elements *E = &e->elements;
    for (int i = 0; i < E->count; i++) {
        const ifd__block *b = E->element[i].block;
        const int size[2] = {b->ns, b->nq};
        size_t q = L * (size_t)b->q, s = L * (size_t)b->s;
        if (!b->ns)
            continue;
        e->kernels->block(size, e->step.c, b->X, kq + q, E->rs + s);
        e->kernels->block(size, e->step.c, b->X + b->ns * b->nq, kv + q, E->rs + s);
    }
}

/* f += a (r_q kq + r_v kv + r_s ks) and rs += a (g_q kq + g_v kv + g_s ks) of the increments of stage 1. */
static IFD_RT void add_increments(const ifd__ensemble *e, double a)
{
    const ifd__lane_elements *E = &e->elements;
    const ifd__lane_kernels *k = e->kernels;
    for (int i = 0; i < E->count; i++) {
        const ifd__block *b = E->element[i].block;
        const int qq[2] = {b->nq, b->nq}, qs[2] = {b->nq, b->ns}, sq[2] = {b->ns, b->nq}, ss[2] = {b->ns, b->ns};
        size_t q = L * (size_t)b->q, s = L * (size_t)b->s;
        k->block(qq, a, b->r_q, E->kq + q, E->f + q);
        k->block(qq, a, b->r_v, E->kv + q, E->f + q);
        if (!b->ns)
            continue;
        k->block(qs, a, b->r_s, E->k1 + s, E->f + q);
        k->block(sq, a, b->g_q, E->kq + q, E->rs + s);
        k->block(sq, a, b->g_v, E->kv + q, E->rs + s);
        k->block(ss, a, b->g_s, E->k1 + s, E->rs + s);
    }
}

static IFD_RT void scale(int rows, double h, const double *x, double *out)
{
    for (int i = 0; i < L * rows; i++)
        out[i] = h * x[i];
}

/* Coordinates and rates at the start of the step. */
static IFD_RT void elements_start(const ifd__ensemble *e)
{
    const ifd__lane_elements *E = &e->elements;
    e->kernels->gather(&e->B, e->u, E->q);
    e->kernels->gather(&e->B, e->v, E->qd);
}

/* Their increments in stage 1. */
static IFD_RT void elements_increments(const ifd__ensemble *e)
{
    const ifd__lane_elements *E = &e->elements;
    e->kernels->gather(&e->B, e->k1, E->kv);
    e->kernels->combine(e->nq, e->step.h, E->qd, e->step.c, E->kv, E->kq);
}

static IFD_RT void elements1(ifd__ensemble *e, const double *t)
{
    ifd__lane_elements *E = &e->elements;
    elements_start(e);
    lane_elements_eval(E, t, (const double *const[]){E->q, E->qd}, E->s, E->s);
    scale(e->nq, e->step.h, E->r, E->f);
    scale(e->ns, e->step.h, E->g, E->rs);
    scale(e->nq, e->step.h, E->qd, E->kq);
    reduce(e, E->kq);
}

static IFD_RT void elements1_end(const ifd__ensemble *e)
{
    const ifd__lane_elements *E = &e->elements;
    elements_increments(e);
    expand(e, E->kq, E->kv);
    memcpy(E->k1, E->rs, L * (size_t)e->ns * sizeof *E->k1);
}

static IFD_RT void elements2(ifd__ensemble *e, const double *t)
{
    ifd__lane_elements *E = &e->elements;
    const ifd__lane_kernels *k = e->kernels;
    k->combine(e->nq, 1.0, E->q, table->alpha21, E->kq, E->qm);
    k->combine(e->nq, 1.0, E->qd, table->alpha21, E->kv, E->qdm);
    k->combine(e->ns, 1.0, E->s, table->alpha21, E->k1, E->sm);
    lane_elements_settle(E, E->sm);
    lane_elements_eval(E, t, (const double *const[]){E->qm, E->qdm}, E->sm, E->s);
    scale(e->nq, e->step.h, E->r, E->f);
    scale(e->ns, e->step.h, E->g, E->rs);
    add_increments(e, table->gamma21 * e->step.c);
    k->combine(e->nq, e->step.h, E->qd, e->step.h * e->step.share, E->kv, E->qm);
    reduce(e, E->qm);
}

static IFD_RT void elements2_end(ifd__ensemble *e)
{
    ifd__lane_elements *E = &e->elements;
    e->kernels->gather(&e->B, e->k2, E->kv);
    e->kernels->combine(e->nq, 1.0, E->qm, e->step.c, E->kv, E->kq);
    expand(e, E->kq, E->kv);
    e->kernels->combine(e->ns, 1.0, E->s, table->b2, E->rs, E->s);
    lane_elements_settle(E, E->s);
}

static IFD_RT void stage1(ifd__ensemble *e, const ifd__lane_task *lane)
{
    double t[L];
    for (int l = 0; l < L; l++)
        t[l] = lane[l].t;
    if (e->nq)
        elements1(e, t);
    e->kernels->combine(e->n, 1.0, e->u, e->step.reach, e->v, e->w);
    load(e, lane, 0.0, e->k1);
    solve(e, e->v, e->k1);
    if (e->nq)
        elements1_end(e);
}

static IFD_RT void stage2(ifd__ensemble *e, const ifd__lane_task *lane)
{
    const ifd__lane_kernels *k = e->kernels;
    double t[L], after = table->alpha21 * e->step.h;
    for (int l = 0; l < L; l++)
        t[l] = lane[l].t + after;
    if (e->nq)
        elements2(e, t);
    k->middle(e->n, &e->step, (const double *const[]){e->u, e->v, e->k1}, e->vm, e->w);
    load(e, lane, after, e->k2);
    solve(e, e->vm, e->k2);
    k->finish(e->n, &e->step, (const double *const[]){e->vm, e->k2}, e->u, e->v);
    if (e->nq)
        elements2_end(e);
}

/* The parts of the states that begin at an offset. */
static IFD_RT void parts(double *const *x, int offset, double **out)
{
    for (int l = 0; l < L; l++)
        out[l] = x[l] ? x[l] + offset : NULL;
}

static IFD_RT void read_part(int n, const int *place, double *const *x, int offset, double *to)
{
    double *part[L];
    parts(x, offset, part);
    ifd__lanes_read(n, place, (const double *const *)part, to);
}

static IFD_RT void give_part(int n, const int *place, const double *from, double *const *x, int offset)
{
    double *part[L];
    parts(x, offset, part);
    ifd__lanes_give(n, place, from, part);
}

/* The states before a stage of all lanes that do not have them. */
static IFD_RT void read_states(ifd__ensemble *e, int stage, const ifd__lane_task *lane)
{
    double *x[L];
    bool any = false;
    for (int l = 0; l < L; l++) {
        const ifd__lane_held *held = &e->held[l];
        bool has = held->stage == stage && fabs(lane[l].t - held->t) < 0.5 * e->step.h;
        x[l] = has ? NULL : lane[l].x;
        any = any || x[l];
    }
    if (!any)
        return;
    const int *place = e->solver.place;
    read_part(e->n, place, x, 0, e->u);
    read_part(e->n, place, x, e->n, e->v);
    read_part(e->ns, NULL, x, 2 * e->n, e->elements.s);
    if (stage == 0)
        return;
    read_part(e->n, place, x, e->k1_at + e->n, e->k1);
    read_part(e->ns, NULL, x, e->k1_at + 2 * e->n, e->elements.k1);
    if (e->nq) {
        elements_start(e);
        elements_increments(e);
    }
}

/* The rows of stage 1, or the end of the step. */
static IFD_RT void give_states(ifd__ensemble *e, int stages, double *const *x)
{
    const int *place = e->solver.place;
    if (stages == 1) {
        e->kernels->combine(e->n, e->step.h, e->v, e->step.c, e->k1, e->w);
        give_part(e->n, place, e->w, x, e->k1_at);
        give_part(e->n, place, e->k1, x, e->k1_at + e->n);
        give_part(e->ns, NULL, e->elements.k1, x, e->k1_at + 2 * e->n);
        return;
    }
    give_part(e->n, place, e->u, x, 0);
    give_part(e->n, place, e->v, x, e->n);
    give_part(e->ns, NULL, e->elements.s, x, 2 * e->n);
}

/* Lanes without a task have lost their contents. */
void ifd__ensemble_stages(ifd__ensemble *e, int stage, int count, const ifd__lane_task *lane)
{
    double *x[L];
    bool ends = stage + count == 2;
    read_states(e, stage, lane);
    for (int i = stage; i < stage + count; i++)
        (i == 0 ? stage1 : stage2)(e, lane);
    for (int l = 0; l < L; l++) {
        x[l] = lane[l].x;
        e->held[l] = (ifd__lane_held){x[l] ? !ends : -1, lane[l].t + (ends ? e->step.h : 0.0)};
    }
    give_states(e, stage + count, x);
}

void ifd__ensemble_begin(ifd__ensemble *e, double *const *x)
{
    ifd__lane_task lane[L];
    for (int l = 0; l < L; l++) {
        lane[l] = (ifd__lane_task){.x = x[l]};
        e->held[l].stage = -1;
    }
    read_states(e, 0, lane);
}

void ifd__ensemble_advance(ifd__ensemble *e, const double *const given[3])
{
    static const ifd__lane_task idle[L] = {{NULL, NULL, 0.0}};
    memcpy(e->given, given, sizeof e->given);
    stage1(e, idle);
    stage2(e, idle);
    memset(e->given, 0, sizeof e->given);
}

void ifd__ensemble_give(ifd__ensemble *e, double *const *x)
{
    give_states(e, 2, x);
}

const double *ifd__ensemble_row(const ifd__ensemble *e, int dof, bool velocity)
{
    return (velocity ? e->v : e->u) + L * (size_t)e->solver.place[dof];
}

void ifd__ensemble_squares(const ifd__ensemble *e, double *sum)
{
    memset(sum, 0, L * sizeof *sum);
    e->kernels->dot(e->n, e->u, e->u, sum);
    e->kernels->dot(e->n, e->v, e->v, sum);
}

double ifd__ensemble_second(void)
{
    return table->alpha21;
}

/* Ensembles of models with one dof: many steps by one kernel, whose state stays in registers. */

/* The one direction of the ground motion; -1: none, or several. */
static int direction_of(const ifd__ensemble *e)
{
    int found = -1, count = 0;
    for (int d = 0; d < 3; d++)
        if (e->p[d]) {
            found = d;
            count++;
        }
    return count == 1 ? found : -1;
}

static bool oscillator_law(const ifd__lane_element *e, ifd__oscillator_law *out)
{
    *out = e->law == LAW_SLIDER ? IFD__OSCILLATOR_SLIDER
           : e->power == 1.0    ? IFD__OSCILLATOR_BOUC_WEN_1
                                : IFD__OSCILLATOR_BOUC_WEN_2;
    return e->law == LAW_SLIDER || (e->law == LAW_BOUC_WEN && (e->power == 1.0 || e->power == 2.0));
}

static bool element_of(const ifd__ensemble *e, ifd__lane_oscillator *o)
{
    if (e->elements.count == 0)
        return true;
    const ifd__lane_element *el = &e->elements.element[0];
    const ifd__block *b = el->block;
    if (e->elements.count != 1 || b->nq != 1 || b->ns != 1 || e->B.start[1] != 1 || !oscillator_law(el, &o->law))
        return false;
    o->B = e->B.value[0];
    o->Ke = b->K[0];
    o->N = el->inverse[0];
    o->rq = b->r_q[0];
    o->rv = b->r_v[0];
    o->rs = b->r_s[0];
    o->gq = b->g_q[0];
    o->gv = b->g_v[0];
    o->gs = b->g_s[0];
    o->Xq = b->X[0];
    o->Xv = b->X[1];
    return true;
}

/* False: the ensemble has another form. */
static bool oscillator_of(const ifd__ensemble *e, ifd__lane_oscillator *o)
{
    int d = direction_of(e);
    const ifd_solver *s = e->solver.solver;
    memset(o, 0, sizeof *o); /* compared as bytes */
    if (e->n != 1 || d < 0 || e->loaded || e->A.n || s->there.run || s->facts.kind != IFD__SOLVER_DIAGONAL ||
        e->K.start[1] != 1 || (e->damped && e->D.start[1] != 1) || !element_of(e, o))
        return false;
    o->step = e->step;
    o->damped = e->damped;
    o->alpha = table->alpha21;
    o->a = table->gamma21 * e->step.c;
    o->b2 = table->b2;
    o->K = e->K.value[0];
    o->D = e->damped ? e->D.value[0] : 0.0;
    o->p = e->p[d][0];
    o->inverse = s->a[0];
    return true;
}

int ifd__ensemble_oscillates(ifd__ensemble *const *e, int count)
{
    ifd__lane_oscillator first, other;
    if (!oscillator_of(e[0], &first) ||
        (count > 1 && (!oscillator_of(e[1], &other) || memcmp(&first, &other, sizeof first) != 0)))
        return -1;
    return direction_of(e[0]);
}

bool ifd__ensemble_oscillate(ifd__ensemble *const *e, int count, int steps, const ifd__lane_piece *piece)
{
    static const double none[5 * L];
    ifd__lane_oscillator o;
    ifd__lane_motion m[2] = {{0}};
    double x[2][4][L];
    (void)oscillator_of(e[0], &o);
    for (int k = 0; k < count; k++) {
        const double *from[3] = {e[k]->u, e[k]->v, e[k]->ns ? e[k]->elements.s : none};
        for (int i = 0; i < 3; i++)
            memcpy(x[k][i], from[i], sizeof x[k][i]);
        m[k] = (ifd__lane_motion){.u = x[k][0],
                                  .v = x[k][1],
                                  .z = x[k][2],
                                  .sum = x[k][3],
                                  .parameter = e[k]->ns ? e[k]->elements.element[0].parameter : none,
                                  .ground = piece[k].ground,
                                  .out = piece[k].out};
    }
    e[0]->kernels->oscillate(&o, steps, count, m);
    for (int k = 0; k < count; k++)
        for (int l = 0; l < L; l++)
            if (piece[k].used[l] && !(x[k][3][l] <= piece[k].most))
                return false;
    for (int k = 0; k < count; k++) {
        memcpy(e[k]->u, x[k][0], sizeof x[k][0]);
        memcpy(e[k]->v, x[k][1], sizeof x[k][1]);
        if (e[k]->ns)
            memcpy(e[k]->elements.s, x[k][2], sizeof x[k][2]);
    }
    return true;
}
