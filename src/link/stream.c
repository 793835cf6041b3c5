/* SPDX-License-Identifier: MIT */
/* Numbers messages and checks their order. */
#include "link/stream.h"

#include "base/os_linux.h"
#include "link/auth.h"

enum { WINDOW = 64, MOST_DAMAGED = 64 };

void ifd__stream_begin(ifd__stream *s, uint64_t session)
{
    s->session = session;
    s->sent = s->newest = s->window = 0;
    s->stamp = 0;
    s->version = 0;
    s->count = (ifd_link_counts){0};
}

void ifd__stream_send(ifd__stream *s, ifd__message *m, ifd__to to)
{
    uint8_t bytes[IFD__WIRE_SIZE];
    m->session = s->session;
    m->sequence = ++s->sent;
    m->stamp = ifd__clock_now();
    m->echo = s->stamp;
    ifd__wire_encode(m, bytes);
    if (s->port->ops->send(s->port, bytes, to))
        s->count.sent++;
    else
        s->count.unsent++;
}

/* A flood of invalid messages must not delay a tick: the remainder waits for the next one. */
bool ifd__stream_next(ifd__stream *s, ifd__message *m)
{
    uint8_t bytes[IFD__WIRE_SIZE];
    for (int i = 0; i < MOST_DAMAGED; i++) {
        size_t length = s->port->ops->receive(s->port, bytes);
        if (length == 0)
            return false;
        ifd__wire_fault fault = ifd__wire_decode(bytes, length, m);
        if (fault == IFD__WIRE_IS_OK)
            return true;
        s->count.damaged++;
        bool sealed = s->port->seal && length == IFD__AUTH_REFUSED;
        ifd__refusal_note(&s->refused, sealed ? IFD__WIRE_IS_SEAL : fault, bytes, length, 0);
        if (fault == IFD__WIRE_IS_VERSION) {
            s->version = ifd__wire_version(bytes, length);
            return false; /* the caller can answer its sender */
        }
    }
    return false;
}

/* An older message: already received, or one of the missing ones. */
static void older(ifd__stream *s, uint64_t by)
{
    uint64_t bit = by < WINDOW ? (uint64_t)1 << by : 0;
    if (s->window & bit) {
        s->count.doubled++;
        return;
    }
    s->window |= bit;
    s->count.overtaken++;
    if (bit && s->count.lost > 0)
        s->count.lost--;
}

bool ifd__stream_newer(ifd__stream *s, const ifd__message *m)
{
    s->count.heard++;
    if (m->sequence <= s->newest) {
        older(s, s->newest - m->sequence);
        return false;
    }
    uint64_t ahead = m->sequence - s->newest;
    s->count.lost += ahead - 1;
    s->window = (ahead < WINDOW ? s->window << ahead : 0) | 1u;
    s->newest = m->sequence;
    s->stamp = m->stamp;
    if (m->echo > 0)
        s->count.round_trip = 1e-9 * (double)(ifd__clock_now() - m->echo);
    return true;
}
