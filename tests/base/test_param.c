/* SPDX-License-Identifier: MIT */
#include "check.h"

#include <interfield/arena.h>
#include <interfield/param.h>

#include <math.h>
#include <string.h>

static const ifd_param table[] = {
    {.name = "stiffness", .dim = IFD_DIM_STIFFNESS, .required = true, .range = IFD_RANGE_POSITIVE, .doc = "k"},
    {.name = "exponent", .preset = 2, .range = IFD_RANGE_WITHIN, .min = 1, .max = 9},
    {.name = "shape", .shape = IFD_SHAPE_WORD, .words = "half-sine|rectangle|triangle"},
    {.name = "weights", .shape = IFD_SHAPE_LIST, .range = IFD_RANGE_NOT_NEGATIVE},
    {0}};

TEST(presets_fill_what_is_not_given)
{
    ifd_value v[4];
    assert_int_equal(ifd_param_count(table), 4);
    ifd_param_preset(table, v);
    v[0] = ifd_number(5);
    assert_int_equal(ifd_param_check(table, v, "spring", NULL, NULL), IFD_OK);
    assert_near(ifd_param_get(table, v, "exponent")->number, 2, 0, "preset");
    assert_false(v[1].given);
    assert_near(v[2].number, 0, 0, "the first word is the preset");
}

TEST(words_get_their_index)
{
    ifd_value v[4];
    ifd_param_preset(table, v);
    v[0] = ifd_number(5);
    v[2] = ifd_word("triangle");
    assert_int_equal(ifd_param_check(table, v, "spring", NULL, NULL), IFD_OK);
    assert_near(v[2].number, 2, 0, "index of triangle");
    v[2] = ifd_number(2);
    assert_int_equal(ifd_param_check(table, v, "spring", NULL, NULL), IFD_UNKNOWN_CHOICE);
}

TEST(all_errors_are_collected)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_note note;
    ifd_note_init(&note, arena);
    ifd_value v[4];
    ifd_param_preset(table, v);
    const double weights[] = {1, -1};
    v[1] = ifd_number(10);
    v[2] = ifd_word("rectangel");
    v[3] = ifd_list(weights, 2);
    assert_int_equal(ifd_param_check(table, v, "spring", NULL, &note), IFD_MISSING_KEY);
    const ifd_status expected[] = {IFD_MISSING_KEY, IFD_RANGE, IFD_UNKNOWN_CHOICE, IFD_RANGE};
    assert_int_equal(note.errors, 4);
    const ifd_finding *f = note.first;
    for (int i = 0; i < 4; i++, f = f->next)
        assert_int_equal(f->code, expected[i]);
    assert_non_null(strstr(note.first->next->next->hint, "did you mean 'rectangle'?"));
    assert_non_null(strstr(note.first->next->next->hint, "known: half-sine, rectangle, triangle"));
    ifd_arena_close(arena);
}

TEST(numbers_must_be_finite_and_in_range)
{
    ifd_value v[4];
    ifd_param_preset(table, v);
    const double bad[] = {(double)NAN, (double)INFINITY, 0, -1};
    const ifd_status code[] = {IFD_NOT_FINITE, IFD_NOT_FINITE, IFD_RANGE, IFD_RANGE};
    for (int i = 0; i < 4; i++) {
        v[0] = ifd_number(bad[i]);
        assert_int_equal(ifd_param_check(table, v, "spring", NULL, NULL), code[i]);
    }
}

TEST(choices_are_found_whole)
{
    assert_int_equal(ifd_choice_find("alpha|beta", "beta"), 1);
    assert_int_equal(ifd_choice_find("alpha|beta", "bet"), -1);
    assert_int_equal(ifd_choice_find("alpha|beta", ""), -1);
}

TEST(nearest_choice_is_the_one_meant)
{
    static const char keys[] = "stiffness|damping|mass|ground|time|title|structures|step";
    const char *pair[][2] = {{"stifness", "stiffness"}, {"stiff", "stiffness"}, {"tiem", "time"},
                             {"Mass", "mass"},          {"gruond", "ground"},   {"stepp", "step"},
                             {"Damping", "damping"}};
    char near[50];
    for (size_t i = 0; i < sizeof pair / sizeof *pair; i++) {
        assert_true(ifd_choice_nearest(keys, pair[i][0], near, sizeof near));
        assert_string_equal(near, pair[i][1]);
    }
    assert_false(ifd_choice_nearest(keys, "quux", near, sizeof near));
    assert_false(ifd_choice_nearest(keys, "", near, sizeof near));
}

TEST(values_are_stored_in_the_members_that_rows_name)
{
    typedef struct spring {
        double before, k, after;
        int form, other;
        bool stiff, soft, untouched;
    } spring;
    static const ifd_param rows[] = {
        IFD_WORD("form", "straight|bent|broken", "a word as its index", IFD_AT(spring, form)),
        IFD_OPTION("not-stored", NONE, 0, 1e9, 7, "in no member"),
        IFD_NEEDED("stiffness", STIFFNESS, 0, 1e9, "a number", IFD_AT(spring, k)),
        IFD_FLAG("stiff", "a flag that is set", IFD_AT(spring, stiff)),
        IFD_FLAG("soft", "a flag that is not", IFD_AT(spring, soft)),
        {0}};
    spring s = {.before = 1, .k = -1, .after = 2, .form = -1, .other = 3, .soft = true, .untouched = true};
    ifd_value v[5];
    ifd_param_preset(rows, v);
    v[0] = ifd_word("broken");
    v[2] = ifd_number(2.5e8);
    v[3] = ifd_flag(true);
    assert_int_equal(ifd_param_check(rows, v, "spring", NULL, NULL), IFD_OK);
    ifd_param_store(rows, v, &s);
    assert_near(s.k, 2.5e8, 0, "number");
    assert_int_equal(s.form, 2);
    assert_true(s.stiff && !s.soft);
    assert_near(s.before, 1, 0, "member before");
    assert_near(s.after, 2, 0, "member after");
    assert_true(s.other == 3 && s.untouched);
}

TESTS()
