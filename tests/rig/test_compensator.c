/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "fixture.h"

#include <string.h>

#include "algebra/discretisation.h"
#include "base/random.h"
#include "rig/bench.h"
#include "rig/compensator/compensator.h"

static const double tick = 1.0 / 4096, two_pi = 6.28318530717958647693;

static double command(const compensator *p, double x)
{
    return ifd_compensator_step(p->c, &(ifd_compensator_in){.x = x}, p->s);
}

/* The response to a unit impulse, at the spacing of the polynomial. */
TEST(polynomials_have_their_published_coefficients)
{
    static const double expected[4][5] = {{2, -1}, {3, -3, 1}, {4, -6, 4, -1}, {5, -10, 10, -5, 1}};
    for (int n = 1; n <= 4; n++) {
        setting s[] = {{"delay", 6 * tick, NULL}, {"order", n, NULL}, {0}};
        compensator p = compensator_of(arena, "polynomial", s, tick);
        for (int k = 0; k < 40; k++) {
            double u = command(&p, k == 0 ? 1 : 0), wanted = k % 6 == 0 && k / 6 <= n ? expected[n - 1][k / 6] : 0;
            assert_near(u, wanted, 1e-13, "order %d, tick %d", n, k);
        }
    }
}

static double cubic(double t)
{
    return 3 - 2 * t + 5 * t * t - 7 * t * t * t;
}

/* Spacing of a whole or fractional number of ticks, of one tick; with and without look-ahead. */
TEST(polynomials_extrapolate_polynomials_exactly)
{
    const double delay[] = {10 * tick, 10.3 * tick}, ahead[] = {0, 1.5 * tick};
    static const char *const spacing[] = {"delay", "sample"};
    for (int i = 0; i < 8; i++) {
        double tau = delay[i & 1], T = ahead[i >> 1 & 1];
        setting s[] = {{"delay", tau, NULL}, {"look-ahead", T, NULL}, {"spacing", 0, spacing[i >> 2]}, {0}};
        compensator p = compensator_of(arena, "polynomial", s, tick);
        for (int k = 0; k < 200; k++) {
            double u = command(&p, cubic(k * tick));
            if (k > 40) /* with a spacing of one tick the weights are near (10^3)/6, which amplifies rounding */
                assert_near(u, cubic(k * tick + tau + T), 1e-11, "row %d, tick %d", i, k);
        }
    }
}

/* Remainder of the cubic at t + tau for a sine: (w tau)^4 at most (24/24). */
TEST(polynomial_advances_a_sine_within_its_remainder)
{
    const double tau = 16 * tick, w = two_pi * 3;
    compensator p = compensator_of(arena, "polynomial", (setting[]){{"delay", tau, NULL}, {0}}, tick);
    double worst = 0;
    for (int k = 0; k < 4096; k++) {
        double u = command(&p, sin(w * k * tick));
        if (k > 100)
            worst = fmax(worst, fabs(u - sin(w * (k * tick + tau))));
    }
    double bound = pow(w * tau, 4);
    assert_true(worst <= bound && worst > 0.9 * bound);
}

static void drive(const compensator *p, double w, double t, double *u)
{
    const ifd_compensator_in in = {.x = sin(w * t), .v = w * cos(w * t), .a = -w * w * sin(w * t)};
    *u = ifd_compensator_step(p->c, &in, p->s);
}

/* Orders 1 to 3; the third derivative is a backward difference, late by half a tick. */
TEST(taylor_advances_a_sine_within_its_remainder)
{
    const double tau = 0.02, w = two_pi * 3, x = w * tau;
    for (int n = 1; n <= 3; n++) {
        compensator p =
            compensator_of(arena, "taylor", (setting[]){{"delay", tau, NULL}, {"order", n, NULL}, {0}}, tick);
        double worst = 0, u, bound = pow(x, n + 1) / tgamma(n + 2) + (n == 3 ? pow(x, 3) / 6 * w * tick / 2 : 0);
        for (int k = 0; k < 4096; k++) {
            drive(&p, w, k * tick, &u);
            if (k > 0)
                worst = fmax(worst, fabs(u - sin(w * (k * tick + tau))));
        }
        assert_true(worst <= bound && worst > 0.8 * bound);
    }
}

/* The look-ahead T of every row is time: none with T is the Taylor series over T. */
TEST(every_row_looks_ahead)
{
    const double w = two_pi * 2, T = 3 * tick;
    for (int i = 0; i < ifd_compensator_count; i++) {
        const char *name = ifd_compensators[i]->name;
        const setting *usual = some_settings(name);
        setting with[4] = {{"look-ahead", T, NULL}};
        for (int n = 0; usual && usual[n].name; n++)
            with[n + 1] = usual[n];
        compensator now = compensator_of(arena, name, usual, tick), ahead = compensator_of(arena, name, with, tick);
        double phase[2] = {0}, u, re[2] = {0}, im[2] = {0};
        for (int k = 0; k < 4 * 4096; k++)
            for (int j = 0; j < 2; j++) {
                const compensator *p = j ? &ahead : &now;
                double t = k * tick;
                const ifd_compensator_in in = {
                    .x = sin(w * t), .v = w * cos(w * t), .a = -w * w * sin(w * t), .frozen = true};
                u = ifd_compensator_step(p->c, &in, p->s);
                if (k >= 2 * 4096) { /* whole periods, after the transient */
                    re[j] += u * sin(w * t);
                    im[j] += u * cos(w * t);
                }
            }
        for (int j = 0; j < 2; j++)
            phase[j] = atan2(im[j], re[j]);
        /* pi-lead integrates without an actuator; its phase still shifts by w T. Series to second order in the worst
         * case: their phase is T to within (w (tau + T))^2 relative, 0.04 here */
        assert_near((phase[1] - phase[0]) / w, T, 0.04 * T, "%s", name);
    }
}

TEST(look_ahead_multiplies_by_the_exponential_series)
{
    const double a[4] = {1.1, 0.02, 3e-4, 5e-6}, T = 0.01;
    double b[4];
    ifd__ahead(4, a, T, b);
    assert_near_rel(b[0], 1.1, 1e-15, "b0");
    assert_near_rel(b[1], 0.02 + 1.1 * T, 1e-15, "b1");
    assert_near_rel(b[2], 3e-4 + 0.02 * T + 1.1 * T * T / 2, 1e-15, "b2");
    assert_near_rel(b[3], 5e-6 + 3e-4 * T + 0.02 * T * T / 2 + 1.1 * T * T * T / 6, 1e-15, "b3");
}

TEST(inverse_3_has_the_published_coefficients)
{
    static const double expected[4] = {0.9925415825, 0.02488938924, 1.0662321560e-4, 3.856392053e-7};
    compensator p = compensator_of(arena, "inverse-3", NULL, tick);
    double a[4];
    p.c->kind->coefficients(p.c, p.s, a);
    for (int i = 0; i < 4; i++)
        assert_near_rel(a[i], expected[i], 5e-10, "a%d", i);
    const double given[3] = {1, 0.02, 2e-4};
    const ifd_compensator_kind *kind = ifd_compensator_find("inverse-2");
    ifd_value v[IFD_COMPENSATOR_PARAMS];
    ifd_compensator *c;
    ifd_param_preset(kind->params, v);
    v[ifd_param_find(kind->params, "coefficients")] = ifd_list(given, 3);
    assert_int_equal(ifd_compensator_make(arena, kind, v, tick, &c, NULL), IFD_OK);
    double s[16];
    assert_true(c->size <= 16);
    ifd_compensator_begin(c, 0, s);
    assert_near(ifd_compensator_step(c, &(ifd_compensator_in){.x = 3, .v = 5, .a = 7}, s), 3 + 0.1 + 14e-4, 1e-15,
                "u");
    v[ifd_param_find(kind->params, "coefficients")] = ifd_list(given, 2);
    assert_int_equal(ifd_compensator_make(arena, kind, v, tick, &c, NULL), IFD_SHAPE);
}

TEST(inverse_1_inverts_a_first_order_difference)
{
    compensator p = compensator_of(arena, "inverse-1", (setting[]){{"delay", 0.01, NULL}, {0}}, tick);
    double x = 0, ratio = 0.01 / tick; /* x_k = x_{k-1} + (u_k - x_{k-1}) / (1 + ratio) reproduces the target */
    for (int k = 0; k < 1000; k++) {
        double target = sin(0.01 * k), u = command(&p, target);
        x += (u - x) / (1 + ratio);
        assert_near(x, target, 1e-12, "tick %d", k);
    }
}

/* Phase of (lead s + p) / (s + p) at a low frequency. */
TEST(phase_lead_leads_by_its_formula)
{
    const double w = two_pi * 4, lead = 50.83163360273612, pole = 8570.397339444286;
    compensator p = compensator_of(arena, "phase-lead", NULL, tick);
    double re = 0, im = 0, u;
    for (int k = 0; k < 2 * 4096; k++) {
        drive(&p, w, k * tick, &u);
        if (k >= 4096) {
            re += u * sin(w * k * tick) / 2048;
            im += u * cos(w * k * tick) / 2048;
        }
    }
    double warped = 2 / tick * tan(w * tick / 2); /* Tustin */
    assert_near(atan2(im, re), atan2(lead * warped, pole) - atan2(warped, pole), 1e-10, "phase");
    assert_near(hypot(re, im), hypot(lead * warped, pole) / hypot(warped, pole), 1e-10, "gain");
}

/* A pure delay of 10 ms, overcompensated by 20 ms: the raw force leads by 10 ms, the corrected one belongs to
 * x(t). */
TEST(upper_bound_gives_the_force_of_the_target)
{
    const double w = two_pi, stiffness = 1e6;
    actuator rig = actuator_of(arena, "delay", (setting[]){{"delay", 0.01, NULL}, {0}}, tick);
    compensator p = compensator_of(arena, "upper-bound", (setting[]){{"bound", 0.02, NULL}, {0}}, tick);
    double worst = 0, raw = 0;
    for (int k = 0; k < 3 * 4096; k++) {
        double t = k * tick, xm = rig.s[IFD_ACTUATOR_X], ramp = 1 - exp(-t * t * 4);
        const ifd_compensator_in in = {.x = ramp * sin(w * t),
                                       .v = ramp * w * cos(w * t) + 8 * t * (1 - ramp) * sin(w * t),
                                       .a = 0,
                                       .xm = xm,
                                       .fm = stiffness * xm};
        double u = ifd_compensator_step(p.c, &in, p.s);
        ifd_actuator_step(rig.a, &(ifd_actuator_in){.u = u}, rig.s);
        if (t < 1.5)
            continue;
        worst = fmax(worst, fabs(p.s[IFD_COMPENSATOR_F] - stiffness * in.x) / stiffness);
        raw = fmax(raw, fabs(in.fm - stiffness * in.x) / stiffness);
    }
    /* The prediction is linear here, without acceleration: the specimen remains (w 0.02)^2 / 2 = 0.8 % below a peak,
     * and positions that were not reached have no force. Elsewhere the interpolation is exact for a spring. */
    assert_true(worst < 0.008);
    assert_true(raw > 0.05);
}

/* A plant with a third-order inverse, advanced exactly; several sines, measurement noise. */
typedef struct lab {
    double a[4];
    ifd__discretisation hold;
    double z[3];
    ifd__random random;
} lab;

static void lab_open(lab *l, double noise_seed)
{
    static const double a[4] = {0.98, 0.0232, 1.2e-4, 3.1e-7};
    memset(l, 0, sizeof *l);
    memcpy(l->a, a, sizeof a);
    double A[9] = {0}, B[3] = {0, 0, 1 / a[3]};
    A[3] = A[7] = 1;
    for (int i = 0; i < 3; i++)
        A[2 + 3 * i] = -a[i] / a[3];
    assert_int_equal(ifd__discretisation_make(arena, &(ifd__continuous){3, 1, A, B}, tick, &l->hold), IFD_OK);
    ifd__random_seed(&l->random, (uint64_t)noise_seed);
}

static const double hertz[3] = {1.1, 3.7, 7.9}, metres[3] = {2e-3, 1e-3, 3e-4};

static void lab_run(lab *l, const compensator *p, double noise, double seconds)
{
    for (int k = 0; k < (int)(seconds * 4096); k++) {
        ifd_compensator_in in = {.xm = l->z[0] + noise * ifd__random_normal(&l->random)};
        for (int i = 0; i < 3; i++) {
            double w = two_pi * hertz[i], t = k * tick;
            in.x += metres[i] * sin(w * t);
            in.v += metres[i] * w * cos(w * t);
            in.a -= metres[i] * w * w * sin(w * t);
        }
        double u = ifd_compensator_step(p->c, &in, p->s);
        ifd__discretisation_step(&l->hold, &u, &u, l->z);
    }
}

/* Largest relative difference, over the frequencies of the motion, between the identified inverse and that of the
 * plant with the half tick of the held command. */
static double misfit(const lab *l, const compensator *p)
{
    double th[4], b[4], worst = 0;
    p->c->kind->coefficients(p->c, p->s, th);
    ifd__ahead(4, l->a, 0.5 * tick, b);
    for (int i = 0; i < 3; i++) {
        double w = two_pi * hertz[i];
        double re = b[0] - b[2] * w * w, im = b[1] * w - b[3] * w * w * w;
        double dre = th[0] - th[2] * w * w - re, dim = th[1] * w - th[3] * w * w * w - im;
        worst = fmax(worst, hypot(dre, dim) / hypot(re, im));
    }
    return worst;
}

/* Remainder without noise: the fourth-order term of the half tick, a3 D/2 w^4 = 3e-4 at 7.9 Hz. */
TEST(least_squares_converge_to_the_plant)
{
    lab l;
    lab_open(&l, 1);
    compensator p = compensator_of(arena, "adaptive-model", NULL, tick);
    assert_true(misfit(&l, &p) > 0.05);
    lab_run(&l, &p, 0, 20);
    assert_near(misfit(&l, &p), 0, 5e-4, "misfit");
    /* Three coefficients do not include a3: a3 w^3 = 0.038 at the highest frequency, weighted by its small motion. */
    lab_open(&l, 1);
    p = compensator_of(arena, "adaptive-series", NULL, tick);
    lab_run(&l, &p, 0, 20);
    assert_true(misfit(&l, &p) < 0.038);
}

/* Each direction converges at its own rate. The last one, of the third derivative, has (3.5e-3)^2 of the norm: at a
 * rate of 30/s it takes 2700 s, so that the response at the highest frequency remains as the others leave it. */
TEST(the_gradient_law_converges_where_the_motion_is_strong)
{
    lab l;
    lab_open(&l, 1);
    compensator p =
        compensator_of(arena, "adaptive-model", (setting[]){{"law", 0, "gradient"}, {"rate", 30, NULL}, {0}}, tick);
    double before = misfit(&l, &p);
    lab_run(&l, &p, 0, 20);
    assert_true(misfit(&l, &p) < 0.05 * before);
}

/* Noise in the regressors biases least squares towards small coefficients; the target as instrument has no noise. */
TEST(the_instrument_removes_the_bias_of_noise)
{
    double left[2];
    static const char *const instrument[2] = {"target", "measured"};
    for (int i = 0; i < 2; i++) {
        lab l;
        lab_open(&l, 2);
        setting s[] = {{"instrument", 0, instrument[i]}, {"memory", 0, NULL}, {"noise", 1e-4, NULL}, {0}};
        compensator p = compensator_of(arena, "adaptive-model", s, tick);
        lab_run(&l, &p, 1e-4, 40);
        left[i] = misfit(&l, &p);
    }
    print_message("misfit at 0.1 mm of noise: %.2e by the target, %.2e by what is measured\n", left[0], left[1]);
    assert_true(left[0] < 5e-3);
    assert_true(left[1] > 5 * left[0]);
}

TEST(coefficients_stay_in_their_bounds)
{
    lab l;
    lab_open(&l, 3);
    compensator series = compensator_of(arena, "adaptive-series", (setting[]){{"bound", 0.1, NULL}, {0}}, tick);
    compensator model = compensator_of(arena, "adaptive-model", NULL, tick);
    double start[4], a[4];
    series.c->kind->coefficients(series.c, series.s, start);
    for (int k = 0; k < 200; k++) {
        lab_run(&l, &series, 3e-3, 0.02); /* noise above the motion */
        series.c->kind->coefficients(series.c, series.s, a);
        for (int i = 0; i < 3; i++)
            assert_true(a[i] >= 0.9 * start[i] * (1 - 1e-12) && a[i] <= 1.1 * start[i] * (1 + 1e-12));
    }
    ifd__random r;
    ifd__random_seed(&r, 9);
    for (int k = 0; k < 20000; k++) { /* no fit exists: the measured motion is unrelated to the command */
        ifd_compensator_in in = {.x = sin(0.01 * k), .v = cos(0.01 * k), .xm = ifd__random_normal(&r)};
        ifd_compensator_step(model.c, &in, model.s);
        model.c->kind->coefficients(model.c, model.s, a);
        for (int i = 0; i < 4; i++)
            assert_true(a[i] >= 0 && isfinite(a[i]));
    }
}

TEST(frozen_it_does_not_learn)
{
    compensator p = compensator_of(arena, "adaptive-model", NULL, tick);
    double before[4], after[4];
    p.c->kind->coefficients(p.c, p.s, before);
    for (int k = 0; k < 500; k++)
        ifd_compensator_step(p.c, &(ifd_compensator_in){.x = 1e-3 * k, .xm = 5e-3 * k, .frozen = true}, p.s);
    p.c->kind->coefficients(p.c, p.s, after);
    assert_memory_equal(before, after, sizeof before);
    ifd_compensator_step(p.c, &(ifd_compensator_in){.x = 0.5, .xm = 0.6}, p.s);
    p.c->kind->coefficients(p.c, p.s, after);
    assert_memory_not_equal(before, after, sizeof before);
}

TEST(every_row_is_described_and_replays_from_a_copy)
{
    for (int i = 0; i < ifd_compensator_count; i++) {
        const char *name = ifd_compensators[i]->name;
        compensator p = compensator_of(arena, name, some_settings(name), tick);
        check_states(p.c->size, p.c->rows, p.c->row, name);
        size_t bytes = sizeof(double) * (size_t)p.c->size;
        double *saved = ifd_arena_take(arena, bytes), first[100];
        for (int pass = 0; pass < 3; pass++) {
            for (int k = 0; k < 100; k++) {
                double t = (pass ? 100 + k : k) * tick;
                const ifd_compensator_in in = {.x = sin(30 * t),
                                               .v = 30 * cos(30 * t),
                                               .a = -900 * sin(30 * t),
                                               .xm = sin(30 * t - 0.2),
                                               .fm = t};
                double u = ifd_compensator_step(p.c, &in, p.s);
                assert_true(isfinite(u));
                if (pass == 1)
                    first[k] = u;
                else if (pass == 2)
                    assert_true(u == first[k]);
            }
            if (pass == 0)
                memcpy(saved, p.s, bytes);
            memcpy(p.s, saved, bytes);
        }
    }
}

/* At rest a command is constant for every row (adaptive ones and inverses multiply by their first coefficient). */
TEST(a_target_at_rest_gives_a_command_at_rest)
{
    for (int i = 0; i < ifd_compensator_count; i++) {
        const char *name = ifd_compensators[i]->name;
        compensator p = compensator_of(arena, name, some_settings(name), tick);
        ifd_compensator_begin(p.c, 0.02, p.s);
        double first = 0;
        for (int k = 0; k < 300; k++) {
            double u = ifd_compensator_step(p.c, &(ifd_compensator_in){.x = 0.02, .xm = 0.02}, p.s);
            first = k ? first : u;
            assert_near(u, first, 0.01 * 0.02, "%s at %d", name, k);
        }
        assert_near(first, 0.02, 0.03 * 0.02, "%s", name);
    }
}

/* Ten seconds of rest with noise, then a motion: the weights of tadc are still there. Without a level they are lost,
 * and the command remains at zero. */
TEST(noise_at_rest_does_not_take_the_weights)
{
    for (int with = 0; with < 2; with++) {
        compensator p = compensator_of(
            arena, "tadc", (setting[]){{"delay", 0.01, NULL}, {"level", with ? 1e-4 : 0.0, NULL}, {0}}, tick);
        double u = 0;
        unsigned long noise = 1;
        for (int k = 0; k < 10000; k++) {
            noise = noise * 6364136223846793005UL + 1442695040888963407UL;
            double xm = 1e-4 * ((double)(noise >> 40) / (1 << 24) - 0.5);
            u = ifd_compensator_step(p.c, &(ifd_compensator_in){.x = k < 9999 ? 0 : 0.01, .xm = xm}, p.s);
        }
        if (with)
            assert_near(u, 0.01, 1e-12, "with a level");
        else
            assert_true(fabs(u) < 0.005);
    }
}

TEST(what_makes_no_sense_is_refused)
{
    assert_int_equal(compensator_refusal(arena, "polynomial", NULL, tick), IFD_MISSING_KEY);
    setting s[] = {{"delay", 0.01, NULL}, {"order", 5, NULL}, {0}};
    assert_int_equal(compensator_refusal(arena, "polynomial", s, tick), IFD_RANGE);
    s[1].number = 2.5;
    assert_int_equal(compensator_refusal(arena, "polynomial", s, tick), IFD_RANGE);
    s[0].number = 100;
    s[1].number = 3;
    assert_int_equal(compensator_refusal(arena, "polynomial", s, tick), IFD_RANGE);
    assert_int_equal(compensator_refusal(arena, "adaptive-model", (setting[]){{"law", 0, "rsl"}, {0}}, tick),
                     IFD_UNKNOWN_CHOICE);
    for (int i = 0; i < ifd_compensator_count; i++) {
        const char *name = ifd_compensators[i]->name;
        ifd_arena *small = ifd_arena_open();
        ifd_arena_fail_at(small, strcmp(name, "none") == 0 ? 1 : 2);
        assert_int_equal(compensator_refusal(small, name, some_settings(name), tick), IFD_NO_MEMORY);
        ifd_arena_close(small);
    }
}

TESTS_WITH(open_arena, close_arena)
