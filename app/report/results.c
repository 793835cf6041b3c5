/* SPDX-License-Identifier: MIT */
/* Table of results: the largest values with their simulated time, and the ideal run. */
#include "drawing.h"
#include "figure.h"

#include <math.h>
#include <string.h>

typedef struct extreme {
    double value, time, last;
} extreme;

static extreme extreme_in(const ifd_json_node *p)
{
    return (extreme){ifd_json_number_at(p, "value", NAN), ifd_json_number_at(p, "time", NAN),
                     ifd_json_number_at(p, "final", NAN)};
}

/* The largest value with its sign, and its row; -1: none. */
static double furthest(const double *v, long rows, long *at)
{
    *at = -1;
    for (long i = 0; i < rows; i++)
        if (*at < 0 || fabs(v[i]) > fabs(v[*at]))
            *at = i;
    return *at < 0 ? 0.0 : v[*at];
}

/* From summary.json, where it has no sign; without one, from the rows. */
static extreme extreme_of(const report *r, int column)
{
    const ifd_json_node *peaks = ifd_json_at(r->summary, "peaks"), *p = NULL;
    const double *v = r->ran.value[column];
    long at;
    double most = furthest(v, r->ran.rows, &at);
    for (p = peaks ? peaks->first : NULL; p && strcmp(p->key, r->t.column[column].name) != 0;)
        p = p->next;
    extreme e = p         ? extreme_in(p)
                : at >= 0 ? (extreme){most, r->ran.time[at], v[r->ran.rows - 1]}
                          : (extreme){0, NAN, NAN};
    if (fabs(fabs(most) - e.value) <= 1e-6 * e.value) /* otherwise the row of the peak is not recorded */
        e.value = most;
    return e;
}

/* A force measured at a mass on the rig includes its inertia, unlike that of the ideal specimen; so does the base
 * shear that contains it. */
static bool has_inertia(const report *r, const ifd_column *c)
{
    const ifd_hybrid_options *t = r->c ? r->c->test : NULL;
    bool shear = c->quantity >= IFD_COLUMN_BASE_SHEAR_X && c->quantity <= IFD_COLUMN_BASE_SHEAR_Z;
    for (int k = 0; t && (shear || c->quantity == IFD_COLUMN_INTERFACE_FORCE) && k < t->interfaces; k++)
        if ((shear || strcmp(t->interface[k].name, c->owner) == 0) && t->interface[k].mass > 0 &&
            !t->interface[k].taken_out)
            return true;
    return false;
}

static void put_ideal(const report *r, int column)
{
    const ideal *i = r->ideal;
    int other = i && !has_inertia(r, &r->t.column[column]) ? ideal_column(i, &r->t.column[column]) : -1;
    if (!i || i->run.rows < 2)
        return;
    if (other < 0 || strcmp(i->run.column[other].unit, r->t.column[column].unit) != 0) {
        fputs("<td><td>", r->out);
        return;
    }
    double percent = 100.0 * difference_measure(&i->run, other, &i->test, column).rms;
    long at;
    const double most = furthest(i->run.value[other], i->run.rows, &at);
    fprintf(r->out, "<td>%s<td>", page_quantity(most, i->run.column[other].unit).text);
    fprintf(r->out, percent >= 1e-3 || !(percent >= 0) ? "%.3g %%" : "&lt; 0.001 %%", percent);
}

static void put_row(const report *r, const char *name, const char *what, const extreme *e, const char *unit)
{
    html_put(r->out, "<tr><td>", name, *name ? " " : "");
    html_put(r->out, "", what, "");
    fprintf(r->out, "<td>%s<td>%.4g s<td>%s", page_quantity(e->value, unit).text, e->time,
            page_quantity(e->last, unit).text);
}

static int largest_columns(const report *r, ifd_quantity quantity, int *chosen, int most)
{
    const overlay o = {.results = 1, .t = &r->ran};
    return columns_furthest(&o, quantity, NULL, most, chosen);
}

int report_count(const report *r, ifd_quantity quantity)
{
    int n = 0;
    for (int i = 0; i < r->t.columns; i++)
        n += r->t.column[i].quantity == quantity;
    return n;
}

/* Columns that stay zero have no row. Returns the number of rows; adds those left out to *left_out. */
static int put_quantity(const report *r, ifd_quantity quantity, const char *what, int most, int *left_out)
{
    int chosen[8], n = largest_columns(r, quantity, chosen, most), rows = 0;
    for (int k = 0; k < n; k++) {
        extreme e = extreme_of(r, chosen[k]);
        if (!(fabs(e.value) > 0))
            continue;
        rows++;
        put_row(r, r->t.column[chosen[k]].owner, what, &e, r->t.column[chosen[k]].unit);
        put_ideal(r, chosen[k]);
    }
    *left_out += report_count(r, quantity) - n;
    return rows;
}

/* Drifts of storeys and springs from the summary, if they are not columns. */
static int put_drifts(const report *r, int most)
{
    const ifd_json_node *drift = ifd_json_at(r->summary, "drift");
    int n = 0;
    for (const ifd_json_node *p = drift ? drift->first : NULL; p; p = p->next, n++) {
        extreme e = extreme_in(p);
        if (n >= most || !(e.value > 0))
            continue;
        int column = report_find(r, p->key, IFD_COLUMN_ELEMENT_DEFORMATION);
        put_row(r, p->key, "drift", &e, ifd_json_text_at(p, "unit", ""));
        if (column >= 0)
            put_ideal(r, column);
        else if (r->ideal && r->ideal->run.rows > 1)
            fputs("<td><td>", r->out);
    }
    return n > most ? n - most : 0;
}

static void put_explanation(const report *r, int left_out)
{
    const ideal *i = r->ideal;
    if (left_out > 0)
        fprintf(r->out, "<p class=soft>summary.json contains %d more.</p>", left_out);
    if (!r->test || r->characterised)
        return;
    if (i && i->run.rows > 1)
        fprintf(r->out,
                "<p class=soft>At: simulated time. At the end: last row of the record; measured values after "
                "ramp-out. Ideal run: the same case with computed specimens, without "
                "delay and noise. Error: rms of the difference divided by the rms of the ideal run, up to %s.</p>",
                page_quantity(i->test.time[i->test.rows - 1], "s").text);
    else
        html_put(r->out,
                 "<p class=soft>At: simulated time. At the end: last row of the record; measured values after "
                 "ramp-out. No error against the ideal run: ",
                 i && i->why ? i->why : "not requested", ".</p>");
}

/* Returns the number of rows. */
static int put_extremes(const report *r)
{
    static const struct {
        ifd_quantity quantity;
        const char *what;
        int most;
    } row[] = {{IFD_COLUMN_DISPLACEMENT, "displacement", 4},
               {IFD_COLUMN_STOREY_DRIFT, "storey drift", 4},
               {IFD_COLUMN_ABSOLUTE_ACCELERATION, "absolute acceleration", 3},
               {IFD_COLUMN_BASE_SHEAR_X, "base shear x", 1},
               {IFD_COLUMN_BASE_SHEAR_Y, "base shear y", 1},
               {IFD_COLUMN_BASE_SHEAR_Z, "base shear z", 1},
               {IFD_COLUMN_INTERFACE_DEFORMATION, "deformation", 4},
               {IFD_COLUMN_INTERFACE_FORCE, "force", 4}};
    int left_out = 0, rows = 0;
    bool moved = false;
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        int largest[1];
        moved =
            moved || (largest_columns(r, row[k].quantity, largest, 1) > 0 && table_largest(&r->ran, *largest) > 0);
    }
    if (!moved)
        fputs("<p>Nothing moved, and no force was measured.</p>", r->out);
    if (!moved)
        return 0;
    fputs("<table class=\"peaks numbers\"><tr><th><th>largest<th>at<th>at the end", r->out);
    if (r->ideal && r->ideal->run.rows > 1)
        fputs("<th>ideal run<th>error", r->out);
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        rows += put_quantity(r, row[k].quantity, row[k].what, row[k].most, &left_out);
        if (k == 0 && report_count(r, IFD_COLUMN_STOREY_DRIFT) == 0)
            left_out += put_drifts(r, 4);
    }
    fputs("</table>", r->out);
    put_explanation(r, left_out);
    return rows;
}

/* In a column of the page. */
static void put_drawing(const report *r, const structure *s)
{
    if (s)
        report_structure(r, s, -1);
    else
        report_scheme(r);
}

void report_results(const report *r)
{
    if (r->characterised) {
        report_scheme(r);
        return;
    }
    enum { LIMITS = 6 }; /* approximate number of rows for an interface */
    structure s;
    long row = -1;
    bool drawn = report_drawing(r, &s, &row), wide = row >= 0;
    int limits = r->test && r->c && r->c->test ? LIMITS * r->c->test->interfaces : 0;
    report_begin(r, "Results", "results", false);
    fputs("<div class=pair><div>", r->out);
    bool below = put_extremes(r) <= limits; /* the drawing is placed where there is space */
    if (below && !wide)
        put_drawing(r, drawn ? &s : NULL);
    fputs(r->test ? "</div><div id=limits>" : "</div><div>", r->out);
    if (r->test) {
        report_limits(r);
        report_deadlines(r);
    }
    if (!below && !wide)
        put_drawing(r, drawn ? &s : NULL);
    fputs("</div></div>", r->out);
    report_end(r, false);
    if (wide)
        report_structure(r, &s, row);
}
