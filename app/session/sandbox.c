/* SPDX-License-Identifier: MIT */
/* Runs a function in a confined child process. */
#include "sandbox.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <interfield/fmu.h>

static volatile sig_atomic_t below; /* the child */

/* SIGTERM and Ctrl-C end the child; this process then cleans up. */
static void end_child(int number)
{
    (void)number;
    if (below > 0)
        kill(below, SIGKILL);
}

static pid_t fork_below(void)
{
    struct sigaction action = {.sa_handler = end_child, .sa_flags = SA_RESTART};
    sigset_t ends, before;
    sigemptyset(&ends);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGINT);
    sigprocmask(SIG_BLOCK, &ends, &before);
    pid_t parent = getpid(), child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            _exit(EXIT_RUN_FAILED);
    } else {
        below = child;
        sigaction(SIGTERM, &action, NULL);
        sigaction(SIGINT, &action, NULL);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    return child;
}

/* In the child: a counter that must increase between alarms, and its last value. */
static struct {
    const volatile long *count;
    long last;
    unsigned seconds;
} progress;

static void end_without_progress(int number)
{
    long now = progress.count ? *progress.count : 0;
    if (progress.count && now != progress.last) {
        progress.last = now;
        alarm(progress.seconds);
        return;
    }
    signal(number, SIG_DFL);
    raise(number);
}

void sandbox_watch(const long *count)
{
    if (progress.seconds == 0)
        return; /* not in a child */
    progress.count = count;
    progress.last = count ? *count : 0;
    alarm(progress.seconds);
}

static void confine(unsigned seconds, const int *kept)
{
    bool keeps = kept && dup2(*kept, SANDBOX_KEPT) == SANDBOX_KEPT;
    closefrom(keeps ? SANDBOX_KEPT + 1 : SANDBOX_KEPT);
    if (unshare(CLONE_NEWNET) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0)
        fprintf(stderr, "interfield: the network of the child process could not be disabled: %s\n", strerror(errno));
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* repeated, as unshare can clear it */
    progress.seconds = seconds;
    signal(SIGALRM, end_without_progress);
    sandbox_watch(NULL);
}

int sandbox_run(app *a, int (*what)(app *a, void *self), void *self, unsigned seconds, const int *kept)
{
    const char *base = getenv("TMPDIR");
    char *folder = ifd_fmu_folder(a->arena, "apart");
    if (!folder)
        return app_give_up(a, "no folder can be created in '%s'", base && *base ? base : "/tmp");
    fflush(stdout);
    pid_t child = fork_below();
    if (child == 0) {
        setenv("TMPDIR", folder, 1);
        confine(seconds, kept);
        int exit_status = what(a, self);
        app_put_complaint(a, exit_status);
        fflush(stdout);
        _exit(exit_status);
    }
    int status = 0;
    bool ended = child > 0 && waitpid(child, &status, 0) == child;
    below = 0;
    ifd_fmu_folder_remove(folder);
    if (!ended)
        return app_fail(a, IFD_INTERNAL);
    if (WIFEXITED(status)) {
        a->put = a->put || WEXITSTATUS(status) != EXIT_FINE; /* the child has printed the reason */
        return WEXITSTATUS(status);
    }
    if (WTERMSIG(status) == SIGALRM)
        app_complain(a, "the FMU did not respond within %u s; its child process was ended, and the program continues",
                     seconds);
    else
        app_complain(a, "the FMU crashed its child process (%s); the program continues", strsignal(WTERMSIG(status)));
    return EXIT_RUN_FAILED;
}
