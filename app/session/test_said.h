/* SPDX-License-Identifier: MIT */
/* What `interfield test` says to people before and after a test. */
#ifndef APP_TEST_SAID_H
#define APP_TEST_SAID_H

#include "app.h"

#include <interfield/recorder.h>

typedef struct test_said {
    app *a;
    const ifd_case *c;
    const ifd_hybrid *h;
    const ifd_hybrid_options *o;
} test_said;

/* Case, model, method and rig. */
void test_plan_say(const test_said *s);
/* How the test ended: "completed", "tripped: a measured force exceeds its limit", "aborted by the operator in state
 * run". */
void test_outcome_print(const test_said *s, const ifd_result *result, char *out, size_t size);
/* The same, the peaks of every channel, the files. */
void test_ending_say(const test_said *s, const ifd_executor_report *r, const ifd_timing *t, const ifd_result *result,
                     const char *folder);
/* The latched fault, as a complaint; nothing when there is none. */
void test_trip_say(const test_said *s);

#endif
