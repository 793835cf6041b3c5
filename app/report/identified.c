/* SPDX-License-Identifier: MIT */
/* What a test has learned of its specimens: one row for each parameter, from `identified` of summary.json. */
#include "report.h"

#include <math.h>

enum { HEIGHT = 150 }; /* px */

/* The estimate of one parameter over time, and one standard deviation on both sides. */
static void put_parameter(const report *r, int column)
{
    const double *estimate = report_column(r, column), *deviation = report_column(r, column + 1);
    double *above = ifd_arena_array(r->a->arena, (size_t)r->rows + 1, sizeof *above);
    double *below = ifd_arena_array(r->a->arena, (size_t)r->rows + 1, sizeof *below);
    if (!above || !below || r->rows < 1)
        return;
    for (long i = 0; i < (long)r->rows; i++) {
        above[i] = estimate[i] + deviation[i];
        below[i] = estimate[i] - deviation[i];
    }
    chart c = {.title = r->t.column[column].owner,
               .x_label = "time [s]",
               .y_label = "relative to the start",
               .height = HEIGHT,
               .half = true,
               .x_from = r->when[0],
               .x_to = r->when[r->rows - 1],
               .y_factor = 1.0};
    const double *const y[] = {estimate, above, below};
    for (int k = 0; k < 3; k++)
        c.curve[c.curves++] = (chart_curve){.name = k == 0   ? "identified"
                                                    : k == 1 ? "standard deviation"
                                                             : NULL,
                                            .count = r->rows,
                                            .x = r->when,
                                            .y = y[k],
                                            .rising = true,
                                            .line = k > 0 ? LINE_DASHED : LINE_SOLID};
    chart_put(r->out, &c);
}

void report_identified(const report *r)
{
    const ifd_json_node *all = ifd_json_at(r->summary, "identified");
    if (!all || !all->first)
        return;
    report_heading(r, "Identified parameters", "identified");
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
    report_end_section(r);
}
