/* SPDX-License-Identifier: MIT */
/* Specimens that are whole models: in every coupling, and carried by a ground that shakes. */
#include "check.h"

#include <string.h>

#include <interfield/case.h>
#include <interfield/hybrid.h>

#include "hybrid/hybrid.h"

typedef struct ends {
    double x, y; /* m, at the end of a run */
} ends;

static double value_of(const ifd_column *c, int count, const double *values, const char *part, const char *dof)
{
    char name[64];
    snprintf(name, sizeof name, "%s%s displacement", part, dof);
    for (int i = 0; i < count; i++)
        if (strcmp(c[i].name, name) == 0)
            return values[i];
    fail_msg("no channel '%s'", name);
    return 0.0;
}

static ends ends_of(const ifd_column *c, int count, const double *values, const char *part)
{
    return (ends){value_of(c, count, values, part, "x"), value_of(c, count, values, part, "y")};
}

static ifd_case *read_it(ifd_arena *arena, const char *name, int sets, const char *const *set)
{
    ifd_case *c = NULL;
    char path[512];
    snprintf(path, sizeof path, "%s/tests/hybrid/%s.yaml", IFD_SOURCE_DIR, name);
    assert_int_equal(ifd_case_read(arena, path, sets, set, &c, NULL), IFD_OK);
    return c;
}

/* part: prefix of the names of the dofs. */
static ends run_it(const char *name, const char *part, int sets, const char *const *set)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_case *c = read_it(arena, name, sets, set);
    ifd_run *run = NULL;
    int count;
    assert_int_equal(ifd_run_make(arena, &c->run, &run, NULL), IFD_OK);
    while (ifd_run_tick(run) == IFD_RUN_GOING) {
    }
    const ifd_column *channel = ifd_run_columns(run, &count);
    ends e = ends_of(channel, count, ifd_run_values(run), part);
    ifd_run_close(run);
    ifd_arena_close(arena);
    return e;
}

static ends test_it(const char *name, const char *part, int sets, const char *const *set)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_case *c = read_it(arena, name, sets, set);
    ifd_hybrid *h = NULL;
    int count;
    assert_int_equal(ifd_hybrid_make(arena, c->test, &h, NULL), IFD_OK);
    ifd_ticked t = ifd_hybrid_ticked(h);
    for (int k = 0; k < 100000 && t.tick(t.self, &(ifd_tick_in){0}) == IFD_RUN_GOING; k++) {
    }
    assert_int_equal(ifd_hybrid_state(h), IFD_MACHINE_STOPPED);
    assert_near(ifd_hybrid_time(h), 2.0, 1e-9, "end of the test");
    const ifd_column *channel = ifd_hybrid_columns(h, &count);
    ends e = ends_of(channel, count, t.values(t.self), part);
    ifd_hybrid_close(h);
    ifd_arena_close(arena);
    return e;
}

TEST(a_run_computes_structure_and_specimen_as_one)
{
    ends one = run_it("mounted-one", "", 0, NULL), whole = run_it("mounted-whole", "", 0, NULL);
    assert_near(one.x, whole.x, 1e-14, "x");
    assert_near(one.y, whole.y, 1e-14, "y");
    assert_true(fabs(whole.y) > 1e-3);
}

static const char *const schemes[][2] = {{"coupling=staggered", "method=lsrt2"},
                                         {"coupling=parallel", "method=lsrt2"},
                                         {"coupling=pg-alpha", "method=mg-alpha"}};

/* All are of second order: with half the step a quarter of the error is left. */
TEST(in_parts_a_run_comes_to_the_same)
{
    const char *fine[] = {"time.step=0.1ms", "model.mass=[1200, 300, 50]"};
    ends truth = run_it("mounted-whole", "", 2, fine);
    for (size_t i = 0; i < COUNT(schemes); i++) {
        double error[2];
        for (int half = 0; half < 2; half++) {
            const char *set[] = {schemes[i][0], schemes[i][1], half ? "time.step=1ms" : "time.step=2ms"};
            ends e = run_it("mounted", "upper.", 3, set);
            error[half] = hypot(e.x - truth.x, e.y - truth.y);
        }
        assert_near(error[1] / error[0], 0.25, 0.05, "%s", schemes[i][0]);
        assert_near(error[1], 0.0, 2e-4, "%s", schemes[i][0]); /* of 50 mm; parallel is the coarsest */
    }
}

TEST(a_part_that_follows_may_have_mass_at_its_support)
{
    const char *fine[] = {"time.step=0.1ms", "model.mass=[1200, 310, 50]"};
    ends truth = run_it("mounted-whole", "", 2, fine), e = run_it("mounted-follows", "s.", 0, NULL);
    assert_near(e.x, truth.x, 2e-6, "x");
    assert_near(e.y, truth.y, 2e-6, "y");
}

/* The actuator follows the storey, ground included: the answer of the rig is the interface force. */
TEST(a_specimen_is_carried_by_the_ground)
{
    for (size_t i = 0; i < COUNT(schemes); i++) {
        ends truth = run_it("mounted", "upper.", 2, schemes[i]), e = test_it("mounted", "upper.", 2, schemes[i]);
        assert_near(hypot(e.x - truth.x, e.y - truth.y), 0.0, 1e-5, "%s, of 50 mm", schemes[i][0]);
    }
}

/* The inertia of a rigid mass on an ideal actuator follows the second difference of its commands. */
TEST(a_seat_with_mass_is_carried_too)
{
    const char *set[] = {"method=mg-alpha"};
    ends truth = run_it("mounted-one", "", 1, set), e = test_it("mounted-one", "", 1, set);
    assert_near(hypot(e.x - truth.x, e.y - truth.y), 0.0, 1e-4, "of 50 mm");
}

/* Structure and specimen are each on a moving support of their own. */
TEST(a_specimen_and_its_structure_have_supports_that_move)
{
    ends whole = run_it("mounted-moved-whole", "", 0, NULL), run = run_it("mounted-moved", "", 0, NULL);
    assert_near(run.x, whole.x, 1e-13, "x");
    assert_near(run.y, whole.y, 1e-13, "y");
    const char *held[] = {"model.supports.wall.displacement=0"};
    ends still = run_it("mounted-moved-whole", "", 1, held);
    assert_true(fabs(still.y - whole.y) > 1e-4); /* the wall counts */
    double error[2];
    for (int half = 0; half < 2; half++) {
        const char *set[] = {half ? "time.step=1ms" : "time.step=2ms"};
        ends e = test_it("mounted-moved", "", 1, set), truth = run_it("mounted-moved-whole", "", 1, set);
        error[half] = hypot(e.x - truth.x, e.y - truth.y);
    }
    assert_near(error[0], 0.0, 5e-5, "of 86 mm"); /* velocities of linear commands are half a tick late */
    assert_near(error[1] / error[0], 0.5, 0.05, "first order in the tick");
}

/* Acceleration cos wt from rest: velocity sin wt / w, displacement (1 - cos wt)/w2. */
TEST(the_ground_goes_where_its_acceleration_leads)
{
    const double w = 6.28318530717958647693 * 1.7;
    ifd_arena *arena = ifd_arena_open();
    ifd_hybrid *h = NULL;
    assert_int_equal(ifd_hybrid_make(arena, read_it(arena, "mounted", 0, NULL)->test, &h, NULL), IFD_OK);
    const ifd__test_interface *damper = &h->interface[0];
    assert_true(damper->grounds > 2000);
    for (int i = 0; i < damper->grounds; i++) {
        double t = i * h->stage_time;
        assert_near(damper->ground[2 * i], (1.0 - cos(w * t)) / (w * w), 1e-13, "displacement at %g s", t);
        assert_near(damper->ground[2 * i + 1], sin(w * t) / w, 1e-13, "velocity at %g s", t);
    }
    ifd_hybrid_close(h);
    ifd_arena_close(arena);
}

/* The ground motion does not stop at the end of the test: a braked command continues with it. */
TEST(a_hold_at_the_end_brakes_as_one_before)
{
    for (int i = 0; i < 2; i++) {
        const char *name = i ? "mounted" : "mounted-one";
        ifd_arena *arena = ifd_arena_open();
        ifd_hybrid *h = NULL;
        bool ordered = false;
        assert_int_equal(ifd_hybrid_make(arena, read_it(arena, name, 0, NULL)->test, &h, NULL), IFD_OK);
        ifd_ticked t = ifd_hybrid_ticked(h);
        for (int k = 0; k < 20000; k++) {
            bool now = !ordered && ifd_hybrid_time(h) >= 1.997;
            ordered = ordered || now;
            t.tick(t.self, &(ifd_tick_in){.order = now ? IFD_ORDER_HOLD : IFD_ORDER_NONE});
        }
        assert_int_equal(ifd_hybrid_state(h), IFD_MACHINE_HOLD);
        assert_near(ifd_hybrid_time(h), 2.1, 0.01, "rest");
        assert_int_equal(ifd_hybrid_count(h, IFD_TRIP_GOVERNED), 0);
        ifd_hybrid_close(h);
        ifd_arena_close(arena);
    }
}

/* There the ground is the master's business: what it sends is where the specimen goes. */
TEST(a_master_elsewhere_leads_a_model_too)
{
    static const char text[] = "time: {step: 10 ms, end: 2 s}\n"
                               "master: {opensees: {elements: [[storey]]}}\n"
                               "specimen:\n"
                               "  - name: damper\n"
                               "    model:\n"
                               "      dofs: [z]\n"
                               "      mass: 50 kg\n"
                               "      supports: {seat: {follows: storey}}\n"
                               "      elements: [{spring: {between: [seat, z], stiffness: 5e3}}]\n"
                               "    limits: {stroke: 200 mm, velocity: 1 m/s, acceleration: 30 m/s2}\n"
                               "test: {rig: virtual, leave: start}\n";
    ifd_arena *arena = ifd_arena_open();
    ifd_case *c = NULL;
    ifd_hybrid *h = NULL;
    const ifd_case_source source = {.path = "led.yaml", .text = text};
    assert_int_equal(ifd_case_read_source(arena, &source, &c, NULL), IFD_OK);
    assert_int_equal(ifd_remote_make(arena, &(ifd_remote_options){.dofs = 1}, &c->test->remote, NULL), IFD_OK);
    assert_int_equal(ifd_hybrid_make(arena, c->test, &h, NULL), IFD_OK);
    ifd_hybrid_close(h);
    ifd_arena_close(arena);
}

TESTS()
