/* SPDX-License-Identifier: MIT */
/* The iterative start of coupling rts with a specimen, judged on the commands that its rig receives. The specimen of
 * this file is a spring; the actuator is at its command at the end of a tick. */
#include "check.h"

#include <math.h>
#include <string.h>

#include "hybrid/laboratory.h"
#include "hybrid/own_rig.h"

enum { MOST = 40000 };
static const double stiffness = 2000.0, tick = 1e-3;
static const ifd_limits limits = {.low = -0.3, .high = 0.3, .velocity = 2.0, .acceleration = 200.0};

static struct {
    uint64_t tick;
    double gain, p;
    bool grows; /* a specimen whose force is never the same */
    long commands, senses;
    double position[MOST], time[MOST];
    uint32_t state[MOST];
} rig;

static bool rig_sense(ifd_rig *r, ifd_measure *m, double *x)
{
    (void)x;
    rig.senses++;
    *m = (ifd_measure){.tick = rig.tick, .inputs = 3, .actuators = (uint32_t)r->actuators};
    m->position[0] = rig.p;
    m->force[0] = stiffness * rig.p * (rig.grows ? 1.0 + (double)(rig.senses / 500) : 1.0);
    return true;
}

static void rig_command(ifd_rig *r, const ifd_command *c, double *x)
{
    (void)r, (void)x;
    assert_true(rig.commands < MOST);
    rig.p = c->commanded ? c->position[0] : rig.p;
    rig.tick = c->tick;
    rig.position[rig.commands] = rig.p;
    rig.time[rig.commands] = c->time;
    rig.state[rig.commands++] = c->state;
}

static const ifd_rig_ops rig_ops = OWN_RIG("virtual", rig_sense, rig_command);

static lab *begin(const char *more)
{
    const char *set[] = {
        "specimen.0.compensation=none", "test.ramp-in=0.3 s", "test.settle=0.05 s", "time.end=1 s", more, NULL};
    memset(&rig, 0, sizeof rig);
    return lab_make("rts-rig/start", set, &rig_ops);
}

/* The specimen starts from rest at 0 before tick i. */
static bool starts(long i)
{
    return rig.state[i] <= IFD_MACHINE_RUN && rig.position[i - 1] == 0.0 && rig.position[i] != 0.0;
}

static int rehearsals(void)
{
    int count = 0;
    for (long i = 1; i < rig.commands; i++)
        count += starts(i) && rig.state[i] == IFD_MACHINE_RAMP_IN;
    return count;
}

static bool rehearses(void)
{
    long last = rig.commands - 1;
    return last > 0 && rig.state[last] == IFD_MACHINE_RAMP_IN && rig.position[last] != 0.0;
}

/* The lower mass under the spring of the specimen, glued: fourth-order Runge-Kutta. */
static double glued(double t)
{
    double y[2] = {0.0, 0.0}, h = 1e-4;
    for (long i = 0; i < lround(t / h); i++) {
        double k[4][2], at[4] = {0.0, 0.5, 0.5, 1.0};
        for (int s = 0; s < 4; s++) {
            double x = y[0] + (s ? at[s] * h * k[s - 1][0] : 0.0), v = y[1] + (s ? at[s] * h * k[s - 1][1] : 0.0);
            double w = 12.0, T = (double)i * h + at[s] * h, u = 0.01 * cos(w * T), du = -0.01 * w * sin(w * T);
            k[s][0] = v;
            k[s][1] = (-4000.0 * (x - u) - 5.0 * (v - du) - stiffness * x) / 10.0;
        }
        for (int j = 0; j < 2; j++)
            y[j] += h / 6.0 * (k[0][j] + 2.0 * k[1][j] + 2.0 * k[2][j] + k[3][j]);
    }
    return y[0];
}

/* Error of the position at the end of the start: the first command in run is that of the next tick. */
static double after_start(void)
{
    long first = 0;
    while (first < rig.commands && rig.state[first] != IFD_MACHINE_RUN)
        first++;
    assert_true(first + 14 < rig.commands);
    return fabs(rig.position[first + 14] / glued(15 * tick) - 1.0);
}

TEST(the_forces_of_the_start_are_rehearsed_until_they_agree)
{
    double error[2];
    for (int with = 0; with < 2; with++) {
        lab *l = begin(with ? "coupling.rts.start.tolerance=1e-4"
                            : "coupling={rts: {past: 4, ahead: 3, extrapolator: {lagrange: {degree: 3}}}}");
        (void)lab_go(l, MOST - 100, IFD_ORDER_NONE);
        play(&l->script, "is stopped; fault NONE");
        assert_commands_within(rig.position, rig.commands, tick, &limits);
        if (with)
            assert_in_range(rehearsals(), 2, 4);
        else
            assert_int_equal(rehearsals(), 0);
        error[with] = after_start();
        lab_close(l);
    }
    assert_true(error[1] < 0.2 * error[0]);
    assert_near(error[1], 0.0, 1e-4, "with rehearsals");
}

/* Every rehearsal begins at the start, at rest, and the brake after it is within the limits. */
TEST(every_rehearsal_begins_at_rest_at_the_start)
{
    lab *l = begin("coupling.rts.start.tolerance=1e-6");
    (void)lab_go(l, MOST - 100, IFD_ORDER_NONE);
    for (long i = 2; i < rig.commands; i++)
        if (rig.state[i] == IFD_MACHINE_RAMP_IN)
            assert_true(rig.time[i] == 0.0); /* simulated time begins with the run */
    for (long i = 60; i < rig.commands; i++)
        for (long k = 1; k < 50 && starts(i); k++)
            assert_true(rig.position[i - k] == 0.0); /* for the settling time */
    assert_commands_within(rig.position, rig.commands, tick, &limits);
    lab_close(l);
}

TEST(a_specimen_that_is_never_the_same_ramps_out)
{
    lab *l = begin("coupling.rts.start.iterations=3");
    rig.grows = true;
    (void)lab_go(l, MOST - 100, IFD_ORDER_NONE);
    play(&l->script, "fault START; is stopped");
    assert_int_equal(rehearsals(), 3);
    assert_commands_within(rig.position, rig.commands, tick, &limits);
    for (long i = 0; i < rig.commands; i++)
        assert_true(rig.state[i] != IFD_MACHINE_RUN);
    lab_close(l);
}

/* Orders in a rehearsal: trip stops, hold ends the test; after a reset the rehearsals begin again. */
TEST(orders_act_in_a_rehearsal)
{
    for (int which = 0; which < 2; which++) {
        lab *l = begin(NULL);
        while (!rehearses())
            lab_tick(l, IFD_ORDER_NONE);
        (void)lab_go(l, 8, IFD_ORDER_NONE);
        assert_true(rehearses());
        (void)lab_go(l, 400, which ? IFD_ORDER_HOLD : IFD_ORDER_TRIP);
        assert_int_equal(ifd_hybrid_trip(l->h).trip, which ? IFD_TRIP_NONE : IFD_TRIP_ORDERED);
        assert_true(rig.state[rig.commands - 1] == (which ? IFD_MACHINE_STOPPED : IFD_MACHINE_TRIPPED) ||
                    rig.state[rig.commands - 1] == IFD_MACHINE_RAMP_OUT);
        if (!which) {
            assert_near(rig.position[rig.commands - 1], rig.position[rig.commands - 2], 0.0, "at rest");
            int before = rehearsals();
            (void)lab_go(l, 300, IFD_ORDER_RESET);
            (void)lab_go(l, 300, IFD_ORDER_ARM);
            (void)lab_go(l, 5000, IFD_ORDER_RUN);
            assert_in_range(rehearsals() - before, 2, 4);
            assert_int_equal(ifd_hybrid_state(l->h), IFD_MACHINE_STOPPED);
        }
        assert_commands_within(rig.position, rig.commands, tick, &limits);
        lab_close(l);
    }
}

TESTS()
