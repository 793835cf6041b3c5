/* SPDX-License-Identifier: MIT */
/* Counts what a thread allocates and frees while it is armed.
 *
 *     alloc_arm();
 *     for (int k = 0; k < 10000; k++)
 *         tick(...);
 *     assert_int_equal(alloc_disarm(), 0);
 *
 * Every program in this folder is linked with alloc_count.c, which defines malloc and its kin for the whole process:
 * calls made inside the C library and inside other libraries are seen too, which a linker wrap would miss. */
#ifndef TESTS_RT_ALLOC_COUNT_H
#define TESTS_RT_ALLOC_COUNT_H

/* Starts counting on the calling thread, from zero. */
void alloc_arm(void);

/* Stops counting on the calling thread; returns the calls of malloc, calloc, realloc, free, aligned_alloc, memalign,
 * posix_memalign, valloc and pvalloc since it was armed. free(NULL) counts as well: it has no place on a tick. */
long alloc_disarm(void);

/* Calls while any thread was armed, on threads that were not: what a library's own worker did behind our back. */
long alloc_elsewhere(void);

#endif
