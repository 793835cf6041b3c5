/* SPDX-License-Identifier: MIT */
/* result.h5: /time, one dataset per column below its group, /case with the case text, /bundle with all files of the
 * case, facts as attributes of the root. Datasets of a run are opened for each flush and closed again: otherwise a
 * model with thousands of columns would have thousands of chunk caches. A flush writes exactly one chunk of each, so
 * nothing is read back, unless rows arrive slowly. Datasets of a test stay open: its file may be read during writing
 * (SWMR). No object may then be added to it; it is opened again for the facts of the end. */
#include "record/result.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include <interfield/version.h>

#include "base/os_linux.h"

/* HDF5 caches metadata of a file: for a test the positions of all chunks, which grow with its duration (0.16 bytes
 * per tick with 17 columns). Above this size they are written and released; an active column needs less. */
enum { CACHE_BYTES = 1 << 15, CACHE_OF_A_COLUMN = 1 << 11 };

/* Claimed in addition to the numbers: for the root, for each column, for the attributes at the end. */
enum { HEAD_BYTES = 1 << 16, INDEX_BYTES = 1 << 12, TAIL_BYTES = 1 << 14 };

/* count NULL: one value. */
static bool put_attribute(hid_t object, const char *name, hid_t type, const hsize_t *count, const void *value)
{
    hid_t space = count ? H5Screate_simple(1, count, NULL) : H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool good = attribute >= 0 && H5Awrite(attribute, type, value) >= 0;
    if (attribute >= 0)
        good = H5Aclose(attribute) >= 0 && good;
    H5Sclose(space);
    return good;
}

static bool put_scalar(hid_t object, const char *name, hid_t type, const void *value)
{
    return put_attribute(object, name, type, NULL, value);
}

/* Text as UTF-8 of variable length: a str in Python, a string in MATLAB. */
static bool put_text(hid_t object, const char *name, const char *value)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    H5Tset_cset(type, H5T_CSET_UTF8);
    bool good = put_scalar(object, name, type, &value);
    H5Tclose(type);
    return good;
}

static bool put_number(hid_t object, const char *name, double value)
{
    return put_scalar(object, name, H5T_NATIVE_DOUBLE, &value);
}

static bool put_integer(hid_t object, const char *name, long value)
{
    return put_scalar(object, name, H5T_NATIVE_LONG, &value);
}

/* The codes of a column as flags of the CF conventions, and in words: a line "CODE WORD: SENTENCE" for each. */
static bool legend_write(ifd_arena *arena, hid_t set, ifd_quantity quantity)
{
    const ifd__legend l = ifd__legend_of(quantity);
    const char *words = "", *lines = "";
    double *code = ifd_arena_array(arena, (size_t)l.count, sizeof *code);
    if (l.count == 0)
        return true;
    for (int k = 0; k < l.count && words && lines; k++) {
        words = ifd_arena_print(arena, "%s%s%s", words, k ? " " : "", l.word[k]);
        lines = ifd_arena_print(arena, "%s%s%d %s%s%s", lines, k ? "\n" : "", k, l.word[k], l.text ? ": " : "",
                                l.text ? l.text[k] : "");
        if (code)
            code[k] = k;
    }
    hsize_t count = (hsize_t)l.count;
    return code && words && lines && put_attribute(set, "flag_values", H5T_NATIVE_DOUBLE, &count, code) &&
           put_text(set, "flag_meanings", words) && put_text(set, "legend", lines);
}

static bool column_create(ifd_result *res, const char *path, const ifd_column *channel, int index)
{
    hsize_t none = 0, unlimited = H5S_UNLIMITED, chunk = (hsize_t)res->chunk;
    hid_t space = H5Screate_simple(1, &none, &unlimited);
    hid_t create = H5Pcreate(H5P_DATASET_CREATE), link = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_chunk(create, 1, &chunk);
    /* HDF5 reports a number that was changed on the disk to its reader. The last chunk of a file that is read during
     * writing is rewritten in place, and a reader may read half of it: its checksum would fail (258 of 5877 reads of
     * a loop). A chunk that is not full has no checksum there; the seal covers it. */
    H5Pset_fletcher32(create);
    if (res->test)
        H5Pset_chunk_opts(create, H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS);
    H5Pset_create_intermediate_group(link, 1);
    hid_t set = H5Dcreate2(res->file, path, H5T_NATIVE_DOUBLE, space, link, create, H5P_DEFAULT);
    bool good = set >= 0 && put_text(set, "name", channel->name) && put_text(set, "unit", channel->unit) &&
                put_text(set, "group", channel->group) && put_integer(set, "index", index) &&
                put_text(set, "description", ifd_column_description(channel->quantity)) &&
                legend_write(res->arena, set, channel->quantity);
    if (set >= 0)
        good = H5Dclose(set) >= 0 && good;
    H5Pclose(link);
    H5Pclose(create);
    H5Sclose(space);
    return good;
}

static bool columns_create(ifd_result *res)
{
    static const ifd_column time = {.name = "time", .unit = "s", .group = "time", .quantity = IFD_COLUMN_TIME};
    if (!column_create(res, "/time", &time, -1))
        return false;
    for (int i = 0; i < res->columns; i++) {
        if (column_create(res, res->path[i], &res->column[i], i))
            continue;
        /* Two names may give one path after blanks and slashes are replaced. */
        res->path[i] = ifd_arena_print(res->arena, "%s_%d", res->path[i], i);
        if (!res->path[i] || !column_create(res, res->path[i], &res->column[i], i))
            return false;
    }
    return true;
}

/* A dataset that is written once. */
static bool put_set(ifd_result *res, const char *path, hid_t type, hid_t space, const void *value)
{
    hid_t set = H5Dcreate2(res->file, path, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool good = set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) >= 0;
    if (set >= 0)
        good = H5Dclose(set) >= 0 && good;
    H5Sclose(space);
    return good;
}

/* A dataset, because an attribute is limited to 64 KB; of fixed length and marked as ASCII (although it may be
 * UTF-8), because Octave stops reading a file at any other kind of text. */
static bool case_write(ifd_result *res)
{
    const char *text = res->c->text && *res->c->text ? res->c->text : "\n";
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, strlen(text));
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    bool good = put_set(res, "/case", type, H5Screate(H5S_SCALAR), text);
    H5Tclose(type);
    return good;
}

/* Bytes, for ifd_case_read_bundle. */
static bool bundle_write(ifd_result *res, const char *bundle, size_t length)
{
    hsize_t size = (hsize_t)length;
    return !bundle || put_set(res, "/bundle", H5T_NATIVE_UCHAR, H5Screate_simple(1, &size, NULL), bundle);
}

/* prefix_<parameter> for every parameter of the method. */
static bool params_write(ifd_result *res, const ifd_step_options *step, const char *prefix)
{
    const ifd_method *method = step->method;
    bool good = true;
    for (int i = 0; good && method->params && method->params[i].name; i++) {
        const char *word = ifd__param_word(res->arena, &method->params[i], &step->value[i]);
        const char *name = ifd_arena_print(res->arena, "%s_%s", prefix, method->params[i].name);
        good = name && (word ? put_text(res->file, name, word) : put_number(res->file, name, step->value[i].number));
    }
    return good;
}

static bool parts_write(ifd_result *res, const ifd_couple_options *couple)
{
    bool good = put_text(res->file, "method", couple->coupling->name) &&
                put_text(res->file, "method_citation", couple->coupling->citation);
    for (int p = 0; p < couple->parts && good; p++) {
        const ifd_part_options *part = &couple->part[p];
        const char *name = ifd_arena_print(res->arena, "part_%s_method", part->name);
        const char *cycles = ifd_arena_print(res->arena, "part_%s_subcycles", part->name);
        good = name && cycles && put_text(res->file, name, part->step.method->name) &&
               put_integer(res->file, cycles, part->subcycles ? part->subcycles : 1) &&
               params_write(res, &part->step, name);
    }
    return good;
}

static bool method_write(ifd_result *res)
{
    const ifd_run_options *run = &res->c->run;
    bool good = put_number(res->file, "step", run->step.h) && put_number(res->file, "end", run->end);
    if (run->external)
        return good && put_text(res->file, "method", "fmu");
    if (run->couple)
        return good && parts_write(res, run->couple);
    const ifd_method *method = run->step.method;
    if (!method)
        return good; /* the case could not be read again */
    return good && put_text(res->file, "method", method->name) &&
           put_text(res->file, "method_citation", method->citation) && params_write(res, &run->step, "method");
}

#define TIME_OF_RUN "/time: simulated time, s"
#define TIME_OF_TEST TIME_OF_RUN "; /wall_time: wall-clock time since the first tick, s"

static bool facts_write(ifd_result *res)
{
    ifd__host host;
    ifd__host_ask(&host);
    hid_t f = res->file;
    const char *file = res->c->path ? strrchr(res->c->path, '/') : NULL;
    file = file ? file + 1 : res->c->path ? res->c->path : "";
    return put_integer(f, "schema", IFD_RESULT_SCHEMA) && put_text(f, "interfield", ifd_version()) &&
           put_text(f, "title", res->c->title ? res->c->title : "") && put_text(f, "case_file", file) &&
           put_text(f, "started", res->started) &&
           put_text(f, "time_base", res->facts ? TIME_OF_TEST : TIME_OF_RUN) && method_write(res) &&
           put_text(f, "host_cpu", host.cpu) && put_text(f, "host_system", host.system) &&
           put_integer(f, "host_cores", host.cores) && put_text(f, "kernels", host.kernels) &&
           put_text(f, "blas", host.blas);
}

/* Stores the reason if HDF5 failed; then HDF5 prints its errors again. */
static ifd_status conclude(ifd_result *res, const ifd__hdf5_quiet *quiet, bool good)
{
    if (!good && !res->reason)
        res->reason = ifd_arena_print(res->arena, "result.h5: %s", ifd__hdf5_reason(res->arena));
    ifd__hdf5_quiet_end(quiet);
    return good ? IFD_OK : IFD_OUTPUT;
}

/* From now on readers may open the file (H5F_ACC_SWMR_READ). */
static bool share(ifd_result *res)
{
    hid_t *set = ifd_arena_array(res->arena, (size_t)res->columns + 1, sizeof *set);
    bool good = set != NULL;
    for (int i = 0; i <= res->columns && good; i++) {
        set[i] = H5Dopen2(res->file, i ? res->path[i - 1] : "/time", H5P_DEFAULT);
        good = set[i] >= 0;
    }
    res->set = set;
    return good && H5Fstart_swmr_write(res->file) >= 0;
}

static bool unshare(ifd_result *res)
{
    if (!res->set)
        return true;
    for (int i = 0; i <= res->columns; i++)
        H5Dclose(res->set[i]);
    res->set = NULL;
    bool good = H5Fclose(res->file) >= 0;
    res->file = H5Fopen(res->file_path, H5F_ACC_RDWR, H5P_DEFAULT);
    return res->file >= 0 && good;
}

/* Longer than a chunk needs to fill, except for rows that arrive slowly. A run looks at the clock for few rows. */
bool ifd__hdf5_due(const ifd_result *res)
{
    const int64_t most = res->set ? 2000000000 : 10000000000; /* ns */
    return (res->set || res->rows % 16 == 0) && ifd__clock_now() - res->flushed > most;
}

static void bound_cache(const ifd_result *res, hid_t access)
{
    H5AC_cache_config_t c = {.version = H5AC__CURR_CACHE_CONFIG_VERSION};
    if (H5Pget_mdc_config(access, &c) < 0)
        return;
    c.set_initial_size = true;
    c.initial_size = c.min_size = c.max_size = CACHE_BYTES + ((size_t)res->columns + 1) * CACHE_OF_A_COLUMN;
    c.incr_mode = H5C_incr__off;
    c.flash_incr_mode = H5C_flash_incr__off;
    c.decr_mode = H5C_decr__off;
    (void)H5Pset_mdc_config(access, &c);
}

ifd_status ifd__hdf5_open(ifd_result *res)
{
    size_t length = 0;
    const char *bundle = res->c->bundle ? ifd_case_bundle(res->arena, res->c, &length) : NULL;
    res->file_path = ifd_arena_print(res->arena, "%s/result.h5", res->folder);
    if (!res->file_path || (res->c->bundle && !bundle))
        return IFD_NO_MEMORY;
    res->flushed = ifd__clock_now();
    ifd__hdf5_quiet quiet;
    ifd__hdf5_quiet_begin(&quiet);
    /* Many attributes on the root and groups of many columns need a newer, indexed layout; reading during writing
     * needs the one after it. */
    H5F_libver_t layout = res->test ? H5F_LIBVER_V110 : H5F_LIBVER_V18;
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(access, layout, layout);
    bound_cache(res, access);
    res->file = H5Fcreate(res->file_path, H5F_ACC_EXCL, H5P_DEFAULT, access);
    H5Pclose(access);
    size_t bytes =
        HEAD_BYTES + (res->c->text ? strlen(res->c->text) : 0) + length + (size_t)res->columns * INDEX_BYTES;
    bool good = res->file >= 0 && ifd__reserve(res, bytes) && facts_write(res) && case_write(res) &&
                bundle_write(res, bundle, length) && columns_create(res) &&
                H5Fflush(res->file, H5F_SCOPE_LOCAL) >= 0 && (!res->test || share(res));
    return conclude(res, &quiet, good);
}

/* Column 0 is the time. */
static bool column_append(ifd_result *res, int column)
{
    const double *values = res->buffer + column * res->stride;
    hid_t set =
        res->set ? res->set[column] : H5Dopen2(res->file, column ? res->path[column - 1] : "/time", H5P_DEFAULT);
    if (set < 0)
        return false;
    hsize_t start = (hsize_t)(res->rows - res->used), count = (hsize_t)res->used, size = (hsize_t)res->rows;
    bool good = H5Dset_extent(set, &size) >= 0;
    hid_t space = H5Dget_space(set), memory = H5Screate_simple(1, &count, NULL);
    good = good && H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &count, NULL) >= 0 &&
           H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values) >= 0;
    H5Sclose(memory);
    H5Sclose(space);
    return (res->set || H5Dclose(set) >= 0) && good;
}

ifd_status ifd__hdf5_flush(ifd_result *res)
{
    if (res->used == 0)
        return IFD_OK;
    ifd__hdf5_quiet quiet;
    ifd__hdf5_quiet_begin(&quiet);
    size_t columns = (size_t)res->columns + 1;
    bool good = ifd__reserve(res, columns * ((size_t)res->chunk * sizeof(double) + INDEX_BYTES) + TAIL_BYTES);
    for (int i = 0; good && i <= res->columns; i++)
        good = column_append(res, i);
    good = good && H5Fflush(res->file, H5F_SCOPE_LOCAL) >= 0;
    if (!good)
        res->rows -= res->used;
    res->used = 0;
    res->flushed = ifd__clock_now();
    return conclude(res, &quiet, good);
}

static bool fault_write(ifd_result *res)
{
    ifd__mishap m = ifd__result_mishap(res);
    hid_t f = res->file;
    bool good = put_text(f, "fault", m.name ? m.name : ifd_fault_name(IFD_FAULT_NONE));
    if (!m.name)
        return good;
    good = good && put_text(f, "fault_text", m.text) && put_number(f, "fault_time", m.time) &&
           (!res->facts || put_number(f, "fault_wall_time", m.wall)) &&
           put_integer(f, res->facts ? "fault_tick" : "fault_step", m.step) &&
           put_text(f, res->facts ? "fault_owner" : "fault_dof", m.where ? m.where : "") &&
           put_number(f, "fault_value", m.value) && (!m.why || put_text(f, "fault_why", m.why));
    return good && (!res->facts || put_number(f, "fault_limit", m.limit));
}

/* Timing of a test. */
static bool report_write(ifd_result *res)
{
    const ifd_executor_report *r = res->report;
    hid_t f = res->file;
    char utc[64];
    bool stamped =
        !ifd__utc_text(r->start_utc, utc) ||
        (put_text(f, "start_utc", utc) &&
         put_integer(f, "start_tai_offset", (long)((r->start_tai - r->start_utc + 500000000) / 1000000000)) &&
         put_number(f, "start_monotonic", 1e-9 * (double)r->start_monotonic));
    bool triggered = (isnan(res->facts->trigger_rose) || put_number(f, "trigger_rose", res->facts->trigger_rose)) &&
                     (isnan(res->facts->trigger_fell) || put_number(f, "trigger_fell", res->facts->trigger_fell));
    const ifd_start_facts *s = res->start;
    bool started = !s || !s->at || isnan(res->facts->trigger_rose) ||
                   (put_number(f, "start_error", ifd__start_error(r, s, res->facts->trigger_rose)) &&
                    put_text(f, "clock_source", s->source) && put_number(f, "clock_error", s->clock_error));
    return stamped && triggered && started && put_integer(f, "late_ticks", r->late_ticks) &&
           put_integer(f, "skipped", r->skipped) && put_integer(f, "dropped", r->dropped) &&
           put_number(f, "late_p50", r->late_p50) && put_number(f, "late_p99", r->late_p99) &&
           put_number(f, "late_p999", r->late_p999) && put_number(f, "late_max", r->late_max) &&
           put_integer(f, "fifo", r->fifo) && put_integer(f, "locked", r->locked) &&
           put_integer(f, "pinned", r->pinned) && put_integer(f, "isolated", r->isolated);
}

/* The end of its record. */
static bool journal_write(ifd_result *res)
{
    const ifd_journal_end *e = res->facts ? res->facts->journal : NULL;
    return !e || (put_integer(res->file, "record_cut", !e->has_ending) &&
                  put_integer(res->file, "record_ticks", (long)e->ticks) &&
                  put_integer(res->file, "record_thinned", (long)e->thinned) &&
                  put_integer(res->file, "record_dropped", (long)e->dropped) &&
                  put_integer(res->file, "record_unreadable", (long)e->bad));
}

/* Operator, specimen, and extent of the test. Attributes and notes are limited to 64 KB. */
static bool day_write(ifd_result *res)
{
    const ifd_day *d = &res->c->day;
    hid_t f = res->file;
    return put_text(f, "operator", d->by ? d->by : "") &&
           put_text(f, "specimen_id", d->specimen ? d->specimen : "") &&
           put_text(f, "notes", d->notes && strlen(d->notes) < 60000 ? d->notes : "") &&
           put_number(f, "scale", d->scale) && put_integer(f, "rehearsal", d->rehearsal) &&
           put_text(f, "continues", d->continues ? d->continues : "") &&
           (!res->events_chain || put_text(f, "events_chain", res->events_chain));
}

/* Remarks of reading and set-up, one per line; an attribute is limited to 64 KB. */
static bool notes_write(ifd_result *res)
{
    enum { MOST = 60000 };
    const ifd_case *c = res->c;
    size_t room = 1;
    for (int i = 0; i < c->setup_notes; i++)
        room += strlen(c->setup_note[i]) + 1;
    char *text = room < MOST ? ifd_arena_take(res->arena, room) : NULL, *end = text;
    for (int i = 0; text && i < c->setup_notes; i++) {
        end = stpcpy(end, c->setup_note[i]);
        end = stpcpy(end, i + 1 < c->setup_notes ? "\n" : "");
    }
    return put_text(res->file, "setup_notes", text ? text : "");
}

/* One line each. */
static bool cautions_write(ifd_result *res)
{
    const char *text = "";
    for (int k = 0; k < res->cautions && text; k++)
        text = ifd_arena_print(res->arena, "%s%s%s", text, k ? "\n" : "", res->caution[k]);
    return text && put_text(res->file, "cautions", text);
}

static bool energy_write(ifd_result *res)
{
    ifd_energy e = {0};
    const char *caution = res->run ? ifd_run_caution(res->run) : NULL;
    bool known = ifd__result_energy(res, &e);
    return ((!known && res->facts) ||
            put_number(res->file, "energy_error", e.scale > 0 ? e.numerical / e.scale : 0)) &&
           (!caution || put_text(res->file, "caution", caution)) && cautions_write(res);
}

static bool ending_write(ifd_result *res, const ifd_timing *timing)
{
    hid_t f = res->file;
    return (!res->broken || put_integer(f, "not_written", 1)) &&
           put_text(f, "outcome", ifd__result_outcome(res, timing)) &&
           put_text(f, "outcome_reason", ifd__result_reason(res, timing)) && fault_write(res) && journal_write(res) &&
           notes_write(res) && (!res->facts || (report_write(res) && day_write(res))) && energy_write(res) &&
           put_number(f, "wall_seconds", timing->wall) && put_number(f, "setup_seconds", timing->setup) &&
           put_number(f, "tick_p50", timing->step_p50) && put_number(f, "tick_p99", timing->step_p99) &&
           put_number(f, "tick_p999", timing->step_p999) && put_number(f, "tick_max", timing->step_max) &&
           put_integer(f, "ticks", timing->ticks);
}

/* timing NULL: the file does not contain a run. */
ifd_status ifd__hdf5_close(ifd_result *res, const ifd_timing *timing)
{
    if (res->file < 0)
        return IFD_OK;
    ifd_status status = timing ? ifd__hdf5_flush(res) : IFD_OK;
    res->broken = res->broken || status != IFD_OK;
    ifd__hdf5_quiet quiet;
    ifd__hdf5_quiet_begin(&quiet);
    bool good = unshare(res) && (!timing || (ifd__reserve(res, TAIL_BYTES) && ending_write(res, timing)));
    good = (res->file < 0 || H5Fclose(res->file) >= 0) && good;
    res->file = -1;
    ifd_status each = conclude(res, &quiet, good);
    if (each == IFD_OK && timing && !ifd__seal_put(res->file_path)) {
        res->reason = ifd_arena_print(res->arena, "result.h5: %s", strerror(errno));
        each = IFD_OUTPUT;
    }
    return status == IFD_OK ? each : status;
}
