/* SPDX-License-Identifier: MIT */
/* What is observed of each interface in every tick: lag, noise, stiffness and largest motion. */
#include "hybrid/observe.h"

#include <math.h>
#include <string.h>

#include "hybrid/unit.h"

/* Accelerations of the command are smoothed over this number of stages, as the noise between stages is not motion of
 * an actuator. */
static const double calm_stages = 8.0;
/* Smallest acceleration of transitions, as a fraction of the limit, after a run with little or no motion. It is below
 * that of any run. */
static const double least_acceleration = 1e-4;
/* Lag: time constant of its sums, so that it is that of the last cycles; value without motion of the command; upper
 * bound. */
static const double lag_memory = 2.0, unknown_lag = 0.03, most_lag = 0.2; /* s */
/* Noise: the variance of second differences divided by six, on which motion has little effect, averaged over this
 * time. */
static const double noise_memory = 0.2; /* s */
/* A converter with steps of r adds an error variance of r^2/12, which differences do not show while it remains on a
 * step. r is the smallest nonzero difference; without steps, noise makes it negligible. */
static const double uniform_variance = 1.0 / 12.0;
/* Stiffness: secants over segments in which the force changes by this fraction of its peak and by this number of
 * standard deviations of the noise, and the position likewise. The largest secant is used; each new segment reduces
 * it by this factor. */
static const double piece_of_peak = 0.05, piece_of_noise = 20.0, piece_of_position = 10.0, fade = 0.99;
/* A segment restarts when the position reverses: after a reversal a hysteretic specimen changes its force over a very
 * small distance. A reversal is a return by this fraction of the segment and by this number of standard deviations,
 * half of those of a segment. The secant is then at most 1.5 times the slope. */
static const double turned_fraction = 0.1, turned_noise = 5.0;

/* Weight of a tick in the mean of an acceleration. */
static double fraction_of_tick(const ifd__facts *f)
{
    return 1.0 / (1.0 + calm_stages * f->opt->ticks_per_stage);
}

void ifd__observe_motion(const ifd__io *io, double step, double last, double *a, double *peak_a, double *peak_v)
{
    ifd_machine state = ifd__io_state(io);
    *a += ((step - last) / (io->f->period * io->f->period) - *a) * fraction_of_tick(io->f);
    if (state != IFD_MACHINE_RAMP_IN && state != IFD_MACHINE_RUN)
        return;
    *peak_a = fmax(*peak_a, fabs(*a));
    *peak_v = fmax(*peak_v, fabs(step) / io->f->period);
}

static void see_command(const ifd__io *io, int k, ifd__observed *seen)
{
    double step = io->interface[k]->step;
    ifd__observe_motion(io, step, seen->step, &seen->a, &seen->peak_a, &seen->peak_v);
    seen->a_twice += (seen->a - seen->a_twice) * fraction_of_tick(io->f);
    seen->step = step;
}

static void see_lag(const ifd__io *io, int k, ifd__observed *seen)
{
    const ifd__interface_state *s = io->interface[k];
    double v = io->f->awaits ? s->target_v : s->step / io->f->period, keep = exp(-io->f->period / lag_memory);
    double *sum = &seen->lag_sum, *size = &seen->lag_size;
    *sum = keep * *sum + ((io->f->awaits ? s->target : s->command) - s->measured_x) * v;
    *size = keep * *size + v * v;
}

static double noise_ticks(const ifd__facts *f)
{
    return fmax(IFD__FITTED + 1.0, ceil(noise_memory / f->period));
}

static void least_step(double *least, double step)
{
    if (step > 0.0)
        *least = *least > 0.0 ? fmin(*least, step) : step;
}

static void see_noise(const ifd__io *io, int k, ifd__observed *seen)
{
    const ifd__interface_state *s = io->interface[k];
    const double *past = s->past_x + IFD__FITTED - 3;
    double f = s->measured_f, old = s->last_f, *older = &seen->older_f, *ticks = &seen->ticks;
    double df = f - 2.0 * old + *older, dx = past[2] - 2.0 * past[1] + past[0];
    *older = old;
    if (!isfinite(df) || !isfinite(dx)) /* one of the last three values is not finite */
        return;
    *ticks = fmin(*ticks + 1.0, noise_ticks(io->f));
    if (*ticks <= IFD__FITTED) /* not enough previous values */
        return;
    least_step(&seen->step_f, fabs(f - old));
    least_step(&seen->step_x, fabs(past[2] - past[1]));
    double share = 1.0 / (*ticks - IFD__FITTED);
    seen->noise_f += share * (df * df / 6.0 - seen->noise_f);
    seen->noise_x += share * (dx * dx / 6.0 - seen->noise_x);
}

static void see_stiffness(const ifd__io *io, int k, ifd__observed *seen)
{
    double f = io->interface[k]->measured_f, x = io->interface[k]->measured_x;
    double *x0 = &seen->piece_x, *f0 = &seen->piece_f;
    double least = fmax(piece_of_noise * ifd__observed_force_noise(io, k), piece_of_peak * seen->peak_f);
    bool known = seen->ticks >= noise_ticks(io->f);
    double dx = x - *x0, *far = &seen->piece_far, *stiffness = &seen->stiffness;
    double noise = ifd__observed_position_noise(io, k);
    if (fabs(dx) > fabs(*far))
        *far = dx;
    bool turned = fabs(*far - dx) > fmax(turned_fraction * fabs(*far), turned_noise * noise);
    if (known && !turned && (fabs(f - *f0) < least || !(least > 0.0)))
        return;
    if (known && !turned && fabs(dx) > piece_of_position * noise && (f - *f0) / dx > 0.0)
        *stiffness = fmax(fade * *stiffness, (f - *f0) / dx);
    *x0 = x;
    *f0 = f;
    *far = 0.0;
}

static IFD_RT void restart(const ifd__io *io, const void *data, void *own)
{
    void *const *each = own;
    (void)data;
    for (int k = 0; k < io->f->interfaces; k++)
        memset(each[k], 0, sizeof(ifd__observed));
}

static IFD_RT void observe(const ifd__io *io, const void *data, void *own)
{
    void *const *each = own;
    ifd_machine state = ifd__io_state(io);
    bool led = state == IFD_MACHINE_RAMP_IN || state == IFD_MACHINE_RUN;
    bool armed = state != IFD_MACHINE_IDLE && state != IFD_MACHINE_TRIPPED;
    (void)data;
    for (int k = 0; k < io->f->interfaces; k++) {
        const ifd__interface_state *s = io->interface[k];
        ifd__observed *seen = each[k];
        see_command(io, k, seen);
        if (!io->renewed[k] || !isfinite(s->measured_x) || !isfinite(s->measured_f))
            continue;
        see_noise(io, k, seen);
        if (armed)
            seen->peak_f = fmax(seen->peak_f, fabs(s->measured_f));
        if (!led)
            continue;
        see_lag(io, k, seen);
        see_stiffness(io, k, seen);
    }
}

/* From rest, velocity V within the distance D (m) requires an acceleration of V^2/(2D). For a motion of a few stages,
 * smoothing removes nearly all of its acceleration, so this bound is used. Otherwise the brake would take several
 * times the distance of the test. */
double ifd__observed_acceleration(const ifd__io *io, int k)
{
    double V = io->interface[k]->seen.peak_v;
    double far = io->interface[k]->peak_command, D = far + fabs(io->interface[k]->start); /* m */
    double A = fmax(io->interface[k]->seen.peak_a, least_acceleration * io->f->interface[k].bounds.acceleration);
    return far > 0.0 ? fmax(A, 0.5 * V * V / D) : A;
}

/* Correction of the smoothing delay: of a motion a sin(w t) the error is (w T)^2 a. */
double ifd__observed_present(const ifd__io *io, int k)
{
    return 2.0 * io->interface[k]->seen.a - io->interface[k]->seen.a_twice;
}

double ifd__observed_lag(const ifd__io *io, int k)
{
    double lag = io->interface[k]->seen.lag_sum / io->interface[k]->seen.lag_size; /* 0/0 without motion */
    lag = isfinite(lag) ? fmin(fmax(lag, io->f->period), most_lag) : unknown_lag;
    return lag + io->age;
}

static double deviation(double variance, double step)
{
    return sqrt(variance + uniform_variance * step * step);
}

double ifd__observed_force_noise(const ifd__io *io, int k)
{
    return deviation(io->interface[k]->seen.noise_f, io->interface[k]->seen.step_f);
}

double ifd__observed_position_noise(const ifd__io *io, int k)
{
    return deviation(io->interface[k]->seen.noise_x, io->interface[k]->seen.step_x);
}

double ifd__observed_stiffness(const ifd__io *io, int k)
{
    return fmax(io->f->interface[k].stiffness, io->interface[k]->seen.stiffness);
}

/* Least squares over i = -4 .. 4: sum i x / 60, and (28, 7, -8, -17, -20, ...) x / 462. */
void ifd__observed_motion(const ifd__io *io, int k, double out[2])
{
    enum { MIDDLE = (IFD__FITTED - 1) / 2 };
    const double *line = io->interface[k]->past_x, period = io->f->period;
    double slope = 0.0, bend = 0.0;
    for (int i = -MIDDLE; i <= MIDDLE; i++) {
        double x = line[MIDDLE + i];
        slope += i * x;
        bend += (3.0 * i * i - 20.0) * x;
    }
    out[0] = slope / (60.0 * period);
    out[1] = bend / (462.0 * period * period);
}

const ifd__unit ifd__unit_observer = {.name = "observer",
                                      .about = "lag, noise, stiffness and largest motion of each interface",
                                      .each = offsetof(ifd__interface_state, seen),
                                      .restart = restart,
                                      .observe = observe};
