/* SPDX-License-Identifier: MIT */
/* The largest roots of recurrences whose roots are known. */
#include "check.h"

#include <string.h>

#include "analysis/krylov.h"
#include "analysis/verdict.h"
#include "base/random.h"

/* Pairs of numbers that turn and shrink, then a line of past values of the first that only
 * moves on: its roots are zero. */
enum { PAIRS = 12, LINE = 400, SIZE = 2 * PAIRS + LINE };

typedef struct recurrence {
    double size[PAIRS], angle[PAIRS], unit[PAIRS];
    long steps;
} recurrence;

static bool step(void *what, double *x)
{
    recurrence *r = what;
    r->steps++;
    memmove(x + 2 * PAIRS + 1, x + 2 * PAIRS, sizeof *x * (LINE - 1));
    x[2 * PAIRS] = x[0];
    for (int k = 0; k < PAIRS; k++) {
        double *p = x + 2 * k, c = r->size[k] * cos(r->angle[k]), s = r->size[k] * sin(r->angle[k]);
        double a = c * p[0] - s * p[1] / r->unit[k], b = s * p[0] * r->unit[k] + c * p[1];
        p[0] = a;
        p[1] = b;
    }
    return true;
}

static ifd__probe probe_of(recurrence *r, const int *state, const double *rest)
{
    return (ifd__probe){
        .size = SIZE, .n = SIZE, .state = state, .rest = rest, .amplitude = 0x1p-20, .step = step, .what = r};
}

static void find(recurrence *r, ifd_arena *arena, ifd__roots *out)
{
    static const double rest[SIZE];
    int state[SIZE];
    for (int i = 0; i < SIZE; i++)
        state[i] = i;
    ifd__probe p = probe_of(r, state, rest);
    assert_int_equal(ifd__krylov_roots(arena, &p, LINE, out, NULL), IFD_OK);
}

static recurrence known(double largest)
{
    recurrence r = {.steps = 0};
    for (int k = 0; k < PAIRS; k++) {
        r.size[k] = k == 4 ? largest : 0.999 - 0.03 * k;
        r.angle[k] = 0.05 + 0.23 * k;
        r.unit[k] = k % 2 ? 1e6 : 1.0; /* newtons beside metres */
    }
    return r;
}

TEST(the_largest_pair_is_found_among_hundreds_of_numbers)
{
    static const double largest[] = {0.9995, 1.0, 1.000002, 1.01, 1.3};
    (void)state;
    for (size_t i = 0; i < COUNT(largest); i++) {
        ifd_arena *arena = ifd_arena_open();
        recurrence r = known(largest[i]);
        ifd__roots roots;
        find(&r, arena, &roots);
        assert_near(hypot(roots.real[0], roots.imag[0]), largest[i], 1e-9, "largest %g", largest[i]);
        assert_near(fabs(atan2(roots.imag[0], roots.real[0])), r.angle[4], 1e-8, "its angle");
        assert_true(r.steps < 3 * SIZE); /* of two states; roots of a matrix of that size cost far more */
        ifd_arena_close(arena);
    }
}

TEST(slowly_decaying_pairs_are_found_too)
{
    ifd_arena *arena = ifd_arena_open();
    recurrence r = known(0.9995);
    ifd__roots roots;
    (void)state;
    find(&r, arena, &roots);
    assert_true(roots.n >= 4);
    assert_near(hypot(roots.real[0], roots.imag[0]), 0.9995, 1e-9, "first pair");
    assert_near(hypot(roots.real[2], roots.imag[2]), 0.999, 1e-9, "second pair");
    ifd_arena_close(arena);
}

/* A coupled structure: numbers that keep their value (gaps of joints), many pairs that hardly shrink, each driving
 * the next one, and a line of past values. */
enum { GAPS = 40, SLOW = 70, CROWD = GAPS + 2 * SLOW + LINE };

static bool step_crowd(void *what, double *x)
{
    const double *largest = what;
    double *line = x + GAPS + 2 * SLOW, driven = 0.0;
    memmove(line + 1, line, sizeof *x * (LINE - 1));
    line[0] = x[GAPS];
    for (int k = 0; k < SLOW; k++) {
        double *p = x + GAPS + 2 * k, size = k == 30 ? *largest : 0.99987 - 0.0004 * k, angle = 0.04 + 0.03 * k;
        double a = size * (cos(angle) * p[0] - sin(angle) * p[1]), b = size * (sin(angle) * p[0] + cos(angle) * p[1]);
        double before = p[1];
        p[0] = a + 0.02 * driven;
        p[1] = b + 0.1 * x[k % GAPS];
        driven = before;
    }
    return true;
}

TEST(the_radius_is_found_among_many_roots_close_to_one)
{
    static const double rest[CROWD], largest[] = {0.9999, 1.00002, 1.001};
    int all[CROWD];
    (void)state;
    for (int i = 0; i < CROWD; i++)
        all[i] = i;
    for (size_t i = 0; i < COUNT(largest); i++) {
        ifd_arena *arena = ifd_arena_open();
        double size = largest[i];
        ifd__roots roots;
        ifd__probe p = {.size = CROWD, .n = CROWD, .state = all, .rest = rest, .amplitude = 0x1p-20};
        p.step = step_crowd;
        p.what = &size;
        assert_int_equal(ifd__krylov_radius(arena, &p, LINE, 1e-4, &roots, NULL), IFD_OK);
        assert_near(ifd__root_modulus(&roots, 0), fmax(size, 1.0), 1e-9, "radius with %g", size);
        assert_int_equal(ifd__roots_stable(&roots), size < 1.0);
        ifd_arena_close(arena);
    }
}

static void turn(double size, double angle, double *p)
{
    double a = size * (cos(angle) * p[0] - sin(angle) * p[1]), b = size * (sin(angle) * p[0] + cos(angle) * p[1]);
    p[0] = a;
    p[1] = b;
}

/* Modes of a large frame with Rayleigh damping, 0.5 to 60 Hz, in steps of 2 ms: exp((-RAY_M - RAY_K omega^2 + i
 * omega) TICK). The first hundred have moduli within 1e-3 of each other. */
enum { MODES = 300, FRAME = 2 * MODES };
static const double TICK = 2e-3, RAY_M = 0.15, RAY_K = 3e-4; /* s; halves of the coefficients */

static double frequency(int k)
{
    return 3.3 * pow(115.0, (double)k / (MODES - 1));
}

static double size_of(int k)
{
    return exp(-(RAY_M + RAY_K * frequency(k) * frequency(k)) * TICK);
}

static bool step_frame(void *what, double *x)
{
    static double c[MODES], s[MODES];
    (void)what;
    for (int k = 0; k < MODES && c[MODES - 1] == 0.0; k++) {
        c[k] = size_of(k) * cos(frequency(k) * TICK);
        s[k] = size_of(k) * sin(frequency(k) * TICK);
    }
    for (int k = 0; k < MODES; k++) {
        double first = c[k] * x[2 * k] - s[k] * x[2 * k + 1];
        x[2 * k + 1] = s[k] * x[2 * k] + c[k] * x[2 * k + 1];
        x[2 * k] = first;
    }
    return true;
}

TEST(roots_of_many_slow_modes_are_found_with_their_angles)
{
    static const double rest[FRAME];
    int all[FRAME];
    ifd_arena *arena = ifd_arena_open();
    ifd__roots roots;
    (void)state;
    for (int i = 0; i < FRAME; i++)
        all[i] = i;
    const ifd__probe p = {
        .size = FRAME, .n = FRAME, .state = all, .rest = rest, .amplitude = 0x1p-20, .step = step_frame};
    assert_int_equal(ifd__krylov_radius(arena, &p, 0, 0.0, &roots, NULL), IFD_OK);
    assert_true(roots.n >= 2);
    for (int i = 0; i < roots.n; i++) {
        double re = roots.real[i], im = roots.imag[i], angle = fabs(atan2(im, re));
        int k = 0; /* the mode of that angle: one that has not converged is left out */
        while (k + 1 < MODES && fabs(frequency(k + 1) * TICK - angle) < fabs(frequency(k) * TICK - angle))
            k++;
        assert_true(k == i / 2 || i > 1);
        assert_near(hypot(re, im), size_of(k), 1e-9, "mode %d", k);
        assert_near(angle, frequency(k) * TICK, 1e-9, "angle of mode %d", k);
        assert_near(im, i % 2 ? -roots.imag[i - 1] : fabs(im), 1e-9, "its pair");
    }
    assert_true(ifd__roots_stable(&roots));
    ifd_arena_close(arena);
}

/* Numbers that keep their value beside modes of a frame, one of which is changed: size and angle of its pair. */
enum { HELD = 30, BOTH = HELD + FRAME };

typedef struct changed_mode {
    int mode;
    double size, angle;
    bool drifts; /* three numbers drift, with the square of time: a defective root equal to one */
} changed_mode;

static bool step_changed(void *what, double *x)
{
    const changed_mode *c = what;
    double *p = x + HELD + 2 * c->mode, kept[2] = {p[0], p[1]};
    step_frame(NULL, x + HELD);
    memcpy(p, kept, sizeof kept);
    turn(c->size, c->angle, p);
    for (int i = 0; i < HELD; i++) /* each holds a mode away from zero */
        x[HELD + 2 * i] += 1e-3 * x[i];
    for (int i = 0; c->drifts && i < 2; i++)
        x[i] += 0.1 * x[i + 1];
    return true;
}

static ifd_status examine_changed(ifd_arena *arena, changed_mode *c, ifd__roots *roots)
{
    static const double rest[BOTH];
    int all[BOTH];
    for (int i = 0; i < BOTH; i++)
        all[i] = i;
    const ifd__probe p = {
        .size = BOTH, .n = BOTH, .state = all, .rest = rest, .amplitude = 0x1p-20, .step = step_changed, .what = c};
    return ifd__krylov_radius(arena, &p, 0, 0.0, roots, NULL);
}

/* Powers of 8, 32 and 128 steps map these angles to 0 or pi, where a pair has one power, which is 1 or -1 for a size
 * of one: the angle of the pair is found nevertheless, and a power of one is no constant state. */
TEST(angles_are_found_where_powers_meet)
{
    static const struct {
        double eighths, size;
        bool drifts;
    } pair[] = {{1.0, 0.9999, false}, {4.0, 1.0000005, false}, {2.0, 1.000002, true}};
    (void)state;
    for (size_t i = 0; i < COUNT(pair); i++) {
        ifd_arena *arena = ifd_arena_open();
        changed_mode c = {
            .mode = 40, .size = pair[i].size, .angle = pair[i].eighths * acos(-1.0) / 8.0, .drifts = pair[i].drifts};
        ifd__roots roots = {0};
        assert_int_equal(examine_changed(arena, &c, &roots), IFD_OK);
        double best = 10.0;
        for (int k = 0; k < roots.n; k++) {
            double angle = fabs(atan2(roots.imag[k], roots.real[k])), size = hypot(roots.real[k], roots.imag[k]);
            best = fmin(best, hypot(angle - c.angle, size - c.size));
        }
        /* errors of 1e-15 split a root of three chained numbers by their cube root, and that pair has its power */
        assert_near(best, 0.0, c.drifts ? 1e-5 : 1e-8, "pair of %g / 8 pi", pair[i].eighths);
        assert_int_equal(ifd__roots_stable(&roots), c.size < 1.0);
        ifd_arena_close(arena);
    }
}

/* A negative dashpot makes one mode grow, however slowly: never stable. Decay as slow as that is no growth. */
TEST(one_growing_mode_among_slow_ones_is_never_called_stable)
{
    static const struct {
        int mode;
        double growth;
    } one[] = {{0, 1e-6}, {150, 1e-6}, {30, -1e-6}};
    (void)state;
    for (size_t i = 0; i < COUNT(one); i++) {
        ifd_arena *arena = ifd_arena_open();
        changed_mode c = {.mode = one[i].mode, .size = 1.0 + one[i].growth, .angle = frequency(one[i].mode) * TICK};
        ifd__roots roots = {0};
        ifd_status status = examine_changed(arena, &c, &roots);
        assert_int_equal(status, IFD_OK);
        assert_int_equal(ifd__roots_stable(&roots), one[i].growth < 0.0);
        assert_near(one[i].growth > 0.0 ? ifd__root_modulus(&roots, 0) : 1.0, fmax(c.size, 1.0), 1e-9, "mode %d",
                    one[i].mode);
        ifd_arena_close(arena);
    }
}

/* Pairs of one size, with angles close to each other: none converges, but a random state decays so fast that a bound
 * of the size is known. The bound is that of the norm of a power, with its factor of 1e6. Without decay nothing is
 * known. */
enum { EQUAL = 150 };

static bool step_equal(void *what, double *x)
{
    static double c[EQUAL], s[EQUAL];
    const double *size = what;
    for (int k = 0; k < EQUAL && c[EQUAL - 1] == 0.0; k++) {
        c[k] = cos(0.5 + 0.005 * k);
        s[k] = sin(0.5 + 0.005 * k);
    }
    for (int k = 0; k < EQUAL; k++) {
        double now = k == 7 ? size[1] : size[0], first = now * (c[k] * x[2 * k] - s[k] * x[2 * k + 1]);
        x[2 * k + 1] = now * (s[k] * x[2 * k] + c[k] * x[2 * k + 1]);
        x[2 * k] = first;
    }
    return true;
}

TEST(a_crowd_of_equal_sizes_that_decays_is_stable)
{
    static const double rest[2 * EQUAL], sizes[][2] = {{0.97, 0.97}, {0.97, 1.0001}, {1.0, 1.0}};
    int all[2 * EQUAL];
    (void)state;
    for (int i = 0; i < 2 * EQUAL; i++)
        all[i] = i;
    for (size_t i = 0; i < COUNT(sizes); i++) {
        ifd_arena *arena = ifd_arena_open();
        double size[2] = {sizes[i][0], sizes[i][1]};
        ifd__roots roots = {0};
        const ifd__probe p = {.size = 2 * EQUAL,
                              .n = 2 * EQUAL,
                              .state = all,
                              .rest = rest,
                              .amplitude = 0x1p-20,
                              .step = step_equal,
                              .what = size};
        ifd_status status = ifd__krylov_radius(arena, &p, 0, 0.0, &roots, NULL);
        assert_int_equal(status, size[0] < 1.0 ? IFD_OK : IFD_UNSUPPORTED);
        assert_true(status != IFD_OK || ifd__roots_stable(&roots) == (size[1] < 1.0));
        double found = ifd__root_modulus(&roots, 0), most = fmax(size[0], size[1]);
        assert_true(status != IFD_OK || (found >= most - 1e-9 && found < most * exp(log(1e8) / 2000.0)));
        ifd_arena_close(arena);
    }
}

/* Two parts that nothing connects: pairs that decay, and one pair that grows by 1e-4 per step. The coordinates of the
 * latter are its two numbers less a share of decaying ones, so that the random state of `seed` has none of it. */
enum { DECAYING = 300, PARTS = 2 * DECAYING + 4 };

typedef struct two_parts {
    double share[2], growing, crowd; /* crowd: size of the other roots but one */
} two_parts;

static bool step_parts(void *what, double *x)
{
    const two_parts *t = what;
    double *decaying = x + 2 * DECAYING, *growing = decaying + 2;
    for (int k = 0; k < DECAYING; k++)
        turn(k ? t->crowd - 0.0005 * k : 0.999, 0.1 + 0.01 * k, x + 2 * k);
    for (int i = 0; i < 2; i++)
        growing[i] -= t->share[i] * decaying[i];
    turn(t->growing, 0.77, growing);
    turn(0.5, 0.4, decaying);
    for (int i = 0; i < 2; i++)
        growing[i] += t->share[i] * decaying[i];
    return true;
}

static two_parts hidden_from(unsigned seed, double growing)
{
    double v[PARTS];
    two_parts t = {.growing = growing, .crowd = 0.86};
    ifd__random random;
    ifd__random_seed(&random, seed);
    for (int i = 0; i < PARTS; i++)
        v[i] = ifd__random_normal(&random);
    for (int i = 0; i < 2; i++)
        t.share[i] = v[2 * DECAYING + 2 + i] / v[2 * DECAYING + i];
    return t;
}

TEST(growth_that_one_random_state_lacks_is_found)
{
    static const double rest[PARTS];
    int all[PARTS];
    (void)state;
    for (int i = 0; i < PARTS; i++)
        all[i] = i;
    for (unsigned seed = 1; seed <= 2; seed++)
        for (int large = 0; large < 2; large++) {
            ifd_arena *arena = ifd_arena_open();
            two_parts t = hidden_from(seed, 1.0001);
            t.crowd = large ? 0.98 : 0.86;
            ifd__roots roots;
            ifd__probe p = {.size = PARTS, .n = PARTS, .state = all, .rest = rest, .amplitude = 0x1p-20};
            p.step = step_parts;
            p.what = &t;
            assert_int_equal((large ? ifd__krylov_radius(arena, &p, 0, 0.0, &roots, NULL)
                                    : ifd__krylov_roots(arena, &p, 0, &roots, NULL)),
                             IFD_OK);
            assert_near(ifd__root_modulus(&roots, 0), 1.0001, 1e-8, "seed %u, %d", seed, large);
            assert_false(ifd__roots_stable(&roots));
            ifd_arena_close(arena);
        }
}

/* A state that has none of the growing motion decays: it excludes little, and never growth as slow as this. */
TEST(a_decaying_state_does_not_exclude_slow_growth)
{
    static const double rest[PARTS], growing[] = {0.9, 1.0, 1.0001, 1.01};
    int all[PARTS];
    (void)state;
    for (int i = 0; i < PARTS; i++)
        all[i] = i;
    for (size_t k = 0; k < COUNT(growing); k++)
        for (unsigned seed = 0; seed < 2; seed++) {
            ifd_arena *arena = ifd_arena_open();
            two_parts t = hidden_from(seed ? 3 : 1, growing[k]);
            ifd__growth g;
            ifd__probe p = {.size = PARTS, .n = PARTS, .state = all, .rest = rest, .amplitude = 0x1p-20};
            p.step = step_parts;
            p.what = &t;
            assert_int_equal(ifd__krylov_growth(arena, &p, 2000, &g), IFD_OK);
            /* with its part of the motion, of size 1 to 4, the state grows as the motion does */
            if (!seed) {
                double least = log(fmax(growing[k], 0.999));
                assert_near(g.rate, least, 2e-4, "growing %g", growing[k]);
                assert_near(g.excluded, least + (log(sqrt(2.0 / M_PI) * 1e6) + 1.0) / 2000.0, 2e-3, "excluded");
            }
            assert_true(g.excluded > log(1.0001) || growing[k] < 1.0);
            ifd_arena_close(arena);
        }
}

/* A constant number, whose root converges at once, beside a crowd of slow pairs between 1 and 2.5 rad, one of which
 * grows: the space does not resolve the crowd, and must not call the constant the largest root. */
enum { SLOWEST = 300, BESIDE = 1 + 2 * SLOWEST };

static bool step_beside(void *what, double *x)
{
    const double *growing = what;
    for (int k = 0; k < SLOWEST; k++)
        turn(k == SLOWEST / 3 ? *growing : 1.0 - 1e-5 * (1.0 + (double)k / SLOWEST), 1.0 + 0.005 * k, x + 1 + 2 * k);
    return true;
}

TEST(a_constant_does_not_hide_growth)
{
    static const double rest[BESIDE], growing[] = {1.0001, 1.008, 1.1};
    int all[BESIDE];
    (void)state;
    for (int i = 0; i < BESIDE; i++)
        all[i] = i;
    for (size_t k = 0; k < COUNT(growing); k++) {
        ifd_arena *arena = ifd_arena_open();
        double size = growing[k];
        ifd__roots roots = {0};
        ifd__probe p = {.size = BESIDE, .n = BESIDE, .state = all, .rest = rest, .amplitude = 0x1p-20};
        p.step = step_beside;
        p.what = &size;
        ifd_status status = ifd__krylov_roots(arena, &p, 0, &roots, NULL);
        assert_true(status == IFD_UNSUPPORTED || (status == IFD_OK && !ifd__roots_stable(&roots)));
        assert_true(status == IFD_OK || size < 1.1);
        ifd_arena_close(arena);
    }
}

static bool fails(void *what, double *x)
{
    (void)what;
    (void)x;
    return false;
}

TEST(a_step_that_fails_is_said)
{
    static const double rest[SIZE];
    ifd_arena *arena = ifd_arena_open();
    int all[SIZE];
    ifd__roots roots;
    (void)state;
    for (int i = 0; i < SIZE; i++)
        all[i] = i;
    ifd__probe p = probe_of(NULL, all, rest);
    p.step = fails;
    assert_int_equal(ifd__krylov_roots(arena, &p, LINE, &roots, NULL), IFD_DIVERGED);
    ifd_arena_close(arena);
}

TESTS()
