/* SPDX-License-Identifier: MIT */
/* ctest: begins 18 of the first, not with sanitizers, unless every test is asked for */
/* The search of unstable steps: windows known beforehand, roots built to deceive it, random structures. */
#include "hybrid/cut.h"
#include "analysis/random_splits.h"

#include "analysis/windows.h"

/* Omega of the coarse step from 0.05 to 100. The windows were found with an independent implementation; the adaptive
 * search of factor 2^(1/4) jumps over the first two and finds the third at 11.13. */
TEST_IN_ARENA(the_first_unstable_steps_of_the_split_mass_are_found)
{
    static const struct {
        const char *coupling, *gamma;
        double b1, omega;
    } row[] = {
        {"parallel", "plus", 1.0, 18.16},   {"staggered", "minus", 0.1, 20.52}, {"parallel", "minus", 0.5, 9.249},
        {"parallel", "plus", 0.1, 39.30},   {"parallel", "plus", 0.5, 20.63},   {"parallel", "minus", 0.1, 16.11},
        {"parallel", "minus", 1.0, 1.1003}, {"staggered", "minus", 0.5, 9.657}, {"staggered", "minus", 1.0, 3.573},
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        cut c;
        ifd_critical_step v;
        double ratio = strcmp(row[i].coupling, "parallel") == 0 ? 4.0 : 1.0;
        const ifd_critical_options o = {.from = 0.05 / ratio, .to = 100.0 / ratio};
        cut_single_dof(&c, *state, row[i].b1, "lsrt2", (pair[]){{"gamma", 0, row[i].gamma}, {0}}, 10);
        assert_int_equal(ifd_stability_critical(*state, cut_run(&c, row[i].coupling, 0.05 / ratio, 1), &o, &v, NULL),
                         IFD_OK);
        assert_true(v.found);
        print_message("%s, gamma %s, b1 %g: Omega %.4g, radius up to %.6f, %d probes\n", row[i].coupling,
                      row[i].gamma, row[i].b1, v.omega, v.radius, v.evaluations);
        assert_near_rel(v.omega, row[i].omega, 1e-3, "%s, gamma %s, b1 %g", row[i].coupling, row[i].gamma, row[i].b1);
    }
}

/* Staggered, gamma minus, ss 10, b1 = 0.1: unstable from 20.51 to 21.22, and stable around a step of 25. */
TEST_IN_ARENA(the_stable_steps_around_that_of_the_case_are_told)
{
    cut c;
    ifd_critical_step v;
    const ifd_critical_options o = {.from = 0.5, .to = 30.0};
    cut_single_dof(&c, *state, 0.1, "lsrt2", (pair[]){{"gamma", 0, "minus"}, {0}}, 10);
    assert_int_equal(ifd_stability_critical(*state, cut_run(&c, "staggered", 22.0, 1), &o, &v, NULL), IFD_OK);
    assert_true(v.found && v.current_stable && v.below_found);
    assert_near_rel(v.step, 20.51, 1e-3, "the window begins");
    assert_near_rel(v.closes, 21.22, 4e-3, "and ends");
    assert_near_rel(v.below, 21.22, 2e-3, "stable from the end of the window on");
    assert_true(v.above > v.current);
    cut_run(&c, "staggered", 20.9, 1);
    assert_int_equal(ifd_stability_critical(*state, &c.run, &o, &v, NULL), IFD_OK);
    assert_true(!v.current_stable && v.current_radius > 1.05);
    cut_run(&c, "staggered", 5.0, 1);
    assert_int_equal(ifd_stability_critical(*state, &c.run, &o, &v, NULL), IFD_OK);
    assert_true(v.current_stable && !v.below_found && v.above_found);
    assert_near_rel(v.above, v.step, 1e-12, "stable up to the first window");
}

TEST_IN_ARENA(a_uniform_scan_finds_what_the_adaptive_search_finds)
{
    cut c;
    ifd_critical_step v;
    const ifd_critical_options o = {.resolution = 1.003, .from = 15.0, .to = 25.0};
    cut_single_dof(&c, *state, 0.1, "lsrt2", (pair[]){{"gamma", 0, "minus"}, {0}}, 10);
    assert_int_equal(ifd_stability_critical(*state, cut_run(&c, "staggered", 16.0, 1), &o, &v, NULL), IFD_OK);
    assert_true(v.found && v.uniform);
    assert_near_rel(v.step, 20.51, 1e-3, "uniform");
    ifd_note note;
    ifd_note_init(&note, *state);
    const ifd_critical_options bad[] = {{.resolution = 1.0}, {.resolution = 3.0}, {.from = 2.0, .to = 1.0}};
    for (size_t i = 0; i < COUNT(bad); i++)
        assert_int_equal(ifd_stability_critical(*state, &c.run, &bad[i], &v, &note), IFD_RANGE);
}

/* A complex pair of product 0.87 whose (1 - z)(1 - z') is a parabola with its lowest point at x = 1: below zero
 * over a window of half width w, in which one real branch is outside. */
typedef struct dipping {
    double half_width, curvature;
} dipping;

static ifd_status dip(void *what, double x, ifd_arena *arena, ifd__roots *out, ifd_note *note)
{
    const dipping *d = what;
    const double product = 0.87;
    double m = d->curvature * ((x - 1.0) * (x - 1.0) - d->half_width * d->half_width);
    double middle = 0.5 * (1.0 + product - m), inside = middle * middle - product;
    (void)note;
    *out = (ifd__roots){
        .n = 2, .real = ifd_arena_array(arena, 2, sizeof(double)), .imag = ifd_arena_array(arena, 2, sizeof(double))};
    double root = sqrt(fabs(inside));
    for (int i = 0; i < 2; i++) {
        double sign = i ? -1.0 : 1.0;
        out->real[i] = middle + (inside > 0.0 ? sign * root : 0.0);
        out->imag[i] = inside > 0.0 ? 0.0 : sign * root;
    }
    return IFD_OK;
}

TEST_IN_ARENA(a_pair_that_meets_leaves_and_comes_back_within_an_interval_is_seen)
{
    for (double w = 0.004; w < 0.07; w *= 1.3) {
        dipping d = {.half_width = w, .curvature = 4.0};
        ifd__window found;
        const ifd__window_search s = {
            .probe = dip, .what = &d, .from = 0.3, .to = 1.6, .width = log(1.002), .edge = 1e-9};
        assert_int_equal(ifd__windows_first(&s, &found), IFD_OK);
        assert_true(found.found);
        assert_near(found.stable, 1.0 - w, 1e-5, "half width %g", w);
        print_message("half width %.4f: %d probes\n", w, found.probes);
    }
}

/* A slow pair that leaves the circle at x = 1, by so little that the verdict sees it at 1 + 1e-9 / slope, and one
 * that lies on the circle. */
typedef struct leaving {
    double slope, always; /* always: of the pair on the circle, how far outside */
} leaving;

static ifd_status leave(void *what, double x, ifd_arena *arena, ifd__roots *out, ifd_note *note)
{
    const leaving *l = what;
    (void)note;
    *out = (ifd__roots){.n = 4};
    double **lists[] = {&out->real, &out->imag, &out->blur};
    for (int i = 0; i < 3; i++)
        *lists[i] = ifd_arena_array(arena, 4, sizeof(double));
    for (int i = 0; i < 4; i++) {
        double size = 1.0 + (i < 2 ? l->slope * (x - 1.0) : l->always),
               angle = (i < 2 ? 1e-3 : 0.3) * (i % 2 ? -1 : 1);
        out->real[i] = size * cos(angle);
        out->imag[i] = size * sin(angle);
        out->blur[i] = 1e-13;
    }
    return IFD_OK;
}

TEST_IN_ARENA(an_edge_is_where_the_root_leaves_the_circle_and_not_where_its_growth_is_certain)
{
    static const double slope[] = {1e-9, 4e-9, 1e-8, 1e-5}, always[] = {-1e-12, 0.0, 1e-11};
    (void)state;
    for (size_t i = 0; i < COUNT(slope); i++)
        for (size_t k = 0; k < COUNT(always); k++)
            for (int crossing = 0; crossing < 2; crossing++) {
                leaving l = {slope[i], always[k]};
                ifd__window found;
                ifd__window_search s = {
                    .probe = leave, .what = &l, .from = 0.3, .to = 3.0, .width = 0.05, .edge = 1e-4, .base = 0.4};
                s.crossing = crossing;
                assert_int_equal(ifd__windows_first(&s, &found), IFD_OK);
                assert_true(found.found && !found.before);
                double verdict = 1.0 + 1e-9 / slope[i];
                /* Inside beyond its doubt of 1e-13, bisected to 1e-4. */
                double edge = crossing ? 1.0 - 1e-13 / slope[i] : verdict;
                assert_near(found.stable, edge - 0.5e-4, 0.51e-4, "slope %g", slope[i]);
                assert_near(found.unstable, verdict + 0.5e-4, 0.51e-4, "slope %g", slope[i]);
                s.from = 1.0 + 0.5e-9 / slope[i]; /* between both */
                assert_int_equal(ifd__windows_first(&s, &found), IFD_OK);
                assert_true(found.found && found.before == crossing);
                assert_near(found.stable, verdict - 0.5e-4, 0.51e-4, "slope %g", slope[i]);
            }
}

TEST_IN_ARENA(what_stays_on_the_circle_is_cleared_without_going_to_the_resolution)
{
    ifd_critical_step c;
    ifd_run_options run = {.model = made(*state, chain_builder(*state, 5, 1, 0, 200)),
                           .step = options("newmark", 0.01, NULL)};
    assert_int_equal(ifd_stability_critical(*state, &run, NULL, &c, NULL), IFD_OK);
    assert_false(c.found);
    print_message("newmark, 5 dofs undamped: %d probes, %d intervals not cleared\n", c.evaluations, c.open);
    assert_int_equal(c.open, 0);
    assert_true(c.evaluations < 1000);
}

/* The limit of central differences lies in the highest mode, which no reduced model has. */
TEST_IN_ARENA(large_models_are_searched_in_two_ways_and_it_is_told)
{
    for (int n = BRIEF ? 140 : 60; n <= 140; n += 80) {
        ifd_critical_step c;
        ifd_run_options run = {.model = made(*state, chain_builder(*state, n, 1, 0, 200)),
                               .step = options("central-difference", 0.06, NULL)};
        const ifd_critical_options o = {.from = 0.0695, .to = 0.0725};
        assert_int_equal(ifd_stability_critical(*state, &run, &o, &c, NULL), IFD_OK);
        assert_true(c.coarse && c.states > 160 && c.reduced > 0 && c.reduced <= 160);
        assert_true((c.states > 400) == (c.arnoldi > 0));
        assert_true(c.found);
        ifd_modes modes;
        assert_int_equal(ifd_model_modes(run.model, IFD_DOF_X, n, *state, &modes, NULL), IFD_OK);
        assert_near_rel(c.step, 1.0 / (acos(-1.0) * modes.frequency[n - 1]), 2e-3, "2 / omega of the highest mode");
        print_message("%d states: %d probes, %d by Arnoldi, %d not converged\n", c.states, c.evaluations, c.arnoldi,
                      c.unsure + c.dense);
    }
}

/* Of a chain that is not damped all roots are on the circle, where the space of Arnoldi's method does not tell them
 * apart; slow growth of all modes is far below what stepping a random state shows. */
TEST_IN_ARENA(where_arnoldi_does_not_converge_all_roots_decide)
{
    for (int slow = BRIEF; slow < 2; slow++) {
        ifd_critical_step c;
        ifd_builder *b = chain_builder(*state, 210, 1, 0, 200);
        for (int i = 0; slow && i < 210; i++)
            ifd_builder_add(b, IFD_DAMPING, i, i, -1e-3); /* 3e-5 per step: every root grows alike */
        ifd_run_options run = {.model = made(*state, b), .step = options("newmark", 0.06, NULL)};
        const ifd_critical_options o = {.from = 0.06, .to = 0.06 * 1.001};
        assert_int_equal(ifd_stability_critical(*state, &run, &o, &c, NULL), IFD_OK);
        assert_true(c.states > 400 && c.arnoldi > 0);
        assert_int_equal(c.unsure, 0);
        assert_int_equal(c.dense, c.arnoldi);
        assert_int_equal(c.found, slow);
        assert_int_equal(c.current_stable, !slow);
        assert_true(!slow || (c.radius > 1.0 + 1e-6 && c.radius < 1.0 + 1e-4));
    }
}

TEST_IN_ARENA(of_too_many_numbers_it_is_told_which_roots_are_in_doubt)
{
    ifd_critical_step c;
    if (BRIEF)
        return; /* the same code as with 660 numbers, on larger matrices */
    ifd_run_options run = {.model = made(*state, chain_builder(*state, 760, 1, 0, 200)),
                           .step = options("newmark", 0.06, NULL)};
    const ifd_critical_options o = {.from = 0.06, .to = 0.06 * 1.001};
    assert_int_equal(ifd_stability_critical(*state, &run, &o, &c, NULL), IFD_OK);
    assert_true(c.states > 1500 && c.unsure > 0 && c.dense == 0 && !c.found);
    print_message("%d roots of sizes %.9g to %.9g, a residual of %g\n", c.unsure_roots, c.unsure_from, c.unsure_to,
                  c.unsure_doubt);
    assert_true(c.unsure_roots > 1 && c.unsure_doubt > 1e-10);
    assert_true(c.unsure_from <= c.unsure_to && fabs(c.unsure_to - 1.0) <= c.unsure_doubt);
}

/* A short run of bench_windows. */
TEST_IN_ARENA(random_structures_are_searched_as_a_dense_scan_does)
{
    enum { STRUCTURES = 3 };
    for (unsigned k = 0; k < STRUCTURES; k++) {
        split s;
        ifd_critical_step c;
        double width, radius;
        assert_true(split_make(*state, k, &s));
        const ifd_critical_options o = {.from = s.from, .to = s.to};
        double dense = split_scan(&s, 1.003, &width, &radius);
        assert_int_equal(ifd_stability_critical(*state, &s.run, &o, &c, NULL), IFD_OK);
        if (dense > 0.0 && radius < 1.0 + IFD__WINDOW_RADIUS)
            continue; /* windows of so slow a growth are not looked for */
        /* Where growth begins at rounding both edges are uncertain by about the factor of the scan. */
        assert_true(dense == 0.0 || (c.found && c.step <= 1.003 * dense));
        assert_true(dense > 0.0 || !c.found);
        assert_true(dense == 0.0 || c.step == 0.0 || c.step > dense / 1.0031);
    }
}

static double total(int n, const double *cost, const int *to)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += cost[i * n + to[i]];
    return sum;
}

/* Every order of n columns, by Heap's method. */
static double least_of_all(int n, const double *cost)
{
    int to[8], c[8] = {0};
    for (int i = 0; i < n; i++)
        to[i] = i;
    double least = total(n, cost, to);
    for (int i = 0; i < n;) {
        if (c[i] >= i) {
            c[i++] = 0;
            continue;
        }
        int j = i % 2 ? c[i] : 0, keep = to[j];
        to[j] = to[i];
        to[i] = keep;
        least = fmin(least, total(n, cost, to));
        c[i]++;
        i = 0;
    }
    return least;
}

TEST_IN_ARENA(an_assignment_is_the_cheapest_of_all_orders)
{
    ifd__random r;
    (void)state;
    ifd__random_seed(&r, 5);
    for (int n = 1; n <= 7; n++)
        for (int trial = 0; trial < 20; trial++) {
            double cost[64];
            int to[8];
            for (int i = 0; i < n * n; i++)
                cost[i] = ifd__random_unit(&r);
            assert_true(ifd__assign(n, cost, to));
            assert_near(total(n, cost, to), least_of_all(n, cost), 1e-12, "%d columns", n);
        }
}

TESTS()
