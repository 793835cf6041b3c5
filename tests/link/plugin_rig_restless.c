/* SPDX-License-Identifier: MIT */
/* A rig that moves to the positions of a command with `commanded` 0, has a first sample with an error of 40 mm, and
 * acknowledges commands that were never sent. */
#include <math.h>

#include <interfield/exchange.h>

typedef struct rig_data {
    double position, target; /* m */
    uint64_t heard, ticks;
} rig_data;

static const ifd_param params[] = {{0}};

static ifd_status open_rig(ifd_rig *rig, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    (void)values;
    (void)note;
    rig->data = ifd_arena_take(arena, sizeof(rig_data));
    return rig->data ? IFD_OK : IFD_NO_MEMORY;
}

static bool sense(ifd_rig *rig, ifd_measure *out, double *x)
{
    rig_data *r = rig->data;
    (void)x;
    r->position += (r->target - r->position) * -expm1(-rig->tick / 0.005);
    r->ticks++;
    *out = (ifd_measure){.tick = r->heard + 1000, .time = rig->tick * (double)r->ticks, .actuators = 1};
    out->inputs = IFD_INPUT_NO_STOP | IFD_INPUT_HYDRAULICS;
    out->position[0] = r->position + (r->ticks == 1 ? 0.04 : 0.0);
    return true;
}

static void command(ifd_rig *rig, const ifd_command *c, double *x)
{
    rig_data *r = rig->data;
    (void)x;
    r->target = c->position[0];
    r->heard = c->tick;
}

IFD_API const ifd_rig_ops ifd_user_rig = {
    .abi = IFD_RIG_ABI, .name = "restless", .params = params, .open = open_rig, .sense = sense, .command = command};
