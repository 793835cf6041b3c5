/* SPDX-License-Identifier: MIT */
/* Whole text files, read into the arena; names of files that survive. */
#ifndef IFD_TEXT_FILE_H
#define IFD_TEXT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <interfield/arena.h>
#include <interfield/status.h>

enum { IFD__FILE_LIMIT = 64 << 20 }; /* bytes */

typedef struct ifd__file {
    const char *path; /* in the arena */
    const char *text; /* length characters and a zero byte */
    size_t length;
    unsigned long long device, inode; /* the same for two paths of one file */
} ifd__file;

/* place: where the file was asked for; it goes into the error, and may be NULL. Errors: IFD_FILE, IFD_TOO_LARGE. */
ifd_status ifd__file_read(ifd_arena *arena, const char *path, const ifd_place *place, ifd__file *out, ifd_note *note);

/* path as seen from the folder of the file that place stands in; absolute paths stay. NULL when memory is out. */
const char *ifd__file_relative(ifd_arena *arena, const ifd_place *place, const char *path);

/* The file of that name when path is a folder, otherwise path. NULL when memory is out. */
const char *ifd__file_inside(ifd_arena *arena, const char *path, const char *name);

/* Bytes of an open file from a place on, however many calls it takes. Fewer are got at its end (errno 0) and when
 * reading fails; put is false, with errno, when not all could be written. */
size_t ifd__file_get(int file, void *to, size_t bytes, uint64_t at);
bool ifd__file_put(int file, const void *from, size_t bytes, uint64_t at);

/* A name in a folder is data of the folder: it survives a loss of power only when the folder is
 * synced as well. False with errno. */
bool ifd__folder_sync(const char *folder);
/* The same for every folder that the path of a file names, each of which may be new. One that cannot be opened is
 * passed over: it was there before. */
void ifd__path_sync(const char *path);

/* The lines of a text, one after the other, without their ends (LF or CRLF). */
typedef struct ifd__lines {
    const char *next, *end;
    int number; /* of the line last read, from 1 */
} ifd__lines;

ifd__lines ifd__lines_of(const ifd__file *file);
/* False at the end of the text. The line runs from *first to *last (one behind its end). */
bool ifd__lines_next(ifd__lines *lines, const char **first, const char **last);

/* Bytes of the UTF-8 sequence at p in a text that ends with a zero byte; 0 when there is none (overlong forms,
 * surrogates and stray bytes included). */
size_t ifd__utf8_size(const unsigned char *p);
/* Bytes of the control character at p: C0, DEL, or C1 as UTF-8 writes it (c2 80 to c2 9f); 0 when it is none. */
size_t ifd__control_size(const unsigned char *p);

#endif
