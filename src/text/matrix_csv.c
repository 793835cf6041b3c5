/* SPDX-License-Identifier: MIT */
/* Reads a full matrix from a CSV file. A first pass counts rows and numbers of every row, so that memory is taken
 * only for a square matrix that the file contains. */
#include "text/mtx.h"
#include "text/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct table {
    ifd_note *note;
    ifd__file file;
    ifd__lines lines;
    char between; /* the separator */
    char point;   /* of the decimals before; 0: none yet */
    bool headed;
    long n; /* rows and columns */
    int digits;
    double *value; /* by rows */
} table;

#define FAIL(t, code, ...)                                                                                           \
    ifd_note_add((t)->note, code, &(ifd_place){(t)->file.path, (t)->lines.number, 0, 0}, __VA_ARGS__)

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* The next field of a line, without blanks around it; false after the last one. *at is NULL after it. */
static bool next_field(const table *t, const char **at, const char *last, const char **from, const char **to)
{
    if (!*at)
        return false;
    const char *end = memchr(*at, t->between, (size_t)(last - *at));
    *from = *at;
    *to = end ? end : last;
    *at = end ? end + 1 : NULL;
    while (*from < *to && is_blank(**from))
        ++*from;
    while (*to > *from && is_blank((*to)[-1]))
        --*to;
    return true;
}

static ifd__lines rewound(const table *t)
{
    ifd__lines lines = ifd__lines_of(&t->file);
    if (t->file.length >= 3 && memcmp(t->file.text, "\xef\xbb\xbf", 3) == 0) /* byte-order mark of some editors */
        lines.next += 3;
    return lines;
}

static bool next_row(table *t, const char **first, const char **last)
{
    return ifd__lines_content(&t->lines, "#%", first, last);
}

/* A line without any number is a header. */
static bool is_header(const table *t, const char *first, const char *last)
{
    const char *from, *to;
    double x;
    while (next_field(t, &first, last, &from, &to))
        if (ifd__number_read(&from, to, &x) || ifd__number_not_finite(from, to))
            return false;
    return true;
}

static long count_fields(const table *t, const char *first, const char *last)
{
    long count = 0;
    for (const char *from, *to; next_field(t, &first, last, &from, &to);)
        count++;
    return count;
}

/* Separator, header, and n. */
static ifd_status find_shape(table *t)
{
    const char *first, *last;
    long rows = 0, begun = 0;
    t->lines = rewound(t);
    while (next_row(t, &first, &last)) {
        if (!t->between) {
            t->between = memchr(first, ';', (size_t)(last - first)) ? ';' : ',';
            t->n = count_fields(t, first, last);
            begun = t->lines.number;
            if ((t->headed = is_header(t, first, last)))
                continue;
        }
        long fields = count_fields(t, first, last);
        if (fields != t->n)
            return FAIL(t, IFD_MATRIX, "found %ld number%s in this row, expected %ld as in line %ld", fields,
                        fields == 1 ? "" : "s", t->n, begun);
        rows++;
    }
    if (rows == 0)
        return FAIL(t, IFD_MATRIX, "expected the rows of a matrix, found no number");
    if (rows == t->n)
        return IFD_OK;
    FAIL(t, IFD_MATRIX, "found %ld row%s of %ld number%s, expected a square matrix", rows, rows == 1 ? "" : "s", t->n,
         t->n == 1 ? "" : "s");
    if (t->between == ',' && t->n > rows)
        ifd_note_hint(t->note, "numbers with a decimal comma are separated by semicolons");
    return IFD_MATRIX;
}

/* The number of a field. Of a file with semicolons it may have a decimal comma. */
static bool read_number(table *t, const char *from, const char *to, double *out)
{
    char text[64];
    size_t length = (size_t)(to - from);
    if (length == 0 || length >= sizeof text)
        return false;
    memcpy(text, from, length);
    text[length] = '\0';
    char *comma = t->between == ';' ? strchr(text, ',') : NULL;
    if (comma && strchr(text, '.'))
        return false;
    if (comma)
        *comma = '.';
    const char *at = text;
    return ifd__number_read(&at, text + length, out) && at == text + length;
}

static ifd_status read_field(table *t, long row, long column, const char *from, const char *to)
{
    double *x = &t->value[row * t->n + column];
    int shown = (int)(to - from < 30 ? to - from : 30);
    char point = memchr(from, ',', (size_t)(to - from)) ? ',' : memchr(from, '.', (size_t)(to - from)) ? '.' : 0;
    if (!read_number(t, from, to, x))
        return FAIL(t, ifd__number_not_finite(from, to) ? IFD_NOT_FINITE : IFD_MATRIX,
                    "row %ld, column %ld: found '%.*s', expected a number", row + 1, column + 1, shown, from);
    if (!isfinite(*x))
        return FAIL(t, IFD_NOT_FINITE, "row %ld, column %ld: '%.*s' is too large for a number", row + 1, column + 1,
                    shown, from);
    if (point && t->point && point != t->point)
        return FAIL(t, IFD_MATRIX,
                    "row %ld, column %ld: found '%.*s', expected a decimal %s as in the numbers before it", row + 1,
                    column + 1, shown, from, t->point == ',' ? "comma" : "point");
    t->point = point ? point : t->point;
    int digits = ifd__mtx_digits(from, to);
    t->digits = digits > t->digits ? digits : t->digits;
    return IFD_OK;
}

static ifd_status read_rows(table *t)
{
    const char *first, *last, *from, *to;
    long row = 0;
    t->lines = rewound(t);
    if (t->headed)
        next_row(t, &first, &last);
    for (; row < t->n && next_row(t, &first, &last); row++)
        for (long column = 0; next_field(t, &first, last, &from, &to); column++)
            IFD_TRY(read_field(t, row, column, from, to));
    return IFD_OK;
}

/* The entries that are not zero, and whether the transposed ones are equal. */
static ifd_status pick_entries(ifd_arena *arena, table *t, ifd__mtx *out)
{
    const long n = t->n;
    const double *v = t->value;
    double largest = 0;
    size_t count = 0, k = 0;
    for (long i = 0; i < n * n; i++) {
        largest = fmax(largest, fabs(v[i]));
        count += v[i] != 0;
    }
    int *row = ifd_arena_array(arena, count, sizeof *row), *col = ifd_arena_array(arena, count, sizeof *col);
    double *value = ifd_arena_array(arena, count, sizeof *value);
    if (!row || !col || !value)
        return FAIL(t, IFD_NO_MEMORY, "no memory for %zu entries", count);
    *out = (ifd__mtx){.rows = (int)n, .cols = (int)n, .count = (int)count, .row = row, .col = col, .value = value};
    out->symmetric = true;
    out->digits = t->digits;
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++) {
            if (out->symmetric && fabs(v[i * n + j] - v[j * n + i]) > 1e-12 * largest) {
                out->symmetric = false;
                out->odd_row = (int)i;
                out->odd_col = (int)j;
            }
            if (v[i * n + j] == 0)
                continue;
            row[k] = (int)i;
            col[k] = (int)j;
            value[k++] = v[i * n + j];
        }
    return IFD_OK;
}

ifd_status ifd__matrix_csv_parse(ifd_arena *arena, const ifd__file *file, ifd__mtx *out, ifd_note *note)
{
    table t = {.note = note, .file = *file};
    *out = (ifd__mtx){0};
    IFD_TRY(find_shape(&t));
    t.value = ifd_arena_array(arena, (size_t)t.n * (size_t)t.n, sizeof *t.value);
    if (!t.value)
        return FAIL(&t, IFD_NO_MEMORY, "no memory for %ld x %ld entries", t.n, t.n);
    IFD_TRY(read_rows(&t));
    return pick_entries(arena, &t, out);
}
