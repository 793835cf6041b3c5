/* SPDX-License-Identifier: MIT */
/* Answers of a study: what its section `analysis` asks, computed from the results of its members and written as
 * answer.json: sentences, values in SI units, tables and charts. Programs draw the charts without knowing the
 * analysis.
 *
 * An analysis is one file with its keys and functions and one line in analyses.def. */
#pragma once

#include <interfield/json.h>

#include "statistics/statistics.h"
#include "study/study.h"

typedef struct ifd__answer {
    ifd_arena *arena;
    const ifd_study *study;
    long count;
    const ifd_study_result *const *result; /* in the order of their numbers */
    ifd_json json;
    ifd_note *note;
} ifd__answer;

typedef struct ifd__analysis {
    const ifd__section *section; /* its topic is the key in `analysis` */
    /* Reads its mapping and may set the plan of the study; returns what `answer` needs, NULL after findings. */
    void *(*read)(ifd__reader *r, ifd_study *s, const ifd__fields *f);
    /* Writes sentences, values, tables and charts. */
    ifd_status (*answer)(ifd__answer *a, const void *asked);
} ifd__analysis;

#define ANALYSIS(name) extern const ifd__analysis ifd__analysis_##name;
#include "study/answer/analyses.def"
#undef ANALYSIS

/* A variable or kept scalar by its name; -1 after an error. */
int ifd__find_variable(ifd__reader *r, const ifd_study *s, const ifd_value *name);
int ifd__find_scalar(ifd__reader *r, const ifd_study *s, const ifd_value *name);
/* A number or a list of numbers; 0 after an error, or without a node. */
int ifd__read_numbers(ifd__reader *r, const ifd__node *node, const double **out);

/* The number of a member: INFINITY if it failed or tripped (collapse), NAN if it was refused, crashed, or has no such
 * scalar. */
double ifd__demand_of(const ifd_study_result *r, int scalar);

/* How a quantity is shown: its name with the unit, and the factor from SI. */
typedef struct ifd__shown {
    const char *name, *label, *unit; /* "drift", "drift [mm]", " mm" */
    double factor;
} ifd__shown;
/* unit: of the file, or not given; si: the unit of the numbers themselves, "" if it is not known. */
ifd__shown ifd__shown_as(ifd__reader *r, const char *name, const ifd_value *unit, const char *si);

/* Pseudo-acceleration of the ground motion of a member at a period (s), in m/s2; NAN: its case has no motion. */
double ifd__ground_response(const ifd_study *s, const double *value, double period, double damping);

/* A curve of a chart; style: "line", "dashed", "thin", "points", "band" (end: its other edge), "bars" (from x to end,
 * at the heights y). Numbers are multiplied by the factors; those that are not finite are left out. */
typedef struct ifd__drawn {
    const char *name, *style;
    long count;
    const double *x, *y, *end;
    double x_factor, y_factor; /* 0: 1 */
    int colour;                /* from 1; 0: by its position */
} ifd__drawn;
typedef struct ifd__drawing {
    const char *title, *x_label, *y_label;
    bool log_x, log_y;
    double x_to, y_to; /* end of the axis that begins at 0; 0: as the data */
    int rows;          /* names of the heights of bars */
    const char *const *row;
} ifd__drawing;
void ifd__drawing_begin(ifd_json *j, const ifd__drawing *d);
void ifd__drawing_curve(ifd_json *j, const ifd__drawn *c);
void ifd__drawing_end(ifd_json *j);

/* A table: its title and columns, then rows of texts and numbers. */
void ifd__table_begin(ifd_json *j, const char *title, int columns, const char *const *column);
void ifd__table_row(ifd_json *j, const char *name, int count, const double *value);
void ifd__table_end(ifd_json *j);

/* A fragility: its numbers as an object of that key; a chart with its band; samples: observed fractions. */
typedef struct ifd__fragility_view {
    const ifd__fragility *fit;
    double level;                      /* of the band */
    const ifd__fragilities *bootstrap; /* its band is drawn instead; NULL: none */
    ifd__shown shown;                  /* the intensity */
    int points;                        /* observed fractions */
    const double *x, *fraction;
} ifd__fragility_view;
void ifd__fragility_values(ifd_json *j, const char *key, const ifd__fragility_view *v);
ifd_status ifd__fragility_chart(ifd__answer *a, const char *title, const ifd__fragility_view *v);
/* "median 0.91 g (95 % interval 0.80 to 1.04), dispersion 0.41" */
const char *ifd__fragility_text(ifd_arena *arena, const ifd__fragility_view *v);
