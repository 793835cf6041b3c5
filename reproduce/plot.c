/* SPDX-License-Identifier: MIT */
/* The pictures: one gnuplot script per entry, with its points inside, drawn as SVG and PNG. */
#include "app/gnuplot.h"
#include "reproduce.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Permitted deviation of a thinned line, as a fraction of the width and height of its pane. */
#define FLATNESS 1.1e-3
enum { LONGEST = 64 }; /* points that one straight segment may replace */

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

/* One line in units of its pane: 0 to 1 over what all lines of the pane span. */
typedef struct trace {
    const pane *p;
    const line *l;
    bool log_x, log_y;
    double from_x, from_y, span_x, span_y;
} trace;

static double shown_x(const trace *q, long r)
{
    return q->l->t->column[q->l->x][r] * (q->p->fx != 0 ? q->p->fx : 1);
}

static double shown_y(const trace *q, long r)
{
    return q->l->t->column[q->l->y][r] * (q->p->fy != 0 ? q->p->fy : 1);
}

static double unit_x(const trace *q, long r)
{
    double x = shown_x(q, r);
    return ((q->log_x ? log10(x) : x) - q->from_x) / q->span_x;
}

/* Points outside a given range of y are moved to at most one height of the range outside it. */
static double unit_y(const trace *q, long r)
{
    double y = shown_y(q, r), low = q->p->low, high = q->p->high;
    if (low < high && isfinite(y))
        y = q->log_y ? fmin(fmax(y, 0.01 * low), 100 * high) : fmin(fmax(y, 2 * low - high), 2 * high - low);
    return ((q->log_y ? log10(y) : y) - q->from_y) / q->span_y;
}

static void find_span(trace *out, const pane *p)
{
    double low_x = HUGE_VAL, high_x = -HUGE_VAL, low_y = HUGE_VAL, high_y = -HUGE_VAL;
    out->from_x = out->from_y = 0;
    out->span_x = out->span_y = 1;
    for (int i = 0; i < p->lines; i++) {
        trace one = *out;
        one.l = &p->line[i];
        for (long r = 0; r < one.l->t->rows; r++) {
            double x = unit_x(&one, r), y = unit_y(&one, r);
            if (!isfinite(x) || !isfinite(y))
                continue;
            low_x = fmin(low_x, x);
            high_x = fmax(high_x, x);
            low_y = fmin(low_y, y);
            high_y = fmax(high_y, y);
        }
    }
    out->from_x = low_x;
    out->from_y = low_y;
    out->span_x = high_x > low_x ? high_x - low_x : 1;
    out->span_y = high_y > low_y ? high_y - low_y : 1;
}

static bool is_point(const trace *q, long r)
{
    return isfinite(unit_x(q, r)) && isfinite(unit_y(q, r));
}

/* Whether all rows between a and b lie on the straight line from a to b within FLATNESS. */
static bool straight(const trace *q, long a, long b)
{
    double ax = unit_x(q, a), ay = unit_y(q, a), dx = unit_x(q, b) - ax, dy = unit_y(q, b) - ay;
    double length = hypot(dx, dy);
    for (long r = a + 1; r < b; r++) {
        double px = unit_x(q, r) - ax, py = unit_y(q, r) - ay;
        double along = length > 0 ? (px * dx + py * dy) / length : 0;
        double off = length > 0 ? fabs(px * dy - py * dx) / length : hypot(px, py);
        if (!is_point(q, r) || off > FLATNESS || along < -FLATNESS || along > length + FLATNESS)
            return false;
    }
    return true;
}

/* Rows that a straight line between their neighbours shows as well are left out. */
static void put_points(FILE *out, const trace *q)
{
    long rows = q->l->t->rows;
    line_style style = q->l->style;
    bool points = style == STYLE_POINTS || style == STYLE_BULLETS || style == STYLE_CROSSES;
    for (long r = 0; r < rows;) {
        if (!is_point(q, r)) {
            fputc('\n', out); /* a gap in the line */
            r++;
            continue;
        }
        fprintf(out, "%.6g %.5g\n", shown_x(q, r), shown_y(q, r));
        long next = r + 1;
        while (!points && next + 1 < rows && next < r + LONGEST && is_point(q, next + 1) && straight(q, r, next + 1))
            next++;
        r = next;
    }
}

static void put_blocks(FILE *out, const scene *s)
{
    for (int k = 0; k < s->panes; k++)
        for (int i = 0; i < s->pane[k].lines; i++) {
            const pane *p = &s->pane[k];
            trace q = {.p = p, .l = &p->line[i]};
            q.log_x = p->extra && (strstr(p->extra, "logscale x") != NULL);
            q.log_y = p->extra && (strstr(p->extra, "logscale y") || strstr(p->extra, "logscale xy"));
            find_span(&q, p);
            fprintf(out, "$d%d_%d << EOD\n", k, i);
            put_points(out, &q);
            fputs("EOD\n", out);
        }
}

/* Roots of one kind have one colour. */
static const char *colour_of(line_style style, int i)
{
    static const char *const colours[] = {"#1f5fa8", "#d1495b", "#2e933c", "#8f5fbf", "#c98a00", "#555555"};
    return style == STYLE_FAINT     ? "#c4ccd4"
           : style == STYLE_BULLETS ? colours[0]
           : style == STYLE_CROSSES ? colours[1]
                                    : colours[i % 6];
}

static void put_line(FILE *out, const line *l, int k, int i)
{
    static const char *const styles[] = {[STYLE_LINE] = "with lines lw 1.4",
                                         [STYLE_DASHED] = "with lines lw 1.4 dt 2",
                                         [STYLE_POINTS] = "with linespoints lw 1 pt 7 ps 0.5",
                                         [STYLE_FAINT] = "with lines lw 4.5",
                                         [STYLE_BULLETS] = "with points pt 7 ps 0.45",
                                         [STYLE_CROSSES] = "with points pt 2 ps 0.5"};
    fprintf(out, "$d%d_%d using 1:2 %s lc rgb '%s' ", k, i, styles[l->style], colour_of(l->style, i));
    if (*l->name) {
        fputs("title ", out);
        gnuplot_text(out, l->name);
        fputs(" noenhanced", out);
    } else
        fputs("notitle", out);
}

/* Values given in the paper: a level and an order are functions, an instant is an arrow with a name in the legend. */
static void put_quote(FILE *out, const pane *p, const quote *q)
{
    const line *l = p->lines ? &p->line[0] : NULL;
    fputs(", \\\n     ", out);
    if (q->shape == QUOTE_LEVEL)
        fprintf(out, "%.9g", q->value);
    else if (q->shape == QUOTE_INSTANT || !l || l->t->rows < 1)
        fputs("NaN", out);
    else {
        long r = l->t->rows / 2; /* through a point of the first line, half a decade below it */
        trace t = {.p = p, .l = l};
        fprintf(out, "%.9g * (x / %.9g) ** %.9g", 0.3 * shown_y(&t, r), shown_x(&t, r), q->value);
    }
    fputs(" with lines lw 1.3 dt 2 lc rgb '#000000' title ", out);
    gnuplot_text(out, q->name);
    fputs(" noenhanced", out);
}

/* A few short names above on the right; others below the pane, in as many columns as fit. */
static void put_key(FILE *out, const pane *p, int named, int across)
{
    size_t longest = 1, all = 0;
    for (int i = 0; i < p->lines + p->quotes; i++) {
        size_t n = strlen(i < p->lines ? p->line[i].name : p->quote[i - p->lines].name);
        longest = n > longest ? n : longest;
        all += n;
    }
    int fit = (across > 1 ? 480 : 820) / (8 * (int)longest + 45), most = across > 1 ? 3 : 6;
    int columns = fit < 1 ? 1 : fit < most ? fit : most, rows = (named + columns - 1) / columns;
    if (named == 0)
        fputs("unset key\nset bmargin 3.5\n", out);
    else if (named <= 3 && all <= (across > 1 ? 36 : 90))
        fputs("set key at graph 1,1.01 right bottom horizontal Left reverse samplen 2\nset bmargin 3.5\n", out);
    else
        fprintf(out, "set key bmargin center horizontal Left reverse samplen 2 maxcols %d\nset bmargin %.1f\n",
                columns, 3.9 + 1.3 * rows);
}

/* The title is above on the left; the legend is below the title on the right, or below the pane. */
static void put_pane(FILE *out, const pane *p, int across)
{
    int named = p->quotes;
    for (int i = 0; i < p->lines; i++)
        named += *p->line[i].name != '\0';
    fputs("unset logscale; set autoscale; set autoscale noextend; set format '% h'; set xtics auto; unset arrow\n"
          "unset label\nset label 1 ",
          out);
    gnuplot_text(out, p->title ? p->title : "");
    fputs(" at graph 0,1 offset character 0,2.2 noenhanced\n", out);
    put_key(out, p, named, across);
    fputs("set xlabel ", out);
    gnuplot_text(out, p->x);
    fputs(" noenhanced\nset ylabel ", out);
    gnuplot_text(out, p->y);
    fprintf(out, " noenhanced\n%s\n", p->extra ? p->extra : "");
    if (p->low < p->high)
        fprintf(out, "set yrange [%g:%g]\n", p->low, p->high);
    for (int i = 0; i < p->quotes; i++)
        if (p->quote[i].shape == QUOTE_INSTANT)
            fprintf(out, "set arrow from first %.9g,graph 0 to first %.9g,graph 1 nohead lw 1.3 dt 2\n",
                    p->quote[i].value, p->quote[i].value);
}

/* Roots of a kind that does not occur have no points. */
static bool has_any(const trace *q)
{
    for (long r = 0; r < q->l->t->rows; r++)
        if (isfinite(shown_x(q, r)) && isfinite(shown_y(q, r)))
            return true;
    return false;
}

static void put_curves(FILE *out, const pane *p, int k)
{
    bool first = true;
    for (int i = 0; i < p->lines; i++) {
        if (!has_any(&(trace){.p = p, .l = &p->line[i]}))
            continue;
        fputs(first ? "plot " : ", \\\n     ", out);
        put_line(out, &p->line[i], k, i);
        first = false;
    }
    for (int i = 0; i < p->quotes && !first; i++)
        put_quote(out, p, &p->quote[i]);
    fputc('\n', out);
}

enum { TITLE = 34, ROW = 19 /* px */, WORDS = 84 /* that fit before the numbers */ };

/* Numbers given in the paper and the computed ones, below the panes. */
static int count_printed(const outcome *o)
{
    char text[80];
    int count = 0;
    for (int i = 0; i < o->claims; i++)
        count += printed_print(text, sizeof text, o->claim[i].row);
    return count;
}

static void put_text_at(FILE *out, int *number, double x, double y, const char *text)
{
    fprintf(out, "set label %d ", (*number)++);
    gnuplot_text(out, text);
    fprintf(out, " at screen %.4f,%.4f noenhanced\n", x, y);
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

static void put_printed(FILE *out, const scene *s, double top, double row)
{
    const outcome *o = s->out;
    char text[160];
    int number = 100;
    double y = top - row;
    put_text_at(out, &number, 0.015, y, "numbers given in the paper");
    put_text_at(out, &number, 0.60, y, "paper");
    put_text_at(out, &number, 0.73, y, "computed");
    for (int i = 0; i < o->claims; i++) {
        if (!printed_print(text, sizeof text, o->claim[i].row))
            continue;
        y -= row;
        put_text_at(out, &number, 0.60, y, text);
        print_found(text, sizeof text, o, i);
        put_text_at(out, &number, 0.73, y, text);
        snprintf(text, sizeof text, "%s: %s", o->claim[i].row->key, o->claim[i].row->what);
        if (strlen(text) > WORDS)
            strcpy(text + WORDS - 4, " ...");
        put_text_at(out, &number, 0.015, y, text);
    }
}

/* Panes in rows from the top, below them the printed numbers. */
static void put_panes(FILE *out, const scene *s, int across, int height)
{
    int down = (s->panes + across - 1) / across, rows = count_printed(s->out);
    double strip = rows ? (double)(ROW * (rows + 1) + 14) / height : 0, room = 1.0 - strip - (double)TITLE / height;
    for (int k = 0; k < s->panes; k++) {
        put_pane(out, &s->pane[k], across);
        fprintf(out, "set size %.4f,%.4f\nset origin %.4f,%.4f\n", 1.0 / across, room / down,
                (double)(k % across) / across, strip + room * (down - 1 - k / across) / down);
        if (k + 1 == s->panes && rows)
            put_printed(out, s, strip, (double)ROW / height);
        put_curves(out, &s->pane[k], k);
    }
}

static bool put_script(scene *s, const char *path)
{
    FILE *out = fopen(path, "w");
    if (!out)
        return false;
    const paper *from = paper_of(s->entry);
    int across = s->across > 1 ? s->across : 1, down = (s->panes + across - 1) / across;
    int width = across > 1 ? 1160 : 920, height = (down == 1 ? 470 : 50 + 320 * down);
    int rows = count_printed(s->out);
    height += rows ? ROW * (rows + 1) + 14 : 0;
    fprintf(out, "# SPDX-License-Identifier: MIT\n# %s. Draw it: gnuplot figure.gp\n", s->entry->id);
    put_blocks(out, s);
    for (int kind = 0; kind < 2; kind++) {
        fprintf(out, "set terminal %s size %d,%d font 'DejaVu Sans,%d' background rgb 'white'\n",
                kind ? "pngcairo" : "svg", width, height, kind ? 10 : 12);
        fprintf(out, "set output '%s'\n", kind ? "figure.png" : "figure.svg");
        if (kind == 0)
            fputs("set grid ytics back lt 1 lc rgb '#e2e2e2' lw 0.7\nset border 3 lc rgb '#808080'\nset lmargin 11\n"
                  "set tmargin 4\nset tics nomirror textcolor rgb '#303030'\n"
                  "set offsets 0, 0, graph 0.03, graph 0.03\n",
                  out);
        fputs("set multiplot title ", out);
        gnuplot_text(out, scene_print(s, "%s figure %s · %s", from ? from->citation : "",
                                      strstr(s->entry->id, "fig") + 3, s->entry->title));
        fputs(" noenhanced\n", out);
        put_panes(out, s, across, height);
        fputs("unset multiplot\nunset output\n", out);
    }
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
