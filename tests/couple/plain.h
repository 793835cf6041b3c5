/* SPDX-License-Identifier: MIT */
/* A second implementation of the staggered and the parallel scheme, for linear parts: dense, by the 2 n system, every
 * matrix formed and solved anew each time, so that nothing is shared with the library but the formulas. */
#pragma once

enum { PLAIN_N = 4, PLAIN_Y = 2 * PLAIN_N, PLAIN_R = 3 };

typedef struct plain_part {
    int n;
    double M[PLAIN_N][PLAIN_N], C[PLAIN_N][PLAIN_N], K[PLAIN_N][PLAIN_N];
    double G[PLAIN_R][PLAIN_N];
    double force[PLAIN_N], omega; /* P_i = force_i sin(omega t) */
} plain_part;

typedef struct plain_pair {
    plain_part A, B;
    int rows;
    double gamma;
    double feedback;      /* a of 2 a G v + a^2 G u at the start of a step */
    double bias[PLAIN_R]; /* its effect on every Lam of the step */
} plain_pair;

/* Lam from the states at t. */
void plain_lambda(const plain_pair *s, double t, const double *yA, const double *yB, double *lam);

/* One coarse step h with ss steps of B in it. */
void plain_staggered(const plain_pair *s, double t, double h, int ss, double *yA, double *yB);

/* y_A at i-2 .. i+1 and y_B at i-2 .. i. */
typedef struct plain_history {
    double A[4][PLAIN_Y], B[3][PLAIN_Y];
} plain_history;

/* From yA, yB at 0 to i = 2: two equal steps of both and a third one of A. */
void plain_parallel_start(const plain_pair *s, double dt, const double *yA, const double *yB, plain_history *y);

/* i to i + 1; t is the time of i. */
void plain_parallel(const plain_pair *s, double t, double dt, int ss, plain_history *y);
