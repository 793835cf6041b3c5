/* SPDX-License-Identifier: MIT */
/* contain PROGRAM WORDS...: runs a test so that nothing of it is left. Its TMPDIR is a folder of its own that goes
 * with it, and whatever it started is a descendant of this process, orphans too: what still runs a while after the
 * test has ended is named, killed, and fails the test. Its exit status is otherwise that of the test. The last line
 * that it prints is the processor time of all of them, which tools/ctest-all adds up. */
#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CANNOT_RUN = 126, BY_SIGNAL = 128, GRACE = 1000 }; /* GRACE in hundredths of a second */

static volatile sig_atomic_t told; /* the signal that ends this program */

static void tell(int signal)
{
    told = signal;
}

static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
}

/* The parent of a process, as in /proc/PID/stat: "PID (name) state PPID". 0 when it is gone. */
static long parent_of(long pid)
{
    char path[64], text[512], state;
    long parent = 0;
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    size_t n = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[n] = '\0';
    const char *after = strrchr(text, ')');
    return after && sscanf(after + 1, " %c %ld", &state, &parent) == 2 ? parent : 0;
}

static void name_of(long pid, char *out, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/cmdline", pid);
    FILE *file = fopen(path, "r");
    size_t n = file ? fread(out, 1, size - 1, file) : 0;
    if (file)
        fclose(file);
    for (size_t i = 0; i + 1 < n; i++)
        if (out[i] == '\0')
            out[i] = ' ';
    out[n] = '\0';
}

/* Their own children become ours. */
static void kill_children(bool loudly)
{
    DIR *all = opendir("/proc");
    for (const struct dirent *e; all && (e = readdir(all));) {
        long pid = strtol(e->d_name, NULL, 10);
        if (pid <= 0 || parent_of(pid) != (long)getpid())
            continue;
        char name[300];
        name_of(pid, name, sizeof name);
        if (loudly)
            printf("FAILED: left behind: process %ld, %s\n", pid, name);
        (void)kill((pid_t)pid, SIGKILL);
    }
    if (all)
        closedir(all);
}

/* Whether any descendant is left; those that ended are reaped. */
static bool any_left(void)
{
    pid_t gone;
    while ((gone = waitpid(-1, NULL, WNOHANG)) > 0) {
    }
    return gone == 0;
}

static void kill_all(bool loudly)
{
    for (int k = 0; k < GRACE && any_left(); k++, nap())
        kill_children(loudly && k == 0);
}

static int status_of(pid_t test)
{
    int status = 0;
    for (;;) {
        pid_t gone = waitpid(-1, &status, 0);
        if (gone == test)
            break;
        if (told || (gone < 0 && errno != EINTR))
            return BY_SIGNAL + (told ? told : SIGKILL);
    }
    if (!WIFSIGNALED(status))
        return WEXITSTATUS(status);
    printf("FAILED: ended by signal %d (%s)\n", WTERMSIG(status), strsignal(WTERMSIG(status)));
    return BY_SIGNAL + WTERMSIG(status);
}

static int take_away(const char *name, const struct stat *facts, int kind, struct FTW *where)
{
    (void)facts;
    (void)kind;
    (void)where;
    (void)remove(name);
    return 0;
}

static void set_up(char *folder, size_t size)
{
    const struct sigaction heard = {.sa_handler = tell};
    const int ends[] = {SIGHUP, SIGINT, SIGTERM};
    const char *place = getenv("TMPDIR");
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        (void)sigaction(ends[i], &heard, NULL);
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1);
    snprintf(folder, size, "%s/interfield-XXXXXX", place && *place ? place : "/tmp");
    if (!mkdtemp(folder))
        folder[0] = '\0';
    else
        (void)setenv("TMPDIR", folder, 1);
}

static void tell_time(void)
{
    struct rusage u;
    if (getrusage(RUSAGE_CHILDREN, &u) == 0)
        printf("processor time %.2f s\n", (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
                                              1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec));
}

int main(int argc, char **argv)
{
    char folder[PATH_MAX];
    if (argc < 2)
        return CANNOT_RUN;
    set_up(folder, sizeof folder);
    pid_t test = fork();
    if (test == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        (void)execvp(argv[1], argv + 1);
        fprintf(stderr, "%s: %s\n", argv[1], strerror(errno));
        _exit(CANNOT_RUN);
    }
    int status = test > 0 ? status_of(test) : CANNOT_RUN;
    for (int k = 0; k < GRACE && !told && any_left(); k++)
        nap();
    if (any_left()) {
        kill_all(!told);
        status = status ? status : EXIT_FAILURE;
    }
    if (folder[0])
        (void)nftw(folder, take_away, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
    tell_time();
    fflush(NULL);
    return status;
}
