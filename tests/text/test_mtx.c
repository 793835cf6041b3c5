/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "fixture.h"

#include "record/files.h"
#include "text/file.h"
#include "text/mtx.h"

#include <stdlib.h>
#include <string.h>

static ifd_status mtx_read(ifd_arena *a, const char *path, ifd__mtx *out, ifd_note *n)
{
    ifd__file file;
    IFD_TRY(ifd__file_read(a, path, NULL, &file, n));
    return ifd__mtx_parse(a, &file, out, n);
}

static ifd__mtx good(const char *text)
{
    ifd__mtx m;
    ifd_status s = mtx_read(arena, files_write("a.mtx", text), &m, &note);
    if (s != IFD_OK)
        fail_msg("%s: %s", ifd_status_name(s), note.first->text);
    return m;
}

static void expect(const ifd__mtx *m, int n, const double *dense)
{
    double a[16] = {0};
    assert_int_equal(m->rows, n);
    assert_int_equal(m->cols, n);
    for (int k = 0; k < m->count; k++)
        a[m->row[k] + n * m->col[k]] += m->value[k];
    for (int k = 0; k < n * n; k++)
        assert_near(a[k], dense[k], 0, "entry %d, %d", k % n, k / n);
    for (int k = 1; k < m->count; k++)
        assert_true(m->col[k] > m->col[k - 1] || (m->col[k] == m->col[k - 1] && m->row[k] > m->row[k - 1]));
}

TEST_IN_ARENA(symmetric_coordinates_give_both_triangles)
{
    ifd__mtx m = good("%%MatrixMarket matrix coordinate real symmetric\n% a comment\n%\n\n3 3 4\n"
                      "3 3 5.0\n1 1 2.0\n2 1 -1.5e0\n3 2 4\n");
    assert_true(m.symmetric);
    assert_int_equal(m.count, 6);
    expect(&m, 3, (const double[]){2, -1.5, 0, -1.5, 0, 4, 0, 4, 5});
}

TEST_IN_ARENA(arrays_go_down_the_columns)
{
    ifd__mtx m = good("%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n");
    assert_false(m.symmetric);
    assert_true((m.odd_row == 1 && m.odd_col == 0) || (m.odd_row == 0 && m.odd_col == 1));
    expect(&m, 2, (const double[]){1, 2, 3, 4});
    m = good("%%MatrixMarket MATRIX Array Real Symmetric\r\n2 2\r\n1\r\n0\r\n4\r\n");
    assert_true(m.symmetric);
    assert_int_equal(m.count, 2);
    expect(&m, 2, (const double[]){1, 0, 0, 4});
}

TEST_IN_ARENA(the_digits_of_the_longest_number_are_counted)
{
    static const struct {
        const char *number;
        int digits;
    } of[] = {{"123456", 6}, {"-0.0012345", 5}, {"1.23457e+08", 6},         {"2", 1},       {"1200000", 2},
              {"0", 0},      {"10.50e3", 3},    {"1.2345678901234567", 17}, {"-3E-300", 1}, {"1.005", 4}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        char text[200];
        snprintf(text, sizeof text,
                 "%%%%MatrixMarket matrix coordinate real symmetric\n12345 12345 1\n12345 12345 %s\n", of[i].number);
        assert_int_equal(good(text).digits, of[i].digits);
    }
}

TEST_IN_ARENA(general_storage_is_symmetric_when_its_numbers_are)
{
    static const char head[] = "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1e3\n";
    char text[200];
    snprintf(text, sizeof text, "%s1 2 5\n2 1 %.17g\n", head, 5 + 1e-10);
    assert_true(good(text).symmetric); /* 1e-13 of the largest entry */
    snprintf(text, sizeof text, "%s1 2 5\n2 1 %.17g\n", head, 5 + 1e-8);
    assert_false(good(text).symmetric);
    snprintf(text, sizeof text, "%s2 2 5\n2 1 1\n", head);
    assert_false(good(text).symmetric); /* an entry whose mirror is missing */
}

TEST_IN_ARENA(repeated_entries_add_up)
{
    ifd__mtx m = good("%%MatrixMarket matrix coordinate integer general\n2 2 4\n1 1 1\n2 2 7\n1 1 2\n1 1 3\n");
    assert_int_equal(m.count, 2);
    expect(&m, 2, (const double[]){6, 0, 0, 7});
}

TEST_IN_ARENA(what_is_written_is_read_back_exactly)
{
    const int row[] = {0, 1, 0, 1}, col[] = {0, 0, 1, 1};
    const double value[] = {1.0 / 3, 0.1, 0.1, 1e-300};
    for (int symmetric = 0; symmetric < 2; symmetric++) {
        const ifd__mtx m = {2, 2, 4, row, col, value, symmetric, 0, 0, 0};
        FILE *f = fopen(files_path("b.mtx"), "w");
        assert_true(ifd__mtx_write(f, &m, "stiffness"));
        fclose(f);
        ifd__mtx back;
        assert_int_equal(mtx_read(arena, files_path("b.mtx"), &back, &note), IFD_OK);
        assert_int_equal(back.count, 4);
        assert_true(back.symmetric);
        assert_memory_equal(back.value, value, sizeof value);
    }
}

TEST_IN_ARENA(damaged_files_are_refused_with_their_line)
{
#define C "%%MatrixMarket matrix coordinate real "
    static const struct {
        const char *text;
        ifd_status code;
        int line;
        const char *says;
    } row[] = {
        {"", IFD_MATRIX, 0, "begins with %%MatrixMarket"},
        {"2 2 1\n1 1 1\n", IFD_MATRIX, 1, "begins with %%MatrixMarket"},
        {"%%MatrixMarketX matrix\n", IFD_MATRIX, 1, "begins with %%MatrixMarket"},
        {"%%MatrixMarket vector coordinate real general\n", IFD_UNSUPPORTED, 1, "expected a matrix"},
        {"%%MatrixMarket matrix sparse real general\n", IFD_MATRIX, 1, "coordinate or array"},
        {"%%MatrixMarket matrix coordinate pattern general\n", IFD_UNSUPPORTED, 1, "not pattern or complex"},
        {"%%MatrixMarket matrix coordinate complex general\n", IFD_UNSUPPORTED, 1, "not pattern or complex"},
        {C "skew-symmetric\n", IFD_UNSUPPORTED, 1, "general or symmetric"},
        {C "hermitian\n", IFD_UNSUPPORTED, 1, "general or symmetric"},
        {C "general\n", IFD_MATRIX, 1, "ends before the size"},
        {C "general\n2 2\n", IFD_MATRIX, 2, "found 2 numbers, expected 3"},
        {C "general\n2 2 1 1\n", IFD_MATRIX, 2, "too many numbers, expected 3"},
        {C "general\n2 2.5 1\n", IFD_MATRIX, 2, "not a valid count"},
        {C "general\n-2 2 1\n", IFD_MATRIX, 2, "not a valid count"},
        {C "general\n0 2 1\n", IFD_MATRIX, 2, "not a valid count"},
        {C "general\n9e9 2 1\n", IFD_TOO_LARGE, 2, "not a valid count"},
        {"%%MatrixMarket matrix array real general\n100000 100000\n", IFD_TOO_LARGE, 2, "entries; the limit is"},
        {C "symmetric\n2 3 1\n", IFD_MATRIX, 2, "square"},
        {C "general\n2 2 2\n1 1 1\n", IFD_MATRIX, 3, "gives 2 entries but the file contains 1"},
        {C "general\n2 2 1\n1 1 1\n2 2 1\n", IFD_MATRIX, 4, "more entries than the 1"},
        {C "general\n2 2 1\n3 1 1\n", IFD_MATRIX, 3, "(3, 1) is outside"},
        {C "general\n2 2 1\n0 1 1\n", IFD_MATRIX, 3, "(0, 1) is outside"},
        {C "general\n2 2 1\n1 1.5 1\n", IFD_MATRIX, 3, "is outside"},
        {C "general\n2 2 1\n1 1\n", IFD_MATRIX, 3, "found 2 numbers, expected 3"},
        {C "general\n2 2 1\n1 1 x\n", IFD_MATRIX, 3, "found 'x', expected a number"},
        {C "general\n2 2 1\n1 1 2,5\n", IFD_MATRIX, 3, "expected a number"},
        {C "general\n2 2 1\n1 1 nan\n", IFD_NOT_FINITE, 3, "found 'nan'"},
        {C "general\n2 2 1\n1 1 -Inf\n", IFD_NOT_FINITE, 3, "found '-Inf'"},
        {C "general\n2 2 1\n1 1 1e999\n", IFD_NOT_FINITE, 3, "not a finite number"},
        {C "symmetric\n2 2 1\n1 2 1\n", IFD_MATRIX, 3, "above the diagonal"},
        {"%%MatrixMarket matrix array real general\n2 1\n1\nx\n", IFD_MATRIX, 4, "found 'x'"},
        {"%%MatrixMarket matrix array real general\n2 1\n1\n", IFD_MATRIX, 3, "gives 2"},
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        ifd__mtx m;
        ifd_note_init(&note, arena);
        ifd_status s = mtx_read(arena, files_write("c.mtx", row[i].text), &m, &note);
        if (s != row[i].code || note.errors != 1 || !strstr(note.first->text, row[i].says) ||
            note.first->place.line != row[i].line)
            fail_msg("row %zu: %s, %d errors, line %d, '%s'", i, ifd_status_name(s), note.errors,
                     note.first ? note.first->place.line : -1, note.first ? note.first->text : "");
    }
    ifd__mtx m;
    assert_int_equal(mtx_read(arena, files_path("missing"), &m, &note), IFD_FILE);
}

TEST_IN_ARENA(cut_and_spoiled_files_never_crash)
{
    static const char whole[] = C "symmetric\n% comment\n3 3 4\n3 3 5.0\n1 1 2.0\n2 1 -1.5e0\n3 2 4\n";
    srand(11);
    for (size_t n = 0; n < sizeof whole; n++)
        for (int spoil = 0; spoil < 6; spoil++) {
            char text[sizeof whole];
            memcpy(text, whole, n);
            for (int j = 0; j < spoil && n > 45; j++)
                text[45 + (size_t)rand() % (n - 45)] = "0123456789 \n.e-%x"[rand() % 17];
            ifd__mtx m;
            if (mtx_read(arena, files_write_n("d.mtx", text, n), &m, &note) == IFD_OK)
                for (int k = 0; k < m.count; k++)
                    assert_true(m.row[k] >= 0 && m.row[k] < m.rows && m.col[k] >= 0 && m.col[k] < m.cols);
        }
}

static ifd_status csv_read(const char *text, ifd__mtx *out)
{
    ifd__file file;
    ifd_note_init(&note, arena);
    IFD_TRY(ifd__file_read(arena, files_write("m.csv", text), NULL, &file, &note));
    return ifd__matrix_csv_parse(arena, &file, out, &note);
}

TEST_IN_ARENA(a_full_matrix_is_read_from_csv)
{
    static const char *const same[] = {"2,-1.5,0\n-1.5,0.25,4\n0,4,5e3\n",
                                       "a,b,c\n2, -1.5 ,0\n-1.5,0.25,4\n\n0,4,5e3",
                                       "2;-1.5;0\r\n-1.5;.25;4\r\n0;4;5E+3\r\n",
                                       "\xef\xbb\xbf\"first dof\";b;c\n2;-1,5;0\n-1,5;0,25;4\n0;4;5000,0\n",
                                       "# kg\n2,0;-1,5;0\n-1,5;0,250;4\n0;4;5e3\n"};
    for (size_t i = 0; i < COUNT(same); i++) {
        ifd__mtx m;
        if (csv_read(same[i], &m) != IFD_OK)
            fail_msg("'%s': %s", same[i], note.first->text);
        assert_true(m.symmetric);
        assert_int_equal(m.count, 7);
        assert_int_equal(m.digits, 2);
        expect(&m, 3, (const double[]){2, -1.5, 0, -1.5, 0.25, 4, 0, 4, 5000});
    }
    ifd__mtx m;
    assert_int_equal(csv_read("1,2\n3,4\n", &m), IFD_OK);
    expect(&m, 2, (const double[]){1, 3, 2, 4}); /* by columns */
    assert_false(m.symmetric);
    assert_true(m.odd_row + m.odd_col == 1);
    assert_int_equal(csv_read("7.5\n", &m), IFD_OK);
    expect(&m, 1, (const double[]){7.5});
}

TEST_IN_ARENA(a_wrong_csv_is_refused_with_its_line)
{
    static const struct {
        const char *text;
        ifd_status code;
        int line;
        const char *says;
    } row[] = {
        {"", IFD_MATRIX, 0, "found no number"},
        {"a,b\n", IFD_MATRIX, 1, "found no number"},
        {"1,2\n3,4\n5,6\n", IFD_MATRIX, 3, "found 3 rows of 2 numbers, expected a square matrix"},
        {"a,b\n1,2\n", IFD_MATRIX, 2, "found 1 row of 2 numbers, expected a square matrix"},
        {"1,2,3\n4,5\n6,7,8\n", IFD_MATRIX, 2, "found 2 numbers in this row, expected 3 as in line 1"},
        {"a,b,c\n1,2\n3,4\n", IFD_MATRIX, 2, "found 2 numbers in this row, expected 3 as in line 1"},
        {"1,2\n3,4,\n", IFD_MATRIX, 2, "found 3 numbers in this row, expected 2"},
        {"1,\n3,4\n", IFD_MATRIX, 1, "row 1, column 2: found '', expected a number"},
        {"a,1\n3,4\n", IFD_MATRIX, 1, "row 1, column 1: found 'a', expected a number"},
        {"1,2\n3,4 kg\n", IFD_MATRIX, 2, "row 2, column 2: found '4 kg', expected a number"},
        {"1 2\n3 4\n", IFD_MATRIX, 2, "found 2 rows of 1 number, expected a square matrix"},
        {"1;2\n3;1.234,5\n", IFD_MATRIX, 2, "found '1.234,5', expected a number"},
        {"1,5;2\n3;1.234\n", IFD_MATRIX, 2, "expected a decimal comma as in the numbers before it"},
        {"1.5;2\n3;1,234\n", IFD_MATRIX, 2, "expected a decimal point as in the numbers before it"},
        {"1,nan\n3,4\n", IFD_NOT_FINITE, 1, "found 'nan'"},
        {"inf,nan\n1,2\n3,4\n", IFD_MATRIX, 3, "found 3 rows of 2"},
        {"1,1e999\n3,4\n", IFD_NOT_FINITE, 1, "'1e999' is too large"},
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        ifd__mtx m;
        ifd_status s = csv_read(row[i].text, &m);
        if (s != row[i].code || note.errors != 1 || !strstr(note.first->text, row[i].says) ||
            note.first->place.line != row[i].line)
            fail_msg("row %zu: %s, %d errors, line %d, '%s'", i, ifd_status_name(s), note.errors,
                     note.first ? note.first->place.line : -1, note.first ? note.first->text : "");
    }
}

TEST_IN_ARENA(memory_running_out_is_a_status)
{
    const char *path = files_write("e.mtx", C "general\n2 2 1\n1 1 1\n");
    for (long n = 1; n <= 6; n++) {
        ifd__mtx m;
        ifd_arena_fail_at(arena, n);
        assert_int_equal(mtx_read(arena, path, &m, NULL), IFD_NO_MEMORY);
    }
    ifd_arena_fail_at(arena, 0);
}

TESTS_WITH(files_open, files_close)
