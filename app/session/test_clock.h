/* SPDX-License-Identifier: MIT */
/* The clock of a test. */
#pragma once

#include "app.h"

#include <interfield/executor.h>
#include <interfield/hybrid.h>

/* Whether a rig of the test has a clock of its own: neither virtual nor in lockstep. */
bool test_clock_of_rig(const ifd_hybrid_options *o);
/* Whether the rig of the test supports the requested clock; false after an error message. */
bool test_clock_fits(app *a, const ifd_hybrid_options *o);
/* The clock of a test with ticks of this period, in s, and the port of its page, -1 for none; false after an error
 * message for a wrong option. */
bool test_clock_choose(app *a, double period, ifd_executor_options *clock, int *port);
/* The period of the supervisor: 0 where a tick waits for a rig in lockstep, however long. */
double test_watched_period(const ifd_hybrid_options *o, double period);
/* s that a rig in lockstep may take for an answer; 0: none is. */
double test_lockstep_timeout(const ifd_hybrid_options *o);
/* Whether a tripped test waits for its operator: not without an operator, without a clock, or if another program
 * computes the structure and continues. */
bool test_waits(const app *a, const ifd_case *c);
