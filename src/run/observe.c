/* SPDX-License-Identifier: MIT */
#include "run/observe.h"

#include <math.h>
#include <string.h>

/* Accelerations of the command are smoothed over so many stages: one that noise makes from stage to stage is no
 * measure of what an actuator does. */
static const double calm_stages = 8.0;
/* The least acceleration that transitions may use, as a share of the limit: after a run that hardly moved, or
 * none. So little that it is below that of any run. */
static const double least_acceleration = 1e-4;
/* Lag: sums fade with this time, so that it is that of the last cycles; assumed when the command has not moved; never
 * more than this. */
static const double lag_memory = 2.0, unknown_lag = 0.03, most_lag = 0.2; /* s */
/* Noise: the variance of second differences over six, which motion hardly enters, averaged over this time. */
static const double noise_memory = 0.2; /* s */
/* Stiffness: secants over pieces in which the force changes by so much of its peak, and by so many standard
 * deviations of the noise, the position by as many of its own; the largest, which each new piece lets fade by
 * this share. */
static const double piece_of_peak = 0.05, piece_of_noise = 20.0, piece_of_position = 10.0, fade = 0.99;

void ifd__observe_begin(ifd_hybrid *h, int k)
{
    memset(ifd__seen(h, k, 0), 0, sizeof(double) * (IFD__OBSERVED + IFD__OUT));
}

static void see_command(ifd_hybrid *h, int k, bool led)
{
    double w = *ifd__way_row(h, k, CH_W), dt = h->period, *a = ifd__seen(h, k, SEEN_A);
    double share = 1.0 / (1.0 + calm_stages * h->opt.ticks_per_stage);
    *a += ((w - *ifd__seen(h, k, SEEN_W)) / (dt * dt) - *a) * share;
    *ifd__seen(h, k, SEEN_AA) += (*a - *ifd__seen(h, k, SEEN_AA)) * share;
    *ifd__seen(h, k, SEEN_W) = w;
    if (!led)
        return;
    *ifd__seen(h, k, SEEN_PEAK_A) = fmax(*ifd__seen(h, k, SEEN_PEAK_A), fabs(*a));
    *ifd__seen(h, k, SEEN_PEAK_V) = fmax(*ifd__seen(h, k, SEEN_PEAK_V), fabs(w) / dt);
}

static void see_lag(ifd_hybrid *h, int k)
{
    double v = *ifd__way_row(h, k, CH_W) / h->period, keep = exp(-h->period / lag_memory);
    double *sum = ifd__seen(h, k, SEEN_LAG_SUM), *size = ifd__seen(h, k, SEEN_LAG_SIZE);
    *sum = keep * *sum + (*ifd__way_row(h, k, CH_P) - *ifd__way_row(h, k, CH_XM)) * v;
    *size = keep * *size + v * v;
}

static double noise_ticks(const ifd_hybrid *h)
{
    return fmax(IFD__FITTED + 1.0, ceil(noise_memory / h->period));
}

static void see_noise(ifd_hybrid *h, int k)
{
    const double *past = ifd__way_row(h, k, CH_PAST) + IFD__FITTED - 3;
    double f = *ifd__way_row(h, k, CH_FM), old = *ifd__way_row(h, k, CH_FM_OLD),
           *older = ifd__seen(h, k, SEEN_FM_OLDER), *ticks = ifd__seen(h, k, SEEN_TICKS);
    double df = f - 2.0 * old + *older, dx = past[2] - 2.0 * past[1] + past[0];
    *older = old;
    if (!isfinite(df) || !isfinite(dx)) /* one of the last three was no number */
        return;
    *ticks = fmin(*ticks + 1.0, noise_ticks(h));
    if (*ticks <= IFD__FITTED) /* the first ones have no past */
        return;
    double share = 1.0 / (*ticks - IFD__FITTED);
    *ifd__seen(h, k, SEEN_NOISE_F) += share * (df * df / 6.0 - *ifd__seen(h, k, SEEN_NOISE_F));
    *ifd__seen(h, k, SEEN_NOISE_X) += share * (dx * dx / 6.0 - *ifd__seen(h, k, SEEN_NOISE_X));
}

static void see_stiffness(ifd_hybrid *h, int k)
{
    double f = *ifd__way_row(h, k, CH_FM), x = *ifd__way_row(h, k, CH_XM);
    double *x0 = ifd__seen(h, k, SEEN_PIECE_X), *f0 = ifd__seen(h, k, SEEN_PIECE_F);
    double least =
        fmax(piece_of_noise * ifd__observed_force_noise(h, k), piece_of_peak * ifd__observed_peak_force(h, k));
    bool known = *ifd__seen(h, k, SEEN_TICKS) >= noise_ticks(h);
    if (known && (fabs(f - *f0) < least || !(least > 0.0)))
        return;
    double dx = x - *x0, *stiffness = ifd__seen(h, k, SEEN_STIFFNESS);
    if (known && fabs(dx) > piece_of_position * ifd__observed_position_noise(h, k) && (f - *f0) / dx > 0.0)
        *stiffness = fmax(fade * *stiffness, (f - *f0) / dx);
    *x0 = x;
    *f0 = f;
}

void ifd__observe_tick(ifd_hybrid *h, bool fresh)
{
    ifd_machine state = (ifd_machine)(int)*ifd__hyb(h, HYB_STATE);
    bool led = state == IFD_MACHINE_RAMP_IN || state == IFD_MACHINE_RUN;
    bool armed = state != IFD_MACHINE_IDLE && state != IFD_MACHINE_TRIPPED;
    for (int k = 0; k < h->channels; k++) {
        see_command(h, k, led);
        if (!fresh || !isfinite(*ifd__way_row(h, k, CH_XM)) || !isfinite(*ifd__way_row(h, k, CH_FM)))
            continue;
        see_noise(h, k);
        if (armed)
            *ifd__seen(h, k, SEEN_PEAK_F) = fmax(*ifd__seen(h, k, SEEN_PEAK_F), fabs(*ifd__way_row(h, k, CH_FM)));
        if (!led)
            continue;
        see_lag(h, k);
        see_stiffness(h, k);
    }
}

double ifd__observed_acceleration(const ifd_hybrid *h, int k)
{
    return fmax(*ifd__seen(h, k, SEEN_PEAK_A), least_acceleration * h->way[k].bounds.acceleration);
}

/* What smoothing delays is made up for: of a motion a sin(w t) all but (w T)^2 of a. */
double ifd__observed_present(const ifd_hybrid *h, int k)
{
    return 2.0 * *ifd__seen(h, k, SEEN_A) - *ifd__seen(h, k, SEEN_AA);
}

double ifd__observed_lag(const ifd_hybrid *h, int k)
{
    double size = *ifd__seen(h, k, SEEN_LAG_SIZE), lag = *ifd__seen(h, k, SEEN_LAG_SUM) / size;
    if (!(size > 0.0) || !isfinite(lag))
        return unknown_lag;
    return fmin(fmax(lag, h->period), most_lag);
}

double ifd__observed_force_noise(const ifd_hybrid *h, int k)
{
    return sqrt(*ifd__seen(h, k, SEEN_NOISE_F));
}

double ifd__observed_position_noise(const ifd_hybrid *h, int k)
{
    return sqrt(*ifd__seen(h, k, SEEN_NOISE_X));
}

double ifd__observed_peak_force(const ifd_hybrid *h, int k)
{
    return *ifd__seen(h, k, SEEN_PEAK_F);
}

double ifd__observed_stiffness(const ifd_hybrid *h, int k)
{
    return fmax(h->way[k].stiffness, *ifd__seen(h, k, SEEN_STIFFNESS));
}
