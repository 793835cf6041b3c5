/* SPDX-License-Identifier: MIT */
/* Model-based methods against values of an independent computation with the matrices of the papers, A1, A2 and A3. */
#include "method/fixtures.h"

#include <interfield/analysis.h>

#include "method/stepper.h"

/* Offset in x of a row by its name. */
static int row_of(const ifd_stepper *s, const char *name)
{
    int rows;
    const ifd_state_row *row = ifd_stepper_states(s, &rows);
    for (int i = 0; i < rows; i++)
        if (strcmp(row[i].name, name) == 0)
            return row[i].offset;
    fail_msg("no row '%s'", name);
    return -1;
}

/* value: rho, or alpha of alpha-os. */
typedef struct row {
    const char *method;
    double value;
} row;

static double gamma_of(row r)
{
    double rho = r.value, p3 = rho * rho * rho;
    if (strcmp(r.method, "alpha-os") == 0)
        return 0; /* its velocity does not lag */
    if (strcmp(r.method, "cr") == 0)
        return 0.5;
    double am = strcmp(r.method, "kr-alpha") == 0 ? (2 * rho - 1) / (rho + 1)
                                                  : (2 * p3 + rho * rho - 1) / (p3 + rho * rho + rho + 1);
    return 0.5 - am + rho / (rho + 1);
}

static ifd_step_options options_of(row r, double h)
{
    if (strcmp(r.method, "cr") == 0)
        return options("cr", h, NULL);
    const char *name = strcmp(r.method, "alpha-os") == 0 ? "alpha" : "rho";
    return options(r.method, h, (pair[]){{name, r.value, NULL}, {0}});
}

TEST_IN_ARENA(the_spectral_radius_is_that_of_the_paper)
{
    const double omega[] = {0.1, 1, 10, 1000};
    const struct {
        row r;
        double radius[4];
    } rows[] = {{{"kr-alpha", 1}, {1, 1, 1, 1}},
                {{"kr-alpha", 0}, {0.999951918, 0.906563333, 0.242535625, 0.0100664912}},
                {{"mkr-alpha", 1}, {1, 1, 1, 1}},
                {{"mkr-alpha", 0}, {0.999951918, 0.906563333, 0.242535625, 0.0100664912}},
                {{"cr", 1}, {1, 1, 1, 1}},
                {{"alpha-os", 0}, {1, 1, 1, 1}},
                {{"alpha-os", 1 / 3.0}, {0.99999816, 0.989312786, 0.682528421, 0.507847168}}};
    for (size_t k = 0; k < COUNT(rows); k++) {
        ifd_step_options opt = options_of(rows[k].r, 1);
        ifd_spectrum_row found[4];
        assert_int_equal(ifd_spectrum(&opt, 0, 4, omega, found, NULL), IFD_OK);
        for (int i = 0; i < 4; i++)
            assert_near_rel(found[i].radius, rows[k].radius[i], 1e-8, "%s %g at %g", rows[k].r.method,
                            rows[k].r.value, omega[i]);
    }
}

/* u'' + 0.1 u' + u = sin 2t from u = v = 1. */
static ifd_model *driven(ifd_arena *arena)
{
    ifd_builder *b = oscillator_builder(arena, 1, 0.1, 1, 1, 1);
    ifd_builder_force(b, 0, signal_of(arena, "sine", "amplitude", 1.0, "frequency", 1 / acos(-1), NULL));
    return made(arena, b);
}

/* As the paper starts: its own velocity, which lags by gamma h, is v0. */
static void start_plain(const ifd_stepper *s, row r, double *x)
{
    x[1] += gamma_of(r) * s->h * x[row_of(s, "a")];
    x[row_of(s, "z")] = x[row_of(s, "a")];
}

static double *run_driven(ifd_arena *arena, row r, double h, bool plain)
{
    ifd_step_options opt = options_of(r, h);
    ifd_stepper *s = stepper_of(arena, &opt, driven(arena));
    double *x = state_of(arena, s);
    if (plain)
        start_plain(s, r, x);
    advance_steps(s, 0, lround(10 / h), x);
    if (plain)
        x[1] -= gamma_of(r) * h * x[row_of(s, "a")];
    return x;
}

TEST_IN_ARENA(both_starts_reach_the_values_of_the_catalogue)
{
    const struct {
        row r;
        bool plain;
        double u, v;
    } rows[] = {{{"kr-alpha", 1}, true, -1.37150757, -0.823828198},
                {{"kr-alpha", 1}, false, -1.38904837, -0.733678429},
                {{"kr-alpha", 0}, true, -1.31710859, -0.988461415},
                {{"kr-alpha", 0}, false, -1.36612969, -0.759930967},
                {{"mkr-alpha", 1}, true, -1.36497481, -0.836083544},
                {{"mkr-alpha", 1}, false, -1.38216347, -0.746686075},
                {{"mkr-alpha", 0}, true, -1.31710859, -0.988461415},
                {{"cr", 1}, true, -1.37150757, -0.823828198},
                {{"cr", 1}, false, -1.38911528, -0.733819706},
                {{"alpha-os", 0}, false, -1.3845641, -0.732804597},
                {{"alpha-os", 1 / 3.0}, false, -1.38096054, -0.736050811}};
    for (size_t k = 0; k < COUNT(rows); k++) {
        const double *x = run_driven(*state, rows[k].r, 0.1, rows[k].plain);
        assert_near(x[0], rows[k].u, 5e-9, "u, %s %g", rows[k].r.method, rows[k].r.value);
        assert_near(x[1], rows[k].v, 5e-10, "v, %s %g", rows[k].r.method, rows[k].r.value);
    }
}

TEST_IN_ARENA(the_shifted_start_makes_it_second_order)
{
    const double exact[2] = {-1.39192413, -0.72586046};
    const struct {
        row r;
        bool plain;
        double order[2];
    } rows[] = {{{"kr-alpha", 1}, true, {1.02, 1.01}},  {{"kr-alpha", 1}, false, {2, 2}},
                {{"kr-alpha", 0}, true, {1.05, 1}},     {{"kr-alpha", 0}, false, {2.04, 1.97}},
                {{"mkr-alpha", 1}, true, {1.07, 1.03}}, {{"mkr-alpha", 1}, false, {2, 2}},
                {{"cr", 1}, true, {1.02, 1.01}},        {{"cr", 1}, false, {2, 2}},
                {{"alpha-os", 0}, false, {2, 2}},       {{"alpha-os", 1 / 3.0}, false, {2, 2}}};
    for (size_t k = 0; k < COUNT(rows); k++) {
        const double *a = run_driven(*state, rows[k].r, 0.02, rows[k].plain),
                     *b = run_driven(*state, rows[k].r, 0.01, rows[k].plain);
        for (int i = 0; i < 2; i++)
            assert_near(log2((a[i] - exact[i]) / (b[i] - exact[i])), rows[k].order[i], 0.0055, "%s %g, %s %d",
                        rows[k].r.method, rows[k].r.value, rows[k].plain ? "plain" : "shifted", i);
    }
}

/* From u = 1, v = 0 at Omega = 20 pi, with the paper's start and its velocity. */
TEST_IN_ARENA(the_overshoot_is_that_of_the_catalogue)
{
    const struct {
        row r;
        double u, v;
    } rows[] = {{{"kr-alpha", 1}, 30.3250092, 0.95592957},
                {{"kr-alpha", 0}, 0.999493522, 0.0159114639},
                {{"mkr-alpha", 1}, 1.01007041, 0.031814871},
                {{"mkr-alpha", 0}, 0.999493522, 0.0159114639},
                {{"cr", 1}, 30.3250092, 0.95592957},
                {{"alpha-os", 0}, 0.997975627, 0.95592957},
                {{"alpha-os", 1 / 3.0}, 0.686058593, 3.99224938}};
    const double omega = 20 * acos(-1);
    for (size_t k = 0; k < COUNT(rows); k++) {
        ifd_step_options opt = options_of(rows[k].r, 1);
        ifd_stepper *s = stepper_of(*state, &opt, oscillator(*state, 1, 0, omega * omega, 1, 0));
        double *x = state_of(*state, s), u = 0, v = 0;
        if (gamma_of(rows[k].r) > 0)
            start_plain(s, rows[k].r, x);
        for (int i = 0; i < 20; i++) {
            advance_steps(s, i, 1, x);
            u = fmax(u, fabs(x[0]));
            v = fmax(v, fabs(x[1] - gamma_of(rows[k].r) * x[row_of(s, "a")]) / omega);
        }
        assert_near_rel(u, rows[k].u, 1e-8, "u, %s %g", rows[k].r.method, rows[k].r.value);
        assert_near_rel(v, rows[k].v, 1e-8, "v, %s %g", rows[k].r.method, rows[k].r.value);
    }
}

TEST_IN_ARENA(a_softening_frame_moves_as_in_the_catalogue)
{
    const struct {
        row r;
        double u[3][2], v;
    } rows[] = {{{"kr-alpha", 1},
                 {{-0.0136416082, -0.0224564529}, {-0.00822563543, -0.0136043867}, {0.0142427234, 0.0238158667}},
                 0.0611806575},
                {{"kr-alpha", 0.5},
                 {{-0.0130273028, -0.021401895}, {-0.00940746621, -0.0156978065}, {0.0132975645, 0.0220058626}},
                 0.078193124},
                {{"mkr-alpha", 1},
                 {{-0.0116759054, -0.0192207013}, {-0.011444878, -0.0194180813}, {0.0115536842, 0.0185369659}},
                 -0.00947667807},
                {{"mkr-alpha", 0.5},
                 {{-0.0110734648, -0.0182890793}, {-0.0124041786, -0.0208073584}, {0.0117915735, 0.0190705891}},
                 -0.0399242661},
                {{"cr", 1},
                 {{-0.0136416082, -0.0224564529}, {-0.00822563543, -0.0136043867}, {0.0142427234, 0.0238158667}},
                 0.0611806575},
                {{"alpha-os", 0},
                 {{-0.0134871324, -0.0222291033}, {-0.00814416593, -0.0134807433}, {0.0140912097, 0.0235617216}},
                 0.010351639},
                {{"alpha-os", 0.2},
                 {{-0.0129270405, -0.0212863538}, {-0.00901137466, -0.0150359549}, {0.0132351218, 0.0219662447}},
                 0.0114060044}};
    const long at[] = {100, 200, 400};
    for (size_t k = 0; k < COUNT(rows); k++) {
        ifd_step_options opt = options_of(rows[k].r, 0.01);
        ifd_stepper *s = stepper_of(*state, &opt, softening_storeys(*state));
        double *x = state_of(*state, s);
        for (int i = 0; i < 3; i++) {
            advance_steps(s, i ? at[i - 1] : 0, at[i] - (i ? at[i - 1] : 0), x);
            for (int j = 0; j < 2; j++)
                assert_near_rel(x[j], rows[k].u[i][j], 1e-8, "%s %g, u%d at step %ld", rows[k].r.method,
                                rows[k].r.value, j + 1, at[i]);
        }
        assert_near_rel(x[3] - gamma_of(rows[k].r) * s->h * x[row_of(s, "a") + 1], rows[k].v, 1e-8,
                        "%s %g, the paper's v2", rows[k].r.method, rows[k].r.value);
    }
}

/* A dashpot as an element, or as a specimen that answers the velocity it is asked at, with and without an estimate:
 * second order in each case. */
TEST_IN_ARENA(forces_of_velocity_keep_the_order)
{
    ifd_model *exact = oscillator(*state, 1, 0.4, 9, 1, 0.5), *bare = oscillator(*state, 1, 0, 9, 1, 0.5);
    ifd_builder *b = oscillator_builder(*state, 1, 0, 9, 1, 0.5);
    add_pair(b, "power-dashpot", IFD_GROUND, 0, "coefficient", 0.4, "exponent", 1.0, NULL);
    ifd_model *element = made(*state, b);
    ifd_step_options opt = options("reference", 0.01, NULL);
    const double *truth = run_to(*state, &opt, exact, 2);
    const row rows[] = {{"kr-alpha", 0.75}, {"mkr-alpha", 0.75}, {"cr", 1}, {"alpha-os", 0.1}};
    for (int k = 0; k < 12; k++) {
        int way = k % 3;
        double error[2];
        for (int fine = 0; fine < 2; fine++) {
            double h = fine ? 0.005 : 0.01;
            const ifd_estimate e = {.from = IFD_GROUND, .to = 0, .damping = 0.3};
            opt = options_of(rows[k / 3], h);
            opt.estimates = way == 2;
            opt.estimate = &e;
            ifd_stepper *s = stepper_of(*state, &opt, way ? bare : element);
            double *x = ifd_arena_array(*state, (size_t)ifd_stepper_size(s), sizeof *x), u, v;
            ifd_stepper_initial(s, x);
            ifd_stepper_start(s, 0, way ? (const double[]){-0.4 * x[1]} : NULL, x);
            for (int n = 0; n < lround(2 / h); n++)
                for (int i = 0; i < 2; i++) {
                    ifd_stepper_aim(s, i, n * h, x, &u, &v);
                    ifd_stepper_stage(s, i, n * h, way ? (const double[]){-0.4 * v} : NULL, x);
                }
            error[fine] = hypot(x[0] - truth[0], (x[1] - truth[1]) / 3);
        }
        assert_near(log2(error[0] / error[1]), 2, 0.1, "%s, way %d", rows[k / 3].method, way);
    }
}

/* With its own stiffness alpha-OS is HHT-alpha: to round-off, with the same weight of the old forces. */
TEST_IN_ARENA(alpha_os_of_a_linear_model_is_hht)
{
    ifd_model *m = made(*state, chain_builder(*state, 3, 1, 0.4, 60));
    double *x[2];
    for (int k = 0; k < 2; k++) {
        ifd_step_options opt = options(k ? "hht" : "alpha-os", 0.3, (pair[]){{"alpha", 0.2, NULL}, {0}});
        ifd_stepper *s = stepper_of(*state, &opt, m);
        x[k] = state_of(*state, s);
        x[k][0] = 0.01;
        x[k][4] = -0.2;
        ifd_stepper_start(s, 0, NULL, x[k]);
        advance_steps(s, 0, 50, x[k]);
    }
    for (int i = 0; i < 6; i++)
        assert_near(x[0][i], x[1][i], 1e-13, "component %d", i);
}

/* An elastic-plastic element of alpha-OS ends each step at the corrected displacement: its states do not lose the
 * correction, which would be an error of first order. The force of a slider that never slips is k u. */
TEST_IN_ARENA(elements_of_alpha_os_follow_the_corrected_displacement)
{
    ifd_builder *b = oscillator_builder(*state, 1, 0.1, 1, 0, 0.5);
    add_pair(b, "bilinear", IFD_GROUND, 0, "stiffness", 8.0, "yield", 1e3, NULL);
    ifd_step_options opt = options_of((row){"alpha-os", 0.1}, 0.05);
    const double *x = run_to(*state, &opt, made(*state, b), 10),
                 *linear = run_to(*state, &opt, oscillator(*state, 1, 0.1, 9, 0, 0.5), 10);
    for (int i = 0; i < 2; i++)
        assert_near(x[i], linear[i], 1e-12, "component %d", i);
}

TESTS()
