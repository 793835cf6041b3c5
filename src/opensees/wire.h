/* SPDX-License-Identifier: MIT */
/* Messages of the genericClient and adapter elements of OpenSees, and of OpenFresco, as bytes.
 *
 * The connecting side first sends a header of 11 int32: five counts of doubles in a command (displacement, velocity,
 * acceleration, force, time), five in a response, and N. Every later message, in both directions, has N doubles. A
 * request begins with its action code, then the declared quantities without gaps; a response begins with its first
 * quantity. Matrices are column-major. There are no lengths, checksums or delimiters. The byte order is not
 * negotiated: little-endian is expected, and a header in another order is refused.
 *
 * This file uses no sockets. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    IFD__OSW_HEADER = 44,    /* bytes */
    IFD__OSW_LINE = 16385,   /* bytes of one line of an init file: 2, then text that ends with a zero */
    IFD__OSW_LONGEST = 8192, /* largest N */
    IFD__OSW_ROOM = 8 * IFD__OSW_LONGEST,
    IFD__OSW_DATAGRAM = 9126, /* bytes in one datagram, of OpenSees and OpenFresco */
    IFD__OSW_SMALL = 512,     /* of the C, Matlab and Simulink clients */
    IFD__OSW_DOFS = 64
};

enum { IFD__OSW_DISP, IFD__OSW_VEL, IFD__OSW_ACC, IFD__OSW_FORCE, IFD__OSW_TIME, IFD__OSW_QUANTITIES };

/* The action codes: name, number. */
#define IFD__OSW_CODES(X)                                                                                            \
    X(OPEN, 1)                                                                                                       \
    X(SETUP, 2)                                                                                                      \
    X(TRIAL, 3)                                                                                                      \
    X(EXECUTE, 4)                                                                                                    \
    X(COMMIT, 5)                                                                                                     \
    X(GET_DAQ, 6)                                                                                                    \
    X(GET_DISP, 7)                                                                                                   \
    X(GET_VEL, 8)                                                                                                    \
    X(GET_ACC, 9)                                                                                                    \
    X(GET_FORCE, 10)                                                                                                 \
    X(GET_TIME, 11)                                                                                                  \
    X(GET_INITIAL, 12)                                                                                               \
    X(GET_TANGENT, 13)                                                                                               \
    X(GET_DAMP, 14)                                                                                                  \
    X(GET_MASS, 15)                                                                                                  \
    X(DIE, 99)

typedef enum ifd__osw_code {
#define IFD__OSW_ENUM(name, number) IFD__OSW_##name = number,
    IFD__OSW_CODES(IFD__OSW_ENUM)
#undef IFD__OSW_ENUM
} ifd__osw_code;

/* Reasons to refuse a message. */
#define IFD__OSW_BAD_LIST(X)                                                                                         \
    X(FINE, "nothing is wrong")                                                                                      \
    X(BYTE_ORDER, "the header is big-endian")                                                                        \
    X(LENGTH, "the length of messages is out of range")                                                              \
    X(COUNT, "a count of the header is negative or too large")                                                       \
    X(TOO_SHORT, "the declared quantities do not fit into a message")                                                \
    X(NO_COMMAND, "the header declares no displacements")                                                            \
    X(MIXED, "the counts of the header contradict each other")                                                       \
    X(CODE, "an action code is unknown")                                                                             \
    X(SIMSIMULINK, "action codes 4.1 to 4.3 (SimSimulink) are not served")                                           \
    X(MATRIX, "a matrix does not fit into a message")                                                                \
    X(ACROSS, "a datagram extends beyond the end of its message")

typedef enum ifd__osw_bad {
#define IFD__OSW_ENUM(name, text) IFD__OSW_BAD_##name,
    IFD__OSW_BAD_LIST(IFD__OSW_ENUM)
#undef IFD__OSW_ENUM
} ifd__osw_bad;

const char *ifd__osw_text(ifd__osw_bad bad);

typedef struct ifd__osw_sizes {
    int32_t ctrl[IFD__OSW_QUANTITIES], daq[IFD__OSW_QUANTITIES];
    int32_t n; /* doubles in every message */
} ifd__osw_sizes;

/* Checks: every displacement, velocity, acceleration and force count is 0 or the number of dofs,
 * ctrl[IFD__OSW_DISP], except ctrl force (any, ignored); time 0 or 1. */
ifd__osw_bad ifd__osw_header_read(const uint8_t bytes[IFD__OSW_HEADER], ifd__osw_sizes *out);
void ifd__osw_header_write(const ifd__osw_sizes *sizes, uint8_t bytes[IFD__OSW_HEADER]);
/* The smallest N for the counts and, if matrix is set, for a matrix of the dofs. */
int32_t ifd__osw_least(const ifd__osw_sizes *sizes, bool matrix);

typedef struct ifd__osw_request {
    ifd__osw_code code;
    double q[IFD__OSW_TIME][IFD__OSW_DOFS]; /* displacement, velocity, acceleration, force; zero if not declared */
    double time;
} ifd__osw_request;

ifd__osw_bad ifd__osw_code_read(const uint8_t *bytes, ifd__osw_code *out);
ifd__osw_bad ifd__osw_request_read(const ifd__osw_sizes *sizes, const uint8_t *bytes, ifd__osw_request *out);
void ifd__osw_request_write(const ifd__osw_sizes *sizes, const ifd__osw_request *in, uint8_t *bytes);

/* A response; it does not contain the code of the request. */
void ifd__osw_response_write(const ifd__osw_sizes *sizes, const ifd__osw_request *in, uint8_t *bytes);
void ifd__osw_response_read(const ifd__osw_sizes *sizes, const uint8_t *bytes, ifd__osw_request *out);
/* rows: n times n, by rows. False if it does not fit. */
bool ifd__osw_matrix_write(const ifd__osw_sizes *sizes, int n, const double *rows, uint8_t *bytes);
void ifd__osw_doubles_write(const double *in, int count, uint8_t *bytes);
void ifd__osw_doubles_read(const uint8_t *bytes, int count, double *out);

/* Assembles messages from bytes. */
typedef struct ifd__osw_reader {
    ifd__osw_sizes sizes;
    bool greeted; /* the header has been read, and messages can be separated */
    bool spoken;  /* a vector has been read: no line of an init file can follow */
    size_t have, want;
    uint8_t *bytes; /* IFD__OSW_ROOM */
} ifd__osw_reader;

typedef enum ifd__osw_event {
    IFD__OSW_NOTHING,
    IFD__OSW_GREETING,
    IFD__OSW_VECTOR,
    IFD__OSW_TEXT,
    IFD__OSW_BAD
} ifd__osw_event;

void ifd__osw_reader_begin(ifd__osw_reader *r, uint8_t *room);
/* Number of bytes that may be put at r->bytes + r->have: never past the end of the message. */
size_t ifd__osw_reader_room(const ifd__osw_reader *r);
/* count bytes were put there. A vector or a text remains in r->bytes until the next call. */
ifd__osw_event ifd__osw_reader_took(ifd__osw_reader *r, size_t count, ifd__osw_bad *why);
/* A whole datagram, which must end at the end of a message or of a chunk of it. */
ifd__osw_event ifd__osw_reader_datagram(ifd__osw_reader *r, const uint8_t *bytes, size_t length, ifd__osw_bad *why);
