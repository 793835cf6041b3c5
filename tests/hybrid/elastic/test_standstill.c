/* SPDX-License-Identifier: MIT */
/* ctest: not with sanitizers, unless every test is asked for */
/* The bound of a test that makes no progress, at both sides of its edge, in every state that waits for answers. */
#include "hybrid/elastic/site.h"

#include "hybrid/bare.h"
#include "hybrid/orders.h"
#include "hybrid/ramp_out/ramp_out.h"
#include "hybrid/standstill.h"

enum { LAMBDA = 40, STAGE = 2 * LAMBDA };
static const double brake = 0.5, settle = 0.1, give_up = 2.0, patience = 0.3;
static const int silent = 400; /* ticks: answers are older than patience */

/* s: give-up, the longest stage, ten brakes, settling. The slowest rate is that of the slowest pace, halved by
 * the monitor, or with elastic time 0.95 window/(patience + 2/w), w = 3/(0.2 s), if this is smaller. */
static double limit(bool elastic, double window)
{
    double rate = fmin(1.0 / 32.0, elastic ? 0.95 * window / (patience + 0.4 / 3.0) : 1.0);
    return (elastic ? give_up : 30.0) + STAGE * tick / rate + 10.0 * brake + settle;
}

static const double own_window = 0.48; /* s */

/* Whole ticks up to the limit. */
static long edge_of(bool elastic)
{
    return (long)floor(limit(elastic, own_window) / tick + 1e-6);
}

static void make(scene *c, bool elastic)
{
    prepare(c, LAMBDA, 0);
    c->elastic.give_up = give_up;
    c->elastic.patience = patience;
    c->s.opt.brake = brake;
    c->s.opt.settle = settle;
    c->s.opt.wait_tripped = true;
    c->s.opt.ramp_in = 4.0;
    c->s.opt.ramp_out_end = IFD_RAMP_OUT_START;
    c->s.opt.creep = 2e-3;
    if (!elastic)
        c->s.opt.elastic = NULL;
    stand_make(&c->s);
}

static void make_running(scene *c)
{
    make(c, true);
    play(&c->s.p, "until run; 2000");
}

/* Answers become older than patience, and the rate becomes 0. */
static void come_to_rest(scene *c)
{
    c->site.late = silent;
    for (int i = 0; i < 100000 && (i < silent || rate(c) > 0.0); i++)
        one(c);
}

/* One tick; true: a stage was solved. */
static bool stage(scene *c, const ifd_tick_in *in)
{
    const ifd__test_state *t = ifd__test_of(c->s.h);
    double before = t->phase;
    (void)c->s.t.tick(c->s.t.self, in);
    return t->phase < before;
}

/* Ticks until this state is left: so many. */
static void lasts(scene *c, const char *state, long ticks)
{
    play(&c->s.p, "until is != %s within %ld; waited = %ld", state, ticks + 1, ticks);
}

static void assert_standstill(scene *c, ifd_machine state)
{
    play(&c->s.p, "is %s; fault STANDSTILL; fault.channel = -1", ifd_machine_name(state));
    play(&c->s.p, "fault.limit = %.17g +- 1e-9; fault.value = fault.limit + %g +- 1e-9", limit(true, own_window),
         tick);
}

/* Answers that remain older than patience: rate 0, and no rig is lost. The test ramps out, and as its ramp-out makes
 * no progress either, it trips. Nothing moves after it has come to rest. */
TEST(a_run_without_answers_in_time_ramps_out_and_trips)
{
    scene c;
    make_running(&c);
    c.site.late = silent;
    long since = 0, n = 0, edge = edge_of(true);
    double p = 0.0;
    for (; n < 4 * edge && ifd_hybrid_state(c.s.h) == IFD_MACHINE_RUN; n++) {
        since = stage(&c, &(ifd_tick_in){0}) ? 0 : since + 1;
        if (n == edge / 2)
            p = c.s.h->command.position[0];
    }
    assert_int_equal(since, edge + 1);
    assert_standstill(&c, IFD_MACHINE_RAMP_OUT);
    assert_near(c.s.h->command.position[0], p, 1e-12, "at rest");
    lasts(&c, "ramp-out", edge + 1);
    assert_standstill(&c, IFD_MACHINE_TRIPPED);
    assert_near(c.s.h->command.position[0], p, 1e-12, "at rest");
    ifd_arena_close(c.s.arena);
}

/* In the last tick before the limit a stage is solved: the test continues and ends as any other. */
TEST(answers_just_in_time_continue_the_run)
{
    scene c;
    make(&c, true);
    play(&c.s.p, "until run");
    long since = 0, edge = edge_of(true);
    for (int i = 0; i < 2000 || since > 0; i++)
        since = stage(&c, &(ifd_tick_in){0}) ? 0 : since + 1;
    c.site.late = silent;
    while (since < edge - 1000) /* 5 brakes: it is back at full rate, and solves two stages and more */
        since = stage(&c, &(ifd_tick_in){0}) ? 0 : since + 1;
    c.site.late = 0;
    play(&c.s.p, "1000; [rate] = 1 +- 1e-3; until stopped; count.STANDSTILL = 0; time = 2 +- 1e-9");
    ifd_arena_close(c.s.arena);
}

/* The operator may hold a test for any time, and the bound begins anew with a resume. */
TEST(a_hold_has_no_bound)
{
    scene c;
    make_running(&c);
    long edge = edge_of(true);
    c.site.late = silent;
    play(&c.s.p, "%ld; hold; %ld with is hold; resume", edge - 500, 2 * edge);
    lasts(&c, "run", edge + 1);
    assert_standstill(&c, IFD_MACHINE_RAMP_OUT);
    ifd_arena_close(c.s.arena);
}

TEST(a_ramp_in_without_answers_in_time_ramps_out_and_trips)
{
    scene c;
    make(&c, true);
    play(&c.s.p, "until ramp-in; 100");
    come_to_rest(&c);
    long edge = edge_of(true);
    double p = c.s.h->command.position[0];
    assert_true(p > 1e-5 && p < 9e-3);
    lasts(&c, "ramp-in", edge);
    assert_standstill(&c, IFD_MACHINE_RAMP_OUT);
    lasts(&c, "ramp-out", edge + 1);
    assert_standstill(&c, IFD_MACHINE_TRIPPED);
    assert_near(c.s.h->command.position[0], p, 1e-12, "at rest");
    ifd_arena_close(c.s.arena);
}

/* A ramp-out that waits trips, and one that is answered again in time ends. */
TEST(a_ramp_out_without_answers_in_time_trips)
{
    for (int answered = 0; answered < 2; answered++) {
        scene c;
        make_running(&c);
        play(&c.s.p, "ramp-out");
        come_to_rest(&c);
        long edge = edge_of(true);
        if (answered) {
            play(&c.s.p, "%ld with is ramp-out", edge - 1);
            c.site.late = 0;
            play(&c.s.p, "until stopped; count.STANDSTILL = 0");
        } else {
            lasts(&c, "ramp-out", edge);
            assert_standstill(&c, IFD_MACHINE_TRIPPED);
        }
        ifd_arena_close(c.s.arena);
    }
}

/* A short window permits only a low rate within patience, and a stage may then take longer. */
TEST(a_short_window_may_take_longer)
{
    scene c;
    prepare(&c, LAMBDA, 0);
    c.elastic.give_up = give_up;
    c.elastic.patience = patience;
    c.elastic.delay = 0.2e-3;
    c.s.opt.brake = brake;
    c.s.opt.settle = settle;
    stand_make(&c.s);
    assert_near(c.s.h->standstill, limit(true, LAMBDA * 0.2e-3), 1e-9, "limit");
    assert_true(c.s.h->standstill > 9.66 + 1e-6);
    ifd_arena_close(c.s.arena);
}

/* The last tick of the planned motion is progress, and so is a command that its limits delay: of a position, or of a
 * prescribed force. What follows is settling. */
TEST(a_ramp_in_progresses_to_its_end)
{
    scene c;
    make(&c, false);
    play(&c.s.p, "until ramp-in");
    ifd_force_command law = {0};
    ifd_force_control given = {0}, computed = {.computed = &law};
    const double after = nextafter(4.0, 5.0);
    const struct {
        const ifd_force_control *force;
        double time, step, force_step, stands;
    } rows[] = {{NULL, 4.0, 0.0, 0.0, 0.0},         {NULL, after, 0.0, 0.0, 6.0},    {NULL, after, -1e-9, 0.0, 0.0},
                {NULL, after, 0.0, 1.0, 6.0},       {&given, after, 1e-9, 0.0, 6.0}, {&given, after, 0.0, -1.0, 0.0},
                {&computed, after, 1e-9, 1.0, 6.0}, {&computed, 4.0, 0.0, 0.0, 0.0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        c.s.channel.force = rows[i].force;
        ifd__test_of(c.s.h)->stands = 5.0;
        ifd__test_of(c.s.h)->state_time = rows[i].time;
        ifd__interface_of(c.s.h, 0)->step = rows[i].step;
        ifd__interface_of(c.s.h, 0)->force_step = rows[i].force_step;
        assert_int_equal(ifd__standstill_tick(c.s.h, false, IFD_ACTION_NOTE), IFD_ACTION_NOTE);
        assert_near(ifd__test_of(c.s.h)->stands, rows[i].stands, 0.0, "ticks without progress");
    }
    ifd_arena_close(c.s.arena);
}

/* 10 mm with 0.1 mm/s take 100 s, and the bound is 37.66 s. */
TEST(a_ramp_in_at_a_low_velocity_takes_its_time)
{
    scene c;
    prepare(&c, LAMBDA, 0);
    c.s.opt.elastic = NULL;
    c.s.opt.brake = brake;
    c.s.opt.settle = settle;
    c.s.channel.limits.velocity = 1e-4;
    stand_make(&c.s);
    play(&c.s.p, "until ramp-in; until is != ramp-in; waited in 100000..102000; is run; count.STANDSTILL = 0");
    ifd_arena_close(c.s.arena);
}

/* A ramp-out to the start, without elastic time: about 10 mm with 0.1 mm/s, 190 s at least. */
static void make_slow_ramp_out(scene *c)
{
    make(c, false);
    c->s.h->interface[0].creep = 1e-4;
    play(&c->s.p, "until run; 2000; ramp-out; is ramp-out");
}

TEST(a_ramp_out_at_a_low_velocity_takes_its_time)
{
    scene c;
    make_slow_ramp_out(&c);
    play(&c.s.p, "until stopped within 1000000; waited > %ld; count.STANDSTILL = 0", 2 * edge_of(false));
    ifd_arena_close(c.s.arena);
}

/* The command does not move: beyond its planned time the ramp-out makes no progress, and trips. */
TEST(a_ramp_out_that_does_not_near_its_end_trips)
{
    scene c;
    make_slow_ramp_out(&c);
    const ifd__unloading *out = ifd__out(c.s.h, 0);
    double length = out->length;
    while (out->length == length) /* the brake */
        one(&c);
    length = out->length;
    c.s.h->interface[0].bounds.velocity = 0.0;
    while (out->time <= length)
        one(&c);
    lasts(&c, "ramp-out", edge_of(false) + 1);
    play(&c.s.p, "is tripped; fault STANDSTILL; fault.limit = %.17g +- 1e-9", limit(false, 0.0));
    ifd_arena_close(c.s.arena);
}

/* A brake is progress to the end of its plan; a prescribed force that is kept before its release, until it rests. */
TEST(a_ramp_out_progresses_within_its_plan)
{
    scene c;
    make_slow_ramp_out(&c);
    ifd__unloading *out = ifd__out(c.s.h, 0);
    ifd_force_control given = {0};
    const struct {
        const ifd_force_control *force;
        double time, force_step, stands;
    } rows[] = {{NULL, 0.0, 0.0, 0.0},    {NULL, 1.0, 0.0, 0.0},   {NULL, nextafter(1.0, 2.0), 0.0, 6.0},
                {&given, 0.0, -1.0, 0.0}, {&given, 0.0, 0.0, 6.0}, {&given, tick, 0.0, 0.0},
                {&given, 1.0, 0.0, 0.0},  {&given, 2.0, -1.0, 6.0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        c.s.channel.force = rows[i].force;
        ifd__test_of(c.s.h)->stands = 5.0;
        out->time = rows[i].time;
        out->length = 1.0;
        ifd__interface_of(c.s.h, 0)->force_step = rows[i].force_step;
        assert_int_equal(ifd__standstill_tick(c.s.h, false, IFD_ACTION_NOTE), IFD_ACTION_NOTE);
        assert_near(ifd__test_of(c.s.h)->stands, rows[i].stands, 0.0, "ticks without progress");
    }
    ifd_arena_close(c.s.arena);
}

/* Without elastic time: the wait for the start instant has no bound; a run solves its stages. */
TEST(a_test_that_waits_for_its_start_has_no_bound)
{
    scene c;
    make(&c, false);
    assert_near(c.s.h->standstill, limit(false, 0.0), 1e-9, "limit");
    play(&c.s.p, "until ramp-in; gate := START; %ld with is ramp-in; gate := 0; until stopped; count.STANDSTILL = 0",
         2 * edge_of(false));
    ifd_arena_close(c.s.arena);
}

/* A hold lasts as long as the operator likes, also while an automatic stop is announced, but not while a stop or a
 * park waits for rest. Every tick of the other states is progress, except of a return whose motion does not
 * advance. */
TEST(only_a_wait_for_rest_and_a_return_that_stands_have_a_bound)
{
    static const struct {
        ifd_machine state;
        ifd__wants wants;
        double ramps, stands;
    } rows[] = {
        {IFD_MACHINE_HOLD, IFD__WANTS_NOTHING, 0.0, 0.0},    {IFD_MACHINE_HOLD, IFD__WANTS_LATER, 0.0, 0.0},
        {IFD_MACHINE_HOLD, IFD__WANTS_STOP, 0.0, 6.0},       {IFD_MACHINE_HOLD, IFD__WANTS_PARK, 0.0, 6.0},
        {IFD_MACHINE_HOLD, IFD__WANTS_STOP, 0.25, 6.0},      {IFD_MACHINE_RETURN, IFD__WANTS_NOTHING, 0.0, 6.0},
        {IFD_MACHINE_RETURN, IFD__WANTS_NOTHING, 0.25, 0.0}, {IFD_MACHINE_IDLE, IFD__WANTS_NOTHING, 0.0, 0.0},
        {IFD_MACHINE_READY, IFD__WANTS_NOTHING, 0.0, 0.0},   {IFD_MACHINE_TRIPPED, IFD__WANTS_NOTHING, 0.0, 0.0},
        {IFD_MACHINE_READY, IFD__WANTS_NOTHING, 0.25, 0.0}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        bare_make(1, 0.25);
        bare_state(rows[i].state);
        bare.orders->wants = rows[i].wants;
        bare.ramps = rows[i].ramps;
        bare.standstill = 1.5; /* six ticks are not beyond it */
        bare.test->stands = 5.0;
        assert_int_equal(ifd__standstill_tick(&bare, false, IFD_ACTION_NOTE), IFD_ACTION_NOTE);
        assert_near(bare.test->stands, rows[i].stands, 0.0, "row %d: ticks without progress", (int)i);
    }
}

/* In a ramp the fault names the actuator that has not arrived, of a block whose dofs are all forces as well. If
 * there is none, and in a return, which does not wait for them, it names the rig that the pace waits for; -1 if that
 * waits for none. Channels: two interfaces, then the actuators. */
static int fourth(const ifd_hybrid *h)
{
    (void)h;
    return 4;
}

TEST(the_actuator_that_has_not_arrived_is_named)
{
    static const int dof[] = {0, 1};
    static const ifd_driven o = {.drive = {.actuators = 2, .dofs = 2}, .interface = dof};
    static const ifd_force_control control = {0};
    static const struct {
        ifd_machine state;
        bool forces, late;
        int away, named;
    } rows[] = {{IFD_MACHINE_RAMP_IN, false, false, 0, 2},  {IFD_MACHINE_RAMP_IN, true, true, 0, 2},
                {IFD_MACHINE_RAMP_OUT, true, false, 1, 3},  {IFD_MACHINE_RAMP_OUT, false, true, 1, 3},
                {IFD_MACHINE_RAMP_IN, true, false, -1, -1}, {IFD_MACHINE_RAMP_IN, true, true, -1, 4},
                {IFD_MACHINE_RETURN, true, false, 0, -1},   {IFD_MACHINE_RETURN, true, true, 0, 4}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        ifd__pace own = ifd__pace_scaled;
        own.awaited = rows[i].late ? fourth : NULL;
        bare_make(2, 0.25);
        bare.pace = &own;
        bare_drives(1, &o, 1.0);
        bare_state(rows[i].state);
        for (int j = 0; j < 2; j++) {
            bare_option[j].force = rows[i].forces ? &control : NULL;
            bare_drive[0].bounds[j] = (ifd__bounds){.low = -1.0, .high = 1.0};
            ifd__actuator_of(&bare, &bare_drive[0], j)->command = rows[i].away == j ? 0.5 : 0.0;
        }
        bare.ramps = 0.0;
        bare.standstill = 1.0;
        bare.test->stands = 4.0;
        (void)ifd__standstill_tick(&bare, false, IFD_ACTION_NOTE);
        assert_near(bare.test->faults[IFD_TRIP_STANDSTILL], 1.0, 0.0, "row %d: a fault", (int)i);
        assert_near(bare.test->fault_owner, rows[i].named, 0.0, "row %d: its channel", (int)i);
    }
}

TESTS()
