/* SPDX-License-Identifier: MIT */
/* The head of a report: outcome and reason, operator, date, method. */
#include "report.h"
#include "outcome.h"

#include <math.h>
#include <string.h>

void report_fact(const report *r, const char *name, const char *value)
{
    if (value && *value)
        page_fact(r->out, name, value);
}

/* Location, time and value of a failure of a test or a run. */
static void put_fault(const report *r)
{
    const ifd_json_node *f = ifd_json_at(r->summary, "fault");
    if (!f || f->kind != IFD_JSON_OBJECT)
        return;
    const char *name = ifd_json_text_at(f, "name", ""), *owner = ifd_json_text_at(f, "owner", "");
    double limit = ifd_json_number_at(f, "limit", 0);
    const char *unit = unit_of_turn(trip_unit(name), report_turns(r, owner));
    fprintf(r->out, "<b>%s</b> at %s", name, page_quantity(ifd_json_number_at(f, "time", NAN), "s").text);
    if (*owner) {
        html_put(r->out, " on ", owner, "");
    }
    html_put(r->out, ": ", ifd_json_text_at(f, "text", ""), "");
    if (limit != 0)
        fprintf(r->out, " (%.6g %s, limit %.6g %s)", ifd_json_number_at(f, "value", NAN), unit, limit, unit);
}

/* Whether the program ended before the record was closed. */
static bool is_cut(const report *r)
{
    return strcmp(ifd_json_text_at(r->summary, "record/state", ""), "cut") == 0;
}

static void put_reason(const report *r)
{
    const char *word = r->t.outcome;
    const ifd_json_node *cautions = ifd_json_at(r->summary, "cautions");
    put_fault(r);
    if (cautions && cautions->first && ifd_json_at(r->summary, "fault/name"))
        fputs(". ", r->out);
    for (const ifd_json_node *i = cautions ? cautions->first : NULL; i; i = i->next)
        html_put(r->out, "", i->text, ". ");
    if (is_cut(r))
        fputs("The program ended before the record was closed. This result was recovered from its journal.", r->out);
    else if (strcmp(word, "incomplete") == 0 && *r->t.reason)
        html_put(r->out, "Reason: ", r->t.reason, ".");
    else if (strcmp(word, "completed") == 0 && *r->t.reason)
        html_put(r->out, "", r->t.reason, ".");
    else if (outcome_of(word) == OUTCOME_ABORTED && !r->test)
        fputs("Stopped before its end.", r->out);
    else if (outcome_of(word) == OUTCOME_ABORTED)
        html_put(r->out, "An order or a signal ended the test early, in state ",
                 ifd_json_text_at(r->summary, "aborted_in", "unknown"), "; events.log has its source.");
}

static const char *kind(const report *r)
{
    const ifd_json_node *rehearsal = ifd_json_at(r->summary, "rehearsal");
    if (r->characterised)
        return "characterisation of a rig";
    if (!r->test)
        return "computed run";
    if (rehearsal && rehearsal->number > 0)
        return "rehearsal: the actuators were held";
    return r->c && r->c->opensees ? "hybrid test with OpenSees" : "hybrid test";
}

static void put_preflight(const report *r)
{
    const ifd_json_node *p = ifd_json_at(r->summary, "preflight");
    const char *verdict = ifd_json_text_at(p, "verdict", ""), *number = ifd_json_text_at(p, "certificate", "");
    const ifd_json_node *skipped = ifd_json_at(p, "skipped");
    if (!p || r->characterised)
        return;
    const char *said = r->c && r->c->opensees           ? "none, another program computes the structure"
                       : skipped && skipped->number > 0 ? "omitted (--without-preflight)"
                       : is_cut(r)                      ? "unknown: the record is truncated"
                                                        : "none";
    if (*verdict)
        said = ifd_arena_print(r->a->arena, "%s, certificate %.8s", verdict, number);
    report_fact(r, "preflight", said);
}

void report_verdict(const report *r)
{
    const ifd_json_node *s = r->summary;
    double time = ifd_json_number_at(s, "time", NAN), end = ifd_json_number_at(s, "end", NAN);
    char simulated[80];
    snprintf(simulated, sizeof simulated, "%s", page_quantity(time, "s").text);
    bool ended = outcome_complete(outcome_of(r->t.outcome));
    bool open_end = r->c && r->c->opensees && ended; /* the script ended the test */
    if (time < end * (1.0 - 1e-9) && !open_end)
        text_add(simulated, sizeof simulated, " of %s", page_quantity(end, "s").text);
    html_put(r->out, "<header><h1>", *r->t.title ? r->t.title : r->folder, "");
    fprintf(r->out, "</h1><p><span class=\"verdict%s\">",
            strcmp(r->t.outcome, "completed") == 0 ? ""
            : ended                                ? " caution"
                                                   : " bad");
    html_put(r->out, "", r->t.outcome, "</span> ");
    put_reason(r);
    fputs("</p><div class=facts>", r->out);
    report_fact(r, "kind", kind(r));
    if (!r->characterised)
        report_fact(r, "method", !r->c || r->c->run.couple ? r->t.method : case_method(r->c).text);
    report_fact(r, "simulated", simulated);
    report_fact(r, "wall-clock time", page_quantity(ifd_json_number_at(s, "timing/wall", NAN), "s").text);
    const char *started = ifd_json_text_at(s, "started", ""); /* to the second; summary.json has microseconds */
    report_fact(r, "started",
                strlen(started) < 19 ? started
                                     : ifd_arena_print(r->a->arena, "%.10s %.8s UTC", started, started + 11));
    put_preflight(r);
    report_fact(r, "operator", ifd_json_text_at(s, "operator", ""));
    report_fact(r, "specimen", ifd_json_text_at(s, "specimen_id", ""));
    report_fact(r, "continues", ifd_json_text_at(s, "continues", ""));
    report_fact(r, "notes", ifd_json_text_at(s, "notes", ""));
    fputs("</div></header>\n", r->out);
}
