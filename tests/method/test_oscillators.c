/* SPDX-License-Identifier: MIT */
/* Ensembles of models with one dof: many steps by one kernel have the bits of single steps, for every law and every
 * variant of the kernels, for one ensemble and for two; a motion that becomes large changes nothing. */
#include "method/fixtures.h"

#include <math.h>

#include "method/ensemble.h"

enum { L = IFD__LANES, STEPS = 300 };
static const double h = 5e-3;
static ifd_arena *arena;
static ifd_note note;

static int begin(void **state)
{
    (void)state;
    arena = ifd_arena_open();
    ifd_note_init(&note, arena);
    return arena ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    ifd_arena_close(arena);
    return 0;
}

typedef enum law { LINEAR, BILINEAR, BOUC_WEN_1, BOUC_WEN_2, CUBIC, TWO, LAWS } law;

/* Variant k: its strength differs, and its own stiffness is 20 N/m. */
static ifd_model *variant(law which, int k)
{
    ifd_builder *b = chain_builder(arena, 1, 1.0, 0.0, 20.0);
    double scale = 1.0 + 0.2 * k;
    ifd_builder_initial(b, 0, 0.01 * k, 0.0);
    ifd_builder_spring(b, IFD_DAMPING, IFD_GROUND, 0, which == BILINEAR ? 0.0 : 0.6);
    if (which == BILINEAR || which == TWO)
        add_pair(b, "bilinear", IFD_GROUND, 0, "stiffness", 60.0, "ratio", 0.05, "yield", 0.02 * scale, NULL);
    if (which == TWO || which == BOUC_WEN_1)
        add_pair(b, "bouc-wen", IFD_GROUND, 0, "stiffness", 60.0, "alpha", 0.1, "beta", 20.0 * scale, "gamma", 10.0,
                 NULL);
    if (which == BOUC_WEN_2)
        add_pair(b, "bouc-wen", IFD_GROUND, 0, "stiffness", 60.0, "beta", 900.0 * scale, "gamma", -400.0, "n", 2.0,
                 NULL);
    if (which == CUBIC)
        add_pair(b, "bouc-wen", IFD_GROUND, 0, "stiffness", 60.0, "beta", 9e4 * scale, "gamma", 1e4, "n", 3.0, NULL);
    ifd_builder_ground(b, IFD_DOF_X, signal_of(arena, "sine", "amplitude", 1.0, "frequency", 1.0, NULL));
    return made(arena, b);
}

/* Eight variants from number `from` on at their start; lane 5 is idle. */
static ifd__ensemble *eight(law which, int from, const char *kernels)
{
    const ifd_stepper *s[L] = {NULL};
    double *x[L] = {NULL};
    ifd__ensemble *e;
    for (int l = 0; l < L; l++) {
        ifd_step_options opt;
        ifd_stepper *one;
        if (l == 5)
            continue;
        ifd_step_options_defaults(ifd_method_find("lsrt2"), h, &opt);
        ifd_step_options_set(&opt, "jacobian", ifd_word("frozen"));
        assert_ok(ifd_stepper_make(arena, &opt, variant(which, from + l), &one, &note), &note);
        x[l] = ifd_arena_array(arena, (size_t)ifd_stepper_size(one), sizeof *x[l]);
        ifd_stepper_initial(one, x[l]);
        ifd_stepper_start(one, 0.0, NULL, x[l]);
        s[l] = one;
    }
    assert_ok(ifd__ensemble_make(arena, s, ifd__lanes_pick(kernels), &e, &note), &note);
    ifd__ensemble_begin(e, x);
    return e;
}

static double *motion(int from, double scale)
{
    double *a = ifd_arena_array(arena, 2 * L * STEPS, sizeof *a);
    for (int i = 0; i < 2 * STEPS; i++)
        for (int l = 0; l < L; l++)
            a[L * i + l] = scale * (3.0 + 0.1 * (from + l)) * sin(0.02 * i * (1.0 + 0.05 * (from + l)));
    return a;
}

/* u and v of all steps, one at a time. */
static double *singly(ifd__ensemble *e, const double *ground)
{
    double *out = ifd_arena_array(arena, 2 * L * STEPS, sizeof *out);
    for (int i = 0; i < STEPS; i++) {
        const double *given[3] = {ground + 2 * L * i};
        ifd__ensemble_advance(e, given);
        memcpy(out + 2 * L * i, ifd__ensemble_row(e, 0, false), L * sizeof *out);
        memcpy(out + 2 * L * i + L, ifd__ensemble_row(e, 0, true), L * sizeof *out);
    }
    return out;
}

static ifd__lane_piece piece(const double *ground, double most)
{
    ifd__lane_piece p = {
        .ground = ground, .out = ifd_arena_array(arena, 2 * L * STEPS, sizeof(double)), .most = most};
    for (int l = 0; l < L; l++)
        p.used[l] = l != 5;
    return p;
}

static void assert_same_lanes(const double *a, const double *b)
{
    for (int i = 0; i < 2 * STEPS; i++)
        for (int l = 0; l < L; l++)
            if (l != 5 && memcmp(&a[L * i + l], &b[L * i + l], sizeof *a) != 0)
                fail_msg("step %d, lane %d: %.17g, expected %.17g", i / 2, l, b[L * i + l], a[L * i + l]);
}

static const char *const names[] = {"plain", "avx2", "avx512"};

TEST_WITH(many_steps_have_the_bits_of_single_ones, begin, end)
{
    for (law w = LINEAR; w <= BOUC_WEN_2; w++) {
        const double *a = motion(0, 1.0), *b = motion(8, 1.0);
        const double *first = singly(eight(w, 0, "plain"), a), *second = singly(eight(w, 8, "plain"), b);
        for (size_t v = 0; v < COUNT(names); v++) {
            if (!ifd__lanes_pick(names[v]))
                continue;
            ifd__ensemble *e[2] = {eight(w, 0, names[v]), eight(w, 8, names[v])}, *alone = eight(w, 0, names[v]);
            ifd__lane_piece p[2] = {piece(a, 1e24), piece(b, 1e24)}, q = piece(a, 1e24);
            if (ifd__ensemble_oscillates(e, 2) != 0)
                fail_msg("law %d, %s", w, names[v]);
            assert_true(ifd__ensemble_oscillate(e, 2, STEPS, p));
            assert_same_lanes(first, p[0].out);
            assert_same_lanes(second, p[1].out);
            assert_true(ifd__ensemble_oscillate(&alone, 1, STEPS, &q));
            assert_same_lanes(first, q.out);
            assert_same_lanes(singly(e[0], b), singly(alone, b)); /* also the states of the elements */
        }
    }
}

TEST_WITH(the_element_yields, begin, end)
{
    for (law w = BILINEAR; w <= BOUC_WEN_2; w++) {
        const double *linear = singly(eight(LINEAR, 0, "plain"), motion(0, 1.0));
        const double *out = singly(eight(w, 0, "plain"), motion(0, 1.0));
        double most = 0;
        for (int i = 0; i < STEPS; i++)
            most = fmax(most, fabs(out[2 * L * i] - linear[2 * L * i]));
        assert_true(most > 0.05); /* of about 0.3: the yield of lane 0 is 0.02 */
    }
}

TEST_WITH(a_large_motion_changes_nothing, begin, end)
{
    double *a = motion(0, 1.0);
    for (int i = 0; i < 2 * STEPS; i++)
        a[L * i + 3] = i < 200 ? a[L * i + 3] : (double)NAN;
    for (int unused = 0; unused < 2; unused++) {
        ifd__ensemble *e = eight(BILINEAR, 0, ifd__lanes_best()->name), *same = eight(BILINEAR, 0, "plain");
        ifd__lane_piece p = piece(a, 1e24);
        p.used[3] = !unused;
        assert_int_equal(ifd__ensemble_oscillate(&e, 1, STEPS, &p), unused);
        if (!unused)
            assert_same_lanes(singly(same, motion(0, 1.0)), singly(e, motion(0, 1.0)));
    }
    ifd__ensemble *e = eight(LINEAR, 0, "plain");
    assert_false(ifd__ensemble_oscillate(&e, 1, STEPS, &(ifd__lane_piece[]){piece(motion(0, 1.0), 1e-9)}[0]));
}

TEST_WITH(other_models_are_stepped_singly, begin, end)
{
    ifd__ensemble *cubic = eight(CUBIC, 0, "plain"), *two = eight(TWO, 0, "plain");
    ifd__ensemble *mixed[2] = {eight(LINEAR, 0, "plain"), eight(BILINEAR, 0, "plain")};
    assert_int_equal(ifd__ensemble_oscillates(&cubic, 1), -1);
    assert_int_equal(ifd__ensemble_oscillates(&two, 1), -1);
    assert_int_equal(ifd__ensemble_oscillates(mixed, 2), -1);
    assert_int_equal(ifd__ensemble_oscillates(mixed, 1), 0);
}

TESTS()
