/* SPDX-License-Identifier: MIT */
#pragma once

#include <interfield/arena.h>
#include <stdlib.h>
#include <string.h>

/* A requested array: the address of the pointer to it, the number of its objects and the size of one object. */
typedef struct ifd__array {
    void *pointer;
    size_t count, size;
} ifd__array;

#define IFD__ARRAY(pointer, count)                                                                                   \
    {                                                                                                                \
        &(pointer), (size_t)(count), sizeof *(pointer)                                                               \
    }

/* Allocates several arrays as ifd_arena_array does; IFD_NO_MEMORY if one allocation fails.
 *
 *     IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(d->u, n), IFD__ARRAY(d->pivot, n))); */
#define IFD__TAKE(arena, ...) ifd__take_arrays(arena, (const ifd__array[]){__VA_ARGS__, {0}})
ifd_status ifd__take_arrays(ifd_arena *arena, const ifd__array *list);
/* Returns IFD_NO_MEMORY from the calling function without it. */
#define IFD__HAVE(pointer) IFD_TRY((pointer) ? IFD_OK : IFD_NO_MEMORY)

/* An arena for scratch that is closed where its variable ends, on every way out. One that could not be opened is NULL
 * and gives no memory:
 *
 *     ifd_arena *scratch IFD__CLOSED = ifd_arena_open(); */
#define IFD__CLOSED __attribute__((cleanup(ifd__arena_leave)))
static inline void ifd__arena_leave(ifd_arena **scratch)
{
    ifd_arena_close(*scratch);
}

/* Memory of malloc that is freed where its variable ends. */
#define IFD__FREED __attribute__((cleanup(ifd__arena_free)))
static inline void ifd__arena_free(void *variable)
{
    void *memory;
    memcpy(&memory, variable, sizeof memory);
    free(memory);
}

/* A copy of count objects of one size; NULL without memory. */
void *ifd__arena_copy(ifd_arena *arena, const void *from, int count, size_t size);

/* What set-up keeps in an arena for all that is made in it. */
typedef struct ifd__arena_kept {
    struct ifd__factors *factors;            /* shared by all users of the same matrix (factors.h); NULL: none */
    struct ifd__analyses *analyses;          /* symbolic ones of the matrices (symbolic.h); NULL: none */
    const struct ifd_factoriser *factoriser; /* interfield/factoriser.h; NULL: none */
    int sharing; /* threads that share each solution of the solvers made from now on; 0: one */
} ifd__arena_kept;
ifd__arena_kept *ifd__arena_keeps(ifd_arena *arena);
