/* SPDX-License-Identifier: MIT */
/* Hybrid tests, from the file to their options. What is wrong with a file is in tests/cases-bad/test-*.yaml. */
#include "check.h"

#include <interfield/link.h>
#include <interfield/virtual.h>

#include "case/texts.h"

#define HEAD                                                                                                         \
    "time: {step: 1 ms, end: 1 s}\nmodel: {dofs: [a, b], mass: [1 kg, 2 kg], stiffness: [[300, -100], [-100, "       \
    "100]]}\n"
#define REAL "limits: {stroke: 20 mm, velocity: 2 m/s, acceleration: 30 m/s2, force: 1 kN, tracking: 5 mm}"
#define LIMITS "limits: {stroke: 20 mm, velocity: 2 m/s, acceleration: 30 m/s2}"
#define SPRING "spring: {between: [a, b], stiffness: 50 N/m}"

TEST_IN_ARENA(a_specimen_without_a_test_is_only_computed)
{
    const ifd_case *c = read(HEAD "specimen: [{" SPRING "}]\n");
    assert_null(c->test);
    assert_int_equal(c->run.specimens, 1);
}

TEST_IN_ARENA(limits_reach_the_channel)
{
    const ifd_case *c =
        read(HEAD "specimen:\n  - name: s\n    " SPRING "\n"
                  "    limits: {low: -5 mm, high: 15 mm, velocity: 2 m/s, acceleration: 30 m/s2, force: 4 kN,\n"
                  "             force-rate: 7, tracking: 1 mm, energy: 3 J}\n"
                  "    devices: 2\n"
                  "test: {}\n");
    assert_non_null(c->test);
    assert_int_equal(c->test->interfaces, 1);
    const ifd_interface_options *o = &c->test->interface[0];
    assert_string_equal(o->name, "s");
    assert_int_equal(o->from, 0);
    assert_int_equal(o->to, 1);
    assert_near(o->force_factor, 2, 0, "devices");
    assert_near(o->limits.low, -0.005, 1e-18, "low");
    assert_near(o->limits.high, 0.015, 1e-17, "high");
    assert_near(o->limits.velocity, 2, 0, "velocity");
    assert_near(o->limits.acceleration, 30, 0, "acceleration");
    assert_near(o->limits.force, 4000, 0, "force");
    assert_near(o->limits.force_rate, 7, 0, "force rate");
    assert_near(o->limits.tracking, 0.001, 1e-18, "tracking");
    assert_near(o->limits.energy, 3, 0, "energy");
}

TEST_IN_ARENA(stroke_goes_to_both_sides)
{
    const ifd_case *c = read(HEAD "specimen: [{" SPRING ", " LIMITS "}]\ntest: {}\n");
    assert_near(c->test->interface[0].limits.low, -0.02, 1e-17, "low");
    assert_near(c->test->interface[0].limits.high, 0.02, 1e-17, "high");
}

TEST_IN_ARENA(the_bench_of_each_specimen_is_its_own)
{
    const ifd_case *c = read(
        HEAD "specimen:\n"
             "  - {" SPRING ", actuator: {first-order: {time-constant: 5 ms}}, force-sensor: {noise: 3}, " LIMITS
             "}\n"
             "  - {spring: {between: [ground, a], stiffness: 9}, compensation: {taylor: {delay: 4 ms}}, " LIMITS "}\n"
             "test: {}\n");
    const ifd_laboratory *l = c->test->rig_setup;
    assert_ptr_equal(c->test->rig, &ifd_virtual_rig);
    assert_int_equal(l->actuators, 2);
    assert_string_equal(l->actuator[0].actuator->name, "first-order");
    assert_near(
        ifd_param_get(l->actuator[0].actuator->params, l->actuator[0].actuator_values, "time-constant")->number,
        0.005, 1e-17, "time constant");
    assert_near(ifd_param_get(ifd_sensor_params, l->actuator[0].force_sensor, "noise")->number, 3, 0, "noise");
    assert_null(l->actuator[0].position_sensor);
    assert_null(l->actuator[1].actuator);
    assert_null(c->test->interface[0].compensator);
    assert_string_equal(c->test->interface[1].compensator->name, "taylor");
    assert_int_equal(c->test->interface[1].from, IFD_GROUND);
}

TEST_IN_ARENA(settings_reach_the_test)
{
    const ifd_case *c =
        read(HEAD "specimen: [{" SPRING ", " LIMITS "}]\n"
                  "test: {lambda: 10, ticks-per-stage: 4, ramp-in: 3 s, settle: 0.5 s, brake: 0.3 s, creep: 2 mm/s,\n"
                  "       leave: zero-force, overrun: extrapolate, late-after: 0.2 ms, late-for: 7 ms,\n"
                  "       stale-for: 8 ms, frozen-for: 9 ms,\n"
                  "       allow-resume: yes, rate-dependent: yes, limits: observe}\n");
    const ifd_hybrid_options *o = c->test;
    assert_near(o->lambda, 10, 0, "lambda");
    assert_int_equal(o->ticks_per_stage, 4);
    assert_near(o->ramp_in, 3, 0, "ramp-in");
    assert_near(o->settle, 0.5, 0, "settle");
    assert_near(o->brake, 0.3, 1e-16, "brake");
    assert_near(o->creep, 0.002, 1e-18, "creep");
    assert_int_equal(o->ramp_out_end, IFD_RAMP_OUT_ZERO_FORCE);
    assert_int_equal(o->overrun, IFD_OVERRUN_EXTRAPOLATE);
    assert_near(o->late_after, 2e-4, 1e-12, "late-after");
    assert_int_equal(o->late_limit + o->stale_limit + o->stuck_limit, 3);
    assert_near(o->late_time, 7e-3, 1e-12, "late-for");
    assert_near(o->stale_time, 8e-3, 1e-12, "stale-for");
    assert_near(o->stuck_time, 9e-3, 1e-12, "frozen-for");
    assert_true(o->allow_resume && o->rate_dependent && o->observe);
    assert_ptr_equal(o->model, c->run.model);
    assert_near(o->end, 1, 0, "end");
    assert_near(o->step.h, 0.001, 1e-18, "step");
}

TEST_IN_ARENA(a_rig_may_be_in_another_process)
{
    const ifd_case *c = read(HEAD "specimen: [{" SPRING ", " REAL "}]\ntest: {rig: {udp: {port: 7000}}}\n");
    assert_ptr_equal(c->test->rig, &ifd_udp_rig);
    assert_null(c->test->rig_setup);
    assert_near(ifd_param_get(ifd_udp_rig.params, c->test->rig_values, "port")->number, 7000, 0, "port");
    c = read(HEAD "specimen: [{" SPRING ", " REAL "}]\ntest: {rig: {shm: {name: rig1}}}\n");
    assert_ptr_equal(c->test->rig, &ifd_shm_rig);
}

/* The test of the file runs to its end, with the force of the specimen counted twice. */
TEST_IN_ARENA(a_test_read_from_a_file_runs_to_its_end)
{
    const ifd_case *c =
        read(HEAD "initial: {displacement: {a: 5 mm}}\n"
                  "specimen: [{bouc-wen: {between: [ground, a], stiffness: 50, beta: 20, gamma: 10}, " LIMITS ",\n"
                  "            estimate: {stiffness: 100 N/m}, devices: 2}]\n"
                  "test: {ramp-in: 0.5 s}\n");
    ifd_hybrid *h;
    assert_int_equal(ifd_hybrid_make(arena, c->test, &h, &note), IFD_OK);
    ifd_ticked t = ifd_hybrid_ticked(h);
    ifd_run_state s = IFD_RUN_GOING;
    for (int n = 0; s == IFD_RUN_GOING && n < 100000; n++)
        s = t.tick(t.self, &(ifd_tick_in){.order = IFD_ORDER_NONE});
    assert_int_equal(s, IFD_RUN_DONE);
    assert_int_equal(ifd_hybrid_state(h), IFD_MACHINE_STOPPED);
    assert_near(ifd_hybrid_time(h), 1.0, 1e-9, "simulated time");
    ifd_hybrid_close(h);
}

TESTS_WITH(files_open, files_close)
