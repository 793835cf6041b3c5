/* SPDX-License-Identifier: MIT */
/* Stability by probing the ticks of a run. */
#include "hybrid/cut.h"

#include "analysis/stability.h"
#include "model/model.h"

/* One model: compared with the spectrum of the method. */
TEST_IN_ARENA(a_single_model_has_the_spectrum_of_its_method)
{
    static const struct {
        const char *method;
        pair set[2];
    } of[] = {{"lsrt2", {{0}}},    {"lsrt2", {{"gamma", 0, "plus"}}},           {"lsrt1", {{0}}}, {"newmark", {{0}}},
              {"mg-alpha", {{0}}}, {"generalized-alpha", {{"rho", 0.5, NULL}}}, {"chang", {{0}}}, {"hht", {{0}}}};
    const double omega[] = {0.1, 1, 2.5}, zeta = 0.02;
    for (size_t k = 0; k < COUNT(of); k++)
        for (size_t o = 0; o < COUNT(omega); o++) {
            ifd_step_options opt = options(of[k].method, 0.01, of[k].set);
            ifd_spectrum_row row;
            assert_int_equal(ifd_spectrum(&opt, zeta, 1, &omega[o], &row, NULL), IFD_OK);
            double w = omega[o] / opt.h;
            ifd_run_options run = {
                .model = oscillator(*state, 2, 4 * zeta * w, 2 * w * w, 1, 0), .step = opt, .end = 1};
            ifd_stability s = stability(*state, &run);
            assert_near_rel(s.radius, row.radius, 1e-11, "%s Omega %g, radius", of[k].method, omega[o]);
            assert_int_equal(s.modes, 1);
            assert_true(s.mode[0].resolved);
            assert_near(s.mode[0].damping, row.damping, 1e-10, "%s Omega %g, damping", of[k].method, omega[o]);
            assert_near(s.mode[0].frequency_error, row.frequency_error, 1e-10, "%s Omega %g", of[k].method, omega[o]);
            assert_near_rel(s.mode[0].exact_damping, zeta / sqrt(1 - zeta * zeta), 1e-10, "exact");
            assert_near_rel(s.mode[0].frequency, w * sqrt(1 - zeta * zeta) / (2 * acos(-1)), 1e-11, "frequency");
            assert_near(s.spurious, row.spurious, 1e-7, "%s Omega %g, spurious", of[k].method, omega[o]);
        }
}

TEST_IN_ARENA(newmark_without_damping_has_radius_one)
{
    ifd_run_options run = {.model = made(*state, chain_builder(*state, 6, 1, 0, 50)),
                           .step = options("newmark", 0.05, NULL)};
    ifd_stability s = stability(*state, &run);
    assert_near(s.radius, 1, 1e-12, "radius");
    assert_int_equal(s.modes, 6);
    assert_int_equal(s.states, 18);
    assert_int_equal(s.zeros, 6); /* the accelerations follow from the rest */
    for (int i = 0; i < 6; i++) {
        /* Average acceleration turns by 2 atan(Omega / 2) in a step. */
        double omega = s.mode[i].omega, turn = 2 * atan(omega / 2);
        assert_true(s.mode[i].resolved);
        assert_near(s.mode[i].frequency_error, 1 - turn / omega, 1e-11, "mode %d", i);
        assert_near(s.mode[i].damping, 0, 1e-11, "mode %d", i);
    }
}

/* A cantilever of length 1 (EI = m = 1) under a load P that follows its tip: beam elements with their geometric
 * stiffness, and the moment arm of the load at the tip, which makes K unsymmetric. */
static const ifd_model *beck(ifd_arena *arena, int elements, double P)
{
    ifd_builder *b = ifd_builder_make(arena);
    double h = 1.0 / elements, h2 = h * h;
    const double k[4][4] = {{12, 6 * h, -12, 6 * h},
                            {6 * h, 4 * h2, -6 * h, 2 * h2},
                            {-12, -6 * h, 12, -6 * h},
                            {6 * h, 2 * h2, -6 * h, 4 * h2}};
    const double g[4][4] = {{36, 3 * h, -36, 3 * h},
                            {3 * h, 4 * h2, -3 * h, -h2},
                            {-36, -3 * h, 36, -3 * h},
                            {3 * h, -h2, -3 * h, 4 * h2}};
    const double m[4][4] = {{156, 22 * h, 54, -13 * h},
                            {22 * h, 4 * h2, 13 * h, -3 * h2},
                            {54, 13 * h, 156, -22 * h},
                            {-13 * h, -3 * h2, -22 * h, 4 * h2}};
    for (int i = 0; i < 2 * elements; i++) {
        char name[16];
        snprintf(name, sizeof name, "x%d", i);
        ifd_builder_dof(b, name, i % 2 ? IFD_DOF_ANGLE : IFD_DOF_X);
    }
    for (int e = 0; e < elements; e++)
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++) {
                int row = 2 * e - 2 + i, column = 2 * e - 2 + j; /* the first node is fixed */
                if (row < 0 || column < 0)
                    continue;
                ifd_builder_add(b, IFD_STIFFNESS, row, column, k[i][j] / (h2 * h) - P * g[i][j] / (30 * h));
                ifd_builder_add(b, IFD_MASS, row, column, m[i][j] * h / 420);
            }
    ifd_builder_add(b, IFD_STIFFNESS, 2 * elements - 2, 2 * elements - 1, P);
    return made(arena, b);
}

/* Flutter begins at P = 20.05 EI/L^2, at 11.02 rad/s (Beck 1952). 120 dofs have the sparse factor of an
 * unsymmetric matrix. */
TEST_IN_ARENA(a_column_under_a_following_load_flutters_above_the_load_of_beck)
{
    static const double load[] = {20.0, 20.1};
    for (size_t k = 0; k < COUNT(load); k++) {
        ifd_run_options run = {.model = beck(*state, 60, load[k]), .step = options("newmark", 2e-3, NULL)};
        assert_int_equal(ifd_model_dofs(run.model), 120);
        assert_false(run.model->symmetric);
        ifd_stability s = stability(*state, &run);
        if (k == 0)
            assert_near(s.radius, 1.0, 1e-8, "below");
        else {
            assert_true(s.radius > 1.0005 && s.radius < 1.0015);
            assert_near_rel(2 * acos(-1) * s.mode[0].frequency, 11.02, 2e-3, "frequency");
        }
    }
}

/* Modes of a chain far apart in frequency, at a step that turns the highest by more than a quarter: shapes tell
 * them apart. */
TEST_IN_ARENA(modes_are_told_apart_by_their_shapes)
{
    ifd_builder *b = chain_builder(*state, 8, 1, 0, 100);
    ifd_builder_rayleigh(b, 0.1, 1e-4);
    ifd_run_options run = {.model = made(*state, b), .step = options("newmark", 0.1, NULL)};
    ifd_stability s = stability(*state, &run);
    for (int i = 0; i < s.modes; i++) {
        if (!s.mode[i].resolved)
            continue;
        double omega = s.mode[i].omega, turn = 2 * atan(omega / 2);
        assert_near(s.mode[i].frequency_error, 1 - turn / omega, 2e-3, "mode %d, Omega %g", i, omega);
    }
    assert_true(s.mode[s.modes - 1].omega > 1.9);
}

TEST_IN_ARENA(the_critical_step_of_central_difference_is_two_over_the_highest_frequency)
{
    ifd_run_options one = {.model = oscillator(*state, 2, 0, 2 * 81, 0, 0),
                           .step = options("central-difference", 0.01, NULL)};
    ifd_critical_step c;
    assert_int_equal(ifd_stability_critical(*state, &one, NULL, &c, NULL), IFD_OK);
    assert_true(c.found);
    assert_near_rel(c.step, 2.0 / 9, 1e-6, "single dof");
    assert_near_rel(c.omega, 2.0, 1e-6, "Omega");
    assert_true(c.radius > 1.1);
    ifd_run_options chain = {.model = made(*state, chain_builder(*state, 5, 1, 0, 200)),
                             .step = options("central-difference", 0.001, NULL)};
    ifd_modes modes;
    assert_int_equal(ifd_model_modes(chain.model, IFD_DOF_X, 5, *state, &modes, NULL), IFD_OK);
    assert_int_equal(ifd_stability_critical(*state, &chain, NULL, &c, NULL), IFD_OK);
    assert_near_rel(c.step, 1 / (acos(-1) * modes.frequency[4]), 1e-6, "chain");
}

TEST_IN_ARENA(an_unconditionally_stable_method_has_no_critical_step)
{
    ifd_run_options run = {.model = oscillator(*state, 1, 0, 9, 0, 0), .step = options("lsrt2", 0.01, NULL)};
    ifd_critical_step c;
    assert_int_equal(ifd_stability_critical(*state, &run, NULL, &c, NULL), IFD_OK);
    assert_false(c.found);
    assert_true(c.omega >= 1000);
}

TEST_IN_ARENA(built_matrices_are_found_defective_or_not)
{
    static const struct {
        double A[9];
        int defective;
        const char *what;
    } of[] = {
        {{1, 0, 0, 1, 1, 0, 0, 0, 0.5}, 1, "a Jordan block of one"},
        {{1, 0, 0, 0, 1, 0, 0, 0, 0.5}, 0, "one twice, with two eigenvectors"},
        {{0.5, 0, 0, 1, 0.5, 0, 0, 0, 1}, 0, "a block well inside does no harm"},
        {{-1, 0, 0, 3, -1, 0, 0, 0, 1}, 1, "minus one"},
        {{1, 0, 0, 1e-3, 1, 0, 0, 0, 0.2}, 1, "a weak link"},
    };
    for (size_t k = 0; k < COUNT(of); k++) {
        ifd__roots r;
        int count;
        assert_int_equal(ifd__roots_find(*state, 3, of[k].A, false, &r, NULL), IFD_OK);
        assert_int_equal(ifd__count_defective(&r, of[k].A, 1e-10, &count), IFD_OK);
        assert_near(count, of[k].defective, 0, "%s", of[k].what);
    }
}

/* A free body: u and v both have the root one, and displacement grows with time. */
TEST_IN_ARENA(a_free_body_is_rigid_and_defective)
{
    ifd_builder *b = ifd_builder_make(*state);
    for (int i = 0; i < 3; i++) {
        char name[4] = {'x', (char)('0' + i), 0};
        int x = ifd_builder_dof(b, name, IFD_DOF_X);
        ifd_builder_add(b, IFD_MASS, x, x, 1 + i);
        if (i)
            ifd_builder_spring(b, IFD_STIFFNESS, x - 1, x, 40);
    }
    ifd_run_options run = {.model = made(*state, b), .step = options("lsrt2", 0.05, NULL)};
    ifd_stability s = stability(*state, &run);
    assert_int_equal(s.ones, 2);
    assert_int_equal(s.rigid, 2);
    assert_int_equal(s.defective, 1);
    assert_int_equal(s.modes, 2);
    assert_true(s.stable);
}

TEST_IN_ARENA(loads_and_a_start_in_motion_change_nothing)
{
    ifd_builder *b = chain_builder(*state, 3, 1, 0.3, 60);
    ifd_run_options run = {.model = made(*state, b), .step = options("mg-alpha", 0.03, NULL)};
    ifd_stability bare = stability(*state, &run);
    b = chain_builder(*state, 3, 1, 0.3, 60);
    ifd_builder_ground(b, IFD_DOF_X, signal_of(*state, "sine", "amplitude", 300.0, "frequency", 1.1, NULL));
    ifd_builder_force(b, 2, signal_of(*state, "cosine", "amplitude", 1e6, "frequency", 0.6, NULL));
    ifd_builder_initial(b, 1, 5, -7);
    run.model = made(*state, b);
    ifd_stability loaded = stability(*state, &run);
    for (int k = 0; k < bare.states; k++)
        assert_near(hypot(loaded.root[k].real - bare.root[k].real, loaded.root[k].imag - bare.root[k].imag), 0, 0,
                    "root %d", k);
}

TEST_IN_ARENA(nonlinear_elements_are_linearised_at_rest)
{
    ifd_builder *b = oscillator_builder(*state, 1, 0.1, 5, 0.3, 0);
    add_pair(b, "cubic-spring", IFD_GROUND, 0, "stiffness", 20.0, "epsilon", 4.0, NULL);
    ifd_run_options run = {.model = made(*state, b), .step = options("lsrt2", 0.1, NULL)};
    ifd_stability s = stability(*state, &run);
    run.model = oscillator(*state, 1, 0.1, 25, 0, 0);
    ifd_stability linear = stability(*state, &run);
    assert_true(s.linearised && !linear.linearised);
    assert_near(s.radius, linear.radius, 1e-9, "the cubic term has no effect");
    assert_near_rel(s.mode[0].frequency, linear.mode[0].frequency, 1e-9, "frequency");
}

/* A slip has no memory of where it was: one root equal to one that is no drift. */
TEST_IN_ARENA(a_hysteretic_element_has_a_root_of_its_own)
{
    ifd_builder *b = oscillator_builder(*state, 1, 0.1, 5, 0, 0);
    add_pair(b, "bouc-wen", IFD_GROUND, 0, "stiffness", 8.0, "alpha", 0.1, "beta", 2.0, "gamma", 1.0, NULL);
    ifd_run_options run = {.model = made(*state, b), .step = options("lsrt2", 0.05, NULL)};
    ifd_stability s = stability(*state, &run);
    assert_int_equal(s.states, 3);
    assert_int_equal(s.ones, 1);
    assert_int_equal(s.rigid, 1);
    assert_int_equal(s.defective, 0);
    assert_near_rel(s.mode[0].frequency, sqrt(13.0 - 0.0025) / (2 * acos(-1)), 1e-6, "elastic frequency");
}

/* The ideal specimen is part of the loop: with its stiffness outside the model Chang's method is no longer the
 * same. */
TEST_IN_ARENA(a_specimen_is_part_of_the_recurrence)
{
    const ifd_element_ops *spring = ifd_element_find("spring");
    ifd_value v[8];
    ifd_param_preset(spring->params, v);
    v[ifd_param_find(spring->params, "stiffness")] = ifd_number(30);
    ifd_specimen specimen = {.name = "column", .ops = spring, .values = v, .from = IFD_GROUND, .to = 0};
    ifd_run_options run = {.model = oscillator(*state, 1, 0, 10, 0, 0),
                           .step = options("central-difference", 0.01, NULL),
                           .specimens = 1,
                           .specimen = &specimen};
    ifd_critical_step c;
    ifd_stability s = stability(*state, &run);
    assert_near_rel(s.mode[0].frequency, sqrt(40) / (2 * acos(-1)), 1e-9, "with the specimen");
    assert_int_equal(ifd_stability_critical(*state, &run, NULL, &c, NULL), IFD_OK);
    assert_near_rel(c.step, 2 / sqrt(40), 1e-6, "explicit: measured where it is computed");
}

/* Two chains of n floors, one on the other. */
static const ifd_run_options *tall(cut *c, ifd_arena *arena, int n, const char *coupling, double h)
{
    memset(c, 0, sizeof *c);
    for (int p = 0; p < 2; p++) {
        ifd_builder *b = chain_builder(arena, n, 1, 0, 1000.0 * n);
        ifd_builder_rayleigh(b, 0.05, 1e-5);
        cut_part(c, made(arena, b), "lsrt2", NULL, p ? 2 : 1);
    }
    cut_tie(c, 0, n - 1, 1, 0);
    return cut_run(c, coupling, h, 1);
}

/* Frequencies are those of the whole; what the coupling adds to the damping also comes from the joint's share of
 * the highest modes, so it is only approached as modes are added. */
TEST_IN_ARENA(reduced_parts_keep_the_lowest_modes)
{
    cut c;
    const ifd_run_options *opt = tall(&c, *state, 50, "staggered", 0.002);
    ifd_stability whole = stability(*state, opt), small;
    double off[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
        ifd_run_options rest;
        int dofs, numbers = k ? 160 : 40;
        assert_int_equal(ifd__probe_options(*state, opt, &rest), IFD_OK);
        assert_int_equal(ifd__reduce_parts(*state, &rest, whole.states, numbers, &dofs, NULL), IFD_OK);
        assert_int_equal(dofs, 100);
        small = stability(*state, &rest);
        assert_in_range(small.states, numbers - 8, numbers);
        for (int i = 0; i < 5; i++) {
            assert_near_rel(small.mode[i].frequency, whole.mode[i].frequency, 1e-4, "mode %d", i);
            off[k] = fmax(off[k], fabs(small.mode[i].damping / whole.mode[i].damping - 1));
        }
    }
    assert_true(off[0] < 0.1);
    assert_true(off[1] < off[0] / 4);
}

TEST_IN_ARENA(beyond_four_thousand_numbers_parts_are_reduced_and_it_is_said)
{
    cut c;
    ifd_note note;
    ifd_stability s;
    ifd_note_init(&note, *state);
    assert_ok(ifd_stability_find(*state, tall(&c, *state, 400, "parallel", 1e-4), &s, &note), &note);
    assert_int_equal(s.reduced, 800);
    assert_in_range(s.states, 400, 1000);
    assert_true(s.reduced_bound < 1e-2);
    assert_non_null(note.remark_first);
    ifd_assembly a;
    ifd_modes modes;
    assert_int_equal(ifd_couple_assemble(*state, &c.couple, &a, NULL), IFD_OK);
    assert_int_equal(ifd_model_modes(a.model, IFD_DOF_X, 3, *state, &modes, NULL), IFD_OK);
    for (int i = 0; i < 3; i++)
        assert_near_rel(s.mode[i].frequency, modes.frequency[i], 1e-4, "mode %d, damped by a few per mille", i);
}

TESTS()
