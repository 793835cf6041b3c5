/* SPDX-License-Identifier: MIT */
/* Every limit, at both ends, of an interface and of an actuator of a drive. The outputs are checked: positions and
 * states of commands received by a rig without common code with the library. Numbers are sums of powers of two: a
 * value equal to the limit is inside, the next number is outside. */
#include "hybrid/hybrid_stand.h"
#include "hybrid/own_rig.h"

#include <limits.h>
#include <math.h>
#include <stddef.h>

enum { MOST = 20000, LATER = 40 }; /* recorded ticks; ticks of the run before an injection */

/* The period is 2^-9 s: two exchanges in a step of 2^-8 s. */
static const double period = 1.0 / 512.0;

typedef struct scene scene;

/* The rig: it is at the commanded position, and shows the additions of the scene. */
static struct {
    const scene *s;
    long senses, run; /* run: the first sense after a command in state run; -1 before */
    long commands;
    double p, stuck;
    uint64_t tick;
    double position[MOST], shown[MOST];
    uint32_t state[MOST];
} rig;

struct scene {
    /* Added to position and force at the i-th sense after the start of the run; i < 0: before. */
    void (*inject)(double sign, long i, double out[2]);
    double sign;
    long stuck; /* from this i on the position is constant; LONG_MAX: never */
};

static bool rig_sense(ifd_rig *r, ifd_measure *m, double *x)
{
    (void)x;
    double add[2] = {0.0, 0.0};
    long i = rig.run < 0 ? -1 : rig.senses - rig.run;
    if (rig.s->inject && i >= 0)
        rig.s->inject(rig.s->sign, i, add);
    *m =
        (ifd_measure){.tick = rig.tick, .inputs = 3, .actuators = (uint32_t)r->actuators, .time = (double)rig.senses};
    if (i < rig.s->stuck)
        rig.stuck = rig.p;
    m->position[0] = rig.stuck + add[0];
    m->force[0] = 1000.0 * rig.p + add[1]; /* a spring, so that the load cell changes */
    rig.shown[rig.senses < MOST ? rig.senses : MOST - 1] = m->position[0];
    rig.senses++;
    return true;
}

static void rig_command(ifd_rig *r, const ifd_command *c, double *x)
{
    (void)x, (void)r;
    rig.tick = c->tick;
    if (c->commanded)
        rig.p = c->position[0];
    assert_true(rig.commands < MOST);
    rig.position[rig.commands] = rig.p;
    rig.state[rig.commands++] = c->state;
    if (c->state == IFD_MACHINE_RUN && rig.run < 0)
        rig.run = rig.senses;
}

static const ifd_rig_ops rig_ops = OWN_RIG("virtual", rig_sense, rig_command);

typedef enum who { INTERFACE, ACTUATOR, WHO } who;

typedef struct bench {
    stand s;
    ifd_limits actuator;
    double one;
    int channel;
    const char *name;
    ifd_driven drive;
} bench;

/* mass in kg, free, with this initial velocity; limits that are not tested are wide. */
static void bench_prepare(bench *b, who w, double mass, double stiffness, double v0)
{
    memset(b, 0, sizeof *b);
    b->s.arena = ifd_arena_open();
    ifd_builder *m = ifd_builder_make(b->s.arena);
    ifd_builder_dof(m, "x", IFD_DOF_X);
    ifd_builder_add(m, IFD_MASS, 0, 0, mass);
    ifd_builder_spring(m, IFD_STIFFNESS, IFD_GROUND, 0, stiffness);
    ifd_builder_initial(m, 0, 0.0, v0);
    ifd_model *model = NULL;
    assert_int_equal(ifd_model_make(b->s.arena, m, &model, NULL), IFD_OK);
    ifd_interface_defaults(&b->s.channel);
    b->s.channel.name = "spring";
    b->s.channel.to = 0;
    b->s.channel.limits.low = -8.0;
    b->s.channel.limits.high = 8.0;
    b->s.channel.limits.velocity = 100.0;
    b->s.channel.limits.acceleration = 1e5;
    b->actuator = b->s.channel.limits;
    ifd_hybrid_defaults(&b->s.opt);
    b->s.opt.model = model;
    b->s.opt.end = 4.0;
    b->s.opt.interfaces = 1;
    b->s.opt.interface = &b->s.channel;
    b->s.opt.rig = &rig_ops;
    b->s.opt.automatic = true;
    b->s.opt.ramp_in = b->s.opt.settle = 0.05;
    ifd_step_options_defaults(ifd_method_find("lsrt2"), 2.0 * period, &b->s.opt.step);
    b->one = 1.0;
    b->name = "jack";
    b->drive = (ifd_driven){
        .drive = {.name = "block", .dofs = 1, .actuators = 1, .matrix = &b->one},
        .interface = &b->channel,
        .name = &b->name,
        .limits = &b->actuator,
    };
    b->s.opt.drives = w == ACTUATOR;
    b->s.opt.drive = &b->drive;
}

static ifd_limits *limits_of(bench *b, who w)
{
    return w == ACTUATOR ? &b->actuator : &b->s.channel.limits;
}

/* Ticks until the end of the test, a fault, or this number. */
static void bench_run(bench *b, const scene *s, long most)
{
    memset(&rig, 0, sizeof rig);
    rig.s = s;
    rig.run = -1;
    stand_make(&b->s);
    assert_near(ifd_hybrid_period(b->s.h), period, 0.0, "period");
    for (long k = 0; k < most; k++) {
        ifd_run_state going = b->s.t.tick(b->s.t.self, &(ifd_tick_in){0});
        ifd_machine now = ifd_hybrid_state(b->s.h);
        if (now == IFD_MACHINE_TRIPPED || now == IFD_MACHINE_HOLD || going != IFD_RUN_GOING)
            break;
    }
    assert_true(rig.run >= 0);
}

/* Number of senses of the run before the first command in this state; -1: none. */
static long first_in(ifd_machine state)
{
    for (long k = rig.run; k < rig.commands; k++)
        if (rig.state[k] == (uint32_t)state)
            return k - rig.run;
    return -1;
}

static void bench_close(bench *b)
{
    ifd_hybrid_close(b->s.h);
    ifd_arena_close(b->s.arena);
}

/* Measured values. */
static void position_jumps(double sign, long i, double out[2])
{
    out[0] = i >= LATER ? sign * 0.015625 : 0.0;
}

static void force_jumps(double sign, long i, double out[2])
{
    out[1] = i >= LATER ? sign * 1.0 : 0.0;
}

/* 2^-12 m per tick: 0.125 m/s. The nine positions of the fit are on the line 8 ticks after its start. */
static void position_runs(double sign, long i, double out[2])
{
    out[0] = i > LATER ? sign * ldexp((double)(i - LATER), -12) : 0.0;
}

/* 2^-16 m k^2: 8 m/s2. */
static void position_accelerates(double sign, long i, double out[2])
{
    out[0] = i > LATER ? sign * ldexp((double)((i - LATER) * (i - LATER)), -16) : 0.0;
}

/* 64 N while the position moves by 2^-6 m from a target at rest: 1 J. */
static void force_works(double sign, long i, double out[2])
{
    out[1] = 64.0;
    out[0] = i >= LATER ? sign * 0.015625 : 0.0;
}

typedef struct row {
    const char *name;
    void (*inject)(double sign, long i, double out[2]);
    double limit; /* met exactly */
    size_t at[2]; /* of a limit at the low and at the high side */
    ifd_trip trip;
    ifd_machine state; /* resulting state */
    long after;        /* ticks of the run */
    double exact;      /* relative; 0: exact */
    bool interface_only;
} row;

#define BOTH(f)                                                                                                      \
    {                                                                                                                \
        offsetof(ifd_limits, f), offsetof(ifd_limits, f)                                                             \
    }
#define ENDS                                                                                                         \
    {                                                                                                                \
        offsetof(ifd_limits, low), offsetof(ifd_limits, high)                                                        \
    }
static const row rows[] = {
    {"stroke", position_jumps, 0.015625, ENDS, IFD_TRIP_POSITION, IFD_MACHINE_TRIPPED, LATER, 0.0, false},
    {"tracking", position_jumps, 0.015625, BOTH(tracking), IFD_TRIP_TRACKING, IFD_MACHINE_TRIPPED, LATER, 0.0, false},
    {"force", force_jumps, 1.0, BOTH(force), IFD_TRIP_FORCE, IFD_MACHINE_TRIPPED, LATER, 0.0, false},
    {"force rate", force_jumps, 512.0, BOTH(force_rate), IFD_TRIP_FORCE_RATE, IFD_MACHINE_TRIPPED, LATER, 0.0, false},
    {"measured velocity", position_runs, 0.125, BOTH(measured_velocity), IFD_TRIP_VELOCITY, IFD_MACHINE_TRIPPED,
     LATER + 8, 0.0, true},
    {"measured acceleration", position_accelerates, 8.0, BOTH(measured_acceleration), IFD_TRIP_ACCELERATION,
     IFD_MACHINE_TRIPPED, -1, 0.0, true},
    {"energy", force_works, 1.0, BOTH(energy), IFD_TRIP_ENERGY, IFD_MACHINE_HOLD, LATER, 1e-6, true},
};

static void set(ifd_limits *l, const row *r, int high, double limit)
{
    if (r->at[0] != r->at[1] && !high)
        limit = -limit;
    memcpy((char *)l + r->at[high], &limit, sizeof limit);
}

TEST(a_measured_limit_acts_at_once_and_not_before)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int w = 0; w < WHO; w++)
            for (int high = 0; high < 2; high++)
                for (int outside = 0; outside < 2; outside++) {
                    const row *r = &rows[i];
                    if (r->interface_only && w == ACTUATOR)
                        continue;
                    bench b;
                    bench_prepare(&b, (who)w, 1e12, 0.0, 0.0);
                    double limit = outside ? nextafter(r->limit, 0.0) : r->limit;
                    if (r->exact > 0.0)
                        limit = r->limit * (outside ? 1.0 - r->exact : 1.0 + r->exact);
                    set(limits_of(&b, (who)w), r, high, limit);
                    bench_run(&b, &(scene){r->inject, high ? 1.0 : -1.0, LONG_MAX}, 60 + 4 * LATER);
                    ifd_trip_facts f = ifd_hybrid_trip(b.s.h);
                    long acted = first_in(r->state);
                    if (!outside && (acted >= 0 || f.trip != IFD_TRIP_NONE))
                        fail_msg("%s, %s, %s: acted after %ld ticks on a value that is its limit", r->name,
                                 w ? "actuator" : "interface", high ? "high" : "low", acted);
                    if (outside && (f.trip != r->trip || f.owner != w || (r->after >= 0 && acted != r->after)))
                        fail_msg("%s, %s, %s: fault %s of %d after %ld ticks, expected %s after %ld", r->name,
                                 w ? "actuator" : "interface", high ? "high" : "low", ifd_trip_name(f.trip), f.owner,
                                 acted, ifd_trip_name(r->trip), r->after);
                    double edge = high || r->at[0] == r->at[1] ? limit : -limit;
                    if (outside)
                        assert_near(f.limit, edge, 0.0, "%s: the reported limit", r->name);
                    bench_close(&b);
                }
}

/* On a virtual rig limits may be observed only: each tick beyond a limit is counted once, without an effect. */
TEST(an_observed_limit_is_counted_and_does_not_act)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const row *r = &rows[i];
        bench b;
        bench_prepare(&b, INTERFACE, 1e12, 0.0, 0.0);
        b.s.opt.observe = true;
        set(&b.s.channel.limits, r, 1, r->limit * (1.0 - 1e-6));
        bench_run(&b, &(scene){r->inject, 1.0, LONG_MAX}, 60 + 8 * LATER);
        assert_true(first_in(r->state) == -1 && ifd_hybrid_trip(b.s.h).trip == IFD_TRIP_NONE);
        long count = ifd_hybrid_count(b.s.h, r->trip), since = rig.senses - rig.run - LATER;
        assert_true(r->trip == IFD_TRIP_FORCE ? count == since : count >= 1);
        if (r->trip == IFD_TRIP_FORCE)
            assert_int_equal(b.s.t.trace(b.s.t.self)->faults, (uint64_t)1 << IFD_TRIP_FORCE);
        bench_close(&b);
    }
}

/* A later trip replaces the fault of a hold. */
static void works_then_breaks(double sign, long i, double out[2])
{
    force_works(sign, i, out);
    out[1] = i >= LATER + 5 ? 128.0 : out[1];
}

TEST(the_worse_of_two_faults_is_told)
{
    bench b;
    bench_prepare(&b, INTERFACE, 1e12, 0.0, 0.0);
    b.s.channel.limits.energy = 0.5, b.s.channel.limits.force = 100.0;
    bench_run(&b, &(scene){works_then_breaks, 1.0, LONG_MAX}, 60 + 4 * LATER);
    assert_int_equal(ifd_hybrid_trip(b.s.h).trip, IFD_TRIP_ENERGY);
    for (int k = 0; k < 20; k++)
        b.s.t.tick(b.s.t.self, &(ifd_tick_in){0});
    assert_int_equal(ifd_hybrid_trip(b.s.h).trip, IFD_TRIP_FORCE);
    assert_int_equal(first_in(IFD_MACHINE_TRIPPED), LATER + 5);
    bench_close(&b);
}

/* A motion of 0.1 m at 20 rad/s, within a fifth of it: the structure requires more than every limit. */
TEST(commands_reach_every_limit_and_pass_none)
{
    static const struct {
        double low, high, velocity, acceleration;
        bool ends, fast, hard; /* reached limits */
    } runs[] = {{-0.020, 0.015, 1.5, 40.0, true, false, true},
                {-0.015, 0.020, 0.5, 200.0, true, true, true},
                {-0.2, 0.3, 0.75, 30.0, false, true, true},
                {-0.005, 0.01, 3.0, 20.0, true, false, true}};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
        for (int w = 0; w < WHO; w++) {
            bench b;
            bench_prepare(&b, (who)w, 1000.0, 4e5, 2.0);
            ifd_limits *l = limits_of(&b, (who)w);
            l->low = runs[i].low;
            l->high = runs[i].high;
            l->velocity = runs[i].velocity;
            l->acceleration = runs[i].acceleration;
            bench_run(&b, &(scene){NULL, 1.0, LONG_MAX}, 900);
            double least[3] = {0}, most[3] = {0};
            for (long k = 2; k < rig.commands; k++) {
                const double *p = &rig.position[k];
                const double seen[] = {p[0], (p[0] - p[-1]) / period,
                                       (p[0] - 2.0 * p[-1] + p[-2]) / (period * period)};
                for (int j = 0; j < 3; j++) {
                    least[j] = fmin(least[j], seen[j]);
                    most[j] = fmax(most[j], seen[j]);
                }
            }
            /* Rounding of positions of 0.3 m: 6e-17 m, of differences over period^2 about 1e-10 m/s2. */
            assert_true(least[0] >= l->low && most[0] <= l->high);
            assert_true(least[1] >= -l->velocity - 1e-12 && most[1] <= l->velocity + 1e-12);
            assert_true(least[2] >= -l->acceleration - 1e-9 && most[2] <= l->acceleration + 1e-9);
            if (runs[i].ends) {
                assert_near(least[0], l->low, 1e-12, "run %zu: lower end of the stroke", i);
                assert_near(most[0], l->high, 1e-12, "run %zu: upper end of the stroke", i);
            }
            if (runs[i].fast) {
                assert_near(least[1], -l->velocity, 1e-12, "run %zu: velocity", i);
                assert_near(most[1], l->velocity, 1e-12, "run %zu: velocity", i);
            }
            if (runs[i].hard) {
                assert_near(least[2], -l->acceleration, 1e-9, "run %zu: acceleration", i);
                assert_near(most[2], l->acceleration, 1e-9, "run %zu: acceleration", i);
            }
            bench_close(&b);
        }
}

/* By the documented rule, from received and shown values: more than stuck_limit ticks with the same position and a
 * command beyond its smallest change q, and a range of the command above 0.001 of the stroke and 3 q. */
static long stuck_noticed(long limit, double least)
{
    double moved = 0.0, low = 0.0, high = 0.0, q = 0.0;
    long same = 0;
    for (long k = 1; k < rig.senses; k++) {
        /* The guard uses the step of the previous command. */
        double step = k >= 2 ? rig.position[k - 1] - rig.position[k - 2] : 0.0;
        if (rig.shown[k] != rig.shown[k - 1]) {
            double change = fabs(rig.shown[k] - rig.shown[k - 1]);
            q = q > 0.0 ? fmin(q, change) : change;
            moved = low = high = 0.0;
            same = 0;
            continue;
        }
        moved += step;
        low = fmin(low, moved);
        high = fmax(high, moved);
        double unit = q > 0.0 ? q : least / 3.0;
        same += high - low > unit;
        if (same > limit && high - low > fmax(least, 3.0 * unit))
            return k - rig.run;
    }
    return -1;
}

TEST(a_stuck_position_is_noticed_at_the_tick_it_must_be)
{
    static const struct {
        int limit;
        double stroke, v0;
    } runs[] = {{50, 0.1, 1.0}, {7, 0.1, 1.0}, {1, 8.0, 0.25}, {1, 4.0, -0.25}};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
        for (int w = 0; w < WHO; w++) {
            bench b;
            bench_prepare(&b, (who)w, 1000.0, 4e5, runs[i].v0);
            limits_of(&b, (who)w)->low = -runs[i].stroke;
            limits_of(&b, (who)w)->high = runs[i].stroke;
            b.s.opt.stuck_limit = runs[i].limit;
            b.s.opt.stuck_time = 0.0;
            b.s.channel.lag = 0.0;
            bench_run(&b, &(scene){NULL, 1.0, 60}, 600);
            ifd_trip_facts f = ifd_hybrid_trip(b.s.h);
            assert_int_equal(f.trip, IFD_TRIP_FROZEN);
            assert_int_equal(f.owner, w);
            long noticed = stuck_noticed(runs[i].limit, 1e-3 * 2.0 * runs[i].stroke);
            assert_int_equal(first_in(IFD_MACHINE_TRIPPED), noticed);
            assert_true(noticed > 60);
            bench_close(&b);
        }
}

/* A rig of three: one separate jack, and two that move one block. Each is at its commanded position. */
static struct {
    double p[3];
    uint64_t tick;
    int wrong;    /* index of the force that jumps; -1: none */
    bool run;     /* a command was in state run */
    bool tripped; /* and one in state tripped */
} three;

static bool three_sense(ifd_rig *r, ifd_measure *m, double *x)
{
    (void)x;
    assert_int_equal(r->actuators, 3);
    *m = (ifd_measure){.tick = three.tick, .inputs = 3, .actuators = 3};
    for (int j = 0; j < 3; j++) {
        m->position[j] = three.p[j];
        m->force[j] = three.run && j == three.wrong ? 2.0 : 0.0;
    }
    return true;
}

static void three_command(ifd_rig *r, const ifd_command *c, double *x)
{
    (void)r, (void)x;
    three.tick = c->tick;
    for (int j = 0; j < 3 && c->commanded; j++)
        three.p[j] = c->position[j];
    three.run = three.run || c->state == IFD_MACHINE_RUN;
    three.tripped = three.tripped || c->state == IFD_MACHINE_TRIPPED;
}

TEST(a_fault_names_the_actuator_that_it_is_of)
{
    static const ifd_rig_ops ops = OWN_RIG("virtual", three_sense, three_command);
    static const int named[] = {0, 2 + 1, 2 + 2}; /* the interface; interfaces, then actuators of the rig */
    for (int wrong = 0; wrong < 3; wrong++) {
        bench b;
        bench_prepare(&b, ACTUATOR, 1e12, 0.0, 0.0);
        ifd_builder *m = ifd_builder_make(b.s.arena);
        ifd_builder_dof(m, "x", IFD_DOF_X);
        ifd_builder_dof(m, "y", IFD_DOF_X);
        ifd_builder_add(m, IFD_MASS, 0, 0, 1e12);
        ifd_builder_add(m, IFD_MASS, 1, 1, 1e12);
        ifd_model *model = NULL;
        assert_int_equal(ifd_model_make(b.s.arena, m, &model, NULL), IFD_OK);
        ifd_interface_options channels[2] = {b.s.channel, b.s.channel};
        ifd_limits limits[2] = {b.actuator, b.actuator};
        const double matrix[2] = {1.0, 1.0};
        const char *const names[2] = {"left", "right"};
        const int second = 1;
        channels[1].name = "block";
        channels[1].to = 1;
        channels[0].limits.force = limits[0].force = limits[1].force = 1.0;
        b.drive = (ifd_driven){.drive = {.name = "block", .dofs = 1, .actuators = 2, .matrix = matrix},
                               .interface = &second,
                               .name = names,
                               .limits = limits};
        b.s.opt.model = model;
        b.s.opt.interfaces = 2;
        b.s.opt.interface = channels;
        b.s.opt.rig = &ops;
        memset(&three, 0, sizeof three);
        three.wrong = wrong;
        stand_make(&b.s);
        for (long k = 0; k < 600 && !three.tripped; k++)
            b.s.t.tick(b.s.t.self, &(ifd_tick_in){0});
        assert_true(three.tripped);
        assert_int_equal(ifd_hybrid_trip(b.s.h).trip, IFD_TRIP_FORCE);
        assert_int_equal(ifd_hybrid_trip(b.s.h).owner, named[wrong]);
        bench_close(&b);
    }
}

TESTS()
