/* SPDX-License-Identifier: MIT */
/* Compensators with the instants of a hybrid test: the target is that of the next tick, and the command is held from
 * the measurement on. The delay that remains is measured without the code of the program: by least squares of the
 * error on the velocity of the target. */
#include "check.h"
#include "fixture.h"

#include <string.h>

#include "algebra/discretisation.h"
#include "base/random.h"
#include "rig/bench.h"
#include "rig/compensator/compensator.h"

static const double two_pi = 6.28318530717958647693;

static void target(double t, double x[3])
{
    const double a[] = {0.01, 0.005, 0.0025}, f[] = {1.3, 3.1, 5.7}, phase[] = {0, 0.7, 1.9};
    memset(x, 0, 3 * sizeof *x);
    for (int i = 0; i < 3; i++) {
        double w = two_pi * f[i];
        x[0] += a[i] * sin(w * t + phase[i]);
        x[1] += a[i] * w * cos(w * t + phase[i]);
        x[2] -= a[i] * w * w * sin(w * t + phase[i]);
    }
}

typedef struct row {
    const char *name;
    setting settings[4];
    double ticks;    /* largest delay that may remain; a first-order inverse delays frequencies differently */
    bool identifies; /* and does not need to know the actuator */
    double seconds;  /* until the delay is found; 0: 30 */
} row;

/* The actuator has 150 rad/s and 0.9: a1 = 12 ms, minus the half tick by which the command is early. Those that
 * identify begin with two thirds of it. */
#define ROUGH                                                                                                        \
    {                                                                                                                \
        "coefficients", 0, "[1, 0.008, 2e-5]"                                                                        \
    }

static const row rows[] = {
    {"adaptive-series", {ROUGH, {"bound", 1, NULL}}, 0.02, true, 0},
    {"adaptive-model", {{"coefficients", 0, "[1, 0.008, 2e-5, 1e-9]"}}, 0.02, true, 0},
    {"cats", {ROUGH}, 0.05, true, 0},
    {"tadc", {{"delay", 0.008, NULL}}, 0.05, true, 0},
    {"tracking-adaptive", {{"delay", 0.008, NULL}, {"amplitude", 0.01, NULL}}, 0.1, true, 150},
    {"frequency-adaptive", {{"delay", 0.008, NULL}}, 0.25, true, 0},
    {"lqg", {{0}}, 0.02, false, 0},
    {"predictive", {{"effort", 1e-3, NULL}}, 0.05, false, 0},
};

/* Delay in ticks over the last third. */
static double delay_of(const row *r, double tick, compensator *p)
{
    const double A[4] = {0, -22500, 1, -270}, B[2] = {0, 22500};
    double z[2] = {0}, u = 0, top = 0, bottom = 0, seconds = r->seconds > 0 ? r->seconds : 30;
    char known[80];
    setting s[5] = {{0}};
    ifd__discretisation plant;
    memcpy(s, r->settings, sizeof r->settings);
    snprintf(known, sizeof known, "[1, %.9g, %.9g]", 0.012 - tick / 2,
             1.0 / 22500 - 0.012 * tick / 2 + tick * tick / 8);
    if (!r->identifies)
        s[s[0].name ? 1 : 0] = (setting){"coefficients", 0, known};
    assert_int_equal(ifd__discretisation_make(arena, &(ifd__continuous){2, 1, A, B}, tick, &plant), IFD_OK);
    *p = compensator_of(arena, r->name, s, tick);
    for (int k = 0; k * tick < seconds; k++) {
        double now[3], x[3];
        target(k * tick, now);
        target((k + 1) * tick, x);
        const ifd_compensator_in in = {
            .x = x[0], .v = x[1], .a = x[2], .xm = z[0], .now_x = now[0], .now_u = u, .next = true};
        u = ifd_compensator_step(p->c, &in, p->s);
        if (k * tick > seconds * 2 / 3) {
            top -= (z[0] - now[0]) * now[1];
            bottom += now[1] * now[1];
        }
        ifd__discretisation_step(&plant, &u, &u, z);
    }
    return top / bottom / tick;
}

TEST(no_compensator_leads_by_a_tick)
{
    for (size_t i = 0; i < COUNT(rows); i++)
        for (int t = 0; t < 2; t++) {
            compensator p;
            double tick = t ? 4e-3 : 1e-3, delay = delay_of(&rows[i], tick, &p);
            print_message("%s %g ms: %.4f ticks\n", rows[i].name, 1e3 * tick, delay);
            assert_near(delay, 0.0, rows[i].ticks, "%s, ticks of %g ms: delay in ticks", rows[i].name, 1e3 * tick);
        }
}

/* 20 s at 5 mm with a noise of 0.1 mm in the measurement. */
static void stand(const compensator *p, double tick, bool rests)
{
    ifd__random random;
    ifd__random_seed(&random, 7);
    for (int k = 0; k * tick < 20; k++) {
        const ifd_compensator_in in = {.x = 5e-3,
                                       .xm = 5e-3 + 1e-4 * ifd__random_normal(&random),
                                       .now_x = 5e-3,
                                       .now_u = 5e-3,
                                       .rests = rests,
                                       .next = true};
        ifd_compensator_step(p->c, &in, p->s);
    }
}

TEST(a_held_test_keeps_what_was_identified)
{
    const double tick = 4e-3;
    int moved = 0;
    for (size_t i = 0; i < COUNT(rows); i++)
        for (int rests = 0; rests < 2 && rows[i].identifies; rests++) {
            compensator p;
            double before[4], after[4];
            delay_of(&rows[i], tick, &p);
            p.c->kind->coefficients(p.c, p.s, before);
            stand(&p, tick, rests);
            p.c->kind->coefficients(p.c, p.s, after);
            if (rests)
                assert_memory_equal(before, after, sizeof before);
            else
                moved += fabs(after[1] - before[1]) > 1e-3;
        }
    assert_true(moved >
                0); /* without the order to rest, noise alone would move the delay of some by more than 1 ms */
}

/* Unrelated motion, a dead sensor, the wrong sign, half and three times the motion. */
enum { NONSENSE = 5 };

static double nonsense(int kind, double x, ifd__random *random)
{
    const double share[NONSENSE] = {0, 1e-9, -1, 0.5, 3};
    return kind == 0 ? 0.05 * ifd__random_normal(random) : share[kind] * x;
}

TEST(whatever_is_measured_coefficients_stay_in_their_bounds)
{
    static const struct {
        const char *name;
        setting settings[3];
        double least[3], most[3];
    } bounded[] = {
        {"adaptive-series", {ROUGH, {"bound", 0.25, NULL}}, {0.75, 0.006, 1.5e-5}, {1.25, 0.01, 2.5e-5}},
        {"adaptive-model", {{"coefficients", 0, "[1, 0.008, 2e-5, 1e-9]"}}, {0, 0, 0}, {11, 0.088, 2.2e-4}},
        {"cats", {ROUGH, {"tolerance", 0, NULL}}, {0.7, 0, 0}, {1.3, 0.05, 2e-3}},
        {"tadc", {{"delay", 0.008, NULL}, {"bound", 0.1, NULL}}, {0.7, -1, -1}, {1.3, 1, 1}},
        {"tracking-adaptive", {{"delay", 0.008, NULL}, {"amplitude", 0.001, NULL}}, {1, 0, 0}, {1, 0.04, 0}},
        {"frequency-adaptive", {{"delay", 0.008, NULL}}, {0.5, 0, 0}, {2, 1, 0}},
        {"decoupling", {{"doubt", 0.3, NULL}, {"bound", 0.5, NULL}}, {0.5, 0, 0}, {1.5, 0, 0}},
    };
    for (size_t i = 0; i < COUNT(bounded); i++)
        for (int kind = 0; kind < NONSENSE; kind++) {
            compensator p = compensator_of(arena, bounded[i].name, bounded[i].settings, 1e-3);
            ifd__random random;
            double u = 0;
            ifd__random_seed(&random, 5);
            for (int k = 0; k < 10000; k++) {
                double now[3], x[3], a[4];
                target(k * 1e-3, now);
                target((k + 1) * 1e-3, x);
                const ifd_compensator_in in = {.x = x[0],
                                               .v = x[1],
                                               .a = x[2],
                                               .xm = nonsense(kind, now[0], &random),
                                               .now_x = now[0],
                                               .now_u = u,
                                               .next = true};
                u = ifd_compensator_step(p.c, &in, p.s);
                p.c->kind->coefficients(p.c, p.s, a);
                for (int n = 0; n < 3; n++)
                    if (!(a[n] >= bounded[i].least[n] - 1e-12 && a[n] <= bounded[i].most[n] + 1e-12))
                        fail_msg("%s, nonsense %d: a%d is %g", bounded[i].name, kind, n, a[n]);
            }
        }
}

/* At rest without noise nothing is known anew: after 10,000 times the memory a motion is followed as before. */
TEST(a_long_rest_does_not_make_the_adaptation_wild)
{
    static const row forgetful[] = {
        {"adaptive-series", {ROUGH, {"memory", 0.005, NULL}, {"bound", 1, NULL}}, 0, true, 0},
        {"adaptive-model", {{"coefficients", 0, "[1, 0.008, 2e-5, 1e-9]"}, {"memory", 0.005, NULL}}, 0, true, 0},
        {"tadc", {{"delay", 0.008, NULL}, {"memory", 0.005, NULL}, {"level", 0, NULL}}, 0, true, 0},
        {"decoupling", {{"doubt", 0.3, NULL}, {"memory", 0.005, NULL}}, 0, true, 0},
    };
    for (size_t i = 0; i < COUNT(forgetful); i++) {
        compensator p = compensator_of(arena, forgetful[i].name, forgetful[i].settings, 1e-3);
        for (int k = 0; k < 51000; k++) {
            double x[3] = {0};
            if (k > 50000)
                target((k - 50000) * 1e-3, x);
            const ifd_compensator_in in = {
                .x = x[0], .v = x[1], .a = x[2], .xm = x[0], .now_x = x[0], .now_u = x[0], .next = true};
            double u = ifd_compensator_step(p.c, &in, p.s);
            if (!(fabs(u) < 0.1)) /* five times the motion */
                fail_msg("%s: command %g m at tick %d", forgetful[i].name, u, k);
        }
        for (int k = 0; k < p.c->size; k++)
            if (!isfinite(p.s[k]))
                fail_msg("%s: state %d is not finite", forgetful[i].name, k);
    }
}

/* The command of a tick with the target x (and two derivatives), of which a share is measured with noise. */
static double follow(const compensator *p, const double x[3], double share, double noise, ifd__random *random)
{
    const ifd_compensator_in in = {.x = x[0],
                                   .v = x[1],
                                   .a = x[2],
                                   .xm = share * x[0] + noise * ifd__random_normal(random),
                                   .now_x = x[0],
                                   .now_u = x[0],
                                   .next = true};
    return ifd_compensator_step(p->c, &in, p->s);
}

/* Motions below the level; one sine, in which x'' is a multiple of x; the wrong sign, opposed to the instrument. */
TEST(motions_without_information_change_nothing)
{
    static const struct {
        const char *name;
        setting settings[2];
        double amplitude, share, noise; /* amplitude 0: a thousandth of the target */
    } quiet[] = {
        {"cats", {ROUGH}, 0, 0.9, 0},
        {"cats", {ROUGH}, 0.01, 0.8, 0},
        {"frequency-adaptive", {{"delay", 0.008, NULL}}, 1e-6, 0.8, 1e-5},
        {"tadc", {{"delay", 0.008, NULL}}, 1e-6, 0.8, 1e-5},
        {"adaptive-model", {{"coefficients", 0, "[1, 0.008, 2e-5, 1e-9]"}}, 0.01, -1, 0},
    };
    for (size_t i = 0; i < COUNT(quiet); i++) {
        compensator p = compensator_of(arena, quiet[i].name, quiet[i].settings, 1e-3);
        ifd__random random;
        double before[4], after[4], w = two_pi * 2;
        ifd__random_seed(&random, 5);
        p.c->kind->coefficients(p.c, p.s, before);
        for (int k = 0; k < 10000; k++) {
            double t = k * 1e-3, A = quiet[i].amplitude;
            double x[3] = {A * sin(w * t), A * w * cos(w * t), -A * w * w * sin(w * t)};
            if (A == 0) {
                target(t, x);
                for (int n = 0; n < 3; n++)
                    x[n] *= 1e-3;
            }
            follow(&p, x, quiet[i].share, quiet[i].noise, &random);
        }
        p.c->kind->coefficients(p.c, p.s, after);
        for (int n = 0; n < 4; n++)
            assert_near(after[n], before[n], 0.0, "%s, row %d, a%d", quiet[i].name, (int)i, n);
    }
}

/* A command that a limit reduces: with the command as sent, the Kalman filter still knows the actuator. */
TEST(the_estimate_follows_what_was_sent)
{
    const double A[4] = {0, -22500, 1, -270}, B[2] = {0, 22500}, tick = 1e-3;
    ifd__discretisation plant;
    char known[80];
    snprintf(known, sizeof known, "[1, %.17g, %.17g]", 0.012 - tick / 2,
             1.0 / 22500 - 0.006 * tick + tick * tick / 8);
    assert_int_equal(ifd__discretisation_make(arena, &(ifd__continuous){2, 1, A, B}, tick, &plant), IFD_OK);
    for (int i = 0; i < 2; i++) {
        compensator p =
            compensator_of(arena, i ? "predictive" : "lqg", (setting[]){{"coefficients", 0, known}, {0}}, tick);
        double z[2] = {0}, u = 0;
        const double *estimate = NULL;
        for (int r = 0; r < p.c->rows; r++)
            estimate = strcmp(p.c->row[r].name, "plant") == 0 ? p.s + p.c->row[r].offset : estimate;
        assert_non_null(estimate);
        for (int k = 0; k < 3000; k++) {
            double x[3];
            target((k + 1) * tick, x);
            const ifd_compensator_in in = {
                .x = x[0], .v = x[1], .a = x[2], .xm = z[0], .now_x = x[0], .now_u = u, .next = true};
            u = fmin(fmax(ifd_compensator_step(p.c, &in, p.s), -5e-3), 5e-3);
            assert_near(estimate[0], z[0], 1e-9, "tick %d, estimated displacement", k);
            assert_near(estimate[1], z[1], 1e-6, "tick %d, estimated velocity", k);
            ifd__discretisation_step(&plant, &u, &u, z);
        }
    }
}

TESTS_WITH(open_arena, close_arena)
