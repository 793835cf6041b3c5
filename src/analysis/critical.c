/* SPDX-License-Identifier: MIT */
/* The first unstable step of a run, and the stable steps around its step. */
#include <math.h>
#include <string.h>

#include "analysis/krylov.h"
#include "analysis/verdict.h"
#include "analysis/windows.h"

/* State variables. Above SOME, the adaptive search uses a reduced model of about FEW. Above MANY, Arnoldi's method
 * finds the roots of the full model; at the step of the case only above DENSE. If it does not converge, all roots are
 * computed up to MOST: half a second per step for 800 numbers, growing with their cube. */
enum { FEW = 100, SOME = 160, MANY = 400, DENSE = 1000, MOST = 1500 };
/* Above MOST, a random state is stepped if Arnoldi's method does not converge. Growth like t^p, which multiple roots
 * equal to one cause, is ln 2 p / 1000 per step in the second half of 2000: up to p = 3 it does not count as
 * unstable. */
enum { POWER = 5 };
static const double near_one = 1e-4;      /* distance from one below which its roots count as one */
enum { HISTORY = 6 };                     /* largest number of steps that a coupling remembers, with a reserve */
static const double coarse_factor = 1.15; /* between steps at which a full model above SOME is examined */
static const double fine_edge = 1e-9, rough_edge = 1e-3; /* relative width to which an edge is bisected */

typedef struct stepping {
    ifd_run_options rest; /* at rest; couple points to own */
    ifd_couple_options own;
    bool arnoldi, coarse, reduced;
    double sign; /* of x = sign ln h */
    int states;
    ifd_critical_step *out;
} stepping;

static void own_options(stepping *p, const ifd_run_options *at_rest)
{
    p->rest = *at_rest;
    if (at_rest->couple) {
        p->own = *at_rest->couple;
        p->rest.couple = &p->own;
    }
}

static ifd_status all_roots(ifd_arena *arena, const ifd__probe *p, ifd__roots *out, ifd_note *note)
{
    size_t n = (size_t)p->n;
    double *A, *scale;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(A, n * n), IFD__ARRAY(scale, n)));
    IFD_TRY(ifd__verdict_of(p, arena, &(ifd__balanced){A, scale, NULL}, false, out, note));
    ifd__roots_join(out);
    return IFD_OK;
}

/* Records which estimates of Arnoldi's method may be the largest within their residuals, and the most doubtful
 * step. */
static void keep_doubt(const ifd__roots *r, ifd_critical_step *out)
{
    double largest = hypot(r->real[0], r->imag[0]), doubt = r->blur[0], size;
    if (out->unsure++ && doubt <= out->unsure_doubt)
        return;
    out->unsure_roots = 0;
    out->unsure_to = largest;
    out->unsure_doubt = doubt;
    for (int i = 0; i < r->n && (size = hypot(r->real[i], r->imag[i])) >= largest - doubt; i++) {
        out->unsure_roots++;
        out->unsure_from = size;
    }
}

/* Roots of many numbers. Roots near one count as one: rounding splits multiple ones. If the largest root does not
 * converge, as among many of equal size, all roots are computed; if they are too many, a larger space is tried, then
 * a random state is stepped. */
static ifd_status some_roots(stepping *p, ifd_arena *arena, const ifd__probe *probe, ifd__roots *out, ifd_note *note)
{
    p->out->arnoldi++;
    ifd_status status = ifd__krylov_roots(arena, probe, HISTORY, out, note);
    ifd__roots first = *out;
    for (int i = 0; status == IFD_OK && i < out->n; i++)
        if (hypot(out->real[i] - 1.0, out->imag[i]) < near_one) {
            out->real[i] = 1.0;
            out->imag[i] = 0.0;
        }
    if (status == IFD_UNSUPPORTED && probe->n > MOST)
        status = ifd__krylov_radius(arena, probe, HISTORY, near_one, out, note);
    if (status != IFD_UNSUPPORTED)
        return status;
    if (probe->n <= MOST) {
        p->out->dense++;
        return all_roots(arena, probe, out, note);
    }
    ifd__growth g;
    IFD_TRY(ifd__krylov_growth(arena, probe, IFD__GROWTH_STEPS, &g));
    bool grows = g.rate > (double)POWER / IFD__GROWTH_STEPS;
    if (!grows)
        keep_doubt(&first, p->out);
    out->n = 1;
    out->real[0] = grows ? exp(g.rate) : 1.0;
    out->imag[0] = 0.0;
    return IFD_OK;
}

/* A reduced model is a different structure: its own slow growth is no evidence for the whole. */
static void doubt(ifd__roots *r)
{
    for (int i = 0; r->blur && i < r->n; i++)
        r->blur[i] = copysign(fmax(fabs(r->blur[i]), IFD__LEAST_GROWTH), r->blur[i]);
}

static ifd_status roots_at(void *what, double x, ifd_arena *arena, ifd__roots *out, ifd_note *note)
{
    stepping *p = what;
    ifd__probed_run run = {0};
    *(p->rest.couple ? &p->own.h : &p->rest.step.h) = exp(p->sign * x);
    p->out->evaluations++;
    ifd_status status = ifd__probe_run(arena, &p->rest, &run, note);
    p->states = run.probe.n;
    if (status == IFD_OK)
        status = p->arnoldi ? some_roots(p, arena, &run.probe, out, note) : all_roots(arena, &run.probe, out, note);
    if (status == IFD_OK && p->reduced)
        doubt(out);
    if (run.run)
        ifd_run_close(run.run);
    return status;
}

static ifd_status radius_at(stepping *p, double h, double *radius, bool *unstable)
{
    ifd__roots roots = {0};
    ifd_arena *arena IFD__CLOSED = ifd_arena_open();
    ifd_status status = arena ? roots_at(p, p->sign * log(h), arena, &roots, NULL) : IFD_NO_MEMORY;
    *radius = status == IFD_DIVERGED ? (double)INFINITY : 0.0;
    for (int i = 0; status == IFD_OK && i < roots.n; i++)
        *radius = fmax(*radius, hypot(roots.real[i], roots.imag[i]));
    *unstable = status == IFD_DIVERGED || (status == IFD_OK && !ifd__roots_stable(&roots));
    return status == IFD_DIVERGED ? IFD_OK : status;
}

typedef struct searching {
    stepping full, small; /* all state variables; reduced model of a large one */
    stepping *found_on;   /* the one that is unstable at the last edge */
    bool reduced;
    ifd_critical_step *out;
} searching;

static ifd_status search_on(stepping *p, const searching *q, double from, double to, ifd__window *found)
{
    p->sign = to > from ? 1.0 : -1.0;
    const ifd__window_search s = {.probe = roots_at,
                                  .what = p,
                                  .from = p->sign * log(from),
                                  .to = p->sign * log(to),
                                  .width = log(p->coarse ? coarse_factor : q->out->resolution),
                                  .edge = p->arnoldi ? rough_edge : fine_edge,
                                  .uniform = p->coarse || q->out->uniform};
    IFD_TRY(ifd__windows_first(&s, found));
    q->out->open += p->coarse ? 0 : found->open;
    found->stable = exp(p->sign * found->stable);
    found->unstable = exp(p->sign * found->unstable);
    return IFD_OK;
}

/* From one step to another, on every model; the nearer result counts. */
static ifd_status search(searching *q, double from, double to, ifd__window *found)
{
    IFD_TRY(search_on(&q->full, q, from, to, found));
    q->found_on = &q->full;
    double end = found->found ? found->stable : to;
    if (!q->reduced || !(fabs(log(end / from)) > log(q->out->resolution)))
        return IFD_OK;
    ifd__window other;
    IFD_TRY(search_on(&q->small, q, from, end, &other));
    if (other.found) {
        *found = other;
        q->found_on = &q->small;
    }
    return IFD_OK;
}

/* End of the window that begins at the edge: doubling steps away from it, then bisection. */
static ifd_status find_end(searching *q, double edge, double most)
{
    ifd_critical_step *out = q->out;
    stepping *p = q->found_on;
    double width = log(out->resolution), low = edge, high = 0.0, radius;
    bool unstable;
    for (double h = edge * exp(width); high == 0.0 && low < most; h = fmin(h * exp(width), most)) {
        IFD_TRY(radius_at(p, h, &radius, &unstable));
        *(unstable ? &low : &high) = h;
        out->radius = fmax(out->radius, unstable ? radius : 0.0);
        width *= 2.0;
    }
    for (; high > 0.0 && high / low > out->resolution;) {
        double h = sqrt(low * high);
        IFD_TRY(radius_at(p, h, &radius, &unstable));
        *(unstable ? &low : &high) = h;
        out->radius = fmax(out->radius, unstable ? radius : 0.0);
    }
    out->closes = high;
    return IFD_OK;
}

/* The stable steps around that of the case. first: result of the search from the smallest step. */
static ifd_status look_around(searching *q, const ifd__window *first)
{
    ifd_critical_step *out = q->out;
    if (!out->current_stable)
        return IFD_OK;
    out->below = out->smallest;
    out->above = first->found ? first->stable : out->largest;
    out->above_found = first->found;
    if (!first->found || out->current <= first->unstable)
        return IFD_OK;
    ifd__window found;
    out->above = out->largest;
    out->above_found = false;
    if (out->current < out->largest) {
        IFD_TRY(search(q, out->current, out->largest, &found));
        out->above = found.found ? found.stable : out->largest;
        out->above_found = found.found;
    }
    IFD_TRY(search(q, out->current, first->unstable, &found));
    out->below = found.found ? found.stable : first->unstable;
    out->below_found = true;
    return IFD_OK;
}

static ifd_status find_first(searching *q, const ifd__range *r)
{
    ifd_critical_step *out = q->out;
    ifd__window first;
    stepping exact = q->full; /* all roots decide at the step of the case */
    bool unstable;
    exact.arnoldi = out->states > DENSE;
    IFD_TRY(radius_at(&exact, out->current, &out->current_radius, &unstable));
    out->current_stable = !unstable;
    IFD_TRY(search(q, out->smallest, out->largest, &first));
    out->found = first.found;
    out->radius = first.radius;
    if (first.found && isnan(first.stable)) {
        first.stable = 0.0;
        first.unstable = out->smallest;
    }
    out->step = first.stable;
    out->omega = out->step * r->lowest * r->ratio;
    if (first.found && out->step > 0.0)
        IFD_TRY(find_end(q, first.unstable, out->largest));
    return look_around(q, &first);
}

/* For many state variables: a coarse scan with all of them, and a reduced model for the adaptive search. */
static ifd_status reduce(searching *q, ifd_arena *arena, ifd_note *note)
{
    ifd_run_options small = q->full.rest;
    ifd__range r;
    int dofs;
    q->full.arnoldi = q->out->states > MANY;
    q->full.coarse = q->out->coarse = true;
    ifd_status status = ifd__reduce_parts(arena, &small, q->out->states, FEW, &dofs, NULL);
    if (status == IFD_TOO_LARGE)
        status = ifd__reduce_parts(arena, &small, q->out->states, SOME, &dofs, NULL);
    if (status == IFD_NO_MEMORY)
        return status;
    if (status != IFD_OK) {
        ifd_note_remark(note, NULL, "the model with %d state variables cannot be reduced for the adaptive search: %s",
                        q->out->states, ifd_status_text(status));
        return IFD_OK;
    }
    own_options(&q->small, &small);
    q->small.reduced = true;
    IFD_TRY(ifd__stability_range(&small, &r, note));
    q->out->kept = r.highest / (2.0 * M_PI);
    q->reduced = true;
    double radius;
    bool unstable;
    IFD_TRY(radius_at(&q->small, q->out->current, &radius, &unstable));
    q->out->reduced = q->small.states;
    return IFD_OK;
}

static ifd_status check(const ifd_critical_options *o, ifd_note *note)
{
    if (o && o->resolution != 0.0 && !(o->resolution >= 1.0001 && o->resolution <= 2.0))
        return ifd_note_add(note, IFD_RANGE, NULL, "resolution is %g; expected a factor from 1.0001 to 2",
                            o->resolution);
    if (o && (o->from < 0.0 || o->to < 0.0 || (o->from > 0.0 && o->to > 0.0 && !(o->from < o->to))))
        return ifd_note_add(note, IFD_RANGE, NULL, "steps from %g s to %g s are not a range: expected 0 < from < to",
                            o->from, o->to);
    return IFD_OK;
}

static ifd_status prepare(searching *q, ifd_arena *arena, const ifd_run_options *opt, const ifd_critical_options *o,
                          ifd__range *r, ifd_note *note)
{
    ifd_critical_step *out = q->out;
    ifd_run_options rest;
    ifd__probed_run run = {0};
    IFD_TRY(ifd__stability_range(opt, r, note));
    IFD_TRY(ifd__probe_options(arena, opt, &rest));
    ifd_status status = ifd__probe_run(arena, &rest, &run, note); /* remarks are added once, here */
    out->states = run.probe.n;
    if (run.run)
        ifd_run_close(run.run);
    IFD_TRY(status);
    own_options(&q->full, &rest);
    q->full.out = q->small.out = out;
    q->full.sign = q->small.sign = 1.0;
    out->uniform = o && o->resolution > 0.0;
    out->resolution = out->uniform ? o->resolution : IFD__WINDOW_RESOLUTION;
    out->current = opt->couple ? opt->couple->h : opt->step.h;
    out->smallest = o && o->from > 0.0 ? o->from : fmin(0.05 / (r->highest * r->ratio), out->current);
    out->largest = o && o->to > 0.0 ? o->to : fmax(1000.0 / (r->lowest * r->ratio), out->current);
    return out->states > SOME && !out->uniform ? reduce(q, arena, note) : IFD_OK;
}

ifd_status ifd_stability_critical(ifd_arena *arena, const ifd_run_options *opt, const ifd_critical_options *options,
                                  ifd_critical_step *out, ifd_note *note)
{
    ifd__range r;
    searching q = {.out = out};
    (void)arena;
    memset(out, 0, sizeof *out);
    IFD_TRY(check(options, note));
    ifd_arena *own IFD__CLOSED = ifd_arena_open();
    IFD_TRY(own ? prepare(&q, own, opt, options, &r, note) : IFD_NO_MEMORY);
    return find_first(&q, &r);
}
