/* SPDX-License-Identifier: MIT */
/* Clock, threads, priorities and cores of Linux. */
#include "base/os_linux.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

enum { DEADLINE = 6 }; /* SCHED_DEADLINE, which the C library does not define */
enum { STACK = 2 * 1024 * 1024, STACK_TOUCHED = 256 * 1024, LEAST_PAGE = 4096 };
static const int64_t second = 1000000000;

int64_t ifd__clock_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * second + now.tv_nsec;
}

static int64_t read_clock(clockid_t clock)
{
    struct timespec now;
    return clock_gettime(clock, &now) == 0 ? (int64_t)now.tv_sec * second + now.tv_nsec : 0;
}

/* The shortest of several readings, which is the least disturbed one. */
static int64_t offset_of(clockid_t clock)
{
    enum { TRIES = 8 };
    int64_t offset = 0, least = INT64_MAX;
    for (int i = 0; i < TRIES; i++) {
        int64_t before = ifd__clock_now(), there = read_clock(clock), after = ifd__clock_now();
        if (after - before < least) {
            least = after - before;
            offset = there - (before + (after - before) / 2);
        }
    }
    return offset;
}

void ifd__clock_offsets(int64_t *utc, int64_t *tai)
{
    *utc = offset_of(CLOCK_REALTIME);
    *tai = offset_of(CLOCK_TAI);
}

void ifd__clock_sleep(int64_t until)
{
    struct timespec due = {.tv_sec = (time_t)(until / second), .tv_nsec = (long)(until % second)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL) == EINTR) {
    }
}

bool ifd__thread_schedule(int priority)
{
    int policy = SCHED_OTHER;
    struct sched_param now = {0}, wish = {.sched_priority = priority};
    (void)prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
    if (pthread_getschedparam(pthread_self(), &policy, &now) != 0)
        return false;
    bool special = policy == SCHED_FIFO || policy == SCHED_RR;
    if (priority > 0 || special)
        (void)pthread_setschedparam(pthread_self(), priority > 0 ? SCHED_FIFO : SCHED_OTHER, &wish);
    return pthread_getschedparam(pthread_self(), &policy, &now) == 0 && policy == SCHED_FIFO;
}

/* Structure of the kernel (sched_setattr(2)); the C library has no wrapper. */
typedef struct deadline_wish {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period; /* ns */
} deadline_wish;

bool ifd__thread_deadline(int64_t period)
{
    enum { RESET_ON_FORK = 1 };
    static const double share[] = {0.8, 0.5};
    for (size_t i = 0; i < sizeof share / sizeof *share; i++) {
        deadline_wish wish = {.size = sizeof wish,
                              .policy = DEADLINE,
                              .flags = RESET_ON_FORK,
                              .runtime = (uint64_t)(share[i] * (double)period),
                              .deadline = (uint64_t)period,
                              .period = (uint64_t)period};
        if (syscall(SYS_sched_setattr, 0, &wish, 0U) == 0)
            return (sched_getscheduler(0) & ~SCHED_RESET_ON_FORK) == DEADLINE;
    }
    return false;
}

bool ifd__thread_pin(int core)
{
    cpu_set_t set;
    if (core >= 0 && core < CPU_SETSIZE) {
        CPU_ZERO(&set);
        CPU_SET((size_t)core, &set);
        (void)pthread_setaffinity_np(pthread_self(), sizeof set, &set);
    }
    return pthread_getaffinity_np(pthread_self(), sizeof set, &set) == 0 && CPU_COUNT(&set) == 1 &&
           (core < 0 || (core < CPU_SETSIZE && CPU_ISSET((size_t)core, &set)));
}

void ifd__thread_avoid(int core)
{
    cpu_set_t set;
    if (core < 0 || core >= CPU_SETSIZE || pthread_getaffinity_np(pthread_self(), sizeof set, &set) != 0)
        return;
    CPU_CLR((size_t)core, &set);
    if (CPU_COUNT(&set) > 0)
        (void)pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

bool ifd__core_listed(const char *list, int core)
{
    for (const char *p = list; *p >= '0' && *p <= '9';) {
        char *end;
        long first = strtol(p, &end, 10), last = first;
        if (*end == '-')
            last = strtol(end + 1, &end, 10);
        if (core >= first && core <= last)
            return true;
        p = *end == ',' ? end + 1 : end;
    }
    return false;
}

bool ifd__thread_isolated(void)
{
    char list[1024] = "";
    int file = open("/sys/devices/system/cpu/isolated", O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    ssize_t length = read(file, list, sizeof list - 1);
    close(file);
    cpu_set_t set;
    if (length <= 0 || pthread_getaffinity_np(pthread_self(), sizeof set, &set) != 0)
        return false;
    for (int core = 0; core < CPU_SETSIZE; core++)
        if (CPU_ISSET((size_t)core, &set) && !ifd__core_listed(list, core))
            return false;
    return true;
}

int ifd__thread_start(pthread_t *out, void *(*serve)(void *), void *self)
{
    sigset_t all, before;
    pthread_attr_t facts;
    sigfillset(&all);
    int failed = pthread_attr_init(&facts);
    if (failed)
        return failed;
    failed = pthread_attr_setstacksize(&facts, STACK);
    if (!failed)
        failed = pthread_sigmask(SIG_SETMASK, &all, &before);
    if (!failed) {
        failed = pthread_create(out, &facts, serve, self);
        (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    (void)pthread_attr_destroy(&facts);
    return failed;
}

void ifd__thread_follow(pthread_t thread, const void *cores, int nth)
{
    const cpu_set_t *allowed = cores;
    cpu_set_t mine, one;
    struct sched_param urgency;
    int policy = sched_getscheduler(0); /* system call, because the C library does not support deadlines */
    bool known = policy >= 0 && sched_getparam(0, &urgency) == 0;
    if (known && (policy & ~SCHED_RESET_ON_FORK) == DEADLINE) { /* a reservation is not inherited: highest priority
                                                                 * instead */
        policy = SCHED_FIFO;
        urgency.sched_priority = sched_get_priority_max(SCHED_FIFO);
    }
    if (known)
        (void)pthread_setschedparam(thread, policy, &urgency);
    bool pinned = pthread_getaffinity_np(pthread_self(), sizeof mine, &mine) == 0 && CPU_COUNT(&mine) == 1;
    int left = CPU_COUNT(allowed) < 2 ? -1 : nth;
    if (!pinned) /* the system may move the caller to any core: a fixed one could become its own */
        (void)pthread_setaffinity_np(thread, sizeof *allowed, allowed);
    for (size_t core = CPU_SETSIZE; pinned && core-- > 0;)
        if (CPU_ISSET(core, allowed) && !CPU_ISSET(core, &mine) && left-- == 0) {
            CPU_ZERO(&one);
            CPU_SET(core, &one);
            (void)pthread_setaffinity_np(thread, sizeof one, &one);
            return;
        }
}

__attribute__((noinline)) void ifd__thread_touch_stack(void)
{
    volatile unsigned char stack[STACK_TOUCHED];
    for (size_t i = 0; i < sizeof stack; i += LEAST_PAGE)
        stack[i] = 1;
    stack[sizeof stack - 1] = stack[0];
}

/* Locks the stack of the calling thread if locking of all memory is refused. */
static void lock_stack(void)
{
    pthread_attr_t facts;
    void *start;
    size_t size;
    if (pthread_getattr_np(pthread_self(), &facts) != 0)
        return;
    if (pthread_attr_getstack(&facts, &start, &size) == 0)
        (void)mlock(start, size);
    (void)pthread_attr_destroy(&facts);
}

bool ifd__memory_lock(void)
{
    if (mlockall(MCL_CURRENT) == 0)
        return true;
    lock_stack();
    return false;
}

void ifd__denormals_flush(void)
{
#if defined(__SSE2__)
    _mm_setcsr(_mm_getcsr() | 0x8040u); /* results flush to zero, denormal operands count as zero */
#elif defined(__aarch64__)
    uint64_t control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    control |= (uint64_t)1 << 24;
    __asm__ volatile("msr fpcr, %0" : : "r"(control));
#endif
}

void ifd__thread_disturbances(long *faults, long *preempted)
{
    struct rusage use;
    memset(&use, 0, sizeof use);
    (void)getrusage(RUSAGE_THREAD, &use);
    *faults = use.ru_minflt + use.ru_majflt;
    *preempted = use.ru_nivcsw;
}

/* Linux applies the request as long as the file is open (Documentation/power/pm_qos_interface). */
int ifd__awake_open(void)
{
    const int32_t microseconds = 0;
    int file = open("/dev/cpu_dma_latency", O_WRONLY | O_CLOEXEC);
    if (file >= 0 && write(file, &microseconds, sizeof microseconds) != (ssize_t)sizeof microseconds) {
        close(file);
        file = -1;
    }
    return file;
}

void ifd__awake_close(int handle)
{
    if (handle >= 0)
        close(handle);
}
