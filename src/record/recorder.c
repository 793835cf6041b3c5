/* SPDX-License-Identifier: MIT */
/* The journal is written first. A separate thread reads it and writes result.h5. HDF5 may wait for its disk; the
 * missing rows are written at the end, from the journal. */
#include <interfield/recorder.h>

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include <interfield/events_chain.h>
#include <interfield/histogram.h>
#include <interfield/version.h>

#include "record/journal/journal.h"
#include "record/result.h"
#include "base/os_linux.h"

struct ifd_recorder {
    ifd_arena *books; /* of the thread that writes result.h5; of the caller before its start and after its end */
    ifd_note note;
    const char *path;
    ifd_journal *journal;
    ifd_journal_reader *reader;
    ifd_result *result;
    ifd_journal_end end;
    pthread_t thread;
    bool open;
    atomic_bool stop;
    _Atomic int status; /* of result.h5 */
    _Atomic uint64_t rows;
};

static void follow(ifd_recorder *r)
{
    ifd_tick_record record;
    for (; ifd_journal_next(r->reader, &record); atomic_fetch_add(&r->rows, 1))
        if (atomic_load(&r->status) == IFD_OK)
            atomic_store(&r->status, (int)ifd_result_append_record(r->result, &record));
}

static void *serve(void *recorder)
{
    const int64_t between = 20000000; /* ns */
    ifd_recorder *r = recorder;
    for (bool last = false; !last;) {
        last = atomic_load(&r->stop);
        ifd__journal_bound(r->reader, ifd_journal_written(r->journal));
        follow(r);
        if (!last)
            ifd__clock_sleep(ifd__clock_now() + between);
    }
    return NULL;
}

static void join(ifd_recorder *r)
{
    if (!r->open)
        return;
    r->open = false;
    atomic_store(&r->stop, true);
    (void)pthread_join(r->thread, NULL);
}

static void leave(void *recorder)
{
    ifd_recorder *r = recorder;
    join(r);
    ifd_arena_close(r->books);
    r->books = NULL;
}

static ifd_status open_journal(ifd_recorder *r, const ifd_recorder_options *o, ifd_note *note)
{
    const ifd_case *c = o->c;
    const ifd_hybrid *test = o->test;
    ifd__host host;
    ifd__host_ask(&host);
    ifd_journal_facts f = {.version = ifd_version(),
                           .kernels = host.kernels,
                           .cpu = host.cpu,
                           .started = r->result->started,
                           .program = ifd__program_hash(),
                           .period = ifd_hybrid_period(test),
                           .by = c->day.by,
                           .notes = c->day.notes,
                           .rehearsal = c->day.rehearsal,
                           .characterisation =
                               c->test && c->test->protocol && ifd_protocol_characterises(c->test->protocol)};
    const ifd_remote_options *remote = ifd_hybrid_remote(test);
    f.remote = remote ? *remote : (ifd_remote_options){0};
    f.sensed = ifd_hybrid_sensed(test, &f.aux);
    f.column = ifd_hybrid_columns(test, &f.columns);
    f.bundle = c->bundle ? ifd_case_bundle(r->books, c, &f.bundle_length) : "";
    IFD__HAVE(f.bundle);
    IFD_TRY(ifd_journal_open(r->books, r->path, &f, &o->journal, &r->journal, note));
    return ifd_journal_read(r->books, r->path, &r->reader, note);
}

ifd_status ifd_recorder_open(ifd_arena *arena, const ifd_recorder_options *o, ifd_recorder **out, ifd_note *note)
{
    ifd_recorder *r = ifd_arena_take(arena, sizeof *r);
    IFD__HAVE(r && (r->books = ifd_arena_open()));
    if (!ifd_arena_on_close(arena, leave, r)) {
        leave(r);
        return IFD_NO_MEMORY;
    }
    r->path = ifd_arena_print(r->books, "%s/" IFD_JOURNAL_FILE, o->folder);
    IFD__HAVE(r->path);
    IFD_TRY(ifd_result_open_test(r->books, o->folder, o->c, o->test, &r->result, note));
    IFD_TRY(open_journal(r, o, note));
    int failed = ifd__thread_start(&r->thread, serve, r);
    if (failed)
        return ifd_note_add(note, IFD_NO_MEMORY, NULL, "the thread of the recorder could not be started: %s",
                            strerror(failed));
    r->open = true;
    *out = r;
    return IFD_OK;
}

void ifd_recorder_add(ifd_recorder *r, const ifd_tick_record *record)
{
    ifd_journal_add(r->journal, record);
}

ifd_status ifd_recorder_progress(const ifd_recorder *r)
{
    ifd_status status = ifd_journal_status(r->journal);
    return status != IFD_OK ? status : (ifd_status)atomic_load(&r->status);
}

uint64_t ifd_recorder_written(const ifd_recorder *r)
{
    return ifd_journal_written(r->journal) + atomic_load(&r->rows);
}

ifd_status ifd_recorder_close(ifd_recorder *r, const ifd_executor_report *report, const ifd_timing *timing,
                              ifd_note *note)
{
    ifd_journal_ending ending = {
        .report = *report, .wall = timing->wall, .setup = timing->setup, .interrupted = timing->interrupted};
    ifd_status status = ifd_journal_close(r->journal, &ending, note);
    join(r);
    ifd__journal_bound(r->reader, UINT64_MAX);
    follow(r);
    r->end = ifd_journal_ended(r->reader);
    r->result->facts->journal = &r->end;
    ifd_status each = ifd_result_close_test(r->result, report, timing, note);
    return status == IFD_OK ? each : status;
}

ifd_status ifd_recorder_abandon(ifd_recorder *r, ifd_note *note)
{
    return ifd_journal_close(r->journal, NULL, note);
}

const ifd_result *ifd_recorder_result(const ifd_recorder *r)
{
    return r->result;
}

const ifd_journal *ifd__recorder_journal(const ifd_recorder *r)
{
    return r->journal;
}

const ifd_journal_end *ifd_recorder_end(const ifd_recorder *r)
{
    return &r->end;
}

/* The case, as far as it can be read again. */
static ifd_status case_again(ifd_arena *arena, const ifd_journal_facts *head, ifd_case **out, ifd_note *note)
{
    ifd_note own;
    ifd_note_init(&own, arena);
    if (head->bundle_length && ifd_case_read_bundle(arena, head->bundle, head->bundle_length, out, &own) == IFD_OK) {
        (*out)->day.by = head->by;
        (*out)->day.notes = head->notes;
        (*out)->day.rehearsal = head->rehearsal;
        return head->characterisation ? ifd_case_characterise(arena, *out, out, note) : IFD_OK;
    }
    ifd_note_remark(note, NULL, "the case could not be read again%s%s; its text is in the result",
                    own.first ? ": " : "", own.first ? own.first->text : "");
    ifd_case *c;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(c, 1)));
    c->title = "";
    c->text = ifd_arena_text_n(arena, head->bundle, head->bundle_length);
    *out = c;
    return c->text ? IFD_OK : IFD_NO_MEMORY;
}

/* The report of the executor, from the ticks of a test with an incomplete record. */
typedef struct summary_of_ticks {
    ifd_histogram *late, *duration;
    ifd_executor_report report;
} summary_of_ticks;

static void summary_add(summary_of_ticks *s, const ifd_tick_record *record)
{
    ifd_executor_report *report = &s->report;
    double late = record->late > 0.0 ? record->late : 0.0, duration = record->duration > 0.0 ? record->duration : 0.0;
    report->ticks = (long)record->tick;
    report->skipped += (long)record->skipped;
    report->dropped += (long)record->dropped;
    report->late_max = late > report->late_max ? late : report->late_max;
    report->duration_max = duration > report->duration_max ? duration : report->duration_max;
    report->late_ticks += record->trace && (record->trace->gate & IFD_GATE_LATE);
    ifd_histogram_add(s->late, (uint64_t)(1e9 * late + 0.5));
    ifd_histogram_add(s->duration, (uint64_t)(1e9 * duration + 0.5));
}

static double quantile(const ifd_histogram *h, double fraction)
{
    return 1e-9 * (double)ifd_histogram_quantile(h, fraction);
}

static const ifd_executor_report *summary_end(summary_of_ticks *s)
{
    ifd_executor_report *r = &s->report;
    r->late_p50 = quantile(s->late, 0.5);
    r->late_p99 = quantile(s->late, 0.99);
    r->late_p999 = quantile(s->late, 0.999);
    r->duration_p50 = quantile(s->duration, 0.5);
    r->duration_p99 = quantile(s->duration, 0.99);
    r->duration_p999 = quantile(s->duration, 0.999);
    return r;
}

/* The chain of the log beside a journal, which is the log of the new result; NULL: none, or a changed one. */
static const char *chain_again(void *journal, const ifd_result *res)
{
    ifd_events_checked log;
    char *text = ifd_arena_take(res->arena, IFD_CHAIN_TEXT + 1);
    if (!text || ifd_events_check(res->arena, *(const char **)journal, &log) != IFD_OK || log.wrong || log.lines == 0)
        return NULL;
    ifd_events_chain_print(&log.chain, text);
    return text;
}

ifd_status ifd_recover(ifd_arena *arena, const char *path, const char *folder, ifd_result **out, ifd_journal_end *end,
                       ifd_note *note)
{
    ifd_journal_reader *reader;
    ifd_case *c;
    ifd_tick_record record;
    summary_of_ticks ticks = {.late = ifd_histogram_make(arena), .duration = ifd_histogram_make(arena)};
    double wall = 0;
    IFD_TRY(ifd_journal_read(arena, path, &reader, note));
    const ifd_journal_facts *head = ifd_journal_head(reader);
    IFD_TRY(ticks.late && ticks.duration ? IFD_OK : IFD_NO_MEMORY);
    IFD_TRY(case_again(arena, head, &c, note));
    IFD_TRY(ifd__result_open_ticks(arena, folder, c, head, out, note));
    ifd_status status = IFD_OK;
    while (ifd_journal_next(reader, &record)) {
        summary_add(&ticks, &record);
        wall = record.wall + head->period;
        if (status == IFD_OK)
            status = ifd_result_append_record(*out, &record);
    }
    *end = ifd_journal_ended(reader);
    const ifd_journal_ending *e = &end->ending;
    ifd_executor_report report = end->has_ending ? e->report : *summary_end(&ticks);
    ifd__journal_start(reader, &report);
    const ifd_timing timing = {.wall = end->has_ending ? e->wall : wall,
                               .setup = e->setup,
                               .step_p50 = report.duration_p50,
                               .step_p99 = report.duration_p99,
                               .step_p999 = report.duration_p999,
                               .step_max = report.duration_max,
                               .ticks = report.ticks,
                               .interrupted = e->interrupted,
                               .end_events = chain_again,
                               .events = &path};
    (*out)->facts->journal = end;
    ifd_status each = ifd_result_close_test(*out, &report, &timing, note);
    return status == IFD_OK ? each : status;
}
