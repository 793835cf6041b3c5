/* SPDX-License-Identifier: MIT */
/* What a test has learned of its specimens: one row for each parameter, from `identified` of summary.json. */
#include "report.h"

#include <math.h>

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
    report_end_section(r);
}
