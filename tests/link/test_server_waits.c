/* SPDX-License-Identifier: MIT */
/* A rig server whose test waits for late answers: it follows irregular commands smoothly, rests without commands,
 * continues when they arrive, and gives up in time. Judged on the commands that its rig receives, with a clock of the
 * test. */
#include "server_scene.h"

enum { BRAKE_TICKS = 40 };

static struct {
    double last[2], most_v, most_a; /* per tick */
    long count;
} seen;

static void look(void)
{
    double p = rig.last.position[0];
    if (seen.count > 0)
        seen.most_v = fmax(seen.most_v, fabs(p - seen.last[0]));
    if (seen.count > 1)
        seen.most_a = fmax(seen.most_a, fabs(p - 2.0 * seen.last[0] + seen.last[1]));
    seen.last[1] = seen.last[0];
    seen.last[0] = p;
    seen.count++;
}

/* One tick of the server, as its thread makes it. */
static void turn(ifd_rig_server *s)
{
    clock_at += (int64_t)(1e9 * tick);
    ifd__server_hear(s);
    (void)ifd__server_sense(s);
    ifd__server_watch(s);
    port.sent = 0;
    ifd__server_tell(s);
    ifd__server_move(s);
    if (s->leads)
        look();
    if (port.taken == port.waiting)
        port.taken = port.waiting = 0;
}

static double place(long i, int channel)
{
    (void)i, (void)channel;
    return rig.commands ? rig.last.position[0] : 0.0;
}

static ifd__followed followed[IFD__FOLLOWED];

/* give_up: s, of the test. */
static void open_until(ifd_rig_server *s, double give_up)
{
    begin(s, 1);
    memset(&seen, 0, sizeof seen);
    rig.show = place;
    s->follower = (ifd__follower){.actuators = 1, .tick = tick, .command = followed};
    s->watchdog = (int64_t)(1e9 * 20 * tick);
    ifd__message m = {
        .kind = IFD__WIRE_HELLO, .session = SESSION, .time = tick, .actuators = 1, .word = IFD__HELLO_ELASTIC};
    m.a[0] = BRAKE_TICKS * IFD__FOLLOWER_SHARE * tick;
    m.b[0] = give_up;
    put(&m);
    ifd__server_hear(s);
    assert_int_equal(s->report.state, IFD_RIG_SERVER_SERVES);
}

static void open_waiting(ifd_rig_server *s)
{
    open_until(s, 3000 * tick);
}

/* Command number n at progress g, in ticks. */
static void send(int n, double g, double position)
{
    ifd__message m = {.kind = IFD__WIRE_COMMAND,
                      .session = SESSION,
                      .tick = (uint64_t)n,
                      .heartbeat = (uint32_t)n,
                      .word = IFD_MACHINE_RUN,
                      .time = g * tick,
                      .actuators = 1,
                      .commanded = 1};
    m.a[0] = position;
    m.sequence = (uint64_t)n + 1;
    put(&m);
}

/* A motion of 20 um per tick at most; acceleration of a follower with w = 3/BRAKE_TICKS that is d ticks behind. */
#define FASTEST (0.004 * 0.005)
static double path(double g)
{
    return 0.004 * (1.0 - cos(0.005 * g));
}

static double most_of(double d)
{
    const double w = 3.0 / BRAKE_TICKS;
    return d * w * w * FASTEST;
}

TEST(bursts_are_smoothed)
{
    ifd_rig_server s;
    uint64_t random = 5;
    open_waiting(&s);
    for (int n = 1, next = 1; n < 3000; n++) { /* up to 40 commands arrive together */
        random = random * 6364136223846793005u + 1442695040888963407u;
        if (n >= next) {
            send(n, n, path(n));
            next = n + 1 + (int)(random >> 58) % 40;
        }
        turn(&s);
        double lag = fabs(seen.last[0] - path(n));
        assert_true(lag < 80 * FASTEST); /* behind by the wait of 40 ticks and by the filter */
        uint64_t answered = port.out[0].m.tick;
        assert_true(answered <= (uint64_t)n);
        assert_true(n != 2 || answered == 1); /* the first one is reached at once */
        if (n > 2) /* what it measures is at the command that it answers, or less than a tick of it ahead */
            assert_true(fabs(seen.last[1] - path((double)answered)) <= 42 * FASTEST);
    }
    assert_true(seen.most_a < most_of(40.0) && most_of(40.0) < 32.0 * tick * tick);
    assert_true(seen.most_v < 3.0 * FASTEST);
    assert_int_equal(s.report.governed, 0);
    assert_int_equal(s.report.state, IFD_RIG_SERVER_SERVES);
    assert_int_equal(s.stream.count.damaged, 0);
    double before = rig.last.position[0];
    send(3000, 10.0, path(10.0)); /* progress never decreases */
    turn(&s);
    assert_int_equal(s.stream.count.damaged, 1);
    assert_true(fabs(rig.last.position[0] - before) <= 3.0 * FASTEST);
}

TEST(a_silent_line_is_waited_for)
{
    ifd_rig_server s;
    open_waiting(&s);
    for (int n = 1; n <= 500; n++) {
        send(n, n, path(n));
        turn(&s);
    }
    int silent = 0;
    for (; s.report.state == IFD_RIG_SERVER_SERVES && silent < 100; silent++)
        turn(&s);
    assert_in_range(silent, 20, 22); /* the watchdog of 20 ticks */
    for (int i = 0; i < 2000; i++)
        turn(&s);
    assert_int_equal(s.report.state, IFD_RIG_SERVER_WAITING);
    assert_true(port.out[0].m.word & IFD_INPUT_RIG_WAITING);
    assert_false(port.out[0].m.word & IFD_INPUT_RIG_STOPPED);
    assert_near(rig.last.position[0], path(500), 0.0, "rests at the last command");
    assert_int_equal(port.out[0].m.tick, 500);
    assert_true(s.report.rest);
    assert_int_equal(rig.last.commanded, 1);
    /* The test moved for a moment, rests there, and continues. */
    for (int n = 2600; n < 3400; n++) {
        double g = n < 2700 ? 560.0 : 560.0 + (n - 2700);
        send(n, g, path(g));
        turn(&s);
    }
    assert_int_equal(s.report.state, IFD_RIG_SERVER_SERVES);
    assert_true(fabs(rig.last.position[0] - path(1259)) < 30 * FASTEST);
    assert_int_equal(s.report.governed, 0);
    assert_true(seen.most_a < most_of(60.0)); /* from 500 to 560 */
    assert_int_equal(s.report.stops, 0);
}

/* Commands far from where it rests are not followed, and a rig without a test gives up. */
TEST(it_gives_up_at_last)
{
    for (int far = 0; far < 2; far++) {
        ifd_rig_server s;
        open_waiting(&s);
        for (int n = 1; n <= 100; n++) {
            send(n, n, 0.0);
            turn(&s);
        }
        int silent = 0;
        for (; s.report.state != IFD_RIG_SERVER_STOPPED && silent < 4000; silent++) {
            if (far && silent > 100)
                send(200 + silent, 200 + silent, 0.126); /* limits: tracking 0.125 */
            turn(&s);
            assert_near(rig.last.position[0], 0.0, 0.0, "never followed");
        }
        assert_in_range(silent, 2999, 3002);
        assert_int_equal(s.report.stop, IFD_RIG_STOP_WATCHDOG);
        turn(&s);
        if (s.report.state == IFD_RIG_SERVER_STOPPED)
            assert_true(port.out[port.sent - 1].m.word & IFD_INPUT_RIG_STOPPED);
    }
}

/* The silence that a test permits, at most a day. */
TEST(it_waits_as_long_as_its_test_and_at_most_a_day)
{
    static const double wait[] = {3600.0, 86400.0, 86401.0, 1e30};
    for (size_t i = 0; i < COUNT(wait); i++) {
        ifd_rig_server s;
        open_until(&s, wait[i]);
        send(1, 1, 0.0);
        turn(&s);
        for (int k = 0; k < 30; k++)
            turn(&s);
        assert_int_equal(s.report.state, IFD_RIG_SERVER_WAITING);
        clock_at = s.heard + (int64_t)fmin(wait[i], 86400.0) * SECOND;
        ifd__server_watch(&s);
        assert_int_equal(s.report.state, IFD_RIG_SERVER_WAITING);
        clock_at++;
        ifd__server_watch(&s);
        assert_int_equal(s.report.state, IFD_RIG_SERVER_STOPPED);
        assert_int_equal(s.report.stop, IFD_RIG_STOP_WATCHDOG);
    }
}

/* A tracking limit of 0.125 m on both sides of where it rests: at 0 and at 0.5 m. */
TEST(the_match_is_measured_from_where_it_rests)
{
    static const struct {
        double rests, at;
        bool follows;
    } rows[] = {{0.0, 0.125, true},  {0.0, 0x1.0000000000001p-3, false},
                {0.0, -0.125, true}, {0.0, -0x1.0000000000001p-3, false},
                {0.5, 0.625, true},  {0.5, 0x1.4000000000001p-1, false},
                {0.5, 0.375, true},  {0.5, 0x1.7ffffffffffffp-2, false},
                {0.5, -0.5, false}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        ifd_rig_server s;
        open_waiting(&s);
        for (int n = 1; n <= 1500; n++) { /* 0.4 m/s */
            send(n, n, rows[i].rests * fmin(n / 1250.0, 1.0));
            turn(&s);
        }
        for (int k = 0; k < 100; k++)
            turn(&s);
        assert_int_equal(s.report.state, IFD_RIG_SERVER_WAITING);
        assert_near(rig.last.position[0], rows[i].rests, 0.0, "rests");
        send(2000, 2000.0, rows[i].at);
        turn(&s);
        if ((s.report.state == IFD_RIG_SERVER_SERVES) != rows[i].follows)
            fail_msg("from %g m to %a m: state %d", rows[i].rests, rows[i].at, (int)s.report.state);
    }
}

/* Where the rig is when its test arms it again; it was moved by hand meanwhile. */
static double by_hand = -0.25;
static double at_hand(long i, int channel)
{
    (void)i, (void)channel;
    return by_hand;
}

/* Nothing of the earlier motion is left: the rig rests at the first position, and in idle the test reads the ticks of
 * its own commands. */
TEST(a_second_arming_begins_where_the_rig_is)
{
    ifd_rig_server s;
    open_waiting(&s);
    for (int n = 1; n <= 1500; n++) {
        send(n, n, 0.5 * fmin(n / 1250.0, 1.0));
        turn(&s);
    }
    rig.show = at_hand;
    for (int n = 1501; n <= 1800; n++) {
        ifd__message m = {.kind = IFD__WIRE_COMMAND,
                          .session = SESSION,
                          .sequence = (uint64_t)n + 1,
                          .tick = (uint64_t)n,
                          .heartbeat = (uint32_t)n,
                          .word = IFD_MACHINE_IDLE,
                          .actuators = 1};
        put(&m);
        turn(&s);
        if (n > 1502)
            assert_int_equal(port.out[0].m.tick, n - 1);
    }
    assert_true(s.found && !s.leads);
    uint64_t governed = s.report.governed;
    for (int n = 1801; n <= 2000; n++) {
        send(n, n, -0.25);
        turn(&s);
        assert_true(s.leads);
        assert_near(rig.last.position[0], -0.25, 0.0, "tick %d", n);
        assert_near(rig.last.velocity[0], 0.0, 0.0, "tick %d", n);
    }
    assert_int_equal(s.report.governed, governed);
    assert_in_range(port.out[0].m.tick, 1999 - 2 * BRAKE_TICKS / 3 - 1, 1999); /* a lag of 2/w, w = 3/BRAKE_TICKS */
    assert_int_equal(s.stream.count.damaged, 0);
}

TEST(within_the_match_it_follows_again)
{
    ifd_rig_server s;
    open_waiting(&s);
    for (int n = 1; n <= 100; n++) {
        send(n, n, 0.0);
        turn(&s);
    }
    for (int i = 0; i < 100; i++)
        turn(&s);
    assert_int_equal(s.report.state, IFD_RIG_SERVER_WAITING);
    for (int n = 300; n < 1600; n++) {
        send(n, 400.0, 0.125);
        turn(&s);
    }
    assert_int_equal(s.report.state, IFD_RIG_SERVER_SERVES);
    assert_near(rig.last.position[0], 0.125, 0.0, "there");
    assert_true(seen.most_v <= 1.0 * tick * (1.0 + 1e-12) && seen.most_a <= 32.0 * tick * tick * (1.0 + 1e-9));
}

/* Without the flag the old rule holds. */
TEST(any_other_test_is_stopped)
{
    ifd_rig_server s;
    open_waiting(&s);
    s.elastic = false;
    for (int n = 1; n <= 50; n++) {
        send(n, n, 0.0);
        turn(&s);
    }
    for (int i = 0; i < 30; i++)
        turn(&s);
    assert_int_equal(s.report.state, IFD_RIG_SERVER_STOPPED);
}

TEST(limits_and_stops_hold_while_it_waits)
{
    ifd_rig_server s;
    open_waiting(&s);
    for (int n = 1; n <= 100; n++) {
        send(n, n, 0.0);
        turn(&s);
    }
    for (int i = 0; i < 100; i++)
        turn(&s);
    assert_int_equal(s.report.state, IFD_RIG_SERVER_WAITING);
    s.watched[0].high = -1.0; /* the position is now outside */
    turn(&s);
    turn(&s);
    assert_int_equal(s.report.state, IFD_RIG_SERVER_STOPPED);
    assert_int_equal(s.report.stop, IFD_RIG_STOP_POSITION);
}

TESTS()
