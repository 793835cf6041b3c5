/* SPDX-License-Identifier: MIT */
/* The sockets of the server for OpenSees.
 *
 * OpenSees writes several small messages with Nagle's algorithm active and then waits for a reply. Without immediate
 * acknowledgement every step takes 44 ms. Linux resets TCP_QUICKACK, so it is set after every read. */
#include "opensees/server.h"

#include <errno.h>
#include <math.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/os_linux.h"

enum { MESSAGES_AT_ONCE = 64, DATAGRAMS_AT_ONCE = 1024 };

void ifd__os_set(int fd, int level, int name, int value)
{
    (void)setsockopt(fd, level, name, &value, sizeof value);
}

void ifd__os_hang_up(ifd_opensees *s, ifd__os_peer *p)
{
    if (!p->used)
        return;
    if (p->fd >= 0)
        (void)close(p->fd);
    p->used = false;
    p->asked = 0;
    p->held = false;
    p->out_size = 0;
    pthread_mutex_lock(&s->lock);
    s->report.connected -= p->counted;
    s->report.dismissed -= p->dismissed;
    pthread_mutex_unlock(&s->lock);
    p->counted = p->dismissed = false;
}

/* A probe cannot be sent, because genericClient takes any datagram, even an empty one, as its answer. Two sockets of
 * this machine cannot bind one port: if binding succeeds, the client has gone. */
ifd__os_sign ifd__os_port(const ifd__os_peer *p)
{
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return IFD__OS_UNKNOWN;
    bool bound = bind(fd, (const struct sockaddr *)&p->from, sizeof p->from) == 0;
    ifd__os_sign sign = bound ? IFD__OS_GONE : errno == EADDRINUSE ? IFD__OS_ALIVE : IFD__OS_UNKNOWN;
    (void)close(fd);
    return sign;
}

static void send_datagrams(ifd__os_peer *p)
{
    while (p->out_at < p->out_size) {
        size_t left = p->out_size - p->out_at, count = left < p->chunk ? left : p->chunk;
        if (send(p->fd, p->out + p->out_at, count, 0) < 0 && errno == EINTR)
            continue;
        p->out_at += count; /* a datagram that the system refuses is lost like any other */
    }
}

void ifd__os_send(ifd_opensees *s, ifd__os_peer *p)
{
    if (s->o.udp) {
        send_datagrams(p);
        return;
    }
    while (p->out_at < p->out_size) {
        ssize_t sent = send(p->fd, p->out + p->out_at, p->out_size - p->out_at, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return;
        if (sent < 0) {
            ifd__os_lost(s, p, "a client disconnected while it was answered");
            return;
        }
        p->out_at += (size_t)sent;
    }
}

/* A free place. If there is none, the oldest client without a header is removed, so that clients that only connect
 * do not exclude others. */
static ifd__os_peer *place_for_one(ifd_opensees *s)
{
    for (int i = 0; i < IFD__OS_PEERS; i++)
        if (!s->peer[i].used)
            return &s->peer[i];
    int oldest = ifd__os_younger(s, 0);
    while (oldest >= 0 && s->peer[oldest].element >= 0)
        oldest = ifd__os_younger(s, s->peer[oldest].serial);
    if (oldest < 0)
        return NULL;
    ifd__os_refuse(s, &s->peer[oldest], "too many clients: one that had sent no header was refused");
    return &s->peer[oldest];
}

static ifd__os_peer *new_peer(ifd_opensees *s, int fd, const struct sockaddr_in *from)
{
    ifd__os_peer *p = place_for_one(s);
    if (!p)
        return NULL;
    uint8_t *in = p->in.bytes, *out = p->out;
    *p = (ifd__os_peer){.used = true,
                        .serial = ++s->admitted,
                        .fd = fd,
                        .from = *from,
                        .element = -1,
                        .out = out,
                        .chunk = IFD__OSW_DATAGRAM};
    ifd__osw_reader_begin(&p->in, in);
    return p;
}

/* A client that has gone and a client that waits for an answer are both silent. TCP keep-alive distinguishes them:
 * the first probe after a third of the patience, then three at intervals of a sixth, in whole seconds, so at least 4
 * s. */
static void keep_alive(int fd, double patience)
{
    int third = (int)fmin(fmax(patience / 3.0, 1.0), 32767.0), sixth = (int)fmin(fmax(patience / 6.0, 1.0), 32767.0);
    ifd__os_set(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
    ifd__os_set(fd, IPPROTO_TCP, TCP_KEEPIDLE, third);
    ifd__os_set(fd, IPPROTO_TCP, TCP_KEEPINTVL, sixth);
    ifd__os_set(fd, IPPROTO_TCP, TCP_KEEPCNT, 3);
}

void ifd__os_accept(ifd_opensees *s)
{
    struct sockaddr_in from = {0};
    socklen_t length = sizeof from;
    int fd = accept4(s->listener, (struct sockaddr *)&from, &length, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0)
        return;
    ifd__os_set(fd, IPPROTO_TCP, TCP_NODELAY, 1);
    ifd__os_set(fd, IPPROTO_TCP, TCP_QUICKACK, 1);
    keep_alive(fd, s->o.patience);
    if (!new_peer(s, fd, &from))
        (void)close(fd);
}

static void hear_datagram(ifd_opensees *s, const struct sockaddr_in *from, size_t length);

static bool same(const struct sockaddr_in *a, const struct sockaddr_in *b)
{
    return a->sin_port == b->sin_port && a->sin_addr.s_addr == b->sin_addr.s_addr;
}

/* Stores the start of an incomplete message. */
static void keep_since(ifd__os_peer *p)
{
    if (p->in.have == 0)
        p->since = 0;
    else if (!p->since)
        p->since = ifd__clock_now();
}

/* Stock OpenSees first sends 'a' and waits for 'b'; OpenFresco and others begin with the header. */
static bool shakes_hands(const ifd_opensees *s, size_t length)
{
    return length == 1 && s->datagram[0] == 'a';
}

static void take_datagram(ifd_opensees *s, ifd__os_peer *p, size_t length)
{
    ifd__osw_bad why = IFD__OSW_BAD_FINE;
    if (shakes_hands(s, length) && !p->in.greeted && p->in.have == 0) { /* also repeated, if the answer was lost */
        p->out[0] = 'b';
        p->out_size = 1;
        p->out_at = 0;
        ifd__os_send(s, p);
        return;
    }
    if (p->in.greeted && p->in.have == 0 && length == IFD__OSW_SMALL && 8 * (size_t)p->in.sizes.n > IFD__OSW_SMALL)
        p->chunk = IFD__OSW_SMALL;
    ifd__osw_event event = ifd__osw_reader_datagram(&p->in, s->datagram, length, &why);
    keep_since(p);
    if (event != IFD__OSW_NOTHING)
        ifd__os_message(s, p, event, why);
}

static void take_bytes(ifd_opensees *s, ifd__os_peer *p, size_t count)
{
    ifd__osw_bad why = IFD__OSW_BAD_FINE;
    ifd__os_set(p->fd, IPPROTO_TCP, TCP_QUICKACK, 1);
    ifd__osw_event event = ifd__osw_reader_took(&p->in, count, &why);
    keep_since(p);
    if (event != IFD__OSW_NOTHING)
        ifd__os_message(s, p, event, why);
}

/* False if nothing has arrived. */
static bool read_some(ifd_opensees *s, ifd__os_peer *p)
{
    struct sockaddr_in from = p->from;
    socklen_t size = sizeof from;
    ssize_t got = s->o.udp ? recvfrom(p->fd, s->datagram, IFD__OS_DATAGRAM_ROOM, 0, (struct sockaddr *)&from, &size)
                           : recv(p->fd, p->in.bytes + p->in.have, ifd__osw_reader_room(&p->in), 0);
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        return false;
    if (s->o.udp && got > 0 && !same(&from, &p->from)) /* it arrived before this socket was connected */
        hear_datagram(s, &from, (size_t)got);
    else if (got > 0)
        (s->o.udp ? take_datagram : take_bytes)(s, p, (size_t)got);
    else if (got < 0 ? errno != EINTR : !s->o.udp)
        ifd__os_lost(s, p, "a client disconnected without a closing message");
    return true;
}

/* Handles one message after the other, up to one that has to wait. */
void ifd__os_read_client(ifd_opensees *s, ifd__os_peer *p)
{
    for (int i = 0; i < MESSAGES_AT_ONCE && p->used && !p->asked && !p->held && p->out_at == p->out_size; i++) {
        if (!read_some(s, p))
            return;
        ifd__os_catch_up(s);
    }
}

int ifd__os_younger(const ifd_opensees *s, uint64_t than)
{
    int next = -1;
    for (int i = 0; i < IFD__OS_PEERS; i++)
        if (s->peer[i].used && s->peer[i].serial > than && (next < 0 || s->peer[i].serial < s->peer[next].serial))
            next = i;
    return next;
}

static ifd__os_peer *peer_from(ifd_opensees *s, const struct sockaddr_in *from)
{
    for (int i = 0; i < IFD__OS_PEERS; i++)
        if (s->peer[i].used && same(&s->peer[i].from, from))
            return &s->peer[i];
    return NULL;
}

/* A separate socket on the same port, connected to one client. The system gives it only the datagrams of that
 * client, and waiting messages stay in its queue. */
static int socket_for(const ifd_opensees *s, const struct sockaddr_in *from)
{
    struct sockaddr_in at = {0};
    socklen_t size = sizeof at;
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd >= 0)
        ifd__os_set(fd, SOL_SOCKET, SO_REUSEADDR, 1);
    if (fd < 0 || getsockname(s->listener, (struct sockaddr *)&at, &size) != 0 ||
        bind(fd, (const struct sockaddr *)&at, sizeof at) != 0 ||
        connect(fd, (const struct sockaddr *)from, sizeof *from) != 0) {
        if (fd >= 0)
            (void)close(fd);
        return -1;
    }
    return fd;
}

static ifd__os_peer *admit(ifd_opensees *s, const struct sockaddr_in *from, bool welcome)
{
    int fd = welcome ? socket_for(s, from) : -1;
    ifd__os_peer *p = fd >= 0 ? new_peer(s, fd, from) : NULL;
    if (fd >= 0 && !p)
        (void)close(fd);
    pthread_mutex_lock(&s->lock);
    s->report.strays += !welcome;
    pthread_mutex_unlock(&s->lock);
    return p;
}

static void hear_datagram(ifd_opensees *s, const struct sockaddr_in *from, size_t length)
{
    ifd__os_peer *p = peer_from(s, from);
    if (!p)
        p = admit(s, from, shakes_hands(s, length) || length == IFD__OSW_HEADER);
    if (p && (p->asked || p->held))
        ifd__os_refuse(s, p, "a client did not wait for its answer");
    else if (p)
        take_datagram(s, p, length);
    ifd__os_catch_up(s);
}

/* Clients with a header on a separate socket are older than a client with a header on this socket. */
static void read_older(ifd_opensees *s)
{
    uint8_t header[IFD__OSW_HEADER];
    memcpy(header, s->datagram, sizeof header);
    for (int i = ifd__os_younger(s, 0); i >= 0; i = ifd__os_younger(s, s->peer[i].serial))
        if (!s->peer[i].in.greeted)
            ifd__os_read_client(s, &s->peer[i]);
    memcpy(s->datagram, header, sizeof header);
}

static bool read_datagram(ifd_opensees *s)
{
    struct sockaddr_in from = {0};
    socklen_t size = sizeof from;
    ssize_t got =
        recvfrom(s->listener, s->datagram, IFD__OS_DATAGRAM_ROOM, MSG_DONTWAIT, (struct sockaddr *)&from, &size);
    if (got <= 0)
        return false;
    if (got == IFD__OSW_HEADER)
        read_older(s);
    hear_datagram(s, &from, (size_t)got);
    return true;
}

/* Reads all datagrams: those that a client sent before it had a separate socket precede all later ones. */
void ifd__os_read_datagrams(ifd_opensees *s)
{
    for (int i = 0; i < DATAGRAMS_AT_ONCE && read_datagram(s); i++) {
    }
}
