/* SPDX-License-Identifier: MIT */
/* The archive of an FMU, its description, and what an instance knows of them. */
#pragma once

#include <interfield/fmu.h>

enum { IFD__FMU_LARGEST_XML = 64 << 20 }; /* bytes of modelDescription.xml */

/* Unpacks it into a private folder, which closing the arena removes. file: the open archive; NULL: path is opened. */
ifd_status ifd__fmu_unpack(ifd_arena *arena, const char *path, const int *file, const char **folder, ifd_note *note);
/* Reads modelDescription.xml. Ignores errors in data that are not used; refuses errors in data that are used. */
ifd_status ifd__fmu_read(ifd_arena *arena, const char *name, const char *text, size_t length, ifd_fmu_facts *out,
                         ifd_note *note);
/* Marks it as unable to restore a state. */
void ifd__fmu_renounce_back(ifd_fmu *f);
/* The open file of its archive; NULL: identified by its path. */
const int *ifd__fmu_file(const ifd_fmu *f);
