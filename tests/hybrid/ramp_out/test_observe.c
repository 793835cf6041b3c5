/* SPDX-License-Identifier: MIT */
/* Observations of command and measurement for transitions: acceleration, lag, noise and stiffness of known motions.
 * Two channels are used, the first with all signs reversed: its observations are equal. Their use is tested in
 * test_ramp_out.c and test_transitions.c. */
#include "check.h"

#include <string.h>

#include "hybrid/observe.h"
#include "hybrid/bare.h"
#include "hybrid/units.h"

static void *own[2]; /* of the unit */

static void begin(double period)
{
    bare_make(2, period);
    for (int k = 0; k < 2; k++)
        bare_interface[k].bounds = (ifd__bounds){-100.0, 100.0, 100.0, 200.0, period};
    bare.opt.ticks_per_stage = 4;
    for (int k = 0; k < 2; k++)
        own[k] = &ifd__interface_of(&bare, k)->seen;
    ifd__test_of(&bare)->state = IFD_MACHINE_RUN;
}

/* A tick in which all channels have commanded steps of w to p, and the rig shows a position and a force. */
static void tick(double p, double w, double position, double force, bool fresh)
{
    for (int k = 0; k < 2; k++) {
        double s = k ? 1.0 : -1.0, *past = ifd__interface_of(&bare, k)->past_x;
        ifd__interface_of(&bare, k)->command = s * p;
        ifd__interface_of(&bare, k)->step = s * w;
        ifd__interface_of(&bare, k)->last_f = ifd__interface_of(&bare, k)->measured_f;
        ifd__interface_of(&bare, k)->measured_x = s * position;
        ifd__interface_of(&bare, k)->measured_f = s * force;
        memmove(past, past + 1, (IFD__FITTED - 1) * sizeof *past);
        past[IFD__FITTED - 1] = s * position;
    }
    bare.io.renewed[0] = bare.io.renewed[1] = fresh;
    ifd__unit_observer.observe(&bare.io, NULL, own);
}

/* Both channels have the same value. */
#define assert_both(observed, expected, tol)                                                                         \
    for (int both = 0; both < 2; both++)                                                                             \
    assert_near(observed(&bare.io, both), expected, tol, "%s of channel %d", #observed, both)

static double peak_velocity(const ifd__io *io, int k)
{
    return io->interface[k]->seen.peak_v;
}

static double peak_force(const ifd__io *io, int k)
{
    return io->interface[k]->seen.peak_f;
}

/* A constant acceleration A: smoothed once and twice over eight stages of four ticks; q = 32/33 of the remainder per
 * tick. After n ticks A (1 - q^n) and A (1 - q^n - n q^n/33). */
TEST(accelerations_are_smoothed_over_eight_stages)
{
    const double period = 1.0 / 512.0, A = 3.0, q = 32.0 / 33.0;
    begin(period);
    for (int n = 1; n <= 100; n++) {
        tick(0.0, n * A * period * period, 0.0, 0.0, true);
        double left = pow(q, n), once = A * (1.0 - left), twice = A * (1.0 - left - n * left / 33.0);
        assert_near(ifd__observed_present(&bare.io, 1), 2.0 * once - twice, 1e-11, "tick %d", n);
        assert_near(ifd__observed_present(&bare.io, 0), twice - 2.0 * once, 1e-11, "tick %d", n);
        assert_both(ifd__observed_acceleration, fmax(once, 0.02), 1e-11); /* 1e-4 of 200 m/s2 */
        assert_both(peak_velocity, n * A * period, 1e-12);
    }
}

/* Peaks are those of ramp-in and run, either sign; the minimum is 1e-4 of the limit. */
TEST(peaks_are_those_of_ramp_in_and_run)
{
    const double period = 1.0 / 512.0, step = 33.0 * period * period; /* an acceleration of 1 m/s2, smoothed */
    for (int s = 0; s < IFD_MACHINE_COUNT; s++) {
        bool led = s == IFD_MACHINE_RAMP_IN || s == IFD_MACHINE_RUN;
        bool armed = s != IFD_MACHINE_IDLE && s != IFD_MACHINE_TRIPPED;
        begin(period);
        ifd__test_of(&bare)->state = s;
        tick(0.0, step, 0.0, 0.0, true);
        assert_both(ifd__observed_acceleration, led ? 1.0 : 0.02, 1e-12);
        assert_both(peak_velocity, led ? step / period : 0.0, 1e-15);
        tick(0.0, step, 0.0, 5.0, true);
        tick(0.0, step, 0.0, -3.0, true);
        tick(0.0, step, 0.0, 7.0, false);
        assert_both(ifd__observed_acceleration, led ? 1.0 : 0.02, 1e-12);
        assert_both(peak_force, armed ? 5.0 : 0.0, 0.0);
        assert_near(ifd__observed_present(&bare.io, 1), 1.0, 1.0, "present, in every state"); /* between 0 and 2 */
        assert_true(ifd__observed_present(&bare.io, 1) > 0.5);
    }
    begin(period);
    tick(0.0, step * 0.015, 0.0, 0.0, true);
    assert_both(ifd__observed_acceleration, 0.02, 0.0);
    tick(0.0, step * 0.045, 0.0, 0.0, true);
    assert_both(ifd__observed_acceleration, 0.03 + 0.015 * 32.0 / 33.0, 1e-12);
}

/* Lag L: past sums decay with 2 s. Motion with v and L1 for n ticks, then with L2 for m. */
TEST(the_lag_is_that_of_the_last_cycles)
{
    const double period = 1.0 / 512.0, v = 2.0, q = exp(-period / 2.0);
    static const struct {
        double first, second;
        int n, m;
    } rows[] = {{0.05, 0.05, 1, 0}, {0.05, 0.1, 100, 300}, {0.1, 0.02, 1000, 700}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        begin(period);
        double p = 0.0, n = rows[i].n, m = rows[i].m;
        for (int k = 0; k < rows[i].n + rows[i].m; k++) {
            p += v * period;
            tick(p, v * period, p - v * (k < rows[i].n ? rows[i].first : rows[i].second), 0.0, true);
        }
        double old = pow(q, m) * (1.0 - pow(q, n)), new = 1.0 - pow(q, m);
        assert_both(ifd__observed_lag, (rows[i].first * old + rows[i].second * new) / (old + new), 1e-12);
        ifd__test_of(&bare)->state = IFD_MACHINE_HOLD; /* states without commanded motion have no effect */
        tick(p, v * period, p - 0.5, 0.0, true);
        ifd__test_of(&bare)->state = IFD_MACHINE_RUN;
        tick(p, v * period, p - 0.5, 0.0, false);
        tick(p, v * period, p - 0.5, (double)NAN, true);
        tick(p, v * period, (double)NAN, 0.0, true);
        assert_both(ifd__observed_lag, (rows[i].first * old + rows[i].second * new) / (old + new), 1e-12);
    }
}

/* 30 ms without motion; at least a period, at most 0.2 s. */
TEST(a_lag_is_bounded)
{
    const double period = 1.0 / 512.0, v = 2.0;
    const struct {
        double lag, v, seen;
    } rows[] = {{0.1, 0.0, 0.03}, {0.3, v, 0.2},      {0.201, v, 0.2},       {0.199, v, 0.199}, {-0.1, v, period},
                {0.0, v, period}, {0.001, v, period}, {0.00196, v, 0.00196}, {0.05, -v, 0.05},  {-0.05, -v, period}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        begin(period);
        assert_both(ifd__observed_lag, 0.03, 0.0);
        tick(0.0, rows[i].v * period, -rows[i].v * rows[i].lag, 0.0, true);
        assert_both(ifd__observed_lag, rows[i].seen, 1e-14);
    }
}

/* With elastic time a measurement answers an earlier command: its age is added, also beyond the bounds. */
TEST(the_age_of_a_measurement_is_part_of_its_lag)
{
    const double period = 1.0 / 512.0, v = 2.0, age = 0.125;
    begin(period);
    bare.io.age = age;
    assert_both(ifd__observed_lag, 0.03 + age, 1e-15);
    tick(0.0, v * period, -v * 0.05, 0.0, true);
    assert_both(ifd__observed_lag, 0.05 + age, 1e-14);
    tick(0.0, v * period, -v * 0.5, 0.0, true);
    assert_both(ifd__observed_lag, 0.2 + age, 1e-14);
}

/* x = x0 + v t + a t^2/2 with t = 0 four ticks ago: the fit of a parabola is the parabola itself. */
TEST(velocity_and_acceleration_are_those_of_a_parabola_at_its_middle)
{
    static const double rows[][3] = {{3.0, 0.0, 0.0}, {0.0, 2.0, 0.0}, {0.0, 0.0, -7.0}, {-1.5, -4.0, 11.0}};
    const double period = 1.0 / 512.0;
    for (size_t i = 0; i < COUNT(rows); i++) {
        begin(period);
        for (int n = -4; n <= 4; n++) {
            double t = n * period;
            tick(0.0, 0.0, rows[i][0] + rows[i][1] * t + 0.5 * rows[i][2] * t * t, 0.0, true);
        }
        for (int k = 0; k < 2; k++) {
            double motion[2], sign = k ? 1.0 : -1.0;
            ifd__observed_motion(&bare.io, k, motion);
            assert_near(motion[0], sign * rows[i][1], 1e-11, "row %d, channel %d: velocity", (int)i, k);
            assert_near(motion[1], sign * rows[i][2], 1e-8, "row %d, channel %d: acceleration", (int)i, k);
        }
    }
}

/* Alternating by c, a second difference is 4 c, its contribution to the variance 16/6 c^2; the smallest step r adds
 * r^2/12. The first nine ticks have no history; then a plain mean over 0.2 s, 103 ticks, and a decay of 1/94
 * afterwards. */
TEST(noise_is_the_mean_of_second_differences)
{
    const double period = 1.0 / 512.0;
    static const struct {
        int small, large;
    } rows[] = {{9, 0}, {10, 0}, {30, 2}, {50, 20}, {50, 53}, {50, 54}, {50, 150}, {110, 30}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        double f[3] = {0.0, 0.0, 0.0}, variance = 0.0, position[3] = {0.0, 0.0, 0.0}, of_x = 0.0;
        double least[2] = {(double)INFINITY, (double)INFINITY};
        begin(period);
        for (int n = 1; n <= rows[i].small + rows[i].large; n++) {
            double sign = n % 2 ? 1.0 : -1.0, c = n <= rows[i].small ? 0.5 : 2.0;
            memmove(f, f + 1, 2 * sizeof *f);
            memmove(position, position + 1, 2 * sizeof *position);
            f[2] = sign * c;
            position[2] = 1e-3 * sign * (n % 4 < 2 ? c : 2.0 * c);
            tick(0.0, 0.0, position[2], f[2], true);
            double df = f[2] - 2.0 * f[1] + f[0], dx = position[2] - 2.0 * position[1] + position[0];
            if (n > 9) {
                variance += (df * df / 6.0 - variance) / fmin(n - 9, 94.0);
                of_x += (dx * dx / 6.0 - of_x) / fmin(n - 9, 94.0);
                least[0] = fmin(least[0], fabs(f[2] - f[1]));
                least[1] = fmin(least[1], fabs(position[2] - position[1]));
            }
        }
        bool none = rows[i].small + rows[i].large <= 9;
        if (rows[i].large == 0 && !none)
            assert_near(variance, 16.0 / 6.0 * 0.25, 1e-12, "row %d", (int)i);
        assert_both(ifd__observed_force_noise, none ? 0.0 : sqrt(variance + least[0] * least[0] / 12.0), 1e-12);
        assert_both(ifd__observed_position_noise, none ? 0.0 : sqrt(of_x + least[1] * least[1] / 12.0), 1e-15);
    }
}

/* A converter without noise: r^2/12. The smallest step counts; zero is not a step. */
TEST(a_step_of_a_converter_is_noise)
{
    begin(1.0 / 32.0); /* 0.2 s are 7 ticks, but ten are required: only the last second difference counts */
    static const double f[] = {0.0, 3.0, 3.0, 5.0, 1.0, 1.0}, least[] = {0.0, 3.0, 3.0, 2.0, 2.0, 2.0};
    for (int k = 0; k < 12; k++)
        tick(0.0, 0.0, 0.0, 0.0, true);
    assert_both(ifd__observed_force_noise, 0.0, 0.0);
    double old = 0.0, older = 0.0;
    for (size_t k = 0; k < COUNT(f); k++) {
        tick(0.0, 0.0, 0.5 * f[k], f[k], true);
        double second = f[k] - 2.0 * old + older, noise = sqrt(second * second / 6.0 + least[k] * least[k] / 12.0);
        assert_both(ifd__observed_force_noise, noise, 1e-14);
        assert_both(ifd__observed_position_noise, 0.5 * noise, 1e-14);
        older = old;
        old = f[k];
    }
}

/* A value that is not finite is excluded, with the two after it, which depend on it. */
TEST(what_was_no_number_is_no_noise)
{
    for (int which = 0; which < 3; which++) {
        begin(1.0 / 32.0);
        for (int k = 0; k < 9; k++)
            tick(0.0, 0.0, 0.0, 0.0, true);
        /* two valid ones, and a gap without an effect */
        double bad = (double)NAN;
        tick(0.0, 0.0, 0.0, 0.0, true);
        tick(0.0, 0.0, which == 0 ? bad : 0.0, which == 0 ? 0.0 : which == 1 ? bad : 0.0, which != 2);
        for (int k = 0; k < 2; k++) {
            tick(0.0, 0.0, 0.0, 0.0, true);
            assert_both(ifd__observed_force_noise, 0.0, 0.0);
            assert_both(ifd__observed_position_noise, 0.0, 0.0);
        }
        for (int k = 0; k < 9; k++)
            tick(0.0, 0.0, 0.0, 0.0, true);
        tick(0.0, 0.0, 1.0, 1.0, true);
        assert_both(ifd__observed_force_noise, sqrt(1.0 / 6.0 + 1.0 / 12.0), 1e-15);
        assert_both(ifd__observed_position_noise, sqrt(1.0 / 6.0 + 1.0 / 12.0), 1e-15);
    }
    /* Excluded ticks do not count: one of nine was. */
    begin(1.0 / 32.0);
    for (int k = 0; k < 9; k++)
        tick(0.0, 0.0, 0.0, 0.0, k != 4);
    tick(0.0, 0.0, 1.0, 1.0, true);
    assert_both(ifd__observed_force_noise, 0.0, 0.0);
    tick(0.0, 0.0, 1.0, 1.0, true);
    assert_both(ifd__observed_force_noise, sqrt(1.0 / 6.0), 1e-15);
}

/* At rest for three ticks: second differences are zero, and only the steps decide. */
static void dwell(double position, double force)
{
    for (int k = 0; k < 3; k++)
        tick(0.0, 0.0, position, force, true);
}

/* Noise is known after ten ticks; very small steps make it negligible. */
static void begin_pieces(bool fine_f, bool fine_x)
{
    const double fine = 0x1p-40;
    begin(1.0 / 32.0);
    for (int k = 0; k < 12; k++)
        tick(0.0, 0.0, 0.0, 0.0, true);
    dwell(fine_x ? fine : 0.0, fine_f ? fine : 0.0);
    dwell(0.0, 0.0);
}

/* Each row: points (position, force) of rest, from (0, 0) on, and the resulting stiffness. With steps of 1 in the
 * force a segment needs 20/sqrt(12) = 5.7735 N; with steps of 1 m a segment needs 10/sqrt(12) = 2.8868 m, and a
 * reversal 5/sqrt(12) = 1.4434 m. */
TEST(stiffness_is_the_largest_secant_of_whole_pieces)
{
    static const struct {
        const char *name;
        bool coarse_f, coarse_x;
        double at[7][2];
        int places;
        double stiffness;
    } rows[] = {
        {"one piece", false, false, {{2, 10}}, 1, 5.0},
        {"a twentieth of the peak is a piece", false, false, {{1, 19}, {2, 20}}, 2, 0.99 * 19.0},
        {"less is none", false, false, {{1, 19}, {2, 19.999}}, 2, 19.0},
        {"unloaded", false, false, {{1, 19}, {2, 18}}, 2, 19.0},
        {"a piece counts from the end of the last", false, false, {{1, 10}, {2, 30}}, 2, 20.0},
        {"a piece that fits none fades nothing", false, false, {{1, 19}, {2, 10}}, 2, 19.0},
        {"nor does a jump on the spot", false, false, {{1, 19}, {1, 30}}, 2, 19.0},
        {"a jump on the spot shows nothing", false, false, {{0, 19}}, 1, 0.0},
        {"nor where positions have no noise", false, true, {{0, 19}}, 1, 0.0},
        {"slack is part of its piece", false, false, {{4, 0}, {5, 10}}, 2, 2.0},
        {"also where forces have no noise",
         true,
         false,
         {{4, 0}, {5, 10}, {6, 20}, {7, 30}, {8, 40}, {9, 50}, {10, 60}},
         7,
         6.0},
        {"enough for the noise", true, false, {{0, 1}, {1, 5.78}}, 2, 5.78},
        {"too little for the noise", true, false, {{0, 1}, {1, 5.77}}, 2, 0.0},
        {"far enough for the noise", false, true, {{1, 0}, {2.89, 1000}}, 2, 1000.0 / 2.89},
        {"too near for the noise", false, true, {{1, 0}, {2.88, 1000}}, 2, 0.0},
        {"turned by more than the noise", false, true, {{1, 0}, {5, 0}, {3.55, 0}, {10, 100}}, 4, 100.0 / 6.45},
        {"turned by noise", false, true, {{1, 0}, {5, 0}, {3.56, 0}, {10, 100}}, 4, 10.0},
        {"turned by a tenth", false, false, {{10, 0}, {9, 0}, {20, 100}}, 3, 5.0},
        {"turned by more", false, false, {{10, 0}, {8.999, 0}, {20, 100}}, 3, 100.0 / 11.001},
        {"turned with a force", false, false, {{10, 0}, {8.999, 50}, {20, 100}}, 3, 50.0 / 11.001},
        {"turned to the other side", false, false, {{1, 0}, {-1, 0}, {9, 100}}, 3, 10.0},
        {"far enough back", false, false, {{10, 0}, {9.5, 0}, {8.999, 0}, {20, 100}}, 4, 100.0 / 11.001},
        {"the way back, from where a piece ended", false, false, {{5, 50}, {4.9, 20}}, 2, 300.0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        begin_pieces(!rows[i].coarse_f, !rows[i].coarse_x);
        for (int k = 0; k < rows[i].places; k++)
            dwell(rows[i].at[k][0], rows[i].at[k][1]);
        for (int k = 0; k < 2; k++)
            assert_near_rel(ifd__observed_stiffness(&bare.io, k), rows[i].stiffness, 1e-9, "%s, channel %d",
                            rows[i].name, k);
        bare_interface[0].stiffness = bare_interface[1].stiffness =
            rows[i].stiffness + 1.0; /* the estimate, if larger */
        assert_both(ifd__observed_stiffness, rows[i].stiffness + 1.0, 0.0);
    }
}

/* Before noise is known, and outside ramp-in and run, the stiffness is not updated. */
TEST(stiffness_waits_for_the_noise)
{
    begin(1.0 / 32.0);
    for (int k = 1; k <= 9; k++)
        tick(0.0, 0.0, k, 10.0 * k, true);
    assert_both(ifd__observed_stiffness, 0.0, 0.0);
    for (int k = 10; k <= 40; k++) /* steps of 10 N: 57.7 N, six of them, are a segment */
        tick(0.0, 0.0, k, 10.0 * k, true);
    assert_both(ifd__observed_stiffness, 10.0, 1e-12);
    begin_pieces(true, true);
    dwell(10.0, 0.0);
    ifd__test_of(&bare)->state = IFD_MACHINE_HOLD;
    dwell(5.0, 1000.0);
    assert_both(ifd__observed_stiffness, 0.0, 0.0);
    ifd__test_of(&bare)->state = IFD_MACHINE_RUN;
    tick(0.0, 0.0, 50.0, (double)NAN, true); /* not finite, and no end of a segment */
    tick(0.0, 0.0, 50.0, (double)NAN, true);
    for (int k = 0; k < 4; k++)
        tick(0.0, 0.0, 20.0, 2000.0, true);
    assert_both(ifd__observed_stiffness, 100.0, 1e-9);
}

TEST(all_observations_are_forgotten)
{
    begin(1.0 / 512.0);
    for (int i = 0; i < BARE_SIZE; i++)
        bare_x[i] = 1.0;
    ifd__unit_observer.restart(&bare.io, NULL, own);
    for (int i = 0; i < BARE_SIZE; i++) {
        bool seen = false;
        for (int k = 0; k < 2; k++) {
            int row = i - ifd__place_of(&bare, bare.each[k]) - IFD__MEMBER_AT(ifd__interface_state, seen);
            seen = seen || (row >= 0 && row < IFD__DOUBLES(ifd__observed));
        }
        assert_near(bare_x[i], seen ? 0.0 : 1.0, 0.0, "number %d", i);
    }
}

/* Twice 0.25 m/s over 0.03125 m and 0.125 m from there: from rest this requires at least 0.25^2/(2 * 0.15625). */
TEST(a_velocity_within_a_distance_takes_an_acceleration)
{
    begin(1.0 / 512.0);
    for (int k = 0; k < 2; k++) {
        ifd__interface_of(&bare, k)->seen.peak_v = 0.25;
        ifd__interface_of(&bare, k)->start = k ? 0.03125 : -0.03125;
    }
    assert_both(ifd__observed_acceleration, 0.02, 0.0); /* no command yet */
    for (int k = 0; k < 2; k++)
        ifd__interface_of(&bare, k)->peak_command = 0.125;
    assert_both(ifd__observed_acceleration, 0.2, 1e-15);
    for (int k = 0; k < 2; k++)
        ifd__interface_of(&bare, k)->seen.peak_a = 0.25;
    assert_both(ifd__observed_acceleration, 0.25, 0.0);
}

TESTS()
