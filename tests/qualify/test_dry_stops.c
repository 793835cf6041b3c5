/* SPDX-License-Identifier: MIT */
/* Stops of a dry run, against tests that are stopped one by one. */
#include "check.h"

#include <interfield/case.h>
#include <interfield/preflight.h>

#include <string.h>

#include "qualify/preflight.h"

static const ifd_case *springs(ifd_arena *arena, int sets, const char *const *set)
{
    ifd_case *c = NULL;
    assert_int_equal(ifd_case_read(arena, IFD_SOURCE_DIR "/tests/faults/springs.yaml", sets, set, &c, NULL), IFD_OK);
    return c;
}

static void dry(ifd_arena *arena, const ifd_case *c, bool stops, ifd__dry *out)
{
    const ifd__loop l = {c->test, c->laboratory};
    const ifd__dry_options o = {.out = true, .stops = stops};
    assert_int_equal(ifd__dry_run(arena, &l, &o, out, NULL), IFD_OK);
}

TEST(stops_change_nothing_else_that_a_dry_run_finds)
{
    ifd_arena *arena = ifd_arena_open();
    const ifd_case *c = springs(arena, 0, NULL);
    ifd__dry with, without;
    dry(arena, c, true, &with);
    dry(arena, c, false, &without);
    assert_int_equal(with.stops, 26); /* three extremes and ten more, in ramp-in and in run */
    assert_int_equal(without.stops, 0);
    assert_int_equal(with.stop_trip.trip, IFD_TRIP_NONE);
    assert_int_equal(with.ticks, without.ticks);
    assert_int_equal(with.out_done, without.out_done);
    assert_near(with.out_time, without.out_time, 0.0, "ramp-out");
    for (int k = 0; k < 2; k++) {
        assert_near(with.interface[k].seen.force, without.interface[k].seen.force, 0.0, "force %d", k);
        assert_near(with.interface[k].seen.high, without.interface[k].seen.high, 0.0, "position %d", k);
    }
    ifd_arena_close(arena);
}

/* Force and position of interface 0 after a stop in this tick, until ramp-out has braked. */
static void stopped_at(const ifd_case *c, long at, double most[2])
{
    ifd_arena *arena = ifd_arena_open();
    ifd_hybrid *h = NULL;
    assert_int_equal(ifd_hybrid_make(arena, c->test, &h, NULL), IFD_OK);
    ifd_ticked t = ifd_hybrid_ticked(h);
    int columns;
    const ifd_column *column = ifd_hybrid_columns(h, &columns);
    int f = ifd_column_find(column, columns, "lower", IFD_COLUMN_INTERFACE_FORCE),
        x = ifd_column_find(column, columns, "lower", IFD_COLUMN_INTERFACE_DEFORMATION);
    assert_true(f >= 0 && x >= 0);
    for (long tick = 0; tick < at + 300; tick++) {
        (void)t.tick(t.self, &(ifd_tick_in){.order = tick == at ? IFD_ORDER_STOP : IFD_ORDER_NONE});
        if (tick >= at) {
            most[0] = fmax(most[0], fabs(t.values(t.self)[x]));
            most[1] = fmax(most[1], fabs(t.values(t.self)[f]));
        }
    }
    ifd_hybrid_close(h);
    ifd_arena_close(arena);
}

/* The instants are chosen so that no stop at another one has a larger force; 1 % by the choice of the extreme, 2 % by
 * the stages between which no state is kept. */
TEST(no_stop_at_another_instant_is_worse)
{
    ifd_arena *arena = ifd_arena_open();
    const ifd_case *c = springs(arena, 0, NULL);
    ifd__dry d;
    double most[2] = {0.0, 0.0};
    dry(arena, c, true, &d);
    for (long at = 60; at < 900; at += 20)
        stopped_at(c, at, most);
    double x = fmax(-d.interface[0].stop_low, d.interface[0].stop_high);
    assert_true(most[1] > 100.0);
    assert_true(x >= 0.97 * most[0] && x <= 1.03 * most[0]);
    assert_true(d.interface[0].stop_force >= 0.97 * most[1] && d.interface[0].stop_force <= 1.03 * most[1]);
    ifd_arena_close(arena);
}

/* A ramp-in of 0.2 s accelerates with 1.4 m/s2, its brake with more than ten times that, of which the fit over nine
 * positions sees more than 4 m/s2. */
TEST(a_stop_that_trips_is_found_with_its_instant)
{
    static const char *const set[] = {"test.ramp-in=0.2 s", "specimen.0.limits.acceleration=100 m/s2",
                                      "specimen.0.limits.measured-acceleration=4 m/s2"};
    ifd_arena *arena = ifd_arena_open();
    const ifd_case *c = springs(arena, COUNT(set), set);
    ifd__dry d;
    dry(arena, c, true, &d);
    assert_true(d.finished);
    assert_int_equal(d.trip.trip, IFD_TRIP_NONE);
    assert_int_equal(d.stop_trip.trip, IFD_TRIP_ACCELERATION);
    assert_false(d.stop_runs);
    assert_true(d.stop_time > 0.02 && d.stop_time < 0.18);
    ifd_arena_close(arena);
}

TESTS()
