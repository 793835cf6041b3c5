/* SPDX-License-Identifier: MIT */
/* The reference against closed forms. */
#include "method/fixtures.h"

#include "method/reference.h"

static double *reference_at(ifd_arena *arena, const ifd_model *m, double h, double end, double tolerance)
{
    ifd_step_options opt = options("reference", h, (pair[]){{"tolerance", tolerance, NULL}, {0}});
    return run_to(arena, &opt, m, end);
}

static void a_damped_oscillator_swings_out_exactly(void **state)
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

static void a_free_mass_and_an_overdamped_one_are_exact(void **state)
{
    double *x = reference_at(*state, oscillator(*state, 3, 0, 0, 1, 2), 0.1, 5, 1e-10);
    assert_near_rel(x[0], 11.0, 1e-13, "free");
    double c = 10, k = 4, root = sqrt(c * c / 4 - k), r1 = -c / 2 + root, r2 = -c / 2 - root, t = 2;
    x = reference_at(*state, oscillator(*state, 1, c, k, 1, 0), 0.1, t, 1e-10);
    assert_near(x[0], (r1 * exp(r2 * t) - r2 * exp(r1 * t)) / (r1 - r2), 1e-14, "overdamped");
}

static void a_harmonic_force_is_integrated_exactly(void **state)
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

static void a_record_between_samples_is_integrated_exactly(void **state)
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

static void modes_and_the_whole_exponential_agree(void **state)
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

static void dashpots_that_couple_the_modes_go_through_the_whole_exponential(void **state)
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
static void a_large_swing_has_its_period(void **state)
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
static void a_thrown_mass_slips_as_the_closed_form_says(void **state)
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
static void a_mass_rebounds_from_a_gap_as_the_closed_form_says(void **state)
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

static void two_tolerances_agree_on_a_shaken_bearing(void **state)
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

static void the_energy_of_an_undamped_nonlinear_model_stays(void **state)
{
    ifd_builder *b = oscillator_builder(*state, 1, 0, 0, 1, 0.5);
    add_pair(b, "cubic-spring", IFD_GROUND, 0, "stiffness", 4.0, "epsilon", 0.8, NULL);
    double *x = reference_at(*state, made(*state, b), 0.1, 20, 1e-11);
    double u2 = x[0] * x[0], now = 0.5 * x[1] * x[1] + 4 * u2 * (0.5 + 0.2 * u2), start = 0.125 + 4 * 0.7;
    assert_near(now, start, 2e-9, "energy");
}

/* Taken up from a state that it did not leave itself, it starts afresh. */
static void a_restored_state_is_taken_up(void **state)
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        in_arena(a_damped_oscillator_swings_out_exactly),
        in_arena(a_free_mass_and_an_overdamped_one_are_exact),
        in_arena(a_harmonic_force_is_integrated_exactly),
        in_arena(a_record_between_samples_is_integrated_exactly),
        in_arena(modes_and_the_whole_exponential_agree),
        in_arena(dashpots_that_couple_the_modes_go_through_the_whole_exponential),
        in_arena(a_large_swing_has_its_period),
        in_arena(a_thrown_mass_slips_as_the_closed_form_says),
        in_arena(a_mass_rebounds_from_a_gap_as_the_closed_form_says),
        in_arena(two_tolerances_agree_on_a_shaken_bearing),
        in_arena(the_energy_of_an_undamped_nonlinear_model_stays),
        in_arena(a_restored_state_is_taken_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
