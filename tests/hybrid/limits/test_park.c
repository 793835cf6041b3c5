/* SPDX-License-Identifier: MIT */
/* A tripped test that waits, in every tick: recorded ticks; the rig is read and commanded in each. */
#include "hybrid/find_scene.h"

static bool pressed;
static double creep; /* m/s, of the shown position, after this sample */
static long since;

static uint32_t inputs(long i)
{
    return i > 0 && pressed ? IFD_INPUT_HYDRAULICS : GOOD;
}

static double creeps(long i, int k)
{
    return k == 0 ? creep * (double)(i - since) * period : 0.0;
}

static void make_at(bench *b, double step)
{
    bench_prepare(b, ONE);
    b->s.opt.step.h = step;
    b->s.opt.wait_tripped = true;
    b->channels[0].limits.measured_velocity = 0.5;
    pressed = false;
    rig.inputs = inputs;
    rig.show = creeps;
    stand_make(&b->s);
}

static void trip_at(bench *b, double step)
{
    make_at(b, step);
    while (rig.samples < 100)
        tick(b, IFD_ORDER_NONE);
    tick(b, IFD_ORDER_TRIP);
}

static void trip(bench *b)
{
    trip_at(b, 2.0 * period);
}

/* 1024 ticks are two seconds: all recorded. Then one in 512, per second. The rig is read once in every tick. The
 * position one second later, changed by 2^-3 m, is not a velocity. */
TEST(one_tick_a_second_is_recorded_after_two)
{
    bench b;
    creep = 0.0;
    trip(&b);
    for (long n = 1; n < 1024 + 4 * 512; n++) {
        if (n == 1024)
            creep = 0.125;
        long samples = rig.samples, commands = rig.commands;
        tick(&b, IFD_ORDER_NONE);
        unsigned quiet = b.s.t.trace(b.s.t.self)->quiet, due = n >= 1024 && (n - 1024) % 512 != 511;
        if (quiet != due)
            fail_msg("tick %ld: quiet %u, expected %u", n, quiet, due);
        assert_int_equal(rig.samples, samples + 1);
        assert_int_equal(rig.commands, commands + 1);
        assert_int_equal(rig.state[rig.commands - 1], IFD_MACHINE_TRIPPED);
    }
    assert_int_equal(ifd_hybrid_count(b.s.h, IFD_TRIP_VELOCITY), 0);
    bench_close(&b);
}

/* In the two seconds before, the motion of a specimen that was commanded is judged in every tick as before the trip:
 * at 0.25 m/s it is within the limit of 0.5 m/s, at 1 m/s it is not. The velocity is that of nine samples. */
TEST(a_motion_after_a_trip_is_judged_in_every_tick)
{
    static const double speeds[] = {0.25, 1.0};
    for (int i = 0; i < 2; i++) {
        bench b;
        creep = 0.0;
        make_at(&b, 2.0 * period);
        play(&b.s.p, "until ramp-in; trip; is tripped; 100");
        since = rig.samples;
        creep = speeds[i];
        play(&b.s.p, "9; before := count.VELOCITY; 40; is tripped; new := count.VELOCITY - before; new = %d", 40 * i);
        bench_close(&b);
    }
    since = 0;
}

/* If a second is not a whole number of ticks, the first tick at or after it is recorded. */
TEST(a_second_of_a_fraction_of_ticks_is_rounded_up)
{
    static const struct {
        double ticks; /* in a second */
        long quiet;   /* between two recorded ones */
    } rows[] = {{511.995, 511}, {512.0, 511}, {512.005, 512}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bench b;
        creep = 0.0;
        trip_at(&b, 2.0 / rows[i].ticks);
        long quiet = 0, whole = 0;
        for (long n = 0; n < 4000 && whole < 2; n++) {
            bool before = b.s.t.trace(b.s.t.self)->quiet;
            tick(&b, IFD_ORDER_NONE);
            bool now = b.s.t.trace(b.s.t.self)->quiet;
            whole += before && !now;
            quiet += now && whole == 1;
        }
        assert_int_equal(quiet, rows[i].quiet);
        bench_close(&b);
    }
}

/* A change of the inputs causes a complete tick immediately, in which the rig is not read again. */
TEST(a_change_of_the_inputs_is_a_whole_tick)
{
    bench b;
    creep = 0.0;
    trip(&b);
    for (long n = 1; n < 1200; n++)
        tick(&b, IFD_ORDER_NONE);
    assert_int_equal(b.s.t.trace(b.s.t.self)->quiet, 1);
    long samples = rig.samples;
    pressed = true;
    tick(&b, IFD_ORDER_NONE);
    assert_int_equal(b.s.t.trace(b.s.t.self)->quiet, 0);
    assert_int_equal(rig.samples, samples + 1);
    assert_true(ifd_hybrid_count(b.s.h, IFD_TRIP_STOP_PRESSED) > 0);
    tick(&b, IFD_ORDER_NONE);
    assert_int_equal(b.s.t.trace(b.s.t.self)->quiet, 1);
    assert_int_equal(rig.samples, samples + 2);
    bench_close(&b);
}

TESTS()
