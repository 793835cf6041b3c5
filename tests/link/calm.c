/* SPDX-License-Identifier: MIT */
#include "link/calm.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ASSERTION = 77 }; /* exit status of a failed assertion; any other, as of a sanitizer, is not repeated */

double patience = 1.0;

static int attempt(const struct CMUnitTest *test, CMFixtureFunction set_up)
{
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (!_cmocka_run_group_tests(test->name, test, 1, set_up, NULL))
            exit(EXIT_SUCCESS);
        fflush(NULL);
        _exit(ASSERTION); /* memory after a failed assertion is not a leak */
    }
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE;
}

int calm_run(const struct CMUnitTest *tests, size_t count, CMFixtureFunction set_up)
{
    const char *said = getenv("IFD_PATIENCE");
    const double first = said ? strtod(said, NULL) : 1.0;
    int failed = 0;
    for (size_t i = 0; i < count; i++) {
        int status = ASSERTION;
        for (patience = first; status == ASSERTION && patience <= 64.0; patience *= 8.0) {
            if (patience > first)
                print_message("%s: repeated with %g times the patience\n", tests[i].name, patience);
            status = attempt(&tests[i], set_up);
        }
        failed += status != EXIT_SUCCESS;
    }
    print_message("%zu tests in real time, %d failed\n", count, failed);
    return failed;
}
