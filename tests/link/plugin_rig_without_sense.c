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

IFD_API const ifd_rig_ops ifd_user_rig = {.abi = IFD_RIG_ABI, .name = "blind", .params = params, .open = open_rig};
