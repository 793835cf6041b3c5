/* SPDX-License-Identifier: MIT */
/* A serial line, or a pseudo-terminal, that never waits. */
#pragma once

#include <interfield/status.h>

/* 8 data bits, no parity, one stop bit, no flow control, no conversion, for this process alone. Discards bytes that
 * are waiting. */
ifd_status line_open(const char *path, int baud, int *file, ifd_note *note);
/* Bytes that can be read at once. */
int line_waiting(int file);
