/* SPDX-License-Identifier: MIT */
/* ctest: not with sanitizers, unless every test is asked for */
/* The filter that identifies a specimen, against a table of an independent implementation with fully stated
 * arithmetic: specimen, noise, generator and start are those of that table. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "model/element.h"
#include "rig/identify.h"

enum { RATE = 512, PARAMS = 5 };

static const double true_p[IFD__LAW_NUMBERS] = {2e6, 0.1, 0.01, 0.6, 1.5};

static double uniform(uint64_t *s)
{
    uint64_t z = *s += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

static double normal(uint64_t *s)
{
    double a = uniform(s), b = uniform(s);
    return sqrt(-2 * log(1 - a)) * cos(6.28318530717958647693 * b);
}

static double motion(double t)
{
    const double pi2 = 6.28318530717958647693;
    return 0.03 * sin(pi2 * 0.8 * t) * (0.3 + 0.7 * fmin(t / 8, 1)) + 0.008 * sin(pi2 * 2.1 * t);
}

static ifd__identifier filter(bool constrained)
{
    ifd__identifier c = {.law = ifd__law_of(&ifd__element_bouc_wen),
                         .p0 = {1.4e6, 0.15, 0.014, 0.5, 2.0},
                         .constrained = constrained,
                         .low = {0.2, 0.05, 0.2, 0, 0.5},
                         .high = {5, 5, 5, 2, 5},
                         .start = {1e-4, 0.09, 0.09, 0.09, 0.09, 0.09},
                         .drift = {1e-6, 1e-8, 1e-8, 1e-8, 1e-8, 1e-8},
                         .scale = 2e4,
                         .noise = (200 / 2e4) * (200 / 2e4)};
    return c;
}

/* The specimen, its sensors and the filter. */
typedef struct course {
    ifd__identifier c;
    ifd__estimate s;
    uint64_t seed;
    double q, z, qm;
    int tick;
    double nis, worst; /* sum of the squared normalised innovations from 2 s on; largest innovation so far */
    double error, size;
} course;

static void start(course *w, bool constrained, uint64_t seed)
{
    *w = (course){.c = filter(constrained), .seed = seed};
    ifd__identify_begin(&w->c, &w->s);
    w->qm = motion(0) + 2e-5 * normal(&w->seed);
    (void)normal(&w->seed);
}

static double specimen(course *w)
{
    double to = motion(++w->tick / (double)RATE), dq = (to - w->q) / 8;
    for (int i = 0; i < 8; i++)
        w->z = ifd__law_move(w->c.law, true_p, dq, w->z);
    w->q = to;
    return ifd__law_force(w->c.law, true_p, w->q, w->z);
}

static ifd__identify_out tick(course *w)
{
    double r = specimen(w), qm = w->q + 2e-5 * normal(&w->seed), fm = r + 200 * normal(&w->seed);
    ifd__identify_out o = ifd__identify_step(&w->c, qm, qm - w->qm, fm, &w->s);
    w->qm = qm;
    w->worst = fmax(w->worst, fabs(o.normalised));
    if (w->tick > 2 * RATE)
        w->nis += o.normalised * o.normalised;
    return o;
}

static void until(course *w, double t)
{
    while (w->tick < (int)(t * RATE))
        assert_int_equal(tick(w).result, IFD__IDENTIFY_TAKEN);
}

TEST(the_generator_and_the_specimen_are_those_of_the_table)
{
    static const double t[] = {0.5, 1, 4, 6}, q[] = {0.00853367137, -0.00635374998, 0.0232478841, -0.0282409308},
                        r[] = {6927.24406, 3238.50482, 20447.5271, -23633.3616},
                        z[] = {0.290028322, 0.250514157, 0.877663903, -0.999176412};
    uint64_t seed = 1;
    assert_near(normal(&seed), -0.0342673218, 1e-9, "first");
    assert_near(normal(&seed), -2.50006749, 1e-8, "second");
    assert_near(normal(&seed), 0.0877224683, 1e-9, "third");
    course w = {.c = filter(false)};
    for (size_t i = 0; i < COUNT(t); i++) {
        double f = 0;
        while (w.tick < (int)(t[i] * RATE))
            f = specimen(&w);
        assert_near_rel(w.q, q[i], 1e-8, "q at %g s", t[i]);
        assert_near_rel(f, r[i], 1e-8, "r at %g s", t[i]);
        assert_near_rel(w.z, z[i], 1e-8, "z at %g s", t[i]);
    }
}

TEST(parameters_converge_as_in_the_table)
{
    static const struct {
        bool constrained;
        uint64_t seed;
        double t, p[PARAMS];
    } row[] = {{false, 1, 2, {1984584.94, 0.106595517, 0.0100259428, 0.605731112, 1.55382867}},
               {false, 1, 6, {1993590.28, 0.100563405, 0.0100483058, 0.599204572, 1.51124773}},
               {false, 1, 12, {1998929.08, 0.1002886, 0.00999781924, 0.594102315, 1.50298012}},
               {false, 3, 2, {1995008.37, 0.0964047652, 0.0101076349, 0.593940675, 1.48686992}},
               {false, 3, 6, {2002051.03, 0.0992647588, 0.0100019074, 0.593145715, 1.4839996}},
               {false, 3, 12, {2004177.01, 0.0997840782, 0.00999208756, 0.590231954, 1.49021765}},
               {true, 1, 2, {1983021.35, 0.107254218, 0.0100221254, 0.604772276, 1.56854887}},
               {true, 1, 6, {1992850.98, 0.100789598, 0.0100491136, 0.599303242, 1.51683718}},
               {true, 1, 12, {1998631.98, 0.100358175, 0.0099986697, 0.594247704, 1.50510988}},
               {true, 3, 2, {1992741.03, 0.0984965423, 0.010090811, 0.593700478, 1.507594}},
               {true, 3, 6, {2001049.26, 0.0994913143, 0.0100044601, 0.59337279, 1.48897391}},
               {true, 3, 12, {2003818.63, 0.0998497901, 0.00999337197, 0.590428896, 1.49218897}}};
    static const double nis[] = {0.952738562, 0.977765039, 0.95298884, 0.978009343};
    course w;
    for (size_t i = 0; i < COUNT(row); i++) {
        if (i % 3 == 0)
            start(&w, row[i].constrained, row[i].seed);
        until(&w, row[i].t);
        for (int k = 0; k < PARAMS; k++)
            assert_near_rel(w.c.p0[k] * w.s.x[1 + k], row[i].p[k], 1e-6, "row %zu, parameter %d", i, k);
        if (i % 3 == 2)
            assert_near_rel(w.nis / (10 * RATE), nis[i / 3], 1e-6, "mean squared innovation of row %zu", i);
    }
}

/* Seeds of the table and others. */
TEST(parameters_converge_for_other_noise)
{
    static const double bound[PARAMS] = {0.01, 0.03, 0.01, 0.05, 0.03};
    for (uint64_t seed = 1; seed <= (BRIEF ? 4u : 40u); seed++) {
        course w;
        start(&w, seed % 2 == 0, seed);
        until(&w, 12);
        for (int k = 0; k < PARAMS; k++)
            assert_near_rel(w.c.p0[k] * w.s.x[1 + k], true_p[k], bound[k], "seed %d, parameter %d", (int)seed, k);
        assert_near(w.nis / (10 * RATE), 1.0, 0.1, "seed %d", (int)seed);
        assert_true(w.worst < 6.0); /* the bound of outliers in a test */
    }
}

/* Not finite in any input: nothing changes. */
TEST(a_number_that_is_not_finite_changes_nothing)
{
    course w;
    start(&w, true, 1);
    until(&w, 1);
    const ifd__estimate before = w.s;
    const double wrong[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    for (size_t i = 0; i < COUNT(wrong); i++)
        for (int which = 0; which < 3; which++) {
            double in[3] = {w.qm, 1e-5, 1000};
            in[which] = wrong[i];
            ifd__identify_out o = ifd__identify_step(&w.c, in[0], in[1], in[2], &w.s);
            assert_int_equal(o.result, IFD__IDENTIFY_UNUSABLE);
            assert_memory_equal(&before, &w.s, sizeof before);
        }
}

/* 1e308 N is finite, and its square is not. */
TEST(a_result_that_is_not_finite_is_not_kept)
{
    course w;
    start(&w, false, 1);
    until(&w, 1);
    const ifd__estimate before = w.s;
    w.c.scale = 1e-10;
    assert_int_equal(ifd__identify_step(&w.c, w.qm, 0, 1e308, &w.s).result, IFD__IDENTIFY_UNUSABLE);
    assert_memory_equal(&before, &w.s, sizeof before);
}

/* On both sides of the bound: the first force is used, the second one is not, and only the prediction remains. */
TEST(an_outlier_is_not_used)
{
    course w, v;
    start(&w, true, 1);
    until(&w, 2);
    w.c.outlier = 6;
    v = w;
    ifd__identify_out o = ifd__identify_step(&v.c, w.qm, 0, 0, &v.s);
    double deviation = o.innovation / o.normalised, fits = -o.innovation;
    for (int side = -1; side <= 1; side += 2) {
        v = w;
        assert_int_equal(ifd__identify_step(&v.c, w.qm, 0, fits + side * 5.999 * deviation, &v.s).result,
                         IFD__IDENTIFY_TAKEN);
        assert_true(fabs(v.s.x[1] - w.s.x[1]) > 1e-6);
        v = w;
        assert_int_equal(ifd__identify_step(&v.c, w.qm, 0, fits + side * 6.001 * deviation, &v.s).result,
                         IFD__IDENTIFY_OUTLIER);
        assert_near(v.s.x[1], w.s.x[1], 1e-9, "stiffness");
    }
}

/* Each number of the diagonal in turn. */
TEST(a_covariance_that_is_not_positive_definite_starts_again)
{
    for (int i = 0; i < 6; i++) {
        course w;
        start(&w, true, 1);
        until(&w, 1);
        const ifd__estimate before = w.s;
        w.s.P[7 * i] = i % 2 ? -1e-9 : (double)NAN;
        assert_int_equal(ifd__identify_step(&w.c, w.qm, 0, 0, &w.s).result, IFD__IDENTIFY_RESET);
        assert_memory_equal(before.x, w.s.x, sizeof before.x);
        for (int k = 0; k < 36; k++)
            assert_true(w.s.P[k] == (k % 7 ? 0.0 : w.c.start[k / 7]));
        until(&w, 1.01);
    }
}

/* The points and x never leave the box. */
TEST(parameters_stay_in_their_box)
{
    course w;
    start(&w, true, 1);
    for (int k = 0; k < PARAMS; k++) {
        w.c.low[k] = 0.9;
        w.c.high[k] = 1.1;
    }
    while (w.tick < 3 * RATE) {
        tick(&w);
        for (int k = 0; k < PARAMS; k++)
            assert_true(w.s.x[1 + k] >= 0.9 && w.s.x[1 + k] <= 1.1);
    }
}

/* A filter in any state, also at its bounds and with parameters that are almost known together: after a step the
 * covariance has positive variances and correlations up to 1, and x is in the box. */
TEST(whatever_is_measured_the_covariance_can_be_used)
{
    uint64_t seed = 7;
    int resets = 0;
    for (int k = 0; k < 20000; k++) {
        course w;
        start(&w, true, 1);
        double G[6][6], size = pow(10, -4 + 4 * uniform(&seed));
        for (int i = 0; i < 36; i++)
            G[i / 6][i % 6] = size * normal(&seed) * (i % 6 < k % 5 + 2 ? 1 : 1e-7);
        for (int i = 0; i < 36; i++) {
            w.s.P[i] = i % 7 ? 0 : 1e-16;
            for (int j = 0; j < 6; j++)
                w.s.P[i] += G[i / 6][j] * G[i % 6][j];
        }
        w.s.x[0] = 2 * uniform(&seed) - 1;
        for (int i = 0; i < PARAMS; i++) {
            double place = 1.5 * uniform(&seed) - 0.25, low = w.c.low[i], high = w.c.high[i];
            w.s.x[1 + i] = fmin(fmax(low + place * (high - low), low), high);
        }
        double dq = 1e-3 * normal(&seed), q = 0.03 * normal(&seed), f = 1e5 * normal(&seed);
        ifd__identify_out out = ifd__identify_step(&w.c, q, dq, f, &w.s);
        resets += out.result == IFD__IDENTIFY_RESET;
        for (int i = 0; i < 6; i++) {
            assert_true(w.s.P[7 * i] > 0.0);
            assert_true(i == 0 || (w.s.x[i] >= w.c.low[i - 1] && w.s.x[i] <= w.c.high[i - 1]));
            for (int j = 0; j < i; j++) {
                assert_true(w.s.P[6 * i + j] == w.s.P[6 * j + i]);
                assert_true(fabs(w.s.P[6 * i + j]) <= (1 + 1e-6) * sqrt(w.s.P[7 * i] * w.s.P[7 * j]));
            }
        }
    }
    print_message("%d of 20000 covariances started again\n", resets);
}

TESTS()
