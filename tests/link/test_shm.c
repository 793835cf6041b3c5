/* SPDX-License-Identifier: MIT */
#include "check.h"

#include "link/sequence_lock.h"
#include "link/port.h"
#include "link/calm.h"
#include "link/stand.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/os_linux.h"

static char name[64];

static int choose_name(void **state)
{
    (void)state;
    snprintf(name, sizeof name, "test-%d", (int)getpid());
    return 0;
}

static stand *over_shm(bool lockstep, ifd_link_counts *counts)
{
    stand *s = stand_take();
    stand_shm(s, name, lockstep);
    stand_through(s, !lockstep, counts);
    return s;
}

static void in_lockstep_every_bit_is_that_of_the_rig_in_process(void **state)
{
    (void)state;
    far f;
    ifd_link_counts counts;
    far_open(&f, name);
    stand *far_off = over_shm(true, &counts), *here = stand_here(false);
    assert_near(worst_difference(far_off, here), 0.0, 0.0, "displacement");
    assert_int_equal(counts.damaged + counts.foreign, 0);
    stand_leave(here);
    stand_leave(far_off);
    far_close(&f);
}

static void with_a_clock_the_response_is_that_of_one_tick_of_delay(void **state)
{
    (void)state;
    far f;
    ifd_link_counts counts;
    far_open(&f, name);
    stand *far_off = over_shm(false, &counts), *here = stand_here(true);
    far_close(&f);
    double irregular = irregular_ticks(far_off, &f), off = worst_difference(far_off, here);
    print_message("%.0f irregular ticks, %.2e m off\n", irregular, off);
    assert_near(off, 0.0, irregular * of_one_irregular_tick(), "%g irregular ticks", irregular);
    assert_int_equal(counts.damaged, 0);
    stand_leave(here);
    stand_leave(far_off);
    assert_limits_kept(f.watch, &(ifd_limits){.high = 0.05, .velocity = 1.0, .acceleration = 100.0});
}

static void a_killed_rig_trips_the_test(void **state)
{
    (void)state;
    far f;
    stand s;
    far_open(&f, name);
    stand_prepare(&s);
    s.opt.stale_limit = 10 * (int)patience;
    s.opt.stale_time = 0.0;
    s.channel.limits.tracking = 0.2; /* beyond the stroke: the structure continues without measurements */
    s.opt.end = 100.0;
    stand_shm(&s, name, false);
    assert_int_equal(stand_make(&s), IFD_OK);
    while (ifd_hybrid_state(s.h) != IFD_MACHINE_RUN)
        assert_int_equal(stand_run(&s, 1, true), IFD_RUN_GOING);
    far_kill(&f);
    assert_int_equal(stand_run(&s, 100000, false), IFD_RUN_FAULT);
    assert_int_equal(ifd_hybrid_trip(s.h).trip, IFD_TRIP_LOST);
    assert_limits_kept(&s.watch, &s.channel.limits);
    stand_close(&s);
}

static const char *why_not(stand *s)
{
    stand_prepare(s);
    stand_shm(s, name, false);
    assert_int_equal(stand_make(s), IFD_PEER);
    return s->note.last->text;
}

/* The rig was killed: its memory still exists, and a new rig replaces it. */
static void what_a_dead_rig_left_is_recognised_and_replaced(void **state)
{
    (void)state;
    far f;
    stand s;
    far_open(&f, name);
    far_kill(&f);
    assert_non_null(strstr(why_not(&s), "has no server: the rig server has ended"));
    ifd_arena_close(s.arena);
    far_open(&f, name);
    stand_prepare(&s);
    stand_shm(&s, name, false);
    assert_int_equal(stand_make(&s), IFD_OK);
    stand_close(&s);
    far_close(&f);
    assert_non_null(strstr(why_not(&s), "does not exist: start the rig server first"));
    ifd_arena_close(s.arena);
}

static void a_second_client_and_a_second_server_are_refused(void **state)
{
    (void)state;
    far f;
    stand first, second;
    far_open(&f, name);
    stand_prepare(&first);
    stand_shm(&first, name, false);
    assert_int_equal(stand_make(&first), IFD_OK);
    assert_non_null(strstr(why_not(&second), "has another client"));
    ifd_arena_close(second.arena);
    ifd__port *port;
    ifd_arena *arena = ifd_arena_open();
    assert_int_equal(ifd__shm_serve(arena, name, &port, NULL), IFD_PEER);
    ifd_arena_close(arena);
    stand_close(&first);
    far_close(&f);
}

static void names_are_checked(void **state)
{
    (void)state;
    ifd_arena *arena = ifd_arena_open();
    ifd__port *port;
    const char *bad[] = {"", "a/b", "0123456789012345678901234567890123456789012345678901234567890123456789"};
    for (size_t i = 0; i < COUNT(bad); i++)
        assert_int_equal(ifd__shm_serve(arena, bad[i], &port, NULL), IFD_RANGE);
    ifd_arena_close(arena);
}

enum { READS = 3000, WIDE = 40, PAUSE = 300, YIELD = 50 };
static atomic_bool enough;

/* Also on one core both threads run. */
static void *write_many(void *newest)
{
    uint64_t record[WIDE];
    for (uint64_t i = 1; !atomic_load(&enough); i++) {
        for (int k = 0; k < WIDE; k++)
            record[k] = i;
        ifd__sequence_lock_write(newest, record, sizeof record);
        for (volatile int pause = 0; pause < PAUSE; pause++) {
        }
        if (i % YIELD == 0)
            sched_yield();
    }
    return NULL;
}

/* A record is never a mixture of two, and never older than the last one. */
static void a_reader_never_sees_half_a_record(void **state)
{
    (void)state;
    static ifd__sequence_lock newest;
    pthread_t writer;
    uint64_t seen = 0, record[WIDE], last = 0;
    long torn = 0, back = 0;
    assert_int_equal(pthread_create(&writer, NULL, write_many, &newest), 0);
    for (int reads = 0; reads < READS;) {
        if (!ifd__sequence_lock_read(&newest, &seen, record, sizeof record)) {
            sched_yield();
            continue;
        }
        reads++;
        for (int k = 1; k < WIDE; k++)
            torn += record[k] != record[0];
        back += record[0] <= last;
        last = record[0];
    }
    atomic_store(&enough, true);
    pthread_join(writer, NULL);
    assert_int_equal(torn, 0);
    assert_int_equal(back, 0);
}

static void a_writer_that_died_while_writing_blocks_nobody(void **state)
{
    (void)state;
    static ifd__sequence_lock newest;
    uint64_t seen = 0, record[WIDE] = {0};
    ifd__sequence_lock_write(&newest, record, sizeof record);
    assert_true(ifd__sequence_lock_read(&newest, &seen, record, sizeof record));
    atomic_fetch_add(&newest.turn, 1); /* begun, never ended */
    assert_false(ifd__sequence_lock_read(&newest, &seen, record, sizeof record));
    record[3] = 7;
    ifd__sequence_lock_write(&newest, record, sizeof record); /* the next writer */
    record[3] = 0;
    assert_true(ifd__sequence_lock_read(&newest, &seen, record, sizeof record));
    assert_int_equal(record[3], 7);
}

/* Waits of a thread, each of which yields its core once: half a millisecond without messages. */
static void a_rig_that_nobody_speaks_to_leaves_the_core_to_others(void **state)
{
    (void)state;
    enum { WAIT = 200000000, LONG_NAP = 500000, OTHERS = 20 }; /* ns; other reasons for which a thread can sleep */
    ifd_arena *arena = ifd_arena_open();
    ifd__port *port;
    struct rusage before, after;
    assert_int_equal(ifd__shm_serve(arena, name, &port, NULL), IFD_OK);
    (void)sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){1}); /* on a busy machine every wait is long */
    assert_int_equal(getrusage(RUSAGE_THREAD, &before), 0);
    port->ops->wait(port, ifd__clock_now() + WAIT);
    assert_int_equal(getrusage(RUSAGE_THREAD, &after), 0);
    (void)sched_setscheduler(0, SCHED_OTHER, &(struct sched_param){0});
    assert_in_range(after.ru_nvcsw - before.ru_nvcsw, 1, WAIT / LONG_NAP + OTHERS);
    ifd_arena_close(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_lockstep_every_bit_is_that_of_the_rig_in_process),
        cmocka_unit_test(with_a_clock_the_response_is_that_of_one_tick_of_delay),
        cmocka_unit_test(a_killed_rig_trips_the_test),
        cmocka_unit_test(what_a_dead_rig_left_is_recognised_and_replaced),
        cmocka_unit_test(a_second_client_and_a_second_server_are_refused),
        cmocka_unit_test(names_are_checked),
        cmocka_unit_test(a_reader_never_sees_half_a_record),
        cmocka_unit_test(a_writer_that_died_while_writing_blocks_nobody),
        cmocka_unit_test(a_rig_that_nobody_speaks_to_leaves_the_core_to_others),
    };
    return calm_run(tests, COUNT(tests), choose_name);
}
