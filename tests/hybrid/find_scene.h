/* SPDX-License-Identifier: MIT */
/* A rig without common code with the library, with measurements defined by a scene; a test with one jack, with two,
 * or with one jack and a block on two jacks. Commands are stored. Numbers are exact in binary, so that "equal to the
 * limit" is exact: a period of 2^-9 s; a stroke of 12.5 m, of which 1/200 is 2^-4 m; series of 0.1 s, 52 samples. */
#pragma once

#include "hybrid_stand.h"
#include "hybrid/own_rig.h"

#include <math.h>

static const double period = 1.0 / 512.0, low = -4.0, high = 8.5, spread = 0.0625;
enum { SERIES = 52, MOST = 8192, GOOD = IFD_INPUT_NO_STOP | IFD_INPUT_HYDRAULICS };

/* The rig is at rest and shows the values of the scene for its i-th sample, from 1 on: positions, inputs, whether it
 * is new. */
static struct {
    double (*show)(long i, int channel);
    uint32_t (*inputs)(long i);
    double (*force)(long i, int channel);
    bool (*fresh)(long i);
    long (*ahead)(long i);                              /* ticks by which its acknowledgement leads */
    double (*alter)(long i, int channel, double shown); /* modification of the shown value */
    bool follows; /* from its first command on it is at the commanded position */
    long samples, commands;
    long first; /* the sample before the first command with a position; 0: none yet */
    uint64_t tick;
    double at[MOST][3], led[3]; /* all commands; the first */
    double speed[MOST][3];
    bool commanded[MOST];
    uint32_t state[MOST];
} rig;

static bool rig_sense(ifd_rig *r, ifd_measure *m, double *x)
{
    (void)x;
    long i = ++rig.samples;
    if (rig.fresh && !rig.fresh(i))
        return false;
    *m = (ifd_measure){.tick = rig.tick + (uint64_t)(rig.ahead ? rig.ahead(i) : 0),
                       .inputs = rig.inputs ? rig.inputs(i) : GOOD,
                       .time = (double)i};
    m->actuators = (uint32_t)r->actuators;
    for (int k = 0; k < r->actuators; k++)
        m->position[k] = rig.show ? rig.show(i, k) : 0.0;
    for (int k = 0; k < r->actuators && rig.force; k++)
        m->force[k] = rig.force(i, k);
    if (rig.follows && rig.commands > 0 && rig.commanded[rig.commands - 1])
        memcpy(m->position, rig.at[rig.commands - 1], sizeof rig.at[0]);
    for (int k = 0; k < r->actuators && rig.alter; k++)
        m->position[k] = rig.alter(i, k, m->position[k]);
    return true;
}

static void rig_command(ifd_rig *r, const ifd_command *c, double *x)
{
    (void)x;
    assert_true(rig.commands < MOST);
    rig.tick = c->tick;
    if (c->commanded && rig.first == 0) {
        rig.first = rig.samples;
        memcpy(rig.led, c->position, (size_t)r->actuators * sizeof *rig.led);
    }
    memcpy(rig.at[rig.commands], c->position, sizeof rig.at[0]);
    memcpy(rig.speed[rig.commands], c->velocity, sizeof rig.speed[0]);
    rig.commanded[rig.commands] = c->commanded;
    rig.state[rig.commands++] = c->state;
}

static const ifd_rig_ops ops = OWN_RIG("virtual", rig_sense, rig_command);

/* Of the last command: its state, whether it has a position, that of the first jack. */
__attribute__((unused)) static ifd_machine state_now(void)
{
    return rig.commands ? (ifd_machine)rig.state[rig.commands - 1] : IFD_MACHINE_IDLE;
}

static double told_state(const ifd_hybrid *h)
{
    (void)h;
    return state_now();
}

static double told_any(const ifd_hybrid *h)
{
    (void)h;
    return rig.commands && rig.commanded[rig.commands - 1];
}

static double told_at(const ifd_hybrid *h)
{
    (void)h;
    return rig.commands ? rig.at[rig.commands - 1][0] : 0.0;
}

static const quantity of_rig[] = {QUANTITY(rig, samples),
                                  QUANTITY(rig, first),
                                  {.name = "state", .of = told_state},
                                  {.name = "commanded", .of = told_any},
                                  {.name = "at", .of = told_at},
                                  {0}};

typedef enum kind { ONE, TWO, BLOCK } kind;

typedef struct bench {
    stand s;
    ifd_interface_options channels[2];
    ifd_limits limits[2];
    double matrix[2];
    const char *names[2];
    int second;
    ifd_driven drive;
} bench;

static void set_limits(ifd_limits *l)
{
    l->low = low;
    l->high = high;
    l->velocity = 100.0;
    l->acceleration = 1e5;
}

/* Two masses without forces, from these positions with these velocities. */
static void bench_moves(bench *b, const double u[2], const double v[2])
{
    ifd_builder *m = ifd_builder_make(b->s.arena);
    ifd_model *model = NULL;
    for (int i = 0; i < 2; i++) {
        ifd_builder_dof(m, i ? "y" : "x", IFD_DOF_X);
        ifd_builder_add(m, IFD_MASS, i, i, 1e12);
        ifd_builder_initial(m, i, u[i], v[i]);
    }
    assert_int_equal(ifd_model_make(b->s.arena, m, &model, NULL), IFD_OK);
    b->s.opt.model = model;
}

static void bench_prepare(bench *b, kind k)
{
    memset(b, 0, sizeof *b);
    memset(&rig, 0, sizeof rig);
    b->s.arena = ifd_arena_open();
    b->s.own = of_rig;
    for (int i = 0; i < 2; i++) {
        ifd_interface_defaults(&b->channels[i]);
        b->channels[i].name = i ? "block" : "jack";
        b->channels[i].to = i;
        ifd_limits_defaults(&b->limits[i]);
        set_limits(&b->channels[i].limits);
        set_limits(&b->limits[i]);
        b->matrix[i] = 1.0;
        b->names[i] = i ? "right" : "left";
    }
    b->second = 1;
    b->drive = (ifd_driven){.drive = {.name = "block", .dofs = 1, .actuators = 2, .matrix = b->matrix},
                            .interface = &b->second,
                            .name = b->names,
                            .limits = b->limits};
    ifd_hybrid_defaults(&b->s.opt);
    bench_moves(b, (const double[2]){0.0}, (const double[2]){0.0});
    b->s.opt.end = 1000.0;
    b->s.opt.interfaces = k == ONE ? 1 : 2;
    b->s.opt.interface = b->channels;
    b->s.opt.drives = k == BLOCK;
    b->s.opt.drive = &b->drive;
    b->s.opt.rig = &ops;
    b->s.opt.automatic = true;
    ifd_step_options_defaults(ifd_method_find("lsrt2"), 2.0 * period, &b->s.opt.step);
}

__attribute__((unused)) static ifd_run_state tick(bench *b, ifd_order order)
{
    return b->s.t.tick(b->s.t.self, &(ifd_tick_in){.order = order});
}

/* The test, after a script on it. */
#define bench_plays(b, ...) play((stand_make(&(b)->s), &(b)->s.p), __VA_ARGS__)

static void bench_close(bench *b)
{
    ifd_hybrid_close(b->s.h);
    ifd_arena_close(b->s.arena);
}
