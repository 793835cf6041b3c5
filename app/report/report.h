/* SPDX-License-Identifier: MIT */
/* The report of a result: one page without other files. A section for which the result has no data is omitted. */
#pragma once

#include "app.h"
#include "page.h"

#include <interfield/events_chain.h>
#include <interfield/result.h>

/* The ideal run: the same case with computed specimens, without delay, noise and limits, as `interfield run`
 * computes it. The difference is the error of a test. */
typedef struct ideal {
    const char *why; /* reason why there is no ideal run; NULL: there is one */
    ifd_table run;   /* over simulated time; rows is 0 without an ideal run */
    ifd_table test;  /* the test in the form of a run, for the comparison */
} ideal;

/* c: the case of a test; NULL if it cannot be read any more. Shows its progress on a terminal. */
void ideal_compute(app *a, const ifd_case *c, const ifd_table *test, ideal *out);
/* The column of the ideal run that corresponds to a column of the test; -1: none. */
int ideal_column(const ideal *i, const ifd_column *of);

typedef struct report {
    app *a;
    FILE *out;
    const char *folder;
    ifd_table t;
    const ifd_json_node *summary; /* an empty object if the file is missing */
    const ifd_case *c;            /* as stored with the result; NULL if it cannot be read any more */
    bool test;                    /* of a hybrid test */
    bool characterised;           /* of a characterisation: no structure was computed */
    ifd_table ran;                /* rows of the state run (all rows of a run) over simulated time, from its first */
    bool held;                    /* some rows are omitted: simulated time did not advance in them */
    ifd_events_checked events;
    const ideal *ideal; /* of a test: the ideal run; NULL: not requested */
} report;

/* Sets test, ran and held; false: out of memory. */
bool report_choose(report *r);
/* The column of a quantity, with owner "" for the whole structure; -1: none. */
int report_find(const report *r, const char *owner, ifd_quantity quantity);
/* Whether the measured motion of an owner is a rotation. */
bool report_turns(const report *r, const char *owner);
int report_count(const report *r, ifd_quantity quantity);

/* A chart over the time of the report, and a curve of it: a number for each row. */
chart report_history(const report *r, const char *title, const char *y_label);
void report_add(const report *r, chart *c, const char *name, const double *y, line_kind line);

/* Writes the whole page. */
void report_page(const report *r);

/* A section, which can be folded initially. */
void report_begin(const report *r, const char *title, const char *id, bool folded);
void report_end(const report *r, bool folded);

/* A name and a value; nothing if the value is empty. */
void report_fact(const report *r, const char *name, const char *value);

void report_verdict(const report *r);
/* Diagram of substructures and specimens. */
void report_scheme(const report *r);
void report_found(const report *r);
void report_results(const report *r);
void report_curves(const report *r);
void report_tracking(const report *r);
void report_energy(const report *r);
void report_spectra(const report *r);
void report_reduced(const report *r);
void report_punctuality(const report *r);
void report_limits(const report *r);
void report_deadlines(const report *r);
void report_certificate(const report *r);
void report_holds(const report *r);
void report_identified(const report *r);
void report_watched(const report *r);
void report_elastic(const report *r);
void report_cycles(const report *r);
