/* SPDX-License-Identifier: MIT */
/* What the monitor of stability saw and did: its ratio, and where it has acted, lead and work of damping. */
#include "report.h"

enum { HEIGHT = 150 }; /* px */

static void put_column(const report *r, int column, const char *label)
{
    const double *y = report_column(r, column);
    if (!y || r->rows < 1)
        return;
    chart c = {.title = r->t.column[column].name,
               .x_label = "time [s]",
               .y_label = label,
               .height = HEIGHT,
               .half = true,
               .x_from = r->when[0],
               .x_to = r->when[r->rows - 1],
               .y_factor = r->t.column[column].quantity == IFD_COLUMN_LOOP_LEAD ? 1e3 : 1.0};
    c.curve[c.curves++] = (chart_curve){.count = r->rows, .x = r->when, .y = y, .rising = true};
    chart_put(r->out, &c);
}

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
                report_heading(r, "Monitor of stability", "watched");
            any = true;
            put_column(r, i, rows[k].label);
        }
    if (any)
        report_end_section(r);
}
