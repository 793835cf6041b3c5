/* SPDX-License-Identifier: MIT */
/* ctest: not with sanitizers, unless every test is asked for */
#include <interfield/run.h>

#include <math.h>
#include <string.h>

#include "check.h"
#include "model/dof_pair.h"
#include "substructure/substructure.h"

/* Two masses in a row, the second spring either inside the model or behind a specimen. */
typedef struct chain {
    ifd_arena *arena;
    ifd_model *model;
    int x1, x2;
} chain;

static const double k1 = 4000.0, k2 = 2500.0, c2 = 7.0, m1 = 3.0, m2 = 2.0;

static chain chain_with(bool spring, bool dashpot)
{
    chain c = {.arena = ifd_arena_open()};
    ifd_builder *b = ifd_builder_make(c.arena);
    c.x1 = ifd_builder_dof(b, "x1", IFD_DOF_X);
    c.x2 = ifd_builder_dof(b, "x2", IFD_DOF_X);
    ifd_builder_add(b, IFD_MASS, c.x1, c.x1, m1);
    ifd_builder_add(b, IFD_MASS, c.x2, c.x2, m2);
    ifd_builder_spring(b, IFD_STIFFNESS, IFD_GROUND, c.x1, k1);
    if (spring)
        ifd_builder_spring(b, IFD_STIFFNESS, c.x1, c.x2, k2);
    if (dashpot)
        ifd_builder_spring(b, IFD_DAMPING, c.x1, c.x2, c2);
    ifd_builder_initial(b, c.x1, 0.01, 0.3);
    ifd_builder_initial(b, c.x2, -0.02, 0.1);
    ifd_note note;
    ifd_note_init(&note, c.arena);
    assert_int_equal(ifd_model_make(c.arena, b, &c.model, &note), IFD_OK);
    return c;
}

static chain chain_make(bool with_second_spring)
{
    return chain_with(with_second_spring, with_second_spring);
}

static ifd_run *run_make(chain *c, const char *method, double h, double end, int specimens, const ifd_specimen *s,
                         const ifd_estimate *e)
{
    ifd_run_options opt = {.model = c->model, .end = end, .specimens = specimens, .specimen = s};
    ifd_step_options_defaults(ifd_method_find(method), h, &opt.step);
    opt.step.estimates = e ? specimens : 0;
    opt.step.estimate = e;
    ifd_run *r = NULL;
    ifd_note note;
    ifd_note_init(&note, c->arena);
    assert_int_equal(ifd_run_make(c->arena, &opt, &r, &note), IFD_OK);
    return r;
}

static void run_to_end(ifd_run *r)
{
    ifd_run_state s;
    while ((s = ifd_run_tick(r)) == IFD_RUN_GOING) {
    }
    assert_int_equal(s, IFD_RUN_DONE);
}

static double worst_difference(ifd_run *a, ifd_run *b, int count)
{
    int na, nb;
    const double *xa = ifd_run_save_area(a, &na), *xb = ifd_run_save_area(b, &nb);
    double worst = 0.0;
    for (int i = 0; i < count; i++)
        worst = fmax(worst, fabs(xa[i] - xb[i]));
    return worst;
}

/* A spring and a dashpot as two specimens in parallel, exactly estimated. */
static void two_specimens(chain *c, ifd_specimen s[2], ifd_value v[2][4], ifd_estimate e[2])
{
    const char *kind[2] = {"spring", "dashpot"}, *key[2] = {"stiffness", "damping"};
    const double size[2] = {k2, c2};
    for (int i = 0; i < 2; i++) {
        const ifd_element_ops *ops = ifd_element_find(kind[i]);
        ifd_param_preset(ops->params, v[i]);
        v[i][ifd_param_find(ops->params, key[i])] = ifd_number(size[i]);
        s[i] = (ifd_specimen){.name = kind[i], .ops = ops, .values = v[i], .from = c->x1, .to = c->x2};
    }
    e[0] = (ifd_estimate){.from = c->x1, .to = c->x2, .stiffness = k2};
    e[1] = (ifd_estimate){.from = c->x1, .to = c->x2, .damping = c2};
}

TEST(grey_box_with_exact_estimates_equals_monolithic_lsrt)
{
    const char *methods[] = {"lsrt1", "lsrt2", "mg-alpha"};
    for (size_t k = 0; k < COUNT(methods); k++) {
        chain whole = chain_make(true), cut = chain_make(false);
        ifd_specimen s[2];
        ifd_value v[2][4];
        ifd_estimate e[2];
        two_specimens(&cut, s, v, e);
        ifd_run *a = run_make(&whole, methods[k], 0.004, 2.0, 0, NULL, NULL);
        ifd_run *b = run_make(&cut, methods[k], 0.004, 2.0, 2, s, e);
        run_to_end(a);
        run_to_end(b);
        assert_near(worst_difference(a, b, 4), 0.0, 2e-14, "%s, 500 steps, displacements and velocities", methods[k]);
        ifd_arena_close(whole.arena);
        ifd_arena_close(cut.arena);
    }
}

/* Without an estimate the Jacobian is only approximate: LSRT2 keeps order 2. */
TEST(black_box_lsrt2_converges_at_second_order)
{
    double error[2];
    for (int level = 0; level < 2; level++) {
        chain whole = chain_make(true), cut = chain_make(false);
        ifd_specimen s[2];
        ifd_value v[2][4];
        ifd_estimate e[2];
        two_specimens(&cut, s, v, e);
        ifd_run *exact = run_make(&whole, "lsrt2", 1.0 / 65536, 0.5, 0, NULL, NULL);
        ifd_run *run = run_make(&cut, "lsrt2", 1.0 / (1024 << level), 0.5, 2, s, NULL);
        run_to_end(exact);
        run_to_end(run);
        error[level] = worst_difference(exact, run, 4);
        ifd_arena_close(whole.arena);
        ifd_arena_close(cut.arena);
    }
    assert_near(log2(error[0] / error[1]), 2.0, 0.05, "errors %g, %g", error[0], error[1]);
}

/* Central difference never uses a stiffness; Chang's method takes the specimen's from the estimate. */
TEST(explicit_methods_take_a_spring_specimen_exactly)
{
    const char *methods[] = {"central-difference", "chang"};
    for (size_t k = 0; k < COUNT(methods); k++) {
        chain whole = chain_with(true, false), cut = chain_make(false);
        ifd_specimen s[2];
        ifd_value v[2][4];
        ifd_estimate e[2];
        two_specimens(&cut, s, v, e);
        ifd_run *a = run_make(&whole, methods[k], 1e-3, 2.0, 0, NULL, NULL);
        ifd_run *b = run_make(&cut, methods[k], 1e-3, 2.0, 1, s, e);
        run_to_end(a);
        run_to_end(b);
        assert_near(worst_difference(a, b, 4), 0.0, 1e-12, "%s, 2000 steps", methods[k]);
        ifd_arena_close(whole.arena);
        ifd_arena_close(cut.arena);
    }
}

TEST(a_method_that_iterates_refuses_a_specimen)
{
    chain c = chain_make(false);
    ifd_specimen s[2];
    ifd_value v[2][4];
    ifd_estimate e[2];
    two_specimens(&c, s, v, e);
    ifd_run_options opt = {.model = c.model, .end = 1.0, .specimens = 1, .specimen = s};
    ifd_step_options_defaults(ifd_method_find("newmark"), 0.01, &opt.step);
    ifd_run *r = NULL;
    ifd_note note;
    ifd_note_init(&note, c.arena);
    assert_int_equal(ifd_run_make(c.arena, &opt, &r, &note), IFD_UNSUPPORTED);
    assert_non_null(strstr(note.first->text, "newmark"));
    ifd_arena_close(c.arena);
}

TEST(a_tick_is_an_exchange_with_the_specimen_or_a_step)
{
    const struct {
        const char *method;
        bool specimen;
        int ticks, lead_in;
    } expected[] = {{"lsrt1", true, 1, 0}, {"lsrt2", true, 2, 0},    {"lsrt2", false, 1, 0},
                    {"chang", true, 1, 1}, {"mg-alpha", true, 1, 1}, {"mg-alpha", false, 1, 0}};
    chain c = chain_make(true);
    for (size_t k = 0; k < COUNT(expected); k++) {
        ifd_step_options opt;
        ifd_step_options_defaults(ifd_method_find(expected[k].method), 0.01, &opt);
        ifd_stepper *s;
        assert_int_equal(ifd_stepper_make(c.arena, &opt, c.model, &s, NULL), IFD_OK);
        ifd__schedule schedule;
        assert_int_equal(ifd__schedule_make(c.arena, s, expected[k].specimen, &schedule), IFD_OK);
        assert_int_equal(schedule.ticks, expected[k].ticks);
        assert_int_equal(schedule.lead_in, expected[k].lead_in);
        int stages = 0;
        for (int i = 0; i < schedule.ticks; i++)
            stages += schedule.due[i].count;
        assert_int_equal(stages, schedule.stages); /* every stage once per cycle */
    }
    ifd_arena_close(c.arena);
}

/* The loop of substructure.h around the same model, its specimen a spring: the bits of the run. */
TEST(a_run_is_its_substructure_and_specimens_around_it)
{
    for (int i = 0; i < ifd_method_count; i++) {
        if (!ifd_methods[i]->measures)
            continue;
        chain c = chain_with(false, true);
        ifd_value v[4];
        const ifd_element_ops *ops = ifd_element_find("spring");
        ifd_param_preset(ops->params, v);
        v[ifd_param_find(ops->params, "stiffness")] = ifd_number(k2);
        ifd_specimen specimen = {.name = "spring", .ops = ops, .values = v, .from = c.x1, .to = c.x2};
        ifd_run *r = run_make(&c, ifd_methods[i]->name, 1e-3, 0.2, 1, &specimen, NULL);
        const ifd__specimen_link link = {.part = 0, .from = c.x1, .to = c.x2};
        const ifd__ends pair = IFD__ENDS(&link);
        ifd_step_options step;
        ifd_step_options_defaults(ifd_methods[i], 1e-3, &step);
        ifd__substructure s;
        assert_int_equal(ifd__substructure_make(
                             c.arena,
                             &(ifd__substructure_options){.model = c.model, .step = &step, .links = 1, .link = &link},
                             &s, NULL),
                         IFD_OK);
        int count;
        double *x = ifd_arena_array(c.arena, (size_t)s.size, sizeof *x), steps = 0.0;
        const ifd__numerical_model *p = s.model;
        s.ops->initial(&s, x);
        ifd__add_restoring_force(pair, k2 * ifd__deformation(pair, x), p->load);
        ifd__substructure_begin(&s, x);
        for (int k = 0; steps < 200.0; k = (k + 1) % s.exchanges) {
            double within = s.ops->target(&s, k, steps, x) / s.step - steps;
            assert_near(within, 0.5, 0.5 + 1e-9, "time of exchange %d, of a step", k);
            ifd__substructure_unload(&s);
            ifd__add_restoring_force(pair, k2 * ifd__deformation(pair, p->u), p->load);
            s.ops->exchange(&s, k, &steps, x);
            assert_int_equal(ifd_run_tick(r), steps < 200.0 ? IFD_RUN_GOING : IFD_RUN_DONE);
            assert_int_equal(ifd__substructure_fault(&s, x), IFD_FAULT_NONE);
            assert_memory_equal(x, ifd_run_save_area(r, &count), sizeof(double) * (size_t)s.size);
        }
        ifd_arena_close(c.arena);
    }
}

TEST(a_restored_run_repeats_itself_bit_for_bit)
{
    for (int i = 0; i < ifd_method_count; i++) {
        if (ifd_methods[i]->offline)
            continue;
        chain c = chain_make(true);
        ifd_run *r = run_make(&c, ifd_methods[i]->name, 1e-3, 1.0, 0, NULL, NULL);
        for (int k = 0; k < 400; k++)
            ifd_run_tick(r);
        int count;
        double *x = ifd_run_save_area(r, &count);
        double *saved = ifd_arena_array(c.arena, (size_t)count, sizeof *saved);
        double *first = ifd_arena_array(c.arena, (size_t)count, sizeof *first);
        memcpy(saved, x, sizeof(double) * (size_t)count);
        run_to_end(r);
        memcpy(first, x, sizeof(double) * (size_t)count);
        memcpy(x, saved, sizeof(double) * (size_t)count);
        run_to_end(r);
        assert_memory_equal(first, x, sizeof(double) * (size_t)count);
        ifd_arena_close(c.arena);
    }
}

TEST(energy_balance_closes_at_second_order)
{
    double left[2];
    for (int level = 0; level < 2; level++) {
        chain c = chain_make(true);
        ifd_run *r = run_make(&c, "newmark", 1.0 / (1000 << level), 2.0, 0, NULL, NULL);
        run_to_end(r);
        ifd_energy e = ifd_run_energy(r);
        left[level] = fabs(e.numerical) / e.scale;
        assert_true(e.dissipated > 0.1 * e.scale);
        ifd_arena_close(c.arena);
    }
    assert_true(left[0] < 1e-3);
    assert_near(log2(left[0] / left[1]), 2.0, 0.1, "balance %g, %g", left[0], left[1]);
}

/* A support that follows a triangle of 10 mm: its velocity jumps three times. */
static int triangle(chain *c, ifd_builder *b, double duration)
{
    const ifd_signal_kind *kind = ifd_signal_find("pulse");
    const ifd_signal *s = NULL;
    ifd_value v[IFD_SIGNAL_PARAMS];
    ifd_param_preset(kind->params, v);
    v[ifd_param_find(kind->params, "amplitude")] = ifd_number(0.01);
    v[ifd_param_find(kind->params, "duration")] = ifd_number(duration);
    v[ifd_param_find(kind->params, "shape")] = (ifd_value){.given = true, .word = "triangle"};
    assert_int_equal(ifd_signal_make(c->arena, kind, v, NULL, &s, NULL), IFD_OK);
    return ifd_builder_support(b, "s", s);
}

/* The power of a dashpot on the support jumps. */
static double left_of_the_triangle(double h)
{
    chain c = {.arena = ifd_arena_open()};
    ifd_builder *b = ifd_builder_make(c.arena);
    int support = triangle(&c, b, 2.0), x = ifd_builder_dof(b, "x", IFD_DOF_X);
    ifd_builder_add(b, IFD_MASS, x, x, 10.0);
    ifd_builder_spring(b, IFD_STIFFNESS, support, x, 2000.0);
    ifd_builder_spring(b, IFD_DAMPING, support, x, 50.0);
    assert_int_equal(ifd_model_make(c.arena, b, &c.model, NULL), IFD_OK);
    ifd_run *r = run_make(&c, "reference", h, 4.0, 0, NULL, NULL);
    run_to_end(r);
    ifd_energy e = ifd_run_energy(r);
    double left = fabs(e.numerical) / e.scale;
    ifd_arena_close(c.arena);
    return left;
}

/* The motion is exact, so what is left is the quadrature's: of second order, where it was of the first. */
TEST(work_over_jumps_of_velocity_is_of_second_order)
{
    double coarse = left_of_the_triangle(0.005), fine = left_of_the_triangle(0.0025);
    assert_near(log2(coarse / fine), 2.0, 0.1, "left %g, %g", coarse, fine);
    assert_true(fine < 1e-4);
}

static const double stiffness = 2000.0, damping = 50.0, pulled = 10.0, corner = 1.9237; /* N/m, N s/m, kg, s */

/* m x'' + c x' + k x = k t from rest */
static double ramp_answer(double t)
{
    double w = sqrt(stiffness / pulled), z = damping / (2.0 * pulled * w), wd = w * sqrt(1.0 - z * z);
    return t <= 0.0 ? 0.0
                    : t - 2.0 * z / w +
                          exp(-z * w * t) * (2.0 * z / w * cos(wd * t) + (2.0 * z * z - 1.0) / wd * sin(wd * t));
}

/* k (s - x) of the spring, per velocity of the support. */
static double pull(double t)
{
    double late = t - 0.5 * corner, x = ramp_answer(t) - 2.0 * ramp_answer(late);
    return stiffness * ((late > 0.0 ? t - 2.0 * late : t) - x);
}

/* The work of the support: its velocity times the pull, by Simpson's rule on the closed form. */
static double exact_work(void)
{
    enum { PARTS = 2000 };
    double sum = 0.0, speed = 0.02 / corner, dt = 0.5 * corner / PARTS;
    for (int half = 0; half < 2; half++)
        for (int i = 0; i <= PARTS; i++)
            sum += (half ? -1.0 : 1.0) *
                   (i == 0 || i == PARTS ? 1.0
                    : i % 2              ? 4.0
                                         : 2.0) *
                   pull(dt * (i + half * PARTS));
    return sum * dt / 3.0 * speed * speed;
}

/* Error of the work, relative, where an element (linear but for 1e-9) is pulled by the support. */
static double work_error(const char *method, double h)
{
    chain c = {.arena = ifd_arena_open()};
    ifd_builder *b = ifd_builder_make(c.arena);
    int support = triangle(&c, b, corner), x = ifd_builder_dof(b, "x", IFD_DOF_X);
    const int between[2] = {support, x};
    const ifd_element_ops *ops = ifd_element_find("cubic-spring");
    ifd_value v[8];
    ifd_param_preset(ops->params, v);
    v[ifd_param_find(ops->params, "stiffness")] = ifd_number(stiffness);
    v[ifd_param_find(ops->params, "epsilon")] = ifd_number(1e-9);
    ifd_coordinate q = {.count = 2, .ref = between, .coefficient = (const double[]){-1.0, 1.0}};
    assert_int_equal(ifd_builder_element(b, ops, "spring", &(ifd_coordinates){1, &q}, v, NULL), IFD_OK);
    ifd_builder_add(b, IFD_MASS, x, x, pulled);
    ifd_builder_spring(b, IFD_DAMPING, IFD_GROUND, x, damping);
    assert_int_equal(ifd_model_make(c.arena, b, &c.model, NULL), IFD_OK);
    ifd_run *r = run_make(&c, method, h, 4.0, 0, NULL, NULL);
    run_to_end(r);
    double error = ifd_run_energy(r).input / exact_work() - 1.0;
    ifd_arena_close(c.arena);
    return fabs(error);
}

/* 1.9237 s and its half fall inside steps. What the step is cut at is seen: 1e-4 at 2.5 ms, not 6e-4. */
TEST(work_over_corners_inside_steps_is_of_second_order)
{
    static const char *const method[] = {"reference", "newmark", "lsrt2", "mg-alpha"};
    (void)state;
    for (size_t i = 0; i < sizeof method / sizeof *method; i++) {
        double coarse = work_error(method[i], 0.01), fine = work_error(method[i], 0.0025);
        assert_true(coarse < 1e-3);
        assert_true(fine < 1e-4);
        if (i == 0) /* the motion of others has an error of its own, which depends on where in a step a corner lies */
            assert_near(log2(coarse / fine), 4.0, 0.1, "work by %s: %g, %g", method[i], coarse, fine);
    }
}

TEST(a_diverging_run_names_time_and_dof_and_stops)
{
    chain c = chain_make(true);
    ifd_run *r = run_make(&c, "central-difference", 0.2, 1000.0, 0, NULL, NULL);
    ifd_run_state s;
    while ((s = ifd_run_tick(r)) == IFD_RUN_GOING) {
    }
    assert_int_equal(s, IFD_RUN_FAULT);
    ifd_fault_facts f = ifd_run_fault(r);
    assert_int_equal(f.fault, IFD_FAULT_DIVERGED);
    assert_true(f.time > 0.0 && f.time < 100.0);
    assert_in_range(f.dof, 0, 1);
    int count;
    double *x = ifd_run_save_area(r, &count), before = x[0];
    assert_int_equal(ifd_run_tick(r), IFD_RUN_FAULT);
    assert_true(x[0] == before);
    ifd_arena_close(c.arena);
}

TEST(a_hysteretic_specimen_follows_its_model)
{
    /* The same slider inside the model (MG-alpha, exact update) and behind the specimen,
     * small steps: the paths agree. */
    const double sliders[] = {2000.0, 0.004};
    chain whole = {.arena = ifd_arena_open()}, cut = {.arena = ifd_arena_open()};
    const ifd_element_ops *ops = ifd_element_find("sliders");
    ifd_value v[8];
    ifd_param_preset(ops->params, v);
    v[ifd_param_find(ops->params, "sliders")] = ifd_matrix(sliders, 1, 2);
    for (int inside = 0; inside < 2; inside++) {
        chain *c = inside ? &whole : &cut;
        ifd_builder *b = ifd_builder_make(c->arena);
        c->x1 = ifd_builder_dof(b, "x1", IFD_DOF_X);
        ifd_builder_add(b, IFD_MASS, 0, 0, 1.0);
        ifd_builder_spring(b, IFD_STIFFNESS, IFD_GROUND, 0, 500.0);
        ifd_builder_initial(b, 0, 0.0, 0.5);
        int ref = 0;
        double one = 1.0;
        ifd_coordinate q = {.count = 1, .ref = &ref, .coefficient = &one};
        if (inside)
            assert_int_equal(ifd_builder_element(b, ops, "slider", &(ifd_coordinates){1, &q}, v, NULL), IFD_OK);
        assert_int_equal(ifd_model_make(c->arena, b, &c->model, NULL), IFD_OK);
    }
    ifd_specimen s = {.name = "slider", .ops = ops, .values = v, .from = IFD_GROUND, .to = 0};
    ifd_run *a = run_make(&whole, "newmark", 1e-5, 1.0, 0, NULL, NULL);
    ifd_run *b = run_make(&cut, "lsrt2", 1e-5, 1.0, 1, &s, NULL);
    run_to_end(a);
    run_to_end(b);
    assert_near(worst_difference(a, b, 2), 0.0, 1e-6, "displacement and velocity after 1 s");
    assert_true(ifd_run_energy(b).specimens > 0.0);
    ifd_arena_close(whole.arena);
    ifd_arena_close(cut.arena);
}

TESTS()
