/* SPDX-License-Identifier: MIT */
/* A specimen that the computed part loads by a force, judged on the commands that a rig receives. The rig and the
 * specimen on it have no common code with the library: a mass on a spring, loaded through a second spring by an
 * actuator that moves linearly to its command within a tick. The structure is cases/effective-force without ground
 * motion, with a displacement of its upper storeys at the start. */
#include "check.h"

#include <math.h>
#include <string.h>

#include "hybrid/chain/effective_force.h"
#include "hybrid/force_control.h"
#include "hybrid/laboratory.h"
#include "hybrid/own_rig.h"

enum { MOST = 60000, SUBSTEPS = 20 };

static const double mass = 5e3, columns = 3e6, dashpot = 8e3, spring = 5e6; /* of the case, elastic */
static const double force = 80e3;
static const ifd_limits limits = {.low = -0.1, .high = 0.1, .velocity = 1.0, .acceleration = 100.0};

typedef enum fault { NONE, BREAKS, CELL_DEAD, CELL_ZERO, LOST, MISSING, STUCK, JUMPS, FAULTS } fault;

static struct {
    fault fault;
    uint32_t in; /* the fault begins `after` senses from the first command of this state on */
    long after, senses, commands;
    uint64_t tick;
    double p, x, v, f, shown_f, shown_x;
    double noise_x, noise_f; /* m, N: half width */
    uint64_t dice;
    double position[MOST], measured[MOST];
    uint32_t state[MOST];
} rig;

/* Between -1 and 1. */
static double dice(void)
{
    rig.dice = rig.dice * 6364136223846793005u + 1442695040888963407u;
    return (double)(int32_t)(rig.dice >> 32) / 2147483648.0;
}

static bool rig_sense(ifd_rig *r, ifd_measure *m, double *x)
{
    (void)x;
    bool on = rig.fault != NONE && rig.senses > rig.after;
    rig.senses += rig.senses > 0;
    *m = (ifd_measure){.tick = rig.tick, .inputs = 3, .actuators = (uint32_t)r->actuators, .aux = 1};
    if (!(on && rig.fault == CELL_DEAD))
        rig.shown_f = rig.f;
    if (!(on && rig.fault == STUCK))
        rig.shown_x = rig.x;
    m->position[0] = rig.p;
    m->force[0] = on && rig.fault == CELL_ZERO ? 0.0 : rig.shown_f;
    m->auxiliary[0] = on && rig.fault == LOST ? (double)NAN : rig.shown_x + (on && rig.fault == JUMPS ? 0.5 : 0.0);
    m->aux = on && rig.fault == MISSING ? 0 : 1;
    m->auxiliary[0] += rig.noise_x * dice();
    m->force[0] += rig.noise_f * dice();
    return true;
}

/* Central differences of the mass, twenty in a tick. */
static void rig_command(ifd_rig *r, const ifd_command *c, double *x)
{
    (void)x;
    double from = rig.p, to = c->commanded ? c->position[0] : rig.p, dt = r->tick / SUBSTEPS;
    bool broken = rig.fault == BREAKS && rig.senses > rig.after;
    if (rig.senses == 0 && c->state == rig.in)
        rig.senses = 1;
    for (int i = 1; i <= SUBSTEPS; i++) {
        double p = from + (to - from) * i / SUBSTEPS;
        rig.v += dt * (spring * (p - rig.x) - (broken ? 0.0 : columns * rig.x) - dashpot * rig.v) / mass;
        rig.x += dt * rig.v;
    }
    rig.p = to;
    rig.f = spring * (rig.p - rig.x);
    rig.tick = c->tick;
    assert_true(rig.commands < MOST);
    rig.position[rig.commands] = rig.p;
    rig.measured[rig.commands] = rig.f;
    rig.state[rig.commands++] = c->state;
}

static const ifd_rig_ops rig_ops = OWN_RIG("virtual", rig_sense, rig_command);

static const char *const rest = "ground={motion: kanai-tajimi, seed: 5, peak: 1e-9 g, duration: 12 s}";

static lab *begin(fault which, ifd_machine in, double seconds, const char *more)
{
    const char *set[] = {rest,
                         "initial={displacement: {s2: 12 mm, s3: 15 mm}}",
                         "specimen.0.force-command.delay=0",
                         "test.allow-resume=yes",
                         "time.end=3 s",
                         more,
                         NULL};
    memset(&rig, 0, sizeof rig);
    rig.fault = which;
    rig.in = (uint32_t)in;
    rig.after = lround(seconds / 1e-3);
    return lab_make("effective-force/rig", set, &rig_ops);
}

/* The whole structure, glued: three masses, fourth-order Runge-Kutta. */
static void rates(const double y[6], double out[6])
{
    double f1 = columns * y[0] + dashpot * y[3], f2 = 2.5e6 * (y[1] - y[0]) + 7e3 * (y[4] - y[3]),
           f3 = 2e6 * (y[2] - y[1]) + 6e3 * (y[5] - y[4]);
    memcpy(out, y + 3, 3 * sizeof *out);
    out[3] = (f2 - f1) / mass;
    out[4] = (f3 - f2) / 4e3;
    out[5] = -f3 / 4e3;
}

static void glued(double y[6], double h)
{
    double k[4][6], z[6];
    const double at[4] = {0.0, 0.5, 0.5, 1.0};
    for (int s = 0; s < 4; s++) {
        for (int i = 0; i < 6; i++)
            z[i] = y[i] + (s ? at[s] * h * k[s - 1][i] : 0.0);
        rates(z, k[s]);
    }
    for (int i = 0; i < 6; i++)
        y[i] += h / 6.0 * (k[0][i] + 2.0 * k[1][i] + 2.0 * k[2][i] + k[3][i]);
}

/* The state of the whole begins at the position that the static force of ramp-in gives the specimen. */
TEST(the_test_is_the_glued_structure)
{
    lab *l = begin(NONE, IFD_MACHINE_RUN, 0.0, NULL);
    play(&l->script, "until run");
    double y[6] = {rig.x, 0.012, 0.015, rig.v, 0.0, 0.0}, sum[2] = {0.0, 0.0}, at = 0.0;
    assert_near(rig.x, 2.5e6 * 0.012 / (columns + 2.5e6), 2e-4, "static position");
    while (ifd_hybrid_state(l->h) == IFD_MACHINE_RUN) {
        lab_tick(l, IFD_ORDER_NONE);
        double now = lab_value(l, "simulated time");
        for (; at < now - 1e-9; at += 1e-3)
            glued(y, 1e-3);
        double u = lab_value(l, "s3 displacement");
        sum[0] += (u - y[2]) * (u - y[2]);
        sum[1] += y[2] * y[2];
    }
    assert_true(at > 2.9);
    assert_near(sqrt(sum[0] / sum[1]), 0.0, 0.01, "error of s3");
    play(&l->script, "until is != ramp-out; is stopped");
    assert_near(rig.f, 0.0, 1600.0, "released: within twice the tolerance");
    assert_commands_within(rig.position, rig.commands, 1e-3, &limits);
    lab_close(l);
}

/* A ramp-out ends when a command at rest would hold the specimen within the tolerance of the force: 1 % of the limit.
 * The swing is judged by the energy of the specimen on its columns. */
TEST(a_ramp_out_waits_until_the_specimen_no_longer_swings)
{
    lab *l = begin(NONE, IFD_MACHINE_RUN, 0.0, NULL);
    play(&l->script, "until run");
    (void)lab_go(l, 300, IFD_ORDER_NONE);
    play(&l->script, "ramp-out; is ramp-out");
    double first = sqrt(rig.x * rig.x + rig.v * rig.v * mass / columns);
    play(&l->script, "until is != ramp-out; is stopped");
    double last = sqrt(rig.x * rig.x + rig.v * rig.v * mass / columns);
    assert_true(spring * first > 5.0 * 0.01 * force);
    assert_true(spring * last <= 0.01 * force);
    assert_commands_within(rig.position, rig.commands, 1e-3, &limits);
    lab_close(l);
}

/* A broken specimen, a dead load cell and a lost, stuck or wrong position sensor: the test trips, all commands are
 * within their limits, and the actuator comes to rest. A force that does not fit the spring may be found first. */
TEST(every_fault_trips_within_the_limits)
{
    static const ifd_trip due[FAULTS] = {
        [BREAKS] = IFD_TRIP_NONE,      [CELL_DEAD] = IFD_TRIP_FORCE_ERROR, [CELL_ZERO] = IFD_TRIP_FORCE_ERROR,
        [LOST] = IFD_TRIP_NOT_FINITE,  [MISSING] = IFD_TRIP_NOT_FINITE,    [STUCK] = IFD_TRIP_FORCE_ERROR,
        [JUMPS] = IFD_TRIP_FORCE_ERROR};
    static const struct {
        ifd_machine in;
        double after;
    } times[] = {{IFD_MACHINE_RAMP_IN, 0.5}, {IFD_MACHINE_RUN, 0.01}, {IFD_MACHINE_RUN, 0.3}};
    for (fault f = BREAKS; f < FAULTS; f++)
        for (size_t i = 0; i < COUNT(times); i++) {
            lab *l = begin(f, times[i].in, times[i].after, NULL);
            ifd_run_state s = lab_go(l, 9000, IFD_ORDER_NONE);
            assert_commands_within(rig.position, rig.commands, 1e-3, &limits);
            ifd_trip found = ifd_hybrid_trip(l->h).trip;
            bool spring_first = due[f] == IFD_TRIP_FORCE_ERROR && found == IFD_TRIP_SPRING;
            if (due[f] != IFD_TRIP_NONE && found != due[f] && !spring_first)
                fail_msg("fault %d, time %d: trip %s in state %s, expected %s", (int)f, (int)i,
                         ifd_trip_name(ifd_hybrid_trip(l->h).trip), ifd_machine_name(ifd_hybrid_state(l->h)),
                         ifd_trip_name(due[f]));
            if (f != BREAKS)
                assert_int_equal(s, IFD_RUN_FAULT);
            for (int n = 1; s == IFD_RUN_FAULT && n < 500; n++)
                assert_true(rig.position[rig.commands - n] == rig.position[rig.commands - 1]);
            lab_close(l);
        }
}

/* Largest reference, and largest change of it in a tick. */
static void references(lab *l, double *most, double *rate)
{
    double last = 0.0;
    *most = *rate = 0.0;
    for (ifd_run_state s = IFD_RUN_GOING; s == IFD_RUN_GOING && ifd_hybrid_state(l->h) != IFD_MACHINE_RAMP_OUT;) {
        s = lab_go(l, 1, IFD_ORDER_NONE);
        double r = lab_value(l, "storey commanded force");
        *most = fmax(*most, fabs(r));
        *rate = fmax(*rate, fabs(r - last) / 1e-3);
        last = r;
    }
}

/* The reference has the limit of the force and its rate, at both sides of each number. */
TEST(the_reference_keeps_its_limits)
{
    double free_most, free_rate, most, rate;
    lab *l = begin(NONE, IFD_MACHINE_RUN, 0.0, "specimen.0.force-command.rate=1e9");
    references(l, &free_most, &free_rate);
    lab_close(l);
    assert_true(free_most > 10e3 && free_most < force && free_rate > 50e3);
    l = begin(NONE, IFD_MACHINE_RUN, 0.0,
              "specimen.0.force-command={rate: 40e3, error: 1 MN, on: s1, spring: 5 MN/m, "
              "connection: {stiffness: 2.5 MN/m, damping: 7 kN s/m}}");
    references(l, &most, &rate);
    lab_close(l);
    assert_near(rate, 40e3, 1e-6, "rate of the reference");
    l = begin(NONE, IFD_MACHINE_RUN, 0.0, "specimen.0.limits.force=8 kN");
    references(l, &most, &rate);
    assert_true(most == 8e3);
    lab_close(l);
    assert_commands_within(rig.position, rig.commands, 1e-3, &limits);
}

/* On hold the path of the structure stops, and the specimen comes to rest where the connection holds it. Ramp-out
 * follows it until it is at rest, without force. A trip stops the actuator. */
TEST(hold_ramp_out_and_trip_are_safe)
{
    lab *l = begin(NONE, IFD_MACHINE_RUN, 0.0, NULL);
    while (ifd_hybrid_state(l->h) != IFD_MACHINE_RUN || lab_value(l, "simulated time") < 0.5)
        lab_tick(l, IFD_ORDER_NONE);
    (void)lab_go(l, 4000, IFD_ORDER_HOLD);
    assert_int_equal(ifd_hybrid_state(l->h), IFD_MACHINE_HOLD);
    double u = lab_value(l, "s2 displacement"), due = 2.5e6 * u / (2.5e6 + columns);
    assert_near(rig.x, due, 0.05 * fabs(due) + 1e-4, "rest on hold");
    assert_near(rig.v, 0.0, 1e-3, "at rest");
    long before = rig.commands;
    (void)lab_go(l, 6000, IFD_ORDER_RAMP_OUT);
    assert_int_equal(ifd_hybrid_state(l->h), IFD_MACHINE_STOPPED);
    assert_near(rig.f, 0.0, 1600.0, "released");
    assert_true(rig.commands > before);
    assert_commands_within(rig.position, rig.commands, 1e-3, &limits);
    lab_close(l);

    l = begin(NONE, IFD_MACHINE_RUN, 0.0, NULL);
    while (ifd_hybrid_state(l->h) != IFD_MACHINE_RUN || lab_value(l, "simulated time") < 0.3)
        lab_tick(l, IFD_ORDER_NONE);
    double speed = fabs(rig.v);
    before = rig.commands;
    (void)lab_go(l, 500, IFD_ORDER_TRIP);
    double peak = 0.0;
    for (long i = before; i < rig.commands; i++)
        peak = fmax(peak, fabs(rig.measured[i]));
    assert_true(speed > 0.0 && peak < force); /* the documented bound: v sqrt(s m) and the force of the trip */
    for (int i = 1; i < 300; i++)
        assert_true(rig.position[rig.commands - i] == rig.position[rig.commands - 1]);
    assert_commands_within(rig.position, rig.commands, 1e-3, &limits);
    lab_close(l);
}

static long ticks_in(lab *l, ifd_machine state)
{
    long n = 0;
    while (ifd_hybrid_state(l->h) != state)
        lab_tick(l, IFD_ORDER_NONE);
    for (; ifd_hybrid_state(l->h) == state; n++)
        lab_tick(l, IFD_ORDER_NONE);
    return n;
}

/* The target of the ramp-in follows a position with a noise of 10 um, 25 N in the connection: nothing delays the run
 * but ramp-in and settling. A load cell whose noise is above the tolerance never settles: the test ends after 30 s,
 * the longest stage (1/32 of the full rate), ten brakes and settling, by a ramp-out within the limits. */
TEST(a_noisy_target_is_reached_and_a_noisy_force_is_given_up)
{
    lab *l = begin(NONE, IFD_MACHINE_RUN, 0.0, NULL);
    rig.noise_x = 10e-6;
    long whole = lround((l->o.ramp_in + l->o.settle) / 1e-3);
    assert_in_range(ticks_in(l, IFD_MACHINE_RAMP_IN), whole - 1, whole + 5);
    assert_int_equal(ifd_hybrid_state(l->h), IFD_MACHINE_RUN);
    lab_close(l);

    l = begin(NONE, IFD_MACHINE_RUN, 0.0, "specimen.0.force-command.tolerance=20 N");
    rig.noise_f = 200.0;
    double limit = 30.0 + 32.0 * l->o.ticks_per_stage * 1e-3 + 10.0 * l->o.brake + l->o.settle;
    long edge = lround((l->o.ramp_in + limit) / 1e-3);
    assert_in_range(ticks_in(l, IFD_MACHINE_RAMP_IN), edge, edge + 2);
    play(&l->script, "is ramp-out; fault STANDSTILL");
    assert_near(ifd_hybrid_trip(l->h).limit, limit, 1e-9, "limit");
    assert_int_equal(ifd_hybrid_trip(l->h).owner, -1);
    assert_commands_within(rig.position, rig.commands, 1e-3, &limits);
    lab_close(l);
}

/* A target is reached if the rate of the force and its limit permit the whole change, and the force is there. */
TEST(a_target_beyond_rate_or_limit_is_not_reached)
{
    lab *l = begin(NONE, IFD_MACHINE_RUN, 0.0, NULL);
    ifd__interface_state *s = ifd__interface_of(l->h, 0);
    const ifd_force_control *f = l->o.interface[0].force;
    double most = f->rate * l->h->period; /* N in a tick */
    const struct {
        double aim, target, felt;
        bool there;
    } rows[] = {{1e3, 1e3 + 0.9 * most, 1e3 + 0.9 * most, true},
                {1e3, 1e3 + 1.1 * most, 1e3 + most, false},
                {1e3, 1e3 + 0.9 * most, 1e3 + 0.9 * most + 1.1 * f->tolerance, false},
                {-force, -force, -force, true},
                {-force, -force - 1.0, -force, false}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        s->force_target = rows[i].aim;
        s->measured_f = rows[i].felt;
        assert_int_equal(ifd__force_step(l->h, 0, rows[i].target), rows[i].there);
    }
    lab_close(l);
}

/* Ticks of the estimate after a jump of the measured position by x, until the specimen no longer swings. */
static long ticks_of_swing(lab *l, double x, double error[4])
{
    long n = 0;
    l->h->measure.auxiliary[0] = 0.0;
    l->h->io.pushed[0]->x = 0.0;
    ifd__push_begin(&l->h->io, 0);
    assert_false(ifd__push_swings(&l->h->io, 0));
    l->h->measure.auxiliary[0] = x;
    do {
        ifd__chain_sense(&l->h->io);
        if (n < 4)
            error[n] = l->h->io.pushed[0]->specimen.x - x;
        n++;
    } while (ifd__push_swings(&l->h->io, 0));
    return n;
}

/* The error of the estimate has the triple pole q = exp(-2 pi f dt), f its bandwidth. What is left of a swing
 * decreases by 1 + dt in a tick, with a memory of 1 s: twice the swing lasts ln 2/ln(1 + dt) ticks longer. */
TEST(the_estimate_has_its_bandwidth_and_a_swing_its_memory)
{
    lab *l = begin(NONE, IFD_MACHINE_RUN, 0.0, NULL);
    (void)lab_go(l, 5, IFD_ORDER_NONE);
    double e[4], q = exp(-2.0 * acos(-1.0) * l->o.interface[0].force->computed->follow * 1e-3);
    long once = ticks_of_swing(l, 1e-3, e), twice = ticks_of_swing(l, 2e-3, e);
    assert_near(e[3], q * (3.0 * e[2] - q * (3.0 * e[1] - q * e[0])), 1e-12, "triple pole");
    assert_true(fabs(e[0]) > 1e-4);
    assert_near((double)(twice - once), log(2.0) / log(1.001), 1.0, "memory");
    lab_close(l);
}

/* Numbers of a force command at both sides of each bound, as a test is made. */
TEST(numbers_that_are_no_force_command_are_refused)
{
    lab *l = begin(NONE, IFD_MACHINE_RUN, 0.0, NULL);
    ifd_interface_options c = l->o.interface[0];
    ifd_force_control f = *c.force;
    ifd_force_command good = *f.computed, p;
    double *const number[] = {&p.stiffness, &p.damping, &p.mass, &p.delay, &p.follow};
    const double bad[] = {-1e-9, -1.0, (double)NAN, (double)INFINITY, -(double)INFINITY};
    const struct {
        int input;
        ifd_status status;
    } inputs[] = {{-1, IFD_RANGE}, {0, IFD_OK}, {1, IFD_OK}, {31, IFD_OK}, {32, IFD_RANGE}, {33, IFD_RANGE}};
    f.computed = &p;
    c.force = &f;
    l->o.interface = &c;
    for (size_t i = 0; i < COUNT(number); i++) {
        for (size_t j = 0; j < COUNT(bad); j++) {
            p = good;
            *number[i] = bad[j];
            assert_int_equal(ifd_hybrid_make(l->arena, &l->o, &(ifd_hybrid *){NULL}, NULL), IFD_RANGE);
        }
        p = good;
        *number[i] = 0.0;
        assert_int_equal(ifd__push_check(&l->o, &c, NULL), number[i] == &p.follow ? IFD_RANGE : IFD_OK);
    }
    for (size_t i = 0; i < COUNT(inputs); i++) {
        ifd_note note;
        ifd_note_init(&note, l->arena);
        p = good;
        p.position = inputs[i].input;
        assert_int_equal(ifd__push_check(&l->o, &c, &note), inputs[i].status);
        if (inputs[i].status != IFD_OK)
            assert_non_null(strstr(note.first->text, "expected 0 to 31"));
    }
    p = good;
    c.compensator = ifd_compensator_find("taylor");
    assert_int_equal(ifd__push_check(&l->o, &c, NULL), IFD_CONFLICT);
    c.limits.force = (double)INFINITY;
    assert_int_equal(ifd__push_check(&l->o, &c, NULL), IFD_MISSING_KEY);
    c.limits.force = force;
    f.error = (double)INFINITY;
    assert_int_equal(ifd__push_check(&l->o, &c, NULL), IFD_MISSING_KEY);
    lab_close(l);
}

/* A structure of another program, a protocol, a preload and another pace. */
TEST(tests_without_a_structure_in_real_time_are_refused)
{
    lab *l = begin(NONE, IFD_MACHINE_RUN, 0.0, NULL);
    ifd_hybrid_options o[] = {l->o, l->o, l->o, l->o};
    ifd_interface_options c = l->o.interface[0];
    o[0].remote = (void *)l; /* only asked whether it is there */
    o[1].protocol = (void *)l;
    o[2].preload = true;
    o[3].lambda = 2.0;
    for (size_t i = 0; i < COUNT(o); i++)
        assert_int_equal(ifd__push_check(&o[i], &c, NULL), IFD_UNSUPPORTED);
    assert_int_equal(ifd__push_check(&l->o, &c, NULL), IFD_OK);
    c.to = -1;
    assert_int_equal(ifd__push_check(&l->o, &c, NULL), IFD_UNKNOWN_NAME);
    lab_close(l);
}

TESTS()
