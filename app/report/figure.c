/* SPDX-License-Identifier: MIT */
#include "figure.h"

#include <math.h>
#include <string.h>

int table_find(const ifd_table *t, const char *name)
{
    for (int i = 0; i < t->columns; i++)
        if (strcmp(t->column[i].name, name) == 0)
            return i;
    return -1;
}

double curve_largest(const double *v, long rows)
{
    double most = 0;
    for (long r = 0; r < rows; r++)
        most = isfinite(v[r]) ? fmax(most, fabs(v[r])) : most;
    return most;
}

double table_largest(const ifd_table *t, int channel)
{
    return curve_largest(t->value[channel], t->rows);
}

double curve_work(const double *motion, const double *force, long rows)
{
    double work = 0;
    for (long r = 1; r < rows; r++)
        work += 0.5 * (force[r] + force[r - 1]) * (motion[r] - motion[r - 1]);
    return work;
}

const char *unit_shown(const char *unit, double size, double *factor)
{
    static const struct {
        const char *unit, *shown;
        double from, below, factor; /* for sizes from here to below there */
    } scales[] = {{"m", "mm", 0, 1, 1e3},
                  {"s", "ms", 0, 1, 1e3},
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
    if (c->quantity >= IFD_COLUMN_DISPLACEMENT && c->quantity <= IFD_COLUMN_TOTAL_ACCELERATION)
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
        size = fmax(size, table_largest(t, p->curve[k].y));
    p->x_label = "time [s]";
    p->x_factor = 1;
    p->y_label = label_print(arena, what, unit_shown(unit, size, &p->y_factor));
}

static panel *panel_add(figure *f)
{
    return f->panels < MOST_PANELS ? &f->panel[f->panels++] : NULL;
}

/* The channels of a group and unit with the largest values, at most four, in the order of the result. */
static void add_largest(ifd_arena *arena, const ifd_table *t, const char *group, const char *unit, figure *f)
{
    enum { MOST = 4 };
    int chosen[MOST], n = 0;
    double size[MOST];
    for (int i = 0; i < t->columns; i++) {
        if (strcmp(t->column[i].group, group) != 0 || (unit && strcmp(t->column[i].unit, unit) != 0))
            continue;
        double each = table_largest(t, i);
        if (n == MOST) {
            int least = 0;
            for (int k = 1; k < MOST; k++)
                least = size[k] < size[least] ? k : least;
            if (each <= size[least])
                continue;
            for (int k = least; k + 1 < MOST; k++) {
                chosen[k] = chosen[k + 1];
                size[k] = size[k + 1];
            }
            n--;
        }
        chosen[n] = i;
        size[n++] = each;
    }
    panel *p = n ? panel_add(f) : NULL;
    if (!p)
        return;
    for (int k = 0; k < n; k++)
        p->curve[p->curves++] = (curve){-1, chosen[k], column_short(&t->column[chosen[k]])};
    panel_settle(arena, t, unit && strcmp(unit, "rad") == 0 ? "angle" : group, t->column[chosen[0]].unit, p);
}

static void add_energies(ifd_arena *arena, const ifd_table *t, figure *f)
{
    panel *p = NULL;
    for (int i = 0; i < t->columns; i++) {
        if (!column_is_energy(&t->column[i]) || (p && p->curves == MOST_CURVES))
            continue;
        if (!p && !(p = panel_add(f)))
            return;
        p->curve[p->curves++] = (curve){-1, i, column_short(&t->column[i])};
    }
    if (p)
        panel_settle(arena, t, "energy", "J", p);
}

/* Force over deformation of the elements that have one coordinate: the area of a loop tells whether it is worth
 * seeing. */
static int partner(const ifd_table *t, const ifd_column *c)
{
    ifd_quantity force = c->quantity == IFD_COLUMN_ELEMENT_DEFORMATION  ? IFD_COLUMN_ELEMENT_FORCE
                         : c->quantity == IFD_COLUMN_INTERFACE_MEASURED ? IFD_COLUMN_INTERFACE_FORCE
                         : c->quantity == IFD_COLUMN_ACTUATOR_MEASURED  ? IFD_COLUMN_ACTUATOR_FORCE
                                                                        : IFD_COLUMN_OUTPUT;
    return force == IFD_COLUMN_OUTPUT || c->number ? -1 : ifd_column_find(t->column, t->columns, c->owner, force);
}

static void add_loop(ifd_arena *arena, const ifd_table *t, figure *f)
{
    int best = -1, best_force = -1;
    double best_area = 0;
    for (int i = 0; i < t->columns; i++) {
        int force = partner(t, &t->column[i]);
        double area = force < 0 ? 0 : fabs(curve_work(t->value[i], t->value[force], t->rows));
        if (area > best_area && area > 1e-3 * table_largest(t, i) * table_largest(t, force)) {
            best = i;
            best_force = force;
            best_area = area;
        }
    }
    panel *p = best >= 0 ? panel_add(f) : NULL;
    if (!p)
        return;
    p->curves = 1;
    p->curve[0] = (curve){best, best_force, t->column[best].owner};
    p->x_label =
        label_print(arena, "deformation", unit_shown(t->column[best].unit, table_largest(t, best), &p->x_factor));
    p->y_label = label_print(arena, "force",
                             unit_shown(t->column[best_force].unit, table_largest(t, best_force), &p->y_factor));
}

static void figure_begin(ifd_arena *arena, const ifd_table *t, figure *f)
{
    memset(f, 0, sizeof *f);
    const char *title = ifd_arena_print(arena, "%s%s%s", t->title, *t->title ? " · " : "", t->method);
    f->title = title ? title : t->title;
}

void figure_choose(ifd_arena *arena, const ifd_table *t, figure *out)
{
    figure_begin(arena, t, out);
    add_largest(arena, t, "displacement", "m", out);
    add_largest(arena, t, "displacement", "rad", out);
    add_loop(arena, t, out);
    add_energies(arena, t, out);
    if (out->panels == 0 && t->columns) /* nothing of the usual was recorded: show what there is */
        add_largest(arena, t, t->column[0].group, NULL, out);
}

static panel *panel_of_unit(const ifd_table *t, figure *f, const char *unit)
{
    for (int k = 0; k < f->panels; k++)
        if (strcmp(t->column[f->panel[k].curve[0].y].unit, unit) == 0 && f->panel[k].curves < MOST_CURVES)
            return &f->panel[k];
    return panel_add(f);
}

const char *figure_name(ifd_arena *arena, const ifd_table *t, const char *names, figure *out)
{
    figure_begin(arena, t, out);
    for (const char *p = names; *p;) {
        size_t length = strcspn(p, ",");
        const char *name = ifd_arena_text_n(arena, p, length);
        int found = name ? table_find(t, name) : -1;
        panel *into = found >= 0 ? panel_of_unit(t, out, t->column[found].unit) : NULL;
        if (found < 0)
            return name ? name : "";
        if (into)
            into->curve[into->curves++] = (curve){-1, found, t->column[found].name};
        p += length;
        p += *p == ',';
    }
    for (int k = 0; k < out->panels; k++) {
        const ifd_column *first = &t->column[out->panel[k].curve[0].y];
        panel_settle(arena, t, first->group, first->unit, &out->panel[k]);
    }
    return NULL;
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
    t->rows = end - first;
}
