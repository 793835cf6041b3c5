/* SPDX-License-Identifier: MIT */
/* The picture of a comparison: one channel of all results over each other, and below how far
 * the others are from the first. */
#include "compare.h"
#include "figure.h"

#include <math.h>
#include <string.h>

static double largest(const ifd_table *t, int channel)
{
    double most = 0;
    for (long r = 0; r < t->rows; r++)
        most = isfinite(t->column[channel][r]) ? fmax(most, fabs(t->column[channel][r])) : most;
    return most;
}

/* The first that was named; without names the displacement that went furthest and is in every result. */
static int choose(const app *a, const ifd_table *t, int count)
{
    int chosen = -1;
    for (int i = 0; i < t[0].channels; i++) {
        bool everywhere = compare_takes(a, &t[0].channel[i]);
        for (int k = 1; k < count && everywhere; k++)
            everywhere = compare_find(&t[k], t[0].channel[i].name) >= 0;
        if (!everywhere)
            continue;
        bool moves = strcmp(t[0].channel[i].group, "displacement") == 0;
        bool before = chosen >= 0 && strcmp(t[0].channel[chosen].group, "displacement") == 0;
        if (chosen < 0)
            chosen = i;
        else if (!app_value(a, "--channels") && moves && (!before || largest(&t[0], i) > largest(&t[0], chosen)))
            chosen = i;
    }
    return chosen;
}

/* All at the instants of the first, then their differences from it: 2 count columns. */
static bool fill(app *a, const ifd_table *t, int count, int chosen, double **column)
{
    for (int k = 0; k < count; k++) {
        int at = compare_find(&t[k], t[0].channel[chosen].name);
        double *v = ifd_arena_array(a->arena, (size_t)t[0].rows + 1, sizeof *v);
        double *off = ifd_arena_array(a->arena, (size_t)t[0].rows + 1, sizeof *off);
        long hint = 0;
        if (!v || !off || at < 0)
            return false;
        for (long i = 0; i < t[0].rows; i++) {
            bool within = t[0].time[i] <= t[k].time[t[k].rows - 1];
            v[i] = within ? compare_at(&t[k], at, t[0].time[i], &hint) : (double)NAN;
            off[i] = v[i] - t[0].column[chosen][i];
        }
        column[k] = v;
        column[count + k] = off;
    }
    return true;
}

static void settle(app *a, const ifd_table *all, const char *what, const char *unit, panel *p)
{
    double size = 0;
    for (int k = 0; k < p->curves; k++)
        size = fmax(size, largest(all, p->curve[k].y));
    const char *shown = unit_shown(unit, size, &p->y_factor);
    const char *text = *shown ? ifd_arena_print(a->arena, "%s [%s]", what, shown) : what;
    p->x_label = "time [s]";
    p->x_factor = 1;
    p->y_label = text ? text : what;
}

void compare_draw(app *a, const ifd_table *t, int count, const char *file)
{
    count = count < MOST_CURVES ? count : MOST_CURVES;
    int chosen = choose(a, t, count);
    double **column = ifd_arena_array(a->arena, (size_t)(2 * count), sizeof *column);
    if (chosen < 0 || !column || !fill(a, t, count, chosen, column)) {
        app_complain(a, "'%s' is not drawn: no channel is in all results", file);
        return;
    }
    ifd_table all = t[0];
    all.column = column;
    figure f = {.title = *t[0].title ? t[0].title : a->word[0], .panels = 2};
    for (int k = 0; k < count; k++) { /* the first too, as a line of zeros: colours stay the same */
        f.panel[0].curve[f.panel[0].curves++] = (curve){-1, k, a->word[k]};
        f.panel[1].curve[f.panel[1].curves++] = (curve){-1, count + k, a->word[k]};
    }
    settle(a, &all, t[0].channel[chosen].name, t[0].channel[chosen].unit, &f.panel[0]);
    settle(a, &all, "less the first", t[0].channel[chosen].unit, &f.panel[1]);
    size_t n = strlen(file);
    canvas c = {.terminal = n > 4 && strcmp(file + n - 4, ".svg") == 0 ? "svg" : "pngcairo", .file = file};
    if (figure_draw(&f, &all, &c) == 0)
        app_say(a, "picture", "%s", file);
    else
        app_complain(a, "gnuplot could not draw '%s' (apt-get install gnuplot-nox)", file);
}
