/* SPDX-License-Identifier: MIT */
/* A model as a specimen of the virtual rig before the run, at simulated time 0: it follows its supports. */
#include "check.h"

#include <math.h>
#include <string.h>

#include "hybrid/laboratory.h"

/* The columns of cases/effective-force, loaded from rest: 0.6 MN/m x + 2.4 MN/m z, z' = 1 - 70/m z. */
static double columns(double x)
{
    return 0.6e6 * x + 2.4e6 * (1.0 - exp(-70.0 * x)) / 70.0;
}

/* Their equilibrium with the connection of 2.5 MN/m to a storey that is displaced by u. */
static double equilibrium(double u)
{
    double low = 0.0, high = u;
    for (int i = 0; i < 60; i++) {
        double x = 0.5 * (low + high);
        *(columns(x) > 2.5e6 * (u - x) ? &high : &low) = x;
    }
    return low;
}

/* Ramp-in applies the static force. A trip stops the actuator; after a reset nothing is commanded. In all of this the
 * specimen is in equilibrium: within 1 % of the force after the swing of the ramp-in, and at rest afterwards. */
TEST(a_model_is_loaded_in_ramp_in_and_rests_in_idle)
{
    const char *set[] = {"initial={displacement: {s2: 12 mm, s3: 12 mm}}", "test.ramp-in=4 s", NULL};
    lab *l = lab_make("effective-force/rig", set, NULL);
    l->o.wait_tripped = true;
    play(&l->script, "until run");
    double x = equilibrium(0.012), f = columns(x);
    assert_near(lab_value(l, "storey specimen position"), x, 0.01 * x, "position");
    assert_near(lab_value(l, "storey force"), f, 0.01 * f, "force");
    play(&l->script, "trip; 900");
    double rest = lab_value(l, "storey specimen position");
    play(&l->script, "reset; is idle");
    for (int i = 0; i < 500; i++) {
        lab_tick(l, IFD_ORDER_NONE);
        assert_near(lab_value(l, "storey specimen position"), rest, 1e-4, "idle");
    }
    lab_close(l);
}

/* A tolerance below the noise keeps the test in ramp-in. The specimen swings by noise only; without compensation of
 * the delay in ramp-in the swing grew by 1.2 in 0.1 s, to 11 mm. */
TEST(a_specimen_does_not_swing_in_ramp_in)
{
    const char *set[] = {"specimen.0.force-command.tolerance=1 N", NULL};
    lab *l = lab_make("effective-force/rig", set, NULL);
    for (int i = 0; i < 15000; i++) {
        lab_tick(l, IFD_ORDER_NONE);
        assert_near(lab_value(l, "storey specimen position"), 0.0, 5e-5, "tick %d", i);
    }
    assert_int_equal(ifd_hybrid_state(l->h), IFD_MACHINE_RAMP_IN);
    lab_close(l);
}

/* On hold the specimen swings on its connection after simulated time rests. `stop` is taken when it has come to rest:
 * the actuator then remains at its position, and the spring of 5 MN/m changes the force by less than its tolerance of
 * 800 N. */
TEST(a_stop_waits_for_a_specimen_that_swings)
{
    const char *set[] = {"test.allow-resume=yes", NULL};
    lab *l = lab_make("effective-force/rig", set, NULL);
    double low = 1.0, high = -1.0;
    while (!(lab_value(l, "simulated time") > 1.5))
        lab_tick(l, IFD_ORDER_NONE);
    lab_tick(l, IFD_ORDER_HOLD);
    int ticks = 0;
    for (; ifd_hybrid_state(l->h) == IFD_MACHINE_HOLD && ticks < 20000; ticks++) {
        double x = lab_value(l, "storey specimen position");
        low = ticks % 300 ? fmin(low, x) : x;
        high = ticks % 300 ? fmax(high, x) : x;
        lab_tick(l, IFD_ORDER_PARK);
    }
    assert_int_equal(ifd_hybrid_state(l->h), IFD_MACHINE_STOPPED);
    assert_in_range(ticks, 1000, 15000);
    assert_true(high - low < 2.0 * 800.0 / 5e6);
    lab_close(l);
}

TESTS()
