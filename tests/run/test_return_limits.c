/* SPDX-License-Identifier: MIT */
/* From outside the stroke back into it: the path as it is received, who may return and who may not, and the limits on
 * the way, at both of their sides. */
#include "find_scene.h"

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

/* The slowest of all decides: 15/8 of the way over a tenth of the velocity limit; the acceleration, 10/sqrt(3) of the
 * way over T^2, a tenth of its limit. It ends a hundredth of the stroke inside, 0.125 m. Who stands inside stays. */
static void the_way_back_is_smooth_and_as_slow_as_it_must_be(void **state)
{
    (void)state;
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
        stand_make(&b.s);
        while (rig.samples < 60)
            tick(&b, IFD_ORDER_NONE);
        assert_int_equal(rig.first, 0);
        tick(&b, IFD_ORDER_RETURN);
        assert_int_equal(rig.first, 61);
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
        assert_int_equal(rig.state[rig.commands - 1], IFD_MACHINE_IDLE);
        assert_false(rig.commanded[rig.commands - 1]);
        /* from the command after the one that arrived it rests: for the settling time, 32 ticks */
        assert_int_equal(n, (long)ceil(time / period) + 1 + 32);
        bench_close(&b);
    }
}

/* When the order is accepted. Channel 0 is a jack that stands outside in all rows but one; 1 and 2 move a block. */
static long order_at;
static bool order_silent;

static bool news(long i)
{
    return !order_silent || i != order_at;
}

static void who_may_return(void **state)
{
    (void)state;
    const struct {
        const char *name;
        double stands[3], narrow; /* narrow: stroke of the block, to either side; 0: as wide as its jacks' */
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
        rig.show = standing;
        rig.fresh = news;
        stand_make(&b.s);
        while (rig.samples < order_at - 1)
            tick(&b, IFD_ORDER_NONE);
        tick(&b, IFD_ORDER_RETURN);
        if (b.s.t.trace(b.s.t.self)->answer != (uint32_t)rows[i].answer)
            fail_msg("%s: answer '%s'", rows[i].name, ifd_answer_text(b.s.t.trace(b.s.t.self)->answer));
        assert_int_equal(rig.first, rows[i].answer == IFD_ANSWER_NONE ? order_at : 0);
        bench_close(&b);
    }
}

/* On the way a sensor may scatter by 2^-4 m beyond the start; on the other side the stroke is what it was. */
static double jump;

static double jumps(long i, int k, double shown)
{
    return k == 0 && i == 65 ? jump : shown;
}

static void a_position_beyond_the_start_trips(void **state)
{
    (void)state;
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
        stand_make(&b.s);
        while (rig.samples < 60)
            tick(&b, IFD_ORDER_NONE);
        tick(&b, IFD_ORDER_RETURN);
        assert_near(rig.led[0], rows[i].start, 0.0, "first command");
        while (rig.samples < 65)
            tick(&b, IFD_ORDER_NONE);
        bool trips = rows[i].limit != 0.0;
        assert_int_equal(rig.state[rig.commands - 1], trips ? IFD_MACHINE_TRIPPED : IFD_MACHINE_RETURN);
        if (trips) {
            assert_int_equal(ifd_hybrid_trip(b.s.h).trip, IFD_TRIP_POSITION);
            assert_near(ifd_hybrid_trip(b.s.h).limit, rows[i].limit, 0.0, "row %zu: limit", i);
        }
        bench_close(&b);
    }
}

/* Once it is back, the stroke is the limit again: what is shown beyond it counts, nearer than the start or not. */

static void after_the_return_the_stroke_is_the_limit(void **state)
{
    (void)state;
    bench b;
    bench_prepare(&b, ONE);
    stands[0] = -4.5;
    rig.show = standing;
    rig.follows = true;
    stand_make(&b.s);
    while (rig.samples < 60)
        tick(&b, IFD_ORDER_NONE);
    tick(&b, IFD_ORDER_RETURN);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_way_back_is_smooth_and_as_slow_as_it_must_be),
        cmocka_unit_test(who_may_return),
        cmocka_unit_test(a_position_beyond_the_start_trips),
        cmocka_unit_test(after_the_return_the_stroke_is_the_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
