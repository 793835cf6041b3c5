/* SPDX-License-Identifier: MIT */
/* What a user reads about a file of another schema, and the descriptions of the columns. */
#include "check.h"
#include "fixture.h"
#include "scratch.h"

#include <stdio.h>
#include <string.h>

#include <hdf5.h>

#include <interfield/certificate.h>
#include <interfield/checkpoint.h>
#include <interfield/column.h>

#include "record/journal/journal.h"
#include "record/result.h"

TEST_IN_ARENA(a_schema_that_is_not_known_is_refused_with_its_number)
{
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
        const char *said = ifd_arena_print(
            arena, "it was written by another version of interfield (schema %ld; this version reads schema 1)",
            schema[k]);
        assert_non_null(strstr(note.first->text, later ? said : "it does not contain its schema"));
        scratch_remove(folder);
    }
}

/* The other files, each with the number of its format raised by one. */
TEST_IN_ARENA(a_file_of_another_version_is_refused_with_a_sentence)
{
    ifd__journal_head journal = {.magic = IFD__JOURNAL_MAGIC, .order = IFD__JOURNAL_ORDER};
    journal.schema = IFD_JOURNAL_SCHEMA + 1;
    uint64_t checkpoint[40] = {0, 2};
    memcpy(checkpoint, "ifd-chk", 8);
    const char certificate[] = "{\"schema\": 2, \"interfield\": \"9.0\"}";
    const struct {
        const void *bytes;
        size_t size;
        ifd_status status;
        const char *said;
    } files[] = {{&journal, sizeof journal, IFD_FILE, "it was written by another version of interfield"},
                 {checkpoint, sizeof checkpoint, IFD_FILE,
                  "was written by another version of interfield (schema 2; this version reads schema 1)"},
                 {certificate, sizeof certificate - 1, IFD_UNSUPPORTED,
                  "was written by another version of interfield (schema 2; this version reads schema 1)"}};
    char folder[SCRATCH_PATH], path[SCRATCH_PATH + 20];
    assert_true(scratch_make(folder));
    for (size_t k = 0; k < COUNT(files); k++) {
        ifd_journal_reader *r;
        ifd_snapshot *snapshot;
        ifd_certificate c;
        snprintf(path, sizeof path, "%s/%zu", folder, k);
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        assert_int_equal(fwrite(files[k].bytes, 1, files[k].size, file), files[k].size);
        assert_int_equal(fclose(file), 0);
        ifd_note_init(&note, arena);
        ifd_status status = k == 0   ? ifd_journal_read(arena, path, &r, &note)
                            : k == 1 ? ifd_checkpoint_read(arena, path, NULL, &snapshot, &note)
                                     : ifd_certificate_read(arena, path, &c, &note);
        assert_int_equal(status, files[k].status);
        assert_non_null(strstr(note.first->text, files[k].said));
    }
    scratch_remove(folder);
}

TEST_IN_ARENA(every_quantity_is_described_and_every_code_has_a_word)
{
    int legends = 0;
    for (int q = 0; q < IFD_COLUMN_COUNT; q++) {
        const char *about = ifd_column_description((ifd_quantity)q);
        if (!*about)
            print_error("quantity %d has no description in src/base/column.c\n", q);
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

TESTS()
