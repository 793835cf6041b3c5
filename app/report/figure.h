/* SPDX-License-Identifier: MIT */
/* A figure: panels of curves taken from a result, and how gnuplot draws them. */
#ifndef APP_FIGURE_H
#define APP_FIGURE_H

#include "app.h"

#include <interfield/result.h>

enum { MOST_CURVES = 6, MOST_PANELS = 6 };

typedef struct curve {
    int x, y; /* channels; x -1 is time */
    const char *name;
} curve;

typedef struct panel {
    const char *x_label, *y_label;
    double x_factor, y_factor; /* from SI to the unit shown */
    int curves;
    curve curve[MOST_CURVES];
} panel;

typedef struct figure {
    const char *title;
    int panels;
    panel panel[MOST_PANELS];
} figure;

/* The channel of a name, -1 when there is none. */
int table_find(const ifd_table *t, const char *name);
/* Of the finite values of a channel. */
double table_largest(const ifd_table *t, int channel);
double curve_largest(const double *v, long rows);
/* The integral of a force over a motion, by trapezes. */
double curve_work(const double *motion, const double *force, long rows);
/* "force [kN]". */
const char *label_print(ifd_arena *arena, const char *what, const char *unit);
/* Settles scale and labels once the curves of a panel over time are known. */
void panel_settle(ifd_arena *arena, const ifd_table *t, const char *what, const char *unit, panel *p);
/* What is worth seeing of a result: displacements, angles, loops of elements, energies. */
void figure_choose(ifd_arena *arena, const ifd_table *t, figure *out);
/* The named channels over time, a panel per unit; the first name that is not there, or NULL. */
const char *figure_name(ifd_arena *arena, const ifd_table *t, const char *names, figure *out);

/* Leaves only the curve with the largest values in the first panel: characters cover each other. */
void figure_thin(const ifd_table *t, figure *f);
/* Leaves only the rows from one time to another. */
void table_window(ifd_arena *arena, double from, double to, ifd_table *t);

/* The rows in which a test ran, and their simulated time (rows numbers) from its start; all rows of a run. c: the
 * case of the result, or NULL, and then real time is taken for granted. NULL when memory is out. */
double *table_ran(ifd_arena *arena, const ifd_table *t, const ifd_case *c, long *first, long *rows);
/* A test as a run is: its rows while it ran and simulated time went on, over simulated time. */
ifd_status table_as_run(ifd_arena *arena, const ifd_case *c, ifd_table *t);

/* The unit in which values of this size read well, and the factor from SI to it. */
const char *unit_shown(const char *unit, double size, double *factor);
/* Name without the word of its group: "floor1 displacement" is floor1. */
const char *column_short(const ifd_column *c);
/* Of the balance of a run. */
bool column_is_energy(const ifd_column *c);

typedef struct canvas {
    const char *terminal; /* gnuplot's: "pngcairo", "svg", "dumb" */
    const char *file;     /* NULL: stdout */
    int columns, lines;   /* of the dumb terminal */
    bool colour;
} canvas;

/* 0 when gnuplot drew it; 127 when there is no gnuplot; otherwise its exit status. */
int figure_draw(const figure *f, const ifd_table *t, const canvas *c);
/* Into a .png or .svg file; says so, or why not. */
bool figure_save(app *a, const figure *f, const ifd_table *t, const char *file);

#endif
