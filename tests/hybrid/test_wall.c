/* SPDX-License-Identifier: MIT */
/* A specimen on a reaction wall, loaded by an effective force, judged on the commands that a rig receives. The rig
 * and the specimen on it have no common code with the library: a mass that a spring and a dashpot connect with a
 * wall at rest, loaded through a second spring by an actuator that moves linearly to its command within a tick.
 * The structure is cases/rts-building/wall. */
#include "check.h"

#include <math.h>
#include <string.h>

#include "hybrid/laboratory.h"

enum { MOST = 40000, SUBSTEPS = 20, MASSES = 5 };

static const double mass = 2.5e3, column = 9.6e6, dashpot = 27.837e3, spring = 20e6; /* of the case */
static const double high = 0.05, velocity = 2.0, acceleration = 500.0, force = 60e3, tick = 0.5e-3;

typedef enum fault { NONE, WALL_LOST, WALL_MISSING, WALL_HIGH, POSITION_LOST, CELL_ZERO, BREAKS, FAULTS } fault;

static struct {
    fault fault;
    uint32_t in; /* the fault begins `after` senses from the first command of this state on */
    long after, senses, commands;
    uint64_t tick;
    double shown; /* N, of WALL_HIGH */
    double p, x, v, f, wall;
    double position[MOST], measured[MOST];
} rig;

static ifd_status rig_open(ifd_rig *r, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    (void)values, (void)arena, (void)note;
    r->size = 0;
    return IFD_OK;
}

static bool rig_sense(ifd_rig *r, ifd_measure *m, double *x)
{
    (void)x;
    bool on = rig.senses > rig.after;
    fault now = on ? rig.fault : NONE;
    rig.senses += rig.senses > 0;
    *m = (ifd_measure){.tick = rig.tick, .inputs = 3, .channels = (uint32_t)r->channels, .aux = 2};
    m->position[0] = rig.p;
    m->force[0] = now == CELL_ZERO ? 0.0 : rig.f;
    m->auxiliary[0] = now == POSITION_LOST ? (double)NAN : rig.x;
    m->auxiliary[1] = now == WALL_LOST ? (double)NAN : now == WALL_HIGH ? rig.shown : rig.wall;
    m->aux = now == WALL_MISSING ? 1 : 2;
    return true;
}

static void rig_command(ifd_rig *r, const ifd_command *c, double *x)
{
    (void)x;
    double from = rig.p, to = c->commanded ? c->position[0] : rig.p, dt = r->tick / SUBSTEPS;
    bool broken = rig.fault == BREAKS && rig.senses > rig.after;
    if (rig.senses == 0 && c->state == rig.in)
        rig.senses = 1;
    for (int i = 1; i <= SUBSTEPS; i++) {
        double p = from + (to - from) * i / SUBSTEPS;
        rig.wall = broken ? 0.0 : -column * rig.x - dashpot * rig.v;
        rig.v += dt * (spring * (p - rig.x) + rig.wall) / mass;
        rig.x += dt * rig.v;
    }
    rig.wall = broken ? 0.0 : -column * rig.x - dashpot * rig.v;
    rig.p = to;
    rig.f = spring * (rig.p - rig.x);
    rig.tick = c->tick;
    assert_true(rig.commands < MOST);
    rig.position[rig.commands] = rig.p;
    rig.measured[rig.commands++] = rig.f;
}

static const ifd_rig_ops rig_ops = {.abi = IFD_RIG_ABI,
                                    .name = "virtual",
                                    .summary = "a rig of this test",
                                    .open = rig_open,
                                    .sense = rig_sense,
                                    .command = rig_command};

static lab *begin(fault which, ifd_machine in, double seconds)
{
    const char *set[] = {"specimen.0.force-command.delay=0", "test.allow-resume=yes", "time.end=3 s", NULL};
    memset(&rig, 0, sizeof rig);
    rig.fault = which;
    rig.in = (uint32_t)in;
    rig.after = lround(seconds / tick);
    return lab_make("rts-building/wall", set, &rig_ops);
}

/* Every command, in every state: stroke, velocity, acceleration. */
static void assert_commands_within_limits(void)
{
    double w = 0.0;
    for (long i = 1; i < rig.commands; i++) {
        double step = rig.position[i] - rig.position[i - 1];
        assert_true(fabs(rig.position[i]) <= high);
        if (fabs(step) > velocity * tick * (1.0 + 1e-9))
            fail_msg("command %ld: velocity %g", i, step / tick);
        if (fabs(step - w) > acceleration * tick * tick * (1.0 + 1e-6))
            fail_msg("command %ld: acceleration %g", i, (step - w) / (tick * tick));
        w = step;
    }
}

static ifd_run_state go(lab *l, long ticks, ifd_order order)
{
    ifd_run_state s = IFD_RUN_GOING;
    for (long i = 0; i < ticks && s == IFD_RUN_GOING; i++)
        s = l->t.tick(l->t.self, &(ifd_tick_in){.order = i ? IFD_ORDER_NONE : order});
    return s;
}

static double value(const lab *l, const char *name)
{
    int count;
    const ifd_column *c = ifd_hybrid_columns(l->h, &count);
    for (int i = 0; i < count; i++)
        if (strcmp(c[i].name, name) == 0)
            return l->t.values(l->t.self)[i];
    fail_msg("no column %s", name);
    return 0.0;
}

static void go_to(lab *l, double seconds)
{
    while (ifd_hybrid_state(l->h) != IFD_MACHINE_RUN || value(l, "simulated time") < seconds)
        assert_int_equal(go(l, 1, IFD_ORDER_NONE), IFD_RUN_GOING);
}

/* Equation 83 of the paper, with the motion 2.6 mm cos(35 t) of the ground floor. */
static void rates(double t, const double *y, double *out)
{
    static const double m[MASSES] = {20e3, 15e3, 12e3, 3e3, 2.5e3};
    static const struct {
        int a, b; /* -1: ground floor */
        double k, c;
    } part[] = {{-1, 0, 24e6, 69.59e3},   {0, 1, 16e6, 46.395e3},   {1, 2, 16e6, 46.395e3},
                {0, 3, 10.4e6, 30.157e3}, {2, 3, 10.4e6, 30.157e3}, {2, 4, 9.6e6, 27.837e3}};
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
    double now = value(l, "simulated time");
    bool moves = *at < now - 1e-9;
    for (; *at < now - 1e-9; *at += tick)
        glued(*at, y, tick);
    return moves;
}

/* The floor, and the specimen, whose displacement in the laboratory is relative to floor 3. */
static void the_test_is_the_glued_structure(void **state)
{
    (void)state;
    lab *l = begin(NONE, IFD_MACHINE_RUN, 0.0);
    double y[2 * MASSES] = {0.0}, sum[4] = {0.0}, at = 0.0;
    while (ifd_hybrid_state(l->h) != IFD_MACHINE_RUN)
        (void)go(l, 1, IFD_ORDER_NONE);
    while (ifd_hybrid_state(l->h) == IFD_MACHINE_RUN) {
        (void)go(l, 1, IFD_ORDER_NONE);
        if (!follow(l, &at, y))
            continue;
        double off = value(l, "frame.x3 displacement") - y[2], slip = y[4] - y[2];
        double x = value(l, "above specimen position");
        sum[0] += off * off;
        sum[1] += y[2] * y[2];
        sum[2] += (x - slip) * (x - slip);
        sum[3] += slip * slip;
    }
    assert_true(at > 2.9);
    assert_near(sqrt(sum[0] / sum[1]), 0.0, 0.01, "error of floor 3");
    assert_near(sqrt(sum[2] / sum[3]), 0.0, 0.006, "error of the specimen");
    while (ifd_hybrid_state(l->h) == IFD_MACHINE_RAMP_OUT)
        (void)go(l, 1, IFD_ORDER_NONE);
    assert_int_equal(ifd_hybrid_state(l->h), IFD_MACHINE_STOPPED);
    assert_near(rig.f, 0.0, 2.0 * 0.01 * force, "released: within twice the tolerance");
    assert_commands_within_limits();
    lab_close(l);
}

/* A lost or absent wall cell, a lost position, a dead load cell: the test trips. A broken specimen has no force of
 * the wall, and the effective force remains that of the structure. All commands are within their limits, and after
 * a trip the actuator rests. */
static void every_fault_trips_within_the_limits(void **state)
{
    (void)state;
    static const ifd_trip due[FAULTS] = {
        [WALL_LOST] = IFD_TRIP_NOT_FINITE,     [WALL_MISSING] = IFD_TRIP_NOT_FINITE, [WALL_HIGH] = IFD_TRIP_FORCE,
        [POSITION_LOST] = IFD_TRIP_NOT_FINITE, [CELL_ZERO] = IFD_TRIP_FORCE_ERROR,   [BREAKS] = IFD_TRIP_NONE};
    static const struct {
        ifd_machine in;
        double after;
    } times[] = {{IFD_MACHINE_RAMP_IN, 0.5}, {IFD_MACHINE_RUN, 0.01}, {IFD_MACHINE_RUN, 0.3}};
    for (fault f = WALL_LOST; f < FAULTS; f++)
        for (size_t i = 0; i < COUNT(times); i++) {
            if (f == CELL_ZERO && i < 2) /* the force is near 0 */
                continue;
            lab *l = begin(f, times[i].in, times[i].after);
            rig.shown = i % 2 ? force * 1.001 : -force * 1.001;
            ifd_run_state s = go(l, 9000, IFD_ORDER_NONE);
            assert_commands_within_limits();
            if (due[f] != IFD_TRIP_NONE && ifd_hybrid_trip(l->h).trip != due[f])
                fail_msg("fault %d, time %d: trip %s, expected %s", (int)f, (int)i,
                         ifd_trip_name(ifd_hybrid_trip(l->h).trip), ifd_trip_name(due[f]));
            if (due[f] != IFD_TRIP_NONE)
                assert_int_equal(s, IFD_RUN_FAULT);
            for (int n = 1; s == IFD_RUN_FAULT && n < 500; n++)
                assert_true(rig.position[rig.commands - n] == rig.position[rig.commands - 1]);
            lab_close(l);
        }
}

/* At the other side of the limit the force of the wall does not trip. */
static void the_force_of_the_wall_has_the_limit_of_the_force(void **state)
{
    (void)state;
    lab *l = begin(WALL_HIGH, IFD_MACHINE_RAMP_IN, 0.5);
    rig.shown = force * 0.999;
    (void)go(l, 2000, IFD_ORDER_NONE);
    assert_int_equal(ifd_hybrid_trip(l->h).trip, IFD_TRIP_NONE);
    lab_close(l);
}

/* Reference of every tick: -m times the acceleration of floor 3, as the glued structure has it. */
static void the_command_is_the_effective_force(void **state)
{
    (void)state;
    lab *l = begin(NONE, IFD_MACHINE_RUN, 0.0);
    double y[2 * MASSES] = {0.0}, out[2 * MASSES], sum[2] = {0.0}, at = 0.0;
    while (ifd_hybrid_state(l->h) != IFD_MACHINE_RUN)
        (void)go(l, 1, IFD_ORDER_NONE);
    while (ifd_hybrid_state(l->h) == IFD_MACHINE_RUN && at < 2.0) {
        (void)go(l, 1, IFD_ORDER_NONE);
        if (!follow(l, &at, y))
            continue;
        rates(at, y, out);
        double due = -mass * out[MASSES + 2], off = value(l, "above commanded force") - due;
        sum[0] += off * off;
        sum[1] += due * due;
    }
    assert_near(sqrt(sum[0] / sum[1]), 0.0, 0.005, "effective force");
    lab_close(l);
}

/* On hold simulated time stops: no effective force acts, and the specimen comes to rest at the wall. Ramp-out
 * releases it; a trip stops the actuator. */
static void hold_ramp_out_and_trip_are_safe(void **state)
{
    (void)state;
    lab *l = begin(NONE, IFD_MACHINE_RUN, 0.0);
    go_to(l, 0.5);
    (void)go(l, 6000, IFD_ORDER_HOLD);
    assert_int_equal(ifd_hybrid_state(l->h), IFD_MACHINE_HOLD);
    assert_near(value(l, "above commanded force"), 0.0, 1.0, "no force");
    assert_near(rig.x, 0.0, 5e-5, "rest at the wall");
    assert_near(rig.v, 0.0, 1e-3, "at rest");
    (void)go(l, 9000, IFD_ORDER_RAMP_OUT);
    assert_int_equal(ifd_hybrid_state(l->h), IFD_MACHINE_STOPPED);
    assert_near(rig.f, 0.0, 2.0 * 0.01 * force, "released");
    assert_commands_within_limits();
    lab_close(l);

    l = begin(NONE, IFD_MACHINE_RUN, 0.0);
    go_to(l, 0.3);
    long before = rig.commands;
    (void)go(l, 500, IFD_ORDER_TRIP);
    for (long i = before; i < rig.commands; i++)
        assert_true(fabs(rig.measured[i]) < force);
    for (int i = 1; i < 300; i++)
        assert_true(rig.position[rig.commands - i] == rig.position[rig.commands - 1]);
    assert_commands_within_limits();
    lab_close(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_test_is_the_glued_structure),
        cmocka_unit_test(the_command_is_the_effective_force),
        cmocka_unit_test(every_fault_trips_within_the_limits),
        cmocka_unit_test(the_force_of_the_wall_has_the_limit_of_the_force),
        cmocka_unit_test(hold_ramp_out_and_trip_are_safe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
