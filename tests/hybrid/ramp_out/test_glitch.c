/* SPDX-License-Identifier: MIT */
/* ctest: not with sanitizers, unless every test is asked for */
/* Values of a load cell before arming, or in a test that was tripped and reset, do not affect the next test:
 * unloading ends at the same position. Slow unloading is not a fault. */
#include "check.h"

#include <math.h>
#include <string.h>

#include <interfield/virtual.h>

#include "hybrid/laboratory.h"

static struct {
    long ticks, at; /* the tick with another force; 0: none */
    double shown;   /* N, in that tick */
    long off;       /* ticks before the hydraulics are on */
    double force;   /* N, actual and last */
    long out;       /* ticks in ramp-out */
} rig;

static ifd_rig_ops ops;

static bool sense(ifd_rig *r, ifd_measure *out, double *x)
{
    bool fresh = ifd_virtual_rig.sense(r, out, x);
    if (++rig.ticks <= rig.off)
        out->inputs &= ~(uint32_t)IFD_INPUT_HYDRAULICS;
    if (rig.ticks == rig.at)
        out->force[0] = rig.shown;
    return fresh;
}

static void command(ifd_rig *r, const ifd_command *c, double *x)
{
    double position;
    ifd_virtual_rig.command(r, c, x);
    ifd_virtual_actual(r, x, 0, &position, &rig.force);
    rig.out += c->state == IFD_MACHINE_RAMP_OUT;
}

static const char *const bridge[] = {"time.end=3s", "test.leave=zero-force", NULL};

static lab *make(const char *name, const char *const *set, long off)
{
    memset(&rig, 0, sizeof rig);
    rig.off = off;
    ops = ifd_virtual_rig;
    ops.sense = sense;
    ops.command = command;
    return lab_make(name, set, &ops);
}

static void finish(lab *l)
{
    for (long i = 0; i < 1000000 && l->last == IFD_RUN_GOING; i++)
        lab_tick(l, IFD_ORDER_NONE);
    assert_int_equal(ifd_hybrid_state(l->h), IFD_MACHINE_STOPPED);
    lab_close(l);
}

enum { OFF = 400 };

TEST(before_a_test_is_armed_nothing_is_learned_from_a_glitch)
{
    finish(make("bridge/hybrid", bridge, OFF));
    double force = fabs(rig.force);
    long out = rig.out;
    static const double glitches[] = {(double)NAN, (double)INFINITY, 1e9};
    for (int i = 0; i < 3; i++) {
        lab *l = make("bridge/hybrid", bridge, OFF);
        rig.at = OFF / 2;
        rig.shown = glitches[i];
        finish(l);
        assert_true(fabs(rig.force) <= 1.5 * force + 600.0); /* N: three standard deviations of the load cell */
        assert_true(rig.out < 2 * out);
    }
}

TEST(nor_is_a_test_that_was_reset_unloaded_by_what_tripped_it)
{
    lab *l = make("bridge/hybrid", bridge, 0);
    rig.at = 100;
    rig.shown = 1e9;
    play(&l->script, "400; is tripped; reset");
    for (long i = 0; i < 4000 && ifd_hybrid_state(l->h) != IFD_MACHINE_READY; i++)
        lab_tick(l, IFD_ORDER_ARM);
    lab_tick(l, IFD_ORDER_RUN);
    finish(l);
    assert_true(fabs(rig.force) <= 600.0);
}

TEST(slow_unloading_is_no_fault)
{
    static const char *const creeping[] = {"time.end=3s", "test.leave=zero-force", "test.creep=0.1mm/s", NULL};
    lab *l = make("bridge/hybrid", creeping, 0);
    double dt = ifd_hybrid_period(l->h);
    finish(l);
    assert_true((double)rig.out * dt > 30.0);
    static const char *const patient[] = {"time.end=0.2s", "test.leave=zero-force", "test.ramp-in=40s", NULL};
    l = make("column-mixed/column", patient, 0);
    dt = ifd_hybrid_period(l->h);
    finish(l);
    assert_true((double)rig.out * dt > 40.0);
}

TESTS()
