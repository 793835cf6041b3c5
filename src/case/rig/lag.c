/* SPDX-License-Identifier: MIT */
/* Lag of the actuator of each interface, from what the case states about it: the model of its actuator, else its
 * compensation. */
#include <math.h>

#include "case/rig/channels.h"

static const double two_pi = 6.28318530717958647693;

/* The number of a parameter; a negative one: there is none. */
static double number_of(const ifd_param *params, const ifd_value *values, const char *name)
{
    int i = params && values ? ifd_param_find(params, name) : -1;
    return i < 0 ? -1.0 : values[i].number;
}

/* s; a negative number: not known, as for a servo with its own preset. */
static double of_actuator(const ifd_virtual_channel *bench)
{
    if (!bench->actuator)
        return -1.0;
    const ifd_param *params = bench->actuator->params;
    const ifd_value *values = bench->actuator_values;
    double delay = number_of(params, values, "delay"), constant = number_of(params, values, "time-constant");
    double frequency = number_of(params, values, "frequency"), ratio = number_of(params, values, "damping-ratio");
    if (delay >= 0.0)
        return delay;
    if (constant >= 0.0)
        return constant;
    return frequency > 0.0 && ratio > 0.0 ? 2.0 * ratio / (two_pi * frequency) : -1.0;
}

static double of_compensation(const ifd_interface_options *c)
{
    const ifd_param *params = c->compensator ? c->compensator->params : NULL;
    return fmax(number_of(params, c->compensator_values, "delay"), number_of(params, c->compensator_values, "bound"));
}

/* An interface keeps the lag of an unknown actuator if the case has none. Actuators of the rig are counted in the
 * order of the interfaces, those of a drive at the place of its first one. */
void ifd__read_lags(ifd__reader *r)
{
    const ifd_laboratory *rig = r->c->twin ? r->c->twin : r->c->laboratory;
    const ifd_hybrid_options *o = r->c->test;
    ifd_interface_options *c = r->interface;
    double driven[IFD_RIG_CHANNELS];
    int next = 0;
    for (int d = 0; d < IFD_RIG_CHANNELS; d++)
        driven[d] = -2.0;
    for (int k = 0; k < o->interfaces; k++) {
        int d = ifd__drive_of(o, k), count = d < 0 ? 1 : driven[d] < -1.0 ? o->drive[d].drive.actuators : 0;
        double lag = -1.0;
        for (int i = 0; i < count && next < rig->channels; i++)
            lag = fmax(lag, of_actuator(&rig->channel[next++]));
        if (d >= 0)
            lag = driven[d] = fmax(driven[d], lag);
        if (lag < 0.0)
            lag = of_compensation(&c[k]);
        if (lag >= 0.0)
            c[k].lag = lag + r->c->twin_delay;
    }
}
