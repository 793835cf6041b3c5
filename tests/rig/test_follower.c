/* SPDX-License-Identifier: MIT */
/* The motion of a served rig through irregular commands: against the closed form of a critically damped follower. */
#include "check.h"

#include <math.h>

#include "rig/follower.h"

static const double tick = 1e-3, brake = 0.12;
static ifd__followed memory[1 + IFD__FOLLOWED];

/* What is in the memory, or in front of it, is no command. */
static ifd__follower begun(void)
{
    ifd__follower f = {.actuators = 2, .tick = tick, .command = memory + 1};
    for (int i = 0; i <= IFD__FOLLOWED; i++)
        memory[i] = (ifd__followed){.progress = 2.0, .tick = 77, .position = {(double)NAN, (double)NAN}};
    ifd__follower_begin(&f, brake);
    return f;
}

static bool take(ifd__follower *f, double progress, uint64_t n, double position)
{
    ifd__followed c = {.progress = progress, .tick = n};
    c.position[0] = position;
    c.position[1] = -2.0 * position;
    return ifd__follower_take(f, &c);
}

/* w of a quarter of the brake time: 3 x 4/brake. From rest at 0 to 1 s of progress: 1 - (1 + wt) e^-wt. */
TEST(it_follows_the_closed_form)
{
    ifd__follower f = begun();
    double p[IFD_RIG_ACTUATORS], w = 12.0 / brake;
    assert_near(ifd__follower_lag(brake), 2.0 / w, 1e-15, "lag");
    assert_int_equal(ifd__follower_move(&f, p), 0);
    assert_true(take(&f, 0.0, 5, 10.0));
    assert_true(take(&f, 1.0, 9, 20.0));
    for (int i = 1; i <= 60; i++) {
        double t = i * tick, share = 1.0 - (1.0 + w * t) * exp(-w * t);
        assert_int_equal(ifd__follower_move(&f, p), 5 + lround(4.0 * share)); /* 6 to 8 were lost on the way */
        assert_near(p[0], 10.0 + 10.0 * share, 1e-10, "tick %d", i);
        assert_near(p[1], -2.0 * p[0], 1e-10, "second channel");
    }
    for (int i = 0; i < 1000; i++)
        (void)ifd__follower_move(&f, p);
    assert_int_equal(ifd__follower_move(&f, p), 9);
    assert_near(p[0], 20.0, 0.0, "at rest on the newest command");
    assert_near(f.step, 0.0, 0.0, "at rest");
}

/* It comes to rest when the remaining way and the step are below 0.02 ticks, and not before. */
TEST(it_rests_within_a_fiftieth_of_a_tick)
{
    static const struct {
        double left, step;
        bool rests;
    } rows[] = {{0.0199, 0.0, true}, {0.0201, 0.0, false}, {0.0, 0.0199, true}, {0.0, 0.0201, false}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        ifd__follower f = begun();
        double p[IFD_RIG_ACTUATORS], y, v;
        assert_true(take(&f, 0.0, 1, 0.0) && take(&f, 1.0, 2, 1.0));
        /* a state that the next tick brings there: the inverse of its step */
        double w = f.filter.w, E = f.filter.decay, a = (1.0 + w) * E, b = E, c = -w * w * E, d = (1.0 - w) * E;
        double e1 = -rows[i].left * tick, v1 = rows[i].step * tick, det = a * d - b * c;
        y = (d * e1 - b * v1) / det;
        v = (-c * e1 + a * v1) / det;
        f.progress = 1.0 + y;
        f.step = v;
        (void)ifd__follower_move(&f, p);
        assert_int_equal(f.progress == 1.0 && f.step == 0.0, rows[i].rests);
    }
}

/* Exactly a fiftieth of a tick of way, or of step, is not at rest. */
TEST(a_fiftieth_of_a_tick_is_not_at_rest)
{
    const double edge = 0.02 * tick;
    for (int way = 0; way < 2; way++) {
        ifd__follower f = begun();
        double p[IFD_RIG_ACTUATORS], w = f.filter.w, E = f.filter.decay, y = 0.0, v = 0.0;
        double first = way ? -edge / (E * (1.0 + w)) : edge * (1.0 + w) / E;
        bool found = false;
        for (int i = 0; i < 40000 && !found; i++) { /* to the last bit */
            double near = first * (1.0 + (i % 200 - 100) * 1.1e-16), other = way ? 0.0 : -first / (1.0 + w);
            other += (i / 200 - 100) * 1e-21;
            double e = way ? near : other, u = way ? other : near;
            y = e;
            v = u;
            ifd__damped_step(&f.filter, 0.0, &e, &u);
            found = way ? -e == edge && u < edge : u == edge && -e < edge;
        }
        assert_true(found);
        assert_true(take(&f, -1.0, 1, 0.0) && take(&f, 0.0, 2, 1.0));
        f.progress = y;
        f.step = v;
        (void)ifd__follower_move(&f, p);
        assert_true(f.step != 0.0);
    }
}

/* The same progress again replaces the newest command; an older one is refused, in every number of commands. */
TEST(an_older_progress_is_refused)
{
    ifd__follower f = begun();
    double p[IFD_RIG_ACTUATORS];
    assert_true(take(&f, 2.0, 1, 5.0));
    assert_near(f.progress, 2.0, 0.0, "the first one starts at rest there");
    assert_false(take(&f, 1.999999, 2, 50.0));
    assert_int_equal(f.count, 1);
    assert_true(take(&f, 2.0, 3, 6.0));
    assert_int_equal(f.count, 1);
    assert_int_equal(ifd__follower_move(&f, p), 3);
    assert_near(p[0], 6.0, 0.0, "replaced");
    assert_true(take(&f, 2.5, 4, 7.0));
    assert_false(take(&f, 2.25, 5, 70.0));
    assert_true(take(&f, 2.5, 6, 8.0));
    assert_int_equal(f.count, 2);
    for (int i = 0; i < 1000; i++)
        (void)ifd__follower_move(&f, p);
    assert_near(p[0], 8.0, 0.0, "newest");
    assert_int_equal(f.count, 1);
    ifd__follower_forget(&f);
    assert_int_equal(f.count, 0);
    assert_true(take(&f, 0.5, 7, 9.0)); /* a new start may be anywhere */
    assert_near(f.progress, 0.5, 0.0, "start");
}

/* A full memory forgets the oldest command: the motion continues from the next one that it still knows. */
TEST(a_burst_longer_than_the_memory_loses_the_oldest)
{
    ifd__follower f = begun();
    double p[IFD_RIG_ACTUATORS], last = -1.0;
    for (int i = 0; i < IFD__FOLLOWED + 100; i++)
        assert_true(take(&f, i * 1e-3, (uint64_t)i + 1, i));
    assert_int_equal(f.count, IFD__FOLLOWED);
    assert_int_equal(f.command[f.first].tick, 101);
    assert_int_equal(ifd__follower_move(&f, p), 101);
    assert_near(p[0], 100.0, 0.0, "not before the oldest command that is known");
    for (int i = 0; i < 20000; i++) {
        uint64_t reached = ifd__follower_move(&f, p);
        assert_true(p[0] >= last && fabs((double)reached - p[0] - 1.0) <= 0.5 + 1e-9);
        last = p[0];
    }
    assert_near(last, IFD__FOLLOWED + 99.0, 0.0, "end");
    assert_int_equal(f.count, 1);
}

TESTS()
