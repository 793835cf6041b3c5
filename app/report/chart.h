/* SPDX-License-Identifier: MIT */
/* Charts as SVG inside a page: curves over an axis, bars against a limit. Colours are classes (k0, k1, ...), so that
 * the style sheet of the page decides how they look on a screen and on paper. */
#ifndef APP_CHART_H
#define APP_CHART_H

#include <stdbool.h>
#include <stdio.h>

#include <interfield/report.h>

enum { CHART_CURVES = 6 };

typedef struct chart_curve {
    const char *name;
    long count;
    const double *x, *y;
    bool rising; /* x never falls: the curve is thinned to its extremes per pixel */
} chart_curve;

typedef struct chart {
    const char *title, *x_label, *y_label;
    double x_factor, y_factor; /* from SI to the units of the labels; 0 = 1 */
    int width, height;         /* 0: 460 x 240 */
    bool log_x, log_y;
    double y_low; /* where a logarithmic axis begins; 0: at the decade below the data */
    int curves;
    chart_curve curve[CHART_CURVES];
} chart;

void chart_put(FILE *out, const chart *c);
/* A text of others between two pieces of HTML. */
void html_put(FILE *out, const char *before, const char *text, const char *after);

#endif
