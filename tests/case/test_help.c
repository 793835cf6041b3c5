/* SPDX-License-Identifier: MIT */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include <interfield/case.h>
#include <interfield/catalogue.h>

#include "case/keys.h"
#include "case/rig/rigs.h"

#define PAGE IFD_SOURCE_DIR "/docs/case.md"

static int open_arena(void **state)
{
    *state = ifd_arena_open();
    return *state ? 0 : -1;
}

static int close_arena(void **state)
{
    ifd_arena_close(*state);
    return 0;
}

static char *whole_file(const char *path)
{
    FILE *in = fopen(path, "r");
    char *text = NULL;
    size_t size = 0;
    if (!in || getdelim(&text, &size, '\0', in) < 0) {
        free(text);
        text = NULL;
    }
    if (in)
        fclose(in);
    return text;
}

static void the_page_on_case_files_is_what_the_tables_say(void **state)
{
    const char *said = ifd_case_help(*state, "all");
    assert_non_null(said);
    char *page = whole_file(PAGE);
    if (!page || strcmp(page, said) != 0)
        print_error("docs/case.md is out of date: write it again with `interfield help all > docs/case.md`\n");
    assert_non_null(page);
    assert_string_equal(page, said);
    free(page);
}

static void every_section_method_element_and_signal_is_a_topic(void **state)
{
    for (int i = 0; ifd__sections[i]; i++)
        assert_non_null(ifd_case_help(*state, ifd__sections[i]->topic));
    for (int i = 0; i < ifd_method_count; i++)
        assert_non_null(strstr(ifd_case_help(*state, ifd_methods[i]->name), ifd_methods[i]->citation));
    for (int i = 0; i < ifd_coupling_count; i++)
        assert_non_null(strstr(ifd_case_help(*state, ifd_couplings[i]->name), ifd_couplings[i]->citation));
    for (int i = 0; i < ifd_element_count; i++)
        assert_non_null(strstr(ifd_case_help(*state, ifd_elements[i]->name), ifd_elements[i]->equation));
    for (int i = 0; i < ifd_signal_kind_count; i++)
        assert_non_null(ifd_case_help(*state, ifd_signal_kinds[i]->name));
    for (int i = 0; i < ifd_actuator_count; i++)
        assert_non_null(strstr(ifd_case_help(*state, ifd_actuators[i]->name), ifd_actuators[i]->summary));
    for (int i = 0; i < ifd_compensator_count; i++)
        assert_non_null(strstr(ifd_case_help(*state, ifd_compensators[i]->name), ifd_compensators[i]->summary));
    for (int i = 0; ifd__rigs[i]; i++)
        assert_non_null(strstr(ifd_case_help(*state, ifd__rigs[i]->name), ifd__rigs[i]->summary));
    assert_null(ifd_case_help(*state, "no such topic"));
}

static void every_key_is_explained(void **state)
{
    for (int i = 0; ifd__sections[i]; i++) {
        const ifd__section *s = ifd__sections[i];
        const char *text = ifd_case_help(*state, s->topic);
        for (const ifd__key *k = s->keys; k->param.name; k++) {
            char key[80];
            snprintf(key, sizeof key, "- `%s` (", k->param.name);
            assert_non_null(strstr(text, key));
            assert_true(k->param.doc && strlen(k->param.doc) > 2);
        }
    }
}

static void parameters_that_the_reader_sets_are_not_shown(void **state)
{
    assert_null(strstr(ifd_case_help(*state, "low-pass"), "`reads`"));
    assert_non_null(strstr(ifd_case_help(*state, "low-pass"), "`cutoff`"));
}

static void the_catalogue_has_every_row_of_every_table(void **state)
{
    int count = 0;
    const ifd_catalogue_row *row = ifd_catalogue(*state, "methods", &count);
    assert_non_null(row);
    assert_int_equal(count, ifd_method_count);
    row = ifd_catalogue(*state, "elements", &count);
    assert_int_equal(count, ifd_element_count);
    row = ifd_catalogue(*state, "errors", &count);
    assert_int_equal(count, IFD_STATUS_COUNT - 1);
    assert_string_equal(row[0].name, "NO_MEMORY");
    assert_non_null(ifd_catalogue(*state, "signals", &count));
    row = ifd_catalogue(*state, "faults", &count);
    assert_int_equal(count, IFD_FAULT_COUNT - 1 + IFD_TRIP_COUNT - 1);
    assert_string_equal(row[count - 1].name, ifd_trip_name(IFD_TRIP_COUNT - 1));
    row = ifd_catalogue(*state, "rigs", &count);
    assert_int_equal(count, 6);
    row = ifd_catalogue(*state, "states", &count);
    assert_int_equal(count, IFD_MACHINE_COUNT);
    assert_string_equal(row[IFD_MACHINE_HOLD].name, "hold");
    row = ifd_catalogue(*state, "couplings", &count);
    assert_int_equal(count, ifd_coupling_count);
    row = ifd_catalogue(*state, "topics", &count);
    assert_non_null(row);
    for (int i = 0; i < count; i++)
        assert_true(row[i].name[0] && row[i].summary[0]);
    assert_null(ifd_catalogue(*state, "method", &count));
}

static void the_shipped_cases_are_listed_by_name_with_their_titles(void **state)
{
    int count = 0;
    bool found = false;
    const ifd_catalogue_row *row = ifd_catalogue_cases(*state, IFD_SOURCE_DIR "/cases", &count);
    assert_non_null(row);
    for (int i = 0; i < count; i++) {
        if (strcmp(row[i].name, "shear-pendulum/free") == 0)
            found = strcmp(row[i].summary, "Shear building with pendulum, free vibration") == 0;
        assert_true(row[i].summary[0] != '\0');
        assert_null(strstr(row[i].name, ".model"));
        assert_true(i == 0 || strcmp(row[i - 1].name, row[i].name) < 0);
    }
    assert_true(found);
    assert_null(ifd_catalogue_cases(*state, IFD_SOURCE_DIR "/nowhere", &count));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_page_on_case_files_is_what_the_tables_say, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(every_section_method_element_and_signal_is_a_topic, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(every_key_is_explained, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(parameters_that_the_reader_sets_are_not_shown, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(the_catalogue_has_every_row_of_every_table, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(the_shipped_cases_are_listed_by_name_with_their_titles, open_arena,
                                        close_arena),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
