/* SPDX-License-Identifier: MIT */
/* Runs of substructures that exchange extrapolated forces, and their exact solutions. */
#pragma once

#include "reproduce.h"

typedef struct rts_run {
    history h, exact;
    long rows;
    double *error;
    double worst, size; /* largest error norm (NaN: diverged), largest norm of the exact response */
} rts_run;

rts_run rts_make(scene *s, const char *name, settings sets);
/* The largest error of the last quarter divided by the earlier largest error; above one if the error grows
 * steadily. */
double rts_growth(const rts_run *r);
/* Columns: t, each listed channel of the run and of the exact solution, the error norm. */
sheet *rts_sheet(scene *s, const char *name, const rts_run *r, int count, const char *const *channel);
void rts_plot_pair(scene *s, const sheet *t, int k, const char *title, const char *y, double factor);
