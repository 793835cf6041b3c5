/* SPDX-License-Identifier: MIT */
/* Refused messages: a tick counts them by reason and keeps the first as it arrived; another thread prints it. */
#pragma once

#include <stdatomic.h>

#include "link/wire.h"

typedef struct ifd__refusals {
    atomic_uint_least64_t count[IFD__WIRE_FAULT_COUNT];
    atomic_int first; /* ifd__wire_fault of the kept message, when it is complete; 0: none */
    size_t length;
    uint64_t expected;             /* session, or number of actuators */
    uint8_t bytes[IFD__WIRE_SIZE]; /* as many as there are of `length` */
} ifd__refusals;

/* expected: only for SESSION, and for a number of actuators that differs from that of the test; otherwise 0. */
IFD_RT void ifd__refusal_note(ifd__refusals *r, ifd__wire_fault fault, const uint8_t *bytes, size_t length,
                              uint64_t expected);
/* "a wrong checksum (0x1f83b8ad, computed 0x7b4f500f)": the first, from any thread; false: none. */
bool ifd__refusal_print(const ifd__refusals *r, char *out, size_t size);
