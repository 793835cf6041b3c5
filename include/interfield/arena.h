/* SPDX-License-Identifier: MIT */
/* Arena: the memory of a run, allocated during set-up and sealed before the first tick.
 *
 *     ifd_arena *arena = ifd_arena_open();
 *     double *u = ifd_arena_take(arena, n * sizeof *u);     // zeroed, 64-byte aligned; NULL: out of memory
 *     ...                                                    // set-up
 *     ifd_arena_seal(arena);                                 // pages touched and, if permitted, locked
 *     ...                                                    // ticks: taking memory now is a bug (assert; NULL)
 *     ifd_arena_close(arena);                                // releases everything
 *
 * Single allocations cannot be freed. An arena is used by one thread at a time. */
#ifndef INTERFIELD_ARENA_H
#define INTERFIELD_ARENA_H

#include <stdbool.h>
#include <stddef.h>

#include <interfield/status.h>

IFD_BEGIN_DECLS

typedef struct ifd_arena ifd_arena;

/* NULL: out of memory. */
IFD_API ifd_arena *ifd_arena_open(void);
IFD_API void ifd_arena_close(ifd_arena *arena);

/* bytes may be 0 (valid address without storage). Zeroed, aligned to 64 bytes. NULL: out of memory. */
IFD_API void *ifd_arena_take(ifd_arena *arena, size_t bytes);

/* As take for count objects of size bytes each; NULL also if the product overflows. */
IFD_API void *ifd_arena_array(ifd_arena *arena, size_t count, size_t size);

/* A copy of text, of its first length characters, or of a printed format; NULL: out of memory. */
IFD_API char *ifd_arena_text(ifd_arena *arena, const char *text);
IFD_API char *ifd_arena_text_n(ifd_arena *arena, const char *text, size_t length);
IFD_API char *ifd_arena_print(ifd_arena *arena, const char *format, ...) IFD_PRINTF(2, 3);

/* Touches every page and requests a memory lock. Returns whether the lock is granted. */
IFD_API bool ifd_arena_seal(ifd_arena *arena);
IFD_API bool ifd_arena_sealed(const ifd_arena *arena);

/* Registers close(what) for the closing of the arena, last in first out, for resources of other libraries. False: out
 * of memory (close is then not called). */
IFD_API bool ifd_arena_on_close(ifd_arena *arena, void (*close)(void *what), void *what);

/* Bytes allocated so far. */
IFD_API size_t ifd_arena_used(const ifd_arena *arena);

/* For tests: the n-th take from now (counted from 1) and all later ones fail; 0: off. */
IFD_API void ifd_arena_fail_at(ifd_arena *arena, long n);

IFD_END_DECLS
#endif
