/* SPDX-License-Identifier: MIT */
/* Charts: curves over an axis. chart_put writes the data of one into a page, where page/charts.js draws it with the plots
 * of the live page; charts_draw sends them to gnuplot. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "app.h"

#include <interfield/report.h>

enum { MOST_CURVES = 8 };

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

typedef struct chart_axis {
    const char *label; /* "force [kN]" */
    double factor;     /* from SI to the unit of the label; 0 = 1 */
    double from, to;   /* its range in SI; equal values: as the data */
    bool log;
} chart_axis;

typedef struct chart {
    const char *title;
    chart_axis x, y;
    int height; /* px of the plot; 0: 150 */
    bool open;  /* it shares the axis of the chart below */
    int rows;   /* named heights 0, 1, ... of bars instead of numbers; 0: numbers */
    const char *const *row;
    long many; /* further curves, drawn below the others */
    const chart_curve *more;
    int curves;
    chart_curve curve[MOST_CURVES];
} chart;

void chart_put(app *a, FILE *out, const chart *c);

/* A long line is drawn by the rows that chart_pick finds in each stretch of rows: its lowest and highest one, so that no
 * peak is lost; of a loop, the first. Their number. */
long chart_stretch(const chart_curve *c, long points);
int chart_pick(const chart_curve *c, long first, long stretch, long picked[2]);
double chart_factor(double factor);

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
/* The head of a page with its style and the script of its charts, up to its body. data: the file that contains the numbers
 * of the charts, for browsers without scripts; NULL: there are no charts. */
void page_head(FILE *out, const char *title, const char *data);
/* A name and a value in the list of facts of a page. */
void page_fact(FILE *out, const char *name, const char *value);
