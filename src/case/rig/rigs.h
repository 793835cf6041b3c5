/* SPDX-License-Identifier: MIT */
/* The list of built-in rigs, and rigs of a laboratory. */
#pragma once

#include <interfield/exchange.h>

#define RIG(x) IFD_API extern const ifd_rig_ops ifd_##x##_rig;
#include "case/rig/rigs.def"

extern const ifd_rig_ops *const ifd__rigs[]; /* NULL at its end */

/* Drivers: rigs that are shipped with the program as plug-ins, in the folder `rigs` next to the library. */
enum { IFD__DRIVERS = 32 };

typedef struct ifd__driver {
    const char *name;
    const char *path;    /* NULL: not built */
    const char *missing; /* then the reason */
} ifd__driver;

/* All of them, by name; returns their number. */
int ifd__drivers(ifd_arena *arena, ifd__driver out[IFD__DRIVERS]);
bool ifd__driver_find(ifd_arena *arena, const char *name, ifd__driver *out);
