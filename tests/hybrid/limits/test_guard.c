/* SPDX-License-Identifier: MIT */
/* Permitted tracking error in ramp-out, from the first tick of its brake on. The bound is computed here
 * independently, from the received commands. */
#include "check.h"

#include <string.h>

#include <interfield/virtual.h>

#include "hybrid/laboratory.h"

static struct {
    double p, behind;   /* m: the last command; lag of an actuator with a time constant of 0.1 s */
    double off;         /* m, error of the measured position in ramp-out */
    double bound, seen; /* m: of the last tick; measured minus commanded */
    double speed;       /* m/s, of the command at the start of ramp-out */
    long out;           /* ticks in ramp-out */
} rig;

static ifd_rig_ops ops;
static const double tracking = 5e-3;

static void command(ifd_rig *r, const ifd_command *c, double *x)
{
    const double lag = 0.1;
    double step = c->commanded ? c->position[0] - rig.p : 0.0;
    if (c->state != IFD_MACHINE_READY && c->commanded)
        rig.behind = (rig.behind + fabs(step)) / (1.0 + r->tick / lag);
    if (c->state == IFD_MACHINE_RAMP_OUT && rig.out++ == 0)
        rig.speed = fabs(step) / r->tick;
    rig.p = c->position[0];
    ifd_virtual_rig.command(r, c, x);
}

static bool sense(ifd_rig *r, ifd_measure *out, double *x)
{
    bool fresh = ifd_virtual_rig.sense(r, out, x);
    out->position[0] -= rig.out > 0 ? copysign(rig.off, rig.p) : 0.0; /* inside the stroke */
    if (rig.out > 0) {
        rig.seen = out->position[0] - rig.p;
        rig.bound = tracking + rig.behind;
    }
    return fresh;
}

/* Ramp-out at time t of the run, with a sensor error from then on; returns the end of the test. */
static ifd_trip_facts lead_out(double t, double off)
{
    memset(&rig, 0, sizeof rig);
    rig.off = off;
    ops = ifd_virtual_rig;
    ops.command = command;
    ops.sense = sense;
    lab *l = lab_make("../tests/hybrid/ramp_out/unloaded",
                      (const char *const[]){"specimen.0.limits.tracking=5 mm", "test.leave=start", NULL}, &ops);
    bool ordered = false;
    for (long i = 0; i < 100000 && l->last == IFD_RUN_GOING && ifd_hybrid_state(l->h) < IFD_MACHINE_STOPPED; i++) {
        bool now = !ordered && ifd_hybrid_state(l->h) == IFD_MACHINE_RUN && ifd_hybrid_time(l->h) >= t;
        ordered = ordered || now;
        l->last = l->t.tick(l->t.self, &(ifd_tick_in){.order = now ? IFD_ORDER_RAMP_OUT : IFD_ORDER_NONE});
    }
    ifd_trip_facts facts = ifd_hybrid_trip(l->h);
    lab_close(l);
    return facts;
}

TEST(tracking_is_watched_while_ramp_out_brakes)
{
    const double ticks = 10.0; /* a measurement takes one tick; the brake lasts longer than these */
    for (int i = 0; i < 20; i++) {
        ifd_trip_facts facts = lead_out(1.0 + 0.05 * i, 0.04);
        assert_int_equal(facts.trip, IFD_TRIP_TRACKING);
        assert_true((double)rig.out <= ticks);
        assert_near_rel(facts.limit, rig.bound, 1e-12, "tracking limit and what a slow actuator lags");
        assert_true(fabs(facts.value) > facts.limit);
    }
}

/* The actuator of this case lags by 15 ms: no ramp-out exceeds the bound. */
TEST(an_actuator_that_follows_is_never_too_far_behind)
{
    double fastest = 0.0;
    for (int i = 0; i < 40; i++) {
        assert_int_equal(lead_out(1.0 + 0.05 * i, 0.0).trip, IFD_TRIP_NONE);
        fastest = fmax(fastest, rig.speed);
    }
    assert_true(fastest * 0.015 > 0.2e-3); /* some of them began in motion */
}

TESTS()
