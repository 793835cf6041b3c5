/* SPDX-License-Identifier: MIT */
#include <interfield/exchange.h>

static const ifd_param params[] = {{0}};

static ifd_status open_rig(ifd_rig *rig, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    (void)rig;
    (void)values;
    (void)arena;
    (void)note;
    return IFD_OK;
}

static bool sense(ifd_rig *rig, ifd_measure *out, double *x)
{
    (void)rig;
    (void)out;
    (void)x;
    return false;
}

static void command(ifd_rig *rig, const ifd_command *c, double *x)
{
    (void)rig;
    (void)c;
    (void)x;
}

IFD_API const ifd_rig_ops ifd_user_rig = {
    .abi = IFD_RIG_ABI, .name = "virtual", .params = params, .open = open_rig, .sense = sense, .command = command};
