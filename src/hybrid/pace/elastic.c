/* SPDX-License-Identifier: MIT */
/* Simulated time that waits for the answers of the rig: set-up, then the tick. */
#include "hybrid/pace/elastic.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include <interfield/several.h>

#include "hybrid/chain/chain.h"
#include "hybrid/columns.h"
#include "hybrid/pace/scaled.h"

/* Brake times in which a rate comes to rest: (1 + wt) e^-wt is 1e-6 at wt = 16.7, and w = 3/brake. */
static const double brakes_to_rest = 6.0;
static const double radians = 3.0; /* w brake */
/* Ticks of the window, at least, and of a ring, at most. */
static const double least_window = 4.0, longest_ring = 1e6;

void ifd_elastic_defaults(ifd_elastic *e)
{
    *e = (ifd_elastic){.brake = 0.2, .patience = 1.0, .give_up = 30.0};
}

static ifd_status check_numbers(const ifd_elastic *e, ifd_note *note)
{
    const struct {
        const char *name;
        double value;
    } rows[] = {{"delay", e->delay}, {"brake", e->brake}, {"patience", e->patience}, {"give-up", e->give_up}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!(rows[i].value > 0.0) || !isfinite(rows[i].value))
            return ifd_note_add(note, IFD_RANGE, NULL, "elastic: '%s' is %g s, expected a time above zero",
                                rows[i].name, rows[i].value);
    if (!(e->give_up > e->patience + e->brake))
        return ifd_note_add(note, IFD_RANGE, NULL,
                            "elastic: 'give-up' is %g s, expected more than 'patience' and 'brake' together (%g s): "
                            "the test would trip before it is at rest",
                            e->give_up, e->patience + e->brake);
    return IFD_OK;
}

static ifd_status refuse(ifd_note *note, const char *what, const char *instead)
{
    return ifd_note_add(note, IFD_UNSUPPORTED, NULL, "a test with 'elastic' cannot have %s: %s", what, instead);
}

static ifd_status check_interface(const ifd_interface_options *c, ifd_note *note)
{
    if (c->force)
        return refuse(note, "force control", "its loop would oscillate with the delay of the network");
    if (c->compensator && (c->compensator->correct || c->compensator->learn))
        return ifd_note_add(note, IFD_UNSUPPORTED, NULL,
                            "interface '%s': with 'elastic' the compensator must not use measurements, but '%s' "
                            "does. Use one with a fixed delay, such as polynomial",
                            c->name, c->compensator->name);
    return IFD_OK;
}

static ifd_status check_rigs(const ifd_hybrid_options *o, ifd_note *note)
{
    const ifd_several *s = ifd_several_of(o->rig, o->rig_setup);
    for (int r = 0; s && r < s->rigs; r++) {
        if (s->rig[r].equalise > 0.0)
            return refuse(note, "'equalise'", "the delay of every answer is constant already");
        if (s->rig[r].stale_time > 0.0)
            return refuse(note, "a 'stale-for' of a rig", "'give-up' is the limit of all of them");
    }
    return IFD_OK;
}

static ifd_status check(const ifd_hybrid_options *o, ifd_note *note)
{
    const ifd_elastic *e = o->elastic;
    IFD_TRY(check_numbers(e, note));
    if (o->rate_dependent && !e->allow_rate_dependent)
        return ifd_note_add(note, IFD_CONFLICT, NULL,
                            "a specimen is rate-dependent, and 'elastic' changes the rate of the motion with the "
                            "network. Its force would be wrong. Permit it with `elastic: {allow-rate-dependent: "
                            "yes}` if this effect is small");
    if (o->remote)
        return refuse(note, "a structure that another program computes", "that program has its own time");
    IFD_TRY(check_rigs(o, note));
    if (o->protocol)
        return refuse(note, "a loading protocol", "characterise the rig beside the rig");
    if (o->drives > 0)
        return refuse(note, "a drive of several actuators", "only specimens with one actuator each are supported");
    if (o->preload)
        return refuse(note, "'preload'", "its corrections need present forces");
    if (o->identified > 0)
        return refuse(note, "'identify'", "measurements and structure belong to different instants");
    if (o->monitor)
        return refuse(note, "'monitor'", "it compares present measurements with the structure");
    if (o->hold_relaxation > 0.0)
        return refuse(note, "'hold-relaxation'", "forces arrive late");
    if (isfinite(o->checkpoint_every))
        return refuse(note, "'checkpoint-every'",
                      "while it moves, commands are under way and no instant is complete. A hold has a checkpoint");
    for (int k = 0; k < o->interfaces; k++)
        IFD_TRY(check_interface(&o->interface[k], note));
    return IFD_OK;
}

static void begin_with(const ifd_compensator *c, double *x)
{
    memset(x, 0, (size_t)c->size * sizeof *x);
    ifd_compensator_begin(c, 0.0, x);
}

/* Two measurements that differ must not change the command. */
static ifd_status check_compensator(const ifd_hybrid *h, int k, ifd_arena *arena, ifd_note *note)
{
    const ifd_compensator *c = h->interface[k].compensator;
    enum { TICKS = 8 };
    double *a, *b, u = 0.0, w = 0.0;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(a, c->size), IFD__ARRAY(b, c->size)));
    begin_with(c, a);
    begin_with(c, b);
    for (int i = 0; i < TICKS && u == w; i++) {
        const ifd_compensator_in quiet = {.x = 1e-4 * i, .v = 1e-4 / h->period};
        ifd_compensator_in loud = quiet;
        loud.xm = 1e-3;
        loud.fm = 1e3;
        u = ifd_compensator_step(c, &quiet, a);
        w = ifd_compensator_step(c, &loud, b);
    }
    if (u == w)
        return IFD_OK;
    return ifd_note_add(note, IFD_UNSUPPORTED, NULL,
                        "interface '%s': with 'elastic' the compensator must not use measurements, but '%s' does. "
                        "Use one with a fixed delay, such as polynomial",
                        h->interface[k].o->name, c->kind->name);
}

static ifd_status ring_of(double ticks, int width, ifd__ring *out, ifd_note *note)
{
    if (!(ticks <= longest_ring))
        return ifd_note_add(note, IFD_TOO_LARGE, NULL,
                            "elastic: 'patience' and 'brake' together are %.3g ticks, at most %g are possible. Use "
                            "fewer ticks per stage",
                            ticks, longest_ring);
    *out = (ifd__ring){.size = (int)ceil(ticks) + 16, .width = width};
    return IFD_OK;
}

static ifd_status make(ifd_hybrid *h, ifd_arena *arena, ifd_note *note)
{
    const ifd_elastic *o = h->opt.elastic;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(h->elastic, 1)));
    ifd__elastic *c = h->elastic;
    c->filter = ifd__damped_of(radians * h->period / o->brake);
    c->window = o->delay * h->opt.lambda / h->period;
    c->patience = o->patience / h->period;
    if (!(c->window >= least_window))
        return ifd_note_add(note, IFD_RANGE, NULL,
                            "elastic: 'delay' is %g s of simulated time, which is %.2g ticks. Expected %g or more: "
                            "use more ticks per stage",
                            o->delay, c->window, least_window);
    IFD_TRY(ring_of(c->patience + brakes_to_rest * o->brake / h->period, 2 + h->interfaces, &c->sent, note));
    for (int r = 0; r < ifd__rigs_count(h); r++)
        IFD_TRY(ring_of(IFD__ELASTIC_DENSITY * c->window, 1 + h->interfaces, &c->answers[r], note));
    for (int k = 0; k < h->interfaces; k++)
        if (h->interface[k].compensator)
            IFD_TRY(check_compensator(h, k, arena, note));
    h->rig.brake = o->brake;
    h->rig.give_up = o->give_up;
    int of_rigs = h->rigs.several ? h->rigs.several->rigs * IFD__DOUBLES(ifd__elastic_rig) : 0;
    ifd__state_reserve(
        h, IFD__DOUBLES(ifd__elastic_state) + h->interfaces * IFD__DOUBLES(ifd__elastic_interface) + of_rigs,
        &c->state);
    return IFD_OK;
}

/* Communication is lost after give_up. */
static void limit(ifd_hybrid *h)
{
    h->opt.stale_limit = (int)fmin(ceil(h->opt.elastic->give_up / h->period), INT_MAX);
}

/* Place of the rings, after all hashed state. */
static void layout(ifd_hybrid *h)
{
    ifd__elastic *c = h->elastic;
    ifd__state_reserve(h, c->sent.size * c->sent.width, &c->sent.entry);
    for (int r = 0; r < ifd__rigs_count(h); r++)
        ifd__state_reserve(h, c->answers[r].size * c->answers[r].width, &c->answers[r].entry);
}

static void forget(const ifd__ring *r)
{
    memset(r->entry, 0, (size_t)r->size * (size_t)r->width * sizeof *r->entry);
}

static double age(const ifd_hybrid *h)
{
    return (h->test->tick - ifd__elastic_of(h)->rig.acknowledged) * h->period;
}

static double shown_age(const ifd__column_source *source)
{
    return age(source->self);
}

static ifd_status columns(ifd_hybrid *h, ifd_arena *arena)
{
    static const ifd__column_row row = {IFD_COLUMN_TEST_AGE, 0, shown_age};
    return ifd__columns_add(h, arena, &(ifd__column_set){.owner = "", .row = &row, .rows = 1});
}

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

static ifd__elastic_rig *heard_of(const ifd_hybrid *h, int rig)
{
    return h->rigs.several ? ifd__elastic_rig_of(h, rig) : &ifd__elastic_of(h)->rig;
}

/* The state of the test is that of the slowest rig. */
static void summarise(ifd_hybrid *h)
{
    ifd__elastic_state *e = ifd__elastic_of(h);
    if (!h->rigs.several)
        return;
    e->rig.answered = e->rig.acknowledged = (double)INFINITY;
    for (int r = 0; r < ifd__rigs_count(h); r++) {
        e->rig.answered = fmin(e->rig.answered, heard_of(h, r)->answered);
        e->rig.acknowledged = fmin(e->rig.acknowledged, heard_of(h, r)->acknowledged);
    }
}

/* A force that the structure has seen is never changed: at rest the newest measurement replaces the newest entry. */
static void keep_force(ifd_hybrid *h, int rig, double progress)
{
    const ifd__ring *r = &h->elastic->answers[rig];
    ifd__ring_state *s = &heard_of(h, rig)->answers;
    double *newest = s->count > 0.0 ? entry(r, s, 0) : NULL;
    if (newest && progress < newest[0])
        return;
    bool close = s->count > 1.0 && newest[0] - entry(r, s, 1)[0] < spacing;
    if (!newest || (progress > newest[0] && !close))
        newest = push(r, s);
    newest[0] = progress;
    for (int k = 0; k < h->interfaces; k++)
        newest[1 + k] = ifd__rigs_of(h, k) == rig ? ifd__chain_force(&h->io, k) : 0.0;
}

/* Back to the start, nothing is commanded. */
static void restart(ifd_hybrid *h)
{
    ifd__elastic_state *e = ifd__elastic_of(h);
    forget(&h->elastic->sent);
    e->progress = 0.0;
    e->sent = (ifd__ring_state){0};
    for (int r = 0; r < ifd__rigs_count(h); r++) {
        ifd__elastic_rig *rig = heard_of(h, r);
        rig->answered = 0.0;
        rig->acknowledged = h->test->tick;
        rig->answers = (ifd__ring_state){0};
        forget(&h->elastic->answers[r]);
    }
    summarise(h);
    h->test->rate = h->test->slope = 0.0;
    h->ramps = 0.0;
}

/* The rig is armed: earlier commands have no answers. */
static void arm(ifd_hybrid *h)
{
    ifd__elastic_of(h)->sent = (ifd__ring_state){0};
    for (int k = 0; k < h->interfaces; k++) {
        ifd__elastic_interface *i = ifd__elastic_interface_of(h, k);
        i->answered = h->each[k]->command;
        i->answered_step = 0.0;
    }
}

static void begin(ifd_hybrid *h)
{
    ifd__time_begin(h); /* the rate continues */
    for (int k = 0; k < h->interfaces; k++)
        ifd__elastic_interface_of(h, k)->lead = ifd__elastic_interface_of(h, k)->next_lead = 0.0;
    for (int r = 0; r < ifd__rigs_count(h); r++) {
        heard_of(h, r)->answers = (ifd__ring_state){0};
        keep_force(h, r, ifd__elastic_of(h)->progress);
    }
}

/* A rig answers the command of a tick, or the last one before it that differs. */
static void answer(ifd_hybrid *h, int rig, double tick)
{
    ifd__elastic_state *e = ifd__elastic_of(h);
    const ifd__ring *r = &h->elastic->sent;
    ifd__elastic_rig *from = heard_of(h, rig);
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
    if (tick < from->acknowledged)
        return; /* overtaken */
    from->answered = fmax(from->answered, sent[1]);
    keep_force(h, rig, sent[1]);
}

static void hear_rig(ifd_hybrid *h, int r)
{
    const ifd__rig_link rig = ifd__rigs_link(h, r);
    bool finite = true;
    for (int k = 0; k < h->interfaces; k++)
        finite = finite && (ifd__rigs_of(h, k) != r || isfinite(ifd__chain_force(&h->io, k)));
    if (!rig.fresh || rig.state->arrived > (double)h->command.tick || !finite)
        return;
    answer(h, r, rig.state->arrived);
    heard_of(h, r)->acknowledged = fmax(heard_of(h, r)->acknowledged, rig.state->arrived);
}

/* The commands that new measurements answer, and their forces. With several rigs, age and answered command are those
 * of the slowest, and each rig has its own kept forces. */
static void hear(ifd_hybrid *h)
{
    for (int k = 0; k < h->interfaces; k++)
        ifd__elastic_interface_of(h, k)->answered_step = 0.0;
    for (int r = 0; r < ifd__rigs_count(h); r++)
        hear_rig(h, r);
    summarise(h);
}

static double older(const ifd_hybrid *h)
{
    return fmin(age(h), h->opt.elastic->patience);
}

static double progress(const ifd_hybrid *h)
{
    return ifd__elastic_of(h)->progress * h->period;
}

static int awaited(const ifd_hybrid *h)
{
    int oldest = 0;
    for (int r = 1; r < ifd__rigs_count(h); r++)
        oldest = heard_of(h, r)->acknowledged < heard_of(h, oldest)->acknowledged ? r : oldest;
    return ifd__rigs_link(h, oldest).who;
}

/* With answers of this age, ticks. */
static double rate_of(const ifd__elastic *c, double age)
{
    return used * c->window / (age + 2.0 / c->filter.w);
}

static double slowest(const ifd_hybrid *h)
{
    return rate_of(h->elastic, h->elastic->patience);
}

static double goal_of(const ifd_hybrid *h)
{
    const ifd__elastic *c = h->elastic;
    double age = h->test->tick - ifd__elastic_of(h)->rig.acknowledged;
    bool held = ifd__state_of(h) == IFD_MACHINE_HOLD;
    if (held || age > c->patience)
        return 0.0;
    return fmin(ifd__elastic_of(h)->most, rate_of(c, age));
}

static void steer(ifd_hybrid *h)
{
    const ifd__elastic *c = h->elastic;
    ifd__elastic_state *e = ifd__elastic_of(h);
    ifd__test_state *t = h->test;
    e->most = ifd__state_of(h) == IFD_MACHINE_RUN ? h->test->pace : 1.0; /* a ramp has no pace */
    double goal = goal_of(h), rate = t->rate, slope = t->slope, left = e->rig.answered + c->window - e->progress;
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
    h->ramps = t->rate * h->period;
}

static bool complete(const ifd_hybrid *h)
{
    return ifd__elastic_of(h)->rig.answered == ifd__elastic_of(h)->progress;
}

/* Ticks, commands under way and their answers are those of this rig; simulated time and forces those of the
 * checkpoint. Progress never decreases, also for the rig: the forces are moved with it. */
static void continues(ifd_hybrid *h, const double *old)
{
    ifd__elastic_state *e = ifd__elastic_of(h);
    const ifd__ring *sent = &h->elastic->sent;
    const double *before = old + ((double *)e - h->x);
    double progress = ((const ifd__elastic_state *)before)->progress, shift = fmax(0.0, progress - e->progress);
    e->sent = ((const ifd__elastic_state *)before)->sent;
    memcpy(sent->entry, old + (sent->entry - h->x), (size_t)sent->size * (size_t)sent->width * sizeof *old);
    e->progress += shift;
    for (int r = 0; r < ifd__rigs_count(h); r++) {
        ifd__elastic_rig *rig = heard_of(h, r);
        for (int i = 0; i < (int)rig->answers.count; i++)
            entry(&h->elastic->answers[r], &rig->answers, i)[0] += shift;
        rig->answered = e->progress; /* complete: it was taken at rest */
        rig->acknowledged = h->test->tick;
    }
    summarise(h);
}

static void ramp(ifd_hybrid *h)
{
    ifd__elastic_of(h)->progress += h->test->rate;
}

/* The force of a stage is known before the specimens are there. */
static bool due(const ifd_hybrid *h)
{
    return h->test->rate > h->opt.ticks_per_stage - h->test->phase;
}

static bool rests(const ifd_hybrid *h)
{
    return h->test->rate == 0.0;
}

static void advance(ifd_hybrid *h)
{
    ifd__test_state *t = h->test;
    if (due(h))
        return;
    t->last_phase = t->phase;
    t->phase += t->rate;
    ramp(h);
}

/* A command that repeats the last one needs no entry: the test can rest for any time. */
static void sent(ifd_hybrid *h)
{
    const ifd__ring *r = &h->elastic->sent;
    ifd__elastic_state *e = ifd__elastic_of(h);
    if (h->test->commanded == 0.0)
        return;
    const double *last = e->sent.count > 0.0 ? entry(r, &e->sent, 0) : NULL;
    bool same = last && last[1] == e->progress;
    for (int k = 0; k < h->interfaces; k++)
        same = same && last[2 + k] == h->each[k]->command;
    if (same)
        return;
    double *now = push(r, &e->sent);
    now[0] = h->test->tick;
    now[1] = e->progress;
    for (int k = 0; k < h->interfaces; k++)
        now[2 + k] = h->each[k]->command;
}

static double force(const ifd_hybrid *h, int k)
{
    const int rig = ifd__rigs_of(h, k);
    const ifd__ring *r = &h->elastic->answers[rig];
    const ifd__ring_state *s = &heard_of(h, rig)->answers;
    double due = ifd__elastic_of(h)->progress + h->opt.ticks_per_stage - h->test->phase - h->elastic->window;
    int i = newest_before(r, s, due);
    if (i >= (int)s->count)
        return entry(r, s, (int)s->count - 1)[1 + k]; /* before the run began */
    const double *before = entry(r, s, i), *after = i > 0 ? entry(r, s, i - 1) : before;
    double share = after[0] > before[0] ? (due - before[0]) / (after[0] - before[0]) : 0.0;
    return before[1 + k] + share * (after[1 + k] - before[1 + k]);
}

/* The compensated command is a function of progress only: the compensator makes one step per tick of full rate, and
 * its lead is linear in between. */
static double lead(ifd_hybrid *h, int k, double target)
{
    ifd__elastic_interface *c = ifd__elastic_interface_of(h, k);
    double end = ceil(h->test->phase), y[3], scale = 1.0 / h->opt.lambda;
    if (end != ceil(h->test->last_phase)) {
        ifd__time_path_at(&h->io, k, end, y);
        const ifd_compensator_in in = {
            .x = y[0], .v = y[1] * scale, .a = y[2] * scale * scale, .xm = y[0], .frozen = h->facts.frozen};
        c->lead = c->next_lead;
        c->next_lead = ifd_compensator_step(h->interface[k].compensator, &in, ifd__compensator_of(h, k)) - y[0];
    }
    return target + c->next_lead + (h->test->phase - end) * (c->next_lead - c->lead);
}

static void answered(const ifd_hybrid *h, int k, double out[2])
{
    out[0] = ifd__elastic_interface_of(h, k)->answered;
    out[1] = ifd__elastic_interface_of(h, k)->answered_step;
}

static bool asked(const ifd_hybrid_options *o)
{
    return o->elastic != NULL;
}

const ifd__pace ifd__pace_elastic = {.name = "elastic",
                                     .about = "simulated time waits for the answers of the rig",
                                     .awaits = true,
                                     .asked = asked,
                                     .check = check,
                                     .limit = limit,
                                     .make = make,
                                     .layout = layout,
                                     .columns = columns,
                                     .slowest = slowest,
                                     .restart = restart,
                                     .arm = arm,
                                     .begin = begin,
                                     .hear = hear,
                                     .steer = steer,
                                     .due = due,
                                     .rests = rests,
                                     .solved = ifd__time_stage,
                                     .order = ifd__time_order,
                                     .advance = advance,
                                     .ramp = ramp,
                                     .scale = ifd__time_scale,
                                     .path = ifd__time_now,
                                     .lead = lead,
                                     .force = force,
                                     .sent = sent,
                                     .progress = progress,
                                     .age = age,
                                     .older = older,
                                     .answered = answered,
                                     .awaited = awaited,
                                     .complete = complete,
                                     .continues = continues};
