/* SPDX-License-Identifier: MIT */
/* Rules of the guard, called by themselves. The channel that a fault names: of those that have it in the same tick,
 * the one farthest beyond its limit. The level of a warning, inputs of a rig that has not answered, late
 * substructures. */
#include "check.h"

#include "hybrid/bare.h"
#include "rig/limits.h"
#include "hybrid/units.h"

static void note(ifd_trip trip, int channel, double value, double limit)
{
    (void)ifd__fault_note(&bare.faults, trip, channel, value, limit, IFD_ACTION_NOTE);
}

static void assert_named(ifd_trip trip, int channel, double value)
{
    const ifd__test_state *t = ifd__test_of(&bare);
    assert_int_equal((int)t->fault, trip);
    assert_int_equal((int)t->fault_owner, channel);
    assert_near(t->fault_value, value, 0.0, "value");
}

TEST(the_worst_channel_is_named)
{
    bare_make(0, 1.0);
    ifd__test_of(&bare)->state = IFD_MACHINE_RUN;
    ifd__test_of(&bare)->tick = 7.0;
    note(IFD_TRIP_FORCE, 0, 110.0, 100.0);
    assert_named(IFD_TRIP_FORCE, 0, 110.0);
    note(IFD_TRIP_FORCE, 1, -3000.0, 1000.0);
    assert_named(IFD_TRIP_FORCE, 1, -3000.0);
    note(IFD_TRIP_FORCE, 2, 200.0, 100.0); /* less */
    note(IFD_TRIP_FORCE, 3, 300.0, 100.0); /* as much */
    note(IFD_TRIP_POSITION, 4, 9.0, 1.0);  /* another fault of the same action: the first one counts */
    assert_named(IFD_TRIP_FORCE, 1, -3000.0);
    ifd__test_of(&bare)->tick = 8.0;
    note(IFD_TRIP_FORCE, 0, 900.0, 100.0); /* later */
    assert_named(IFD_TRIP_FORCE, 1, -3000.0);
}

/* An actuator with a warning at 100 N and a limit of 200 N. */
TEST(a_warning_is_beyond_its_level_on_both_sides)
{
    static const double rows[][3] = {{100.0, 0, 0}, {100.5, 1, 0}, {-100.0, 0, 0}, {-100.5, 1, 0}, {-201.0, 0, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        (void)bare_begin();
        bare_state(IFD_MACHINE_RUN);
        ifd_limits l;
        ifd_limits_defaults(&l);
        l.force = 200.0;
        l.warn[IFD__SEEN_FORCE] = 100.0;
        double lag = 0.0, off = 0.0, force = 0.0;
        (void)ifd__guard_watched(&bare,
                                 &(ifd__watched){.who = 1,
                                                 .limits = &l,
                                                 .known = true,
                                                 .fm = rows[i][0],
                                                 .slow_lag = &lag,
                                                 .peak_tracking = &off,
                                                 .peak_force = &force},
                                 IFD_ACTION_NOTE);
        assert_near(ifd__test_of(&bare)->faults[IFD_TRIP_NEAR], rows[i][1], 0.0, "warnings");
        assert_near(ifd__test_of(&bare)->faults[IFD_TRIP_FORCE], rows[i][2], 0.0, "faults");
        assert_near(force, fabs(rows[i][0]), 0.0, "largest force");
    }
}

/* Beyond the interfaces come the actuators. The command of an interface must be a number, in state run. */
TEST(rules_of_an_interface_do_not_judge_an_actuator)
{
    for (int interfaces = 1; interfaces <= 2; interfaces++) {
        bare_make(2, 1.0);
        bare_state(IFD_MACHINE_RUN);
        bare_interface[1].rules = 1;
        ifd__interface_of(&bare, 1)->requested = NAN;
        bare.interfaces = interfaces;
        ifd_limits l;
        ifd_limits_defaults(&l);
        double lag = 0.0, off = 0.0, force = 0.0;
        (void)ifd__guard_watched(
            &bare,
            &(ifd__watched){
                .who = 1, .limits = &l, .known = true, .slow_lag = &lag, .peak_tracking = &off, .peak_force = &force},
            IFD_ACTION_NOTE);
        assert_near(ifd__test_of(&bare)->faults[IFD_TRIP_SOLVER], interfaces - 1, 0.0, "faults of the command");
    }
}

/* Inputs of a rig are known with its first measurement. */
TEST(a_rig_that_has_not_answered_has_no_inputs)
{
    for (int heard = 0; heard < 2; heard++) {
        (void)bare_begin();
        bare_state(IFD_MACHINE_IDLE);
        bare.interfaces = 0;
        static const ifd_tick_in in = {.order = IFD_ORDER_NONE};
        bare.io.in = &in;
        ifd__test_of(&bare)->rig.heard = heard;
        (void)ifd__part_limits.judge(&bare);
        assert_near(ifd__test_of(&bare)->faults[IFD_TRIP_STOP_PRESSED], heard, 0.0, "emergency stop");
        assert_near(ifd__test_of(&bare)->faults[IFD_TRIP_HYDRAULICS], heard, 0.0, "hydraulics");
        assert_near(ifd__test_of(&bare)->faults[IFD_TRIP_STALE], 1.0, 0.0, "no measurement");
    }
}

static bool ready(const ifd__substructure *s, int exchange, double patience)
{
    (void)s, (void)exchange, (void)patience;
    return false;
}

/* The stage waits in any case; after two ticks the test holds. */
TEST(a_late_substructure_is_not_solved)
{
    static const ifd__substructure_ops ops = {.ready = ready};
    (void)bare_begin();
    bare.numerical.ops = &ops;
    bare.opt.overrun = IFD_OVERRUN_EXTRAPOLATE;
    bare.opt.late_limit = 2;
    for (int i = 1; i <= 3; i++) {
        ifd_action worst = IFD_ACTION_NOTE;
        bare_state(IFD_MACHINE_RUN);
        assert_false(ifd__guard_job(&bare, &(ifd_tick_in){.order = IFD_ORDER_NONE}, &worst));
        assert_int_equal(worst, i < 3 ? IFD_ACTION_NOTE : IFD_ACTION_HOLD);
        assert_near(ifd__test_of(&bare)->faults[IFD_TRIP_LATE_JOB], i, 0.0, "late");
    }
}

TESTS()
