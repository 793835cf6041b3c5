/* SPDX-License-Identifier: MIT */
/* The pictures: one gnuplot script per entry, with its points inside, drawn as SVG and PNG. */
#include "app/gnuplot.h"
#include "reproduce.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Of the width and height of a pane: what a thinned line may be away from the whole one. */
#define FLATNESS 1.1e-3
enum { LONGEST = 64 }; /* points that one straight piece may stand for */

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

/* What lies outside a given range of y goes no further than its own height outside. */
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

/* Whether all rows between a and b lie on the straight line from a to b, as far as one can see. */
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
    for (long r = 0; r < rows;) {
        if (!is_point(q, r)) {
            fputc('\n', out); /* a gap in the line */
            r++;
            continue;
        }
        fprintf(out, "%.6g %.5g\n", shown_x(q, r), shown_y(q, r));
        long next = r + 1;
        while (q->l->style != STYLE_POINTS && next + 1 < rows && next < r + LONGEST && is_point(q, next + 1) &&
               straight(q, r, next + 1))
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

static void put_line(FILE *out, const line *l, int k, int i)
{
    static const char *const colours[] = {"#1f5fa8", "#d1495b", "#2e933c", "#8f5fbf", "#c98a00", "#555555"};
    static const char *const styles[] = {[STYLE_LINE] = "with lines lw 1.4",
                                         [STYLE_DASHED] = "with lines lw 1.4 dt 2",
                                         [STYLE_POINTS] = "with linespoints lw 1 pt 7 ps 0.5",
                                         [STYLE_FAINT] = "with lines lw 4.5"};
    fprintf(out, "%s$d%d_%d using 1:2 %s lc rgb '%s' ", i ? ", \\\n     " : "plot ", k, i, styles[l->style],
            l->style == STYLE_FAINT ? "#c4ccd4" : colours[i % 6]);
    if (*l->name) {
        fputs("title ", out);
        gnuplot_text(out, l->name);
        fputs(" noenhanced", out);
    } else
        fputs("notitle", out);
}

/* Its title stands above on the left, its legend below that on the right; a long legend below the pane. */
static void put_pane(FILE *out, const pane *p, int k, int across)
{
    int named = 0;
    for (int i = 0; i < p->lines; i++)
        named += *p->line[i].name != '\0';
    fputs("unset logscale; set autoscale; set autoscale noextend; set format '% h'; set xtics auto\n"
          "unset label\nset label 1 ",
          out);
    gnuplot_text(out, p->title ? p->title : "");
    fputs(" at graph 0,1 offset character 0,2.2 noenhanced\n", out);
    if (named == 0)
        fputs("unset key\n", out);
    else if (named <= 3)
        fputs("set key at graph 1,1.01 right bottom horizontal Left reverse samplen 2\n", out);
    else
        fprintf(out, "set key bmargin center horizontal Left reverse samplen 2 maxcols %d\n", across > 1 ? 3 : 6);
    fprintf(out, "set bmargin %s\n", named > (across > 1 ? 3 : 6) ? "6.5" : named > 3 ? "5.5" : "3.5");
    fputs("set xlabel ", out);
    gnuplot_text(out, p->x);
    fputs(" noenhanced\nset ylabel ", out);
    gnuplot_text(out, p->y);
    fprintf(out, " noenhanced\n%s\n", p->extra ? p->extra : "");
    if (p->low < p->high)
        fprintf(out, "set yrange [%g:%g]\n", p->low, p->high);
    for (int i = 0; i < p->lines; i++)
        put_line(out, &p->line[i], k, i);
    fputc('\n', out);
}

static bool put_script(scene *s, const char *path)
{
    FILE *out = fopen(path, "w");
    if (!out)
        return false;
    const paper *from = paper_of(s->entry);
    int across = s->across > 1 ? s->across : 1, down = (s->panes + across - 1) / across;
    int width = across > 1 ? 1160 : 920, height = (down == 1 ? 470 : 50 + 320 * down);
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
        fprintf(out, "set multiplot layout %d,%d title ", down, across);
        gnuplot_text(out, scene_print(s, "%s figure %s · %s", from ? from->citation : "",
                                      strstr(s->entry->id, "fig") + 3, s->entry->title));
        fputs(" noenhanced\n", out);
        for (int k = 0; k < s->panes; k++)
            put_pane(out, &s->pane[k], k, across);
        fputs("unset multiplot\nunset output\n", out);
    }
    return file_close(out);
}

/* gnuplot in the entry's folder; 127 when there is none. */
static int gnuplot_in(const char *folder)
{
    pid_t child = fork();
    if (child == 0) {
        if (chdir(folder) == 0)
            execlp("gnuplot", "gnuplot", "figure.gp", (char *)NULL);
        _exit(errno == ENOENT ? 127 : 126);
    }
    int status = 0;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

void plots_draw(scene *s)
{
    const char *path = scene_print(s, "%s/figure.gp", s->folder);
    if (!put_script(s, path))
        scene_try(
            s, ifd_note_add(&s->a->note, IFD_OUTPUT, NULL, "'%s' could not be written: %s", path, strerror(errno)));
    int status = gnuplot_in(s->folder);
    if (status == 127) /* the numbers are there all the same */
        remarked(s, "No picture: gnuplot is not installed.");
    else if (status != 0)
        scene_try(s, ifd_note_add(&s->a->note, IFD_OUTPUT, NULL, "gnuplot could not draw '%s' (exit status %d)", path,
                                  status));
}
