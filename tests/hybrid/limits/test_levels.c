/* SPDX-License-Identifier: MIT */
/* Two levels of a limit, its actions, and the check of the spring of a commanded force, in complete tests. */
#include "check.h"

#include <string.h>

#include <interfield/virtual.h>

#include "hybrid/hybrid.h"
#include "hybrid/laboratory.h"

static struct {
    double most;      /* N, largest force */
    long cut, cut_at; /* commands of a tripped test without ENABLE; those before with it */
    double latched;   /* whether the test remembers the cut: 1 or 0 */
} rig;

static ifd_rig_ops ops;

static void command(ifd_rig *r, const ifd_command *c, double *x)
{
    if (c->state == IFD_MACHINE_TRIPPED) {
        rig.cut += !(c->outputs & IFD_OUTPUT_ENABLE);
        rig.cut_at += (c->outputs & IFD_OUTPUT_ENABLE) && rig.cut == 0;
    }
    ifd_virtual_rig.command(r, c, x);
}

static bool sense(ifd_rig *r, ifd_measure *out, double *x)
{
    bool fresh = ifd_virtual_rig.sense(r, out, x);
    rig.most = fmax(rig.most, fabs(out->force[0]));
    return fresh;
}

/* The test until it holds, trips, ramps out or ends; the last state. */
static ifd_machine go(const char *name, const char *const *sets, ifd_trip_facts *facts, long *near)
{
    memset(&rig, 0, sizeof rig);
    ops = ifd_virtual_rig;
    ops.command = command;
    ops.sense = sense;
    lab *l = lab_make(name, sets, &ops);
    ifd_machine state = IFD_MACHINE_IDLE;
    for (long i = 0; i < 200000 && l->last == IFD_RUN_GOING; i++) {
        l->last = l->t.tick(l->t.self, &(ifd_tick_in){.order = IFD_ORDER_NONE});
        state = ifd_hybrid_state(l->h);
        if (state == IFD_MACHINE_HOLD || state == IFD_MACHINE_RAMP_OUT || state >= IFD_MACHINE_STOPPED)
            break;
    }
    for (int i = 0; i < 5 && state == IFD_MACHINE_TRIPPED; i++)
        l->last = l->t.tick(l->t.self, &(ifd_tick_in){.order = IFD_ORDER_NONE});
    *facts = ifd_hybrid_trip(l->h);
    *near = ifd_hybrid_count(l->h, IFD_TRIP_NEAR);
    rig.latched = ifd__test_of(l->h)->power_cut;
    lab_close(l);
    return state;
}

TEST(levels_and_actions_are_those_of_the_case)
{
    static const struct {
        const char *set;
        ifd_machine ends;
        ifd_trip trip;
        bool near, cut;
    } rows[] = {
        {"specimen.0.limits.force={warn: 100 N, trip: 1 GN}", IFD_MACHINE_RAMP_OUT, IFD_TRIP_NONE, true, false},
        {"specimen.0.limits.force={warn: 0.9 GN, trip: 1 GN}", IFD_MACHINE_RAMP_OUT, IFD_TRIP_NONE, false, false},
        {"specimen.0.limits.force={warn: 100 N, trip: 1 GN, warn-action: hold}", IFD_MACHINE_HOLD, IFD_TRIP_NEAR,
         true, false},
        {"specimen.0.limits.force={trip: 100 N}", IFD_MACHINE_TRIPPED, IFD_TRIP_FORCE, false, false},
        {"specimen.0.limits.force={trip: 100 N, action: trip}", IFD_MACHINE_TRIPPED, IFD_TRIP_FORCE, false, false},
        {"specimen.0.limits.force={trip: 100 N, action: power-off}", IFD_MACHINE_TRIPPED, IFD_TRIP_FORCE, false,
         true},
        {"specimen.0.limits.energy={trip: 1e-9 J}", IFD_MACHINE_HOLD, IFD_TRIP_ENERGY, false, false},
        {"specimen.0.limits.energy={trip: 1e-9 J, action: hold}", IFD_MACHINE_HOLD, IFD_TRIP_ENERGY, false, false},
        {"specimen.0.limits.energy={trip: 1e-9 J, action: ramp-out}", IFD_MACHINE_RAMP_OUT, IFD_TRIP_ENERGY, false,
         false},
        {"specimen.0.limits.energy={trip: 1e-9 J, action: trip}", IFD_MACHINE_TRIPPED, IFD_TRIP_ENERGY, false, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ifd_trip_facts facts;
        long near = 0;
        ifd_machine end =
            go("../tests/hybrid/ramp_out/unloaded", (const char *const[]){rows[i].set, NULL}, &facts, &near);
        if (end != rows[i].ends && !(rows[i].ends == IFD_MACHINE_HOLD && end == IFD_MACHINE_RAMP_OUT))
            fail_msg("%s: %s", rows[i].set, ifd_machine_name(end));
        if (facts.trip != rows[i].trip || (near > 0) != rows[i].near)
            fail_msg("%s: %s, near %ld", rows[i].set, ifd_trip_name(facts.trip), near);
        assert_near(rig.latched, rows[i].cut, 0.0, "power is cut");
        if (end == IFD_MACHINE_TRIPPED && ((rig.cut > 0) != rows[i].cut || (rows[i].cut && rig.cut_at > 0)))
            fail_msg("%s: %ld commands without power, %ld before with it", rows[i].set, rig.cut, rig.cut_at);
    }
}

/* A drift of 5 mm/s of the position of the specimen; before, the actuator followed it to 76 kN. */
TEST(a_position_that_drifts_does_not_fit_the_spring)
{
    for (int drifts = -1; drifts < 2; drifts++) {
        char set[80];
        ifd_trip_facts facts;
        long near;
        snprintf(set, sizeof set, "specimen.0.force-command.sensor={noise: 2 um, drift: %g}", 0.005 * drifts);
        (void)go("effective-force/rig", (const char *const[]){set, "time.end=2 s", NULL}, &facts, &near);
        assert_int_equal(facts.trip, drifts ? IFD_TRIP_SPRING : IFD_TRIP_NONE);
        if (drifts)
            assert_true(rig.most < 20e3);
    }
}

TESTS()
