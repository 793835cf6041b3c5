/* SPDX-License-Identifier: MIT */
/* A thread that runs one job at a time beside the tick. */
#include "couple/worker.h"

#include <errno.h>
#include <fenv.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <time.h>

#include "algebra/team.h"
#include "base/arena.h"
#include "base/os_linux.h"

struct ifd__worker {
    pthread_t thread;
    int number;
    sem_t start, ready;
    atomic_bool leave;
    /* Started and finished jobs. The semaphores already order memory; these counters do so for race detectors that do
     * not support sem_clockwait. */
    atomic_ulong begun, done;
    bool open;
    pthread_t master;   /* thread of the last begin */
    cpu_set_t allowed;  /* cores of the thread that opened the worker */
    fenv_t environment; /* of the caller at begin */
    void (*job)(void *);
    void *argument;
};

static void *serve(void *argument)
{
    ifd__worker *w = argument;
    for (;;) {
        while (sem_wait(&w->start) != 0 && errno == EINTR) {
        }
        if (atomic_load(&w->leave))
            return NULL;
        unsigned long job = atomic_load_explicit(&w->begun, memory_order_acquire);
        fesetenv(&w->environment);
        w->job(w->argument);
        atomic_store_explicit(&w->done, job, memory_order_release);
        sem_post(&w->ready);
    }
}

/* Called before the first job of a new master. */
static void follow(ifd__worker *w)
{
    w->master = pthread_self();
    ifd__thread_follow(w->thread, &w->allowed, w->number);
}

static void close_at_end(void *worker)
{
    ifd__worker_close(worker);
}

ifd_status ifd__worker_open(ifd_arena *arena, int number, void (*job)(void *), void *argument, ifd__worker **out)
{
    ifd__worker *w;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(w, 1)));
    w->number = number;
    w->job = job;
    w->argument = argument;
    atomic_init(&w->leave, false);
    atomic_init(&w->begun, 0);
    atomic_init(&w->done, 0);
    if (sem_init(&w->start, 0, 0) != 0 || sem_init(&w->ready, 0, 0) != 0)
        return IFD_INTERNAL;
    if (pthread_getaffinity_np(pthread_self(), sizeof w->allowed, &w->allowed) != 0)
        CPU_ZERO(&w->allowed);
    if (pthread_create(&w->thread, NULL, serve, w) != 0)
        return IFD_NO_MEMORY;
    w->open = true;
    ifd__blas_alone();
    if (!ifd_arena_on_close(arena, close_at_end, w)) {
        ifd__worker_close(w);
        return IFD_NO_MEMORY;
    }
    follow(w);
    *out = w;
    return IFD_OK;
}

void ifd__worker_begin(ifd__worker *w)
{
    if (!pthread_equal(pthread_self(), w->master))
        follow(w);
    fegetenv(&w->environment);
    atomic_fetch_add_explicit(&w->begun, 1, memory_order_release);
    sem_post(&w->start);
}

IFD_RT static bool is_done(ifd__worker *w)
{
    return atomic_load_explicit(&w->done, memory_order_acquire) ==
           atomic_load_explicit(&w->begun, memory_order_relaxed);
}

bool ifd__worker_wait(ifd__worker *w, double seconds)
{
    if (sem_trywait(&w->ready) == 0)
        return is_done(w);
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += (time_t)seconds;
    until.tv_nsec += (long)((seconds - (double)(time_t)seconds) * 1e9);
    if (until.tv_nsec >= 1000000000L) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000L;
    }
    int result;
    while ((result = sem_clockwait(&w->ready, CLOCK_MONOTONIC, &until)) != 0 && errno == EINTR) {
    }
    return result == 0 && is_done(w);
}

void ifd__worker_close(ifd__worker *w)
{
    if (!w->open)
        return;
    w->open = false;
    atomic_store(&w->leave, true);
    sem_post(&w->start);
    pthread_join(w->thread, NULL);
    sem_destroy(&w->start);
    sem_destroy(&w->ready);
}
