/* SPDX-License-Identifier: MIT */
/* A thread that awakes while another one writes the last line of events.log: it waits, and the chain is whole. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static ssize_t watched_write(int file, const void *text, size_t length);
#define write watched_write
#include "../../app/session/events.c"
#undef write

static events e;
static pthread_t other;
static atomic_int inside, calls, added;
static atomic_bool overlapped;

void ifd_events_chain_add(ifd_events_chain *c, const char *line, size_t length, char mark[IFD_CHAIN_MARK + 1])
{
    (void)c, (void)line, (void)length;
    memset(mark, '#', IFD_CHAIN_MARK);
    mark[IFD_CHAIN_MARK] = '\0';
    atomic_fetch_add(&added, 1);
}

static void *awake(void *self)
{
    events_say(&e, "awake");
    return self;
}

/* The first call gives the other thread a while to write, which it must not use. */
static ssize_t watched_write(int file, const void *text, size_t length)
{
    const struct timespec nap = {.tv_nsec = 1000000};
    if (atomic_fetch_add(&inside, 1) > 0)
        atomic_store(&overlapped, true);
    if (atomic_fetch_add(&calls, 1) == 0) {
        pthread_create(&other, NULL, awake, NULL);
        for (int k = 0; k < 300 && !atomic_load(&overlapped); k++)
            nanosleep(&nap, NULL);
    }
    ssize_t written = write(file, text, length);
    atomic_fetch_sub(&inside, 1);
    return written;
}

int main(void)
{
    if (!events_open(&e, "."))
        return 2;
    events_last_line(&e, "ended");
    pthread_join(other, NULL);
    bool good = !atomic_load(&overlapped) && atomic_load(&added) == 2 && !atomic_load(&e.busy);
    if (!good)
        printf("FAILED: two threads wrote lines of one chain at the same time\n");
    return !good;
}
