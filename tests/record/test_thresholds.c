/* SPDX-License-Identifier: MIT */
/* What a certificate tells a test: numbers for its monitor. */
#include "check.h"

#include <string.h>

#include <interfield/certificate.h>

#include "record/files.h"
#include "text/bundle.h"

static const char text[] = "time: {step: 2 ms, end: 1 s}\n"
                           "model:\n"
                           "  dofs: [x, y]\n"
                           "  mass: [1 t, 1 t]\n"
                           "specimen:\n"
                           "  - name: near/first\n"
                           "    spring: {at: x, stiffness: 2e5 N/m}\n"
                           "    limits: {stroke: 50 mm, velocity: 1 m/s, acceleration: 100 m/s2}\n"
                           "  - name: far\n"
                           "    spring: {at: y, stiffness: 2e5 N/m}\n"
                           "    limits: {stroke: 50 mm, velocity: 1 m/s, acceleration: 100 m/s2}\n"
                           "test: {rig: virtual, monitor: yes}\n";

static ifd_arena *arena;

static int begin(void **state)
{
    (void)state;
    arena = ifd_arena_open();
    return 0;
}

static int end(void **state)
{
    (void)state;
    ifd_arena_close(arena);
    return 0;
}
#define TEST_OF_CASE(sentence) TEST_WITH(sentence, begin, end)

static ifd_case *made(const char *set)
{
    ifd_case *c = NULL;
    ifd_note note;
    ifd_note_init(&note, arena);
    if (ifd_case_read(arena, files_write("case.yaml", text), set ? 1 : 0, &set, &c, &note) != IFD_OK)
        fail_msg("%s", note.first->text);
    return c;
}

static bool told(ifd_case *c, const char *loop, const char *predicted, ifd_thresholds *out)
{
    ifd_certificate certificate = {
        .json = ifd_arena_print(arena, "{\"loop\": {%s}, \"predicted\": {%s}}", loop, predicted)};
    return ifd_certificate_thresholds(arena, &certificate, c, out);
}

static const char delays[] = "\"near/first\": {\"delay\": 0.002}, \"far\": {\"delay\": -0.001}";

TEST_OF_CASE(the_monitor_has_the_smallest_margin_the_frequency_and_every_delay)
{
    static const struct {
        const char *loop;
        double margin; /* 0: not told */
    } row[] = {{"\"extra_delay\": {\"value\": 0.004}, \"frequency\": 2.5", 0.004},
               {"\"extra_delay\": {\"value\": 0.004}, \"frequency\": 2.5, \"secant\": {\"extra_delay\": {\"value\": "
                "0.003}}",
                0.003},
               {"\"extra_delay\": {\"value\": 0.004}, \"frequency\": 2.5, \"secant\": {\"extra_delay\": {\"value\": "
                "0.005}}, \"copies\": {\"extra_delay\": {\"value\": 0.002}}",
                0.002},
               {"\"frequency\": 2.5, \"copies\": {\"extra_delay\": {\"value\": 0.002}}", 0.002},
               {"\"frequency\": 2.5", 0.0},
               {"\"extra_delay\": {\"value\": null}, \"frequency\": 2.5", 0.0},
               {"\"extra_delay\": {\"value\": 0}, \"frequency\": 2.5", 0.0},
               {"\"extra_delay\": {\"value\": -0.001}, \"frequency\": 2.5", 0.0}};
    for (size_t i = 0; i < COUNT(row); i++) {
        ifd_case *c = made(NULL);
        const ifd_monitor_options *before = c->test->monitor;
        const char *was = c->text;
        ifd_thresholds t = {9.0, 9.0};
        assert_int_equal(told(c, row[i].loop, delays, &t), row[i].margin > 0.0);
        assert_near(t.delay_margin, row[i].margin, 0.0, "row %zu", i);
        if (!(row[i].margin > 0.0)) {
            assert_true(c->test->monitor == before && c->text == was && c->bundle->sets == 0);
            continue;
        }
        const ifd_monitor_options *m = c->test->monitor;
        assert_near(t.frequency, 2.5, 0.0, "Hz");
        assert_near(m->delay_margin, row[i].margin, 0.0, "s");
        assert_near(m->frequency, 2.5, 0.0, "Hz");
        assert_near(m->expected_delays[0], 0.002, 0.0, "s");
        assert_near(m->expected_delays[1], -0.001, 0.0, "s");
        assert_near(m->persist, before->persist, 0.0, "kept");
        char line[200];
        snprintf(line, sizeof line,
                 "test.thresholds={delay-margin: %.17g s, frequency: 2.5 Hz, delays: [%.17g s, %.17g s]}",
                 row[i].margin, 0.002, -0.001);
        assert_int_equal(c->bundle->sets, 1);
        assert_string_equal(c->bundle->set[0], line);
        assert_non_null(strstr(c->text, line));
        assert_string_equal(c->text + strlen(was), ifd_arena_print(arena, "# --set %s\n", line));
    }
}

TEST_OF_CASE(what_the_case_states_stays)
{
    static const char loop[] = "\"extra_delay\": {\"value\": 0.004}, \"frequency\": 2.5";
    static const char *const set[] = {"test.monitor={delay-margin: 7 ms}",
                                      "test.monitor={delay-margin: 7 ms, expected-delay: 1 ms}"};
    for (size_t i = 0; i < COUNT(set); i++) {
        ifd_case *c = made(set[i]);
        ifd_thresholds t;
        assert_true(told(c, loop, delays, &t));
        const ifd_monitor_options *m = c->test->monitor;
        assert_near(m->delay_margin, 0.007, 0.0, "s");
        assert_near(m->frequency, 2.5, 0.0, "Hz");
        assert_int_equal(m->expected_delays == NULL, i == 1);
        assert_near(t.delay_margin, 0.004, 0.0, "of the certificate");
        assert_int_equal(c->bundle->sets, 2); /* the older one first */
        assert_string_equal(c->bundle->set[0], set[i]);
    }
    ifd_case *c = made("test.monitor={growth-frequency: 3 Hz}");
    ifd_thresholds t;
    assert_true(told(c, loop, delays, &t));
    assert_near(c->test->monitor->frequency, 3.0, 0.0, "Hz");
    assert_near(c->test->monitor->delay_margin, 0.004, 0.0, "s");
}

TEST_OF_CASE(a_certificate_that_lacks_a_delay_tells_nothing)
{
    static const char loop[] = "\"extra_delay\": {\"value\": 0.004}, \"frequency\": 2.5";
    static const char *const predicted[] = {"", "\"near/first\": {\"delay\": 0.002}", "\"far\": {\"delay\": 0.002}",
                                            "\"near/first\": {\"delay\": null}, \"far\": {\"delay\": 0.001}",
                                            "\"near/first\": {\"delay\": 0.001}, \"far\": {\"delay\": \"x\"}"};
    ifd_thresholds t;
    for (size_t i = 0; i < COUNT(predicted); i++) {
        ifd_case *c = made(NULL);
        assert_false(told(c, loop, predicted[i], &t));
        assert_int_equal(c->bundle->sets, 0);
        assert_near(t.delay_margin, 0.0, 0.0, "s");
    }
    ifd_case *c = made(NULL);
    assert_false(ifd_certificate_thresholds(arena, &(ifd_certificate){.json = NULL}, c, &t));
    assert_false(ifd_certificate_thresholds(arena, &(ifd_certificate){.json = "{"}, c, &t));
    assert_true(told(c, "\"extra_delay\": {\"value\": 0.004}", delays, &t)); /* without a frequency none is watched */
    assert_near(t.frequency, 0.0, 0.0, "Hz");
    c = made("test.monitor=no");
    assert_false(told(c, loop, delays, &t));
    ifd_hybrid_options *none = c->test;
    c->test = NULL;
    assert_false(told(c, loop, delays, &t));
    c->test = none;
}

TESTS_WITH(files_open, files_close)
