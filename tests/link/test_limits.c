/* SPDX-License-Identifier: MIT */
/* The limits of the rig server at both ends, without thread and clock: commands to its rig, and the tick in which it
 * stops by itself. The rig shares no code with the library. */
#include "link/server.h"

#include <math.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "base/os_linux.h"

enum { MOST = 2000 };
static const double tick = 1.0 / 512.0;

/* The clock of this program: the real one, or the value that a test sets (ns). It replaces the function of the
 * library. */
static int64_t clock_at = -1;

int clock_gettime(clockid_t id, struct timespec *t)
{
    if (clock_at < 0)
        return (int)syscall(SYS_clock_gettime, id, t);
    *t = (struct timespec){.tv_sec = clock_at / 1000000000, .tv_nsec = clock_at % 1000000000};
    return 0;
}

static struct {
    double shown, force;
    uint32_t inputs;
    double position[MOST], velocity[MOST];
    ifd_command last;
    long commands;
} rig;

static bool rig_sense(ifd_rig *r, ifd_measure *m, double *x)
{
    (void)x;
    *m = (ifd_measure){.inputs = rig.inputs, .actuators = (uint32_t)r->actuators};
    m->position[0] = rig.shown;
    m->force[0] = rig.force;
    return true;
}

static void rig_command(ifd_rig *r, const ifd_command *c, double *x)
{
    (void)r, (void)x;
    assert_true(rig.commands < MOST);
    rig.last = *c;
    rig.position[rig.commands] = c->position[0];
    rig.velocity[rig.commands++] = c->velocity[0];
}

static const ifd_rig_ops rig_ops = {.abi = IFD_RIG_ABI, .name = "scene", .sense = rig_sense, .command = rig_command};

/* Serves an armed test, at rest at zero. */
static void server_begin(ifd_rig_server *s, ifd_limits *l)
{
    memset(s, 0, sizeof *s);
    memset(&rig, 0, sizeof rig);
    rig.inputs = IFD_INPUT_NO_STOP | IFD_INPUT_HYDRAULICS;
    s->o = (ifd_rig_server_options){.rig = &rig_ops, .actuators = 1, .tick = tick, .limits = l};
    s->rig = (ifd_rig){.ops = &rig_ops, .actuators = 1, .tick = tick};
    ifd__server_limits(s);
    assert_true(ifd__server_sense(s));
    assert_true(ifd__server_begin(s));
    assert_true(s->report.rest);
    s->report.state = IFD_RIG_SERVER_SERVES;
    s->commanded = s->armed = true;
    s->target.word = IFD_MACHINE_RUN;
    s->target.commanded = 1;
}

static ifd_limits limits(void)
{
    ifd_limits l;
    ifd_limits_defaults(&l);
    l.low = -4.0;
    l.high = 8.0;
    l.velocity = 1.0;
    l.acceleration = 32.0;
    l.force = 64.0;
    return l;
}

/* 0.01 of the stroke of 12 m beyond either end is tolerated: 0.12 m. */
TEST(a_measured_limit_stops_the_rig_at_once_and_not_before)
{
    const double low = -4.0 - 0.01 * 12.0, high = 8.0 + 0.01 * 12.0;
    const struct {
        double position, force;
        ifd_rig_stop stop;
    } rows[] = {{high, 0.0, IFD_RIG_STOP_NONE},
                {nextafter(high, 9.0), 0.0, IFD_RIG_STOP_POSITION},
                {low, 0.0, IFD_RIG_STOP_NONE},
                {nextafter(low, -9.0), 0.0, IFD_RIG_STOP_POSITION},
                {0.0, 64.0, IFD_RIG_STOP_NONE},
                {0.0, nextafter(64.0, 99.0), IFD_RIG_STOP_FORCE},
                {0.0, -64.0, IFD_RIG_STOP_NONE},
                {0.0, nextafter(-64.0, -99.0), IFD_RIG_STOP_FORCE},
                {(double)NAN, 0.0, IFD_RIG_STOP_NOT_FINITE},
                {0.0, (double)INFINITY, IFD_RIG_STOP_NOT_FINITE}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ifd_limits l = limits();
        ifd_rig_server s;
        server_begin(&s, &l);
        assert_int_equal(s.report.state, IFD_RIG_SERVER_SERVES);
        rig.shown = rows[i].position;
        rig.force = rows[i].force;
        assert_true(ifd__server_sense(&s));
        bool stops = rows[i].stop != IFD_RIG_STOP_NONE;
        assert_int_equal(s.report.state, stops ? IFD_RIG_SERVER_STOPPED : IFD_RIG_SERVER_SERVES);
        assert_int_equal(s.report.stop, rows[i].stop);
        assert_int_equal(s.report.stops, stops);
    }
}

TEST(inputs_stop_an_armed_rig_only)
{
    for (uint32_t inputs = 0; inputs < 4; inputs++)
        for (int armed = 0; armed < 2; armed++) {
            ifd_limits l = limits();
            ifd_rig_server s;
            server_begin(&s, &l);
            s.armed = armed;
            rig.inputs = inputs;
            assert_true(ifd__server_sense(&s));
            bool stops = armed && inputs != 3;
            assert_int_equal(s.report.stop, stops ? IFD_RIG_STOP_INPUTS : IFD_RIG_STOP_NONE);
        }
}

/* Targets far beyond either end: velocity, acceleration and stroke are fully used and never exceeded. */
TEST(commands_reach_every_limit_and_pass_none)
{
    for (int high = 0; high < 2; high++) {
        ifd_limits l = limits();
        ifd_rig_server s;
        l.low = -0.25;
        l.high = 0.5;
        server_begin(&s, &l);
        s.target.a[0] = high ? 99.0 : -99.0;
        for (int k = 0; k < 600; k++) {
            s.news = true;
            ifd__server_move(&s);
        }
        double most[3] = {0}, sign = high ? 1.0 : -1.0, braked = 0.0;
        for (long k = 0; k < rig.commands; k++) {
            double p = rig.position[k], q = k > 0 ? rig.position[k - 1] : 0.0, r = k > 1 ? rig.position[k - 2] : 0.0;
            double v = (p - q) / tick, a = (p - 2.0 * q + r) / (tick * tick);
            assert_true(p >= l.low && p <= l.high);
            assert_near(rig.velocity[k], v, 1e-12, "velocity that is sent along");
            most[0] = fmax(most[0], sign * p);
            most[1] = fmax(most[1], fabs(v));
            most[2] = fmax(most[2], fabs(a));
            braked = fmax(braked, -sign * a);
        }
        assert_near(most[0], high ? l.high : -l.low, 0.0, "end of the stroke");
        assert_near(most[1], l.velocity, 1e-12, "velocity");
        assert_near(most[2], l.acceleration, 1e-9, "acceleration");
        assert_near(braked, l.acceleration, 1e-9, "acceleration when braking");
        assert_true(s.report.governed > 500 && s.report.rest);
    }
}

/* Two ticks without a command continue with its velocity; the third brakes. */
TEST(a_missing_command_is_bridged_for_two_ticks)
{
    for (int forth = 0; forth < 2; forth++) {
        ifd_limits l = limits();
        ifd_rig_server s;
        double step = (forth ? 1.0 : -1.0) * 0.03125 * tick;
        server_begin(&s, &l);
        s.target.b[0] = step / tick;
        for (int k = 1; k <= 8; k++) { /* from rest: within 32 m/s2, 0.0625 m/s in a tick */
            s.target.a[0] = k * step;
            s.news = k <= 5;
            if (k > 5)
                s.target.a[0] = 5 * step;
            ifd__server_move(&s);
        }
        for (int k = 0; k < 7; k++)
            assert_near(rig.position[k], (k + 1) * step, 1e-15, "tick %d", k);
        assert_near(rig.position[7], 7 * step, 1e-15, "braked");
        assert_int_equal(s.report.bridged, 3);
        assert_true(s.report.rest);
    }
}

/* A command moves the rig only when it serves a test that is armed, and not idle. */
TEST(only_an_armed_test_moves_the_rig)
{
    for (int i = 0; i < 4; i++) {
        ifd_limits l = limits();
        ifd_rig_server s;
        server_begin(&s, &l);
        if (i == 1)
            s.armed = false;
        if (i == 2)
            s.target.word = IFD_MACHINE_IDLE;
        if (i == 3)
            s.report.state = IFD_RIG_SERVER_STOPPED;
        s.target.a[0] = 1e-5;
        s.news = true;
        ifd__server_move(&s);
        assert_near(rig.position[0], i == 0 ? 1e-5 : 0.0, 0.0, "position");
    }
}

TEST(at_rest_means_every_channel)
{
    ifd_limits l[2] = {limits(), limits()};
    ifd_rig_server s;
    server_begin(&s, l);
    s.rig.actuators = 2;
    for (int moving = 0; moving < 4; moving++) {
        s.g[0].w = moving & 1 ? 1e-3 : 0.0;
        s.g[1].w = moving & 2 ? -1e-3 : 0.0;
        assert_int_equal(ifd__server_at_rest(&s), moving == 0);
    }
}

/* The reason of a stop is kept; afterwards the clock of the server applies, one period from now. */
TEST(the_first_reason_to_stop_stays)
{
    ifd_limits l = limits();
    ifd_rig_server s;
    server_begin(&s, &l);
    s.period = 1000000000;
    s.lockstep = true;
    clock_at = 5000000000;
    ifd__server_stop(&s, IFD_RIG_STOP_FORCE);
    clock_at = -1;
    assert_false(s.lockstep);
    assert_int_equal(s.due, 6000000000);
    ifd__server_stop(&s, IFD_RIG_STOP_POSITION);
    assert_int_equal(s.report.stop, IFD_RIG_STOP_FORCE);
    assert_int_equal(s.report.stops, 1);
    s.report.state = IFD_RIG_SERVER_FREE;
    ifd__server_stop(&s, IFD_RIG_STOP_POSITION);
    assert_int_equal(s.report.state, IFD_RIG_SERVER_FREE);
}

/* Silence of exactly the permitted duration, and one nanosecond more: the watchdog of 40 s, a second in lockstep, 30
 * s before the first command, twice the watchdog until a stopped rig at rest is free. */
TEST(silence_stops_and_frees_a_rig_when_it_must)
{
    enum { SERVES = IFD_RIG_SERVER_SERVES, STOPPED = IFD_RIG_SERVER_STOPPED, FREE = IFD_RIG_SERVER_FREE };
    static const struct {
        int64_t watchdog, borne; /* ns */
        int state;
        bool commanded, lockstep, moves;
        int then;
    } rows[] = {
        {40000000000, 40000000000, SERVES, true, false, false, STOPPED},
        {40000000000, 40000000000, SERVES, true, true, false, STOPPED},
        {100000000, 100000000, SERVES, true, false, false, STOPPED},
        {100000000, 1000000000, SERVES, true, true, false, STOPPED},
        {100000000, 30000000000, SERVES, false, false, false, FREE},
        {40000000000, 80000000000, STOPPED, true, false, false, FREE},
        {40000000000, 99000000000, STOPPED, true, false, true, STOPPED},
        {40000000000, 99000000000, FREE, true, false, false, FREE},
        {100000000, 99000000000, FREE, false, false, false, FREE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int more = 0; more < 2; more++) {
            ifd_limits l = limits();
            ifd_rig_server s;
            server_begin(&s, &l);
            s.watchdog = rows[i].watchdog;
            s.report.state = (ifd_rig_server_state)rows[i].state;
            s.commanded = rows[i].commanded;
            s.lockstep = rows[i].lockstep;
            s.g[0].w = rows[i].moves ? 1e-3 : 0.0;
            s.heard = 1000000000;
            clock_at = s.heard + rows[i].borne + more;
            ifd__server_watch(&s);
            clock_at = -1;
            if ((int)s.report.state != (more ? rows[i].then : rows[i].state))
                fail_msg("row %zu, %d ns more: state %d", i, more, (int)s.report.state);
        }
}

/* State, tick, heartbeat, time and outputs received by the rig, and the acknowledged tick. */
TEST(the_rig_is_told_who_leads_it_and_the_test_what_was_applied)
{
    static const struct {
        ifd_rig_server_state state;
        bool commanded, news;
        uint32_t told, outputs;
        uint64_t applied;
    } rows[] = {{IFD_RIG_SERVER_FREE, false, false, IFD_MACHINE_IDLE, 0, 3},
                {IFD_RIG_SERVER_FREE, true, true, IFD_MACHINE_IDLE, 0, 3},
                {IFD_RIG_SERVER_SERVES, false, false, IFD_MACHINE_HOLD, 0, 3},
                {IFD_RIG_SERVER_SERVES, true, false, IFD_MACHINE_HOLD, 5, 3},
                {IFD_RIG_SERVER_SERVES, true, true, IFD_MACHINE_HOLD, 5, 77},
                {IFD_RIG_SERVER_STOPPED, true, true, IFD_MACHINE_TRIPPED, 0, 3},
                {IFD_RIG_SERVER_STOPPED, false, false, IFD_MACHINE_TRIPPED, 0, 3}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ifd_limits l = limits();
        ifd_rig_server s;
        server_begin(&s, &l);
        s.report.state = rows[i].state;
        s.commanded = rows[i].commanded;
        s.target.word = IFD_MACHINE_HOLD;
        s.target.outputs = 5;
        s.target.tick = 77;
        s.applied = 3;
        for (int k = 1; k <= 3; k++) {
            s.news = rows[i].news;
            ifd__server_move(&s);
            assert_int_equal(rig.last.tick, k);
            assert_int_equal(rig.last.heartbeat, k);
            assert_near(rig.last.time, k * tick, 0.0, "time");
            assert_int_equal(rig.last.actuators, 1);
            assert_int_equal(rig.last.state, rows[i].told);
            bool beats = rows[i].outputs && k % 2; /* the heartbeat of the server, while a test leads */
            assert_int_equal(rig.last.outputs, rows[i].outputs | (beats ? IFD_OUTPUT_BEAT : 0u));
            assert_int_equal(rig.last.commanded, rows[i].state != IFD_RIG_SERVER_FREE); /* a free rig has no test */
            assert_int_equal(s.applied, rows[i].applied);
            assert_false(s.news);
            assert_int_equal(s.missed, rows[i].news ? 0 : k);
            bool bridged = rows[i].state == IFD_RIG_SERVER_SERVES && !rows[i].news;
            assert_int_equal(s.report.bridged, bridged ? k : 0);
        }
    }
}

/* A test that is lost, or has parked: its pressure stays on and the beat continues, until a request of the test, or
 * idle, the emergency stop or a loss of pressure ends it; its return starts nothing. */
TEST(pressure_is_kept_with_the_specimen)
{
    const uint32_t both = IFD_OUTPUT_LOW | IFD_OUTPUT_HIGH, kept = both | IFD_OUTPUT_ENABLE;
    enum { STAYS, STOP, LOST, OFF, IDLE, CASES };
    for (int freed = 0; freed < 2; freed++)
        for (int what = STAYS; what < CASES; what++) {
            ifd_limits l = limits();
            ifd_rig_server s;
            server_begin(&s, &l);
            s.target.outputs = kept;
            s.target.word = what == IDLE ? IFD_MACHINE_IDLE : IFD_MACHINE_HOLD;
            s.news = true;
            ifd__server_move(&s);
            assert_int_equal(rig.last.outputs & kept, kept);
            s.report.state = freed ? IFD_RIG_SERVER_FREE : IFD_RIG_SERVER_STOPPED;
            uint32_t before = rig.last.outputs;
            for (int k = 0; k < 10 && what != IDLE; k++) {
                ifd__server_move(&s);
                assert_int_equal(rig.last.outputs & kept, kept);
                assert_int_equal((rig.last.outputs ^ before) & IFD_OUTPUT_BEAT, IFD_OUTPUT_BEAT);
                before = rig.last.outputs;
            }
            s.measure.inputs &= what == STOP   ? ~(uint32_t)IFD_INPUT_NO_STOP
                                : what == LOST ? ~(uint32_t)IFD_INPUT_HYDRAULICS
                                               : UINT32_MAX;
            s.news = what == OFF;
            s.target.outputs = what == OFF ? 0 : kept;
            ifd__server_move(&s);
            assert_int_equal(rig.last.outputs & both, what == STAYS ? both : 0);
            s.measure.inputs = IFD_INPUT_NO_STOP | IFD_INPUT_HYDRAULICS;
            ifd__server_move(&s);
            assert_int_equal(rig.last.outputs & both, what == STAYS ? both : 0);
        }
}

/* The next test inherits it: neither its connection nor its end in idle releases the specimen; its `off` and, from
 * its arming on, all its requests do. */
TEST(the_next_test_inherits_pressure)
{
    const uint32_t both = IFD_OUTPUT_LOW | IFD_OUTPUT_HIGH;
    enum { LEAVES, OFF, ARMED, PRESSED, CASES };
    for (int what = LEAVES; what < CASES; what++)
        for (int taken = 0; taken < 2; taken++) {
            ifd_limits l = limits();
            ifd_rig_server s;
            server_begin(&s, &l);
            s.pressure = both;
            s.powered = s.inherited = true;
            s.armed = false;
            s.target.word = IFD_MACHINE_IDLE;
            for (int k = 0; k < 4; k++) {
                s.target.outputs = taken && k > 1 ? both : 0;
                s.news = true;
                ifd__server_move(&s);
                assert_int_equal(rig.last.outputs & both, both);
                assert_true(s.inherited);
            }
            s.report.state = what == LEAVES ? IFD_RIG_SERVER_FREE : IFD_RIG_SERVER_SERVES;
            s.armed = what == ARMED;
            s.news = what != LEAVES;
            if (what == OFF || what == ARMED)
                s.target.outputs = what == OFF ? 0 : IFD_OUTPUT_LOW;
            s.measure.inputs &= what == PRESSED ? ~(uint32_t)IFD_INPUT_NO_STOP : UINT32_MAX;
            ifd__server_move(&s);
            bool stays = what == LEAVES || (what == OFF && !taken); /* it has requested nothing that it could end */
            assert_int_equal(rig.last.outputs & both, stays ? both : what == ARMED ? IFD_OUTPUT_LOW : 0);
        }
}

/* A velocity is used only with a command; idle and unarmed rigs bridge nothing. */
TEST(an_unarmed_rig_bridges_nothing)
{
    ifd_limits l = limits();
    ifd_rig_server s;
    server_begin(&s, &l);
    s.armed = false;
    ifd__server_move(&s);
    assert_int_equal(s.report.bridged, 0);
    assert_int_equal(s.report.governed, 0);
}

/* Without a new measurement the last one remains, and is not reported as new. */
static bool rig_silent(ifd_rig *r, ifd_measure *m, double *x)
{
    (void)r, (void)x;
    m->position[0] = 99.0;
    return false;
}

TEST(a_rig_that_measures_nothing_changes_nothing)
{
    static const ifd_rig_ops silent = {
        .abi = IFD_RIG_ABI, .name = "scene", .sense = rig_silent, .command = rig_command};
    ifd_limits l = limits();
    ifd_rig_server s;
    server_begin(&s, &l);
    s.rig.ops = &silent;
    assert_false(ifd__server_sense(&s));
    assert_near(s.measure.position[0], 0.0, 0.0, "the last measurement");
    assert_int_equal(s.report.state, IFD_RIG_SERVER_SERVES);
}

TEST(a_rig_begins_inside_its_stroke)
{
    ifd_limits l = limits();
    ifd_rig_server s;
    server_begin(&s, &l);
    const double places[] = {-4.0, 8.0, nextafter(-4.0, -9.0), nextafter(8.0, 9.0)};
    for (int i = 0; i < 4; i++) {
        s.found = true;
        s.finding[0].at = places[i];
        assert_int_equal(ifd__server_begin(&s), i < 2);
    }
    for (int i = 0; i < 2; i++) {
        s.found = false;
        s.finding[0].at = places[i];
        assert_false(ifd__server_begin(&s));
    }
    assert_near(s.match[0], 0.02 * 12.0, 1e-15, "without a tracking limit");
    l.tracking = 0.125;
    ifd__server_limits(&s);
    assert_near(s.match[0], 0.125, 0.0, "with one");
}

TESTS()
