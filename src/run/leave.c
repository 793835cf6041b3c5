/* SPDX-License-Identifier: MIT */
#include "run/leave.h"

#include <math.h>

#include "run/force_control.h"

enum { BRAKE, REST, MOVE, UNLOAD, HALT, RELEASE, DONE }; /* phases; HALT: the brake at the end of unloading */

/* Brake. A cubic of the velocity from (v, a) to rest in T has accelerations up to 1.5 v/T beside those that a
 * leaves; with 2.1 v/A the sum is below A for every a up to A that speeds up; for one that slows down 1.6 v/A is
 * enough, less than what its jerk asks for. That begins with 4 a/T + 6 v/T^2: of each twice that of a run at A and
 * V >= v (A^2/V) is borne. */
static const double brake_speeding = 2.1, brake_jerk = 2.0, brake_curve = 3.0;
static const double shorten = 0.7; /* of a brake that would end outside the stroke, a few times */
enum { SHORTENINGS = 8 };
/* Least jerk: peaks of velocity, acceleration and jerk over d/T, d/T^2 and d/T^3 (15/8, 10/sqrt(3), 60). */
static const double quintic_velocity = 1.875, quintic_acceleration = 5.7735026918962576451, quintic_jerk = 60.0;
/* Rest. The force has settled after so many lags, `settle` at least; one that still changes, by this share of itself
 * between its quick and its slow mean, or by so many standard deviations, is given longer: it must not change for a
 * while, and one that swings for ever is not waited for. */
static const double settling_lags = 8.0, slow_mean = 0.2 /* s */, changing = 0.02, settled_for = 0.3 /* s */,
                    longest_rest = 5.0 /* s */;
/* Changes of sign of a force that swings by itself. One alone may be a load cell whose sign was reversed. */
static const double there_and_back = 2.0;
/* Dead band: so many standard deviations of the noise, and this share of the largest force of the test, which is
 * below what load cells resolve. Unloading ends at half of it. */
static const double band_noise = 3.0, band_peak = 0.002, band_end = 0.5;
/* Unload. T over the lag: no swing past zero needs e; more bears a stiffness of 5/e = 1.8 times the assumed one, and
 * channels that act on each other. The engaging gain and the decay accelerate with 2.5 F/(k T^2): two thirds of A;
 * noise has the rest. */
static const double tightness = 5.0, tightness_each = 3.0, engage = 3.75, shortest_tight = 0.1 /* s */;
/* While a force decays with T the inertia of a mass m is m/(k T^2) of it: a thirtieth. */
static const double inertia = 30.0;
/* Smoothing of the measured force over t: of the lag; at least; so that noise s, which changes the speed by s
 * dt/(t k T) a tick, accelerates by a third of A at four deviations: t T k A = 12 s, with T at least 5 t; at most. */
static const double smooth_lag = 0.25, smooth_ticks = 4.0, smooth_noise = 2.4;
/* A specimen is taken for softer when the force should have changed by so many pieces, and did by what is certain. */
static const double overdue = 3.0;
/* A piece of unloading: the force changed by this share of what it began with, and by twice what is certain: its
 * secant is then wrong by half at the very most. */
static const double piece = 0.05, twice = 2.0;
/* The gain engages within T, and within so many T where no motion has shown the stiffness yet: an estimate may be
 * that of a specimen which slips, a fiftieth of the one it is unloaded with. A gain of 3 (t/nT)^2 has taken off a
 * piece when (t/T)^3 = n^2/1000; T later, when the stiffness is learnt, 50 times the gain must be below tightness/e =
 * 1.84: n is at least 15. */
static const double engage_unknown = 20.0;
/* A force that grew by this share while it should fall is not unloaded. Where no motion has shown the stiffness, a
 * motion by this share of the stroke must change the force. */
static const double grown = 0.05, unshown_stroke = 0.01;
/* s of ramp-out, after which unloading is given up: beside so many times what its way takes at the speed of ramp-out,
 * and beside what a controlled force takes at its rate. */
static const double longest_way = 25.0, way_times = 2.0;
/* A controlled force that is this share of what is let go away from its target is not led. */
static const double astray = 0.2, astray_tolerance = 5.0;

static double range(const ifd_hybrid *h, int k)
{
    return h->way[k].bounds.high - h->way[k].bounds.low;
}

static int phase_of(const ifd_hybrid *h, int k)
{
    return (int)*ifd__out(h, k, OUT_PHASE);
}

static void enter(ifd_hybrid *h, int k, int phase)
{
    *ifd__out(h, k, OUT_PHASE) = phase;
    *ifd__out(h, k, OUT_TIME) = 0.0;
}

/* Whether a motion has shown the stiffness. */
static bool shown(const ifd_hybrid *h, int k)
{
    return *ifd__seen(h, k, SEEN_STIFFNESS) > 0.0;
}

/* s in which the smoothed force follows. While it is unloaded the noise is that from its start: T depends on it, and
 * a speed F/(k T) would jump with every tick of a noise that is still being estimated. */
static double smoothing(const ifd_hybrid *h, int k)
{
    bool unloads = phase_of(h, k) == UNLOAD;
    double stiffness = unloads ? *ifd__out(h, k, OUT_STIFFNESS) : ifd__observed_stiffness(h, k);
    double force = unloads ? *ifd__out(h, k, OUT_NOISE) : ifd__observed_force_noise(h, k);
    double noise = force / (stiffness * ifd__observed_acceleration(h, k));
    double calm = stiffness > 0.0 ? fmin(sqrt(smooth_noise * noise), IFD__LONGEST_MEAN) : 0.0;
    if (unloads)
        calm = fmax(calm, ifd__supervising_time(*ifd__out(h, k, OUT_BEGAN), force, *ifd__seen(h, k, SEEN_STEP_F),
                                                shown(h, k), h->period));
    return fmax(fmax(smooth_ticks * h->period, smooth_lag * ifd__observed_lag(h, k)), calm);
}

static double smoothed(const ifd_hybrid *h, double noise, double time)
{
    return noise * sqrt(h->period / (2.0 * time));
}

static double dead_band(const ifd_hybrid *h, int k)
{
    return fmax(band_noise * ifd__observed_force_noise(h, k), band_peak * ifd__observed_peak_force(h, k));
}

/* N: what is less cannot be unloaded, for nobody could see whether it is. */
static double least_supervised(const ifd_hybrid *h, int k)
{
    double noise = smoothed(h, ifd__observed_force_noise(h, k), IFD__LONGEST_MEAN);
    return ifd__supervisable(ifd__certain_change(noise, *ifd__seen(h, k, SEEN_STEP_F)), shown(h, k));
}

/* N, m: what of a change of the smoothed force, and of the smoothed position, is certain. */
static double certain_force(const ifd_hybrid *h, int k)
{
    double noise = smoothed(h, ifd__observed_force_noise(h, k), smoothing(h, k));
    return fmax(ifd__certain_change(noise, *ifd__seen(h, k, SEEN_STEP_F)),
                band_peak * fabs(*ifd__out(h, k, OUT_BEGAN)));
}

static double certain_position(const ifd_hybrid *h, int k)
{
    double noise = smoothed(h, ifd__observed_position_noise(h, k), smooth_ticks * h->period);
    return ifd__certain_change(noise, *ifd__seen(h, k, SEEN_STEP_X));
}

static void plan_brake(ifd_hybrid *h, int k, int phase, double a)
{
    const ifd__bounds *b = &h->way[k].bounds;
    double A = ifd__observed_acceleration(h, k), p = *ifd__way_row(h, k, CH_P);
    a = fmax(-A, fmin(a, A));
    double v = *ifd__way_row(h, k, CH_W) / h->period + 0.5 * a * h->period; /* the step's is half a tick old */
    double V = fmax(*ifd__seen(h, k, SEEN_PEAK_V), fabs(v));
    double T = fmax(a * v < 0.0 ? 0.0 : brake_speeding * fabs(v) / A, brake_jerk * fabs(a) * V / (A * A));
    T = fmax(fmax(T, sqrt(brake_curve * fabs(v) * V) / A), 2.0 * h->period);
    for (int i = 0; i < SHORTENINGS; i++) {
        double end = p + T * (0.5 * v + a * T / 12.0);
        if (end >= b->low && end <= b->high)
            break;
        T *= shorten;
    }
    enter(h, k, phase);
    *ifd__out(h, k, OUT_LENGTH) = T;
    *ifd__out(h, k, OUT_P) = p;
    *ifd__out(h, k, OUT_V) = v;
    *ifd__out(h, k, OUT_A) = a;
}

static double braking(const ifd_hybrid *h, int k, double t)
{
    double T = *ifd__out(h, k, OUT_LENGTH), s = fmin(t / T, 1.0);
    return *ifd__out(h, k, OUT_P) + T * (*ifd__out(h, k, OUT_V) * s * (1.0 + s * s * (-1.0 + 0.5 * s)) +
                                         *ifd__out(h, k, OUT_A) * T * s * s * (0.5 + s * (-2.0 / 3.0 + 0.25 * s)));
}

static void plan_move(ifd_hybrid *h, int k, double end)
{
    double p = *ifd__way_row(h, k, CH_P), d = fabs(end - p), A = ifd__observed_acceleration(h, k);
    enter(h, k, MOVE);
    *ifd__out(h, k, OUT_P) = p;
    *ifd__out(h, k, OUT_END) = end;
    double V = *ifd__seen(h, k, SEEN_PEAK_V), least = cbrt(quintic_jerk * d * V / (brake_jerk * A * A));
    *ifd__out(h, k, OUT_LENGTH) = fmax(
        fmax(h->period, least), fmax(quintic_velocity * d / h->way[k].creep, sqrt(quintic_acceleration * d / A)));
}

static double moving(const ifd_hybrid *h, int k, double t)
{
    double s = fmin(t / *ifd__out(h, k, OUT_LENGTH), 1.0), p = *ifd__out(h, k, OUT_P), end = *ifd__out(h, k, OUT_END);
    return s == 1.0 ? end : p + (end - p) * s * s * s * (10.0 + s * (-15.0 + 6.0 * s));
}

void ifd__leave_begin(ifd_hybrid *h, int k)
{
    *ifd__out(h, k, OUT_FORCE) = *ifd__out(h, k, OUT_SLOW) = *ifd__way_row(h, k, CH_FM);
    *ifd__out(h, k, OUT_X) = *ifd__way_row(h, k, CH_XM);
    *ifd__out(h, k, OUT_SPEED) = 0.0;
    plan_brake(h, k, BRAKE, ifd__observed_present(h, k));
}

void ifd__leave_braked(ifd_hybrid *h)
{
    bool braked = *ifd__hyb(h, HYB_STATE) == (double)IFD_MACHINE_RAMP_OUT;
    for (int k = 0; k < h->channels; k++)
        braked = braked && (h->way[k].o->force || phase_of(h, k) != BRAKE);
    *ifd__hyb(h, HYB_BRAKED) = braked ? *ifd__hyb(h, HYB_BRAKED) + h->period : 0.0;
}

bool ifd__leave_released(const ifd_hybrid *h)
{
    for (int k = 0; k < h->channels; k++)
        if (h->way[k].o->force && phase_of(h, k) != BRAKE)
            return true;
    return false;
}

/* A planned motion is over: what comes next. */
static void arrive(ifd_hybrid *h, int k)
{
    bool braked = phase_of(h, k) == BRAKE, halted = phase_of(h, k) == HALT;
    if (braked && h->opt.leave == IFD_LEAVE_START && *ifd__way_row(h, k, CH_P) != *ifd__way_row(h, k, CH_START))
        plan_move(h, k, *ifd__way_row(h, k, CH_START));
    else if ((braked || halted) && h->opt.leave == IFD_LEAVE_ZERO_FORCE && !h->way[k].o->force) {
        enter(h, k, REST);
        *ifd__out(h, k, OUT_SETTLED) = 0.0;
        *ifd__out(h, k, OUT_SIDE) = *ifd__out(h, k, OUT_SWINGS) = 0.0;
    } else
        enter(h, k, DONE);
}

static int unloaded_channels(const ifd_hybrid *h)
{
    int count = 0;
    for (int k = 0; k < h->channels; k++)
        count += !h->way[k].o->force;
    return count;
}

/* s, the time constant of unloading: large beside the lag on the way there and back, and slow enough for the
 * acceleration, and for a mass whose inertia the load cell feels. */
static double tight(const ifd_hybrid *h, int k)
{
    double lag = ifd__observed_lag(h, k) + smoothing(h, k) + 2.0 * h->period;
    double T = fmax(shortest_tight, lag * fmax(tightness, tightness_each * unloaded_channels(h)));
    double stiffness = *ifd__out(h, k, OUT_STIFFNESS), way = fabs(*ifd__out(h, k, OUT_FORCE)) / stiffness;
    T = fmax(T, sqrt(engage * way / ifd__observed_acceleration(h, k)));
    return fmax(T, sqrt(inertia * h->way[k].o->mass / (h->way[k].factor * stiffness)));
}

static void begin_unloading(ifd_hybrid *h, int k)
{
    double stiffness = ifd__observed_stiffness(h, k), F = *ifd__out(h, k, OUT_FORCE);
    if (*ifd__out(h, k, OUT_SETTLED) > 0.0) /* it does not change: the slow mean has less noise */
        *ifd__out(h, k, OUT_FORCE) = F = *ifd__out(h, k, OUT_SLOW);
    if (!(stiffness > 0.0))
        stiffness = fabs(F) / (unshown_stroke * range(h, k));
    enter(h, k, UNLOAD);
    *ifd__out(h, k, OUT_BEGAN) = *ifd__out(h, k, OUT_MARK_F) = F;
    *ifd__out(h, k, OUT_MARK_X) = *ifd__out(h, k, OUT_SAME) = *ifd__out(h, k, OUT_X);
    *ifd__out(h, k, OUT_STIFFNESS) = *ifd__out(h, k, OUT_TOWARDS) = *ifd__out(h, k, OUT_KNOWN) = stiffness;
    *ifd__out(h, k, OUT_SPEED) = *ifd__out(h, k, OUT_GAIN) = 0.0;
    *ifd__out(h, k, OUT_NOISE) = ifd__observed_force_noise(h, k);
}

/* Counts how often the force passes from one side of zero to the other, noise apart. */
static void count_swings(ifd_hybrid *h, int k, double noise)
{
    double F = *ifd__out(h, k, OUT_FORCE), *side = ifd__out(h, k, OUT_SIDE);
    if (!(fabs(F) > IFD__CERTAIN * noise))
        return;
    *ifd__out(h, k, OUT_SWINGS) += (double)(F * *side < 0.0);
    *side = F;
}

/* At rest: whether there is a force to be taken off. */
static void watch_rest(ifd_hybrid *h, int k)
{
    double F = *ifd__out(h, k, OUT_FORCE), noise = smoothed(h, ifd__observed_force_noise(h, k), smoothing(h, k));
    double t = *ifd__out(h, k, OUT_TIME), lags = settling_lags * ifd__observed_lag(h, k);
    if (t <= 0.5 * lags) /* the actuator arrives */
        *ifd__out(h, k, OUT_SLOW) = F;
    else
        count_swings(h, k, noise);
    if (t < fmax(h->opt.settle, lags))
        return;
    bool changes = fabs(F - *ifd__out(h, k, OUT_SLOW)) > fmax(IFD__CERTAIN * noise, changing * fabs(F));
    double *settled = ifd__out(h, k, OUT_SETTLED), least = least_supervised(h, k);
    *settled = changes ? 0.0 : *settled + h->period;
    bool swings = *ifd__out(h, k, OUT_SWINGS) >= there_and_back, waited = t > longest_rest;
    if ((fabs(F) <= dead_band(h, k) && (!changes || waited)) || swings)
        enter(h, k, DONE);
    else if (*settled < settled_for && !waited)
        return;
    else if (fabs(*ifd__out(h, k, OUT_SLOW)) > least)
        begin_unloading(h, k);
    else {
        (void)ifd__guard_note(h, IFD_TRIP_NOT_UNLOADED, k, F, least, IFD_ACTION_NOTE);
        enter(h, k, DONE);
    }
}

static double smoothstep(double s)
{
    s = fmin(s, 1.0);
    return s * s * (3.0 - 2.0 * s);
}

/* The next speed of unloading. */
static void unload(ifd_hybrid *h, int k)
{
    double F = *ifd__out(h, k, OUT_FORCE), T = tight(h, k), *stiffness = ifd__out(h, k, OUT_STIFFNESS);
    bool through = signbit(F) != signbit(*ifd__out(h, k, OUT_BEGAN));
    if (fabs(F) <= band_end * dead_band(h, k) || through) {
        plan_brake(h, k, HALT, ifd__observed_present(h, k));
        return;
    }
    *stiffness += (*ifd__out(h, k, OUT_TOWARDS) - *stiffness) * h->period / (T + h->period);
    double slow = shown(h, k) ? 1.0 : engage_unknown;
    double gain = fmax(*ifd__out(h, k, OUT_GAIN), smoothstep(*ifd__out(h, k, OUT_TIME) / (slow * T))),
           creep = h->way[k].creep;
    *ifd__out(h, k, OUT_GAIN) += fmin(gain - *ifd__out(h, k, OUT_GAIN), 2.0 * h->period / T);
    gain = *ifd__out(h, k, OUT_GAIN);
    double speed = -gain * F / (*stiffness * T);
    *ifd__out(h, k, OUT_SPEED) = fmax(-creep, fmin(speed, creep));
}

/* To `target`, as far as the governor lets it; whether it was met. */
static bool command(ifd_hybrid *h, int k, double target, double step)
{
    ifd__governed g = {*ifd__way_row(h, k, CH_P), *ifd__way_row(h, k, CH_W)};
    bool met = ifd__governor_step(&h->way[k].bounds, target, step, &g);
    *ifd__way_row(h, k, CH_P) = *ifd__way_row(h, k, CH_AIMED) = g.p;
    *ifd__way_row(h, k, CH_W) = g.w;
    *ifd__way_row(h, k, CH_AIMED_V) = g.w / h->period;
    return met;
}

static double inside(const ifd_hybrid *h, int k, double p)
{
    return fmax(h->way[k].bounds.low, fmin(p, h->way[k].bounds.high));
}

/* A tick of a planned motion. */
static void go_on(ifd_hybrid *h, int k, double (*place)(const ifd_hybrid *, int, double))
{
    double t = *ifd__out(h, k, OUT_TIME), now = inside(h, k, place(h, k, t));
    double before = inside(h, k, place(h, k, t - h->period)); /* what rests at the edge must not seem to move */
    bool over = t - h->period >= *ifd__out(h, k, OUT_LENGTH); /* the step to its end was commanded */
    if (command(h, k, now, now - before) && over && *ifd__way_row(h, k, CH_W) == 0.0)
        arrive(h, k);
}

/* s, in which a controlled force is let go. */
static double release_time(const ifd_hybrid *h, int k)
{
    double began = fabs(*ifd__out(h, k, OUT_BEGAN));
    return fmax(h->opt.ramp_in, quintic_velocity * began / h->way[k].o->force->rate);
}

/* The controlled force of channel k is led to zero by its loop, as smoothly as ramp-in led it there. */
static void release(ifd_hybrid *h, int k)
{
    double *began = ifd__out(h, k, OUT_BEGAN), t = *ifd__out(h, k, OUT_TIME);
    if (t <= h->period)
        *began = *ifd__way_row(h, k, CH_FORCE_AIM);
    double s = fmin(t / release_time(h, k), 1.0);
    double wanted = *began * (1.0 - s * s * s * (10.0 + s * (-15.0 + 6.0 * s)));
    if (ifd__force_step(h, k, wanted) && s == 1.0)
        plan_brake(h, k, HALT, 0.0);
}

bool ifd__leave_step(ifd_hybrid *h, int k)
{
    if (h->way[k].o->force && phase_of(h, k) == BRAKE && *ifd__out(h, k, OUT_TIME) == 0.0) { /* its turn has come */
        plan_brake(h, k, BRAKE, 0.0);
        if (h->opt.leave == IFD_LEAVE_ZERO_FORCE)
            enter(h, k, RELEASE);
    }
    *ifd__out(h, k, OUT_TIME) += h->period;
    switch (phase_of(h, k)) {
    case BRAKE:
    case HALT:
        go_on(h, k, braking);
        break;
    case MOVE:
        go_on(h, k, moving);
        break;
    case RELEASE:
        release(h, k);
        break;
    case UNLOAD:
        unload(h, k);
        if (phase_of(h, k) == UNLOAD) {
            double step = *ifd__out(h, k, OUT_SPEED) * h->period;
            (void)command(h, k, *ifd__way_row(h, k, CH_P) + step, step);
            break;
        }
        *ifd__out(h, k, OUT_TIME) = h->period; /* the brake begins in this tick */
        go_on(h, k, braking);
        break;
    case REST:
        watch_rest(h, k);
        (void)command(h, k, *ifd__way_row(h, k, CH_P), 0.0);
        break;
    default:
        (void)command(h, k, *ifd__way_row(h, k, CH_P), 0.0);
        return *ifd__way_row(h, k, CH_W) == 0.0;
    }
    return false;
}

/* m: over which the force must have changed. What unloading has shown of the stiffness since may be ten times too
 * large again, as that of a specimen which begins to slip. */
static double longest_idle(const ifd_hybrid *h, int k, double began, double seen)
{
    double travel = ifd__idle_travel(began, *ifd__out(h, k, OUT_KNOWN), shown(h, k));
    if (!shown(h, k))
        travel = fmin(travel, unshown_stroke * range(h, k));
    travel = fmax(travel, twice * IFD__SOFTER * seen / *ifd__out(h, k, OUT_TOWARDS));
    return fmax(travel, twice * certain_position(h, k));
}

/* A new secant of the piece that began at the mark. One that shows a softer specimen makes unloading faster: its
 * change of force must be more than a single reading is off, in which a load cell may have got stuck. */
static void learn(ifd_hybrid *h, int k, double df, double dx)
{
    double *towards = ifd__out(h, k, OUT_TOWARDS);
    double once = IFD__CERTAIN * *ifd__out(h, k, OUT_NOISE) + *ifd__seen(h, k, SEEN_STEP_F);
    if (fabs(df) < once && !(df / dx > *towards))
        return;
    if (df / dx > 0.0) /* and should it be unloaded once more */
        *towards = *ifd__seen(h, k, SEEN_STIFFNESS) = df / dx;
    *ifd__out(h, k, OUT_MARK_F) += df;
    *ifd__out(h, k, OUT_MARK_X) += dx;
}

/* m, how far it went while the force was the same: within what is certain since the mark, or to the bit. */
static double idle_way(ifd_hybrid *h, int k, double df, double dx, double seen)
{
    double *same = ifd__out(h, k, OUT_SAME), x = *ifd__out(h, k, OUT_X);
    if (*ifd__way_row(h, k, CH_FM) != *ifd__way_row(h, k, CH_FM_OLD))
        *same = x;
    return fmax(fabs(df) < seen ? fabs(dx) : 0.0, fabs(x - *same));
}

/* What unloading shows of the stiffness, and whether it unloads. */
static ifd_action watch_unloading(ifd_hybrid *h, int k, ifd_action worst)
{
    double F = *ifd__out(h, k, OUT_FORCE), df = F - *ifd__out(h, k, OUT_MARK_F);
    double began = fabs(*ifd__out(h, k, OUT_BEGAN)), dx = *ifd__out(h, k, OUT_X) - *ifd__out(h, k, OUT_MARK_X);
    double seen = certain_force(h, k), travel = longest_idle(h, k, began, seen);
    double most = began + fmax(grown * began, seen), idle = idle_way(h, k, df, dx, seen);
    if (fabs(F) > most)
        return ifd__guard_note(h, IFD_TRIP_UNLOADING, k, F, most, worst);
    if (idle > travel)
        return ifd__guard_note(h, IFD_TRIP_UNLOADING, k, idle, travel, worst);
    double enough = fmax(piece * began, twice * seen);
    bool soft = overdue * enough < fabs(dx) * *ifd__out(h, k, OUT_STIFFNESS) && fabs(df) >= seen;
    if ((soft || fabs(df) >= enough) && fabs(dx) > twice * certain_position(h, k))
        learn(h, k, df, dx);
    return worst;
}

static ifd_action watch_release(ifd_hybrid *h, int k, ifd_action worst)
{
    double aim = *ifd__way_row(h, k, CH_FORCE_AIM), F = *ifd__way_row(h, k, CH_FM);
    double most = fmax(astray * fabs(*ifd__out(h, k, OUT_BEGAN)), astray_tolerance * h->way[k].o->force->tolerance);
    if (*ifd__out(h, k, OUT_TIME) > 0.0 && fabs(F - aim) > most)
        return ifd__guard_note(h, IFD_TRIP_UNLOADING, k, F - aim, most, worst);
    return worst;
}

/* Giving up, in whatever phase unloading is. */
static ifd_action watch_time(ifd_hybrid *h, int k, ifd_action worst)
{
    double stiffness = fmin(*ifd__out(h, k, OUT_KNOWN), *ifd__out(h, k, OUT_STIFFNESS)), way = 0.0;
    if (stiffness > 0.0)
        way = fmin(fabs(*ifd__out(h, k, OUT_BEGAN)) / stiffness, range(h, k));
    bool released = phase_of(h, k) == RELEASE;
    double time = released ? *ifd__out(h, k, OUT_TIME) : *ifd__hyb(h, HYB_RAMP);
    double most = longest_way + (released ? release_time(h, k) : way_times * way / h->way[k].creep);
    return time > most ? ifd__guard_note(h, IFD_TRIP_UNLOADING, k, time, most, worst) : worst;
}

ifd_action ifd__leave_guard(ifd_hybrid *h, int k, ifd_action worst)
{
    double dt = h->period, quick = dt / (dt + smoothing(h, k)), slow = dt / (dt + slow_mean);
    double f = *ifd__way_row(h, k, CH_FM), *F = ifd__out(h, k, OUT_FORCE);
    if (*ifd__hyb(h, HYB_STATE) != (double)IFD_MACHINE_RAMP_OUT)
        return worst;
    *F += (f - *F) * quick;
    *ifd__out(h, k, OUT_X) += (*ifd__way_row(h, k, CH_XM) - *ifd__out(h, k, OUT_X)) * quick;
    *ifd__out(h, k, OUT_SLOW) += (*F - *ifd__out(h, k, OUT_SLOW)) * slow;
    bool unloads = phase_of(h, k) == UNLOAD || phase_of(h, k) == REST || phase_of(h, k) == RELEASE;
    if (unloads)
        worst = watch_time(h, k, worst);
    if (phase_of(h, k) == UNLOAD)
        worst = watch_unloading(h, k, worst);
    return phase_of(h, k) == RELEASE ? watch_release(h, k, worst) : worst;
}
