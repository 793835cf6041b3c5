/* SPDX-License-Identifier: MIT */
/* Ramps by themselves: their time, where they begin, whom an arrival waits for, and how long a motion lasts that a
 * test may quit. */
#include "check.h"

#include "hybrid/bare.h"
#include "hybrid/drives/drives.h"

static int paces;

static void pace(ifd_hybrid *h)
{
    (void)h;
    paces++;
}

/* Ramp-in, ramp-out and return have a time of their own; other states that of the ticks. */
TEST(ramps_have_a_time_of_their_own)
{
    for (int has = 0; has < 2; has++)
        for (int s = 0; s < IFD_MACHINE_COUNT; s++) {
            bool ramps = s == IFD_MACHINE_RAMP_IN || s == IFD_MACHINE_RAMP_OUT || s == IFD_MACHINE_RETURN;
            ifd__pace own = ifd__pace_scaled;
            bare_make(0, 0.25);
            bare_state((ifd_machine)s);
            bare.ramps = 0.5;
            own.ramp = has ? pace : NULL;
            bare.pace = &own;
            paces = 0;
            (void)ifd__ramps_shape(&bare, (ifd_machine)s);
            assert_near(bare.test->state_time, ramps ? 0.5 : 0.25, 0.0, "time in state %d", s);
            assert_int_equal(paces, has && ramps);
        }
}

TEST(a_ramp_begins_at_its_start_or_after_a_preload_where_it_is)
{
    bare_make(2, 1.0);
    bare.each[1]->start = 3.0;
    bare.each[1]->from_u = 5.0;
    assert_near(ifd__ramps_from(&bare, 1), 3.0, 0.0, "start");
    bare.test->preload = 1.0;
    assert_near(ifd__ramps_from(&bare, 1), 5.0, 0.0, "preload");
}

/* At rest, or after twice the time from the largest velocity with the largest acceleration, and after 3 s. */
TEST(a_motion_may_be_quit_after_its_longest_brake)
{
    static const double rows[][3] = {{1.0, 1.0, 3.0}, {4.0, 1.0, 8.0}, {1.0, 4.0, 8.0}, {1.5, 1.0, 3.0}}; /* V/A */
    for (size_t i = 0; i < COUNT(rows); i++) {
        bare_make(2, 0.25);
        for (int k = 0; k < 2; k++)
            bare_interface[k].bounds = (ifd__bounds){-1.0, 1.0, 2.0 * rows[i][k], 2.0, 0.25};
        assert_true(ifd__hybrid_may_quit(&bare));
        bare.each[0]->step = 1e-3;
        bare.test->state_time = rows[i][2];
        assert_false(ifd__hybrid_may_quit(&bare));
        bare.test->state_time = nextafter(rows[i][2], 9.0);
        assert_true(ifd__hybrid_may_quit(&bare));
    }
}

/* A block whose dofs are all forces is followed, but has not arrived before its actuators. */
TEST(an_arrival_waits_for_the_actuators_of_a_block)
{
    static const int dof[] = {0, 1};
    static const ifd_driven o = {.drive = {.actuators = 2, .dofs = 2}, .interface = dof};
    static const ifd_force_control force = {0};
    for (int away = 0; away < 3; away++) {
        bare_make(2, 0.25);
        bare_drives(1, &o, 1.0);
        bare_state(IFD_MACHINE_HOLD);
        for (int j = 0; j < 2; j++) {
            bare_option[j].force = &force;
            bare_drive[0].bounds[j] = (ifd__bounds){.low = -1.0, .high = 1.0};
            ifd__actuator_of(&bare, &bare_drive[0], j)->command = away == j + 1 ? 0.5 : 0.0;
        }
        bare.test->settled = 1.0;
        (void)ifd__ramps_shape(&bare, IFD_MACHINE_HOLD);
        assert_near(bare.test->settled, away ? 0.0 : 1.25, 0.0, "actuator %d away", away);
    }
}

TESTS()
