/* SPDX-License-Identifier: MIT */
/* Reads a result.h5: every dataset with an attribute `index` is a column, whatever its path. HDF5 runs in a child
 * process only, which sends the data. */
#define H5_USE_110_API /* callbacks of HDF5 1.10 and later */
#include "text/file.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

#include "record/result.h"

/* The case in a result, read by a child process. */

typedef struct bundle {
    ifd_arena *arena;
    char *text;
    uint64_t length;
} bundle;

static const char *take_out(void *self, hid_t file, ifd__hdf5_found *found)
{
    bundle *b = self;
    b->text = ifd__hdf5_bundle(b->arena, file, found->bytes, &b->length);
    return b->text ? NULL : "it does not contain its case";
}

static void send(void *self, ifd__child_pipe *to)
{
    const bundle *b = self;
    ifd__child_put(to, &b->length, sizeof b->length);
    ifd__child_put(to, b->text, (size_t)b->length);
}

static bool receive(void *self, ifd__child *from, uint64_t bytes)
{
    bundle *b = self;
    b->text = ifd__child_get(from, &b->length, sizeof b->length) && b->length <= bytes
                  ? ifd_arena_take(b->arena, (size_t)b->length + 1)
                  : NULL;
    return b->text && ifd__child_get(from, b->text, (size_t)b->length);
}

ifd_status ifd_result_case(ifd_arena *arena, const char *path, ifd_case **out, ifd_note *note)
{
    return ifd__result_case_as(arena, path, NULL, out, note);
}

ifd_status ifd__result_case_as(ifd_arena *arena, const char *path, const ifd_case_code *code, ifd_case **out,
                               ifd_note *note)
{
    static const ifd__hdf5_reader reader = {take_out, send, receive, 1};
    bundle b = {.arena = arena};
    ifd__hdf5_found found;
    path = ifd__file_inside(arena, path, "result.h5");
    IFD__HAVE(path);
    if (!ifd__hdf5_read(arena, path, &reader, &b, &found))
        return ifd_note_add(note, found.status, NULL, "the case of '%s' cannot be read: %s", path, found.why);
    return ifd_case_read_bundle_as(arena, b.text, (size_t)b.length, code, out, note);
}

typedef struct reading {
    ifd_arena *arena;
    ifd_table *table;
    ifd_column *channel; /* NULL while columns are only counted */
    double **column;
    double *time;
    int count;
    int64_t schema;
    uint64_t bytes; /* of the file */
    const char *trouble;
} reading;

static const char *get_text(reading *r, hid_t object, const char *name)
{
    return ifd__hdf5_text(r->arena, object, name);
}

static double *get_column(reading *r, hid_t set)
{
    hsize_t size;
    bool good = ifd__hdf5_length(set, &size);
    if (size > r->bytes / sizeof(double)) {
        r->trouble = "a column is longer than the file";
        return NULL;
    }
    if (!good || (r->table->rows >= 0 && (long)size != r->table->rows)) {
        r->trouble = "its columns have different lengths";
        return NULL;
    }
    r->table->rows = (long)size;
    double *values = ifd_arena_array(r->arena, (size_t)size, sizeof *values);
    if (!values || (size && H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)) {
        r->trouble = "a column could not be read";
        return NULL;
    }
    return values;
}

static void take_channel(reading *r, hid_t set, long index)
{
    if (index == -1) {
        r->time = get_column(r, set);
        return;
    }
    if (index >= r->table->columns) {
        r->trouble = "a column has an invalid index";
        return;
    }
    r->column[index] = get_column(r, set);
    r->channel[index] = (ifd_column){
        .name = get_text(r, set, "name"), .unit = get_text(r, set, "unit"), .group = get_text(r, set, "group")};
}

static herr_t visit(hid_t object, const char *name, const H5O_info_t *info, void *data)
{
    reading *r = data;
    if (info->type != H5O_TYPE_DATASET)
        return 0;
    hid_t set = H5Dopen2(object, name, H5P_DEFAULT);
    long index = set >= 0 ? ifd__hdf5_integer(set, "index", -2) : -2;
    if (index >= -1 && r->channel)
        take_channel(r, set, index);
    else if (index >= 0)
        r->count++;
    if (set >= 0)
        H5Dclose(set);
    return r->trouble ? 1 : 0;
}

/* The dataset `case`: one text of fixed length, padded with zeros. */
static const char *get_case(reading *r, hid_t file)
{
    hid_t set = H5Lexists(file, "case", H5P_DEFAULT) > 0 ? H5Dopen2(file, "case", H5P_DEFAULT) : -1;
    hid_t type = set >= 0 ? H5Dget_type(set) : -1;
    const char *text = "";
    if (type >= 0 && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 &&
        H5Tget_size(type) <= r->bytes) {
        char *copy = ifd_arena_take(r->arena, H5Tget_size(type) + 1);
        if (copy) {
            memset(copy, 0, H5Tget_size(type) + 1);
            text = H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, copy) >= 0 ? copy : "";
        }
    }
    if (type >= 0)
        H5Tclose(type);
    if (set >= 0)
        H5Dclose(set);
    return text;
}

static void read_file(reading *r, hid_t file)
{
    ifd_table *t = r->table;
    t->title = get_text(r, file, "title");
    t->method = get_text(r, file, "method");
    t->outcome = get_text(r, file, "outcome");
    t->reason = get_text(r, file, "outcome_reason");
    t->kernels = get_text(r, file, "kernels");
    t->cpu = get_text(r, file, "host_cpu");
    t->test = H5Aexists(file, "late_ticks") > 0;
    long dropped = ifd__hdf5_integer(file, "record_dropped", 0),
         bad = ifd__hdf5_integer(file, "record_unreadable", 0);
    t->missing = (dropped > 0 ? dropped : 0) + (bad > 0 ? bad : 0);
    t->case_text = get_case(r, file);
    t->rows = -1;
    H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, visit, r);
    t->columns = r->count;
    r->channel = ifd_arena_array(r->arena, (size_t)r->count, sizeof *r->channel);
    r->column = ifd_arena_array(r->arena, (size_t)r->count, sizeof *r->column);
    if (!r->channel || !r->column) {
        r->trouble = "no memory";
        return;
    }
    H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, visit, r);
    for (int i = 0; i < r->count && !r->trouble; i++)
        if (!r->column[i])
            r->trouble = "two columns have the same index";
    if (!r->time && !r->trouble)
        r->trouble = "it contains no time";
    t->time = r->time;
    t->column = r->channel;
    t->value = r->column;
}

/* The numbers of a table for the transfer, each with a sufficient width. */
enum { SENT_TEST, SENT_ROWS, SENT_CHANNELS, SENT_MISSING, SENT };

/* The schema is checked before anything else. */
static bool is_known(reading *r, hid_t file, ifd__hdf5_found *found)
{
    r->schema = ifd__hdf5_integer(file, "schema", 0);
    if (r->schema == IFD_RESULT_SCHEMA)
        return true;
    r->trouble = "it does not contain its schema";
    if (r->schema <= 0)
        return false;
    found->status = IFD_UNSUPPORTED;
    r->trouble = ifd_arena_print(
        r->arena, "it was written by another version of interfield (schema %lld; this version reads schema %d)",
        (long long)r->schema, IFD_RESULT_SCHEMA);
    return false;
}

static const char *read_table(void *self, hid_t file, ifd__hdf5_found *found)
{
    reading *r = self;
    found->status = IFD_DAMAGED; /* the file could be opened but not read */
    r->bytes = found->bytes;
    if (is_known(r, file, found))
        read_file(r, file);
    return r->trouble;
}

static void send_table(void *self, ifd__child_pipe *to)
{
    const reading *r = self;
    const ifd_table *t = r->table;
    const char *const texts[] = {t->title, t->method, t->outcome, t->kernels, t->cpu, t->case_text, t->reason};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        ifd__child_put_text(to, texts[i]);
    const int64_t number[SENT] = {
        [SENT_TEST] = t->test, [SENT_ROWS] = t->rows, [SENT_CHANNELS] = t->columns, [SENT_MISSING] = t->missing};
    ifd__child_put(to, number, sizeof number);
    ifd__child_put(to, t->time, (size_t)t->rows * sizeof *t->time);
    for (int i = 0; i < t->columns; i++) {
        ifd__child_put_text(to, t->column[i].name);
        ifd__child_put_text(to, t->column[i].unit);
        ifd__child_put_text(to, t->column[i].group);
        ifd__child_put(to, t->value[i], (size_t)t->rows * sizeof *t->time);
    }
}

enum { LONGEST_TEXT = 1 << 28 /* bytes; of a case, with files of at most 16 MB */ };

static double *get_numbers(reading *r, ifd__child *c)
{
    double *values = ifd_arena_array(r->arena, (size_t)r->table->rows, sizeof *values);
    return values && ifd__child_get(c, values, (size_t)r->table->rows * sizeof *values) ? values : NULL;
}

static bool get_channels(reading *r, ifd__child *c)
{
    ifd_table *t = r->table;
    r->channel = ifd_arena_array(r->arena, (size_t)t->columns, sizeof *r->channel);
    r->column = ifd_arena_array(r->arena, (size_t)t->columns, sizeof *r->column);
    bool good = r->channel && r->column && (r->time = get_numbers(r, c));
    for (int i = 0; good && i < t->columns; i++) {
        ifd_column *ch = &r->channel[i];
        good = (ch->name = ifd__child_get_text(c, r->arena, LONGEST_TEXT)) &&
               (ch->unit = ifd__child_get_text(c, r->arena, LONGEST_TEXT)) &&
               (ch->group = ifd__child_get_text(c, r->arena, LONGEST_TEXT)) &&
               ifd_column_read(r->arena, ch->name, ch->unit, ch->group, ch) == IFD_OK &&
               (r->column[i] = get_numbers(r, c));
    }
    t->time = r->time;
    t->column = r->channel;
    t->value = r->column;
    return good;
}

static bool get_table(void *self, ifd__child *c, uint64_t bytes)
{
    reading *r = self;
    enum { TEXTS = 7 };
    const char *text[TEXTS];
    int64_t from[SENT];
    for (int i = 0; i < TEXTS; i++)
        if (!(text[i] = ifd__child_get_text(c, r->arena, LONGEST_TEXT)))
            return false;
    if (!ifd__child_get(c, from, sizeof from) || from[SENT_ROWS] < 0 || from[SENT_CHANNELS] < 0 ||
        from[SENT_CHANNELS] > INT_MAX || (uint64_t)from[SENT_ROWS] > bytes || (uint64_t)from[SENT_CHANNELS] > bytes ||
        from[SENT_MISSING] < 0)
        return false;
    *r->table = (ifd_table){.title = text[0],
                            .method = text[1],
                            .outcome = text[2],
                            .kernels = text[3],
                            .cpu = text[4],
                            .case_text = text[5],
                            .reason = text[6],
                            .test = from[SENT_TEST] != 0,
                            .rows = (long)from[SENT_ROWS],
                            .columns = (int)from[SENT_CHANNELS],
                            .missing = (long)from[SENT_MISSING]};
    if (!get_channels(r, c))
        return false;
    int wall = ifd_column_find(r->table->column, r->table->columns, "", IFD_COLUMN_WALL_TIME);
    r->table->wall_time = wall >= 0 ? r->table->value[wall] : NULL;
    return true;
}

ifd_status ifd_table_read(ifd_arena *arena, const char *path, ifd_table *out, ifd_note *note)
{
    static const ifd__hdf5_reader reader = {read_table, send_table, get_table, 1};
    ifd__hdf5_found found;
    path = ifd__file_inside(arena, path, "result.h5");
    IFD__HAVE(path);
    memset(out, 0, sizeof *out);
    reading r = {.arena = arena, .table = out};
    if (ifd__hdf5_read(arena, path, &reader, &r, &found)) {
        if (!found.sealed)
            ifd__hdf5_unsealed(path, note);
        return IFD_OK;
    }
    memset(out, 0, sizeof *out);
    ifd_note_add(note, found.status, NULL, "'%s' cannot be read as a result: %s", path, found.why);
    if (found.status == IFD_DAMAGED || ifd__hdf5_unfinished(path))
        ifd_note_hint(note, "interfield recover makes a result from its journal");
    return found.status;
}
