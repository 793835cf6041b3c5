/* SPDX-License-Identifier: MIT */
/* Shelf: the files a case was read from, as they were then. A file is read from the disk once and from the shelf
 * after that; a shelf filled from a bundle therefore gives back the same case wherever and whenever it is read.
 *
 * A bundle is a shelf and the overrides as one text:
 *
 *     interfield case 1
 *     set time.end=2s
 *     file 812 cases/bridge/hybrid.yaml          first the case itself
 *     ...812 bytes...
 *     elsewhere 9f3a0c5511d2e6b7 big.mtx         too large to be kept: only its hash
 *     code 61b2...e0 ./damper.so                 native code that was loaded: its BLAKE2b hash */
#ifndef IFD_IO_SHELF_H
#define IFD_IO_SHELF_H

#include <stdint.h>

#include "io/file.h"

typedef struct ifd__book {
    struct ifd__book *next;
    ifd__file file; /* text NULL: elsewhere, and hash says what it must be */
    uint64_t hash;
} ifd__book;

typedef struct ifd__shelf {
    ifd__book *first, *last;
    int count;
    bool closed;                 /* filled from a bundle: what is not on it was not there */
    struct ifd__code_kept *code; /* native code that was loaded (code.h) */
    int sets;
    const char *const *set;
} ifd__shelf;

/* As ifd__file_read; shelf may be NULL. A file that is kept elsewhere and has changed is refused with IFD_FILE. */
ifd_status ifd__shelf_read(ifd__shelf *shelf, ifd_arena *arena, const char *path, const ifd_place *place,
                           ifd__file *out, ifd_note *note);

/* Puts a text on the shelf as the file of that path, whether there is one on the disk or
 * not. False when memory is out. */
bool ifd__shelf_put(ifd__shelf *shelf, ifd_arena *arena, const char *path, const char *text);

/* NULL when memory is out. */
const char *ifd__bundle_make(ifd_arena *arena, const ifd__shelf *shelf, size_t *length);
/* The text must outlive the shelf. IFD_FILE when it is no bundle. */
ifd_status ifd__bundle_open(ifd_arena *arena, const char *text, size_t length, ifd__shelf *out, ifd_note *note);

#endif
