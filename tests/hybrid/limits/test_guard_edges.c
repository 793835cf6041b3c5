/* SPDX-License-Identifier: MIT */
/* Checks other than the table of limits, at both sides of each number: ramp-out, validity of a found position, blocks
 * outside their stroke, two drives. */
#include "hybrid/find_scene.h"

/* Masses without forces on their paths: 0.25 and 0.5 m/s times the sign. */
static void prepare_with(bench *b, kind k, double sign)
{
    bench_prepare(b, k);
    bench_moves(b, (const double[2]){0.0}, (const double[2]){0.25 * sign, 0.5 * sign});
    b->s.opt.arm_time = 0.0;
    b->s.opt.ramp_in = b->s.opt.settle = 0.0625;
    rig.follows = true;
}

static void prepare(bench *b, kind k)
{
    prepare_with(b, k, 1.0);
}

/* One jack shows another position from this sample on. */
static int jumper;
static long jump_at;
static double jump_to;

static double jumps(long i, int k, double shown)
{
    return k == jumper && i >= jump_at ? jump_to : shown;
}

/* In ramp-out the lag of a first-order actuator with a time constant of 0.1 s is permitted: d' = |v| - d/0.1 s,
 * implicit steps. Computed from the received commands; in the run only the limit applies. */
TEST(the_way_out_is_tracked_as_by_a_slow_actuator)
{
    for (int who = 0; who < 4; who++)       /* interfaces: jack, block; actuators of the block: left, right */
        for (int out = 0; out < 3; out++) { /* in the run; ramp-out of an upward motion; of a downward motion */
            bench b;
            prepare_with(&b, BLOCK, out == 2 ? -1.0 : 1.0);
            ifd_limits *l = who < 2 ? &b.channels[who].limits : &b.limits[who - 2];
            l->tracking = 0.125;
            jumper = who == 0 ? 0 : who == 3 ? 2 : 1;
            jump_at = MOST;
            jump_to = 4.0;
            rig.alter = jumps;
            stand_make(&b.s);
            while (rig.samples < 1000 && (rig.commands == 0 || state_now() != IFD_MACHINE_RUN))
                tick(&b, IFD_ORDER_NONE);
            play(&b.s.p, "100");
            if (out)
                tick(&b, IFD_ORDER_RAMP_OUT);
            play(&b.s.p, "3");
            jump_at = rig.samples + 1;
            play(&b.s.p, "1; state = tripped");
            double behind = 0.0;
            for (long n = rig.first; n < rig.commands - 1; n++)
                behind = (behind + fabs(rig.at[n][jumper] - rig.at[n - 1][jumper])) / (1.0 + period / 0.1);
            ifd_trip_facts f = ifd_hybrid_trip(b.s.h);
            assert_int_equal(f.trip, IFD_TRIP_TRACKING);
            assert_int_equal(f.owner, who < 2 ? who : who + 1);
            assert_true(behind > 0.015);
            assert_near(f.limit, out ? 0.125 + behind : 0.125, 1e-12, "limit of %d", who);
            bench_close(&b);
        }
}

/* A block found at 1 m. Its error is 0.5 m before the run, 0.25 m and then less in it; forces of either sign. */
static double at_one(long i, int k)
{
    return k > 0 && i > 0 ? 1.0 : 0.0;
}
static double is_off(long i, int k, double shown)
{
    double off = i == 70 ? -0.5 : i == jump_at ? -0.25 : i == jump_at + 1 ? 0.125 : 0.0;
    return shown + (k == 0 ? -off : off);
}
static double pushes(long i, int k)
{
    return i == 75 ? -0.5 - 0.125 * k : i == 76 ? 0.25 : 0.0;
}

TEST(peaks_are_kept_of_interfaces_and_actuators)
{
    bench b;
    prepare(&b, BLOCK);
    b.s.opt.automatic = false;
    rig.show = at_one;
    rig.alter = is_off;
    rig.force = pushes;
    jump_at = MOST;
    bench_plays(&b, "until samples >= 60; arm; until samples >= 80; run");
    while (rig.samples < 1000 && state_now() != IFD_MACHINE_RUN)
        tick(&b, IFD_ORDER_NONE);
    play(&b.s.p, "20");
    jump_at = rig.samples + 1;
    play(&b.s.p, "5");
    static const double force[] = {0.5, 1.375, 0.5, 0.625, 0.75}; /* that of a block is the sum of its jacks */
    for (int who = 0; who < 5; who++) {
        double peaks[3];
        ifd_hybrid_peaks(b.s.h, who, peaks);
        assert_near(peaks[0], 0.25, 1e-12, "tracking of %d", who);
        assert_near(peaks[1], force[who], 1e-12, "force of %d", who);
    }
    bench_close(&b);
}

/* The position of a rig is the found one, for all later sensor values within the scatter. */
static double drifts(long i, int k)
{
    return k == 0 && i > SERIES ? 0.03125 : 0.0;
}

TEST(what_was_found_stays)
{
    bench b;
    bench_prepare(&b, ONE);
    rig.show = drifts;
    b.s.opt.automatic = false;
    bench_plays(&b, "until samples >= 200; arm; first = 201");
    assert_near(rig.led[0], 0.0, 0.0, "as found");
    bench_close(&b);
}

/* Outside, and then inside by itself: it is then measured again, without the condition outside. */
static double comes_in(long i, int k)
{
    return k == 0 && i < 100 ? 9.0 : 0.0;
}

TEST(who_came_in_by_itself_is_not_outside)
{
    bench b;
    bench_prepare(&b, ONE);
    rig.show = comes_in;
    bench_plays(&b, "until samples >= 99; wait OUTSIDE; until samples >= 110; wait NOT_AT_REST");
    while (rig.samples < 200 && rig.first == 0)
        tick(&b, IFD_ORDER_NONE);
    assert_int_equal(rig.first, 99 + SERIES);
    bench_close(&b);
}

/* Found outside, while the present sample is at the limit. */
static double mostly_below(long i, int k)
{
    return k == 0 && i % 4 != 0 ? low - 0.03125 : low;
}

TEST(a_sample_on_the_edge_is_no_place)
{
    bench b;
    bench_prepare(&b, ONE);
    rig.show = mostly_below;
    bench_plays(&b, "until samples >= 300; first = 0");
    bench_close(&b);
}

/* A block has a stroke, here 1 m to either side; its jacks are inside theirs. It may be any interface. */
static double block_at;
static int block_is; /* index of the interface; actuators are numbered in the order of interfaces */

static bool of_block(int k)
{
    return block_is ? k > 0 : k < 2;
}

static double block_stands(long i, int k)
{
    return of_block(k) && i > 0 ? block_at : 0.0;
}

TEST(a_block_outside_its_stroke_is_not_armed)
{
    const struct {
        double at;
        bool inside;
    } rows[] = {{1.0, true}, {-1.0, true}, {1.5, false}, {-1.5, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int which = 0; which < 2; which++) {
            bench b;
            bench_prepare(&b, BLOCK);
            b.second = block_is = which;
            b.channels[which].limits.low = -1.0;
            b.channels[which].limits.high = 1.0;
            block_at = rows[i].at;
            rig.show = block_stands;
            stand_make(&b.s);
            while (rig.samples < 100 && rig.first == 0)
                tick(&b, IFD_ORDER_NONE);
            assert_int_equal(rig.first, rows[i].inside ? SERIES : 0);
            ifd_wait_facts w = ifd_hybrid_wait(b.s.h);
            if (!rows[i].inside) {
                assert_int_equal(w.wait, IFD_WAIT_OUTSIDE);
                assert_int_equal(w.owner, which);
                assert_true(w.low == -1.0 && w.high == 1.0);
                assert_near(w.value, rows[i].at, 1e-15, "value");
            }
            bench_close(&b);
        }
}

/* It returns with the others: to 0.01 of its stroke inside, 0.98 m; inside it keeps its position. */
static double jack_outside(long i, int k)
{
    return of_block(k) && i > 0 ? block_at : 9.0;
}

TEST(a_block_outside_its_stroke_returns_with_the_others)
{
    for (int which = 0; which < 2; which++)
        for (int outside = 0; outside < 2; outside++) {
            bench b;
            bench_prepare(&b, BLOCK);
            b.second = block_is = which;
            b.channels[which].limits.low = -1.0;
            b.channels[which].limits.high = 1.0;
            block_at = outside ? 1.5 : 1.0;
            rig.show = jack_outside;
            rig.follows = true;
            b.s.opt.automatic = false;
            bench_plays(&b, "until samples >= 60; return; first = 61");
            while (rig.samples < 2000 && state_now() == IFD_MACHINE_RETURN)
                tick(&b, IFD_ORDER_NONE);
            assert_int_equal(state_now(), IFD_MACHINE_IDLE);
            for (int k = 0; k < 3; k++)
                assert_near(rig.at[rig.commands - 1][k],
                            !of_block(k) ? 8.375
                            : outside    ? 0.98
                                         : 1.0,
                            1e-12, "actuator %d, block is interface %d", k, which);
            bench_close(&b);
        }
}

/* The executor decides which ticks are late: the guard compares no times. */
TEST(a_tick_is_late_if_the_executor_states_it)
{
    const ifd_tick_in late[] = {{.late = 0.0},
                                {.late = 100.0 * period},
                                {.late = nextafter(0.0, 1.0), .gate = IFD_GATE_LATE},
                                {.late = 2.0 * period, .gate = IFD_GATE_LATE}};
    for (int i = 0; i < 4; i++) {
        bench b;
        prepare(&b, ONE);
        b.s.opt.overrun = IFD_OVERRUN_EXTRAPOLATE;
        stand_make(&b.s);
        for (int k = 0; k < 3; k++)
            b.s.t.tick(b.s.t.self, &late[i]);
        assert_int_equal(ifd_hybrid_count(b.s.h, IFD_TRIP_LATE), i < 2 ? 0 : 3);
        bench_close(&b);
    }
    bench b;
    prepare(&b, ONE);
    b.s.opt.overrun = IFD_OVERRUN_HOLD;
    stand_make(&b.s);
    while (rig.samples < 1000 && (rig.commands == 0 || state_now() != IFD_MACHINE_RUN))
        tick(&b, IFD_ORDER_NONE);
    b.s.t.tick(b.s.t.self, &(ifd_tick_in){.late = period, .gate = IFD_GATE_LATE});
    play(&b.s.p, "state = hold; fault LATE; fault.channel = -1");
    assert_true(ifd_hybrid_trip(b.s.h).value == period && ifd_hybrid_trip(b.s.h).limit == 0.0);
    bench_close(&b);
}

/* Two drives with one jack each: separate limits and positions. */
static double two_stand(long i, int k)
{
    return k == 1 && i > 0 ? 0.75 : 0.25;
}

TEST(two_drives_have_limits_of_their_own)
{
    bench b;
    bench_prepare(&b, TWO);
    static const int channel[2] = {0, 1};
    ifd_driven two[2];
    for (int d = 0; d < 2; d++) {
        two[d] = b.drive;
        two[d].drive.name = d ? "second" : "first";
        two[d].drive.actuators = 1;
        two[d].interface = &channel[d];
        two[d].name = &b.names[d];
        two[d].limits = &b.limits[d];
        b.limits[d].high = 1.0 + d;
    }
    b.s.opt.drives = 2;
    b.s.opt.drive = two;
    b.s.opt.automatic = false;
    rig.show = two_stand;
    stand_make(&b.s);
    for (int d = 0; d < 2; d++) {
        double edges[2];
        ifd_hybrid_wait_limits(b.s.h, 2 + d, &edges[0], &edges[1]);
        assert_near(edges[1], 1.0 + d, 0.0, "limit of %d", d);
    }
    play(&b.s.p, "until samples >= 60; arm");
    for (int k = 0; k < 3; k++) {
        assert_near(rig.at[rig.commands - 1][0], 0.25, 1e-15, "first");
        assert_near(rig.at[rig.commands - 1][1], 0.75, 1e-15, "second");
        tick(&b, IFD_ORDER_NONE);
    }
    bench_close(&b);
}

/* Its positions agree from the second sample on; it acknowledges from the ninth on. */
static uint64_t heard; /* the last acknowledged command; 0: all */

static long deaf(long i)
{
    return i < 9 ? -(long)rig.tick : heard ? (long)heard - (long)rig.tick : 0;
}

TEST(a_rig_is_armed_when_it_has_acknowledged_a_command)
{
    bench b;
    bench_prepare(&b, ONE);
    rig.ahead = deaf;
    heard = 0;
    b.s.opt.arm_samples = 2;
    b.s.opt.arm_time = 0.0;
    bench_plays(&b, "until samples >= 5");
    ifd_wait_facts w = ifd_hybrid_wait(b.s.h);
    assert_int_equal(w.wait, IFD_WAIT_COMMUNICATION);
    assert_int_equal(w.owner, -1);
    assert_near(w.value, 5.0, 0.0, "ticks since it is looked for");
    assert_true(w.low == 0.0 && w.high == 0.0);
    while (rig.samples < 100 && rig.first == 0)
        tick(&b, IFD_ORDER_NONE);
    play(&b.s.p, "first = 9; until samples >= 50; trip");
    while (rig.samples < 500 && rig.state[rig.commands - 1] != IFD_MACHINE_IDLE)
        tick(&b, IFD_ORDER_RESET);
    heard = rig.tick; /* and nothing after the reset */
    play(&b.s.p, "5; wait COMMUNICATION");
    assert_near(ifd_hybrid_wait(b.s.h).value, 5.0, 0.0, "ticks since the reset");
    bench_close(&b);
}

/* Four devices for each specimen, whose force is beyond half of the largest number: the load on the structure is not
 * finite. Of either interface, between the ground and its dof in either direction. */
static struct {
    long from;
    int channel;
} overflows;

static double too_much(long i, int k)
{
    return i >= overflows.from && k == overflows.channel ? 1e308 : 0.0;
}

TEST(a_load_that_is_not_finite_does_not_reach_the_structure)
{
    for (int i = 0; i < 4; i++) {
        bench b;
        bench_prepare(&b, TWO);
        b.s.opt.ramp_in = b.s.opt.settle = 0.0625;
        overflows.from = MOST;
        overflows.channel = i % 2;
        rig.follows = true;
        rig.force = too_much;
        for (int k = 0; k < 2; k++) {
            b.channels[k].force_factor = 4.0;
            b.channels[k].from = i < 2 ? IFD_GROUND : k;
            b.channels[k].to = i < 2 ? k : IFD_GROUND;
        }
        bench_plays(&b, "until run; 20");
        overflows.from = rig.samples + 1;
        play(&b.s.p,
             "3; fault SOLVER; fault.channel = -1; is ramp-out; 20; [x displacement] = 0; [y displacement] = 0\n"
             "[x acceleration] = 0; [y acceleration] = 0; [base shear x] = 0");
        bench_close(&b);
    }
}

TESTS()
