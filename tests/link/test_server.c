/* SPDX-License-Identifier: MIT */
/* ctest: waits 10 s */
/* Safety of the rig independently of the test. Commands that reach the specimen are recorded. */
#include "check.h"

#include "link/calm.h"
#include "link/stand.h"
#include "base/os_linux.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct desk {
    ifd_arena *arena, *client_arena;
    lab l;
    spy watch;
    ifd_rig_server *server;
    ifd_rig rig; /* a client controlled by the test */
    ifd_command c;
    ifd_note note;
} desk;

/* The watchdog in s on a quiet machine; at: m, position of the rig. */
static void desk_prepare(desk *d, double watchdog, double force, double at)
{
    memset(d, 0, sizeof *d);
    d->arena = ifd_arena_open();
    d->client_arena = ifd_arena_open();
    ifd_note_init(&d->note, d->client_arena);
    lab_prepare(&d->l, &d->watch);
    d->l.o.watchdog = patience * watchdog;
    d->l.o.priority = 85;
    d->l.limits.force = force;
    d->l.bench.start = at;
}

static void desk_start(desk *d, double watchdog, double force, double at)
{
    desk_prepare(d, watchdog, force, at);
    assert_int_equal(ifd_rig_server_open(d->arena, &d->l.o, &d->server, NULL), IFD_OK);
}

static void desk_open(desk *d, double watchdog, double force)
{
    desk_start(d, watchdog, force, 0.0);
}

static void desk_close(desk *d)
{
    if (d->rig.data)
        d->rig.ops->close(&d->rig);
    ifd_rig_server_close(d->server);
    ifd_arena_close(d->client_arena);
    ifd_arena_close(d->arena);
}

static ifd_rig_server_report look(const desk *d)
{
    ifd_rig_server_report r;
    ifd_rig_server_report_now(d->server, &r);
    return r;
}

/* Waits for a state; the minute is for a slow machine. */
static bool comes_to(const desk *d, ifd_rig_server_state state)
{
    for (int k = 0; k < 30000 && look(d).state != state; k++)
        sleep_for(0.002);
    return look(d).state == state;
}

static bool comes_to_rest(const desk *d)
{
    for (int k = 0; k < 30000 && !look(d).rest; k++)
        sleep_for(0.002);
    return look(d).rest;
}

static ifd_status connect_with(desk *d, int channels, double tick, ifd_rig *rig)
{
    ifd_value v[IFD_LINK_PARAMS];
    ifd_param_preset(ifd_udp_rig.params, v);
    v[ifd_param_find(ifd_udp_rig.params, "port")] = ifd_number(ifd_rig_server_port(d->server));
    v[ifd_param_find(ifd_udp_rig.params, "timeout")] = ifd_number(60.0);
    *rig = (ifd_rig){.ops = &ifd_udp_rig, .actuators = channels, .tick = tick};
    return rig->ops->open(rig, v, d->client_arena, &d->note);
}

static void led_by_hand(desk *d)
{
    assert_int_equal(connect_with(d, 1, tick_length, &d->rig), IFD_OK);
}

static void say(desk *d, ifd_machine state, double position, double velocity)
{
    d->c.tick++;
    d->c.heartbeat++;
    d->c.state = (uint32_t)state;
    d->c.actuators = 1;
    d->c.commanded = state != IFD_MACHINE_IDLE;
    d->c.position[0] = position;
    d->c.velocity[0] = velocity;
    d->rig.ops->command(&d->rig, &d->c, NULL);
}

/* The inputs of the next new measurement. */
static uint32_t inputs(desk *d)
{
    ifd_measure m = {0};
    for (int k = 0; k < 500; k++, sleep_for(0.001))
        if (d->rig.ops->sense(&d->rig, &m, NULL))
            return m.inputs;
    fail_msg("the rig is silent");
    return 0;
}

/* A uniform motion, one command per tick, for this number of ticks. */
static void lead(desk *d, int ticks, double speed)
{
    double p = d->c.position[0];
    int64_t due = ifd__clock_now();
    ifd__thread_schedule(80); /* if permitted */
    for (int k = 1; k <= ticks; k++) {
        due += (int64_t)(1e9 * tick_length);
        say(d, IFD_MACHINE_RUN, p + k * speed * tick_length, speed);
        ifd__clock_sleep(due);
    }
    ifd__thread_schedule(0);
}

static void a_rig_left_alone_brakes_by_itself_and_says_so(void **state)
{
    (void)state;
    desk d;
    desk_open(&d, 0.05, INFINITY);
    led_by_hand(&d);
    lead(&d, 60, 0.2);
    assert_int_equal(look(&d).state, IFD_RIG_SERVER_SERVES);
    double at = d.c.position[0];
    assert_true(comes_to(&d, IFD_RIG_SERVER_STOPPED));
    assert_int_equal(look(&d).stop, IFD_RIG_STOP_WATCHDOG);
    while (d.rig.ops->sense(&d.rig, &(ifd_measure){0}, NULL)) {
    }
    assert_int_equal(inputs(&d) & IFD_INPUT_RIG_STOPPED, IFD_INPUT_RIG_STOPPED);
    assert_true(comes_to(&d, IFD_RIG_SERVER_FREE));
    ifd_rig_server_report r = look(&d);
    assert_int_equal(r.stop, IFD_RIG_STOP_WATCHDOG);
    assert_int_equal(r.stops, 1);
    assert_true(r.rest);
    /* bridged for two ticks at 0.2 m/s, then braked with 100 m/s2 */
    assert_true(r.position[0] >= at &&
                r.position[0] <= at + 0.2 * 3 * tick_length + 0.5 * 0.2 * 0.2 / 100.0 + 0.2 * tick_length);
    desk_close(&d);
    assert_limits_kept(&d.watch, &d.l.limits);
}

/* At rest and in motion: the last measurements report the stop, and the operator of the test reads why. A brake may
 * take longer than this: the server ends when the rig is at rest. */
static void a_rig_that_is_ended_says_so(void **state)
{
    (void)state;
    for (int moves = 0; moves < 3; moves++) {
        desk d;
        desk_prepare(&d, 0.9, INFINITY, 0.0);
        d.l.limits.acceleration = moves == 2 ? 2.0 : 100.0;
        assert_int_equal(ifd_rig_server_open(d.arena, &d.l.o, &d.server, NULL), IFD_OK);
        led_by_hand(&d);
        lead(&d, 60, moves ? 0.2 : 0.0);
        assert_int_equal(look(&d).state, IFD_RIG_SERVER_SERVES);
        int64_t begun = ifd__clock_now();
        ifd_rig_server_close(d.server);
        assert_true(ifd__clock_now() - begun < 1500000000);
        assert_true(look(&d).stop == IFD_RIG_STOP_ENDED && look(&d).stops == 1 && look(&d).rest);
        ifd_measure m = {0};
        while (d.rig.ops->sense(&d.rig, &m, NULL)) {
        }
        assert_int_equal(m.inputs & IFD_INPUT_RIG_STOPPED, IFD_INPUT_RIG_STOPPED);
        assert_string_equal(d.rig.ops->why(&d.rig), "its operator ended it");
        desk_close(&d);
        assert_limits_kept(&d.watch, &d.l.limits);
    }
}

static void a_stopped_rig_ignores_commands_until_the_test_has_ended(void **state)
{
    (void)state;
    desk d;
    desk_open(&d, 0.05, INFINITY);
    led_by_hand(&d);
    lead(&d, 30, 0.1);
    assert_true(comes_to(&d, IFD_RIG_SERVER_STOPPED));
    sleep_for(0.02);
    double at = look(&d).position[0];
    lead(&d, 50, 0.1);
    assert_near(look(&d).position[0], at, 0.0, "the rig moved");
    assert_int_equal(look(&d).state, IFD_RIG_SERVER_STOPPED);
    d.rig.ops->close(&d.rig);
    d.rig.data = NULL;
    assert_true(comes_to(&d, IFD_RIG_SERVER_FREE));
    led_by_hand(&d);
    d.c.position[0] = at;
    lead(&d, 30, 0.1);
    assert_true(look(&d).position[0] > at);
    assert_int_equal(look(&d).clients, 2);
    desk_close(&d);
    assert_limits_kept(&d.watch, &d.l.limits);
}

static void wild_commands_never_break_a_limit(void **state)
{
    (void)state;
    desk d;
    uint64_t seed = 3;
    desk_open(&d, 0.5, INFINITY);
    led_by_hand(&d);
    lead(&d, 5, 0.0);
    for (int k = 0; k < 400; k++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        double wild = (double)(int64_t)seed / 9.2e18;
        say(&d, IFD_MACHINE_RUN, k % 3 ? wild : 1e6 * wild, k % 7 ? 10.0 * wild : (double)NAN);
        sleep_for(0.001);
    }
    ifd_rig_server_report r = look(&d);
    assert_true(r.governed > 50);
    assert_true(r.link.damaged > 20); /* those with a velocity that is not finite */
    desk_close(&d);
    assert_limits_kept(&d.watch, &d.l.limits);
    assert_true(d.watch.worst_position > 0.005); /* it did move */
}

static void a_first_command_far_from_where_the_rig_stands_is_not_followed(void **state)
{
    (void)state;
    desk d;
    desk_open(&d, 0.5, INFINITY);
    led_by_hand(&d);
    for (int k = 0; k < 5; k++, sleep_for(tick_length))
        say(&d, IFD_MACHINE_IDLE, 0.03, 0.0); /* idle: ignored */
    assert_int_equal(look(&d).state, IFD_RIG_SERVER_SERVES);
    say(&d, IFD_MACHINE_READY, 0.03, 0.0);
    assert_true(comes_to(&d, IFD_RIG_SERVER_STOPPED));
    assert_int_equal(look(&d).stop, IFD_RIG_STOP_UNMATCHED);
    sleep_for(0.02);
    assert_near(look(&d).position[0], 0.0, 0.0, "the rig moved");
    desk_close(&d);
}

/* No position is commanded before a test controls the rig, nor after a command without position; then the first
 * command must match again. */
static void without_a_command_the_rig_is_commanded_nothing(void **state)
{
    (void)state;
    desk d;
    desk_open(&d, 0.5, INFINITY);
    led_by_hand(&d);
    for (int k = 0; k < 20; k++, sleep_for(tick_length))
        say(&d, IFD_MACHINE_IDLE, 0.03, 0.0);
    assert_int_equal(d.watch.count, 0);
    assert_true(d.watch.nothing > 50);
    say(&d, IFD_MACHINE_READY, 0.0, 0.0);
    lead(&d, 60, 0.1);
    assert_true(d.watch.count > 30);
    double at = d.c.position[0];
    say(&d, IFD_MACHINE_IDLE, -0.04, 0.0);
    assert_true(comes_to_rest(&d));
    for (int k = 0; k < 200; k++, sleep_for(tick_length)) /* at least 0.1 s: it is found again */
        say(&d, IFD_MACHINE_IDLE, -0.04, 0.0);
    long commands = d.watch.count;
    for (int k = 0; k < 20; k++, sleep_for(tick_length))
        say(&d, IFD_MACHINE_IDLE, -0.04, 0.0);
    assert_int_equal(d.watch.count, commands);
    assert_near(look(&d).position[0], at, 2e-3, "kept");
    assert_int_equal(look(&d).state, IFD_RIG_SERVER_SERVES);
    say(&d, IFD_MACHINE_READY, -0.04, 0.0); /* not its position */
    assert_true(comes_to(&d, IFD_RIG_SERVER_STOPPED));
    assert_int_equal(look(&d).stop, IFD_RIG_STOP_UNMATCHED);
    desk_close(&d);
    assert_limits_kept(&d.watch, &d.l.limits);
}

/* The server uses several samples, not the first. */
static void a_wrong_first_sample_does_not_place_the_rig(void **state)
{
    (void)state;
    const double shift[] = {0.04, 1.5};
    for (size_t i = 0; i < COUNT(shift); i++) {
        desk d;
        memset(&d, 0, sizeof d);
        d.arena = ifd_arena_open();
        d.client_arena = ifd_arena_open();
        ifd_note_init(&d.note, d.client_arena);
        lab_prepare(&d.l, &d.watch);
        d.watch.wrong = 1;
        d.watch.shift = shift[i];
        d.l.o.watchdog = patience * 0.5;
        assert_int_equal(ifd_rig_server_open(d.arena, &d.l.o, &d.server, NULL), IFD_OK);
        led_by_hand(&d);
        say(&d, IFD_MACHINE_READY, 0.0, 0.0);
        uint64_t began = look(&d).ticks;
        lead(&d, 20, 0.05);
        while (look(&d).ticks - began < 40) /* ticks of the rig, independent of the load */
            lead(&d, 1, 0.0);
        assert_int_equal(look(&d).state, IFD_RIG_SERVER_SERVES);
        desk_close(&d);
        assert_limits_kept(&d.watch, &d.l.limits);
        assert_true(d.watch.worst_position < 0.01);
    }
}

static void a_heart_that_stands_still_is_no_command(void **state)
{
    (void)state;
    desk d;
    desk_open(&d, 0.05, INFINITY);
    led_by_hand(&d);
    lead(&d, 20, 0.0);
    for (int k = 0; k < 60.0 * patience; k++, sleep_for(tick_length)) {
        d.c.heartbeat--;
        say(&d, IFD_MACHINE_RUN, 0.0, 0.0);
    }
    assert_int_equal(look(&d).stop, IFD_RIG_STOP_WATCHDOG);
    desk_close(&d);
}

static void the_emergency_stop_a_force_and_a_stray_number_stop_the_rig(void **state)
{
    (void)state;
    const ifd_rig_stop expected[] = {IFD_RIG_STOP_INPUTS, IFD_RIG_STOP_FORCE, IFD_RIG_STOP_NOT_FINITE};
    for (size_t i = 0; i < COUNT(expected); i++) {
        desk d;
        desk_open(&d, 0.5, 1000.0);
        led_by_hand(&d);
        lead(&d, 10, 0.1); /* 2 mm, 400 N */
        assert_int_equal(look(&d).state, IFD_RIG_SERVER_SERVES);
        if (i == 0)
            d.watch.inputs = IFD_INPUT_HYDRAULICS;
        if (i > 0)
            d.watch.force_gain = i == 1 ? 10.0 : (double)INFINITY;
        lead(&d, 20, 0.1);
        assert_true(comes_to(&d, IFD_RIG_SERVER_STOPPED));
        assert_int_equal(look(&d).stop, expected[i]);
        assert_true(comes_to_rest(&d));
        desk_close(&d);
        assert_limits_kept(&d.watch, &d.l.limits);
    }
}

static void one_test_at_a_time(void **state)
{
    (void)state;
    desk d;
    ifd_rig second;
    desk_open(&d, 0.5, INFINITY);
    led_by_hand(&d);
    lead(&d, 5, 0.0);
    assert_int_equal(connect_with(&d, 1, tick_length, &second), IFD_PEER);
    assert_string_equal(d.note.last->text, "the rig already serves another test");
    for (int k = 0; k < 30000 && look(&d).refused == 0; k++) /* the answer leaves before the report of its tick */
        sleep_for(0.002);
    assert_int_equal(look(&d).refused, 1);
    lead(&d, 5, 0.0);
    assert_int_equal(look(&d).state, IFD_RIG_SERVER_SERVES); /* the first is not disturbed */
    desk_close(&d);
}

static void another_tick_or_number_of_channels_is_refused(void **state)
{
    (void)state;
    desk d;
    ifd_rig rig;
    desk_open(&d, 0.5, INFINITY);
    assert_int_equal(connect_with(&d, 2, tick_length, &rig), IFD_PEER);
    assert_string_equal(d.note.last->text, "the rig has 1 actuators, but the test has 2");
    assert_int_equal(connect_with(&d, 1, 2.0 * tick_length, &rig), IFD_PEER);
    assert_string_equal(d.note.last->text, "the rig has a tick of 0.002 s, but the test has 0.004 s");
    desk_close(&d);
}

/* An engine in a separate process, killed during its motion. */
static void a_killed_engine_leaves_a_rig_at_rest(void **state)
{
    (void)state;
    desk d;
    int port[2];
    assert_int_equal(pipe(port), 0);
    pid_t child = fork(); /* before threads exist */
    if (child == 0) {
        int number = 0;
        stand *s = stand_take();
        alarm(200);
        if (read(port[0], &number, sizeof number) != sizeof number)
            _exit(1);
        stand_udp(s, number, false);
        s->opt.end = 100.0;
        if (stand_make(s) == IFD_OK)
            stand_run(s, 1000000, true);
        _exit(1);
    }
    desk_open(&d, 0.1, INFINITY);
    int number = ifd_rig_server_port(d.server);
    assert_int_equal(write(port[1], &number, sizeof number), sizeof number);
    double fastest = 0.0;
    for (int k = 0; k < 5000 && fastest < 0.1; k++, sleep_for(0.001))
        fastest = fabs(look(&d).position[0]) < 0.009 && look(&d).state == IFD_RIG_SERVER_SERVES &&
                          d.watch.worst_velocity > 0.1
                      ? d.watch.worst_velocity
                      : 0.0;
    assert_true(fastest > 0.1);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    assert_true(comes_to(&d, IFD_RIG_SERVER_STOPPED));
    assert_int_equal(look(&d).stop, IFD_RIG_STOP_WATCHDOG);
    assert_true(comes_to(&d, IFD_RIG_SERVER_FREE));
    assert_true(look(&d).rest);
    led_by_hand(&d); /* the next test is accepted */
    desk_close(&d);
    assert_limits_kept(&d.watch, &d.l.limits);
    assert_true(d.watch.last_velocity == 0.0);
}

/* The test receives the stop of the rig and trips for that reason. */
static void a_test_trips_when_its_rig_stops_by_itself(void **state)
{
    (void)state;
    desk d;
    stand *s = stand_take();
    desk_open(&d, 0.5, INFINITY);
    stand_udp(s, ifd_rig_server_port(d.server), false);
    s->opt.end = 100.0;
    assert_int_equal(stand_make(s), IFD_OK);
    while (ifd_hybrid_state(s->h) != IFD_MACHINE_RUN)
        assert_int_equal(stand_run(s, 1, true), IFD_RUN_GOING);
    stand_run(s, 50, true);
    assert_true(comes_to(&d, IFD_RIG_SERVER_STOPPED)); /* the engine is stalled meanwhile */
    assert_int_equal(stand_run(s, 1000, true), IFD_RUN_FAULT);
    assert_int_equal(ifd_hybrid_trip(s->h).trip, IFD_TRIP_RIG_STOPPED);
    stand_leave(s);
    desk_close(&d);
    assert_limits_kept(&d.watch, &d.l.limits);
}

/* Only by the order return, and only inward, for every command. */
static void a_rig_outside_its_stroke_is_moved_inward_by_return_only(void **state)
{
    (void)state;
    for (int ready = 0; ready < 2; ready++) {
        desk d;
        desk_start(&d, 0.5, INFINITY, 0.06);
        led_by_hand(&d);
        for (int k = 0; k < 20; k++, sleep_for(tick_length))
            say(&d, IFD_MACHINE_IDLE, 0.0, 0.0);
        assert_int_equal(look(&d).state, IFD_RIG_SERVER_SERVES); /* its position does not stop it */
        assert_int_equal(d.watch.count, 0);
        say(&d, ready ? IFD_MACHINE_READY : IFD_MACHINE_RETURN, 0.06, 0.0);
        if (ready) {
            assert_true(comes_to(&d, IFD_RIG_SERVER_STOPPED));
            assert_int_equal(look(&d).stop, IFD_RIG_STOP_UNMATCHED);
            assert_int_equal(d.watch.count, 0);
            desk_close(&d);
            continue;
        }
        double farthest = 0.06;
        for (int k = 0; k < 900; k++, sleep_for(tick_length)) {
            say(&d, IFD_MACHINE_RETURN, k % 300 < 150 ? 0.07 : 0.06 - 1e-4 * k / 3.0, 0.0);
            assert_true(d.watch.last <= farthest);
            farthest = d.watch.last > 0.05 ? d.watch.last : farthest;
        }
        assert_int_equal(look(&d).state, IFD_RIG_SERVER_SERVES);
        assert_near(d.watch.worst_position, 0.06, 1e-12, "farthest");
        for (int k = 0; k < 5000 && look(&d).position[0] > 0.0485; k++, sleep_for(tick_length))
            say(&d, IFD_MACHINE_RETURN, 0.048, 0.0);
        say(&d, IFD_MACHINE_RETURN, 0.07, 0.0); /* now the stroke is the limit again */
        for (int k = 0; k < 100; k++, sleep_for(tick_length))
            say(&d, IFD_MACHINE_RETURN, 0.07, 0.0);
        desk_close(&d);
        assert_true(d.watch.last <= 0.05);
        assert_true(d.watch.worst_velocity <= d.l.limits.velocity * (1.0 + 1e-9));
        assert_true(d.watch.worst_acceleration <= d.l.limits.acceleration * (1.0 + 1e-6));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_killed_engine_leaves_a_rig_at_rest),
        cmocka_unit_test(a_rig_left_alone_brakes_by_itself_and_says_so),
        cmocka_unit_test(a_rig_that_is_ended_says_so),
        cmocka_unit_test(a_stopped_rig_ignores_commands_until_the_test_has_ended),
        cmocka_unit_test(wild_commands_never_break_a_limit),
        cmocka_unit_test(a_first_command_far_from_where_the_rig_stands_is_not_followed),
        cmocka_unit_test(without_a_command_the_rig_is_commanded_nothing),
        cmocka_unit_test(a_wrong_first_sample_does_not_place_the_rig),
        cmocka_unit_test(a_heart_that_stands_still_is_no_command),
        cmocka_unit_test(the_emergency_stop_a_force_and_a_stray_number_stop_the_rig),
        cmocka_unit_test(one_test_at_a_time),
        cmocka_unit_test(another_tick_or_number_of_channels_is_refused),
        cmocka_unit_test(a_test_trips_when_its_rig_stops_by_itself),
        cmocka_unit_test(a_rig_outside_its_stroke_is_moved_inward_by_return_only),
    };
    return calm_run(tests, COUNT(tests), NULL);
}
