/* SPDX-License-Identifier: MIT */
/* Admits connections to the live page: how many, from whom, how slowly. */
#include "page_door.h"
#include "app.h"

#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

enum { STACK = 256 * 1024, REQUEST = 16 * 1024 /* bytes of the largest request */, AT_ONCE = 32 };

/* An IPv4 address is stored as its IPv6 equivalent. */
typedef struct client {
    int fd; /* -1: free */
    uint64_t since;
    struct sockaddr_storage address;
    socklen_t length;
    struct in6_addr who;
} client;

struct door {
    struct MHD_Daemon *daemon;
    int listening, events, wake;
    pthread_t thread;
    client waiting[DOOR_WAITING];
    pthread_mutex_t lock; /* of inside, which the server thread changes too */
    struct {
        bool taken;
        struct in6_addr who;
    } inside[DOOR_INSIDE];
    char request[REQUEST];
};

static struct in6_addr who_is(const struct sockaddr *a)
{
    struct in6_addr who = {0};
    if (a->sa_family == AF_INET6)
        return ((const struct sockaddr_in6 *)(const void *)a)->sin6_addr;
    if (a->sa_family == AF_INET) {
        who.s6_addr[10] = who.s6_addr[11] = 0xff;
        memcpy(who.s6_addr + 12, &((const struct sockaddr_in *)(const void *)a)->sin_addr, 4);
    }
    return who;
}

static bool same(const struct in6_addr *a, const struct in6_addr *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

static void turn_away(client *c)
{
    close(c->fd);
    c->fd = -1;
}

/* A free place; otherwise that of the client that has waited longest. */
static client *place_for(door *d)
{
    client *oldest = &d->waiting[0];
    for (int i = 0; i < DOOR_WAITING; i++) {
        if (d->waiting[i].fd < 0)
            return &d->waiting[i];
        if (d->waiting[i].since < oldest->since)
            oldest = &d->waiting[i];
    }
    turn_away(oldest);
    return oldest;
}

/* Reserves a place inside; false: none is free. */
static bool room_for(door *d, const struct in6_addr *who, bool order)
{
    int all = 0, theirs = 0, slot = -1;
    HOLD(&d->lock);
    for (int i = 0; i < DOOR_INSIDE; i++) {
        all += d->inside[i].taken;
        theirs += d->inside[i].taken && same(&d->inside[i].who, who);
        slot = d->inside[i].taken ? slot : i;
    }
    bool room = slot >= 0 && (order || (all < DOOR_INSIDE - DOOR_RESERVED && theirs < DOOR_CLIENT));
    if (room) {
        d->inside[slot].taken = true;
        d->inside[slot].who = *who;
    }
    return room;
}

static void leave(door *d, const struct in6_addr *who)
{
    bool found = false;
    HOLD(&d->lock);
    for (int i = 0; i < DOOR_INSIDE && !found; i++)
        if (d->inside[i].taken && same(&d->inside[i].who, who)) {
            found = true;
            d->inside[i].taken = false;
        }
}

void door_notify(void *cls, struct MHD_Connection *connection, void **context,
                 enum MHD_ConnectionNotificationCode code)
{
    door *d = atomic_load((_Atomic(door *) *)cls);
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    (void)context;
    if (!d || code != MHD_CONNECTION_NOTIFY_CLOSED || !info)
        return;
    struct in6_addr who = who_is(info->client_addr);
    leave(d, &who);
}

static void refuse(client *c, const char *status, const char *text)
{
    char answer[200];
    int n = snprintf(answer, sizeof answer,
                     "HTTP/1.1 %s\r\nConnection: close\r\nContent-Length: %zu\r\nContent-Type: text/plain\r\n\r\n%s",
                     status, strlen(text), text);
    (void)!send(c->fd, answer, (size_t)n, MSG_DONTWAIT | MSG_NOSIGNAL);
    turn_away(c);
}

/* No request has a body here. A request with a body would occupy a place inside while it is refused there. */
static bool announces_body(const char *request)
{
    static const char length[] = "\r\ncontent-length:";
    const char *found = strcasestr(request, length), *value = found ? found + sizeof length - 1 : NULL;
    return strcasestr(request, "\r\ntransfer-encoding:") || (value && strspn(value, " 0") != strcspn(value, "\r"));
}

static void let_in(door *d, client *c)
{
    static const char order[] = "POST /order/";
    if (announces_body(d->request)) {
        refuse(c, "413 Content Too Large", "requests with a body are not accepted\n");
        return;
    }
    if (!room_for(d, &c->who, strncmp(d->request, order, sizeof order - 1) == 0)) {
        refuse(c, "503 Service Unavailable", "too many browsers\n");
        return;
    }
    epoll_ctl(d->events, EPOLL_CTL_DEL, c->fd, NULL);
    if (MHD_add_connection(d->daemon, c->fd, (struct sockaddr *)&c->address, c->length) != MHD_YES)
        leave(d, &c->who); /* it has closed the descriptor */
    c->fd = -1;
}

/* Peeks at the received bytes; the server reads them later. */
static void examine_request(door *d, client *c)
{
    ssize_t n = recv(c->fd, d->request, sizeof d->request - 1, MSG_PEEK | MSG_DONTWAIT);
    if (n == 0 || n >= (ssize_t)sizeof d->request - 1) { /* closed, or longer than any request */
        turn_away(c);
        return;
    }
    if (n < 0)
        return;
    d->request[n] = '\0';
    if (strstr(d->request, "\r\n\r\n") || strlen(d->request) < (size_t)n) /* complete; or not text, and thus not a
                                                                           * request */
        let_in(d, c);
}

static void greet(door *d)
{
    for (int i = 0; i < AT_ONCE; i++) {
        client came = {.length = sizeof came.address, .since = clock_now()};
        came.fd = accept4(d->listening, (struct sockaddr *)&came.address, &came.length, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (came.fd < 0)
            return;
        came.who = who_is((struct sockaddr *)&came.address);
        client *c = place_for(d);
        *c = came;
        /* Edge-triggered: unread bytes cause no further event. */
        struct epoll_event wanted = {.events = EPOLLIN | EPOLLRDHUP | EPOLLET, .data.ptr = c};
        if (epoll_ctl(d->events, EPOLL_CTL_ADD, c->fd, &wanted) != 0)
            turn_away(c);
    }
}

static void *keep(void *self)
{
    door *d = self;
    for (;;) {
        struct epoll_event event[AT_ONCE];
        int n = epoll_wait(d->events, event, AT_ONCE, 250);
        bool came = false;
        for (int i = 0; i < n; i++) {
            client *c = event[i].data.ptr;
            if (event[i].data.ptr == &d->wake)
                return NULL;
            if (event[i].data.ptr == d)
                came = true;
            else if (c->fd >= 0)
                examine_request(d, c);
        }
        if (came) /* last: a place reassigned above must not receive the event of another client */
            greet(d);
        uint64_t now = clock_now();
        for (int i = 0; i < DOOR_WAITING; i++)
            if (d->waiting[i].fd >= 0 && now - d->waiting[i].since > DOOR_HEADER_TIME * 1000000000ull)
                turn_away(&d->waiting[i]);
    }
}

static bool watch(door *d)
{
    struct epoll_event coming = {.events = EPOLLIN, .data.ptr = d}, closing = {.events = EPOLLIN};
    closing.data.ptr = &d->wake;
    d->events = epoll_create1(EPOLL_CLOEXEC);
    d->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return d->events >= 0 && d->wake >= 0 && epoll_ctl(d->events, EPOLL_CTL_ADD, d->listening, &coming) == 0 &&
           epoll_ctl(d->events, EPOLL_CTL_ADD, d->wake, &closing) == 0;
}

static bool begin(door *d)
{
    pthread_attr_t how;
    sigset_t all, before;
    sigfillset(&all);
    pthread_attr_init(&how);
    pthread_attr_setstacksize(&how, STACK);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* the thread of the test handles signals */
    bool good = watch(d) && pthread_create(&d->thread, &how, keep, d) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&how);
    return good;
}

static void drop(door *d)
{
    if (d->events >= 0)
        close(d->events);
    if (d->wake >= 0)
        close(d->wake);
    pthread_mutex_destroy(&d->lock);
    free(d);
}

door *door_open(struct MHD_Daemon *daemon, int listening)
{
    door *d = calloc(1, sizeof *d);
    if (!d)
        return NULL;
    d->daemon = daemon;
    d->listening = listening;
    d->events = d->wake = -1;
    pthread_mutex_init(&d->lock, NULL);
    for (int i = 0; i < DOOR_WAITING; i++)
        d->waiting[i].fd = -1;
    if (begin(d))
        return d;
    drop(d);
    return NULL;
}

void door_shut(door *d)
{
    if (!d)
        return;
    (void)!write(d->wake, &(uint64_t){1}, sizeof(uint64_t));
    pthread_join(d->thread, NULL);
    for (int i = 0; i < DOOR_WAITING; i++)
        if (d->waiting[i].fd >= 0)
            turn_away(&d->waiting[i]);
    close(d->listening);
}

void door_close(door *d)
{
    if (d)
        drop(d);
}
