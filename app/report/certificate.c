/* SPDX-License-Identifier: MIT */
/* Earlier information: the preflight certificate of a test, and the results of a characterisation. */
#include "report.h"

#include <math.h>

static const ifd_json_node *read_beside(const report *r, const char *name)
{
    ifd_json_node *node = NULL;
    const char *path = ifd_arena_print(r->a->arena, "%s/%s", r->folder, name);
    return path && ifd_json_read_file(r->a->arena, path, &node, QUIET(r->a)) == IFD_OK ? node : NULL;
}

static void cell(const report *r, const ifd_json_node *row, const char *key)
{
    html_put(r->out, "<td>", ifd_json_text_at(row, key, ""), "");
}

void report_certificate(const report *r)
{
    const ifd_json_node *c = read_beside(r, "certificate.json"), *checks = ifd_json_at(c, "checks");
    if (!checks)
        return;
    report_begin(r, "Preflight certificate", "certificate", true);
    html_put(r->out, "<p>", ifd_json_text_at(c, "verdict", ""), ", made ");
    ifd_html_print(ifd_json_text_at(c, "made", ""), r->out);
    html_put(r->out, ", number ", ifd_json_text_at(c, "certificate", ""),
             ".</p><table class=certificate><tr><th>check<th>finding<th>verdict<th>advice");
    for (const ifd_json_node *row = checks->first; row; row = row->next) {
        fputs("<tr>", r->out);
        cell(r, row, "topic");
        cell(r, row, "found");
        cell(r, row, "verdict");
        cell(r, row, "advice");
    }
    fputs("</table>", r->out);
    report_end(r, true);
}

static void put_cell(const report *r, const ifd_json_node *row, const char *key, const char *unit)
{
    double value = ifd_json_number_at(row, key, NAN);
    fprintf(r->out, "<td>%s", isfinite(value) ? page_quantity(value, unit).text : "");
}

void report_found(const report *r)
{
    const ifd_json_node *found = r->characterised ? read_beside(r, "characterisation.json") : NULL;
    if (!found)
        return;
    report_begin(r, "Findings of preflight", "found", false);
    fputs("<table class=numbers><tr><th>specimen<th>stiffness<th>delay<th>gain<th>position noise<th>force noise<th>"
          "step overshoot<th>settling time",
          r->out);
    for (const ifd_json_node *row = found->first; row; row = row->next) {
        if (row->kind != IFD_JSON_OBJECT)
            continue;
        bool turns = report_turns(r, row->key);
        html_put(r->out, "<tr><td>", row->key, "");
        put_cell(r, row, "stiffness", unit_of_turn("N/m", turns));
        put_cell(r, row, "delay", "s");
        fprintf(r->out, "<td>%.4f", ifd_json_number_at(row, "gain", NAN));
        put_cell(r, row, "position_noise", unit_of_turn("m", turns));
        put_cell(r, row, "force_noise", unit_of_turn("N", turns));
        fprintf(r->out, "<td>%.1f %%", 100.0 * ifd_json_number_at(row, "overshoot", NAN));
        put_cell(r, row, "settling", "s");
    }
    fputs("</table>", r->out);
    report_end(r, false);
}
