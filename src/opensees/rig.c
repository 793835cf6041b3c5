/* SPDX-License-Identifier: MIT */
/* Rigs that are models or laboratories behind OpenSees or OpenFresco. Every exchange blocks. With a clock, a
 * separate thread makes the exchanges and always sends the newest command; the tick reads the newest answer. In
 * lockstep, for tests without a clock, the tick waits for the answer to its last command. */
#include <arpa/inet.h>
#include <errno.h>
#include <interfield/exchange.h>
#include <interfield/link.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/os_linux.h"
#include "link/sequence_lock.h"
#include "opensees/wire.h"

/* The connecting side: a session with an OpenSees adapter element, an OpenFresco site, element or laboratory server.
 *
 *     adapter   header; 10; then 3 and 10 together per command, answered by displacements and forces
 *     site      header; then 3, 6 (answered by displacements, forces and time), 5
 *     element   as site, with room for a matrix in every message
 *     lab       byte order, [1, tag, version], [2, N], two times five counts; then as site; 99 is answered
 *
 * A step blocks until the answer or the timeout; it never runs on a real-time thread. */

typedef enum ifd__osc_kind { IFD__OSC_ADAPTER, IFD__OSC_SITE, IFD__OSC_ELEMENT, IFD__OSC_LAB } ifd__osc_kind;

typedef struct ifd__osc_options {
    ifd__osc_kind kind;
    const char *host;
    int port, channels;
    bool udp, handshake;
    double timeout;      /* s, for the connection and for every answer */
    double version, tag; /* of a laboratory server */
} ifd__osc_options;

typedef struct ifd__osc {
    ifd__osc_options o;
    ifd__osw_sizes sizes;
    int fd;
    bool lost, known;  /* known: `in` contains the newest answer */
    uint8_t *out, *in; /* IFD__OSW_ROOM bytes each */
} ifd__osc;

enum { LAB_OPENING = 256 };                /* doubles per message until N is agreed */
enum { COUNTS = 4 * IFD__OSW_QUANTITIES }; /* bytes of five counts */

static bool put(ifd__osc *c, const uint8_t *bytes, size_t size)
{
    for (size_t at = 0; at < size;) {
        size_t left = size - at, most = c->o.udp && left > IFD__OSW_DATAGRAM ? IFD__OSW_DATAGRAM : left;
        ssize_t sent = send(c->fd, bytes + at, most, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        at += (size_t)sent;
    }
    return true;
}

static bool get(ifd__osc *c, uint8_t *bytes, size_t size)
{
    const int one = 1;
    for (size_t at = 0; at < size;) {
        ssize_t got = recv(c->fd, bytes + at, size - at, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        if (!c->o.udp)
            (void)setsockopt(c->fd, IPPROTO_TCP, TCP_QUICKACK, &one, sizeof one);
        at += (size_t)got;
    }
    return true;
}

static bool put_doubles(ifd__osc *c, const double *values, int count, int n)
{
    memset(c->out, 0, 8 * (size_t)n);
    ifd__osw_doubles_write(values, count, c->out);
    return put(c, c->out, 8 * (size_t)n);
}

/* Opens a session with a laboratory server, as a ShadowSite does. */
static ifd_status open_lab(ifd__osc *c, ifd_note *note)
{
    uint8_t word[4] = {1, 0, 0, 0}, header[IFD__OSW_HEADER];
    const double hello[] = {IFD__OSW_OPEN, c->o.tag, c->o.version}, setup[] = {IFD__OSW_SETUP, c->sizes.n};
    double answer[3];
    bool fine = c->o.udp || (put(c, word, sizeof word) && get(c, word, sizeof word));
    if (fine && !c->o.udp && word[0] != 1)
        return ifd_note_add(note, IFD_PEER, NULL, "the laboratory server has another byte order");
    fine = fine && put_doubles(c, hello, 3, LAB_OPENING) && get(c, c->in, 8 * LAB_OPENING);
    if (!fine)
        return ifd_note_add(note, IFD_PEER, NULL, "the laboratory server did not answer");
    ifd__osw_doubles_read(c->in, 3, answer);
    if (answer[2] != c->o.version)
        return ifd_note_add(note, IFD_PEER, NULL, "the laboratory server has version %g, expected %g: set 'version'",
                            answer[2], c->o.version);
    ifd__osw_header_write(&c->sizes, header); /* its counts, five and five */
    fine = put_doubles(c, setup, 2, LAB_OPENING) && put(c, header, COUNTS) && put(c, header + COUNTS, COUNTS);
    return fine ? IFD_OK : ifd_note_add(note, IFD_PEER, NULL, "the laboratory server closed the connection");
}

static ifd_status introduce(ifd__osc *c, ifd_note *note)
{
    uint8_t header[IFD__OSW_HEADER], hand = 'a';
    if (c->o.udp && c->o.handshake && !(put(c, &hand, 1) && get(c, &hand, 1)))
        return ifd_note_add(note, IFD_PEER, NULL, "port %d of %s did not answer the handshake", c->o.port, c->o.host);
    if (c->o.kind == IFD__OSC_LAB)
        return open_lab(c, note);
    ifd__osw_header_write(&c->sizes, header);
    return put(c, header, sizeof header) ? IFD_OK
                                         : ifd_note_add(note, IFD_PEER, NULL, "the peer closed the connection");
}

/* OpenSees listens only while its script executes the element command, so this repeats until the timeout. */
static ifd_status reach(ifd__osc *c, ifd_note *note)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)c->o.port)};
    struct timeval patience = {.tv_sec = (time_t)c->o.timeout,
                               .tv_usec = (suseconds_t)(1e6 * (c->o.timeout - (double)(time_t)c->o.timeout))};
    const int one = 1;
    int64_t end = ifd__clock_now() + (int64_t)(1e9 * c->o.timeout);
    if (inet_pton(AF_INET, c->o.host, &to.sin_addr) != 1)
        return ifd_note_add(note, IFD_PEER, NULL,
                            "'%s' is not a valid address, expected an address such as 127.0.0.1", c->o.host);
    for (;;) {
        c->fd = socket(AF_INET, (c->o.udp ? SOCK_DGRAM : SOCK_STREAM) | SOCK_CLOEXEC, 0);
        if (c->fd >= 0 && connect(c->fd, (const struct sockaddr *)&to, sizeof to) == 0)
            break;
        int why = errno;
        if (c->fd >= 0)
            (void)close(c->fd);
        c->fd = -1;
        if (ifd__clock_now() > end)
            return ifd_note_add(note, IFD_PEER, NULL, "port %d of %s cannot be reached: %s", c->o.port, c->o.host,
                                strerror(why));
        ifd__clock_sleep(ifd__clock_now() + 20000000);
    }
    (void)setsockopt(c->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    (void)setsockopt(c->fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (!c->o.udp)
        (void)setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    return IFD_OK;
}

/* An adapter has no time quantity; servers get all quantities. N must be large enough for all: the peer does not
 * check it. */
static void choose_sizes(ifd__osc *c)
{
    int32_t n = c->o.channels;
    bool rich = c->o.kind != IFD__OSC_ADAPTER;
    c->sizes = (ifd__osw_sizes){.ctrl = {n, rich ? n : 0, rich ? n : 0, 0, rich}, .daq = {n, 0, 0, n, rich}};
    c->sizes.n = ifd__osw_least(&c->sizes, c->o.kind == IFD__OSC_ELEMENT);
}

static bool put_requests(ifd__osc *c, const ifd__osw_request *r, const ifd__osw_code *codes, int count)
{
    size_t size = 8 * (size_t)c->sizes.n;
    ifd__osw_request each = *r;
    for (int i = 0; i < count; i++) {
        each.code = codes[i];
        ifd__osw_request_write(&c->sizes, &each, c->out + (size_t)i * size);
    }
    bool fine = true;
    for (int i = 0; i < count && fine && c->o.udp; i++)
        fine = put(c, c->out + (size_t)i * size, size);
    return c->o.udp ? fine : put(c, c->out, (size_t)count * size);
}

/* This side closes first, so that the TIME_WAIT state of TCP remains here: the listeners do not reuse their
 * address. */
static void osc_close(ifd__osc *c)
{
    static const ifd__osw_code die[] = {IFD__OSW_DIE};
    const double last[] = {IFD__OSW_DIE, c->o.tag};
    if (c->fd < 0)
        return;
    if (!c->lost && c->o.kind == IFD__OSC_LAB && put_doubles(c, last, 2, c->sizes.n))
        (void)get(c, c->in, 8 * (size_t)c->sizes.n);
    else if (!c->lost)
        (void)put_requests(c, &(ifd__osw_request){.time = 0.0}, die, 1);
    (void)shutdown(c->fd, SHUT_RDWR);
    (void)close(c->fd);
    c->fd = -1;
}

static ifd_status osc_open(ifd_arena *arena, const ifd__osc_options *o, ifd__osc *c, ifd_note *note)
{
    *c = (ifd__osc){.o = *o, .fd = -1};
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(c->out, IFD__OSW_ROOM), IFD__ARRAY(c->in, IFD__OSW_ROOM)));
    choose_sizes(c);
    IFD_TRY(reach(c, note));
    ifd_status status = introduce(c, note);
    c->lost = status != IFD_OK; /* no closing message if nothing was agreed: the peer would not answer */
    if (c->lost)
        osc_close(c);
    return status;
}

static bool hung_up(const ifd__osc *c)
{
    uint8_t byte;
    return !c->o.udp && recv(c->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

/* Requests without a displacement, so that nothing is commanded. An adapter element answers one such request before
 * each trial; at a second one, Adapter::getResistingForce of OpenSees ends the program. Its model does not move
 * without a displacement, so its last answer remains valid. */
static bool look(ifd__osc *c, const ifd__osw_request *r)
{
    static const ifd__osw_code force[] = {IFD__OSW_GET_FORCE}, daq[] = {IFD__OSW_GET_DAQ};
    bool adapter = c->o.kind == IFD__OSC_ADAPTER;
    if (adapter && c->known)
        return !hung_up(c);
    return put_requests(c, r, adapter ? force : daq, 1) && get(c, c->in, 8 * (size_t)c->sizes.n);
}

/* Commands a displacement and requests a response. */
static bool move(ifd__osc *c, const ifd__osw_request *r)
{
    static const ifd__osw_code drive[] = {IFD__OSW_TRIAL, IFD__OSW_GET_FORCE},
                               ask[] = {IFD__OSW_TRIAL, IFD__OSW_GET_DAQ}, done[] = {IFD__OSW_COMMIT};
    bool adapter = c->o.kind == IFD__OSC_ADAPTER;
    return put_requests(c, r, adapter ? drive : ask, 2) && get(c, c->in, 8 * (size_t)c->sizes.n) &&
           (adapter || put_requests(c, r, done, 1));
}

/* Moves to the positions and reads the measurements there; without a command it only reads. False if the session is
 * lost. */
static bool osc_step(ifd__osc *c, const ifd_command *command, ifd_measure *out)
{
    ifd__osw_request r = {.time = command->time};
    for (int k = 0; k < c->o.channels && command->commanded; k++) {
        r.q[IFD__OSW_DISP][k] = command->position[k];
        r.q[IFD__OSW_VEL][k] = command->velocity[k];
    }
    c->lost = c->lost || !(command->commanded ? move(c, &r) : look(c, &r));
    if (c->lost)
        return false;
    c->known = true;
    ifd__osw_response_read(&c->sizes, c->in, &r);
    *out = (ifd_measure){.tick = command->tick,
                         .time = command->time,
                         .inputs = IFD_INPUT_NO_STOP | IFD_INPUT_HYDRAULICS,
                         .actuators = (uint32_t)c->o.channels};
    for (int k = 0; k < c->o.channels; k++) {
        out->position[k] = r.q[IFD__OSW_DISP][k];
        out->force[k] = r.q[IFD__OSW_FORCE][k];
    }
    return true;
}

_Static_assert(sizeof(ifd_command) <= 8 * IFD__NEWEST_WORDS && sizeof(ifd_measure) <= 8 * IFD__NEWEST_WORDS,
               "a record fits into the sequence lock");

enum { HOST, PORT, TRANSPORT, HANDSHAKE, TIMEOUT, LOCKSTEP, KIND, VERSION, TAG };

#define COMMON                                                                                                       \
    IFD_TEXT("host", "address; default 127.0.0.1"),                                                                  \
        {.name = "port", .required = true, IFD_WITHIN(1, 65535), .doc = "port"},                                     \
        IFD_WORD("transport", "tcp|udp", "transport protocol of the other side"),                                    \
        {.name = "handshake",                                                                                        \
         .shape = IFD_SHAPE_FLAG,                                                                                    \
         .doc = "udp: handshake at the start, if the other side expects one"},                                       \
        IFD_OPTION("timeout", TIME, 1e-3, 1e5, 10.0, "longest wait for the connection, and for every answer"),       \
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
        if (osc_step(&c->session, &command, &measure))
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
    osc_close(&c->session);
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
    client *c;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(c, 1)));
    ifd__osc_options o = {.kind = kind,
                          .host = v[HOST].word && v[HOST].word[0] ? v[HOST].word : "127.0.0.1",
                          .port = (int)v[PORT].number,
                          .channels = rig->actuators,
                          .udp = v[TRANSPORT].word && strcmp(v[TRANSPORT].word, "udp") == 0,
                          .handshake = v[HANDSHAKE].number > 0.0,
                          .timeout = v[TIMEOUT].number};
    if (kind != IFD__OSC_ADAPTER) {
        o.version = v[VERSION].number;
        o.tag = v[TAG].number;
    }
    IFD_TRY(osc_open(arena, &o, &c->session, note));
    c->lockstep = v[LOCKSTEP].number > 0.0;
    rig->data = c;
    rig->size = 0;
    c->fresh = osc_step(&c->session, &(ifd_command){.actuators = (uint32_t)rig->actuators}, &c->measure);
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
        c->fresh = osc_step(&c->session, &c->command, &c->measure);
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
    .summary = "the rig is an OpenSees model behind its adapter element",
    .params = adapter_params,
    .open = open_adapter,
    .sense = sense,
    .command = command,
    .close = close_rig,
};

const ifd_rig_ops ifd_openfresco_rig = {
    .abi = IFD_RIG_ABI,
    .name = "openfresco",
    .summary = "the rig is an OpenFresco site, element or laboratory server",
    .params = openfresco_params,
    .open = open_openfresco,
    .sense = sense,
    .command = command,
    .close = close_rig,
};
