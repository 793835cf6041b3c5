/* SPDX-License-Identifier: MIT */
/* Drivers: rigs that are shipped with the program as plug-ins, in the folder `rigs` next to the library. */
#ifndef IFD_CASE_RIG_DRIVER_H
#define IFD_CASE_RIG_DRIVER_H

#include <interfield/exchange.h>

enum { IFD__DRIVERS = 32 };

typedef struct ifd__driver {
    const char *name;
    const char *path;    /* NULL: not built */
    const char *missing; /* then the reason */
} ifd__driver;

/* All of them, by name; returns their number. */
int ifd__drivers(ifd_arena *arena, ifd__driver out[IFD__DRIVERS]);
bool ifd__driver_find(ifd_arena *arena, const char *name, ifd__driver *out);

#endif
