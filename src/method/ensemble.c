/* SPDX-License-Identifier: MIT */
/* The equations are those of rosenbrock.c with a constant Jacobian. k1_u = h v + c k1_v is stored in the states of
 * the steppers only, and the coordinates of the increments follow from those of v and k_v. The last states remain in
 * the lanes: a lane is read again if it comes back with another stage or another step than the next one. */
#include <math.h>
#include <string.h>

#include "method/ensemble_inside.h"
#include "method/rosenbrock.h"
#include "method/tables.h"

enum { L = IFD__LANES };

static const ifd__rosenbrock_table *const table = &ifd__lsrt2_table;

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
    ifd__lane_elements_eval(E, t, (const double *const[]){E->q, E->qd}, E->s, E->s);
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
    ifd__lane_elements_settle(E, E->sm);
    ifd__lane_elements_eval(E, t, (const double *const[]){E->qm, E->qdm}, E->sm, E->s);
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
    ifd__lane_elements_settle(E, E->s);
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
