/* SPDX-License-Identifier: MIT */
/* The chain of events.log: published vectors, and every kind of edit is found at its line. */
#include "check.h"

#include <string.h>

#include <interfield/events_chain.h>

#include "files.h"

static const char *const LINE[] = {
    "2026-11-18T09:00:00.000Z  tick 0  t 0 s  begin case 5f0c1d2e operator A. Smith",
    "2026-11-18T09:00:03.120Z  tick 3120  t 0 s  order arm, from the terminal, A. Smith",
    "2026-11-18T09:00:03.121Z  tick 3121  t 0 s  state ready",
};
enum { LINES = 3 };
#define LAST "1691270c3f780c74e0f5c4d49072b8c87aef06a8b8cdaac2583c6a209221659b"

static ifd_arena *arena;

static int open_all(void **state)
{
    arena = ifd_arena_open();
    return arena ? files_open(state) : -1;
}

static int close_all(void **state)
{
    ifd_arena_close(arena);
    return files_close(state);
}

/* The log of these lines with their hashes. */
static void compose(char *out, size_t size, const char *const *line, int lines)
{
    ifd_events_chain chain = {{0}};
    *out = '\0';
    for (int i = 0; i < lines; i++) {
        char mark[IFD_CHAIN_MARK + 1];
        size_t used = strlen(out);
        ifd_events_chain_add(&chain, line[i], strlen(line[i]), mark);
        snprintf(out + used, size - used, "%s%s\n", line[i], mark);
    }
}

/* whole: of summary.json; NULL: there is none. */
static ifd_events_checked check_log(const char *text, const char *whole)
{
    ifd_events_checked out;
    char summary[200], path[300];
    snprintf(summary, sizeof summary, "{\"events_chain\": \"%s\"}\n", whole ? whole : "");
    files_write("summary.json", whole ? summary : "{}\n");
    snprintf(path, sizeof path, "%s", files_write("events.log", text));
    assert_int_equal(ifd_events_check(arena, path, &out), IFD_OK);
    return out;
}

TEST(three_lines_have_the_published_hashes)
{
    static const char *const first[] = {"  #04a0b8ea5a2cc344", "  #f5202d9e8c5dc704", "  #1691270c3f780c74"};
    ifd_events_chain chain = {{0}};
    char mark[IFD_CHAIN_MARK + 1], all[IFD_CHAIN_TEXT + 1];
    (void)state;
    for (int i = 0; i < LINES; i++) {
        ifd_events_chain_add(&chain, LINE[i], strlen(LINE[i]), mark);
        assert_string_equal(mark, first[i]);
    }
    ifd_events_chain_print(&chain, all);
    assert_string_equal(all, LAST);
}

TEST(a_log_as_written_is_accepted)
{
    char text[1000];
    (void)state;
    compose(text, sizeof text, LINE, LINES);
    ifd_events_checked c = check_log(text, LAST);
    assert_true(c.found && c.ended && !c.cut && !c.bare && !c.wrong);
    assert_int_equal(c.lines, LINES);
    c = check_log(text, NULL); /* killed before the end */
    assert_true(c.found && !c.ended && !c.wrong);
}

TEST(every_changed_byte_is_found_in_its_line)
{
    char text[1000], expected[60];
    int line = 1;
    (void)state;
    compose(text, sizeof text, LINE, LINES);
    for (size_t i = 0; text[i]; i++) {
        char was = text[i];
        if (was == '\n') {
            line++;
            continue;
        }
        text[i] = was == '7' ? '8' : '7';
        snprintf(expected, sizeof expected, "events.log: line %d was changed", line);
        ifd_events_checked c = check_log(text, NULL);
        assert_non_null(c.wrong);
        assert_string_equal(c.wrong, expected);
        assert_int_equal(c.lines, line - 1);
        text[i] = was;
    }
}

TEST(removed_and_added_lines_are_found)
{
    static const char *const four[] = {"one", "two", "three", "four"}, *const hole[] = {"one", "three"};
    char text[1000], other[1000];
    (void)state;
    compose(text, sizeof text, LINE, LINES);
    char *last = strstr(text, LINE[2]);
    *last = '\0';
    assert_string_equal(check_log(text, LAST).wrong,
                        "events.log: lines after line 2 were removed, or summary.json was changed");
    assert_null(check_log(text, NULL).wrong); /* a killed program may have written no more */
    assert_string_equal(check_log("", LAST).wrong,
                        "events.log: lines after line 0 were removed, or summary.json was changed");
    compose(text, sizeof text, LINE, LINES);
    snprintf(text + strlen(text), sizeof text - strlen(text), "%s\n", "a line without a hash");
    assert_string_equal(check_log(text, LAST).wrong, "events.log: line 4 was changed");
    compose(text, sizeof text, four, 4); /* the end of the test was line 3 */
    ifd_events_chain chain = {{0}};
    char mark[IFD_CHAIN_MARK + 1], whole[IFD_CHAIN_TEXT + 1];
    for (int i = 0; i < 3; i++)
        ifd_events_chain_add(&chain, four[i], strlen(four[i]), mark);
    ifd_events_chain_print(&chain, whole);
    assert_string_equal(check_log(text, whole).wrong, "events.log: line 4 was added after the end of the test");
    compose(other, sizeof other, hole, 2); /* composed again as a whole: only the recorded hash shows it */
    assert_null(check_log(other, NULL).wrong);
    assert_non_null(check_log(other, whole).wrong);
}

TEST(a_cut_line_is_no_forgery)
{
    char text[1000];
    (void)state;
    compose(text, sizeof text, LINE, LINES);
    size_t two = (size_t)(strstr(text, LINE[2]) - text);
    for (size_t length = strlen(text) - 1; length > two; length--) {
        text[length] = '\0';
        ifd_events_checked c = check_log(text, NULL);
        assert_null(c.wrong);
        assert_true(c.cut && !c.bare);
        assert_int_equal(c.lines, 2);
        assert_non_null(check_log(text, LAST).wrong); /* of a test that ended, all lines were written */
    }
}

TEST(a_log_without_hashes_is_bare_unless_one_is_recorded)
{
    ifd_events_checked c = check_log("state run\nend: completed\n", NULL);
    assert_true(c.found && c.bare && !c.wrong);
    assert_string_equal(check_log("state run\nend: completed\n", LAST).wrong, "events.log: line 1 was changed");
}

TEST(a_missing_log_is_reported_where_its_hash_is_recorded)
{
    ifd_events_checked c;
    char path[300];
    (void)state;
    snprintf(path, sizeof path, "%s", files_path("events.log"));
    remove(path);
    files_write("summary.json", "{\"events_chain\": \"" LAST "\"}\n");
    assert_int_equal(ifd_events_check(arena, path, &c), IFD_OK);
    assert_string_equal(c.wrong, "events.log is missing");
    files_write("summary.json", "{}\n");
    assert_int_equal(ifd_events_check(arena, path, &c), IFD_OK);
    assert_false(c.found);
    assert_null(c.wrong);
}

TESTS_WITH(open_all, close_all)
