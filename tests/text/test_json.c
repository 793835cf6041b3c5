/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "fixture.h"

#include <float.h>
#include <stdlib.h>

#include <interfield/json.h>

static const char *one_number(double value)
{
    ifd_json j;
    ifd_json_init(&j, arena);
    ifd_json_number(&j, NULL, value);
    return ifd_json_done(&j);
}

static const char *one_text(const char *value)
{
    ifd_json j;
    ifd_json_init(&j, arena);
    ifd_json_text(&j, NULL, value);
    return ifd_json_done(&j);
}

TEST_IN_ARENA(numbers_read_back_to_the_same_double)
{
    const double values[] = {0.1, 1.0 / 3.0, -2.5e-308, DBL_MIN, DBL_MAX, 4.9e-324, 12345678901234567.0, -0.0, 1e22};
    for (size_t i = 0; i < COUNT(values); i++) {
        double back = strtod(one_number(values[i]), NULL);
        assert_memory_equal(&back, &values[i], sizeof back);
    }
    assert_string_equal(one_number(0.1), "0.1");
}

TEST_IN_ARENA(numbers_that_json_lacks_become_null)
{
    assert_string_equal(one_number((double)NAN), "null");
    assert_string_equal(one_number(HUGE_VAL), "null");
    assert_string_equal(one_number(-HUGE_VAL), "null");
}

TEST_IN_ARENA(text_is_escaped)
{
    assert_string_equal(one_text("a \"b\" \\ c\n\t\x01"), "\"a \\\"b\\\" \\\\ c\\n\\t\\u0001\"");
    assert_string_equal(one_text("\xc3\xa9"), "\"\xc3\xa9\"");
    assert_string_equal(one_text(NULL), "null");
}

TEST_IN_ARENA(bytes_that_are_not_utf8_are_replaced)
{
    assert_string_equal(one_text("a\xff"), "\"a\xef\xbf\xbd\"");
    assert_string_equal(one_text("\xc0\xaf"), "\"\xef\xbf\xbd\xef\xbf\xbd\"");                   /* overlong */
    assert_string_equal(one_text("\xe2\x82"), "\"\xef\xbf\xbd\xef\xbf\xbd\"");                   /* cut short */
    assert_string_equal(one_text("\xed\xa0\x80z"), "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdz\""); /* surrogate */
}

TEST_IN_ARENA(objects_and_lists_nest)
{
    ifd_json j;
    ifd_json_init(&j, arena);
    ifd_json_object(&j, NULL);
    ifd_json_numbers(&j, "f", 2, (const double[]){1, 2.5});
    ifd_json_list(&j, "rows");
    ifd_json_object(&j, NULL);
    ifd_json_flag(&j, "on", true);
    ifd_json_end(&j);
    ifd_json_end(&j);
    ifd_json_list(&j, "none");
    ifd_json_end(&j);
    ifd_json_object(&j, "empty");
    ifd_json_end(&j);
    ifd_json_integer(&j, "n", -7);
    ifd_json_end(&j);
    assert_string_equal(ifd_json_done(&j), "{\n"
                                           "  \"f\": [1, 2.5],\n"
                                           "  \"rows\": [\n"
                                           "    {\n"
                                           "      \"on\": true\n"
                                           "    }\n"
                                           "  ],\n"
                                           "  \"none\": [],\n"
                                           "  \"empty\": {},\n"
                                           "  \"n\": -7\n"
                                           "}");
}

TEST_IN_ARENA(running_out_of_memory_is_said_at_the_end)
{
    ifd_json j;
    ifd_json_init(&j, arena);
    ifd_arena_fail_at(arena, 2);
    ifd_json_list(&j, NULL);
    for (int i = 0; i < 5000; i++)
        ifd_json_number(&j, NULL, i);
    ifd_json_end(&j);
    assert_null(ifd_json_done(&j));
    ifd_arena_fail_at(arena, 0);
}

TESTS()
