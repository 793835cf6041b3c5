/* SPDX-License-Identifier: MIT */
/* A sweep consists of rounds: one over the parts, in falling size, and one over each large panel above them, whose
 * rows (forward) or columns (backward) the threads share. One word holds the round and its tasks that are left: a
 * thread takes a task by changing the word, which fails if the round has changed. Another word counts the finished
 * tasks. Memory of a part: x and z, of which it uses its own columns and the rows above. */
#include "algebra/crew.h"

#include <errno.h>
#include <fenv.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#define PAUSE() _mm_pause()
#else
#define PAUSE() (void)0
#endif

#include "algebra/solver_parts.h"
#include "algebra/team.h"
#include "base/arena.h"
#include "base/os_linux.h"

enum { SPINS = 2000, CLOCK_EVERY = 64 };
#define PATIENCE 0.1 /* s: far longer than a part, and longer than a time slice of the system */
/* Numbers of a panel that is worth a round: half of it takes 1 us, the messages between two cores 0.4 to 1 us. */
#define WORTH 16000

typedef struct part {
    double *x, *z;  /* own columns and the rows above */
    int begin, end; /* own columns */
    ifd__panels panels;
} part;

/* A panel above the parts and its views, one for each thread; views are NULL if the panel is small. */
typedef struct top {
    ifd__panels whole, *rows, *columns;
} top;

/* Word of the tasks: round << 32 | ENDS | next task << 8 | tasks left. With ENDS, the caller takes the first task
 * that is left and the others the last one: a thread then has about the same rows in all panels, in its cache. */
enum { LEFT = 0xff, NEXT = 8, ENDS = 1 << 16 };

typedef enum action { FORWARD_PARTS, FORWARD_ROWS, BACKWARD_COLUMNS, BACKWARD_PARTS } action;

typedef struct helper {
    ifd__crew *crew;
    pthread_t thread;
    int me;
} helper;

struct ifd__crew {
    const ifd_solver *solver;
    int size;
    helper *helper;
    part part[IFD__PARTS];
    int tops;
    top *top;
    double *x, *z; /* all columns */
    fenv_t environment;
    unsigned solution; /* number of calls that took the crew */
    double patience;
    int64_t wait;  /* ns: rest of it */
    action action; /* of the round */
    const top *of; /* its panel */
    unsigned due;  /* tasks of all rounds so far */
    long given_up;
    void (*call)(void *what, int thread);
    void *what;
    pthread_t master;
    cpu_set_t allowed;
    sem_t start;
    atomic_bool busy, leave;
    atomic_int sleepers;
    unsigned round;
    _Alignas(64) atomic_ullong next;
    _Alignas(64) atomic_uint finished; /* tasks of all rounds */
};

IFD_RT static void forward_part(const ifd__crew *c, const part *p)
{
    size_t rows = (size_t)(p->panels.n - p->panels.above);
    memcpy(p->x + p->begin, c->x + p->begin, sizeof(double) * (size_t)(p->end - p->begin));
    memset(p->x + p->panels.above, 0, sizeof(double) * rows);
    ifd__sweep_forward(c->solver->kernels, &p->panels, p->x, p->z);
}

IFD_RT static void backward_part(const ifd__crew *c, const part *p)
{
    size_t rows = (size_t)(p->panels.n - p->panels.above);
    memcpy(p->z + p->panels.above, c->z + p->panels.above, sizeof(double) * rows);
    ifd__sweep_backward(c->solver->kernels, &p->panels, p->z);
}

IFD_RT static void compute(const ifd__crew *c, int k)
{
    const ifd__kernels *kernels = c->solver->kernels;
    switch (c->action) {
    case FORWARD_PARTS:
        forward_part(c, &c->part[k]);
        break;
    case FORWARD_ROWS:
        ifd__sweep_forward(kernels, &c->of->rows[k], c->x, c->z);
        break;
    case BACKWARD_COLUMNS:
        ifd__sweep_backward(kernels, &c->of->columns[k], c->z);
        break;
    case BACKWARD_PARTS:
        backward_part(c, &c->part[k]);
        break;
    }
}

/* Takes a task of the given round; false if none is left. */
IFD_RT static bool take_task(ifd__crew *c, unsigned round, int me, int *k)
{
    unsigned long long seen = atomic_load_explicit(&c->next, memory_order_acquire), then;
    do {
        if ((unsigned)(seen >> 32) != round || !(seen & LEFT))
            return false;
        int next = (int)(seen >> NEXT & LEFT), left = (int)(seen & LEFT);
        bool last = me && (seen & ENDS);
        *k = last ? next + left - 1 : next;
        then = seen - 1 + (last ? 0 : 1 << NEXT);
    } while (
        !atomic_compare_exchange_weak_explicit(&c->next, &seen, then, memory_order_acq_rel, memory_order_acquire));
    return true;
}

/* Takes and computes tasks of the given round until none is left. *solution: the last one of this thread. What
 * describes the round may be read only with a task: it is constant until the task is finished. */
IFD_RT static void work(ifd__crew *c, unsigned round, int me, unsigned *solution)
{
    for (int k; take_task(c, round, me, &k);) {
        if (me && *solution != c->solution) {
            fesetenv(&c->environment);
            *solution = c->solution;
        }
        if (c->call)
            c->call(c->what, me);
        compute(c, k);
        atomic_fetch_add_explicit(&c->finished, 1, memory_order_release);
    }
}

/* Waits for another round: some time by reading, then asleep. */
static unsigned wait_for_round(ifd__crew *c, unsigned last)
{
    unsigned round;
    for (int spin = 0; spin < SPINS; spin++) {
        round = (unsigned)(atomic_load_explicit(&c->next, memory_order_acquire) >> 32);
        if (round != last)
            return round;
        PAUSE();
    }
    atomic_fetch_add(&c->sleepers, 1);
    round = (unsigned)(atomic_load(&c->next) >> 32);
    if (round == last && !atomic_load(&c->leave))
        while (sem_wait(&c->start) != 0 && errno == EINTR) {
        }
    return (unsigned)(atomic_load_explicit(&c->next, memory_order_acquire) >> 32);
}

static void *serve(void *argument)
{
    const helper *h = argument;
    ifd__crew *c = h->crew;
    for (unsigned last = 0, solution = 0; !atomic_load(&c->leave);) {
        unsigned round = wait_for_round(c, last);
        if (round != last)
            work(c, round, h->me, &solution);
        last = round;
    }
    return NULL;
}

IFD_RT static bool all_finished(ifd__crew *c)
{
    return atomic_load_explicit(&c->finished, memory_order_acquire) == c->due;
}

/* The caller has nothing left to do in this round; false: a task is late. */
IFD_RT static bool wait_for_tasks(ifd__crew *c)
{
    int64_t begin = 0, now = 0;
    for (int spin = 1; !all_finished(c); spin++) {
        if (spin % CLOCK_EVERY == 0) {
            now = ifd__clock_now();
            begin = begin ? begin : now;
            if (now - begin > c->wait)
                return false;
        }
        if (spin > SPINS)
            sched_yield();
        PAUSE();
    }
    c->wait -= now - begin;
    return true;
}

/* One round by all threads; false: a task is late. None of this round can be taken after this. */
IFD_RT static bool round_of(ifd__crew *c, action what, int tasks, const top *of)
{
    c->of = of;
    c->action = what;
    c->due += (unsigned)tasks;
    c->round++;
    atomic_store(&c->next, (unsigned long long)c->round << 32 | (of ? ENDS : 0u) | (unsigned)tasks);
    for (int asleep = atomic_exchange(&c->sleepers, 0); asleep > 0; asleep--)
        sem_post(&c->start);
    work(c, c->round, 0, &c->solution);
    return wait_for_tasks(c);
}

/* Takes the crew for one call; false if another thread has it, or a part of an earlier round is not finished. */
IFD_RT static bool take(ifd__crew *c)
{
    if (atomic_exchange_explicit(&c->busy, true, memory_order_acquire))
        return false;
    if (!all_finished(c)) {
        atomic_store_explicit(&c->busy, false, memory_order_release);
        return false;
    }
    if (!pthread_equal(pthread_self(), c->master)) {
        c->master = pthread_self();
        for (int k = 1; k < c->size; k++)
            ifd__thread_follow(c->helper[k].thread, &c->allowed, k - 1);
    }
    fegetenv(&c->environment);
    c->solution++;
    c->wait = (int64_t)(c->patience * 1e9);
    return true;
}

IFD_RT static bool release(ifd__crew *c, bool good)
{
    c->given_up += !good;
    atomic_store_explicit(&c->busy, false, memory_order_release);
    return good;
}

/* c->x := the right-hand side in the order of the factor. Then x and z of all parts, and z of those above. */
IFD_RT static bool forward(ifd__crew *c, const double *x)
{
    const ifd_solver *s = c->solver;
    s->kernels->pick(s->there.runs, s->there.run, x, c->x);
    if (!round_of(c, FORWARD_PARTS, IFD__PARTS, NULL))
        return false;
    for (int k = 0; k < IFD__PARTS; k++)
        for (int i = s->panels.above; i < s->n; i++)
            c->x[i] += c->part[k].x[i];
    for (const top *t = c->top; t < c->top + c->tops; t++) {
        if (!t->rows)
            ifd__sweep_forward(s->kernels, &t->whole, c->x, c->z);
        else if (!round_of(c, FORWARD_ROWS, c->size, t))
            return false;
    }
    return true;
}

/* From z of all parts and of those above. */
IFD_RT static bool backward(ifd__crew *c, double *x)
{
    const ifd_solver *s = c->solver;
    for (const top *t = c->top + c->tops; t-- > c->top;) {
        if (!t->columns)
            ifd__sweep_backward(s->kernels, &t->whole, c->z);
        else if (!round_of(c, BACKWARD_COLUMNS, c->size, t))
            return false;
    }
    if (!round_of(c, BACKWARD_PARTS, IFD__PARTS, NULL))
        return false;
    for (int k = 0; k < IFD__PARTS; k++) {
        const part *p = &c->part[k];
        memcpy(c->z + p->begin, p->z + p->begin, sizeof(double) * (size_t)(p->end - p->begin));
    }
    s->kernels->pick(s->back.runs, s->back.run, c->z, x);
    return true;
}

bool ifd__crew_solve(ifd__crew *c, double *x)
{
    return take(c) && release(c, forward(c, x) && backward(c, x));
}

bool ifd__crew_forward(ifd__crew *c, const double *x, double *y, double *z)
{
    const ifd__panels *P = &c->solver->panels;
    if (!take(c))
        return false;
    if (!forward(c, x))
        return release(c, false);
    size_t rows = (size_t)(P->n - P->above);
    for (int k = 0; k < IFD__PARTS; k++) {
        const part *p = &c->part[k];
        size_t bytes = sizeof(double) * (size_t)(p->end - p->begin);
        memcpy(y + p->begin, p->x + p->begin, bytes);
        memcpy(z + p->begin, p->z + p->begin, bytes);
    }
    memcpy(y + P->above, c->x + P->above, sizeof(double) * rows);
    memcpy(z + P->above, c->z + P->above, sizeof(double) * rows);
    return release(c, true);
}

bool ifd__crew_backward(ifd__crew *c, const double *z, double *x)
{
    const ifd__panels *P = &c->solver->panels;
    if (!take(c))
        return false;
    for (int k = 0; k < IFD__PARTS; k++) {
        const part *p = &c->part[k];
        memcpy(p->z + p->begin, z + p->begin, sizeof(double) * (size_t)(p->end - p->begin));
    }
    memcpy(c->z + P->above, z + P->above, sizeof(double) * (size_t)(P->n - P->above));
    return release(c, backward(c, x));
}

int ifd__crew_size(const ifd__crew *c)
{
    return c ? c->size : 1;
}

long ifd__crew_given_up(const ifd__crew *c)
{
    return c->given_up;
}

void ifd__crew_on_part(ifd__crew *c, void (*call)(void *what, int thread), void *what, double limit)
{
    c->call = call;
    c->what = what;
    c->patience = limit;
}

static void close_crew(void *crew)
{
    ifd__crew *c = crew;
    atomic_store(&c->leave, true);
    for (int k = 1; k < c->size; k++)
        sem_post(&c->start);
    for (int k = 1; k < c->size; k++)
        pthread_join(c->helper[k].thread, NULL);
    sem_destroy(&c->start);
}

static ifd_status top_make(ifd_arena *arena, const ifd__panels *above, int k, int threads, top *out)
{
    const ifd__panel *J = &above->panel[k];
    out->whole = *above;
    out->whole.panel += k;
    out->whole.count = 1;
    if ((double)J->width * (J->rows + J->width) < WORTH)
        return IFD_OK;
    ifd__panel *rows, *columns;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(out->rows, threads), IFD__ARRAY(out->columns, threads),
                      IFD__ARRAY(rows, threads), IFD__ARRAY(columns, threads)));
    for (int p = 0; p < threads; p++) {
        ifd__view_rows(above, k, (const int[]){p, threads}, &rows[p], &out->rows[p]);
        ifd__view_columns(above, k, (const int[]){p, threads}, &columns[p], &out->columns[p]);
    }
    return IFD_OK;
}

/* The panels above, for the threads that have started. */
static ifd_status tops_make(ifd_arena *arena, ifd__crew *c)
{
    const ifd__panels above = ifd__panels_part(&c->solver->panels, IFD__PARTS);
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(c->top, (size_t)above.count + 1)));
    for (c->tops = 0; c->tops < above.count; c->tops++)
        IFD_TRY(top_make(arena, &above, c->tops, c->size, &c->top[c->tops]));
    return IFD_OK;
}

static ifd_status memory_make(ifd_arena *arena, ifd__crew *c, int threads)
{
    const ifd__panels *P = &c->solver->panels;
    size_t n = (size_t)P->n + 2 * IFD__MOST_LANES;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(c->x, n), IFD__ARRAY(c->z, n), IFD__ARRAY(c->helper, threads)));
    for (int k = 0; k < IFD__PARTS; k++) {
        part *p = &c->part[k];
        p->panels = ifd__panels_part(P, k);
        p->begin = P->part[k] < P->count ? P->panel[P->part[k]].first : P->n;
        p->end = P->part[k + 1] < P->count ? P->panel[P->part[k + 1]].first : P->n;
        IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(p->x, n), IFD__ARRAY(p->z, n)));
    }
    return IFD_OK;
}

ifd_status ifd__crew_open(ifd_arena *arena, const ifd_solver *solver, int threads, ifd__crew **out)
{
    *out = NULL;
    threads = threads > IFD__PARTS ? IFD__PARTS : threads;
    if (threads < 2 || !solver->panels.parts)
        return IFD_OK;
    ifd__crew *c;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(c, 1)));
    c->solver = solver;
    c->patience = PATIENCE;
    IFD_TRY(memory_make(arena, c, threads));
    if (sched_getaffinity(0, sizeof c->allowed, &c->allowed) != 0)
        CPU_ZERO(&c->allowed);
    if (sem_init(&c->start, 0, 0) != 0)
        return IFD_INTERNAL;
    if (!ifd_arena_on_close(arena, close_crew, c))
        return IFD_NO_MEMORY;
    for (c->size = 1; c->size < threads; c->size++) {
        helper *h = &c->helper[c->size];
        *h = (helper){.crew = c, .me = c->size};
        if (ifd__thread_start(&h->thread, serve, h) != 0)
            break;
    }
    if (c->size < 2)
        return IFD_OK;
    IFD_TRY(tops_make(arena, c));
    ifd__blas_alone();
    *out = c;
    return IFD_OK;
}
