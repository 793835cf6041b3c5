/* SPDX-License-Identifier: MIT */
#include "method/fixtures.h"

#include <stdatomic.h>
#include <time.h>

#include "couple/worker.h"

typedef struct task {
    long nap;         /* ns */
    atomic_bool kept; /* the job does not end as long as this is true */
    int done;
} task;

static void work(void *argument)
{
    task *t = argument;
    do
        nanosleep(&(struct timespec){.tv_nsec = t->nap}, NULL);
    while (atomic_load(&t->kept));
    t->done++;
}

TEST_IN_ARENA(a_job_is_done_once_it_was_waited_for)
{
    task t = {0};
    ifd__worker *w;
    assert_int_equal(ifd__worker_open(*state, 0, work, &t, &w), IFD_OK);
    for (int i = 1; i <= 1000; i++) {
        ifd__worker_begin(w);
        assert_true(ifd__worker_wait(w, 60.0));
        assert_int_equal(t.done, i);
    }
}

/* A late job is reported, and may still be waited for: the worker is not lost. */
TEST_IN_ARENA(a_late_job_is_told_and_can_be_waited_for_again)
{
    task t = {.nap = 100000, .kept = true};
    ifd__worker *w;
    assert_int_equal(ifd__worker_open(*state, 0, work, &t, &w), IFD_OK);
    ifd__worker_begin(w);
    assert_false(ifd__worker_wait(w, 0.001));
    atomic_store(&t.kept, false);
    assert_true(ifd__worker_wait(w, 60.0));
    assert_int_equal(t.done, 1);
}

TEST_IN_ARENA(closing_twice_or_with_a_job_away_is_safe)
{
    task t = {.nap = 20000000};
    ifd__worker *w;
    assert_int_equal(ifd__worker_open(*state, 0, work, &t, &w), IFD_OK);
    ifd__worker_begin(w);
    ifd__worker_close(w); /* the job is finished, or was not begun and never will be */
    int done = t.done;
    nanosleep(&(struct timespec){.tv_nsec = 2 * t.nap}, NULL);
    assert_int_equal(t.done, done);
    ifd__worker_close(w);
}

TESTS()
