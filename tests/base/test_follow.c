/* SPDX-License-Identifier: MIT */
/* Cores of a thread that follows another one. */
#include "check.h"

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>

#include "base/os_linux.h"

static void *wait_for_end(void *end)
{
    while (sem_wait(end) != 0) {
    }
    return NULL;
}

/* Cores of a thread, which had the first one only, after it has followed the calling one, which may use `mine`. */
static cpu_set_t followed(const cpu_set_t *mine, const cpu_set_t *allowed, int nth)
{
    cpu_set_t before, out, first;
    size_t core = 0;
    while (!CPU_ISSET(core, allowed))
        core++;
    CPU_ZERO(&first);
    CPU_SET(core, &first);
    pthread_t thread;
    sem_t end;
    assert_int_equal(sem_init(&end, 0, 0), 0);
    assert_int_equal(pthread_getaffinity_np(pthread_self(), sizeof before, &before), 0);
    assert_int_equal(pthread_create(&thread, NULL, wait_for_end, &end), 0);
    assert_int_equal(pthread_setaffinity_np(thread, sizeof first, &first), 0);
    assert_int_equal(pthread_setaffinity_np(pthread_self(), sizeof *mine, mine), 0);
    ifd__thread_follow(thread, allowed, nth);
    assert_int_equal(pthread_getaffinity_np(thread, sizeof out, &out), 0);
    assert_int_equal(pthread_setaffinity_np(pthread_self(), sizeof before, &before), 0);
    sem_post(&end);
    assert_int_equal(pthread_join(thread, NULL), 0);
    sem_destroy(&end);
    return out;
}

/* On a fixed core it would never run beside a caller that the system has moved there. */
TEST(a_thread_beside_a_free_caller_is_free)
{
    cpu_set_t all;
    assert_int_equal(pthread_getaffinity_np(pthread_self(), sizeof all, &all), 0);
    for (int nth = 0; nth < 2; nth++) {
        cpu_set_t got = followed(&all, &all, nth);
        if (CPU_COUNT(&all) > 1)
            assert_true(CPU_EQUAL(&got, &all));
    }
}

TEST(a_thread_beside_a_pinned_caller_has_another_core)
{
    cpu_set_t all, one;
    assert_int_equal(pthread_getaffinity_np(pthread_self(), sizeof all, &all), 0);
    if (CPU_COUNT(&all) < 2)
        skip();
    for (size_t core = 0; core < CPU_SETSIZE; core++) {
        if (!CPU_ISSET(core, &all))
            continue;
        CPU_ZERO(&one);
        CPU_SET(core, &one);
        cpu_set_t got = followed(&one, &all, 0);
        assert_int_equal(CPU_COUNT(&got), 1);
        assert_false(CPU_ISSET(core, &got));
    }
}

TESTS()
