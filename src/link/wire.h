/* SPDX-License-Identifier: MIT */
/* Messages between the engine and a rig in another process: one fixed size, little-endian, written byte by byte.
 *
 *     offset  size
 *          0     4  magic "IFRG"
 *          4     2  version
 *          6     2  kind
 *          8     8  session: chosen by the client, in every message that belongs to it
 *         16     8  sequence: counts the messages of one sender, from 1
 *         24     8  stamp: ns, clock of the sender
 *         32     8  echo: stamp of the newest message the sender had received; 0 before the first
 *         40     8  tick          command, measure
 *         48     8  time          s; hello: the length of a tick
 *         56     4  word          command: state of the machine; measure: inputs; hello: flags, or the answer
 *         60     4  heartbeat     command; welcome to a hello with flag 4: 1 if the rig is simulated
 *         64     4  channels
 *         68     4  auxiliary inputs: how many, in a measure
 *         72   128  16 positions; hello of a client that waits for late answers (flag 2): the first is the brake
 *                   time in s; why: 512 bytes of text, UTF-8, zero at its end
 *        200   128  16 velocities (command) or forces (measure); that hello: the first is the time in s until the rig
 *                   gives up
 *        328   256  32 auxiliary inputs (measure)
 *        584     4  outputs       command; welcome to a hello with flag 4: those that switch pressure at the rig
 *        588     4  commanded     command: 1 when its positions are to be reached, 0 when it commands no motion
 *        592     4  0
 *        596     4  CRC-32 of all before it
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
enum { IFD__WIRE_TEXT = 8 * (2 * IFD_RIG_CHANNELS + IFD_RIG_AUX) };

/* Answer in the hello of a server. */
typedef enum ifd__answer {
    IFD__ANSWER_NONE, /* bit 0 is a flag: this hello is from a client */
    IFD__ANSWER_WELCOME = 16,
    IFD__ANSWER_BUSY,     /* another client is being served */
    IFD__ANSWER_VERSION,  /* the client uses another version */
    IFD__ANSWER_CHANNELS, /* the rig has a different number of channels */
    IFD__ANSWER_TICK,     /* the rig has a different tick */
    IFD__ANSWER_MOVING,   /* the rig is still coming to rest, or its positions do not agree yet */
    IFD__ANSWER_GREET,    /* greet again with the challenge of this message (auth.h) */
    IFD__ANSWER_KEY,      /* the keys differ, or only one side has one; this answer has no seal */
    IFD__ANSWER_CLOCK,    /* the rig moves iron, and has a clock: no lockstep */
    IFD__ANSWER_END
} ifd__answer;

typedef struct ifd__message {
    ifd__wire_kind kind;
    uint64_t session, sequence;
    int64_t stamp, echo;
    uint64_t tick;
    double time;
    uint32_t word, heartbeat, channels, aux, outputs, commanded;
    union {
        struct {
            double a[IFD_RIG_CHANNELS], b[IFD_RIG_CHANNELS], c[IFD_RIG_AUX];
        };
        char text[IFD__WIRE_TEXT]; /* why; ends with 0 */
    };
} ifd__message;

/* Reason for which bytes are not a message. */
#define IFD__WIRE_FAULTS(X)                                                                                          \
    X(OK, "a message")                                                                                               \
    X(LENGTH, "a wrong length")                                                                                      \
    X(MAGIC, "not a message of a rig")                                                                               \
    X(VERSION, "another version")                                                                                    \
    X(CRC, "a wrong checksum")                                                                                       \
    X(KIND, "an unknown kind")                                                                                       \
    X(CHANNELS, "an impossible number of channels")                                                                  \
    X(FIELD, "a field that does not belong to its kind")                                                             \
    X(NUMBER, "a number that is not finite")

typedef enum ifd__wire_fault {
#define IFD__WIRE_ENUM(name, text) IFD__WIRE_IS_##name,
    IFD__WIRE_FAULTS(IFD__WIRE_ENUM)
#undef IFD__WIRE_ENUM
        IFD__WIRE_FAULT_COUNT
} ifd__wire_fault;

IFD_RT void ifd__wire_encode(const ifd__message *m, uint8_t out[IFD__WIRE_SIZE]);
/* *m is written only for the answer OK. */
IFD_RT ifd__wire_fault ifd__wire_decode(const uint8_t *bytes, size_t length, ifd__message *m);
/* The version in data that begin like a message; 0 otherwise. */
IFD_RT unsigned ifd__wire_version(const uint8_t *bytes, size_t length);
/* CRC-32 of IEEE 802.3. */
IFD_RT uint32_t ifd__crc32(const uint8_t *bytes, size_t length);
