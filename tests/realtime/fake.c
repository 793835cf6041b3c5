/* SPDX-License-Identifier: MIT */
#include "realtime/fake.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <time.h>

void fake_init(fake *f, long last)
{
    memset(f, 0, sizeof *f);
    f->last = last;
    f->ending = IFD_RUN_DONE;
    f->values[FAKE_SEQUENCE] = 0.3;
    atomic_init(&f->waiting, false);
    atomic_init(&f->pass, false);
}

static void sleep_for(double seconds)
{
    struct timespec rest = {.tv_sec = (time_t)seconds, .tv_nsec = (long)(1e9 * (seconds - (double)(time_t)seconds))};
    nanosleep(&rest, NULL);
}

static void look_around(fake *f)
{
    cpu_set_t cores;
    sigset_t blocked;
    f->policy = sched_getscheduler(0); /* from the kernel, as the C library stores its own value */
    f->cores = pthread_getaffinity_np(pthread_self(), sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : -1;
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    f->signals = !sigismember(&blocked, SIGINT) + !sigismember(&blocked, SIGTERM);
}

static ifd_run_state tick(void *self, const ifd_tick_in *in)
{
    fake *f = self;
    volatile double tiny = 1e-300;
    f->ticks++;
    f->orders[in->order]++;
    f->values[FAKE_TICK] = (double)f->ticks;
    f->values[FAKE_SEQUENCE] = 3.9 * f->values[FAKE_SEQUENCE] * (1 - f->values[FAKE_SEQUENCE]);
    f->values[FAKE_LATE] = in->late;
    f->values[FAKE_IS_LATE] = in->gate & IFD_GATE_LATE ? 1.0 : 0.0;
    f->values[FAKE_TINY] = tiny * 1e-20;
    if (f->ticks == 1)
        look_around(f);
    if (f->ticks == f->slow)
        sleep_for(f->nap);
    if (f->ticks == f->gate) {
        atomic_store(&f->waiting, true);
        while (!atomic_load(&f->pass))
            sleep_for(1e-4);
    }
    return f->ticks < f->last ? IFD_RUN_GOING : f->ending;
}

static const double *values(const void *self)
{
    return ((const fake *)self)->values;
}

ifd_ticked fake_ticked(fake *f)
{
    return (ifd_ticked){.self = f, .tick = tick, .values = values, .count = FAKE_VALUES};
}
