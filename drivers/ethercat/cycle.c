/* SPDX-License-Identifier: MIT */
/* The cyclic frame. It has the same form in every cycle, but for the last datagram (a request of a state); the
 * contents of an answer are found by their places. */
#include <string.h>
#include <sys/socket.h>

#include "wire.h"

enum { WINDOW = 64, TAKE = 64 }; /* frames that are remembered; frames taken in one call */

bool ec__cycle_begin(ec *m)
{
    uint8_t *f = m->frame;
    int at = ec__frame_begin(f), last = EC_FIRST, size = m->bytes[0] + m->bytes[1];
    uint16_t reference = m->reference < 0 ? 0 : m->device[m->reference].address;
    m->at.process = at;
    at = ec__frame_add(f, &last, at, &(ec_datagram){.command = EC_LRW, .size = size});
    if (m->reference >= 0 && m->line->steer) {
        m->at.steer = at;
        const ec_datagram d = {.command = EC_FPWR, .address = ec__place(reference, EC_REG_TIME), .size = 4};
        at = ec__frame_add(f, &last, at, &d);
    }
    if (m->reference >= 0) {
        m->at.clock = at;
        const ec_datagram d = {.command = EC_FRMW, .address = ec__place(reference, EC_REG_TIME), .size = 8};
        at = ec__frame_add(f, &last, at, &d);
    }
    m->at.states = at;
    at = ec__frame_add(f, &last, at,
                       &(ec_datagram){.command = EC_BRD, .address = ec__place(0, EC_REG_STATUS), .size = 6});
    m->at.request = at;
    at = ec__frame_add(f, &last, at,
                       &(ec_datagram){.command = EC_BWR, .address = ec__place(0, EC_REG_CONTROL), .size = 2});
    m->at.end = at;
    memset(&m->counts, 0, sizeof m->counts);
    m->pending = 0;
    return at <= EC_FRAME || ec__fail(m, "%d bytes of process data do not fit into one frame", size);
}

bool ec_send(ec *m)
{
    uint8_t *f = m->frame;
    m->counts.never += m->pending >> (WINDOW - 1);
    m->pending <<= 1;
    m->number++;
    put64(f + EC_NUMBER, m->number);
    memcpy(f + m->at.process + EC_HEAD, m->image, (size_t)m->bytes[0]);
    f[m->at.request] = m->request ? EC_BWR : EC_NOP; /* without a request its datagram does nothing */
    put16(f + m->at.request + EC_HEAD, m->request);
    m->sent_at = ec__now();
    if (m->at.steer)
        put32(f + m->at.steer + EC_HEAD, (uint32_t)m->sent_at);
    int length = ec__frame_end(f, m->at.end);
    if (send(m->socket, f, (size_t)length, MSG_DONTWAIT | MSG_NOSIGNAL) != length) {
        m->counts.not_sent++;
        return false;
    }
    m->pending |= 1;
    m->counts.sent++;
    return true;
}

/* Whether these bytes are a cyclic frame of this master; its age in frames. */
static bool ours(const ec *m, const uint8_t *b, long length, uint64_t *age)
{
    if (length < m->at.end || b[EC_FIRST] != EC_NOP || b[m->at.process] != EC_LRW ||
        memcmp(b + m->at.process + 6, m->frame + m->at.process + 6, 2) != 0)
        return false;
    *age = m->number - get64(b + EC_NUMBER);
    return *age < WINDOW && m->pending >> *age & 1;
}

static ec_answer take(ec *m, const uint8_t *b)
{
    const uint8_t *process = b + m->at.process + EC_HEAD, *states = b + m->at.states + EC_HEAD;
    m->counts.in_time++;
    m->counter = get16(process + m->bytes[0] + m->bytes[1]);
    bool all = get16(states + 6) == m->devices;
    m->states = states[0] & 0x1f;
    m->status_code = get16(states + 4);
    m->clock = m->at.clock ? (int64_t)get64(b + m->at.clock + EC_HEAD) : m->sent_at;
    bool steered = !m->at.steer || get16(b + m->at.steer + EC_HEAD + 4) == 1;
    if (m->counter != m->expected || !all || !steered) {
        m->counts.shortage++;
        return EC_SHORT;
    }
    memcpy(m->image + m->bytes[0], process + m->bytes[0], (size_t)m->bytes[1]);
    return EC_WHOLE;
}

ec_answer ec_receive(ec *m)
{
    uint8_t b[EC_FRAME];
    ec_answer answer = EC_NONE;
    for (int k = 0; k < TAKE; k++) {
        uint64_t age;
        ssize_t n = recv(m->socket, b, sizeof b, MSG_DONTWAIT);
        if (n <= 0)
            break;
        if (!ours(m, b, n, &age)) {
            m->counts.foreign++;
            continue;
        }
        m->pending &= ~(UINT64_C(1) << age);
        if (age > 0)
            m->counts.late++;
        else
            answer = take(m, b);
    }
    return answer;
}

const ec_entry *ec_find(const ec *m, int device, uint16_t index, uint8_t sub, bool input)
{
    if (device < 0 || device >= m->devices)
        return NULL;
    const ec_device *d = &m->device[device];
    for (int e = 0; e < d->entries; e++)
        if (d->entry[e].index == index && d->entry[e].sub == sub && d->entry[e].input == input)
            return &d->entry[e];
    return NULL;
}

int64_t ec_get(const ec *m, const ec_entry *e)
{
    uint64_t v = 0;
    for (int k = 0; k < e->bits; k++)
        v |= (uint64_t)(m->image[(e->bit + k) / 8] >> (e->bit + k) % 8 & 1) << k;
    bool negative = e->bits > 1 && e->bits < 64 && v >> (e->bits - 1) & 1;
    return (int64_t)(negative ? v | ~UINT64_C(0) << e->bits : v);
}

void ec_put(ec *m, const ec_entry *e, int64_t value)
{
    for (int k = 0; k < e->bits; k++) {
        uint8_t *p = &m->image[(e->bit + k) / 8], bit = (uint8_t)(1 << (e->bit + k) % 8);
        *p = (uint8_t)((uint64_t)value >> k & 1 ? *p | bit : *p & ~bit);
    }
}
