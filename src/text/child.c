/* SPDX-License-Identifier: MIT */
/* Runs a function in a child process and takes its answer. */
#include "text/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    FINE = 0,
    SILENCE = 300000, /* ms without a byte, far longer than the permitted processor time takes on a busy machine */
    BRIEF = 2         /* additional s of processor time, for a signal that was blocked */
};

static void confine(pid_t parent, unsigned seconds)
{
    const struct rlimit time = {.rlim_cur = seconds, .rlim_max = seconds + BRIEF}, core = {0, 0};
    const struct sigaction ordinary = {.sa_handler = SIG_DFL};
    sigset_t none;
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    for (int s = 1; s < NSIG; s++)
        (void)sigaction(s, &ordinary, NULL);
    sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)setrlimit(RLIMIT_CPU, &time);
    (void)setrlimit(RLIMIT_CORE, &core);
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC); /* HDF5 and the C library print when they abort */
    for (int fd = 0; nowhere >= 0 && fd <= 2; fd++)
        (void)dup2(nowhere, fd);
}

bool ifd__child_open(ifd__child *c, ifd__child_work work, void *context, unsigned seconds)
{
    int ends[2];
    pid_t parent = getpid();
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    *c = (ifd__child){.fd = ends[0], .pid = fork()};
    if (c->pid == 0) {
        ifd__child_pipe to = {ends[1]};
        confine(parent, seconds);
        work(context, &to);
        _exit(FINE); /* without exit handlers, which belong to the parent */
    }
    close(ends[1]);
    if (c->pid < 0)
        close(ends[0]);
    return c->pid > 0;
}

bool ifd__child_get(ifd__child *c, void *out, size_t bytes)
{
    char *at = out;
    while (bytes > 0) {
        struct pollfd ready = {.fd = c->fd, .events = POLLIN};
        int n = poll(&ready, 1, SILENCE);
        if (n < 0 && errno == EINTR)
            continue;
        c->late = c->late || n == 0;
        ssize_t got = n > 0 ? read(c->fd, at, bytes) : 0;
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        at += got;
        bytes -= (size_t)got;
    }
    return true;
}

const char *ifd__child_get_text(ifd__child *c, ifd_arena *arena, size_t most)
{
    uint64_t length = 0;
    char *text = ifd__child_get(c, &length, sizeof length) && length <= most
                     ? ifd_arena_take(arena, (size_t)length + 1)
                     : NULL;
    if (!text || !ifd__child_get(c, text, (size_t)length))
        return NULL;
    text[length] = '\0';
    return text;
}

/* Meaning of the signal that ended the child. */
static const char *of_signal(int signal)
{
    switch (signal) {
    case SIGXCPU:
    case SIGKILL:
        return "HDF5 does not finish reading it";
    case SIGSEGV:
    case SIGBUS:
    case SIGABRT:
    case SIGFPE:
    case SIGILL:
        return "HDF5 crashes on it";
    default:
        return "the process that read it was ended";
    }
}

const char *ifd__child_close(ifd__child *c)
{
    int status = 0;
    pid_t gone;
    close(c->fd);
    if (c->late)
        (void)kill(c->pid, SIGKILL);
    while ((gone = waitpid(c->pid, &status, 0)) < 0 && errno == EINTR) {
    }
    if (c->late)
        return "HDF5 does not finish reading it";
    if (gone != c->pid) /* the program ignores SIGCHLD: the kernel has reaped the child */
        return NULL;
    if (WIFSIGNALED(status))
        return WTERMSIG(status) == SIGPIPE ? NULL : of_signal(WTERMSIG(status));
    return WEXITSTATUS(status) == FINE ? NULL : "HDF5 crashes on it";
}

void ifd__child_put(ifd__child_pipe *to, const void *bytes, size_t count)
{
    const char *at = bytes;
    while (count > 0) {
        ssize_t done = write(to->fd, at, count);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            _exit(1);
        at += done;
        count -= (size_t)done;
    }
}

void ifd__child_put_text(ifd__child_pipe *to, const char *text)
{
    uint64_t length = text ? strlen(text) : 0;
    ifd__child_put(to, &length, sizeof length);
    ifd__child_put(to, text, (size_t)length);
}
