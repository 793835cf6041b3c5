/* SPDX-License-Identifier: MIT */
#include "couple/schedule.h"

/* The first measuring stage at or after i, counted beyond the last stage for the following step. */
static int next_measuring(const ifd__part *part, int stages, int i)
{
    while (!part->ops->measures(part, i % stages))
        i++;
    return i;
}

ifd_status ifd__schedule_make(ifd_arena *arena, const ifd__part *part, bool measured, ifd__schedule *out)
{
    int stages = part->ops->stages(part), ticks = 0;
    for (int i = 0; i < stages; i++)
        ticks += measured && part->ops->measures(part, i);
    if (measured && !ticks)
        return IFD_UNSUPPORTED;
    ifd__due *due = ifd_arena_array(arena, (size_t)(ticks ? ticks : 1), sizeof *due);
    if (!due)
        return IFD_NO_MEMORY;
    if (!measured) {
        due[0] = (ifd__due){.stage = 0, .count = stages, .aim = -1};
        *out = (ifd__schedule){.stages = stages, .lead_in = 0, .ticks = 1, .due = due};
        return IFD_OK;
    }
    int first = next_measuring(part, stages, 0);
    for (int k = 0, i = first; k < ticks; k++) {
        int next = next_measuring(part, stages, i + 1);
        due[k] = (ifd__due){.stage = i, .count = next - i, .aim = next % stages};
        i = next;
    }
    *out = (ifd__schedule){.stages = stages, .lead_in = first, .ticks = ticks, .due = due};
    return IFD_OK;
}
