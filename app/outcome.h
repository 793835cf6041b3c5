/* SPDX-License-Identifier: MIT */
/* Outcomes of commands and their exit statuses, in one table. `interfield help exit` prints it as
 * docs/reference/exit.md. Every command takes its exit status from a row of this table. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

/* Name, exit status, word, meaning. */
#define OUTCOME_LIST(X)                                                                                              \
    X(COMPLETED, 0, "completed", "the command has finished its task")                                                \
    X(GO, 0, "GO", "preflight: all checks are met")                                                                  \
    X(PARKED, 0, "parked", "the test ended on hold as ordered, with the specimen loaded; --continue resumes it")     \
    X(FAILED, 1, "failed", "the task could not be done, or a check is not met; the reason is printed")               \
    X(NO_GO, 1, "NO-GO", "preflight: a check is not met; the test must not start")                                   \
    X(TRIPPED, 1, "tripped", "a fault stopped the test; the fault is printed")                                       \
    X(ABORTED, 1, "aborted", "the operator ended the test or run early; the state is printed")                       \
    X(INCOMPLETE, 1, "incomplete", "ticks are missing in the record, or it ends before the test")                    \
    X(TO_DO, 1, "something to do", "doctor: a setting of the machine is to be changed, or is unknown")               \
    X(BAD_INPUT, 2, "bad input", "the command line, the case or a file has an error; nothing was computed")          \
    X(UNFIT, 2, "unfit", "doctor: wake-ups are later than half of the tick")                                         \
    X(CAUTION, 3, "GO WITH CAUTION", "preflight: the test may start; a check needs attention")                       \
    X(CAUTIOUS, 3, "completed with caution",                                                                         \
      "the command has finished its task; the cautions that it prints limit the result")                             \
    X(HUNG, 4, "hung",                                                                                               \
      "no tick for too long, or a second signal: the program ended without a call of the rig; interfield recover "   \
      "makes the result")

typedef enum outcome {
#define OUTCOME_ENUM(name, status, word, meaning) OUTCOME_##name,
    OUTCOME_LIST(OUTCOME_ENUM)
#undef OUTCOME_ENUM
        OUTCOME_COUNT
} outcome;

/* The bit of an outcome in the set of outcomes of a command. */
#define OUTCOME_BIT(name) (1u << OUTCOME_##name)

int outcome_exit(outcome o);
const char *outcome_word(outcome o);
/* The outcome for the word in a result ("completed", "tripped", ...). */
outcome outcome_of(const char *recorded);
/* Whether a result with this outcome reached its end, with or without a caution. */
bool outcome_complete(outcome o);

struct app;
struct ifd_result;
/* Prints the cautions of a closed result, also with --quiet and --json. */
void cautions_say(struct app *a, const struct ifd_result *result);

struct command;
/* The exit statuses of one command, one line each. */
void outcome_print_command(FILE *out, const struct command *c);
/* The table of outcomes and the head of the table of commands (Markdown); outcome_print_row prints its rows. */
void outcome_print(FILE *out);
void outcome_print_row(FILE *out, const struct command *c);
