/* SPDX-License-Identifier: MIT */
/* Travel beyond a limit after its trip. The measurement that trips is late by the lag of the actuator; n ticks of
 * transport and one tick pass until the command brakes; it brakes with A; a second-order actuator overshoots the end
 * of the brake. With tau = 2 z/w + td:
 *
 *     d = v (tau + (n + 1) T) + v^2/(2 A) + (v/w) exp(-z (pi - acos z)/sqrt(1 - z^2)),    the last term 0 for z >= 1
 */
#include "qualify/stopping.h"

#include <math.h>
#include <string.h>

#include "analysis/loop.h"
#include "qualify/judging.h"
#include "qualify/preflight.h"
#include "rig/virtual/actuator.h"

double ifd__stopping_travel(const ifd__stopping *s, double v)
{
    double z = s->damping, over = 0.0;
    if (s->w > 0.0 && z < 1.0)
        over = v / s->w * exp(-z * (M_PI - acos(z)) / sqrt(1.0 - z * z));
    return v * (s->lag + (s->ticks + 1.0) * s->period) + v * v / (2.0 * s->acceleration) + over;
}

/* Of one actuator: a second-order one by its numbers, any other by its lag at a low frequency. */
static ifd__stopping stopping_of(const ifd__judging *j, const ifd_virtual_channel *c)
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
        ifd__stopping s = stopping_of(j, &j->o->twin->channel[m.first + i]);
        s.acceleration = j->o->test->interface[k].limits.acceleration;
        most = fmax(most, ifd__stopping_travel(&s, v));
    }
    return most;
}

/* Whether position or force at rest are beyond the capacity. */
static bool beyond(const ifd_interface_options *c, double d, double force)
{
    double stroke = fmax(fabs(c->limits.low), fabs(c->limits.high));
    return stroke + d > c->capacity.stroke || c->limits.force + force > c->capacity.force;
}

/* A limit trips at a large deformation, outwards: a specimen that yields has its secant there at most. */
static double outward(const ifd_preflight_interface *p)
{
    return !p->linear && p->secant > 0.0 ? p->secant : fabs(p->stiffness);
}

static void judge(ifd__judging *j, int k)
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
    if (stated && beyond(c, far, stiffness * far)) {
        verdict = IFD_VERDICT_CAUTION;
        advice = "beyond the capacity if it runs away: lower 'velocity' of the limits, or the limit";
    }
    if (stated && beyond(c, d, stiffness * d)) {
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
        judge(j, k);
}
