/* SPDX-License-Identifier: MIT */
/* Sequence lock: holds the newest record of one writer, for readers that never delay it.
 *
 * Lamport, Concurrent reading and writing, 1977: the writer makes `turn` odd, writes, and makes it even. A reader
 * that reads an odd or changed turn retries a few times and then reports no new record. A writer that ends while
 * writing blocks nobody. It works between threads and, in shared memory, between processes. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { IFD__NEWEST_WORDS = 96, IFD__NEWEST_TRIES = 8 };
_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "atomic words may be shared between processes only without locks");

typedef struct ifd__sequence_lock {
    _Alignas(64) _Atomic uint64_t turn;
    _Atomic uint64_t word[IFD__NEWEST_WORDS];
} ifd__sequence_lock;

/* bytes: a multiple of 8. Each word is a release, so that the odd turn is visible before any of them. A turn left odd
 * by an ended writer remains valid. */
static inline void ifd__sequence_lock_write(ifd__sequence_lock *n, const void *record, size_t bytes)
{
    uint64_t odd = atomic_load_explicit(&n->turn, memory_order_relaxed) | 1u;
    atomic_store_explicit(&n->turn, odd, memory_order_relaxed);
    for (size_t i = 0; i < bytes / 8; i++) {
        uint64_t word;
        memcpy(&word, (const char *)record + 8 * i, sizeof word);
        atomic_store_explicit(&n->word[i], word, memory_order_release);
    }
    atomic_store_explicit(&n->turn, odd + 1, memory_order_release);
}

/* False: nothing newer than *seen, or the writer is writing. */
static inline bool ifd__sequence_lock_read(const ifd__sequence_lock *n, uint64_t *seen, void *record, size_t bytes)
{
    for (int tries = 0; tries < IFD__NEWEST_TRIES; tries++) {
        uint64_t turn = atomic_load_explicit(&n->turn, memory_order_acquire);
        if (turn == *seen)
            return false;
        if (turn & 1u)
            continue;
        for (size_t i = 0; i < bytes / 8; i++) {
            uint64_t word = atomic_load_explicit(&n->word[i], memory_order_acquire);
            memcpy((char *)record + 8 * i, &word, sizeof word);
        }
        if (atomic_load_explicit(&n->turn, memory_order_relaxed) == turn) {
            *seen = turn;
            return true;
        }
    }
    return false;
}
