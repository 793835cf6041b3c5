/* SPDX-License-Identifier: MIT */
/* PEER AT2 and CSV. */
#include "text/motion_text.h"
#include "text/units.h"

#include <math.h>
#include <string.h>
#include <strings.h>

static const char *skip(const char *p, const char *last, const char *characters)
{
    while (p < last && *p && strchr(characters, *p))
        p++;
    return p;
}

/* The number after a word: "NPTS=  2060", "DT= .0200 SEC", "dt: 0.01". */
static bool number_behind(const char *first, const char *last, const char *word, double *out)
{
    const char *p = ifd__record_find(first, last, word);
    if (!p)
        return false;
    p = skip(p + strlen(word), last, " \t=:");
    return ifd__number_read(&p, last, out);
}

/* Both orders occur: "NPTS= 2060, DT= .0200 SEC" and "2060 0.0200 NPTS, DT". */
static bool read_header(const char *first, const char *last, double *count, double *dt)
{
    if (number_behind(first, last, "NPTS", count) && number_behind(first, last, "DT", dt))
        return true;
    const char *p = skip(first, last, " \t");
    if (!ifd__number_read(&p, last, count))
        return false;
    p = skip(p, last, " \t,");
    return ifd__number_read(&p, last, dt);
}

/* "ACCELERATION TIME SERIES IN UNITS OF G" */
static void read_unit(ifd__record_text *r, const char *first, const char *last)
{
    const char *p = ifd__record_find(first, last, "UNITS");
    if (!p)
        return;
    p = skip(p + strlen("UNITS"), last, " \t:=");
    if (last - p >= 3 && ifd__record_find(p, p + 3, "OF "))
        p = skip(p + 3, last, " \t");
    const char *end = p;
    while (end < last && !strchr(" \t,;", *end))
        end++;
    ifd__record_unit(r, p, end);
}

/* The number at *p; p moves past it. */
static ifd_status next_number(ifd__record_text *r, int line, const char **p, const char *last, double *x)
{
    if (!ifd__number_read(p, last, x))
        return ifd__record_no_number(r, line, *p, last);
    return isfinite(*x) ? IFD_OK : ifd__record_error(r, IFD_NOT_FINITE, line, "a number is too large");
}

/* Numbers may have no separator where columns have a fixed width: -.1234567E-03-.2345678E-03. */
static ifd_status read_numbers(ifd__record_text *r, int line, const char *first, const char *last)
{
    const char *p = skip(first, last, " \t,");
    while (p < last) {
        double x;
        IFD_TRY(next_number(r, line, &p, last, &x));
        IFD_TRY(ifd__column_push(r, &r->value, x));
        p = skip(p, last, " \t,");
    }
    return IFD_OK;
}

/* Files of velocity and displacement that state no unit show what they are by their title or their name. */
static void read_quantity(ifd__record_text *r, const char *first, const char *last)
{
    static const struct {
        const char *title, *ending, *unit;
        ifd_dimension dim;
    } kind[] = {{"VELOCITY TIME", ".vt2", "cm/s", IFD_DIM_VELOCITY},
                {"DISPLACEMENT TIME", ".dt2", "cm", IFD_DIM_LENGTH}};
    const char *dot = strrchr(r->file.path, '.');
    for (size_t i = 0; i < sizeof kind / sizeof *kind; i++)
        if (r->ask->dim != kind[i].dim && !r->unit[0] && !r->other[0] &&
            (ifd__record_find(first, last, kind[i].title) || (dot && strcasecmp(dot, kind[i].ending) == 0)))
            ifd__record_unit(r, kind[i].unit, kind[i].unit + strlen(kind[i].unit));
}

ifd_status ifd__record_at2(ifd__record_text *r)
{
    ifd__lines lines = ifd__lines_of(&r->file);
    const char *first, *last;
    double count = 0, dt = 0;
    int header = 0;
    while (header == 0 && ifd__lines_next(&lines, &first, &last)) {
        read_unit(r, first, last);
        read_quantity(r, first, last);
        if (!ifd__record_find(first, last, "NPTS"))
            continue;
        header = lines.number;
        if (!read_header(first, last, &count, &dt))
            return ifd__record_error(r, IFD_RECORD, header, "expected NPTS and DT with their numbers");
    }
    if (header == 0)
        return ifd__record_error(r, IFD_RECORD, lines.number, "no line with NPTS and DT was found");
    if (!(dt > 0) || !isfinite(dt))
        return ifd__record_error(r, IFD_RECORD, header, "DT is %g, expected more than zero", dt);
    while (ifd__lines_next(&lines, &first, &last)) {
        const char *p = skip(first, last, " \t");
        if (p == last || *p != '*' || !ifd__record_find(p, last, "END")) /* "*** End Data ***" */
            IFD_TRY(read_numbers(r, lines.number, first, last));
    }
    if (count != r->value.count)
        return ifd__record_error(r, IFD_RECORD, header, "NPTS is %.0f but the file contains %d values", count,
                                 r->value.count);
    r->dt = dt;
    if (!r->unit[0] && !r->other[0] && !r->ask->unit && r->ask->dim == IFD_DIM_ACCELERATION)
        strcpy(r->unit, "g");
    return IFD_OK;
}

/* The last unit in brackets that fits: "time [s], acceleration [m/s^2]". In a comment, and in parentheses where it is
 * no unit, a word is only a word: "# component (t)", "acceleration (north)". */
static void read_brackets(ifd__record_text *r, const char *first, const char *last, bool heading)
{
    for (const char *p = first; p < last; p++) {
        if (*p != '[' && *p != '(')
            continue;
        const char *end = memchr(p, *p == '[' ? ']' : ')', (size_t)(last - p));
        if (end)
            ifd__record_unit(r, p + 1, end);
        if (!heading || (*p == '(' && !r->other_known))
            r->other[0] = '\0';
    }
}

typedef struct cells {
    double x[2];
    int count;
} cells;

/* One or two numbers, separated by blanks or by one separator. */
static ifd_status read_row(ifd__record_text *r, int line, const char *first, const char *last, cells *out)
{
    const char *p = skip(first, last, " \t");
    out->count = 0;
    while (p < last) {
        double x;
        IFD_TRY(next_number(r, line, &p, last, &x));
        const char *behind = p;
        p = skip(p, last, " \t");
        if (p < last && strchr(",;", *p))
            p = skip(p + 1, last, " \t");
        if (p < last && p == behind)
            return ifd__record_no_number(r, line, first, last);
        if (out->count == 2)
            return ifd__record_error(r, IFD_RECORD, line, "found more than two columns, expected time and value");
        out->x[out->count++] = x;
    }
    return IFD_OK;
}

static ifd_status keep_row(ifd__record_text *r, int line, const cells *row, int columns)
{
    if (row->count != columns)
        return ifd__record_error(r, IFD_RECORD, line, "found %d column%s, expected %d as in the rows before",
                                 row->count, row->count == 1 ? "" : "s", columns);
    if (columns == 1)
        return ifd__column_push(r, &r->value, row->x[0]);
    if (r->time.count && !(row->x[0] > r->time.x[r->time.count - 1]))
        return ifd__record_error(r, IFD_RECORD, line, "time %g s is not after %g s", row->x[0],
                                 r->time.x[r->time.count - 1]);
    IFD_TRY(ifd__column_push(r, &r->time, row->x[0]));
    return ifd__column_push(r, &r->value, row->x[1]);
}

static bool is_comment(const char *first, const char *last)
{
    return first < last &&
           (*first == '#' || *first == '%' || (last - first > 1 && first[0] == '/' && first[1] == '/'));
}

/* A first line that does not begin with a number contains the names of columns; words such as nan are not names. */
static bool is_heading(const char *first, const char *last)
{
    double x;
    const char *p = skip(first, last, " \t+-");
    return !ifd__number_read(&p, last, &x) && !ifd__number_not_finite(p, last);
}

ifd_status ifd__record_csv(ifd__record_text *r)
{
    ifd__lines lines = ifd__lines_of(&r->file);
    const char *first, *last;
    int columns = 0;
    bool heading = false;
    while (ifd__lines_next(&lines, &first, &last)) {
        first = skip(first, last, " \t");
        bool is_name =
            columns == 0 && !heading && first < last && !is_comment(first, last) && is_heading(first, last);
        heading = heading || is_name;
        if (is_name || is_comment(first, last))
            read_brackets(r, first, last, is_name);
        if (is_name || first == last || is_comment(first, last))
            continue;
        cells row;
        IFD_TRY(read_row(r, lines.number, first, last, &row));
        columns = columns ? columns : row.count;
        IFD_TRY(keep_row(r, lines.number, &row, columns));
    }
    if (columns == 1 && !(r->ask->dt > 0))
        return ifd_note_add(r->note, IFD_MISSING_KEY, &r->ask->place,
                            "'%s' has one column: give the interval of its values with 'dt'", r->file.path);
    r->dt = columns == 1 ? r->ask->dt : 0;
    return IFD_OK;
}
