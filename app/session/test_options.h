/* SPDX-License-Identifier: MIT */
/* Options of everything that ticks and keeps a record. */
#ifndef APP_TEST_OPTIONS_H
#define APP_TEST_OPTIONS_H

#define OPTIONS_OF_TESTS                                                                                             \
    {"--core", "N", "keeps the tick on one core (any)"},                                                             \
        {"--priority", "P", "of the tick's thread, 1 to 99; 0 for an ordinary one (80)"},                            \
        {"--deadline", NULL, "asks for a reserved share of every period (SCHED_DEADLINE) before anything else"},     \
        {"--live", "[PORT]", "serves a page that shows the test in browsers (8765; 0 for any free port)"},           \
        {"--live-host", "ADDRESS", "the address of that page (127.0.0.1: this machine only)"},                       \
        {"--exit-on-trip", NULL, "ends by itself after a trip, as it does without a terminal and without --live"},   \
        {"--key", "FILE", "of the key that the rig's server has; instead of rig: {udp: {key: FILE}} in the case"},   \
        {"--csv", NULL, "also writes result.csv"},                                                                   \
        {"--operator", "NAME", "who runs the test, for the record; instead of test: {operator: ...}"},               \
    {                                                                                                                \
        "--note", "TEXT", "for the record, behind the notes of the case; may be repeated"                            \
    }

#define OUTCOMES_OF_TESTS                                                                                            \
    (OUTCOME_BIT(PAUSED) | OUTCOME_BIT(TRIPPED) | OUTCOME_BIT(ABORTED) | OUTCOME_BIT(INCOMPLETE) |                   \
     OUTCOME_BIT(DEADLINES))

#endif
