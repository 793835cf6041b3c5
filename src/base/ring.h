/* SPDX-License-Identifier: MIT */
/* Ring: records of one size from one thread to one other, without locks.
 *
 *     double *record = ifd__ring_claim(ring);          // the one writer: NULL when full, and the loss is counted
 *     if (record) {
 *         ... fill ...
 *         ifd__ring_commit(ring);
 *     }
 *
 *     const double *record = ifd__ring_front(ring, &lost);   // the one reader: NULL when empty
 *     if (record) {
 *         ... use ...                                        // lost records stood just before this one
 *         ifd__ring_pop(ring);
 *     }
 *
 * The writer never waits: what finds no room is dropped, and the next record that does get in says how many were. */
#ifndef IFD_BASE_RING_H
#define IFD_BASE_RING_H

#include <stdint.h>

#include <interfield/arena.h>

typedef struct ifd__ring ifd__ring;

/* count: records held, a power of two; every record starts on a cache line of its own. */
ifd_status ifd__ring_make(ifd_arena *arena, size_t bytes, size_t count, ifd__ring **out);

/* The writer's side. Claiming twice without a commit gives the same room. */
IFD_RT void *ifd__ring_claim(ifd__ring *r);
IFD_RT void ifd__ring_commit(ifd__ring *r);
/* Whether a claim would fail now; counts nothing. */
IFD_RT bool ifd__ring_full(ifd__ring *r);

/* The reader's side. Front twice without a pop gives the same record. */
IFD_RT const void *ifd__ring_front(ifd__ring *r, uint64_t *lost);
IFD_RT void ifd__ring_pop(ifd__ring *r);

/* Records dropped so far, from any thread. */
IFD_RT uint64_t ifd__ring_dropped(const ifd__ring *r);

#endif
