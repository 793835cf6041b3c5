/* SPDX-License-Identifier: MIT */
/* Power of the drives, judged on the bus: reading energises nothing, a request enables, the end disables in order. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "stage.h"

static stage s;

static int end(void **state)
{
    (void)state;
    stage_close(&s);
    return 0;
}

TEST_WITH(to_read_the_control_words_are_zero_and_nothing_is_in_op, NULL, end)
{
    stage_open(&s, NULL, NULL);
    s.rig->reads = true;
    s.emu->drive[0].position = 4000.0;
    s.emu->power_off = true;
    assert_true(stage_warm(&s) > 0);
    s.c.outputs = IFD_OUTPUT_ENABLE; /* even if somebody asks */
    for (int k = 0; k < 300; k++)
        assert_true(stage_tick(&s, 0.0, true));
    assert_near(s.m.position[0], 4e-3, 1e-12, "inputs are valid in SAFE-OP");
    for (int k = 0; k < 300; k++) { /* nor when every second answer is short */
        emulator_lock(s.emu);
        s.emu->cut = k % 2;
        emulator_unlock(s.emu);
        (void)stage_tick(&s, 0.0, true);
    }
    assert_int_equal(s.m.inputs, IFD_INPUT_NO_STOP); /* missing power is information */
    ifd_user_rig.close(&s.plug);
    assert_int_equal(s.emu->words, 0);
    assert_int_equal(s.emu->states & EC_OP, 0);
    assert_int_equal(s.emu->device[0].reg[0x130], EC_INIT);
}

TEST_WITH(without_a_request_no_drive_is_switched_on, NULL, end)
{
    stage_open(&s, NULL, NULL);
    assert_true(stage_warm(&s) > 0);
    for (int k = 0; k < 3000; k++)
        assert_true(stage_tick(&s, 0.0, k % 2));
    assert_int_equal(s.emu->words, 0x06);
    assert_int_equal(s.m.inputs, IFD_INPUT_NO_STOP | IFD_INPUT_HYDRAULICS | IFD_INPUT_UNPOWERED);
    for (int k = 0; k < s.emu->log_count; k++)
        assert_false(s.emu->log[k].powered);
    ifd_user_rig.close(&s.plug);
    assert_int_equal(s.emu->words, 0x06);
}

/* The words that the drive received from cycle `from` on, without repetitions. */
static int words_from(int from, uint16_t *out, int most)
{
    int n = 0;
    for (int k = from; k < s.emu->log_count; k++)
        if (n == 0 || s.emu->log[k].control != out[n - 1]) {
            assert_true(n < most);
            out[n++] = s.emu->log[k].control;
        }
    return n;
}

static void expect_words(int from, const uint16_t *expected, int count)
{
    uint16_t seen[16];
    int n = words_from(from, seen, 16);
    for (int k = 0; k < n || k < count; k++)
        if (k >= n || k >= count || seen[k] != expected[k])
            fail_msg("word %d of %d is 0x%x, expected 0x%x of %d", k + 1, n, k < n ? seen[k] : 0xffff,
                     k < count ? expected[k] : 0xffff, count);
}

/* 0x60B1: the change of the target in increments/s; zero without power and at rest. */
TEST_WITH(the_velocity_of_the_set_point_is_sent_if_it_is_mapped, NULL, end)
{
    stage_open(&s, "    inputs:\n",
               "    outputs: [{pdo: 0x1600, entries: [0x6040:0/16, 0x6060:0/8, 0x607A:0/32, 0x60B1:0/32]}]\n"
               "    inputs:\n");
    if (stage_enable(&s) <= 0)
        fail_msg("%s", s.note.first ? s.note.first->text : "not ready");
    for (int k = 0; k < 200; k++)
        assert_true(stage_tick(&s, 1e-5 * k * (200 - k) / 100.0, true));
    double last = 0.0;
    int moving = 0;
    for (int k = 1; k < s.emu->log_count; k++) {
        const emu_cycle *c = &s.emu->log[k];
        if (!c->powered)
            assert_int_equal(c->speed, 0);
        double step = c->target - c[-1].target;
        if (c->powered && c[-1].powered) /* rounded to increments */
            assert_near((double)c->speed, step * 1e3, 1e3, "cycle %d", k);
        moving += labs((long)c->speed) > 2000;
        last = fmax(last, fabs((double)c->speed));
    }
    assert_true(moving > 50 && last > 5000.0);
}

/* Status bit 11: counted and named, without a stop. */
TEST_WITH(a_drive_that_limits_its_motion_is_noted, NULL, end)
{
    stage_open(&s, "0x6064:0}, side]", "0x6064:0}, limit]");
    s.emu->drive[0].limited = true; /* without power it has no meaning */
    if (stage_enable(&s) <= 0)
        fail_msg("%s", s.note.first ? s.note.first->text : "not ready");
    s.emu->drive[0].limited = false;
    for (int k = 0; k < 5; k++)
        (void)stage_tick(&s, 0.0, true);
    double before = s.m.auxiliary[6];
    assert_null(s.rig->why);
    s.emu->drive[0].limited = true;
    for (int k = 0; k < 20; k++)
        assert_true(stage_tick(&s, 0.0, true));
    assert_near(s.m.auxiliary[6] - before, 20.0, 2.0, "ticks");
    assert_non_null(strstr(s.rig->why, "limits its motion by itself"));
    assert_int_equal(s.m.inputs, IFD_INPUT_NO_STOP | IFD_INPUT_HYDRAULICS);
    s.emu->drive[0].limited = false;
    for (int k = 0; k < 5; k++)
        assert_true(stage_tick(&s, 0.0, true));
    assert_null(s.rig->why);
}

/* The axes are unpowered until every one is enabled. */
TEST_WITH(a_request_enables_and_its_absence_disables, NULL, end)
{
    stage_open(&s, NULL, NULL);
    s.emu->drive[0].position = 7000.0;
    assert_true(stage_warm(&s) > 0);
    for (int k = 0; k < 10; k++)
        stage_tick(&s, 0.0, false);
    int from = s.emu->log_count - 1;
    s.c.outputs = IFD_OUTPUT_ENABLE;
    for (int k = 0; k < 20; k++) {
        assert_true(stage_tick(&s, 0.007, true));
        bool off = s.m.inputs & IFD_INPUT_UNPOWERED, enabled = s.emu->log[s.emu->log_count - 3].powered;
        assert_int_equal(off, !enabled);
    }
    assert_int_equal(s.m.inputs, IFD_INPUT_NO_STOP | IFD_INPUT_HYDRAULICS);
    expect_words(from, (const uint16_t[]){0x06, 0x07, 0x0f}, 3);
    s.c.outputs = 0;
    assert_true(stage_tick(&s, 0.007, true));
    assert_int_equal(s.emu->log[s.emu->log_count - 1].control, 0x07); /* in the same frame */
    for (int k = 0; k < 20; k++)
        assert_true(stage_tick(&s, 0.007, true));
    expect_words(from, (const uint16_t[]){0x06, 0x07, 0x0f, 0x07, 0x06}, 5);
    assert_false(s.emu->log[s.emu->log_count - 1].powered);
    s.c.outputs = IFD_OUTPUT_ENABLE; /* again */
    for (int k = 0; k < 20; k++)
        assert_true(stage_tick(&s, 0.007, true));
    assert_true(s.emu->log[s.emu->log_count - 1].powered);
    stage_judge(&s, 0, 0);
}

TEST_WITH(an_axis_without_power_is_reported_and_named, NULL, end)
{
    stage_open(&s, NULL, NULL);
    s.emu->drive[0].disabled = true; /* as by a safe torque off */
    assert_true(stage_warm(&s) > 0);
    for (int k = 0; k < 10; k++)
        assert_true(stage_tick(&s, 0.0, false));
    assert_int_equal(s.m.inputs, IFD_INPUT_NO_STOP | IFD_INPUT_UNPOWERED);
    assert_string_equal(atomic_load(&s.rig->why), "a drive has no power: switch on disabled");
    emulator_lock(s.emu);
    s.emu->drive[0].disabled = false;
    emulator_unlock(s.emu);
    for (int k = 0; k < 10; k++)
        assert_true(stage_tick(&s, 0.0, false));
    assert_int_equal(s.m.inputs, IFD_INPUT_NO_STOP | IFD_INPUT_HYDRAULICS | IFD_INPUT_UNPOWERED);
    assert_null(atomic_load(&s.rig->why));
    assert_int_equal(s.emu->words, 0x06); /* nobody asked */
}

/* With 2 m/s2 to 0.05 m/s. */
static void accelerate(void)
{
    for (int k = 0; k < 45; k++)
        assert_true(stage_tick(&s, k < 25 ? 1e-6 * k * k : 6.25e-4 + 5e-5 * (k - 25), true));
}

/* The end of the program at 0.05 m/s. */
static void end_at_speed(const char *at_end)
{
    stage_open(&s, "at-end: off", at_end);
    s.rig->acceleration[0] = 2.0;
    assert_true(stage_enable(&s) > 0);
    accelerate();
    ifd_user_rig.close(&s.plug);
    assert_int_equal(s.emu->device[0].reg[0x130], EC_INIT);
    stage_judge(&s, 51, 2 + 2); /* 2 m/s2 are 2 increments per tick and tick */
}

/* From the last cycle with power on. */
static int last_powered(void)
{
    int k = s.emu->log_count - 1;
    while (k > 0 && !s.emu->log[k].powered)
        k--;
    return k;
}

static int cycles_with(uint16_t control, int from)
{
    int n = 0;
    for (int k = from; k < s.emu->log_count; k++)
        n += s.emu->log[k].control == control;
    return n;
}

TEST_WITH(at_the_end_the_words_are_in_order, NULL, end)
{
    end_at_speed("at-end: off");
    expect_words(last_powered(), (const uint16_t[]){0x0f, 0x07, 0x06, 0x00}, 4);
    int without = cycles_with(0x07, last_powered());
    stage_close(&s);
    end_at_speed("at-end: brake");
    expect_words(last_powered(), (const uint16_t[]){0x0f, 0x07, 0x06, 0x00}, 4);
    assert_true(cycles_with(0x07, last_powered()) >= 200); /* 0.2 s; answers may be late on a busy machine */
    assert_true(without < 150);
    assert_int_equal(emu_object_find(&s.emu->device[0], 0x605c, 0)->value, 1);
    stage_close(&s);
    end_at_speed("at-end: brake, brake-time: 50 ms");
    assert_true(cycles_with(0x07, last_powered()) >= 50 && cycles_with(0x07, last_powered()) < 200);
}

/* The words of a stop by the driver, at speed: how the drive comes to rest and what it keeps. */
TEST_WITH(a_stop_has_the_words_of_its_quick_stop, NULL, end)
{
    static const struct {
        const char *key;
        uint16_t words[4];
        int count;
        uint16_t object;
    } rows[] = {{"at-end: off, quick-stop: 2", {0x0f, 0x02, 0x00}, 3, 2},
                {"at-end: off, quick-stop: 6", {0x0f, 0x02}, 2, 6},
                {"at-end: off, quick-stop: none", {0x0f, 0x07, 0x06, 0x00}, 4, 2}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        stage_open(&s, "at-end: off", rows[i].key);
        s.rig->acceleration[0] = 2.0;
        assert_true(stage_enable(&s) > 0);
        accelerate();
        int from = s.emu->log_count;
        stage_tick(&s, (double)NAN, true);
        for (int k = 0; k < 100; k++)
            stage_tick(&s, 0.0, true);
        expect_words(from, rows[i].words, rows[i].count);
        assert_in_range(cycles_with(0x0f, from), 24, 28); /* 0.05 m/s by 2 m/s2 */
        assert_int_equal(emu_object_find(&s.emu->device[0], 0x605a, 0)->value, rows[i].object);
        stage_judge(&s, 51, 2 + 2);
        if (i + 1 < COUNT(rows))
            stage_close(&s);
    }
}

static const char outputs[] = "outputs:\n"
                              "  trigger: {device: drive, object: 0x7000:1, bit: 3}\n"
                              "  enable: {device: drive, object: 0x7000:1, bit: 0}\n"
                              "  low: {device: drive, object: 0x7000:1, bit: 5}\n"
                              "  high: {device: drive, object: 0x7000:1, bit: 6}\n"
                              "  beat: {device: drive, object: 0x7000:1, bit: 7}\n"
                              "aux: [late,";

static void open_outputs(void)
{
    stage_open(&s, "aux: [late,", outputs);
    ec_expected *d = &s.rig->file.line.device[0];
    d->pdos[0] = 2;
    d->pdo[0][0] = (ec_pdo){.index = 0x1600};
    d->pdo[0][1] = (ec_pdo){.index = 0x1601};
}

static uint8_t lines(void)
{
    return s.emu->log[s.emu->log_count - 1].lines;
}

/* Each bit of the command is on its line in the same frame; nothing to read; nothing after the end. */
TEST_WITH(outputs_are_on_their_lines_in_the_same_frame, NULL, end)
{
    open_outputs();
    assert_true(stage_warm(&s) > 0);
    assert_int_equal(lines(), 0);
    static const uint8_t line[] = {8, 0, 1, 32, 64, 128};
    for (uint32_t word = 0; word < 64; word++) {
        uint8_t expected = 0;
        for (int k = 0; k < 6; k++)
            expected |= word >> k & 1 ? line[k] : 0;
        s.c.outputs = word;
        assert_true(stage_tick(&s, 0.0, false));
        assert_int_equal(lines(), expected);
    }
    for (int k = 0; k < 300; k++)
        stage_sense(&s); /* without commands the heartbeat rests, and the requests end */
    assert_int_equal(lines(), 0);
    ifd_user_rig.close(&s.plug);
    stage_close(&s);
    open_outputs();
    s.rig->reads = true;
    assert_true(stage_warm(&s) > 0);
    s.c.outputs = 63;
    for (int k = 0; k < 20; k++)
        assert_true(stage_tick(&s, 0.0, false));
    assert_int_equal(s.emu->device[0].reg[0x2000 + 7], 0); /* after control word, mode and target */
}

TEST_WITH(an_output_that_is_none_is_refused, NULL, end)
{
    static const struct {
        const char *line, *text;
    } rows[] = {{"outputs: {beat: {device: input, object: 0x6010:1}}\naux: [late,",
                 "bit 0 of object 0x6010:1 is not an output in the process data of device 'input'"},
                {"outputs: {enable: {device: drive, object: 0x6040:0, bit: 3}}\naux: [late,",
                 "object 0x6040:0 belongs to axis 1"}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        stage_open(&s, "aux: [late,", rows[i].line);
        assert_int_equal(stage_warm(&s), -1);
        if (!strstr(s.note.first->text, rows[i].text))
            fail_msg("%s", s.note.first->text);
        if (i == 0)
            stage_close(&s);
    }
}

/* The drive has no such object: refused with the key to write, then accepted. */
TEST_WITH(optional_objects_may_be_absent_on_request, NULL, end)
{
    static const struct {
        uint16_t index;
        const char *from, *to, *text;
    } rows[] = {
        {0x605a, "at-end: off", "at-end: off, quick-stop: none", "no object 0x605a: add `quick-stop: none`"},
        {0x605e, "at-end: off", "at-end: off, fault-reaction: none", "no object 0x605e: add `fault-reaction: none`"},
        {0x6065, "tracking: 20 mm", "tracking: none", "no object 0x6065: add `tracking: none`"},
        {0x6066, "at-end: off", "at-end: off, tracking-time: none", "no object 0x6066: add `tracking-time: none`"},
        {0x60c2, "at-end: off", "at-end: off, cycle-object: no", "no object 0x60c2: add `cycle-object: no`"}};
    for (size_t i = 0; i < COUNT(rows); i++)
        for (int with = 0; with < 2; with++) {
            stage_open(&s, with ? rows[i].from : NULL, rows[i].to);
            s.emu->abort_index = rows[i].index;
            s.emu->abort_code = 0x06020000;
            long ready = stage_warm(&s);
            if (with ? ready <= 0 : ready != -1 || !strstr(s.note.first->text, rows[i].text))
                fail_msg("0x%04x: %s", rows[i].index, s.note.first ? s.note.first->text : "not ready");
            if (i + 1 < COUNT(rows) || !with)
                stage_close(&s);
        }
}

TEST_WITH(the_option_of_the_brake_may_be_absent, NULL, end)
{
    stage_open(&s, "at-end: off", "at-end: brake");
    s.emu->abort_index = 0x605c;
    s.emu->abort_code = 0x06020000;
    if (stage_warm(&s) <= 0)
        fail_msg("%s", s.note.first ? s.note.first->text : "not ready");
}

TESTS()
