/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "fixture.h"

#include <string.h>

#include <interfield/analysis.h>

#include "base/random.h"
#include "rig/bench.h"
#include "rig/virtual/servo.h"

static const double tick = 1.0 / 4096, two_pi = 6.28318530717958647693;

static void step(const actuator *p, double u)
{
    ifd_actuator_step(p->a, &(ifd_actuator_in){.u = u}, p->s);
}

/* Values published with the benchmark. */
TEST(benchmark_plant_has_its_published_frequency_response)
{
    static const struct {
        double hz, gain, degrees;
    } expected[] = {{0, 1.0075, 0}, {3.6, 0.9159, -30.77}, {10, 0.6329, -68.44}};
    actuator p = actuator_of(arena, "servo-hydraulic", NULL, tick);
    for (size_t i = 0; i < COUNT(expected); i++) {
        double out[2];
        ifd_actuator_response(p.a, two_pi * expected[i].hz, out);
        assert_near(hypot(out[0], out[1]), expected[i].gain, 5e-5, "gain at %g Hz", expected[i].hz);
        assert_near(atan2(out[1], out[0]) * 360 / two_pi, expected[i].degrees, 5e-3, "phase at %g Hz",
                    expected[i].hz);
    }
}

/* The response of the five coupled equations is one over the polynomial of the closed form. */
TEST(closed_form_inverts_the_plant)
{
    actuator p = actuator_of(arena, "servo-hydraulic", NULL, tick);
    double a[6];
    ifd__servo_inverse(&ifd__servo_benchmark, a);
    for (double hz = 0.1; hz < 200; hz *= 1.7) {
        double out[2], w = two_pi * hz;
        double re = 0, im = 0;
        for (int i = 5; i >= 0; i--) { /* (re + i im) i w + a_i */
            double next = a[i] - w * im;
            im = w * re;
            re = next;
        }
        ifd_actuator_response(p.a, w, out);
        assert_near(out[0] * re - out[1] * im, 1, 1e-11, "real part at %g Hz", hz);
        assert_near(out[0] * im + out[1] * re, 0, 1e-11, "imaginary part at %g Hz", hz);
    }
}

TEST(benchmark_plant_has_its_published_poles)
{
    static const double expected[5][2] = {
        {-8.00, 421.8}, {-8.00, -421.8}, {-184.0, 229.9}, {-184.0, -229.9}, {-48.21, 0}};
    static const double digit[5] = {0.05, 0.05, 0.05, 0.05, 0.005};
    double a[6], A[25] = {0}, re[5], im[5], unit = 100; /* rad/s: keeps the companion matrix balanced */
    ifd__servo_inverse(&ifd__servo_benchmark, a);
    for (int i = 0; i < 4; i++)
        A[i + 5 * (i + 1)] = 1;
    for (int i = 0; i < 5; i++)
        A[4 + 5 * i] = -a[i] / a[5] * pow(unit, i - 5);
    assert_int_equal(ifd_roots(5, A, re, im, NULL), IFD_OK);
    for (int i = 0; i < 5; i++) {
        int best = 0;
        for (int k = 0; k < 5; k++)
            if (hypot(unit * re[k] - expected[i][0], unit * im[k] - expected[i][1]) <
                hypot(unit * re[best] - expected[i][0], unit * im[best] - expected[i][1]))
                best = k;
        assert_near(unit * re[best], expected[i][0], digit[i], "real part of pole %d", i);
        assert_near(unit * im[best], expected[i][1], 0.05, "imaginary part of pole %d", i);
    }
}

/* The published equations, by the classical Runge-Kutta method. */
static void derivative(const double *z, double u, double *dz)
{
    double k = 1.19e6, m = 29.13, c = 2 * 0.0097 * sqrt(k * m), force = z[2], x = z[3], v = z[4];
    dz[0] = z[1];
    dz[1] = 2.1283e13 * (1.0261 * u - x) - 425 * z[1] - 9.9976e4 * z[0];
    dz[2] = z[0] - 4.2297e6 * v - 3.3 * force;
    dz[3] = v;
    dz[4] = (force - c * v - k * x) / m;
}

static void integrate(double *z, double u, double h, int parts)
{
    double k[4][5], y[5];
    static const double node[4] = {0, 0.5, 0.5, 1};
    for (int p = 0; p < parts; p++) {
        for (int i = 0; i < 4; i++) {
            for (int j = 0; j < 5; j++)
                y[j] = z[j] + (i ? h / parts * node[i] * k[i - 1][j] : 0);
            derivative(y, u, k[i]);
        }
        for (int j = 0; j < 5; j++)
            z[j] += h / parts / 6 * (k[0][j] + 2 * k[1][j] + 2 * k[2][j] + k[3][j]);
    }
}

TEST(servo_steps_are_exact_for_held_commands)
{
    actuator p = actuator_of(arena, "servo-hydraulic", NULL, tick);
    double z[5] = {0}, u = 0;
    ifd__random r;
    ifd__random_seed(&r, 3);
    for (int k = 0; k < 600; k++) {
        u += 2e-4 * (ifd__random_unit(&r) - 0.5);
        step(&p, u);
        integrate(z, u, tick, 40);
        assert_near(p.s[IFD_ACTUATOR_X], z[3], 1e-13, "x at %d", k);
        assert_near(p.s[IFD_ACTUATOR_V], z[4], 1e-11, "v at %d", k);
        assert_near(p.s[IFD_ACTUATOR_F], z[2], 1e-6, "force at %d", k);
        double dz[5];
        derivative(z, u, dz);
        assert_near(p.s[IFD_ACTUATOR_A], dz[4], 1e-8, "acceleration at %d", k);
    }
    assert_true(fabs(z[3]) > 1e-5);
}

TEST(lags_follow_their_closed_form)
{
    actuator one = actuator_of(arena, "first-order", (setting[]){{"time-constant", 0.02, NULL}, {0}}, tick);
    actuator two = actuator_of(arena, "second-order",
                               (setting[]){{"frequency", 8, NULL}, {"damping-ratio", 0.4, NULL}, {0}}, tick);
    double w = two_pi * 8, wd = w * sqrt(1 - 0.16);
    for (int k = 1; k <= 2000; k++) {
        double t = k * tick;
        step(&one, 1);
        step(&two, 1);
        assert_near(one.s[IFD_ACTUATOR_X], 1 - exp(-t / 0.02), 1e-12, "first order at %g", t);
        assert_near(one.s[IFD_ACTUATOR_V], exp(-t / 0.02) / 0.02, 1e-10, "its speed at %g", t);
        double decay = exp(-0.4 * w * t), x = 1 - decay * (cos(wd * t) + 0.4 * w / wd * sin(wd * t));
        assert_near(two.s[IFD_ACTUATOR_X], x, 1e-11, "second order at %g", t);
        assert_near(two.s[IFD_ACTUATOR_V], decay * w * w / wd * sin(wd * t), 1e-9, "its speed at %g", t);
    }
}

/* u = r t: x = r (t - 2 z/w + e^(-z w t) (2 z/w cos wd t + (2 z^2 - 1)/wd sin wd t)), and the same of first order. */
TEST(a_command_that_ramps_is_followed_by_its_closed_form)
{
    actuator one = actuator_of(arena, "first-order", (setting[]){{"time-constant", 0.02, NULL}, {0}}, tick);
    actuator two = actuator_of(arena, "second-order",
                               (setting[]){{"frequency", 8, NULL}, {"damping-ratio", 0.4, NULL}, {0}}, tick);
    double w = two_pi * 8, z = 0.4, wd = w * sqrt(1 - z * z), r = 0.3;
    for (int k = 1; k <= 1000; k++) {
        double t = k * tick, decay = exp(-z * w * t);
        const ifd_actuator_in in = {.u = r * t, .change = r * tick};
        ifd_actuator_step(one.a, &in, one.s);
        ifd_actuator_step(two.a, &in, two.s);
        double x = r * (t - 2 * z / w + decay * (2 * z / w * cos(wd * t) + (2 * z * z - 1) / wd * sin(wd * t)));
        double a = r * w * w / wd * decay * sin(wd * t);
        assert_near(one.s[IFD_ACTUATOR_X], r * (t - 0.02 + 0.02 * exp(-t / 0.02)), 1e-12, "first order at %g", t);
        assert_near(two.s[IFD_ACTUATOR_X], x, 1e-12, "second order at %g", t);
        assert_near(two.s[IFD_ACTUATOR_A], a, 1e-9, "its acceleration at %g", t);
    }
}

/* The linear plant has the same motion for any number of substeps of a ramp. */
TEST(the_servo_follows_a_ramp_alike_with_and_without_sub_steps)
{
    actuator plain = actuator_of(arena, "servo-hydraulic", (setting[]){{0}}, tick);
    actuator wide = actuator_of(arena, "servo-hydraulic", (setting[]){{"stroke", 1e3, NULL}, {0}}, tick);
    for (int k = 1; k <= 500; k++) {
        const ifd_actuator_in in = {.u = 1e-3 * k * tick, .change = 1e-3 * tick};
        ifd_actuator_step(plain.a, &in, plain.s);
        ifd_actuator_step(wide.a, &in, wide.s);
        assert_near(wide.s[IFD_ACTUATOR_X], plain.s[IFD_ACTUATOR_X], 1e-12, "at tick %d", k);
    }
    assert_true(plain.s[IFD_ACTUATOR_X] > 0);
}

TEST(a_delay_of_whole_ticks_is_exact)
{
    actuator p = actuator_of(arena, "delay", (setting[]){{"delay", 7 * tick, NULL}, {0}}, tick);
    double sent[100];
    for (int k = 0; k < 100; k++) {
        sent[k] = sin(0.3 * k) + k % 3;
        step(&p, sent[k]);
        assert_true(p.s[IFD_ACTUATOR_X] == (k < 7 ? 0 : sent[k - 7]));
    }
}

/* Remainder of the cubic through four samples at its middle interval: 9/16 (w h)^4 / 24; of the line: (w h)^2 / 8. */
TEST(a_fractional_delay_is_within_its_remainder)
{
    const double part[] = {0.25, 3.5, 12.9}, w = two_pi * 20, wh = w * tick;
    for (size_t i = 0; i < COUNT(part); i++) {
        setting s[] = {{"delay", part[i] * tick, NULL}, {"interpolation", 0, "cubic"}, {0}};
        actuator cubic = actuator_of(arena, "delay", s, tick);
        s[1].word = "linear";
        actuator line = actuator_of(arena, "delay", s, tick);
        double worst[2] = {0};
        for (int k = 0; k < 3000; k++) {
            step(&cubic, sin(w * k * tick));
            step(&line, sin(w * k * tick));
            double exact = sin(w * (k - part[i]) * tick);
            if (k < 20)
                continue;
            worst[0] = fmax(worst[0], fabs(cubic.s[IFD_ACTUATOR_X] - exact));
            worst[1] = fmax(worst[1], fabs(line.s[IFD_ACTUATOR_X] - exact));
        }
        /* Less than one tick old, the cubic is outside its middle interval: up to 1 instead of 9/16. */
        double bound = (part[i] < 1 ? 1.0 : 0.5625) * pow(wh, 4) / 24;
        assert_true(worst[0] <= bound && worst[0] > 0.1 * bound * (part[i] == 3.5));
        assert_true(worst[1] <= wh * wh / 8 && worst[1] > worst[0]);
    }
}

TEST(limits_of_an_ideal_actuator_hold)
{
    actuator p = actuator_of(arena, "ideal", (setting[]){{"stroke", 0.05, NULL}, {"velocity", 0.2, NULL}, {0}}, tick);
    double last = 0, most = 0, fastest = 0;
    for (int k = 0; k < 4096; k++) {
        step(&p, 0.08 * sin(two_pi * k * tick));
        double x = p.s[IFD_ACTUATOR_X];
        most = fmax(most, fabs(x));
        fastest = fmax(fastest, fabs(x - last) / tick);
        last = x;
    }
    assert_near(most, 0.05, 1e-15, "stroke");
    assert_near(fastest, 0.2, 1e-11, "velocity");
    ifd_actuator_step(p.a, &(ifd_actuator_in){.u = 0.3, .linear = true}, p.s);
    assert_near(p.s[IFD_ACTUATOR_X], 0.3, 0, "probing knows no limits");
}

/* A triangle of amplitude 10 with a play of 2: the specimen reverses 2 after the piston and reaches 9. */
TEST(play_leaves_the_specimen_where_it_is)
{
    actuator p =
        actuator_of(arena, "ideal", (setting[]){{"backlash", 2e-3, NULL}, {"stiffness", 1e6, NULL}, {0}}, tick);
    double x[4] = {0};
    const double to[] = {10, 9, 8, 7};
    for (int leg = 0; leg < 4; leg++) {
        double from = leg ? to[leg - 1] : 0;
        for (int i = 1; i <= 100; i++)
            step(&p, 1e-3 * (from + (to[leg] - from) * i / 100));
        x[leg] = p.s[IFD_ACTUATOR_X];
    }
    assert_near(x[0], 9e-3, 1e-15, "pushed");
    assert_near(x[1], 9e-3, 1e-15, "still");
    assert_near(x[2], 9e-3, 1e-15, "still");
    assert_near(x[3], 8e-3, 1e-15, "pulled");
    assert_near(p.s[IFD_ACTUATOR_F], 8e3, 1e-8, "force of the spring at its position");
}

/* The sensor is at 10 and 9, the specimen behind a play of 2 at 9 and 9, behind a clearance of 2 at 9 and 8; within
 * the clearance it has no force. Probing knows neither. */
TEST(a_loose_specimen_has_its_own_position)
{
    static const struct {
        const char *key;
        double at[3]; /* mm, of the specimen at 10, 9 and -0.5 mm */
    } row[] = {{"play", {9, 9, 0.5}}, {"clearance", {9, 8, 0}}};
    const double to[] = {10, 9, -0.5};
    for (size_t i = 0; i < COUNT(row); i++) {
        setting s[] = {{row[i].key, 2e-3, NULL}, {"stiffness", 1e6, NULL}, {"damping", 2e4, NULL}, {0}};
        actuator p = actuator_of(arena, "ideal", s, tick);
        double from = 0;
        for (int leg = 0; leg < 3; from = to[leg++]) {
            for (int n = 1; n <= 100; n++)
                step(&p, 1e-3 * (from + (to[leg] - from) * n / 100));
            const double *q = ifd_actuator_specimen(p.a, p.s);
            bool rests = leg == 1 ? i == 0 : leg == 2 && i == 1;
            assert_near(p.s[IFD_ACTUATOR_X], 1e-3 * to[leg], 1e-15, "%s, leg %d: sensor", row[i].key, leg);
            assert_near(q[0], 1e-3 * row[i].at[leg], 1e-15, "%s, leg %d: specimen", row[i].key, leg);
            assert_near(q[1], rests ? 0.0 : p.s[IFD_ACTUATOR_V], 0, "%s, leg %d: velocity", row[i].key, leg);
            assert_near(p.s[IFD_ACTUATOR_F], 1e6 * q[0] + 2e4 * q[1], 1e-8, "%s, leg %d: force", row[i].key, leg);
        }
        ifd_actuator_step(p.a, &(ifd_actuator_in){.u = 0.5e-3, .linear = true}, p.s);
        assert_near(ifd_actuator_specimen(p.a, p.s)[0], 0.5e-3, 0, "probing");
    }
}

/* At rest at 3 mm the spring of the servo is compressed by 3 mm less half the clearance, or less the play that the
 * actuator took up on its way. */
TEST(the_servo_feels_a_loose_specimen)
{
    static const char *const key[] = {"clearance", "play"};
    for (size_t i = 0; i < COUNT(key); i++) {
        actuator p = actuator_of(arena, "servo-hydraulic",
                                 (setting[]){{key[i], 1e-3, NULL}, {"substeps", 16, NULL}, {0}}, tick);
        for (int n = 0; n < 20000; n++)
            step(&p, 3e-3 * fmin(1.0, n / 5000.0));
        double x = p.s[IFD_ACTUATOR_X];
        assert_near(x, 3e-3, 0.3e-3, "%s: sensor", key[i]);
        assert_near(ifd_actuator_specimen(p.a, p.s)[0], x - 0.5e-3, 1e-6, "%s: specimen", key[i]);
        assert_near(p.s[IFD_ACTUATOR_F], 1.19e6 * (x - 0.5e-3), 2.0, "%s: force", key[i]);
    }
}

TEST(an_actuator_feels_its_specimen)
{
    setting s[] = {{"time-constant", 0.05, NULL}, {"mass", 3, NULL},      {"damping", 20, NULL},
                   {"stiffness", 700, NULL},      {"friction", 11, NULL}, {0}};
    actuator p = actuator_of(arena, "first-order", s, tick);
    ifd_actuator_step(p.a, &(ifd_actuator_in){.u = 0.1, .load = 5}, p.s);
    double x = p.s[IFD_ACTUATOR_X], v = p.s[IFD_ACTUATOR_V], a = p.s[IFD_ACTUATOR_A];
    assert_near(p.s[IFD_ACTUATOR_F], 3 * a + 20 * v + 700 * x + 5 + 11 * tanh(v / 1e-3), 1e-9, "force");
    assert_true(v > 1e-2);
}

/* Distant limits: only the substeps remain, which are exact. */
TEST(servo_with_limits_out_of_reach_is_the_linear_one)
{
    actuator linear = actuator_of(arena, "servo-hydraulic", NULL, tick);
    setting far[] = {{"force", 1e9, NULL}, {"stroke", 10, NULL}, {"velocity", 1e6, NULL}, {0}};
    actuator other = actuator_of(arena, "servo-hydraulic", far, tick);
    for (int k = 0; k < 2000; k++) {
        double u = 4e-3 * sin(two_pi * 5 * k * tick);
        step(&linear, u);
        step(&other, u);
        assert_near(other.s[IFD_ACTUATOR_X], linear.s[IFD_ACTUATOR_X], 1e-14, "x at %d", k);
        assert_near(other.s[IFD_ACTUATOR_F], linear.s[IFD_ACTUATOR_F], 1e-7, "force at %d", k);
    }
}

TEST(servo_never_passes_its_limits)
{
    setting s[] = {{"force", 3000, NULL}, {"stroke", 3e-3, NULL}, {"velocity", 0.05, NULL}, {0}};
    actuator p = actuator_of(arena, "servo-hydraulic", s, tick);
    double force = 0, stroke = 0, fastest = 0;
    for (int k = 0; k < 3 * 4096; k++) {
        step(&p, 8e-3 * sin(two_pi * 2.3 * k * tick));
        force = fmax(force, fabs(p.s[IFD_ACTUATOR_F]));
        stroke = fmax(stroke, fabs(p.s[IFD_ACTUATOR_X]));
        fastest = fmax(fastest, fabs(p.s[IFD_ACTUATOR_V]));
    }
    assert_near(force, 3000, 1e-9, "the force reaches its limit and stays there");
    assert_true(stroke <= 3e-3 && stroke > 2e-3);
    assert_true(fastest < 0.3); /* the flow is limited; the spring at the piston can drive it faster */
    ifd_actuator_begin(p.a, 0, p.s);
    actuator free_one = actuator_of(arena, "servo-hydraulic", NULL, tick);
    for (int k = 0; k < 300; k++) {
        ifd_actuator_step(p.a, &(ifd_actuator_in){.u = 8e-3, .linear = true}, p.s);
        step(&free_one, 8e-3);
        assert_true(p.s[IFD_ACTUATOR_X] == free_one.s[IFD_ACTUATOR_X]);
    }
}

/* Without load the saturated flow moves the piston at the given velocity: F' = Q - a2 v settles at v = Q / a2. */
TEST(limited_flow_limits_the_speed)
{
    setting s[] = {
        {"velocity", 0.1, NULL}, {"stiffness", 0, NULL}, {"damping", 5000, NULL}, {"leakage", 0, NULL}, {0}};
    actuator p = actuator_of(arena, "servo-hydraulic", s, tick);
    for (int k = 0; k < 2000; k++)
        step(&p, 1.0);
    assert_near(p.s[IFD_ACTUATOR_V], 0.1, 1e-9, "speed");
    assert_near(p.s[IFD_ACTUATOR_F], 500, 1e-5, "force on the dashpot");
}

TEST(friction_and_play_of_the_servo_dissipate)
{
    setting s[] = {{"friction", 200, NULL}, {"backlash", 2e-4, NULL}, {0}};
    actuator rough = actuator_of(arena, "servo-hydraulic", s, tick),
             smooth = actuator_of(arena, "servo-hydraulic", NULL, tick);
    double worst = 0, most = 0;
    for (int k = 0; k < 8192; k++) {
        double u = 4e-3 * sin(two_pi * 2 * k * tick);
        step(&rough, u);
        step(&smooth, u);
        worst = fmax(worst, fabs(rough.s[IFD_ACTUATOR_X] - smooth.s[IFD_ACTUATOR_X]));
        most = fmax(most, fabs(rough.s[IFD_ACTUATOR_X]));
    }
    assert_true(worst > 0.9e-4 && worst < 4e-4); /* half the play, plus the effect of friction */
    assert_true(most < 4.1e-3);
    s[0].number = 2e6;
    assert_int_equal(actuator_refusal(arena, "servo-hydraulic", s, tick), IFD_RANGE);
}

TEST(begun_at_a_place_it_stays_there)
{
    double a[6];
    ifd__servo_inverse(&ifd__servo_benchmark, a);
    for (int i = 0; i < ifd_actuator_count; i++) {
        const char *name = ifd_actuators[i]->name;
        actuator p = actuator_of(arena, name, some_settings(name), tick);
        ifd_actuator_begin(p.a, 2e-3, p.s);
        double u = strcmp(name, "servo-hydraulic") == 0 ? a[0] * 2e-3 : 2e-3;
        for (int k = 0; k < 500; k++)
            step(&p, u);
        assert_near(p.s[IFD_ACTUATOR_X], 2e-3, 1e-14, "%s", name);
        assert_near(p.s[IFD_ACTUATOR_V], 0, 1e-10, "%s", name);
    }
}

TEST(every_row_is_described_and_replays_from_a_copy)
{
    for (int i = 0; i < ifd_actuator_count; i++) {
        const char *name = ifd_actuators[i]->name;
        actuator p = actuator_of(arena, name, some_settings(name), tick);
        check_states(p.a->size, p.a->rows, p.a->row, name);
        size_t bytes = sizeof(double) * (size_t)p.a->size;
        for (int k = 0; k < 50; k++)
            step(&p, 1e-3 * sin(0.2 * k));
        double *saved = ifd_arena_take(arena, bytes), *end = ifd_arena_take(arena, bytes);
        memcpy(saved, p.s, bytes);
        for (int k = 0; k < 50; k++)
            step(&p, 1e-3 * k);
        memcpy(end, p.s, bytes);
        memcpy(p.s, saved, bytes);
        for (int k = 0; k < 50; k++)
            step(&p, 1e-3 * k);
        assert_memory_equal(p.s, end, bytes);
    }
}

TEST(what_makes_no_sense_is_refused)
{
    assert_int_equal(actuator_refusal(arena, "first-order", NULL, tick), IFD_MISSING_KEY);
    assert_int_equal(actuator_refusal(arena, "first-order", (setting[]){{"time-constant", 0, NULL}, {0}}, tick),
                     IFD_RANGE);
    assert_int_equal(actuator_refusal(arena, "delay", (setting[]){{"delay", 1e3, NULL}, {0}}, tick), IFD_RANGE);
    assert_int_equal(actuator_refusal(arena, "servo-hydraulic", (setting[]){{"mass", 0, NULL}, {0}}, tick),
                     IFD_RANGE);
    assert_int_equal(actuator_refusal(arena, "ideal", NULL, 0), IFD_RANGE);
    for (long n = 1; n < 5; n++) {
        ifd_arena *small = ifd_arena_open();
        ifd_arena_fail_at(small, n);
        assert_int_equal(actuator_refusal(small, "servo-hydraulic", NULL, tick), IFD_NO_MEMORY);
        ifd_arena_close(small);
    }
}

TESTS_WITH(open_arena, close_arena)
