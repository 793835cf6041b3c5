/* SPDX-License-Identifier: MIT */
/* The loop of a test with an actuator in force control (cases/bridge/vertical): its roots are decided although a
 * force of 3 MN rests in it. The roots of the vertical loop are those of an independent recurrence. */
#include "check.h"

#include <interfield/case.h>

#include "analysis/loop.h"

static ifd__loop_roots probed(ifd_arena *arena, const char *force, double stiffness)
{
    const char *const set[] = {"time.end=1 s", force};
    ifd_case *c = NULL;
    assert_int_equal(ifd_case_read(arena, IFD_SOURCE_DIR "/cases/bridge/vertical.yaml", 2, set, &c, NULL), IFD_OK);
    ifd__loop_roots out = {.decide = true};
    const ifd__loop l = {c->test, c->laboratory};
    assert_int_equal(ifd__loop_probe(&l, &(ifd__variant){.stiffness = stiffness}, arena, &out, NULL), IFD_OK);
    return out;
}

static const char same[] = "force-control.0.force=2.943 MN", light[] = "force-control.0.force=1 kN";

/* Softer than 1/3 the force errs by more than its limit in ramp-in. The limit is not part of the loop. */
TEST(a_force_that_rests_in_the_loop_leaves_no_doubt)
{
    static const double stiffness[] = {1.0, 0.2};
    for (size_t i = 0; i < COUNT(stiffness); i++) {
        ifd_arena *arena = ifd_arena_open();
        const ifd__loop_roots r = probed(arena, same, stiffness[i]);
        assert_true(r.stable && !r.undecided && r.resolution <= 1e-6);
        ifd_arena_close(arena);
    }
}

/* A linear specimen has the stiffness at its load, whatever the force of the actuator that presses on it. */
TEST(a_linear_specimen_is_not_pressed)
{
    ifd_arena *arena = ifd_arena_open();
    const ifd__loop_roots a = probed(arena, same, 1.0), b = probed(arena, light, 1.0);
    assert_int_equal(a.count, b.count);
    for (int i = 0; i < a.count; i++) {
        assert_near_rel(a.at[i], b.at[i], 1e-6, "frequency %d", i);
        assert_near(a.ratio[i], b.ratio[i], 1e-6, "damping %d", i);
    }
    ifd_arena_close(arena);
}

/* f = k x is measured, c moves by -w h f / ke, and the actuator x'' = W^2 (c - x) - 2 z W x' follows c for a tick.
 * Eigenvalues of this recurrence over the two ticks of a step (numpy): 0.8367258 +- 0.14245045 i. */
TEST(the_vertical_loop_has_the_roots_of_its_recurrence)
{
    ifd_arena *arena = ifd_arena_open();
    const double re = 0.8367258, im = 0.14245045, angle = atan2(im, re), pi = 3.14159265358979323846;
    const double at = angle / (2.0 * pi * 2e-3), ratio = -log(hypot(re, im)) / angle;
    const ifd__loop_roots r = probed(arena, same, 1.0);
    double least = (double)INFINITY;
    for (int i = 0; i < r.count; i++)
        least = fmin(least, hypot(r.at[i] / at - 1.0, r.ratio[i] / ratio - 1.0));
    assert_true(least < 1e-5);
    ifd_arena_close(arena);
}

TESTS()
