/* SPDX-License-Identifier: MIT */
/* Dampers with states of their own under a harmonic motion, against values computed independently to ten digits. */
#include <string.h>

#include "check.h"
#include "fixture.h"

#include "element_samples.h"
#include "model/element.h"

static const double pi = 3.14159265358979323846;

typedef struct row {
    double t, r, work; /* work: NAN is not compared */
} row;

typedef struct swing {
    double amplitude, frequency, step; /* m, Hz, s */
    double r, work, s[SAMPLE_MAX];     /* at the last instant */
} swing;

static double force(const ifd_element *e, double t, double q, double v, const double *s)
{
    double r = 0.0;
    const ifd_element_in in = {.t = t, .q = &q, .qd = &v, .qdd = &v, .s = s};
    e->ops->eval(e, &in, &(ifd_element_out){.r = &r});
    return r;
}

/* Steps of `follow` to the end; work by the trapezoidal rule. */
static void swing_to(const ifd_element *e, swing *w, long from, long to)
{
    double omega = 2.0 * pi * w->frequency;
    for (long i = from; i < to; i++) {
        double t0 = (double)i * w->step, t1 = (double)(i + 1) * w->step, q0 = w->amplitude * sin(omega * t0),
               q1 = w->amplitude * sin(omega * t1), v0 = w->amplitude * omega * cos(omega * t0),
               v1 = w->amplitude * omega * cos(omega * t1), before = force(e, t0, q0, v0, w->s);
        const ifd_element_move move = {.from = t0, .to = t1, .q0 = &q0, .v0 = &v0, .q1 = &q1, .v1 = &v1};
        e->ops->follow(e, &move, w->s);
        w->r = force(e, t1, q1, v1, w->s);
        w->work += 0.5 * w->step * (before * v0 + w->r * v1);
    }
}

static ifd_element made(const sample *s)
{
    ifd_element e;
    assert_int_equal(sample_make(s, arena, &e, NULL), IFD_OK);
    return e;
}

/* Forces to 1e-5 of the largest, work to 1e-5 of itself. */
static void compare(const ifd_element *e, swing w, int rows, const row *list, double largest, double work_tolerance)
{
    long at = 0;
    for (int i = 0; i < rows; i++) {
        long to = lround(list[i].t / w.step);
        swing_to(e, &w, at, to);
        at = to;
        assert_near(w.r, list[i].r, 1e-5 * largest, "%s, force at %g s", e->name, list[i].t);
        if (!isnan(list[i].work))
            assert_near_rel(w.work, list[i].work, work_tolerance, "%s, work at %g s", e->name, list[i].t);
    }
}

TEST(the_mr_damper_gives_the_catalogue_at_constant_voltage)
{
    const sample s = {"mr-damper", 1, 1,
                      1,           1, {{.name = "voltage", .number = 1.5}, {.name = "substeps", .number = 2}}};
    static const row table[] = {{0.02, 1168.44492, 4.66930417}, {0.1, 21.8620905, 15.6179},
                                {0.4, 1193.48012, 67.6064731},  {0.55, -1128.47414, 88.4463729},
                                {0.8, 1193.47972, 136.094013},  {1, -1336.46578, 170.337785}};
    ifd_element e = made(&s);
    compare(&e, (swing){.amplitude = 0.015, .frequency = 2.5, .step = 2e-5}, COUNT(table), table, 1336.0, 1e-5);
    swing w = {.amplitude = 0.015, .frequency = 2.5, .step = 2e-5};
    swing_to(&e, &w, 0, 1000);
    assert_near_rel(w.s[0], 0.000753819759, 1e-5, "y at 0.02 s");
    assert_near_rel(w.s[1], 0.00643894829, 1e-8, "z at its limit");
    swing_to(&e, &w, 1000, 5000);
    assert_near_rel(w.s[0], 0.00358886374, 1e-5, "y at 0.1 s");
    assert_near(w.s[1], 0.000339835006, 1e-5 * 0.00643894829, "z where the motion turns");
}

TEST(the_mr_damper_gives_the_catalogue_after_a_jump_of_the_voltage)
{
    static const double jump[] = {0, 0, 0.5, 2.25};
    const sample s = {
        "mr-damper", 1,
        1,           1,
        1,           {{.name = "schedule", .data = jump, .rows = 2, .cols = 2}, {.name = "substeps", .number = 2}}};
    static const row table[] = {{0.02, 471.364602, 2.20522472}, {0.1, 65.4040211, 6.11603626},
                                {0.4, 473.076192, 26.7646834},  {0.55, -1454.54347, 38.5187096},
                                {0.8, 1558.01009, 99.8463694},  {1, -1675.81779, 144.221324}};
    ifd_element e = made(&s);
    compare(&e, (swing){.amplitude = 0.015, .frequency = 2.5, .step = 2e-5}, COUNT(table), table, 1675.0, 1e-5);
}

/* At 1/1024 s LSRT2 on its states alone is 1.1 % off in the force and 15 % in the work at 1 s. */
TEST(a_step_of_a_millisecond_is_enough_for_the_mr_damper)
{
    const sample s = {"mr-damper", 1, 1, 1, 1, {{.name = "voltage", .number = 1.5}}};
    ifd_element e = made(&s);
    swing w = {.amplitude = 0.015, .frequency = 2.5, .step = 1.0 / 1024};
    swing_to(&e, &w, 0, 1024);
    assert_near_rel(w.r, -1336.46578, 1e-3, "force");
    assert_near_rel(w.work, 170.337785, 1e-3, "work");
    assert_near(e.ops->relaxations(&e, 1.0 / 1024, true), 4.6, 0.5, "relaxations of z in a part");
    assert_near_rel(e.ops->relaxations(&e, 1.0 / 1024, false), 2.0 * 301 * 0.25 / 6.43894829e-3 / 1024, 1e-6,
                    "alone");
}

static const double one[] = {2e6, 5e4}, several[] = {2e6, 5e4, 5e5, 1e5, 1e5, 1e5}, power[] = {2e6, 2e5, 0.4};

TEST(maxwell_gives_the_catalogue)
{
    static const row linear[] = {{0.01, 2069.93985, 1.38624781},  {0.05, 5299.55396, 21.7010822},
                                 {0.33, -2110.01663, 89.8515245}, {0.5, -6131.88707, 173.838894},
                                 {1, 6131.88706, 366.477807},     {1.6, -5526.9524, 630.131114}};
    static const row general[] = {{0.01, 3184.09889, (double)NAN}, {0.05, 10487.6812, (double)NAN},
                                  {0.33, 6566.80159, (double)NAN}, {0.5, -11902.8891, (double)NAN},
                                  {1, 11167.6137, (double)NAN},    {1.6, -18056.3007, (double)NAN}};
    static const row bent[] = {{0.01, 2511.51974, 1.57703155}, {0.05, 12333.2257, 38.1592233},
                               {0.33, 29567.6244, 309.240732}, {0.5, -6297.07038, 110.257161},
                               {1, 2822.64162, 266.135196},    {1.6, -27665.6348, 587.637478}};
    const sample a = {"maxwell", 1, 1, 1, 1, {{.name = "branches", .data = one, .rows = 1, .cols = 2}}};
    const sample b = {
        "maxwell",
        1,
        1,
        1,
        1,
        {{.name = "branches", .data = several, .rows = 3, .cols = 2}, {.name = "stiffness", .number = 3e5}}};
    const sample c = {"maxwell", 1, 1, 1, 1, {{.name = "branches", .data = power, .rows = 1, .cols = 3}}};
    ifd_element e = made(&a);
    compare(&e, (swing){.amplitude = 0.02, .frequency = 1.0, .step = 1e-4}, COUNT(linear), linear, 6132.0, 1e-5);
    e = made(&b);
    compare(&e, (swing){.amplitude = 0.02, .frequency = 1.0, .step = 1e-4}, COUNT(general), general, 18056.0, 1e-5);
    e = made(&c);
    compare(&e, (swing){.amplitude = 0.02, .frequency = 1.0, .step = 1e-4}, COUNT(bent), bent, 29568.0, 1e-5);
}

/* f = (k A w T/(1 + w^2 T^2)) (cos wt + w T sin wt - exp(-t/T)), T = c/k. */
TEST(a_linear_branch_converges_to_its_closed_form_with_order_two)
{
    const sample a = {"maxwell", 1, 1, 1, 1, {{.name = "branches", .data = one, .rows = 1, .cols = 2}}};
    double k = 2e6, T = 5e4 / k, omega = 2 * pi, t = 0.33, error[3];
    double exact = k * 0.02 * omega * T / (1 + omega * omega * T * T) *
                   (cos(omega * t) + omega * T * sin(omega * t) - exp(-t / T));
    ifd_element e = made(&a);
    for (int i = 0; i < 3; i++) {
        swing w = {.amplitude = 0.02, .frequency = 1.0, .step = 0.01 / (1 << i)};
        swing_to(&e, &w, 0, lround(t / w.step));
        error[i] = fabs(w.r - exact);
    }
    assert_near(log2(error[0] / error[1]), 2.0, 0.1, "order");
    assert_near(log2(error[1] / error[2]), 2.0, 0.1, "order");
}

/* Every exponent, slow and fast, far above the step that an explicit method could take: bounded by the dashpot. */
TEST(a_stiff_power_branch_settles_at_the_force_of_its_dashpot)
{
    static const double exponent[] = {0.11, 0.3, 0.5, 0.9, 1.1, 1.5, 2.0};
    for (size_t i = 0; i < COUNT(exponent); i++)
        for (int way = -1; way <= 1; way += 2) {
            const double branch[] = {1e9, 3e4, exponent[i]};
            const sample a = {"maxwell", 1, 1, 1, 1, {{.name = "branches", .data = branch, .rows = 1, .cols = 3}}};
            ifd_element e = made(&a);
            double s = 0.0, v = 0.2 * way, q = 0.0;
            for (int n = 0; n < 100; n++) {
                double next = q + 1e-3 * v;
                const ifd_element_move move = {
                    .from = 1e-3 * n, .to = 1e-3 * (n + 1), .q0 = &q, .v0 = &v, .q1 = &next, .v1 = &v};
                e.ops->follow(&e, &move, &s);
                q = next;
            }
            assert_near_rel(s, way * 3e4 * pow(0.2, exponent[i]), 1e-9, "a = %g", exponent[i]);
        }
}

TEST(closed_cycles_dissipate_and_the_law_is_odd)
{
    const sample list[] = {
        {"mr-damper", 1, 1, 1, 1, {{.name = "x0", .number = 0}, {.name = "voltage", .number = 0.7}}},
        {"maxwell", 1, 1, 1, 1, {{.name = "branches", .data = power, .rows = 1, .cols = 3}}}};
    for (size_t i = 0; i < COUNT(list); i++) {
        ifd_element e = made(&list[i]);
        swing up = {.amplitude = 0.01, .frequency = 2.0, .step = 1e-3}, down = up;
        down.amplitude = -0.01;
        swing_to(&e, &up, 0, 1000);
        swing_to(&e, &down, 0, 1000);
        assert_near_rel(up.r, -down.r, 1e-12, "%s is odd", e.name);
        double before = up.work;
        swing_to(&e, &up, 1000, 2000);
        assert_true(up.work > before);
    }
}

/* Above a = 1 the tangent is unbounded at zero: beside it. */
TEST(the_tangent_of_a_dashpot_above_exponent_one_is_exact_beside_zero)
{
    const double branch[] = {4e5, 3e4, 1.5}, h = 1e-2;
    const sample a = {"maxwell", 1, 1, 1, 1, {{.name = "branches", .data = branch, .rows = 1, .cols = 3}}};
    ifd_element e = made(&a);
    for (double f = -2000; f <= 2000; f += 137) {
        point p = {.v = {0.1}, .s = {f}}, low = p, high = p;
        low.s[0] -= h;
        high.s[0] += h;
        double slope = (answer_at(&e, &high).g[0] - answer_at(&e, &low).g[0]) / (2 * h);
        assert_near_rel(answer_at(&e, &p).g_s[0], slope, 1e-6, "at %g N", f);
    }
    point zero = {.v = {0.1}};
    assert_true(isfinite(answer_at(&e, &zero).g_s[0]));
}

/* States of a controlled damper by `follow`, with a motion of constant velocity, against small steps of its rates. */
TEST(a_controlled_damper_follows_its_rates)
{
    static const double law[] = {1, 1, 1, -30, 25, 2, 0.5, 0.1, 0.4};
    const sample a = {"mr-damper", 2, 1, 1, 1, {{.name = "x0"}, {.name = "law", .data = law, .rows = 1, .cols = 9}}};
    ifd_element e = made(&a);
    const double v[2] = {0.2, 0.3}, h = 4e-3;
    assert_int_equal(e.ns, 4);
    double s[4] = {0.001, 0.002, 0.3, 0.02}, slow[4] = {0.001, 0.002, 0.3, 0.02};
    const double q0[2] = {0.01, 0.02}, q1[2] = {q0[0] + h * v[0], q0[1] + h * v[1]};
    e.ops->follow(&e, &(ifd_element_move){.from = 0, .to = h, .q0 = q0, .v0 = v, .q1 = q1, .v1 = v}, s);
    const int steps = 40000;
    for (int i = 0; i < steps; i++) {
        double g[4] = {0}, t = (i + 0.5) * h / steps, middle[4], q[2] = {q0[0] + t * v[0], q0[1] + t * v[1]};
        e.ops->eval(&e, &(ifd_element_in){.t = t, .q = q, .qd = v, .qdd = v, .s = slow}, &(ifd_element_out){.g = g});
        for (int j = 0; j < 4; j++)
            middle[j] = slow[j] + 0.5 * h / steps * g[j];
        memset(g, 0, sizeof g);
        e.ops->eval(&e, &(ifd_element_in){.t = t, .q = q, .qd = v, .qdd = v, .s = middle},
                    &(ifd_element_out){.g = g});
        for (int j = 0; j < 4; j++)
            slow[j] += h / steps * g[j];
    }
    /* The law: z = z0 e^(-30 t) + (25 v + 0.1)/30 (1 - e^(-30 t)) */
    double z = 0.02 * exp(-30 * h) + (25 * 0.3 + 0.1) / 30 * (1 - exp(-30 * h));
    assert_near_rel(slow[3], z, 1e-6, "z in small steps");
    assert_near_rel(s[3], z, 1e-4, "z");
    assert_near_rel(s[2], slow[2], 1e-3, "w");
    assert_near_rel(s[1], slow[1], 1e-3, "hysteresis");
    assert_near_rel(s[0], slow[0], 1e-3, "y");
}

TEST(wrong_parameters_are_told)
{
    static const double exponent[] = {2e6, 5e4, 0.1}, four[] = {1, 2, 3, 4}, back[] = {0, 1, 2, 1, 1, 1},
                        late[] = {0.5, 1}, none[] = {0, 3}, five[] = {1, 2, 3, 4, 5};
    const sample bad[] = {
        {"maxwell", 1, 1, 1, 1, {{.name = "branches", .data = exponent, .rows = 1, .cols = 3}}},
        {"maxwell", 1, 1, 1, 1, {{.name = "branches", .data = four, .rows = 1, .cols = 4}}},
        {"mr-damper", 1, 1, 1, 1, {{.name = "schedule", .data = back, .rows = 3, .cols = 2}}},
        {"mr-damper", 1, 1, 1, 1, {{.name = "schedule", .data = late, .rows = 1, .cols = 2}}},
        {"mr-damper",
         1,
         1,
         1,
         1,
         {{.name = "schedule", .data = four, .rows = 2, .cols = 2}, {.name = "voltage", .number = 1}}},
        {"mr-damper", 1, 1, 1, 1, {{.name = "c1", .data = none, .rows = 1, .cols = 2}}},
        {"mr-damper", 1, 1, 1, 1, {{.name = "alpha", .data = five, .rows = 1, .cols = 5}}}};
    const ifd_status code[] = {IFD_RANGE, IFD_SHAPE, IFD_RANGE, IFD_RANGE, IFD_CONFLICT, IFD_RANGE, IFD_SHAPE};
    for (size_t i = 0; i < COUNT(bad); i++) {
        ifd_note found;
        ifd_element e;
        ifd_note_init(&found, arena);
        assert_int_equal(sample_make(&bad[i], arena, &e, &found), code[i]);
        assert_int_equal(found.errors, 1);
    }
}

TESTS_WITH(open_arena, close_arena)
