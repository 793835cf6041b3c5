/* SPDX-License-Identifier: MIT */
/* interfield serve: OpenSees computes the structure, and a test follows it. */
#include "outcome.h"
#include "session/test_said.h"

#include <string.h>

static int run_command(app *a)
{
    if (a->words < 2 || strcmp(a->word[0], "opensees") != 0)
        return app_refuse(a, "serve: expected 'interfield serve opensees CASE'");
    a->word[0] = a->word[1];
    a->words = 1;
    return command_test.run(a);
}

const command command_serve = {
    .name = "serve",
    .words = "opensees CASE",
    .summary = "test specimens while an OpenSees script computes the structure",
    .details = "Waits until all genericClient elements of the script have connected. Then the specimens follow "
               "the displacements of the script, and the script receives the measured forces. Limits, orders, "
               "Ctrl-C, result and exit status are those of `interfield test`. After a stop the script receives "
               "NaN as forces until it ends.",
    .options = {OPTION_OUT,
                {"--port", "N", "port; 0: any free port (default: that of the case, else 8090)"},
                {"--udp", NULL, "use UDP instead of TCP, for scripts with the option -udp"},
                OPTION_SET,
                {"--until-close", NULL,
                 "the test is complete when the script ends (default: at the end time of the case)"},
                {"--as-fast-as-possible", NULL,
                 "free-running: answer as soon as the virtual specimen has reached its target"},
                OPTIONS_OF_TESTS,
                OPTIONS_OF_START,
                {"--certificate", "FILE",
                 "preflight certificate (default: the one beside the case or in this folder)"},
                {"--without-preflight", NULL, "start without a certificate; this is recorded"}},
    .examples = "interfield serve opensees opensees/hybrid --as-fast-as-possible",
    .see = "test opensees.md",
    .run = run_command,
    .code = CODE_RUN,
    .outcomes = OUTCOMES_OF_TESTS,
    .failed = "the connection to the program that computes the structure was lost, or as for test",
};
