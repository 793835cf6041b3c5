/* SPDX-License-Identifier: MIT */
/* Ramps by themselves: their time, where they begin, whom an arrival waits for, and how long a motion lasts that a
 * test may quit. */
#include "check.h"

#include "hybrid/bare.h"
#include "hybrid/drives/drives.h"
#include "hybrid/ramp_out/ramp_out.h"
#include "model/signal/wave.h"

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

/* 10 s^3 - 15 s^4 + 6 s^5 of the distance in every tick, also where a tick is a fraction of one: the step of the path
 * is given to the governor, whose limit of acceleration, eleven times that of the path, then changes nothing. */
TEST(a_ramp_in_stays_on_its_path)
{
    for (int part = 1; part < 5; part++)
        for (int sign = -1; sign < 2; sign += 2) {
            const double dt = 1.0 / 256.0;
            bare_make(1, dt);
            bare_state(IFD_MACHINE_RAMP_IN);
            bare_interface[0].bounds = (ifd__bounds){-4.0, 4.0, 8.0, 64.0, dt};
            bare.opt.ramp_in = 1.0;
            bare.opt.settle = 1.0;
            bare.ramps = part * 0.25 * dt;
            bare.each[0]->to_u = sign;
            for (int n = 1; n <= 1100; n++) {
                double s = fmin(n * bare.ramps, 1.0);
                (void)ifd__ramps_shape(&bare, IFD_MACHINE_RAMP_IN);
                assert_near(bare.each[0]->command, sign * s * s * s * (10.0 + s * (6.0 * s - 15.0)), 1e-13,
                            "part %d, tick %d", part, n);
            }
        }
}

/* A prescribed force is released when the actuators that move positions have arrived. Those of a block of forces can
 * be late at all times by noise and are not awaited. */
TEST(a_prescribed_force_is_released_when_the_positions_have_arrived)
{
    static const int dof[] = {0, 1};
    static const ifd_driven block[] = {{.drive = {.actuators = 1, .dofs = 1}, .interface = &dof[0]},
                                       {.drive = {.actuators = 1, .dofs = 1}, .interface = &dof[1]},
                                       {.drive = {.actuators = 1, .dofs = 2}, .interface = dof}};
    static const ifd_signal zero = {0};
    static const ifd_force_control force = {
        .target = &zero, .stiffness = 1.0, .bandwidth = 1.0, .rate = 1.0, .tolerance = 1.0};
    static const struct {
        int block; /* -1: none */
        bool away, released;
    } rows[] = {{-1, false, true}, {0, false, true}, {0, true, false}, {1, true, true}, {2, true, false}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        bare_make(2, 0.25);
        if (rows[i].block >= 0)
            bare_drives(1, &block[rows[i].block], 1.0);
        bare_drive[0].bounds[0] = (ifd__bounds){.low = -1.0, .high = 1.0, .acceleration = 1.0};
        bare_state(IFD_MACHINE_RAMP_OUT);
        bare.opt.ramp_out_end = IFD_RAMP_OUT_STAY;
        bare.opt.ramp_in = 1.0;
        bare.forces = 1;
        bare_option[1].force = &force;
        for (int k = 0; k < 2; k++) {
            bare_interface[k].bounds = (ifd__bounds){-1.0, 1.0, 1.0, 1.0, 0.25};
            ifd__ramp_out_begin(&bare, k);
        }
        if (rows[i].away)
            ifd__actuator_of(&bare, &bare_drive[0], 0)->command = 0.5;
        for (int n = 0; n < 8; n++) /* the brake of the position takes four */
            (void)ifd__ramps_shape(&bare, IFD_MACHINE_RAMP_OUT);
        assert_int_equal(ifd__ramp_out_released(&bare), rows[i].released);
    }
}

static double half(const ifd_hybrid *h)
{
    (void)h;
    return 0.5;
}

/* At rest for `settle`, and where answers are late, until the end itself is answered. */
TEST(an_arrival_waits_for_the_answer_of_its_end)
{
    for (int late = 0; late < 2; late++) {
        ifd__pace own = ifd__pace_scaled;
        own.age = late ? half : NULL;
        bare_make(0, 0.25);
        bare.pace = &own;
        bare.opt.settle = 1.0;
        for (int n = 1; n < 10; n++)
            assert_int_equal(ifd__ramps_shape(&bare, IFD_MACHINE_RETURN), n >= (late ? 6 : 4));
    }
}

/* The mean force at rest is a matter of tests with a preload: the state of another test does not have it. */
TEST(forces_at_rest_are_summed_for_a_preload_only)
{
    for (int preloaded = 0; preloaded < 2; preloaded++) {
        bare_make(1, 0.25);
        bare.preload = preloaded ? (struct ifd__preload *)&bare : NULL;
        bare.each[0]->measured_f = 2.0;
        bare.test->settled = 1.0;
        (void)ifd__ramps_shape(&bare, IFD_MACHINE_HOLD);
        assert_near(bare.test->preload_ticks, preloaded ? 1.0 : 0.0, 0.0, "ticks");
        assert_near(bare.each[0]->force_sum, preloaded ? 2.0 : 0.0, 0.0, "sum");
    }
}

TESTS()
