/* SPDX-License-Identifier: MIT */
/* ctest: not with sanitizers, unless every test is asked for */
/* Storeys on a shaking table, judged on the commands that its rig receives: accelerometers that fail, and limits that
 * the motion exceeds. The rig is the virtual one with measurements that this file changes. */
#include "check.h"

#include <math.h>
#include <string.h>

#include <interfield/virtual.h>

#include "hybrid/laboratory.h"

typedef enum fault { NONE, LOST, MISSING, STUCK, BIASED, FAULTS } fault;

static struct {
    fault fault;
    double side;
    long senses, commands;
    double kept;
    double last, step, position, velocity, acceleration, least, most; /* of the commands; the largest */
} seen;

static bool rig_sense(ifd_rig *rig, ifd_measure *m, double *x)
{
    bool fresh = ifd_virtual_rig.sense(rig, m, x), on = seen.senses++ > 5000;
    seen.kept = on ? seen.kept : m->auxiliary[0];
    if (on && seen.fault == LOST)
        m->auxiliary[0] = (double)NAN;
    if (on && seen.fault == MISSING)
        m->aux = 0;
    if (on && seen.fault == STUCK)
        m->auxiliary[0] = seen.kept;
    if (on && seen.fault == BIASED)
        m->auxiliary[0] += 0.5 * seen.side;
    return fresh;
}

static void rig_command(ifd_rig *rig, const ifd_command *c, double *x)
{
    double p = c->position[0], w = p - seen.last;
    if (c->commanded && seen.commands++ > 0) {
        seen.velocity = fmax(seen.velocity, fabs(w) / rig->tick);
        seen.acceleration = fmax(seen.acceleration, fabs(w - seen.step) / (rig->tick * rig->tick));
        seen.position = fmax(seen.position, fabs(p));
        seen.least = fmin(seen.least, p);
        seen.most = fmax(seen.most, p);
    }
    seen.step = seen.commands > 1 ? w : 0.0;
    seen.last = p;
    ifd_virtual_rig.command(rig, c, x);
}

static ifd_trip_facts run(fault which, double side, const char *const *set)
{
    ifd_rig_ops ops = ifd_virtual_rig;
    memset(&seen, 0, sizeof seen);
    seen.fault = which;
    seen.side = side;
    ops.sense = rig_sense;
    ops.command = rig_command;
    lab *l = lab_make("shake-table/rig", set, &ops);
    ifd_run_state s = IFD_RUN_GOING;
    for (long i = 0; i < 60000 && s == IFD_RUN_GOING; i++)
        s = l->t.tick(l->t.self, &(ifd_tick_in){.order = IFD_ORDER_NONE});
    assert_true(s != IFD_RUN_GOING);
    ifd_trip_facts f = ifd_hybrid_trip(l->h);
    lab_close(l);
    return f;
}

static void assert_within(double high, double velocity, double acceleration)
{
    assert_true(seen.commands > 1000);
    assert_true(seen.position <= high * (1.0 + 1e-12));
    assert_true(seen.velocity <= velocity * (1.0 + 1e-9));
    assert_true(seen.acceleration <= acceleration * (1.0 + 1e-6));
}

/* With and without the mass of the table in the measured force: both need the acceleration. */
TEST(a_lost_accelerometer_trips)
{
    static const char *const set[] = {"time.end=6 s", "specimen.0.mass-on-rig.handled=taken-out", NULL};
    static const char *const left[] = {"time.end=6 s", "specimen.0.mass-on-rig.handled=left", NULL};
    for (fault f = LOST; f <= MISSING; f++) {
        assert_int_equal(run(f, 1, set).trip, IFD_TRIP_NOT_FINITE);
        assert_within(0.25, 1.5, 500);
        assert_int_equal(run(f, 1, left).trip, IFD_TRIP_NOT_FINITE);
        assert_within(0.25, 1.5, 500);
    }
}

/* A wrong acceleration is a wrong base shear. The command has its limits, and the table does not drift: in 20 s the
 * largest position exceeds that of a sound test by less than 10 mm, where b t^2/2 would be 100 m. */
TEST(a_wrong_accelerometer_moves_the_table_within_its_limits)
{
    static const char *const set[] = {NULL};
    assert_int_equal(run(NONE, 1, set).trip, IFD_TRIP_NONE);
    double sound = seen.position;
    assert_within(0.25, 1.5, 500);
    for (int side = -1; side <= 1; side += 2) {
        assert_int_equal(run(BIASED, side, set).trip, IFD_TRIP_NONE);
        assert_within(0.25, 1.5, 500);
        assert_true(seen.position < sound + 0.01);
    }
    (void)run(STUCK, 1, set);
    assert_within(0.25, 1.5, 500);
    assert_true(seen.position < sound + 0.01);
}

/* Stroke, velocity and acceleration below those of the motion. The motion passes both ends of the stroke. */
TEST(a_motion_beyond_the_limits_is_reduced)
{
    static const char *const ends[] = {"specimen.0.limits={low: -60 mm, high: 250 mm, velocity: 1.5 m/s, "
                                       "acceleration: 500 m/s2, force: 120 kN, tracking: 20 mm}",
                                       "specimen.0.limits={low: -250 mm, high: 60 mm, velocity: 1.5 m/s, "
                                       "acceleration: 500 m/s2, force: 120 kN, tracking: 20 mm}"};
    for (int i = 0; i < 2; i++) {
        const char *set[] = {ends[i], NULL};
        assert_int_not_equal(run(NONE, 1, set).trip, IFD_TRIP_NONE);
        assert_within(0.25, 1.5, 500);
        assert_near(i ? seen.most : -seen.least, 0.06, 1e-9, "the end of the stroke");
    }
    static const char *const fast[] = {"specimen.0.limits.velocity=0.2 m/s", "specimen.0.limits.acceleration=20 m/s2",
                                       NULL};
    (void)run(NONE, 1, fast);
    assert_within(0.25, 0.2, 20);
    assert_true(seen.velocity > 0.199 && seen.acceleration > 19.9);
}

TESTS()
