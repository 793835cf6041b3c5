/* SPDX-License-Identifier: MIT */
/* Processes of this machine that compute members. A worker is a fork: it has the study in its memory, receives
 * members and returns results through a socket pair. When one ends unexpectedly, another one takes its place. */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <interfield/study_carrier.h>

#include "base/os_linux.h"
#include "study/store.h"

enum { MOST_JOBS = 4096, KEEP = 1 << 24 };

typedef struct worker {
    pid_t pid;
    int fd;
    int core;      /* -1: any */
    bool together; /* results are sent in blocks */
    char *bytes;   /* of the results that arrive */
    size_t have, room;
    size_t used; /* of the bytes, by the result that was returned last */
} worker;

typedef struct pool {
    const ifd_study *study;
    int locked; /* descriptor of the journal, which belongs to the writer alone; -1: none */
    worker *worker;
    struct pollfd *ready;
    int jobs;
    int turn; /* the worker whose results are looked at next */
    char reason[IFD_STUDY_REASON];
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

/* The bytes of a worker process: results that wait to be sent. */
static bool flush(worker *w)
{
    bool good = send_all(w->fd, w->bytes, w->have);
    w->have = 0;
    return good;
}

/* Room for that many more bytes. */
static bool widen(worker *w, size_t length)
{
    if (length <= w->room - w->have)
        return true;
    char *more = realloc(w->bytes, 2 * w->room + length);
    w->bytes = more ? more : w->bytes;
    w->room = more ? 2 * w->room + length : w->room;
    return more != NULL;
}

static bool append(worker *w, const void *bytes, size_t length)
{
    if (!widen(w, length))
        return false;
    memcpy(w->bytes + w->have, bytes, length);
    w->have += length;
    return true;
}

/* Those of an ensemble are sent together; any other at once, so that the member that ends this process is known. */
static void answer(void *self, const void *bytes, size_t length)
{
    enum { MOST = 1 << 16 };
    worker *w = self;
    uint64_t announced = length;
    if (!bytes || !append(w, &announced, sizeof announced) || !append(w, bytes, length) ||
        ((!w->together || w->have > MOST) && !flush(w)))
        _exit(1);
}

/* One message; false: this worker is not needed any more. */
static bool serve_one(worker *w, ifd_study_runner *r)
{
    uint64_t length;
    if (!receive_all(w->fd, &length, sizeof length))
        return false;
    char *bytes IFD__FREED = malloc(length ? length : 1);
    return bytes && receive_all(w->fd, bytes, length) && ifd_study_serve(r, bytes, length, answer, w) && flush(w);
}

/* The worker process; it ends when its socket closes. */
static void serve(const pool *p, worker *w, pid_t parent)
{
    const struct sigaction ordinary = {.sa_handler = SIG_DFL}, ignored = {.sa_handler = SIG_IGN};
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(0);
    for (int s = 1; s < NSIG; s++)
        (void)sigaction(s, s == SIGINT || s == SIGTERM || s == SIGHUP ? &ignored : &ordinary, NULL);
    if (w->core >= 0)
        (void)ifd__thread_pin(w->core);
    (void)mallopt(M_MMAP_THRESHOLD, KEEP); /* every member takes and returns memory: its pages are kept */
    (void)mallopt(M_TRIM_THRESHOLD, 4 * KEEP);
    ifd_arena *arena = ifd_arena_open();
    ifd_study_runner *r = NULL;
    if (!arena || ifd_study_runner_open(arena, p->study, &r) != IFD_OK)
        _exit(1);
    while (serve_one(w, r))
        ;
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
        if (p->locked >= 0)
            close(p->locked);
        w->fd = ends[1];
        w->together = p->study->ensemble;
        w->have = w->used = 0;
        serve(p, w, parent);
    }
    close(ends[1]);
    w->fd = ends[0];
    w->have = w->used = 0;
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

static void hand(void *self, int which, const void *bytes, size_t length)
{
    const pool *p = self;
    const worker *w = &p->worker[which];
    uint64_t announced = length;
    if (w->fd >= 0 && send_all(w->fd, &announced, sizeof announced))
        (void)send_all(w->fd, bytes, length); /* its end is noticed when it is read */
}

/* A new process for one that has ended. */
static ifd_status renew(pool *p, int which, ifd_study_news *out, ifd_note *note)
{
    int ended;
    stop(&p->worker[which], &ended);
    if (WIFSIGNALED(ended) && WTERMSIG(ended) != SIGKILL)
        snprintf(p->reason, sizeof p->reason, "the process ended by signal %d (%s)", WTERMSIG(ended),
                 strsignal(WTERMSIG(ended)));
    else
        snprintf(p->reason, sizeof p->reason, "the process ended: out of memory, or it was killed");
    *out = (ifd_study_news){.what = IFD_STUDY_LOST, .worker = which, .reason = p->reason};
    if (!start(p, &p->worker[which]))
        return ifd_note_add(note, IFD_NO_MEMORY, NULL, "a process could not be started: %s", strerror(errno));
    return IFD_OK;
}

/* The next complete result in the buffer of a worker. */
static bool next_result(pool *p, int which, ifd_study_news *out)
{
    worker *w = &p->worker[which];
    uint64_t length;
    memmove(w->bytes, w->bytes + w->used, w->have - w->used);
    w->have -= w->used;
    w->used = 0;
    if (w->have < sizeof length)
        return false;
    memcpy(&length, w->bytes, sizeof length);
    if (w->have - sizeof length < length)
        return false;
    w->used = sizeof length + length;
    *out = (ifd_study_news){
        .what = IFD_STUDY_RESULT, .worker = which, .bytes = w->bytes + sizeof length, .length = length};
    return true;
}

static ifd_status read_some(pool *p, int which, ifd_study_news *out, ifd_note *note)
{
    enum { PIECE = 1 << 16 };
    worker *w = &p->worker[which];
    IFD__HAVE(widen(w, PIECE));
    ssize_t n = recv(w->fd, w->bytes + w->have, w->room - w->have, 0);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return IFD_OK;
    if (n <= 0)
        return renew(p, which, out, note);
    w->have += (size_t)n;
    return IFD_OK;
}

/* A result that has arrived already, of each worker in turn. */
static bool any_result(pool *p, ifd_study_news *out)
{
    for (int i = 0; i < p->jobs; i++) {
        int which = (p->turn + i) % p->jobs;
        if (p->worker[which].have && next_result(p, which, out)) {
            p->turn = which + 1;
            return true;
        }
    }
    return false;
}

static ifd_status hear(void *self, double wait, ifd_study_news *out, ifd_note *note)
{
    pool *p = self;
    *out = (ifd_study_news){.what = IFD_STUDY_NOTHING};
    if (any_result(p, out))
        return IFD_OK;
    for (int i = 0; i < p->jobs; i++)
        p->ready[i] = (struct pollfd){.fd = p->worker[i].fd, .events = POLLIN};
    const struct timespec most = {(time_t)wait, (long)(1e9 * (wait - (double)(time_t)wait))};
    if (ppoll(p->ready, (nfds_t)p->jobs, &most, NULL) <= 0)
        return IFD_OK;
    for (int i = 0; i < p->jobs && out->what == IFD_STUDY_NOTHING; i++)
        if (p->ready[i].revents)
            IFD_TRY(read_some(p, i, out, note));
    if (out->what == IFD_STUDY_NOTHING)
        (void)any_result(p, out);
    return IFD_OK;
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

static int jobs_of(const ifd_study_options *o, int available)
{
    int jobs = o->jobs > 0 ? o->jobs : available > 0 ? available : 1;
    return jobs > MOST_JOBS ? MOST_JOBS : jobs;
}

ifd_status ifd_study_pool_open(ifd_arena *arena, const ifd_study *s, const ifd_study_store *store,
                               const ifd_study_options *o, ifd_study_carrier *out, ifd_note *note)
{
    static const ifd_study_options none;
    int core[CPU_SETSIZE], available = cores(core, CPU_SETSIZE);
    o = o ? o : &none;
    *out = (ifd_study_carrier){.send = hand, .hear = hear};
    pool *p;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(p, 1)));
    *p = (pool){.study = s, .locked = store ? store->fd : -1};
    int jobs = jobs_of(o, available);
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(p->worker, jobs), IFD__ARRAY(p->ready, jobs)));
    for (int i = 0; i < jobs; i++)
        p->worker[i] = (worker){.fd = -1, .core = jobs == available && !o->unpin ? core[i] : -1};
    p->jobs = out->workers = jobs;
    out->self = p;
    for (int i = 0; i < jobs; i++)
        if (!start(p, &p->worker[i])) {
            ifd_study_pool_close(out);
            return ifd_note_add(note, IFD_NO_MEMORY, NULL, "a process could not be started: %s", strerror(errno));
        }
    return IFD_OK;
}

void ifd_study_pool_close(ifd_study_carrier *c)
{
    pool *p = c->self;
    for (int i = 0; p && i < p->jobs; i++) {
        stop(&p->worker[i], NULL);
        free(p->worker[i].bytes);
        p->worker[i].bytes = NULL;
    }
    c->self = NULL;
}

ifd_status ifd_study_run(ifd_study_store *store, const ifd_study_options *o, ifd_note *note)
{
    ifd_study_carrier c;
    ifd_study_options used = o ? *o : (ifd_study_options){0};
    int core[CPU_SETSIZE];
    long left = ifd_study_expected(store) - ifd_study_count(store);
    used.jobs = jobs_of(&used, cores(core, CPU_SETSIZE));
    if (store->study->plan->steps == 1 && left < used.jobs)
        used.jobs = left > 0 ? (int)left : 1;
    ifd_arena *arena IFD__CLOSED = ifd_arena_open();
    IFD__HAVE(arena);
    IFD_TRY(ifd_study_pool_open(arena, store->study, store, &used, &c, note));
    ifd_status status = ifd_study_deal(store, &c, &used, note);
    ifd_study_pool_close(&c);
    return status;
}
