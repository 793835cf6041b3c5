/* SPDX-License-Identifier: MIT */
#include "check.h"

#include <interfield/signal.h>

#include "model/signal/wave.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;
static ifd_arena *arena;

static int open_arena(void **state)
{
    (void)state;
    arena = ifd_arena_open();
    return arena ? 0 : -1;
}

static int close_arena(void **state)
{
    (void)state;
    ifd_arena_close(arena);
    return 0;
}

typedef struct setting {
    const char *name;
    double number;
    const char *word;
} setting;

static ifd_status try_make(const char *kind, const setting *s, int count, const ifd_signal **out, ifd_note *note)
{
    const ifd_signal_kind *k = ifd_signal_find(kind);
    assert_non_null(k);
    ifd_value v[IFD_SIGNAL_PARAMS];
    ifd_param_preset(k->params, v);
    for (int i = 0; i < count; i++) {
        int p = ifd_param_find(k->params, s[i].name);
        assert_true(p >= 0);
        v[p] = s[i].word ? ifd_word(s[i].word) : ifd_number(s[i].number);
    }
    return ifd_signal_make(arena, k, v, NULL, out, note);
}

#define MAKE(kind, ...) make(kind, (const setting[]){__VA_ARGS__}, (int)COUNT(((const setting[]){__VA_ARGS__})))

static const ifd_signal *make(const char *kind, const setting *s, int count)
{
    const ifd_signal *out = NULL;
    assert_int_equal(try_make(kind, s, count, &out, NULL), IFD_OK);
    return out;
}

static double at(const ifd_signal *s, double t)
{
    double out[3];
    ifd_signal_eval(s, t, out);
    return out[0];
}

/* Fourth-order differences of value and first derivative against the derivatives the signal states. */
static void check_derivatives(const ifd_signal *s, double t, double h, double tol, const char *what)
{
    double y[3], y1, y2, up[3], down[3], up2[3], down2[3];
    ifd_signal_eval(s, t, y);
    ifd_signal_eval(s, t + h, up);
    ifd_signal_eval(s, t - h, down);
    ifd_signal_eval(s, t + 2 * h, up2);
    ifd_signal_eval(s, t - 2 * h, down2);
    y1 = (8 * (up[0] - down[0]) - (up2[0] - down2[0])) / (12 * h);
    y2 = (8 * (up[1] - down[1]) - (up2[1] - down2[1])) / (12 * h);
    assert_near(y[1], y1, tol * (1 + fabs(y1)), "%s: first derivative at %g", what, t);
    assert_near(y[2], y2, tol * (1 + fabs(y2)), "%s: second derivative at %g", what, t);
}

TEST(every_kind_has_a_documented_row)
{
    for (int i = 0; i < ifd_signal_kind_count; i++) {
        const ifd_signal_kind *k = ifd_signal_kinds[i];
        assert_true(strlen(k->summary) > 10);
        assert_true(ifd_param_count(k->params) <= IFD_SIGNAL_PARAMS);
        assert_ptr_equal(ifd_signal_find(k->name), k);
        for (const ifd_param *p = k->params; p->name; p++)
            assert_non_null(p->doc);
    }
    assert_int_equal(ifd_signal_kind_count, 11);
    assert_null(ifd_signal_find("sinus"));
}

TEST(sine_and_cosine_follow_their_formula)
{
    const ifd_signal *s = MAKE("sine", {"amplitude", 2, NULL}, {"frequency", 1.5, NULL}, {"phase", 0.3, NULL});
    const ifd_signal *c = MAKE("cosine", {"amplitude", 2, NULL}, {"frequency", 1.5, NULL}, {"phase", 0.3, NULL});
    double w = 3 * pi, out[3];
    for (double t = 0; t < 3; t += 0.37) {
        ifd_signal_eval(s, t, out);
        assert_near(out[0], 2 * sin(w * t + 0.3), 1e-14, "sine at %g", t);
        assert_near(out[1], 2 * w * cos(w * t + 0.3), 1e-13, "sine' at %g", t);
        assert_near(out[2], -2 * w * w * sin(w * t + 0.3), 1e-12, "sine'' at %g", t);
        ifd_signal_eval(c, t, out);
        assert_near(out[0], 2 * cos(w * t + 0.3), 1e-14, "cosine at %g", t);
        assert_near(out[1], -2 * w * sin(w * t + 0.3), 1e-13, "cosine' at %g", t);
        assert_near(out[2], -2 * w * w * cos(w * t + 0.3), 1e-12, "cosine'' at %g", t);
    }
    assert_true(isinf(ifd_signal_end(s)));
    assert_near(ifd_signal_interval(s), 0, 0, "no corners");
}

TEST(a_signal_is_zero_before_its_start_and_after_its_duration)
{
    const ifd_signal *s = MAKE("cosine", {"frequency", 1, NULL}, {"start", 0.7, NULL}, {"duration", 2, NULL});
    assert_near(at(s, 0.699), 0, 0, "before");
    assert_near(at(s, 7 * 0.1), 1, 0, "at the start, reached by steps of 0.1");
    assert_near(at(s, 0.7 - 1e-15), 1, 0, "one rounding before the start");
    assert_near(at(s, 1.7), 1, 1e-14, "one period later");
    assert_near(at(s, 27 * 0.1), 0, 0, "at the end");
    assert_near(ifd_signal_end(s), 2.7, 1e-15, "end");
}

TEST(chirp_sweeps_from_one_frequency_to_the_other)
{
    const ifd_signal *s = MAKE("chirp", {"from", 1, NULL}, {"to", 5, NULL}, {"duration", 10, NULL});
    for (double t = 0.1; t < 9.9; t += 0.43) {
        assert_near(at(s, t), sin(2 * pi * (t + 0.2 * t * t)), 1e-12, "chirp at %g", t);
        check_derivatives(s, t, 1e-4, 1e-8, "chirp");
    }
    int crossings = 0; /* 30 cycles in all: the mean frequency is 3 Hz */
    for (int i = 1; i < 100000; i++)
        crossings += at(s, (i - 0.5) * 1e-4) < 0 && at(s, (i + 0.5) * 1e-4) >= 0;
    assert_int_equal(crossings, 29);
}

TEST(pulses_have_their_shapes)
{
    static const struct {
        const char *shape;
        double quarter, middle;
    } row[] = {
        {"half-sine", 0.70710678118654752440, 1}, {"rectangle", 1, 1}, {"triangle", 0.5, 1}, {"versine", 0.5, 1}};
    for (size_t i = 0; i < COUNT(row); i++) {
        const ifd_signal *s = MAKE("pulse", {"amplitude", 3, NULL}, {"duration", 0.4, NULL}, {"start", 1, NULL},
                                   {"shape", 0, row[i].shape});
        assert_near(at(s, 1.1), 3 * row[i].quarter, 1e-14, "%s at a quarter", row[i].shape);
        assert_near(at(s, 1.2), 3 * row[i].middle, 1e-14, "%s in the middle", row[i].shape);
        assert_near(at(s, 1.4), 0, 1e-14, "%s at its end", row[i].shape);
        assert_near(at(s, 0.9), 0, 0, "%s before", row[i].shape);
        check_derivatives(s, 1.13, 1e-4, 1e-7, row[i].shape);
        check_derivatives(s, 1.29, 1e-4, 1e-7, row[i].shape);
    }
}

TEST(step_and_ramp_reach_a_constant)
{
    const ifd_signal *s = MAKE("step", {"amplitude", 2, NULL}, {"rise", 0.5, NULL});
    const ifd_signal *r = MAKE("ramp", {"amplitude", 2, NULL}, {"rise", 0.5, NULL});
    const ifd_signal *j = MAKE("step", {"amplitude", 2, NULL}, {"start", 0.3, NULL});
    assert_near(at(s, 0.25), 1, 1e-15, "half way");
    assert_near(at(r, 0.1), 0.4, 1e-15, "ramp");
    for (double t = 0.06; t < 0.48; t += 0.1) {
        check_derivatives(s, t, 1e-3, 1e-6, "step");
        check_derivatives(r, t, 1e-3, 1e-6, "ramp");
    }
    double out[3];
    ifd_signal_eval(s, 0.5 - 1e-9, out);
    assert_near(out[1], 0, 1e-6, "slope just before the end of the rise");
    assert_near(out[2], 0, 1e-5, "curvature just before the end of the rise");
    assert_near(at(s, 7), 2, 0, "after");
    assert_near(at(r, 7), 2, 0, "after");
    assert_near(at(j, 3 * 0.1), 2, 0, "jump, reached by steps");
    assert_near(at(j, 0.299), 0, 0, "before the jump");
}

TEST(noise_has_the_density_asked_for)
{
    /* N = 3000, omega_max = 60 pi, sigma = 0.1 g: over one whole period the mean square is exact. */
    double sigma = 0.981, period = 200;
    const ifd_signal *s = MAKE("noise", {"sigma", sigma, NULL}, {"max-frequency", 30, NULL}, {"terms", 3000, NULL});
    const ifd_signal *p =
        MAKE("noise", {"psd", sigma * sigma / 30, NULL}, {"max-frequency", 30, NULL}, {"terms", 3000, NULL});
    double sum = 0, square = 0;
    int n = 20000;
    for (int i = 0; i < n; i++) {
        double y = at(s, period * i / n);
        sum += y;
        square += y * y;
    }
    assert_near(sum / n, 0, 1e-12, "mean");
    assert_near(sqrt(square / n), sigma, 1e-12, "standard deviation");
    assert_near(at(p, 1.234), at(s, 1.234), 1e-13, "psd = sigma^2 / f_max");
    for (double t = 0.5; t < 100; t += 13.7)
        check_derivatives(s, t, 2e-5, 1e-8, "noise");
}

TEST(generated_motions_repeat_for_a_seed)
{
    const ifd_signal *a = MAKE("kanai-tajimi", {"seed", 7, NULL}), *b = MAKE("kanai-tajimi", {"seed", 7, NULL}),
                     *c = MAKE("kanai-tajimi", {"seed", 8, NULL});
    double difference = 0;
    for (double t = 0; t < 20; t += 0.1) {
        assert_near(at(a, t), at(b, t), 0, "seed 7 at %g", t);
        difference = fmax(difference, fabs(at(a, t) - at(c, t)));
    }
    assert_true(difference > 0.5);
}

TEST(kanai_tajimi_has_its_peak_and_ends_at_rest)
{
    const ifd_signal *s = MAKE("kanai-tajimi", {"peak", 3, NULL}, {"seed", 3, NULL});
    assert_near(ifd_signal_peak(s, 20, 0.005), 3, 1e-14, "peak");
    assert_near(ifd_signal_end(s), 20, 1e-12, "end");
    double v = 0, u = 0, largest = 0, dt = 0.005, out[3];
    for (int i = 0; i < 4000; i++) { /* the trapezoid rule on the samples */
        u += dt * v + dt * dt / 4 * (at(s, i * dt) + at(s, (i + 1) * dt));
        v += dt / 2 * (at(s, i * dt) + at(s, (i + 1) * dt));
        largest = fmax(largest, fabs(v));
    }
    assert_true(largest > 0.05 && largest < 1);
    assert_near(v, 0, 1e-12, "final velocity of the ground");
    assert_near(u, 0, 1e-3, "final displacement of the ground");
    ifd_signal_eval(s, 0, out);
    assert_near(out[0], 0, 0, "value at the start");
    assert_near(at(s, 20.01), 0, 0, "after the end");
    check_derivatives(s, 5.0012, 1e-4, 1e-5, "kanai-tajimi");
}

static double power(const ifd_signal *s, double f, double end)
{
    double re = 0, im = 0, dt = 0.02;
    for (int i = 0; i * dt < end; i++) {
        re += dt * at(s, i * dt) * cos(2 * pi * f * i * dt);
        im += dt * at(s, i * dt) * sin(2 * pi * f * i * dt);
    }
    return re * re + im * im;
}

/* Densities, relative to the white noise: 1.69 at 2.5 Hz, 0.0016 at 0.05 Hz (filter), 0.09 at 10 Hz (soil). */
TEST(kanai_tajimi_is_strong_at_the_ground_frequency_only)
{
    double strong = 0, low = 0, high = 0;
    for (int seed = 1; seed <= 6; seed++) {
        const ifd_signal *s =
            MAKE("kanai-tajimi", {"seed", seed, NULL}, {"duration", 100, NULL}, {"max-frequency", 11, NULL});
        for (int j = -2; j <= 2; j++) {
            strong += power(s, 2.5 + 0.05 * j, 100);
            low += power(s, 0.05 + 0.01 * j, 100);
            high += power(s, 10 + 0.05 * j, 100);
        }
    }
    assert_true(strong > 300 * low && low > 0);
    assert_true(strong > 8 * high && strong < 40 * high);
}

TEST(linear_tables_interpolate_and_are_zero_outside)
{
    const double value[] = {1, 3, 2, 5}, time[] = {0.5, 0.7, 1.5, 1.6};
    const ifd_signal *even, *given;
    ifd_samples s = {4, value, NULL, 0.5, 0.1};
    assert_int_equal(ifd_signal_make_table(arena, &s, IFD_INTERPOLATE_LINEAR, &even, NULL), IFD_OK);
    s.time = time;
    assert_int_equal(ifd_signal_make_table(arena, &s, IFD_INTERPOLATE_LINEAR, &given, NULL), IFD_OK);
    double out[3];
    ifd_signal_eval(even, 0.55, out);
    assert_near(out[0], 2, 1e-14, "middle of the first piece");
    assert_near(out[1], 20, 1e-12, "slope");
    assert_near(out[2], 0, 0, "second derivative");
    ifd_signal_eval(even, 0.6, out);
    assert_near(out[0], 3, 1e-14, "second sample");
    assert_near(out[1], -10, 1e-12, "slope to the right of a corner");
    ifd_signal_eval(even, 0.5 + 3 * 0.1, out);
    assert_near(out[0], 5, 1e-13, "last sample");
    assert_near(at(even, 0.81), 0, 0, "after the last sample");
    assert_near(at(even, 0.49), 0, 0, "before the first sample");
    assert_near(ifd_signal_interval(even), 0.1, 0, "interval");
    assert_near(at(given, 1.1), 2.5, 1e-14, "given times");
    assert_near(at(given, 0.7), 3, 1e-14, "given times, at a sample");
    assert_near(at(given, 1.55), 3.5, 1e-12, "given times, last piece");
    assert_near(ifd_signal_interval(given), 0.1, 1e-12, "smallest interval");
    assert_near(ifd_signal_peak(given, 0, 1), 5, 0, "peak over the samples");
}

TEST(splines_go_through_the_samples_and_are_smooth)
{
    enum { N = 41 };
    double value[N], time[N];
    for (int i = 0; i < N; i++) {
        time[i] = 0.1 * i + 0.02 * sin(3.0 * i);
        value[i] = sin(2 * time[i]);
    }
    const ifd_signal *s;
    ifd_samples samples = {N, value, time, 0, 0};
    assert_int_equal(ifd_signal_make_table(arena, &samples, IFD_INTERPOLATE_SPLINE, &s, NULL), IFD_OK);
    for (int i = 0; i < N; i++)
        assert_near(at(s, time[i]), value[i], 1e-13, "sample %d", i);
    double h =
        0.14; /* largest interval; the bounds are those of Hall and Meyer (1976), the fourth derivative is 16 */
    for (double t = 1; t < 3; t += 0.0917) { /* away from the ends, where the natural end condition has an effect */
        double out[3];
        ifd_signal_eval(s, t, out);
        assert_near(out[0], sin(2 * t), 5.0 / 384 * h * h * h * h * 16, "value at %g", t);
        assert_near(out[1], 2 * cos(2 * t), 1.0 / 24 * h * h * h * 16, "slope at %g", t);
        assert_near(out[2], -4 * sin(2 * t), 3.0 / 8 * h * h * 16, "curvature at %g", t);
    }
    for (int i = 1; i < N - 1; i++) { /* both sides of a knot agree */
        double left[3], right[3];
        ifd_signal_eval(s, time[i] - 1e-9, left);
        ifd_signal_eval(s, time[i] + 1e-9, right);
        assert_near(left[1], right[1], 1e-7, "slope at knot %d", i);
        assert_near(left[2], right[2], 1e-5, "curvature at knot %d", i);
    }
    assert_near(at(s, 9), value[N - 1], 0, "the last value stays");
    assert_near(ifd_signal_interval(s), 0, 0, "a spline has no corners");
}

TEST(spline_of_a_straight_line_is_exact)
{
    const double value[] = {0, 2, 4, 6, 8};
    const ifd_signal *s;
    ifd_samples samples = {5, value, NULL, 0, 0.5};
    assert_int_equal(ifd_signal_make_table(arena, &samples, IFD_INTERPOLATE_SPLINE, &s, NULL), IFD_OK);
    double out[3];
    ifd_signal_eval(s, 1.3, out);
    assert_near(out[0], 5.2, 1e-14, "value");
    assert_near(out[1], 4, 1e-14, "slope");
    assert_near(out[2], 0, 1e-14, "curvature");
}

TEST(sums_scale_and_delay_their_terms)
{
    const ifd_signal *a = MAKE("sine", {"frequency", 1, NULL}), *b = MAKE("step", {"amplitude", 2, NULL}), *sum, *all;
    const double factor[] = {3, -1}, delay[] = {0, 0.25};
    assert_int_equal(ifd_signal_make_sum(arena, 2, (const ifd_signal *[]){a, b}, factor, delay, &sum), IFD_OK);
    assert_near(at(sum, 0.1), 3 * sin(0.2 * pi), 1e-14, "before the delayed step");
    assert_near(at(sum, 0.3), 3 * sin(0.6 * pi) - 2, 1e-14, "after the delayed step");
    assert_int_equal(ifd_signal_make_sum(arena, 2, (const ifd_signal *[]){sum, b}, NULL, NULL, &all), IFD_OK);
    assert_near(at(all, 0.3), 3 * sin(0.6 * pi), 1e-14, "a sum of a sum");
    assert_near(ifd_signal_peak(sum, 1, 0.25), 5, 1e-13, "peak over samples at 0.25 s: 3 sin(3/2 pi) - 2");
}

TEST(table_rows_take_lists_and_a_peak)
{
    const ifd_signal_kind *k = ifd_signal_find("table");
    const double value[] = {0, -4, 2};
    ifd_value v[IFD_SIGNAL_PARAMS];
    ifd_param_preset(k->params, v);
    v[ifd_param_find(k->params, "values")] = ifd_list(value, 3);
    v[ifd_param_find(k->params, "dt")] = ifd_number(0.5);
    v[ifd_param_find(k->params, "peak")] = ifd_number(1);
    v[ifd_param_find(k->params, "start")] = ifd_number(2);
    const ifd_signal *s;
    assert_int_equal(ifd_signal_make(arena, k, v, NULL, &s, NULL), IFD_OK);
    assert_near(at(s, 2.5), -1, 1e-15, "scaled to its peak");
    v[ifd_param_find(k->params, "scale")] = ifd_number(2);
    assert_int_equal(ifd_signal_make(arena, k, v, NULL, &s, NULL), IFD_CONFLICT);
}

TEST(wrong_parameters_are_refused)
{
    const ifd_signal *s;
    static const struct {
        const char *kind;
        setting setting[3];
        int count;
        ifd_status code;
    } row[] = {
        {"sine", {{0}}, 0, IFD_MISSING_KEY},
        {"sine", {{"frequency", -1, NULL}}, 1, IFD_RANGE},
        {"sine", {{"frequency", (double)NAN, NULL}}, 1, IFD_NOT_FINITE},
        {"pulse", {{"duration", 1, NULL}, {"shape", 0, "square"}}, 2, IFD_UNKNOWN_CHOICE},
        {"noise", {{"max-frequency", 5, NULL}}, 1, IFD_MISSING_KEY},
        {"noise", {{"max-frequency", 5, NULL}, {"sigma", 1, NULL}, {"psd", 1, NULL}}, 3, IFD_CONFLICT},
        {"noise", {{"max-frequency", 5, NULL}, {"sigma", 1, NULL}, {"terms", 2.5, NULL}}, 3, IFD_RANGE},
        {"kanai-tajimi", {{"duration", 5, NULL}}, 1, IFD_CONFLICT},
        {"kanai-tajimi", {{"seed", 0.5, NULL}}, 1, IFD_RANGE},
        {"kanai-tajimi", {{"correlation", 0.5, NULL}}, 1, IFD_MISSING_KEY},
        {"kanai-tajimi", {{"correlated-with", 3, NULL}}, 1, IFD_MISSING_KEY},
        {"kanai-tajimi", {{"correlation", 0.5, NULL}, {"correlated-with", 1, NULL}}, 2, IFD_CONFLICT},
        {"kanai-tajimi", {{"correlation", 1.1, NULL}, {"correlated-with", 2, NULL}}, 2, IFD_RANGE},
        {"record", {{"file", 0, "a.AT2"}}, 1, IFD_UNSUPPORTED},
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        ifd_note note;
        ifd_note_init(&note, arena);
        assert_int_equal(try_make(row[i].kind, row[i].setting, row[i].count, &s, &note), row[i].code);
        assert_int_equal(note.errors, 1);
    }
    const double value[] = {1, 2, 3}, time[] = {0, 2, 1};
    ifd_samples one = {1, value, NULL, 0, 1}, back = {3, value, time, 0, 0}, still = {3, value, NULL, 0, 0};
    assert_int_equal(ifd_signal_make_table(arena, &one, IFD_INTERPOLATE_LINEAR, &s, NULL), IFD_SHAPE);
    assert_int_equal(ifd_signal_make_table(arena, &back, IFD_INTERPOLATE_LINEAR, &s, NULL), IFD_RANGE);
    assert_int_equal(ifd_signal_make_table(arena, &still, IFD_INTERPOLATE_LINEAR, &s, NULL), IFD_RANGE);
}

TEST(memory_running_out_is_a_status)
{
    const double value[] = {1, 2, 3};
    const ifd_samples samples = {3, value, NULL, 0, 1};
    const setting sine = {"frequency", 1, NULL};
    for (long n = 1; n < 6; n++) {
        const ifd_signal *s;
        ifd_arena_fail_at(arena, n);
        ifd_status table = ifd_signal_make_table(arena, &samples, IFD_INTERPOLATE_SPLINE, &s, NULL);
        ifd_arena_fail_at(arena, n);
        ifd_status motion = try_make("kanai-tajimi", NULL, 0, &s, NULL);
        ifd_arena_fail_at(arena, n > 2 ? 3 : 2); /* the first take is the name for messages, which may fail */
        ifd_status wave = try_make("sine", &sine, 1, &s, NULL);
        ifd_arena_fail_at(arena, 0);
        assert_int_equal(table, IFD_NO_MEMORY);
        assert_int_equal(motion, IFD_NO_MEMORY);
        assert_int_equal(wave, IFD_NO_MEMORY);
    }
}

/* Times before, at, between and after the samples, and within round-off of them. */
TEST(values_at_many_times_have_the_bits_of_single_ones)
{
    const double value[] = {1, -0.3, 2, 0.7, -1.1}, delay = 0.3, factor = -1.7;
    const ifd_signal *table, *spline, *sum[3];
    ifd_note note;
    double t[400], out[400], y[3];
    ifd_note_init(&note, arena);
    const ifd_samples samples = {.count = 5, .value = value, .dt = 0.02, .start = 0.1};
    assert_int_equal(ifd_signal_make_table(arena, &samples, IFD_INTERPOLATE_LINEAR, &table, &note), IFD_OK);
    assert_int_equal(ifd_signal_make_table(arena, &samples, IFD_INTERPOLATE_SPLINE, &spline, &note), IFD_OK);
    assert_int_equal(ifd_signal_make_sum(arena, 1, &table, &factor, &delay, &sum[0]), IFD_OK);
    assert_int_equal(ifd_signal_make_sum(arena, 1, &spline, &factor, &delay, &sum[1]), IFD_OK);
    assert_int_equal(ifd_signal_make_sum(arena, 2, (const ifd_signal *[]){table, spline}, NULL, NULL, &sum[2]),
                     IFD_OK);
    for (int k = 0; k < 400; k++)
        t[k] = k % 2 ? 0.0025 * k - 0.1 : 0.02 * (k / 4) + (k % 4 ? -1 : 1) * 1e-14;
    for (int i = 0; i < 3; i++) {
        ifd__signal_values(sum[i], 400, t, out);
        for (int k = 0; k < 400; k++) {
            ifd_signal_eval(sum[i], t[k], y);
            assert_memory_equal(&out[k], &y[0], sizeof *y);
        }
    }
}

TESTS_WITH(open_arena, close_arena)
