/* SPDX-License-Identifier: MIT */
#include "check.h"

#include "link/calm.h"
#include "link/proxy.h"
#include "link/stand.h"
#include "link/wire.h"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static stand *over_udp(int port, bool lockstep, ifd_link_counts *counts)
{
    stand *s = stand_take();
    stand_udp(s, port, lockstep);
    stand_through(s, !lockstep, counts);
    return s;
}

static void in_lockstep_every_bit_is_that_of_the_rig_in_process(void **state)
{
    (void)state;
    far f;
    ifd_link_counts counts;
    far_open(&f, NULL);
    stand *far_off = over_udp(f.port, true, &counts), *here = stand_here(false);
    assert_near(worst_difference(far_off, here), 0.0, 0.0, "displacement");
    assert_int_equal(counts.damaged, 0);
    stand_leave(here);
    stand_leave(far_off);
    far_close(&f);
    assert_int_equal(f.report->clients, 1);
    assert_int_equal(f.report->stop, IFD_RIG_STOP_FAREWELL);
}

/* With a clock the rig answers one tick later. Without an irregular tick on either side every bit is that of a rig in
 * this process with one tick of delay. Each irregular tick can move the structure by the impulse of a force that is
 * one tick too old. */
static void with_a_clock_the_response_is_that_of_one_tick_of_delay(void **state)
{
    (void)state;
    far f;
    ifd_link_counts counts;
    far_open(&f, NULL);
    stand *far_off = over_udp(f.port, false, &counts), *here = stand_here(true), *ideal = stand_here(false);
    far_close(&f);
    double irregular = irregular_ticks(far_off, &f);
    double off = worst_difference(far_off, here);
    print_message("%.0f irregular ticks, %.2e m off; round trip %.0f us\n", irregular, off, 1e6 * counts.round_trip);
    assert_near(off, 0.0, irregular * of_one_irregular_tick(), "%g irregular ticks", irregular);
    assert_true(worst_difference(ideal, here) > 1e-4); /* the delay is visible */
    assert_limits_kept(&far_off->watch, &far_off->channel.limits);
    stand_leave(ideal);
    stand_leave(here);
    stand_leave(far_off);
    assert_limits_kept(f.watch, &(ifd_limits){.high = 0.05, .velocity = 1.0, .acceleration = 100.0});
}

/* A fraction of the messages is lost, others are damaged, duplicated or overtaken; all except duplicates cause an
 * irregular tick. Those beyond twice their number are due to the machine, with the effect above. */
static void a_bad_network_is_borne_and_counted(void **state)
{
    (void)state;
    enum { percent = 4 };
    far f;
    proxy p;
    ifd_link_counts counts;
    far_open(&f, NULL);
    proxy_open(&p, f.port, percent);
    stand *far_off = over_udp(p.port, false, &counts), *here = stand_here(true);
    proxy_close(&p);
    far_close(&f);
    double irregular = irregular_ticks(far_off, &f);
    double off = worst_difference(far_off, here);
    print_message("%.0f irregular ticks, %.2e m off\n", irregular, off);
    double network = 2.0 * 3.0 * 0.01 * percent * here->ticks, machine = fmax(0.0, irregular - 2.0 * network);
    assert_near(off, 0.0, 0.1 * start + machine * of_one_irregular_tick(),
                "a network that loses, damages, doubles or delays a sixth of all messages; %g irregular ticks beyond",
                machine);
    assert_true(irregular > 20.0);
    assert_true(counts.lost > 10 && counts.doubled > 5 && counts.overtaken > 5 && counts.damaged > 5);
    ifd_link_counts there = f.report->link;
    assert_true(there.lost > 10 && there.doubled > 5 && there.overtaken > 5 && there.damaged > 5);
    assert_int_equal(f.report->stops, 0);
    stand_leave(here);
    stand_leave(far_off);
    assert_limits_kept(f.watch, &(ifd_limits){.high = 0.05, .velocity = 1.0, .acceleration = 100.0});
}

static void a_killed_rig_trips_the_test_and_no_limit_breaks(void **state)
{
    (void)state;
    far f;
    stand s;
    far_open(&f, NULL);
    stand_prepare(&s);
    const int limit = 10 * (int)patience;
    s.opt.stale_limit = limit;
    s.opt.stale_time = 0.0;
    s.channel.limits.tracking = 0.2; /* beyond the stroke: the structure continues without measurements */
    s.opt.end = 100.0;
    stand_udp(&s, f.port, false);
    assert_int_equal(stand_make(&s), IFD_OK);
    while (ifd_hybrid_state(s.h) != IFD_MACHINE_RUN)
        assert_int_equal(stand_run(&s, 1, true), IFD_RUN_GOING);
    assert_int_equal(stand_run(&s, 20, true), IFD_RUN_GOING);
    far_kill(&f);
    long before = s.watch.count;
    while (ifd_hybrid_state(s.h) != IFD_MACHINE_TRIPPED)
        stand_run(&s, 1, true);
    assert_in_range(s.watch.count - before, limit, limit + 3); /* messages in transit are received first */
    assert_int_equal(stand_run(&s, 100000, false), IFD_RUN_FAULT);
    ifd_trip_facts trip = ifd_hybrid_trip(s.h);
    assert_int_equal(trip.trip, IFD_TRIP_LOST);
    assert_near(trip.limit, limit, 0.0, "ticks");
    assert_true(s.watch.last_velocity == 0.0);
    assert_limits_kept(&s.watch, &s.channel.limits);
    stand_close(&s);
}

static ifd_status try_to_open(stand *s, int port, double timeout, const char **why)
{
    stand_prepare(s);
    stand_udp(s, port, false);
    s->link[ifd_param_find(ifd_udp_rig.params, "timeout")] = ifd_number(timeout);
    ifd_status status = stand_make(s);
    *why = s->note.last ? s->note.last->text : "";
    return status;
}

static int a_socket(int *port)
{
    int file = socket(AF_INET, SOCK_DGRAM, 0);
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof a;
    assert_int_equal(bind(file, (struct sockaddr *)&a, size), 0);
    assert_int_equal(getsockname(file, (struct sockaddr *)&a, &size), 0);
    *port = ntohs(a.sin_port);
    return file;
}

static void nobody_there_is_said_in_time(void **state)
{
    (void)state;
    stand s;
    const char *why;
    int port;
    int file = a_socket(&port); /* receives everything and sends nothing */
    assert_int_equal(try_to_open(&s, port, 0.3, &why), IFD_PEER);
    assert_string_equal(why, "no rig answered within 0.3 s");
    ifd_arena_close(s.arena);
    close(file);
    assert_int_equal(try_to_open(&s, port, 0.3, &why), IFD_PEER); /* now the port is closed */
    assert_string_equal(why, "no rig answered within 0.3 s");
    ifd_arena_close(s.arena);
}

static void a_host_is_an_address(void **state)
{
    (void)state;
    stand s;
    stand_prepare(&s);
    stand_udp(&s, 4711, false);
    s.link[ifd_param_find(ifd_udp_rig.params, "host")] = ifd_word("no.such.host");
    assert_int_equal(stand_make(&s), IFD_RANGE);
    ifd_arena_close(s.arena);
}

/* A greeting in another version, and the answer of the server. */
static void a_greeting_in_another_version_is_answered(void **state)
{
    (void)state;
    far f;
    int port;
    uint8_t bytes[IFD__WIRE_SIZE];
    far_open(&f, NULL);
    int file = a_socket(&port);
    struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)f.port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    ifd__message m = {.kind = IFD__WIRE_HELLO, .session = 5, .sequence = 1, .time = tick_length, .actuators = 1};
    ifd__wire_encode(&m, bytes);
    bytes[4] = 1;
    assert_int_equal(sendto(file, bytes, 100, 0, (struct sockaddr *)&to, sizeof to), 100);
    assert_int_equal(poll(&(struct pollfd){.fd = file, .events = POLLIN}, 1, 60000), 1);
    assert_int_equal(recv(file, bytes, sizeof bytes, 0), sizeof bytes);
    assert_int_equal(ifd__wire_decode(bytes, sizeof bytes, &m), IFD__WIRE_IS_OK);
    assert_int_equal(m.kind, IFD__WIRE_HELLO);
    assert_int_equal(m.word, IFD__ANSWER_VERSION);
    close(file);
    far_close(&f);
    assert_int_equal(f.report->refused, 1);
    assert_int_equal(f.report->clients, 0);
}

/* A server of another version: a child that answers every greeting accordingly. */
static void a_rig_of_another_version_is_named(void **state)
{
    (void)state;
    int port;
    int file = a_socket(&port);
    pid_t child = fork();
    if (child == 0) {
        struct sockaddr_in from;
        socklen_t size = sizeof from;
        uint8_t bytes[IFD__WIRE_SIZE];
        alarm(100);
        if (recvfrom(file, bytes, sizeof bytes, 0, (struct sockaddr *)&from, &size) > 0) {
            bytes[4] = 9;
            sendto(file, bytes, sizeof bytes, 0, (struct sockaddr *)&from, size);
        }
        _exit(0);
    }
    stand s;
    const char *why;
    assert_int_equal(try_to_open(&s, port, 60.0, &why), IFD_PEER);
    assert_string_equal(why, "the rig uses protocol version 9, this program version 3");
    ifd_arena_close(s.arena);
    close(file);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_lockstep_every_bit_is_that_of_the_rig_in_process),
        cmocka_unit_test(with_a_clock_the_response_is_that_of_one_tick_of_delay),
        cmocka_unit_test(a_bad_network_is_borne_and_counted),
        cmocka_unit_test(a_killed_rig_trips_the_test_and_no_limit_breaks),
        cmocka_unit_test(nobody_there_is_said_in_time),
        cmocka_unit_test(a_host_is_an_address),
        cmocka_unit_test(a_greeting_in_another_version_is_answered),
        cmocka_unit_test(a_rig_of_another_version_is_named),
    };
    return calm_run(tests, COUNT(tests), NULL);
}
