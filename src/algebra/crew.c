/* SPDX-License-Identifier: MIT */
/* One word holds the round and the number of the next part: a thread takes a part by raising the word by one, which
 * fails if the round has changed. Odd rounds are forward, even ones backward. A part is finished when its own word
 * has the number of the round. Memory of a part: x and z, of which it uses its own columns and the rows above. */
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
#include "base/os_linux.h"

enum { SPINS = 2000, CLOCK_EVERY = 64 };
/* Numbers of a factor of 24 MB. Up to this size the parts come in falling size, so that threads end together. A
 * larger factor leaves the last cache of usual processors: backward, the parts that were read last come first. */
#define BEYOND_CACHE 3000000
#define PATIENCE 0.1 /* s: far longer than a part, and longer than a time slice of the system */

typedef struct part {
    double *x, *z;  /* own columns and the rows above */
    int begin, end; /* own columns */
    ifd__panels panels;
    _Alignas(64) atomic_uint finished;
} part;

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
    ifd__panels above;
    double *x, *z; /* all columns */
    fenv_t environment;
    double patience;
    bool turns; /* the backward sweep takes the parts in reverse */
    long given_up;
    void (*call)(void *what, int thread);
    void *what;
    pthread_t master;
    cpu_set_t allowed;
    sem_t start;
    atomic_bool busy, leave;
    atomic_int sleepers;
    unsigned round;
    _Alignas(64) atomic_ullong next; /* round << 32 | part */
};

IFD_RT static void forward_part(const ifd__crew *c, part *p)
{
    size_t rows = (size_t)(p->panels.n - p->panels.above);
    memcpy(p->x + p->begin, c->x + p->begin, sizeof(double) * (size_t)(p->end - p->begin));
    memset(p->x + p->panels.above, 0, sizeof(double) * rows);
    ifd__sweep_forward(c->solver->kernels, &p->panels, p->x, p->z);
}

IFD_RT static void backward_part(const ifd__crew *c, part *p)
{
    size_t rows = (size_t)(p->panels.n - p->panels.above);
    memcpy(p->z + p->panels.above, c->z + p->panels.above, sizeof(double) * rows);
    ifd__sweep_backward(c->solver->kernels, &p->panels, p->z);
}

/* Takes and computes parts of the given round until none is left. */
IFD_RT static void work(ifd__crew *c, unsigned round, int me)
{
    unsigned long long seen = atomic_load_explicit(&c->next, memory_order_acquire);
    while ((unsigned)(seen >> 32) == round && (seen & 0xffffffffu) < IFD__PARTS) {
        if (!atomic_compare_exchange_weak_explicit(&c->next, &seen, seen + 1, memory_order_acq_rel,
                                                   memory_order_acquire))
            continue;
        unsigned k = (unsigned)(seen & 0xffffffffu);
        part *p = &c->part[c->turns && round % 2 == 0 ? IFD__PARTS - 1 - k : k];
        if (me)
            fesetenv(&c->environment);
        if (c->call)
            c->call(c->what, me);
        if (round % 2)
            forward_part(c, p);
        else
            backward_part(c, p);
        atomic_store_explicit(&p->finished, round, memory_order_release);
        seen = atomic_load_explicit(&c->next, memory_order_acquire);
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
    for (unsigned last = 0; !atomic_load(&c->leave);) {
        unsigned round = wait_for_round(c, last);
        if (round != last)
            work(c, round, h->me);
        last = round;
    }
    return NULL;
}

IFD_RT static bool all_finished(ifd__crew *c)
{
    for (int k = 0; k < IFD__PARTS; k++)
        if (atomic_load_explicit(&c->part[k].finished, memory_order_acquire) != c->round)
            return false;
    return true;
}

/* One round by all threads; false: a part is late. No part of this round can be taken after this. */
IFD_RT static bool round_of(ifd__crew *c)
{
    c->round++;
    atomic_store(&c->next, (unsigned long long)c->round << 32);
    for (int asleep = atomic_exchange(&c->sleepers, 0); asleep > 0; asleep--)
        sem_post(&c->start);
    work(c, c->round, 0);
    if (all_finished(c))
        return true;
    int64_t until = ifd__clock_now() + (int64_t)(c->patience * 1e9);
    for (int spin = 1;; spin++) {
        if (all_finished(c))
            return true;
        if (spin % CLOCK_EVERY == 0 && ifd__clock_now() > until)
            return false;
        if (spin > SPINS)
            sched_yield();
        PAUSE();
    }
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
    if (c->round % 2) /* after a forward half without a backward one */
        c->round++;
    if (!round_of(c))
        return false;
    for (int k = 0; k < IFD__PARTS; k++)
        for (int i = s->panels.above; i < s->n; i++)
            c->x[i] += c->part[k].x[i];
    ifd__sweep_forward(s->kernels, &c->above, c->x, c->z);
    return true;
}

/* From z of all parts and of those above. */
IFD_RT static bool backward(ifd__crew *c, double *x)
{
    const ifd_solver *s = c->solver;
    ifd__sweep_backward(s->kernels, &c->above, c->z);
    if (!(c->round % 2))
        c->round++;
    if (!round_of(c))
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
    c->above = ifd__panels_part(P, IFD__PARTS);
    return IFD_OK;
}

ifd_status ifd__crew_open(ifd_arena *arena, const ifd_solver *solver, int threads, ifd__crew **out)
{
    *out = NULL;
    threads = threads > IFD__PARTS ? IFD__PARTS : threads;
    if (threads < 2 || !solver->panels.parts)
        return IFD_OK;
    ifd__crew *c = ifd_arena_take(arena, sizeof *c);
    if (!c)
        return IFD_NO_MEMORY;
    c->solver = solver;
    c->patience = PATIENCE;
    c->turns = ifd__solver_facts_of(solver).stored > BEYOND_CACHE;
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
    ifd__blas_alone();
    *out = c;
    return IFD_OK;
}
