/* SPDX-License-Identifier: MIT */
/* Charts drawn by gnuplot: one script for results, studies and figures of papers. Lengths of the layout are px, of
 * which 128 are an inch on paper; a character has about 7. */
#include "chart.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    FEW_POINTS = 100,
    FINE_POINTS = 6000,
    COARSE_POINTS = 1200,
    LONGEST = 64
}; /* points of a curve, of a segment */
enum { TITLE = 30, LINE = 18, HEAD = 26, FOOT = 50, NARROW = 12, LEFT = 78, RIGHT = 20, LETTER = 7, SAMPLE = 48 };

/* Permitted deviation of a line, as a fraction of the width and height of its chart. */
static const double flatness = 5e-4;

typedef struct drawing {
    const picture *p;
    const canvas *to;
    bool dumb;
    int across, down;
    double width, height; /* px */
} drawing;

void gnuplot_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (const unsigned char *u = (const unsigned char *)text; *u; u++) {
        bool c1 = u[0] == 0xc2 && u[1] >= 0x80 && u[1] < 0xa0; /* control characters in UTF-8 */
        u += c1;
        if (*u == '"' || *u == '\\')
            fputc('\\', out);
        fputc(c1 || *u < ' ' || *u == 0x7f ? ' ' : *u, out);
    }
    fputc('"', out);
}

int gnuplot_run(void (*write)(FILE *out, const void *what), const void *what)
{
    int ends[2];
    if (pipe(ends) != 0)
        return 1;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[0], STDIN_FILENO);
        close(ends[0]);
        close(ends[1]);
        execlp("gnuplot", "gnuplot", "/dev/stdin", (char *)NULL); /* "-" would be read byte by byte */
        _exit(errno == ENOENT ? 127 : 126);
    }
    close(ends[0]);
    FILE *out = child > 0 ? fdopen(ends[1], "w") : NULL;
    if (!out) {
        close(ends[1]);
        return 1;
    }
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    sigaction(SIGPIPE, &ignore, &before);
    write(out, what);
    fclose(out);
    sigaction(SIGPIPE, &before, NULL);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

double chart_factor(const chart_axis *a)
{
    return a->factor != 0 ? a->factor : 1;
}

static bool is_line(const chart_curve *c)
{
    return c->style == CHART_LINE || c->style == CHART_THIN || c->style == CHART_WIDE;
}

long *curve_rows(const chart_curve *c, long points, long *count)
{
    long stretch = is_line(c) && c->count > points ? (c->count + points - 1) / points : 1, n = 0;
    long *row = malloc((size_t)(c->count + 1) * sizeof *row);
    for (long first = 0; row && first < c->count; first += stretch) {
        long low = first, high = first;
        for (long r = first; r < first + stretch && r < c->count && c->rising; r++) {
            low = c->y[r] < c->y[low] || isnan(c->y[low]) ? r : low;
            high = c->y[r] > c->y[high] || isnan(c->y[high]) ? r : high;
        }
        row[n++] = low < high ? low : high;
        if (low != high)
            row[n++] = low < high ? high : low;
    }
    *count = row ? n : 0;
    return row;
}

/* The curve at this position of a chart: first the further ones, which are drawn below the others. */
static const chart_curve *curve_at(const chart *c, long i)
{
    return i < c->many ? &c->more[i] : &c->curve[i - c->many];
}

static long curves_of(const chart *c)
{
    return c->many + c->curves;
}

static bool is_rising(const chart *c)
{
    bool rising = !c->x.log;
    for (long i = 0; i < curves_of(c); i++)
        rising = rising && curve_at(c, i)->rising;
    return rising;
}

static void widen(const double *v, long count, double range[2])
{
    for (long i = 0; v && i < count; i++)
        if (isfinite(v[i])) {
            range[0] = fmin(range[0], v[i]);
            range[1] = fmax(range[1], v[i]);
        }
}

/* The range of the data in SI. */
static void extent(const chart *c, bool across, double range[2])
{
    range[0] = HUGE_VAL;
    range[1] = -HUGE_VAL;
    for (long i = 0; i < curves_of(c); i++) {
        const chart_curve *of = curve_at(c, i);
        widen(across ? of->x : of->y, of->count, range);
        widen(across == (of->style == CHART_BARS) ? of->end : NULL, of->count, range);
    }
}

bool chart_shares(const chart *a, const chart *b)
{
    double one[2], other[2];
    if (!is_rising(a) || !is_rising(b) || !a->x.label || !b->x.label || strcmp(a->x.label, b->x.label) != 0)
        return false;
    extent(a, true, one);
    extent(b, true, other);
    double near = 0.01 * (one[1] - one[0]);
    return fabs(one[0] - other[0]) <= near && fabs(one[1] - other[1]) <= near;
}

/* Where a value is, as a fraction of a range. */
static double place(const chart_axis *a, const double range[2], double v)
{
    if (a->log)
        return log(v / range[0]) / log(range[1] / range[0]);
    return range[1] > range[0] ? (v - range[0]) / (range[1] - range[0]) : 0;
}

typedef struct trace {
    const chart *c;
    const chart_curve *of;
    double x[2], y[2]; /* ranges */
    const long *row;
} trace;

static bool is_point(const trace *t, long k)
{
    double x = t->of->x[t->row[k]], y = t->of->y[t->row[k]];
    return isfinite(x) && isfinite(y) && (!t->c->x.log || x > 0) && (!t->c->y.log || y > 0);
}

static void point_at(const trace *t, long k, double p[2])
{
    p[0] = place(&t->c->x, t->x, t->of->x[t->row[k]]);
    p[1] = place(&t->c->y, t->y, t->of->y[t->row[k]]);
}

/* Whether all points between a and b are on the straight line from a to b. */
static bool straight(const trace *t, long a, long b)
{
    double from[2], to[2], p[2];
    point_at(t, a, from);
    point_at(t, b, to);
    double dx = to[0] - from[0], dy = to[1] - from[1], length = hypot(dx, dy);
    for (long k = a + 1; k < b; k++) {
        point_at(t, k, p);
        double px = p[0] - from[0], py = p[1] - from[1], along = length > 0 ? (px * dx + py * dy) / length : 0;
        double off = length > 0 ? fabs(px * dy - py * dx) / length : hypot(px, py);
        if (!(off <= flatness && along >= -flatness && along <= length + flatness))
            return false;
    }
    return true;
}

/* Points that a straight line between their neighbours shows as well are omitted. A line has a gap where its value is
 * not a number. */
static void put_curve(FILE *out, const chart *c, const chart_curve *of, long points)
{
    long count, *row = curve_rows(of, points, &count);
    double fx = chart_factor(&c->x), fy = chart_factor(&c->y), fe = of->style == CHART_BARS ? fx : fy;
    trace t = {.c = c, .of = of, .row = row};
    extent(c, true, t.x);
    extent(c, false, t.y);
    for (long k = 0; k < count;) {
        long next = k + 1, r = row[k];
        if (!is_point(&t, k)) {
            fputc('\n', out);
            k = next;
            continue;
        }
        fprintf(out, "%.7g %.6g %.6g\n", of->x[r] * fx, of->y[r] * fy, of->end ? of->end[r] * fe : 0);
        while (is_line(of) && count > FEW_POINTS && next + 1 < count && next < k + LONGEST && is_point(&t, next) &&
               is_point(&t, next + 1) && straight(&t, k, next + 1))
            next++;
        k = next;
    }
    free(row);
}

/* The number of characters of a text. */
static int length_of(const char *text)
{
    int n = 0;
    for (; text && *text; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

/* A text of at most this number of characters; a truncated one ends with a mark. */
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

static int title_lines(const drawing *d)
{
    return !d->p->title || !*d->p->title ? 0 : length_of(d->p->title) > d->width / 8 ? 2 : 1;
}

/* A title on one line, or on two if it is too long. */
static void put_title(FILE *out, const drawing *d)
{
    const char *title = d->p->title;
    size_t most = (size_t)(d->width / 8), cut = title_lines(d) > 1 && strlen(title) > most ? most : 0;
    while (cut > 0 && title[cut] != ' ')
        cut--;
    fputs("set label 90 ", out);
    if (cut) {
        char first[400];
        snprintf(first, sizeof first, "%.*s", (int)cut, title);
        put_clipped(out, first, (int)most);
        fputs(".\"\\n\".", out);
        title += cut + 1;
    }
    put_clipped(out, title, (int)most);
    fprintf(out, " at screen 0.5,%.4f center noenhanced\n", 1 - 17 / d->height);
}

/* The colours of Okabe and Ito, which colour-blind readers can distinguish, without yellow; a dark shade of each. */
static const char *const palette[][2] = {{"#0072b2", "#00263c"}, {"#d55e00", "#4a2000"}, {"#009e73", "#003a2b"},
                                         {"#cc79a7", "#54203d"}, {"#e69f00", "#4f3600"}, {"#56b4e9", "#0f3d57"},
                                         {"#7a7a7a", "#1c1c1c"}, {"#8c564b", "#33201b"}};

static void put_style(FILE *out, const chart_curve *c, long position)
{
    static const char *const dash[] = {"", " dt (10,7)", " dt (2,4)"};
    static const char *const pattern[] = {
        [CHART_LINE] = "using 1:2 with lines lw %.2g",
        [CHART_THIN] = "using 1:2 with lines lw 0.6",
        [CHART_WIDE] = "using 1:2 with lines lw 4.5",
        [CHART_POINTS] = "using 1:2 with points pt 7 ps %g",
        [CHART_CROSSES] = "using 1:2 with points pt 2 ps 0.5",
        [CHART_MARKED] = "using 1:2 with linespoints lw 1 pt 7 ps 0.5",
        [CHART_BAND] = "using 1:2:3 with filledcurves fs transparent solid 0.2 noborder",
        [CHART_BARS] = "using (($1+$3)/2):2:1:3:($2-0.3):($2+0.3) with boxxyerror fs solid 0.8 noborder"};
    const char *const *shade = palette[(c->colour > 0 ? c->colour - 1 : position) % MOST_CURVES];
    double size = c->style == CHART_POINTS ? (c->count > 100 ? 0.45 : 0.8)
                  : c->line != LINE_SOLID  ? 1.2
                  : c->width > 0           ? c->width
                                           : 1.5;
    fprintf(out, pattern[c->style], size);
    fprintf(out, " lc rgb '%s'%s",
            c->style == CHART_THIN   ? "#a0a8b0"
            : c->style == CHART_WIDE ? "#c4ccd4"
            : c->colour == CHART_INK ? "#000000"
                                     : shade[c->line == LINE_DASHED],
            c->style == CHART_LINE ? dash[c->line] : "");
}

/* 1, 2 or 5 times a power of ten, so that about ten of them fit. */
static double nice_step(double span)
{
    double raw = span / 10, power = pow(10.0, floor(log10(raw))), m = raw / power;
    return power * (m <= 1.0 ? 1.0 : m <= 2.0 ? 2.0 : m <= 5.0 ? 5.0 : 10.0);
}

/* The common range of charts over the same time; a test ends one tick before its end, the axis does not. */
static void time_range(const drawing *d, const chart *c, double range[2])
{
    for (int k = 0; k < d->p->count; k++) {
        double other[2];
        extent(&d->p->chart[k], true, other);
        if (chart_shares(c, &d->p->chart[k]))
            widen(other, 2, range);
    }
    double span = range[1] - range[0], step = span > 0 ? nice_step(span) : 1,
           end = step * ceil(range[1] / step - 1e-9);
    if (span > 0 && end - range[1] < 0.01 * span)
        range[1] = end;
}

/* Axes end on a mark beyond the data, except those of time. One without variation has a fixed range, as gnuplot would
 * otherwise warn. */
static void put_range(FILE *out, const drawing *d, const chart *c, bool across)
{
    const chart_axis *a = across ? &c->x : &c->y;
    double range[2], slack = 0;
    extent(c, across, range);
    bool constant = range[0] == range[1], given = a->to > a->from,
         time = across && is_rising(c) && range[1] > range[0];
    if (given) {
        range[0] = a->from;
        range[1] = a->to;
    } else if (constant)
        slack = fmax(1, fabs(range[0] * chart_factor(a)));
    else if (time)
        time_range(d, c, range);
    if (given || constant || time)
        fprintf(out, "set %crange [%.9g:%.9g]\n", across ? 'x' : 'y', range[0] * chart_factor(a) - slack,
                range[1] * chart_factor(a) + slack);
    else
        fprintf(out, "set %crange [*:*] extend\n", across ? 'x' : 'y');
    fprintf(out, "%sset logscale %c\nset format %c '%s'\n", a->log ? "" : "un", across ? 'x' : 'y',
            across ? 'x' : 'y', a->log && range[1] > 1e4 * range[0] ? "10^{%T}" : "%g");
}

static void put_label(FILE *out, const char *what, const char *text)
{
    fprintf(out, "set %s ", what);
    gnuplot_text(out, text ? text : "");
    fputs(" noenhanced\n", out);
}

/* Whether the chart below has the numbers of the horizontal axis of this one. */
static bool shares_below(const drawing *d, int k)
{
    return k + d->across < d->p->count && chart_shares(&d->p->chart[k], &d->p->chart[k + d->across]);
}

/* The legend: its columns and lines, and whether the title of the chart is on the same line. */
typedef struct legend {
    int columns, lines;
    bool beside;
} legend;

static legend legend_of(const drawing *d, const chart *c)
{
    int named = 0, longest = 0, all = 0, space = (int)(d->width / d->across) - LEFT - RIGHT;
    for (long i = 0; i < curves_of(c); i++) {
        int n = length_of(curve_at(c, i)->name);
        named += n > 0;
        longest = n > longest ? n : longest;
        all += n > 0 ? SAMPLE : 0;
    }
    longest = longest > 40 ? 40 : longest;
    all += named * LETTER * longest;
    int fit = space / (LETTER * longest + SAMPLE);
    legend l = {.columns = fit < 1 ? 1 : fit < named || !named ? fit : named};
    l.lines = named ? (named + l.columns - 1) / l.columns : 0;
    l.beside = l.lines == 1 && all + (LETTER + 1) * length_of(c->title) < space;
    return l;
}

static double head_of(const drawing *d, const chart *c)
{
    legend l = legend_of(d, c);
    return l.beside || (!c->title && l.lines <= 1) ? HEAD : HEAD + LINE * (l.lines - !c->title);
}

/* On a terminal of characters vertical labels take too many columns: they are part of the title. */
static void put_dumb_axes(FILE *out, const drawing *d, const chart *c)
{
    char title[300];
    const char *alone = c->curves == 1 ? c->curve[0].name : NULL;
    put_range(out, d, c, true);
    put_range(out, d, c, false);
    put_label(out, "xlabel", c->x.label);
    snprintf(title, sizeof title, "%s%s%s", alone ? alone : "", alone ? ", " : "", c->y.label);
    put_label(out, c->curves == 1 ? "key off\nset title" : "title", title);
}

/* The frame of the plot is from (x0, y0) to (x1, y1), px from the upper left corner. */
static void put_axes(FILE *out, const drawing *d, int k, const double box[4])
{
    const chart *c = &d->p->chart[k];
    legend l = legend_of(d, c);
    double left = box[0] / d->width, right = box[2] / d->width, top = 1 - box[1] / d->height;
    put_range(out, d, c, true);
    put_range(out, d, c, false);
    if (shares_below(d, k))
        fputs("set format x ''\n", out);
    put_label(out, "xlabel", shares_below(d, k) ? "" : c->x.label);
    put_label(out, "ylabel", c->y.label);
    fprintf(out, "set lmargin at screen %.5f\nset rmargin at screen %.5f\nset tmargin at screen %.5f\n", left, right,
            top);
    fprintf(out, "set bmargin at screen %.5f\n", 1 - box[3] / d->height);
    fprintf(out, "set key at screen %.5f,%.5f right bottom horizontal Left reverse nobox samplen 2.5 maxcols %d\n",
            right, top + 3 / d->height, l.columns);
    if (c->title && *c->title) {
        fputs("set label 91 ", out);
        put_clipped(out, c->title, (int)((box[2] - box[0]) / LETTER));
        fprintf(out, " at screen %.5f,%.5f noenhanced\n", left,
                top + (13 + (l.beside ? 0 : LINE * l.lines)) / d->height);
    }
    fputs(c->rows ? "set ytics (" : "set ytics autofreq\n", out);
    for (int i = 0; i < c->rows; i++) {
        fputs(i ? ", " : "", out);
        gnuplot_text(out, c->row[i]);
        fprintf(out, " %d", i);
    }
    fputs(c->rows ? ") noenhanced\n" : "", out);
}

/* Curves without points are omitted, as gnuplot would warn. */
static void put_curves(FILE *out, const drawing *d, int k)
{
    const chart *c = &d->p->chart[k];
    bool first = true;
    for (long i = 0; i < curves_of(c); i++) {
        const chart_curve *of = curve_at(c, i);
        double some[2] = {HUGE_VAL, -HUGE_VAL};
        widen(of->y, of->count, some);
        if (some[0] > some[1])
            continue;
        fprintf(out, "%s $d%d_%ld ", first ? "plot" : ",", k, i);
        first = false;
        if (d->dumb)
            fputs("using 1:2 with lines", out);
        else
            put_style(out, of, i < c->many ? 0 : i - c->many);
        fputs(of->name && *of->name ? " title " : " notitle", out);
        if (of->name && *of->name)
            put_clipped(out, of->name, 40);
        fputs(of->name && *of->name ? " noenhanced" : "", out);
    }
    fputc('\n', out);
}

static double plot_height(const drawing *d)
{
    bool loops = true, titled = false;
    double most = 0;
    for (int k = 0; k < d->p->count; k++) {
        const chart *c = &d->p->chart[k];
        titled = titled || c->title;
        loops = loops && !c->x.log && curves_of(c) && !curve_at(c, 0)->rising && curve_at(c, 0)->style == CHART_LINE;
        most = fmax(most, 22.0 * c->rows);
    }
    return fmax(most, loops ? d->width / d->across - LEFT - RIGHT : d->p->count == 1 ? 290 : titled ? 230 : 190);
}

/* Above and below the plots of row j. */
static double row_head(const drawing *d, int j)
{
    double head = 0;
    for (int k = j * d->across; k < d->p->count && k < (j + 1) * d->across; k++)
        head = fmax(head, head_of(d, &d->p->chart[k]));
    return head;
}

static double row_foot(const drawing *d, int j)
{
    bool narrow = true;
    for (int k = j * d->across; k < d->p->count && k < (j + 1) * d->across; k++)
        narrow = narrow && shares_below(d, k);
    return narrow ? NARROW : FOOT;
}

static void settle_layout(drawing *d)
{
    const picture *p = d->p;
    bool loops = true, titled = false;
    for (int k = 0; k < p->count; k++) {
        titled = titled || p->chart[k].title;
        loops = loops && curves_of(&p->chart[k]) && !curve_at(&p->chart[k], 0)->rising;
    }
    d->across = p->across ? p->across : p->count > (loops ? 1 : 3) && !titled ? 2 : 1;
    d->width = loops && !titled ? 560.0 * d->across : d->across == 2 ? 1300 : 860;
    if (d->to->width > 0) {
        d->width = d->to->width / 0.0254 * 128;
        d->across = d->width < 700 ? 1 : d->across;
    }
    d->down = (p->count + d->across - 1) / d->across;
    d->height = 8 + TITLE * title_lines(d) + plot_height(d) * d->down + (p->notes ? LINE * (p->notes + 1) : 0);
    for (int j = 0; j < d->down; j++)
        d->height += row_head(d, j) + row_foot(d, j);
}

/* Rows of three cells below the charts. */
static void put_notes(FILE *out, const drawing *d)
{
    static const double at[] = {0.015, 0.60, 0.73};
    const int most[] = {(int)(0.57 * d->width / LETTER), 18, 40};
    for (int i = 0; i < d->p->notes; i++)
        for (int k = 0; k < 3; k++) {
            fprintf(out, "set label %d ", 100 + 3 * i + k);
            put_clipped(out, d->p->note[i][k], most[k]);
            fprintf(out, " at screen %.4f,%.5f noenhanced\n", at[k], LINE * (d->p->notes - i - 0.3) / d->height);
        }
}

/* Charts in rows from the top. */
static void put_charts(FILE *out, const drawing *d)
{
    double top = 8 + TITLE * title_lines(d), high = plot_height(d), wide = d->width / d->across;
    for (int j = 0; j < d->down; j++) {
        top += row_head(d, j);
        for (int k = j * d->across; k < d->p->count && k < (j + 1) * d->across; k++) {
            double x = wide * (k % d->across), left = d->p->chart[k].rows ? 0.25 * wide : LEFT;
            put_axes(out, d, k, (double[]){x + left, top, x + wide - RIGHT, top + high});
            if (k == 0 && title_lines(d))
                put_title(out, d);
            if (k == 0)
                put_notes(out, d);
            put_curves(out, d, k);
            fputs("unset label\n", out);
        }
        top += high + row_foot(d, j);
    }
}

/* Paper in inches, a PNG with twice the resolution; a picture of a given width has text of 8 pt on paper. */
static void put_terminal(FILE *out, const drawing *d)
{
    const char *terminal = d->to->terminal, *font = d->to->font ? d->to->font : "DejaVu Sans";
    bool paper = d->to->width > 0;
    const char *comma = strrchr(font, ',');
    double size = comma ? strtod(comma + 1, NULL) : 8;
    double sharp = d->to->sharpness > 0 ? d->to->sharpness : 2;
    int name = comma ? (int)(comma - font) : (int)strlen(font);
    if (d->dumb) {
        fprintf(out, "set terminal dumb size %d,%d %s\n", d->to->columns, d->to->lines,
                d->to->colour ? "ansi" : "mono");
        return;
    }
    fputs("set terminal ", out);
    if (strcmp(terminal, "pdfcairo") == 0)
        fprintf(out, "pdfcairo color size %.3fin,%.3fin", d->width / 128, d->height / 128);
    else if (strcmp(terminal, "svg") == 0)
        fprintf(out, "svg size %.0f,%.0f dynamic", (paper ? 0.75 : 1) * d->width, (paper ? 0.75 : 1) * d->height);
    else
        fprintf(out, "pngcairo size %.0f,%.0f fontscale %g linewidth %g", sharp * d->width, sharp * d->height, sharp,
                sharp);
    size *= strcmp(terminal, "pdfcairo") == 0 ? 1 : strcmp(terminal, "svg") == 0 ? (paper ? 96 / 72.0 : 1.5) : 1.1875;
    fprintf(out, " font '%.*s,%.4g' background rgb 'white'\n", name, font, size);
}

static void put_picture(FILE *out, const drawing *d)
{
    put_terminal(out, d);
    if (d->to->file) {
        fputs("set output ", out);
        gnuplot_text(out, d->to->file);
        fputc('\n', out);
    }
    if (d->dumb) {
        fputs("set xzeroaxis\nset key tmargin right horizontal\nset tics nomirror\n", out);
        put_dumb_axes(out, d, &d->p->chart[0]);
        put_curves(out, d, 0);
        fputs("unset output\n", out);
        return;
    }
    fputs("set grid back lt 1 lc rgb '#dcdcdc' lw 0.7 dt solid\nset border 3 lc rgb '#606060'\nset tics nomirror "
          "textcolor rgb '#202020'\nset xtics scale 0.6\nset ytics scale 0.6\nset multiplot\n",
          out);
    put_charts(out, d);
    fputs("unset multiplot\nunset output\n", out);
}

static void put_data(FILE *out, const picture *p, long points)
{
    for (int k = 0; k < p->count; k++)
        for (long i = 0; i < curves_of(&p->chart[k]); i++) {
            fprintf(out, "$d%d_%ld << EOD\n", k, i);
            put_curve(out, &p->chart[k], curve_at(&p->chart[k], i), points);
            fputs("EOD\n", out);
        }
}

void picture_script(FILE *out, const picture *p, int count, const canvas *to)
{
    bool dumb = strcmp(to->terminal, "dumb") == 0;
    put_data(out, p, dumb ? COARSE_POINTS : FINE_POINTS);
    for (int i = 0; i < count; i++) {
        drawing d = {.p = p, .to = &to[i], .dumb = dumb};
        settle_layout(&d);
        put_picture(out, &d);
    }
}

typedef struct order {
    const picture *p;
    const canvas *to;
} order;

static void put_order(FILE *out, const void *what)
{
    const order *o = what;
    picture_script(out, o->p, 1, o->to);
}

int picture_draw(const picture *p, const canvas *to)
{
    return gnuplot_run(put_order, &(order){p, to});
}
