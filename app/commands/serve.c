/* SPDX-License-Identifier: MIT */
/* interfield serve: OpenSees computes the structure, a test follows it. */
#include "app.h"
#include "outcome.h"
#include "session/test_options.h"

#include <string.h>

static int run_command(app *a)
{
    if (a->words < 2 || strcmp(a->word[0], "opensees") != 0)
        return app_refuse(a, "serve what? expected: interfield serve opensees CASE");
    a->word[0] = a->word[1];
    a->words = 1;
    return command_test.run(a);
}

const command command_serve = {
    .name = "serve",
    .words = "opensees CASE",
    .summary = "tests specimens on a rig while a stock OpenSees script computes the structure",
    .details =
        "Waits until the genericClient elements of the script have connected, then leads the specimens as the "
        "script\nsays and answers with the measured forces (docs/opensees.md). Limits, orders, Ctrl-C, result and "
        "exit status\nare those of `interfield test`. A test that was stopped answers with NaN until the script has "
        "ended.",
    .options = {OPTION_OUT,
                {"--port", "N", "the port to serve (the case's, 8090); 0 for one that is free"},
                {"--udp", NULL, "datagrams instead of TCP, for scripts that say -udp"},
                OPTION_SET,
                {"--until-close", NULL,
                 "the test is complete when the script ends, wherever that is; without it at the case's end"},
                {"--as-fast-as-possible", NULL, "no clock: every answer as soon as the virtual specimen is there"},
                OPTIONS_OF_TESTS,
                {"--certificate", "FILE", "of its preflight; without it the one beside the case, or here"},
                {"--without-preflight", NULL, "goes on without one; recorded"}},
    .run = run_command,
    .code = CODE_RUN,
    .outcomes = OUTCOMES_OF_TESTS,
    .failed = "the program that computes the structure went away, or as for test",
};
