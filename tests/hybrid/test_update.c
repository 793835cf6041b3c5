/* SPDX-License-Identifier: MIT */
/* Copies of a specimen that learn from it, in the shipped case bridge/learning: what they learn, when, how fast, and
 * when they stop. The virtual rig is wrapped, so that its load cell can fail. */
#include "check.h"
#include "fixture.h"

#include <string.h>

#include <interfield/case.h>
#include <interfield/virtual.h>

#include "hybrid/units.h"
#include "hybrid/hybrid.h"
#include "hybrid/update.h"

#define CASE IFD_SOURCE_DIR "/cases/bridge/learning.yaml"
enum { PARAMS = 5, COPIES = 3 };

/* True over start values: 20/16 MN/m, 0.1/0.12, 10/12 mm, 0.6/0.72, 1.5/1.8. */
static const double right[PARAMS] = {1.25, 1.0 / 1.2, 1.0 / 1.2, 1.0 / 1.2, 1.0 / 1.2};

typedef enum failing { FINE, NOT_A_NUMBER, STUCK, SATURATED, STEP } failing;
static failing how;
static double stuck_at;

static ifd_rig_ops rig;

static bool sense(ifd_rig *r, ifd_measure *m, double *x)
{
    bool fresh = ifd_virtual_rig.sense(r, m, x);
    if (how == NOT_A_NUMBER)
        m->force[0] = (double)NAN;
    if (how == STUCK)
        m->force[0] = stuck_at;
    if (how == SATURATED)
        m->force[0] = fmax(-150e3, fmin(150e3, m->force[0]));
    if (how == STEP)
        m->force[0] += 50e3;
    if (how == FINE)
        stuck_at = m->force[0];
    return fresh;
}

typedef struct stand {
    ifd_case *c;
    ifd_hybrid *h;
    ifd_ticked t;
    ifd_run_state last;
} stand;

static void open_stand(stand *s, int count, const char *const *set)
{
    ifd_status status = ifd_case_read(arena, CASE, count, set, &s->c, &note);
    assert_int_equal(status, IFD_OK);
    ifd_hybrid_options o = *s->c->test;
    rig = ifd_virtual_rig;
    rig.sense = sense;
    o.rig = &rig;
    how = FINE;
    assert_int_equal(ifd_hybrid_make(arena, &o, &s->h, &note), IFD_OK);
    s->t = ifd_hybrid_ticked(s->h);
}

static void tick(stand *s, ifd_order order)
{
    s->last = s->t.tick(s->t.self, &(ifd_tick_in){.order = order});
}

static double column(const stand *s, const char *owner, ifd_quantity q)
{
    int count;
    const ifd_column *c = ifd_hybrid_columns(s->h, &count);
    int k = ifd_column_find(c, count, owner, q);
    assert_true(k >= 0);
    return s->t.values(s->t.self)[k];
}

static ifd_update gate(const stand *s)
{
    return (ifd_update)(int)column(s, s->c->test->interface[0].name, IFD_COLUMN_IDENTIFIED_UPDATES);
}

static const char *const name[PARAMS] = {"bearing1.stiffness", "bearing1.alpha", "bearing1.yield", "bearing1.shape",
                                         "bearing1.n"};

/* The states of copy k in the model: memory, then deviations. */
static double *copy(const stand *s, int k)
{
    const ifd__numerical_model *b = &s->h->numerical.model[0];
    return s->h->x + b->at + 2 * b->m->n + b->m->s_of[k];
}

static void until(stand *s, double t)
{
    while (ifd_hybrid_time(s->h) < t) {
        tick(s, IFD_ORDER_NONE);
        assert_int_equal(s->last, IFD_RUN_GOING);
    }
}

static bool keeps(const stand *s, double used[COPIES][PARAMS])
{
    bool same = true;
    for (int k = 0; k < COPIES; k++) {
        same = same && memcmp(used[k], copy(s, k) + 1, sizeof used[k]) == 0;
        memcpy(used[k], copy(s, k) + 1, sizeof used[k]);
    }
    return same;
}

/* Within four of their own standard deviations, which are small. */
TEST_IN_ARENA(copies_learn_the_parameters_of_the_specimen)
{
    stand s;
    open_stand(&s, 0, NULL);
    until(&s, 5.0);
    for (int i = 0; i < PARAMS; i++) {
        double deviation = column(&s, name[i], IFD_COLUMN_IDENTIFIED_DEVIATION);
        assert_true(deviation > 0.0 && deviation < 0.01);
        assert_near(column(&s, name[i], IFD_COLUMN_IDENTIFIED), right[i], 4 * deviation, "%s", name[i]);
        assert_near(column(&s, name[i], IFD_COLUMN_IDENTIFIED_IN_USE), right[i], 4 * deviation, "%s", name[i]);
        for (int k = 1; k < COPIES; k++)
            assert_true(copy(&s, k)[1 + i] == copy(&s, 0)[1 + i]);
    }
    assert_int_equal(gate(&s), IFD_UPDATE_ON);
    ifd_hybrid_close(s.h);
}

/* A change at the first exchange of a step only, by at most `rate`, never outside of `range`. */
TEST_IN_ARENA(copies_move_slowly_and_between_steps)
{
    stand s;
    const char *const set[] = {"identify.rate=0.2%", "identify.range=1.4"};
    double used[COPIES][PARAMS] = {{0}}, before[COPIES][PARAMS], most = 0.0;
    open_stand(&s, 2, set);
    int changes = 0;
    while (ifd_hybrid_time(s.h) < 4.0) {
        bool first = ifd__test_of(s.h)->exchange == 0.0;
        memcpy(before, used, sizeof used);
        tick(&s, IFD_ORDER_NONE);
        if (keeps(&s, used))
            continue;
        assert_true(first);
        changes++;
        for (int i = 0; i < PARAMS; i++) {
            most = fmax(most, fabs((used[0][i] - before[0][i]) / (1.0 + before[0][i])));
            assert_true(1.0 + used[0][i] >= 1.0 / 1.4 && 1.0 + used[0][i] <= 1.4);
        }
    }
    assert_true(changes > 20);
    assert_near(most, 0.002, 1e-12, "largest relative change in a step");
    ifd_hybrid_close(s.h);
}

/* The estimate stays inside its range; at an end nothing is updated, and this is noted. */
TEST_IN_ARENA(a_parameter_at_the_end_of_its_range_stops_updates)
{
    stand s;
    const char *const set[] = {"identify.range=1.24", "identify.force-noise=2kN"};
    open_stand(&s, 2, set);
    until(&s, 4.0);
    assert_int_equal(gate(&s), IFD_UPDATE_AT_BOUND);
    assert_true(column(&s, name[0], IFD_COLUMN_IDENTIFIED) <= 1.24);
    assert_true(ifd_hybrid_count(s.h, IFD_TRIP_UPDATES) > 0);
    ifd_hybrid_close(s.h);
}

TEST_IN_ARENA(updates_are_switched_by_orders_and_by_the_case)
{
    stand s;
    double used[COPIES][PARAMS] = {{0}};
    const char *const set[] = {"identify.update=no"};
    open_stand(&s, 1, set);
    until(&s, 2.5);
    assert_true(keeps(&s, used));
    assert_int_equal(gate(&s), IFD_UPDATE_OFF);
    assert_near(column(&s, name[0], IFD_COLUMN_IDENTIFIED), right[0], 0.02, "identified all the same");
    tick(&s, IFD_ORDER_UPDATE_ON);
    until(&s, 2.6);
    assert_int_equal(gate(&s), IFD_UPDATE_ON);
    assert_false(keeps(&s, used));
    tick(&s, IFD_ORDER_UPDATE_OFF);
    assert_int_equal(s.t.trace(s.t.self)->answer, IFD_ANSWER_NONE);
    keeps(&s, used);
    until(&s, 3.0);
    assert_true(keeps(&s, used));
    assert_int_equal(gate(&s), IFD_UPDATE_OFF);
    ifd_hybrid_close(s.h);
}

/* On hold the memory follows the specimen and nothing is learned. After resume 0.5 s of consistent forces come
 * first. */
TEST_IN_ARENA(a_hold_stops_learning)
{
    stand s;
    double used[COPIES][PARAMS] = {{0}};
    open_stand(&s, 0, NULL);
    until(&s, 2.0);
    const ifd__updating *u = ifd__units_find(s.h, &ifd__unit_identify)->own;
    tick(&s, IFD_ORDER_HOLD);
    double z = u->estimate.x[0];
    for (int k = 0; k < 600; k++)
        tick(&s, IFD_ORDER_NONE);
    keeps(&s, used);
    ifd__estimate held = u->estimate;
    assert_true(held.x[0] != z); /* it followed the brake */
    for (int k = 0; k < 5000; k++)
        tick(&s, IFD_ORDER_NONE);
    assert_memory_equal(held.x + 1, u->estimate.x + 1, sizeof held.x - sizeof *held.x);
    assert_memory_equal(held.P, u->estimate.P, sizeof held.P);
    assert_true(held.x[0] == u->estimate.x[0]); /* noise alone does not move it */
    assert_true(keeps(&s, used));
    assert_int_equal(gate(&s), IFD_UPDATE_NOT_RUNNING);
    double from = ifd_hybrid_time(s.h);
    tick(&s, IFD_ORDER_RESUME);
    while (gate(&s) != IFD_UPDATE_ON)
        tick(&s, IFD_ORDER_NONE);
    assert_near(ifd_hybrid_time(s.h) - from, 0.55, 0.06, "until copies are updated again");
    assert_int_equal(ifd_hybrid_count(s.h, IFD_TRIP_UPDATES), 0);
    ifd_hybrid_close(s.h);
}

/* A load cell that fails: the copies keep what they have at once, or within a change that is small, and the loop goes
 * on as with plain parameters. */
TEST_IN_ARENA(a_load_cell_that_fails_stops_updates)
{
    static const struct {
        failing how;
        double most; /* change of a parameter in use after the failure */
    } row[] = {{STUCK, 0.03}, {SATURATED, 0.03}, {STEP, 0.03}};
    for (size_t i = 0; i < COUNT(row); i++) {
        stand s;
        double used[PARAMS];
        const char *const set[] = {"test.force-stuck=off"};
        open_stand(&s, 1, set);
        until(&s, 3.0);
        assert_int_equal(gate(&s), IFD_UPDATE_ON);
        memcpy(used, copy(&s, 0) + 1, sizeof used);
        how = row[i].how;
        for (int k = 0; k < 1500; k++) {
            tick(&s, IFD_ORDER_NONE);
            assert_int_equal(s.last, IFD_RUN_GOING);
        }
        assert_int_not_equal(gate(&s), IFD_UPDATE_ON);
        assert_true(ifd_hybrid_count(s.h, IFD_TRIP_UPDATES) > 0);
        for (int p = 0; p < PARAMS; p++)
            assert_near(copy(&s, 0)[1 + p], used[p], row[i].most, "row %zu, %s", i, name[p]);
        ifd_hybrid_close(s.h);
    }
}

/* The test trips; no number of the filter is spoiled. */
TEST_IN_ARENA(a_force_that_is_no_number_leaves_no_trace)
{
    stand s;
    open_stand(&s, 0, NULL);
    until(&s, 3.0);
    const ifd__updating *u = ifd__units_find(s.h, &ifd__unit_identify)->own;
    ifd__estimate before = u->estimate;
    how = NOT_A_NUMBER;
    tick(&s, IFD_ORDER_NONE);
    assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_TRIPPED);
    assert_memory_equal(&before, &u->estimate, sizeof before);
    assert_int_not_equal(gate(&s), IFD_UPDATE_ON);
    assert_true(ifd_hybrid_count(s.h, IFD_TRIP_UPDATES) > 0);
    ifd_hybrid_close(s.h);
}

/* A covariance that is not positive definite: parameters are kept, the covariance starts again; the third time ends
 * the identification. */
TEST_IN_ARENA(a_covariance_that_breaks_is_replaced_and_ends_the_identification)
{
    stand s;
    double used[COPIES][PARAMS] = {{0}};
    open_stand(&s, 0, NULL);
    until(&s, 2.5);
    ifd__updating *u = ifd__units_find(s.h, &ifd__unit_identify)->own;
    for (int k = 1; k <= 3; k++) {
        ifd__estimate before = u->estimate;
        u->estimate.P[7] = -1e-3;
        keeps(&s, used);
        tick(&s, IFD_ORDER_NONE);
        assert_near(u->resets, k, 0, "resets");
        assert_memory_equal(before.x, u->estimate.x, sizeof before.x);
        assert_near(u->estimate.P[7], 0.09, 1e-15, "variance of the stiffness at the start");
        assert_int_equal(gate(&s), k < 3 ? IFD_UPDATE_WAITS : IFD_UPDATE_STOPPED);
        for (int j = 0; j < 20; j++)
            tick(&s, IFD_ORDER_NONE);
        assert_true(keeps(&s, used));
    }
    tick(&s, IFD_ORDER_UPDATE_ON);
    until(&s, 4.5);
    assert_int_equal(gate(&s), IFD_UPDATE_STOPPED);
    assert_true(keeps(&s, used));
    assert_int_equal(ifd_hybrid_count(s.h, IFD_TRIP_UPDATES), 1);
    ifd_hybrid_close(s.h);
}

/* Stored energy that appears or disappears with a parameter has its own line: the remainder of the balance is as
 * small as without updates (relative to the input of 2 MJ; by the method, 1e-4). */
TEST_IN_ARENA(the_energy_of_updates_is_accounted_for)
{
    stand s;
    open_stand(&s, 0, NULL);
    until(&s, 3.0);
    ifd_energy e;
    assert_true(ifd_hybrid_energy(s.h, &e));
    assert_true(fabs(e.updates) > 10.0);
    assert_near(column(&s, "", IFD_COLUMN_ENERGY_UPDATES), e.updates, 1e-9 * fabs(e.updates), "column");
    double kinetic_and_stored = e.kinetic + e.stored - e.start;
    assert_near(e.numerical, e.input + e.updates - kinetic_and_stored - e.dissipated - e.specimens, 1e-6, "balance");
    ifd_hybrid_close(s.h);
}

static void open_devices(stand *s, int count, const char *const *set)
{
    ifd_status status = ifd_case_read(arena, IFD_SOURCE_DIR "/tests/hybrid/devices.yaml", count, set, &s->c, &note);
    for (const ifd_finding *f = note.first; f && status != IFD_OK; f = f->next)
        print_error("%s\n", f->text);
    assert_int_equal(status, IFD_OK);
    assert_int_equal(ifd_hybrid_make(arena, s->c->test, &s->h, &note), IFD_OK);
    s->t = ifd_hybrid_ticked(s->h);
}

/* Start values and true ones of every law; the copies end within five standard deviations of the true ones. */
TEST_IN_ARENA(every_law_is_learned)
{
    static const struct {
        const char *kind, *start, *truth, *name[3];
        double right[3];
    } row[] = {
        {"spring", "stiffness: 16 MN/m", "stiffness: 20 MN/m", {"first.stiffness"}, {1.25}},
        {"bilinear",
         "stiffness: 16 MN/m, ratio: 0.12, yield: 12 mm",
         "stiffness: 20 MN/m, ratio: 0.1, yield: 10 mm",
         {"first.stiffness", "first.ratio", "first.yield"},
         {1.25, 1 / 1.2, 1 / 1.2}},
        {"lead-rubber",
         "yield-force: 160 kN, yield-displacement: 9 mm, ratio: 0.12",
         "yield-force: 200 kN, yield-displacement: 10 mm, ratio: 0.1",
         {"first.yield-force", "first.yield-displacement", "first.ratio"},
         {1.25, 1 / 0.9, 1 / 1.2}},
        {"friction-pendulum",
         "load: 2 MN, radius: 2.4 m, friction: 0.06",
         "load: 2 MN, radius: 2 m, friction: 0.05",
         {"first.friction", "first.radius"},
         {1 / 1.2, 1 / 1.2}},
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        stand s;
        char copy_of[200], truth[300];
        const char *const set[] = {copy_of, truth};
        snprintf(copy_of, sizeof copy_of, "model.elements=[{name: second, %s: {at: x1, %s}}]", row[i].kind,
                 row[i].start);
        snprintf(truth, sizeof truth,
                 "specimen=[{name: first, %s: {at: x1, %s}, limits: {stroke: 600 mm, velocity: 5 m/s, acceleration: "
                 "400 m/s2, force: 10 MN, tracking: 10 mm}, position-sensor: {noise: 5 um}, force-sensor: {noise: "
                 "200 N}}]",
                 row[i].kind, row[i].truth);
        open_devices(&s, 2, set);
        until(&s, 5.9);
        for (int p = 0; p < 3 && row[i].name[p]; p++) {
            double deviation = column(&s, row[i].name[p], IFD_COLUMN_IDENTIFIED_DEVIATION);
            assert_true(deviation > 0.0 && deviation < 0.005);
            assert_near(column(&s, row[i].name[p], IFD_COLUMN_IDENTIFIED_IN_USE), row[i].right[p], 5 * deviation,
                        "%s: %s", row[i].kind, row[i].name[p]);
        }
        assert_int_equal(ifd_hybrid_count(s.h, IFD_TRIP_UPDATES), 0);
        ifd_hybrid_close(s.h);
    }
}

/* 20 MN/m from 19.2 MN/m is 4 % stiffer, from 18.9 MN/m 6 %. Once; a softer copy never. */
TEST_IN_ARENA(a_copy_that_becomes_stiffer_than_at_the_start_is_noted)
{
    static const struct {
        const char *start;
        long notes;
    } row[] = {{"19.2 MN/m", 0}, {"18.9 MN/m", 1}, {"24 MN/m", 0}};
    for (size_t i = 0; i < COUNT(row); i++) {
        stand s;
        char start[100];
        const char *const set[] = {start};
        snprintf(start, sizeof start, "model.elements.0.spring.stiffness=%s", row[i].start);
        open_devices(&s, 1, set);
        until(&s, 5.9);
        assert_int_equal(gate(&s), IFD_UPDATE_ON);
        assert_int_equal(ifd_hybrid_count(s.h, IFD_TRIP_STIFFER), row[i].notes);
        ifd_hybrid_close(s.h);
    }
}

/* While a loop is probed nothing is learned. */
TEST_IN_ARENA(probing_changes_nothing)
{
    stand s;
    double used[COPIES][PARAMS] = {{0}};
    open_stand(&s, 0, NULL);
    until(&s, 2.5);
    const ifd__updating *u = ifd__units_find(s.h, &ifd__unit_identify)->own;
    ifd__updating before = *u;
    keeps(&s, used);
    s.h->facts.frozen = true;
    for (int k = 0; k < 200; k++)
        tick(&s, IFD_ORDER_NONE);
    assert_memory_equal(&before, u, sizeof before);
    assert_true(keeps(&s, used));
    ifd_hybrid_close(s.h);
}

TEST_IN_ARENA(wrong_options_are_refused)
{
    stand s;
    ifd_hybrid *h;
    open_stand(&s, 0, NULL);
    ifd_identify_options wrong = *s.c->test->identify;
    ifd_hybrid_options o = *s.c->test;
    o.identify = &wrong;
    wrong.force_noise = 0.0;
    assert_int_equal(ifd_hybrid_make(arena, &o, &h, &note), IFD_RANGE);
    wrong = *s.c->test->identify;
    wrong.copy = (const char *const[]){"nobody"};
    wrong.copies = 1;
    assert_int_equal(ifd_hybrid_make(arena, &o, &h, &note), IFD_UNKNOWN_NAME);
    wrong = *s.c->test->identify;
    wrong.interface = 1;
    assert_int_equal(ifd_hybrid_make(arena, &o, &h, &note), IFD_RANGE);
    wrong = *s.c->test->identify;
    wrong.copy = (const char *const[]){s.c->test->identify->copy[0], s.c->test->identify->copy[0]};
    wrong.copies = 2;
    assert_int_equal(ifd_hybrid_make(arena, &o, &h, &note), IFD_DUPLICATE);
    const ifd_identify_options again[] = {*s.c->test->identify, *s.c->test->identify};
    o.identify = again;
    o.identified = 2;
    assert_int_equal(ifd_hybrid_make(arena, &o, &h, &note), IFD_DUPLICATE);
    ifd_hybrid_close(s.h);
}

TESTS()
