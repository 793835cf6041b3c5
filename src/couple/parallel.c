/* SPDX-License-Identifier: MIT */
/* PLSRT2, interfield parallel: with system step dt, the coarse side A takes LSRT2 steps of 4 dt, one in *every* dt,
 * the fine side B steps of dt/ss. At step i, from y_A and y_B at i-2, i-1, i and y_A at i+1,
 *
 *     A:  Lam_{i-2} -> k1 over 4 dt -> ya = y_A,i-2 + k1/2;  Lam(ya, y_B,i) -> k2;  y_A,i+2 = y_A,i-2 + k2
 *     B:  from i to i+1, Lam at every stage with A linear between y_A,i and y_A,i+1
 *
 * Neither side reads data that the other writes, so A is a job on a worker. ya is a stage value: it does not replace
 * the stored y_A,i. The first two cycles have equal steps (parallel_start.c).
 *
 * With a measured B, the forces at i-2 and i are stored for the job; a stage of B uses the newest measured force.
 *
 * Jia, Li, Liu, Yang, Wu (2012), 15 WCEE. */
#include <string.h>

#include "couple/distributed.h"
#include "couple/parallel.h"
#include "couple/rows.h"
#include "couple/worker.h"
#include "method/rosenbrock.h"
#include "method/stepper.h"

typedef ifd__parallel_side side;
typedef ifd__parallel_coupling parallel;

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
                ifd__rosenbrock_middle(a->stepper, a->job, l->u, l->v, l->s);
                ifd__interface_see(I, p, l->u, l->v, l->s, &a->at0);
            }
        }
    }
}

static void see(const ifd__interface *I, int p, const double *y, ifd__sight *out)
{
    int n = I->part[p].m->n;
    ifd__interface_see(I, p, y, y + n, y + 2 * n, out);
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
        see(&c->I, p, x + a->past, &a->at2);
        if (a->coarse) {
            memcpy(a->job, x + a->past, sizeof(double) * (size_t)a->size);
            a->job[a->stepper->fault] = 0.0;
        } else {
            see(&c->I, p, x + a->now, &a->at0);
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

static void copy(double *x, int to, int from, int count)
{
    memcpy(x + to, x + from, sizeof(double) * (size_t)count);
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
        see(&c->I, p, x + a->now, g->from);
        see(&c->I, p, x + a->next, g->to);
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

void ifd__parallel_shift_forces(ifd__coupled *c, double *x)
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

/* The start of a cycle. With several processes each side receives what it needs of the other before it begins. */
static void cycle_begin(ifd__coupled *c, double t, double *x)
{
    parallel *l = c->data;
    job_prepare(c, t, x);
    if (!l->ranks)
        job_begin(c);
    fine_begin(c, x);
    if (l->ranks)
        ifd__parallel_exchange(c, t);
    if (l->ranks && l->ranks->coarse_here)
        job_begin(c);
    shift_fine(c, x);
    ifd__parallel_shift_forces(c, x);
}

/* Tick k of the fine side in several processes; true at the last one. */
static bool fine_tick(ifd__coupled *c, int k, double t, double *x)
{
    parallel *l = c->data;
    bool last = k == c->ticks - 1;
    l->ranks->instant = k;
    c->I.sum = ifd__parallel_fine_sum;
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
        ifd__parallel_start_tick(c, k, t, x);
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
        ifd__parallel_start_aim(c, k, x, p, u, v);
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
    size_t most_n = 1, most_s = 1, parts = (size_t)l->parts;
    IFD_TRY(ifd__interface_twin(arena, &c->I, &l->twin, note));
    for (int p = 0; p < l->parts; p++) {
        side *a = &l->side[p];
        const ifd_model *m = c->member[p].model;
        most_n = (size_t)m->n > most_n ? (size_t)m->n : most_n;
        most_s = (size_t)m->ns > most_s ? (size_t)m->ns : most_s;
        size_t private = a->coarse && a->stepper ? (size_t)ifd_stepper_size(a->stepper) : 0;
        IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(a->job, private)));
        IFD_TRY(ifd__sight_make(arena, &c->I, p, &a->at2));
        IFD_TRY(ifd__sight_make(arena, &c->I, p, &a->at0));
    }
    return IFD__TAKE(arena, IFD__ARRAY(l->seen, parts), IFD__ARRAY(l->theta, parts), IFD__ARRAY(l->lambda, c->I.rows),
                     IFD__ARRAY(l->load, most_n), IFD__ARRAY(l->u, most_n), IFD__ARRAY(l->v, most_n),
                     IFD__ARRAY(l->s, most_s));
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
    ifd__events_options options = {
        .I = &c->I, .h = l->dt, .couple = opt, .active = fine, .subcycles = ss, .at = at, .stepper = fine_stepper};
    IFD_TRY(ifd__events_make(arena, &options, &l->fine, note));
    options.active = all;
    options.subcycles = one;
    options.at = l->start_at;
    options.stepper = start_stepper;
    return ifd__events_make(arena, &options, &l->start, note);
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
        return ifd__parallel_ranks_make(c, arena, opt, note);
    if (opt->threads > 1)
        IFD_TRY(ifd__coupled_worker(c, arena, job, l));
    return IFD_OK;
}

const ifd_coupling ifd__coupling_parallel = {
    .name = "parallel",
    .title = "interfield parallel LSRT2 coupling (PLSRT2)",
    .citation = "Jia, Li, Liu, Yang, Wu (2012); Jia, Bursi, Bonelli, Wang (2011)",
    .summary = "The coarse side runs as a job beside the fine side; neither waits for the other within a step.",
    .order = 2,
    .methods = "lsrt1|lsrt2",
    .make = make,
    .begin = ifd__coupled_multipliers,
    .tick = tick,
    .aim = aim,
};
