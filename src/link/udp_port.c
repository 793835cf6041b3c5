/* SPDX-License-Identifier: MIT */
/* A port of the rig link over UDP. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "link/port.h"
#include "link/auth.h"
#include "base/os_linux.h"

typedef struct udp_port {
    ifd__port base;
    int socket;
    bool connected; /* a client: the kernel drops messages of others */
    struct sockaddr_in peer, sender;
} udp_port;

static bool send_all(udp_port *p, const uint8_t *bytes, size_t length, ifd__to to)
{
    const struct sockaddr_in *address = to == IFD__TO_PEER ? &p->peer : &p->sender;
    if (p->connected)
        return send(p->socket, bytes, length, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)length;
    if (address->sin_family != AF_INET)
        return false;
    return sendto(p->socket, bytes, length, MSG_DONTWAIT | MSG_NOSIGNAL, (const struct sockaddr *)address,
                  sizeof *address) == (ssize_t)length;
}

static bool send_bytes(ifd__port *base, const uint8_t bytes[IFD__WIRE_SIZE], ifd__to to)
{
    udp_port *p = (udp_port *)base;
    uint8_t sealed[IFD__AUTH_SIZE];
    if (!base->seal || base->plain) {
        base->plain = false;
        return send_all(p, bytes, IFD__WIRE_SIZE, to);
    }
    memcpy(sealed, bytes, IFD__WIRE_SIZE);
    ifd__auth_put(base->seal, sealed, to == IFD__TO_PEER);
    return send_all(p, sealed, IFD__AUTH_SIZE, to);
}

/* Removes the seal of a datagram: returns the length, or one that no message has. */
static size_t unseal(udp_port *p, const uint8_t sealed[IFD__AUTH_SIZE], size_t length, uint8_t bytes[IFD__WIRE_SIZE])
{
    memcpy(bytes, sealed, IFD__WIRE_SIZE);
    if (!p->base.seal) {
        p->base.stranger = length == IFD__AUTH_SIZE;
        return length;
    }
    if (ifd__auth_check(p->base.seal, sealed, length))
        return IFD__WIRE_SIZE;
    p->base.stranger = length == IFD__AUTH_SIZE || length == IFD__WIRE_SIZE;
    return IFD__AUTH_REFUSED;
}

/* A client without a server receives ECONNREFUSED for an earlier message; another message can still follow. */
static size_t receive_bytes(ifd__port *base, uint8_t bytes[IFD__WIRE_SIZE])
{
    udp_port *p = (udp_port *)base;
    for (int tries = 0; tries < 4; tries++) {
        socklen_t size = sizeof p->sender;
        uint8_t sealed[IFD__AUTH_SIZE] = {0};
        ssize_t length = recvfrom(p->socket, sealed, sizeof sealed, MSG_DONTWAIT | MSG_TRUNC,
                                  (struct sockaddr *)&p->sender, &size);
        if (length > 0)
            return unseal(p, sealed, (size_t)length, bytes);
        if (length < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return 0;
    }
    return 0;
}

static void wait_bytes(ifd__port *base, int64_t until)
{
    udp_port *p = (udp_port *)base;
    int64_t left = until - ifd__clock_now();
    if (left <= 0)
        return;
    struct timespec most = {.tv_sec = (time_t)(left / 1000000000), .tv_nsec = (long)(left % 1000000000)};
    (void)ppoll(&(struct pollfd){.fd = p->socket, .events = POLLIN}, 1, &most, NULL);
}

static void adopt(ifd__port *base)
{
    udp_port *p = (udp_port *)base;
    p->peer = p->sender;
}

static void close_socket(ifd__port *base)
{
    (void)close(((udp_port *)base)->socket);
}

static const ifd__port_ops udp_ops = {
    .send = send_bytes, .receive = receive_bytes, .wait = wait_bytes, .adopt = adopt, .close = close_socket};

void ifd__port_close(ifd__port *p)
{
    if (!p || !p->open)
        return;
    p->open = false;
    p->ops->close(p);
}

static void close_at_last(void *port)
{
    ifd__port_close(port);
}

ifd_status ifd__port_keep(ifd__port *p, ifd_arena *arena)
{
    p->open = true;
    if (ifd_arena_on_close(arena, close_at_last, p))
        return IFD_OK;
    ifd__port_close(p);
    return IFD_NO_MEMORY;
}

/* Numeric addresses only: a name lookup can take seconds and another machine. */
static ifd_status address_of(const char *host, int port, struct sockaddr_in *out, ifd_note *note)
{
    *out = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    if (port < 0 || port > 65535)
        return ifd_note_add(note, IFD_RANGE, NULL, "the port is %d, expected 1 to 65535", port);
    if (inet_pton(AF_INET, strcmp(host, "localhost") == 0 ? "127.0.0.1" : host, &out->sin_addr) == 1)
        return IFD_OK;
    return ifd_note_add(note, IFD_RANGE, NULL, "host '%s' is not an address, expected one such as 192.168.0.7", host);
}

static ifd_status make(ifd_arena *arena, udp_port **out, ifd_note *note)
{
    udp_port *p;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(p, 1)));
    p->base.ops = &udp_ops;
    p->socket = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (p->socket < 0)
        return ifd_note_add(note, IFD_PEER, NULL, "a socket cannot be opened: %s", strerror(errno));
    *out = p;
    return ifd__port_keep(&p->base, arena);
}

ifd_status ifd__udp_serve(ifd_arena *arena, const char *host, int port, int *chosen, ifd__port **out, ifd_note *note)
{
    struct sockaddr_in address;
    udp_port *p;
    IFD_TRY(address_of(host, port, &address, note));
    IFD_TRY(make(arena, &p, note));
    socklen_t size = sizeof address;
    if (bind(p->socket, (struct sockaddr *)&address, size) != 0 ||
        getsockname(p->socket, (struct sockaddr *)&address, &size) != 0) {
        ifd_note_add(note, IFD_PEER, NULL, "port %d of %s cannot be served: %s", port, host, strerror(errno));
        ifd__port_close(&p->base);
        return IFD_PEER;
    }
    *chosen = ntohs(address.sin_port);
    *out = &p->base;
    return IFD_OK;
}

ifd_status ifd__udp_connect(ifd_arena *arena, const char *host, int port, int local_port, ifd__port **out,
                            ifd_note *note)
{
    struct sockaddr_in address, own = {.sin_family = AF_INET, .sin_port = htons((uint16_t)local_port)};
    udp_port *p;
    IFD_TRY(address_of(host, port, &address, note));
    IFD_TRY(make(arena, &p, note));
    p->connected = true;
    p->base.name = ifd_arena_print(arena, "%s:%d", host, port);
    if (local_port && bind(p->socket, (struct sockaddr *)&own, sizeof own) != 0)
        ifd_note_add(note, IFD_PEER, NULL, "local port %d cannot be used: %s", local_port, strerror(errno));
    else if (connect(p->socket, (struct sockaddr *)&address, sizeof address) != 0)
        ifd_note_add(note, IFD_PEER, NULL, "port %d of %s cannot be reached: %s", port, host, strerror(errno));
    else {
        *out = &p->base;
        return IFD_OK;
    }
    ifd__port_close(&p->base);
    return IFD_PEER;
}
