/* SPDX-License-Identifier: MIT */
/* The status line of a long computation that reports nothing itself: its name and elapsed time, from the first second
 * on a terminal, every ten seconds in a log.
 *
 *     APP_TRY(a, WORK(a, "modes", ifd_model_modes(...))); */
#pragma once

#include "app.h"

#include <pthread.h>
#include <signal.h>
#include <stdint.h>

/* How a command shows the progress of long work, decided once: on a terminal one line of stderr, which is replaced
 * several times a second; elsewhere, as in a log or under a scheduler, a line of its own every ten seconds. Nothing
 * with --quiet and --json. stdout has results only. The line is never longer than the terminal is wide now: fields,
 * which three blanks separate, are left out from the right. Typed letters are shown before it.
 *
 *     status_line l = status_line_begin(a);
 *     while (...)
 *         if (status_line_due(&l, clock_now()))
 *             status_line_put(&l, "%d of %d", done, all);
 *     status_line_end(&l); */

typedef struct status_line {
    bool terminal, log; /* neither: nothing is shown */
    uint64_t shown;     /* ns: last line, or begin */
    unsigned typed;     /* edits that it shows */
} status_line;

status_line status_line_begin(const app *a);
/* Whether a line is to be printed now (ns of clock_now): after a while, or because something was typed. */
bool status_line_due(status_line *l, uint64_t now);
void status_line_put(const status_line *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Removes the line from the terminal. */
void status_line_end(const status_line *l);
/* "####----" of `width` characters, at most 39, for a share from 0 to 1. */
readable status_line_bar(double share, int width);

typedef struct working {
    const char *what;
    status_line line;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t change;
    bool shown, waits, over; /* a thread shows the line; it waits; it is to stop */
} working;

void working_begin(working *w, const app *a, const char *what);
/* The same during the set-up of a case, with the size of its model. */
void working_set_up(working *w, const app *a, const ifd_case *c);
void working_end(working *w);

/* The status of a call, which has the status line as long as it works. */
#define WORK(a, what, call) WORK_AS(working_begin, a, what, call)
#define WORK_SET_UP(a, c, call) WORK_AS(working_set_up, a, c, call)
#define WORK_AS(begin, a, of, call)                                                                                  \
    __extension__({                                                                                                  \
        working working_;                                                                                            \
        begin(&working_, a, of);                                                                                     \
        ifd_status status_ = (call);                                                                                 \
        working_end(&working_);                                                                                      \
        status_;                                                                                                     \
    })

/* Interrupts of long commands: the first one asks the command to stop, the second ends the program. */

/* Set by SIGINT and SIGTERM; a command whose processes stop together may set it too. */
extern volatile sig_atomic_t app_stop_asked;
void app_catch_interrupts(void);
