/* SPDX-License-Identifier: MIT */
/* Rules of several rigs at their edges: which answer is used, what the test keeps of each rig, readiness. */
#include "check.h"

#include <string.h>

#include "hybrid/hybrid.h"
#include "rig/rig.h"
#include "rig/several.h"
#include "several/bench.h"

/* A rig that gives the measurements of a list, one per call, until its mark. */
typedef struct teller {
    ifd_measure told[16];
    int count, next, calls;
    bool each, ready[32], endless; /* it repeats the last one */
    ifd_command last;
    ifd_rig opened; /* as open received it */
    double late_after;
    uint32_t free_at_end;
    bool simulated;
} teller;

static ifd_status open_teller(ifd_rig *rig, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    teller *t = rig->data;
    (void)values;
    (void)arena;
    (void)note;
    t->opened = *rig;
    rig->size = 0;
    rig->late_after = t->late_after;
    rig->free_at_end = t->free_at_end;
    if (t->each && rig->each == IFD_EACH_ASKED)
        rig->each = IFD_EACH_GIVEN;
    return IFD_OK;
}

static bool sense_teller(ifd_rig *rig, ifd_measure *out, double *x)
{
    teller *t = rig->data;
    (void)x;
    t->calls++;
    if (t->next == t->count)
        return false;
    *out = t->told[t->next];
    t->next += !t->endless;
    return true;
}

static void command_teller(ifd_rig *rig, const ifd_command *c, double *x)
{
    (void)x;
    ((teller *)rig->data)->last = *c;
}

static int warm_teller(ifd_rig *rig, ifd_note *note)
{
    teller *t = rig->data;
    (void)note;
    return t->ready[t->calls++];
}

static bool simulated_teller(const ifd_rig *rig)
{
    return ((const teller *)rig->data)->simulated;
}

static const ifd_rig_ops teller_rig = {.abi = IFD_RIG_ABI,
                                       .name = "teller",
                                       .open = open_teller,
                                       .sense = sense_teller,
                                       .command = command_teller,
                                       .warm = warm_teller,
                                       .simulated = simulated_teller};

typedef struct pair {
    ifd_arena *arena;
    ifd_note note;
    teller t[2];
    ifd_rig_part part[2];
    ifd_several set;
    ifd_rig rig;
    ifd_measure m;
} pair;

static void set_pair(pair *p, double equalise, bool each)
{
    memset(p, 0, sizeof *p);
    p->arena = ifd_arena_open();
    ifd_note_init(&p->note, p->arena);
    p->t[0].each = each;
    for (int r = 0; r < 2; r++)
        p->part[r] = (ifd_rig_part){.name = r ? "b" : "a",
                                    .ops = &teller_rig,
                                    .setup = &p->t[r],
                                    .actuators = 1,
                                    .actuator = {r},
                                    .equalise = r ? 0.0 : equalise};
    p->set = (ifd_several){.rigs = 2, .rig = p->part};
    p->rig = (ifd_rig){.ops = &ifd_several_rig, .actuators = 2, .tick = 1e-3, .data = &p->set};
}

static void open_pair(pair *p, double equalise, bool each)
{
    set_pair(p, equalise, each);
    assert_int_equal(p->rig.ops->open(&p->rig, NULL, p->arena, &p->note), IFD_OK);
}

static void tell(teller *t, uint64_t tick, double time, double position)
{
    const uint32_t good = IFD_INPUT_NO_STOP | IFD_INPUT_HYDRAULICS;
    t->told[t->count] = (ifd_measure){.tick = tick, .time = time, .inputs = good, .actuators = 1, .taken = 5};
    t->told[t->count++].position[0] = position;
}

/* The next tick: command `tick - 1` was sent before. */
static bool sense_at(pair *p, uint64_t tick)
{
    p->rig.ops->command(&p->rig, &(ifd_command){.tick = tick - 1, .actuators = 2}, NULL);
    return ifd__rig_sense(&p->rig, &p->m, NULL);
}

static const ifd__rig_heard *heard(const pair *p)
{
    return ifd__several_heard(&p->rig);
}

/* The first rig has the actuators 2 and 0, the second one actuator 1. */
TEST(each_rig_is_opened_for_its_own_actuators)
{
    pair p;
    set_pair(&p, 0.0, false);
    p.part[0].actuators = 2;
    p.part[0].actuator[0] = 2;
    p.part[0].actuator[1] = 0;
    p.rig.actuators = 3;
    for (int k = 0; k < 3; k++)
        p.rig.acceleration[k] = 1.0 + k;
    p.t[0].free_at_end = 1; /* its channel 0 */
    p.t[1].free_at_end = 1;
    assert_int_equal(p.rig.ops->open(&p.rig, NULL, p.arena, &p.note), IFD_OK);
    for (int r = 0; r < 2; r++)
        assert_int_equal(p.t[r].opened.number, r + 1);
    assert_true(p.t[0].opened.acceleration[0] == 3.0 && p.t[0].opened.acceleration[1] == 1.0);
    assert_true(p.t[1].opened.acceleration[0] == 2.0);
    assert_int_equal(p.rig.free_at_end, 1u << 2 | 1u << 1);
    ifd_arena_close(p.arena);
}

/* The shortest of those that have a bound. */
TEST(the_first_rig_that_cannot_take_a_late_tick_decides)
{
    static const double late[][3] = {
        {0, 0, 0}, {2e-4, 0, 2e-4}, {0, 3e-4, 3e-4}, {2e-4, 3e-4, 2e-4}, {3e-4, 2e-4, 2e-4}};
    for (size_t i = 0; i < COUNT(late); i++) {
        pair p;
        set_pair(&p, 0.0, false);
        for (int r = 0; r < 2; r++)
            p.t[r].late_after = late[i][r];
        assert_int_equal(p.rig.ops->open(&p.rig, NULL, p.arena, &p.note), IFD_OK);
        assert_true(p.rig.late_after == late[i][2]);
        ifd_arena_close(p.arena);
    }
}

TEST(several_rigs_are_simulated_if_each_of_them_is)
{
    for (unsigned bits = 0; bits < 4; bits++) {
        pair p;
        set_pair(&p, 0.0, false);
        for (int r = 0; r < 2; r++)
            p.t[r].simulated = bits >> r & 1u;
        assert_int_equal(p.rig.ops->open(&p.rig, NULL, p.arena, &p.note), IFD_OK);
        assert_int_equal(p.rig.ops->simulated(&p.rig), bits == 3);
        ifd_arena_close(p.arena);
    }
}

/* Delay of two ticks: the answer to command 5 is used in tick 7, and it is the first that the rig took; of two that
 * it took at once, the first that it sent. */
TEST(the_first_answer_to_a_command_is_used)
{
    static const double time[][2] = {{0.1, 0.2}, {0.2, 0.1}, {0.1, 0.1}};
    for (size_t i = 0; i < COUNT(time); i++) {
        pair p;
        open_pair(&p, 2e-3, true);
        tell(&p.t[0], 5, time[i][0], i == 1 ? 20 : 10);
        tell(&p.t[0], 5, time[i][1], i == 1 ? 10 : 20);
        tell(&p.t[0], 0, 0.0, 99); /* answers no command */
        assert_false(sense_at(&p, 6));
        assert_true(heard(&p)[0].arrived == 5 && heard(&p)[0].fresh == 0);
        assert_true(sense_at(&p, 7));
        assert_true(p.m.position[0] == 10 && heard(&p)[0].answered == 5 && heard(&p)[0].time == 0.1);
        assert_near(heard(&p)[0].taken, 5e-9, 1e-20, "taken");
        assert_true(heard(&p)[0].fresh == 1.0);
        assert_false(sense_at(&p, 8)); /* once */
        assert_true(p.m.position[0] == 10);
        ifd_arena_close(p.arena);
    }
}

/* Answers to commands of the future and of the distant past do not replace a waiting one in the same place. */
TEST(other_answers_do_not_replace_a_waiting_one)
{
    const uint64_t wrong[] = {7, 3, 1, 9, UINT64_MAX}; /* 5 modulo 2 */
    for (size_t i = 0; i < COUNT(wrong); i++) {
        pair p;
        open_pair(&p, 2e-3, true);
        tell(&p.t[0], 5, 0.1, 10);
        tell(&p.t[0], wrong[i], 0.0, 99);
        (void)sense_at(&p, 6);
        assert_true(sense_at(&p, 7));
        assert_true(p.m.position[0] == 10);
        ifd_arena_close(p.arena);
    }
}

/* Nothing is in use before the first answer of its tick; tick 0 is none. */
TEST(a_measurement_without_a_command_is_not_used)
{
    pair p;
    open_pair(&p, 2e-3, true);
    tell(&p.t[0], 0, 0.1, 10);
    assert_false(sense_at(&p, 1));
    assert_false(sense_at(&p, 2));
    assert_false(sense_at(&p, 3));
    ifd_arena_close(p.arena);
}

/* The inputs are those of the newest answer, also if an older one arrives later; of equal ones the last. */
TEST(inputs_are_those_of_the_newest_answer)
{
    pair p;
    open_pair(&p, 2e-3, true);
    tell(&p.t[0], 5, 0.1, 10);
    tell(&p.t[0], 4, 0.0, 9);
    p.t[0].told[1].inputs = 0;
    tell(&p.t[1], 5, 0.1, 1);
    assert_true(sense_at(&p, 6));
    assert_int_equal(p.m.inputs, IFD_INPUT_NO_STOP | IFD_INPUT_HYDRAULICS);
    assert_int_equal(p.m.tick, 4); /* of the rig that is behind */
    tell(&p.t[0], 5, 0.2, 10);
    p.t[0].told[2].inputs = IFD_INPUT_NO_STOP;
    (void)sense_at(&p, 7);
    assert_true(heard(&p)[0].inputs == IFD_INPUT_NO_STOP);
    ifd_arena_close(p.arena);
}

/* Emergency stop and hydraulics are those of both rigs; a stop of one is a stop of the test. */
TEST(inputs_are_those_of_all_rigs)
{
    for (uint32_t a = 0; a < 8; a++)
        for (uint32_t b = 0; b < 8; b++) {
            pair p;
            open_pair(&p, 0.0, false);
            tell(&p.t[0], 1, 0.1, 10);
            tell(&p.t[1], 1, 0.1, 10);
            p.t[0].told[0].inputs = a;
            p.t[1].told[0].inputs = b;
            assert_true(sense_at(&p, 2));
            const uint32_t each = IFD_INPUT_NO_STOP | IFD_INPUT_HYDRAULICS;
            assert_int_equal(p.m.inputs, (a & b & each) | ((a | b) & IFD_INPUT_RIG_STOPPED));
            assert_true(heard(&p)[0].inputs == a && heard(&p)[1].inputs == b);
            ifd_arena_close(p.arena);
        }
}

/* A rig that answers without end is read 64 times in a tick, so that the tick ends. */
TEST(a_flood_of_answers_does_not_hold_the_tick)
{
    pair p;
    open_pair(&p, 2e-3, true);
    p.t[0].endless = true;
    tell(&p.t[0], 1, 0.1, 10);
    (void)sense_at(&p, 2);
    assert_int_equal(p.t[0].calls, 64);
    assert_int_equal(p.t[1].calls, 1);
    ifd_arena_close(p.arena);
}

/* An answer to a command that was not sent yet is reported in its tick only. */
TEST(an_answer_from_the_future_is_reported_once)
{
    for (uint64_t ahead = 0; ahead < 3; ahead++) {
        pair p;
        open_pair(&p, 2e-3, true);
        tell(&p.t[0], 5 + ahead, 0.1, 10);
        (void)sense_at(&p, 6);
        assert_true(heard(&p)[0].arrived == 5.0 + (double)ahead);
        (void)sense_at(&p, 7);
        assert_true(heard(&p)[0].arrived == (ahead ? 0.0 : 5.0));
        ifd_arena_close(p.arena);
    }
}

/* A rig that does not offer every answer is read once per tick. */
TEST(a_rig_is_read_once_unless_it_offers_more)
{
    for (int each = 0; each < 2; each++) {
        pair p;
        open_pair(&p, 2e-3, each);
        for (uint64_t k = 1; k < 4; k++)
            tell(&p.t[0], k, 0.1, (double)k);
        (void)sense_at(&p, 4);
        assert_int_equal(p.t[0].calls, each ? 4 : 1);
        assert_int_equal(p.t[1].calls, 1);
        ifd_arena_close(p.arena);
    }
}

/* Without equalise the newest answer is used at once; a part of the command that is not its own is zero. */
TEST(a_command_has_the_channels_of_its_rig_only)
{
    pair p;
    open_pair(&p, 0.0, false);
    const ifd_command c = {.tick = 9, .actuators = 2, .commanded = 1, .position = {1, 2, 3}, .velocity = {4, 5, 6}};
    p.rig.ops->command(&p.rig, &c, NULL);
    for (int r = 0; r < 2; r++) {
        assert_true(p.t[r].last.position[0] == 1 + r && p.t[r].last.velocity[0] == 4 + r);
        assert_int_equal(p.t[r].last.tick, 9);
        for (int j = 1; j < IFD_RIG_ACTUATORS; j++)
            assert_true(p.t[r].last.position[j] == 0.0 && p.t[r].last.velocity[j] == 0.0);
    }
    assert_false(ifd__rig_sense(&p.rig, &p.m, NULL));
    tell(&p.t[1], 9, 0.5, 7);
    tell(&p.t[0], 8, 0.5, 6);
    assert_true(ifd__rig_sense(&p.rig, &p.m, NULL));
    assert_int_equal(p.m.tick, 8);
    ifd_arena_close(p.arena);
}

/* A rig remains ready for eight calls of warm, so that rigs that are ready in turn begin. */
TEST(a_rig_remains_ready_for_some_calls)
{
    for (int after = 1; after < 12; after++) {
        pair p;
        open_pair(&p, 0.0, false);
        p.t[0].ready[0] = p.t[1].ready[after] = true;
        int ready = 0, calls = 0;
        for (; calls <= after && ready == 0; calls++)
            ready = p.rig.ops->warm(&p.rig, &p.note);
        assert_int_equal(ready, after < 8);
        assert_int_equal(calls, after + 1);
        ifd_arena_close(p.arena);
    }
}

/* One rig with all channels and auxiliary inputs; a clock is asked only of the rig that leads. */
TEST(the_largest_rig_is_permitted)
{
    pair p;
    open_pair(&p, 0.0, false);
    ifd_rig_part all = {.name = "all", .ops = &teller_rig, .setup = &p.t[0], .actuators = IFD_RIG_ACTUATORS};
    all.aux = IFD_RIG_AUX;
    for (int j = 0; j < IFD_RIG_AUX; j++)
        all.input[j] = j;
    for (int j = 0; j < IFD_RIG_ACTUATORS; j++)
        all.actuator[j] = j;
    p.set = (ifd_several){.rigs = 1, .rig = &all};
    ifd_rig rig = {.ops = &ifd_several_rig, .actuators = IFD_RIG_ACTUATORS, .tick = 1e-3, .data = &p.set};
    assert_int_equal(rig.ops->open(&rig, NULL, p.arena, &p.note), IFD_OK);
    assert_true(rig.ops->wait(&rig, 5) == -1);
    p.set.rehearse = true;
    rig.data = &p.set;
    assert_int_equal(rig.ops->open(&rig, NULL, p.arena, &p.note), IFD_INTERNAL); /* it has no twin */
    p.set.rehearse = false;
    all.equalise = 0.5e-3;
    rig.data = &p.set;
    assert_int_equal(rig.ops->open(&rig, NULL, p.arena, &p.note), IFD_OK);
    all.equalise = IFD__EQUALISE_MOST * 1e-3;
    rig.data = &p.set;
    assert_int_equal(rig.ops->open(&rig, NULL, p.arena, &p.note), IFD_OK);
    all.equalise = 1.01 * IFD__EQUALISE_MOST * 1e-3;
    rig.data = &p.set;
    assert_int_equal(rig.ops->open(&rig, NULL, p.arena, &p.note), IFD_RANGE);
    ifd_arena_close(p.arena);
}

/* What the test knows of each rig, and the worst of them. */
TEST(the_test_keeps_the_worst_of_its_rigs)
{
    benches b;
    benches_read(&b);
    b.opt.arm_samples = 1000;
    benches_make(&b);
    ifd__test_state *t = ifd__test_of(b.h);
    b.bench[1].silent = true;
    play(&b.p, "4");
    assert_true(t->rig.heard == 0.0); /* not of all */
    b.bench[1].silent = false;
    benches_tick(&b, IFD_ORDER_NONE);
    assert_true(t->rig.heard == 1.0 && t->rig.stale == 0.0 && t->rig.silent == 0.0 && t->rig.acknowledged == 4.0);
    b.bench[1].silent = true;
    play(&b.p, "1; 1");
    b.bench[2].silent = true;
    benches_tick(&b, IFD_ORDER_NONE);
    assert_true(t->rig.stale == 3.0 && t->rig.silent == 3.0 && t->rig.acknowledged == 4.0);
    const double stale[] = {0, 3, 1};
    for (int who = 0; who < 2 * BENCHES; who++) { /* interfaces, then actuators */
        assert_int_equal(ifd__rigs_of(b.h, who), who % BENCHES);
        assert_true(ifd__rigs_stale(b.h, who) == stale[who % BENCHES]);
        assert_int_equal(ifd__rigs_fresh(b.h, who), who % BENCHES == 0);
    }
    assert_int_equal(ifd__rigs_of(b.h, -1), 0);
    assert_int_equal(ifd__rigs_of(b.h, 2 * BENCHES), 0);
    assert_int_equal(ifd__rigs_count(b.h), BENCHES);
    assert_int_equal(ifd__rigs_unheard(b.h, 3.0), BENCHES);
    assert_int_equal(ifd__rigs_unheard(b.h, 4.0), 1);
    assert_int_equal(ifd__rigs_unheard(b.h, 6.0), 1);
    assert_int_equal(ifd__rigs_unheard(b.h, 7.0), 0);
    b.bench[0].tick_off = 50;
    benches_tick(&b, IFD_ORDER_NONE);
    assert_true(t->rig.leads == 50.0);
    b.bench[0].tick_off = 0;
    b.bench[1].silent = b.bench[2].silent = false;
    for (int k = 0; k < 40; k++) { /* in turn: one sample in two ticks */
        b.bench[0].silent = k % 2 == 0;
        b.bench[2].silent = k % 2 == 1;
        benches_tick(&b, IFD_ORDER_NONE);
        if (k == 9)
            t->agreeing = 0.0;
    }
    assert_true(t->agreeing == 15.0);
    benches_close(&b);
}

/* A drive with actuators on two rigs is refused by the engine too. */
TEST(a_divided_drive_is_refused)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_note note;
    ifd_case *c = NULL;
    ifd_hybrid *h = NULL;
    ifd_note_init(&note, arena);
    assert_int_equal(ifd_case_read(arena, IFD_SOURCE_DIR "/tests/several/mixed.yaml", 0, NULL, &c, &note), IFD_OK);
    const ifd_several *s = ifd_several_of(c->test->rig, c->test->rig_setup);
    ifd_rig_part part[2] = {s->rig[0], s->rig[1]};
    ifd_several set = {.rigs = 2, .rig = part};
    ifd_hybrid_options o = *c->test;
    o.rig_setup = &set;
    assert_int_equal(ifd_hybrid_make(arena, &o, &h, &note), IFD_OK);
    const int rig_of[] = {0, 1, 0, 0, 0, 0, 1, 0};
    for (int who = 0; who < 8; who++)
        assert_int_equal(ifd__rigs_of(h, who), rig_of[who]);
    ifd_hybrid_close(h);
    const ifd_rig_part hall = part[0];
    part[0] = part[1]; /* the drive is on the second rig */
    part[1] = hall;
    assert_int_equal(ifd_hybrid_make(arena, &o, &h, &note), IFD_OK);
    for (int who = 0; who < 8; who++)
        assert_int_equal(ifd__rigs_of(h, who), 1 - rig_of[who]);
    ifd_hybrid_close(h);
    part[1] = part[0];
    part[0] = hall;
    part[0].actuator[2] = 2; /* alone */
    part[1].actuator[0] = 1; /* right, of the block */
    assert_int_equal(ifd_hybrid_make(arena, &o, &h, &note), IFD_CONFLICT);
    ifd_arena_close(arena);
}

/* A rig that answers every second tick: the monitor uses its measurements once. */
TEST(a_repeated_measurement_is_not_watched)
{
    static benches b;
    ifd_monitor_options monitor;
    benches_read(&b);
    ifd_monitor_defaults(&monitor);
    monitor.hold = IFD_MONITOR_NOTE;
    b.opt.monitor = &monitor;
    benches_make(&b);
    benches_bring(&b, IFD_MACHINE_RUN);
    for (int k = 0; k < 200; k++) {
        b.bench[1].silent = k % 2 == 0;
        benches_tick(&b, IFD_ORDER_NONE);
    }
    int count, at[2];
    const ifd_column *column = ifd_hybrid_columns(b.h, &count);
    double dt = ifd_hybrid_period(b.h), delay[2];
    for (int i = 0; i < 2; i++) {
        at[i] = ifd_column_find(column, count, i ? "middle" : "lower", IFD_COLUMN_LOOP_DELAY);
        delay[i] = b.t.values(b.t.self)[at[i]];
    }
    assert_true(fabs(delay[1] - delay[0]) < 0.1 * dt);
    benches_replay(&b);
    benches_close(&b);
}

TESTS()
