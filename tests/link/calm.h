/* SPDX-License-Identifier: MIT */
/* Tests in real time on a machine that others use too. A rig whose test is silent for longer than its watchdog stops,
 * and a test whose rig is silent gives it up: that is what they are for, and a machine that stands still for a moment
 * looks the same from inside. Such a test is run in a process of its own, and when it fails once more with eight and
 * then with sixty-four times the patience: all it waits for takes longer then, nothing it asserts is another.
 * IFD_PATIENCE=8 or 64 begins there, to see on a quiet machine that the later attempts can pass. */
#ifndef TESTS_LINK_CALM_H
#define TESTS_LINK_CALM_H

#include "check.h"

/* What a test multiplies its limits of silence by. */
extern double patience;

/* As cmocka_run_group_tests; set_up may be NULL and runs before each test. */
int calm_run(const struct CMUnitTest *tests, size_t count, CMFixtureFunction set_up);

#endif
