/* SPDX-License-Identifier: MIT */
/* Two ring buffers of fixed records between the tick and the thread of the master. In a free-running test the tick
 * may wait, and both sides are woken; with a clock neither makes a system call for the other. */
#include "hybrid/pace/master.h"

#include <errno.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/ring.h"

enum { WAITING = 16, ANSWERS = 64, PATIENCE = 250000000 /* ns */ };

struct ifd_remote {
    ifd_remote_options o;
    ifd__ring *targets, *answers;
    ifd_remote_target word; /* the final message, which must not wait behind targets */
    _Atomic bool word_said;
    sem_t said;
    int bell;
    bool open, hurry, word_taken; /* word_taken: of the tick */
};

static void close_remote(void *remote)
{
    ifd_remote *r = remote;
    if (r->open)
        (void)sem_destroy(&r->said);
    if (r->bell >= 0)
        (void)close(r->bell);
}

ifd_status ifd_remote_make(ifd_arena *arena, const ifd_remote_options *o, ifd_remote **out, ifd_note *note)
{
    if (o->dofs < 1 || o->dofs > IFD_REMOTE_DOFS)
        return ifd_note_add(note, IFD_RANGE, NULL, "a master moves 1 to %d dofs, not %d", IFD_REMOTE_DOFS, o->dofs);
    if (o->order < 0 || o->order > IFD_REMOTE_ORDER)
        return ifd_note_add(note, IFD_RANGE, NULL, "a predictor has order 0 to %d, not %d", IFD_REMOTE_ORDER,
                            o->order);
    if (o->trials < 0 || o->trials > IFD_REMOTE_TRIALS)
        return ifd_note_add(note, IFD_RANGE, NULL, "a step of a master has 1 to %d trials, not %d", IFD_REMOTE_TRIALS,
                            o->trials);
    ifd_remote *r;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(r, 1)));
    r->o = *o;
    r->bell = -1;
    IFD_TRY(ifd__ring_make(arena, sizeof(ifd_remote_target), WAITING, &r->targets));
    IFD_TRY(ifd__ring_make(arena, sizeof(ifd_remote_answer), ANSWERS, &r->answers));
    if (!ifd_arena_on_close(arena, close_remote, r))
        return IFD_NO_MEMORY;
    r->open = sem_init(&r->said, 0, 0) == 0;
    if (!o->paced)
        r->bell = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (!r->open || (!o->paced && r->bell < 0))
        return ifd_note_add(note, IFD_INTERNAL, NULL, "no event descriptor for a remote master: %s", strerror(errno));
    *out = r;
    return IFD_OK;
}

const ifd_remote_options *ifd__remote_options(const ifd_remote *r)
{
    return &r->o;
}

/* The final message is sent once. */
static bool say_word(ifd_remote *r, const ifd_remote_target *word)
{
    if (atomic_load_explicit(&r->word_said, memory_order_relaxed))
        return true;
    r->word = *word;
    atomic_store_explicit(&r->word_said, true, memory_order_release);
    if (!r->o.paced)
        (void)sem_post(&r->said);
    return true;
}

bool ifd_remote_say(ifd_remote *r, const ifd_remote_target *target)
{
    if (target->kind != IFD_REMOTE_TARGET)
        return say_word(r, target);
    ifd_remote_target *room = ifd__ring_full(r->targets) ? NULL : ifd__ring_claim(r->targets);
    if (!room)
        return false;
    *room = *target;
    ifd__ring_commit(r->targets);
    if (!r->o.paced)
        (void)sem_post(&r->said);
    return true;
}

bool ifd_remote_hear(ifd_remote *r, ifd_remote_answer *out)
{
    const ifd_remote_answer *front = ifd__ring_front(r->answers, NULL);
    if (!front)
        return false;
    *out = *front;
    ifd__ring_pop(r->answers);
    return true;
}

int ifd_remote_bell(const ifd_remote *r)
{
    return r->bell;
}

/* The semaphore only indicates a change; the ring buffer decides. */
static void wait_for_target(ifd_remote *r)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until); /* a change of the wall clock must not lengthen the wait */
    until.tv_nsec += PATIENCE;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    while (!ifd__ring_front(r->targets, NULL) && ifd__remote_word(r) == IFD_REMOTE_TARGET)
        if (sem_clockwait(&r->said, CLOCK_MONOTONIC, &until) != 0 && errno != EINTR)
            return;
}

bool ifd__remote_take(ifd_remote *r, bool wait, ifd_remote_target *out)
{
    if (wait && !r->o.paced && !r->hurry)
        wait_for_target(r);
    const ifd_remote_target *front = ifd__ring_front(r->targets, NULL);
    if (!front)
        return ifd__remote_take_word(r, out);
    *out = *front;
    ifd__ring_pop(r->targets);
    return true;
}

bool ifd__remote_take_word(ifd_remote *r, ifd_remote_target *out)
{
    if (ifd__remote_word(r) == IFD_REMOTE_TARGET)
        return false;
    *out = r->word;
    r->word_taken = true;
    return true;
}

void ifd__remote_hurry(ifd_remote *r)
{
    r->hurry = true;
}

uint32_t ifd__remote_word(const ifd_remote *r)
{
    bool said = !r->word_taken && atomic_load_explicit(&r->word_said, memory_order_acquire);
    return said ? r->word.kind : IFD_REMOTE_TARGET;
}

void ifd__remote_answer(ifd_remote *r, const ifd_remote_answer *answer)
{
    const uint64_t one = 1;
    ifd_remote_answer *room = ifd__ring_claim(r->answers);
    if (room) {
        *room = *answer;
        ifd__ring_commit(r->answers);
    }
    if (r->bell >= 0 && write(r->bell, &one, sizeof one) < 0) {
        /* the counter is at its maximum: the descriptor is already readable */
    }
}
