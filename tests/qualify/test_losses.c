/* SPDX-License-Identifier: MIT */
/* Stiffness outside of a clearance, from cycles in closed form: a mass m on a spring k with a clearance of 0.5 mm
 * about the position x0, and a load cell with a bias. Inertia is that of a sine: k - m w^2 without its correction. */
#include "check.h"

#include "qualify/slow_cycle.h"

enum { SLOW = 2000, FAST = 500, TICKS = 100 + 2 * SLOW + 2 * FAST + 2 }; /* ticks of a period */
static const double h = 1e-3, k = 6e5, m = 800.0, gap = 0.5e-3, x0 = 0.03, bias = 250.0, size = 2.4e-3;

static double motion(long i, const ifd_motions *at)
{
    const double two_pi = 6.28318530717958647693;
    if (i < at->cycle || i >= at->step)
        return x0;
    long from = i < at->fast ? at->cycle : at->fast, T = i < at->fast ? SLOW : FAST;
    return x0 + size * sin(two_pi * (double)(i - from) / (double)T);
}

static void the_slope_outside_of_a_clearance_is_the_stiffness(void **state)
{
    (void)state;
    static double u[TICKS + 1], x[TICKS], f[TICKS];
    const ifd_motions at = {
        .small = 50, .cycle = 100, .fast = 100 + 2 * SLOW, .step = 100 + 2 * SLOW + 2 * FAST, .amplitude = size};
    for (long i = 0; i < TICKS; i++) {
        double y = motion(i, &at) - x0,
               a = (motion(i + 1, &at) - 2.0 * motion(i, &at) + motion(i - 1, &at)) / (h * h);
        u[i] = motion(i + 1, &at); /* the position of the next tick */
        x[i] = motion(i, &at);
        f[i] = k * (y > 0.5 * gap ? y - 0.5 * gap : y < -0.5 * gap ? y + 0.5 * gap : 0.0) + m * a + bias;
    }
    const ifd_motion_record r = {.ticks = TICKS, .period = h, .command = u, .position = x, .force = f};
    ifd_characterisation out = {.stiffness = 5e5, .mass = m};
    ifd__find_losses(&at, &r, &out);
    assert_true(out.loose);
    assert_near_rel(out.stiffness, k, 1e-9, "N/m");
    assert_near(out.force_offset, bias - k * x0, 1e-3, "N at zero position");
    assert_true(out.stiffness_error < 1e-3 * k);
    double inertia = m * 9.8696044010893586; /* w = pi/s: 7896 N/m */
    assert_near(out.clearance, gap * k / (k - inertia), 1e-9, "m");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_slope_outside_of_a_clearance_is_the_stiffness)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
