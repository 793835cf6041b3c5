/* SPDX-License-Identifier: MIT */
/* Who starts a motion. A virtual rig, a rig in lockstep and a rehearsal start by themselves. A rig with a clock that
 * declares itself simulated waits for the orders arm and run, or has --start. A real rig moves by orders of a person
 * only, whose name is required. */
#pragma once

#include "clearance.h"
#include "events.h"

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
/* "real rig: it moves by orders only" */
const char *start_text(const app *a, const start_rules *s);
/* The line about the rig at the beginning of a test. */
void start_say_rig(const app *a, const start_rules *s, const ifd_hybrid_options *o, const ifd_hybrid *h);
void start_log(const start_rules *s, const clearance *cleared, events *log);

#define OPTIONS_OF_START                                                                                             \
    {"--orders", NULL, "wait for the orders arm and run on every rig (training)"},                                   \
    {                                                                                                                \
        "--start", NULL, "give arm and run once, on a simulated rig with a clock; for scripts; this is recorded"     \
    }
