/* SPDX-License-Identifier: MIT */
/* The smallest test: a mass on a spring, and a spring on the virtual rig. Tests change options between stand_prepare
 * and stand_make. */
#pragma once

#include <string.h>

#include <interfield/hybrid.h>
#include <interfield/virtual.h>

#include "check.h"
#include "hybrid/scenario.h"

typedef struct stand {
    ifd_arena *arena;
    ifd_hybrid *h;
    ifd_ticked t;
    player p;
    const quantity *own; /* of the rig, for scripts */
    ifd_value spring[8], actuator[IFD_RIG_PARAMS];
    ifd_virtual_actuator bench;
    ifd_laboratory laboratory;
    ifd_interface_options channel;
    ifd_hybrid_options opt;
} stand;

/* 1 t in free vibration from 10 mm; computed and specimen: N/m. */
__attribute__((unused)) static void stand_prepare(stand *s, double computed, double specimen)
{
    memset(s, 0, sizeof *s);
    s->arena = ifd_arena_open();
    ifd_builder *b = ifd_builder_make(s->arena);
    ifd_builder_dof(b, "x", IFD_DOF_X);
    ifd_builder_add(b, IFD_MASS, 0, 0, 1000.0);
    ifd_builder_spring(b, IFD_STIFFNESS, IFD_GROUND, 0, computed);
    ifd_builder_initial(b, 0, 0.010, 0.0);
    ifd_model *m = NULL;
    assert_int_equal(ifd_model_make(s->arena, b, &m, NULL), IFD_OK);
    const ifd_element_ops *spring = ifd_element_find("spring");
    ifd_param_preset(spring->params, s->spring);
    s->spring[ifd_param_find(spring->params, "stiffness")] = ifd_number(specimen);
    s->bench = (ifd_virtual_actuator){.specimen = spring, .specimen_values = s->spring};
    s->laboratory = (ifd_laboratory){.actuators = 1, .actuator = &s->bench};
    ifd_interface_defaults(&s->channel);
    s->channel.name = "spring";
    s->channel.from = IFD_GROUND;
    s->channel.to = 0;
    s->channel.limits.low = -0.05;
    s->channel.limits.high = 0.05;
    s->channel.limits.velocity = 1.0;
    s->channel.limits.acceleration = 100.0;
    ifd_hybrid_defaults(&s->opt);
    s->opt.model = m;
    s->opt.end = 2.0;
    s->opt.interfaces = 1;
    s->opt.interface = &s->channel;
    s->opt.arm_samples = 2; /* ideal sensors agree immediately */
    s->opt.arm_time = 0.0;
    s->opt.rig = &ifd_virtual_rig;
    s->opt.rig_setup = &s->laboratory;
    ifd_step_options_defaults(ifd_method_find("lsrt2"), 0.004, &s->opt.step);
}

/* Changes of options, for rows of scenarios. */
__attribute__((unused)) static void stand_set(stand *s, const char *set)
{
    const quantity options[] = {QUANTITY(s->channel.limits, low),
                                QUANTITY(s->channel.limits, high),
                                QUANTITY(s->channel.limits, velocity),
                                QUANTITY(s->channel.limits, acceleration),
                                QUANTITY(s->channel.limits, force),
                                QUANTITY(s->channel.limits, force_rate),
                                QUANTITY(s->channel.limits, tracking),
                                QUANTITY(s->channel.limits, measured_velocity),
                                QUANTITY(s->channel.limits, measured_acceleration),
                                QUANTITY(s->opt, observe),
                                QUANTITY(s->bench, start),
                                QUANTITY(s->opt.step, h),
                                QUANTITY(s->opt, automatic),
                                QUANTITY(s->opt, wait_tripped),
                                QUANTITY(s->opt, rate_dependent),
                                QUANTITY(s->opt, allow_resume),
                                QUANTITY(s->opt, ticks_per_stage),
                                QUANTITY(s->opt, end),
                                QUANTITY(s->opt, lambda),
                                QUANTITY(s->opt, brake),
                                {0}};
    quantities_set(options, set);
}

__attribute__((unused)) static void stand_make(stand *s)
{
    assert_int_equal(ifd_hybrid_make(s->arena, &s->opt, &s->h, NULL), IFD_OK);
    s->t = ifd_hybrid_ticked(s->h);
    player_begin(&s->p, s->h, s->own);
}

__attribute__((unused)) static void stand_close(stand *s)
{
    ifd_hybrid_close(s->h);
    ifd_arena_close(s->arena);
}
