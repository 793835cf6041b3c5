/* SPDX-License-Identifier: MIT */
/* A ZIP archive of stored entries, built in memory: all an FMU needs. */
#ifndef IFD_FMI_ZIP_WRITE_H
#define IFD_FMI_ZIP_WRITE_H

#include "base/bytes.h"

typedef struct ifd__zip {
    ifd__bytes data, directory;
    int entries;
} ifd__zip;

void ifd__zip_init(ifd__zip *z, ifd_arena *arena);
void ifd__zip_add(ifd__zip *z, const char *name, const void *data, size_t size);
/* The whole archive in z->data; false when memory ran out or it is too large (2 GB). */
bool ifd__zip_finish(ifd__zip *z);

#endif
