/* SPDX-License-Identifier: MIT */
#pragma once

#include <interfield/arena.h>

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

/* An arena for scratch that is closed where its variable ends, on every way out:
 *
 *     ifd_arena *scratch IFD__CLOSED = ifd_arena_open(); */
#define IFD__CLOSED __attribute__((cleanup(ifd__arena_leave)))
static inline void ifd__arena_leave(ifd_arena **scratch)
{
    ifd_arena_close(*scratch);
}

/* Factorisations in an arena, shared by all users of the same matrix (factors.h); NULL: none. */
struct ifd__factors *ifd__arena_factors(const ifd_arena *arena);
void ifd__arena_carry(ifd_arena *arena, struct ifd__factors *f);
/* NULL: none (interfield/factoriser.h). */
const struct ifd_factoriser *ifd__arena_factoriser(const ifd_arena *arena);

/* Number of threads that share each solution of the solvers made in the arena from now on; 0: one. */
void ifd__arena_share_solutions(ifd_arena *arena, int threads);
int ifd__arena_sharing(const ifd_arena *arena);

/* Symbolic analyses of the matrices in an arena (symbolic.h); NULL: none. */
struct ifd__analyses *ifd__arena_analyses(const ifd_arena *arena);
void ifd__arena_analysed(ifd_arena *arena, struct ifd__analyses *a);
