/* SPDX-License-Identifier: MIT */
/* Messages between the engine and a rig in another process: one fixed size, little-endian, written byte by byte.
 *
 * IFD__WIRE_FIELDS lists the fields; docs/reference/udp-wire.md states for each kind which of them count, the
 * conversation, and what a peer may leave out.
 *
 * The message why is sent by a server that has stopped, repeatedly. A client that does not know it refuses it as any
 * unknown kind, without an effect.
 *
 * Everything else is refused: another length, magic, version or checksum, an unknown kind, nonzero unused bits,
 * a number that is not finite. Only the quantities of a measure can have any value: the guard of a test
 * checks them and has a fault for it. The checksum detects damage; keys (auth.h) protect against
 * forgery. */
#pragma once

#include <stddef.h>

#include <interfield/exchange.h>

/* Little-endian on all machines: an integer of this number of bytes, and a double. OpenSees uses them too. */
IFD_RT void ifd__wire_put(uint8_t *p, int bytes, uint64_t value);
IFD_RT uint64_t ifd__wire_get(const uint8_t *p, int bytes);
IFD_RT void ifd__wire_put_number(uint8_t *p, double x);
IFD_RT double ifd__wire_get_number(const uint8_t *p);

enum { IFD__WIRE_VERSION = 3, IFD__WIRE_SIZE = 600 };

typedef enum ifd__wire_kind {
    IFD__WIRE_HELLO = 1, /* client: greeting; server: the answer */
    IFD__WIRE_COMMAND,
    IFD__WIRE_MEASURE,
    IFD__WIRE_BYE,
    IFD__WIRE_WHY /* server: why the rig has stopped */
} ifd__wire_kind;

/* Flags in the hello of a client. The first two exclude each other. The third asks whether the rig is simulated. */
enum { IFD__HELLO_LOCKSTEP = 1, IFD__HELLO_ELASTIC = 2, IFD__HELLO_ASKS = 4 };
enum { IFD__WIRE_TEXT = 8 * (2 * IFD_RIG_ACTUATORS + IFD_RIG_AUX) };

/* Answer in the hello of a server. */
typedef enum ifd__answer {
    IFD__ANSWER_NONE, /* bit 0 is a flag: this hello is from a client */
    IFD__ANSWER_WELCOME = 16,
    IFD__ANSWER_BUSY,      /* another client is being served */
    IFD__ANSWER_VERSION,   /* the client uses another version */
    IFD__ANSWER_ACTUATORS, /* the rig has a different number of actuators */
    IFD__ANSWER_TICK,      /* the rig has a different tick */
    IFD__ANSWER_MOVING,    /* the rig is still coming to rest, or its positions do not agree yet */
    IFD__ANSWER_GREET,     /* greet again with the challenge of this message (auth.h) */
    IFD__ANSWER_KEY,       /* the keys differ, or only one side has one; this answer has no seal */
    IFD__ANSWER_CLOCK,     /* the rig moves iron, and has a clock: no lockstep */
    IFD__ANSWER_END
} ifd__answer;

typedef struct ifd__message {
    ifd__wire_kind kind;
    uint64_t session, sequence;
    int64_t stamp, echo;
    uint64_t tick;
    double time;
    uint32_t word, heartbeat, actuators, aux, outputs, commanded;
    union {
        struct {
            double a[IFD_RIG_ACTUATORS], b[IFD_RIG_ACTUATORS], c[IFD_RIG_AUX];
        };
        char text[IFD__WIRE_TEXT]; /* why; ends with 0 */
    };
} ifd__message;

/* Fields of a message in their order: constant, bytes, name. docs/reference/udp-wire.md has the same table. */
#define IFD__WIRE_FIELDS(X)                                                                                          \
    X(MAGIC, 4, "magic")                                                                                             \
    X(VERSION, 2, "version")                                                                                         \
    X(KIND, 2, "kind")                                                                                               \
    X(SESSION, 8, "session")                                                                                         \
    X(SEQUENCE, 8, "sequence")                                                                                       \
    X(STAMP, 8, "stamp")                                                                                             \
    X(ECHO, 8, "echo")                                                                                               \
    X(TICK, 8, "tick")                                                                                               \
    X(TIME, 8, "time")                                                                                               \
    X(WORD, 4, "word")                                                                                               \
    X(HEARTBEAT, 4, "heartbeat")                                                                                     \
    X(ACTUATORS, 4, "actuators")                                                                                     \
    X(AUX, 4, "auxiliary inputs")                                                                                    \
    X(A, 8 * IFD_RIG_ACTUATORS, "positions")                                                                         \
    X(B, 8 * IFD_RIG_ACTUATORS, "velocities or forces")                                                              \
    X(C, 8 * IFD_RIG_AUX, "values of auxiliary inputs")                                                              \
    X(OUTPUTS, 4, "outputs")                                                                                         \
    X(COMMANDED, 4, "commanded")                                                                                     \
    X(ZERO, 4, "unused")                                                                                             \
    X(CRC, 4, "checksum")

/* AT: offset of the first byte of a field; LAST: of the last one. */
enum {
#define IFD__WIRE_ENUM(name, bytes, text)                                                                            \
    IFD__WIRE_AT_##name, IFD__WIRE_LAST_##name = IFD__WIRE_AT_##name + (bytes)-1,
    IFD__WIRE_FIELDS(IFD__WIRE_ENUM)
#undef IFD__WIRE_ENUM
        IFD__WIRE_END
};

/* Reason for which bytes are not a message: constant, name in records, words. The last two are found by a client. */
#define IFD__WIRE_FAULTS(X)                                                                                          \
    X(OK, "", "a message")                                                                                           \
    X(LENGTH, "length", "a wrong length")                                                                            \
    X(MAGIC, "magic", "not a message of a rig")                                                                      \
    X(VERSION, "version", "another version")                                                                         \
    X(CRC, "checksum", "a wrong checksum")                                                                           \
    X(KIND, "kind", "an unknown kind")                                                                               \
    X(ACTUATORS, "actuators", "a wrong number of actuators or auxiliary inputs")                                     \
    X(FIELD, "field", "a field that does not belong to its kind")                                                    \
    X(NUMBER, "number", "a number that is not permitted")                                                            \
    X(SEAL, "seal", "a wrong or missing seal")                                                                       \
    X(SESSION, "session", "another session")

typedef enum ifd__wire_fault {
#define IFD__WIRE_ENUM(name, word, text) IFD__WIRE_IS_##name,
    IFD__WIRE_FAULTS(IFD__WIRE_ENUM)
#undef IFD__WIRE_ENUM
        IFD__WIRE_FAULT_COUNT
} ifd__wire_fault;

IFD_RT void ifd__wire_encode(const ifd__message *m, uint8_t out[IFD__WIRE_SIZE]);
/* *m is written only for the answer OK. */
IFD_RT ifd__wire_fault ifd__wire_decode(const uint8_t *bytes, size_t length, ifd__message *m);
/* The offset of the first byte that makes a message with a right checksum wrong; -1: none. */
IFD_RT int ifd__wire_wrong(const uint8_t bytes[IFD__WIRE_SIZE]);
/* The version in data that begin like a message; 0 otherwise. */
IFD_RT unsigned ifd__wire_version(const uint8_t *bytes, size_t length);
/* CRC-32 of IEEE 802.3. */
IFD_RT uint32_t ifd__crc32(const uint8_t *bytes, size_t length);
