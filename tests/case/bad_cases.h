/* SPDX-License-Identifier: MIT */
/* Every file of tests/cases-bad contains an error; its first lines contain the expected messages:
 *
 *     # set: time.step=0              (optional: overrides)
 *     # expect: CODE LINE part of the text or of the hint
 *
 * one line per error, in the order in which they are reported, and no error besides. Files whose names begin with _
 * are included or read by others. */
#pragma once

#include <stdbool.h>

#include <interfield/case.h>

enum { MOST_FILES = 1024, MOST_LINES = 12 };

#define BAD_CASES IFD_SOURCE_DIR "/tests/cases-bad"

typedef struct expectation {
    char code[32], part[200];
    int line;
} expectation;

typedef struct bad_case {
    char path[512];
    expectation expect[MOST_LINES];
    char set[MOST_LINES][200];
    int expects, sets;
} bad_case;

/* All of them, in the order of their names. */
bad_case *bad_cases(int *count);
/* Whether a finding is what was announced. */
bool bad_case_agrees(const expectation *e, const ifd_finding *f);
