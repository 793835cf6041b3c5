/* SPDX-License-Identifier: MIT */
/* A test that is stopped, saved, and continued by a new process is bit-identical to one without interruption. */
#include "check.h"

#include <stddef.h>
#include <string.h>

#include "laboratory.h"
#include "hybrid/hybrid.h"
#include "hybrid/orders.h"

static lab *begin(const char *name, const char *end, const ifd_rig_ops *rig)
{
    return lab_make(
        name, (const char *const[]){end, "test.ramp-in=0.1s", "test.settle=0.02s", "test.brake=0.05s", NULL}, rig);
}

static ifd_machine state_of(const lab *l)
{
    return ifd_hybrid_state(l->h);
}

/* Ticks until there is a snapshot. */
static ifd_snapshot *await(lab *l)
{
    ifd_snapshot s;
    for (long i = 0; i < 1000000; i++) {
        if (ifd_hybrid_snapshot(l->h, &s)) {
            ifd_snapshot *c = snapshot_copy(&s);
            ifd_hybrid_give_back(l->h);
            return c;
        }
        assert_int_equal(l->last, IFD_RUN_GOING);
        lab_tick(l, IFD_ORDER_NONE);
    }
    fail_msg("no snapshot");
    return NULL;
}

/* Until a simulated time. */
static void run_to(lab *l, double time)
{
    while (ifd_hybrid_time(l->h) < time && l->last == IFD_RUN_GOING)
        lab_tick(l, IFD_ORDER_NONE);
    assert_int_equal(l->last, IFD_RUN_GOING);
}

/* Counts of measurements are those of the day (rigs.h), as all that orders leave behind. */
static bool of_the_day(const lab *l, int i)
{
    enum { FIRST = offsetof(ifd__orders, missed), LAST = offsetof(ifd__orders, run_ticks) };
    int at = ifd__place_of(l->h, l->h->orders);
    return i >= at + FIRST / (int)sizeof(double) && i <= at + LAST / (int)sizeof(double);
}

static void same(const lab *a, const lab *b, long tick)
{
    int n, m;
    const double *x = ifd_hybrid_save_area(a->h, &n), *y = ifd_hybrid_save_area(b->h, &m);
    assert_int_equal(n, m);
    for (int i = 0; i < n; i++)
        if (memcmp(&x[i], &y[i], sizeof *x) != 0 && !of_the_day(a, i))
            fail_msg("number %d of %d differs %ld ticks after: %.17g and %.17g", i, n, tick, x[i], y[i]);
    assert_memory_equal(a->t.values(a->t.self), b->t.values(b->t.self), (size_t)a->t.count * sizeof(double));
}

/* Both to the end, with all numbers equal; at least this number of ticks. */
static void to_the_end(lab *a, lab *b, long least)
{
    long ticks = 0;
    for (; a->last == IFD_RUN_GOING; ticks++) {
        lab_tick(a, IFD_ORDER_NONE);
        lab_tick(b, IFD_ORDER_NONE);
        same(a, b, ticks);
        assert_int_equal(a->last, b->last);
    }
    assert_int_equal(a->last, IFD_RUN_DONE);
    assert_true(ticks > least);
}

/* A slow disk: a lent snapshot does not change, and the newest one is next. */
TEST(a_snapshot_taken_while_one_is_written_waits)
{
    ifd_snapshot first, next;
    lab *l = begin("split-mass-rig/rig", "time.end=2s", NULL);
    run_to(l, 0.1);
    lab_tick(l, IFD_ORDER_CHECKPOINT);
    assert_true(ifd_hybrid_snapshot(l->h, &first));
    ifd_snapshot *before = snapshot_copy(&first);
    for (int i = 0; i < 5; i++) {
        run_to(l, 0.2 + 0.1 * i);
        lab_tick(l, IFD_ORDER_CHECKPOINT);
        assert_false(ifd_hybrid_snapshot(l->h, &next)); /* one at a time */
    }
    uint64_t newest = (uint64_t)ifd__test_of(l->h)->tick;
    lab_tick(l, IFD_ORDER_NONE);
    assert_memory_equal(first.x, before->x, (size_t)first.count * sizeof(double));
    ifd_hybrid_give_back(l->h);
    assert_true(ifd_hybrid_snapshot(l->h, &next));
    assert_int_equal(next.tick, newest);
    assert_int_not_equal(memcmp(next.x, before->x, (size_t)next.count * sizeof(double)), 0);
    ifd_hybrid_give_back(l->h);
    assert_false(ifd_hybrid_snapshot(l->h, &next));
    snapshot_free(before);
    lab_close(l);
}

static void goes_on_from_hold(const char *name, double at, const char *end)
{
    enum { PAUSE = 50 };
    lab *a = begin(name, end, NULL);
    run_to(a, at);
    lab_tick(a, IFD_ORDER_HOLD);
    ifd_snapshot *s = await(a);
    assert_int_equal(s->state, IFD_MACHINE_HOLD);
    assert_int_equal((uint64_t)ifd__test_of(a->h)->tick, s->tick);
    lab *b = begin(name, end, NULL);
    assert_int_equal(ifd_hybrid_continue(b->h, s, NULL), IFD_OK);
    lab_until(b, IFD_MACHINE_HOLD);
    if (!a->h->rigs.several) /* in this tick each of them still reports the numbers of its own ticks */
        same(a, b, 0);
    for (int i = 0; i < PAUSE; i++) {
        lab_tick(a, i == PAUSE - 1 ? IFD_ORDER_RESUME : IFD_ORDER_NONE);
        lab_tick(b, i == PAUSE - 1 ? IFD_ORDER_RESUME : IFD_ORDER_NONE);
        same(a, b, i);
    }
    to_the_end(a, b, 200);
    lab_close(a);
    lab_close(b);
    snapshot_free(s);
}

TEST(a_test_kept_on_hold_goes_on_bit_by_bit)
{
    goes_on_from_hold("two-dof-rig/rig", 0.4, "time.end=0.8s");
    goes_on_from_hold("bridge/hybrid-slow", 0.1, "time.end=0.2s");
}

/* What was learnt from specimens on two rigs is kept: filters, parameters in use, the answers of each rig. */
TEST(what_is_learnt_on_several_rigs_goes_on_bit_by_bit)
{
    goes_on_from_hold("../tests/several/copies", 1.0, "time.end=2s");
}

/* Substructures rest at the end of a step: in between one can be on a worker. */
TEST(a_structure_in_parts_goes_on_bit_by_bit)
{
    goes_on_from_hold("bridge/pg-alpha-hybrid", 0.1, "time.end=0.3s");
    goes_on_from_hold("two-dof/hybrid", 0.4, "time.end=0.8s");
}

static void goes_on_while_it_runs(const char *name, const char *end, const char *set, double at, long least)
{
    const char *const sets[] = {end, "test.ramp-in=0.1s", "test.settle=0.02s", "test.brake=0.05s", set, NULL};
    lab *a = lab_make(name, sets, NULL);
    run_to(a, at);
    lab_tick(a, IFD_ORDER_CHECKPOINT);
    ifd_snapshot *s = await(a);
    assert_int_equal(s->state, IFD_MACHINE_RUN);
    lab *b = lab_make(name, sets, NULL);
    assert_int_equal(ifd_hybrid_continue(b->h, s, NULL), IFD_OK);
    lab_until(b, IFD_MACHINE_RUN);
    same(a, b, 0);
    to_the_end(a, b, least);
    lab_close(a);
    lab_close(b);
    snapshot_free(s);
}

TEST(a_test_kept_on_order_while_it_runs_goes_on_bit_by_bit)
{
    goes_on_while_it_runs("two-dof-rig/rig", "time.end=0.6s", NULL, 0.3, 1000);
}

/* Specimens with memory: their states, and the position in a voltage schedule, are saved. */
TEST(dampers_with_a_memory_go_on_bit_by_bit)
{
    const char *const list[] = {
        "specimen.0.mr-damper={between: [ground, x1], x0: 0, schedule: [[0, 1.5], [0.35, 0.2], [0.5, 2]]}",
        "specimen=[{name: s, maxwell: {between: [ground, x1], branches: [[400 kN/m, 4e3], [50 kN/m, 2e3, 0.5]]}, "
        "limits: {stroke: 50 mm, velocity: 0.5 m/s, acceleration: 20 m/s2}}]",
        "specimen=[{name: s, series: {between: [ground, x1], of: [{spring: {stiffness: 400 kN/m}}, "
        "{mr-damper: {x0: 0, voltage: 1}}]}, limits: {stroke: 50 mm, velocity: 0.5 m/s, acceleration: 20 m/s2}}]"};
    for (size_t i = 0; i < COUNT(list); i++)
        goes_on_while_it_runs("mr-frame/rig", "time.end=0.6s", list[i], 0.3, 200);
}

TEST(checkpoints_come_as_often_as_the_case_says)
{
    lab *a = begin("two-dof-rig/rig", "time.end=0.5s", NULL);
    a->h->opt.checkpoint_every = 0.1;
    int count = 0;
    for (ifd_snapshot s; a->last == IFD_RUN_GOING; lab_tick(a, IFD_ORDER_NONE))
        if (ifd_hybrid_snapshot(a->h, &s)) {
            count++;
            assert_near(s.time, 0.1 * count, 0.0041, "checkpoint %d", count);
            ifd_hybrid_give_back(a->h);
        }
    assert_in_range(count, 4, 5);
    lab_close(a);
}

/* And none follows while the test stays at rest. */
TEST(every_hold_has_one_checkpoint)
{
    lab *a = begin("two-dof-rig/rig", "time.end=0.6s", NULL);
    for (int hold = 1; hold <= 3; hold++) {
        run_to(a, 0.1 * hold);
        lab_tick(a, IFD_ORDER_HOLD);
        ifd_snapshot *s = await(a), more;
        assert_int_equal(s->state, IFD_MACHINE_HOLD);
        snapshot_free(s);
        for (int i = 0; i < 100; i++) {
            lab_tick(a, IFD_ORDER_NONE);
            assert_false(ifd_hybrid_snapshot(a->h, &more));
        }
        lab_tick(a, IFD_ORDER_RESUME);
    }
    lab_close(a);
}

/* Given in run, or on hold before it is at rest. Without further orders it ends at rest and has a checkpoint. */
TEST(park_ends_a_test_on_hold_as_soon_as_it_rests)
{
    for (int held = 0; held < 2; held++) {
        lab *a = begin("two-dof-rig/rig", "time.end=0.6s", NULL);
        run_to(a, 0.3);
        if (held)
            lab_tick(a, IFD_ORDER_HOLD);
        lab_tick(a, IFD_ORDER_PARK); /* still in motion */
        assert_int_equal(state_of(a), IFD_MACHINE_HOLD);
        double before = 0.0;
        for (int i = 0; i < 1000 && state_of(a) == IFD_MACHINE_HOLD; i++) {
            before = ifd__interface_of(a->h, 0)->command;
            lab_tick(a, i == 1 ? IFD_ORDER_RESUME : IFD_ORDER_NONE); /* refused: it ends */
        }
        assert_int_equal(state_of(a), IFD_MACHINE_STOPPED);
        assert_int_equal(a->last, IFD_RUN_DONE);
        assert_true(ifd_hybrid_paused(a->h));
        ifd_snapshot s;
        assert_true(ifd_hybrid_snapshot(a->h, &s));
        ifd_hybrid_give_back(a->h);
        play(&a->script, "50");
        assert_near(ifd__interface_of(a->h, 0)->command, before, 0.0, "it stays there");
        lab_close(a);
    }
}

TEST(a_rig_of_its_own_simply_stays_and_the_test_goes_on)
{
    own_rig_reset();
    lab *a = begin("bridge/hybrid-slow", "time.end=0.2s", &own_rig);
    run_to(a, 0.1);
    lab_tick(a, IFD_ORDER_HOLD);
    ifd_snapshot *s = await(a);
    assert_int_equal(s->rig_size, 0);
    double stood = ifd__interface_of(a->h, 0)->command;
    lab_close(a);
    lab *b = begin("bridge/hybrid-slow", "time.end=0.2s", &own_rig);
    assert_int_equal(ifd_hybrid_continue(b->h, s, NULL), IFD_OK);
    lab_until(b, IFD_MACHINE_HOLD);
    assert_near(ifd__interface_of(b->h, 0)->command, stood, 0.0, "at its last position");
    assert_near(ifd_hybrid_time(b->h), s->time, 0.0, "at the time at which it was kept");
    lab_tick(b, IFD_ORDER_RESUME);
    while (b->last == IFD_RUN_GOING)
        lab_tick(b, IFD_ORDER_NONE);
    assert_int_equal(ifd_hybrid_trip(b->h).trip, IFD_TRIP_NONE);
    assert_near(ifd_hybrid_time(b->h), 0.2, 1e-9, "to its end");
    lab_close(b);
    snapshot_free(s);
}

TEST(what_was_kept_in_fast_motion_is_not_for_a_rig_at_rest)
{
    own_rig_reset();
    lab *a = begin("two-dof-rig/rig", "time.end=0.6s", &own_rig);
    run_to(a, 0.05);
    lab_tick(a, IFD_ORDER_CHECKPOINT);
    ifd_snapshot *s = await(a);
    lab *b = begin("two-dof-rig/rig", "time.end=0.6s", &own_rig);
    ifd_note note;
    ifd_note_init(&note, b->arena);
    assert_int_equal(ifd_hybrid_continue(b->h, s, &note), IFD_UNSUPPORTED);
    assert_non_null(strstr(note.first->text, "taken in motion"));
    lab_close(a);
    lab_close(b);
    snapshot_free(s);
}

TEST(a_test_of_another_shape_is_refused)
{
    lab *a = begin("two-dof-rig/rig", "time.end=0.6s", NULL);
    run_to(a, 0.1);
    lab_tick(a, IFD_ORDER_HOLD);
    ifd_snapshot *s = await(a);
    lab *b = begin("split-mass-rig/rig", "time.end=0.6s", NULL);
    assert_int_equal(ifd_hybrid_continue(b->h, s, NULL), IFD_CONFLICT);
    lab_close(a);
    lab_close(b);
    snapshot_free(s);
}

/* The next day on a rig of its own, whose specimen has another position or force. Limits: 0.5 % of the stroke range;
 * the larger of 10 % of the stored force and 2 % of its limit. */
TEST(a_specimen_that_has_changed_overnight_is_not_armed)
{
    own_rig_reset();
    lab *a = begin("bridge/hybrid-slow", "time.end=0.2s", &own_rig);
    run_to(a, 0.1);
    lab_tick(a, IFD_ORDER_HOLD);
    ifd_snapshot *s = await(a);
    double stored[2], permitted[2];
    lab_close(a);
    for (int i = 0; i < 7; i++) {
        lab *b = begin("bridge/hybrid-slow", "time.end=0.2s", &own_rig);
        assert_int_equal(ifd_hybrid_continue(b->h, s, NULL), IFD_OK);
        assert_true(ifd_hybrid_stored(b->h, 0, stored, permitted));
        const ifd_limits *l = &b->o.interface[0].limits;
        assert_near(permitted[0], 0.005 * (l->high - l->low), 1e-12, "position");
        assert_near(permitted[1], fmax(0.1 * fabs(stored[1]), 0.02 * l->force), 1e-9, "force");
        /* the last two are armed, which moves the rig to what it measures */
        const double more[7][2] = {{0.0, 0.0},  {1.02, 0.0}, {-1.02, 0.0}, {0.0, 1.5},
                                   {0.0, -1.5}, {0.98, 0.0}, {1.02, 0.0}};
        own_rig_shift(more[i][0] * permitted[0], more[i][1] * permitted[1]);
        b->h->opt.accept_change = i == 6;
        bool changed = i >= 1 && i <= 4;
        for (int k = 0; k < 500 && state_of(b) == IFD_MACHINE_IDLE && b->last == IFD_RUN_GOING; k++)
            lab_tick(b, IFD_ORDER_NONE);
        if ((state_of(b) == IFD_MACHINE_IDLE) != changed)
            fail_msg("row %d: %s", i, ifd_machine_name(state_of(b)));
        ifd_wait_facts w = ifd_hybrid_wait(b->h);
        if (changed) {
            assert_int_equal(w.wait, i < 3 ? IFD_WAIT_CHANGED_POSITION : IFD_WAIT_CHANGED_FORCE);
            int force = i >= 3; /* what may be found: around what was stored */
            assert_near(w.low, stored[force] - permitted[force], 1e-9 * permitted[force], "row %d: low", i);
            assert_near(w.high, stored[force] + permitted[force], 1e-9 * permitted[force], "row %d: high", i);
            assert_int_equal(b->last, IFD_RUN_FAULT); /* of a test that starts by itself */
            assert_int_equal(ifd_hybrid_trip(b->h).trip, IFD_TRIP_NOT_ARMED);
        }
        own_rig_shift(0.0, 0.0);
        lab_close(b);
    }
    snapshot_free(s);
}

TESTS()
