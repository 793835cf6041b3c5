/* SPDX-License-Identifier: MIT */
/* Designs of the sensitivity analyses: points of the random variables in the unit cube. */
#pragma once

#include "study/answer/answer.h"

typedef struct ifd__design {
    ifd_study *study;
    ifd_study_plan plan;
    int variables;                     /* random ones */
    int variable[IFD_STUDY_VARIABLES]; /* their indices */
    const char *name[IFD_STUDY_VARIABLES];
    long base; /* samples or trajectories */
    /* Coordinates of a member, in (0, 1). */
    void (*point)(const struct ifd__design *d, long member, double *u);
    double low, high; /* of tornado: probabilities; of Morris: ends of the levels */
    int levels;       /* of Morris */
    int replicates;   /* of the bootstrap of Sobol */
    double confidence;
} ifd__design;

/* Finds the random variables; refuses lists of several values and correlations. False after an error. */
bool ifd__design_read(ifd__reader *r, ifd_study *s, const ifd_place *place, ifd__design *d);
/* Makes the plan of that number of members the plan of the study. */
void ifd__design_plan(ifd__reader *r, ifd__design *d, double members, const ifd_place *place);

/* The scalar of every member by its number; NAN: it did not complete, or is missing. NULL: out of memory. */
const double *ifd__design_scalar(const ifd__answer *a, const ifd__design *d, int scalar);

/* Bars of the variables, the largest on top. */
typedef struct ifd__bars {
    const char *title, *x_label;
    int variables;
    const char *const *name;
    const double *order; /* decides the order */
    int series;          /* 1 or 2 */
    const char *legend[2];
    const double *from[2], *to[2];
} ifd__bars;
void ifd__bars_put(ifd__answer *a, const ifd__bars *b);

/* A sensitivity as a sentence, a table and bars for each scalar. */
typedef struct ifd__sensitivity {
    int columns;               /* numbers of a variable */
    const char *const *column; /* "variable", then their names */
    const char *x_label;       /* of the bars; NULL: the scalar */
    int series, from, to[2];   /* ends of the bars among the numbers; from -1: 0, otherwise the longest is on top */
    const char *legend[2];
    /* The numbers of all variables, one after the other, from the scalar of every member; returns the sentence,
     * NULL: none. */
    const char *(*compute)(ifd__answer *a, const ifd__design *d, const char *scalar, const double *y, double *number);
} ifd__sensitivity;
ifd_status ifd__design_answer(ifd__answer *a, const ifd__design *d, const ifd__sensitivity *s);
