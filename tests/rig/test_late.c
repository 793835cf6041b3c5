/* SPDX-License-Identifier: MIT */
#include "check.h"

#include <string.h>

#include "rig/virtual/late.h"

enum { TICKS = 400 };
static const double tick = 1e-3;

static double path(int k)
{
    return 0.01 * sin(0.05 * k) + 0.002 * sin(0.31 * k);
}

/* Positions and forces of a rig moved along the path. */
static void lead(const ifd_rig_ops *ops, void *setup, double *position, double *force)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_rig rig = {.ops = ops, .actuators = 1, .tick = tick, .data = setup};
    assert_int_equal(ops->open(&rig, NULL, arena, NULL), IFD_OK);
    double *x = ifd_arena_array(arena, (size_t)rig.size, sizeof *x);
    ops->begin(&rig, x);
    for (int k = 0; k < TICKS; k++) {
        ifd_measure m;
        assert_true(ops->sense(&rig, &m, x));
        position[k] = m.position[0];
        force[k] = m.force[0];
        const ifd_command c = {.tick = (uint64_t)k + 1, .actuators = 1, .commanded = 1, .position = {path(k)}};
        ops->command(&rig, &c, x);
    }
    ifd_arena_close(arena);
}

typedef struct laboratory {
    ifd_value actuator[IFD_RIG_PARAMS], spring[1];
    ifd_virtual_actuator channel;
    ifd_laboratory all;
} laboratory;

static void make(laboratory *l, const char *actuator, double delay)
{
    memset(l, 0, sizeof *l);
    l->channel.actuator = ifd_actuator_find(actuator);
    l->channel.actuator_values = l->actuator;
    ifd_param_preset(l->channel.actuator->params, l->actuator);
    int i = ifd_param_find(l->channel.actuator->params, "delay");
    if (i >= 0)
        l->actuator[i] = ifd_number(delay);
    l->channel.specimen = ifd_element_find("spring");
    l->spring[0] = ifd_number(1e5);
    l->channel.specimen_values = l->spring;
    l->all = (ifd_laboratory){.actuators = 1, .actuator = &l->channel};
}

TEST(without_delay_it_is_the_laboratory_to_the_bit)
{
    double p[2][TICKS], f[2][TICKS];
    laboratory l;
    (void)state;
    make(&l, "delay", 3.3e-3);
    ifd__late late = {.laboratory = &l.all};
    lead(&ifd_virtual_rig, &l.all, p[0], f[0]);
    lead(&ifd__late_rig, &late, p[1], f[1]);
    assert_memory_equal(p[0], p[1], sizeof p[0]);
    assert_memory_equal(f[0], f[1], sizeof f[0]);
}

/* The actuator `delay` is separate code with the same cubic between ticks. */
TEST(a_late_command_is_that_of_an_actuator_with_delay)
{
    static const double delay[] = {0.0, 0.4e-3, 1e-3, 7.25e-3, 31.9e-3};
    (void)state;
    for (size_t i = 0; i < COUNT(delay); i++) {
        double p[2][TICKS], f[2][TICKS];
        laboratory with, ideal;
        make(&with, "delay", delay[i]);
        make(&ideal, "ideal", 0.0);
        ifd__late late = {.laboratory = &ideal.all, .delay = delay[i]};
        lead(&ifd_virtual_rig, &with.all, p[0], f[0]);
        lead(&ifd__late_rig, &late, p[1], f[1]);
        for (int k = 0; k < TICKS; k++) {
            assert_near(p[1][k], p[0][k], 1e-15, "position, delay %g, tick %d", delay[i], k);
            assert_near(f[1][k], f[0][k], 1e-10, "force, delay %g, tick %d", delay[i], k);
        }
    }
}

TEST(a_gain_scales_the_motion)
{
    double p[2][TICKS], f[2][TICKS];
    laboratory l;
    (void)state;
    make(&l, "ideal", 0.0);
    ifd__late late = {.laboratory = &l.all, .gain = 1.25};
    lead(&ifd_virtual_rig, &l.all, p[0], f[0]);
    lead(&ifd__late_rig, &late, p[1], f[1]);
    for (int k = 1; k < TICKS; k++)
        assert_near(p[1][k], 1.25 * p[0][k], 1e-16, "tick %d", k);
}

TEST(a_delay_that_no_line_holds_is_refused)
{
    laboratory l;
    ifd_arena *arena = ifd_arena_open();
    (void)state;
    make(&l, "ideal", 0.0);
    ifd__late late = {.laboratory = &l.all, .delay = 1e6};
    ifd_rig rig = {.ops = &ifd__late_rig, .actuators = 1, .tick = tick, .data = &late};
    assert_int_equal(ifd__late_rig.open(&rig, NULL, arena, NULL), IFD_RANGE);
    ifd_arena_close(arena);
}

TESTS()
