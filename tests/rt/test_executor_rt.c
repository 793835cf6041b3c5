/* SPDX-License-Identifier: MIT */
/* The tick thread between two ticks: no allocation, and no system call except the sleep. The second is checked
 * externally, by strace, on a run of this program. */
#include "check.h"

#include "alloc_count.h"
#include "scratch.h"

#include <interfield/executor.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FIRST = 10, LAST = 510 };
static const char mark[] = "interfield mark";

typedef struct marked {
    long ticks;
    long calls; /* of the allocator between the two marks; -1 before */
    bool marks; /* marked by a system call that fails */
    double values[50];
} marked;

static ifd_run_state tick(void *self, const ifd_tick_in *in)
{
    marked *m = self;
    m->ticks++;
    m->values[m->ticks % 50] = in->late;
    bool edge = m->ticks == FIRST || m->ticks == LAST;
    if (m->marks && edge && write(-1, mark, sizeof mark - 1) >= 0)
        return IFD_RUN_FAULT;
    if (m->ticks == FIRST)
        alloc_arm();
    if (m->ticks < LAST)
        return IFD_RUN_GOING;
    m->calls = alloc_disarm();
    return IFD_RUN_DONE;
}

static const double *values(const void *self)
{
    return ((const marked *)self)->values;
}

static const ifd_tick_trace *traced(const void *self)
{
    static const ifd_tick_trace none;
    (void)self;
    return &none;
}

static ifd_executor_report run(marked *m, double period)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_executor_options o;
    ifd_ticked t = {.self = m, .tick = tick, .values = values, .count = 50, .trace = traced};
    ifd_executor *e;
    ifd_executor_report report = {.ticks = -1};
    ifd_executor_defaults(&o);
    o.period = period;
    if (ifd_executor_open(arena, &o, &t, &e, NULL) == IFD_OK) {
        ifd_tick_record r;
        for (bool last = false; !last; usleep(1000)) {
            last = ifd_executor_finished(e);
            while (ifd_executor_next(e, &r)) {
            }
        }
        ifd_executor_close(e, &report);
    }
    ifd_arena_close(arena);
    return report;
}

static void a_tick_takes_no_memory_with_and_without_a_clock(void **state)
{
    (void)state;
    const double periods[] = {5e-4, 0};
    for (int k = 0; k < 2; k++) {
        marked m = {.calls = -1};
        ifd_executor_report report = run(&m, periods[k]);
        assert_int_equal(report.ticks, LAST);
        assert_int_equal(m.calls, 0);
    }
}

/* The kernel can move a locked page, which is a page fault: one run of three without faults is sufficient. */
static void locked_memory_means_no_page_fault(void **state)
{
    (void)state;
    long least = -1;
    for (int k = 0; k < 3 && least != 0; k++) {
        marked m = {.calls = -1};
        ifd_executor_report report = run(&m, 5e-4);
        if (!report.locked) {
            print_message("memory is not locked here, so page faults may happen\n");
            skip();
        }
        least = least < 0 || report.faults < least ? report.faults : least;
    }
    assert_int_equal(least, 0);
}

/* One line of `strace -f`: "1234  clock_nanosleep(...". Returns the text after the number. */
static const char *after_thread(const char *line, long *thread)
{
    char *end;
    *thread = strtol(line, &end, 10);
    return end + strspn(end, " ");
}

typedef struct trace {
    long thread, marks, sleeps, others;
    char other[160]; /* the first that is not permitted */
} trace;

static void read_trace(FILE *file, trace *t)
{
    char line[512];
    while (fgets(line, sizeof line, file)) {
        long thread;
        const char *call = after_thread(line, &thread);
        if (strstr(call, mark)) {
            t->marks++;
            t->thread = thread;
        } else if (t->marks == 1 && thread == t->thread) {
            bool sleeps = strncmp(call, "clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME", 46) == 0;
            bool resumed = strncmp(call, "<... clock_nanosleep resumed>", 29) == 0 ||
                           (t->sleeps == 0 && strncmp(call, "<... write resumed>", 19) == 0); /* the mark itself */
            t->sleeps += sleeps;
            if (!sleeps && !resumed && t->others++ == 0)
                snprintf(t->other, sizeof t->other, "%.150s", call);
        }
    }
}

static bool strace_works(void)
{
    return system("strace -o /dev/null true >/dev/null 2>&1") == 0;
}

static void the_tick_makes_no_system_call_but_its_sleep(void **state)
{
    (void)state;
    if (!strace_works()) {
        print_message("strace is absent or may not trace here\n");
        skip();
    }
    char self[400], command[800], folder[SCRATCH_PATH], path[SCRATCH_PATH + 8];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    assert_true(length > 0);
    self[length] = '\0';
    assert_true(scratch_make(folder));
    snprintf(path, sizeof path, "%s/trace", folder);
    snprintf(command, sizeof command, "strace -f -o %s '%s' --traced >/dev/null 2>&1", path, self);
    int status = system(command);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    trace t = {0};
    read_trace(file, &t);
    fclose(file);
    scratch_remove(folder);
    assert_int_equal(status, 0);
    assert_int_equal(t.marks, 2);
    if (t.others)
        print_error("%ld other system calls, the first: %s\n", t.others, t.other);
    assert_int_equal(t.others, 0);
    assert_int_equal(t.sleeps, LAST - FIRST);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--traced") == 0) {
        marked m = {.calls = -1, .marks = true};
        return run(&m, 2e-3).ticks == LAST ? 0 : 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tick_takes_no_memory_with_and_without_a_clock),
        cmocka_unit_test(locked_memory_means_no_page_fault),
        cmocka_unit_test(the_tick_makes_no_system_call_but_its_sleep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
