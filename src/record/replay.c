/* SPDX-License-Identifier: MIT */
/* Replays a recorded test from its journal. */
#include <interfield/replay.h>

#include <fenv.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <interfield/case.h>
#include <interfield/checkpoint.h>

#include "base/os_linux.h"
#include "hybrid/hybrid.h"
#include "hybrid/pace/master.h"
#include "record/result.h"
#include "rig/replay.h"
#include "text/file.h"

/* Whether all values have equal bits; otherwise *out gets the first difference and the largest one. */
static bool compare_values(ifd_replay_report *out, const ifd_column *channel, int count, const double *recorded,
                           const double *replayed)
{
    bool same = true;
    for (int i = 0; i < count; i++) {
        if (memcmp(&recorded[i], &replayed[i], sizeof *recorded) == 0)
            continue;
        if (same) {
            out->column = channel[i].name;
            out->recorded = recorded[i];
            out->replayed = replayed[i];
        }
        same = false;
        double off = fabs(recorded[i] - replayed[i]);
        out->largest = !(off <= out->largest) ? off : out->largest;
    }
    return same;
}

/* The recording machine and this machine. program 0: unknown. */
static void take_host(ifd_replay_report *out, const char *kernels, const char *cpu, uint64_t program)
{
    ifd__host host;
    ifd__host_ask(&host);
    out->kernels_then = kernels;
    out->kernels_now = host.kernels;
    out->cpu_then = cpu;
    out->other_kernels = strcmp(kernels, host.kernels) != 0;
    out->other_cpu = strcmp(cpu, host.cpu) != 0;
    out->other_program = program != 0 && program != ifd__program_hash();
}

/* The status of reading a recorded case, with a remedy if native code is missing. c: all of its code is needed;
 * NULL: only the code of the model. */
static ifd_status judge_code(ifd_status status, const ifd_case *c, ifd_note *note)
{
    if (status != IFD_UNLOADED && !(status == IFD_OK && c && c->unloaded))
        return status;
    ifd_note_add(note, IFD_PLUGIN, NULL, "the record was made with native code%s%s%s, which is not loaded",
                 c ? " '" : "", c ? c->unloaded->path : "", c ? "'" : "");
    ifd_note_hint(note, "interfield replay --allow-plugin FILE names the file to load, which must be identical to "
                        "that of the record");
    return IFD_PLUGIN;
}

/* Replays a run from the case in its result. */

typedef struct comparing {
    const ifd_table *table;
    ifd_run *run;
    double *recorded, *replayed; /* one row */
    ifd_replay_report *out;
} comparing;

static bool compare_row(comparing *c)
{
    ifd_replay_report *out = c->out;
    uint64_t row = out->compared;
    for (int i = 0; i < c->table->columns; i++) {
        c->recorded[i] = c->table->value[i][row];
        c->replayed[i] = ifd_run_values(c->run)[i];
    }
    double time = ifd_run_time(c->run), then = c->table->time[row];
    bool same = compare_values(out, c->table->column, c->table->columns, c->recorded, c->replayed);
    if (!same || memcmp(&time, &then, sizeof time) != 0) {
        out->verdict = IFD_REPLAY_DIFFERS;
        out->first = row + 1;
        return false;
    }
    out->compared++;
    out->time = time;
    return true;
}

static void compare(comparing *c)
{
    ifd_run_state state = IFD_RUN_GOING;
    uint64_t rows = (uint64_t)c->table->rows;
    bool same = rows == 0 || !ifd_run_fresh(c->run) || compare_row(c);
    while (same && c->out->compared < rows && state == IFD_RUN_GOING) {
        state = ifd_run_tick(c->run);
        if (ifd_run_fresh(c->run))
            same = compare_row(c);
    }
    if (same && c->out->compared < rows) {
        c->out->verdict = IFD_REPLAY_DIFFERS; /* this run ends earlier than the recorded one */
        c->out->first = c->out->compared + 1;
    }
}

/* Names and units are compared like numbers, so that a flipped bit is detected. */
static ifd_status compare_names(comparing *c, const ifd_column *now, ifd_note *note)
{
    const ifd_table *table = c->table;
    for (int i = 0; i < table->columns; i++) {
        const ifd_column *was = &table->column[i];
        if (strcmp(was->name, now[i].name) != 0 || strcmp(was->unit, now[i].unit) != 0)
            return ifd_note_add(
                note, IFD_FILE, NULL,
                "column %d of the result is '%.60s' in '%.20s', but its case gives '%.60s' in '%.20s': the result "
                "was changed or is damaged",
                i + 1, was->name, was->unit, now[i].name, now[i].unit);
    }
    return IFD_OK;
}

static ifd_status replay(ifd_arena *arena, const ifd_table *table, const ifd_case *c, ifd_replay_report *out,
                         ifd_note *note)
{
    int channels;
    comparing all = {.table = table, .out = out};
    IFD_TRY(ifd_run_make(arena, &c->run, &all.run, note));
    const ifd_column *channel = ifd_run_columns(all.run, &channels);
    ifd_status status =
        IFD__TAKE(arena, IFD__ARRAY(all.recorded, table->columns), IFD__ARRAY(all.replayed, table->columns));
    if (status == IFD_OK && table->columns != channels)
        status = ifd_note_add(note, IFD_FILE, NULL, "the result has %d columns, but its case now gives %d",
                              table->columns, channels);
    if (status == IFD_OK)
        status = compare_names(&all, channel, note);
    if (status == IFD_OK)
        compare(&all);
    ifd_run_close(all.run);
    return status;
}

static ifd_status replay_run(ifd_arena *arena, const char *path, const ifd_case_code *code, ifd_replay_report *out,
                             ifd_note *note)
{
    ifd_table table;
    ifd_case *c = NULL;
    ifd_status status = ifd__result_case_as(arena, path, code, &c, note);
    IFD_TRY(judge_code(status, c, note));
    IFD_TRY(ifd_table_read(arena, path, &table, note));
    if (table.test)
        return ifd_note_add(note, IFD_FILE, NULL, "'%s' is the result of a test: replay its journal instead", path);
    take_host(out, table.kernels, table.cpu, 0);
    return replay(arena, &table, c, out, note);
}

typedef struct replaying {
    ifd_hybrid *test;
    ifd__replay *rig;
    ifd_remote *remote; /* of a test that another program led */
    int columns;
    const ifd_column *column;
    double *replayed;                 /* a row */
    double *given;                    /* recorded parameters of copies: a row; NULL: computed */
    int heard[IFD__RIGS][IFD__HEARD]; /* columns of what each of several rigs reported */
    ifd_replay_report *out;
} replaying;

/* What the filter of an identified specimen computes; the parameters in use are compared. */
static bool of_filter(ifd_quantity q)
{
    return q == IFD_COLUMN_IDENTIFIED || q == IFD_COLUMN_IDENTIFIED_DEVIATION ||
           q == IFD_COLUMN_IDENTIFIED_INNOVATION || q == IFD_COLUMN_IDENTIFIED_UPDATES;
}

/* Compares the results of this tick with the recorded ones. */
static bool compare_tick(const replaying *p, const ifd_ticked *t, const ifd_tick_record *record)
{
    for (int i = 0; i < p->columns; i++)
        p->replayed[i] = p->given && of_filter(p->column[i].quantity) ? record->values[i] : t->values(t->self)[i];
    bool same = compare_values(p->out, p->column, p->columns, record->values, p->replayed);
    return (p->given || record->trace->hash == t->trace(t->self)->hash) && same;
}

static bool tick(replaying *p, const ifd_ticked *t, const ifd_tick_record *record)
{
    ifd_replay_report *out = p->out;
    if (record->trace->took && p->remote)
        ifd_remote_say(p->remote, &record->trace->target);
    if (p->given)
        memcpy(p->given, record->values, (size_t)p->columns * sizeof *p->given);
    p->rig->fresh = record->trace->fresh != 0;
    p->rig->measure = record->trace->measure;
    for (int r = 0; p->rig->several && r < p->rig->several->rigs; r++)
        for (int i = 0; i < IFD__HEARD; i++)
            ((double *)&p->rig->heard[r])[i] = record->values[p->heard[r][i]];
    const ifd_tick_in in = {.order = record->order,
                            .source = record->source,
                            .wall = record->wall,
                            .late = record->late,
                            .job_late = record->trace->faults >> IFD_TRIP_LATE_JOB & 1,
                            .gate = (uint32_t)record->trace->gate};
    t->tick(t->self, &in);
    if (!compare_tick(p, t, record)) {
        out->verdict = IFD_REPLAY_DIFFERS;
        out->first = record->tick;
        return false;
    }
    out->compared++;
    out->time = record->wall;
    return true;
}

/* A gap ends the replay, because the state after it is unknown. The rest is still read, for the outcome of the
 * record. */
static void tick_all(replaying *p, ifd_journal_reader *reader)
{
    ifd_replay_report *out = p->out;
    ifd_ticked t = ifd_hybrid_ticked(p->test);
    ifd_tick_record record;
    uint64_t expected = 1;
    bool going = true;
    while (ifd_journal_next(reader, &record)) {
        if (!going)
            continue;
        ifd__park_pass(p->test, record.thinned); /* only their number has an effect on the state */
        expected += record.thinned;
        if (record.tick != expected) {
            out->verdict = IFD_REPLAY_PARTIAL;
            out->first = expected;
            going = false;
        } else {
            going = tick(p, &t, &record);
        }
        expected++;
    }
    out->end = ifd_journal_ended(reader);
    if (going && (out->end.bad || out->end.dropped)) {
        out->verdict = IFD_REPLAY_PARTIAL;
        out->first = expected;
    }
}

/* What the rigs reported is an input. */
static bool find_rigs(replaying *p)
{
    static const ifd_quantity of_heard[] = {IFD_COLUMN_RIG_FRESH,  IFD_COLUMN_RIG_ANSWERED, IFD_COLUMN_RIG_ARRIVED,
                                            IFD_COLUMN_RIG_INPUTS, IFD_COLUMN_RIG_TIME,     IFD_COLUMN_RIG_TAKEN,
                                            IFD_COLUMN_RIG_CLOCK}; /* as ifd__rig_heard */
    _Static_assert(sizeof of_heard / sizeof *of_heard == IFD__HEARD, "all of them");
    const ifd_several *s = p->rig->several;
    for (int r = 0; s && r < s->rigs; r++) {
        for (int i = 0; i < IFD__HEARD; i++) {
            p->heard[r][i] = ifd_column_find(p->column, p->columns, s->rig[r].name, of_heard[i]);
            if (p->heard[r][i] < 0)
                return false;
        }
    }
    return true;
}

static ifd_status find_columns(replaying *p, ifd_arena *arena, const ifd_journal_facts *head, const char *path,
                               ifd_note *note)
{
    int count, aux;
    const ifd_column *column = ifd_hybrid_columns(p->test, &count);
    p->columns = head->columns;
    p->column = head->column;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(p->replayed, p->columns)));
    bool same = ifd_hybrid_sensed(p->test, &aux) == head->sensed && aux == head->aux && count == head->columns;
    for (int i = 0; i < head->columns && same; i++)
        same = strcmp(column[i].name, head->column[i].name) == 0;
    if (same && find_rigs(p))
        return IFD_OK;
    ifd_note_add(note, IFD_FILE, NULL, "'%s' was recorded by a version with other columns (%s)", path, head->version);
    ifd_note_hint(note, "replay it with the version that recorded it; recover, report and export can read it here");
    return IFD_FILE;
}

static ifd_status make_test(replaying *p, ifd_arena *arena, const ifd_case *c, const ifd_journal_facts *head,
                            ifd_note *note)
{
    ifd_hybrid_options o = *c->test;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(p->rig, 1)));
    if (head->remote.dofs) {
        IFD_TRY(ifd_remote_make(arena, &head->remote, &p->remote, note));
        ifd__remote_hurry(p->remote);
    }
    p->rig->real = ifd__hybrid_real(&o);
    p->rig->several = ifd_several_of(o.rig, o.rig_setup);
    o.automatic = true; /* unless the gate of a recorded tick states otherwise */
    o.rig = &ifd__replay_rig;
    o.rig_setup = p->rig;
    o.remote = p->remote;
    return ifd_hybrid_make(arena, &o, &p->test, note);
}

/* A test that resumed from a checkpoint has a copy of it next to its journal. */
static ifd_status go_on(ifd_arena *arena, const char *path, ifd_hybrid *h, ifd_note *note)
{
    const char *start = ifd__file_relative(arena, &(ifd_place){.file = path}, IFD_CHECKPOINT_START);
    ifd_snapshot *s;
    IFD__HAVE(start);
    if (access(start, F_OK) != 0)
        return IFD_OK;
    IFD_TRY(ifd_checkpoint_read(arena, start, NULL, &s, note));
    return ifd_hybrid_continue(h, s, note);
}

static ifd_status give_parameters(replaying *p, ifd_arena *arena, ifd_note *note)
{
    if (p->test->opt.identified < 1)
        return ifd_note_add(note, IFD_UNSUPPORTED, NULL,
                            "the record has no 'identify', so it has no recorded parameters: replay it without "
                            "--parameters");
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(p->given, p->test->columns)));
    p->test->io.replayed = p->given;
    return IFD_OK;
}

typedef struct record_file {
    const char *path;
    const ifd_replay_options *o;
    ifd_journal_reader *reader;
} record_file;

/* With the floating-point mode of a tick. */
static ifd_status replay_case(ifd_arena *arena, const record_file *file, const ifd_case *c, ifd_replay_report *out,
                              ifd_note *note)
{
    replaying p = {.out = out};
    const char *path = file->path;
    ifd_journal_reader *reader = file->reader;
    const ifd_journal_facts *head = ifd_journal_head(reader);
    ifd_status status = make_test(&p, arena, c, head, note);
    if (status == IFD_OK)
        status = find_columns(&p, arena, head, path, note);
    if (status == IFD_OK)
        status = go_on(arena, path, p.test, note);
    if (status == IFD_OK && file->o->recorded_parameters)
        status = give_parameters(&p, arena, note);
    if (status == IFD_OK) {
        fenv_t before;
        fegetenv(&before);
        ifd__denormals_flush();
        tick_all(&p, reader);
        fesetenv(&before);
    }
    ifd_hybrid_close(p.test);
    return status;
}

static ifd_status replay_test(ifd_arena *arena, const char *path, const ifd_replay_options *o, ifd_replay_report *out,
                              ifd_note *note)
{
    ifd_journal_reader *reader;
    ifd_case *c;
    out->test = true;
    IFD_TRY(ifd_journal_read(arena, path, &reader, note));
    const ifd_journal_facts *head = ifd_journal_head(reader);
    take_host(out, head->kernels, head->cpu, head->program);
    IFD_TRY(
        judge_code(ifd_case_read_bundle_as(arena, head->bundle, head->bundle_length, o->code, &c, note), NULL, note));
    if (!c->test)
        return ifd_note_add(note, IFD_FILE, NULL, "'%s' contains the journal of a case without a test", path);
    if (head->characterisation)
        IFD_TRY(ifd_case_characterise(arena, c, &c, note));
    IFD_TRY(replay_case(arena, &(record_file){path, o, reader}, c, out, note));
    return ifd__replay_result(arena, path, c->run.every > 1 ? (uint64_t)c->run.every : 1, out, note);
}

static bool ends_in(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

ifd_status ifd_replay_with(ifd_arena *arena, const char *path, const ifd_replay_options *o, ifd_replay_report *out,
                           ifd_note *note)
{
    struct stat facts;
    memset(out, 0, sizeof *out);
    if (stat(path, &facts) == 0 && S_ISDIR(facts.st_mode)) {
        const char *journal = ifd_arena_print(arena, "%s/" IFD_JOURNAL_FILE, path);
        path = journal && access(journal, F_OK) == 0 ? journal : ifd_arena_print(arena, "%s/result.h5", path);
        IFD__HAVE(journal && path);
    }
    if (!ends_in(path, ".h5"))
        return replay_test(arena, path, o, out, note);
    if (o->recorded_parameters)
        return ifd_note_add(note, IFD_UNSUPPORTED, NULL,
                            "'%s' is the result of a run, in which nothing is identified: replay it without "
                            "--parameters",
                            path);
    return replay_run(arena, path, o->code, out, note);
}
