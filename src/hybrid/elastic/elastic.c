/* SPDX-License-Identifier: MIT */
#include "hybrid/elastic/elastic.h"

#include <math.h>
#include <string.h>

#include "hybrid/elastic/elastic_state.h"
#include "hybrid/simulated_time.h"

/* Fraction of the window that is used; the remainder is kept in reserve. */
static const double used = 0.95;
/* A smaller rate is rest: the velocity of a command changes by a millionth. */
static const double still = 1e-6;
/* Ticks of progress between two kept forces, at least: at a low rate the window would contain too many. */
static const double spacing = 1.0 / IFD__ELASTIC_DENSITY;

/* Entry i of a ring, counted from the newest. */
static double *entry(const ifd__ring *r, const ifd__ring_state *s, int i)
{
    int at = (int)s->next - 1 - i;
    return r->entry + (size_t)(at < 0 ? at + r->size : at) * (size_t)r->width;
}

static double *push(const ifd__ring *r, ifd__ring_state *s)
{
    s->next = (int)s->next + 1 < r->size ? s->next + 1.0 : 0.0;
    s->count = fmin(s->count + 1.0, r->size);
    return entry(r, s, 0);
}

/* The newest entry whose first number is at most `key`, counted from the newest; the count: none. */
static int newest_before(const ifd__ring *r, const ifd__ring_state *s, double key)
{
    int low = 0, high = (int)s->count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (entry(r, s, middle)[0] <= key)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* A force that the structure has seen is never changed: at rest the newest measurement replaces the newest entry. */
static void keep_force(ifd_hybrid *h, double progress)
{
    const ifd__ring *r = &h->elastic->answers;
    ifd__ring_state *s = &ifd__elastic_of(h)->answers;
    double *newest = s->count > 0.0 ? entry(r, s, 0) : NULL;
    if (newest && progress < newest[0])
        return;
    bool close = s->count > 1.0 && newest[0] - entry(r, s, 1)[0] < spacing;
    if (!newest || (progress > newest[0] && !close))
        newest = push(r, s);
    newest[0] = progress;
    for (int k = 0; k < h->interfaces; k++)
        newest[1 + k] = ifd__exchange_force(h, k);
}

void ifd__elastic_restart(ifd_hybrid *h)
{
    ifd__elastic_state *e = ifd__elastic_of(h);
    e->progress = e->answered = 0.0;
    e->most = 1.0;
    e->acknowledged = ifd__test_of(h)->tick;
    e->sent = e->answers = (ifd__ring_state){0};
    ifd__test_of(h)->rate = ifd__test_of(h)->slope = 0.0;
}

void ifd__elastic_arm(ifd_hybrid *h)
{
    ifd__elastic_of(h)->sent = (ifd__ring_state){0};
    for (int k = 0; k < h->interfaces; k++) {
        ifd__elastic_interface *i = ifd__elastic_interface_of(h, k);
        i->answered = ifd__interface_of(h, k)->command;
        i->answered_step = 0.0;
    }
}

void ifd__elastic_begin(ifd_hybrid *h)
{
    if (!h->elastic)
        return;
    ifd__elastic_state *e = ifd__elastic_of(h);
    e->answers = (ifd__ring_state){0};
    keep_force(h, e->progress);
}

/* The rig answers the command of a tick, or the last one before it that differs. */
static void answer(ifd_hybrid *h, double tick)
{
    ifd__elastic_state *e = ifd__elastic_of(h);
    const ifd__ring *r = &h->elastic->sent;
    int i = newest_before(r, &e->sent, tick);
    if (i >= (int)e->sent.count)
        return; /* from before arming */
    const double *sent = entry(r, &e->sent, i);
    for (int k = 0; k < h->interfaces; k++) {
        ifd__elastic_interface *c = ifd__elastic_interface_of(h, k);
        c->answered_step = sent[2 + k] - c->answered;
        c->answered = sent[2 + k];
    }
    if (tick < e->acknowledged)
        return; /* overtaken */
    e->answered = fmax(e->answered, sent[1]);
    keep_force(h, sent[1]);
}

void ifd__elastic_hear(ifd_hybrid *h, bool fresh)
{
    if (!h->elastic)
        return;
    ifd__elastic_state *e = ifd__elastic_of(h);
    double tick = (double)h->measure.tick;
    bool finite = true;
    for (int k = 0; k < h->interfaces; k++) {
        ifd__elastic_interface_of(h, k)->answered_step = 0.0;
        finite = finite && isfinite(ifd__exchange_force(h, k));
    }
    if (!fresh || h->measure.tick > h->command.tick || !finite)
        return;
    answer(h, tick);
    e->acknowledged = fmax(e->acknowledged, tick);
}

double ifd__elastic_age(const ifd_hybrid *h)
{
    return (ifd__test_of(h)->tick - ifd__elastic_of(h)->acknowledged) * h->period;
}

double ifd__elastic_progress(const ifd_hybrid *h)
{
    return ifd__elastic_of(h)->progress * h->period;
}

static double goal_of(const ifd_hybrid *h)
{
    const ifd__elastic *c = h->elastic;
    double age = ifd__test_of(h)->tick - ifd__elastic_of(h)->acknowledged;
    bool held = ifd__state_of(h) == IFD_MACHINE_HOLD;
    if (held || age > c->patience)
        return 0.0;
    return fmin(ifd__elastic_of(h)->most, used * c->window / (age + 2.0 / c->filter.w));
}

void ifd__elastic_rate(ifd_hybrid *h)
{
    if (!h->elastic)
        return;
    const ifd__elastic *c = h->elastic;
    ifd__elastic_state *e = ifd__elastic_of(h);
    ifd__test_state *t = ifd__test_of(h);
    e->most = ifd__state_of(h) == IFD_MACHINE_RUN ? ifd__time_of(h)->pace : 1.0; /* a ramp has no pace */
    double goal = goal_of(h), rate = t->rate, slope = t->slope, left = e->answered + c->window - e->progress;
    ifd__damped_step(&c->filter, goal, &rate, &slope);
    if (rate + ifd__damped_way(&c->filter, rate, slope) > left - (1.0 - used) * c->window) {
        goal = 0.0;
        rate = t->rate;
        slope = t->slope;
        ifd__damped_step(&c->filter, goal, &rate, &slope);
    }
    if (goal == 0.0 && rate < still)
        rate = slope = 0.0;
    t->rate = fmax(0.0, fmin(rate, left)); /* never beyond what can be known */
    t->slope = slope;
}

void ifd__elastic_advance(ifd_hybrid *h)
{
    ifd__elastic_of(h)->progress += ifd__test_of(h)->rate;
}

/* A command that repeats the last one needs no entry: the test can rest for any time. */
void ifd__elastic_sent(ifd_hybrid *h)
{
    if (!h->elastic)
        return;
    const ifd__ring *r = &h->elastic->sent;
    ifd__elastic_state *e = ifd__elastic_of(h);
    if (ifd__test_of(h)->commanded == 0.0)
        return;
    const double *last = e->sent.count > 0.0 ? entry(r, &e->sent, 0) : NULL;
    bool same = last && last[1] == e->progress;
    for (int k = 0; k < h->interfaces; k++)
        same = same && last[2 + k] == ifd__interface_of(h, k)->command;
    if (same)
        return;
    double *now = push(r, &e->sent);
    now[0] = ifd__test_of(h)->tick;
    now[1] = e->progress;
    for (int k = 0; k < h->interfaces; k++)
        now[2 + k] = ifd__interface_of(h, k)->command;
}

double ifd__elastic_force(const ifd_hybrid *h, int k)
{
    const ifd__ring *r = &h->elastic->answers;
    const ifd__elastic_state *e = ifd__elastic_of(h);
    double due = e->progress + h->opt.ticks_per_stage - ifd__test_of(h)->phase - h->elastic->window;
    int i = newest_before(r, &e->answers, due);
    if (i >= (int)e->answers.count)
        return entry(r, &e->answers, (int)e->answers.count - 1)[1 + k]; /* before the run began */
    const double *before = entry(r, &e->answers, i), *after = i > 0 ? entry(r, &e->answers, i - 1) : before;
    double share = after[0] > before[0] ? (due - before[0]) / (after[0] - before[0]) : 0.0;
    return before[1 + k] + share * (after[1 + k] - before[1 + k]);
}

void ifd__elastic_lead_begin(ifd_hybrid *h, int k)
{
    if (!h->elastic)
        return;
    ifd__elastic_interface *c = ifd__elastic_interface_of(h, k);
    c->lead = c->next_lead = 0.0;
}

double ifd__elastic_lead(ifd_hybrid *h, int k, double target)
{
    const ifd__test_state *t = ifd__test_of(h);
    ifd__elastic_interface *c = ifd__elastic_interface_of(h, k);
    double end = ceil(t->phase), y[3], scale = 1.0 / h->opt.lambda;
    if (end != ceil(t->last_phase)) {
        ifd__time_path_at(h, k, end, y);
        const ifd_compensator_in in = {
            .x = y[0], .v = y[1] * scale, .a = y[2] * scale * scale, .xm = y[0], .frozen = h->frozen};
        c->lead = c->next_lead;
        c->next_lead = ifd_compensator_step(h->interface[k].compensator, &in, ifd__compensator_of(h, k)) - y[0];
    }
    return target + c->next_lead + (t->phase - end) * (c->next_lead - c->lead);
}

void ifd__elastic_publish(ifd_hybrid *h)
{
    if (h->elastic)
        h->values[h->elastic->column] = ifd__elastic_age(h);
    if (ifd__state_of(h) == IFD_MACHINE_RUN)
        ifd_slowdown_add(&h->slowdown, ifd__time_rate(h), h->elastic ? ifd__elastic_age(h) : 0.0, h->period);
}
