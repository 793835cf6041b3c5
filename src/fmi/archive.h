/* SPDX-License-Identifier: MIT */
/* The archive of an FMU, unpacked into a private folder. */
#pragma once

#include <interfield/arena.h>

enum { IFD__FMU_LARGEST_XML = 64 << 20 }; /* bytes of modelDescription.xml */

/* Closing the arena removes the folder. file: the open archive; NULL: path is opened. */
ifd_status ifd__fmu_unpack(ifd_arena *arena, const char *path, const int *file, const char **folder, ifd_note *note);
