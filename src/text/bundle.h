/* SPDX-License-Identifier: MIT */
/* Bundle: the files a case was read from, as they were then. A file is read from the disk once and from the bundle
 * after that; a bundle read back from its text therefore gives back the same case wherever and whenever it is read.
 *
 * Its text holds the files and the overrides:
 *
 *     interfield case 1
 *     set time.end=2s
 *     file 812 cases/bridge/hybrid.yaml          first the case itself
 *     ...812 bytes...
 *     elsewhere 9f3a0c5511d2e6b7 big.mtx         too large to be kept: only its hash
 *     code 61b2...e0 ./damper.so                 native code that was loaded: its BLAKE2b hash */
#ifndef IFD_TEXT_BUNDLE_H
#define IFD_TEXT_BUNDLE_H

#include <stdint.h>

#include "text/file.h"

enum { IFD__CODE_HASH = 32 }; /* bytes */

/* A file of code as a record knows it. */
typedef struct ifd__code_kept {
    struct ifd__code_kept *next;
    const char *path; /* as the case names it */
    unsigned char hash[IFD__CODE_HASH];
} ifd__code_kept;

typedef struct ifd__source_file {
    struct ifd__source_file *next;
    ifd__file file; /* text NULL: elsewhere, and hash says what it must be */
    uint64_t hash;
} ifd__source_file;

typedef struct ifd__bundle {
    ifd__source_file *first, *last;
    int count;
    bool closed;          /* filled from a bundle: what is not on it was not there */
    ifd__code_kept *code; /* native code that was loaded */
    int sets;
    const char *const *set;
} ifd__bundle;

/* As ifd__file_read; bundle may be NULL. A file that is kept elsewhere and has changed is refused with IFD_FILE. */
ifd_status ifd__bundle_read(ifd__bundle *bundle, ifd_arena *arena, const char *path, const ifd_place *place,
                            ifd__file *out, ifd_note *note);

/* Puts a text into the bundle as the file of that path, whether there is one on the disk or
 * not. False when memory is out. */
bool ifd__bundle_put(ifd__bundle *bundle, ifd_arena *arena, const char *path, const char *text);

/* NULL when memory is out. */
const char *ifd__bundle_make(ifd_arena *arena, const ifd__bundle *bundle, size_t *length);
/* The text must outlive the bundle. IFD_FILE when it is no bundle. */
ifd_status ifd__bundle_open(ifd_arena *arena, const char *text, size_t length, ifd__bundle *out, ifd_note *note);

#endif
