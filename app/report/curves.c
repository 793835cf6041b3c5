/* SPDX-License-Identifier: MIT */
/* Curves of a report: what moved, what resisted, how well it was followed, where the energy went. */
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
    int channel = report_find(r, owner, IFD_COLUMN_INTERFACE_MEASURED);
    return channel >= 0 && strcmp(r->t.column[channel].unit, "rad") == 0;
}

double report_largest(const report *r, int channel)
{
    return curve_largest(report_column(r, channel), r->rows);
}

/* A chart of columns over time, in units that read well. */
static void over_time(const report *r, const char *title, int count, const int *channel, const char *const *name)
{
    chart c = {.title = title, .x_label = "time [s]"};
    double size = 0;
    for (int k = 0; k < count && k < CHART_CURVES; k++) {
        c.curve[c.curves++] = (chart_curve){
            .name = name[k], .count = r->rows, .x = r->when, .y = report_column(r, channel[k]), .rising = true};
        size = fmax(size, report_largest(r, channel[k]));
    }
    c.y_label = unit_shown(r->t.column[channel[0]].unit, size, &c.y_factor);
    chart_put(r->out, &c);
}

static void over_other(const report *r, const char *title, int x, int y, const char *x_what, const char *y_what)
{
    chart c = {.title = title, .curves = 1};
    c.curve[0] = (chart_curve){.count = r->rows, .x = report_column(r, x), .y = report_column(r, y)};
    c.x_label = label_print(r->a->arena, x_what, unit_shown(r->t.column[x].unit, report_largest(r, x), &c.x_factor));
    c.y_label = label_print(r->a->arena, y_what, unit_shown(r->t.column[y].unit, report_largest(r, y), &c.y_factor));
    chart_put(r->out, &c);
}

/* The four channels of a group and unit that went furthest. */
static void largest_of(const report *r, const char *group, const char *unit, const char *title)
{
    int chosen[4], n = 0;
    for (int i = 0; i < r->t.columns; i++) {
        const ifd_column *c = &r->t.column[i];
        if (strcmp(c->group, group) != 0 || strcmp(c->unit, unit) != 0)
            continue;
        int at = n;
        while (at > 0 && report_largest(r, chosen[at - 1]) < report_largest(r, i))
            at--;
        if (at == 4)
            continue;
        n = n < 4 ? n + 1 : 4;
        memmove(chosen + at + 1, chosen + at, sizeof *chosen * (size_t)(n - 1 - at));
        chosen[at] = i;
    }
    const char *name[4];
    for (int k = 0; k < n; k++)
        name[k] = column_short(&r->t.column[chosen[k]]);
    if (n)
        over_time(r, title, n, chosen, name);
}

/* Owners of a quantity, in order; how many. */
static int owners(const report *r, ifd_quantity quantity, const char **out, int most)
{
    int n = 0;
    for (int i = 0; i < r->t.columns && n < most; i++)
        if (r->t.column[i].quantity == quantity && r->t.column[i].number == 0)
            out[n++] = r->t.column[i].owner;
    return n;
}

static void specimens(const report *r)
{
    const char *owner[MOST_SPECIMENS];
    int n = owners(r, IFD_COLUMN_INTERFACE_TARGET, owner, MOST_SPECIMENS);
    for (int k = 0; k < n; k++) {
        int both[] = {report_find(r, owner[k], IFD_COLUMN_INTERFACE_TARGET),
                      report_find(r, owner[k], IFD_COLUMN_INTERFACE_MEASURED)};
        int force = report_find(r, owner[k], IFD_COLUMN_INTERFACE_FORCE);
        if (both[1] < 0 || force < 0)
            continue;
        const char *moved = ifd_arena_print(r->a->arena, "%s, position", owner[k]);
        over_time(r, moved ? moved : owner[k], 2, both, (const char *const[]){"wanted", "measured"});
        const char *title = ifd_arena_print(r->a->arena, "%s, measured force", owner[k]);
        over_time(r, title ? title : owner[k], 1, &force, (const char *const[]){NULL});
    }
}

static int loops_of(const report *r, ifd_quantity deformation, ifd_quantity force, const char *label, int room)
{
    const char *owner[64];
    int n = owners(r, deformation, owner, 64), drawn = 0;
    for (int k = 0; k < n && drawn < room; k++) {
        int x = report_find(r, owner[k], deformation), y = report_find(r, owner[k], force);
        if (y < 0 || fabs(curve_work(report_column(r, x), report_column(r, y), r->rows)) <=
                         1e-3 * report_largest(r, x) * report_largest(r, y))
            continue;
        over_other(r, owner[k], x, y, label, "force");
        drawn++;
    }
    return drawn;
}

static void joints(const report *r)
{
    int gap[CHART_CURVES], n = 0;
    const char *name[CHART_CURVES];
    for (int i = 0; i < r->t.columns && n < CHART_CURVES; i++)
        if (r->t.column[i].quantity == IFD_COLUMN_GAP_DISPLACEMENT) {
            name[n] = r->t.column[i].name;
            gap[n++] = i;
        }
    if (n == 0 || (r->c && r->c->run.couple && r->c->run.couple->joints == 0))
        return;
    if (n == 1)
        name[0] = NULL;
    report_heading(r, "Joint gaps", "joints");
    fputs("<p>How far parts that are joined moved apart.</p><div class=grid>", r->out);
    over_time(r, "largest gap of all joints", n, gap, name);
    fputs("</div>", r->out);
    report_end_section(r);
}

void report_curves(const report *r)
{
    report_heading(r, "Time histories", "histories");
    if (r->held)
        fputs("<p>The test was held; curves are over simulated time, which stands still meanwhile.</p>", r->out);
    fputs("<div class=grid>", r->out);
    largest_of(r, "displacement", "m", "displacement");
    largest_of(r, "displacement", "rad", "angle");
    largest_of(r, "total-acceleration", "m/s2", "total acceleration");
    specimens(r);
    fputs("</div>", r->out);
    report_end_section(r);
    const char *any[1];
    if (owners(r, IFD_COLUMN_ELEMENT_DEFORMATION, any, 1) || owners(r, IFD_COLUMN_INTERFACE_MEASURED, any, 1)) {
        report_heading(r, "Force over deformation", "loops");
        fputs("<div class=grid>", r->out);
        static const struct {
            ifd_quantity deformation, force;
            const char *label;
        } loop[] = {{IFD_COLUMN_INTERFACE_MEASURED, IFD_COLUMN_INTERFACE_FORCE, "measured"},
                    {IFD_COLUMN_ACTUATOR_MEASURED, IFD_COLUMN_ACTUATOR_FORCE, "measured"},
                    {IFD_COLUMN_ELEMENT_DEFORMATION, IFD_COLUMN_ELEMENT_FORCE, "deformation"}};
        int drawn = 0;
        for (int k = 0; k < 3; k++)
            drawn += loops_of(r, loop[k].deformation, loop[k].force, loop[k].label, MOST_LOOPS - drawn);
        fputs("</div>", r->out);
        if (drawn == 0)
            fputs("<p>No element dissipated enough for a loop to be seen.</p>", r->out);
        report_end_section(r);
    }
    joints(r);
}

void report_tracking(const report *r)
{
    const char *owner[MOST_SPECIMENS];
    int n = owners(r, IFD_COLUMN_INTERFACE_TRACKING, owner, MOST_SPECIMENS), interfaces = n;
    n += owners(r, IFD_COLUMN_ACTUATOR_TRACKING, owner + n, MOST_SPECIMENS - n);
    if (n == 0)
        return;
    report_heading(r, "Tracking and delay", "tracking");
    fputs("<p>Measured minus wanted position; the straight line that measured over wanted should be; and what the "
          "test itself "
          "estimated while it ran.</p><div class=grid>",
          r->out);
    for (int k = 0; k < n; k++) {
        ifd_quantity tracking = k < interfaces ? IFD_COLUMN_INTERFACE_TRACKING : IFD_COLUMN_ACTUATOR_TRACKING;
        int error = report_find(r, owner[k], tracking), delay = report_find(r, owner[k], IFD_COLUMN_INDICATED_DELAY);
        int x = report_find(r, owner[k], IFD_COLUMN_INTERFACE_TARGET),
            y = report_find(r, owner[k], IFD_COLUMN_INTERFACE_MEASURED);
        const char *title = ifd_arena_print(r->a->arena, "%s, tracking error", owner[k]);
        const char *against = ifd_arena_print(r->a->arena, "%s, measured over wanted", owner[k]);
        over_time(r, title ? title : owner[k], 1, &error, (const char *const[]){NULL});
        if (x >= 0 && y >= 0)
            over_other(r, against ? against : owner[k], x, y, "wanted", "measured");
        title = ifd_arena_print(r->a->arena, "%s, delay", owner[k]);
        report later = *r; /* an estimate needs a second of motion to mean anything */
        while (later.rows > 1 && later.when[0] < 1.0) {
            later.first++;
            later.when++;
            later.rows--;
        }
        if (delay >= 0 && later.rows > 1)
            over_time(&later, title ? title : owner[k], 1, &delay, (const char *const[]){NULL});
    }
    fputs("</div>", r->out);
    report_end_section(r);
}

static void put_balance(const report *r, const ifd_json_node *balance)
{
    double error = ifd_json_number_at(balance, "relative_error", NAN);
    fputs("<table><tr><th>at the end<th>energy", r->out);
    for (const ifd_json_node *e = balance->first; e; e = e->next) {
        if (e->kind != IFD_JSON_NUMBER || strcmp(e->key, "scale") == 0 || strcmp(e->key, "relative_error") == 0)
            continue;
        fprintf(r->out, "<tr><td>%s<td>%s", e->key, quantity(e->number, "J").text);
    }
    fputs("</table>", r->out);
    if (isfinite(error))
        fprintf(r->out,
                "<p>What the method itself put in or took out (numerical) is %.2g %% of the energy in play.</p>",
                100.0 * error);
}

void report_energy(const report *r)
{
    int channel[CHART_CURVES], n = 0;
    const char *name[CHART_CURVES];
    for (int i = 0; i < r->t.columns && n < CHART_CURVES; i++)
        if (column_is_energy(&r->t.column[i])) {
            channel[n] = i;
            name[n++] = column_short(&r->t.column[i]);
        }
    for (int i = 0; i < r->t.columns && n < CHART_CURVES; i++)
        if (r->t.column[i].quantity == IFD_COLUMN_INTERFACE_ENERGY) {
            channel[n] = i;
            name[n++] = r->t.column[i].name;
        }
    if (n == 0)
        return;
    report_heading(r, "Energy", "energy");
    if (r->test)
        fputs(
            "<p>Tracking energy is what bad tracking puts into the structure: the measured force over measured minus "
            "wanted motion. Negative: it takes energy out.</p>",
            r->out);
    fputs("<div class=grid>", r->out);
    over_time(r, "energy", n, channel, name);
    fputs("</div>", r->out);
    const ifd_json_node *balance = ifd_json_at(r->summary, "energy");
    if (balance && balance->kind == IFD_JSON_OBJECT) {
        put_balance(r, balance);
    }
    report_end_section(r);
}
