/* SPDX-License-Identifier: MIT */
/* The counter itself: a no-allocation test requires that the counter detects every kind of allocation. */
#include "check.h"

#include "rt/alloc_count.h"

#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Prevents the compiler from removing a pair of malloc and free. */
static void *volatile sink;

static long calls_of(void (*act)(void))
{
    alloc_arm();
    act();
    return alloc_disarm();
}

static void nothing(void)
{
}

static void take_and_give(void)
{
    sink = malloc(100);
    free(sink);
}

static void zeroed(void)
{
    sink = calloc(3, 5);
    sink = realloc(sink, 1000);
    free(sink);
}

static void aligned(void)
{
    void *p = NULL;
    sink = aligned_alloc(64, 128);
    free(sink);
    if (posix_memalign(&p, 64, 100) == 0)
        free(p);
    sink = memalign(32, 10);
    free(sink);
}

static void duplicate(void)
{
    sink = strdup("a copy made inside the C library");
    free(sink);
}

static void open_a_file(void)
{
    FILE *file = fopen("/dev/null", "r");
    if (file)
        fclose(file);
}

static void read_a_line(void)
{
    static FILE *file;
    char *line = NULL;
    size_t size = 0;
    if (!file)
        file = fopen("/proc/self/status", "r");
    if (file && getline(&line, &size, file) > 0)
        free(line);
}

TEST(a_quiet_stretch_counts_zero)
{
    assert_int_equal(calls_of(nothing), 0);
}

TEST(every_kind_of_allocation_counts)
{
    assert_int_equal(calls_of(take_and_give), 2);
    assert_int_equal(calls_of(zeroed), 3);
    assert_int_equal(calls_of(aligned), 6);
}

TEST(allocation_inside_the_c_library_counts)
{
    assert_int_equal(calls_of(duplicate), 2);
    assert_true(calls_of(open_a_file) >= 2);
    read_a_line(); /* opens the file, unarmed */
    assert_true(calls_of(read_a_line) >= 2);
}

TEST(arming_again_starts_from_zero_and_disarming_stops)
{
    assert_int_equal(calls_of(take_and_give), 2);
    take_and_give();
    assert_int_equal(alloc_disarm(), 2);
    assert_int_equal(calls_of(take_and_give), 2);
}

static void *other_thread(void *unused)
{
    (void)unused;
    for (int k = 0; k < 100; k++)
        take_and_give();
    return NULL;
}

TEST(a_thread_counts_its_own_calls_only)
{
    pthread_t thread;
    long before = alloc_elsewhere();
    take_and_give();
    assert_int_equal(alloc_elsewhere(), before); /* no thread is armed */
    alloc_arm();
    int made = pthread_create(&thread, NULL, other_thread, NULL);
    if (made == 0)
        pthread_join(thread, NULL);
    long own = alloc_disarm(); /* allocations of creating a thread, far below 200 */
    assert_int_equal(made, 0);
    assert_true(own < 100);
    assert_true(alloc_elsewhere() - before >= 200);
}

TEST(aligned_memory_is_aligned)
{
    void *p = NULL;
    assert_int_equal(posix_memalign(&p, 4096, 10), 0);
    assert_int_equal((uintptr_t)p % 4096, 0);
    free(p);
    assert_int_not_equal(posix_memalign(&p, 3, 10), 0);
    p = aligned_alloc(64, 64);
    assert_int_equal((uintptr_t)p % 64, 0);
    free(p);
}

TESTS()
