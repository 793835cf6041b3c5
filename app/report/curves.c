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

double report_largest(const report *r, int column)
{
    return curve_largest(report_column(r, column), r->rows);
}

enum { PANEL = 150, PANEL_OF_MANY = 108, LOOP = 250, LOOP_OF_MANY = 220 }; /* px, for a short page */

static int panel_height(const report *r, bool loop)
{
    bool many = report_count(r, IFD_COLUMN_INTERFACE_TARGET) > 1;
    return loop ? (many ? LOOP_OF_MANY : LOOP) : many ? PANEL_OF_MANY : PANEL;
}

/* Columns over time, in suitable units. */
typedef struct panel_of {
    const char *title;
    int count, column[MOST_CURVES];
    const char *name[MOST_CURVES]; /* NULL: none needed */
    int dashed;                    /* index of the target; 0: none */
    bool loop;                     /* as high as a loop, beside one */
} panel_of;

/* Word on the vertical axis before its unit; the title is more specific. */
static const char *axis_word(const ifd_column *c)
{
    static const struct {
        ifd_quantity from, to;
        const char *word;
    } row[] = {{IFD_COLUMN_DISPLACEMENT, IFD_COLUMN_DISPLACEMENT, "displacement"},
               {IFD_COLUMN_STOREY_DRIFT, IFD_COLUMN_STOREY_DRIFT, "drift"},
               {IFD_COLUMN_ABSOLUTE_ACCELERATION, IFD_COLUMN_ABSOLUTE_ACCELERATION, "acceleration"},
               {IFD_COLUMN_GROUND_X, IFD_COLUMN_GROUND_Z, "acceleration"},
               {IFD_COLUMN_BASE_SHEAR_X, IFD_COLUMN_BASE_SHEAR_Z, "shear"},
               {IFD_COLUMN_INTERFACE_TARGET, IFD_COLUMN_INTERFACE_DEFORMATION, "position"},
               {IFD_COLUMN_INTERFACE_FORCE, IFD_COLUMN_INTERFACE_FORCE, "force"},
               {IFD_COLUMN_INTERFACE_TRACKING, IFD_COLUMN_INTERFACE_TRACKING, "error"},
               {IFD_COLUMN_ACTUATOR_TRACKING, IFD_COLUMN_ACTUATOR_TRACKING, "error"},
               {IFD_COLUMN_INDICATED_DELAY, IFD_COLUMN_INDICATED_DELAY, "delay"},
               {IFD_COLUMN_GAP_DISPLACEMENT, IFD_COLUMN_GAP_DISPLACEMENT, "gap"}};
    for (size_t k = 0; k < sizeof row / sizeof *row; k++)
        if (c->quantity >= row[k].from && c->quantity <= row[k].to)
            return strcmp(c->unit, "rad") == 0 && k == 0 ? "angle" : row[k].word;
    return strcmp(c->unit, "J") == 0 ? "energy" : "";
}

/* The ideal run of the first displacement, dashed, for comparison. */
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
    if (r->rows > 0) { /* panels in one stack have the same axis */
        c.x.from = r->when[0];
        c.x.to = r->when[r->rows - 1];
    }
    return c;
}

void report_add(const report *r, chart *c, const char *name, const double *y, line_kind line)
{
    c->curve[c->curves++] =
        (chart_curve){.name = name, .count = r->rows, .x = r->when, .y = y, .rising = true, .line = line};
}

static void put_panel(const report *r, const panel_of *p, bool open)
{
    chart c = report_history(r, p->title, NULL);
    double size = 0;
    c.height = panel_height(r, p->loop);
    c.open = open;
    for (int k = 0; k < p->count; k++) {
        report_add(r, &c, p->name[k], report_column(r, p->column[k]),
                   p->dashed && k == p->dashed ? LINE_DASHED : LINE_SOLID);
        size = fmax(size, report_largest(r, p->column[k]));
    }
    add_ideal(r, p->column[0], &c);
    const ifd_column *first = &r->t.column[p->column[0]];
    c.y.label = label_print(r->a->arena, axis_word(first), unit_shown(first->unit, size, &c.y.factor));
    chart_put(r->a, r->out, &c);
}

/* Panels in one stack, with the numbers of the time axis at the last one. */
static void put_stack(const report *r, const panel_of *p, int count)
{
    for (int k = 0; k < count; k++)
        put_panel(r, &p[k], k + 1 < count);
}

static void over_time(const report *r, const char *title, int column)
{
    put_panel(r, &(panel_of){.title = title, .count = 1, .column = {column}, .loop = true}, false);
}

static void panel_take(panel_of *p, int column, const char *name)
{
    if (p->count == MOST_CURVES)
        return;
    p->column[p->count] = column;
    p->name[p->count++] = name;
}

static void over_other(const report *r, const char *title, int x, int y, const char *x_what, const char *y_what)
{
    chart c = {.title = title, .curves = 1, .height = panel_height(r, true)};
    c.curve[0] = (chart_curve){.count = r->rows, .x = report_column(r, x), .y = report_column(r, y)};
    c.x.label = label_print(r->a->arena, x_what, unit_shown(r->t.column[x].unit, report_largest(r, x), &c.x.factor));
    c.y.label = label_print(r->a->arena, y_what, unit_shown(r->t.column[y].unit, report_largest(r, y), &c.y.factor));
    chart_put(r->a, r->out, &c);
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
static int choose_panels(const report *r, const panel_row *row, int rows, panel_of *out)
{
    panel_of *p = out;
    for (; rows > 0; row++, rows--) {
        *p = (panel_of){.title = row->title};
        p->count = report_furthest(r, row->quantity, row->unit, p->column, 4);
        if (p->count > 0 && !(report_largest(r, p->column[0]) > 0))
            p->count = 0;
        for (int k = 0; k < p->count; k++)
            p->name[k] = *r->t.column[p->column[k]].owner ? column_short(&r->t.column[p->column[k]]) : NULL;
        p += p->count > 0;
    }
    return (int)(p - out);
}

enum { STRUCTURE = 4 };

/* Motion of the dofs; of elements if no dof is free or recorded. */
static int structure(const report *r, panel_of p[STRUCTURE])
{
    static const panel_row row[] = {{IFD_COLUMN_DISPLACEMENT, "m", "displacement"},
                                    {IFD_COLUMN_DISPLACEMENT, "rad", "angle"},
                                    {IFD_COLUMN_STOREY_DRIFT, "m", "storey drift"}};
    static const panel_row other[STRUCTURE] = {{IFD_COLUMN_ELEMENT_DEFORMATION, "m", "deformation"},
                                               {IFD_COLUMN_ELEMENT_DEFORMATION, "rad", "rotation"},
                                               {IFD_COLUMN_ELEMENT_FORCE, "N", "force"},
                                               {IFD_COLUMN_ELEMENT_FORCE, "N m", "moment"}};
    int n = choose_panels(r, row, sizeof row / sizeof *row, p);
    return n > 0 || r->test ? n : choose_panels(r, other, STRUCTURE, p);
}

/* Additional response, which does not fit on a short page. */
static void response(const report *r)
{
    static const panel_row row[] = {{IFD_COLUMN_ABSOLUTE_ACCELERATION, "m/s2", "absolute acceleration"},
                                    {IFD_COLUMN_BASE_SHEAR_X, "N", "base shear x"},
                                    {IFD_COLUMN_BASE_SHEAR_Y, "N", "base shear y"},
                                    {IFD_COLUMN_BASE_SHEAR_Z, "N", "base shear z"},
                                    {IFD_COLUMN_GROUND_X, "m/s2", "ground acceleration x"},
                                    {IFD_COLUMN_GROUND_Y, "m/s2", "ground acceleration y"},
                                    {IFD_COLUMN_GROUND_Z, "m/s2", "ground acceleration z"}};
    panel_of p[sizeof row / sizeof *row] = {{0}};
    int n = choose_panels(r, row, sizeof row / sizeof *row, p);
    if (n == 0)
        return;
    report_begin(r, "Accelerations, base shear and ground", "response", true);
    put_stack(r, p, n);
    report_end(r, true);
}

/* Whether a specimen has moved or was loaded. */
static bool is_used(const report *r, const char *owner)
{
    int measured = report_find(r, owner, IFD_COLUMN_INTERFACE_DEFORMATION),
        force = report_find(r, owner, IFD_COLUMN_INTERFACE_FORCE);
    return measured >= 0 && force >= 0 && fmax(report_largest(r, measured), report_largest(r, force)) > 0;
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
        int target = report_find(r, owner[k], IFD_COLUMN_INTERFACE_TARGET),
            measured = report_find(r, owner[k], IFD_COLUMN_INTERFACE_DEFORMATION),
            force = report_find(r, owner[k], IFD_COLUMN_INTERFACE_FORCE);
        const char *moved = ifd_arena_print(r->a->arena, "%s, position", owner[k]);
        const char *title = ifd_arena_print(r->a->arena, "%s, force", owner[k]);
        panel_of p[2] = {{.title = moved ? moved : owner[k],
                          .count = 2,
                          .column = {measured, target},
                          .name = {"measured", "target"},
                          .dashed = 1},
                         {.title = title ? title : owner[k], .count = 1, .column = {force}}};
        put_stack(r, p, 2);
    }
}

typedef struct loop_row {
    ifd_quantity x, y;
    const char *across, *up;
} loop_row;

static int loops_of(const report *r, const loop_row *l, int room)
{
    const char *owner[64];
    int n = owners(r, l->x, owner, 64), drawn = 0;
    for (int k = 0; k < n && drawn < room; k++) {
        int x = report_find(r, owner[k], l->x), y = report_find(r, owner[k], l->y);
        if (y < 0 || fabs(curve_area(report_column(r, x), report_column(r, y), r->rows)) <=
                         1e-3 * report_largest(r, x) * report_largest(r, y))
            continue;
        over_other(r, owner[k], x, y, l->across, l->up);
        drawn++;
    }
    return drawn;
}

static void joints(const report *r)
{
    panel_of p = {.title = "largest gap of all joints"};
    for (int i = 0; i < r->t.columns; i++)
        if (r->t.column[i].quantity == IFD_COLUMN_GAP_DISPLACEMENT)
            panel_take(&p, i, r->t.column[i].name);
    if (p.count == 0 || (r->c && r->c->run.couple && r->c->run.couple->joints == 0))
        return;
    if (p.count == 1)
        p.name[0] = NULL;
    report_begin(r, "Joint gaps", "joints", true);
    fputs("<p>Gap between coupled substructures at their joints.</p>", r->out);
    put_panel(r, &p, false);
    report_end(r, true);
}

/* Specimens and actuators, then what is computed. */
enum { TESTED = 2, LOOPS = 4 };
static const loop_row loop[LOOPS] = {
    {IFD_COLUMN_INTERFACE_DEFORMATION, IFD_COLUMN_INTERFACE_FORCE, "deformation", "force"},
    {IFD_COLUMN_ACTUATOR_POSITION, IFD_COLUMN_ACTUATOR_FORCE, "position", "force"},
    {IFD_COLUMN_ELEMENT_DEFORMATION, IFD_COLUMN_ELEMENT_FORCE, "deformation", "force"},
    {IFD_COLUMN_SECTION_CURVATURE, IFD_COLUMN_SECTION_MOMENT, "curvature", "moment"}};

static bool has_loops(const report *r, int from, int to)
{
    const char *any[1];
    for (int k = from; k < to; k++)
        if (owners(r, loop[k].x, any, 1) > 0)
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
        drawn += loops_of(r, &loop[k], MOST_LOOPS - drawn);
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
        drawn += loops_of(r, &loop[k], MOST_LOOPS - drawn);
    for (int k = 0; k < n && n == 1; k++) {
        int error = report_find(r, owner[k], IFD_COLUMN_INTERFACE_TRACKING);
        const char *title = ifd_arena_print(r->a->arena, "%s, tracking error (measured minus target)", owner[k]);
        if (report_largest(r, error) > 0)
            over_time(r, title ? title : owner[k], error);
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
    panel_of p[STRUCTURE] = {{0}};
    int n = structure(r, p);
    if (n > 0 || used(r, any) > 0) {
        report_begin(r, "Time histories", "histories", false);
        if (r->held)
            fputs("<p>The test was on hold; curves are over simulated time, which stops during a hold.</p>", r->out);
        put_stack(r, p, n);
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
        const char *title = ifd_arena_print(r->a->arena, "%s, tracking error", owner[k]);
        const char *against = ifd_arena_print(r->a->arena, "%s, measured over target", owner[k]);
        if (error >= 0)
            over_time(r, title ? title : owner[k], error);
        if (k < first && x >= 0 && y >= 0)
            over_other(r, against ? against : owner[k], x, y, "target", "measured");
        title = ifd_arena_print(r->a->arena, "%s, delay", owner[k]);
        report later = *r; /* an estimate needs one second of motion */
        while (later.rows > 1 && later.when[0] < 1.0) {
            later.first++;
            later.when++;
            later.rows--;
        }
        if (delay >= 0 && later.rows > 1)
            over_time(&later, title ? title : owner[k], delay);
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
    panel_of p = {.title = "energy", .loop = true};
    for (int i = 0; i < r->t.columns; i++)
        if (column_is_energy(&r->t.column[i]))
            panel_take(&p, i, column_short(&r->t.column[i]));
    for (int i = 0; i < r->t.columns; i++)
        if (r->t.column[i].quantity == IFD_COLUMN_INTERFACE_ENERGY)
            panel_take(&p, i, r->t.column[i].name);
    double most = 0;
    for (int k = 0; k < p.count; k++)
        most = fmax(most, report_largest(r, p.column[k]));
    if (!(most > 0))
        return;
    report_begin(r, "Energy", "energy", true);
    if (r->test)
        fputs("<p>Tracking energy is the energy that tracking errors add to the structure: the work of the measured "
              "force on measured minus target motion. A negative value means that energy is removed.</p>",
              r->out);
    put_panel(r, &p, false);
    const ifd_json_node *balance = ifd_json_at(r->summary, "energy");
    if (balance && balance->kind == IFD_JSON_OBJECT)
        put_balance(r, balance);
    report_end(r, true);
}
