/* SPDX-License-Identifier: MIT */
/* The signal `cycles`: turning points, durations and motions of the specification, and of closed forms. */
#include "case/texts.h"

#include <string.h>

#include "model/signal/wave.h"

static const double pi = 3.14159265358979323846;

static const ifd_signal *cycles(const char *settings)
{
    const ifd_case *c =
        read(ifd_arena_print(arena,
                             "time: {step: 1 ms, end: 1 s}\n"
                             "model: {dofs: [x1], mass: [1 t], supports: {t: {displacement: {cycles: {%s}}}},"
                             "  elements: [{spring: {between: [t, x1], stiffness: 4 MN/m}}]}\n",
                             settings));
    return c->run.model->support[0];
}

/* Distance and number of turning points with both zeros, found from the motion itself. */
typedef struct walk {
    double travel, end, first;
    int points;
} walk;

static walk walked(const ifd_signal *s, double dt)
{
    walk w = {.end = ifd_signal_end(s), .points = 2};
    double before = 0, direction = 0, y[3];
    long n = (long)ceil(w.end / dt);
    for (long i = 1; i <= n; i++) {
        ifd_signal_eval(s, fmin((double)i * dt, w.end), y);
        double d = y[0] - before;
        if (d * direction < 0) {
            w.points++;
            w.first = w.first == 0 ? before : w.first;
        }
        direction = d != 0 ? d : direction;
        w.travel += fabs(d);
        before = y[0];
    }
    assert_near(before, 0, 1e-15, "the last point");
    return w;
}

static const struct {
    const char *settings;
    double duration, travel;
    int points;
} published[] = {
    {"amplitudes: {fema-461: {last: 50 mm, steps: 10}}, velocity: 5 mm/s, acceleration: 0.05 m/s2", 274.419948,
     1.351599742, 42},
    {"amplitudes: {fema-461: {last: 50 mm}}, velocity: 5 mm/s, shape: sine", 424.617582, 1.351599742, 42},
    {"amplitudes: {atc-24: {yield: 5 mm, last: 6}}, velocity: 2 mm/s, acceleration: 0.02 m/s2", 521.8, 1.035, 44},
    {"amplitudes: {curee: {reference: 60 mm, last: 1}}, velocity: 10 mm/s, acceleration: 0.1 m/s2", 202.8, 1.953, 76},
    {"amplitudes: {aisc-341: {height: 3 m, last: 0.04}}, velocity: 10 mm/s, acceleration: 0.1 m/s2", 423.1, 4.17, 62},
    {"points: [20 mm, -20 mm, 20 mm, -40 mm, 40 mm], velocity: 10 mm/s, acceleration: 0.1 m/s2", 28.6, 0.28, 7},
    {"amplitudes: [50 mm], each: 3, velocity: 0.1 m/s, acceleration: 1 m/s2", 6.7, 0.6, 8},
    {"amplitudes: [100 mm], each: 3, velocity: 0.1 m/s, acceleration: 1 m/s2", 12.7, 1.2, 8},
    {"amplitudes: [150 mm], each: 3, velocity: 0.1 m/s, acceleration: 1 m/s2", 18.7, 1.8, 8},
    /* the rest does not follow the last swing: 2 of 3 */
    {"points: [20 mm, -20 mm], dwell: 0.5 s, velocity: 10 mm/s, acceleration: 0.1 m/s2", 8.3 + 1, 0.08, 4},
    /* beyond: 2 x (1.3 + 1.6) last more; both ways of the cycles, and the way home from 1.6 instead of 1 last */
    {"amplitudes: {fema-461: {last: 10 mm, steps: 1, beyond: 2}}, velocity: 10 mm/s, acceleration: 1 m/s2", 0, 0.312,
     14},
};

/* A time step of 5 ms misses a peak by at most a dt^2/2, 42 times: 0.1/8 x 0.005^2 x 42 < 2e-5 m. */
TEST_IN_ARENA(standards_have_their_turning_points_travel_and_durations)
{
    for (size_t i = 0; i < COUNT(published); i++) {
        const walk w = walked(cycles(published[i].settings), 5e-3);
        if (published[i].duration > 0)
            assert_near(w.end, published[i].duration, 6e-7, "duration of %s", published[i].settings);
        assert_near(w.travel, published[i].travel, 2e-5, "travel of %s", published[i].settings);
        assert_int_equal(w.points, published[i].points);
    }
    assert_near(walked(cycles(published[1].settings), 1e-3).first, 2.420012912e-3, 1e-9, "first of FEMA 461");
}

/* Differences over 2e-6 s of a motion that is continuous with its velocity, at odd times. */
TEST_IN_ARENA(velocity_and_acceleration_are_derivatives_of_the_position)
{
    static const char *const settings[] = {
        "amplitudes: [20 mm, 30 mm], each: [2, 1], velocity: 0.1 m/s, acceleration: 1 m/s2, dwell: 0.1 s",
        "amplitudes: [20 mm, 30 mm], ratio: -0.4, first: negative, shape: sine, frequency: [1 Hz, 0.5 Hz]",
        "points: [10 mm, 30 mm, -20 mm], velocity: [0.1, 0.05, 0.2, 0.1], acceleration: 2 m/s2, start: 0.3 s"};
    const double h = 1e-6;
    for (size_t i = 0; i < COUNT(settings); i++) {
        const ifd_signal *s = cycles(settings[i]);
        double before[3] = {0}, y[3], up[3], down[3];
        for (double t = 0.00013; t < ifd_signal_end(s) + 0.1; t += 0.00317) {
            ifd_signal_eval(s, t, y);
            ifd_signal_eval(s, t + h, up);
            ifd_signal_eval(s, t - h, down);
            assert_near(y[1], (up[0] - down[0]) / (2 * h), 1e-6, "velocity at %g of %s", t, settings[i]);
            if (fabs(up[2] - down[2]) < 0.1) /* no jump between them */
                assert_near(y[2], (up[1] - down[1]) / (2 * h), 1e-3, "acceleration at %g of %s", t, settings[i]);
            assert_near(y[0], before[0], 0.0032 * 0.25, "continuous at %g of %s", t, settings[i]);
            assert_near(y[1], before[1], 0.0032 * 4, "continuous velocity at %g of %s", t, settings[i]);
            memcpy(before, y, sizeof y);
        }
        assert_near(before[0], 0, 0, "at rest");
    }
}

TEST_IN_ARENA(equal_sine_cycles_are_a_sine_without_a_stop)
{
    const ifd_signal *s = cycles("amplitudes: 20 mm, each: 3, shape: sine, frequency: 2 Hz");
    assert_near(ifd_signal_end(s), 1.5, 1e-14, "three periods");
    for (double t = 0.126; t < 1.37; t += 0.0071) { /* quarters at both ends begin at rest */
        double y[3], w = 4 * pi;
        ifd_signal_eval(s, t, y);
        assert_near(y[0], 0.02 * sin(w * t), 1e-15, "position at %g", t);
        assert_near(y[1], 0.02 * w * cos(w * t), 1e-13, "velocity at %g", t);
        assert_near(y[2], -0.02 * w * w * sin(w * t), 1e-12, "acceleration at %g", t);
    }
}

/* D/v + v/A = H at a frequency; the peak of a velocity and an acceleration. */
TEST_IN_ARENA(a_triangle_of_a_frequency_has_its_period)
{
    const ifd_signal *s = cycles("amplitudes: 20 mm, each: 2, frequency: 0.5 Hz, acceleration: 1 m/s2, ratio: 0");
    double y[3], v = (1 - sqrt(1 - 4 * 0.02)) / 2;
    assert_near(ifd_signal_end(s), 4, 1e-13, "two periods");
    for (int i = 0; i < 4; i++) {
        ifd_signal_eval(s, i + 0.5, y);
        assert_near(y[0], 0.01, 1e-15, "middle of swing %d", i);
        assert_near(y[1], i % 2 ? -v : v, 1e-15, "velocity of swing %d", i);
        assert_near(y[2], 0, 0, "acceleration of swing %d", i);
        ifd_signal_eval(s, i + 0.001, y);
        assert_near(y[2], i % 2 ? -1 : 1, 0, "acceleration at turning point %d", i);
    }
}

/* The swings of a first amplitude begin at 0: half the length, the same velocity. */
TEST_IN_ARENA(corners_are_where_the_acceleration_jumps)
{
    const ifd_signal *s = cycles("points: 20 mm, velocity: 0.1 m/s, acceleration: 1 m/s2, dwell: 0.2 s");
    static const double corner[] = {0.1, 0.2, 0.3, 0.5, 0.6, 0.7, 0.8};
    double t = 0;
    for (size_t i = 0; i < COUNT(corner); i++) {
        t = s->wave[0].knot(s->wave[0].data, t + 1e-9);
        assert_near(t, corner[i], 1e-15, "corner %zu", i);
    }
    assert_true(isinf(s->wave[0].knot(s->wave[0].data, t)));
}

TESTS_WITH(files_open, files_close)
