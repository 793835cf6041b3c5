/* SPDX-License-Identifier: MIT */
/* What the monitor of stability does to a loop that a delay makes unstable: lead of the compensator, damping. Judged
 * on the commands that the rig receives: how far, and their first and second differences. */
#include "check.h"
#include "fixture.h"

#include <string.h>

#include <interfield/case.h>
#include <interfield/virtual.h>

#include "hybrid/units.h"
#include "hybrid/hybrid.h"
#include "hybrid/monitor_actions.h"

/* loop.yaml: the critical delay is c/k = 2 ms; a tick is 1/1024 s. */
#define CASE IFD_SOURCE_DIR "/tests/hybrid/loop.yaml"

static ifd_rig_ops rig;
static struct {
    double last, step;       /* m, of the command */
    double far, fast, bends; /* largest: command, first difference, second difference */
    bool lose;               /* every measurement from now on */
} spy;

static bool sense(ifd_rig *r, ifd_measure *out, double *x)
{
    ifd_measure m = *out;
    bool fresh = ifd_virtual_rig.sense(r, &m, x) && !spy.lose;
    if (fresh)
        *out = m;
    return fresh;
}

static void command(ifd_rig *r, const ifd_command *c, double *x)
{
    double u = c->position[0], step = u - spy.last;
    if (c->state == IFD_MACHINE_RUN || c->state == IFD_MACHINE_HOLD) {
        spy.far = fmax(spy.far, fabs(u));
        spy.fast = fmax(spy.fast, fabs(step));
        spy.bends = fmax(spy.bends, fabs(step - spy.step));
    }
    spy.last = u;
    spy.step = step;
    ifd_virtual_rig.command(r, c, x);
}

typedef struct stand {
    ifd_hybrid *h;
    ifd_ticked t;
} stand;

static ifd_status try_stand(stand *s, int count, const char *const *set)
{
    ifd_case *c;
    IFD_TRY(ifd_case_read(arena, CASE, count, set, &c, &note));
    ifd_hybrid_options o = *c->test;
    rig = ifd_virtual_rig;
    rig.sense = sense;
    rig.command = command;
    o.rig = &rig;
    memset(&spy, 0, sizeof spy);
    IFD_TRY(ifd_hybrid_make(arena, &o, &s->h, &note));
    s->t = ifd_hybrid_ticked(s->h);
    return IFD_OK;
}

static void open_stand(stand *s, int count, const char *const *set)
{
    ifd_status status = try_stand(s, count, set);
    for (const ifd_finding *f = note.first; f && status != IFD_OK; f = f->next)
        print_error("%s\n", f->text);
    assert_int_equal(status, IFD_OK);
}

static void forget(void)
{
    spy.far = spy.fast = spy.bends = 0.0;
}

static void tick(stand *s, ifd_order order)
{
    s->t.tick(s->t.self, &(ifd_tick_in){.order = order});
}

/* To a simulated time, or to the end of the run. */
static void run_to(stand *s, double t)
{
    for (long k = 0; k < 40000 && ifd_hybrid_time(s->h) < t; k++) {
        tick(s, IFD_ORDER_NONE);
        ifd_machine state = ifd_hybrid_state(s->h);
        if (state == IFD_MACHINE_HOLD || state == IFD_MACHINE_TRIPPED || state == IFD_MACHINE_RAMP_OUT)
            return;
    }
}

static double value(const stand *s, const char *owner, ifd_quantity q)
{
    int count, i = ifd_column_find(ifd_hybrid_columns(s->h, &count), s->t.count, owner, q);
    assert_true(i >= 0);
    return s->t.values(s->t.self)[i];
}

#define LATE(ms) "specimen.0.actuator={delay: {delay: " #ms " ms}}"
/* Of the compensation: half of 6 ms. The other half is 1.5 times the critical delay. */
#define LEADS "specimen.0.compensation={inverse-1: {delay: 3 ms}}"

/* Delay of the measured position behind the target over the next ticks, by least squares of the difference of both
 * on the velocity of the target, from columns of the record only. */
static double delay_over(stand *s, long count)
{
    double top = 0, bottom = 0, before = value(s, "spring", IFD_COLUMN_INTERFACE_TARGET);
    for (long k = 0; k < count; k++) {
        tick(s, IFD_ORDER_NONE);
        double x = value(s, "spring", IFD_COLUMN_INTERFACE_TARGET), v = (x - before) * 1024;
        top -= (value(s, "spring", IFD_COLUMN_INTERFACE_MEASURED) - x) * v;
        bottom += v * v;
        before = x;
    }
    return top / bottom;
}

/* Three milliseconds too late: three changes of 1 ms, a second apart, and the loop is stable. The command bends no
 * more than before. */
TEST_IN_ARENA(lead_is_added_until_the_loop_is_stable)
{
    static const char *const set[] = {LATE(6), LEADS, "test.monitor={caution: retune, act: note, hold: note}"};
    stand s;
    double changed[8] = {0}, lead = 0.0;
    long changes = 0;
    open_stand(&s, 3, set);
    run_to(&s, 1.0);
    double bends = spy.bends;
    while (ifd_hybrid_time(s.h) < 6) {
        double before = value(&s, "spring", IFD_COLUMN_LOOP_LEAD);
        tick(&s, IFD_ORDER_NONE);
        lead = value(&s, "spring", IFD_COLUMN_LOOP_LEAD);
        assert_true(lead >= before && lead - before < 1.9e-3 / 0.5 / 1024); /* the largest slope of the quintic */
        if (ifd_hybrid_count(s.h, IFD_TRIP_LOOP_RETUNED) > changes)
            changed[changes++] = ifd_hybrid_time(s.h);
        assert_true(changes < 8 && lead <= 1e-3 * (double)changes + 1e-15);
    }
    assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_RUN);
    assert_int_equal(changes, 3);
    assert_near(changed[0], 1.1, 0.03, "the first window, and persistence");
    assert_true(changed[1] - changed[0] > 0.999 && changed[2] - changed[1] > 0.999);
    assert_near(lead, 3e-3, 1e-4, "lead");
    print_message("bends %.3g um, before %.3g um\n", 1e6 * spy.bends, 1e6 * bends);
    assert_true(spy.bends < 1.25 * bends);
    forget();
    assert_near(delay_over(&s, 2000), 0.0, 1e-4, "delay that remains");
    assert_true(spy.far < 0.0095); /* it decays */
    ifd_hybrid_close(s.h);
}

/* Below the level, and above it: 0.45 and 0.6 of the critical delay with the half tick of the force that is held. */
TEST_IN_ARENA(below_its_level_nothing_is_retuned)
{
    static const char *const late[] = {LATE(3.9), LATE(4.5)};
    for (int i = 0; i < 2; i++) {
        stand s;
        const char *const set[] = {late[i], LEADS, "test.monitor={caution: retune}"};
        open_stand(&s, 3, set);
        run_to(&s, 8);
        assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_RUN);
        assert_int_equal(ifd_hybrid_count(s.h, IFD_TRIP_LOOP_RETUNED) > 0, i);
        assert_true((value(&s, "spring", IFD_COLUMN_LOOP_LEAD) > 0.0) == (i > 0));
        ifd_hybrid_close(s.h);
    }
}

/* `most-lead`, exactly; then the level is a note, and the next one holds. */
TEST_IN_ARENA(lead_has_an_end)
{
    static const char *const set[] = {LATE(6), LEADS,
                                      "test.monitor={caution: retune, hold: note, most-lead: 1.5 ms}"};
    stand s;
    open_stand(&s, 3, set);
    run_to(&s, 8);
    assert_int_equal(ifd_hybrid_count(s.h, IFD_TRIP_LOOP_RETUNED), 2);
    assert_near(value(&s, "spring", IFD_COLUMN_LOOP_LEAD), 1.5e-3, 0.0, "lead");
    assert_int_equal(ifd_hybrid_count(s.h, IFD_TRIP_LOOP_CAUTION), 3);
    ifd_hybrid_close(s.h);
}

/* On hold the lead stays; the command comes to rest and starts again without a jump. Without measurements nothing is
 * retuned. */
TEST_IN_ARENA(a_hold_keeps_the_lead)
{
    static const char *const set[] = {LATE(6), LEADS, "test.monitor={caution: retune, act: note, hold: note}",
                                      "test.limits=observe"};
    stand s;
    open_stand(&s, 4, set);
    run_to(&s, 1.4); /* in the middle of a change */
    double bends = spy.bends;
    tick(&s, IFD_ORDER_HOLD);
    for (int k = 0; k < 3000; k++)
        tick(&s, IFD_ORDER_NONE);
    assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_HOLD);
    assert_true(spy.step == 0.0);
    assert_int_equal(ifd_hybrid_count(s.h, IFD_TRIP_LOOP_RETUNED), 1);
    assert_near(value(&s, "spring", IFD_COLUMN_LOOP_LEAD), 1e-3, 0.0, "lead");
    tick(&s, IFD_ORDER_RESUME);
    for (int k = 0; k < 1000; k++)
        tick(&s, IFD_ORDER_NONE);
    assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_RUN);
    assert_near(value(&s, "spring", IFD_COLUMN_LOOP_LEAD), 1e-3, 0.0, "lead");
    assert_true(spy.bends < 1.25 * bends);
    ifd_hybrid_close(s.h);
}

#define DAMPS "test.monitor={passivity: damp, most-damping: 3 kN s/m"

/* Twelve ticks of delay, six times the critical one: without action 68 mm at 4 s. The damping removes the energy that
 * the delay adds, and the damping of the structure decides: peaks decay as e^(-c t / 2 m) = e^(-0.1 t). */
TEST_IN_ARENA(damping_keeps_a_late_loop_from_growing)
{
    static const char *const set[] = {LATE(11.71875), DAMPS ", damp-energy: 100 %}"};
    stand s;
    open_stand(&s, 2, set);
    run_to(&s, 0.1);
    double bends = spy.bends;
    assert_int_equal(ifd_hybrid_count(s.h, IFD_TRIP_LOOP_DAMPED), 0);
    /* c by 3 kN s/m in 0.1 s at 0.11 m/s, and up to 1.2 kN s/m at 1.2 m/s2: 3.2 N + 1.4 N in a tick */
    for (double before = 0; ifd_hybrid_time(s.h) < 3 && ifd_hybrid_state(s.h) == IFD_MACHINE_RUN;) {
        tick(&s, IFD_ORDER_NONE);
        double force = value(&s, "spring", IFD_COLUMN_LOOP_DAMPING);
        assert_true(fabs(force - before) < 4.7);
        before = force;
    }
    assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_RUN); /* the rule of energy counts the damping */
    assert_int_equal(ifd_hybrid_count(s.h, IFD_TRIP_LOOP_DAMPED), 1);
    print_message("largest %.2f mm, bends %.3g um, before %.3g um\n", 1e3 * spy.far, 1e6 * spy.bends, 1e6 * bends);
    assert_true(spy.far < 0.011);
    assert_true(spy.bends < 1.1 * 0.011 / 0.010 * bends);
    forget();
    run_to(&s, 4);
    double third = spy.far;
    forget();
    run_to(&s, 7);
    forget();
    run_to(&s, 8);
    print_message("in the fourth second %.2f mm, in the eighth %.2f mm\n", 1e3 * third, 1e3 * spy.far);
    assert_near_rel(third, 0.01 * exp(-0.1 * 3), 0.1, "peak in the fourth second");
    assert_near_rel(spy.far, 0.01 * exp(-0.1 * 7), 0.1, "peak in the eighth second");
    ifd_hybrid_close(s.h);
}

/* Both sides of a tenth of the stored energy: see the rule of passivity in test_watch.c. */
TEST_IN_ARENA(without_a_deficit_nothing_is_damped)
{
    static const char *const late[] = {LATE(0.001), LATE(5.86)};
    for (int i = 0; i < 2; i++) {
        stand s;
        const char *const set[] = {late[i], DAMPS ", hold: note}"};
        open_stand(&s, 2, set);
        run_to(&s, 3);
        assert_int_equal(ifd_hybrid_count(s.h, IFD_TRIP_LOOP_DAMPED), i);
        assert_true((value(&s, "spring", IFD_COLUMN_LOOP_DAMPING_WORK) > 0.0) == (i > 0));
        ifd_hybrid_close(s.h);
    }
}

/* 5 % of the work done at the specimen, from the columns of the record; beyond it the damping fades within 0.1 s. A
 * loop that needs more is held. */
TEST_IN_ARENA(damping_has_an_end)
{
    static const char *const set[] = {LATE(11.71875), DAMPS "}"};
    stand s;
    double done = 0, before = 0, most = 0, share = 0;
    open_stand(&s, 2, set);
    while (ifd_hybrid_time(s.h) <= 0)
        tick(&s, IFD_ORDER_NONE);
    before = value(&s, "spring", IFD_COLUMN_INTERFACE_TARGET);
    while (ifd_hybrid_state(s.h) == IFD_MACHINE_RUN) {
        tick(&s, IFD_ORDER_NONE);
        double x = value(&s, "spring", IFD_COLUMN_INTERFACE_TARGET);
        done += fabs(value(&s, "spring", IFD_COLUMN_INTERFACE_FORCE) * (x - before));
        most = fmax(most, value(&s, "spring", IFD_COLUMN_LOOP_DAMPING_WORK) - 0.05 * done);
        share = value(&s, "spring", IFD_COLUMN_LOOP_DAMPING_WORK) / done;
        before = x;
    }
    print_message("%.2f %% of %.2f J, at most %.2f J above 5 %%\n", 100 * share, done, most);
    assert_true(share < 0.055 && share > 0.04);
    assert_true(most < 0.1 * 3000 * 0.1 * 0.1); /* J, of 3 kN s/m and 0.1 m/s in 0.1 s */
    assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_HOLD);
    assert_string_equal(ifd_trip_name(ifd_hybrid_trip(s.h).trip), "LOOP_ENERGY");
    assert_true(ifd_hybrid_count(s.h, IFD_TRIP_LOOP_CAUTION) > 0);
    ifd_hybrid_close(s.h);
}

/* On hold the damping fades, and without measurements too, until the test trips: then no structure is computed. */
TEST_IN_ARENA(without_measurements_the_damping_fades)
{
    for (int hold = 0; hold < 2; hold++) {
        static const char *const set[] = {LATE(5.86), DAMPS ", hold: note, damp-energy: 100 %}",
                                          "test.limits=observe"};
        stand s;
        double largest = 0;
        open_stand(&s, 3, set);
        run_to(&s, 2);
        for (int k = 0; k < 300; k++) {
            tick(&s, IFD_ORDER_NONE);
            largest = fmax(largest, fabs(value(&s, "spring", IFD_COLUMN_LOOP_DAMPING)));
        }
        assert_true(largest > 10.0);
        double bends = spy.bends, work = value(&s, "spring", IFD_COLUMN_LOOP_DAMPING_WORK);
        spy.lose = !hold;
        forget();
        for (int k = 0; k < 104; k++)
            tick(&s, hold && k == 0 ? IFD_ORDER_HOLD : IFD_ORDER_NONE);
        assert_int_equal(ifd_hybrid_state(s.h), hold ? IFD_MACHINE_HOLD : IFD_MACHINE_TRIPPED);
        assert_near(value(&s, "spring", IFD_COLUMN_LOOP_DAMPING), 0.0, 0.0, "after 0.1 s");
        assert_true(value(&s, "spring", IFD_COLUMN_LOOP_DAMPING_WORK) >= work);
        assert_true(!hold || spy.bends < 1.25 * bends);
        ifd_hybrid_close(s.h);
    }
}

/* The mean square of the velocity has a memory of 0.5 s of simulated time. Time that goes back has none: neither the
 * mean square changes, nor is there a force. */
TEST_IN_ARENA(only_time_that_advances_is_damped)
{
    static const char *const set[] = {LATE(5.86), DAMPS ", hold: note, damp-energy: 100 %}"};
    static const double rates[] = {1.0, 0.25, 0.0, -0.25, -1.0};
    stand s;
    open_stand(&s, 2, set);
    run_to(&s, 2);
    ifd__remedy *r = ifd__units_find(s.h, &ifd__unit_monitor)->own, begun = *r;
    const double lack = -100.0; /* J */
    ifd__interface_of(s.h, 0)->target_v = 0.03;
    ifd__interface_of(s.h, 0)->target = r->x;
    assert_true(begun.square > 0.0 && begun.damps > 0.0);
    for (size_t i = 0; i < COUNT(rates); i++) {
        double rate = rates[i], keep = exp(-rate / 1024.0 / 0.5), v = 0.03 / rate;
        *r = begun;
        ifd__test_of(s.h)->rate = rate;
        (void)ifd__remedy_tick(&s.h->io, r, &lack);
        assert_true(r->c > begun.c);
        if (rate > 0.0) {
            assert_near_rel(r->square, keep * begun.square + (1.0 - keep) * v * v, 1e-12, "mean square");
            assert_near_rel(r->force, r->c * v, 1e-12, "force");
        } else {
            assert_near(r->square, begun.square, 0.0, "mean square");
            assert_near(r->force, 0.0, 0.0, "force");
        }
    }
    ifd_hybrid_close(s.h);
}

/* Two of them at one dof share its mass. */
#define ONE_OF(name)                                                                                                 \
    "{name: " name ", spring: {at: x, stiffness: 5e4 N/m}, estimate: {stiffness: 5e4 N/m}, "                         \
    "limits: {stroke: 100 mm, velocity: 5 m/s, acceleration: 200 m/s2}}"

TEST_IN_ARENA(what_cannot_be_done_is_refused)
{
    static const struct {
        const char *set[3];
        ifd_status status;
        const char *says;
    } row[] = {
        {{"test.monitor={act: retune}", "time.end=1 s", LATE(1)}, IFD_CONFLICT, "has no compensation"},
        {{"test.monitor={act: retune}", "specimen.0.compensation={tracking-adaptive: {delay: 1 ms, amplitude: 1 cm}}",
          LATE(1)},
         IFD_CONFLICT,
         "has compensation tracking-adaptive"},
        {{"test.monitor={act: damp}", "time.end=1 s", LATE(1)}, IFD_RANGE, "expected more than 0 and at most"},
        {{"test.monitor={act: damp, most-damping: 204.9 kN s/m}", "time.end=1 s", LATE(1)},
         IFD_RANGE,
         "2.048e+05 N s/m"},
        {{"test.monitor={act: damp, most-damping: 102.5 kN s/m}", "specimen=[" ONE_OF("a") ", " ONE_OF("b") "]",
          "time.end=1 s"},
         IFD_RANGE,
         "1.024e+05 N s/m"},
        {{"test.monitor={act: damp, most-damping: 1 kN s/m}", "specimen.0.estimate={stiffness: 0}", LATE(1)},
         IFD_CONFLICT,
         "expected `estimate"},
        {{"test.monitor={act: damp, most-damping: 1 kN s/m, damp-energy: 0}", "time.end=1 s", LATE(1)},
         IFD_RANGE,
         "'damp-energy' is 0"},
        {{"test.monitor={act: damp, most-damping: 204.7 kN s/m}", "time.end=1 s", LATE(1)}, IFD_OK, NULL},
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        stand s;
        ifd_note_init(&note, arena);
        assert_int_equal(try_stand(&s, 3, row[i].set), row[i].status);
        if (row[i].says)
            assert_non_null(strstr(note.first->text, row[i].says));
        else
            ifd_hybrid_close(s.h);
    }
}

TESTS()
