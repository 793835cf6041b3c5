/* SPDX-License-Identifier: MIT */
/* Gives the host of an FMU the scheduling of the thread that asks it. */
#include "fmi/rank.h"

#include <pthread.h>
#include <sched.h>

enum { DEADLINE = 6 /* SCHED_DEADLINE, which the C library does not define */, BELOW_DEADLINE = 79 };

static int policy_of(pid_t pid)
{
    return sched_getscheduler(pid) & ~SCHED_RESET_ON_FORK;
}

/* Returns the resulting priority. */
static int schedule(pid_t pid, int priority)
{
    struct sched_param wish = {.sched_priority = priority}, now = {0};
    (void)sched_setscheduler(pid, priority > 0 ? SCHED_FIFO : SCHED_OTHER, &wish);
    return policy_of(pid) == SCHED_FIFO && sched_getparam(pid, &now) == 0 ? now.sched_priority : 0;
}

/* Moves it off the only core of the calling thread if it may use another core. */
static bool step_aside(pid_t pid)
{
    cpu_set_t own, its;
    if (pthread_getaffinity_np(pthread_self(), sizeof own, &own) != 0 || CPU_COUNT(&own) != 1 ||
        sched_getaffinity(pid, sizeof its, &its) != 0)
        return false;
    CPU_XOR(&own, &own, &its); /* the other cores, if its set contains that core */
    CPU_AND(&own, &own, &its);
    return CPU_COUNT(&own) > 0 && sched_setaffinity(pid, sizeof own, &own) == 0;
}

void ifd__fmu_rank_follow(pid_t pid, ifd__fmu_rank *out)
{
    struct sched_param own = {0};
    int policy = policy_of(0);
    (void)sched_getparam(0, &own);
    bool fifo = policy == SCHED_FIFO || policy == SCHED_RR;
    out->realtime = fifo || policy == DEADLINE;
    int wish = !out->realtime ? 0 : !fifo ? BELOW_DEADLINE : own.sched_priority > 1 ? own.sched_priority - 1 : 1;
    out->priority = schedule(pid, wish);
    out->aside = out->realtime && step_aside(pid);
}

bool ifd__fmu_rank_grantable(pid_t pid)
{
    bool granted = schedule(pid, 1) == 1;
    (void)schedule(pid, 0);
    return granted;
}
