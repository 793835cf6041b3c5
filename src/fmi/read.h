/* SPDX-License-Identifier: MIT */
/* Reader of modelDescription.xml of an FMU. */
#pragma once

#include <interfield/fmu.h>

/* Ignores errors in data that are not used; refuses errors in data that are used. */
ifd_status ifd__fmu_read(ifd_arena *arena, const char *name, const char *text, size_t length, ifd_fmu_facts *out,
                         ifd_note *note);
