/* SPDX-License-Identifier: MIT */
/* A test whose structure another program computes: what `interfield serve` adds to `interfield test`. */
#ifndef APP_SERVING_H
#define APP_SERVING_H

#include "app.h"

#include <interfield/opensees.h>

typedef struct serving serving;

/* Makes the remote of o, whose test can then be made; nothing listens yet. *out stays NULL for a case that is
 * computed here. False, with what is wrong said, when command and case do not fit. */
bool serving_begin(app *a, const ifd_case *c, ifd_hybrid_options *o, serving **out, int *exit_status);
/* Everything else is ready, the rig was found: listens, and waits until the script has said where it starts. OpenSees
 * connects to whatever listens, and never notices when that goes away. Gives up, and says so, when a signal
 * comes. NULL is allowed. */
bool serving_wait(serving *s, int *exit_status);
/* During the test: says which clients are refused and why the script is lost, as soon as it is known. */
void serving_poll(serving *s);
/* What goes into the summary of the result; NULL for a case that is computed here. */
const ifd_opensees_report *serving_report(serving *s);
/* After the test: answers until the clients have left, or until a signal comes; then says what was served. With
 * leave, after SIGTERM, it waits for nobody. NULL is allowed. */
void serving_end(serving *s, bool leave);

#endif
