/* SPDX-License-Identifier: MIT */
/* The pictures: the panes of an entry as charts, in a gnuplot script that draws them as SVG and PNG. */
#include "app/chart.h"
#include "reproduce.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

void plot_pane(scene *s, const pane *p)
{
    if (s->panes < MOST_PANES)
        s->pane[s->panes++] = *p;
}

void plot_styled(scene *s, const sheet *t, int x, int y, line_style style, const char *name)
{
    pane *p = s->panes ? &s->pane[s->panes - 1] : NULL;
    if (!p || p->lines == MOST_LINES)
        return;
    line *l = &p->line[p->lines++];
    *l = (line){.t = t, .x = x, .y = y, .style = style};
    snprintf(l->name, sizeof l->name, "%s", name);
}

void plot_line(scene *s, const sheet *t, int x, int y, const char *name)
{
    plot_styled(s, t, x, y, STYLE_LINE, name);
}

void plot_quoted(scene *s, quote_shape shape, double value, const char *name)
{
    pane *p = s->panes ? &s->pane[s->panes - 1] : NULL;
    if (!p || p->quotes == MOST_QUOTES)
        return;
    quote *q = &p->quote[p->quotes++];
    *q = (quote){.shape = shape, .value = value};
    snprintf(q->name, sizeof q->name, "paper: %s", name);
}

static void widen(const double *v, long rows, double range[2])
{
    for (long r = 0; r < rows; r++)
        if (isfinite(v[r])) {
            range[0] = fmin(range[0], v[r]);
            range[1] = fmax(range[1], v[r]);
        }
}

static bool is_rising(const double *x, long rows)
{
    for (long r = 1; r < rows; r++)
        if (!(x[r] >= x[r - 1]))
            return false;
    return true;
}

/* Roots of one kind have one colour. */
static chart_curve curve_of(const line *l, int i)
{
    static const chart_style styles[] = {
        [STYLE_LINE] = CHART_LINE,  [STYLE_DASHED] = CHART_LINE,    [STYLE_POINTS] = CHART_MARKED,
        [STYLE_FAINT] = CHART_WIDE, [STYLE_BULLETS] = CHART_POINTS, [STYLE_CROSSES] = CHART_CROSSES};
    const double *x = l->t->column[l->x];
    return (chart_curve){.name = l->name,
                         .count = l->t->rows,
                         .x = x,
                         .y = l->t->column[l->y],
                         .style = styles[l->style],
                         .line = l->style == STYLE_DASHED ? LINE_DASHED : LINE_SOLID,
                         .colour = l->style == STYLE_BULLETS   ? 1
                                   : l->style == STYLE_CROSSES ? 2
                                                               : i % MOST_CURVES + 1,
                         .rising = is_rising(x, l->t->rows)};
}

static double factor_of(double factor)
{
    return factor != 0 ? factor : 1;
}

/* A value given in the paper: a line across the pane, or one of that order half a decade below the first line. */
static chart_curve quote_of(scene *s, const pane *p, const quote *q)
{
    const line *l = &p->line[0];
    double xs[2] = {HUGE_VAL, -HUGE_VAL}, ys[2] = {HUGE_VAL, -HUGE_VAL}, *x = scene_array(s, 4, sizeof *x),
           *y = x + 2;
    for (int i = 0; i < p->lines; i++) {
        widen(p->line[i].t->column[p->line[i].x], p->line[i].t->rows, xs);
        widen(p->line[i].t->column[p->line[i].y], p->line[i].t->rows, ys);
    }
    for (int k = 0; k < 2; k++) {
        long r = p->lines ? l->t->rows / 2 : 0;
        x[k] = q->shape == QUOTE_INSTANT ? q->value / factor_of(p->fx) : xs[k];
        y[k] = q->shape == QUOTE_LEVEL     ? q->value / factor_of(p->fy)
               : q->shape == QUOTE_INSTANT ? ys[k]
               : p->lines ? 0.3 * l->t->column[l->y][r] * pow(xs[k] / l->t->column[l->x][r], q->value)
                          : (double)NAN;
    }
    return (chart_curve){
        .name = q->name, .count = 2, .x = x, .y = y, .rising = true, .line = LINE_DASHED, .colour = CHART_INK};
}

static chart chart_of(scene *s, const pane *p)
{
    double fx = factor_of(p->fx), fy = factor_of(p->fy);
    chart_curve *curve = scene_array(s, p->lines + p->quotes + 1, sizeof *curve);
    for (int i = 0; i < p->lines; i++)
        curve[i] = curve_of(&p->line[i], i);
    for (int i = 0; i < p->quotes; i++)
        curve[p->lines + i] = quote_of(s, p, &p->quote[i]);
    return (chart){.title = p->title,
                   .x = {p->x, fx, p->from / fx, p->to / fx, p->log_x},
                   .y = {p->y, fy, p->low / fy, p->high / fy, p->log_y},
                   .many = p->lines + p->quotes,
                   .more = curve};
}

/* Numbers given in the paper and the computed ones, below the panes. */
static int count_printed(const outcome *o)
{
    char text[80];
    int count = 0;
    for (int i = 0; i < o->claims; i++)
        count += printed_print(text, sizeof text, o->claim[i].row);
    return count;
}

/* The computed value; if the claim holds only with a different setting, that value too. */
static void print_found(char *out, size_t size, const outcome *o, int i)
{
    const claim *c = &o->claim[i];
    size_t n = (size_t)snprintf(out, size, isnan(c->found) ? "none" : "%.4g", c->found);
    for (int k = 0; k < o->trials && !holds(c->row, c->found) && n < size; k++)
        if (o->trial[k].claim == i && holds(c->row, o->trial[k].found)) {
            snprintf(out + n, size - n, "; %.4g with a different setting", o->trial[k].found);
            break;
        }
}

static void note_printed(scene *s, picture *p)
{
    const outcome *o = s->out;
    char text[160];
    int rows = count_printed(o);
    const char *(*note)[3] = scene_array(s, rows + 1, sizeof *note);
    if (!rows)
        return;
    memcpy(note[0], (const char *[]){"numbers given in the paper", "paper", "computed"}, sizeof note[0]);
    p->notes = 1;
    for (int i = 0; i < o->claims; i++) {
        if (!printed_print(text, sizeof text, o->claim[i].row))
            continue;
        const char **row = note[p->notes++];
        row[0] = scene_print(s, "%s: %s", o->claim[i].row->key, o->claim[i].row->what);
        row[1] = scene_print(s, "%s", text);
        print_found(text, sizeof text, o, i);
        row[2] = scene_print(s, "%s", text);
    }
    p->note = (const char *const(*)[3])note;
}

static bool put_script(scene *s, const char *path)
{
    static const canvas to[] = {{.terminal = "svg", .file = "figure.svg"},
                                {.terminal = "pngcairo", .file = "figure.png", .sharpness = 1}};
    FILE *out = fopen(path, "w");
    if (!out)
        return false;
    const paper *from = paper_of(s->entry);
    chart *c = scene_array(s, s->panes + 1, sizeof *c);
    for (int k = 0; k < s->panes; k++)
        c[k] = chart_of(s, &s->pane[k]);
    picture p = {.title = scene_print(s, "%s figure %s \u00b7 %s", from ? from->citation : "",
                                      strstr(s->entry->id, "fig") + 3, s->entry->title),
                 .count = s->panes,
                 .chart = c,
                 .across = s->across > 1 ? s->across : 1};
    note_printed(s, &p);
    fprintf(out, "# SPDX-License-Identifier: MIT\n# %s. Draw it: gnuplot figure.gp\n", s->entry->id);
    picture_script(out, &p, 2, to);
    return file_close(out);
}

/* The script of an entry, in its folder. */
static void put_load(FILE *out, const void *folder)
{
    fputs("cd ", out);
    gnuplot_text(out, folder);
    fputs("\nload 'figure.gp'\n", out);
}

void plots_draw(scene *s)
{
    const char *path = scene_print(s, "%s/figure.gp", s->folder);
    if (!put_script(s, path))
        scene_try(
            s, ifd_note_add(&s->a->note, IFD_OUTPUT, NULL, "'%s' could not be written: %s", path, strerror(errno)));
    int status = gnuplot_run(put_load, s->folder);
    if (status == 127) /* the numbers are still written */
        remarked(s, "No figure drawn: gnuplot is not installed.");
    else if (status != 0)
        scene_try(s, ifd_note_add(&s->a->note, IFD_OUTPUT, NULL, "gnuplot could not draw '%s' (exit status %d)", path,
                                  status));
}
