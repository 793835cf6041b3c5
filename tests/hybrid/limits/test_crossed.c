/* SPDX-License-Identifier: MIT */
/* Every limit of a test is exceeded once: latched fault, resulting state, and no step in any command. */
#include "check.h"
#include "hybrid/hybrid_stand.h"

#include <math.h>
#include <string.h>

#include <interfield/hybrid.h>
#include <interfield/virtual.h>

/* Changes of the measurement from a simulated time on. */
typedef struct harm {
    double shift, jump, drag; /* m; N, once; N per m/s against the motion, which adds energy if negative */
    bool stuck, endless;      /* the position is constant; the force grows without bound */
} harm;

static struct {
    bool on;
    harm what;
    double held, last, force;
    double p[3], worst; /* commands, newest first; the largest second difference */
    long commands;
} rig;
static ifd_rig_ops ops;

static bool sense(ifd_rig *r, ifd_measure *out, double *x)
{
    bool fresh = ifd_virtual_rig.sense(r, out, x);
    double position = out->position[0], speed = (position - rig.last) / r->tick;
    rig.last = position;
    if (!rig.on) {
        rig.held = position;
        return fresh;
    }
    out->position[0] = rig.what.stuck ? rig.held : position + rig.what.shift;
    out->force[0] += rig.what.jump + rig.what.drag * speed;
    if (rig.what.endless)
        out->force[0] = rig.force = rig.force * 10.0 + 1e280;
    return fresh;
}

static void command(ifd_rig *r, const ifd_command *c, double *x)
{
    rig.p[2] = rig.p[1];
    rig.p[1] = rig.p[0];
    rig.p[0] = c->position[0];
    if (++rig.commands > 2)
        rig.worst = fmax(rig.worst, fabs(rig.p[0] - 2.0 * rig.p[1] + rig.p[2]));
    const bool runs = c->state == IFD_MACHINE_RUN, holds = c->state == IFD_MACHINE_HOLD;
    assert_int_equal(c->outputs & (IFD_OUTPUT_TRIGGER | IFD_OUTPUT_RUNNING),
                     runs    ? IFD_OUTPUT_TRIGGER | IFD_OUTPUT_RUNNING
                     : holds ? IFD_OUTPUT_TRIGGER
                             : 0);
    ifd_virtual_rig.command(r, c, x);
}

static void prepare(stand *s)
{
    stand_prepare(s, 4e5, 2e5);
    memset(&rig, 0, sizeof rig);
    ops = ifd_virtual_rig;
    ops.sense = sense;
    ops.command = command;
    ifd_limits_defaults(&s->channel.limits);
    s->channel.limits.low = -0.02;
    s->channel.limits.high = 0.02;
    s->channel.limits.velocity = 1.0;
    s->channel.limits.acceleration = 100.0;
    s->channel.limits.force = 2500.0;
    s->channel.limits.force_rate = 1e5;
    s->channel.limits.tracking = 0.004;
    s->channel.limits.energy = 0.5;
    s->opt.rig = &ops;
    s->opt.automatic = true;
}

static void ticks(stand *s, int count, const ifd_tick_in *in)
{
    for (int k = 0; k < count; k++)
        s->t.tick(s->t.self, in);
}

static void run_to(stand *s, double time)
{
    for (long k = 0; k < 100000 && ifd_hybrid_time(s->h) < time; k++)
        ticks(s, 1, &(ifd_tick_in){.order = IFD_ORDER_NONE});
    assert_int_equal(ifd_hybrid_state(s->h), IFD_MACHINE_RUN);
}

static void assert_no_step(const stand *s, const char *what)
{
    double period = ifd_hybrid_period(s->h), most = s->channel.limits.acceleration * period * period;
    if (rig.worst > most * (1.0 + 1e-9))
        fail_msg("%s: a command changed its speed by %g m/s in a tick, permitted %g", what, rig.worst / period,
                 most / period);
}

static const struct {
    const char *what;
    harm harm;
    double free_tracking; /* a limit that would be reached first is removed */
    ifd_trip trip;
    ifd_machine state;
} rows[] = {
    {"stroke", {.shift = 0.025}, 1.0, IFD_TRIP_POSITION, IFD_MACHINE_TRIPPED},
    {"rate of the force", {.jump = 400.0}, 0.0, IFD_TRIP_FORCE_RATE, IFD_MACHINE_TRIPPED},
    {"tracking", {.shift = 0.006}, 0.0, IFD_TRIP_TRACKING, IFD_MACHINE_TRIPPED},
    {"frozen", {.stuck = true}, 1.0, IFD_TRIP_FROZEN, IFD_MACHINE_TRIPPED},
};

TEST(a_limit_that_is_crossed_is_named_and_stops_the_test)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        stand s;
        prepare(&s);
        if (rows[i].free_tracking > 0.0) {
            s.channel.limits.tracking = rows[i].free_tracking;
            s.channel.limits.energy = (double)INFINITY;
        }
        stand_make(&s);
        run_to(&s, 0.5);
        rig.what = rows[i].harm;
        rig.on = true;
        ticks(&s, 400, &(ifd_tick_in){.order = IFD_ORDER_NONE});
        ifd_trip_facts f = ifd_hybrid_trip(s.h);
        if (f.trip != rows[i].trip)
            fail_msg("%s: latched %s, expected %s", rows[i].what, ifd_trip_name(f.trip), ifd_trip_name(rows[i].trip));
        assert_int_equal(ifd_hybrid_state(s.h), rows[i].state);
        assert_int_equal(f.owner, 0);
        assert_true(fabs(f.value) > fabs(f.limit) && f.limit != 0.0);
        assert_no_step(&s, rows[i].what);
        ifd_hybrid_close(s.h);
        ifd_arena_close(s.arena);
    }
}

TEST(a_force_beyond_its_limit_trips)
{
    stand s;
    prepare(&s);
    s.channel.limits.force = 1500.0; /* the spring reaches 2000 N */
    stand_make(&s);
    ticks(&s, 5000, &(ifd_tick_in){.order = IFD_ORDER_NONE});
    assert_int_equal(ifd_hybrid_trip(s.h).trip, IFD_TRIP_FORCE);
    assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_TRIPPED);
    assert_no_step(&s, "force");
    ifd_hybrid_close(s.h);
    ifd_arena_close(s.arena);
}

/* A delay of 12 ms: the spring adds about pi k x0^2 w tau per cycle through the tracking error. */
TEST(energy_from_bad_tracking_holds_the_test)
{
    stand s;
    ifd_value v[IFD_RIG_PARAMS];
    prepare(&s);
    s.bench.actuator = ifd_actuator_find("delay");
    ifd_param_preset(s.bench.actuator->params, v);
    v[ifd_param_find(s.bench.actuator->params, "delay")] = ifd_number(0.012);
    s.bench.actuator_values = v;
    s.channel.limits.tracking = 1.0;
    stand_make(&s);
    ticks(&s, 5000, &(ifd_tick_in){.order = IFD_ORDER_NONE});
    assert_int_equal(ifd_hybrid_trip(s.h).trip, IFD_TRIP_ENERGY);
    assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_HOLD);
    assert_near(rig.p[0] - rig.p[1], 0.0, 0.0, "motion of the command at the end of hold");
    assert_no_step(&s, "energy");
    ifd_hybrid_close(s.h);
    ifd_arena_close(s.arena);
}

/* A force that is finite and overflows on its way into the structure, at either end of the specimen: the computed
 * state is preserved. */
TEST(a_solver_that_diverges_ramps_out)
{
    for (int i = 0; i < 16; i++) { /* in each stage of a step */
        int side = i % 2;
        stand s;
        prepare(&s);
        ifd_limits_defaults(&s.channel.limits);
        s.channel.limits.low = -0.02;
        s.channel.limits.high = 0.02;
        s.channel.limits.velocity = 1.0;
        s.channel.limits.acceleration = 100.0;
        s.channel.from = side ? 0 : IFD_GROUND;
        s.channel.to = side ? IFD_GROUND : 0;
        s.opt.ramp_out_end = IFD_RAMP_OUT_STAY;
        s.channel.force_factor = 1000.0;
        s.spring[ifd_param_find(s.bench.specimen->params, "stiffness")] = ifd_number(200.0);
        stand_make(&s);
        run_to(&s, 0.5);
        ticks(&s, i / 2, &(ifd_tick_in){.order = IFD_ORDER_NONE});
        rig.what = (harm){.endless = true};
        rig.force = 1e306;
        rig.on = true;
        for (int k = 0; k < 100 && ifd_hybrid_state(s.h) == IFD_MACHINE_RUN; k++)
            ticks(&s, 1, &(ifd_tick_in){.order = IFD_ORDER_NONE});
        rig.on = false;
        int count, displacements = 0;
        const ifd_column *column = ifd_hybrid_columns(s.h, &count);
        for (int c = 0; c < count; c++)
            if (strcmp(column[c].group, "displacement") == 0) {
                assert_true(fabs(s.t.values(s.t.self)[c]) < 0.02);
                displacements++;
            }
        assert_int_equal(displacements, 1);
        ticks(&s, 2000, &(ifd_tick_in){.order = IFD_ORDER_NONE});
        assert_int_equal(ifd_hybrid_trip(s.h).trip, IFD_TRIP_SOLVER);
        assert_int_equal(ifd_hybrid_trip(s.h).owner, -1);
        assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_STOPPED);
        assert_no_step(&s, "solver");
        ifd_hybrid_close(s.h);
        ifd_arena_close(s.arena);
    }
}

TEST(late_ticks_do_what_the_case_says)
{
    static const struct {
        ifd_overrun overrun;
        int late; /* successive ticks */
        ifd_machine then;
    } policy[] = {{IFD_OVERRUN_HOLD, 1, IFD_MACHINE_HOLD},
                  {IFD_OVERRUN_EXTRAPOLATE, 5, IFD_MACHINE_RUN},
                  {IFD_OVERRUN_EXTRAPOLATE, 6, IFD_MACHINE_HOLD},
                  {IFD_OVERRUN_STOP, 1, IFD_MACHINE_RAMP_OUT}};
    for (size_t i = 0; i < COUNT(policy); i++) {
        stand s;
        prepare(&s);
        s.opt.overrun = policy[i].overrun;
        s.opt.late_limit = 5;
        s.opt.late_time = 0.0;
        stand_make(&s);
        run_to(&s, 0.5);
        ticks(&s, policy[i].late, &(ifd_tick_in){.late = 1.5 * ifd_hybrid_period(s.h), .gate = IFD_GATE_LATE});
        assert_int_equal(ifd_hybrid_state(s.h), policy[i].then);
        assert_int_equal(ifd_hybrid_count(s.h, IFD_TRIP_LATE), policy[i].late);
        assert_int_equal(ifd_hybrid_trip(s.h).trip,
                         policy[i].then == IFD_MACHINE_RUN ? IFD_TRIP_NONE : IFD_TRIP_LATE);
        ticks(&s, 1000, &(ifd_tick_in){.order = IFD_ORDER_NONE});
        assert_no_step(&s, "late");
        ifd_hybrid_close(s.h);
        ifd_arena_close(s.arena);
    }
}

TEST(an_ordered_trip_is_named_so)
{
    stand s;
    prepare(&s);
    stand_make(&s);
    run_to(&s, 0.5);
    ticks(&s, 1, &(ifd_tick_in){.order = IFD_ORDER_TRIP});
    assert_int_equal(ifd_hybrid_trip(s.h).trip, IFD_TRIP_ORDERED);
    assert_int_equal(ifd_hybrid_trip(s.h).owner, -1);
    assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_TRIPPED);
    ticks(&s, 500, &(ifd_tick_in){.order = IFD_ORDER_NONE});
    assert_no_step(&s, "ordered");
    ifd_hybrid_close(s.h);
    ifd_arena_close(s.arena);
}

/* Ticks of ramp-in: its time and the settling time; the first tick of the latter is the last of the ramp. A moving
 * command is at rest one tick later. */
TEST(ramp_in_lasts_its_time)
{
    for (int moves = 0; moves < 2; moves++) {
        stand s;
        stand_prepare(&s, 4e5, 2e5);
        ifd_builder *b = ifd_builder_make(s.arena);
        ifd_builder_dof(b, "x", IFD_DOF_X);
        ifd_builder_add(b, IFD_MASS, 0, 0, 1000.0);
        ifd_builder_spring(b, IFD_STIFFNESS, IFD_GROUND, 0, 4e5);
        ifd_builder_initial(b, 0, moves ? 0.010 : 0.0, 0.0);
        ifd_model *m = NULL;
        assert_int_equal(ifd_model_make(s.arena, b, &m, NULL), IFD_OK);
        s.opt.model = m;
        s.opt.automatic = true;
        s.opt.ramp_in = 0.5;
        s.opt.settle = 0.125;
        ifd_step_options_defaults(ifd_method_find("lsrt2"), 1.0 / 256.0, &s.opt.step);
        stand_make(&s);
        double period = ifd_hybrid_period(s.h);
        assert_near(fmod(s.opt.settle, period), 0.0, 0.0, "whole ticks");
        long count = 0;
        for (long k = 0; k < 100000 && ifd_hybrid_state(s.h) != IFD_MACHINE_RUN; k++) {
            bool before = ifd_hybrid_state(s.h) == IFD_MACHINE_RAMP_IN;
            s.t.tick(s.t.self, &(ifd_tick_in){0});
            count += before || ifd_hybrid_state(s.h) == IFD_MACHINE_RAMP_IN;
        }
        assert_int_equal(count, lround((s.opt.ramp_in + s.opt.settle) / period) - 1 + moves);
        ifd_hybrid_close(s.h);
        ifd_arena_close(s.arena);
    }
}

TESTS()
