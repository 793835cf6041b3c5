/* SPDX-License-Identifier: MIT */
/* Reproduction of published figures: the table of claims, the table of figures, and the functions that a figure uses.
 *
 * A sentence is a claim of a paper that can be verified by computation: wording, place, computed quantity and bound.
 * The bound is a number of the paper, or follows from the wording by a rule that is the same for all figures; so it
 * is fixed before any result is known. A figure computes sheets (written as CSV), draws panes (a gnuplot script that
 * makes an SVG and a PNG) and answers its claims by their keys; page, JSON output and tests use the same rows:
 *
 *     {"000-fig1", "stable", "L-stability", "section 2", "largest spectral radius", STABLE, 0, 0},
 *
 *     static void figure(scene *s)
 *     {
 *         sheet *t = sheet_make(s, "radius", "omega|radius", 100);
 *         ... sheet_add(t, (double[]){omega, radius}) ...
 *         plot_pane(s, &(pane){.x = "Omega", .y = "spectral radius", .extra = "set logscale x"});
 *         plot_line(s, t, 0, 1, "LSRT2");
 *         found(s, "stable", worst);
 *         tried(s, "stable", other, "half the step");
 *     }
 *
 * Each figure runs in its own process, which returns its outcome in shared memory; the outcome holds plain data
 * only. */
#pragma once

#include "app/app.h"

#include <math.h>

#include <interfield/run.h>

/* No bound on that side. */
#define NONE ((double)NAN)

enum {
    MOST_CLAIMS = 24,
    MOST_TRIALS = 32,
    MOST_REMARKS = 6,
    MOST_SHEETS = 10,
    MOST_PANES = 6,
    MOST_LINES = 16,
    MOST_QUOTES = 3
};

/* The rule by which the wording of a paper gives a bound. */
typedef enum rule {
    YES,      /* 1: the statement is true */
    STABLE,   /* a spectral radius or growth of energy of at most 1 + 1e-6 */
    UNSTABLE, /* a spectral radius above 1 + 1e-6 */
    AGREES,   /* difference of two curves, or from zero: at most 5 % of the peak (or of the root mean square) */
    LESS,     /* a ratio of at most 1 */
    MORE,     /* a ratio of at least 1 */
    ORDER,    /* low: order of convergence, at least low - 0.1 */
    NUMBER,   /* low: number of the paper; high: half a unit of its last digit; tolerance: high or 5 %, the larger */
    PRINTED,  /* low, high: bounds given in the paper */
    READING,  /* low, high: bounds chosen here as an interpretation of the statement */
    RULES
} rule;

/* A claim of a paper and the quantity that verifies it. */
typedef struct sentence {
    const char *figures; /* one or more figures, "000-fig3" */
    const char *key;
    const char *said, *where; /* quoted, shortened or translated; "section 2.1" */
    const char *what;         /* the quantity that is computed */
    rule rule;
    double low, high;
} sentence;

extern const sentence sentences[]; /* the last row has no figures */

/* One claim of a figure. found is NaN until the claim is answered; a claim with NaN does not hold. */
typedef struct claim {
    const sentence *row;
    double found;
    bool answered;
} claim;

/* The result of a claim with a setting that differs from the paper. */
typedef struct trial {
    int claim;
    double found;
    char setting[160];
} trial;

typedef enum outcome_state { OUTCOME_WAITING, OUTCOME_DONE, OUTCOME_FAILED } outcome_state;

typedef struct outcome {
    outcome_state state;
    double seconds;
    int claims, trials, changes, choices, remarks, sheets;
    claim claim[MOST_CLAIMS];
    trial trial[MOST_TRIALS];
    char change[MOST_REMARKS][160]; /* settings that differ from the paper */
    char choice[MOST_REMARKS][240]; /* settings that the paper does not give */
    char remark[MOST_REMARKS][400];
    char sheet[MOST_SHEETS][40]; /* names of the CSV files, without .csv */
    char error[400];
    bool recorded; /* a recorded ground motion was used */
} outcome;

typedef enum verdict { REPRODUCED, REPRODUCED_OTHERWISE, NOT_REPRODUCED, NOT_MADE } verdict;

bool sentence_of(const sentence *r, const char *figure);
void outcome_init(outcome *o, const char *figure);
void bounds_of(const sentence *r, double *low, double *high);
/* A claim does not hold for NaN, and not without bounds. */
bool holds(const sentence *r, double found);
/* Every claim must hold, with the settings of the paper or with a different setting that was tried for it. */
verdict verdict_of(const outcome *o);
const char *verdict_text(verdict v);
/* The verdict with every setting that differs from the paper. */
void verdict_print(char *out, size_t size, const outcome *o);
/* Number of claims that hold with the settings of the paper, number that hold with a different setting, and total. */
typedef struct tally {
    int printed, otherwise, claims;
} tally;
tally tally_of(const outcome *o);
/* "at most 0.0002", "1.95 to 2.05". */
void bound_print(char *out, int size, const sentence *r);
/* The deviation of a result from the number of the paper in per cent, from an order, or beyond a bound; "none" inside
 * a bound. */
void deviation_print(char *out, int size, const sentence *r, double value);
/* The number given in the paper, "7", "at most 500"; false if it gives none. */
bool printed_print(char *out, int size, const sentence *r);
/* Name and description of the rule; NULL beyond the last. */
const char *rule_name(rule r);
const char *rule_text(rule r);

/* The larger and the smaller number; NaN if one of them is NaN, unlike fmax and fmin. */
double larger(double a, double b);
double smaller(double a, double b);
/* The ratio with the larger deviation from one. */
double odder(double a, double b);

typedef struct scene scene;

typedef struct paper {
    const char *number; /* "000" */
    const char *citation;
    const char *beside; /* paragraph of its page: what is not computed, or computed elsewhere; NULL: none */
} paper;

typedef struct entry {
    const char *id; /* "000-fig1" */
    const char *title;
    void (*make)(scene *s);
} entry;

extern const paper papers[];
extern const entry entries[]; /* the last row has no id */

typedef struct sheet {
    const char *name, *columns; /* "t [s]|x [m]" */
    int width;
    long rows, room;
    double **column;
} sheet;

/* BULLETS and CROSSES: points without lines. */
typedef enum line_style {
    STYLE_LINE,
    STYLE_DASHED,
    STYLE_POINTS,
    STYLE_FAINT, /* wide and pale */
    STYLE_BULLETS,
    STYLE_CROSSES
} line_style;

typedef struct line {
    const sheet *t;
    int x, y;
    line_style style;
    char name[80];
} line;

/* A value given in a paper and shown with the curves: a level of y, an instant of x, an order of convergence. */
typedef enum quote_shape { QUOTE_LEVEL, QUOTE_INSTANT, QUOTE_ORDER } quote_shape;
typedef struct quote {
    quote_shape shape;
    double value; /* in the unit of the pane */
    char name[60];
} quote;

typedef struct pane {
    const char *title, *x, *y;
    double fx, fy;    /* from the sheet's unit to the one shown; 0 = 1 */
    double low, high; /* range of y in the unit shown; both 0: the range of the lines */
    double from, to;  /* the same of x */
    bool log_x, log_y;
    int lines, quotes;
    line line[MOST_LINES];
    quote quote[MOST_QUOTES];
} pane;

struct scene {
    const entry *entry;
    uint64_t began;      /* ns, monotonic */
    const char *folder;  /* of this entry */
    const char *records; /* of recorded motions; NULL: none */
    app *a;              /* its arena and note are this entry's own */
    outcome *out;
    int sheets, panes, across;
    sheet *sheet[MOST_SHEETS];
    pane pane[MOST_PANES];
};

/* If a call failed, ends the process of the figure; the noted message is its error. */
void scene_try(scene *s, ifd_status status);
/* Zeroed memory, and a text; without memory, the process of the figure ends. */
void *scene_array(scene *s, long count, size_t size);
char *scene_print(scene *s, const char *format, ...) IFD_PRINTF(2, 3);

/* columns: names separated by '|'; NaN is written as an empty cell. */
sheet *sheet_make(scene *s, const char *name, const char *columns, long room);
void sheet_add(sheet *t, const double *row);
void sheets_write(scene *s);

/* Answers the claim of that key. An unknown key, or a second answer, is an error of the figure. */
void found(scene *s, const char *key, double value);
void tried(scene *s, const char *key, double value, const char *setting, ...) IFD_PRINTF(4, 5);
void changed(scene *s, const char *format, ...) IFD_PRINTF(2, 3);
void chosen(scene *s, const char *format, ...) IFD_PRINTF(2, 3);
void remarked(scene *s, const char *format, ...) IFD_PRINTF(2, 3);

void plot_pane(scene *s, const pane *p);
void plot_line(scene *s, const sheet *t, int x, int y, const char *name);
void plot_styled(scene *s, const sheet *t, int x, int y, line_style style, const char *name);
/* Adds a value given in the paper to the last pane, dashed and black. */
void plot_quoted(scene *s, quote_shape shape, double value, const char *name);
/* Writes figure.gp and runs gnuplot, which draws figure.svg and figure.png. */
void plots_draw(scene *s);

/* All recorded rows of a run. */
typedef struct history {
    long rows, room;
    int columns;
    const ifd_column *head;
    double *time;
    double **column;
    bool whole;            /* completed */
    ifd_fault_facts fault; /* of a run */
    int trip;              /* of a test: ifd_trip; 0 none */
    double gap[3];         /* largest constraint drift */
} history;

/* Settings that override the case, terminated by NULL; may be NULL. */
typedef const char *const *settings;
ifd_status scene_case(scene *s, const char *name, settings sets, ifd_case **out);
history history_run(scene *s, const char *name, settings sets);
/* The reference solution of the monolithic structure, at the instants of the run. */
history history_exact(scene *s, const char *name, settings sets);
/* A free-running test of the case on its virtual rig; one row per step. */
history history_test(scene *s, const char *name, settings sets);
/* The column of that name, or the first one with that name after "."; NULL if there is none. */
const double *history_find(const history *h, const char *name);
/* The same; if there is none, the process of the figure ends. */
const double *history_get(scene *s, const history *h, const char *name);
/* e(t) = |Y - Y_exact|, over displacements and velocities of the same names, for the rows common to both. b NULL: the
 * norm of a. */
double *history_error(scene *s, const history *a, const history *b, long *rows);
/* A column of a history, from `later` rows after its first on. */
typedef struct cell {
    const history *h;
    const char *column;
    int later;
} cell;
/* A sheet of the time of the first history and these columns in its rows; cells after the end of another history are
 * empty. */
sheet *history_sheet(scene *s, const char *name, const char *columns, int cells, const cell *c);
double largest(const double *x, long n);
/* Root mean square of a - b divided by that of b. */
double rms_error(const double *a, const double *b, long n);
/* The largest |a - b| divided by the largest |b|. */
double peak_error(const double *a, const double *b, long n);

/* "ground={record: ..., peak: 1 g}" for a file in the folder of records whose name contains the word; without one,
 * the generated motion of the case with that peak, or two bursts. A motion or component that differs from the paper
 * is noted as a change. */
typedef struct motion_wanted {
    const char *word, *peak, *direction;
    const char *printed;   /* "the Kobe earthquake" */
    const char *component; /* "EW", "NS"; NULL: not given in the paper */
    bool bursts;           /* the generated motion is the N-S component of cases/two-components, of 105 s */
} motion_wanted;
const char *ground_of(scene *s, const motion_wanted *m);
/* The same motion with another peak, without a note. */
const char *ground_scaled(scene *s, const motion_wanted *m, const char *peak);
/* The shear building with a pendulum and a hysteretic first storey, integrated independently of the library:
 * deformation and force of that storey at the rows of the ground acceleration, with step h. */
void building_alone(const double *ground, long rows, double h, double *deformation, double *force);
/* x'' + 2 eta omega x' + omega^2 x = 0. */
const ifd_model *oscillator(scene *s, double omega2, double eta);
/* The slope of a straight line fitted to log y over log x. */
double slope_of(int n, const double *x, const double *y);
/* count values from low to high with logarithmic spacing. */
double *logspace(scene *s, double low, double high, int count);

/* made: the folder that contains the folders of the figures. */
ifd_status board_write(app *a, const char *path, int count, const entry *const *list, const outcome *out,
                       const char *made);
void outcome_put(ifd_json *j, const entry *e, const outcome *o);
const paper *paper_of(const entry *e);

#define ENTRY(id, title, nearest, make) void make(scene *s);
#include "entries.def"
#undef ENTRY
