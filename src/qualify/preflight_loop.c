/* SPDX-License-Identifier: MIT */
/* Stability and margins of the loop. */
#include "qualify/preflight.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "analysis/superelements.h"
#include "analysis/verdict.h"
#include "hybrid/update.h"
#include "method/stepper.h"

/* Largest delay that is tried, in ticks: its delay line is part of the recurrence. */
enum { MOST_TICKS = 200 };
/* Number of state variables with the longest delay above which its margin is searched coarsely. */
enum { MANY = 400 };
/* Dofs of a structure above which it is replaced by superelements, and their largest number then. */
enum { LARGE = 1000, MOST_DOFS = 400 };
/* Number of state variables of a structure that is not replaced above which a probe takes minutes. */
enum { VAST = 2000 };

typedef struct asking {
    ifd__loop loop;
    ifd__variant v; /* as configured, with one choice of stiffness for nonlinear specimens */
    double spring[IFD_RIG_ACTUATORS], dashpot[IFD_RIG_ACTUATORS];
    ifd_preflight *out;
    ifd_margins *margins; /* results of that choice */
    bool delay_alone;     /* no other margin is requested */
    ifd_note *note;
} asking;

static ifd_status reach(const asking *q, size_t member, double start, double from, double most, ifd_reach *out)
{
    ifd__reach found;
    bool delay = member == offsetof(ifd__variant, delay);
    int states = q->out->states + (delay ? MOST_TICKS * q->out->interfaces : 0); /* each has its own delay line */
    const ifd__search s = {.member = member,
                           .start = start,
                           .from = from,
                           .most = most,
                           .added = delay,
                           .coarse = q->out->states > IFD__LOOP_FEW || states > MANY};
    IFD_TRY(ifd__loop_reach(&q->loop, &q->v, &s, &found, q->note));
    *out = (ifd_reach){.value = found.value, .found = found.found};
    return IFD_OK;
}

static bool has_mass(const ifd_laboratory *l)
{
    for (int k = 0; k < l->actuators; k++) {
        const ifd_virtual_actuator *c = &l->actuator[k];
        if (c->actuator && ifd__value_of(c->actuator->params, c->actuator_values, "mass", 0.0) > 0.0)
            return true;
    }
    return false;
}

/* Single margins do not show the effect of all errors together: the three vary together, from the configured case
 * through the point at which each requires caution. */
static ifd_status join(asking *q)
{
    ifd_preflight *out = q->out;
    for (int way = 0; way < 2; way++) {
        ifd__reach found;
        const ifd__variant unit = {.delay = out->together_delay,
                                   .gain = IFD__LEAST_GAIN,
                                   .stiffness = way ? 1.0 / IFD__LEAST_FACTOR : IFD__LEAST_FACTOR};
        const ifd__search s = {
            .unit = &unit, .from = 0.25, .most = 8.0, .added = true, .coarse = out->states > IFD__LOOP_FEW};
        IFD_TRY(ifd__loop_reach(&q->loop, &q->v, &s, &found, q->note));
        if (way == 0 || found.value < q->margins->together.value)
            q->margins->together = (ifd_reach){.value = found.value, .found = found.found};
    }
    return IFD_OK;
}

/* A probe that fails because a cycle failed indicates an unstable loop. */
static ifd_status probe(const asking *q, const ifd__variant *v, ifd_arena *arena, ifd__loop_roots *roots)
{
    ifd_status status = ifd__loop_probe(&q->loop, v, arena, roots, NULL);
    if (status != IFD_DIVERGED)
        return status;
    *roots = (ifd__loop_roots){
        .decide = roots->decide, .radius = (double)INFINITY, .frequency = (double)NAN, .damping = (double)NAN};
    return IFD_OK;
}

/* The largest of 1, 1/2, 1/4 and 0 times a change of the loop that leaves it stable. */
static ifd_status try_change(asking *q, const ifd__variant *change, double *share)
{
    for (*share = 1.0; *share >= 0.25; *share *= 0.5) {
        ifd__loop_roots roots = {0};
        ifd__variant v = q->v;
        v.delay += *share * change->delay;
        v.gain = (v.gain > 0.0 ? v.gain : 1.0) * pow(change->gain, *share);
        v.stiffness = (v.stiffness > 0.0 ? v.stiffness : 1.0) * pow(change->stiffness, *share);
        IFD_TRY(probe(q, &v, NULL, &roots));
        if (roots.stable)
            return IFD_OK;
    }
    *share = 0.0;
    return IFD_OK;
}

/* In place of a search: the limits of caution of the delay, and of all three quantities. */
static ifd_status try_cautions(asking *q)
{
    ifd_margins *m = q->margins;
    const ifd__variant change[] = {
        {.delay = q->out->together_delay, .gain = 1.0, .stiffness = 1.0},
        {.delay = q->out->together_delay, .gain = IFD__LEAST_GAIN, .stiffness = IFD__LEAST_FACTOR},
        {.delay = q->out->together_delay, .gain = IFD__LEAST_GAIN, .stiffness = 1.0 / IFD__LEAST_FACTOR}};
    double share[3];
    for (int i = 0; i < 3; i++)
        IFD_TRY(try_change(q, &change[i], &share[i]));
    double together = fmin(share[1], share[2]);
    m->delay = (ifd_reach){.value = share[0] * q->out->together_delay, .found = share[0] < 1.0};
    m->together = (ifd_reach){.value = together, .found = together < 1.0};
    m->gain = m->stiffer = m->softer = (ifd_reach){.value = 1.0};
    return IFD_OK;
}

static ifd_status find_margins(asking *q)
{
    if (ifd__preflight_vast(q->out) && !q->delay_alone)
        return try_cautions(q);
    ifd_margins *m = q->margins;
    double tick = q->out->period, delay = q->v.delay, gain = q->v.gain > 0.0 ? q->v.gain : 1.0;
    IFD_TRY(
        reach(q, offsetof(ifd__variant, delay), delay, delay + 0.25 * tick, delay + MOST_TICKS * tick, &m->delay));
    m->delay.value -= delay;
    if (q->delay_alone)
        return IFD_OK;
    IFD_TRY(reach(q, offsetof(ifd__variant, gain), gain, 1.02 * gain, 10.0 * gain, &m->gain));
    m->gain.value /= gain;
    IFD_TRY(reach(q, offsetof(ifd__variant, stiffness), 1.0, 1.02, 10.0, &m->stiffer));
    IFD_TRY(reach(q, offsetof(ifd__variant, stiffness), 1.0, 0.98, 0.1, &m->softer));
    if (has_mass(q->loop.laboratory))
        IFD_TRY(reach(q, offsetof(ifd__variant, mass), 1.0, 1.02, 10.0, &m->heavier));
    return join(q);
}

/* Whether instability is caused by the rig, or also exists on an ideal rig. */
static ifd_status blame(asking *q)
{
    ifd_preflight *out = q->out;
    ifd__variant v = q->v;
    ifd__loop_roots roots = {0};
    if (q->delay_alone || ifd__preflight_vast(out))
        return IFD_OK;
    v.perfect = true;
    v.delay = v.gain = 0.0;
    out->pure_delay = (double)NAN;
    if (out->stable_perfect) {
        ifd__reach found;
        const ifd__search s = {.member = offsetof(ifd__variant, delay),
                               .from = 0.25 * out->period,
                               .most = MOST_TICKS * out->period,
                               .added = true,
                               .coarse = out->states > IFD__LOOP_FEW};
        IFD_TRY(ifd__loop_reach(&q->loop, &v, &s, &found, q->note));
        out->pure_delay = found.value;
        return IFD_OK;
    }
    double h = q->loop.test->couple ? q->loop.test->couple->h : q->loop.test->step.h;
    for (int k = 1; k <= 10 && out->stable_step == 0.0; k++) {
        v.step = ldexp(1.0, -k);
        ifd_status status = ifd__loop_probe(&q->loop, &v, NULL, &roots, q->note);
        if (status == IFD_NO_MEMORY)
            return status;
        out->stable_step = status == IFD_OK && roots.stable ? v.step * h : 0.0;
    }
    return IFD_OK;
}

/* The damping of the root of a list that is near in frequency and lightly damped; NAN: none. */
static double damping_near(const ifd__loop_roots *r, double frequency)
{
    double best = (double)NAN, distance = 0.3;
    for (int i = 0; r->at && r->ratio && i < r->count; i++)
        if (fabs(log(r->at[i] / frequency)) + fabs(r->ratio[i]) < distance) {
            distance = fabs(log(r->at[i] / frequency)) + fabs(r->ratio[i]);
            best = r->ratio[i];
        }
    return best;
}

static ifd_status find_stability(asking *q, ifd_arena *scratch, bool *stable_perfect)
{
    ifd_margins *m = q->margins;
    ifd__loop_roots roots = {.decide = true}, perfect = {0};
    ifd__variant v = q->v;
    IFD_TRY(probe(q, &v, scratch, &roots));
    v.perfect = true;
    v.delay = v.gain = 0.0;
    IFD_TRY(probe(q, &v, scratch, &perfect));
    q->out->states = roots.states;
    m->radius = roots.radius;
    m->stable = roots.stable;
    *(m == &q->out->initial ? &q->out->undecided : &q->out->undecided_secant) = roots.undecided;
    *(m == &q->out->initial ? &q->out->resolution : &q->out->resolution_secant) = roots.resolution;
    m->frequency = roots.frequency;
    m->damping = roots.damping;
    m->perfect_damping = perfect.count ? damping_near(&perfect, roots.frequency) : (double)NAN;
    *stable_perfect = perfect.stable;
    return IFD_OK;
}

/* Phase lag over frequency, where the loop is damped least. */
double ifd__actuator_lag(const ifd_virtual_actuator *c, double tick, double frequency)
{
    double w = 2.0 * M_PI * (isfinite(frequency) && frequency > 0.0 ? frequency : 1.0), out[2];
    ifd_actuator *a;
    ifd_arena *scratch IFD__CLOSED = ifd_arena_open();
    if (!scratch || !c->actuator ||
        ifd_actuator_make(scratch, c->actuator, c->actuator_values, tick, &a, NULL) != IFD_OK)
        return 0.0;
    ifd_actuator_response(a, w, out);
    double phase = atan2(out[1], out[0]);
    return (phase > 0.0 ? 2.0 * M_PI - phase : -phase) / w;
}

/* For nonlinear specimens: the tangent at rest (if there is none, the secant), or the secant. */
static void choose_stiffness(asking *q, bool secant)
{
    for (int k = 0; k < q->out->interfaces; k++) {
        const ifd_preflight_interface *c = &q->out->interface[k];
        double stiffness, damping;
        ifd_virtual_actuator bench = ifd__bench_of(q->loop.test, q->loop.laboratory, k);
        bool tangent = !secant && ifd__specimen_tangent(&bench, &stiffness, &damping);
        q->spring[k] = tangent ? (double)NAN : c->secant;
        q->dashpot[k] = c->viscous;
    }
    q->margins = secant ? &q->out->secant : &q->out->initial;
}

/* Assumed delay of the rig, with a drive of its slowest actuator, where the loop is damped least. */
static void assume_delay(const ifd_preflight_options *o, ifd_preflight *out)
{
    double lambda = o->test->lambda > 0.0 ? o->test->lambda : 1.0, most = out->delay;
    for (int k = 0; k < out->interfaces; k++) {
        const ifd__movers m = ifd__movers_of(o->test, k);
        double assumed = 0.0;
        for (int j = 0; j < m.count; j++)
            if (m.moves[j])
                assumed = fmax(assumed, ifd__actuator_lag(&o->twin->actuator[m.first + j], out->period,
                                                          out->initial.frequency / lambda));
        out->interface[k].assumed = assumed;
        most = fmax(most, out->delay + out->interface[k].assumed);
    }
    out->together_delay = fmax(IFD__LEAST_DELAY * most, out->period);
}

static ifd_status look(asking *q, const ifd_preflight_options *o, ifd_arena *scratch)
{
    ifd_preflight *out = q->out;
    bool ignored;
    choose_stiffness(q, false);
    IFD_TRY(find_stability(q, scratch, &out->stable_perfect));
    assume_delay(o, out);
    if (!out->undecided)
        IFD_TRY(out->initial.stable ? find_margins(q) : blame(q));
    out->secant = out->initial;
    if (out->linear)
        return IFD_OK;
    choose_stiffness(q, true);
    out->secant = (ifd_margins){0};
    IFD_TRY(find_stability(q, scratch, &ignored));
    return out->secant.stable ? find_margins(q) : IFD_OK;
}

/* Bits of a corner: identified specimens beyond these share the bit of the last one. */
enum { CORNER_BITS = 3 };

/* One corner of the ranges of identified parameters: bit i of `corner`, the stiffest copies of specimen i. */
static void place_corner(const ifd_hybrid_options *test, int corner, double *deviation, ifd_preflight *out)
{
    for (int i = 0; i < test->identified; i++) {
        bool stiffest = corner >> (i < CORNER_BITS ? i : CORNER_BITS - 1) & 1;
        double found = ifd__update_corner(test->model, &test->identify[i], stiffest, deviation + i * IFD__LAW_PARAMS);
        if (!test->identify[i].update)
            memset(deviation + i * IFD__LAW_PARAMS, 0, sizeof *deviation * IFD__LAW_PARAMS);
        else if (stiffest)
            out->corner_stiffest = fmax(out->corner_stiffest, found);
        else
            out->corner_softest = fmin(out->corner_softest, found);
    }
}

static ifd_status look_at_corner(asking *q, int corner)
{
    ifd_preflight *out = q->out;
    ifd__loop_roots roots = {.decide = true};
    ifd_reach margin = {0};
    double delay = q->v.delay;
    IFD_TRY(probe(q, &q->v, NULL, &roots));
    out->corners = corner + 1;
    out->corners_stable = out->corners_stable && roots.stable && !roots.undecided;
    out->corners_radius = fmax(out->corners_radius, roots.radius);
    if (!out->corners_stable)
        return IFD_OK;
    IFD_TRY(reach(q, offsetof(ifd__variant, delay), delay, delay + 0.25 * out->period,
                  delay + MOST_TICKS * out->period, &margin));
    margin.value -= delay;
    if (corner == 0 || margin.value < out->corners_delay.value)
        out->corners_delay = margin;
    return IFD_OK;
}

/* Updates move the copies anywhere in the ranges of their parameters: the loop at the corners. */
static ifd_status look_at_corners(asking *q, ifd_arena *scratch)
{
    const ifd_hybrid_options *test = q->loop.test;
    ifd_preflight *out = q->out;
    double *deviation;
    bool updates = false;
    for (int i = 0; i < test->identified; i++)
        updates = updates || test->identify[i].update;
    if (!updates || *out->reduction || !(out->initial.stable || out->secant.stable))
        return IFD_OK;
    int bits = test->identified < CORNER_BITS ? test->identified : CORNER_BITS;
    IFD_TRY(IFD__TAKE(scratch, IFD__ARRAY(deviation, (size_t)(test->identified * IFD__LAW_PARAMS))));
    choose_stiffness(q, !out->initial.stable);
    q->v.deviation = deviation;
    out->corner_softest = out->corner_stiffest = 1.0;
    out->corners_stable = true;
    ifd_status status = IFD_OK;
    for (int corner = 0; corner < 1 << bits && status == IFD_OK; corner++) {
        place_corner(test, corner, deviation, out);
        status = look_at_corner(q, corner);
    }
    q->v.deviation = NULL;
    return status;
}

static int dofs_of(const ifd_hybrid_options *test)
{
    int sum = 0;
    for (int p = 0; test->couple && p < test->couple->parts; p++)
        sum += test->couple->part[p].model->n;
    return test->couple ? sum : test->model ? test->model->n : 0;
}

/* Superelements in the place of a large structure; test stays as it is where they are not possible. */
static ifd_status reduce(const ifd_hybrid_options **test, ifd_arena *scratch, ifd_preflight *out)
{
    ifd_hybrid_options *small;
    ifd__superelements s;
    out->reduced_bound = (double)NAN;
    if (dofs_of(*test) <= LARGE)
        return IFD_OK;
    IFD_TRY(IFD__TAKE(scratch, IFD__ARRAY(small, 1)));
    ifd_status status = ifd__superelements_test(scratch, *test, MOST_DOFS, small, &s);
    if (status == IFD_UNSUPPORTED) {
        out->unreduced = s.why;
        out->unreduced_hint = s.hint;
        return IFD_OK;
    }
    IFD_TRY(status);
    out->reduced_bound = s.bound;
    out->reduced_range = s.frequency;
    const char *text = ifd__superelements_text(scratch, &s);
    snprintf(out->reduction, sizeof out->reduction, "%s", text ? text : "");
    *test = small;
    return IFD_OK;
}

static ifd_status look_at_loop(const ifd_preflight_options *o, bool delay_alone, ifd_preflight *out, ifd_note *note)
{
    asking q = {.loop = {o->test, o->twin},
                .v = {.delay = out->delay, .gain = out->gain},
                .out = out,
                .delay_alone = delay_alone,
                .note = note};
    ifd_arena *scratch IFD__CLOSED = ifd_arena_open();
    q.v.spring = q.spring;
    q.v.dashpot = q.dashpot;
    out->pure_delay = (double)NAN;
    out->initial.frequency = (double)NAN;
    out->linear = true;
    for (int k = 0; k < out->interfaces; k++)
        out->linear = out->linear && out->interface[k].linear;
    ifd_status status = scratch ? reduce(&q.loop.test, scratch, out) : IFD_NO_MEMORY;
    if (status == IFD_OK)
        status = look(&q, o, scratch);
    if (status == IFD_OK && !delay_alone)
        status = look_at_corners(&q, scratch);
    out->examined = status != IFD_TOO_LARGE;
    if (out->examined)
        return status;
    assume_delay(o, out);
    return IFD_OK;
}

ifd_status ifd__preflight_loop(const ifd_preflight_options *o, ifd_preflight *out, ifd_note *note)
{
    return look_at_loop(o, false, out, note);
}

ifd_status ifd__preflight_delay(const ifd_preflight_options *o, ifd_preflight *out, ifd_note *note)
{
    return look_at_loop(o, true, out, note);
}

const char *ifd__preflight_undecided(const ifd_preflight *p, char *text, size_t room)
{
    double resolution = p->undecided ? p->resolution : p->resolution_secant;
    const char *with = p->linear ? "" : p->undecided ? " with the initial stiffness" : " with the secant stiffness";
    int used = snprintf(text, room, "NOT DECIDED%s: rho %.6g, but the errors of the probe allow growth", with,
                        p->undecided ? p->initial.radius : p->secant.radius);
    if (isfinite(resolution) && used > 0 && (size_t)used < room)
        snprintf(text + used, room - (size_t)used, " of up to %.2g per cycle; %g is required", resolution,
                 IFD__LEAST_GROWTH);
    return text;
}

bool ifd__preflight_vast(const ifd_preflight *p)
{
    return p->unreduced && p->states > VAST;
}

double ifd__preflight_assumed(const ifd_preflight *p)
{
    double assumed = 0.0;
    for (int k = 0; k < p->interfaces; k++)
        assumed = fmax(assumed, p->interface[k].assumed);
    return assumed + p->delay;
}

bool ifd__preflight_little(const ifd_preflight *p, const ifd_reach *delay)
{
    return delay->found && delay->value < fmax(IFD__LEAST_DELAY * ifd__preflight_assumed(p), p->period);
}

bool ifd__preflight_bounded(const ifd_hybrid_options *test)
{
    bool bounded = !test->couple && test->model && test->model->ne && ifd__step_bounded(&test->step);
    for (int p = 0; test->couple && p < test->couple->parts; p++)
        bounded = bounded || (test->couple->part[p].model->ne && ifd__step_bounded(&test->couple->part[p].step));
    return bounded;
}
