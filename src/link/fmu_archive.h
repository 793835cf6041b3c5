/* SPDX-License-Identifier: MIT */
/* An FMU's archive, unpacked into a private folder. */
#ifndef IFD_LINK_FMU_ARCHIVE_H
#define IFD_LINK_FMU_ARCHIVE_H

#include <interfield/arena.h>

/* The folder goes when the arena closes. */
ifd_status ifd__fmu_unpack(ifd_arena *arena, const char *path, const char **folder, ifd_note *note);

#endif
