/* SPDX-License-Identifier: MIT */
/* Panels of a picture: which curves, their labels, one call of gnuplot. */
#include "figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int table_find(const ifd_table *t, const char *name)
{
    for (int i = 0; i < t->columns; i++)
        if (strcmp(t->column[i].name, name) == 0)
            return i;
    return -1;
}

double table_largest(const ifd_table *t, int column)
{
    const double *v = t->value[column];
    double most = 0;
    for (long r = 0; r < t->rows; r++)
        most = isfinite(v[r]) ? fmax(most, fabs(v[r])) : most;
    return most;
}

double table_loop(const ifd_table *t, int motion, int force)
{
    const double *u = t->value[motion], *f = t->value[force];
    double area = 0;
    for (long r = 1; r < t->rows; r++)
        area += 0.5 * (f[r] + f[r - 1]) * (u[r] - u[r - 1]);
    area = t->rows > 0 ? fabs(area - 0.5 * (f[t->rows - 1] + f[0]) * (u[t->rows - 1] - u[0])) : 0;
    return area > 1e-3 * table_largest(t, motion) * table_largest(t, force) ? area : 0;
}

const char *unit_shown(const char *unit, double size, double *factor)
{
    static const struct {
        const char *unit, *shown;
        double from, below, factor; /* for sizes in this range */
    } scales[] = {{"m", "mm", 1e-5, 1, 1e3},
                  {"m", "\xc2\xb5m", 1e-300, 1e-5, 1e6},
                  {"m", "mm", 0, 1e-300, 1e3},
                  {"s", "ms", 1e-4, 1, 1e3},
                  {"s", "\xc2\xb5s", 1e-300, 1e-4, 1e6},
                  {"s", "ms", 0, 1e-300, 1e3},
                  {"N", "mN", 1e-300, 0.1, 1e3},
                  {"J", "mJ", 1e-4, 0.1, 1e3},
                  {"J", "\xc2\xb5J", 1e-300, 1e-4, 1e6},
                  {"m/s", "mm/s", 1e-300, 0.01, 1e3},
                  {"N", "kN", 1e3, 1e6, 1e-3},
                  {"N", "MN", 1e6, HUGE_VAL, 1e-6},
                  {"J", "kJ", 1e3, 1e6, 1e-3},
                  {"J", "MJ", 1e6, HUGE_VAL, 1e-6},
                  {"N m", "kN m", 1e3, 1e6, 1e-3},
                  {"N m", "MN m", 1e6, HUGE_VAL, 1e-6},
                  {"rad", "deg", 0, HUGE_VAL, 180.0 / 3.14159265358979323846}};
    *factor = 1;
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++)
        if (strcmp(unit, scales[i].unit) == 0 && size >= scales[i].from && size < scales[i].below) {
            *factor = scales[i].factor;
            return scales[i].shown;
        }
    return unit;
}

const char *label_print(ifd_arena *arena, const char *what, const char *unit)
{
    const char *text = *unit ? ifd_arena_print(arena, "%s [%s]", what, unit) : what;
    return text ? text : what;
}

const char *column_short(const ifd_column *c)
{
    size_t g = strlen(c->group);
    if (c->quantity >= IFD_COLUMN_DISPLACEMENT && c->quantity <= IFD_COLUMN_ABSOLUTE_ACCELERATION)
        return c->owner;
    return strncmp(c->name, c->group, g) == 0 && c->name[g] == ' ' ? c->name + g + 1 : c->name;
}

bool column_is_energy(const ifd_column *c)
{
    return c->quantity >= IFD_COLUMN_ENERGY_INPUT && c->quantity <= IFD_COLUMN_ENERGY_NUMERICAL;
}

void panel_settle(ifd_arena *arena, const ifd_table *t, const char *what, const char *unit, panel *p)
{
    double size = 0;
    for (int k = 0; k < p->curves; k++)
        size = fmax(size, table_largest(&t[p->curve[k].of], p->curve[k].y));
    p->x.label = "Time [s]";
    p->x.factor = 1;
    p->y.label = label_print(arena, what, unit_shown(unit, size, &p->y.factor));
}

static panel *add_panel(figure *f)
{
    return f->panels < MOST_PANELS ? &f->panel[f->panels++] : NULL;
}

void panel_add(panel *p, int x, int y)
{
    if (p->curves < MOST_CURVES)
        p->curve[p->curves++] = (curve){.x = x, .y = y};
}

/* Whether all other results also have the column. */
static bool in_all(const overlay *o, int column)
{
    for (int k = 1; k < o->results; k++)
        if (column_match(&o->t[0].column[column], &o->t[k]) < 0)
            return false;
    return true;
}

int columns_furthest(const overlay *o, ifd_quantity quantity, const char *unit, int most, int *chosen)
{
    const ifd_table *t = &o->t[0];
    double size[MOST_CURVES];
    int n = 0;
    for (int i = 0; i < t->columns; i++) {
        if (t->column[i].quantity != quantity || (unit && strcmp(t->column[i].unit, unit) != 0) || !in_all(o, i))
            continue;
        double each = table_largest(t, i);
        int at = n;
        while (at > 0 && size[at - 1] < each && strcmp(t->column[chosen[at - 1]].unit, t->column[i].unit) == 0)
            at--;
        if (at == most)
            continue;
        n = n < most ? n + 1 : most;
        memmove(chosen + at + 1, chosen + at, sizeof *chosen * (size_t)(n - 1 - at));
        memmove(size + at + 1, size + at, sizeof *size * (size_t)(n - 1 - at));
        chosen[at] = i;
        size[at] = each;
    }
    return n;
}

static int in_order(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

panel *figure_largest(const overlay *o, ifd_quantity quantity, const char *unit, int most, figure *f)
{
    int chosen[MOST_CURVES], n = columns_furthest(o, quantity, unit, most, chosen);
    panel *p = n && table_largest(&o->t[0], chosen[0]) > 0 ? add_panel(f) : NULL;
    qsort(chosen, (size_t)n, sizeof *chosen, in_order);
    for (int k = 0; k < n && p; k++)
        panel_add(p, -1, chosen[k]);
    return p;
}

/* The first columns, if none of the usual ones is recorded. */
static void add_first(const ifd_table *t, int most, figure *f)
{
    panel *p = t->columns ? add_panel(f) : NULL;
    for (int i = 0; i < t->columns && p && p->curves < most; i++)
        if (strcmp(t->column[i].group, t->column[0].group) == 0 && strcmp(t->column[i].unit, t->column[0].unit) == 0)
            panel_add(p, -1, i);
}

static void add_energies(const ifd_table *t, int most, figure *f)
{
    panel *p = NULL;
    for (int i = 0; i < t->columns; i++) {
        if (!column_is_energy(&t->column[i]) || (p && p->curves == most))
            continue;
        if (!p && !(p = add_panel(f)))
            return;
        p->what = "energy";
        panel_add(p, -1, i);
    }
}

int table_force_of(const ifd_table *t, int motion)
{
    const ifd_column *c = &t->column[motion];
    ifd_quantity force = c->quantity == IFD_COLUMN_ELEMENT_DEFORMATION     ? IFD_COLUMN_ELEMENT_FORCE
                         : c->quantity == IFD_COLUMN_INTERFACE_DEFORMATION ? IFD_COLUMN_INTERFACE_FORCE
                         : c->quantity == IFD_COLUMN_ACTUATOR_POSITION     ? IFD_COLUMN_ACTUATOR_FORCE
                         : c->quantity == IFD_COLUMN_SECTION_CURVATURE     ? IFD_COLUMN_SECTION_MOMENT
                                                                           : IFD_COLUMN_OUTPUT;
    return force == IFD_COLUMN_OUTPUT || c->number ? -1 : ifd_column_find(t->column, t->columns, c->owner, force);
}

/* Force over deformation of specimens and elements with one coordinate. The area of a loop decides whether it is
 * shown, a specimen before elements. */
static void add_loop(const overlay *o, figure *f)
{
    const ifd_table *t = &o->t[0];
    int best = -1, best_force = -1;
    double best_area = 0;
    bool tested = false;
    for (int i = 0; i < t->columns; i++) {
        int force = t->column[i].quantity == IFD_COLUMN_SECTION_CURVATURE ? -1 : table_force_of(t, i);
        bool specimen = t->column[i].quantity != IFD_COLUMN_ELEMENT_DEFORMATION;
        double area = force < 0 || !in_all(o, i) || !in_all(o, force) ? 0 : table_loop(t, i, force);
        if (area > 0 && (specimen == tested ? area > best_area : specimen)) {
            tested = specimen;
            best = i;
            best_force = force;
            best_area = area;
        }
    }
    panel *p = best >= 0 ? add_panel(f) : NULL;
    if (p)
        panel_add(p, best, best_force);
}

/* Targets and measured motions of the specimens. */
static void add_interfaces(const overlay *o, const char *unit, int most, figure *f)
{
    const ifd_table *t = &o->t[0];
    panel *p = figure_largest(o, IFD_COLUMN_INTERFACE_DEFORMATION, unit, most > 1 ? most / 2 : 1, f);
    for (int k = 0, n = p ? p->curves : 0; k < n && most > 1; k++) {
        const char *owner = t->column[p->curve[k].y].owner;
        int target = ifd_column_find(t->column, t->columns, owner, IFD_COLUMN_INTERFACE_TARGET);
        if (target >= 0)
            panel_add(p, -1, target);
    }
    if (p)
        p->what = strcmp(unit, "rad") == 0 ? "interface rotation" : "interface displacement";
}

/* Tracking errors, unless negligible relative to the motion. */
static void add_tracking(const overlay *o, int most, figure *f)
{
    const double rounding = 1e-9;
    int moved[1], n = columns_furthest(o, IFD_COLUMN_INTERFACE_DEFORMATION, "m", 1, moved);
    double motion = n ? table_largest(&o->t[0], moved[0]) : 0;
    n = columns_furthest(o, IFD_COLUMN_INTERFACE_TRACKING, "m", 1, moved);
    if (n && table_largest(&o->t[0], moved[0]) > rounding * motion)
        figure_largest(o, IFD_COLUMN_INTERFACE_TRACKING, "m", most, f);
}

void figure_choose(const overlay *o, figure *out)
{
    const ifd_table *t = &o->t[0];
    int most = o->results > 1 ? 1 : 4; /* curves per panel: one column for several results */
    memset(out, 0, sizeof *out);
    figure_largest(o, IFD_COLUMN_DISPLACEMENT, "m", most, out);
    figure_largest(o, IFD_COLUMN_DISPLACEMENT, "rad", most, out);
    if (t->test) {
        add_interfaces(o, "m", most, out);
        add_interfaces(o, "rad", most, out);
        panel *force = figure_largest(o, IFD_COLUMN_INTERFACE_FORCE, "N", most, out);
        if (force)
            force->what = "interface force";
        if (o->results == 1)
            add_tracking(o, most, out);
    } else
        figure_largest(o, IFD_COLUMN_INTERFACE_FORCE, "N", most, out);
    add_loop(o, out);
    figure_largest(o, IFD_COLUMN_STOREY_DRIFT, "m", most, out);
    figure_largest(o, IFD_COLUMN_ABSOLUTE_ACCELERATION, "m/s2", most, out);
    if (o->results == 1)
        add_energies(t, MOST_CURVES, out);
    if (out->panels == 0) /* none of the usual columns is recorded */
        add_first(t, most, out);
}

void figure_thin(const ifd_table *t, figure *f)
{
    panel *p = &f->panel[0];
    int best = 0;
    for (int k = 1; k < p->curves; k++)
        best = table_largest(t, p->curve[k].y) > table_largest(t, p->curve[best].y) ? k : best;
    p->curve[0] = p->curve[best];
    p->curves = 1;
    f->panels = 1;
}

void table_window(ifd_arena *arena, double from, double to, ifd_table *t)
{
    long first = 0, end = t->rows;
    while (first < end && t->time[first] < from)
        first++;
    while (end > first && t->time[end - 1] > to)
        end--;
    double **column = ifd_arena_array(arena, (size_t)t->columns, sizeof *column);
    if (!column)
        return;
    for (int i = 0; i < t->columns; i++)
        column[i] = t->value[i] + first;
    t->value = column;
    t->time += first;
    t->wall_time = t->wall_time ? t->wall_time + first : NULL;
    t->rows = end - first;
}

chart panel_chart(const panel *p, const ifd_table *t)
{
    chart out = {.title = p->title, .x = p->x, .y = p->y, .curves = p->curves};
    for (int i = 0; i < p->curves; i++) {
        const curve *c = &p->curve[i];
        const ifd_table *of = &t[c->of];
        out.curve[i] = (chart_curve){.name = *c->name ? c->name : NULL,
                                     .count = of->rows,
                                     .x = c->x < 0 ? of->time : of->value[c->x],
                                     .y = of->value[c->y],
                                     .rising = c->x < 0,
                                     .line = c->line,
                                     .colour = c->colour,
                                     .width = c->width};
    }
    return out;
}

void figure_charts(const figure *f, const ifd_table *t, chart *out)
{
    for (int k = 0; k < f->panels; k++)
        out[k] = panel_chart(&f->panel[k], t);
}

bool figure_draw(app *a, const figure *f, const ifd_table *t, const canvas *to)
{
    chart c[MOST_PANELS];
    figure_charts(f, t, c);
    return charts_draw(a, f->title, f->panels, c, to);
}

bool figure_save(app *a, const figure *f, const ifd_table *t, const char *file)
{
    chart c[MOST_PANELS];
    figure_charts(f, t, c);
    if (!charts_save(a, f->title, f->panels, c, file))
        return false;
    app_say(a, "picture", "%s", file);
    return true;
}

/* The difference of two curves in per cent, and of the steps of two results. */

/* Relative to the time reached: two clocks with the same steps differ in the last digits. */
static const double TIME_DIGITS = 1e-12;

double table_at(const ifd_table *t, int column, double time, long *hint)
{
    long i = *hint;
    while (i + 2 < t->rows && t->time[i + 1] <= time)
        i++;
    *hint = i;
    if (t->rows == 1)
        return t->value[column][0];
    double s = (time - t->time[i]) / (t->time[i + 1] - t->time[i]);
    const double *v = t->value[column];
    return s == 0.0 ? v[i] : s == 1.0 ? v[i + 1] : v[i] + s * (v[i + 1] - v[i]);
}

static bool is_within(const ifd_table *t, double time)
{
    return time >= t->time[0] && time <= t->time[t->rows - 1] * (1.0 + TIME_DIGITS);
}

difference difference_measure(const ifd_table *a, int ca, const ifd_table *b, int cb)
{
    difference d = {.name = a->column[ca].name, .unit = a->column[ca].unit};
    double sum = 0, scale = 0;
    long hint = 0;
    for (long i = 0; i < a->rows; i++) {
        if (!is_within(b, a->time[i]))
            continue;
        double x = a->value[ca][i], off = table_at(b, cb, a->time[i], &hint) - x;
        sum += off * off;
        scale += x * x;
        d.size = fmax(d.size, fabs(x));
        d.rows++;
        if (!isnan(d.most) && !(fabs(off) <= d.most)) { /* a difference that is not finite remains the largest */
            d.most = fabs(off);
            d.at = a->time[i];
        }
    }
    double rows = d.rows > 0 ? (double)d.rows : 1.0;
    d.rms_size = sqrt(scale / rows);
    /* Without a reference value: the difference itself. */
    d.rms = scale > 0 ? sqrt(sum / scale) : sqrt(sum / rows);
    d.peak = d.size > 0 ? d.most / d.size : d.most;
    return d;
}

sampling difference_sampling(const ifd_table *a, const ifd_table *b)
{
    sampling s = {0};
    long k = 0;
    for (long i = 0; i < a->rows; i++) {
        double time = a->time[i];
        if (!is_within(b, time))
            continue;
        while (k + 1 < b->rows && b->time[k + 1] <= time)
            k++;
        double near = fmin(fabs(b->time[k] - time), k + 1 < b->rows ? fabs(b->time[k + 1] - time) : (double)INFINITY);
        s.between = s.between || near > TIME_DIGITS * fabs(time);
        s.from = s.rows++ ? s.from : time;
        s.to = time;
    }
    return s;
}
