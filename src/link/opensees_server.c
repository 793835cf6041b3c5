/* SPDX-License-Identifier: MIT */
/* The thread and the sockets of the server for OpenSees.
 *
 * OpenSees writes several small messages, with Nagle's algorithm on, and then waits for a reply: unless they are
 * acknowledged at once every step takes 44 ms. Linux forgets TCP_QUICKACK, so it is set again after every read. */
#include "link/opensees_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "run/os_linux.h"

enum { DATAGRAM_ROOM = 65536, MESSAGES_AT_ONCE = 64, DATAGRAMS_AT_ONCE = 1024 };

static const int64_t SECOND = 1000000000;

void ifd_opensees_defaults(ifd_opensees_options *o)
{
    *o = (ifd_opensees_options){
        .host = "127.0.0.1", .port = 8090, .length = 1.0, .force = 1.0, .order = 3, .patience = 300.0, .stall = 5.0};
}

static void set(int fd, int level, int name, int value)
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
    pthread_mutex_unlock(&s->lock);
    p->counted = false;
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
            ifd__os_lost(s, p, "a client went away while it was answered");
            return;
        }
        p->out_at += (size_t)sent;
    }
}

/* A free place; those of clients without an element are taken back last. */
static ifd__os_peer *new_peer(ifd_opensees *s, int fd, const struct sockaddr_in *from)
{
    for (int i = 0; i < IFD__OS_PEERS; i++) {
        ifd__os_peer *p = &s->peer[i];
        if (p->used)
            continue;
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
    ifd__os_refuse(s, NULL, "too many clients at once");
    return NULL;
}

static void accept_client(ifd_opensees *s)
{
    struct sockaddr_in from = {0};
    socklen_t length = sizeof from;
    int fd = accept4(s->listener, (struct sockaddr *)&from, &length, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0)
        return;
    set(fd, IPPROTO_TCP, TCP_NODELAY, 1);
    set(fd, IPPROTO_TCP, TCP_QUICKACK, 1);
    if (!new_peer(s, fd, &from))
        (void)close(fd);
}

/* When the message that is arriving began. */
static void keep_since(ifd__os_peer *p)
{
    if (p->in.have == 0)
        p->since = 0;
    else if (!p->since)
        p->since = ifd__clock_now();
}

static void take_datagram(ifd_opensees *s, ifd__os_peer *p, size_t length)
{
    ifd__osw_bad why = IFD__OSW_BAD_FINE;
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
    set(p->fd, IPPROTO_TCP, TCP_QUICKACK, 1);
    ifd__osw_event event = ifd__osw_reader_took(&p->in, count, &why);
    keep_since(p);
    if (event != IFD__OSW_NOTHING)
        ifd__os_message(s, p, event, why);
}

/* False when nothing has arrived. */
static bool read_some(ifd_opensees *s, ifd__os_peer *p)
{
    ssize_t got = s->o.udp ? recv(p->fd, s->datagram, DATAGRAM_ROOM, 0)
                           : recv(p->fd, p->in.bytes + p->in.have, ifd__osw_reader_room(&p->in), 0);
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        return false;
    if (got > 0)
        (s->o.udp ? take_datagram : take_bytes)(s, p, (size_t)got);
    else if (got < 0 ? errno != EINTR : !s->o.udp)
        ifd__os_lost(s, p, "a client went away without saying good-bye");
    return true;
}

/* One message after the other, and nothing beyond one that has to wait. */
static void read_client(ifd_opensees *s, ifd__os_peer *p)
{
    for (int i = 0; i < MESSAGES_AT_ONCE && p->used && !p->asked && !p->held && p->out_at == p->out_size; i++) {
        if (!read_some(s, p))
            return;
        ifd__os_catch_up(s);
    }
}

static ifd__os_peer *peer_from(ifd_opensees *s, const struct sockaddr_in *from)
{
    for (int i = 0; i < IFD__OS_PEERS; i++)
        if (s->peer[i].used && s->peer[i].from.sin_port == from->sin_port &&
            s->peer[i].from.sin_addr.s_addr == from->sin_addr.s_addr)
            return &s->peer[i];
    return NULL;
}

/* A socket of its own on the same port, connected to one client: the system then gives it that client's datagrams and
 * nobody else's, and what has to wait waits in its own queue. */
static int socket_for(const ifd_opensees *s, const struct sockaddr_in *from)
{
    struct sockaddr_in at = {0};
    socklen_t size = sizeof at;
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd >= 0)
        set(fd, SOL_SOCKET, SO_REUSEADDR, 1);
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

/* Stock OpenSees first sends 'a' and waits for 'b'; OpenFresco and others begin with the header. */
static bool read_datagram(ifd_opensees *s)
{
    struct sockaddr_in from = {0};
    socklen_t size = sizeof from;
    ssize_t got = recvfrom(s->listener, s->datagram, DATAGRAM_ROOM, MSG_DONTWAIT, (struct sockaddr *)&from, &size);
    if (got <= 0)
        return false;
    bool hand = got == 1 && s->datagram[0] == 'a';
    ifd__os_peer *p = peer_from(s, &from);
    if (!p)
        p = admit(s, &from, hand || got == IFD__OSW_HEADER);
    if (p && hand && !p->in.greeted) {
        p->out[0] = 'b';
        p->out_size = 1;
        p->out_at = 0;
        ifd__os_send(s, p);
    } else if (p && (p->asked || p->held)) {
        ifd__os_refuse(s, p, "a client did not wait for its answer");
    } else if (p) {
        take_datagram(s, p, (size_t)got);
    }
    ifd__os_catch_up(s);
    return true;
}

/* All that is there: what a client sent before it had a socket of its own comes before anything that it sent later. */
static void read_datagrams(ifd_opensees *s)
{
    for (int i = 0; i < DATAGRAMS_AT_ONCE && read_datagram(s); i++) {
    }
}

/* OpenSees has no timeouts, so all of them are here. */
static void keep_time(ifd_opensees *s)
{
    int64_t now = ifd__clock_now();
    bool waiting = false, there = false;
    for (int i = 0; i < IFD__OS_PEERS; i++) {
        ifd__os_peer *p = &s->peer[i];
        waiting = waiting || (p->used && (p->asked || p->held));
        there = there || (p->used && p->element >= 0);
        if (p->used && p->since && (double)(now - p->since) > s->o.stall * (double)SECOND)
            ifd__os_lost(s, p, "a client stopped in the middle of a message");
    }
    if (waiting || !there)
        s->heard = now;
    if (!ifd__os_over(s) && (double)(now - s->heard) > s->o.patience * (double)SECOND)
        for (int i = 0; i < IFD__OS_PEERS; i++)
            if (s->peer[i].used && s->peer[i].element >= 0)
                ifd__os_lost(s, &s->peer[i], "the clients have been silent for too long");
}

/* With a clock the tick rings no bell: a waiting answer is looked for, often at first. */
static int64_t nap(const ifd_opensees *s)
{
    int64_t now = ifd__clock_now(), longest = 50000000;
    bool paced = ifd_remote_bell(s->remote) < 0;
    if ((s->pending || (s->last_word != IFD_REMOTE_TARGET && !s->word_said)) && longest > 1000000)
        longest = 1000000;
    for (int i = 0; i < IFD__OS_PEERS; i++) {
        const ifd__os_peer *p = &s->peer[i];
        if (p->used && (p->held || (p->asked && s->fresh)))
            longest = 1000000;
        if (paced && p->used && p->asked)
            return now - p->asked_at < 20000000 ? 50000 : 500000;
    }
    return longest;
}

/* The client that came next after the one with this number; -1 when there is none. */
static int younger(const ifd_opensees *s, uint64_t than)
{
    int next = -1;
    for (int i = 0; i < IFD__OS_PEERS; i++)
        if (s->peer[i].used && s->peer[i].serial > than && (next < 0 || s->peer[i].serial < s->peer[next].serial))
            next = i;
    return next;
}

/* Those who came first are heard first: elements are told apart by the order of their headers. */
static int gather(const ifd_opensees *s, struct pollfd *fds, int *whose)
{
    int n = 0;
    fds[n++] = (struct pollfd){.fd = s->wake, .events = POLLIN};
    fds[n++] = (struct pollfd){.fd = ifd_remote_bell(s->remote), .events = POLLIN};
    fds[n++] = (struct pollfd){.fd = s->listener, .events = POLLIN};
    for (int i = younger(s, 0); i >= 0; i = younger(s, s->peer[i].serial)) {
        const ifd__os_peer *p = &s->peer[i];
        bool sending = p->out_at < p->out_size;
        whose[n] = i;
        fds[n++] = (struct pollfd){.fd = p->fd,
                                   .events = (short)(sending               ? POLLOUT
                                                     : p->asked || p->held ? POLLRDHUP
                                                                           : POLLIN)};
    }
    return n;
}

static void attend(ifd_opensees *s, ifd__os_peer *p, short events)
{
    if (!p->used)
        return;
    if (events & POLLOUT)
        ifd__os_send(s, p);
    if (p->used && (p->asked || p->held) && events & (POLLRDHUP | POLLHUP | POLLERR))
        ifd__os_lost(s, p, "a client went away while it waited for an answer");
    else if (events & (POLLIN | POLLHUP | POLLERR))
        read_client(s, p);
}

static void serve(ifd_opensees *s)
{
    struct pollfd fds[IFD__OS_PEERS + 3];
    int whose[IFD__OS_PEERS + 3] = {0};
    uint64_t rung;
    while (!atomic_load(&s->leave)) {
        int n = gather(s, fds, whose);
        int64_t wait = nap(s);
        (void)ppoll(fds, (nfds_t)n, &(struct timespec){.tv_sec = wait / SECOND, .tv_nsec = wait % SECOND}, NULL);
        for (int i = 0; i < 2; i++) /* bells are silenced before what they announce is looked for */
            if (fds[i].revents & POLLIN && read(fds[i].fd, &rung, sizeof rung) < 0)
                break;
        ifd__os_catch_up(s);
        for (int i = 3; i < n; i++)
            if (fds[i].revents)
                attend(s, &s->peer[whose[i]], fds[i].revents);
        if (fds[2].revents & POLLIN && s->o.udp)
            read_datagrams(s);
        else if (fds[2].revents & POLLIN)
            accept_client(s);
        ifd__os_catch_up(s);
        keep_time(s);
    }
}

static void *thread(void *server)
{
    (void)prctl(PR_SET_TIMERSLACK, 1UL);
    serve(server);
    return NULL;
}

static ifd_status listen_at(ifd_opensees *s, ifd_note *note)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)s->o.port)};
    socklen_t size = sizeof at;
    if (inet_pton(AF_INET, s->o.host, &at.sin_addr) != 1)
        return ifd_note_add(note, IFD_PEER, NULL, "'%s' is no address to listen at: expected one as 127.0.0.1",
                            s->o.host);
    s->listener = socket(AF_INET, (s->o.udp ? SOCK_DGRAM : SOCK_STREAM) | SOCK_CLOEXEC, 0);
    if (s->listener >= 0 && !s->o.udp)
        set(s->listener, SOL_SOCKET, SO_REUSEADDR, 1);
    if (s->listener < 0 || bind(s->listener, (struct sockaddr *)&at, size) != 0 ||
        (!s->o.udp && listen(s->listener, IFD_OPENSEES_ELEMENTS) != 0) ||
        getsockname(s->listener, (struct sockaddr *)&at, &size) != 0)
        return ifd_note_add(note, IFD_PEER, NULL, "port %d of %s cannot be served: %s", s->o.port, s->o.host,
                            strerror(errno));
    if (s->o.udp) /* only now: no other server shares the port, but the sockets of clients may */
        set(s->listener, SOL_SOCKET, SO_REUSEADDR, 1);
    s->port = ntohs(at.sin_port);
    return IFD_OK;
}

static ifd_status check(const ifd_opensees_options *o, ifd_note *note)
{
    if (o->elements < 1 || o->elements > IFD_OPENSEES_ELEMENTS)
        return ifd_note_add(note, IFD_RANGE, NULL, "%d elements: expected 1 to %d", o->elements,
                            IFD_OPENSEES_ELEMENTS);
    for (int e = 0; e < o->elements; e++)
        if (o->element[e].dofs < 1 || o->element[e].dofs > IFD__OSW_DOFS)
            return ifd_note_add(note, IFD_RANGE, NULL, "element %d has %d dofs: expected 1 to %d", e + 1,
                                o->element[e].dofs, IFD__OSW_DOFS);
    if (!(o->length > 0.0 && o->force > 0.0 && o->patience > 0.0 && o->stall > 0.0))
        return ifd_note_add(note, IFD_RANGE, NULL, "units and times of an OpenSees server must be positive");
    return IFD_OK;
}

static ifd_status make_rooms(ifd_opensees *s, ifd_arena *arena)
{
    s->datagram = ifd_arena_take(arena, DATAGRAM_ROOM);
    for (int i = 0; i < IFD__OS_PEERS; i++) {
        s->peer[i].in.bytes = ifd_arena_take(arena, IFD__OSW_ROOM);
        s->peer[i].out = ifd_arena_take(arena, IFD__OSW_ROOM);
        if (!s->peer[i].in.bytes || !s->peer[i].out)
            return IFD_NO_MEMORY;
    }
    return s->datagram ? IFD_OK : IFD_NO_MEMORY;
}

static void close_server(void *server)
{
    ifd_opensees_close(server);
}

static int start(ifd_opensees *s)
{
    sigset_t all, before;
    sigfillset(&all);
    int failed = pthread_sigmask(SIG_SETMASK, &all, &before);
    if (failed)
        return failed;
    failed = pthread_create(&s->thread, NULL, thread, s);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed;
}

ifd_status ifd_opensees_open(ifd_arena *arena, const ifd_opensees_options *o, ifd_remote *remote, ifd_opensees **out,
                             ifd_note *note)
{
    IFD_TRY(check(o, note));
    ifd_opensees *s = ifd_arena_take(arena, sizeof *s);
    if (!s || make_rooms(s, arena) != IFD_OK)
        return IFD_NO_MEMORY;
    s->o = *o;
    s->remote = remote;
    s->listener = s->wake = -1;
    for (int e = 0; e < o->elements; e++)
        s->owner[e] = IFD__OS_NOBODY;
    if (pthread_mutex_init(&s->lock, NULL) != 0)
        return IFD_INTERNAL;
    s->open = true;
    if (!ifd_arena_on_close(arena, close_server, s))
        return IFD_NO_MEMORY;
    IFD_TRY(listen_at(s, note));
    s->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    s->heard = ifd__clock_now();
    int failed = s->wake < 0 ? errno : start(s);
    if (failed)
        return ifd_note_add(note, IFD_NO_MEMORY, NULL, "the server's thread could not be made: %s", strerror(failed));
    s->running = true;
    *out = s;
    return IFD_OK;
}

int ifd_opensees_port(const ifd_opensees *s)
{
    return s->port;
}

void ifd_opensees_look(ifd_opensees *s, ifd_opensees_report *out)
{
    pthread_mutex_lock(&s->lock);
    *out = s->report;
    pthread_mutex_unlock(&s->lock);
}

static void ring(const ifd_opensees *s)
{
    const uint64_t one = 1;
    if (write(s->wake, &one, sizeof one) < 0) {
        /* it rings already */
    }
}

void ifd_opensees_give_up(ifd_opensees *s)
{
    atomic_store(&s->given_up, true);
    ring(s);
}

void ifd_opensees_close(ifd_opensees *s)
{
    if (!s || !s->open)
        return;
    s->open = false;
    if (s->running) {
        atomic_store(&s->leave, true);
        ring(s);
        (void)pthread_join(s->thread, NULL);
    }
    for (int i = 0; i < IFD__OS_PEERS; i++)
        ifd__os_hang_up(s, &s->peer[i]);
    if (s->listener >= 0)
        (void)close(s->listener);
    if (s->wake >= 0)
        (void)close(s->wake);
}
