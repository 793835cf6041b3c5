/* SPDX-License-Identifier: MIT */
/* The bound of the travel beyond a limit after its trip, against values of an independent program, whose simulated
 * peaks (12.698, 34.699, 1.880 mm) are below it. */
#include "check.h"

#include "qualify/preflight.h"

TEST(the_bound_has_the_published_values)
{
    static const struct {
        double v, A, frequency, damping, delay, bound, simulated;
    } rows[] = {{0.453, 40, 15, 0.7, 6e-3, 13.400e-3, 12.698e-3},
                {1.0, 40, 15, 0.7, 6e-3, 36.419e-3, 34.699e-3},
                {0.1, 50, 12, 0.3, 2e-3, 2.031e-3, 1.880e-3}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        double w = 2 * M_PI * rows[i].frequency;
        const ifd__stopping s = {.lag = 2 * rows[i].damping / w + rows[i].delay,
                                 .w = w,
                                 .damping = rows[i].damping,
                                 .acceleration = rows[i].A,
                                 .period = 1e-3,
                                 .ticks = 1};
        double d = ifd__stopping_travel(&s, rows[i].v);
        assert_near(d, rows[i].bound, 5e-7, "row %d", (int)i);
        assert_true(d > rows[i].simulated);
    }
}

/* No overshoot at or above critical damping, nor of an actuator of another kind. */
TEST(a_damped_actuator_does_not_overshoot)
{
    ifd__stopping s = {.lag = 0.01, .w = 50, .damping = 1.0, .acceleration = 10, .period = 1e-3, .ticks = 2};
    const double expected = 0.5 * (0.01 + 3e-3) + 0.25 / 20;
    assert_near(ifd__stopping_travel(&s, 0.5), expected, 1e-15, "critical");
    s.damping = 0.9;
    assert_true(ifd__stopping_travel(&s, 0.5) > expected);
    s.w = 0;
    assert_near(ifd__stopping_travel(&s, 0.5), expected, 1e-15, "another kind");
}

TESTS()
