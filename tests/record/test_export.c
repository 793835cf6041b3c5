/* SPDX-License-Identifier: MIT */
/* Names of exported channels; the files themselves are opened by other programs in tests/app/test_day.sh. */
#include "check.h"
#include "scratch.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <interfield/export.h>

static const char *const names[] = {
    "x displacement",
    "x.displacement",
    "1st floor",
    "time",
    "names",
    "Bogenl\303\244nge, oben",
    "a name that goes on and on and on beyond what a program of the eighties can bear one",
    "a name that goes on and on and on beyond what a program of the eighties can bear two"};

static ifd_table table(ifd_column *channel, double **column, double *value)
{
    for (size_t i = 0; i < COUNT(names); i++) {
        channel[i] = (ifd_column){.name = names[i], .unit = i % 2 ? "" : "m", .group = "displacement", .owner = ""};
        column[i] = value;
    }
    return (ifd_table){.title = "title",
                       .method = "lsrt2",
                       .outcome = "completed",
                       .rows = 2,
                       .columns = COUNT(names),
                       .time = value,
                       .column = channel,
                       .value = column};
}

TEST(every_channel_gets_an_identifier_of_its_own)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_column channel[COUNT(names)];
    double *column[COUNT(names)], value[2] = {0.1, 0.2};
    ifd_table t = table(channel, column, value);
    const char *const *out = NULL;
    assert_int_equal(ifd_export_names(arena, &t, &out), IFD_OK);
    assert_string_equal(out[0], "x_displacement");
    assert_string_equal(out[1], "x_displacement_2");
    assert_string_equal(out[2], "c_1st_floor");
    for (size_t i = 0; i < COUNT(names); i++) {
        assert_true(strlen(out[i]) <= 63 && isalpha((unsigned char)out[i][0]));
        for (const char *p = out[i]; *p; p++)
            assert_true(isalnum((unsigned char)*p) || *p == '_');
        assert_string_not_equal(out[i], "time");
        assert_string_not_equal(out[i], "names");
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(out[i], out[j]);
    }
    ifd_arena_close(arena);
}

TEST(names_with_commas_are_quoted_and_numbers_read_back)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_column channel[COUNT(names)];
    double *column[COUNT(names)], value[2] = {0.1, 1.0 / 3.0};
    ifd_table t = table(channel, column, value);
    char folder[SCRATCH_PATH], path[SCRATCH_PATH + 20], line[2000];
    assert_true(scratch_make(folder));
    ifd_export_options o;
    ifd_export_defaults(&o);
    o.folder = folder;
    assert_int_equal(ifd_export(arena, &t, &o, NULL), IFD_OK);
    snprintf(path, sizeof path, "%s/columns.csv", folder);
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    assert_non_null(fgets(line, sizeof line, in));
    assert_non_null(strstr(line, ",\"Bogenl\303\244nge, oben [1]\","));
    assert_non_null(fgets(line, sizeof line, in) && fgets(line, sizeof line, in) ? line : NULL);
    assert_near(strtod(line, NULL), 1.0 / 3.0, 0.0, "to the bit");
    fclose(in);
    ifd_note note;
    ifd_note_init(&note, arena);
    assert_int_equal(ifd_export(arena, &t, &o, &note), IFD_CONFLICT);
    assert_int_equal(scratch_remove(folder), 0);
    ifd_arena_close(arena);
}

TESTS()
