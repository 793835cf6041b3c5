/* SPDX-License-Identifier: MIT */
/* How a command shows the progress of long work, decided once: on a terminal one line of stderr, which is replaced
 * several times a second; elsewhere, as in a log or under a scheduler, a line of its own every ten seconds. Nothing
 * with --quiet and --json. stdout has results only.
 *
 *     status_line l = status_line_begin(a);
 *     while (...)
 *         if (status_line_due(&l, clock_now()))
 *             status_line_put(&l, "%d of %d", done, all);
 *     status_line_end(&l); */
#pragma once

#include "app.h"

#include <stdint.h>

typedef struct status_line {
    bool terminal, log; /* neither: nothing is shown */
    uint64_t shown;     /* ns: last line, or begin */
} status_line;

status_line status_line_begin(const app *a);
/* Whether a line is to be printed now (ns of clock_now); the next one follows later. */
bool status_line_due(status_line *l, uint64_t now);
void status_line_put(const status_line *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Removes the line from the terminal. */
void status_line_end(const status_line *l);
/* "####----" of `width` characters for a share from 0 to 1; text: width + 1. */
const char *status_line_bar(double share, int width, char *text);
