/* SPDX-License-Identifier: MIT */
/* The table of outcomes with their words and exit statuses. */
#include "outcome.h"

#include <string.h>

#include <interfield/result.h>

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

static const char usual_failure[] = "out of memory, or a file could not be written";

/* A word that is no longer written is read nevertheless: results are kept for years. */
outcome outcome_of(const char *recorded)
{
    static const struct {
        const char *word;
        outcome is;
    } earlier[] = {{"interrupted", OUTCOME_ABORTED},
                   {"deadlines missed", OUTCOME_CAUTIOUS},
                   {"measurements missed", OUTCOME_CAUTIOUS}};
    for (int o = 0; o < OUTCOME_COUNT; o++)
        if (strcmp(recorded, rows[o].word) == 0)
            return (outcome)o;
    for (size_t k = 0; k < sizeof earlier / sizeof *earlier; k++)
        if (strcmp(recorded, earlier[k].word) == 0)
            return earlier[k].is;
    return OUTCOME_FAILED;
}

bool outcome_complete(outcome o)
{
    return o == OUTCOME_COMPLETED || (o != OUTCOME_CAUTION && outcome_exit(o) == EXIT_CAUTION);
}

void cautions_say(app *a, const ifd_result *result)
{
    int count;
    const char *const *text = ifd_result_cautions(result, &count);
    for (int k = 0; k < count; k++)
        app_complain(a, "caution: %s", text[k]);
}

static bool can(const command *c, outcome o)
{
    if (o == OUTCOME_COMPLETED)
        return !(c->outcomes & OUTCOME_BIT(GO)); /* a verdict replaces it */
    return o == OUTCOME_FAILED || o == OUTCOME_BAD_INPUT || (c->outcomes >> o & 1u);
}

void outcome_print_command(FILE *out, const command *c)
{
    for (int o = 0; o < OUTCOME_COUNT; o++)
        if (can(c, (outcome)o))
            fprintf(out, "    %d  %s%s%s\n", rows[o].status, rows[o].word, o == OUTCOME_FAILED ? ": " : "",
                    o == OUTCOME_FAILED ? c->failed ? c->failed : usual_failure : "");
}

void outcome_print(FILE *out)
{
    fputs("# Outcomes and exit statuses\n\n"
          "Every command ends with one of these outcomes. `interfield help exit` prints this page.\n\n"
          "| exit status | outcome | meaning |\n|---|---|---|\n",
          out);
    for (int o = 0; o < OUTCOME_COUNT; o++)
        fprintf(out, "| %d | %s | %s |\n", rows[o].status, rows[o].word, rows[o].meaning);
    fputs(
        "\n## Outcome in a result\n\n"
        "summary.json, result.h5 and Python have these words in `outcome`; `outcome_reason` gives the reason in a "
        "sentence.\n\n"
        "| `outcome` | meaning in a result |\n|---|---|\n"
        "| `completed with caution` | `cautions` has a sentence for each, the first is the reason: late ticks above "
        "test: {missed-deadlines}, ticks without a new measurement above test: {stale-share}, and other findings |\n"
        "| `aborted` | ended early by an order, a signal, or because the program that started it has ended; "
        "`aborted_in` is the state of a test |\n"
        "| `failed` | a fault ended the test by ramp-out, the run diverged, or the record could not be written |\n"
        "| `hung` | `hung` contains the tick, the place and the seconds without a tick |\n\n"
        "## Commands\n\n",
        out);
    fprintf(
        out,
        "Every command can end as `completed` (preflight with a verdict), `bad input` or `failed` (%s). The table "
        "has "
        "all other outcomes, and further reasons of `failed`.\n\n| command | outcomes |\n|---|---|\n",
        usual_failure);
}

void outcome_print_row(FILE *out, const command *c)
{
    const char *between = "";
    fprintf(out, "| %s |", c->name);
    for (int o = 0; o < OUTCOME_COUNT; o++) {
        if (!can(c, (outcome)o) || o == OUTCOME_COMPLETED || o == OUTCOME_BAD_INPUT ||
            (o == OUTCOME_FAILED && !c->failed))
            continue;
        fprintf(out, "%s %s", between, rows[o].word);
        if (o == OUTCOME_FAILED)
            fprintf(out, " (%s)", c->failed);
        between = ",";
    }
    fputs(" |\n", out);
}
