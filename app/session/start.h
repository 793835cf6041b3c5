/* SPDX-License-Identifier: MIT */
/* Who starts a motion. A virtual rig, a rig in lockstep and a rehearsal start by themselves. A rig with a clock that
 * declares itself simulated waits for the orders arm and run, or has --start. A real rig moves by orders of a person
 * only, whose name is required. */
#pragma once

#include "clearance.h"
#include "events.h"
#include "app.h"

#include <interfield/case.h>
#include <interfield/executor.h>
#include <interfield/hybrid.h>
#include <interfield/result.h>

typedef struct start_rules {
    bool real;      /* a rig of the test moves iron */
    bool automatic; /* arm and run without orders */
    bool option;    /* by --start */
    bool waits;     /* after a trip, for an order */
    bool checks;    /* a checklist is asked after arm */
    bool second;    /* a second person confirms */
} start_rules;

/* After the rig is open. False after an error message: --start or a missing --operator on a real rig. */
bool start_choose(app *a, const ifd_hybrid_options *o, ifd_hybrid *h, start_rules *out);
/* Whether the name of the operator is given where a real rig requires it; the key of a case is not enough. False
 * after an error message. */
bool start_named(app *a, bool real);
/* The line about the rig at the beginning of a test. */
void start_say_rig(const app *a, const start_rules *s, const ifd_hybrid_options *o, const ifd_hybrid *h);
void start_log(const start_rules *s, const clearance *cleared, events *log);

#define OPTIONS_OF_START                                                                                             \
    {"--orders", NULL, "wait for the orders arm and run on every rig (training)"},                                   \
    {                                                                                                                \
        "--start", NULL, "give arm and run once, on a simulated rig with a clock; for scripts; this is recorded"     \
    }

/* A test that starts at a given instant: t = 0 falls on a tick at this instant of UTC. */

/* Before the rig is opened: whether case and options permit it. */
bool start_at_fits(app *a, const ifd_case *c);
/* Just before the first tick: sets the instant in the options of the executor. facts->at is 0 without one. False
 * after a message: the instant has passed, or the clock of this machine is not synchronised. */
bool start_at_choose(app *a, const ifd_case *c, ifd_executor_options *clock, ifd_start_facts *facts);
/* Prints and logs the instant, if there is one. */
void start_at_say(app *a, const ifd_start_facts *f, events *log);

/* Options for one execution of a test: --operator, --note, --scale, --rehearse. */

/* Before the case is read: --scale S is --set test.scale=S. */
bool day_before(app *a);
/* After: operator, notes, rehearsal; o is the copy of the options for this test. False after an error. */
bool day_after(app *a, ifd_case *c, ifd_hybrid_options *o);
/* Prints and logs these options. */
void day_say(app *a, const ifd_case *c, events *log);

/* The clock of a test. */

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
