/* SPDX-License-Identifier: MIT */
/* The thread of the server for OpenSees, and its timeouts. */
#include "opensees/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/os_linux.h"

/* The sockets of the server for OpenSees.
 *
 * OpenSees writes several small messages with Nagle's algorithm active and then waits for a reply. Without immediate
 * acknowledgement every step takes 44 ms. Linux resets TCP_QUICKACK, so it is set after every read. */

enum { MESSAGES_AT_ONCE = 64, DATAGRAMS_AT_ONCE = 1024 };

static void os_set(int fd, int level, int name, int value)
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
    s->report.connected -= p->counted;
    s->report.dismissed -= p->dismissed;
    p->counted = p->dismissed = false;
}

/* A probe cannot be sent, because genericClient takes any datagram, even an empty one, as its answer. Two sockets of
 * this machine cannot bind one port: if binding succeeds, the client has gone. */
static ifd__os_sign os_port(const ifd__os_peer *p)
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

static int os_younger(const ifd_opensees *s, uint64_t than)
{
    int next = -1;
    for (int i = 0; i < IFD__OS_PEERS; i++)
        if (s->peer[i].used && s->peer[i].serial > than && (next < 0 || s->peer[i].serial < s->peer[next].serial))
            next = i;
    return next;
}

/* A free place. If there is none, the oldest client without a header is removed, so that clients that only connect
 * do not exclude others. */
static ifd__os_peer *place_for_one(ifd_opensees *s)
{
    for (int i = 0; i < IFD__OS_PEERS; i++)
        if (!s->peer[i].used)
            return &s->peer[i];
    int oldest = os_younger(s, 0);
    while (oldest >= 0 && s->peer[oldest].element >= 0)
        oldest = os_younger(s, s->peer[oldest].serial);
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
    os_set(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
    os_set(fd, IPPROTO_TCP, TCP_KEEPIDLE, third);
    os_set(fd, IPPROTO_TCP, TCP_KEEPINTVL, sixth);
    os_set(fd, IPPROTO_TCP, TCP_KEEPCNT, 3);
}

static void os_accept(ifd_opensees *s)
{
    struct sockaddr_in from = {0};
    socklen_t length = sizeof from;
    int fd = accept4(s->listener, (struct sockaddr *)&from, &length, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0)
        return;
    os_set(fd, IPPROTO_TCP, TCP_NODELAY, 1);
    os_set(fd, IPPROTO_TCP, TCP_QUICKACK, 1);
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
    os_set(p->fd, IPPROTO_TCP, TCP_QUICKACK, 1);
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
static void os_read_client(ifd_opensees *s, ifd__os_peer *p)
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
        os_set(fd, SOL_SOCKET, SO_REUSEADDR, 1);
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
    s->report.strays += !welcome;
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
    for (int i = os_younger(s, 0); i >= 0; i = os_younger(s, s->peer[i].serial))
        if (!s->peer[i].in.greeted)
            os_read_client(s, &s->peer[i]);
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
static void os_read_datagrams(ifd_opensees *s)
{
    for (int i = 0; i < DATAGRAMS_AT_ONCE && read_datagram(s); i++) {
    }
}

static const int64_t SECOND = 1000000000;

void ifd_opensees_defaults(ifd_opensees_options *o)
{
    *o = (ifd_opensees_options){
        .host = "127.0.0.1", .port = 8090, .length = 1.0, .force = 1.0, .order = 3, .patience = 300.0, .stall = 5.0};
}

/* Interval of checks of the ports of UDP clients. */
static const int64_t PROBING = 500000000; /* ns */

/* With TCP the system reports that a client has gone. With UDP, a client on this machine is present while it has its
 * port. A client on another machine counts as lost if it has waited for an answer for longer than the patience. */
static void look_at_ports(ifd_opensees *s, int64_t now)
{
    if (!s->o.udp || now - s->probed < PROBING)
        return;
    s->probed = now;
    s->doubtful = false;
    for (int i = 0; i < IFD__OS_PEERS; i++) {
        ifd__os_peer *p = &s->peer[i];
        ifd__os_sign sign = p->used ? os_port(p) : IFD__OS_ALIVE;
        s->doubtful = s->doubtful || (sign == IFD__OS_UNKNOWN && p->element >= 0);
        if (sign == IFD__OS_GONE)
            ifd__os_lost(s, p, "the UDP port of a client is closed: the script ended without a closing message");
    }
}

/* OpenSees has no timeouts, so the server implements all of them. */
static void keep_time(ifd_opensees *s)
{
    int64_t now = ifd__clock_now();
    bool waiting = false, there = false;
    look_at_ports(s, now);
    for (int i = 0; i < IFD__OS_PEERS; i++) {
        ifd__os_peer *p = &s->peer[i];
        waiting = waiting || (p->used && (p->asked || p->held) && !s->doubtful);
        there = there || (p->used && p->element >= 0);
        if (p->used && p->since && (double)(now - p->since) > s->o.stall * (double)SECOND)
            ifd__os_lost(s, p, "a client stopped in the middle of a message");
    }
    bool runs = s->measured.number > 0 || s->measured.over; /* before that the script waits for the order run */
    if (waiting || !there || s->target.number < 2 || !runs)
        s->heard = now;
    if ((double)(now - s->heard) <= s->o.patience * (double)SECOND)
        return;
    for (int i = 0; i < IFD__OS_PEERS && s->silent; i++) /* start a new period of patience */
        if (s->peer[i].used && s->peer[i].element >= 0)
            ifd__os_hang_up(s, &s->peer[i]);
    if (!ifd__os_over(s)) { /* the test ends, but connections stay open because a client may send again */
        ifd__os_say(s, IFD_REMOTE_LOST, (double[]){0.0, 0.0},
                    "the clients have been silent for longer than 'patience'");
        s->silent = true;
    }
    s->heard = now;
}

/* With a clock the tick does not wake this thread: it checks for a waiting answer, frequently at first. */
static int64_t nap(const ifd_opensees *s)
{
    int64_t now = ifd__clock_now(), longest = 50000000;
    bool paced = ifd_remote_bell(s->remote) < 0;
    if ((s->pending || (s->last_word != IFD_REMOTE_TARGET && !s->word_said)) && longest > 1000000)
        longest = 1000000;
    for (int i = 0; i < IFD__OS_PEERS; i++) {
        const ifd__os_peer *p = &s->peer[i];
        if (p->used && p->asked && !ifd__os_all_heard(s, p))
            return 0;
        if (p->used && (p->held || p->asked))
            longest = 1000000;
        if (paced && p->used && p->asked)
            return now - p->asked_at < 20000000 ? 50000 : 500000;
    }
    return longest;
}

/* Clients are read in the order of their arrival: the order of headers identifies elements. */
static int gather(const ifd_opensees *s, struct pollfd *fds, int *whose)
{
    int n = 0;
    fds[n++] = (struct pollfd){.fd = s->wake, .events = POLLIN};
    fds[n++] = (struct pollfd){.fd = ifd_remote_bell(s->remote), .events = POLLIN};
    fds[n++] = (struct pollfd){.fd = s->listener, .events = POLLIN};
    for (int i = os_younger(s, 0); i >= 0; i = os_younger(s, s->peer[i].serial)) {
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
        ifd__os_lost(s, p, "a client disconnected while it waited for an answer");
    else if (events & (POLLIN | POLLHUP | POLLERR))
        os_read_client(s, p);
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
        for (int i = 0; i < 2; i++) /* wake-up events are cleared before their cause is examined */
            if (fds[i].revents & POLLIN && read(fds[i].fd, &rung, sizeof rung) < 0)
                break;
        ifd__os_catch_up(s);
        for (int i = 3; i < n; i++)
            if (fds[i].revents)
                attend(s, &s->peer[whose[i]], fds[i].revents);
        if (fds[2].revents & POLLIN && s->o.udp)
            os_read_datagrams(s);
        else if (fds[2].revents & POLLIN)
            os_accept(s);
        s->turn++;
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
        return ifd_note_add(note, IFD_PEER, NULL,
                            "'%s' is not a valid address to listen at, expected an address such as 127.0.0.1",
                            s->o.host);
    s->listener = socket(AF_INET, (s->o.udp ? SOCK_DGRAM : SOCK_STREAM) | SOCK_CLOEXEC, 0);
    if (s->listener >= 0 && !s->o.udp)
        os_set(s->listener, SOL_SOCKET, SO_REUSEADDR, 1);
    if (s->listener < 0 || bind(s->listener, (struct sockaddr *)&at, size) != 0 ||
        (!s->o.udp && listen(s->listener, SOMAXCONN) != 0) ||
        getsockname(s->listener, (struct sockaddr *)&at, &size) != 0)
        return ifd_note_advise(note, IFD_PEER, NULL,
                               "use another port: --port N, and the same in the script; 0 takes any free port",
                               "port %d of %s cannot be opened: %s", s->o.port, s->o.host, strerror(errno));
    if (s->o.udp) /* only now: no other server shares the port, but the sockets of clients may */
        os_set(s->listener, SOL_SOCKET, SO_REUSEADDR, 1);
    s->port = ntohs(at.sin_port);
    return IFD_OK;
}

static ifd_status check(const ifd_opensees_options *o, ifd_note *note)
{
    if (o->elements < 1 || o->elements > IFD_OPENSEES_ELEMENTS)
        return ifd_note_add(note, IFD_RANGE, NULL, "the case has %d elements, expected 1 to %d", o->elements,
                            IFD_OPENSEES_ELEMENTS);
    for (int e = 0; e < o->elements; e++)
        if (o->element[e].dofs < 1 || o->element[e].dofs > IFD__OSW_DOFS)
            return ifd_note_add(note, IFD_RANGE, NULL, "element %d has %d dofs, expected 1 to %d", e + 1,
                                o->element[e].dofs, IFD__OSW_DOFS);
    if (!(o->length > 0.0 && o->force > 0.0 && o->patience > 0.0 && o->stall > 0.0))
        return ifd_note_add(note, IFD_RANGE, NULL, "units and times of an OpenSees server must be positive");
    return IFD_OK;
}

static ifd_status make_rooms(ifd_opensees *s, ifd_arena *arena)
{
    for (int i = 0; i < IFD__OS_PEERS; i++)
        IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(s->peer[i].in.bytes, IFD__OSW_ROOM),
                          IFD__ARRAY(s->peer[i].out, IFD__OSW_ROOM)));
    return IFD__TAKE(arena, IFD__ARRAY(s->datagram, IFD__OS_DATAGRAM_ROOM));
}

static void close_server(void *server)
{
    ifd_opensees_close(server);
}

ifd_status ifd_opensees_open(ifd_arena *arena, const ifd_opensees_options *o, ifd_remote *remote, ifd_opensees **out,
                             ifd_note *note)
{
    IFD_TRY(check(o, note));
    ifd_opensees *s;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(s, 1)));
    IFD_TRY(make_rooms(s, arena));
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
    int failed = s->wake < 0 ? errno : ifd__thread_start(&s->thread, thread, s);
    if (failed)
        return ifd_note_add(note, IFD_NO_MEMORY, NULL, "the thread of the server could not be started: %s",
                            strerror(failed));
    s->running = true;
    *out = s;
    return IFD_OK;
}

int ifd_opensees_port(const ifd_opensees *s)
{
    return s->port;
}

void ifd_opensees_report_now(ifd_opensees *s, ifd_opensees_report *out)
{
    pthread_mutex_lock(&s->lock);
    *out = s->published;
    pthread_mutex_unlock(&s->lock);
}

static void ring(const ifd_opensees *s)
{
    const uint64_t one = 1;
    if (write(s->wake, &one, sizeof one) < 0) {
        /* already signalled */
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
    ifd__os_publish(s);
    if (s->listener >= 0)
        (void)close(s->listener);
    if (s->wake >= 0)
        (void)close(s->wake);
}
