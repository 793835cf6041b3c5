/* SPDX-License-Identifier: MIT */
/* Answers over UDP that overtake each other: a test that asks for each of them receives all, in the order of arrival;
 * another one receives the newest, with the stop of those before it. The server is written here. */
#include "check.h"

#include <pthread.h>
#include <time.h>

#include <interfield/link.h>

#include "link/stream.h"

enum { ANSWERS = 5 };
static const uint64_t arrive[ANSWERS] = {3, 1, 5, 2, 4}; /* as their ticks, in this order */
enum { FREE = IFD_INPUT_NO_STOP | IFD_INPUT_HYDRAULICS };
static uint32_t inputs[ANSWERS]; /* of each answer, in the order of arrival */

typedef struct server {
    ifd_arena *arena;
    ifd__port *port;
    int number;
} server;

static void send_answers(ifd__stream *s, const ifd__message *command)
{
    uint64_t before = s->sent;
    for (int i = 0; i < ANSWERS; i++) {
        ifd__message m = {
            .kind = IFD__WIRE_MEASURE, .tick = arrive[i], .time = command->time, .actuators = 1, .word = inputs[i]};
        m.a[0] = (double)arrive[i];
        s->sent = before + arrive[i] - 1;
        ifd__stream_send(s, &m, IFD__TO_SENDER);
    }
}

/* Answers one greeting and one command. */
static void *serve(void *argument)
{
    server *v = argument;
    ifd__stream s = {.port = v->port};
    ifd__message m;
    for (bool over = false; !over;) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        v->port->ops->wait(v->port, (int64_t)now.tv_sec * 1000000000 + now.tv_nsec + 100000000);
        while (!over && ifd__stream_next(&s, &m)) {
            if (m.kind == IFD__WIRE_HELLO) {
                ifd__stream_begin(&s, m.session);
                ifd__message welcome = {
                    .kind = IFD__WIRE_HELLO, .word = IFD__ANSWER_WELCOME, .actuators = 1, .time = m.time};
                ifd__stream_send(&s, &welcome, IFD__TO_SENDER);
            }
            over = m.kind == IFD__WIRE_COMMAND;
            if (over)
                send_answers(&s, &m);
        }
    }
    return NULL;
}

/* The ticks of the measurements that arrive after one command, and their inputs; their number. */
static int received(ifd_each each, uint64_t out[ANSWERS], uint32_t found[ANSWERS])
{
    server v = {.arena = ifd_arena_open()};
    pthread_t thread;
    ifd_value values[IFD_LINK_PARAMS];
    assert_int_equal(ifd__udp_serve(v.arena, "127.0.0.1", 0, &v.number, &v.port, NULL), IFD_OK);
    assert_int_equal(pthread_create(&thread, NULL, serve, &v), 0);
    ifd_arena *arena = ifd_arena_open();
    ifd_param_preset(ifd_udp_rig.params, values);
    values[ifd_param_find(ifd_udp_rig.params, "port")] = ifd_number(v.number);
    values[ifd_param_find(ifd_udp_rig.params, "timeout")] = ifd_number(120.0);
    ifd_rig rig = {.ops = &ifd_udp_rig, .actuators = 1, .tick = 1e-3, .each = each};
    assert_int_equal(rig.ops->open(&rig, values, arena, NULL), IFD_OK);
    assert_int_equal(rig.each, each == IFD_EACH_ASKED ? IFD_EACH_GIVEN : IFD_EACH_NONE);
    ifd_measure m = {0};
    rig.ops->command(&rig, &(ifd_command){.tick = 9, .actuators = 1}, NULL);
    assert_int_equal(pthread_join(thread, NULL), 0); /* everything is sent, and on this machine it is there */
    int count = 0;
    for (int k = 0; k < 100 && count < ANSWERS; k++) {
        while (count < ANSWERS && rig.ops->sense(&rig, &m, NULL)) {
            assert_near(m.position[0], (double)m.tick, 0.0, "its own position");
            found[count] = m.inputs;
            out[count++] = m.tick;
        }
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    rig.ops->close(&rig);
    ifd_arena_close(arena);
    ifd__port_close(v.port);
    ifd_arena_close(v.arena);
    return count;
}

TEST(each_answer_is_passed_on_in_the_order_of_arrival)
{
    uint64_t got[ANSWERS];
    uint32_t found[ANSWERS];
    assert_int_equal(received(IFD_EACH_ASKED, got, found), ANSWERS);
    for (int i = 0; i < ANSWERS; i++)
        assert_int_equal(got[i], arrive[i]);
}

TEST(otherwise_the_newest_is)
{
    uint64_t got[ANSWERS];
    uint32_t found[ANSWERS];
    int count = received(IFD_EACH_NONE, got, found);
    assert_in_range(count, 1, 2); /* 3 and 5, if they are received apart */
    assert_int_equal(got[count - 1], 5);
}

/* The first answer has the inputs `first`, the newest one `newest`. If both are received apart, both are seen. */
static uint32_t seen(uint32_t first, uint32_t newest)
{
    uint64_t got[ANSWERS];
    uint32_t found[ANSWERS], permitted = FREE, stopped = 0, last;
    for (int i = 0; i < ANSWERS; i++)
        inputs[i] = arrive[i] == 3 ? first : newest;
    int count = received(IFD_EACH_NONE, got, found);
    assert_in_range(count, 1, 2);
    for (int i = 0; i < count; i++) {
        permitted &= found[i];
        stopped |= found[i] & IFD_INPUT_RIG_STOPPED;
    }
    last = found[count - 1] & (uint32_t) ~(FREE | IFD_INPUT_RIG_STOPPED);
    return permitted | stopped | last;
}

TEST(a_stop_before_the_newest_measurement_counts)
{
    assert_int_equal(seen(IFD_INPUT_HYDRAULICS, FREE), IFD_INPUT_HYDRAULICS);
    assert_int_equal(seen(IFD_INPUT_NO_STOP, FREE), IFD_INPUT_NO_STOP);
    assert_int_equal(seen(FREE | IFD_INPUT_RIG_STOPPED, FREE), FREE | IFD_INPUT_RIG_STOPPED);
    assert_int_equal(seen(FREE, FREE), FREE);
}

TEST(everything_else_is_that_of_the_newest_measurement)
{
    assert_int_equal(seen(FREE | IFD_INPUT_START, FREE), FREE);
    assert_int_equal(seen(FREE, FREE | IFD_INPUT_START), FREE | IFD_INPUT_START);
    assert_int_equal(seen(FREE, IFD_INPUT_HYDRAULICS), IFD_INPUT_HYDRAULICS);
    assert_int_equal(seen(FREE, FREE | IFD_INPUT_RIG_STOPPED), FREE | IFD_INPUT_RIG_STOPPED);
}

TESTS()
