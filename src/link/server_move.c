/* SPDX-License-Identifier: MIT */
/* Moves the served rig inside its limits, and stops it. */
#include <math.h>

#include "link/server.h"
#include "rig/limits.h"
#include "rig/rig.h"
#include "base/os_linux.h"

/* Ticks without a command that continue with the last velocity: one datagram lost and one late. */
enum { BRIDGED = 2 };
/* ns between greeting and first command: set-up of the test and checks by the operator. */
static const int64_t patience = 30000000000;
/* ns, shortest watchdog in lockstep: without a clock nothing moves meanwhile, and the test can be slow. */
static const int64_t lockstep_patience = 1000000000;

void ifd__server_limits(ifd_rig_server *s)
{
    for (int k = 0; k < s->o.actuators; k++) {
        const ifd_limits *l = &s->o.limits[k];
        s->now[k] = s->bounds[k] = ifd__limits_bounds(l, s->o.tick);
        s->match[k] = isfinite(l->tracking) ? l->tracking : IFD__FIRST_MATCH * (l->high - l->low);
        s->watched[k] = *l;
        s->watched[k].low -= IFD__STROKE_MARGIN * (l->high - l->low);
        s->watched[k].high += IFD__STROKE_MARGIN * (l->high - l->low);
    }
}

bool ifd__server_at_rest(const ifd_rig_server *s)
{
    bool rest = true;
    for (int k = 0; k < s->rig.actuators; k++)
        rest = rest && s->g[k].w == 0.0;
    return rest;
}

void ifd__server_stop(ifd_rig_server *s, ifd_rig_stop why)
{
    if (!ifd__server_serves(s))
        return;
    s->report.state = IFD_RIG_SERVER_STOPPED;
    s->told = 0;
    s->report.stop = why;
    s->report.stops++;
    s->report.why = ifd__rig_why(&s->rig);
    s->lockstep = false; /* it brakes by its clock */
    s->due = ifd__clock_now() + s->period;
}

static void inspect_channel(ifd_rig_server *s, int k)
{
    double p = s->measure.position[k], f = s->measure.force[k];
    const ifd__limit *rows = ifd__limit_rows;
    ifd_limits l = s->watched[k];
    double edge;
    l.low += s->now[k].low - s->bounds[k].low;
    l.high += s->now[k].high - s->bounds[k].high;
    if (!isfinite(p) || !isfinite(f))
        ifd__server_stop(s, IFD_RIG_STOP_NOT_FINITE);
    else if (ifd__limit_broken(&rows[IFD__SEEN_POSITION], &l, p, &edge))
        ifd__server_stop(s, IFD_RIG_STOP_POSITION);
    else if (ifd__limit_broken(&rows[IFD__SEEN_FORCE], &l, f, &edge))
        ifd__server_stop(s, IFD_RIG_STOP_FORCE);
}

/* Measurements before the first command determine the position and stop nothing: the rig can be outside its stroke,
 * and a sensor can start with invalid values. */
static void inspect(ifd_rig_server *s)
{
    const uint32_t needed = IFD_INPUT_NO_STOP | IFD_INPUT_HYDRAULICS;
    const uint32_t beside = IFD_INPUT_START | (s->leads ? 0u : (uint32_t)IFD_INPUT_UNPOWERED);
    if (s->armed && (s->measure.inputs & ~beside) != needed)
        ifd__server_stop(s, s->measure.inputs & IFD_INPUT_RIG_STOPPED ? IFD_RIG_STOP_RIG : IFD_RIG_STOP_INPUTS);
    for (int k = 0; k < s->rig.actuators && s->leads; k++)
        inspect_channel(s, k);
}

void ifd__server_watch(ifd_rig_server *s)
{
    int64_t silence = ifd__clock_now() - s->heard, most = s->watchdog;
    if (s->lockstep && most < lockstep_patience)
        most = lockstep_patience;
    if (s->report.state == IFD_RIG_SERVER_SERVES && s->commanded && silence > most) {
        if (s->elastic)
            s->report.state = IFD_RIG_SERVER_WAITING;
        else
            ifd__server_stop(s, IFD_RIG_STOP_WATCHDOG);
    }
    if (s->report.state == IFD_RIG_SERVER_WAITING && silence > s->give_up)
        ifd__server_stop(s, IFD_RIG_STOP_WATCHDOG);
    if (s->report.state == IFD_RIG_SERVER_SERVES && !s->commanded && silence > patience)
        ifd__server_release(s, IFD_RIG_STOP_WATCHDOG);
    if (s->report.state == IFD_RIG_SERVER_STOPPED && silence > ifd__server_freed(s, most) && ifd__server_at_rest(s))
        ifd__server_release(s, IFD_RIG_STOP_WATCHDOG);
}

bool ifd__server_sense(ifd_rig_server *s)
{
    ifd_measure m = s->measure;
    bool fresh = ifd__rig_sense(&s->rig, &m, s->x);
    s->measure.inputs = m.inputs; /* it can stop without a measurement */
    if (!fresh) {
        if (s->armed && (m.inputs & IFD_INPUT_RIG_STOPPED))
            ifd__server_stop(s, IFD_RIG_STOP_RIG);
        return false;
    }
    s->measure = m;
    ifd__server_add_sample(s);
    inspect(s);
    return true;
}

/* Position of channel k at the end of this tick; false: no command. */
static bool wanted(const ifd_rig_server *s, int k, double *position, double *step)
{
    bool led = ifd__server_serves(s) && s->armed && s->target.word != IFD_MACHINE_IDLE && s->target.commanded;
    if (s->elastic) {
        *position = s->followed[k];
        *step = s->followed[k] - s->last_followed[k];
        return led;
    }
    *step = s->target.b[k] * s->bounds[k].dt;
    *position = s->target.a[k] + s->missed * *step;
    return led && s->missed <= BRIDGED;
}

/* The positions of this tick, and the tick of the command that they reach; 0: none. */
static uint64_t follow(ifd_rig_server *s)
{
    for (int k = 0; k < s->rig.actuators; k++)
        s->last_followed[k] = s->followed[k];
    return ifd__follower_move(&s->follower, s->followed);
}

static void move_channel(ifd_rig_server *s, int k)
{
    double position, step;
    if (!wanted(s, k, &position, &step))
        (void)ifd__governor_brake(&s->now[k], &s->g[k]);
    else if (!ifd__governor_step(&s->now[k], position, step, &s->g[k]))
        s->report.governed++;
    s->now[k].low = fmin(s->bounds[k].low, s->g[k].p); /* a position outside never moves outward again */
    s->now[k].high = fmax(s->bounds[k].high, s->g[k].p);
    s->command.position[k] = s->g[k].p;
    s->command.velocity[k] = s->g[k].w / s->bounds[k].dt;
}

/* Without a test, commands end when the rig is at rest, or immediately without pressure. A rig that stopped by itself
 * is held until its test has ended. */
static void rest(ifd_rig_server *s)
{
    bool served = ifd__server_serves(s) && s->target.commanded;
    bool held = s->report.state == IFD_RIG_SERVER_STOPPED, pressure = s->measure.inputs & IFD_INPUT_HYDRAULICS;
    if (s->leads && (!pressure || (!served && !held && ifd__server_at_rest(s))))
        ifd__server_let_go(s);
}

/* Pressure of a test that no longer leads the rig is kept with the power of its drives, so that the specimen stays as
 * it is. It ends with the requests of the test, in idle, by the emergency stop and when it is lost; its return then
 * starts nothing. The next test inherits it: its connection alone releases no specimen. From its arming on, or when
 * it ends a request, its own requests count. */
static uint32_t pressure(ifd_rig_server *s, bool led)
{
    const uint32_t both = IFD_OUTPUT_LOW | IFD_OUTPUT_HIGH, needed = IFD_INPUT_NO_STOP | IFD_INPUT_HYDRAULICS;
    bool may = ifd__server_allowed(s);
    uint32_t asked = s->target.outputs & both;
    if (led && may) {
        s->inherited = s->inherited && !s->armed && !(s->asked & ~asked);
        s->asked = asked;
        if (!s->inherited)
            return asked;
    }
    bool idle = s->target.word == IFD_MACHINE_IDLE && !s->inherited;
    if (!s->powered || idle || (s->measure.inputs & needed) != needed)
        return 0;
    return s->pressure &
           (s->news && may && !s->inherited ? s->target.outputs : both); /* a stopped rig still hears `off` */
}

/* Drives have power from the first commanded position on, also after the end of the test: the specimen stays as it
 * is. A test that was armed takes it back in idle (reset) and tripped (power-off). */
static uint32_t outputs(ifd_rig_server *s, bool led)
{
    uint32_t told = led && ifd__server_allowed(s) ? s->target.outputs : 0;
    bool asked = told & IFD_OUTPUT_ENABLE;
    bool back =
        led && s->armed && !asked && (s->target.word == IFD_MACHINE_IDLE || s->target.word == IFD_MACHINE_TRIPPED);
    s->powered = (s->powered || (s->leads && asked)) && !back;
    s->pressure = pressure(s, led);
    told = (told & ~(uint32_t)(IFD_OUTPUT_BEAT | IFD_OUTPUT_LOW | IFD_OUTPUT_HIGH)) | s->pressure |
           (s->powered ? IFD_OUTPUT_ENABLE : 0u);
    /* The beat is that of the process that leads the rig: it does not freeze with the messages of a test. */
    bool beats = (led && ifd__server_allowed(s)) || s->powered;
    return beats && (s->command.heartbeat & 1) ? told | IFD_OUTPUT_BEAT : told;
}

/* The state in the commands of the rig: that of the test, or of the server without one. Before positions are
 * commanded nothing runs, whatever the state of the test. */
static uint32_t state_of(const ifd_rig_server *s, bool led)
{
    static const uint32_t own[] = {IFD_MACHINE_IDLE, IFD_MACHINE_HOLD, IFD_MACHINE_TRIPPED, IFD_MACHINE_HOLD};
    uint32_t word = led ? s->target.word : own[s->report.state];
    return s->leads || word == IFD_MACHINE_TRIPPED ? word : (uint32_t)IFD_MACHINE_IDLE;
}

void ifd__server_move(ifd_rig_server *s)
{
    s->missed = s->news ? 0 : s->missed + 1;
    if (s->armed && !s->news && s->report.state == IFD_RIG_SERVER_SERVES)
        s->report.bridged++;
    uint64_t reached = s->elastic && s->armed ? follow(s) : 0;
    for (int k = 0; k < s->rig.actuators && s->leads; k++)
        move_channel(s, k);
    rest(s);
    s->command.tick++;
    s->command.heartbeat++;
    s->command.time += s->o.tick;
    s->command.actuators = (uint32_t)s->rig.actuators;
    bool led = s->report.state == IFD_RIG_SERVER_SERVES && s->commanded;
    s->command.state = state_of(s, led);
    s->command.commanded = s->leads; /* otherwise the rig keeps its last position, or remains unpowered */
    s->command.outputs = outputs(s, led);
    ifd__rig_command(&s->rig, &s->command, s->x);
    if (reached > 0 && ifd__server_serves(s))
        s->applied = reached;
    else if (s->news && s->report.state == IFD_RIG_SERVER_SERVES && !(s->elastic && s->armed))
        s->applied = s->target.tick;
    s->news = false;
    s->report.rest = ifd__server_at_rest(s);
}
