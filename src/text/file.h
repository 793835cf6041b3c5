/* SPDX-License-Identifier: MIT */
/* Whole text files in the arena; file names that survive a power failure. */
#pragma once

#include <interfield/arena.h>
#include <interfield/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { IFD__FILE_LIMIT = 1 << 30 }; /* bytes */

typedef struct ifd__file {
    const char *path; /* in the arena */
    const char *text; /* length characters and a zero byte */
    size_t length;
    unsigned long long device, inode; /* equal for two paths of one file */
} ifd__file;

/* place: the position in the text that names the file, for the error; may be NULL. Errors: IFD_FILE,
 * IFD_TOO_LARGE. */
ifd_status ifd__file_read(ifd_arena *arena, const char *path, const ifd_place *place, ifd__file *out, ifd_note *note);

/* path relative to the folder of the file that contains place; absolute paths do not change. NULL: no memory. */
const char *ifd__file_relative(ifd_arena *arena, const ifd_place *place, const char *path);

/* The file of that name if path is a folder, otherwise path. NULL: no memory. */
const char *ifd__file_inside(ifd_arena *arena, const char *path, const char *name);

/* Read and write bytes of an open file at an offset, with as many calls as needed. get returns fewer bytes at the
 * end of the file (errno 0) and after an error; put returns false, with errno, if not all bytes could be written. */
size_t ifd__file_get(int file, void *to, size_t bytes, uint64_t at);
bool ifd__file_put(int file, const void *from, size_t bytes, uint64_t at);

/* The name of a file is data of its folder: it survives a power failure only if the folder is synced. False with
 * errno. */
bool ifd__folder_sync(const char *folder);
/* Syncs every folder in the path of a file, because each may be new. A folder that cannot be opened is skipped: it
 * existed before. */
void ifd__path_sync(const char *path);

/* Makes a folder and those above it that are missing; NULL, or the one that cannot be made, with errno. */
const char *ifd__folder_make(ifd_arena *arena, const char *folder);
/* Writes a whole file: until it is on the disk, an earlier one remains. */
ifd_status ifd__file_replace(ifd_arena *arena, const char *path, const char *bytes, size_t count, ifd_note *note);

/* The lines of a text in sequence, without line ends (LF or CRLF). */
typedef struct ifd__lines {
    const char *next, *end;
    int number; /* of the last line read, from 1 */
} ifd__lines;

ifd__lines ifd__lines_of(const ifd__file *file);
/* False at the end of the text. The line is from *first to *last (one past its end). */
bool ifd__lines_next(ifd__lines *lines, const char **first, const char **last);
/* The next line that is neither empty nor a comment (which begins with one of those characters), without leading
 * blanks. */
bool ifd__lines_content(ifd__lines *lines, const char *comments, const char **first, const char **last);

/* Length of the UTF-8 sequence at p, in a text that ends with a zero byte; 0 if it is invalid (overlong forms,
 * surrogates and stray bytes included). */
size_t ifd__utf8_size(const unsigned char *p);
/* Length of the control character at p: C0, DEL, or C1 in UTF-8 (c2 80 to c2 9f); 0 if it is not one. */
size_t ifd__control_size(const unsigned char *p);

/* What a file is by its content, for messages about a file of a wrong kind. */

typedef enum ifd__file_kind {
    IFD__KIND_TEXT,
    IFD__KIND_NUMBERS, /* CSV and other tables */
    IFD__KIND_RECORD,  /* PEER */
    IFD__KIND_WORDS,   /* no line begins with a number */
    IFD__KIND_YAML,    /* the same, and its first line is "key: ..." */
    IFD__KIND_JSON,
    IFD__KIND_MATRIX, /* Matrix Market */
    IFD__KIND_HDF5,
    IFD__KIND_ZIP,
    IFD__KIND_PROGRAM,
    IFD__KIND_BINARY
} ifd__file_kind;

ifd__file_kind ifd__file_kind_of(const ifd__file *file);
/* "a Matrix Market file" */
const char *ifd__file_kind_text(ifd__file_kind kind);
