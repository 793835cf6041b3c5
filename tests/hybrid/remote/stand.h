/* SPDX-License-Identifier: MIT */
/* A remote master simulated by the test, in every tick. */
#pragma once

#include "check.h"

#include <interfield/hybrid.h>
#include <interfield/structures.h>
#include <interfield/virtual.h>

#include <string.h>

#include "hybrid/hybrid.h"
#include "hybrid/pace/master.h"

enum { TICKS = 10 };
static const double stiffness = 2e5, step = 0.01;

typedef struct stand {
    ifd_arena *arena;
    ifd_remote *remote;
    ifd_hybrid *h;
    ifd_ticked t;
    ifd_value spring[8], compensation[8];
    double coefficient[3];
    ifd_virtual_actuator bench;
    ifd_laboratory laboratory;
    ifd_interface_options channel;
    ifd_hybrid_options opt;
    ifd_remote_answer answer; /* the last one */
    ifd_run_state state;
    long ticks, answers;
    double before[2]; /* the last two commands */
    double fastest, sharpest;
} stand;

/* gain: of a compensator that increases every command; 0: none. */
static inline void compensate(stand *s, double gain)
{
    const ifd_compensator_kind *kind = ifd_compensator_find("inverse-2");
    if (gain == 0.0)
        return;
    s->coefficient[0] = gain;
    ifd_param_preset(kind->params, s->compensation);
    s->compensation[ifd_param_find(kind->params, "coefficients")] = ifd_list(s->coefficient, 3);
    s->channel.compensator = kind;
    s->channel.compensator_values = s->compensation;
}

static int stage_ticks = TICKS;

static inline void stand_open_with(stand *s, int order, bool paced, double gain)
{
    *s = (stand){.arena = ifd_arena_open()};
    ifd_builder *b = ifd_builder_make(s->arena);
    ifd_model *m;
    ifd_builder_dof(b, "x", IFD_DOF_X);
    ifd_builder_add(b, IFD_MASS, 0, 0, 1.0);
    assert_int_equal(ifd_model_make(s->arena, b, &m, NULL), IFD_OK);
    const ifd_element_ops *spring = ifd_element_find("spring");
    ifd_param_preset(spring->params, s->spring);
    s->spring[ifd_param_find(spring->params, "stiffness")] = ifd_number(stiffness);
    s->bench = (ifd_virtual_actuator){.specimen = spring, .specimen_values = s->spring};
    s->laboratory = (ifd_laboratory){.actuators = 1, .actuator = &s->bench};
    ifd_interface_defaults(&s->channel);
    s->channel.name = "spring";
    s->channel.from = IFD_GROUND;
    s->channel.to = 0;
    s->channel.limits.low = -0.1;
    s->channel.limits.high = 0.1;
    s->channel.limits.velocity = 1.0;
    s->channel.limits.acceleration = 50.0;
    compensate(s, gain);
    assert_int_equal(
        ifd_remote_make(s->arena, &(ifd_remote_options){.dofs = 1, .order = order, .paced = paced}, &s->remote, NULL),
        IFD_OK);
    ifd_hybrid_defaults(&s->opt);
    s->opt.model = m;
    s->opt.step = (ifd_step_options){.h = step};
    s->opt.remote = s->remote;
    s->opt.end = 10.0;
    s->opt.ticks_per_stage = stage_ticks;
    s->opt.interfaces = 1;
    s->opt.interface = &s->channel;
    s->opt.rig = &ifd_virtual_rig;
    s->opt.rig_setup = &s->laboratory;
    s->opt.ramp_in = 0.1;
    s->opt.settle = 0.01;
    s->opt.automatic = true;
    assert_int_equal(ifd_hybrid_make(s->arena, &s->opt, &s->h, NULL), IFD_OK);
    s->t = ifd_hybrid_ticked(s->h);
}

static inline void stand_open(stand *s, int order, bool paced)
{
    stand_open_with(s, order, paced, 0.0);
}

static inline void stand_close(stand *s)
{
    ifd_hybrid_close(s->h);
    ifd_arena_close(s->arena);
}

static inline double command(const stand *s)
{
    return ifd__interface_of(s->h, 0)->command;
}

/* One tick; returns whether there is an answer. */
static inline bool tick(stand *s, ifd_order order)
{
    double p0 = s->before[0], p1 = s->before[1];
    s->state = s->t.tick(s->t.self, &(ifd_tick_in){.order = order});
    s->ticks++;
    double p = command(s), dt = ifd_hybrid_period(s->h);
    s->fastest = fmax(s->fastest, fabs(p - p1) / dt);
    s->sharpest = fmax(s->sharpest, fabs(p - 2.0 * p1 + p0) / (dt * dt));
    s->before[0] = p1;
    s->before[1] = p;
    bool heard = ifd_remote_hear(s->remote, &s->answer);
    s->answers += heard;
    return heard;
}

static inline void say(stand *s, uint64_t number, double u)
{
    ifd_remote_target t = {.number = number, .step = number > 1, .time = step * (double)(number - 1)};
    t.u[0] = u;
    assert_true(ifd_remote_say(s->remote, &t));
}

static inline void until_answer(stand *s, uint64_t number)
{
    for (int i = 0; i < 20000; i++)
        if (tick(s, IFD_ORDER_NONE) && s->answer.number == number)
            return;
    fail_msg("no answer to target %lu", (unsigned long)number);
}
