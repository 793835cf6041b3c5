/* SPDX-License-Identifier: MIT */
/* Counts the allocations and releases of a thread while it is armed.
 *
 *     alloc_arm();
 *     for (int k = 0; k < 10000; k++)
 *         tick(...);
 *     assert_int_equal(alloc_disarm(), 0);
 *
 * Every program in this folder is linked with alloc_count.c, which defines malloc and related functions for the
 * complete process: calls inside the C library and other libraries are counted too, unlike with a linker wrap. */
#pragma once

/* Starts counting on the calling thread, from zero. */
void alloc_arm(void);

/* Stops counting on the calling thread; returns the calls of malloc, calloc, realloc, free, aligned_alloc, memalign,
 * posix_memalign, valloc and pvalloc since it was armed. free(NULL) counts too, as a tick must not call it. */
long alloc_disarm(void);

/* Calls on other threads while any thread was armed: those of a worker of a library. */
long alloc_elsewhere(void);
