/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "fixture.h"
#include "record/files.h"

#include <stdlib.h>
#include <string.h>

#include <interfield/motion.h>

/* A record of the project; the test is skipped without it. */
static ifd_motion record(const char *name)
{
    const char *path = files_data(name);
    ifd_motion m;
    if (!path) {
        print_message("the folder of records is not here (INTERFIELD_DATA)\n");
        skip();
    }
    assert_int_equal(ifd_motion_read(arena, path, NULL, &m, &note), IFD_OK);
    return m;
}

static ifd_motion made(int count, double dt, double (*a)(double t))
{
    ifd_motion m = {.name = "made", .count = count, .dt = dt};
    m.a = ifd_arena_array(arena, (size_t)count, sizeof *m.a);
    for (int i = 0; i < count; i++)
        m.a[i] = a(i * dt);
    return m;
}

TEST_IN_ARENA(intensity_measures_have_the_tabulated_values)
{
    static const struct {
        const char *file;
        int count;
        double dt, pga, pgv, arias, cav, d5_75, d5_95;
    } row[] = {
        {"elcentro_1940_ns.csv", 2060, 0.02, 3.134930197, 0.375536723, 1.802309029, 12.62425491, 10.1364035,
         23.8435354},
        {"kobe_1995.csv", 5095, 0.01, 6.329845419, 0.726937233, 2.934873747, 10.87726553, 2.0749867, 5.0736503}};
    for (size_t i = 0; i < COUNT(row); i++) {
        ifd_motion m = record(row[i].file);
        ifd_motion_measures v;
        ifd_motion_intensity(&m, &v);
        assert_int_equal(m.count, row[i].count);
        assert_near(m.dt, row[i].dt, 0, "");
        assert_near(v.pga, row[i].pga, 0.5e-9, "PGA");
        assert_near(v.pgv, row[i].pgv, 0.5e-9, "PGV");
        assert_near(v.arias, row[i].arias, 0.5e-9, "Arias");
        assert_near(v.cav, row[i].cav, 0.5e-8, "CAV");
        assert_near(v.d5_75, row[i].d5_75, 0.5e-7, "D5-75");
        assert_near(v.d5_95, row[i].d5_95, 0.5e-7, "D5-95");
    }
}

TEST_IN_ARENA(response_spectra_have_the_tabulated_values)
{
    static const struct {
        const char *file;
        double period, sd, psa, sa;
    } row[] = {{"elcentro_1940_ns.csv", 0.2, 0.00787396128, 7.77128829, 7.82739551},
               {"elcentro_1940_ns.csv", 1.0, 0.112761062, 4.45162830, 4.49001015},
               {"elcentro_1940_ns.csv", 3.0, 0.275484375, 1.20840969, 1.21406000},
               {"kobe_1995.csv", 0.5, 0.0646063011, 10.2022181, 10.2553823},
               {"kobe_1995.csv", 2.0, 0.390725587, 3.85630697, 3.87539471}};
    for (size_t i = 0; i < COUNT(row); i++) {
        ifd_motion m = record(row[i].file);
        ifd_motion_response r;
        assert_int_equal(ifd_motion_spectrum(&m, 0.05, 1, &row[i].period, &r), IFD_OK);
        assert_near_rel(r.sd, row[i].sd, 5e-9, "Sd(%g)", row[i].period);
        assert_near_rel(r.psa, row[i].psa, 5e-9, "PSA(%g)", row[i].period);
        assert_near_rel(r.sa, row[i].sa, 5e-9, "SA(%g)", row[i].period);
        /* A peak between two samples of a harmonic motion is at most this much higher. */
        double above = 1.01 / cos(M_PI * m.dt / row[i].period);
        assert_true(r.fine_sd > r.sd * (1 - 1e-12) && r.fine_sd < above * r.sd);
        assert_true(r.fine_sa > r.sa * (1 - 1e-12) && r.fine_sa < above * r.sa);
    }
}

static double one(double t)
{
    (void)t;
    return 1;
}

/* u = -(1 - cos w t) / w^2 under a unit acceleration without damping: peak 2 / w^2, absolute acceleration up to 2.
 * The samples miss the peak of a short period, the fine grid finds it. */
TEST_IN_ARENA(a_constant_acceleration_doubles_without_damping)
{
    ifd_motion m = made(301, 0.01, one);
    const double period[] = {0, 0.013, 0.5};
    ifd_motion_response r[3];
    assert_int_equal(ifd_motion_spectrum(&m, 0, 3, period, r), IFD_OK);
    assert_near(r[0].psa, 1, 0, "");
    assert_near(r[0].sd, 0, 0, "");
    assert_near(r[1].fine_psa, 2, 2e-3, "1 - cos(pi / 100) = 5e-4");
    assert_near(r[2].psa, 2, 1e-12, "");
    assert_near(r[2].sa, 2, 1e-12, "");
    assert_near(r[2].sd, 2 * 0.25 / (4 * M_PI * M_PI), 1e-13, "");
    assert_int_equal(ifd_motion_spectrum(&m, 1, 1, period, r), IFD_RANGE);
    assert_int_equal(ifd_motion_spectrum(&m, 0.05, 1, &(double){-1}, r), IFD_RANGE);
}

static double burst(double t)
{
    return 3 * exp(-0.5 * (t - 10) * (t - 10)) * sin(2 * M_PI * 1.5 * t);
}

TEST_IN_ARENA(a_written_motion_is_read_again)
{
    ifd_motion m = made(1001, 0.02, burst), again;
    static const char *const name[] = {"m.csv", "m.AT2"};
    for (int k = 0; k < 2; k++) {
        const char *path = files_path(name[k]);
        assert_int_equal(ifd_motion_write(&m, path, &note), IFD_OK);
        assert_int_equal(ifd_motion_read(arena, path, NULL, &again, &note), IFD_OK);
        assert_string_equal(again.name, "m");
        assert_int_equal(again.count, m.count);
        assert_near(again.dt, 0.02, 0, "");
        for (int i = 0; i < m.count; i++)
            assert_near(again.a[i], m.a[i], 1e-8, "%s, sample %d", name[k], i);
    }
    assert_int_equal(ifd_motion_write(&m, "/nowhere/m.csv", &note), IFD_OUTPUT);
}

TEST_IN_ARENA(uneven_times_need_an_interval)
{
    const char *path = files_write("u.csv", "0,0\n1,2\n1.5,2\n3,-1\n");
    ifd_motion m;
    assert_int_equal(ifd_motion_read(arena, path, NULL, &m, &note), IFD_RECORD);
    ifd_motion_options o = {.step = 0.5};
    assert_int_equal(ifd_motion_read(arena, path, &o, &m, &note), IFD_OK);
    static const double expected[] = {0, 1, 2, 2, 1, 0, -1};
    assert_int_equal(m.count, 7);
    for (int i = 0; i < 7; i++)
        assert_near(m.a[i], expected[i], 1e-14, "sample %d", i);
}

static double high_tone, low_tone; /* Hz */

static double tones(double t)
{
    double envelope = t > 5 && t < 55 ? pow(sin(M_PI * (t - 5) / 50), 2) : 0;
    return envelope * (sin(2 * M_PI * low_tone * t) + sin(2 * M_PI * high_tone * t));
}

/* The gain of both passes is 1 / (1 + r^(2 n)), with r the ratio of tan(pi f dt) of tone and corner; there is no
 * phase. The slow envelope widens each tone by 0.02 Hz, which changes the gain by less than 1 %. */
TEST_IN_ARENA(filters_have_the_gain_of_butterworth_without_phase)
{
    double dt = 0.01;
    low_tone = 0.5;
    high_tone = 8;
    for (int order = 1; order <= 5; order++)
        for (int high = 0; high < 2; high++) {
            ifd_motion m = made(6001, dt, tones);
            double corner = high ? 1.0 : 6.0, sum[2] = {0}, cross[2] = {0}, own[2] = {0};
            ifd_motion_band f = {.low = high ? corner : 0, .high = high ? 0 : corner, .order = order};
            assert_int_equal(ifd_motion_filter(arena, &m, &f, &note), IFD_OK);
            for (int i = 0; i < m.count; i++)
                for (int k = 0; k < 2; k++) {
                    double w = 2 * M_PI * (k ? high_tone : low_tone) * i * dt, e = tones(i * dt) != 0;
                    e *= pow(sin(M_PI * (i * dt - 5) / 50), 2);
                    sum[k] += e * m.a[i] * sin(w);
                    cross[k] += e * m.a[i] * cos(w);
                    own[k] += e * e * sin(w) * sin(w);
                }
            for (int k = 0; k < 2; k++) {
                double r = tan(M_PI * (k ? high_tone : low_tone) * dt) / tan(M_PI * corner * dt);
                double gain = 1 / (1 + pow(high ? 1 / r : r, 2 * order));
                assert_near(sum[k] / own[k], gain, 0.01, "order %d, high-pass %d, tone %d", order, high, k);
                assert_near(cross[k] / own[k], 0, 0.002, "phase");
            }
        }
}

TEST_IN_ARENA(filters_with_wrong_corners_are_refused)
{
    ifd_motion m = made(1001, 0.02, burst);
    static const struct {
        ifd_motion_band f;
        ifd_status status;
    } row[] = {{{0, 25, 4}, IFD_RANGE}, {{-1, 0, 4}, IFD_RANGE},   {{0, 5, 0}, IFD_RANGE},
               {{0, 5, 11}, IFD_RANGE}, {{6, 5, 4}, IFD_CONFLICT}, {{1e-9, 0, 4}, IFD_TOO_LARGE},
               {{0.1, 20, 4}, IFD_OK}};
    for (size_t i = 0; i < COUNT(row); i++)
        assert_int_equal(ifd_motion_filter(arena, &m, &row[i].f, &note), row[i].status);
}

static double drifting(double t)
{
    return burst(t) + 0.02 - 0.01 * t + 0.001 * t * t;
}

static double parabola(double t)
{
    return 0.02 - 0.01 * t + 0.001 * t * t;
}

/* The fit is a projection: a polynomial disappears, a second correction changes nothing, and a polynomial that was
 * added makes no difference. */
TEST_IN_ARENA(a_baseline_is_a_projection)
{
    ifd_motion p = made(1001, 0.02, parabola), x = made(1001, 0.02, burst), y = made(1001, 0.02, drifting);
    assert_int_equal(ifd_motion_baseline(arena, &p, 2, &note), IFD_OK);
    assert_int_equal(ifd_motion_baseline(arena, &x, 2, &note), IFD_OK);
    assert_int_equal(ifd_motion_baseline(arena, &y, 2, &note), IFD_OK);
    for (int i = 0; i < 1001; i++) {
        assert_near(p.a[i], 0, 1e-12, "polynomial, sample %d", i);
        assert_near(x.a[i], y.a[i], 1e-12, "sum, sample %d", i);
    }
    double *once = x.a;
    assert_int_equal(ifd_motion_baseline(arena, &x, 2, &note), IFD_OK);
    for (int i = 0; i < 1001; i++)
        assert_near(x.a[i], once[i], 1e-12, "twice, sample %d", i);
    ifd_motion_measures before, after;
    ifd_motion raw = made(1001, 0.02, drifting);
    ifd_motion_intensity(&raw, &before);
    ifd_motion_intensity(&y, &after);
    assert_true(after.pgd < 0.1 * before.pgd);
    assert_int_equal(ifd_motion_baseline(arena, &y, 7, &note), IFD_RANGE);
}

TEST_IN_ARENA(a_shorter_interval_keeps_the_record_and_a_longer_one_its_band)
{
    ifd_motion m = made(1001, 0.02, burst), fine = m, coarse = m;
    assert_int_equal(ifd_motion_resample(arena, &fine, 0.005, &note), IFD_OK);
    assert_int_equal(fine.count, 4001);
    for (int i = 0; i < fine.count; i++) {
        int k = i / 4 > 999 ? 999 : i / 4;
        double linear = m.a[k] + (i / 4.0 - k) * (m.a[k + 1] - m.a[k]);
        assert_near(fine.a[i], linear, 1e-13, "sample %d", i);
    }
    assert_int_equal(ifd_motion_resample(arena, &coarse, 0.05, &note), IFD_OK);
    assert_int_equal(coarse.count, 401);
    for (int i = 0; i < coarse.count;
         i++) /* 1.5 Hz passes a corner of 8 Hz; 2.5 samples: linear error (w dt)^2 / 8 */
        assert_near(coarse.a[i], burst(i * 0.05), 3 * pow(2 * M_PI * 1.9 * 0.02, 2) / 8, "sample %d", i);
    low_tone = 0.5;
    high_tone = 20; /* above half of the new rate of 20 Hz: removed, not seen as 0 Hz */
    ifd_motion t = made(6001, 0.01, tones);
    assert_int_equal(ifd_motion_resample(arena, &t, 0.05, &note), IFD_OK);
    for (int i = 0; i < t.count; i++) {
        double e = i * 0.05 > 5 && i * 0.05 < 55 ? pow(sin(M_PI * (i * 0.05 - 5) / 50), 2) : 0;
        assert_near(t.a[i], e * sin(2 * M_PI * 0.5 * i * 0.05), 0.002, "sample %d", i);
    }
    assert_int_equal(ifd_motion_resample(arena, &t, 1e3, &note), IFD_RANGE);
}

/* A target that is the spectrum of the motion times 1.7 gives that factor without misfit; twice as large in half of
 * the periods: factor 1.7 sqrt(2), misfit ln(2) / 2. */
TEST_IN_ARENA(the_factor_to_a_target_minimises_logarithms)
{
    ifd_motion m = made(1001, 0.02, burst);
    enum { N = 100 };
    double period[N], psa[N];
    ifd_motion_response r[N];
    for (int i = 0; i < N; i++)
        period[i] = i == N - 1 ? 2.0 : 0.1 * pow(20, i / (N - 1.0));
    assert_int_equal(ifd_motion_spectrum(&m, 0.05, N, period, r), IFD_OK);
    ifd_target_spectrum t = {N, period, psa};
    ifd_spectrum_fit fit = {.damping = 0.05, .from = 0.1, .to = 2.0};
    for (int halves = 0; halves < 2; halves++) {
        for (int i = 0; i < N; i++)
            psa[i] = 1.7 * r[i].psa * (halves && i >= N / 2 ? 2 : 1);
        assert_int_equal(ifd_motion_fit(&m, &t, &fit, &note), IFD_OK);
        assert_near(fit.factor, halves ? 1.7 * sqrt(2) : 1.7, 1e-9, "factor");
        assert_near(fit.misfit, halves ? log(2) / 2 : 0, halves ? 1e-9 : 1e-7, "misfit");
    }
    fit.to = 3;
    assert_int_equal(ifd_motion_fit(&m, &t, &fit, &note), IFD_RANGE);
}

TEST_IN_ARENA(a_target_is_read_with_its_unit)
{
    ifd_target_spectrum t;
    const char *path = files_write("t.csv", "period [s],acceleration [g]\n0,0.4\n0.1,1.0\n0.5,1.0\n2,0.25\n");
    assert_int_equal(ifd_target_spectrum_read(arena, path, NULL, &t, &note), IFD_OK);
    assert_near(ifd_target_spectrum_at(&t, 0.05), 0.7 * 9.80665, 1e-12, "linear from period 0");
    assert_near(ifd_target_spectrum_at(&t, 0.3), 9.80665, 1e-12, "");
    assert_near(ifd_target_spectrum_at(&t, 1), 0.5 * 9.80665, 1e-12, "1 / T is linear in logarithms");
    assert_true(isnan(ifd_target_spectrum_at(&t, 2.1)));
    path = files_write("w.csv", "0.1,1\n0.5,0\n");
    assert_int_equal(ifd_target_spectrum_read(arena, path, NULL, &t, &note), IFD_RANGE);
}

TEST_IN_ARENA(a_signal_is_sampled)
{
    const ifd_signal *s;
    double value[] = {0, 1, -2};
    ifd_samples samples = {.count = 3, .value = value, .dt = 1};
    assert_int_equal(ifd_signal_make_table(arena, &samples, IFD_INTERPOLATE_LINEAR, &s, &note), IFD_OK);
    ifd_motion m;
    assert_int_equal(ifd_motion_sample(arena, s, 2, 0.5, &m), IFD_OK);
    assert_int_equal(m.count, 5);
    assert_near(m.a[1], 0.5, 1e-15, "");
    assert_near(m.a[3], -0.5, 1e-15, "");
    ifd_motion_scale(&m, 2);
    assert_near(m.a[3], -1, 1e-15, "");
}

/* Largest |u| times w^2 by the recursion of Nigam and Jennings, with each interval divided into four. */
static double nigam_jennings(const ifd_motion *m, double T, double z)
{
    enum { PARTS = 4 };
    double w = 2 * M_PI / T, wd = w * sqrt(1 - z * z), h = m->dt / PARTS, e = exp(-z * w * h), u = 0, v = 0, peak = 0;
    double S = sin(wd * h), C = cos(wd * h);
    for (int i = 1; i < m->count; i++)
        for (int p = 0; p < PARTS; p++) {
            double slope = (m->a[i] - m->a[i - 1]) / m->dt, a = m->a[i - 1] + p * h * slope;
            /* u = particular (linear in t) + homogeneous */
            double b = -slope / (w * w), c = (-a - 2 * z * w * b) / (w * w), A = u - c, B = (v - b + z * w * A) / wd;
            double un = c + b * h + e * (A * C + B * S);
            v = b + e * (-z * w * (A * C + B * S) + wd * (B * C - A * S));
            u = un;
            peak = fmax(peak, w * w * fabs(u));
        }
    return peak;
}

static void end_of(const ifd_motion *m, double end[2])
{
    end[0] = end[1] = 0;
    for (int i = 1; i < m->count; i++) {
        end[1] += m->dt * end[0] + m->dt * m->dt * (2 * m->a[i - 1] + m->a[i]) / 6;
        end[0] += 0.5 * m->dt * (m->a[i - 1] + m->a[i]);
    }
}

/* A flat target with a falling branch. The peaks are found by another recursion, also between the matched periods. */
TEST_IN_ARENA(a_matched_motion_follows_the_target)
{
    const ifd_signal_kind *kind = ifd_signal_find("kanai-tajimi");
    const double period[] = {0.1, 0.5, 2}, psa[] = {5, 5, 1.25};
    const ifd_target_spectrum target = {3, period, psa};
    const ifd_signal *signal;
    ifd_value v[IFD_SIGNAL_PARAMS];
    ifd_motion m, before;
    ifd_param_preset(kind->params, v);
    assert_int_equal(ifd_signal_make(arena, kind, v, NULL, &signal, &note), IFD_OK);
    assert_int_equal(ifd_motion_sample(arena, signal, 20, 0.01, &m), IFD_OK);
    before = m;
    ifd_spectrum_match o = {.damping = 0.05, .from = 0.2, .to = 2, .tolerance = 0.08, .most = 30};
    assert_int_equal(ifd_motion_match(arena, &m, &target, &o, &note), IFD_OK);
    assert_true(o.worst <= 0.08 && o.rms < o.worst && o.steps > 0 && o.steps < 30); /* it ends within the tolerance */
    double worst = 0, sum = 0;
    for (int i = 0; i < 100; i++) {
        double T = i == 99 ? 2 : 0.2 * pow(10, i / 99.0);
        double d = log(nigam_jennings(&m, T, 0.05) / ifd_target_spectrum_at(&target, T));
        worst = fmax(worst, fabs(d));
        sum += d * d;
    }
    assert_near(worst, o.worst, 3e-3, "1 - cos(pi / 40): points of the search in the shortest period");
    assert_near(sqrt(sum / 100), o.rms, 3e-3, "");
    for (double T = 0.2; T < 2; T *= 1.0073) {
        double d = log(nigam_jennings(&m, T, 0.05) / ifd_target_spectrum_at(&target, T));
        assert_true(fabs(d) < 0.15);
    }
    double was[2], is[2];
    end_of(&before, was);
    end_of(&m, is);
    assert_near(is[0], o.factor * was[0], 1e-9, "velocity at the end, m/s");
    assert_near(is[1], o.factor * was[1], 1e-6,
                "displacement at the end, m: the rule of the wavelets is trapezoidal");
}

TEST_IN_ARENA(a_motion_that_cannot_be_matched_is_refused)
{
    const double period[] = {0.05, 2}, psa[] = {5, 1};
    const ifd_target_spectrum target = {2, period, psa};
    ifd_motion m = made(1001, 0.02, burst);
    ifd_spectrum_match o = {.damping = 0.05, .from = 0.1, .to = 2, .tolerance = 0.1, .most = 3};
    assert_int_equal(ifd_motion_match(arena, &m, &target, &o, &note), IFD_RANGE);
    assert_non_null(strstr(note.first->text, "too long to match"));
    o.from = 0.2;
    o.damping = 0;
    assert_int_equal(ifd_motion_match(arena, &m, &target, &o, &note), IFD_RANGE);
    o = (ifd_spectrum_match){.damping = 0.05, .from = 0.2, .to = 3, .tolerance = 0.1, .most = 3};
    assert_int_equal(ifd_motion_match(arena, &m, &target, &o, &note), IFD_RANGE);
}

TESTS_WITH(files_open, files_close)
