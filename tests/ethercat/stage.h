/* SPDX-License-Identifier: MIT */
/* A rig on the emulated devices, tick by tick, and a judge of what its drive received. */
#pragma once

#include "drivers/ethercat/rig.h"
#include "line.h"

typedef struct stage {
    ifd_arena *arena;
    ifd_note note;
    emulator *emu;
    bus_rig *rig;
    ifd_rig plug; /* whose data it is */
    ifd_measure m;
    ifd_command c;
} stage;

/* The bus file with `from` replaced by `to` (NULL: nothing); the emulator is not started. */
void stage_open(stage *s, const char *from, const char *to);
/* Starts the emulator, opens the rig and warms it; returns the number of cycles, 0 if it does not become ready, or -1
 * (s->note). No drive has power. */
long stage_warm(stage *s);
/* The same, then ticks with the request for power until all axes have it; 0: not within 200. */
long stage_enable(stage *s);
/* Sense and command in one tick; commanded false: a command without a position. True: a measurement came. Of two
 * axes the second goes the other way, twice as far. */
bool stage_tick(stage *s, double position, bool commanded);
/* Sense alone; it sends a frame if no command came since the last one. */
bool stage_sense(stage *s);
void stage_close(stage *s);

/* Judges all set points that each axis of the drive received while it was powered: largest change in a cycle and
 * largest change of that, in increments. A reset is never sent after the first powered cycle; the first target is the
 * position. */
void stage_judge(const stage *s, double velocity, double acceleration);
