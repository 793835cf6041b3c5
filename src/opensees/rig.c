/* SPDX-License-Identifier: MIT */
/* Rigs that are models or laboratories behind OpenSees or OpenFresco. Every exchange blocks. With a clock, a
 * separate thread makes the exchanges and always sends the newest command; the tick reads the newest answer. In
 * lockstep, for tests without a clock, the tick waits for the answer to its last command. */
#include <interfield/link.h>

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <string.h>

#include "base/os_linux.h"
#include "link/sequence_lock.h"
#include "opensees/client.h"

_Static_assert(sizeof(ifd_command) <= 8 * IFD__NEWEST_WORDS && sizeof(ifd_measure) <= 8 * IFD__NEWEST_WORDS,
               "a record fits into the sequence lock");

enum { HOST, PORT, TRANSPORT, HANDSHAKE, TIMEOUT, LOCKSTEP, KIND, VERSION, TAG };

#define COMMON                                                                                                       \
    IFD_TEXT("host", "address, such as 192.168.0.7; default 127.0.0.1"),                                             \
        {.name = "port", .required = true, IFD_WITHIN(1, 65535), .doc = "port"},                                     \
        IFD_WORD("transport", "tcp|udp", "transport protocol, as on the other side"),                                \
        {.name = "handshake",                                                                                        \
         .shape = IFD_SHAPE_FLAG,                                                                                    \
         .doc = "udp: exchange of 'a' and 'b' at the start, if the other side expects it"},                          \
        IFD_OPTION("timeout", TIME, 1e-3, 1e5, 10.0, "maximum duration of the connection, and of every answer"),     \
    {                                                                                                                \
        .name = "lockstep", .shape = IFD_SHAPE_FLAG, .doc = "one exchange per tick, without a clock"                 \
    }

static const ifd_param adapter_params[] = {COMMON, {0}};

static const ifd_param openfresco_params[] = {
    COMMON,
    IFD_WORD("server", "site|element|lab", "type of the OpenFresco server"),
    IFD_OPTION("version", NONE, 0.1, 1e3, 2.8, "lab: main version of OpenFresco"),
    IFD_OPTION("tag", NONE, 0, 1e9, 1, "lab: tag of the site"),
    {0}};

_Static_assert(sizeof openfresco_params / sizeof *openfresco_params <= IFD_LINK_PARAMS + 1,
               "the values of any rig fit");

typedef struct client {
    ifd__osc session;
    bool lockstep, fresh, due, running;
    ifd_measure measure;
    ifd_command command; /* lockstep: the command to be sent */
    ifd__sequence_lock commands, measures;
    uint64_t command_seen, measure_seen;
    sem_t said;
    atomic_bool leave, lost;
    pthread_t thread;
} client;

static void *carry(void *data)
{
    client *c = data;
    ifd_command command;
    ifd_measure measure;
    while (!atomic_load(&c->leave)) {
        if (sem_wait(&c->said) != 0 ||
            !ifd__sequence_lock_read(&c->commands, &c->command_seen, &command, sizeof command))
            continue;
        if (ifd__osc_step(&c->session, &command, &measure))
            ifd__sequence_lock_write(&c->measures, &measure, sizeof measure);
        else
            atomic_store(&c->lost, true);
    }
    return NULL;
}

static bool start(client *c)
{
    c->running = sem_init(&c->said, 0, 0) == 0 && ifd__thread_start(&c->thread, carry, c) == 0;
    return c->running;
}

static void close_rig(ifd_rig *rig)
{
    client *c = rig->data;
    if (!c)
        return;
    if (c->running) {
        atomic_store(&c->leave, true);
        (void)sem_post(&c->said);
        (void)pthread_join(c->thread, NULL);
        (void)sem_destroy(&c->said);
        c->running = false;
    }
    ifd__osc_close(&c->session);
}

/* An adapter with another number of dofs closes the connection without a message; only OpenSees prints its number. */
static ifd_status no_answer(const ifd__osc_options *o, ifd_note *note)
{
    ifd_note_add(note, IFD_PEER, NULL, "port %d of %s does not report its position", o->port, o->host);
    if (o->kind == IFD__OSC_ADAPTER)
        ifd_note_hint(note,
                      "the case moves %d dof%s; '-dof' of the adapter must name as many. If OpenSees prints 'wrong "
                      "data sizes != M received', its adapter has M",
                      o->channels, o->channels == 1 ? "" : "s");
    return IFD_PEER;
}

/* The position is requested without a command. */
static ifd_status open_as(ifd_rig *rig, const ifd_value *v, ifd__osc_kind kind, ifd_arena *arena, ifd_note *note)
{
    client *c = ifd_arena_take(arena, sizeof *c);
    if (!c)
        return IFD_NO_MEMORY;
    ifd__osc_options o = {.kind = kind,
                          .host = v[HOST].word && v[HOST].word[0] ? v[HOST].word : "127.0.0.1",
                          .port = (int)v[PORT].number,
                          .channels = rig->channels,
                          .udp = v[TRANSPORT].word && strcmp(v[TRANSPORT].word, "udp") == 0,
                          .handshake = v[HANDSHAKE].number > 0.0,
                          .timeout = v[TIMEOUT].number};
    if (kind != IFD__OSC_ADAPTER) {
        o.version = v[VERSION].number;
        o.tag = v[TAG].number;
    }
    IFD_TRY(ifd__osc_open(arena, &o, &c->session, note));
    c->lockstep = v[LOCKSTEP].number > 0.0;
    rig->data = c;
    rig->size = 0;
    c->fresh = ifd__osc_step(&c->session, &(ifd_command){.channels = (uint32_t)rig->channels}, &c->measure);
    if (!c->fresh || (!c->lockstep && !start(c))) {
        close_rig(rig);
        return no_answer(&o, note);
    }
    return IFD_OK;
}

static ifd_status open_adapter(ifd_rig *rig, const ifd_value *v, ifd_arena *arena, ifd_note *note)
{
    return open_as(rig, v, IFD__OSC_ADAPTER, arena, note);
}

static ifd_status open_openfresco(ifd_rig *rig, const ifd_value *v, ifd_arena *arena, ifd_note *note)
{
    static const ifd__osc_kind kinds[] = {IFD__OSC_SITE, IFD__OSC_ELEMENT, IFD__OSC_LAB};
    int which = v[KIND].word ? ifd_choice_find("site|element|lab", v[KIND].word) : 0;
    return open_as(rig, v, kinds[which < 0 ? 0 : which], arena, note);
}

static bool sense(ifd_rig *rig, ifd_measure *out, double *x)
{
    client *c = rig->data;
    (void)x;
    if (c->lockstep && c->due) {
        c->fresh = ifd__osc_step(&c->session, &c->command, &c->measure);
        c->due = false;
    } else if (!c->lockstep &&
               ifd__sequence_lock_read(&c->measures, &c->measure_seen, &c->measure, sizeof c->measure)) {
        c->fresh = true;
    }
    if (!c->fresh)
        return false;
    c->fresh = false;
    *out = c->measure;
    return true;
}

static void command(ifd_rig *rig, const ifd_command *command, double *x)
{
    client *c = rig->data;
    (void)x;
    if (c->lockstep) {
        c->command = *command;
        c->due = true;
        return;
    }
    ifd__sequence_lock_write(&c->commands, command, sizeof *command);
    (void)sem_post(&c->said);
}

const ifd_rig_ops ifd_opensees_adapter_rig = {
    .abi = IFD_RIG_ABI,
    .name = "opensees-adapter",
    .summary = "an OpenSees model behind its adapter element",
    .params = adapter_params,
    .open = open_adapter,
    .sense = sense,
    .command = command,
    .close = close_rig,
};

const ifd_rig_ops ifd_openfresco_rig = {
    .abi = IFD_RIG_ABI,
    .name = "openfresco",
    .summary = "an OpenFresco site, element or laboratory server",
    .params = openfresco_params,
    .open = open_openfresco,
    .sense = sense,
    .command = command,
    .close = close_rig,
};
