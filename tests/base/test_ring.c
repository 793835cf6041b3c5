/* SPDX-License-Identifier: MIT */
#include "check.h"

#include "base/ring.h"

#include <pthread.h>
#include <sched.h>

typedef struct message {
    uint64_t number, square;
} message;

static int open_arena(void **state)
{
    *state = ifd_arena_open();
    return *state ? 0 : -1;
}

static int close_arena(void **state)
{
    ifd_arena_close(*state);
    return 0;
}

static ifd__ring *ring_of(ifd_arena *arena, size_t bytes, size_t count)
{
    ifd__ring *r = NULL;
    assert_int_equal(ifd__ring_make(arena, bytes, count, &r), IFD_OK);
    return r;
}

static bool put(ifd__ring *r, uint64_t number)
{
    message *m = ifd__ring_claim(r);
    if (!m)
        return false;
    *m = (message){number, number * number};
    ifd__ring_commit(r);
    return true;
}

static void expect(ifd__ring *r, uint64_t number, uint64_t lost)
{
    uint64_t said = 99;
    const message *m = ifd__ring_front(r, &said);
    assert_non_null(m);
    assert_int_equal(m->number, number);
    assert_int_equal(m->square, number * number);
    assert_int_equal(said, lost);
    ifd__ring_pop(r);
}

TEST_IN_ARENA(records_come_out_in_order_across_many_wraps)
{
    ifd__ring *r = ring_of(*state, sizeof(message), 8);
    uint64_t in = 0, out = 0;
    assert_null(ifd__ring_front(r, NULL));
    for (int round = 0; round < 1000; round++) {
        for (int k = 0; k < 1 + round % 8; k++)
            assert_true(put(r, in++));
        for (int k = 0; k < 1 + round % 8; k++)
            expect(r, out++, 0);
        assert_null(ifd__ring_front(r, NULL));
    }
    assert_int_equal(ifd__ring_dropped(r), 0);
}

TEST_IN_ARENA(a_full_ring_drops_counts_and_says_so_in_the_next_record)
{
    ifd__ring *r = ring_of(*state, sizeof(message), 4);
    for (uint64_t k = 0; k < 4; k++)
        assert_true(put(r, k));
    assert_true(ifd__ring_full(r));
    for (uint64_t k = 4; k < 7; k++)
        assert_false(put(r, k));
    assert_int_equal(ifd__ring_dropped(r), 3);
    expect(r, 0, 0);
    assert_false(ifd__ring_full(r));
    assert_true(put(r, 7));
    assert_false(put(r, 8));
    for (uint64_t k = 1; k < 4; k++)
        expect(r, k, 0);
    expect(r, 7, 3);
    assert_true(put(r, 9));
    expect(r, 9, 1);
    assert_int_equal(ifd__ring_dropped(r), 4);
}

TEST_IN_ARENA(a_record_in_hand_is_not_overwritten)
{
    ifd__ring *r = ring_of(*state, sizeof(message), 2);
    assert_true(put(r, 1));
    const message *held = ifd__ring_front(r, NULL);
    assert_true(put(r, 2));
    assert_false(put(r, 3));
    assert_int_equal(held->number, 1);
    assert_ptr_equal(ifd__ring_front(r, NULL), held);
}

TEST_IN_ARENA(records_start_on_a_cache_line)
{
    ifd__ring *r = ring_of(*state, 72, 4);
    for (int k = 0; k < 4; k++) {
        assert_int_equal((uintptr_t)ifd__ring_claim(r) % 64, 0);
        ifd__ring_commit(r);
    }
}

TEST_IN_ARENA(a_ring_that_gets_no_memory_says_so)
{
    ifd__ring *r = NULL;
    for (long n = 1; n <= 2; n++) {
        ifd_arena_fail_at(*state, n);
        assert_int_equal(ifd__ring_make(*state, 16, 4, &r), IFD_NO_MEMORY);
        ifd_arena_fail_at(*state, 0);
    }
    assert_int_equal(ifd__ring_make(*state, SIZE_MAX - 10, 4, &r), IFD_NO_MEMORY);
    assert_null(r);
}

enum { MANY = 1000000 };

typedef struct writer {
    ifd__ring *ring;
    bool patient; /* waits for room instead of dropping */
} writer;

static void *write_many(void *argument)
{
    const writer *w = argument;
    for (uint64_t k = 0; k < MANY; k++) {
        while (w->patient && ifd__ring_full(w->ring))
            sched_yield();
        (void)put(w->ring, k);
    }
    while (ifd__ring_full(w->ring))
        sched_yield();
    (void)put(w->ring, MANY);
    return NULL;
}

/* Every record that arrives is whole, in order, and the losses it reports are exactly the gap before it. */
static uint64_t read_many(const writer *w)
{
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, write_many, (void *)(uintptr_t)w), 0);
    uint64_t next = 0, lost, losses = 0;
    bool good = true;
    while (next <= MANY) {
        const message *m = ifd__ring_front(w->ring, &lost);
        if (!m) {
            sched_yield();
            continue;
        }
        good = good && m->number == next + lost && m->square == m->number * m->number;
        next = m->number + 1;
        losses += lost;
        ifd__ring_pop(w->ring);
    }
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(good);
    assert_int_equal(losses, ifd__ring_dropped(w->ring));
    return losses;
}

TEST_IN_ARENA(a_million_records_pass_between_two_threads)
{
    writer w = {ring_of(*state, sizeof(message), 256), true};
    assert_int_equal(read_many(&w), 0);
}

TEST_IN_ARENA(a_writer_that_never_waits_loses_records_but_not_count)
{
    writer w = {ring_of(*state, sizeof(message), 4), false};
    assert_true(read_many(&w) > 0);
}

TESTS()
