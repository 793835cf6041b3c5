/* SPDX-License-Identifier: MIT */
/* Frames and datagrams of EtherCAT, and their exchange over a raw socket. */
#include "wire.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { ETHERTYPE = 0x88a4, SHORTEST = 60, MORE = 0x80 };
static const int64_t answer_time = 100000000; /* ns, longest wait for one answer before the cycle */

int64_t ec__now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

void ec__rest(long us)
{
    nanosleep(&(struct timespec){.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000}, NULL);
}

bool ec__fail(ec *m, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(m->error, sizeof m->error, format, args);
    va_end(args);
    return false;
}

uint32_t ec__place(uint16_t device, int offset)
{
    return device | (uint32_t)offset << 16;
}

bool ec__connect(ec *m)
{
    m->socket = m->line->socket;
    if (m->socket >= 0)
        return true;
    m->socket = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, htons(ETHERTYPE));
    if (m->socket < 0 && (errno == EPERM || errno == EACCES))
        return ec__fail(m, "a raw socket is not permitted: the program needs the capability CAP_NET_RAW "
                           "(sudo setcap cap_net_raw+ep PROGRAM), not root");
    if (m->socket < 0)
        return ec__fail(m, "no raw socket: %s", strerror(errno));
    struct sockaddr_ll to = {.sll_family = AF_PACKET,
                             .sll_protocol = htons(ETHERTYPE),
                             .sll_ifindex = (int)if_nametoindex(m->line->interface)};
    if (to.sll_ifindex == 0)
        return ec__fail(m, "there is no network interface '%s'", m->line->interface);
    int on = 1;
    setsockopt(m->socket, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof on);
    setsockopt(m->socket, SOL_PACKET, PACKET_QDISC_BYPASS, &on, sizeof on);
    if (bind(m->socket, (struct sockaddr *)&to, sizeof to) < 0)
        return ec__fail(m, "network interface '%s': %s", m->line->interface, strerror(errno));
    return true;
}

int ec__frame_begin(uint8_t *frame)
{
    static const uint8_t head[14] = {255, 255, 255, 255, 255, 255, 2, 1, 1, 1, 1, 1, ETHERTYPE >> 8, ETHERTYPE & 255};
    int last = 0;
    memset(frame, 0, EC_FRAME);
    memcpy(frame, head, sizeof head);
    return ec__frame_add(frame, &last, EC_FIRST, &(ec_datagram){.command = EC_NOP, .size = 8});
}

int ec__frame_add(uint8_t *frame, int *last, int at, const ec_datagram *d)
{
    if (*last)
        frame[*last + 7] |= MORE;
    *last = at;
    frame[at] = d->command;
    put32(frame + at + 2, d->address);
    put16(frame + at + 6, (uint32_t)d->size);
    return at + EC_HEAD + d->size + EC_TAIL;
}

int ec__frame_end(uint8_t *frame, int bytes)
{
    put16(frame + 14, (uint32_t)(bytes - EC_FIRST) | 0x1000);
    return bytes < SHORTEST ? SHORTEST : bytes;
}

/* A datagram that fills a frame has no place for the number before it; its index has the lowest byte of it. */
static bool alone(const ec_datagram *d)
{
    return EC_SECOND + EC_HEAD + d->size + EC_TAIL > EC_FRAME;
}

static bool answers(const ec *m, const ec_datagram *d, const uint8_t *back, ssize_t n)
{
    const int at = alone(d) ? EC_FIRST : EC_SECOND;
    if (n < at + EC_HEAD + d->size + EC_TAIL || back[at] != d->command)
        return false;
    if (alone(d))
        return back[at + 1] == (uint8_t)m->number && (get16(back + at + 6) & 0x7ff) == (uint32_t)d->size;
    return back[EC_FIRST] == EC_NOP && get64(back + EC_NUMBER) == m->number;
}

/* The answer to the datagram of frame m->number, or -1 at the end of the time. */
static int await(ec *m, const ec_datagram *d)
{
    uint8_t back[EC_FRAME];
    const int at = alone(d) ? EC_FIRST : EC_SECOND;
    for (int64_t end = ec__now() + answer_time, left; (left = end - ec__now()) > 0;) {
        struct pollfd p = {.fd = m->socket, .events = POLLIN};
        if (poll(&p, 1, (int)(left / 1000000) + 1) <= 0)
            continue;
        ssize_t n = recv(m->socket, back, sizeof back, MSG_DONTWAIT);
        if (!answers(m, d, back, n))
            continue;
        memcpy(d->data, back + at + EC_HEAD, (size_t)d->size);
        return get16(back + at + EC_HEAD + d->size);
    }
    return -1;
}

int ec__exchange(ec *m, const ec_datagram *d, int attempts)
{
    for (int attempt = 0; attempt < attempts; attempt++) {
        uint8_t f[EC_FRAME];
        int second = ec__frame_begin(f), at = alone(d) ? EC_FIRST : second, last = alone(d) ? 0 : EC_FIRST;
        int length = ec__frame_end(f, ec__frame_add(f, &last, at, d));
        put64(f + EC_NUMBER, ++m->number);
        if (alone(d))
            f[at + 1] = (uint8_t)m->number;
        memcpy(f + at + EC_HEAD, d->data, (size_t)d->size);
        if (send(m->socket, f, (size_t)length, MSG_NOSIGNAL) != length)
            return -1;
        int counter = await(m, d);
        if (counter >= 0)
            return counter;
    }
    return -1;
}

bool ec__read(ec *m, int device, int offset, void *data, int size)
{
    memset(data, 0, (size_t)size);
    const ec_datagram d = {EC_FPRD, ec__place(m->device[device].address, offset), data, size};
    return ec__exchange(m, &d, 10) == 1;
}

bool ec__write(ec *m, int device, int offset, const void *data, int size)
{
    uint8_t copy[EC_FRAME];
    const ec_datagram d = {EC_FPWR, ec__place(m->device[device].address, offset), copy, size};
    memcpy(copy, data, (size_t)size);
    return ec__exchange(m, &d, 10) == 1;
}

int ec__broadcast(ec *m, int offset, const void *data, int size)
{
    uint8_t copy[256];
    const ec_datagram d = {EC_BWR, ec__place(0, offset), copy, size};
    memcpy(copy, data, (size_t)size);
    return ec__exchange(m, &d, 10);
}
