/* SPDX-License-Identifier: MIT */
/* A sandboxed child process for external code: without network, with a temporary folder that
 * is removed afterwards. */
#pragma once

#include "app.h"

#include <stdbool.h>
#include <stddef.h>

enum { SANDBOX_KEPT = 3 };

/* Returns the exit status of the child; EXIT_RUN_FAILED, after an error message, if it could not be started or
 * crashed. It is ended after the given seconds without progress. It has no file descriptors except the three
 * standard ones and `kept`, as SANDBOX_KEPT; NULL: none. */
int sandbox_run(app *a, int (*what)(app *a, void *self), void *self, unsigned seconds, const int *kept);
/* In the child: restarts the time limit, and again whenever the count has changed; NULL: once. */
void sandbox_watch(const long *count);

/* A check before a test in real time for which FMI has no flag: whether its FMUs
 * allocate memory during steps. */

/* Steps every FMU of the rig for some time in a child process. False, after an error message, if one
 * fails, or allocates without 'allocates: yes' in the case. */
bool fmus_fit(app *a, const ifd_case *c, const ifd_hybrid_options *test, double tick);

/* Counts the memory allocations of a loaded FMU: the entries of its table of external functions are redirected to
 * counters. Allocations inside libraries that it contains are not counted. */

#define ALLOCATIONS_OF_FMU "/interfield-fmu-" /* part of the path of every unpacked FMU */

/* Redirects the calls of every shared object whose path contains this text to the
 * counters; false if none was found. */
bool allocations_watch(const char *path_holds);
/* Allocation functions that an FMU receives; also counted. */
void *allocations_calloc(size_t count, size_t size);
void allocations_free(void *memory);
/* Number of calls so far. */
long allocations(void);
