/* SPDX-License-Identifier: MIT */
/* Work in a child process. HDF5 crashes on some damaged files, loops on others and keeps objects of them that it
 * cannot let go of at exit; whatever happens ends with the child, and the caller gets what it wrote, or a reason.
 *
 *     static void work(void *context, ifd__child_pipe *to) { ... ifd__child_put(to, &n, sizeof n); }
 *
 *     ifd__child c;
 *     if (ifd__child_open(&c, work, context, seconds)) {
 *         good = ifd__child_get(&c, &n, sizeof n);
 *         why = ifd__child_close(&c, arena);            // NULL: it wrote its end and was reaped
 *     }
 *
 * The child is a fork, so that the work may use everything the caller has in memory: set-up and reading only, never
 * beside a tick. It may allocate: the C library keeps its allocator usable across a fork. */
#ifndef IFD_TEXT_CHILD_H
#define IFD_TEXT_CHILD_H

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
    bool late; /* it was ended because it took too long */
} ifd__child;

typedef void (*ifd__child_work)(void *context, ifd__child_pipe *to);

/* seconds of processor time, after which the child is ended. False when no process can be made. */
bool ifd__child_open(ifd__child *c, ifd__child_work work, void *context, unsigned seconds);
/* The next bytes that it wrote; false when it ended before, or is silent for too long. */
bool ifd__child_get(ifd__child *c, void *out, size_t bytes);
/* A text of at most `most` characters. NULL as above, or when memory is out. */
const char *ifd__child_get_text(ifd__child *c, ifd_arena *arena, size_t most);
/* Waits for its end. NULL when it came to the end of its work, otherwise why it did not. */
const char *ifd__child_close(ifd__child *c);

/* In the child; a caller that does not listen any more ends it. */
void ifd__child_put(ifd__child_pipe *to, const void *bytes, size_t count);
void ifd__child_put_text(ifd__child_pipe *to, const char *text);

#endif
