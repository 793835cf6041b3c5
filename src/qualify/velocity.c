/* SPDX-License-Identifier: MIT */
/* Whether an actuator reaches the peak velocity of its test: the velocity from a dry run on the twin that was found,
 * a burst within the motion that the specimen permits, and its evaluation. */
#include <interfield/characterise.h>

#include <math.h>
#include <string.h>

#include "qualify/preflight.h"
#include "rig/compensator/compensator.h"
#include "substructure/loading_protocol.h"

static const double least_gain = 0.9;   /* of small motions at the frequency of the burst */
static const double room = 0.8;         /* of the tracking limit */
static const double half_stroke = 0.5;  /* of the stroke to either side, without a specimen */
static const double near_end = 0.9;     /* of the way to the end of the stroke */
static const double least_ticks = 31.0; /* of a period, which has 32 or more: a gain of the sweep belongs to it */

/* The actuator of a channel becomes that of the twin; the linear specimen in its values stays. */
static ifd_status put_twin(ifd_arena *arena, const ifd_characterisation *f, ifd_virtual_actuator *c)
{
    const ifd_found_twin *t = &f->twin;
    static const char *const kinds[] = {"delay", "first-order", "second-order"}, *const kept[] = {"mass", "damping",
                                                                                                  "stiffness"};
    const ifd_actuator_kind *kind = ifd_actuator_find(kinds[t->order]);
    ifd_value *v;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(v, (size_t)ifd_param_count(kind->params) + 1)));
    ifd_param_preset(kind->params, v);
    for (size_t i = 0; c->actuator && i < sizeof kept / sizeof *kept; i++)
        ifd__value_set(kind->params, v, kept[i],
                       ifd_number(ifd__value_of(c->actuator->params, c->actuator_values, kept[i], 0.0)));
    ifd__value_set(kind->params, v, "delay", ifd_number(t->delay));
    ifd__value_set(kind->params, v, "gain", ifd_number(t->gain));
    ifd__value_set(kind->params, v, "time-constant", ifd_number(t->time_constant));
    ifd__value_set(kind->params, v, "frequency", ifd_number(t->frequency));
    ifd__value_set(kind->params, v, "damping-ratio", ifd_number(t->damping_ratio));
    ifd__value_set(kind->params, v, "play", ifd_number(f->play));
    ifd__value_set(kind->params, v, "clearance", ifd_number(f->loose ? f->clearance : 0.0));
    c->actuator = kind;
    c->actuator_values = v;
    return IFD_OK;
}

/* A case without compensation has that of the fragment: its delay, and the lag of the force. */
static ifd_status put_compensation(ifd_arena *arena, const ifd_characterisation *f, ifd_interface_options *c)
{
    const ifd_compensator_kind *kind = ifd_compensator_find("polynomial");
    ifd_value *v;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(v, IFD_COMPENSATOR_PARAMS)));
    if ((c->compensator && c->compensator != &ifd__compensator_none) || c->force || !(f->delay > 0.0))
        return IFD_OK;
    ifd_param_preset(kind->params, v);
    ifd__value_set(kind->params, v, "delay", ifd_number(f->delay));
    ifd__value_set(kind->params, v, "order", ifd_number(3.0));
    if (f->force_late)
        ifd__value_set(kind->params, v, "look-ahead", ifd_number(f->force_lag));
    c->compensator = kind;
    c->compensator_values = v;
    return IFD_OK;
}

/* Peak velocities of the command, with everything that was found; on an ideal rig if that loop is not stable. */
static ifd_status demand(ifd_arena *arena, const ifd_preflight_options *o, const ifd_characterisation *found,
                         ifd__dry *out, ifd_note *note)
{
    ifd_hybrid_options test = *o->test;
    ifd_laboratory lab = *o->twin;
    ifd_interface_options *interface;
    ifd_virtual_actuator *channel;
    double delay = 0.0;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(interface, test.interfaces), IFD__ARRAY(channel, lab.actuators)));
    memcpy(channel, lab.actuator, (size_t)lab.actuators * sizeof *channel);
    for (int k = 0; k < test.interfaces; k++) {
        interface[k] = test.interface[k];
        IFD_TRY(put_compensation(arena, &found[k], &interface[k]));
        if (!found[k].twin.found)
            continue;
        IFD_TRY(put_twin(arena, &found[k], &channel[ifd__movers_of(&test, k).first]));
        delay = fmax(delay, found[k].twin.order > 0 ? found[k].twin.delay : 0.0);
    }
    test.interface = interface;
    lab.actuator = channel;
    const ifd__loop l = {&test, &lab};
    const ifd__dry_options real = {.variant = {.delay = o->delay + delay, .gain = 1.0, .unlimited = true}},
                           ideal = {.variant = {.perfect = true, .unlimited = true}};
    IFD_TRY(ifd__dry_run(arena, &l, &real, out, note));
    return out->finished && !out->diverged ? IFD_OK : ifd__dry_run(arena, &l, &ideal, out, note);
}

static void refuse(ifd_burst *b, const char *undone, const char *remedy)
{
    b->undone = undone;
    b->remedy = remedy;
}

/* What the specimen permits, and the actuator from its place: the smaller one. */
static void permit(const ifd_interface_options *c, const ifd_characterise_options *m, const ifd_characterisation *f,
                   bool free, ifd_burst *b)
{
    double end = fmin(c->limits.high - f->centre, f->centre - c->limits.low) * near_end / fmax(1.0, b->gain),
           share = free ? half_stroke : m->stroke_fraction * (f->yields ? 0.25 : 1.0),
           most = share * 0.5 * (c->limits.high - c->limits.low);
    b->permitted = fmax(0.0, fmin(most, end));
    if (b->amplitude <= b->permitted)
        return;
    if (end < most)
        refuse(b, "the end of the stroke is too near",
               "Move the actuator towards the middle of its stroke, then characterise again");
    else if (free)
        refuse(b, "half the stroke does not suffice", NULL);
    else
        refuse(b, "stroke-share does not permit it", "Use characterise --free, without specimen");
}

/* The frequency, within the limit of acceleration, and whether the motion is permitted. */
static void choose(const ifd_interface_options *c, const ifd_characterise_options *m, const ifd_characterisation *f,
                   bool free, ifd_burst *b)
{
    bool follows = false;
    int at = -1;
    for (int i = 0; i < f->points; i++)
        if (f->gain_at[i] >= least_gain) {
            bool fits = f->frequency[i] * f->period * least_ticks <= 1.0;
            at = fits && 2.0 * M_PI * f->frequency[i] * b->needed <= c->limits.acceleration ? i : at;
            follows = true;
        }
    if (at >= 0) {
        b->gain = f->gain_at[at];
        b->frequency = 1.0 / ((double)ifd__burst_period(f->frequency[at], f->period) * f->period);
        b->amplitude = b->needed / (2.0 * M_PI * b->frequency);
        permit(c, m, f, free, b);
    }
    if (!follows)
        refuse(b, "at every frequency of the sweep the gain is below 0.9", NULL);
    else if (at < 0)
        refuse(b, "the limit of acceleration does not permit it", "Lower 'slowest' of 'characterise'");
    else if (!b->undone && b->needed * fabs(f->delay) > room * c->limits.tracking)
        refuse(b, "without compensation it exceeds the limit of tracking",
               "Use characterise --free with a larger limit, without specimen");
    b->velocity = b->undone ? 0.0 : b->needed;
}

ifd_status ifd_burst_plan(const ifd_preflight_options *o, const ifd_characterise_options *motions,
                          const ifd_characterisation *found, bool free, ifd_burst *out, ifd_note *note)
{
    ifd_arena *scratch IFD__CLOSED = ifd_arena_open();
    ifd__dry d;
    ifd_status status = scratch ? demand(scratch, o, found, &d, note) : IFD_NO_MEMORY;
    bool known = status == IFD_OK && d.finished && !d.diverged;
    for (int k = 0; k < o->test->interfaces; k++) {
        const ifd_interface_options *c = &o->test->interface[k];
        out[k] = (ifd_burst){.undone = known ? NULL : "the predicted test does not finish",
                             .remedy = known ? NULL : "interfield compensate shows why"};
        out[k].needed = known ? fmin(d.interface[k].seen.velocity, c->limits.velocity) : 0.0;
        if (known && !c->force && out[k].needed > 0.0)
            choose(c, motions, &found[k], free, &out[k]);
    }

    return status;
}

/* Of an odd number of values, which become sorted. */
static double median(int count, double *x)
{
    for (int i = 1; i < count; i++)
        for (int j = i; j > 0 && x[j] < x[j - 1]; j--) {
            double larger = x[j - 1];
            x[j - 1] = x[j];
            x[j] = larger;
        }
    return x[count / 2];
}

/* Largest slope over a sixteenth of a period, as the median of the periods: noise counts little, command and position
 * alike, and a measurement that is late in one period does not count: its step would hide a saturation. */
static double steepest(const double *y, long from, long P)
{
    long half = P / 32 > 0 ? P / 32 : 1;
    double most = 0.0, rise[IFD__BURST_PERIODS - 1];
    for (long i = 0; i < P; i++) {
        for (int n = 1; n < IFD__BURST_PERIODS; n++)
            rise[n - 1] = y[from + n * P + i + half] - y[from + n * P + i - half];
        most = fmax(most, fabs(median(IFD__BURST_PERIODS - 1, rise)));
    }
    return most / (double)(2 * half);
}

void ifd_burst_judge(const ifd_protocol *p, int channel, const ifd_motion_record *r, ifd_burst *out)
{
    const ifd_motions *at = &p->motion[channel].at;
    if (!at->burst || r->ticks < at->end - 1)
        return;
    double sent = steepest(r->command, at->burst + at->period - 1, at->period),
           seen = steepest(r->position, at->burst + at->period, at->period);
    out->reached = seen / r->period;
    out->share = seen / sent / out->gain;
}

bool ifd_burst_saturates(const ifd_burst *b)
{
    return b->share > 0.0 && b->share < IFD_BURST_SHARE;
}
