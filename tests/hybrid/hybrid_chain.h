/* SPDX-License-Identifier: MIT */
/* A chain of four masses in two substructures of two; the spring between the last two, in B, is tested. The reference
 * is the same coupling with the spring inside B. */
#pragma once

#include "couple/fixtures.h"

#include <interfield/hybrid.h>
#include <interfield/virtual.h>

#include "hybrid/hybrid.h"
#include "hybrid/scenario.h"

static const double tested = 2e5, end = 2.0;

typedef struct scheme {
    const char *coupling, *method;
    double h;
    int ss;
} scheme;

static const scheme schemes[] = {
    {"staggered", "lsrt2", 0.004, 1}, {"staggered", "lsrt2", 0.004, 2},   {"staggered", "lsrt2", 0.004, 10},
    {"staggered", "lsrt1", 0.004, 1}, {"parallel", "lsrt2", 0.002, 1},    {"parallel", "lsrt2", 0.002, 2},
    {"parallel", "lsrt2", 0.002, 10}, {"pg-alpha", "mg-alpha", 0.004, 1}, {"pg-alpha", "mg-alpha", 0.004, 4},
};

typedef struct stand {
    ifd_arena *arena;
    cut *whole, *test;
    ifd_hybrid *h;
    ifd_ticked t;
    player p;
    ifd_value spring[8], sliders[8], actuator[IFD_RIG_PARAMS], compensator[IFD_COMPENSATOR_PARAMS];
    ifd_virtual_actuator bench;
    ifd_laboratory laboratory;
    ifd_interface_options channel;
    ifd_estimate estimate;
    ifd_hybrid_options opt;
} stand;

static const double slider_row[] = {2e5, 0.001};

/* Element between the two masses of B. */
typedef enum between { NOTHING, SPRING, SLIDERS } between;

static ifd_model *chain_a(ifd_arena *arena)
{
    ifd_builder *b = ifd_builder_make(arena);
    ifd_value v[8];
    const ifd_signal_kind *sine = ifd_signal_find("sine");
    const ifd_signal *force = NULL;
    ifd_param_preset(sine->params, v);
    v[ifd_param_find(sine->params, "amplitude")] = ifd_number(1500.0);
    v[ifd_param_find(sine->params, "frequency")] = ifd_number(1.3);
    assert_int_equal(ifd_signal_make(arena, sine, v, NULL, &force, NULL), IFD_OK);
    for (int i = 0; i < 2; i++)
        ifd_builder_dof(b, i ? "a1" : "a0", IFD_DOF_X);
    ifd_builder_add(b, IFD_MASS, 0, 0, 1000.0);
    ifd_builder_add(b, IFD_MASS, 1, 1, 800.0);
    ifd_builder_spring(b, IFD_STIFFNESS, IFD_GROUND, 0, 4e5);
    ifd_builder_spring(b, IFD_STIFFNESS, 0, 1, 3e5);
    ifd_builder_spring(b, IFD_DAMPING, IFD_GROUND, 0, 900.0);
    ifd_builder_spring(b, IFD_DAMPING, 0, 1, 500.0);
    ifd_builder_force(b, 0, force);
    ifd_builder_initial(b, 0, 0.004, 0.0);
    ifd_builder_initial(b, 1, 0.008, 0.05);
    return made(arena, b);
}

static ifd_model *chain_b(ifd_arena *arena, between what)
{
    ifd_builder *b = ifd_builder_make(arena);
    for (int i = 0; i < 2; i++)
        ifd_builder_dof(b, i ? "b1" : "b0", IFD_DOF_X);
    ifd_builder_add(b, IFD_MASS, 0, 0, 400.0);
    ifd_builder_add(b, IFD_MASS, 1, 1, 500.0);
    ifd_builder_spring(b, IFD_DAMPING, 0, 1, 600.0);
    ifd_builder_spring(b, IFD_STIFFNESS, IFD_GROUND, 1, 2e4);
    if (what == SPRING)
        ifd_builder_spring(b, IFD_STIFFNESS, 0, 1, tested);
    if (what == SLIDERS)
        add_sliders(b, 0, 1, 1, slider_row, 0.0);
    ifd_builder_initial(b, 0, 0.008, 0.05);
    ifd_builder_initial(b, 1, 0.008, 0.05);
    return made(arena, b);
}

static cut *chain(ifd_arena *arena, const scheme *s, between what)
{
    cut *c = cut_make(arena, s->coupling, s->h);
    cut_part(c, "A", chain_a(arena), options(s->method, s->h, NULL), 1);
    cut_part(c, "B", chain_b(arena, what), options(s->method, s->h, NULL), s->ss);
    c->part[0].coarse = true;
    cut_joint(c, "middle", 0, 1, 1, 0);
    return c;
}

/* All set-up except make, so that a test can change options. */
UNUSED static void stand_prepare(stand *s, const scheme *how)
{
    memset(s, 0, sizeof *s);
    s->arena = ifd_arena_open();
    s->whole = chain(s->arena, how, SPRING);
    s->test = chain(s->arena, how, NOTHING);
    const ifd_element_ops *spring = ifd_element_find("spring");
    ifd_param_preset(spring->params, s->spring);
    s->spring[ifd_param_find(spring->params, "stiffness")] = ifd_number(tested);
    s->bench = (ifd_virtual_actuator){.specimen = spring, .specimen_values = s->spring};
    s->laboratory = (ifd_laboratory){.actuators = 1, .actuator = &s->bench};
    ifd_interface_defaults(&s->channel);
    s->channel.name = "spring";
    s->channel.part = 1;
    s->channel.from = 0;
    s->channel.to = 1;
    s->channel.limits.low = -0.1;
    s->channel.limits.high = 0.1;
    s->channel.limits.velocity = 2.0;
    s->channel.limits.acceleration = 200.0;
    s->estimate = (ifd_estimate){.from = 0, .to = 1, .stiffness = tested};
    s->test->part[1].step.estimates = 1;
    s->test->part[1].step.estimate = &s->estimate;
    ifd_hybrid_defaults(&s->opt);
    s->opt.couple = &s->test->opt;
    s->opt.end = end;
    s->opt.interfaces = 1;
    s->opt.interface = &s->channel;
    s->opt.rig = &ifd_virtual_rig;
    s->opt.rig_setup = &s->laboratory;
    s->opt.automatic = true;
}

UNUSED static void stand_slide(stand *s, const scheme *how)
{
    const ifd_element_ops *sliders = ifd_element_find("sliders");
    ifd_param_preset(sliders->params, s->sliders);
    s->sliders[ifd_param_find(sliders->params, "sliders")] = ifd_matrix(slider_row, 1, 2);
    s->bench.specimen = sliders;
    s->bench.specimen_values = s->sliders;
    s->whole = chain(s->arena, how, SLIDERS);
}

UNUSED static void stand_make(stand *s)
{
    ifd_note note;
    ifd_note_init(&note, s->arena);
    assert_ok(ifd_hybrid_make(s->arena, &s->opt, &s->h, &note), &note);
    s->t = ifd_hybrid_ticked(s->h);
    player_begin(&s->p, s->h, NULL);
}

UNUSED static ifd_run_state tick(stand *s, ifd_order order)
{
    return s->t.tick(s->t.self, &(ifd_tick_in){.order = order});
}

UNUSED static ifd_run_state run_out(stand *s)
{
    ifd_run_state r = IFD_RUN_GOING;
    for (long k = 0; r == IFD_RUN_GOING && k < 1000000; k++)
        r = tick(s, IFD_ORDER_NONE);
    return r;
}

UNUSED static const double *part_state(const stand *s, int p)
{
    return s->h->x + s->h->numerical.model[p].at;
}

UNUSED static void stand_close(stand *s)
{
    ifd_hybrid_close(s->h);
    ifd_arena_close(s->arena);
}
