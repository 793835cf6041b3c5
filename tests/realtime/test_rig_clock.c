/* SPDX-License-Identifier: MIT */
/* The clock of a rig leads: exact, on instants that the test invents; and an executor whose rig is dead or wrong. */
#include "check.h"

#include "realtime/fake.h"
#include "realtime/rig_clock.h"

#include <math.h>
#include <time.h>

static const double period = 1e6; /* ns */

typedef struct trip {
    ifd__rig_clock c;
    int64_t last, longest, shortest; /* ns between two ticks */
    double late;                     /* ns, largest */
} trip;

static void begin(trip *t)
{
    *t = (trip){.shortest = INT64_MAX};
    ifd__rig_clock_begin(&t->c, 1000000, period);
}

/* One tick that takes 0.1 ms: the rig answers with this sample, at the sample or at the end of its wait. */
static void tick(trip *t, int64_t sample)
{
    int64_t latest = ifd__rig_clock_latest(&t->c), now = sample >= 0 && sample <= latest ? sample : latest;
    ifd__rig_clock_take(&t->c, sample, now);
    int64_t at = t->c.due > now ? t->c.due : now, apart = at - t->last;
    if (t->last) {
        t->longest = apart > t->longest ? apart : t->longest;
        t->shortest = apart < t->shortest ? apart : t->shortest;
    }
    t->last = at;
    t->late = fmax(t->late, (double)(at - t->c.due));
    ifd__rig_clock_advance(&t->c, at + 100000);
}

TEST(ticks_follow_a_clock_that_is_fast_or_slow)
{
    for (int sign = -1; sign <= 1; sign += 2) {
        trip t;
        begin(&t);
        double own = period * (1.0 + sign * 200e-6);
        for (int k = 0; k < 20000; k++) /* four of its ticks beside the grid of the case at the end */
            tick(&t, 1000000 + (int64_t)(own * k + 0.5));
        assert_int_equal(t.c.in_vain, 0);
        assert_near(t.late, 0, 0, "late");
        assert_near(t.c.mean, own, 1e-3, "mean period"); /* rounding of one instant in 1000 periods */
        assert_false(t.c.wrong);
        assert_true(t.longest <= (int64_t)own + 1 && t.shortest >= (int64_t)own - 1);
    }
}

/* Jitter below half a period changes due instants, not the lateness; no sample is lost. */
TEST(jitter_is_no_lateness)
{
    trip t;
    uint32_t random = 1;
    begin(&t);
    for (int k = 0; k < 5000; k++) {
        random = random * 1664525u + 1013904223u;
        tick(&t, 1000000 + (int64_t)(period * k) + (int64_t)(random >> 8) % 200001 - 100000);
    }
    assert_int_equal(t.c.in_vain, 0);
    assert_near(t.late, 0, 0, "late");
    assert_near(t.c.mean, period, 200.0, "mean period"); /* 0.2 ms of jitter in 1000 periods */
    assert_false(t.c.wrong);
}

TEST(a_clock_that_dies_delays_a_tick_by_half_a_period_at_most)
{
    trip t;
    begin(&t);
    for (int k = 0; k < 100; k++)
        tick(&t, 1000000 + (int64_t)(period * k));
    for (int k = 0; k < 2000; k++)
        tick(&t, -1);
    assert_int_equal(t.c.in_vain, 2000);
    assert_true(t.longest <= (int64_t)(1.5 * period));
    assert_true(t.shortest >= (int64_t)(0.99 * period));
    assert_true(t.c.wrong); /* such a clock is not armed again */
}

/* Instants of the past or of the future are no samples: no burst of ticks, no long wait. */
TEST(a_clock_that_jumps_neither_hurries_nor_stops_the_ticks)
{
    static const int64_t jump[] = {-1000000000, -600000, 600000, 1000000000};
    for (size_t i = 0; i < COUNT(jump); i++) {
        trip t;
        begin(&t);
        for (int k = 0; k < 100; k++)
            tick(&t, 1000000 + (int64_t)(period * k));
        for (int k = 100; k < 200; k++)
            tick(&t, 1000000 + (int64_t)(period * k) + jump[i]);
        assert_true(t.longest <= (int64_t)(1.5 * period) + 1);
        assert_true(t.shortest >= (int64_t)(0.39 * period)); /* it may lock to samples that are 0.6 periods early */
        assert_true(t.c.in_vain >= 1);
    }
}

TEST(a_period_that_is_off_by_more_than_a_hundredth_is_wrong)
{
    static const struct {
        double off;
        bool wrong;
    } rows[] = {{0.0099, false}, {-0.0099, false}, {0.0101, true}, {-0.0101, true}, {0.03, true}, {0.4, true}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        trip t;
        begin(&t);
        for (int k = 0; k < IFD__RIG_CLOCK_TICKS; k++)
            tick(&t, 1000000 + (int64_t)(period * (1.0 + rows[i].off) * k));
        assert_near(t.c.mean, 0, 0, "not known before 1000 periods");
        tick(&t, 1000000 + (int64_t)(period * (1.0 + rows[i].off) * IFD__RIG_CLOCK_TICKS));
        assert_near(t.c.mean, period * (1.0 + rows[i].off), 1e-2, "mean period");
        assert_int_equal(t.c.wrong, rows[i].wrong);
    }
}

/* Instants that this program missed are skipped once and counted, as with its own clock. */
TEST(missed_samples_are_skipped)
{
    trip t;
    begin(&t);
    tick(&t, 1000000);
    ifd__rig_clock_advance(&t.c, 1000000 + (int64_t)(3.5 * period));
    assert_int_equal(t.c.skipped, 3);
    assert_int_equal(t.c.expected, 1000000 + (int64_t)(4 * period));
    tick(&t, 1000000 + (int64_t)(4 * period));
    assert_int_equal(t.c.skipped, 0);
    assert_int_equal(t.c.in_vain, 0);
}

/* The window of a sample: half a period on both sides of the expected instant, and not after the present. */
TEST(a_sample_is_taken_within_half_a_period)
{
    const int64_t half = (int64_t)(0.5 * period), expected = 1000000, latest = expected + half;
    const struct {
        int64_t sample, now;
        bool came;
    } rows[] = {{expected - half, latest, true},
                {expected - half - 1, latest, false},
                {latest, latest, true},
                {latest + 1, latest + 2, false}, /* the rig waited too long */
                {expected + 1, expected + 1, true},
                {expected + 1, expected, false}, /* of the future */
                {-1, latest, false},
                {INT64_MAX, latest, false}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        ifd__rig_clock c;
        ifd__rig_clock_begin(&c, expected, period);
        ifd__rig_clock_take(&c, rows[i].sample, rows[i].now);
        assert_int_equal(c.in_vain, !rows[i].came);
        assert_true(c.due == (rows[i].came ? rows[i].sample : latest));
        assert_true(c.expected == (rows[i].came ? rows[i].sample : expected) + (int64_t)period);
    }
}

static int64_t answer;
static int64_t wait_nothing(void *self, int64_t latest)
{
    (void)self, (void)latest;
    return answer;
}

/* A rig that answers at once, with nothing or with nonsense: the ticks keep their distance. */
TEST(an_executor_is_not_hurried_by_its_rig)
{
    static const int64_t answers[] = {-1, 0, INT64_MAX};
    for (size_t i = 0; i < COUNT(answers); i++) {
        ifd_arena *arena = ifd_arena_open();
        ifd_executor_options o;
        ifd_executor_report r;
        ifd_executor *e;
        ifd_tick_record record;
        fake f;
        double wall = 0.0;
        fake_init(&f, 30);
        ifd_ticked t = fake_ticked(&f);
        t.wait = wait_nothing;
        answer = answers[i];
        ifd_executor_defaults(&o);
        o.lock_memory = false;
        assert_int_equal(ifd_executor_open(arena, &o, &t, &e, NULL), IFD_OK);
        ifd_executor_close(e, &r);
        while (ifd_executor_next(e, &record))
            wall = record.wall;
        assert_true(wall >= 29 * 1e-3);
        assert_int_equal(r.ticks, 30);
        assert_int_equal(r.in_vain, 30);
        ifd_arena_close(arena);
    }
}

static ifd_run_state (*tick_of_fake)(void *self, const ifd_tick_in *in);
static uint32_t closed[2];
static int stored;

static ifd_run_state store_gate(void *self, const ifd_tick_in *in)
{
    if (stored < 2)
        closed[stored++] = in->gate;
    return tick_of_fake(self, in);
}

/* The instant of a start that passed while the rig became ready: the gates close once and open, which a test that has
 * not armed takes for a missed start. */
TEST(a_start_that_has_passed_is_a_missed_one)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_executor_options o;
    ifd_executor_report r;
    ifd_executor *e;
    struct timespec now;
    fake f;
    clock_gettime(CLOCK_MONOTONIC, &now);
    ifd_executor_defaults(&o);
    o.lock_memory = false;
    o.start_at = (int64_t)now.tv_sec * 1000000000 - 1000000000;
    o.lead = 0.5;
    fake_init(&f, 5);
    ifd_ticked t = fake_ticked(&f);
    tick_of_fake = t.tick;
    t.tick = store_gate;
    stored = 0;
    assert_int_equal(ifd_executor_open(arena, &o, &t, &e, NULL), IFD_OK);
    ifd_executor_close(e, &r);
    assert_int_equal(stored, 2);
    assert_int_equal(closed[0], IFD_GATE_READY | IFD_GATE_START);
    assert_int_equal(closed[1], 0);
    ifd_arena_close(arena);
}

TESTS()
