/* SPDX-License-Identifier: MIT */
/* During hold ticks fall past stages, and the path continues with its velocity. A compensator uses it: here u = x +
 * tau dx/dt. The mass moves by x = a s^2/2 in simulated time s, which central differences and every path between two
 * stages represent exactly: with dx/dt = rate a s each command follows from that of a test without a compensator.
 * From the hold on, the calm command (test_calm.c) is sent; its input is checked. */
#include "find_scene.h"
#include "hybrid/hybrid.h"

static const double mass = 1e12, acceleration = 1.0, tau = 0.0625; /* as bench_prepare; m/s2; s */
enum { TICKS = 4, RATE = 2, RUNS = 300, HOLDS = 160, RESUMED = 100, CAUGHT = 11 };

static double towards; /* of the force */
static long turn;      /* the sample after which it reverses; 0: never */

static double pulls(long i, int k)
{
    return k == 0 ? (turn && i > turn ? -towards : towards) * mass * acceleration : 0.0;
}

static void prepare(bench *b, ifd_value *values, bool compensated)
{
    const ifd_compensator_kind *taylor = ifd_compensator_find("taylor");
    bench_prepare(b, ONE);
    ifd_param_preset(taylor->params, values);
    values[ifd_param_find(taylor->params, "delay")] = ifd_number(tau);
    values[ifd_param_find(taylor->params, "order")] = ifd_number(1.0);
    if (compensated) {
        b->channels[0].compensator = taylor;
        b->channels[0].compensator_values = values;
    }
    b->s.opt.ticks_per_stage = TICKS;
    ifd_step_options_defaults(ifd_method_find("central-difference"), TICKS * period, &b->s.opt.step);
    b->s.opt.arm_time = 0.0;
    b->s.opt.ramp_in = b->s.opt.settle = 0.0625;
    rig.follows = true;
    rig.force = pulls;
    towards = -1.0;
    turn = 0;
}

/* To the first tick of the run. */
static void begin(bench *b)
{
    stand_make(&b->s);
    while (rig.samples < 1000 && (rig.commands == 0 || rig.state[rig.commands - 1] != IFD_MACHINE_RUN))
        tick(b, IFD_ORDER_NONE);
}

/* Commands and rates of every tick from the first of the run on. */
static void run(bool compensated, double *command, double *rate)
{
    bench b;
    ifd_value values[IFD_COMPENSATOR_PARAMS];
    prepare(&b, values, compensated);
    begin(&b);
    long calm = 0;
    for (int k = 0; k < RUNS + HOLDS + RESUMED; k++) {
        tick(&b, k == RUNS ? IFD_ORDER_HOLD : k == RUNS + HOLDS ? IFD_ORDER_RESUME : IFD_ORDER_NONE);
        command[k] = compensated ? ifd__interface_of(b.s.h, 0)->requested : rig.at[rig.commands - 1][0];
        rate[k] = b.s.t.values(b.s.t.self)[RATE];
        if (rig.at[rig.commands - 1][0] != ifd__interface_of(b.s.h, 0)->requested) {
            assert_true(compensated && k >= RUNS);
            calm++;
        }
    }
    assert_true(!compensated || calm > 100);
    int columns;
    assert_string_equal(ifd_hybrid_columns(b.s.h, &columns)[RATE].name, "rate");
    play(&b.s.p, "state = run; count.GOVERNED = 0");
    bench_close(&b);
}

TEST(commands_lead_by_the_velocity_past_a_stage)
{
    static double plain[RUNS + HOLDS + RESUMED], led[RUNS + HOLDS + RESUMED], rate[RUNS + HOLDS + RESUMED];
    long between = 0;
    run(false, plain, rate);
    run(true, led, rate);
    for (int k = 0; k < RUNS + HOLDS + RESUMED; k++) {
        double velocity = sqrt(2.0 * acceleration * plain[k]);
        assert_near(led[k], plain[k] + tau * rate[k] * velocity, 1e-12, "command %d, rate %g", k, rate[k]);
        between += rate[k] > 0.0 && rate[k] < 1.0;
    }
    assert_true(between > 100);
}

/* The lead of a compensated command starts with a jump of velocity by tau a, 32 times the change of the motion in a
 * tick, and is then faster than the path. With 8 times the acceleration of the motion it is reached and then followed
 * exactly, in either direction. An observing test follows it immediately; its limit is the acceleration of the
 * motion, and is met except where the force starts and reverses. */
TEST(a_compensated_command_is_caught_up_with)
{
    for (int observes = 0; observes < 2; observes++) {
        static double sent[2][RUNS];
        for (int back = 0; back < 2; back++) {
            bench b;
            ifd_value values[IFD_COMPENSATOR_PARAMS];
            prepare(&b, values, true);
            b.channels[0].limits.acceleration = observes ? acceleration : 8.0 * acceleration;
            b.s.opt.observe = observes;
            towards = back ? 1.0 : -1.0;
            turn = observes ? 200 : 0;
            begin(&b);
            for (int k = 0; k < RUNS; k++) {
                sent[back][k] = rig.at[rig.commands - 1][0];
                if (observes || k >= CAUGHT)
                    assert_near(sent[back][k], ifd__interface_of(b.s.h, 0)->requested, 0.0, "m, command %d", k);
                assert_near(sent[back][k], back ? -sent[0][k] : sent[0][k], 0.0, "m, backwards, command %d", k);
                tick(&b, IFD_ORDER_NONE);
            }
            long governed = ifd_hybrid_count(b.s.h, IFD_TRIP_GOVERNED);
            assert_int_equal(governed,
                             observes ? 1 + TICKS + 1 : CAUGHT); /* at first; the stage of the reversal and its end */
            bench_close(&b);
        }
    }
}

TESTS()
