/* SPDX-License-Identifier: MIT */
/* Which clock a test may have, and what follows from it. */
#ifndef APP_TEST_CLOCK_H
#define APP_TEST_CLOCK_H

#include "app.h"

#include <interfield/executor.h>
#include <interfield/hybrid.h>

/* Whether the rig of the test goes with the clock that was asked for; complains when it does not. */
bool test_clock_fits(app *a, const ifd_hybrid_options *o);
/* The clock of a test with ticks of this period, in s, and the port of its page, -1 for none; complains when an
 * option is wrong. */
bool test_clock_choose(app *a, double period, ifd_executor_options *clock, int *port);
/* Whether a tripped test waits for its operator: not without one, nor without a clock, nor when another program leads
 * it, which goes on. */
bool test_waits(const app *a, const ifd_case *c);

#endif
