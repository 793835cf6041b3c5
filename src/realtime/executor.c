/* SPDX-License-Identifier: MIT */
/* The thread of the tick: its clock, its orders, its records. */
#include <interfield/executor.h>

#include "algebra/team.h"
#include "base/arena.h"
#include "base/beat.h"
#include "base/ring.h"
#include "realtime/histogram.h"
#include "realtime/rig_clock.h"
#include "base/os_linux.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <string.h>

enum { LINE = 64, NAP = 50000 /* ns */, ORDER_BITS = 16 };

typedef struct record {
    uint64_t tick, skipped, thinned;
    double wall, late, duration;
    ifd_order order;
    uint32_t source;
    ifd_tick_trace trace;
    double values[];
} record;

struct ifd_executor {
    ifd_executor_options o;
    ifd_ticked ticked;
    ifd__ring *ring;
    double period;        /* ns */
    double late_after;    /* s */
    ifd__rig_clock clock; /* of a rig that leads */
    _Atomic double rig_period;
    _Atomic uint64_t in_vain;
    int64_t start; /* ns, due time of the first tick */
    pthread_t thread;
    sem_t ready, go;
    int awake;
    bool open;
    bool fifo, deadline, locked, pinned, isolated;
    long faults, preempted;
    atomic_bool cold; /* the rig did not become ready */

    bool held;                       /* the reader has a record in use */
    uint64_t unseen, unseen_skipped; /* ticks not recorded since the last record; instants skipped in them */

    _Alignas(LINE) _Atomic uint32_t order; /* and its source: word_of() */
    _Atomic uint32_t overtaken, outdated;  /* orders, a bit each */
    _Atomic uint32_t closed;               /* IFD_GATE_CHECKS, IFD_GATE_CHECKED */
    atomic_bool leave;                     /* end between two ticks */
    atomic_bool unheard;                   /* the reader has ended: do not wait for space */

    _Alignas(LINE) atomic_bool finished;
    _Atomic int end;
    _Atomic uint64_t ticks, late_ticks, skipped;
    _Atomic int64_t start_utc, start_tai, start_monotonic; /* ns; set before the first tick */
    ifd_histogram late, duration;
};

/* Times of one tick. Ticks and instants of the grid are counted separately: skipping advances only the grid. */
typedef struct turn {
    uint64_t tick;
    uint64_t expected, grid; /* instant due for this tick, and actual instant */
    int64_t woke, ended;     /* ns */
    ifd_tick_in in;
} turn;

void ifd_executor_defaults(ifd_executor_options *o)
{
    *o = (ifd_executor_options){
        .period = 1e-3, .priority = 80, .core = -1, .lock_memory = true, .ring = 4096, .lossless = true};
}

/* An order and its source in one word. */
static uint32_t word_of(ifd_order order, uint32_t source)
{
    return (uint32_t)order | source << ORDER_BITS;
}

static ifd_order order_in(uint32_t word)
{
    return (ifd_order)(word & ((1u << ORDER_BITS) - 1));
}

static uint32_t source_in(uint32_t word)
{
    return word >> ORDER_BITS;
}

static bool clocked(const ifd_executor *e)
{
    return e->period > 0;
}

/* From the start in each tick: a sum of rounded periods would drift. */
static int64_t due(const ifd_executor *e, uint64_t instant)
{
    return e->start + (int64_t)(e->period * (double)instant + 0.5);
}

static bool led(const ifd_executor *e)
{
    return clocked(e) && e->ticked.wait;
}

/* The instant of this tick on CLOCK_MONOTONIC. */
static int64_t instant(const ifd_executor *e, const turn *t)
{
    return led(e) ? e->clock.due : due(e, t->grid);
}

/* The lateness includes skipped instants, as with the clock of this machine. */
static void wait_for_rig(ifd_executor *e, turn *t)
{
    ifd__rig_clock *c = &e->clock;
    int64_t latest = ifd__rig_clock_latest(c), sample = e->ticked.wait(e->ticked.self, latest);
    ifd__rig_clock_take(c, sample, ifd__clock_now());
    ifd__clock_sleep(c->due); /* a rig that answers early with nothing must not hurry the ticks */
    t->woke = ifd__clock_now();
    t->in.late = 1e-9 * ((double)(t->woke - c->due) + e->period * (double)c->skipped);
    t->expected = t->grid;
    t->grid += c->skipped;
    atomic_store_explicit(&e->rig_period, 1e-9 * c->mean, memory_order_relaxed);
    atomic_store_explicit(&e->in_vain, c->in_vain, memory_order_relaxed);
}

/* What the clocks do not permit in this tick. */
static uint32_t gate(const ifd_executor *e, const turn *t)
{
    bool late = clocked(e) && (t->in.late > e->late_after || (led(e) && e->clock.wrong));
    uint32_t closed = atomic_load_explicit(&e->closed, memory_order_acquire) | (late ? IFD_GATE_LATE : 0);
    if (led(e) && (e->clock.mean == 0.0 || e->clock.wrong))
        closed |= e->clock.wrong ? IFD_GATE_PERIOD : IFD_GATE_COMPARE;
    if (e->o.start_at == 0 || !clocked(e))
        return closed;
    if (t->tick == 0) /* closed once, so that a rig that becomes ready too late is noticed: the test is not armed */
        return closed | IFD_GATE_READY | IFD_GATE_START;
    double left = (double)(e->o.start_at - instant(e, t));
    if (left > 1e9 * e->o.lead + 0.5 * e->period)
        closed |= IFD_GATE_READY;
    /* the state changes at the end of a tick: the tick before the start lets it pass */
    return left > 1.5 * e->period ? closed | IFD_GATE_START : closed;
}

static void wait(ifd_executor *e, turn *t)
{
    if (led(e)) {
        wait_for_rig(e, t);
        return;
    }
    if (clocked(e))
        ifd__clock_sleep(due(e, t->grid));
    t->woke = ifd__clock_now();
    t->in.late = clocked(e) ? 1e-9 * (double)(t->woke - due(e, t->expected)) : 0.0;
}

/* The first instant that has not passed. */
static void advance(ifd_executor *e, turn *t)
{
    t->tick++;
    if (led(e)) {
        ifd__rig_clock_advance(&e->clock, t->ended);
        t->grid++;
        return;
    }
    t->expected = t->grid + 1;
    t->grid = t->expected;
    if (!clocked(e) || due(e, t->expected) > t->ended)
        return;
    t->grid = (uint64_t)((double)(t->ended - e->start) / e->period);
    t->grid = t->grid > t->expected ? t->grid : t->expected;
    for (int k = 0; k < 2 && due(e, t->grid) <= t->ended; k++)
        t->grid++;
}

/* Written by the tick thread only, read by any thread. */
static void count(_Atomic uint64_t *value, uint64_t by)
{
    atomic_store_explicit(value, atomic_load_explicit(value, memory_order_relaxed) + by, memory_order_relaxed);
}

static uint64_t counted(const _Atomic uint64_t *value)
{
    return atomic_load_explicit(value, memory_order_relaxed);
}

static void account(ifd_executor *e, const turn *t)
{
    int64_t late = led(e) ? (int64_t)(1e9 * t->in.late) : clocked(e) ? t->woke - due(e, t->expected) : 0;
    bool quiet = e->ticked.trace && e->ticked.trace(e->ticked.self)->quiet;
    ifd_histogram_add(&e->late, late > 0 ? (uint64_t)late : 0);
    ifd_histogram_add(&e->duration, (uint64_t)(t->ended - t->woke));
    if ((t->in.gate & IFD_GATE_LATE) && !quiet)
        count(&e->late_ticks, 1);
    count(&e->skipped, t->grid - t->expected);
    count(&e->ticks, 1);
}

/* Most ticks have no target, which is large. */
static void copy_trace(ifd_tick_trace *to, const ifd_tick_trace *from)
{
    memcpy(to, from, from->took ? sizeof *to : offsetof(ifd_tick_trace, target));
}

static void publish(ifd_executor *e, const turn *t)
{
    while (!clocked(e) && e->o.lossless && ifd__ring_full(e->ring) &&
           !atomic_load_explicit(&e->unheard, memory_order_relaxed))
        ifd__clock_sleep(ifd__clock_now() + NAP);
    e->unseen_skipped += t->grid - t->expected;
    if (e->ticked.trace && e->ticked.trace(e->ticked.self)->quiet) {
        e->unseen++;
        return;
    }
    record *r = ifd__ring_claim(e->ring);
    if (!r)
        return;
    r->tick = t->tick + 1;
    r->skipped = e->unseen_skipped;
    r->thinned = e->unseen;
    e->unseen = e->unseen_skipped = 0;
    r->wall = t->in.wall;
    r->late = t->in.late;
    r->duration = 1e-9 * (double)(t->ended - t->woke);
    r->order = t->in.order;
    r->source = t->in.source;
    if (e->ticked.trace)
        copy_trace(&r->trace, e->ticked.trace(e->ticked.self));
    memcpy(r->values, e->ticked.values(e->ticked.self), (size_t)e->ticked.count * sizeof *r->values);
    ifd__ring_commit(e->ring);
}

/* A free-running test on hold would tick and record as fast as possible while it waits for an order. Each wait is
 * slightly longer than the last one: a few ticks on hold remain fast, and an order waits at most 10 ms. */
static void nap_at_rest(const ifd_executor *e, int64_t *rested)
{
    const int64_t longer = 10000, longest = 10000000; /* ns */
    bool rests = !clocked(e) && e->ticked.rests && e->ticked.rests(e->ticked.self);
    *rested = rests ? *rested + longer : 0;
    if (rests && order_in(atomic_load_explicit(&e->order, memory_order_relaxed)) == IFD_ORDER_NONE)
        ifd__clock_sleep(ifd__clock_now() + (*rested < longest ? *rested : longest));
}

/* Once, before the first tick: a later change of the system clock does not affect the start. */
static void stamp(ifd_executor *e)
{
    int64_t utc, tai;
    ifd__clock_offsets(&utc, &tai);
    atomic_store_explicit(&e->start_monotonic, e->start, memory_order_relaxed);
    atomic_store_explicit(&e->start_utc, e->start + utc, memory_order_relaxed);
    atomic_store_explicit(&e->start_tai, e->start + tai, memory_order_relaxed);
}

/* Whether the order, which the first tick has not received yet, ends the test. */
static bool ends(const ifd_executor *e)
{
    ifd_order order = order_in(atomic_load_explicit(&e->order, memory_order_relaxed));
    return order == IFD_ORDER_TRIP || order == IFD_ORDER_PARK || order == IFD_ORDER_QUIT || order == IFD_ORDER_STOP ||
           order == IFD_ORDER_OFF || order == IFD_ORDER_RAMP_OUT ||
           atomic_load_explicit(&e->leave, memory_order_relaxed);
}

/* The next multiple of a period of a whole number of ns, so that the phase of the ticks is known before the first. */
static int64_t on_grid(const ifd_executor *e, int64_t after)
{
    int64_t whole = llround(e->period);
    return fabs(e->period - (double)whole) < 1e-6 ? (after / whole + 1) * whole : after;
}

/* Before the first tick. A rig that is not ready receives one command without a position, and the test ends. */
static void warm(ifd_executor *e)
{
    int ready = e->ticked.warm ? 0 : 1;
    if (clocked(e) && e->ticked.grid)
        e->ticked.grid(e->ticked.self, e->o.start_at > 0 ? e->o.start_at : on_grid(e, ifd__clock_now()));
    while (ready == 0 && !ends(e))
        ready = e->ticked.warm(e->ticked.self);
    if (ready == 1)
        return;
    atomic_store(&e->cold, true);
}

/* On the grid, one period from now or later, so that a tick falls on the start instant. */
static int64_t first_instant(const ifd_executor *e)
{
    int64_t soon = ifd__clock_now() + (int64_t)e->period;
    if (!clocked(e))
        return soon;
    if (e->o.start_at <= soon)
        return on_grid(e, soon);
    double whole = floor((double)(e->o.start_at - soon) / e->period);
    return e->o.start_at - (int64_t)(e->period * whole + 0.5);
}

/* Two orders can arrive within a tick: an order to stop has priority over one to continue, and of two stops the one
 * with the larger effect: that of a viewer can be refused where that of the holder is not. */
static int urgency(uint32_t word)
{
    ifd_order order = order_in(word);
    uint32_t source = source_in(word);
    if (order == IFD_ORDER_OFF || order == IFD_ORDER_TRIP)
        return order == IFD_ORDER_OFF ? 5 : 4; /* off trips too */
    if (order != IFD_ORDER_STOP)
        return order == IFD_ORDER_RAMP_OUT ? 3 : 0;
    return source == IFD_SOURCE_AUTOMATIC ? 1 : source >= IFD_SOURCE_VIEWER ? 2 : 3;
}

/* s: a tick that returns after a hang does not begin a motion that was ordered before it. */
static const double outdated_after = 0.5;

static void take_order(ifd_executor *e, ifd_tick_in *in)
{
    uint32_t word = atomic_exchange_explicit(&e->order, word_of(IFD_ORDER_NONE, 0), memory_order_acquire);
    in->order = order_in(word);
    in->source = source_in(word);
    if (in->late > outdated_after && in->source == IFD_SOURCE_HOLDER && urgency(word) == 0) {
        atomic_fetch_or(&e->outdated, 1u << in->order & ~1u);
        in->order = IFD_ORDER_NONE;
    }
    if (atomic_load_explicit(&e->cold, memory_order_relaxed))
        in->order = IFD_ORDER_QUIT; /* whatever was ordered meanwhile */
    if (in->order != IFD_ORDER_NONE || !e->ticked.wish)
        return;
    in->order = e->ticked.wish(e->ticked.self);
    in->source = in->order == IFD_ORDER_NONE ? IFD_SOURCE_HOLDER : IFD_SOURCE_AUTOMATIC;
}

static void run(ifd_executor *e)
{
    int64_t rested = 0;
    warm(e);
    turn t = {.in.patience = clocked(e) ? 0.5e-9 * e->period : 0.0};
    ifd_run_state state = IFD_RUN_GOING;
    e->start = first_instant(e);
    ifd__rig_clock_begin(&e->clock, e->start, e->period);
    stamp(e);
    while (state == IFD_RUN_GOING && !atomic_load_explicit(&e->leave, memory_order_relaxed)) {
        ifd__beat_at(e->ticked.beat, IFD_AT_WAIT);
        wait(e, &t);
        take_order(e, &t.in);
        t.in.gate = gate(e, &t);
        t.in.wall = 1e-9 * (double)(t.woke - e->start);
        state = e->ticked.tick(e->ticked.self, &t.in);
        ifd__beat_mark(e->ticked.beat, IFD_AT_PUBLISH, 0, 1);
        t.ended = ifd__clock_now();
        account(e, &t);
        publish(e, &t);
        nap_at_rest(e, &rested);
        advance(e, &t);
    }
    ifd__beat_at(e->ticked.beat, IFD_AT_NONE);
    atomic_store_explicit(&e->end, (int)state, memory_order_relaxed);
}

static void prepare(ifd_executor *e)
{
    ifd__denormals_flush();
    e->deadline = clocked(e) && e->o.deadline && ifd__thread_deadline((int64_t)e->period);
    e->pinned = ifd__thread_pin(e->deadline ? -1 : e->o.core); /* the kernel permits deadlines on all cores only */
    e->isolated = ifd__thread_isolated();
    ifd__thread_touch_stack();
    e->locked = clocked(e) && e->o.lock_memory && ifd__memory_lock(); /* without a clock there is no lateness */
    e->fifo = !e->deadline && ifd__thread_schedule(clocked(e) ? e->o.priority : 0);
}

static void wait_for(sem_t *s)
{
    while (sem_wait(s) != 0 && errno == EINTR) {
    }
}

static void *serve(void *executor)
{
    ifd_executor *e = executor;
    long faults, preempted;
    prepare(e);
    sem_post(&e->ready);
    wait_for(&e->go);
    ifd__thread_disturbances(&faults, &preempted);
    ifd__beat_thread(e->ticked.beat);
    run(e);
    ifd__thread_disturbances(&e->faults, &e->preempted);
    e->faults -= faults;
    e->preempted -= preempted;
    atomic_store_explicit(&e->finished, true, memory_order_release);
    return NULL;
}

static ifd_status check(const ifd_executor_options *o, ifd_note *note)
{
    if (!(o->period == 0 || (o->period >= 1e-5 && o->period <= 3600)))
        return ifd_note_add(note, IFD_RANGE, NULL, "the period is %g s, expected 10 us to one hour, or 0", o->period);
    if (o->priority < 0 || o->priority > 99)
        return ifd_note_add(note, IFD_RANGE, NULL, "the priority is %d, expected 1 to 99, or 0", o->priority);
    if (o->core < -1)
        return ifd_note_add(note, IFD_RANGE, NULL, "the core is %d, expected the number of a core, or -1 for any",
                            o->core);
    if (o->ring < 2 || (o->ring & (o->ring - 1)))
        return ifd_note_add(note, IFD_RANGE, NULL, "the ring has %d records, expected a power of two", o->ring);
    return IFD_OK;
}

static void end_thread(ifd_executor *e)
{
    if (!e->open)
        return;
    e->open = false;
    atomic_store(&e->unheard, true);
    (void)pthread_join(e->thread, NULL);
    ifd__awake_close(e->awake);
    sem_destroy(&e->ready);
    sem_destroy(&e->go);
}

static void leave(void *executor)
{
    ifd_executor *e = executor;
    atomic_store(&e->leave, true);
    end_thread(e);
}

static ifd_status begin(ifd_executor *e, ifd_note *note)
{
    if (sem_init(&e->ready, 0, 0) != 0 || sem_init(&e->go, 0, 0) != 0)
        return IFD_INTERNAL;
    int failed = ifd__thread_start(&e->thread, serve, e);
    if (failed)
        return ifd_note_add(note, IFD_NO_MEMORY, NULL, "the tick thread cannot be created: %s", strerror(failed));
    e->open = true;
    wait_for(&e->ready);
    e->awake = e->fifo || e->deadline ? ifd__awake_open() : -1;
    return IFD_OK;
}

ifd_status ifd_executor_open(ifd_arena *arena, const ifd_executor_options *o, const ifd_ticked *ticked,
                             ifd_executor **out, ifd_note *note)
{
    IFD_TRY(check(o, note));
    ifd_executor *e;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(e, 1)));
    e->o = *o;
    e->ticked = *ticked;
    e->period = 1e9 * o->period;
    e->late_after = ticked->late_after > 0.0 ? ticked->late_after : IFD_LATE_AFTER * o->period;
    e->awake = -1;
    atomic_init(&e->order, word_of(IFD_ORDER_NONE, 0));
    atomic_init(&e->end, IFD_RUN_GOING);
    size_t bytes = sizeof(record) + (size_t)ticked->count * sizeof(double);
    IFD_TRY(ifd__ring_make(arena, bytes, (size_t)o->ring, &e->ring));
    if (!ifd_arena_on_close(arena, leave, e))
        return IFD_NO_MEMORY;
    IFD_TRY(begin(e, note));
    ifd__blas_alone();
    (void)ifd_arena_seal(arena); /* the lock of the process memory was already checked */
    sem_post(&e->go);
    *out = e;
    return IFD_OK;
}

bool ifd_executor_next(ifd_executor *e, ifd_tick_record *out)
{
    if (e->held)
        ifd__ring_pop(e->ring);
    uint64_t lost = 0;
    const record *r = ifd__ring_front(e->ring, &lost);
    e->held = r != NULL;
    if (!r)
        return false;
    *out = (ifd_tick_record){.tick = r->tick,
                             .wall = r->wall,
                             .late = r->late,
                             .duration = r->duration,
                             .skipped = r->skipped,
                             .dropped = lost,
                             .order = r->order,
                             .source = r->source,
                             .values = r->values,
                             .trace = e->ticked.trace ? &r->trace : NULL,
                             .thinned = r->thinned,
                             .start_utc = atomic_load_explicit(&e->start_utc, memory_order_relaxed),
                             .start_tai = atomic_load_explicit(&e->start_tai, memory_order_relaxed),
                             .start_monotonic = atomic_load_explicit(&e->start_monotonic, memory_order_relaxed)};
    return true;
}

bool ifd_executor_finished(const ifd_executor *e)
{
    return atomic_load_explicit(&e->finished, memory_order_acquire);
}

void ifd_executor_close_gate(ifd_executor *e, uint32_t gate)
{
    atomic_store_explicit(&e->closed, gate & (IFD_GATE_CHECKS | IFD_GATE_CHECKED), memory_order_release);
}

void ifd_executor_order(ifd_executor *e, ifd_order order, uint32_t source)
{
    const uint32_t word = word_of(order, source);
    uint32_t waiting = atomic_load_explicit(&e->order, memory_order_relaxed);
    while (urgency(waiting) <= urgency(word) &&
           !atomic_compare_exchange_weak_explicit(&e->order, &waiting, word, memory_order_release,
                                                  memory_order_relaxed)) {
    }
    ifd_order lost = urgency(waiting) <= urgency(word) ? order_in(waiting) : order;
    if (lost != IFD_ORDER_NONE && order_in(waiting) != order)
        atomic_fetch_or(&e->overtaken, 1u << lost);
}

void ifd_executor_lost(ifd_executor *e, uint32_t *overtaken, uint32_t *outdated)
{
    *overtaken = atomic_exchange(&e->overtaken, 0);
    *outdated = atomic_exchange(&e->outdated, 0);
}

bool ifd_executor_try(ifd_executor *e, ifd_order order, uint32_t source)
{
    uint32_t waiting = atomic_load_explicit(&e->order, memory_order_relaxed);
    while (order_in(waiting) == IFD_ORDER_NONE)
        if (atomic_compare_exchange_weak_explicit(&e->order, &waiting, word_of(order, source), memory_order_release,
                                                  memory_order_relaxed))
            return true;
    return false;
}

static double quantile(const ifd_histogram *h, double fraction)
{
    return 1e-9 * (double)ifd_histogram_quantile(h, fraction);
}

void ifd_executor_progress(const ifd_executor *e, ifd_executor_report *out)
{
    *out = (ifd_executor_report){.fifo = e->fifo,
                                 .deadline = e->deadline,
                                 .locked = e->locked,
                                 .pinned = e->pinned,
                                 .isolated = e->isolated,
                                 .awake = e->awake >= 0,
                                 .ticks = (long)counted(&e->ticks),
                                 .late_ticks = (long)counted(&e->late_ticks),
                                 .skipped = (long)counted(&e->skipped),
                                 .dropped = (long)ifd__ring_dropped(e->ring),
                                 .late_p50 = quantile(&e->late, 0.5),
                                 .late_p99 = quantile(&e->late, 0.99),
                                 .late_p999 = quantile(&e->late, 0.999),
                                 .late_max = 1e-9 * (double)counted(&e->late.longest),
                                 .duration_p50 = quantile(&e->duration, 0.5),
                                 .duration_p99 = quantile(&e->duration, 0.99),
                                 .duration_p999 = quantile(&e->duration, 0.999),
                                 .duration_max = 1e-9 * (double)counted(&e->duration.longest),
                                 .end = (ifd_run_state)atomic_load_explicit(&e->end, memory_order_relaxed),
                                 .clock = e->period > 0,
                                 .cold = atomic_load(&e->cold),
                                 .rig_period = atomic_load_explicit(&e->rig_period, memory_order_relaxed),
                                 .in_vain = (long)counted(&e->in_vain),
                                 .start_utc = atomic_load_explicit(&e->start_utc, memory_order_relaxed),
                                 .start_tai = atomic_load_explicit(&e->start_tai, memory_order_relaxed),
                                 .start_monotonic = atomic_load_explicit(&e->start_monotonic, memory_order_relaxed)};
    if (ifd_executor_finished(e)) {
        out->faults = e->faults;
        out->preempted = e->preempted;
    }
}

void ifd_executor_leave(ifd_executor *e)
{
    atomic_store(&e->leave, true);
    atomic_store(&e->unheard, true);
}

void ifd_executor_close(ifd_executor *e, ifd_executor_report *report)
{
    end_thread(e);
    if (report)
        ifd_executor_progress(e, report);
}
