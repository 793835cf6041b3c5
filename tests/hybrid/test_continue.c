/* SPDX-License-Identifier: MIT */
/* A continued test with a rig outside this process: for all events on the way back to the saved position, no command
 * makes a step beyond its limits. */
#include "check.h"

#include "laboratory.h"
#include "hybrid/hybrid.h"
#include "hybrid/observe.h"

static lab *begin(const char *name, const char *set, const ifd_rig_ops *rig)
{
    return lab_make(name, (const char *const[]){"time.end=0.4s", "test.ramp-in=1s", "test.settle=0.02s", set, NULL},
                    rig);
}

static const ifd_limits *limits_of(const lab *l, int actuator)
{
    for (int d = 0; d < l->h->drives; d++) {
        int j = actuator - l->h->drive[d].first;
        if (j >= 0 && j < l->o.drive[d].drive.actuators)
            return &l->o.drive[d].limits[j];
    }
    return &l->o.interface[actuator].limits;
}

static void tick(lab *l, ifd_order order)
{
    const double slack = 1.0 + 1e-9;
    l->last = l->t.tick(l->t.self, &(ifd_tick_in){.order = order});
    bool led = l->h->command.state != IFD_MACHINE_IDLE;
    for (int k = 0; k < l->h->actuators; k++) {
        const ifd_limits *m = limits_of(l, k);
        double p = l->h->command.position[k], w = l->led && led ? p - l->p[k] : 0.0, dt = l->h->period;
        if (fabs(w) > slack * m->velocity * dt || fabs(w - l->w[k]) > slack * m->acceleration * dt * dt)
            fail_msg("tick %lu, state %s: actuator %d goes %.3g m after %.3g m, permitted %.3g and %.3g more",
                     (unsigned long)l->h->command.tick, ifd_machine_name(ifd_hybrid_state(l->h)), k, w, l->w[k],
                     m->velocity * dt, m->acceleration * dt * dt);
        assert_true(!led || (p >= m->low && p <= m->high));
        l->p[k] = p;
        l->w[k] = w;
    }
    l->led = led;
}

static void until(lab *l, ifd_machine state)
{
    for (long i = 0; i < 100000 && ifd_hybrid_state(l->h) != state; i++)
        tick(l, IFD_ORDER_NONE);
    assert_int_equal(ifd_hybrid_state(l->h), state);
}

/* Runs to a time, holds, and saves. */
static ifd_snapshot *keep(lab *l, double time)
{
    ifd_snapshot s = {0};
    while (ifd_hybrid_time(l->h) < time && l->last == IFD_RUN_GOING)
        tick(l, IFD_ORDER_NONE);
    tick(l, IFD_ORDER_HOLD);
    for (long i = 0; i < 100000 && !ifd_hybrid_snapshot(l->h, &s); i++)
        tick(l, IFD_ORDER_NONE);
    if (s.state != IFD_MACHINE_HOLD)
        fail_msg("not kept on hold: state %s, %s of channel %d", ifd_machine_name(ifd_hybrid_state(l->h)),
                 ifd_trip_text(ifd_hybrid_trip(l->h).trip), ifd_hybrid_trip(l->h).owner);
    return snapshot_copy(&s);
}

static void to_the_end(lab *l)
{
    tick(l, IFD_ORDER_RESUME);
    while (l->last == IFD_RUN_GOING)
        tick(l, IFD_ORDER_NONE);
    assert_int_equal(ifd_hybrid_trip(l->h).trip, IFD_TRIP_NONE);
    assert_near(ifd_hybrid_time(l->h), 0.4, 1e-9, "to its end");
}

static lab *continued(const char *name, const char *set, double time, ifd_snapshot **s)
{
    own_rig_reset();
    lab *a = begin(name, set, &own_rig);
    *s = keep(a, time);
    lab_close(a);
    lab *b = begin(name, set, &own_rig);
    assert_int_equal(ifd_hybrid_continue(b->h, *s, NULL), IFD_OK);
    return b;
}

TEST(a_trip_on_the_way_back_and_a_reset_make_no_step)
{
    ifd_snapshot *s;
    lab *b = continued("two-dof-rig/rig", NULL, 0.2, &s);
    until(b, IFD_MACHINE_RAMP_IN);
    tick(b, IFD_ORDER_TRIP);
    for (int i = 0; i < 100; i++)
        tick(b, IFD_ORDER_NONE);
    tick(b, IFD_ORDER_RESET);
    until(b, IFD_MACHINE_IDLE);
    tick(b, IFD_ORDER_NONE);
    tick(b, IFD_ORDER_ARM);
    tick(b, IFD_ORDER_RUN);
    until(b, IFD_MACHINE_HOLD);
    assert_near(ifd__interface_of(b->h, 0)->command,
                ((const ifd__interface_state *)(s->x + ifd__place_of(b->h, b->h->each[0])))->command, 0.0,
                "where it was kept");
    to_the_end(b);
    lab_close(b);
    snapshot_free(s);
}

TEST(a_controlled_force_that_has_changed_meanwhile_makes_no_step)
{
    ifd_snapshot *s;
    lab *b = continued("column-mixed/column", "force-control.0.force={sine: {amplitude: 200 kN, frequency: 1 Hz}}",
                       0.2, &s);
    until(b, IFD_MACHINE_HOLD);
    double aim = ((const ifd__interface_state *)(s->x + ifd__place_of(b->h, b->h->each[1])))->force_target;
    assert_true(fabs(aim) > 20e3);
    assert_near(ifd__interface_of(b->h, 1)->force_target, aim, 0.0, "aims at what it aimed at");
    assert_near(ifd__interface_of(b->h, 1)->measured_f, aim, 5e3, "and is there");
    to_the_end(b);
    lab_close(b);
    snapshot_free(s);
}

/* The next measurement is compared with the last measurement of the rig, not with the saved one. */
TEST(a_rig_that_has_moved_meanwhile_does_not_seem_to_jump)
{
    ifd_snapshot *s;
    lab *b = continued("three-actuators/block", "test.ramp-in=2s", 0.02, &s);
    double *x = (double *)(uintptr_t)s->x;
    const ifd__driven *d = &b->h->drive[0];
    for (int k = 0; k < b->h->interfaces; k++)
        for (int i = 0; i < IFD__FITTED; i++)
            x[ifd__place_of(b->h, b->h->each[k]) + IFD__MEMBER_AT(ifd__interface_state, past_x) + i] += 0.05;
    for (int j = 0; j < 3; j++) {
        ((ifd__actuator_state *)(x + ifd__place_of(b->h, b->h->pose[0]) + 1))[j].measured_f += 1e6;
        ((ifd__actuator_state *)(x + ifd__place_of(b->h, b->h->pose[0]) + 1))[j].measured_x += 0.05;
    }
    until(b, IFD_MACHINE_HOLD);
    double motion[2];
    const ifd__actuator_state *a = ifd__actuator_of(b->h, d, 0);
    tick(b, IFD_ORDER_NONE);
    ifd__observed_motion(&b->h->io, 0, motion);
    assert_near(motion[0], 0.0, 1e-2, "measured velocity");
    assert_near(a->last_f, a->measured_f, 1e4, "force of an actuator, a tick ago");
    assert_near(a->last_x, a->measured_x, 1e-4, "position of an actuator, a tick ago");
    to_the_end(b);
    lab_close(b);
    snapshot_free(s);
}

TEST(what_was_kept_with_another_rig_is_refused)
{
    lab *a = begin("two-dof-rig/rig", NULL, &ifd_virtual_rig);
    ifd_snapshot *s = keep(a, 0.1);
    own_rig_reset();
    lab *b = begin("two-dof-rig/rig", NULL, &own_rig);
    assert_int_equal(ifd_hybrid_continue(b->h, s, NULL), IFD_CONFLICT);
    lab_close(a);
    lab_close(b);
    snapshot_free(s);
}

TESTS()
