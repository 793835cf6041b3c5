/* SPDX-License-Identifier: MIT */
#include "check.h"

#include "faults/bad_rig.h"

#include <string.h>

#include <interfield/virtual.h>

bad_rig bad;

__attribute__((format(printf, 3, 4))) static void broke(const ifd_command *c, int k, const char *format, ...)
{
    if (bad.broke[0])
        return;
    char what[120];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    snprintf(bad.broke, sizeof bad.broke, "tick %lu, %s, actuator %d: %s", (unsigned long)c->tick,
             ifd_machine_name((ifd_machine)c->state), k, what);
}

/* Without commands: the positions are those of the last command, with zero velocity. */
static void check_nothing(const ifd_command *c, int k)
{
    if (c->position[k] != bad.p[k] || c->velocity[k] != 0.0)
        broke(c, k, "no command, and yet %.9g at %.3g after %.9g", c->position[k], c->velocity[k], bad.p[k]);
}

/* The first command is at the found position: within its scatter of the last measurement, inside the stroke. */
static void check_first(const ifd_command *c, int k)
{
    const ifd_limits *l = &bad.limits[k];
    double p = c->position[k], most = 0.005 * (l->high - l->low);
    bool returns = c->state == IFD_MACHINE_RETURN;
    if (c->state != IFD_MACHINE_READY && !returns)
        broke(c, k, "the first command comes in another state than ready or return");
    if ((!returns && (p < l->low || p > l->high)) || !(fabs(p - bad.said.position[k]) <= most) ||
        c->velocity[k] != 0.0)
        broke(c, k, "the first command is %.9g, measured %.9g", p, bad.said.position[k]);
}

/* After a trip: slower in every tick, in the same direction, and at rest in time. Rounding of a position is
 * permitted. */
static void check_brakes(const ifd_command *c, int k, double step, double a)
{
    double before = bad.w[k], tiny = 1e-9 * a;
    if (bad.state != IFD_MACHINE_TRIPPED)
        bad.braking[k] = (long)ceil(fabs(before) / a) + 1;
    if (fabs(step) > fabs(before) + tiny)
        broke(c, k, "faster after a trip: %.3e after %.3e m a tick", step, before);
    if (step * before < 0.0 && fabs(step) > tiny)
        broke(c, k, "turns round after a trip");
    if (bad.braking[k]-- <= 0 && fabs(step) > tiny)
        broke(c, k, "not at rest in time after a trip: %.3e m a tick", step);
}

/* A ramp that is stopped: its parameter advances by B (x - x^3 + x^4/2) within t = x B (specification of a stop). */
static double slowed(long ticks)
{
    double x = fmin((double)ticks * bad.dt / bad.brake, 1.0);
    return bad.brake * x * (1.0 + x * x * (0.5 * x - 1.0));
}

static double quintic(double t)
{
    double x = fmin(t / bad.ramp_in, 1.0);
    return x * x * x * (10.0 - x * (15.0 - 6.0 * x));
}

/* m per tick: the first step of the ramp determines its path, and a command that a limit kept behind may catch up
 * with it, not pass it, or slows down from its own speed. The first step is rounded to 1e-9 or better. */
static double most_on_ramp(int k)
{
    double last = (double)bad.ramped * bad.dt, now = slowed(bad.slowing), before = slowed(bad.slowing - 1);
    double far = bad.distance[k], behind = fabs(bad.origin[k] + far * quintic(last + before) - bad.p[k]);
    double path = fabs(far) * (quintic(last + now) - quintic(last + before) + 1e-8);
    double braked = fabs(bad.w[k]) - bad.limits[k].acceleration * bad.dt * bad.dt; /* no limit permits less */
    return bad.ramped > 0 ? fmax(fmax(path + behind, braked), bad.entry[k] * (now - before) / bad.dt) : 0.0;
}

/* In the first command of ramp-out. B = 5 v/A, the longest of all actuators, at least four ticks. */
static void leave_ramp(const ifd_command *c)
{
    bad.slowing = bad.state == IFD_MACHINE_RAMP_IN && bad.ramp_in > 0.0 ? 0 : -1;
    bad.brake = 4.0 * bad.dt;
    for (uint32_t k = 0; k < c->actuators; k++) {
        bad.entry[k] = fabs(bad.w[k]);
        bad.brake = fmax(bad.brake, 5.0 * bad.entry[k] / (bad.dt * bad.limits[k].acceleration));
    }
}

/* m per tick: the fastest motion of ramp-out. */
static double most_in_ramp_out(int k)
{
    double creep = bad.creep * bad.limits[k].velocity * bad.dt * (1.0 + 1e-9);
    double before = bad.slowing < 0 ? 1.4 * bad.fastest[k] : most_on_ramp(k) * (1.0 + 1e-6);
    return fmax(creep, before);
}

static void check_motion(const ifd_command *c, int k)
{
    const ifd_limits *l = &bad.limits[k];
    double p = c->position[k], step = p - bad.p[k], tiny = 4e-16 * (fabs(p) + l->high - l->low);
    double v = l->velocity * bad.dt, a = l->acceleration * bad.dt * bad.dt;
    bool inside = bad.p[k] >= l->low && bad.p[k] <= l->high;
    if (inside && (p < l->low || p > l->high))
        broke(c, k, "position %.9g outside [%g, %g]", p, l->low, l->high);
    if (fabs(step) > v * (1.0 + 1e-9) + tiny)
        broke(c, k, "velocity %.6g above %g", fabs(step) / bad.dt, l->velocity);
    if (fabs(step - bad.w[k]) > a * (1.0 + 1e-6) + 4.0 * tiny)
        broke(c, k, "acceleration %.6g above %g", fabs(step - bad.w[k]) / (bad.dt * bad.dt), l->acceleration);
    if (c->state == IFD_MACHINE_TRIPPED && !bad.linked)
        check_brakes(c, k, step, a);
    if (c->state != IFD_MACHINE_RAMP_OUT)
        bad.fastest[k] = fmax(bad.fastest[k], fabs(step));
    else if (bad.creep > 0.0 && !(fabs(step) <= most_in_ramp_out(k) + tiny))
        broke(c, k, "ramp-out at %.6g, which is no creeping, after %.6g", fabs(step) / bad.dt,
              fabs(bad.w[k]) / bad.dt);
}

static void look(const ifd_command *c)
{
    bad.rest = true;
    if (c->state == IFD_MACHINE_RAMP_OUT && bad.state != IFD_MACHINE_RAMP_OUT)
        leave_ramp(c);
    bad.slowing += c->state == IFD_MACHINE_RAMP_OUT && bad.slowing >= 0;
    for (uint32_t k = 0; k < c->actuators; k++) {
        bool still = !c->commanded || !bad.commanded;
        if (!isfinite(c->position[k]) || !isfinite(c->velocity[k]))
            broke(c, (int)k, "%g m at %g m/s", c->position[k], c->velocity[k]);
        if (!c->commanded)
            check_nothing(c, (int)k);
        else if (!bad.commanded)
            check_first(c, (int)k);
        else
            check_motion(c, (int)k);
        bad.w[k] = still ? 0.0 : c->position[k] - bad.p[k];
        bad.p[k] = c->position[k];
        bad.rest = bad.rest && bad.w[k] == 0.0;
    }
    if (c->commanded && c->state == IFD_MACHINE_IDLE)
        broke(c, 0, "idle, and yet commanded");
    if (c->commanded && !(bad.said.inputs & IFD_INPUT_HYDRAULICS))
        broke(c, 0, "commanded with the hydraulics off");
    if (c->state != IFD_MACHINE_RAMP_OUT)
        bad.ramped = c->state == IFD_MACHINE_RAMP_IN && !bad.rest ? bad.ramped + 1 : 0; /* of this part of a ramp */
    for (uint32_t k = 0; k < c->actuators && c->state == IFD_MACHINE_RAMP_IN && bad.ramped == 1; k++) {
        bad.origin[k] = bad.p[k] - bad.w[k];
        bad.distance[k] = bad.ramp_in > 0.0 ? bad.w[k] / quintic(bad.dt) : 0.0;
    }
    bad.commanded = c->commanded;
    bad.outputs = c->outputs;
    bad.state = c->state;
    bad.commands++;
}

static void command(ifd_rig *r, const ifd_command *c, double *x)
{
    const trouble *t = &bad.t;
    ifd_command moved = *c;
    const watcher_command seen = {.tick = c->tick,
                                  .state = c->state,
                                  .heartbeat = c->heartbeat,
                                  .channels = c->actuators,
                                  .commanded = c->commanded,
                                  .position = c->position,
                                  .velocity = c->velocity};
    watcher_see(&bad.eye, &seen);
    look(c);
    if (!(bad.broken && t->deaf))
        bad.heard = c->tick;
    if (bad.broken && t->weak > 0.0)
        moved.position[t->who] = fmax(bad.held - t->weak, fmin(bad.held + t->weak, moved.position[t->who]));
    if (bad.broken)
        moved.position[t->who] -= t->place;
    ifd_virtual_rig.command(r, &moved, x);
}

/* Even in -1 to 1, without a state. */
static double noise(uint64_t n)
{
    n = (n + 1) * 0x9e3779b97f4a7c15u;
    n = (n ^ (n >> 30)) * 0xbf58476d1ce4e5b9u;
    return (double)((n ^ (n >> 27)) >> 11) * 0x1p-52 - 1.0;
}

/* The sensors and wires of one actuator. */
static void spoil(ifd_measure *m, double dt)
{
    const trouble *t = &bad.t;
    double *position = &m->position[t->who], *force = &m->force[t->who];
    if (t->stuck)
        *position = bad.stuck_at;
    if (t->force_stuck)
        *force = bad.force_at;
    *position += t->place + t->position + t->drift * dt * (double)bad.since;
    *force = *force * (t->gain != 0.0 ? t->gain : 1.0) + t->force;
    *force *= exp(-t->fade * dt * (double)bad.since);
    if (t->dead > 0.0)
        *force = t->dead * noise((uint64_t)bad.senses);
    if (t->specimen != 0.0)
        m->auxiliary[0] += t->specimen * dt * (double)bad.since;
    m->inputs = (m->inputs | t->set) & ~t->clear;
}

/* The tick that a rig acknowledges, by its fault. */
static uint64_t acknowledged(void)
{
    switch (bad.broken ? bad.t.ack : ACK_FINE) {
    case ACK_ZERO:
        return 0;
    case ACK_STAYS:
        return bad.heard_at;
    case ACK_MINUS_ONE:
        return UINT64_MAX;
    case ACK_AHEAD:
        return bad.heard + 1000;
    case ACK_HUGE:
        return (uint64_t)1 << 62;
    case ACK_BACKWARDS:
        return bad.heard_at > (uint64_t)bad.since ? bad.heard_at - (uint64_t)bad.since : 0;
    case ACK_AHEAD_EACH_SECOND:
        return bad.heard + (bad.since % 2 ? 1000 : 0);
    case ACK_ZERO_EACH_SECOND:
        return bad.since % 2 ? 0 : bad.heard;
    default:
        return bad.heard;
    }
}

static bool sense(ifd_rig *r, ifd_measure *out, double *x)
{
    ifd_measure m = *out;
    bool fresh = ifd_virtual_rig.sense(r, &m, x) || bad.commands == 0; /* hardware measures without commands */
    bad.senses++;
    bad.since += bad.broken;
    m.tick = acknowledged();
    if (bad.broken) {
        spoil(&m, r->tick);
        if (bad.t.silent)
            return false;
    }
    ifd_measure now = m;
    if (bad.broken && ((bad.t.twice && bad.since % 2 == 0) || (bad.t.swapped && bad.since % 2 == 1)))
        m = bad.t.twice ? bad.said : bad.before[1];
    bad.before[1] = bad.before[0];
    bad.before[0] = now;
    bad.said = *out = m;
    watcher_said(&bad.eye, r->actuators, m.position, m.inputs & IFD_INPUT_HYDRAULICS);
    return fresh;
}

void bad_rig_init(void)
{
    memset(&bad, 0, sizeof bad);
    bad.ops = ifd_virtual_rig;
    bad.ops.sense = sense;
    bad.ops.command = command;
}

void bad_rig_watch(const ifd_hybrid *h)
{
    bad.dt = ifd_hybrid_period(h);
    for (int k = 0; k < ifd_hybrid_actuators(h); k++)
        ifd_hybrid_rig_limits(h, k, &bad.limits[k]);
}

void bad_rig_break(const trouble *t)
{
    bad.t = *t;
    bad.broken = true;
    bad.since = 0;
    bad.held = bad.p[t->who];
    bad.heard_at = bad.heard;
    bad.stuck_at = bad.said.position[t->who];
    bad.force_at = bad.said.force[t->who];
}

void bad_rig_repair(void)
{
    bad.broken = false;
}
