/* SPDX-License-Identifier: MIT */
/* A loop that diverges while limits are only observed: nothing else ends it, and no brake follows its commands. */
#include "check.h"

#include <interfield/case.h>
#include <interfield/hybrid.h>

/* Ticks until the test ends, after the orders of a row; from the last order on. */
static long ticks_to_end(long first, ifd_order order, double again, double leave, ifd_trip_facts *trip)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_case *c = NULL;
    ifd_hybrid *h = NULL;
    const char *set[] = {leave > 0.0 ? "test.leave=start" : "test.leave=stay"};
    assert_int_equal(ifd_case_read(arena, IFD_SOURCE_DIR "/tests/hybrid/run_away.yaml", 1, set, &c, NULL), IFD_OK);
    assert_int_equal(ifd_hybrid_make(arena, c->test, &h, NULL), IFD_OK);
    ifd_ticked t = ifd_hybrid_ticked(h);
    ifd_run_state state = IFD_RUN_GOING;
    long tick = 0, last = first, second = again > 0.0 ? first + lround(again / ifd_hybrid_period(h)) : -1;
    for (; state == IFD_RUN_GOING && tick < 200000; tick++) {
        bool now = tick == first || tick == second;
        last = now ? tick : last;
        state = t.tick(t.self, &(ifd_tick_in){.order = now ? order : IFD_ORDER_NONE});
    }
    assert_true(state != IFD_RUN_GOING);
    *trip = ifd_hybrid_trip(h);
    ifd_hybrid_close(h);
    ifd_arena_close(arena);
    return tick - last;
}

TEST(a_run_away_ends_beyond_a_hundred_strokes)
{
    ifd_trip_facts trip;
    (void)ticks_to_end(-1, IFD_ORDER_NONE, 0.0, 0.0, &trip);
    assert_int_equal(trip.trip, IFD_TRIP_SOLVER);
    assert_near(trip.limit, 20.0, 1e-12, "a hundred strokes of 200 mm");
    assert_true(fabs(trip.value) > trip.limit && fabs(trip.value) < 2.0 * trip.limit);
}

/* Orders just before it, while it is faster than any limit: a trip, also by a second stop, ends within 5 s, a
 * ramp-out within 30 s; ticks of 2 ms. */
TEST(every_stop_of_a_run_away_reaches_its_end)
{
    static const struct {
        ifd_order order;
        double again;
    } rows[] = {{IFD_ORDER_STOP, 0.0}, {IFD_ORDER_STOP, 0.5},     {IFD_ORDER_TRIP, 0.0},
                {IFD_ORDER_OFF, 0.0},  {IFD_ORDER_RAMP_OUT, 0.0}, {IFD_ORDER_RAMP_OUT, 0.5}};
    for (size_t i = 0; i < COUNT(rows); i++)
        for (long at = 1800; at < 2355; at += 50) {
            ifd_trip_facts trip;
            long ticks = ticks_to_end(at, rows[i].order, rows[i].again, 0.0, &trip);
            bool trips = rows[i].again > 0.0 || rows[i].order == IFD_ORDER_TRIP || rows[i].order == IFD_ORDER_OFF;
            if (ticks > (trips && rows[i].order != IFD_ORDER_RAMP_OUT ? 2500 : 15000))
                fail_msg("%s at tick %ld: ends after %ld ticks", ifd_order_name(rows[i].order), at, ticks);
        }
}

TESTS()
