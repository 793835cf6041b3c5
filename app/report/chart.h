/* SPDX-License-Identifier: MIT */
/* Charts: curves over an axis. chart_put draws them as SVG inside a page, as wide as the page: curves are scaled with
 * the width, texts are not, so that a chart is readable on a phone, a wide screen and paper; colours are classes
 * (k0, k1, ...) of the style sheet. charts_draw sends them to gnuplot. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "app.h"

#include <interfield/report.h>

/* Coordinates of the curves: 0 to CHART_WIDE and 0 to CHART_HIGH, for any size on the page. A chart in a page has at
 * most CHART_CURVES curves. */
enum { CHART_CURVES = 6, MOST_CURVES = 8, CHART_WIDE = 1200, CHART_HIGH = 400 };

/* Targets are dashed, commands dotted. */
typedef enum line_kind { LINE_SOLID, LINE_DASHED, LINE_DOTTED } line_kind;

typedef enum chart_style {
    CHART_LINE,
    CHART_THIN,   /* one of many: thin and grey */
    CHART_POINTS, /* separate points */
    CHART_BAND,   /* the area between y and end */
    CHART_BARS    /* horizontal bars at the heights y, from x to end */
} chart_style;

typedef struct chart_curve {
    const char *name;
    long count;
    const double *x, *y;
    chart_style style;
    const double *end; /* of a band and of bars */
    int colour;        /* from 1; 0: by its position */
    bool rising;       /* x does not decrease: the curve is reduced to its extremes per pixel */
    line_kind line;    /* dashed: a target or a reference */
    double width;      /* 0: default; of gnuplot */
} chart_curve;

typedef struct chart {
    const char *title, *x_label, *y_label;
    double x_factor, y_factor; /* from SI to the units of the labels; 0 = 1 */
    double x_from, x_to;       /* range of the horizontal axis of charts in a column; equal values: as the data */
    int height;                /* px of the plot; 0: 150 */
    bool half;                 /* half width, beside another chart */
    bool open;                 /* it shares the axis of the chart below */
    bool log_x, log_y;
    double y_low;        /* start of a logarithmic axis; 0: the decade below the data */
    double y_from, y_to; /* range of the vertical axis; equal values: as the data */
    int rows;            /* named heights 0, 1, ... of bars instead of numbers; 0: numbers */
    const char *const *row;
    long many; /* further curves, drawn below the others */
    const chart_curve *more;
    int curves;
    chart_curve curve[MOST_CURVES];
} chart;

void chart_put(FILE *out, const chart *c);

typedef struct canvas {
    const char *terminal; /* gnuplot's: "pngcairo", "svg", "pdfcairo", "dumb" */
    const char *file;     /* NULL: stdout */
    int columns, lines;   /* of the dumb terminal, which shows the first chart */
    bool colour;
} canvas;

/* The gnuplot terminal for a file that ends in .png, .svg or .pdf, or for a format; NULL for others. */
const char *canvas_terminal(const char *file);
/* Whether a file can be written there; false after an error message. */
bool canvas_writable(app *a, const char *file);
/* Draws charts with gnuplot; its exit status, 0 on success, 127 if gnuplot is not installed. */
int charts_draw(const char *title, int count, const chart *c, const canvas *to);
/* The same into a .png, .svg or .pdf file; false after an error message. */
bool charts_save(app *a, const char *title, int count, const chart *c, const char *file);

/* An escaped text between two pieces of HTML. */
void html_put(FILE *out, const char *before, const char *text, const char *after);
/* The head of a page with its style, up to its body; a name and a value in its list of facts. */
void page_head(FILE *out, const char *title);
void page_fact(FILE *out, const char *name, const char *value);
