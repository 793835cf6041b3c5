/* SPDX-License-Identifier: MIT */
/* Catalogue: the lists of available choices, as in `interfield list`.
 *
 *     int count;
 *     const ifd_catalogue_row *row = ifd_catalogue(arena, "methods", &count);
 *     for (int i = 0; i < count; i++)
 *         printf("%-20s %s\n", row[i].name, row[i].summary); */
#ifndef INTERFIELD_CATALOGUE_H
#define INTERFIELD_CATALOGUE_H

#include <interfield/arena.h>

IFD_BEGIN_DECLS

typedef struct ifd_catalogue_row {
    const char *name;
    const char *summary; /* one line */
} ifd_catalogue_row;

/* Names of the lists, for messages. */
#define IFD_CATALOGUE_LISTS                                                                                          \
    "methods|elements|signals|faults|errors|topics|couplings|actuators|compensators|extrapolators|rigs|states"

/* The rows of a list; NULL: unknown list or out of memory. */
IFD_API const ifd_catalogue_row *ifd_catalogue(ifd_arena *arena, const char *list, int *count);

/* The cases in a folder and below, such as "shear-pendulum/free" with the title in its file, sorted by name. NULL:
 * the folder cannot be read, or out of memory. */
IFD_API const ifd_catalogue_row *ifd_catalogue_cases(ifd_arena *arena, const char *folder, int *count);

IFD_END_DECLS
#endif
