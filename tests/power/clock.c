/* SPDX-License-Identifier: MIT */
#include "clock.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "base/os_linux.h"

int64_t __wrap_ifd__clock_now(void);
void __wrap_ifd__clock_sleep(int64_t until);

enum { MOST = 8 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t moved = PTHREAD_COND_INITIALIZER;
static int64_t now, wake[MOST]; /* 0: the place is free */
static int threads, asleep;
static bool going;

void clock_begin(int count)
{
    memset(wake, 0, sizeof wake); /* threads woken by clock_end left their places */
    asleep = 0;
    now = 1;
    threads = count;
    going = true;
}

void clock_end(void)
{
    pthread_mutex_lock(&lock);
    going = false;
    pthread_cond_broadcast(&moved);
    pthread_mutex_unlock(&lock);
}

int64_t clock_read(void)
{
    pthread_mutex_lock(&lock);
    int64_t t = now;
    pthread_mutex_unlock(&lock);
    return t;
}

/* A woken thread counts as awake before it runs, so that the clock stops until it sleeps again. */
static void move_on(void)
{
    int64_t first = INT64_MAX;
    for (int i = 0; i < MOST; i++)
        first = wake[i] && wake[i] < first ? wake[i] : first;
    now = first;
    for (int i = 0; i < MOST; i++)
        if (wake[i] == first) {
            wake[i] = 0;
            asleep--;
        }
    pthread_cond_broadcast(&moved);
}

void clock_wait(int64_t until)
{
    pthread_mutex_lock(&lock);
    if (!going)
        now = until > now ? until : now;
    if (going && until > now) {
        int i = 0;
        while (wake[i])
            i++;
        wake[i] = until;
        if (++asleep == threads)
            move_on();
        while (going && now < until)
            pthread_cond_wait(&moved, &lock);
    }
    pthread_mutex_unlock(&lock);
}

int64_t __wrap_ifd__clock_now(void)
{
    return clock_read();
}

void __wrap_ifd__clock_sleep(int64_t until)
{
    clock_wait(until);
}
