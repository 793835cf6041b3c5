/* SPDX-License-Identifier: MIT */
/* Ring buffer: passes records of one size from one thread to another, without locks.
 *
 *     double *record = ifd__ring_claim(ring);          // the only writer; NULL: full, the loss is counted
 *     if (record) {
 *         ... fill ...
 *         ifd__ring_commit(ring);
 *     }
 *
 *     const double *record = ifd__ring_front(ring, &lost);   // the only reader; NULL: empty
 *     if (record) {
 *         ... use ...                                        // lost: records dropped directly before this one
 *         ifd__ring_pop(ring);
 *     }
 *
 * The writer never waits. A record without room is dropped, and the next record contains the number of dropped
 * ones. */
#pragma once

#include <stdint.h>

#include <interfield/arena.h>

typedef struct ifd__ring ifd__ring;

/* count: capacity in records, a power of two. Every record starts on a separate cache line. */
ifd_status ifd__ring_make(ifd_arena *arena, size_t bytes, size_t count, ifd__ring **out);

/* Functions of the writer. A second claim without a commit returns the same slot. */
IFD_RT void *ifd__ring_claim(ifd__ring *r);
IFD_RT void ifd__ring_commit(ifd__ring *r);
/* Whether a claim would fail now; does not count a loss. */
IFD_RT bool ifd__ring_full(ifd__ring *r);

/* Functions of the reader. A second front without a pop returns the same record. */
IFD_RT const void *ifd__ring_front(ifd__ring *r, uint64_t *lost);
IFD_RT void ifd__ring_pop(ifd__ring *r);

/* Number of dropped records; any thread may call it. */
IFD_RT uint64_t ifd__ring_dropped(const ifd__ring *r);
