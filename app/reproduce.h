/* SPDX-License-Identifier: MIT */
/* Figures of the papers, made again: one table of entries, and the frame in which each of them works.
 *
 * An entry computes numbers (sheets, written as CSV), draws them (panes, a gnuplot script that makes an SVG and a
 * PNG) and compares them with what the paper claims. The verdict follows from the comparisons alone:
 *
 *     static ifd_status figure(scene *s)
 *     {
 *         sheet *t = sheet_make(s, "radius", "omega|radius", 100);
 *         ... sheet_add(t, (double[]){omega, radius}) ...
 *         plot_pane(s, &(pane){.x = "Omega", .y = "spectral radius", .extra = "set logscale x"});
 *         plot_line(s, t, 0, 1, "LSRT2");
 *         claim(s, worst, NONE, 1.0, "largest spectral radius");
 *         return IFD_OK;
 *     }
 *
 * Each entry runs in a process of its own; what it found comes back in memory that both share: it is plain data. */
#ifndef APP_REPRODUCE_H
#define APP_REPRODUCE_H

#include "app.h"

#include <math.h>

#include <interfield/run.h>

/* No bound on that side. */
#define NONE ((double)NAN)

/* Two curves agree when they differ by less than a picture shows. */
#define AGREEMENT 0.05

enum { MOST_CHECKS = 16, MOST_REMARKS = 6, MOST_SHEETS = 8, MOST_PANES = 6, MOST_LINES = 8 };

typedef enum check_role {
    CHECK_PRINTED,   /* the claim, with what the paper prints */
    CHECK_OTHERWISE, /* the claim before it, with another setting */
    CHECK_BESIDE     /* said beside the figure: reported, not part of the verdict */
} check_role;

typedef struct check {
    check_role role;
    double found, low, high; /* a bound that is NaN is none */
    char text[240];
} check;

typedef enum outcome_state { OUTCOME_WAITING, OUTCOME_DONE, OUTCOME_FAILED } outcome_state;

typedef struct outcome {
    outcome_state state;
    double seconds;
    int checks, changes, choices, remarks, sheets;
    check check[MOST_CHECKS];
    char change[MOST_REMARKS][240]; /* printed settings that had to be changed */
    char choice[MOST_REMARKS][240]; /* settings that are not printed */
    char remark[MOST_REMARKS][400];
    char sheet[MOST_SHEETS][40]; /* names of the CSV files, without .csv */
    char error[400];
} outcome;

typedef enum verdict { REPRODUCED, REPRODUCED_OTHERWISE, NOT_REPRODUCED, NOT_MADE } verdict;

/* A value that is not a number holds nothing, nor does a check without bounds. */
bool check_holds(const check *c);
/* Every printed claim must hold, by itself or by one of the other settings tried for it. */
verdict verdict_of(const outcome *o);
const char *verdict_text(verdict v);
/* How many claims hold with what is printed, how many with another setting, and how many there are. */
typedef struct tally {
    int printed, otherwise, claims;
} tally;
tally tally_of(const outcome *o);
/* "at most 0.0002", "1.95 to 2.05". */
void bound_print(char *out, int size, const check *c);

typedef struct scene scene;

typedef struct paper {
    const char *number; /* "000" */
    const char *citation;
} paper;

typedef struct entry {
    const char *id; /* "000-fig1" */
    const char *title;
    const char *claims; /* what the paper says of it */
    ifd_status (*make)(scene *s);
} entry;

extern const paper papers[];
extern const entry entries[]; /* ended by a row without an id */

typedef struct sheet {
    const char *name, *columns; /* "t [s]|x [m]" */
    int width;
    long rows, room;
    double **column;
} sheet;

typedef enum line_style { STYLE_LINE, STYLE_DASHED, STYLE_POINTS, STYLE_FAINT } line_style;

typedef struct line {
    const sheet *t;
    int x, y;
    line_style style;
    char name[80];
} line;

typedef struct pane {
    const char *title, *x, *y;
    double fx, fy;     /* from the sheet's unit to the one shown; 0 = 1 */
    double low, high;  /* of y, as shown; both 0: what the lines need */
    const char *extra; /* gnuplot commands for this pane alone, "set logscale x" */
    int lines;
    line line[MOST_LINES];
} pane;

struct scene {
    const entry *entry;
    const char *folder;  /* of this entry */
    const char *records; /* of recorded motions; NULL: none */
    app *a;              /* its arena and note are this entry's own */
    outcome *out;
    int sheets, panes, across;
    sheet *sheet[MOST_SHEETS];
    pane pane[MOST_PANES];
};

/* columns: names with '|' between them; a NaN is an empty cell. NULL when memory is out. */
sheet *sheet_make(scene *s, const char *name, const char *columns, long room);
void sheet_add(sheet *t, const double *row);
ifd_status sheets_write(scene *s);

void claim(scene *s, double found, double low, double high, const char *format, ...) IFD_PRINTF(5, 6);
void otherwise(scene *s, double found, double low, double high, const char *format, ...) IFD_PRINTF(5, 6);
void beside(scene *s, double found, double low, double high, const char *format, ...) IFD_PRINTF(5, 6);
void changed(scene *s, const char *format, ...) IFD_PRINTF(2, 3);
void chosen(scene *s, const char *format, ...) IFD_PRINTF(2, 3);
void remarked(scene *s, const char *format, ...) IFD_PRINTF(2, 3);

void plot_pane(scene *s, const pane *p);
void plot_line(scene *s, const sheet *t, int x, int y, const char *name);
void plot_styled(scene *s, const sheet *t, int x, int y, line_style style, const char *name);
/* Writes figure.gp and has gnuplot draw figure.svg and figure.png. */
ifd_status plots_draw(scene *s);

/* What a run recorded, every row. */
typedef struct history {
    long rows, room;
    int channels;
    const ifd_channel *channel;
    double *time;
    double **column;
    bool whole;            /* came to its end */
    ifd_fault_facts fault; /* of a run */
    int trip;              /* of a test: ifd_trip; 0 none */
    double gap[3];         /* largest at the joints */
} history;

/* sets: overrides of the case, ended by NULL; may be NULL. */
typedef const char *const *settings;
ifd_status scene_case(scene *s, const char *name, settings sets, ifd_case **out);
ifd_status history_run(scene *s, const char *name, settings sets, history *out);
/* The reference solution of the undivided structure, at the instants of the run. */
ifd_status history_exact(scene *s, const char *name, settings sets, history *out);
/* The case as a test on its virtual rig, without a clock; a row for every whole step. */
ifd_status history_test(scene *s, const char *name, settings sets, history *out);
/* The channel of that name, or the first whose name ends in "." and it; NULL when there is none. */
const double *history_find(const history *h, const char *name);
/* The same; when there is none an error is noted, which fails the entry, and the numbers are NaN. */
const double *history_get(scene *s, const history *h, const char *name);
/* e(t) = |Y - Y_exact|, displacements and velocities of the same names; the rows that both have. */
double *history_error(scene *s, const history *a, const history *b, long *rows);
/* A sheet of time and the channels named, "x1 displacement|x2 displacement". */
sheet *history_sheet(scene *s, const char *name, const history *h, const char *channels, int every);
double largest(const double *x, long n);
/* Root mean square of a - b over that of b. */
double rms_error(const double *a, const double *b, long n);
/* The largest |a - b| over the largest |b|. */
double peak_error(const double *a, const double *b, long n);

/* "ground={record: ..., peak: 1 g}" of a file in the records' folder whose name holds the word; otherwise the case's
 * own generated motion of that peak. Notes what the paper used, and what is used. */
const char *ground_of(scene *s, const char *word, const char *peak, const char *direction, const char *printed);
/* When Newton's iteration of average acceleration fails on the building with a pendulum, in s: out-of-balance forces
 * must fall below bound (N) in every step of h. NaN: it does not. */
double newton_failure(const double *ground, long rows, double h, double bound);
/* count values from low to high, evenly in the logarithm. */
double *logspace(scene *s, double low, double high, int count);

/* made: the folder that holds the folders of the entries. */
ifd_status board_write(app *a, const char *path, int count, const entry *const *list, const outcome *out,
                       const char *made);
void outcome_put(ifd_json *j, const entry *e, const outcome *o);
const paper *paper_of(const entry *e);

ifd_status make_spectral_radii(scene *s);
ifd_status make_000_fig3(scene *s);
ifd_status make_000_fig4(scene *s);
ifd_status make_000_fig5(scene *s);
ifd_status make_000_fig6(scene *s);
ifd_status make_000_fig8(scene *s);
ifd_status make_split_beam(scene *s);
ifd_status make_000_fig15(scene *s);
ifd_status make_001_fig3(scene *s);
ifd_status make_001_fig5(scene *s);
ifd_status make_001_fig6(scene *s);
ifd_status make_001_fig7(scene *s);
ifd_status make_001_fig8(scene *s);
ifd_status make_002_fig8(scene *s);
ifd_status make_002_fig9(scene *s);
ifd_status make_003_fig5(scene *s);
ifd_status make_003_fig6(scene *s);
ifd_status make_003_fig9(scene *s);
ifd_status make_004_fig3(scene *s);
ifd_status make_004_fig4(scene *s);
ifd_status make_004_fig5(scene *s);
ifd_status make_004_fig7(scene *s);
ifd_status make_004_oscillator(scene *s);
ifd_status make_004_random(scene *s);
ifd_status make_004_building(scene *s);
ifd_status make_004_fig21(scene *s);
ifd_status make_004_fig22(scene *s);
ifd_status make_004_fig23(scene *s);

#endif
