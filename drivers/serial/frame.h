/* SPDX-License-Identifier: MIT */
/* Frames between the driver and a microcontroller (docs/guide/serial.md): sync, kind, sequence, payload, CRC-16.
 * Numbers are little-endian. */
#pragma once

#include <interfield/exchange.h>

enum {
    FRAME_COMMAND_HEAD = 12,
    FRAME_MEASURE_HEAD = 20,
    FRAME_CRC = 2,
    FRAME_COMMAND_MOST = FRAME_COMMAND_HEAD + 4 * IFD_RIG_ACTUATORS + FRAME_CRC,
    FRAME_MEASURE_MOST = FRAME_MEASURE_HEAD + 4 * (2 * IFD_RIG_ACTUATORS + IFD_RIG_AUX) + FRAME_CRC,
    FRAME_BUFFER = 4 * FRAME_MEASURE_MOST
};

/* Flags of a command; those of a measurement are IFD_INPUT_... An inquiry is answered but does not reset the
 * watchdog. */
enum {
    FRAME_COMMANDED = 1,
    FRAME_TRIGGER = 2,
    FRAME_RUNNING = 4,
    FRAME_INQUIRY = 8,
    FRAME_ENABLE = 16,
    FRAME_LOW = 32,
    FRAME_HIGH = 64,
    FRAME_BEAT = 128
};

/* Reasons of a microcontroller that has stopped. */
enum {
    FRAME_WHY_NONE,
    FRAME_WHY_WATCHDOG,
    FRAME_WHY_LIMIT,
    FRAME_WHY_JUMP,
    FRAME_WHY_STOP,
    FRAME_WHY_POWER,
    FRAME_WHY_COUNT
};

typedef struct frame_command {
    int actuators;
    uint32_t sequence;
    uint8_t flags, state;
    uint16_t watchdog; /* ms */
    float position[IFD_RIG_ACTUATORS];
} frame_command;

typedef struct frame_measure {
    int actuators, aux;
    uint32_t sequence, answered, time; /* time: us */
    uint8_t flags, why, boot;
    float position[IFD_RIG_ACTUATORS], force[IFD_RIG_ACTUATORS], auxiliary[IFD_RIG_AUX];
} frame_measure;

/* CRC-16/CCITT-FALSE: polynomial 0x1021, initial value 0xffff; 0x29b1 for "123456789". */
IFD_RT uint16_t frame_crc(const uint8_t *bytes, int count);
int frame_command_size(int actuators);
int frame_measure_size(int actuators, int aux);
/* Writes a command; returns its size. */
IFD_RT int frame_put(const frame_command *c, uint8_t *out);

/* Bytes as they arrive, in any portions. */
typedef struct frame_parser {
    uint8_t byte[FRAME_BUFFER];
    int count;
    long good, bad, skipped; /* frames, frames with a wrong checksum, bytes outside frames */
} frame_parser;
/* Room for further bytes behind the present ones. */
IFD_RT int frame_room(const frame_parser *p);
/* Takes the next complete measurement; false: none is complete. */
IFD_RT bool frame_next(frame_parser *p, frame_measure *out);
