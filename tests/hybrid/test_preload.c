/* SPDX-License-Identifier: MIT */
/* A test that starts at static equilibrium. Two masses in series, ground - x - y; the specimen is between ground and
 * x. */
#include "check.h"

#include <string.h>

#include <interfield/case.h>
#include <interfield/virtual.h>

enum { X, Y };
static const double K1 = 4e5, K2 = 2e5, KS = 2e5, WEIGHT = 2000.0, H = 2e-3;

typedef struct stand {
    ifd_arena *arena;
    ifd_builder *b;
    ifd_value spring[8], actuator[IFD_RIG_PARAMS], position[IFD_RIG_PARAMS], force[IFD_RIG_PARAMS];
    ifd_virtual_channel bench;
    ifd_laboratory laboratory;
    ifd_interface_options channel;
    ifd_estimate estimate;
    ifd_hybrid_options opt;
    ifd_hybrid *h;
    ifd_ticked t;
    int state, force_column;
} stand;

static const ifd_signal *signal(ifd_arena *arena, const char *kind, const char *name, double value)
{
    ifd_value v[IFD_SIGNAL_PARAMS];
    const ifd_signal *s = NULL;
    const ifd_signal_kind *k = ifd_signal_find(kind);
    ifd_param_preset(k->params, v);
    v[ifd_param_find(k->params, "amplitude")] = ifd_number(value);
    if (name)
        v[ifd_param_find(k->params, name)] = ifd_number(2.0);
    assert_int_equal(ifd_signal_make(arena, k, v, NULL, &s, NULL), IFD_OK);
    return s;
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

static stand *stand_make(bool shaken)
{
    ifd_arena *arena = ifd_arena_open();
    stand *s = ifd_arena_take(arena, sizeof *s);
    s->arena = arena;
    s->b = masses(arena, false, shaken);
    const ifd_element_ops *spring = ifd_element_find("spring");
    ifd_param_preset(spring->params, s->spring);
    s->spring[ifd_param_find(spring->params, "stiffness")] = ifd_number(KS);
    ifd_param_preset(ifd_sensor_params, s->position);
    ifd_param_preset(ifd_sensor_params, s->force);
    s->bench = (ifd_virtual_channel){.specimen = spring, .specimen_values = s->spring, .start = 0.001};
    s->laboratory = (ifd_laboratory){.channels = 1, .channel = &s->bench};
    ifd_interface_defaults(&s->channel);
    s->channel.name = "spring";
    s->channel.from = IFD_GROUND;
    s->channel.to = X;
    s->channel.limits.low = -0.05;
    s->channel.limits.high = 0.05;
    s->channel.limits.velocity = 1.0;
    s->channel.limits.acceleration = 100.0;
    s->channel.limits.force = 2e4;
    s->estimate = (ifd_estimate){IFD_GROUND, X, 0.7 * KS, 0.0};
    ifd_hybrid_defaults(&s->opt);
    s->opt.end = 3.0;
    s->opt.interfaces = 1;
    s->opt.interface = &s->channel;
    s->opt.rig = &ifd_virtual_rig;
    s->opt.rig_setup = &s->laboratory;
    s->opt.ramp_in = 0.3;
    s->opt.settle = 0.1;
    s->opt.preload = true;
    s->opt.automatic = true;
    return s;
}

static int column(const stand *s, const char *name)
{
    int count;
    const ifd_column *c = ifd_hybrid_columns(s->h, &count);
    for (int i = 0; i < count; i++)
        if (strcmp(c[i].name, name) == 0)
            return i;
    fail_msg("no column '%s'", name);
    return -1;
}

static void noise(ifd_value *sensor, double value, double bias)
{
    sensor[ifd_param_find(ifd_sensor_params, "noise")] = ifd_number(value);
    sensor[ifd_param_find(ifd_sensor_params, "bias")] = ifd_number(bias);
}

static void stand_open(stand *s)
{
    ifd_model *m = NULL;
    assert_int_equal(ifd_model_make(s->arena, s->b, &m, NULL), IFD_OK);
    s->opt.model = m;
    ifd_step_options_defaults(ifd_method_find("lsrt2"), H, &s->opt.step);
    s->opt.step.estimates = 1;
    s->opt.step.estimate = &s->estimate;
    ifd_note note;
    ifd_note_init(&note, s->arena);
    ifd_status status = ifd_hybrid_make(s->arena, &s->opt, &s->h, &note);
    if (status != IFD_OK)
        print_error("%s\n", note.first ? note.first->text : "no finding");
    assert_int_equal(status, IFD_OK);
    s->t = ifd_hybrid_ticked(s->h);
    s->state = column(s, "state");
}

/* The next tick in state run; false at the end. */
static bool running(stand *s)
{
    for (long i = 0; i < 1000000; i++) {
        if (s->t.tick(s->t.self, &(ifd_tick_in){0}) != IFD_RUN_GOING)
            return false;
        if ((ifd_machine)(int)s->t.values(s->t.self)[s->state] == IFD_MACHINE_RUN)
            return true;
    }
    fail_msg("the test does not end");
    return false;
}

static void stand_close(stand *s)
{
    ifd_hybrid_close(s->h);
    ifd_arena_close(s->arena);
}

/* Largest distance of x and y from given positions while the test runs. */
static double wander(stand *s, double x, double y)
{
    int cx = column(s, "x displacement"), cy = column(s, "y displacement");
    double far = 0.0;
    long ticks = 0;
    for (; running(s); ticks++) {
        const double *v = s->t.values(s->t.self);
        far = fmax(far, fmax(fabs(v[cx] - x), fabs(v[cy] - y)));
    }
    assert_true(ticks > 1000);
    assert_int_equal(ifd_hybrid_trip(s->h).trip, IFD_TRIP_NONE);
    return far;
}

TEST(nothing_moves_when_nothing_shakes)
{
    stand *s = stand_make(false);
    stand_open(s);
    double x = WEIGHT / (K1 + KS), y = x + WEIGHT / K2;
    /* the remaining correction, 1e-6 of 0.1 m, continues to oscillate */
    assert_near(wander(s, x, y), 0.0, 4e-7, "m from equilibrium");
    stand_close(s);
}

TEST(without_preload_the_same_load_shakes_it)
{
    stand *s = stand_make(false);
    s->opt.preload = false;
    stand_open(s);
    assert_true(wander(s, WEIGHT / (K1 + KS), WEIGHT / (K1 + KS) + WEIGHT / K2) > 0.005);
    stand_close(s);
}

TEST(noise_of_the_load_cell_is_averaged_not_followed)
{
    double x = WEIGHT / (K1 + KS), y = x + WEIGHT / K2, far[2];
    for (int preload = 0; preload < 2; preload++) {
        stand *s = stand_make(false);
        noise(s->force, 10.0, 0.0);
        s->bench.force_sensor = s->force;
        s->opt.settle = 0.5;
        s->opt.preload = preload;
        if (!preload) { /* starts at the exact equilibrium: the effect of the noise alone */
            ifd_builder_initial(s->b, X, x, 0.0);
            ifd_builder_initial(s->b, Y, y, 0.0);
        }
        stand_open(s);
        far[preload] = wander(s, x, y);
        stand_close(s);
    }
    assert_true(far[0] > 5e-6);
    assert_near(far[1] / far[0], 1.0, 0.5, "wander beside that of a start at the true equilibrium");
}

/* The structure as a single model, its statics by another iteration, from that equilibrium on. */
TEST(a_shaken_test_equals_the_whole_that_starts_from_equilibrium)
{
    stand *s = stand_make(true);
    stand_open(s);
    ifd_builder *b = masses(s->arena, true, true);
    ifd_model *still = NULL, *whole = NULL;
    double u[2];
    assert_int_equal(ifd_model_make(s->arena, masses(s->arena, true, false), &still, NULL), IFD_OK);
    assert_int_equal(ifd_model_static(still, 0.0, s->arena, u, NULL), IFD_OK);
    ifd_builder_initial(b, X, u[0], 0.0);
    ifd_builder_initial(b, Y, u[1], 0.0);
    assert_int_equal(ifd_model_make(s->arena, b, &whole, NULL), IFD_OK);
    ifd_run_options o = {.model = whole, .end = 3.0, .what = IFD_RECORD_DISPLACEMENT};
    ifd_step_options_defaults(ifd_method_find("lsrt2"), H, &o.step);
    ifd_run *r = NULL;
    assert_int_equal(ifd_run_make(s->arena, &o, &r, NULL), IFD_OK);
    int cx = column(s, "x displacement"), ct = column(s, "simulated time");
    double peak = 0.0, off = 0.0;
    for (bool going = running(s); going; going = running(s)) {
        const double *v = s->t.values(s->t.self);
        while (ifd_run_time(r) < v[ct] - 0.5 * H && ifd_run_tick(r) == IFD_RUN_GOING)
            ;
        if (fabs(ifd_run_time(r) - v[ct]) < 0.1 * H) {
            peak = fmax(peak, fabs(v[cx] - u[0]));
            off = fmax(off, fabs(v[cx] - ifd_run_values(r)[0]));
        }
    }
    assert_true(peak > 0.002);
    assert_near(off / peak, 0.0, 2e-3,
                "error of the test, of its largest motion"); /* forces are a stage old: order h^2 */
    stand_close(s);
}

/* A load cell with an offset of 500 N: tared, it has no effect. The static force of the specimen is subtracted with
 * it, so the numerical substructure carries the weight alone, and the specimen reacts to motion from there on. */
TEST(a_tared_force_counts_from_the_static_position_on)
{
    stand *s = stand_make(false);
    noise(s->force, 0.0, 500.0);
    s->bench.force_sensor = s->force;
    s->channel.tare = true;
    stand_open(s);
    assert_near(wander(s, WEIGHT / K1, WEIGHT / K1 + WEIGHT / K2), 0.0, 4e-7, "m from equilibrium");
    stand_close(s);
}

TEST(a_kept_force_counts_whole)
{
    stand *s = stand_make(false);
    noise(s->force, 0.0, 500.0);
    s->bench.force_sensor = s->force;
    stand_open(s);
    double x = (WEIGHT - 500.0) / (K1 + KS);
    assert_near(wander(s, x, x + WEIGHT / K2), 0.0, 4e-7, "m from equilibrium");
    stand_close(s);
}

/* Two devices, one tested; a specimen that has yielded during ramp-in; a numerical spring that has yielded too. */
TEST(yielded_springs_and_two_devices_find_their_equilibrium)
{
    stand *s = stand_make(false);
    const ifd_element_ops *bilinear = ifd_element_find("bilinear");
    ifd_value yielding[8];
    ifd_param_preset(bilinear->params, yielding);
    yielding[ifd_param_find(bilinear->params, "stiffness")] = ifd_number(1e5);
    yielding[ifd_param_find(bilinear->params, "ratio")] = ifd_number(0.1);
    yielding[ifd_param_find(bilinear->params, "yield")] = ifd_number(1e-3);
    s->bench.specimen = bilinear;
    s->bench.specimen_values = yielding;
    s->bench.start = 0.0;
    s->channel.force_factor = 2.0;
    s->estimate.stiffness = 1.5e5;
    const int ref = X;
    const double one = 1.0;
    assert_int_equal(ifd_builder_element(s->b, bilinear, "pier",
                                         &(ifd_coordinates){1, &(ifd_coordinate){1, &ref, &one}}, yielding, NULL),
                     IFD_OK);
    stand_open(s);
    /* K1 x + 3 (1e5 * 1e-3 * 0.9 + 1e4 x) = W */
    double x = (WEIGHT - 3.0 * 90.0) / (K1 + 3e4);
    assert_near(wander(s, x, x + WEIGHT / K2), 0.0, 2e-6, "m from equilibrium");
    stand_close(s);
}

TEST(an_estimate_far_too_small_is_a_fault_not_a_runaway)
{
    stand *s = stand_make(false);
    s->spring[ifd_param_find(ifd_element_find("spring")->params, "stiffness")] = ifd_number(2e6);
    s->estimate.stiffness = 0.0;
    s->channel.limits.force = (double)INFINITY; /* which would have stopped it earlier */
    stand_open(s);
    int command = column(s, "spring command");
    double far = 0.0;
    while (s->t.tick(s->t.self, &(ifd_tick_in){0}) == IFD_RUN_GOING)
        far = fmax(far, fabs(s->t.values(s->t.self)[command]));
    assert_int_equal(ifd_hybrid_trip(s->h).trip, IFD_TRIP_PRELOAD);
    assert_int_equal(ifd_hybrid_state(s->h), IFD_MACHINE_STOPPED);
    assert_true(far < 0.05);
    stand_close(s);
}

TEST(a_structure_that_nothing_holds_is_refused)
{
    stand *s = stand_make(false);
    ifd_builder *b = ifd_builder_make(s->arena);
    ifd_model *m = NULL;
    ifd_note note;
    ifd_note_init(&note, s->arena);
    ifd_builder_dof(b, "x", IFD_DOF_X);
    ifd_builder_add(b, IFD_MASS, X, X, 1000.0);
    ifd_builder_force(b, X, signal(s->arena, "step", NULL, WEIGHT));
    assert_int_equal(ifd_model_make(s->arena, b, &m, NULL), IFD_OK);
    s->opt.model = m;
    ifd_step_options_defaults(ifd_method_find("lsrt2"), H, &s->opt.step);
    assert_int_equal(ifd_hybrid_make(s->arena, &s->opt, &s->h, &note), IFD_SINGULAR);
    assert_non_null(strstr(note.first->hint, "estimate"));
    ifd_arena_close(s->arena);
}

/* The same structure divided between its masses; part of the lower mass belongs to the upper substructure. */
TEST(parts_begin_at_the_equilibrium_of_the_whole)
{
    static const char *const couplings[] = {"staggered", "parallel", "pg-alpha"};
    static const char *const methods[] = {"lsrt2", "lsrt2", "{mg-alpha: {rho: 0.8}}"};
    for (size_t i = 0; i < COUNT(couplings); i++) {
        stand s = {.arena = ifd_arena_open()};
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
        s.state = column(&s, "state");
        int x = column(&s, "low.x displacement"), b = column(&s, "high.b displacement"),
            y = column(&s, "high.y displacement");
        double far = 0.0, still = WEIGHT / (K1 + KS);
        long ticks = 0;
        for (; running(&s); ticks++) {
            const double *v = s.t.values(s.t.self);
            far = fmax(far, fmax(fabs(v[x] - still), fmax(fabs(v[b] - still), fabs(v[y] - still - WEIGHT / K2))));
        }
        assert_true(ticks > 400);
        assert_int_equal(ifd_hybrid_trip(s.h).trip, IFD_TRIP_NONE);
        assert_near(far, 0.0, 4e-7, "m from equilibrium, %s", couplings[i]);
        ifd_hybrid_close(s.h);
        ifd_arena_close(s.arena);
    }
}

TESTS()
