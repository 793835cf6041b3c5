/* SPDX-License-Identifier: MIT */
/* Compares result.h5 with its journal: every number must be in the journal with equal bits, every unit must agree,
 * and the case. Both are read in blocks, independent of their length, in a child process (child.h). */
#define H5_USE_110_API /* callbacks of HDF5 1.10 and later */

#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "text/file.h"
#include "record/result.h"

enum { WINDOW = 1024 /* rows */ };

/* Source of a number of a row: a value of the record, or one of these. */
enum { FROM_WALL = -1, FROM_LATE = -2, FROM_DURATION = -3, FROM_ORDER = -4, FROM_STAGE = -5 /* and below */ };

typedef struct column {
    hid_t set;
    int from;
    const char *name;
} column;

typedef struct comparing {
    ifd_arena *arena;
    const char *path;
    ifd_journal_reader *reader;
    const ifd_journal_facts *head;
    uint64_t every; /* interval of rows in ticks of the journal */
    column *column;
    int columns, most;
    double *window; /* columns x WINDOW */
    uint64_t rows;  /* of result.h5 */
    bool unfinished;
    const char *wrong;
} comparing;

static int source_of(const ifd_journal_facts *head, const ifd_column *c)
{
    if (c->quantity == IFD_COLUMN_TIME)
        return ifd_column_find(head->column, head->columns, "", IFD_COLUMN_TEST_TIME);
    if (c->quantity >= IFD_COLUMN_WALL_TIME && c->quantity <= IFD_COLUMN_CLOCK_COMMAND)
        return FROM_WALL - (int)(c->quantity - IFD_COLUMN_WALL_TIME);
    for (int i = 0; i < head->columns; i++)
        if (strcmp(c->name, head->column[i].name) == 0 && strcmp(c->group, head->column[i].group) == 0)
            return i;
    return INT32_MAX;
}

static void take(comparing *c, hid_t set)
{
    const char *name = ifd__hdf5_text(c->arena, set, "name"), *group = ifd__hdf5_text(c->arena, set, "group");
    const char *unit = ifd__hdf5_text(c->arena, set, "unit");
    hsize_t rows;
    bool flat = ifd__hdf5_length(set, &rows);
    ifd_column named;
    bool read = ifd_column_read(c->arena, name, unit, group, &named) == IFD_OK;
    int from = read ? source_of(c->head, &named) : INT32_MAX;
    if (!flat || from == INT32_MAX || (c->columns && rows != c->rows) || c->columns == c->most) {
        c->wrong = ifd_arena_print(c->arena, "the column '%s' of result.h5 is not in the journal", name);
        H5Dclose(set);
        return;
    }
    if (from >= 0 && strcmp(unit, c->head->column[from].unit) != 0)
        c->wrong = ifd_arena_print(c->arena, "result.h5 has '%s' in '%s', but the journal in '%s'", name, unit,
                                   c->head->column[from].unit);
    c->rows = rows;
    c->column[c->columns++] = (column){.set = set, .from = from, .name = name};
}

static herr_t visit(hid_t object, const char *name, const H5O_info_t *info, void *data)
{
    comparing *c = data;
    if (info->type != H5O_TYPE_DATASET)
        return 0;
    hid_t set = H5Dopen2(object, name, H5P_DEFAULT);
    if (set >= 0 && H5Aexists(set, "index") > 0)
        take(c, set);
    else if (set >= 0)
        H5Dclose(set);
    return c->wrong ? 1 : 0;
}

static void load(comparing *c, uint64_t row)
{
    hsize_t start = row, count = c->rows - row < WINDOW ? c->rows - row : WINDOW;
    hid_t memory = H5Screate_simple(1, &count, NULL);
    for (int i = 0; i < c->columns && !c->wrong; i++) {
        hid_t space = H5Dget_space(c->column[i].set);
        if (H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &count, NULL) < 0 ||
            H5Dread(c->column[i].set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, c->window + i * WINDOW) < 0)
            c->wrong =
                ifd_arena_print(c->arena, "result.h5 is damaged: the column '%s' cannot be read", c->column[i].name);
        H5Sclose(space);
    }
    H5Sclose(memory);
}

static double expected(const comparing *c, int from, const ifd_tick_record *r, uint64_t instant)
{
    switch (from) {
    case FROM_WALL:
        return (double)instant * c->head->period;
    case FROM_LATE:
        return r->late;
    case FROM_DURATION:
        return r->duration;
    case FROM_ORDER:
        return (double)r->order;
    default:
        return from < 0 ? 1e-9 * r->trace->stage_ns[FROM_STAGE - from] : r->values[from];
    }
}

static void compare_row(comparing *c, uint64_t row, const ifd_tick_record *r, uint64_t instant)
{
    if (row % WINDOW == 0)
        load(c, row);
    for (int i = 0; i < c->columns && !c->wrong; i++) {
        double is = c->window[(uint64_t)i * WINDOW + row % WINDOW], was = expected(c, c->column[i].from, r, instant);
        if (memcmp(&is, &was, sizeof is) != 0)
            c->wrong = ifd_arena_print(c->arena,
                                       "result.h5 differs from the journal in row %llu: '%s' is %.17g, but %.17g "
                                       "in the journal",
                                       (unsigned long long)row + 1, c->column[i].name, is, was);
    }
}

static void compare(comparing *c)
{
    ifd_tick_record r;
    uint64_t row = 0, skipped = 0;
    while (!c->wrong && ifd_journal_next(c->reader, &r)) {
        skipped += r.skipped;
        if ((r.tick - 1) % c->every)
            continue;
        if (row < c->rows)
            compare_row(c, row, &r, r.tick - 1 + skipped);
        row++;
    }
    if (!c->wrong && (c->unfinished ? row < c->rows : row != c->rows))
        c->wrong = ifd_arena_print(c->arena, "result.h5 has %llu rows, but the journal gives %llu",
                                   (unsigned long long)c->rows, (unsigned long long)row);
}

/* Both contain the case. */
static void compare_case(comparing *c, hid_t file)
{
    uint64_t length;
    const char *text = ifd__hdf5_bundle(c->arena, file, c->head->bundle_length, &length);
    if (!text || length != c->head->bundle_length || memcmp(text, c->head->bundle, (size_t)length) != 0)
        c->wrong = "result.h5 contains another case than the journal";
}

static ifd_status prepare(comparing *c)
{
    c->most = c->head->columns + 16;
    c->column = ifd_arena_array(c->arena, (size_t)c->most, sizeof *c->column);
    c->window = ifd_arena_array(c->arena, (size_t)c->most * WINDOW, sizeof *c->window);
    return c->column && c->window ? IFD_OK : IFD_NO_MEMORY;
}

/* The disk was full: the file states it, or has no room even for that. Its rows are the first ones of the journal. */
static bool unfinished(ifd_arena *arena, hid_t file)
{
    const char *outcome = ifd__hdf5_text(arena, file, "outcome");
    return strcmp(outcome, "") == 0 || H5Aexists(file, "not_written") > 0 ||
           strcmp(outcome, "not written") == 0; /* as it was stated before */
}

static const char *compare_file(void *self, hid_t file, ifd__hdf5_found *found)
{
    comparing *c = self;
    (void)found;
    c->unfinished = unfinished(c->arena, file);
    H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, visit, c);
    if (!c->wrong && c->columns == 0)
        c->wrong = "result.h5 contains no columns";
    if (!c->wrong)
        compare_case(c, file);
    if (!c->wrong)
        compare(c);
    return NULL;
}

static void send(void *self, ifd__child_pipe *to)
{
    const comparing *c = self;
    ifd__child_put_text(to, c->wrong);
    ifd__child_put(to, &c->rows, sizeof c->rows);
    ifd__child_put(to, &c->unfinished, sizeof c->unfinished);
}

static bool receive(void *self, ifd__child *from, uint64_t bytes)
{
    enum { LONGEST_REASON = 1 << 12 };
    comparing *c = self;
    (void)bytes;
    c->wrong = ifd__child_get_text(from, c->arena, LONGEST_REASON);
    return c->wrong && ifd__child_get(from, &c->rows, sizeof c->rows) &&
           ifd__child_get(from, &c->unfinished, sizeof c->unfinished);
}

/* A killed test left an incomplete file: only the journal is valid. A file with a seal was closed, whatever its
 * attributes state. */
static bool nothing_to_compare(const char *path)
{
    return access(path, F_OK) != 0 || (ifd__hdf5_unfinished(path) && ifd__seal_check(path) == IFD__SEAL_NONE);
}

ifd_status ifd__replay_result(ifd_arena *arena, const char *journal, uint64_t every, ifd_replay_report *out,
                              ifd_note *note)
{
    const char *path = ifd__file_relative(arena, &(ifd_place){.file = journal}, "result.h5");
    static const ifd__hdf5_reader reader = {compare_file, send, receive, 2};
    ifd_journal_reader *records;
    ifd__hdf5_found found;
    IFD__HAVE(path);
    if (nothing_to_compare(path))
        return IFD_OK;
    IFD_TRY(ifd_journal_read(arena, journal, &records, note));
    comparing c = {
        .arena = arena, .path = path, .reader = records, .head = ifd_journal_head(records), .every = every};
    IFD_TRY(prepare(&c));
    if (!ifd__hdf5_read(arena, path, &reader, &c, &found))
        c.wrong = ifd_arena_print(arena, "result.h5 cannot be read: %s", found.why);
    else if (!*c.wrong)
        c.wrong = NULL;
    if (!c.wrong && !found.sealed)
        ifd__hdf5_unsealed(path, note);
    out->result_wrong = c.wrong;
    out->result_rows = c.wrong ? 0 : c.rows;
    out->result_unfinished = !c.wrong && c.unfinished;
    return IFD_OK;
}
