/* SPDX-License-Identifier: MIT */
/* Reads and writes Matrix Market files. */
#include "text/mtx.h"
#include "text/file.h"
#include "text/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct entry {
    int row, col, order; /* order: position in the file, so that sorting gives the same result everywhere */
    double value;
} entry;

typedef struct reader {
    ifd_arena *arena;
    ifd_note *note;
    ifd__file file;
    ifd__lines lines;
    bool array, symmetric;
    long rows, cols, stored; /* entries in the file */
    entry *entry;
    long count;
    int digits; /* largest number of significant digits of an entry */
} reader;

enum { MOST_ENTRIES = 500000000 };

#define FAIL(r, code, ...)                                                                                           \
    ifd_note_add((r)->note, code, &(ifd_place){(r)->file.path, (r)->lines.number, 0, 0}, __VA_ARGS__)

/* Compares a word of the banner, in lower case. */
static bool is_word(const char **at, const char *last, const char *word)
{
    size_t length = strlen(word);
    while (*at < last && (**at == ' ' || **at == '\t'))
        (*at)++;
    if ((size_t)(last - *at) < length || strncasecmp(*at, word, length) != 0)
        return false;
    const char *end = *at + length;
    if (end < last && *end != ' ' && *end != '\t')
        return false;
    *at = end;
    return true;
}

/* %%MatrixMarket matrix coordinate real symmetric */
static ifd_status read_banner(reader *r)
{
    const char *first, *last;
    if (!ifd__lines_next(&r->lines, &first, &last) || !is_word(&first, last, "%%MatrixMarket"))
        return FAIL(r, IFD_MATRIX, "a Matrix Market file begins with %%%%MatrixMarket");
    if (!is_word(&first, last, "matrix"))
        return FAIL(r, IFD_UNSUPPORTED, "expected a matrix, not another object");
    r->array = is_word(&first, last, "array");
    if (!r->array && !is_word(&first, last, "coordinate"))
        return FAIL(r, IFD_MATRIX, "expected the format coordinate or array");
    if (!is_word(&first, last, "real") && !is_word(&first, last, "integer") && !is_word(&first, last, "double"))
        return FAIL(r, IFD_UNSUPPORTED, "expected real or integer numbers, not pattern or complex");
    r->symmetric = is_word(&first, last, "symmetric");
    if (!r->symmetric && !is_word(&first, last, "general"))
        return FAIL(r, IFD_UNSUPPORTED, "expected general or symmetric storage");
    return IFD_OK;
}

int ifd__mtx_digits(const char *first, const char *last)
{
    int digits = 0, zeros = 0;
    for (; first < last && *first != 'e' && *first != 'E'; first++) {
        if (*first == '0' && digits)
            zeros++;
        else if (*first >= '1' && *first <= '9') {
            digits += zeros + 1;
            zeros = 0;
        }
    }
    return digits;
}

/* Exactly count numbers on a line; the last is the entry. */
static ifd_status read_numbers(reader *r, const char *first, const char *last, int count, double *out)
{
    int n = 0;
    while (first < last) {
        const char *begin = first;
        double x;
        if (!ifd__number_read(&first, last, &x) || (first < last && *first != ' ' && *first != '\t')) {
            return FAIL(r, ifd__number_not_finite(first, last) ? IFD_NOT_FINITE : IFD_MATRIX,
                        "found '%.*s', expected a number", (int)(last - first < 30 ? last - first : 30), first);
        }
        if (n == count)
            return FAIL(r, IFD_MATRIX, "found too many numbers, expected %d", count);
        out[n++] = x;
        if (n == count && ifd__mtx_digits(begin, first) > r->digits)
            r->digits = ifd__mtx_digits(begin, first);
        while (first < last && (*first == ' ' || *first == '\t'))
            first++;
    }
    if (n < count)
        return FAIL(r, IFD_MATRIX, "found %d number%s, expected %d", n, n == 1 ? "" : "s", count);
    return IFD_OK;
}

static ifd_status read_size(reader *r)
{
    const char *first, *last;
    double x[3] = {0};
    if (!ifd__lines_content(&r->lines, "%", &first, &last))
        return FAIL(r, IFD_MATRIX, "the file ends before the size of the matrix");
    IFD_TRY(read_numbers(r, first, last, r->array ? 2 : 3, x));
    for (int i = 0; i < 3; i++)
        if (x[i] != floor(x[i]) || x[i] < 0 || (i < 2 && x[i] < 1) || x[i] > MOST_ENTRIES)
            return FAIL(r, x[i] > MOST_ENTRIES ? IFD_TOO_LARGE : IFD_MATRIX, "the size %g is not a valid count",
                        x[i]);
    r->rows = (long)x[0];
    r->cols = (long)x[1];
    if (r->symmetric && r->rows != r->cols)
        return FAIL(r, IFD_MATRIX, "a symmetric matrix must be square, but this one is %ld x %ld", r->rows, r->cols);
    r->stored = (long)x[2];
    r->digits = 0; /* the digits of the size line do not count */
    if (r->array)
        r->stored = r->symmetric ? r->rows * (r->rows + 1) / 2 : r->rows * r->cols;
    if (r->stored > MOST_ENTRIES)
        return FAIL(r, IFD_TOO_LARGE, "the file has %ld entries; the limit is %d", r->stored, MOST_ENTRIES);
    return IFD_OK;
}

static void push(reader *r, long row, long col, double value)
{
    r->entry[r->count] = (entry){(int)row, (int)col, (int)r->count, value};
    r->count++;
    if (r->symmetric && row != col) {
        r->entry[r->count] = (entry){(int)col, (int)row, (int)r->count, value};
        r->count++;
    }
}

static ifd_status read_coordinate(reader *r, const char *first, const char *last)
{
    double x[3];
    IFD_TRY(read_numbers(r, first, last, 3, x));
    if (x[0] != floor(x[0]) || x[1] != floor(x[1]) || x[0] < 1 || x[1] < 1 || x[0] > (double)r->rows ||
        x[1] > (double)r->cols)
        return FAIL(r, IFD_MATRIX, "entry (%g, %g) is outside the %ld x %ld matrix (counted from 1)", x[0], x[1],
                    r->rows, r->cols);
    if (!isfinite(x[2]))
        return FAIL(r, IFD_NOT_FINITE, "entry (%g, %g) is not a finite number", x[0], x[1]);
    if (r->symmetric && x[1] > x[0])
        return FAIL(r, IFD_MATRIX,
                    "entry (%g, %g) is above the diagonal; symmetric storage contains the lower triangle", x[0],
                    x[1]);
    push(r, (long)x[0] - 1, (long)x[1] - 1, x[2]);
    return IFD_OK;
}

/* Arrays are stored by columns, from the diagonal if symmetric. */
static ifd_status read_array_entry(reader *r, const char *first, const char *last, long *row, long *col)
{
    double x;
    IFD_TRY(read_numbers(r, first, last, 1, &x));
    if (!isfinite(x))
        return FAIL(r, IFD_NOT_FINITE, "entry (%ld, %ld) is not a finite number", *row + 1, *col + 1);
    if (x != 0)
        push(r, *row, *col, x);
    if (++*row == r->rows) {
        ++*col;
        *row = r->symmetric ? *col : 0;
    }
    return IFD_OK;
}

static ifd_status read_entries(reader *r)
{
    const char *first, *last;
    long read = 0, row = 0, col = 0, lines = 0;
    for (const char *p = r->lines.next; p < r->lines.end; p++) /* a false count must not cause a large allocation */
        lines += *p == '\n';
    long room = r->stored < lines + 1 ? r->stored : lines + 1;
    r->entry = ifd_arena_array(r->arena, (size_t)room * (r->symmetric ? 2 : 1) + 1, sizeof *r->entry);
    if (!r->entry)
        return FAIL(r, IFD_NO_MEMORY, "no memory for %ld entries", r->stored);
    for (; ifd__lines_content(&r->lines, "%", &first, &last); read++) {
        if (read == r->stored)
            return FAIL(r, IFD_MATRIX, "found more entries than the %ld of the size line", r->stored);
        IFD_TRY(r->array ? read_array_entry(r, first, last, &row, &col) : read_coordinate(r, first, last));
    }
    if (read < r->stored)
        return FAIL(r, IFD_MATRIX, "the size line gives %ld entries but the file contains %ld", r->stored, read);
    return IFD_OK;
}

static int by_column(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->col != y->col)
        return x->col < y->col ? -1 : 1;
    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static void add_repeated(reader *r)
{
    long n = 0;
    for (long i = 0; i < r->count; i++) {
        entry *last = n ? &r->entry[n - 1] : NULL;
        if (last && last->row == r->entry[i].row && last->col == r->entry[i].col)
            last->value += r->entry[i].value;
        else
            r->entry[n++] = r->entry[i];
    }
    r->count = n;
}

static double value_at(const reader *r, int row, int col)
{
    entry key = {row, col, -1, 0};
    long low = 0, high = r->count;
    while (low < high) {
        long middle = low + (high - low) / 2;
        if (by_column(&r->entry[middle], &key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < r->count && r->entry[low].row == row && r->entry[low].col == col ? r->entry[low].value : 0;
}

static bool is_symmetric(const reader *r, ifd__mtx *out)
{
    double largest = 0;
    if (r->symmetric || r->rows != r->cols)
        return r->symmetric;
    for (long i = 0; i < r->count; i++)
        largest = fmax(largest, fabs(r->entry[i].value));
    for (long i = 0; i < r->count; i++) {
        const entry *e = &r->entry[i];
        if (fabs(e->value - value_at(r, e->col, e->row)) > 1e-12 * largest) {
            out->odd_row = e->row;
            out->odd_col = e->col;
            return false;
        }
    }
    return true;
}

static ifd_status finish(reader *r, ifd__mtx *out)
{
    qsort(r->entry, (size_t)r->count, sizeof *r->entry, by_column);
    add_repeated(r);
    int *row = ifd_arena_array(r->arena, (size_t)r->count, sizeof *row);
    int *col = ifd_arena_array(r->arena, (size_t)r->count, sizeof *col);
    double *value = ifd_arena_array(r->arena, (size_t)r->count, sizeof *value);
    if (!row || !col || !value)
        return FAIL(r, IFD_NO_MEMORY, "no memory for %ld entries", r->count);
    for (long i = 0; i < r->count; i++) {
        row[i] = r->entry[i].row;
        col[i] = r->entry[i].col;
        value[i] = r->entry[i].value;
    }
    *out = (ifd__mtx){
        .rows = (int)r->rows, .cols = (int)r->cols, .count = (int)r->count, .row = row, .col = col, .value = value};
    out->digits = r->digits;
    out->symmetric = is_symmetric(r, out);
    return IFD_OK;
}

ifd_status ifd__mtx_parse(ifd_arena *arena, const ifd__file *file, ifd__mtx *out, ifd_note *note)
{
    reader r = {.arena = arena, .note = note, .file = *file};
    *out = (ifd__mtx){0};
    r.lines = ifd__lines_of(&r.file);
    IFD_TRY(read_banner(&r));
    IFD_TRY(read_size(&r));
    IFD_TRY(read_entries(&r));
    return finish(&r, out);
}

bool ifd__mtx_write(FILE *stream, const ifd__mtx *m, const char *comment)
{
    int stored = 0;
    for (int i = 0; i < m->count; i++)
        stored += !m->symmetric || m->row[i] >= m->col[i];
    fprintf(stream, "%%%%MatrixMarket matrix coordinate real %s\n", m->symmetric ? "symmetric" : "general");
    if (comment)
        fprintf(stream, "%% %s\n", comment);
    fprintf(stream, "%d %d %d\n", m->rows, m->cols, stored);
    for (int i = 0; i < m->count; i++)
        if (!m->symmetric || m->row[i] >= m->col[i])
            fprintf(stream, "%d %d %.17g\n", m->row[i] + 1, m->col[i] + 1, m->value[i]);
    return fflush(stream) == 0 && !ferror(stream);
}
