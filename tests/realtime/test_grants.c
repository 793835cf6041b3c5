/* SPDX-License-Identifier: MIT */
/* The reported rights of the executor equal those observed on the tick thread and in the kernel: with the privileges
 * of this test, and in a child process without any. */
#include "check.h"

#include "realtime/fake.h"
#include "base/os_linux.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0 /* the sanitizers make locking memory an empty success */
#endif

static int core_in_use(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 0;
    int core = 0;
    while (core < CPU_SETSIZE - 1 && !CPU_ISSET((size_t)core, &set))
        core++;
    return core;
}

/* kB of locked memory, from the kernel. */
static long locked_kb(void)
{
    FILE *file = fopen("/proc/self/status", "r");
    char line[256];
    long kb = -1;
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "VmLck: %ld", &kb) == 1)
            break;
    if (file)
        fclose(file);
    return kb;
}

typedef struct outcome {
    ifd_executor_report report;
    fake seen;
    long locked; /* kB while it ran */
} outcome;

static outcome outcome_of(const ifd_executor_options *o)
{
    static outcome out;
    ifd_arena *arena = ifd_arena_open();
    fake_init(&out.seen, 20);
    ifd_ticked t = fake_ticked(&out.seen);
    ifd_executor *e = NULL;
    if (ifd_executor_open(arena, o, &t, &e, NULL) != IFD_OK)
        abort();
    out.locked = locked_kb();
    ifd_executor_close(e, &out.report);
    ifd_arena_close(arena);
    return out;
}

static ifd_executor_options everything(void)
{
    ifd_executor_options o;
    ifd_executor_defaults(&o);
    o.core = core_in_use();
    o.ring = 16;
    return o;
}

TEST(what_is_reported_is_what_the_tick_sees)
{
    ifd_executor_options o = everything();
    outcome x = outcome_of(&o);
    print_message("fifo %d, locked %d (%ld kB), pinned %d, isolated %d, awake %d\n", x.report.fifo, x.report.locked,
                  x.locked, x.report.pinned, x.report.isolated, x.report.awake);
    assert_int_equal(x.report.ticks, 20);
    assert_int_equal(x.report.fifo, x.seen.policy == SCHED_FIFO);
    assert_int_equal(x.report.pinned, x.seen.cores == 1);
    assert_true(x.report.pinned); /* a core that this process may use */
    if (x.report.locked && !SANITIZED)
        assert_true(x.locked > 1000); /* the C library alone is larger */
}

TEST(what_is_not_asked_for_is_not_taken)
{
    ifd_executor_options o = everything();
    o.priority = 0;
    o.core = -1;
    o.lock_memory = false;
    outcome x = outcome_of(&o);
    assert_false(x.report.fifo || x.report.locked || x.report.awake);
    assert_int_not_equal(x.seen.policy, SCHED_FIFO);
    assert_int_equal(x.report.pinned, x.seen.cores == 1);
}

TEST(a_core_that_does_not_exist_is_not_granted)
{
    ifd_executor_options o = everything();
    const int cores[] = {CPU_SETSIZE - 1, CPU_SETSIZE, 1 << 20};
    for (size_t k = 0; k < COUNT(cores); k++) {
        o.core = cores[k];
        outcome x = outcome_of(&o);
        assert_false(x.report.pinned);
        assert_int_equal(x.report.ticks, 20);
    }
}

TEST(a_run_without_a_clock_is_never_fifo)
{
    ifd_executor_options o = everything();
    o.period = 0;
    outcome x = outcome_of(&o);
    assert_false(x.report.fifo);
    assert_int_equal(x.seen.policy, SCHED_OTHER);
    /* Nor if the opening thread has them, where permitted. */
    struct sched_param high = {.sched_priority = 10}, none = {0};
    if (pthread_setschedparam(pthread_self(), SCHED_FIFO, &high) == 0) {
        x = outcome_of(&o);
        assert_int_equal(pthread_setschedparam(pthread_self(), SCHED_OTHER, &none), 0);
        assert_false(x.report.fifo);
        assert_int_equal(x.seen.policy, SCHED_OTHER);
    }
}

/* A reservation, or the rights without one. */
TEST(a_deadline_is_what_the_tick_runs_under_or_it_is_not_claimed)
{
    enum { DEADLINE = 6 };
    ifd_executor_options o = everything();
    o.deadline = true;
    o.core = -1;
    outcome x = outcome_of(&o);
    print_message("deadline %d, fifo %d\n", x.report.deadline, x.report.fifo);
    assert_int_equal(x.report.ticks, 20);
    assert_int_equal(x.report.deadline, (x.seen.policy & ~SCHED_RESET_ON_FORK) == DEADLINE);
    assert_int_equal(x.report.fifo, x.seen.policy == SCHED_FIFO);
    o.period = 0;
    x = outcome_of(&o);
    assert_false(x.report.deadline);
    assert_int_equal(x.seen.policy, SCHED_OTHER);
}

static bool give_up_privileges(void)
{
    const struct rlimit nothing = {0, 0};
    if (setrlimit(RLIMIT_RTPRIO, &nothing) != 0 || setrlimit(RLIMIT_MEMLOCK, &nothing) != 0)
        return false;
    /* A change from root to another user drops every capability. */
    return geteuid() != 0 || setresuid(65534, 65534, 65534) == 0;
}

/* Exit status: a bit for each wrong claim; 128 if the privileges could not be dropped. */
static int claims_without_privileges(void)
{
    if (!give_up_privileges())
        return 128;
    ifd_executor_options o = everything();
    o.deadline = true;
    outcome x = outcome_of(&o);
    return x.report.fifo | x.report.deadline | (x.seen.policy == SCHED_FIFO) << 1 |
           (x.report.locked && !SANITIZED) << 2 | (x.locked > 0) << 3 | (x.report.ticks != 20) << 4 |
           x.report.awake << 5 | !x.report.pinned << 6;
}

TEST(without_privileges_it_runs_and_says_what_it_lacks)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        _exit(claims_without_privileges());
    int status = 0;
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 128) {
        print_message("privileges could not be given up here\n");
        skip();
    }
    assert_int_equal(WEXITSTATUS(status), 0);
}

TEST(the_kernel_s_list_of_cores_is_read)
{
    assert_true(ifd__core_listed("1-3,6", 1));
    assert_true(ifd__core_listed("1-3,6", 3));
    assert_true(ifd__core_listed("1-3,6\n", 6));
    assert_false(ifd__core_listed("1-3,6", 4));
    assert_false(ifd__core_listed("1-3,6", 0));
    assert_false(ifd__core_listed("\n", 0));
    assert_false(ifd__core_listed("", 0));
    assert_true(ifd__core_listed("12", 12));
    assert_false(ifd__core_listed("12", 1));
}

TEST(an_instant_in_the_past_is_not_waited_for)
{
    int64_t before = ifd__clock_now();
    ifd__clock_sleep(before - 1000000000);
    ifd__clock_sleep(before + 3000000);
    int64_t after = ifd__clock_now();
    assert_true(after >= before + 3000000);
    assert_true(after < before + 100000000000); /* a busy machine can stall for a while */
}

TESTS()
