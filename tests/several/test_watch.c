/* SPDX-License-Identifier: MIT */
/* What the record reports of each rig, tick by tick, against a count of its answers by this file; and what depends on
 * it: the limit of silence of each rig, the search before arming, the continuation of a test. */
#include "check.h"

#include <string.h>

#include "several/bench.h"

enum { WATCHED = 400 }; /* ticks */

/* Expected values of one rig, in the order of its columns. */
typedef struct watch {
    double fresh, answered, arrived, inputs, time, taken, clock, round_trip, age, lost;
    bool heard, came[MOST_TICKS];
    int next; /* answer */
} watch;

static const char *const names[] = {"fresh", "answered", "arrived",    "inputs", "time",
                                    "taken", "clock",    "round trip", "age",    "lost"};

/* The answers of tick k; delay 0: they are used at once. */
static void take_answers(watch *w, const bench *b, int k, int delay)
{
    for (; w->next < b->answers && b->given[w->next].in == (uint64_t)k; w->next++) {
        const bench_answer *a = &b->given[w->next];
        double tick = (double)a->tick;
        if (!delay || tick >= w->arrived)
            w->inputs = a->inputs;
        w->arrived = delay ? fmax(w->arrived, tick) : tick;
        w->came[a->tick] = true;
        if (!delay)
            w->answered = tick;
        w->fresh = w->fresh > 0.0 || !delay;
    }
    if (delay && k > delay && w->came[k - delay]) {
        w->fresh = 1.0;
        w->answered = k - delay;
    }
}

static void expect(watch *w, const bench *b, int k, int delay, double dt)
{
    double before = w->arrived;
    w->fresh = 0.0;
    take_answers(w, b, k, delay);
    if (w->fresh > 0.0) {
        w->heard = true;
        w->time = 1e-3 * w->answered;
        w->taken = 1e-9 * (double)((int64_t)w->answered * 1000000);
        w->clock = IFD_CLOCK_OWN;
    }
    w->round_trip = w->arrived > before ? (k - w->arrived) * dt : w->round_trip;
    w->age = w->answered > 0.0 ? (k - w->answered) * dt : 0.0;
    w->lost += w->heard && w->fresh == 0.0;
}

static void check_record(const benches *b)
{
    static watch w;
    int count;
    const ifd_column *column = ifd_hybrid_columns(b->h, &count);
    double dt = ifd_hybrid_period(b->h);
    for (int r = 0; r < BENCHES; r++) {
        int first = ifd_column_find(column, count, b->part[r].name, IFD_COLUMN_RIG_FRESH),
            delay = (int)round(b->part[r].equalise / dt);
        memset(&w, 0, sizeof w);
        for (int k = 1; k <= b->ticks; k++) {
            expect(&w, &b->bench[r], k, delay, dt);
            for (int i = 0; i < (int)COUNT(names); i++) {
                double found = b->values[(k - 1) * count + first + i], expected = (&w.fresh)[i];
                if (found != expected)
                    fail_msg("rig %d, delay %d, tick %d: %s is %.17g, expected %.17g", r, delay, k, names[i], found,
                             expected);
            }
        }
    }
}

static uint32_t draw(uint64_t *dice, uint32_t below)
{
    uint64_t z = *dice += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    return (uint32_t)(z >> 33) % below;
}

/* Random pauses, jitter, inputs and delays; before the test is armed, and while it runs. */
TEST(the_record_has_what_each_rig_reported)
{
    for (uint64_t seed = 1; seed <= 12; seed++) {
        static benches b;
        uint64_t dice = seed;
        bool runs = seed % 2 == 0;
        benches_read(&b);
        for (int r = 0; r < BENCHES; r++) {
            int delay = (int)draw(&dice, 2) * (1 + (int)draw(&dice, 6));
            b.part[r].equalise = delay * 2e-3;
            b.bench[r].latest = delay ? 1 + (int)draw(&dice, (uint32_t)delay + 2) : 0; /* some of them too late */
            b.bench[r].dice = seed + (uint64_t)r;
            b.bench[r].silent = draw(&dice, 2);
        }
        benches_make(&b);
        for (int k = 0; k < WATCHED; k++) {
            for (int r = 0; r < BENCHES; r++) {
                b.bench[r].silent = draw(&dice, 4) ? b.bench[r].silent : draw(&dice, 3) == 0;
                b.bench[r].clear = runs || draw(&dice, 4) ? b.bench[r].clear : draw(&dice, 4);
            }
            benches_tick(&b, !runs        ? IFD_ORDER_NONE
                             : k % 8 == 6 ? IFD_ORDER_ARM
                             : k % 8 == 7 ? IFD_ORDER_RUN
                                          : IFD_ORDER_NONE);
        }
        check_record(&b);
        benches_close(&b);
    }
}

/* Silence of a rig up to its limit has no consequence; the time of a limit is rounded up to ticks, except by the
 * rounding of its digits. */
TEST(the_silence_of_each_rig_has_its_own_limit)
{
    static const struct {
        double ticks; /* 0: the limit of the test */
        int limit;
    } rows[] = {{7, 7}, {7.5, 8}, {0.3, 1}, {7 * (1 + 0.9e-12), 7}, {7 * (1 + 1.005e-12), 8}, {0, 10}};
    for (int i = 0; i < BENCHES * (int)COUNT(rows); i++) {
        static benches b;
        int rig = i % BENCHES, limit = rows[i / BENCHES].limit;
        benches_read(&b);
        b.part[rig].stale_time = rows[i / BENCHES].ticks * 2e-3;
        benches_make(&b);
        assert_true(ifd_hybrid_period(b.h) == 2e-3);
        benches_bring(&b, IFD_MACHINE_READY);
        int from = b.bench[0].commands;
        b.bench[rig].silent = true;
        for (int k = 0; k <= limit; k++)
            benches_tick(&b, IFD_ORDER_NONE);
        for (int r = 0; r < BENCHES; r++) {
            assert_int_equal(b.bench[r].seen[from + limit - 1].state, IFD_MACHINE_READY);
            assert_int_equal(b.bench[r].seen[from + limit].state, IFD_MACHINE_TRIPPED);
        }
        benches_close(&b);
    }
}

/* Three samples of all rigs are needed: one that answers in every fourth tick determines how long this takes. */
TEST(the_slowest_rig_determines_the_search)
{
    for (int rig = 0; rig < BENCHES; rig++) {
        static benches b;
        benches_read(&b);
        benches_make(&b);
        for (int k = 1; k <= 13; k++) {
            b.bench[rig].silent = k % 4 != 0;
            benches_tick(&b, IFD_ORDER_NONE);
            assert_int_equal(ifd_hybrid_wait(b.h).wait == IFD_WAIT_ORDER, k >= 12);
        }
        benches_close(&b);
    }
}

/* Of the last second (500 ticks) 5 % may be without a measurement of a rig: one of 25 is not too many, one of 16 is,
 * until none has been missing for a second and the tenth that is counted. */
TEST(a_rig_that_measures_too_rarely_is_not_armed)
{
    for (int rig = 0; rig < BENCHES; rig++) {
        static benches b;
        benches_read(&b);
        b.opt.stale_fraction = 0.05;
        benches_make(&b);
        assert_true(ifd_hybrid_period(b.h) == 2e-3);
        int armed = 0, ready = 0;
        for (int k = 1; k <= 600; k++) {
            b.bench[rig].silent = k % 25 == 0;
            benches_tick(&b, IFD_ORDER_NONE);
            armed += k > 100 && ifd_hybrid_wait(b.h).wait == IFD_WAIT_ORDER;
        }
        assert_int_equal(armed, 500);
        for (int k = 1; k <= 1200; k++) {
            b.bench[rig].silent = k % 16 == 0;
            benches_tick(&b, IFD_ORDER_NONE);
            armed += k > 600 && !b.bench[rig].silent && ifd_hybrid_wait(b.h).wait != IFD_WAIT_STALE;
        }
        assert_int_equal(armed, 500);
        benches_tick(&b, IFD_ORDER_ARM);
        assert_int_equal(b.trace[b.ticks - 1].answer, IFD_ANSWER_STALE);
        assert_in_range(1e4 * b.trace[b.ticks - 1].answer_value, 9330, 9420);
        assert_near(b.trace[b.ticks - 1].answer_limit, 0.95, 1e-15, "required");
        b.bench[rig].silent = false;
        for (; ready < 600 && ifd_hybrid_wait(b.h).wait == IFD_WAIT_STALE; ready++)
            benches_tick(&b, IFD_ORDER_NONE);
        assert_in_range(ready, 50, 200); /* 32 stale ticks of 500 are 6.4 %: 7 have left after 112 more, or 50 */
        benches_bring(&b, IFD_MACHINE_READY);
        benches_close(&b);
    }
}

/* A rig that is found but has not acknowledged a command yet: the operator reads which one. */
TEST(the_first_rig_without_an_acknowledgement_is_named)
{
    for (int deaf = 1; deaf < 1 << BENCHES; deaf++) {
        static benches b;
        benches_read(&b);
        benches_make(&b);
        for (int r = 0; r < BENCHES; r++)
            b.bench[r].deaf = deaf >> r & 1;
        play(&b.p, "8");
        int first = deaf & 1 ? 0 : deaf & 2 ? 1 : 2;
        assert_int_equal(ifd_hybrid_wait(b.h).wait, IFD_WAIT_COMMUNICATION);
        assert_string_equal(ifd_hybrid_owner_name(b.h, ifd_hybrid_wait(b.h).owner), b.part[first].name);
        benches_close(&b);
    }
}

/* Every division of the actuators among the rigs: a specimen and its actuator have the name of their rig. */
TEST(each_specimen_has_the_rig_of_its_actuator)
{
    for (int i = 0; i < 6; i++) {
        static benches b;
        const int a[BENCHES] = {i % 3, (i % 3 + 1 + i / 3) % 3, (i % 3 + 2 - i / 3) % 3};
        benches_read(&b);
        for (int r = 0; r < BENCHES; r++)
            b.part[r].actuator[0] = a[r];
        benches_make(&b);
        for (int r = 0; r < BENCHES; r++) {
            assert_string_equal(ifd_hybrid_rig_name(b.h, a[r]), b.part[r].name);
            assert_string_equal(ifd_hybrid_rig_name(b.h, BENCHES + a[r]), b.part[r].name);
        }
        benches_close(&b);
    }
}

/* A test continued from a checkpoint, on rigs outside this process: in the tick in which its state returns, the
 * record has what the rigs reported in this tick, and a replay reproduces it. */
TEST(a_continued_test_records_its_own_rigs)
{
    static benches a, b;
    ifd_snapshot saved;
    benches_read(&a);
    benches_make(&a);
    benches_bring(&a, IFD_MACHINE_HOLD);
    while (!ifd_hybrid_snapshot(a.h, &saved))
        benches_tick(&a, IFD_ORDER_NONE);
    benches_read(&b);
    for (int r = 0; r < BENCHES; r++)
        b.bench[r].position = a.bench[r].position + 1e-6 * (r + 1);
    benches_make(&b);
    b.from = &saved;
    assert_int_equal(ifd_hybrid_continue(b.h, &saved, &b.note), IFD_OK);
    play(&b.p, "30; arm; run");
    int count;
    const ifd_column *column = ifd_hybrid_columns(b.h, &count);
    while (ifd_hybrid_state(b.h) != IFD_MACHINE_HOLD) {
        uint64_t said[BENCHES];
        for (int r = 0; r < BENCHES; r++)
            said[r] = b.bench[r].heard;
        benches_tick(&b, IFD_ORDER_NONE);
        for (int r = 0; r < BENCHES; r++) {
            const double *v =
                b.t.values(b.t.self) + ifd_column_find(column, count, b.part[r].name, IFD_COLUMN_RIG_FRESH);
            assert_true(v[0] == 1.0 && v[1] == (double)said[r] && v[2] == (double)said[r]);
        }
    }
    benches_tick(&b, IFD_ORDER_RESUME);
    benches_until(&b, IFD_MACHINE_STOPPED);
    benches_replay(&b);
    benches_close(&b);
    ifd_hybrid_give_back(a.h);
    benches_close(&a);
}

/* The same on rigs in this process, whose answers are numbered by the ticks of the first test from then on. In this
 * tick each has answered the command of the last tick of its own test. */
TEST(a_continued_test_on_simulated_rigs_records_their_own_ticks)
{
    static benches a, b;
    static benches *const both[] = {&a, &b};
    ifd_snapshot saved;
    for (int i = 0; i < 2; i++) {
        benches_read(both[i]);
        const ifd_several *own = ifd_several_of(both[i]->c->test->rig, both[i]->c->test->rig_setup);
        memcpy(both[i]->part, own->rig, sizeof both[i]->part);
        benches_make(both[i]);
    }
    benches_bring(&a, IFD_MACHINE_HOLD);
    while (!ifd_hybrid_snapshot(a.h, &saved))
        benches_tick(&a, IFD_ORDER_NONE);
    assert_int_equal(ifd_hybrid_continue(b.h, &saved, &b.note), IFD_OK);
    play(&b.p, "30; arm; run");
    int count;
    const ifd_column *column = ifd_hybrid_columns(b.h, &count);
    while (ifd_hybrid_state(b.h) != IFD_MACHINE_HOLD) {
        benches_tick(&b, IFD_ORDER_NONE);
        for (int r = 0; r < BENCHES; r++) {
            const double *v =
                b.t.values(b.t.self) + ifd_column_find(column, count, b.part[r].name, IFD_COLUMN_RIG_FRESH);
            assert_near(v[0], 1.0, 0.0, "a measurement of rig %d, tick %d", r, b.ticks);
            assert_near(v[1], b.ticks - 1, 0.0, "answered by rig %d", r);
            assert_near(v[2], b.ticks - 1, 0.0, "arrived from rig %d", r);
        }
    }
    assert_int_not_equal(b.ticks, saved.tick);
    ifd_hybrid_give_back(a.h);
    benches_close(&a);
    benches_close(&b);
}

TESTS()
