/* SPDX-License-Identifier: MIT */
/* A figure: panels with curves of a result, drawn by gnuplot. */
#pragma once

#include "page.h"

#include <stdbool.h>

#include <interfield/result.h>

enum { MOST_PANELS = 6 };

typedef struct curve {
    int x, y; /* columns; x -1 is time */
    const char *name;
    int of; /* result of the figure, from 0 */
    line_kind line;
    int colour;   /* from 1, in the palette; 0: by its position in the panel */
    double width; /* 0: default */
} curve;

typedef struct panel {
    const char *title; /* of its chart; NULL: none */
    const char *what;  /* label of the vertical axis, "Interface force"; NULL: from its columns */
    chart_axis x, y;
    int curves;
    curve curve[MOST_CURVES];
} panel;

typedef struct figure {
    const char *title;
    int panels;
    panel panel[MOST_PANELS];
} figure;

/* The column of this name; -1: none. */
int table_find(const ifd_table *t, const char *name);
/* Of the finite values of a column. */
double table_largest(const ifd_table *t, int column);
/* The force of a deformation, position or curvature with one coordinate; -1: none. */
int table_force_of(const ifd_table *t, int motion);
/* The area of the loop of force over motion, closed by a straight line; 0: both are nearly proportional. */
double table_loop(const ifd_table *t, int motion, int force);
/* "force [kN]". */
const char *label_print(ifd_arena *arena, const char *what, const char *unit);
/* Determines scale and labels of a panel over time from its curves: one unit for all of them. t: the results
 * of the curves. */
void panel_settle(ifd_arena *arena, const ifd_table *t, const char *what, const char *unit, panel *p);
/* The results of a picture: one, or several in the same panels. */
typedef struct overlay {
    int results;
    const ifd_table *t;
    const char *const *name; /* names in the legend */
    const char *time;        /* "Time [s]" */
} overlay;
/* The columns of the first result of a quantity, and of a unit if it is not NULL, with the largest values, those of
 * one unit in order, which all other results have too; at most `most`, and MOST_CURVES. Returns their number. */
int columns_furthest(const overlay *o, ifd_quantity quantity, const char *unit, int most, int *chosen);
/* A panel of these over time, in the order of the result; NULL: nothing moves, or there is no room. */
panel *figure_largest(const overlay *o, ifd_quantity quantity, const char *unit, int most, figure *f);
/* Adds a curve, if there is room; x -1: over time. */
void panel_add(panel *p, int x, int y);
/* The default selection of the first result: displacements and accelerations, a loop, energies; for a test the motion
 * and force of its specimens. */
void figure_choose(const overlay *o, figure *out);
/* For several results: adds the same column of the others to each panel, then sets names, axes and lines. named: the
 * user selected the columns and is informed about missing ones; otherwise panels with one result only are removed. */
void figure_overlay(app *a, const overlay *o, bool named, figure *f);
/* Adds the curves of named columns ("a,b", "*force") over time: a panel for each unit, for several results one for
 * each column. False, with an error, if one does not exist. */
bool figure_name(app *a, const overlay *o, const char *names, figure *out);
/* Adds a panel of one column over another; false, with an error. */
bool figure_name_xy(app *a, const overlay *o, const char *x, const char *y, figure *out);
/* Flags of the named columns of the first result; all without names. NULL, with an error: unknown name. */
const bool *columns_named(app *a, const overlay *o, const char *names);
/* Sets names of curves, axes, units and line styles of a panel. */
void panel_name(ifd_arena *arena, const overlay *o, panel *p);

/* The column of the same name in another result; of several that of the same quantity. -1: none. */
int column_match(const ifd_column *c, const ifd_table *other);

/* Keeps only the curve with the largest values in the first panel, for drawing with characters. */
void figure_thin(const ifd_table *t, figure *f);
/* Keeps only the rows from one time to another. */
void table_window(ifd_arena *arena, double from, double to, ifd_table *t);

/* Converts a test to the form of a run: the rows in which simulated time advanced, over simulated time. */
ifd_status table_as_run(ifd_arena *arena, const ifd_case *c, ifd_table *t);

/* A suitable unit for values of this size, and the factor from SI to it. */
const char *unit_shown(const char *unit, double size, double *factor);
/* A name without its quantity: "floor1 displacement" is floor1. */
const char *column_short(const ifd_column *c);
/* Columns of the energy balance of a run. */
bool column_is_energy(const ifd_column *c);

chart panel_chart(const panel *p, const ifd_table *t);
/* The panels as charts. t: the results of the curves. */
void figure_charts(const figure *f, const ifd_table *t, chart *out);
/* Draws them; false after an error message. */
bool figure_draw(app *a, const figure *f, const ifd_table *t, const canvas *to);
/* Draws them to a file by its ending and prints its name. */
bool figure_save(app *a, const figure *f, const ifd_table *t, const char *file);

/* The difference of two results: one definition for `interfield compare` and for the error of the report against the
 * ideal run. */

typedef struct difference {
    const char *name, *unit;
    double rms, peak; /* relative to rms and peak of the first result; if these are zero, the difference itself */
    double most, at;  /* largest difference and its time */
    double size, rms_size; /* peak and rms of the first result, the reference */
    long rows;             /* times at which both have values */
} difference;

/* The times of a reference at which another result also has values. */
typedef struct sampling {
    long rows;
    double from, to; /* s */
    bool between;    /* some of them are between two rows of the other result, which is interpolated linearly */
} sampling;

/* A column at a time, linear between the rows; *hint is kept from call to call. */
double table_at(const ifd_table *t, int column, double time, long *hint);
/* Column cb of b against column ca of a, the reference, at the times of a up to the end of b. Both over simulated
 * time. */
difference difference_measure(const ifd_table *a, int ca, const ifd_table *b, int cb);
/* The times of difference_measure. */
sampling difference_sampling(const ifd_table *a, const ifd_table *b);
