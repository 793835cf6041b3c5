/* SPDX-License-Identifier: MIT */
/* Counts the memory allocations of a loaded FMU: the entries of its table of external functions are redirected to
 * counters. Allocations inside libraries that it contains are not counted. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define ALLOCATIONS_OF_FMU "/interfield-fmu-" /* part of the path of every unpacked FMU */

/* Redirects the calls of every shared object whose path contains this text to the
 * counters; false if none was found. */
bool allocations_watch(const char *path_holds);
/* Allocation functions that an FMU receives; also counted. */
void *allocations_calloc(size_t count, size_t size);
void allocations_free(void *memory);
/* Number of calls so far. */
long allocations(void);
