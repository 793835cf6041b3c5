/* SPDX-License-Identifier: MIT */
/* What is found in each file of tests/cases-bad (bad_cases.h), alone. */
#include "check.h"

#include "case/bad_cases.h"

#include <stdlib.h>
#include <string.h>

#include <interfield/report.h>

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

static int check_case(const bad_case *c)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_note note;
    ifd_status status = run_case(arena, c, &note);
    int n = 0;
    bool ok = c->expects > 0 && status != IFD_OK && note.first && note.first->code == status;
    for (const ifd_finding *f = note.first; f; f = f->next, n++)
        ok = ok && n < c->expects && bad_case_agrees(&c->expect[n], f);
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

TEST(every_bad_case_gives_the_errors_it_announces_and_no_others)
{
    int count = 0, wrong = 0;
    const bad_case *c = bad_cases(&count);
    for (int i = 0; i < count; i++)
        wrong += check_case(&c[i]);
    print_message("%d malformed cases\n", count);
    assert_int_equal(wrong, 0);
    assert_true(count >= 60);
}

TEST(no_two_bad_cases_give_the_same_message)
{
    int count = 0, same = 0;
    const bad_case *c = bad_cases(&count);
    char **text = calloc((size_t)count, sizeof *text);
    for (int i = 0; i < count; i++) {
        ifd_arena *arena = ifd_arena_open();
        ifd_note note;
        run_case(arena, &c[i], &note);
        text[i] = strdup(note.first ? note.first->text : "");
        ifd_arena_close(arena);
        for (int k = 0; k < i; k++)
            if (strcmp(text[i], text[k]) == 0) {
                print_error("%s and %s both contain: %s\n", c[i].path, c[k].path, text[i]);
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

TEST(every_status_that_a_file_can_cause_is_caused_by_one)
{
    int count = 0, missing = 0;
    const bad_case *c = bad_cases(&count);
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

TEST(every_finding_stands_in_a_file_and_prints_its_line)
{
    int count = 0;
    const bad_case *c = bad_cases(&count);
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

TESTS()
