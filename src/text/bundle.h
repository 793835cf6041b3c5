/* SPDX-License-Identifier: MIT */
/* Bundle: the source files of a case as they were when it was read. A file is read from the disk once and then from
 * the bundle. A bundle that is read back from its text therefore gives the same case at any place and time.
 *
 * The text contains the files and the overrides:
 *
 *     interfield case 1
 *     set time.end=2s
 *     file 812 cases/bridge/hybrid.yaml          the case is the first file
 *     ...812 bytes...
 *     elsewhere 9f3a0c5511d2e6b7 big.mtx         too large to be included: only its hash
 *     code 61b2...e0 ./damper.so                 native code that was loaded: its BLAKE2b hash */
#pragma once

#include <stdint.h>

#include "text/file.h"

enum { IFD__CODE_HASH = 32 }; /* bytes */

/* A file of native code in a record. */
typedef struct ifd__code_kept {
    struct ifd__code_kept *next;
    const char *path; /* as written in the case */
    unsigned char hash[IFD__CODE_HASH];
} ifd__code_kept;

typedef struct ifd__source_file {
    struct ifd__source_file *next;
    ifd__file file; /* text NULL: the file is elsewhere and must have this hash */
    uint64_t hash;
    unsigned used;                         /* value of `reading` in the bundle when it was last read */
    const struct ifd__record_kept *record; /* its values as a record, if several cases use the bundle; else NULL */
} ifd__source_file;

typedef struct ifd__bundle {
    ifd__source_file *first, *last;
    int count;
    bool closed;          /* read from a text: files that it does not contain did not exist */
    ifd__code_kept *code; /* native code that was loaded */
    int sets;
    const char *const *set;
    ifd_arena *keeper; /* memory of the files, if several cases use the bundle; NULL: that of the case */
    unsigned reading;  /* number of the case that uses it */
    bool unloaded; /* native code that the files name is not loaded */
} ifd__bundle;

/* As ifd__file_read; bundle may be NULL. A file elsewhere that has changed is refused with IFD_FILE. */
ifd_status ifd__bundle_read(ifd__bundle *bundle, ifd_arena *arena, const char *path, const ifd_place *place,
                            ifd__file *out, ifd_note *note);

/* The entry of a file; NULL: none. */
ifd__source_file *ifd__bundle_find(const ifd__bundle *bundle, const char *path);

/* Adds a text as the file of that path, which need not exist on the disk. False: no memory. */
bool ifd__bundle_put(ifd__bundle *bundle, ifd_arena *arena, const char *path, const char *text);

/* NULL: no memory. */
const char *ifd__bundle_make(ifd_arena *arena, const ifd__bundle *bundle, size_t *length);
/* The text must exist as long as the bundle. IFD_FILE if it is not a bundle. */
ifd_status ifd__bundle_open(ifd_arena *arena, const char *text, size_t length, ifd__bundle *out, ifd_note *note);
