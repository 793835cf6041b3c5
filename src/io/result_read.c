/* SPDX-License-Identifier: MIT */
/* Reads a result.h5 back: every dataset with an attribute `index` is a channel, whatever its path. */
#define H5_USE_110_API /* the callbacks as they are from HDF5 1.10 on */
#include "io/result.h"

#include <string.h>
#include <sys/stat.h>

typedef struct reading {
    ifd_arena *arena;
    ifd_table *table;
    ifd_channel *channel; /* NULL while channels are only counted */
    double **column;
    double *time;
    int count;
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
    r->channel[index] = (ifd_channel){get_text(r, set, "name"), get_text(r, set, "unit"), get_text(r, set, "group")};
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
    if (type >= 0 && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0) {
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

ifd_status ifd_table_read(ifd_arena *arena, const char *path, ifd_table *out, ifd_note *note)
{
    struct stat facts;
    ifd_status status = IFD_DAMAGED; /* of a file that could be opened and not be read */
    if (stat(path, &facts) == 0 && S_ISDIR(facts.st_mode)) {
        path = ifd_arena_print(arena, "%s/result.h5", path);
        if (!path)
            return IFD_NO_MEMORY;
    }
    ifd__hdf5_quiet quiet;
    ifd__hdf5_quiet_begin(&quiet);
    memset(out, 0, sizeof *out);
    reading r = {.arena = arena, .table = out};
    hid_t file = ifd__hdf5_read(arena, path, &r.trouble, &status);
    if (file >= 0) {
        status = IFD_DAMAGED;
        read_file(&r, file);
        H5Fclose(file);
    }
    ifd__hdf5_quiet_end(&quiet);
    if (!r.trouble)
        return IFD_OK;
    ifd_note_add(note, status, NULL, "'%s' cannot be read as a result: %s", path, r.trouble);
    if (status == IFD_DAMAGED || ifd__hdf5_unfinished(path))
        ifd_note_hint(note, "interfield recover makes a result of its journal");
    return status;
}
