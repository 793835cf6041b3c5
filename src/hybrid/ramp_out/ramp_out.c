/* SPDX-License-Identifier: MIT */
/* Brake, unloading, rest and motion of a ramp-out: ramp_out.h. */
#include "hybrid/ramp_out/ramp_out.h"

#include <math.h>

#include "hybrid/force_control.h"
#include "hybrid/observe.h"
#include "hybrid/orders.h"
#include "rig/quintic.h"

/* Phases. ALONG: the brake of a ramp-in on its path; HALT: the brake at the end of unloading. */
enum { BRAKE, REST, MOVE, UNLOAD, HALT, RELEASE, DONE, ALONG };

/* Brake. A cubic of the velocity from (v, a) to rest in T has accelerations up to 1.5 v/T in addition to those due to
 * a. With 2.1 v/A the sum is below A for every accelerating a up to A. For a decelerating a, 1.6 v/A is sufficient,
 * which is less than required by jerk. The initial jerk is 4 a/T + 6 v/T^2; twice that of a run with A and V >= v
 * (A^2/V) is permitted for each term. */
static const double brake_speeding = 2.1, brake_jerk = 2.0, brake_curve = 3.0;
static const double shorten = 0.7; /* factor on the duration of a brake that would end outside the stroke */
enum { SHORTENINGS = 8 };
/* Least jerk: peaks of velocity, acceleration and jerk over d/T, d/T^2 and d/T^3 (15/8, 10/sqrt(3), 60). */
static const double quintic_velocity = 1.875, quintic_acceleration = 5.7735026918962576451, quintic_jerk = 60.0;
/* Rest. The force has settled after this number of lags, at least `settle`. The wait is longer while the force
 * changes by this fraction between its fast and its slow mean, or by this number of standard deviations. It must be
 * constant for a time; a force that oscillates permanently ends the wait. */
static const double settling_lags = 8.0, slow_mean = 0.2 /* s */, changing = 0.02, settled_for = 0.3 /* s */,
                    longest_rest = 5.0 /* s */;
static const double there_and_back = 2.0; /* sign changes of an oscillation; a single one: reversed load cell */
/* Dead band: this number of standard deviations of the noise, plus this fraction of the largest force of the test,
 * which is below the resolution of load cells. Unloading ends at half of it, or after `longest_rest` inside it: a
 * specimen that starts to slip there changes its force by too little for a new secant. */
static const double band_noise = 3.0, band_peak = 0.002, band_end = 0.5;
/* Unload. T over the lag: e avoids overshoot past zero. The larger value tolerates a stiffness of 5/e = 1.8 times the
 * assumed one, and interacting interfaces. The engaging gain and the decay accelerate with 2.5 F/(k T^2), two thirds
 * of A; the remainder is for noise. */
static const double tightness = 5.0, tightness_each = 3.0, engage = 3.75, shortest_tight = 0.1 /* s */;
/* While a force decays with T, the inertia force of a mass m is m/(k T^2) of it: one thirtieth. */
static const double inertia = 30.0;
/* Smoothing time t of the measured force: factor on the lag; minimum; bound by noise s, which changes the speed by s
 * dt/(t k T) per tick and accelerates by A/3 at four standard deviations: t T k A = 12 s, T at least 5 t; maximum. */
static const double smooth_lag = 0.25, smooth_ticks = 4.0, smooth_noise = 2.4;
/* The stiffness is reduced if the force should have changed by this many segments, and did change significantly. */
static const double overdue = 3.0;
/* A segment of unloading: the force changed by this fraction of its initial value, and by twice the significant
 * change. The error of its secant is then at most one half. */
static const double piece = 0.05, twice = 2.0;
/* Part of the change of force due in the first travel (ifd__due_change) that must be seen. With a third, 2 of 38
 * sound specimens (ramp_out.unloading) are taken for stuck load cells: they begin to unload four times softer. */
static const double answered = 1.0 / 6.0;
/* The gain engages within T, or within this number of T if no motion has shown the stiffness: the estimate can be
 * that of a slipping specimen, 1/50 of its unloading stiffness. A gain of 3 (t/nT)^2 has removed one segment when
 * (t/T)^3 = n^2/1000. After T more, when the stiffness is known, 50 times the gain must be below tightness/e = 1.84:
 * n is at least 15. */
static const double engage_unknown = 20.0;
/* A force that increases by this fraction is not unloaded. If no motion has shown the stiffness, a motion by this
 * fraction of the stroke must change the force. */
static const double grown = 0.05, unshown_stroke = 0.01;
/* s of ramp-out after which unloading is abandoned, in addition to this multiple of the travel time at the speed of
 * ramp-out and of the time of a controlled force at its rate. With a small acceleration T is sqrt(3.75 travel/A):
 * engaging takes T, the force ends after 2 T. A stiffness that no motion has shown is found in 3 T before; this is so
 * after a reset, when A is the least one. */
static const double longest_travel = 25.0, travel_times = 2.0, unloading_times = 6.0;
/* Deviation of a controlled force from its target, as a fraction of the released force: not in control. */
static const double astray = 0.2, astray_tolerance = 5.0;

static double range(const ifd_hybrid *h, int k)
{
    return h->interface[k].bounds.high - h->interface[k].bounds.low;
}

static int phase_of(const ifd_hybrid *h, int k)
{
    return (int)ifd__out(h, k)->phase;
}

static void enter(ifd_hybrid *h, int k, int phase)
{
    ifd__unloading *out = ifd__out(h, k);
    out->phase = phase;
    out->time = 0.0;
}

/* Whether a motion has shown the stiffness. */
static bool shown(const ifd_hybrid *h, int k)
{
    return h->each[k]->seen.stiffness > 0.0;
}

/* T over the lag. */
static double lags_of_unloading(const ifd_hybrid *h)
{
    int count = 0;
    for (int k = 0; k < h->interfaces; k++)
        count += !h->interface[k].o->force;
    return fmax(tightness, tightness_each * count);
}

/* s in which the smoothed force follows. During unloading the noise is that at its start: T depends on it, and with a
 * noise that is still being estimated the speed F/(k T) would jump. */
static double smoothing(const ifd_hybrid *h, int k)
{
    ifd__unloading *out = ifd__out(h, k);
    bool unloads = phase_of(h, k) == UNLOAD;
    double stiffness = unloads ? out->stiffness : ifd__observed_stiffness(&h->io, k);
    double force = unloads ? out->noise : ifd__observed_force_noise(&h->io, k);
    double noise = force / (stiffness * ifd__observed_acceleration(&h->io, k));
    double calm = stiffness > 0.0 ? fmin(sqrt(smooth_noise * noise), IFD__LONGEST_MEAN) : 0.0;
    double q = h->each[k]->seen.step_f, longest = IFD__SLIPPING_MEAN * tightness / lags_of_unloading(h);
    if (unloads)
        calm = fmax(calm, fmax(ifd__supervising_time(out->began, force, q, shown(h, k), h->period),
                               ifd__slipping_time(out->began, force, q, longest, h->period)));
    return fmax(fmax(smooth_ticks * h->period, smooth_lag * ifd__observed_lag(&h->io, k)), calm);
}

static double smoothed(const ifd_hybrid *h, double noise, double time)
{
    return noise * sqrt(h->period / (2.0 * time));
}

static double dead_band(const ifd_hybrid *h, int k)
{
    return fmax(band_noise * ifd__observed_force_noise(&h->io, k), band_peak * h->each[k]->seen.peak_f);
}

/* N: smaller forces cannot be unloaded, as the load cell does not resolve the change. */
static double least_supervised(const ifd_hybrid *h, int k)
{
    double noise = smoothed(h, ifd__observed_force_noise(&h->io, k), IFD__LONGEST_MEAN);
    return ifd__supervisable(ifd__certain_change(noise, h->each[k]->seen.step_f), shown(h, k));
}

/* N, m: significant change of the smoothed force and of the smoothed position. */
static double certain_force(const ifd_hybrid *h, int k)
{
    double noise = smoothed(h, ifd__observed_force_noise(&h->io, k), smoothing(h, k));
    return fmax(ifd__certain_change(noise, h->each[k]->seen.step_f), band_peak * fabs(ifd__out(h, k)->began));
}

static double certain_position(const ifd_hybrid *h, int k)
{
    double noise = smoothed(h, ifd__observed_position_noise(&h->io, k), smooth_ticks * h->period);
    return ifd__certain_change(noise, h->each[k]->seen.step_x);
}

static void plan_brake(ifd_hybrid *h, int k, int phase, double a)
{
    ifd__unloading *out = ifd__out(h, k);
    double A = ifd__observed_acceleration(&h->io, k), p = h->each[k]->command;
    a = fmax(-A, fmin(a, A));
    double v = h->each[k]->step / h->period + 0.5 * a * h->period; /* the velocity of the step is half a tick old */
    double V = fmax(h->each[k]->seen.peak_v, fabs(v));
    double T = fmax(a * v < 0.0 ? 0.0 : brake_speeding * fabs(v) / A, brake_jerk * fabs(a) * V / (A * A));
    T = fmax(fmax(T, sqrt(brake_curve * fabs(v) * V) / A), 2.0 * h->period);
    for (int i = 0; i < SHORTENINGS; i++) {
        double end = p + T * (0.5 * v + a * T / 12.0);
        if (end >= h->interface[k].bounds.low && end <= h->interface[k].bounds.high)
            break;
        T *= shorten;
    }
    enter(h, k, phase);
    out->length = T;
    out->p = p;
    out->v = v;
    out->a = a;
}

static double braking(const ifd_hybrid *h, int k, double t)
{
    ifd__unloading *out = ifd__out(h, k);
    double T = out->length, s = fmin(t / T, 1.0);
    return out->p + T * (out->v * s * (1.0 + s * s * (-1.0 + 0.5 * s)) +
                         out->a * T * s * s * (0.5 + s * (-2.0 / 3.0 + 0.25 * s)));
}

static void plan_move(ifd_hybrid *h, int k, double end)
{
    ifd__unloading *out = ifd__out(h, k);
    double p = h->each[k]->command, d = fabs(end - p), A = ifd__observed_acceleration(&h->io, k);
    enter(h, k, MOVE);
    out->p = p;
    out->end = end;
    double V = h->each[k]->seen.peak_v, least = cbrt(quintic_jerk * d * V / (brake_jerk * A * A));
    out->length = fmax(fmax(h->period, least),
                       fmax(quintic_velocity * d / h->interface[k].creep, sqrt(quintic_acceleration * d / A)));
}

static double moving(const ifd_hybrid *h, int k, double t)
{
    ifd__unloading *out = ifd__out(h, k);
    double s = t / out->length;
    return s < 1.0 ? ifd__rest_to_rest(out->p, out->end, s) : out->end; /* exact end */
}

/* A ramp-in slows down on its path: with s = t/B its parameter advances by B (s - s^3 + s^4/2), at the rate
 * r = 1 - 3 s^2 + 2 s^3, in all B/2. r' is at most 1.5/B: with B = 5 v/A it adds 0.3 A to the acceleration. The path
 * ends at the target, so that no brake passes it. */
static const double along_brake = 5.0, along_ticks = 4.0;

static double slowed(double t, double B)
{
    double s = fmin(t / B, 1.0);
    return B * s * (1.0 + s * s * (0.5 * s - 1.0));
}

static double along(const ifd_hybrid *h, int k, double t)
{
    const ifd__orders *o = h->orders;
    const ifd__unloading *out = ifd__out(h, k);
    double from = out->p, to = out->end;
    return ifd__rest_to_rest(from, to, (o->along + o->along_rate * slowed(t, out->length)) / h->opt.ramp_in);
}

void ifd__ramp_out_leave_ramp(ifd_hybrid *h)
{
    double B = along_ticks * h->period;
    h->orders->along = h->test->state_time;
    h->orders->along_rate = h->ramps / h->period;
    for (int k = 0; k < h->interfaces; k++)
        if (!h->interface[k].o->force)
            B = fmax(B, along_brake * fabs(h->each[k]->step) / (h->period * h->interface[k].bounds.acceleration));
    for (int d = 0; d < h->drives; d++)
        for (int j = 0; j < h->drive[d].o->drive.actuators; j++)
            B = fmax(B, along_brake * fabs(ifd__actuator_of(h, &h->drive[d], j)->step) /
                            (h->period * h->drive[d].bounds[j].acceleration));
    h->orders->along_brake = B;
    for (int k = 0; k < h->interfaces; k++) {
        ifd__unloading *out = ifd__out(h, k);
        out->p = ifd__ramps_from(h, k);
        out->end = h->each[k]->to_u;
    }
}

/* Brake of a ramp-in. A command that a limit keeps behind its path comes to rest where it is, before the target. One
 * at rest stays there: the path may be that of a correction which a preload has planned in this tick. */
static void brake_ramp(ifd_hybrid *h, int k)
{
    ifd__unloading *out = ifd__out(h, k);
    const ifd__interface_state *s = h->each[k];
    double B = h->orders->along_brake, left = fabs(out->end - s->command), v = s->step / h->period;
    enter(h, k, ALONG);
    out->length = B;
    if (s->step != 0.0 && fabs(along(h, k, 0.0) - s->command) <= fabs(s->step))
        return;
    enter(h, k, BRAKE);
    out->length = fmax(fmin(B, v != 0.0 ? 2.0 * left / fabs(v) : B), h->period);
    out->p = s->command;
    out->v = v;
    out->a = 0.0;
}

void ifd__ramp_out_begin(ifd_hybrid *h, int k)
{
    ifd__unloading *out = ifd__out(h, k);
    out->force = out->slow_force = h->each[k]->measured_f;
    out->x = h->each[k]->measured_x;
    out->speed = 0.0;
    if (h->orders->along_brake > 0.0 && !h->interface[k].o->force)
        brake_ramp(h, k);
    else
        plan_brake(h, k, BRAKE, ifd__observed_present(&h->io, k));
}

void ifd__ramp_out_braked(ifd_hybrid *h)
{
    bool braked = h->test->state == (double)IFD_MACHINE_RAMP_OUT;
    for (int k = 0; k < h->interfaces; k++)
        braked = braked && (h->interface[k].o->force || (phase_of(h, k) != BRAKE && phase_of(h, k) != ALONG));
    h->test->braked = braked ? h->test->braked + h->period : 0.0;
}

/* Planned motions end by their plan; unloading and releases are ended by watch_time, a kept force by its decay. */
static bool nears_end(const ifd_hybrid *h, int k)
{
    const ifd__unloading *out = ifd__out(h, k);
    switch (phase_of(h, k)) {
    case BRAKE:
    case ALONG:
    case MOVE:
        return h->interface[k].o->force && out->time == 0.0 ? !ifd__force_rests(h) : out->time <= out->length;
    case DONE:
        return false;
    default:
        return true;
    }
}

bool ifd__ramp_out_nears_end(const ifd_hybrid *h)
{
    bool any = false;
    for (int k = 0; k < h->interfaces; k++)
        any = any || nears_end(h, k);
    return any;
}

bool ifd__ramp_out_released(const ifd_hybrid *h)
{
    for (int k = 0; k < h->interfaces; k++)
        if (h->interface[k].o->force && !ifd__pushes(&h->interface[k]) &&
            (phase_of(h, k) != BRAKE || ifd__out(h, k)->time > 0.0))
            return true;
    return false;
}

/* End of a planned motion: next phase. */
static void arrive(ifd_hybrid *h, int k)
{
    ifd__unloading *out = ifd__out(h, k);
    ifd__interface_state *s = h->each[k];
    bool braked = phase_of(h, k) == BRAKE || phase_of(h, k) == ALONG, halted = phase_of(h, k) == HALT;
    if (braked && h->opt.ramp_out_end == IFD_RAMP_OUT_START && !ifd__orders_unload(h) && s->command != s->start)
        plan_move(h, k, s->start);
    else if ((braked || halted) && ifd__orders_unload(h) && !h->interface[k].o->force) {
        enter(h, k, REST);
        out->settled = 0.0;
        out->side = out->swings = 0.0;
    } else
        enter(h, k, DONE);
}

/* s, the time constant of unloading: long relative to twice the lag, and long enough for the acceleration and for a
 * mass with inertia in the load cell. */
static double tight(const ifd_hybrid *h, int k)
{
    ifd__unloading *out = ifd__out(h, k);
    double lag = ifd__observed_lag(&h->io, k) + smoothing(h, k) + 2.0 * h->period;
    double T = fmax(shortest_tight, lag * lags_of_unloading(h));
    double stiffness = out->stiffness, travel = fabs(out->force) / stiffness;
    T = fmax(T, sqrt(engage * travel / ifd__observed_acceleration(&h->io, k)));
    return fmax(T, sqrt(inertia * h->interface[k].o->mass / (h->interface[k].factor * stiffness)));
}

static void begin_unloading(ifd_hybrid *h, int k)
{
    ifd__unloading *out = ifd__out(h, k);
    double stiffness = ifd__observed_stiffness(&h->io, k), F = out->force;
    if (out->settled > 0.0) /* constant: the slow mean has less noise */
        out->force = F = out->slow_force;
    if (!(stiffness > 0.0))
        stiffness = fabs(F) / (unshown_stroke * range(h, k));
    enter(h, k, UNLOAD);
    out->began = out->mark_f = out->side = F;
    out->mark_x = out->same_x = out->from_x = out->end = out->x;
    out->stiffness = out->stiffness_goal = out->stiffness_known = stiffness;
    out->speed = out->gain = out->settled = 0.0;
    out->noise = ifd__observed_force_noise(&h->io, k);
}

/* Counts sign changes of the force beyond the noise. */
static void count_swings(ifd_hybrid *h, int k, double noise)
{
    ifd__unloading *out = ifd__out(h, k);
    if (!(fabs(out->force) > IFD__CERTAIN * noise))
        return;
    out->swings += (double)(out->force * out->side < 0.0);
    out->side = out->force;
}

/* At rest: whether a force must be unloaded. */
static void watch_rest(ifd_hybrid *h, int k)
{
    ifd__unloading *out = ifd__out(h, k);
    double F = out->force, noise = smoothed(h, ifd__observed_force_noise(&h->io, k), smoothing(h, k));
    double t = out->time, lags = settling_lags * ifd__observed_lag(&h->io, k);
    if (t <= 0.5 * lags) /* the actuator is still moving */
        out->slow_force = F;
    else
        count_swings(h, k, noise);
    if (t < fmax(h->opt.settle, lags))
        return;
    bool changes = fabs(F - out->slow_force) > fmax(IFD__CERTAIN * noise, changing * fabs(F));
    double *settled = &out->settled, least = least_supervised(h, k);
    *settled = changes ? 0.0 : *settled + h->period;
    bool swings = out->swings >= there_and_back, waited = t > longest_rest;
    if ((fabs(F) <= dead_band(h, k) && (!changes || waited)) || swings)
        enter(h, k, DONE);
    else if (*settled < settled_for && !waited)
        return;
    else if (fabs(out->slow_force) > least)
        begin_unloading(h, k);
    else {
        (void)ifd__fault_note(&h->faults, IFD_TRIP_NOT_UNLOADED, k, F, least, IFD_ACTION_NOTE);
        enter(h, k, DONE);
    }
}

/* The next speed of unloading. */
static void unload(ifd_hybrid *h, int k)
{
    ifd__unloading *out = ifd__out(h, k);
    double F = out->force, T = tight(h, k), *stiffness = &out->stiffness;
    double band = dead_band(h, k);
    out->settled = fabs(F) <= band ? out->settled + h->period : 0.0;
    if (fabs(F) <= band_end * band || out->settled > longest_rest || signbit(F) != signbit(out->began)) {
        plan_brake(h, k, HALT, ifd__observed_present(&h->io, k));
        return;
    }
    *stiffness += (out->stiffness_goal - *stiffness) * h->period / (T + h->period);
    double slow = shown(h, k) ? 1.0 : engage_unknown;
    double gain = fmax(out->gain, ifd__smoothstep(out->time / (slow * T))), creep = h->interface[k].creep;
    out->gain += fmin(gain - out->gain, 2.0 * h->period / T);
    out->speed = fmax(-creep, fmin(-out->gain * F / (*stiffness * T), creep));
}

/* Commands `target` within the governor; returns whether it was reached. */
static bool command(ifd_hybrid *h, int k, double target, double step)
{
    ifd__governed g = {h->each[k]->command, h->each[k]->step};
    bool met = ifd__governor_step(&h->interface[k].bounds, target, step, &g);
    ifd__hybrid_command(h, k, g);
    return met;
}

static double inside(const ifd_hybrid *h, int k, double p)
{
    return fmax(h->interface[k].bounds.low, fmin(p, h->interface[k].bounds.high));
}

static void go_on(ifd_hybrid *h, int k, double (*place)(const ifd_hybrid *, int, double), double tick)
{
    ifd__unloading *out = ifd__out(h, k);
    double t = out->time, last = t - tick, now = inside(h, k, place(h, k, t));
    double before = inside(h, k, place(h, k, last)); /* zero velocity at a limit */
    bool over = last >= out->length;                 /* the step to its end was commanded */
    if (command(h, k, now, now - before) && over && h->each[k]->step == 0.0)
        arrive(h, k);
}

/* s, duration of the release of a controlled force. */
static double release_time(const ifd_hybrid *h, int k)
{
    double began = fabs(ifd__out(h, k)->began);
    return fmax(h->opt.ramp_in, quintic_velocity * began / h->interface[k].o->force->rate);
}

/* Moves the controlled force of interface k to zero by its loop, as smoothly as in ramp-in. */
static void release(ifd_hybrid *h, int k)
{
    ifd__unloading *out = ifd__out(h, k);
    if (out->time <= h->period)
        out->began = h->each[k]->force_target + ifd__push_led(&h->io, k);
    double s = fmin(out->time / release_time(h, k), 1.0);
    double target = out->began * (1.0 - ifd__rest_to_rest(0.0, 1.0, s));
    if (ifd__force_step(h, k, ifd__push_lag(&h->io, k, target)) && s == 1.0 && !ifd__push_swings(&h->io, k))
        plan_brake(h, k, HALT, 0.0);
}

bool ifd__ramp_out_step(ifd_hybrid *h, int k)
{
    ifd__unloading *out = ifd__out(h, k);
    ifd__interface_state *s = h->each[k];
    if (h->interface[k].o->force && phase_of(h, k) == BRAKE && out->time == 0.0) { /* its release begins */
        plan_brake(h, k, BRAKE, 0.0);
        if (ifd__orders_unload(h) || ifd__pushes(&h->interface[k]))
            enter(h, k, RELEASE);
    }
    bool brakes = phase_of(h, k) == BRAKE || phase_of(h, k) == HALT || phase_of(h, k) == ALONG;
    double tick = brakes ? h->period : h->ramps;
    out->time += tick;
    switch (phase_of(h, k)) {
    case ALONG:
        go_on(h, k, along, h->period);
        break;
    case BRAKE:
    case HALT:
        go_on(h, k, braking, h->period);
        break;
    case MOVE:
        go_on(h, k, moving, tick);
        break;
    case RELEASE:
        release(h, k);
        break;
    case UNLOAD:
        unload(h, k);
        if (phase_of(h, k) == UNLOAD) {
            (void)command(h, k, s->command + out->speed * tick, out->speed * tick);
            break;
        }
        out->time = h->period; /* the brake starts in this tick */
        go_on(h, k, braking, h->period);
        break;
    case REST:
        watch_rest(h, k);
        (void)command(h, k, s->command, 0.0);
        break;
    default:
        (void)command(h, k, s->command, 0.0);
        return s->step == 0.0;
    }
    return false;
}

/* m: travel within which the force must change. The stiffness observed during unloading can again be ten times too
 * large, as for a specimen that starts to slip. */
static double longest_idle(const ifd_hybrid *h, int k, double began, double seen)
{
    ifd__unloading *out = ifd__out(h, k);
    double travel = ifd__idle_travel(began, out->stiffness_known, shown(h, k));
    if (!shown(h, k))
        travel = fmin(travel, unshown_stroke * range(h, k));
    travel = fmax(travel, twice * IFD__SOFTER * seen / out->stiffness_goal);
    return fmax(travel, twice * certain_position(h, k));
}

/* Uses the secant of the segment since the mark. A softer specimen makes unloading faster, so its change of force
 * must exceed the error of a single reading in which a load cell can have become stuck. */
static void learn(ifd_hybrid *h, int k, double df, double dx)
{
    ifd__unloading *out = ifd__out(h, k);
    if (fabs(df) < IFD__CERTAIN * out->noise + h->each[k]->seen.step_f && !(df / dx > out->stiffness_goal))
        return;
    if (df / dx > 0.0) /* for a possible second unloading */
        out->stiffness_goal = h->each[k]->seen.stiffness = df / dx;
    out->side = out->mark_f += df;
    out->end = out->mark_x += dx;
}

/* m, travel with an unchanged force: since its last significant change, or bit-identical. A load cell can become
 * stuck after a significant change that is too small for a secant. */
static double idle_travel(ifd_hybrid *h, int k, double seen)
{
    ifd__unloading *out = ifd__out(h, k);
    if (h->each[k]->measured_f != h->each[k]->last_f)
        out->same_x = out->x;
    bool changed = fabs(out->force - out->side) >= seen;
    out->side = changed ? out->force : out->side;
    out->end = changed ? out->x : out->end;
    return fmax(fabs(out->x - out->end), fabs(out->x - out->same_x));
}

/* The first travel must reduce the force by a part of what is due. Of interfaces that are unloaded together each
 * changes the force of the others, in any direction: a significant change is all that can be expected. Without a
 * known stiffness nothing is due. */
static bool unanswered(const ifd_hybrid *h, int k, double seen, double way, double *most)
{
    ifd__unloading *out = ifd__out(h, k);
    double due = ifd__due_change(out->began, out->noise, seen), change = out->began - out->force;
    *most = fmax(due / out->stiffness_known, twice * certain_position(h, k));
    bool changed = h->interfaces > 1 ? fabs(change) >= seen : copysign(1.0, out->began) * change >= answered * due;
    return ifd__observed_stiffness(&h->io, k) > 0.0 && way > *most && !changed;
}

/* Updates the stiffness during unloading and checks that the force decreases. */
static ifd_action watch_unloading(ifd_hybrid *h, int k, ifd_action worst)
{
    ifd__unloading *out = ifd__out(h, k);
    double F = out->force, df = F - out->mark_f;
    double began = fabs(out->began), dx = out->x - out->mark_x;
    double seen = certain_force(h, k), travel = longest_idle(h, k, began, seen);
    double most = began + fmax(grown * began, seen), idle = idle_travel(h, k, seen);
    if (fabs(F) > most)
        return ifd__fault_note(&h->faults, IFD_TRIP_UNLOADING, k, F, most, worst);
    if (idle > travel)
        return ifd__fault_note(&h->faults, IFD_TRIP_UNLOADING, k, idle, travel, worst);
    double first, way = fabs(out->x - out->from_x);
    if (unanswered(h, k, seen, way, &first))
        return ifd__fault_note(&h->faults, IFD_TRIP_UNLOADING, k, way, first, worst);
    double enough = fmax(piece * began, twice * seen);
    bool soft = overdue * enough < fabs(dx) * out->stiffness && fabs(df) >= seen;
    if ((soft || fabs(df) >= enough) && fabs(dx) > twice * certain_position(h, k))
        learn(h, k, df, dx);
    return worst;
}

static ifd_action watch_release(ifd_hybrid *h, int k, ifd_action worst)
{
    ifd__unloading *out = ifd__out(h, k);
    double aim = h->each[k]->force_target, F = h->each[k]->measured_f;
    double most = fmax(astray * fabs(out->began), astray_tolerance * h->interface[k].o->force->tolerance);
    if (out->time > 0.0 && fabs(F - aim) > most)
        return ifd__fault_note(&h->faults, IFD_TRIP_UNLOADING, k, F - aim, most, worst);
    return worst;
}

/* Abandons unloading in any phase after its time limit. */
static ifd_action watch_time(ifd_hybrid *h, int k, ifd_action worst)
{
    ifd__unloading *out = ifd__out(h, k);
    double stiffness = fmin(out->stiffness_known, out->stiffness), travel = 0.0;
    if (stiffness > 0.0)
        travel = fmin(fabs(out->began) / stiffness, range(h, k));
    bool released = phase_of(h, k) == RELEASE;
    double time = released ? out->time : h->test->state_time;
    double gentle = unloading_times * sqrt(engage * travel / ifd__observed_acceleration(&h->io, k));
    double most =
        longest_travel + (released ? release_time(h, k) : travel_times * travel / h->interface[k].creep + gentle);
    return time > most ? ifd__fault_note(&h->faults, IFD_TRIP_UNLOADING, k, time, most, worst) : worst;
}

ifd_action ifd__ramp_out_guard(ifd_hybrid *h, int k, ifd_action worst)
{
    ifd__unloading *out = ifd__out(h, k);
    double dt = h->period, quick = dt / (dt + smoothing(h, k)), slow = dt / (dt + slow_mean);
    double f = h->each[k]->measured_f, *F = &out->force;
    *F += (f - *F) * quick;
    out->x += (h->each[k]->measured_x - out->x) * quick;
    out->slow_force += (*F - out->slow_force) * slow;
    bool unloads = phase_of(h, k) == UNLOAD || phase_of(h, k) == REST || phase_of(h, k) == RELEASE;
    if (unloads)
        worst = watch_time(h, k, worst);
    if (phase_of(h, k) == UNLOAD)
        worst = watch_unloading(h, k, worst);
    return phase_of(h, k) == RELEASE ? watch_release(h, k, worst) : worst;
}

/* Supervision of unloading. */

/* Factors by which the specimen can be stiffer than the known stiffness. A secant of the last cycles can be 20 % too
 * small by noise (observe.c: sqrt(2)/20 of the force, sqrt(2)/10 of the position). An estimate not confirmed by
 * motion can be half of the stiffness. */
static const double stiffer = 1.25, stiffer_unshown = 2.0;

double ifd__certain_change(double deviation, double step)
{
    return IFD__CERTAIN * sqrt(2.0) * deviation + step;
}

double ifd__supervisable(double certain_change, bool shown)
{
    return (shown ? stiffer : stiffer_unshown) * IFD__SOFTER * certain_change;
}

double ifd__due_change(double force, double noise, double certain_change)
{
    return fmax(fmax(0.2 * fabs(force), 10.0 * noise), IFD__SOFTER * certain_change);
}

/* The mean over t of noise s has the deviation s sqrt(dt/2t). */
static double mean_time(double bearable, double noise, double longest, double dt)
{
    double ratio = ifd__certain_change(noise, 0.0) / bearable;
    return bearable > 0.0 ? fmin(0.5 * dt * ratio * ratio, longest) : longest;
}

double ifd__supervising_time(double force, double noise, double step, bool shown, double dt)
{
    return mean_time(fabs(force) / ifd__supervisable(1.0, shown) - step, noise, IFD__LONGEST_MEAN, dt);
}

double ifd__slipping_time(double force, double noise, double step, double longest, double dt)
{
    return mean_time(fabs(force) / (stiffer * IFD__SLIPPING) - step, noise, longest, dt);
}

double ifd__idle_travel(double force, double stiffness, bool shown)
{
    return 2.0 * force / (stiffness * (shown ? stiffer : stiffer_unshown));
}
