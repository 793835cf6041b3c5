/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "fixture.h"

#include <stdlib.h>
#include <string.h>

#include <interfield/json.h>

static ifd_status read_text(const char *text, ifd_json_node **root)
{
    return ifd_json_read(arena, "it.json", text, strlen(text), root, &note);
}

TEST_IN_ARENA(what_was_written_is_read_back)
{
    const double numbers[] = {0.1, -1e-300, 12345678901234567.0};
    ifd_json j;
    ifd_json_init(&j, arena);
    ifd_json_object(&j, NULL);
    ifd_json_text(&j, "title", "a \"b\" \\ \n \t ä € \x01");
    ifd_json_object(&j, "clock");
    ifd_json_flag(&j, "fifo", true);
    ifd_json_number(&j, "late", 1.0 / 3.0);
    ifd_json_text(&j, "none", NULL);
    ifd_json_end(&j);
    ifd_json_numbers(&j, "numbers", 3, numbers);
    ifd_json_end(&j);
    ifd_json_node *root;
    assert_int_equal(read_text(ifd_json_done(&j), &root), IFD_OK);
    assert_string_equal(ifd_json_text_at(root, "title", ""), "a \"b\" \\ \n \t ä € \x01");
    assert_true(ifd_json_number_at(root, "clock/late", 0.0) == 1.0 / 3.0);
    assert_true(ifd_json_number_at(root, "clock/fifo", 0.0) == 1.0);
    assert_int_equal(ifd_json_at(root, "clock/none")->kind, IFD_JSON_NULL);
    assert_null(ifd_json_at(root, "clock/lat"));
    assert_null(ifd_json_at(root, "clock/late/more"));
    const ifd_json_node *n = ifd_json_at(root, "numbers")->first;
    for (int i = 0; i < 3; i++, n = n->next)
        assert_true(n->number == numbers[i]);
    assert_null(n);
}

TEST_IN_ARENA(escapes_of_other_writers_are_understood)
{
    ifd_json_node *root;
    assert_int_equal(read_text("\"\\u00e4\\u20AC\\ud83d\\ude00\\/\\b\"", &root), IFD_OK);
    assert_string_equal(root->text, "ä€\xf0\x9f\x98\x80/\b");
    assert_int_equal(read_text("\"\\ud83d!\"", &root), IFD_OK); /* half a pair */
    assert_string_equal(root->text, "\xef\xbf\xbd!");
}

TEST_IN_ARENA(damage_is_named_with_its_line)
{
    static const struct {
        const char *text, *expected;
        int line;
    } bad[] = {
        {"", "a value", 1},
        {"{\n\"a\": 1,\n}", "a text in quotes", 3},
        {"{\"a\" 1}", "a key in quotes and a colon", 1},
        {"[1 2]", "',' or ']'", 1},
        {"[1,\n2", "',' or ']'", 2},
        {"{\"a\": 1]", "',' or '}'", 1},
        {"1 1", "the end of the file", 1},
        {"\"open", "the end of a text", 1},
        {"\"\\q\"", "known escapes", 1},
        {"\"\\u12g4\"", "known escapes", 1},
        {"nul", "a value", 1},
        {"1.2.3", "a value", 1},
        {"[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]", "fewer nested levels", 1},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        ifd_json_node *root;
        ifd_note_init(&note, arena);
        assert_int_equal(read_text(bad[i].text, &root), IFD_FILE);
        const ifd_finding *f = note.first;
        if (!strstr(f->text, bad[i].expected) || f->place.line != bad[i].line)
            fail_msg("'%s': line %d, %s", bad[i].text, f->place.line, f->text);
    }
}

TEST_IN_ARENA(a_file_cut_anywhere_is_refused)
{
    static const char whole[] = "{\"a\": [1, true, \"x\\u00e4\\n\"], \"b\": {\"c\": -1.5e-3}}";
    for (size_t n = 0; n < sizeof whole - 1; n++) {
        ifd_json_node *root;
        char *copy = malloc(n + 1); /* exactly as long, so that reading past its end is seen */
        memcpy(copy, whole, n);
        assert_int_equal(ifd_json_read(arena, "cut.json", copy, n, &root, &note), IFD_FILE);
        free(copy);
    }
}

TESTS()
