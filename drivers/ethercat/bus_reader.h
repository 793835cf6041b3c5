/* SPDX-License-Identifier: MIT */
/* What the parts of the reader of a bus file share. */
#pragma once

#include <interfield/settings.h>

#include "bus_file.h"

typedef struct bus_reader {
    ifd_arena *arena;
    double tick; /* s */
    bus_file *out;
    ifd_note *note;
} bus_reader;

/* Whether this is a list with a permitted number of items; otherwise an error. NULL: false. */
bool bus_list(bus_reader *r, const ifd_setting *s, const char *what, int least, int most);

/* The place in the line of the device with this name, or -1 with an error. */
int bus_device(bus_reader *r, const ifd_value *name);

/* A whole number, also hexadecimal; NULL: none is given, *out stays. False: another text, with an error. */
bool bus_read_whole(bus_reader *r, const ifd_setting *s, long least, long most, uint32_t *out);

/* Adds a startup SDO to a device. */
void bus_startup(bus_reader *r, int device, const ec_sdo *sdo, const ifd_place *place);

/* The list `axes`. */
void bus_read_axes(bus_reader *r, const ifd_setting *list);
