/* SPDX-License-Identifier: MIT */
/* Blocks of growing size are taken from the system and chained. An allocation that is larger than a block gets a
 * separate block. All memory is zero, because blocks come from calloc and are never reused. */
#include <interfield/arena.h>
#include <interfield/factoriser.h>

#include <assert.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"

enum { ALIGN = 64, FIRST_BLOCK = 1 << 12, LARGEST_PIECE = 1 << 24, HUGE_PAGE = 1 << 21 };

typedef struct block {
    struct block *next;
    size_t size, used; /* of the payload */
    unsigned char *payload;
} block;

typedef struct closing {
    struct closing *next;
    void (*close)(void *what);
    void *what;
} closing;

struct ifd_arena {
    block *newest;
    closing *last; /* in the memory of the arena */
    size_t used, piece;
    bool sealed;
    long fail_at, takes;
    ifd__arena_kept kept;
};

ifd__arena_kept *ifd__arena_keeps(ifd_arena *arena)
{
    return &arena->kept;
}

void ifd_arena_factoriser(ifd_arena *arena, const ifd_factoriser *f)
{
    arena->kept.factoriser = f;
}

void *ifd__arena_copy(ifd_arena *arena, const void *from, int count, size_t size)
{
    void *copy = ifd_arena_array(arena, (size_t)count, size);
    if (copy && count)
        memcpy(copy, from, (size_t)count * size);
    return copy;
}

ifd_arena *ifd_arena_open(void)
{
    ifd_arena *arena = calloc(1, sizeof *arena);
    if (arena)
        arena->piece = FIRST_BLOCK;
    return arena;
}

void ifd_arena_close(ifd_arena *arena)
{
    if (!arena)
        return;
    for (const closing *c = arena->last; c; c = c->next)
        c->close(c->what);
    for (block *b = arena->newest, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    free(arena);
}

/* Huge pages, where the kernel grants them, reduce address look-ups for a factor that is read completely in every
 * tick. A refusal has no effect. */
static void advise(block *b)
{
    uintptr_t start = ((uintptr_t)b->payload + HUGE_PAGE - 1) & ~(uintptr_t)(HUGE_PAGE - 1);
    uintptr_t end = ((uintptr_t)b->payload + b->size) & ~(uintptr_t)(HUGE_PAGE - 1);
    if (end > start)
        (void)madvise((void *)start, end - start, MADV_HUGEPAGE);
}

static block *block_make(ifd_arena *arena, size_t bytes)
{
    size_t size = bytes > arena->piece ? bytes : arena->piece;
    if (size > SIZE_MAX - sizeof(block) - ALIGN)
        return NULL;
    block *b = calloc(1, sizeof *b + size + ALIGN);
    if (!b)
        return NULL;
    uintptr_t start = (uintptr_t)(b + 1);
    b->payload = (unsigned char *)((start + ALIGN - 1) & ~(uintptr_t)(ALIGN - 1));
    b->size = size;
    advise(b);
    b->next = arena->newest;
    arena->newest = b;
    if (arena->piece < LARGEST_PIECE)
        arena->piece *= 2;
    return b;
}

void *ifd_arena_take(ifd_arena *arena, size_t bytes)
{
    if (!arena) /* it could not be opened */
        return NULL;
    assert(!arena->sealed && "memory taken after the arena was sealed");
    if (arena->sealed || bytes > SIZE_MAX - ALIGN)
        return NULL;
    arena->takes++;
    if (arena->fail_at && arena->takes >= arena->fail_at)
        return NULL;
    size_t rounded = (bytes + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    block *b = arena->newest;
    if (!b || b->size - b->used < rounded) {
        b = block_make(arena, rounded);
        if (!b)
            return NULL;
    }
    void *memory = b->payload + b->used;
    b->used += rounded;
    arena->used += rounded;
    return memory;
}

void *ifd_arena_array(ifd_arena *arena, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size)
        return NULL;
    return ifd_arena_take(arena, count * size);
}

ifd_status ifd__take_arrays(ifd_arena *arena, const ifd__array *list)
{
    for (; list->pointer; list++) {
        void *memory = ifd_arena_array(arena, list->count, list->size);
        if (!memory)
            return IFD_NO_MEMORY;
        memcpy(list->pointer, &memory, sizeof memory); /* a pointer of any type */
    }
    return IFD_OK;
}

char *ifd_arena_text_n(ifd_arena *arena, const char *text, size_t length)
{
    char *copy = ifd_arena_take(arena, length + 1);
    if (copy)
        memcpy(copy, text, length);
    return copy;
}

char *ifd_arena_text(ifd_arena *arena, const char *text)
{
    return ifd_arena_text_n(arena, text, strlen(text));
}

char *ifd_arena_print(ifd_arena *arena, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *text = length < 0 ? NULL : ifd_arena_take(arena, (size_t)length + 1);
    if (text) {
        va_start(args, format);
        vsnprintf(text, (size_t)length + 1, format, args);
        va_end(args);
    }
    return text;
}

bool ifd_arena_seal(ifd_arena *arena)
{
    bool locked = true;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (block *b = arena->newest; b; b = b->next) {
        for (size_t i = 0; i < b->used; i += page) {
            volatile unsigned char *touch = b->payload + i;
            *touch = *touch;
        }
        locked = mlock(b->payload, b->used) == 0 && locked;
    }
    arena->sealed = true;
    return locked;
}

bool ifd_arena_sealed(const ifd_arena *arena)
{
    return arena->sealed;
}

bool ifd_arena_on_close(ifd_arena *arena, void (*close)(void *what), void *what)
{
    closing *c = ifd_arena_take(arena, sizeof *c);
    if (!c)
        return false;
    *c = (closing){arena->last, close, what};
    arena->last = c;
    return true;
}

size_t ifd_arena_used(const ifd_arena *arena)
{
    return arena->used;
}

void ifd_arena_fail_at(ifd_arena *arena, long n)
{
    arena->fail_at = n ? arena->takes + n : 0;
}
