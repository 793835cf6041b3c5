/* SPDX-License-Identifier: MIT */
/* Pure delay of any number of ticks, fractions included. */
#include "rig/virtual/actuator.h"

#include <math.h>

#include "rig/virtual/delay_line.h"

typedef struct dead_time {
    ifd__mover mover;
    double tau; /* s */
    int length, line;
    ifd__tap tap;
} dead_time;

static const ifd_param delay_params[] = {
    IFD_NEEDED("delay", TIME, 0, 10, "tau", IFD_AT(dead_time, tau)),
    IFD_WORD("interpolation", "cubic|linear", "interpolation between ticks if tau is not a whole number of ticks"),
    IFD__SPECIMEN_PARAMS(ifd__mover, 0, 0, 0),
    IFD__LIMIT_PARAMS(ifd__mover),
    {0},
};

static ifd_status delay_make(ifd_actuator *a, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    dead_time *d;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(d, 1)));
    ifd_param_store(delay_params, values, d);
    double age = ifd__line_age(d->tau, a->h);
    if (age > IFD__LINE_MOST)
        return ifd_note_add(note, IFD_RANGE, NULL,
                            "actuator 'delay': the delay of %g s is %g ticks, expected at most %d", d->tau, age,
                            (int)IFD__LINE_MOST);
    bool cubic = ifd__rig_number(delay_params, values, "interpolation") == 0;
    d->length = ifd__line_length(age);
    d->tap = ifd__line_tap(d->length, age, cubic ? 3 : 1);
    a->data = d;
    IFD_TRY(ifd__mover_make(a, values, &d->mover));
    d->line = ifd__actuator_states(a, "commands", d->length, IFD_STATE_HISTORY);
    return IFD_OK;
}

static void delay_begin(const ifd_actuator *a, double x, double *s)
{
    const dead_time *d = a->data;
    ifd__mover_begin(a, x, s);
    ifd__line_fill(s + d->line, d->length, x);
}

static void delay_step(const ifd_actuator *a, const ifd_actuator_in *in, double *s)
{
    const dead_time *d = a->data;
    double target[3];
    ifd__line_push(s + d->line, d->length, in->u);
    ifd__mover_rates(a, ifd__line_read(s + d->line, &d->tap), s, target);
    ifd__mover_settle(a, target, in, s);
}

static void delay_response(const ifd_actuator *a, double w, double out[2])
{
    const dead_time *d = a->data;
    out[0] = cos(w * d->tau);
    out[1] = -sin(w * d->tau);
}

const ifd_actuator_kind ifd__actuator_delay = {
    .name = "delay",
    .kinematic = true,
    .summary = "the actuator follows the command after a constant delay, which may include a fraction of a tick",
    .equation = "x(t) = u(t - tau)",
    .params = delay_params,
    .make = delay_make,
    .begin = delay_begin,
    .step = delay_step,
    .response = delay_response,
};
