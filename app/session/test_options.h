/* SPDX-License-Identifier: MIT */
/* Options of the commands that run a test and record it. */
#pragma once

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
     OUTCOME_BIT(DEADLINES) | OUTCOME_BIT(MEASUREMENTS) | OUTCOME_BIT(CAUTIOUS) | OUTCOME_BIT(HUNG))
