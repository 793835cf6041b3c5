/* SPDX-License-Identifier: MIT */
/* ctest: not with sanitizers, unless every test is asked for */
/* A load cell that is stuck from its n-th reading on, with or without noise, is detected in motion; a force that is
 * constant for a valid reason is not. */
#include "check.h"

#include <string.h>

#include <interfield/virtual.h>

#include "hybrid/laboratory.h"

static struct {
    long readings, sticks; /* so far; first stuck reading, 0: never */
    double held;           /* N */
    double largest;        /* m, of the true position since it was stuck and the test moved */
} cell;

static ifd_rig_ops ops;

static bool sense(ifd_rig *r, ifd_measure *out, double *x)
{
    bool fresh = ifd_virtual_rig.sense(r, out, x);
    if (!fresh)
        return fresh;
    cell.readings++;
    if (cell.sticks == 0 || cell.readings <= cell.sticks)
        cell.held = out->force[0];
    out->force[0] = cell.held;
    return fresh;
}

static void command(ifd_rig *r, const ifd_command *c, double *x)
{
    double position, force;
    ifd_virtual_rig.command(r, c, x);
    ifd_virtual_actual(r, x, 0, &position, &force);
    cell.largest = fmax(cell.largest, fabs(position));
}

typedef struct outcome {
    ifd_trip trip;
    ifd_machine state;
    double limit, largest; /* m */
} outcome;

static outcome lead(const char *const *set, long sticks)
{
    memset(&cell, 0, sizeof cell);
    cell.sticks = sticks;
    ops = ifd_virtual_rig;
    ops.sense = sense;
    ops.command = command;
    lab *l = lab_make("../tests/hybrid/ramp_out/unloaded", set, &ops);
    for (long i = 0; i < 400000 && l->last == IFD_RUN_GOING && ifd_hybrid_state(l->h) != IFD_MACHINE_STOPPED; i++)
        l->last = l->t.tick(l->t.self, &(ifd_tick_in){.order = IFD_ORDER_NONE});
    ifd_trip_facts t = ifd_hybrid_trip(l->h);
    outcome out = {t.trip, ifd_hybrid_state(l->h), t.limit, cell.largest};
    lab_close(l);
    return out;
}

static const char *const noisy = "specimen.0.force-sensor={noise: 5 N, seed: 2}",
                         *const silent = "specimen.0.force-sensor={noise: 0 N}", *const found = "test.arm-samples=50";

/* 50 readings are taken before arming. For a cell stuck at one of the first ten readings the noise is nearly unknown,
 * and at the first it is unknown. */
TEST(a_load_cell_that_sticks_early_is_noticed)
{
    static const long at[] = {1, 2, 3, 5, 8, 11, 12, 13, 20, 30, 40, 50, 51, 55, 60, 61, 70, 100, 150};
    for (size_t i = 0; i < COUNT(at); i++)
        for (int seed = 1; seed <= 20; seed++) {
            char cell_of[100];
            snprintf(cell_of, sizeof cell_of, "specimen.0.force-sensor={noise: 5 N, seed: %d}", seed);
            outcome out = lead((const char *const[]){cell_of, found, NULL}, at[i]);
            if (out.trip != IFD_TRIP_FORCE_STUCK || out.state != IFD_MACHINE_TRIPPED)
                fail_msg("stuck at reading %ld, seed %d: %s, %s", at[i], seed, ifd_trip_name(out.trip),
                         ifd_machine_name(out.state));
            double noisy_travel = 1e-3 * 0.1, silent_travel = 0.02 * 20e3 / 1e6;
            if (at[i] < 30 && out.limit > noisy_travel) /* the noise was not detected yet */
                assert_near_rel(out.limit, silent_travel, 1e-12, "a fiftieth of the force limit");
            else
                assert_near_rel(out.limit, noisy_travel, 1e-12, "a thousandth of the stroke");
        }
}

/* Bit-identical from the first reading: detected when 0.02 of the force limit of 20 kN is expected by the estimate,
 * and 0.001 of the stroke of 100 mm is travelled. */
TEST(a_dead_load_cell_without_noise_is_noticed)
{
    outcome out = lead((const char *const[]){silent, found, NULL}, 1);
    assert_int_equal(out.trip, IFD_TRIP_FORCE_STUCK);
    assert_near(out.limit, 0.02 * 20e3 / 1e6, 1e-15, "a fiftieth of the force limit");
    out = lead((const char *const[]){silent, found, "specimen.0.estimate={stiffness: 10 MN/m}", NULL}, 1);
    assert_int_equal(out.trip, IFD_TRIP_FORCE_STUCK);
    assert_near(out.limit, 1e-3 * 0.1, 1e-15, "a thousandth of the stroke");
    static const char *const little = "loads.0.force={sine: {amplitude: 100 N, frequency: 0.7 Hz}}";
    out = lead((const char *const[]){silent, found, little, "test.force-stuck=off", "test.leave=stay", NULL}, 1);
    assert_true(out.largest > 1e-3);
    assert_int_equal(out.trip, IFD_TRIP_NONE);
    assert_int_equal(out.state, IFD_MACHINE_STOPPED);
}

/* For a specimen without force: a gap that remains open. */
TEST(an_open_gap_is_not_taken_for_a_dead_load_cell)
{
    static const char *const gap = "specimen.0={name: open, gap: {between: [ground, x], stiffness: 1e6, gap: 0.1}, "
                                   "limits: {stroke: 50 mm, velocity: 1 m/s, acceleration: 50 m/s2}, "
                                   "actuator: ideal}";
    outcome out = lead((const char *const[]){gap, found, NULL}, 0);
    assert_int_equal(out.trip, IFD_TRIP_NONE);
    assert_int_equal(out.state, IFD_MACHINE_STOPPED);
    assert_true(out.largest > 1e-3);
}

TEST(a_sound_load_cell_is_not_taken_for_a_stuck_one)
{
    for (int i = 0; i < 2; i++) {
        outcome out = lead((const char *const[]){i ? noisy : silent, found, NULL}, 0);
        assert_int_equal(out.trip, IFD_TRIP_NONE);
        assert_int_equal(out.state, IFD_MACHINE_STOPPED);
    }
}

TESTS()
