/* SPDX-License-Identifier: MIT */
/* A sensor of the virtual rig: noise, resolution, lag, play and loss. */
#include "rig/virtual/actuator.h"

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "rig/compensator/butterworth.h"

static double rounded(double x, double quantum)
{
    return quantum > 0 ? quantum * round(x / quantum) : x;
}

double ifd_converter_in(ifd_converter c, double value)
{
    return rounded(ifd__clip(value, c.range), c.quantum);
}

double ifd_converter_out(ifd_converter c, double value)
{
    return ifd__clip(rounded(value, c.quantum), c.range);
}

typedef struct sensor {
    double gain, bias, drift, noise, dropout, stuck_from, stuck_for;
    uint64_t seed;
    ifd_converter converter;
    bool filtered;
    ifd__butterworth filter;
    double decay, now;  /* of the lag over a tick: y = decay y + (1 - decay) x0 + now (x - x0) */
    int f, lag, random; /* offsets */
} sensor;

const ifd_param ifd_sensor_params[] = {
    IFD_OPTION("gain", NONE, -1e6, 1e6, 1, "ratio of measured to true value", IFD_AT(sensor, gain)),
    IFD_OPTION("bias", ANY, -1e12, 1e12, 0, "constant offset", IFD_AT(sensor, bias)),
    IFD_OPTION("drift", ANY, -1e12, 1e12, 0, "rate of the offset, per second", IFD_AT(sensor, drift)),
    IFD_OPTION("noise", ANY, 0, 1e12, 0, "standard deviation of white noise, one value per tick",
               IFD_AT(sensor, noise)),
    IFD_OPTION("seed", NONE, 0, 1e15, 1, "seed of the noise and of the dropouts"),
    IFD_OPTION("resolution", ANY, 0, 1e12, 0, "resolution of the converter; 0: none",
               IFD_AT(sensor, converter.quantum)),
    IFD_OPTION("range", ANY, 0, 1e15, 0, "largest measured value in both directions; 0: unlimited",
               IFD_AT(sensor, converter.range)),
    IFD_OPTION("dropout", NONE, 0, 1, 0, "probability of a tick without a new value", IFD_AT(sensor, dropout)),
    IFD_OPTION("stuck-from", TIME, 0, 1e7, 0, "start of a period with a constant value", IFD_AT(sensor, stuck_from)),
    IFD_OPTION("stuck-for", TIME, 0, 1e7, 0, "duration of this period; 0: none", IFD_AT(sensor, stuck_for)),
    IFD_OPTION("filter", FREQUENCY, 0, 1e6, 0,
               "cut-off of the anti-alias filter (Butterworth, fourth order); 0: none"),
    IFD_OPTION("lag", TIME, 0, 10, 0, "time constant of a filter with one pole; 0: none"),
    {0},
};

static int add_states(ifd_sensor *c, const char *name, int count, ifd_state_kind kind)
{
    int offset = c->size;
    c->row[c->rows++] = (ifd_state_row){name, offset, count, kind};
    c->size += count;
    return offset;
}

static double number(const ifd_value *values, const char *name)
{
    return ifd__rig_number(ifd_sensor_params, values, name);
}

ifd_status ifd_sensor_make(ifd_arena *arena, ifd_value *values, double h, ifd_sensor **out, ifd_note *note)
{
    IFD_TRY(ifd_param_check(ifd_sensor_params, values, "sensor", NULL, note));
    ifd_sensor *c;
    sensor *d;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(c, 1), IFD__ARRAY(d, 1)));
    ifd_param_store(ifd_sensor_params, values, d);
    d->seed = (uint64_t)number(values, "seed");
    double cutoff = number(values, "filter");
    d->filtered = cutoff > 0;
    if (d->filtered)
        IFD_TRY(ifd__butterworth_make(arena, cutoff, h, &d->filter));
    double lag = number(values, "lag");
    d->decay = lag > 0.0 ? exp(-h / lag) : 0.0;
    d->now = lag > 0.0 ? 1.0 - lag / h * -expm1(-h / lag) : 1.0;
    c->h = h;
    c->data = d;
    add_states(c, "shown", 1, IFD_STATE_HISTORY);
    add_states(c, "counts", IFD_SENSOR_OWN - 1, IFD_STATE_INTEGER);
    d->f = add_states(c, "filter", d->filtered ? IFD__BUTTERWORTH_SIZE : 0, IFD_STATE_REAL);
    d->lag = add_states(c, "lag", lag > 0.0 ? 2 : 0, IFD_STATE_REAL);
    d->random = add_states(c, "random", IFD__RANDOM_DOUBLES, IFD_STATE_RANDOM);
    *out = c;
    return IFD_OK;
}

void ifd_sensor_begin(const ifd_sensor *c, double value, double *s)
{
    const sensor *d = c->data;
    ifd__random r;
    memset(s, 0, sizeof *s * (size_t)c->size);
    if (d->filtered)
        ifd__butterworth_begin(value, s + d->f);
    if (d->decay > 0.0)
        s[d->lag] = s[d->lag + 1] = value;
    ifd__random_seed(&r, d->seed);
    ifd__random_store(&r, s + d->random);
    s[IFD_SENSOR_VALUE] = d->gain * value + d->bias;
}

/* A pole, exact for a value that changes linearly over the tick. x: what it shows, and the value of the last tick. */
static IFD_RT double lagged(const sensor *d, double value, double *x)
{
    x[0] = d->decay * x[0] + (1.0 - d->decay) * x[1] + d->now * (value - x[1]);
    x[1] = value;
    return x[0];
}

/* Whether this tick has no new value. The generator is used equally often in both cases, so that an additional
 * dropout does not change the later noise. */
static bool lost(const sensor *d, double t, double chance)
{
    return chance < d->dropout || (d->stuck_for > 0 && t >= d->stuck_from && t < d->stuck_from + d->stuck_for);
}

double ifd_sensor_step(const ifd_sensor *c, double truth, bool linear, double *s)
{
    const sensor *d = c->data;
    double value = truth, t = s[IFD_SENSOR_TICKS] * c->h;
    if (d->filtered)
        value = ifd__butterworth_step(&d->filter, truth, s + d->f);
    if (d->decay > 0.0)
        value = lagged(d, value, s + d->lag);
    value *= d->gain;
    if (linear)
        return s[IFD_SENSOR_VALUE] = value;
    ifd__random r = ifd__random_load(s + d->random);
    double noise = ifd__random_normal(&r), chance = ifd__random_unit(&r);
    ifd__random_store(&r, s + d->random);
    s[IFD_SENSOR_TICKS] += 1.0;
    if (lost(d, t, chance))
        s[IFD_SENSOR_LOST] += 1.0;
    else
        s[IFD_SENSOR_VALUE] = ifd_converter_in(d->converter, value + d->bias + d->drift * t + d->noise * noise);
    return s[IFD_SENSOR_VALUE];
}
