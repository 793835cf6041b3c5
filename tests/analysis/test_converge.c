/* SPDX-License-Identifier: MIT */
/* ctest: not with sanitizers, unless every test is asked for */
/* Observed order of every method against the reference, on linear and on smooth nonlinear models. */
#include "method/fixtures.h"

#include <interfield/analysis.h>
#include <interfield/structures.h>

#include "analysis/converge.h"

typedef struct spec {
    const char *method;
    pair set[3];
    double order;
} spec;

static const spec methods[] = {
    {"lsrt1", {{0}}, 1},
    {"lsrt2", {{0}}, 2},
    {"lsrt2", {{"gamma", 0, "plus"}}, 2},
    {"lsrt2", {{"gamma", 0.5, NULL}}, 2},
    {"lsrt2", {{"jacobian", 0, "frozen"}}, 2},
    {"mg-alpha", {{0}}, 2},
    {"mg-alpha", {{"rho", 0.3, NULL}, {"solve", 0, "newton"}}, 2},
    {"newmark", {{0}}, 2},
    {"hht", {{0}}, 2},
    {"generalized-alpha", {{"rho", 0.5, NULL}}, 2},
    {"central-difference", {{0}}, 2},
    {"chang", {{0}}, 2},
};

/* Steps are chosen where a method's error follows its first term; the slowest ones need them smallest. */
static ifd_convergence converge(ifd_arena *arena, const spec *s, const ifd_model *m, double h, double end, int levels)
{
    ifd_note note;
    ifd_note_init(&note, arena);
    ifd_run_options opt = {.model = m, .step = options(s->method, h, s->set), .end = end};
    ifd_convergence c;
    assert_ok(ifd_converge(arena, &opt, levels, &c, &note), &note);
    return c;
}

/* The finest pair of levels: there the first term of the error rules. */
static void check_orders(ifd_arena *arena, const char *what, const ifd_model *m, double h, double end, int skip)
{
    for (size_t k = (size_t)skip; k < COUNT(methods); k++) {
        const spec *s = &methods[k];
        bool slow = s->order < 1.5 || (s->set[0].word && strcmp(s->set[0].word, "plus") == 0);
        int levels = 4;
        ifd_convergence c = converge(arena, s, m, slow ? h / 16 : h, slow ? end / 4 : end, levels);
        const ifd_converge_row *fine = &c.row[levels - 1];
        assert_near(fine->order_u, s->order, 0.05, "%s: %s (%zu), u, error %g, agreement %g", what, s->method, k,
                    fine->error_u, c.agreement_u);
        assert_near(fine->order_v, s->order, 0.05, "%s: %s (%zu), v, error %g", what, s->method, k, fine->error_v);
        if (ifd_model_states(m))
            assert_near(fine->order_s, s->order, 0.05, "%s: %s (%zu), s, error %g", what, s->method, k,
                        fine->error_s);
        /* The error of the better reference is smaller than the difference of both, by the ratio of tolerances. */
        if (!(c.agreement_u <= 0.5 * fine->error_u))
            assert_near(c.agreement_u, 0, 0.5 * fine->error_u, "%s: %s (%zu), references", what, s->method, k);
    }
}

TEST_IN_ARENA(every_method_has_its_order_on_a_damped_chain_under_load)
{
    ifd_builder *b = chain_builder(*state, 4, 1, 0.4, 60);
    ifd_builder_rayleigh(b, 0.05, 0.002);
    ifd_builder_ground(b, IFD_DOF_X, signal_of(*state, "sine", "amplitude", 2.0, "frequency", 1.1, NULL));
    ifd_builder_force(b, 2, signal_of(*state, "cosine", "amplitude", 5.0, "frequency", 0.6, NULL));
    check_orders(*state, "chain", made(*state, b), 0.01, 2, 0);
}

TEST_IN_ARENA(every_method_has_its_order_on_a_hardening_spring)
{
    ifd_builder *b = oscillator_builder(*state, 1, 0.1, 0, 1, 0.5);
    add_pair(b, "cubic-spring", IFD_GROUND, 0, "stiffness", 4.0, "epsilon", 0.8, NULL);
    check_orders(*state, "cubic spring", made(*state, b), 0.02, 2, 0);
}

/* One storey, a pendulum hung on it. */
static ifd_model *pendulum(ifd_arena *arena)
{
    ifd_builder *b = oscillator_builder(arena, 3, 0.5, 80, 0.02, 0.1);
    int th = ifd_builder_dof(b, "theta", IFD_DOF_ANGLE);
    add_element(b, "pendulum", 2, (int[]){0, th}, "mass", 1.0, "length", 0.7, NULL);
    ifd_builder_initial(b, th, 0.9, 0.3);
    ifd_builder_ground(b, IFD_DOF_X, signal_of(arena, "sine", "amplitude", 1.0, "frequency", 0.8, NULL));
    return made(arena, b);
}

TEST_IN_ARENA(every_method_has_its_order_on_a_pendulum)
{
    check_orders(*state, "pendulum", pendulum(*state), 0.01, 1.28, 0);
}

TEST_IN_ARENA(every_method_has_its_order_on_a_double_pendulum)
{
    ifd_builder *b = oscillator_builder(*state, 2, 0, 60, 0.05, 0);
    int th1 = ifd_builder_dof(b, "th1", IFD_DOF_ANGLE), th2 = ifd_builder_dof(b, "th2", IFD_DOF_ANGLE);
    add_element(b, "double-pendulum", 3, (int[]){0, th1, th2}, "mass", 0.6, "mass2", 0.4, "length", 0.8, "length2",
                0.6, NULL);
    ifd_builder_initial(b, th1, 0.5, 0);
    ifd_builder_initial(b, th2, -0.4, 0.2);
    check_orders(*state, "double pendulum", made(*state, b), 0.01, 0.64, 0);
}

/* Loading without a reversal: z > 0 and v > 0 throughout, so that the model is smooth. */
TEST_IN_ARENA(every_method_has_its_order_on_bouc_wen_before_it_turns)
{
    ifd_builder *b = oscillator_builder(*state, 1, 0.2, 3, 0.01, 1.5);
    add_pair(b, "bouc-wen", IFD_GROUND, 0, "stiffness", 8.0, "alpha", 0.1, "beta", 2.0, "gamma", 1.0, NULL);
    check_orders(*state, "bouc-wen", made(*state, b), 0.01, 0.32, 0);
}

/* A mass with a controller of its own: first- and second-order equations as one system. */
TEST_IN_ARENA(every_method_has_its_order_with_a_first_order_block)
{
    ifd_builder *b = chain_builder(*state, 2, 1, 0.2, 40);
    const ifd_element_ops *ops = ifd_element_find("block");
    static const double A[] = {-3, 1, 0, -8}, B[] = {1, 4}, C[] = {-6, 2}, D[] = {-0.5}, kinds[] = {1};
    ifd_value v[16];
    ifd_param_preset(ops->params, v);
    v[ifd_param_find(ops->params, "A")] = ifd_matrix(A, 2, 2);
    v[ifd_param_find(ops->params, "B")] = ifd_matrix(B, 2, 1);
    v[ifd_param_find(ops->params, "C")] = ifd_matrix(C, 1, 2);
    v[ifd_param_find(ops->params, "D")] = ifd_matrix(D, 1, 1);
    v[ifd_param_find(ops->params, "reads")] = ifd_number(1);
    v[ifd_param_find(ops->params, "kinds")] = ifd_list(kinds, 1);
    add_on_dofs(b, "block", 2, (int[]){1, 0}, v);
    check_orders(*state, "block", made(*state, b), 0.01, 1.28, 0);
}

/* 3 bays, 10 storeys, 120 dofs, against the exact exponential: frequencies far beyond the step. The ground turns the
 * lowest nodes through the mass shared with the fixed ones; velocities of these stiff modes come to order 2 from 1.9
 * as the step falls, so it begins small. */
TEST_IN_ARENA(lsrt2_is_of_second_order_on_the_frame)
{
    ifd_builder *b = ifd_builder_make(*state);
    ifd_grid grid;
    ifd_grid_defaults(&grid);
    grid.bays_x = 3;
    grid.storeys = 10;
    grid.column = ifd_section_rectangle(0.5, 0.5);
    grid.beam = ifd_section_rectangle(0.3, 0.6);
    ifd_frame frame;
    assert_int_equal(ifd_frame_grid(*state, &grid, &frame, NULL), IFD_OK);
    assert_int_equal(ifd_builder_frame(b, &frame, NULL), IFD_OK);
    ifd_builder_rayleigh(b, 0.3, 0.002);
    ifd_builder_ground(b, IFD_DOF_X, signal_of(*state, "sine", "amplitude", 2.0, "frequency", 1.0, NULL));
    ifd_model *m = made(*state, b);
    assert_int_equal(ifd_model_dofs(m), 120);
    ifd_convergence c = converge(*state, &methods[1], m, 0.005 / 8, 2, 4);
    assert_near(c.order_u, 2, 0.02, "u");
    assert_near(c.order_v, 2, 0.05, "v");
    assert_true(c.row[3].error_u < 3e-7);
}

/* Kinks cost a method its order but must not cost it the solution: sticking, slipping and turning over four
 * seconds. */
TEST_IN_ARENA(methods_follow_the_reference_through_slip_and_stick)
{
    static const double rows[] = {6.67e7, 1.5e-3, 1.15e6, 0.07};
    ifd_builder *b = oscillator_builder(*state, 2e5, 0, 0, 0, 0);
    add_sliders(b, IFD_GROUND, 0, 2, rows, 5e5);
    ifd_builder_ground(b, IFD_DOF_X, signal_of(*state, "sine", "amplitude", 4.0, "frequency", 0.7, NULL));
    ifd_model *m = made(*state, b);
    for (size_t k = 1; k < COUNT(methods); k++) {
        ifd_convergence c = converge(*state, &methods[k], m, 0.002, 4, 3);
        assert_near(c.row[2].error_u, 0, 5e-4, "%s (%zu), u", methods[k].method, k);
        assert_near(c.row[2].error_s, 0, 2e-2, "%s (%zu), s", methods[k].method, k);
        assert_true(c.order_u > 0.8);
    }
}

TEST_IN_ARENA(the_fit_and_the_pairs_agree_on_a_clean_case)
{
    ifd_convergence c = converge(*state, &methods[7], oscillator(*state, 1, 0, 4, 1, 0), 0.05, 5, 5);
    assert_int_equal(c.levels, 5);
    assert_near(c.order_u, 2, 0.02, "fit");
    assert_near(c.row[4].h, 0.05 / 16, 1e-18, "step");
    assert_near(c.tolerance[0], 0, 0, "a linear reference has no tolerance");
}

/* Elastic, ideally plastic; it remembers its slip at acceptance and conceals its reversals from the reference. */
static void conceal_eval(const ifd_element *e, const ifd_element_in *in, const ifd_element_out *out)
{
    (void)e;
    double r = fmax(-1.0, fmin(40.0 * (in->q[0] - in->s[0]), 1.0));
    if (out->r)
        out->r[0] = r;
    if (out->r_q)
        out->r_q[0] = fabs(r) < 1.0 ? 40.0 : 0.0;
}

static void conceal_accept(const ifd_element *e, const ifd_element_in *in, double *s)
{
    (void)e;
    s[0] = fmax(in->q[0] - 0.025, fmin(s[0], in->q[0] + 0.025));
}

static ifd_status conceal_make(ifd_element *e, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    (void)values, (void)arena, (void)note;
    e->ns = 1;
    return IFD_OK;
}

static const ifd_param no_params[] = {{0}};
static const ifd_element_ops concealing = {.abi = IFD_ELEMENT_ABI,
                                           .name = "concealing",
                                           .summary = "",
                                           .equation = "",
                                           .params = no_params,
                                           .make = conceal_make,
                                           .eval = conceal_eval,
                                           .accept = conceal_accept};

/* Without events the reference accepts nothing, and both of its tolerances agree on an elastic motion. */
TEST_IN_ARENA(a_wrong_reference_is_not_confirmed)
{
    ifd_builder *b = oscillator_builder(*state, 1, 0.1, 5, 0, 1);
    int x = 0;
    double one = 1;
    ifd_coordinate q = {1, &x, &one};
    assert_int_equal(ifd_builder_element(b, &concealing, "e", &(ifd_coordinates){1, &q}, NULL, NULL), IFD_OK);
    ifd_convergence c = converge(*state, &methods[7], made(*state, b), 0.01, 5, 4);
    assert_true(c.agreement_u < 1e-5 && c.gap_u > 0.1 && c.change_u < 1e-3);
    assert_false(c.confirmed);
    assert_int_equal(ifd_convergence_judge(&c, 2), IFD_ORDER_CAUTION);
}

TEST_IN_ARENA(a_right_reference_is_confirmed_and_bounds_the_levels)
{
    ifd_builder *b = oscillator_builder(*state, 1, 0, 0, 1, 0.5);
    add_pair(b, "cubic-spring", IFD_GROUND, 0, "stiffness", 4.0, "epsilon", 0.8, NULL);
    ifd_model *m = made(*state, b);
    ifd_convergence c = converge(*state, &methods[7], m, 0.02, 5, 4);
    assert_true(c.confirmed && !c.kinks && c.opinion_u < 1e-2 * c.row[3].error_u);
    assert_near(c.opinion_h, 0.02 / 32, 1e-17, "a quarter of the finest step");
    assert_int_equal(c.used_u, 4);
    assert_near(c.order_u, 2, 0.05, "order");
    /* Errors of the first two levels exceed ten times the doubt. */
    int used;
    double error = c.row[2].error_u;
    assert_near(ifd__converge_fit(4, c.row, offsetof(ifd_converge_row, error_u), 0.2 * error, &used), 2, 0.1,
                "order");
    assert_int_equal(used, 2);
    assert_near(ifd__converge_fit(4, c.row, offsetof(ifd_converge_row, error_u), 0.5 * error, &used), 0, 0, "order");
    assert_int_equal(used, 1);
}

TEST_IN_ARENA(the_verdict_depends_on_kinks)
{
    static const struct {
        int order;
        double u, v;
        ifd_order_verdict smooth, kinks;
    } of[] = {
        {2, 1.51, 1.9, IFD_ORDER_FINE, IFD_ORDER_FINE},      {2, 1.9, 1.49, IFD_ORDER_CAUTION, IFD_ORDER_REMARK},
        {2, 0.81, 1.9, IFD_ORDER_CAUTION, IFD_ORDER_REMARK}, {2, 0.79, 1.9, IFD_ORDER_CAUTION, IFD_ORDER_CAUTION},
        {1, 0.51, 0.6, IFD_ORDER_FINE, IFD_ORDER_FINE},      {1, 0.49, 0.6, IFD_ORDER_CAUTION, IFD_ORDER_CAUTION},
        {3, 2.4, 2.9, IFD_ORDER_CAUTION, IFD_ORDER_FINE}};
    for (size_t k = 0; k < COUNT(of); k++) {
        ifd_convergence c = {.confirmed = true, .used_u = 4, .used_v = 4, .order_u = of[k].u, .order_v = of[k].v};
        assert_int_equal(ifd_convergence_judge(&c, of[k].order), of[k].smooth);
        c.kinks = true;
        assert_int_equal(ifd_convergence_judge(&c, of[k].order), of[k].kinks);
    }
    ifd_convergence few = {.confirmed = true, .used_u = 1, .used_v = 1};
    assert_int_equal(ifd_convergence_judge(&few, 2), IFD_ORDER_FINE);
}

/* Corners of a load count where a step contains them. */
TEST_IN_ARENA(corners_of_a_load_inside_a_step_are_kinks)
{
    static const double y[] = {0.3, 1, -2, 0.5, 3};
    const ifd_signal *record;
    ifd_samples samples = {.count = (int)COUNT(y), .value = y, .dt = 0.1};
    assert_int_equal(ifd_signal_make_table(*state, &samples, IFD_INTERPOLATE_LINEAR, &record, NULL), IFD_OK);
    ifd_builder *b = oscillator_builder(*state, 1, 0, 49, 0, 0);
    ifd_builder_force(b, 0, record);
    ifd_model *m = made(*state, b);
    assert_false(converge(*state, &methods[7], m, 0.05, 0.5, 2).kinks);
    assert_true(converge(*state, &methods[7], m, 0.04, 0.48, 2).kinks);
}

typedef struct seen {
    int run, runs, ends; /* newest run, their number, runs that were told to their end */
    double share;
} seen;

static void see(void *self, int run, int runs, double share)
{
    seen *s = self;
    assert_int_equal(run, s->run + (run != s->run)); /* none is left out */
    assert_true(run != s->run || share > s->share);
    *s = (seen){run, runs, s->ends + (share == 1.0), share};
}

/* A linear model: an exact reference and three levels. Another one: two references, two runs of Newmark's method. */
TEST_IN_ARENA(every_run_is_watched_to_its_end)
{
    for (int linear = 0; linear < 2; linear++) {
        ifd_builder *b = oscillator_builder(*state, 1, 0, linear ? 49 : 0, 0.1, 0);
        if (!linear)
            add_pair(b, "cubic-spring", IFD_GROUND, 0, "stiffness", 4.0, "epsilon", 0.8, NULL);
        ifd_run_options opt = {.model = made(*state, b), .step = options("lsrt2", 0.02, NULL), .end = 0.2};
        seen s = {0};
        const ifd_converge_watch watch = {see, &s};
        ifd_convergence c;
        assert_int_equal(ifd_converge_watched(*state, &opt, 3, &watch, &c, NULL), IFD_OK);
        assert_int_equal(s.run, linear ? 4 : 7);
        assert_int_equal(s.runs, s.run);
        assert_int_equal(s.ends, s.run);
    }
}

TEST_IN_ARENA(impossible_questions_are_refused)
{
    ifd_run_options opt = {.model = oscillator(*state, 1, 0, 4, 1, 0), .step = options("lsrt2", 0.1, NULL), .end = 1};
    ifd_convergence c;
    assert_int_equal(ifd_converge(*state, &opt, 1, &c, NULL), IFD_RANGE);
    opt.end = 0.01;
    assert_int_equal(ifd_converge(*state, &opt, 3, &c, NULL), IFD_RANGE);
    opt.end = 1;
    opt.specimens = 1;
    assert_int_equal(ifd_converge(*state, &opt, 3, &c, NULL), IFD_UNSUPPORTED);
}

TESTS()
