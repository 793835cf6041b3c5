/* SPDX-License-Identifier: MIT */
/* `factor: single`: the error of a solution against the contraction of its factor, which LAPACK computes; the steps
 * against those with a factor in double precision; the guards at set-up and in a step; state and replay. */
#include "method/fixtures.h"

#include <lapacke.h>

#include "method/stepper.h"
#include "method/tangent_inside.h"

static const pair single[] = {{"factor", 0, "single"}, {0}};

enum { N = 90 };

static ifd_model *chain(ifd_arena *arena, double stiff)
{
    ifd_builder *b = chain_builder(arena, N, 1000, 200, 4e6);
    for (int i = 3; i < N; i += 10)
        ifd_builder_spring(b, IFD_STIFFNESS, i - 2, i, stiff);
    return made(arena, b);
}

static ifd__tangent *tangent_of(ifd_arena *arena, const ifd_model *m, bool in_single, ifd_note *note)
{
    static const ifd_value asked = {.given = true};
    const double c = 3e-4;
    ifd__tangent *T = NULL;
    ifd__tangent_options opt = {.cm = 1.0, .cv = c, .cu = c * c, .cs = c};
    opt.single = in_single ? &asked : NULL;
    assert_int_equal(ifd__tangent_make(arena, m, &opt, &T, note), IFD_OK);
    return T;
}

/* S as a full matrix, and I - F S brought to the product x^T S y: C^T (I - F S) C^-T with S = C C^T is symmetric. */
static double contraction_by_lapack(ifd__tangent *T)
{
    static double S[N * N], C[N * N], E[N * N], size[N], column[N];
    ifd__sparse_fill(&T->single->S, S);
    memcpy(C, S, sizeof S);
    assert_int_equal(LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', N, C, N), 0);
    for (int j = 0; j < N; j++) {
        memset(column, 0, sizeof column);
        column[j] = 1.0; /* S C^-T e_j = C e_j */
        for (int i = 0; i < N; i++)
            column[i] = i < j ? 0.0 : C[i + j * N];
        ifd__tangent_base_solve(T, column);
        for (int i = 0; i < N; i++) {
            double sum = 0.0;
            for (int k = i; k < N; k++)
                sum += C[k + i * N] * column[k];
            E[i + j * N] = (i == j) - sum;
        }
    }
    for (int j = 0; j < N; j++) /* symmetric but for round-off of double precision */
        for (int i = 0; i < j; i++)
            E[i + j * N] = E[j + i * N] = 0.5 * (E[i + j * N] + E[j + i * N]);
    assert_int_equal(LAPACKE_dsyev(LAPACK_COL_MAJOR, 'N', 'L', N, E, N, size), 0);
    return fmax(fabs(size[0]), fabs(size[N - 1]));
}

static double energy_norm(const ifd_sparse *S, const double *a, const double *b)
{
    double e[N], y[N] = {0}, sum = 0.0;
    for (int i = 0; i < N; i++)
        e[i] = a[i] - b[i];
    ifd__sparse_mul_add(S, 1.0, e, y);
    for (int i = 0; i < N; i++)
        sum += e[i] * y[i];
    return sqrt(sum);
}

/* x - S^-1 b = (I - F S) (x0 - S^-1 b), so its norm is at most theta times that of the change of the solution. */
TEST_IN_ARENA(the_error_is_the_contraction_times_the_change)
{
    ifd_model *m = chain(*state, 1e9);
    ifd__tangent *T = tangent_of(*state, m, true, NULL), *D = tangent_of(*state, m, false, NULL);
    double theta = contraction_by_lapack(T), last[2 * N + IFD__LAST_MEASURES] = {0}, x[N], y[N], x0[N] = {0};
    assert_true(theta > 1e-8 && theta < 1e-5); /* single precision, and not lost */
    assert_near_rel(T->single->contraction, theta, 0.3, "power method");
    assert_true(T->single->contraction <= theta * (1 + 1e-6)); /* it is a Rayleigh quotient */
    ifd__tangent_from(T, last);
    double most = 0.0;
    for (int k = 0; k < 40; k++) {
        for (int i = 0; i < N; i++)
            x[i] = y[i] = sin(0.3 * k + 0.9 * i) + (k == 20) * (i % 7);
        ifd__tangent_solve(T, x);
        ifd__tangent_solve(D, y);
        double change = energy_norm(&T->single->S, x0, y), error = energy_norm(&T->single->S, x, y);
        assert_true(error <= theta * change + 1e-12 * change);
        most = fmax(most, error / change);
        memcpy(x0, x, sizeof x);
    }
    assert_true(most > 0.05 * theta); /* the bound is not empty */
}

/* The measured residual is that of its definition, one solution later. */
TEST_IN_ARENA(the_residual_is_measured_in_the_next_solution)
{
    ifd__tangent *T = tangent_of(*state, chain(*state, 1e9), true, NULL);
    double last[2 * N + IFD__LAST_MEASURES] = {0}, x[N], b[N], r[N], largest = 0.0, residual = 0.0;
    ifd__tangent_from(T, last);
    for (int k = 0; k < 5; k++) {
        double size = 0.0, rest = 0.0;
        for (int i = 0; i < N; i++)
            r[i] = x[i] = b[i] = cos(1.7 * k + 0.3 * i) * (k < 3 ? 1.0 : 0.1);
        assert_near_rel(last[2 * N + IFD__LAST_LARGEST], largest, 1e-12, "solution %d", k);
        ifd__tangent_solve(T, x);
        assert_near_rel(last[2 * N + IFD__LAST_RESIDUAL], residual, 1e-6, "solution %d", k);
        ifd__sparse_mul_add(&T->single->S, -1.0, x, r);
        for (int i = 0; i < N; i++) {
            double w = 1.0 / ifd__sparse_get(&T->single->S, i, i);
            size += b[i] * b[i] * w;
            rest += r[i] * r[i] * w;
        }
        largest = fmax(largest, sqrt(size));
        residual = fmax(residual, sqrt(rest) / largest);
    }
    assert_true(residual > 1e-9 && ifd__tangent_precise(T));
}

static double difference(const ifd_model *m, const double *x, const double *y)
{
    double worst = 0.0, most = 0.0;
    for (int i = 0; i < m->n; i++) {
        worst = fmax(worst, fabs(x[i] - y[i]));
        most = fmax(most, fabs(x[i]));
    }
    return worst / most;
}

/* The state receives at most theta |change| of energy norm in each solution; each of `steps` steps has `stages`. */
TEST_IN_ARENA(steps_are_those_of_the_double_factor)
{
    static const char *const methods[] = {"lsrt1", "lsrt2"};
    ifd_model *m = chain(*state, 1e8);
    for (size_t k = 0; k < COUNT(methods); k++) {
        ifd_step_options a = options(methods[k], 1e-3, NULL), b = options(methods[k], 1e-3, single);
        const double *x = run_to(*state, &a, m, 0.5), *y = run_to(*state, &b, m, 0.5);
        assert_true(difference(m, x, y) > 0.0);
        assert_near(difference(m, x, y), 0.0, 500 * 2 * 1e-7 * 0.1, "%s", methods[k]);
    }
}

/* Hysteretic braces that yield, with every Jacobian that keeps its factor. */
TEST_IN_ARENA(hysteretic_steps_are_those_of_the_double_factor)
{
    static const char *const jacobians[] = {"exact", "frozen", "bounded"};
    ifd_builder *b = chain_builder(*state, N, 1000, 500, 4e6);
    for (int i = 1; i < N; i += 3) {
        add_pair(b, "bouc-wen", i - 1, i, "stiffness", 4e7, "alpha", 0.05, "beta", 900.0, "gamma", 100.0, NULL);
        ifd_builder_initial(b, i, 0, 2 * sin(0.4 + 0.9 * i));
    }
    ifd_model *m = made(*state, b);
    for (size_t k = 0; k < COUNT(jacobians); k++) {
        const pair in_double[] = {{"jacobian", 0, jacobians[k]}, {0}};
        const pair in_single[] = {{"jacobian", 0, jacobians[k]}, {"factor", 0, "single"}, {0}};
        ifd_step_options p = options("lsrt2", 1e-3, in_double), q = options("lsrt2", 1e-3, in_single);
        const double *x = run_to(*state, &p, m, 0.3), *y = run_to(*state, &q, m, 0.3);
        assert_true(difference(m, x, y) > 0.0);
        assert_near(difference(m, x, y), 0.0, 300 * 2 * 1e-7, "%s", jacobians[k]);
    }
}

static int row_of(const ifd_stepper *s, const char *name)
{
    int count;
    const ifd_state_row *row = ifd_stepper_states(s, &count);
    for (int k = 0; k < count; k++)
        if (strcmp(row[k].name, name) == 0)
            return row[k].offset;
    fail();
    return 0;
}

TEST_IN_ARENA(a_run_continues_from_its_state_with_the_same_bits)
{
    ifd_model *m = chain(*state, 1e8);
    ifd_step_options opt = options("lsrt2", 1e-3, single);
    ifd_stepper *s = stepper_of(*state, &opt, m), *t = stepper_of(*state, &opt, m);
    double *x = state_of(*state, s), *y = state_of(*state, t);
    size_t bytes = sizeof(double) * (size_t)ifd_stepper_size(s);
    advance_steps(s, 0, 20, x);
    ifd_stepper_stage(s, 0, 20e-3, NULL, x); /* in the middle of a step */
    advance_steps(t, 0, 7, y);               /* elsewhere first */
    memcpy(y, x, bytes);
    ifd_stepper_stage(s, 1, 20e-3, NULL, x);
    ifd_stepper_stage(t, 1, 20e-3, NULL, y);
    advance_steps(s, 21, 20, x);
    advance_steps(t, 21, 20, y);
    assert_memory_equal(x, y, bytes);
    assert_true(x[row_of(s, "factor.measures") + IFD__LAST_RESIDUAL] > 0.0);
}

static ifd_status make_with(ifd_arena *arena, const ifd_model *m, const pair *set, ifd_note *note)
{
    ifd_stepper *s;
    ifd_step_options opt = options("lsrt2", 1e-3, set);
    ifd_note_init(note, arena);
    return ifd_stepper_make(arena, &opt, m, &s, note);
}

/* A link of 1e16 N/m leaves no digits of single precision: 1 kg + c^2 k has 1e6 times the numbers of the rest. */
TEST_IN_ARENA(an_ill_conditioned_matrix_is_refused_at_set_up)
{
    ifd_note note;
    assert_int_equal(make_with(*state, chain(*state, 1e16), single, &note), IFD_RANGE);
    assert_non_null(strstr(note.first->text, "too ill-conditioned"));
    assert_int_equal(make_with(*state, chain(*state, 1e16), NULL, &note), IFD_OK);
}

TEST_IN_ARENA(a_factor_that_is_not_made_once_is_refused)
{
    static const pair refactor[] = {{"factor", 0, "single"}, {"jacobian", 0, "refactor"}, {0}};
    ifd_note note;
    assert_int_equal(make_with(*state, made(*state, followers_builder(*state, 5)), single, &note), IFD_CONFLICT);
    assert_non_null(strstr(note.first->text, "a small nonlinear model"));
    assert_int_equal(make_with(*state, made(*state, followers_builder(*state, 70)), refactor, &note), IFD_CONFLICT);
    assert_non_null(strstr(note.first->text, "'jacobian: refactor'"));
}

/* Between the two limits: the set-up is accepted, and a load that jumps exceeds the limit of the residual. The fault
 * comes before the accuracy is lost. */
TEST_IN_ARENA(a_residual_beyond_its_limit_is_a_fault)
{
    double stiff = 1e9, load[N] = {0};
    ifd_note note;
    while (make_with(*state, chain(*state, 2 * stiff), single, &note) == IFD_OK)
        stiff *= 2;
    ifd_model *m = chain(*state, stiff);
    ifd_step_options a = options("lsrt2", 1e-3, NULL), b = options("lsrt2", 1e-3, single);
    ifd_stepper *s = stepper_of(*state, &a, m), *t = stepper_of(*state, &b, m);
    double *x = state_of(*state, s), *y = state_of(*state, t);
    int step = 0;
    for (; step < 10 && ifd_stepper_fault(t, y) == IFD_STEP_OK; step++) {
        for (int i = 0; i < N; i++)
            load[i] = step % 2 ? 1e6 : -1e6;
        for (int i = 0; i < 2; i++) {
            ifd_stepper_stage(s, i, step * 1e-3, load, x);
            ifd_stepper_stage(t, i, step * 1e-3, load, y);
        }
    }
    assert_int_equal(ifd_stepper_fault(t, y), IFD_STEP_PRECISION);
    assert_true(y[row_of(t, "factor.measures") + IFD__LAST_RESIDUAL] > 1e-5);
    assert_near(difference(m, x, y), 0.0, 1e-3, "motion at the fault");
    ifd_stepper_start(t, 0.0, NULL, y); /* a new start forgets it */
    assert_int_equal(ifd_stepper_fault(t, y), IFD_STEP_OK);
    assert_true(y[row_of(t, "factor.measures") + IFD__LAST_RESIDUAL] == 0.0 && y[row_of(t, "factor.x")] == 0.0);
}

/* A number that is not finite is beyond every limit. */
TEST_IN_ARENA(a_load_that_is_not_finite_is_a_fault)
{
    ifd_model *m = chain(*state, 1e8);
    ifd_step_options opt = options("lsrt2", 1e-3, single);
    ifd_stepper *s = stepper_of(*state, &opt, m);
    double *x = state_of(*state, s), load[N] = {0};
    advance_steps(s, 0, 3, x);
    load[5] = (double)NAN;
    for (int i = 0; i < 4; i++)
        ifd_stepper_stage(s, i % 2, 3e-3, load, x);
    assert_int_equal(ifd_stepper_fault(s, x), IFD_STEP_PRECISION);
}

TESTS()
