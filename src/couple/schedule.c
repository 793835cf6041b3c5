/* SPDX-License-Identifier: MIT */
/* Makes the table of stages of a cycle. */
#include "couple/schedule.h"
#include "base/arena.h"
#include "method/stepper.h"

static bool measures(const ifd_stepper *stepper, int stage)
{
    return stepper->method->measures >> stage & 1u;
}

/* First measuring stage at or after i; beyond the last stage the index continues into the next step. */
static int next_measuring(const ifd_stepper *stepper, int stages, int i)
{
    while (!measures(stepper, i % stages))
        i++;
    return i;
}

ifd_status ifd__schedule_make(ifd_arena *arena, const ifd_stepper *stepper, bool measured, ifd__schedule *out)
{
    int stages = ifd_stepper_stages(stepper), ticks = 0;
    for (int i = 0; i < stages; i++)
        ticks += measured && measures(stepper, i);
    if (measured && !ticks)
        return IFD_UNSUPPORTED;
    ifd__due *due;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(due, ticks ? ticks : 1)));
    if (!measured) {
        due[0] = (ifd__due){.stage = 0, .count = stages};
        *out = (ifd__schedule){.stages = stages, .lead_in = 0, .ticks = 1, .due = due};
        return IFD_OK;
    }
    int first = next_measuring(stepper, stages, 0);
    for (int k = 0, i = first; k < ticks; k++) {
        int next = next_measuring(stepper, stages, i + 1);
        due[k] = (ifd__due){.stage = i, .count = next - i};
        i = next;
    }
    *out = (ifd__schedule){.stages = stages, .lead_in = first, .ticks = ticks, .due = due};
    return IFD_OK;
}
