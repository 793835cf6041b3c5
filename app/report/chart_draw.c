/* SPDX-License-Identifier: MIT */
/* Charts as gnuplot commands. */
#include "app.h"
#include "chart.h"
#include "figure.h"
#include "gnuplot.h"

#include <math.h>

/* The colours of Okabe and Ito, as in figures of results. */
static const char *const palette[CHART_CURVES] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"};

typedef struct charts {
    const char *title, *terminal, *file;
    int count;
    const chart *c;
} charts;

static double factor_of(double factor)
{
    return factor != 0 ? factor : 1;
}

static void put_data(FILE *out, const chart *c, const chart_curve *of, const char *name, long number)
{
    double fx = factor_of(c->x_factor), fy = factor_of(c->y_factor), fe = of->style == CHART_BARS ? fx : fy;
    fprintf(out, "$%s%ld << EOD\n", name, number);
    for (long i = 0; i < of->count; i++)
        if (isfinite(of->x[i]) && isfinite(of->y[i]))
            fprintf(out, "%.9g %.9g %.9g\n", of->x[i] * fx, of->y[i] * fy, of->end ? of->end[i] * fe : 0);
    fputs("EOD\n", out);
}

static void put_style(FILE *out, const chart_curve *c, int position)
{
    const char *colour = palette[(c->colour ? c->colour - 1 : position) % CHART_CURVES];
    if (c->style == CHART_LINE)
        fprintf(out, "using 1:2 with lines lw 1.7 lc rgb '%s'%s", colour, c->dashed ? " dt (10,7)" : "");
    if (c->style == CHART_THIN)
        fputs("using 1:2 with lines lw 0.6 lc rgb '#a0a8b0'", out);
    if (c->style == CHART_POINTS)
        fprintf(out, "using 1:2 with points pt 7 ps %g lc rgb '%s'", c->count > 100 ? 0.45 : 0.8, colour);
    if (c->style == CHART_BAND)
        fprintf(out, "using 1:2:3 with filledcurves fs transparent solid 0.2 noborder lc rgb '%s'", colour);
    if (c->style == CHART_BARS)
        fprintf(out, "using (($1+$3)/2):2:1:3:($2-0.3):($2+0.3) with boxxyerror fs solid 0.8 noborder lc rgb '%s'",
                colour);
}

static void put_axes(FILE *out, const chart *c)
{
    fputs("set xlabel ", out);
    gnuplot_text(out, c->x_label);
    fputs(" noenhanced\nset ylabel ", out);
    gnuplot_text(out, c->y_label ? c->y_label : "");
    fputs(" noenhanced\nset title ", out);
    gnuplot_text(out, c->title ? c->title : "");
    fprintf(out, " noenhanced\n%sset logscale x\n%sset logscale y\n", c->log_x ? "" : "un", c->log_y ? "" : "un");
    if (c->x_to > c->x_from)
        fprintf(out, "set xrange [%.9g:%.9g]\n", c->x_from * factor_of(c->x_factor),
                c->x_to * factor_of(c->x_factor));
    else
        fputs("set xrange [*:*] noextend\n", out);
    if (c->y_to > c->y_from)
        fprintf(out, "set yrange [%.9g:%.9g]\n", c->y_from * factor_of(c->y_factor),
                c->y_to * factor_of(c->y_factor));
    else
        fputs("set yrange [*:*]\n", out);
    fputs(c->rows ? "set lmargin 26\nset ytics (" : "set lmargin 11\nset ytics autofreq\n", out);
    for (int k = 0; k < c->rows; k++) {
        fputs(k ? ", " : "", out);
        gnuplot_text(out, c->row[k]);
        fprintf(out, " %d", k);
    }
    fputs(c->rows ? ") noenhanced\n" : "", out);
}

static void put_chart(FILE *out, const chart *c)
{
    for (long k = 0; k < c->many; k++)
        put_data(out, c, &c->more[k], "m", k);
    for (int k = 0; k < c->curves; k++)
        put_data(out, c, &c->curve[k], "c", k);
    put_axes(out, c);
    fputs("plot ", out);
    for (long k = 0; k < c->many; k++) {
        fprintf(out, "$m%ld ", k);
        put_style(out, &c->more[k], 0);
        fputs(" notitle, ", out);
    }
    for (int k = 0; k < c->curves; k++) {
        fprintf(out, "$c%d ", k);
        put_style(out, &c->curve[k], k);
        fputs(c->curve[k].name ? " title " : " notitle", out);
        if (c->curve[k].name)
            gnuplot_text(out, c->curve[k].name);
        fputs(c->curve[k].name ? " noenhanced" : "", out);
        fputs(k + 1 < c->curves ? ", " : "\n", out);
    }
}

static void put_charts(FILE *out, const void *what)
{
    const charts *d = what;
    gnuplot_terminal(out, d->terminal, 860, 50 + 340.0 * d->count);
    fputs("set output ", out);
    gnuplot_text(out, d->file);
    fputc('\n', out);
    gnuplot_style(out);
    fprintf(out, "set format x '%%g'\nset format y '%%g'\nset tics nomirror\nset multiplot layout %d,1 title ",
            d->count);
    gnuplot_text(out, d->title);
    fputs(".\"\\n\" noenhanced\n", out); /* an empty line: room for the key of the first chart */
    for (int k = 0; k < d->count; k++)
        put_chart(out, &d->c[k]);
    fputs("unset multiplot\nunset output\n", out);
}

bool charts_save(app *a, const char *title, int count, const chart *c, const char *file)
{
    charts d = {.title = title, .terminal = canvas_terminal(file), .file = file, .count = count, .c = c};
    if (!d.terminal)
        return app_reject(a, "'%s' cannot be drawn: expected a file name that ends in .png, .svg or .pdf", file);
    if (!canvas_writable(a, file))
        return false;
    int status = gnuplot_run(put_charts, &d);
    if (status == 127)
        return app_reject(a, "gnuplot is not installed: apt-get install gnuplot-nox");
    return status == 0 || app_reject(a, "gnuplot could not draw '%s'", file);
}
