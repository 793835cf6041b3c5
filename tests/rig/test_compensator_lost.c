/* SPDX-License-Identifier: MIT */
/* A measurement that did not arrive: the last one is kept, and no adaptive compensator learns from it. Inputs are
 * computed beforehand, so that every run has the same; where a measurement is lost, one run has an absurd value. */
#include "check.h"
#include "fixture.h"

#include <string.h>

#include "algebra/discretisation.h"
#include "rig/bench.h"
#include "rig/compensator/compensator.h"

enum { PER_SECOND = 1024, TICKS = 5 * PER_SECOND, LOST = 4 * PER_SECOND + 3, GAP = 3 };
static const double two_pi = 6.28318530717958647693, tick = 1.0 / PER_SECOND;

typedef struct sample {
    double x[3], u, xm, am;
} sample;
static sample past[TICKS];

/* The plant of second order, 150 rad/s and 0.9, with a plain inverse of another one. */
static void measure(void)
{
    const double a[] = {0.01, 0.005, 0.0025}, f[] = {1.3, 3.1, 5.7}, phase[] = {0, 0.7, 1.9};
    const double A[4] = {0, -22500, 1, -270}, B[2] = {0, 22500};
    double z[2] = {0};
    ifd__discretisation hold;
    assert_int_equal(ifd__discretisation_make(arena, &(ifd__continuous){2, 1, A, B}, tick, &hold), IFD_OK);
    memset(past, 0, sizeof past);
    for (int k = 0; k < TICKS; k++) {
        sample *s = &past[k];
        for (int i = 0; i < 3; i++) {
            double w = two_pi * f[i], at = w * k * tick + phase[i];
            s->x[0] += a[i] * sin(at);
            s->x[1] += a[i] * w * cos(at);
            s->x[2] -= a[i] * w * w * sin(at);
        }
        s->u = s->x[0] + 0.01 * s->x[1];
        s->xm = z[0];
        s->am = 22500 * (s->u - z[0]) - 270 * z[1];
        ifd__discretisation_step(&hold, &s->u, &s->u, z);
    }
}

typedef struct row {
    const char *name;
    setting settings[4];
    double memory; /* ticks after the loss without adaptation, at least */
    double left;   /* relative difference that the absurd value may leave */
} row;

/* Butterworth filters at 20 Hz: 24.067/(2 pi 20 Hz) = 0.1915 s, 196 ticks, and 1e-4 of a sample 5 times as large as
 * the motion, three times, in many seconds of data. */
static const row rows[] = {
    {"adaptive-series", {{"coefficients", 0, "[1, 0.008, 2e-5]"}, {"bound", 1, NULL}}, 196, 1e-5},
    {"adaptive-model", {{"coefficients", 0, "[1, 0.008, 2e-5, 1e-9]"}}, 196, 1e-5},
    {"cats", {{"coefficients", 0, "[1, 0.008, 2e-5]"}, {"tolerance", 1e-6, NULL}}, 196, 1e-5},
    {"tadc", {{"delay", 0.008, NULL}}, 16, 0},
    {"tracking-adaptive", {{"delay", 0.008, NULL}, {"amplitude", 0.01, NULL}}, 0, 0},
    {"frequency-adaptive", {{"delay", 0.008, NULL}}, 0, 0},
    {"decoupling", {{"doubt", 0.3, NULL}}, 690, 1e-5},
    {"acceleration", {{"coefficients", 0, "[1, 0.008, 2e-5, 1e-9]"}}, 196, 1e-7},
};

enum { KEPT, ABSURD, UNTOLD, WAYS }; /* the lost value; UNTOLD: absurd, and not said to be lost */

/* The coefficients before the loss, in its last tick, after the memory, and at the end. */
static void run(const row *r, int way, double th[4][4])
{
    compensator p = compensator_of(arena, r->name, r->settings, tick);
    double lost = 0.0;
    ifd_compensator_begin(p.c, past[0].x[0], p.s);
    for (int k = 1; k < TICKS - 1; k++) {
        bool gone = k >= LOST && k < LOST + GAP;
        const sample *now = &past[k], *next = &past[k + 1], *last = &past[gone ? LOST - 1 : k];
        lost = gone ? 1.0 : lost > 0.0 ? lost + 1.0 : 0.0;
        const ifd_compensator_in in = {.x = next->x[0],
                                       .v = next->x[1],
                                       .a = next->x[2],
                                       .xm = gone && way != KEPT ? 0.05 : last->xm,
                                       .am = gone && way != KEPT ? 50.0 : last->am,
                                       .now_x = now->x[0],
                                       .now_u = past[k - 1].u,
                                       .next = true,
                                       .lost = way == UNTOLD ? 0.0 : lost};
        if (k == LOST)
            p.c->kind->coefficients(p.c, p.s, th[0]);
        ifd_compensator_step(p.c, &in, p.s);
        if (k == LOST + GAP - 1)
            p.c->kind->coefficients(p.c, p.s, th[1]);
        if (k == LOST + GAP - 1 + (int)r->memory)
            p.c->kind->coefficients(p.c, p.s, th[2]);
    }
    p.c->kind->coefficients(p.c, p.s, th[3]);
}

/* Largest difference over the frequencies of the motion, relative to 1. */
static double apart(const double *a, const double *b)
{
    double worst = 0.0;
    for (double f = 1; f <= 6; f += 1) {
        double w = two_pi * f, re = a[0] - b[0] - w * w * (a[2] - b[2]),
               im = w * (a[1] - b[1]) - w * w * w * (a[3] - b[3]);
        worst = fmax(worst, hypot(re, im));
    }
    return worst;
}

TEST(a_kept_measurement_teaches_nothing)
{
    measure();
    for (size_t i = 0; i < COUNT(rows); i++) {
        double th[WAYS][4][4];
        for (int way = 0; way < WAYS; way++)
            run(&rows[i], way, th[way]);
        print_message("%s: an absurd value changes %.1e, and where it is not known as lost %.1e\n", rows[i].name,
                      apart(th[ABSURD][3], th[KEPT][3]), apart(th[UNTOLD][3], th[KEPT][3]));
        for (int way = 0; way <= ABSURD; way++) {
            assert_memory_equal(th[way][1], th[way][0], sizeof th[way][0]);
            assert_memory_equal(th[way][2], th[way][0], sizeof th[way][0]);
            assert_true(apart(th[way][3], th[way][0]) > 0.0); /* it learns again */
        }
        assert_true(apart(th[ABSURD][3], th[KEPT][3]) <= rows[i].left);
        assert_true(apart(th[UNTOLD][3], th[KEPT][3]) > 10.0 * rows[i].left);
    }
}

TESTS_WITH(open_arena, close_arena)
