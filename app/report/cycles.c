/* SPDX-License-Identifier: MIT */
/* The cycles of a loading protocol, from `cycles` of summary.json: loops of each specimen with the backbone, energy,
 * stiffness and damping over the number of the cycle, and their table. */
#include "figure.h"
#include "report.h"

#include <math.h>
#include <string.h>

enum { COLOURS = 8, MOST_ROWS = 100, LOOP = 250 };

/* The numbers of one member of all cycles. */
static double *numbers(const report *r, const ifd_json_node *list, const char *key, long *count)
{
    long n = 0;
    for (const ifd_json_node *c = list->first; c; c = c->next)
        n++;
    double *out = ifd_arena_array(r->a->arena, (size_t)n + 1, sizeof *out);
    *count = 0;
    for (const ifd_json_node *c = list->first; c && out; c = c->next)
        out[(*count)++] = ifd_json_number_at(c, key, NAN);
    return out;
}

/* The first row of the report at a time or after it. */
static long row_at(const report *r, double time)
{
    long low = 0, high = r->ran.rows;
    while (low < high) {
        long middle = low + (high - low) / 2;
        if (r->ran.time[middle] < time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Force over deformation, each cycle in another colour. */
static void put_loops(const report *r, const ifd_json_node *of, const ifd_json_node *table)
{
    int x = report_find(r, of->key, IFD_COLUMN_INTERFACE_DEFORMATION),
        y = report_find(r, of->key, IFD_COLUMN_INTERFACE_FORCE);
    long count, points;
    const ifd_json_node *backbone = ifd_json_at(of, "backbone");
    const double *from = numbers(r, table, "from", &count), *to = numbers(r, table, "to", &count);
    const double *bx = numbers(r, backbone, "x", &points), *br = numbers(r, backbone, "r", &points);
    chart_curve *loop = ifd_arena_array(r->a->arena, (size_t)count + 1, sizeof *loop);
    if (x < 0 || y < 0 || !from || !to || !bx || !br || !loop || r->ran.rows < 2)
        return;
    chart c = {.title = ifd_arena_print(r->a->arena, "%s: cycles", of->key), .height = LOOP, .more = loop};
    for (long i = 0; i < count; i++) {
        long a = row_at(r, from[i]), b = row_at(r, to[i]);
        if (b > a + 1)
            loop[c.many++] = (chart_curve){
                .count = b - a, .x = r->ran.value[x] + a, .y = r->ran.value[y] + a, .colour = 1 + (int)(i % COLOURS)};
    }
    c.curve[c.curves++] = (chart_curve){.name = "backbone", .count = points, .x = bx, .y = br, .style = CHART_POINTS};
    c.x.label = label_print(r->a->arena, "deformation",
                            unit_shown(r->t.column[x].unit, table_largest(&r->ran, x), &c.x.factor));
    c.y.label =
        label_print(r->a->arena, "force", unit_shown(r->t.column[y].unit, table_largest(&r->ran, y), &c.y.factor));
    chart_put(r->a, r->out, &c);
}

/* One measure over the number of the cycle. */
static void put_measure(const report *r, const ifd_json_node *table, const char *key, const char *label,
                        const char *unit)
{
    long count;
    double *y = numbers(r, table, key, &count), *x = numbers(r, table, key, &count);
    double most = 0.0;
    chart c = {.title = label, .x.label = "cycle", .curves = 1};
    for (long i = 0; i < count && x && y; i++) {
        x[i] = (double)(i + 1);
        most = isfinite(y[i]) ? fmax(most, fabs(y[i])) : most;
    }
    if (!x || !y || most == 0.0)
        return;
    c.x.to = (double)(count + 1);
    c.curve[0] = (chart_curve){.count = count, .x = x, .y = y, .style = CHART_POINTS, .rising = true};
    c.y.label = unit ? label_print(r->a->arena, label, unit_shown(unit, most, &c.y.factor)) : label;
    chart_put(r->a, r->out, &c);
}

static void put_number(const report *r, const ifd_json_node *c, const char *key, const char *unit)
{
    double value = ifd_json_number_at(c, key, NAN);
    if (!isfinite(value))
        fputs("<td>–", r->out);
    else if (unit)
        fprintf(r->out, "<td>%s", page_quantity(value, unit).text);
    else
        fprintf(r->out, "<td>%.4g", value);
}

static void put_table(const report *r, const ifd_json_node *of, const ifd_json_node *table)
{
    bool turns = report_turns(r, of->key);
    const char *length = turns ? "rad" : "m", *force = turns ? "N m" : "N";
    int n = 0;
    fputs("<table class=holds><tr><th>cycle<th>amplitude<th>x1<th>r1<th>x2<th>r2<th>E<th>k_s<th>xi<th>Q<th>mu"
          "<th>peak velocity",
          r->out);
    for (const ifd_json_node *c = table->first; c && n < MOST_ROWS; c = c->next) {
        fprintf(r->out, "<tr><td>%d", ++n);
        put_number(r, c, "amplitude", length);
        put_number(r, c, "x1", length);
        put_number(r, c, "r1", force);
        put_number(r, c, "x2", length);
        put_number(r, c, "r2", force);
        put_number(r, c, "energy", "J");
        put_number(r, c, "stiffness", turns ? NULL : "N/m");
        put_number(r, c, "damping", NULL);
        put_number(r, c, "strength", force);
        put_number(r, c, "friction", NULL);
        put_number(r, c, "peak_velocity", turns ? NULL : "m/s");
    }
    fputs("</table>", r->out);
    if (n == MOST_ROWS)
        fprintf(r->out, "<p class=soft>The first %d cycles; cycles.csv has all.</p>", n);
}

void report_cycles(const report *r)
{
    const ifd_json_node *all = ifd_json_at(r->summary, "cycles");
    bool any = false;
    for (const ifd_json_node *of = all ? all->first : NULL; of; of = of->next) {
        const ifd_json_node *table = ifd_json_at(of, "table");
        if (!table || !table->first || !ifd_json_at(of, "backbone"))
            continue;
        if (!any)
            report_begin(r, "Cycles", "cycles", false);
        any = true;
        put_loops(r, of, table);
        put_measure(r, table, "energy", "E", "J");
        put_measure(r, table, "stiffness", "k_s", report_turns(r, of->key) ? NULL : "N/m");
        put_measure(r, table, "damping", "xi", NULL);
        put_table(r, of, table);
    }
    if (!any)
        return;
    fputs(
        "<p class=soft>A cycle goes from the crossing of its mean position before its first peak to the next "
        "crossing in the same direction, by the target. E: closed integral of r dx over every tick. x1, x2: largest "
        "and smallest position, r1, r2: forces there. k_s = (r1 - r2)/(x1 - x2). xi = E/(2 pi k_s a<sup>2</sup>), "
        "a = (x1 - x2)/2. Q: half the difference of r at two crossings of the mean position. mu = E/(N integral of "
        "|dx|) under the compression N. Backbone: peaks of the first cycle of every amplitude.</p>",
        r->out);
    report_end(r, false);
}
