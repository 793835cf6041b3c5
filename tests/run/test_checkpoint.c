/* SPDX-License-Identifier: MIT */
/* A test that is stopped, kept, and continued by a fresh one gives the bits of the one that was not. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include <interfield/case.h>

#include "run/hybrid.h"

typedef struct lab {
    ifd_arena *arena;
    ifd_case *c;
    ifd_hybrid_options o;
    ifd_hybrid *h;
    ifd_ticked t;
    ifd_run_state last;
} lab;

static lab *lab_make(const char *name, const char *end, const ifd_rig_ops *rig)
{
    ifd_arena *arena = ifd_arena_open();
    lab *l = ifd_arena_take(arena, sizeof *l);
    char path[512];
    ifd_note note;
    ifd_note_init(&note, arena);
    l->arena = arena;
    snprintf(path, sizeof path, "%s/cases/%s.yaml", IFD_SOURCE_DIR, name);
    const char *sets[] = {end, "test.ramp-in=0.1s", "test.settle=0.02s", "test.brake=0.05s"};
    if (ifd_case_read(arena, path, 4, sets, &l->c, &note) != IFD_OK)
        fail_msg("%s: %s", path, note.first ? note.first->text : "");
    l->o = *l->c->test;
    l->o.automatic = true;
    if (rig) {
        l->o.rig = rig;
        l->o.rig_setup = l->c->laboratory;
    }
    assert_int_equal(ifd_hybrid_make(arena, &l->o, &l->h, &note), IFD_OK);
    l->t = ifd_hybrid_ticked(l->h);
    return l;
}

static void lab_close(lab *l)
{
    ifd_hybrid_close(l->h);
    ifd_arena_close(l->arena);
}

static void tick(lab *l, ifd_order order)
{
    l->last = l->t.tick(l->t.self, &(ifd_tick_in){.order = order});
}

static ifd_machine state_of(const lab *l)
{
    return ifd_hybrid_state(l->h);
}

/* A copy that outlives the test it comes from. */
static ifd_snapshot *copy(const ifd_snapshot *s)
{
    ifd_snapshot *c = malloc(sizeof *c);
    double *x = malloc((size_t)s->count * sizeof *x), *values = malloc((size_t)s->columns * sizeof *values);
    memcpy(x, s->x, (size_t)s->count * sizeof *x);
    memcpy(values, s->values, (size_t)s->columns * sizeof *values);
    *c = *s;
    c->x = x;
    c->values = values;
    return c;
}

static void forget(ifd_snapshot *s)
{
    free((void *)(uintptr_t)s->x);
    free((void *)(uintptr_t)s->values);
    free(s);
}

/* Ticks until there is a snapshot. */
static ifd_snapshot *await(lab *l)
{
    ifd_snapshot s;
    for (long i = 0; i < 1000000; i++) {
        if (ifd_hybrid_snapshot(l->h, &s)) {
            ifd_snapshot *c = copy(&s);
            ifd_hybrid_give_back(l->h);
            return c;
        }
        assert_int_equal(l->last, IFD_RUN_GOING);
        tick(l, IFD_ORDER_NONE);
    }
    fail_msg("no snapshot");
    return NULL;
}

static void until(lab *l, ifd_machine state)
{
    for (long i = 0; i < 1000000 && state_of(l) != state; i++)
        tick(l, IFD_ORDER_NONE);
    assert_int_equal(state_of(l), state);
}

/* Until simulated time has come. */
static void run_to(lab *l, double time)
{
    while (ifd_hybrid_time(l->h) < time && l->last == IFD_RUN_GOING)
        tick(l, IFD_ORDER_NONE);
    assert_int_equal(l->last, IFD_RUN_GOING);
}

static void same(const lab *a, const lab *b, long tick)
{
    int n, m;
    const double *x = ifd_hybrid_save_area(a->h, &n), *y = ifd_hybrid_save_area(b->h, &m);
    assert_int_equal(n, m);
    for (int i = 0; i < n; i++)
        if (memcmp(&x[i], &y[i], sizeof *x) != 0)
            fail_msg("number %d of %d differs %ld ticks after: %.17g and %.17g", i, n, tick, x[i], y[i]);
    assert_memory_equal(a->t.values(a->t.self), b->t.values(b->t.self), (size_t)a->t.count * sizeof(double));
}

/* Both to the end, number by number; at least so many ticks. */
static void to_the_end(lab *a, lab *b, long least)
{
    long ticks = 0;
    for (; a->last == IFD_RUN_GOING; ticks++) {
        tick(a, IFD_ORDER_NONE);
        tick(b, IFD_ORDER_NONE);
        same(a, b, ticks);
        assert_int_equal(a->last, b->last);
    }
    assert_int_equal(a->last, IFD_RUN_DONE);
    assert_true(ticks > least);
}

/* Written on a slow disk: what is lent stays as it was, and the newest one comes next. */
static void a_snapshot_taken_while_one_is_written_waits(void **state)
{
    (void)state;
    ifd_snapshot first, next;
    lab *l = lab_make("split-mass-rig/rig", "time.end=2s", NULL);
    run_to(l, 0.1);
    tick(l, IFD_ORDER_CHECKPOINT);
    assert_true(ifd_hybrid_snapshot(l->h, &first));
    ifd_snapshot *before = copy(&first);
    for (int i = 0; i < 5; i++) {
        run_to(l, 0.2 + 0.1 * i);
        tick(l, IFD_ORDER_CHECKPOINT);
        assert_false(ifd_hybrid_snapshot(l->h, &next)); /* one at a time */
    }
    uint64_t newest = (uint64_t)*ifd__hyb(l->h, HYB_TICK);
    tick(l, IFD_ORDER_NONE);
    assert_memory_equal(first.x, before->x, (size_t)first.count * sizeof(double));
    ifd_hybrid_give_back(l->h);
    assert_true(ifd_hybrid_snapshot(l->h, &next));
    assert_int_equal(next.tick, newest);
    assert_int_not_equal(memcmp(next.x, before->x, (size_t)next.count * sizeof(double)), 0);
    ifd_hybrid_give_back(l->h);
    assert_false(ifd_hybrid_snapshot(l->h, &next));
    forget(before);
    lab_close(l);
}

static void goes_on_from_hold(const char *name, double at, const char *end)
{
    enum { PAUSE = 50 };
    lab *a = lab_make(name, end, NULL);
    run_to(a, at);
    tick(a, IFD_ORDER_HOLD);
    ifd_snapshot *s = await(a);
    assert_int_equal(s->state, IFD_MACHINE_HOLD);
    assert_int_equal((uint64_t)*ifd__hyb(a->h, HYB_TICK), s->tick);
    lab *b = lab_make(name, end, NULL);
    assert_int_equal(ifd_hybrid_continue(b->h, s, NULL), IFD_OK);
    until(b, IFD_MACHINE_HOLD);
    same(a, b, 0);
    for (int i = 0; i < PAUSE; i++) {
        tick(a, i == PAUSE - 1 ? IFD_ORDER_RESUME : IFD_ORDER_NONE);
        tick(b, i == PAUSE - 1 ? IFD_ORDER_RESUME : IFD_ORDER_NONE);
        same(a, b, i);
    }
    to_the_end(a, b, 200);
    lab_close(a);
    lab_close(b);
    forget(s);
}

static void a_test_kept_on_hold_goes_on_bit_by_bit(void **state)
{
    (void)state;
    goes_on_from_hold("two-dof-rig/rig", 0.4, "time.end=0.8s");
    goes_on_from_hold("bridge/hybrid-slow", 0.1, "time.end=0.2s");
}

/* Parts rest where a step ends: between two of them one may be on its way. */
static void a_structure_in_parts_goes_on_bit_by_bit(void **state)
{
    (void)state;
    goes_on_from_hold("bridge/pg-alpha-hybrid", 0.1, "time.end=0.3s");
    goes_on_from_hold("two-dof/hybrid", 0.4, "time.end=0.8s");
}

static void a_test_kept_on_order_while_it_runs_goes_on_bit_by_bit(void **state)
{
    (void)state;
    lab *a = lab_make("two-dof-rig/rig", "time.end=0.6s", NULL);
    run_to(a, 0.3);
    tick(a, IFD_ORDER_CHECKPOINT);
    ifd_snapshot *s = await(a);
    assert_int_equal(s->state, IFD_MACHINE_RUN);
    lab *b = lab_make("two-dof-rig/rig", "time.end=0.6s", NULL);
    assert_int_equal(ifd_hybrid_continue(b->h, s, NULL), IFD_OK);
    until(b, IFD_MACHINE_RUN);
    same(a, b, 0);
    to_the_end(a, b, 1000);
    lab_close(a);
    lab_close(b);
    forget(s);
}

static void checkpoints_come_as_often_as_the_case_says(void **state)
{
    (void)state;
    lab *a = lab_make("two-dof-rig/rig", "time.end=0.5s", NULL);
    a->h->opt.checkpoint_every = 0.1;
    int count = 0;
    for (ifd_snapshot s; a->last == IFD_RUN_GOING; tick(a, IFD_ORDER_NONE))
        if (ifd_hybrid_snapshot(a->h, &s)) {
            count++;
            assert_near(s.time, 0.1 * count, 0.0041, "checkpoint %d", count);
            ifd_hybrid_give_back(a->h);
        }
    assert_in_range(count, 4, 5);
    lab_close(a);
}

static void stop_ends_a_test_that_rests_on_hold_and_no_other(void **state)
{
    (void)state;
    lab *a = lab_make("two-dof-rig/rig", "time.end=0.6s", NULL);
    run_to(a, 0.3);
    tick(a, IFD_ORDER_STOP);
    assert_int_equal(state_of(a), IFD_MACHINE_RUN);
    tick(a, IFD_ORDER_HOLD);
    tick(a, IFD_ORDER_STOP); /* still in motion */
    assert_int_equal(state_of(a), IFD_MACHINE_HOLD);
    forget(await(a));
    double before = 0.0;
    for (int i = 0; i < 500 && state_of(a) == IFD_MACHINE_HOLD; i++) { /* compensation comes to rest a little later */
        before = *ifd__way_row(a->h, 0, CH_P);
        tick(a, IFD_ORDER_STOP);
    }
    assert_int_equal(state_of(a), IFD_MACHINE_STOPPED);
    assert_int_equal(a->last, IFD_RUN_DONE);
    assert_true(ifd_hybrid_paused(a->h));
    for (int i = 0; i < 50; i++)
        tick(a, IFD_ORDER_NONE);
    assert_near(*ifd__way_row(a->h, 0, CH_P), before, 0.0, "it stays there");
    lab_close(a);
}

/* The same laboratory as a rig whose state is its own: it stands where it was left, whatever the program does. */
static double rig_state[4096];
static bool begun;

static ifd_status open_own(ifd_rig *rig, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    ifd_status status = ifd_virtual_rig.open(rig, values, arena, note);
    assert_true(rig->size <= 4096);
    if (!begun)
        ifd_virtual_rig.begin(rig, rig_state);
    begun = true;
    rig->size = 0;
    return status;
}

static bool sense_own(ifd_rig *rig, ifd_measure *out, double *x)
{
    (void)x;
    return ifd_virtual_rig.sense(rig, out, rig_state);
}

static void command_own(ifd_rig *rig, const ifd_command *c, double *x)
{
    (void)x;
    ifd_virtual_rig.command(rig, c, rig_state);
}

static const ifd_rig_ops own_rig = {
    .abi = IFD_RIG_ABI, .name = "own", .open = open_own, .sense = sense_own, .command = command_own};

static void a_rig_of_its_own_simply_stays_and_the_test_goes_on(void **state)
{
    (void)state;
    begun = false;
    lab *a = lab_make("bridge/hybrid-slow", "time.end=0.2s", &own_rig);
    run_to(a, 0.1);
    tick(a, IFD_ORDER_HOLD);
    ifd_snapshot *s = await(a);
    assert_int_equal(s->rig_size, 0);
    double stood = *ifd__way_row(a->h, 0, CH_P);
    lab_close(a);
    lab *b = lab_make("bridge/hybrid-slow", "time.end=0.2s", &own_rig);
    assert_int_equal(ifd_hybrid_continue(b->h, s, NULL), IFD_OK);
    until(b, IFD_MACHINE_HOLD);
    assert_near(*ifd__way_row(b->h, 0, CH_P), stood, 0.0, "stands where it stood");
    assert_near(ifd_hybrid_time(b->h), s->time, 0.0, "at the time at which it was kept");
    tick(b, IFD_ORDER_RESUME);
    while (b->last == IFD_RUN_GOING)
        tick(b, IFD_ORDER_NONE);
    assert_int_equal(ifd_hybrid_trip(b->h).trip, IFD_TRIP_NONE);
    assert_near(ifd_hybrid_time(b->h), 0.2, 1e-9, "to its end");
    lab_close(b);
    forget(s);
}

static void what_was_kept_in_fast_motion_is_not_for_a_rig_at_rest(void **state)
{
    (void)state;
    begun = false;
    lab *a = lab_make("two-dof-rig/rig", "time.end=0.6s", &own_rig);
    run_to(a, 0.05);
    tick(a, IFD_ORDER_CHECKPOINT);
    ifd_snapshot *s = await(a);
    lab *b = lab_make("two-dof-rig/rig", "time.end=0.6s", &own_rig);
    ifd_note note;
    ifd_note_init(&note, b->arena);
    assert_int_equal(ifd_hybrid_continue(b->h, s, &note), IFD_UNSUPPORTED);
    assert_non_null(strstr(note.first->text, "taken in motion"));
    lab_close(a);
    lab_close(b);
    forget(s);
}

static void a_test_of_another_shape_is_refused(void **state)
{
    (void)state;
    lab *a = lab_make("two-dof-rig/rig", "time.end=0.6s", NULL);
    run_to(a, 0.1);
    tick(a, IFD_ORDER_HOLD);
    ifd_snapshot *s = await(a);
    lab *b = lab_make("split-mass-rig/rig", "time.end=0.6s", NULL);
    assert_int_equal(ifd_hybrid_continue(b->h, s, NULL), IFD_CONFLICT);
    lab_close(a);
    lab_close(b);
    forget(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_snapshot_taken_while_one_is_written_waits),
        cmocka_unit_test(a_test_kept_on_hold_goes_on_bit_by_bit),
        cmocka_unit_test(a_structure_in_parts_goes_on_bit_by_bit),
        cmocka_unit_test(a_test_kept_on_order_while_it_runs_goes_on_bit_by_bit),
        cmocka_unit_test(checkpoints_come_as_often_as_the_case_says),
        cmocka_unit_test(stop_ends_a_test_that_rests_on_hold_and_no_other),
        cmocka_unit_test(a_rig_of_its_own_simply_stays_and_the_test_goes_on),
        cmocka_unit_test(what_was_kept_in_fast_motion_is_not_for_a_rig_at_rest),
        cmocka_unit_test(a_test_of_another_shape_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
