/* SPDX-License-Identifier: MIT */
/* Sliding bearings of the model under the measured force of a vertical actuator, in the shipped case bridge/shared.
 * The virtual rig is wrapped, so that its load cell shows what a test needs. */
#include "check.h"
#include "fixture.h"

#include <string.h>

#include <interfield/case.h>
#include <interfield/virtual.h>

#include "hybrid/hybrid.h"

#define CASE IFD_SOURCE_DIR "/cases/bridge/shared.yaml"
#define WEIGHT 2.943e6 /* N */
enum { VERTICAL = 1 };

static const char *const bearing[] = {"abutment1", "bearing2", "abutment2"};

static ifd_rig_ops rig;
static double shown; /* what the load cell shows relative to WEIGHT; 0: the true force */
static double last;  /* shown in the last tick, N */

static bool sense(ifd_rig *r, ifd_measure *m, double *x)
{
    bool fresh = ifd_virtual_rig.sense(r, m, x);
    if (shown != 0.0)
        m->force[VERTICAL] = shown * WEIGHT;
    last = m->force[VERTICAL];
    return fresh;
}

typedef struct stand {
    ifd_hybrid *h;
    ifd_ticked t;
} stand;

/* observe: limits are counted without a reaction, and a constant force is no fault. */
static stand open_stand(bool observe, int count, const char *const *set)
{
    stand s;
    ifd_case *c;
    assert_int_equal(ifd_case_read(arena, CASE, count, set, &c, &note), IFD_OK);
    ifd_hybrid_options o = *c->test;
    rig = ifd_virtual_rig;
    rig.sense = sense;
    o.rig = &rig;
    o.observe = observe;
    o.force_stuck = observe ? IFD_STUCK_OFF : o.force_stuck;
    shown = 0.0;
    assert_int_equal(ifd_hybrid_make(arena, &o, &s.h, &note), IFD_OK);
    s.t = ifd_hybrid_ticked(s.h);
    return s;
}

static ifd_run_state tick(const stand *s)
{
    return s->t.tick(s->t.self, &(ifd_tick_in){0});
}

static double column(const stand *s, const char *owner, ifd_quantity q)
{
    int count;
    const ifd_column *c = ifd_hybrid_columns(s->h, &count);
    int k = ifd_column_find(c, count, owner, q);
    assert_true(k >= 0);
    return s->t.values(s->t.self)[k];
}

static void until(const stand *s, double t)
{
    while (ifd_hybrid_time(s->h) < t)
        if (tick(s) != IFD_RUN_GOING)
            fail_msg("%s of channel %d at %g s", ifd_trip_name(ifd_hybrid_trip(s->h).trip), ifd_hybrid_faulty(s->h),
                     ifd_hybrid_time(s->h));
}

/* Every step takes the force that the load cell shows in its first tick. */
TEST_IN_ARENA(the_load_is_the_measured_force)
{
    stand s = open_stand(false, 0, NULL);
    int checked = 0;
    double least = 1.0, most = 1.0;
    until(&s, 1.0);
    for (int k = 0; k < 6000; k++) {
        bool first = ifd__test_of(s.h)->exchange == 0.0;
        assert_int_equal(tick(&s), IFD_RUN_GOING);
        double factor = column(&s, bearing[1], IFD_COLUMN_LOAD_FACTOR);
        for (int i = 0; i < 3; i++)
            assert_true(column(&s, bearing[i], IFD_COLUMN_LOAD_FACTOR) == factor);
        if (first && factor == 1.0 + (last / WEIGHT - 1.0))
            checked++;
        least = fmin(least, factor);
        most = fmax(most, factor);
    }
    assert_int_equal(checked, 3000);
    assert_near(least, 1.0 - 0.6 / 2.943, 0.01, "least factor");
    assert_near(most, 1.0 + 0.6 / 2.943, 0.01, "largest factor");
}

#define SLIDES "radius: 2.8 m, friction: 0.05, friction-slow: 0.02, rate: 20}}"

/* A load cell that shows 1.3 times the weight, against bearings whose constant load is 1.3 times as large. */
TEST_IN_ARENA(a_constant_measured_force_is_a_constant_load)
{
    static const char heavy[] =
        "model.elements=[{name: abutment1, friction-pendulum: {between: [ground, d1.y], load: 3.8259 MN, " SLIDES
        ", {name: bearing2, friction-pendulum: {between: [p2, d11.y], load: 7.6518 MN, " SLIDES
        ", {name: abutment2, friction-pendulum: {between: [ground, d16.y], load: 3.8259 MN, " SLIDES "]";
    static const char limits[] = "force-control.0.limits={stroke: 1 m, velocity: 1 m/s, acceleration: 10 m/s2, "
                                 "force: 500 MN, tracking: 1 m}";
    static const char *const heavier[] = {heavy, "force-control.0.error=50 MN", limits};
    stand s[2] = {open_stand(true, 2, heavier + 1), open_stand(true, 3, heavier)};
    for (int k = 0; k < 2; k++) {
        while (ifd_hybrid_time(s[k].h) == 0.0) {
            shown = ifd_hybrid_state(s[k].h) == IFD_MACHINE_RUN ? 1.3 : 0.0;
            assert_int_equal(tick(&s[k]), IFD_RUN_GOING);
        }
        shown = 1.3;
        until(&s[k], 1.5);
    }
    const ifd__numerical_model *b = &s[0].h->numerical.model[0];
    double moved = 0.0;
    for (int i = 0; i < b->m->n; i++) {
        double u = s[0].h->x[b->at + i];
        assert_near(u, s[1].h->x[b->at + i], 1e-9, "dof %d", i);
        moved = fmax(moved, fabs(u));
    }
    assert_true(moved > 0.001);
}

/* Uplift is the least load, the force limit of the actuator the largest one; a force that is not a number leaves the
 * last load. */
TEST_IN_ARENA(the_load_is_bounded_and_kept)
{
    static const char *const set[] = {"force-control.0.error=50 MN"};
    static const struct {
        double shown, factor;
    } row[] = {{-0.5, 0.0}, {0.0, 0.0}, {0.01, 0.01}, {1.7, 1.7}, {2.0, 2.0}, {3.0, 6.0 / 2.943}, {(double)NAN, -1}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        stand s = open_stand(true, 1, set);
        until(&s, 0.1);
        double before = column(&s, bearing[0], IFD_COLUMN_LOAD_FACTOR);
        shown = row[i].shown == 0.0 ? 1e-300 : row[i].shown;
        while (ifd__test_of(s.h)->exchange != 0.0)
            (void)tick(&s);
        (void)tick(&s);
        double factor = column(&s, bearing[0], IFD_COLUMN_LOAD_FACTOR);
        assert_near(factor, row[i].factor < 0.0 ? before : row[i].factor, 1e-12, "factor, shown %g", row[i].shown);
    }
}

TESTS()
