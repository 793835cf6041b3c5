/* SPDX-License-Identifier: MIT */
/* Cycles without a force: eight kinds of specimens in random motions, and load cells that die. The laws are computed
 * here. */
#include "check.h"

#include <math.h>
#include <string.h>

#include "rig/no_force.h"

enum { TICKS = 8000, KINDS = 8, RUNS = 1000 };
static const char *const names[KINDS] = {"elastic", "yielding", "sliding", "degrading",
                                         "dashpot", "Maxwell",  "MR",      "pinching"};
static uint64_t seed;

static double uniform(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) / 9007199254740992.0;
}

static double normal(void)
{
    double sum = -6.0;
    for (int i = 0; i < 12; i++)
        sum += uniform();
    return sum;
}

/* Some harmonics under an envelope that rises and decays. */
static void move(double *x)
{
    double a[6], w[6], p[6], rise = 0.5 + 2.0 * uniform(), fall = 2.0 + 6.0 * uniform();
    for (int i = 0; i < 6; i++) {
        a[i] = 0.01 * uniform();
        w[i] = 6.2832 * (0.4 + 3.0 * uniform());
        p[i] = 6.2832 * uniform();
    }
    for (int k = 0; k < TICKS; k++) {
        double t = 1e-3 * k, e = fmin(t / rise, 1.0) * exp(-fmax(t - rise, 0.0) / fall);
        x[k] = 0.0;
        for (int i = 0; i < 6; i++)
            x[k] += e * a[i] * sin(w[i] * t + p[i]);
    }
}

static double clamp(double f, double most)
{
    return fmax(-most, fmin(f, most));
}

typedef struct specimen {
    double z, k, most; /* N of its slider or dashpot; N/m; m, largest so far */
} specimen;

static double force(specimen *s, int kind, double x, double dx)
{
    const double v = dx / 1e-3;
    s->most = fmax(s->most, fabs(x));
    switch (kind) {
    case 0:
        return 1e6 * x;
    case 1:
        s->z = clamp(s->z + 1e6 * dx, 2e3);
        return s->z + 2e4 * x;
    case 2:
        return s->z = clamp(s->z + 1e7 * dx, 1e3);
    case 3:
        s->k = fmax(s->k - 20.0 * fabs(dx), 0.15);
        return s->k * 1e6 * x;
    case 4:
        return 5e4 * v;
    case 5:
        s->z += 1e6 * dx - 1e-3 * s->z / 0.05;
        return s->z;
    case 6:
        return 1e3 * tanh(v / 5e-3) + 5e3 * v;
    default: /* soft inside of what was reached before */
        return 1e6 * (x - clamp(x, 0.7 * s->most)) + 1e5 * x;
    }
}

/* The tick of the fault; -1: none. The load cell dies in tick `dies`; its noise continues. */
static long run(int kind, const double *x, long dies)
{
    ifd__cycles s;
    specimen body = {.k = 1.0};
    double ticks = 0.0;
    ifd__cycles_begin(&s, x[0]);
    for (long i = 1; i < TICKS; i++) {
        double f = force(&body, kind, x[i], x[i] - x[i - 1]);
        f = (i < dies ? f : 0.0) + normal();
        if (ifd__cycles_step(&s, x[i] + 1e-6 * normal(), f, 1e-4, &ticks))
            return i;
    }
    return -1;
}

TEST(no_sound_specimen_is_without_force)
{
    static double x[TICKS];
    seed = 5;
    for (int i = 0; i < RUNS; i++) {
        move(x);
        long at = run(i % KINDS, x, TICKS);
        if (at >= 0)
            fail_msg("run %d, %s: tick %ld", i, names[i % KINDS], at);
    }
}

/* Cells that die at any instant of the motion. Seen: if two reversals follow with half the largest range. */
TEST(most_dead_cells_are_seen)
{
    static double x[TICKS];
    int seen = 0, early = 0;
    seed = 6;
    for (int i = 0; i < RUNS; i++) {
        move(x);
        long dies = 500 + (long)(uniform() * 3500.0), at = run(i % KINDS, x, dies);
        seen += at >= dies;
        early += at >= 0 && at < dies;
    }
    print_message("dead load cells: %d of %d seen\n", seen, RUNS);
    assert_int_equal(early, 0);
    assert_true(seen > RUNS / 2);
}

/* A sine of 1, for three cycles and a quarter: D is 1/sqrt(2). Then x and f of `later`, by the ticks since; the ticks
 * since the fault began to show, 0: no fault. */
static double after_a_sine(const double number[3], void later(const double number[3], int i, double *x, double *f))
{
    ifd__cycles s;
    double ticks = 0.0;
    ifd__cycles_begin(&s, 0.0);
    for (int i = 0; i <= 8000; i++) {
        double x = sin(6.28318530717958647693 * i / 1000.0), f = x;
        if (i >= 3250) /* at a reversal */
            later(number, i - 3250, &x, &f);
        if (ifd__cycles_step(&s, x, f, 1e-3, &ticks))
            return ticks;
    }
    return 0.0;
}

/* Cycles with a share of the range, and a force with a share of D that is not constant. */
static void cycle(const double number[3], int i, double *x, double *f)
{
    *x = number[1] * (*x - 1.0) + 1.0;
    *f = number[0] * sqrt(0.5) * (i % 2 ? 1.0 : -1.0);
}

/* A motion to the other side with a force at a level, which changes by a range, both shares of D. */
static void away(const double number[3], int i, double *x, double *f)
{
    *x = 1.0 - fmin(number[0], 1e-3 * i);
    *f = sqrt(0.5) * (number[1] + 0.5 * number[2] * (i % 2 ? 1.0 : -1.0));
}

TEST(the_numbers_are_those_of_the_rule)
{
    static const double cycles[][4] = {
        {0.051, 1.0, 0.0, false}, {0.049, 1.0, 0.0, true}, {0.04, 0.51, 0.0, true}, {0.04, 0.48, 0.0, false}};
    static const double motions[][4] = {
        {1.01, 0.0, 0.0, true},     {0.99, 0.0, 0.0, false},  {1.01, 0.195, 0.0, true}, {1.01, 0.205, 0.0, false},
        {1.01, -0.205, 0.0, false}, {1.01, 0.0, 0.068, true}, {1.01, 0.0, 0.072, false}};
    for (size_t r = 0; r < sizeof cycles / sizeof *cycles; r++) {
        double ticks = after_a_sine(cycles[r], cycle);
        if ((ticks > 0.0) != (bool)cycles[r][3])
            fail_msg("cycles, row %zu: %s", r, ticks > 0.0 ? "without a force" : "with a force");
        if (ticks > 0.0 && cycles[r][1] == 1.0)
            assert_near(ticks, 1000.0, 205.0, "ticks since the beginning of the cycle, and those of the hysteresis");
    }
    for (size_t r = 0; r < sizeof motions / sizeof *motions; r++) {
        double ticks = after_a_sine(motions[r], away);
        if ((ticks > 0.0) != (bool)motions[r][3])
            fail_msg("motions, row %zu: %s", r, ticks > 0.0 ? "without a force" : "with a force");
        if (ticks > 0.0)
            assert_near(ticks, 1001.0, 3.0, "ticks since the force became constant");
    }
}

TESTS()
