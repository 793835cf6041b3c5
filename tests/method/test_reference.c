/* SPDX-License-Identifier: MIT */
/* The reference against closed forms. */
#include "method/fixtures.h"

#include "method/reference.h"

static double *reference_at(ifd_arena *arena, const ifd_model *m, double h, double end, double tolerance)
{
    ifd_step_options opt = options("reference", h, (pair[]){{"tolerance", tolerance, NULL}, {0}});
    return run_to(arena, &opt, m, end);
}

TEST_IN_ARENA(a_damped_oscillator_swings_out_exactly)
{
    double w = 3, zeta = 0.04, wd = w * sqrt(1 - zeta * zeta), u0 = 0.2, v0 = -1, t = 12;
    ifd_model *m = oscillator(*state, 2, 2 * 2 * zeta * w, 2 * w * w, u0, v0);
    double decay = exp(-zeta * w * t), b = (v0 + zeta * w * u0) / wd;
    const double steps[] = {0.01, 0.5, 12};
    for (size_t k = 0; k < COUNT(steps); k++) {
        double *x = reference_at(*state, m, steps[k], t, 1e-10);
        assert_near(x[0], decay * (u0 * cos(wd * t) + b * sin(wd * t)), 1e-13, "u, step %g", steps[k]);
    }
}

TEST_IN_ARENA(a_free_mass_and_an_overdamped_one_are_exact)
{
    double *x = reference_at(*state, oscillator(*state, 3, 0, 0, 1, 2), 0.1, 5, 1e-10);
    assert_near_rel(x[0], 11.0, 1e-13, "free");
    double c = 10, k = 4, root = sqrt(c * c / 4 - k), r1 = -c / 2 + root, r2 = -c / 2 - root, t = 2;
    x = reference_at(*state, oscillator(*state, 1, c, k, 1, 0), 0.1, t, 1e-10);
    assert_near(x[0], (r1 * exp(r2 * t) - r2 * exp(r1 * t)) / (r1 - r2), 1e-14, "overdamped");
}

TEST_IN_ARENA(a_harmonic_force_is_integrated_exactly)
{
    double m = 2, w = 2, p = 2 * 3.14159265358979323846 * 0.7, t = 10, a = 3 / m / (w * w - p * p);
    ifd_builder *b = oscillator_builder(*state, m, 0, m * w * w, 0, 0);
    ifd_builder_force(b, 0, signal_of(*state, "sine", "amplitude", 3.0, "frequency", 0.7, NULL));
    ifd_model *model = made(*state, b);
    const double steps[] = {0.02, 0.5, 2};
    for (size_t k = 0; k < COUNT(steps); k++) {
        double *x = reference_at(*state, model, steps[k], t, 1e-10);
        assert_near(x[0], a * (sin(p * t) - p / w * sin(w * t)), 1e-13, "u, step %g", steps[k]);
        assert_near(x[1], a * p * (cos(p * t) - cos(w * t)), 1e-13, "v, step %g", steps[k]);
    }
}

/* Duhamel's integral over straight pieces: each sample is a ramp that starts or stops there. */
static double ramps(int count, const double *y, double dt, double w, double t)
{
    double u = 0, slope = 0;
    for (int i = 0; i < count; i++) {
        double next = i + 1 < count ? (y[i + 1] - y[i]) / dt : 0, s = t - i * dt;
        if (s > 0)
            u += (next - slope) * (s - sin(w * s) / w) / (w * w);
        if (s > 0 && (i == 0 || i + 1 == count)) /* jumps at both ends */
            u += (i == 0 ? y[0] : -y[i]) * (1 - cos(w * s)) / (w * w);
        slope = next;
    }
    return u;
}

TEST_IN_ARENA(a_record_between_samples_is_integrated_exactly)
{
    static const double y[] = {0.3, 1, -2, 0.5, 3, -1, -1.5, 2, 0.25};
    const double dt = 0.1, w = 7;
    const ifd_signal *record;
    ifd_samples samples = {.count = (int)COUNT(y), .value = y, .dt = dt};
    assert_int_equal(ifd_signal_make_table(*state, &samples, IFD_INTERPOLATE_LINEAR, &record, NULL), IFD_OK);
    ifd_builder *b = oscillator_builder(*state, 1, 0, w * w, 0, 0);
    ifd_builder_force(b, 0, record);
    ifd_model *m = made(*state, b);
    /* Steps that divide the interval, hold several of them, and straddle its corners. */
    const double steps[] = {0.025, 0.1, 0.3, 0.072};
    for (size_t k = 0; k < COUNT(steps); k++) {
        double end = steps[k] * round(1.8 / steps[k]);
        double *x = reference_at(*state, m, steps[k], end, 1e-10);
        assert_near(x[0], ramps((int)COUNT(y), y, dt, w, end), 1e-13, "step %g", steps[k]);
    }
}

TEST_IN_ARENA(modes_and_the_whole_exponential_agree)
{
    ifd_builder *b = chain_builder(*state, 20, 1, 0, 1000);
    ifd_builder_rayleigh(b, 0.1, 0.001);
    ifd_builder_ground(b, IFD_DOF_X,
                       signal_of(*state, "chirp", "amplitude", 3.0, "from", 0.5, "to", 6.0, "duration", 5.0, NULL));
    ifd_model *m = made(*state, b);
    ifd__linear *modal, *dense;
    assert_int_equal(ifd__linear_make(*state, m, 0.02, IFD__LINEAR_MODAL, &modal, NULL), IFD_OK);
    assert_int_equal(ifd__linear_make(*state, m, 0.02, IFD__LINEAR_DENSE, &dense, NULL), IFD_OK);
    double y1[40], y2[40];
    for (int i = 0; i < 20; i++) {
        y1[i] = y2[i] = m->u0[i];
        y1[20 + i] = y2[20 + i] = m->v0[i];
    }
    for (int k = 0; k < 300; k++) {
        assert_true(ifd__linear_step(modal, 0.02 * k, NULL, y1));
        assert_true(ifd__linear_step(dense, 0.02 * k, NULL, y2));
    }
    assert_near(gap_of(20, y1, y2), 0, 1e-13, "u");
    assert_near(gap_of(20, y1 + 20, y2 + 20), 0, 4e-12, "v");
    assert_true(fabs(y1[19]) > 1e-3);
}

TEST_IN_ARENA(dashpots_that_couple_the_modes_go_through_the_whole_exponential)
{
    ifd_builder *b = chain_builder(*state, 3, 1, 0, 30);
    ifd_builder_spring(b, IFD_DAMPING, 0, 2, 1.5);
    ifd_model *m = made(*state, b);
    ifd__linear *r;
    assert_int_equal(ifd__linear_make(*state, m, 0.1, IFD__LINEAR_MODAL, &r, NULL), IFD_UNSUPPORTED);
    /* A method that converges knows nothing of exponentials. */
    double *exact = reference_at(*state, m, 0.1, 2, 1e-10), u[2][3];
    for (int k = 0; k < 2; k++) {
        ifd_step_options opt = options("newmark", 0.002 / (1 + k), NULL);
        memcpy(u[k], run_to(*state, &opt, m, 2), sizeof u[k]);
    }
    for (int i = 0; i < 3; i++)
        assert_near((4 * u[1][i] - u[0][i]) / 3, exact[i], 1e-9, "dof %d", i);
}

/* Period of a pendulum by the arithmetic-geometric mean: 2 pi sqrt(L/g) / agm(1, cos(a/2)). */
TEST_IN_ARENA(a_large_swing_has_its_period)
{
    double length = 0.8, g = 9.81, a = 1.8, x = 1, y = cos(a / 2);
    for (int k = 0; k < 20; k++) {
        double mean = 0.5 * (x + y);
        y = sqrt(x * y);
        x = mean;
    }
    double period = 2 * 3.14159265358979323846 * sqrt(length / g) / x;
    /* Hung on a mass that no force moves far: heavy beyond the round-off of its motion. */
    ifd_builder *b = oscillator_builder(*state, 1e14, 0, 1e14, 0, 0);
    int th = ifd_builder_dof(b, "th", IFD_DOF_ANGLE);
    add_element(b, "pendulum", 2, (int[]){0, th}, "mass", 1.0, "length", length, "gravity", g, NULL);
    ifd_builder_initial(b, th, a, 0);
    double *end = reference_at(*state, made(*state, b), period / 50, 3 * period, 1e-12);
    assert_near(end[1], a, 1e-9, "angle after three periods");
    assert_near(end[3], 0, 2e-9, "its rate");
}

/* A mass on a slider without a spring, thrown with v0: a swing of a quarter wave or less, then even braking to rest,
 * then the swing of a free oscillation about the new place. */
TEST_IN_ARENA(a_thrown_mass_slips_as_the_closed_form_says)
{
    double m = 2, k = 200, d = 0.01, v0 = 0.5, w = sqrt(k / m);
    static const double rows[] = {200, 0.01};
    ifd_builder *b = oscillator_builder(*state, m, 0, 0, 0, v0);
    add_sliders(b, IFD_GROUND, 0, 1, rows, 0);
    ifd_model *model = made(*state, b);
    double t1 = asin(d * w / v0) / w, v1 = v0 * cos(w * t1), brake = k * d / m, t2 = v1 / brake, t = 0.6;
    double top = d + v1 * v1 / (2 * brake), after = t - t1 - t2;
    assert_true(after > 0 && t1 > 0);
    double *x = reference_at(*state, model, 0.01, t, 1e-11);
    assert_near(x[0], top - d + d * cos(w * after), 1e-9, "u");
    assert_near(x[1], -d * w * sin(w * after), 1e-8, "v");
    assert_near(x[2], d * cos(w * after), 1e-9, "slip");
}

/* A free mass runs into a spring behind a gap: a half wave of contact, then back with the same speed. */
TEST_IN_ARENA(a_mass_rebounds_from_a_gap_as_the_closed_form_says)
{
    double m = 1.5, k = 6000, gap = 0.02, v0 = 0.7, contact = 3.14159265358979323846 / sqrt(k / m);
    ifd_builder *b = oscillator_builder(*state, m, 0, 0, 0, v0);
    add_pair(b, "gap", IFD_GROUND, 0, "stiffness", k, "gap", gap, NULL);
    ifd_model *model = made(*state, b);
    double t = 0.15, free_time = t - gap / v0 - contact;
    assert_true(free_time > 0);
    double *x = reference_at(*state, model, 0.01, t, 1e-11);
    assert_near(x[0], gap - v0 * free_time, 1e-10, "u");
    assert_near(x[1], -v0, 1e-9, "v");
}

TEST_IN_ARENA(two_tolerances_agree_on_a_shaken_bearing)
{
    static const double rows[] = {6.67e7, 1.5e-3, 1.15e6, 0.07};
    ifd_builder *b = oscillator_builder(*state, 2e5, 0, 0, 0, 0);
    add_sliders(b, IFD_GROUND, 0, 2, rows, 5e5);
    ifd_builder_ground(b, IFD_DOF_X, signal_of(*state, "sine", "amplitude", 4.0, "frequency", 0.7, NULL));
    ifd_model *m = made(*state, b);
    double *fine = reference_at(*state, m, 0.01, 4, 1e-11), *coarse = reference_at(*state, m, 0.01, 4, 1e-9);
    assert_near(gap_of(2, fine, coarse), 0, 1e-7, "u and v");
    assert_near(gap_of(2, fine + 2, coarse + 2), 0, 1e-7, "slips");
    assert_true(fabs(fine[2]) <= rows[1] && fabs(fine[3]) <= rows[3]);
}

TEST_IN_ARENA(the_energy_of_an_undamped_nonlinear_model_stays)
{
    ifd_builder *b = oscillator_builder(*state, 1, 0, 0, 1, 0.5);
    add_pair(b, "cubic-spring", IFD_GROUND, 0, "stiffness", 4.0, "epsilon", 0.8, NULL);
    double *x = reference_at(*state, made(*state, b), 0.1, 20, 1e-11);
    double u2 = x[0] * x[0], now = 0.5 * x[1] * x[1] + 4 * u2 * (0.5 + 0.2 * u2), start = 0.125 + 4 * 0.7;
    assert_near(now, start, 2e-9, "energy");
}

/* Laws that remember reversals, with their numbers. */
typedef struct law {
    const char *kind;
    struct {
        const char *name;
        double number;
    } set[6];
} law;

static const law laws[] = {
    {"hinge",
     {{"stiffness", 2e5}, {"yield-force", 3000}, {"hardening", 0.05}, {"unloading", 0.4}, {"reloading", 0.3}}},
    {"hinge", {{"stiffness", 2e5}, {"yield-force", 3000}, {"hardening", 0.05}}},
    {"pivot", {{"stiffness", 2e5}, {"yield-force", 3000}, {"hardening", 0.05}, {"alpha", 2}, {"beta", 0.5}}},
    {"self-centring",
     {{"stiffness", 3e5}, {"stiffness-after", 1e4}, {"activation-force", 3000}, {"dissipation", 0.8}}},
    {"steel", {{"stiffness", 2e5}, {"yield-force", 3000}, {"hardening", 0.02}}},
};

static void add_law(ifd_builder *b, const law *l, int from, int to)
{
    const ifd_element_ops *ops = ifd_element_find(l->kind);
    ifd_value v[32];
    ifd_param_preset(ops->params, v);
    for (int i = 0; l->set[i].name; i++)
        v[ifd_param_find(ops->params, l->set[i].name)] = ifd_number(l->set[i].number);
    int ref[2] = {to, from};
    double coefficient[2] = {1, -1};
    ifd_coordinate q = {2, ref, coefficient};
    assert_int_equal(ifd_builder_element(b, ops, l->kind, &(ifd_coordinates){1, &q}, v, NULL), IFD_OK);
}

/* Both storeys begin at rest and with the same acceleration: the velocity of the upper one is first rounding. */
static ifd_model *shaken_storeys(ifd_arena *arena, const law *l, double mass, double spring, double peak)
{
    ifd_builder *b = ifd_builder_make(arena);
    int x1 = ifd_builder_dof(b, "x1", IFD_DOF_X), x2 = ifd_builder_dof(b, "x2", IFD_DOF_X);
    ifd_builder_add(b, IFD_MASS, x1, x1, mass);
    ifd_builder_add(b, IFD_MASS, x2, x2, 1300.0);
    ifd_builder_spring(b, IFD_STIFFNESS, IFD_GROUND, x1, 3e4);
    ifd_builder_spring(b, IFD_STIFFNESS, x1, x2, spring);
    ifd_builder_spring(b, IFD_DAMPING, IFD_GROUND, x1, 400);
    ifd_builder_spring(b, IFD_DAMPING, x1, x2, 200);
    add_law(b, l, IFD_GROUND, x1);
    add_law(b, l, x1, x2);
    ifd_builder_ground(b, IFD_DOF_X,
                       signal_of(arena, "chirp", "amplitude", peak, "from", 0.6, "to", 7.0, "duration", 6.0, NULL));
    return made(arena, b);
}

/* Newmark's error is of second order: 2e-4 of the peak at 0.5 ms, less than 1 mm of about 0.1 m. */
TEST_IN_ARENA(materials_that_remember_reversals_move_as_newmark_moves_them)
{
    static const double mass[] = {737, 1012, 555, 1420}, spring[] = {4.4e4, 1.7e5, 9e4, 3.1e4},
                        peak[] = {3.5, 4.6, 2.1, 3.0};
    for (size_t k = 0; k < COUNT(laws); k++)
        for (size_t i = 0; i < (BRIEF ? 1 : COUNT(mass)); i++) {
            ifd_model *m = shaken_storeys(*state, &laws[k], mass[i], spring[i], peak[i]);
            ifd_step_options newmark = options("newmark", 2.5e-4, NULL);
            const double *other = run_to(*state, &newmark, m, 6), *u = reference_at(*state, m, 5e-3, 6, 1e-10);
            assert_near(gap_of(2, u, other), 0, 1e-5, "%s, structure %zu", laws[k].kind, i);
        }
}

/* Events fall exactly on the end of unloading, where a hinge forgets its turning point, in some of these runs. */
TEST_IN_ARENA(steps_and_tolerances_agree_on_two_hinges)
{
    ifd_builder *b = chain_builder(*state, 3, 1000, 300, 1e5);
    add_law(b, &laws[0], IFD_GROUND, 0);
    add_law(b, &laws[0], 1, 2);
    static const double u0[] = {0.005, 0.01, -0.01}, v0[] = {0.02, 0, 0};
    for (int i = 0; i < 3; i++)
        ifd_builder_initial(b, i, u0[i], v0[i]);
    ifd_builder_force(b, 2, signal_of(*state, "sine", "amplitude", 5000.0, "frequency", 1.3, NULL));
    ifd_model *m = made(*state, b);
    const double *exact = reference_at(*state, m, 2e-3, 3, 1e-11);
    const double steps[] = {1e-3, 2e-3, 1e-2, 0.1}, tolerances[] = {1e-9, 1e-10, 1e-11};
    for (size_t i = 0; i < COUNT(steps); i++)
        for (size_t k = 0; k < COUNT(tolerances); k++)
            assert_near(gap_of(3, reference_at(*state, m, steps[i], 3, tolerances[k]), exact), 0, 1e-7,
                        "step %g, tolerance %g", steps[i], tolerances[k]);
}

/* The voltage begins at zero, where its tolerated error is smallest; it jumps at the end of a step, inside one, and
 * at the start, where the velocity is zero. */
TEST_IN_ARENA(a_jump_of_a_voltage_is_a_corner)
{
    const double jump[] = {0.25, 0.2503, 1e-4};
    for (size_t k = 0; k < COUNT(jump); k++) {
        double rows[] = {0, 0, jump[k], 2};
        const ifd_element_ops *ops = ifd_element_find("mr-damper");
        ifd_value v[32];
        ifd_param_preset(ops->params, v);
        v[ifd_param_find(ops->params, "schedule")] = ifd_matrix(rows, 2, 2);
        v[ifd_param_find(ops->params, "schedule")].given = true;
        ifd_builder *b = oscillator_builder(*state, 1000, 0, 1e5, 0.01, 0);
        add_on_dofs(b, "mr-damper", 1, (int[]){0}, v);
        ifd_model *m = made(*state, b);
        const double *fine = reference_at(*state, m, 1e-3, 0.5, 1e-13);
        for (double tolerance = 1e-9; tolerance > 5e-13; tolerance *= 0.1)
            assert_near(gap_of(2, reference_at(*state, m, 1e-3, 0.5, tolerance), fine), 0, 1e3 * tolerance,
                        "jump at %g s, tolerance %g", jump[k], tolerance);
    }
}

/* A step of a thousand years of a stiff mass. */
TEST_IN_ARENA(the_work_of_a_step_is_bounded)
{
    ifd_builder *b = oscillator_builder(*state, 1, 0, 0, 1, 0.5);
    add_pair(b, "cubic-spring", IFD_GROUND, 0, "stiffness", 400.0, "epsilon", 0.8, NULL);
    ifd_step_options opt = options("reference", 3e10, NULL);
    ifd_stepper *s = stepper_of(*state, &opt, made(*state, b));
    double *x = state_of(*state, s);
    ifd_stepper_stage(s, 0, 0, NULL, x);
    assert_int_equal(ifd_stepper_fault(s, x), IFD_STEP_WORK);
}

/* Taken up from a state that it did not leave itself, it starts afresh. */
TEST_IN_ARENA(a_restored_state_is_taken_up)
{
    ifd_builder *b = oscillator_builder(*state, 1, 0, 0, 1, 0.5);
    add_pair(b, "cubic-spring", IFD_GROUND, 0, "stiffness", 4.0, "epsilon", 0.8, NULL);
    ifd_step_options opt = options("reference", 0.1, NULL);
    ifd_stepper *s = stepper_of(*state, &opt, made(*state, b));
    double *x = state_of(*state, s), first[2], saved[2];
    advance_steps(s, 0, 5, x);
    memcpy(saved, x, sizeof saved);
    advance_steps(s, 5, 5, x);
    memcpy(first, x, sizeof first);
    memcpy(x, saved, sizeof saved);
    advance_steps(s, 5, 5, x);
    assert_near(gap_of(2, x, first), 0, 1e-8, "second time");
}

TESTS()
