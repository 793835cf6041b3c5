/* SPDX-License-Identifier: MIT */
/* Before and after the motion of several rigs: arming of all or none, the first commands, warm, and the measurements
 * that several rigs form together. */
#include "check.h"

#include <stdio.h>
#include <string.h>

#include "rig/rig.h"
#include "several/bench.h"
#include "hybrid/own_rig.h"

static bool any_commanded(const benches *b)
{
    bool any = false;
    for (int r = 0; r < BENCHES; r++)
        for (int k = 0; k < b->bench[r].commands; k++)
            any = any || b->bench[r].seen[k].commanded;
    return any;
}

/* Conditions that keep a test idle, each on each rig. */
static const struct {
    const char *what, *over; /* for benches_strike */
    ifd_wait wait;
    bool of_rig;
} conditions[] = {{"silent := 1", "silent := 0", IFD_WAIT_NO_MEASUREMENT, true},
                  {"clear := NO_STOP", "clear := 0", IFD_WAIT_STOP_PRESSED, true},
                  {"clear := HYDRAULICS", "clear := 0", IFD_WAIT_HYDRAULICS, true},
                  {"set := RIG_STOPPED", "set := 0", IFD_WAIT_RIG_STOPPED, true},
                  {"position_off := 0.06", "position_off := 0", IFD_WAIT_OUTSIDE, false},
                  {"position_off := nan", "position_off := 0", IFD_WAIT_NOT_FINITE, false},
                  {"tick_off := 5", "tick_off := 0", IFD_WAIT_COMMUNICATION, true},
                  {"deaf := 1", "deaf := 0", IFD_WAIT_COMMUNICATION, true}};

TEST(one_rig_that_is_not_ready_keeps_all_at_rest)
{
    for (size_t i = 0; i < COUNT(conditions); i++)
        for (int rig = 0; rig < BENCHES; rig++) {
            benches b;
            benches_read(&b);
            for (int r = 0; r < BENCHES; r++)
                b.bench[r].position = 0.001 * (r + 1);
            benches_make(&b);
            benches_strike(&b, rig, conditions[i].what);
            for (int k = 0; k < 120; k++)
                benches_tick(&b, k % 5 == 4 ? IFD_ORDER_ARM : IFD_ORDER_NONE);
            assert_int_equal(ifd_hybrid_state(b.h), IFD_MACHINE_IDLE);
            assert_false(any_commanded(&b));
            ifd_wait_facts wait = ifd_hybrid_wait(b.h);
            assert_string_equal(ifd_wait_name(wait.wait), ifd_wait_name(conditions[i].wait));
            assert_string_equal(ifd_hybrid_rig_name(b.h, wait.owner), b.part[rig].name);
            assert_int_equal(strcmp(ifd_hybrid_owner_name(b.h, wait.owner), b.part[rig].name) == 0,
                             conditions[i].of_rig);
            benches_strike(&b, rig, conditions[i].over);
            const double again = 1.0; /* s for which stop and pressure must be right */
            play(&b.p, "%ld", (long)(40 + (int)(again / ifd_hybrid_period(b.h))));
            int before = b.bench[0].commands;
            play(&b.p, "arm; is ready");
            for (int r = 0; r < BENCHES; r++) { /* all in the same tick, where they were found */
                assert_int_equal(b.bench[r].commands, before + 1);
                assert_false(b.bench[r].seen[before - 1].commanded);
                assert_true(b.bench[r].seen[before].commanded);
                assert_near(b.bench[r].seen[before].position, 0.001 * (r + 1), 1e-15, "first command");
            }
            benches_close(&b);
        }
}

/* Measurements in alternating ticks: each rig is found, and no sample is used twice. */
TEST(rigs_that_answer_in_turn_are_found)
{
    benches b;
    benches_read(&b);
    benches_make(&b);
    for (int k = 0; k < 60; k++) {
        b.bench[0].silent = k % 2 == 0;
        b.bench[2].silent = k % 2 == 1;
        benches_tick(&b, IFD_ORDER_NONE);
    }
    assert_int_equal(ifd_hybrid_wait(b.h).wait, IFD_WAIT_ORDER);
    benches_close(&b);
}

TEST(warm_waits_for_the_last_rig_and_keeps_the_others_awake)
{
    benches b;
    benches_read(&b);
    b.bench[1].not_ready = true;
    benches_make(&b);
    for (int k = 0; k < 5; k++)
        assert_int_equal(b.t.warm(b.t.self), 0);
    b.bench[1].not_ready = false;
    assert_int_equal(b.t.warm(b.t.self), 1);
    for (int r = 0; r < BENCHES; r++)
        assert_int_equal(b.bench[r].warmed, 6);
    assert_false(any_commanded(&b));
    b.bench[2].never = true;
    assert_int_equal(b.t.warm(b.t.self), -1);
    const ifd_note *cold = ifd_hybrid_cold(b.h);
    assert_non_null(cold);
    assert_string_equal(cold->first->text, "its fuse is blown");
    assert_string_equal(cold->first->next->text, "rig 'right' does not become ready");
    benches_close(&b);
}

/* Until `arm-timeout`: the operator reads which rig is not ready, and its reason. */
TEST(a_rig_that_remains_cold_is_named)
{
    for (int rig = 0; rig < BENCHES; rig++) {
        benches b;
        benches_read(&b);
        b.opt.arm_timeout = 1e-6;
        b.bench[rig].not_ready = true;
        b.bench[rig].set = IFD_INPUT_RIG_STOPPED;
        benches_make(&b);
        assert_int_equal(b.t.warm(b.t.self), 0);
        assert_int_equal(b.t.warm(b.t.self), -1);
        char expected[100];
        (void)snprintf(expected, sizeof expected, "rig '%s' does not become ready: its oil is hot", b.part[rig].name);
        assert_string_equal(ifd_hybrid_cold(b.h)->first->text, expected);
        assert_string_equal(ifd_hybrid_why(b.h), "its oil is hot");
        benches_close(&b);
    }
}

static ifd_status refuses(ifd_rig *rig, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    (void)rig;
    (void)values;
    (void)arena;
    return ifd_note_add(note, IFD_PEER, NULL, "no answer");
}

TEST(a_rig_that_does_not_open_closes_the_others)
{
    benches b;
    benches_read(&b);
    ifd_rig_ops shut = *b.part[2].ops;
    shut.open = refuses;
    b.part[2].ops = &shut;
    ifd_hybrid_options o = b.opt;
    assert_int_equal(ifd_hybrid_make(b.arena, &o, &b.h, &b.note), IFD_PEER);
    for (int r = 0; r < 2; r++) {
        assert_int_equal(b.bench[r].opened, 1);
        assert_int_equal(b.bench[r].closed, 1);
        assert_int_equal(b.bench[r].commands, 0);
    }
    ifd_arena_close(b.arena);
}

/* Positions, forces and inputs of two rigs with exchanged channels and auxiliary inputs. */
static bool sense_numbers(ifd_rig *rig, ifd_measure *out, double *x)
{
    const double base = *(const double *)rig->data;
    (void)x;
    *out = (ifd_measure){.tick = 1, .inputs = IFD_INPUT_NO_STOP | IFD_INPUT_HYDRAULICS, .actuators = 2, .aux = 2};
    for (int j = 0; j < 2; j++) {
        out->position[j] = base + j;
        out->force[j] = 10.0 * (base + j);
        out->auxiliary[j] = 100.0 * (base + j);
    }
    return base > 0.0;
}

static double sent[2][2];

static void command_numbers(ifd_rig *rig, const ifd_command *c, double *x)
{
    int which = *(const double *)rig->data > 5.0;
    (void)x;
    assert_int_equal(c->actuators, 2);
    memcpy(sent[which], c->position, sizeof sent[which]);
}

TEST(measurements_are_side_by_side_and_commands_are_divided)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_note note;
    ifd_note_init(&note, arena);
    static const ifd_rig_ops ops = OWN_RIG("numbers", sense_numbers, command_numbers);
    double base[2] = {1.0, 7.0};
    ifd_rig_part part[2] = {
        {.name = "a", .ops = &ops, .setup = &base[0], .actuators = 2, .actuator = {3, 0}, .aux = 1, .input = {1}},
        {.name = "b",
         .ops = &ops,
         .setup = &base[1],
         .actuators = 2,
         .actuator = {1, 2},
         .aux = 3,
         .input = {4, 2, 3}},
    };
    ifd_several set = {.rigs = 2, .rig = part};
    ifd_rig rig = {.ops = &ifd_several_rig, .actuators = 4, .tick = 1e-3, .data = &set};
    assert_int_equal(rig.ops->open(&rig, NULL, arena, &note), IFD_OK);
    ifd_measure m = {0};
    assert_true(ifd__rig_sense(&rig, &m, NULL));
    const double position[] = {2, 7, 8, 1};
    for (int a = 0; a < 4; a++) {
        assert_true(m.position[a] == position[a]);
        assert_true(m.force[a] == 10.0 * position[a]);
    }
    assert_true(m.auxiliary[1] == 100.0 && m.auxiliary[4] == 700.0 && m.auxiliary[2] == 800.0);
    assert_true(isnan(m.auxiliary[3])); /* the rig does not measure it */
    assert_int_equal(m.aux, 5);
    assert_int_equal(m.inputs, IFD_INPUT_NO_STOP | IFD_INPUT_HYDRAULICS);
    const ifd_command c = {.tick = 1, .actuators = 4, .commanded = 1, .position = {10, 11, 12, 13}};
    rig.ops->command(&rig, &c, NULL);
    assert_true(sent[0][0] == 13 && sent[0][1] == 10 && sent[1][0] == 11 && sent[1][1] == 12);
    /* each actuator on exactly one rig; at most one clock */
    part[1].actuator[1] = 3;
    ifd_rig wrong = {.ops = &ifd_several_rig, .actuators = 4, .tick = 1e-3, .data = &set};
    assert_int_equal(wrong.ops->open(&wrong, NULL, arena, &note), IFD_CONFLICT);
    part[1].actuator[1] = 2;
    wrong.actuators = 5;
    wrong.data = &set;
    assert_int_equal(wrong.ops->open(&wrong, NULL, arena, &note), IFD_CONFLICT);
    wrong.actuators = 4;
    part[0].leads = true;
    assert_int_equal(wrong.ops->open(&wrong, NULL, arena, &note), IFD_CONFLICT); /* it has none */
    ifd_arena_close(arena);
}

TESTS()
