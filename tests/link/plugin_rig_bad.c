/* SPDX-License-Identifier: MIT */
/* A faulty rig: allocates, reports old values as new, does not follow, has no watchdog. */
#include <interfield/exchange.h>

#include <stdlib.h>

static const ifd_param params[] = {{0}};

static ifd_status open_rig(ifd_rig *rig, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    (void)values;
    (void)arena;
    (void)note;
    rig->data = NULL;
    rig->size = 0;
    return IFD_OK;
}

static bool sense(ifd_rig *rig, ifd_measure *out, double *x)
{
    char *waste = malloc(100);
    volatile char *touched = waste;
    (void)x;
    if (touched)
        touched[0] = 1;
    free(waste);
    *out = (ifd_measure){.actuators = (uint32_t)rig->actuators, .inputs = IFD_INPUT_NO_STOP | IFD_INPUT_HYDRAULICS};
    return true;
}

static void command(ifd_rig *rig, const ifd_command *c, double *x)
{
    (void)rig;
    (void)c;
    (void)x;
}

IFD_API const ifd_rig_ops ifd_user_rig = {.abi = IFD_RIG_ABI,
                                          .name = "bad-lab",
                                          .summary = "does most things wrong",
                                          .params = params,
                                          .open = open_rig,
                                          .sense = sense,
                                          .command = command};
