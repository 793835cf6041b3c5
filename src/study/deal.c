/* SPDX-License-Identifier: MIT */
/* Deals the members out to workers. Which worker computes a member has no influence on its result. */
#include <string.h>

#include <interfield/study_carrier.h>

#include "study/member.h"
#include "study/store.h"

enum { DEPTH = IFD__STUDY_BLOCK, SHORT = 8 };

typedef struct task {
    int64_t number;
    double value[IFD_STUDY_VARIABLES];
} task;

/* What one worker has. */
typedef struct hand {
    task given[DEPTH]; /* without result, oldest first */
    int tasks;
    bool gone;
} hand;

typedef struct dealer {
    ifd_study_store *store;
    const ifd_study_carrier *carrier;
    ifd_study_runner *runner; /* of this process: it only packs the results of lost members */
    hand *hand;
    int idle, gone; /* workers without members; workers that have ended */
    task *again;    /* members of lost workers */
    int agains;
    long results;          /* so far */
    double typical;        /* s, duration of a member */
    ifd_study_queue queue; /* its last answer */
    char *message;
} dealer;

static size_t task_size(const ifd_study *s)
{
    return sizeof(int64_t) + (size_t)s->variables * sizeof(double);
}

/* The next member: one of a lost worker first, unless its result arrived after all. */
static bool take(dealer *d, task *t)
{
    while (d->agains) {
        *t = d->again[--d->agains];
        if (!ifd__store_finished(d->store, (long)t->number))
            return true;
    }
    long number;
    d->queue = ifd_study_next(d->store, t->value, &number);
    t->number = number;
    return d->queue == IFD_STUDY_MEMBER;
}

/* Members that a worker may have. Short ones wait at their worker, so that it need not wait for this process; long
 * ones are handed out singly, so that no worker ends long after the others. So are the first ones: the durations
 * that are known first are the shortest. Those of an ensemble form one block, a large one if they are very short;
 * after a loss they come alone, so that the one that ended its worker is known. */
static int room(const dealer *d, const hand *h)
{
    if (d->store->study->ensemble)
        return h->tasks ? 0 : d->agains ? 1 : d->results && d->typical < 0.002 ? DEPTH : SHORT;
    int depth = d->typical > 0.1 || d->results < d->carrier->workers ? 1 : d->typical > 0.01 ? 2 : SHORT;
    return depth - h->tasks;
}

/* Hands members to a worker in one message; false: there are none for it. */
static bool supply(dealer *d, int worker)
{
    hand *h = &d->hand[worker];
    size_t size = task_size(d->store->study), length = 0;
    bool idle = h->tasks == 0;
    if (h->gone)
        return false;
    for (int left = room(d, h); left > 0 && take(d, &h->given[h->tasks]); left--) {
        memcpy(d->message + length, &h->given[h->tasks++], size);
        length += size;
    }
    d->idle -= idle && h->tasks;
    if (length)
        d->carrier->send(d->carrier->self, worker, d->message, length);
    return length > 0;
}

/* Members go to idle workers before they wait at busy ones. */
static void supply_idle(dealer *d)
{
    for (int i = 0; i < d->carrier->workers && d->idle; i++)
        if (!d->hand[i].tasks && !d->hand[i].gone && !supply(d, i))
            return;
}

/* Removes a member from a hand; false: it is not there, because it was given to another worker since. */
static bool discard(dealer *d, hand *h, int64_t number)
{
    for (int i = 0; i < h->tasks; i++)
        if (h->given[i].number == number) {
            memmove(h->given + i, h->given + i + 1, (size_t)(h->tasks - i - 1) * sizeof *h->given);
            d->idle += --h->tasks == 0 && !h->gone;
            return true;
        }
    return false;
}

static ifd_status accept_result(dealer *d, const ifd_study_news *n, ifd_note *note)
{
    ifd__result_head head;
    if (n->length < sizeof head)
        return ifd_note_add(note, IFD_DAMAGED, NULL, "the result of a member is damaged");
    memcpy(&head, n->bytes, sizeof head);
    if (discard(d, &d->hand[n->worker], head.number))
        d->typical = d->results++ ? 0.9 * d->typical + 0.1 * head.duration : head.duration;
    return ifd_study_put(d->store, n->bytes, n->length, note);
}

/* The members of a hand are handed out again; of a lost worker the one that it computed is over, if it is known. */
static ifd_status take_back(dealer *d, const ifd_study_news *n, ifd_note *note)
{
    hand *h = &d->hand[n->worker];
    ifd_status status = IFD_OK;
    bool over = n->what == IFD_STUDY_LOST && h->tasks && (h->tasks == 1 || !d->store->study->ensemble);
    if (over) {
        size_t length;
        const void *bytes =
            ifd_study_crashed(d->runner, (long)h->given[0].number, h->given[0].value, n->reason, &length);
        status = bytes ? ifd_study_put(d->store, bytes, length, note) : IFD_NO_MEMORY;
    }
    for (int i = over; i < h->tasks; i++)
        d->again[d->agains++] = h->given[i];
    d->idle += h->tasks > 0 && !h->gone;
    h->tasks = 0;
    if (n->what == IFD_STUDY_GONE && !h->gone) {
        h->gone = true;
        d->gone++;
        d->idle--;
    }
    return status;
}

static ifd_status react(dealer *d, const ifd_study_news *n, ifd_note *note)
{
    ifd_status status = n->what == IFD_STUDY_RESULT ? accept_result(d, n, note) : take_back(d, n, note);
    supply_idle(d);
    (void)supply(d, n->worker);
    return status;
}

/* Nothing is out. */
static ifd_status conclude(const dealer *d, ifd_note *note)
{
    if (d->gone == d->carrier->workers && (d->agains || d->queue != IFD_STUDY_END))
        return ifd_note_add(note, IFD_INTERNAL, NULL, "all processes that computed have ended");
    if (d->queue == IFD_STUDY_WAIT) /* without a result to wait for: the queue has no memory for its next members */
        return ifd_note_add(note, IFD_NO_MEMORY, NULL, "no memory for the members");
    return IFD_OK;
}

static ifd_status deal(dealer *d, const ifd_study_options *o, ifd_note *note)
{
    supply_idle(d);
    while (d->idle + d->gone < d->carrier->workers) {
        ifd_study_news n = {.what = IFD_STUDY_NOTHING};
        IFD_TRY(d->carrier->hear(d->carrier->self, 0.1, &n, note));
        if (n.what != IFD_STUDY_NOTHING)
            IFD_TRY(react(d, &n, note));
        if (o && o->watch && o->watch(o->self, d->store))
            return IFD_INTERRUPTED;
    }
    return conclude(d, note);
}

ifd_status ifd_study_deal(ifd_study_store *store, const ifd_study_carrier *c, const ifd_study_options *o,
                          ifd_note *note)
{
    dealer d = {.store = store, .carrier = c, .idle = c->workers};
    ifd_arena *arena IFD__CLOSED = ifd_arena_open();
    IFD__HAVE(arena);
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(d.hand, c->workers), IFD__ARRAY(d.again, c->workers * DEPTH),
                      IFD__ARRAY(d.message, DEPTH * sizeof(task))));
    IFD_TRY(ifd_study_runner_open(arena, store->study, &d.runner));
    return deal(&d, o, note);
}

bool ifd_study_serve(ifd_study_runner *r, const void *bytes, size_t length,
                     void (*put)(void *self, const void *bytes, size_t length), void *self)
{
    const ifd_study *s = r->study;
    size_t size = task_size(s);
    task t[DEPTH];
    long number[DEPTH] = {0};
    const double *value[DEPTH] = {NULL};
    int count = (int)(length / size);
    if (length == 0 || length % size != 0 || length / size > DEPTH)
        return false;
    for (int i = 0; i < count; i++) {
        memcpy(&t[i], (const char *)bytes + (size_t)i * size, size);
        number[i] = (long)t[i].number;
        value[i] = t[i].value;
    }
    if (s->ensemble)
        ifd__study_compute_block(r, count, number, value, put, self);
    for (int i = 0; i < count && !s->ensemble; i++) {
        size_t of_result = 0;
        const void *result = ifd_study_compute(r, number[i], value[i], &of_result);
        put(self, result, of_result);
    }
    return true;
}
