/* SPDX-License-Identifier: MIT */
/* Collects rows of a result and writes its files. */
#include "record/cycles.h"
#include "record/result.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <interfield/version.h>

#include "base/column.h"
#include "text/file.h"

/* result.csv: a header line "time [s],floor1 displacement [m],...", then one line per row, 17 significant digits, so
 * that reading gives the same doubles. */

static ifd_status csv_failed(ifd_result *res)
{
    if (!res->reason)
        res->reason = ifd_arena_print(res->arena, "result.csv: %s", strerror(errno));
    return IFD_OUTPUT;
}

void ifd__csv_name(FILE *file, const char *name, const char *unit)
{
    bool quoted = strpbrk(name, ",\"\n") != NULL;
    fputs(quoted ? ",\"" : ",", file);
    for (const char *p = name; *p; p++) {
        if (*p == '"')
            fputc('"', file);
        fputc(*p, file);
    }
    fprintf(file, " [%s]%s", unit, quoted ? "\"" : "");
}

void ifd__csv_number(FILE *file, double value)
{
    char text[40];
    snprintf(text, sizeof text, "%.17g", value);
    char *comma = strchr(text, ','); /* the decimal sign of some locales */
    if (comma)
        *comma = '.';
    fputs(text, file);
}

static ifd_status csv_open(ifd_result *res)
{
    const char *path = ifd_arena_print(res->arena, "%s/result.csv", res->folder);
    IFD__HAVE(path);
    res->csv = fopen(path, "w");
    if (!res->csv)
        return csv_failed(res);
    fputs("time [s]", res->csv);
    for (int i = 0; i < res->columns; i++)
        ifd__csv_name(res->csv, res->column[i].name, res->column[i].unit);
    return fputc('\n', res->csv) == EOF ? csv_failed(res) : IFD_OK;
}

static ifd_status csv_append(ifd_result *res, double time, const double *values)
{
    ifd__csv_number(res->csv, time);
    for (int i = 0; i < res->columns; i++) {
        fputc(',', res->csv);
        ifd__csv_number(res->csv, values[i]);
    }
    return fputc('\n', res->csv) == EOF || ferror(res->csv) ? csv_failed(res) : IFD_OK;
}

static ifd_status csv_close(ifd_result *res)
{
    if (!res->csv)
        return IFD_OK;
    bool good = fclose(res->csv) == 0;
    res->csv = NULL;
    return good ? IFD_OK : csv_failed(res);
}

/* A file in the folder of a result that exists until the result is complete. If it remains, the program did not
 * finish; its text states what to do. */

static const char *unfinished_path(ifd_arena *arena, const char *folder)
{
    return ifd_arena_print(arena, "%s/" IFD__UNFINISHED, folder);
}

static ifd_status unfinished_begin(ifd_result *res, ifd_note *note)
{
    const char *path = unfinished_path(res->arena, res->folder);
    IFD__HAVE(path);
    FILE *file = fopen(path, "w");
    bool good =
        file && fprintf(file,
                        "interfield %s started to write a result here at %s (process %ld).\nThis file is removed "
                        "when the result is complete. If that process has ended, it was killed or the machine "
                        "stopped:\n`interfield recover` with the name of this folder makes a result from the "
                        "recorded data, or reports that there are none.\n",
                        ifd_version(), res->started, (long)getpid()) > 0;
    if (file && fclose(file) != 0)
        good = false;
    return good ? IFD_OK : ifd_note_add(note, IFD_OUTPUT, NULL, "'%s' cannot be written: %s", path, strerror(errno));
}

static void unfinished_end(const ifd_result *res)
{
    const char *path = unfinished_path(res->arena, res->folder);
    if (path)
        (void)unlink(path);
}

bool ifd__unfinished_beside(ifd_arena *arena, const char *file)
{
    const char *path = ifd__file_relative(arena, &(ifd_place){.file = file}, IFD__UNFINISHED);
    return path && access(path, F_OK) == 0;
}

/* A failed write inside HDF5 leaves a file that cannot be opened, and a library that may crash at exit. The space
 * for each flush is therefore claimed from the file system first. If the claim fails, HDF5 is not called and the
 * file remains valid. */

/* 0 or the error number. */
static int claim(int fd, size_t bytes)
{
    struct stat facts;
    if (fstat(fd, &facts) != 0)
        return errno;
    struct rlimit limit; /* claiming space does not check this limit */
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        limit.rlim_cur < (rlim_t)facts.st_size + (rlim_t)bytes)
        return EFBIG;
    if (fallocate(fd, FALLOC_FL_KEEP_SIZE, facts.st_size, (off_t)bytes) == 0)
        return 0;
    if (errno != EOPNOTSUPP && errno != ENOSYS && errno != EINTR)
        return errno;
    struct statvfs space; /* the file system cannot claim space: compare with the free space */
    if (fstatvfs(fd, &space) != 0)
        return 0;
    return (double)space.f_bavail * (double)space.f_frsize < (double)bytes ? ENOSPC : 0;
}

int ifd__file_claim(const char *path, size_t bytes)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    int why = fd < 0 ? errno : claim(fd, bytes);
    if (fd >= 0)
        close(fd);
    return why;
}

bool ifd__reserve(ifd_result *res, size_t bytes)
{
    int why = ifd__file_claim(res->file_path, bytes);
    if (why && !res->reason)
        res->reason = ifd_arena_print(res->arena, "result.h5: %s", strerror(why));
    return why == 0;
}

enum {
    MOST_CHUNK = 16384,
    MOST_TEST_CHUNK = 4096, /* of a file that is read during writing */
    LEAST_CHUNK = 16,
    MOST_BUFFER = 1 << 23, /* numbers */
    LINE = 8               /* numbers of a cache line */
};

static ifd_status folder_make(ifd_arena *arena, const char *folder, ifd_note *note)
{
    struct stat facts;
    const char *refused = ifd__folder_make(arena, folder);
    if (refused)
        return ifd_note_add(note, IFD_OUTPUT, NULL, "the folder '%s' cannot be made: %s", refused, strerror(errno));
    if (stat(folder, &facts) != 0 || !S_ISDIR(facts.st_mode))
        return ifd_note_add(note, IFD_OUTPUT, NULL, "'%s' is not a folder: choose another with --out DIR", folder);
    return IFD_OK;
}

static ifd_status check_free(ifd_arena *arena, const char *folder, ifd_note *note)
{
    const char *path = ifd_arena_print(arena, "%s/result.h5", folder);
    IFD__HAVE(path);
    if (access(path, F_OK) != 0)
        return IFD_OK;
    return ifd_note_advise(note, IFD_CONFLICT, NULL, "choose another folder, or remove this one",
                           "'%s' already contains a result", folder);
}

/* A file that is read during writing gets one second of rows at a time, always a whole chunk. A chunk that is
 * written before it is full has no checksum yet; it moves when it gets one, and its old place is lost. */
static long rows_at_a_time(const ifd_result *res)
{
    long every = res->c->run.every > 1 ? res->c->run.every : 1;
    if (res->run)
        return ifd_run_steps(res->run) / every + 1;
    double rows = res->test ? 1 / (ifd_hybrid_period(res->test) * (double)every) : MOST_TEST_CHUNK;
    return rows > MOST_TEST_CHUNK ? MOST_TEST_CHUNK : rows < LEAST_CHUNK ? LEAST_CHUNK : lround(rows);
}

static ifd_status buffers_make(ifd_result *res)
{
    long rows = rows_at_a_time(res);
    long columns = res->columns + 1;
    res->chunk = MOST_BUFFER / columns;
    res->chunk = res->chunk > MOST_CHUNK ? MOST_CHUNK : res->chunk < LEAST_CHUNK ? LEAST_CHUNK : res->chunk;
    res->chunk = rows < 1 ? 1 : rows < res->chunk ? rows : res->chunk;
    res->stride = res->chunk + LINE; /* else the numbers of a row compete for the same places of the cache */
    IFD_TRY(IFD__TAKE(res->arena, IFD__ARRAY(res->buffer, (size_t)columns * (size_t)res->stride),
                      IFD__ARRAY(res->peak, res->columns), IFD__ARRAY(res->path, res->columns)));
    for (int i = 0; i < res->columns; i++) {
        res->path[i] = ifd__column_path(res->arena, &res->column[i]);
        IFD__HAVE(res->path[i]);
    }
    return IFD_OK;
}

static ifd_status drifts_make(ifd_result *res)
{
    size_t count = 0;
    for (const ifd_storey_drift *d = res->c->drift; d; d = d->next)
        count++;
    IFD_TRY(IFD__TAKE(res->arena, IFD__ARRAY(res->drift, count)));
    for (const ifd_storey_drift *d = res->c->drift; d; d = d->next) {
        int to = ifd_column_find(res->column, res->columns, d->name, IFD_COLUMN_STOREY_DRIFT), from = -1;
        bool recorded = to >= 0;
        if (!recorded && d->to) {
            to = ifd_column_find(res->column, res->columns, d->to, IFD_COLUMN_DISPLACEMENT);
            from = d->from ? ifd_column_find(res->column, res->columns, d->from, IFD_COLUMN_DISPLACEMENT) : -1;
        }
        if (d->storey && to >= 0 && (recorded || from >= 0 || !d->from))
            res->drift[res->drifts++] =
                (ifd__storey_drift){.name = d->name, .unit = res->column[to].unit, .from = from, .to = to};
    }
    return IFD_OK;
}

/* Reports once why writing failed. */
static ifd_status broken(ifd_result *res, ifd_note *note)
{
    return ifd_note_add(note, IFD_OUTPUT, NULL, "the result in '%s' could not be written: %s", res->folder,
                        res->reason ? res->reason : "the reason is unknown");
}

ifd_status ifd__result_begin(ifd_result *res, const char *folder, ifd_note *note)
{
    IFD_TRY(folder_make(res->arena, folder, note));
    IFD_TRY(check_free(res->arena, folder, note));
    res->folder = ifd_arena_text(res->arena, folder);
    res->file = -1;
    IFD__HAVE(res->folder);
    if (!res->started[0])
        ifd__time_of_day(res->started);
    IFD_TRY(unfinished_begin(res, note));
    IFD_TRY(buffers_make(res));
    IFD_TRY(drifts_make(res));
    ifd_status status = ifd__hdf5_open(res);
    if (status == IFD_OK && res->c->csv)
        status = csv_open(res);
    if (status != IFD_OK) {
        csv_close(res);
        ifd__hdf5_close(res, NULL);
        unfinished_end(res);
        return status == IFD_OUTPUT ? broken(res, note) : status;
    }
    return IFD_OK;
}

ifd_status ifd_result_open(ifd_arena *arena, const char *folder, const ifd_case *c, const ifd_run *run,
                           ifd_result **out, ifd_note *note)
{
    ifd_result *res;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(res, 1)));
    res->arena = arena;
    res->c = c;
    res->run = run;
    res->column = ifd_run_columns(run, &res->columns);
    IFD_TRY(ifd__cycles_open(arena, c, res->column, res->columns, &res->cycles));
    IFD_TRY(ifd__result_begin(res, folder, note));
    *out = res;
    return IFD_OK;
}

/* A call, so that the compiler keeps the branch: a peak grows in few rows. */
static __attribute__((noinline)) void peak_set(ifd_peak *p, double time, double wall, double value)
{
    p->value = fabs(value);
    p->time = time;
    p->wall_time = wall;
}

static void peak_update(ifd_peak *p, double time, double wall, double value)
{
    p->last = value;
    if (fabs(value) > p->value)
        peak_set(p, time, wall, value);
}

static void peaks_update(ifd_result *res, double time, const double *values)
{
    double wall = res->facts ? res->facts->wall : 0;
    for (int i = 0; i < res->columns; i++)
        peak_update(&res->peak[i], time, wall, values[i]);
    for (int i = 0; i < res->drifts; i++) {
        ifd__storey_drift *d = &res->drift[i];
        peak_update(&d->peak, time, wall, values[d->to] - (d->from < 0 ? 0 : values[d->from]));
    }
}

ifd_status ifd__result_keep(ifd_result *res, double time, const double *values)
{
    assert(!res->summary && "the result was closed");
    if (res->broken)
        return IFD_OUTPUT;
    res->buffer[res->used] = time;
    for (int i = 0; i < res->columns; i++)
        res->buffer[(i + 1) * res->stride + res->used] = values[i];
    res->used++;
    peaks_update(res, time, values);
    res->rows++;
    ifd_status status = res->csv ? csv_append(res, time, values) : IFD_OK;
    if (status == IFD_OK && (res->used == res->chunk || ifd__hdf5_due(res)))
        status = ifd__hdf5_flush(res);
    res->broken = status != IFD_OK;
    return status;
}

ifd_status ifd_result_append(ifd_result *res, const double *values)
{
    if (res->cycles)
        ifd__cycles_add(res->cycles, ifd_run_time(res->run), true, false, values);
    return ifd__result_keep(res, ifd_run_time(res->run), values);
}

const char *ifd__param_word(ifd_arena *arena, const ifd_param *param, const ifd_value *value)
{
    if (param->shape == IFD_SHAPE_FLAG)
        return value->number != 0 ? "yes" : "no";
    if (value->word || param->shape != IFD_SHAPE_WORD || !param->words)
        return value->word;
    const char *word = param->words;
    for (int i = 0; i < (int)value->number && word[strcspn(word, "|")]; i++)
        word += strcspn(word, "|") + 1;
    return ifd_arena_text_n(arena, word, strcspn(word, "|"));
}

double ifd__result_time(const ifd_result *res)
{
    return res->facts ? res->facts->time : ifd_run_time(res->run);
}

long ifd__result_steps(const ifd_result *res)
{
    double h = res->c->run.step.h;
    return !res->facts ? ifd_run_step(res->run) : h > 0 ? lround(res->facts->time / h) : 0;
}

ifd__mishap ifd__result_mishap(const ifd_result *res)
{
    if (res->facts)
        return ifd__test_mishap(res);
    ifd_fault_facts f = ifd_run_fault(res->run);
    if (f.fault == IFD_FAULT_NONE)
        return (ifd__mishap){0};
    return (ifd__mishap){.name = ifd_fault_name(f.fault),
                         .text = ifd_fault_text(f.fault),
                         .where = f.dof_name,
                         .step = f.step,
                         .time = f.time,
                         .value = f.value,
                         .why = f.why};
}

static ifd_status cycles_write(ifd_result *res)
{
    const char *path = ifd_arena_print(res->arena, "%s/cycles.csv", res->folder);
    if (!res->cycles)
        return IFD_OK;
    IFD__HAVE(path);
    IFD_TRY(ifd__cycles_close(res->cycles));
    int why = ifd__cycles_write(res->cycles, path);
    if (why && !res->reason)
        res->reason = ifd_arena_print(res->arena, "cycles.csv: %s", strerror(why));
    return why ? IFD_OUTPUT : IFD_OK;
}

static ifd_status summary_write(ifd_result *res)
{
    const char *path = ifd_arena_print(res->arena, "%s/summary.json", res->folder);
    IFD__HAVE(path);
    FILE *file = fopen(path, "w");
    bool good = file && fprintf(file, "%s\n", res->summary) > 0;
    if (file && fclose(file) != 0)
        good = false;
    if (!good && !res->reason)
        res->reason = ifd_arena_print(res->arena, "summary.json: %s", strerror(errno));
    return good ? IFD_OK : IFD_OUTPUT;
}

/* The log of events ends before the files that contain its last hash. */
static void conclude(ifd_result *res, const ifd_timing *timing)
{
    const char *before = res->outcome;
    res->outcome = ifd__result_outcome(res, timing);
    res->ended = ifd__result_reason(res, timing);
    if (timing->end_events && (!before || strcmp(before, res->outcome) != 0))
        res->events_chain = timing->end_events(timing->events, res);
}

ifd_status ifd_result_close(ifd_result *res, const ifd_timing *timing, ifd_note *note)
{
    assert(!res->summary && "the result was closed");
    ifd_status status = res->broken ? IFD_OUTPUT : ifd__result_judge(res);
    conclude(res, timing);
    ifd_status each = ifd__hdf5_close(res, timing);
    status = status == IFD_OK ? each : status;
    each = csv_close(res);
    status = status == IFD_OK ? each : status;
    each = cycles_write(res);
    status = status == IFD_OK ? each : status;
    res->broken = status != IFD_OK;
    conclude(res, timing);
    each = ifd__summary_make(res, timing);
    if (each == IFD_OK)
        each = summary_write(res);
    if (each == IFD_OK)
        unfinished_end(res); /* the summary contains the outcome */
    status = status == IFD_OK ? each : status;
    return status == IFD_OUTPUT ? broken(res, note) : status;
}

const char *ifd_result_summary(const ifd_result *res)
{
    return res->summary;
}

const char *ifd_result_outcome(const ifd_result *res)
{
    return res->outcome;
}

const char *ifd_result_reason(const ifd_result *res)
{
    return res->ended;
}

const char *const *ifd_result_cautions(const ifd_result *res, int *count)
{
    *count = res->cautions;
    return res->caution;
}

const ifd_peak *ifd_result_peaks(const ifd_result *res)
{
    return res->peak;
}

long ifd_result_rows(const ifd_result *res)
{
    return res->rows;
}
