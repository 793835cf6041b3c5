/* SPDX-License-Identifier: MIT */
/* Head and tail count records without wrap-around; the mask applies only where a slot is addressed, so full and
 * empty differ. Each side keeps the last counter that it has read from the other side. It reads the counter again
 * only if the kept value indicates no room or no record. In the steady state neither side touches the cache line of
 * the other. */
#include "base/ring.h"

#include <assert.h>
#include <stdatomic.h>

enum { LINE = 64 };

struct ifd__ring {
    unsigned char *slots;
    size_t stride; /* bytes from slot to slot */
    uint64_t mask;

    _Alignas(LINE) _Atomic uint64_t head; /* records committed; written by the writer */
    _Atomic uint64_t dropped;
    uint64_t tail_seen;
    uint64_t lost; /* dropped since the last commit */

    _Alignas(LINE) _Atomic uint64_t tail; /* records popped; written by the reader */
    uint64_t head_seen;
};

/* Precedes every record. Its size is a cache line, so that the record keeps the alignment of the arena. */
typedef struct prefix {
    _Alignas(LINE) uint64_t lost;
} prefix;

ifd_status ifd__ring_make(ifd_arena *arena, size_t bytes, size_t count, ifd__ring **out)
{
    assert(count && (count & (count - 1)) == 0 && "the size of a ring is a power of two");
    if (bytes > SIZE_MAX / 2)
        return IFD_NO_MEMORY;
    ifd__ring *r = ifd_arena_take(arena, sizeof *r);
    size_t stride = sizeof(prefix) + (bytes + LINE - 1) / LINE * LINE;
    unsigned char *slots = r ? ifd_arena_array(arena, count, stride) : NULL;
    if (!slots)
        return IFD_NO_MEMORY;
    r->slots = slots;
    r->stride = stride;
    r->mask = count - 1;
    atomic_init(&r->head, 0);
    atomic_init(&r->tail, 0);
    atomic_init(&r->dropped, 0);
    *out = r;
    return IFD_OK;
}

static prefix *slot(const ifd__ring *r, uint64_t index)
{
    return (prefix *)(void *)(r->slots + (index & r->mask) * r->stride);
}

bool ifd__ring_full(ifd__ring *r)
{
    uint64_t head = atomic_load_explicit(&r->head, memory_order_relaxed);
    if (head - r->tail_seen <= r->mask)
        return false;
    /* Acquire: the reader no longer uses the released slots. */
    r->tail_seen = atomic_load_explicit(&r->tail, memory_order_acquire);
    return head - r->tail_seen > r->mask;
}

void *ifd__ring_claim(ifd__ring *r)
{
    if (ifd__ring_full(r)) {
        r->lost++;
        uint64_t dropped = atomic_load_explicit(&r->dropped, memory_order_relaxed);
        atomic_store_explicit(&r->dropped, dropped + 1, memory_order_relaxed);
        return NULL;
    }
    return slot(r, atomic_load_explicit(&r->head, memory_order_relaxed)) + 1;
}

void ifd__ring_commit(ifd__ring *r)
{
    uint64_t head = atomic_load_explicit(&r->head, memory_order_relaxed);
    slot(r, head)->lost = r->lost;
    r->lost = 0;
    atomic_store_explicit(&r->head, head + 1, memory_order_release);
}

const void *ifd__ring_front(ifd__ring *r, uint64_t *lost)
{
    uint64_t tail = atomic_load_explicit(&r->tail, memory_order_relaxed);
    if (tail == r->head_seen)
        r->head_seen = atomic_load_explicit(&r->head, memory_order_acquire);
    if (tail == r->head_seen)
        return NULL;
    const prefix *p = slot(r, tail);
    if (lost)
        *lost = p->lost;
    return p + 1;
}

void ifd__ring_pop(ifd__ring *r)
{
    uint64_t tail = atomic_load_explicit(&r->tail, memory_order_relaxed);
    assert(tail != r->head_seen && "pop without a record at the front");
    atomic_store_explicit(&r->tail, tail + 1, memory_order_release);
}

uint64_t ifd__ring_dropped(const ifd__ring *r)
{
    return atomic_load_explicit(&r->dropped, memory_order_relaxed);
}
