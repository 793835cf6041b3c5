/* SPDX-License-Identifier: MIT */
/* Checks of the twin: whether there is one, and whether the rig was found to be like it. */
#include "qualify/judging.h"

#include <math.h>

#include "qualify/compensate.h"

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
        if (!ifd__actuator_series(&j->o->twin->channel[m.first + i], j->o->twin->ramps, j->out->period, a))
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
