/* SPDX-License-Identifier: MIT */
/* modelDescription.xml of an FMU, read. */
#ifndef IFD_FMI_READ_H
#define IFD_FMI_READ_H

#include <interfield/fmu.h>

/* Lenient about what is not used, strict about what is. */
ifd_status ifd__fmu_read(ifd_arena *arena, const char *name, const char *text, size_t length, ifd_fmu_facts *out,
                         ifd_note *note);

#endif
