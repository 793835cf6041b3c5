/* SPDX-License-Identifier: MIT */
/* ctest: not with sanitizers, unless every test is asked for */
/* Compensators in a hybrid test: the cases of cases/compensators against a plain inverse, on hold, with limits that
 * reduce commands, and with a measurement that is not finite. Delays are measured from what leaves the program: by
 * least squares of the tracking error on the velocity of the target. */
#include "hybrid/case_stand.h"
#include "hybrid/hybrid.h"
#include "hybrid/hybrid_error.h"

#define FOLDER IFD_SOURCE_DIR "/cases/compensators/"

static struct {
    bool nan;
    double last[IFD_RIG_ACTUATORS]; /* commands */
    double fastest, steepest;       /* largest change of a command in a tick, and change of this change */
    double step;
} spy;

static bool spy_sense(ifd_rig *r, ifd_measure *out, double *x)
{
    bool fresh = ifd_virtual_rig.sense(r, out, x);
    if (spy.nan)
        out->position[0] = (double)NAN;
    return fresh;
}

static void spy_command(ifd_rig *r, const ifd_command *c, double *x)
{
    double step = c->position[0] - spy.last[0];
    for (int k = 0; k < r->actuators; k++) {
        assert_true(isfinite(c->position[k]));
        spy.last[k] = c->position[k];
    }
    spy.fastest = fmax(spy.fastest, fabs(step));
    spy.steepest = fmax(spy.steepest, fabs(step - spy.step));
    spy.step = step;
    ifd_virtual_rig.command(r, c, x);
}

static player *open(stand *s, const char *name, const char *set)
{
    char path[300];
    snprintf(path, sizeof path, FOLDER "%s.yaml", name);
    memset(&spy, 0, sizeof spy);
    *s = (stand){0};
    return stand_case(s, path, set, spy_sense, spy_command);
}

/* s, over the next count ticks of 2 ms; positive: the specimen is late. */
static double delay_over(stand *s, long count)
{
    double top = 0, bottom = 0, before = column(s, "brace target");
    for (long k = 0; k < count; k++) {
        player_tick(&s->p, IFD_ORDER_NONE);
        double x = column(s, "brace target"), v = (x - before) / 2e-3, off = column(s, "brace deformation") - x;
        top -= off * v;
        bottom += v * v;
        before = x;
    }
    return top / bottom;
}

static double error_of(const char *name, int count, const char *const *sets)
{
    char path[300];
    hybrid_run r = {.path = path, .sets = count};
    hybrid_outcome o;
    snprintf(path, sizeof path, FOLDER "%s.yaml", name);
    for (int i = 0; i < count; i++)
        r.set[i] = sets[i];
    assert_true(hybrid_error(&r, &o));
    assert_int_equal(o.state, IFD_MACHINE_STOPPED);
    return o.error[0];
}

TEST(each_is_better_than_the_inverse_that_it_improves)
{
    static const char first[] = "specimen.0.compensation={inverse-1: {delay: 10.14 ms}}",
                      alone[] = "drives.0.compensation={inverse-2: {coefficients: [1, 0.01447, 1.119e-4]}}",
                      slow[] = "drives.0.actuators.1.actuator.second-order.frequency=10",
                      adapts[] = "drives.0.compensation.decoupling.doubt=0.1";
    const double plain = error_of("inverse", 0, NULL), simple = error_of("inverse", 1, (const char *const[]){first});
    static const struct {
        const char *name;
        bool first; /* of first order */
        double share;
    } rows[] = {{"adaptive-model", false, 0.2},
                {"cats", false, 0.25},
                {"tadc", false, 0.2},
                {"lqg", false, 0.75},
                {"predictive", false, 0.6},
                {"tracking-adaptive", true, 0.95},
                {"frequency-adaptive", true, 0.9}};
    for (size_t i = 0; i < (BRIEF ? 1 : COUNT(rows)); i++) {
        double share = error_of(rows[i].name, 0, NULL) / (rows[i].first ? simple : plain);
        print_message("%s: %.3f of the plain inverse\n", rows[i].name, share);
        assert_true(share < rows[i].share);
    }
    double coupled = error_of("platform", 0, NULL), apart = error_of("platform", 1, (const char *const[]){alone});
    double wrong = error_of("platform", 1, (const char *const[]){slow}),
           learnt = error_of("platform", 2, (const char *const[]){slow, adapts});
    assert_true(coupled < 0.02 * apart);
    assert_true(learnt < 0.05 * wrong);
    hybrid_error_end();
}

#define SERIES "specimen.0.compensation={adaptive-series: {coefficients: [1, 0.01014, 5.252e-5], noise: 10 um}}"
#define SLOW "specimen.0.limits.acceleration=4 m/s2; specimen.0.limits.tracking=30 mm"
#define NOISE "specimen.0.position-sensor.noise=100 um"

/* 20 s on hold with ten times the noise; then the delay is as small as before. */
TEST(a_hold_keeps_what_was_identified)
{
    static const char *const name[] = {"adaptive-model", "cats", "tadc", "inverse"};
    for (size_t i = 0; i < (BRIEF ? 1 : COUNT(name)); i++) {
        stand s;
        play(open(&s, name[i], strcmp(name[i], "inverse") == 0 ? NOISE "; " SERIES : NOISE), "until run; 1500");
        double before = delay_over(&s, 500);
        play(&s.p, "hold; 9999");
        double held = spy.last[0];
        play(&s.p, "10");
        assert_true(spy.last[0] == held);
        play(&s.p, "resume; 399"); /* at full rate again */
        double after = delay_over(&s, 300);
        print_message("%s: delay %.2f ms, after the hold %.2f ms\n", name[i], 1e3 * before, 1e3 * after);
        assert_near(after, 0.0, 5e-4, "%s, delay after a hold", name[i]);
        unmake(&s);
    }
}

/* The limit of acceleration reduces commands; what was sent, not what was asked for, is paired with the measurement:
 * of a lag of 17 Hz and 0.7, 13.1 ms minus the half tick by which the command is early. */
TEST(a_reduced_command_teaches_nothing_wrong)
{
    static const char *const name[] = {"adaptive-model", "cats", "inverse"};
    for (size_t i = 0; i < COUNT(name); i++) {
        stand s;
        double a[4];
        play(open(&s, name[i], strcmp(name[i], "inverse") == 0 ? SLOW "; " SERIES : SLOW), "until run; 4900; is run");
        const ifd_compensator *c = s.h->interface[0].compensator;
        c->kind->coefficients(c, ifd__compensator_of(s.h, 0), a);
        long governed = ifd_hybrid_count(s.h, IFD_TRIP_GOVERNED);
        print_message("%s: %ld commands reduced, a1 %.3f ms\n", name[i], governed, 1e3 * a[1]);
        assert_true(governed > 100);
        assert_near(a[1], 2 * 0.7 / (2 * M_PI * 17) - 1e-3, 1e-4, "%s", name[i]);
        unmake(&s);
    }
}

TEST(a_measurement_that_is_not_finite_trips_whatever_compensates)
{
    static const char *const name[] = {
        "inverse", "adaptive-model",     "cats",       "tadc",           "tracking-adaptive",
        "lqg",     "frequency-adaptive", "predictive", "energy-damping", "platform"};
    for (size_t i = 0; i < COUNT(name); i++) {
        stand s;
        play(open(&s, name[i], NULL), "until run; 700");
        spy.nan = true;
        spy.fastest = spy.steepest = 0.0;
        play(&s.p, "1; is tripped; 1000");
        assert_true(spy.steepest <= 300 * 2e-3 * 2e-3 * (1 + 1e-9)); /* m, of the limit of acceleration */
        assert_true(spy.step == 0.0);
        unmake(&s);
    }
}

TESTS()
