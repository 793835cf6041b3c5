/* SPDX-License-Identifier: MIT */
/* Engine side of a rig in another process: messages, and the rigs udp and shm, which differ only in their port. */
#include <interfield/link.h>

#include <stdatomic.h>
#include <string.h>
#include <sys/random.h>

#include "link/auth.h"
#include "link/stream.h"
#include "base/os_linux.h"

enum { MOST_AT_ONCE = 64 }; /* messages per tick */
enum { KEPT = MOST_AT_ONCE };
/* ns: between greetings; for a lost welcome; between repetitions of the end message, as
 * datagrams can be lost; until the end without an answer, after which the watchdog of the rig detects the end. */
static const int64_t greeting_interval = 50000000, ask_interval = 25000000, farewell_interval = 10000000,
                     farewell_most = 500000000;

typedef struct client {
    ifd__stream stream;
    ifd__message newest; /* measure */
    ifd__message out;    /* built in place, so that unused fields remain zero */
    bool fresh;          /* newest is not yet passed on */
    ifd__message *kept;  /* KEPT measurements that are passed on one by one; NULL: only the newest */
    uint32_t first, count;
    bool lockstep, welcome;
    bool told;                      /* a welcome was heard, not only measurements, which imply one */
    uint32_t outputs;               /* those that switch pressure at the rig */
    bool simulated;                 /* the server states that its rig moves no iron */
    char why[IFD__WIRE_TEXT];       /* of a stopped rig */
    _Atomic(const char *) reported; /* it, when it is complete */
    bool strange;                   /* the server reports a different key */
    bool dismissed;                 /* the server has acknowledged the end of the test */
    int64_t timeout;                /* ns */
    uint64_t tick;                  /* of the last command */
    uint32_t actuators;
    uint32_t answer, rig_channels;
    double rig_tick;
} client;

/* An answer with this session number is not a recording: its challenge is valid for the next greeting. */
static void learn(client *c, const ifd__message *m)
{
    if (c->stream.port->seal && !c->welcome && m->kind == IFD__WIRE_HELLO)
        ifd__auth_bind(c->stream.port->seal);
    if (c->stream.port->seal && !c->welcome)
        c->stream.port->seal->bound = false; /* until accepted */
}

/* One of all measurements, whether another one has overtaken it or not. */
static void keep(client *c, const ifd__message *m)
{
    c->answer = IFD__ANSWER_WELCOME;
    if (c->count < KEPT)
        c->kept[(c->first + c->count++) % KEPT] = *m;
}

/* The first one stays: other threads may be reading it. */
static void note_why(client *c, const ifd__message *m)
{
    if (atomic_load_explicit(&c->reported, memory_order_relaxed))
        return;
    memcpy(c->why, m->text, sizeof c->why);
    atomic_store_explicit(&c->reported, c->why, memory_order_release);
}

static const char *why(const ifd_rig *rig)
{
    const client *c = rig->data;
    return c ? atomic_load_explicit(&c->reported, memory_order_acquire) : NULL;
}

/* Inputs of a measurement that overtook another one before a tick used it: what forbids motion stays for this tick. A
 * stop that was pressed for less than a late tick is not lost. */
static uint32_t overtaking(uint32_t before, uint32_t now)
{
    const uint32_t permit = IFD_INPUT_NO_STOP | IFD_INPUT_HYDRAULICS;
    return (now & (before | ~permit)) | (before & IFD_INPUT_RIG_STOPPED);
}

/* A message of another session, or of a rig that does not move the actuators of this test. */
static bool refused(client *c, const ifd__message *m)
{
    bool own = m->session == c->stream.session,
         welcome = m->kind == IFD__WIRE_HELLO && m->word == IFD__ANSWER_WELCOME;
    bool moves = own && (m->kind == IFD__WIRE_MEASURE || welcome), other = moves && m->actuators != c->actuators;
    uint8_t bytes[IFD__WIRE_SIZE];
    if (own && !other)
        return false;
    ifd__wire_encode(m, bytes);
    ifd__refusal_note(&c->stream.refused, other ? IFD__WIRE_IS_ACTUATORS : IFD__WIRE_IS_SESSION, bytes, sizeof bytes,
                      other ? c->actuators : c->stream.session);
    c->stream.count.foreign += !own;
    return true;
}

/* Takes all received messages; the newest measurement is used. */
static void listen(client *c)
{
    ifd__message m;
    uint64_t damaged = c->stream.count.damaged; /* counted too: a flood of messages must not delay a tick */
    for (uint64_t i = 0; i + c->stream.count.damaged - damaged < MOST_AT_ONCE && ifd__stream_next(&c->stream, &m);
         i++) {
        bool strange = m.kind == IFD__WIRE_HELLO && m.word == IFD__ANSWER_KEY && !c->welcome;
        c->strange = c->strange || strange;
        if (strange || refused(c, &m))
            continue;
        learn(c, &m);
        bool newer = ifd__stream_newer(&c->stream, &m);
        if (m.kind == IFD__WIRE_HELLO && m.word >= IFD__ANSWER_WELCOME && !c->welcome) {
            c->answer = m.word;
            c->rig_channels = m.actuators;
            c->rig_tick = m.time;
            c->told = c->told || m.word == IFD__ANSWER_WELCOME;
            c->simulated = c->simulated || m.heartbeat != 0;
            c->outputs |= m.outputs;
        }
        c->dismissed = c->dismissed || m.kind == IFD__WIRE_BYE;
        if (m.kind == IFD__WIRE_MEASURE && c->kept)
            keep(c, &m);
        if (m.kind == IFD__WIRE_WHY)
            note_why(c, &m);
        if (m.kind != IFD__WIRE_MEASURE || !newer)
            continue;
        c->answer = IFD__ANSWER_WELCOME; /* measurements imply acceptance; the answer itself can be lost */
        if (c->fresh)
            m.word = overtaking(c->newest.word, m.word);
        c->newest = m;
        c->fresh = true;
    }
}

static void greet(client *c, const ifd_rig *rig)
{
    ifd__message hello = {.kind = IFD__WIRE_HELLO,
                          .time = rig->tick,
                          .word = (c->lockstep ? IFD__HELLO_LOCKSTEP : 0) | IFD__HELLO_ASKS,
                          .actuators = (uint32_t)rig->actuators};
    if (rig->give_up > 0.0) {
        hello.word |= IFD__HELLO_ELASTIC;
        hello.a[0] = rig->brake;
        hello.b[0] = rig->give_up;
    }
    ifd__stream_send(&c->stream, &hello, IFD__TO_PEER);
}

static ifd_status judge(const client *c, const ifd_rig *rig, ifd_note *note)
{
    switch (c->answer) {
    case IFD__ANSWER_WELCOME:
        return IFD_OK;
    case IFD__ANSWER_BUSY:
        return ifd_note_add(note, IFD_PEER, NULL, "the rig already serves another test");
    case IFD__ANSWER_VERSION:
        return ifd_note_add(note, IFD_PEER, NULL, "the rig uses another protocol version than this program (%d)",
                            IFD__WIRE_VERSION);
    case IFD__ANSWER_ACTUATORS:
        return ifd_note_add(note, IFD_PEER, NULL, "the rig has %u actuators, but the test has %d", c->rig_channels,
                            rig->actuators);
    case IFD__ANSWER_TICK:
        ifd_note_add(note, IFD_PEER, NULL, "the rig has a tick of %.9g s, but the test has %.9g s", c->rig_tick,
                     rig->tick);
        ifd_note_hint(note, "the tick of a test is a part of the step; rig-check has the option --tick %.9g",
                      c->rig_tick);
        return IFD_PEER;
    case IFD__ANSWER_CLOCK:
        return ifd_note_add(note, IFD_PEER, NULL,
                            "the rig is real and has its own clock; 'lockstep' is for simulated rigs only");
    case IFD__ANSWER_MOVING:
        return ifd_note_add(note, IFD_PEER, NULL, "the rig is still coming to rest after the previous test");
    default:
        break;
    }
    if (c->strange || c->stream.port->stranger)
        return ifd_note_advise(
            note, IFD_PEER, NULL,
            "both need the same key file: interfield rig CASE --key FILE and rig: {udp: {key: FILE}}",
            c->stream.port->seal ? "the rig has another key than this test, or none"
                                 : "the rig requires a key, and this test has none");
    if (c->stream.version)
        return ifd_note_add(note, IFD_PEER, NULL, "the rig uses protocol version %u, this program version %d",
                            c->stream.version, IFD__WIRE_VERSION);
    char text[200];
    if (ifd__refusal_print(&c->stream.refused, text, sizeof text))
        return ifd_note_advise(note, IFD_PEER, NULL, "docs/reference/udp-wire.md describes every byte of a message",
                               "%s answers, but its messages are refused: %s", c->stream.port->name, text);
    return ifd_note_advise(note, IFD_PEER, NULL,
                           "start the rig server (interfield rig CASE) at the address in 'test: rig'",
                           "no rig answered within %g s", 1e-9 * (double)c->timeout);
}

/* Greetings are repeated, as they can be lost and a rig can still be coming to rest. */
static ifd_status agree(client *c, const ifd_rig *rig, ifd_note *note)
{
    int64_t now = ifd__clock_now(), end = now + c->timeout, next = now;
    while ((c->answer == IFD__ANSWER_NONE || c->answer == IFD__ANSWER_MOVING || c->answer == IFD__ANSWER_GREET) &&
           c->stream.version == 0 && !(c->strange && !c->stream.port->seal) && now < end) {
        if (now >= next) {
            greet(c, rig);
            next = now + greeting_interval;
        }
        c->stream.port->ops->wait(c->stream.port, next < end ? next : end);
        listen(c);
        now = ifd__clock_now();
        if (c->answer == IFD__ANSWER_GREET) {
            c->answer = IFD__ANSWER_NONE;
            next = now;
        }
    }
    return judge(c, rig, note);
}

static uint64_t random_session(void)
{
    uint64_t session = 0;
    if (getrandom(&session, sizeof session, 0) != (ssize_t)sizeof session)
        session = (uint64_t)ifd__clock_now();
    return session ? session : 1;
}

/* The welcome, with the answer whether the rig is simulated, can be lost. */
static void ask(client *c, const ifd_rig *rig)
{
    int64_t now = ifd__clock_now(), end = now + c->timeout, next = now;
    while (!c->told && now < end) {
        if (now >= next) {
            greet(c, rig);
            next = now + ask_interval;
        }
        c->stream.port->ops->wait(c->stream.port, next < end ? next : end);
        listen(c);
        now = ifd__clock_now();
    }
}

/* Greets the server at the port and waits for its answer. Closes the port after a failure. */
static ifd_status open_at(ifd_rig *rig, ifd__port *port, const ifd_param *params, const ifd_value *values,
                          ifd_arena *arena, ifd_note *note)
{
    client *c = ifd_arena_take(arena, sizeof *c);
    if (!c) {
        ifd__port_close(port);
        return IFD_NO_MEMORY;
    }
    c->stream.port = port;
    c->lockstep = ifd_param_get(params, values, "lockstep")->number > 0.0;
    if (c->lockstep && rig->give_up > 0.0) {
        ifd__port_close(port);
        return ifd_note_add(note, IFD_CONFLICT, NULL,
                            "'lockstep' and 'elastic' exclude each other: in lockstep a test waits for each answer");
    }
    c->actuators = (uint32_t)rig->actuators;
    c->timeout = (int64_t)(1e9 * ifd_param_get(params, values, "timeout")->number);
    ifd__stream_begin(&c->stream, random_session());
    if (rig->each == IFD_EACH_ASKED && !c->lockstep) {
        c->kept = ifd_arena_array(arena, KEPT, sizeof *c->kept);
        rig->each = c->kept ? IFD_EACH_GIVEN : rig->each;
    }
    ifd_status status = agree(c, rig, note);
    if (status != IFD_OK) {
        ifd__port_close(port);
        return status;
    }
    ask(c, rig);
    c->welcome = true;
    if (port->seal)
        port->seal->bound = true;
    rig->data = c;
    rig->size = 0;
    rig->outputs = c->outputs;
    return IFD_OK;
}

/* Lockstep: waits for the first answer that acknowledges the tick of the last command. */
static void wait_for_answer(client *c)
{
    int64_t end = ifd__clock_now() + c->timeout;
    while (!(c->fresh && c->newest.tick >= c->tick) && ifd__clock_now() < end) {
        c->stream.port->ops->wait(c->stream.port, end);
        listen(c);
    }
}

/* The measurement to pass on; NULL: none. */
static const ifd__message *pass_on(client *c)
{
    if (!c->kept) {
        bool fresh = c->fresh;
        c->fresh = false;
        return fresh ? &c->newest : NULL;
    }
    const ifd__message *m = c->count ? &c->kept[c->first % KEPT] : NULL;
    c->first += m != NULL;
    c->count -= m != NULL;
    return m;
}

static bool sense(ifd_rig *rig, ifd_measure *out, double *x)
{
    client *c = rig->data;
    (void)x;
    if (c->count == 0)
        listen(c);
    if (c->lockstep)
        wait_for_answer(c);
    const ifd__message *m = pass_on(c);
    if (!m)
        return false;
    *out =
        (ifd_measure){.tick = m->tick, .time = m->time, .inputs = m->word, .actuators = m->actuators, .aux = m->aux};
    memcpy(out->position, m->a, sizeof out->position);
    memcpy(out->force, m->b, sizeof out->force);
    memcpy(out->auxiliary, m->c, sizeof out->auxiliary);
    return true;
}

static void command_rig(ifd_rig *rig, const ifd_command *command, double *x)
{
    client *c = rig->data;
    (void)x;
    c->tick = command->tick;
    c->out.kind = IFD__WIRE_COMMAND;
    c->out.tick = command->tick;
    c->out.time = command->time;
    c->out.word = command->state;
    c->out.heartbeat = command->heartbeat;
    c->out.outputs = command->outputs;
    c->out.commanded = command->commanded != 0;
    c->out.actuators = (uint32_t)rig->actuators;
    memcpy(c->out.a, command->position, sizeof c->out.a);
    memcpy(c->out.b, command->velocity, sizeof c->out.b);
    ifd__stream_send(&c->stream, &c->out, IFD__TO_PEER);
}

/* Repeated until the rig acknowledges it: a rig that misses it would wait for its watchdog and report a stop. */
static void close_rig(ifd_rig *rig)
{
    client *c = rig->data;
    if (!c || !c->stream.port->open)
        return;
    int64_t end = ifd__clock_now() + farewell_most, now;
    while ((now = ifd__clock_now()) < end && !c->dismissed) {
        ifd__message bye = {.kind = IFD__WIRE_BYE, .actuators = (uint32_t)rig->actuators};
        ifd__stream_send(&c->stream, &bye, IFD__TO_PEER);
        for (int64_t next = now + farewell_interval; ifd__clock_now() < next && !c->dismissed;) {
            c->stream.port->ops->wait(c->stream.port, next);
            listen(c);
        }
    }
    ifd__port_close(c->stream.port);
}

/* NULL: another rig. */
static const client *client_of(const ifd_rig *rig)
{
    return rig->ops->close == close_rig ? rig->data : NULL;
}

ifd_link_counts ifd_link_counted(const ifd_rig *rig)
{
    const client *c = client_of(rig);
    return c ? c->stream.count : (ifd_link_counts){0};
}

const char *ifd_link_refused(const ifd_rig *rig, int reason, uint64_t *count)
{
    static const char *const names[] = {
#define ROW(name, word, text) word,
        IFD__WIRE_FAULTS(ROW)
#undef ROW
    };
    const client *c = client_of(rig);
    if (!c || reason < 0 || reason + 1 >= IFD__WIRE_FAULT_COUNT)
        return NULL;
    *count = atomic_load_explicit(&c->stream.refused.count[reason + 1], memory_order_relaxed);
    return names[reason + 1];
}

bool ifd_link_refusal_print(const ifd_rig *rig, char *out, size_t size)
{
    const client *c = client_of(rig);
    return c && ifd__refusal_print(&c->stream.refused, out, size);
}

/* Common parameters besides the address. Only the process of the rig uses `commands`, from the case of both. */
#define CLIENT_PARAMS                                                                                                \
    IFD_OPTION("timeout", TIME, 1e-6, 1e5, 2.0, "longest wait for the handshake, and for an answer in lockstep"),    \
        IFD_FLAG("lockstep", "the rig moves one tick per command, without a clock"),                                 \
        IFD_WORD("commands", "hold|linear", "command of a virtual rig between two ticks: constant, or linear")

static const ifd_param udp_params[] = {
    IFD_TEXT("host", "address of the rig; default 127.0.0.1"),
    IFD_NEEDED("port", NONE, 1, 65535, "UDP port of the rig"),
    IFD_OPTION("local-port", NONE, 1, 65535, 0, "UDP port from which the test sends; default: any free one"),
    CLIENT_PARAMS,
    IFD_TEXT("key", "key file, the same as that of the rig server"),
    {0}};

static const ifd_param shm_params[] = {
    IFD_TEXT("name", "name of the shared memory, as given to the rig", .required = true), CLIENT_PARAMS, {0}};

/* What both rows have. */
#define CLIENT                                                                                                       \
    .abi = IFD_RIG_ABI, .sense = sense, .command = command_rig, .close = close_rig, .why = why, .simulated = simulated

static ifd_status open_udp(ifd_rig *rig, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    const char *host = ifd_param_get(udp_params, values, "host")->word,
               *key = ifd_param_get(udp_params, values, "key")->word;
    ifd__port *port;
    IFD_TRY(ifd__udp_connect(arena, host && *host ? host : "127.0.0.1",
                             (int)ifd_param_get(udp_params, values, "port")->number,
                             (int)ifd_param_get(udp_params, values, "local-port")->number, &port, note));
    ifd_status status = key && *key ? ifd__port_seal(port, key, false, arena, note) : IFD_OK;
    if (status == IFD_OK)
        return open_at(rig, port, udp_params, values, arena, note);
    ifd__port_close(port);
    return status;
}

static bool simulated(const ifd_rig *rig)
{
    const client *c = rig->data;
    return c->lockstep || c->simulated;
}

const ifd_rig_ops ifd_udp_rig = {
    CLIENT,
    .name = "udp",
    .summary = "the rig is in another process or on another machine, and exchanges datagrams",
    .params = udp_params,
    .open = open_udp,
};

static ifd_status open_shm(ifd_rig *rig, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    const char *name = ifd_param_get(shm_params, values, "name")->word;
    ifd__port *port;
    IFD_TRY(ifd__shm_connect(arena, name ? name : "", &port, note));
    return open_at(rig, port, shm_params, values, arena, note);
}

const ifd_rig_ops ifd_shm_rig = {
    CLIENT,
    .name = "shm",
    .summary = "the rig is in another process of this machine, and uses shared memory",
    .params = shm_params,
    .open = open_shm,
};
