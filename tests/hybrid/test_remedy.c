/* SPDX-License-Identifier: MIT */
/* What the monitor of stability does to a loop that a delay makes unstable: lead of the compensator, damping. Judged
 * on the commands that the rig receives: how far, and their first and second differences. */
#include "hybrid/case_stand.h"
#include "hybrid/hybrid.h"
#include "hybrid/monitor_actions.h"
#include "hybrid/units.h"

/* loop.yaml: the critical delay is c/k = 2 ms; a tick is 1/1024 s. */
#define CASE IFD_SOURCE_DIR "/tests/hybrid/loop.yaml"

static stand s;
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

static double value(const char *owner, ifd_quantity q)
{
    int i = ifd_column_find(s.channel, s.t.count, owner, q);
    assert_true(i >= 0);
    return s.t.values(s.t.self)[i];
}

static double lead(const ifd_hybrid *h)
{
    (void)h;
    return value("spring", IFD_COLUMN_LOOP_LEAD);
}

static double damping(const ifd_hybrid *h)
{
    (void)h;
    return value("spring", IFD_COLUMN_LOOP_DAMPING);
}

static double work(const ifd_hybrid *h)
{
    (void)h;
    return value("spring", IFD_COLUMN_LOOP_DAMPING_WORK);
}

static const quantity own[] = {QUANTITY(spy, step),
                               QUANTITY(spy, far),
                               QUANTITY(spy, bends),
                               QUANTITY(spy, lose),
                               {.name = "lead", .of = lead},
                               {.name = "damping", .of = damping},
                               {.name = "work", .of = work},
                               {.name = "reached", .of = reached},
                               {0}};

static player *open(const char *set)
{
    memset(&spy, 0, sizeof spy);
    s = (stand){.own = own};
    return stand_case(&s, CASE, set, sense, command);
}

static void end(void)
{
    unmake(&s);
}

static void forget(void)
{
    spy.far = spy.fast = spy.bends = 0.0;
}

#define LATE(ms) "specimen.0.actuator={delay: {delay: " #ms " ms}}; "
/* Of the compensation: half of 6 ms. The other half is 1.5 times the critical delay. */
#define LEADS "specimen.0.compensation={inverse-1: {delay: 3 ms}}; "

/* Delay of the measured position behind the target over the next ticks, by least squares of the difference of both
 * on the velocity of the target, from columns of the record only. */
static double delay_over(long count)
{
    double top = 0, bottom = 0, before = value("spring", IFD_COLUMN_INTERFACE_TARGET);
    for (long k = 0; k < count; k++) {
        player_tick(&s.p, IFD_ORDER_NONE);
        double x = value("spring", IFD_COLUMN_INTERFACE_TARGET), v = (x - before) * 1024;
        top -= (value("spring", IFD_COLUMN_INTERFACE_DEFORMATION) - x) * v;
        bottom += v * v;
        before = x;
    }
    return top / bottom;
}

#define RETUNES(set) "test.monitor={caution: retune, " set "}; "
#define NOTES "act: note, hold: note"
#define DAMPS(set) "test.monitor={passivity: damp, most-damping: 3 kN s/m, " set "}; "

static const scenario rows[] = {
    /* 0.45 and 0.6 of the critical delay with the half tick of the force that is held. */
    {"below its level nothing is retuned", LATE(3.9) LEADS "test.monitor={caution: retune}",
     "until reached >= 8; is run; count.LOOP_RETUNED = 0; lead = 0"},
    {"above its level the compensator is retuned", LATE(4.5) LEADS "test.monitor={caution: retune}",
     "until reached >= 8; is run; count.LOOP_RETUNED > 0; lead > 0"},
    /* `most-lead`, exactly; then the level is a note, and the next one holds. */
    {"lead has an end", LATE(6) LEADS RETUNES("hold: note, most-lead: 1.5 ms"),
     "until reached >= 8; count.LOOP_RETUNED = 2; lead = 1.5e-3; count.LOOP_CAUTION = 3"},
    /* In the middle of a change. The command comes to rest and starts again without a jump. Without measurements
     * nothing is retuned. */
    {"a hold keeps the lead", LATE(6) LEADS RETUNES(NOTES) "test.limits=observe",
     "until reached >= 1.4; most := bends * 1.25; hold; 3000; is hold; step = 0; count.LOOP_RETUNED = 1\n"
     "lead = 1e-3; resume; 1000; is run; lead = 1e-3; bends < most"},
    /* Both sides of a tenth of the stored energy: see the rule of passivity in test_watch.c. */
    {"without a deficit nothing is damped", LATE(0.001) DAMPS("hold: note"),
     "until reached >= 3; count.LOOP_DAMPED = 0; work = 0"},
    {"a deficit is damped", LATE(5.86) DAMPS("hold: note"), "until reached >= 3; count.LOOP_DAMPED = 1; work > 0"},
};
SCENARIOS(rows, open, end)

/* Three milliseconds too late: three changes of 1 ms, a second apart, and the loop is stable. The command bends no
 * more than before. */
TEST(lead_is_added_until_the_loop_is_stable)
{
    double changed[8] = {0}, led = 0.0;
    long changes = 0;
    play(open(LATE(6) LEADS RETUNES(NOTES)), "until reached >= 1");
    double bends = spy.bends;
    while (ifd_hybrid_time(s.h) < 6) {
        double before = lead(s.h);
        player_tick(&s.p, IFD_ORDER_NONE);
        led = lead(s.h);
        assert_true(led >= before && led - before < 1.9e-3 / 0.5 / 1024); /* the largest slope of the quintic */
        if (ifd_hybrid_count(s.h, IFD_TRIP_LOOP_RETUNED) > changes)
            changed[changes++] = ifd_hybrid_time(s.h);
        assert_true(changes < 8 && led <= 1e-3 * (double)changes + 1e-15);
    }
    assert_int_equal(changes, 3);
    assert_near(changed[0], 1.1, 0.03, "the first window, and persistence");
    assert_true(changed[1] - changed[0] > 0.999 && changed[2] - changed[1] > 0.999);
    print_message("bends %.3g um, before %.3g um\n", 1e6 * spy.bends, 1e6 * bends);
    play(&s.p, "is run; lead = 3e-3 +- 1e-4; bends < %.17g", 1.25 * bends);
    forget();
    assert_near(delay_over(2000), 0.0, 1e-4, "delay that remains");
    assert_true(spy.far < 0.0095); /* it decays */
    end();
}

/* Twelve ticks of delay, six times the critical one: without action 68 mm at 4 s. The damping removes the energy that
 * the delay adds, and the damping of the structure decides: peaks decay as e^(-c t / 2 m) = e^(-0.1 t). */
TEST(damping_keeps_a_late_loop_from_growing)
{
    play(open(LATE(11.71875) DAMPS("damp-energy: 100 %")), "until reached >= 0.1; count.LOOP_DAMPED = 0");
    double bends = spy.bends;
    /* c by 3 kN s/m in 0.1 s at 0.11 m/s, and up to 1.2 kN s/m at 1.2 m/s2: 3.2 N + 1.4 N in a tick */
    for (double before = 0; ifd_hybrid_time(s.h) < 3 && ifd_hybrid_state(s.h) == IFD_MACHINE_RUN;) {
        player_tick(&s.p, IFD_ORDER_NONE);
        double force = damping(s.h);
        assert_true(fabs(force - before) < 4.7);
        before = force;
    }
    print_message("largest %.2f mm, bends %.3g um, before %.3g um\n", 1e3 * spy.far, 1e6 * spy.bends, 1e6 * bends);
    play(&s.p, "is run; count.LOOP_DAMPED = 1; far < 0.011"); /* the rule of energy counts the damping */
    assert_true(spy.bends < 1.1 * 0.011 / 0.010 * bends);
    play(&s.p,
         "far := 0; until reached >= 4; third := far; far := 0; until reached >= 7; far := 0; until reached >= 8");
    print_message("in the fourth second %.2f mm, in the eighth %.2f mm\n", 1e3 * play_value(&s.p, "third"),
                  1e3 * spy.far);
    assert_near_rel(play_value(&s.p, "third"), 0.01 * exp(-0.1 * 3), 0.1, "peak in the fourth second");
    assert_near_rel(spy.far, 0.01 * exp(-0.1 * 7), 0.1, "peak in the eighth second");
    end();
}

/* 5 % of the work done at the specimen, from the columns of the record; beyond it the damping fades within 0.1 s. A
 * loop that needs more is held. */
TEST(damping_has_an_end)
{
    double done = 0, before = 0, most = 0, share = 0;
    play(open(LATE(11.71875) "test.monitor={passivity: damp, most-damping: 3 kN s/m}"), "until time > 0");
    before = value("spring", IFD_COLUMN_INTERFACE_TARGET);
    while (ifd_hybrid_state(s.h) == IFD_MACHINE_RUN) {
        player_tick(&s.p, IFD_ORDER_NONE);
        double x = value("spring", IFD_COLUMN_INTERFACE_TARGET);
        done += fabs(value("spring", IFD_COLUMN_INTERFACE_FORCE) * (x - before));
        most = fmax(most, work(s.h) - 0.05 * done);
        share = work(s.h) / done;
        before = x;
    }
    print_message("%.2f %% of %.2f J, at most %.2f J above 5 %%\n", 100 * share, done, most);
    assert_true(share < 0.055 && share > 0.04);
    assert_true(most < 0.1 * 3000 * 0.1 * 0.1); /* J, of 3 kN s/m and 0.1 m/s in 0.1 s */
    play(&s.p, "is hold; fault LOOP_ENERGY; count.LOOP_CAUTION > 0");
    end();
}

/* On hold the damping fades, and without measurements too, until the test trips: then no structure is computed. */
TEST(without_measurements_the_damping_fades)
{
    for (int hold = 0; hold < 2; hold++) {
        double largest = 0;
        play(open(LATE(5.86) DAMPS("hold: note, damp-energy: 100 %") "test.limits=observe"), "until reached >= 2");
        for (int k = 0; k < 300; k++) {
            player_tick(&s.p, IFD_ORDER_NONE);
            largest = fmax(largest, fabs(damping(s.h)));
        }
        assert_true(largest > 10.0);
        play(&s.p, "most := bends * 1.25; before := work; lose := %d", !hold);
        forget();
        play(&s.p, hold ? "hold; 103; is hold; bends < most" : "104; is tripped");
        play(&s.p, "damping = 0; work >= before"); /* after 0.1 s */
        end();
    }
}

/* The mean square of the velocity has a memory of 0.5 s of simulated time. Time that goes back has none: neither the
 * mean square changes, nor is there a force. */
TEST(only_time_that_advances_is_damped)
{
    static const double rates[] = {1.0, 0.25, 0.0, -0.25, -1.0};
    play(open(LATE(5.86) DAMPS("hold: note, damp-energy: 100 %")), "until reached >= 2");
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
    end();
}

/* Two of them at one dof share its mass. */
#define ONE_OF(name)                                                                                                 \
    "{name: " name ", spring: {at: x, stiffness: 5e4 N/m}, estimate: {stiffness: 5e4 N/m}, "                         \
    "limits: {stroke: 100 mm, velocity: 5 m/s, acceleration: 200 m/s2}}"

TEST(what_cannot_be_done_is_refused)
{
    static const struct {
        const char *set[2];
        ifd_status status;
        const char *says;
    } row[] = {
        {{"test.monitor={act: retune}"}, IFD_CONFLICT, "has no compensation"},
        {{"test.monitor={act: retune}",
          "specimen.0.compensation={tracking-adaptive: {delay: 1 ms, amplitude: 1 cm}}"},
         IFD_CONFLICT,
         "has compensation tracking-adaptive"},
        {{"test.monitor={act: damp}"}, IFD_RANGE, "expected more than 0 and at most"},
        {{"test.monitor={act: damp, most-damping: 204.9 kN s/m}"}, IFD_RANGE, "2.048e+05 N s/m"},
        {{"test.monitor={act: damp, most-damping: 102.5 kN s/m}", "specimen=[" ONE_OF("a") ", " ONE_OF("b") "]"},
         IFD_RANGE,
         "1.024e+05 N s/m"},
        {{"test.monitor={act: damp, most-damping: 1 kN s/m}", "specimen.0.estimate={stiffness: 0}"},
         IFD_CONFLICT,
         "expected `estimate"},
        {{"test.monitor={act: damp, most-damping: 1 kN s/m, damp-energy: 0}"}, IFD_RANGE, "'damp-energy' is 0"},
        {{"test.monitor={act: damp, most-damping: 204.7 kN s/m}"}, IFD_OK, NULL},
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        const char *set[] = {"time.end=1 s", "specimen.0.actuator={delay: {delay: 1 ms}}", row[i].set[0],
                             row[i].set[1]};
        const ifd_case_source source = {.path = CASE, .sets = row[i].set[1] ? 4 : 3, .set = set};
        s = (stand){0};
        assert_int_equal(stand_try(&s, &source, NULL, NULL), row[i].status);
        if (row[i].says)
            assert_non_null(strstr(s.note.first->text, row[i].says));
        else
            ifd_hybrid_close(s.h);
        ifd_arena_close(s.arena);
    }
}

TESTS()
