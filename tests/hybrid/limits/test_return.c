/* SPDX-License-Identifier: MIT */
/* Return into the stroke: the received path, conditions of its acceptance, and the limits during it, at both
 * sides. */
#include "hybrid/find_scene.h"

#include "hybrid/hybrid.h"

static double stands[3];

static double standing(long i, int k)
{
    (void)i;
    return stands[k];
}

static double smooth(double s)
{
    s = fmin(fmax(s, 0.0), 1.0);
    return 10.0 * pow(s, 3) - 15.0 * pow(s, 4) + 6.0 * pow(s, 5);
}

/* The slowest interface decides: 15/8 of the distance over 0.1 of the velocity limit; the acceleration, 10/sqrt(3) of
 * the distance over T^2, is 0.1 of its limit. It ends 0.01 of the stroke inside, 0.125 m. An interface inside does
 * not move. */
TEST(the_way_back_is_smooth_and_as_slow_as_it_must_be)
{
    static const struct {
        double start[2], end[2], velocity[2], acceleration[2], time;
        int channels;
    } rows[] = {
        {{-4.5}, {-3.875}, {100.0, 100.0}, {1e5, 1e5}, 1.875 * 0.625 / 10.0, 1},
        {{9.0}, {8.375}, {100.0, 100.0}, {1e5, 1e5}, 1.875 * 0.625 / 10.0, 1},
        {{-4.5}, {-3.875}, {1e3, 1e3}, {160.0, 160.0}, 0.0, 1},
        {{-4.5, 9.25}, {-3.875, 8.375}, {100.0, 100.0}, {1e5, 1e5}, 1.875 * 0.875 / 10.0, 2},
        {{-4.5, 9.25}, {-3.875, 8.375}, {20.0, 100.0}, {1e5, 1e5}, 1.875 * 0.625 / 2.0, 2},
        {{-4.5, low}, {-3.875, low}, {100.0, 100.0}, {1e5, 1e5}, 1.875 * 0.625 / 10.0, 2},
        {{high, 9.0}, {high, 8.375}, {100.0, 100.0}, {1e5, 1e5}, 1.875 * 0.625 / 10.0, 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bench b;
        bench_prepare(&b, rows[i].channels == 2 ? TWO : ONE);
        for (int k = 0; k < 2; k++) {
            stands[k] = rows[i].start[k];
            b.channels[k].limits.velocity = rows[i].velocity[k];
            b.channels[k].limits.acceleration = rows[i].acceleration[k];
        }
        rig.show = standing;
        rig.follows = true;
        b.s.opt.settle = 0.0625;
        bench_plays(&b, "until samples >= 60; first = 0; return; first = 61");
        double time = rows[i].time > 0.0 ? rows[i].time : sqrt(10.0 / sqrt(3.0) * 0.625 / 16.0);
        long n = 0;
        for (; n < 2000 && rig.state[rig.commands - 1] == IFD_MACHINE_RETURN; n++) {
            for (int k = 0; k < rows[i].channels; k++) {
                double way = rows[i].end[k] - rows[i].start[k];
                double due = rows[i].start[k] + way * smooth((double)n * period / time);
                assert_near(rig.at[rig.commands - 1][k], due, 1e-12, "row %zu, channel %d, command %ld", i, k, n);
            }
            tick(&b, IFD_ORDER_NONE);
        }
        play(&b.s.p, "state = idle; commanded = 0");
        /* at rest from the command after the arrival: for the settling time, 32 ticks */
        assert_int_equal(n, (long)ceil(time / period) + 1 + 32);
        bench_close(&b);
    }
}

/* Tick in which the order is accepted. Channel 0 is a jack outside its stroke in all rows except one; 1 and 2 move a
 * block. */
static long order_at;
static bool order_silent;

static bool news(long i)
{
    return !order_silent || i != order_at;
}

static uint32_t beside; /* inputs beside the good ones */

static uint32_t with_others(long i)
{
    (void)i;
    return GOOD | beside;
}

TEST(who_may_return)
{
    const struct {
        const char *name;
        double stands[3], narrow; /* narrow: stroke of the block, to either side; 0: that of its jacks */
        long at;
        bool silent;
        ifd_answer answer;
    } rows[] = {
        {"outside", {-4.5, 0.0, 0.0}, 0.0, 60, false, IFD_ANSWER_NONE},
        {"inside", {0.0, 0.0, 0.0}, 0.0, 60, false, IFD_ANSWER_NOT_OUTSIDE},
        {"not found yet", {-4.5, 0.0, 0.0}, 0.0, SERIES - 1, false, IFD_ANSWER_NOT_OUTSIDE},
        {"just found", {-4.5, 0.0, 0.0}, 0.0, SERIES, false, IFD_ANSWER_NONE},
        {"no news", {-4.5, 0.0, 0.0}, 0.0, 60, true, IFD_ANSWER_NOT_OUTSIDE},
        {"its jacks at their ends", {-4.5, low, low}, 0.0, 60, false, IFD_ANSWER_NONE},
        {"at the others", {-4.5, high, high}, 0.0, 60, false, IFD_ANSWER_NONE},
        {"the left one below", {-4.5, nextafter(low, -9.0), 0.0}, 0.0, 60, false, IFD_ANSWER_NONE},
        {"the left one above", {-4.5, nextafter(high, 9.0), 0.0}, 0.0, 60, false, IFD_ANSWER_NONE},
        {"the right one below", {-4.5, 0.0, nextafter(low, -9.0)}, 0.0, 60, false, IFD_ANSWER_NONE},
        {"the right one above", {-4.5, 0.0, nextafter(high, 9.0)}, 0.0, 60, false, IFD_ANSWER_NONE},
        {"the block at its end", {-4.5, 1.0, 1.0}, 1.0, 60, false, IFD_ANSWER_NONE},
        {"at the other", {-4.5, -1.0, -1.0}, 1.0, 60, false, IFD_ANSWER_NONE},
        {"above", {-4.5, 1.5, 1.5}, 1.0, 60, false, IFD_ANSWER_NONE},
        {"below", {-4.5, -1.5, -1.5}, 1.0, 60, false, IFD_ANSWER_NONE},
        {"not allowed", {-4.5, 0.0, 0.0}, 0.0, 60, false, IFD_ANSWER_NOT_ALLOWED},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bench b;
        bench_prepare(&b, BLOCK);
        memcpy(stands, rows[i].stands, sizeof stands);
        if (rows[i].narrow > 0.0) {
            b.channels[1].limits.low = -rows[i].narrow;
            b.channels[1].limits.high = rows[i].narrow;
        }
        b.s.opt.automatic = false;
        order_at = rows[i].at;
        order_silent = rows[i].silent;
        beside = rows[i].answer == IFD_ANSWER_NOT_ALLOWED ? IFD_INPUT_NOT_ALLOWED : 0;
        rig.inputs = with_others;
        rig.show = standing;
        rig.fresh = news;
        bench_plays(&b, "until samples >= %ld; return", (long)(order_at - 1));
        if (b.s.t.trace(b.s.t.self)->answer != (uint32_t)rows[i].answer)
            fail_msg("%s: answer '%s'", rows[i].name, ifd_answer_text(b.s.t.trace(b.s.t.self)->answer));
        assert_int_equal(rig.first, rows[i].answer == IFD_ANSWER_NONE ? order_at : 0);
        bench_close(&b);
    }
}

/* Inside its stroke, and found: its operator is waited for. */
TEST(a_rig_that_its_operator_has_not_allowed_is_waited_for)
{
    for (int forbidden = 0; forbidden < 2; forbidden++) {
        bench b;
        bench_prepare(&b, ONE);
        stands[0] = 0.0;
        b.s.opt.automatic = false;
        beside = forbidden ? IFD_INPUT_NOT_ALLOWED : 0;
        rig.show = standing;
        rig.inputs = with_others;
        bench_plays(&b, "until samples >= 60");
        assert_int_equal((int)b.s.h->test->wait, forbidden ? IFD_WAIT_ALLOW : IFD_WAIT_ORDER);
        if (forbidden)
            assert_near(b.s.h->test->wait_owner, -1.0, 0.0, "the only rig");
        bench_close(&b);
    }
}

static bool every_second(long i)
{
    return i % 2;
}

/* The share of ticks with a measurement, which is one half, and the least of them. */
TEST(a_search_that_waits_for_measurements_names_their_share)
{
    bench b;
    int seen = 0;
    bench_prepare(&b, ONE);
    stands[0] = 0.0;
    b.s.opt.automatic = false;
    beside = 0;
    rig.show = standing;
    rig.fresh = every_second;
    bench_plays(&b, "1");
    for (int i = 0; i < 4000; i++) {
        tick(&b, IFD_ORDER_NONE);
        const ifd__test_state *t = b.s.h->test;
        if (i < 2000 || (int)t->wait != IFD_WAIT_STALE || !b.s.h->io.fresh)
            continue;
        seen++;
        assert_near(t->wait_owner, -1.0, 0.0, "nobody");
        assert_near(t->wait_value, 0.5, 0.004, "share");
        assert_near(t->wait_low, 1.0 - b.s.opt.stale_fraction, 0.0, "least share");
        assert_near(t->wait_high, 1.0, 0.0, "largest share");
    }
    assert_true(seen > 0);
    bench_close(&b);
}

/* During the return a sensor may scatter by 2^-4 m beyond the start; on the other side the stroke is unchanged. */
static double jump;

static double jumps(long i, int k, double shown)
{
    return k == 0 && i == 65 ? jump : shown;
}

TEST(a_position_beyond_the_start_trips)
{
    const struct {
        double start, shown, limit;
    } rows[] = {
        {-4.5, -4.5625, 0.0}, {-4.5, -4.5625 - 0x1p-50, -4.5625}, {-4.5, 8.5, 0.0}, {-4.5, 8.5 + 0x1p-49, 8.5},
        {9.0, 9.0625, 0.0},   {9.0, 9.0625 + 0x1p-49, 9.0625},    {9.0, -4.0, 0.0}, {9.0, -4.0 - 0x1p-50, -4.0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bench b;
        bench_prepare(&b, ONE);
        b.channels[0].limits.velocity = 0.01; /* it hardly moves meanwhile */
        stands[0] = rows[i].start;
        jump = rows[i].shown;
        rig.show = standing;
        rig.follows = true;
        rig.alter = jumps;
        bench_plays(&b, "until samples >= 60; return");
        assert_near(rig.led[0], rows[i].start, 0.0, "first command");
        play(&b.s.p, "until samples >= 65");
        bool trips = rows[i].limit != 0.0;
        assert_int_equal(rig.state[rig.commands - 1], trips ? IFD_MACHINE_TRIPPED : IFD_MACHINE_RETURN);
        if (trips) {
            assert_int_equal(ifd_hybrid_trip(b.s.h).trip, IFD_TRIP_POSITION);
            assert_near(ifd_hybrid_trip(b.s.h).limit, rows[i].limit, 0.0, "row %zu: limit", i);
        }
        bench_close(&b);
    }
}

/* After the return the stroke is the limit again, also for positions nearer than the start. */

TEST(after_the_return_the_stroke_is_the_limit)
{
    bench b;
    bench_prepare(&b, ONE);
    stands[0] = -4.5;
    rig.show = standing;
    rig.follows = true;
    bench_plays(&b, "until samples >= 60; return");
    for (long k = 0; k < 2000 && rig.state[rig.commands - 1] == IFD_MACHINE_RETURN; k++)
        tick(&b, IFD_ORDER_NONE);
    assert_int_equal(rig.state[rig.commands - 1], IFD_MACHINE_IDLE);
    rig.follows = false;
    stands[0] = -3.875;
    tick(&b, IFD_ORDER_NONE);
    long before = ifd_hybrid_count(b.s.h, IFD_TRIP_POSITION);
    stands[0] = -4.25;
    tick(&b, IFD_ORDER_NONE);
    assert_int_equal(ifd_hybrid_count(b.s.h, IFD_TRIP_POSITION), before + 1);
    bench_close(&b);
}

/* A block on two actuators, next to a jack. It moves to the nearest of 32 positions towards its reference with both
 * actuators inside, by 0.01 of the stroke if they were not: 0.125 m. Its stroke is wide, or that of a row. */
TEST(a_block_returns_as_far_as_its_actuators_need)
{
    static const double wide = 32.0;
    static const struct {
        const char *name;
        double found[2], jack, low, high; /* low, high: stroke of the one that is not wide */
        double end;                       /* of the block; its actuators keep the forces between them */
    } rows[] = {
        {"to the margin, to the bit", {16.75, 16.75}, 0.0, low, high, 8.375},
        {"to the lower one", {-7.75, -7.75}, 0.0, low, high, -3.875},
        {"just not to the margin", {16.8, 16.8}, 0.0, low, high, 16.8 * 15.0 / 32.0},
        {"nor to the lower one", {-7.8, -7.8}, 0.0, low, high, -7.8 * 15.0 / 32.0},
        {"to the reference", {10.0, 10.0}, 0.0, -12.375, 0.125, 0.0},
        {"the reference from below", {-10.0, -10.0}, 0.0, -0.125, 12.375, 0.0},
        {"pressed", {17.0, 16.5}, 0.0, low, high, 16.75 * 15.0 / 32.0},
        {"pressed, below", {-8.0, -7.5}, 0.0, low, high, -7.75 * 14.0 / 32.0},
        {"inside, near the end", {8.4375, 8.4375}, -4.5, low, high, 8.4375},
        {"inside, near the lower end", {-3.9375, -3.9375}, -4.5, low, high, -3.9375},
        {"at the end", {high, high}, -4.5, low, high, high},
        {"at the lower end", {low, low}, -4.5, low, high, low},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int narrow = 0; narrow < 2; narrow++) {
            bench b;
            bench_prepare(&b, BLOCK);
            stands[0] = rows[i].jack;
            for (int j = 0; j < 2; j++) {
                stands[1 + j] = rows[i].found[narrow ? 1 - j : j];
                b.limits[j].low = j == narrow ? rows[i].low : -wide;
                b.limits[j].high = j == narrow ? rows[i].high : wide;
                b.limits[j].velocity = b.channels[j].limits.velocity = 1e3;
            }
            b.channels[1].limits.low = -wide;
            b.channels[1].limits.high = wide;
            rig.show = standing;
            rig.follows = true;
            b.s.opt.automatic = false;
            b.s.opt.settle = 0.0625;
            bench_plays(&b, "until samples >= 60; return");
            if (rig.first != 61)
                fail_msg("%s: not accepted", rows[i].name);
            while (rig.commands < MOST - 1 && rig.state[rig.commands - 1] == IFD_MACHINE_RETURN)
                tick(&b, IFD_ORDER_NONE);
            assert_int_equal(rig.state[rig.commands - 1], IFD_MACHINE_IDLE);
            double middle = 0.5 * (stands[1] + stands[2]);
            for (int j = 1; j < 3; j++)
                assert_near(rig.at[rig.commands - 1][j], rows[i].end + stands[j] - middle, 1e-12,
                            "%s, narrow %d: actuator %d", rows[i].name, narrow, j);
            bench_close(&b);
        }
}

/* A block that moves along x, or rotates: the first actuator is along its motion, the second across it, with its
 * shortest or longest length on the path. */
static const double shift_base[2][3] = {{-8.0, 0.0, 0.0}, {1.0, -0.75, 0.0}}, shift_arm[2][3] = {{0.0}};
static const double turn_base[2][3] = {{1.0, -8.0, 0.0}, {-3.0, 0.0, 0.0}},
                    turn_arm[2][3] = {{1.0, 0.0, 0.0}, {1.0, 0.0, 0.0}};
static const ifd_axis shifts = IFD_AXIS_X, turns = IFD_AXIS_RZ;
enum { POINTS = 32 };

/* Extensions at all points of the path from the found position to its stroke, 0.01 inside. */
static void lay(bench *b, bool turned, double from, const double stroke[2], double s[POINTS + 1][2])
{
    bench_prepare(b, BLOCK);
    b->drive.drive.matrix = NULL;
    b->drive.drive.axis = turned ? &turns : &shifts;
    b->drive.drive.base = turned ? turn_base : shift_base;
    b->drive.drive.attachment = turned ? turn_arm : shift_arm;
    b->channels[1].limits.low = stroke[0];
    b->channels[1].limits.high = stroke[1];
    double margin = 0.01 * (stroke[1] - stroke[0]), to = from < stroke[0] ? stroke[0] + margin : stroke[1] - margin;
    bench_moves(b, (const double[2]){0.0, to}, (const double[2]){0.0});
    ifd_drive *d;
    double q = from, reach[2];
    assert_int_equal(ifd_drive_make(b->s.arena, &b->drive.drive, &d, NULL), IFD_OK);
    ifd_drive_reach(d, &q, stands + 1);
    q = 0.0;
    for (int k = 0; k < 20; k++) /* as between samples */
        assert_true(ifd_drive_pose(d, stands + 1, &q));
    ifd_drive_reach(d, &q, reach);
    for (int n = 0; n <= POINTS; n++) {
        double at = q + (double)n / POINTS * (to - q);
        ifd_drive_reach(d, &at, s[n]);
        for (int j = 0; j < 2; j++)
            s[n][j] += stands[1 + j] - reach[j];
    }
    stands[0] = 0.0;
    rig.show = standing;
    rig.follows = true;
    b->s.opt.automatic = false;
    b->s.opt.settle = 0.0625;
}

/* The slowest actuator decides, in the fastest 1/32 of its path. */
TEST(the_way_back_of_a_block_is_as_slow_as_its_actuators_must_be)
{
    static const struct {
        double from, stroke[2];
        int slow;
    } rows[] = {
        {-1.0, {1.875, 14.375}, 0}, {-1.0, {1.875, 14.375}, 1}, /* the second is fastest at the start */
        {0.5, {1.875, 14.375}, 1},                              /* at the end */
        {2.5, {-12.0, 0.5}, 0},     {2.5, {-12.0, 0.5}, 1},     /* downward */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bench b;
        double s[POINTS + 1][2], fastest = 0.0;
        int slow = rows[i].slow;
        lay(&b, false, rows[i].from, rows[i].stroke, s);
        b.limits[1 - slow].velocity = b.channels[1].limits.velocity = 1e3;
        for (int n = 1; n <= POINTS; n++)
            fastest = fmax(fastest, POINTS * fabs(s[n][slow] - s[n - 1][slow]));
        bench_plays(&b, "until samples >= 60; return; first = 61");
        double time = 1.875 * fastest / (0.1 * 100.0);
        long n = 0;
        for (; n < 5000 && rig.state[rig.commands - 1] == IFD_MACHINE_RETURN; n++) {
            double due = s[0][0] + (s[POINTS][0] - s[0][0]) * smooth((double)n * period / time);
            assert_near(rig.at[rig.commands - 1][1], due, 1e-9, "row %zu, command %ld", i, n);
            tick(&b, IFD_ORDER_NONE);
        }
        assert_int_equal(rig.state[rig.commands - 1], IFD_MACHINE_IDLE);
        assert_near(rig.at[rig.commands - 1][1], s[POINTS][0], 1e-12, "row %zu: end of the first", i);
        assert_near(rig.at[rig.commands - 1][2], s[POINTS][1], 1e-12, "row %zu: end of the second", i);
        bench_close(&b);
    }
}

/* Whether the block of a scene may return. */
static bool returns(bench *b)
{
    stand_make(&b->s);
    while (rig.samples < 60)
        tick(b, IFD_ORDER_NONE);
    tick(b, IFD_ORDER_RETURN);
    ifd_answer answer = (ifd_answer)b->s.t.trace(b->s.t.self)->answer;
    assert_true(answer == IFD_ANSWER_NONE || answer == IFD_ANSWER_NO_WAY_BACK);
    assert_int_equal(rig.first, answer == IFD_ANSWER_NONE ? 61 : 0);
    return answer == IFD_ANSWER_NONE;
}

/* An actuator may leave its stroke on the path by 1e-9 of it; one bit more is refused. */
TEST(a_way_on_which_an_actuator_leaves_its_stroke_is_none)
{
    static const struct {
        bool turned;
        double from, stroke[2];
    } rows[] = {{false, 0.0, {1.875, 14.375}}, {true, -0.5, {0.375, 12.875}}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int out = 0; out < 2; out++) {
            bench b;
            double s[POINTS + 1][2], sign = rows[i].turned ? -1.0 : 1.0;
            lay(&b, rows[i].turned, rows[i].from, rows[i].stroke, s);
            double most = sign * s[0][1];
            for (int n = 0; n <= POINTS; n++)
                most = fmin(most, sign * s[n][1]);
            assert_true(most < sign * s[0][1] - 0.05 && most < sign * s[POINTS][1] - 0.05);
            /* relative to the side at which it leaves: inside is above `edge`, the other end is 12 m from 0 */
            double edge = most;
            while (edge - 1e-9 * (12.0 - edge) < most)
                edge = edge < most + 1.2e-8 ? edge + 1e-11 : nextafter(edge, 13.0);
            while (edge - 1e-9 * (12.0 - edge) > most)
                edge = nextafter(edge, -1.0);
            assert_true(edge - 1e-9 * (12.0 - edge) == most);
            while (out && edge - 1e-9 * (12.0 - edge) == most)
                edge = nextafter(edge, 13.0);
            b.limits[1].low = sign > 0.0 ? edge : -12.0;
            b.limits[1].high = sign > 0.0 ? 12.0 : -edge;
            if (returns(&b) == (bool)out)
                fail_msg("%s: leaves its stroke by %s billionth: %s", rows[i].turned ? "turned" : "shifted",
                         out ? "more than a" : "a", out ? "accepted" : "refused");
            bench_close(&b);
        }
}

/* The state of a block without a pose is set directly. */
TEST(a_block_whose_pose_is_lost_has_no_way_back)
{
    for (int lost = 0; lost < 2; lost++) {
        bench b;
        double s[POINTS + 1][2];
        lay(&b, false, 0.0, (const double[]){1.875, 14.375}, s);
        bench_plays(&b, "until samples >= 60");
        if (lost)
            b.s.h->finding[2].at = (double)NAN;
        tick(&b, IFD_ORDER_RETURN);
        assert_int_equal(b.s.t.trace(b.s.t.self)->answer, lost ? IFD_ANSWER_NO_WAY_BACK : IFD_ANSWER_NONE);
        assert_int_equal(rig.first, lost ? 0 : 61);
        bench_close(&b);
    }
}

TESTS()
