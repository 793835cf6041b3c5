/* SPDX-License-Identifier: MIT */
/* A complete model as specimen on the virtual rig. */
#include "check.h"

#include <math.h>
#include <string.h>

#include <interfield/virtual.h>

#include "rig/virtual/mounted.h"

static const double two_pi = 6.28318530717958647693;

typedef struct stand {
    ifd_arena *arena;
    ifd_builder *b;
    ifd_virtual_model setup;
    int support, channel;
    ifd__mounted m;
    double *x;
} stand;

static void open_stand(stand *s)
{
    const ifd_signal *still;
    memset(s, 0, sizeof *s);
    s->arena = ifd_arena_open();
    s->b = ifd_builder_make(s->arena);
    assert_int_equal(ifd_signal_make_sum(s->arena, 0, NULL, NULL, NULL, &still), IFD_OK);
    ifd_builder_support(s->b, "base", still);
}

static ifd_status make_stand(stand *s, const char *method, double tick, int substeps)
{
    ifd_model *model = NULL;
    ifd_note note;
    ifd_note_init(&note, s->arena);
    assert_int_equal(ifd_model_make(s->arena, s->b, &model, &note), IFD_OK);
    s->setup = (ifd_virtual_model){.name = "specimen",
                                   .model = model,
                                   .substeps = substeps,
                                   .drives = 1,
                                   .support = &s->support,
                                   .actuator = &s->channel};
    ifd_step_options_defaults(ifd_method_find(method), tick, &s->setup.step);
    ifd_status status = ifd__mounted_make(&s->m, s->arena, &s->setup, tick, &note);
    if (status == IFD_OK) {
        s->x = ifd_arena_array(s->arena, (size_t)s->m.size, sizeof *s->x);
        ifd__mounted_begin(&s->m, &(double){0.0}, s->x);
    }
    return status;
}

/* The base moves as (1 - cos w t)/2 of 10 mm, 2 Hz. */
static void base(double t, double y[3])
{
    const double w = two_pi * 2.0, a = 0.005;
    y[0] = a * (1.0 - cos(w * t));
    y[1] = a * w * sin(w * t);
    y[2] = a * w * w * cos(w * t);
}

static double force_after(stand *s, double t)
{
    double y[3];
    base(t + s->m.tick, y);
    ifd__mounted_step(&s->m, t, y, s->x);
    return ifd__mounted_force(s->x)[0];
}

static void add_oscillator(ifd_builder *b)
{
    int y = ifd_builder_dof(b, "y", IFD_DOF_X);
    ifd_builder_add(b, IFD_MASS, y, y, 2.0);
    ifd_builder_spring(b, IFD_STIFFNESS, IFD_SUPPORT(0), y, 800.0);
    ifd_builder_spring(b, IFD_DAMPING, IFD_SUPPORT(0), y, 3.0);
    ifd_builder_spring(b, IFD_MASS, IFD_GROUND, IFD_SUPPORT(0), 0.5); /* moves with the base */
}

/* f = 0.5 a_s - 800 (y - x_s) - 3 (y' - x_s'), y by Runge-Kutta on the given motion. */
static double oscillator_force(double t, double z[2], double h)
{
    double k[4][2], q[2], y[3];
    const double node[4] = {0.0, 0.5, 0.5, 1.0};
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 2; j++)
            q[j] = z[j] + (i ? node[i] * h * k[i - 1][j] : 0.0);
        base(t + node[i] * h, y);
        k[i][0] = q[1];
        k[i][1] = -(800.0 * (q[0] - y[0]) + 3.0 * (q[1] - y[1])) / 2.0;
    }
    for (int j = 0; j < 2; j++)
        z[j] += h / 6.0 * (k[0][j] + 2.0 * k[1][j] + 2.0 * k[2][j] + k[3][j]);
    base(t + h, y);
    return 0.5 * y[2] - 800.0 * (z[0] - y[0]) - 3.0 * (z[1] - y[1]);
}

static double worst_error(int substeps, double tick)
{
    stand s;
    double z[2] = {0.0, 0.0}, worst = 0.0, most = 0.0;
    open_stand(&s);
    add_oscillator(s.b);
    assert_int_equal(make_stand(&s, "lsrt2", tick, substeps), IFD_OK);
    double y[3];
    base(0.0, y); /* it starts with an acceleration, set by a step of zero length */
    memcpy(s.x + 1, y, sizeof y);
    for (int k = 0; k < (int)lround(2.0 / tick); k++) {
        double f = force_after(&s, k * tick), truth = 0.0;
        for (int i = 0; i < 8; i++)
            truth = oscillator_force(k * tick + i * tick / 8, z, tick / 8);
        worst = fmax(worst, fabs(f - truth));
        most = fmax(most, fabs(truth));
    }
    ifd_arena_close(s.arena);
    return worst / most;
}

TEST(the_load_cell_feels_the_reaction_of_a_moved_oscillator)
{
    double coarse = worst_error(1, 1e-3), fine = worst_error(4, 1e-3);
    assert_near(coarse, 0.0, 2e-4, "error of the force with one step per tick");
    assert_near(log2(coarse / fine) / 2.0, 2.0, 0.1, "order in the steps of a tick");
}

/* Only mass at the base: force is mass times acceleration in every tick. */
TEST(a_mass_at_the_base_is_felt_at_once)
{
    stand s;
    open_stand(&s);
    int y = ifd_builder_dof(s.b, "y", IFD_DOF_X); /* a model needs a dof; it is not moved */
    ifd_builder_add(s.b, IFD_MASS, y, y, 1.0);
    ifd_builder_spring(s.b, IFD_STIFFNESS, IFD_GROUND, y, 10.0);
    ifd_builder_spring(s.b, IFD_MASS, IFD_GROUND, IFD_SUPPORT(0), 7.0);
    assert_int_equal(make_stand(&s, "lsrt2", 1e-3, 1), IFD_OK);
    for (int k = 0; k < 100; k++) {
        double motion[3], f = force_after(&s, k * 1e-3);
        base((k + 1) * 1e-3, motion);
        assert_near(f, 7.0 * motion[2], 1e-12, "force at tick %d", k);
    }
    ifd_arena_close(s.arena);
}

/* A spring of 400 N/m and a dashpot of 9 N s/m join a wall and the base, which is held. The wall is at 3 mm cos(w t)
 * of simulated time, which rests first and then goes at half of the rate of the rig. */
TEST(a_wall_moves_with_simulated_time)
{
    stand s;
    const double w = two_pi * 3.0, A = 3e-3, tick = 1e-3, held[3] = {0.0, 0.0, 0.0};
    open_stand(&s);
    const ifd_signal_kind *cosine = ifd_signal_find("cosine");
    const ifd_signal *wall = NULL;
    ifd_value values[8];
    ifd_param_preset(cosine->params, values);
    values[0] = ifd_number(A);
    values[1] = ifd_number(3.0);
    assert_int_equal(ifd_signal_make(s.arena, cosine, values, NULL, &wall, NULL), IFD_OK);
    int y = ifd_builder_dof(s.b, "y", IFD_DOF_X), at = ifd_builder_support(s.b, "wall", wall);
    ifd_builder_add(s.b, IFD_MASS, y, y, 1.0);
    ifd_builder_spring(s.b, IFD_STIFFNESS, IFD_GROUND, y, 10.0);
    ifd_builder_spring(s.b, IFD_STIFFNESS, at, IFD_SUPPORT(0), 400.0);
    ifd_builder_spring(s.b, IFD_DAMPING, at, IFD_SUPPORT(0), 9.0);
    assert_int_equal(make_stand(&s, "lsrt2", tick, 1), IFD_OK);
    for (int k = 0; k < 300; k++) {
        double rate = k < 100 ? 0.0 : 0.5, t = k < 100 ? 0.0 : 0.5 * tick * (k - 99);
        ifd__mounted_step(&s.m, t - tick, held, s.x);
        double f = -400.0 * A * cos(w * t) + 9.0 * rate * A * w * sin(w * t);
        assert_near(ifd__mounted_force(s.x)[0], f, 1e-12, "force in tick %d", k);
    }
    ifd_arena_close(s.arena);
}

TEST(its_state_is_all_in_the_array)
{
    stand s;
    double saved[64], first[50];
    open_stand(&s);
    add_oscillator(s.b);
    assert_int_equal(make_stand(&s, "lsrt2", 1e-3, 2), IFD_OK);
    assert_true(s.m.size <= (int)COUNT(saved));
    for (int k = 0; k < 100; k++)
        force_after(&s, k * 1e-3);
    memcpy(saved, s.x, sizeof *saved * (size_t)s.m.size);
    for (int k = 0; k < 50; k++)
        first[k] = force_after(&s, (100 + k) * 1e-3);
    memcpy(s.x, saved, sizeof *saved * (size_t)s.m.size);
    for (int k = 0; k < 50; k++)
        assert_near(force_after(&s, (100 + k) * 1e-3), first[k], 0.0, "force at tick %d, again", k);
    ifd_arena_close(s.arena);
}

TEST(what_cannot_be_moved_is_refused)
{
    stand s;
    open_stand(&s);
    add_oscillator(s.b);
    s.support = 1;
    assert_int_equal(make_stand(&s, "lsrt2", 1e-3, 1), IFD_UNKNOWN_NAME);
    ifd_arena_close(s.arena);
    open_stand(&s);
    add_oscillator(s.b);
    assert_int_equal(make_stand(&s, "reference", 1e-3, 1), IFD_UNSUPPORTED);
    ifd_arena_close(s.arena);
}

TESTS()
