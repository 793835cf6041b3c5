/* SPDX-License-Identifier: MIT */
#include "outcome.h"

#include <string.h>

#include "app.h"

static const struct {
    int status;
    const char *word, *meaning;
} rows[OUTCOME_COUNT] = {
#define ROW(name, status, word, meaning) {status, word, meaning},
    OUTCOME_LIST(ROW)
#undef ROW
};

int outcome_exit(outcome o)
{
    return (unsigned)o < OUTCOME_COUNT ? rows[o].status : EXIT_RUN_FAILED;
}

const char *outcome_word(outcome o)
{
    return (unsigned)o < OUTCOME_COUNT ? rows[o].word : "unknown";
}

/* The words of results never change their meaning; new ones are added. */
outcome outcome_of(const char *recorded)
{
    static const struct {
        const char *word;
        outcome is;
    } words[] = {{"done", OUTCOME_COMPLETED},       {"paused", OUTCOME_PAUSED},   {"tripped", OUTCOME_TRIPPED},
                 {"interrupted", OUTCOME_ABORTED},  {"aborted", OUTCOME_ABORTED}, {"cut", OUTCOME_INCOMPLETE},
                 {"incomplete", OUTCOME_INCOMPLETE}};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (strcmp(recorded, words[k].word) == 0)
            return words[k].is;
    return OUTCOME_FAILED;
}

#define BIT(name) (1u << OUTCOME_##name)

/* What each command can come to besides completed, failed and bad input, and what failed means for it. A command that
 * is not here judges nothing. */
static const struct {
    const char *command;
    unsigned besides;
    const char *failed;
} own[] = {
    {"run", BIT(ABORTED), "the run diverged, or could not be solved"},
    {"test", BIT(PAUSED) | BIT(TRIPPED) | BIT(ABORTED) | BIT(INCOMPLETE) | BIT(DEADLINES),
     "a fault ended the test by ramp-out, the rig could not be reached, or the record could not be written"},
    {"preflight", BIT(GO) | BIT(NO_GO) | BIT(CAUTION), "the certificate could not be written"},
    {"characterise", BIT(TRIPPED) | BIT(ABORTED), "nothing could be identified, or a file could not be written"},
    {"serve", BIT(PAUSED) | BIT(TRIPPED) | BIT(ABORTED) | BIT(INCOMPLETE) | BIT(DEADLINES),
     "the program that computes the structure went away, or as for test"},
    {"rig", 0, "the rig had to stop by itself"},
    {"channels", 0, "the rig measures nothing"},
    {"zero", 0, "a sensor is further off than its zero-limit, or shows nothing; then nothing is tared"},
    {"rig-check", 0, "a demand is not met"},
    {"stability", 0, "the case is unstable"},
    {"replay", BIT(INCOMPLETE), "a bit differs; the first place is named"},
    {"recover", BIT(INCOMPLETE), "the new result could not be written"},
    {"report", 0, "the page could not be written"},
    {"fmu", 0, "the FMU is not fit for a rig"},
    {"join", 0, "the joined run diverged, an FMU failed, or the file could not be written"},
    {"compare", 0, "a relative error is above --tolerance"},
    {"benchmark", 0, "a run was unstable"},
    {"reproduce", 0, "a figure could not be made"},
};
enum { OWN = sizeof own / sizeof *own };

static int find_own(const command *c)
{
    for (int k = 0; k < OWN; k++)
        if (strcmp(own[k].command, c->name) == 0)
            return k;
    return -1;
}

static bool can(const command *c, outcome o)
{
    int k = find_own(c);
    if (o == OUTCOME_COMPLETED)
        return k < 0 || !(own[k].besides & BIT(GO)); /* a verdict takes its place */
    return o == OUTCOME_FAILED || o == OUTCOME_BAD_INPUT || (k >= 0 && own[k].besides >> o & 1u);
}

static const char *failure(const command *c)
{
    int k = find_own(c);
    return k >= 0 ? own[k].failed : "out of memory, or a file could not be written";
}

void outcome_print_command(FILE *out, const command *c)
{
    fputs("\nExit status (interfield help exit):\n", out);
    for (int o = 0; o < OUTCOME_COUNT; o++)
        if (can(c, (outcome)o))
            fprintf(out, "    %d  %s%s%s\n", rows[o].status, rows[o].word, o == OUTCOME_FAILED ? ": " : "",
                    o == OUTCOME_FAILED ? failure(c) : "");
}

static void print_outcomes(FILE *out)
{
    fputs("# Outcomes and exit statuses\n\n"
          "Every command ends with one of these. `interfield help exit` prints this page.\n\n"
          "| exit status | outcome | meaning |\n|---|---|---|\n",
          out);
    for (int o = 0; o < OUTCOME_COUNT; o++)
        fprintf(out, "| %d | %s | %s |\n", rows[o].status, rows[o].word, rows[o].meaning);
    fputs(
        "\nThe member `outcome` of summary.json and the attribute of result.h5 hold these words: `done` (completed), "
        "`paused`, `tripped`, `fault` (failed:\na fault ended the test by ramp-out), `interrupted` (aborted by a "
        "signal or by stop on the live page), `aborted` (by an order), `incomplete`, `cut`\n(incomplete), `diverged` "
        "and `not written` (failed).\n\n"
        "## Commands\n\n| command | exit status 0 | exit status 1 | exit status 3 |\n|---|---|---|---|\n",
        out);
}

static void print_cell(FILE *out, const command *c, int status)
{
    const char *between = "";
    for (int o = 0; o < OUTCOME_COUNT; o++) {
        if (rows[o].status != status || !can(c, (outcome)o))
            continue;
        fprintf(out, "%s %s", between, rows[o].word);
        if (o == OUTCOME_FAILED)
            fprintf(out, " (%s)", failure(c));
        between = ",";
    }
    fputs(" |", out);
}

void outcome_print(FILE *out)
{
    print_outcomes(out);
    for (const command *c = commands; c->name; c++) {
        fprintf(out, "| %s |", c->name);
        print_cell(out, c, EXIT_FINE);
        print_cell(out, c, EXIT_RUN_FAILED);
        print_cell(out, c, EXIT_CAUTION);
        fputs("\n", out);
    }
    fputs("\nExit status 2, bad input, is possible for every command.\n", out);
}
