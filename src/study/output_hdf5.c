/* SPDX-License-Identifier: MIT */
/* study.h5: one row per member in the order of their numbers. Nothing in it depends on time, machine or order, so
 * that equal results give equal bytes. */
#include <math.h>
#include <string.h>

#include <hdf5.h>

#include <interfield/version.h>

#include "record/result.h"
#include "study/store.h"
#include "text/file.h"

typedef struct writing {
    ifd_study_store *s;
    const long *order;
    ifd_arena *arena;
    hid_t file, create; /* create: no times of objects */
    const char *path;
    size_t rest, chunk; /* bytes that everything needs besides histories; bytes of a chunk of these */
    const char *why;    /* no space; NULL: there was */
} writing;

enum { HEAD_BYTES = 1 << 16, INDEX_BYTES = 1 << 8 };

/* HDF5 must not meet a full disk: it may crash when the program ends (record/result.c). */
static bool claim(writing *w, size_t bytes)
{
    int error = ifd__file_claim(w->path, w->rest + bytes);
    w->why = error ? strerror(error) : NULL;
    return error == 0;
}

/* Everything besides histories, and the index of those. */
static size_t rest_of(const ifd_study_store *s)
{
    const ifd_study *study = s->study;
    size_t width = 1, objects = (size_t)(study->variables + study->scalars + study->histories);
    for (long i = 0; i < s->rows; i++) {
        size_t reason = strlen(s->row[i]->reason) + 1;
        width = reason > width ? reason : width;
    }
    return HEAD_BYTES * (1 + objects / 8) + (study->text ? strlen(study->text) : 0) +
           (size_t)s->rows * (width + 8 * (4 + objects) + (study->histories ? INDEX_BYTES * (1 + objects) : 0));
}

static bool put_text(hid_t object, const char *name, const char *text)
{
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, strlen(text) + 1);
    H5Tset_cset(type, H5T_CSET_UTF8);
    hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool good = attribute >= 0 && H5Awrite(attribute, type, text) >= 0;
    if (attribute >= 0)
        good = H5Aclose(attribute) >= 0 && good;
    H5Sclose(space);
    H5Tclose(type);
    return good;
}

/* A name of a dataset: a slash would make groups. */
static const char *plain(ifd_arena *arena, const char *name)
{
    char *out = ifd_arena_text(arena, name);
    for (char *p = out; p && *p; p++)
        if (*p == '/')
            *p = ':';
    return out && *out ? out : "_";
}

static hid_t make_group(const writing *w, const char *name)
{
    hid_t create = H5Pcreate(H5P_GROUP_CREATE);
    H5Pset_obj_track_times(create, false);
    H5Pset_link_creation_order(create, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    hid_t group = H5Gcreate2(w->file, name, H5P_DEFAULT, create, H5P_DEFAULT);
    H5Pclose(create);
    return group;
}

/* A dataset of one value per member; the caller closes it. */
static hid_t put_column(const writing *w, hid_t where, const char *name, hid_t type, const void *data)
{
    hsize_t count = (hsize_t)w->s->rows;
    hid_t space = H5Screate_simple(1, &count, NULL);
    hid_t set = H5Dcreate2(where, name, type, space, H5P_DEFAULT, w->create, H5P_DEFAULT);
    if (set >= 0 && count && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0) {
        H5Dclose(set);
        set = -1;
    }
    H5Sclose(space);
    return set;
}

static bool closed(hid_t set)
{
    return set >= 0 && H5Dclose(set) >= 0;
}

static bool put_facts(const writing *w)
{
    const ifd_study *s = w->s->study;
    char hash[20];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)s->hash);
    hid_t root = H5Gopen2(w->file, "/", H5P_DEFAULT);
    bool good = put_text(root, "format", "interfield study 1") && put_text(root, "title", s->title) &&
                put_text(root, "version", s->version ? s->version : ifd_version()) &&
                put_text(root, "study", s->text) && put_text(root, "kernels", ifd_study_kernels(s)) &&
                put_text(root, "study_hash", hash);
    return H5Gclose(root) >= 0 && good;
}

/* Numbers, outcomes, reached times, hashes, reasons and cautions. */
static bool put_members(const writing *w)
{
    long n = w->s->rows;
    int64_t *number;
    int8_t *outcome;
    double *reached;
    uint64_t *hash;
    size_t width = 1;
    if (IFD__TAKE(w->arena, IFD__ARRAY(number, n), IFD__ARRAY(outcome, n), IFD__ARRAY(reached, n),
                  IFD__ARRAY(hash, n)) != IFD_OK)
        return false;
    for (long i = 0; i < n; i++) {
        const ifd_study_result *r = w->s->row[w->order[i]];
        number[i] = r->number;
        outcome[i] = (int8_t)r->outcome;
        reached[i] = r->reached;
        hash[i] = r->hash;
        width = strlen(r->reason) + 1 > width ? strlen(r->reason) + 1 : width;
    }
    char *reason = ifd_arena_array(w->arena, (size_t)n, width);
    char *caution = ifd_arena_array(w->arena, (size_t)n, width);
    for (long i = 0; i < n && reason && caution; i++) {
        const ifd_study_result *r = w->s->row[w->order[i]];
        char *to = r->outcome == IFD_STUDY_COMPLETED ? caution : reason;
        memcpy(to + (size_t)i * width, r->reason, strlen(r->reason));
    }
    hid_t text = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, width);
    H5Tset_cset(text, H5T_CSET_UTF8);
    bool good = reason && caution && closed(put_column(w, w->file, "member", H5T_STD_I64LE, number)) &&
                closed(put_column(w, w->file, "time", H5T_IEEE_F64LE, reached)) &&
                closed(put_column(w, w->file, "hash", H5T_STD_U64LE, hash)) &&
                closed(put_column(w, w->file, "reason", text, reason)) &&
                closed(put_column(w, w->file, "caution", text, caution));
    H5Tclose(text);
    hid_t set = good ? put_column(w, w->file, "outcome", H5T_STD_I8LE, outcome) : -1;
#define OUTCOME_WORD(name, word) word " "
    return set >= 0 && put_text(set, "flag_meanings", IFD_STUDY_OUTCOMES(OUTCOME_WORD)) && closed(set);
#undef OUTCOME_WORD
}

/* Column k of the values (or of the scalars) of all members. */
static hid_t put_numbers(const writing *w, hid_t group, const char *name, int k, bool scalar)
{
    double *x = ifd_arena_array(w->arena, (size_t)w->s->rows, sizeof *x);
    for (long i = 0; i < w->s->rows && x; i++) {
        const ifd_study_result *r = w->s->row[w->order[i]];
        x[i] = scalar ? r->scalar[k] : r->value[k];
    }
    return x ? put_column(w, group, plain(w->arena, name), H5T_IEEE_F64LE, x) : -1;
}

static bool put_choices(const writing *w, hid_t set, const ifd_study_variable *v)
{
    const char *all = "";
    for (int k = 0; k < v->choices && all; k++)
        all = ifd_arena_print(w->arena, "%s%s%s", all, k ? "\n" : "", v->choice[k]);
    return all && (!v->choices || put_text(set, "choices", all));
}

static bool put_values(const writing *w)
{
    const ifd_study *s = w->s->study;
    hid_t group = make_group(w, "variables");
    bool good = group >= 0;
    for (int k = 0; k < s->variables && good; k++) {
        hid_t set = put_numbers(w, group, s->shown[k].name, k, false);
        good = set >= 0 && put_choices(w, set, &s->shown[k]);
        good = closed(set) && good;
    }
    good = group >= 0 && H5Gclose(group) >= 0 && good;
    group = make_group(w, "scalars");
    good = group >= 0 && good;
    for (int k = 0; k < s->scalars && good; k++) {
        hid_t set = put_numbers(w, group, s->scalar[k].name, k, true);
        good = set >= 0 && put_text(set, "reduction", s->scalar[k].reduction) &&
               put_text(set, "column", s->scalar[k].column) &&
               put_text(set, "unit", s->scalar[k].unit ? s->scalar[k].unit : "");
        good = closed(set) && good;
    }
    return group >= 0 && H5Gclose(group) >= 0 && good;
}

/* A dataset members x rows, one chunk per member; shorter histories end with NaN. */
static hid_t make_history(const writing *w, hid_t group, const char *name, hsize_t rows)
{
    const double nothing = (double)NAN;
    hsize_t size[2] = {(hsize_t)w->s->rows, rows}, chunk[2] = {1, rows};
    hid_t space = H5Screate_simple(2, size, NULL), create = H5Pcopy(w->create),
          access = H5Pcreate(H5P_DATASET_ACCESS);
    H5Pset_chunk(create, 2, chunk);
    H5Pset_chunk_cache(access, 1, 0, H5D_CHUNK_CACHE_W0_DEFAULT); /* a chunk is written at once */
    H5Pset_shuffle(create);
    H5Pset_deflate(create, 4);
    H5Pset_fill_value(create, H5T_NATIVE_DOUBLE, &nothing);
    hid_t set = H5Dcreate2(group, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, create, access);
    H5Pclose(access);
    H5Pclose(create);
    H5Sclose(space);
    return set;
}

/* Row `at` of a history: column k of the series of a member. */
static bool put_series(hid_t set, hsize_t at, hsize_t rows, const double *column)
{
    hsize_t start[2] = {at, 0}, count[2] = {1, rows};
    hid_t space = H5Dget_space(set), memory = H5Screate_simple(2, count, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
    bool good = rows == 0 || H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, column) >= 0;
    H5Sclose(memory);
    H5Sclose(space);
    return good;
}

/* series and column: buffers of the longest member, whose rows a chunk has. */
static bool copy_histories(writing *w, const hid_t *set, double *series, double *column)
{
    int columns = 1 + w->s->study->histories;
    for (long i = 0; i < w->s->rows; i++) {
        long row = w->order[i], rows = w->s->row[row]->rows;
        size_t bytes = (size_t)rows * (size_t)columns * sizeof *series;
        if (ifd__file_get(w->s->fd, series, bytes, w->s->series[row]) != bytes ||
            !claim(w, (size_t)columns * (w->chunk + INDEX_BYTES)))
            return false;
        for (int k = 0; k < columns; k++) {
            for (long t = 0; t < rows; t++)
                column[t] = series[t * columns + k];
            if (!put_series(set[k], (hsize_t)i, (hsize_t)rows, column))
                return false;
        }
    }
    return true;
}

static bool put_histories(writing *w)
{
    const ifd_study *s = w->s->study;
    int columns = 1 + s->histories;
    long most = 0;
    for (long i = 0; i < w->s->rows; i++)
        most = w->s->row[i]->rows > most ? w->s->row[i]->rows : most;
    if (s->histories == 0 || most == 0)
        return true;
    w->chunk = (size_t)most * sizeof(double);
    hid_t group = make_group(w, "histories"), *set = ifd_arena_array(w->arena, (size_t)columns, sizeof *set);
    double *series = ifd_arena_array(w->arena, (size_t)most * (size_t)columns, sizeof *series);
    double *column = ifd_arena_array(w->arena, (size_t)most, sizeof *column);
    bool good = group >= 0 && set && series && column;
    int made = 0;
    for (; made < columns && good; made++) {
        const char *name = made ? plain(w->arena, s->history[made - 1].name) : "time";
        const char *unit = made ? s->history[made - 1].unit : "s";
        set[made] = make_history(w, group, name, (hsize_t)most);
        good = set[made] >= 0 && put_text(set[made], "unit", unit ? unit : "");
    }
    good = good && copy_histories(w, set, series, column);
    for (int k = 0; k < made; k++)
        good = closed(set[k]) && good;
    return group >= 0 && H5Gclose(group) >= 0 && good;
}

static bool write_all(writing *w)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), root = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18);
    H5Pset_obj_track_times(root, false);
    w->create = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(w->create, false);
    w->file = H5Fcreate(w->path, H5F_ACC_TRUNC, root, access);
    bool good = w->file >= 0 && claim(w, 0) && put_facts(w) && put_members(w) && put_values(w) && put_histories(w) &&
                H5Fflush(w->file, H5F_SCOPE_GLOBAL) >= 0;
    if (!good && !w->why)
        w->why = ifd__hdf5_reason(w->arena);
    if (w->file >= 0 && H5Fclose(w->file) < 0 && good) {
        w->why = ifd__hdf5_reason(w->arena);
        good = false;
    }
    H5Pclose(w->create);
    H5Pclose(root);
    H5Pclose(access);
    return good;
}

ifd_status ifd__store_write_hdf5(ifd_study_store *s, const long *order, const char *path, ifd_note *note)
{
    writing w = {.s = s, .order = order, .arena = ifd_arena_open(), .path = path, .rest = rest_of(s)};
    ifd__hdf5_quiet quiet;
    IFD__HAVE(w.arena);
    ifd__hdf5_quiet_begin(&quiet);
    bool good = claim(&w, 0) && write_all(&w);
    ifd__hdf5_quiet_end(&quiet);
    if (!good) {
        ifd_note_add(note, IFD_OUTPUT, NULL, "'%s' could not be written: %s", path, w.why);
        ifd_note_hint(note, "all finished members are in the journal; the same command writes the result");
    }
    ifd_arena_close(w.arena);
    return good ? IFD_OK : IFD_OUTPUT;
}
