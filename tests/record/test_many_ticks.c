/* SPDX-License-Identifier: MIT */
/* A counter of ticks passes 2^31 after 25 days at 1 kHz and 2^32 after 50. A tripped test waits for that long here,
 * in no time: of a parked tick nothing but its number enters the state. After each wait it is reset and continues, so
 * that every part of it crosses the two numbers tick by tick: state, commands, journal, result, replay, recovery. */
#include "check.h"

#include <inttypes.h>
#include <string.h>

#include <interfield/replay.h>

#include "files.h"
#include "hybrid/hybrid.h"
#include "spring.h"

typedef struct days {
    spring s;
    ifd_ticked t;
    uint64_t made, thinned; /* ticks in all; left out since the last record */
    uint64_t records, passed;
    ifd_run_state last;
} days;

static void days_open(days *d, const char *name)
{
    memset(d, 0, sizeof *d);
    spring_open_waiting(&d->s, name);
    d->t = ifd_hybrid_ticked(d->s.test);
}

static void tick(days *d, ifd_order order)
{
    d->last = d->t.tick(d->t.self, &(ifd_tick_in){.order = order});
    d->made++;
    const ifd_tick_trace *trace = d->t.trace(d->t.self);
    if (trace->quiet) {
        d->thinned++;
        d->passed++;
        return;
    }
    const ifd_tick_record r = {.tick = d->made,
                               .wall = 1e-3 * (double)d->made,
                               .order = order,
                               .values = d->t.values(d->t.self),
                               .trace = trace,
                               .thinned = d->thinned};
    if (d->made > 1)
        assert_int_equal(trace->measure.tick, d->made - 1); /* the rig names the command that it has had */
    ifd_recorder_add(d->s.recorder, &r);
    d->records++;
    d->thinned = 0;
}

static void until(days *d, ifd_machine state)
{
    for (long i = 0; i < 100000 && ifd_hybrid_state(d->s.test) != state; i++)
        tick(d, IFD_ORDER_NONE);
    assert_int_equal(ifd_hybrid_state(d->s.test), state);
}

/* From run to a trip, parked until the tick before `number`, and reset. */
static void wait_until(days *d, uint64_t number)
{
    until(d, IFD_MACHINE_RUN);
    for (int i = 0; i < 50; i++)
        tick(d, IFD_ORDER_NONE);
    tick(d, IFD_ORDER_TRIP);
    for (long i = 0; i < 100000 && !d->thinned; i++)
        tick(d, IFD_ORDER_NONE);
    assert_true(d->thinned > 0 && d->made < number);
    uint64_t jump = number - 1 - d->made;
    ifd__park_pass(d->s.test, jump);
    ifd__hybrid_deliver(d->s.test); /* the last of them */
    d->made += jump;
    d->thinned += jump;
    d->passed += jump;
    tick(d, IFD_ORDER_NONE); /* more than a second has passed: a whole tick */
    assert_int_equal(d->thinned, 0);
    tick(d, IFD_ORDER_RESET);
    assert_int_equal(ifd_hybrid_state(d->s.test), IFD_MACHINE_IDLE);
}

static void check_replay(days *d)
{
    ifd_replay_report r;
    ifd_note note;
    ifd_note_init(&note, d->s.books);
    assert_int_equal(ifd_replay_with(d->s.books, d->s.folder, &(ifd_replay_options){0}, &r, &note), IFD_OK);
    if (r.verdict != IFD_REPLAY_IDENTICAL)
        fail_msg("differs from tick %" PRIu64 " on, '%s'", r.first, r.column ? r.column : "the state");
    assert_int_equal(r.compared, d->records);
    assert_int_equal(r.end.ticks, d->made);
    assert_int_equal(r.end.last, d->made);
    assert_int_equal(r.end.thinned, d->passed);
    assert_int_equal(r.end.dropped, 0);
}

static void check_table(days *d, const char *folder)
{
    ifd_table t;
    assert_int_equal(ifd_table_read(d->s.books, folder, &t, &d->s.note), IFD_OK);
    assert_int_equal(t.rows, d->records);
    assert_int_equal(t.missing, 0);
    double period = ifd_hybrid_period(d->s.test);
    assert_true(t.wall_time[t.rows - 1] == (double)(d->made - 1) * period);
    assert_near_rel(t.wall_time[t.rows - 1] - t.wall_time[t.rows - 2], period, 1e-3, "s from one row to the next");
}

static void check_recovered(days *d)
{
    ifd_result *again;
    ifd_journal_end end;
    char text[64];
    const char *journal = ifd_arena_print(d->s.books, "%s/" IFD_JOURNAL_FILE, d->s.folder);
    const char *folder = ifd_arena_print(d->s.books, "%s-again", d->s.folder);
    assert_int_equal(ifd_recover(d->s.books, journal, folder, &again, &end, &d->s.note), IFD_OK);
    assert_int_equal(end.state, IFD_JOURNAL_CLOSED);
    snprintf(text, sizeof text, "\"made\": %" PRIu64, d->made);
    assert_non_null(strstr(ifd_result_summary(again), text));
    check_table(d, folder);
}

TEST(a_test_of_months_is_recorded_and_replayed)
{
    enum { BEFORE = 100, ACROSS = 200 };
    const uint64_t numbers[] = {(uint64_t)1 << 31, (uint64_t)1 << 32, (uint64_t)3 << 40};
    days d;
    char text[64];
    days_open(&d, "months");
    for (size_t i = 0; i < COUNT(numbers); i++) {
        wait_until(&d, numbers[i] - BEFORE);
        for (int k = 0; k < ACROSS; k++)
            tick(&d, IFD_ORDER_NONE);
        assert_in_range(d.made, numbers[i] + 1, numbers[i] + ACROSS);
        assert_int_equal((uint64_t)ifd__test_of(d.s.test)->tick, d.made);
        tick(&d, IFD_ORDER_ARM);
        until(&d, IFD_MACHINE_READY);
        tick(&d, IFD_ORDER_RUN);
    }
    until(&d, IFD_MACHINE_RUN);
    tick(&d, IFD_ORDER_TRIP);
    ifd_trip_facts trip = ifd_hybrid_trip(d.s.test);
    assert_int_equal(trip.tick, d.made);
    while (d.last == IFD_RUN_GOING)
        tick(&d, IFD_ORDER_QUIT);
    d.s.report.ticks = (long)d.made;
    const ifd_timing timing = {.wall = 1, .ticks = (long)d.made};
    assert_int_equal(ifd_recorder_close(d.s.recorder, &d.s.report, &timing, &d.s.note), IFD_OK);
    snprintf(text, sizeof text, "\"made\": %" PRIu64, d.made);
    assert_non_null(strstr(ifd_result_summary(ifd_recorder_result(d.s.recorder)), text));
    check_table(&d, d.s.folder);
    check_recovered(&d);
    check_replay(&d);
    spring_close(&d.s);
}

TESTS_WITH(files_open, files_close)
