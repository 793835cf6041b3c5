/* SPDX-License-Identifier: MIT */
/* A specimen on one reaction wall, or between two, judged on the commands that a rig receives. The rig and the
 * specimen on it have no common code with the library: a mass that springs and dashpots connect with walls at rest,
 * loaded through another spring by an actuator that moves linearly to its command within a tick, after a delay.
 * The structures are cases/rts-building/wall and walls, the latter with unequal springs. */
#include "check.h"

#include <math.h>
#include <string.h>

#include "hybrid/laboratory.h"
#include "hybrid/own_rig.h"

enum { MOST = 40000, SUBSTEPS = 20, MASSES = 5, LATEST = 32 };

static const double spring = 20e6; /* of the cases */
static const double force = 60e3, tick = 0.5e-3, balance = 1e3;
static const ifd_limits limits = {.low = -0.05, .high = 0.05, .velocity = 2.0, .acceleration = 500.0};

/* The specimen, and the dofs of the structure that its supports follow. */
typedef struct shape {
    const char *file, *name;
    const char *exchange; /* of the coupling */
    bool effective;
    int walls, own, dof[2]; /* own: number of its mass in the glued structure */
    double mass, k[2], c[2];
} shape;

#define ONE "rts-building/wall", "above"
#define TWO "rts-building/walls", "between"
static const shape shapes[] = {
    {ONE, "coupling.rts.exchange=effective", true, 1, 4, {2}, 2.5e3, {9.6e6}, {27.837e3}},
    {ONE, "coupling.rts.exchange=force", false, 1, 4, {2}, 2.5e3, {9.6e6}, {27.837e3}},
    {TWO, "coupling.rts.exchange=effective", true, 2, 3, {0, 2}, 3e3, {7e6, 14e6}, {20e3, 40e3}},
    {TWO, "coupling.rts.exchange=force", false, 2, 3, {0, 2}, 3e3, {7e6, 14e6}, {20e3, 40e3}}};

/* Those of one cell, of cell 0 or 1; then others. */
typedef enum fault {
    NONE,
    LOST,
    ZERO,
    STUCK,
    SIGN,
    HIGH,
    OFF, /* by `shown` */
    MISSING,
    SWAPPED,  /* the cells of both walls */
    OPPOSITE, /* off by `shown`, and the other cell by -`shown` */
    POSITION_LOST,
    CELL_ZERO, /* of the actuator */
    BREAKS
} fault;

static struct {
    const shape *s;
    fault fault;
    int cell, delay;
    long late;   /* every such sense has no new measurement; 0: none */
    uint32_t in; /* the fault begins `after` senses from the first command of this state on */
    long after, senses, commands, asked;
    uint64_t tick;
    double p, x, v, f, wall[2], stuck, shown; /* shown: N */
    double sent[LATEST], position[MOST], measured[MOST];
} rig;

static void spoil(fault now, double *cell)
{
    double *own = &cell[rig.cell], other = cell[1 - rig.cell];
    if (now != STUCK)
        rig.stuck = *own;
    if (now == SWAPPED) {
        cell[1 - rig.cell] = *own;
        *own = other;
    }
    if (now == OFF || now == OPPOSITE)
        *own += rig.shown;
    if (now == OPPOSITE)
        cell[1 - rig.cell] -= rig.shown;
    if (now == LOST)
        *own = (double)NAN;
    if (now == ZERO || now == SIGN)
        *own *= now == ZERO ? 0.0 : -1.0;
    if (now == HIGH || now == STUCK)
        *own = now == HIGH ? rig.shown : rig.stuck;
}

static bool rig_sense(ifd_rig *r, ifd_measure *m, double *x)
{
    (void)x;
    fault now = rig.senses > rig.after ? rig.fault : NONE;
    rig.senses += rig.senses > 0;
    if (rig.late > 0 && ++rig.asked % rig.late == 0)
        return false;
    *m = (ifd_measure){.tick = rig.tick, .inputs = 3, .actuators = (uint32_t)r->actuators};
    m->position[0] = rig.p + (rig.tick % 2 ? 1e-9 : 0.0); /* a sensor has noise: otherwise it seems stuck */
    m->force[0] = now == CELL_ZERO ? 0.0 : rig.f;
    m->auxiliary[0] = now == POSITION_LOST ? (double)NAN : rig.x;
    m->auxiliary[1] = rig.wall[0];
    m->auxiliary[2] = rig.wall[1];
    spoil(now, m->auxiliary + 1);
    m->aux = now == MISSING ? (uint32_t)rig.cell + 1 : (uint32_t)rig.s->walls + 1;
    return true;
}

static void rig_command(ifd_rig *r, const ifd_command *c, double *x)
{
    (void)x;
    double asked = c->commanded ? c->position[0] : rig.sent[rig.commands % LATEST], dt = r->tick / SUBSTEPS;
    bool broken = rig.fault == BREAKS && rig.senses > rig.after;
    if (rig.senses == 0 && c->state == rig.in)
        rig.senses = 1;
    assert_true(rig.commands < MOST);
    rig.position[rig.commands++] = asked;
    rig.sent[rig.commands % LATEST] = asked;
    double from = rig.p, to = rig.sent[(rig.commands + LATEST - rig.delay) % LATEST];
    for (int i = 0; i <= SUBSTEPS; i++) {
        double p = from + (to - from) * i / SUBSTEPS;
        for (int w = 0; w < rig.s->walls; w++)
            rig.wall[w] = broken ? 0.0 : -rig.s->k[w] * rig.x - rig.s->c[w] * rig.v;
        if (i == SUBSTEPS)
            break;
        rig.v += dt * (spring * (p + (to - from) / SUBSTEPS - rig.x) + rig.wall[0] + rig.wall[1]) / rig.s->mass;
        rig.x += dt * rig.v;
    }
    rig.p = to;
    rig.f = spring * (rig.p - rig.x);
    rig.tick = c->tick;
    rig.measured[rig.commands - 1] = rig.f;
}

static const ifd_rig_ops rig_ops = OWN_RIG("virtual", rig_sense, rig_command);

static lab *begin_late(const shape *s, int delay)
{
    char text[8][96];
    snprintf(text[0], sizeof *text, "specimen.0.force-command.delay=%.17g s", delay * tick);
    for (int i = 0; i < 2 && s->walls == 2; i++) {
        snprintf(text[1 + i], sizeof *text, "specimen.0.force-command.wall.%d.stiffness=%.17g", i, s->k[i]);
        snprintf(text[3 + i], sizeof *text, "specimen.0.force-command.wall.%d.damping=%.17g", i, s->c[i]);
    }
    const char *set[] = {
        text[0], s->exchange, "test.allow-resume=yes", "time.end=3 s", "test.stale-share=1", NULL, NULL, NULL,
        NULL,    NULL};
    for (int i = 0; i < 4 && s->walls == 2; i++)
        set[5 + i] = text[1 + i];
    rig.s = s;
    rig.delay = delay;
    return lab_make(s->file, set, &rig_ops);
}

static lab *begin(const shape *s, fault which, ifd_machine in, double seconds)
{
    memset(&rig, 0, sizeof rig);
    rig.fault = which;
    rig.in = (uint32_t)in;
    rig.after = lround(seconds / tick);
    return begin_late(s, 0);
}

static double of_specimen(const lab *l, const char *what)
{
    char name[64];
    snprintf(name, sizeof name, "%s %s", rig.s->name, what);
    return lab_value(l, name);
}

static void go_to(lab *l, double seconds)
{
    while (ifd_hybrid_state(l->h) != IFD_MACHINE_RUN || lab_value(l, "simulated time") < seconds)
        assert_int_equal(lab_go(l, 1, IFD_ORDER_NONE), IFD_RUN_GOING);
}

/* Equation 83 of the paper, with the motion 2.6 mm cos(35 t) of the ground floor. */
static void rates(double t, const double *y, double *out)
{
    static const double m[MASSES] = {20e3, 15e3, 12e3, 3e3, 2.5e3};
    struct {
        int a, b; /* -1: ground floor */
        double k, c;
    } part[] = {{-1, 0, 24e6, 69.59e3},   {0, 1, 16e6, 46.395e3},   {1, 2, 16e6, 46.395e3},
                {0, 3, 10.4e6, 30.157e3}, {2, 3, 10.4e6, 30.157e3}, {2, 4, 9.6e6, 27.837e3}};
    for (int i = 0; i < 2 && rig.s->walls == 2; i++) {
        part[3 + i].k = rig.s->k[i];
        part[3 + i].c = rig.s->c[i];
    }
    double u = 2.6e-3 * cos(35.0 * t), v = -35.0 * 2.6e-3 * sin(35.0 * t);
    memcpy(out, y + MASSES, MASSES * sizeof *out);
    memset(out + MASSES, 0, MASSES * sizeof *out);
    for (size_t i = 0; i < COUNT(part); i++) {
        int a = part[i].a, b = part[i].b;
        double f =
            part[i].k * (y[b] - (a < 0 ? u : y[a])) + part[i].c * (y[MASSES + b] - (a < 0 ? v : y[MASSES + a]));
        out[MASSES + b] -= f / m[b];
        if (a >= 0)
            out[MASSES + a] += f / m[a];
    }
}

static void glued(double t, double *y, double h)
{
    enum { N = 2 * MASSES };
    double k[4][N], z[N];
    const double at[4] = {0.0, 0.5, 0.5, 1.0};
    for (int s = 0; s < 4; s++) {
        for (int i = 0; i < N; i++)
            z[i] = y[i] + (s ? at[s] * h * k[s - 1][i] : 0.0);
        rates(t + at[s] * h, z, k[s]);
    }
    for (int i = 0; i < N; i++)
        y[i] += h / 6.0 * (k[0][i] + 2.0 * k[1][i] + 2.0 * k[2][i] + k[3][i]);
}

/* The glued structure at the simulated time of the test. True at the tick of a new step. */
static bool follow(const lab *l, double *at, double *y)
{
    double now = lab_value(l, "simulated time");
    bool moves = *at < now - 1e-9;
    for (; *at < now - 1e-9; *at += tick)
        glued(*at, y, tick);
    return moves;
}

/* Quasi-static displacement of the specimen, from y, or a derivative. */
static double still(const double *y)
{
    const shape *s = rig.s;
    return (s->k[0] * y[s->dof[0]] + s->k[1] * y[s->dof[1]]) / (s->k[0] + s->k[1]);
}

/* Force of equation 75, 87 or 88. */
static double due(double t, const double *y)
{
    double out[2 * MASSES];
    rates(t, y, out);
    if (rig.s->effective)
        return -rig.s->mass * still(out + MASSES);
    return (rig.s->k[0] + rig.s->k[1]) * still(y) + (rig.s->c[0] + rig.s->c[1]) * still(y + MASSES);
}

/* Sums of squares of the differences and of the reference. */
typedef struct compared {
    double off, all;
} compared;

static void compare(compared *c, double found, double expected)
{
    c->off += (found - expected) * (found - expected);
    c->all += expected * expected;
}

/* A whole run: floor 3, the specimen, whose displacement in the laboratory is relative to its supports under an
 * effective force, and the force that the structure asks for. */
static void run_through(lab *l, compared c[3])
{
    double y[2 * MASSES] = {0.0}, at = 0.0;
    go_to(l, 0.0);
    while (ifd_hybrid_state(l->h) == IFD_MACHINE_RUN) {
        lab_tick(l, IFD_ORDER_NONE);
        if (!follow(l, &at, y))
            continue;
        compare(&c[0], lab_value(l, "frame.x3 displacement"), y[2]);
        compare(&c[1], of_specimen(l, "specimen position"), y[rig.s->own] - (rig.s->effective ? still(y) : 0.0));
        if (at < 2.0)
            compare(&c[2], of_specimen(l, "commanded force"), due(at, y));
    }
    if (at <= 2.9)
        fail_msg("ended at %g s: %s, %g", at, ifd_trip_name(ifd_hybrid_trip(l->h).trip), ifd_hybrid_trip(l->h).value);
}

TEST(the_test_is_the_glued_structure)
{
    static const double bound[COUNT(shapes)][3] = {
        {0.01, 0.006, 0.0025}, {0.01, 0.01, 0.01}, {0.01, 0.01, 0.0025}, {0.01, 0.01, 0.01}};
    static const char *const what[3] = {"floor 3", "specimen", "commanded force"};
    for (size_t i = 0; i < COUNT(shapes); i++) {
        compared c[3] = {{0.0, 0.0}};
        lab *l = begin(&shapes[i], NONE, IFD_MACHINE_RUN, 0.0);
        run_through(l, c);
        for (int q = 0; q < 3; q++) {
            assert_near(sqrt(c[q].off / c[q].all), 0.0, bound[i][q], "%s", what[q]);
        }
        play(&l->script, "until is != ramp-out; is stopped");
        assert_near(rig.f, 0.0, 2.0 * 0.01 * force, "released: within twice the tolerance");
        assert_commands_within(rig.position, rig.commands, tick, &limits);
        lab_close(l);
    }
}

/* An actuator that is 4 ticks late: the acceleration is continued by its delay. */
TEST(the_delay_is_compensated)
{
    static const double bound[COUNT(shapes)] = {0.0125, 0.0125, 0.02, 0.02};
    for (size_t i = 0; i < COUNT(shapes); i++) {
        compared c[3] = {{0.0, 0.0}};
        memset(&rig, 0, sizeof rig);
        lab *l = begin_late(&shapes[i], 4);
        run_through(l, c);
        assert_near(sqrt(c[1].off / c[1].all), 0.0, bound[i], "specimen");
        assert_commands_within(rig.position, rig.commands, tick, &limits);
        lab_close(l);
    }
}

static void expect(const lab *l, ifd_run_state s, ifd_trip trip, const char *what)
{
    ifd_trip found = ifd_hybrid_trip(l->h).trip;
    if (found != trip)
        fail_msg("%s, fault %d of cell %d, shape %d: trip %s, expected %s", what, (int)rig.fault, rig.cell,
                 (int)(rig.s - shapes), ifd_trip_name(found), ifd_trip_name(trip));
    assert_true(s == IFD_RUN_FAULT || (trip == IFD_TRIP_NONE) == (ifd_hybrid_state(l->h) != IFD_MACHINE_TRIPPED));
    assert_commands_within(rig.position, rig.commands, tick, &limits);
    for (int n = 1; trip != IFD_TRIP_NONE && n < 400; n++)
        assert_true(rig.position[rig.commands - n] == rig.position[rig.commands - 1]);
}

/* Lost, absent, dead, stuck or reversed cells, a lost position: the test trips. All commands are within their limits,
 * and after a trip the actuator rests. */
TEST(every_fault_trips_within_the_limits)
{
    static const struct {
        fault fault;
        ifd_trip due;
        ifd_machine in; /* at rest the force of a wall is 0: such a fault shows in run */
        double after;
    } row[] = {
        {LOST, IFD_TRIP_NOT_FINITE, IFD_MACHINE_RAMP_IN, 0.5}, {LOST, IFD_TRIP_NOT_FINITE, IFD_MACHINE_RUN, 0.3},
        {MISSING, IFD_TRIP_NOT_FINITE, IFD_MACHINE_RUN, 0.01}, {HIGH, IFD_TRIP_FORCE, IFD_MACHINE_RAMP_IN, 0.5},
        {HIGH, IFD_TRIP_FORCE, IFD_MACHINE_RUN, 0.3},          {ZERO, IFD_TRIP_BALANCE, IFD_MACHINE_RAMP_IN, 0.5},
        {ZERO, IFD_TRIP_BALANCE, IFD_MACHINE_RUN, 0.3},        {STUCK, IFD_TRIP_BALANCE, IFD_MACHINE_RUN, 0.3},
        {SIGN, IFD_TRIP_BALANCE, IFD_MACHINE_RAMP_IN, 0.5},    {SIGN, IFD_TRIP_BALANCE, IFD_MACHINE_RUN, 0.3}};
    for (size_t i = 0; i < COUNT(shapes); i++)
        for (size_t q = 0; q < COUNT(row); q++)
            for (int cell = 0; cell < shapes[i].walls; cell++) {
                lab *l = begin(&shapes[i], row[q].fault, row[q].in, row[q].after);
                rig.cell = cell;
                rig.shown = q % 2 ? force * 1.001 : -force * 1.001;
                expect(l, lab_go(l, 9000, IFD_ORDER_NONE), row[q].due, "one cell");
                lab_close(l);
            }
    static const fault others[] = {POSITION_LOST, CELL_ZERO,
                                   BREAKS}; /* without force of the walls: not always a fault */
    for (size_t i = 0; i < COUNT(shapes); i++)
        for (size_t q = 0; q < COUNT(others); q++) {
            lab *l = begin(&shapes[i], others[q], IFD_MACHINE_RUN, 0.3);
            ifd_run_state s = lab_go(l, 9000, IFD_ORDER_NONE);
            if (others[q] != BREAKS)
                expect(l, s,
                       q == 0   ? IFD_TRIP_NOT_FINITE
                       : i == 2 ? IFD_TRIP_BALANCE
                                : IFD_TRIP_FORCE_ERROR,
                       "others");
            assert_commands_within(rig.position, rig.commands, tick, &limits);
            lab_close(l);
        }
}

/* A cell that is off, and two cells that are off in opposite directions or exchanged, on both sides of the limit. */
TEST(the_balance_has_its_limit)
{
    for (size_t i = 0; i < COUNT(shapes); i++)
        for (int q = 0; q < 4; q++) {
            bool two = q >= 2, beyond = q % 2;
            if (two && shapes[i].walls == 1)
                continue;
            lab *l = begin(&shapes[i], two ? OPPOSITE : OFF, IFD_MACHINE_RAMP_IN, 0.5);
            rig.cell = shapes[i].walls - 1;
            rig.shown = (beyond ? 1.02 : 0.98) * balance;
            expect(l, lab_go(l, 2000, IFD_ORDER_NONE), beyond ? IFD_TRIP_BALANCE : IFD_TRIP_NONE, "off");
            lab_close(l);
        }
    for (size_t i = 2; i < COUNT(shapes); i++) {
        lab *l = begin(&shapes[i], SWAPPED, IFD_MACHINE_RAMP_IN, 0.5);
        expect(l, lab_go(l, 9000, IFD_ORDER_NONE), IFD_TRIP_BALANCE, "exchanged");
        lab_close(l);
    }
}

/* At the other side of its limit the force of a wall does not trip FORCE. */
TEST(the_force_of_the_wall_has_the_limit_of_the_force)
{
    lab *l = begin(&shapes[0], HIGH, IFD_MACHINE_RAMP_IN, 0.5);
    rig.shown = force * 0.999;
    (void)lab_go(l, 3000, IFD_ORDER_NONE);
    play(&l->script, "count.FORCE = 0; fault BALANCE");
    lab_close(l);
}

/* Ticks without a new measurement are no imbalance. */
TEST(late_measurements_do_not_trip)
{
    for (size_t i = 0; i < COUNT(shapes); i++)
        for (int q = 2; q < 8; q++) {
            lab *l = begin(&shapes[i], NONE, IFD_MACHINE_RUN, 0.0);
            rig.late = q;
            go_to(l, 1.0);
            assert_true(ifd_hybrid_count(l->h, IFD_TRIP_STALE) > 100);
            assert_commands_within(rig.position, rig.commands, tick, &limits);
            lab_close(l);
        }
}

/* On hold simulated time stops: no effective force acts, and the specimen comes to rest at the wall. Without an
 * effective force it rests where the structure is. It resumes; ramp-out releases it; a trip stops the actuator. */
TEST(hold_ramp_out_and_trip_are_safe)
{
    for (size_t i = 0; i < COUNT(shapes); i++) {
        const shape *s = &shapes[i];
        lab *l = begin(s, NONE, IFD_MACHINE_RUN, 0.0);
        go_to(l, 0.5);
        (void)lab_go(l, 6000, IFD_ORDER_HOLD);
        assert_int_equal(ifd_hybrid_state(l->h), IFD_MACHINE_HOLD);
        double x[MASSES] = {lab_value(l, "frame.x1 displacement"), 0.0, lab_value(l, "frame.x3 displacement")};
        double rests = s->effective ? 0.0 : still(x);
        assert_near(of_specimen(l, "commanded force"), (s->k[0] + s->k[1]) * rests, 1.0, "force at rest");
        assert_near(rig.x, rests, 5e-5, "position at rest");
        assert_near(rig.v, 0.0, 1e-3, "at rest");
        (void)lab_go(l, 1000, IFD_ORDER_RESUME);
        assert_int_equal(ifd_hybrid_state(l->h), IFD_MACHINE_RUN);
        (void)lab_go(l, 14000, IFD_ORDER_RAMP_OUT);
        assert_int_equal(ifd_hybrid_state(l->h), IFD_MACHINE_STOPPED);
        assert_near(rig.f, 0.0, 2.0 * 0.01 * force, "released");
        assert_commands_within(rig.position, rig.commands, tick, &limits);
        lab_close(l);

        l = begin(s, NONE, IFD_MACHINE_RUN, 0.0);
        go_to(l, 0.3);
        long before = rig.commands;
        (void)lab_go(l, 500, IFD_ORDER_TRIP);
        for (long q = before; q < rig.commands; q++)
            assert_true(fabs(rig.measured[q]) < force);
        expect(l, IFD_RUN_FAULT, IFD_TRIP_ORDERED, "ordered");
        lab_close(l);
    }
}

TESTS()
