/* SPDX-License-Identifier: MIT */
/* Charts as gnuplot commands, sent through a pipe. */
#include "chart.h"
#include "gnuplot.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <strings.h>

enum { FINE_POINTS = 6000, COARSE_POINTS = 1200 };

typedef struct drawing {
    const char *title;
    int count;
    const chart *c;
    const canvas *to;
    bool dumb;
} drawing;

static bool is_line(const chart_curve *c)
{
    return c->style == CHART_LINE || c->style == CHART_THIN;
}

/* A line has a gap where its value is not a number. */
static void put_point(FILE *out, const chart *c, const chart_curve *of, long i)
{
    double fx = chart_factor(c->x.factor), fy = chart_factor(c->y.factor), fe = of->style == CHART_BARS ? fx : fy;
    if (is_line(of) || (isfinite(of->x[i]) && isfinite(of->y[i])))
        fprintf(out, "%.9g %.9g %.9g\n", of->x[i] * fx, of->y[i] * fy, of->end ? of->end[i] * fe : 0);
}

static void put_curve(FILE *out, const chart *c, const chart_curve *of, long points)
{
    long stretch = chart_stretch(of, points), picked[2];
    for (long first = 0; first < of->count; first += stretch)
        for (int k = 0, n = chart_pick(of, first, stretch, picked); k < n; k++)
            put_point(out, c, of, picked[k]);
}

/* The curve at this position of a chart: first the further ones, which are drawn below the others. */
static const chart_curve *curve_at(const chart *c, long i)
{
    return i < c->many ? &c->more[i] : &c->curve[i - c->many];
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
static const char *const palette[MOST_CURVES][2] = {
    {"#0072b2", "#00263c"}, {"#d55e00", "#4a2000"}, {"#009e73", "#003a2b"}, {"#cc79a7", "#54203d"},
    {"#e69f00", "#4f3600"}, {"#56b4e9", "#0f3d57"}, {"#7a7a7a", "#1c1c1c"}, {"#8c564b", "#33201b"}};

static void put_style(FILE *out, const chart_curve *c, long place)
{
    static const char *const dash[] = {"", " dt (10,7)", " dt (2,4)"};
    const char *const *shade = palette[(c->colour ? c->colour - 1 : place) % MOST_CURVES];
    if (c->style == CHART_LINE)
        fprintf(out, "using 1:2 with lines lw %.2g lc rgb '%s'%s",
                c->line != LINE_SOLID ? 1.2
                : c->width > 0        ? c->width
                                      : 1.5,
                shade[c->line == LINE_DASHED], dash[c->line]);
    if (c->style == CHART_THIN)
        fputs("using 1:2 with lines lw 0.6 lc rgb '#a0a8b0'", out);
    if (c->style == CHART_POINTS)
        fprintf(out, "using 1:2 with points pt 7 ps %g lc rgb '%s'", c->count > 100 ? 0.45 : 0.8, *shade);
    if (c->style == CHART_BAND)
        fprintf(out, "using 1:2:3 with filledcurves fs transparent solid 0.2 noborder lc rgb '%s'", *shade);
    if (c->style == CHART_BARS)
        fprintf(out, "using (($1+$3)/2):2:1:3:($2-0.3):($2+0.3) with boxxyerror fs solid 0.8 noborder lc rgb '%s'",
                *shade);
}

static void widen(const double *v, long count, double range[2])
{
    for (long i = 0; v && i < count; i++) {
        range[0] = fmin(range[0], v[i]);
        range[1] = fmax(range[1], v[i]);
    }
}

/* An axis without variation has a fixed range, as gnuplot would otherwise warn. */
static void put_range(FILE *out, const chart *c, bool across)
{
    bool log = across ? c->x.log : c->y.log;
    double factor = chart_factor(across ? c->x.factor : c->y.factor), range[2] = {HUGE_VAL, -HUGE_VAL}, slack = 0;
    for (long i = 0; i < c->many + c->curves; i++) {
        const chart_curve *of = curve_at(c, i);
        widen(across ? of->x : of->y, of->count, range);
        widen(across == (of->style == CHART_BARS) ? of->end : NULL, of->count, range);
    }
    bool constant = range[0] == range[1] && isfinite(range[0]),
         given = across ? c->x.to > c->x.from : c->y.to > c->y.from;
    if (given) {
        range[0] = across ? c->x.from : c->y.from;
        range[1] = across ? c->x.to : c->y.to;
    } else if (constant)
        slack = fmax(1, fabs(range[0] * factor));
    if (given || constant)
        fprintf(out, "set %crange [%.9g:%.9g]\n", across ? 'x' : 'y', range[0] * factor - slack,
                range[1] * factor + slack);
    else
        fprintf(out, "set %crange [*:*]%s\n", across ? 'x' : 'y', log && !across ? "" : " noextend");
}

static void put_label(FILE *out, const char *what, const char *text)
{
    fprintf(out, "set %s ", what);
    gnuplot_text(out, text ? text : "");
    fputs(" noenhanced\n", out);
}

/* On a terminal of characters vertical labels take too many columns: they are part of the title. */
static void put_axes(FILE *out, const chart *c, bool dumb)
{
    put_range(out, c, true);
    put_range(out, c, false);
    put_label(out, "xlabel", c->x.label);
    if (dumb) {
        char title[300];
        const char *alone = c->curves == 1 ? c->curve[0].name : NULL;
        snprintf(title, sizeof title, "%s%s%s", alone ? alone : "", alone ? ", " : "", c->y.label);
        put_label(out, c->curves == 1 ? "key off\nset title" : "title", title);
        return;
    }
    put_label(out, "ylabel", c->y.label);
    put_label(out, "title", c->title);
    fprintf(out, "%sset logscale x\n%sset logscale y\n", c->x.log ? "" : "un", c->y.log ? "" : "un");
    fputs(c->rows ? "set lmargin 26\nset ytics (" : "set lmargin 11\nset ytics autofreq\n", out);
    for (int k = 0; k < c->rows; k++) {
        fputs(k ? ", " : "", out);
        gnuplot_text(out, c->row[k]);
        fprintf(out, " %d", k);
    }
    fputs(c->rows ? ") noenhanced\n" : "", out);
}

static void put_chart(FILE *out, const drawing *d, int k)
{
    const chart *c = &d->c[k];
    put_axes(out, c, d->dumb);
    for (long i = 0; i < c->many + c->curves; i++) {
        const chart_curve *of = curve_at(c, i);
        const char *name = i < c->many ? NULL : of->name;
        fprintf(out, "%s $d%d_%ld ", i ? "," : "plot", k, i);
        if (d->dumb)
            fputs("using 1:2 with lines", out);
        else
            put_style(out, of, i < c->many ? 0 : i - c->many);
        fputs(name ? " title " : " notitle", out);
        if (name)
            put_clipped(out, name, 40);
        fputs(name ? " noenhanced" : "", out);
    }
    fputc('\n', out);
}

/* Size of the picture: a loop is about square, a history is wide. */
typedef struct room {
    int across, down;
    double width, height; /* px at 96 to the inch */
} room;

static room room_of(const drawing *d)
{
    bool loops = true, titled = false;
    for (int k = 0; k < d->count; k++) {
        titled = titled || d->c[k].title;
        loops = loops && !titled && !d->c[k].curve[0].rising;
    }
    room r = {.across = d->count > (loops ? 1 : 3) && !titled ? 2 : 1};
    r.down = (d->count + r.across - 1) / r.across;
    r.width = loops ? 560.0 * r.across : r.across == 2 ? 1300 : 860;
    r.height = 40 + (loops ? 480 : d->count == 1 || titled ? 340 : 260) * r.down;
    return r;
}

static void put_charts(FILE *out, const void *what)
{
    const drawing *d = what;
    room r = room_of(d);
    for (int k = 0; k < d->count; k++)
        for (long i = 0; i < d->c[k].many + d->c[k].curves; i++) {
            fprintf(out, "$d%d_%ld << EOD\n", k, i);
            put_curve(out, &d->c[k], curve_at(&d->c[k], i), d->dumb ? COARSE_POINTS : FINE_POINTS);
            fputs("EOD\n", out);
        }
    if (d->dumb)
        fprintf(out, "set terminal dumb size %d,%d %s\n", d->to->columns, d->to->lines,
                d->to->colour ? "ansi" : "mono");
    else
        gnuplot_terminal(out, d->to->terminal, r.width, r.height);
    if (d->to->file) {
        fputs("set output ", out);
        gnuplot_text(out, d->to->file);
        fputc('\n', out);
    }
    if (d->dumb)
        fputs("set xzeroaxis\nset key tmargin right horizontal\n", out);
    else
        gnuplot_style(out);
    fputs("set format x '%g'\nset format y '%g'\nset tics nomirror\nset autoscale noextend\n"
          "set offsets 0, 0, graph 0.04, graph 0.04\n",
          out);
    if (!d->dumb) {
        fprintf(out, "set multiplot layout %d,%d title ", r.down, r.across);
        put_title(out, d->title, (size_t)(r.width / 9));
    }
    for (int k = 0; k < (d->dumb ? 1 : d->count); k++)
        put_chart(out, d, k);
    fputs(d->dumb ? "unset output\n" : "unset multiplot\nunset output\n", out);
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

bool canvas_writable(app *a, const char *file)
{
    FILE *f = fopen(file, "ae"); /* gnuplot would draw on stdout instead */
    if (!f)
        return app_reject(a, "'%s' cannot be written: %s", file, strerror(errno));
    fclose(f);
    return true;
}

int charts_draw(const char *title, int count, const chart *c, const canvas *to)
{
    return gnuplot_run(put_charts, &(drawing){title, count, c, to, strcmp(to->terminal, "dumb") == 0});
}

bool charts_save(app *a, const char *title, int count, const chart *c, const char *file)
{
    canvas to = {.terminal = canvas_terminal(file), .file = file};
    if (!to.terminal)
        return app_reject(a, "'%s' cannot be drawn: expected a file name that ends in .png, .svg or .pdf", file);
    if (!canvas_writable(a, file))
        return false;
    int status = charts_draw(title, count, c, &to);
    if (status == 127)
        return app_reject(a, "gnuplot is not installed: apt-get install gnuplot-nox");
    return status == 0 || app_reject(a, "gnuplot could not draw '%s'", file);
}
