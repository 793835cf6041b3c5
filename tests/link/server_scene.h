/* SPDX-License-Identifier: MIT */
/* A rig server without thread, socket and clock: a rig with prescribed measurements, a port that stores sent
 * messages, a clock that advances by sleeping. They share no code with the library. */
#pragma once

#include "link/server.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "check.h"
#include "link/auth.h"
#include "base/os_linux.h"

enum { MOST = 4096, SESSION = 7, OTHER = 8, SECOND = 1000000000 };

/* The clock of this program, ns. Sleeping sets it; a short sleep takes a microsecond. */
static int64_t clock_at;

int clock_gettime(clockid_t id, struct timespec *t)
{
    (void)id;
    *t = (struct timespec){.tv_sec = clock_at / SECOND, .tv_nsec = clock_at % SECOND};
    return 0;
}

int clock_nanosleep(clockid_t id, int flags, const struct timespec *t, struct timespec *rest)
{
    (void)id, (void)flags, (void)rest;
    int64_t until = (int64_t)t->tv_sec * SECOND + t->tv_nsec;
    clock_at = until > clock_at ? until : clock_at + 1000;
    return 0;
}

/* The rig: its measurement at the i-th sense, and its commands. */
static struct {
    double (*show)(long i, int channel);
    bool silent;
    uint32_t stops; /* IFD_INPUT_RIG_STOPPED or 0 */
    long senses, commands;
    ifd_command last;
    int64_t began, heard; /* ns, of the first and the last command */
} rig;

static double at_zero(long i, int channel)
{
    (void)i, (void)channel;
    return 0.0;
}

static bool rig_sense(ifd_rig *r, ifd_measure *m, double *x)
{
    (void)x;
    *m = (ifd_measure){.inputs = 3 | rig.stops, .actuators = (uint32_t)r->actuators};
    for (int k = 0; k < r->actuators; k++)
        m->position[k] = rig.show(rig.senses, k);
    rig.senses++;
    return !rig.silent;
}

static void rig_command(ifd_rig *r, const ifd_command *c, double *x)
{
    (void)r, (void)x;
    if (rig.commands++ == 0)
        rig.began = clock_at;
    rig.heard = clock_at;
    rig.last = *c;
}

static bool simulated; /* what the rig of the scene declares */

static bool rig_simulated(const ifd_rig *r)
{
    (void)r;
    return simulated;
}

static const ifd_rig_ops rig_ops = {
    .abi = IFD_RIG_ABI, .name = "scene", .sense = rig_sense, .command = rig_command, .simulated = rig_simulated};

/* The port: waiting messages and sent ones. */
typedef struct queued {
    ifd__message m;
    bool stranger, version; /* of another key; of another version */
    bool greets, belongs;   /* result of the check of a seal */
} queued;

static struct {
    ifd__port base;
    ifd__auth seal;
    queued in[MOST];
    int waiting, taken;
    struct {
        ifd__message m;
        ifd__to to;
        bool plain;
    } out[MOST];
    int sent, adopted;
} port;

static bool port_send(ifd__port *p, const uint8_t bytes[IFD__WIRE_SIZE], ifd__to to)
{
    assert_true(port.sent < MOST);
    assert_int_equal(ifd__wire_decode(bytes, IFD__WIRE_SIZE, &port.out[port.sent].m), IFD__WIRE_IS_OK);
    port.out[port.sent].plain = p->plain;
    p->plain = false;
    port.out[port.sent++].to = to;
    return true;
}

static size_t port_receive(ifd__port *p, uint8_t bytes[IFD__WIRE_SIZE])
{
    if (port.taken == port.waiting)
        return 0;
    const queued *q = &port.in[port.taken++];
    port.seal.greets = q->greets;
    port.seal.belongs = q->belongs;
    if (q->stranger) {
        p->stranger = true;
        return 0;
    }
    ifd__wire_encode(&q->m, bytes);
    if (q->version)
        bytes[4]++;
    return IFD__WIRE_SIZE;
}

static void port_adopt(ifd__port *p)
{
    (void)p;
    port.adopted++;
}

static const ifd__port_ops port_ops = {.send = port_send, .receive = port_receive, .adopt = port_adopt};

/* A tick to which one millionth can be added exactly. */
static const double tick = 1e6 / (1 << 30);
static uint64_t sequence;

static ifd_limits limits[2];

static void begin(ifd_rig_server *s, int channels)
{
    memset(s, 0, sizeof *s);
    memset(&rig, 0, sizeof rig);
    memset(&port, 0, sizeof port);
    rig.show = at_zero;
    port.base.ops = &port_ops;
    sequence = 0;
    clock_at = 1000 * (int64_t)SECOND;
    for (int k = 0; k < 2; k++) {
        ifd_limits_defaults(&limits[k]);
        limits[k].low = -4.0; /* a stroke of 12.5 m, of which 1/200 is 2^-4 m */
        limits[k].high = 8.5;
        limits[k].velocity = 1.0;
        limits[k].acceleration = 32.0;
        limits[k].force = 64.0;
        limits[k].tracking = 0.125;
    }
    s->o = (ifd_rig_server_options){.rig = &rig_ops, .actuators = channels, .tick = tick, .limits = limits};
    s->rig = (ifd_rig){.ops = &rig_ops, .actuators = channels, .tick = tick};
    s->stream.port = &port.base;
    s->period = SECOND / 4;
    s->watchdog = 10 * (int64_t)SECOND;
    s->due = 77;
    ifd__server_limits(s);
    assert_int_equal(ifd__server_find(s, NULL), IFD_OK);
    rig.commands = 0;
}

__attribute__((unused)) static queued *put(const ifd__message *m)
{
    assert_true(port.waiting < MOST);
    port.in[port.waiting] = (queued){.m = *m};
    if (m->sequence == 0)
        port.in[port.waiting].m.sequence = ++sequence;
    return &port.in[port.waiting++];
}
