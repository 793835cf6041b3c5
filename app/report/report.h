/* SPDX-License-Identifier: MIT */
/* The report of a result: one page that needs nothing else. Each section draws what the result holds and is left out
 * when it holds nothing of it. */
#ifndef APP_REPORT_H
#define APP_REPORT_H

#include "app.h"
#include "chart.h"

#include <interfield/result.h>

typedef struct report {
    app *a;
    FILE *out;
    const char *folder;
    ifd_table t;
    const ifd_json_node *summary; /* an empty object when there is none */
    const ifd_case *c;            /* as the result keeps it; NULL when it cannot be read any more */
    bool test;                    /* of a hybrid test: time is wall clock */
    bool characterised;           /* of a rig's characterisation: nothing was computed */
    long first, rows;             /* rows while the test ran (all of a run) */
    bool held;                    /* some of them are left out: nothing was simulated in them */
    long *kept;                   /* then these of the table, and their columns as they are asked for; else NULL */
    double **ran;
    double *when; /* s, of these rows: simulated time of a test, from its first */
} report;

/* Settles test, first, rows and when; false when memory is out. */
bool report_choose(report *r);
/* The column of a quantity, owner "" of the whole; -1 when there is none. */
int report_find(const report *r, const char *owner, ifd_quantity quantity);
/* Whether what an owner measured is a rotation. */
bool report_turns(const report *r, const char *owner);
/* The column from the first row of the report on. */
const double *report_column(const report *r, int channel);
double report_largest(const report *r, int channel);

/* Writes the whole page. */
void report_page(const report *r);

void report_heading(const report *r, const char *title, const char *id);
void report_end_section(const report *r);

/* One small fact with its name; nothing when the value is empty. */
void report_fact(const report *r, const char *name, const char *value);

void report_verdict(const report *r);
void report_scheme(const report *r);
void report_found(const report *r);
void report_peaks(const report *r);
void report_curves(const report *r);
void report_tracking(const report *r);
void report_energy(const report *r);
void report_spectra(const report *r);
void report_punctuality(const report *r);
void report_limits(const report *r);
void report_certificate(const report *r);

#endif
