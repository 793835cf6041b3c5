/* SPDX-License-Identifier: MIT */
/* The spring of a commanded force, called by itself: position x, command p and force f of a spring of 4 N/m, actuator
 * three ticks late. Means and bounds are exact. Then complete tests, with a position that drifts from a state on. */
#include "check.h"

#include <interfield/virtual.h>

#include "hybrid/bare.h"
#include "hybrid/laboratory.h"
#include "hybrid/limits/spring.h"

enum { LINE = 4 };
static ifd__interface_state *c;
static ifd__pushed *p;
static ifd__spring_fit *s;
static const ifd_force_command law = {.delay = 3.0};
static ifd_force_control loop;

static void begin(double error)
{
    c = bare_begin();
    loop = (ifd_force_control){.computed = &law, .stiffness = 4.0, .error = 4.0 * error};
    bare_option[0].force = &loop;
    bare.io.pushed[0] = (ifd__pushed *)(bare_x + BARE_PUSHED);
    bare.line[0] = NULL;
    bare.measure.aux = 1;
    p = bare.io.pushed[0];
    s = &p->spring;
    ifd__spring_make(&bare, 0);
    ifd__hybrid_bind(&bare);
    assert_ptr_equal(bare.line[0], bare_x + BARE_LINE);
    assert_int_equal(bare.size, BARE_LINE + LINE);
    memset(s, 1, sizeof *s);
    c->command = 9.0;
    for (int i = 0; i < LINE + 2; i++)
        bare_x[BARE_LINE + i] = 77.0 + i;
    ifd__spring_begin(&bare, 0);
    static const ifd__spring_fit none;
    assert_memory_equal(s, &none, sizeof none);
    for (int i = 0; i < LINE; i++)
        assert_near(bare_x[BARE_LINE + i], 9.0, 0.0, "past command");
}

static ifd_action tick(ifd_machine state, double x, double command, double f)
{
    bare_state(state);
    p->x = x;
    c->command = command;
    c->measured_f = f;
    ifd_action a = ifd__spring_guard(&bare, 0, IFD_ACTION_NOTE);
    assert_near(bare_x[BARE_LINE + LINE], 77.0 + LINE, 0.0, "behind the line");
    return a;
}

/* x - p: off, for these ticks. */
static ifd_action keep(ifd_machine state, double off, int ticks)
{
    ifd_action worst = IFD_ACTION_NOTE;
    for (int i = 0; i < ticks; i++)
        worst = tick(state, 9.0 + off, 9.0, 0.0) > worst ? IFD_ACTION_TRIP : worst;
    return worst;
}

TEST(the_command_is_that_of_three_ticks_ago)
{
    begin(1.0);
    double travel = 0.0;
    for (int i = 1; i <= 30; i++) {
        double at = i <= 3 ? 9.0 : i <= 12 ? 9.0 - (i - 3) : 0.0; /* of the ticks -i + 9, then 0 */
        (void)tick(IFD_MACHINE_READY, 1.0, i <= 9 ? 9.0 - i : 0.0, 3.0);
        assert_near(s->off[(i - 1) % 20], 1.0 - at + 0.75, 0.0, "x - p + f/s");
        travel = fmax(i > 3 && i <= 12 ? 1.0 : 0.0, 0.95 * travel);
        assert_near(s->travel, travel, 1e-12, "travel");
        assert_near(s->known, i, 0.0, "ticks");
    }
    assert_near(s->next, 10.0, 0.0, "next");
}

/* The mean of the first 20 is subtracted: 5. */
TEST(the_reference_is_the_mean_of_the_first_ticks)
{
    static const struct {
        double off;
        bool trips;
    } rows[] = {{9.0, false}, {9.01, true}, {1.0, false}, {0.99, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin(4.0);
        assert_int_equal(keep(IFD_MACHINE_RUN, 5.0, 20), IFD_ACTION_NOTE);
        assert_near(s->first, 5.0, 0.0, "reference");
        /* 19 of 20 are within 6 standard deviations, of one jump: 6 sqrt(0.5/19) = 0.97 of it */
        assert_int_equal(keep(IFD_MACHINE_RUN, rows[i].off, 19), IFD_ACTION_NOTE);
        assert_int_equal(keep(IFD_MACHINE_RUN, rows[i].off, 1) != IFD_ACTION_NOTE, rows[i].trips);
        assert_near(s->first, 5.0, 0.0, "reference");
    }
}

/* The last 20 values, of which the newest is 0 at its place 7; the one after it is the oldest. */
static bool trips(double level, double swing, double jump, double travel)
{
    begin(1.0);
    s->known = 20.0;
    s->next = 7.0;
    s->travel = travel;
    for (int i = 0; i < 20; i++) /* the oldest one differs by a jump */
        s->off[(8 + i) % 20] = level + (i % 2 ? swing : -swing) + (i == 0 ? jump : 0.0);
    return tick(IFD_MACHINE_RUN, 9.0 + s->off[7], 9.0, 0.0) != IFD_ACTION_NOTE;
}

TEST(the_permitted_deviation_is_that_of_the_rule)
{
    static const struct {
        double level, swing, jump, travel;
        bool trips;
    } rows[] = {
        {8.48, 1.0, 0.0, 0.0, false}, /* 6 sqrt(2) */
        {8.49, 1.0, 0.0, 0.0, true},
        {-8.49, 1.0, 0.0, 0.0, true},
        {5.69, 0.0, 0.0, 3.0, false}, /* twice 0.95 of 3 */
        {5.71, 0.0, 0.0, 3.0, true},
        {1.0, 0.0, 0.0, 0.0, false}, /* the error */
        {1.01, 0.0, 0.0, 0.0, true},
        {9.25, 0.0, 10.0, 0.0, true}, /* one jump: 6 sqrt(0.5/19) 10 = 9.73, and 9.75 = 9.25 + 10/20 */
        {9.22, 0.0, 10.0, 0.0, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (trips(rows[i].level, rows[i].swing, rows[i].jump, rows[i].travel) != rows[i].trips)
            fail_msg("row %zu", i);
}

/* A trend from the oldest to the newest: its steps count, not its range. */
TEST(a_trend_has_the_deviation_of_its_steps)
{
    for (int sign = -1; sign < 2; sign += 2) {
        begin(1.0);
        assert_int_equal(keep(IFD_MACHINE_RUN, 0.0, 20), IFD_ACTION_NOTE);
        long i = 1; /* of 0.25 each: the mean is i (i + 1)/2 0.25/20 */
        while (i < 100 && keep(IFD_MACHINE_RUN, 0.25 * sign * (double)i, 1) == IFD_ACTION_NOTE)
            i++;
        assert_int_equal(i, 13); /* 1.14 exceeds the error, and 6 0.25 sqrt(0.5 13/19) = 0.88 */
    }
}

TEST(every_armed_state_is_judged)
{
    for (ifd_machine now = IFD_MACHINE_IDLE; now <= IFD_MACHINE_RETURN; now++) {
        bool armed = now == IFD_MACHINE_READY || now == IFD_MACHINE_RAMP_IN || now == IFD_MACHINE_RUN ||
                     now == IFD_MACHINE_HOLD || now == IFD_MACHINE_RAMP_OUT;
        begin(1.0);
        (void)keep(now, 0.0, 20);
        if ((keep(now, 2.0, 20) != IFD_ACTION_NOTE) != armed)
            fail_msg("%s", ifd_machine_name(now));
    }
    for (int unknown = 0; unknown < 2; unknown++) {
        begin(1.0);
        (void)keep(IFD_MACHINE_RUN, 0.0, 20);
        bare.measure.aux = !unknown;
        ifd__test_of(&bare)->rig.stale = !unknown;
        assert_int_equal(keep(IFD_MACHINE_RUN, 2.0, 20), IFD_ACTION_NOTE);
    }
}

static struct {
    ifd_machine from;
    double off;
    ifd_hybrid *h;
} drift;

static bool sense(ifd_rig *r, ifd_measure *out, double *x)
{
    bool fresh = ifd_virtual_rig.sense(r, out, x);
    drift.off += drift.h && ifd_hybrid_state(drift.h) == drift.from ? 3e-6 : 0.0; /* 3 mm/s */
    out->auxiliary[0] += drift.off;
    return fresh;
}

static ifd_order order(ifd_machine now)
{
    return now == IFD_MACHINE_IDLE                                    ? IFD_ORDER_ARM
           : now == IFD_MACHINE_READY && drift.from != now            ? IFD_ORDER_RUN
           : now == IFD_MACHINE_RUN && drift.from == IFD_MACHINE_HOLD ? IFD_ORDER_HOLD
                                                                      : IFD_ORDER_NONE;
}

/* Complete tests: the position of the specimen drifts in one state only, which is also that of the fault. */
TEST(a_drift_trips_in_every_state)
{
    static const ifd_machine states[] = {IFD_MACHINE_READY, IFD_MACHINE_RAMP_IN, IFD_MACHINE_RUN, IFD_MACHINE_HOLD,
                                         IFD_MACHINE_RAMP_OUT};
    ifd_rig_ops ops = ifd_virtual_rig;
    ops.sense = sense;
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        drift.h = NULL;
        drift.off = 0.0;
        drift.from = states[i];
        lab *l = lab_make("effective-force/rig", (const char *const[]){"time.end=1 s", NULL}, &ops);
        drift.h = l->h;
        ifd_hybrid_conduct(l->h, false, true);
        ifd_machine now = IFD_MACHINE_IDLE;
        for (long k = 0; k < 100000 && ifd_hybrid_trip(l->h).trip == IFD_TRIP_NONE; k++) {
            now = ifd_hybrid_state(l->h);
            l->last = l->t.tick(l->t.self, &(ifd_tick_in){.order = order(now)});
        }
        ifd_trip trip = ifd_hybrid_trip(l->h).trip;
        if (trip != IFD_TRIP_SPRING || now != states[i])
            fail_msg("%s: %s in %s", ifd_machine_name(states[i]), ifd_trip_name(trip), ifd_machine_name(now));
        lab_close(l);
    }
}

TESTS()
