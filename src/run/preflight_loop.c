/* SPDX-License-Identifier: MIT */
/* Stability and margins of the loop. */
#include "run/preflight.h"

#include <math.h>
#include <stddef.h>

/* Delays are tried up to so many ticks: the line that holds them is part of the recurrence. */
enum { MOST_TICKS = 200 };
/* State numbers from which on margins are found coarsely. */
enum { MANY = 300 };

typedef struct asking {
    ifd__loop loop;
    ifd__variant v; /* as configured, springs in place of what is not linear */
    double spring[IFD_RIG_CHANNELS];
    ifd_preflight *out;
    ifd_note *note;
} asking;

static ifd_status reach(const asking *q, size_t member, double start, double from, double most, ifd_reach *out)
{
    ifd__reach found;
    const ifd__search s = {
        .member = member, .start = start, .from = from, .most = most, .coarse = q->out->states > MANY};
    IFD_TRY(ifd__loop_reach(&q->loop, &q->v, &s, &found, q->note));
    *out = (ifd_reach){.value = found.value, .found = found.found};
    return IFD_OK;
}

static bool has_mass(const ifd_laboratory *l)
{
    for (int k = 0; k < l->channels; k++) {
        const ifd_virtual_channel *c = &l->channel[k];
        if (c->actuator && ifd__value_of(c->actuator->params, c->actuator_values, "mass", 0.0) > 0.0)
            return true;
    }
    return false;
}

/* What each alone stands says nothing of all at once: the three move together, from the case as configured through
 * the point where each of them is cause for caution. */
static ifd_status join(asking *q)
{
    ifd_preflight *out = q->out;
    double assumed = q->v.delay;
    for (int k = 0; k < out->channels; k++)
        assumed = fmax(assumed, q->v.delay + out->channel[k].assumed);
    out->together_delay = fmax(IFD__LEAST_DELAY * assumed, out->period);
    for (int way = 0; way < 2; way++) {
        ifd__reach found;
        const ifd__variant unit = {.delay = out->together_delay,
                                   .gain = IFD__LEAST_GAIN,
                                   .stiffness = way ? 1.0 / IFD__LEAST_FACTOR : IFD__LEAST_FACTOR};
        const ifd__search s = {.unit = &unit, .from = 0.25, .most = 8.0, .coarse = true};
        IFD_TRY(ifd__loop_reach(&q->loop, &q->v, &s, &found, q->note));
        if (way == 0 || found.value < out->together.value)
            out->together = (ifd_reach){.value = found.value, .found = found.found};
    }
    return IFD_OK;
}

static ifd_status margins(asking *q)
{
    ifd_preflight *out = q->out;
    double tick = out->period, delay = q->v.delay, gain = q->v.gain > 0.0 ? q->v.gain : 1.0;
    IFD_TRY(reach(q, offsetof(ifd__variant, delay), delay, delay + 0.25 * tick, delay + MOST_TICKS * tick,
                  &out->extra_delay));
    out->extra_delay.value -= delay;
    IFD_TRY(reach(q, offsetof(ifd__variant, gain), gain, 1.02 * gain, 10.0 * gain, &out->extra_gain));
    out->extra_gain.value /= gain;
    IFD_TRY(reach(q, offsetof(ifd__variant, stiffness), 1.0, 1.02, 10.0, &out->stiffer));
    IFD_TRY(reach(q, offsetof(ifd__variant, stiffness), 1.0, 0.98, 0.1, &out->softer));
    if (has_mass(q->loop.laboratory))
        IFD_TRY(reach(q, offsetof(ifd__variant, mass), 1.0, 1.02, 10.0, &out->heavier));
    return join(q);
}

/* Unstable: because of the rig, or on a perfect one too? */
static ifd_status blame(asking *q)
{
    ifd_preflight *out = q->out;
    ifd__variant v = q->v;
    ifd__loop_roots roots;
    v.perfect = true;
    v.delay = v.gain = 0.0;
    out->pure_delay = (double)NAN;
    if (out->stable_perfect) {
        ifd__reach found;
        const ifd__search s = {.member = offsetof(ifd__variant, delay),
                               .from = 0.25 * out->period,
                               .most = MOST_TICKS * out->period,
                               .coarse = out->states > MANY};
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

/* The damping of the root of a list that is near in frequency and damped little; NAN when there is none. */
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

/* A probe that fails because a cycle of it did is an unstable loop. */
static ifd_status probe(const asking *q, const ifd__variant *v, ifd_arena *arena, ifd__loop_roots *roots)
{
    ifd_status status = ifd__loop_probe(&q->loop, v, arena, roots, NULL);
    if (status != IFD_DIVERGED)
        return status;
    *roots = (ifd__loop_roots){.radius = (double)INFINITY, .frequency = (double)NAN, .damping = (double)NAN};
    return IFD_OK;
}

static ifd_status find_stability(asking *q, ifd_arena *scratch)
{
    ifd_preflight *out = q->out;
    ifd__loop_roots roots, perfect, rest;
    ifd__variant v = q->v;
    IFD_TRY(probe(q, &v, scratch, &roots));
    v.spring = NULL;
    IFD_TRY(probe(q, &v, NULL, &rest));
    v = q->v;
    v.perfect = true;
    v.delay = v.gain = 0.0;
    IFD_TRY(probe(q, &v, scratch, &perfect));
    out->states = roots.states;
    out->radius = roots.radius;
    out->stable = roots.stable;
    out->frequency = roots.frequency;
    out->damping = roots.damping;
    out->stable_at_rest = rest.stable;
    out->stable_perfect = perfect.stable;
    out->perfect_damping = perfect.count ? damping_near(&perfect, roots.frequency) : (double)NAN;
    return IFD_OK;
}

/* Phase lag over frequency, where the loop is damped least. */
static double lag(const ifd_virtual_channel *c, double tick, double frequency)
{
    double w = 2.0 * M_PI * (isfinite(frequency) && frequency > 0.0 ? frequency : 1.0), out[2];
    ifd_actuator *a;
    ifd_arena *scratch = ifd_arena_open();
    double found = 0.0;
    if (scratch && c->actuator &&
        ifd_actuator_make(scratch, c->actuator, c->actuator_values, tick, &a, NULL) == IFD_OK) {
        ifd_actuator_response(a, w, out);
        double phase = atan2(out[1], out[0]);
        found = (phase > 0.0 ? 2.0 * M_PI - phase : -phase) / w;
    }
    ifd_arena_close(scratch);
    return found;
}

ifd_status ifd__preflight_loop(const ifd_preflight_options *o, ifd_preflight *out, ifd_note *note)
{
    asking q = {.loop = {o->test, o->twin}, .v = {.delay = out->delay, .gain = out->gain}, .out = out, .note = note};
    ifd_arena *scratch = ifd_arena_open();
    for (int k = 0; k < out->channels; k++)
        q.spring[k] = out->channel[k].stiffness;
    q.v.spring = q.spring;
    out->pure_delay = (double)NAN;
    ifd_status status = scratch ? find_stability(&q, scratch) : IFD_NO_MEMORY;
    out->examined = status != IFD_TOO_LARGE;
    if (status == IFD_TOO_LARGE)
        status = IFD_OK;
    double lambda = o->test->lambda > 0.0 ? o->test->lambda : 1.0;
    for (int k = 0; k < out->channels; k++) {
        ifd_virtual_channel bench = ifd__bench_of(o->test, o->twin, k);
        out->channel[k].assumed = lag(&bench, out->period, out->frequency / lambda);
    }
    if (status == IFD_OK && out->examined)
        status = out->stable ? margins(&q) : blame(&q);
    ifd_arena_close(scratch);
    return status;
}
