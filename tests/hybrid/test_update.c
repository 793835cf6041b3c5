/* SPDX-License-Identifier: MIT */
/* Copies of a specimen that learn from it, in the shipped case bridge/learning: what they learn, when, how fast, and
 * when they stop. The virtual rig is wrapped, so that its load cell can fail. */
#include "hybrid/case_stand.h"
#include "hybrid/hybrid.h"
#include "hybrid/units.h"
#include "hybrid/update.h"

#define CASE IFD_SOURCE_DIR "/cases/bridge/learning.yaml"
enum { PARAMS = 5, COPIES = 3 };

/* True over start values: 20/16 MN/m, 0.1/0.12, 10/12 mm, 0.6/0.72, 1.5/1.8. */
static const double right[PARAMS] = {1.25, 1.0 / 1.2, 1.0 / 1.2, 1.0 / 1.2, 1.0 / 1.2};

enum { FINE, NOT_A_NUMBER, STUCK, SATURATED, STEP };
static struct {
    int fails; /* one of them */
    double stuck_at;
} cell;

static bool sense(ifd_rig *r, ifd_measure *m, double *x)
{
    bool fresh = ifd_virtual_rig.sense(r, m, x);
    if (cell.fails == NOT_A_NUMBER)
        m->force[0] = (double)NAN;
    if (cell.fails == STUCK)
        m->force[0] = cell.stuck_at;
    if (cell.fails == SATURATED)
        m->force[0] = fmax(-150e3, fmin(150e3, m->force[0]));
    if (cell.fails == STEP)
        m->force[0] += 50e3;
    if (cell.fails == FINE)
        cell.stuck_at = m->force[0];
    return fresh;
}

static stand s;

static double value(const char *owner, ifd_quantity q)
{
    int k = ifd_column_find(s.channel, s.columns, owner, q);
    assert_true(k >= 0);
    return s.t.values(s.t.self)[k];
}

/* Whether copies are updated: an ifd_update. */
static double gate(const ifd_hybrid *h)
{
    (void)h;
    return value(s.c->test->interface[0].name, IFD_COLUMN_IDENTIFIED_UPDATES);
}

static const quantity own[] = {QUANTITY(cell, fails), {.name = "gate", .of = gate}, {0}};

static player *open(const char *set)
{
    cell.fails = FINE;
    s = (stand){.own = own};
    return stand_case(&s, CASE, set, sense, NULL);
}

static void end(void)
{
    unmake(&s);
}

static const ifd__updating *updating(void)
{
    return ifd__units_find(s.h, &ifd__unit_identify)->own;
}

static const char *const name[PARAMS] = {"bearing1.stiffness", "bearing1.alpha", "bearing1.yield", "bearing1.shape",
                                         "bearing1.n"};

/* The states of copy k in the model: memory, then deviations. */
static double *copy(int k)
{
    const ifd__numerical_model *b = &s.h->numerical.model[0];
    return s.h->x + b->at + 2 * b->m->n + b->m->s_of[k];
}

static bool keeps(double used[COPIES][PARAMS])
{
    bool same = true;
    for (int k = 0; k < COPIES; k++) {
        same = same && memcmp(used[k], copy(k) + 1, sizeof used[k]) == 0;
        memcpy(used[k], copy(k) + 1, sizeof used[k]);
    }
    return same;
}

/* Within four of their own standard deviations, which are small. */
TEST(copies_learn_the_parameters_of_the_specimen)
{
    play(open(NULL), "until time >= 5.0; result GOING");
    for (int i = 0; i < PARAMS; i++) {
        double deviation = value(name[i], IFD_COLUMN_IDENTIFIED_DEVIATION);
        assert_true(deviation > 0.0 && deviation < 0.01);
        assert_near(value(name[i], IFD_COLUMN_IDENTIFIED), right[i], 4 * deviation, "%s", name[i]);
        assert_near(value(name[i], IFD_COLUMN_IDENTIFIED_IN_USE), right[i], 4 * deviation, "%s", name[i]);
        for (int k = 1; k < COPIES; k++)
            assert_true(copy(k)[1 + i] == copy(0)[1 + i]);
    }
    play(&s.p, "gate = %d", IFD_UPDATE_ON);
    end();
}

/* A change at the first exchange of a step only, by at most `rate`, never outside of `range`. */
TEST(copies_move_slowly_and_between_steps)
{
    double used[COPIES][PARAMS] = {{0}}, before[COPIES][PARAMS], most = 0.0;
    open("identify.rate=0.2%; identify.range=1.4");
    int changes = 0;
    while (ifd_hybrid_time(s.h) < 4.0) {
        bool first = ifd__test_of(s.h)->exchange == 0.0;
        memcpy(before, used, sizeof used);
        player_tick(&s.p, IFD_ORDER_NONE);
        if (keeps(used))
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
    end();
}

/* The estimate stays inside its range; at an end nothing is updated, and this is noted. */
TEST(a_parameter_at_the_end_of_its_range_stops_updates)
{
    open("identify.range=1.24; identify.force-noise=2kN");
    play(&s.p, "until time >= 4.0; result GOING; gate = %d", IFD_UPDATE_AT_BOUND);
    assert_true(value(name[0], IFD_COLUMN_IDENTIFIED) <= 1.24);
    play(&s.p, "count.UPDATES > 0");
    end();
}

TEST(updates_are_switched_by_orders_and_by_the_case)
{
    double used[COPIES][PARAMS] = {{0}};
    play(open("identify.update=no"), "until time >= 2.5; result GOING");
    assert_true(keeps(used));
    play(&s.p, "gate = %d", IFD_UPDATE_OFF);
    assert_near(value(name[0], IFD_COLUMN_IDENTIFIED), right[0], 0.02, "identified all the same");
    player_tick(&s.p, IFD_ORDER_UPDATE_ON);
    play(&s.p, "until time >= 2.6; result GOING; gate = %d", IFD_UPDATE_ON);
    assert_false(keeps(used));
    play(&s.p, "update-off; answer NONE");
    keeps(used);
    play(&s.p, "until time >= 3.0; result GOING");
    assert_true(keeps(used));
    play(&s.p, "gate = %d", IFD_UPDATE_OFF);
    end();
}

/* On hold the memory follows the specimen and nothing is learned. After resume 0.5 s of consistent forces come
 * first. */
TEST(a_hold_stops_learning)
{
    double used[COPIES][PARAMS] = {{0}};
    play(open(NULL), "until time >= 2.0; result GOING");
    const ifd__updating *u = updating();
    player_tick(&s.p, IFD_ORDER_HOLD);
    double z = u->estimate.x[0];
    play(&s.p, "600");
    keeps(used);
    ifd__estimate held = u->estimate;
    assert_true(held.x[0] != z); /* it followed the brake */
    play(&s.p, "5000");
    assert_memory_equal(held.x + 1, u->estimate.x + 1, sizeof held.x - sizeof *held.x);
    assert_memory_equal(held.P, u->estimate.P, sizeof held.P);
    assert_true(held.x[0] == u->estimate.x[0]); /* noise alone does not move it */
    assert_true(keeps(used));
    play(&s.p, "gate = %d", IFD_UPDATE_NOT_RUNNING);
    double from = ifd_hybrid_time(s.h);
    player_tick(&s.p, IFD_ORDER_RESUME);
    play(&s.p, "until gate = %d", IFD_UPDATE_ON);
    assert_near(ifd_hybrid_time(s.h) - from, 0.55, 0.06, "until copies are updated again");
    assert_int_equal(ifd_hybrid_count(s.h, IFD_TRIP_UPDATES), 0);
    end();
}

/* A load cell that fails: the copies keep what they have at once, or within a change that is small, and the loop goes
 * on as with plain parameters. */
TEST(a_load_cell_that_fails_stops_updates)
{
    static const int row[] = {STUCK, SATURATED, STEP};
    const double most = 0.03; /* change of a parameter in use after the failure */
    for (size_t i = 0; i < COUNT(row); i++) {
        double used[PARAMS];
        play(open("test.force-stuck=off"), "until time >= 3.0; result GOING; gate = %d", IFD_UPDATE_ON);
        memcpy(used, copy(0) + 1, sizeof used);
        cell.fails = row[i];
        play(&s.p, "1500; result GOING; gate != %d; count.UPDATES > 0", IFD_UPDATE_ON);
        for (int p = 0; p < PARAMS; p++)
            assert_near(copy(0)[1 + p], used[p], most, "row %zu, %s", i, name[p]);
        end();
    }
}

/* The test trips; no number of the filter is spoiled. */
TEST(a_force_that_is_no_number_leaves_no_trace)
{
    play(open(NULL), "until time >= 3.0; result GOING");
    const ifd__updating *u = updating();
    ifd__estimate before = u->estimate;
    cell.fails = NOT_A_NUMBER;
    play(&s.p, "1; is tripped");
    assert_memory_equal(&before, &u->estimate, sizeof before);
    play(&s.p, "gate != %d; count.UPDATES > 0", IFD_UPDATE_ON);
    end();
}

/* A covariance that is not positive definite: parameters are kept, the covariance starts again; the third time ends
 * the identification. */
TEST(a_covariance_that_breaks_is_replaced_and_ends_the_identification)
{
    double used[COPIES][PARAMS] = {{0}};
    play(open(NULL), "until time >= 2.5; result GOING");
    ifd__updating *u = ifd__units_find(s.h, &ifd__unit_identify)->own;
    for (int k = 1; k <= 3; k++) {
        ifd__estimate before = u->estimate;
        u->estimate.P[7] = -1e-3;
        keeps(used);
        player_tick(&s.p, IFD_ORDER_NONE);
        assert_near(u->resets, k, 0, "resets");
        assert_memory_equal(before.x, u->estimate.x, sizeof before.x);
        assert_near(u->estimate.P[7], 0.09, 1e-15, "variance of the stiffness at the start");
        play(&s.p, "gate = %d; 20", k < 3 ? IFD_UPDATE_WAITS : IFD_UPDATE_STOPPED);
        assert_true(keeps(used));
    }
    player_tick(&s.p, IFD_ORDER_UPDATE_ON);
    play(&s.p, "until time >= 4.5; result GOING; gate = %d", IFD_UPDATE_STOPPED);
    assert_true(keeps(used));
    assert_int_equal(ifd_hybrid_count(s.h, IFD_TRIP_UPDATES), 1);
    end();
}

/* Stored energy that appears or disappears with a parameter has its own line: the remainder of the balance is as
 * small as without updates (relative to the input of 2 MJ; by the method, 1e-4). */
TEST(the_energy_of_updates_is_accounted_for)
{
    play(open(NULL), "until time >= 3.0; result GOING");
    ifd_energy e;
    assert_true(ifd_hybrid_energy(s.h, &e));
    assert_true(fabs(e.updates) > 10.0);
    assert_near(value("", IFD_COLUMN_ENERGY_UPDATES), e.updates, 1e-9 * fabs(e.updates), "column");
    double kinetic_and_stored = e.kinetic + e.stored - e.start;
    assert_near(e.numerical, e.input + e.updates - kinetic_and_stored - e.dissipated - e.specimens, 1e-6, "balance");
    end();
}

static player *open_devices(const char *set)
{
    s = (stand){.own = own};
    return stand_case(&s, IFD_SOURCE_DIR "/tests/hybrid/devices.yaml", set, NULL, NULL);
}

/* Start values and true ones of every law; the copies end within five standard deviations of the true ones. */
TEST(every_law_is_learned)
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
        char set[500];
        snprintf(set, sizeof set,
                 "model.elements=[{name: second, %s: {at: x1, %s}}]; specimen=[{name: first, %s: {at: x1, %s}, "
                 "limits: {stroke: 600 mm, velocity: 5 m/s, acceleration: 400 m/s2, force: 10 MN, tracking: 10 mm}, "
                 "position-sensor: {noise: 5 um}, force-sensor: {noise: 200 N}}]",
                 row[i].kind, row[i].start, row[i].kind, row[i].truth);
        play(open_devices(set), "until time >= 5.9; result GOING");
        for (int p = 0; p < 3 && row[i].name[p]; p++) {
            double deviation = value(row[i].name[p], IFD_COLUMN_IDENTIFIED_DEVIATION);
            assert_true(deviation > 0.0 && deviation < 0.005);
            assert_near(value(row[i].name[p], IFD_COLUMN_IDENTIFIED_IN_USE), row[i].right[p], 5 * deviation, "%s: %s",
                        row[i].kind, row[i].name[p]);
        }
        assert_int_equal(ifd_hybrid_count(s.h, IFD_TRIP_UPDATES), 0);
        end();
    }
}

/* 20 MN/m from 19.2 MN/m is 4 % stiffer, from 18.9 MN/m 6 %. Once; a softer copy never. */
TEST(a_copy_that_becomes_stiffer_than_at_the_start_is_noted)
{
    static const struct {
        const char *start;
        long notes;
    } row[] = {{"19.2 MN/m", 0}, {"18.9 MN/m", 1}, {"24 MN/m", 0}};
    for (size_t i = 0; i < COUNT(row); i++) {
        char set[100];
        snprintf(set, sizeof set, "model.elements.0.spring.stiffness=%s", row[i].start);
        play(open_devices(set), "until time >= 5.9; result GOING; gate = %d; count.STIFFER = %ld", IFD_UPDATE_ON,
             row[i].notes);
        end();
    }
}

/* While a loop is probed nothing is learned. */
TEST(probing_changes_nothing)
{
    double used[COPIES][PARAMS] = {{0}};
    play(open(NULL), "until time >= 2.5; result GOING");
    const ifd__updating *u = updating();
    ifd__updating before = *u;
    keeps(used);
    s.h->facts.frozen = true;
    play(&s.p, "200");
    assert_memory_equal(&before, u, sizeof before);
    assert_true(keeps(used));
    end();
}

TEST(wrong_options_are_refused)
{
    ifd_hybrid *h;
    open(NULL);
    ifd_identify_options wrong = *s.c->test->identify;
    ifd_hybrid_options o = *s.c->test;
    o.identify = &wrong;
    wrong.force_noise = 0.0;
    assert_int_equal(ifd_hybrid_make(s.arena, &o, &h, NULL), IFD_RANGE);
    wrong = *s.c->test->identify;
    wrong.copy = (const char *const[]){"nobody"};
    wrong.copies = 1;
    assert_int_equal(ifd_hybrid_make(s.arena, &o, &h, NULL), IFD_UNKNOWN_NAME);
    wrong = *s.c->test->identify;
    wrong.interface = 1;
    assert_int_equal(ifd_hybrid_make(s.arena, &o, &h, NULL), IFD_RANGE);
    wrong = *s.c->test->identify;
    wrong.copy = (const char *const[]){s.c->test->identify->copy[0], s.c->test->identify->copy[0]};
    wrong.copies = 2;
    assert_int_equal(ifd_hybrid_make(s.arena, &o, &h, NULL), IFD_DUPLICATE);
    const ifd_identify_options again[] = {*s.c->test->identify, *s.c->test->identify};
    o.identify = again;
    o.identified = 2;
    assert_int_equal(ifd_hybrid_make(s.arena, &o, &h, NULL), IFD_DUPLICATE);
    end();
}

TESTS()
