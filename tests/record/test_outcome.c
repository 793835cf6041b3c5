/* SPDX-License-Identifier: MIT */
/* The outcome of a completed test with several findings: late ticks, missing measurements, others, in this order;
 * all of them are kept, and the first is the reason. */
#include "check.h"

#include <string.h>

#include "record/result.h"

/* Findings, outcome, and a word of each sentence in their order. */
static const struct {
    long late;
    double stale;
    long unconverged;
    double made;
    const char *outcome, *sentence[4];
} rows[] = {
    {0, 0, 0, 0, "completed", {NULL}},
    {3, 0, 0, 0, "completed", {NULL}}, /* what the case permits */
    {0, 10, 0, 5, "completed", {NULL}},
    {0, 0, 0, 15, "completed with caution", {"energy"}},
    {0, 0, 1, 15, "completed with caution", {"did not converge", "energy"}},
    {0, 11, 0, 15, "completed with caution", {"no new measurement", "energy"}},
    {4, 0, 1, 0, "completed with caution", {"were late", "did not converge"}},
    {4, 11, 1, 0, "completed with caution", {"were late", "no new measurement", "did not converge"}},
    {4, 11, 1, 15, "completed with caution", {"were late", "no new measurement", "did not converge", "energy"}},
};

TEST(the_first_of_several_is_the_reason_and_all_are_kept)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ifd_hybrid_options test = {.stale_fraction = 0.1};
        const ifd_case c = {.test = &test, .run.end = 1.0, .run.step.h = 0.01, .day.missed_deadlines = 3};
        const ifd_executor_report report = {.late_ticks = rows[i].late};
        ifd__test_facts f = {
            .state = IFD_MACHINE_STOPPED, .time = 1.0, .run_ticks = 100.0, .run_stale = rows[i].stale};
        f.aborted_in = -1;
        f.balanced = true;
        f.energy = (ifd_energy){.scale = 100.0, .numerical = -rows[i].made};
        f.seen[IFD_TRIP_UNCONVERGED] = rows[i].unconverged;
        ifd_result res = {.c = &c, .facts = &f, .report = &report};
        res.arena = ifd_arena_open();
        assert_int_equal(ifd__result_judge(&res), IFD_OK);
        assert_string_equal(ifd__result_outcome(&res, &(ifd_timing){0}), rows[i].outcome);
        int n = 0;
        for (; n < 4 && rows[i].sentence[n]; n++) {
            assert_true(n < res.cautions);
            assert_non_null(strstr(res.caution[n], rows[i].sentence[n]));
        }
        assert_int_equal(res.cautions, n);
        assert_string_equal(ifd__result_reason(&res, &(ifd_timing){0}), n ? res.caution[0] : "");
        ifd_arena_close(res.arena);
    }
}

/* After a reset the latch is free: unloaded or ended by an order, the test stays a tripped one. One that was run
 * again to its end is completed, and one that an order ended without a trip is aborted. */
TEST(a_reset_does_not_undo_a_trip)
{
    static const struct {
        ifd_trip tripped;
        double time;
        const char *outcome;
    } row[] = {{IFD_TRIP_FORCE, 0.0, "tripped"}, {IFD_TRIP_NONE, 0.0, "aborted"}, {IFD_TRIP_FORCE, 1.0, "completed"}};
    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        ifd_hybrid_options test = {.stale_fraction = 0.1};
        const ifd_case c = {.test = &test, .run.end = 1.0, .run.step.h = 0.01};
        ifd__test_facts f = {.state = IFD_MACHINE_STOPPED, .time = row[i].time, .aborted_in = IFD_MACHINE_READY};
        f.tripped.trip = row[i].tripped;
        ifd_result res = {.c = &c, .facts = &f};
        res.arena = ifd_arena_open();
        assert_string_equal(ifd__result_outcome(&res, &(ifd_timing){0}), row[i].outcome);
        if (i == 0)
            assert_string_equal(ifd__result_reason(&res, &(ifd_timing){0}), ifd_trip_text(IFD_TRIP_FORCE));
        ifd_arena_close(res.arena);
    }
}

TESTS()
