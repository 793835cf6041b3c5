/* SPDX-License-Identifier: MIT */
/* Indicators of actuators in a running test, and limits on the measured motion. */
#include "hybrid/hybrid_stand.h"

static stand s;

/* A stiff structure in free vibration at 3 Hz, with little effect of its specimen; the delay of the actuator is 12
 * ms. */
static player *open(const char *set)
{
    stand_prepare(&s, 355305.758, 100.0);
    const ifd_actuator_kind *delay = ifd_actuator_find("delay");
    ifd_param_preset(delay->params, s.actuator);
    s.actuator[ifd_param_find(delay->params, "delay")] = ifd_number(0.012);
    s.bench.actuator = delay;
    s.bench.actuator_values = s.actuator;
    s.opt.end = 3.0;
    s.opt.automatic = true;
    stand_set(&s, set);
    stand_make(&s);
    return &s.p;
}

static void end(void)
{
    stand_close(&s);
}

TEST(a_delay_is_seen_while_the_test_runs)
{
    play(open(NULL), "until time >= 2.5");
    ifd_tracking t = ifd_hybrid_tracking(s.h, 0);
    const double w = 18.8496;
    assert_near(t.delay, 0.012, 1e-4, "delay");
    assert_near(t.amplitude, 1.0, 2e-3, "amplitude");
    assert_near(t.rms, 2.0 * sin(0.5 * w * 0.012), 5e-3, "error of a sine that is late");
    play(&s.p, "[spring delay] = %.17g +- 1e-3; [spring amplitude] = %.17g +- 1e-2", t.delay, t.amplitude);
    play(&s.p, "[spring tracking rms] = %.17g +- 1e-2; [spring tracking energy] = %.17g +- 1e-6", t.rms, t.energy);
    end();
}

static const scenario motions[] = {
    /* The motion is 10 mm at 3 Hz: 0.188 m/s and 3.55 m/s2. */
    {"a measured velocity beyond its limit trips", "measured_velocity := 0.15",
     "until fault = VELOCITY; is tripped; time < 2; fault.channel = 0; fault.limit = 0.15; fault.value < -0.15\n"
     "fault.value > -0.18"},
    {"a measured acceleration beyond its limit trips", "measured_acceleration := 3",
     "until fault = ACCELERATION; is tripped; time < 2; fault.channel = 0; fault.limit = 3; fault.value < -3\n"
     "fault.value > -3.6"},
    {"a measured motion within its limits goes on", "measured_velocity := 0.25; measured_acceleration := 5",
     "until time >= 2; fault NONE; is run"},
    {"observed limits on motion are counted only", "observe := 1; measured_velocity := 0.1",
     "until time >= 1; is run; count.VELOCITY > 100"},
};
SCENARIOS(motions, open, end)

/* The path needs 0.19 m/s; half of it is permitted, which would limit a real rig. */
TEST(observed_limits_on_commands_hold_nothing_back)
{
    for (int observe = 0; observe < 2; observe++) {
        double fastest = 0.0, last = 0.0;
        (void)open(observe ? "observe := 1; velocity := 0.1" : "velocity := 0.1");
        for (int k = 0; k < 100000 && ifd_hybrid_time(s.h) < 1.0 && ifd_hybrid_state(s.h) <= IFD_MACHINE_RUN; k++) {
            player_tick(&s.p, IFD_ORDER_NONE);
            double p = test_column(s.h, "spring command");
            if (ifd_hybrid_time(s.h) > 0.0)
                fastest = fmax(fastest, fabs(p - last) / ifd_hybrid_period(s.h));
            last = p;
        }
        play(&s.p, "count.GOVERNED > 50");
        if (observe)
            assert_near(fastest, 0.1885, 0.002, "speed of the command, observed");
        else
            assert_near(fastest, 0.1, 1e-9, "speed of the command, governed");
        end();
    }
}

TESTS()
