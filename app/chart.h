/* SPDX-License-Identifier: MIT */
/* Charts: curves over an axis, for pages (report/page.h), where page/charts.js draws them with the plots of the live
 * page, and for pictures, which gnuplot draws. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

/* CHART_INK: a colour that no curve has by its position. */
enum { MOST_CURVES = 8, CHART_INK = MOST_CURVES + 1 };

/* Targets are dashed, commands dotted. */
typedef enum line_kind { LINE_SOLID, LINE_DASHED, LINE_DOTTED } line_kind;

typedef enum chart_style {
    CHART_LINE,
    CHART_THIN,    /* one of many: thin and grey */
    CHART_WIDE,    /* wide and pale, behind others */
    CHART_POINTS,  /* separate points */
    CHART_CROSSES, /* separate points of another shape */
    CHART_MARKED,  /* a line with its points */
    CHART_BAND,    /* the area between y and end */
    CHART_BARS     /* horizontal bars at the heights y, from x to end */
} chart_style;

typedef struct chart_curve {
    const char *name;
    long count;
    const double *x, *y;
    chart_style style;
    const double *end; /* of a band and of bars */
    int colour;        /* from 1; 0: by its position */
    bool rising;       /* x does not decrease */
    line_kind line;    /* dashed: a target or a reference */
    double width;      /* 0: default; of gnuplot */
} chart_curve;

typedef struct chart_axis {
    const char *label; /* "force [kN]" */
    double factor;     /* from SI to the unit of the label; 0 = 1 */
    double from, to;   /* its range in SI; equal values: as the data */
    bool log;
} chart_axis;

typedef struct chart {
    const char *title;
    chart_axis x, y;
    int height; /* px of the plot on a page; 0: 150 */
    bool open;  /* on a page it shares the axis of the chart below */
    int rows;   /* named heights 0, 1, ... of bars instead of numbers; 0: numbers */
    const char *const *row;
    long many; /* further curves, drawn below the others */
    const chart_curve *more;
    int curves;
    chart_curve curve[MOST_CURVES];
} chart;

double chart_factor(const chart_axis *a);
/* Whether both are over the same range of a rising quantity, such as time. */
bool chart_shares(const chart *a, const chart *b);
/* The rows of a curve that are drawn, for about this number of points; free() them. In each interval of a long curve
 * over time the lowest and the highest row remain, so that no peak is lost; of a loop the first.
 * NULL: out of memory. */
long *curve_rows(const chart_curve *c, long points, long *count);

typedef struct picture {
    const char *title;
    int count;
    const chart *chart;
    int across; /* charts beside each other; 0: by their number */
    int notes;  /* rows of three cells below them */
    const char *const (*note)[3];
} picture;

typedef struct canvas {
    const char *terminal; /* gnuplot's: "pngcairo", "svg", "pdfcairo", "dumb"; "html": a page */
    const char *file;     /* NULL: stdout */
    int columns, lines;   /* of the dumb terminal, which shows the first chart */
    bool colour;
    double width;     /* m, on paper; 0: by its charts */
    double sharpness; /* of a PNG: pixels per px; 0: 2 */
    const char *font; /* "DejaVu Serif,9"; NULL: default */
} canvas;

/* The data of a picture and the commands that draw it on each of these canvases. */
void picture_script(FILE *out, const picture *p, int count, const canvas *to);
/* Draws it on one; the exit status of gnuplot, 0 on success, 127 if gnuplot is not installed. */
int picture_draw(const picture *p, const canvas *to);

/* Writes a quoted text for gnuplot, without control characters. */
void gnuplot_text(FILE *out, const char *text);
/* Runs gnuplot with the commands that write(out, what) prints; returns its exit status. */
int gnuplot_run(void (*write)(FILE *out, const void *what), const void *what);
