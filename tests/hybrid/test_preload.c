/* SPDX-License-Identifier: MIT */
/* A test that starts at static equilibrium. Two masses in series, ground - x - y; the specimen is between ground and
 * x. */
#include <interfield/case.h>

#include "hybrid/hybrid_stand.h"

enum { X, Y };
static const double K1 = 4e5, K2 = 2e5, KS = 2e5, WEIGHT = 2000.0, H = 2e-3;

static stand s;
static ifd_builder *model;
static ifd_value cell[IFD_RIG_PARAMS];
static ifd_estimate estimate;

static const ifd_signal *signal(ifd_arena *arena, const char *kind, const char *name, double value)
{
    ifd_value v[IFD_SIGNAL_PARAMS];
    const ifd_signal *made = NULL;
    const ifd_signal_kind *k = ifd_signal_find(kind);
    ifd_param_preset(k->params, v);
    v[ifd_param_find(k->params, "amplitude")] = ifd_number(value);
    if (name)
        v[ifd_param_find(k->params, name)] = ifd_number(2.0);
    assert_int_equal(ifd_signal_make(arena, k, v, NULL, &made, NULL), IFD_OK);
    return made;
}

/* held: the spring of the specimen is part of the model. */
static ifd_builder *masses(ifd_arena *arena, bool held, bool shaken)
{
    ifd_builder *b = ifd_builder_make(arena);
    ifd_builder_dof(b, "x", IFD_DOF_X);
    ifd_builder_dof(b, "y", IFD_DOF_X);
    ifd_builder_add(b, IFD_MASS, X, X, 1000.0);
    ifd_builder_add(b, IFD_MASS, Y, Y, 500.0);
    ifd_builder_spring(b, IFD_DAMPING, IFD_GROUND, X, 800.0);
    ifd_builder_spring(b, IFD_DAMPING, X, Y, 400.0);
    ifd_builder_spring(b, IFD_STIFFNESS, IFD_GROUND, X, K1);
    ifd_builder_spring(b, IFD_STIFFNESS, X, Y, K2);
    if (held)
        ifd_builder_spring(b, IFD_STIFFNESS, IFD_GROUND, X, KS);
    ifd_builder_force(b, Y, signal(arena, "step", NULL, WEIGHT));
    if (shaken)
        ifd_builder_ground(b, IFD_DOF_X, signal(arena, "sine", "frequency", 1.0));
    return b;
}

static void prepare(bool shaken)
{
    stand_prepare(&s, K1, KS);
    model = masses(s.arena, false, shaken);
    ifd_param_preset(ifd_sensor_params, cell);
    s.bench.start = 0.001;
    s.channel.limits.force = 2e4;
    estimate = (ifd_estimate){IFD_GROUND, X, 0.7 * KS, 0.0, NULL};
    s.opt.end = 3.0;
    ifd_hybrid_options preset; /* for the search, as the load cell has noise */
    ifd_hybrid_defaults(&preset);
    s.opt.arm_samples = preset.arm_samples;
    s.opt.arm_time = preset.arm_time;
    s.opt.ramp_in = 0.3;
    s.opt.settle = 0.1;
    s.opt.preload = true;
    s.opt.automatic = true;
}

/* A load cell with an error. */
static void senses(double noise, double bias)
{
    cell[ifd_param_find(ifd_sensor_params, "noise")] = ifd_number(noise);
    cell[ifd_param_find(ifd_sensor_params, "bias")] = ifd_number(bias);
    s.bench.force_sensor = cell;
}

static void open(void)
{
    ifd_model *m = NULL;
    assert_int_equal(ifd_model_make(s.arena, model, &m, NULL), IFD_OK);
    s.opt.model = m;
    ifd_step_options_defaults(ifd_method_find("lsrt2"), H, &s.opt.step);
    s.opt.step.estimates = 1;
    s.opt.step.estimate = &estimate;
    stand_make(&s);
}

static double now(const char *column)
{
    return test_column(s.h, column);
}

/* The next tick in state run; false at the end. */
static bool running(void)
{
    for (long i = 0; i < 1000000; i++) {
        if (player_tick(&s.p, IFD_ORDER_NONE) != IFD_RUN_GOING)
            return false;
        if (ifd_hybrid_state(s.h) == IFD_MACHINE_RUN)
            return true;
    }
    fail_msg("the test does not end");
    return false;
}

/* Largest distance of x and y from given positions while the test runs. */
static double wander(double x, double y)
{
    double far = 0.0;
    long ticks = 0;
    for (; running(); ticks++)
        far = fmax(far, fmax(fabs(now("x displacement") - x), fabs(now("y displacement") - y)));
    assert_true(ticks > 1000);
    play(&s.p, "fault NONE");
    return far;
}

TEST(nothing_moves_when_nothing_shakes)
{
    prepare(false);
    open();
    double x = WEIGHT / (K1 + KS), y = x + WEIGHT / K2;
    /* the remaining correction, 1e-6 of 0.1 m, continues to oscillate */
    assert_near(wander(x, y), 0.0, 4e-7, "m from equilibrium");
    stand_close(&s);
}

TEST(without_preload_the_same_load_shakes_it)
{
    prepare(false);
    s.opt.preload = false;
    open();
    assert_true(wander(WEIGHT / (K1 + KS), WEIGHT / (K1 + KS) + WEIGHT / K2) > 0.005);
    stand_close(&s);
}

TEST(noise_of_the_load_cell_is_averaged_not_followed)
{
    double x = WEIGHT / (K1 + KS), y = x + WEIGHT / K2, far[2];
    for (int preload = 0; preload < 2; preload++) {
        prepare(false);
        senses(10.0, 0.0);
        s.opt.settle = 0.5;
        s.opt.preload = preload;
        if (!preload) { /* starts at the exact equilibrium: the effect of the noise alone */
            ifd_builder_initial(model, X, x, 0.0);
            ifd_builder_initial(model, Y, y, 0.0);
        }
        open();
        far[preload] = wander(x, y);
        stand_close(&s);
    }
    assert_true(far[0] > 5e-6);
    assert_near(far[1] / far[0], 1.0, 0.5, "wander beside that of a start at the true equilibrium");
}

/* The structure as a single model, its statics by another iteration, from that equilibrium on. */
TEST(a_shaken_test_equals_the_whole_that_starts_from_equilibrium)
{
    prepare(true);
    open();
    ifd_builder *b = masses(s.arena, true, true);
    ifd_model *still = NULL, *whole = NULL;
    double u[2];
    assert_int_equal(ifd_model_make(s.arena, masses(s.arena, true, false), &still, NULL), IFD_OK);
    assert_int_equal(ifd_model_static(still, 0.0, s.arena, u, NULL), IFD_OK);
    ifd_builder_initial(b, X, u[0], 0.0);
    ifd_builder_initial(b, Y, u[1], 0.0);
    assert_int_equal(ifd_model_make(s.arena, b, &whole, NULL), IFD_OK);
    ifd_run_options o = {.model = whole, .end = 3.0, .what = IFD_RECORD_DISPLACEMENT};
    ifd_step_options_defaults(ifd_method_find("lsrt2"), H, &o.step);
    ifd_run *r = NULL;
    assert_int_equal(ifd_run_make(s.arena, &o, &r, NULL), IFD_OK);
    double peak = 0.0, off = 0.0;
    for (bool going = running(); going; going = running()) {
        double x = now("x displacement"), t = now("simulated time");
        while (ifd_run_time(r) < t - 0.5 * H && ifd_run_tick(r) == IFD_RUN_GOING)
            ;
        if (fabs(ifd_run_time(r) - t) < 0.1 * H) {
            peak = fmax(peak, fabs(x - u[0]));
            off = fmax(off, fabs(x - ifd_run_values(r)[0]));
        }
    }
    assert_true(peak > 0.002);
    assert_near(off / peak, 0.0, 2e-3,
                "error of the test, of its largest motion"); /* forces are a stage old: order h^2 */
    stand_close(&s);
}

/* A load cell with an offset of 500 N: tared, it has no effect. The static force of the specimen is subtracted with
 * it, so the numerical substructure carries the weight alone, and the specimen reacts to motion from there on. */
TEST(a_tared_force_counts_from_the_static_position_on)
{
    prepare(false);
    senses(0.0, 500.0);
    s.channel.tare = true;
    open();
    assert_near(wander(WEIGHT / K1, WEIGHT / K1 + WEIGHT / K2), 0.0, 4e-7, "m from equilibrium");
    stand_close(&s);
}

TEST(a_kept_force_counts_whole)
{
    prepare(false);
    senses(0.0, 500.0);
    open();
    double x = (WEIGHT - 500.0) / (K1 + KS);
    assert_near(wander(x, x + WEIGHT / K2), 0.0, 4e-7, "m from equilibrium");
    stand_close(&s);
}

/* Two devices, one tested; a specimen that has yielded during ramp-in; a numerical spring that has yielded too. */
TEST(yielded_springs_and_two_devices_find_their_equilibrium)
{
    prepare(false);
    const ifd_element_ops *bilinear = ifd_element_find("bilinear");
    ifd_value yielding[8];
    ifd_param_preset(bilinear->params, yielding);
    yielding[ifd_param_find(bilinear->params, "stiffness")] = ifd_number(1e5);
    yielding[ifd_param_find(bilinear->params, "ratio")] = ifd_number(0.1);
    yielding[ifd_param_find(bilinear->params, "yield")] = ifd_number(1e-3);
    s.bench.specimen = bilinear;
    s.bench.specimen_values = yielding;
    s.bench.start = 0.0;
    s.channel.force_factor = 2.0;
    estimate.stiffness = 1.5e5;
    const int ref = X;
    const double one = 1.0;
    assert_int_equal(ifd_builder_element(model, bilinear, "pier",
                                         &(ifd_coordinates){1, &(ifd_coordinate){1, &ref, &one}}, yielding, NULL),
                     IFD_OK);
    open();
    /* K1 x + 3 (1e5 * 1e-3 * 0.9 + 1e4 x) = W */
    double x = (WEIGHT - 3.0 * 90.0) / (K1 + 3e4);
    assert_near(wander(x, x + WEIGHT / K2), 0.0, 2e-6, "m from equilibrium");
    stand_close(&s);
}

TEST(an_estimate_far_too_small_is_a_fault_not_a_runaway)
{
    prepare(false);
    s.spring[ifd_param_find(ifd_element_find("spring")->params, "stiffness")] = ifd_number(2e6);
    estimate.stiffness = 0.0;
    s.channel.limits.force = (double)INFINITY; /* which would have stopped it earlier */
    open();
    double far = 0.0;
    while (player_tick(&s.p, IFD_ORDER_NONE) == IFD_RUN_GOING)
        far = fmax(far, fabs(now("spring command")));
    play(&s.p, "fault PRELOAD; is stopped");
    assert_true(far < 0.05);
    stand_close(&s);
}

TEST(a_structure_that_nothing_holds_is_refused)
{
    prepare(false);
    ifd_builder *b = ifd_builder_make(s.arena);
    ifd_model *m = NULL;
    ifd_note note;
    ifd_note_init(&note, s.arena);
    ifd_builder_dof(b, "x", IFD_DOF_X);
    ifd_builder_add(b, IFD_MASS, X, X, 1000.0);
    ifd_builder_force(b, X, signal(s.arena, "step", NULL, WEIGHT));
    assert_int_equal(ifd_model_make(s.arena, b, &m, NULL), IFD_OK);
    s.opt.model = m;
    ifd_step_options_defaults(ifd_method_find("lsrt2"), H, &s.opt.step);
    assert_int_equal(ifd_hybrid_make(s.arena, &s.opt, &s.h, &note), IFD_SINGULAR);
    assert_non_null(strstr(note.first->hint, "estimate"));
    ifd_arena_close(s.arena);
}

/* The same structure divided between its masses; part of the lower mass belongs to the upper substructure. */
TEST(parts_begin_at_the_equilibrium_of_the_whole)
{
    static const char *const couplings[] = {"staggered", "parallel", "pg-alpha"};
    static const char *const methods[] = {"lsrt2", "lsrt2", "{mg-alpha: {rho: 0.8}}"};
    for (size_t i = 0; i < COUNT(couplings); i++) {
        s = (stand){.arena = ifd_arena_open()};
        const char *text = ifd_arena_print(
            s.arena,
            "time: {step: 2 ms, end: 1 s}\n"
            "coupling: {%s: {}}\nmethod: %s\n"
            "substructures:\n"
            "  low: {model: {dofs: [x], mass: [800], damping: [[800]], stiffness: [[%g]]}}\n"
            "  high:\n"
            "    coarse: %s\n"
            "    model: {dofs: [b, y], mass: [200, 500], damping: [[400, -400], [-400, 400]],\n"
            "            stiffness: [[%g, -%g], [-%g, %g]]}\n"
            "    loads: [{at: y, force: %g N}]\n"
            "joints: [low.x = high.b]\n"
            "specimen:\n"
            "  - {name: spring, spring: {at: low.x, stiffness: %g}, estimate: {stiffness: %g}, force-offset: keep,\n"
            "     limits: {stroke: 50 mm, velocity: 1 m/s, acceleration: 100 m/s2}}\n"
            "test: {preload: yes, ramp-in: 0.2 s, settle: 0.05 s}\n",
            couplings[i], methods[i], K1, i == 1 ? "yes" : "no", K2, K2, K2, K2, WEIGHT, KS, 0.8 * KS);
        ifd_case *c = NULL;
        ifd_note note;
        ifd_note_init(&note, s.arena);
        const ifd_case_source source = {.path = "cut.yaml", .text = text};
        ifd_status status = ifd_case_read_source(s.arena, &source, &c, &note);
        if (status == IFD_OK)
            status = ifd_hybrid_make(s.arena, c->test, &s.h, &note);
        if (status != IFD_OK)
            print_error("%s: %s\n", couplings[i], note.first ? note.first->text : "no finding");
        assert_int_equal(status, IFD_OK);
        s.t = ifd_hybrid_ticked(s.h);
        player_begin(&s.p, s.h, NULL);
        double far = 0.0, still = WEIGHT / (K1 + KS);
        long ticks = 0;
        for (; running(); ticks++) {
            far = fmax(far, fmax(fabs(now("low.x displacement") - still), fabs(now("high.b displacement") - still)));
            far = fmax(far, fabs(now("high.y displacement") - still - WEIGHT / K2));
        }
        assert_true(ticks > 400);
        play(&s.p, "fault NONE");
        assert_near(far, 0.0, 4e-7, "m from equilibrium, %s", couplings[i]);
        stand_close(&s);
    }
}

TESTS()
