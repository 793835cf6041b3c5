/* SPDX-License-Identifier: MIT */
/* Frames, datagrams and registers: what the parts of the master share. Nothing else includes this file. */
#pragma once

#include "master.h"

/* Little-endian numbers in a frame. */
static inline uint16_t get16(const uint8_t *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}
static inline uint32_t get32(const uint8_t *p)
{
    return get16(p) | (uint32_t)get16(p + 2) << 16;
}
static inline uint64_t get64(const uint8_t *p)
{
    return get32(p) | (uint64_t)get32(p + 4) << 32;
}
static inline void put16(uint8_t *p, uint32_t v)
{
    p[0] = (uint8_t)v;
    p[1] = (uint8_t)(v >> 8);
}
static inline void put32(uint8_t *p, uint32_t v)
{
    put16(p, v & 0xffff);
    put16(p + 2, v >> 16);
}
static inline void put64(uint8_t *p, uint64_t v)
{
    put32(p, (uint32_t)v);
    put32(p + 4, (uint32_t)(v >> 32));
}

enum { EC_NOP = 0, EC_APRD, EC_APWR, EC_FPRD = 4, EC_FPWR, EC_BRD = 7, EC_BWR, EC_LRW = 12, EC_FRMW = 14 };

/* Registers of a device. */
enum {
    EC_REG_FEATURES = 0x008,
    EC_REG_ADDRESS = 0x010,
    EC_REG_CONTROL = 0x120,
    EC_REG_STATUS = 0x130, /* state; code at +4 */
    EC_REG_DIVIDER = 0x400,
    EC_REG_WATCHDOG = 0x420,
    EC_REG_SII_OWNER = 0x500,
    EC_REG_SII = 0x502, /* data at +6 */
    EC_REG_FMMU = 0x600,
    EC_REG_SYNC_MANAGER = 0x800,
    EC_REG_PORT_TIMES = 0x900,
    EC_REG_TIME = 0x910,
    EC_REG_LOCAL_TIME = 0x918,
    EC_REG_OFFSET = 0x920,
    EC_REG_DELAY = 0x928,
    EC_REG_DIFFERENCE = 0x92c,
    EC_REG_SPEED = 0x930,
    EC_REG_SYNC_OWNER = 0x980, /* activation at +1 */
    EC_REG_SYNC_START = 0x990,
    EC_REG_SYNC_CYCLE = 0x9a0
};

/* Bytes before and after the data of a datagram; the first datagram of a frame; the frame number in it. */
enum {
    EC_HEAD = 10,
    EC_TAIL = 2,
    EC_FIRST = 16,
    EC_NUMBER = EC_FIRST + EC_HEAD,
    EC_SECOND = EC_NUMBER + 8 + EC_TAIL
};

typedef struct ec_datagram {
    uint8_t command;
    uint32_t address;
    void *data;
    int size;
} ec_datagram;

int64_t ec__now(void); /* ns, CLOCK_MONOTONIC */
void ec__rest(long us);
bool ec__fail(ec *m, const char *format, ...) IFD_PRINTF(2, 3);

uint32_t ec__place(uint16_t device, int offset);
bool ec__connect(ec *m);

/* Writes the frame header and the datagram that contains its number; returns the place of the next datagram. */
int ec__frame_begin(uint8_t *frame);
/* Adds a datagram without data at a place and marks the one before it; returns the place after it. */
int ec__frame_add(uint8_t *frame, int *last, int at, const ec_datagram *d);
/* Ends a frame of so many bytes; returns its length. */
int ec__frame_end(uint8_t *frame, int bytes);

/* One datagram and its answer. Returns the working counter, -1 without an answer. A datagram is sent up to
 * `attempts` times. */
int ec__exchange(ec *m, const ec_datagram *d, int attempts);
/* True: exactly the addressed device answered. */
bool ec__read(ec *m, int device, int offset, void *data, int size);
bool ec__write(ec *m, int device, int offset, const void *data, int size);
/* Returns the number of devices that answered. */
int ec__broadcast(ec *m, int offset, const void *data, int size);

/* Delays, offsets and SYNC0 of the devices with a clock. */
bool ec__clocks(ec *m);
/* Lays out the cyclic frame. */
bool ec__cycle_begin(ec *m);
