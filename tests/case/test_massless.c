/* SPDX-License-Identifier: MIT */
/* Dofs without mass under nonlinear elements: integrated with M_ii = 0 by LSRT1 and LSRT2, refused by other
 * methods. */
#include "case/texts.h"

#include <interfield/analysis.h>
#include <interfield/model.h>

#include <complex.h>
#include <string.h>

/* A column whose rotation has no mass and a hardening spring: 1e6 (th + 400 th^3). */
#define COLUMN(method, mass, rest)                                                                                   \
    "time: {step: 1 ms, end: 2 s}\nmethod: " method "\n"                                                             \
    "model:\n  dofs: [x, th]\n  kinds: {th: rz}\n  mass: [2.0e+4, " mass "]\n  damping: [2000, 0]\n"                 \
    "  stiffness: [[12.0e+6, -6.0e+6], [-6.0e+6, 4.0e+6]]\n"                                                         \
    "  elements: [{name: spring, cubic-spring: {at: th, stiffness: 1.0e+6, epsilon: 400}}]\n" rest
#define LOADED "loads: [{at: x, force: {sine: {amplitude: 300 kN, frequency: 9 rad/s}}}]\n"

enum { MOST_ROWS = 16384 };
typedef struct motion {
    int rows;
    double u[MOST_ROWS], peak, end;
} motion;

static int find(const ifd_run *r, const char *owner, ifd_quantity quantity)
{
    int count, at = 0;
    const ifd_column *column = ifd_run_columns(r, &count);
    while (at < count && (column[at].quantity != quantity || strcmp(column[at].owner, owner) != 0))
        at++;
    return at < count ? at : -1;
}

static void move(const ifd_case *c, const char *owner, motion *m)
{
    ifd_run *r;
    m->rows = 0;
    m->peak = 0.0;
    assert_int_equal(ifd_run_make(arena, &c->run, &r, &note), IFD_OK);
    int at = find(r, owner, IFD_COLUMN_DISPLACEMENT);
    assert_true(at >= 0);
    for (bool going = true; going;) {
        going = ifd_run_tick(r) == IFD_RUN_GOING;
        if (!ifd_run_fresh(r))
            continue;
        m->end = ifd_run_values(r)[at];
        m->peak = fmax(m->peak, fabs(m->end));
        if (m->rows < MOST_ROWS)
            m->u[m->rows++] = m->end;
    }
    ifd_run_close(r);
}

static void play(const char *text, const char *set, const char *owner, motion *m)
{
    move(read_set(text, set), owner, m);
}

/* The independent program at 1 ms, to its last digit; and this one with 1e-6 kg m2 at the rotation. */
TEST_IN_ARENA(a_rotation_without_mass_moves_as_computed_independently)
{
    static const char *const mass[] = {"0", "1.0e-6"};
    static motion m;
    for (int i = 0; i < 2; i++) {
        const char *text = i ? COLUMN("{lsrt2: {jacobian: exact}}", "1.0e-6", LOADED)
                             : COLUMN("{lsrt2: {jacobian: exact}}", "0", LOADED);
        play(text, NULL, "x", &m);
        assert_near_rel(m.peak, 0.0983139407, 1e-9, "peak of x, mass %s", mass[i]);
        assert_near_rel(m.end, -0.0292741701, 5e-9, "x at the end, mass %s", mass[i]);
        play(text, NULL, "th", &m);
        assert_near_rel(m.peak, 0.0788130169, 1e-9, "peak of th, mass %s", mass[i]);
        assert_near_rel(m.end, -0.0324064443, 5e-9, "th at the end, mass %s", mass[i]);
    }
}

/* Differences to a step of 0.5 ms; its own error adds 1/64 to a quarter. */
TEST_IN_ARENA(displacement_and_rotation_converge_at_second_order)
{
    static const char text[] = COLUMN("{lsrt2: {jacobian: exact}}", "0", LOADED);
    static const char *const owner[] = {"x", "th"};
    static motion fine, coarse;
    for (int d = 0; d < 2; d++) {
        double error[2];
        play(text, "time.step=0.5 ms", owner[d], &fine);
        for (int i = 0; i < 2; i++) {
            int every = i ? 8 : 16;
            play(text, i ? "time.step=4 ms" : "time.step=8 ms", owner[d], &coarse);
            error[i] = 0.0;
            for (int k = 0; k < coarse.rows && (k + 1) * every <= fine.rows; k++)
                error[i] = fmax(error[i], fabs(coarse.u[k] - fine.u[(k + 1) * every - 1]));
        }
        assert_true(error[0] > 1e-6);
        assert_near(log2(error[0] / error[1]), 2.0, 0.12, "order of %s", owner[d]);
    }
}

/* x stays at 20 mm; -6e6 x + 5e6 th + 4e8 th^3 = 0 has one real root, by Cardano. */
TEST_IN_ARENA(it_starts_in_equilibrium_where_the_others_are)
{
    const ifd_model *m = read(COLUMN("lsrt2", "0", "initial: {displacement: {x: 20 mm}}\n"))->run.model;
    double p = 5e6 / 4e8, q = -6e6 * 0.02 / 4e8, root = sqrt(q * q / 4.0 + p * p * p / 27.0);
    assert_near_rel(m->u0[1], cbrt(-q / 2.0 + root) + cbrt(-q / 2.0 - root), 1e-12, "rotation at the start");
    assert_near_rel(m->u0[0], 0.02, 1e-15, "displacement");
    assert_true(m->massless[1] && !m->massless[0]);
}

/* K_xx - K_xt^2/(K_tt + k) = 4.8e6 N/m on 20 t. */
TEST_IN_ARENA(its_modes_are_those_of_the_dofs_with_mass)
{
    const ifd_model *m = read(COLUMN("lsrt2", "0", ""))->run.model;
    ifd_modes modes;
    assert_int_equal(ifd_model_modes(m, IFD_DOF_X, -1, arena, &modes, &note), IFD_OK);
    assert_int_equal(modes.count, 1);
    assert_near_rel(modes.frequency[0], sqrt(4.8e6 / 2e4) / (2.0 * acos(-1.0)), 1e-12, "frequency");
    assert_near_rel(modes.shape[0], 1.0 / sqrt(2e4), 1e-12, "unit modal mass");
    assert_near_rel(modes.shape[1], 1.2 * modes.shape[0], 1e-12, "rotation");
}

/* (M s^2 + C s + K (1 + b s)) x = 0 with the tangent of the spring, without the rotation: the root of the mode solves
 * m s^2 + c s + K_xx g - K_xt^2 g^2/(K_tt g + k) = 0, g = 1 + b s. With b the rotation has a rate. */
TEST_IN_ARENA(its_roots_are_those_of_the_dofs_with_mass)
{
    static const double damped[] = {0.0, 2e-4};
    for (int i = 0; i < 2; i++) {
        const ifd_case *c =
            read(i ? COLUMN("lsrt2", "0", "  rayleigh: {mass: 0, stiffness: 0.2 ms}\n") : COLUMN("lsrt2", "0", ""));
        ifd_stability of;
        assert_int_equal(ifd_stability_find(arena, &c->run, &of, &note), IFD_OK);
        assert_int_equal(of.modes, 1);
        const double complex up = (double complex)I, s = of.mode[0].omega / of.step * (up - of.mode[0].exact_damping),
                             g = 1.0 + damped[i] * s, x = 2e4 * s * s + 2000.0 * s + 12e6 * g,
                             t = 36e12 * g * g / (4e6 * g + 1e6);
        assert_near(cabs(x - t) / cabs(t), 0.0, 1e-10, "equation of the root, damping %g s", damped[i]);
        assert_near_rel(cabs(s), sqrt(4.8e6 / 2e4), 1e-3, "root");
        assert_near_rel(of.mode[0].frequency, cimag(s) / (2.0 * acos(-1.0)), 1e-4, "root of the method");
        assert_true(of.stable);
    }
}

/* A column of reinforced concrete under 800 kN, whose head has no rotational mass: the independent program, which has
 * none either, and the frequency of the loaded column. */
TEST_IN_ARENA(a_rotation_that_only_fibres_hold_needs_no_mass)
{
    static motion m;
    const ifd_case *c = NULL;
    ifd_case *found = NULL;
    ifd_stability of;
    ifd_modes modes;
    assert_int_equal(ifd_case_read(arena, IFD_SOURCE_DIR "/cases/rc-frame/column.yaml", 0, NULL, &found, &note),
                     IFD_OK);
    c = found;
    assert_true(c->run.model->massless[ifd_model_find_dof(c->run.model, "b.rz")]);
    assert_int_equal(ifd_model_modes(c->run.model, IFD_DOF_X, -1, arena, &modes, &note), IFD_OK);
    assert_int_equal(modes.count, 2);
    assert_near_rel(modes.frequency[0], 1.51614002, 3e-9, "frequency of the loaded column");
    assert_int_equal(ifd_stability_find(arena, &c->run, &of, &note), IFD_OK);
    double omega = hypot(1.0, of.mode[0].exact_damping) * of.mode[0].omega / of.step;
    assert_near_rel(omega / (2.0 * acos(-1.0)), 1.51614002, 3e-9, "root of the loaded column");
    move(c, "b.x", &m);
    assert_near_rel(m.peak, 0.0829727720, 1e-9, "peak");
    assert_near_rel(m.end, -0.0342349645, 2e-9, "end");
}

TEST_IN_ARENA(it_has_a_velocity_and_no_acceleration)
{
    const ifd_case *c = read(COLUMN("lsrt1", "0", LOADED));
    ifd_run *r;
    assert_int_equal(ifd_run_make(arena, &c->run, &r, &note), IFD_OK);
    assert_true(find(r, "th", IFD_COLUMN_VELOCITY) >= 0);
    assert_true(find(r, "x", IFD_COLUMN_ACCELERATION) >= 0);
    assert_int_equal(find(r, "th", IFD_COLUMN_ACCELERATION), -1);
    ifd_run_close(r);
}

/* A spring without cubic term and a dashpot in series through a dof without mass: the element maxwell. */
TEST_IN_ARENA(a_dashpot_may_hold_it)
{
    static const char head[] = "time: {step: 0.5 ms, end: 1 s}\nmethod: {lsrt2: {jacobian: exact}}\nmodel:\n",
                      load[] = "loads: [{at: x, force: {sine: {amplitude: 1 kN, frequency: 2 Hz}}}]\n";
    static motion series, element;
    play(ifd_arena_print(arena,
                         "%s  dofs: [x, n]\n  mass: [100, 0]\n  stiffness: [[2.0e+4, 0], [0, 0]]\n  elements:\n"
                         "    - {dashpot: {between: [x, n], damping: 800}}\n"
                         "    - {cubic-spring: {at: n, stiffness: 3.0e+4, epsilon: 1.0e-9}}\n%s",
                         head, load),
         NULL, "x", &series);
    play(ifd_arena_print(arena,
                         "%s  dofs: [x]\n  mass: [100]\n  stiffness: [2.0e+4]\n  elements:\n"
                         "    - {maxwell: {at: x, branches: [[3.0e+4, 800]]}}\n%s",
                         head, load),
         NULL, "x", &element);
    assert_true(element.peak > 0.01);
    for (int i = 0; i < element.rows; i++)
        assert_near(series.u[i], element.u[i], 1e-5 * element.peak, "row %d", i);
}

/* Sand at 1.5 m behind 330 MN/m and 0.2 MN s/m, 30 t. */
#define FAR(attached)                                                                                                \
    "time: {step: 0.125 ms, end: 2 s}\nloads: [{at: x, force: {sine: {amplitude: 80 kN, frequency: 1.5 Hz}}}]\n"     \
    "model:\n  dofs: [x]\n  mass: 30 t\n  damping: [[2 kN s/m]]\n  elements:\n    - name: side\n"                    \
    "      p-y: {" attached                                                                                          \
    ", depth: 1.5 m, diameter: 0.6 m, far-field: {stiffness: 330 MN/m, damping: 0.2 MN s/m},"                        \
    " sand: {friction-angle: 35 deg, weight: 10 kN/m3, modulus: 22 MN/m3}}\n"

/* The peak is that of the midpoint rule with steps of 1.6 us, in another program; the bounds are the errors of an
 * independent one of order 2. The error of the step of 0.125 ms is 1/64 of that of 1 ms. */
TEST_IN_ARENA(a_far_field_behind_a_soil_spring_moves_as_computed_independently)
{
    static const double most[][2] = {{4, 3.9e-3}, {2, 1.3e-3}, {1, 3.3e-4}};
    static motion fine, coarse;
    double error[COUNT(most)];
    play(FAR("between: [ground, x]"), NULL, "x", &fine);
    assert_near(fine.peak, 6.50537499e-3, 6.5e-3 * most[2][1] / 64, "peak");
    for (size_t i = 0; i < COUNT(most); i++) {
        int every = (int)(most[i][0] / 0.125);
        play(FAR("at: x"), ifd_arena_print(arena, "time.step=%g ms", most[i][0]), "x", &coarse);
        assert_int_equal(coarse.rows * every, fine.rows);
        error[i] = 0.0;
        for (int k = 0; k < coarse.rows; k++)
            error[i] = fmax(error[i], fabs(coarse.u[k] - fine.u[(k + 1) * every - 1]) / fine.peak);
        assert_true(error[i] < most[i][1]);
    }
    assert_near(log2(error[0] / error[2]) / 2.0, 2.0, 0.1, "order");
}

/* At rest the springs are in series: k is pi D friction/2.5 mm of t-z in sand, 0.25 Q/(0.002 D) of q-z. */
TEST_IN_ARENA(a_far_field_is_in_series_with_the_law_of_every_soil_spring)
{
    static const char *const law[] = {"t-z: {at: x, friction: 40 kPa, soil: sand, diameter: 0.6 m",
                                      "q-z: {between: [ground, x], resistance: 800 kN, side: above, diameter: 0.6 m"};
    const double k[] = {acos(-1.0) * 0.6 * 40e3 / 2.5e-3, 0.25 * 800e3 / (0.002 * 0.6)}, far = 50e6;
    for (int i = 0; i < 2; i++) {
        const ifd_model *m = read(ifd_arena_print(arena,
                                                  "time: {step: 1 ms, end: 1 s}\nmodel:\n  dofs: [x]\n  mass: 30 t\n"
                                                  "  elements: [{name: s, %s, far-field: {stiffness: %g}}}]\n",
                                                  law[i], far))
                                 ->run.model;
        ifd_modes modes;
        assert_int_equal(ifd_model_modes(m, IFD_DOF_X, -1, arena, &modes, &note), IFD_OK);
        assert_int_equal(modes.count, 1);
        assert_near_rel(modes.frequency[0], sqrt(k[i] * far / (k[i] + far) / 30e3) / (2.0 * acos(-1.0)), 1e-12, "%s",
                        law[i]);
    }
}

static const char *refusal(const char *text)
{
    ifd_case *c = NULL;
    const ifd_case_source source = {.path = files_write("case.yaml", text)};
    ifd_note_init(&note, arena);
    assert_int_equal(ifd_case_read_source(arena, &source, &c, &note), IFD_MASSLESS);
    const char *said = note.first->text;
    ifd_note_init(&note, arena);
    return said;
}

TEST_IN_ARENA(other_methods_and_specimens_need_its_mass)
{
    assert_non_null(strstr(refusal(COLUMN("newmark", "0", "")), "dof 'th' has no mass, but element 'spring'"));
    assert_non_null(
        strstr(refusal(COLUMN("lsrt2", "0",
                              "specimen: [{name: s, spring: {at: th, stiffness: 1.0e+5}, limits: {stroke: "
                              "1, velocity: 1, acceleration: 10, force: 1.0e+6, tracking: 1}}]\n"
                              "test: {rig: virtual}\n")),
               "uses dof 'th', which has no mass and no acceleration"));
    assert_non_null(
        strstr(refusal("time: {step: 1 ms, end: 1 s}\nmodel: {dofs: [x, n], mass: [1, 0], stiffness: [[1, "
                       "0], [0, 0]], elements: [{gap: {between: [x, n], stiffness: 1, gap: 1}}]}\n"),
               "dof 'n' has no mass, but element"));
    ifd_case *c = NULL;
    const char *set = "method=newmark";
    assert_int_equal(ifd_case_read(arena, IFD_SOURCE_DIR "/cases/rc-frame/column.yaml", 1, &set, &c, &note),
                     IFD_MASSLESS);
    assert_non_null(strstr(note.first->text, "dof 'b.rz' has no mass, but element 'a-b' (fibre-member)"));
    assert_non_null(strstr(note.first->hint, "'mass: consistent', or use the method lsrt1 or lsrt2"));
    ifd_note_init(&note, arena);
}

TESTS_WITH(files_open, files_close)
