/* SPDX-License-Identifier: MIT */
#include "method/fixtures.h"

#include <interfield/extrapolate.h>

static ifd_extrapolation *made_of(ifd_arena *arena, const char *name, int past, int ahead, double degree,
                                  double dilation)
{
    ifd_note note;
    ifd_note_init(&note, arena);
    ifd_extrapolate_options opt;
    ifd_extrapolation *e = NULL;
    ifd_extrapolate_options_defaults(ifd_extrapolator_find(name), past, ahead, &opt);
    if (degree >= 0)
        assert_true(ifd_extrapolate_options_set(&opt, "degree", ifd_number(degree)));
    if (dilation > 0)
        assert_true(ifd_extrapolate_options_set(&opt, "dilation", ifd_number(dilation)));
    assert_ok(ifd_extrapolation_make(arena, &opt, &e, &note), &note);
    return e;
}

/* Every row of the table with the settings it is likely to be used with. */
static const struct {
    const char *name;
    int past, ahead;
    double degree, dilation;
} sample[] = {
    {"hold", 1, 1, -1, 0},
    {"hold", 10, 3, -1, 0},
    {"lagrange", 4, 1, 3, 0},
    {"lagrange", 10, 3, 3, 0},
    {"lagrange", 10, 3, 4, 0},
    {"lagrange", 2, 5, 1, 0},
    {"least-squares", 10, 3, 4, 0},
    {"least-squares", 20, 2, 2, 0},
    {"reproducing-kernel", 10, 1, 4, 16},
    {"reproducing-kernel", 10, 2, 4, 16},
    {"reproducing-kernel", 10, 3, 4, 16},
    {"reproducing-kernel", 10, 3, 3, 8},
};

TEST_IN_ARENA(rows_of_every_matrix_sum_to_one)
{
    for (size_t k = 0; k < COUNT(sample); k++) {
        ifd_extrapolation *e =
            made_of(*state, sample[k].name, sample[k].past, sample[k].ahead, sample[k].degree, sample[k].dilation);
        for (int j = 0; j < e->ahead; j++) {
            double sum = 0;
            for (int i = 0; i < e->past; i++)
                sum += e->C[j * e->past + i];
            assert_near(sum, 1.0, 1e-12, "%s p %d q %d row %d", sample[k].name, e->past, e->ahead, j + 1);
        }
    }
}

TEST_IN_ARENA(polynomials_up_to_the_degree_are_continued)
{
    for (size_t k = 0; k < COUNT(sample); k++) {
        ifd_extrapolation *e =
            made_of(*state, sample[k].name, sample[k].past, sample[k].ahead, sample[k].degree, sample[k].dilation);
        double past[64], ahead[32];
        for (int degree = 0; degree <= e->degree; degree++) {
            for (int i = 0; i < e->past; i++)
                past[i] = pow(0.1 * (i - e->past + 1) + 0.3, degree);
            ifd_extrapolate(e, 1, past, ahead);
            for (int j = 0; j < e->ahead; j++)
                assert_near(ahead[j], pow(0.1 * (j + 1) + 0.3, degree), 1e-11, "%s degree %d of %d, %d ahead",
                            sample[k].name, degree, e->degree, j + 1);
        }
        assert_near(e->reproduction, 0.0, 1e-12, "%s", sample[k].name);
    }
}

TEST_IN_ARENA(a_polynomial_beyond_the_degree_is_not_continued)
{
    ifd_extrapolation *e = made_of(*state, "least-squares", 10, 3, 4, 0);
    double past[10], ahead[3];
    for (int i = 0; i < 10; i++)
        past[i] = pow(i - 9, 5);
    ifd_extrapolate(e, 1, past, ahead);
    assert_true(fabs(ahead[2] - 243) > 100);
}

TEST_IN_ARENA(the_kernel_has_its_published_numbers)
{
    ifd_extrapolation *e = made_of(*state, "reproducing-kernel", 10, 3, 4, 16);
    const double *far = e->C + 20;
    assert_near(far[0], 3.493293458, 5e-10, "oldest");
    assert_near(far[1], -5.281546812, 5e-10, "second");
    assert_near(far[9], 9.702175703, 5e-10, "newest");
    assert_near(e->added_mass, 0.0979460, 5e-8, "added mass");
    e = made_of(*state, "lagrange", 10, 3, 3, 0);
    assert_near(e->added_mass, 0.0649842, 5e-8, "added mass");
}

/* Found by a separate program (normal equations in another language): p = 10, q = 3, degree 3, dilation 3.8. */
TEST_IN_ARENA(a_kernel_that_counts_all_nodes_stands_more_mass)
{
    ifd_note note;
    ifd_extrapolate_options opt;
    ifd_extrapolation *all = NULL, *past = made_of(*state, "reproducing-kernel", 10, 3, 3, 3.8);
    ifd_note_init(&note, *state);
    ifd_extrapolate_options_defaults(ifd_extrapolator_find("reproducing-kernel"), 10, 3, &opt);
    ifd_extrapolate_options_set(&opt, "degree", ifd_number(3));
    ifd_extrapolate_options_set(&opt, "dilation", ifd_number(3.8));
    ifd_extrapolate_options_set(&opt, "errors", ifd_word("all"));
    assert_ok(ifd_extrapolation_make(*state, &opt, &all, &note), &note);
    static const double last[] = {-0.151336933101, -0.289032104346, -0.256535968625, 0.323517866092,  1.483424534741,
                                  1.760540604676,  -0.469905962222, -3.912255225732, -4.696122937779, 7.207706126296};
    for (int i = 0; i < 10; i++)
        assert_near(all->C[20 + i], last[i], 1e-9, "three steps ahead, past value %d", i + 1);
    assert_true(all->reproduction < 1e-12);
    assert_near(past->added_mass, 0.019308806, 1e-5, "limit when only past values count");
    assert_near(all->added_mass, 0.260232002, 1e-5, "limit when all nodes count");
}

TEST_IN_ARENA(the_kernel_of_the_highest_degree_is_lagranges_polynomial)
{
    ifd_extrapolation *kernel = made_of(*state, "reproducing-kernel", 6, 2, 5, 16);
    ifd_extrapolation *lagrange = made_of(*state, "lagrange", 6, 2, 5, 0);
    for (int i = 0; i < 12; i++)
        assert_near_rel(kernel->C[i], lagrange->C[i], 1e-9, "entry %d", i);
}

static double off_the_fit(ifd_arena *arena, double dilation)
{
    ifd_extrapolation *kernel = made_of(arena, "reproducing-kernel", 10, 3, 3, dilation);
    ifd_extrapolation *fit = made_of(arena, "least-squares", 10, 3, 3, 0);
    return gap_of(30, kernel->C, fit->C);
}

/* The kernel is flat to second order. */
TEST_IN_ARENA(the_kernel_tends_to_the_least_squares_polynomial_as_it_widens)
{
    double near = off_the_fit(*state, 100), far = off_the_fit(*state, 1000);
    assert_near(far / near, 0.01, 1e-3, "from 100 to 1000 steps: %g to %g", near, far);
}

TEST_IN_ARENA(gains_are_those_of_the_rows)
{
    ifd_extrapolation *e = made_of(*state, "lagrange", 4, 3, 3, 0);
    assert_near(e->worst_gain, 10 + 36 + 45 + 20, 1e-12, "sum");
    assert_near(e->noise_gain, sqrt(100 + 1296 + 2025 + 400), 1e-12, "root of the squares");
    e = made_of(*state, "hold", 5, 4, -1, 0);
    assert_near(e->noise_gain, 1, 0, "hold");
}

TEST_IN_ARENA(low_degrees_stand_any_mass_below_the_interfaces_own)
{
    for (int q = 1; q <= 4; q++)
        for (int degree = 0; degree < q; degree++)
            assert_near(made_of(*state, "lagrange", 8, q, degree, 0)->added_mass, 1.0, 0, "q %d degree %d", q,
                        degree);
}

/* The limit is where the shifted history, fed with -mu times the extrapolation, neither grows nor
 * dies: iterated here by hand. */
static double growth(const ifd_extrapolation *e, double mu)
{
    double f[64], next[32], first = 0, last = 0;
    for (int i = 0; i < e->past; i++)
        f[i] = sin(1.0 + 3 * i);
    for (int pass = 0; pass < 4000; pass++) {
        ifd_extrapolate(e, 1, f, next);
        memmove(f, f + e->ahead, sizeof *f * (size_t)(e->past - e->ahead));
        for (int j = 0; j < e->ahead; j++)
            f[e->past - e->ahead + j] = -mu * next[j];
        double size = 0;
        for (int i = 0; i < e->past; i++)
            size = fmax(size, fabs(f[i]));
        first = pass == 2000 ? size : first;
        last = size;
    }
    return last / first;
}

TEST_IN_ARENA(the_added_mass_limit_separates_decay_from_growth)
{
    ifd_extrapolation *e[] = {made_of(*state, "reproducing-kernel", 10, 3, 4, 16),
                              made_of(*state, "lagrange", 10, 3, 3, 0),
                              made_of(*state, "least-squares", 10, 2, 3, 0)};
    for (size_t k = 0; k < COUNT(e); k++) {
        assert_true(growth(e[k], 0.98 * e[k]->added_mass) < 0.1);
        assert_true(growth(e[k], 1.02 * e[k]->added_mass) > 10);
        assert_near(ifd_extrapolation_radius(e[k], e[k]->added_mass), 1.0, 1e-9, "extrapolator %d", (int)k);
    }
}

/* u = 10 sin 70 t + 5 cos 10 t known at 0, 0.01 .. 0.09, required at 0.12: figure 7 of the paper. */
static double error_of(const ifd_extrapolation *e)
{
    double past[10], ahead[3];
    for (int i = 0; i < 10; i++)
        past[i] = 10 * sin(0.7 * i) + 5 * cos(0.1 * i);
    ifd_extrapolate(e, 1, past, ahead);
    return fabs(ahead[2] - 10 * sin(0.7 * 12) - 5 * cos(0.1 * 12));
}

TEST_IN_ARENA(lagrange_of_nine_beats_four_on_the_smooth_signal_and_loses_in_noise)
{
    ifd_extrapolation *four = made_of(*state, "lagrange", 10, 3, 4, 0),
                      *nine = made_of(*state, "lagrange", 10, 3, 9, 0);
    assert_true(error_of(nine) < error_of(four));
    assert_true(nine->noise_gain > 100 * four->noise_gain);
}

TEST_IN_ARENA(channels_do_not_mix)
{
    ifd_extrapolation *e = made_of(*state, "reproducing-kernel", 10, 3, 4, 16);
    double one[10], many[30], alone[3], together[9];
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < 10; i++)
            many[3 * i + c] = sin(0.3 * i + c);
    ifd_extrapolate(e, 3, many, together);
    for (int c = 0; c < 3; c++) {
        for (int i = 0; i < 10; i++)
            one[i] = many[3 * i + c];
        ifd_extrapolate(e, 1, one, alone);
        for (int j = 0; j < 3; j++)
            assert_near(together[3 * j + c], alone[j], 0, "channel %d, %d ahead", c, j + 1);
    }
}

TEST_IN_ARENA(what_cannot_be_extrapolated_is_refused)
{
    static const struct {
        const char *name;
        int past, ahead;
        double degree, dilation;
        ifd_status code;
    } bad[] = {
        {"lagrange", 3, 1, 3, 0, IFD_RANGE},
        {"lagrange", 4, 0, 3, 0, IFD_RANGE},
        {"lagrange", 0, 1, 0, 0, IFD_RANGE},
        {"lagrange", 65, 1, 3, 0, IFD_RANGE},
        {"lagrange", 4, 33, 3, 0, IFD_RANGE},
        {"lagrange", 4, 1, 2.5, 0, IFD_RANGE},
        {"least-squares", 4, 1, 4, 0, IFD_RANGE},
        {"reproducing-kernel", 10, 3, 4, 1, IFD_RANGE},
        {"reproducing-kernel", 3, 4, 1, 16, IFD_RANGE},
    };
    for (size_t k = 0; k < COUNT(bad); k++) {
        ifd_note note;
        ifd_note_init(&note, *state);
        ifd_extrapolate_options opt;
        ifd_extrapolation *e = NULL;
        ifd_extrapolate_options_defaults(ifd_extrapolator_find(bad[k].name), bad[k].past, bad[k].ahead, &opt);
        ifd_extrapolate_options_set(&opt, "degree", ifd_number(bad[k].degree));
        if (bad[k].dilation > 0)
            ifd_extrapolate_options_set(&opt, "dilation", ifd_number(bad[k].dilation));
        assert_int_equal(ifd_extrapolation_make(*state, &opt, &e, &note), bad[k].code);
        assert_non_null(note.first);
    }
    assert_null(ifd_extrapolator_find("spline"));
}

TESTS()
