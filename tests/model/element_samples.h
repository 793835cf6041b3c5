/* SPDX-License-Identifier: MIT */
/* One or more worked sets of parameters for every row of ifd_elements, and what the element tests share. */
#pragma once

#include <interfield/element.h>

enum { SAMPLE_MAX = 20, SAMPLE_STATES = 136 }; /* coordinates or roots, and states, of a sample at most */

typedef struct setting {
    const char *name;
    double number;
    const char *word;
    const double *data;
    int rows, cols;
} setting;

typedef struct sample {
    const char *element;
    int nq;
    double q, v, s;  /* sizes of coordinates, rates and states at which something happens */
    setting set[16]; /* ended by one without a name */
} sample;

extern const sample samples[];
extern const int sample_count;

/* Makes the element of a sample. */
ifd_status sample_make(const sample *from, ifd_arena *arena, ifd_element *out, ifd_note *note);

/* All outputs of an evaluation, in own memory. */
typedef struct answer {
    double r[SAMPLE_MAX], g[SAMPLE_STATES];
    double r_q[SAMPLE_MAX * SAMPLE_MAX], r_v[SAMPLE_MAX * SAMPLE_MAX], r_s[SAMPLE_MAX * SAMPLE_MAX];
    double g_q[SAMPLE_MAX * SAMPLE_MAX], g_v[SAMPLE_MAX * SAMPLE_MAX], g_s[SAMPLE_MAX * SAMPLE_MAX];
    double m[SAMPLE_MAX * SAMPLE_MAX], m_q[SAMPLE_MAX * SAMPLE_MAX];
} answer;

/* A point to evaluate at: q, qd, qdd, s in one array each. */
typedef struct point {
    double q[SAMPLE_MAX], v[SAMPLE_MAX], a[SAMPLE_MAX], s[SAMPLE_STATES];
} point;

ifd_element_in point_in(const point *p);
void point_random(const sample *of, const ifd_element *e, point *p);
answer answer_at(const ifd_element *e, const point *p);
ifd_element_out answer_out(answer *a);

/* Uniform in [-1, 1], from a fixed seed, which a test may take again: its numbers then depend on no other test. */
double random_unit(void);
void random_restart(void);

/* Solves A x = b in place (A n x n by columns, n <= SAMPLE_MAX) by Gauss with pivots; b becomes x. */
void solve_small(int n, double *A, double *b);
