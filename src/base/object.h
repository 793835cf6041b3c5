/* SPDX-License-Identifier: MIT */
/* Shared objects that people bring along: opened, and the one symbol they export found. They stay loaded for the life
 * of the process, because what they define is used to its end. */
#ifndef IFD_BASE_OBJECT_H
#define IFD_BASE_OBJECT_H

#include <interfield/arena.h>

/* A path without a slash is a file of the working folder. type: what is exported, for the hint ("ifd_rig_ops").
 * IFD_PLUGIN when it cannot be loaded or does not export the symbol. */
ifd_status ifd__object_open(ifd_arena *arena, const char *path, const char *symbol, const char *type,
                            const void **out, ifd_note *note, const ifd_place *place);

#endif
