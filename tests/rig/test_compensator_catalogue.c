/* SPDX-License-Identifier: MIT */
/* Compensators against values of an independent computation: open loop, ticks of 1/1024 s, a target of three sines,
 * and a plant of second order that changes after 5 s. */
#include "check.h"
#include "fixture.h"

#include <string.h>

#include "algebra/discretisation.h"
#include "rig/bench.h"
#include "rig/compensator/compensator.h"

static const double tick = 1.0 / 1024, two_pi = 6.28318530717958647693;

static void target(double t, double x[3])
{
    const double a[] = {0.01, 0.005, 0.0025}, f[] = {1.3, 3.1, 5.7}, phase[] = {0, 0.7, 1.9};
    memset(x, 0, 3 * sizeof *x);
    for (int i = 0; i < 3; i++) {
        double w = two_pi * f[i];
        x[0] += a[i] * sin(w * t + phase[i]);
        x[1] += a[i] * w * cos(w * t + phase[i]);
        x[2] -= a[i] * w * w * sin(w * t + phase[i]);
    }
}

typedef struct found {
    double before, after; /* rms errors */
    double xm[2];         /* at 3 and 9 s */
    compensator p;        /* its state at the end */
    double a[10240][4];   /* coefficients before the command of each tick */
} found;

static ifd__discretisation plant_of(double w, double z)
{
    const double A[4] = {0, -w * w, 1, -2 * z * w}, B[2] = {0, w * w};
    ifd__discretisation out;
    assert_int_equal(ifd__discretisation_make(arena, &(ifd__continuous){2, 1, A, B}, tick, &out), IFD_OK);
    return out;
}

/* Errors over from[0] .. 5 s and from[1] .. 10 s. */
static void drive(found *r, const char *name, const setting *settings, const double from[2])
{
    ifd__discretisation plant[2] = {plant_of(150, 0.9), plant_of(110, 0.8)};
    double z[2] = {0}, error[2] = {0}, square[2] = {0};
    r->p = compensator_of(arena, name, settings, tick);
    for (int k = 0; k < 10240; k++) {
        double t = k * tick, x[3];
        int late = t >= 5;
        target(t, x);
        const ifd_compensator_in in = {.x = x[0], .v = x[1], .a = x[2], .xm = z[0]};
        double u = ifd_compensator_step(r->p.c, &in, r->p.s);
        if (r->p.c->kind->coefficients)
            r->p.c->kind->coefficients(r->p.c, r->p.s, r->a[k]);
        if (k == 3 * 1024 || k == 9 * 1024)
            r->xm[k > 5 * 1024] = z[0];
        if (t >= from[late]) {
            error[late] += (z[0] - x[0]) * (z[0] - x[0]);
            square[late] += x[0] * x[0];
        }
        ifd__discretisation_step(&plant[late], &u, &u, z);
    }
    r->before = sqrt(error[0] / square[0]);
    r->after = sqrt(error[1] / square[1]);
}

#define FIRST_PLANT                                                                                                  \
    {                                                                                                                \
        "coefficients", 0, "[1, 0.012, 4.4444444444444444e-5]"                                                       \
    }

TEST(tracking_is_that_of_the_catalogue)
{
    static found r;
    static const struct {
        const char *name;
        setting settings[5];
        double from[2], before, after, xm[2];
    } rows[] = {
        {"none", {{0}}, {1, 5.5}, 0.169944103, 0.202658743, {-0.00100840957, -0.010375611}},
        {"inverse-2", {FIRST_PLANT}, {1, 5.5}, 0.00673556836, 0.0428590039, {-0.00175384715, -0.010634961}},
        {"cats",
         {{"coefficients", 0, "[1, 0.008, 2e-5]"}},
         {2, 7},
         0.000150526888,
         0.000272422085,
         {-0.00179816415, -0.010654891}},
        {"inverse-1",
         {{"delay", 0.008, NULL}},
         {1, 5.5},
         0.0632715487,
         0.0985590128,
         {-0.00138459515, -0.0105927512}},
        {"tracking-adaptive", /* kp = ki = 8e3 */
         {{"delay", 0.008, NULL},
          {"amplitude", 0.01, NULL},
          {"indicator-gain", 0.8, NULL},
          {"integral-gain", 0.8, NULL}},
         {2, 7},
         0.0252162403,
         0.0500697197,
         {-0.00152416773, -0.0108735151}},
        {"lqg",
         {FIRST_PLANT, {"effort", 0.01, NULL}},
         {1, 5.5},
         0.000785395197,
         0.01845013,
         {-0.00179115337, -0.0106672796}},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        drive(&r, rows[i].name, rows[i].settings, rows[i].from);
        assert_near_rel(r.before, rows[i].before, 1e-6, "%s, error before the change", rows[i].name);
        assert_near_rel(r.after, rows[i].after, 1e-6, "%s, error after the change", rows[i].name);
        for (int k = 0; k < 2; k++)
            assert_near_rel(r.xm[k], rows[i].xm[k], 1e-6, "%s, displacement at %d s", rows[i].name, k ? 9 : 3);
    }
}

TEST(coefficients_of_cats_are_those_of_the_catalogue)
{
    static found r;
    static const double rows[][4] = {{1, 1.00003673, 0.009, 3e-05},
                                     {1.5, 0.999994943, 0.012473492, 5.04115302e-05},
                                     {3, 0.999973594, 0.0124738147, 5.03428466e-05},
                                     {4.9, 0.999973594, 0.0124738147, 5.03428466e-05},
                                     {6, 1.00042235, 0.0149022069, 9.37486761e-05},
                                     {8, 1.00000872, 0.0150088388, 8.97676331e-05}};
    drive(&r, "cats", (setting[]){{"coefficients", 0, "[1, 0.008, 2e-5]"}, {0}}, (double[]){2, 7});
    for (size_t i = 0; i < COUNT(rows); i++)
        for (int n = 0; n < 3; n++)
            assert_near_rel(r.a[(int)(rows[i][0] * 1024)][n], rows[i][n + 1], 1e-6, "a%d at %g s", n, rows[i][0]);
}

/* The catalogue has the exact third derivative of the target, a test its difference: values of the same independent
 * computation with differences. They are within 3e-3 (errors) and 1e-5 (weights) of those of the catalogue. */
TEST(two_stages_are_those_of_the_catalogue)
{
    static found r;
    const setting plain[] = {{"delay", 8 * tick, NULL}, {"level", 1, NULL}, {0}},
                  both[] = {plain[0], {"level", 0, NULL}, {0}};
    const double error[2][2] = {{0.0634159554, 0.0990167578}, {0.000700437423, 0.0023788789}},
                 xm[2][2] = {{-0.00149354755, -0.0105362224}, {-0.00179265877, -0.0106447387}},
                 catalogue[2][2] = {{0.0634173228, 0.099019252}, {0.000698595803, 0.00237993162}};
    for (int i = 0; i < 2; i++) {
        drive(&r, "tadc", i ? both : plain, (double[]){2, 7});
        assert_near_rel(r.before, error[i][0], 1e-6, "stage %d, error before the change", i + 1);
        assert_near_rel(r.after, error[i][1], 1e-6, "stage %d, error after the change", i + 1);
        assert_near_rel(r.before, catalogue[i][0], 3e-3, "stage %d, error before the change", i + 1);
        assert_near_rel(r.after, catalogue[i][1], 3e-3, "stage %d, error after the change", i + 1);
        for (int k = 0; k < 2; k++)
            assert_near_rel(r.xm[k], xm[i][k], 1e-6, "stage %d, displacement at %d s", i + 1, k ? 9 : 3);
    }
    static const double weights[][4] = {
        {0.5, 1.60699984, -0.614600813, 0.00683642153}, {1, 1.6223421, -0.640353614, 0.0177795372},
        {3, 1.63238829, -0.658555709, 0.0261714998},    {4.9, 1.63184048, -0.656972061, 0.0251629468},
        {6, 2.15120586, -1.51760411, 0.368777543},      {8, 2.40132693, -1.88889035, 0.487572627}};
    for (size_t i = 0; i < COUNT(weights); i++) { /* a0 = th1 + th2 + th3, a1 = T (th1 - th3), T = 8 ticks */
        const double *a = r.a[(int)(weights[i][0] * 1024)], *w = weights[i] + 1;
        assert_near(a[0], w[0] + w[1] + w[2], 2e-5, "a0 at %g s", weights[i][0]);
        assert_near(a[1] / (8 * tick), w[0] - w[2], 2e-5, "a1 at %g s", weights[i][0]);
        assert_near(a[2] / (32 * tick * tick), w[0] + w[2], 2e-5, "a2 at %g s", weights[i][0]);
    }
}

TEST(estimated_delays_are_those_of_the_catalogue)
{
    static found r;
    static const double tracking[][2] = {{0.5, 0.0084289696}, {1, 0.00877163261}, {3, 0.0109769587},
                                         {4, 0.0122146688},   {6, 0.0147400532},  {8, 0.0173507478}};
    static const double frequency[][3] = {{2, 0.009, 0.999740237},        {3, 0.011, 0.998708733},
                                          {5, 0.0131051978, 0.992440904}, {6, 0.0132475048, 0.989502511},
                                          {8, 0.0153791566, 0.986873089}, {9, 0.0156924716, 0.984469443}};
    drive(&r, "tracking-adaptive",
          (setting[]){{"delay", 0.008, NULL},
                      {"amplitude", 0.01, NULL},
                      {"indicator-gain", 0.8, NULL},
                      {"integral-gain", 0.8, NULL},
                      {0}},
          (double[]){2, 7});
    for (size_t i = 0; i < COUNT(tracking); i++)
        assert_near_rel(r.a[(int)(tracking[i][0] * 1024)][1], tracking[i][1], 1e-6, "delay at %g s", tracking[i][0]);
    drive(&r, "frequency-adaptive", (setting[]){{"delay", 0.008, NULL}, {0}}, (double[]){2, 7});
    for (size_t i = 0; i < COUNT(frequency); i++) {
        const double *a = r.a[(int)(frequency[i][0] * 1024)];
        assert_near_rel(a[1] / a[0], frequency[i][1], 1e-6, "delay at %g s", frequency[i][0]);
        assert_near_rel(a[0], frequency[i][2], 1e-6, "gain at %g s", frequency[i][0]);
    }
    assert_near(r.before, 0.0294, 5e-5, "error before the change");
    assert_near(r.after, 0.0259, 5e-5, "error after the change");
}

/* The command is linear in target, measurement and last command: its gains are read off single ticks. */
TEST(gains_of_state_feedback_are_those_of_the_catalogue)
{
    const setting s[] = {FIRST_PLANT, {"effort", 0.01, NULL}, {0}},
                  m[] = {FIRST_PLANT, {"effort", 1e-3, NULL}, {"horizon", 12 * tick, NULL}, {0}};
    compensator lqg = compensator_of(arena, "lqg", s, tick), mpc = compensator_of(arena, "predictive", m, tick);
    const double gain[2][2] = {{7.18616771, 0.0167928497}, {14.1392198, 0.025196521}};
    for (int i = 0; i < 2; i++) {
        const compensator *p = i ? &mpc : &lqg;
        double u[2];
        for (int n = 0; n < 2; n++) { /* an estimate of 1 m, or of 1 m/s, and a measurement that agrees with it */
            ifd_compensator_begin(p->c, 0, p->s);
            p->s[IFD_COMPENSATOR_OWN] = n == 0;
            p->s[IFD_COMPENSATOR_OWN + 1] = n == 1;
            u[n] = ifd_compensator_step(p->c, &(ifd_compensator_in){.xm = n == 0}, p->s);
            assert_near_rel(-u[n], gain[i][n], 1e-7, "%s, gain %d", p->c->kind->name, n);
        }
    }
    ifd_compensator_begin(mpc.c, 0, mpc.s);
    mpc.s[IFD_COMPENSATOR_U] = 1;
    double u = ifd_compensator_step(mpc.c, &(ifd_compensator_in){0}, mpc.s);
    assert_near_rel(u, 0.222555103, 1e-7, "weight of the last command");
}

/* A mass on a specimen whose force is used 12 ticks late: with the damping its amplitude does not grow. */
TEST(energy_damping_keeps_a_late_loop_from_growing)
{
    const double A[4] = {0, 0, 1, -0.2}, B[2] = {0, -1e-3}, k = 1e5;
    const double peak[2][4] = {{0.0161354809, 0.0260351226, 0.0677819694, 0.206981626},
                               {0.01, 0.00909521978, 0.00788658848, 0.00683866982}};
    const int window[] = {0, 1, 3, 5};
    ifd__discretisation mass;
    assert_int_equal(ifd__discretisation_make(arena, &(ifd__continuous){2, 1, A, B}, tick, &mass), IFD_OK);
    for (int with = 0; with < 2; with++) {
        static double past[6 * 1024 + 1];
        double z[2] = {0.01, 0}, largest[6] = {0};
        compensator p =
            compensator_of(arena, with ? "energy-damping" : "none",
                           with ? (setting[]){{"stiffness", k, NULL}, {"most", 2e4, NULL}, {0}} : NULL, tick);
        ifd_compensator_begin(p.c, 0.01, p.s);
        for (int i = 0; i < 6 * 1024; i++) {
            past[i] = z[0];
            largest[i / 1024] = fmax(largest[i / 1024], fabs(z[0]));
            double f = k * past[i > 12 ? i - 12 : 0];
            const ifd_compensator_in in = {.x = z[0], .v = z[1], .xm = z[0], .fm = f};
            ifd_compensator_step(p.c, &in, p.s);
            ifd__discretisation_step(&mass, p.s + IFD_COMPENSATOR_F, p.s + IFD_COMPENSATOR_F, z);
        }
        for (int i = 0; i < 4; i++)
            assert_near_rel(largest[window[i]], peak[with][i], 1e-6, "%s, peak of second %d",
                            with ? "with" : "without", window[i]);
    }
}

TESTS_WITH(open_arena, close_arena)
