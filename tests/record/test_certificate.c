/* SPDX-License-Identifier: MIT */
/* What a certificate holds for, and what makes it stale. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include <interfield/certificate.h>

#include "record/files.h"

static const char model[] = "dofs: [x]\nmass: 1 t\nstiffness: 4e5 N/m\n";
static const char heavier[] = "dofs: [x]\nmass: 1.001 t\nstiffness: 4e5 N/m\n";
static const char text[] = "title: <A & B>\n"
                           "time: {step: 2 ms, end: 1 s}\n"
                           "model: {include: model.yaml}\n"
                           "specimen:\n"
                           "  - name: spring\n"
                           "    spring: {at: x, stiffness: 2e5 N/m}\n"
                           "    limits: {stroke: 50 mm, velocity: 1 m/s, acceleration: 100 m/s2}\n"
                           "test: {rig: virtual}\n";

static ifd_case *read(ifd_arena *arena, const char *name, const char *set)
{
    ifd_case *c = NULL;
    char path[512];
    snprintf(path, sizeof path, "%s", files_path(name));
    assert_int_equal(ifd_case_read(arena, path, set ? 1 : 0, &set, &c, NULL), IFD_OK);
    return c;
}

/* Marks of the case with one override, or with another model. */
static void marks(const char *set, const char *of, char out[IFD_MARK_COUNT][IFD_MARK_SIZE])
{
    ifd_arena *arena = ifd_arena_open();
    files_write("model.yaml", of);
    files_write("case.yaml", text);
    assert_int_equal(ifd_certificate_marks(arena, read(arena, "case.yaml", set), out, NULL), IFD_OK);
    ifd_arena_close(arena);
}

TEST(a_mark_changes_with_what_it_marks_and_with_nothing_else)
{
    char was[IFD_MARK_COUNT][IFD_MARK_SIZE], now[IFD_MARK_COUNT][IFD_MARK_SIZE];
    (void)state;
    marks(NULL, model, was);
    marks(NULL, model, now);
    assert_memory_equal(was, now, sizeof was);
    marks(NULL, heavier, now);
    assert_string_not_equal(was[IFD_MARK_CASE], now[IFD_MARK_CASE]);
    assert_string_equal(was[IFD_MARK_CHANNELS], now[IFD_MARK_CHANNELS]);
    marks("specimen.0.limits.force=1 kN", model, now);
    assert_string_not_equal(was[IFD_MARK_CASE], now[IFD_MARK_CASE]);
    assert_string_not_equal(was[IFD_MARK_CHANNELS], now[IFD_MARK_CHANNELS]);
    assert_string_equal(was[IFD_MARK_PROGRAM], now[IFD_MARK_PROGRAM]);
    assert_string_equal(was[IFD_MARK_MACHINE], now[IFD_MARK_MACHINE]);
}

TEST(the_case_is_known_by_its_files_not_by_their_place)
{
    char was[IFD_MARK_COUNT][IFD_MARK_SIZE], now[IFD_MARK_COUNT][IFD_MARK_SIZE];
    ifd_arena *arena = ifd_arena_open();
    (void)state;
    marks(NULL, model, was);
    files_write("other-name.yaml", text);
    assert_int_equal(ifd_certificate_marks(arena, read(arena, "other-name.yaml", NULL), now, NULL), IFD_OK);
    assert_string_equal(was[IFD_MARK_CASE], now[IFD_MARK_CASE]);
    ifd_arena_close(arena);
}

/* One number of the options, as a program that embeds the library sets it, without any change of the case's text. */
static bool noticed(const ifd_case *c, ifd_arena *arena, double *number)
{
    char was[IFD_MARK_COUNT][IFD_MARK_SIZE], now[IFD_MARK_COUNT][IFD_MARK_SIZE];
    assert_int_equal(ifd_certificate_marks(arena, c, was, NULL), IFD_OK);
    double kept = *number;
    *number = isfinite(kept) ? 0.99 * kept + 1e-3 : 1e3;
    assert_int_equal(ifd_certificate_marks(arena, c, now, NULL), IFD_OK);
    *number = kept;
    return strcmp(was[IFD_MARK_CHANNELS], now[IFD_MARK_CHANNELS]) != 0;
}

TEST(every_limit_of_an_actuator_of_a_drive_is_marked)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_case *c = NULL;
    const char *path = IFD_SOURCE_DIR "/cases/three-actuators/block.yaml";
    assert_int_equal(ifd_case_read(arena, path, 0, NULL, &c, NULL), IFD_OK);
    assert_int_equal(c->test->drives, 1);
    const ifd_driven *d = c->test->drive;
    const size_t numbers = offsetof(ifd_limits, warn_holds) / sizeof(double);
    for (int k = 0; k < d->drive.actuators; k++)
        for (size_t i = 0; i < numbers; i++)
            assert_true(noticed(c, arena, (double *)(uintptr_t)&d->limits[k] + i));
    for (int k = 0; k < c->test->interfaces; k++)
        for (size_t i = 0; i < numbers; i++)
            assert_true(noticed(c, arena, (double *)(uintptr_t)&c->test->interface[k].limits + i));
    for (int i = 0; i < IFD_LIMITED; i++) {
        ifd_limits *l = (ifd_limits *)(uintptr_t)&c->test->interface[0].limits;
        char was[IFD_MARK_COUNT][IFD_MARK_SIZE], now[IFD_MARK_COUNT][IFD_MARK_SIZE];
        assert_int_equal(ifd_certificate_marks(arena, c, was, NULL), IFD_OK);
        l->warn_holds[i] = true;
        assert_int_equal(ifd_certificate_marks(arena, c, now, NULL), IFD_OK);
        assert_string_not_equal(was[IFD_MARK_CHANNELS], now[IFD_MARK_CHANNELS]);
        l->warn_holds[i] = false;
        l->action[i] = IFD_LIMIT_POWER_OFF;
        assert_int_equal(ifd_certificate_marks(arena, c, now, NULL), IFD_OK);
        assert_string_not_equal(was[IFD_MARK_CHANNELS], now[IFD_MARK_CHANNELS]);
        l->action[i] = IFD_LIMIT_USUAL;
    }
    assert_true(noticed(c, arena, (double *)(uintptr_t)&d->drive.base[1][1]));
    assert_true(noticed(c, arena, (double *)(uintptr_t)&d->drive.attachment[2][0]));
    ifd_arena_close(arena);
}

static ifd_preflight verdict(ifd_verdict v)
{
    ifd_preflight p = {.verdict = v, .checks = 1, .gain = 1.0};
    p.check[0] = (ifd_check){"stroke", "predicted 60 mm of < 50 mm", "take another", v};
    return p;
}

static void write_one(ifd_arena *arena, const ifd_case *c, ifd_verdict v, ifd_certificate *out)
{
    char stem[512];
    ifd_preflight p = verdict(v);
    snprintf(stem, sizeof stem, "%s", files_path("case"));
    assert_int_equal(ifd_certificate_write(arena, stem, c, &p, out, NULL), IFD_OK);
}

TEST(what_is_written_reads_back_and_holds)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_certificate written, back;
    (void)state;
    files_write("model.yaml", model);
    files_write("case.yaml", text);
    ifd_case *c = read(arena, "case.yaml", NULL);
    write_one(arena, c, IFD_VERDICT_CAUTION, &written);
    assert_int_equal(ifd_certificate_read(arena, files_path("case.certificate.json"), &back, NULL), IFD_OK);
    assert_string_equal(back.number, written.number);
    assert_int_equal(back.verdict, IFD_VERDICT_CAUTION);
    assert_null(ifd_certificate_stale(arena, &back, c));
    const char *reason = ifd_certificate_stale(arena, &back, read(arena, "case.yaml", "time.end=2 s"));
    assert_non_null(reason);
    assert_non_null(strstr(reason, "case"));
    strcpy(back.mark[IFD_MARK_MACHINE], "0000000000000000");
    assert_non_null(strstr(ifd_certificate_stale(arena, &back, c), "machine"));
    ifd_arena_close(arena);
}

static char *contents(const char *name, size_t *length)
{
    FILE *file = fopen(files_path(name), "r");
    assert_non_null(file);
    char *all = calloc(1, 1 << 16);
    *length = fread(all, 1, (1 << 16) - 1, file);
    fclose(file);
    return all;
}

/* Whatever character of a mark, a number, the date or the verdict is changed. */
TEST(one_that_was_edited_is_refused)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_certificate written, back;
    size_t length;
    (void)state;
    files_write("model.yaml", model);
    files_write("case.yaml", text);
    write_one(arena, read(arena, "case.yaml", NULL), IFD_VERDICT_NO_GO, &written);
    char *all = contents("case.certificate.json", &length), *edited = malloc(length + 1);
    const char *const of[] = {written.number, written.made, written.mark[0], written.mark[3], "NO-GO"};
    for (size_t i = 0; i < COUNT(of); i++) {
        memcpy(edited, all, length + 1);
        char *at = strstr(edited, of[i]);
        assert_non_null(at);
        at[strlen(of[i]) - 1] = at[strlen(of[i]) - 1] == '7' ? '8' : '7';
        files_write("edited.json", edited);
        assert_int_equal(ifd_certificate_read(arena, files_path("edited.json"), &back, NULL), IFD_SYNTAX);
    }
    assert_int_equal(ifd_certificate_read(arena, files_path("model.yaml"), &back, NULL), IFD_SYNTAX);
    assert_int_equal(ifd_certificate_read(arena, files_path("nowhere.json"), &back, NULL), IFD_FILE);
    free(all);
    free(edited);
    ifd_arena_close(arena);
}

TEST(the_page_escapes_what_people_wrote)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_certificate written;
    size_t length;
    (void)state;
    files_write("model.yaml", model);
    files_write("case.yaml", text);
    write_one(arena, read(arena, "case.yaml", NULL), IFD_VERDICT_NO_GO, &written);
    char *page = contents("case.certificate.html", &length);
    assert_non_null(strstr(page, "<h1>&lt;A &amp; B&gt;</h1>"));
    assert_non_null(strstr(page, "of &lt; 50 mm"));
    assert_non_null(strstr(page, "<div class=\"word no\">NO-GO<div class=\"reason\">stroke: "));
    free(page);
    ifd_arena_close(arena);
}

TEST(a_finished_test_tells_delay_and_amplitude)
{
    ifd_arena *arena = ifd_arena_open();
    double delay, amplitude;
    (void)state;
    files_write("summary.json",
                "{\"rig\": {\"a\": {\"delay\": 0.0031, \"amplitude\": 0.97}, \"b\": {\"delay\": null}}}");
    assert_true(ifd_summary_tracking(arena, files_path("summary.json"), "a", &delay, &amplitude));
    assert_near(delay, 0.0031, 0.0, "delay");
    assert_near(amplitude, 0.97, 0.0, "amplitude");
    assert_false(ifd_summary_tracking(arena, files_path("summary.json"), "b", &delay, &amplitude));
    assert_false(ifd_summary_tracking(arena, files_path("summary.json"), "c", &delay, &amplitude));
    assert_false(ifd_summary_tracking(arena, files_path("nowhere.json"), "a", &delay, &amplitude));
    ifd_arena_close(arena);
}

TESTS_WITH(files_open, files_close)
