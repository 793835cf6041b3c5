/* SPDX-License-Identifier: MIT */
/* The bus file: the expected line of devices, its axes, forces and inputs (docs/reference/bus-file.md). */
#pragma once

#include <interfield/arena.h>
#include <interfield/exchange.h>

#include "master.h"

enum { BUS_CLOCK_TICK, BUS_CLOCK_BUS, BUS_CLOCK_NONE };
enum { BUS_AUX_FIXED = 3, BUS_AUX = IFD_RIG_AUX - BUS_AUX_FIXED };
enum { BUS_AUX_OBJECT, BUS_AUX_LATE, BUS_AUX_NEVER, BUS_AUX_SIDE, BUS_AUX_LIMIT }; /* kinds of auxiliary inputs */

typedef struct bus_signal { /* an input object */
    int device;
    uint16_t index;
    uint8_t sub;
    int kind, bit; /* bit: of an output, in its object */
    double counts; /* increments per unit */
    ifd_place place;
    bool given, without_sign;
} bus_signal;

/* Digital outputs, in the order of the bits IFD_OUTPUT_... */
#define BUS_OUTPUTS "trigger|running|enable|low|high|beat"
enum { BUS_OUTPUT_COUNT = 6 };

typedef struct bus_axis {
    int device, mode; /* of CiA-402 */
    int offset;       /* of the objects of the axis in a device with several axes */
    double counts, jump, low, high;
    bool brake; /* at the end of a test */
    double brake_time;
    int quick_stop; /* CIA402_QUICK_... */
    ifd_place place;
} bus_axis;

typedef struct bus_file {
    ec_line line;
    int clock, axes, forces, auxes;
    bus_axis axis[IFD_RIG_ACTUATORS];
    bus_signal force[IFD_RIG_ACTUATORS], aux[BUS_AUX], stop, power, output[BUS_OUTPUT_COUNT];
} bus_file;

/* Reads the file. The settings of the axes become startup SDOs of their devices; tick: s. */
ifd_status bus_file_read(ifd_arena *arena, const char *path, double tick, bus_file *out, ifd_note *note);
