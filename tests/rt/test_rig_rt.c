/* SPDX-License-Identifier: MIT */
/* The components of the laboratory allocate nothing while they run. */
#include "check.h"
#include "fixture.h"

#include "rt/alloc_count.h"

#include <string.h>

#include <interfield/compensator.h>
#include <interfield/indicator.h>
#include <interfield/rig.h>

static const double tick = 1e-3;

/* Every required number has a small value; every optional effect is enabled. */
static void fill(const ifd_param *params, ifd_value *v)
{
    static const char *const on[] = {"stroke", "velocity", "backlash", "friction",
                                     "force",  "noise",    "dropout",  "filter"};
    ifd_param_preset(params, v);
    for (int i = 0; params[i].name; i++) {
        if (params[i].required)
            v[i] = ifd_number(0.0123);
        for (size_t k = 0; k < COUNT(on); k++)
            if (strcmp(params[i].name, on[k]) == 0 && params[i].shape == IFD_SHAPE_SCALAR && params[i].preset == 0)
                v[i] = ifd_number(0.01);
    }
}

static double *state_of(int size)
{
    double *s = ifd_arena_array(arena, (size_t)size, sizeof *s);
    assert_non_null(s);
    return s;
}

TEST(actuators_allocate_nothing)
{
    for (int i = 0; i < ifd_actuator_count; i++) {
        ifd_value v[IFD_RIG_PARAMS];
        ifd_actuator *a;
        fill(ifd_actuators[i]->params, v);
        assert_int_equal(ifd_actuator_make(arena, ifd_actuators[i], v, tick, &a, NULL), IFD_OK);
        double *s = state_of(a->size);
        alloc_arm();
        ifd_actuator_begin(a, 0, s);
        for (int k = 0; k < 1000; k++)
            ifd_actuator_step(a, &(ifd_actuator_in){.u = 0.02 * (k % 50), .load = k}, s);
        assert_int_equal(alloc_disarm(), 0);
    }
}

TEST(compensators_allocate_nothing)
{
    for (int i = 0; i < ifd_compensator_count; i++) {
        ifd_value v[IFD_COMPENSATOR_PARAMS];
        ifd_compensator *c;
        fill(ifd_compensators[i]->params, v);
        assert_int_equal(ifd_compensator_make(arena, ifd_compensators[i], v, tick, &c, NULL), IFD_OK);
        double *s = state_of(c->size);
        alloc_arm();
        ifd_compensator_begin(c, 0, s);
        for (int k = 0; k < 1000; k++)
            ifd_compensator_step(c, &(ifd_compensator_in){.x = sin(k), .v = cos(k), .a = -sin(k), .xm = sin(k - 0.1)},
                                 s);
        assert_int_equal(alloc_disarm(), 0);
    }
}

TEST(sensors_and_indicators_allocate_nothing)
{
    ifd_value v[IFD_RIG_PARAMS];
    ifd_sensor *c;
    ifd_indicator *d;
    fill(ifd_sensor_params, v);
    assert_int_equal(ifd_sensor_make(arena, v, tick, &c, NULL), IFD_OK);
    assert_int_equal(ifd_indicator_make(arena, 1, tick, &d, NULL), IFD_OK);
    double *s = state_of(c->size), *t = state_of(d->size);
    alloc_arm();
    ifd_sensor_begin(c, 0, s);
    ifd_indicator_begin(d, t);
    for (int k = 0; k < 1000; k++) {
        double xm = ifd_sensor_step(c, sin(k), false, s);
        ifd_indicator_step(d, &(ifd_indicator_in){sin(k), cos(k), xm, xm}, t);
    }
    assert_int_equal(alloc_disarm(), 0);
}

TESTS_WITH(open_arena, close_arena)
