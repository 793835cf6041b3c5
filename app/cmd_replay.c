/* SPDX-License-Identifier: MIT */
/* interfield replay and interfield recover: a recorded test or run made once more; a
 * record that was cut made whole. */
#include "app.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <interfield/recorder.h>
#include <interfield/replay.h>

const option replay_options[] = {
    {"--allow-plugin", "FILE",
     "loads this plug-in or FMU, when the record was made with this very file; may be repeated"},
    {NULL, NULL, NULL},
};

const option recover_options[] = {
    {"--out", "DIR", "the folder of the new result; without it RESULT-recovered"},
    {NULL, NULL, NULL},
};

/* Why bits may differ here. */
static void say_host(const app *a, const ifd_replay_report *r)
{
    if (r->other_kernels)
        app_say(a, "note",
                "recorded with the kernels %s, replayed with %s: another class of processor rounds otherwise",
                r->kernels_then, r->kernels_now);
    else if (r->other_cpu)
        app_say(a, "note", "recorded on another processor, %s", r->cpu_then);
    if (r->other_program)
        app_say(a, "note", "recorded by another build of interfield");
}

static const char *unit_of(const ifd_replay_report *r, uint64_t count)
{
    return r->test ? count == 1 ? "tick" : "ticks" : count == 1 ? "row" : "rows";
}

static void say_difference(app *a, const ifd_replay_report *r)
{
    if (r->channel)
        app_complain(a, "differs from %s %llu on: '%s' was %.17g, is %.17g; the largest difference there is %.3g",
                     r->test ? "tick" : "row", (unsigned long long)r->first, r->channel, r->recorded, r->replayed,
                     r->largest);
    else
        app_complain(a, "differs from %s %llu on: no channel, but the state behind them", r->test ? "tick" : "row",
                     (unsigned long long)r->first);
}

static void say_gap(app *a, const ifd_replay_report *r)
{
    if (r->end.bad)
        app_complain(a,
                     "the record is damaged: record %llu at byte %llu, tick %llu; %llu of its records cannot be read",
                     (unsigned long long)r->end.bad_record, (unsigned long long)r->end.bad_offset,
                     (unsigned long long)r->end.bad_tick, (unsigned long long)r->end.bad);
    if (r->end.dropped)
        app_complain(a, "the record is incomplete: %llu of %llu ticks are missing, the first of them tick %llu",
                     (unsigned long long)r->end.dropped, (unsigned long long)r->end.ticks,
                     (unsigned long long)r->first);
    if (r->result_wrong)
        app_complain(a, "%s", r->result_wrong);
    if (r->result_unfinished)
        app_say(a, "note",
                "result.h5 could not be written to its end: it holds %llu rows; interfield recover makes it whole",
                (unsigned long long)r->result_rows);
    if (r->end.thinned)
        app_say(a, "note", "%llu ticks of waiting were left out of the record on purpose",
                (unsigned long long)r->end.thinned);
}

static int put_json(app *a, const ifd_replay_report *r, int exit_status)
{
    static const char *const word[] = {"identical", "partial", "differs"};
    ifd_json j;
    ifd_json_init(&j, a->arena);
    ifd_json_object(&j, NULL);
    ifd_json_text(&j, "verdict", word[r->verdict]);
    ifd_json_text(&j, "of", r->test ? "test" : "run");
    ifd_json_integer(&j, "compared", (long)r->compared);
    ifd_json_integer(&j, "first", (long)r->first);
    ifd_json_text(&j, "channel", r->channel);
    ifd_json_number(&j, "recorded", r->recorded);
    ifd_json_number(&j, "replayed", r->replayed);
    ifd_json_number(&j, "largest", r->largest);
    ifd_json_flag(&j, "cut", r->test && !r->end.has_ending);
    ifd_json_integer(&j, "made", (long)r->end.ticks);
    ifd_json_integer(&j, "dropped", (long)r->end.dropped);
    ifd_json_integer(&j, "thinned", (long)r->end.thinned);
    ifd_json_integer(&j, "unreadable", (long)r->end.bad);
    ifd_json_integer(&j, "bad_record", (long)r->end.bad_record);
    ifd_json_integer(&j, "bad_offset", (long)r->end.bad_offset);
    ifd_json_integer(&j, "bad_tick", (long)r->end.bad_tick);
    ifd_json_integer(&j, "result_rows", (long)r->result_rows);
    ifd_json_text(&j, "result_wrong", r->result_wrong);
    ifd_json_flag(&j, "result_unfinished", r->result_unfinished);
    ifd_json_flag(&j, "other_kernels", r->other_kernels);
    ifd_json_flag(&j, "other_cpu", r->other_cpu);
    ifd_json_flag(&j, "other_program", r->other_program);
    ifd_json_end(&j);
    return app_put_json(a, &j, exit_status);
}

int command_replay(app *a)
{
    ifd_replay_report r;
    char count[40];
    const char *file[MOST_OPTIONS];
    const ifd_case_code code = {.load = true, .files = app_values(a, "--allow-plugin", file), .file = file};
    ifd_status status = ifd_replay_as(a->arena, a->word[0], &code, &r, &a->note);
    if (status != IFD_OK)
        return app_fail(a, status);
    int exit_status = r.verdict == IFD_REPLAY_IDENTICAL && !r.result_wrong ? EXIT_FINE : EXIT_RUN_FAILED;
    if (a->json)
        return put_json(a, &r, exit_status);
    app_remarks(a);
    say_host(a, &r);
    count_print(count, sizeof count, (long)r.compared);
    if (r.verdict == IFD_REPLAY_DIFFERS)
        say_difference(a, &r);
    app_say(a, r.verdict == IFD_REPLAY_DIFFERS ? "differs" : "identical", "%s %s%s", count, unit_of(&r, r.compared),
            r.test && !r.end.has_ending && r.verdict == IFD_REPLAY_IDENTICAL ? "; the record was cut there" : "");
    if (r.test)
        say_gap(a, &r);
    return exit_status;
}

static const char *journal_of(app *a, const char *path)
{
    struct stat facts;
    if (stat(path, &facts) == 0 && S_ISDIR(facts.st_mode))
        return ifd_arena_print(a->arena, "%s/" IFD_JOURNAL_FILE, path);
    return path;
}

/* Beside the one that is recovered: "runs/demo-recovered". */
static const char *place_for(app *a, const char *path)
{
    size_t length = strlen(path), name = strlen("/" IFD_JOURNAL_FILE);
    if (app_value(a, "--out"))
        return app_value(a, "--out");
    if (length > name && strcmp(path + length - name, "/" IFD_JOURNAL_FILE) == 0)
        length -= name;
    while (length > 1 && path[length - 1] == '/')
        length--;
    return ifd_arena_print(a->arena, "%.*s-recovered", (int)length, path);
}

static void say_recovered(app *a, const ifd_journal_end *e, const ifd_result *result, const char *folder)
{
    char count[40];
    count_print(count, sizeof count, (long)e->records);
    app_say(a, "recovered", "%s ticks, %ld rows · %s", count, ifd_result_rows(result),
            !e->has_ending && !e->records ? "the program ended before the first tick"
            : !e->has_ending              ? "the record was cut"
            : e->dropped || e->bad        ? "the record is incomplete"
                                          : "the record had been closed");
    if (e->dropped)
        app_say(a, "missing", "%llu of %llu ticks were made but not kept", (unsigned long long)e->dropped,
                (unsigned long long)e->ticks);
    if (e->bad)
        app_say(a, "damaged", "%llu record%s, the first number %llu at byte %llu, tick %llu",
                (unsigned long long)e->bad, e->bad == 1 ? "" : "s", (unsigned long long)e->bad_record,
                (unsigned long long)e->bad_offset, (unsigned long long)e->bad_tick);
    app_say(a, "files", "%s/  result.h5  summary.json", folder);
}

int command_recover(app *a)
{
    const char *journal = journal_of(a, a->word[0]), *folder = place_for(a, a->word[0]);
    ifd_result *result;
    ifd_journal_end end;
    if (!journal || !folder)
        return app_fail(a, IFD_NO_MEMORY);
    ifd_status status = ifd_recover(a->arena, journal, folder, &result, &end, &a->note);
    app_remarks(a);
    if (status != IFD_OK)
        return app_fail(a, status);
    say_recovered(a, &end, result, folder);
    if (a->json)
        app_put_text(a, ifd_result_summary(result));
    return end.dropped || end.bad ? EXIT_RUN_FAILED : EXIT_FINE;
}
