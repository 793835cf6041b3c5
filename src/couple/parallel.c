/* SPDX-License-Identifier: MIT */
/* PLSRT2, interfield parallel: with system step dt, the coarse side A takes LSRT2 steps of 4 dt, one in *every* dt,
 * the fine side B steps of dt/ss. At step i, from y_A and y_B at i-2, i-1, i and y_A at i+1,
 *
 *     A:  Lam_{i-2} -> k1 over 4 dt -> ya = y_A,i-2 + k1/2;  Lam(ya, y_B,i) -> k2;  y_A,i+2 = y_A,i-2 + k2
 *     B:  from i to i+1, Lam at every stage with A linear between y_A,i and y_A,i+1
 *
 * Neither side reads data that the other writes, so A is a job on a worker. ya is a stage value: it does not replace
 * the stored y_A,i. The first two cycles have equal steps.
 *
 * With a measured B, the forces at i-2 and i are stored for the job; a stage of B uses the newest measured force.
 *
 * Jia, Li, Liu, Yang, Wu (2012), 15 WCEE. */
#include <string.h>

#include "couple/coupled.h"
#include "base/arena.h"
#include "couple/distributed.h"
#include "couple/events.h"
#include "method/stepper.h"
#include "model/dof_pair.h"

typedef struct side {
    bool coarse, measured;
    int size;              /* 2 n + ns */
    int now;               /* offset of y at i; for B the state of the stepper */
    int past, before;      /* offsets of y at i-2, i-1 */
    int next;              /* A: offset of y at i+1 */
    ifd_stepper *stepper;  /* A: 4 dt; B: dt/ss */
    double *job;           /* A: private state of the running step */
    ifd__sight at2, at0;   /* copies for the job: y at i-2; B: y at i, A: the stage state */
    int force2, force1;    /* measured B: offsets of the forces at i-2, i-1 */
    double *f2, *f0;       /* copies for the job: at i-2, at i */
    double *middle, *last; /* start of a measured B: u, v at the half step, and at the last measured force */
    int estimates;
    const ifd_estimate *estimate;
} side;

/* Several processes. */
typedef struct ranks {
    bool *coarse, *fine;             /* by substructure: its side */
    bool coarse_here, fine_here;     /* this process has some of them, */
    bool coarse_others, fine_others; /* and so has another one */
    int stage, instant;              /* of the job and of the fine side, for which multipliers are solved */
    int columns;                     /* vectors of one substructure in the exchange of a cycle */
    double *ahead;                   /* blocks of that exchange */
} ranks;

typedef struct parallel {
    double dt;
    int parts;
    side *side;
    int *past; /* offsets of all substructures at i-2 */
    int phase; /* offset of the start-up counter in x: 0, 1, then constant at 2 */
    ifd__events fine, start;
    double *xstart; /* private state of the equal-step start */
    int start_size;
    int *start_at;
    ifd__interface twin; /* for the worker */
    double job_time;
    bool job_ok;
    const ifd__sight **seen;
    ranks *ranks;               /* NULL: one process */
    const ifd__sight **pair[2]; /* in several processes: sights of the exchange, and their fractions */
    double *at;
    double *theta, *lambda, *load, *y;
} parallel;

/* Coupling `parallel` in several processes. During a cycle neither side reads what the other computes in it, so one
 * exchange at its start suffices for both: the terms of the fine substructures at both stages of the coarse step, and
 * those of the coarse ones, which are linear in time, at every instant of the fine side. Processes with substructures
 * of the same side exchange their terms among each other at every further stage. */

/* Vectors of a substructure: its term at stage 0 of the job; then, of a fine one at stage 1 and at instant 0; of a
 * coarse one at every instant. */
enum { STAGE_0, STAGE_1, FINE_0, COARSE_AT = 1 };

static ifd_status check(const ifd_couple_options *opt, ifd_note *note)
{
    for (int p = 0; p < opt->parts; p++)
        if (opt->part[p].model->inertial)
            return ifd_note_add(
                note, IFD_UNSUPPORTED, &opt->part[p].place,
                "the mass of substructure '%s' depends on its motion: with coupling parallel it cannot "
                "be distributed over processes; use pg-alpha",
                opt->part[p].name);
    return IFD_OK;
}

static IFD_RT bool job_sum(ifd__coupled *c, ifd__interface *I, const ifd__views *at, double *y);

/* With opt->ranks, after all else is made: refuses what cannot be distributed. */
static ifd_status parallel_ranks_make(ifd__coupled *c, ifd_arena *arena, const ifd_couple_options *opt,
                                      ifd_note *note)
{
    parallel *l = c->data;
    ranks *r;
    size_t parts = (size_t)c->parts;
    IFD_TRY(check(opt, note));
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(r, 1)));
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(r->coarse, parts), IFD__ARRAY(r->fine, parts), IFD__ARRAY(l->pair[0], parts),
                      IFD__ARRAY(l->pair[1], parts), IFD__ARRAY(l->at, parts)));
    r->columns = COARSE_AT + l->fine.instants > FINE_0 + 1 ? COARSE_AT + l->fine.instants : FINE_0 + 1;
    for (int p = 0; p < c->parts; p++) {
        bool coarse = opt->part[p].coarse, mine = ifd__coupled_mine(c, p);
        r->coarse[p] = coarse;
        r->fine[p] = !coarse;
        *(coarse ? &r->coarse_here : &r->fine_here) |= mine;
        *(coarse ? &r->coarse_others : &r->fine_others) |= !mine;
    }
    l->ranks = r;
    l->twin.sum = job_sum;
    IFD_TRY(ifd__distributed_room(arena, c, &(ifd__exchange){.columns = r->columns}));
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(r->ahead, c->distributed->room)));
    const ifd__exchange one = {.columns = 1}; /* opens the groups, so that the first cycle does not */
    bool ok = !r->coarse_here || !r->coarse_others || ifd__distributed_among(c, &one, r->coarse);
    ok = (!r->fine_here || !r->fine_others || ifd__distributed_among(c, &one, r->fine)) && ok;
    return ok ? IFD_OK : ifd_note_add(note, IFD_PEER, &opt->place, "a process does not answer");
}

/* The term of substructure p between two sights, into a vector of its block. */
static void put_term(ifd__coupled *c, int p, double t, const ifd__sight *const pair[2], double theta, int column)
{
    parallel *l = c->data;
    const ifd__exchange e = {.columns = l->ranks->columns};
    l->pair[0][p] = pair[0];
    l->pair[1][p] = pair[1];
    l->at[p] = theta;
    const ifd__views at = {t, l->pair[0], l->pair[1], l->at};
    (void)ifd__interface_term(&c->I, p, &at, c->I.term);
    ifd__distributed_pick(c, p, c->I.term,
                          ifd__distributed_block(c, &e, p) + (ptrdiff_t)column * c->distributed->own_rows[p]);
}

/* Collective, at the start of a cycle at t: all that one side needs of the other during it. */
IFD_RT static void parallel_exchange(ifd__coupled *c, double t)
{
    parallel *l = c->data;
    const ifd__events *f = &l->fine;
    const ifd__exchange e = {.columns = l->ranks->columns};
    for (int p = 0; p < c->parts; p++) {
        const side *a = &l->side[p];
        const ifd__segment *g = &f->segment[p];
        if (!ifd__coupled_mine(c, p))
            continue;
        put_term(c, p, l->job_time, (const ifd__sight *[]){&a->at2, &a->at2}, 0.0, STAGE_0);
        if (!a->coarse) {
            put_term(c, p, l->job_time + 2.0 * l->dt, (const ifd__sight *[]){&a->at0, &a->at0}, 0.0, STAGE_1);
            put_term(c, p, t + f->instant[0].at * f->h, (const ifd__sight *[]){g->to, g->to}, 0.0, FINE_0);
        }
        for (int k = 0; k < f->instants && a->coarse; k++)
            put_term(c, p, t + f->instant[k].at * f->h, (const ifd__sight *[]){g->from, g->to},
                     (f->instant[k].at - g->begins) / (g->ends - g->begins), COARSE_AT + k);
    }
    (void)ifd__distributed_share(c, &e); /* a process that is gone appears at the end of the cycle */
    memcpy(l->ranks->ahead, c->distributed->block, sizeof(double) * c->distributed->room);
}

static void add_ahead(const ifd__coupled *c, int p, int column, double *y)
{
    const parallel *l = c->data;
    const ifd__exchange e = {.columns = l->ranks->columns};
    ptrdiff_t at = ifd__distributed_block(c, &e, p) - c->distributed->block;
    ifd__distributed_add(c, p, l->ranks->ahead + at + (ptrdiff_t)column * c->distributed->own_rows[p], y);
}

/* The terms of one side at an instant, computed now. */
static bool share_side(ifd__coupled *c, ifd__interface *I, const ifd__views *at, const bool *part, bool others)
{
    const ifd__exchange one = {.columns = 1};
    for (int p = 0; p < c->parts; p++)
        if (part[p] && !I->part[p].away) {
            (void)ifd__interface_term(I, p, at, I->term);
            ifd__distributed_pick(c, p, I->term, ifd__distributed_block(c, &one, p));
        }
    return !others || ifd__distributed_among(c, &one, part);
}

/* y := the sum over all substructures in their order: those of `part` were shared now, the others at the start of the
 * cycle in this vector; of `part` too if it has a vector, mine >= 0. */
static void add_all(const ifd__coupled *c, const bool *part, int mine, int theirs, double *y)
{
    const ifd__exchange one = {.columns = 1};
    memset(y, 0, sizeof(double) * (size_t)c->I.rows);
    for (int p = 0; p < c->parts; p++)
        if (!part[p] || mine >= 0)
            add_ahead(c, p, part[p] ? mine : theirs, y);
        else
            ifd__distributed_add(c, p, ifd__distributed_block(c, &one, p), y);
}

/* On the coarse side. */
static bool job_sum(ifd__coupled *c, ifd__interface *I, const ifd__views *at, double *y)
{
    const ranks *r = ((parallel *)c->data)->ranks;
    bool ok = r->stage == 0 || share_side(c, I, at, r->coarse, r->coarse_others);
    add_all(c, r->coarse, r->stage == 0 ? STAGE_0 : -1, r->stage == 0 ? STAGE_0 : STAGE_1, y);
    return ok;
}

/* Sums of ifd__interface_free on the fine side. */
IFD_RT static bool parallel_fine_sum(ifd__coupled *c, ifd__interface *I, const ifd__views *at, double *y)
{
    const ranks *r = ((parallel *)c->data)->ranks;
    bool ok = r->instant == 0 || share_side(c, I, at, r->fine, r->fine_others);
    add_all(c, r->fine, r->instant == 0 ? FINE_0 : -1, COARSE_AT + r->instant, y);
    return ok;
}

/* The start of PLSRT2: two staggered cycles with equal steps dt and the same methods, with stages at tick 0 and at
 * the middle of the cycle, and a third step that supplies y_A,3 only.
 *
 * With a measured substructure, the first two cycles use the forces measured at both instants; in the ticks between
 * them the specimen moves on an interpolated path. The third step is ahead of the test. It is computed at the last
 * tick of the second cycle and assumes that the force changes from there according to the estimates of the
 * substructure (not at all without estimates). This causes one error of order dt^2 in y_A,3, so the order of the
 * method is unchanged. */

static void copy(double *x, int to, int from, int count)
{
    memcpy(x + to, x + from, sizeof(double) * (size_t)count);
}

/* At tick 0 of a cycle, after the measurement of the force at i: the forces at i-2 and i-1 shift. */
IFD_RT static void parallel_shift_forces(ifd__coupled *c, double *x)
{
    const parallel *l = c->data;
    for (int p = 0; p < l->parts; p++) {
        const side *b = &l->side[p];
        int n = c->member[p].model->n;
        if (!b->measured)
            continue;
        copy(x, b->force2, b->force1, n);
        memcpy(x + b->force1, c->I.part[p].measured, sizeof(double) * (size_t)n);
    }
}

static void start_load(const parallel *l, const double *x)
{
    memset(l->xstart, 0, sizeof(double) * (size_t)l->start_size);
    for (int p = 0; p < l->parts; p++)
        if (l->start.stepper[p])
            memcpy(l->xstart + l->start_at[p], x + l->side[p].now, sizeof(double) * (size_t)l->side[p].size);
}

static void instant(ifd__coupled *c, int j, double t, double *x, double *lambda)
{
    parallel *l = c->data;
    if (!ifd__events_instant(&l->start, j, t, l->xstart, lambda))
        ifd__raise(&x[c->fault], IFD_STEP_SINGULAR);
}

/* Force on substructure p at u, v: the last measured force plus the change given by the estimates. u and v become the
 * change. */
static void guess(ifd__coupled *c, int p, double *u, double *v)
{
    const parallel *l = c->data;
    const side *b = &l->side[p];
    int n = c->member[p].model->n;
    double *f = c->I.part[p].measured;
    memcpy(f, b->f0, sizeof *f * (size_t)n);
    for (int i = 0; i < n; i++) {
        u[i] -= b->last[i];
        v[i] -= b->last[n + i];
    }
    for (int k = 0; k < b->estimates; k++) {
        const ifd_estimate *e = &b->estimate[k];
        double du = ifd__deformation(IFD__ENDS(e), u), dv = ifd__deformation(IFD__ENDS(e), v);
        ifd__add_restoring_force(IFD__ENDS(e), e->stiffness * du + e->damping * dv, f);
    }
}

/* The third step, from i = 2, which supplies y_A,3. */
static void look_ahead(ifd__coupled *c, double t, double *x)
{
    parallel *l = c->data;
    for (int p = 0; p < l->parts; p++)
        if (l->side[p].measured)
            memcpy(l->side[p].f0, c->I.part[p].measured, sizeof(double) * (size_t)c->member[p].model->n);
    ifd__events_begin(&l->start, l->xstart);
    for (int j = 0; j < l->start.instants; j++) {
        for (int p = 0; p < l->parts; p++)
            if (l->side[p].measured) {
                double *u = l->y, *v = u + c->member[p].model->n;
                ifd__events_aim(&l->start, j, l->xstart, p, u, v);
                guess(c, p, u, v);
            }
        instant(c, j, t, x, NULL);
    }
    ifd__events_latch(&l->start, l->xstart, &x[c->fault]);
    for (int p = 0; p < l->parts; p++)
        if (l->side[p].coarse && l->start.stepper[p])
            memcpy(x + l->side[p].next, l->xstart + l->start_at[p], sizeof(double) * (size_t)l->side[p].size);
}

static void cycle_end(ifd__coupled *c, double t, double *x)
{
    parallel *l = c->data;
    ifd__events_latch(&l->start, l->xstart, &x[c->fault]);
    for (int p = 0; p < l->parts; p++) {
        const side *a = &l->side[p];
        size_t bytes = sizeof(double) * (size_t)a->size;
        if (!l->start.stepper[p])
            continue;
        memcpy(x + a->past, x + a->before, bytes);
        memcpy(x + a->before, x + a->now, bytes);
        memcpy(x + a->now, l->xstart + l->start_at[p], bytes);
    }
    x[l->phase] += 1.0;
    if (x[l->phase] == 2.0)
        look_ahead(c, t + l->dt, x);
}

/* u and v at the fraction theta of half a cycle: the cubic through both ends, which hold u, v. */
typedef struct half {
    double T;            /* s */
    const double *a, *b; /* 2 n each */
} half;

static void between(int n, const half *way, double theta, double *u, double *v)
{
    const double *a = way->a, *b = way->b, T = way->T;
    for (int i = 0; i < n; i++) {
        double d = b[i] - a[i], va = T * a[n + i], vb = T * b[n + i];
        double c2 = 3.0 * d - 2.0 * va - vb, c3 = va + vb - 2.0 * d;
        u[i] = a[i] + theta * (va + theta * (c2 + theta * c3));
        v[i] = (va + theta * (2.0 * c2 + 3.0 * c3 * theta)) / T;
    }
}

/* Tick k of one of the first two cycles, which began at t. */
IFD_RT static void parallel_start_aim(ifd__coupled *c, int k, const double *x, int p, double *u, double *v)
{
    const parallel *l = c->data;
    const side *b = &l->side[p];
    int n = c->member[p].model->n;
    size_t bytes = sizeof(double) * (size_t)n;
    const double *now = x + b->now;
    if (k == 0) {
        memcpy(u, now, bytes);
        memcpy(v, now + n, bytes);
    } else if (2 * k <= c->ticks) {
        ifd__events_aim(&l->start, 1, l->xstart, p, b->middle, b->middle + n);
        memcpy(u, b->middle, bytes);
        memcpy(v, b->middle + n, bytes);
        if (2 * k < c->ticks)
            between(n, &(half){0.5 * l->dt, now, b->middle}, 2.0 * k / c->ticks, u, v);
    } else {
        between(n, &(half){0.5 * l->dt, b->middle, l->xstart + l->start_at[p]}, 2.0 * k / c->ticks - 1.0, u, v);
    }
}

/* Displacements of the measured substructures in tick k. */
static void stand(ifd__coupled *c, int k, const double *x)
{
    const parallel *l = c->data;
    for (int p = 0; p < l->parts; p++) {
        const side *b = &l->side[p];
        if (!b->measured)
            continue;
        int n = c->member[p].model->n;
        parallel_start_aim(c, k, x, p, b->last, b->last + n);
    }
}

IFD_RT static void parallel_start_tick(ifd__coupled *c, int k, double t, double *x)
{
    parallel *l = c->data;
    if (k == 0) {
        start_load(l, x);
        ifd__events_begin(&l->start, l->xstart);
        parallel_shift_forces(c, x);
    }
    stand(c, k, x);
    for (int j = 0; j < l->start.instants; j++)
        if (j * c->ticks / l->start.instants == k)
            instant(c, j, t, x, c->measured && j == 0 ? x + c->lambda : NULL);
    if (k == c->ticks - 1)
        cycle_end(c, t, x);
}

/* One coarse step on private data. */
static void job(void *argument)
{
    parallel *l = argument;
    ifd__interface *I = &l->twin;
    l->job_ok = true;
    for (int stage = 0; stage < 2; stage++) {
        double t = l->job_time + 2.0 * stage * l->dt;
        if (l->ranks)
            l->ranks->stage = stage;
        for (int p = 0; p < l->parts; p++) {
            const side *b = &l->side[p];
            l->seen[p] = stage ? &b->at0 : &b->at2;
            if (b->measured)
                I->part[p].measured = stage ? b->f0 : b->f2;
        }
        l->job_ok = ifd__interface_solve(I, t, l->seen, l->seen, l->theta, l->lambda) && l->job_ok;
        for (int p = 0; p < l->parts; p++) {
            side *a = &l->side[p];
            if (!a->coarse || I->part[p].away)
                continue;
            ifd__interface_load(I, p, l->lambda, l->load);
            ifd_stepper_stage(a->stepper, stage, l->job_time, l->load, a->job);
            if (stage == 0) {
                int n = I->part[p].m->n;
                ifd__rosenbrock_middle(a->stepper, a->job, l->y, l->y + n, l->y + 2 * n);
                ifd__interface_see(I, p, l->y, &a->at0);
            }
        }
    }
}

static void job_prepare(ifd__coupled *c, double t, double *x)
{
    parallel *l = c->data;
    l->job_time = t - 2.0 * l->dt;
    l->job_ok = true; /* also where no job runs */
    ifd__coupled_feed_back(c, l->past, x, &l->twin);
    ifd__coupled_feed_back(c, NULL, x, &c->I);
    for (int p = 0; p < l->parts; p++) {
        side *a = &l->side[p];
        if (!ifd__coupled_mine(c, p))
            continue;
        ifd__interface_see(&c->I, p, x + a->past, &a->at2);
        if (a->coarse) {
            memcpy(a->job, x + a->past, sizeof(double) * (size_t)a->size);
            a->job[a->stepper->fault] = 0.0;
        } else {
            ifd__interface_see(&c->I, p, x + a->now, &a->at0);
        }
        if (a->measured) {
            size_t bytes = sizeof(double) * (size_t)c->member[p].model->n;
            memcpy(a->f2, x + a->force2, bytes);
            memcpy(a->f0, c->I.part[p].measured, bytes);
        }
    }
}

static void job_begin(ifd__coupled *c)
{
    if (c->workers)
        ifd__coupled_jobs_begin(c);
    else
        job(c->data);
}

/* i becomes i + 1: histories shift. B has just advanced `now` in place, so its past was saved at the start of the
 * cycle. */
static void job_end(ifd__coupled *c, double *x)
{
    parallel *l = c->data;
    if (!ifd__coupled_jobs_wait(c)) {
        ifd__raise(&x[c->fault], IFD_STEP_LATE); /* data that the job writes must not be accessed now */
        return;
    }
    if (!l->job_ok)
        ifd__raise(&x[c->fault], IFD_STEP_SINGULAR);
    for (int p = 0; p < l->parts; p++) {
        side *a = &l->side[p];
        if (!a->coarse || !ifd__coupled_mine(c, p))
            continue;
        copy(x, a->past, a->before, a->size);
        copy(x, a->before, a->now, a->size);
        copy(x, a->now, a->next, a->size);
        memcpy(x + a->next, a->job, sizeof(double) * (size_t)a->size);
        ifd__raise(&x[c->fault], ifd_stepper_fault(a->stepper, a->job));
    }
}

/* Sets the segments of the coarse substructures for the fine side: linear over the cycle from y_A,i to y_A,i+1. */
static void fine_begin(ifd__coupled *c, double *x)
{
    parallel *l = c->data;
    for (int p = 0; p < l->parts; p++) {
        const side *a = &l->side[p];
        ifd__segment *g = &l->fine.segment[p];
        if (!a->coarse || !ifd__coupled_mine(c, p))
            continue;
        ifd__interface_see(&c->I, p, x + a->now, g->from);
        ifd__interface_see(&c->I, p, x + a->next, g->to);
        g->begins = 0.0;
        g->ends = 1.0;
    }
    ifd__events_begin(&l->fine, x);
}

/* Shifts the history of B at the start of a cycle, before `now` advances; by then the job has copied its data. */
static void shift_fine(ifd__coupled *c, double *x)
{
    parallel *l = c->data;
    for (int p = 0; p < l->parts; p++) {
        const side *b = &l->side[p];
        if (b->coarse || !ifd__coupled_mine(c, p))
            continue;
        copy(x, b->past, b->before, b->size);
        copy(x, b->before, b->now, b->size);
    }
}

/* The start of a cycle. With several processes each side receives what it needs of the other before it begins. */
static void cycle_begin(ifd__coupled *c, double t, double *x)
{
    parallel *l = c->data;
    job_prepare(c, t, x);
    if (!l->ranks)
        job_begin(c);
    fine_begin(c, x);
    if (l->ranks)
        parallel_exchange(c, t);
    if (l->ranks && l->ranks->coarse_here)
        job_begin(c);
    shift_fine(c, x);
    parallel_shift_forces(c, x);
}

/* Tick k of the fine side in several processes; true at the last one. */
static bool fine_tick(ifd__coupled *c, int k, double t, double *x)
{
    parallel *l = c->data;
    bool last = k == c->ticks - 1;
    l->ranks->instant = k;
    c->I.sum = parallel_fine_sum;
    if (l->ranks->fine_here)
        (void)ifd__events_tick(&l->fine, c, k, t, x);
    c->I.sum = ifd__distributed_sum;
    if (last)
        ifd__interface_rest(&c->I);
    return last;
}

static void tick(ifd__coupled *c, int k, double t, double *x)
{
    parallel *l = c->data;
    bool last = k == c->ticks - 1;
    if (x[l->phase] < 2.0) {
        parallel_start_tick(c, k, t, x);
    } else {
        if (k == 0)
            cycle_begin(c, t, x);
        if (l->ranks ? fine_tick(c, k, t, x) : ifd__events_tick(&l->fine, c, k, t, x))
            job_end(c, x);
    }
    if (last)
        ifd__coupled_synchronise(c, t + c->h, x);
    if (last && c->distributed)
        ifd__distributed_gather(c, x);
}

static void aim(ifd__coupled *c, int k, const double *x, int p, double *u, double *v)
{
    const parallel *l = c->data;
    if (x[l->phase] < 2.0)
        parallel_start_aim(c, k, x, p, u, v);
    else
        ifd__events_aim(&l->fine, k, x, p, u, v);
}

/* Numbers of a history; a substructure of another process has none here. */
static int kept(const ifd__coupled *c, int p)
{
    const parallel *l = c->data;
    return ifd__coupled_mine(c, p) ? l->side[p].size : 0;
}

/* Rows in the order of the recurrence: A and B at i-2, at i-1, at i, and A at i+1. */
static ifd_status layout(ifd__coupled *c, ifd_arena *arena, const ifd_couple_options *opt, ifd_note *note)
{
    parallel *l = c->data;
    for (int p = 0; p < l->parts; p++) {
        side *a = &l->side[p];
        const ifd_model *m = opt->part[p].model;
        int ss = opt->part[p].subcycles ? opt->part[p].subcycles : 1;
        a->coarse = opt->part[p].coarse;
        a->size = 2 * m->n + m->ns;
        c->member[p].h = a->coarse ? 4.0 * opt->h : opt->h / ss;
        a->measured = opt->part[p].measured;
        a->estimates = opt->part[p].step.estimates;
        a->estimate = opt->part[p].step.estimate;
        if (a->coarse && a->measured)
            return ifd_note_add(
                note, IFD_UNSUPPORTED, &opt->part[p].place,
                "substructure '%s' has a specimen: coupling parallel needs it on the fine side (`coarse: no`)",
                opt->part[p].name);
        if (a->coarse && opt->part[p].step.method->stages != 2)
            return ifd_note_add(note, IFD_UNSUPPORTED, &opt->part[p].place,
                                "coarse substructure '%s' needs method lsrt2 in coupling parallel",
                                opt->part[p].name);
        const ifd_value *factor = ifd__step_value(&opt->part[p].step, "factor");
        if (a->coarse && factor->given && factor->number != 0.0)
            return ifd_note_add(
                note, IFD_UNSUPPORTED, &opt->part[p].place,
                "coarse substructure '%s': 'factor: single' is not available in coupling parallel, use "
                "'factor: double'",
                opt->part[p].name);
        if (ifd__coupled_mine(c, p))
            IFD_TRY(ifd__coupled_stepper(arena, opt, p, c->member[p].h, &a->stepper, note));
        a->past = ifd__coupled_row(c, "y(i-2)", kept(c, p), IFD_STATE_HISTORY);
    }
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(l->past, l->parts)));
    for (int p = 0; p < l->parts; p++)
        l->past[p] = l->side[p].past;
    for (int p = 0; p < l->parts; p++)
        l->side[p].before = ifd__coupled_row(c, "y(i-1)", kept(c, p), IFD_STATE_HISTORY);
    for (int p = 0; p < l->parts; p++) {
        side *a = &l->side[p];
        a->now = a->coarse || !a->stepper ? ifd__coupled_row(c, "y(i)", a->size, IFD_STATE_REAL)
                                          : ifd__coupled_stepper_rows(c, a->stepper);
        c->member[p].at = a->now;
    }
    for (int p = 0; p < l->parts; p++)
        if (l->side[p].coarse)
            l->side[p].next = ifd__coupled_row(c, "y(i+1)", kept(c, p), IFD_STATE_HISTORY);
    for (int p = 0; p < l->parts; p++)
        if (l->side[p].measured) {
            l->side[p].force2 = ifd__coupled_row(c, "force(i-2)", c->member[p].model->n, IFD_STATE_HISTORY);
            l->side[p].force1 = ifd__coupled_row(c, "force(i-1)", c->member[p].model->n, IFD_STATE_HISTORY);
        }
    l->phase = ifd__coupled_row(c, "start-up", 1, IFD_STATE_INTEGER);
    return IFD_OK;
}

static ifd_status make_measured(ifd__coupled *c, ifd_arena *arena)
{
    parallel *l = c->data;
    for (int p = 0; p < l->parts; p++) {
        side *b = &l->side[p];
        size_t n = (size_t)c->member[p].model->n;
        if (b->measured)
            IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(b->f2, n), IFD__ARRAY(b->f0, n), IFD__ARRAY(b->middle, 2 * n),
                              IFD__ARRAY(b->last, 2 * n)));
    }
    return IFD_OK;
}

static ifd_status make_job(ifd__coupled *c, ifd_arena *arena, ifd_note *note)
{
    parallel *l = c->data;
    size_t most = 1, most_y = 1, parts = (size_t)l->parts;
    IFD_TRY(ifd__interface_twin(arena, &c->I, &l->twin, note));
    for (int p = 0; p < l->parts; p++) {
        side *a = &l->side[p];
        size_t n = (size_t)c->member[p].model->n;
        most = n > most ? n : most;
        most_y = (size_t)a->size > most_y ? (size_t)a->size : most_y;
        size_t private = a->coarse && a->stepper ? (size_t)ifd_stepper_size(a->stepper) : 0;
        IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(a->job, private)));
        IFD_TRY(ifd__sight_make(arena, &c->I, p, &a->at2));
        IFD_TRY(ifd__sight_make(arena, &c->I, p, &a->at0));
    }
    return IFD__TAKE(arena, IFD__ARRAY(l->seen, parts), IFD__ARRAY(l->theta, parts), IFD__ARRAY(l->lambda, c->I.rows),
                     IFD__ARRAY(l->load, most), IFD__ARRAY(l->y, most_y));
}

static ifd_status make_events(ifd__coupled *c, ifd_arena *arena, const ifd_couple_options *opt, ifd_note *note)
{
    parallel *l = c->data;
    size_t parts = (size_t)l->parts;
    bool *fine, *all;
    int *ss, *one, *at;
    ifd_stepper **fine_stepper, **start_stepper;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(fine, parts), IFD__ARRAY(all, parts), IFD__ARRAY(ss, parts),
                      IFD__ARRAY(one, parts), IFD__ARRAY(at, parts), IFD__ARRAY(fine_stepper, parts),
                      IFD__ARRAY(start_stepper, parts), IFD__ARRAY(l->start_at, parts)));
    int size = 0;
    for (int p = 0; p < l->parts; p++) {
        fine[p] = !l->side[p].coarse;
        all[p] = true;
        ss[p] = opt->part[p].subcycles ? opt->part[p].subcycles : 1;
        one[p] = 1;
        at[p] = l->side[p].now;
        fine_stepper[p] = fine[p] ? l->side[p].stepper : NULL;
        l->start_at[p] = size;
        if (!ifd__coupled_mine(c, p))
            continue;
        IFD_TRY(ifd__coupled_stepper(arena, opt, p, l->dt, &start_stepper[p], note));
        size += ifd_stepper_size(start_stepper[p]);
    }
    l->start_size = size;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(l->xstart, size)));
    l->fine = (ifd__events){
        .I = &c->I, .h = l->dt, .couple = opt, .active = fine, .subcycles = ss, .at = at, .stepper = fine_stepper};
    l->start = l->fine;
    l->start.active = all;
    l->start.subcycles = one;
    l->start.at = l->start_at;
    l->start.stepper = start_stepper;
    IFD_TRY(ifd__events_make(arena, &l->fine, note));
    return ifd__events_make(arena, &l->start, note);
}

static ifd_status make(ifd__coupled *c, ifd_arena *arena, const ifd_couple_options *opt, ifd_note *note)
{
    parallel *l;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(l, 1)));
    c->data = l;
    l->dt = opt->h;
    l->parts = opt->parts;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(l->side, l->parts)));
    int coarse = 0;
    for (int p = 0; p < opt->parts; p++)
        coarse += opt->part[p].coarse;
    if (!coarse || coarse == opt->parts)
        return ifd_note_add(note, IFD_CONFLICT, &opt->place,
                            "coupling parallel needs at least one coarse and one fine substructure (`coarse: yes`)");
    IFD_TRY(ifd__coupled_interface(c, arena, opt, 4.0 * opt->h, note));
    IFD_TRY(layout(c, arena, opt, note));
    IFD_TRY(make_job(c, arena, note));
    IFD_TRY(make_measured(c, arena));
    IFD_TRY(make_events(c, arena, opt, note));
    c->ticks = l->fine.instants;
    if (opt->ranks)
        return parallel_ranks_make(c, arena, opt, note);
    if (opt->threads > 1)
        IFD_TRY(ifd__coupled_worker(c, arena, job, l));
    return IFD_OK;
}

const ifd_coupling ifd__coupling_parallel = {
    .name = "parallel",
    .title = "interfield parallel LSRT2 coupling (PLSRT2)",
    .citation = "Jia, Li, Liu, Yang, Wu (2012); Jia, Bursi, Bonelli, Wang (2011)",
    .summary = "Two threads compute the coarse and the fine substructures at the same time. Neither thread "
               "waits for the other within a step.",
    .order = 2,
    .methods = "lsrt1|lsrt2",
    .make = make,
    .begin = ifd__coupled_multipliers,
    .tick = tick,
    .aim = aim,
};
