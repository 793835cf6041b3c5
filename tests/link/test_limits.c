/* SPDX-License-Identifier: MIT */
/* The limits of the rig server at both of their ends, without thread and clock: what its rig is commanded, and the
 * tick in which it stops by itself. The rig shares no code with the library. */
#include "link/server.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "check.h"
#include "run/os_linux.h"

enum { MOST = 2000 };
static const double tick = 1.0 / 512.0;

static struct {
    double shown, force;
    uint32_t inputs;
    double position[MOST], velocity[MOST];
    long commands;
} rig;

static bool rig_sense(ifd_rig *r, ifd_measure *m, double *x)
{
    (void)x;
    *m = (ifd_measure){.inputs = rig.inputs, .channels = (uint32_t)r->channels};
    m->position[0] = rig.shown;
    m->force[0] = rig.force;
    return true;
}

static void rig_command(ifd_rig *r, const ifd_command *c, double *x)
{
    (void)r, (void)x;
    assert_true(rig.commands < MOST);
    rig.position[rig.commands] = c->position[0];
    rig.velocity[rig.commands++] = c->velocity[0];
}

static const ifd_rig_ops rig_ops = {.abi = IFD_RIG_ABI, .name = "scene", .sense = rig_sense, .command = rig_command};

/* Serving a test that has armed, at rest at zero. */
static void server_begin(ifd_rig_server *s, ifd_limits *l)
{
    memset(s, 0, sizeof *s);
    memset(&rig, 0, sizeof rig);
    rig.inputs = IFD_INPUT_NO_STOP | IFD_INPUT_HYDRAULICS;
    s->o = (ifd_rig_server_options){.rig = &rig_ops, .channels = 1, .tick = tick, .limits = l};
    s->rig = (ifd_rig){.ops = &rig_ops, .channels = 1, .tick = tick};
    ifd__server_limits(s);
    assert_true(ifd__server_sense(s));
    assert_true(ifd__server_begin(s));
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

/* A hundredth of the stroke of 12 m beyond either end is still borne: 0.12 m. */
static void a_measured_limit_stops_the_rig_at_once_and_not_before(void **state)
{
    (void)state;
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

static void inputs_stop_an_armed_rig_only(void **state)
{
    (void)state;
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

/* Far beyond either end: velocity, acceleration and the end itself are used to the full and never passed. */
static void commands_reach_every_limit_and_pass_none(void **state)
{
    (void)state;
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

/* Two ticks without a command go on with its velocity; the third brakes. */
static void a_missing_command_is_bridged_for_two_ticks(void **state)
{
    (void)state;
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
static void only_an_armed_test_moves_the_rig(void **state)
{
    (void)state;
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

static void at_rest_means_every_channel(void **state)
{
    (void)state;
    ifd_limits l[2] = {limits(), limits()};
    ifd_rig_server s;
    server_begin(&s, l);
    s.rig.channels = 2;
    for (int moving = 0; moving < 4; moving++) {
        s.g[0].w = moving & 1 ? 1e-3 : 0.0;
        s.g[1].w = moving & 2 ? -1e-3 : 0.0;
        assert_int_equal(ifd__server_at_rest(&s), moving == 0);
    }
}

/* What stopped it is kept; from then on its own clock rules, a period from now. */
static void the_first_reason_to_stop_stays(void **state)
{
    (void)state;
    ifd_limits l = limits();
    ifd_rig_server s;
    server_begin(&s, &l);
    s.period = 1000000000;
    s.lockstep = true;
    int64_t before = ifd__clock_now();
    ifd__server_stop(&s, IFD_RIG_STOP_FORCE);
    int64_t after = ifd__clock_now();
    assert_false(s.lockstep);
    assert_true(s.due >= before + s.period && s.due <= after + s.period);
    ifd__server_stop(&s, IFD_RIG_STOP_POSITION);
    assert_int_equal(s.report.stop, IFD_RIG_STOP_FORCE);
    assert_int_equal(s.report.stops, 1);
    s.report.state = IFD_RIG_SERVER_FREE;
    ifd__server_stop(&s, IFD_RIG_STOP_POSITION);
    assert_int_equal(s.report.state, IFD_RIG_SERVER_FREE);
}

/* Silences in s, a little below and a little above what is borne: the watchdog of 40 s, a second in lockstep, 30 s
 * before the first command, twice the watchdog until a stopped rig that rests is free. */
static void silence_stops_and_frees_a_rig_when_it_must(void **state)
{
    (void)state;
    enum { SERVES = IFD_RIG_SERVER_SERVES, STOPPED = IFD_RIG_SERVER_STOPPED, FREE = IFD_RIG_SERVER_FREE };
    static const struct {
        double watchdog, silence;
        int state;
        bool commanded, lockstep, moves;
        int then;
    } rows[] = {{40.0, 39.9, SERVES, true, false, false, SERVES},   {40.0, 40.1, SERVES, true, false, false, STOPPED},
                {40.0, 39.9, SERVES, true, true, false, SERVES},    {40.0, 40.1, SERVES, true, true, false, STOPPED},
                {0.1, 0.09, SERVES, true, false, false, SERVES},    {0.1, 0.11, SERVES, true, false, false, STOPPED},
                {0.1, 0.995, SERVES, true, true, false, SERVES},    {0.1, 1.005, SERVES, true, true, false, STOPPED},
                {0.1, 29.9, SERVES, false, false, false, SERVES},   {0.1, 30.1, SERVES, false, false, false, FREE},
                {40.0, 79.9, STOPPED, true, false, false, STOPPED}, {40.0, 80.1, STOPPED, true, false, false, FREE},
                {40.0, 80.1, STOPPED, true, false, true, STOPPED},  {40.0, 99.0, FREE, true, false, false, FREE}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ifd_limits l = limits();
        ifd_rig_server s;
        int64_t begun;
        do { /* once more where this process was stopped in between */
            server_begin(&s, &l);
            s.watchdog = (int64_t)(1e9 * rows[i].watchdog);
            s.report.state = (ifd_rig_server_state)rows[i].state;
            s.commanded = rows[i].commanded;
            s.lockstep = rows[i].lockstep;
            s.g[0].w = rows[i].moves ? 1e-3 : 0.0;
            begun = ifd__clock_now();
            s.heard = begun - (int64_t)(1e9 * rows[i].silence);
            ifd__server_watch(&s);
        } while (ifd__clock_now() - begun > 1000000);
        if ((int)s.report.state != rows[i].then)
            fail_msg("row %zu: state %d, expected %d", i, (int)s.report.state, rows[i].then);
    }
}

static void a_rig_begins_inside_its_stroke(void **state)
{
    (void)state;
    ifd_limits l = limits();
    ifd_rig_server s;
    server_begin(&s, &l);
    const double places[] = {-4.0, 8.0, nextafter(-4.0, -9.0), nextafter(8.0, 9.0)};
    for (int i = 0; i < 4; i++) {
        s.measure.position[0] = places[i];
        assert_int_equal(ifd__server_begin(&s), i < 2);
    }
    assert_near(s.match[0], 0.02 * 12.0, 1e-15, "without a tracking limit");
    l.tracking = 0.125;
    ifd__server_limits(&s);
    assert_near(s.match[0], 0.125, 0.0, "with one");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_measured_limit_stops_the_rig_at_once_and_not_before),
        cmocka_unit_test(inputs_stop_an_armed_rig_only),
        cmocka_unit_test(commands_reach_every_limit_and_pass_none),
        cmocka_unit_test(a_missing_command_is_bridged_for_two_ticks),
        cmocka_unit_test(only_an_armed_test_moves_the_rig),
        cmocka_unit_test(at_rest_means_every_channel),
        cmocka_unit_test(the_first_reason_to_stop_stays),
        cmocka_unit_test(silence_stops_and_frees_a_rig_when_it_must),
        cmocka_unit_test(a_rig_begins_inside_its_stroke),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
