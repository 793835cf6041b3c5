/* SPDX-License-Identifier: MIT */
/* A rank does not compute itself: its processes do (ifd_study_pool_open), so that a member that crashes costs itself
 * only, and the rank always answers. The carrier of rank 0 has the processes of all ranks as workers; the other ranks
 * pass bytes on. A rank that is silent for long has ended: others compute its members, if MPI lets them live. */
#include "study.h"

#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TAG = 7 };
typedef enum word { WORK, RESULT, LOST, FAILED, ALIVE, FAREWELL, END } word;

/* Head of every message. worker: of the rank; of END the number of ranks that have ended. */
typedef struct envelope {
    int32_t what, worker;
} envelope;

typedef struct sending {
    struct sending *next;
    MPI_Request request;
    char bytes[];
} sending;

typedef struct post {
    MPI_Comm comm;
    int rank, ranks, jobs;
    double patience; /* s */
    ifd_study_carrier pool;
    sending *out; /* on their way */
    char *in;     /* the last message */
    size_t room;
    double *heard;  /* by rank: s, when it was heard; negative: it has ended */
    double told;    /* s, when this rank gave its last sign of life */
    int gone, next; /* ranks that have ended; worker of such a rank that is reported next */
    int empty;      /* looks without news */
    bool other;     /* the own processes are looked at after the messages */
    char reason[IFD_STUDY_REASON];
} post;

static post p;
static const struct timespec nap = {.tv_nsec = 100000};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Frees what has arrived; true: all has. */
static bool sweep(void)
{
    for (sending **at = &p.out; *at;) {
        int done = 0;
        sending *s = *at;
        MPI_Test(&s->request, &done, MPI_STATUS_IGNORE);
        if (done) {
            *at = s->next;
            free(s);
        } else
            at = &s->next;
    }
    return !p.out;
}

/* Returns at once; a message waits here until its rank receives it. */
static void put(int rank, word what, int worker, const void *bytes, size_t length)
{
    const envelope head = {what, worker};
    sending *s = length <= INT_MAX - sizeof head ? malloc(sizeof *s + sizeof head + length) : NULL;
    if (!s) {
        static const char reason[] = "no memory for its result, or it exceeds 2 GB";
        if (what == RESULT)
            put(rank, LOST, worker, reason, sizeof reason);
        else
            MPI_Abort(p.comm, EXIT_FAILURE);
        return;
    }
    memcpy(s->bytes, &head, sizeof head);
    if (length)
        memcpy(s->bytes + sizeof head, bytes, length);
    MPI_Isend(s->bytes, (int)(sizeof head + length), MPI_BYTE, rank, TAG, p.comm, &s->request);
    s->next = p.out;
    p.out = s;
}

typedef struct letter {
    int rank, what, worker;
    const char *bytes;
    size_t length;
} letter;

/* A message that has arrived; its bytes are valid until the next one. */
static bool receive(letter *out)
{
    int any = 0, length = 0;
    MPI_Status status;
    envelope head;
    MPI_Iprobe(MPI_ANY_SOURCE, TAG, p.comm, &any, &status);
    if (!any)
        return false;
    MPI_Get_count(&status, MPI_BYTE, &length);
    if ((size_t)length > p.room) {
        free(p.in);
        p.room = 2 * (size_t)length;
        p.in = malloc(p.room);
        if (!p.in)
            MPI_Abort(p.comm, EXIT_FAILURE);
    }
    MPI_Recv(p.in, length, MPI_BYTE, status.MPI_SOURCE, TAG, p.comm, MPI_STATUS_IGNORE);
    memcpy(&head, p.in, sizeof head);
    *out = (letter){status.MPI_SOURCE, head.what, head.worker, p.in + sizeof head, (size_t)length - sizeof head};
    if (p.heard[out->rank] >= 0)
        p.heard[out->rank] = now();
    p.empty = 0;
    return true;
}

/* s: this process looks at once several times, then gives its core away, then sleeps ever longer. */
static double rest(void)
{
    const double longest = 1e-3;
    int n = p.empty++;
    if (n < 16)
        return 0;
    if (n < 64) {
        sched_yield();
        return 0;
    }
    double pause = 10e-6 * (double)(n - 63);
    return pause < longest ? pause : longest;
}

static ifd_status read_letter(ifd_study_news *out, ifd_note *note)
{
    letter l;
    if (!receive(&l))
        return IFD_OK;
    if (l.what == FAILED)
        return ifd_note_add(note, IFD_PEER, NULL, "process %d: %.*s", l.rank, (int)l.length, l.bytes);
    if (l.what != RESULT && l.what != LOST)
        return IFD_OK;
    *out = (ifd_study_news){.worker = l.rank * p.jobs + l.worker, .bytes = l.bytes, .length = l.length};
    out->what = l.what == RESULT ? IFD_STUDY_RESULT : IFD_STUDY_LOST;
    snprintf(p.reason, sizeof p.reason, "%.*s", l.what == LOST ? (int)l.length : 0, l.bytes);
    out->reason = p.reason;
    return IFD_OK;
}

/* The next worker of a rank that is silent for too long. */
static void read_silence(ifd_study_news *out)
{
    double t = now();
    for (int r = 1; r < p.ranks; r++) {
        if (p.heard[r] < 0 || t - p.heard[r] < p.patience)
            continue;
        *out = (ifd_study_news){.what = IFD_STUDY_GONE, .worker = r * p.jobs + p.next};
        p.next = (p.next + 1) % p.jobs;
        if (p.next == 0) {
            p.heard[r] = -1;
            p.gone++;
            fprintf(stderr, "interfield-mpi: process %d has not answered for %g s; others compute its members\n", r,
                    p.patience);
        }
        return;
    }
}

/* A sign of life to those who wait for it. */
static void live(double every)
{
    if (now() - p.told < every)
        return;
    p.told = now();
    for (int r = p.rank ? 0 : 1; r < (p.rank ? 1 : p.ranks); r++)
        if (p.heard[r] >= 0)
            put(r, ALIVE, 0, NULL, 0);
}

static ifd_status look(double wait, ifd_study_news *out, ifd_note *note)
{
    p.other = !p.other;
    if (p.other)
        IFD_TRY(read_letter(out, note));
    if (out->what == IFD_STUDY_NOTHING)
        IFD_TRY(p.pool.hear(p.pool.self, wait, out, note));
    return out->what == IFD_STUDY_NOTHING && !p.other ? read_letter(out, note) : IFD_OK;
}

static void dealer_send(void *self, int worker, const void *bytes, size_t length)
{
    (void)self;
    if (worker < p.jobs)
        p.pool.send(p.pool.self, worker, bytes, length);
    else if (p.heard[worker / p.jobs] >= 0)
        put(worker / p.jobs, WORK, worker % p.jobs, bytes, length);
}

static ifd_status dealer_hear(void *self, double wait, ifd_study_news *out, ifd_note *note)
{
    double until = now() + wait;
    (void)self;
    *out = (ifd_study_news){.what = IFD_STUDY_NOTHING};
    do {
        (void)sweep();
        live(5.0);
        IFD_TRY(look(rest(), out, note));
        if (out->what == IFD_STUDY_NOTHING && p.empty > 2) /* no message has waited for this process meanwhile */
            read_silence(out);
    } while (out->what == IFD_STUDY_NOTHING && now() < until);
    if (out->what != IFD_STUDY_NOTHING)
        p.empty = 0;
    return IFD_OK;
}

/* Seconds after which a silent rank has ended. */
static double patience(void)
{
    const char *given = getenv("INTERFIELD_MPI_PATIENCE");
    double s = given ? strtod(given, NULL) : 0;
    return s > 0 ? s : 30.0;
}

static ifd_status begin(ifd_arena **arena, const ifd_study *s, const ifd_study_store *store,
                        const ifd_study_options *o, ifd_note *note)
{
    ifd_study_options mine = *o;
    mine.jobs = p.jobs = o->jobs > 0 ? o->jobs : 1;
    p.patience = patience();
    p.heard = malloc((size_t)p.ranks * sizeof *p.heard);
    *arena = ifd_arena_open();
    if (!p.heard || !*arena)
        return IFD_NO_MEMORY;
    for (int r = 0; r < p.ranks; r++)
        p.heard[r] = now();
    return ifd_study_pool_open(*arena, s, store, &mine, &p.pool, note);
}

static void finish(ifd_arena *arena)
{
    if (p.pool.self)
        ifd_study_pool_close(&p.pool);
    ifd_arena_close(arena);
    free(p.in);
    p.in = NULL;
    p.room = 0;
}

/* The others leave; what they have sent until then is dropped. Those that do not answer have ended. */
static void dismiss(double wait)
{
    letter l;
    double until = now() + wait;
    int left = p.ranks - 1 - p.gone;
    for (int r = 1; r < p.ranks; r++)
        if (p.heard[r] >= 0)
            put(r, END, p.gone, NULL, 0);
    while ((left > 0 || !sweep()) && now() < until) {
        while (receive(&l))
            left -= l.what == FAREWELL;
        nanosleep(&nap, NULL);
    }
    p.gone += left;
}

void study_open(MPI_Comm comm)
{
    p.comm = comm;
    MPI_Comm_rank(comm, &p.rank);
    MPI_Comm_size(comm, &p.ranks);
}

ifd_status study_deal(void *self, ifd_study_store *store, const ifd_study *s, const ifd_study_options *o,
                      ifd_note *note)
{
    ifd_arena *arena = NULL;
    (void)self;
    ifd_status status = begin(&arena, s, store, o, note);
    const ifd_study_carrier c = {NULL, p.ranks * p.jobs, dealer_send, dealer_hear};
    if (status == IFD_OK)
        status = ifd_study_deal(store, &c, o, note);
    const double hurry = 0.2; /* s: after an interrupt mpirun leaves a second for the files */
    if (p.heard)
        dismiss(status == IFD_INTERRUPTED ? hurry : p.patience);
    finish(arena);
    return status;
}

/* Passes a message on; false: the end. */
static bool pass_on(const letter *l)
{
    if (l->what == WORK && p.pool.self)
        p.pool.send(p.pool.self, l->worker, l->bytes, l->length);
    if (l->what == END)
        p.gone = l->worker;
    return l->what != END;
}

static ifd_status relay(ifd_note *note)
{
    for (;;) {
        letter l;
        ifd_study_news n = {.what = IFD_STUDY_NOTHING};
        (void)sweep();
        live(1.0);
        if (receive(&l) && !pass_on(&l))
            return IFD_OK;
        if (now() - p.heard[0] > 10 * p.patience)
            return ifd_note_add(note, IFD_PEER, NULL, "process 0 does not answer");
        IFD_TRY(p.pool.hear(p.pool.self, rest(), &n, note));
        if (n.what == IFD_STUDY_NOTHING)
            continue;
        p.empty = 0;
        if (n.what == IFD_STUDY_RESULT)
            put(0, RESULT, n.worker, n.bytes, n.length);
        else
            put(0, LOST, n.worker, n.reason, strlen(n.reason));
    }
}

ifd_status study_serve(void *self, const ifd_study *s, const ifd_study_options *o, ifd_note *note)
{
    ifd_arena *arena = NULL;
    (void)self;
    signal(SIGTERM, SIG_IGN); /* rank 0 ends this one, after it has stored what it has */
    signal(SIGINT, SIG_IGN);
    ifd_status status = begin(&arena, s, NULL, o, note);
    if (status == IFD_OK)
        status = relay(note);
    if (status != IFD_OK && status != IFD_PEER) { /* it tells rank 0 and waits for the end */
        const char *why = note->first ? note->first->text : ifd_status_text(status);
        letter l = {.what = WORK};
        put(0, FAILED, 0, why, strlen(why));
        while (l.what != END)
            if (!receive(&l))
                nanosleep(&nap, NULL);
    }
    finish(arena);
    if (status == IFD_PEER) /* mpirun lets the others live when one ends */
        MPI_Abort(p.comm, EXIT_FAILURE);
    put(0, FAREWELL, 0, NULL, 0);
    while (!sweep())
        nanosleep(&nap, NULL);
    return status;
}

int study_gone(void)
{
    return p.gone;
}
