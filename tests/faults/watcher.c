/* SPDX-License-Identifier: MIT */
#include "faults/watcher.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* m, m, m/s, m/s2, of the case files of the scenes; entered by hand. */
typedef struct actuator {
    double low, high, velocity, acceleration;
} actuator;

#define LOWER                                                                                                        \
    {                                                                                                                \
        -0.05, 0.05, 0.5, 10.0                                                                                       \
    }
#define UPPER                                                                                                        \
    {                                                                                                                \
        -0.04, 0.04, 0.5, 10.0                                                                                       \
    }
#define FOOT                                                                                                         \
    {                                                                                                                \
        -0.9, 0.9, 4.0, 150.0                                                                                        \
    }

/* In the order of scene_kind (scene.h). */
static const struct {
    double tick; /* s */
    int actuators;
    actuator a[WATCHER_ACTUATORS];
} rigs[] = {
    {0.002, 2, {LOWER, UPPER}},
    {0.002, 1, {{-5.0, 5.0, 50.0, 1000.0}}}, /* raw: 10 mm each, of 50 mm, 0.5 m/s, 10 m/s2 */
    {0.002, 2, {{-0.2, 0.2, 1.0, 30.0}, {-0.06, 0.06, 0.5, 30.0}}},
    {0.002, 3, {FOOT, FOOT, FOOT}},
    {0.002, 1, {{-0.04, 0.04, 1.0, 20.0}}},
    {0.002, 2, {LOWER, UPPER}},
    {0.002, 2, {LOWER, UPPER}},
    {0.0005, 1, {{-0.05, 0.05, 2.0, 500.0}}},
    {0.002, 2, {LOWER, UPPER}},
    {0.002, 2, {LOWER, UPPER}},
};

enum { IDLE, READY, RAMP_IN, RUN, HOLD, RAMP_OUT, STOPPED, TRIPPED, RETURN };

const char *const watcher_state_names[WATCHER_STATES] = {"idle",     "ready",   "ramp-in", "run",   "hold",
                                                         "ramp-out", "stopped", "tripped", "return"};

/* Permitted next states, by docs/reference/states.md; the state itself always. */
#define TO(state) (1u << (state))
static const unsigned leads[WATCHER_STATES] = {
    [IDLE] = TO(READY) | TO(TRIPPED) | TO(RETURN),
    [READY] = TO(RAMP_IN) | TO(STOPPED) | TO(TRIPPED) | TO(RAMP_OUT), /* ramp-out: the order unload */
    [RAMP_IN] = TO(RUN) | TO(HOLD) | TO(RAMP_OUT) | TO(TRIPPED), /* run lasts no tick if it is held immediately */
    [RUN] = TO(HOLD) | TO(RAMP_OUT) | TO(TRIPPED),
    [HOLD] = TO(RUN) | TO(RAMP_OUT) | TO(STOPPED) | TO(TRIPPED),
    [RAMP_OUT] = TO(STOPPED) | TO(TRIPPED),
    [STOPPED] = TO(TRIPPED),
    [TRIPPED] = TO(IDLE),
    [RETURN] = TO(IDLE) | TO(TRIPPED),
};

/* Positions are rounded to 2^-53 relative: a second difference has four such errors, doubled for the arithmetic
 * before. */
static const double round_off = 8.0 * 0x1p-53;
/* Permitted scatter of samples of a rig at rest, as a fraction of the stroke (docs/reference/states.md). */
static const double scatter = 0.005;

__attribute__((format(printf, 4, 5))) static void broke(watcher *w, const watcher_command *c, int k,
                                                        const char *format, ...)
{
    w->sums.outside++;
    if (w->broke[0])
        return;
    char what[120];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    snprintf(w->broke, sizeof w->broke, "tick %lu, %s, actuator %d: %s", (unsigned long)c->tick,
             c->state < WATCHER_STATES ? watcher_state_names[c->state] : "no state", k, what);
}

static actuator limits_of(const watcher *w, int k)
{
    actuator a = rigs[w->scene].a[k];
    if (w->wide && k == 1) {
        a.low = -50.0;
        a.high = 50.0;
    }
    return a;
}

static void worst(double *of, double ratio)
{
    *of = ratio > *of ? ratio : *of;
}

static void see_nothing(watcher *w, const watcher_command *c, int k)
{
    if (w->began && c->position[k] != w->p[k])
        broke(w, c, k, "no command, and yet %.9g after %.9g", c->position[k], w->p[k]);
    if (c->velocity[k] != 0.0)
        broke(w, c, k, "no command, and yet %.3g per s", c->velocity[k]);
    w->step[k] = 0.0;
}

static void see_first(watcher *w, const watcher_command *c, int k)
{
    actuator a = limits_of(w, k);
    double p = c->position[k];
    if (c->state != READY && c->state != RETURN)
        broke(w, c, k, "begins to command in this state");
    if (!(fabs(p - w->measured[k]) <= scatter * (a.high - a.low)))
        broke(w, c, k, "the first command is %.9g, measured %.9g", p, w->measured[k]);
    if (c->state == READY && !(p >= a.low && p <= a.high))
        broke(w, c, k, "the first command is %.9g, outside [%g, %g]", p, a.low, a.high);
    w->step[k] = 0.0;
}

/* How far outside its stroke a position is. */
static double beyond(const actuator *a, double p)
{
    return fmax(0.0, fmax(a->low - p, p - a->high));
}

static void see_motion(watcher *w, const watcher_command *c, int k)
{
    actuator a = limits_of(w, k);
    double dt = rigs[w->scene].tick, p = c->position[k], step = p - w->p[k], change = step - w->step[k];
    double v = a.velocity * dt, acc = a.acceleration * dt * dt, tiny = round_off * fmax(fabs(p), a.high - a.low);
    bool returns = c->state == RETURN || c->state == TRIPPED;
    if (beyond(&a, p) > 0.0 && !(returns && beyond(&a, w->p[k]) > 0.0))
        broke(w, c, k, "position %.12g outside [%g, %g]", p, a.low, a.high);
    if (beyond(&a, p) > beyond(&a, w->p[k]) + tiny)
        broke(w, c, k, "moves outward, from %.12g to %.12g", w->p[k], p);
    if (!(fabs(step) <= v + tiny))
        broke(w, c, k, "velocity %.9g above %g", fabs(step) / dt, a.velocity);
    if (!(fabs(change) <= acc + tiny))
        broke(w, c, k, "acceleration %.9g above %g", fabs(change) / (dt * dt), a.acceleration);
    if (c->state != RETURN && beyond(&a, p) == 0.0)
        worst(&w->sums.stroke[c->state], fabs(p - 0.5 * (a.low + a.high)) / (0.5 * (a.high - a.low)));
    worst(&w->sums.velocity[c->state], fabs(step) / v);
    worst(&w->sums.acceleration[c->state], fabs(change) / acc);
    w->step[k] = step;
}

static void see_frame(watcher *w, const watcher_command *c)
{
    if (c->channels != (uint32_t)rigs[w->scene].actuators)
        broke(w, c, -1, "%u actuators", c->channels);
    if (w->began && (c->tick != w->tick + 1 || c->heartbeat != w->heartbeat + 1))
        broke(w, c, -1, "tick %lu and heartbeat %u after %lu and %u", (unsigned long)c->tick, c->heartbeat,
              (unsigned long)w->tick, w->heartbeat);
    if (w->began && c->state != w->state && !(leads[w->state] & TO(c->state)))
        broke(w, c, -1, "this state after %s", watcher_state_names[w->state]);
    if (!w->began && c->state != IDLE && c->state != TRIPPED) /* a trip may be ordered in the first tick */
        broke(w, c, -1, "begins in this state");
    if (c->commanded && c->state == IDLE)
        broke(w, c, -1, "idle, and yet commanded");
    if (c->commanded && !w->hydraulics)
        broke(w, c, -1, "commanded with the hydraulics off");
}

void watcher_see(watcher *w, const watcher_command *c)
{
    if (c->state >= WATCHER_STATES || c->commanded > 1) {
        broke(w, c, -1, "state %u, commanded %u", c->state, c->commanded);
        return;
    }
    see_frame(w, c);
    (c->commanded ? w->sums.commands : w->sums.nothing)[c->state]++;
    for (int k = 0; k < rigs[w->scene].actuators; k++) {
        if (!isfinite(c->position[k]) || !isfinite(c->velocity[k]))
            broke(w, c, k, "%g m at %g m/s", c->position[k], c->velocity[k]);
        else if (!c->commanded)
            see_nothing(w, c, k);
        else if (!w->commanded)
            see_first(w, c, k);
        else
            see_motion(w, c, k);
        w->p[k] = c->position[k];
    }
    w->began = true;
    w->commanded = c->commanded;
    w->tick = c->tick;
    w->heartbeat = c->heartbeat;
    w->state = c->state;
}

void watcher_begin(watcher *w, int scene, bool wide)
{
    memset(w, 0, sizeof *w);
    w->scene = scene;
    w->wide = wide;
}

void watcher_said(watcher *w, int channels, const double *position, bool hydraulics)
{
    for (int k = 0; k < channels && k < WATCHER_ACTUATORS; k++)
        w->measured[k] = position[k];
    w->hydraulics = hydraulics;
}

void watcher_add(watcher_sums *to, const watcher_sums *from)
{
    to->outside += from->outside;
    for (int s = 0; s < WATCHER_STATES; s++) {
        to->commands[s] += from->commands[s];
        to->nothing[s] += from->nothing[s];
        worst(&to->stroke[s], from->stroke[s]);
        worst(&to->velocity[s], from->velocity[s]);
        worst(&to->acceleration[s], from->acceleration[s]);
    }
}
