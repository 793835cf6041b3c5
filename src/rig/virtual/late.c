/* SPDX-License-Identifier: MIT */
/* The virtual rig with delayed and scaled commands. */
#include "rig/virtual/late.h"

#include <math.h>

#include "rig/virtual/delay_line.h"
#include "rig/virtual/virtual.h"

typedef struct late {
    ifd_rig inner;
    double gain;
    const ifd__disturbance *disturbance;
    ifd__bad_cell *cell;
    int length, line; /* of the line of each channel, and the offset of the first */
    ifd__tap tap;
} late;

static ifd_status open_rig(ifd_rig *rig, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    const ifd__late *setup = rig->data;
    late *d = ifd_arena_take(arena, sizeof *d);
    if (!d)
        return IFD_NO_MEMORY;
    double age = setup->delay / rig->tick;
    if (!(age >= 0.0) || age > IFD__LINE_MOST)
        return ifd_note_add(note, IFD_RANGE, NULL, "the delay of %g s is %g ticks, expected 0 to %d", setup->delay,
                            age, (int)IFD__LINE_MOST);
    d->inner =
        (ifd_rig){.ops = &ifd_virtual_rig, .actuators = rig->actuators, .tick = rig->tick, .data = setup->laboratory};
    IFD_TRY(d->inner.ops->open(&d->inner, values, arena, note));
    d->gain = setup->gain > 0.0 ? setup->gain : 1.0;
    d->disturbance = setup->disturbance;
    d->cell = setup->cell;
    d->length = ifd__line_length(age);
    d->tap = ifd__line_tap(d->length, age, 3);
    d->line = d->inner.size;
    rig->size = d->inner.size + rig->actuators * d->length;
    rig->data = d;
    return IFD_OK;
}

static void begin(ifd_rig *rig, double *x)
{
    late *d = rig->data;
    d->inner.ops->begin(&d->inner, x);
    for (int k = 0; k < rig->actuators; k++) {
        double position, force;
        ifd_virtual_actual(&d->inner, x, k, &position, &force);
        ifd__line_fill(x + d->line + k * d->length, d->length, position);
    }
}

static IFD_RT double misread(ifd__bad_cell *c, double f)
{
    c->actual = fmax(c->actual, fabs(f));
    if (!c->stuck)
        c->shows = fmax(-c->most, fmin(c->most, c->gain * f));
    c->stuck = c->stuck || fabs(f) >= c->sticks;
    return c->shows;
}

static bool sense(ifd_rig *rig, ifd_measure *out, double *x)
{
    late *d = rig->data;
    bool fresh = d->inner.ops->sense(&d->inner, out, x);
    for (int k = 0; k < rig->actuators && d->disturbance; k++) {
        out->position[k] += d->disturbance->position[k];
        out->force[k] += d->disturbance->force[k];
    }
    if (d->cell)
        out->force[d->cell->actuator] = misread(d->cell, out->force[d->cell->actuator]);
    return fresh;
}

static void command(ifd_rig *rig, const ifd_command *c, double *x)
{
    late *d = rig->data;
    ifd_command delayed = *c;
    for (int k = 0; k < rig->actuators && c->commanded; k++) { /* without a command, position and line remain */
        double *line = x + d->line + k * d->length;
        ifd__line_push(line, d->length, c->position[k]);
        delayed.position[k] = d->gain * ifd__line_read(line, &d->tap);
    }
    d->inner.ops->command(&d->inner, &delayed, x);
}

int ifd__late_states(const ifd_rig *rig, int at, int *state)
{
    const late *d = rig->data;
    int count = ifd__virtual_states(&d->inner, at, state);
    for (int i = d->line; i < rig->size; i++)
        state[count++] = at + i;
    return count;
}

static const ifd_param none[] = {{0}};

/* Its name is that of the laboratory, as it is a virtual rig in this process. */
const ifd_rig_ops ifd__late_rig = {
    .abi = IFD_RIG_ABI,
    .name = "virtual",
    .summary = "the virtual rig with delayed commands",
    .params = none,
    .open = open_rig,
    .begin = begin,
    .sense = sense,
    .command = command,
    .simulated = ifd__rig_always_simulated,
};
