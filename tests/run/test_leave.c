/* SPDX-License-Identifier: MIT */
/* The way out of a test with a controlled force: what was let go stays so, however noisy the other load cells are.
 * And what of unloading is a closed form. */
#include "check.h"

#include <math.h>

#include <interfield/case.h>

#include "run/leave.h"

/* The laboratory with a load cell that shows now and then what is not there. */
static long ticks;

static bool sense_noisy(ifd_rig *rig, ifd_measure *out, double *x)
{
    bool fresh = ifd_virtual_rig.sense(rig, out, x);
    out->force[0] += ++ticks / 25 % 8 == 0 ? 3e3 : 0.0;
    return fresh;
}

static ifd_hybrid *column(ifd_arena *arena, ifd_hybrid_options *o, ifd_rig_ops *noisy)
{
    const char *sets[] = {"time.end=0.2s", "test.ramp-in=1s", "test.leave=zero-force"};
    ifd_case *c;
    ifd_hybrid *h;
    assert_int_equal(ifd_case_read(arena, IFD_SOURCE_DIR "/cases/column-mixed/column.yaml", 3, sets, &c, NULL),
                     IFD_OK);
    *noisy = ifd_virtual_rig;
    noisy->sense = sense_noisy;
    *o = *c->test;
    o->automatic = true;
    o->rig = noisy;
    o->rig_setup = c->laboratory;
    assert_int_equal(ifd_hybrid_make(arena, o, &h, NULL), IFD_OK);
    return h;
}

static void gravity_that_was_let_go_is_not_put_on_again(void **state)
{
    (void)state;
    ifd_arena *arena = ifd_arena_open();
    ifd_hybrid_options o;
    ifd_rig_ops noisy;
    ifd_hybrid *h = column(arena, &o, &noisy);
    ifd_ticked t = ifd_hybrid_ticked(h);
    const double lag = 30e3; /* N: 200 MN/m let go at 10 mm/s by an actuator that is 11 ms late are 22 kN */
    double least = HUGE_VAL;
    for (long i = 0; i < 100000 && ifd_hybrid_state(h) != IFD_MACHINE_STOPPED; i++) {
        t.tick(t.self, &(ifd_tick_in){0});
        if (ifd_hybrid_state(h) != IFD_MACHINE_RAMP_OUT)
            continue;
        double f = fabs(*ifd__way_row(h, 1, CH_FM));
        if (f > least + lag)
            fail_msg("tick %ld: %.0f N, and were %.0f N before", i, f, least);
        least = fmin(least, f);
    }
    assert_int_equal(ifd_hybrid_state(h), IFD_MACHINE_STOPPED);
    assert_true(least < 4e3);
    ifd_hybrid_close(h);
    ifd_arena_close(arena);
}

static void six_deviations_of_a_difference_and_a_step_are_certain(void **state)
{
    (void)state;
    assert_near(ifd__certain_change(0.5, 0.0), 3.0 * sqrt(2.0), 1e-14, "of noise");
    assert_near(ifd__certain_change(0.0, 7.0), 7.0, 0.0, "of a converter");
    assert_near(ifd__certain_change(0.5, 7.0), 7.0 + 3.0 * sqrt(2.0), 1e-14, "of both");
}

/* Over the travel after which a stuck load cell is noticed a specimen as stiff as it may be has the same force the
 * other way; one as soft as it may be shows twice what is certain. */
static void what_can_be_supervised_is_seen_in_time(void **state)
{
    (void)state;
    const double factor[] = {2.0, 1.25}, k = 3e5, c = 4.0;
    for (int shown = 0; shown < 2; shown++) {
        double F = ifd__supervisable(c, shown), travel = ifd__idle_travel(F, k, shown);
        assert_near(F - factor[shown] * k * travel, -F, 1e-9, "N, of a stiff specimen");
        assert_near(0.1 * k * travel, 2.0 * c, 1e-9, "N, that a soft one changes");
    }
}

static void smoothing_makes_a_force_supervisable(void **state)
{
    (void)state;
    const double noise = 5.0, step = 0.7, dt = 1e-3;
    for (int shown = 0; shown < 2; shown++) {
        double F = ifd__supervisable(3.0 + step, shown), t = ifd__supervising_time(-F, noise, step, shown, dt);
        double mean = noise * sqrt(dt / (2.0 * t));
        assert_near_rel(ifd__supervisable(ifd__certain_change(mean, step), shown), F, 1e-12, "N, with that mean");
        assert_near(ifd__supervising_time(F, 0.0, step, shown, dt), 0.0, 0.0, "s, without noise");
        double least = ifd__supervisable(step, shown);
        assert_near(ifd__supervising_time(least, noise, step, shown, dt), 0.5, 0.0, "s, of what is never seen");
        assert_near(ifd__supervising_time(0.5 * least, noise, step, shown, dt), 0.5, 0.0, "s, of less");
        assert_near(ifd__supervising_time(1.001 * least, noise, step, shown, dt), 0.5, 0.0, "s, of little more");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(six_deviations_of_a_difference_and_a_step_are_certain),
        cmocka_unit_test(what_can_be_supervised_is_seen_in_time),
        cmocka_unit_test(smoothing_makes_a_force_supervisable),
        cmocka_unit_test(gravity_that_was_let_go_is_not_put_on_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
