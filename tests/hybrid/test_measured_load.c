/* SPDX-License-Identifier: MIT */
/* Sliding bearings of the model under the measured force of a vertical actuator, in the shipped case bridge/shared.
 * The virtual rig is wrapped, so that its load cell shows what a test needs. */
#include "hybrid/case_stand.h"
#include "hybrid/hybrid.h"

#define CASE IFD_SOURCE_DIR "/cases/bridge/shared.yaml"
#define WEIGHT 2.943e6 /* N */
enum { VERTICAL = 1 };

static const char *const bearing[] = {"abutment1", "bearing2", "abutment2"};

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

/* observe: limits are counted without a reaction, and a constant force is no fault. */
static player *open(stand *s, bool observe, const char *set)
{
    *s = (stand){0};
    (void)stand_case(s, CASE, set, sense, NULL);
    s->c->test->observe = observe;
    s->c->test->force_stuck = observe ? IFD_STUCK_OFF : s->c->test->force_stuck;
    shown = 0.0;
    stand_again(s);
    return &s->p;
}

static double load_factor(const stand *s, int which)
{
    int k = ifd_column_find(s->channel, s->columns, bearing[which], IFD_COLUMN_LOAD_FACTOR);
    assert_true(k >= 0);
    return s->t.values(s->t.self)[k];
}

/* Every step takes the force that the load cell shows in its first tick. */
TEST(the_load_is_the_measured_force)
{
    stand s;
    int checked = 0;
    double least = 1.0, most = 1.0;
    play(open(&s, false, NULL), "until time >= 1; result GOING");
    for (int k = 0; k < 6000; k++) {
        bool first = ifd__test_of(s.h)->exchange == 0.0;
        assert_int_equal(player_tick(&s.p, IFD_ORDER_NONE), IFD_RUN_GOING);
        double factor = load_factor(&s, 1);
        for (int i = 0; i < 3; i++)
            assert_true(load_factor(&s, i) == factor);
        if (first && factor == 1.0 + (last / WEIGHT - 1.0))
            checked++;
        least = fmin(least, factor);
        most = fmax(most, factor);
    }
    assert_int_equal(checked, 3000);
    assert_near(least, 1.0 - 0.6 / 2.943, 0.01, "least factor");
    assert_near(most, 1.0 + 0.6 / 2.943, 0.01, "largest factor");
    unmake(&s);
}

#define SLIDES "radius: 2.8 m, friction: 0.05, friction-slow: 0.02, rate: 20}}"

/* A load cell that shows 1.3 times the weight, against bearings whose constant load is 1.3 times as large. */
TEST(a_constant_measured_force_is_a_constant_load)
{
#define WIDE                                                                                                         \
    "force-control.0.error=50 MN; force-control.0.limits={stroke: 1 m, velocity: 1 m/s, acceleration: 10 m/s2, "     \
    "force: 500 MN, tracking: 1 m}"
    static const char *const sets[] = {
        WIDE, WIDE
        "; model.elements=[{name: abutment1, friction-pendulum: {between: [ground, d1.y], load: 3.8259 MN, " SLIDES
        ", {name: bearing2, friction-pendulum: {between: [p2, d11.y], load: 7.6518 MN, " SLIDES
        ", {name: abutment2, friction-pendulum: {between: [ground, d16.y], load: 3.8259 MN, " SLIDES "]"};
    stand s[2];
    for (int k = 0; k < 2; k++) {
        (void)open(&s[k], true, sets[k]);
        while (ifd_hybrid_time(s[k].h) == 0.0) {
            shown = ifd_hybrid_state(s[k].h) == IFD_MACHINE_RUN ? 1.3 : 0.0;
            assert_int_equal(player_tick(&s[k].p, IFD_ORDER_NONE), IFD_RUN_GOING);
        }
        shown = 1.3;
        play(&s[k].p, "until time >= 1.5; result GOING");
    }
    const ifd__numerical_model *b = &s[0].h->numerical.model[0];
    double moved = 0.0;
    for (int i = 0; i < b->m->n; i++) {
        double u = s[0].h->x[b->at + i];
        assert_near(u, s[1].h->x[b->at + i], 1e-9, "dof %d", i);
        moved = fmax(moved, fabs(u));
    }
    assert_true(moved > 0.001);
    unmake(&s[0]);
    unmake(&s[1]);
}

/* Uplift is the least load, the force limit of the actuator the largest one; a force that is not a number leaves the
 * last load. */
TEST(the_load_is_bounded_and_kept)
{
    static const struct {
        double shown, factor;
    } row[] = {{-0.5, 0.0}, {0.0, 0.0}, {0.01, 0.01}, {1.7, 1.7}, {2.0, 2.0}, {3.0, 6.0 / 2.943}, {(double)NAN, -1}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        stand s;
        play(open(&s, true, "force-control.0.error=50 MN"), "until time >= 0.1; result GOING");
        double before = load_factor(&s, 0);
        shown = row[i].shown == 0.0 ? 1e-300 : row[i].shown;
        while (ifd__test_of(s.h)->exchange != 0.0)
            player_tick(&s.p, IFD_ORDER_NONE);
        player_tick(&s.p, IFD_ORDER_NONE);
        double factor = load_factor(&s, 0);
        assert_near(factor, row[i].factor < 0.0 ? before : row[i].factor, 1e-12, "factor, shown %g", row[i].shown);
        unmake(&s);
    }
}

TESTS()
