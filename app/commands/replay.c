/* SPDX-License-Identifier: MIT */
/* interfield replay: repeats a recorded test or run. */
#include "working.h"
#include "outcome.h"

#include <string.h>

#include <interfield/events_chain.h>
#include <interfield/replay.h>

/* Reasons for which bits can differ on this machine. */
static void say_host(const app *a, const ifd_replay_report *r)
{
    if (r->other_kernels)
        app_say(a, "note",
                "recorded with the kernels %s, replayed with %s; processors of different classes round differently",
                r->kernels_then, r->kernels_now);
    else if (r->other_cpu)
        app_say(a, "note", "recorded on another processor: %s", r->cpu_then);
    if (r->other_program)
        app_say(a, "note", "recorded by another build of interfield");
}

static void say_gap(app *a, const ifd_replay_report *r)
{
    if (r->end.bad)
        app_complain(a, "the record is damaged: record %llu at byte %llu, tick %llu; %llu records are unreadable",
                     (unsigned long long)r->end.bad_record, (unsigned long long)r->end.bad_offset,
                     (unsigned long long)r->end.bad_tick, (unsigned long long)r->end.bad);
    if (r->end.dropped)
        app_complain(a, "the record is incomplete: %llu of %llu ticks are missing, the first of them tick %llu",
                     (unsigned long long)r->end.dropped, (unsigned long long)r->end.ticks,
                     (unsigned long long)r->first);
    if (r->result_wrong)
        app_complain(a, "%s", r->result_wrong);
    if (r->result_unfinished)
        app_say(a, "note", "result.h5 is incomplete: it contains %llu rows; interfield recover completes it",
                (unsigned long long)r->result_rows);
    if (r->end.thinned)
        app_say(a, "note", "%llu ticks of the state idle were not recorded, as intended",
                (unsigned long long)r->end.thinned);
}

static int put_json(app *a, const ifd_replay_report *r, const ifd_events_checked *events, int exit_status)
{
    static const char *const word[] = {"identical", "partial", "differs"};
    ifd_json j = app_json(a);
    IFD_JSON_PUT(&j, IFD_JSON("verdict", word[r->verdict]), IFD_JSON("of", r->test ? "test" : "run"),
                 IFD_JSON("compared", (long)r->compared), IFD_JSON("first", (long)r->first),
                 IFD_JSON("channel", r->column), IFD_JSON("recorded", r->recorded), IFD_JSON("replayed", r->replayed),
                 IFD_JSON("largest", r->largest), ifd_json_of_flag("cut", r->test && !r->end.has_ending),
                 IFD_JSON("made", (long)r->end.ticks), IFD_JSON("dropped", (long)r->end.dropped),
                 IFD_JSON("thinned", (long)r->end.thinned), IFD_JSON("unreadable", (long)r->end.bad),
                 IFD_JSON("bad_record", (long)r->end.bad_record), IFD_JSON("bad_offset", (long)r->end.bad_offset),
                 IFD_JSON("bad_tick", (long)r->end.bad_tick), IFD_JSON("result_rows", (long)r->result_rows),
                 IFD_JSON("result_wrong", r->result_wrong), IFD_JSON("events_wrong", events->wrong),
                 IFD_JSON("result_unfinished", r->result_unfinished), IFD_JSON("other_kernels", r->other_kernels),
                 IFD_JSON("other_cpu", r->other_cpu), IFD_JSON("other_program", r->other_program));
    return app_put_json(a, &j, exit_status);
}

static int run_command(app *a)
{
    ifd_replay_report r;
    ifd_events_checked events;
    const char *file[MOST_OPTIONS];
    const ifd_case_code code = {.load = true, .files = app_values(a, "--allow-plugin", file), .file = file};
    const char *parameters = app_value(a, "--parameters");
    ifd_replay_options o = {.code = &code};
    if (parameters && strcmp(parameters, "recorded") != 0 && strcmp(parameters, "computed") != 0)
        return app_refuse(a, "--parameters is '%s', expected recorded or computed", parameters);
    o.recorded_parameters = parameters && strcmp(parameters, "recorded") == 0;
    APP_TRY(a, WORK(a, "replay", ifd_replay_with(a->arena, a->word[0], &o, &r, &a->note)));
    APP_TRY(a, ifd_events_check(a->arena, a->word[0], &events));
    bool as_written = r.verdict == IFD_REPLAY_IDENTICAL && !r.result_wrong && !events.wrong;
    int exit_status = as_written ? EXIT_FINE : EXIT_RUN_FAILED;
    if (a->json)
        return put_json(a, &r, &events, exit_status);
    app_remarks(a);
    say_host(a, &r);
    const char *unit = r.test ? "tick" : "row";
    if (r.verdict == IFD_REPLAY_DIFFERS && r.column)
        app_complain(a, "first difference at %s %llu: '%s' was %.17g, is %.17g; largest difference there %.3g", unit,
                     (unsigned long long)r.first, r.column, r.recorded, r.replayed, r.largest);
    else if (r.verdict == IFD_REPLAY_DIFFERS)
        app_complain(a, "first difference at %s %llu: in the state, not in a recorded column", unit,
                     (unsigned long long)r.first);
    app_say(a, r.verdict == IFD_REPLAY_DIFFERS ? "differs" : "identical", "%s %s%s%s",
            thousands((long)r.compared).text, unit, plural((long)r.compared),
            r.test && !r.end.has_ending && r.verdict == IFD_REPLAY_IDENTICAL ? "; the record is truncated there"
                                                                             : "");
    if (r.test)
        say_gap(a, &r);
    if (r.test && events.wrong)
        app_complain(a, "%s", events.wrong);
    else if (r.test && events.bare)
        app_say(a, "note", "events.log has no hashes; a changed line cannot be detected");
    else if (r.test && events.found)
        app_say(a, "events", "%ld lines as written%s", events.lines,
                events.ended ? "" : "; the log is truncated there");
    return exit_status;
}

const command command_replay = {
    .name = "replay",
    .words = "RESULT",
    .summary = "repeat a recorded test or run and compare it bit by bit",
    .details = "RESULT is a result folder. A test is repeated with its recorded measurements, orders and delays. "
               "No actuator moves, and no file is written.",
    .options = {{"--allow-plugin", "FILE",
                 "load this plug-in or FMU if it is the file that made the record; may be repeated"},
                {"--parameters", "WORD",
                 "of copies of identified specimens: computed (by the filter, default) or recorded"}},
    .examples = "interfield replay runs/bridge-hybrid-001",
    .see = "recover record.md",
    .run = run_command,
    .code = CODE_ASKED,
    .outcomes = OUTCOME_BIT(INCOMPLETE),
    .failed = "a bit differs, and the first difference is reported; or events.log was changed",
};
