/* SPDX-License-Identifier: MIT */
/* The head of a report: how it ended and why, who, when, by what method; and the largest values. */
#include "report.h"
#include "figure.h"

#include <math.h>
#include <string.h>

void report_fact(const report *r, const char *name, const char *value)
{
    if (!value || !*value)
        return;
    fprintf(r->out, "<div><b>%s</b>", name);
    html_put(r->out, "", value, "</div>");
}

/* Where, when and by how much a test or a run failed. */
static void put_fault(const report *r)
{
    const ifd_json_node *f = ifd_json_at(r->summary, "fault");
    if (!f || f->kind != IFD_JSON_OBJECT)
        return;
    const char *name = ifd_json_text_at(f, "name", ""), *channel = ifd_json_text_at(f, "channel", "");
    double limit = ifd_json_number_at(f, "limit", 0);
    const char *unit = unit_of_turn(trip_unit(name), report_turns(r, channel));
    fprintf(r->out, "<b>%s</b> at %s", name, quantity(ifd_json_number_at(f, "time", NAN), "s").text);
    if (*channel) {
        html_put(r->out, " on ", channel, "");
    }
    html_put(r->out, ": ", ifd_json_text_at(f, "text", ""), "");
    if (limit != 0)
        fprintf(r->out, " (%.6g %s, limit %.6g %s)", ifd_json_number_at(f, "value", NAN), unit, limit, unit);
}

static void put_reason(const report *r)
{
    const char *outcome = r->t.outcome;
    put_fault(r);
    if (strcmp(ifd_json_text_at(r->summary, "record/state", ""), "cut") == 0)
        fputs("The program ended before it could close this record. What follows was recovered from its journal.",
              r->out);
    else if (strcmp(outcome, "cut") == 0)
        fputs("It was led out before its end.", r->out);
    else if (strcmp(outcome, "interrupted") == 0)
        fputs("It was stopped before its end.", r->out);
    else if (strcmp(outcome, "aborted") == 0) {
        html_put(r->out, "The operator ended it before its end, in state ",
                 ifd_json_text_at(r->summary, "aborted_in", "unknown"), ".");
    }
}

static const char *kind(const report *r)
{
    const ifd_json_node *rehearsal = ifd_json_at(r->summary, "rehearsal");
    if (r->characterised)
        return "characterisation of a rig";
    if (!r->test)
        return "computed run";
    if (rehearsal && rehearsal->number > 0)
        return "rehearsal: the rig did not move";
    return r->c && r->c->opensees ? "hybrid test, led by OpenSees" : "hybrid test";
}

static void put_preflight(const report *r)
{
    const ifd_json_node *p = ifd_json_at(r->summary, "preflight");
    const char *verdict = ifd_json_text_at(p, "verdict", ""), *number = ifd_json_text_at(p, "certificate", "");
    const ifd_json_node *skipped = ifd_json_at(p, "skipped");
    if (!p || r->characterised)
        return;
    const char *said = r->c && r->c->opensees           ? "none, another program computes the structure"
                       : skipped && skipped->number > 0 ? "left out on purpose"
                                                        : "none";
    if (*verdict)
        said = ifd_arena_print(r->a->arena, "%s, certificate %.8s", verdict, number);
    report_fact(r, "preflight", said);
}

static void put_method(const report *r)
{
    if (!r->characterised)
        report_fact(r, "method", !r->c || r->c->run.couple ? r->t.method : case_method(r->c).text);
}

void report_verdict(const report *r)
{
    const ifd_json_node *s = r->summary;
    double time = ifd_json_number_at(s, "time", NAN), end = ifd_json_number_at(s, "end", NAN);
    char simulated[80];
    snprintf(simulated, sizeof simulated, "%s", quantity(time, "s").text);
    if (time < end * (1.0 - 1e-9) && !(r->c && r->c->opensees))
        snprintf(simulated + strlen(simulated), sizeof simulated - strlen(simulated), " of %s",
                 quantity(end, "s").text);
    html_put(r->out, "<header><h1>", *r->t.title ? r->t.title : r->folder, "");
    fprintf(r->out, "</h1><p><span class=\"verdict%s\">", strcmp(r->t.outcome, "done") == 0 ? "" : " bad");
    html_put(r->out, "", r->t.outcome, "</span> ");
    put_reason(r);
    fputs("</p><div class=facts>", r->out);
    report_fact(r, "kind", kind(r));
    put_method(r);
    report_fact(r, "simulated", simulated);
    report_fact(r, "took", quantity(ifd_json_number_at(s, "timing/wall", NAN), "s").text);
    report_fact(r, "started", ifd_json_text_at(s, "started", ""));
    put_preflight(r);
    report_fact(r, "operator", ifd_json_text_at(s, "operator", ""));
    report_fact(r, "specimen", ifd_json_text_at(s, "specimen_id", ""));
    report_fact(r, "continues", ifd_json_text_at(s, "continues", ""));
    report_fact(r, "notes", ifd_json_text_at(s, "notes", ""));
    fputs("</div></header>\n", r->out);
}

static void put_peak(const report *r, const ifd_json_node *p, const char *name)
{
    const char *unit = ifd_json_text_at(p, "unit", "");
    html_put(r->out, "<tr><td>", name, "");
    fprintf(r->out, "<td>%s<td>%s<td>%s", quantity(ifd_json_number_at(p, "value", NAN), unit).text,
            quantity(ifd_json_number_at(p, "time", NAN), "s").text,
            quantity(ifd_json_number_at(p, "final", NAN), unit).text);
}

/* The displacements of a run that went furthest, and the drifts. The same of a test stands among its limits. */
static bool is_displacement(const report *r, const char *column)
{
    int i = table_find(&r->t, column);
    return i >= 0 && r->t.column[i].quantity == IFD_COLUMN_DISPLACEMENT;
}

void report_peaks(const report *r)
{
    enum { MOST = 8 };
    const ifd_json_node *peaks = ifd_json_at(r->summary, "peaks"), *drift = ifd_json_at(r->summary, "drift");
    const ifd_json_node *best[MOST];
    int n = 0;
    for (const ifd_json_node *p = peaks ? peaks->first : NULL; p && !r->test; p = p->next) {
        if (!is_displacement(r, p->key))
            continue;
        double size = fabs(ifd_json_number_at(p, "value", 0));
        int at = n;
        while (at > 0 && fabs(ifd_json_number_at(best[at - 1], "value", 0)) < size)
            at--;
        if (at == MOST)
            continue;
        n = n < MOST ? n + 1 : MOST;
        memmove(best + at + 1, best + at, sizeof *best * (size_t)(n - 1 - at));
        best[at] = p;
    }
    if (n == 0)
        return;
    report_heading(r, "Largest values", "peaks");
    fputs("<div class=grid><table><tr><th>displacement<th>largest<th>at<th>at the end", r->out);
    for (int k = 0; k < n; k++)
        put_peak(r, best[k], ifd_arena_text_n(r->a->arena, best[k]->key, strlen(best[k]->key) - 13));
    fputs("</table>", r->out);
    if (drift && drift->first) {
        int count = 0;
        fputs("<table><tr><th>drift<th>largest<th>at<th>at the end", r->out);
        for (const ifd_json_node *p = drift->first; p && count < MOST; p = p->next, count++)
            put_peak(r, p, p->key);
        fputs("</table>", r->out);
    }
    fputs("</div>", r->out);
    report_end_section(r);
}
