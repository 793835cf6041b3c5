/* SPDX-License-Identifier: MIT */
/* A figure as gnuplot commands, sent through a pipe. */
#include "figure.h"
#include "gnuplot.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { FINE_POINTS = 6000, COARSE_POINTS = 1200 };

static void put_point(FILE *out, const ifd_table *t, const panel *p, const curve *c, long r)
{
    double x = c->x < 0 ? t->time[r] : t->value[c->x][r] * p->x_factor;
    fprintf(out, "%.9g %.9g\n", x, t->value[c->y][r] * p->y_factor);
}

/* Long curves over time are reduced to the lowest and the highest row of each interval, so that no peak is lost;
 * loops keep every n-th row. */
static void put_curve(FILE *out, const ifd_table *t, const panel *p, const curve *c, long points)
{
    long stretch = (t->rows + points - 1) / points;
    for (long first = 0; first < t->rows; first += (stretch > 0 ? stretch : 1)) {
        long low = first, high = first;
        for (long r = first; r < first + stretch && r < t->rows && c->x < 0; r++) {
            low = t->value[c->y][r] < t->value[c->y][low] ? r : low;
            high = t->value[c->y][r] > t->value[c->y][high] ? r : high;
        }
        put_point(out, t, p, c, low < high ? low : high);
        if (low != high)
            put_point(out, t, p, c, low < high ? high : low);
    }
}

static void put_data(FILE *out, const figure *f, const ifd_table *t, long points)
{
    for (int k = 0; k < f->panels; k++)
        for (int i = 0; i < f->panel[k].curves; i++) {
            const curve *c = &f->panel[k].curve[i];
            fprintf(out, "$d%d_%d << EOD\n", k, i);
            put_curve(out, &t[c->of], &f->panel[k], c, points);
            fputs("EOD\n", out);
        }
}

/* A name of at most this number of characters; a truncated name ends with a mark. */
static void put_clipped(FILE *out, const char *text, int most)
{
    char clipped[400];
    int characters = 0;
    size_t end = 0;
    while (text[end] && end < sizeof clipped - 4 && characters < most) {
        end++;
        while (((unsigned char)text[end] & 0xc0) == 0x80) /* continuation bytes of UTF-8 */
            end++;
        characters++;
    }
    snprintf(clipped, sizeof clipped, "%.*s%s", (int)end, text, text[end] ? "\xe2\x80\xa6" : "");
    gnuplot_text(out, clipped);
}

/* A title on one line, or on two if it is longer than this number of characters. */
static void put_title(FILE *out, const char *title, size_t most)
{
    size_t cut = strlen(title) > most ? most : 0;
    while (cut > 0 && title[cut] != ' ')
        cut--;
    if (cut) {
        char first[400];
        snprintf(first, sizeof first, "%.*s", (int)cut, title);
        put_clipped(out, first, (int)most);
        fputs(".\"\\n\".", out);
        title += cut + 1;
    }
    put_clipped(out, title, (int)most);
    fputs(".\"\\n\" noenhanced\n", out); /* an empty line separates it from the legends */
}

/* The colours of Okabe and Ito, which colour-blind readers can distinguish, without yellow; and a dark shade of
 * each. */
static const char *const palette[][2] = {{"#0072b2", "#00263c"}, {"#d55e00", "#4a2000"}, {"#009e73", "#003a2b"},
                                         {"#cc79a7", "#54203d"}, {"#e69f00", "#4f3600"}, {"#56b4e9", "#0f3d57"},
                                         {"#7a7a7a", "#1c1c1c"}, {"#8c564b", "#33201b"}};
enum { PALETTE = sizeof palette / sizeof *palette };

static void put_line(FILE *out, const curve *c, int place)
{
    static const char *const dash[] = {"", " dt (10,7)", " dt (2,4)"};
    int colour = (c->colour ? c->colour - 1 : place) % PALETTE;
    fprintf(out, "lw %.2g lc rgb '%s'%s ", c->line == LINE_SOLID ? c->width > 0 ? c->width : 1.5 : 1.2,
            palette[colour][c->line == LINE_DASHED], dash[c->line]);
}

/* An axis without variation has a fixed range, as gnuplot would otherwise warn. */
static void put_range(FILE *out, const panel *p, const ifd_table *t, char axis)
{
    double low = HUGE_VAL, high = -HUGE_VAL, factor = axis == 'x' ? p->x_factor : p->y_factor;
    for (int k = 0; k < p->curves; k++) {
        const ifd_table *of = &t[p->curve[k].of];
        int column = axis == 'x' ? p->curve[k].x : p->curve[k].y;
        const double *v = column < 0 ? of->time : of->value[column];
        for (long r = 0; r < of->rows; r++) {
            low = fmin(low, v[r]);
            high = fmax(high, v[r]);
        }
    }
    if (low == high && isfinite(low))
        fprintf(out, "set %crange [%.9g:%.9g]\n", axis, low * factor - fmax(1, fabs(low * factor)),
                high * factor + fmax(1, fabs(high * factor)));
    else
        fprintf(out, "set %crange [*:*] noextend\n", axis);
}

static void put_panel(FILE *out, const panel *p, const ifd_table *t, int k, bool dumb)
{
    put_range(out, p, t, 'x');
    put_range(out, p, t, 'y');
    fputs("set xlabel ", out);
    gnuplot_text(out, p->x_label);
    if (dumb) { /* vertical labels take too many columns */
        char title[300];
        bool alone = p->curves == 1;
        snprintf(title, sizeof title, "%s%s%s", alone ? p->curve[0].name : "", alone && *p->curve[0].name ? ", " : "",
                 p->y_label);
        fputs(alone ? " noenhanced\nunset key\nset title " : " noenhanced\nset title ", out);
        gnuplot_text(out, title);
    } else {
        fputs(" noenhanced\nset ylabel ", out);
        gnuplot_text(out, p->y_label);
    }
    fputs(" noenhanced\nplot ", out);
    for (int i = 0; i < p->curves; i++) {
        fprintf(out, "%s$d%d_%d using 1:2 with lines ", i ? ", " : "", k, i);
        if (!dumb)
            put_line(out, &p->curve[i], i);
        if (!*p->curve[i].name) {
            fputs("notitle", out);
            continue;
        }
        fputs("title ", out);
        put_clipped(out, p->curve[i].name, 40);
        fputs(" noenhanced", out);
    }
    fputc('\n', out);
}

/* Size of the figure: a loop is about square, a history is wide. */
typedef struct room {
    int across, down;
    double width, height; /* px at 96 to the inch */
} room;

static room room_of(const figure *f)
{
    bool loops = f->panels > 0;
    for (int k = 0; k < f->panels; k++)
        loops = loops && f->panel[k].curve[0].x >= 0;
    room r = {.across = f->panels > (loops ? 1 : 3) ? 2 : 1};
    r.down = (f->panels + r.across - 1) / r.across;
    r.width = loops ? 560.0 * r.across : r.across == 2 ? 1300 : 860;
    r.height = 40 + (loops ? 480 : f->panels == 1 ? 340 : 260) * r.down;
    return r;
}

static void put_figure(FILE *out, const figure *f, const ifd_table *t, const canvas *c)
{
    bool dumb = strcmp(c->terminal, "dumb") == 0;
    room r = room_of(f);
    put_data(out, f, t, dumb ? COARSE_POINTS : FINE_POINTS);
    if (dumb)
        fprintf(out, "set terminal dumb size %d,%d %s\n", c->columns, c->lines, c->colour ? "ansi" : "mono");
    else
        gnuplot_terminal(out, c->terminal, r.width, r.height);
    if (c->file) {
        fputs("set output ", out);
        gnuplot_text(out, c->file);
        fputc('\n', out);
    }
    if (dumb)
        fputs("set xzeroaxis\nset key tmargin right horizontal\n", out);
    else
        gnuplot_style(out);
    fputs("set format x '%g'\nset format y '%g'\nset tics nomirror\nset autoscale noextend\n"
          "set offsets 0, 0, graph 0.04, graph 0.04\n",
          out);
    if (!dumb) {
        fprintf(out, "set multiplot layout %d,%d title ", r.down, r.across);
        put_title(out, f->title, (size_t)(r.width / 9));
    }
    for (int k = 0; k < (dumb ? 1 : f->panels); k++)
        put_panel(out, &f->panel[k], t, k, dumb);
    if (!dumb)
        fputs("unset multiplot\n", out);
    fputs("unset output\n", out);
}

const char *canvas_terminal(const char *file)
{
    static const char *const kinds[][2] = {{"png", "pngcairo"}, {"svg", "svg"}, {"pdf", "pdfcairo"}};
    const char *dot = strrchr(file, '.'), *end = dot ? dot + 1 : file;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcasecmp(end, kinds[i][0]) == 0)
            return kinds[i][1];
    return NULL;
}

typedef struct drawing {
    const figure *f;
    const ifd_table *t;
    const canvas *c;
} drawing;

static void put_drawing(FILE *out, const void *what)
{
    const drawing *d = what;
    put_figure(out, d->f, d->t, d->c);
}

int figure_draw(const figure *f, const ifd_table *t, const canvas *c)
{
    return gnuplot_run(put_drawing, &(drawing){f, t, c});
}

bool canvas_writable(app *a, const char *file)
{
    FILE *f = fopen(file, "ae"); /* gnuplot would draw on stdout instead */
    if (!f)
        return app_reject(a, "'%s' cannot be written: %s", file, strerror(errno));
    fclose(f);
    return true;
}

bool figure_save(app *a, const figure *f, const ifd_table *t, const char *file)
{
    canvas c = {.terminal = canvas_terminal(file), .file = file};
    if (!c.terminal)
        return app_reject(a, "'%s' cannot be drawn: expected a file name that ends in .png, .svg or .pdf", file);
    if (!canvas_writable(a, file))
        return false;
    bool drawn = figure_draw(f, t, &c) == 0;
    if (drawn)
        app_say(a, "picture", "%s", file);
    else
        app_complain(a, "gnuplot could not draw '%s'; is it installed? (apt-get install gnuplot-nox)", file);
    return drawn;
}
