/* SPDX-License-Identifier: MIT */
/* The thread that notices a tick that does not return. */
#include <interfield/supervisor.h>

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/beat.h"
#include "base/os_linux.h"

static const int64_t nap = 10000000; /* ns between two wake-ups */
static const double per_second = 100.0;
/* s. A tick may be starved by other processes for tens of milliseconds: that is an alarm and no end. */
static const double least_alarm = 0.05, free_alarm = 1.0, slow_alarm = 1.0;
static const double real_end = 2.0, simulated_end = 30.0, close_end = 5.0, worker_end = 3.0, farewell = 1.0;
static const double alarm_periods = 10.0, default_open = 60.0;

struct ifd_supervisor {
    ifd_supervisor_options o;
    ifd_beat beat;
    pthread_t thread;
    bool open;
    atomic_bool leave;
    _Atomic double period, timeout; /* s */
    atomic_bool simulated;

    uint64_t seen;  /* the word; this member and the next four: its thread only */
    unsigned still; /* wake-ups since it changed */
    int asked;      /* at the alarm */
    int64_t woken;  /* ns, of the last wake-up in its grid of 10 ms */
    int64_t ran;    /* ns, of the thread that ticks, at the last wake-up */

    /* The present or last alarm and the longest one: its word, its wake-ups. */
    _Atomic uint64_t last, longest;
    atomic_uint last_still, longest_still, alarms;
    atomic_bool stopped, ending, closed, wanted;
    _Atomic int64_t latest; /* ns, CLOCK_MONOTONIC: the end, whatever happens; 0: none */
};

const char *ifd_tick_place_name(ifd_tick_place place)
{
    static const char *const names[] = {
#define ROW(name, word) word,
        IFD_AT_LIST(ROW)
#undef ROW
    };
    return (unsigned)place < IFD_AT_COUNT ? names[place] : "";
}

void ifd_supervisor_defaults(ifd_supervisor_options *o)
{
    *o = (ifd_supervisor_options){.open_within = default_open, .core = -1};
}

static ifd_tick_place place_of(uint64_t word)
{
    return (ifd_tick_place)(word & IFD__BEAT_BYTE);
}

/* The word has not changed for this number of wake-ups, and may have changed just after the one before them. */
static ifd_hang hang_of(uint64_t word, unsigned still)
{
    return (ifd_hang){.tick = word >> IFD__BEAT_TICK,
                      .place = place_of(word),
                      .rig = (int)(word >> IFD__BEAT_RIG & IFD__BEAT_BYTE) - 1,
                      .seconds = (still + 1.0) / per_second};
}

typedef struct bounds {
    double alarm, end; /* s */
} bounds;

static bounds bounds_of(const ifd_supervisor *s, uint64_t word)
{
    ifd_tick_place place = place_of(word);
    double period = atomic_load(&s->period);
    if (place == IFD_AT_OPEN || place == IFD_AT_WARM)
        return (bounds){slow_alarm, s->o.open_within};
    if (place == IFD_AT_CLOSE) /* of a rig, or of a substructure on a worker */
        return (bounds){slow_alarm, word >> IFD__BEAT_RIG & IFD__BEAT_BYTE ? close_end : worker_end};
    if (!(period > 0.0))
        return (bounds){fmax(free_alarm, atomic_load(&s->timeout)), (double)INFINITY};
    double alarm = fmax(least_alarm, alarm_periods * period);
    return (bounds){alarm, fmax(atomic_load(&s->simulated) ? simulated_end : real_end, 2.0 * alarm)};
}

static int asked(const ifd_supervisor *s)
{
    return s->o.asked ? s->o.asked(s->o.self) : 0;
}

static void keep(ifd_supervisor *s)
{
    atomic_store(&s->last, s->seen);
    atomic_store(&s->last_still, s->still);
    if (s->still < atomic_load(&s->longest_still))
        return;
    atomic_store(&s->longest, s->seen);
    atomic_store(&s->longest_still, s->still);
}

/* ns of processor time of the thread that ticks; 0: not known. */
static int64_t ran(const ifd_supervisor *s)
{
    struct timespec t;
    clockid_t clock = (clockid_t)atomic_load(&s->beat.clock);
    return clock && clock_gettime(clock, &t) == 0 ? (int64_t)t.tv_sec * 1000000000 + t.tv_nsec : 0;
}

/* The session has a second, unless it had it before; the rig is not called. */
static void end(ifd_supervisor *s, bool late)
{
    const ifd_hang hang = hang_of(s->seen, s->still);
    s->o.print(s->o.self, IFD_ALARM_ENDS, &hang);
    atomic_store(&s->ending, true);
    for (int naps = 0; !late && naps < (int)(farewell * per_second) && !atomic_load(&s->closed); naps++)
        ifd__clock_sleep(ifd__clock_now() + nap);
    s->o.end(s->o.self, &hang, atomic_load(&s->closed));
}

static void raise_alarm(ifd_supervisor *s)
{
    const ifd_hang hang = hang_of(s->seen, s->still);
    s->asked = asked(s);
    atomic_store(&s->wanted, false);
    keep(s);
    atomic_store(&s->stopped, true);
    atomic_fetch_add(&s->alarms, 1);
    s->o.print(s->o.self, IFD_ALARM_STOPPED, &hang);
}

static void go_on(ifd_supervisor *s)
{
    const ifd_hang hang = hang_of(s->seen, s->still);
    atomic_store(&s->stopped, false);
    s->o.print(s->o.self, IFD_ALARM_GOES_ON, &hang);
}

/* Naps since the last wake-up. A late one does not delay the next. Missed ones count as far as the ticking thread has
 * used the processor, perhaps this one. In a process that was stopped it has not. */
static unsigned naps(ifd_supervisor *s)
{
    int64_t now = ifd__clock_now(), spent = ran(s), most = 1 + (spent - s->ran) / nap;
    int64_t passed = (now - s->woken) / nap, count = passed < most ? passed : most;
    s->ran = spent;
    s->woken = count < passed || count < 1 ? now : s->woken + count * nap;
    return count > 1 ? (unsigned)count : 1;
}

/* Wake-ups without a change; the alarm is never older than its bound and one of them. */
static void count(ifd_supervisor *s, unsigned more, double alarm)
{
    unsigned due = (unsigned)ceil(alarm * per_second);
    s->still += s->still < due && more > due - s->still ? due - s->still : more;
}

static void turn(ifd_supervisor *s, unsigned more)
{
    uint64_t word = atomic_load_explicit(&s->beat.word, memory_order_relaxed);
    ifd_tick_place place = place_of(word);
    int64_t latest = atomic_load(&s->latest);
    if (s->o.wake)
        s->o.wake(s->o.self);
    if (latest && ifd__clock_now() >= latest) {
        end(s, true);
        return;
    }
    bool stopped = atomic_load(&s->stopped);
    if (word != s->seen && stopped)
        go_on(s);
    if (word != s->seen || place == IFD_AT_NONE) {
        s->seen = word;
        s->still = 0;
        return;
    }
    const bounds most = bounds_of(s, word);
    count(s, more, most.alarm);
    double time = s->still / per_second;
    if (stopped)
        keep(s);
    else if (time >= most.alarm)
        raise_alarm(s);
    if (atomic_load(&s->stopped) && (time >= most.end || asked(s) != s->asked || atomic_load(&s->wanted)))
        end(s, false);
}

static void *serve(void *supervisor)
{
    ifd_supervisor *s = supervisor;
    (void)ifd__thread_schedule(0);
    ifd__thread_avoid(s->o.core);
    s->woken = ifd__clock_now();
    while (!atomic_load(&s->leave)) {
        ifd__clock_sleep(s->woken + nap);
        turn(s, naps(s));
    }
    return NULL;
}

static void close_at_last(void *supervisor)
{
    ifd_supervisor_close(supervisor);
}

ifd_status ifd_supervisor_open(ifd_arena *arena, const ifd_supervisor_options *o, ifd_supervisor **out,
                               ifd_note *note)
{
    ifd_supervisor *s = ifd_arena_take(arena, sizeof *s);
    if (!s || !ifd_arena_on_close(arena, close_at_last, s))
        return IFD_NO_MEMORY;
    s->o = *o;
    atomic_init(&s->simulated, false);
    int failed = ifd__thread_start(&s->thread, serve, s);
    if (failed)
        return ifd_note_add(note, IFD_NO_MEMORY, NULL, "the supervisor cannot be started: %s", strerror(failed));
    s->open = true;
    *out = s;
    return IFD_OK;
}

ifd_beat *ifd_supervisor_beat(ifd_supervisor *s)
{
    return &s->beat;
}

void ifd_supervisor_pace(ifd_supervisor *s, double period, bool simulated, double timeout)
{
    atomic_store(&s->simulated, simulated);
    atomic_store(&s->timeout, timeout);
    atomic_store(&s->period, period);
}

void ifd_supervisor_now(const ifd_supervisor *s, ifd_supervised *out)
{
    *out = (ifd_supervised){.alarms = atomic_load(&s->alarms),
                            .stopped = atomic_load(&s->stopped),
                            .ending = atomic_load(&s->ending),
                            .last = hang_of(atomic_load(&s->last), atomic_load(&s->last_still)),
                            .longest = hang_of(atomic_load(&s->longest), atomic_load(&s->longest_still))};
}

void ifd_supervisor_end(ifd_supervisor *s)
{
    atomic_store(&s->wanted, true);
}

void ifd_supervisor_end_within(ifd_supervisor *s, double seconds)
{
    int64_t none = 0;
    (void)atomic_compare_exchange_strong(&s->latest, &none, ifd__clock_now() + (int64_t)(1e9 * seconds));
}

bool ifd_supervisor_hurries(const ifd_supervisor *s)
{
    int64_t latest = atomic_load(&s->latest);
    return latest && ifd__clock_now() >= latest - (int64_t)(1e9 * farewell);
}

void ifd_supervisor_closed(ifd_supervisor *s)
{
    atomic_store(&s->closed, true);
}

void ifd_supervisor_close(ifd_supervisor *s)
{
    if (!s || !s->open)
        return;
    s->open = false;
    atomic_store(&s->leave, true);
    (void)pthread_join(s->thread, NULL);
}
