/* SPDX-License-Identifier: MIT */
/* Whether a served rig is real: its server states it in an answer to a greeting with flag 4. */
#include "check.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "link/stand.h"
#include "link/wire.h"

enum { REFUSED = -1, REAL, SIMULATED };

/* What the rig of a test at this port, or in this shared memory, is. */
static int asked(int port, const char *shm, bool lockstep)
{
    const ifd_rig_ops *ops = shm ? &ifd_shm_rig : &ifd_udp_rig;
    ifd_value values[IFD_LINK_PARAMS];
    ifd_arena *arena = ifd_arena_open();
    ifd_param_preset(ops->params, values);
    if (shm)
        values[ifd_param_find(ops->params, "name")] = ifd_word(shm);
    else
        values[ifd_param_find(ops->params, "port")] = ifd_number(port);
    values[ifd_param_find(ops->params, "timeout")] = ifd_number(120.0);
    values[ifd_param_find(ops->params, "lockstep")] = ifd_number(lockstep);
    ifd_rig rig = {.ops = ops, .actuators = 1, .tick = tick_length};
    ifd_status status = ops->open(&rig, values, arena, NULL);
    int found = status == IFD_OK ? ops->simulated(&rig) : REFUSED;
    assert_true(status == IFD_OK || status == IFD_PEER);
    if (status == IFD_OK)
        ops->close(&rig);
    ifd_arena_close(arena);
    return found;
}

static int served(bool real, const char *shm, bool lockstep)
{
    lab l;
    ifd_rig_server *server;
    ifd_arena *arena = ifd_arena_open();
    lab_prepare(&l, NULL);
    ifd_rig_ops ops = *l.o.rig;
    if (real)
        ops.simulated = NULL;
    l.o.rig = &ops;
    l.o.shm = shm;
    assert_int_equal(ifd_rig_server_open(arena, &l.o, &server, NULL), IFD_OK);
    int found = asked(shm ? 0 : ifd_rig_server_port(server), shm, lockstep);
    ifd_rig_server_close(server);
    ifd_arena_close(arena);
    return found;
}

TEST(a_server_says_whether_its_rig_is_simulated)
{
    char shm[64];
    snprintf(shm, sizeof shm, "test-%d", (int)getpid());
    const char *const places[] = {NULL, shm};
    for (size_t i = 0; i < COUNT(places); i++) {
        assert_int_equal(served(false, places[i], false), SIMULATED);
        assert_int_equal(served(false, places[i], true), SIMULATED);
        assert_int_equal(served(true, places[i], false), REAL);
        assert_int_equal(served(true, places[i], true), REFUSED); /* nothing real waits for each command */
    }
}

/* A server written here. late: greetings that it misses. */
typedef struct other {
    int file, port, late, greetings;
} other;

static void *answer(void *argument)
{
    other *v = argument;
    for (bool over = false; !over;) {
        uint8_t bytes[IFD__WIRE_SIZE];
        struct sockaddr_in from;
        socklen_t size = sizeof from;
        ifd__message m;
        assert_int_equal(recvfrom(v->file, bytes, sizeof bytes, 0, (struct sockaddr *)&from, &size), sizeof bytes);
        assert_int_equal(ifd__wire_decode(bytes, sizeof bytes, &m), IFD__WIRE_IS_OK);
        over = m.kind == IFD__WIRE_BYE;
        bool asks = m.kind == IFD__WIRE_HELLO && m.word & 4;
        if (m.kind == IFD__WIRE_HELLO && v->greetings++ < v->late)
            continue;
        m.heartbeat = asks;
        m.word = over ? 0 : IFD__ANSWER_WELCOME;
        ifd__wire_encode(&m, bytes);
        assert_int_equal(sendto(v->file, bytes, sizeof bytes, 0, (struct sockaddr *)&from, size), sizeof bytes);
    }
    return NULL;
}

static bool other_is_simulated(int late)
{
    other v = {.file = socket(AF_INET, SOCK_DGRAM, 0), .late = late};
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof a;
    pthread_t thread;
    assert_int_equal(bind(v.file, (struct sockaddr *)&a, size), 0);
    assert_int_equal(getsockname(v.file, (struct sockaddr *)&a, &size), 0);
    assert_int_equal(pthread_create(&thread, NULL, answer, &v), 0);
    bool simulated = asked(ntohs(a.sin_port), NULL, false) == SIMULATED;
    assert_int_equal(pthread_join(thread, NULL), 0);
    close(v.file);
    return simulated;
}

TEST(a_server_that_starts_late_is_asked_too)
{
    for (int late = 0; late < 7; late++)
        assert_true(other_is_simulated(late));
}

TESTS()
