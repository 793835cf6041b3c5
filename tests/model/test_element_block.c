/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "fixture.h"

#include "element_samples.h"

#include <complex.h>
#include <string.h>

static const double rate[] = {1};

#define NUM(which, x)                                                                                                \
    (setting)                                                                                                        \
    {                                                                                                                \
        .name = (which), .number = (x)                                                                               \
    }

/* Force applied per unit of what is read, at angular frequency w, from the tangents alone: -(r_y + r_s (iw - g_s)^-1
 * g_y) of an element with one port each way and at most two states. */
static double complex response(const ifd_element *e, bool velocity, double w)
{
    point p = {0};
    answer a = answer_at(e, &p);
    const double *r_y = velocity ? a.r_v : a.r_q, *g_y = velocity ? a.g_v : a.g_q;
    double complex z[2] = {0, 0}, iw = w * (double complex)I;
    if (e->ns == 1)
        z[0] = g_y[0] / (iw - a.g_s[0]);
    if (e->ns == 2) {
        double complex A = iw - a.g_s[0], B = -a.g_s[2], C = -a.g_s[1], D = iw - a.g_s[3], det = A * D - B * C;
        z[0] = (D * g_y[0] - B * g_y[1]) / det;
        z[1] = (A * g_y[1] - C * g_y[0]) / det;
    }
    double complex r = r_y[1];
    for (int i = 0; i < e->ns; i++)
        r += a.r_s[1 + 2 * i] * z[i];
    return -r;
}

static void compare(const ifd_element *e, bool velocity, double w, double complex expected)
{
    double complex got = response(e, velocity, w);
    assert_near(creal(got), creal(expected), 1e-12 * cabs(expected), "%s at %g rad/s, real part", e->name, w);
    assert_near(cimag(got), cimag(expected), 1e-12 * cabs(expected), "%s at %g rad/s, imaginary part", e->name, w);
}

static ifd_element made(const sample *s)
{
    ifd_element e;
    assert_int_equal(sample_make(s, arena, &e, NULL), IFD_OK);
    return e;
}

TEST(filters_and_controllers_have_their_transfer_functions)
{
    const double G = 50, hz = 3, wc = 2 * 3.14159265358979323846 * hz, zeta = 0.4, T1 = 0.3, T2 = 0.05;
    const double kp = 100, ki = 30, kd = 5, T = 0.02;
    for (int velocity = 0; velocity < 2; velocity++) {
        setting kinds = {.name = velocity ? "kinds" : NULL, .data = rate, .rows = 1, .cols = 1};
        setting gain = NUM("gain", G), cutoff = NUM("cutoff", hz), second = NUM("order", 2),
                z = NUM("damping-ratio", zeta);
        ifd_element low1 = made(&(sample){"low-pass", 2, 1, 1, 1, {gain, cutoff, kinds}});
        ifd_element low2 = made(&(sample){"low-pass", 2, 1, 1, 1, {gain, cutoff, second, z, kinds}});
        ifd_element high1 = made(&(sample){"high-pass", 2, 1, 1, 1, {gain, cutoff, kinds}});
        ifd_element high2 = made(&(sample){"high-pass", 2, 1, 1, 1, {gain, cutoff, second, z, kinds}});
        ifd_element wash = made(&(sample){"washout", 2, 1, 1, 1, {gain, NUM("time", T1), kinds}});
        ifd_element lead = made(&(sample){"lead-lag", 2, 1, 1, 1, {gain, NUM("lead", T1), NUM("lag", T2), kinds}});
        ifd_element pid = made(
            &(sample){"pid", 2, 1, 1, 1, {NUM("kp", kp), NUM("ki", ki), NUM("kd", kd), NUM("filter", T), kinds}});
        for (double w = 0.3; w < 1000; w *= 3) {
            double complex s = w * (double complex)I, den = s * s + 2 * zeta * wc * s + wc * wc;
            compare(&low1, velocity, w, G * wc / (s + wc));
            compare(&low2, velocity, w, G * wc * wc / den);
            compare(&high1, velocity, w, G * s / (s + wc));
            compare(&high2, velocity, w, G * s * s / den);
            compare(&wash, velocity, w, G * T1 * s / (1 + T1 * s));
            compare(&lead, velocity, w, G * (1 + T1 * s) / (1 + T2 * s));
            compare(&pid, velocity, w, -(kp + ki / s + kd * s / (1 + T * s)));
        }
    }
}

TEST(a_block_applies_its_force_to_what_it_applies_to_and_nothing_to_what_it_reads)
{
    const double A[] = {-1, 2, 3, -4}, B[] = {1, 0, 0, 2}, C[] = {5, 6}, D[] = {7, 8}, kinds[] = {0, 1};
    const double z0[] = {0.5, -0.25};
    const sample s = {"block",
                      3,
                      1,
                      1,
                      1,
                      {{.name = "A", .data = A, .rows = 2, .cols = 2},
                       {.name = "B", .data = B, .rows = 2, .cols = 2},
                       {.name = "C", .data = C, .rows = 1, .cols = 2},
                       {.name = "D", .data = D, .rows = 1, .cols = 2},
                       {.name = "initial", .data = z0, .rows = 1, .cols = 2},
                       NUM("reads", 2),
                       {.name = "kinds", .data = kinds, .rows = 1, .cols = 2}}};
    ifd_element e = made(&s);
    assert_int_equal(e.ns, 2);
    assert_memory_equal(e.s0, z0, sizeof z0);
    point p = {.q = {0.1, 100, 100}, .v = {100, 0.2, 3}, .s = {10, 20}};
    answer a = answer_at(&e, &p);
    assert_near(a.g[0], -1 * 10 + 2 * 20 + 1 * 0.1, 1e-13, "");
    assert_near(a.g[1], 3 * 10 - 4 * 20 + 2 * 0.2, 1e-13, "");
    double f = 5 * 10 + 6 * 20 + 7 * 0.1 + 8 * 0.2;
    assert_near(a.r[0], 0, 0, "");
    assert_near(a.r[1], 0, 0, "");
    assert_near(a.r[2], -f, 1e-12, "");
    ifd_element_in in = point_in(&p);
    double stored, dissipated;
    e.ops->energy(&e, &in, &stored, &dissipated);
    assert_near(stored, 0, 0, "");
    assert_near(dissipated, -f * 3, 1e-12, "fed into the structure");
}

/* At rest at its target a controller is still and pushes with its integral only. */
TEST(a_controller_at_its_target_is_still)
{
    const sample s = {"pid", 2, 1, 1, 1, {NUM("kp", 100), NUM("ki", 30), NUM("kd", 5), NUM("target", 0.2)}};
    ifd_element e = made(&s);
    point p = {.q = {0.2, 0}, .s = {4, 0.2}};
    answer a = answer_at(&e, &p);
    assert_near(a.g[0], 0, 1e-15, "integral");
    assert_near(a.g[1], 0, 1e-15, "filter");
    assert_near(-a.r[1], 30 * 4, 1e-12, "force");
    point low = {.q = {0.1, 0}, .s = {0, 0.1}};
    assert_near(-answer_at(&e, &low).r[1], 100 * 0.1, 1e-12, "pushes up when below");
}

TEST(blocks_of_the_wrong_shape_name_the_matrix)
{
    static const double x[9] = {0}, half[] = {0.5, 2};
#define MAT(which, r, c)                                                                                             \
    {                                                                                                                \
        .name = (which), .data = x, .rows = (r), .cols = (c)                                                         \
    }
    const struct {
        sample s;
        ifd_status expected;
        const char *words;
    } bad[] = {
        {{"block", 2, 1, 1, 1, {MAT("A", 2, 3), MAT("B", 2, 1), MAT("C", 1, 2)}},
         IFD_SHAPE,
         "'A' is 2 x 3; expected 2 x 2"},
        {{"block", 2, 1, 1, 1, {MAT("A", 2, 2), MAT("B", 1, 2), MAT("C", 1, 2)}},
         IFD_SHAPE,
         "'B' is 1 x 2; expected 2 x 1"},
        {{"block", 2, 1, 1, 1, {MAT("A", 2, 2), MAT("B", 2, 1), MAT("C", 2, 2)}},
         IFD_SHAPE,
         "'C' is 2 x 2; expected 1 x 2"},
        {{"block", 2, 1, 1, 1, {MAT("D", 1, 2)}}, IFD_SHAPE, "'D' is 1 x 2; expected 1 x 1"},
        {{"block", 2, 1, 1, 1, {MAT("D", 1, 1), MAT("initial", 1, 2)}},
         IFD_SHAPE,
         "'initial' is 1 x 2; expected 1 x 0"},
        {{"block", 2, 1, 1, 1, {MAT("A", 2, 2), MAT("C", 1, 2)}}, IFD_MISSING_KEY, "no 'B'"},
        {{"block", 2, 1, 1, 1, {{0}}}, IFD_MISSING_KEY, "'D'"},
        {{"block", 2, 1, 1, 1, {MAT("D", 1, 1), NUM("reads", 2)}}, IFD_SHAPE, "reads 2 of its 2"},
        {{"block", 3, 1, 1, 1, {MAT("D", 1, 2), NUM("reads", 2), MAT("kinds", 1, 1)}}, IFD_SHAPE, "'kinds' has 1"},
        {{"block",
          3,
          1,
          1,
          1,
          {MAT("D", 1, 2), NUM("reads", 2), {.name = "kinds", .data = half, .rows = 1, .cols = 2}}},
         IFD_RANGE,
         "'kinds' is 2"},
        {{"pid", 3, 1, 1, 1, {NUM("kp", 1)}}, IFD_SHAPE, "2 outputs"},
        {{"low-pass", 2, 1, 1, 1, {NUM("gain", 1), NUM("cutoff", 1), NUM("order", 1.5)}},
         IFD_RANGE,
         "'order' is 1.5"},
    };
    for (size_t i = 0; i < COUNT(bad); i++) {
        ifd_note_init(&note, arena);
        ifd_element e;
        assert_int_equal(sample_make(&bad[i].s, arena, &e, &note), bad[i].expected);
        assert_int_equal(note.errors, 1);
        if (!strstr(note.first->text, bad[i].words))
            fail_msg("'%s' does not say \"%s\"", note.first->text, bad[i].words);
    }
}

TESTS_WITH(open_arena, close_arena)
