/* SPDX-License-Identifier: MIT */
/* Which clock a test may have, and what follows from it. */
#ifndef APP_TEST_CLOCK_H
#define APP_TEST_CLOCK_H

#include "app.h"

#include <interfield/hybrid.h>

/* Two seconds of records for a watcher that is kept, by its terminal or the machine; the recorder has a queue of its
 * own. */
int test_ring(double period);
/* Whether the rig of the test goes with the clock that was asked for; complains when it does not. */
bool test_clock_fits(app *a, const ifd_hybrid_options *o);
/* Whether a tripped test waits for its operator: not without one, nor without a clock, nor when another program leads
 * it, which goes on. */
bool test_waits(const app *a, const ifd_case *c);

#endif
