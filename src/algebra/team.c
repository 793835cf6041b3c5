/* SPDX-License-Identifier: MIT */
/* Threads that share one computation at set-up. */
#include "algebra/team.h"

#include <cblas.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "base/os_linux.h"

enum { SPINS = 4000 /* then other threads may run */ };

struct ifd__team {
    void (*job)(void *shared, ifd__team *team, int me);
    void *shared;
    atomic_int size; /* 0 until all threads are started */
    atomic_int arrived, round;
    atomic_int counter[2];
};

typedef struct member {
    ifd__team *team;
    int me;
} member;

int ifd__team_cores(void)
{
    cpu_set_t allowed;
    int cores = sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 1;
    return cores < 1 ? 1 : cores > IFD__TEAM_MOST ? IFD__TEAM_MOST : cores;
}

void ifd__blas_alone(void)
{
#ifdef OPENBLAS_VERSION
    openblas_set_num_threads(1);
#endif
}

const char *ifd__blas_name(void)
{
#ifdef OPENBLAS_VERSION
    return openblas_get_config();
#else
    return "unknown";
#endif
}

static void wait_while(atomic_int *what, int value)
{
    for (int spin = 0; atomic_load_explicit(what, memory_order_acquire) == value; spin++)
        if (spin > SPINS)
            sched_yield();
}

static void *serve(void *argument)
{
    const member *m = argument;
    wait_while(&m->team->size, 0);
    m->team->job(m->team->shared, m->team, m->me);
    return NULL;
}

void ifd__team_run(int threads, void (*job)(void *shared, ifd__team *team, int me), void *shared)
{
    ifd__team team = {.job = job, .shared = shared};
    pthread_t thread[IFD__TEAM_MOST];
    member list[IFD__TEAM_MOST];
    int size = 1;
    threads = threads > IFD__TEAM_MOST ? IFD__TEAM_MOST : threads;
    for (; size < threads; size++) {
        list[size] = (member){&team, size};
        if (ifd__thread_start(&thread[size], serve, &list[size]) != 0)
            break;
    }
    atomic_store_explicit(&team.size, size, memory_order_release);
    job(shared, &team, 0);
    for (int k = 1; k < size; k++)
        pthread_join(thread[k], NULL);
}

int ifd__team_size(const ifd__team *team)
{
    return atomic_load_explicit(&team->size, memory_order_relaxed);
}

void ifd__team_meet(ifd__team *team)
{
    int round = atomic_load_explicit(&team->round, memory_order_relaxed);
    if (atomic_fetch_add_explicit(&team->arrived, 1, memory_order_acq_rel) + 1 < ifd__team_size(team)) {
        wait_while(&team->round, round);
        return;
    }
    atomic_store_explicit(&team->arrived, 0, memory_order_relaxed);
    atomic_store_explicit(&team->round, round + 1, memory_order_release);
}

int ifd__team_next(ifd__team *team, int counter)
{
    return atomic_fetch_add_explicit(&team->counter[counter], 1, memory_order_relaxed);
}
