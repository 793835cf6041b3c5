/* SPDX-License-Identifier: MIT */
/* ctest: begins 26 of the first */
/* A finished result.h5 carries a checksum of itself: every reader reports one changed bit anywhere, and no
 * damage makes a reader hang. */
#define H5_USE_110_API /* the callbacks as they are from HDF5 1.10 on */
#include "check.h"

#include <fcntl.h>
#include <hdf5.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <interfield/certificate.h>
#include <interfield/replay.h>

#include "files.h"
#include "record/result.h"
#include "spring.h"
#include "ticks.h"

enum { PATIENCE = 300 /* s; a reader that hangs ends the program */ };

static void flip(const char *path, long at, int bit)
{
    unsigned char byte;
    int file = open(path, O_RDWR);
    assert_int_equal(pread(file, &byte, 1, at), 1);
    byte = (unsigned char)(byte ^ 1u << bit);
    assert_int_equal(pwrite(file, &byte, 1, at), 1);
    close(file);
}

static long size_of(const char *path)
{
    struct stat facts;
    assert_int_equal(stat(path, &facts), 0);
    return (long)facts.st_size;
}

static ifd_status read_table(const char *path, char said[300])
{
    ifd_arena *arena = ifd_arena_open();
    ifd_note note;
    ifd_table t;
    ifd_note_init(&note, arena);
    ifd_status status = ifd_table_read(arena, path, &t, &note);
    snprintf(said, 300, "%s", note.first ? note.first->text : "");
    ifd_arena_close(arena);
    return status;
}

/* The value that every implementation of CRC-32 gives. */
static void the_checksum_is_that_of_zlib(void **state)
{
    (void)state;
    const char *path = files_write("sum", "123456789");
    uint32_t crc = 0;
    assert_true(ifd__seal_put(path));
    int file = open(path, O_RDONLY);
    assert_int_equal(pread(file, &crc, sizeof crc, 9 + 16), sizeof crc);
    close(file);
    assert_int_equal(crc, 0xcbf43926u);
    assert_int_equal(ifd__seal_check(path), IFD__SEAL_HOLDS);
}

static void every_bit_of_a_sealed_file_counts(void **state)
{
    (void)state;
    const char *path = files_write("sealed", "a text of no particular kind, longer than a few words\n");
    assert_int_equal(ifd__seal_check(path), IFD__SEAL_NONE);
    assert_true(ifd__seal_put(path));
    assert_int_equal(ifd__seal_check(path), IFD__SEAL_HOLDS);
    for (long at = 0; at < size_of(path); at++)
        for (int bit = 0; bit < 8; bit++) {
            flip(path, at, bit);
            assert_int_equal(ifd__seal_check(path), IFD__SEAL_BROKEN);
            flip(path, at, bit);
        }
    assert_int_equal(ifd__seal_check(path), IFD__SEAL_HOLDS);
    assert_int_equal(ifd__seal_check(files_path("missing")), IFD__SEAL_NONE);
}

static void one_bit_anywhere_in_a_result_is_reported(void **state)
{
    (void)state;
    spring s;
    char said[300];
    uint64_t random = 5;
    spring_open(&s, "flipped", 0, NULL);
    spring_run(&s);
    const char *path = ifd_arena_print(s.books, "%s/result.h5", s.folder);
    long size = size_of(path);
    assert_int_equal(read_table(path, said), IFD_OK);
    for (int round = 0; round < 64 + 200; round += BRIEF ? 5 : 1) {
        long at = round < 64 ? round : (long)(ticks_random(&random) % (uint64_t)size);
        flip(path, at, round % 8);
        assert_int_equal(read_table(path, said), IFD_DAMAGED);
        assert_non_null(strstr(said, "its checksum is wrong"));
        flip(path, at, round % 8);
    }
    ifd_replay_report r;
    assert_int_equal(ifd_replay_with(s.books, s.folder, &(ifd_replay_options){0}, &r, &s.note), IFD_OK);
    assert_null(r.result_wrong);
    assert_int_equal(r.result_rows, s.report.ticks);
    flip(path, size / 2, 3);
    assert_int_equal(ifd_replay_with(s.books, s.folder, &(ifd_replay_options){0}, &r, &s.note), IFD_OK);
    assert_int_equal(r.verdict, IFD_REPLAY_IDENTICAL);
    assert_non_null(strstr(r.result_wrong, "checksum is wrong"));
    spring_close(&s);
}

static ifd_status read_summary(const char *path, bool *sealed)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_note note;
    ifd_json_node *root = NULL;
    ifd_note_init(&note, arena);
    ifd_status status = ifd_summary_read(arena, path, sealed, &root, &note);
    assert_int_equal(status == IFD_OK, root && note.errors == 0);
    ifd_arena_close(arena);
    return status;
}

/* The few bytes that mark the checksum may be changed: the reader then reports that there is no checksum. */
static void one_bit_anywhere_in_a_summary_is_reported(void **state)
{
    (void)state;
    spring s;
    bool sealed = false;
    spring_open(&s, "summed", 0, NULL);
    spring_run(&s);
    const char *path = ifd_arena_print(s.books, "%s/summary.json", s.folder);
    long size = size_of(path), body = size - 35, refused = 0, damaged = 0;
    assert_int_equal(read_summary(path, &sealed), IFD_OK);
    assert_true(sealed);
    enum { STRIDE = BRIEF ? 17 : 1 };
    for (long at = 0; at < size - 1; at += STRIDE) {
        flip(path, at, (int)(at % 8));
        ifd_status status = read_summary(path, &sealed);
        if (at < body)
            assert_true(status != IFD_OK); /* a zero ends the text earlier */
        assert_true(status != IFD_OK || !sealed);
        damaged += status == IFD_DAMAGED;
        refused += status != IFD_OK;
        flip(path, at, (int)(at % 8));
    }
    assert_true(refused > body / STRIDE && damaged > body / STRIDE / 2);
    assert_int_equal(truncate(path, body), 0);
    int file = open(path, O_WRONLY | O_APPEND);
    assert_int_equal(write(file, "\n}\n", 3), 3);
    close(file);
    assert_int_equal(read_summary(path, &sealed), IFD_OK);
    assert_false(sealed);
    spring_close(&s);
}

/* A signature with a wrong bit is damage too, not a file of another kind. */
static void damage_of_a_signature_is_damage_without_a_seal_too(void **state)
{
    (void)state;
    spring s;
    char said[300];
    spring_open(&s, "unsealed", 0, NULL);
    spring_run(&s);
    const char *path = ifd_arena_print(s.books, "%s/result.h5", s.folder);
    assert_int_equal(truncate(path, size_of(path) - IFD__SEAL_BYTES), 0);
    assert_int_equal(read_table(path, said), IFD_OK);
    for (int round = 0; round < 64; round++) {
        flip(path, round / 8, round % 8);
        assert_int_equal(read_table(path, said), IFD_DAMAGED);
        flip(path, round / 8, round % 8);
    }
    assert_int_equal(read_table(path, said), IFD_OK);
    spring_close(&s);
}

/* Another program changed a number and the seal is gone: the journal knows better. */
static void a_number_that_was_changed_differs_from_the_journal(void **state)
{
    (void)state;
    spring s;
    ifd_replay_report r;
    const double wrong = -26942;
    spring_open(&s, "changed", 0, NULL);
    spring_run(&s);
    const char *path = ifd_arena_print(s.books, "%s/result.h5", s.folder);
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT),
          set = H5Dopen2(file, "/specimen/spring/force", H5P_DEFAULT);
    hid_t space = H5Dget_space(set), one = H5Screate(H5S_SCALAR);
    hsize_t at = 41;
    assert_true(H5Sselect_elements(space, H5S_SELECT_SET, 1, &at) >= 0);
    assert_true(H5Dwrite(set, H5T_NATIVE_DOUBLE, one, space, H5P_DEFAULT, &wrong) >= 0);
    H5Sclose(one);
    H5Sclose(space);
    H5Dclose(set);
    H5Fclose(file);
    assert_int_equal(ifd__seal_check(path), IFD__SEAL_NONE);
    assert_int_equal(ifd_replay_with(s.books, s.folder, &(ifd_replay_options){0}, &r, &s.note), IFD_OK);
    assert_int_equal(r.verdict, IFD_REPLAY_IDENTICAL);
    assert_non_null(strstr(r.result_wrong, "differs from the journal in row 42: 'spring force' is -26942"));
    spring_close(&s);
}

/* Marks result.h5 as "not written", as on a full disk, and keeps its first rows. */
static herr_t shorten(hid_t object, const char *name, const H5O_info_t *info, void *rows)
{
    hid_t set = info->type == H5O_TYPE_DATASET ? H5Dopen2(object, name, H5P_DEFAULT) : -1;
    if (set >= 0 && H5Aexists(set, "index") > 0)
        assert_true(H5Dset_extent(set, rows) >= 0);
    if (set >= 0)
        H5Dclose(set);
    return 0;
}

static void write_outcome(hid_t file, const char *outcome)
{
    hid_t attribute = H5Aopen(file, "outcome", H5P_DEFAULT), type = H5Aget_type(attribute);
    assert_true(H5Awrite(attribute, type, &outcome) >= 0);
    H5Tclose(type);
    H5Aclose(attribute);
}

static void mark_not_written(hid_t file)
{
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t mark = H5Acreate2(file, "not_written", H5T_NATIVE_LONG, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Awrite(mark, H5T_NATIVE_LONG, &(long){1}) >= 0);
    H5Aclose(mark);
    H5Sclose(space);
}

/* On a full disk the journal has more than result.h5, which is marked accordingly: the record is complete. A shorter
 * result.h5 without this mark is damaged. */
static void a_result_that_was_not_written_to_its_end_is_the_beginning_of_its_journal(void **state)
{
    (void)state;
    enum { AS_STATED_BEFORE, CLAIMS, STATES, WAYS };
    for (int way = 0; way < WAYS; way++) {
        const bool claims = way == CLAIMS;
        spring s;
        ifd_replay_report r;
        hsize_t rows = 40;
        spring_open(&s, claims ? "claims" : way == STATES ? "states" : "full", 0, NULL);
        spring_run(&s);
        const char *path = ifd_arena_print(s.books, "%s/result.h5", s.folder);
        hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
        H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, shorten, &rows);
        if (way == AS_STATED_BEFORE)
            write_outcome(file, "not written");
        if (way == STATES)
            mark_not_written(file);
        H5Fclose(file);
        assert_int_equal(ifd_replay_with(s.books, s.folder, &(ifd_replay_options){0}, &r, &s.note), IFD_OK);
        assert_int_equal(r.verdict, IFD_REPLAY_IDENTICAL);
        assert_int_equal(r.result_unfinished, !claims);
        assert_int_equal(r.result_rows, claims ? 0 : rows);
        assert_int_equal(r.result_wrong != NULL, claims);
        spring_close(&s);
    }
}

/* Without a seal, as results were before there were seals: refused or read, but without hanging. */
static void a_damaged_file_without_a_seal_keeps_nobody_waiting(void **state)
{
    (void)state;
    spring s;
    char said[300];
    uint64_t random = 6;
    spring_open(&s, "old", 0, NULL);
    spring_run(&s);
    const char *path = ifd_arena_print(s.books, "%s/result.h5", s.folder);
    long size = size_of(path) - IFD__SEAL_BYTES;
    assert_int_equal(truncate(path, size), 0);
    assert_int_equal(read_table(path, said), IFD_OK);
    for (int round = 0; round < 48 * 8 + 100; round += BRIEF ? 5 : 1) {
        long at = round < 48 * 8 ? round / 8 : (long)(ticks_random(&random) % (uint64_t)size);
        flip(path, at, round % 8);
        ifd_status status = read_table(path, said);
        assert_true(round >= 48 * 8 || status != IFD_OK);
        assert_true(status == IFD_OK || said[0]);
        flip(path, at, round % 8);
    }
    spring_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_checksum_is_that_of_zlib),
        cmocka_unit_test(every_bit_of_a_sealed_file_counts),
        cmocka_unit_test(one_bit_anywhere_in_a_result_is_reported),
        cmocka_unit_test(one_bit_anywhere_in_a_summary_is_reported),
        cmocka_unit_test(damage_of_a_signature_is_damage_without_a_seal_too),
        cmocka_unit_test(a_number_that_was_changed_differs_from_the_journal),
        cmocka_unit_test(a_result_that_was_not_written_to_its_end_is_the_beginning_of_its_journal),
        cmocka_unit_test(a_damaged_file_without_a_seal_keeps_nobody_waiting),
    };
    alarm(PATIENCE);
    return cmocka_run_group_tests(tests, files_open, files_close);
}
