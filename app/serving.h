/* SPDX-License-Identifier: MIT */
/* A test whose structure another program computes: what `interfield serve` adds to `interfield test`. */
#ifndef APP_SERVING_H
#define APP_SERVING_H

#include <signal.h>

#include "app.h"

typedef struct serving serving;

/* Serves the master of the case and waits until it has said where it starts; o gets the remote. *out stays NULL for
 * a case that is computed here. False, with what is wrong said, when command and case do not fit or nothing can be
 * served. */
bool serving_begin(app *a, const ifd_case *c, ifd_hybrid_options *o, serving **out, int *exit_status);
/* After the test: answers until the clients have left, or until *interrupts rises; then says what was served. With
 * leave, after SIGTERM, it waits for nobody. NULL is allowed. */
void serving_end(serving *s, const volatile sig_atomic_t *interrupts, bool leave);

#endif
