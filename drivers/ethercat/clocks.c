/* SPDX-License-Identifier: MIT */
/* Distributed clocks of a line. A broadcast to 0x0900 makes every device latch its local time when the frame passes
 * its ports. The span between two ports is the way of the frame behind the device and back: the delay from the
 * reference to device i is half of (span of the reference - span of i). The offset turns the local time of the latch
 * into the time of this machine, the same instant for all. */
#include <math.h>

#include "wire.h"

enum { CLOSE = 1000, DISTRIBUTIONS = 200 }; /* ns; frames with the time between two readings of the difference */
enum { LATCHES = 10, MOST_LATCHES = 200 };  /* to learn how short one is; in all */

static bool set_offset(ec *m, int i, int64_t latched_at, int64_t delay)
{
    uint8_t b[8];
    if (!ec__read(m, i, EC_REG_LOCAL_TIME, b, 8))
        return false;
    put64(b, (uint64_t)(latched_at + delay) - get64(b));
    bool done = ec__write(m, i, EC_REG_OFFSET, b, 8);
    put32(b, (uint32_t)delay);
    return done && ec__write(m, i, EC_REG_DELAY, b, 4);
}

/* All devices latch their local time; the instant is known within half of the exchange. One that the machine
 * interrupts would set the clocks off by up to that, which they leave slowly: it is repeated until it is short. */
static bool latch(ec *m, int64_t *at)
{
    int64_t shortest = INT64_MAX, took = 0;
    for (int k = 0; k < MOST_LATCHES && (k <= LATCHES || took > shortest + shortest / 4); k++) {
        uint8_t b[4] = {0};
        int64_t before = ec__now();
        if (ec__broadcast(m, EC_REG_PORT_TIMES, b, 4) != m->devices)
            return false;
        took = ec__now() - before;
        *at = before + took / 2;
        shortest = took < shortest ? took : shortest;
    }
    return true;
}

/* Spans of all devices from the latch, then their offsets and delays. */
static bool measure(ec *m)
{
    uint8_t b[16] = {0}, restart[2] = {0, 0x10};
    ec__broadcast(m, EC_REG_SPEED, restart, 2); /* the filters of the drift restart */
    int64_t span[EC_DEVICES] = {0}, latched_at;
    if (!latch(m, &latched_at))
        return false;
    for (int i = 0; i < m->devices; i++) {
        if (!m->device[i].clock)
            continue;
        if (!ec__read(m, i, EC_REG_PORT_TIMES, b, 16))
            return false;
        span[i] = i + 1 < m->devices ? (int32_t)(get32(b + 4) - get32(b)) : 0;
    }
    for (int i = 0; i < m->devices; i++)
        if (m->device[i].clock && !set_offset(m, i, latched_at, (span[m->reference] - span[i]) / 2))
            return false;
    return true;
}

/* The device, other than the reference, with a difference of a microsecond or more, or -1. */
static int apart(ec *m, uint32_t *difference)
{
    for (int i = 0; i < m->devices; i++) {
        uint8_t b[4];
        if (!m->device[i].clock || i == m->reference)
            continue;
        bool known = ec__read(m, i, EC_REG_DIFFERENCE, b, 4);
        *difference = known ? get32(b) & 0x7fffffff : UINT32_MAX;
        if (*difference >= CLOSE)
            return i;
    }
    return -1;
}

static bool settle(ec *m)
{
    uint32_t difference = 0;
    int who = m->reference;
    for (int64_t end = ec__now() + (int64_t)(1e9 * m->line->settle); who >= 0 && ec__now() < end;) {
        for (int k = 0; k < DISTRIBUTIONS; k++) {
            uint8_t b[8] = {0};
            const ec_datagram d = {EC_FRMW, ec__place(m->device[m->reference].address, EC_REG_TIME), b, 8};
            ec__exchange(m, &d, 1);
        }
        who = apart(m, &difference);
    }
    if (who < 0)
        return true;
    return ec__fail(
        m, "the clock of device %d (%s) differs by %u ns from the reference after %g s, expected below %d ns",
        who + 1, m->line->device[who].name, (unsigned)difference, m->line->settle, CLOSE);
}

/* SYNC0 at its phase, from a tenth of a second on. */
static bool start_sync(ec *m, int i)
{
    const int64_t period = (int64_t)(1e9 * m->line->cycle + 0.5), ahead = 100000000;
    uint8_t b[8] = {0};
    bool done = ec__write(m, i, EC_REG_SYNC_OWNER, b, 2);
    put32(b, (uint32_t)period);
    done = done && ec__write(m, i, EC_REG_SYNC_CYCLE, b, 4);
    put64(b, (uint64_t)(((ec__now() + ahead) / period + 1) * period + m->sync));
    done = done && ec__write(m, i, EC_REG_SYNC_START, b, 8);
    b[0] = 3;
    done = done && ec__write(m, i, EC_REG_SYNC_OWNER + 1, b, 1);
    return done || ec__fail(m, "device %d (%s) does not accept SYNC0", i + 1, m->line->device[i].name);
}

bool ec__clocks(ec *m)
{
    m->reference = -1;
    if (m->line->cycle <= 0.0)
        return true;
    for (int i = m->devices - 1; i >= 0; i--) {
        uint8_t features[2];
        if (!ec__read(m, i, EC_REG_FEATURES, features, 2))
            return ec__fail(m, "device %d (%s) does not answer", i + 1, m->line->device[i].name);
        m->device[i].clock = features[0] & 4;
        if (m->device[i].clock)
            m->reference = i;
    }
    if (m->reference < 0)
        return ec__fail(m, "no device has a distributed clock: use `clock: none`");
    if (!measure(m))
        return ec__fail(m, "the delays of the clocks cannot be measured");
    if (!settle(m))
        return false;
    return ec_sync(m, llround(1e9 * m->line->shift));
}

bool ec_sync(ec *m, int64_t phase)
{
    int64_t period = (int64_t)(1e9 * m->line->cycle + 0.5);
    m->sync = phase % period;
    for (int i = 0; i < m->devices; i++)
        if (m->device[i].clock && !start_sync(m, i))
            return false;
    return true;
}
