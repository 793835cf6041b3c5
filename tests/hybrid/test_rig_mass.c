/* SPDX-License-Identifier: MIT */
/* Mass of the structure on the rig: carried by it, or subtracted from its measurements. Errors of both relative to
 * the reference are measured with the shipped cases (test_cases.c). */
#include "hybrid/hybrid.h"
#include "hybrid/hybrid_stand.h"

static ifd_value sensor[IFD_RIG_PARAMS];

static void prepare(stand *s, bool taken_out)
{
    stand_prepare(s, 4e5, 1e5);
    ifd_builder *b = ifd_builder_make(s->arena);
    ifd_builder_dof(b, "x", IFD_DOF_X);
    ifd_builder_dof(b, "y", IFD_DOF_X);
    ifd_builder_add(b, IFD_MASS, 0, 0, 1000.0);
    ifd_builder_add(b, IFD_MASS, 1, 1, 400.0);
    ifd_builder_spring(b, IFD_STIFFNESS, IFD_GROUND, 0, 4e5);
    ifd_builder_spring(b, IFD_STIFFNESS, 0, 1, 2e5);
    ifd_builder_initial(b, 0, 0.010, 0.0);
    ifd_model *m = NULL;
    assert_int_equal(ifd_model_make(s->arena, b, &m, NULL), IFD_OK);
    const ifd_actuator_kind *lag = ifd_actuator_find("second-order");
    ifd_param_preset(lag->params, s->actuator);
    s->actuator[ifd_param_find(lag->params, "frequency")] = ifd_number(100.0);
    s->actuator[ifd_param_find(lag->params, "mass")] = ifd_number(200.0);
    ifd_param_preset(ifd_sensor_params, sensor);
    s->bench.actuator = lag;
    s->bench.actuator_values = s->actuator;
    s->bench.accelerometer = taken_out ? sensor : NULL;
    s->laboratory.ramps = true;
    s->channel.mass = 200.0;
    s->channel.taken_out = taken_out;
    s->opt.model = m;
    s->opt.end = 1.0;
    s->opt.automatic = true;
    ifd_step_options_defaults(ifd_method_find("lsrt2"), 0.002, &s->opt.step);
}

static ifd_status make(stand *s, const char *says)
{
    ifd_note note;
    ifd_note_init(&note, s->arena);
    ifd_status status = ifd_hybrid_make(s->arena, &s->opt, &s->h, &note);
    if (status != IFD_OK && !strstr(note.first->text, says))
        fail_msg("said '%s', expected '%s'", note.first->text, says);
    if (status == IFD_OK) {
        s->t = ifd_hybrid_ticked(s->h);
        player_begin(&s->p, s->h, NULL);
    }
    return status;
}

TEST(mass_that_is_left_is_computed_no_more)
{
    stand s;
    prepare(&s, false);
    assert_int_equal(make(&s, ""), IFD_OK);
    assert_near(ifd__sparse_get(&s.h->opt.model->M, 0, 0), 800.0, 1e-9, "mass of the computed dof");
    assert_near(ifd__sparse_get(&s.h->opt.model->M, 1, 1), 400.0, 0.0, "mass of the other");
    assert_near(ifd__sparse_get(&s.opt.model->M, 0, 0), 1000.0, 0.0, "mass of the model that was given");
    ifd_arena_close(s.arena);
}

/* f - m a is the force of the spring alone, for any motion of the piston. */
TEST(inertia_that_is_taken_out_is_felt_no_more)
{
    stand s;
    double most = 0.0;
    prepare(&s, true);
    assert_int_equal(make(&s, ""), IFD_OK);
    assert_near(ifd__sparse_get(&s.h->opt.model->M, 0, 0), 1000.0, 0.0, "mass of the computed dof");
    for (int k = 0; k < 4000 && ifd_hybrid_state(s.h) <= IFD_MACHINE_RUN; k++) {
        s.t.tick(s.t.self, &(ifd_tick_in){.order = IFD_ORDER_NONE});
        double left = ifd__interface_of(s.h, 0)->measured_f - ifd__io_mass_force(&s.h->io, 0);
        assert_near(left, 1e5 * ifd__interface_of(s.h, 0)->measured_x, 1e-6, "force without inertia at tick %d", k);
        most = fmax(most, fabs(ifd__io_mass_force(&s.h->io, 0)));
    }
    assert_true(most > 100.0);
    ifd_arena_close(s.arena);
}

static double value(const stand *s, const char *owner, ifd_quantity q)
{
    int columns, at;
    const ifd_column *column = ifd_hybrid_columns(s->h, &columns);
    at = ifd_column_find(column, columns, owner, q);
    assert_true(at >= 0);
    return s->t.values(s->t.self)[at];
}

/* Base shear is the force of the supports: the springs to the ground, including the tested one, and by the balance of
 * momentum minus all mass times acceleration. The measured force includes the inertia of the mass on the rig. */
TEST(mass_that_is_left_is_no_base_shear)
{
    stand s;
    double most = 0.0, inertia = 0.0, off = 0.0;
    prepare(&s, false);
    s.opt.what = IFD_RECORD_EVERYTHING;
    assert_int_equal(make(&s, ""), IFD_OK);
    for (int k = 0; k < 4000 && ifd_hybrid_state(s.h) <= IFD_MACHINE_RUN; k++) {
        s.t.tick(s.t.self, &(ifd_tick_in){.order = IFD_ORDER_NONE});
        double a = value(&s, "x", IFD_COLUMN_ACCELERATION), base = value(&s, "", IFD_COLUMN_BASE_SHEAR_X);
        double t = value(&s, "", IFD_COLUMN_TEST_TIME);
        if (t == 0.0 || t > 0.99)
            continue;
        assert_near(base, -1000.0 * a - 400.0 * value(&s, "y", IFD_COLUMN_ACCELERATION), 1e-6, "at tick %d", k);
        if (t > 0.2) /* the piston has followed the release at t = 0 */
            off = fmax(off, fabs(base - 5e5 * value(&s, "x", IFD_COLUMN_DISPLACEMENT)));
        most = fmax(most, fabs(base));
        inertia = fmax(inertia, fabs(200.0 * a));
    }
    assert_true(inertia > 0.15 * most);
    assert_true(off < 0.05 * most); /* the piston lags by 2 ms */
    ifd_arena_close(s.arena);
}

/* Base shear alone requires the acceleration for its correction. */
TEST(base_shear_alone_is_the_same)
{
    stand all, alone;
    prepare(&all, false);
    prepare(&alone, false);
    all.opt.what = IFD_RECORD_EVERYTHING;
    alone.opt.what = IFD_RECORD_BASE_SHEAR;
    assert_int_equal(make(&all, ""), IFD_OK);
    assert_int_equal(make(&alone, ""), IFD_OK);
    for (int k = 0; k < 3000; k++) {
        all.t.tick(all.t.self, &(ifd_tick_in){.order = IFD_ORDER_NONE});
        alone.t.tick(alone.t.self, &(ifd_tick_in){.order = IFD_ORDER_NONE});
        assert_near(value(&alone, "", IFD_COLUMN_BASE_SHEAR_X), value(&all, "", IFD_COLUMN_BASE_SHEAR_X), 0.0,
                    "at tick %d", k);
    }
    ifd_arena_close(all.arena);
    ifd_arena_close(alone.arena);
}

TEST(a_missing_acceleration_trips)
{
    stand s;
    prepare(&s, true);
    s.channel.accelerometer = 5;
    assert_int_equal(make(&s, ""), IFD_OK);
    for (int k = 0; k < 1000 && ifd_hybrid_state(s.h) != IFD_MACHINE_TRIPPED; k++)
        s.t.tick(s.t.self, &(ifd_tick_in){.order = IFD_ORDER_NONE});
    assert_int_equal(ifd_hybrid_trip(s.h).trip, IFD_TRIP_NOT_FINITE);
    assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_TRIPPED);
    ifd_arena_close(s.arena);
}

TEST(what_cannot_be_right_is_refused)
{
    stand s;
    prepare(&s, false);
    s.channel.mass = 1000.0;
    assert_int_equal(make(&s, "expected less than the mass"), IFD_RANGE);
    s.channel.mass = -1.0;
    assert_int_equal(make(&s, "expected zero or more"), IFD_RANGE);
    s.channel.mass = 200.0;
    s.channel.from = 1;
    assert_int_equal(make(&s, "between the ground and a dof"), IFD_UNSUPPORTED);
    s.channel.from = IFD_GROUND;
    s.opt.lambda = 10.0;
    assert_int_equal(make(&s, "only in real time"), IFD_UNSUPPORTED);
    s.channel.taken_out = true;
    s.channel.accelerometer = IFD_RIG_AUX;
    assert_int_equal(make(&s, "does not exist"), IFD_RANGE);
    ifd_arena_close(s.arena);
}

TESTS()
