/* SPDX-License-Identifier: MIT */
/* A test whose structure another program computes: the additions of `interfield serve` to `interfield test`. */
#pragma once

#include "app.h"

#include <interfield/opensees.h>

typedef struct serving serving;

/* Sets up the remote of o for its test; no port is open yet. *out stays NULL for a case that is
 * computed by this program. False, after an error message, if command and case do not match. */
bool serving_begin(app *a, const ifd_case *c, ifd_hybrid_options *o, serving **out, int *exit_status);
/* When the rig and all other parts are ready: listens. A test that starts by itself, or has no clock, then waits for
 * the initial state of the script; a test by orders does not: the script may connect at any time before run. OpenSees
 * connects to any listening port and does not detect the end of a server. Ends with a message when a signal
 * arrives. NULL is allowed. */
bool serving_wait(serving *s, bool automatic, int *exit_status);
/* During the test: reports clients, refused ones and the reason for a lost script immediately. */
void serving_poll(serving *s);
/* The data for the summary of the result; NULL for a case that this program computes. stopped_in: ifd_machine in
 * which the stop that ended the test was received; -1: none. */
const ifd_opensees_report *serving_report(serving *s, int stopped_in);
/* After the test: answers until the clients have disconnected or a signal arrives; then prints statistics. With
 * leave, after SIGTERM, it does not wait. NULL is allowed. */
void serving_end(serving *s, bool leave);
