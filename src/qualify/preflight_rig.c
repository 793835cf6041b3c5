/* SPDX-License-Identifier: MIT */
/* Checks of the rig: its twin, and whether the rig was found to be like it; its network; travel and force beyond a
 * limit after its trip; wrong load cells. */
#include "qualify/preflight.h"

#include <math.h>

#include <interfield/several.h>

#include "hybrid/hybrid.h"
#include "rig/follower.h"
#include "rig/virtual/actuator.h"

static const double other_delay = 0.1, other_stiffness = 0.25; /* of the measured value */
static const double old = 30.0;                                /* days */
static const double certain = 3.0;                             /* standard errors */
static const double more = 1.05;                               /* of a velocity that was verified */

static const char characterise[] = "interfield characterise measures it and writes its twin";

/* The delay of the slowest actuator of interface k in the twin, with all that preflight adds; NAN: unknown. */
static double delay_of(const ifd__judging *j, int k)
{
    const ifd__movers m = ifd__movers_of(j->o->test, k);
    double most = (double)-INFINITY;
    for (int i = 0; i < m.count; i++) {
        double a[4];
        if (!ifd__actuator_series(&j->o->twin->actuator[m.first + i], j->o->twin->ramps, j->out->period, a))
            return (double)NAN;
        most = m.moves[i] ? fmax(most, a[1] / a[0]) : most;
    }
    return most + j->o->delay + j->o->ticks * j->out->period;
}

/* A nonlinear specimen may have any stiffness from its initial to its secant one in small motions. */
static bool as_stiff(const ifd_preflight_interface *p, const ifd_characterised *c)
{
    double low = fmin(p->stiffness, p->secant), high = fmax(p->stiffness, p->secant);
    if (low == 0.0 && high == 0.0) /* a damper, or a mass */
        return true;
    double room = other_stiffness * fabs(c->stiffness);
    return c->stiffness >= low - room && c->stiffness <= high + room;
}

/* Whether a line was added. */
static bool judge_finding(ifd__judging *j, int k)
{
    const ifd_characterised *c = &j->o->characterised[k];
    const ifd_preflight_interface *p = &j->out->interface[k];
    const char *name = j->o->test->interface[k].name;
    if (!c->known)
        return false;
    if (c->refused) {
        ifd__judge_add(j, "twin", IFD_VERDICT_NO_GO, "repair it, then characterise again", "%s, %s: %s", name, c->day,
                       c->refused);
        return true;
    }
    double delay = delay_of(j, k);
    if (fabs(delay - c->delay) > fmax(other_delay * fabs(c->delay), j->out->period)) {
        ifd__judge_add(j, "twin", IFD_VERDICT_NO_GO, "use the twin that was measured, or characterise again",
                       "%s: delay %s, but %s was measured %s", name, ifd__judge_quantity(j, delay, "s"),
                       ifd__judge_quantity(j, c->delay, "s"), c->day);
        return true;
    }
    bool seen = fabs(c->stiffness) > certain * c->stiffness_error;
    if (j->o->master || !seen || as_stiff(p, c))
        return false;
    ifd__judge_add(j, "twin", IFD_VERDICT_NO_GO,
                   "give the specimen the stiffness that was measured, or characterise again",
                   "%s: stiffness %s, but %s was measured %s", name, ifd__judge_quantity(j, p->stiffness, "N/m"),
                   ifd__judge_quantity(j, c->stiffness, "N/m"), c->day);
    return true;
}

/* A late force removes damping that a twin without its lag does not. */
static void judge_force_lag(ifd__judging *j, int k)
{
    const ifd_value *sensor = ifd__bench_of(j->o->test, j->o->twin, k).force_sensor;
    double lag = sensor ? ifd__value_of(ifd_sensor_params, sensor, "lag", 0.0) : 0.0;
    if (j->o->characterised[k].force_lag - lag > 0.5 * j->out->period)
        ifd__judge_add(j, "force lag", IFD_VERDICT_CAUTION,
                       "use the twin and the look-ahead that characterise wrote, or filter position and force alike",
                       "%s: %s was measured, the twin has %s", j->o->test->interface[k].name,
                       ifd__judge_quantity(j, j->o->characterised[k].force_lag, "s"),
                       ifd__judge_quantity(j, lag, "s"));
}

/* What the actuator was seen to follow, against what the test needs. */
static void judge_velocity(ifd__judging *j, int k)
{
    const ifd_characterised *c = &j->o->characterised[k];
    const ifd_interface_options *o = &j->o->test->interface[k];
    bool unknown = !j->out->finished || j->out->diverged; /* as a twin that saturates may be */
    double needs = unknown && c->needed > 0.0 ? c->needed : fmin(j->out->interface[k].velocity, o->limits.velocity);
    const char *unit = j->out->interface[k].angular ? "rad/s" : "m/s", *needed = ifd__judge_quantity(j, needs, unit);
    if (!c->known || c->refused || o->force || j->o->master || j->o->test->drives > 0)
        return;
    if (c->reached > 0.0 && needs > c->reached)
        ifd__judge_add(j, "reach", IFD_VERDICT_NO_GO,
                       "scale the motion[[, test slower (test: lambda)]], or use another actuator",
                       "%s: the actuator reaches %s; the test needs %s", o->name,
                       ifd__judge_quantity(j, c->reached, unit), needed);
    else if (c->reached > 0.0 || needs <= more * c->verified)
        ifd__judge_add(j, "reach", IFD_VERDICT_GO, NULL, "%s: the actuator was seen to reach %s; the test needs %s",
                       o->name, ifd__judge_quantity(j, c->reached > 0.0 ? c->reached : c->verified, unit), needed);
    else
        ifd__judge_add(j, "reach", IFD_VERDICT_CAUTION, "characterise --free, without specimen",
                       "%s: that the actuator reaches %s is not verified", o->name, needed);
}

static void judge_findings(ifd__judging *j)
{
    bool bad = false;
    double days = 0.0;
    for (int k = 0; k < j->o->test->interfaces; k++) {
        judge_force_lag(j, k);
        judge_velocity(j, k);
        bad = judge_finding(j, k) || bad;
        days = fmax(days, j->o->characterised[k].days);
    }
    if (!bad)
        ifd__judge_add(j, "twin", days > old ? IFD_VERDICT_CAUTION : IFD_VERDICT_GO, "characterise again",
                       "the case describes the rig as characterised %s, %.0f day%s ago", j->o->characterised[0].day,
                       floor(days), floor(days) == 1.0 ? "" : "s");
}

static void judge_twin(ifd__judging *j)
{
    if (j->o->undescribed)
        ifd__judge_add(j, "twin", IFD_VERDICT_NO_GO, characterise,
                       "%s has neither 'twin' nor 'actuator': nothing is known of this rig", j->o->undescribed);
    else if (j->o->characterised)
        judge_findings(j);
    else
        ifd__judge_add(
            j, "twin", j->o->stated ? IFD_VERDICT_GO : IFD_VERDICT_CAUTION,
            "give every specimen its 'twin' (interfield help twin): without it these numbers belong to another rig",
            j->o->stated ? "the case describes the rig" : "the case does not describe the rig");
}

void ifd__judge_rig(ifd__judging *j)
{
    const ifd_preflight *p = j->out;
    if (j->o->real)
        judge_twin(j);
    if (p->delay > 0.0)
        ifd__judge_add(j, "corrected", IFD_VERDICT_GO, NULL, "the rig is assumed %s later than its twin",
                       ifd__judge_quantity(j, p->delay, "s"));
    if (fabs(p->gain - 1.0) > 5e-4) /* seen in four digits */
        ifd__judge_add(j, "corrected", IFD_VERDICT_GO, NULL,
                       "the motion of the rig is assumed %.4g times as large as that of its twin", p->gain);
}

/* What the network between a test and its rig permits: whether simulated time runs at full rate, the lambda at which
 * it does, and whether real time is possible. */
static const char at_its_rate[] = "a specimen that depends on velocity cannot wait for a network: use a shorter one";
static const double used = 0.95; /* of the delay, as in hybrid/pace/elastic.c */
static const double radians = 3.0;
static const double part = 0.5; /* of the delay margin that a network may use */

static double lambda_for(double age, double delay, double brake)
{
    return (age + ifd__follower_lag(brake) + 2.0 * brake / radians) / (used * delay);
}

/* s, simulated: delay at which the loop becomes unstable, or the largest examined. */
static double margin(const ifd__judging *j, bool *found)
{
    const ifd_preflight *p = j->out;
    const ifd_margins *m = p->initial.stable ? &p->initial : &p->secant;
    *found = m->delay.found;
    return m->stable ? (ifd__preflight_assumed(p) + m->delay.value) / j->o->test->lambda : 0.0;
}

static const char *measured(ifd__judging *j, const ifd_echo *e)
{
    return ifd__judge_print(j, "answers %s old (p99 %s, oldest %s, %.2g %% lost)",
                            ifd__judge_quantity(j, e->median, "s"), ifd__judge_quantity(j, e->p99, "s"),
                            ifd__judge_quantity(j, e->most, "s"), 100.0 * e->loss);
}

static void judge_elastic(ifd__judging *j)
{
    const ifd_hybrid_options *t = j->o->test;
    const ifd_echo *e = j->o->echo;
    double brake = t->elastic->brake; /* answers of the age `most`, in s of wall-clock time, are used at full rate */
    double most = used * t->elastic->delay * t->lambda - 2.0 * brake / radians;
    double age = e ? e->p99 + ifd__follower_lag(brake) : 0.0;
    double lambda = lambda_for(e ? e->p99 : 0.0, t->elastic->delay, brake);
    const char *text = e ? ifd__judge_print(j, "%s, ", measured(j, e)) : "";
    if (most >= age)
        ifd__judge_add(j, "network", IFD_VERDICT_GO, NULL, "%sfull rate up to %s; the test takes %s", text,
                       ifd__judge_quantity(j, most, "s"), ifd__judge_quantity(j, t->lambda * t->end, "s"));
    else
        ifd__judge_add(j, "network", IFD_VERDICT_CAUTION,
                       t->rate_dependent
                           ? at_its_rate
                           : ifd__judge_print(j, "use lambda: %.3g; the test then takes %s at full rate",
                                              ceil(lambda), ifd__judge_quantity(j, ceil(lambda) * t->end, "s")),
                       "%ssimulated time is slower than lambda: full rate only up to %s", text,
                       most > 0.0 ? ifd__judge_quantity(j, most, "s") : "0 s");
}

/* A test with a constant rate: real time, or a proposal. */
static void judge_rigid(ifd__judging *j)
{
    const ifd_hybrid_options *t = j->o->test;
    const ifd_echo *e = j->o->echo;
    ifd_elastic preset;
    bool found;
    double delay = part * margin(j, &found);
    ifd_elastic_defaults(&preset);
    double lambda = fmax(1.0, ceil(lambda_for(e->p99, delay, preset.brake)));
    if (!(delay > 0.0))
        return;
    if (e->most <= delay * t->lambda)
        ifd__judge_add(j, "network", IFD_VERDICT_GO, NULL,
                       "%s, below half of the delay margin: lambda %.4g is possible. Compensate the median too",
                       measured(j, e), t->lambda);
    else
        ifd__judge_add(j, "network", IFD_VERDICT_CAUTION,
                       t->rate_dependent
                           ? at_its_rate
                           : ifd__judge_print(j, "use elastic: {delay: %s} and lambda: %.3g; the test then takes %s",
                                              ifd__judge_quantity(j, delay, "s"), lambda,
                                              ifd__judge_quantity(j, lambda * t->end, "s")),
                       "%s, beyond half of the delay margin, %s%s", measured(j, e), found ? "" : "at least ",
                       ifd__judge_quantity(j, delay * t->lambda, "s"));
}

/* A rig server behind a network has a key. In lockstep it is waited for: its network costs time only. */
static bool unmeasured(const ifd__judging *j)
{
    const ifd_hybrid_options *t = j->o->test;
    const ifd_several *s = ifd_several_of(t->rig, t->rig_setup);
    bool any = false;
    for (int r = 0; r < (s ? s->rigs : 1); r++) {
        const ifd_rig_ops *ops = s ? s->rig[r].ops : t->rig;
        const ifd_value *values = s ? s->rig[r].values : t->rig_values;
        int key = ifd_param_find(ops->params, "key"), lockstep = ifd_param_find(ops->params, "lockstep");
        any = any || (key >= 0 && lockstep >= 0 && !(values[lockstep].number > 0.0));
    }
    return any && !j->o->echo;
}

void ifd__preflight_network(ifd__judging *j)
{
    if (unmeasured(j))
        ifd__judge_add(j, "network", IFD_VERDICT_CAUTION,
                       "measure it with preflight --echo 10s on the day of the test",
                       "not measured: late and lost measurements are not known");
    if (j->o->test->elastic)
        judge_elastic(j);
    else if (j->o->echo && j->out->examined)
        judge_rigid(j);
}

/* Travel beyond a limit after its trip. The measurement that trips is late by the lag of the actuator; n ticks of
 * transport and one tick pass until the command brakes; it brakes with A; a second-order actuator overshoots the end
 * of the brake. With tau = 2 z/w + td:
 *
 *     d = v (tau + (n + 1) T) + v^2/(2 A) + (v/w) exp(-z (pi - acos z)/sqrt(1 - z^2)),    the last term 0 for z >= 1
 */
double ifd__stopping_travel(const ifd__stopping *s, double v)
{
    double z = s->damping, over = 0.0;
    if (s->w > 0.0 && z < 1.0)
        over = v / s->w * exp(-z * (M_PI - acos(z)) / sqrt(1.0 - z * z));
    return v * (s->lag + (s->ticks + 1.0) * s->period) + v * v / (2.0 * s->acceleration) + over;
}

/* Of one actuator: a second-order one by its numbers, any other by its lag at a low frequency. */
static ifd__stopping stopping_of(const ifd__judging *j, const ifd_virtual_actuator *c)
{
    const ifd_preflight *p = j->out;
    ifd__stopping s = {.period = p->period, .ticks = j->o->ticks, .damping = 1.0};
    s.lag = fmax(0.0, p->delay - j->o->ticks * p->period);
    if (c->actuator == &ifd__actuator_second) {
        s.w = 2.0 * M_PI * ifd__value_of(c->actuator->params, c->actuator_values, "frequency", 1.0);
        s.damping = ifd__value_of(c->actuator->params, c->actuator_values, "damping-ratio", 1.0);
        s.lag += 2.0 * s.damping / s.w + ifd__value_of(c->actuator->params, c->actuator_values, "delay", 0.0);
    } else
        s.lag += ifd__actuator_lag(c, p->period, 0.1);
    return s;
}

/* The longest travel of the actuators of an interface. */
static double travel(const ifd__judging *j, int k, double v)
{
    const ifd__movers m = ifd__movers_of(j->o->test, k);
    double most = 0.0;
    for (int i = 0; i < m.count; i++) {
        ifd__stopping s = stopping_of(j, &j->o->twin->actuator[m.first + i]);
        s.acceleration = j->o->test->interface[k].limits.acceleration;
        most = fmax(most, ifd__stopping_travel(&s, v));
    }
    return most;
}

/* Whether position or force at rest are beyond the capacity. */
static bool beyond_capacity(const ifd_interface_options *c, double d, double force)
{
    double stroke = fmax(fabs(c->limits.low), fabs(c->limits.high));
    return stroke + d > c->capacity.stroke || c->limits.force + force > c->capacity.force;
}

/* A limit trips at a large deformation, outwards: a specimen that yields has its secant there at most. */
static double outward(const ifd_preflight_interface *p)
{
    return !p->linear && p->secant > 0.0 ? p->secant : fabs(p->stiffness);
}

static void judge_stopping(ifd__judging *j, int k)
{
    const ifd_interface_options *c = &j->o->test->interface[k];
    const ifd_preflight_interface *p = &j->out->interface[k];
    double stiffness = outward(p), most = c->limits.velocity;
    double d = travel(j, k, fmin(p->velocity, most)), far = travel(j, k, most);
    bool stated = isfinite(c->capacity.stroke) || isfinite(c->capacity.force), turns = p->angular;
    const char *advice = NULL;
    ifd_verdict verdict = IFD_VERDICT_GO;
    if (!stated && j->o->real) {
        verdict = IFD_VERDICT_CAUTION;
        advice = "state what the specimen tolerates (interfield help capacity)";
    }
    if (stated && beyond_capacity(c, far, stiffness * far)) {
        verdict = IFD_VERDICT_CAUTION;
        advice = "beyond the capacity if it runs away: lower 'velocity' of the limits, or the limit";
    }
    if (stated && beyond_capacity(c, d, stiffness * d)) {
        verdict = IFD_VERDICT_NO_GO;
        advice = "beyond the capacity of the specimen: lower the limits of force and stroke, or 'velocity'";
    }
    const char *who = j->out->interfaces > 1 ? ifd__judge_print(j, "%s ", p->name) : "";
    ifd__judge_add(j, "stopping", verdict, advice,
                   "%sforce +%s as predicted, +%s at the velocity limit (travel %s, %s)", who,
                   ifd__judge_quantity(j, stiffness * d, turns ? "N m" : "N"),
                   ifd__judge_quantity(j, stiffness * far, turns ? "N m" : "N"),
                   ifd__judge_quantity(j, d, turns ? "rad" : "m"), ifd__judge_quantity(j, far, turns ? "rad" : "m"));
}

void ifd__preflight_stopping(ifd__judging *j)
{
    for (int k = 0; k < j->out->interfaces; k++)
        judge_stopping(j, k);
}

/* A loop that keeps a force trusts its load cell. The dry run is repeated with each such cell stuck, from its
 * first reading or from a part of the target on, clipped at half of the target and with a gain of 0.3; the
 * largest true force until all is at rest is judged by the capacity of the specimen. */
enum { WAYS = 3 };
static const char *const way[WAYS] = {"stuck", "clipped at half the force", "with gain 0.3"};
/* Parts of the target at which a cell sticks. Close to the target its error stays below every limit of it, and
 * only the travel of the actuator shows that the force must have changed. */
static const double sticks_at[] = {0.0, 0.25, 0.5, 0.75, 0.9, 0.98};
enum { STICKS = sizeof sticks_at / sizeof *sticks_at };
static const double longest_hold = 2.0; /* s: nobody resumes it */

/* The largest true force of a test with a wrong cell; false: it could not be made. */
static bool try_cell(const ifd_preflight_options *o, const ifd_preflight *p, ifd__bad_cell *cell)
{
    ifd_arena *scratch IFD__CLOSED = ifd_arena_open();
    ifd_hybrid *h IFD__TEST_CLOSED = NULL;
    const ifd__variant v = {.delay = p->delay, .gain = p->gain, .cell = cell};
    ifd_hybrid_options options;
    double held = 0.0;
    if (!scratch || ifd__variant_make(scratch, o->test, o->twin, &v, &options) != IFD_OK)
        return false;
    options.what = IFD_RECORD_GROUND;
    options.wait_tripped = false;
    if (ifd_hybrid_make(scratch, &options, &h, NULL) != IFD_OK)
        return false;
    ifd_ticked t = ifd_hybrid_ticked(h);
    ifd__hybrid_untraced(h);
    while (t.tick(t.self, &(ifd_tick_in){0}) == IFD_RUN_GOING && held < longest_hold)
        held = ifd_hybrid_state(h) == IFD_MACHINE_HOLD ? held + h->period : 0.0;
    return true;
}

/* Over the actuators that the interface moves. */
static double true_force(const ifd_preflight_options *o, const ifd_preflight *p, int k, int which)
{
    const ifd__movers m = ifd__movers_of(o->test, k);
    const ifd_force_control *force = o->test->interface[k].force;
    /* A computed force has no prescribed one: the largest of the dry run. */
    double most = 0.0,
           target = force->target ? ifd_signal_peak(force->target, o->test->end, 0.01) : p->interface[k].force;
    for (int i = 0; i < m.count; i++)
        for (int j = 0; j < (which == 0 ? STICKS : 1); j++) {
            ifd__bad_cell cell = {.actuator = m.first + i,
                                  .gain = which == 2 ? 0.3 : 1.0,
                                  .most = which == 1 ? 0.5 * target : (double)INFINITY,
                                  .sticks = which == 0 ? sticks_at[j] * target : (double)INFINITY};
            bool counts = m.drive < 0 || fabs(m.weight[i]) > 0.5; /* the others push sideways */
            if (counts && try_cell(o, p, &cell))
                most = fmax(most, cell.actual);
        }
    return most;
}

static void judge_cells(ifd__judging *j, int k)
{
    const ifd_interface_options *c = &j->o->test->interface[k];
    const char *text = "";
    double most = 0.0;
    for (int i = 0; i < WAYS; i++) {
        double found = true_force(j->o, j->out, k, i);
        text = ifd__judge_print(j, "%s%s%s %s", text, *text ? ", " : "", ifd__judge_quantity(j, found, "N"), way[i]);
        most = fmax(most, found);
    }
    bool stated = isfinite(c->capacity.force);
    ifd__judge_add(j, "load cell",
                   most > c->capacity.force ? IFD_VERDICT_NO_GO
                   : !stated && j->o->real  ? IFD_VERDICT_CAUTION
                                            : IFD_VERDICT_GO,
                   stated ? "beyond the capacity of the specimen: lower 'error' and 'stroke' of this actuator"
                          : "state what the specimen tolerates (interfield help capacity)",
                   "true force of %s with its cell wrong: %s", c->name, text);
}

void ifd__preflight_cells(ifd__judging *j)
{
    for (int k = 0; k < j->o->test->interfaces; k++)
        if (j->o->test->interface[k].force)
            judge_cells(j, k);
}
