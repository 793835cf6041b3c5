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

static void open_waiting(ifd_rig_server *s)
{
    begin(s, 1);
    memset(&seen, 0, sizeof seen);
    rig.show = place;
    s->follower = (ifd__follower){.channels = 1, .tick = tick, .command = followed};
    s->watchdog = (int64_t)(1e9 * 20 * tick);
    ifd__message m = {
        .kind = IFD__WIRE_HELLO, .session = SESSION, .time = tick, .channels = 1, .word = IFD__HELLO_ELASTIC};
    m.a[0] = BRAKE_TICKS * IFD__FOLLOWER_SHARE * tick;
    m.b[0] = 3000 * tick;
    put(&m);
    ifd__server_hear(s);
    assert_int_equal(s->report.state, IFD_RIG_SERVER_SERVES);
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
                      .channels = 1,
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
        if (n > 2) /* what it measures is at the command that it answers, or less than a tick of it ahead */
            assert_true(fabs(seen.last[1] - path((double)answered)) <= 42 * FASTEST);
    }
    assert_true(seen.most_a < most_of(40.0) && most_of(40.0) < 32.0 * tick * tick);
    assert_true(seen.most_v < 3.0 * FASTEST);
    assert_int_equal(s.report.governed, 0);
    assert_int_equal(s.report.state, IFD_RIG_SERVER_SERVES);
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
