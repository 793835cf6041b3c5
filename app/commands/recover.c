/* SPDX-License-Identifier: MIT */
/* interfield recover: a record that was cut made whole. */
#include "app.h"
#include "outcome.h"

#include <string.h>
#include <sys/stat.h>

#include <interfield/recorder.h>

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
    app_say(a, "recovered", "%s ticks, %ld rows · %s", thousands((long)e->records).text, ifd_result_rows(result),
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

static int run_command(app *a)
{
    const char *journal = journal_of(a, a->word[0]), *folder = place_for(a, a->word[0]);
    ifd_result *result;
    ifd_journal_end end;
    if (!journal || !folder)
        return app_fail(a, IFD_NO_MEMORY);
    ifd_status status = ifd_recover(a->arena, journal, folder, &result, &end, &a->note);
    app_remarks(a);
    APP_TRY(a, status);
    say_recovered(a, &end, result, folder);
    if (a->json)
        app_put_text(a, ifd_result_summary(result));
    return end.dropped || end.bad ? EXIT_RUN_FAILED : EXIT_FINE;
}

const command command_recover = {
    .name = "recover",
    .words = "RESULT",
    .summary = "makes a result of the journal of a test that was cut",
    .details =
        "RESULT is the folder of a test whose program was killed, whose disk was full or whose machine lost its\n"
        "power. A new folder gets a plain result.h5 and summary.json of all that can be read (docs/record.md);\n"
        "nothing is overwritten.",
    .options = {{"--out", "DIR", "the folder of the new result; without it RESULT-recovered"}},
    .run = run_command,
    .outcomes = OUTCOME_BIT(INCOMPLETE),
    .failed = "the new result could not be written",
};
