/* SPDX-License-Identifier: MIT */
/* Seal: 24 bytes after the end of a finished result.h5 with a checksum of the whole file. HDF5 ignores bytes after
 * its end of file, and removes the seal if another program changes the file. The checksum is CRC-32 as in zlib, so
 * that Python can verify it with its standard library.
 *
 *     8 bytes "ifdseal\n", u64 bytes before the seal, u32 CRC-32 of these, u32 CRC-32 of the 20 bytes before */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { IFD__SEAL_BYTES = 24 };

typedef enum ifd__seal {
    IFD__SEAL_NONE,   /* none, or removed */
    IFD__SEAL_HOLDS,  /* the whole file is as it was sealed */
    IFD__SEAL_BROKEN, /* it is not */
} ifd__seal;

/* False, with errno, if the file cannot be read or extended. */
bool ifd__seal_put(const char *path);
/* A file that cannot be read has no seal. */
ifd__seal ifd__seal_check(const char *path);
