/* SPDX-License-Identifier: MIT */
/* interfield recover: makes a complete result from an incomplete record. */
#include "outcome.h"
#include "working.h"

#include <string.h>
#include <sys/stat.h>

#include <interfield/events_chain.h>
#include <interfield/recorder.h>

static const char *journal_of(app *a, const char *path)
{
    struct stat facts;
    if (stat(path, &facts) == 0 && S_ISDIR(facts.st_mode))
        return ifd_arena_print(a->arena, "%s/" IFD_JOURNAL_FILE, path);
    return path;
}

/* Next to the recovered result: "runs/demo-recovered". */
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

/* The event log of the journal, for the report of the new result. "wx": no file is overwritten. */
static bool copy_events(app *a, const char *journal, const char *folder)
{
    size_t length = strlen(journal), name = strlen(IFD_JOURNAL_FILE);
    if (length < name || strcmp(journal + length - name, IFD_JOURNAL_FILE) != 0)
        return false;
    const char *from = ifd_arena_print(a->arena, "%.*sevents.log", (int)(length - name), journal),
               *to = ifd_arena_print(a->arena, "%s/events.log", folder);
    FILE *in = from ? fopen(from, "r") : NULL, *out = in && to ? fopen(to, "wx") : NULL;
    bool good = in && out;
    char text[4096];
    for (size_t n; good && (n = fread(text, 1, sizeof text, in)) > 0;)
        good = fwrite(text, 1, n, out) == n;
    good = in && !ferror(in) && good;
    if (in)
        fclose(in);
    if (out)
        good = fclose(out) == 0 && good;
    return good;
}

static void say_recovered(app *a, const ifd_journal_end *e, const ifd_result *result, const char *folder, bool events)
{
    app_say(a, "recovered", "%s ticks, %ld rows · %s", thousands((long)e->records).text, ifd_result_rows(result),
            !e->has_ending && !e->records ? "the program ended before the first tick"
            : !e->has_ending              ? "the record is truncated"
            : e->dropped || e->bad        ? "the record is incomplete"
                                          : "the record is complete");
    const char *reason = ifd_result_reason(result);
    app_say(a, "outcome", "%s%s%s", ifd_result_outcome(result), *reason ? ": " : "", reason);
    if (e->dropped)
        app_say(a, "missing", "%llu of %llu ticks were not recorded", (unsigned long long)e->dropped,
                (unsigned long long)e->ticks);
    if (e->bad)
        app_say(a, "damaged", "%llu record%s, the first number %llu at byte %llu, tick %llu",
                (unsigned long long)e->bad, plural((long)e->bad), (unsigned long long)e->bad_record,
                (unsigned long long)e->bad_offset, (unsigned long long)e->bad_tick);
    app_say(a, "files", "%s/  result.h5  summary.json%s", folder, events ? "  events.log" : "");
}

static int run_command(app *a)
{
    const char *journal = journal_of(a, a->word[0]), *folder = place_for(a, a->word[0]);
    ifd_result *result;
    ifd_journal_end end;
    if (!journal || !folder)
        return app_fail(a, IFD_NO_MEMORY);
    ifd_status status =
        WORK(a, "reading the journal", ifd_recover(a->arena, journal, folder, &result, &end, &a->note));
    app_remarks(a);
    APP_TRY(a, status);
    ifd_events_checked events;
    APP_TRY(a, ifd_events_check(a->arena, journal, &events));
    say_recovered(a, &end, result, folder, copy_events(a, journal, folder));
    if (events.wrong)
        app_complain(a, "%s", events.wrong);
    if (a->json)
        app_put_text(a, ifd_result_summary(result));
    return end.dropped || end.bad || events.wrong ? EXIT_RUN_FAILED : EXIT_FINE;
}

const command command_recover = {
    .name = "recover",
    .words = "RESULT",
    .summary = "make a result from the journal of an interrupted test",
    .details = "RESULT is the folder of a test that ended because the program was killed, the disk was full or "
               "the power failed. A new folder receives result.h5 and summary.json with all readable ticks, and "
               "a copy of events.log, whose hashes are verified. No file is overwritten.",
    .options = {{"--out", "DIR", "folder for the new result (default: RESULT-recovered)"}},
    .examples = "interfield recover runs/bridge-hybrid-001",
    .see = "replay record.md",
    .run = run_command,
    .outcomes = OUTCOME_BIT(INCOMPLETE),
    .failed = "the new result could not be written, or events.log was changed",
};
