/* SPDX-License-Identifier: MIT */
/* `equalise`: the answer to the command of tick k is used in tick k + D, whatever its way took. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "several/bench.h"

enum { DELAY = 6 }; /* ticks: 12 ms of 2 ms */

/* Digital inputs act on arrival. */
static bool depends_on_arrival(const ifd_column *c)
{
    return c->quantity == IFD_COLUMN_RIG_ARRIVED || c->quantity == IFD_COLUMN_RIG_INPUTS ||
           c->quantity == IFD_COLUMN_RIG_ROUND_TRIP;
}

/* A delay adds energy and a tracking error: their limits are not the subject here. */
static void read_delayed(benches *b)
{
    benches_read(b);
    for (int k = 0; k < BENCHES; k++) {
        b->interface[k].limits.energy = (double)INFINITY;
        b->interface[k].limits.tracking = 0.1; /* m, the stroke */
    }
}

/* A complete test with answers of the middle rig that are up to `latest` ticks on their way. */
static void run(benches *b, int latest, uint64_t seed, bool equalised)
{
    read_delayed(b);
    b->part[1].equalise = equalised ? 12e-3 : 0.0;
    b->bench[1].latest = latest;
    b->bench[1].dice = seed;
    benches_make(b);
    benches_bring(b, IFD_MACHINE_RUN);
    benches_until(b, IFD_MACHINE_STOPPED);
}

/* Number of values that differ, apart from those of the arrival. */
static long differences(const benches *a, const benches *b)
{
    long count = 0;
    int columns;
    const ifd_column *column = ifd_hybrid_columns(a->h, &columns);
    for (int k = 0; k < a->ticks && k < b->ticks; k++)
        for (int i = 0; i < columns; i++)
            count += !depends_on_arrival(&column[i]) &&
                     memcmp(&a->values[k * columns + i], &b->values[k * columns + i], sizeof(double)) != 0;
    return count + labs((long)a->ticks - b->ticks);
}

TEST(different_jitter_gives_the_same_bits)
{
    benches *a = test_malloc(sizeof *a), *b = test_malloc(sizeof *b);
    run(a, 1, 1, true); /* without jitter */
    for (uint64_t seed = 2; seed < 6; seed++) {
        run(b, DELAY, seed, true); /* 0 to 5 ticks late, and overtaken */
        assert_int_equal(differences(a, b), 0);
        if (seed == 2)
            benches_replay(b);
        benches_close(b);
    }
    benches_close(a);
    run(a, DELAY, 2, false); /* without the key the jitter is in the numbers */
    run(b, DELAY, 3, false);
    assert_true(differences(a, b) > 0);
    benches_close(a);
    benches_close(b);
    test_free(a);
    test_free(b);
}

/* Each tick uses the answer of exactly D ticks before; the rig tells the tick in the time of its measurement. */
TEST(a_measurement_is_used_at_its_age)
{
    benches *b = test_malloc(sizeof *b);
    run(b, DELAY, 7, true);
    int columns;
    const ifd_column *column = ifd_hybrid_columns(b->h, &columns);
    int answered = ifd_column_find(column, columns, "centre", IFD_COLUMN_RIG_ANSWERED),
        fresh = ifd_column_find(column, columns, "centre", IFD_COLUMN_RIG_FRESH),
        age = ifd_column_find(column, columns, "centre", IFD_COLUMN_RIG_AGE),
        measured = ifd_column_find(column, columns, "middle", IFD_COLUMN_INTERFACE_DEFORMATION);
    for (int k = 0; k < b->ticks; k++) {
        const double *v = b->values + k * columns; /* of tick k + 1 */
        assert_int_equal(v[fresh] > 0.0, k + 1 > DELAY);
        if (k + 1 <= DELAY)
            continue;
        assert_true(v[answered] == k + 1 - DELAY);
        assert_near(v[age], 12e-3, 1e-12, "age");
        const bench_command *c = &b->bench[1].seen[k - DELAY]; /* of tick k + 1 - D */
        assert_int_equal(c->tick, k + 1 - DELAY);
        if (c->commanded)
            assert_true(v[measured] == c->position);
    }
    benches_close(b);
    test_free(b);
}

/* An answer that is later than its tick is missing; the last one remains in use. */
TEST(a_late_answer_is_stale_and_more_of_them_are_lost)
{
    benches *b = test_malloc(sizeof *b);
    read_delayed(b);
    b->part[1].equalise = 12e-3;
    benches_make(b);
    benches_bring(b, IFD_MACHINE_RUN);
    long before = ifd_hybrid_count(b->h, IFD_TRIP_STALE);
    b->bench[1].silent = true; /* three answers are missing six ticks later, and only then */
    for (int k = 0; k < 3; k++)
        benches_tick(b, IFD_ORDER_NONE);
    b->bench[1].silent = false;
    assert_int_equal(ifd_hybrid_count(b->h, IFD_TRIP_STALE), before);
    for (int k = 0; k < 20; k++)
        benches_tick(b, IFD_ORDER_NONE);
    assert_int_equal(ifd_hybrid_count(b->h, IFD_TRIP_STALE), before + 3);
    assert_int_equal(ifd_hybrid_state(b->h), IFD_MACHINE_RUN);
    int from = b->bench[0].commands;
    b->bench[1].silent = true; /* 60 ms and the 12 ms of the answers that are there */
    for (int k = 0; k < 60; k++)
        benches_tick(b, IFD_ORDER_NONE);
    int struck = from;
    while (b->bench[0].seen[struck].state != IFD_MACHINE_TRIPPED)
        struck++;
    assert_int_equal(struck - from, DELAY - 1 + 30);
    assert_string_equal(ifd_trip_name(ifd_hybrid_trip(b->h).trip), "LOST");
    benches_replay(b);
    benches_close(b);
    test_free(b);
}

/* Emergency stop, hydraulics and a stop of the rig are not delayed. */
TEST(a_stop_acts_on_arrival)
{
    for (int what = 0; what < 4; what++) {
        benches *b = test_malloc(sizeof *b);
        read_delayed(b);
        b->part[1].equalise = 12e-3;
        benches_make(b);
        benches_bring(b, IFD_MACHINE_RUN);
        int from = b->bench[0].commands;
        b->bench[1].clear = what == 0 ? IFD_INPUT_NO_STOP : what == 1 ? IFD_INPUT_HYDRAULICS : 0;
        b->bench[1].set = what == 2 ? IFD_INPUT_RIG_STOPPED : 0;
        b->bench[1].stops = what == 3;
        benches_tick(b, IFD_ORDER_NONE);
        for (int r = 0; r < BENCHES; r++)
            assert_int_equal(b->bench[r].seen[from].state, IFD_MACHINE_TRIPPED);
        benches_close(b);
        test_free(b);
    }
}

/* A rig that answers a command of the future is lost at once; after the repair it is heard again. */
TEST(a_wrong_tick_is_no_answer)
{
    benches *b = test_malloc(sizeof *b);
    read_delayed(b);
    b->part[1].equalise = 12e-3;
    benches_make(b);
    benches_bring(b, IFD_MACHINE_RUN);
    b->bench[1].tick_off = 1000;
    benches_tick(b, IFD_ORDER_NONE);
    assert_string_equal(ifd_trip_name(ifd_hybrid_trip(b->h).trip), "LOST");
    assert_string_equal(ifd_hybrid_rig_name(b->h, ifd_hybrid_trip(b->h).owner), "centre");
    b->bench[1].tick_off = 0;
    for (int k = 0; k < 200; k++)
        benches_tick(b, IFD_ORDER_NONE);
    benches_tick(b, IFD_ORDER_RESET);
    for (int k = 0; k < 50; k++)
        benches_tick(b, IFD_ORDER_NONE);
    benches_tick(b, IFD_ORDER_ARM);
    assert_int_equal(ifd_hybrid_state(b->h), IFD_MACHINE_READY);
    benches_close(b);
    test_free(b);
}

/* Ticks of a parked test until one is complete. */
static void to_a_whole_tick(benches *b)
{
    do
        benches_tick(b, IFD_ORDER_NONE);
    while (b->trace[b->ticks - 1].quiet);
}

/* A tripped test that waits judges one tick in a second. An answer to a command that is sent only later was none,
 * also if nothing else arrives before that tick: the rig is lost. A silence of that length alone is not. */
TEST(an_early_answer_to_a_parked_test_is_none)
{
    for (uint64_t early = 0; early < 2; early++) {
        benches *b = test_malloc(sizeof *b);
        read_delayed(b);
        b->part[1].equalise = 12e-3;
        b->opt.wait_tripped = true;
        benches_make(b);
        benches_bring(b, IFD_MACHINE_RUN);
        benches_tick(b, IFD_ORDER_TRIP);
        for (int k = 0; k < 1000; k++) /* 2 s */
            benches_tick(b, IFD_ORDER_NONE);
        to_a_whole_tick(b);
        for (int k = 0; k < 490; k++)
            benches_tick(b, IFD_ORDER_NONE);
        long lost = ifd_hybrid_count(b->h, IFD_TRIP_LOST);
        b->bench[1].tick_off = early;
        benches_tick(b, IFD_ORDER_NONE);
        assert_int_equal(b->trace[b->ticks - 1].quiet, 1);
        uint64_t answered =
            b->bench[1].seen[b->bench[1].commands - 2].tick + early; /* in this tick, before its own */
        b->bench[1].silent = true;
        to_a_whole_tick(b);
        int columns,
            i = ifd_column_find(ifd_hybrid_columns(b->h, &columns), b->t.count, "centre", IFD_COLUMN_RIG_ARRIVED);
        assert_int_equal(b->t.values(b->t.self)[i] == (double)answered, !early);
        assert_int_equal(ifd_hybrid_count(b->h, IFD_TRIP_LOST) - lost, early);
        benches_close(b);
        test_free(b);
    }
}

TESTS()
