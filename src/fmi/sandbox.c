/* SPDX-License-Identifier: MIT */
/* The separate process is made by posix_spawn of a small program, not by fork. A fork would share the pages of the
 * run, and the first write to each would cause a page fault in a tick. After a fork in a program with threads, only
 * functions that are safe in a signal handler may be called; loading a library is not safe. */
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/wait.h>

/* Scheduling of the host process of an isolated FMU: it follows the thread that sends the orders. A real-time thread
 * waits for the answer inside its tick. The process therefore runs at the next lower priority, and on another core
 * than that thread. Other processes must not delay the answer, and code that hangs must not prevent the thread from
 * ending the process. */

typedef struct ifd__fmu_rank {
    bool realtime; /* the calling thread is FIFO, RR or DEADLINE */
    int priority;  /* FIFO priority of the process that the kernel reports, 0: ordinary */
    bool aside;    /* the process may not use the core of the calling thread */
} ifd__fmu_rank;

/* Gives the host of an FMU the scheduling of the thread that asks it. */

enum { DEADLINE = 6 /* SCHED_DEADLINE, which the C library does not define */, BELOW_DEADLINE = 79 };

static int policy_of(pid_t pid)
{
    return sched_getscheduler(pid) & ~SCHED_RESET_ON_FORK;
}

/* Returns the resulting priority. */
static int schedule(pid_t pid, int priority)
{
    struct sched_param wish = {.sched_priority = priority}, now = {0};
    (void)sched_setscheduler(pid, priority > 0 ? SCHED_FIFO : SCHED_OTHER, &wish);
    return policy_of(pid) == SCHED_FIFO && sched_getparam(pid, &now) == 0 ? now.sched_priority : 0;
}

/* Moves it off the only core of the calling thread if it may use another core. */
static bool step_aside(pid_t pid)
{
    cpu_set_t own, its;
    if (pthread_getaffinity_np(pthread_self(), sizeof own, &own) != 0 || CPU_COUNT(&own) != 1 ||
        sched_getaffinity(pid, sizeof its, &its) != 0)
        return false;
    CPU_XOR(&own, &own, &its); /* the other cores, if its set contains that core */
    CPU_AND(&own, &own, &its);
    return CPU_COUNT(&own) > 0 && sched_setaffinity(pid, sizeof own, &own) == 0;
}

/* For the calling thread. It makes a few system calls: only at the first order. */
static void fmu_rank_follow(pid_t pid, ifd__fmu_rank *out)
{
    struct sched_param own = {0};
    int policy = policy_of(0);
    (void)sched_getparam(0, &own);
    bool fifo = policy == SCHED_FIFO || policy == SCHED_RR;
    out->realtime = fifo || policy == DEADLINE;
    int wish = !out->realtime ? 0 : !fifo ? BELOW_DEADLINE : own.sched_priority > 1 ? own.sched_priority - 1 : 1;
    out->priority = schedule(pid, wish);
    out->aside = out->realtime && step_aside(pid);
}

/* Whether the process could be FIFO; it remains ordinary. */
static bool fmu_rank_grantable(pid_t pid)
{
    bool granted = schedule(pid, 1) == 1;
    (void)schedule(pid, 0);
    return granted;
}

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include "base/installed.h"
#include "base/arena.h"
#include "fmi/sandbox.h"

#define LOOK INT64_C(20000)          /* ns of polling: a FIFO thread that polls longer keeps the host from its core */
#define GLANCE INT64_C(5000000)      /* ns between checks whether the process exists */
#define SET_UP INT64_C(20000000000)  /* ns for loading, initialisation and reset */
#define FAREWELL INT64_C(1000000000) /* ns until it must have ended */
#define MEMORY ((uint64_t)4 << 30)   /* bytes */
#define PATIENCE 10.0                /* s; a machine may stall for seconds */

struct ifd__fmu_sandbox {
    ifd__fmu_page *page;
    pid_t pid;
    uint32_t turn;
    int64_t patience;
    bool patient;  /* the patience was set by the user: no allowance shortens it */
    int64_t until; /* end of the allowance of this exchange; 0: none */
    bool followed; /* asker: the thread of the last order, whose scheduling the process follows */
    pthread_t asker;
    ifd__fmu_rank rank;
    bool lost; /* dead, or ended because it did not answer */
    bool gone; /* and reaped */
    bool network_gone, locked;
    char why[IFD__FMU_WHY];
};

static ifd_status find_host(const ifd_fmu_open_options *o, char *out, size_t size, ifd_note *note)
{
    bool named = o->host && (size_t)snprintf(out, size, "%s", o->host) < size;
    if (o->host ? named && access(out, X_OK) == 0 : ifd__installed_file(IFD__FMU_HOST, out, size))
        return IFD_OK;
    return ifd_note_advise(note, IFD_PLUGIN, NULL,
                           "it is installed with the library; a program that is linked differently sets "
                           "ifd_fmu_open_options.host",
                           "the program " IFD__FMU_HOST " for isolated FMUs was not found");
}

static ifd__fmu_page *make_page(int *file)
{
    *file = memfd_create("interfield-fmu", MFD_CLOEXEC);
    if (*file < 0 || ftruncate(*file, sizeof(ifd__fmu_page)) != 0)
        return NULL;
    void *page = mmap(NULL, sizeof(ifd__fmu_page), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, *file, 0);
    return page == MAP_FAILED ? NULL : page;
}

/* A separate session, so that an interrupt from the terminal reaches only the run, which then ends the process, and
 * the process reaches neither the terminal nor the group of the run. */
static bool spawn(ifd__fmu_sandbox *a, const char *host, int file)
{
    char path[IFD__FMU_PATH], *argv[] = {(char *)(uintptr_t)IFD__FMU_HOST, NULL}, *env[] = {NULL, NULL};
    const char *libraries = getenv("LD_LIBRARY_PATH");
    if (libraries && (size_t)snprintf(path, sizeof path, "LD_LIBRARY_PATH=%s", libraries) < sizeof path)
        env[0] = path;
    posix_spawnattr_t how;
    posix_spawn_file_actions_t files;
    const struct sched_param ordinary = {0};
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    if (posix_spawnattr_init(&how) != 0)
        return false;
    bool good = posix_spawn_file_actions_init(&files) == 0;
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                       POSIX_SPAWN_SETSCHEDULER);
    posix_spawnattr_setsigmask(&how, &none);
    posix_spawnattr_setsigdefault(&how, &all);
    posix_spawnattr_setschedpolicy(&how, SCHED_OTHER);
    posix_spawnattr_setschedparam(&how, &ordinary);
    good = good && posix_spawn_file_actions_adddup2(&files, file, IFD__FMU_PAGE_FILE) == 0 &&
           posix_spawn(&a->pid, host, &files, &how, argv, env) == 0;
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&how);
    return good;
}

/* Whether the process has ended; then it is also reaped. If the program ignores SIGCHLD, the kernel reaps it. */
static bool ended(ifd__fmu_sandbox *a)
{
    int status = 0;
    pid_t which = waitpid(a->pid, &status, WNOHANG);
    if (which == 0)
        return false;
    const char *signal = which == a->pid && WIFSIGNALED(status) ? sigdescr_np(WTERMSIG(status)) : NULL;
    a->gone = a->lost = true;
    snprintf(a->why, sizeof a->why, "its process ended%s%s%s", signal ? " (" : "", signal ? signal : "",
             signal ? ")" : "");
    return true;
}

static void end_it(ifd__fmu_sandbox *a)
{
    (void)kill(a->pid, SIGKILL);
    while (waitpid(a->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    a->gone = true;
}

static bool wait_answer(ifd__fmu_sandbox *a, int64_t patience)
{
    ifd__fmu_page *p = a->page;
    int64_t began = ifd__page_now(), left = patience;
    for (int64_t look = LOOK; left > 0; look = 0, left = patience - (ifd__page_now() - began))
        if (ifd__page_wait(&p->answered, a->turn - 1, &p->run_sleeps, look < left ? look : left,
                           left < GLANCE ? left : GLANCE))
            return true;
        else if (ended(a))
            return false;
    a->lost = true;
    (void)kill(a->pid, SIGKILL); /* reaped when the arena closes, because waiting may take too long here */
    snprintf(a->why, sizeof a->why, "it did not answer within %g s and was ended", 1e-9 * (double)patience);
    return false;
}

/* The thread changes rarely: usually one thread sets up and another one executes ticks. */
static void follow(ifd__fmu_sandbox *a)
{
    if (a->followed && pthread_equal(a->asker, pthread_self()))
        return;
    a->followed = true;
    a->asker = pthread_self();
    fmu_rank_follow(a->pid, &a->rank);
}

/* Without priority an answer can be late because of other processes. An allowance would then end a correct FMU; late
 * ticks are handled by the test. */
void ifd__fmu_sandbox_allow(ifd__fmu_sandbox *a, double seconds)
{
    if (a->lost)
        return;
    follow(a);
    bool binds = seconds > 0.0 && !a->patient && a->rank.realtime && a->rank.priority > 0;
    a->until = binds ? ifd__page_now() + (int64_t)(1e9 * seconds) : 0;
}

static int64_t patience_for(const ifd__fmu_sandbox *a, ifd__fmu_order order, bool long_one)
{
    if (order == IFD__FMU_END)
        return FAREWELL;
    if (long_one)
        return a->patience > SET_UP ? a->patience : SET_UP;
    int64_t left = a->until - ifd__page_now();
    return a->until == 0 ? a->patience : left > LOOK ? left : LOOK;
}

bool ifd__fmu_sandbox_ask(ifd__fmu_sandbox *a, ifd__fmu_order order, bool long_one)
{
    ifd__fmu_page *p = a->page;
    if (a->lost)
        return false;
    if (!long_one && order != IFD__FMU_END)
        follow(a);
    p->ask.order = (int32_t)order;
#if defined(__SSE2__)
    p->control = _mm_getcsr() & 0xffc0u; /* without the status flags */
#endif
    ifd__page_tell(&p->asked, ++a->turn, &p->host_sleeps);
    if (!wait_answer(a, patience_for(a, order, long_one)))
        return false;
    if (order == IFD__FMU_BEGIN)
        a->locked = p->locked != 0;
    if (p->good)
        return true;
    memcpy(a->why, p->why, sizeof a->why);
    a->why[sizeof a->why - 1] = '\0';
    return false;
}

ifd__fmu_page *ifd__fmu_sandbox_page(ifd__fmu_sandbox *a)
{
    return a->page;
}

const char *ifd__fmu_sandbox_why(const ifd__fmu_sandbox *a)
{
    return a->why;
}

void ifd__fmu_sandbox_facts(const ifd__fmu_sandbox *a, ifd_fmu_process *out)
{
    *out = (ifd_fmu_process){.isolated = true,
                             .network_gone = a->network_gone,
                             .pid = (long)a->pid,
                             .priority = a->rank.priority,
                             .aside = a->rank.aside,
                             .locked = a->locked};
}

static void close_sandbox(void *what)
{
    ifd__fmu_sandbox *a = what;
    if (a->pid > 0 && !a->gone) {
        (void)ifd__fmu_sandbox_ask(a, IFD__FMU_END, false);
        if (!a->gone)
            end_it(a);
    }
    if (a->page)
        (void)munmap(a->page, sizeof *a->page);
}

static ifd_status start(ifd__fmu_sandbox *a, const char *host, const ifd__fmu_binary *b, ifd_note *note)
{
    int file;
    a->page = make_page(&file);
    if (a->page) {
        a->page->abi = IFD__FMU_PAGE_ABI;
        a->page->binary = *b;
        a->page->memory = MEMORY;
        a->page->parent = getpid();
        /* The signal depends on the thread that made the process, not on its process: another thread may end before
         * the run. */
        a->page->dies_with_thread = gettid() == getpid();
    }
    bool good = a->page && spawn(a, host, file);
    int why = errno;
    if (file >= 0)
        (void)close(file);
    return good ? IFD_OK
                : ifd_note_add(note, IFD_PEER, NULL, "no process can be started for an isolated FMU: %s",
                               strerror(why));
}

ifd_status ifd__fmu_sandbox_open(ifd_arena *arena, const ifd__fmu_binary *b, const ifd_fmu_open_options *o,
                                 ifd__fmu_sandbox **out, ifd_note *note)
{
    char host[IFD__FMU_PATH];
    ifd__fmu_sandbox *a;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(a, 1)));
    IFD_TRY(find_host(o, host, sizeof host, note));
    a->patient = o->patience > 0;
    a->patience = (int64_t)llround(1e9 * (a->patient ? o->patience : PATIENCE));
    if (!ifd_arena_on_close(arena, close_sandbox, a))
        return IFD_NO_MEMORY;
    *out = a;
    IFD_TRY(start(a, host, b, note));
    if (!ifd__fmu_sandbox_ask(a, IFD__FMU_LOAD, true))
        return IFD_PLUGIN;
    a->network_gone = a->page->network_gone;
    if (!a->network_gone)
        ifd_note_remark(note, NULL,
                        "the process of an isolated FMU keeps network access: the kernel grants no network "
                        "namespace");
    if (!a->page->filtered)
        ifd_note_remark(note, NULL,
                        "the process of an isolated FMU can send signals to this one: the kernel has no filters of "
                        "system calls");
    if (o->clocked)
        ifd_note_remark(note, NULL, "an isolated FMU runs in process %ld: %s", (long)a->pid,
                        fmu_rank_grantable(a->pid)
                            ? "FIFO granted, one below the priority of the tick if that is FIFO"
                            : "FIFO refused, ordinary priority: answers may be late on a busy machine");
    return IFD_OK;
}
