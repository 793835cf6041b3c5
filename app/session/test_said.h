/* SPDX-License-Identifier: MIT */
/* The messages of `interfield test`: before and after a test, while it waits, about its states. */
#pragma once

#include "start.h"
#include "progress.h"

#include <interfield/recorder.h>

typedef struct test_said {
    app *a;
    const ifd_case *c;
    const ifd_hybrid *h;
    const ifd_hybrid_options *o;
    const start_rules *start;
    const char *itself; /* why the program stopped the test; NULL: a person or a signal did */
    bool unanswered;    /* the test waited for an operator without a response */
} test_said;

/* Case, model, method and rig. */
void test_plan_say(const test_said *s);
/* The outcome: "completed", "tripped: a measured force exceeds its limit", "aborted by the operator in state
 * run". */
void test_outcome_print(const test_said *s, const ifd_result *result, char *out, size_t size);
/* Prints the outcome, the peaks of every channel and the files. */
void test_ending_say(const test_said *s, const ifd_executor_report *r, const ifd_timing *t, const ifd_result *result,
                     const char *folder);
/* The reason for which the rig did not become ready; false: it did, or the test was ended before. */
bool test_cold_say(const test_said *s, const ifd_executor_report *r);
/* Prints the latched fault as an error, if there is one. */
void test_trip_say(const test_said *s);

/* The message about the condition for which a test in the state idle waits. */

/* "position of 'bearing' is 1.5 m, outside its stroke of -50 mm to 50 mm; no command is sent until it is inside";
 * empty if the test does not wait. */
void waiting_print(char *out, size_t size, const progress *l);

/* The last message and its time (ns). */
typedef struct waiting {
    ifd_wait said;
    uint64_t when;
    uint64_t since; /* start of the program of the test */
    bool ordered;   /* the test waits for orders, without end */
} waiting;

/* The same before the first tick, while the rig prepares its hardware. */
bool waiting_cold(waiting *w, const ifd_hybrid *h, uint64_t now, char *out, size_t size);

/* Whether the message is due: half a second after the start of the wait, which is longer than most rigs need, and
 * again when the reason changes (once a second at most), or ten seconds have passed. "(12 s of 60 s)" is appended if
 * the test ends after a maximum wait. */
bool waiting_due(waiting *w, const progress *l, const ifd_hybrid_options *o, uint64_t now, char *out, size_t size);

/* What the terminal prints about a state of a test: what holds, and the words that the operator may type next. */

/* "bearing 12.31 mm, 4.2 kN", of every specimen, separated by "; ". apart: with the distance of the command. */
void places_print(const progress *l, bool apart, char *out, size_t size);
/* The lines about the present state, after its name as label; false: its name is enough. asked: a person can answer.
 */
bool state_print(const progress *l, const start_rules *start, bool asked, char *out, size_t size);

/* Options of the commands that run a test and record it. */

#define OPTIONS_OF_TESTS                                                                                             \
    {"--core", "N", "run the tick on this processor core (default: any)"},                                           \
        {"--priority", "P", "real-time priority of the tick thread, 1 to 99; 0: ordinary scheduling (default 80)"},  \
        {"--deadline", NULL, "request reserved processor time in every period (SCHED_DEADLINE)"},                    \
        {"--live", "[PORT]", "show the test in a browser; 0: any free port (default port 8765)"},                    \
        {"--live-host", "ADDRESS", "network address of that page (default 127.0.0.1: this computer only)"},          \
        {"--exit-on-trip", NULL, "end after a trip; this is the default without a terminal and without --live"},     \
        {"--key", "FILE", "key file of the rig server (default: rig: {udp: {key: FILE}} of the case)"},              \
        {"--start-at", "INSTANT", "t = 0 at this instant (UTC), or next:10s (default: start-at of the case)"},       \
        {"--csv", NULL, "also write result.csv"},                                                                    \
        {"--operator", "NAME",                                                                                       \
         "name of the operator; required on a real rig (default otherwise: test: {operator: ...} of the case)"},     \
    {                                                                                                                \
        "--note", "TEXT", "note for the record, added to the notes of the case; may be repeated"                     \
    }

#define OUTCOMES_OF_TESTS                                                                                            \
    (OUTCOME_BIT(PARKED) | OUTCOME_BIT(TRIPPED) | OUTCOME_BIT(ABORTED) | OUTCOME_BIT(INCOMPLETE) |                   \
     OUTCOME_BIT(CAUTIOUS) | OUTCOME_BIT(HUNG))
