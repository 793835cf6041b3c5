/* SPDX-License-Identifier: MIT */
/* Resolution of a load cell: closed forms. */
#include "check.h"

#include <math.h>

#include "hybrid/ramp_out/ramp_out.h"

TEST(six_deviations_of_a_difference_and_a_step_are_certain)
{
    assert_near(ifd__certain_change(0.5, 0.0), 3.0 * sqrt(2.0), 1e-14, "of noise");
    assert_near(ifd__certain_change(0.0, 7.0), 7.0, 0.0, "of a converter");
    assert_near(ifd__certain_change(0.5, 7.0), 7.0 + 3.0 * sqrt(2.0), 1e-14, "of both");
}

/* After the travel at which a stuck load cell is detected, the stiffest possible specimen has the same force with
 * opposite sign; the softest possible one shows twice the significant change. */
TEST(what_can_be_supervised_is_seen_in_time)
{
    const double factor[] = {2.0, 1.25}, k = 3e5, c = 4.0;
    for (int shown = 0; shown < 2; shown++) {
        double F = ifd__supervisable(c, shown), travel = ifd__idle_travel(F, k, shown);
        assert_near(F - factor[shown] * k * travel, -F, 1e-9, "N, of a stiff specimen");
        assert_near(0.1 * k * travel, 2.0 * c, 1e-9, "N, that a soft one changes");
    }
}

TEST(smoothing_makes_a_force_supervisable)
{
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

/* The bearing of cases/bridge has 1/41 of its stiffness when it slips. */
TEST(a_specimen_that_slips_shows_twice_the_significant_change)
{
    const double noise = 200.0, step = 50.0, dt = 1e-3, k = 70e6, F = 20e3;
    double t = ifd__slipping_time(-F, noise, step, 0.25, dt),
           c = ifd__certain_change(noise * sqrt(dt / (2.0 * t)), step);
    assert_near_rel(k / 50.0 * ifd__idle_travel(F, k, true), 2.0 * c, 1e-12, "N, that it changes");
    assert_true(t > ifd__supervising_time(F, noise, step, true, dt));
    assert_near(ifd__slipping_time(F, 0.0, step, 0.25, dt), 0.0, 0.0, "s, without noise");
    assert_near(ifd__slipping_time(62.5 * step, noise, step, 0.25, dt), 0.25, 0.0, "s, of what is never seen");
    assert_near(ifd__slipping_time(10e3, noise, step, 0.11, dt), 0.11, 0.0, "s, of a force that would need 0.119 s");
    assert_near_rel(ifd__slipping_time(10e3, noise, step, 0.25, dt), 5e-4 * 2.0 * 1200.0 * 1200.0 / (110.0 * 110.0),
                    1e-12, "s, of the same force");
}

TEST(the_first_travel_is_due_what_even_a_soft_specimen_shows)
{
    assert_near(ifd__due_change(-2000.0, 5.0, 10.0), 400.0, 1e-9, "N, a fifth");
    assert_near(ifd__due_change(2000.0, 50.0, 10.0), 500.0, 1e-9, "N, ten deviations");
    assert_near(ifd__due_change(2000.0, 5.0, 70.0), 700.0, 1e-9, "N, ten significant changes");
}

TESTS()
