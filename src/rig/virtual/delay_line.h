/* SPDX-License-Identifier: MIT */
/* A delay line: past samples, newest first, shifted in every tick, so that a copy of the state needs no index. Values
 * between samples are from the cubic polynomial through the four nearest ones, fewer at the ends. */
#pragma once

#include <interfield/status.h>

enum { IFD__LINE_MOST = 1 << 16 }; /* samples */

/* Evaluation of one value: count samples from first on, times their weights. */
typedef struct ifd__tap {
    int first, count;
    double weight[4];
} ifd__tap;

/* A delay in samples at intervals h, rounded to a whole number if very close to one. */
double ifd__line_age(double delay, double h);
/* Number of samples of a line for values up to age samples old. */
int ifd__line_length(double age);
/* The tap for a value age >= 0 samples old in a line of length samples; degree 1 or 3 at most. */
ifd__tap ifd__line_tap(int length, double age, int degree);
/* Weights of the polynomial through count values at first, first + 1, ..., at x. */
void ifd__lagrange(int count, int first, double x, double *weight);

IFD_RT void ifd__line_fill(double *line, int length, double value);
IFD_RT void ifd__line_push(double *line, int length, double value);
IFD_RT double ifd__line_read(const double *line, const ifd__tap *tap);
