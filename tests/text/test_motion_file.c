/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "fixture.h"

#include "record/files.h"
#include "text/motion_file.h"

#include <stdlib.h>
#include <string.h>

static const ifd__record_options acceleration = {.dim = IFD_DIM_ACCELERATION};

static ifd__record good(const char *path, const ifd__record_options *o)
{
    ifd__record r;
    ifd_status s = ifd__record_read(arena, path, o, &r, &note);
    if (s != IFD_OK)
        fail_msg("%s: %s", ifd_status_name(s), note.first->text);
    return r;
}

#define HEAD "PEER STRONG MOTION DATABASE RECORD\nSOMEWHERE 01/01/70, STATION, 180\n"

TEST_IN_ARENA(at2_headers_are_read_in_every_spelling)
{
    static const struct {
        const char *head;
        double dt, factor;
    } row[] = {
        {HEAD "ACCELERATION TIME HISTORY IN UNITS OF G\nNPTS=  4, DT= .0200 SEC\n", 0.02, 9.80665},
        {HEAD "ACCELERATION TIME SERIES IN UNITS OF G\nNPTS=   4, DT=   .0050 SEC,\n", 0.005, 9.80665},
        {HEAD "ACCELERATION TIME HISTORY IN UNITS OF G\n    4    0.0100    NPTS, DT\n", 0.01, 9.80665},
        {HEAD "ACCELERATION TIME HISTORY IN UNITS OF G\n 4 .01 NPTS,DT (SEC)\n", 0.01, 9.80665},
        {HEAD "acceleration time history in units of g\nnpts=4,dt=0.01 sec\n", 0.01, 9.80665},
        {HEAD "ACCELERATION TIME HISTORY IN UNITS OF CM/S/S\nNPTS= 4, DT= 0.01 SEC\n", 0.01, 0.01},
        {HEAD "ACCELERATION IN UNITS OF CM/SEC/SEC\nNPTS= 4, DT= 0.01 SEC\n", 0.01, 0.01},
        {HEAD "ACCELERATION IN UNITS OF CM/SEC**2.\nNPTS= 4, DT= 0.01 SEC\n", 0.01, 0.01},
        {HEAD "ACCELERATION IN UNITS OF M/S2\nNPTS : 4  DT : 1.0E-02\n", 0.01, 1},
        {HEAD "ACCELERATION IN UNITS OF GALS\nNPTS= 4, DT= 0.01 SEC\n", 0.01, 0.01},
        {HEAD "ACCELERATION IN UNITS OF IN/S/S\nNPTS= 4, DT= 0.01 SEC\n", 0.01, 0.0254},
        {"NPTS= 4, DT= 0.01 SEC\n", 0.01, 9.80665},
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        char text[400];
        snprintf(text, sizeof text, "%s  .1000000E+00 -.2000000E+00  .3000000E+00\n  .4000000E+00\n", row[i].head);
        ifd__record r = good(files_write("a.at2", text), &acceleration);
        assert_int_equal(r.samples.count, 4);
        assert_null(r.samples.time);
        assert_near(r.samples.dt, row[i].dt, 0, "dt of header %zu", i);
        for (int k = 0; k < 4; k++)
            assert_near_rel(r.samples.value[k], (k == 1 ? -0.2 : 0.1 * (k + 1)) * row[i].factor, 1e-15,
                            "value %d of header %zu", k, i);
        assert_near_rel(r.peak, 0.4 * row[i].factor, 1e-15, "peak of header %zu", i);
    }
}

TEST_IN_ARENA(at2_ends_with_a_line_of_stars_and_has_any_ends_of_lines)
{
    ifd__record r = good(files_write("a.at2", "UNITS OF G\r\r\nNPTS= 3, DT= .01 SEC\r\r\n 1 2\r\r\n 3\r\r\n\r\r\n"
                                              "*** End Data ***\r\r\n"),
                         &acceleration);
    assert_int_equal(r.samples.count, 3);
    assert_near_rel(r.peak, 3.0 * 9.80665, 1e-15, "peak");
}

TEST_IN_ARENA(displacements_are_read_where_they_are_expected)
{
    const ifd__record_options length = {.dim = IFD_DIM_LENGTH};
    static const char text[] = "DISPLACEMENT TIME SERIES IN UNITS OF CM\nNPTS= 2, DT= .01 SEC\n 1 2\n";
    assert_near_rel(good(files_write("a.DT2", text), &length).peak, 0.02, 1e-15, "peak");
}

TEST_IN_ARENA(the_case_states_a_unit_that_the_file_has_in_unknown_words)
{
    const ifd__record_options gal = {.dim = IFD_DIM_ACCELERATION, .unit = "gal"};
    static const char text[] = "IN UNITS OF MG\nNPTS= 2, DT= .01 SEC\n 1 2\n";
    assert_near_rel(good(files_write("a.AT2", text), &gal).peak, 0.02, 1e-15, "peak");
}

TEST_IN_ARENA(words_in_brackets_are_no_units)
{
    static const char text[] = "# station (t), hall [m]\ntime (s), a (north)\n0,1\n0.1,2\n";
    assert_near_rel(good(files_write("a.csv", text), &acceleration).peak, 2.0, 1e-15, "peak");
}

TEST_IN_ARENA(at2_numbers_may_touch_and_carry_fortran_exponents)
{
    const char *text = HEAD "ACCELERATION TIME HISTORY IN UNITS OF M/S2\r\nNPTS=  7, DT= .0200 SEC\r\n"
                            "-.1234567E-03-.2345678E-03-.3456789E-03 .4567890E-03\r\n 1.D-1 2d+0, -3.5\r\n\r\n";
    const double expected[] = {-.1234567e-3, -.2345678e-3, -.3456789e-3, .4567890e-3, 0.1, 2, -3.5};
    ifd__record r = good(files_write("b.txt", text), &acceleration);
    assert_int_equal(r.samples.count, 7);
    for (int i = 0; i < 7; i++)
        assert_near(r.samples.value[i], expected[i], 0, "value %d", i);
}

TEST_IN_ARENA(csv_is_read_with_any_separator)
{
    static const char *const text[] = {
        "0,1\n0.1,2\n0.2,-3\n",
        "time,acc\n0;1\n0.1;2\n0.2;-3\n",
        "# a comment\n\n0\t1\n0.1\t2\n0.2\t-3",
        "  0   1\r\n 0.1   2  \r\n  0.2 -3 \r\n\r\n",
        "\xef\xbb\xbf\"t\",\"a\"\n0 , 1\n0.1 , 2,\n# in the middle\n0.2 , -3\n",
        "% matlab\n// c\n0 1.\n1.e-1 +2\n2d-1 -3e0\n",
    };
    for (size_t i = 0; i < COUNT(text); i++) {
        ifd__record r = good(files_write("c.csv", text[i]), &acceleration);
        assert_int_equal(r.samples.count, 3);
        assert_near(r.samples.dt, 0.1, 0, "dt of text %zu", i);
        assert_near(r.samples.value[2], -3, 0, "value of text %zu", i);
    }
}

TEST_IN_ARENA(csv_units_come_from_brackets_or_the_case)
{
    const char *path = files_write("d.csv", "# time [s], acceleration [cm/s^2]\n0,100\n0.1,200\n");
    assert_near(good(path, &acceleration).samples.value[0], 1, 1e-15, "stated");
    path = files_write("d.csv", "time (s);acc (g)\n0;1\n0.1;2\n");
    assert_near(good(path, &acceleration).samples.value[0], 9.80665, 0, "heading");
    path = files_write("d.csv", "0,1\n0.1,2\n");
    assert_near(good(path, &acceleration).samples.value[0], 1, 0, "SI when nobody says");
    const ifd__record_options g = {.dim = IFD_DIM_ACCELERATION, .unit = "g"};
    assert_near(good(path, &g).samples.value[1], 2 * 9.80665, 1e-15, "asked for");
    const ifd__record_options mm = {.dim = IFD_DIM_LENGTH, .unit = "mm"};
    assert_near(good(path, &mm).samples.value[1], 0.002, 1e-18, "a displacement");
}

TEST_IN_ARENA(one_column_takes_the_interval_from_the_case)
{
    const ifd__record_options o = {.dim = IFD_DIM_ACCELERATION, .dt = 0.02};
    ifd__record r = good(files_write("e.csv", "acc [m/s2]\n1\n2\n3\n"), &o);
    assert_int_equal(r.samples.count, 3);
    assert_near(r.samples.dt, 0.02, 0, "dt");
}

TEST_IN_ARENA(uneven_times_are_kept)
{
    ifd__record r = good(files_write("f.csv", "0.5,1\n0.6,2\n0.9,3\n1.0,0\n"), &acceleration);
    assert_non_null(r.samples.time);
    assert_near(r.samples.time[2], 0.9, 0, "time");
    const ifd_signal *s;
    double out[3];
    assert_int_equal(ifd_signal_make_table(arena, &r.samples, IFD_INTERPOLATE_LINEAR, &s, &note), IFD_OK);
    ifd_signal_eval(s, 0.75, out);
    assert_near(out[0], 2.5, 1e-14, "interpolated");
    r = good(files_write("f.csv", "0,1\n0.0333,2\n0.0667,3\n0.1,0\n"), &acceleration); /* thirds, printed */
    assert_null(r.samples.time);
    assert_near(r.samples.dt, 0.0333333333, 1e-15, "dt of printed thirds");
}

TEST_IN_ARENA(damaged_records_are_refused_with_their_line)
{
    static const struct {
        const char *name, *text;
        ifd_status code;
        int line;
        const char *says;
    } row[] = {
        {"a.AT2", HEAD "UNITS OF G\nNPTS= 4, DT= .02 SEC\n 1 2 3\n", IFD_RECORD, 4,
         "NPTS is 4 but the file contains 3 values"},
        {"a.AT2", HEAD "UNITS OF G\nNPTS= 2, DT= .02 SEC\n 1 2 3\n", IFD_RECORD, 4,
         "NPTS is 2 but the file contains 3 values"},
        {"a.AT2", HEAD "UNITS OF G\nNPTS= 3, DT= .02 SEC\n 1 2\n 3 x4\n", IFD_RECORD, 6,
         "found 'x4', expected a number"},
        {"a.AT2", HEAD "UNITS OF G\nNPTS= 3, DT= .02 SEC\n 1 ******* 2\n", IFD_RECORD, 5, "found '*******'"},
        {"a.AT2", HEAD "UNITS OF G\nNPTS= 3, DT= .02 SEC\n 1 NaN 2\n", IFD_NOT_FINITE, 5, "found 'NaN'"},
        {"a.AT2", HEAD "UNITS OF G\nNPTS= 3, DT= .02 SEC\n 1 1e999 2\n", IFD_NOT_FINITE, 5, "too large"},
        {"a.AT2", HEAD "UNITS OF G\nNPTS= 3, DT= 0 SEC\n 1 2 3\n", IFD_RECORD, 4, "DT is 0"},
        {"a.AT2", HEAD "UNITS OF G\nNPTS= many\n 1 2 3\n", IFD_RECORD, 4, "expected NPTS and DT"},
        {"a.AT2", HEAD "UNITS OF G\n 1 2 3\n", IFD_RECORD, 4, "no line with NPTS and DT"},
        {"a.AT2", "", IFD_RECORD, 0, "no line with NPTS and DT"},
        {"a.AT2", HEAD "UNITS OF G\nNPTS= 2, DT= .02 SEC\n 1 2\n******* \n", IFD_RECORD, 6, "found '*******'"},
        {"a.AT2", HEAD "UNITS OF MG\nNPTS= 2, DT= .02 SEC\n 1 2\n", IFD_UNIT, 0, "contains the unknown unit 'mg'"},
        {"a.VT2", HEAD "VELOCITY TIME SERIES IN UNITS OF CM/S\nNPTS= 2, DT= .02 SEC\n 1 2\n", IFD_UNIT, 0,
         "contains a velocity (cm/s), expected an acceleration"},
        {"a.AT2", HEAD "VELOCITY TIME SERIES\nNPTS= 2, DT= .02 SEC\n 1 2\n", IFD_UNIT, 0, "contains a velocity"},
        {"a.DT2", HEAD "IN UNITS OF CM\nNPTS= 2, DT= .02 SEC\n 1 2\n", IFD_UNIT, 0, "contains a length (cm)"},
        {"a.DT2", HEAD "NPTS= 2, DT= .02 SEC\n 1 2\n", IFD_UNIT, 0, "contains a length (cm)"},
        {"a.csv", "time [s], velocity [cm/s]\n0,1\n0.1,2\n", IFD_UNIT, 0, "contains a velocity (cm/s)"},
        {"a.csv", "time [s], a [mg]\n0,1\n0.1,2\n", IFD_UNIT, 0, "contains the unknown unit 'mg'"},
        {"a.mtx", "%%MatrixMarket matrix array real general\n2 1\n1\n2\n", IFD_RECORD, 0, "is a Matrix Market file"},
        {"a.json", "{\"a\": [1, 2]}\n", IFD_RECORD, 0, "is a JSON file"},
        {"a.h5", "\x89HDF\r\n\x1a\n", IFD_RECORD, 0, "is an HDF5 file"},
        {"a.csv", "", IFD_RECORD, 0, "contains 0 samples"},
        {"a.csv", "# nothing\n", IFD_RECORD, 0, "contains 0 samples"},
        {"a.csv", "0,1\n", IFD_RECORD, 1, "contains 1 sample,"},
        {"a.csv", "# t,a\n\n0,1\n", IFD_RECORD, 3, "contains 1 sample,"},
        {"a.AT2", HEAD "UNITS OF G\nNPTS= 1, DT= .02 SEC\n 1\n", IFD_RECORD, 5, "contains 1 sample,"},
        {"a.csv", "0,1\n0.1,abc\n", IFD_RECORD, 2, "found 'abc', expected a number"},
        {"a.csv", "0,1\n0.1,nan\n", IFD_NOT_FINITE, 2, "found 'nan'"},
        {"a.csv", "nan,1\n0.1,1\n", IFD_NOT_FINITE, 1, "found 'nan'"},
        {"a.csv", "0,1\n0.1,-inf\n", IFD_NOT_FINITE, 2, "found '-inf'"},
        {"a.csv", "0,1\n0.1,\n", IFD_RECORD, 2, "found 1 column, expected 2 as in the rows before"},
        {"a.csv", "0,1\n0.1,2,3\n", IFD_RECORD, 2, "more than two columns"},
        {"a.csv", "0,1\n0.1,2\n0.1,3\n", IFD_RECORD, 3, "time 0.1 s is not after 0.1 s"},
        {"a.csv", "t,a\nalso,text\n", IFD_RECORD, 0, "is a text file without numbers"},
        {"a.csv", "t,a\nalso,text\n0,1\n", IFD_RECORD, 2, "found 'also'"},
        {"a.yaml", "# case\ntime: {step: 1 ms, end: 1 s}\nmethod: newmark\n", IFD_RECORD, 0, "is a YAML file"},
        {"a.csv", "0,1x\n", IFD_RECORD, 1, "expected a number"},
        {"a.csv", "1\n2\n3\n", IFD_MISSING_KEY, 0, "'dt'"},
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        ifd__record r;
        ifd_note_init(&note, arena);
        ifd_status s = ifd__record_read(arena, files_write(row[i].name, row[i].text), &acceleration, &r, &note);
        if (s != row[i].code || note.errors != 1 || !strstr(note.first->text, row[i].says) ||
            note.first->place.line != row[i].line)
            fail_msg("row %zu: %s, %d errors, line %d, '%s'", i, ifd_status_name(s), note.errors,
                     note.first ? note.first->place.line : -1, note.first ? note.first->text : "");
    }
}

TEST_IN_ARENA(contradictions_with_the_case_are_refused)
{
    ifd__record r;
    ifd__record_options o = {.dim = IFD_DIM_ACCELERATION, .unit = "cm/s2"};
    const char *path = files_write("g.at2", HEAD "UNITS OF G\nNPTS= 2, DT= .02 SEC\n 1 2\n");
    assert_int_equal(ifd__record_read(arena, path, &o, &r, &note), IFD_CONFLICT);
    o.unit = "g";
    assert_int_equal(ifd__record_read(arena, path, &o, &r, &note), IFD_OK);
    o.dt = 0.01;
    assert_int_equal(ifd__record_read(arena, path, &o, &r, &note), IFD_CONFLICT);
    o.dt = 0.02;
    assert_int_equal(ifd__record_read(arena, path, &o, &r, &note), IFD_OK);
    o.unit = "mm";
    assert_int_equal(ifd__record_read(arena, path, &o, &r, &note), IFD_UNIT);
    o.unit = "furlong";
    assert_int_equal(ifd__record_read(arena, path, &o, &r, &note), IFD_UNIT);
    assert_int_equal(ifd__record_read(arena, files_path("missing.csv"), &o, &r, &note), IFD_FILE);
    assert_int_equal(ifd__record_read(arena, files_path("."), &o, &r, &note), IFD_FILE);
}

TEST_IN_ARENA(cut_and_spoiled_files_never_crash)
{
    static const char *const whole[] = {
        HEAD "ACCELERATION TIME HISTORY IN UNITS OF G\nNPTS=  4, DT= .0200 SEC\n -.1E-03-.2E-03 3.D0\n 4\n",
        "# time [s], acceleration [m/s^2]\nt;a\n0;1\n0.1;2.5e0\n0.2;-3\n",
    };
    srand(7);
    for (size_t k = 0; k < COUNT(whole); k++)
        for (size_t n = 0; n <= strlen(whole[k]); n++)
            for (int spoil = 0; spoil < 4; spoil++) {
                char text[400];
                memcpy(text, whole[k], n);
                for (int j = 0; j < spoil && n > 0; j++)
                    text[(size_t)rand() % n] = (char)(rand() % 256);
                ifd__record r;
                const char *path = files_write_n("h.dat", text, n);
                ifd_status s = ifd__record_read(arena, path, &acceleration, &r, &note);
                if (s == IFD_OK)
                    assert_true(r.samples.count >= 2 && isfinite(r.peak));
            }
}

TEST_IN_ARENA(the_records_of_the_project_are_read)
{
    const char *path = files_data("elcentro_1940_ns.AT2");
    if (!path) {
        print_message("the folder of records is not here (INTERFIELD_DATA)\n");
        skip();
    }
    ifd__record at2 = good(path, &acceleration);
    ifd__record csv = good(files_data("elcentro_1940_ns.csv"), &acceleration);
    assert_int_equal(at2.samples.count, 2060);
    assert_int_equal(csv.samples.count, 2060);
    assert_near(at2.samples.dt, 0.02, 0, "dt");
    assert_near(csv.samples.dt, 0.02, 0, "dt");
    for (int i = 0; i < 2060; i++)
        assert_near(at2.samples.value[i], csv.samples.value[i], 1e-5, "sample %d of both files", i);
    ifd__record kobe = good(files_data("kobe_1995.csv"), &acceleration);
    ifd__record hill = good(files_data("morgan_hill_1984.csv"), &acceleration);
    assert_int_equal(kobe.samples.count, 5095);
    assert_near(kobe.samples.dt, 0.01, 0, "dt");
    assert_int_equal(hill.samples.count, 7995);
    assert_near(hill.samples.dt, 0.005, 0, "dt");
    ifd__record r;
    assert_int_equal(ifd__record_read(arena, files_data("rths_perturbed_plants.csv"), &acceleration, &r, &note),
                     IFD_RECORD);
}

TESTS_WITH(files_open, files_close)
