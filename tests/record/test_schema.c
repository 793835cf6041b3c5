/* SPDX-License-Identifier: MIT */
/* What is read of results of other schemas: those before this one as this one has them, those after it not at all.
 * Whole files of schema 1 are read in test_old_results.sh. */
#include "check.h"
#include "fixture.h"
#include "scratch.h"

#include <stdio.h>
#include <string.h>

#include <hdf5.h>

#include <interfield/certificate.h>
#include <interfield/column.h>

#include "record/legend.h"
#include "record/result.h"

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static ifd_json_node *summary_of(const char *text)
{
    char folder[SCRATCH_PATH], path[SCRATCH_PATH + 20];
    ifd_json_node *root = NULL;
    bool sealed;
    assert_true(scratch_make(folder));
    snprintf(path, sizeof path, "%s/summary.json", folder);
    write_text(path, text);
    assert_int_equal(ifd_summary_read(arena, path, &sealed, &root, &note), IFD_OK);
    scratch_remove(folder);
    return root;
}

static void a_summary_of_schema_1_has_the_words_and_the_times_of_schema_2(void **state)
{
    (void)state;
    const ifd_json_node *root = summary_of(
        "{\"schema\": 1, \"outcome\": \"done\", \"clock\": {}, \"fault\": {\"time\": 2},\n"
        " \"peaks\": {\"a wanted\": {\"value\": 3, \"time\": 9}}, \"drift\": {\"b\": {\"value\": 4, \"time\": 8}}}");
    assert_string_equal(ifd_json_text_at(root, "outcome", ""), "completed");
    assert_null(ifd_json_at(root, "drift/b/time")); /* on the clock: not known in simulated time */
    assert_near(ifd_json_number_at(root, "drift/b/wall_time", 0), 8, 0, "a drift");
    assert_near(ifd_json_number_at(ifd_json_at(root, "peaks")->first, "wall_time", 0), 9, 0, "a peak");
    assert_near(ifd_json_number_at(root, "fault/time", 0), 2, 0, "a fault"); /* it was simulated time already */
    root = summary_of("{\"schema\": 1, \"outcome\": \"cut\", \"peaks\": {\"a\": {\"time\": 9}}}");
    assert_string_equal(ifd_json_text_at(root, "outcome", ""), "incomplete");
    assert_near(ifd_json_number_at(root, "peaks/a/time", 0), 9, 0, "of a run");
    root = summary_of("{\"schema\": 2, \"outcome\": \"done\", \"clock\": {}, \"peaks\": {\"a\": {\"time\": 9}}}");
    assert_string_equal(ifd_json_text_at(root, "outcome", ""), "done"); /* its meaning is unknown: unchanged */
    assert_near(ifd_json_number_at(root, "peaks/a/time", 0), 9, 0, "of this schema");
}

static void a_schema_that_is_not_known_is_refused_with_its_number(void **state)
{
    (void)state;
    static const long schema[] = {0, -1, IFD_RESULT_SCHEMA + 1, 1000000000000};
    for (size_t k = 0; k < COUNT(schema); k++) {
        char folder[SCRATCH_PATH], path[SCRATCH_PATH + 20];
        ifd_table t;
        assert_true(scratch_make(folder));
        snprintf(path, sizeof path, "%s/result.h5", folder);
        hid_t file = H5Fcreate(path, H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT), space = H5Screate(H5S_SCALAR);
        hid_t a = H5Acreate2(file, "schema", H5T_NATIVE_LONG, space, H5P_DEFAULT, H5P_DEFAULT);
        assert_true(H5Awrite(a, H5T_NATIVE_LONG, &schema[k]) >= 0);
        H5Aclose(a);
        H5Sclose(space);
        H5Fclose(file);
        bool later = schema[k] > 0;
        ifd_note_init(&note, arena);
        assert_int_equal(ifd_table_read(arena, folder, &t, &note), later ? IFD_UNSUPPORTED : IFD_DAMAGED);
        const char *said =
            ifd_arena_print(arena, "it has schema %ld; this version of interfield reads 1 to 2", schema[k]);
        assert_non_null(strstr(note.first->text, later ? said : "it does not contain its schema"));
        scratch_remove(folder);
    }
}

static void every_quantity_is_described_and_every_code_has_a_word(void **state)
{
    (void)state;
    int legends = 0;
    for (int q = 0; q < IFD_COLUMN_COUNT; q++) {
        const char *about = ifd_column_description((ifd_quantity)q);
        if (!*about)
            print_error("quantity %d has no description in src/base/column_about.c\n", q);
        assert_true(*about);
        ifd__legend l = ifd__legend_of((ifd_quantity)q);
        legends += l.count > 0;
        for (int k = 0; k < l.count; k++)
            assert_true(l.word[k] && *l.word[k] && !strchr(l.word[k], ' ') && (!l.text || *l.text[k]));
    }
    assert_int_equal(legends, 5);
    assert_string_equal(ifd__legend_of(IFD_COLUMN_TEST_STATE).word[IFD_MACHINE_RAMP_OUT],
                        ifd_machine_name(IFD_MACHINE_RAMP_OUT));
    assert_string_equal(ifd__legend_of(IFD_COLUMN_TEST_FAULT).word[IFD_TRIP_LOST], ifd_trip_name(IFD_TRIP_LOST));
    assert_string_equal(ifd__legend_of(IFD_COLUMN_CLOCK_ORDER).word[IFD_ORDER_QUIT], ifd_order_name(IFD_ORDER_QUIT));
    assert_string_equal(ifd__legend_of(IFD_COLUMN_TEST_WAITING).word[IFD_WAIT_ORDER], ifd_wait_name(IFD_WAIT_ORDER));
    assert_string_equal(ifd_column_description(IFD_COLUMN_COUNT), "");
}

#define test(name) cmocka_unit_test_setup_teardown(name, open_arena, close_arena)

int main(void)
{
    const struct CMUnitTest tests[] = {
        test(a_summary_of_schema_1_has_the_words_and_the_times_of_schema_2),
        test(a_schema_that_is_not_known_is_refused_with_its_number),
        test(every_quantity_is_described_and_every_code_has_a_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
