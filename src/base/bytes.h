/* SPDX-License-Identifier: MIT */
/* Serialisation: numbers and texts are written to a growing array of bytes and read back; all lengths are checked.
 * Integers have 8 bytes. The byte order is that of the machine; the mark at the start of a file identifies it.
 *
 *     ifd__bytes out = {.arena = arena};
 *     ifd__put_int(&out, n);
 *     ifd__put_doubles(&out, n, x);                    // out.failed: no memory
 *
 *     ifd__taking in = {.arena = arena, .at = data, .end = data + length};
 *     int n = ifd__take_int(&in, 0, 1000);
 *     const double *x = ifd__take_doubles(&in, n);      // in.bad: data missing or out of range */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <interfield/arena.h>
#include <interfield/param.h>

typedef struct ifd__bytes {
    ifd_arena *arena;
    unsigned char *data;
    size_t length, room;
    bool failed;
} ifd__bytes;

void ifd__put(ifd__bytes *b, const void *data, size_t size);
void ifd__put_int(ifd__bytes *b, int64_t value);
void ifd__put_double(ifd__bytes *b, double value);
void ifd__put_text(ifd__bytes *b, const char *text); /* NULL is read back as NULL */
/* count numbers; a NULL array is read back as NULL. */
void ifd__put_doubles(ifd__bytes *b, size_t count, const double *x);
void ifd__put_ints(ifd__bytes *b, size_t count, const int *x);
void ifd__put_values(ifd__bytes *b, const ifd_param *params, const ifd_value *values);

typedef struct ifd__taking {
    ifd_arena *arena;
    const unsigned char *at, *end;
    bool bad; /* data are missing or out of range; all values read since then are zero */
} ifd__taking;

/* A copy of the next size bytes in the arena; NULL if there are fewer. */
void *ifd__take(ifd__taking *t, size_t size);
int64_t ifd__take_int(ifd__taking *t, int64_t low, int64_t high);
double ifd__take_double(ifd__taking *t);
const char *ifd__take_text(ifd__taking *t);
/* Exactly count numbers, or NULL if NULL was written; sets bad if another count follows. */
double *ifd__take_doubles(ifd__taking *t, size_t count);
/* All numbers must be within low..high. */
int *ifd__take_ints(ifd__taking *t, size_t count, int low, int high);
ifd_value *ifd__take_values(ifd__taking *t, const ifd_param *params);

/* A deep copy; NULL if there is no memory. */
ifd_value *ifd__values_copy(ifd_arena *arena, const ifd_param *params, const ifd_value *values);
