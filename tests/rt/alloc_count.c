/* SPDX-License-Identifier: MIT */
/* The counters are thread-local in the initial-exec model: that storage exists before the first instruction of the
 * thread, so that access never allocates, which would recurse. The allocator of glibc is available under __libc_
 * names; aligned_alloc and posix_memalign have none and are made from __libc_memalign. */
#include "rt/alloc_count.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *memory);

#define THREAD_LOCAL static _Thread_local __attribute__((tls_model("initial-exec")))
THREAD_LOCAL bool armed;
THREAD_LOCAL long calls;
static atomic_int armed_threads;
static atomic_long elsewhere;

void alloc_arm(void)
{
    calls = 0;
    if (!armed)
        atomic_fetch_add(&armed_threads, 1);
    armed = true;
}

long alloc_disarm(void)
{
    if (armed)
        atomic_fetch_sub(&armed_threads, 1);
    armed = false;
    return calls;
}

long alloc_elsewhere(void)
{
    return atomic_load(&elsewhere);
}

static void count(void)
{
    if (armed)
        calls++;
    else if (atomic_load_explicit(&armed_threads, memory_order_relaxed))
        atomic_fetch_add_explicit(&elsewhere, 1, memory_order_relaxed);
}

/* Hidden symbols would be local to this program; the C library must find them too. */
#pragma GCC visibility push(default)

void *malloc(size_t size)
{
    count();
    return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
    count();
    return __libc_calloc(n, size);
}

void *realloc(void *old, size_t size)
{
    count();
    return __libc_realloc(old, size);
}

void free(void *memory)
{
    count();
    __libc_free(memory);
}

void *memalign(size_t alignment, size_t size);
void *memalign(size_t alignment, size_t size)
{
    count();
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    count();
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
    count();
    if (alignment % sizeof(void *) || alignment == 0 || (alignment & (alignment - 1)))
        return EINVAL;
    void *memory = __libc_memalign(alignment, size);
    if (!memory)
        return ENOMEM;
    *out = memory;
    return 0;
}

void *valloc(size_t size)
{
    count();
    return __libc_memalign((size_t)sysconf(_SC_PAGESIZE), size);
}

void *pvalloc(size_t size);
void *pvalloc(size_t size)
{
    count();
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return __libc_memalign(page, (size + page - 1) / page * page);
}

#pragma GCC visibility pop
