/* SPDX-License-Identifier: MIT */
/* Encodes and finds the frames of a serial line. */
#include "frame.h"

#include <string.h>

enum { SYNC_1 = 0xa5, SYNC_2 = 0x5a, KIND_COMMAND = 'C', KIND_MEASURE = 'M' };

uint16_t frame_crc(const uint8_t *bytes, int count)
{
    unsigned crc = 0xffff;
    for (int i = 0; i < count; i++) {
        crc ^= (unsigned)bytes[i] << 8;
        for (int k = 0; k < 8; k++)
            crc = crc & 0x8000u ? (crc << 1 ^ 0x1021u) & 0xffffu : crc << 1 & 0xffffu;
    }
    return (uint16_t)crc;
}

int frame_command_size(int actuators)
{
    return FRAME_COMMAND_HEAD + 4 * actuators + FRAME_CRC;
}

int frame_measure_size(int actuators, int aux)
{
    return FRAME_MEASURE_HEAD + 4 * (2 * actuators + aux) + FRAME_CRC;
}

static void put_16(uint8_t *out, unsigned value)
{
    out[0] = (uint8_t)(value & 0xff);
    out[1] = (uint8_t)(value >> 8 & 0xff);
}

static void put_32(uint8_t *out, uint32_t value)
{
    put_16(out, value & 0xffff);
    put_16(out + 2, value >> 16);
}

static uint32_t get_32(const uint8_t *from)
{
    return (uint32_t)from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
}

static float get_float(const uint8_t *from)
{
    uint32_t bits = get_32(from);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

int frame_put(const frame_command *c, uint8_t *out)
{
    int size = frame_command_size(c->actuators);
    out[0] = SYNC_1;
    out[1] = SYNC_2;
    out[2] = KIND_COMMAND;
    out[3] = (uint8_t)c->actuators;
    put_32(out + 4, c->sequence);
    out[8] = c->flags;
    out[9] = c->state;
    put_16(out + 10, c->watchdog);
    for (int k = 0; k < c->actuators; k++) {
        uint32_t bits;
        memcpy(&bits, &c->position[k], sizeof bits);
        put_32(out + FRAME_COMMAND_HEAD + 4 * k, bits);
    }
    put_16(out + size - FRAME_CRC, frame_crc(out + 2, size - 2 - FRAME_CRC));
    return size;
}

int frame_room(const frame_parser *p)
{
    return FRAME_BUFFER - p->count;
}

static void drop(frame_parser *p, int bytes)
{
    p->count -= bytes;
    memmove(p->byte, p->byte + bytes, (size_t)p->count);
}

/* The number of bytes before the next possible start of a frame. */
static int before_sync(const frame_parser *p)
{
    for (int i = 0; i < p->count; i++)
        if (p->byte[i] == SYNC_1 && (i + 1 == p->count || p->byte[i + 1] == SYNC_2))
            return i;
    return p->count;
}

static void take(const uint8_t *b, frame_measure *out)
{
    *out = (frame_measure){.actuators = b[3],
                           .aux = b[17],
                           .sequence = get_32(b + 4),
                           .answered = get_32(b + 8),
                           .time = get_32(b + 12),
                           .flags = b[16],
                           .why = b[18],
                           .boot = b[19]};
    const uint8_t *at = b + FRAME_MEASURE_HEAD;
    for (int k = 0; k < out->actuators; k++, at += 4)
        out->position[k] = get_float(at);
    for (int k = 0; k < out->actuators; k++, at += 4)
        out->force[k] = get_float(at);
    for (int k = 0; k < out->aux; k++, at += 4)
        out->auxiliary[k] = get_float(at);
}

bool frame_next(frame_parser *p, frame_measure *out)
{
    for (;;) {
        int noise = before_sync(p);
        p->skipped += noise;
        drop(p, noise);
        if (p->count < FRAME_MEASURE_HEAD)
            return false;
        const uint8_t *b = p->byte;
        int size = frame_measure_size(b[3], b[17]);
        bool possible = b[2] == KIND_MEASURE && b[3] <= IFD_RIG_ACTUATORS && b[17] <= IFD_RIG_AUX;
        if (possible && p->count < size)
            return false;
        bool right = possible && frame_crc(b + 2, size - 2 - FRAME_CRC) == (uint16_t)(b[size - 2] | b[size - 1] << 8);
        if (right)
            take(b, out);
        p->good += right;
        p->bad += !right;
        drop(p, right ? size : 2); /* a wrong frame may contain the start of a right one */
        if (right)
            return true;
    }
}
