/* SPDX-License-Identifier: MIT */
/* Arena: the memory of a run, taken while open, sealed before the first tick.
 *
 *     ifd_arena *arena = ifd_arena_open();
 *     double *u = ifd_arena_take(arena, n * sizeof *u);     // zeroed, 64-byte aligned, NULL when memory is out
 *     ...                                                    // set-up
 *     ifd_arena_seal(arena);                                 // touched and, where granted, locked
 *     ...                                                    // ticks: taking memory now is a bug (assert; NULL)
 *     ifd_arena_close(arena);                                // everything goes at once
 *
 * Nothing is freed piece by piece. An arena is used by one thread at a time. */
#ifndef INTERFIELD_ARENA_H
#define INTERFIELD_ARENA_H

#include <stdbool.h>
#include <stddef.h>

#include <interfield/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ifd_arena ifd_arena;

/* NULL when memory is out. */
IFD_API ifd_arena *ifd_arena_open(void);
IFD_API void ifd_arena_close(ifd_arena *arena);

/* bytes may be 0 (then a valid, unusable address). Zeroed, aligned to 64 bytes. NULL when memory is out. */
IFD_API void *ifd_arena_take(ifd_arena *arena, size_t bytes);

/* As take for count objects of size bytes each; NULL also when the product overflows. */
IFD_API void *ifd_arena_array(ifd_arena *arena, size_t count, size_t size);

/* A copy of text, of the first length characters, or of a printed format; NULL when memory is out. */
IFD_API char *ifd_arena_text(ifd_arena *arena, const char *text);
IFD_API char *ifd_arena_text_n(ifd_arena *arena, const char *text, size_t length);
IFD_API char *ifd_arena_print(ifd_arena *arena, const char *format, ...) IFD_PRINTF(2, 3);

/* Touches every page and asks the kernel to lock it. Returns whether the lock was granted. */
IFD_API bool ifd_arena_seal(ifd_arena *arena);
IFD_API bool ifd_arena_sealed(const ifd_arena *arena);

/* Has close(what) called when the arena is closed, last in first out: for the few things of another library that must
 * be given back. False when memory is out (close is then not called). */
IFD_API bool ifd_arena_on_close(ifd_arena *arena, void (*close)(void *what), void *what);

/* Bytes handed out so far. */
IFD_API size_t ifd_arena_used(const ifd_arena *arena);

/* For tests: the n-th take from now on (counted from 1) fails, and every one after it; 0 switches this off. */
IFD_API void ifd_arena_fail_at(ifd_arena *arena, long n);

#ifdef __cplusplus
}
#endif
#endif
