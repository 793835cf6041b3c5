/* SPDX-License-Identifier: MIT */
/* The line of the two emulated devices as a bus file, and a transport without a network: a pair of sockets. */
#pragma once

#include <interfield/arena.h>

#include "drivers/ethercat/bus_file.h"
#include "emulator.h"

/* The bus file that fits the emulated devices. */
extern const char line_text[];

/* Writes the bus file into a temporary file, with `from` replaced by `to` (NULL: nothing), and returns its path. */
const char *line_file(ifd_arena *arena, const char *from, const char *to);

/* Reads it for a tick of 1 ms, with a watchdog of 0.1 s; the file is removed. */
ifd_status line_read(ifd_arena *arena, const char *from, const char *to, bus_file *out, ifd_note *note);

/* An emulator with a stepped clock at one end of a pair of sockets; the other end. Not started. */
emulator *line_emulator(int *socket);

/* Cyclic frames that the emulator has handled; waits until it has handled so many in all. */
long line_cycles(emulator *e);
void line_cycled(emulator *e, long cyclic);
