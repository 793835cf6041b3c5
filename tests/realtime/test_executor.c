/* SPDX-License-Identifier: MIT */
/* ctest: waits 9 s */
/* Behaviour only: lateness depends on the machine; bench/bench_wakeup.c measures it. */
#include "check.h"

#include "realtime/fake.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

typedef struct fixture {
    ifd_arena *arena;
    ifd_note note;
    ifd_executor_options o;
    fake f;
} fixture;

static int set_up(void **state)
{
    fixture *x = calloc(1, sizeof *x);
    if (!x)
        return -1;
    x->arena = ifd_arena_open();
    ifd_note_init(&x->note, x->arena);
    ifd_executor_defaults(&x->o);
    x->o.lock_memory = false;
    *state = x;
    return x->arena ? 0 : -1;
}

static int tear_down(void **state)
{
    fixture *x = *state;
    ifd_arena_close(x->arena);
    free(x);
    return 0;
}

static ifd_executor *opened(fixture *x)
{
    ifd_ticked t = fake_ticked(&x->f);
    ifd_executor *e = NULL;
    assert_int_equal(ifd_executor_open(x->arena, &x->o, &t, &e, &x->note), IFD_OK);
    return e;
}

static void nap(double seconds)
{
    nanosleep(&(struct timespec){.tv_nsec = (long)(1e9 * seconds)}, NULL);
}

typedef struct tally {
    long records, dropped, skipped;
    double last_wall, last_sequence;
    bool ordered, whole, punctual;
} tally;

/* A record must follow from the previous one: numbered, not before its time, with the lateness of the clock. */
static void judge(tally *all, const ifd_tick_record *r, double period)
{
    all->records++;
    all->dropped += (long)r->dropped;
    all->skipped += (long)r->skipped;
    long number = all->records + all->dropped;
    all->ordered = all->ordered && r->tick == (uint64_t)number;
    all->whole = all->whole && r->values[FAKE_TICK] == (double)r->tick && r->values[FAKE_LATE] == r->late;
    if (period > 0 && !all->dropped) {
        double expected = period * (double)(number - 1 + all->skipped - (long)r->skipped);
        double instant = expected + period * (double)r->skipped;
        all->punctual = all->punctual && r->wall > instant - 2e-9 && fabs(r->wall - expected - r->late) < 2e-9;
    }
    all->last_wall = r->wall;
    all->last_sequence = r->values[FAKE_SEQUENCE];
}

static void take_all(ifd_executor *e, double period, tally *all)
{
    ifd_tick_record r;
    while (ifd_executor_next(e, &r))
        judge(all, &r, period);
}

static tally watch(ifd_executor *e, double period)
{
    tally all = {.ordered = true, .whole = true, .punctual = true};
    for (bool last = false; !last; nap(5e-4)) {
        last = ifd_executor_finished(e);
        take_all(e, period, &all);
    }
    return all;
}

/* Waits until a tick is held, so that actions between two ticks need no hurry. */
static void await_gate(fixture *x)
{
    while (!atomic_load(&x->f.waiting))
        nap(1e-4);
}

TEST_WITH(a_run_without_a_clock_makes_every_tick_and_loses_no_record, set_up, tear_down)
{
    fixture *x = *state;
    fake_init(&x->f, 20000);
    x->o.period = 0;
    x->o.ring = 16;
    ifd_executor *e = opened(x);
    tally all = watch(e, 0);
    ifd_executor_report report;
    ifd_executor_close(e, &report);
    assert_int_equal(all.records, 20000);
    assert_true(all.ordered && all.whole);
    assert_int_equal(report.ticks, 20000);
    assert_int_equal(report.dropped + report.late_ticks + report.skipped, 0);
    assert_true(report.late_max == 0 && report.duration_max > 0);
    assert_true(report.duration_p50 <= report.duration_p999 && report.duration_p999 <= report.duration_max);
    assert_int_equal(report.end, IFD_RUN_DONE);
}

TEST_WITH(without_a_clock_a_watcher_may_leave, set_up, tear_down)
{
    fixture *x = *state;
    fake_init(&x->f, 5000);
    x->o.period = 0;
    x->o.ring = 16;
    ifd_executor *e = opened(x);
    ifd_executor_report report;
    ifd_executor_close(e, &report);
    assert_int_equal(report.ticks, 5000);
    assert_int_equal(report.dropped, 5000 - 16);
}

TEST_WITH(a_clock_changes_no_bit, set_up, tear_down)
{
    fixture *x = *state;
    const double periods[] = {0, 2.5e-4};
    double sequence[2];
    for (int k = 0; k < 2; k++) {
        ifd_arena *arena = ifd_arena_open();
        ifd_ticked t = fake_ticked(&x->f);
        ifd_executor *e;
        fake_init(&x->f, 1000);
        x->o.period = periods[k];
        assert_int_equal(ifd_executor_open(arena, &x->o, &t, &e, NULL), IFD_OK);
        sequence[k] = watch(e, periods[k]).last_sequence;
        ifd_executor_close(e, NULL);
        ifd_arena_close(arena);
    }
    assert_memory_equal(&sequence[0], &sequence[1], sizeof(double));
    assert_true(sequence[0] > 0 && sequence[0] < 1);
}

TEST_WITH(at_1_khz_every_tick_comes_on_the_grid_and_in_order, set_up, tear_down)
{
    fixture *x = *state;
    fake_init(&x->f, 2000);
    ifd_executor *e = opened(x);
    tally all = watch(e, 1e-3);
    ifd_executor_report report;
    ifd_executor_close(e, &report);
    assert_int_equal(all.records, 2000);
    assert_true(all.ordered && all.whole);
    assert_true(all.punctual);
    assert_int_equal(report.dropped, 0);
    assert_int_equal(report.skipped, all.skipped);
    assert_true(all.last_wall >= 1.999);
    assert_true(report.late_max > 0 && report.late_p50 <= report.late_p99 && report.late_p99 <= report.late_p999 &&
                report.late_p999 <= report.late_max);
}

TEST_WITH(a_stalled_watcher_costs_records_but_no_tick, set_up, tear_down)
{
    fixture *x = *state;
    fake_init(&x->f, 300);
    x->o.ring = 16;
    ifd_executor *e = opened(x);
    while (!ifd_executor_finished(e))
        nap(1e-3);
    ifd_executor_report report;
    ifd_executor_close(e, &report);
    assert_int_equal(report.ticks, 300);
    assert_int_equal(report.dropped, 284);
    tally all = watch(e, 1e-3);
    assert_int_equal(all.records, 16);
    assert_true(all.ordered && all.whole && all.punctual);
}

TEST_WITH(a_watcher_that_comes_back_is_told_what_it_missed, set_up, tear_down)
{
    enum { RING = 64, GATE = 150, LAST = 200 }; /* records after the gate fit into the ring */
    fixture *x = *state;
    fake_init(&x->f, LAST);
    x->f.gate = GATE;
    x->o.ring = RING;
    ifd_executor *e = opened(x);
    ifd_executor_report report;
    tally all = {.ordered = true, .whole = true, .punctual = true};
    await_gate(x);
    take_all(e, 1e-3, &all);
    assert_int_equal(all.records, RING);
    atomic_store(&x->f.pass, true);
    ifd_executor_close(e, &report);
    take_all(e, 1e-3, &all);
    assert_true(all.ordered && all.whole);
    assert_int_equal(all.dropped, GATE - 1 - RING);
    assert_int_equal(all.dropped, report.dropped);
    assert_int_equal(all.records + all.dropped, LAST);
}

TEST_WITH(one_order_reaches_one_tick, set_up, tear_down)
{
    fixture *x = *state;
    fake_init(&x->f, 200);
    x->f.gate = 20;
    ifd_executor *e = opened(x);
    await_gate(x);
    ifd_executor_order(e, IFD_ORDER_HOLD, IFD_SOURCE_HOLDER);
    atomic_store(&x->f.pass, true);
    ifd_tick_record r;
    long seen = 0;
    for (bool last = false; !last; nap(1e-3)) {
        last = ifd_executor_finished(e);
        while (ifd_executor_next(e, &r))
            seen += r.order == IFD_ORDER_HOLD;
    }
    ifd_executor_close(e, NULL);
    assert_int_equal(seen, 1);
    assert_int_equal(x->f.orders[IFD_ORDER_HOLD], 1);
    assert_int_equal(x->f.orders[IFD_ORDER_NONE], 199);
}

/* Gives orders while tick 3 is held, so that all of them fall between two ticks. */
static void say_between(fixture *x, const ifd_order *orders, int count)
{
    fake_init(&x->f, 10);
    x->f.gate = 3;
    x->o.period = 0; /* no tick is late */
    ifd_executor *e = opened(x);
    await_gate(x);
    for (int k = 0; k < count; k++)
        ifd_executor_order(e, orders[k], IFD_SOURCE_HOLDER);
    atomic_store(&x->f.pass, true);
    ifd_executor_close(e, NULL);
    assert_int_equal(x->f.orders[IFD_ORDER_NONE], 9);
}

TEST_WITH(the_newest_order_wins, set_up, tear_down)
{
    fixture *x = *state;
    say_between(x, (const ifd_order[]){IFD_ORDER_HOLD, IFD_ORDER_RUN, IFD_ORDER_RESUME}, 3);
    assert_int_equal(x->f.orders[IFD_ORDER_RESUME], 1);
}

TEST_WITH(nothing_replaces_a_trip, set_up, tear_down)
{
    fixture *x = *state;
    say_between(x, (const ifd_order[]){IFD_ORDER_HOLD, IFD_ORDER_TRIP, IFD_ORDER_RESET, IFD_ORDER_NONE}, 4);
    assert_int_equal(x->f.orders[IFD_ORDER_TRIP], 1);
}

TEST_WITH(no_wish_to_go_on_replaces_a_ramp_out, set_up, tear_down)
{
    fixture *x = *state;
    say_between(x, (const ifd_order[]){IFD_ORDER_HOLD, IFD_ORDER_RAMP_OUT, IFD_ORDER_RESUME, IFD_ORDER_HOLD}, 4);
    assert_int_equal(x->f.orders[IFD_ORDER_RAMP_OUT], 1);
}

TEST_WITH(a_trip_replaces_a_ramp_out, set_up, tear_down)
{
    fixture *x = *state;
    say_between(x, (const ifd_order[]){IFD_ORDER_RAMP_OUT, IFD_ORDER_TRIP}, 2);
    assert_int_equal(x->f.orders[IFD_ORDER_TRIP], 1);
}

typedef struct given {
    ifd_order order;
    uint32_t source;
} given;

/* Of two orders between two ticks the more urgent one arrives, with its source, whichever was given first. */
TEST_WITH(of_two_stops_the_one_with_the_larger_effect_arrives, set_up, tear_down)
{
    fixture *x = *state;
    enum { VIEWER = IFD_SOURCE_VIEWER + 1 };
    const struct {
        given more, less;
    } rows[] = {{{IFD_ORDER_OFF, 0}, {IFD_ORDER_TRIP, 0}},
                {{IFD_ORDER_TRIP, VIEWER}, {IFD_ORDER_STOP, 0}},
                {{IFD_ORDER_STOP, IFD_SOURCE_SIGNAL}, {IFD_ORDER_STOP, VIEWER}},
                {{IFD_ORDER_RAMP_OUT, 0}, {IFD_ORDER_STOP, VIEWER}},
                {{IFD_ORDER_STOP, VIEWER}, {IFD_ORDER_STOP, IFD_SOURCE_AUTOMATIC}},
                {{IFD_ORDER_STOP, IFD_SOURCE_AUTOMATIC}, {IFD_ORDER_RESUME, 0}}};
    for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
        const given first = i % 2 ? rows[i / 2].more : rows[i / 2].less;
        const given second = i % 2 ? rows[i / 2].less : rows[i / 2].more;
        fake_init(&x->f, 10);
        x->f.gate = 3;
        ifd_executor *e = opened(x);
        await_gate(x);
        ifd_executor_order(e, first.order, first.source);
        ifd_executor_order(e, second.order, second.source);
        atomic_store(&x->f.pass, true);
        ifd_executor_close(e, NULL);
        ifd_tick_record r;
        int seen = 0;
        while (ifd_executor_next(e, &r))
            if (r.order != IFD_ORDER_NONE) {
                assert_int_equal(r.order, rows[i / 2].more.order);
                assert_int_equal(r.source, rows[i / 2].more.source);
                seen++;
            }
        assert_int_equal(seen, 1);
        uint32_t overtaken, outdated;
        const given less = rows[i / 2].less;
        for (int k = 0; k < 2; k++) { /* told once */
            ifd_executor_lost(e, &overtaken, &outdated);
            assert_int_equal(overtaken, k || less.order == rows[i / 2].more.order ? 0 : 1u << less.order);
            assert_int_equal(outdated, 0);
        }
        ifd_arena_close(x->arena);
        x->arena = ifd_arena_open();
    }
}

/* A tick that comes back after a hang executes what stops, and what the program has ordered itself. */
TEST_WITH(an_order_from_before_a_hang_is_forgotten_and_told, set_up, tear_down)
{
    fixture *x = *state;
    const struct {
        given order;
        bool arrives;
    } rows[] = {{{IFD_ORDER_RUN, IFD_SOURCE_HOLDER}, false},
                {{IFD_ORDER_STOP, IFD_SOURCE_HOLDER}, true},
                {{IFD_ORDER_RAMP_OUT, IFD_SOURCE_HOLDER}, true},
                {{IFD_ORDER_NONE, IFD_SOURCE_HOLDER}, false},
                {{IFD_ORDER_RESUME, IFD_SOURCE_AUTOMATIC}, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const given order = rows[i].order;
        uint32_t overtaken, outdated;
        fake_init(&x->f, 10);
        x->f.gate = 3;
        ifd_executor *e = opened(x);
        await_gate(x);
        ifd_executor_order(e, order.order, order.source);
        nap(0.6);
        atomic_store(&x->f.pass, true);
        ifd_executor_close(e, NULL);
        ifd_executor_lost(e, &overtaken, &outdated);
        assert_int_equal(x->f.orders[IFD_ORDER_NONE], rows[i].arrives ? 9 : 10);
        assert_int_equal(outdated, rows[i].arrives || order.order == IFD_ORDER_NONE ? 0 : 1u << order.order);
        assert_int_equal(overtaken, 0);
        ifd_arena_close(x->arena);
        x->arena = ifd_arena_open();
    }
}

static void *chatter(void *executor)
{
    ifd_executor *e = executor;
    while (!ifd_executor_finished(e)) {
        for (int k = 0; k < 100; k++)
            ifd_executor_order(e, k % 2 ? IFD_ORDER_HOLD : IFD_ORDER_RESUME, IFD_SOURCE_HOLDER);
        nap(1e-5);
    }
    return NULL;
}

TEST_WITH(a_trip_is_not_lost_among_other_voices, set_up, tear_down)
{
    fixture *x = *state;
    fake_init(&x->f, 1200);
    x->f.gate = 1100; /* so that no order is too late */
    ifd_executor *e = opened(x);
    pthread_t thread[2];
    for (int k = 0; k < 2; k++)
        assert_int_equal(pthread_create(&thread[k], NULL, chatter, e), 0);
    ifd_executor_report report;
    long said = 0;
    do {
        ifd_executor_order(e, IFD_ORDER_TRIP, IFD_SOURCE_HOLDER);
        said++;
        ifd_executor_progress(e, &report);
        for (long before = report.ticks; report.ticks < before + 2;) { /* two ticks later it has been fetched */
            if (atomic_load(&x->f.waiting))
                atomic_store(&x->f.pass, true);
            nap(1e-3);
            ifd_executor_progress(e, &report);
        }
    } while (report.ticks < 200);
    atomic_store(&x->f.pass, true);
    ifd_executor_close(e, NULL);
    for (int k = 0; k < 2; k++)
        pthread_join(thread[k], NULL);
    assert_true(said > 0);
    assert_int_equal(x->f.orders[IFD_ORDER_TRIP], said);
}

/* The instant of the grid at a wall-clock time, in whole ns as on the clock. The quotient of two doubles is one too
 * low at 2563 of two million instants of 2 ms, the first after 4.03 s, if a tick wakes exactly on time. A test of
 * 0.12 s reaches this on a stalled machine. */
static long instant_of(double wall, double period)
{
    return lround(1e9 * wall) / lround(1e9 * period);
}

TEST_WITH(an_instant_is_counted_right_on_its_very_nanosecond, set_up, tear_down)
{
    const double period = 2e-3;
    long wrong = 0;
    for (long k = 0; k < 2000000; k++) {
        double wall = 1e-9 * (double)(k * 2000000); /* as computed by the executor from ns */
        assert_int_equal(instant_of(wall, period), k);
        wrong += (long)(wall / period) != k;
    }
    print_message("the quotient is wrong %ld times\n", wrong);
}

TEST_WITH(a_tick_that_overruns_skips_instants_and_is_not_caught_up, set_up, tear_down)
{
    fixture *x = *state;
    const double period = 2e-3;
    fake_init(&x->f, 60);
    x->f.slow = 10;
    x->f.nap = 5.5 * period;
    x->o.period = period;
    ifd_executor *e = opened(x);
    while (!ifd_executor_finished(e))
        nap(1e-3);
    ifd_executor_report report;
    ifd_executor_close(e, &report);
    ifd_tick_record r;
    long instant = -1, skipped = 0;
    while (ifd_executor_next(e, &r)) {
        assert_true(instant_of(r.wall, period) > instant); /* each tick has a separate instant */
        instant = instant_of(r.wall, period);
        skipped += (long)r.skipped;
        if (r.tick == 10)
            assert_true(r.duration >= 5.5 * period);
        if (r.tick == 11) {
            assert_true(r.skipped >= 5);
            assert_true(r.late >= 5 * period && r.late == r.values[FAKE_LATE]);
        }
    }
    assert_int_equal(report.ticks, 60);
    assert_int_equal(report.skipped, skipped);
    assert_true(report.late_ticks >= 1); /* the one after that which exceeded its period */
    assert_true(report.late_max >= 5 * period && report.duration_max >= 5.5 * period);
}

/* A nap in one tick makes the next one late; the tick and the report have the same count. */
TEST_WITH(a_tick_is_late_after_the_stated_time_only, set_up, tear_down)
{
    fixture *x = *state;
    const double period = 4e-3, after[] = {0.0, 1e-3, 3.5e-3, 1.0};
    for (size_t i = 0; i < COUNT(after); i++) {
        fake_init(&x->f, 40);
        x->f.slow = 20;
        x->f.nap = 2.5 * period;
        x->o.period = period;
        ifd_arena *arena = ifd_arena_open();
        ifd_ticked t = fake_ticked(&x->f);
        t.late_after = after[i];
        ifd_executor *e = NULL;
        assert_int_equal(ifd_executor_open(arena, &x->o, &t, &e, NULL), IFD_OK);
        while (!ifd_executor_finished(e))
            nap(1e-3);
        ifd_executor_report report;
        ifd_executor_close(e, &report);
        ifd_tick_record r;
        long late = 0;
        const double least = i ? after[i] : 0.5 * period;
        while (ifd_executor_next(e, &r)) {
            assert_int_equal(r.values[FAKE_IS_LATE] > 0, r.late > least);
            late += r.late > least;
            if (r.tick == 21 && i < 3) /* two instants and a half have passed */
                assert_true(r.late > least);
        }
        assert_int_equal(report.late_ticks, late);
        ifd_arena_close(arena);
    }
}

TEST_WITH(a_fault_ends_the_run, set_up, tear_down)
{
    fixture *x = *state;
    fake_init(&x->f, 7);
    x->f.ending = IFD_RUN_FAULT;
    ifd_executor *e = opened(x);
    ifd_executor_report report;
    ifd_executor_close(e, &report);
    assert_int_equal(report.end, IFD_RUN_FAULT);
    assert_int_equal(report.ticks, 7);
    assert_true(ifd_executor_finished(e));
    ifd_executor_close(e, &report); /* a second call has no effect */
    assert_int_equal(report.ticks, 7);
}

TEST_WITH(an_arena_that_is_closed_takes_its_executor_along, set_up, tear_down)
{
    fixture *x = *state;
    fake_init(&x->f, 1000000000);
    opened(x);
    assert_true(ifd_arena_sealed(x->arena));
    nap(0.01);
    ifd_arena_close(x->arena);
    long ticks = x->f.ticks;
    nap(0.01);
    assert_int_equal(x->f.ticks, ticks);
    assert_true(ticks < 1000000);
    x->arena = ifd_arena_open();
}

TEST_WITH(signals_and_tiny_numbers_stay_out_of_the_tick, set_up, tear_down)
{
    fixture *x = *state;
    fake_init(&x->f, 2);
    ifd_executor_close(opened(x), NULL);
    assert_int_equal(x->f.signals, 0);
#if defined(__SSE2__) || defined(__aarch64__)
    assert_true(x->f.values[FAKE_TINY] == 0);
#endif
}

TEST_WITH(bad_options_are_refused_by_name, set_up, tear_down)
{
    fixture *x = *state;
    ifd_ticked t = fake_ticked(&x->f);
    ifd_executor *e = NULL;
    const ifd_executor_options good = x->o;
    ifd_executor_options bad[] = {good, good, good, good, good, good, good, good};
    bad[0].period = -1;
    bad[1].period = 1e-6;
    bad[2].period = (double)NAN;
    bad[3].priority = 100;
    bad[4].priority = -1;
    bad[5].core = -2;
    bad[6].ring = 100;
    bad[7].ring = 0;
    for (size_t k = 0; k < COUNT(bad); k++)
        assert_int_equal(ifd_executor_open(x->arena, &bad[k], &t, &e, &x->note), IFD_RANGE);
    assert_int_equal(x->note.errors, COUNT(bad));
    assert_null(e);
}

TEST_WITH(memory_that_runs_out_is_reported, set_up, tear_down)
{
    fixture *x = *state;
    ifd_ticked t = fake_ticked(&x->f);
    ifd_executor *e = NULL;
    fake_init(&x->f, 3);
    for (long n = 1; n <= 4; n++) {
        ifd_arena_fail_at(x->arena, n);
        assert_int_equal(ifd_executor_open(x->arena, &x->o, &t, &e, NULL), IFD_NO_MEMORY);
    }
    ifd_arena_fail_at(x->arena, 0);
    assert_int_equal(ifd_executor_open(x->arena, &x->o, &t, &e, NULL), IFD_OK);
    ifd_executor_close(e, NULL);
}

TESTS()
