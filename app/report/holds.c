/* SPDX-License-Identifier: MIT */
/* What a test did by itself. Its holds: one row for each hold and specimen, from `holds` of summary.json; how long
 * simulated time waited for a rig far away, from `elastic`; the ordered time scale, from `time_scale`. */
#include "report.h"

#include <math.h>
#include <string.h>

/* Percentages with three digits; a dash if the force at the beginning was zero or nothing was recorded. */
static void put_percent(const report *r, double share, const char *otherwise)
{
    if (isfinite(share))
        fprintf(r->out, "<td>%.3g %%", 100.0 * share);
    else
        fprintf(r->out, "<td>%s", otherwise);
}

static void put_hold(const report *r, const ifd_json_node *hold)
{
    const ifd_json_node *force = ifd_json_at(hold, "force");
    for (const ifd_json_node *f = force ? force->first : NULL; f; f = f->next) {
        const char *unit = unit_of_turn("N", report_turns(r, f->key));
        fprintf(r->out, "<tr><td>%s", page_quantity(ifd_json_number_at(hold, "time", NAN), "s").text);
        fprintf(r->out, "<td>%s", page_quantity(ifd_json_number_at(hold, "duration", NAN), "s").text);
        html_put(r->out, "<td>", f->key, "");
        fprintf(r->out, "<td>%s", page_quantity(ifd_json_number_at(f, "began", NAN), unit).text);
        fprintf(r->out, "<td>%s", page_quantity(ifd_json_number_at(f, "ended", NAN), unit).text);
        put_percent(r, ifd_json_number_at(f, "relaxation", NAN), "–");
        put_percent(r, ifd_json_number_at(hold, "bound", NAN), ifd_json_at(hold, "bound") ? "none" : "");
        fputs("<td>", r->out);
        const char *next = ifd_json_text_at(hold, "next", "");
        double refused = ifd_json_number_at(hold, "refused", 0);
        fputs(!*next ? "end of the record" : strcmp(next, "run") == 0 ? "resumed" : next, r->out);
        if (refused > 0)
            fprintf(r->out, ", resume refused %.0f time%s", refused, refused > 1 ? "s" : "");
    }
}

static void put_scale(const report *r)
{
    const ifd_json_node *p = ifd_json_at(r->summary, "time_scale");
    double orders = p ? ifd_json_number_at(p, "orders", 0) : 0;
    if (!p)
        return;
    report_begin(r, "Time scale", "time-scale", false);
    fprintf(
        r->out,
        "<p>The operator changed the time scale %.0f time%s (orders slower and faster): at most %.3g times slower "
        "than the case, %.3g times at the end. Simulated time took %.3g times as long as with the lambda of the "
        "case.</p>",
        orders, orders > 1 ? "s" : "", 1 / ifd_json_number_at(p, "slowest", NAN),
        1 / ifd_json_number_at(p, "last", NAN), ifd_json_number_at(p, "longer", NAN));
    report_end(r, false);
}

void report_elastic(const report *r)
{
    put_scale(r);
    const ifd_json_node *e = ifd_json_at(r->summary, "elastic");
    double rests = e ? ifd_json_number_at(e, "rests", 0) : 0;
    if (!e)
        return;
    report_begin(r, "Elastic time", "elastic", false);
    fprintf(r->out, "<p>Simulated time took %.3g times as long as at full rate",
            ifd_json_number_at(e, "longer", NAN));
    if (rests > 0)
        fprintf(r->out, ", at rest %.0f time%s, longest %s", rests, rests > 1 ? "s" : "",
                page_quantity(ifd_json_number_at(e, "longest_rest", NAN), "s").text);
    fprintf(r->out, ". Its rate was below 0.9 for %.3g %% of the run and zero for %.3g %%. ",
            100.0 * ifd_json_number_at(e, "below_0_9", NAN), 100.0 * ifd_json_number_at(e, "at_rest", NAN));
    fprintf(r->out, "The oldest answer of the rig was %s old.</p>",
            page_quantity(ifd_json_number_at(e, "oldest_answer", NAN), "s").text);
    report_end(r, false);
}

void report_holds(const report *r)
{
    const ifd_json_node *holds = ifd_json_at(r->summary, "holds");
    if (!holds || !holds->first)
        return;
    report_begin(r, "Holds", "holds", false);
    fputs("<table class=holds><tr><th>start<th>duration<th>specimen<th>force at the beginning<th>force at the end"
          "<th>relaxation<th>bound<th>outcome",
          r->out);
    for (const ifd_json_node *hold = holds->first; hold; hold = hold->next)
        put_hold(r, hold);
    fputs("</table><p class=soft>Start: simulated time. Duration: wall-clock time at rest. Relaxation: change "
          "of the force at the end of the hold, divided by the force at the beginning, or by a tenth of the largest "
          "force if that is larger. With a bound (key hold-relaxation of the case) as resume judges it: of mean "
          "forces since the actuators have settled, less the noise; resume is refused above the bound.</p>",
          r->out);
    report_end(r, false);
}

/* What the monitor of stability saw and did: its ratio, and where it has acted, lead and work of damping. */

void report_watched(const report *r)
{
    static const struct {
        ifd_quantity quantity;
        const char *label;
    } rows[] = {{IFD_COLUMN_LOOP_RATIO, "added over dissipated energy"},
                {IFD_COLUMN_LOOP_LEAD, "lead [ms]"},
                {IFD_COLUMN_LOOP_DAMPING_WORK, "work [J]"}};
    bool any = false;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        for (int i = 0; i < r->t.columns; i++) {
            if (r->t.column[i].quantity != rows[k].quantity)
                continue;
            if (!any)
                report_begin(r, "Monitor of stability", "watched", false);
            any = true;
            if (r->ran.rows < 1)
                continue;
            chart c = report_history(r, r->t.column[i].name, rows[k].label);
            c.y.factor = rows[k].quantity == IFD_COLUMN_LOOP_LEAD ? 1e3 : 1.0;
            report_add(r, &c, NULL, r->ran.value[i], LINE_SOLID);
            chart_put(r->a, r->out, &c);
        }
    if (any)
        report_end(r, false);
}

/* What a test has learned of its specimens: one row for each parameter, from `identified` of summary.json. */

/* The estimate of one parameter over time, and one standard deviation on both sides. */
static void put_parameter(const report *r, int column)
{
    const double *estimate = r->ran.value[column], *deviation = r->ran.value[column + 1];
    double *above = ifd_arena_array(r->a->arena, (size_t)r->ran.rows + 1, sizeof *above);
    double *below = ifd_arena_array(r->a->arena, (size_t)r->ran.rows + 1, sizeof *below);
    if (!above || !below || r->ran.rows < 1)
        return;
    for (long i = 0; i < r->ran.rows; i++) {
        above[i] = estimate[i] + deviation[i];
        below[i] = estimate[i] - deviation[i];
    }
    chart c = report_history(r, r->t.column[column].owner, "relative to the start");
    report_add(r, &c, "identified", estimate, LINE_SOLID);
    report_add(r, &c, "standard deviation", above, LINE_DASHED);
    report_add(r, &c, NULL, below, LINE_DASHED);
    chart_put(r->a, r->out, &c);
}

void report_identified(const report *r)
{
    const ifd_json_node *all = ifd_json_at(r->summary, "identified");
    if (!all || !all->first)
        return;
    report_begin(r, "Identified parameters", "identified", false);
    fputs("<table class=holds><tr><th>parameter<th>identified<th>standard deviation<th>in use by the copies", r->out);
    for (const ifd_json_node *p = all->first; p; p = p->next) {
        html_put(r->out, "<tr><td>", p->key, "");
        fprintf(r->out, "<td>%.4g<td>%.2g<td>%.4g", ifd_json_number_at(p, "identified", NAN),
                ifd_json_number_at(p, "standard_deviation", NAN), ifd_json_number_at(p, "in_use", NAN));
    }
    fputs("</table><p class=soft>At the end of the test, relative to the value in the case, with the standard "
          "deviation of the covariance of the filter. The columns of the same names contain every tick.</p>",
          r->out);
    for (int i = 0; i + 1 < r->t.columns; i++)
        if (r->t.column[i].quantity == IFD_COLUMN_IDENTIFIED &&
            r->t.column[i + 1].quantity == IFD_COLUMN_IDENTIFIED_DEVIATION)
            put_parameter(r, i);
    report_end(r, false);
}
