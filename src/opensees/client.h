/* SPDX-License-Identifier: MIT */
/* The connecting side: a session with an OpenSees adapter element, an OpenFresco site, element or laboratory server.
 *
 *     adapter   header; 10; then 3 and 10 together per command, answered by displacements and forces
 *     site      header; then 3, 6 (answered by displacements, forces and time), 5
 *     element   as site, with room for a matrix in every message
 *     lab       byte order, [1, tag, version], [2, N], two times five counts; then as site; 99 is answered
 *
 * A step blocks until the answer or the timeout; it never runs on a real-time thread. */
#pragma once

#include <interfield/exchange.h>

#include "opensees/wire.h"

typedef enum ifd__osc_kind { IFD__OSC_ADAPTER, IFD__OSC_SITE, IFD__OSC_ELEMENT, IFD__OSC_LAB } ifd__osc_kind;

typedef struct ifd__osc_options {
    ifd__osc_kind kind;
    const char *host;
    int port, channels;
    bool udp, handshake;
    double timeout;      /* s, for the connection and for every answer */
    double version, tag; /* of a laboratory server */
} ifd__osc_options;

typedef struct ifd__osc {
    ifd__osc_options o;
    ifd__osw_sizes sizes;
    int fd;
    bool lost, known;  /* known: `in` contains the newest answer */
    uint8_t *out, *in; /* IFD__OSW_ROOM bytes each */
} ifd__osc;

ifd_status ifd__osc_open(ifd_arena *arena, const ifd__osc_options *o, ifd__osc *c, ifd_note *note);
/* Moves to the positions and reads the measurements there; without a command it only reads. False if the session is
 * lost. */
bool ifd__osc_step(ifd__osc *c, const ifd_command *command, ifd_measure *out);
void ifd__osc_close(ifd__osc *c);
