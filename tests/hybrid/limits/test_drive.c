/* SPDX-License-Identifier: MIT */
/* A block on two jacks next to a separate jack, as received by the rig: the command of each, arrival of all, rest of
 * all, and the owner of faults. */
#include "hybrid/bare.h"
#include "hybrid/find_scene.h"

#include "hybrid/drives/drives.h"
#include "hybrid/hybrid.h"

/* The block at 0.5 m/s; its right jack moves half as far; the separate jack is at rest. */
static void prepare(bench *b, double velocity)
{
    bench_prepare(b, BLOCK);
    bench_moves(b, (const double[2]){0.0}, (const double[2]){0.0, velocity});
    b->matrix[1] = 0.5;
    b->s.opt.arm_time = 0.0;
    b->s.opt.ramp_in = b->s.opt.settle = 0.0625;
    rig.follows = true;
}

/* Velocities are sent too; limited commands of a jack are counted; the largest command of each is stored. */
TEST(every_jack_is_commanded_its_own_motion)
{
    for (int sign = -1; sign <= 1; sign += 2) {
        bench b;
        prepare(&b, sign * 0.5);
        bench_plays(&b, "until state = run within 1000; 300");
        assert_true(sign * rig.at[rig.commands - 1][1] > 0.28);
        for (long n = rig.first + 1; n < rig.commands; n++)
            for (int k = 0; k < 3; k++) {
                assert_near(rig.speed[n][k], (rig.at[n][k] - rig.at[n - 1][k]) / period, 1e-11, "velocity %d", k);
                double share = k == 0 ? 0.0 : k == 1 ? 1.0 : 0.5;
                assert_near(rig.at[n][k], share * rig.at[n][1], 1e-13, "jack %d", k);
            }
        assert_int_equal(ifd_hybrid_count(b.s.h, IFD_TRIP_GOVERNED), 0);
        assert_int_equal(ifd_hybrid_wait(b.s.h).wait, IFD_WAIT_NONE); /* a running test does not wait */
        for (int who = 0; who < 5; who++) {
            static const int jack[] = {0, 1, 0, 1, 2}; /* of interfaces, then of actuators */
            double peaks[3];
            ifd_hybrid_peaks(b.s.h, who, peaks);
            assert_near(peaks[2], fabs(rig.at[rig.commands - 1][jack[who]]), 1e-13, "largest command of %d", who);
        }
        bench_close(&b);
    }
}

/* The brake of a hold uses the largest velocity and mean acceleration of the commands of every jack in ramp-in and
 * run, in both directions, not those of the hold. */
TEST(what_a_brake_is_measured_by_is_seen_of_every_jack)
{
    for (int sign = -1; sign <= 1; sign += 2) {
        bench b;
        prepare(&b, sign * 0.5);
        bench_plays(&b, "until state = run within 1000; 200; hold; 100; state = hold");
        const ifd__driven *d = &b.s.h->drive[0];
        for (int j = 0; j < d->o->drive.actuators; j++) {
            double step = 0.0, mean = 0.0, a = 0.0, v = 0.0;
            for (long n = rig.first + 1; n < rig.commands; n++) {
                double next = rig.at[n][d->first + j] - rig.at[n - 1][d->first + j];
                mean += ((next - step) / (period * period) - mean) / (1.0 + 8.0 * b.s.opt.ticks_per_stage);
                step = next;
                if (rig.state[n] != IFD_MACHINE_RAMP_IN && rig.state[n] != IFD_MACHINE_RUN)
                    continue;
                a = fmax(a, fabs(mean));
                v = fmax(v, fabs(step) / period);
            }
            const ifd__actuator_state *seen = ifd__actuator_of(b.s.h, d, j);
            assert_near(seen->peak_v, v, 1e-10, "velocity of jack %d", j);
            assert_near(seen->peak_a, a, 1e-7 * (1.0 + a), "acceleration of jack %d", j);
            assert_near(seen->a, mean, 1e-7, "present acceleration of jack %d", j);
        }
        bench_close(&b);
    }
}

/* A jack slower than its block: it is limited and counted, or only counted if limits are observed. */
TEST(what_bounds_a_jack_is_counted)
{
    for (int slow = 0; slow < 2; slow++)
        for (int observe = 0; observe < 2; observe++) {
            bench b;
            prepare(&b, 0.5);
            b.limits[slow].velocity = 0.125;
            b.s.opt.observe = observe;
            bench_plays(&b, "until state = run within 1000");
            long from = rig.commands;
            play(&b.s.p, "100");
            double fast[3] = {0};
            for (long n = from + 5; n < rig.commands; n++)
                for (int k = 1; k < 3; k++) {
                    fast[k] = fmax(fast[k], rig.at[n][k] - rig.at[n - 1][k]);
                    if (observe)
                        assert_near(rig.speed[n][k], (rig.at[n][k] - rig.at[n - 1][k]) / period, 1e-11, "velocity");
                }
            assert_near(fast[1 + slow] / period, observe ? (slow ? 0.25 : 0.5) : 0.125, 1e-11, "the slow one");
            assert_near(fast[2 - slow] / period, slow ? 0.5 : 0.25, 1e-11, "the other");
            assert_in_range(ifd_hybrid_count(b.s.h, IFD_TRIP_GOVERNED), 95, 110);
            bench_close(&b);
        }
}

/* Ramp-in to 1 m ends when the slower jack has also arrived, and has been at rest for the settling time of 32
 * ticks. */
TEST(ramp_in_ends_when_every_jack_has_arrived)
{
    for (int slow = 0; slow < 3; slow++) { /* 2: none */
        bench b;
        prepare(&b, 0.0);
        bench_moves(&b, (const double[2]){0.0, slow == 1 ? -1.0 : 1.0}, (const double[2]){0.0});
        if (slow < 2)
            b.limits[slow].velocity = 1.0;
        bench_plays(&b, "until state = ramp-in within 200");
        long began = rig.commands;
        play(&b.s.p, "until state = run within 2000");
        long arrived = rig.commands - 1;
        while (arrived > 0 && rig.at[arrived][1] == rig.at[arrived - 1][1] &&
               rig.at[arrived][2] == rig.at[arrived - 1][2])
            arrived--;
        assert_near(fabs(rig.at[rig.commands - 1][1]), 1.0, 1e-9, "left");
        assert_near(fabs(rig.at[rig.commands - 1][2]), 0.5, 1e-9, "right");
        /* 1 m, or half of it, at 1 m/s: 512 or 256 ticks; else the ramp of 32 */
        static const long ticks[] = {512, 256, 32};
        assert_in_range(arrived - began, ticks[slow] - 2, ticks[slow] + 16);
        assert_in_range(rig.commands - 1 - arrived, 31, 35);
        bench_close(&b);
    }
}

/* Found loaded against each other, by 0.25 m: they remain so, and neither has an error. */
static double pressed(long i, int k)
{
    return k == 1 && i > 0 ? 1.25 : k == 2 ? 0.5 : 0.0;
}

TEST(jacks_that_were_found_pressed_are_not_off)
{
    bench b;
    prepare(&b, 0.0);
    b.matrix[1] = 1.0;
    rig.show = pressed;
    b.limits[0].tracking = b.limits[1].tracking = 0.01;
    b.s.opt.automatic = false;
    stand_make(&b.s);
    while (rig.samples < 30)
        tick(&b, IFD_ORDER_ARM);
    assert_int_equal(state_now(), IFD_MACHINE_READY);
    assert_near(test_column(b.s.h, "left tracking error"), 0.0, 1e-15, "left");
    assert_near(test_column(b.s.h, "right tracking error"), 0.0, 1e-15, "right");
    assert_near(rig.at[rig.commands - 1][1], 1.25, 1e-15, "left");
    assert_near(rig.at[rig.commands - 1][2], 0.5, 1e-15, "right");
    bench_close(&b);
}

/* Arrived: within 1e-9 of the stroke, 12.5 nm; the bound itself is inside. */
TEST(arrived_is_a_billionth_of_the_stroke)
{
    bench b;
    prepare(&b, 0.0);
    stand_make(&b.s);
    const double most = 1e-9 * 12.5;
    const struct {
        double off;
        bool met;
    } rows[] = {
        {0.0, true}, {most, true}, {-most, true}, {nextafter(most, 1.0), false}, {-nextafter(most, 1.0), false}};
    for (int j = 0; j < 2; j++)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            for (int k = 0; k < 2; k++) {
                ifd__actuator_state *a = ifd__actuator_of(b.s.h, &b.s.h->drive[0], k);
                a->requested = 0.0;
                a->command = k == j ? rows[i].off : 0.0;
            }
            assert_int_equal(ifd__drives_awaited(b.s.h, true),
                             rows[i].met ? -1 : b.s.h->interfaces + b.s.h->drive[0].first + j);
        }
    bench_close(&b);
}

/* After a trip the block brakes immediately, one of its jacks slowly: reset is refused until that jack is at rest
 * too. */
TEST(a_reset_waits_for_every_jack)
{
    for (int slow = 0; slow < 2; slow++) {
        bench b;
        prepare(&b, 0.5);
        b.limits[slow].acceleration = 2.0;
        b.s.opt.wait_tripped = true;
        bench_plays(&b, "until state = run within 2000; 300; trip");
        while (rig.commands < MOST - 1 && state_now() == IFD_MACHINE_TRIPPED) {
            long n = rig.commands - 1;
            bool moved = rig.at[n][1] != rig.at[n - 1][1] || rig.at[n][2] != rig.at[n - 1][2];
            tick(&b, IFD_ORDER_RESET);
            assert_int_equal(state_now(), moved ? IFD_MACHINE_TRIPPED : IFD_MACHINE_IDLE);
        }
        assert_int_equal(state_now(), IFD_MACHINE_IDLE);
        bench_close(&b);
    }
}

/* Without pressure nothing is commanded, and nothing moves: the reset is accepted immediately. */
static bool pressure;

static uint32_t inputs(long i)
{
    return i > 0 && pressure ? GOOD : IFD_INPUT_NO_STOP;
}

TEST(without_pressure_jacks_rest)
{
    bench b;
    prepare(&b, 0.5);
    b.limits[0].acceleration = b.limits[1].acceleration = 2.0;
    b.s.opt.wait_tripped = true;
    pressure = true;
    rig.inputs = inputs;
    bench_plays(&b, "until state = run within 2000; 300");
    pressure = false;
    play(&b.s.p, "1; state = tripped");
    assert_false(rig.commanded[rig.commands - 1]);
    pressure = true;
    play(&b.s.p, "reset; state = idle");
    bench_close(&b);
}

/* A jack with a measurement that is not finite makes the pose of its block unknown. */
static double no_number(long i, int k, double shown)
{
    return k == 2 && i >= 300 ? (double)NAN : shown;
}

TEST(a_pose_that_is_lost_is_counted)
{
    bench b;
    prepare(&b, 0.0);
    rig.alter = no_number;
    bench_plays(
        &b, "until state = run within 290; until samples >= 299; count.POSE = 0; 1; count.POSE = 1; state = tripped");
    bench_close(&b);
}

/* Two jacks push a block along x from the point (-1, -1) below it: they cannot be shorter than by sqrt(2) - 1 m. The
 * values are finite, but without a pose. */
static double too_short(long i, int k, double shown)
{
    return k > 0 && i >= 30 && i < 100 ? -0.5 : shown;
}

TEST(lengths_of_no_pose_are_told_and_not_commanded)
{
    static const ifd_axis axis = IFD_AXIS_X;
    static const double base[2][3] = {{-1.0, -1.0, 0.0}, {-1.0, -1.0, 0.0}}, at[2][3] = {{0.0}};
    for (int tripped = 0; tripped < 2; tripped++) {
        bench b;
        prepare(&b, 0.0);
        b.drive.drive.matrix = NULL;
        b.drive.drive.axis = &axis;
        b.drive.drive.base = base;
        b.drive.drive.attachment = at;
        b.s.opt.automatic = false;
        b.s.opt.wait_tripped = true;
        rig.alter = too_short;
        stand_make(&b.s);
        while (rig.samples < 29)
            tick(&b, rig.samples == 15 && tripped ? IFD_ORDER_ARM
                     : rig.samples == 20          ? IFD_ORDER_TRIP
                                                  : IFD_ORDER_NONE);
        assert_int_equal(ifd_hybrid_count(b.s.h, IFD_TRIP_POSE), 0);
        assert_int_equal(rig.commanded[rig.commands - 1], tripped);
        play(&b.s.p, "1; count.POSE = 1");
        assert_false(rig.commanded[rig.commands - 1]);
        if (tripped) {
            bench_close(&b);
            continue;
        }
        play(&b.s.p, "reset; 1");
        ifd_wait_facts w = ifd_hybrid_wait(b.s.h);
        assert_int_equal(w.wait, IFD_WAIT_POSE);
        assert_int_equal(w.owner, 1);
        assert_near(w.value, 0.0, 0.0, "value");
        bench_close(&b);
    }
}

/* Two sensors with units: 4 V at a raw 2. Both ends of a range are inside; the raw number and the value are recorded.
 * There is no check before the first measurement. */
static double shown[2];

static bool late_news(long i)
{
    return i > 3;
}

static double sensors(long i, int k)
{
    return i > 3 && k == 1 ? shown[0] : i > 3 && k == 2 ? shown[1] : 0.0;
}

TEST(a_sensor_outside_its_range_trips)
{
    const struct {
        double first, second;
        int wrong; /* -1: none */
        double limit;
    } rows[] = {{2.0, 2.0, -1, 0.0},
                {1.0, 4.0, -1, 0.0},
                {4.0, 1.0, -1, 0.0},
                {nextafter(1.0, 0.0), 2.0, 0, 2.0},
                {nextafter(4.0, 5.0), 2.0, 0, 8.0},
                {2.0, nextafter(1.0, 0.0), 1, 2.0},
                {2.0, nextafter(4.0, 5.0), 1, 8.0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int when = 0; when < 2; when++) { /* before arming, and in the run */
            bench b;
            prepare(&b, 0.0);
            ifd_channel_row row[2];
            for (int k = 0; k < 2; k++) {
                ifd_channel_row_defaults(&row[k]);
                row[k].name = k ? "second" : "first";
                row[k].unit = "V";
                row[k].source = IFD_SOURCE_POSITION;
                row[k].input = 1 + k;
                row[k].sensitivity = 2.0;
                row[k].low = 2.0;
                row[k].high = 8.0;
            }
            const ifd_channel_map map = {.rows = 2, .row = row};
            b.s.opt.map = &map;
            rig.follows = false;
            rig.show = sensors;
            rig.fresh = late_news;
            shown[0] = when ? 2.0 : rows[i].first;
            shown[1] = when ? 2.0 : rows[i].second;
            b.matrix[1] = shown[1] / shown[0];
            bench_plays(&b, "until samples >= 3; count.RANGE = 0; until samples >= 20");
            bool wrong = rows[i].wrong >= 0;
            if (!when) {
                assert_int_equal(rig.first != 0, !wrong);
                if (wrong) {
                    ifd_wait_facts w = ifd_hybrid_wait(b.s.h);
                    assert_int_equal(w.wait, IFD_WAIT_RANGE);
                    assert_int_equal(w.owner, 2 + 3 + rows[i].wrong);
                    assert_near(w.value, 2.0 * (rows[i].wrong ? rows[i].second : rows[i].first), 0.0, "value");
                    assert_true(w.low == 2.0 && w.high == 8.0);
                }
                bench_close(&b);
                continue;
            }
            assert_true(rig.first != 0);
            shown[0] = rows[i].first;
            shown[1] = rows[i].second;
            tick(&b, IFD_ORDER_NONE);
            assert_near(test_column(b.s.h, "first raw"), rows[i].first, 0.0, "raw");
            assert_near(test_column(b.s.h, "first value"), 2.0 * rows[i].first, 0.0, "value");
            assert_near(test_column(b.s.h, "second raw"), rows[i].second, 0.0, "raw");
            assert_near(test_column(b.s.h, "second value"), 2.0 * rows[i].second, 0.0, "value");
            assert_int_equal(ifd_hybrid_count(b.s.h, IFD_TRIP_RANGE), wrong);
            if (wrong) {
                play(&b.s.p, "state = tripped; fault RANGE");
                assert_int_equal(ifd_hybrid_trip(b.s.h).owner, 2 + 3 + rows[i].wrong);
                assert_near(ifd_hybrid_trip(b.s.h).limit, rows[i].limit, 0.0, "limit");
            }
            bench_close(&b);
        }
}

/* Interfaces 0 and 2 have actuators 0 and 3 of the rig, interface 1 has a drive with actuators 1 and 2. */
TEST(an_actuator_belongs_to_its_interface_or_drive)
{
    static const ifd_driven pair = {.drive = {.actuators = 2}};
    static const int of_interface[3] = {0, -1, 3};
    bare_make(3, 1.0);
    bare_drives(1, &pair, 0.0);
    bare_drive[0].first = 1;
    for (int k = 0; k < 3; k++)
        bare_interface[k].actuator = of_interface[k];
    static const int owner[7] = {0, 1, 2, 0, -1, -1, 2}; /* -1: the drive */
    for (int n = 0; n < 7; n++) {
        ifd__owner o = ifd__owner_of(&bare, n);
        assert_true((o.drive != NULL) == (owner[n] < 0));
        assert_int_equal(o.drive ? o.j : o.interface, o.drive ? n - 4 : owner[n]);
    }
}

TESTS()
