/* SPDX-License-Identifier: MIT */
/* Counts what a loaded FMU asks of the C library's memory: the entries of its own table of outside functions are led
 * through counters. What a library it brought along does by itself is not seen. */
#ifndef APP_ALLOCATIONS_H
#define APP_ALLOCATIONS_H

#include <stdbool.h>
#include <stddef.h>

#define ALLOCATIONS_OF_FMU "/interfield-fmu-" /* what the folder of every unpacked FMU holds in its path */

/* Leads the calls of every shared object whose path holds this text through the
 * counters; false when none was found. */
bool allocations_watch(const char *path_holds);
/* What an FMU is given to take memory with, counted too. */
void *allocations_calloc(size_t count, size_t size);
void allocations_free(void *memory);
/* Calls so far. */
long allocations(void);

#endif
