/* SPDX-License-Identifier: MIT */
/* interfield report: a self-contained page about a result, also for printing. */
#include "report/study_answer.h"
#include "report/report.h"
#include "report/ran.h"
#include "working.h"

#include <string.h>

#include <interfield/certificate.h>

static int conclude(app *a, const char *path, FILE *out, int exit_status)
{
    return file_written(a, out, path) ? app_put_made(a, "file", "report", path, exit_status) : EXIT_RUN_FAILED;
}

/* The page of a study. */
static int report_study(app *a, const ifd_json_node *answer)
{
    const char *folder = folder_of(a, a->word[0]), *path = app_value(a, "--out");
    path = path ? path : ifd_arena_print(a->arena, "%s/report.html", folder);
    FILE *out = path ? fopen(path, "w") : NULL;
    if (!out)
        return conclude(a, path ? path : "report.html", out, EXIT_FINE);
    study_answer_page(a, answer, folder, out);
    return conclude(a, path, out, EXIT_FINE);
}

static int run_command(app *a)
{
    const ifd_json_node *answer = study_answer_find(a, folder_of(a, a->word[0]));
    if (answer)
        return report_study(a, answer);
    report r = {.a = a, .folder = folder_of(a, a->word[0])};
    APP_TRY(a, missing_read(a, a->word[0], &r.t));
    ifd_json_node *summary = NULL;
    ifd_note quiet = {.arena = a->arena};
    const char *path = ifd_arena_print(a->arena, "%s/summary.json", r.folder);
    bool sealed = false;
    if (path && ifd_summary_read(a->arena, path, &sealed, &summary, &quiet) == IFD_OK)
        r.summary = summary;
    else
        app_say(a, "note", "%s; the page does not contain its numbers",
                quiet.first ? quiet.first->text : "summary.json cannot be read");
    if (r.summary && !sealed)
        app_say(a, "note", "summary.json has no checksum; a changed number cannot be detected");
    APP_TRY(a, ifd_events_check(a->arena, a->word[0], &r.events));
    r.c = result_case(a, a->word[0], false); /* without its case the page is still made */
    /* The title of a characterisation is that of its case after a prefix. */
    r.characterised =
        r.t.test && r.c && strcmp(r.t.title, r.c->title) != 0 && strncmp(r.t.title, "Characterisation: ", 18) == 0;
    if (!report_choose(&r))
        return app_fail(a, IFD_NO_MEMORY);
    ideal same = {0};
    if (r.test && !r.characterised && !app_has(a, "--no-ideal")) {
        ideal_compute(a, r.c, &r.t, &same);
        r.ideal = &same;
    }
    path = app_value(a, "--out");
    path = path ? path : ifd_arena_print(a->arena, "%s/report.html", r.folder);
    r.out = path ? fopen(path, "w") : NULL;
    if (!r.out)
        return conclude(a, path ? path : "report.html", r.out, EXIT_FINE);
    working w;
    working_begin(&w, a, "writing the page");
    report_page(&r);
    working_end(&w);
    int exit_status = missing_say(a, a->word[0], &r.t);
    if (r.events.wrong)
        exit_status = app_give_up(a, "%s", r.events.wrong);
    return conclude(a, path, r.out, exit_status);
}

const command command_report = {
    .name = "report",
    .words = "RESULT",
    .summary = "write an HTML page about a result",
    .details =
        "RESULT is the folder of a run, a test or a study. The page shows peaks, errors, used limits, the structure "
        "and curves; it needs no other file and no network. For a test, the same case is computed with an "
        "ideal rig, for at most 20 s, and the page shows the error of the test against it. The page of a study "
        "shows the answer of its analysis.",
    .options = {{"--out", "FILE", "the page (default: report.html in the folder of the result)"},
                {"--no-ideal", NULL, "omit the ideal run and the error against it"}},
    .examples = "interfield report runs/bridge-hybrid-001",
    .see = "plot compare live report.md",
    .run = run_command,
    .failed = "the page could not be written, or events.log was changed",
};
