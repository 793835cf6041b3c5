/* SPDX-License-Identifier: MIT */
/* Runs a function in a confined child process. */
#include "sandbox.h"
#include "allocations.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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

/* Steps the FMUs of a test in a child process and judges whether they allocate memory. */

enum { STEPS = 400, PATIENCE = 60 /* s */ };

typedef struct trial {
    const ifd_case *c;
    const ifd_value *file, *parameters;
    double tick;
    ifd_fmu_quality *found; /* shared with the process of the trial */
} trial;

static int try(app *a, void *self)
{
    const trial *t = self;
    ifd_fmu *f;
    const int fd = SANDBOX_KEPT;
    const ifd_fmu_open_options how = {
        .allocate = allocations_calloc, .release = allocations_free, .file = t->file->data ? &fd : NULL};
    ifd_status status = ifd_fmu_open_as(a->arena, t->file->word, &how, &f, &a->note);
    if (status == IFD_OK)
        status = ifd_fmu_preset_text(f, t->parameters->word, &t->parameters->place, &a->note);
    if (status == IFD_OK)
        status = ifd_fmu_begin(f, 0.0, &a->note);
    APP_TRY(a, status);
    ifd_fmu_qualify(f, STEPS, t->tick, 1e-3, allocations_watch(ALLOCATIONS_OF_FMU) ? allocations : NULL, t->found);
    return EXIT_FINE;
}

static bool judge(app *a, const trial *t, const ifd_value *allowed)
{
    const ifd_fmu_quality *q = t->found;
    app_say(a, "fmu", "%s · %ld steps, median %s, worst %s · %ld allocations", t->file->word, q->steps,
            quantity(q->p50, "s").text, quantity(q->worst, "s").text, q->allocations);
    if (q->allocations <= 0 || allowed->number > 0)
        return true;
    ifd_note_add(&a->note, IFD_UNSUPPORTED, &t->file->place,
                 "the FMU '%s' allocates memory during steps, %ld times in %ld steps", t->file->word, q->allocations,
                 q->steps);
    ifd_note_hint(&a->note, "a tick may be delayed by it; add 'allocates: yes' beside 'file' to permit it in a test "
                            "in real time");
    ifd_case_quote(t->c, &a->note);
    (void)app_fail(a, IFD_UNSUPPORTED);
    return false;
}

static bool fits(app *a, const ifd_case *c, const ifd_param *params, const ifd_value *values, double tick)
{
    ifd_fmu_quality *found = mmap(NULL, sizeof *found, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (found == MAP_FAILED)
        return app_fail(a, IFD_NO_MEMORY) == EXIT_FINE;
    trial t = {.c = c,
               .file = ifd_param_get(params, values, "file"),
               .parameters = ifd_param_get(params, values, "parameters"),
               .tick = tick,
               .found = found};
    int fd = t.file->data ? (int)*t.file->data : -1;
    bool good = sandbox_run(a, try, &t, PATIENCE, t.file->data ? &fd : NULL) == EXIT_FINE &&
                judge(a, &t, ifd_param_get(params, values, "allocates"));
    (void)munmap(found, sizeof *found);
    return good;
}

bool fmus_fit(app *a, const ifd_case *c, const ifd_hybrid_options *test, double tick)
{
    bool here =
        ifd_rigs_are_virtual(test->rig, test->rig_setup); /* for another rig they only describe its specimens */
    for (int k = 0; here && c->laboratory && k < c->laboratory->channels; k++) {
        const ifd_virtual_channel *b = &c->laboratory->channel[k];
        if (b->specimen == &ifd_fmu_element && !fits(a, c, ifd_fmu_element.params, b->specimen_values, tick))
            return false;
        if (b->actuator == &ifd_fmu_actuator && !fits(a, c, ifd_fmu_actuator.params, b->actuator_values, tick))
            return false;
    }
    return true;
}
