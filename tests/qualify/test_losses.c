/* SPDX-License-Identifier: MIT */
/* Lag, losses, clearance and stiffness outside of it, from cycles in closed form. */
#include "check.h"

#include <string.h>

#include "qualify/characterise.h"
#include "substructure/loading_protocol.h"

enum { SLOW = 2000, FAST = 500, BEGIN = 100, TICKS = BEGIN + 2 * SLOW + 2 * FAST + 2 }; /* ticks of a period */
static const double TWO_PI = 6.28318530717958647693, h = 1e-3, x0 = 0.03;
static double u[TICKS + 1], x[TICKS], f[TICKS];

/* Amplitudes and halves of them are exact numbers. */
static ifd_motions motions(double amplitude)
{
    return (ifd_motions){.small = 50,
                         .cycle = BEGIN,
                         .fast = BEGIN + 2 * SLOW,
                         .step = BEGIN + 2 * SLOW + 2 * FAST,
                         .amplitude = amplitude};
}

static ifd_characterisation losses(const ifd_motions *at, ifd_characterisation known)
{
    const ifd_motion_record r = {.ticks = TICKS, .period = h, .command = u, .position = x, .force = f};
    ifd__find_losses(at, &r, &known);
    return known;
}

static double motion(long i, const ifd_motions *at)
{
    if (i < at->cycle || i >= at->step)
        return x0;
    long from = i < at->fast ? at->cycle : at->fast, T = i < at->fast ? SLOW : FAST;
    return x0 + at->amplitude * sin(TWO_PI * (double)(i - from) / (double)T);
}

/* A noiseless spring of 6e5 N/m with a clearance: below a millionth of the amplitude of 2.4 mm it is round-off, and
 * below the resolution of the position nobody sees it. */
TEST(a_clearance_below_the_resolution_is_none)
{
    static const struct {
        double gap, resolution;
        bool loose;
    } row[] = {{2.3e-9, 0.0, false}, {2.5e-9, 0.0, true}, {1e-6, 1.1e-6, false}, {1e-6, 0.9e-6, true}};
    const ifd_motions at = motions(2.4e-3);
    for (size_t n = 0; n < COUNT(row); n++) {
        for (long i = 0; i < TICKS; i++) {
            double y = motion(i, &at) - x0, gap = row[n].gap;
            u[i] = motion(i + 1, &at);
            x[i] = motion(i, &at);
            f[i] = 6e5 * (y > 0.5 * gap ? y - 0.5 * gap : y < -0.5 * gap ? y + 0.5 * gap : 0.0);
        }
        const ifd_characterisation out =
            losses(&at, (ifd_characterisation){.stiffness = 6e5, .position_resolution = row[n].resolution});
        assert_near_rel(out.clearance, row[n].gap, 0.02, "m");
        assert_int_equal(out.loose, row[n].loose);
    }
}

/* A mass on a spring with a clearance of 0.5 mm about x0, and a load cell with a bias. Inertia is that of
 * a sine: k - m w^2 without its correction. */
TEST(the_slope_outside_of_a_clearance_is_the_stiffness)
{
    const double k = 6e5, m = 800.0, gap = 0.5e-3, bias = 250.0;
    const ifd_motions at = motions(2.4e-3);
    for (long i = 0; i < TICKS; i++) {
        double y = motion(i, &at) - x0,
               a = (motion(i + 1, &at) - 2.0 * motion(i, &at) + motion(i - 1, &at)) / (h * h);
        u[i] = motion(i + 1, &at); /* the position of the next tick */
        x[i] = motion(i, &at);
        f[i] = k * (y > 0.5 * gap ? y - 0.5 * gap : y < -0.5 * gap ? y + 0.5 * gap : 0.0) + m * a + bias;
    }
    const ifd_characterisation out = losses(&at, (ifd_characterisation){.stiffness = 5e5, .mass = m});
    assert_true(out.loose);
    assert_near_rel(out.stiffness, k, 1e-9, "N/m");
    assert_near(out.force_offset, bias - k * x0, 1e-3, "N at zero position");
    assert_true(out.stiffness_error < 1e-3 * k);
    double inertia = m * 9.8696044010893586; /* w = pi/s: 7896 N/m */
    assert_near(out.clearance, gap * k / (k - inertia), 1e-9, "m");
}

/* A period of position and force in the middle of each cycle, the force ahead by phase[]; around it anything. */
static void turn(const double phase[2], double X, double F)
{
    const long begin[] = {BEGIN + SLOW / 2, BEGIN + 2 * SLOW + FAST / 2}, T[] = {SLOW, FAST};
    for (long i = 0; i < TICKS; i++) {
        u[i] = x0;
        x[i] = 3.0 * sin((double)(i * i));
        f[i] = 7.0 * cos((double)(i * i));
    }
    for (int c = 0; c < 2; c++)
        for (long i = 0; i < T[c]; i++) {
            double angle = TWO_PI * (double)i / (double)T[c] + 0.4;
            x[begin[c] + i] = 11.0 + X * cos(angle);
            f[begin[c] + i] = -5.0 + F * cos(angle + phase[c]);
        }
}

static const double w1 = 6.28318530717958647693 / (SLOW * 1e-3), w2 = 6.28318530717958647693 / (FAST * 1e-3);

/* Phases of a force that is late by lag and ahead by rest. */
static void turn_by(double lag, double rest, double X, double F)
{
    turn((const double[]){rest - w1 * lag, rest - w2 * lag}, X, F);
}

TEST(lag_and_rest_are_those_of_both_phases_with_their_errors)
{
    const double X = 0.002, F = 300.0, k = -1.5e5, noise[] = {2e-6, 0.7};
    const ifd_motions at = motions(0.0021);
    turn_by(-0.004, 0.3, X, -F);
    ifd_characterisation out =
        losses(&at, (ifd_characterisation){.stiffness = k, .position_noise = noise[0], .force_noise = noise[1]});
    double share = hypot(noise[0] / X, noise[1] / F), slow = share * sqrt(2.0 / SLOW),
           fast = share * sqrt(2.0 / FAST);
    assert_near(out.force_lag, -0.004, 1e-12, "lag, s");
    assert_near(out.rest, 0.3, 1e-11, "rest, rad");
    assert_near_rel(out.force_lag_error, hypot(slow, fast) / (w2 - w1), 1e-9, "s");
    assert_near_rel(out.rest_error, hypot(slow * w2, fast * w1) / (w2 - w1), 1e-9, "rad");
    assert_false(out.force_late);
    assert_near_rel(out.friction, -k * 0.0021 * 0.785398163397448310 * tan(0.3), 1e-9, "N");
    assert_near(out.play, 0.0, 0.0, "m");
    turn_by(0.004, -0.2, X, F);
    out = losses(&at, (ifd_characterisation){0}); /* without a stiffness the force keeps its sign */
    assert_near(out.force_lag, 0.004, 1e-12, "lag, s");
    assert_near(out.rest, -0.2, 1e-11, "rest, rad");
    assert_near(out.friction, 0.0, 0.0, "N");
    assert_near_rel(out.play, 0.0021 * 1.57079632679489662 * tan(0.2), 1e-9, "m");
}

TEST(a_lag_counts_above_half_a_tick_and_three_errors)
{
    const ifd_motions at = motions(0.002);
    static const struct {
        double lag, error; /* ticks */
        bool late;
    } row[] = {{0.498, 0.0, false}, {0.502, 0.0, true}, {0.502, 0.16, true}, {5.0, 1.678, false}, {5.0, 1.655, true}};
    for (size_t i = 0; i < COUNT(row); i++) {
        turn_by(row[i].lag * h, 0.0, 1.0, 1.0);
        double noise = row[i].error * h * (w2 - w1) / hypot(sqrt(2.0 / SLOW), sqrt(2.0 / FAST));
        ifd_characterisation out = losses(&at, (ifd_characterisation){.stiffness = 1.0, .force_noise = noise});
        assert_near(out.force_lag_error, row[i].error * h, 1e-12, "s");
        assert_int_equal(out.force_late, row[i].late);
    }
}

TEST(a_loss_counts_above_three_errors_and_below_one_radian)
{
    const ifd_motions at = motions(0.002);
    static const struct {
        double rest, error;
        bool counts;
    } row[] = {{0.995e-6, 0.0, false}, {1.005e-6, 0.0, true}, {0.1, 0.0336, false}, {0.1, 0.0331, true},
               {0.995, 0.0, true},     {1.005, 0.0, false},   {-0.995, 0.0, true},  {-1.005, 0.0, false}};
    for (size_t i = 0; i < COUNT(row); i++) {
        turn_by(0.0, row[i].rest, 1.0, 1.0);
        double noise = row[i].error * (w2 - w1) / hypot(w2 * sqrt(2.0 / SLOW), w1 * sqrt(2.0 / FAST));
        ifd_characterisation out = losses(&at, (ifd_characterisation){.stiffness = 1.0, .force_noise = noise});
        assert_near(out.rest_error, row[i].error, 1e-9, "rad");
        assert_int_equal(out.friction + out.play > 0.0, row[i].counts);
    }
}

/* A line by least squares with the command as instrument, by its definition. late: ticks of the actuator. */
typedef struct fit {
    long n;
    long double x0, f0, zx, zf, zz, inertia;
} fit;

static fit fit_part(const ifd_motions *at, double sign, long late)
{
    fit s = {0};
    long double z0 = 0.0L;
    const long from = at->cycle + SLOW / 2 + late;
    long first = 0, last = 0;
    for (long i = from + SLOW - 1; i >= from; i--)
        if (sign * (u[i - 1 - late] - u[at->small - 2]) > 0.5 * at->amplitude) {
            first = i;
            last = last ? last : i;
        }
    s.n = last - first + 1;
    for (long i = first; i <= last; i++) {
        z0 += (long double)u[i - 1 - late] / s.n;
        s.x0 += (long double)x[i] / s.n;
        s.f0 += (long double)f[i] / s.n;
    }
    for (long i = first; i <= last; i++) {
        const double *z = u + i - 1 - late;
        s.zx += (z[0] - z0) * (x[i] - s.x0);
        s.zf += (z[0] - z0) * (f[i] - s.f0);
        s.zz += (z[0] - z0) * (z[0] - z0);
        s.inertia += (z[0] - z0) * ((long double)z[1] - 2.0L * z[0] + z[-1]) / ((long double)h * h);
    }
    s.inertia *= s.zx / s.zz;
    return s;
}

static double shake(void)
{
    static unsigned seed = 1;
    seed = seed * 1664525u + 1013904223u;
    return (double)seed / 2147483648.0 - 1.0;
}

/* A spring of stiffness k with a clearance behind an actuator that is late, with noise in position and force. The
 * command begins and ends its parts in steps, on ticks where it is exactly half its amplitude. */
static void loosen(const ifd_motions *at, double k, double gap, long late, double noise)
{
    for (long i = 0; i <= TICKS; i++)
        u[i] = motion(i + 1, at) + (i > 0 && i < BEGIN - 1 ? 1e-4 * shake() : 0.0);
    u[at->small - 2] = x0;
    for (long i = 0; i < TICKS; i++) {
        long from = i - late;
        double y = motion(from < 0 ? 0 : from, at) - x0;
        x[i] = x0 + y + noise * shake();
        f[i] = k * (y > 0.5 * gap ? y - 0.5 * gap : y < -0.5 * gap ? y + 0.5 * gap : 0.0) + fabs(k) * noise * shake();
    }
}

static void check_lines(const ifd_motions *at, double k, double delay, long late)
{
    const double mass = 800.0, noise = 2e-5;
    ifd_characterisation out = losses(at, (ifd_characterisation){.stiffness = 0.9 * k,
                                                                 .mass = mass,
                                                                 .delay = delay,
                                                                 .position_noise = noise,
                                                                 .force_noise = fabs(k) * noise});
    const fit up = fit_part(at, 1.0, late), down = fit_part(at, -1.0, late);
    long double mean = 0.5L * (up.f0 + down.f0), sk = up.zf / up.zx, variance = 0.0L, place[2];
    double sigma = hypot(fabs(k) * noise, (double)sk * noise);
    const fit *const of[] = {&up, &down};
    for (int i = 0; i < 2; i++) {
        long double slope = of[i]->zf / of[i]->zx, off = mean - of[i]->f0;
        place[i] = of[i]->x0 + off / slope;
        variance += (long double)(sigma * sigma) / (slope * slope) *
                    (1.0L / of[i]->n + off * off / (slope * of[i]->zf * of[i]->zx / of[i]->zz));
    }
    assert_near_rel(out.clearance, (double)(place[0] - place[1]), 1e-9, "clearance, m");
    assert_near_rel(out.clearance_error, (double)sqrtl(variance), 1e-9, "its error, m");
    if (late > FAST / 2) /* the fast cycle is not at its place: losses */
        return;
    assert_true(out.loose);
    long double zx = up.zx + down.zx, outside = (up.zf + down.zf - mass * (up.inertia + down.inertia)) / zx;
    assert_near_rel(out.stiffness, (double)outside, 1e-9, "N/m");
    assert_near(out.force_offset, 0.5 * (double)(up.f0 + down.f0 - outside * (up.x0 + down.x0)), 1e-9 * fabs(k), "N");
}

TEST(the_lines_are_those_of_the_ticks_above_half_the_amplitude)
{
    const ifd_motions at = motions(0x1p-9);
    static const struct {
        double k, delay;
        long late;
    } row[] = {{6e5, 0.0, 0}, {6e5, -5e-3, 0}, {-6e5, 7.4e-3, 7}, {6e5, 40.6e-3, 41}, {6e5, 5.0, SLOW / 4}};
    for (size_t i = 0; i < COUNT(row); i++) {
        loosen(&at, row[i].k, 0.4e-3, row[i].late, 2e-5);
        check_lines(&at, row[i].k, row[i].delay, row[i].late);
    }
    loosen(&at, 6e5, 0.4e-3, 0, 2e-5); /* a tick at exactly half the amplitude is in neither part */
    u[BEGIN + SLOW / 2 + 164] = x0 - 0x1p-10;
    u[BEGIN + 2 * SLOW - 168] = x0 + 0x1p-10;
    check_lines(&at, 6e5, 0.0, 0);
}

/* Losses, or another line, of a record with a clearance; each condition is broken alone. */
TEST(a_clearance_counts_if_nothing_else_explains_it)
{
    const ifd_motions at = motions(0x1p-9);
    const double k = -6e5;
    loosen(&at, k, 0.4e-3, 0, 0.0);
    const ifd_characterisation known = {.stiffness = k};
    ifd_characterisation out = losses(&at, known), c;
    assert_true(out.loose);
    double gap = out.clearance;
    c = known;
    c.yields = true;
    assert_false(losses(&at, c).loose);
    c = known;
    c.stiffness = -6.0;
    c.stiffness_error = 2.0; /* exactly three errors */
    assert_false(losses(&at, c).loose);
    assert_near(losses(&at, c).stiffness, -6.0, 0.0, "kept");
    c.stiffness_error = 6.0 / 3.02;
    assert_true(losses(&at, c).loose);
    c = known;
    c.position_noise = gap / 10.05;
    out = losses(&at, c);
    assert_true(out.loose && 3.0 * out.clearance_error < gap);
    c.position_noise = gap / 9.95;
    out = losses(&at, c);
    assert_true(!out.loose && 3.0 * out.clearance_error < gap);
    c = known;
    c.force_noise = 1.0; /* its share of the error is in proportion */
    double one = losses(&at, c).clearance_error;
    c.force_noise = gap / 3.02 / one;
    assert_true(losses(&at, c).loose);
    c.force_noise = gap / 2.98 / one;
    assert_false(losses(&at, c).loose);
}

/* The force of a loose specimen, with a loss of g times its stiffness that is in phase with the velocity. */
static void lose(const ifd_motions *at, double k, double g)
{
    loosen(at, k, 0.4e-3, 0, 0.0);
    for (long i = at->cycle; i < at->step; i++) {
        long from = i < at->fast ? at->cycle : at->fast, T = i < at->fast ? SLOW : FAST;
        f[i] += k * g * cos(TWO_PI * (double)(i - from) / (double)T);
    }
}

TEST(a_clearance_within_play_or_friction_is_not_stated)
{
    ifd_motions at = motions(0x1p-9);
    const double k = -6e5;
    const ifd_characterisation known = {.stiffness = k};
    lose(&at, k, -0.1e-3);
    ifd_characterisation out = losses(&at, known);
    assert_true(out.play > 0.0 && out.clearance > 1e-4);
    assert_false(out.loose);
    lose(&at, k, 0.2e-3);
    out = losses(&at, known);
    assert_true(out.friction > 0.0 && out.friction < 0.99 * out.clearance * fabs(k));
    assert_true(out.loose);
    lose(&at, k, 1e-3);
    out = losses(&at, known);
    assert_true(out.friction > 1.01 * out.clearance * fabs(k) && out.clearance > 1e-4);
    assert_false(out.loose);
}

/* At a bound itself nothing counts. Noises and amplitudes are searched, number by number, that put a value exactly on
 * its bound. */
static double near_to(double value, int steps)
{
    for (int i = 0; i < abs(steps); i++)
        value = nextafter(value, steps < 0 ? -INFINITY : INFINITY);
    return value;
}

TEST(a_lag_or_loss_of_exactly_three_errors_does_not_count)
{
    const ifd_motions at = motions(0.002);
    int lags = 0, rests = 0, radians = 0;
    turn_by(5.0 * h, 0.1, 1.0, 1.0);
    ifd_characterisation known = {.stiffness = 1.0, .force_noise = 1.0};
    const ifd_characterisation one = losses(&at, known);
    for (int i = -20; i <= 20; i++) {
        known.force_noise = near_to(one.force_lag / 3.0 / one.force_lag_error, i);
        ifd_characterisation out = losses(&at, known);
        if (3.0 * out.force_lag_error == out.force_lag) {
            assert_false(out.force_late);
            lags++;
        }
        known.force_noise = near_to(one.rest / 3.0 / one.rest_error, i);
        out = losses(&at, known);
        if (3.0 * out.rest_error == out.rest) {
            assert_near(out.friction, 0.0, 0.0, "N");
            rests++;
        }
    }
    for (int i = -100; i <= 100; i++) {
        turn_by(0.0, 1.0 + 2e-16 * i, 1.0, 1.0);
        ifd_characterisation out = losses(&at, (ifd_characterisation){.stiffness = 1.0});
        if (out.rest == 1.0) {
            assert_near(out.friction, 0.0, 0.0, "N");
            radians++;
        }
    }
    assert_true(lags > 0 && rests > 0 && radians > 0);
}

TEST(a_clearance_of_exactly_its_bound_does_not_count)
{
    ifd_motions at = motions(0x1p-9);
    const double k = -6e5;
    int errors = 0, noises = 0, losts = 0;
    loosen(&at, k, 0.4e-3, 0, 0.0);
    const ifd_characterisation known = {.stiffness = k};
    const double gap = losses(&at, known).clearance;
    ifd_characterisation c = known;
    c.force_noise = 1.0;
    const double one = losses(&at, c).clearance_error;
    for (int i = -20; i <= 20; i++) {
        c.force_noise = near_to(gap / 3.0 / one, i);
        ifd_characterisation out = losses(&at, c);
        assert_true(out.loose == (gap > 3.0 * out.clearance_error));
        errors += 3.0 * out.clearance_error == gap;
        c.position_noise = near_to(0.1 * gap, i);
        c.force_noise = 0.0;
        out = losses(&at, c);
        assert_true(out.loose == (gap > 10.0 * c.position_noise));
        noises += 10.0 * c.position_noise == gap;
        c.position_noise = 0.0;
    }
    lose(&at, k, 0.4e-3);
    for (int i = 0; i < 20; i++) {
        ifd_characterisation out = losses(&at, known);
        at.amplitude *= out.clearance * fabs(k) / out.friction;
    }
    for (double size = at.amplitude, i = -20; i <= 20; i++) {
        at.amplitude = near_to(size, (int)i);
        ifd_characterisation out = losses(&at, known);
        assert_true(out.loose == (out.clearance * fabs(k) > out.friction));
        losts += out.clearance * fabs(k) == out.friction;
    }
    assert_true(errors > 0 && noises > 0 && losts > 0);
}

/* By definition, with the residual of the line: its correlation r of neighbours leaves (1 - r)/(1 + r) of the
 * samples. */
static void check_sums(double least, double most)
{
    const ifd_motion_record r = {.ticks = TICKS, .period = h, .command = u, .position = x, .force = f};
    const ifd__span span = {BEGIN, BEGIN + SLOW + 1};
    ifd__cycle out;
    ifd__cycle_sums(span, &r, x, f, &out);
    long double z0 = 0, xm = 0, fm = 0, zx = 0, zf = 0, zz = 0, inertia = 0, square = 0, lagged = 0, before = 0;
    for (long i = span.from + 1; i < span.to; i++) {
        z0 += (long double)u[i - 1] / SLOW;
        xm += (long double)x[i] / SLOW;
        fm += (long double)f[i] / SLOW;
    }
    for (long i = span.from + 1; i < span.to; i++) {
        zx += (u[i - 1] - z0) * (x[i] - xm);
        zf += (u[i - 1] - z0) * (f[i] - fm);
        zz += (u[i - 1] - z0) * (u[i - 1] - z0);
        inertia += (u[i - 1] - z0) * ((long double)u[i] - 2.0L * u[i - 1] + u[i - 2]) / ((long double)h * h);
    }
    for (long i = span.from + 1; i < span.to; i++) {
        long double rest = f[i] - fm - zf / zx * (x[i] - xm);
        square += rest * rest;
        lagged += rest * before;
        before = rest;
    }
    double memory = (double)(lagged / square);
    assert_true(memory >= least && memory <= most);
    memory = memory < 0.0 ? 0.0 : memory > 0.999 ? 0.999 : memory;
    double samples = SLOW * (1.0 - memory) / (1.0 + memory);
    assert_near(out.x0, (double)xm, 1e-12, "mean position");
    assert_near(out.y0, (double)fm, 1e-12, "mean force");
    assert_near_rel(out.zx, (double)zx, 1e-9, "command with position");
    assert_near_rel(out.zy, (double)zf, 1e-9, "command with force");
    assert_near_rel(out.gain, (double)(zx / zz), 1e-9, "gain");
    assert_near_rel(out.inertia, (double)(inertia * zx / zz), 1e-9, "command with acceleration");
    assert_near_rel(out.error, sqrt((double)(square * zz) / samples) / fabs((double)zx), 1e-9, "error of the slope");
}

TEST(the_sums_of_a_cycle_and_the_error_of_its_slope_are_those_of_their_definition)
{
    static const struct {
        double gain, keeps, least,
            most; /* of position; of the noise from tick to tick; correlation of the residual */
    } row[] = {{1.0, 0.0, -0.1, 0.1}, {-1.5, 0.9, 0.7, 0.95}, {1.0, -0.5, -0.6, -0.4}, {1.0, 2.0, 0.9991, 1.0}};
    for (size_t c = 0; c < COUNT(row); c++) {
        double noise = 0.0;
        for (long i = 0; i < TICKS; i++) {
            double angle = TWO_PI * (double)(i - BEGIN) / SLOW;
            noise = row[c].keeps * noise + shake();
            u[i] = 0.1 + sin(angle) + 1e-3 * shake();
            x[i] = 0.7 + row[c].gain * sin(angle);
            f[i] = 3.0 + 20.0 * x[i] + (row[c].keeps > 1.0 ? sin(2.0 * angle) : noise);
            noise = row[c].keeps > 1.0 ? 0.0 : noise;
        }
        check_sums(row[c].least, row[c].most);
    }
    for (long i = 0; i < TICKS; i++) /* no residual: every sum with f is exactly twice that with x */
        f[i] = 2.0 * x[i];
    const ifd_motion_record r = {.ticks = TICKS, .period = h, .command = u, .position = x, .force = f};
    ifd__cycle out;
    ifd__cycle_sums((ifd__span){BEGIN, BEGIN + SLOW + 1}, &r, x, f, &out);
    assert_near(out.error, 0.0, 0.0, "error of the slope");
}

/* Interface j moves in cycle j, and the others a little with it. A force contains the inertia of its own motion. */
static ifd_status stiffness_of(int n, const double *K, double moves, ifd_arena *arena, ifd_stiffness_matrix *out)
{
    enum { MOST = 3, PERIOD = 400, EACH = PERIOD + 3 };
    static double command[MOST][MOST * EACH], position[MOST][MOST * EACH], force[MOST][MOST * EACH];
    static const double mass[MOST] = {80.0, 0.0, 25.0};
    ifd_motion_record record[MOST];
    ifd__motion motion[MOST];
    memset(motion, 0, sizeof motion);
    for (int j = 0; j < n; j++) {
        motion[j].at.cycle = 2 + j * EACH;
        motion[j].at.fast = motion[j].at.cycle + PERIOD;
        record[j] = (ifd_motion_record){
            .ticks = MOST * EACH, .period = h, .command = command[j], .position = position[j], .force = force[j]};
    }
    for (long t = 0; t < MOST * EACH; t++) {
        int moved = (int)(t / EACH);
        double angle = TWO_PI * (double)(t % EACH) / PERIOD, step = TWO_PI / PERIOD;
        for (int i = 0; i < n; i++) {
            double size = i == moved ? i + 1 == n ? moves : 1.0 : 0.1 * (i + 1);
            command[i][t] = i == moved ? size * sin(angle + step) : 0.0; /* the position of the next tick */
            position[i][t] = size * sin(angle);
        }
        for (int i = 0; i < n; i++) {
            double second = position[i][t] * 2.0 * (cos(step) - 1.0) / (h * h); /* difference of a sine */
            force[i][t] = i == moved ? mass[i] * second : 0.0;
            for (int k = 0; k < n; k++)
                force[i][t] += K[i * n + k] * position[k][t];
        }
    }
    const ifd_protocol protocol = {.interfaces = n, .motion = motion};
    ifd_status status = ifd_characterise_stiffness(arena, &protocol, record, mass, out);
    for (int j = 0; j < n && status == IFD_OK; j++)
        for (int i = 0; i < n; i++) {
            ifd__cycle sums;
            ifd__cycle_sums((ifd__span){motion[j].at.cycle, motion[j].at.fast}, &record[j], position[j], force[i],
                            &sums);
            assert_near(out->error[i * n + j], sums.error, 0.0, "its error");
        }
    return status;
}

TEST(the_stiffness_matrix_is_that_of_the_forces_and_its_asymmetry_is_stated)
{
    static const struct {
        double K[9], symmetry;
    } row[] = {{{4e3, -1.0e3, 0.5e3, -1.2e3, 3e3, 0.2e3, 0.5e3, 0.3e3, -2e3}, 0.2 / 3.46410161513775459},
               {{4e3, 0.1e3, -1.3e3, 0.1e3, 2e3, 0.2e3, -1.2e3, 1.4e3, -3e3}, 1.2 / 2.44948974278317810}};
    for (size_t c = 0; c < COUNT(row); c++) {
        ifd_arena *arena = ifd_arena_open();
        ifd_stiffness_matrix out;
        assert_int_equal(stiffness_of(3, row[c].K, 1.0, arena, &out), IFD_OK);
        assert_int_equal(out.n, 3);
        for (int i = 0; i < 9; i++)
            assert_near(out.K[i], row[c].K[i], 1e-6, "N/m");
        assert_near(out.symmetry, row[c].symmetry, 1e-9, "asymmetry");
        assert_int_equal(stiffness_of(3, row[c].K, 0.0, arena, &out), IFD_SINGULAR);
        ifd_arena_close(arena);
    }
}

TESTS()
