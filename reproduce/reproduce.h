/* SPDX-License-Identifier: MIT */
/* Figures of the papers, made again: one table of sentences, one of figures, and the frame in which each works.
 *
 * A sentence is what a paper says and what can be computed of it: the words, the place, the quantity and the bound.
 * The bound is a printed number or a rule for the paper's word that is the same for all figures, so it is fixed
 * before any number is known. A figure computes (sheets, written as CSV), draws (panes, a gnuplot script that makes
 * an SVG and a PNG) and answers its sentences by their keys; page, JSON and tests are made from the same rows:
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
 * Each figure runs in a process of its own; what it found comes back in memory that both share: it is plain data. */
#ifndef APP_REPRODUCE_H
#define APP_REPRODUCE_H

#include "app/app.h"

#include <math.h>

#include <interfield/run.h>

/* No bound on that side. */
#define NONE ((double)NAN)

enum { MOST_CLAIMS = 24, MOST_TRIALS = 32, MOST_REMARKS = 6, MOST_SHEETS = 10, MOST_PANES = 6, MOST_LINES = 8 };

/* How the words of a paper become a bound. */
typedef enum rule {
    YES,      /* it does: 1 */
    STABLE,   /* a spectral radius or growth of energy of at most 1 + 1e-6 */
    UNSTABLE, /* above that */
    AGREES,   /* two curves, or a curve and zero: 5 % of the peak (or of the root mean square) apart at most */
    LESS,     /* a ratio of at most 1 */
    MORE,     /* a ratio of at least 1 */
    ORDER,    /* low: order of convergence, at least low - 0.1 */
    NUMBER,   /* low, high: what is printed and half of its last digit; within that or 5 %, whichever is more */
    PRINTED,  /* low, high: bounds that the paper prints */
    READING,  /* low, high: bounds that are our reading of the sentence */
    RULES
} rule;

/* What a paper says, and what of it can be computed. */
typedef struct sentence {
    const char *figures; /* "000-fig3", or several */
    const char *key;
    const char *said, *where; /* quoted, shortened or translated; "section 2.1" */
    const char *what;         /* the quantity that is computed */
    rule rule;
    double low, high;
} sentence;

extern const sentence sentences[]; /* ended by a row without figures */

/* One sentence of a figure: NaN until it is answered, and NaN holds nothing. */
typedef struct claim {
    const sentence *row;
    double found;
    bool answered;
} claim;

/* The same with a setting that is not the paper's. */
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
    char change[MOST_REMARKS][160]; /* printed settings that had to be changed */
    char choice[MOST_REMARKS][240]; /* settings that are not printed */
    char remark[MOST_REMARKS][400];
    char sheet[MOST_SHEETS][40]; /* names of the CSV files, without .csv */
    char error[400];
} outcome;

typedef enum verdict { REPRODUCED, REPRODUCED_OTHERWISE, NOT_REPRODUCED, NOT_MADE } verdict;

bool sentence_of(const sentence *r, const char *figure);
void outcome_init(outcome *o, const char *figure);
void bounds_of(const sentence *r, double *low, double *high);
/* A number that is none holds nothing, nor does a sentence without bounds. */
bool holds(const sentence *r, double found);
/* Every sentence must hold, by itself or with one of the other settings tried for it. */
verdict verdict_of(const outcome *o);
const char *verdict_text(verdict v);
/* The verdict with every setting that is not the paper's. */
void verdict_print(char *out, size_t size, const outcome *o);
/* How many sentences hold with what is printed, how many with another setting, and how many there are. */
typedef struct tally {
    int printed, otherwise, claims;
} tally;
tally tally_of(const outcome *o);
/* "at most 0.0002", "1.95 to 2.05". */
void bound_print(char *out, int size, const sentence *r);
/* The rule in words; NULL beyond the last. */
const char *rule_name(rule r);
const char *rule_text(rule r);

/* The larger and the smaller number; NaN when one of them is: fmax and fmin would hide it. */
double larger(double a, double b);
double smaller(double a, double b);
/* Of two ratios the one that is further from one. */
double odder(double a, double b);

typedef struct scene scene;

typedef struct paper {
    const char *number; /* "000" */
    const char *citation;
} paper;

typedef struct entry {
    const char *id; /* "000-fig1" */
    const char *title;
    void (*make)(scene *s);
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
    uint64_t began;      /* ns, monotonic */
    const char *folder;  /* of this entry */
    const char *records; /* of recorded motions; NULL: none */
    app *a;              /* its arena and note are this entry's own */
    outcome *out;
    int sheets, panes, across;
    sheet *sheet[MOST_SHEETS];
    pane pane[MOST_PANES];
};

/* Ends the entry, which has a process of its own, when a call failed: what was noted is its error. */
void scene_try(scene *s, ifd_status status);
/* Zeroed memory, and a text; the entry ends when there is no room. */
void *scene_array(scene *s, long count, size_t size);
char *scene_print(scene *s, const char *format, ...) IFD_PRINTF(2, 3);

/* columns: names with '|' between them; a NaN is an empty cell. */
sheet *sheet_make(scene *s, const char *name, const char *columns, long room);
void sheet_add(sheet *t, const double *row);
void sheets_write(scene *s);

/* Answers the sentence of that key; a key that the figure has not, or twice, fails the figure. */
void found(scene *s, const char *key, double value);
void tried(scene *s, const char *key, double value, const char *setting, ...) IFD_PRINTF(4, 5);
void changed(scene *s, const char *format, ...) IFD_PRINTF(2, 3);
void chosen(scene *s, const char *format, ...) IFD_PRINTF(2, 3);
void remarked(scene *s, const char *format, ...) IFD_PRINTF(2, 3);

void plot_pane(scene *s, const pane *p);
void plot_line(scene *s, const sheet *t, int x, int y, const char *name);
void plot_styled(scene *s, const sheet *t, int x, int y, line_style style, const char *name);
/* Writes figure.gp and has gnuplot draw figure.svg and figure.png. */
void plots_draw(scene *s);

/* What a run recorded, every row. */
typedef struct history {
    long rows, room;
    int channels;
    const ifd_column *channel;
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
history history_run(scene *s, const char *name, settings sets);
/* The reference solution of the undivided structure, at the instants of the run. */
history history_exact(scene *s, const char *name, settings sets);
/* The case as a test on its virtual rig, without a clock; a row for every whole step. */
history history_test(scene *s, const char *name, settings sets);
/* The channel of that name, or the first whose name ends in "." and it; NULL when there is none. */
const double *history_find(const history *h, const char *name);
/* The same; the entry ends when there is none. */
const double *history_get(scene *s, const history *h, const char *name);
/* e(t) = |Y - Y_exact|, displacements and velocities of the same names; the rows that both have. b NULL: the
 * norm of a. */
double *history_error(scene *s, const history *a, const history *b, long *rows);
/* A sheet of time and the channels named, "x1 displacement|x2 displacement". */
sheet *history_sheet(scene *s, const char *name, const history *h, const char *channels, int every);
double largest(const double *x, long n);
/* Root mean square of a - b over that of b. */
double rms_error(const double *a, const double *b, long n);
/* The largest |a - b| over the largest |b|. */
double peak_error(const double *a, const double *b, long n);

/* "ground={record: ..., peak: 1 g}" of a file in the records' folder whose name holds the word; otherwise the case's
 * own generated motion of that peak. A motion that is not the printed one, or another component, is a change. */
typedef struct motion_wanted {
    const char *word, *peak, *direction;
    const char *printed;   /* "the Kobe earthquake" */
    const char *component; /* "EW", "NS"; NULL: none is printed */
} motion_wanted;
const char *ground_of(scene *s, const motion_wanted *m);
/* The shear building with a pendulum and a hysteretic first storey, integrated by itself: deformation and force of
 * that storey at the rows of the ground acceleration, every h. Nothing of the library is used. */
void building_alone(const double *ground, long rows, double h, double *deformation, double *force);
/* x'' + 2 eta omega x' + omega^2 x = 0. */
const ifd_model *oscillator(scene *s, double omega2, double eta);
/* The slope of a straight line through log y over log x. */
double slope_of(int n, const double *x, const double *y);
/* count values from low to high, evenly in the logarithm. */
double *logspace(scene *s, double low, double high, int count);

/* made: the folder that holds the folders of the entries. */
ifd_status board_write(app *a, const char *path, int count, const entry *const *list, const outcome *out,
                       const char *made);
void outcome_put(ifd_json *j, const entry *e, const outcome *o);
const paper *paper_of(const entry *e);

void make_spectral_radii(scene *s);
void make_000_fig3(scene *s);
void make_000_fig4(scene *s);
void make_000_fig5(scene *s);
void make_000_fig6(scene *s);
void make_000_fig8(scene *s);
void make_split_beam(scene *s);
void make_000_fig15(scene *s);
void make_001_fig3(scene *s);
void make_001_fig5(scene *s);
void make_001_fig6(scene *s);
void make_001_fig7(scene *s);
void make_001_fig8(scene *s);
void make_001_fig9(scene *s);
void make_002_fig8(scene *s);
void make_002_fig9(scene *s);
void make_003_fig5(scene *s);
void make_003_fig6(scene *s);
void make_003_fig9(scene *s);
void make_004_fig3(scene *s);
void make_004_fig4(scene *s);
void make_004_fig5(scene *s);
void make_004_fig7(scene *s);
void make_004_oscillator(scene *s);
void make_004_random(scene *s);
void make_004_effective(scene *s);
void make_004_building(scene *s);
void make_004_fig21(scene *s);
void make_004_fig22(scene *s);
void make_004_fig23(scene *s);

#endif
