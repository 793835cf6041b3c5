/* SPDX-License-Identifier: MIT */
/* ctest: not with sanitizers, unless every test is asked for */
#include <interfield/hybrid.h>
#include <interfield/virtual.h>

#include <string.h>

#include "check.h"
#include "hybrid/watch.h"

/* One mass on a spring, a second spring tested: m u'' + c u' + k u + f = 0 from u = 10 mm. */
static const double mass = 1000.0, stiffness = 4e5, damping = 800.0, tested = 2e5;

typedef struct stand {
    ifd_arena *arena;
    ifd_model *model, *whole;
    ifd_hybrid *h;
    ifd_ticked t;
    ifd_value spring[8], actuator[IFD_RIG_PARAMS], compensator[IFD_COMPENSATOR_PARAMS];
    ifd_virtual_channel bench;
    ifd_laboratory laboratory;
    ifd_interface_options channel;
    ifd_estimate estimate;
    ifd_hybrid_options opt;
} stand;

static ifd_model *oscillator(ifd_arena *arena, double k, double u0)
{
    ifd_builder *b = ifd_builder_make(arena);
    ifd_builder_dof(b, "x", IFD_DOF_X);
    ifd_builder_add(b, IFD_MASS, 0, 0, mass);
    ifd_builder_spring(b, IFD_STIFFNESS, IFD_GROUND, 0, k);
    ifd_builder_spring(b, IFD_DAMPING, IFD_GROUND, 0, damping);
    ifd_builder_initial(b, 0, u0, 0.0);
    ifd_model *m = NULL;
    assert_int_equal(ifd_model_make(arena, b, &m, NULL), IFD_OK);
    return m;
}

/* All set-up except make, so that a test can change options. */
static void stand_prepare(stand *s, const char *method)
{
    memset(s, 0, sizeof *s);
    s->arena = ifd_arena_open();
    s->model = oscillator(s->arena, stiffness, 0.010);
    s->whole = oscillator(s->arena, stiffness + tested, 0.010);
    const ifd_element_ops *spring = ifd_element_find("spring");
    ifd_param_preset(spring->params, s->spring);
    s->spring[ifd_param_find(spring->params, "stiffness")] = ifd_number(tested);
    s->bench = (ifd_virtual_channel){.specimen = spring, .specimen_values = s->spring};
    s->laboratory = (ifd_laboratory){.channels = 1, .channel = &s->bench};
    ifd_interface_defaults(&s->channel);
    s->channel.name = "spring";
    s->channel.from = IFD_GROUND;
    s->channel.to = 0;
    s->channel.limits.low = -0.05;
    s->channel.limits.high = 0.05;
    s->channel.limits.velocity = 1.0;
    s->channel.limits.acceleration = 100.0;
    ifd_hybrid_defaults(&s->opt);
    s->opt.model = s->model;
    s->opt.end = 2.0;
    s->opt.interfaces = 1;
    s->opt.interface = &s->channel;
    s->opt.rig = &ifd_virtual_rig;
    s->opt.rig_setup = &s->laboratory;
    s->opt.automatic = true;
    ifd_step_options_defaults(ifd_method_find(method), 0.004, &s->opt.step);
    s->estimate = (ifd_estimate){.from = IFD_GROUND, .to = 0, .stiffness = tested};
    s->opt.step.estimates = 1;
    s->opt.step.estimate = &s->estimate;
}

static void stand_make(stand *s)
{
    ifd_note note;
    ifd_note_init(&note, s->arena);
    assert_int_equal(ifd_hybrid_make(s->arena, &s->opt, &s->h, &note), IFD_OK);
    s->t = ifd_hybrid_ticked(s->h);
}

static ifd_run_state tick(stand *s, ifd_order order)
{
    return s->t.tick(s->t.self, &(ifd_tick_in){.order = order});
}

static ifd_run_state run_out(stand *s)
{
    ifd_run_state r = IFD_RUN_GOING;
    for (long k = 0; r == IFD_RUN_GOING && k < 1000000; k++)
        r = tick(s, IFD_ORDER_NONE);
    return r;
}

static void run_until(stand *s, ifd_machine state)
{
    for (long k = 0; ifd_hybrid_state(s->h) != state && k < 100000; k++)
        tick(s, IFD_ORDER_NONE);
    assert_int_equal(ifd_hybrid_state(s->h), state);
}

static double displacement(const stand *s)
{
    int count;
    const double *x = ifd_hybrid_save_area(s->h, &count);
    return x[0];
}

/* u and v of the complete structure after the same number of steps. */
static void monolithic(const stand *s, double out[2])
{
    ifd_step_options step = s->opt.step;
    step.estimates = 0;
    ifd_stepper *m;
    assert_int_equal(ifd_stepper_make(s->arena, &step, s->whole, &m, NULL), IFD_OK);
    double *x = ifd_arena_array(s->arena, (size_t)ifd_stepper_size(m), sizeof *x);
    ifd_stepper_initial(m, x);
    ifd_stepper_start(m, 0.0, NULL, x);
    for (int k = 0; k < 500; k++)
        for (int i = 0; i < ifd_stepper_stages(m); i++)
            ifd_stepper_stage(m, i, step.h * k, NULL, x);
    out[0] = x[0];
    out[1] = x[1];
}

TEST(an_ideal_rig_gives_the_monolithic_response)
{
    const char *methods[] = {"lsrt1", "lsrt2", "mg-alpha", "chang", "central-difference"};
    for (size_t i = 0; i < COUNT(methods); i++)
        for (int ticks = 1; ticks <= 5; ticks += 4) {
            stand s;
            stand_prepare(&s, methods[i]);
            s.opt.ticks_per_stage = ticks;
            stand_make(&s);
            assert_int_equal(run_out(&s), IFD_RUN_DONE);
            double y[2];
            monolithic(&s, y);
            int count;
            const double *x = ifd_hybrid_save_area(s.h, &count);
            assert_near(x[0], y[0], 1e-14, "%s, %d ticks per stage: displacement", methods[i], ticks);
            assert_near(x[1], y[1], 1e-12, "%s, %d ticks per stage: velocity", methods[i], ticks);
            assert_int_equal(ifd_hybrid_count(s.h, IFD_TRIP_GOVERNED), 0);
            ifd_arena_close(s.arena);
        }
}

TEST(states_follow_each_other_in_order)
{
    stand s;
    stand_prepare(&s, "lsrt2");
    stand_make(&s);
    const ifd_machine expected[] = {IFD_MACHINE_READY, IFD_MACHINE_RAMP_IN, IFD_MACHINE_RUN, IFD_MACHINE_RAMP_OUT,
                                    IFD_MACHINE_STOPPED};
    size_t seen = 0;
    ifd_machine last = ifd_hybrid_state(s.h);
    for (long k = 0; last != IFD_MACHINE_STOPPED && k < 1000000; k++) {
        tick(&s, IFD_ORDER_NONE);
        if (ifd_hybrid_state(s.h) != last) {
            assert_true(seen < COUNT(expected));
            last = ifd_hybrid_state(s.h);
            assert_int_equal(last, expected[seen++]);
        }
    }
    assert_int_equal(seen, COUNT(expected));
    ifd_arena_close(s.arena);
}

TEST(nothing_moves_without_an_order)
{
    stand s;
    stand_prepare(&s, "lsrt2");
    s.opt.automatic = false;
    stand_make(&s);
    for (int k = 0; k < 1000; k++)
        tick(&s, IFD_ORDER_NONE);
    assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_IDLE);
    double peaks[3];
    ifd_hybrid_peaks(s.h, 0, peaks);
    assert_true(peaks[2] == 0.0);
    ifd_arena_close(s.arena);
}

/* Hold stops simulated time, resume continues; the response is that of the test without it (ideal rig, no rate
 * effects). */
TEST(hold_and_resume_change_nothing_but_the_wall_clock)
{
    double u[2];
    for (int with = 0; with < 2; with++) {
        stand s;
        stand_prepare(&s, "lsrt2");
        s.opt.ticks_per_stage = 4;
        stand_make(&s);
        run_until(&s, IFD_MACHINE_RUN);
        for (int k = 0; k < 700; k++)
            tick(&s, IFD_ORDER_NONE);
        if (with) {
            tick(&s, IFD_ORDER_HOLD);
            for (int k = 0; k < 3000; k++)
                tick(&s, IFD_ORDER_NONE);
            assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_HOLD);
            double before = ifd_hybrid_time(s.h);
            for (int k = 0; k < 500; k++)
                tick(&s, IFD_ORDER_NONE);
            assert_true(ifd_hybrid_time(s.h) == before);
            tick(&s, IFD_ORDER_RESUME);
        }
        assert_int_equal(run_out(&s), IFD_RUN_DONE);
        u[with] = displacement(&s);
        ifd_arena_close(s.arena);
    }
    assert_near(u[1], u[0], 1e-14, "displacement at the end");
}

TEST(a_rate_dependent_specimen_is_not_resumed_at_full_speed)
{
    stand s;
    stand_prepare(&s, "lsrt2");
    s.opt.rate_dependent = true;
    stand_make(&s);
    run_until(&s, IFD_MACHINE_RUN);
    tick(&s, IFD_ORDER_HOLD);
    for (int k = 0; k < 100; k++)
        tick(&s, IFD_ORDER_RESUME);
    assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_HOLD);
    ifd_arena_close(s.arena);
}

TEST(a_trip_is_latched_named_and_ends_at_rest)
{
    stand s;
    stand_prepare(&s, "lsrt2");
    s.channel.limits.force = 0.5 * tested * 0.010;
    stand_make(&s);
    assert_int_equal(run_out(&s), IFD_RUN_FAULT);
    ifd_trip_facts f = ifd_hybrid_trip(s.h);
    assert_int_equal(f.trip, IFD_TRIP_FORCE);
    assert_int_equal(f.channel, 0);
    assert_true(fabs(f.value) > f.limit);
    assert_near(f.limit, s.channel.limits.force, 0.0, "limit");
    assert_true(f.tick > 0);
    tick(&s, IFD_ORDER_RUN);
    assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_TRIPPED);
    tick(&s, IFD_ORDER_RESET);
    assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_IDLE);
    ifd_arena_close(s.arena);
}

/* Measurements of the rig, with changes. */
static struct {
    bool silent, poison;
} spoilt;
static ifd_rig_ops spy_ops;

static bool spy_sense(ifd_rig *rig, ifd_measure *out, double *x)
{
    bool fresh = ifd_virtual_rig.sense(rig, out, x);
    if (spoilt.poison)
        out->force[0] = (double)NAN;
    return fresh && !spoilt.silent;
}

static void spy_on(stand *s)
{
    memset(&watch, 0, sizeof watch);
    memset(&spoilt, 0, sizeof spoilt);
    spy_ops = ifd_virtual_rig;
    spy_ops.command = watch_command;
    spy_ops.sense = spy_sense;
    s->opt.rig = &spy_ops;
}

/* A diverging solver (far too large a step) never causes a command beyond a limit. */
TEST(a_diverging_solver_breaks_no_limit)
{
    stand s;
    stand_prepare(&s, "central-difference");
    s.opt.step.h = 0.2;
    s.opt.ticks_per_stage = 100;
    s.opt.end = 100.0;
    spy_on(&s);
    stand_make(&s);
    run_out(&s);
    assert_limits_kept(&s.channel.limits);
    assert_true(ifd_hybrid_count(s.h, IFD_TRIP_GOVERNED) > 0);
    ifd_arena_close(s.arena);
}

TEST(silence_and_nonsense_from_the_rig_trip_within_limits)
{
    for (int kind = 0; kind < 2; kind++) {
        stand s;
        stand_prepare(&s, "lsrt2");
        spy_on(&s);
        stand_make(&s);
        run_until(&s, IFD_MACHINE_RUN);
        for (int k = 0; k < 100; k++)
            tick(&s, IFD_ORDER_NONE);
        spoilt.silent = kind == 0;
        spoilt.poison = kind == 1;
        assert_int_equal(run_out(&s), IFD_RUN_FAULT);
        assert_int_equal(ifd_hybrid_trip(s.h).trip, kind ? IFD_TRIP_NOT_FINITE : IFD_TRIP_LOST);
        assert_limits_kept(&s.channel.limits);
        ifd_arena_close(s.arena);
    }
}

TEST(ramp_out_to_zero_force_leaves_a_slipped_slider_where_it_is_free)
{
    stand s;
    stand_prepare(&s, "lsrt2");
    const ifd_element_ops *sliders = ifd_element_find("sliders");
    const double row[] = {4e5, 0.002};
    ifd_value v[8];
    ifd_param_preset(sliders->params, v);
    v[ifd_param_find(sliders->params, "sliders")] = ifd_matrix(row, 1, 2);
    s.bench.specimen = sliders;
    s.bench.specimen_values = v;
    s.opt.ramp_out_end = IFD_RAMP_OUT_ZERO_FORCE;
    s.opt.end = 0.3;
    spy_on(&s);
    stand_make(&s);
    assert_int_equal(run_out(&s), IFD_RUN_DONE);
    double peaks[3];
    ifd_hybrid_peaks(s.h, 0, peaks);
    tick(&s, IFD_ORDER_NONE);
    const double *values = s.t.values(s.t.self);
    assert_near(values[7], 0.0, 0.01 * peaks[1], "force left; largest was %g", peaks[1]);
    assert_true(fabs(values[6]) > 1e-4); /* it slipped: its free position is not its initial position */
    assert_limits_kept(&s.channel.limits);
    ifd_arena_close(s.arena);
}

TEST(a_channel_without_limits_is_refused)
{
    stand s;
    stand_prepare(&s, "lsrt2");
    s.channel.limits = (ifd_limits){0};
    ifd_note note;
    ifd_note_init(&note, s.arena);
    assert_int_not_equal(ifd_hybrid_make(s.arena, &s.opt, &s.h, &note), IFD_OK);
    assert_int_equal(note.errors, 9);
    ifd_arena_close(s.arena);
}

/* A delay of the actuator adds energy; with compensation it does not. */
TEST(compensation_removes_the_damping_error_of_a_delay)
{
    double error[2], exact[2];
    for (int with = 0; with < 2; with++) {
        stand s;
        stand_prepare(&s, "lsrt2");
        s.bench.actuator = ifd_actuator_find("delay");
        ifd_param_preset(s.bench.actuator->params, s.actuator);
        s.actuator[ifd_param_find(s.bench.actuator->params, "delay")] = ifd_number(0.008);
        s.bench.actuator_values = s.actuator;
        if (with) {
            s.channel.compensator = ifd_compensator_find("polynomial");
            ifd_param_preset(s.channel.compensator->params, s.compensator);
            s.compensator[ifd_param_find(s.channel.compensator->params, "delay")] = ifd_number(0.008);
            s.channel.compensator_values = s.compensator;
        }
        stand_make(&s);
        assert_int_equal(run_out(&s), IFD_RUN_DONE);
        monolithic(&s, exact);
        error[with] = fabs(displacement(&s) - exact[0]);
        ifd_arena_close(s.arena);
    }
    assert_true(error[0] > 1e-3); /* a delay of 8 ms on a 3.9 Hz structure is visible */
    assert_true(error[1] < 0.1 * error[0]);
}

TESTS()
