/* SPDX-License-Identifier: MIT */
/* A small hybrid test from a case file, with its recorder: a mass on a spring, half of which is on the rig. */
#pragma once

#include <interfield/recorder.h>

typedef struct spring {
    ifd_arena *arena, *books;
    ifd_note note;
    ifd_case *c;
    ifd_hybrid *test;
    ifd_recorder *recorder;
    ifd_executor_report report;
    char folder[256];
} spring;

/* sets: up to count overrides. The folder is made, name in the folder of files.h; the recorder is open. */
void spring_open(spring *s, const char *name, int count, const char *const *sets);
/* With the recorder of a test that has a clock: it never waits for its disk. */
void spring_open_clocked(spring *s, const char *name, int count, const char *const *sets);
/* Of a test that waits for its operator after a trip. */
void spring_open_waiting(spring *s, const char *name);
/* Ticks it without a clock to its end and closes the recorder. */
void spring_run(spring *s);
/* With orders, one every 300 ticks. */
void spring_run_ordered(spring *s, const ifd_order *order, int count);
void spring_close(spring *s);
