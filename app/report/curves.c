/* SPDX-License-Identifier: MIT */
/* Curves of a report: motion, forces, tracking, energy. */
#include "report.h"
#include "figure.h"

#include <math.h>
#include <string.h>

enum { MOST_SPECIMENS = 8, MOST_LOOPS = 6 };

int report_find(const report *r, const char *owner, ifd_quantity quantity)
{
    return ifd_column_find(r->t.column, r->t.columns, owner, quantity);
}

bool report_turns(const report *r, const char *owner)
{
    int column = report_find(r, owner, IFD_COLUMN_INTERFACE_DEFORMATION);
    return column >= 0 && strcmp(r->t.column[column].unit, "rad") == 0;
}

enum { PANEL = 150, PANEL_OF_MANY = 108, LOOP = 250, LOOP_OF_MANY = 220 }; /* px, for a short page */

static int panel_height(const report *r, bool loop)
{
    bool many = report_count(r, IFD_COLUMN_INTERFACE_TARGET) > 1;
    return loop ? (many ? LOOP_OF_MANY : LOOP) : many ? PANEL_OF_MANY : PANEL;
}

static overlay alone(const ifd_table *t)
{
    return (overlay){.results = 1, .t = t, .time = "time [s]"};
}

/* The ideal run of the largest displacement, dashed, for comparison. */
static void add_ideal(const report *r, int column, chart *c)
{
    const ideal *i = r->ideal;
    int other =
        i && r->t.column[column].quantity == IFD_COLUMN_DISPLACEMENT ? ideal_column(i, &r->t.column[column]) : -1;
    const char *name =
        other < 0 ? NULL : ifd_arena_print(r->a->arena, "%s, ideal run", column_short(&r->t.column[column]));
    if (name && c->curves < MOST_CURVES)
        c->curve[c->curves++] = (chart_curve){.name = name,
                                              .count = i->run.rows,
                                              .x = i->run.time,
                                              .y = i->run.value[other],
                                              .rising = true,
                                              .line = LINE_DASHED};
}

chart report_history(const report *r, const char *title, const char *y_label)
{
    chart c = {.title = title, .x.label = "time [s]", .y.label = y_label};
    if (r->ran.rows > 0) { /* panels in one stack have the same axis */
        c.x.from = r->ran.time[0];
        c.x.to = r->ran.time[r->ran.rows - 1];
    }
    return c;
}

void report_add(const report *r, chart *c, const char *name, const double *y, line_kind line)
{
    c->curve[c->curves++] =
        (chart_curve){.name = name, .count = r->ran.rows, .x = r->ran.time, .y = y, .rising = true, .line = line};
}

/* tall: as high as a loop, beside one; open: without the numbers of its time axis. */
static void put_panel(const report *r, panel *p, bool tall, bool open)
{
    const overlay o = alone(&r->ran);
    bool loop = p->curve[0].x >= 0;
    int most = p->curve[0].y;
    for (int k = 1; k < p->curves && !loop; k++)
        most = table_largest(&r->ran, p->curve[k].y) > table_largest(&r->ran, most) ? p->curve[k].y : most;
    panel_name(r->a->arena, &o, p);
    chart c = panel_chart(p, &r->ran);
    if (c.curves == 1 && c.curve[0].name && strstr(p->title, c.curve[0].name))
        c.curve[0].name = NULL; /* the title has it */
    if (!loop) {
        c.x = report_history(r, NULL, NULL).x;
        add_ideal(r, most, &c);
    }
    c.height = panel_height(r, loop || tall);
    c.open = open;
    chart_put(r->a, r->out, &c);
}

/* Panels in one stack, with the numbers of the time axis at the last one. */
static void put_stack(const report *r, figure *f)
{
    for (int k = 0; k < f->panels; k++)
        put_panel(r, &f->panel[k], false, k + 1 < f->panels);
}

/* One curve; x -1: over time, as high as a loop. */
static void put_curve(const report *r, const char *title, int x, int y)
{
    panel p = {.title = title, .curves = 1, .curve = {{.x = x, .y = y}}};
    put_panel(r, &p, true, false);
}

/* "bearing1, force" */
static const char *titled(const report *r, const char *owner, const char *what)
{
    const char *title = ifd_arena_print(r->a->arena, "%s, %s", owner, what);
    return title ? title : owner;
}

/* Owners of a quantity, in order; returns their number. */
static int owners(const report *r, ifd_quantity quantity, const char **out, int most)
{
    int n = 0;
    for (int i = 0; i < r->t.columns && n < most; i++)
        if (r->t.column[i].quantity == quantity && r->t.column[i].number == 0)
            out[n++] = r->t.column[i].owner;
    return n;
}

typedef struct panel_row {
    ifd_quantity quantity;
    const char *unit, *title;
} panel_row;

/* Of each row the four columns with the largest values; without those rows in which none moved. */
static void add_rows(const report *r, const panel_row *row, int rows, figure *f)
{
    const overlay o = alone(&r->ran);
    for (; rows > 0; row++, rows--) {
        panel *p = figure_largest(&o, row->quantity, row->unit, 4, f);
        if (p)
            p->title = row->title;
    }
}

/* Motion of the dofs; of elements if no dof is free or recorded. */
static void add_structure(const report *r, figure *f)
{
    static const panel_row row[] = {{IFD_COLUMN_DISPLACEMENT, "m", "displacement"},
                                    {IFD_COLUMN_DISPLACEMENT, "rad", "angle"},
                                    {IFD_COLUMN_STOREY_DRIFT, "m", "storey drift"}};
    static const panel_row other[] = {{IFD_COLUMN_ELEMENT_DEFORMATION, "m", "deformation"},
                                      {IFD_COLUMN_ELEMENT_DEFORMATION, "rad", "rotation"},
                                      {IFD_COLUMN_ELEMENT_FORCE, "N", "force"},
                                      {IFD_COLUMN_ELEMENT_FORCE, "N m", "moment"}};
    add_rows(r, row, sizeof row / sizeof *row, f);
    if (!f->panels && !r->test)
        add_rows(r, other, sizeof other / sizeof *other, f);
}

/* Additional response, which does not fit on a short page. */
static void response(const report *r)
{
    static const panel_row row[] = {{IFD_COLUMN_ABSOLUTE_ACCELERATION, "m/s2", "absolute acceleration"},
                                    {IFD_COLUMN_BASE_SHEAR_X, "N", "base shear x"},
                                    {IFD_COLUMN_BASE_SHEAR_Y, "N", "base shear y"},
                                    {IFD_COLUMN_BASE_SHEAR_Z, "N", "base shear z"}};
    static const panel_row ground[] = {{IFD_COLUMN_GROUND_X, "m/s2", "ground acceleration x"},
                                       {IFD_COLUMN_GROUND_Y, "m/s2", "ground acceleration y"},
                                       {IFD_COLUMN_GROUND_Z, "m/s2", "ground acceleration z"}};
    figure f = {0}, below = {0};
    add_rows(r, row, sizeof row / sizeof *row, &f);
    add_rows(r, ground, sizeof ground / sizeof *ground, &below);
    if (!f.panels && !below.panels)
        return;
    report_begin(r, "Accelerations, base shear and ground", "response", true);
    put_stack(r, &f);
    put_stack(r, &below);
    report_end(r, true);
}

/* Whether a specimen has moved or was loaded. */
static bool is_used(const report *r, const char *owner)
{
    int measured = report_find(r, owner, IFD_COLUMN_INTERFACE_DEFORMATION),
        force = report_find(r, owner, IFD_COLUMN_INTERFACE_FORCE);
    return measured >= 0 && force >= 0 && fmax(table_largest(&r->ran, measured), table_largest(&r->ran, force)) > 0;
}

/* The specimens that have moved or were loaded; their number. */
static int used(const report *r, const char **out)
{
    int n = owners(r, IFD_COLUMN_INTERFACE_TARGET, out, MOST_SPECIMENS), kept = 0;
    for (int k = 0; k < n; k++)
        if (is_used(r, out[k]))
            out[kept++] = out[k];
    return kept;
}

static void specimens(const report *r)
{
    const char *owner[MOST_SPECIMENS];
    int n = used(r, owner);
    for (int k = 0; k < n; k++) {
        figure f = {.panels = 2};
        f.panel[0].title = titled(r, owner[k], "position");
        f.panel[1].title = titled(r, owner[k], "force");
        panel_add(&f.panel[0], -1, report_find(r, owner[k], IFD_COLUMN_INTERFACE_DEFORMATION));
        panel_add(&f.panel[0], -1, report_find(r, owner[k], IFD_COLUMN_INTERFACE_TARGET));
        panel_add(&f.panel[1], -1, report_find(r, owner[k], IFD_COLUMN_INTERFACE_FORCE));
        put_stack(r, &f);
    }
}

/* Visible loops of force over this motion; their number. */
static int loops_of(const report *r, ifd_quantity motion, int room)
{
    int drawn = 0;
    for (int i = 0; i < r->t.columns && drawn < room; i++) {
        int force = r->t.column[i].quantity == motion ? table_force_of(&r->ran, i) : -1;
        if (force < 0 || !(table_loop(&r->ran, i, force) > 0))
            continue;
        put_curve(r, r->t.column[i].owner, i, force);
        drawn++;
    }
    return drawn;
}

static void joints(const report *r)
{
    panel p = {.title = "largest gap of all joints", .what = "gap"};
    for (int i = 0; i < r->t.columns; i++)
        if (r->t.column[i].quantity == IFD_COLUMN_GAP_DISPLACEMENT)
            panel_add(&p, -1, i);
    if (p.curves == 0 || (r->c && r->c->run.couple && r->c->run.couple->joints == 0))
        return;
    report_begin(r, "Joint gaps", "joints", true);
    fputs("<p>Gap between coupled substructures at their joints.</p>", r->out);
    put_panel(r, &p, false, false);
    report_end(r, true);
}

/* Specimens and actuators, then what is computed. */
enum { TESTED = 2, LOOPS = 4 };
static const ifd_quantity loop[LOOPS] = {IFD_COLUMN_INTERFACE_DEFORMATION, IFD_COLUMN_ACTUATOR_POSITION,
                                         IFD_COLUMN_ELEMENT_DEFORMATION, IFD_COLUMN_SECTION_CURVATURE};

static bool has_loops(const report *r, int from, int to)
{
    const char *any[1];
    for (int k = from; k < to; k++)
        if (owners(r, loop[k], any, 1) > 0)
            return true;
    return false;
}

static void elements(const report *r)
{
    int drawn = 0;
    if (!r->test || !has_loops(r, TESTED, LOOPS))
        return;
    report_begin(r, "Elements", "elements", true);
    fputs("<div class=charts>", r->out);
    for (int k = TESTED; k < LOOPS; k++)
        drawn += loops_of(r, loop[k], MOST_LOOPS - drawn);
    fputs("</div>", r->out);
    if (drawn == 0)
        fputs("<p>No element dissipated enough energy for a visible loop.</p>", r->out);
    report_end(r, true);
}

/* Loops and, next to that of an interface, its tracking. */
static void loops(const report *r)
{
    int kinds = r->test ? TESTED : LOOPS; /* elements of a test are in a folded section */
    const char *owner[MOST_SPECIMENS];
    int n = owners(r, IFD_COLUMN_INTERFACE_TRACKING, owner, MOST_SPECIMENS), drawn = 0;
    report_begin(r, n == 1 ? "Force over deformation, tracking error" : "Force over deformation", "loops", false);
    fputs("<div class=charts>", r->out);
    for (int k = 0; k < kinds; k++)
        drawn += loops_of(r, loop[k], MOST_LOOPS - drawn);
    for (int k = 0; k < n && n == 1; k++) {
        int error = report_find(r, owner[k], IFD_COLUMN_INTERFACE_TRACKING);
        if (table_largest(&r->ran, error) > 0)
            put_curve(r, titled(r, owner[k], "tracking error (measured minus target)"), -1, error);
    }
    fputs("</div>", r->out);
    if (drawn == 0)
        fputs("<p>Force over deformation is a line: no element dissipated enough energy for a visible loop.</p>",
              r->out);
    report_end(r, false);
}

void report_curves(const report *r)
{
    const char *any[MOST_SPECIMENS];
    figure f = {0};
    add_structure(r, &f);
    if (f.panels > 0 || used(r, any) > 0) {
        report_begin(r, "Time histories", "histories", false);
        if (r->held)
            fputs("<p>The test was on hold; curves are over simulated time, which stops during a hold.</p>", r->out);
        put_stack(r, &f);
        specimens(r);
        report_end(r, false);
    }
    if (has_loops(r, 0, LOOPS))
        loops(r);
    fputs("<p class=unfold>Details follow. Folded sections are not printed.</p>\n", r->out);
    response(r);
    elements(r);
    joints(r);
}

void report_tracking(const report *r)
{
    const char *owner[MOST_SPECIMENS];
    int n = owners(r, IFD_COLUMN_INTERFACE_TRACKING, owner, MOST_SPECIMENS), first = n;
    n += owners(r, IFD_COLUMN_ACTUATOR_TRACKING, owner + n, MOST_SPECIMENS - n);
    const char *moved[MOST_SPECIMENS];
    if (n == 0 || used(r, moved) == 0)
        return;
    report_begin(r, "Tracking and delay", "tracking", true);
    fputs("<p>Measured over target position, ideally a straight line; the delay as estimated during the test; "
          "tracking errors of several specimens.</p><div class=charts>",
          r->out);
    for (int k = 0; k < n; k++) {
        ifd_quantity tracking = k < first ? IFD_COLUMN_INTERFACE_TRACKING : IFD_COLUMN_ACTUATOR_TRACKING;
        int error = n == 1 ? -1 : report_find(r, owner[k], tracking),
            delay = report_find(r, owner[k], IFD_COLUMN_INDICATED_DELAY);
        int x = report_find(r, owner[k], IFD_COLUMN_INTERFACE_TARGET),
            y = report_find(r, owner[k], IFD_COLUMN_INTERFACE_DEFORMATION);
        if (error >= 0)
            put_curve(r, titled(r, owner[k], "tracking error"), -1, error);
        if (k < first && x >= 0 && y >= 0)
            put_curve(r, titled(r, owner[k], "measured over target"), x, y);
        report later = *r; /* an estimate needs one second of motion */
        table_window(r->a->arena, 1.0, HUGE_VAL, &later.ran);
        if (delay >= 0 && later.ran.rows > 1)
            put_curve(&later, titled(r, owner[k], "delay"), -1, delay);
    }
    fputs("</div>", r->out);
    report_end(r, true);
}

static void put_balance(const report *r, const ifd_json_node *balance)
{
    double error = ifd_json_number_at(balance, "relative_error", NAN);
    fputs("<table class=numbers><tr><th>at the end<th>energy", r->out);
    for (const ifd_json_node *e = balance->first; e; e = e->next) {
        if (e->kind != IFD_JSON_NUMBER || strcmp(e->key, "scale") == 0 || strcmp(e->key, "relative_error") == 0)
            continue;
        fprintf(r->out, "<tr><td>%s<td>%s", e->key, page_quantity(e->number, "J").text);
    }
    fputs("</table>", r->out);
    if (isfinite(error))
        fprintf(r->out,
                "<p>The numerical energy, which the method adds or removes, is %.2g %% of the largest energy.</p>",
                100.0 * error);
}

void report_energy(const report *r)
{
    panel p = {.title = "energy", .what = "energy"};
    for (int tracking = 0; tracking < 2; tracking++)
        for (int i = 0; i < r->t.columns; i++)
            if (tracking ? r->t.column[i].quantity == IFD_COLUMN_INTERFACE_ENERGY : column_is_energy(&r->t.column[i]))
                panel_add(&p, -1, i);
    double most = 0;
    for (int k = 0; k < p.curves; k++)
        most = fmax(most, table_largest(&r->ran, p.curve[k].y));
    if (!(most > 0))
        return;
    report_begin(r, "Energy", "energy", true);
    if (r->test)
        fputs("<p>Tracking energy is the energy that tracking errors add to the structure: the work of the measured "
              "force on measured minus target motion. A negative value means that energy is removed.</p>",
              r->out);
    put_panel(r, &p, true, false);
    const ifd_json_node *balance = ifd_json_at(r->summary, "energy");
    if (balance && balance->kind == IFD_JSON_OBJECT)
        put_balance(r, balance);
    report_end(r, true);
}
