/* SPDX-License-Identifier: MIT */
/* Outcomes of commands and their exit statuses: the one table. `interfield help exit` prints it, and docs/exit.md is
 * what it prints. Every command takes its exit status from a row of it. */
#ifndef APP_OUTCOME_H
#define APP_OUTCOME_H

#include <stdio.h>

/* Name, exit status, word, meaning. */
#define OUTCOME_LIST(X)                                                                                              \
    X(COMPLETED, 0, "completed", "the command did what was asked")                                                   \
    X(GO, 0, "GO", "preflight: every check is met")                                                                  \
    X(PAUSED, 0, "paused", "the test stopped on hold as ordered; --continue goes on from its checkpoint")            \
    X(FAILED, 1, "failed", "the command could not do it, or what it judges is not met; the reason is named")         \
    X(NO_GO, 1, "NO-GO", "preflight: a check says that the test must not begin")                                     \
    X(TRIPPED, 1, "tripped", "a fault stopped the test; the fault is named")                                         \
    X(ABORTED, 1, "aborted", "the operator ended the test or the run before its end; the state is named")            \
    X(INCOMPLETE, 1, "incomplete", "the record lacks ticks, or ends before the test did")                            \
    X(BAD_INPUT, 2, "bad input", "the command line, the case or a file is wrong; nothing was run")                   \
    X(CAUTION, 3, "GO WITH CAUTION", "preflight: the test may begin, and something needs attention")                 \
    X(DEADLINES, 3, "deadlines missed", "the test completed, but more ticks were late than test: {missed-deadlines}")

typedef enum outcome {
#define OUTCOME_ENUM(name, status, word, meaning) OUTCOME_##name,
    OUTCOME_LIST(OUTCOME_ENUM)
#undef OUTCOME_ENUM
        OUTCOME_COUNT
} outcome;

/* In the set of a command's outcomes. */
#define OUTCOME_BIT(name) (1u << OUTCOME_##name)

int outcome_exit(outcome o);
const char *outcome_word(outcome o);
/* Of the word that a result holds ("done", "tripped", "interrupted", ...). */
outcome outcome_of(const char *recorded);

struct command;
/* The exit statuses of one command, a line for each; nothing for a name without a row. */
void outcome_print_command(FILE *out, const struct command *c);
/* The table and the head of another: what it means for each command, whose row follows; as Markdown. */
void outcome_print(FILE *out);
void outcome_print_row(FILE *out, const struct command *c);

#endif
