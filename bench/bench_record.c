/* SPDX-License-Identifier: MIT */
/* The recorder: its cost in a tick, its throughput, and the duration of recovery and replay.
 *
 *     bench_record [minutes]           of a test at 4096 Hz that is recorded, recovered and replayed (10)
 *
 * hash       of the state, by its size
 * publish    cost of recording in a tick: its trace (clock of the stages, hash) and the copy into the ring. A test of
 *            one dof and one channel on a free-running executor; for comparison the same tick called alone
 * add        cost of passing a record to the journal
 * lateness   of ticks at 4 kHz with a working and a stalled disk: the recorder must not affect it
 * sustained  records per second to the operating system, and the equivalent in channels at 4096 Hz
 * recovery   of a file with this number of ticks, scaled to an hour */
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <interfield/recorder.h>
#include <interfield/replay.h>

#include "base/hash.h"
#include "base/ring.h"
#include "record/journal/journal.h"
#include "measure.h"
#include "scratch.h"

enum { RATE = 4096, ROUNDS = 7 };

static char folder[SCRATCH_PATH];

static const char case_text[] = "title: A spring at 4096 Hz\n"
                                "time: {step: 0.48828125 ms, end: 10 s}\n"
                                "method: lsrt2\n"
                                "ground: {signal: {sine: {amplitude: 1 m/s2, frequency: 2 Hz}}}\n"
                                "model: {dofs: [x], mass: [1000], damping: [800], stiffness: [4.0e+5]}\n"
                                "specimen:\n"
                                "  - name: spring\n"
                                "    spring: {between: [ground, x], stiffness: 2e5 N/m}\n"
                                "    limits: {stroke: 50 mm, velocity: 1 m/s, acceleration: 100 m/s2, force: 50 kN}\n"
                                "test: {rig: virtual, ramp-in: 0.05 s, settle: 0.01 s, overrun: extrapolate, "
                                "late-for: 1000 s}\n";

static int fail(const char *what)
{
    fprintf(stderr, "bench_record: %s\n", what);
    return 1;
}

static void bench_hash(void)
{
    const size_t sizes[] = {64, 1000, 10000, 100000};
    double *x = calloc(100000, sizeof *x);
    uint64_t keep = 0;
    puts("hash of the state\n     numbers        ns      GB/s");
    for (size_t i = 0; x && i < sizeof sizes / sizeof *sizes; i++) {
        double best = 1;
        int repeats = (int)(2000000 / sizes[i]) + 1;
        for (int round = 0; round < ROUNDS; round++) {
            double start = now();
            for (int k = 0; k < repeats; k++)
                keep = ifd__hash(keep, x, sizes[i]);
            double each = (now() - start) / repeats;
            best = each < best ? each : best;
        }
        printf("%12zu %9.1f %9.1f\n", sizes[i], 1e9 * best, 8e-9 * (double)sizes[i] / best);
    }
    if (keep == 1)
        puts("");
    free(x);
}

/* The ring alone: claim, trace and values, commit. The reader empties it in between. */
static double ring_cost(int values)
{
    ifd_arena *arena = ifd_arena_open();
    ifd__ring *ring;
    enum { BATCH = 1024 };
    ifd_tick_trace trace = {0};
    double *from = ifd_arena_array(arena, (size_t)values, sizeof *from), best = 1;
    size_t bytes = sizeof trace + (size_t)values * sizeof *from;
    if (!from || ifd__ring_make(arena, bytes, BATCH, &ring) != IFD_OK)
        return 0;
    for (int round = 0; round < 50; round++) {
        double start = now();
        for (int k = 0; k < BATCH; k++) {
            unsigned char *p = ifd__ring_claim(ring);
            memcpy(p, &trace, offsetof(ifd_tick_trace, target));
            memcpy(p + sizeof trace, from, (size_t)values * sizeof *from);
            ifd__ring_commit(ring);
        }
        double each = (now() - start) / BATCH;
        best = each < best ? each : best;
        while (ifd__ring_front(ring, NULL))
            ifd__ring_pop(ring);
    }
    ifd_arena_close(arena);
    return 1e9 * best;
}

static double clock_cost(void)
{
    double best = 1;
    for (int round = 0; round < 50; round++) {
        double start = now(), last = 0;
        for (int k = 0; k < 1000; k++)
            last = now();
        best = (last - start) / 1000 < best ? (last - start) / 1000 : best;
    }
    return 5e9 * best;
}

static ifd_case *read_case(ifd_arena *arena, double end)
{
    char path[200], set[64];
    const char *sets[] = {set};
    ifd_case *c = NULL;
    snprintf(path, sizeof path, "%s/case.yaml", folder);
    snprintf(set, sizeof set, "time.end=%.9g s", end);
    FILE *out = fopen(path, "w");
    if (!out || fputs(case_text, out) < 0 || fclose(out) != 0)
        return NULL;
    return ifd_case_read(arena, path, 1, sets, &c, NULL) == IFD_OK ? c : NULL;
}

/* ns per tick of the test alone: median of rounds. */
static double tick_cost(void)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_case *c = read_case(arena, 100);
    ifd_hybrid *h = NULL;
    double best = 1;
    if (!c || ifd_hybrid_make(arena, c->test, &h, NULL) != IFD_OK)
        return 0;
    ifd_ticked t = ifd_hybrid_ticked(h);
    const ifd_tick_in in = {0};
    for (int k = 0; k < 2000; k++)
        t.tick(t.self, &in);
    for (int round = 0; round < 50; round++) {
        double start = now();
        for (int k = 0; k < 1000; k++)
            t.tick(t.self, &in);
        double each = (now() - start) / 1000;
        best = each < best ? each : best;
    }
    int size;
    (void)ifd_hybrid_save_area(h, &size);
    printf("a tick of the test of one dof (state of %d numbers), trace included: %.0f ns\n", size, 1e9 * best);
    ifd_hybrid_close(h);
    ifd_arena_close(arena);
    return 1e9 * best;
}

static ifd_journal *open_journal(ifd_arena *arena, int values, bool lossless)
{
    char path[200];
    ifd_journal *j = NULL;
    ifd_column *column = ifd_arena_array(arena, (size_t)values, sizeof *column);
    for (int i = 0; column && i < values; i++)
        column[i] = (ifd_column){.name = "x", .unit = "m", .group = "displacement", .owner = ""};
    const ifd_journal_facts f = {.version = "bench",
                                 .kernels = "",
                                 .cpu = "",
                                 .started = "",
                                 .period = 1.0 / RATE,
                                 .sensed = 1,
                                 .columns = values,
                                 .column = column,
                                 .bundle = ""};
    const ifd_journal_options o = {.lossless = lossless};
    snprintf(path, sizeof path, "%s/result.journal", folder);
    unlink(path);
    return ifd_journal_open(arena, path, &f, &o, &j, NULL) == IFD_OK ? j : NULL;
}

static bool bench_journal(int values, int count)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_journal *j = open_journal(arena, values, true);
    ifd_tick_trace trace = {0};
    double *x = ifd_arena_array(arena, (size_t)values, sizeof *x), best = 1;
    if (!j || !x)
        return false;
    ifd_tick_record r = {.values = x, .trace = &trace};
    double start = now();
    for (int done = 0; done < count;) {
        double before = now();
        for (int k = 0; k < 100; k++, done++) {
            r.tick++;
            ifd_journal_add(j, &r);
        }
        double each = (now() - before) / 100;
        best = each < best ? each : best;
    }
    if (ifd_journal_close(j, NULL, NULL) != IFD_OK)
        return false;
    double rate = count / (now() - start), bytes = 184 + 16 + 8.0 * values;
    printf("%8d %10.0f %12.0f %9.0f %20.0f\n", values, 1e9 * best, rate, 1e-6 * rate * bytes, values * rate / RATE);
    ifd_arena_close(arena);
    return true;
}

/* A complete free-running test through executor, reader, journal and result.h5. */
static bool record(double seconds, long *ticks)
{
    ifd_arena *arena = ifd_arena_open(), *books = ifd_arena_open();
    ifd_case *c = read_case(arena, seconds);
    ifd_hybrid *h = NULL;
    ifd_recorder *rec;
    ifd_executor *e;
    ifd_executor_options o;
    ifd_executor_report report;
    ifd_tick_record r;
    if (!c || ifd_hybrid_make(arena, c->test, &h, NULL) != IFD_OK ||
        ifd_recorder_open(books, &(ifd_recorder_options){folder, c, h, {.lossless = true}}, &rec, NULL) != IFD_OK)
        return false;
    ifd_ticked t = ifd_hybrid_ticked(h);
    ifd_executor_defaults(&o);
    o.period = 0;
    o.lock_memory = false;
    if (ifd_executor_open(arena, &o, &t, &e, NULL) != IFD_OK)
        return false;
    for (bool last = false; !last; nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL)) {
        last = ifd_executor_finished(e);
        while (ifd_executor_next(e, &r))
            ifd_recorder_add(rec, &r);
    }
    ifd_executor_close(e, &report);
    const ifd_timing timing = {.ticks = report.ticks};
    bool good = ifd_recorder_close(rec, &report, &timing, NULL) == IFD_OK;
    *ticks = report.ticks;
    ifd_hybrid_close(h);
    ifd_arena_close(books);
    ifd_arena_close(arena);
    return good;
}

static sem_t go;

static void stand_still(void *self)
{
    (void)self;
    sem_wait(&go);
    sem_post(&go);
}

/* Four seconds at 4 kHz with a clock; the writer of the journal is blocked for a stalled disk. */
static bool lateness(const char *what, bool still)
{
    ifd_arena *arena = ifd_arena_open(), *books = ifd_arena_open();
    ifd_case *c = read_case(arena, 4);
    ifd_hybrid *h = NULL;
    ifd_executor *e;
    ifd_executor_options o;
    ifd_executor_report report;
    ifd_tick_record r;
    int columns = 0;
    if (!c || ifd_hybrid_make(arena, c->test, &h, NULL) != IFD_OK)
        return false;
    (void)ifd_hybrid_columns(h, &columns);
    ifd_journal *j = open_journal(books, columns, false);
    ifd_ticked t = ifd_hybrid_ticked(h);
    if (!j)
        return false;
    sem_init(&go, 0, !still);
    ifd__journal_hook_set(j, (ifd__journal_hook){stand_still, NULL});
    ifd_executor_defaults(&o);
    o.period = 2.5e-4;
    if (ifd_executor_open(arena, &o, &t, &e, NULL) != IFD_OK)
        return false;
    for (bool last = false; !last; nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL)) {
        last = ifd_executor_finished(e);
        while (ifd_executor_next(e, &r))
            ifd_journal_add(j, &r);
    }
    ifd_executor_close(e, &report);
    printf("%-28s %8ld %8ld %8.1f %8.1f %8.1f %10ld\n", what, report.ticks, report.late_ticks, 1e6 * report.late_p50,
           1e6 * report.late_p99, 1e6 * report.late_p999, (long)ifd_journal_dropped(j));
    sem_post(&go);
    (void)ifd_journal_close(j, NULL, NULL);
    ifd_hybrid_close(h);
    ifd_arena_close(books);
    ifd_arena_close(arena);
    return true;
}

static void row(const char *what, double seconds, long ticks)
{
    double hour = seconds * 3600.0 * RATE / (double)ticks;
    printf("%-42s %8.2f s   %8.0f ns a tick   an hour: %6.1f s\n", what, seconds, 1e9 * seconds / (double)ticks,
           hour);
}

static bool bench_recovery(double minutes)
{
    char path[200], again[200];
    long ticks = 0;
    struct stat facts;
    ifd_result *result;
    ifd_journal_end end;
    ifd_replay_report report;
    snprintf(path, sizeof path, "%s/result.journal", folder);
    snprintf(again, sizeof again, "%s/again", folder);
    unlink(path);
    double start = now();
    if (!record(60 * minutes, &ticks) || stat(path, &facts) != 0)
        return false;
    double made = now() - start;
    printf("\n%ld ticks of one channel and one dof at %d Hz, a journal of %.0f MB\n", ticks, RATE,
           1e-6 * (double)facts.st_size);
    row("tested, as fast as possible, and recorded", made, ticks);
    ifd_arena *arena = ifd_arena_open();
    start = now();
    if (ifd_recover(arena, path, again, &result, &end, NULL) != IFD_OK || (long)end.records != ticks)
        return false;
    row("recovered", now() - start, ticks);
    start = now();
    if (ifd_replay_with(arena, path, &(ifd_replay_options){0}, &report, NULL) != IFD_OK ||
        report.verdict != IFD_REPLAY_IDENTICAL)
        return false;
    row("replayed, identical", now() - start, ticks);
    ifd_arena_close(arena);
    return true;
}

int main(int argc, char **argv)
{
    const int values[] = {16, 64, 256, 1024};
    double minutes = argc > 1 ? atof(argv[1]) : 10;
    if (!(minutes > 0) || !scratch_make(folder))
        return fail("no folder to work in");
    bench_hash();
    puts("");
    (void)tick_cost();
    printf("five clock readings in it: %.0f ns\n", clock_cost());
    printf("copy of a record into the ring: %.0f ns with 16 values, %.0f ns with 64\n", ring_cost(16), ring_cost(64));
    puts("\n  values     add, ns    records/s      MB/s  channels at 4096 Hz");
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (!bench_journal(values[i], 40000000 / (values[i] + 25) / 8))
            return fail("the journal could not be written");
    puts("\nlateness, us                    ticks     late      p50      p99    p99.9    dropped");
    bool good = true;
    for (int k = 0; k < 6 && good; k++)
        good = lateness(k % 2 ? "a stalled disk" : "a working disk", k % 2);
    good = good && bench_recovery(minutes);
    scratch_remove(folder);
    return good ? 0 : fail("the record could not be made, recovered or replayed");
}
