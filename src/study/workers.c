/* SPDX-License-Identifier: MIT */
/* Processes of this machine that compute members. A worker is a fork: it has the study in its memory, receives
 * members and returns results through a socket pair. This process is the only writer. A worker that ends
 * unexpectedly costs the member that it computed; another worker takes its place. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/os_linux.h"
#include "study/member.h"
#include "study/store.h"

enum { DEPTH = 8, MOST_JOBS = 4096 };

typedef struct task {
    int64_t number;
    double value[IFD_STUDY_VARIABLES];
} task;

typedef struct worker {
    pid_t pid;
    int fd;
    int core;          /* -1: any */
    task given[DEPTH]; /* without result, oldest first */
    int tasks;
    char *bytes; /* of the result that arrives */
    size_t have, room;
} worker;

typedef struct pool {
    ifd_study_store *store;
    const ifd_study_options *o;
    ifd_study_runner *runner; /* of this process: it only packs the results of ended workers */
    worker *worker;
    struct pollfd *ready;
    int jobs;
    task *again; /* members of ended workers */
    int agains;
    double typical;        /* s, duration of a member */
    ifd_study_queue queue; /* its last answer */
} pool;

static bool send_all(int fd, const void *bytes, size_t length)
{
    const char *at = bytes;
    while (length) {
        ssize_t n = send(fd, at, length, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        at += n;
        length -= (size_t)n;
    }
    return true;
}

static bool receive_all(int fd, void *bytes, size_t length)
{
    char *at = bytes;
    while (length) {
        ssize_t n = recv(fd, at, length, 0);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        at += n;
        length -= (size_t)n;
    }
    return true;
}

static void answer(void *self, const void *bytes, size_t length)
{
    const worker *w = self;
    uint64_t announced = length;
    if (!bytes || !send_all(w->fd, &announced, sizeof announced) || !send_all(w->fd, bytes, length))
        _exit(1);
}

static size_t task_size(const pool *p)
{
    return sizeof(int64_t) + (size_t)p->store->study->variables * sizeof(double);
}

static bool serve_one(const pool *p, const worker *w, ifd_study_runner *r)
{
    task t;
    size_t length;
    if (!receive_all(w->fd, &t, task_size(p)))
        return false;
    const void *bytes = ifd_study_compute(r, (long)t.number, t.value, &length);
    answer((void *)w, bytes, length);
    return true;
}

/* The members of an ensemble come together; a number below zero ends them. */
static bool serve_block(const pool *p, const worker *w, ifd_study_runner *r)
{
    task t[DEPTH + 1];
    long number[DEPTH];
    const double *value[DEPTH];
    int count = 0;
    for (; receive_all(w->fd, &t[count], task_size(p)) && t[count].number >= 0; count++) {
        number[count] = (long)t[count].number;
        value[count] = t[count].value;
    }
    if (count)
        ifd__study_compute_block(r, count, number, value, answer, (void *)w);
    return count > 0;
}

/* The worker process; it ends when its socket closes. */
static void serve(const pool *p, const worker *w, pid_t parent)
{
    const struct sigaction ordinary = {.sa_handler = SIG_DFL}, ignored = {.sa_handler = SIG_IGN};
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(0);
    for (int s = 1; s < NSIG; s++)
        (void)sigaction(s, s == SIGINT || s == SIGTERM || s == SIGHUP ? &ignored : &ordinary, NULL);
    if (w->core >= 0)
        (void)ifd__thread_pin(w->core);
    ifd_arena *arena = ifd_arena_open();
    ifd_study_runner *r = NULL;
    if (!arena || ifd_study_runner_open(arena, p->store->study, &r) != IFD_OK)
        _exit(1);
    bool good = true;
    while (good)
        good = p->store->study->ensemble ? serve_block(p, w, r) : serve_one(p, w, r);
    ifd_arena_close(arena);
    _exit(0);
}

static bool start(pool *p, worker *w)
{
    int ends[2];
    pid_t parent = getpid();
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return false;
    w->pid = fork();
    if (w->pid == 0) {
        for (int i = 0; i < p->jobs; i++) /* the ends of the others, so that theirs close with this program */
            if (p->worker[i].fd >= 0 && p->worker[i].fd != ends[1])
                close(p->worker[i].fd);
        close(ends[0]);
        close(p->store->fd); /* its lock belongs to the writer alone */
        w->fd = ends[1];
        serve(p, w, parent);
    }
    close(ends[1]);
    w->fd = ends[0];
    w->have = 0;
    if (w->pid < 0) {
        close(ends[0]);
        w->fd = -1;
        return false;
    }
    (void)fcntl(w->fd, F_SETFL, fcntl(w->fd, F_GETFL) | O_NONBLOCK);
    return true;
}

static void stop(worker *w, int *status)
{
    int ended = 0;
    if (w->fd >= 0)
        close(w->fd);
    w->fd = -1;
    if (w->pid > 0) {
        (void)kill(w->pid, SIGKILL);
        while (waitpid(w->pid, &ended, 0) < 0 && errno == EINTR)
            ;
    }
    w->pid = 0;
    if (status)
        *status = ended;
}

/* The next member: one of an ended worker first. */
static bool take(pool *p, task *t)
{
    if (p->agains) {
        *t = p->again[--p->agains];
        return true;
    }
    long number;
    p->queue = ifd_study_next(p->store, t->value, &number);
    t->number = p->queue == IFD_STUDY_MEMBER ? number : -1;
    return p->queue == IFD_STUDY_MEMBER;
}

/* Short members wait at their worker, so that it need not wait for this process; long ones are handed out singly. */
static int depth(const pool *p)
{
    return p->typical > 0.1 ? 1 : p->typical > 0.01 ? 2 : DEPTH;
}

/* A whole block for a worker that has finished the last one. Members of an ended worker come alone, so that the one
 * that ended it is known. */
static bool hand_block(pool *p, worker *w)
{
    const task end = {.number = -1};
    if (w->fd < 0 || w->tasks)
        return true;
    int most = p->agains ? 1 : DEPTH;
    while (w->tasks < most && take(p, &w->given[w->tasks]))
        if (!send_all(w->fd, &w->given[w->tasks++], task_size(p)))
            return true;
    if (w->tasks)
        (void)send_all(w->fd, &end, task_size(p));
    return true;
}

static bool feed(pool *p, worker *w)
{
    size_t size = task_size(p);
    if (p->store->study->ensemble)
        return hand_block(p, w);
    while (w->fd >= 0 && w->tasks < depth(p)) {
        task *t = &w->given[w->tasks];
        if (!take(p, t))
            return true;
        w->tasks++;
        if (!send_all(w->fd, t, size))
            return true; /* its end is noticed when it is read */
    }
    return true;
}

static ifd_status accept_result(pool *p, worker *w, const void *bytes, size_t length, ifd_note *note)
{
    ifd__result_head head;
    memcpy(&head, bytes, sizeof head);
    p->typical = p->typical == 0 ? head.duration : 0.9 * p->typical + 0.1 * head.duration;
    memmove(w->given, w->given + 1, (size_t)(--w->tasks) * sizeof *w->given);
    return ifd_study_put(p->store, bytes, length, note);
}

/* All complete results in the buffer of a worker. */
static ifd_status take_results(pool *p, worker *w, ifd_note *note)
{
    size_t at = 0;
    uint64_t length;
    ifd_status status = IFD_OK;
    while (status == IFD_OK && w->tasks > 0 && w->have - at >= sizeof length) {
        memcpy(&length, w->bytes + at, sizeof length);
        if (w->have - at - sizeof length < length)
            break;
        status = accept_result(p, w, w->bytes + at + sizeof length, length, note);
        at += sizeof length + length;
    }
    memmove(w->bytes, w->bytes + at, w->have - at);
    w->have -= at;
    return status;
}

/* The member that it computed has crashed; the others are handed out again. */
static ifd_status bury(pool *p, worker *w, ifd_note *note)
{
    int ended;
    char reason[IFD_STUDY_REASON];
    stop(w, &ended);
    if (WIFSIGNALED(ended) && WTERMSIG(ended) != SIGKILL)
        snprintf(reason, sizeof reason, "the process ended by signal %d (%s)", WTERMSIG(ended),
                 strsignal(WTERMSIG(ended)));
    else
        snprintf(reason, sizeof reason, "the process ended: out of memory, or it was killed");
    ifd_status status = IFD_OK;
    bool known = w->tasks == 1 || !p->store->study->ensemble;
    if (w->tasks && known) {
        size_t length;
        const void *bytes =
            ifd_study_crashed(p->runner, (long)w->given[0].number, w->given[0].value, reason, &length);
        status = bytes ? ifd_study_put(p->store, bytes, length, note) : IFD_NO_MEMORY;
    }
    for (int i = known; i < w->tasks; i++)
        p->again[p->agains++] = w->given[i];
    w->tasks = 0;
    if (status == IFD_OK && !start(p, w))
        return ifd_note_add(note, IFD_NO_MEMORY, NULL, "a process could not be started: %s", strerror(errno));
    return status;
}

static ifd_status hear(pool *p, worker *w, ifd_note *note)
{
    enum { PIECE = 1 << 16 };
    if (w->room - w->have < PIECE) {
        char *more = realloc(w->bytes, 2 * w->room + PIECE);
        if (!more)
            return IFD_NO_MEMORY;
        w->bytes = more;
        w->room = 2 * w->room + PIECE;
    }
    ssize_t n = recv(w->fd, w->bytes + w->have, w->room - w->have, 0);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return IFD_OK;
    if (n <= 0)
        return bury(p, w, note);
    w->have += (size_t)n;
    return take_results(p, w, note);
}

static bool idle(const pool *p)
{
    for (int i = 0; i < p->jobs; i++)
        if (p->worker[i].tasks)
            return false;
    return true;
}

static ifd_status work(pool *p, ifd_note *note)
{
    for (;;) {
        for (int i = 0; i < p->jobs; i++)
            feed(p, &p->worker[i]);
        if (idle(p)) /* nothing is out: a queue that waits has no memory for its next members */
            return p->queue == IFD_STUDY_WAIT ? ifd_note_add(note, IFD_NO_MEMORY, NULL, "no memory for the members")
                                              : IFD_OK;
        for (int i = 0; i < p->jobs; i++)
            p->ready[i] = (struct pollfd){.fd = p->worker[i].fd, .events = POLLIN};
        (void)poll(p->ready, (nfds_t)p->jobs, 100);
        for (int i = 0; i < p->jobs; i++)
            if (p->ready[i].revents)
                IFD_TRY(hear(p, &p->worker[i], note));
        if (p->o->watch && p->o->watch(p->o->self, p->store))
            return IFD_INTERRUPTED;
    }
}

/* Cores that this process may use. */
static int cores(int *core, int most)
{
    cpu_set_t set;
    int count = 0;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 0;
    for (int i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET((size_t)i, &set) && count < most)
            core[count++] = i;
    return count;
}

static ifd_status begin(pool *p, ifd_arena *arena, ifd_note *note)
{
    static const ifd_study_options none;
    int core[CPU_SETSIZE], available = cores(core, CPU_SETSIZE);
    p->o = p->o ? p->o : &none;
    long left = ifd_study_expected(p->store) - ifd_study_count(p->store);
    p->jobs = p->o->jobs > 0 ? p->o->jobs : available > 0 ? available : 1;
    p->jobs = p->jobs > MOST_JOBS ? MOST_JOBS : p->jobs;
    if (p->store->study->plan->steps == 1 && left < p->jobs)
        p->jobs = left > 0 ? (int)left : 1;
    p->worker = ifd_arena_array(arena, (size_t)p->jobs, sizeof *p->worker);
    p->ready = ifd_arena_array(arena, (size_t)p->jobs, sizeof *p->ready);
    p->again = ifd_arena_array(arena, (size_t)p->jobs * DEPTH, sizeof *p->again);
    if (!p->worker || !p->ready || !p->again)
        return IFD_NO_MEMORY;
    IFD_TRY(ifd_study_runner_open(arena, p->store->study, &p->runner));
    for (int i = 0; i < p->jobs; i++)
        p->worker[i] = (worker){.fd = -1, .core = p->jobs == available && !p->o->unpin ? core[i] : -1};
    for (int i = 0; i < p->jobs; i++)
        if (!start(p, &p->worker[i]))
            return ifd_note_add(note, IFD_NO_MEMORY, NULL, "a process could not be started: %s", strerror(errno));
    return IFD_OK;
}

ifd_status ifd_study_run(ifd_study_store *store, const ifd_study_options *o, ifd_note *note)
{
    pool p = {.store = store, .o = o};
    ifd_arena *arena = ifd_arena_open();
    ifd_status status = arena ? begin(&p, arena, note) : IFD_NO_MEMORY;
    if (status == IFD_OK)
        status = work(&p, note);
    for (int i = 0; i < p.jobs && p.worker; i++) {
        stop(&p.worker[i], NULL);
        free(p.worker[i].bytes);
    }
    ifd_arena_close(arena);
    return status;
}
