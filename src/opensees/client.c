/* SPDX-License-Identifier: MIT */
/* A session with an adapter element of OpenSees or a server of OpenFresco. */
#include "opensees/client.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/os_linux.h"

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

ifd_status ifd__osc_open(ifd_arena *arena, const ifd__osc_options *o, ifd__osc *c, ifd_note *note)
{
    *c = (ifd__osc){.o = *o, .fd = -1};
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(c->out, IFD__OSW_ROOM), IFD__ARRAY(c->in, IFD__OSW_ROOM)));
    choose_sizes(c);
    IFD_TRY(reach(c, note));
    ifd_status status = introduce(c, note);
    c->lost = status != IFD_OK; /* no closing message if nothing was agreed: the peer would not answer */
    if (c->lost)
        ifd__osc_close(c);
    return status;
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

bool ifd__osc_step(ifd__osc *c, const ifd_command *command, ifd_measure *out)
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
                         .channels = (uint32_t)c->o.channels};
    for (int k = 0; k < c->o.channels; k++) {
        out->position[k] = r.q[IFD__OSW_DISP][k];
        out->force[k] = r.q[IFD__OSW_FORCE][k];
    }
    return true;
}

/* This side closes first, so that the TIME_WAIT state of TCP remains here: the listeners do not reuse their
 * address. */
void ifd__osc_close(ifd__osc *c)
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
