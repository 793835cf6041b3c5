/* SPDX-License-Identifier: MIT */
/* Arrival of channels, their order, and inputs of a governor, by the commands that a rig receives. */
#include "find_scene.h"
#include "hybrid/hybrid.h"

enum { RAMP = 32, SETTLE = 16 }; /* ticks */
static const double stiff = 4096.0, wanted_force = 64.0;
static ifd_force_control force;
static int led;   /* the channel in displacement control; the other is in force control */
static long late; /* the sample from which the target force is shown; 0: the specimen is elastic */

static double forces(long i, int k)
{
    if (k == led)
        return 0.0;
    return late ? (i < late ? wanted_force - 2.0 + 0.01 * (double)(i % 2) : wanted_force - 0.5)
                : stiff * (rig.commands ? rig.at[rig.commands - 1][k] : 0.0);
}

static void prepare(bench *b, double initial)
{
    ifd_value v[IFD_SIGNAL_PARAMS];
    const ifd_signal_kind *step = ifd_signal_find("step");
    bench_prepare(b, TWO);
    ifd_builder *m = ifd_builder_make(b->s.arena);
    ifd_model *model = NULL;
    for (int i = 0; i < 2; i++) {
        ifd_builder_dof(m, i ? "y" : "x", IFD_DOF_X);
        ifd_builder_add(m, IFD_MASS, i, i, 1e12);
    }
    ifd_builder_initial(m, led, initial, 0.0);
    assert_int_equal(ifd_model_make(b->s.arena, m, &model, NULL), IFD_OK);
    b->s.opt.model = model;
    ifd_force_control_defaults(&force);
    ifd_param_preset(step->params, v);
    v[ifd_param_find(step->params, "amplitude")] = ifd_number(wanted_force);
    assert_int_equal(ifd_signal_make(b->s.arena, step, v, NULL, &force.target, NULL), IFD_OK);
    force.stiffness = stiff;
    force.bandwidth = 0.125;
    force.rate = 1e6;
    force.tolerance = 1.0;
    force.error = 1e9;
    b->channels[!led].force = &force;
    b->s.opt.ramp_in = RAMP * period;
    b->s.opt.settle = SETTLE * period;
    b->s.opt.arm_time = 0.0;
    rig.force = forces;
    rig.follows = true;
}

static ifd_machine last_state(void)
{
    return (ifd_machine)(rig.commands ? rig.state[rig.commands - 1] : IFD_MACHINE_IDLE);
}

/* Number of ticks from the present one on with commands in `state`. */
static long lasts(bench *b, ifd_machine state)
{
    long n = 0;
    for (; n < 4000 && last_state() != state; n++)
        tick(b, IFD_ORDER_NONE);
    for (n = 0; n < 4000 && last_state() == state; n++)
        tick(b, IFD_ORDER_NONE);
    return n;
}

/* A force within its tolerance from the beginning waits for the end of the ramp; a later one is awaited. The loop
 * starts with the measured force: no command of its channel jumps, then or at the start of the run. An order refused
 * in the tick of the arrival is answered. */
TEST(a_controlled_force_arrives_with_the_ramp_and_with_the_load_cell)
{
    const double most = 1e-5; /* m per tick: 0.5 N in 32 ticks are at most 0.03 N, 7e-6 m */
    for (int row = 0; row < 4; row++) {
        bench b;
        led = row / 2;
        prepare(&b, 0.0);
        late = row % 2 ? 400 : 1;
        stand_make(&b.s);
        for (int k = 0; k < 100 && last_state() != IFD_MACHINE_RAMP_IN; k++)
            tick(&b, IFD_ORDER_NONE);
        long n = row % 2 ? late + SETTLE - rig.samples : RAMP + SETTLE - 1;
        for (long k = 1; k < n; k++)
            tick(&b, k == n - 1 ? IFD_ORDER_RESUME : IFD_ORDER_NONE);
        assert_int_equal(last_state(), IFD_MACHINE_RAMP_IN);
        assert_int_not_equal(b.s.t.trace(b.s.t.self)->answer, IFD_ANSWER_NONE);
        play(&b.s.p, "4");
        assert_int_equal(rig.state[rig.commands - 4], IFD_MACHINE_RUN);
        for (long i = rig.first + 1; i < rig.commands && row % 2 == 0; i++)
            assert_near(rig.at[i][!led], rig.at[i - 1][!led], most, "m, command %ld", i);
        bench_close(&b);
    }
}

/* While the other channel returns to its start the force is held; then it is released, for either order of
 * channels. */
TEST(gravity_goes_last)
{
    for (led = 0; led < 2; led++) {
        bench b;
        long kept = 0;
        prepare(&b, 0.5);
        late = 0;
        b.s.opt.ramp_out_end = IFD_RAMP_OUT_START;
        stand_make(&b.s);
        (void)lasts(&b, IFD_MACHINE_RAMP_IN);
        play(&b.s.p, "600; ramp-out");
        for (int k = 0; k < 3000 && last_state() == IFD_MACHINE_RAMP_OUT; k++) {
            const double *at = rig.at[rig.commands - 1];
            if (at[led] != 0.0) { /* and the loop continues */
                assert_true(at[!led] != rig.at[rig.commands - 2][!led]);
                assert_near(stiff * at[!led], wanted_force, force.tolerance, "N, tick %d of ramp-out", k);
                kept++;
            }
            tick(&b, IFD_ORDER_NONE);
        }
        assert_int_equal(last_state(), IFD_MACHINE_STOPPED);
        assert_true(kept > 40);
        assert_near(rig.at[rig.commands - 1][!led], 0.0, 0.0, "the force is released");
        bench_close(&b);
    }
}

static double base; /* m, added to the stroke */

static double outside(long i, int k)
{
    (void)i;
    return rig.first ? rig.at[rig.commands - 1][k] : k == led ? base - 4.5 : 0.0;
}

/* Return into the stroke with the shortest settling time: the start of the path is not its end. Far from zero the
 * first and last steps of a slow path are lost by rounding: it ends with its time. The later ramp-in is shorter than
 * the return, with its own duration. */
TEST(a_returning_rig_arrives_at_the_end_of_its_way)
{
    static const struct {
        double base, velocity;
        long n; /* 15/8 of 0.625 m over 0.1 of the velocity: 60 and 1920 ticks */
    } rows[] = {{0.0, 100.0, 60 + 2}, {1073741824.0, 3.125, 1920 + 1}};
    for (int i = 0; i < 4; i++) {
        bench b;
        led = i % 2;
        base = rows[i / 2].base;
        prepare(&b, base - 3.875);
        b.channels[!led].force = NULL;
        b.channels[led].limits.low += base;
        b.channels[led].limits.high += base;
        b.channels[led].limits.velocity = rows[i / 2].velocity;
        b.s.opt.settle = period;
        b.s.opt.automatic = false;
        rig.show = outside;
        bench_plays(&b, "60; return; state = return");
        assert_int_equal(lasts(&b, IFD_MACHINE_RETURN), rows[i / 2].n);
        assert_near(rig.at[rig.commands - 1][led] - base, -3.875, 1e-12, "m, inside");
        play(&b.s.p, "60; arm; run");
        assert_int_equal(lasts(&b, IFD_MACHINE_RAMP_IN), RAMP);
        assert_int_equal(last_state(), IFD_MACHINE_RUN);
        bench_close(&b);
    }
}

/* A quit in a tripped test that still moves takes effect at rest. */
TEST(a_test_is_not_over_while_a_channel_moves)
{
    for (led = 0; led < 2; led++) {
        bench b;
        long n = 0;
        prepare(&b, 0.5);
        late = 1;
        b.channels[led].limits.acceleration = 200.0;
        stand_make(&b.s);
        for (int k = 0; k < 100 && rig.at[rig.commands > 0 ? rig.commands - 1 : 0][led] < 0.2; k++)
            tick(&b, IFD_ORDER_NONE);
        tick(&b, IFD_ORDER_TRIP);
        for (; n < 400 && tick(&b, IFD_ORDER_QUIT) == IFD_RUN_GOING; n++)
            assert_true(rig.at[rig.commands - 1][led] != rig.at[rig.commands - 2][led]);
        assert_true(n > 10 && n < 400);
        assert_near(rig.at[rig.commands - 1][led], rig.at[rig.commands - 2][led], 0.0, "m, at rest");
        bench_close(&b);
    }
}

/* Without a reset within a second a tripped test ends. */
TEST(a_tripped_test_waits_a_second_for_its_reset)
{
    for (int waits = 0; waits < 2; waits++) {
        bench b;
        long n = 1;
        led = 0;
        prepare(&b, 0.0);
        late = 1;
        b.s.opt.wait_tripped = waits;
        stand_make(&b.s);
        (void)lasts(&b, IFD_MACHINE_RAMP_IN);
        assert_int_equal(tick(&b, IFD_ORDER_TRIP), IFD_RUN_GOING);
        for (; n < 600 && tick(&b, IFD_ORDER_NONE) == IFD_RUN_GOING;)
            n++;
        assert_int_equal(n, waits ? 600 : 512); /* of 1/512 s; at its end a reset is still possible */
        if (waits)
            assert_int_equal(tick(&b, IFD_ORDER_QUIT), IFD_RUN_FAULT);
        bench_close(&b);
    }
}

TESTS()
