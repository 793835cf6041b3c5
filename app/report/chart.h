/* SPDX-License-Identifier: MIT */
/* Charts as SVG inside a page: curves over an axis, as wide as the page. Curves are scaled with
 * the width, texts are not, so that a chart is readable on a phone, a wide screen and paper. Colours are classes
 * (k0, k1, ...) of the style sheet. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "app.h"

#include <interfield/report.h>

/* Coordinates of the curves: 0 to CHART_WIDE and 0 to CHART_HIGH, for any size on the page. */
enum { CHART_CURVES = 6, CHART_WIDE = 1200, CHART_HIGH = 400 };

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
    bool dashed;       /* a target or a reference */
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
    chart_curve curve[CHART_CURVES];
} chart;

void chart_put(FILE *out, const chart *c);
/* The same charts, one below the other, drawn by gnuplot into a .png, .svg or .pdf file; prints its name or an
 * error. */

bool charts_save(app *a, const char *title, int count, const chart *c, const char *file);
/* An escaped text between two pieces of HTML. */
void html_put(FILE *out, const char *before, const char *text, const char *after);
