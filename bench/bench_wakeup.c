/* SPDX-License-Identifier: MIT */
/* Lateness of the tick, in blocks that alternate with cyclictest on the same core at the same priority; and cost of
 * the executor between two ticks.
 *
 *     bench_wakeup [PAIRS [SECONDS]]      3 pairs of blocks of 10 s for each rate
 *
 * Both lists of lateness are in whole microseconds, rounded down, as in cyclictest. */
#include <interfield/executor.h>

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/os_linux.h"

enum { BINS = 20000, VALUES = 50, MOST_PAIRS = 20, PRIORITY = 80 };

typedef struct counts {
    long bin[BINS]; /* us; the last contains all above */
    long all;
} counts;

typedef struct block {
    double p50, p99, p999, worst; /* us */
    long late;                    /* ticks later than a tenth of the period */
} block;

typedef struct dummy {
    long ticks, last;
    int64_t left; /* ns, end of the last tick */
    counts *gaps; /* ns between the end of a tick and the start of the next; NULL: not stored */
    double values[VALUES];
} dummy;

static ifd_run_state tick(void *self, const ifd_tick_in *in)
{
    dummy *d = self;
    int64_t entered = d->gaps ? ifd__clock_now() : 0;
    if (d->gaps && d->ticks) {
        int64_t gap = entered - d->left;
        d->gaps->bin[gap < BINS ? gap : BINS - 1]++;
        d->gaps->all++;
    }
    d->ticks++;
    for (int i = 0; i < VALUES; i++)
        d->values[i] = in->late + i;
    d->left = d->gaps ? ifd__clock_now() : 0;
    return d->ticks < d->last ? IFD_RUN_GOING : IFD_RUN_DONE;
}

static const double *values(const void *self)
{
    return ((const dummy *)self)->values;
}

static double percentile(const counts *c, double share)
{
    double seen = 0;
    for (int i = 0; i < BINS; i++) {
        seen += (double)c->bin[i];
        if (c->bin[i] && seen >= share * (double)c->all)
            return i;
    }
    return BINS;
}

static block summary(const counts *c, double period)
{
    block b = {percentile(c, 0.5), percentile(c, 0.99), percentile(c, 0.999), percentile(c, 1), 0};
    for (int i = (int)(1e5 * period) + 1; i < BINS; i++)
        b.late += c->bin[i];
    return b;
}

/* Runs a dummy to its end and reads its records like a recorder. */
static ifd_executor_report execute(dummy *d, const ifd_executor_options *o, counts *late)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_ticked t = {.self = d, .tick = tick, .values = values, .count = VALUES};
    ifd_executor *e;
    ifd_executor_report report;
    if (ifd_executor_open(arena, o, &t, &e, NULL) != IFD_OK)
        exit(1);
    ifd_tick_record r;
    for (bool last = false; !last; usleep(o->period > 0 ? 5000 : 50)) {
        last = ifd_executor_finished(e);
        while (ifd_executor_next(e, &r)) {
            /* Skipped instants are not lateness of the wake-up; cyclictest does not count them either. */
            long us = (long)(1e6 * (r.late - (double)r.skipped * o->period));
            late->bin[us < BINS ? us : BINS - 1]++;
            late->all++;
        }
    }
    ifd_executor_close(e, &report);
    ifd_arena_close(arena);
    return report;
}

static block ours(double period, double seconds, int core, ifd_executor_report *report)
{
    static counts late;
    memset(&late, 0, sizeof late);
    dummy d = {.last = (long)(seconds / period)};
    ifd_executor_options o;
    ifd_executor_defaults(&o);
    o.period = period;
    o.priority = PRIORITY;
    o.core = core;
    *report = execute(&d, &o, &late);
    return summary(&late, period);
}

static bool theirs(double period, double seconds, int core, block *out)
{
    static counts late;
    memset(&late, 0, sizeof late);
    char command[300], line[200];
    snprintf(command, sizeof command, "cyclictest -q -m -t 1 -p %d -a %d -i %d -D %d -h %d 2>/dev/null", PRIORITY,
             core, (int)(1e6 * period), (int)seconds, BINS - 1);
    FILE *pipe = popen(command, "r");
    while (pipe && fgets(line, sizeof line, pipe)) {
        int us;
        long count;
        if (sscanf(line, "%d %ld", &us, &count) == 2 && us >= 0 && us < BINS) {
            late.bin[us] += count;
            late.all += count;
        }
    }
    if (!pipe || pclose(pipe) != 0 || !late.all)
        return false;
    *out = summary(&late, period);
    return true;
}

static void row(const char *who, const block *b, const char *more)
{
    printf("  %-12s %8.0f %8.0f %8.0f %8.0f %8ld   %s\n", who, b->p50, b->p99, b->p999, b->worst, b->late, more);
    fflush(stdout);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void compare(double rate, int pairs, double seconds, int core)
{
    double ratio[MOST_PAIRS];
    int compared = 0;
    char more[120];
    printf("\n%.0f Hz, blocks of %.0f s, core %d, lateness in us\n", rate, seconds, core);
    printf("  %-12s %8s %8s %8s %8s %8s\n", "", "p50", "p99", "p99.9", "worst", "late");
    for (int k = 0; k < pairs; k++) {
        ifd_executor_report report;
        block a = ours(1 / rate, seconds, core, &report), b;
        snprintf(more, sizeof more, "skipped %ld, dropped %ld, page faults %ld%s%s", report.skipped, report.dropped,
                 report.faults, report.fifo ? "" : ", not FIFO", report.locked ? "" : ", not locked");
        row("interfield", &a, more);
        if (!theirs(1 / rate, seconds, core, &b)) {
            printf("  %-12s not here, or not permitted\n", "cyclictest");
            continue;
        }
        snprintf(more, sizeof more, "ratio of p99.9 %.2f", a.p999 / b.p999);
        row("cyclictest", &b, more);
        ratio[compared++] = a.p999 / b.p999;
    }
    qsort(ratio, (size_t)compared, sizeof *ratio, ascending);
    if (compared)
        printf("  median ratio of p99.9: %.2f\n", 0.5 * (ratio[(compared - 1) / 2] + ratio[compared / 2]));
}

static void overhead(void)
{
    static counts gaps, late;
    dummy d = {.last = 500000, .gaps = &gaps};
    ifd_executor_options o;
    ifd_executor_defaults(&o);
    o.period = 0;
    (void)execute(&d, &o, &late);
    printf("\nbetween two ticks, without the sleep: two readings of the clock, order, histograms, a record of %d "
           "values\n"
           "  median %.0f ns, 99 %% %.0f ns\n",
           VALUES, percentile(&gaps, 0.5), percentile(&gaps, 0.99));
}

int main(int argc, char **argv)
{
    int pairs = argc > 1 ? atoi(argv[1]) : 3;
    double seconds = argc > 2 ? atof(argv[2]) : 10;
    pairs = pairs < 1 ? 1 : pairs > MOST_PAIRS ? MOST_PAIRS : pairs;
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 1;
    int core = CPU_SETSIZE - 1;
    while (core > 0 && !CPU_ISSET((size_t)core, &set))
        core--;
    struct utsname system_name;
    if (uname(&system_name) == 0)
        printf("Linux %s, %d cores\n", system_name.release, CPU_COUNT(&set));
    overhead();
    compare(1000, pairs, seconds, core);
    compare(4096, pairs, seconds, core);
    return 0;
}
