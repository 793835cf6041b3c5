/* SPDX-License-Identifier: MIT */
#include "hybrid/chain.h"
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

/* What a rig has answered. */
typedef struct heard {
    double *answered, *acknowledged;
    ifd__ring_state *answers;
} heard;

static heard heard_of(const ifd_hybrid *h, int rig)
{
    ifd__elastic_state *e = ifd__elastic_of(h);
    if (!h->rigs.several)
        return (heard){&e->answered, &e->acknowledged, &e->answers};
    ifd__elastic_rig *b = ifd__elastic_rig_of(h, rig);
    return (heard){&b->answered, &b->acknowledged, &b->answers};
}

/* The state of the test is that of the slowest rig. */
static void summarise(ifd_hybrid *h)
{
    ifd__elastic_state *e = ifd__elastic_of(h);
    if (!h->rigs.several)
        return;
    e->answered = e->acknowledged = (double)INFINITY;
    for (int r = 0; r < ifd__rigs_count(h); r++) {
        e->answered = fmin(e->answered, *heard_of(h, r).answered);
        e->acknowledged = fmin(e->acknowledged, *heard_of(h, r).acknowledged);
    }
}

/* A force that the structure has seen is never changed: at rest the newest measurement replaces the newest entry. */
static void keep_force(ifd_hybrid *h, int rig, double progress)
{
    const ifd__ring *r = &h->elastic->answers[rig];
    ifd__ring_state *s = heard_of(h, rig).answers;
    double *newest = s->count > 0.0 ? entry(r, s, 0) : NULL;
    if (newest && progress < newest[0])
        return;
    bool close = s->count > 1.0 && newest[0] - entry(r, s, 1)[0] < spacing;
    if (!newest || (progress > newest[0] && !close))
        newest = push(r, s);
    newest[0] = progress;
    for (int k = 0; k < h->interfaces; k++)
        newest[1 + k] = ifd__rigs_of(h, k) == rig ? ifd__chain_force(h, k) : 0.0;
}

void ifd__elastic_restart(ifd_hybrid *h)
{
    ifd__elastic_state *e = ifd__elastic_of(h);
    e->progress = 0.0;
    e->sent = (ifd__ring_state){0};
    for (int r = 0; r < ifd__rigs_count(h); r++) {
        const heard rig = heard_of(h, r);
        *rig.answered = 0.0;
        *rig.acknowledged = ifd__test_of(h)->tick;
        *rig.answers = (ifd__ring_state){0};
    }
    summarise(h);
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
    for (int r = 0; r < ifd__rigs_count(h); r++) {
        *heard_of(h, r).answers = (ifd__ring_state){0};
        keep_force(h, r, ifd__elastic_of(h)->progress);
    }
}

/* A rig answers the command of a tick, or the last one before it that differs. */
static void answer(ifd_hybrid *h, int rig, double tick)
{
    ifd__elastic_state *e = ifd__elastic_of(h);
    const ifd__ring *r = &h->elastic->sent;
    const heard from = heard_of(h, rig);
    int i = newest_before(r, &e->sent, tick);
    if (i >= (int)e->sent.count)
        return; /* from before arming */
    const double *sent = entry(r, &e->sent, i);
    for (int k = 0; k < h->interfaces; k++) {
        ifd__elastic_interface *c = ifd__elastic_interface_of(h, k);
        if (ifd__rigs_of(h, k) != rig)
            continue;
        c->answered_step = sent[2 + k] - c->answered;
        c->answered = sent[2 + k];
    }
    if (tick < *from.acknowledged)
        return; /* overtaken */
    *from.answered = fmax(*from.answered, sent[1]);
    keep_force(h, rig, sent[1]);
}

static void hear_rig(ifd_hybrid *h, int r)
{
    const ifd__rig_link rig = ifd__rigs_link(h, r);
    bool finite = true;
    for (int k = 0; k < h->interfaces; k++)
        finite = finite && (ifd__rigs_of(h, k) != r || isfinite(ifd__chain_force(h, k)));
    if (!rig.fresh || rig.arrived > (double)h->command.tick || !finite)
        return;
    answer(h, r, rig.arrived);
    *heard_of(h, r).acknowledged = fmax(*heard_of(h, r).acknowledged, rig.arrived);
}

void ifd__elastic_hear(ifd_hybrid *h)
{
    if (!h->elastic)
        return;
    for (int k = 0; k < h->interfaces; k++)
        ifd__elastic_interface_of(h, k)->answered_step = 0.0;
    for (int r = 0; r < ifd__rigs_count(h); r++)
        hear_rig(h, r);
    summarise(h);
}

double ifd__elastic_age(const ifd_hybrid *h)
{
    return (ifd__test_of(h)->tick - ifd__elastic_of(h)->acknowledged) * h->period;
}

double ifd__elastic_progress(const ifd_hybrid *h)
{
    return ifd__elastic_of(h)->progress * h->period;
}

int ifd__elastic_awaited(const ifd_hybrid *h)
{
    int oldest = 0;
    for (int r = 1; r < ifd__rigs_count(h); r++)
        oldest = *heard_of(h, r).acknowledged < *heard_of(h, oldest).acknowledged ? r : oldest;
    return ifd__rigs_link(h, oldest).who;
}

/* With answers of this age, ticks. */
static double rate_of(const ifd__elastic *c, double age)
{
    return used * c->window / (age + 2.0 / c->filter.w);
}

double ifd__elastic_slowest(const ifd_hybrid *h)
{
    return h->elastic ? rate_of(h->elastic, h->elastic->patience) : (double)INFINITY;
}

static double goal_of(const ifd_hybrid *h)
{
    const ifd__elastic *c = h->elastic;
    double age = ifd__test_of(h)->tick - ifd__elastic_of(h)->acknowledged;
    bool held = ifd__state_of(h) == IFD_MACHINE_HOLD;
    if (held || age > c->patience)
        return 0.0;
    return fmin(ifd__elastic_of(h)->most, rate_of(c, age));
}

void ifd__elastic_rate(ifd_hybrid *h)
{
    if (!h->elastic)
        return;
    const ifd__elastic *c = h->elastic;
    ifd__elastic_state *e = ifd__elastic_of(h);
    ifd__test_state *t = ifd__test_of(h);
    e->most = ifd__state_of(h) == IFD_MACHINE_RUN ? ifd__test_of(h)->pace : 1.0; /* a ramp has no pace */
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

bool ifd__elastic_complete(const ifd_hybrid *h)
{
    return !h->elastic || ifd__elastic_of(h)->answered == ifd__elastic_of(h)->progress;
}

/* Ticks, commands under way and their answers are those of this rig; simulated time and forces those of the
 * checkpoint. Progress never decreases, also for the rig: the forces are moved with it. */
void ifd__elastic_continue(ifd_hybrid *h, const double *old)
{
    if (!h->elastic)
        return;
    ifd__elastic_state *e = ifd__elastic_of(h);
    const ifd__ring *sent = &h->elastic->sent;
    const double *before = old + ((double *)e - h->x);
    double progress = ((const ifd__elastic_state *)before)->progress, shift = fmax(0.0, progress - e->progress);
    e->sent = ((const ifd__elastic_state *)before)->sent;
    memcpy(sent->entry, old + (sent->entry - h->x), (size_t)sent->size * (size_t)sent->width * sizeof *old);
    e->progress += shift;
    for (int r = 0; r < ifd__rigs_count(h); r++) {
        const heard rig = heard_of(h, r);
        for (int i = 0; i < (int)rig.answers->count; i++)
            entry(&h->elastic->answers[r], rig.answers, i)[0] += shift;
        *rig.answered = e->progress; /* complete: it was taken at rest */
        *rig.acknowledged = ifd__test_of(h)->tick;
    }
    summarise(h);
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
    const int rig = ifd__rigs_of(h, k);
    const ifd__ring *r = &h->elastic->answers[rig];
    const ifd__ring_state *s = heard_of(h, rig).answers;
    double due = ifd__elastic_of(h)->progress + h->opt.ticks_per_stage - ifd__test_of(h)->phase - h->elastic->window;
    int i = newest_before(r, s, due);
    if (i >= (int)s->count)
        return entry(r, s, (int)s->count - 1)[1 + k]; /* before the run began */
    const double *before = entry(r, s, i), *after = i > 0 ? entry(r, s, i - 1) : before;
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
            .x = y[0], .v = y[1] * scale, .a = y[2] * scale * scale, .xm = y[0], .frozen = h->facts.frozen};
        c->lead = c->next_lead;
        c->next_lead = ifd_compensator_step(h->interface[k].compensator, &in, ifd__compensator_of(h, k)) - y[0];
    }
    return target + c->next_lead + (t->phase - end) * (c->next_lead - c->lead);
}
