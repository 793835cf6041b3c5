/* SPDX-License-Identifier: MIT */
/* ctest: not with sanitizers, unless every test is asked for */
/* A recorded test with a power failure. The test runs on a simulated clock and a disk that records its operations;
 * the possible disk after a failure is then made for many instants, and read. IFD_CUTS: their number, in addition to
 * every single step of beginning and ending (80; `make soak` has more). */
#include "check.h"

#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <interfield/checkpoint.h>

#include "clock.h"
#include "disk.h"
#include "record/files.h"
#include "record/spring.h"
#include "record/ticks.h"

enum { TICKS = 2000, COLUMNS = 64, KEPT = 5000, BETWEEN = 250 /* ticks, of checkpoints */ };
static const int64_t PERIOD = 1000000, LOST = 200000000, SLOW = 85000000; /* ns */

/* Records, and the events between which they were made. */
static struct {
    int columns;
    uint64_t hash[TICKS + 1];
    double values[TICKS + 1][COLUMNS];
    int64_t added[TICKS + 1];
    long open, closing, closed; /* events */
    long begun[TICKS / BETWEEN + 1], kept[TICKS / BETWEEN + 1];
    unsigned char *stale;
    size_t stale_bytes;
} truth;

static int take_away(const char *name, const struct stat *facts, int kind, struct FTW *where)
{
    (void)facts;
    (void)kind;
    (void)where;
    return remove(name);
}

static void clear(const char *folder)
{
    (void)nftw(folder, take_away, 8, FTW_DEPTH | FTW_PHYS);
}

static const double *kept_state(int k)
{
    static double x[KEPT];
    for (int i = 0; i < KEPT; i++)
        x[i] = k + 1.0 / (i + 1);
    return x;
}

static void keep(spring *s, int k)
{
    ifd_arena *arena = ifd_arena_open();
    const ifd_snapshot letter = {
        .tick = (uint64_t)k, .state = IFD_MACHINE_HOLD, .count = KEPT, .x = kept_state(k), .values = kept_state(k)};
    truth.begun[k] = disk_events();
    assert_int_equal(ifd_checkpoint_write(arena, s->folder, s->c, &letter, &s->note), IFD_OK);
    truth.kept[k] = disk_events();
    ifd_arena_close(arena);
}

static void tick(spring *s, uint64_t k)
{
    ifd_ticked t = ifd_hybrid_ticked(s->test);
    (void)t.tick(t.self, &(ifd_tick_in){0});
    const ifd_tick_record r = {.tick = k,
                               .wall = 1e-9 * (double)(PERIOD * (int64_t)k),
                               .values = t.values(t.self),
                               .trace = t.trace(t.self)};
    truth.hash[k] = r.trace->hash;
    memcpy(truth.values[k], r.values, (size_t)truth.columns * sizeof(double));
    truth.added[k] = clock_read();
    ifd_recorder_add(s->recorder, &r);
}

/* Four threads: this one, the writer of the journal and its synchroniser, and the writer of result.h5. */
static void record(spring *s, const char *name, const char *begins)
{
    const char *sets[] = {"time.step=1ms", "time.end=100s", begins};
    const ifd_timing timing = {.wall = 2};
    clock_begin(4);
    spring_open_clocked(s, name, 3, sets);
    truth.open = disk_events();
    truth.columns = ifd_hybrid_ticked(s->test).count;
    assert_true(truth.columns <= COLUMNS);
    int64_t start = clock_read();
    for (uint64_t k = 1; k <= TICKS; k++) {
        clock_wait(start + (int64_t)k * PERIOD);
        tick(s, k);
        if (k % BETWEEN == 0)
            keep(s, (int)(k / BETWEEN));
    }
    truth.closing = disk_events();
    clock_end();
    assert_int_equal(ifd_recorder_close(s->recorder, &s->report, &timing, &s->note), IFD_OK);
    truth.closed = disk_events();
}

/* An earlier journal; its blocks can reappear. */
static void remember(const spring *s)
{
    char path[400];
    struct stat facts;
    snprintf(path, sizeof path, "%s/" IFD_JOURNAL_FILE, s->folder);
    FILE *in = fopen(path, "rb");
    assert_true(in && stat(path, &facts) == 0);
    truth.stale_bytes = (size_t)facts.st_size;
    truth.stale = malloc(truth.stale_bytes);
    assert_int_equal(fread(truth.stale, 1, truth.stale_bytes, in), truth.stale_bytes);
    fclose(in);
}

/* The power fails just before the next event. */
static int64_t instant(long event)
{
    return event < truth.closing ? disk_time(event + 1) : truth.added[TICKS];
}

/* Every readable record is one that was recorded, and all older than 200 ms are present. */
static void check_records(ifd_journal_reader *r, long event)
{
    static bool seen[TICKS + 1];
    ifd_tick_record record;
    memset(seen, 0, sizeof seen);
    while (ifd_journal_next(r, &record)) {
        assert_true(record.tick >= 1 && record.tick <= TICKS && !seen[record.tick]);
        seen[record.tick] = true;
        assert_true(truth.added[record.tick] <= instant(event));
        assert_int_equal(record.trace->hash, truth.hash[record.tick]);
        assert_memory_equal(record.values, truth.values[record.tick], (size_t)truth.columns * sizeof(double));
    }
    for (int k = 1; k <= TICKS; k++)
        if (!seen[k] && truth.added[k] <= instant(event) - LOST)
            fail_msg("cut after event %ld: tick %d is lost, %.1f ms old", event, k,
                     1e-6 * (double)(instant(event) - truth.added[k]));
    for (int k = 1; k <= TICKS && event >= truth.closed; k++)
        assert_true(seen[k]);
}

static void check_journal(long event, const char *folder, bool thorough)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_note note;
    ifd_journal_reader *r;
    ifd_result *result;
    ifd_journal_end end;
    ifd_note_init(&note, arena);
    const char *path = ifd_arena_print(arena, "%s/" IFD_JOURNAL_FILE, folder);
    ifd_status status = ifd_journal_read(arena, path, &r, &note);
    if (status != IFD_OK && event >= truth.open)
        fail_msg("cut after event %ld: %s", event, note.first ? note.first->text : "?");
    if (status == IFD_OK) {
        check_records(r, event);
        end = ifd_journal_ended(r);
        assert_int_equal(end.dropped, 0);
        assert_true(event > truth.closing || !end.has_ending);
        assert_true(event < truth.closed || end.state == IFD_JOURNAL_CLOSED);
    }
    if (status == IFD_OK && thorough) {
        const char *again = ifd_arena_print(arena, "%s-again", folder);
        uint64_t records = end.records;
        assert_int_equal(ifd_recover(arena, path, again, &result, &end, &note), IFD_OK);
        assert_int_equal(end.records, records);
        assert_true(end.has_ending || strcmp(ifd_result_outcome(result), "incomplete") == 0);
        clear(again);
    }
    ifd_arena_close(arena);
}

/* The newest saved one, or the one being written: complete, or absent. */
static void check_checkpoint(long event, const char *folder)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_note note;
    ifd_snapshot *s;
    int kept = 0, begun = 0;
    ifd_note_init(&note, arena);
    for (int k = 1; k <= TICKS / BETWEEN; k++) {
        kept = truth.kept[k] <= event ? k : kept;
        begun = truth.begun[k] < event ? k : begun;
    }
    if (ifd_checkpoint_read(arena, folder, NULL, &s, &note) == IFD_OK) {
        assert_in_range(s->tick, kept, begun);
        assert_memory_equal(s->x, kept_state((int)s->tick), KEPT * sizeof(double));
    } else {
        assert_int_equal(kept, 0);
        assert_non_null(strstr(note.first->text, "contains no checkpoint"));
    }
    ifd_arena_close(arena);
}

static void check_cut(long event, uint64_t *random, bool thorough)
{
    char to[300], folder[400];
    snprintf(to, sizeof to, "%s", files_path("cut"));
    snprintf(folder, sizeof folder, "%s/runs/day-001", to);
    disk_cut(event, to, random, truth.stale, truth.stale_bytes);
    check_journal(event, folder, thorough);
    check_checkpoint(event, folder);
    clear(to);
}

TEST(after_a_loss_of_power_all_but_the_last_200_ms_can_be_read)
{
    const char *asked = getenv("IFD_CUTS");
    int cuts = asked ? atoi(asked) : 80;
    uint64_t random = 1;
    spring s;
    record(&s, "earlier", "initial.displacement.x=5mm");
    remember(&s);
    spring_close(&s);
    assert_int_equal(mkdir(files_path("disk"), 0777), 0);
    disk_watch(files_path("disk"), SLOW);
    record(&s, "disk/runs/day-001", "initial.displacement.x=9mm");
    for (long e = 1; e <= truth.open + 4; e++)
        check_cut(e, &random, false);
    for (long e = truth.closing; e <= truth.closed; e++)
        check_cut(e, &random, e == truth.closed);
    for (int k = 0; k < cuts; k++)
        check_cut(truth.open + (long)(ticks_random(&random) % (uint64_t)(truth.closed - truth.open)), &random,
                  k % 10 == 0);
    print_message("%ld events, %d cuts\n", truth.closed, cuts);
    spring_close(&s);
    disk_ignore();
    free(truth.stale);
}

TESTS_WITH(files_open, files_close)
