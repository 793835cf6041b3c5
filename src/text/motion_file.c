/* SPDX-License-Identifier: MIT */
/* Reads ground motions from AT2 and CSV files. */
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "text/bundle.h"
#include "text/file.h"
#include "text/motion_file.h"
#include "text/units.h"

typedef struct ifd__column {
    double *x;
    int count, room;
} ifd__column;

typedef struct ifd__record_text {
    ifd_arena *arena;
    const ifd__record_options *ask;
    ifd__file file;
    ifd_note *note;
    ifd__column time, value; /* time is empty if dt is set */
    int line;                /* of the last sample; 0: none */
    double dt;               /* s; 0 if times are given */
    char unit[32];           /* the unit in the file; "" without one */
    char other[32];          /* one of another quantity, not of time, or an unknown one; "" without */
    bool other_known;
} ifd__record_text;

static ifd_status column_push(ifd__record_text *r, ifd__column *column, double x)
{
    if (column->count == column->room) {
        int room = column->room ? 2 * column->room : 1024;
        double *larger = ifd_arena_array(r->arena, (size_t)room, sizeof *larger);
        if (!larger)
            return ifd_note_add(r->note, IFD_NO_MEMORY, &r->ask->place, "no memory to read '%s'", r->file.path);
        if (column->count)
            memcpy(larger, column->x, (size_t)column->count * sizeof *larger);
        column->x = larger;
        column->room = room;
    }
    column->x[column->count++] = x;
    return IFD_OK;
}

/* Adds an error at a line of the file. */
IFD_PRINTF(4, 5)
static ifd_status record_error(ifd__record_text *r, ifd_status code, int line, const char *format, ...)
{
    char text[200];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return ifd_note_add(r->note, code, &(ifd_place){r->file.path, line, 0, 0}, "%s", text);
}

/* Adds the error that a number is expected at first. */
static ifd_status record_no_number(ifd__record_text *r, int line, const char *first, const char *last)
{
    int length = 0;
    while (first + length < last && length < 30 && !strchr(" \t,;", first[length]))
        length++;
    return record_error(r, ifd__number_not_finite(first, last) ? IFD_NOT_FINITE : IFD_RECORD, line,
                        "found '%.*s', expected a number", length, first);
}

/* First occurrence of text between first and last, ignoring case; NULL: none. */
static const char *record_find(const char *first, const char *last, const char *text)
{
    size_t length = strlen(text);
    for (const char *p = first; p + length <= last; p++)
        if (strncasecmp(p, text, length) == 0)
            return p;
    return NULL;
}

/* Lower case; sec becomes s, ** becomes ^; a comma or full stop after the unit is removed. */
static void respell(const char *first, const char *last, char *out, size_t size)
{
    size_t n = 0;
    for (const char *p = first; p < last && n + 1 < size; p++) {
        if (last - p >= 3 && strncasecmp(p, "sec", 3) == 0) {
            out[n++] = 's';
            p += 2;
        } else if (last - p >= 2 && p[0] == '*' && p[1] == '*') {
            out[n++] = '^';
            p++;
        } else {
            out[n++] = (char)tolower((unsigned char)*p);
        }
    }
    while (n > 0 && strchr(" \t,.'", out[n - 1]))
        n--;
    out[n] = '\0';
}

static const char *const spelling[][2] = {{"gal", "Gal"},   {"gals", "Gal"}, {"g's", "g"}, {"gs", "g"},
                                          {"gravity", "g"}, {"n", "N"},      {"kn", "kN"}, {"mn", "MN"}};

/* Stores text as the unit of the file, in the spelling of this program (CM/SEC/SEC: cm/s/s), if it is a unit of the
 * dimension; otherwise as another unit. */
static void record_unit(ifd__record_text *r, const char *first, const char *last)
{
    char text[sizeof r->unit], bad[32];
    ifd__unit unit;
    double factor;
    respell(first, last, text, sizeof text);
    for (size_t i = 0; i < sizeof spelling / sizeof *spelling; i++)
        if (strcmp(text, spelling[i][0]) == 0)
            snprintf(text, sizeof text, "%s", spelling[i][1]);
    if (!text[0])
        return;
    bool known = ifd__unit_parse(text, &unit, bad);
    if (known && ifd__unit_fits(&unit, r->ask->dim, &factor))
        snprintf(r->unit, sizeof r->unit, "%s", text);
    else if (!known || !ifd__unit_fits(&unit, IFD_DIM_TIME, &factor)) { /* that of the other column */
        memcpy(r->other, text, sizeof text);
        r->other_known = known;
    }
}

/* Readers of the formats, PEER AT2 and CSV: they set time or dt, value and unit. */

static const char *skip(const char *p, const char *last, const char *characters)
{
    while (p < last && *p && strchr(characters, *p))
        p++;
    return p;
}

/* The number after a word: "NPTS=  2060", "DT= .0200 SEC", "dt: 0.01". */
static bool number_behind(const char *first, const char *last, const char *word, double *out)
{
    const char *p = record_find(first, last, word);
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
    const char *p = record_find(first, last, "UNITS");
    if (!p)
        return;
    p = skip(p + strlen("UNITS"), last, " \t:=");
    if (last - p >= 3 && record_find(p, p + 3, "OF "))
        p = skip(p + 3, last, " \t");
    const char *end = p;
    while (end < last && !strchr(" \t,;", *end))
        end++;
    record_unit(r, p, end);
}

/* The number at *p; p moves past it. */
static ifd_status next_number(ifd__record_text *r, int line, const char **p, const char *last, double *x)
{
    if (!ifd__number_read(p, last, x))
        return record_no_number(r, line, *p, last);
    return isfinite(*x) ? IFD_OK : record_error(r, IFD_NOT_FINITE, line, "a number is too large");
}

/* Numbers may have no separator where columns have a fixed width: -.1234567E-03-.2345678E-03. */
static ifd_status read_numbers(ifd__record_text *r, int line, const char *first, const char *last)
{
    const char *p = skip(first, last, " \t,");
    while (p < last) {
        double x;
        IFD_TRY(next_number(r, line, &p, last, &x));
        IFD_TRY(column_push(r, &r->value, x));
        r->line = line;
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
            (record_find(first, last, kind[i].title) || (dot && strcasecmp(dot, kind[i].ending) == 0)))
            record_unit(r, kind[i].unit, kind[i].unit + strlen(kind[i].unit));
}

static ifd_status record_at2(ifd__record_text *r)
{
    ifd__lines lines = ifd__lines_of(&r->file);
    const char *first, *last;
    double count = 0, dt = 0;
    int header = 0;
    while (header == 0 && ifd__lines_next(&lines, &first, &last)) {
        read_unit(r, first, last);
        read_quantity(r, first, last);
        if (!record_find(first, last, "NPTS"))
            continue;
        header = lines.number;
        if (!read_header(first, last, &count, &dt))
            return record_error(r, IFD_RECORD, header, "expected NPTS and DT with their numbers");
    }
    if (header == 0)
        return record_error(r, IFD_RECORD, lines.number, "no line with NPTS and DT was found");
    if (!(dt > 0) || !isfinite(dt))
        return record_error(r, IFD_RECORD, header, "DT is %g, expected more than zero", dt);
    while (ifd__lines_next(&lines, &first, &last)) {
        const char *p = skip(first, last, " \t");
        if (p == last || *p != '*' || !record_find(p, last, "END")) /* "*** End Data ***" */
            IFD_TRY(read_numbers(r, lines.number, first, last));
    }
    if (count != r->value.count)
        return record_error(r, IFD_RECORD, header, "NPTS is %.0f but the file contains %d values", count,
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
            record_unit(r, p + 1, end);
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
            return record_no_number(r, line, first, last);
        if (out->count == 2)
            return record_error(r, IFD_RECORD, line, "found more than two columns, expected time and value");
        out->x[out->count++] = x;
    }
    return IFD_OK;
}

static ifd_status keep_row(ifd__record_text *r, int line, const cells *row, int columns)
{
    if (row->count != columns)
        return record_error(r, IFD_RECORD, line, "found %d column%s, expected %d as in the rows before", row->count,
                            row->count == 1 ? "" : "s", columns);
    r->line = line;
    if (columns == 1)
        return column_push(r, &r->value, row->x[0]);
    if (r->time.count && !(row->x[0] > r->time.x[r->time.count - 1]))
        return record_error(r, IFD_RECORD, line, "time %g s is not after %g s", row->x[0],
                            r->time.x[r->time.count - 1]);
    IFD_TRY(column_push(r, &r->time, row->x[0]));
    return column_push(r, &r->value, row->x[1]);
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

static ifd_status record_csv(ifd__record_text *r)
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
        cells row = {.count = 0};
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

/* A unit of another quantity in the file: velocities, displacements. One that is not known yields to that of the
 * case. */
static ifd_status check_other_unit(ifd__record_text *r)
{
    static const ifd_dimension kind[] = {IFD_DIM_ACCELERATION, IFD_DIM_VELOCITY, IFD_DIM_LENGTH, IFD_DIM_FORCE};
    ifd_dimension dim = r->ask->dim;
    const char *what = NULL;
    char bad[32];
    ifd__unit unit;
    double factor;
    if (!r->other[0] || r->unit[0] || dim == IFD_DIM_NONE || dim == IFD_DIM_ANY || (!r->other_known && r->ask->unit))
        return IFD_OK;
    for (size_t i = 0; i < sizeof kind / sizeof *kind && r->other_known; i++)
        if (ifd__unit_parse(r->other, &unit, bad) && ifd__unit_fits(&unit, kind[i], &factor))
            what = ifd_dimension_text(kind[i]);
    ifd_note_add(r->note, IFD_UNIT, r->ask->place.file ? &r->ask->place : &(ifd_place){.file = r->file.path},
                 what ? "'%s' contains %s (%s), expected %s (%s)" : "'%s' contains %s '%s', expected %s (%s)",
                 r->file.path, what ? what : "the unknown unit", r->other, ifd_dimension_text(dim),
                 ifd_dimension_units(dim));
    return IFD_UNIT;
}

static bool is_at2(const ifd__file *file)
{
    ifd__lines lines = ifd__lines_of(file);
    const char *first, *last, *dot = strrchr(file->path, '.');
    if (dot && (strcasecmp(dot, ".at2") == 0 || strcasecmp(dot, ".vt2") == 0 || strcasecmp(dot, ".dt2") == 0))
        return true;
    while (ifd__lines_next(&lines, &first, &last) && lines.number <= 20)
        if (first < last && *first != '#' && record_find(first, last, "NPTS"))
            return true;
    return false;
}

/* The factor to SI. The requested unit and the unit in the file must agree. */
static ifd_status find_factor(ifd__record_text *r, double *factor, ifd__record *out)
{
    double stated = 1;
    char bad[32];
    ifd__unit unit;
    IFD_TRY(check_other_unit(r));
    if (r->unit[0] && ifd__unit_parse(r->unit, &unit, bad))
        ifd__unit_fits(&unit, r->ask->dim, &stated);
    *factor = stated;
    out->unit = ifd_arena_text(r->arena, r->unit);
    if (!r->ask->unit)
        return IFD_OK;
    if (!ifd__unit_parse(r->ask->unit, &unit, bad) || !ifd__unit_fits(&unit, r->ask->dim, factor))
        return ifd_note_add(r->note, IFD_UNIT, &r->ask->unit_place,
                            "the unit '%s' of a record is not a unit of %s (%s)", r->ask->unit,
                            ifd_dimension_text(r->ask->dim), ifd_dimension_units(r->ask->dim));
    if (r->unit[0] && fabs(stated / *factor - 1) > 1e-9)
        return ifd_note_add(r->note, IFD_CONFLICT, &r->ask->unit_place,
                            "'unit' is '%s', but '%s' contains the unit '%s'", r->ask->unit, r->file.path, r->unit);
    out->unit = r->ask->unit;
    return IFD_OK;
}

/* Printed times have few digits; the interval is rounded accordingly. */
static double nearest_decimal(double x)
{
    char text[32];
    snprintf(text, sizeof text, "%.9g", x);
    return strtod(text, NULL);
}

static void find_interval(ifd__record_text *r)
{
    int n = r->time.count;
    const double *t = r->time.x;
    if (n < 2)
        return;
    double dt = (t[n - 1] - t[0]) / (n - 1);
    for (int i = 1; i < n; i++)
        if (fabs(t[i] - t[0] - i * dt) > 0.02 * dt)
            return;
    r->dt = nearest_decimal(dt);
}

static ifd_status finish(ifd__record_text *r, ifd__record *out)
{
    double factor = 1, asked = r->ask->dt;
    if (r->value.count < 2)
        return record_error(r, IFD_RECORD, r->line, "the file contains %d sample%s, expected a record of two or more",
                            r->value.count, r->value.count == 1 ? "" : "s");
    IFD_TRY(find_factor(r, &factor, out));
    find_interval(r);
    if (asked > 0 && !(fabs(asked - r->dt) <= 1e-6 * asked))
        return ifd_note_add(r->note, IFD_CONFLICT, &r->ask->dt_place,
                            "'dt' is %g s, but the times in '%s' have another interval", asked, r->file.path);
    out->peak = 0;
    for (int i = 0; i < r->value.count; i++) {
        r->value.x[i] *= factor;
        out->peak = fmax(out->peak, fabs(r->value.x[i]));
    }
    bool even = r->dt > 0;
    out->samples = (ifd_samples){.count = r->value.count,
                                 .value = r->value.x,
                                 .time = even ? NULL : r->time.x,
                                 .start = r->time.count ? r->time.x[0] : 0,
                                 .dt = r->dt};
    return IFD_OK;
}

/* A record that was read for an earlier case of the same bundle. */
typedef struct ifd__record_kept {
    const char *unit; /* of the options, with dt and dim */
    double dt;
    ifd_dimension dim;
    ifd__record record;
} ifd__record_kept;

static bool same_unit(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static const ifd__record_kept *kept(const ifd__record_options *o, const char *path)
{
    ifd__source_file *f = o->bundle && o->bundle->keeper ? ifd__bundle_find(o->bundle, path) : NULL;
    const ifd__record_kept *k = f ? f->record : NULL;
    if (!k || !same_unit(k->unit, o->unit) || k->dt != o->dt || k->dim != o->dim)
        return NULL;
    f->used = o->bundle->reading;
    return k;
}

static void keep(const ifd__record_options *o, const char *path, const ifd__record *record)
{
    ifd__source_file *f = o->bundle && o->bundle->keeper ? ifd__bundle_find(o->bundle, path) : NULL;
    ifd__record_kept *k = f && !f->record ? ifd_arena_take(o->bundle->keeper, sizeof *k) : NULL;
    if (!k)
        return;
    *k = (ifd__record_kept){.dt = o->dt, .dim = o->dim, .record = *record};
    k->unit = o->unit ? ifd_arena_text(o->bundle->keeper, o->unit) : NULL;
    k->record.unit = ifd_arena_text(o->bundle->keeper, record->unit);
    if (k->record.unit && (k->unit || !o->unit))
        f->record = k;
}

ifd_status ifd__record_read(ifd_arena *arena, const char *path, const ifd__record_options *options, ifd__record *out,
                            ifd_note *note)
{
    const ifd__record_kept *earlier = kept(options, path);
    ifd__record_text r = {.arena = arena, .ask = options, .note = note};
    if (earlier) {
        *out = earlier->record;
        return IFD_OK;
    }
    if (options->bundle && options->bundle->keeper)
        r.arena = options->bundle->keeper;
    *out = (ifd__record){.unit = ""};
    IFD_TRY(ifd__bundle_read(options->bundle, arena, path, &options->place, &r.file, note));
    if (r.file.length >= 3 && memcmp(r.file.text, "\xef\xbb\xbf", 3) == 0) { /* byte-order mark of some editors */
        r.file.text += 3;
        r.file.length -= 3;
    }
    ifd__file_kind kind = ifd__file_kind_of(&r.file);
    if (kind > IFD__KIND_RECORD)
        return ifd_note_add(note, IFD_RECORD, options->place.file ? &options->place : &(ifd_place){.file = path},
                            "'%s' is %s, expected a record: PEER, or CSV with one or two columns", path,
                            ifd__file_kind_text(kind));
    IFD_TRY(is_at2(&r.file) ? record_at2(&r) : record_csv(&r));
    IFD_TRY(finish(&r, out));
    keep(options, path, out);
    return IFD_OK;
}
