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
/* How it ended, the peaks of every channel, the files. */
void test_ending_say(const test_said *s, const ifd_executor_report *r, const ifd_timing *t, const char *outcome,
                     const char *folder);
/* The latched fault, as a complaint; nothing when there is none. */
void test_trip_say(const test_said *s);

#endif
