/* SPDX-License-Identifier: MIT */
/* Reads a result.h5 back: every dataset with an attribute `index` is a channel, whatever its path. HDF5 is used in a
 * child process only, which hands over what it read. */
#define H5_USE_110_API /* the callbacks as they are from HDF5 1.10 on */
#include "text/child.h"
#include "record/result.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

typedef struct reading {
    ifd_arena *arena;
    ifd_table *table;
    ifd_column *channel; /* NULL while channels are only counted */
    double **column;
    double *time;
    int count;
    const char *path;
    ifd__hdf5_found found;
    const char *trouble;
} reading;

static const char *get_text(reading *r, hid_t object, const char *name)
{
    return ifd__hdf5_text(r->arena, object, name);
}

static long get_index(hid_t set)
{
    long index = -2;
    hid_t attribute = H5Aexists(set, "index") > 0 ? H5Aopen(set, "index", H5P_DEFAULT) : -1;
    if (attribute < 0)
        return index;
    if (H5Aread(attribute, H5T_NATIVE_LONG, &index) < 0)
        index = -2;
    H5Aclose(attribute);
    return index;
}

static long get_count(hid_t object, const char *name)
{
    long count = 0;
    hid_t attribute = H5Aexists(object, name) > 0 ? H5Aopen(object, name, H5P_DEFAULT) : -1;
    if (attribute < 0)
        return 0;
    if (H5Aread(attribute, H5T_NATIVE_LONG, &count) < 0 || count < 0)
        count = 0;
    H5Aclose(attribute);
    return count;
}

static double *get_column(reading *r, hid_t set)
{
    hid_t space = H5Dget_space(set);
    hsize_t size = 0;
    bool good = H5Sget_simple_extent_ndims(space) == 1 && H5Sget_simple_extent_dims(space, &size, NULL) == 1;
    H5Sclose(space);
    if (size > r->found.bytes / sizeof(double)) {
        r->trouble = "a channel is longer than the file";
        return NULL;
    }
    if (!good || (r->table->rows >= 0 && (long)size != r->table->rows)) {
        r->trouble = "its channels are not equally long";
        return NULL;
    }
    r->table->rows = (long)size;
    double *values = ifd_arena_array(r->arena, (size_t)size, sizeof *values);
    if (!values || (size && H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)) {
        r->trouble = "a channel could not be read";
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
    if (index >= r->table->channels) {
        r->trouble = "a channel has an impossible index";
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
    long index = set >= 0 ? get_index(set) : -2;
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
        H5Tget_size(type) <= r->found.bytes) {
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
    t->kernels = get_text(r, file, "kernels");
    t->cpu = get_text(r, file, "host_cpu");
    t->test = H5Aexists(file, "late_ticks") > 0;
    t->missing = get_count(file, "record_dropped") + get_count(file, "record_unreadable");
    t->case_text = get_case(r, file);
    t->rows = -1;
    H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, visit, r);
    t->channels = r->count;
    r->channel = ifd_arena_array(r->arena, (size_t)r->count, sizeof *r->channel);
    r->column = ifd_arena_array(r->arena, (size_t)r->count, sizeof *r->column);
    if (!r->channel || !r->column) {
        r->trouble = "memory ran out";
        return;
    }
    H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, visit, r);
    for (int i = 0; i < r->count && !r->trouble; i++)
        if (!r->column[i])
            r->trouble = "two channels share an index";
    if (!r->time && !r->trouble)
        r->trouble = "it holds no time";
    t->time = r->time;
    t->channel = r->channel;
    t->column = r->column;
}

/* The numbers of a table on their way: each of a width that holds whatever comes. */
enum { SENT_STATUS, SENT_SEALED, SENT_FIRST };
enum { SENT_TEST, SENT_ROWS, SENT_CHANNELS, SENT_MISSING, SENT };

/* The child: reads everything and hands it over. */
static void read_apart(void *data, ifd__child_pipe *to)
{
    reading *r = data;
    ifd_table *t = r->table;
    hid_t file = ifd__hdf5_read(r->arena, r->path, &r->found);
    r->trouble = r->found.why;
    if (file >= 0) {
        r->found.status = IFD_DAMAGED; /* of a file that could be opened and not be read */
        read_file(r, file);
    }
    const int64_t first[SENT_FIRST] = {[SENT_STATUS] = r->found.status, [SENT_SEALED] = r->found.sealed};
    ifd__child_put(to, first, sizeof first);
    ifd__child_put_text(to, r->trouble);
    if (r->trouble)
        return;
    const char *const texts[] = {t->title, t->method, t->outcome, t->kernels, t->cpu, t->case_text};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        ifd__child_put_text(to, texts[i]);
    const int64_t number[SENT] = {
        [SENT_TEST] = t->test, [SENT_ROWS] = t->rows, [SENT_CHANNELS] = t->channels, [SENT_MISSING] = t->missing};
    ifd__child_put(to, number, sizeof number);
    ifd__child_put(to, t->time, (size_t)t->rows * sizeof *t->time);
    for (int i = 0; i < t->channels; i++) {
        ifd__child_put_text(to, t->channel[i].name);
        ifd__child_put_text(to, t->channel[i].unit);
        ifd__child_put_text(to, t->channel[i].group);
        ifd__child_put(to, t->column[i], (size_t)t->rows * sizeof *t->time);
    }
}

enum { LONGEST_TEXT = 1 << 28 /* bytes; of a case, whose files have 16 MB at most */ };

static double *get_numbers(reading *r, ifd__child *c)
{
    double *values = ifd_arena_array(r->arena, (size_t)r->table->rows, sizeof *values);
    return values && ifd__child_get(c, values, (size_t)r->table->rows * sizeof *values) ? values : NULL;
}

static bool get_channels(reading *r, ifd__child *c)
{
    ifd_table *t = r->table;
    r->channel = ifd_arena_array(r->arena, (size_t)t->channels, sizeof *r->channel);
    r->column = ifd_arena_array(r->arena, (size_t)t->channels, sizeof *r->column);
    bool good = r->channel && r->column && (r->time = get_numbers(r, c));
    for (int i = 0; good && i < t->channels; i++) {
        ifd_column *ch = &r->channel[i];
        good = (ch->name = ifd__child_get_text(c, r->arena, LONGEST_TEXT)) &&
               (ch->unit = ifd__child_get_text(c, r->arena, LONGEST_TEXT)) &&
               (ch->group = ifd__child_get_text(c, r->arena, LONGEST_TEXT)) &&
               ifd_column_read(r->arena, ch->name, ch->unit, ch->group, ch) == IFD_OK &&
               (r->column[i] = get_numbers(r, c));
    }
    t->time = r->time;
    t->channel = r->channel;
    t->column = r->column;
    return good;
}

static bool get_table(reading *r, ifd__child *c)
{
    const char *text[6];
    int64_t from[SENT];
    for (int i = 0; i < 6; i++)
        if (!(text[i] = ifd__child_get_text(c, r->arena, LONGEST_TEXT)))
            return false;
    struct stat facts;
    if (stat(r->path, &facts) != 0 || !ifd__child_get(c, from, sizeof from) || from[SENT_ROWS] < 0 ||
        from[SENT_CHANNELS] < 0 || from[SENT_CHANNELS] > INT_MAX || from[SENT_ROWS] > facts.st_size ||
        from[SENT_CHANNELS] > facts.st_size || from[SENT_MISSING] < 0)
        return false;
    *r->table = (ifd_table){.title = text[0],
                            .method = text[1],
                            .outcome = text[2],
                            .kernels = text[3],
                            .cpu = text[4],
                            .case_text = text[5],
                            .test = from[SENT_TEST] != 0,
                            .rows = (long)from[SENT_ROWS],
                            .channels = (int)from[SENT_CHANNELS],
                            .missing = (long)from[SENT_MISSING]};
    return get_channels(r, c);
}

/* What the child wrote, to its end. */
static bool listen(reading *r, ifd__child *c)
{
    int64_t first[SENT_FIRST];
    if (!ifd__child_get(c, first, sizeof first) || first[SENT_STATUS] < 0 || first[SENT_STATUS] >= IFD_STATUS_COUNT ||
        !(r->trouble = ifd__child_get_text(c, r->arena, LONGEST_TEXT)))
        return false;
    r->found.status = (ifd_status)first[SENT_STATUS];
    r->found.sealed = first[SENT_SEALED] != 0;
    if (*r->trouble)
        return r->found.status != IFD_OK;
    r->trouble = NULL;
    return get_table(r, c);
}

/* The parent's side; r->trouble says what went wrong. */
static void take_over(reading *r)
{
    ifd__child c;
    if (!ifd__child_open(&c, read_apart, r, ifd__hdf5_seconds(r->path))) {
        r->found.status = IFD_NO_MEMORY;
        r->trouble = "no process can be made to read it";
        return;
    }
    bool good = listen(r, &c);
    const char *why = ifd__child_close(&c);
    if (good)
        return;
    r->found.status = IFD_DAMAGED;
    r->trouble = why ? ifd_arena_print(r->arena, "it is damaged: %s", why) : "memory ran out";
}

ifd_status ifd_table_read(ifd_arena *arena, const char *path, ifd_table *out, ifd_note *note)
{
    struct stat facts;
    if (stat(path, &facts) == 0 && S_ISDIR(facts.st_mode)) {
        path = ifd_arena_print(arena, "%s/result.h5", path);
        if (!path)
            return IFD_NO_MEMORY;
    }
    memset(out, 0, sizeof *out);
    reading r = {.arena = arena, .table = out, .path = path};
    take_over(&r);
    if (!r.trouble) {
        if (!r.found.sealed)
            ifd__hdf5_unsealed(path, note);
        return IFD_OK;
    }
    memset(out, 0, sizeof *out);
    ifd_note_add(note, r.found.status, NULL, "'%s' cannot be read as a result: %s", path, r.trouble);
    if (r.found.status == IFD_DAMAGED || ifd__hdf5_unfinished(path))
        ifd_note_hint(note, "interfield recover makes a result of its journal");
    return r.found.status;
}
