/* SPDX-License-Identifier: MIT */
/* Every file of tests/cases-bad has something wrong with it and says in its first lines what must be found:
 *
 *     # set: time.step=0              (optional: overrides)
 *     # expect: CODE LINE part of the text or of the hint
 *
 * one line per error, in the order in which they are reported, and no error besides. Files whose names begin with _
 * are included or read by others. */
#include "check.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include <interfield/case.h>
#include <interfield/report.h>

enum { MOST_FILES = 400, MOST_LINES = 12 };

#define FOLDER IFD_SOURCE_DIR "/tests/cases-bad"

typedef struct expectation {
    char code[32], part[200];
    int line;
} expectation;

typedef struct bad_case {
    char path[512];
    expectation expect[MOST_LINES];
    char set[MOST_LINES][200];
    int expects, sets;
} bad_case;

static void read_head(bad_case *c)
{
    FILE *in = fopen(c->path, "r");
    char line[400];
    assert_non_null(in);
    while (fgets(line, sizeof line, in) && line[0] == '#') {
        line[strcspn(line, "\r\n")] = '\0';
        expectation *e = &c->expect[c->expects];
        int at = 0;
        if (sscanf(line, "# expect: %31s %d %n", e->code, &e->line, &at) == 2 && at > 0) {
            snprintf(e->part, sizeof e->part, "%.190s", line + at);
            c->expects++;
        } else if (strncmp(line, "# set: ", 7) == 0)
            snprintf(c->set[c->sets++], sizeof c->set[0], "%.190s", line + 7);
        assert_true(c->expects < MOST_LINES && c->sets < MOST_LINES);
    }
    fclose(in);
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const bad_case *)a)->path, ((const bad_case *)b)->path);
}

static bad_case *all_cases(int *count)
{
    static bad_case c[MOST_FILES];
    if (c[0].path[0]) {
        while (*count < MOST_FILES && c[*count].path[0])
            ++*count;
        return c;
    }
    DIR *dir = opendir(FOLDER);
    assert_non_null(dir);
    for (const struct dirent *e; (e = readdir(dir));) {
        const char *end = strrchr(e->d_name, '.');
        if (e->d_name[0] == '_' || e->d_name[0] == '.' || !end || strcmp(end, ".yaml") != 0)
            continue;
        assert_true(*count < MOST_FILES - 1);
        snprintf(c[*count].path, sizeof c[*count].path, "%s/%s", FOLDER, e->d_name);
        read_head(&c[*count]);
        ++*count;
    }
    closedir(dir);
    qsort(c, (size_t)*count, sizeof *c, by_path);
    return c;
}

/* Reads a case and, when that works, makes its run: some errors belong to the method. */
static ifd_status run_case(ifd_arena *arena, const bad_case *c, ifd_note *note)
{
    const char *set[MOST_LINES];
    ifd_case *made = NULL;
    ifd_run *run;
    for (int i = 0; i < c->sets; i++)
        set[i] = c->set[i];
    ifd_note_init(note, arena);
    ifd_status status = ifd_case_read(arena, c->path, c->sets, set, &made, note);
    if (status != IFD_OK)
        assert_null(made);
    return status == IFD_OK ? ifd_run_make(arena, &made->run, &run, note) : status;
}

/* Paths are said as they were given to the reader; a file announces them as seen from its folder. */
static void cut_folder(const char *text, char *out, size_t size)
{
    snprintf(out, size, "%s", text);
    for (char *at; (at = strstr(out, FOLDER "/"));)
        memmove(at, at + strlen(FOLDER "/"), strlen(at + strlen(FOLDER "/")) + 1);
}

static bool agrees(const expectation *e, const ifd_finding *f)
{
    char text[2000];
    cut_folder(f->text, text, sizeof text);
    return strcmp(ifd_status_name(f->code), e->code) == 0 && f->place.line == e->line &&
           (strstr(text, e->part) || (f->hint && strstr(f->hint, e->part)));
}

static int check_case(const bad_case *c)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_note note;
    ifd_status status = run_case(arena, c, &note);
    int n = 0;
    bool ok = c->expects > 0 && status != IFD_OK && note.first && note.first->code == status;
    for (const ifd_finding *f = note.first; f; f = f->next, n++)
        ok = ok && n < c->expects && agrees(&c->expect[n], f);
    ok = ok && n == c->expects && note.errors == n;
    if (!ok) {
        print_error("%s: expected %d findings, found %d, status %s\n", c->path, c->expects, n,
                    ifd_status_name(status));
        for (const ifd_finding *f = note.first; f; f = f->next)
            print_error("# expect: %s %d %s%s%s\n", ifd_status_name(f->code), f->place.line, f->text,
                        f->hint ? " | " : "", f->hint ? f->hint : "");
    }
    ifd_arena_close(arena);
    return ok ? 0 : 1;
}

static void every_bad_case_gives_the_errors_it_announces_and_no_others(void **state)
{
    (void)state;
    int count = 0, wrong = 0;
    const bad_case *c = all_cases(&count);
    for (int i = 0; i < count; i++)
        wrong += check_case(&c[i]);
    print_message("%d malformed cases\n", count);
    assert_int_equal(wrong, 0);
    assert_true(count >= 60);
}

static void no_two_bad_cases_give_the_same_message(void **state)
{
    (void)state;
    int count = 0, same = 0;
    const bad_case *c = all_cases(&count);
    char **text = calloc((size_t)count, sizeof *text);
    for (int i = 0; i < count; i++) {
        ifd_arena *arena = ifd_arena_open();
        ifd_note note;
        run_case(arena, &c[i], &note);
        text[i] = strdup(note.first ? note.first->text : "");
        ifd_arena_close(arena);
        for (int k = 0; k < i; k++)
            if (strcmp(text[i], text[k]) == 0) {
                print_error("%s and %s both say: %s\n", c[i].path, c[k].path, text[i]);
                same++;
            }
    }
    for (int i = 0; i < count; i++)
        free(text[i]);
    free(text);
    assert_int_equal(same, 0);
}

/* Codes that no mistake in a case file can cause: memory, the run itself, other machines, results, bugs, and code
 * that nobody asked to load (app.security). */
static bool beyond_a_file(ifd_status code)
{
    return code == IFD_OK || code == IFD_NO_MEMORY || code == IFD_DIVERGED || code == IFD_INTERRUPTED ||
           code == IFD_OUTPUT || code == IFD_PEER || code == IFD_INTERNAL || code == IFD_DAMAGED ||
           code == IFD_UNLOADED;
}

static void every_status_that_a_file_can_cause_is_caused_by_one(void **state)
{
    (void)state;
    int count = 0, missing = 0;
    const bad_case *c = all_cases(&count);
    for (int code = 0; code < IFD_STATUS_COUNT; code++) {
        bool found = beyond_a_file((ifd_status)code);
        for (int i = 0; i < count && !found; i++)
            for (int k = 0; k < c[i].expects && !found; k++)
                found = strcmp(c[i].expect[k].code, ifd_status_name((ifd_status)code)) == 0;
        if (!found) {
            print_error("no bad case for %s\n", ifd_status_name((ifd_status)code));
            missing++;
        }
    }
    assert_int_equal(missing, 0);
}

static void every_finding_stands_in_a_file_and_prints_its_line(void **state)
{
    (void)state;
    int count = 0;
    const bad_case *c = all_cases(&count);
    for (int i = 0; i < count; i++) {
        ifd_arena *arena = ifd_arena_open();
        ifd_note note;
        char *text = NULL;
        size_t size = 0;
        run_case(arena, &c[i], &note);
        FILE *out = open_memstream(&text, &size);
        ifd_note_print(&note, out, false);
        fclose(out);
        for (const ifd_finding *f = note.first; f; f = f->next)
            if (!f->place.file || !strstr(text, f->text))
                fail_msg("%s: '%s' has no place, or is not printed", c[i].path, f->text);
        free(text);
        ifd_arena_close(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_bad_case_gives_the_errors_it_announces_and_no_others),
        cmocka_unit_test(no_two_bad_cases_give_the_same_message),
        cmocka_unit_test(every_status_that_a_file_can_cause_is_caused_by_one),
        cmocka_unit_test(every_finding_stands_in_a_file_and_prints_its_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
