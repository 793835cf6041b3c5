/* SPDX-License-Identifier: MIT */
/* Work in a child process. HDF5 crashes on some damaged files, loops on others and cannot release some of their
 * objects at exit. All of this ends with the child; the caller gets the data that the child wrote, or a reason.
 *
 *     static void work(void *context, ifd__child_pipe *to) { ... ifd__child_put(to, &n, sizeof n); }
 *
 *     ifd__child c;
 *     if (ifd__child_open(&c, work, context, seconds)) {
 *         good = ifd__child_get(&c, &n, sizeof n);
 *         why = ifd__child_close(&c, arena);            // NULL: it finished its work and was reaped
 *     }
 *
 * The child is a fork, so that the work can use all memory of the caller. It is for set-up and reading only, never
 * during ticks. It may allocate: the C library keeps its allocator usable after a fork. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <interfield/arena.h>

typedef struct ifd__child_pipe {
    int fd;
} ifd__child_pipe;

typedef struct ifd__child {
    pid_t pid;
    int fd;
    bool late; /* the child was ended because it exceeded its time */
} ifd__child;

typedef void (*ifd__child_work)(void *context, ifd__child_pipe *to);

/* The child is ended after this number of seconds of processor time. False: no process could be started. */
bool ifd__child_open(ifd__child *c, ifd__child_work work, void *context, unsigned seconds);
/* The next bytes of the child; false if it ended before, or sent nothing for too long. */
bool ifd__child_get(ifd__child *c, void *out, size_t bytes);
/* A text of at most `most` characters. NULL as above, or if there is no memory. */
const char *ifd__child_get_text(ifd__child *c, ifd_arena *arena, size_t most);
/* Waits for its end. NULL if it finished its work, otherwise the reason. */
const char *ifd__child_close(ifd__child *c);

/* Called in the child, which ends if the caller no longer reads. */
void ifd__child_put(ifd__child_pipe *to, const void *bytes, size_t count);
void ifd__child_put_text(ifd__child_pipe *to, const char *text);
