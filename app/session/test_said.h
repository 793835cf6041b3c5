/* SPDX-License-Identifier: MIT */
/* The messages of `interfield test` before and after a test. */
#pragma once

#include "start.h"

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
