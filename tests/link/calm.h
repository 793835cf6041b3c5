/* SPDX-License-Identifier: MIT */
/* Real-time tests on a shared machine. A rig stops if its test is silent for longer than its watchdog, and a test
 * gives up a silent rig. A stalled machine has the same effect. Such a test therefore runs in a separate process and
 * is repeated after a failure with eight and then sixty-four times the patience: waiting times are longer, assertions
 * are the same. IFD_PATIENCE=8 or 64 starts there, to check the later attempts on a quiet machine. */
#pragma once

#include "check.h"

/* Factor on the permitted silence in a test. */
extern double patience;

/* As cmocka_run_group_tests; set_up may be NULL and runs before each test. */
int calm_run(const struct CMUnitTest *tests, size_t count, CMFixtureFunction set_up);
