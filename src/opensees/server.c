/* SPDX-License-Identifier: MIT */
/* The thread of the server for OpenSees, and its timeouts. */
#include "opensees/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/os_linux.h"

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
        ifd__os_sign sign = p->used ? ifd__os_port(p) : IFD__OS_ALIVE;
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
    for (int i = ifd__os_younger(s, 0); i >= 0; i = ifd__os_younger(s, s->peer[i].serial)) {
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
        ifd__os_read_client(s, p);
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
            ifd__os_read_datagrams(s);
        else if (fds[2].revents & POLLIN)
            ifd__os_accept(s);
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
        ifd__os_set(s->listener, SOL_SOCKET, SO_REUSEADDR, 1);
    if (s->listener < 0 || bind(s->listener, (struct sockaddr *)&at, size) != 0 ||
        (!s->o.udp && listen(s->listener, SOMAXCONN) != 0) ||
        getsockname(s->listener, (struct sockaddr *)&at, &size) != 0) {
        ifd_note_add(note, IFD_PEER, NULL, "port %d of %s cannot be opened: %s", s->o.port, s->o.host,
                     strerror(errno));
        ifd_note_hint(note, "use another port: --port N, and the same in the script; 0 takes any free port");
        return IFD_PEER;
    }
    if (s->o.udp) /* only now: no other server shares the port, but the sockets of clients may */
        ifd__os_set(s->listener, SOL_SOCKET, SO_REUSEADDR, 1);
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
    *out = s->report;
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
    if (s->listener >= 0)
        (void)close(s->listener);
    if (s->wake >= 0)
        (void)close(s->wake);
}
