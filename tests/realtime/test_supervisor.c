/* SPDX-License-Identifier: MIT */
/* The supervisor with a clock of its own: the test lets it wake up, one time after the other, so that every bound is
 * met to the wake-up. */
#include "check.h"

#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "base/beat.h"

enum { NAP = 10000000 };

static struct {
    sem_t go, rests;
    atomic_bool free_running; /* at the end of a scene */
    _Atomic int64_t now;      /* ns */
    _Atomic int64_t spent;    /* ns, processor time of the thread that ticks */
    _Atomic int64_t late;     /* ns, of the wake-ups, each after the grid of 10 ms */
    atomic_int wrong;         /* sleeps to another instant */
} wakes;
enum { TICKS = 77 }; /* its clock */

/* Only the supervisor sleeps here: it rests until the test lets it wake up, 10 ms later. */
int clock_nanosleep(clockid_t id, int flags, const struct timespec *t, struct timespec *rest)
{
    (void)id, (void)flags, (void)rest;
    int64_t until = (int64_t)t->tv_sec * 1000000000 + t->tv_nsec;
    wakes.wrong +=
        wakes.late == 0 && until > wakes.now && until != wakes.now + NAP; /* past: the end that came back */
    sem_post(&wakes.rests);
    while (!atomic_load(&wakes.free_running) && sem_wait(&wakes.go) != 0) {
    }
    if (until + wakes.late > wakes.now)
        atomic_store(&wakes.now, until + wakes.late);
    return 0;
}

int clock_gettime(clockid_t id, struct timespec *t)
{
    int64_t now = id == TICKS ? atomic_load(&wakes.spent) : atomic_load(&wakes.now);
    *t = (struct timespec){.tv_sec = now / 1000000000, .tv_nsec = now % 1000000000};
    return 0;
}

static struct {
    atomic_int stopped, goes_on, ends, ended, closed, asked, woken, urgent;
    _Atomic double seconds; /* of the last message */
    atomic_int place, rig;
    _Atomic uint64_t tick;
} said;

static void print(void *self, ifd_alarm what, const ifd_hang *hang)
{
    (void)self;
    said.stopped += what == IFD_ALARM_STOPPED;
    said.goes_on += what == IFD_ALARM_GOES_ON;
    said.ends += what == IFD_ALARM_ENDS;
    said.seconds = hang->seconds;
    said.place = (int)hang->place;
    said.rig = hang->rig;
    said.tick = hang->tick;
}

static void end(void *self, const ifd_hang *hang, bool closed)
{
    (void)self, (void)hang;
    said.ended++;
    said.closed += closed;
}

static int asked(const void *self)
{
    (void)self;
    return said.asked;
}

static void wake(void *self)
{
    (void)self;
    said.woken++;
    said.urgent += sched_getscheduler(0) != SCHED_OTHER;
}

static bool optional = true;

static ifd_supervisor *begin(ifd_arena **arena)
{
    ifd_supervisor_options o;
    ifd_supervisor *s;
    memset(&said, 0, sizeof said);
    sem_init(&wakes.go, 0, 0);
    sem_init(&wakes.rests, 0, 0);
    atomic_store(&wakes.free_running, false);
    atomic_store(&wakes.now, 5000000000);
    wakes.late = wakes.spent = 0;
    ifd_supervisor_defaults(&o);
    o.print = print;
    o.end = end;
    o.asked = optional ? asked : NULL;
    o.wake = optional ? wake : NULL;
    *arena = ifd_arena_open();
    assert_int_equal(ifd_supervisor_open(*arena, &o, &s, NULL), IFD_OK);
    sem_wait(&wakes.rests);
    return s;
}

static void over(ifd_supervisor *s, ifd_arena *arena)
{
    atomic_store(&wakes.free_running, true);
    sem_post(&wakes.go);
    ifd_supervisor_close(s);
    ifd_arena_close(arena);
    assert_int_equal(wakes.wrong, 0);
    assert_int_equal(said.urgent, 0);
}

/* Wake-ups, each of them complete. */
static void step(int count)
{
    for (int i = 0; i < count; i++) {
        sem_post(&wakes.go);
        sem_wait(&wakes.rests);
    }
}

TEST(the_alarm_and_the_end_come_in_their_wake_up)
{
    static const struct {
        ifd_tick_place place;
        int rig; /* from 1; 0: none */
        double period, timeout;
        bool simulated;
        int alarm, end; /* wake-ups without a change; end 0: never */
    } rows[] = {{IFD_AT_SENSE, 2, 1e-3, 0.0, false, 5, 200},   {IFD_AT_COMMAND, 2, 1e-3, 9.0, true, 5, 3000},
                {IFD_AT_WAIT, 2, 0.02, 0.0, false, 20, 200},   {IFD_AT_WORKER, 0, 0.3, 0.0, false, 300, 600},
                {IFD_AT_SOLVE, 0, 0.0, 0.0, false, 100, 0},    {IFD_AT_SENSE, 2, 0.0, 3.0, true, 300, 0},
                {IFD_AT_OPEN, 2, 1e-3, 0.0, false, 100, 6000}, {IFD_AT_WARM, 2, 0.0, 0.0, true, 100, 6000},
                {IFD_AT_CLOSE, 2, 1e-3, 0.0, false, 100, 500}, {IFD_AT_PUBLISH, 0, 5e-3, 0.0, false, 5, 200},
                {IFD_AT_CLOSE, 0, 1e-3, 0.0, true, 100, 300}}; /* of a substructure on a worker */
    for (size_t i = 0; i < COUNT(rows); i++) {
        ifd_arena *arena;
        ifd_supervisor *s = begin(&arena);
        ifd_supervisor_pace(s, rows[i].period, rows[i].simulated, rows[i].timeout);
        ifd__beat_mark(ifd_supervisor_beat(s), rows[i].place, rows[i].rig, 7);
        step(rows[i].alarm); /* the first one sees the word */
        assert_int_equal(said.stopped, 0);
        step(1);
        assert_int_equal(said.stopped, 1);
        assert_near(said.seconds, 0.01 * (rows[i].alarm + 1), 1e-12, "age");
        assert_int_equal(said.place, rows[i].place);
        assert_int_equal(said.rig, rows[i].rig - 1);
        assert_int_equal(said.tick, 7);
        ifd_supervisor_closed(s);
        step((rows[i].end ? rows[i].end : 20000) - rows[i].alarm - 1);
        assert_int_equal(said.ends, 0);
        assert_int_equal(said.stopped, 1);
        step(1);
        assert_int_equal(said.ends, rows[i].end > 0);
        assert_int_equal(said.ended, rows[i].end > 0);
        assert_int_equal(said.closed, said.ended);
        over(s, arena);
    }
}

/* Nothing asks for its end, and nothing is called at its wake-ups. */
TEST(optional_functions_may_be_missing)
{
    ifd_arena *arena;
    optional = false;
    ifd_supervisor *s = begin(&arena);
    optional = true;
    ifd_supervisor_pace(s, 1e-3, false, 0.0);
    ifd_supervisor_closed(s);
    ifd__beat_mark(ifd_supervisor_beat(s), IFD_AT_SENSE, 1, 1);
    step(200);
    assert_int_equal(said.woken + said.ends, 0);
    step(1);
    assert_int_equal(said.ended, 1);
    over(s, arena);
    ifd_supervisor_close(NULL);
}

TEST(a_failing_allocation_is_reported)
{
    ifd_supervisor_options o;
    ifd_supervisor *s;
    ifd_supervisor_defaults(&o);
    for (long k = 1; k <= 2; k++) {
        ifd_arena *arena = ifd_arena_open();
        ifd_arena_fail_at(arena, k);
        assert_int_equal(ifd_supervisor_open(arena, &o, &s, NULL), IFD_NO_MEMORY);
        ifd_arena_close(arena);
    }
}

TEST(a_place_has_a_name)
{
    assert_string_equal(ifd_tick_place_name(IFD_AT_SENSE), "sense");
    assert_string_equal(ifd_tick_place_name(IFD_AT_PUBLISH), "publish");
    assert_string_equal(ifd_tick_place_name(IFD_AT_COUNT), "");
}

TEST(between_two_calls_of_a_rig_nothing_is_said)
{
    ifd_arena *arena;
    ifd_supervisor *s = begin(&arena);
    ifd_supervisor_pace(s, 1e-3, false, 0.0);
    ifd__beat_at(ifd_supervisor_beat(s), IFD_AT_NONE);
    step(1000);
    assert_int_equal(said.stopped + said.ends, 0);
    assert_int_equal(said.woken, 1000);
    over(s, arena);
}

/* ms of the clock until the alarm, for a supervisor that is woken late; share: of this time, used by the thread that
 * ticks. */
static long alarm_after(int64_t late, double share, double *age)
{
    ifd_arena *arena;
    ifd_supervisor *s = begin(&arena);
    ifd_supervisor_pace(s, 1e-3, false, 0.0);
    atomic_store(&ifd_supervisor_beat(s)->clock, TICKS);
    wakes.late = late;
    ifd__beat_mark(ifd_supervisor_beat(s), IFD_AT_SENSE, 1, 1);
    int64_t began = wakes.now;
    for (int k = 0; k < 100 && said.stopped == 0; k++) {
        wakes.spent = (int64_t)(share * (double)(wakes.now - began + NAP + late));
        step(1);
    }
    *age = said.seconds;
    long took = (long)((wakes.now - began) / 1000000);
    over(s, arena);
    return took;
}

/* Wake-ups that are late by less than a nap do not add up: 60 ms and the last one. Later ones count once, or as often
 * as they were missed if the tick computes meanwhile; a process that was stopped for 3 s has used no time. */
TEST(late_wake_ups_delay_the_alarm_once)
{
    const int64_t ms = 1000000;
    double age;
    assert_int_equal(alarm_after(0, 0.0, &age), 60);
    assert_int_equal(alarm_after(9 * ms, 0.0, &age), 69);
    assert_near(age, 0.06, 1e-12, "age");
    assert_int_equal(alarm_after(30 * ms, 0.0, &age), 6 * 40);
    assert_int_equal(alarm_after(30 * ms, 1.0, &age), 120); /* 40: the tick; 80: 4 wake-ups */
    assert_near(age, 0.06, 1e-12, "age");
    assert_int_equal(alarm_after(30 * ms, 0.25, &age), 4 * 40);
    assert_int_equal(alarm_after(3000 * ms, 0.0, &age), 6 * 3010);
}

TEST(a_tick_that_returns_ends_the_alarm)
{
    ifd_arena *arena;
    ifd_supervised now;
    ifd_supervisor *s = begin(&arena);
    ifd_beat *beat = ifd_supervisor_beat(s);
    ifd_supervisor_pace(s, 1e-3, false, 0.0);
    for (int k = 0; k < 50; k++) { /* ticks: no alarm */
        ifd__beat_mark(beat, IFD_AT_SENSE, 1, 1);
        step(4);
    }
    assert_int_equal(said.stopped, 0);
    ifd__beat_mark(beat, IFD_AT_SENSE, 1, 1);
    step(41);
    ifd_supervisor_now(s, &now);
    assert_true(now.stopped && now.alarms == 1 && !now.ending && now.last.tick == 51);
    assert_near(now.last.seconds, 0.41, 1e-12, "so far");
    ifd__beat_mark(beat, IFD_AT_COMMAND, 1, 0);
    step(1);
    assert_int_equal(said.goes_on, 1);
    assert_near(said.seconds, 0.41, 1e-12, "all");
    ifd_supervisor_now(s, &now);
    assert_false(now.stopped);
    step(6); /* a shorter one after it */
    ifd_supervisor_now(s, &now);
    assert_true(now.stopped && now.alarms == 2);
    assert_near(now.longest.seconds, 0.41, 1e-12, "longest");
    assert_int_equal(now.longest.place, IFD_AT_SENSE);
    step(34); /* as long as the first */
    ifd_supervisor_now(s, &now);
    assert_int_equal(now.longest.place, IFD_AT_COMMAND);
    assert_int_equal(said.ends, 0);
    over(s, arena);
}

/* Orders to end act after an alarm, and only those that came after it. */
TEST(a_signal_or_quit_after_the_alarm_ends_at_once)
{
    for (int quit = 0; quit < 2; quit++) {
        ifd_arena *arena;
        ifd_supervisor *s = begin(&arena);
        ifd_supervisor_pace(s, 1e-3, true, 0.0);
        ifd__beat_mark(ifd_supervisor_beat(s), IFD_AT_SENSE, 1, 1);
        step(3);
        said.asked = 1;
        ifd_supervisor_end(s);
        step(20);
        assert_int_equal(said.stopped, 1);
        assert_int_equal(said.ends, 0);
        if (quit)
            ifd_supervisor_end(s);
        else
            said.asked = 2;
        step(1);
        assert_int_equal(said.ends, 1);
        assert_int_equal(said.ended, 0); /* the session has a second */
        int64_t announced = wakes.now;
        ifd_supervised now;
        ifd_supervisor_now(s, &now);
        assert_true(now.ending);
        step(99);
        assert_int_equal(said.ended, 0);
        step(1);
        assert_int_equal(said.ended, 1);
        assert_true(wakes.now - announced == 100LL * NAP);
        assert_int_equal(said.closed, 0);
        over(s, arena);
    }
}

TEST(the_latest_end_comes_whatever_happens)
{
    ifd_arena *arena;
    ifd_supervisor *s = begin(&arena);
    ifd_beat *beat = ifd_supervisor_beat(s);
    ifd_supervisor_pace(s, 1e-3, false, 0.0);
    assert_false(ifd_supervisor_hurries(s)); /* the session, which has its second before the end */
    ifd_supervisor_end_within(s, 5.0);
    ifd_supervisor_end_within(s, 50.0); /* the first call decides */
    for (int k = 0; k < 399; k++) {
        ifd__beat_mark(beat, IFD_AT_SENSE, 1, 1);
        step(1);
    }
    assert_false(ifd_supervisor_hurries(s));
    ifd__beat_mark(beat, IFD_AT_SENSE, 1, 1);
    step(1);
    assert_true(ifd_supervisor_hurries(s));
    for (int k = 0; k < 99; k++) {
        ifd__beat_mark(beat, IFD_AT_SENSE, 1, 1);
        step(1);
    }
    assert_int_equal(said.ends, 0);
    step(1);
    assert_int_equal(said.ended, 1);
    assert_int_equal(said.stopped, 0);
    over(s, arena);
}

TESTS()
